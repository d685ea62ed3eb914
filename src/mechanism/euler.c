// One step of semi-implicit Euler with joints, as programs for rigid contact advance all bodies (Zhang et
// al. 2020, Eqs. 18-19, doi:10.1016/j.mechmachtheory.2020.104181).
//
//     M (v' - v) + h f(q, v, t) + G^T L = 0          forces at the beginning of the step
//     phi(q, t)/h + G v' + d(phi)/dt = 0             joints, with their position errors removed
//     q' = q + h v'
//
// For the monolithic scheme. With the impulses of contacts the same equations are a contact problem with
// joints as bilateral rows (bilateral.c). Or the impulses are added afterwards through the explicit
// mobility, [M G^T; G 0]^-1, which is the same with the joints eliminated beforehand. The method is of
// first order, and unstable where the mechanism is stiff for the step; the monolithic scheme shows this
// beside the others.
#include <math.h>

#include "mechanism/tree.h"

// Forces at the beginning of the step. They are computed without the lag that a lasting load leaves in velocities (jump.c).
static void euler_forces(Mechanism *m, Instant at, double *x) {
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        Twist lag = jump_lag(m, n);
        node->v = vec3_add(node->v, lag.linear);
        node->w = vec3_add(node->w, lag.angular);
    }
    mech_residual(m, at, m->head->t, NULL, x);
    for (int n = 0; n < m->node_count; n++) {
        m->now.nodes[n].v = m->one.nodes[n].v;
        m->now.nodes[n].w = m->one.nodes[n].w;
    }
}

MrcStatus mechanism_euler(Mechanism *m, double h, MrcError *error) {
    StateHead *head = m->head;
    int freedoms = m->matrix.freedoms;
    double *x = m->unknown, t = head->t;
    MrcStatus status = mechanism_begin(m, h, error);
    if (status != MRC_OK) return status;
    memset(m->loads, 0, sizeof(Load) * (size_t)m->port_count);
    if (m->tree) return tree_euler(m, h, error);
    for (int n = 0; n < m->node_count; n++) {
        m->now.nodes[n] = m->one.nodes[n];
        m->now.nodes[n].a = m->now.nodes[n].alpha = vec3_zero();
    }
    memset(m->now.lambda, 0, sizeof(double) * (size_t)m->multiplier_count);
    Instant at = m->now;
    at.memory = m->one.memory;
    euler_forces(m, at, x);
    mech_rates(m, at, t, m->rates, NULL);
    for (int i = 0; i < freedoms; i++) x[i] *= -h;
    for (int i = 0; i < m->multiplier_count; i++) x[freedoms + i] = -(x[freedoms + i] / h + m->rates[i]);
    if (!array_resize(&m->in_problem.right_side, (size_t)m->matrix.size))
        return error_memory(error, "the mechanism");
    memcpy(m->in_problem.right_side.data, x, sizeof(double) * (size_t)m->matrix.size);
    head->mass_t = NAN; // no matrix of an earlier instant will do
    if (!mass_matrix(m, t) || !factor_solve(&m->mass_matrix, &m->mass_factor, x, 1))
        return error_set(
            error, MRC_NOT_CONVERGED,
            "the mechanism's mass matrix is singular at t = %.9g s: something can move that has no mass", t);
    head->mass_t = t + h; // the impulses that follow use it, too
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = x + 6 * n;
        node->a = vec3(d[0] / h, d[1] / h, d[2] / h);
        node->alpha = vec3(d[3] / h, d[4] / h, d[5] / h);
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
        const double way[6] = {h * node->v.x, h * node->v.y, h * node->v.z,
                               h * node->w.x, h * node->w.y, h * node->w.z};
        node_displace(node, way);
    }
    for (int i = 0; i < m->multiplier_count; i++) m->now.lambda[i] = x[freedoms + i] / h;
    head->euler = true;
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}

Twist mechanism_euler_twist(const Mechanism *m, int port) {
    int node = m->ports[port].node;
    if (node < 0) return (Twist){{0, 0, 0}, {0, 0, 0}};
    Vec3 arm = mat3_apply(m->one.nodes[node].R, m->ports[port].offset), w = m->now.nodes[node].w;
    Vec3 v = m->now.nodes[node].v;
    if (m->tree) { // from pose to pose
        const double *velocity = m->tree->velocity + 6 * node;
        v = vec3(velocity[0], velocity[1], velocity[2]), w = vec3(velocity[3], velocity[4], velocity[5]);
    }
    return (Twist){vec3_add(v, vec3_cross(w, arm)), w};
}
