// Has the response to a periodic drive become steady, and in which way?
#ifndef STUDY_STEADY_H
#define STUDY_STEADY_H

#include <stddef.h>

typedef enum SteadyWay {
    STEADY_NOT_REACHED,
    STEADY_PERIODIC,     // every period is like the one before
    STEADY_TWO_PERIODIC, // every period is like the one before the last
    STEADY_STATIONARY,   // periods differ, but their mean no longer drifts
} SteadyWay;

typedef struct SteadyPeriod { // the first harmonic of one period of the drive, and its r.m.s. value
    double cosine, sine, rms;
} SteadyPeriod;

typedef struct SteadyOptions {
    double tolerance; // part of the amplitude that may still be missing
    double scatter;   // stationary: interval of the mean amplitude over the mean, at most
    size_t hold;      // periods for which it must have been within the tolerance
    size_t
        stationary; // periods that are needed to call a response stationary; half as many more are left out before
} SteadyOptions;

typedef struct Steady {
    SteadyWay kind;
    size_t window;                  // last periods that it is about
    double cosine, sine, amplitude; // mean first harmonic of these, |mean|
    double rms;                     // mean r.m.s. value
    double interval;                // half of the 95 % interval of the mean of the amplitudes
} Steady;

SteadyOptions steady_options_default(void); // 1 %, 5 %, 3 periods, 20 periods
Steady steady_judge(const SteadyPeriod *periods, size_t count, const SteadyOptions *options);

#endif
