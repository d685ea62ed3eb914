// The spectral radii of all schemes against the recurrences of the papers, written out here from their
// printed matrices (misprints corrected), with dimensions, and solved by LAPACK; against characteristic
// polynomials worked out by hand where no paper prints one; and against the published figures.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, EXPLICIT doi:10.1007/s11044-022-09829-w.
#include "coupling/scheme_map.h"

#include <lapacke.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "math/two_step.h"

enum { order_max = 16 };

static double between(Random *random, double low, double high) {
    return low + (high - low) * random_uniform(random);
}
static double decades(Random *random, double low, double high) {
    return pow(10, between(random, log10(low), log10(high)));
}

static TwoMassParameters random_parameters(Random *random) {
    TwoMassParameters p = {.mass_ratio = decades(random, 0.02, 50),
                           .frequency_ratio = between(random, 0, 1.5),
                           .damping_ratio = between(random, 0, 2),
                           .xi1 = between(random, 0, 0.8),
                           .rho_inf = random_uniform(random),
                           .omega_h = decades(random, 0.02, 20),
                           .substeps = 1};
    return p;
}

// The same system with dimensions: k_i = m_i omega_0i^2, c_i = 2 m_i omega_0i xi_i (TIGHT 4.3, EXPLICIT Eq.
// 44).
typedef struct Dimensions {
    double h, m1, m2, k1, k2, c1, c2;
    TwoStep t;
} Dimensions;

static Dimensions dimensions(const TwoMassParameters *p, double h, double m1) {
    double omega1 = p->omega_h / h, omega2 = omega1 * p->frequency_ratio, m2 = m1 * p->mass_ratio;
    return (Dimensions){.h = h,
                        .m1 = m1,
                        .m2 = m2,
                        .k1 = m1 * omega1 * omega1,
                        .k2 = m2 * omega2 * omega2,
                        .c1 = 2 * m1 * omega1 * p->xi1,
                        .c2 = 2 * m2 * omega2 * p->xi1 * p->damping_ratio,
                        .t = two_step(p->rho_inf)};
}

static double radius_by_lapack(int n, double *matrix) {
    double real[2 * order_max], imaginary[2 * order_max], radius = 0;
    assert_int_equal(
        LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, matrix, n, real, imaginary, NULL, n, NULL, n), 0);
    for (int i = 0; i < n; i++) radius = fmax(radius, hypot(real[i], imaginary[i]));
    return radius;
}

// L1 z(n+1) = L2 z(n) + L3 z(n-1) as one matrix (TIGHT Eqs. 31-32), and its radius.
static double recurrence_radius(int n, double *l1, const double *l2, const double *l3) {
    double right[order_max * 2 * order_max], matrix[4 * order_max * order_max] = {0};
    lapack_int pivots[order_max];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            right[i * 2 * n + j] = l2[i * n + j];
            right[i * 2 * n + n + j] = l3[i * n + j];
        }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 2 * n, l1, n, pivots, right, 2 * n), 0);
    memcpy(matrix, right, sizeof(double) * (size_t)(2 * n * n));
    for (int i = 0; i < n; i++) matrix[(n + i) * 2 * n + i] = 1;
    return radius_by_lapack(2 * n, matrix);
}

// ---- TIGHT Eqs. 27-30; z = [x1 v1 x2 v2 lambda] ----------------------------------------------------------------
enum { T_X1, T_V1, T_X2, T_V2, T_LOAD, tight_order };
#define AT(matrix, n, i, j) (matrix)[(i) * (n) + (j)]

