// The integrator: from accelerations at t + h to velocities and positions there.
//
// The two-step formula (math/two_step.h) is applied to velocities and to positions, with c = h b0 and the
// indices 1 and 2 for the instants t and t - past:
//
//     v = v~ + c a,   v~ = a1 v1 + a2 v2 + h (b1 v1' + b2 v2')
//     x = x~ + c v,   x~ = a1 x1 + a2 x2 + h (b1 v1 + b2 v2)
//
// so that the accelerations are the only unknowns of Newton's iteration. Angular velocities in world axes
// follow the first line. Orientations are R = exp(theta) R1 with a rotation vector theta from the
// orientation at t, and d(theta)/dt = T(theta)^-1 w. theta is small at all three instants (zero at t, and
// log(R2 R1^T) at t - past), so that no orientation is singular as long as a step turns a node by less than
// half a turn:
//
//     theta = theta~ + c T(theta)^-1 w,   theta~ = a2 theta2 + h (b1 w1 + b2 T(theta2)^-1 w2)
//
// This is solved for each node (turns.c). (Cayley-Gibbs-Rodrigues parameters
// would serve as well, but a steady rotation is linear in rotation vectors and therefore exact.)
//
// Steps of unequal length. Let s = past/h. Second order and a double root -rho_inf of b0 z^2 + b1 z + b2
// (the scheme for infinitely fast motion) are five equations for the five coefficients:
//
//     d    = (1 - rho)^2/2 / (2 + 2/s - (1 - rho)^2)
//     b0   = 1/2 + d,   a2 = (2/s) (rho^2 b0 - d/s),   a1 = 1 - a2
//     b1   = 2 rho b0,  b2 = rho^2 b0
//
// With s = 1 they are those of Zhang et al. 2020, Eqs. 3-4 (doi:10.1016/j.mechmachtheory.2020.104181).
// Without a past (the first step, or one more than 2.5 times longer than the last) one step of the
// trapezoidal rule is taken. It is of second order, too, and the one-step member of the same family (rho =
// 1). Motion that is too fast for the step is neither damped nor amplified in that one step.
//
// rho_inf = 1. The formula is then the sum of two steps of the trapezoidal rule. Since the first step is
// one of the trapezoidal rule, both give the same; but the two-step polynomial has the additional root -1.
// Motion that is much too fast for the step, vibrating or overdamped, has a root close to -1 as well. With
// two roots there, the errors that Newton's iteration leaves grow in proportion to the number of steps. So
// the trapezoidal rule itself is taken, except after impulses, whose shifted past needs the two-step
// formula (impulse.c).
#include "mechanism/tree.h"

static const double two_step_growth = 2.5; // of a step over the last one, at most

TwoStep two_step_variable(double rho, double past) {
    if (past * two_step_growth < 1) return (TwoStep){.a1 = 1, .b0 = 0.5, .b1 = 0.5};
    if (fabs(past - 1) < 1e-9) return two_step(rho);
    double square = (1 - rho) * (1 - rho);
    double d = 0.5 * square / (2 + 2 / past - square), b0 = 0.5 + d;
    double a2 = 2 / past * (rho * rho * b0 - d / past);
    return (TwoStep){.a1 = 1 - a2, .a2 = a2, .b0 = b0, .b1 = 2 * rho * b0, .b2 = rho * rho * b0};
}

// c1 y1 + c2 y2 + d1 y1' + d2 y2'
static Vec3 two_step_combine(double c1, Vec3 y1, double c2, Vec3 y2, double d1, Vec3 rate1, double d2,
                             Vec3 rate2) {
    return vec3_madd(vec3_madd(vec3_madd(vec3_scale(c1, y1), c2, y2), d1, rate1), d2, rate2);
}

// Weights of y1, y2, y1', y2' in the rate at t + h of the cubic through both (Zhang et al. 2020, Eq. 5, for
// past = h: -12/h, 12/h, 8, 5).
static void two_step_hermite_weights(double past, double h, double weights[4]) {
    double s = 1 + h / past;
    weights[0] = (6 * s - 6 * s * s) / past;
    weights[1] = -weights[0];
    weights[2] = 3 * s * s - 2 * s;
    weights[3] = 3 * s * s - 4 * s + 1;
}

