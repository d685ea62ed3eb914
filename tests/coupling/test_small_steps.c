// The condensed scheme with small steps of the grains (docs/theory/condensed.md), on two masses: with the rigid link of
// the stability maps, and with a contact between them, a spring and a dashpot.
#include "base/random.h"
#include "check.h"
#include "coupling/scheme_map.h"

static double decades(Random *random, double low, double high) {
    return low * pow(high / low, random_uniform(random));
}

static TwoMassParameters some(Random *random, double rho_most) {
    return (TwoMassParameters){.mass_ratio = decades(random, 0.01, 1000),
                               .xi1 = random_uniform(random) < 0.5 ? 0 : decades(random, 1e-3, 30),
                               .rho_inf = rho_most * random_uniform(random),
                               .omega_h = decades(random, 1e-3, 200),
                               .substeps = (int)decades(random, 1, 101)};
}

static void never_grows_on_a_link(void **state) {
    (void)state;
    Random random = {73};
    SchemeMap c = {.scheme = &scheme_condensed};
    double worst = 0;
    for (int i = 0; i < 6000; i++) {
        TwoMassParameters p = some(&random, 0.95);
        double radius = map_radius(&c, &p);
        worst = fmax(worst, radius);
        if (!(radius <= 1 + 1e-6))
            fail_msg("radius %.9g at r_m %g, omega h %g, xi %g, rho_inf %g, %d small steps", radius,
                     p.mass_ratio, p.omega_h, p.xi1, p.rho_inf, p.substeps);
    }
    print_message("largest radius - 1: %.1e\n", worst - 1);
}

// ---- a contact instead of the link ---------------------------------------------------------------------------
// As long as `steps` small ones, for the mass of both as they answer to each other.
static void contact(TwoMassParameters *p, double steps, double zeta) {
    TwoMass s = two_mass(p);
    Real n = s.substeps, e = (1 + 1 / n) / 2, share = s.b0 / (1 + s.a2);
    Real mass = 1 / (1 / s.m2 + 1 / (1 + (e - 0.5L + share) * s.c1 + e * share * s.k1));
    Real omega = (Real)M_PI * n / (Real)steps, root = sqrtl(mass / s.m2);
    p->contact_omega_h = (double)(omega * root);
    p->contact_damping = (double)((Real)zeta * root);
}

// Contacts of 25 to 125 small steps that lose energy, a damping ratio from 0.02 (restitution 0.94).
static void does_not_grow_on_contacts(void **state) {
    (void)state;
    Random random = {79};
    SchemeMap c = {.scheme = &scheme_condensed};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        TwoMassParameters p = some(&random, 0.6);
        if (p.substeps == 1) continue;
        double steps = decades(&random, 25, 125), zeta = 0.02 + 0.48 * random_uniform(&random);
        contact(&p, steps, zeta);
        double radius = map_radius(&c, &p);
        worst = fmax(worst, radius);
        if (!(radius <= 1 + 1e-6))
            fail_msg(
                "radius %.9g at r_m %g, omega h %g, xi %g, rho_inf %g, %d small steps, contact of %g, %g",
                radius, p.mass_ratio, p.omega_h, p.xi1, p.rho_inf, p.substeps, steps, zeta);
    }
    print_message("largest radius - 1: %.1e\n", worst - 1);
}

// Contacts that lose nothing, and that the step does not resolve: rho_inf up to 0.6, grains of up to 100 times the mass.
static void hardly_grows_on_undamped_contacts(void **state) {
    (void)state;
    Random random = {89};
    SchemeMap c = {.scheme = &scheme_condensed};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        TwoMassParameters p = {.mass_ratio = decades(&random, 0.01, 100),
                               .rho_inf = 0.6 * random_uniform(&random),
                               .omega_h = decades(&random, 0.05, 5),
                               .substeps = (int)decades(&random, 10, 101),
                               .contact_omega_h = decades(&random, 0.05, 5)};
        if (p.contact_omega_h * sqrt(1 + p.mass_ratio) > 0.25 * p.substeps)
            continue; // too fast for small steps
        double radius = map_radius(&c, &p);
        worst = fmax(worst, radius);
        if (!(radius <= 1.01))
            fail_msg("radius %.9g at r_m %g, omega h %g, contact %g, rho_inf %g, %d small steps", radius,
                     p.mass_ratio, p.omega_h, p.contact_omega_h, p.rho_inf, p.substeps);
    }
    print_message("largest radius - 1: %.1e\n", worst - 1);
}

// Where a ball of 0.17 of the mass swings on such a contact (test_contact_swing.c): nothing grows.
static void light_grains_do_not_grow_on_undamped_contacts(void **state) {
    (void)state;
    static const double omegas[] = {0.5, 1, 1.46, 2, 3}, contacts[] = {0.5, 1.1, 1.6, 2.5};
    SchemeMap c = {.scheme = &scheme_condensed};
    for (int i = 0; i < 20; i++) {
        TwoMassParameters p = {.mass_ratio = 0.17,
                               .rho_inf = 0.6,
                               .omega_h = omegas[i / 4],
                               .substeps = 100,
                               .contact_omega_h = contacts[i % 4]};
        assert_true(map_radius(&c, &p) < 1);
    }
}

// A steady load on mass 2: the spring carries it, whatever the step and the damper.
static void rests_on_its_spring(void **state) {
    (void)state;
    Random random = {83};
    SchemeMap c = {.scheme = &scheme_condensed};
    for (int i = 0; i < 200; i++) {
        TwoMassParameters p = some(&random, 0.6);
        if (p.substeps == 1) continue;
        contact(&p, 40, 0.2);
        TwoMass s = two_mass(&p);
        Real F = 0.7L, n = p.substeps, e = (1 + 1 / n) / 2, share = s.b0 / (1 + s.a2);
        // At rest: x1 = F/k1, the velocity lags behind, grains and container stand still.
        Real Y = 1 / (1 + (e - 0.5L + share) * s.c1 + e * share * s.k1), stiff = 1 - Y, jump = Y * Y * F,
             yielding = s.b0 * s.b0 * stiff / s.newton * F, behind = e * share / 8 * yielding;
        Real x = F / s.k1, v = -(e - 0.5L) * jump, a = -s.k1 * x - s.c1 * v + stiff * F;
        TwoMassState rest = {.x1 = x,
                             .v1 = v,
                             .a1 = a,
                             .x1_old = x - (1 - e) * jump,
                             .v1_old = v + jump,
                             .a1_old = a,
                             .x2 = x - behind + F / s.contact_k,
                             .load = {F, F, F},
                             .jump = jump,
                             .yielding = yielding,
                             .gap = -behind};
        TwoMassState z = rest;
        s.m2 = 1e30L; // mass 2 is held where its contact carries the load
        for (int k = 0; k < 3; k++) map_step(&c, &s, &z);
        for (int k = 0; k < TWO_MASS_STATE_COUNT; k++) {
            Real was = ((const Real *)&rest)[k], is = ((const Real *)&z)[k];
            assert_true(fabsl(is - was) <= 1e-9L * (fabsl(was) + fabsl(x) + F));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_grows_on_a_link),
        cmocka_unit_test(does_not_grow_on_contacts),
        cmocka_unit_test(hardly_grows_on_undamped_contacts),
        cmocka_unit_test(light_grains_do_not_grow_on_undamped_contacts),
        cmocka_unit_test(rests_on_its_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
