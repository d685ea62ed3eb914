// The integrator: damping of a free oscillator as the scheme's polynomial says, second order of positions,
// velocities and reactions of constrained systems for every rho_inf, steps of unequal length.
#include "mechanism/parts.h"

#include <complex.h>

#include "math/two_step.h"

static const double rhos[] = {0, 0.3, 0.6, 0.9, 1};

// ---- coefficients ------------------------------------------------------------------------------------------
// Order conditions for steps of unequal length, and the double root at infinity.
static void unequal_steps_keep_order_and_damping(void **state) {
    (void)state;
    for (double s = 0.4; s < 50; s *= 1.7)
        for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++) {
            TwoStep c = two_step_variable(rhos[i], s);
            check_near(c.a1 + c.a2, 1, 1e-14);
            check_near(-c.a1 - c.a2 * (1 + s) + c.b0 + c.b1 + c.b2, 0, 1e-13);
            check_near(c.a1 + c.a2 * (1 + s) * (1 + s) - 2 * c.b1 - 2 * c.b2 * (1 + s), 0, 1e-12 * s * s);
            check_near(c.b1 * c.b1, 4 * c.b0 * c.b2, 1e-13);
            check_near(c.b2, rhos[i] * rhos[i] * c.b0, 1e-13);
        }
    TwoStep equal = two_step(0.37), near = two_step_variable(0.37, 1 + 1e-8);
    check_near(near.a2, equal.a2, 1e-7);
    check_near(near.b0, equal.b0, 1e-7);
    check_near(near.b1, equal.b1, 1e-7);
}

// ---- free oscillator ---------------------------------------------------------------------------------------
static double oscillator_k;
static MrcStatus add_spring(Builder *builder, MrcError *error) {
    (void)error;
    add_anchor(builder, 0, vec3(oscillator_k, 0, 0), vec3_zero());
    return MRC_OK;
}

// After transients, the amplitude of a free oscillator changes by the largest root's size per step, and every
// pair of steps obeys the recurrence of its polynomial exactly.
static void free_oscillator_obeys_the_polynomial(void **state) {
    (void)state;
    double products[] = {0.01, 0.3, 2, 50, 1e4};
    for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++)
        for (size_t j = 0; j < sizeof products / sizeof *products; j++) {
            double mass = 0.7, h = 2e-3, omega = products[j] / h;
            oscillator_k = mass * omega * omega;
            BodyDefinition body = {.name = "mass",
                                   .mass = mass,
                                   .inertia = {1, 1, 1},
                                   .pose = {.position = {0.02, 0, 0}, .velocity = {0.3, 0, 0}}};
            MechanismDefinition definition = {
                .integrator = integrator(rhos[i], 1e-10), .bodies = &body, .body_count = 1};
            Mechanism *m = must_create(&definition, vec3_zero(), add_spring);
            TwoStep s = two_step(rhos[i]);
            double complex lambda = I * products[j];
            // z = v + i omega x is the mode of y' = i omega y
            double complex z[12];
            for (int n = 0; n < 12; n++) {
                const NodeState *node = mechanism_node(m, 0);
                z[n] = node->v.x + I * omega * node->x.x;
                step(m, h, NULL);
            }
            // first step: trapezoidal rule
            // Rounding of accelerations, omega^2 x, is felt (omega h)^2 times in x.
            double size = cabs(z[0]) * (1 + cabs(lambda)),
                   tolerance = 1e-9 + 1e-14 * products[j] * products[j];
            check_near(cabs(z[1] * (1 - lambda / 2) - z[0] * (1 + lambda / 2)), 0, tolerance * size);
            for (int n = 2; n < 12; n++) {
                double complex left = (1 - s.b0 * lambda) * z[n];
                double complex right = (s.a1 + s.b1 * lambda) * z[n - 1] + (s.a2 + s.b2 * lambda) * z[n - 2];
                check_near(cabs(left - right), 0, tolerance * size);
            }
            mechanism_destroy(m);
        }
}

// The measured spectral radius: growth of the amplitude over many steps.
static void free_oscillator_has_the_radius_of_the_scheme(void **state) {
    (void)state;
    double products[] = {0.05, 0.7, 5, 300, 1e4};
    for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++)
        for (size_t j = 0; j < sizeof products / sizeof *products; j++) {
            double h = 1e-3, omega = products[j] / h;
            oscillator_k = 2 * omega * omega;
            BodyDefinition body = {
                .name = "mass", .mass = 2, .inertia = {1, 1, 1}, .pose = {.position = {1, 0, 0}}};
            MechanismDefinition definition = {
                .integrator = integrator(rhos[i], 1e-12), .bodies = &body, .body_count = 1};
            Mechanism *m = must_create(&definition, vec3_zero(), add_spring);
            TwoStep s = two_step(rhos[i]);
            double radius = two_step_radius(&s, I * products[j]);
            // Two steps' states span the solution: the growth of the mode belonging to the largest root.
            double complex lambda = I * products[j], z0 = 0, z1 = 0;
            int count = radius < 0.3 ? 12 : 60;
            double complex a = 1 - s.b0 * lambda, b = s.a1 + s.b1 * lambda, c = s.a2 + s.b2 * lambda;
            double complex root = csqrt(b * b + 4 * a * c), big = (b + root) / (2 * a),
                           small = (b - root) / (2 * a);
            // For rho = 1 both are 1; the other one is -1.
            bool wrong = fabs(cabs(big) - cabs(small)) > 1e-6 ? cabs(big) < cabs(small)
                                                              : cabs(big + 1) < cabs(small + 1);
            if (wrong) {
                double complex swap = big;
                big = small, small = swap;
            }
            double complex mode_first = 0, mode_last = 0;
            for (int n = 0; n <= count; n++) {
                const NodeState *node = mechanism_node(m, 0);
                z0 = z1;
                z1 = node->v.x + I * omega * node->x.x;
                if (n == 2) mode_first = z1 - small * z0;
                if (n == count) mode_last = z1 - small * z0;
                step(m, h, NULL);
            }
            if (cabs(mode_first) > 0 && cabs(big - small) > 1e-3) {
                double measured = pow(cabs(mode_last) / cabs(mode_first), 1.0 / (count - 2));
                check_near(measured, radius, 1e-6);
            }
            mechanism_destroy(m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_steps_keep_order_and_damping),
        cmocka_unit_test(free_oscillator_obeys_the_polynomial),
        cmocka_unit_test(free_oscillator_has_the_radius_of_the_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
