// Static equilibrium: f(q, v = 0) + G^T lambda = 0, phi = 0.
//
// Newton's matrix K may be singular or point uphill (a pendulum that stands upright, a mechanism free to
// move), so the way there is that of a body in thick syrup: M d(q)/d(tau) = -f by implicit Euler steps in a
// fictitious time,
//
//     [ M/T + K  G^T ] [ dq     ]     [ f + G^T lambda ]
//     [ G         0  ] [ lambda ] = - [ phi            ]
//
// which runs downhill to a stable equilibrium; T grows as the forces fade, in proportion, and the steps
// become Newton's (Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508, doi:10.1137/S0036142996304796).
#include <math.h>

#include "mechanism/internal.h"

enum { steps_most = 2000 };

static const double turn_most = 0.3; // of a node in one step [rad]

static bool equilibrium_matrix(Mechanism *m, double inverse_time) {
    mech_jacobian(m, m->now, 0, inverse_time, 0, 1, &m->work_factor);
    for (int i = 0; i < m->matrix.freedoms; i++)
        if (m->massless[i] > 0)
            factor_add_diagonal(&m->matrix, &m->work_factor, i, inverse_time * 1e-10 * m->massless[i]);
    return factor_pivot(&m->matrix, &m->work_factor, NULL);
}

// Unbalanced force of the freedoms, moments by length; and the size of what should balance, by elements.
static double unbalanced(const Mechanism *m, const double *r) {
    double largest = 0;
    for (int i = 0; i < m->matrix.freedoms; i++)
        largest = fmax(largest, fabs(r[i]) / (i % 6 < 3 ? 1 : m->length));
    return largest;
}

static double forces_present(const Mechanism *m) {
    double r[ELEMENT_ROWS], largest = 0;
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        ElementInput in = element_input(m, element, m->now, 0);
        element->kind->residual(element, &in, r);
        for (int i = 0; i < 6 * element->node_count; i++)
            largest = fmax(largest, fabs(r[i]) / (i % 6 < 3 ? 1 : m->length));
    }
    return largest;
}

// Steps that go far are shortened; their size in the end.
static double take_step(Mechanism *m, double *x) {
    double size = newton_size(m, x, NULL), turn = 0;
    for (int n = 0; n < m->node_count; n++)
        turn = fmax(turn, vec3_norm(vec3(x[6 * n + 3], x[6 * n + 4], x[6 * n + 5])));
    double factor = fmin(1, fmin(0.3 * m->length / fmax(size, 1e-300), turn_most / fmax(turn, 1e-300)));
    for (int n = 0; n < m->node_count; n++) {
        for (int k = 0; k < 6; k++) x[6 * n + k] *= factor;
        node_displace(&m->now.nodes[n], x + 6 * n);
    }
    for (int i = 0; i < m->multiplier_count; i++) m->now.lambda[i] += factor * x[m->matrix.freedoms + i];
    return factor * size;
}

static bool settle(Mechanism *m, int *iterations) {
    double *x = m->unknown, force = 0, time = 0, tolerance = 1e-10;
    int quiet = 0;
    for (*iterations = 0; *iterations < steps_most; ++*iterations) {
        mech_residual(m, m->now, 0, NULL, x);
        double left = unbalanced(m, x), gap = mech_violation(m, x + m->matrix.freedoms, NULL);
        if (!isfinite(left) || !isfinite(gap)) return false;
        if (*iterations == 0) // so that the first step moves nothing by more than a tenth of the size
            time = left > 0 ? 0.1 * m->length * m->mass_scale / left : 1;
        else if (left > 0 && force > 0) time *= fmin(4, fmax(0.25, force / left)) * 1.2;
        force = left;
        if (!equilibrium_matrix(m, 1 / time)) {
            time *= 0.1;
            if (!equilibrium_matrix(m, 1 / time)) return false;
        }
        for (int i = 0; i < m->matrix.size; i++) x[i] = -x[i];
        if (!factor_solve(&m->matrix, &m->work_factor, x, 1)) return false;
        double step = take_step(m, x);
        if (!isfinite(step)) return false;
        bool still = step <= 1e-9 * m->length && gap <= 1e-12 * m->length &&
                     left <= tolerance * forces_present(m) + 1e-300;
        quiet = still ? quiet + 1 : 0;
        if (quiet == 2) return true;
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
    bool found = settle(m, &iterations);
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
    if (!found)
        return error_set(
            error, MRC_MODEL,
            "no static equilibrium was found in %d steps; node '%s' moves most. Is everything held? "
            "(start: given does without)",
            iterations, m->node_names[worst]);
    return mech_refit_velocities(m, error);
}
