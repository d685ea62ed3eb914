// Velocities and accelerations that satisfy the constraints.
//
// Newton's iteration puts positions on the constraints (index 3). Velocities and accelerations in the
// directions of the constraints are then differences of positions. With rho_inf = 1 their errors alternate
// from step to step and do not decay, and neither do those of the reactions. Therefore, after the step:
//
//     velocities     S dv + G^T L = 0,          G dv = -d(phi)/dt      the least change
//     accelerations  M a + f + G^T lambda = 0,  d^2(phi)/dt^2 = 0      the equations of motion themselves
//
// Velocities, accelerations and reactions are then of second order for every rho_inf. The metric of the
// least change is the matrix of the step, S = M + c C + c^2 K, so that stiff parts are not bent. Without
// constraints nothing is changed, and the scheme is that of Zhang et al. 2020
// (doi:10.1016/j.mechmachtheory.2020.104181); nothing is changed either where constraints do not move (a
// clamp).
//
// Both are iterated on the exact equations, with factors that may be older. For the velocities this
// matters: dv is of order h^2 at every step, and factors that are off by a fixed angle would turn that
// fraction of it into motion along the constraints, an error of order h in the end. S dv is the product
// with the matrix itself. The change of the residual under a displacement of c^2 dv would be lost in
// rounding where beams are stiff.
//
// Degrees of freedom without mass have no equation of motion. They keep the acceleration of the step, with
// the least change that the constraints need (a fictitious mass, 1e-6 of a typical one, resists the
// change). Multipliers that act on them are in balance to that precision.
#include <math.h>

#include "mechanism/tree.h"

enum { CONSISTENT_ITERATIONS = 30 };
// New factors, with those of the jump that go with them, cost as much as some forty iterations for the velocities, and in a
// mechanism that turns steadily last for some ten steps: more iterations than these are worth them.
static const double consistent_extra_iterations = 6;

static void consistent_add_rates(const Mechanism *m, NodeState *node, const double *d, bool accelerations) {
    for (int n = 0; n < m->node_count; n++, d += 6, node++) {
        Vec3 *linear = accelerations ? &node->a : &node->v,
             *angular = accelerations ? &node->alpha : &node->w;
        *linear = vec3_add(*linear, vec3(d[0], d[1], d[2]));
        *angular = vec3_add(*angular, vec3(d[3], d[4], d[5]));
    }
}

// Solves for the right-hand side [0; -defect] with the factors `metric`; the result is in m->unknown.
static bool consistent_solve_defect(Mechanism *m, Factor *metric, const double *defect) {
    memset(m->unknown, 0, sizeof(double) * (size_t)m->matrix.freedoms);
    for (int i = 0; i < m->multiplier_count; i++) m->unknown[m->matrix.freedoms + i] = -defect[i];
    return metric == &m->step_factor ? step_solve(m, m->unknown)
                                     : factor_solve(&m->matrix, metric, m->unknown, 1);
}

bool consistent_positions(Mechanism *m, double t, double allowed) {
    double last = INFINITY;
    for (int k = 0; k < CONSISTENT_ITERATIONS; k++) {
        mech_phi(m, m->now, t, m->residual);
        double violation = mech_violation(m, m->residual, NULL);
        if (violation <= fmax(allowed, 1e-14 * m->length) ||
            (violation <= 1e-11 * m->length && violation > 0.1 * last))
            return true;
        if (!isfinite(violation) || !consistent_solve_defect(m, &m->step_factor, m->residual)) return false;
        for (int n = 0; n < m->node_count; n++) node_displace(&m->now.nodes[n], m->unknown + 6 * n);
        last = violation;
    }
    return false;
}

// Where joints block each other, no velocity satisfies them, or only a huge one. A change that is larger than the
// velocities before it is refused.
static double consistent_largest_speed(const Mechanism *m) {
    double largest = 0;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        double v2 = vec3_norm2(node->v), w2 = m->length * m->length * vec3_norm2(node->w);
        double a2 = vec3_norm2(node->a), alpha2 = m->length * m->length * vec3_norm2(node->alpha);
        largest = larger(largest, sqrt(larger(v2, w2)) + m->head->c * sqrt(larger(a2, alpha2)));
    }
    return largest;
}

