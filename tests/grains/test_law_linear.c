// The damping ratio against direct integration of a collision, and against its own inverse.
#include "check.h"

#include "grains/law.h"

// One collision of a unit mass on a spring of stiffness 1 at speed 1, classic Runge-Kutta, ending when the
// force reaches zero. Returns the rebound speed.
static double rebound(double zeta) {
    double s = 0, v = 1, h = 1e-4;
    for (;;) {
        double k[4][2], a = s, b = v;
        for (int i = 0; i < 4; i++) {
            k[i][0] = b;
            k[i][1] = -(a + 2 * zeta * b);
            double c = i == 2 ? h : 0.5 * h;
            a = s + c * k[i][0];
            b = v + c * k[i][1];
        }
        s += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        v += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
        if (s + 2 * zeta * v <= 0) return -v;
    }
}

static void test_restitution_equals_integrated_collision(void **state) {
    (void)state;
    const double ratios[] = {0.01, 0.1, 0.3, 0.6, 0.7, 0.72, 0.9, 0.999, 1.001, 1.3, 3.0};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        check_near(normal_law_linear.restitution(ratios[i]), rebound(ratios[i]),
                   1e-4); // the end is found to one step of 1e-4
}

static void test_damping_ratio_inverts_restitution(void **state) {
    (void)state;
    for (double e = 0.01; e < 1; e += 0.01)
        check_near(normal_law_linear.restitution(normal_law_linear.damping(e)), e, 1e-12);
    check_near(normal_law_linear.damping(1), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution_equals_integrated_collision),
        cmocka_unit_test(test_damping_ratio_inverts_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
