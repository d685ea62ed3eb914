// Natural frequencies of meshed beams against those of Timoshenko's continuous beam.
#include "chain.h"

// ---- the continuous beam -------------------------------------------------------------------------
// Bending with deflection w, turn b of the section, moment M and shear force Q, at the frequency omega:
//
//     w' = b + Q/GA,  b' = M/EI,  M' = -Q - i omega^2 b,  Q' = -m omega^2 w      (m, i: mass, inertia per
//     length)
//
// The state at the end is exp(L A) times that at the start; a frequency is a zero of the determinant of what
// the end must fulfil, from the two free numbers of the start.
typedef enum Support { CLAMPED, FREE, PINNED } Support;

typedef struct Continuous {
    double EI, GA, mass, inertia, length;
    Support start, end;
    double end_mass, end_inertia; // of a body at a free end
} Continuous;

static void exponential(double A[4][4], double X[4][4]) { // by its series, halved until it converges fast
    double term[4][4] = {{0}}, next[4][4];
    int halvings = 0;
    for (double norm = 0; halvings < 60; halvings++) {
        norm = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) norm = fmax(norm, fabs(A[i][j]) * pow(0.5, halvings));
        if (norm < 0.1) break;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) term[i][j] = X[i][j] = i == j;
    for (int k = 1; k < 16; k++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                next[i][j] = 0;
                for (int l = 0; l < 4; l++) next[i][j] += term[i][l] * A[l][j] * pow(0.5, halvings) / k;
            }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) X[i][j] += term[i][j];
    }
    for (; halvings > 0; halvings--) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                next[i][j] = 0;
                for (int l = 0; l < 4; l++) next[i][j] += X[i][l] * X[l][j];
            }
        memcpy(X, next, sizeof next);
    }
}

static double determinant(const Continuous *c, double frequency) {
    double square = 4 * M_PI * M_PI * frequency * frequency, X[4][4];
    // scaled so that all entries are of one size: w by L, M by EI/L, Q by EI/L^2
    double L = c->length, EI = c->EI;
    double A[4][4] = {{0, 1, 0, EI / (c->GA * L * L)},
                      {0, 0, 1, 0},
                      {0, -c->inertia * square * L * L / EI, 0, -1},
                      {-c->mass * square * L * L * L * L / EI, 0, 0, 0}};
    exponential(A, X);
    static const int unknown[3][2] = {{2, 3}, {0, 1}, {1, 3}}; // at the start
    const int *j = unknown[c->start];
    double row[2][2];
    for (int k = 0; k < 2; k++) {
        double w = X[0][j[k]], b = X[1][j[k]], M = X[2][j[k]], Q = X[3][j[k]];
        row[0][k] = c->end == FREE ? Q - c->end_mass * square * w * L * L * L / EI : w;
        row[1][k] = c->end == CLAMPED ? b : M - c->end_inertia * square * b * L / EI;
    }
    return row[0][0] * row[1][1] - row[0][1] * row[1][0];
}

static void continuous_frequencies(const Continuous *c, double from, int count, double *frequency) {
    int found = 0;
    for (double low = from, step = 1.02; found < count; low *= step) {
        double a = low, b = low * step, at_a = determinant(c, a);
        if (at_a * determinant(c, b) > 0) continue;
        for (int i = 0; i < 50; i++) {
            double middle = 0.5 * (a + b);
            if (at_a * determinant(c, middle) > 0) a = middle;
            else b = middle;
        }
        frequency[found++] = a;
    }
}

// Slender: Euler's beam, (beta L)^2 sqrt(EI/m)/L^2 with beta L = 1.87510407, 4.69409113 (clamped and free).
static void test_the_reference_itself(void **state) {
    (void)state;
    Continuous c = {
        .EI = 3, .GA = 1e9, .mass = 2, .inertia = 1e-9, .length = 1.5, .start = CLAMPED, .end = FREE};
    double f[2];
    continuous_frequencies(&c, 0.01, 2, f);
    const double bl[2] = {1.8751040687, 4.6940911330};
    for (int i = 0; i < 2; i++) {
        double euler = bl[i] * bl[i] * sqrt(3.0 / 2) / (1.5 * 1.5) / (2 * M_PI);
        check_near(f[i], euler, 1e-6 * euler);
    }
}

