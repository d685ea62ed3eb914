#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

Progress progress_start(bool quiet) {
    const char *kind = getenv("TERM");
    bool dumb = kind && strcmp(kind, "dumb") == 0; // cannot go back in a line
    return (Progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO) && !dumb};
}

void progress_duration_text(double seconds, char *text, size_t size) {
    long s = (long)(seconds + 0.5);
    if (s < 60) snprintf(text, size, "%ld s", s);
    else if (s < 3600) snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
    else if (s < 48 * 3600) snprintf(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else snprintf(text, size, "%ld days", s / 86400);
}

static void progress_clear_bar(Progress *progress) {
    if (progress->bar_shown) fputs("\r\033[K", stderr);
    progress->bar_shown = false;
}

// The time left, once there is something to judge it by; else empty.
static void progress_left_text(const Progress *progress, const MrcProgress *now, char *text, size_t size) {
    double advanced = now->time - progress->first_time, spent = now->elapsed - progress->first_elapsed;
    double ahead = now->duration - now->time;
    char duration[40];
    *text = '\0';
    if (!(advanced > 0 && spent > 0.5 && ahead >= 0)) return;
    double seconds = spent * ahead / advanced;
    if (seconds > 1e9) return; // too long to be shown, and it need not fit a long
    progress_duration_text(seconds, duration, sizeof duration);
    snprintf(text, size, ", %s left", duration);
}

// A line that wraps cannot be cleared: the bar takes what the terminal's width leaves of it.
static void progress_show_bar(Progress *progress, const MrcProgress *now, double done, const char *text) {
    enum { widest = 30, narrowest = 5 };
    struct winsize window = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) window.ws_col = 80;
    int room = (int)window.ws_col - 1 - (int)strlen(now->phase) - (int)strlen(text) - 4;
    int width = room > widest ? widest : room;
    char bar[widest + 1];
    for (int i = 0; i < width; i++) bar[i] = i < (int)(done * width) ? '#' : '.';
    bar[width > 0 ? width : 0] = '\0';
    if (width >= narrowest) fprintf(stderr, "\r\033[K%s [%s] %s", now->phase, bar, text);
    else fprintf(stderr, "\r\033[K%.*s", (int)window.ws_col - 1, text);
    fflush(stderr);
    progress->bar_shown = true;
}

void progress_show(void *user, const MrcProgress *now) {
    Progress *progress = user;
    if (progress->quiet) return;
    // The duration of settling is unknown, and its limit is no estimate of the time left.
    bool settling = strcmp(now->phase, "settling") == 0;
    if (!progress->started || progress->settling != settling) {
        progress->started = true;
        progress->settling = settling;
        progress->first_time = now->time;
        progress->first_elapsed = progress->last_line = now->elapsed;
    }
    double done = now->duration > 0 && now->time < now->duration ? now->time / now->duration : 1;
    char left[60], text[240];
    progress_left_text(progress, now, left, sizeof left);
    bool starting = strcmp(now->phase, "starting") == 0;
    if (starting) *text = '\0';
    else if (settling) snprintf(text, sizeof text, "t = %.4g s, at most %.4g s", now->time, now->duration);
    else
        snprintf(text, sizeof text, "%3.0f %%, t = %.4g s of %.4g s%s", 100 * done, now->time, now->duration,
                 left);
    if (now->work) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s %lld of %s%lld", length ? ", " : "", now->work,
                 (long long)now->work_done, strcmp(now->work, "grain") == 0 ? "" : "at most ",
                 (long long)now->work_most);
        if (starting) done = (double)now->work_done / (double)now->work_most;
    }
    if (progress->terminal) {
        progress_show_bar(progress, now, done, text);
    } else if (now->elapsed - progress->last_line >= 5) {
        fprintf(stderr, "%s: %s\n", now->phase, text + strspn(text, " "));
        progress->last_line = now->elapsed;
    }
}

void progress_message(void *user, bool warning, const char *text) {
    Progress *progress = user;
    if (progress->quiet && !warning) return;
    progress_clear_bar(progress);
    fprintf(stderr, "%s%s\n", warning ? "warning: " : "", text);
}

void progress_end(Progress *progress) { progress_clear_bar(progress); }
