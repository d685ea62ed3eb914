// The evidence for the condensed scheme (docs/theory/condensed.md) by the real engines: plastic impacts, a
// chain of eight masses that is far too stiff for the step, and a beam, each with one grain without
// restitution in a box.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
#include "sim/run.h"

enum { samples_most = 200 };

typedef struct Path {
    MrcStatus status;
    int count;
    double x[samples_most], v[samples_most], grain[samples_most]; // of the port and of the grain
    double fastest;                                               // |v| of the port at any step
} Path;

static const char *grain_file(void) { // one grain at rest at the origin
    static char path[300];
    snprintf(path, sizeof path, "%s/tests/validation/one-grain.csv", MARACA_SOURCE_DIR);
    return path;
}

// `node`: the one that carries the port.
static Path follow(const char *text, const char *node, double h, double every, double duration) {
    Path path = {0};
    MrcError error = {0};
    Run run = start_text(text);
    int64_t steps = (int64_t)round(duration / h), each = (int64_t)round(every / h);
    char velocity[20];
    MrcMotion first, port;
    MrcGrains grains;
    snprintf(velocity, sizeof velocity, "%s.v", node);
    mrc_sim_port(run.sim, 0, &first, NULL);
    for (int64_t n = 1; n <= steps && path.status == MRC_OK; n++) {
        path.status = mrc_sim_step(run.sim, &error);
        if (path.status != MRC_OK) break;
        mrc_sim_port(run.sim, 0, &port, NULL);
        Vec3 v = vector(&run, velocity);
        path.fastest = fmax(path.fastest, vec3_norm(v));
        if (n % each != 0 || path.count == samples_most) continue;
        assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
        double x = port.position[0] - first.position[0], y = port.position[1] - first.position[1];
        bool across = fabs(y) > fabs(x); // the beam's tip
        path.x[path.count] = across ? y : x;
        path.v[path.count] = across ? v.y : v.x;
        path.grain[path.count++] = across ? grains.y[0] : grains.x[0];
    }
    if (path.status != MRC_OK) print_message("  %s\n", error.text);
    end(&run);
    return path;
}

static double off(const double *a, const double *b, int count) { // r.m.s. over r.m.s.
    double sum = 0, size = 0;
    for (int k = 0; k < count; k++) sum += (a[k] - b[k]) * (a[k] - b[k]), size += b[k] * b[k];
    return sqrt(sum / size);
}

// ---- plastic impacts -----------------------------------------------------------------------------
// A body of 1 kg flies into a grain at rest: both end with 1/(1 + m) of its speed.
static Path impact(const char *scheme, double mass, double rho) {
    char text[2000];
    snprintf(text, sizeof text,
             "maraca: 1\nconstants: {R: 10 mm}\n"
             "materials: {lead: {density: '%.17g kg/(4/3*pi*R^3)', restitution: 0}}\n"
             "mechanism:\n  integrator: {rho_inf: %g}\n"
             "  bodies: {cube: {mass: 1 kg, inertia: 1 1 1 g*m^2, velocity: 0.3 0 0 m/s}}\n"
             "grains:\n  ball: {port: cube, wall: {plane: {point: -15.01 0 0 mm, normal: +x}}, method: "
             "nonsmooth,\n"
             "         particles: {radius: R, material: lead, velocity: -0.3 0 0 m/s}, packing: {file: "
             "{path: %s}}}\n"
             "coupling: {scheme: %s, iterations: 200}\nsimulate: {duration: 50 ms, step: 1 ms}\n",
             mass, rho, grain_file(), scheme);
    return follow(text, "cube", 1e-3, 1e-3, 0.05);
}

static void plastic_impacts_are_exact(void **state) {
    (void)state;
    const double masses[] = {0.1, 0.5, 1, 3, 10, 100}, rhos[] = {0, 0.6, 1};
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < 3; r++) {
            Path path = impact("condensed", masses[i], rhos[r]);
            double common = 0.3 / (1 + masses[i]);
            assert_int_equal(path.status, MRC_OK);
            check_near(path.v[path.count - 1], common, 1e-6 * common);
            check_near((path.x[path.count - 1] - path.x[path.count - 11]) / 0.01, common, 1e-6 * common);
            check_near((path.grain[path.count - 1] - path.grain[path.count - 11]) / 0.01, common,
                       1e-6 * common);
        }
    Path tight = impact("tight", 1, 0.6);
    print_message("equal masses, the container's velocity after the impact by tight:");
    for (int k = 15; k < 24; k++) print_message(" %.4f", tight.v[k] / 0.3);
    print_message(" of the approach\n");
}

