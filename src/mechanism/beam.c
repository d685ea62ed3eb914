// Three-node finite-volume beam (Ghiringhelli, Masarati, Mantegazza, AIAA J. 38 (2000) 131,
// doi:10.2514/2.933).
//
// The reference line passes at p_i = x_i + R_i o, o being the section's offset. It is cut at xi = -1/sqrt(3)
// and +1/sqrt(3), xi in [-1, 1] from the first to the last node. Each of the three pieces is in balance
// about its node:
//
//     r_0 = (-F_I, -M_I - (p_I - x_0) x F_I)
//     r_1 = (F_I - F_II, M_I + (p_I - x_1) x F_I - M_II - (p_II - x_1) x F_II)
//     r_2 = (F_II, M_II + (p_II - x_2) x F_II)
//
// F and M act across the cut on the side of the first node. At these two points the strains of parabolas are
// as accurate as those of cubics: a beam under forces and moments at its ends bends exactly, and thin beams
// do not lock.
//
// Positions and rotations are parabolas relative to the middle node. With y_i = p_i - p_1 and the
// Cayley-Gibbs-Rodrigues parameters g_i of R_i R_1^T (in world axes),
//
//     y(s) = N_0 y_0 + N_2 y_2,   g(s) = N_0 g_0 + N_2 g_2,   R(s) = R(g(s)) R_1,   ' = d/ds
//     stretch and shear nu = R^T y' - nu_0,    curvature kappa = R^T G(g) g' - kappa_0
//
// with R(g), G(g) as in math/so3.c. A rigid motion does not change the strains: the element is objective. s
// is measured along the unloaded reference line, nu_0 and kappa_0 are the unloaded strains. The law of the
// section, with material damping b(t):
//
//     F = R n,  M = R m,   (n, m) = D (nu + b nu_dot, kappa + b kappa_dot)
//
// The rates follow from the velocities of the nodes. With relative angular velocities W_i = w_i - w_1 and
// rates in axes that turn with the middle node,
//
//     g_i_dot = G^-1(g_i) W_i,   y_i_dot = v_i - v_1 - w_1 x (x_i - x_1) + W_i x R_i o
//     omega = G(g) g_dot,   R nu_dot = y'_dot + y' x omega,   R kappa_dot = omega'
//
// This element has the stress across the cuts only. The mass of the pieces is lumped on the nodes
// (beam_mesh.c).
#include "mechanism/beam_internal.h"

// ---- kinematics ----------------------------------------------------------------------------------
// g = 4 axial(Q)/(1 + tr Q), Q = R R_1^T, without forming Q. Infinite at half a turn between two
// neighbouring nodes.
static Vec3 beam_relative_parameters(const Mat3 *R, const Mat3 *R1) {
    Vec3 sum = vec3_zero();
    double trace = 0;
    for (int k = 0; k < 3; k++) {
        Vec3 a = mat3_column(*R1, k), b = mat3_column(*R, k);
        sum = vec3_add(sum, vec3_cross(a, b));
        trace += vec3_dot(a, b);
    }
    return vec3_scale(2 / (1 + trace), sum);
}

static void beam_find_ends(const Beam *beam, const ElementInput *in, BeamShape *shape) {
    const NodeState *middle = in->node[1];
    shape->middle_arm = mat3_apply(middle->R, beam->offset);
    for (int i = 0; i < 2; i++) {
        const NodeState *node = in->node[2 * i];
        BeamEnd *end = &shape->end[i];
        end->d = vec3_sub(node->x, middle->x);
        end->arm = mat3_apply(node->R, beam->offset);
        end->y = vec3_add(end->d, vec3_sub(end->arm, shape->middle_arm));
        end->g = beam_relative_parameters(&node->R, &middle->R);
    }
}

static void beam_find_end_rates(const ElementInput *in, BeamShape *shape) {
    const NodeState *middle = in->node[1];
    for (int i = 0; i < 2; i++) {
        const NodeState *node = in->node[2 * i];
        BeamEnd *end = &shape->end[i];
        end->spin = vec3_sub(node->w, middle->w);
        // G^-1 W = W - 1/2 g x W + 1/4 g (g.W)
        end->g_rate = vec3_madd(vec3_madd(end->spin, -0.5, vec3_cross(end->g, end->spin)),
                                0.25 * vec3_dot(end->g, end->spin), end->g);
        end->y_rate = vec3_add(vec3_sub(vec3_sub(node->v, middle->v), vec3_cross(middle->w, end->d)),
                               vec3_cross(end->spin, end->arm));
    }
}

