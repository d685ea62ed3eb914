#include "base/timer.h"

#include <time.h>

static double timer_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_wall(void) { return timer_seconds(CLOCK_MONOTONIC); }

double timer_cpu(void) { return timer_seconds(CLOCK_PROCESS_CPUTIME_ID); }
