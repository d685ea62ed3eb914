// The beam element by itself: derivatives, invariance, and what its strains mean.
#include "mechanism/beam.h"

#include <string.h>

#include "check_math.h"
#include "math/so3.h"
#include "mechanism/product_check.h"

enum { ROWS = 18 };

typedef struct Sample {
    Beam beam;
    Element element;
    NodeState node[3];
    ElementInput in;
} Sample;

static Mat3 random_stiffness(Random *random, double size) { // symmetric, positive definite
    Mat3 a = check_random_mat3(random);
    return mat3_scale(size, mat3_add(mat3_mul(a, mat3_transpose(a)), mat3_identity()));
}

static Section random_section(Random *random, bool coupled, bool offset) {
    Section section = {.stiffness.force = random_stiffness(random, 1),
                       .stiffness.moment = random_stiffness(random, 0.5)};
    if (coupled) section.stiffness.coupling = mat3_scale(0.2, check_random_mat3(random));
    if (offset) section.offset = vec3_scale(0.3, check_random_vec3(random));
    return section;
}

// Three nodes of a straight or a curved and twisted beam, somewhere and somehow turned.
static void unloaded_nodes(Random *random, bool curved, Vec3 x[3], Mat3 R[3]) {
    Mat3 Q = so3_exp(vec3_scale(2, check_random_vec3(random)));
    Vec3 origin = check_random_vec3(random);
    Vec3 bend = curved ? vec3_scale(0.4, check_random_vec3(random)) : vec3_zero();
    for (int n = 0; n < 3; n++) {
        double s = 0.6 * (n - 1);
        Vec3 local = vec3_add(vec3(s, 0, 0), vec3_scale(0.5 * s * s, vec3_cross(bend, vec3(1, 0, 0))));
        x[n] = vec3_add(origin, mat3_apply(Q, local));
        R[n] = mat3_mul(Q, so3_exp(vec3_scale(s, bend)));
    }
}

static Sample sample_create(Random *random, bool curved, const Section *section, double damping) {
    Sample sample = {0};
    Vec3 x[3];
    Mat3 R[3];
    unloaded_nodes(random, curved, x, R);
    sample.beam = beam_create(section, NULL, x, R);
    sample.beam.damping = damping;
    for (int n = 0; n < 3; n++) sample.node[n] = (NodeState){.x = x[n], .R = R[n]};
    return sample;
}

static void sample_bind(Sample *sample) {
    sample->element = (Element){.kind = &beam_kind, .name = "beam", .data = &sample->beam, .node_count = 3};
    sample->in = (ElementInput){.node = {&sample->node[0], &sample->node[1], &sample->node[2]}};
}

static void sample_deform(Sample *sample, Random *random, double size) {
    for (int n = 0; n < 3; n++) {
        NodeState *node = &sample->node[n];
        node->x = vec3_madd(node->x, 0.3 * size, check_random_vec3(random));
        node->R = mat3_mul(so3_exp(vec3_scale(size, check_random_vec3(random))), node->R);
        node->v = check_random_vec3(random);
        node->w = check_random_vec3(random);
    }
}

static void residual(const Sample *sample, double r[ROWS]) {
    beam_kind.residual(&sample->element, &sample->in, r);
}

// ---- derivatives ---------------------------------------------------------------------------------
static void nudge(NodeState *node, int part, int axis, double h) {
    Vec3 e = vec3(h * (axis == 0), h * (axis == 1), h * (axis == 2));
    if (part == 0) node->x = vec3_add(node->x, e);
    else if (part == 1) node->R = mat3_mul(so3_exp(e), node->R);
    else if (part == 2) node->v = vec3_add(node->v, e);
    else node->w = vec3_add(node->w, e);
}

// Column by column: central quotients, whose error is about h^2 = 1e-10 of the third derivative.
static void check_derivatives(Sample *sample, bool of_velocity) {
    double J[ROWS * ROWS] = {0}, scale = 0, plus[ROWS], minus[ROWS];
    const double h = 1e-5;
    beam_kind.jacobian(&sample->element, &sample->in, 0, of_velocity, !of_velocity, J);
    for (int i = 0; i < ROWS * ROWS; i++) scale = fmax(scale, fabs(J[i]));
    for (int column = 0; column < ROWS; column++) {
        NodeState *node = &sample->node[column / 6], kept = *node;
        int part = column % 6 / 3 + 2 * of_velocity;
        nudge(node, part, column % 3, h), residual(sample, plus), *node = kept;
        nudge(node, part, column % 3, -h), residual(sample, minus), *node = kept;
        for (int row = 0; row < ROWS; row++)
            check_near(J[ROWS * row + column], (plus[row] - minus[row]) / (2 * h), 1e-7 * scale);
    }
    if (!of_velocity || sample->beam.damping != 0) assert_true(scale > 0.1);
}

