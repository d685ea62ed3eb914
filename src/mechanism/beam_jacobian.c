// Exact derivatives of the residual of the beam (beam.c).
//
// The derivatives by the first and last node are found with the middle node held. Those by the middle node
// follow from them: a common translation of the three nodes changes nothing, and a common rotation turns the
// residual.
//
// With the middle node held, d y_i = dx_i + d theta_i x R_i o and d g_i = G^-1(g_i) d theta_i. At a cut the
// section turns by phi = G dg, and
//
//     R d nu = dy' + y' x phi,   R d kappa = phi' = G dg' + P dg,   P = (dG/dg) g'
//     dF = phi x F + A R d nu + B R d kappa,   dM = phi x M + B^T R d nu + C R d kappa
//
// with A, B, C the blocks of the section's stiffness in world axes. Damping b adds, at constant v and w, for
// the force (and likewise for the moment):
//
//     dF += b A (-phi x (y'_dot + y' x omega) + dy'_dot + dy' x omega + y' x d omega)
//         + b B (-phi x omega' + d omega')
//     d omega  = K(g_dot) dg + G dg_dot,      K(v) = d(G(g) v)/dg
//     d omega' = (K(g'_dot) + L) dg + K(g_dot) dg' + G dg'_dot + P dg_dot,
//                                             L = d((dG/dg g') v)/dg with v = g_dot
//     d y_i_dot = -w_1 x dx_i + W_i x (d theta_i x R_i o),    d g_i_dot = (d(G^-1(g_i) W_i)/dg) dg_i
#include "mechanism/beam_internal.h"

// ---- matrices with cross products ----------------------------------------------------------------
static inline Mat3 beam_jacobian_cross_left(Vec3 v, Mat3 a) { // skew(v) a
    Mat3 c;
    for (int j = 0; j < 3; j++) {
        c.m[0][j] = v.y * a.m[2][j] - v.z * a.m[1][j];
        c.m[1][j] = v.z * a.m[0][j] - v.x * a.m[2][j];
        c.m[2][j] = v.x * a.m[1][j] - v.y * a.m[0][j];
    }
    return c;
}
static inline Mat3 beam_jacobian_cross_right(Mat3 a, Vec3 v) { // a skew(v)
    Mat3 c;
    for (int i = 0; i < 3; i++) {
        c.m[i][0] = a.m[i][1] * v.z - a.m[i][2] * v.y;
        c.m[i][1] = a.m[i][2] * v.x - a.m[i][0] * v.z;
        c.m[i][2] = a.m[i][0] * v.y - a.m[i][1] * v.x;
    }
    return c;
}
static inline Mat3 beam_jacobian_add_scaled(Mat3 a, double s, Mat3 b) { // a + s b
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] += s * b.m[i][j];
    return a;
}
static inline Mat3 beam_jacobian_blend(double s, Mat3 a, double t, Mat3 b) { // s a + t b
    return beam_jacobian_add_scaled(mat3_scale(s, a), t, b);
}
static inline Mat3 beam_jacobian_to_world(const Mat3 *R, const Mat3 *a) { // R a R^T
    return mat3_mul(*R, mat3_mul(*a, mat3_transpose(*R)));
}

// ---- at a cut ------------------------------------------------------------------------------------
typedef struct Response { // derivatives of the force or the moment at a cut
    Mat3 dy, g, dg;       // by y', g, g', at constant rates of the ends
    Mat3 dy_rate, g_rate, dg_rate;
} Response;

// K(v) = d(G(g) v)/dg = -k/2 (G v) g^T - k/2 skew(v)
static Mat3 beam_jacobian_spin(const BeamCut *cut, Vec3 v) {
    Mat3 a = mat3_add(mat3_outer(beam_spin_of(cut->k, cut->g, v), cut->g), mat3_skew(v));
    return mat3_scale(-0.5 * cut->k, a);
}

// L: with u = v + 1/2 g x v and dk = -k^2/2 g.g',
// (dG/dg g') v = dk u + k/2 g' x v, differentiated once more.
static Mat3 beam_jacobian_second_spin(const BeamCut *cut) {
    Vec3 g = cut->g, dg = cut->dg, v = cut->g_rate;
    double k = cut->k, product = vec3_dot(g, dg), dk = -0.5 * k * k * product;
    Vec3 u = vec3_madd(v, 0.5, vec3_cross(g, v));
    Mat3 a = mat3_outer(u, vec3_scale(-0.5 * k * k, vec3_madd(dg, -k * product, g)));
    a = beam_jacobian_add_scaled(a, -0.5 * dk, mat3_skew(v));
    return beam_jacobian_add_scaled(a, -0.25 * k * k, mat3_outer(vec3_cross(dg, v), g));
}

