#include "base/watch.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/timer.h"

static _Thread_local Watch *watch_current;

static const double watch_interval = 0.2; // between reports [s]

Watch *watch_set(Watch *watch) {
    Watch *before = watch_current;
    watch_current = watch;
    return before;
}

bool watch_stopped(void) {
    const Watch *watch = watch_current;
    if (!watch || !watch->stop || !*watch->stop) return false;
    return watch->patience == 0 || timer_wall() >= watch->patience;
}

bool watch_stops(const char *work, int64_t done, int64_t most) {
    Watch *watch = watch_current;
    if (watch_stopped()) return true;
    if (!watch || !watch->report) return false;
    double now = timer_wall();
    if (now - watch->last < watch_interval) return false;
    watch->last = now;
    watch->report(watch->user, work, done, most);
    return false;
}

MrcStatus watch_error(MrcError *error, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, MRC_INTERRUPTED, "while %s", text);
}
