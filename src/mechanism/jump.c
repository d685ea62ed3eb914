// The matrix of velocity jumps, and what lasts of them.
//
// Impulses at the ports during a step become a jump dv of all velocities (impulse.c). A steady load is the same jump in
// every step. Let s be the times in the step at which its impulses p act, and
//
//     e = sum p (1 - s/h) / sum p          `early`: 1 for the impulses of rigid grains, which belong to the whole step,
//                                          (1 + 1/n)/2 for n equal small steps
//
// so that poses are shifted by e h dv, the stored velocity by dv and the stored pose by -(1 - e) h dv. The state at rest
// then has the velocity V with
//
//     v* = V - dv,   x* = x - e h dv         before the jump
//     V = -(e - 1/2) dv                      from the two-step formula for poses, 1 - b0 + b2 = (1 + a2)/2
//     M dv = h (K x + C V) - h b0/(1 + a2) (e h K + C) dv     from that for velocities, b0 + b1 + b2 = 1 + a2
//
// The load P = h K x of the equilibrium therefore belongs to a jump with P = S' dv,
//
//     S'(e) = M + h [(e - 1/2) + b0/(1 + a2)] C + h^2 [e b0/(1 + a2)] K,   bordered by the constraints,
//
// and with this matrix equilibria are exact for every step, damper and stiffness (docs/theory/condensed.md). It is not
// the matrix of Newton's iteration, but it is factored together with it: at the same point, and for the same time.
//
// V is a lag of the velocity, not a motion. What is reported is v + (e - 1/2) dv, for that part of dv that lasts: with
// the jumps dv, dv' of this step and the one before, node by node,
//
//     lasting = dv max(0, dv.dv') / max(|dv|^2, |dv'|^2)
//
// A steady load makes it dv, a single impact 0. Of a load that lasts, the lag is a lag only as far as other forces F of the
// machine hold it, because they act within the step: at rest h F + Q^T P + G^T L = 0 and v + (e - 1/2) dv = 0. Where nothing
// holds it, on a rotor or a body in flight, v belongs to the same instants as the velocities of the grains that push, and v
// is what keeps the momentum of both. So the lag counts with
//
//     held = min(1, 10 share),   share = -h F.dv / (P.u),   u: of the ports in the jump dv
//
// F being all forces but those of inertia and of joints, which do no work in dv. The factor 10: with less than a tenth
// of the load held, machine and grains are moving on together. (Semi-implicit
// Euler with small steps rests at V = dv - du instead, with x(n+1) = x(n) + h (v* + du): there dv - du is what lasts,
// and forces are evaluated without it.)
//
// The same quantities give the motion of a port within a step (mechanism_curve): for small steps its velocity changes
// linearly from v at the beginning to v* at the end, which moves nothing under a load at rest. Along directions that
// are stiff for the step (omega h > 1) velocities of single steps are noise, which heavy grains amplify. There, only
// the lasting part counts: the change of velocity D = v* - v becomes
//
//     D - S'^-1 (S' - M) (D + lasting)
//
// which is D where the mechanism is soft and -lasting where it is stiff.
#include <math.h>

#include "mechanism/tree.h"

static void jump_set_weights(Mechanism *m, double cc, double ck) {
    if (cc != m->jumps.cc || ck != m->jumps.ck) m->jumps.factor.serial = 0;
    m->jumps.cc = cc;
    m->jumps.ck = ck;
}

void jump_set_early(Mechanism *m, double early) {
    const TwoStep *s = &m->head->scheme;
    double h = m->head->h, share = s->b0 / (s->b0 + s->b1 + s->b2);
    jump_set_weights(m, h * (early - 0.5 + share), h * h * early * share);
    m->head->lag_share = early - 0.5;
}

void jump_set_undamped(Mechanism *m, double square) {
    jump_set_weights(m, 0, square);
    m->head->lag_share = 0.5;
}

// As with the matrix of the step, the order of pivots is that of a matrix at the start.
static void jump_choose_pivots(Mechanism *m, Factor *factor, double *pivot_c) {
    double c = m->head->pivot_c;
    if (factor->pivoted && *pivot_c == c) return;
    weighted_values(m, m->start, 0, c, c * c, factor);
    factor_pivot(&m->matrix, factor, NULL);
    *pivot_c = c;
}

static bool jump_compute(Mechanism *m, Instant at, double t, Factor *factor, double *pivot_c) {
    jump_choose_pivots(m, factor, pivot_c);
    weighted_values(m, at, t, m->jumps.cc, m->jumps.ck, factor);
    m->counts.factorizations++;
    return factor_compute(&m->matrix, factor, NULL);
}

