// The iteration of the interior point method: see interior.h.
#include "contact/interior.h"

#include "contact/cone.h"
#include "contact/history.h"

// ---- E and the cones -----------------------------------------------------------------------------
static void spread(const InteriorContact *c, const double p[INTERIOR_ROWS],
                   double x[INTERIOR_CONES][SOC]) { // E p
    for (int k = 0; k < c->cones; k++) {
        x[k][0] = c->cone_radius[k] * p[0];
        for (int i = 1; i < SOC; i++) x[k][i] = i < c->cone_size[k] ? p[c->cone_row[k] + i - 1] : 0;
    }
}

static void gather(const InteriorContact *c, double s[INTERIOR_CONES][SOC],
                   double u[INTERIOR_ROWS]) { // E^T s
    u[0] = 0;
    for (int k = 0; k < c->cones; k++) {
        u[0] += c->cone_radius[k] * s[k][0];
        for (int i = 1; i < c->cone_size[k]; i++) u[c->cone_row[k] + i - 1] = s[k][i];
    }
}

// h = (E^T Theta E)^-1, by Cholesky's factor.
static bool invert_block(InteriorContact *c) {
    int n = c->rows;
    double m[INTERIOR_ROWS][INTERIOR_ROWS] = {{0}};
    for (int k = 0; k < c->cones; k++) {
        double t[SOC][SOC];
        soc_square(&c->scaling[k], t);
        int row = c->cone_row[k], size = c->cone_size[k];
        m[0][0] += c->cone_radius[k] * c->cone_radius[k] * t[0][0];
        for (int i = 1; i < size; i++) {
            m[row + i - 1][0] += c->cone_radius[k] * t[i][0];
            for (int j = 1; j < size; j++) m[row + i - 1][row + j - 1] += t[i][j];
        }
    }
    // Factor from the last row up, so that the normal, which all discs share, comes last.
    double inverse[INTERIOR_ROWS][INTERIOR_ROWS] = {{0}}, l[INTERIOR_ROWS][INTERIOR_ROWS] = {{0}};
    for (int jj = 0; jj < n; jj++) {
        int j = n - 1 - jj;
        double d = m[j][j];
        for (int k = j + 1; k < n; k++) d -= l[j][k] * l[j][k];
        if (!(d > 0)) return false;
        l[j][j] = sqrt(d);
        for (int i = 0; i < j; i++) {
            double sum = i == 0 || j == 0 ? m[j][0] : m[j][i];
            for (int k = j + 1; k < n; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = sum / l[j][j];
        }
    }
    for (int col = 0; col < n; col++) { // m = l l^T with l upper triangular
        double y[INTERIOR_ROWS];
        for (int ii = 0; ii < n; ii++) {
            int i = n - 1 - ii;
            double sum = i == col;
            for (int k = i + 1; k < n; k++) sum -= l[i][k] * y[k];
            y[i] = sum / l[i][i];
        }
        for (int i = 0; i < n; i++) {
            double sum = y[i];
            for (int k = 0; k < i; k++) sum -= l[k][i] * inverse[k][col];
            inverse[i][col] = sum / l[i][i];
        }
    }
    memcpy(c->h, inverse, sizeof inverse);
    return true;
}

// ---- steps ---------------------------------------------------------------------------------------
static bool scale_all(Interior *in) {
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        for (int k = 0; k < c->cones; k++) c->scaling[k] = soc_scaling(c->x[k], c->s[k]);
        if (!invert_block(c)) return false;
    }
    return true;
}

// rc = -s + T (lambda \ (centre e - correction)), lambda = T x; correction = (T^-1 ds) o (T dx) of the
// predictor.
static void aim(InteriorContact *c, double centre, bool correct) {
    for (int k = 0; k < c->cones; k++) {
        double point[SOC], v[SOC] = {centre, 0, 0}, z[SOC];
        soc_apply(&c->scaling[k], c->x[k], point);
        if (correct) {
            double a[SOC], b[SOC], product[SOC];
            soc_apply_inverse(&c->scaling[k], c->ds[k], a);
            soc_apply(&c->scaling[k], c->dx[k], b);
            soc_product(a, b, product);
            for (int i = 0; i < SOC; i++) v[i] -= product[i];
        }
        soc_divide(point, v, z);
        soc_apply(&c->scaling[k], z, c->rc[k]);
        for (int i = 0; i < SOC; i++) c->rc[k][i] -= c->s[k][i];
    }
}