static double tight_paper(const TwoMassParameters *p, bool loose) {
    enum { n = tight_order };
    Dimensions d = dimensions(p, 0.004, 1.7);
    double h = d.h, l1[n * n] = {0}, l2[n * n] = {0}, l3[n * n] = {0};
    const double f11[2][2] = {{0, 1}, {-d.k1 / d.m1, -d.c1 / d.m1}}, f12[2] = {0, 1 / d.m1};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            AT(l1, n, i, j) = (i == j) - h * d.t.b0 * f11[i][j];
            AT(l2, n, i, j) = d.t.a1 * (i == j) + h * d.t.b1 * f11[i][j];
            AT(l3, n, i, j) = d.t.a2 * (i == j) + h * d.t.b2 * f11[i][j];
        }
        AT(l1, n, i, T_LOAD) = -h * d.t.b0 * f12[i];
        AT(l2, n, i, T_LOAD) = h * d.t.b1 * f12[i];
        AT(l3, n, i, T_LOAD) = h * d.t.b2 * f12[i];
    }
    // I - h A0, -h A1 F21; I + h A1 F22
    AT(l1, n, T_X2, T_X2) = AT(l2, n, T_X2, T_X2) = 1;
    AT(l1, n, T_X2, T_V2) = -h;
    AT(l1, n, T_V2, T_V2) = 1;
    AT(l1, n, T_V2, T_LOAD) = h / d.m2;
    AT(l2, n, T_V2, T_X2) = -h * d.k2 / d.m2;
    AT(l2, n, T_V2, T_V2) = 1 - h * d.c2 / d.m2;
    // the constraint
    AT(l1, n, T_LOAD, T_V2) = 1;
    AT(l2, n, T_LOAD, T_X2) = -1 / h;
    if (loose) {
        AT(l2, n, T_LOAD, T_X1) = (d.t.a1 - 12 * d.t.b0) / h;
        AT(l2, n, T_LOAD, T_V1) = 8 * d.t.b0 + d.t.b1;
        AT(l3, n, T_LOAD, T_X1) = (d.t.a2 + 12 * d.t.b0) / h;
        AT(l3, n, T_LOAD, T_V1) = 5 * d.t.b0 + d.t.b2;
    } else {
        AT(l1, n, T_LOAD, T_X1) = -1 / h;
    }
    return recurrence_radius(n, l1, l2, l3);
}

static void equals_tight_and_loose_of_the_paper(void **state) {
    (void)state;
    Random random = {41};
    for (int i = 0; i < 500; i++) {
        TwoMassParameters p = random_parameters(&random);
        SchemeMap tight = {.scheme = &scheme_tight}, loose = {.scheme = &scheme_loose};
        double paper = tight_paper(&p, false), paper_loose = tight_paper(&p, true);
        check_near(map_radius(&tight, &p), paper, 1e-9 * fmax(1, paper));
        check_near(map_radius(&loose, &p), paper_loose, 1e-9 * fmax(1, paper_loose));
    }
}

// ---- EXPLICIT Eqs. 37-43; z = [x1 v1 x2 v2 lambda u1 u21 u22] --------------------------------------------------
enum { E_X1, E_V1, E_X2, E_V2, E_LAMBDA, E_U1, E_U21, E_U22, explicit_order };

