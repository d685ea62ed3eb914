// Stability of coupling schemes: each is one linear step of the two-mass oscillator, and its spectral radius
// says whether errors grow. docs/theory/stability.md and docs/theory/condensed.md derive the steps.
#ifndef COUPLING_STABILITY_H
#define COUPLING_STABILITY_H

#include <stdbool.h>

#include "coupling/two_mass.h"

typedef enum StabilityScheme {
    STABILITY_LOOSE,
    STABILITY_TIGHT,
    STABILITY_EXPLICIT,
    STABILITY_MULTIRATE,
    STABILITY_CONDENSED,
    STABILITY_MONOLITHIC,
} StabilityScheme;

typedef struct StabilityCoupling {
    StabilityScheme scheme;
    bool jacobi;              // both partners at once, with extrapolated inputs; else one after the other
    int extrapolation;        // of the load, where the mechanism cannot wait: 0 none, 1 linear, 2 quadratic
    bool original;            // explicit: the original inputs instead of alpha, beta, gamma
    Real alpha, beta, gamma_; // explicit: weights of position, velocity, acceleration [1/h^2, 1/h, 1]
} StabilityCoupling;

// A radius up to 1 plus this is called stable: TIGHT section 4.3.
#define STABILITY_TOLERANCE 1e-6

// One step of the coupled system, in place.
void stability_step(const StabilityCoupling *coupling, const TwoMass *system, TwoMassState *state);

// Growth per step: the spectral radius of that step; NAN when it cannot be found.
double stability_radius(const StabilityCoupling *coupling, const TwoMassParameters *parameters);

// By what the error of the load is multiplied in one plain iteration of the tight scheme (negative: it
// alternates); beyond -1 the iteration does not converge, though the scheme it aims at may be stable.
double stability_contraction(const TwoMassParameters *parameters);

#endif
