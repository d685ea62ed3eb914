#include "sim/clock.h"

#include <math.h>

// Multiples of the interval. A millionth of a step of tolerance: 10 steps of 0.1 ms are 1 ms whatever the last digit says.
static double clock_alarm_reached(const Alarm *alarm, const Clock *clock) {
    double reached = (clock_time(clock) + 1e-6 * clock->step) / alarm->every;
    return fmin(reached,
                (double)ARCHIVE_COUNT_MOST); // of the shortest intervals: it is counted in whole numbers
}

bool alarm_is_due(const Alarm *alarm, const Clock *clock) {
    Clock before = *clock;
    before.now--;
    if (!(alarm->every > 0)) return false;
    return clock->now == 0 ||
           floor(clock_alarm_reached(alarm, clock)) > floor(clock_alarm_reached(alarm, &before));
}

bool alarm_rings(Alarm *alarm, const Clock *clock) {
    if (!(alarm->every > 0)) return false;
    double reached = clock_alarm_reached(alarm, clock);
    if ((double)alarm->next > reached) return false;
    alarm->next = (int64_t)floor(reached) + 1;
    return true;
}

void alarm_restart(Alarm *alarm, const Clock *clock) {
    alarm->next = alarm->every > 0 ? (int64_t)floor(clock_alarm_reached(alarm, clock)) + 1 : 0;
}

void clock_archive(Clock *clock, Archive *archive) { archive_counts(archive, "step", &clock->now, 1); }

void alarm_archive(Alarm *alarm, const char *name, Archive *archive) {
    archive_counts(archive, name, &alarm->next, 1);
}
