// What ports feel, against closed forms, and that the advice is what the stability maps and the runs say.
#include "analysis/advise_coupling.h"

#include <stdio.h>

#include "analysis/advise.h"
#include "check.h"
#include "coupling/scheme_map.h"
#include "model/model.h"

static CouplingAdvice advise(MrcModel *model, Arena *arena) {
    Advice advice;
    MrcError error;
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    if (advise_model(model, arena, &advice, &error) != MRC_OK) fail_msg("%s", error.text);
    if (advice.trouble) fail_msg("%s", advice.trouble);
    mrc_model_free(model);
    return advice.coupling;
}

static MrcModel *two_masses(double m1, double m2, double k, double rho) {
    char path[300], set[4][60];
    const char *overrides[] = {set[0], set[1], set[2], set[3]};
    snprintf(path, sizeof path, "%s/examples/two-mass.yaml", MARACA_SOURCE_DIR);
    snprintf(set[0], sizeof set[0], "constants.m1=%g kg", m1);
    snprintf(set[1], sizeof set[1], "constants.m2=%g kg", m2);
    snprintf(set[2], sizeof set[2], "constants.k=%g N/m", k);
    snprintf(set[3], sizeof set[3], "mechanism.integrator.rho_inf=%g", rho);
    return mrc_model_load(path, overrides, 4);
}

static const SchemeAdvice *find(const PortAdvice *port, const char *name) {
    for (int s = 0; s < port->scheme_count; s++)
        if (strcmp(port->schemes[s].name, name) == 0) return &port->schemes[s];
    fail_msg("no scheme '%s'", name);
    return NULL;
}

static void two_masses_are_found(void **state) {
    (void)state;
    Arena *arena = arena_create();
    const double m1[] = {0.3, 4, 1}, m2[] = {0.1, 6, 0.4}, k[] = {800, 3e5, 5000}, rho[] = {0.3, 0.7, 0.9};
    for (int i = 0; i < 3; i++) {
        CouplingAdvice advice = advise(two_masses(m1[i], m2[i], k[i], rho[i]), arena);
        const PortAdvice *port = &advice.ports[0];
        double f = sqrt(k[i] / m1[i]) / (2 * M_PI), h = 1e-4;
        assert_int_equal(advice.count, 1);
        check_near(port->effective_mass[0], m1[i], 1e-9 * m1[i]);
        check_near(port->effective_inertia[2], 1, 1e-9);
        check_near(port->ratio, m2[i] / m1[i], 1e-9 * port->ratio);
        check_near(port->frequency, f, 1e-4 * f);
        double both = f * sqrt(m1[i] / (m1[i] + m2[i])); // with the container that is fixed to it
        check_near(advice.first_mode, both, 1e-6 * both);
        // The map at the step itself and far below it: never more than what is told.
        SchemeMap loose = {.scheme = &scheme_loose};
        TwoMassParameters p = {
            .mass_ratio = m2[i] / m1[i], .rho_inf = rho[i], .omega_h = 2 * M_PI * f * h, .substeps = 1};
        assert_true(find(port, "loose")->radius >= map_radius(&loose, &p) - 1e-6);
        assert_true(find(port, "condensed")->radius <= 1 + STABILITY_TOLERANCE);
        p.rho_inf = find(port, "loose")->rho_most;
        if (!isnan(p.rho_inf)) assert_true(map_radius(&loose, &p) <= 1 + STABILITY_TOLERANCE);
    }
    // Equal masses: original inputs at no rho_inf, index 1 at 0.6, the loose scheme from 0.55 down.
    CouplingAdvice equal = advise(two_masses(1, 1, 5000, 0.6), arena);
    assert_true(find(&equal.ports[0], "explicit, original inputs")->radius > 1.05);
    assert_true(isnan(find(&equal.ports[0], "explicit, original inputs")->rho_most));
    assert_true(find(&equal.ports[0], "explicit")->radius <= 1 + STABILITY_TOLERANCE);
    assert_true(find(&equal.ports[0], "loose")->radius > 1.005);
    check_near(find(&equal.ports[0], "loose")->rho_most, 0.55, 1e-9);
    // Semi-implicit Euler: energies swing by 1/(1 - omega h/2) (docs/theory/stability.md).
    check_near(find(&equal.ports[0], "monolithic")->energy_swing, 1 / (1 - 0.5 * sqrt(5000) * 1e-4), 1e-6);
    assert_true(isnan(find(&equal.ports[0], "condensed")->energy_swing));
    arena_destroy(arena);
}