static void direction(Interior *in, double centre, bool correct) {
    memset(in->right.data, 0, in->unknowns * sizeof(double));
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double es[INTERIOR_ROWS], er[INTERIOR_ROWS], f[INTERIOR_ROWS];
        aim(c, centre, correct);
        gather(c, c->s, es);
        gather(c, c->rc, er);
        for (int r = 0; r < c->rows; r++) c->r[r] = er[r] - (c->u[r] - es[r]);
        for (int r = 0; r < c->rows; r++) {
            f[r] = 0;
            for (int k = 0; k < c->rows; k++) f[r] += c->h[r][k] * c->r[k];
        }
        interior_add_transposed(in, c, f, in->right.data);
    }
    interior_solve(in);
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double ady[INTERIOR_ROWS];
        interior_jacobian_times(in, c, in->dy.data, ady);
        for (int r = 0; r < c->rows; r++) {
            c->dp[r] = 0;
            for (int k = 0; k < c->rows; k++) c->dp[r] += c->h[r][k] * (c->r[k] - ady[k]);
        }
        spread(c, c->dp, c->dx);
        for (int k = 0; k < c->cones; k++) {
            double t[SOC];
            soc_apply(&c->scaling[k], c->dx[k], t);
            soc_apply(&c->scaling[k], t, t);
            for (int j = 0; j < SOC; j++) c->ds[k][j] = c->rc[k][j] - t[j];
        }
    }
}

static double step_length(const Interior *in, double most) {
    double step = most;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        for (int k = 0; k < c->cones; k++) {
            step = soc_step(c->x[k], c->dx[k], step);
            step = soc_step(c->s[k], c->ds[k], step);
        }
    }
    return step;
}

static double gap_of(const Interior *in) { // mean x . s
    double sum = 0, count = 0;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        for (int k = 0; k < c->cones; k++) sum += soc_dot(c->x[k], c->s[k]), count++;
    }
    return count > 0 ? sum / count : 0;
}

static void advance(Interior *in, double step) {
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        for (int r = 0; r < c->rows; r++) c->p[r] += step * c->dp[r];
        spread(c, c->p, c->x);
        for (int k = 0; k < c->cones; k++)
            for (int j = 0; j < SOC; j++) c->s[k][j] += step * c->ds[k][j];
    }
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].lambda += step * in->rows.data[i].dlambda;
    interior_velocities(in);
}

// ---- judging -------------------------------------------------------------------------------------
static Twist as_twist(const InteriorContact *c, const double z[INTERIOR_ROWS], const ContactPoint *point) {
    Twist t = {vec3_scale(z[0], point->normal), {0, 0, 0}};
    for (int k = 0; k < c->cones; k++) {
        bool angular = !(c->cone_row[k] == 1 && point->friction > 0);
        for (int i = 1; i < c->cone_size[k]; i++) {
            int row = c->cone_row[k] + i - 1;
            if (angular) t.angular = vec3_madd(t.angular, z[row], c->axes[row]);
            else t.linear = vec3_madd(t.linear, z[row], c->axes[row]);
        }
    }
    return t;
}

// The residual of residual.h for the cone problem with frozen shifts, on its own scale.
static double natural_map(const Interior *in, const ContactProblem *problem) {
    double largest = 0;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        const ContactPoint *point = &problem->contacts.data[c->contact];
        Cone cone = cone_of(point, c->length);
        Twist p = as_twist(c, c->p, point), u = as_twist(c, c->u, point);
        Twist e = twist_madd(p, -1, cone_project(&cone, point->normal, twist_madd(p, -1, u)));
        double size = sqrt(twist_dot(e, e));
        if (size > largest || size != size) largest = size;
    }
    for (size_t i = 0; i < in->rows.count; i++) largest = fmax(largest, fabs(in->rows.data[i].value));
    return largest;
}