static void test_jacobian_is_the_derivative(void **state) {
    (void)state;
    Random random = {7};
    for (int i = 0; i < 160; i++) {
        Section section = random_section(&random, i & 1, i & 2);
        Sample sample = sample_create(&random, i & 4, &section, i & 8 ? 0.3 : 0);
        sample_bind(&sample);
        sample_deform(&sample, &random, 0.2 + 0.3 * random_uniform(&random));
        check_derivatives(&sample, false);
        check_derivatives(&sample, true);
        check_product(&sample.element, &sample.in, 0, 0, 1);
        check_product(&sample.element, &sample.in, 0, 1, 0);
        check_product(&sample.element, &sample.in, 1, 0.1, 0.02);
    }
}

static void test_jacobian_adds_up(void **state) {
    (void)state;
    Random random = {8};
    Section section = random_section(&random, true, true);
    Sample sample = sample_create(&random, true, &section, 0.1);
    sample_bind(&sample);
    sample_deform(&sample, &random, 0.4);
    double K[ROWS * ROWS] = {0}, C[ROWS * ROWS] = {0}, M[ROWS * ROWS] = {0}, J[ROWS * ROWS] = {0};
    beam_kind.jacobian(&sample.element, &sample.in, 0, 0, 1, K);
    beam_kind.jacobian(&sample.element, &sample.in, 0, 1, 0, C);
    beam_kind.jacobian(&sample.element, &sample.in, 1, 0, 0, M);
    beam_kind.jacobian(&sample.element, &sample.in, 3, 0.7, 0.2, J);
    for (int i = 0; i < ROWS * ROWS; i++) {
        check_near(J[i], 0.2 * K[i] + 0.7 * C[i], 1e-12);
        check_near(M[i], 0, 0);
    }
}

// ---- invariance ----------------------------------------------------------------------------------
static void move_rigidly(Sample *sample, Random *random) {
    Mat3 Q = so3_exp(vec3_scale(2, check_random_vec3(random)));
    Vec3 shift = vec3_scale(10, check_random_vec3(random)), v = check_random_vec3(random),
         w = check_random_vec3(random);
    for (int n = 0; n < 3; n++) {
        NodeState *node = &sample->node[n];
        node->x = vec3_add(shift, mat3_apply(Q, node->x));
        node->R = mat3_mul(Q, node->R);
        node->v = vec3_add(v, vec3_cross(w, node->x));
        node->w = w;
    }
}

static void test_rigid_motion_needs_no_force(void **state) {
    (void)state;
    Random random = {9};
    for (int i = 0; i < 50; i++) {
        Section section = random_section(&random, true, true);
        Sample sample = sample_create(&random, i & 1, &section, 0.2);
        sample_bind(&sample);
        move_rigidly(&sample, &random);
        double r[ROWS];
        residual(&sample, r);
        for (int k = 0; k < ROWS; k++) check_near(r[k], 0, 1e-12);
        ElementEnergy energy = {0};
        beam_kind.energy(&sample.element, &sample.in, &energy);
        check_near(energy.elastic, 0, 1e-24);
        check_near(energy.dissipated, 0, 1e-24);
    }
}

// Strains of a deformed beam stay when it is moved as a whole; forces turn along; and forces and moments of
// the three nodes are in balance.
static void test_strains_do_not_see_rigid_motion(void **state) {
    (void)state;
    Random random = {10};
    for (int i = 0; i < 50; i++) {
        Section section = random_section(&random, true, true);
        Sample sample = sample_create(&random, true, &section, 0);
        sample_bind(&sample);
        sample_deform(&sample, &random, 0.4);
        double r[ROWS];
        residual(&sample, r);
        Vec3 force = vec3_zero(), moment = vec3_zero();
        for (int n = 0; n < 3; n++) {
            Vec3 f = vec3(r[6 * n], r[6 * n + 1], r[6 * n + 2]);
            force = vec3_add(force, f);
            moment = vec3_add(moment, vec3(r[6 * n + 3], r[6 * n + 4], r[6 * n + 5]));
            moment = vec3_add(moment, vec3_cross(sample.node[n].x, f));
        }
        check_vec3_near(force, vec3_zero(), 1e-12);
        check_vec3_near(moment, vec3_zero(), 1e-11);

        BeamStrain before = beam_strain(&sample.beam, &sample.in);
        Mat3 R = sample.node[1].R;
        move_rigidly(&sample, &random);
        BeamStrain after = beam_strain(&sample.beam, &sample.in);
        Mat3 Q = mat3_mul(sample.node[1].R, mat3_transpose(R));
        for (int c = 0; c < 2; c++) {
            check_vec3_near(after.stretch[c], before.stretch[c], 1e-12);
            check_vec3_near(after.curvature[c], before.curvature[c], 1e-12);
            check_vec3_near(after.force[c], mat3_apply(Q, before.force[c]), 1e-11);
            check_vec3_near(after.moment[c], mat3_apply(Q, before.moment[c]), 1e-11);
        }
    }
}

