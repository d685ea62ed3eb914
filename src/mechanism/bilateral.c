// A step of semi-implicit Euler (euler.c) as part of a contact problem: nodes are bodies, constraints of
// joints are bilateral rows.
//
//     v  = v0 - h M^-1 f + M^-1 (G^T l + impulses of contacts)
//     G v + (phi/h + d(phi)/dt) = 0                                  l = -L of euler.c
//
// Nodes whose rows of the mass matrix are coupled form one group with a dense inverse mass. The contact
// solver finds the velocities of the nodes and the impulses of the joints together with those of the
// contacts. Degrees of freedom without mass have the fictitious mass of newton.c.
#include <lapacke.h>

#include "math/blas.h"
#include "mechanism/tree.h"

int mechanism_body_count(const Mechanism *m) {
    if (m->tree) return tree_body_count(m);
    for (int c = 0; c < m->constraint_count; c++) {
        int nodes = 0;
        for (int i = 0; i < m->constraints[c]->node_count; i++) nodes += m->constraints[c]->node[i] >= 0;
        if (nodes > 2) return 0; // a row has two ends
    }
    return m->node_count;
}

// ---- bodies ----------------------------------------------------------------------------------------
static int bilateral_root(const int32_t *parent, int node) {
    while (parent[node] != node) node = parent[node];
    return node;
}

// Nodes that the mass matrix couples have the same root.
static void bilateral_find_groups(const Mechanism *m, int32_t *parent) {
    const Matrix *matrix = &m->mass_matrix;
    for (int n = 0; n < m->node_count; n++) parent[n] = n;
    for (int j = 0; j < matrix->freedoms; j++)
        for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
            if (matrix->rows[k] >= matrix->freedoms || m->mass_factor.values[k] == 0) continue;
            int a = bilateral_root(parent, j / 6), b = bilateral_root(parent, matrix->rows[k] / 6);
            if (a != b) parent[a > b ? a : b] = a > b ? b : a;
        }
}

// Adds the nodes `members` with their inverse mass, and their velocities after the forces of the step.
static bool bilateral_add_group(Mechanism *m, ContactProblem *problem, const int32_t *members, int count) {
    MechanismRows *rows = &m->in_problem;
    const Matrix *matrix = &m->mass_matrix;
    size_t size = 6 * (size_t)count;
    if (!array_resize(&rows->mass, size * size) || !array_resize(&rows->bodies, (size_t)count)) return false;
    double *inverse = rows->mass.data;
    memset(inverse, 0, size * size * sizeof *inverse);
    for (int k = 0; k < count; k++) rows->place.data[members[k]] = k;
    for (int a = 0; a < (int)size; a++) {
        int j = 6 * members[a / 6] + a % 6;
        for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
            int i = matrix->rows[k];
            if (i >= matrix->freedoms || m->mass_factor.values[k] == 0) continue;
            inverse[(size_t)a * size + (size_t)(6 * rows->place.data[i / 6] + i % 6)] =
                m->mass_factor.values[k];
        }
    }
    int n = (int)size;
    if (BLAS_ALONE(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, inverse, n)) != 0) return false;
    if (BLAS_ALONE(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, inverse, n)) != 0) return false;
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b < a; b++) inverse[a * size + b] = inverse[b * size + a];
    for (int k = 0; k < count; k++) {
        const NodeState *node = &m->one.nodes[members[k]];
        Twist *free = &problem->free_velocity.data[rows->first_body + members[k]];
        double *v = &free->linear.x;
        *free = (Twist){node->v, node->w};
        for (size_t i = 0; i < 6; i++)
            for (size_t b = 0; b < size; b++)
                v[i] += inverse[(6 * (size_t)k + i) * size + b] *
                        rows->right_side.data[6 * members[b / 6] + (int)(b % 6)];
        rows->bodies.data[k] = rows->first_body + members[k];
    }
    return contact_problem_add_group(problem, count, rows->bodies.data, inverse) >= 0;
}

