// Mechanisms as users write them, against closed forms: sections and curved beams at rest, driven joints and
// their reactions, bodies off their nodes, springs over many turns, equilibria far from the start, the ledger
// of a beam that was rolled up.
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "sim/run.h"

#define PI 3.14159265358979323846

static Run finish(const char *text) {
    Run run = start_text(text);
    while (!is_done(&run)) step(&run);
    return run;
}

// ---- beams at rest ---------------------------------------------------------------------------------
// A tube that points anywhere: P L^3/(3 EI) + P L/(k GA) along u = (3, -2, 0)/sqrt(13), twist T L/(GJ),
// reactions.
static void test_oblique_tube(void **state) {
    (void)state;
    Run run = start_text(
        "maraca: 1\n"
        "materials: {al: {density: 2750 kg/m^3, young: 72 GPa, poisson: 0.31}}\n"
        "mechanism:\n"
        "  start: equilibrium\n"
        "  beams:\n"
        "    b: {from: 0.1 -0.2 0.3 m, to: 0.3 0.1 0.9 m, up: 1 1 0.3, elements: 3, material: al,\n"
        "        section: {tube: {radius: 15 mm, inner_radius: 11 mm}}}\n"
        "  joints: {root: {clamp: b.start}}\n"
        "  forces: {f: {at: b.end, force: [3 mN, -2 mN, 0], moment: [2 mN*m, 3 mN*m, 6 mN*m]}}\n"
        "simulate: {duration: 1 ms, step: 1 ms}\n");
    double E = 72e9, G = E / 2.62, L = 0.7, R = 15e-3, r = 11e-3, P = 1e-3 * sqrt(13), T = 7e-3;
    double A = PI * (R * R - r * r), I = PI / 4 * (pow(R, 4) - pow(r, 4)), m2 = r * r / (R * R);
    double k = 6 * 1.31 * pow(1 + m2, 2) / ((7 + 6 * 0.31) * pow(1 + m2, 2) + (20 + 12 * 0.31) * m2);
    double along = ((value(&run, "b.end.x") - 0.3) * 3 - (value(&run, "b.end.y") - 0.1) * 2) / sqrt(13);
    double expected = P * L * L * L / (3 * E * I) + P * L / (k * G * A);
    check_near(along, expected, 1e-6 * expected);
    double twist =
        (2 * value(&run, "b.end.rx") + 3 * value(&run, "b.end.ry") + 6 * value(&run, "b.end.rz")) / 7;
    check_near(twist, T * L / (2 * G * I), 1e-6 * twist);
    check_near(value(&run, "root.fx"), -3e-3, 1e-8);
    double moment =
        (2 * value(&run, "root.mx") + 3 * value(&run, "root.my") + 6 * value(&run, "root.mz")) / 7;
    check_near(moment, -T, 1e-8);
    end(&run);
}

// Half a ring under a load across its plane: P R^3 (pi/(2 EI) + 3 pi/(2 GJ)) + pi P R/(k GA).
static void test_half_ring(void **state) {
    (void)state;
    Run run = start_text(
        "maraca: 1\n"
        "materials: {al: {density: 2750 kg/m^3, young: 72 GPa, poisson: 0.31}}\n"
        "mechanism:\n"
        "  start: equilibrium\n"
        "  beams:\n"
        "    b: {from: 0.4 0 0 m, to: -0.4 0 0 m, through: 0 0.4 0 m, up: z, elements: 24, material: al,\n"
        "        section: {circle: {radius: 4 mm}}}\n"
        "  joints: {root: {clamp: b.start}}\n"
        "  forces: {f: {at: b.end, force: [0, 0, 20 mN]}}\n"
        "simulate: {duration: 1 ms, step: 1 ms}\n");
    double E = 72e9, G = E / 2.62, R = 0.4, P = 0.02, A = PI * 16e-6, I = PI / 4 * pow(4e-3, 4);
    double expected = P * R * R * R * (PI / (2 * E * I) + 3 * PI / (2 * G * 2 * I)) +
                      PI * P * R / (6 * 1.31 / (7 + 6 * 0.31) * G * A);
    check_near(value(&run, "b.end.z"), expected, 2e-3 * expected);
    end(&run);
}

// ---- bodies off their node ---------------------------------------------------------------------------
static double mean(double a, double b) { // arithmetic-geometric
    while (fabs(a - b) > 1e-15 * a) {
        double next = 0.5 * (a + b);
        b = sqrt(a * b), a = next;
    }
    return a;
}