static void two_step_begin_elements(Mechanism *m, Instant one, double t, double h) {
    if (!m->memory_count) return;
    memcpy(m->now.memory, one.memory, sizeof(double) * (size_t)m->memory_count);
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        if (!element->kind->begin_step) continue;
        ElementInput in = element_input(m, element, one, t + h);
        in.inputs = m->now.inputs; // they hold over the step
        element->kind->begin_step(element, &in, h, m->now.memory + element->state);
    }
}

// Is the predicted acceleration far from those that it is extrapolated from? For smooth motion they differ
// by a fraction of order omega h. The cubic amplifies vibrations that are too fast for the step by (omega
// h)^2, in poses, and Newton's iteration would begin far away.
static bool two_step_is_rough(const Mechanism *m, Instant one, Instant two) {
    double change2 = 0, size2 = 0, L2 = m->length * m->length;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *y = &m->now.nodes[n], *y1 = &one.nodes[n], *y2 = &two.nodes[n];
        change2 = larger(change2, vec3_norm2(vec3_sub(y->a, y1->a)));
        change2 = larger(change2, L2 * vec3_norm2(vec3_sub(y->alpha, y1->alpha)));
        size2 = larger(size2, larger(vec3_norm2(y1->a), vec3_norm2(y2->a)));
        size2 = larger(size2, L2 * larger(vec3_norm2(y1->alpha), vec3_norm2(y2->alpha)));
    }
    return change2 > 9 * size2;
}

void step_predict(Mechanism *m, Instant one, Instant two, double past_h, double t, double h) {
    double rho = m->definition->integrator.rho_inf;
    bool past = past_h * two_step_growth >= h, undamped = rho == 1 && !m->head->past_shifted;
    TwoStep s = two_step_variable(rho, undamped ? 0 : past_h / h);
    double w[4] = {0};
    if (past) two_step_hermite_weights(past_h, h, w);
    m->head->scheme = s;
    m->head->c = h * s.b0;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *y1 = &one.nodes[n], *y2 = past ? &two.nodes[n] : y1;
        NodeState *y = &m->now.nodes[n];
        StepBase *base = &m->base[n];
        base->v = two_step_combine(s.a1, y1->v, s.a2, y2->v, h * s.b1, y1->a, h * s.b2, y2->a);
        base->w = two_step_combine(s.a1, y1->w, s.a2, y2->w, h * s.b1, y1->alpha, h * s.b2, y2->alpha);
        base->x = two_step_combine(s.a1, y1->x, s.a2, y2->x, h * s.b1, y1->v, h * s.b2, y2->v);
        base->theta = vec3_scale(h * s.b1, y1->w);
        if (past) {
            Vec3 theta2 = so3_log(mat3_mul(y2->R, mat3_transpose(y1->R)));
            Vec3 rate2 = so3_tangent_inverse_apply(theta2, y2->w);
            base->theta = vec3_madd(vec3_madd(base->theta, s.a2, theta2), h * s.b2, rate2);
        }
        base->turn = vec3_scale(h, y1->w);
        *y = *y1;
        if (past) {
            y->a = two_step_combine(w[0], y1->v, w[1], y2->v, w[2], y1->a, w[3], y2->a);
            y->alpha = two_step_combine(w[0], y1->w, w[1], y2->w, w[2], y1->alpha, w[3], y2->alpha);
        }
    }
    memcpy(m->now.lambda, one.lambda, sizeof(double) * (size_t)m->multiplier_count);
    two_step_begin_elements(m, one, t, h);
    if (m->tree) tree_predict(m, one, two, past, w, t + h, h);
    else if (past && two_step_is_rough(m, one, two)) step_extrapolate(m, one, two, past_h, h);
    else step_move(m, one);
}