typedef struct CutMatrices {
    Mat3 G, P;           // d omega and d omega' from g_dot, see above
    Mat3 spin, spin_dot; // K(g_dot), K(g'_dot) + L; only with damping
} CutMatrices;

static void beam_jacobian_cut_matrices(const BeamCut *cut, bool damped, CutMatrices *m) {
    m->G = mat3_scale(0.5 * cut->k, mat3_skew(cut->g));
    for (int i = 0; i < 3; i++) m->G.m[i][i] += cut->k;
    m->P = beam_jacobian_blend(-0.5 * cut->k * vec3_dot(cut->g, cut->dg), m->G, 0.5 * cut->k,
                               mat3_skew(cut->dg));
    if (!damped) return;
    m->spin = beam_jacobian_spin(cut, cut->g_rate);
    m->spin_dot = mat3_add(beam_jacobian_spin(cut, cut->dg_rate), beam_jacobian_second_spin(cut));
}

// `a`, `b`: derivatives of the stress with respect to R nu and R kappa; `stress`: force or moment.
static void beam_jacobian_response(const BeamCut *cut, const CutMatrices *m, double damping, const Mat3 *a,
                                   const Mat3 *b, Vec3 stress, Response *response) {
    Mat3 turn = beam_jacobian_cross_right(*a, cut->dy); // of R nu by phi
    Mat3 bend = mat3_mul(*b, m->P);
    response->dy = *a;
    response->g = mat3_add(mat3_mul(mat3_sub(turn, mat3_skew(stress)), m->G), bend);
    response->dg = mat3_mul(*b, m->G);
    if (damping == 0) return;
    response->dy_rate = mat3_scale(damping, *a);
    response->g_rate = mat3_scale(damping, mat3_add(mat3_mul(turn, m->G), bend));
    response->dg_rate = mat3_scale(damping, response->dg);
    Mat3 g = mat3_mul(beam_jacobian_cross_right(*a, cut->stretch_rate), m->G);
    g = mat3_add(g, mat3_mul(turn, m->spin));
    g = mat3_add(g, mat3_mul(*b, mat3_add(beam_jacobian_cross_left(cut->dspin, m->G), m->spin_dot)));
    response->g = beam_jacobian_add_scaled(response->g, damping, g);
    response->dg = beam_jacobian_add_scaled(response->dg, damping, mat3_mul(*b, m->spin));
    response->dy = beam_jacobian_add_scaled(response->dy, -damping, beam_jacobian_cross_right(*a, cut->spin));
}

// ---- by motions of the ends ----------------------------------------------------------------------
typedef struct EndMatrices {
    Mat3 inverse; // G^-1(g_i)
    Mat3 rate;    // d(G^-1(g_i) W_i)/dg = 1/2 skew(W) + 1/4 ((g.W) I + g W^T); only with damping
} EndMatrices;

static void beam_jacobian_end_matrices(const BeamEnd *end, bool damped, EndMatrices *m) {
    m->inverse = beam_jacobian_blend(0.25, mat3_outer(end->g, end->g), -0.5, mat3_skew(end->g));
    for (int i = 0; i < 3; i++) m->inverse.m[i][i] += 1;
    if (!damped) return;
    m->rate = beam_jacobian_blend(0.5, mat3_skew(end->spin), 0.25, mat3_outer(end->g, end->spin));
    for (int i = 0; i < 3; i++) m->rate.m[i][i] += 0.25 * vec3_dot(end->g, end->spin);
}

typedef struct EndColumns { // derivatives by dx (or v) and d theta (or w) of one end
    Mat3 x, theta;
} EndColumns;