static double moment_about(double m, const double c[3], const double J[6], const double n[3]) {
    double own = J[0] * n[0] * n[0] + J[1] * n[1] * n[1] + J[2] * n[2] * n[2] +
                 2 * (J[3] * n[0] * n[1] + J[4] * n[1] * n[2] + J[5] * n[2] * n[0]);
    double along = c[0] * n[0] + c[1] * n[1] + c[2] * n[2];
    return own + m * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] - along * along);
}

// Two bodies on one node swing about an axis that lies askew: period 2 pi sqrt(J/(m g l))/mean(1,
// cos(amplitude/2)).
static void test_two_bodies_on_a_node(void **state) {
    (void)state;
    const double n[3] = {0.6, 0.8, 0}, g = 9.81, m[2] = {1.3, 0.7};
    const double c[2][3] = {{0.3, -0.2, -0.1}, {0.1, -0.3, 0.2}};
    const double J[2][6] = {{0.025, 0.03, 0.02, 0.002, -0.001, 0.003}, {0.004, 0.005, 0.006, 0, 0, 0}};
    double inertia = moment_about(m[0], c[0], J[0], n) + moment_about(m[1], c[1], J[1], n), arm[3], along = 0,
           l = 0;
    for (int i = 0; i < 3; i++) arm[i] = m[0] * c[0][i] + m[1] * c[1][i], along += arm[i] * n[i]; // m l
    for (int i = 0; i < 3; i++) arm[i] -= along * n[i], l += arm[i] * arm[i];
    l = sqrt(l);
    double period = 2 * PI * sqrt(inertia / (g * l)) / mean(1, cos(0.5 * acos(-arm[2] / l)));
    Run run = start_text("maraca: 1\n"
                         "gravity: 0 0 -9.81 m/s^2\n"
                         "mechanism:\n"
                         "  integrator: {rho_inf: 0.6, tolerance: 1e-8}\n"
                         "  bodies:\n"
                         "    a: {position: 0.3 0.4 0.5 m, mass: 1.3 kg, center: 0.3 -0.2 -0.1 m,\n"
                         "        inertia: 25 30 20 2 -1 3 g*m^2}\n"
                         "    b: {node: a, mass: 0.7 kg, center: 0.1 -0.3 0.2 m, inertia: 4 5 6 g*m^2}\n"
                         "  joints: {pin: {revolute: a, axis: 0.6 0.8 0}}\n"
                         "simulate: {duration: 8 s, step: 0.5 ms}\n");
    double before = 0, first = 0, last = 0;
    int found = 0;
    while (!is_done(&run)) {
        step(&run);
        double w = 0.6 * value(&run, "a.wx") + 0.8 * value(&run, "a.wy"), t = now(&run);
        if (t > 0.1 && before * w < 0) {
            last = t - 0.5e-3 * w / (w - before);
            if (found++ == 0) first = last;
        }
        before = w;
    }
    assert_true(found > 8);
    check_near(2 * (last - first) / (found - 1), period, 1e-5 * period);
    end(&run);
}

// ---- drives ----------------------------------------------------------------------------------------
static Run driven(const char *body, const char *joint) {
    char text[900];
    snprintf(text, sizeof text,
             "maraca: 1\n"
             "constants: {w: 12/(1 s)}\n"
             "mechanism:\n"
             "  integrator: {tolerance: 1e-9}\n"
             "  bodies: {b: {mass: 2 kg, inertia: 10 20 25 g*m^2, %s}}\n"
             "  joints: {j: {%s}}\n"
             "simulate: {duration: 0.5 s, step: 1 ms}\n",
             body, joint);
    return finish(text);
}

static void test_driven_slide(void **state) {
    (void)state;
    static const char *const joints[] = {"prismatic: b, axis: 2 2 1, position: 30 mm*(1 - cos(w*t))",
                                         "prismatic: b, axis: 2 2 1, speed: 30 mm*w*sin(w*t)",
                                         "general: b, axis: 2 2 1, translations: all, rotations: all, "
                                         "position: [0, 0, 30 mm*(1 - cos(w*t))]"};
    for (int k = 0; k < 3; k++) {
        Run run = driven("position: 0.3 0.2 0 m", joints[k]);
        double s = 0.03 * (1 - cos(6)), a = 0.03 * 144 * cos(6);
        check_near(value(&run, "b.x"), 0.3 + 2 * s / 3, 1e-8);
        check_near(value(&run, "b.z"), s / 3, 1e-8);
        check_near(value(&run, "j.fx"), 2 * a * 2 / 3, 1e-3 * a);
        check_near(value(&run, "j.fz"), 2 * a / 3, 1e-3 * a);
        end(&run);
    }
}

