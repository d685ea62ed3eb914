// The iteration of the interior point method: see interior.h.
#include "contact/interior.h"

#include "base/watch.h"
#include "contact/cone.h"
#include "contact/history.h"
#include "contact/solver_type.h"

// ---- E and the cones -----------------------------------------------------------------------------
static void interior_spread(const InteriorContact *c, const double p[INTERIOR_ROWS],
                            double x[INTERIOR_CONES][SOC]) { // E p
    for (int k = 0; k < c->cones; k++) {
        x[k][0] = c->cone_radius[k] * p[0];
        for (int i = 1; i < SOC; i++) x[k][i] = i < c->cone_size[k] ? p[c->cone_row[k] + i - 1] : 0;
    }
}

static void interior_gather(const InteriorContact *c, double s[INTERIOR_CONES][SOC],
                            double u[INTERIOR_ROWS]) { // E^T s
    u[0] = 0;
    for (int k = 0; k < c->cones; k++) {
        u[0] += c->cone_radius[k] * s[k][0];
        for (int i = 1; i < c->cone_size[k]; i++) u[c->cone_row[k] + i - 1] = s[k][i];
    }
}

// h = (E^T Theta E)^-1. With Theta = [a b^T; b C] of each cone, C = eta^2 (1 + 2 w_1 w_1^T), eliminating the
// discs leaves sum c^2 (a - b^T C^-1 b) = sum c^2 eta^2/(1 + 2 |w_1|^2) for the normal. In this form nothing
// cancels when w grows without bounds, as it does where contacts slip; Cholesky's factor of the sum does not
// survive that.
static void interior_invert_block(InteriorContact *c) {
    double *f = c->ray, schur = 0;
    memset(c->h, 0, sizeof c->h);
    for (int k = 0; k < c->cones; k++) {
        const SocScaling *t = &c->scaling[k];
        double stretch = 1 + 2 * (t->w[1] * t->w[1] + t->w[2] * t->w[2]), e2 = t->eta * t->eta;
        schur += c->cone_radius[k] * c->cone_radius[k] * e2 / stretch;
        int row = c->cone_row[k] - 1, size = c->cone_size[k];
        for (int i = 1; i < size; i++) {
            f[row + i] = -c->cone_radius[k] * 2 * t->w[0] * t->w[i] / stretch;
            for (int j = 1; j < size; j++)
                c->h[row + i][row + j] = ((i == j) - 2 * t->w[i] * t->w[j] / stretch) / e2;
        }
    }
    f[0] = 1;
    c->softness = 1 / schur;
    for (int i = 0; i < c->rows; i++)
        for (int j = 0; j < c->rows; j++) c->h[i][j] += c->softness * f[i] * f[j];
}

// H^-1 v by its parts: the softness of a slipping contact grows without bounds along the ray on which its
// impulse lies. Errors made along that ray do no harm; a product with the sum would make them across it.
static void interior_inverse_times(const InteriorContact *c, const double v[INTERIOR_ROWS],
                                   double out[INTERIOR_ROWS]) {
    double along = 0;
    for (int i = 0; i < c->rows; i++) along += c->ray[i] * v[i];
    along *= c->softness;
    out[0] = along;
    for (int k = 0; k < c->cones; k++) {
        const SocScaling *t = &c->scaling[k];
        double stretch = 1 + 2 * (t->w[1] * t->w[1] + t->w[2] * t->w[2]), e2 = t->eta * t->eta, dot = 0;
        int row = c->cone_row[k] - 1, size = c->cone_size[k];
        for (int i = 1; i < size; i++) dot += t->w[i] * v[row + i];
        for (int i = 1; i < size; i++)
            out[row + i] = (v[row + i] - 2 * t->w[i] * dot / stretch) / e2 + along * c->ray[row + i];
    }
}

// ---- steps ---------------------------------------------------------------------------------------
static void interior_scale_all(Interior *in) {
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        for (int k = 0; k < c->cones; k++) c->scaling[k] = soc_scaling(c->x[k], c->s[k]);
        interior_invert_block(c);
    }
}

