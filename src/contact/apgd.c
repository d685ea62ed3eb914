// Accelerated projected gradient descent: see apgd.h.
#include "contact/apgd.h"

#include <float.h>

#include "base/threads.h"
#include "base/watch.h"
#include "contact/cone.h"
#include "contact/history.h"
#include "contact/local.h"
#include "contact/solver_type.h"

void apgd_free(Apgd *a) {
    array_free(&a->scales);
    array_free(&a->x), array_free(&a->x_old), array_free(&a->g), array_free(&a->g_old);
    array_free(&a->y), array_free(&a->gy), array_free(&a->b);
    array_free(&a->shifts);
    array_free(&a->first), array_free(&a->touches);
    array_free(&a->loads), array_free(&a->velocity);
    array_free(&a->sums);
}

// ---- preparing -----------------------------------------------------------------------------------
static MrcStatus apgd_size_arrays(Apgd *a, const ContactProblem *p, MrcError *error) {
    size_t n = p->contacts.count, bodies = p->bodies.count;
    bool done = array_resize(&a->scales, n) && array_resize(&a->x, n) && array_resize(&a->x_old, n) &&
                array_resize(&a->g, n) && array_resize(&a->g_old, n) && array_resize(&a->y, n) &&
                array_resize(&a->gy, n) && array_resize(&a->b, n) && array_resize(&a->shifts, n) &&
                array_resize(&a->first, bodies + 1) && array_resize(&a->touches, 2 * n) &&
                array_resize(&a->loads, bodies) && array_resize(&a->velocity, bodies) &&
                array_resize(&a->sums, 4 * threads_chunk_count(n));
    return done ? MRC_OK : error_memory(error, "the contacts");
}

static void apgd_list_touches(Apgd *a, const ContactProblem *p) {
    int32_t *first = a->first.data;
    size_t bodies = p->bodies.count;
    memset(first, 0, (bodies + 1) * sizeof *first);
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        if (c->a >= 0) first[c->a + 1]++;
        if (c->b >= 0) first[c->b + 1]++;
    }
    for (size_t i = 0; i < bodies; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        if (c->a >= 0) a->touches.data[first[c->a]++] = ~(int32_t)i;
        if (c->b >= 0) a->touches.data[first[c->b]++] = (int32_t)i;
    }
    for (size_t i = bodies; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
}

static inline Twist apgd_scaled_velocity(const ApgdContact *s, Twist u) {
    return (Twist){vec3_scale(1 / s->root, u.linear), vec3_scale(s->length / s->root, u.angular)};
}

static inline Twist apgd_scaled_impulse(const ApgdContact *s, const ContactImpulse *p) {
    return (Twist){vec3_scale(s->root, p->linear), vec3_scale(s->root / s->length, p->angular)};
}

