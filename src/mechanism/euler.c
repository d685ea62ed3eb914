// One step of semi-implicit Euler, joints kept: how rigid-contact programs advance everything (TIGHT Eqs.
// 18-19).
//
//     M (v' - v) + h f(q, v, t) + G^T L = 0          forces at the beginning of the step
//     phi(q, t)/h + G v' + d(phi)/dt = 0             joints, with their errors of position taken back
//     q' = q + h v'
//
// For the monolithic scheme: the same equations with the impulses of contacts in them are a contact problem
// with joints as bilateral rows (rows.c); or impulses come on top through the explicit mobility, [M G^T; G
// 0]^-1, which is the same with the joints taken out beforehand. First order, and unstable for what is stiff
// for the step; that is what it is compared with the two-step scheme for.
#include <math.h>

#include "mechanism/internal.h"

MrcStatus mechanism_euler(Mechanism *m, double h, MrcError *error) {
    StateHead *head = m->head;
    int freedoms = m->matrix.freedoms;
    double *x = m->unknown, t = head->t;
    MrcStatus status = mechanism_begin(m, h, error);
    if (status != MRC_OK) return status;
    memset(m->loads, 0, sizeof(Load) * PORTS_MAX);
    for (int n = 0; n < m->node_count; n++) {
        m->now.nodes[n] = m->one.nodes[n];
        m->now.nodes[n].a = m->now.nodes[n].alpha = vec3_zero();
    }
    memset(m->now.lambda, 0, sizeof(double) * (size_t)m->multiplier_count);
    Instant at = {m->now.nodes, m->now.lambda, m->one.memory, m->now.inputs};
    mech_residual(m, at, t, NULL, x);
    mech_rates(m, at, t, m->rates, NULL);
    for (int i = 0; i < freedoms; i++) x[i] *= -h;
    for (int i = 0; i < m->multiplier_count; i++) x[freedoms + i] = -(x[freedoms + i] / h + m->rates[i]);
    if (!array_resize(&m->in_problem.asked, (size_t)m->matrix.size))
        return error_memory(error, "the mechanism");
    memcpy(m->in_problem.asked.data, x, sizeof(double) * (size_t)m->matrix.size);
    head->mass_t = NAN; // the matrix of this very instant
    if (!mass_matrix(m, t) || !factor_solve(&m->mass_matrix, &m->mass_factor, x, 1))
        return error_set(
            error, MRC_NOT_CONVERGED,
            "the mechanism's mass matrix is singular at t = %.9g s: something can move that has no mass", t);
    head->mass_t = t + h; // also that of the impulses that follow
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
    return (Twist){vec3_add(m->now.nodes[node].v, vec3_cross(w, arm)), w};
}