static double explicit_paper(const TwoMassParameters *p, const SchemeMap *c) {
    enum { n = explicit_order };
    Dimensions d = dimensions(p, 0.02, 0.6);
    double h = d.h, l1[n * n] = {0}, l2[n * n] = {0}, l3[n * n] = {0};
    double *old[2] = {l2, l3}, a[2] = {d.t.a1, d.t.a2}, b[2] = {d.t.b1, d.t.b2};
    AT(l1, n, 0, E_X1) = 1; // 37a
    AT(l1, n, 0, E_V1) = -h * d.t.b0;
    AT(l1, n, 1, E_V1) = 1 + h * d.t.b0 * d.c1 / d.m1; // 37b
    AT(l1, n, 1, E_X1) = h * d.t.b0 * d.k1 / d.m1;
    AT(l1, n, 1, E_U1) = -h * d.t.b0 / d.m1;
    for (int j = 0; j < 2; j++) {
        AT(old[j], n, 0, E_X1) = a[j];
        AT(old[j], n, 0, E_V1) = h * b[j];
        AT(old[j], n, 1, E_V1) = a[j] - h * b[j] * d.c1 / d.m1;
        AT(old[j], n, 1, E_X1) = -h * b[j] * d.k1 / d.m1;
        AT(old[j], n, 1, E_U1) = h * b[j] / d.m1;
    }
    AT(l1, n, 2, E_X2) = AT(l2, n, 2, E_X2) = 1; // 38a
    AT(l1, n, 2, E_V2) = -h;
    AT(l1, n, 3, E_V2) = 1; // 38b
    AT(l1, n, 3, E_LAMBDA) = h / d.m2;
    AT(l2, n, 3, E_X2) = -h * d.k2 / d.m2;
    AT(l2, n, 3, E_V2) = 1 - h * d.c2 / d.m2;
    AT(l1, n, 4, E_V2) = 1; // 38c
    AT(l1, n, 4, E_U21) = -1 / h;
    AT(l1, n, 4, E_U22) = -1;
    AT(l2, n, 4, E_X2) = -1 / h;
    AT(l1, n, 5, E_U1) = 1; // 39a; in Jacobi order the load is that of the step before
    AT(c->jacobi ? l2 : l1, n, 5, E_LAMBDA) = c->jacobi ? 1 : -1;
    AT(l1, n, 6, E_U21) = AT(l1, n, 7, E_U22) = 1;
    if (c->original) { // 39b, 39c
        AT(l2, n, 6, E_X1) = 1;
        AT(l2, n, 7, E_X1) = -12 / h;
        AT(l3, n, 7, E_X1) = 12 / h;
        AT(l2, n, 7, E_V1) = 8;
        AT(l3, n, 7, E_V1) = 5;
    } else { // 42b, 42c, 43
        double alpha = (double)c->alpha / (h * h), beta = (double)c->beta / h, gamma = (double)c->gamma_;
        double theta0 = h / (alpha * h * h + beta * h + gamma);
        double theta1 = (d.t.a1 - 12 * d.t.b0) * alpha - 12 / h * beta - d.k1 / d.m1 * gamma;
        double theta2 = (d.t.a2 + 12 * d.t.b0) * alpha + 12 / h * beta;
        double theta3 = (h * d.t.b1 + 8 * h * d.t.b0) * alpha + 8 * beta - d.c1 / d.m1 * gamma;
        double theta4 = (h * d.t.b2 + 5 * h * d.t.b0) * alpha + 5 * beta;
        AT(l2, n, 6, E_X2) = 1;
        AT(l2, n, 7, E_X1) = theta0 * theta1;
        AT(l3, n, 7, E_X1) = theta0 * theta2;
        AT(l2, n, 7, E_V1) = theta0 * theta3;
        AT(l3, n, 7, E_V1) = theta0 * theta4;
        AT(l2, n, 7, E_U1) = theta0 * gamma / d.m1;
        AT(l2, n, 7, E_X2) = -theta0 * alpha;
        AT(l2, n, 7, E_V2) = theta0 * gamma / h;
    }
    return recurrence_radius(n, l1, l2, l3);
}

static void equals_explicit_of_the_paper(void **state) {
    (void)state;
    Random random = {43};
    for (int i = 0; i < 600; i++) {
        TwoMassParameters p = random_parameters(&random);
        SchemeMap c = {.scheme = &scheme_explicit,
                       .jacobi = i % 2 == 1,
                       .original = i % 3 == 0,
                       .alpha = decades(&random, 0.1, 100),
                       .beta = between(&random, 0, 20),
                       .gamma_ = i % 4 < 2 ? between(&random, 0, 3) : 0};
        double paper = explicit_paper(&p, &c);
        check_near(map_radius(&c, &p), paper, 1e-9 * fmax(1, paper));
    }
}

// ---- characteristic polynomials --------------------------------------------------------------------------------
typedef struct Polynomial {
    int degree;
    double c[order_max + 1]; // c[k] z^k
} Polynomial;

static Polynomial times(Polynomial a, Polynomial b) {
    Polynomial p = {.degree = a.degree + b.degree};
    for (int i = 0; i <= a.degree; i++)
        for (int j = 0; j <= b.degree; j++) p.c[i + j] += a.c[i] * b.c[j];
    return p;
}
static Polynomial plus(Polynomial a, double factor, Polynomial b) {
    Polynomial p = {.degree = a.degree > b.degree ? a.degree : b.degree};
    for (int i = 0; i <= p.degree; i++) p.c[i] = a.c[i] + factor * b.c[i];
    return p;
}
static double polynomial_radius(Polynomial p) {
    double matrix[order_max * order_max] = {0};
    int n = p.degree;
    for (int j = 0; j < n; j++) matrix[j] = -p.c[n - 1 - j] / p.c[n];
    for (int i = 1; i < n; i++) matrix[i * n + i - 1] = 1;
    return radius_by_lapack(n, matrix);
}

