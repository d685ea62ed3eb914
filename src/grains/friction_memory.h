// Friction with memory (Eqs. 3-5 of doi:10.3390/pr10071247), shared by friction_elastic.c, with a constant
// stiffness, and friction_mindlin.c, whose stiffness follows the contact area:
//
//     u <- u + v_t h,  kept in the tangential plane
//     f_t = -(k_T u + c_T v_t)                      while |f_t| <= mu f_n
//     f_t = -mu f_n (k_T u + c_T v_t)/|...|,        u = -(f_t + c_T v_t)/k_T     beyond
//
// c_T = 2 LAW_TANGENTIAL_DAMPING sqrt(k_T m_t), m_t = 2/7 m: the effective mass of the contact point of two spheres
// for a tangential impulse. As in law_linear.c, the velocity is the one in the middle of the kick, hence the factor
// 1/(1 + c_T h/(2 m_t)).
//
// A contact that began since the last step has slid for s/a only, not for h (s the overlap, a the speed at
// which it grows). Without this, the spring of a contact is ahead of it by up to a step: a Mindlin contact
// that sticks, at 20 steps, then leaves with a spin that is wrong by up to 7.6 % of the sliding speed. Its
// dashpot acts for the same share of the step as the normal one; without that, a Mindlin contact in gross
// sliding with e = 0.6 sticks in its first step and the friction impulse is 3.8 % too small.
//
// Beyond the limit, Eq. 3 turns the force against v_t; here it stays along the trial force, which is the same
// in steady sliding but does not jump when the sliding turns round with the spring still stretched. And where
// the dashpot alone is beyond the limit, Eq. 5 would have the spring pull backwards; here it is left at rest.
// The stiffness of a Mindlin contact grows so fast at first that the backward spring wins in the next step:
// in gross sliding with e = 0.6 the friction impulse was then 3.8 % too small.
//
// The same holds at mu f_n = 0, where f_t = 0 and both sides of that comparison are zero: in a contact that opens,
// dashpots reduce the normal force to zero while it still overlaps, as at the rear corners of a brick that tips over an
// edge. Eq. 5 gave it the spring -c_T v_t/k_T, of any length (1 mm of a brick of 20 mm at e = 0), with energy that
// nothing had put in, taken off what friction had lost; and it pulled backwards when the contact was pressed again.
#ifndef GRAINS_FRICTION_MEMORY_H
#define GRAINS_FRICTION_MEMORY_H

#include "grains/law.h"

typedef struct FrictionParameters {
    Wide stiffness, damping; // k_T; c_T/(1 + c_T h/(2 m_t))
    Wide softness;           // 1/k_T of a constant stiffness
} FrictionParameters;

static inline FrictionParameters friction_parameters(const ContactBatch *b, const LawTable *table, int k,
                                                     bool area) {
    FrictionParameters p = {.stiffness = law_parameter(table, LAW_TANGENTIAL, b, k), .damping = wide_set(0)};
    if (area) p.stiffness = p.stiffness * wide_load(b->contact + k);
    else p.softness = wide_set(1) / (p.stiffness + wide_set(1e-300));
    if (!table->damped) return p;
    Wide mass = wide_set(2.0 / 7.0) * wide_load(b->mass + k);
    Wide damping =
        wide_set(2) * law_parameter(table, LAW_TANGENTIAL_DAMPING, b, k) * wide_sqrt(p.stiffness * mass);
    p.damping = damping * mass / (mass + wide_set(0.5 * b->step) * damping);
    return p;
}

// `area`: LAW_TANGENTIAL is multiplied by the radius of the contact area.
static inline void friction_with_memory(ContactBatch *b, const LawTable *table, bool area) {
    Wide h = wide_set(b->step), tiny = wide_set(1e-300), one = wide_set(1);
    FrictionParameters p = friction_parameters(b, table, 0, area);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k);
        Wide tx = wide_load(b->tx + k), ty = wide_load(b->ty + k), tz = wide_load(b->tz + k);
        Wide ux = wide_load(b->ux + k), uy = wide_load(b->uy + k), uz = wide_load(b->uz + k);
        Wide off = ux * nx + uy * ny + uz * nz; // the normal has turned since
        Wide overlap = wide_load(b->overlap + k), approach = wide_load(b->approach + k), time = h;
        WideMask new = wide_less(overlap, h * approach);
        if (wide_mask_any(new)) time = wide_select(new, overlap / wide_max(approach, tiny), h);
        ux = ux - off * nx + time * tx;
        uy = uy - off * ny + time * ty;
        uz = uz - off * nz + time * tz;
        if (area || !b->alike) p = friction_parameters(b, table, k, area);
        Wide stiffness = p.stiffness, damping = p.damping;
        Wide fx = stiffness * ux, fy = stiffness * uy, fz = stiffness * uz;
        if (table->damped) fx = fx + damping * tx, fy = fy + damping * ty, fz = fz + damping * tz;
        Wide force2 = fx * fx + fy * fy + fz * fz;
        Wide limit = law_parameter(table, LAW_FRICTION, b, k) * wide_load(b->normal + k);
        WideMask slides = wide_less(limit * limit, force2);
        if (wide_mask_any(slides)) {
            Wide scale = wide_select(slides, limit * wide_inverse_sqrt(force2 + tiny), one);
            Wide soft = p.softness;
            if (area) soft = one / (stiffness + tiny);
            fx = scale * fx, fy = scale * fy, fz = scale * fz;
            Wide left = fx * (fx - damping * tx) + fy * (fy - damping * ty) + fz * (fz - damping * tz);
            soft = wide_select(wide_less_equal(left, wide_set(0)), wide_set(0), soft);
            ux = wide_select(slides, (fx - damping * tx) * soft, ux);
            uy = wide_select(slides, (fy - damping * ty) * soft, uy);
            uz = wide_select(slides, (fz - damping * tz) * soft, uz);
        }
        wide_store(b->fx + k, -fx);
        wide_store(b->fy + k, -fy);
        wide_store(b->fz + k, -fz);
        wide_store(b->ux + k, ux);
        wide_store(b->uy + k, uy);
        wide_store(b->uz + k, uz);
        wide_store(b->tangent + k, stiffness);
        if (b->measuring)
            wide_store(b->tangential_energy + k, wide_set(0.5) * stiffness * (ux * ux + uy * uy + uz * uz));
    }
}

#endif
