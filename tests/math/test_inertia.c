#include "math/inertia.h"

#include "check_math.h"
#include "math/so3.h"

static Inertia random_body(Random *random) {
    double mass = 0.1 + random_uniform(random);
    double a = 0.1 + random_uniform(random), b = 0.1 + random_uniform(random),
           c = 0.1 + random_uniform(random);
    Inertia body = inertia_rotate(inertia_box(mass, vec3(a, b, c)), so3_exp(check_random_vec3(random)));
    return inertia_translate(body, check_random_vec3(random));
}

static void check_same_body(Inertia value, Inertia expected, double tolerance) {
    check_near(value.mass, expected.mass, tolerance);
    check_vec3_near(value.centre, expected.centre, tolerance);
    check_mat3_near(value.tensor, expected.tensor, tolerance);
}

// The body cut into n^3 cubes whose centres pass the test `inside`, added up as point masses.
static Inertia sum_of_points(bool (*inside)(Vec3), Vec3 box, int n, double mass) {
    Inertia sum = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                Vec3 at = vec3(box.x * ((i + 0.5) / n - 0.5), box.y * ((j + 0.5) / n - 0.5),
                               box.z * ((k + 0.5) / n - 0.5));
                if (inside(at)) sum = inertia_add(sum, (Inertia){.mass = 1, .centre = at});
            }
    sum.tensor = mat3_scale(mass / sum.mass, sum.tensor);
    sum.mass = mass;
    return sum;
}

static bool in_sphere(Vec3 p) { return vec3_norm(p) < 0.5; }
static bool in_box(Vec3 p) { return vec3_is_finite(p); }
static bool in_cylinder(Vec3 p) { return hypot(p.x, p.y) < 0.5; }
static bool in_tube(Vec3 p) { return hypot(p.x, p.y) < 0.5 && hypot(p.x, p.y) > 0.3; }

// The sum over 60^3 points misses the surface by up to a sixtieth of the size on either side, which averages
// out to below half a percent. A wrong coefficient would show as tens of percent.
static void test_solids_against_sums_of_points(void **state) {
    (void)state;
    check_same_body(inertia_sphere(3, 0.5), sum_of_points(in_sphere, vec3(1, 1, 1), 60, 3), 3 * 1e-3);
    check_same_body(inertia_box(2, vec3(1, 2, 3)), sum_of_points(in_box, vec3(1, 2, 3), 60, 2), 2 * 1e-3);
    check_same_body(inertia_cylinder(2, 0.5, 1.5), sum_of_points(in_cylinder, vec3(1, 1, 1.5), 60, 2),
                    2 * 1e-3);
    check_same_body(inertia_tube(2, 0.3, 0.5, 1.5), sum_of_points(in_tube, vec3(1, 1, 1.5), 60, 2), 2 * 1e-3);
}

static void test_solids_against_textbook(void **state) {
    (void)state;
    check_mat3_near(inertia_sphere(5, 2).tensor, mat3_diagonal(8, 8, 8), 1e-14);
    check_mat3_near(inertia_box(12, vec3(1, 2, 3)).tensor, mat3_diagonal(13, 10, 5), 1e-14);
    check_mat3_near(inertia_cylinder(12, 1, 3).tensor, mat3_diagonal(12, 12, 6), 1e-14);
    check_mat3_near(inertia_tube(12, 1, 2, 3).tensor, mat3_diagonal(24, 24, 30), 1e-14);
}

// A tube is a cylinder from which a thinner one of the same density was taken.
static void test_tube_and_core_make_a_cylinder(void **state) {
    (void)state;
    double inner = 0.3, outer = 0.7, height = 0.4, whole = 2, core = whole * inner * inner / (outer * outer);
    Inertia sum =
        inertia_add(inertia_tube(whole - core, inner, outer, height), inertia_cylinder(core, inner, height));
    check_same_body(sum, inertia_cylinder(whole, outer, height), 1e-15);
}

static void test_two_halves_make_a_box(void **state) {
    (void)state;
    Inertia half = inertia_box(3, vec3(1, 2, 0.5));
    Inertia sum =
        inertia_add(inertia_translate(half, vec3(10.5, 0, 0)), inertia_translate(half, vec3(11.5, 0, 0)));
    Inertia whole = inertia_translate(inertia_box(6, vec3(2, 2, 0.5)), vec3(11, 0, 0));
    check_same_body(sum, whole, 1e-14);
}

static void test_parallel_axes(void **state) {
    (void)state;
    Inertia point = {.mass = 2, .centre = vec3(0, 3, 0)}; // a point mass on the y axis
    check_mat3_near(inertia_about(point, vec3_zero()), mat3_diagonal(18, 0, 18), 0);
    Random random = {41};
    for (int trial = 0; trial < 300; trial++) {
        Inertia body = random_body(&random);
        Vec3 at = check_random_vec3(&random), axis = check_random_direction(&random);
        Mat3 about = inertia_about(body, at);
        // Steiner: the moment about a parallel axis at distance r is larger by m r^2.
        double r2 = vec3_norm2(vec3_cross(axis, vec3_sub(at, body.centre)));
        double moved = vec3_dot(axis, mat3_apply(about, axis));
        check_near(moved, vec3_dot(axis, mat3_apply(body.tensor, axis)) + body.mass * r2, 1e-13);
        check_same_body(inertia_from_point(body.mass, body.centre, about, at), body, 1e-13);
    }
}

