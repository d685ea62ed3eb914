// Impulses at the ports as jumps of velocity (condensed scheme).
//
// On top of the step to t + h, with dv = D P and du = D E (mobility.c):
//
//     velocities       v + dv, and poses by h du (orientations by exp(h du))
//     accelerations    from the forces at the new pose and velocity; impulses are not among them
//     stored past      velocities at t become v(t) + dv, poses there move by h (du - dv), accelerations stay
//
// so that the two-step formula of the next step sees a smooth past that leads to the new velocity and pose.
// P is the whole impulse of the step. E tells when it acted: a part at t + s counts 1 - s/h times, since it
// has moved things for the rest of the step only. Impulses of rigid grains belong to the whole step, E = P.
// Joints that are not linear are left by terms of order (h dv)^2; one projection brings poses and velocities
// back to them.
//
// Joints answer with impulses L of their own, which the solution for D brings along; L/h is added to their
// reactions, and driven joints put in L times what they drive.
//
// The work of the impulses is that along the way u h of the step without them and half of the jump, P.u +
// P.dv/2, as the grains see it. What the projection changes on top is no work of theirs.
//
// The past is shifted when the step is committed: a step that is begun again is as if nothing had happened.
#include <math.h>

#include "math/so3.h"
#include "mechanism/internal.h"

static void add_jump(Mechanism *m, const double *dv, const double *du, double h) {
    int freedoms = m->matrix.freedoms;
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = dv + 6 * n, *u = du + 6 * n;
        double move[6];
        for (int k = 0; k < 6; k++) {
            m->shift[6 * n + k] += d[k];
            m->shift[freedoms + 6 * n + k] += h * (u[k] - d[k]);
            move[k] = h * u[k];
        }
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
        node_displace(node, move);
    }
}

// Semi-implicit Euler has no past to be shifted, and the impulse is part of what accelerates: nodes go from
// where they were by h times the whole velocity.
static void add_euler_jump(Mechanism *m, const double *dv, const double *du, double h) {
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = dv + 6 * n, *u = du + 6 * n;
        const double way[6] = {h * (node->v.x + u[0]), h * (node->v.y + u[1]), h * (node->v.z + u[2]),
                               h * (node->w.x + u[3]), h * (node->w.y + u[4]), h * (node->w.z + u[5])};
        node->x = m->one.nodes[n].x;
        node->R = m->one.nodes[n].R;
        node_displace(node, way);
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
        node->a = vec3_madd(node->a, 1 / h, vec3(d[0], d[1], d[2]));
        node->alpha = vec3_madd(node->alpha, 1 / h, vec3(d[3], d[4], d[5]));
    }
}

// Impulses times what a jump of all velocities adds to those of the ports.
static double impulse_power(const Mechanism *m, const Load *impulses, const double *dv) {
    double sum = 0;
    for (int p = 0; p < m->port_count; p++) {
        Twist jump = mobility_port(m, p, dv);
        sum += vec3_dot(impulses[p].force, jump.linear) + vec3_dot(impulses[p].moment, jump.angular);
    }
    return sum;
}

// Impulses times the mean velocities of the step, by the poses at its two ends.
static double impulse_way(const Mechanism *m, const Load *impulses) {
    double sum = 0;
    for (int p = 0; p < m->port_count; p++) {
        if (m->ports[p].node < 0) continue;
        const NodeState *from = &m->one.nodes[m->ports[p].node], *to = &m->now.nodes[m->ports[p].node];
        Vec3 arm = vec3_sub(mat3_apply(to->R, m->ports[p].offset), mat3_apply(from->R, m->ports[p].offset));
        Vec3 way = vec3_add(vec3_sub(to->x, from->x), arm);
        Vec3 turn = so3_log(mat3_mul(to->R, mat3_transpose(from->R)));
        sum += vec3_dot(impulses[p].force, way) + vec3_dot(impulses[p].moment, turn);
    }
    return sum / m->head->h;
}

// Power of driven joints under these reactions alone.
static double drive_power(const Mechanism *m, Instant at, double t) {
    ElementEnergy sum = {0};
    at.lambda = m->push;
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        if (!element->kind->energy) continue;
        ElementInput in = element_input(m, element, at, t);
        element->kind->energy(element, &in, &sum);
    }
    return sum.work;
}

// Work and reactions, before the jump is made.
static void book(Mechanism *m, const Load *impulses, const double *dv) {
    StateHead *head = m->head;
    head->step_impulse_work += impulse_way(m, impulses) + 0.5 * impulse_power(m, impulses, dv);
    for (int i = 0; i < m->multiplier_count; i++) // L/h: mean reactions to the impulses
        m->push[i] += dv[m->matrix.freedoms + i] / head->h;
    head->step_drive_work =
        0.5 * head->h * (drive_power(m, m->one, head->t) + drive_power(m, m->now, head->t + head->h));
}

void impulse_on_euler(Mechanism *m, const Load *impulses, const double *dv, const double *du) {
    book(m, impulses, dv);
    add_euler_jump(m, dv, du, m->head->h);
}

MrcStatus mechanism_impulse(Mechanism *m, const Load *impulses, const Load *early, MrcError *error) {
    StateHead *head = m->head;
    if (head->stage < STAGE_ITERATED) return error_set(error, MRC_USAGE, "mechanism: impulse before advance");
    if (!m->mobility.known) return error_set(error, MRC_USAGE, "mechanism: impulse before mobility");
    double *dv = m->jump, *du = dv + m->matrix.size, t = head->t + head->h;
    bool late = early && memcmp(early, impulses, sizeof *early * (size_t)m->port_count) != 0;
    if (!mobility_answer(m, impulses, dv) || (late && !mobility_answer(m, early, du)))
        return error_set(error, MRC_NOT_CONVERGED, "the answer to impulses cannot be found at t = %.9g s", t);
    if (!late) du = dv;
    if (head->euler) {
        impulse_on_euler(m, impulses, dv, du);
        return MRC_OK;
    }
    book(m, impulses, dv);
    add_jump(m, dv, du, head->h);
    double allowed = newton_allowed(m, m->one.nodes, head->c);
    bool changed, good = !m->constraint_count ||
                         (step_matrix_in_use(m) && consistent_positions(m, t, head->c * head->c * allowed) &&
                          consistent_velocities(m, t, head->c * allowed, &changed));
    if (!good || !consistent_accelerations(m, t, m->loads, allowed, true))
        return error_set(error, MRC_NOT_CONVERGED,
                         "the joints cannot be kept together under the impulses at t = %.9g s", t);
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}
