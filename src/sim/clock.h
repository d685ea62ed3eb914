// Time is counted in whole steps, so that it does not drift: t = step number times step.
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "base/archive.h"

typedef struct Clock {
    double step;   // h [s]
    int64_t now;   // steps done
    int64_t total; // steps to do
} Clock;

// Something that is done at regular intervals: at the first step at or after each multiple of the interval.
typedef struct Alarm {
    double every; // [s]; 0: never
    int64_t next; // how many times it has rung
} Alarm;

static inline double clock_time(const Clock *clock) { return (double)clock->now * clock->step; }

bool alarm_is_due(const Alarm *alarm, const Clock *clock); // is this the first step at or after a multiple?

// True once for each multiple of the interval that has been reached.
bool alarm_rings(Alarm *alarm, const Clock *clock);

void alarm_restart(Alarm *alarm, const Clock *clock); // with another interval: it rings at the next multiple

void clock_archive(Clock *clock, Archive *archive);
void alarm_archive(Alarm *alarm, const char *name, Archive *archive);

#endif