// ---- the cantilever with a container at its end --------------------------------------------------
// R. Zhang, H. Zhang, Zanoni, Wang, Masarati, Mech. Mach. Theory (2020) 104181,
// doi:10.1016/j.mechmachtheory.2020.104181, Table 3: ten elements, the mass of the grains (7 g) added to the
// container's; frequencies of bending 15.619, 127.460 and 381.082 Hz. The container's moments of inertia are
// given about the end of the beam and kept there (they include whatever its centre of mass is away), so it is
// a mass and an inertia at the end.
static const Material beam_material = {.name = "steel", .density = 7845, .young = 210e9, .poisson = 0.33};
static const double height = 0.002, width = 0.03, length = 0.25;
static const Inertia container = {.mass = 0.0485 + 0.007,
                                  .tensor = {{{2.66e-6, 0, 0}, {0, 4.85e-6, 0}, {0, 0, 2.66e-6}}}};

static Chain cantilever(int64_t elements) {
    BeamDefinition definition = {.name = "beam",
                                 .to = vec3(length, 0, 0),
                                 .elements = elements,
                                 .section = {.kind = SECTION_RECTANGLE, .width = width, .height = height},
                                 .material = "steel"};
    Chain chain = chain_create(&definition, &beam_material);
    chain_hold(&chain, 0, "xyzXYZ");
    chain.extra[chain.extra_count++] = (ChainMass){2 * (int)elements, container};
    return chain;
}

static Continuous bending(double across, double along, Support start, Support end) { // about the side `along`
    double E = beam_material.young, area = height * width, I = along * across * across * across / 12;
    return (Continuous){.EI = E * I,
                        .GA = 5.0 / 6 * E / (2 * (1 + beam_material.poisson)) * area,
                        .mass = beam_material.density * area,
                        .inertia = beam_material.density * I,
                        .length = length,
                        .start = start,
                        .end = end};
}

static void test_cantilever_with_container(void **state) {
    (void)state;
    static const double published[3] = {15.619, 127.460, 381.082};
    Continuous continuous = bending(height, width, CLAMPED, FREE);
    continuous.end_mass = container.mass, continuous.end_inertia = container.tensor.m[2][2];
    double limit[3], below[4][3];
    continuous_frequencies(&continuous, 1, 3, limit);
    for (int i = 0; i < 4; i++) {
        Chain chain = cantilever(5 << i);
        chain_hold_all(&chain, "xzXY"); // bending in the x-y plane
        double f[3];
        chain_frequencies(&chain, 5, 0.2, 3, f);
        for (int k = 0; k < 3; k++) below[i][k] = 1 - f[k] / limit[k];
        if (i == 1)
            for (int k = 0; k < 3; k++) check_near(f[k], published[k], 0.01 * published[k]);
        print_message("elements %2d: %.4f %.4f %.4f Hz, below the limit by %.2e %.2e %.2e\n", 5 << i, f[0],
                      f[1], f[2], below[i][0], below[i][1], below[i][2]);
        chain_free(&chain);
    }
    for (int k = 0; k < 3; k++) { // from one side, at second order
        for (int i = 0; i < 3; i++) {
            assert_true(below[i][k] * below[i + 1][k] > 0);
            check_near(log2(below[i][k] / below[i + 1][k]), 2, 0.2);
        }
        check_near(below[3][k], 0, 1e-3);
    }
}