static void keep(Interior *in, bool restore) {
    double *at = in->best.data;
    for (size_t i = 0; i < in->contacts.count; i++, at += INTERIOR_ROWS) {
        double *p = in->contacts.data[i].p;
        memcpy(restore ? p : at, restore ? at : p, sizeof in->contacts.data[i].p);
    }
    for (size_t i = 0; i < in->rows.count; i++, at++) {
        if (restore) in->rows.data[i].lambda = *at;
        else *at = in->rows.data[i].lambda;
    }
}

// ---- the iteration -------------------------------------------------------------------------------
static void start(Interior *in) {
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        memset(c->p, 0, sizeof c->p);
        c->p[0] = 1;
        spread(c, c->p, c->x);
        memset(c->s, 0, sizeof c->s);
        for (int k = 0; k < c->cones; k++) c->s[k][0] = 1 / (c->cone_radius[k] * c->cones);
    }
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].lambda = 0;
    interior_velocities(in);
}

static const double short_step = 1e-8, fraction = 0.995;

// One cone problem. Returns the Newton steps used; the impulses with the least residual are left in place.
static int minimise(Interior *in, const ContactProblem *problem, double target, int most,
                    ContactReport *report) {
    start(in);
    double best = natural_map(in, problem);
    keep(in, false);
    int used = 0, worse = 0;
    while (used < most && best > target && worse < 6) {
        if (!scale_all(in) || !interior_factor(in)) break;
        used++;
        double gap = gap_of(in);
        direction(in, 0, false); // predictor
        double affine = step_length(in, 1), rest = 1 - affine;
        double centre = rest * rest * rest * gap;
        direction(in, centre, true);
        double step = fmin(1, fraction * step_length(in, 1 / fraction));
        if (!(step > short_step)) break;
        advance(in, step);
        double residual = natural_map(in, problem);
        history_add(report, report->iterations + used, residual);
        if (!(residual < DBL_MAX)) break;
        worse = residual < 0.9 * best ? 0 : worse + 1;
        if (residual < best) {
            best = residual;
            keep(in, false);
        }
    }
    keep(in, true);
    interior_velocities(in);
    return used;
}

static double update_shifts(Interior *in) {
    double change = 0;
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double shift = 0;
        for (int k = 0; k < c->cones; k++) {
            double size = 0;
            for (int j = 1; j < c->cone_size[k]; j++) {
                double u = c->u[c->cone_row[k] + j - 1];
                size += u * u;
            }
            shift += c->cone_radius[k] * sqrt(size);
        }
        change = fmax(change, fabs(shift - c->shift));
        c->shift = shift;
    }
    return change;
}

MrcStatus interior_run(Interior *in, const ContactProblem *p, const ContactOptions *options, double scale,
                       ContactImpulse *impulses, double *lambdas, ContactReport *report, MrcError *error) {
    MrcStatus status = interior_build(in, p, scale, error);
    if (status != MRC_OK) return status;
    double target = 0.5 * options->tolerance;
    for (int outer = 0; outer < options->outer_iterations; outer++) {
        report->iterations += minimise(in, p, target, options->interior_iterations, report);
        if (p->law != CONTACT_COULOMB) break;
        report->outer++;
        if (update_shifts(in) <= target) break;
    }
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        const ContactPoint *point = &p->contacts.data[c->contact];
        Cone cone = cone_of(point, c->length);
        Twist t = cone_project(&cone, point->normal, as_twist(c, c->p, point));
        impulses[c->contact] = (ContactImpulse){vec3_scale(scale / c->root, t.linear),
                                                vec3_scale(scale * c->length / c->root, t.angular)};
    }
    for (size_t i = 0; i < in->rows.count; i++)
        lambdas[in->rows.data[i].row] = in->rows.data[i].lambda * scale / in->rows.data[i].root;
    return MRC_OK;
}
