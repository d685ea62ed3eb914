// Stability of coupling schemes: each is one linear step of the two-mass oscillator, and its spectral radius
// says whether errors grow. docs/theory/stability.md and docs/theory/condensed.md derive the steps.
#ifndef COUPLING_STABILITY_H
#define COUPLING_STABILITY_H

#include "coupling/scheme.h"

// A radius up to 1 plus this is called stable: Zhang et al. 2020, section 4.3, doi:10.1016/j.mechmachtheory.2020.104181.
#define STABILITY_TOLERANCE 1e-6

// Growth per step: the spectral radius of the scheme's recurrence; NAN when it cannot be found.
double stability_radius(const SchemeType *scheme, const SchemeSettings *settings,
                        const TwoMassParameters *parameters);

#endif
