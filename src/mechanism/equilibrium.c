// Static equilibrium: f(q, v = 0) + G^T lambda = 0, phi = 0.
//
// Newton's matrix K may be singular or indefinite (a mechanism that is free to move, a pendulum that stands
// upright). So the motion M d(q)/d(tau) = -f of a fictitious viscous medium is followed by steps of implicit
// Euler of length T in a fictitious time tau,
//
//     [ M/T + K  G^T ] [ dq     ]     [ f + G^T lambda ]
//     [ G         0  ] [ lambda ] = - [ phi            ]
//
// which descends to a stable equilibrium. T grows in proportion as the forces decrease, and the steps become
// those of Newton (pseudo-transient continuation; Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508,
// doi:10.1137/S0036142996304796).
#include <math.h>

#include "base/watch.h"
#include "mechanism/internal.h"

enum { EQUILIBRIUM_STEPS = 2000 };

static const double equilibrium_turn = 0.3; // largest rotation of a node in one step [rad]

static bool equilibrium_matrix(Mechanism *m, double inverse_time) {
    mech_jacobian(m, m->now, 0, inverse_time, 0, 1, &m->work_factor);
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->massless[i] > 0)
            factor_add_diagonal(&m->matrix, &m->work_factor, i, inverse_time * 1e-10 * m->massless[i]);
    return factor_pivot(&m->matrix, &m->work_factor, NULL);
}

// Largest unbalanced force; moments count divided by the length of the mechanism.
static double equilibrium_unbalanced(const Mechanism *m, const double *r) {
    double largest = 0;
    for (int i = 0; i < m->matrix.freedoms; i++)
        largest = fmax(largest, fabs(r[i]) / (i % 6 < 3 ? 1 : m->length));
    return largest;
}

static bool equilibrium_solve_step(Mechanism *m, const double *r, double time) {
    if (!equilibrium_matrix(m, 1 / time)) return false;
    for (int i = 0; i < m->matrix.size; i++) m->unknown[i] = -r[i];
    return factor_solve(&m->matrix, &m->work_factor, m->unknown, 1) &&
           isfinite(newton_size(m, m->unknown, NULL));
}

static bool equilibrium_goes_too_far(const Mechanism *m) {
    double turn = 0;
    for (int n = 0; n < m->node_count; n++) {
        const double *d = m->unknown + 6 * n;
        turn = fmax(turn, vec3_norm(vec3(d[3], d[4], d[5])));
    }
    return turn > equilibrium_turn || newton_size(m, m->unknown, NULL) > 0.3 * m->length;
}

static bool equilibrium_goes_uphill(const Mechanism *m, const double *r) {
    double work = 0, size = 0;
    for (int i = 0; i < m->matrix.freedoms; i++) {
        work -= r[i] * m->unknown[i];
        size += fabs(r[i] * m->unknown[i]);
    }
    return work < -1e-9 * size;
}

// Elements that count turns count them in these steps, too.
static void equilibrium_update_memory(Mechanism *m) {
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (!element->kind->begin_step || !element->state_count) continue;
        ElementInput in = element_input(m, element, m->now, 0);
        element->kind->begin_step(element, &in, 0, m->now.memory + element->state);
    }
}

// Returns the size of the step; negative: no step is possible. *time is shortened as needed.
static double equilibrium_take_step(Mechanism *m, const double *r, double gap, double *time) {
    bool good = false;
    for (int k = 0; k < 40 && !good && !watch_stopped(); k++) {
        good = equilibrium_solve_step(m, r, *time) && !equilibrium_goes_too_far(m) &&
               (gap > 1e-9 * m->length || !equilibrium_goes_uphill(m, r));
        if (!good) *time *= 0.25;
    }
    if (!good) return -1;
    for (int n = 0; n < m->node_count; n++) node_displace(&m->now.nodes[n], m->unknown + 6 * n);
    for (int i = 0; i < m->multiplier_count; i++) m->now.lambda[i] += m->unknown[m->matrix.freedoms + i];
    equilibrium_update_memory(m);
    return newton_size(m, m->unknown, NULL);
}

static bool equilibrium_find(Mechanism *m, int *iterations) {
    double *r = m->residual, force = 0, time = 0, quiet_since = 0;
    for (*iterations = 0; *iterations < EQUILIBRIUM_STEPS; ++*iterations) {
        if (watch_stops("step to the equilibrium", *iterations, EQUILIBRIUM_STEPS)) return false;
        mech_residual(m, m->now, 0, NULL, r);
        double left = equilibrium_unbalanced(m, r), gap = mech_violation(m, r + m->matrix.freedoms, NULL);
        if (!isfinite(left) || !isfinite(gap)) return false;
        if (*iterations == 0) // the first step moves no node by more than a tenth of the length
            time = left > 0 ? 0.1 * m->length * m->mass_scale / left : 1;
        else if (quiet_since > 0) time *= 5;
        else time *= left > 0 ? fmin(4, fmax(1.2, 1.2 * force / left)) : 4;
        force = left;
        double step = equilibrium_take_step(m, r, gap, &time);
        if (step < 0) return quiet_since > 0; // singular: free to move, without any force that would
        if (step > 1e-8 * m->length || gap > 1e-12 * m->length) quiet_since = 0;
        else if (quiet_since == 0 || time < quiet_since) quiet_since = time;
        if (quiet_since > 0 && time > 100 * quiet_since) return true;
    }
    return false;
}

MrcStatus mech_equilibrium(Mechanism *m, MrcError *error) {
    NodeState *before = memory_alloc(sizeof(NodeState) * (size_t)m->node_count);
    if (!before) return error_memory(error, "the equilibrium");
    memcpy(before, m->now.nodes, sizeof(NodeState) * (size_t)m->node_count);
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        node->v = node->w = node->a = node->alpha = vec3_zero();
    }
    int worst = 0, iterations = 0;
    bool found = equilibrium_find(m, &iterations);
    newton_size(m, m->unknown, &worst);
    m->assembly.equilibrium_iterations = iterations;
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        double moved = vec3_norm(vec3_sub(node->x, before[n].x));
        m->assembly.equilibrium_moved = fmax(m->assembly.equilibrium_moved, moved);
        node->v = before[n].v;
        node->w = before[n].w;
    }
    memory_free(before);
    if (!found && watch_stopped()) return watch_error(error, "the static equilibrium was sought");
    if (!found)
        return error_set(
            error, MRC_MODEL,
            "no static equilibrium was found in %d steps; node '%s' moves most. Is everything held? "
            "(start: given does without)",
            iterations, m->node_names[worst]);
    return mech_refit_velocities(m, error);
}
