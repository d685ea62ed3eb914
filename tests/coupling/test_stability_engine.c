// The schemes as they run (coupling_step) against the steps that the stability maps are made of: the same
// two-mass oscillator by both, number for number, at random parameters. So a map says what a run will do.
#include "base/random.h"
#include "check.h"
#include "coupling/oscillator.h"
#include "coupling/scheme_map.h"

enum { step_count = 12 };

static void place(Coupling *c, Oscillator *o, const CouplingDefinition *definition,
                  const TwoMassParameters *p, double h, Arena *arena) {
    double omega = p->omega_h / h, omega2 = omega * p->frequency_ratio, m2 = p->mass_ratio;
    double k2 = m2 * omega2 * omega2, c2 = 2 * m2 * omega2 * p->xi1 * p->damping_ratio;
    o->m = 1, o->k = omega * omega, o->c = 2 * omega * p->xi1, o->t = two_step(p->rho_inf),
    o->rho_inf = p->rho_inf;
    o->own_energy = 1e30;
    ContainerDefinition container = {
        .mass = m2, .inertia = {1, 1, 1, 0, 0, 0}, .stiffness = {k2}, .damping = {c2}};
    oscillator_couple(c, o, definition, &container, arena);
    c->counts.steps = 3; // a full past, of loads that were zero
    divergence_start(c);
}

// Returns the number of steps compared.
static int same_steps(CouplingDefinition definition, SchemeMap map, const TwoMassParameters *p) {
    double h = 0.003, size = 1e-300;
    int compared = 0;
    Arena *arena = arena_create();
    MrcError error = {0};
    Coupling c;
    TwoMass s = two_mass(p);
    TwoMassState z = {.v1 = 0.7, .v2 = 0.7, .a1 = 0.2, .x1_old = -0.5, .v1_old = 0.9, .a1_old = -0.3};
    Oscillator o = {.now = {0, 0.7 / h, 0.2 / (h * h)}, .before = {-0.5, 0.9 / h, -0.3 / (h * h)}};
    o.next = o.now;
    place(&c, &o, &definition, p, h, arena);
    for (; compared < step_count; compared++) {
        MrcStatus status = coupling_step(&c, h * compared, h, &error);
        if (status == MRC_DIVERGED) break; // caught: nothing more to compare
        assert_int_equal(status, MRC_OK);
        map_step(&map, &s, &z);
        size = fmax(size, fmax(fabs((double)z.x1), fabs((double)z.v1)));
        check_near(o.now.q, (double)z.x1, 1e-8 * size);
        check_near(o.now.v * h, (double)z.v1, 1e-8 * size);
        check_near(c.containers.items[0].motion.position.x, (double)z.x2, 1e-8 * size);
        check_near(c.containers.items[0].motion.velocity.x * h, (double)z.v2, 1e-8 * size);
    }
    arena_destroy(arena);
    return compared;
}

static TwoMassParameters some(Random *random) {
    return (TwoMassParameters){.mass_ratio = pow(10, 3 * random_uniform(random) - 2),
                               .frequency_ratio = random_uniform(random),
                               .damping_ratio = random_uniform(random),
                               .xi1 = 0.5 * random_uniform(random),
                               .rho_inf = random_uniform(random),
                               .omega_h = pow(10, 2 * random_uniform(random) - 1.5),
                               .substeps = 1};
}

static void compare(CouplingDefinition definition, SchemeMap map) {
    Random random = {11};
    int compared = 0;
    for (int i = 0; i < 25; i++) {
        TwoMassParameters p = some(&random);
        compared += same_steps(definition, map, &p);
    }
    assert_true(compared > 25 * step_count / 2);
}

// Each row of the table with the settings that it has by default.
static void every_scheme(void **state) {
    (void)state;
    for (int k = 0; scheme_types[k]; k++) {
        CouplingDefinition d = {.scheme = k,
                                .extrapolation = EXTRAPOLATION_AUTO,
                                .acceleration = ACCELERATION_QUASI_NEWTON,
                                .tolerance = 1e-12,
                                .iterations = 50};
        SchemeSettings s = scheme_settings(scheme_types[k], &d);
        compare(d, (SchemeMap){scheme_types[k], s.jacobi, s.extrapolation, s.original, s.alpha, s.beta,
                               s.gamma_});
    }
}

static void extrapolations(void **state) {
    (void)state;
    for (int e = EXTRAPOLATION_NONE; e <= EXTRAPOLATION_QUADRATIC; e++) {
        compare(
            (CouplingDefinition){.scheme = scheme_find("overlapped"), .extrapolation = (ExtrapolationKind)e},
            (SchemeMap){.scheme = &scheme_loose, .jacobi = true, .extrapolation = e});
        compare(
            (CouplingDefinition){.scheme = scheme_find("multirate"), .extrapolation = (ExtrapolationKind)e},
            (SchemeMap){.scheme = &scheme_multirate, .extrapolation = e});
    }
}

static void explicit_inputs(void **state) {
    (void)state;
    for (int order = ORDER_GAUSS_SEIDEL; order <= ORDER_JACOBI; order++) {
        CouplingDefinition d = {.scheme = scheme_find("explicit"), .order = (OrderKind)order};
        SchemeMap map = {.scheme = &scheme_explicit, .jacobi = order == ORDER_JACOBI};
        d.inputs = INPUTS_ORIGINAL, map.original = true;
        compare(d, map);
        d.inputs = INPUTS_INDEX_1, map.original = false, map.alpha = 2, map.beta = 2, map.gamma_ = 1;
        compare(d, map);
        d.inputs = INPUTS_OWN, d.alpha = 0.3, d.beta = 1.4, d.gamma = 0.6;
        map.alpha = d.alpha, map.beta = d.beta, map.gamma_ = d.gamma;
        compare(d, map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme),
        cmocka_unit_test(extrapolations),
        cmocka_unit_test(explicit_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
