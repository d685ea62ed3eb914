// Derivatives of the residual of the beam (beam.c) along given directions.
//
// The formulas are those of beam_jacobian.c, applied to vectors instead of made into matrices. A direction moves
// positions by ck times and velocities by cc times its components (dx, d theta) of each node. What the middle node does
// is taken off as a rigid motion of the element: a translation, and a rotation d theta_1 of positions and velocities
// about the middle node. That rotation turns the residual; the rest has the middle node held, with
//
//     dx_i - dx_1 - d theta_1 x d_i,   d theta_i - d theta_1                 positions, times ck
//     cc dx_i - ck d theta_1 x v_i,    cc d theta_i - ck d theta_1 x w_i     velocities
#include "math/wide3.h"
#include "mechanism/beam_internal.h"

typedef struct EndChange { // of the first or the last node, relative to the middle one
    Wide3 d, y, g;
    Wide3 y_rate, g_rate; // only with damping
} EndChange;

static inline Wide3 beam_product_spin(double k, Vec3 g, Wide3 v) { // G v = k (v + 1/2 g x v)
    return wide3_scale(wide_set(k), wide3_fma(wide_set(0.5), wide3_cross(wide3_set(g), v), v));
}

static inline Wide3 beam_product_inverse_spin(Vec3 g, Wide3 v) { // G^-1 v = v - 1/2 g x v + 1/4 g (g.v)
    Wide3 wide = wide3_set(g), half = wide3_fma(wide_set(-0.5), wide3_cross(wide, v), v);
    return wide3_fma(wide_set(0.25) * wide3_dot(wide, v), wide, half);
}

// The motion of the middle node, for both ends.
typedef struct MiddleChange {
    Wide3 x, turn; // of its pose
    Wide3 v, w;    // of its velocities, less the rotation
    Wide3 spin;    // its angular velocity as it is
} MiddleChange;

static void beam_product_end(const BeamEnd *end, const NodeState *node, const Wide3 x[2], double cc,
                             double ck, bool damped, const MiddleChange *middle, EndChange *change) {
    Wide3 arm = wide3_set(end->arm), g = wide3_set(end->g), spin = wide3_set(end->spin);
    Wide3 turn = wide3_sub(wide3_scale(wide_set(ck), x[1]), middle->turn);
    Wide3 moved = wide3_cross(turn, arm);
    change->d = wide3_sub(wide3_scale(wide_set(ck), x[0]),
                          wide3_cross_add(middle->turn, wide3_set(end->d), middle->x));
    change->y = wide3_add(change->d, moved);
    change->g = beam_product_inverse_spin(end->g, turn);
    if (!damped) return;
    Wide3 v = wide3_sub(wide3_scale(wide_set(cc), x[0]), wide3_cross(middle->turn, wide3_set(node->v)));
    Wide3 w = wide3_sub(wide3_scale(wide_set(cc), x[1]), wide3_cross(middle->turn, wide3_set(node->w)));
    w = wide3_sub(w, middle->w); // of the relative angular velocity
    Wide3 rate = wide3_sub(wide3_sub(v, middle->v), wide3_cross(middle->w, wide3_set(end->d)));
    rate = wide3_sub(wide3_cross_add(w, arm, rate), wide3_cross(middle->spin, change->d));
    change->y_rate = wide3_cross_add(spin, moved, rate);
    // d(G^-1(g) W)/dg = 1/2 skew(W) + 1/4 ((g.W) I + g W^T)
    Wide3 by_g = wide3_fma(wide_set(0.25) * wide3_dot(spin, change->g), g,
                           wide3_scale(wide_set(0.25) * wide3_dot(g, spin), change->g));
    by_g = wide3_fma(wide_set(0.5), wide3_cross(spin, change->g), by_g);
    change->g_rate = wide3_add(beam_product_inverse_spin(end->g, w), by_g);
}

static inline Wide3 beam_product_blend(const double weight[2], Wide3 a, Wide3 b) {
    return wide3_fma(wide_set(weight[0]), a, wide3_scale(wide_set(weight[1]), b));
}

