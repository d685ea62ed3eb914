// What a part of the last jump has brought to the mechanism.
//
// A jump (impulse.c) changes velocities by dv and shifts poses by h dv, at once. Forces act on the shift without taking
// anything from the velocities: a spring that is stretched by q gets k q h dv, a first-order error with either sign.
// Restitution may give back no more than is left after it (world_rebound.c). It is measured, not estimated: the energy
// as it is, less that with the velocities and poses that the mechanism would have without the part,
//
//     E(x, v) - E(x - h dv, v - dv) - h (power of outer forces due to dv) - W,      dv, L from the impulses P of the part
//
// W is the work of driven joints. They answer to P with impulses L (mobility.c), S' = M + B:
//
//     M dv = Q^T P - G^T L - B dv,    G v = -phi_t          phi_t: rate of the constraints with all nodes held
//
// so that the kinetic energy changes, with vm = v - dv/2 and G dv = 0, by
//
//     dv.M vm = P.(Q vm) + L.phi_t - dv.B vm
//
// P.(Q vm) is what P gives, wherever it comes from; W = L.phi_t comes from the drives. With it, all that counts is how ports
// and grains move against each other. (Without it a wall that is driven has dv = 0 and gives nothing, while the grain in front of it
// gains: a ball at rest, hit at 0.5 m/s with e = 0.9, left with 0.5 m/s and not with 0.95.)
#include <math.h>

#include "mechanism/tree.h"

static double jump_energy_size(const ElementEnergy *e) {
    return e->kinetic + fabs(e->potential) + e->elastic;
}

bool mechanism_jump_energy(Mechanism *m, const Load *impulses, double *gained) {
    double *dv = m->jump, h = m->head->h, t = m->head->t + h, move[6];
    *gained = 0;
    if (m->head->stage != STAGE_SOLVED || !m->mobility.known) return false;
    if (m->tree && !m->tree->jump_known && !tree_jump_prepare(m, false))
        return false; // the jump has moved it
    if (!mobility_answer(m, impulses, dv)) return false;
    instant_copy(m, m->trial, m->now);
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->trial.nodes[n];
        const double *d = dv + 6 * n;
        for (int k = 0; k < 6; k++) move[k] = -h * d[k];
        node->v = vec3_sub(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_sub(node->w, vec3(d[3], d[4], d[5]));
        node_displace(node, move);
    }
    ElementEnergy with = mech_energy(m, m->now, t), without = mech_energy(m, m->trial, t);
    *gained = with.kinetic - without.kinetic + with.potential - without.potential + with.elastic -
              without.elastic - h * (with.work - without.work);
    double rounding = 1e-15 * (jump_energy_size(&with) + jump_energy_size(&without));
    if (fabs(*gained) < rounding) *gained = 0;
    *gained -= impulse_drive_power(m, dv + m->matrix.freedoms, m->now, t);
    return true;
}
