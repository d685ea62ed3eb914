// Impulses at the ports as jumps of velocity (condensed scheme).
//
// On top of the step to t + h, with dv = D P and du = D E (mobility.c):
//
//     t + h     velocities v + dv; poses moved by h du (orientations by exp(h du)); accelerations from the
//               forces at the new pose and velocity, without the impulses
//     t         velocities v(t) + dv; poses moved by h (du - dv); accelerations unchanged
//
// The two-step formula of the next step then has a smooth past that leads to the new velocity and pose. P
// is the whole impulse of the step. E contains when it acted: an impulse at t + s counts with 1 - s/h,
// because it moved the ports during the rest of the step only. Impulses of rigid grains belong to the whole
// step, E = P. Nonlinear constraints are violated by terms of order (h dv)^2; one projection removes them
// from poses and velocities.
//
// Angular momentum. P acts where the port was at t (port_arm), and the whole mechanism gets its moment, about
// any fixed point. But nodes with the momentum p, velocity v + dv and mass m, are shifted by h du after the
// jump, which adds h du x p to their angular momentum. It is taken back by moments -h du x p on the nodes,
// as part of the jump. (About a fixed axis du and p are parallel, and the moments vanish. In free flight they move the
// force P back to where its node was at t.) Semi-implicit Euler acts on nodes where they were at t, moves them by h (v
// + du), and takes back h p x (dv - du) + h du x m dv.
//
// Joints respond with impulses L, which are part of the solution D. L/h is added to their reactions.
//
// Driven joints do the work of what the two-step formula makes of their reactions. It takes lambda* of the step, before the jump,
// with the weight beta = b0/(1 + a2) and lambda of the present, after it, in the steps that follow, so that in all they are
//
//     lambda + beta (lambda* - lambda) + L/h
//     G^T (lambda* - lambda) = M (a - a*) + f(x, v) - f(x*, v*) ~ M (a - a*) + h K dv + C dv
//     G^T L = Q^T P - M dv - {h [(e - 1/2) + beta] C + h^2 beta K} dv       jump.c, e = 1
//
// Their sum has no K: with da = dv/h + beta (a* - a) it is the lambda' of
//
//     M (a + da) + f(x, v + (e - 1/2) dv) + G^T lambda' = Q^T P/h
//
// the equations of motion with the load, at the velocity without the lag that it makes: what report.c says of a load that lasts.
// The power of drives is that of lambda, and lambda' - lambda does the rest of the work. (L in place of h (lambda' - lambda) counts
// once more what stiff directions have in lambda already. The axle of a flexible arm that rose by 0.05 m of 0.25 m, turned at
// 1.5 rad/s and carried 2 N beside its line took 3.1 mW, all of it numerical dissipation, with a moment of 3e-6 N m.)
// Beams that a jump bends have forces that are not linear: what report.c says of them is by the mean of the forces before and
// after the jump, the work here by those after it. The two are 4 uW apart with this arm at a step of 1 ms.
//
// The work of the impulses is what the other side recorded, or else P.u + P.dv/2, u being the mean velocity of
// the step without them. The projection does no work of theirs.
//
// The state at t is shifted when the step is committed, so that a step can be begun again.
#include <math.h>

#include "math/so3.h"
#include "mechanism/tree.h"

// Before the first jump of the step.
static void impulse_keep_unpushed(Mechanism *m) {
    for (int i = 0; i < 2 * m->matrix.freedoms; i++)
        if (m->shift[i] != 0) return;
    memcpy(m->unpushed, m->now.nodes, sizeof(NodeState) * (size_t)m->node_count);
}

static void impulse_add_jump(Mechanism *m, const double *dv, const double *du, double h) {
    int freedoms = m->matrix.freedoms;
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = dv + 6 * n, *u = du + 6 * n;
        double move[6];
        for (int k = 0; k < 6; k++) {
            m->shift[6 * n + k] += d[k];
            m->lag[6 * n + k] += m->head->lag_share * d[k];
            m->shift[freedoms + 6 * n + k] += h * (u[k] - d[k]);
            move[k] = h * u[k];
        }
        if (m->tree) continue; // nodes follow their coordinates: tree_add_jump
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
        node_displace(node, move);
    }
}