// R(g) R_1 = R_1 + k g x (R_1 + 1/2 g x R_1), column by column.
static Mat3 beam_turned_axes(double k, Vec3 g, const Mat3 *R1) {
    Vec3 column[3];
    for (int j = 0; j < 3; j++) {
        Vec3 a = mat3_column(*R1, j);
        column[j] = vec3_madd(a, k, vec3_cross(g, vec3_madd(a, 0.5, vec3_cross(g, a))));
    }
    return mat3_columns(column[0], column[1], column[2]);
}

static Vec3 beam_blend(const double weight[2], Vec3 a, Vec3 b) {
    return vec3_madd(vec3_scale(weight[0], a), weight[1], b);
}

static void beam_find_cut(const BeamPoint *point, const Mat3 *R1, const BeamShape *shape, BeamCut *cut) {
    const BeamEnd *a = &shape->end[0], *b = &shape->end[1];
    cut->lever = vec3_add(shape->middle_arm, beam_blend(point->shape, a->y, b->y));
    cut->dy = beam_blend(point->slope, a->y, b->y);
    cut->g = beam_blend(point->shape, a->g, b->g);
    cut->dg = beam_blend(point->slope, a->g, b->g);
    cut->k = 4 / (4 + vec3_norm2(cut->g));
    cut->R = beam_turned_axes(cut->k, cut->g, R1);
    cut->bend = beam_spin_of(cut->k, cut->g, cut->dg);
    cut->stretch = vec3_sub(mat3_apply_transpose(cut->R, cut->dy), point->stretch0);
    cut->curvature = vec3_sub(mat3_apply_transpose(cut->R, cut->bend), point->curvature0);
}

static void beam_find_cut_rates(const BeamPoint *point, const BeamShape *shape, BeamCut *cut) {
    const BeamEnd *a = &shape->end[0], *b = &shape->end[1];
    cut->g_rate = beam_blend(point->shape, a->g_rate, b->g_rate);
    cut->dg_rate = beam_blend(point->slope, a->g_rate, b->g_rate);
    cut->spin = beam_spin_of(cut->k, cut->g, cut->g_rate);
    cut->dspin = vec3_add(beam_spin_of(cut->k, cut->g, cut->dg_rate),
                          beam_spin_derivative(cut->k, cut->g, cut->dg, cut->g_rate));
    cut->stretch_rate =
        vec3_add(beam_blend(point->slope, a->y_rate, b->y_rate), vec3_cross(cut->dy, cut->spin));
    cut->stretch_d = mat3_apply_transpose(cut->R, cut->stretch_rate);
    cut->curvature_d = mat3_apply_transpose(cut->R, cut->dspin);
}

static Vec3 beam_section_force(const SectionStiffness *law, Vec3 stretch, Vec3 curvature) {
    return vec3_add(mat3_apply(law->force, stretch), mat3_apply(law->coupling, curvature));
}
static Vec3 beam_section_moment(const SectionStiffness *law, Vec3 stretch, Vec3 curvature) {
    return vec3_add(mat3_apply_transpose(law->coupling, stretch), mat3_apply(law->moment, curvature));
}

void beam_shape(const Beam *beam, const ElementInput *in, BeamShape *shape) {
    shape->damping =
        beam->damping_curve ? expression_value(beam->damping_curve, element_time(in), NULL) : beam->damping;
    beam_find_ends(beam, in, shape);
    if (shape->damping != 0) beam_find_end_rates(in, shape);
    for (int c = 0; c < 2; c++) {
        BeamCut *cut = &shape->cut[c];
        beam_find_cut(&beam->point[c], &in->node[1]->R, shape, cut);
        Vec3 stretch = cut->stretch, curvature = cut->curvature;
        if (shape->damping != 0) {
            beam_find_cut_rates(&beam->point[c], shape, cut);
            stretch = vec3_madd(stretch, shape->damping, cut->stretch_d);
            curvature = vec3_madd(curvature, shape->damping, cut->curvature_d);
        }
        cut->force = mat3_apply(cut->R, beam_section_force(&beam->stiffness, stretch, curvature));
        cut->moment = mat3_apply(cut->R, beam_section_moment(&beam->stiffness, stretch, curvature));
    }
}