// d(G(g) v)/dg dg = -k/2 ((G v) (g.dg) + v x dg)
static Wide3 beam_product_spin_change(const BeamCut *cut, Vec3 v, Wide3 dg) {
    Wide3 turned = wide3_set(beam_spin_of(cut->k, cut->g, v));
    Wide along = wide3_dot(wide3_set(cut->g), dg);
    return wide3_scale(wide_set(-0.5 * cut->k), wide3_fma(along, turned, wide3_cross(wide3_set(v), dg)));
}

// (dG/dg h) v = k/2 (h x v - (g.h) G v)
static Wide3 beam_product_spin_derivative(const BeamCut *cut, Vec3 h, Wide3 v) {
    Wide3 turned = beam_product_spin(cut->k, cut->g, v);
    Wide3 sum = wide3_fma(wide_set(-vec3_dot(cut->g, h)), turned, wide3_cross(wide3_set(h), v));
    return wide3_scale(wide_set(0.5 * cut->k), sum);
}

// L dg of beam_jacobian.c.
static Wide3 beam_product_second_spin(const BeamCut *cut, Wide3 dg) {
    Vec3 g = cut->g, h = cut->dg, v = cut->g_rate;
    double k = cut->k, product = vec3_dot(g, h), dk = -0.5 * k * k * product;
    Vec3 u = vec3_madd(v, 0.5, vec3_cross(g, v)),
         row = vec3_scale(-0.5 * k * k, vec3_madd(h, -k * product, g));
    Wide3 sum = wide3_scale(wide3_dot(wide3_set(row), dg), wide3_set(u));
    sum = wide3_fma(wide_set(-0.5 * dk), wide3_cross(wide3_set(v), dg), sum);
    return wide3_fma(wide_set(-0.25 * k * k) * wide3_dot(wide3_set(g), dg), wide3_set(vec3_cross(h, v)), sum);
}

typedef struct CutChange {
    Wide3 force, moment; // the moment about the middle node
} CutChange;

static CutChange beam_product_cut(const Beam *beam, const BeamShape *shape, int c, const EndChange ends[2]) {
    const BeamCut *cut = &shape->cut[c];
    const BeamPoint *point = &beam->point[c];
    const SectionStiffness *law = &beam->stiffness;
    Wide3 y = beam_product_blend(point->shape, ends[0].y, ends[1].y),
          dy = beam_product_blend(point->slope, ends[0].y, ends[1].y),
          g = beam_product_blend(point->shape, ends[0].g, ends[1].g),
          dg = beam_product_blend(point->slope, ends[0].g, ends[1].g);
    Wide3 turn = beam_product_spin(cut->k, cut->g, g); // phi
    Wide3 stretch = wide3_cross_add(wide3_set(cut->dy), turn, dy);
    Wide3 curvature =
        wide3_add(beam_product_spin(cut->k, cut->g, dg), beam_product_spin_derivative(cut, cut->dg, g));
    if (shape->damping != 0) {
        Wide b = wide_set(shape->damping);
        Wide3 y_rate = beam_product_blend(point->slope, ends[0].y_rate, ends[1].y_rate),
              g_rate = beam_product_blend(point->shape, ends[0].g_rate, ends[1].g_rate),
              dg_rate = beam_product_blend(point->slope, ends[0].g_rate, ends[1].g_rate);
        Wide3 spin = wide3_add(beam_product_spin_change(cut, cut->g_rate, g),
                               beam_product_spin(cut->k, cut->g, g_rate));
        Wide3 dspin =
            wide3_add(beam_product_spin_change(cut, cut->dg_rate, g), beam_product_second_spin(cut, g));
        dspin = wide3_add(dspin, beam_product_spin_change(cut, cut->g_rate, dg));
        dspin = wide3_add(dspin, beam_product_spin(cut->k, cut->g, dg_rate));
        dspin = wide3_add(dspin, beam_product_spin_derivative(cut, cut->dg, g_rate));
        Wide3 rate = wide3_cross_add(dy, wide3_set(cut->spin), y_rate);
        rate = wide3_cross_add(wide3_set(cut->dy), spin, rate);
        rate = wide3_sub(rate, wide3_cross(turn, wide3_set(cut->stretch_rate)));
        dspin = wide3_sub(dspin, wide3_cross(turn, wide3_set(cut->dspin)));
        stretch = wide3_fma(b, rate, stretch);
        curvature = wide3_fma(b, dspin, curvature);
    }
    stretch = wide3_apply_transpose(&cut->R, stretch);
    curvature = wide3_apply_transpose(&cut->R, curvature);
    Wide3 n = wide3_add(wide3_apply(&law->force, stretch), wide3_apply(&law->coupling, curvature));
    Wide3 m = wide3_add(wide3_apply_transpose(&law->coupling, stretch), wide3_apply(&law->moment, curvature));
    CutChange change;
    change.force = wide3_cross_add(turn, wide3_set(cut->force), wide3_apply(&cut->R, n));
    change.moment = wide3_cross_add(turn, wide3_set(cut->moment), wide3_apply(&cut->R, m));
    change.moment = wide3_cross_add(y, wide3_set(cut->force), change.moment); // the lever changes by y
    change.moment = wide3_cross_add(wide3_set(cut->lever), change.force, change.moment);
    return change;
}