// A lever that turns about z at 0.3 m from the port: across it the effective mass is I/r^2, along it the port is
// held.
static void effective_mass_of_a_lever(void **state) {
    (void)state;
    const char *text =
        "maraca: 1\nmechanism:\n"
        "  bodies: {lever: {position: 0.1 0 0 m, mass: 2 kg, inertia: 0.01 0.02 0.03 kg*m^2}}\n"
        "  joints: {pivot: {revolute: lever, at: 0 0 0 m, axis: z}}\n"
        "ports:\n  end: {node: lever, offset: 0.2 0 0 m, mount: {axis: z, angle: 90 deg},\n"
        "        container: {mass: 0.5 kg, inertia: 1 1 1 0 0 0 kg*m^2}}\n"
        "simulate: {duration: 1 s, step: 1 ms}\n";
    Arena *arena = arena_create();
    CouplingAdvice advice = advise(mrc_model_parse(text, strlen(text), "lever", NULL, 0), arena);
    const PortAdvice *port = &advice.ports[0];
    double inertia = 0.03 + 2 * 0.01;
    check_near(port->effective_mass[0], inertia / 0.09, 1e-9); // the port's x is across the lever
    assert_true(isinf(port->effective_mass[1]) && isinf(port->effective_mass[2]));
    check_near(port->effective_inertia[2], inertia, 1e-9);
    assert_int_equal(port->axis, 0);
    check_near(port->ratio, 0.5 / (inertia / 0.09), 1e-9);
    check_near(port->frequency, 0, 1e-6);
    assert_string_equal(advice.scheme, "condensed");
    check_near(advice.step, 1e-3, 1e-12); // a thousandth of the duration: nothing vibrates
    arena_destroy(arena);
}

// The same machine, its guide along an axis or aslant: the mobility is n n^T/m, and the figures must not depend on n.
static void directions_do_not_matter(void **state) {
    (void)state;
    static const char *const axes[] = {"0 0 1", "1 1 1", "0.6 0 0.8", "-1 2 0.01"}, *const words[] = {
                                                                                        "z",
                                                                                        "0.577 0.577 0.577",
                                                                                        "0.6 0 0.8",
                                                                                        "-0.447 0.894 0.004"};
    Arena *arena = arena_create();
    for (int i = 0; i < 4; i++) {
        char text[1000];
        double n[3];
        assert_int_equal(sscanf(axes[i], "%lf %lf %lf", &n[0], &n[1], &n[2]), 3);
        double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        snprintf(
            text, sizeof text,
            "maraca: 1\nmechanism:\n"
            "  bodies: {can: {mass: 20 g, inertia: 1 1 1 g*m^2}}\n"
            "  joints: {guide: {prismatic: can, axis: %s}}\n"
            "  springs: {s: {between: can, offsets: [0 0 0 m, %.15g %.15g %.15g m], stiffness: 5 kN/m}}\n"
            "ports: {p: {node: can, container: {mass: 17 g, inertia: 1 1 1 0 0 0 g*m^2}}}\n"
            "coupling: {scheme: loose}\nsimulate: {duration: 0.2 s, step: 0.2 ms}\n",
            axes[i], -n[0] / size, -n[1] / size, -n[2] / size);
        CouplingAdvice advice = advise(mrc_model_parse(text, strlen(text), "slanting", NULL, 0), arena);
        const PortAdvice *port = &advice.ports[0];
        int axis = port->axis, free = 0;
        for (int k = 0; k < 3; k++) free += isfinite(port->effective_mass[k]);
        assert_int_equal(free, 1);
        assert_string_equal(port->along[axis], words[i]);
        for (int k = 0; k < 3; k++) check_near(vec3_component(port->direction[axis], k), n[k] / size, 1e-6);
        check_near(port->effective_mass[axis], 0.02, 1e-9);
        check_near(port->ratio, 0.85, 1e-6);
        check_near(port->frequency, 79.577, 1e-2);
        assert_true(find(port, "staggered")->radius > 1.001);
    }
    arena_destroy(arena);
}

