#include "cli/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

volatile int signals_stop;

static volatile sig_atomic_t signals_told;
static char signals_message[120], signals_json[120];

static double signals_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void signals_on_stop(int signal_number) {
    static const char text[] = "\nstopping; once more stops at once\n";
    static double first; // [s]
    // A second Ctrl-C does not wait. But `timeout`, `make` and shells may pass on the same one twice.
    if (signals_stop && signals_seconds() - first > 0.5) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    if (signals_stop) return;
    first = signals_seconds();
    if (signals_told && write(STDERR_FILENO, text, sizeof text - 1) < 0) signals_told = 0;
    signals_stop = 1;
}

static void signals_on_end(int signal_number) {
    (void)signal_number;
    ssize_t ignored = write(STDERR_FILENO, signals_message, strlen(signals_message));
    ignored += write(STDOUT_FILENO, signals_json, strlen(signals_json));
    (void)ignored;
    _exit(1);
}

static void signals_set(void (*handler)(int)) {
    // Reads and writes that a signal breaks into are taken up again.
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // The terminal was closed: stop as well, unless started under nohup.
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

void signals_catch(bool told) {
    signals_told = told;
    signals_set(signals_on_stop);
    // The reader of the progress may be closed; the simulation goes on.
    signal(SIGPIPE, SIG_IGN);
}

void signals_end_at_once(const char *command, bool json) {
    static const char text[] = "before the simulation began";
    snprintf(signals_message, sizeof signals_message, "maraca %s: stopped by the user: %s\n", command, text);
    if (json)
        snprintf(signals_json, sizeof signals_json, "{\"status\": \"INTERRUPTED\", \"message\": \"%s\"}\n",
                 text);
    signals_set(signals_on_end);
}