static void test_sum_about_any_point(void **state) {
    (void)state;
    Random random = {42};
    for (int trial = 0; trial < 300; trial++) {
        Inertia a = random_body(&random), b = random_body(&random), sum = inertia_add(a, b);
        Vec3 at = check_random_vec3(&random);
        check_mat3_near(inertia_about(sum, at), mat3_add(inertia_about(a, at), inertia_about(b, at)), 1e-13);
        check_vec3_near(vec3_scale(sum.mass, sum.centre),
                        vec3_add(vec3_scale(a.mass, a.centre), vec3_scale(b.mass, b.centre)), 1e-14);
        check_same_body(sum, inertia_add(b, a), 1e-14);
        assert_true(inertia_is_valid(sum));
    }
    check_same_body(inertia_add((Inertia){0}, (Inertia){0}), (Inertia){0}, 0);
}

// Turning body and angular velocity together leaves the kinetic energy and turns the angular momentum.
static void test_rotation(void **state) {
    (void)state;
    check_mat3_near(inertia_rotate(inertia_box(12, vec3(1, 2, 3)), so3_exp(vec3(0, 0, M_PI / 2))).tensor,
                    mat3_diagonal(10, 13, 5), 1e-14);
    Random random = {43};
    for (int trial = 0; trial < 300; trial++) {
        Inertia body = random_body(&random);
        Mat3 rotation = so3_exp(check_random_vec3(&random));
        Inertia turned = inertia_rotate(body, rotation);
        Vec3 omega = check_random_vec3(&random);
        Vec3 momentum = mat3_apply(inertia_about(body, vec3_zero()), omega);
        Vec3 turned_momentum = mat3_apply(inertia_about(turned, vec3_zero()), mat3_apply(rotation, omega));
        check_vec3_near(turned_momentum, mat3_apply(rotation, momentum), 1e-13);
        check_mat3_near(turned.tensor, mat3_transpose(turned.tensor), 0);
    }
}

static void test_principal_axes(void **state) {
    (void)state;
    Random random = {44};
    Inertia box = inertia_box(12, vec3(1, 2, 3)); // 13, 10, 5
    for (int trial = 0; trial < 300; trial++) {
        Mat3 rotation = so3_exp(check_random_vec3(&random)), axes;
        Vec3 moments = inertia_principal(inertia_rotate(box, rotation), &axes);
        check_vec3_near(moments, vec3(5, 10, 13), 1e-13);
        // The smallest moment is about the longest side, which was z.
        check_near(fabs(vec3_dot(mat3_column(axes, 0), mat3_column(rotation, 2))), 1, 1e-14);
        check_near(fabs(vec3_dot(mat3_column(axes, 2), mat3_column(rotation, 0))), 1, 1e-14);
        check_near(mat3_determinant(axes), 1, 1e-14);
    }
}

static Inertia with_moments(double a, double b, double c) {
    return (Inertia){.mass = 1, .tensor = mat3_diagonal(a, b, c)};
}

static void test_validity(void **state) {
    (void)state;
    Random random = {45};
    for (int trial = 0; trial < 300; trial++) {
        assert_true(inertia_is_valid(random_body(&random)));
        Mat3 rotation = so3_exp(check_random_vec3(&random));
        // A flat plate lies on the edge of the triangle inequality, and must stay valid however it is turned.
        assert_true(inertia_is_valid(inertia_rotate(with_moments(1, 2, 3), rotation)));
        assert_false(inertia_is_valid(inertia_rotate(with_moments(1, 2, 3.01), rotation)));
        assert_false(inertia_is_valid(inertia_rotate(with_moments(0, 1, 1), rotation))); // a needle: singular
        assert_false(inertia_is_valid(inertia_rotate(with_moments(-1, 2, 2), rotation))); // negative
    }
    assert_false(inertia_is_valid((Inertia){.mass = 1})); // a point
    Inertia bad = inertia_sphere(1, 1);
    bad.mass = 0;
    assert_false(inertia_is_valid(bad));
    bad.mass = -1;
    assert_false(inertia_is_valid(bad));
    bad.mass = INFINITY;
    assert_false(inertia_is_valid(bad));
    bad = inertia_sphere(1, 1);
    bad.tensor.m[0][1] = 0.01; // not symmetric
    assert_false(inertia_is_valid(bad));
    bad.tensor.m[1][0] = 0.01;
    assert_true(inertia_is_valid(bad));
    bad.tensor.m[2][0] = NAN;
    assert_false(inertia_is_valid(bad));
    bad = inertia_sphere(1, 1);
    bad.centre.y = NAN;
    assert_false(inertia_is_valid(bad));
    assert_true(inertia_is_valid(inertia_sphere(1e-12, 1e-6))); // a grain of dust: no absolute thresholds
}

static void test_matrix_of_six(void **state) {
    (void)state;
    const double six[6] = {1, 2, 3, 0.4, 0.5, 0.6}; // xx, yy, zz, xy, yz, zx
    Mat3 tensor = inertia_matrix(six), expected = {{{1, 0.4, 0.6}, {0.4, 2, 0.5}, {0.6, 0.5, 3}}};
    check_mat3_near(tensor, expected, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids_against_sums_of_points),
        cmocka_unit_test(test_solids_against_textbook),
        cmocka_unit_test(test_tube_and_core_make_a_cylinder),
        cmocka_unit_test(test_two_halves_make_a_box),
        cmocka_unit_test(test_parallel_axes),
        cmocka_unit_test(test_sum_about_any_point),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_principal_axes),
        cmocka_unit_test(test_validity),
        cmocka_unit_test(test_matrix_of_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
