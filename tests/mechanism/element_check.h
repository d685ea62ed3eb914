// What every element must satisfy, whatever its physics: its Jacobian is the derivative of its residual, the
// rates of its constraints are those along a motion, and between two nodes it exerts no net force or moment.
#ifndef TESTS_MECHANISM_ELEMENT_CHECK_H
#define TESTS_MECHANISM_ELEMENT_CHECK_H

#include <string.h>

#include "check_math.h"
#include "math/so3.h"
#include "mechanism/part_type.h"

// ---- building ------------------------------------------------------------------------------------
typedef struct Site { // a definition with its builder
    MechanismDefinition definition;
    MechanismSetting setting;
    Builder builder;
    MrcError error;
} Site;

static inline Vec3 site_bounded(Random *random, double size) {
    return vec3_scale(size * random_uniform(random), check_random_direction(random));
}

// Somewhere, somehow turned (by less than 1.2 rad, so that two are less than half a turn apart), moving.
static inline NodeState site_random_node(Random *random) {
    return (NodeState){.x = check_random_vec3(random),
                       .R = so3_exp(site_bounded(random, 1.2)),
                       .v = check_random_vec3(random),
                       .w = check_random_vec3(random),
                       .a = check_random_vec3(random),
                       .alpha = check_random_vec3(random)};
}

// Nodes named a, b, c, ... in random places.
static inline void site_open(Site *site, int node_count, uint64_t seed) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    Random random = {seed};
    site->builder = (Builder){.definition = &site->definition, .setting = &site->setting};
    site->builder.arena = arena_create();
    assert_non_null(site->builder.arena);
    for (int i = 0; i < node_count; i++) {
        NodeState node = site_random_node(&random);
        builder_add_node(&site->builder, names[i], &node);
    }
}

static inline void site_close(Site *site) { arena_destroy(site->builder.arena); }

static inline void site_build(Site *site, const PartType *type) {
    if (builder_build_parts(&site->builder, type, &site->error) != MRC_OK) fail_msg("%s", site->error.text);
}

static inline void site_refuse(Site *site, const PartType *type, const char *words) {
    assert_int_equal(builder_build_parts(&site->builder, type, &site->error), MRC_MODEL);
    if (!strstr(site->error.text, words)) fail_msg("'%s' does not say '%s'", site->error.text, words);
}

// ---- one element in some configuration -----------------------------------------------------------
typedef struct Trial {
    const Element *element;
    double t;
    NodeState nodes[ELEMENT_NODES];
    double lambda[ELEMENT_MULTIPLIERS];
    double state[16];
} Trial;

static inline int trial_size(const Trial *trial) {
    return 6 * trial->element->node_count + trial->element->multiplier_count;
}

// As the builder has placed the nodes; ground stays.
static inline Trial trial_at_start(const Site *site, int element) {
    Trial trial = {.element = &site->builder.elements[element]};
    for (int i = 0; i < trial.element->node_count; i++)
        trial.nodes[i] = *builder_node(&site->builder, trial.element->node[i]);
    return trial;
}

static inline Trial trial_random(const Site *site, int element, Random *random) {
    Trial trial = trial_at_start(site, element);
    trial.t = random_uniform(random);
    for (int i = 0; i < trial.element->node_count; i++)
        if (trial.element->node[i] >= 0) trial.nodes[i] = site_random_node(random);
    for (int i = 0; i < ELEMENT_MULTIPLIERS; i++) trial.lambda[i] = random_normal(random);
    return trial;
}

static inline ElementInput trial_input(const Trial *trial) {
    ElementInput in = {
        .t = trial->t, .gravity = vec3(0.3, -2, 9.8), .lambda = trial->lambda, .state = trial->state};
    for (int i = 0; i < trial->element->node_count; i++) in.node[i] = &trial->nodes[i];
    return in;
}

static inline void trial_residual(const Trial *trial, double *r) {
    ElementInput in = trial_input(trial);
    trial->element->kind->residual(trial->element, &in, r);
}

