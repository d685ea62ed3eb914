// Initial positions and velocities that satisfy the constraints, with the smallest change.
//
// The change d of the nodes (translations dx and rotation vectors d theta) is measured by
// sum(|dx|^2 + L^2 |d theta|^2) = d^T W d, L being the size of the mechanism. The nearest configuration on
// the constraints is found by repeating
//
//     [ W  G^T ] [ step ]     [ W d ]
//     [ G   0  ] [ mu   ] = - [ phi ]
//
// The same matrix then gives the smallest change of velocities with G dv = -d(phi)/dt.
#include <math.h>
#include <stdio.h>

#include "mechanism/internal.h"

enum { iterations_most = 100 };

// Rows of constraints that are left out have only a one on the diagonal.
static bool assembly_matrix(Mechanism *m, const bool *left_out) {
    Factor *factor = &m->work_factor;
    double *local = m->matrix.local;
    factor_clear(&m->matrix, factor);
    for (int i = 0; i < m->matrix.freedoms; i++)
        factor_add_diagonal(&m->matrix, factor, i, i % 6 < 3 ? 1 : m->length * m->length);
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        int first = 6 * element->node_count, size = first + element->multiplier_count;
        ElementInput in = element_input(m, element, m->now, 0);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, 0, 0, 0, local);
        for (int k = 0; k < element->multiplier_count; k++) {
            if (!left_out[element->multiplier + k]) continue;
            for (int j = 0; j < size; j++) local[(first + k) * size + j] = local[j * size + first + k] = 0;
            local[(first + k) * size + first + k] = 1;
        }
        factor_add(&m->matrix, factor, (int)(element - m->elements), size, local);
    }
    return factor_pivot(&m->matrix, factor, NULL);
}

static void assembly_clear_left_out(const Mechanism *m, const bool *left_out, double *rows) {
    for (int i = 0; i < m->multiplier_count; i++)
        if (left_out[i]) rows[i] = 0;
}

// Writes W d to the freedoms of x (may be NULL). Returns the largest translation of a node; *node is the
// node that is displaced most.
static double assembly_displacement(const Mechanism *m, const NodeState *given, double *x, double *turned,
                                    int *node) {
    double moved = 0, most = 0;
    *turned = 0;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *now = &m->now.nodes[n];
        Vec3 dx = vec3_sub(now->x, given[n].x);
        Vec3 turn = so3_log(mat3_mul(now->R, mat3_transpose(given[n].R)));
        moved = fmax(moved, vec3_norm(dx));
        *turned = fmax(*turned, vec3_norm(turn));
        double size = fmax(vec3_norm(dx), m->length * vec3_norm(turn));
        if (size > most) {
            most = size;
            *node = n;
        }
        if (!x) continue;
        double L2 = m->length * m->length, *d = x + 6 * n;
        d[0] = dx.x, d[1] = dx.y, d[2] = dx.z;
        d[3] = L2 * turn.x, d[4] = L2 * turn.y, d[5] = L2 * turn.z;
    }
    return moved;
}

// Steps longer than a quarter of the mechanism's size, rotations times that size, are shortened.
static void assembly_take_step(Mechanism *m, const double *x) {
    double size = newton_size(m, x, NULL), factor = fmin(1, 0.25 * m->length / fmax(size, 1e-300));
    for (int n = 0; n < m->node_count; n++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = factor * x[6 * n + k];
        node_displace(&m->now.nodes[n], d);
    }
}

static MrcStatus assembly_close_joints(Mechanism *m, const NodeState *given, const bool *left_out,
                                       MrcError *error) {
    double *x = m->unknown, *phi = m->unknown + m->matrix.freedoms, turned, last = INFINITY;
    int worst = 0, node = 0;
    for (int k = 0; k < iterations_most; k++) {
        mech_residual(m, m->now, 0, NULL, x);
        assembly_clear_left_out(m, left_out, phi);
        double violation = mech_violation(m, phi, &worst);
        if (violation <= 1e-15 * m->length && k == 0) return MRC_OK; // as given
        if (!isfinite(violation) || !assembly_matrix(m, left_out)) break;
        assembly_displacement(m, given, x, &turned, &node);
        for (int i = 0; i < m->matrix.size; i++) x[i] = -x[i];
        if (!factor_solve(&m->matrix, &m->work_factor, x, 1)) break;
        double step = newton_size(m, x, NULL);
        if (violation <= 1e-12 * m->length && (step <= 1e-12 * m->length || step > 0.9 * last)) return MRC_OK;
        assembly_take_step(m, x);
        last = step;
    }
    const Element *joint = mech_constraint(m, worst);
    return error_set(
        error, MRC_MODEL,
        "the joints cannot be closed: joint '%s' stays open, however its nodes are moved from where "
        "they were placed. Check positions, axes and lengths",
        joint ? joint->name : "?");
}