// Semi-implicit Euler has no past to be shifted, and its accelerations include the impulse: nodes move by h
// times the whole velocity.
static void impulse_add_euler_jump(Mechanism *m, const double *dv, const double *du, double h) {
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        const double *d = dv + 6 * n, *u = du + 6 * n;
        const double way[6] = {h * (node->v.x + u[0]), h * (node->v.y + u[1]), h * (node->v.z + u[2]),
                               h * (node->w.x + u[3]), h * (node->w.y + u[4]), h * (node->w.z + u[5])};
        for (int k = 0; k < 6; k++) {
            double more = m->tree ? u[k] - 0.5 * d[k] : d[k] - u[k];
            m->shift[6 * n + k] += more;
            m->lag[6 * n + k] += m->tree ? more : -more;
            if (m->tree) m->stiff_jump[6 * n + k] += d[k]; // all of it: tree_euler.c
        }
        if (m->tree) continue; // tree_add_euler_jump
        node->x = m->one.nodes[n].x;
        node->R = m->one.nodes[n].R;
        node_displace(node, way);
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
        node->a = vec3_madd(node->a, 1 / h, vec3(d[0], d[1], d[2]));
        node->alpha = vec3_madd(node->alpha, 1 / h, vec3(d[3], d[4], d[5]));
    }
}

// Takes back the angular momentum that nodes get by being shifted.
static bool impulse_keep_angular_momentum(Mechanism *m, double *dv, const double *du) {
    double *x = m->unknown, h = m->head->h;
    bool euler = m->head->euler;
    memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
    for (int n = 0; n < m->node_count; n++) {
        const double *d = dv + 6 * n, *u = du + 6 * n;
        Vec3 jump = vec3(d[0], d[1], d[2]), way = vec3(u[0], u[1], u[2]), v = m->now.nodes[n].v;
        Vec3 gained = euler ? vec3_add(vec3_cross(v, vec3_sub(jump, way)), vec3_cross(way, jump))
                            : vec3_cross(way, vec3_add(v, jump));
        gained = vec3_scale(h * m->node_mass[n], gained);
        x[6 * n + 3] = -gained.x, x[6 * n + 4] = -gained.y, x[6 * n + 5] = -gained.z;
    }
    if (m->tree) tree_jump_solve(m, x);
    bool solved = m->tree ? true
                  : euler ? factor_solve(&m->mass_matrix, &m->mass_factor, x, 1)
                          : jump_factors(m) && jump_solve(m, x);
    if (!solved) return false;
    for (int i = 0; i < m->matrix.size; i++) dv[i] += x[i];
    return true;
}

// Impulses times the change of the ports' velocities in a jump dv of all velocities.
static double impulse_power(const Mechanism *m, const Load *impulses, const double *dv) {
    double sum = 0;
    for (int p = 0; p < m->port_count; p++) {
        Twist jump = mobility_port(m, p, dv);
        sum += vec3_dot(impulses[p].force, jump.linear) + vec3_dot(impulses[p].moment, jump.angular);
    }
    return sum;
}

// Impulses times the ports' mean velocities in the step, from the poses at its two ends.
static double impulse_power_of_motion(const Mechanism *m, const Load *impulses) {
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

double impulse_drive_power(const Mechanism *m, double *lambda, Instant at, double t) {
    ElementEnergy sum = {0};
    at.lambda = lambda;
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        if (!element->kind->energy) continue;
        ElementInput in = element_input(m, element, at, t);
        element->kind->energy(element, &in, &sum);
    }
    return sum.work;
}

// By the masses alone, and nothing moves: the rebound after a step.
static bool impulse_is_rebound(const Mechanism *m, const Load *early) {
    static const Load none = {0};
    bool still = early && m->mobility.of_masses && !m->head->euler;
    for (int p = 0; p < m->port_count && still; p++) still = memcmp(&early[p], &none, sizeof none) == 0;
    return still;
}

static const double impulse_ledger_share =
    100; // of the error that accelerations may have: these are for the ledger only

// Work of the drives at the mean of both ends of the step.
static double impulse_drive_work(const Mechanism *m, double *lambda) {
    const StateHead *head = m->head;
    return 0.5 * head->h *
           (impulse_drive_power(m, lambda, m->one, head->t) +
            impulse_drive_power(m, lambda, m->now, head->t + head->h));
}

// Records work and reactions, before the jump.
static void impulse_record(Mechanism *m, const Load *impulses, const double *works, const double *dv) {
    StateHead *head = m->head;
    if (!works)
        head->step_impulse_work +=
            impulse_power_of_motion(m, impulses) + 0.5 * impulse_power(m, impulses, dv);
    for (int p = 0; works && p < m->port_count; p++) head->step_impulse_work += works[p];
    for (int i = 0; i < m->multiplier_count; i++) // L/h: mean reactions to the impulses
        m->lambda_impulse[i] += dv[m->matrix.freedoms + i] / head->h;
    head->step_drive_work = impulse_drive_work(m, m->lambda_impulse);
}