// rc = -s + T (lambda \ (centre e - correction)), lambda = T x; correction = (T^-1 ds) o (T dx) of the
// predictor.
static void interior_target(InteriorContact *c, double centre, bool correct) {
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

// ds from E^T ds = A dy + (A y + b - E^T s): ds = rc - Theta dx would lose all digits near the surface of a
// cone. Only how several discs share the normal part is left to the row (Theta^-1 (rc - ds))_0 = dx_0.
static void interior_slack_direction(InteriorContact *c, const double ady[INTERIOR_ROWS]) {
    double es[INTERIOR_ROWS], left;
    interior_gather(c, c->s, es);
    left = ady[0] + c->u[0] - es[0];
    for (int k = c->cones - 1; k >= 0; k--) {
        for (int i = 1; i < SOC; i++) {
            int row = c->cone_row[k] + i - 1;
            c->ds[k][i] = i < c->cone_size[k] ? ady[row] + c->u[row] - es[row] : 0;
        }
        const SocScaling *t = &c->scaling[k];
        double stretch = 1 + 2 * (t->w[1] * t->w[1] + t->w[2] * t->w[2]);
        double across = t->w[1] * (c->rc[k][1] - c->ds[k][1]) + t->w[2] * (c->rc[k][2] - c->ds[k][2]);
        c->ds[k][0] = c->rc[k][0] - (t->eta * t->eta * c->dx[k][0] + 2 * t->w[0] * across) / stretch;
        if (k == 0) c->ds[k][0] = left / c->cone_radius[0];
        left -= c->cone_radius[k] * c->ds[k][0];
    }
}

// The residual of dy = A^T dp + B^T dlambda after the solve. Where contacts slip or stick, H^-1 is large and dp
// has errors along the rays; solving for this residual removes them, as iterative refinement does.
static void interior_refine(Interior *in) {
    double *total = in->y.data + in->unknowns, *right = in->right.data;
    for (size_t i = 0; i < in->unknowns; i++) right[i] = -total[i];
    for (size_t i = 0; i < in->contacts.count; i++)
        interior_add_transposed(in, &in->contacts.data[i], in->contacts.data[i].dp, right);
    interior_rows_refine(in, total, right);
    interior_solve(in);
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double ady[INTERIOR_ROWS], ddp[INTERIOR_ROWS];
        interior_jacobian_times(in, c, in->dy.data, ady);
        interior_inverse_times(c, ady, ddp);
        for (int r = 0; r < c->rows; r++) c->dp[r] -= ddp[r];
    }
    for (size_t i = 0; i < in->unknowns; i++) total[i] += in->dy.data[i];
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].dlambda += in->rows.data[i].ddlambda;
}

enum { refinements = 2 };

static void interior_direction(Interior *in, double centre, bool correct) {
    memset(in->right.data, 0, in->unknowns * sizeof(double));
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double es[INTERIOR_ROWS], er[INTERIOR_ROWS], f[INTERIOR_ROWS];
        interior_target(c, centre, correct);
        interior_gather(c, c->s, es);
        interior_gather(c, c->rc, er);
        for (int r = 0; r < c->rows; r++) c->r[r] = er[r] - (c->u[r] - es[r]);
        interior_inverse_times(c, c->r, f);
        interior_add_transposed(in, c, f, in->right.data);
    }
    interior_rows_right(in, in->right.data);
    interior_solve(in);
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].dlambda = in->rows.data[i].ddlambda;
    double *total = in->y.data + in->unknowns;
    memcpy(total, in->dy.data, in->unknowns * sizeof(double));
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double ady[INTERIOR_ROWS], rest[INTERIOR_ROWS];
        interior_jacobian_times(in, c, total, ady);
        for (int r = 0; r < c->rows; r++) rest[r] = c->r[r] - ady[r];
        interior_inverse_times(c, rest, c->dp);
    }
    for (int k = 0; k < refinements; k++) interior_refine(in);
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        double ady[INTERIOR_ROWS];
        interior_jacobian_times(in, c, total, ady);
        interior_spread(c, c->dp, c->dx);
        interior_slack_direction(c, ady);
    }
}

