#include "base/timer.h"

#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_wall(void) { return seconds(CLOCK_MONOTONIC); }

double timer_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
