// Which values of a few variables make a noisy model give what was measured, and which others do so as well.
#ifndef STUDY_CALIBRATE_H
#define STUDY_CALIBRATE_H

#include "study/variable.h"

enum { CALIBRATE_FEATURES_MAX = 64 };

typedef struct CalibrateInterval {
    double best, lower, upper; // places, 0 to 1
    // The data do not bound it there: its range ends, or that of a value to which it is tied.
    bool lower_open, upper_open;
    int stops[2];                  // lower, upper: the variable whose range ends there; -1: none
    double ends[2][VARIABLES_MAX]; // lower, upper: the place of all variables there
} CalibrateInterval;

typedef struct Calibration {
    int variables, features;
    size_t count;          // points that were run
    const double *places;  // of each, `variables` numbers
    const double *means;   // of each, `features` numbers: means over the beds
    const double *data;    // what was measured: `features` numbers
    const double *scatter; // covariance of the features of one bed; all 0: there is no scatter
    const double *noise;   // variance of each of `data` by noise of the measurement; NULL: not known
    int beds;              // that the means are of

    // What calibrate finds.
    CalibrateInterval intervals[VARIABLES_MAX];
    double correlation[VARIABLES_MAX][VARIABLES_MAX];
    int groups[VARIABLES_MAX]; // values with one number are determined together only; 0: it is tied to none
    double fitted[CALIBRATE_FEATURES_MAX]; // what the surrogates give for the best values
    double misfit;                         // deviation of each feature that the scatter does not explain
    double chi_square;                     // of the best values
} Calibration;

bool calibrate(Calibration *c); // false: memory is out

// The places, `variables` numbers each, at which further runs are most informative: likely ones, far from each other
// and from those that were run. *found: how many. False: memory is out.
bool calibrate_propose(const Calibration *c, int count, double *places, int *found);

// After calibrate: the places at and beyond the ends of intervals, at most four for each variable, where no run has
// shown yet whether the surrogates are right about them. *found: how many.
void calibrate_check(const Calibration *c, double *places, int *found);

#endif
