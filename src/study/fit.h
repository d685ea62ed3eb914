// What a fit compares a model with: features of measured data, and the same features of runs. One row per kind of data.
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "study/calibrate.h"

enum { FIT_OVERRIDES_MAX = 3, FIT_NAME_SIZE = 40 };

typedef struct FitData FitData;

typedef struct FitKind {
    const char *noun; // what a run gives: "decay"
    int rounds;       // of runs, when nothing else is asked for
    // Reads the table: fills all that is below `column`.
    MrcStatus (*read)(FitData *data, const char *path, const MrcModel *model, MrcError *error);
    // What run number `run` of a place needs beside its values: how many, in the data's arena; -1: memory is out.
    int (*overrides)(const FitData *data, int run, const char *overrides[FIT_OVERRIDES_MAX]);
    // The features of one run, `count / runs` of them.
    MrcStatus (*run)(const FitData *data, const StudyJob *job, double *features, MrcError *error);
} FitKind;

struct FitData {
    const FitKind *kind;
    const MrcFitOptions *options;
    Arena *arena;
    const char *column;                        // of frequencies; NULL: the data is over time
    int count;                                 // features
    int runs;                                  // that a place takes with one bed
    double values[CALIBRATE_FEATURES_MAX];     // of the data
    double noise[CALIBRATE_FEATURES_MAX];      // their variances by the noise of the measurement
    const char *names[CALIBRATE_FEATURES_MAX]; // of the features, as facts
    // Amplitudes over time or frequency, for the table of the fit: the first `levels` features are their logarithms.
    int levels;
    double at[CALIBRATE_FEATURES_MAX]; // [s] or [Hz]
    const char *unit;                  // of the amplitudes
    const double *numbers;             // of each run: what its point is given
    const StudyColumn *run_column;     // what distinguishes the runs of a place; NULL: there is one only
    const StudyValue *run_labels;      // of each
    uint64_t identity;                 // of all that changes features beside the model
    const void *self;                  // of the kind
};

extern const FitKind fit_decay, fit_response;

#endif