static double interior_step_length(const Interior *in, double most) {
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

static double interior_gap_of(const Interior *in) { // mean x . s
    double sum = 0, count = 0;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        for (int k = 0; k < c->cones; k++) sum += soc_dot(c->x[k], c->s[k]), count++;
    }
    return count > 0 ? sum / count : 0;
}

static void interior_take_step(Interior *in, double step) {
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        for (int r = 0; r < c->rows; r++) c->p[r] += step * c->dp[r];
        interior_spread(c, c->p, c->x);
        for (int k = 0; k < c->cones; k++)
            for (int j = 0; j < SOC; j++) c->s[k][j] += step * c->ds[k][j];
    }
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].lambda += step * in->rows.data[i].dlambda;
    interior_velocities(in);
}

// ---- judging -------------------------------------------------------------------------------------
static Twist interior_as_twist(const InteriorContact *c, const double z[INTERIOR_ROWS],
                               const ContactPoint *point) {
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
static double interior_natural_map(const Interior *in, const ContactProblem *problem) {
    double largest = 0;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        const ContactPoint *point = &problem->contacts.data[c->contact];
        Cone cone = cone_of(point, c->length);
        Twist p = interior_as_twist(c, c->p, point), u = interior_as_twist(c, c->u, point);
        Twist e = twist_madd(p, -1, cone_project(&cone, point->normal, twist_madd(p, -1, u)));
        double size = sqrt(twist_dot(e, e));
        if (size > largest || size != size) largest = size;
    }
    for (size_t i = 0; i < in->rows.count; i++) largest = fmax(largest, fabs(in->rows.data[i].value));
    return largest;
}

static void interior_keep(Interior *in, bool restore) {
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
// Impulses and velocities of about the size of the largest violation, in the middle of their cones.
static void interior_start(Interior *in) {
    double size = 1;
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        double tangent = 0;
        for (int r = 1; r < c->rows; r++) tangent += c->b[r] * c->b[r];
        if (c->b[0] + c->shift < sqrt(tangent)) size = fmax(size, fmax(-(c->b[0] + c->shift), sqrt(tangent)));
    }
    for (size_t i = 0; i < in->contacts.count; i++) {
        InteriorContact *c = &in->contacts.data[i];
        memset(c->p, 0, sizeof c->p);
        double open = fmax(size, c->b[0] + c->shift); // far apart: a large velocity, a small impulse
        c->p[0] = size * size / open;
        interior_spread(c, c->p, c->x);
        memset(c->s, 0, sizeof c->s);
        for (int k = 0; k < c->cones; k++) c->s[k][0] = open / (c->cone_radius[k] * c->cones);
    }
    for (size_t i = 0; i < in->rows.count; i++) in->rows.data[i].lambda = 0;
    interior_velocities(in);
}

// Near the end the angle between p_t and u_t of slipping contacts is as large as the root of the gap, unless
// steps aim at a point of the central path, where it is zero. So the gap is not closed further than the
// residual needs; if that is not enough (contacts that neither push nor part need more), a twentieth of it
// is tried.
static const double interior_short_step = 1e-8, interior_fraction = 0.995, interior_least_gap = 1e-17;
enum { interior_stalled = 25 }; // steps without progress

