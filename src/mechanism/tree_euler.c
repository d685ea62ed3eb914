// One step of Moreau and Jean's method in relative coordinates, for the monolithic scheme (Docquier et al. 2020,
// Eqs. 28-31 and Algorithm 1, doi:10.1007/s11044-019-09721-0).
//
//     q_m = q_u + h/2 v_u,   phi(q_m) = 0                      the middle of the step, loops closed there
//     v_u' = v_u + h (Z^T M Z)^-1 Z^T f(q_m, v_m)              v_m = v_u + h/2 of the same with v_u
//     q_u' = q_m + h/2 v_u',   phi(q') = 0,   v_v' = B(q') v_u'
//
// That is theta = 1/2, with the forces at the velocity of the middle, too: of second order. (With theta = 1, which is
// semi-implicit Euler, the crank of examples/slider-crank.yaml loses 0.6 % of its energy in two turns at h = 10 us,
// because M changes with q.) Contacts are searched with the ports as they are at the beginning of the step, and their
// impulses act over the whole step: impulses p change v_u' by (Z^T M Z)^-1 P^T p and q_u' by h times that, with
// the geometry of the beginning. Loops are closed at the end of each step, whatever the impulses. At rest under a load,
// whose impulses change v_u' by dv and move q_u' by h du in every step, v_u is dv/2 - du: the lag of jump.c.
//
// In a contact problem the nodes that carry ports are bodies of one group with the inverse mass P (Z^T M Z)^-1 P^T,
// the reduced contact map of Eqs. 26-27: joints need no rows, and a machine of any size has as many bodies as ports.
#include <math.h>

#include "mechanism/tree.h"

// Velocities of nodes over the free step: from pose to pose.
static void tree_euler_velocity(Mechanism *m) {
    Tree *tree = m->tree;
    double h = m->head->h;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *from = &m->one.nodes[n], *to = &m->now.nodes[n];
        Vec3 v = vec3_scale(1 / h, vec3_sub(to->x, from->x));
        Vec3 w = vec3_scale(1 / h, so3_log(mat3_mul(to->R, mat3_transpose(from->R))));
        const double twist[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(tree->velocity + 6 * n, twist, sizeof twist);
    }
}

// q from the rates `way` with which the coordinates move over the step; rates and accelerations of the loops.
static bool tree_euler_arrive(Mechanism *m, const double *way) {
    Tree *tree = m->tree;
    double h = m->head->h, t = m->head->t + h;
    for (int k = 0; k < tree->count; k++) m->now.q[k] = m->one.q[k] + h * way[k];
    return tree_close(m, m->now, t) && tree_close_rates(m, m->now, t) && tree_close_seconds(m, m->now, t);
}

// Accelerations in the middle of the step, to `seconds`.
static bool tree_euler_accelerations(Mechanism *m, double h, double *seconds) {
    Tree *tree = m->tree;
    size_t size = sizeof(double) * (size_t)tree->count;
    double t = m->head->t + 0.5 * h, *lag = tree->velocity;
    Instant trial = m->trial;
    instant_copy(m, trial, m->one);
    inputs_copy(&trial.inputs, &m->now.inputs);
    // Forces are evaluated without the lag that a lasting load leaves in velocities (jump.c), and the load goes on in the
    // first half of the step: at rest nothing moves in the middle.
    for (int n = 0; n < m->node_count; n++) {
        Twist behind = jump_lag(m, n);
        memcpy(lag + 6 * n, &behind, sizeof behind);
    }
    tree_place(m, trial, m->head->t);
    tree_rates_of_nodes(m, trial, lag, tree->x);
    for (int k = 0; k < tree->count; k++) {
        trial.u[k] += tree->x[k];
        trial.q[k] += 0.5 * h * trial.u[k];
    }
    tree_rates_of_nodes(m, trial, m->lasting_stiff, tree->x);
    for (int k = 0; k < tree->count; k++) seconds[k] = trial.u[k] + 0.5 * tree->x[k];
    if (!tree_close(m, trial, t)) return false;
    if (!tree_close_rates(m, trial, t) || !tree_solve_accelerations(m, trial, t, NULL)) return false;
    for (int k = 0; k < tree->count; k++) trial.u[k] = seconds[k] + 0.5 * h * trial.du[k];
    if (!tree_close_rates(m, trial, t) || !tree_solve_accelerations(m, trial, t, NULL)) return false;
    memcpy(seconds, trial.du, size);
    memcpy(m->now.lambda, trial.lambda, sizeof(double) * (size_t)m->multiplier_count);
    return true;
}