bool jump_factors(Mechanism *m) {
    JumpMatrix *j = &m->jumps;
    const StateHead *head = m->head;
    if (head->step_serial == 0) return false;
    if (j->factor.serial == head->step_serial) return true;
    if (!jump_compute(m, m->step_point, head->step_t, &j->factor, &j->pivot_c)) return false;
    j->factor.serial = head->step_serial;
    m->mobility.serial = j->stiff.serial = 0;
    return true;
}

bool jump_solve(Mechanism *m, double *x) { return turned_solve(m, &m->jumps.factor, x); }

bool jump_factors_now(Mechanism *m, double t) {
    return jump_compute(m, m->now, t, &m->jumps.now, &m->jumps.now_pivot_c);
}

void jump_values_damped(Mechanism *m, Instant at, double t, double cc, Factor *factor) {
    double *local = m->matrix.local;
    factor_clear(&m->matrix, factor);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        int size = 6 * element->node_count + element->multiplier_count;
        ElementInput in = element_input(m, element, at, t);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, 1, element->kind->massless ? cc : 0, 0, local);
        factor_add(&m->matrix, factor, e, size, local);
    }
    for (int i = 0; i < m->matrix.freedoms; i++) // no springs hold these: as in the matrix of the masses
        if (m->massless[i] > 0) factor_add_diagonal(&m->matrix, factor, i, 1e-6 * m->massless[i]);
}

bool jump_factors_damped(Mechanism *m, double t, double cc) {
    JumpMatrix *j = &m->jumps;
    jump_choose_pivots(m, &j->now, &j->now_pivot_c);
    jump_values_damped(m, m->now, t, cc, &j->now);
    m->counts.factorizations++;
    return factor_compute(&m->matrix, &j->now, NULL);
}

void jump_subtract(Mechanism *m, double t, const double *x, double *r, int columns) {
    weighted_subtract(m, t, m->jumps.cc, m->jumps.ck, x, r, columns);
}

