// The condensed scheme with small steps of the grains (docs/theory/condensed.md), on two masses: with the rigid link of
// the stability maps, and with a contact between them, a spring and a dashpot, whose recurrence is written out here.
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "coupling/scheme_map.h"
#include "math/eigenvalues.h"
#include "math/two_step.h"

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
typedef struct Contact {
    Real stiffness, damping;
} Contact;

// As long as `steps` small ones, for the mass of both as they answer to each other.
static Contact contact(const TwoMass *s, double steps, double zeta) {
    Real n = s->substeps, e = (1 + 1 / n) / 2, share = s->b0 / (1 + s->a2);
    Real mass = 1 / (1 / s->m2 + 1 / (1 + (e - 0.5L + share) * s->c1 + e * share * s->k1));
    Real omega = (Real)M_PI * n / (Real)steps;
    return (Contact){mass * omega * omega, 2 * (Real)zeta * omega * mass};
}

enum { X1, V1, A1, X1_OLD, V1_OLD, A1_OLD, X2, V2, JUMP, LOAD, YIELD, GAP, CONTACT_STATE };

static void contact_step(const TwoMass *s, const Contact *contact, Real *z) {
    TwoMassState mechanism = {
        .x1 = z[X1], .v1 = z[V1], .a1 = z[A1], .x1_old = z[X1_OLD], .v1_old = z[V1_OLD], .a1_old = z[A1_OLD]};
    Real n = s->substeps, dt = 1 / n, e = (1 + dt) / 2, share = s->b0 / (1 + s->a2), tau = e * share / 2;
    Real Y = 1 / (1 + (e - 0.5L + share) * s->c1 + e * share * s->k1), stiff = 1 - Y;
    Real Yi = Y * Y, Yf = s->b0 * stiff / s->newton, Yv = s->b0 * Yf;
    TwoMassMotion smooth = two_mass_mechanism(s, &mechanism, 0);
    Real xc = z[X1] + z[GAP], mean = smooth.x - xc - tau * z[YIELD], change = smooth.v - z[V1] + Yf * z[LOAD];
    change -= stiff * (change + z[JUMP]);
    Real impulse = 0, early = 0, q = z[YIELD], vc = mean - change * (1 + dt) / 2 + q;
    for (int i = 0; i < s->substeps; i++) {
        Real push = dt * (contact->stiffness * (z[X2] - xc) + contact->damping * (z[V2] - vc));
        impulse += push;
        early += push * (1 - i * dt);
        q = (tau * q + Yv * push) / (tau + dt);
        vc = mean + Yi * impulse + q + change * ((i + (Real)0.5) * dt - 0.5L);
        xc += dt * vc;
        z[V2] -= push / s->m2;
        z[X2] += dt * z[V2];
    }
    Real jump = Yi * impulse, way = Yi * early, x = smooth.x + way + Yv * impulse,
         v = smooth.v + jump + Yf * impulse;
    z[X1_OLD] = z[X1] + way - jump, z[V1_OLD] = z[V1] + jump, z[A1_OLD] = z[A1];
    z[X1] = x, z[V1] = v, z[A1] = -s->k1 * x - s->c1 * v + stiff * impulse;
    z[JUMP] = jump, z[LOAD] = impulse, z[YIELD] = q, z[GAP] = xc - x;
}

static double contact_radius(const TwoMassParameters *p, double steps, double zeta) {
    enum { n = CONTACT_STATE };
    TwoMass s = two_mass(p);
    Contact c = contact(&s, steps, zeta);
    Real matrix[n * n];
    for (int j = 0; j < n; j++) {
        Real z[n] = {0};
        z[j] = 1;
        contact_step(&s, &c, z);
        for (int i = 0; i < n; i++) matrix[i * n + j] = z[i];
    }
    return (double)spectral_radius(n, matrix);
}

// Contacts of 25 to 125 small steps that lose energy, a damping ratio from 0.02 (restitution 0.94).
static void does_not_grow_on_contacts(void **state) {
    (void)state;
    Random random = {79};
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        TwoMassParameters p = some(&random, 0.6);
        if (p.substeps == 1) continue;
        double steps = decades(&random, 25, 125), zeta = 0.02 + 0.48 * random_uniform(&random);
        double radius = contact_radius(&p, steps, zeta);
        worst = fmax(worst, radius);
        if (!(radius <= 1 + 1e-6))
            fail_msg(
                "radius %.9g at r_m %g, omega h %g, xi %g, rho_inf %g, %d small steps, contact of %g, %g",
                radius, p.mass_ratio, p.omega_h, p.xi1, p.rho_inf, p.substeps, steps, zeta);
    }
    print_message("largest radius - 1: %.1e\n", worst - 1);
}

// A steady load on mass 2: the spring carries it, whatever the step and the damper.
static void rests_on_its_spring(void **state) {
    (void)state;
    Random random = {83};
    for (int i = 0; i < 200; i++) {
        TwoMassParameters p = some(&random, 0.6);
        if (p.substeps == 1) continue;
        TwoMass s = two_mass(&p);
        Contact c = contact(&s, 40, 0.2);
        double n = p.substeps, e = (1 + 1 / n) / 2, weight = 0.7;
        // At rest: x1 = F/k1, the velocity lags behind, grains and container stand still.
        Real share = s.b0 / (1 + s.a2),
             Y = 1 / (1 + ((Real)e - 0.5L + share) * s.c1 + (Real)e * share * s.k1);
        Real F = weight, jump = Y * Y * F, stiff = 1 - Y, x = F / s.k1, v = -((Real)e - 0.5L) * jump,
             Yf = s.b0 * stiff / s.newton, q = s.b0 * Yf * F, tau = (Real)e * share / 2;
        Real a = -s.k1 * x - s.c1 * v + stiff * F, z[CONTACT_STATE] = {[X1] = x,
                                                                       [V1] = v,
                                                                       [A1] = a,
                                                                       [X1_OLD] = x - (1 - (Real)e) * jump,
                                                                       [V1_OLD] = v + jump,
                                                                       [A1_OLD] = a,
                                                                       [JUMP] = jump,
                                                                       [LOAD] = F,
                                                                       [YIELD] = q,
                                                                       [GAP] = -tau * q};
        z[X2] = x - tau * q + F / c.stiffness;
        Real z0[CONTACT_STATE];
        memcpy(z0, z, sizeof z);
        s.m2 = 1e30L; // mass 2 is held where its contact carries the load
        for (int k = 0; k < 3; k++) contact_step(&s, &c, z);
        for (int k = 0; k < CONTACT_STATE; k++)
            assert_true(fabsl(z[k] - z0[k]) <= 1e-9L * (fabsl(z0[k]) + fabsl(x) + (Real)weight));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_grows_on_a_link),
        cmocka_unit_test(does_not_grow_on_contacts),
        cmocka_unit_test(rests_on_its_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