// The velocities of now without the lag that all jumps of this step would make if they lasted.
static void impulse_take_lag(Mechanism *m) {
    for (int n = 0; n < m->node_count; n++) {
        const double *d = m->lag + 6 * n;
        NodeState *node = &m->now.nodes[n];
        node->v = vec3_add(node->v, vec3(d[0], d[1], d[2]));
        node->w = vec3_add(node->w, vec3(d[3], d[4], d[5]));
    }
    if (!m->tree) return;
    tree_rates_of_nodes(m, m->now, m->lag, m->tree->x);
    for (int k = 0; k < m->tree->count; k++) m->now.u[k] += m->tree->x[k];
}

// After the jump: the work of lambda' - lambda in place of that of L. Where that is zero no drive moves, or nothing pushes.
static bool impulse_settle_drives(Mechanism *m, double t) {
    StateHead *head = m->head;
    double *lambda = m->jump + 2 * m->matrix.size, allowed = newton_allowed(m, m->one.nodes, head->c);
    bool stiff = head->stiff_acts;
    Load loads[PORTS_MAX];
    if (head->step_drive_work == 0) return true;
    for (int p = 0; p < m->port_count; p++)
        loads[p] = load_add(m->loads[p], load_scale(1 / head->h, m->impulses[p]));
    instant_copy(m, m->reported, m->now);
    impulse_take_lag(m);
    head->stiff_acts = false; // it is in the impulses
    bool solved =
        m->tree ? tree_solve_accelerations(m, m->now, t, loads)
                : consistent_accelerations(m, t, loads, impulse_ledger_share * allowed, CONSISTENT_JUMP);
    head->stiff_acts = stiff;
    for (int i = 0; i < m->multiplier_count; i++) lambda[i] = m->now.lambda[i] - m->reported.lambda[i];
    instant_copy(m, m->now, m->reported);
    head->step_drive_work = impulse_drive_work(m, lambda);
    return solved;
}

void impulse_on_euler(Mechanism *m, const Load *impulses, const double *works, const double *dv,
                      const double *du) {
    impulse_record(m, impulses, works, dv);
    impulse_add_euler_jump(m, dv, du, m->head->h);
    if (m->tree && !tree_add_euler_jump(m, dv, du)) m->tree->open = true;
}

// The joints kept after the jump: poses, velocities, accelerations.
static bool impulse_keep_joints(Mechanism *m, double t) {
    double c = m->head->c, allowed = newton_allowed(m, m->one.nodes, c);
    bool changed, good = !m->constraint_count ||
                         (step_matrix_in_use(m) && consistent_positions(m, t, c * c * allowed) &&
                          consistent_velocities(m, t, c * allowed, &changed));
    return good && consistent_accelerations(m, t, m->loads, allowed, CONSISTENT_JUMP);
}

MrcStatus mechanism_impulse(Mechanism *m, const Load *impulses, const Load *early, const double *works,
                            MrcError *error) {
    StateHead *head = m->head;
    if (head->stage < STAGE_ITERATED) return error_set(error, MRC_USAGE, "mechanism: impulse before advance");
    if (!m->mobility.known) return error_set(error, MRC_USAGE, "mechanism: impulse before mobility");
    double *dv = m->jump, *du = dv + m->matrix.size, t = head->t + head->h;
    bool late = early && memcmp(early, impulses, sizeof *early * (size_t)m->port_count) != 0;
    if (!mobility_answer(m, impulses, dv) || (late && !mobility_answer(m, early, du)))
        return error_set(error, MRC_NOT_CONVERGED, "the answer to impulses cannot be found at t = %.9g s", t);
    if (!late) memcpy(du, dv, sizeof(double) * (size_t)m->matrix.size);
    for (int p = 0; p < m->port_count; p++) m->impulses[p] = load_add(m->impulses[p], impulses[p]);
    if (impulse_is_rebound(m, early) && !rebound_take(m, impulses, dv))
        return error_set(error, MRC_NOT_CONVERGED, "the answer to a rebound cannot be found at t = %.9g s",
                         t);
    if (m->mobility.divided && !stiff_take(m, impulses, dv, du))
        return error_set(error, MRC_NOT_CONVERGED, "the step cannot be found with the loads at t = %.9g s",
                         t);
    bool shifted = !head->euler || late;
    if (shifted && !impulse_keep_angular_momentum(m, dv, du))
        return error_set(error, MRC_NOT_CONVERGED, "the answer to impulses cannot be found at t = %.9g s", t);
    if (head->euler) {
        impulse_on_euler(m, impulses, works, dv, du);
        return MRC_OK;
    }
    impulse_record(m, impulses, works, dv);
    impulse_keep_unpushed(m);
    impulse_add_jump(m, dv, du, head->h);
    if (!(m->tree ? tree_add_jump(m, dv, du) : impulse_keep_joints(m, t)) || !impulse_settle_drives(m, t))
        return error_set(error, MRC_NOT_CONVERGED,
                         "the joints cannot be kept together under the impulses at t = %.9g s", t);
    head->stage = STAGE_SOLVED;
    return MRC_OK;
}
