// The condition of a contact: the law for its normal velocity u_n after the step, and the friction that goes with it.
//
//     gap >= 0     u_n + gap/h >= 0               it may close, not more (Eq. 19 of
//                                                 doi:10.1016/j.mechmachtheory.2020.104181)
//     gap < 0      u_n - min(-gap/h, r) >= 0      overlaps are undone at no more than the speed r
//     bouncing     u_n + e u_n(before) >= 0       Newton's law of impact, when it closes in this step at more
//                                                 than the speed `bounce`
//
// In the method of Moreau and Jean (nscd.c) grains and walls stand where they are in the middle of the step, and
// restitution acts on contacts that touch there: a contact that will bounce but does not touch yet is left out of the
// problem.
//
// Overlaps come from walls that are curved (the step takes them as flat), from solutions within their tolerance and
// from the start. Undoing them gives the grains the speed r, which then is a real velocity. With r = h g it does not
// lift them off each other, because gravity takes it back within a step. A grain that slides along a curved wall at the
// speed u needs up to h u^2/R, R > radius. Hence r = h (g + u^2/radius), and without gravity 1e-5 of a radius in
// each step.
//
// Cohesion: a contact that touches, or nearly, holds the tension c. Its law is that of the contact for p + h c n in
// place of p. With p' = p + h c n unknown instead, the cone is again that of friction, and the contact pulls its two
// bodies together by the known impulse h c: it is part of their free velocities (contact_problem_push).
#include <math.h>

#include "grains/nonsmooth.h"

// Two that nearly touch cohere: below this gap, over the smaller radius.
static const double nonsmooth_cohesive_gap = 1e-3;

double nonsmooth_cohesion(const FindContext *f, double gap, double radius, const RigidPair *pair) {
    return gap <= nonsmooth_cohesive_gap * radius ? f->step->h * pair->cohesion : 0;
}

static double nonsmooth_recovery_speed(const FindContext *f, double gap, double speed2, double radius) {
    double h = f->step->h, full = -gap / h, most = f->recovery;
    if (!(most > 0)) most = h * (f->fall + speed2 / radius) + (f->weightless ? 1e-5 * radius / h : 0);
    return rigid_least(full, most);
}

// The contact closes in this step, at more than the speed `bounce`.
bool nonsmooth_closes(const FindContext *f, double gap, double before, double closing) {
    return before < -f->bounce && gap + f->step->h * closing < 0;
}

bool nonsmooth_bounces(const FindContext *f, double gap, double before, double closing,
                       const RigidPair *pair) {
    if (!(pair->restitution > 0)) return false;
    return f->by_touch ? gap <= 0 && before < -f->bounce : nonsmooth_closes(f, gap, before, closing);
}

// The contact will bounce, but does not touch yet. One that coheres and closes at less than what its tension gives the two
// bodies in a step would not come apart again: it has no bounce to wait for, and its tension acts. (Without gravity `bounce` is
// 0. Contacts then waited at gaps of 1e-11 m, for the rounding of their velocities, and two that hold 5 mN came apart at 1.5
// mN.)
bool nonsmooth_waits(const FindContext *f, double gap, double before, const RigidPair *pair, double radius,
                     double inverse_mass) {
    if (!(f->by_touch && gap > 0 && pair->restitution > 0 && before < -f->bounce)) return false;
    return before < -nonsmooth_cohesion(f, gap, radius, pair) * inverse_mass;
}

bool nonsmooth_pair_waits(const FindContext *f, size_t i, size_t j, double gap, double before) {
    const Grains *g = f->g;
    double radius = rigid_least(g->position[i * QUAD + 3], g->position[j * QUAD + 3]);
    return nonsmooth_waits(f, gap, before, nonsmooth_pair_of(g, i, j), radius,
                           grain_inverse_mass(g, i) + grain_inverse_mass(g, j));
}

// Does the contact open after a bounce? Only faster than this threshold counts. In a bed at rest contacts open at the
// speed at which overlaps of the size of rounding are undone; if they were allowed to close at the same speed, the bed
// would swing for ever, back and forth with every step.
static bool nonsmooth_parts(const FindContext *f, const RigidPair *pair, double before) {
    return before > pair->restitution * f->bounce;
}

