// Algebra of one small second-order cone Q = {x : x_0 >= |x_1|}, of dimension 1, 2 or 3, inside the module.
//
// Scaling of Nesterov and Todd for x, s inside Q: T x = T^-1 s, T^2 = eta^2 (2 w w^T - J), J = diag(1, -1,
// -1),
//   eta^2 = |s|_J/|x|_J,   w = (s/|s|_J + J x/|x|_J)/(2 gamma),   gamma^2 = (1 + x . s/(|x|_J |s|_J))/2
// (Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010). Products a o b are those of
// the cone's Jordan algebra: (a . b, a_0 b_1 + b_0 a_1).
#ifndef CONTACT_SOC_H
#define CONTACT_SOC_H

#include <float.h>
#include <math.h>

enum { SOC = 3 };

typedef struct SocScaling {
    double w[SOC], eta;
} SocScaling;

// |x|_J^2 = x_0^2 - |x_1|^2 as a product, so that little is lost near the surface.
static inline double soc_det(const double x[SOC]) {
    double r = sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - r) * (x[0] + r);
}

static inline double soc_dot(const double a[SOC], const double b[SOC]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline SocScaling soc_scaling(const double x[SOC], const double s[SOC]) {
    double xj = sqrt(fmax(soc_det(x), DBL_MIN)), sj = sqrt(fmax(soc_det(s), DBL_MIN));
    double gamma = sqrt(0.5 * (1 + soc_dot(x, s) / (xj * sj)));
    SocScaling t = {.eta = sqrt(sj / xj)};
    double f = 0.5 / gamma;
    t.w[1] = f * (s[1] / sj - x[1] / xj);
    t.w[2] = f * (s[2] / sj - x[2] / xj);
    t.w[0] = sqrt(1 + t.w[1] * t.w[1] + t.w[2] * t.w[2]); // |w|_J = 1
    return t;
}

static inline void soc_apply(const SocScaling *t, const double x[SOC], double y[SOC]) { // y = T x
    double dot = t->w[1] * x[1] + t->w[2] * x[2], f = x[0] + dot / (1 + t->w[0]);
    double y0 = t->eta * (t->w[0] * x[0] + dot);
    y[1] = t->eta * (x[1] + f * t->w[1]);
    y[2] = t->eta * (x[2] + f * t->w[2]);
    y[0] = y0;
}

static inline void soc_apply_inverse(const SocScaling *t, const double x[SOC], double y[SOC]) { // y = T^-1 x
    double dot = t->w[1] * x[1] + t->w[2] * x[2], f = -x[0] + dot / (1 + t->w[0]), e = 1 / t->eta;
    double y0 = e * (t->w[0] * x[0] - dot);
    y[1] = e * (x[1] + f * t->w[1]);
    y[2] = e * (x[2] + f * t->w[2]);
    y[0] = y0;
}

static inline void soc_product(const double a[SOC], const double b[SOC], double c[SOC]) { // a o b
    double c0 = soc_dot(a, b), c1 = a[0] * b[1] + b[0] * a[1], c2 = a[0] * b[2] + b[0] * a[2];
    c[0] = c0, c[1] = c1, c[2] = c2;
}

static inline void soc_divide(const double a[SOC], const double v[SOC], double z[SOC]) { // a o z = v
    double z0 = (a[0] * v[0] - a[1] * v[1] - a[2] * v[2]) / fmax(soc_det(a), DBL_MIN);
    z[1] = (v[1] - z0 * a[1]) / a[0];
    z[2] = (v[2] - z0 * a[2]) / a[0];
    z[0] = z0;
}

// The largest step alpha <= most for which x + alpha d stays in Q.
static inline double soc_step(const double x[SOC], const double d[SOC], double most) {
    double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2],
           c = fmax(soc_det(x), 0);
    double step = most;
    if (d[0] < 0 && -x[0] / d[0] < step)
        step = -x[0] / d[0];     // leaves through the other half cone at the latest
    double disc = b * b - a * c; // roots of c + 2 b t + a t^2
    if (disc >= 0) {
        double q = -(b + (b >= 0 ? sqrt(disc) : -sqrt(disc)));
        double t1 = a != 0 ? q / a : -1, t2 = q != 0 ? c / q : -1;
        if (t1 > 0 && t1 < step) step = t1;
        if (t2 > 0 && t2 < step) step = t2;
        if (c == 0 && b < 0) step = 0;
    }
    return step;
}

#endif