// ---- what strains mean ---------------------------------------------------------------------------
// A straight beam along x, stretched, sheared, twisted and bent by known amounts.
static void test_small_strains(void **state) {
    (void)state;
    const double half = 0.5, e = 1e-6;
    Section section = {.stiffness.force = mat3_diagonal(2, 3, 5),
                       .stiffness.moment = mat3_diagonal(7, 11, 13)};
    Vec3 x[3] = {{-half, 0, 0}, {0, 0, 0}, {half, 0, 0}};
    Mat3 R[3] = {mat3_identity(), mat3_identity(), mat3_identity()};
    Sample sample = {.beam = beam_create(&section, NULL, x, R)};
    sample_bind(&sample);
    // u = e (x, 2 x, 3 x), theta = e (4 x, 5 x, 6 x): curvature as given; shear w' - theta_z, v' + theta_y
    for (int n = 0; n < 3; n++) {
        double s = x[n].x;
        sample.node[n].x = vec3_madd(x[n], e * s, vec3(1, 2, 3));
        sample.node[n].R = so3_exp(vec3_scale(e * s, vec3(4, 5, 6)));
    }
    BeamStrain strain = beam_strain(&sample.beam, &sample.in);
    for (int c = 0; c < 2; c++) {
        double s = (c ? half : -half) / sqrt(3);
        check_vec3_near(strain.stretch[c], vec3(e, e * (2 - 6 * s), e * (3 + 5 * s)), 1e-10);
        check_vec3_near(strain.curvature[c], vec3(4 * e, 5 * e, 6 * e), 1e-10);
        check_vec3_near(strain.force[c],
                        vec3(2 * strain.stretch[c].x, 3 * strain.stretch[c].y, 5 * strain.stretch[c].z),
                        1e-10);
        check_vec3_near(strain.moment[c], vec3(28 * e, 55 * e, 78 * e), 1e-9);
    }
}

// Stress of a damped beam is that of the strain plus its rate: the rate against a quotient along the motion.
static void test_strain_rates(void **state) {
    (void)state;
    Random random = {11};
    for (int i = 0; i < 20; i++) {
        Section section = random_section(&random, true, true);
        Sample sample = sample_create(&random, true, &section, 0);
        sample_bind(&sample);
        sample_deform(&sample, &random, 0.4);
        NodeState kept[3];
        memcpy(kept, sample.node, sizeof kept);
        const double h = 1e-5, damping = 0.3;
        BeamStrain at[3];
        for (int k = 0; k < 3; k++) {
            for (int n = 0; n < 3; n++) {
                sample.node[n].x = vec3_madd(kept[n].x, (k - 1) * h, kept[n].v);
                sample.node[n].R = mat3_mul(so3_exp(vec3_scale((k - 1) * h, kept[n].w)), kept[n].R);
            }
            at[k] = beam_strain(&sample.beam, &sample.in);
        }
        memcpy(sample.node, kept, sizeof kept);
        sample.beam.damping = damping;
        BeamStrain damped = beam_strain(&sample.beam, &sample.in);
        ElementEnergy energy = {0};
        beam_kind.energy(&sample.element, &sample.in, &energy);
        double lost = 0;
        const SectionStiffness *law = &section.stiffness;
        for (int c = 0; c < 2; c++) {
            Vec3 stretch = vec3_scale(0.5 / h, vec3_sub(at[2].stretch[c], at[0].stretch[c]));
            Vec3 curvature = vec3_scale(0.5 / h, vec3_sub(at[2].curvature[c], at[0].curvature[c]));
            Vec3 n = vec3_add(mat3_apply(law->force, stretch), mat3_apply(law->coupling, curvature));
            Vec3 m =
                vec3_add(mat3_apply_transpose(law->coupling, stretch), mat3_apply(law->moment, curvature));
            // sizes, since the axes of the section are not among what is measured
            double force2 = vec3_norm2(vec3_madd(vec3_add(mat3_apply(law->force, at[1].stretch[c]),
                                                          mat3_apply(law->coupling, at[1].curvature[c])),
                                                 damping, n));
            double moment2 =
                vec3_norm2(vec3_madd(vec3_add(mat3_apply_transpose(law->coupling, at[1].stretch[c]),
                                              mat3_apply(law->moment, at[1].curvature[c])),
                                     damping, m));
            check_near(vec3_norm2(damped.force[c]), force2, 1e-7 * force2);
            check_near(vec3_norm2(damped.moment[c]), moment2, 1e-7 * moment2);
            lost += damping * sample.beam.point[c].length * (vec3_dot(n, stretch) + vec3_dot(m, curvature));
        }
        check_near(energy.dissipated, lost, 1e-7 * lost);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_is_the_derivative),
        cmocka_unit_test(test_jacobian_adds_up),
        cmocka_unit_test(test_rigid_motion_needs_no_force),
        cmocka_unit_test(test_strains_do_not_see_rigid_motion),
        cmocka_unit_test(test_small_strains),
        cmocka_unit_test(test_strain_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