// The rates of the way are kept in Tree.base_place, for impulses.
MrcStatus tree_euler(Mechanism *m, double h, MrcError *error) {
    Tree *tree = m->tree;
    StateHead *head = m->head;
    head->euler = true;
    tree->matrix_known = false;
    bool good = tree_euler_accelerations(m, h, m->now.du);
    for (int k = 0; k < tree->count; k++) {
        m->now.u[k] = m->one.u[k] + h * m->now.du[k];
        tree->base_place[k] = 0.5 * (m->one.u[k] + m->now.u[k]);
    }
    good = good && tree_euler_arrive(m, tree->base_place);
    tree->open = !good;
    if (!good)
        return error_set(
            error, MRC_NOT_CONVERGED,
            "the loops of the mechanism cannot be closed at t = %.9g s: is it pulled further than it "
            "reaches, or is the step too long?",
            head->t + h);
    tree_euler_velocity(m);
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}

bool tree_add_euler_jump(Mechanism *m, const double *dv, const double *du) {
    Tree *tree = m->tree;
    double *jump = tree->x, *way = tree->y, h = m->head->h;
    tree_place(m, m->one, m->head->t);
    tree_rates_of_nodes(m, m->one, dv, jump);
    tree_rates_of_nodes(m, m->one, du, way);
    for (int k = 0; k < tree->count; k++) {
        tree->base_place[k] += way[k];
        m->now.u[k] += jump[k];
        m->now.du[k] += jump[k] / h;
    }
    return tree_euler_arrive(m, tree->base_place);
}

// ---- in a contact problem ------------------------------------------------------------------------
static bool tree_port_is_first(const Mechanism *m, int port) {
    if (m->ports[port].node < 0) return false;
    for (int p = 0; p < port; p++)
        if (m->ports[p].node == m->ports[port].node) return false;
    return true;
}

int tree_body_count(const Mechanism *m) {
    int count = 0;
    for (int p = 0; p < m->port_count; p++) count += tree_port_is_first(m, p);
    return count;
}

// P (Z^T M Z)^-1 P^T of the members.
static bool tree_inverse_mass(Mechanism *m, size_t count) {
    Tree *tree = m->tree;
    size_t size = 6 * count, f = (size_t)tree->independent;
    if (!array_resize(&tree->inverse, size * size)) return false;
    for (size_t j = 0; j < size; j++) {
        const double *P = tree->P + (6 * (size_t)tree->members.data[j / 6] + j % 6) * f;
        memcpy(tree->x, P, sizeof(double) * f);
        tree_factor_solve(tree->S, tree->S_pivots, (int)f, tree->x, false);
        for (size_t i = 0; i < size; i++) {
            const double *Q = tree->P + (6 * (size_t)tree->members.data[i / 6] + i % 6) * f;
            double sum = 0;
            for (size_t a = 0; a < f; a++) sum += Q[a] * tree->x[a];
            tree->inverse.data[i * size + j] = sum;
        }
    }
    return true;
}

MrcStatus tree_join(Mechanism *m, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    Tree *tree = m->tree;
    int count = 0;
    size_t room = (size_t)tree_body_count(m) + 1;
    if (!array_resize(&tree->members, room) || !array_resize(&tree->bodies, room))
        return error_memory(error, "the mechanism's part of the contact problem");
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        ports[p] = (MachinePort){.body = -1};
        if (node < 0) continue;
        int k = 0;
        while (k < count && tree->members.data[k] != node) k++;
        if (k == count) {
            const double *v = tree->velocity + 6 * node;
            Twist free = {vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5])};
            tree->members.data[count] = node;
            tree->bodies.data[count] = contact_problem_add_body(problem, 0, 0, free);
            if (tree->bodies.data[count++] < 0) return error_memory(error, "the contact problem");
        }
        ports[p] = (MachinePort){.body = tree->bodies.data[k], .origin = m->one.nodes[node].x};
    }
    if (!count) return MRC_OK;
    if (!tree_jump_prepare(m, true))
        return error_set(error, MRC_NOT_CONVERGED, "the mechanism's mass matrix is singular at t = %.9g s",
                         m->head->t);
    if (!tree_inverse_mass(m, (size_t)count) ||
        contact_problem_add_group(problem, count, tree->bodies.data, tree->inverse.data) < 0)
        return error_memory(error, "the mechanism's part of the contact problem");
    return MRC_OK;
}

void tree_take(Mechanism *m, const Load *impulses, const double *works) {
    if (!tree_jump_answer(m, impulses, m->jump)) return;
    impulse_on_euler(m, impulses, works, m->jump, m->jump);
}