// A body on a spring, one on a lever with a torsion spring: their only vibration is that of the port, and no dashpot
// changes it, in any scheme and formulation. (By the matrix of the step, 5 N s/m made 98.75 Hz of 50.33 Hz.)
static void dampers_are_no_springs(void **state) {
    (void)state;
    static const char *const dashpots[] = {"0", "5", "20", "500"},
                             *const schemes[] = {"condensed", "monolithic"},
                             *const kinds[] = {"absolute", "relative"};
    Arena *arena = arena_create();
    for (int i = 0; i < 16; i++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "maraca: 1\nconstants: {c: %s N*s/m}\nmechanism:\n"
            "  formulation: %s\n"
            "  bodies:\n    box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2}\n"
            "    arm: {position: 100 0 0 mm, mass: 0.1 kg, inertia: 0.4 0.4 0.4 g*m^2}\n"
            "  joints:\n    guide: {prismatic: box, axis: z}\n"
            "    hinge: {revolute: arm, at: 0 0 0 mm, axis: y}\n"
            "  springs: {s: {between: box, offsets: [0 0 0 m, 0 0 -1 m], stiffness: 20 kN/m, damping: c}}\n"
            "  torsion_springs: {t: {between: arm, axis: y, stiffness: 30 N*m/rad, damping: c*0.01 m^2}}\n"
            "ports:\n  pan: {node: box}\n  end: {node: arm, offset: 50 0 0 mm}\n"
            "coupling: {scheme: %s}\nsimulate: {duration: 0.2 s, step: 0.2 ms}\n",
            dashpots[i % 4], kinds[i / 8], schemes[i / 4 % 2]);
        CouplingAdvice advice = advise(mrc_model_parse(text, strlen(text), "dashpots", NULL, 0), arena);
        assert_int_equal(advice.count, 2);
        check_near(advice.ports[0].frequency, sqrt(20e3 / 0.2) / (2 * M_PI), 5e-3);
        check_near(advice.ports[1].frequency, sqrt(30 / 1.4e-3) / (2 * M_PI), 5e-3);
        check_near(advice.ports[1].effective_mass[2], 1.4e-3 / 0.0225, 1e-5);
    }
    arena_destroy(arena);
}

// A beam with grains: they count with their container, and beams are too fast for an explicit mechanism.
static void effective_mass_of_a_beam(void **state) {
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/examples/cantilever-damper.yaml", MARACA_SOURCE_DIR);
    Arena *arena = arena_create();
    CouplingAdvice advice = advise(mrc_model_load(path, NULL, 0), arena);
    const PortAdvice *port = &advice.ports[0];
    check_near(port->grains, 7e-3, 5e-5);
    assert_true(port->effective_mass[1] > 48.5e-3 &&
                port->effective_mass[1] < 48.5e-3 + 117.7e-3 / 20); // the shell and some beam
    check_near(advice.first_mode, 16.33, 0.02);
    assert_true(find(port, "monolithic")->radius > 2); // it does diverge, within five steps
    assert_true(find(port, "loose")->radius <= 1 + STABILITY_TOLERANCE);
    check_near(advice.suggested_rho, 0.6, 0);
    arena_destroy(arena);
}

