// A whole simulation as the user asked for it: what the model loader fills and sim_create reads.
#ifndef SIM_DEFINITION_H
#define SIM_DEFINITION_H

#include "coupling/port_definition.h"
#include "grains/definition.h"

typedef struct SimulateDefinition {
    double duration; // [s]
    double step;     // [s]
} SimulateDefinition;

typedef struct RecordDefinition {
    double every;        // sampling interval of series.csv [s]; 0: a thousandth of the duration
    const char **series; // names or groups of signals; none: all
    int series_count;
} RecordDefinition;

typedef struct SimDefinition {
    int64_t format;    // of the model file: 1
    const char *title; // NULL: none
    Vec3 gravity;      // [m/s^2]
    Material *materials;
    int material_count;
    MaterialPair *pairs; // coefficients of pairs of materials
    int pair_count;
    PortDefinition *ports;
    int port_count;
    GrainsDefinition *grains;
    int grains_count;
    SimulateDefinition simulate;
    RecordDefinition record;
    double frames_every;     // picture interval [s]; 0: no pictures
    double checkpoint_every; // simulated time between checkpoints [s]; 0: only by wall clock
} SimDefinition;

#endif