static void test_driven_screw(void **state) {
    (void)state;
    Run run = driven("position: 0.3 0 0 m",
                     "cylindrical: b, at: 0 0 0 m, axis: z, position: 50 mm/s*t, rate: 7 rad/s");
    check_near(value(&run, "b.x"), 0.3 * cos(3.5), 1e-8);
    check_near(value(&run, "b.z"), 0.025, 1e-8);
    check_near(value(&run, "j.fx"), -2 * 49 * 0.3 * cos(3.5), 1e-4);
    check_near(value(&run, "j.mz"), 0, 1e-4);
    end(&run);
}

// A body on a rod that is drawn in: x vy - y vx stays, tension m L^2/r^3.
static void test_driven_distance(void **state) {
    (void)state;
    Run run =
        driven("position: 0.5 0 0 m, velocity: 0 1 0 m/s",
               "distance: b, offsets: [0 0 0 m, 0 0 0 m], length: '0.5 m - 0.2 m*smooth(t, 0 s, 0.4 s)'");
    double x = value(&run, "b.x"), y = value(&run, "b.y");
    check_near(hypot(x, y), 0.3, 1e-9);
    check_near(x * value(&run, "b.vy") - y * value(&run, "b.vx"), 0.5, 1e-4);
    check_near(hypot(value(&run, "j.fx"), value(&run, "j.fy")), 2 * 0.25 / 0.027, 2e-3 * 18.5);
    end(&run);
}

// Three rates in constant proportion: 31 turns about (3, 8, -5), moment w x J w in the body's axes.
static void test_driven_turns_about_any_axis(void **state) {
    (void)state;
    Run run = finish("maraca: 1\n"
                     "mechanism:\n"
                     "  integrator: {tolerance: 1e-9}\n"
                     "  bodies: {b: {mass: 2 kg, inertia: 10 20 25 g*m^2}}\n"
                     "  joints: {j: {clamp: b, rate: [3 rad/s, 8 rad/s, -5 rad/s]}}\n"
                     "simulate: {duration: 20 s, step: 5 ms}\n");
    const double w[3] = {3, 8, -5}, J[3] = {0.01, 0.02, 0.025}, speed = sqrt(98), angle = 20 * speed;
    double m[3], n[3], along = 0, c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        m[i] = (J[k] - J[j]) * w[j] * w[k], n[i] = w[i] / speed;
    }
    for (int i = 0; i < 3; i++) along += n[i] * m[i];
    static const char *const names[] = {"j.mx", "j.my", "j.mz"}, *const rates[] = {"b.wx", "b.wy", "b.wz"};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double turned = c * m[i] + s * (n[j] * m[k] - n[k] * m[j]) + (1 - c) * along * n[i];
        check_near(value(&run, names[i]), turned, 1e-6);
        check_near(value(&run, rates[i]), w[i], 1e-8);
    }
    end(&run);
}

// An arm that goes round and round: its hub draws it in with m w^2 L/2, carries its weight m g and holds it
// up with m g L/2, all of that turning along. Factors of the matrix are kept meanwhile; reactions must be
// right all the same.
static void test_reactions_of_a_turning_arm(void **state) {
    (void)state;
    Run run = start_text(
        "maraca: 1\n"
        "gravity: 0 0 -9.81 m/s^2\n"
        "materials: {steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.3}}\n"
        "mechanism:\n"
        "  beams:\n"
        "    arm: {from: 0 0 0 m, to: 0.5 0 0 m, elements: 6, material: steel, damping: 1 ms,\n"
        "          section: {tube: {radius: 20 mm, inner_radius: 18 mm}}, angular_velocity: 0 0 60 rad/s}\n"
        "  joints: {hub: {revolute: arm.start, axis: z, rate: 60 rad/s}}\n"
        "simulate: {duration: 1 s, step: 0.2 ms}\n");
    double L = 0.5, mass = 7845 * PI * (400e-6 - 324e-6) * L, pull = mass * 3600 * L / 2,
           weight = mass * 9.81;
    for (int n = 1; !is_done(&run); n++) {
        step(&run);
        if (n < 1000 || n % 50) continue;
        double angle = 60 * 2e-4 * n, c = cos(angle), s = sin(angle);
        check_near(value(&run, "hub.fx"), -pull * c, 5e-3 * pull);
        check_near(value(&run, "hub.fy"), -pull * s, 5e-3 * pull);
        check_near(value(&run, "hub.fz"), weight, 5e-3 * weight);
        check_near(value(&run, "hub.mx"), s * weight * L / 2, 0.02 * weight * L / 2);
        check_near(value(&run, "hub.my"), -c * weight * L / 2, 0.02 * weight * L / 2);
    }
    end(&run);
}