// Poses are extrapolated linearly from the last step; the formulas are inverted for the accelerations that
// lead to them: w = T(theta) (theta - theta~)/c and so on.
void step_extrapolate(Mechanism *m, Instant one, Instant two, double past_h, double h) {
    bool past = past_h * two_step_growth >= h;
    double c = m->head->c;
    if (m->tree) {
        tree_extrapolate(m, one, two, past ? h / past_h : 0, h);
        return;
    }
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *y1 = &one.nodes[n], *y2 = &two.nodes[n];
        NodeState *y = &m->now.nodes[n];
        StepBase *base = &m->base[n];
        Vec3 way = vec3_scale(h, y1->v), turn = vec3_scale(h, y1->w);
        if (past) {
            way = vec3_scale(h / past_h, vec3_sub(y1->x, y2->x));
            turn = vec3_scale(-h / past_h, so3_log(mat3_mul(y2->R, mat3_transpose(y1->R))));
        }
        Vec3 v = vec3_scale(1 / c, vec3_sub(vec3_add(y1->x, way), base->x));
        Vec3 w = mat3_apply(so3_tangent(turn), vec3_scale(1 / c, vec3_sub(turn, base->theta)));
        y->a = vec3_scale(1 / c, vec3_sub(v, base->v));
        y->alpha = vec3_scale(1 / c, vec3_sub(w, base->w));
        base->turn = turn;
    }
    memcpy(m->now.lambda, one.lambda, sizeof(double) * (size_t)m->multiplier_count);
    step_move(m, one);
}

// Velocity from the cubic through the last two positions and velocities, position from the two-step formula
// with it, acceleration unchanged.
NodeState step_prediction(const Mechanism *m, int n) {
    const StateHead *head = m->head;
    const NodeState *y1 = &m->one.nodes[n], *y2 = &m->two.nodes[n];
    const StepBase *base = &m->base[n];
    NodeState y = *y1;
    Vec3 rate = y1->w;
    if (head->past_h * two_step_growth >= head->h) {
        double w[4];
        Vec3 theta2 = so3_log(mat3_mul(y2->R, mat3_transpose(y1->R)));
        Vec3 rate2 = so3_tangent_inverse_apply(theta2, y2->w);
        two_step_hermite_weights(head->past_h, head->h, w);
        y.v = two_step_combine(w[0], y1->x, w[1], y2->x, w[2], y1->v, w[3], y2->v);
        rate = two_step_combine(w[0], vec3_zero(), w[1], theta2, w[2], y1->w, w[3], rate2);
    }
    Vec3 theta = vec3_madd(base->theta, head->c, rate);
    y.x = vec3_madd(base->x, head->c, y.v);
    y.R = mat3_mul(so3_exp(theta), y1->R);
    y.w = mat3_apply(so3_tangent(theta), rate);
    return y;
}

void step_move(Mechanism *m, Instant one) {
    double c = m->head->c;
    if (m->tree) {
        tree_step_move(m);
        return;
    }
    for (int n = 0; n < m->node_count; n++) {
        NodeState *y = &m->now.nodes[n];
        const StepBase *base = &m->base[n];
        y->v = vec3_madd(base->v, c, y->a);
        y->w = vec3_madd(base->w, c, y->alpha);
        y->x = vec3_madd(base->x, c, y->v);
    }
    turns_move(m, one);
}

// With D = d(T^-1(theta) w)/d(theta), d(theta) = (I - c D)^-1 c T^-1 d(w) and d(rotation) = T d(theta).
bool turn_inverse(Vec3 theta, Vec3 w, double c, Mat3 *inverse) {
    if (c * c * vec3_norm2(w) < 1e-6) return false;
    Mat3 D = mat3_scale(-c, so3_tangent_inverse_derivative(theta, w));
    for (int i = 0; i < 3; i++) D.m[i][i] += 1;
    *inverse = mat3_mul(mat3_mul(so3_tangent(theta), D), so3_tangent_inverse(theta));
    return true;
}