static inline ContactImpulse apgd_true_impulse(const ApgdContact *s, Twist x) {
    if (s->root == 0) return (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    return (ContactImpulse){vec3_scale(1 / s->root, x.linear), vec3_scale(s->length / s->root, x.angular)};
}

static inline Cone apgd_cone_at(const Apgd *a, const ContactProblem *p, size_t i) {
    return cone_of(&p->contacts.data[i], a->scales.data[i].length);
}

// Velocity at contact i with the given bodies' velocities, in scaled units, without bias if `homogeneous`.
static inline Twist apgd_velocity_at(const Apgd *a, const ContactProblem *p, size_t i, const Twist *velocity,
                                     bool homogeneous) {
    if (a->scales.data[i].root == 0) return twist_zero();
    const ContactPoint *c = &p->contacts.data[i];
    Twist u = contact_problem_relative(p, i, velocity);
    if (homogeneous) u.linear = vec3_sub(u.linear, c->bias);
    if (!contact_turns(c)) u.angular = vec3_zero();
    return apgd_scaled_velocity(&a->scales.data[i], u);
}

static void apgd_prepare(Apgd *a, const ContactProblem *p, const ContactImpulse *impulses) {
    apgd_list_touches(a, p);
    for (size_t i = 0; i < p->contacts.count; i++) {
        LocalScale local = local_scale(p, &p->contacts.data[i]);
        a->scales.data[i] = (ApgdContact){local.w > 0 ? sqrt(local.w) : 0, local.length};
        a->shifts.data[i] = 0;
        Cone cone = apgd_cone_at(a, p, i);
        Twist start = apgd_scaled_impulse(&a->scales.data[i], &impulses[i]);
        a->x.data[i] = local.w > 0 ? cone_project(&cone, p->contacts.data[i].normal, start) : twist_zero();
        a->b.data[i] = apgd_velocity_at(a, p, i, p->free_velocity.data, false);
    }
}

// ---- products ------------------------------------------------------------------------------------
// out = W x + b, in scaled units.
static void apgd_gradient(Apgd *a, const ContactProblem *p, const Twist *x, Twist *out, bool parallel) {
    size_t bodies = p->bodies.count, contacts = p->contacts.count;
#pragma omp parallel for schedule(static) if (parallel)
    for (size_t i = 0; i < bodies; i++) {
        Twist load = twist_zero();
        for (int32_t k = a->first.data[i]; k < a->first.data[i + 1]; k++) {
            int32_t name = a->touches.data[k];
            size_t at = (size_t)(name < 0 ? ~name : name);
            ContactImpulse q = apgd_true_impulse(&a->scales.data[at], x[at]);
            const ContactPoint *c = &p->contacts.data[at];
            load = twist_madd(
                load, 1,
                twist_of_impulse(name < 0 ? -1 : 1, name < 0 ? c->arm_a : c->arm_b, q.linear, q.angular));
        }
        a->loads.data[i] = load;
    }
    contact_problem_apply_inverse_mass(p, a->loads.data, a->velocity.data);
#pragma omp parallel for schedule(static) if (parallel)
    for (size_t i = 0; i < contacts; i++) {
        Twist u = apgd_velocity_at(a, p, i, a->velocity.data, true);
        out[i] = twist_madd(twist_madd(u, 1, a->b.data[i]), 1,
                            (Twist){vec3_scale(a->shifts.data[i], p->contacts.data[i].normal), {0, 0, 0}});
    }
}

typedef struct ApgdSums {
    double step2;   // |x - y|^2
    double slope;   // g(y) . (x - y)
    double rise;    // (g(x) - g(y)) . (x - y): curvature along the step
    double restart; // (y - x) . (x - x_old): positive when momentum points uphill
} ApgdSums;

// Sums over fixed chunks, added in order: the same for every number of threads.
static ApgdSums apgd_add_sums(Apgd *a, size_t count, bool parallel) {
    size_t chunks = threads_chunk_count(count);
#pragma omp parallel for schedule(static) if (parallel)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t end = (chunk + 1) * THREADS_CHUNK < count ? (chunk + 1) * THREADS_CHUNK : count;
        ApgdSums s = {0};
        for (size_t i = chunk * THREADS_CHUNK; i < end; i++) {
            Twist step = twist_madd(a->x.data[i], -1, a->y.data[i]);
            s.step2 += twist_dot(step, step);
            s.slope += twist_dot(a->gy.data[i], step);
            s.rise += twist_dot(twist_madd(a->g.data[i], -1, a->gy.data[i]), step);
            s.restart -= twist_dot(step, twist_madd(a->x.data[i], -1, a->x_old.data[i]));
        }
        memcpy(a->sums.data + 4 * chunk, &s, sizeof s);
    }
    ApgdSums total = {0};
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const double *s = a->sums.data + 4 * chunk;
        total.step2 += s[0], total.slope += s[1], total.rise += s[2], total.restart += s[3];
    }
    return total;
}

// The natural map of the cone problem at x, g = W x + b: the residual of residual.h but for its scale.
static double apgd_natural_map(const Apgd *a, const ContactProblem *p) {
    double largest = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        Cone cone = apgd_cone_at(a, p, i);
        Twist z = twist_madd(a->x.data[i], -1, a->g.data[i]);
        Twist e = twist_madd(a->x.data[i], -1, cone_project(&cone, p->contacts.data[i].normal, z));
        double e2 = twist_dot(e, e);
        if (e2 > largest || e2 != e2) largest = e2;
    }
    return sqrt(largest);
}