// All six directions free: the same frequencies appear among those of sideways bending and torsion.
static void test_cantilever_in_space(void **state) {
    (void)state;
    Chain chain = cantilever(10), plane = cantilever(10), side = cantilever(10), twist = cantilever(10);
    chain_hold_all(&plane, "xzXY"), chain_hold_all(&side, "xyXZ"), chain_hold_all(&twist, "xyzYZ");
    double f[5], bend[3], other[1], torsion[1];
    chain_frequencies(&chain, 5, 0.03, 5, f);
    chain_frequencies(&plane, 5, 0.2, 3, bend);
    chain_frequencies(&side, 5, 0.2, 1, other);
    chain_frequencies(&twist, 5, 0.2, 1, torsion);
    check_near(f[0], bend[0], 1e-6 * f[0]);
    check_near(f[1], bend[1], 1e-6 * f[1]);
    check_near(f[2], other[0], 1e-6 * f[2]);
    check_near(f[3], torsion[0], 1e-6 * f[3]);
    check_near(f[4], bend[2], 1e-6 * f[4]);
    Continuous sideways = bending(width, height, CLAMPED, FREE);
    sideways.end_mass = container.mass, sideways.end_inertia = container.tensor.m[1][1];
    double limit;
    continuous_frequencies(&sideways, 1, 1, &limit);
    check_near(other[0], limit, 2e-3 * limit);
    // torsion of a rod with a flywheel: x tan x = (inertia of the rod)/(inertia of the wheel)
    double J = width * pow(height, 3) / 3 * (1 - 0.630249 * height / width);
    double polar = width * height * (width * width + height * height) / 12, ratio, x = 1.2;
    ratio = beam_material.density * polar * length / container.tensor.m[0][0];
    for (int i = 0; i < 60; i++) x -= (x * tan(x) - ratio) / (tan(x) + x * (1 + tan(x) * tan(x)));
    double G = beam_material.young / (2 * (1 + beam_material.poisson));
    double wave = sqrt(G * J / (beam_material.density * polar));
    check_near(torsion[0], x * wave / length / (2 * M_PI), 2e-3 * torsion[0]);
    chain_free(&chain), chain_free(&plane), chain_free(&side), chain_free(&twist);
}

// ---- other supports, a stocky beam ---------------------------------------------------------------
static void check_supports(Support start, Support end) {
    const double h = 0.05, b = 0.03;
    Material material = {.name = "soft", .density = 1200, .young = 3e9, .poisson = 0.4};
    double I = b * h * h * h / 12, area = b * h;
    Continuous continuous = {.EI = material.young * I,
                             .GA = 5.0 / 6 * material.young / 2.8 * area,
                             .mass = material.density * area,
                             .inertia = material.density * I,
                             .length = 0.5,
                             .start = start,
                             .end = end};
    double limit[4], error[2][4];
    continuous_frequencies(&continuous, 20, 4, limit);
    for (int i = 0; i < 2; i++) {
        BeamDefinition definition = {.name = "beam",
                                     .from = vec3(0.3, -0.2, 0.1),
                                     .to = vec3(0.3, -0.2, 0.6),
                                     .up = vec3(0, 1, 0),
                                     .elements = 10 << i,
                                     .section = {.kind = SECTION_RECTANGLE, .width = b, .height = h},
                                     .material = "soft"};
        Chain chain = chain_create(&definition, &material);
        chain_hold_all(&chain, "xzYZ"); // the beam runs along z: free are shifts along y and turns about x
        static const char *const hold[3] = {"yX", "", "y"};
        chain_hold(&chain, 0, hold[start]), chain_hold(&chain, chain.mesh.node_count - 1, hold[end]);
        double f[4];
        chain_frequencies(&chain, 20, 0.1, 4, f);
        for (int k = 0; k < 4; k++) error[i][k] = fabs(f[k] / limit[k] - 1);
        chain_free(&chain);
    }
    for (int k = 0; k < 4; k++) {
        check_near(error[1][k], 0, 2e-3 * (k + 1));
        check_near(log2(error[0][k] / error[1][k]), 2, 0.25);
    }
}

static void test_supports(void **state) {
    (void)state;
    check_supports(CLAMPED, FREE);
    check_supports(FREE, FREE);
    check_supports(PINNED, PINNED);
    check_supports(CLAMPED, CLAMPED);
    check_supports(CLAMPED, PINNED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_reference_itself),
        cmocka_unit_test(test_cantilever_with_container),
        cmocka_unit_test(test_cantilever_in_space),
        cmocka_unit_test(test_supports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
