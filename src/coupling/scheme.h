// Coupling schemes: one file scheme_NAME.c and one row in the table of scheme.c each.
//
// The row says all that others ask about a scheme: its step, what it needs of the partners, when loads arrive, its
// recurrence for `maraca stability`, and its words for `maraca advise` and for messages.
#ifndef COUPLING_SCHEME_H
#define COUPLING_SCHEME_H

#include "base/error.h"
#include "coupling/definition.h"
#include "coupling/two_mass.h"
#include "schema/schema.h"

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
enum { SCHEME_INPUTS = 1, SCHEME_ORDER = 2, SCHEME_SUBSTEPS = 4, SCHEME_EXTRAPOLATION = 8 };

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
    bool late;     // loads reach the driver a step later than they come, in any order
    unsigned options;
    SchemeSettings (*settings)(const CouplingDefinition *definition); // NULL: all zero
    SchemeRecurrence *recurrence;
    const char *alias;             // in `maraca stability`: the same in Jacobi order; NULL: none
    const SchemeVariant *variants; // the first one is the default
    // By what one plain round of its iteration multiplies the error of the load; NULL: it does not iterate.
    double (*contraction)(const TwoMassParameters *parameters);
    const char *(*setting_words)(const CouplingDefinition *definition); // NULL: nothing to say
    const char *instead;                                                // what to use when it diverges
} SchemeType;

extern const SchemeType scheme_condensed, scheme_tight, scheme_explicit, scheme_loose, scheme_multirate,
    scheme_overlapped, scheme_monolithic;

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
