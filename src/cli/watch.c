#include "cli/watch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

enum { token_bytes = 16, watch_connections = 16 };
static const double watch_budget = 4e6;  // of the data in the page [bytes]
static const double watch_patience = 10; // for a browser to fetch the report [s]

struct Watch {
    struct MHD_Daemon *server;
    char *folder;
    char token[2 * token_bytes + 1], hosts[2][40], address[120];
    pthread_mutex_t lock; // of what follows
    MrcProgress now;
    bool running, ended, watched, fetched; // watched: a browser asked for the state; fetched: for the report
    char *message;                         // how it ended
};

// ---- what is sent --------------------------------------------------------------------------------
static enum MHD_Result watch_send(struct MHD_Connection *connection, unsigned code, const char *type,
                                  void *bytes, size_t count, enum MHD_ResponseMemoryMode mode) {
    struct MHD_Response *response = MHD_create_response_from_buffer(count, bytes, mode);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    enum MHD_Result sent = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result watch_send_text(struct MHD_Connection *connection, unsigned code, const char *type,
                                       const char *text) {
    return watch_send(connection, code, type, (void *)text, strlen(text), MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result watch_refuse(struct MHD_Connection *connection, unsigned code) {
    return watch_send_text(connection, code, "text/plain", "refused\n");
}

// The whole of a file; NULL: it cannot be read.
static char *watch_read(const char *path, size_t *count) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat found;
    char *bytes = NULL;
    *count = 0;
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode))
        bytes = malloc((size_t)found.st_size + 1);
    while (bytes && *count < (size_t)found.st_size) {
        ssize_t part = read(file, bytes + *count, (size_t)found.st_size - *count);
        if (part <= 0) break;
        *count += (size_t)part;
    }
    if (file >= 0) close(file);
    if (bytes) bytes[*count] = 0;
    return bytes;
}

// ---- pages ---------------------------------------------------------------------------------------
static const char watch_waiting[] = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                                    "http-equiv=\"refresh\" content=\"1\">"
                                    "<link rel=\"icon\" href=\"data:,\"><title>Maraca</title></head><body><p "
                                    "role=\"status\">The run is being prepared.</p></body></html>\n";

// The page of the folder as it is now, or its data alone. Files grow by whole lines and whole frames.
static enum MHD_Result watch_send_page(Watch *watch, struct MHD_Connection *connection, bool data_only) {
    char folder[] = "/tmp/maraca-live-XXXXXX", path[sizeof folder + 20];
    MrcReportOptions options = mrc_report_options_default();
    MrcError error;
    size_t count = 0;
    if (!mkdtemp(folder)) return watch_refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR);
    snprintf(path, sizeof path, "%s/page.html", folder);
    options.path = path;
    options.budget = watch_budget;
    char *page = mrc_report(watch->folder, &options, &error) == MRC_OK ? watch_read(path, &count) : NULL;
    unlink(path);
    rmdir(folder);
    if (!page) return watch_send_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", watch_waiting);
    char *begin = data_only ? strstr(page, "<script type=\"application/json\" id=\"data-") : page;
    if (begin && begin != page) memmove(page, begin, count -= (size_t)(begin - page));
    return watch_send(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page, begin ? count : 0,
                      MHD_RESPMEM_MUST_FREE);
}

static void watch_report_path(const Watch *watch, char *path, size_t size) {
    snprintf(path, size, "%s/report.html", watch->folder);
}

static enum MHD_Result watch_send_report(Watch *watch, struct MHD_Connection *connection) {
    char path[1100];
    size_t count;
    watch_report_path(watch, path, sizeof path);
    char *page = watch_read(path, &count);
    if (!page) return watch_refuse(connection, MHD_HTTP_NOT_FOUND);
    return watch_send(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page, count,
                      MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result watch_send_state(Watch *watch, struct MHD_Connection *connection) {
    char text[2000], path[1100];
    watch_report_path(watch, path, sizeof path);
    pthread_mutex_lock(&watch->lock);
    watch->watched = true;
    char *message = mrc_json_quoted(watch->message ? watch->message : "");
    snprintf(text, sizeof text,
             "{\"phase\": \"%s\", \"time\": %.9g, \"duration\": %.9g, \"elapsed\": %.3f, \"ended\": %s, "
             "\"report\": %s, \"message\": %s}\n",
             watch->now.phase ? watch->now.phase : "starting", watch->now.time, watch->now.duration,
             watch->now.elapsed, watch->ended ? "true" : "false",
             watch->ended && access(path, R_OK) == 0 ? "true" : "false",
             message && strlen(message) < 1500 ? message : "\"\"");
    pthread_mutex_unlock(&watch->lock);
    mrc_text_free(message);
    return watch_send_text(connection, MHD_HTTP_OK, "application/json", text);
}

// ---- requests ------------------------------------------------------------------------------------
// In a time that does not depend on where they differ.
static bool watch_is_token(const Watch *watch, const char *text) {
    unsigned different = 0;
    for (size_t i = 0; i < 2 * token_bytes; i++) {
        if (!text[i]) return false;
        different |= (unsigned char)(text[i] ^ watch->token[i]);
    }
    return different == 0 && text[2 * token_bytes] == '/';
}

static bool watch_is_own(const Watch *watch, struct MHD_Connection *connection) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    for (int k = 0; host && k < 2; k++) {
        if (strcmp(host, watch->hosts[k]) != 0) continue;
        return !origin || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, watch->hosts[k]) == 0);
    }
    return false;
}