static EndColumns beam_jacobian_position_columns(const Response *response, const BeamEnd *end,
                                                 const EndMatrices *m, double N, double dN, double damping,
                                                 Vec3 middle_spin) {
    Mat3 g = beam_jacobian_blend(N, response->g, dN, response->dg);
    EndColumns columns = {.x = mat3_scale(dN, response->dy)};
    Vec3 arm = end->arm;
    Mat3 by_arm = beam_jacobian_cross_right(columns.x, arm);
    if (damping != 0) {
        Mat3 dy_rate = mat3_scale(dN, response->dy_rate);
        g = mat3_add(g, mat3_mul(beam_jacobian_blend(N, response->g_rate, dN, response->dg_rate), m->rate));
        by_arm =
            mat3_add(by_arm, beam_jacobian_cross_right(beam_jacobian_cross_right(dy_rate, end->spin), arm));
        columns.x = mat3_sub(columns.x, beam_jacobian_cross_right(dy_rate, middle_spin));
    }
    columns.theta = mat3_sub(mat3_mul(g, m->inverse), by_arm);
    return columns;
}

static EndColumns beam_jacobian_velocity_columns(const Response *response, const BeamEnd *end,
                                                 const EndMatrices *m, double N, double dN) {
    EndColumns columns = {.x = mat3_scale(dN, response->dy_rate)};
    Mat3 g = beam_jacobian_blend(N, response->g_rate, dN, response->dg_rate);
    columns.theta = mat3_sub(mat3_mul(g, m->inverse), beam_jacobian_cross_right(columns.x, end->arm));
    return columns;
}

// Moment about the middle node from force and moment at the cut.
static EndColumns beam_jacobian_about_middle(const EndColumns *force, const EndColumns *moment, Vec3 lever) {
    return (EndColumns){.x = mat3_add(moment->x, beam_jacobian_cross_left(lever, force->x)),
                        .theta = mat3_add(moment->theta, beam_jacobian_cross_left(lever, force->theta))};
}

typedef struct CutColumns { // of the force at a cut and of its moment about the middle node, by both ends
    EndColumns force[2], moment[2];
} CutColumns;

static void beam_jacobian_find_columns(const Beam *beam, const BeamShape *shape, const EndMatrices ends[2],
                                       int c, Vec3 middle_spin, CutColumns *by_position,
                                       CutColumns *by_velocity) {
    const BeamCut *cut = &shape->cut[c];
    const BeamPoint *point = &beam->point[c];
    const SectionStiffness *law = &beam->stiffness;
    double damping = shape->damping;
    CutMatrices matrices;
    beam_jacobian_cut_matrices(cut, damping != 0, &matrices);
    Mat3 A = beam_jacobian_to_world(&cut->R, &law->force),
         B = beam_jacobian_to_world(&cut->R, &law->coupling),
         C = beam_jacobian_to_world(&cut->R, &law->moment), Bt = mat3_transpose(B);
    Response force, moment;
    beam_jacobian_response(cut, &matrices, damping, &A, &B, cut->force, &force);
    beam_jacobian_response(cut, &matrices, damping, &Bt, &C, cut->moment, &moment);
    for (int i = 0; i < 2; i++) {
        const BeamEnd *end = &shape->end[i];
        double N = point->shape[i], dN = point->slope[i];
        EndColumns f = beam_jacobian_position_columns(&force, end, &ends[i], N, dN, damping, middle_spin);
        EndColumns m = beam_jacobian_position_columns(&moment, end, &ends[i], N, dN, damping, middle_spin);
        m = beam_jacobian_about_middle(&f, &m, cut->lever);
        Mat3 lever = mat3_scale(N, mat3_skew(cut->force)); // the lever changes by N dy
        by_position->force[i] = f;
        by_position->moment[i] =
            (EndColumns){.x = mat3_sub(m.x, lever),
                         .theta = mat3_add(m.theta, beam_jacobian_cross_right(lever, end->arm))};
        if (damping == 0) continue;
        f = beam_jacobian_velocity_columns(&force, end, &ends[i], N, dN);
        m = beam_jacobian_velocity_columns(&moment, end, &ends[i], N, dN);
        by_velocity->force[i] = f;
        by_velocity->moment[i] = beam_jacobian_about_middle(&f, &m, cut->lever);
    }
}

// ---- the whole matrix, as 6 x 6 blocks: force and moment of each node by x and theta of each -----
typedef struct Blocks {
    Mat3 at[6][6];
} Blocks;