// ---- the iteration -------------------------------------------------------------------------------
// One cone problem, from x. Returns the iterations used.
static int apgd_minimise(Apgd *a, const ContactProblem *p, double target, int most, bool parallel,
                         ContactReport *report, double scale) {
    size_t count = p->contacts.count;
    apgd_gradient(a, p, a->x.data, a->g.data, parallel);
    memcpy(a->y.data, a->x.data, count * sizeof(Twist));
    memcpy(a->gy.data, a->g.data, count * sizeof(Twist));
    double theta = 1, lipschitz = 1;
    int k = 0;
    for (; k < most && !watch_stops("contact iteration", k, most); k++) {
        memcpy(a->x_old.data, a->x.data, count * sizeof(Twist));
        memcpy(a->g_old.data, a->g.data, count * sizeof(Twist));
        ApgdSums sums;
        for (int tries = 0;; tries++) {
            double step = -1 / lipschitz;
#pragma omp parallel for schedule(static) if (parallel)
            for (size_t i = 0; i < count; i++) {
                Cone cone = apgd_cone_at(a, p, i);
                a->x.data[i] = cone_project(&cone, p->contacts.data[i].normal,
                                            twist_madd(a->y.data[i], step, a->gy.data[i]));
            }
            apgd_gradient(a, p, a->x.data, a->g.data, parallel);
            sums = apgd_add_sums(a, count, parallel);
            if (sums.rise <= lipschitz * sums.step2 * (1 + 1e-12) || sums.step2 == 0 || tries >= 40) break;
            lipschitz *= 2;
        }
        if ((k + 1) % 5 == 0 || k + 1 == most || sums.step2 == 0) {
            double residual = apgd_natural_map(a, p);
            history_add(report, report->iterations + k + 1, residual / scale);
            if (residual <= target) return k + 1;
            if (!(residual < DBL_MAX)) return most;
        }
        double next = 0.5 * (-theta * theta + theta * sqrt(theta * theta + 4));
        double beta = theta * (1 - theta) / (theta * theta + next);
        theta = next;
        if (sums.restart > 0) theta = 1, beta = 0;
#pragma omp parallel for schedule(static) if (parallel)
        for (size_t i = 0; i < count; i++) { // the gradient is linear, but for b: it follows
            a->y.data[i] = twist_madd(a->x.data[i], beta, twist_madd(a->x.data[i], -1, a->x_old.data[i]));
            a->gy.data[i] = twist_madd(a->g.data[i], beta, twist_madd(a->g.data[i], -1, a->g_old.data[i]));
        }
        lipschitz *= 0.9;
    }
    return k;
}

// Moves Coulomb's shifts a part of the way to those of the velocities reached. Returns how far the whole
// way is, in the units of the residual.
static double apgd_update_shifts(Apgd *a, const ContactProblem *p, double part) {
    double change = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (a->scales.data[i].root == 0) continue;
        Cone cone = apgd_cone_at(a, p, i);
        double shift = cone_excess(&cone, p->contacts.data[i].normal, a->g.data[i], // tangents carry no shift
                                   p->dilation / a->scales.data[i].root);
        double d = fabs(shift - a->shifts.data[i]);
        if (d > change) change = d;
        a->shifts.data[i] += part * (shift - a->shifts.data[i]);
    }
    return change;
}

static const double apgd_least_part = 0.2; // of a change of shifts

MrcStatus apgd_run(Apgd *a, const ContactProblem *p, const ContactOptions *options, double scale,
                   ContactImpulse *impulses, ContactReport *report, MrcError *error) {
    MrcStatus status = apgd_size_arrays(a, p, error);
    if (status != MRC_OK) return status;
    bool parallel = p->contacts.count >= options->parallel_contacts && threads_wanted() > 1;
    apgd_prepare(a, p, impulses);
    double target = 0.5 * options->tolerance * scale;
    int left = options->gradient_iterations;
    if (p->law == CONTACT_COULOMB) {
        apgd_gradient(a, p, a->x.data, a->g.data, parallel);
        apgd_update_shifts(a, p, 1);
    }
    double change = DBL_MAX, part = 1;
    for (int outer = 0; outer < options->outer_iterations && left > 0; outer++) {
        // While the shifts still change, the target is no finer than their change.
        double aim = p->law == CONTACT_COULOMB ? fmax(target, fmin(1e-3 * scale, 1e-2 * change)) : target;
        int used = apgd_minimise(a, p, aim, left, parallel, report, scale);
        if (watch_stopped())
            return watch_error(error, "a contact problem of %zu contacts was solved", p->contacts.count);
        left -= used;
        report->iterations += used;
        if (p->law != CONTACT_COULOMB) break;
        report->outer++;
        double last = change;
        change = apgd_update_shifts(a, p, part);
        if (change <= target && aim == target) break;
        if (change > 0.95 * last) part = fmax(apgd_least_part, 0.7 * part);
    }
    for (size_t i = 0; i < p->contacts.count; i++)
        impulses[i] = apgd_true_impulse(&a->scales.data[i], a->x.data[i]);
    return MRC_OK;
}

// ---- the solver ----------------------------------------------------------------------------------
static MrcStatus apgd_solve_job(ContactJob *job, MrcError *error) {
    MrcStatus status = contact_job_need_reduced(job, error);
    if (status == MRC_OK)
        status = apgd_run(job->work->memory[CONTACT_APGD], job->reduced, job->options, job->scale,
                          job->solution->impulses.data, job->report, error);
    if (status != MRC_OK) return status;
    contact_job_add_lambdas(job);
    job->report->residual = contact_job_residual(job, job->problem->law);
    return MRC_OK;
}

static void apgd_release(void *memory) { apgd_free(memory); }

const ContactSolver contact_solver_apgd = {
    .choice = {.word = "apgd", .doc = "accelerated projected gradient with restart"},
    .run = apgd_solve_job,
    .memory = sizeof(Apgd),
    .release = apgd_release,
};