static bool bilateral_add_bodies(Mechanism *m, ContactProblem *problem) {
    MechanismRows *rows = &m->in_problem;
    size_t nodes = (size_t)m->node_count;
    if (!array_resize(&rows->parent, nodes) || !array_resize(&rows->place, nodes) ||
        !array_resize(&rows->members, nodes))
        return false;
    rows->first_body = (int32_t)problem->bodies.count;
    for (int n = 0; n < m->node_count; n++)
        if (contact_problem_add_body(problem, 0, 0, (Twist){{0, 0, 0}, {0, 0, 0}}) < 0) return false;
    bilateral_find_groups(m, rows->parent.data);
    for (int n = 0; n < m->node_count; n++) {
        int count = 0;
        if (rows->parent.data[n] != n) continue;
        for (int k = n; k < m->node_count; k++)
            if (bilateral_root(rows->parent.data, k) == n) rows->members.data[count++] = k;
        if (!bilateral_add_group(m, problem, rows->members.data, count)) return false;
    }
    return true;
}

// ---- joints ----------------------------------------------------------------------------------------
// Rows of G, from the columns of the matrix. The bias is the right-hand side of euler.c less G v0.
static bool bilateral_add_joints(Mechanism *m, ContactProblem *problem) {
    MechanismRows *rows = &m->in_problem;
    const Matrix *matrix = &m->mass_matrix;
    rows->first_row = problem->rows.count;
    for (int i = 0; i < m->multiplier_count; i++) {
        ContactRow row = {.a = -1, .b = -1, .bias = -rows->right_side.data[matrix->freedoms + i]};
        if (contact_problem_add_row(problem, row) < 0) return false;
    }
    for (int j = 0; j < matrix->freedoms; j++) {
        const NodeState *node = &m->one.nodes[j / 6];
        int32_t body = rows->first_body + j / 6;
        double velocity = vec3_component(j % 6 < 3 ? node->v : node->w, j % 3);
        for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
            double g = m->mass_factor.values[k];
            if (matrix->rows[k] < matrix->freedoms || g == 0) continue;
            ContactRow *row =
                &problem->rows.data[rows->first_row + (size_t)(matrix->rows[k] - matrix->freedoms)];
            if (row->b < 0) row->b = body;
            else if (row->b != body) row->a = body;
            Twist *end = row->b == body ? &row->jacobian_b : &row->jacobian_a;
            vec3_set_component(j % 6 < 3 ? &end->linear : &end->angular, j % 3, g);
            row->bias -= g * velocity;
        }
    }
    return true;
}

MrcStatus mechanism_join(Mechanism *m, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    if (!m->head->euler || m->head->stage != STAGE_SOLVED)
        return error_set(error, MRC_USAGE, "mechanism: joined to contacts without a step of Euler's");
    if (m->tree) return tree_join(m, problem, ports, error);
    if (!bilateral_add_bodies(m, problem) || !bilateral_add_joints(m, problem))
        return error_memory(error, "the mechanism's part of the contact problem");
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        ports[p] = (MachinePort){.body = -1};
        if (node < 0) continue;
        ports[p].body = m->in_problem.first_body + node;
        ports[p].origin = m->one.nodes[node].x;
    }
    return MRC_OK;
}

void mechanism_take(Mechanism *m, const ContactSolution *solution, const Load *impulses,
                    const double *works) {
    const MechanismRows *rows = &m->in_problem;
    double *jump = m->jump;
    if (m->tree) {
        tree_take(m, impulses, works);
        return;
    }
    for (int n = 0; n < m->node_count; n++) {
        const double *after = &solution->velocity.data[rows->first_body + n].linear.x;
        const NodeState *node = &m->now.nodes[n];
        const double free[6] = {node->v.x, node->v.y, node->v.z, node->w.x, node->w.y, node->w.z};
        for (int k = 0; k < 6; k++) jump[6 * n + k] = after[k] - free[k];
    }
    for (int i = 0; i < m->multiplier_count; i++)
        jump[m->matrix.freedoms + i] =
            -solution->lambdas.data[rows->first_row + (size_t)i] - m->head->h * m->now.lambda[i];
    impulse_on_euler(m, impulses, works, jump, jump);
}

void mech_rows_free(Mechanism *m) {
    MechanismRows *rows = &m->in_problem;
    array_free(&rows->mass);
    array_free(&rows->right_side);
    array_free(&rows->bodies);
    array_free(&rows->parent);
    array_free(&rows->place);
    array_free(&rows->members);
}