static void beam_jacobian_fill_ends(const CutColumns cuts[2], const BeamShape *shape, Blocks *blocks) {
    for (int i = 0; i < 2; i++) {
        for (int t = 0; t < 2; t++) {
            int j = 4 * i + t;
            Mat3 fa = t ? cuts[0].force[i].theta : cuts[0].force[i].x;
            Mat3 ma = t ? cuts[0].moment[i].theta : cuts[0].moment[i].x;
            Mat3 fb = t ? cuts[1].force[i].theta : cuts[1].force[i].x;
            Mat3 mb = t ? cuts[1].moment[i].theta : cuts[1].moment[i].x;
            blocks->at[0][j] = mat3_scale(-1, fa);
            blocks->at[1][j] = mat3_sub(beam_jacobian_cross_left(shape->end[0].d, fa), ma);
            blocks->at[2][j] = mat3_sub(fa, fb);
            blocks->at[3][j] = mat3_sub(ma, mb);
            blocks->at[4][j] = fb;
            blocks->at[5][j] = mat3_sub(mb, beam_jacobian_cross_left(shape->end[1].d, fb));
        }
    }
}

// A common translation changes nothing. For a common rotation about the middle node see
// beam_jacobian_turn_all.
static void beam_jacobian_fill_middle(const BeamShape *shape, Blocks *blocks) {
    for (int a = 0; a < 6; a++) {
        Mat3 *row = blocks->at[a];
        row[2] = mat3_scale(-1, mat3_add(row[0], row[4]));
        Mat3 sum = mat3_sub(mat3_add(row[1], row[5]), beam_jacobian_cross_right(row[0], shape->end[0].d));
        row[3] = mat3_scale(-1, mat3_sub(sum, beam_jacobian_cross_right(row[4], shape->end[1].d)));
    }
}

// A common rotation of positions and velocities turns the residual; the share of the velocities is taken
// off.
static void beam_jacobian_turn_all(const ElementInput *in, const double r[18], const Blocks *by_velocity,
                                   Blocks *blocks) {
    for (int a = 0; a < 6; a++) {
        Mat3 sum = mat3_skew(vec3(-r[3 * a], -r[3 * a + 1], -r[3 * a + 2]));
        for (int n = 0; by_velocity && n < 3; n++) {
            const Mat3 *row = &by_velocity->at[a][2 * n];
            sum = mat3_add(sum, mat3_add(beam_jacobian_cross_right(row[0], in->node[n]->v),
                                         beam_jacobian_cross_right(row[1], in->node[n]->w)));
        }
        blocks->at[a][3] = mat3_add(blocks->at[a][3], sum);
    }
}

static void beam_jacobian_add_blocks(double factor, const Blocks *blocks, double *J) {
    for (int a = 0; a < 6; a++)
        for (int i = 0; i < 3; i++)
            for (int b = 0; b < 6; b++)
                for (int j = 0; j < 3; j++)
                    J[18 * (3 * a + i) + 3 * b + j] += factor * blocks->at[a][b].m[i][j];
}

void beam_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                   double *J) {
    (void)cm; // the mass is lumped on the nodes
    const Beam *beam = element->data;
    BeamShape shape;
    double r[18];
    beam_shape(beam, in, &shape);
    beam_forces(&shape, r);
    bool damped = shape.damping != 0;
    EndMatrices ends[2];
    for (int i = 0; i < 2; i++) beam_jacobian_end_matrices(&shape.end[i], damped, &ends[i]);
    CutColumns by_position[2], by_velocity[2];
    for (int c = 0; c < 2; c++)
        beam_jacobian_find_columns(beam, &shape, ends, c, in->node[1]->w, &by_position[c], &by_velocity[c]);

    Blocks stiffness, viscosity;
    if (damped) {
        beam_jacobian_fill_ends(by_velocity, &shape, &viscosity);
        beam_jacobian_fill_middle(&shape, &viscosity);
        beam_jacobian_add_blocks(cc, &viscosity, J);
    }
    beam_jacobian_fill_ends(by_position, &shape, &stiffness);
    // the end nodes are the origins of their own moments
    stiffness.at[1][0] = mat3_sub(stiffness.at[1][0], mat3_skew(shape.cut[0].force));
    stiffness.at[5][4] = mat3_add(stiffness.at[5][4], mat3_skew(shape.cut[1].force));
    beam_jacobian_fill_middle(&shape, &stiffness);
    beam_jacobian_turn_all(in, r, damped ? &viscosity : NULL, &stiffness);
    beam_jacobian_add_blocks(ck, &stiffness, J);
}
