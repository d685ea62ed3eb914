// Coupling schemes: one file scheme_NAME.c and one row in SCHEME_TYPES each.
//
// The row holds all that the rest of the program needs of a scheme: its step, what it needs of the partners, when
// loads arrive, its recurrence for `maraca stability`, and its words for `maraca advise` and for messages.
#ifndef COUPLING_SCHEME_H
#define COUPLING_SCHEME_H

#include "base/error.h"
#include "coupling/definition.h"
#include "coupling/two_mass.h"
#include "schema/schema.h"

// One row per scheme: src/coupling/scheme_NAME.c defines scheme_NAME. The first is the default, the second the one that
// `maraca certify` compares it with.
#define SCHEME_TYPES(ROW)                                                                                    \
    ROW(condensed)                                                                                           \
    ROW(tight)                                                                                               \
    ROW(explicit)                                                                                            \
    ROW(loose)                                                                                               \
    ROW(staggered)                                                                                           \
    ROW(multirate)                                                                                           \
    ROW(overlapped)                                                                                          \
    ROW(monolithic)

struct Coupling;

// What of `coupling:` the behaviour of a scheme depends on.
typedef struct SchemeSettings {
    bool jacobi;       // both sides at once, from what is known at the beginning; else one after the other
    int extrapolation; // of the load, where the mechanism goes first: 0 none, 1 linear, 2 quadratic
    bool original;     // explicit: the original inputs instead of alpha, beta, gamma
    Real alpha, beta, gamma_; // explicit: weights of position, velocity, acceleration [1/h^2, 1/h, 1]
} SchemeSettings;

// One step of the two-mass oscillator (two_mass.h), in place.
typedef void SchemeRecurrence(const SchemeSettings *settings, const TwoMass *system, TwoMassState *state);

// One exchange step of h: everything but the commit.
typedef MrcStatus SchemeStep(struct Coupling *coupling, double h, MrcError *error);

// Options of `maraca stability` that mean something to a scheme.
enum {
    SCHEME_INPUTS = 1,
    SCHEME_ORDER = 2,
    SCHEME_SUBSTEPS = 4,
    SCHEME_EXTRAPOLATION = 8,
    SCHEME_CONTACT = 16
};

// A scheme with settings that `maraca advise` judges.
typedef struct SchemeVariant {
    const char *name; // NULL ends the list
    SchemeSettings settings;
} SchemeVariant;

typedef struct SchemeType {
    SchemaChoice choice; // its word in the model file, and what it does
    SchemeStep *step;
    bool needs_mobility, needs_euler, needs_restore; // of the partners (partner/partner.h)
    // Both sides are solved together: impulses make velocities jump, and the exchange makes no error.
    bool one_problem;
    bool rebounds; // restitution acts after the step (exchange_rebound)
    bool carries;  // containers fixed to the mechanism are bodies of it (sim/carried.h)
    // The followers use the motion that the driver predicted and nothing else: loads are about the predicted origins.
    bool by_prediction;
    bool late; // loads, or a part of them, reach the driver one step late, whatever the order
    size_t (*history_size)(int ports); // numbers in Coupling.history, with ports that yield; NULL: none
    bool (*history_fits)(
        const double *history); // from a file: could the scheme have left it? NULL: any numbers
    unsigned options;
    SchemeSettings (*settings)(const CouplingDefinition *definition); // NULL: all zero
    SchemeRecurrence *recurrence;
    const char *alias;             // in `maraca stability`: the same in Jacobi order; NULL: none
    const SchemeVariant *variants; // the first one is the default
    // By what one plain round of its iteration multiplies the error of the load; NULL: it does not iterate.
    double (*contraction)(const TwoMassParameters *parameters);
    const char *(*setting_words)(const CouplingDefinition *definition); // NULL: nothing to say
    const char *instead;                                                // what to use when it diverges
    const char *caution;                 // what no map of a link shows, for `maraca stability`; NULL: nothing
    double caution_rho, caution_omega_h; // said of maps that go beyond both
} SchemeType;

#define SCHEME_DECLARE(name) extern const SchemeType scheme_##name;
SCHEME_TYPES(SCHEME_DECLARE)
#undef SCHEME_DECLARE

extern const SchemeType *const scheme_types[]; // ends with NULL; the first is the default
int scheme_find(const char *name);             // its place in the table; -1: none
const SchemeType *scheme_of(const CouplingDefinition *definition);
SchemeSettings scheme_settings(const SchemeType *scheme, const CouplingDefinition *definition);

// ---- for recurrences -----------------------------------------------------------------------------
Real recurrence_extrapolated(const SchemeSettings *settings,
                             const TwoMassState *state); // load of the coming step
// The mechanism's step under the load of the grains' step just done or, in Jacobi order, of those before.
void recurrence_mechanism(const SchemeSettings *settings, const TwoMass *system, TwoMassState *state,
                          Real load);

#endif
