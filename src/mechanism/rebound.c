// Rebounds, and dampers that stop them.
//
// The rebound P of grains after a step (grains/world_rebound.c) belongs to the masses alone, d0 = M^-1 P, and moves nothing. A
// dashpot c with h c/M far above 1 stops this velocity within a small part of the next step. The two-step formula does not see
// that: with d0 stored as a velocity, and the force - c d0 with the accelerations, it moves the mass on by (b2 - a2) h d0 in the
// next step, whatever the dashpot does, and the dashpot takes c/h times the square of this way, h c/M times what there was.
// So what the dampers C of the machine leave of the jump over half a step becomes the jump d, and the other half is a force F
// at the end of the step, which the stored accelerations contain in place of the force of the dampers on d:
//
//     (M + h/2 C) d + G^T L = Q^T P,   G d = 0,       F = C d
//
// A steady rain of such rebounds has V = d/2, v* = V - d and x* = x. The two-step formula for velocities gives for a force
// g C d in the stored accelerations
//
//     h K x = M d + h C d [b0/(1 + a2) - 1/2 + g (1 - b0/(1 + a2))]
//
// so that with g = 1 the springs carry exactly the mean P/h, for every damper. (With g = 0 and d0 it was wrong by 0.11 h c/M at
// rho_inf = 0.6.) Of a single rebound with large h c/M the mass moves on by (1 - b0) h d + ... = P/c, as it must.
//
// What the grains and their restitution meet stays the mass alone. The energy that they give is P.(v + d0/2); the part
//
//     (d0 - d).M (d0 - d)/2 = (d0 - d).h C d/4
//
// is what dampers take at once. The rest of it is found from the way from pose to pose, as ever (step.c). Without dampers,
// d = d0.
#include "mechanism/tree.h"

// r = C x of all dampers. False: there is nothing that they could take.
static bool rebound_damp(Mechanism *m, double t, const double *x, double *r) {
    double *local = m->matrix.local, power = 0;
    memset(r, 0, sizeof(double) * (size_t)m->matrix.freedoms);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        const ElementKind *kind = element->kind;
        int size = 6 * element->node_count + element->multiplier_count;
        if (!kind->massless || (kind->powerless && kind->powerless(element))) continue;
        ElementInput in = element_input(m, element, m->now, t);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        kind->jacobian(element, &in, 0, 1, 0, local);
        for (int i = 0; i < 6 * element->node_count; i++)
            for (int j = 0; j < 6 * element->node_count && element->node[i / 6] >= 0; j++)
                if (element->node[j / 6] >= 0)
                    r[6 * element->node[i / 6] + i % 6] +=
                        local[i * size + j] * x[6 * element->node[j / 6] + j % 6];
    }
    for (int i = 0; i < m->matrix.freedoms; i++) power += x[i] * r[i];
    return power > 0;
}

static bool rebound_solve(Mechanism *m, double t, const Load *impulses, double *x) {
    double share = 0.5 * m->head->h;
    if (m->tree) return tree_jump_damp(m, share) && tree_jump_answer(m, impulses, x);
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    stiff_on_nodes(m, impulses, x);
    return jump_factors_damped(m, t, share) && factor_solve(&m->matrix, &m->jumps.now, x, 1);
}

bool rebound_take(Mechanism *m, const Load *impulses, double *dv) {
    StateHead *head = m->head;
    double *first = m->jump + 2 * m->matrix.size, *force = m->residual, t = head->t + head->h, stopped = 0;
    int freedoms = m->matrix.freedoms;
    m->mobility.stopped = false;
    if (!rebound_damp(m, t, dv, force)) return true;
    memcpy(first, dv, sizeof(double) * (size_t)freedoms);
    if (!rebound_solve(m, t, impulses, dv)) return false;
    rebound_damp(m, t, dv, force);
    if (!head->stiff_acts) memset(m->stiff_force, 0, sizeof(double) * (size_t)freedoms);
    head->stiff_acts = true;
    for (int i = 0; i < freedoms; i++) {
        m->stiff_force[i] += force[i];
        stopped += 0.25 * head->h * (first[i] - dv[i]) * force[i];
    }
    head->step_stopped += larger(stopped, 0);
    for (int i = 0; i < freedoms; i++) first[i] -= dv[i];
    for (int p = 0; p < m->port_count; p++) m->stopped[p] = mobility_port(m, p, first);
    m->mobility.stopped = true;
    return true;
}

bool mechanism_stopped(const Mechanism *m, Twist *lost) {
    if (m->mobility.stopped) memcpy(lost, m->stopped, sizeof *lost * (size_t)m->port_count);
    return m->mobility.stopped;
}