// ---- a chain of eight masses ---------------------------------------------------------------------
// omega_max = 2e4 rad/s, shaken by 2 mm at 20 Hz, the grain with 0.5 mm to each side.
static Path chain(const char *scheme, double mass, double h) {
    char text[6000];
    int n = snprintf(text, sizeof text,
                     "maraca: 1\nconstants: {K: '1 kg/8*(2e4 rad/s)^2/4', D: 'K*50 us', R: 10 mm}\n"
                     "materials: {lead: {density: '%g kg/(4/3*pi*R^3)', restitution: 0}}\n"
                     "mechanism:\n  integrator: {rho_inf: 0.6}\n  bodies:\n"
                     "    m0: {mass: 1 kg, inertia: 1 1 1 g*m^2}\n",
                     mass);
    for (int i = 1; i <= 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "    m%d: {position: %g 0 0 m, mass: 125 g, inertia: 1 1 1 g*m^2}\n", i, 0.1 * i);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  joints:\n    drive: {prismatic: m0, axis: x, position: 2 mm*sin(2*pi*20 Hz*t)^2}\n");
    for (int i = 1; i <= 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "    g%d: {prismatic: m%d, axis: x}\n", i, i);
    n += snprintf(text + n, sizeof text - (size_t)n, "  bushings:\n");
    for (int i = 1; i <= 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "    s%d: {between: [m%d, m%d], axis: z, second_axis: x, stiffness: [K, 0, 0], "
                      "damping: [D, 0, 0]}\n",
                      i, i - 1, i);
    snprintf(
        text + n, sizeof text - (size_t)n,
        "ports: {box: {node: m8, offset: -0.8 0 0 m}}\n"
        "grains:\n  ball:\n    port: box\n    method: nonsmooth\n    walls:\n"
        "      left: {plane: {point: -10.5 0 0 mm, normal: +x}}\n"
        "      right: {plane: {point: 10.5 0 0 mm, normal: -x}}\n"
        "    particles: {radius: R, material: lead}\n    packing: {file: {path: %s}}\n"
        "coupling: {scheme: %s, tolerance: 1e-6, iterations: 50}\nsimulate: {duration: 50 ms, step: %g s}\n",
        grain_file(), scheme, h);
    return follow(text, "m8", h, 1e-3, 0.05);
}

static void chain_with_light_and_heavy_grain(void **state) {
    (void)state;
    const double masses[] = {0.2, 3};
    for (int i = 0; i < 2; i++) {
        Path exact = chain("condensed", masses[i], 5e-6);
        double error[2][2];
        for (int k = 0; k < 2; k++) {
            double h = k ? 2e-5 : 1e-4;
            Path condensed = chain("condensed", masses[i], h), tight = chain("tight", masses[i], h);
            error[0][k] = off(condensed.grain, exact.grain, exact.count);
            error[1][k] = off(tight.grain, exact.grain, exact.count);
            print_message("grain of %g of the chain, h = %g ms: grain's position off by %.2e (tight %.2e), "
                          "velocity of the "
                          "box by %.2e (%.2e)\n",
                          masses[i], 1e3 * h, error[0][k], error[1][k],
                          off(condensed.v, exact.v, exact.count), off(tight.v, exact.v, exact.count));
            assert_int_equal(condensed.status, MRC_OK);
            assert_true(condensed.fastest < 2 * exact.fastest);
            assert_true(error[0][k] < error[1][k]);
        }
        assert_true(error[0][1] < 0.3 * error[0][0]); // converges
        assert_true(error[0][1] < 0.01);
    }
}

// ---- a beam --------------------------------------------------------------------------------------
// The cantilever of TIGHT 5.2 at its first mode, with one grain of 7 g that hits floor and ceiling of the
// shell.
static Path beam(const char *scheme, double mass, double h) {
    char text[3000];
    snprintf(
        text, sizeof text,
        "maraca: 1\nconstants: {R: 3 mm}\n"
        "materials:\n  lead: {density: '%g g/(4/3*pi*R^3)', restitution: 0}\n"
        "  steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.33}\n"
        "mechanism:\n  integrator: {rho_inf: 0.6}\n"
        "  beams: {arm: {from: -250 0 0 mm, to: 0 0 0 mm, elements: 5, section: {rectangle: 30 2 mm}, "
        "material: steel}}\n"
        "  bodies: {shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}}\n"
        "  joints: {root: {clamp: arm.start}}\n"
        "  forces: {shaker: {at: arm.end, force: [0, 0.5 N*sin(2*pi*15.5 Hz*t), 0]}}\n"
        "grains:\n  ball:\n    port: shell\n    method: nonsmooth\n    walls:\n"
        "      floor: {plane: {point: 0 -3.4 0 mm, normal: +y}}\n"
        "      ceiling: {plane: {point: 0 3.4 0 mm, normal: -y}}\n"
        "    particles: {radius: R, material: lead}\n    packing: {file: {path: %s}}\n"
        "coupling: {scheme: %s, tolerance: 1e-6, iterations: 50}\nsimulate: {duration: 0.1 s, step: %g s}\n",
        mass, grain_file(), scheme, h);
    return follow(text, "shell", h, 1e-3, 0.1);
}

static void beam_with_a_grain(void **state) {
    (void)state;
    const double masses[] = {7, 150};
    for (int i = 0; i < 2; i++) {
        Path exact = beam("condensed", masses[i], 2.5e-5);
        for (int k = 0; k < 2; k++) {
            double h = k ? 1e-4 : 5e-4;
            Path condensed = beam("condensed", masses[i], h), tight = beam("tight", masses[i], h);
            print_message(
                "grain of %g g, h = %g ms: tip off by %.2e (tight %.2e), grain by %.2e (%.2e), fastest %.3g "
                "(%.3g) m/s\n",
                masses[i], 1e3 * h, off(condensed.x, exact.x, exact.count),
                off(tight.x, exact.x, exact.count), off(condensed.grain, exact.grain, exact.count),
                off(tight.grain, exact.grain, exact.count), condensed.fastest, tight.fastest);
            assert_int_equal(condensed.status, MRC_OK);
            if (k == 1) assert_true(off(condensed.x, exact.x, exact.count) < 0.03);
            assert_true(condensed.fastest < 2 * exact.fastest);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plastic_impacts_are_exact),
                                       cmocka_unit_test(chain_with_light_and_heavy_grain),
                                       cmocka_unit_test(beam_with_a_grain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
