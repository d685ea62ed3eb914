#include "coupling/two_mass.h"

#include "math/two_step.h"

TwoMass two_mass(const TwoMassParameters *p) {
    TwoStep c = two_step(p->rho_inf);
    Real w = p->omega_h, xi1 = p->xi1, w2 = w * p->frequency_ratio, xi2 = xi1 * p->damping_ratio;
    TwoMass s = {
        .m2 = p->mass_ratio, .k1 = w * w, .c1 = 2 * xi1 * w, .a2 = c.a2, .b0 = c.b0, .substeps = p->substeps};
    s.k2 = s.m2 * w2 * w2;
    s.c2 = 2 * s.m2 * w2 * xi2;
    s.contact_k = s.m2 * (Real)p->contact_omega_h * (Real)p->contact_omega_h;
    s.contact_c = 2 * s.m2 * (Real)p->contact_omega_h * (Real)p->contact_damping;
    // The other three by the conditions of order zero, one and two, which then hold to the last digit of a
    // Real: free motion has the double eigenvalue 1.
    s.a1 = 1 - s.a2;
    s.b2 = s.b0 - (1 - s.a2) / 2;
    s.b1 = 1 + s.a2 - s.b0 - s.b2;
    s.uneven = two_step_uneven(&c);
    s.newton = 1 + s.b0 * s.c1 + s.b0 * s.b0 * s.k1;
    return s;
}

// The part of the two-step formula that is known at the start of the step.
static Real two_mass_known(const TwoMass *s, Real y, Real y_old, Real rate, Real rate_old) {
    return s->a1 * y + s->a2 * y_old + s->b1 * rate + s->b2 * rate_old;
}

TwoMassMotion two_mass_predict(const TwoMass *s, const TwoMassState *z) {
    Real v = -12 * (z->x1 - z->x1_old) + 8 * z->v1 + 5 * z->v1_old;
    return (TwoMassMotion){
        .x = two_mass_known(s, z->x1, z->x1_old, z->v1, z->v1_old) + s->b0 * v, .v = v, .a = z->a1};
}

// a = load - k1 x - c1 v with x = known_x + b0 v, v = known_v + b0 a.
TwoMassMotion two_mass_mechanism(const TwoMass *s, const TwoMassState *z, Real load) {
    Real known_x = two_mass_known(s, z->x1, z->x1_old, z->v1, z->v1_old);
    Real known_v = two_mass_known(s, z->v1, z->v1_old, z->a1, z->a1_old);
    Real a = (load - s->k1 * (known_x + s->b0 * known_v) - s->c1 * known_v) / s->newton;
    Real v = known_v + s->b0 * a;
    return (TwoMassMotion){.x = known_x + s->b0 * v, .v = v, .a = a};
}

void two_mass_accept(TwoMassState *z, TwoMassMotion motion) {
    z->x1_old = z->x1, z->v1_old = z->v1, z->a1_old = z->a1;
    z->x1 = motion.x, z->v1 = motion.v, z->a1 = motion.a;
}

Real two_mass_grains(const TwoMass *s, TwoMassState *z, Real link) {
    Real step = (Real)1 / s->substeps, sum = 0;
    for (int i = 0; i < s->substeps; i++) {
        sum += -s->k2 * z->x2 - s->c2 * z->v2 - s->m2 * (link - z->v2) / step;
        z->v2 = link;
        z->x2 += step * link;
    }
    return sum / s->substeps;
}

void two_mass_keep_load(TwoMassState *z, Real load) {
    z->load[2] = z->load[1], z->load[1] = z->load[0], z->load[0] = load;
    z->jump = z->yielding = z->gap = 0;
}