// ---- springs and equilibria ------------------------------------------------------------------------
// A torsion spring whose rest is turns away: the equilibrium is found there, and stays.
static void test_equilibrium_turns_away(void **state) {
    (void)state;
    static const double angles[] = {170, 400, -1000};
    for (int k = 0; k < 3; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "mechanism:\n"
                 "  start: equilibrium\n"
                 "  bodies: {r: {position: 0.1 0 0 m, mass: 1 kg, inertia: 20 30 40 g*m^2}}\n"
                 "  joints: {j: {revolute: r, axis: z, at: 0 0 0 m}}\n"
                 "  torsion_springs:\n"
                 "    s: {between: r, axis: z, stiffness: 0.8 N*m/rad, angle: %g deg}\n"
                 "    p: {between: r, axis: z, preload: 0.1 N*m}\n"
                 "simulate: {duration: 50 ms, step: 1 ms}\n",
                 angles[k]);
        Run run = finish(text);
        double turned = angles[k] * PI / 180 - 0.1 / 0.8;
        check_near(value(&run, "r.x"), 0.1 * cos(turned), 1e-7);
        check_near(value(&run, "r.y"), 0.1 * sin(turned), 1e-7);
        check_near(value(&run, "r.wz"), 0, 1e-5);
        end(&run);
    }
}

// A moment by the angle that was turned: forces and records have the same angle, counted from the attitude as
// written; J q'' = -k q about a weight.
static void test_angle_signals_count_from_what_is_written(void **state) {
    (void)state;
    Run run = finish("maraca: 1\n"
                     "gravity: 0 -9.81 0 m/s^2\n"
                     "mechanism:\n"
                     "  start: equilibrium\n"
                     "  bodies: {r: {mass: 1 kg, center: 0.1 0 0 m, inertia: 20 30 40 g*m^2}}\n"
                     "  joints: {j: {revolute: r, axis: z}}\n"
                     "  forces: {f: {at: r, moment: [0, 0, -(5 N*m)*r.rz]}}\n"
                     "simulate: {duration: 50 ms, step: 1 ms}\n");
    double angle = 0;
    for (int k = 0; k < 60; k++) angle = -0.981 * cos(angle) / 5;
    check_near(value(&run, "r.rz"), angle, 1e-7);
    end(&run);
}

// A bushing with preloads under a weight.
static void test_bushing_at_rest(void **state) {
    (void)state;
    Run run =
        start_text("maraca: 1\n"
                   "gravity: 0 0 -9.81 m/s^2\n"
                   "mechanism:\n"
                   "  start: equilibrium\n"
                   "  bodies: {e: {position: 0.2 0.1 0 m, mass: 3 kg, inertia: 20 30 40 g*m^2}}\n"
                   "  bushings:\n"
                   "    m: {between: e, axis: z, second_axis: x, stiffness: 2 3 4 kN/m, preload: 10 0 -5 N,\n"
                   "        rotational_stiffness: 50 60 70 N*m/rad, moment_preload: 0 0 0.7 N*m}\n"
                   "simulate: {duration: 1 ms, step: 1 ms}\n");
    check_near(value(&run, "e.x"), 0.2 - 10.0 / 2000, 1e-9);
    check_near(value(&run, "e.z"), (5 - 3 * 9.81) / 4000, 1e-9);
    check_near(value(&run, "e.rz"), -0.01, 1e-9);
    end(&run);
}