static enum MHD_Result watch_answer(void *user, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **request) {
    Watch *watch = user;
    static int begun;
    (void)version, (void)upload;
    if (!*request) { // the head alone; the answer is due at the second call
        *request = &begun;
        return MHD_YES;
    }
    if (*upload_size > 0) { // what is posted is of no interest
        *upload_size = 0;
        return MHD_YES;
    }
    if (!watch_is_own(watch, connection) || path[0] != '/' || !watch_is_token(watch, path + 1))
        return watch_refuse(connection, MHD_HTTP_FORBIDDEN);
    const char *name = path + 1 + 2 * token_bytes;
    if (strcmp(name, "/stop") == 0) {
        if (strcmp(method, "POST") != 0) return watch_refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED);
        signals_stop = 1;
        return watch_send_text(connection, MHD_HTTP_ACCEPTED, "text/plain", "stopping\n");
    }
    if (strcmp(method, "GET") != 0) return watch_refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED);
    pthread_mutex_lock(&watch->lock);
    bool running = watch->running, ended = watch->ended;
    if (ended && strcmp(name, "/report") == 0) watch->fetched = true;
    pthread_mutex_unlock(&watch->lock);
    if (strcmp(name, "/state") == 0) return watch_send_state(watch, connection);
    if (strcmp(name, "/report") == 0 && ended) return watch_send_report(watch, connection);
    if (strcmp(name, "/live") == 0 && !running)
        return watch_send_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", watch_waiting);
    if (strcmp(name, "/live") == 0) return watch_send_page(watch, connection, false);
    if (strcmp(name, "/data") == 0 && running) return watch_send_page(watch, connection, true);
    return watch_refuse(connection, MHD_HTTP_NOT_FOUND);
}

// ---- from outside --------------------------------------------------------------------------------
static void watch_free(Watch *watch) {
    if (watch->server) MHD_stop_daemon(watch->server);
    pthread_mutex_destroy(&watch->lock);
    free(watch->folder);
    free(watch->message);
    free(watch);
}

static bool watch_make_token(Watch *watch) {
    unsigned char bytes[token_bytes];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int i = 0; i < token_bytes; i++) sprintf(watch->token + 2 * i, "%02x", bytes[i]);
    return true;
}

Watch *watch_start(const char *folder, MrcError *error) {
    Watch *watch = calloc(1, sizeof *watch);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    error->status = MRC_MEMORY;
    snprintf(error->text, sizeof error->text, "no memory left");
    if (!watch) return NULL;
    pthread_mutex_init(&watch->lock, NULL);
    watch->folder = strdup(folder);
    if (watch->folder && watch_make_token(watch))
        watch->server =
            MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, watch_answer, watch,
                             MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place, MHD_OPTION_CONNECTION_LIMIT,
                             (unsigned)watch_connections, MHD_OPTION_CONNECTION_TIMEOUT, 30U, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        watch->server ? MHD_get_daemon_info(watch->server, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        error->status = MRC_FOLDER;
        snprintf(error->text, sizeof error->text, "--live: no server can be started on 127.0.0.1: %s",
                 strerror(errno));
        watch_free(watch);
        return NULL;
    }
    snprintf(watch->hosts[0], sizeof watch->hosts[0], "127.0.0.1:%u", (unsigned)info->port);
    snprintf(watch->hosts[1], sizeof watch->hosts[1], "localhost:%u", (unsigned)info->port);
    snprintf(watch->address, sizeof watch->address, "http://%s/%s/live", watch->hosts[0], watch->token);
    return watch;
}

const char *watch_address(const Watch *watch) { return watch->address; }

void watch_progress(Watch *watch, const MrcProgress *now) {
    pthread_mutex_lock(&watch->lock);
    watch->now = *now;
    watch->running = watch->running || strcmp(now->phase, "running") == 0;
    pthread_mutex_unlock(&watch->lock);
}

void watch_end(Watch *watch, const char *message) {
    const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
    if (!watch) return;
    pthread_mutex_lock(&watch->lock);
    watch->ended = true;
    watch->message = strdup(message);
    bool watched = watch->watched, fetched = false;
    pthread_mutex_unlock(&watch->lock);
    for (double waited = 0; watched && !fetched && waited < watch_patience; waited += 0.1) {
        nanosleep(&moment, NULL);
        pthread_mutex_lock(&watch->lock);
        fetched = watch->fetched;
        pthread_mutex_unlock(&watch->lock);
    }
    if (fetched) nanosleep(&(struct timespec){.tv_nsec = 500 * 1000 * 1000}, NULL); // it is still being sent
    watch_free(watch);
}
