// Two thirds of the contacts of a shaken bed are gaps that stay open. The problem is solved for those that
// had an impulse in the last step, or that the free motion would violate or nearly so; if the solution
// violates any other, it is solved again from there with all of them.
//
// With 147 grains shaken at 3.9 g and a tolerance of 1e-4 this takes 20 % off the time of a step. Adding only
// the violated ones, and again until there are none, is no faster there, and much slower in large beds.
#include <math.h>

#include "grains/world_internal.h"

#define SWAP(a, b)                                                                                           \
    do {                                                                                                     \
        void *data_ = (a).data;                                                                              \
        size_t count_ = (a).count, capacity_ = (a).capacity;                                                 \
        (a).data = (b).data, (a).count = (b).count, (a).capacity = (b).capacity;                             \
        (b).data = data_, (b).count = count_, (b).capacity = capacity_;                                      \
    } while (0)

// How much a contact without impulse is violated: the distance of its velocity from the dual cone [m/s].
static double violation(const ContactProblem *p, const ContactPoint *c, const Twist *velocity) {
    Vec3 u = c->bias, spin = vec3_zero();
    if (c->b >= 0) {
        u = vec3_add(u, vec3_add(velocity[c->b].linear, vec3_cross(velocity[c->b].angular, c->arm_b)));
        spin = velocity[c->b].angular;
    }
    if (c->a >= 0) {
        u = vec3_sub(u, vec3_add(velocity[c->a].linear, vec3_cross(velocity[c->a].angular, c->arm_a)));
        spin = vec3_sub(spin, velocity[c->a].angular);
    }
    double normal = vec3_dot(u, c->normal), across = 0;
    if (p->law == CONTACT_COULOMB) return -normal;
    if (c->friction > 0) across += c->friction * sqrt(fmax(vec3_norm2(u) - normal * normal, 0));
    if (c->rolling > 0 || c->spinning > 0) {
        double about = vec3_dot(spin, c->normal);
        across += c->rolling * sqrt(fmax(vec3_norm2(spin) - about * about, 0)) + c->spinning * fabs(about);
    }
    return across - normal;
}

static bool choose_likely(World *w, double margin) {
    const ContactProblem *p = &w->problem;
    w->likely.count = 0;
    if (!array_resize(&w->is_likely, p->contacts.count)) return false;
    for (size_t k = 0; k < p->contacts.count; k++) {
        const ContactImpulse *before = &w->solution.impulses.data[k];
        bool likely = vec3_dot(before->linear, before->linear) > 0 ||
                      violation(p, &p->contacts.data[k], p->free_velocity.data) > -margin;
        w->is_likely.data[k] = likely;
        if (likely && !array_push(&w->likely, (int32_t)k)) return false;
    }
    return true;
}

// The contacts of the problem are those in `likely` while it is solved.
static MrcStatus solve_chosen(World *w, const ContactOptions *options, MrcError *error) {
    ContactProblem *p = &w->problem;
    size_t count = w->likely.count;
    if (!array_resize(&w->chosen, count) || !array_resize(&w->chosen_impulses, count))
        return error_memory(error, "the contact problem");
    for (size_t k = 0; k < count; k++) {
        w->chosen.data[k] = p->contacts.data[w->likely.data[k]];
        w->chosen_impulses.data[k] = w->solution.impulses.data[w->likely.data[k]];
    }
    SWAP(p->contacts, w->chosen);
    SWAP(w->solution.impulses, w->chosen_impulses);
    MrcStatus status = contact_solve(p, options, w->workspace, &w->solution, &w->report, error);
    SWAP(p->contacts, w->chosen);
    SWAP(w->solution.impulses, w->chosen_impulses);
    for (size_t k = 0; k < count && status == MRC_OK; k++)
        w->solution.impulses.data[w->likely.data[k]] = w->chosen_impulses.data[k];
    return status;
}

static bool any_violated(const World *w, double allowed) {
    const ContactProblem *p = &w->problem;
    for (size_t k = 0; k < p->contacts.count; k++)
        if (!w->is_likely.data[k] && violation(p, &p->contacts.data[k], w->solution.velocity.data) > allowed)
            return true;
    return false;
}

enum { LIKELY_CONTACTS = 2000 };

MrcStatus world_solve_likely(World *w, const ContactOptions *options, double margin, MrcError *error) {
    double allowed = options->tolerance * options->velocity_scale;
    // Without a scale there is no saying what is violated; rows would be solved for twice; and in a large bed
    // some contact is always missing.
    bool worth = allowed > 0 && w->problem.rows.count == 0 && w->problem.contacts.count <= LIKELY_CONTACTS;
    ContactReport first = {0};
    if (worth) {
        if (!choose_likely(w, margin)) return error_memory(error, "the contact problem");
        MrcStatus status = solve_chosen(w, options, error);
        if (status != MRC_OK || !any_violated(w, allowed)) return status;
        first = w->report;
    }
    MrcStatus status = contact_solve(&w->problem, options, w->workspace, &w->solution, &w->report, error);
    w->report.iterations += first.iterations;
    w->report.fallbacks += first.fallbacks;
    w->report.seconds += first.seconds;
    return status;
}
