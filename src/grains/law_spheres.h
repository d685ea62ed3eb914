// What the normal laws of two elastic spheres share: Hertz's spring, and a damping on top of it that acts at the middle of
// the step (law_linear.c) and never makes the contact pull.
//
//     f = max(0, (K a s + c ds/dt)/(1 + c h/(2 m))),   a = sqrt(R s)
#ifndef GRAINS_LAW_SPHERES_H
#define GRAINS_LAW_SPHERES_H

#include "grains/law.h"

typedef struct SphereSpring {
    Wide overlap; // s [m]
    Wide contact; // a [m]
    Wide secant;  // K a [N/m]
    Wide force;   // K a s [N]
    Wide energy;  // of the spring [J]
} SphereSpring;

static inline SphereSpring law_spheres_spring(const ContactBatch *b, const LawTable *table, int k) {
    Wide modulus = law_parameter(table, LAW_STIFFNESS, b, k), overlap = wide_load(b->overlap + k);
    Wide contact = wide_quick_sqrt(wide_load(b->radius + k) * overlap);
    Wide secant = modulus * contact, force = secant * overlap;
    return (SphereSpring){overlap, contact, secant, force, wide_set(0.4) * force * overlap};
}

// `damping`: c, its mean over the step; NULL: none.
static inline void law_spheres_store(ContactBatch *b, int k, const SphereSpring *spring,
                                     const Wide *damping) {
    Wide force = spring->force, recorded = spring->force;
    if (damping) {
        Wide mass = wide_load(b->mass + k), approach = wide_load(b->approach + k), h = wide_set(b->step);
        force =
            (spring->force + *damping * approach) / (wide_set(1) + wide_set(0.5 * b->step) * *damping / mass);
        force = wide_max(force, wide_set(0));
        recorded =
            law_ledger_spring(spring->overlap, approach, h, mass, spring->force, spring->energy, force);
    }
    wide_store(b->spring + k, recorded);
    wide_store(b->normal + k, force);
    wide_store(b->contact + k, spring->contact);
    wide_store(b->stiffness + k, wide_set(1.5) * spring->secant);
    wide_store(b->energy + k, spring->energy);
}

#endif
