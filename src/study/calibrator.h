// Surrogates of all features of a fit, how far they may be off together, and the chi^2 that follows at a place.
#ifndef STUDY_CALIBRATOR_H
#define STUDY_CALIBRATOR_H

#include "study/calibrate.h"
#include "study/surrogate.h"

typedef struct Calibrator {
    const Calibration *c;
    Surrogate surrogates[CALIBRATE_FEATURES_MAX];
    double axes[VARIABLES_MAX][VARIABLES_MAX]; // of the surrogates: rows, orthonormal
    double *places;                            // of the points, along these axes
    double *columns;                           // values of each feature, side by side
    double *variances;                         // of these
    // How far surrogates are off: covariance of their errors, each in the deviation that its surrogate states.
    double errors[CALIBRATE_FEATURES_MAX][CALIBRATE_FEATURES_MAX];
    double misfit;
} Calibrator;

bool calibrator_make(Calibrator *k, const Calibration *c); // false: memory is out
void calibrator_free(Calibrator *k);

double calibrator_mean(const Calibrator *k, int feature, const double *place);
double calibrator_chi_square(const Calibrator *k, const double *place);

// Moves to where chi^2 is smallest nearby, `held` (-1: none) staying as it is. Returns chi^2 there.
double calibrator_descend(const Calibrator *k, double *place, int held);

#endif
