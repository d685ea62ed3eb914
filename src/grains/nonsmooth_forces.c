// Forces between rigid grains in the last step: the impulses of all points of a pair together, over the step. The
// forces in a bed have a wide distribution; those above the mean form the chains that carry it (Radjai, Jean, Moreau
// and Roux 1996, doi:10.1103/PhysRevLett.77.274).
#include "grains/nonsmooth.h"

// The next pair from point *k on; returns its force.
static double nonsmooth_next_force(const RigidContacts *last, size_t *k, double h) {
    Vec3 sum = vec3_zero();
    int32_t slot = last->slots.data[*k];
    for (; *k < last->slots.count && last->slots.data[*k] == slot; ++*k)
        sum = vec3_add(sum, last->impulses.data[*k].linear);
    return vec3_norm(sum) / h;
}

void nonsmooth_forces(const Grains *g, GrainsForces *forces) {
    const RigidContacts *last = &g->nonsmooth->last;
    double pairs = 0, sum = 0, most = 0, strong = 0, carried = 0;
    *forces = (GrainsForces){0};
    if (!(g->step > 0)) return;
    for (size_t k = 0; k < last->slots.count;) {
        double force = nonsmooth_next_force(last, &k, g->step);
        pairs += force > 0, sum += force, most = rigid_most(force, most);
    }
    for (size_t k = 0; k < last->slots.count;) {
        double force = nonsmooth_next_force(last, &k, g->step);
        if (force * pairs > sum) strong++, carried += force;
    }
    *forces = (GrainsForces){.pairs = pairs,
                             .mean = pairs > 0 ? sum / pairs : 0,
                             .largest = most,
                             .strong = pairs > 0 ? strong / pairs : 0,
                             .carried = sum > 0 ? carried / sum : 0,
                             .neighbours = g->store.count > 0 ? 2 * pairs / (double)g->store.count : 0};
}
