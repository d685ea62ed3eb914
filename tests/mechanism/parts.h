// Parts that the tests of the mechanism's core are made of: definitions, a ball joint, a spring on a freedom.
#ifndef TESTS_MECHANISM_PARTS_H
#define TESTS_MECHANISM_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "check_math.h"
#include "math/so3.h"
#include "mechanism/internal.h"

// ---- a ball joint: point on node 1 = point on node 0; phi = x1 + R1 o1 - x0 - R0 o0 ------------------------
typedef struct Ball {
    Vec3 offset[2];
    Vec3 speed; // at which the two points are driven apart
} Ball;

static inline void ball_rows(double *J, int size, int row, int column, Mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) J[(row + i) * size + column + j] += block.m[i][j];
}

static void ball_residual(const Element *element, const ElementInput *in, double *r) {
    const Ball *ball = element->data;
    Vec3 lambda = vec3(in->lambda[0], in->lambda[1], in->lambda[2]), gap = vec3_zero();
    for (int n = 0; n < 2; n++) {
        double sign = n ? 1 : -1;
        Vec3 arm = mat3_apply(in->node[n]->R, ball->offset[n]);
        Vec3 moment = vec3_cross(arm, lambda);
        gap = vec3_madd(gap, sign, vec3_add(in->node[n]->x, arm));
        for (int k = 0; k < 3; k++) {
            r[6 * n + k] = sign * vec3_component(lambda, k);
            r[6 * n + 3 + k] = sign * vec3_component(moment, k);
        }
    }
    gap = vec3_madd(gap, -in->t, ball->speed);
    for (int k = 0; k < 3; k++) r[12 + k] = vec3_component(gap, k);
}

static void ball_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                          double *J) {
    const Ball *ball = element->data;
    Vec3 lambda = vec3(in->lambda[0], in->lambda[1], in->lambda[2]);
    (void)cm, (void)cc;
    for (int n = 0; n < 2; n++) {
        double sign = n ? 1 : -1;
        Mat3 arm = mat3_skew(mat3_apply(in->node[n]->R, ball->offset[n]));
        Mat3 one = mat3_scale(sign, mat3_identity());
        ball_rows(J, 15, 12, 6 * n, one);
        ball_rows(J, 15, 6 * n, 12, one);
        ball_rows(J, 15, 12, 6 * n + 3, mat3_scale(-sign, arm));
        ball_rows(J, 15, 6 * n + 3, 12, mat3_scale(sign, arm));
        ball_rows(J, 15, 6 * n + 3, 6 * n + 3, mat3_scale(ck * sign, mat3_mul(mat3_skew(lambda), arm)));
    }
}

static void ball_rates(const Element *element, const ElementInput *in, double *rate, double *second) {
    const Ball *ball = element->data;
    Vec3 first = vec3_zero(), next = vec3_zero();
    for (int n = 0; n < 2; n++) {
        const NodeState *node = in->node[n];
        double sign = n ? 1 : -1;
        Vec3 arm = mat3_apply(node->R, ball->offset[n]), turning = vec3_cross(node->w, arm);
        first = vec3_madd(first, sign, vec3_add(node->v, turning));
        Vec3 a = vec3_add(vec3_cross(node->alpha, arm), vec3_cross(node->w, turning));
        next = vec3_madd(next, sign, vec3_add(node->a, a));
    }
    for (int k = 0; k < 3; k++) {
        rate[k] = vec3_component(first, k) - vec3_component(ball->speed, k);
        if (second) second[k] = vec3_component(next, k);
    }
}

static Vec3 ball_marker(const Element *element, const ElementInput *in) {
    const Ball *ball = element->data;
    return vec3_add(in->node[1]->x, mat3_apply(in->node[1]->R, ball->offset[1]));
}

static const ElementKind ball_kind = {.name = "ball",
                                      .residual = ball_residual,
                                      .jacobian = ball_jacobian,
                                      .rates = ball_rates,
                                      .marker = ball_marker};

static inline void add_ball(Builder *builder, const char *name, int first, Vec3 o1, int second, Vec3 o2) {
    Ball ball = {{o1, o2}, vec3_zero()};
    builder_add_element(builder, &ball_kind, name, &ball, sizeof ball, 2, (int[]){first, second}, 3, 0);
}

// ---- spring and damper on the translations of one node, each axis its own --------------------------------------
typedef struct Anchor {
    double k[3], c[3];
    Vec3 from;
} Anchor;

static void anchor_residual(const Element *element, const ElementInput *in, double *r) {
    const Anchor *anchor = element->data;
    for (int i = 0; i < 3; i++) {
        r[i] = anchor->k[i] * (vec3_component(in->node[0]->x, i) - vec3_component(anchor->from, i)) +
               anchor->c[i] * vec3_component(in->node[0]->v, i);
        r[3 + i] = 0;
    }
}
static void anchor_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                            double *J) {
    const Anchor *anchor = element->data;
    (void)in, (void)cm;
    for (int i = 0; i < 3; i++) J[7 * i] = ck * anchor->k[i] + cc * anchor->c[i];
}
static void anchor_energy(const Element *element, const ElementInput *in, ElementEnergy *energy) {
    const Anchor *anchor = element->data;
    for (int i = 0; i < 3; i++) {
        double s = vec3_component(in->node[0]->x, i) - vec3_component(anchor->from, i);
        double v = vec3_component(in->node[0]->v, i);
        energy->elastic += 0.5 * anchor->k[i] * s * s;
        energy->dissipated += anchor->c[i] * v * v;
    }
}
static const ElementKind anchor_kind = {
    .name = "anchor", .residual = anchor_residual, .jacobian = anchor_jacobian, .energy = anchor_energy};

static inline void add_anchor(Builder *builder, int node, Vec3 k, Vec3 c) {
    Anchor anchor = {{k.x, k.y, k.z}, {c.x, c.y, c.z}, vec3_zero()};
    builder_add_element(builder, &anchor_kind, "anchor", &anchor, sizeof anchor, 1, &node, 0, 0);
}

// ---- definitions ---------------------------------------------------------------------------------------------
static inline IntegratorDefinition integrator(double rho_inf, double tolerance) {
    return (IntegratorDefinition){.rho_inf = rho_inf, .tolerance = tolerance, .iterations = 30};
}

static inline Mechanism *must_create(const MechanismDefinition *definition, Vec3 gravity,
                                     MrcStatus (*more)(Builder *, MrcError *)) {
    MechanismSetting setting = {.gravity = gravity};
    MrcError error = {0};
    Mechanism *m;
    if (mechanism_create_with(definition, &setting, more, &m, &error) != MRC_OK) fail_msg("%s", error.text);
    return m;
}

static inline void must(MrcStatus status, const MrcError *error) {
    if (status != MRC_OK) fail_msg("%s", error->text);
}

static inline void step(Mechanism *m, double h, const Load *loads) {
    MrcError error = {0};
    must(mechanism_begin(m, h, &error), &error);
    must(mechanism_advance(m, loads, &error), &error);
    must(mechanism_commit(m, &error), &error);
}

#endif