// rho (rho + c1 sigma) + k1 sigma^2: the mechanism alone, with rho and sigma those of the two-step scheme.
static Polynomial mechanism_alone(const TwoStep *t, double k1, double c1) {
    Polynomial rho = {2, {-t->a2, -t->a1, 1}}, sigma = {2, {t->b2, t->b1, t->b0}};
    return plus(times(rho, plus(rho, c1, sigma)), k1, times(sigma, sigma));
}

// docs/theory/condensed.md
static double condensed_by_hand(const TwoMassParameters *p) {
    Dimensions d = dimensions(p, 1, 1);
    Polynomial sigma = {2, {d.t.b2, d.t.b1, d.t.b0}}, z = {1, {0, 1}}, b2 = {1, {d.t.b2, 1}},
               grains = {2, {d.m2 - d.c2, d.k2 + d.c2 - 2 * d.m2, d.m2}}, shifted = {1, {d.t.a2, 1}};
    double share = d.t.b0 / (1 + d.t.a2), s = 1 + (0.5 + share) * d.c1 + share * d.k1; // S'(1)
    Polynomial brace = times(z, times(shifted, shifted));
    brace = plus(brace, d.c1, times(sigma, b2));
    brace = plus(brace, d.t.b0 * d.k1, times(sigma, z));
    return polynomial_radius(plus(times(grains, brace), s, times(z, mechanism_alone(&d.t, d.k1, d.c1))));
}

static void equals_condensed_by_hand(void **state) {
    (void)state;
    Random random = {47};
    SchemeMap c = {.scheme = &scheme_condensed};
    for (int i = 0; i < 500; i++) {
        TwoMassParameters p = random_parameters(&random);
        if (i % 3 == 0) p.xi1 = 0;
        double by_hand = condensed_by_hand(&p);
        check_near(map_radius(&c, &p), by_hand, 1e-9 * fmax(1, by_hand));
    }
}

// mechanism(z) X = sigma^2 (extrapolated load), load by the grains' n sub-steps on a straight line.
static double multirate_by_hand(const TwoMassParameters *p, int extrapolation) {
    static const Polynomial extrapolations[] = {{2, {0, 0, 1}}, {2, {0, -1, 2}}, {2, {1, -3, 3}}};
    Dimensions d = dimensions(p, 1, 1);
    double n = p->substeps, rest = (n - 1) / n;
    Polynomial sigma = {2, {d.t.b2, d.t.b1, d.t.b0}}, extrapolate = extrapolations[extrapolation],
               z5 = {5, {0, 0, 0, 0, 0, 1}};
    // -z^2 load = m2 (z - 1)^2 + k2 [z + rest/2 (z^2 - z)] + c2 [(z - 1)/n + rest (z^2 - z)]
    Polynomial grains = {2,
                         {d.m2 - d.c2 / n, -2 * d.m2 + d.k2 * (1 - rest / 2) + d.c2 / n - d.c2 * rest,
                          d.m2 + d.k2 * rest / 2 + d.c2 * rest}};
    return polynomial_radius(plus(times(z5, mechanism_alone(&d.t, d.k1, d.c1)), 1,
                                  times(times(extrapolate, grains), times(sigma, sigma))));
}

static void equals_multirate_by_hand(void **state) {
    (void)state;
    Random random = {53};
    SchemeMap c = {.scheme = &scheme_multirate};
    for (int i = 0; i < 500; i++) {
        TwoMassParameters p = random_parameters(&random);
        p.substeps = 1 + i % 7;
        c.extrapolation = i % 3;
        double by_hand = multirate_by_hand(&p, c.extrapolation);
        check_near(map_radius(&c, &p), by_hand, 1e-9 * fmax(1, by_hand));
    }
}

// ---- what must come out ----------------------------------------------------------------------------------------
static double largest_over_omega(const SchemeMap *c, TwoMassParameters p) {
    double largest = 0;
    for (double w = 0.01; w < 10; w *= 1.04) {
        p.omega_h = w;
        largest = fmax(largest, map_radius(c, &p));
    }
    return largest;
}

