#include "cli/live_page.h"

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

enum {
    token_bytes = 16,
    live_page_connections = 16,
    live_page_not_allowed = 405, // status of HTTP: neither GET nor POST belongs here
};
static const double live_page_budget = 4e6;  // of the data in the page [bytes]
static const double live_page_patience = 10; // for a browser to fetch the report [s]

struct LivePage {
    struct MHD_Daemon *server;
    char *folder;
    char token[2 * token_bytes + 1], hosts[2][40], address[120];
    pthread_mutex_t lock; // of what follows
    MrcProgress now;
    bool running, ended, watched, fetched; // watched: a browser asked for the state; fetched: for the report
    char *message;                         // how it ended
};

// ---- what is sent --------------------------------------------------------------------------------
static enum MHD_Result live_page_send(struct MHD_Connection *connection, unsigned code, const char *type,
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

static enum MHD_Result live_page_send_text(struct MHD_Connection *connection, unsigned code, const char *type,
                                           const char *text) {
    return live_page_send(connection, code, type, (void *)text, strlen(text), MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result live_page_refuse(struct MHD_Connection *connection, unsigned code) {
    return live_page_send_text(connection, code, "text/plain", "refused\n");
}

// The whole of a file; NULL: it cannot be read.
static char *live_page_read(const char *path, size_t *count) {
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
static const char live_page_waiting[] =
    "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
    "http-equiv=\"refresh\" content=\"1\">"
    "<link rel=\"icon\" href=\"data:,\"><title>Maraca</title></head><body><p "
    "role=\"status\">The run is being prepared.</p></body></html>\n";

// The page of the folder as it is now, or its data alone. Files grow by whole lines and whole frames.
static enum MHD_Result live_page_send_page(LivePage *live, struct MHD_Connection *connection,
                                           bool data_only) {
    char folder[] = "/tmp/maraca-live-XXXXXX", path[sizeof folder + 20];
    MrcReportOptions options = mrc_report_options_default();
    MrcError error;
    size_t count = 0;
    if (!mkdtemp(folder)) return live_page_refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR);
    snprintf(path, sizeof path, "%s/page.html", folder);
    options.path = path;
    options.budget = live_page_budget;
    char *page = mrc_report(live->folder, &options, &error) == MRC_OK ? live_page_read(path, &count) : NULL;
    unlink(path);
    rmdir(folder);
    if (!page)
        return live_page_send_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", live_page_waiting);
    char *begin = data_only ? strstr(page, "<script type=\"application/json\" id=\"data-") : page;
    if (begin && begin != page) memmove(page, begin, count -= (size_t)(begin - page));
    return live_page_send(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page, begin ? count : 0,
                          MHD_RESPMEM_MUST_FREE);
}

static void live_page_report_path(const LivePage *live, char *path, size_t size) {
    snprintf(path, size, "%s/report.html", live->folder);
}

static enum MHD_Result live_page_send_report(LivePage *live, struct MHD_Connection *connection) {
    char path[1100];
    size_t count;
    live_page_report_path(live, path, sizeof path);
    char *page = live_page_read(path, &count);
    if (!page) return live_page_refuse(connection, MHD_HTTP_NOT_FOUND);
    return live_page_send(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page, count,
                          MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result live_page_send_state(LivePage *live, struct MHD_Connection *connection) {
    char text[2000], path[1100];
    live_page_report_path(live, path, sizeof path);
    pthread_mutex_lock(&live->lock);
    live->watched = true;
    char *message = mrc_json_quoted(live->message ? live->message : "");
    snprintf(text, sizeof text,
             "{\"phase\": \"%s\", \"time\": %.9g, \"duration\": %.9g, \"elapsed\": %.3f, \"ended\": %s, "
             "\"report\": %s, \"message\": %s}\n",
             live->now.phase ? live->now.phase : "starting", live->now.time, live->now.duration,
             live->now.elapsed, live->ended ? "true" : "false",
             live->ended && access(path, R_OK) == 0 ? "true" : "false",
             message && strlen(message) < 1500 ? message : "\"\"");
    pthread_mutex_unlock(&live->lock);
    mrc_text_free(message);
    return live_page_send_text(connection, MHD_HTTP_OK, "application/json", text);
}

// ---- requests ------------------------------------------------------------------------------------
// In a time that does not depend on where they differ.
static bool live_page_is_token(const LivePage *live, const char *text) {
    unsigned different = 0;
    for (size_t i = 0; i < 2 * token_bytes; i++) {
        if (!text[i]) return false;
        different |= (unsigned char)(text[i] ^ live->token[i]);
    }
    return different == 0 && text[2 * token_bytes] == '/';
}

static bool live_page_is_own(const LivePage *live, struct MHD_Connection *connection) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    for (int k = 0; host && k < 2; k++) {
        if (strcmp(host, live->hosts[k]) != 0) continue;
        return !origin || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, live->hosts[k]) == 0);
    }
    return false;
}

static enum MHD_Result live_page_answer(void *user, struct MHD_Connection *connection, const char *path,
                                        const char *method, const char *version, const char *upload,
                                        size_t *upload_size, void **request) {
    LivePage *live = user;
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
    if (!live_page_is_own(live, connection) || path[0] != '/' || !live_page_is_token(live, path + 1))
        return live_page_refuse(connection, MHD_HTTP_FORBIDDEN);
    const char *name = path + 1 + 2 * token_bytes;
    if (strcmp(name, "/stop") == 0) {
        if (strcmp(method, "POST") != 0) return live_page_refuse(connection, live_page_not_allowed);
        signals_stop = 1;
        return live_page_send_text(connection, MHD_HTTP_ACCEPTED, "text/plain", "stopping\n");
    }
    if (strcmp(method, "GET") != 0) return live_page_refuse(connection, live_page_not_allowed);
    pthread_mutex_lock(&live->lock);
    bool running = live->running, ended = live->ended;
    if (ended && strcmp(name, "/report") == 0) live->fetched = true;
    pthread_mutex_unlock(&live->lock);
    if (strcmp(name, "/state") == 0) return live_page_send_state(live, connection);
    if (strcmp(name, "/report") == 0 && ended) return live_page_send_report(live, connection);
    if (strcmp(name, "/live") == 0 && !running)
        return live_page_send_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", live_page_waiting);
    if (strcmp(name, "/live") == 0) return live_page_send_page(live, connection, false);
    if (strcmp(name, "/data") == 0 && running) return live_page_send_page(live, connection, true);
    return live_page_refuse(connection, MHD_HTTP_NOT_FOUND);
}

// ---- from outside --------------------------------------------------------------------------------
static void live_page_free(LivePage *live) {
    if (live->server) MHD_stop_daemon(live->server);
    pthread_mutex_destroy(&live->lock);
    free(live->folder);
    free(live->message);
    free(live);
}

static bool live_page_make_token(LivePage *live) {
    unsigned char bytes[token_bytes];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int i = 0; i < token_bytes; i++) sprintf(live->token + 2 * i, "%02x", bytes[i]);
    return true;
}

LivePage *live_page_start(const char *folder, MrcError *error) {
    LivePage *live = calloc(1, sizeof *live);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    error->status = MRC_MEMORY;
    snprintf(error->text, sizeof error->text, "no memory left");
    if (!live) return NULL;
    pthread_mutex_init(&live->lock, NULL);
    live->folder = strdup(folder);
    if (live->folder && live_page_make_token(live))
        live->server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, live_page_answer,
                                        live, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place,
                                        MHD_OPTION_CONNECTION_LIMIT, (unsigned)live_page_connections,
                                        MHD_OPTION_CONNECTION_TIMEOUT, 30U, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        live->server ? MHD_get_daemon_info(live->server, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        error->status = MRC_FOLDER;
        snprintf(error->text, sizeof error->text, "--live: no server can be started on 127.0.0.1: %s",
                 strerror(errno));
        live_page_free(live);
        return NULL;
    }
    snprintf(live->hosts[0], sizeof live->hosts[0], "127.0.0.1:%u", (unsigned)info->port);
    snprintf(live->hosts[1], sizeof live->hosts[1], "localhost:%u", (unsigned)info->port);
    snprintf(live->address, sizeof live->address, "http://%s/%s/live", live->hosts[0], live->token);
    return live;
}

const char *live_page_address(const LivePage *live) { return live->address; }

void live_page_progress(LivePage *live, const MrcProgress *now) {
    pthread_mutex_lock(&live->lock);
    live->now = *now;
    live->running = live->running || strcmp(now->phase, "running") == 0;
    pthread_mutex_unlock(&live->lock);
}

void live_page_end(LivePage *live, const char *message) {
    const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
    if (!live) return;
    pthread_mutex_lock(&live->lock);
    live->ended = true;
    live->message = strdup(message);
    bool watched = live->watched, fetched = false, stopped = signals_stop;
    pthread_mutex_unlock(&live->lock);
    for (double waited = 0; watched && !fetched && waited < live_page_patience; waited += 0.1) {
        if (signals_stop && !stopped) break; // Ctrl-C after the run's end
        nanosleep(&moment, NULL);
        pthread_mutex_lock(&live->lock);
        fetched = live->fetched;
        pthread_mutex_unlock(&live->lock);
    }
    if (fetched) nanosleep(&(struct timespec){.tv_nsec = 500 * 1000 * 1000}, NULL); // it is still being sent
    live_page_free(live);
}