// ---- the element ---------------------------------------------------------------------------------
static void beam_put(double *r, Vec3 force, Vec3 moment) {
    r[0] = force.x, r[1] = force.y, r[2] = force.z;
    r[3] = moment.x, r[4] = moment.y, r[5] = moment.z;
}

void beam_forces(const BeamShape *shape, double r[18]) {
    const BeamCut *a = &shape->cut[0], *b = &shape->cut[1];
    Vec3 moment_a = vec3_add(a->moment, vec3_cross(a->lever, a->force)); // about the middle node
    Vec3 moment_b = vec3_add(b->moment, vec3_cross(b->lever, b->force));
    beam_put(r, vec3_neg(a->force), vec3_sub(vec3_cross(shape->end[0].d, a->force), moment_a));
    beam_put(r + 6, vec3_sub(a->force, b->force), vec3_sub(moment_a, moment_b));
    beam_put(r + 12, b->force, vec3_sub(moment_b, vec3_cross(shape->end[1].d, b->force)));
}

static void beam_residual(const Element *element, const ElementInput *in, double *r) {
    BeamShape shape;
    beam_shape(element->data, in, &shape);
    beam_forces(&shape, r);
}

static void beam_energy(const Element *element, const ElementInput *in, ElementEnergy *energy) {
    const Beam *beam = element->data;
    const SectionStiffness *law = &beam->stiffness;
    BeamShape shape;
    beam_shape(beam, in, &shape);
    for (int c = 0; c < 2; c++) {
        const BeamCut *cut = &shape.cut[c];
        double length = beam->point[c].length;
        energy->elastic += 0.5 * length *
                           (vec3_dot(cut->stretch, beam_section_force(law, cut->stretch, cut->curvature)) +
                            vec3_dot(cut->curvature, beam_section_moment(law, cut->stretch, cut->curvature)));
        if (shape.damping != 0)
            energy->dissipated +=
                shape.damping * length *
                (vec3_dot(cut->stretch_d, beam_section_force(law, cut->stretch_d, cut->curvature_d)) +
                 vec3_dot(cut->curvature_d, beam_section_moment(law, cut->stretch_d, cut->curvature_d)));
    }
}

static bool beam_powerless(const Element *element) {
    const Beam *beam = element->data;
    return beam->damping == 0 && !beam->damping_curve;
}

const ElementKind beam_kind = {
    .name = "beam",
    .massless = true,
    .residual = beam_residual,
    .jacobian = beam_jacobian,
    .product = beam_product,
    .energy = beam_energy,
    .powerless = beam_powerless,
};

BeamStrain beam_strain(const Beam *beam, const ElementInput *in) {
    BeamShape shape;
    beam_shape(beam, in, &shape);
    BeamStrain strain;
    for (int c = 0; c < 2; c++) {
        strain.stretch[c] = shape.cut[c].stretch;
        strain.curvature[c] = shape.cut[c].curvature;
        strain.force[c] = shape.cut[c].force;
        strain.moment[c] = shape.cut[c].moment;
    }
    return strain;
}

Beam beam_create(const Section *section, const Expression *damping, const Vec3 x[3], const Mat3 R[3]) {
    Beam beam = {.offset = section->offset, .stiffness = section->stiffness};
    if (damping && expression_is_constant(damping))
        beam.damping = expression_value(damping, (TimePoint){0}, NULL);
    else beam.damping_curve = damping;

    NodeState node[3] = {{.x = x[0], .R = R[0]}, {.x = x[1], .R = R[1]}, {.x = x[2], .R = R[2]}};
    ElementInput in = {.node = {&node[0], &node[1], &node[2]}};
    BeamShape shape;
    beam_find_ends(&beam, &in, &shape);
    for (int c = 0; c < 2; c++) {
        BeamPoint *point = &beam.point[c];
        double xi = (c == 0 ? -1 : 1) / sqrt(3);
        point->shape[0] = 0.5 * xi * (xi - 1), point->shape[1] = 0.5 * xi * (xi + 1);
        point->slope[0] = xi - 0.5, point->slope[1] = xi + 0.5;
        point->length = vec3_norm(beam_blend(point->slope, shape.end[0].y, shape.end[1].y));
        for (int i = 0; i < 2; i++) point->slope[i] /= point->length;
        beam_find_cut(point, &R[1], &shape, &shape.cut[c]); // stretch0 and curvature0 are still zero
        point->stretch0 = shape.cut[c].stretch;
        point->curvature0 = shape.cut[c].curvature;
    }
    return beam;
}