static void loose_has_its_band(void **state) {
    (void)state;
    SchemeMap loose = {.scheme = &scheme_loose};
    TwoMassParameters p = {.mass_ratio = 1, .substeps = 1};
    for (int i = 0; i <= 10; i++) {
        p.rho_inf = 0.32 + 0.02 * i;
        assert_true(largest_over_omega(&loose, p) <= 1 + STABILITY_TOLERANCE);
    }
    for (int i = 0; i < 4; i++) {
        p.rho_inf = (double[]){0, 0.27, 0.58, 1}[i];
        assert_true(largest_over_omega(&loose, p) > 1.001);
    }
}

static void explicit_figures_at_056(void **state) {
    (void)state;
    TwoMassParameters p = {.mass_ratio = 1, .rho_inf = 0.56, .omega_h = sqrt(5000) * 1e-3, .substeps = 1};
    SchemeMap original = {.scheme = &scheme_explicit, .original = true};
    check_near(map_radius(&original, &p), 1.11, 0.005);
    const Real inputs[][3] = {{2, 2, 1}, {1, 1, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        SchemeMap modified = {
            .scheme = &scheme_explicit, .alpha = inputs[i][0], .beta = inputs[i][1], .gamma_ = inputs[i][2]};
        check_near(map_radius(&modified, &p), 0.999, 0.0005);
    }
}

static void condensed_is_always_stable(void **state) {
    (void)state;
    Random random = {59};
    SchemeMap c = {.scheme = &scheme_condensed};
    for (int i = 0; i < 2000; i++) {
        TwoMassParameters p = {.mass_ratio = decades(&random, 0.01, 1000),
                               .xi1 = i % 2 ? decades(&random, 1e-3, 2) : 0,
                               .rho_inf = i % 8 < 6 ? random_uniform(&random) : i % 8 - 6,
                               .omega_h = decades(&random, 0.001, 100),
                               .substeps = 1};
        assert_true(map_radius(&c, &p) <= 1 + 2e-8);
    }
}

// With a spring on the grains' side: stable while their own frequency, as the step sees it, is not above the
// mechanism's. rho_inf = 1: the trapezoidal rule beside explicit grains, stable up to
// (omega2 h)^2 + 4 xi2 omega2 h = 4 (1 + 1 / r_m).
static void condensed_with_springs_on_the_grains(void **state) {
    (void)state;
    Random random = {61};
    SchemeMap c = {.scheme = &scheme_condensed};
    for (int i = 0; i < 1000; i++) {
        TwoMassParameters p = {.mass_ratio = decades(&random, 0.01, 1000),
                               .rho_inf = random_uniform(&random),
                               .omega_h = decades(&random, 0.05, 50),
                               .substeps = 1};
        double square = p.omega_h * p.omega_h, kappa = random_uniform(&random) * 4 * square / (4 + square);
        p.frequency_ratio = sqrt(kappa) / p.omega_h;
        assert_true(map_radius(&c, &p) <= 1 + 2e-8);
        p.rho_inf = 1;
        for (int side = -1; side <= 1; side += 2) {
            kappa = 4 * (1 + 1 / p.mass_ratio) * (1 + 0.01 * side);
            p.frequency_ratio = sqrt(kappa) / p.omega_h;
            assert_int_equal(map_radius(&c, &p) <= 1 + 2e-8, side < 0);
        }
    }
}

static void loose_is_explicit_with_index_3(void **state) {
    (void)state;
    Random random = {67};
    SchemeMap loose = {.scheme = &scheme_loose}, index_3 = {.scheme = &scheme_explicit, .alpha = 1};
    for (int i = 0; i < 100; i++) {
        TwoMassParameters p = random_parameters(&random);
        p.substeps = 1 + i % 3;
        loose.jacobi = index_3.jacobi = i % 2 == 1;
        check_near(map_radius(&loose, &p), map_radius(&index_3, &p), 1e-12);
    }
}

static void tight_contracts_by_the_mass_ratio(void **state) {
    (void)state;
    Random random = {71};
    for (int i = 0; i < 100; i++) {
        TwoMassParameters p = random_parameters(&random);
        double b0 = two_step(p.rho_inf).b0, w = p.omega_h;
        check_near(scheme_tight.contraction(&p),
                   -p.mass_ratio * b0 * b0 / (1 + 2 * p.xi1 * b0 * w + b0 * b0 * w * w),
                   1e-12 * p.mass_ratio);
    }
}

static void without_grains_the_mechanism_remains(void **state) {
    (void)state;
    for (const SchemeType *const *scheme = scheme_types; *scheme; scheme++) {
        if ((*scheme)->needs_euler) continue; // it does not use the mechanism's integrator
        TwoMassParameters p = {.rho_inf = 0.7, .omega_h = 1.3, .xi1 = 0.1, .substeps = 2};
        SchemeMap c = {.scheme = *scheme, .alpha = 2, .beta = 2, .gamma_ = 1};
        TwoStep t = two_step(p.rho_inf);
        double complex s = p.omega_h * (-p.xi1 + I * sqrt(1 - p.xi1 * p.xi1));
        check_near(map_radius(&c, &p), two_step_radius(&t, s), 1e-12);
    }
}

static void monolithic_is_semi_implicit_euler(void **state) {
    (void)state;
    SchemeMap c = {.scheme = &scheme_monolithic};
    TwoMassParameters p = {.mass_ratio = 3, .rho_inf = 0.2, .substeps = 1};
    p.omega_h = 2 * 1.999; // the frequency of both is half that of mass 1
    check_near(map_radius(&c, &p), 1, 1e-9);
    p.omega_h = 2 * 2.001;
    assert_true(map_radius(&c, &p) > 1.01);
}

// ---- histories -------------------------------------------------------------------------------------------------
// The L1 error of x2 in [0, 0.1] s (TIGHT Eq. 34): omega_01^2 = 5000, rho_inf = 0.6, x = 0, v = 1 at the
// start, and the past that belongs to it. Stored accelerations hold the load in the tight scheme, not in the
// condensed one. With a damper xi in the mechanism; the past is then that of the damped motion.
static double history_error(const SchemeType *scheme, double mass_ratio, double xi, int substeps, double h) {
    double omega01 = sqrt(5000), sum = 0, of = 0;
    double decay = xi * omega01 / (1 + mass_ratio), omega = sqrt(5000 / (1 + mass_ratio) - decay * decay);
    TwoMassParameters p = {
        .mass_ratio = mass_ratio, .xi1 = xi, .rho_inf = 0.6, .omega_h = omega01 * h, .substeps = substeps};
    SchemeMap c = {.scheme = scheme};
    TwoMass s = two_mass(&p);
    Real k = scheme == &scheme_tight ? s.k1 / (1 + s.m2) : s.k1;
    double past = exp(decay * h), sine = sin(omega * h), cosine = cos(omega * h);
    double x_old = -past * sine / omega, v_old = past * (cosine + decay / omega * sine);
    TwoMassState z = {.v1 = h, .v2 = h, .v1_old = h * v_old, .x1_old = x_old};
    if (scheme == &scheme_condensed) { // velocities lag behind a load that lasts, -m2 x''
        double e = 0.5 * (1 + 1.0 / substeps), share = (double)(s.b0 / (1 + s.a2));
        double mobility = 1 / (1 + (e - 0.5 + share) * (double)s.c1 + e * share * (double)s.k1);
        double square = omega * omega + decay * decay, scale = mobility * mass_ratio * h * h;
        double now = scale * 2 * decay, then = scale * (2 * decay * v_old + square * x_old);
        z.v1 -= (e - 0.5) * now;
        double back = h / substeps;
        z.v2 = substeps * exp(decay * back) * sin(omega * back) / omega; // over the last small step
        z.jump = substeps > 1 ? now : 0;
        z.a1 = -s.c1 * z.v1;
        z.a1_old = -k * x_old - s.c1 * (z.v1_old - (e - 0.5) * then);
        z.v1_old += now - (e - 0.5) * then;
        z.x1_old -= (1 - e) * now;
    } else {
        z.a1_old = -k * z.x1_old;
    }
    int steps = (int)lround(0.1 / h);
    for (int n = 1; n <= steps; n++) {
        map_step(&c, &s, &z);
        double exact = exp(-decay * h * n) * sin(omega * h * n) / omega;
        sum += fabs((double)z.x2 - exact);
        of += fabs(exact);
    }
    return sum / of;
}

static void errors_of_table_1(void **state) {
    (void)state;
    const double tight[] = {3.23e-2, 3.29e-3, 3.30e-4, 3.30e-5};
    double h = 1e-3;
    for (int i = 0; i < 4; i++, h /= 10)
        check_near(history_error(&scheme_tight, 1, 0, 1, h), tight[i], 0.02 * tight[i]);
}

static void condensed_is_of_second_order(void **state) {
    (void)state;
    const double xis[] = {0, 0.05, 0.5}, equal[] = {5.3e-4, 5.2e-4, 1e-3}; // at most, at 1 ms
    for (int x = 0; x < 3; x++)
        for (int substeps = 1; substeps <= 9; substeps += 4) {
            double last = 0;
            for (double h = 1e-3; h > 0.9e-5; h /= 10) {
                double error = history_error(&scheme_condensed, 1, xis[x], substeps, h);
                print_message("xi %g, %d small steps, h %g: %.2e\n", xis[x], substeps, h, error);
                if (substeps == 1) assert_true(error < equal[x] * h * h / 1e-6);
                if (last > 0) assert_true(error < last / 90);
                last = error;
            }
        }
    for (double ratio = 0.01; ratio < 2000; ratio *= 10) {
        assert_true(history_error(&scheme_condensed, ratio, 0, 1, 1e-3) < 2e-3);
        assert_true(history_error(&scheme_condensed, ratio, 0, 1, 1e-4) < 2e-5);
    }
}

// Mass 2 meets the resting, free mass 1 at speed 1 and stays with it. Condensed: the common velocity at once
// and for ever. Tight, converged, remembers the load of two steps: at rho_inf = 0.6 and equal masses mass 1
// has 0.41 after the first step, 0.61 after the second.
static void plastic_impact(void **state) {
    (void)state;
    for (double ratio = 0.1; ratio < 200; ratio *= 10)
        for (int i = 0; i <= 4; i++) {
            TwoMassParameters p = {.mass_ratio = ratio, .rho_inf = i / 4.0, .substeps = 1};
            TwoMass s = two_mass(&p);
            SchemeMap c = {.scheme = &scheme_condensed};
            TwoMassState z = {.v2 = 1};
            for (int n = 0; n < 50; n++) {
                map_step(&c, &s, &z);
                check_near((double)z.v1, ratio / (1 + ratio), 1e-12);
                check_near((double)z.v2, ratio / (1 + ratio), 1e-12);
            }
        }
    TwoMassParameters p = {.mass_ratio = 1, .rho_inf = 0.6, .substeps = 1};
    TwoMass s = two_mass(&p);
    SchemeMap c = {.scheme = &scheme_tight};
    TwoMassState z = {.v2 = 1};
    map_step(&c, &s, &z);
    check_near((double)z.v1, 0.41, 0.005);
    map_step(&c, &s, &z);
    check_near((double)z.v1, 0.61, 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_tight_and_loose_of_the_paper),
        cmocka_unit_test(equals_explicit_of_the_paper),
        cmocka_unit_test(equals_condensed_by_hand),
        cmocka_unit_test(equals_multirate_by_hand),
        cmocka_unit_test(loose_has_its_band),
        cmocka_unit_test(explicit_figures_at_056),
        cmocka_unit_test(condensed_is_always_stable),
        cmocka_unit_test(condensed_with_springs_on_the_grains),
        cmocka_unit_test(loose_is_explicit_with_index_3),
        cmocka_unit_test(tight_contracts_by_the_mass_ratio),
        cmocka_unit_test(without_grains_the_mechanism_remains),
        cmocka_unit_test(monolithic_is_semi_implicit_euler),
        cmocka_unit_test(errors_of_table_1),
        cmocka_unit_test(condensed_is_of_second_order),
        cmocka_unit_test(plastic_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