// Bodies that bounce within the step have a gap of h u_n after it. Where restitution acts on contacts that touch
// (nscd), or after the step (world_rebound.c), they still touch or overlap then, by up to h |u_n|. If a spring, another
// grain or another corner drives them back in the next step, the condition u_n(after) >= 0 would add energy: p .
// (u(before) + u(after))/2 > 0. (Two balls in a row, thrown against a wall with e = 1: the first one comes back and
// meets the second one, and both together had twice the energy. A plank that bounces along a tube had 1.14 times its
// energy.) With u_n(after) >= -u_n(before) no energy is added, and overlaps never grow beyond that at the impact. Where
// contacts do not overlap, u_n h is at most the gap, and the condition is met anyway. Where restitution acts after the
// step, a grain may be driven back several times before it separates: then overlaps are kept below a twentieth of the
// radius. In steps that are too long this limit has priority over the energy. A single grain is driven back by springs
// only, and gains nothing (world_rebound.c).
double nonsmooth_parting_bias(const FindContext *f, const RigidPair *pair, double gap, double radius,
                              double before, double bias, double *recovery) {
    double least = rigid_least(before, (0.05 * radius + rigid_least(gap, 0)) / f->step->h);
    if (!(pair->restitution > 0 && nonsmooth_parts(f, pair, before) && least > *recovery && least > bias))
        return bias;
    *recovery = 0;
    return least;
}

double nonsmooth_normal_bias(const FindContext *f, double gap, double before, double closing, double speed2,
                             double radius, const RigidPair *pair, double *recovery) {
    double h = f->step->h;
    *recovery = 0;
    if (nonsmooth_bounces(f, gap, before, closing, pair)) return pair->restitution * before;
    if (fabs(gap) < f->closed) return 0;
    gap += gap > 0 ? -f->closed : f->closed;
    if (gap >= 0) return gap / h;
    *recovery = nonsmooth_recovery_speed(f, gap, speed2, radius);
    return -*recovery;
}

// The relaxed law requires u_n + b >= mu |u_t|: a grain that flies along a wall at the speed w is stopped when it is still
// h mu w away from it, and never bounces. Where restitution acts, on contacts that close or open faster than `bounce`,
// the law is therefore changed, so that a single grain moves as by Coulomb's law, and none gets closer than its gap
// allows, whatever the other contacts do:
//
//     impacts      b is e u_n(before) + mu s, s being the speed of sliding at the end: u_n + b = mu |u_t| then is Newton's
//                  law. In an impact of spheres, whose surfaces are 3.5 times as mobile as their centres, friction leaves
//                  s = |u_t| - 3.5 mu (1 + e) |u_n|. If other contacts stop the sliding, u_n may be as low as -b. Where
//                  this is more than the gap allows, a second contact without friction, the guard, requires
//                  u_n + gap/h >= 0. For other shapes s depends on all contact points of the two bodies together: a
//                  step with such an impact has Coulomb's law for all of its contacts (world_rigid.c).
//     others       mu is at most (u_n(free) + gap/h)/|u_t|, so that the free motion just satisfies the law. (With mu s in
//                  b instead, grains that others stop would overlap by h mu s.)
SlidingLaw nonsmooth_sliding_law(const FindContext *f, const RigidPair *pair, double restitution, double gap,
                                 double bias, double before, double closing, double sliding) {
    SlidingLaw law = {.friction = pair->friction};
    if (!nonsmooth_has_sliding_law(f, pair, before)) return law;
    double mu = pair->friction;
    if (nonsmooth_closes(f, gap, before, closing)) {
        law.by_coulomb = !nonsmooth_all_spheres(f->g->nonsmooth);
        if (law.by_coulomb) return law;
        law.more = mu * rigid_most(sliding + 3.5 * mu * (closing + restitution * before), 0);
        law.guard = rigid_most(bias + law.more - rigid_most(gap, 0) / f->step->h, 0);
    } else {
        double room = rigid_most(closing + bias, 0);
        if (mu * sliding > room) law.friction = room / sliding;
    }
    return law;
}

double nonsmooth_sliding(Vec3 velocity, Vec3 normal) {
    return vec3_norm(vec3_madd(velocity, -vec3_dot(velocity, normal), normal));
}