static MrcStatus assembly_fit_velocities(Mechanism *m, const bool *left_out, MrcError *error) {
    if (!assembly_matrix(m, left_out))
        return error_set(error, MRC_MODEL, "the initial velocities cannot be made to fit the joints");
    for (int k = 0; k < 3; k++) {
        double *x = m->unknown;
        memset(x, 0, sizeof(double) * (size_t)m->matrix.freedoms);
        mech_rates(m, m->now, 0, x + m->matrix.freedoms, NULL);
        assembly_clear_left_out(m, left_out, x + m->matrix.freedoms);
        double largest = 0;
        for (int n = 0; n < m->node_count; n++)
            largest =
                fmax(largest, fmax(vec3_norm(m->now.nodes[n].v), m->length * vec3_norm(m->now.nodes[n].w)));
        if (mech_violation(m, x + m->matrix.freedoms, NULL) <= 1e-15 * largest) break;
        for (int i = 0; i < m->matrix.size; i++) x[i] = -x[i];
        if (!factor_solve(&m->matrix, &m->work_factor, x, 1)) break;
        for (int n = 0; n < m->node_count; n++) {
            NodeState *node = &m->now.nodes[n];
            Vec3 dv = vec3(x[6 * n], x[6 * n + 1], x[6 * n + 2]);
            Vec3 dw = vec3(x[6 * n + 3], x[6 * n + 4], x[6 * n + 5]);
            node->v = vec3_add(node->v, dv);
            node->w = vec3_add(node->w, dw);
            m->assembly.velocity = fmax(m->assembly.velocity, vec3_norm(dv));
            m->assembly.angular = fmax(m->assembly.angular, vec3_norm(dw));
        }
    }
    return MRC_OK;
}

// The error that redundant constraints are: they contradict the others, or they repeat them.
static MrcStatus assembly_judge_redundancy(Mechanism *m, const Redundancy *found, MrcError *error) {
    char text[128];
    int worst = 0;
    double *phi = m->residual + m->matrix.freedoms;
    mech_residual(m, m->now, 0, NULL, m->residual);
    double gap = mech_violation(m, phi, &worst);
    if (gap > 1e-6 * m->length) {
        snprintf(text, sizeof text, "'%s' stays open by %.3g m", mech_constraint(m, worst)->name, gap);
        return mech_redundancy_error(found, text, error);
    }
    mech_rates(m, m->now, 0, m->rates, NULL);
    double speed = mech_violation(m, m->rates, &worst);
    if (speed > 1e-6 * m->length) {
        snprintf(text, sizeof text, "'%s' is driven apart at %.3g m/s", mech_constraint(m, worst)->name,
                 speed);
        return mech_redundancy_error(found, text, error);
    }
    return mech_redundancy_error(found, NULL, error);
}

static MrcStatus assembly_run(Mechanism *m, Redundancy *found, MrcError *error) {
    int node = -1;
    MrcStatus status = mech_find_redundant(m, redundant_rows, found, error);
    if (status == MRC_OK) status = assembly_close_joints(m, m->builder.nodes, found->redundant, error);
    if (status != MRC_OK) return status;
    if (!found->count)
        status = mech_find_redundant(m, redundant_rows, found, error); // again, in the closed position
    if (status == MRC_OK) status = assembly_fit_velocities(m, found->redundant, error);
    if (status != MRC_OK) return status;
    if (found->count) return assembly_judge_redundancy(m, found, error);
    m->assembly.moved = assembly_displacement(m, m->builder.nodes, NULL, &m->assembly.turned, &node);
    m->assembly.node = node >= 0 ? m->node_names[node] : NULL;
    return MRC_OK;
}

MrcStatus mech_assemble(Mechanism *m, MrcError *error) {
    if (!m->constraint_count) return MRC_OK;
    Redundancy found = {.redundant = memory_alloc((size_t)m->multiplier_count)};
    if (!found.redundant) return error_memory(error, "the assembly");
    MrcStatus status = assembly_run(m, &found, error);
    memory_free(found.redundant);
    return status;
}

MrcStatus mech_refit_velocities(Mechanism *m, MrcError *error) {
    if (!m->constraint_count) return MRC_OK;
    bool *none = memory_alloc((size_t)m->multiplier_count);
    if (!none) return error_memory(error, "the assembly");
    MrcStatus status = assembly_fit_velocities(m, none, error);
    memory_free(none);
    return status;
}
