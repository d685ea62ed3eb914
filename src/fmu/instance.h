// One instance of an FMU made of a model: a live simulation behind numbered variables.
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

#include "fmu/face.h"
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

struct FmuInstance {
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
};

#endif