bool consistent_velocities(Mechanism *m, double t, double allowed, bool *changed) {
    double limit = 2 * consistent_largest_speed(m) + allowed;
    double *x = m->unknown, *sum = m->saved, last = 0;
    int freedoms = m->matrix.freedoms;
    bool renewed = false;
    mech_rates(m, m->now, t, m->rates, NULL);
    *changed = mech_violation(m, m->rates, NULL) > allowed;
    if (!*changed) return true;
    memset(sum, 0, sizeof(double) * (size_t)m->matrix.size);
    if (!consistent_solve_defect(m, &m->step_factor, m->rates)) return false;
    for (int k = 0; k < CONSISTENT_ITERATIONS; k++) {
        double size = newton_size(m, x, NULL), rate = last > 0 ? size / last : 1;
        if (!isfinite(size)) return false;
        for (int i = 0; i < m->matrix.size; i++) sum[i] += x[i];
        if (newton_size(m, sum, NULL) > limit) return false;
        if (size <= allowed || (rate < 1 && size * rate <= allowed * (1 - rate))) {
            consistent_add_rates(m, m->now.nodes, sum, false);
            return true;
        }
        bool slow = rate > 0.9 || log(size / allowed) > -consistent_extra_iterations * log(rate);
        if (rate > 0.2 && last > 0 && !renewed && slow) { // the factors are too old
            if (!step_matrix(m, t)) return false;
            renewed = true;
            last = 0;
        } else last = size;
        memset(x, 0, sizeof(double) * (size_t)m->matrix.size);
        weighted_subtract(m, t, m->head->c, m->head->c * m->head->c, sum, x, 1);
        instant_copy(m, m->trial, m->now);
        consistent_add_rates(m, m->trial.nodes, sum, false);
        mech_rates(m, m->trial, t, m->rates, NULL);
        for (int i = 0; i < m->multiplier_count; i++) x[freedoms + i] = -m->rates[i];
        if (!step_solve(m, x)) return false;
    }
    return false;
}

// Rows of degrees of freedom without mass: the change since the step, and the fictitious mass.
static void consistent_massless_rows(const Mechanism *m, const double *r_step, const double *a_step,
                                     double *r) {
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        double a[6] = {node->a.x, node->a.y, node->a.z, node->alpha.x, node->alpha.y, node->alpha.z};
        for (int k = 0; k < 6; k++) {
            int i = 6 * n + k;
            if (m->massless[i] > 0) r[i] += 1e-6 * m->massless[i] * (a[k] - a_step[i]) - r_step[i];
        }
    }
}

static void consistent_store_accelerations(const Mechanism *m, double *a) {
    for (int n = 0; n < m->node_count; n++, a += 6) {
        const NodeState *node = &m->now.nodes[n];
        a[0] = node->a.x, a[1] = node->a.y, a[2] = node->a.z;
        a[3] = node->alpha.x, a[4] = node->alpha.y, a[5] = node->alpha.z;
    }
}

static const double consistent_rounding = 1e-10; // of accelerations, relative: what forces that cancel leave

static double consistent_acceleration_scale(const Mechanism *m) {
    consistent_store_accelerations(m, m->residual);
    double gravity = vec3_norm(m->gravity);
    return fmax(newton_size(m, m->residual, NULL), gravity) + m->length;
}

// At the start, degrees of freedom without mass get the smallest acceleration that the constraints allow.
static bool consistent_massless_start(Mechanism *m, double t) {
    Factor *factor = &m->work_factor;
    mech_jacobian(m, m->now, t, 0, 0, 0, factor);
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        for (int k = 0; k < 6; k++) {
            bool free = m->massless[6 * n + k] > 0;
            double weight = m->mass_scale * (k < 3 ? 1 : m->length * m->length);
            factor_add_diagonal(&m->matrix, factor, 6 * n + k, free ? weight : 1e10 * weight);
            if (free) vec3_set_component(k < 3 ? &node->a : &node->alpha, k % 3, 0);
        }
    }
    if (!factor_pivot(&m->matrix, factor, NULL)) return false;
    mech_rates(m, m->now, t, NULL, m->seconds);
    if (!consistent_solve_defect(m, factor, m->seconds)) return false;
    consistent_add_rates(m, m->now.nodes, m->unknown, true);
    return true;
}

