#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

Progress progress_start(bool quiet) { return (Progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO)}; }

static void duration_text(double seconds, char *text, size_t size) {
    long s = (long)(seconds + 0.5);
    if (s < 60) snprintf(text, size, "%ld s", s);
    else if (s < 3600) snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
    else snprintf(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
}

static void clear_bar(Progress *progress) {
    if (progress->bar_shown) fputs("\r\033[K", stderr);
    progress->bar_shown = false;
}

void progress_show(void *user, const MrcProgress *now) {
    enum { bar_width = 30 };
    Progress *progress = user;
    if (progress->quiet) return;
    if (!progress->started) {
        progress->started = true;
        progress->first_time = now->time;
        progress->first_elapsed = progress->last_line = now->elapsed;
    }
    double done = now->duration > 0 ? now->time / now->duration : 1;
    double advanced = now->time - progress->first_time, spent = now->elapsed - progress->first_elapsed;
    char left[40] = "";
    if (advanced > 0 && spent > 0.5) {
        duration_text(spent * (now->duration - now->time) / advanced, left, sizeof left);
        strcat(left, " left");
    }
    if (progress->terminal) {
        char bar[bar_width + 1];
        int filled = (int)(done * bar_width);
        for (int i = 0; i < bar_width; i++) bar[i] = i < filled ? '#' : '.';
        bar[bar_width] = '\0';
        fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  t = %.4g s of %.4g s  %s", now->phase, bar, 100 * done,
                now->time, now->duration, left);
        fflush(stderr);
        progress->bar_shown = true;
    } else if (now->elapsed - progress->last_line >= 5) {
        fprintf(stderr, "%s: %.0f %%, t = %.4g s of %.4g s, %s\n", now->phase, 100 * done, now->time,
                now->duration, left);
        progress->last_line = now->elapsed;
    }
}

void progress_message(void *user, bool warning, const char *text) {
    Progress *progress = user;
    if (progress->quiet && !warning) return;
    clear_bar(progress);
    fprintf(stderr, "%s%s\n", warning ? "warning: " : "", text);
}

void progress_end(Progress *progress) { clear_bar(progress); }