static inline ElementEnergy trial_energy(const Trial *trial) {
    ElementInput in = trial_input(trial);
    ElementEnergy energy = {0};
    trial->element->kind->energy(trial->element, &in, &energy);
    return energy;
}

static inline double trial_power(const Trial *trial) { // that the residual needs at the nodes' velocities
    double r[ELEMENT_ROWS], power = 0;
    trial_residual(trial, r);
    for (int i = 0; i < trial->element->node_count; i++) {
        power += vec3_dot(vec3(r[6 * i], r[6 * i + 1], r[6 * i + 2]), trial->nodes[i].v);
        power += vec3_dot(vec3(r[6 * i + 3], r[6 * i + 4], r[6 * i + 5]), trial->nodes[i].w);
    }
    return power;
}

// ---- the Jacobian against the difference quotient ------------------------------------------------
enum Direction { ALONG_Q, ALONG_V, ALONG_A, ALONG_LAMBDA };

static inline void vec3_shift(Vec3 *v, int axis, double by) {
    vec3_set_component(v, axis, vec3_component(*v, axis) + by);
}

static inline Trial trial_shifted(const Trial *trial, enum Direction direction, int k, double by) {
    Trial shifted = *trial;
    NodeState *node = &shifted.nodes[k / 6];
    int axis = k % 3;
    bool turn = k % 6 >= 3;
    if (direction == ALONG_LAMBDA) shifted.lambda[k] += by;
    else if (direction == ALONG_V) vec3_shift(turn ? &node->w : &node->v, axis, by);
    else if (direction == ALONG_A) vec3_shift(turn ? &node->alpha : &node->a, axis, by);
    else if (!turn) vec3_shift(&node->x, axis, by);
    else node->R = mat3_mul(so3_exp(vec3(by * (axis == 0), by * (axis == 1), by * (axis == 2))), node->R);
    return shifted;
}

// Five points: at h = 1e-3 truncation and rounding are both near 1e-11 of the third derivative and of r.
static inline void trial_quotient(const Trial *trial, enum Direction direction, int k, double *column) {
    const double h = 1e-3;
    static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    for (int i = 0; i < trial_size(trial); i++) column[i] = 0;
    for (int p = 0; p < 4; p++) {
        double r[ELEMENT_ROWS];
        Trial shifted = trial_shifted(trial, direction, k, h * offsets[p]);
        trial_residual(&shifted, r);
        for (int i = 0; i < trial_size(trial); i++) column[i] += weights[p] * r[i] / (12 * h);
    }
}

static inline void check_jacobian(const Trial *trial, double tolerance) {
    int size = trial_size(trial), freedoms = 6 * trial->element->node_count;
    ElementInput in = trial_input(trial);
    double r[ELEMENT_ROWS], rounding = 1e-18; // of the quotient: a few 1e-16 |r|/h
    trial_residual(trial, r);
    for (int i = 0; i < size; i++) rounding = fmax(rounding, 1e-12 * fabs(r[i]));
    for (int direction = ALONG_Q; direction <= ALONG_A; direction++) {
        static double J[ELEMENT_ROWS * ELEMENT_ROWS];
        memset(J, 0, sizeof J);
        trial->element->kind->jacobian(trial->element, &in, direction == ALONG_A, direction == ALONG_V,
                                       direction == ALONG_Q, J);
        double scale = 0;
        for (int i = 0; i < size * size; i++) scale = fmax(scale, fabs(J[i]));
        for (int k = 0; k < size; k++) {
            double column[ELEMENT_ROWS];
            bool multiplier = k >= freedoms;
            trial_quotient(trial, multiplier ? ALONG_LAMBDA : (enum Direction)direction,
                           multiplier ? k - freedoms : k, column);
            for (int i = 0; i < size; i++) {
                if (i >= freedoms && direction != ALONG_Q)
                    continue; // phi depends on q only; G is always there
                if (fabs(J[i * size + k] - column[i]) > tolerance * scale + rounding)
                    fail_msg("%s '%s': entry %d, %d of derivative %d is %.12g, its quotient %.12g",
                             trial->element->kind->name, trial->element->name, i, k, direction,
                             J[i * size + k], column[i]);
            }
        }
    }
}