// How far nodes that joints hold have moved or turned since the mass matrix was factored, over the size of the mechanism.
// The factors are exact for all others (mass_solve), and for all if this is zero.
static double consistent_displacement(const Mechanism *m) {
    double largest2 = 0;
    for (int n = 0; n < m->node_count; n++) {
        if (m->alone[n]) continue;
        const NodeState *now = &m->now.nodes[n], *then = &m->mass_point.nodes[n];
        Mat3 turn = mat3_mul(now->R, mat3_transpose(then->R));
        Vec3 axis =
            vec3(turn.m[2][1] - turn.m[1][2], turn.m[0][2] - turn.m[2][0], turn.m[1][0] - turn.m[0][1]);
        double way = vec3_norm2(vec3_sub(now->x, then->x)) / (m->length * m->length);
        largest2 = fmax(largest2, fmax(way, vec3_norm2(axis)));
    }
    return sqrt(largest2);
}

// Of the error after a first correction over the correction: a constraint changes by its displacement over the distance
// of its points, which may be a small part of the mechanism's size.
static const double consistent_factors_age = 1000;

// `allowed`: error of the accelerations; 0: that of rounding. Those of a step must not change by more than what joints that
// block each other would make of them. After impulses they may: stiff parts of little mass are deflected by the jump.
bool consistent_accelerations(Mechanism *m, double t, const Load *loads, double allowed,
                              ConsistentAccelerations what) {
    bool from_step = what != CONSISTENT_START;
    double *x = m->unknown, *r_step = m->saved, *a_step = m->saved + m->matrix.freedoms, last = 0;
    double limit = INFINITY;
    if (what == CONSISTENT_STEP) limit = 100 * (consistent_largest_speed(m) / m->head->c + allowed);
    int freedoms = m->matrix.freedoms;
    if (!mass_matrix_in_use(m) && !mass_matrix(m, t)) return false;
    mech_forces(m, m->now, t, loads, m->forces); // the iteration does not change them
    for (int k = 0;; k++) {
        memcpy(x, m->forces, sizeof(double) * (size_t)m->matrix.size);
        mech_add_others(m, m->now, t, x);
        mech_rates(m, m->now, t, NULL, x + freedoms);
        if (from_step && m->massless_count) {
            if (k == 0) {
                memcpy(r_step, x, sizeof(double) * (size_t)freedoms);
                consistent_store_accelerations(m, a_step);
            }
            consistent_massless_rows(m, r_step, a_step, x);
        }
        for (int i = 0; i < m->matrix.size; i++) x[i] = -x[i];
        if (!mass_solve(m, x)) return false;
        double size = newton_size(m, x, NULL);
        if (!isfinite(size) || size > limit) return false;
        consistent_add_rates(m, m->now.nodes, x, true);
        for (int i = 0; i < m->multiplier_count; i++) m->now.lambda[i] += x[freedoms + i];
        if (allowed > 0) size = fmax(size, allowed * newton_reactions(m, x + freedoms, allowed));
        double rate = last > 0 ? size / last : 1;
        if (size <= allowed || (rate < 1 && size * rate <= allowed * (1 - rate))) break;
        if (k == 0 && from_step && consistent_factors_age * consistent_displacement(m) * size <= allowed)
            break; // as good as it gets: joints that do not move, a clamp
        if (k > 1 && rate > 0.1 && size <= consistent_rounding * consistent_acceleration_scale(m)) break;
        if (k >= CONSISTENT_ITERATIONS) return false;
        bool measured = last > 0;
        last = size;
        if (measured && rate > 0.1) { // the factors are too old
            if (!mass_matrix(m, t)) return false;
            last = 0;
        }
    }
    return from_step || !m->massless_count || consistent_massless_start(m, t);
}

bool consistent_step(Mechanism *m, Instant one, double t, const Load *loads) {
    if (m->tree) return tree_step_reactions(m, t, loads); // all else is consistent already
    if (!m->constraint_count) return true;
    bool changed;
    double allowed = newton_allowed(m, one.nodes, m->head->c);
    if (!consistent_velocities(m, t, m->head->c * allowed, &changed)) return false;
    if (!changed) {
        mech_rates(m, m->now, t, NULL, m->seconds);
        if (mech_violation(m, m->seconds, NULL) <= allowed && m->head->reaction_error <= 1) return true;
    }
    return consistent_accelerations(m, t, loads, allowed, CONSISTENT_STEP);
}
