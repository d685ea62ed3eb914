// One instance of an FMU made by `maraca export`: a live simulation behind numbered variables. fmi2.c and fmi3.c are the
// two faces of it.
//
// resources/interface.txt says which variables there are, one a line, numbered from 0 on: that number is the value
// reference. It is written by src/analysis/export.c.
//
//     maraca-fmu 1 TOKEN
//     driven PORT PARTNER          a port that is moved from outside
//     loaded PORT                  a port that is loaded from outside
//     time
//     parameter NAME VALUE UNIT    a constant of the model; UNIT in SI, or -
//     threads 1
//     ahead 0
//     input NAME VALUE
//     motion PORT COMPONENT VALUE  of a driven port: x, rotation vector, v, w, a, angular acceleration (0 ... 17)
//     mobility PARTNER ROW COLUMN  of the driven ports of a partner
//     load PORT COMPONENT          on a loaded port: force, moment (0 ... 5)
//     signal NAME
//     pose PORT COMPONENT          of a loaded port: rotation vector, angular acceleration (0 ... 5)
//
// Ports and partners are counted from 0 on, in the order of their lines.
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <stdarg.h>

#include "fmu/outside.h"

typedef enum FmuKind {
    FMU_TIME,
    FMU_PARAMETER,
    FMU_THREADS,
    FMU_AHEAD,
    FMU_INPUT,
    FMU_MOTION,
    FMU_MOBILITY,
    FMU_LOAD,
    FMU_SIGNAL,
    FMU_POSE
} FmuKind;

typedef struct FmuVariable {
    FmuKind kind;
    char name[120];
    char unit[60];          // of a parameter
    int group, row, column; // port or partner, and which of its numbers
    int handle;             // of an input or a signal of the simulation
} FmuVariable;

typedef enum FmuSeverity { FMU_SAYS, FMU_WARNS, FMU_FAILS } FmuSeverity;
typedef void (*FmuLog)(void *user, FmuSeverity severity, const char *text);

typedef struct FmuInstance {
    char token[60];
    char folder[4096]; // resources
    FmuLog log;
    void *user;
    FmuVariable *variables;
    double *values; // as set, or as they begin
    bool *given;    // they were set
    int count;
    Outside outside;
    MrcModel *model;
    MrcSim *sim;  // NULL: not needed yet, or its parameters have changed since
    bool running; // initialised: parameters can no longer be set
    bool broken;  // a step failed: a state must be restored
    double start; // time of the environment at t = 0 [s]
    double last;  // time up to which the last step came [s]
} FmuInstance;

// NULL: the log says why.
FmuInstance *fmu_create(const char *token, const char *folder, FmuLog log, void *user);
void fmu_free(FmuInstance *instance);
void fmu_say(const FmuInstance *instance, FmuSeverity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The simulation stands at its beginning, with the values set so far. False: the log says why; so it is for all of these.
bool fmu_start(FmuInstance *instance);
void fmu_reset(FmuInstance *instance); // as after its creation

bool fmu_get(FmuInstance *instance, uint32_t reference, double *value);
bool fmu_set(FmuInstance *instance, uint32_t reference, double value);
bool fmu_is(const FmuInstance *instance, uint32_t reference,
            FmuKind kind); // of a variable that is no real number

// Whole steps of the model from t on, at most to t + h; `last` says how far it got.
bool fmu_step(FmuInstance *instance, double t, double h);
// Is t + h a whole number of the model's steps away?
bool fmu_step_fits(FmuInstance *instance, double h);

// Of the outputs of loaded ports by the loads on them, over the last step.
bool fmu_derivative(FmuInstance *instance, const uint32_t *unknowns, size_t unknown_count,
                    const uint32_t *knowns, size_t known_count, const double *seed, double *sensitivity);

typedef struct FmuState FmuState;
bool fmu_save(FmuInstance *instance, FmuState **state); // *state NULL: a new one
bool fmu_restore(FmuInstance *instance, FmuState *state);
void fmu_state_free(FmuState *state);
size_t fmu_state_size(const FmuState *state);
bool fmu_state_pack(FmuInstance *instance, const FmuState *state, void *bytes, size_t size);
bool fmu_state_unpack(FmuInstance *instance, const void *bytes, size_t size, FmuState **state);

#endif