// ---- motions: smooth, with exact derivatives -----------------------------------------------------
typedef struct Path {
    NodeState start; // its v, w, a, alpha are coefficients of the motion
    bool still;
} Path;

// x = x0 + v t + a sin(t)^2/2, R = exp(w t + alpha t^2/2) R0
static inline NodeState path_at(const Path *path, double t) {
    const NodeState *c = &path->start;
    if (path->still) return *c;
    NodeState node;
    Vec3 phi = vec3_madd(vec3_scale(t, c->w), 0.5 * t * t, c->alpha), rate = vec3_madd(c->w, t, c->alpha);
    Mat3 T = so3_tangent(phi);
    node.x = vec3_madd(vec3_madd(c->x, t, c->v), 0.5 * sin(t) * sin(t), c->a);
    node.v = vec3_madd(c->v, sin(t) * cos(t), c->a);
    node.a = vec3_scale(cos(2 * t), c->a);
    node.R = mat3_mul(so3_exp(phi), c->R);
    node.w = mat3_apply(T, rate);
    node.alpha = vec3_add(mat3_apply(T, c->alpha), mat3_apply(so3_tangent_derivative(phi, rate), rate));
    return node;
}

static inline Trial trial_along(const Trial *start, double t) {
    Trial now = *start;
    now.t = t;
    for (int i = 0; i < start->element->node_count; i++) {
        Path path = {start->nodes[i], start->element->node[i] < 0};
        now.nodes[i] = path_at(&path, t);
    }
    if (now.element->kind->begin_step && now.element->state_count > 0) { // memory from t = 0
        ElementInput in = trial_input(start);
        in.t = t;
        now.element->kind->begin_step(now.element, &in, t, now.state);
    }
    return now;
}

// The rates are those of phi along a motion that passes through `trial` (whose t is 0).
static inline void check_rates(const Trial *start, double t) {
    static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    int first = 6 * start->element->node_count, count = start->element->multiplier_count;
    double rate[6], second[6], quotient[6] = {0}, second_quotient[6] = {0}, unused[6];
    Trial now = trial_along(start, t);
    ElementInput in = trial_input(&now);
    now.element->kind->rates(now.element, &in, rate, second);
    for (int p = 0; p < 4; p++) {
        Trial other = trial_along(start, t + h * offsets[p]);
        double r[ELEMENT_ROWS], other_rate[6];
        trial_residual(&other, r);
        in = trial_input(&other);
        other.element->kind->rates(other.element, &in, other_rate, unused);
        for (int i = 0; i < count; i++) {
            quotient[i] += weights[p] * r[first + i] / (12 * h);
            second_quotient[i] += weights[p] * other_rate[i] / (12 * h);
        }
    }
    for (int i = 0; i < count; i++) {
        check_near(rate[i], quotient[i], 2e-8 * (1 + fabs(rate[i])));
        check_near(second[i], second_quotient[i], 2e-8 * (1 + fabs(second[i])));
    }
}

// Action and reaction: what an element exerts on all its nodes has no sum and no moment about the origin.
static inline void check_balance(const Trial *trial) {
    double r[ELEMENT_ROWS], scale = 1;
    Vec3 force = vec3_zero(), moment = vec3_zero();
    trial_residual(trial, r);
    for (int i = 0; i < trial->element->node_count; i++) {
        Vec3 f = vec3(r[6 * i], r[6 * i + 1], r[6 * i + 2]);
        Vec3 m = vec3(r[6 * i + 3], r[6 * i + 4], r[6 * i + 5]);
        force = vec3_add(force, f);
        moment = vec3_add(moment, vec3_add(m, vec3_cross(trial->nodes[i].x, f)));
        scale += vec3_norm(f) * (1 + vec3_norm(trial->nodes[i].x)) + vec3_norm(m);
    }
    check_vec3_near(force, vec3_zero(), 1e-14 * scale);
    check_vec3_near(moment, vec3_zero(), 1e-14 * scale);
}

#endif