// One cone problem. Returns the Newton steps used; the impulses with the least residual are left in place.
static int interior_minimise(Interior *in, const ContactProblem *problem, double target, int most,
                             ContactReport *report) {
    interior_start(in);
    double best = interior_natural_map(in, problem), best_gap = interior_gap_of(in);
    interior_keep(in, false);
    double floor = 0.02 * target; // of the gap aimed at
    int used = 0, worse = 0, centred = 0;
    while (used < most && best > target && worse < interior_stalled &&
           !watch_stops("contact iteration", used, most)) {
        interior_scale_all(in);
        if (!interior_factor(in)) break;
        used++;
        double gap = interior_gap_of(in);
        interior_direction(in, 0, false); // predictor
        double affine = interior_step_length(in, 1), rest = 1 - affine;
        if (gap < 2 * floor && ++centred > 2) centred = 0, floor = fmax(0.05 * floor, interior_least_gap);
        double centre = fmax(rest * rest * rest * gap, floor);
        interior_direction(in, centre, true);
        double step = fmin(1, interior_fraction * interior_step_length(in, 1 / interior_fraction));
        if (!(step > interior_short_step)) break;
        interior_take_step(in, step);
        double residual = interior_natural_map(in, problem);
        history_add(report, report->iterations + used, residual);
        if (!(residual < DBL_MAX)) break;
        worse = residual < 0.9 * best || gap < 0.9 * best_gap ? 0 : worse + 1;
        best_gap = fmin(gap, best_gap);
        if (residual < best) {
            best = residual;
            interior_keep(in, false);
        }
    }
    interior_keep(in, true);
    interior_velocities(in);
    return used;
}

// Moves the shifts a part of the way to those of the velocities. Returns how far the whole way is. `dilation`: over the
// scale.
static double interior_update_shifts(Interior *in, double dilation, double part) {
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
        shift = fmax(0, shift - dilation / c->root);
        change = fmax(change, fabs(shift - c->shift));
        c->shift += part * (shift - c->shift);
    }
    return change;
}

static const double interior_least_part = 0.2; // of a change of shifts

MrcStatus interior_run(Interior *in, const ContactProblem *p, const ContactOptions *options, double scale,
                       ContactImpulse *impulses, double *lambdas, ContactReport *report, MrcError *error) {
    double most = options->factor_operations;
    MrcStatus status = interior_build(in, p, scale, most, error);
    if (status != MRC_OK || in->unknowns == 0) return status;
    if (most > 0 && in->operations > most) return MRC_OK; // as it was
    if (in->too_large)
        return error_set(error, MRC_MODEL, "the interior point method cannot solve as many as %zu contacts",
                         p->contacts.count);
    double target = 0.5 * options->tolerance, change = DBL_MAX, part = 1, operations = 0;
    double dilation = p->dilation / scale;
    if (p->law == CONTACT_COULOMB) interior_velocities(in), interior_update_shifts(in, dilation, 1);
    for (int outer = 0; outer < options->outer_iterations; outer++) {
        double aim_at = p->law == CONTACT_COULOMB
                            ? fmax(target, fmin(1e-3, 1e-2 * change))
                            : target; // while the shifts still change: no finer than their change
        int used = interior_minimise(in, p, aim_at, options->interior_iterations, report);
        report->iterations += used;
        operations += used * in->operations;
        if (watch_stopped())
            return watch_error(error, "a contact problem of %zu contacts was solved", p->contacts.count);
        if (p->law != CONTACT_COULOMB) break;
        report->outer++;
        double last = change;
        change = interior_update_shifts(in, dilation, part);
        if (change <= target && aim_at == target) break;
        if (options->update_operations > 0 && operations > options->update_operations) break;
        if (change > 0.95 * last) part = fmax(interior_least_part, 0.7 * part);
    }
    for (size_t i = 0; i < in->contacts.count; i++) {
        const InteriorContact *c = &in->contacts.data[i];
        const ContactPoint *point = &p->contacts.data[c->contact];
        Cone cone = cone_of(point, c->length);
        Twist t = cone_project(&cone, point->normal, interior_as_twist(c, c->p, point));
        impulses[c->contact] = (ContactImpulse){vec3_scale(scale / c->root, t.linear),
                                                vec3_scale(scale * c->length / c->root, t.angular)};
    }
    for (size_t i = 0; i < in->rows.count; i++)
        lambdas[in->rows.data[i].row] = in->rows.data[i].lambda * scale / in->rows.data[i].root;
    return MRC_OK;
}