// Smooth grains of twice the mass of a box on a spring with omega h = 4: said for a rho_inf above 0.6, with the axis.
static void heavy_grains_on_stiff_springs_are_told(void **state) {
    (void)state;
    Arena *arena = arena_create();
    for (int k = 0; k < 2; k++) {
        char path[300], rho[60];
        snprintf(path, sizeof path, "%s/examples/scale.yaml", MARACA_SOURCE_DIR);
        snprintf(rho, sizeof rho, "mechanism.integrator={rho_inf: %g}", k ? 0.9 : 0.6);
        const char *overrides[] = {"constants.box_mass=14 g", "mechanism.springs.mount.stiffness=5.6e6 N/m",
                                   "constants.dashpot=0 N*s/m", rho};
        CouplingAdvice advice = advise(mrc_model_load(path, overrides, 4), arena);
        const PortAdvice *port = &advice.ports[0];
        assert_true(port->small_steps > 1);
        assert_int_equal(port->stiff_axis, k ? 2 : -1);
        if (k == 0) continue;
        check_near(port->stiff_ratio, 2.02, 0.01);
        check_near(port->stiff_phase, 4, 1e-3);
        assert_true(find(port, "condensed")->radius <= 1 + STABILITY_TOLERANCE);
    }
    arena_destroy(arena);
}

// A ball on an undamped contact in a box on a spring, neither of them resolved (tests/coupling/test_contact_swing.c): told
// where the map grows, by springs of friction, too; not told with rho_inf 0.6, a damped contact, a short step or another
// scheme.
static void undamped_contacts_are_told(void **state) {
    (void)state;
    static const struct {
        double rho, step, restitution;
        const char *tangential, *scheme;
        bool told;
    } cases[] = {
        {0.9, 1e-3, 1, "none", "condensed", true},     {0.9, 1e-3, 0.5, "elastic", "condensed", true},
        {0.6, 1e-3, 1, "none", "condensed", false},    {0.9, 1e-3, 0.5, "none", "condensed", false},
        {0.9, 0.05e-3, 1, "none", "condensed", false}, {0.9, 1e-3, 1, "none", "tight", false},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1500], words[400];
        snprintf(text, sizeof text,
                 "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
                 "materials: {steel: {density: 7850 kg/m^3, friction: 0.3, restitution: %g}}\n"
                 "mechanism:\n"
                 "  integrator: {rho_inf: %g}\n"
                 "  bodies: {box: {mass: 40 g, inertia: 1 1 1 g*m^2}}\n"
                 "  joints: {guide: {prismatic: box, axis: z}}\n"
                 "  springs: {mount: {between: box, offsets: [0 0 0 m, 0 0 -1 m], stiffness: 108900 N/m}}\n"
                 "ports: {pan: {node: box}}\n"
                 "grains:\n"
                 "  ball:\n"
                 "    port: pan\n"
                 "    wall: {box: {size: 20 20 20 mm}}\n"
                 "    particles: {radius: 4.955 mm, count: 1, material: steel}\n"
                 "    method: smooth\n"
                 "    contact: {normal: linear, tangential: %s, stiffness: 43560 N/m}\n"
                 "coupling: {scheme: %s}\n"
                 "simulate: {duration: 10 ms, step: %g s}\n",
                 cases[i].restitution, cases[i].rho, cases[i].tangential, cases[i].scheme, cases[i].step);
        CouplingAdvice advice = advise(mrc_model_parse(text, strlen(text), "swing", NULL, 0), arena);
        const PortAdvice *port = &advice.ports[0];
        bool told = advise_contact_words(port, words, sizeof words);
        if (told != cases[i].told) fail_msg("case %zu: growth %g", i, port->swing_growth);
        if (told) assert_non_null(strstr(words, "may swing up along z"));
    }
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses_are_found),      cmocka_unit_test(effective_mass_of_a_lever),
        cmocka_unit_test(directions_do_not_matter),  cmocka_unit_test(dampers_are_no_springs),
        cmocka_unit_test(effective_mass_of_a_beam),  cmocka_unit_test(heavy_grains_on_stiff_springs_are_told),
        cmocka_unit_test(undamped_contacts_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
