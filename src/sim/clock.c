#include "sim/clock.h"

#include <math.h>

bool alarm_rings(Alarm *alarm, const Clock *clock) {
    if (!(alarm->every > 0)) return false;
    // A millionth of a step of tolerance: 10 steps of 0.1 ms are 1 ms whatever the last digit says.
    double reached = (clock_time(clock) + 1e-6 * clock->step) / alarm->every;
    if ((double)alarm->next > reached) return false;
    alarm->next = (int64_t)floor(reached) + 1;
    return true;
}

void clock_archive(Clock *clock, Archive *archive) { archive_int64s(archive, "step", &clock->now, 1); }

void alarm_archive(Alarm *alarm, const char *name, Archive *archive) {
    archive_int64s(archive, name, &alarm->next, 1);
}