// ---- the solver ----------------------------------------------------------------------------------
static MrcStatus interior_run_newton(ContactJob *job, MrcError *error) {
    InteriorMemory *memory = job->work->memory[CONTACT_INTERIOR];
    MrcStatus status = semismooth_run(&memory->newton, job->reduced, job->options, job->scale,
                                      job->solution->impulses.data, job->report, error);
    if (status != MRC_OK) return status;
    contact_job_add_lambdas(job);
    job->report->residual = contact_job_residual(job, job->problem->law);
    return MRC_OK;
}

enum { interior_sweeps = 2000 };          // of Gauss-Seidel, before Newton's method
static const double interior_near = 0.05; // residual from which Newton's method may finish

// Newton's method continues where the interior point method stays above the tolerance. Where impulses may grow without
// bounds, as in a self-locking wedge, there is no central path: then Newton's method starts from the impulses of
// Gauss-Seidel, which are as small as possible. The best of all results is kept.
static MrcStatus interior_finish(ContactJob *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    InteriorMemory *memory = job->work->memory[CONTACT_INTERIOR];
    Reduction *reduction = &job->work->reduction;
    ContactResidual best = job->report->residual = contact_job_residual(job, p->law);
    bool near = best.relative < interior_near && p->contacts.count <= SEMISMOOTH_MOST;
    if (best.relative <= job->options->tolerance || !near) return MRC_OK;
    bool fits = true;
    MrcStatus status = p->rows.count ? reduction_build(reduction, p, &fits, error) : MRC_OK;
    if (status != MRC_OK || !fits) return status;
    job->reduced = p->rows.count ? &reduction->problem : p;
    if (!array_resize(&memory->kept, p->contacts.count) ||
        !array_resize(&memory->kept_lambdas, p->rows.count))
        return error_memory(error, "the contact impulses");
    contact_job_copy(job, memory->kept.data, memory->kept_lambdas.data, false);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt == 1) {
            ContactOptions few = *job->options;
            const ContactOptions *own = job->options;
            if (few.sweeps > interior_sweeps) few.sweeps = interior_sweeps;
            memset(job->solution->impulses.data, 0, p->contacts.count * sizeof(ContactImpulse));
            job->options = &few;
            status = contact_solver_nsgs.run(job, error);
            job->options = own;
            if (status != MRC_OK) return status;
        }
        status = interior_run_newton(job, error);
        if (status != MRC_OK) return status;
        if (job->report->residual.relative <= job->options->tolerance) return MRC_OK;
        if (job->report->residual.relative < best.relative) {
            best = job->report->residual;
            contact_job_copy(job, memory->kept.data, memory->kept_lambdas.data, false);
        }
    }
    contact_job_copy(job, memory->kept.data, memory->kept_lambdas.data, true);
    job->report->residual = best;
    return MRC_OK;
}

static MrcStatus interior_solve_job(ContactJob *job, MrcError *error) {
    InteriorMemory *memory = job->work->memory[CONTACT_INTERIOR];
    MrcStatus status =
        interior_run(&memory->interior, job->problem, job->options, job->scale, job->solution->impulses.data,
                     job->solution->lambdas.data, job->report, error);
    return status == MRC_OK ? interior_finish(job, error) : status;
}

static void interior_release(void *memory) {
    InteriorMemory *m = memory;
    interior_free(&m->interior);
    semismooth_free(&m->newton);
    array_free(&m->kept);
    array_free(&m->kept_lambdas);
}

const ContactSolver contact_solver_interior = {
    .choice = {.word = "interior", .doc = "interior point: for ill-conditioned problems of moderate size"},
    .takes_rows = true,
    .run = interior_solve_job,
    .memory = sizeof(InteriorMemory),
    .release = interior_release,
};