// ---- strongly bent ---------------------------------------------------------------------------------------
// A beam rolled up to a full circle by a moment that then fades away: it unrolls. Forces across cuts derive
// from the elastic energy only as far as elements are small, so that some of it is missing: less with more
// elements.
static double unroll(int elements) {
    char text[900];
    snprintf(text, sizeof text,
             "maraca: 1\n"
             "materials: {plastic: {density: 1200, young: 2 GPa, poisson: 0.3}}\n"
             "mechanism:\n"
             "  start: equilibrium\n"
             "  integrator: {rho_inf: 1}\n"
             "  beams: {b: {from: 0 0 0 m, to: 1 0 0 m, elements: %d, section: {rectangle: 20 2 mm}, "
             "material: plastic}}\n"
             "  joints: {wall: {clamp: b.start}}\n"
             "  forces: {roll: {at: b.end, moment: [0, 0, %.15g N*m*(1 - smooth(t/(20 ms)))]}}\n"
             "simulate: {duration: 0.1 s, step: 0.1 ms}\n",
             elements, 2 * PI * 2e9 * 0.02 * 8e-9 / 12);
    Run run = start_text(text);
    double rolled = value(&run, "energy.elastic"), missing = 0;
    check_near(rolled, 2 * PI * PI * 2e9 * 0.02 * 8e-9 / 12, 1e-9 * rolled);
    while (!is_done(&run)) {
        step(&run);
        missing = fmax(missing, fabs(value(&run, "energy.algorithm")));
    }
    end(&run);
    return missing / rolled;
}

static void test_rolled_up_beam_keeps_its_energy(void **state) {
    (void)state;
    double coarse = unroll(10), fine = unroll(20);
    print_message("unrolled: %.1e of the energy missing with 10 elements, %.1e with 20\n", coarse, fine);
    check_near(coarse, 0, 3e-3);
    check_near(fine, 0, 1e-3);
    assert_true(fine < 0.4 * coarse);
}

// ---- rho_inf = 1 ---------------------------------------------------------------------------------------
// Fast modes that are overdamped, on a joint that moves, solved roughly: what rings after the start dies out,
// and what the iteration leaves does not add up.
static void test_nothing_grows_without_numerical_damping(void **state) {
    (void)state;
    Run run = start_text(
        "maraca: 1\n"
        "gravity: 0 -9.81 0 m/s^2\n"
        "materials: {al: {density: 2700 kg/m^3, young: 70 GPa}}\n"
        "mechanism:\n"
        "  integrator: {rho_inf: 1, tolerance: 1e-3}\n"
        "  bodies: {tip: {node: b.end, mass: 0.3 kg, center: 0 20 0 mm, inertia: 1 1 1 g*m^2}}\n"
        "  beams:\n"
        "    b: {from: 0 0 0 m, to: 1 0 0 m, elements: 8, section: {rectangle: 20 3 mm}, material: al,\n"
        "        damping: 20 ms, angular_velocity: 0 0 3 rad/s}\n"
        "  joints: {j: {revolute: b.start, axis: z, rate: 3 rad/s}}\n"
        "simulate: {duration: 6 s, step: 1 ms}\n");
    double a[3] = {0}, early = 0, late = 0;
    for (int n = 0; !is_done(&run); n++) {
        step(&run);
        if (n > 600 && n < 5000) continue;
        a[0] = a[1], a[1] = a[2], a[2] = value(&run, "b.end.ax");
        double ringing = fabs(a[2] - 2 * a[1] + a[0]);
        if (n > 100 && n < 600) early = fmax(early, ringing);
        if (n > 5010) late = fmax(late, ringing);
    }
    assert_true(early > 1);
    assert_true(late < 0.1 * early);
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oblique_tube),
        cmocka_unit_test(test_half_ring),
        cmocka_unit_test(test_two_bodies_on_a_node),
        cmocka_unit_test(test_driven_slide),
        cmocka_unit_test(test_driven_screw),
        cmocka_unit_test(test_driven_distance),
        cmocka_unit_test(test_driven_turns_about_any_axis),
        cmocka_unit_test(test_reactions_of_a_turning_arm),
        cmocka_unit_test(test_equilibrium_turns_away),
        cmocka_unit_test(test_angle_signals_count_from_what_is_written),
        cmocka_unit_test(test_bushing_at_rest),
        cmocka_unit_test(test_rolled_up_beam_keeps_its_energy),
        cmocka_unit_test(test_nothing_grows_without_numerical_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