// The rows of a node: with the share of the rotation, which turns what there is, r.
static void beam_product_put(Wide *to, int wides, Wide3 turn, const double r[6], Wide3 force, Wide3 moment) {
    force = wide3_cross_add(turn, wide3_set(vec3(r[0], r[1], r[2])), force);
    moment = wide3_cross_add(turn, wide3_set(vec3(r[3], r[4], r[5])), moment);
    to[0] = force.x, to[wides] = force.y, to[2 * wides] = force.z;
    to[3 * wides] = moment.x, to[4 * wides] = moment.y, to[5 * wides] = moment.z;
}

static inline Wide3 beam_product_vector(const Wide *x, int wides, int row) {
    return (Wide3){x[row * wides], x[(row + 1) * wides], x[(row + 2) * wides]};
}

static void beam_product_along(const Beam *beam, const BeamShape *shape, const double *residual,
                               const ElementInput *in, double cc, double ck, int wides, const Wide *x,
                               Wide *r) {
    const NodeState *node = in->node[1];
    bool damped = shape->damping != 0;
    Wide3 by[3][2];
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 2; k++) by[n][k] = beam_product_vector(x, wides, 6 * n + 3 * k);
    MiddleChange middle = {.x = wide3_scale(wide_set(ck), by[1][0]),
                           .turn = wide3_scale(wide_set(ck), by[1][1])};
    if (damped) {
        middle.spin = wide3_set(node->w);
        middle.v =
            wide3_sub(wide3_scale(wide_set(cc), by[1][0]), wide3_cross(middle.turn, wide3_set(node->v)));
        middle.w = wide3_sub(wide3_scale(wide_set(cc), by[1][1]), wide3_cross(middle.turn, middle.spin));
    }
    EndChange ends[2];
    for (int i = 0; i < 2; i++)
        beam_product_end(&shape->end[i], in->node[2 * i], by[2 * i], cc, ck, damped, &middle, &ends[i]);
    CutChange a = beam_product_cut(beam, shape, 0, ends), b = beam_product_cut(beam, shape, 1, ends);
    const Wide minus = wide_set(-1);
    Wide3 first = wide3_cross_add(ends[0].d, wide3_set(shape->cut[0].force),
                                  wide3_cross(wide3_set(shape->end[0].d), a.force));
    Wide3 last = wide3_cross_add(ends[1].d, wide3_set(shape->cut[1].force),
                                 wide3_cross(wide3_set(shape->end[1].d), b.force));
    beam_product_put(r, wides, middle.turn, residual, wide3_scale(minus, a.force),
                     wide3_sub(first, a.moment));
    beam_product_put(r + 6 * wides, wides, middle.turn, residual + 6, wide3_sub(a.force, b.force),
                     wide3_sub(a.moment, b.moment));
    beam_product_put(r + 12 * wides, wides, middle.turn, residual + 12, b.force, wide3_sub(b.moment, last));
}

void beam_product(const Element *element, const ElementInput *in, double cm, double cc, double ck, int wides,
                  const Wide *x, Wide *r) {
    (void)cm; // the mass is lumped on the nodes
    const Beam *beam = element->data;
    BeamShape shape;
    double residual[18];
    beam_shape(beam, in, &shape);
    beam_forces(&shape, residual);
    for (int w = 0; w < wides; w++)
        beam_product_along(beam, &shape, residual, in, cc, ck, wides, x + w, r + w);
}
