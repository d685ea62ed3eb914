// A whole simulation as the user asked for it: what the model loader fills and sim_create reads.
// DAMPER is doi:10.3390/pr10071247.
#ifndef SIM_DEFINITION_H
#define SIM_DEFINITION_H

#include "coupling/definition.h"
#include "grains/definition.h"
#include "grains/flow.h"
#include "mechanism/definition.h"
#include "partner/link.h"
#include "partner/port_definition.h"
#include "partner/stops.h"

typedef enum StepSource { STEP_GIVEN, STEP_AUTO } StepSource;

typedef struct SimulateDefinition {
    double duration;   // [s]
    double step;       // [s]; filled in by sim_resolve when it is to be found
    StepSource source; // of the step
    double planned;    // duration that automatic values are made for [s]; 0: `duration`
} SimulateDefinition;

static inline double simulate_planned(const SimulateDefinition *simulate) {
    return simulate->planned > 0 ? simulate->planned : simulate->duration;
}

static inline int64_t simulate_steps(const SimulateDefinition *simulate) {
    return (int64_t)ceil(simulate->duration / simulate->step - 1e-6);
}

// A signal that is a formula of others (derived.h).
typedef struct DerivedDefinition {
    const char *name;
    const char *formula;
} DerivedDefinition;

typedef struct RecordDefinition {
    double every;        // sampling interval of series.csv [s]; 0: a thousandth of the duration
    const char **series; // names or groups of signals; none: all
    int series_count;
    bool end; // write the grains of each bed at the end, for another model to begin with
    DerivedDefinition *derived;
    int derived_count;
    ExpressionScope scope; // constants and inputs that formulas may use
} RecordDefinition;

// In whose axes frames are.
typedef enum FrameAxes {
    FRAMES_WORLD,
    FRAMES_BOTH, // those of the world, and each bed beside it in those of the port that carries it
} FrameAxes;

// What is measured over each period of a port's motion (DAMPER 2.3).
typedef struct PeriodsDefinition {
    const char *port;  // name; NULL: periods are not looked at
    double frequency;  // [Hz]; filled in by sim_resolve when it is to be found
    double mass_ratio; // mu: mass of the grains over that of the vibrating system
    int64_t skip;      // periods left out of mean and deviation
} PeriodsDefinition;

typedef struct SimDefinition {
    int64_t format;          // of the model file: 1
    const char *title;       // NULL: none
    Vec3 gravity;            // [m/s^2]
    InputDefinition *inputs; // external quantities
    int input_count;
    Material *materials;
    int material_count;
    MaterialPair *pairs; // coefficients of pairs of materials
    int pair_count;
    MechanismDefinition mechanism;
    bool has_mechanism;
    PortDefinition *ports;
    int port_count;
    union { // the same under two names: all beds, for their partner, and the list of them
        BedsDefinition beds;
        struct {
            GrainsDefinition *grains;
            int grains_count;
        };
    };
    FlowDefinition flow; // inlets, outlets, meters
    StopsDefinition stops;
    LinkDefinition *links; // partners that are other programs
    int link_count;
    CouplingDefinition coupling;
    SimulateDefinition simulate;
    RecordDefinition record;
    PeriodsDefinition periods;
    double frames_every; // between two frames [s]; 0: none
    FrameAxes frames_axes;
    double checkpoint_every; // simulated time between checkpoints [s]; 0: only by wall clock
} SimDefinition;

#endif