// ---- what lasts ------------------------------------------------------------------------------------
// `more`: of which the same share lasts; NULL: nothing.
static void jump_find_lasting(const Mechanism *m, const double *now, double *before, double *lasting,
                              const double *more, double *lasting_more) {
    for (int i = 0; i < m->matrix.freedoms; i += 3) {
        const double *a = now + i, *b = before + i;
        double both = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        double square =
            larger(a[0] * a[0] + a[1] * a[1] + a[2] * a[2], b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        double share = both > 0 ? both / square : 0;
        for (int k = 0; k < 3; k++) lasting[i + k] = share * a[k];
        for (int k = 0; k < 3 && more; k++) lasting_more[i + k] = share * more[i + k];
    }
    memcpy(before, now, sizeof(double) * (size_t)m->matrix.freedoms);
}

// Power of the forces of an element, at rest where it has mass, in the jump dv of velocities.
static double jump_power_of_element(const Mechanism *m, const Element *element, const double *dv) {
    NodeState nodes[ELEMENT_NODES];
    double r[ELEMENT_ROWS], sum = 0;
    double t = m->head->stage == STAGE_IDLE ? m->head->t : m->head->t + m->head->h;
    ElementInput in = element_input(m, element, m->now, t);
    for (int i = 0; i < element->node_count; i++) {
        nodes[i] = *in.node[i];
        Twist lag = jump_lag(m, element->node[i]);
        nodes[i].v = element->kind->massless ? vec3_add(nodes[i].v, lag.linear) : vec3_zero();
        nodes[i].w = element->kind->massless ? vec3_add(nodes[i].w, lag.angular) : vec3_zero();
        nodes[i].a = nodes[i].alpha = vec3_zero();
        in.node[i] = &nodes[i];
    }
    element->kind->residual(element, &in, r);
    for (int i = 0; i < element->node_count; i++)
        for (int k = 0; k < 6 && element->node[i] >= 0; k++)
            sum -= r[6 * i + k] * dv[6 * element->node[i] + k];
    return sum;
}

double jump_held(const Mechanism *m, const double *dv, double time, double pushed) {
    double held = 0;
    for (int e = 0; e < m->element_count; e++)
        if (!m->elements[e].multiplier_count) held -= time * jump_power_of_element(m, &m->elements[e], dv);
    if (!(held > 0)) return 0;
    return 10 * held < pushed ? 10 * held / pushed : 1;
}

// Of the lag of the velocities.
static double jump_held_lag(const Mechanism *m) {
    double pushed = 0;
    bool lags = false;
    for (int i = 0; i < m->matrix.freedoms && !lags; i++) lags = m->lasting_lag[i] != 0;
    if (!lags) return 1;
    for (int p = 0; p < m->port_count; p++) {
        Twist u = mobility_port(m, p, m->shift);
        pushed += vec3_dot(m->impulses[p].force, u.linear) + vec3_dot(m->impulses[p].moment, u.angular);
    }
    return jump_held(m, m->shift, m->head->h, pushed);
}

void jump_remember(Mechanism *m) {
    jump_find_lasting(m, m->shift, m->last_jump, m->lasting_jump, m->lag, m->lasting_lag);
    jump_find_lasting(m, m->stiff_jump, m->last_stiff, m->lasting_stiff, NULL, NULL);
    m->head->held = jump_held_lag(m);
}

Twist jump_lag(const Mechanism *m, int node) {
    if (node < 0) return (Twist){vec3_zero(), vec3_zero()};
    const double *d = m->lasting_lag + 6 * node;
    return (Twist){vec3(d[0], d[1], d[2]), vec3(d[3], d[4], d[5])};
}

Twist mechanism_lag(const Mechanism *m, int node) {
    Twist lag = jump_lag(m, node);
    return (Twist){vec3_scale(m->head->held, lag.linear), vec3_scale(m->head->held, lag.angular)};
}

// ---- how ports move within a step ------------------------------------------------------------------
// D + lasting of a node, D being that part of the change of velocity that is no rotation of the node. What lasting
// forces along stiff directions add at the end of each step (stiff.c) is no change.
static void jump_change(const Mechanism *m, int node, double *x) {
    const NodeState *from = &m->one.nodes[node], *to = &m->now.nodes[node];
    Mat3 turn = mat3_mul(to->R, mat3_transpose(from->R));
    Vec3 linear = vec3_sub(to->v, mat3_apply(turn, from->v)),
         angular = vec3_sub(to->w, mat3_apply(turn, from->w));
    const double *lasting = m->lasting_jump + 6 * node, *stiff = m->lasting_stiff + 6 * node;
    for (int k = 0; k < 3; k++) {
        x[k] = vec3_component(linear, k) + lasting[k] + stiff[k];
        x[k + 3] = vec3_component(angular, k) + lasting[k + 3] + stiff[k + 3];
    }
}

bool mechanism_curve(Mechanism *m, Twist *changes) {
    int freedoms = m->matrix.freedoms;
    double *x = m->jump, *r = m->jump + m->matrix.size;
    if (m->tree ? !m->tree->jump_known : !jump_factors(m)) return false;
    if (m->tree)
        mech_jacobian(m, m->now, m->head->t + m->head->h, 0, m->jumps.cc, m->jumps.ck, &m->jumps.stiff);
    memset(x, 0, sizeof(double) * 2 * (size_t)m->matrix.size);
    for (int n = 0; n < m->node_count; n++) jump_change(m, n, x + 6 * n);
    if (m->jumps.stiff.serial != m->jumps.factor.serial)
        mech_jacobian(m, m->step_point, m->head->step_t, 0, m->jumps.cc, m->jumps.ck, &m->jumps.stiff);
    m->jumps.stiff.serial = m->jumps.factor.serial;
    factor_subtract_product(&m->matrix, &m->jumps.stiff, x, r, 1);
    memset(r + freedoms, 0, sizeof(double) * (size_t)m->multiplier_count);
    if (m->tree) tree_jump_solve(m, r);
    else if (!jump_solve(m, r)) return false; // -S'^-1 (S' - M) x
    for (int i = 0; i < freedoms; i++) r[i] += m->lasting_stiff[i];
    for (int p = 0; p < m->port_count; p++) {
        int node = m->ports[p].node;
        changes[p] = (Twist){vec3_zero(), vec3_zero()};
        if (node < 0) continue;
        const NodeState *from = &m->one.nodes[node], *to = &m->now.nodes[node];
        Vec3 arm = mat3_apply(from->R, m->ports[p].offset), new_arm = mat3_apply(to->R, m->ports[p].offset);
        Vec3 before = vec3_add(from->v, vec3_cross(from->w, arm));
        Vec3 after = vec3_add(to->v, vec3_cross(to->w, new_arm));
        Twist less = mobility_port(m, p, r);
        changes[p].linear = vec3_add(vec3_sub(after, before), less.linear);
        changes[p].angular = vec3_add(vec3_sub(to->w, from->w), less.angular);
    }
    return true;
}
