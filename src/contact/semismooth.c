// Semismooth Newton's method: see semismooth.h.
#include "contact/semismooth.h"

#include "base/watch.h"
#include "contact/cone.h"
#include "contact/dense.h"
#include "contact/history.h"
#include "contact/local.h"

void semismooth_free(Semismooth *n) {
    array_free(&n->first), array_free(&n->root), array_free(&n->length);
    array_free(&n->w), array_free(&n->jacobian), array_free(&n->rows);
    array_free(&n->slopes), array_free(&n->active);
    array_free(&n->x), array_free(&n->tried), array_free(&n->b), array_free(&n->u);
    array_free(&n->value), array_free(&n->right), array_free(&n->step), array_free(&n->part);
    array_free(&n->loads), array_free(&n->velocity), array_free(&n->unit);
    array_free(&n->pivots), array_free(&n->scratch);
}

// ---- the problem as numbers ------------------------------------------------------------------------
static bool semismooth_allocate(Semismooth *n, const ContactProblem *p) {
    size_t contacts = p->contacts.count, bodies = p->bodies.count, size = 0;
    if (!array_resize(&n->first, contacts + 1) || !array_resize(&n->root, contacts) ||
        !array_resize(&n->length, contacts))
        return false;
    for (size_t i = 0; i < contacts; i++) {
        LocalScale local = local_scale(p, &p->contacts.data[i]);
        n->root.data[i] = local.w > 0 ? sqrt(local.w) : 0;
        n->length.data[i] = local.length;
        n->first.data[i] = (int32_t)size;
        size += local.w > 0 ? (contact_turns(&p->contacts.data[i]) ? 6 : 3) : 0;
    }
    n->first.data[contacts] = (int32_t)size;
    return array_resize(&n->w, size * size) && array_resize(&n->jacobian, size * size) &&
           array_resize(&n->rows, size * size) && array_resize(&n->slopes, contacts) &&
           array_resize(&n->active, size) && array_resize(&n->x, size) && array_resize(&n->tried, size) &&
           array_resize(&n->b, size) && array_resize(&n->u, size) && array_resize(&n->value, size) &&
           array_resize(&n->right, size) && array_resize(&n->step, size) && array_resize(&n->part, size) &&
           array_resize(&n->scratch, 3 * size) && array_resize(&n->loads, bodies) &&
           array_resize(&n->velocity, bodies) && array_resize(&n->unit, contacts) &&
           array_resize(&n->pivots, size);
}

static int semismooth_width(const Semismooth *n, size_t i) { return n->first.data[i + 1] - n->first.data[i]; }

static Twist semismooth_get(const Semismooth *n, size_t i, const double *x) {
    Twist t = twist_zero();
    memcpy(twist_numbers(&t), x + n->first.data[i], (size_t)semismooth_width(n, i) * sizeof *x);
    return t;
}

static void semismooth_put(const Semismooth *n, size_t i, Twist t, double *x) {
    memcpy(x + n->first.data[i], twist_view(&t), (size_t)semismooth_width(n, i) * sizeof *x);
}

// Relative velocities of all contacts in units; homogeneous: without bias.
static void semismooth_at_contacts(const Semismooth *n, const ContactProblem *p, const Twist *velocity,
                                   bool homogeneous, double *out) {
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Twist u = contact_problem_relative(p, i, velocity);
        if (homogeneous) u.linear = vec3_sub(u.linear, p->contacts.data[i].bias);
        double unit = 1 / n->root.data[i];
        semismooth_put(
            n, i, (Twist){vec3_scale(unit, u.linear), vec3_scale(unit * n->length.data[i], u.angular)}, out);
    }
}

static ContactImpulse semismooth_true_impulse(const Semismooth *n, size_t i, Twist x) {
    double unit = 1 / n->root.data[i];
    return (ContactImpulse){vec3_scale(unit, x.linear), vec3_scale(unit * n->length.data[i], x.angular)};
}

static void semismooth_prepare(Semismooth *n, const ContactProblem *p, const ContactImpulse *impulses) {
    size_t size = (size_t)n->first.data[p->contacts.count];
    semismooth_at_contacts(n, p, p->free_velocity.data, false, n->b.data);
    memset(n->unit.data, 0, p->contacts.count * sizeof *n->unit.data);
    for (size_t i = 0; i < p->contacts.count; i++) {
        double root = n->root.data[i];
        if (root == 0) continue;
        semismooth_put(n, i,
                       (Twist){vec3_scale(root, impulses[i].linear),
                               vec3_scale(root / n->length.data[i], impulses[i].angular)},
                       n->x.data);
        for (int k = 0; k < semismooth_width(n, i); k++) {
            Twist one = twist_zero();
            twist_numbers(&one)[k] = 1;
            n->unit.data[i] = semismooth_true_impulse(n, i, one);
            contact_problem_loads(p, n->unit.data, NULL, n->loads.data);
            contact_problem_apply_inverse_mass(p, n->loads.data, n->velocity.data);
            semismooth_at_contacts(n, p, n->velocity.data, true,
                                   n->w.data + (size_t)(n->first.data[i] + k) * size);
        }
        n->unit.data[i] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    }
}

// ---- F and its derivative --------------------------------------------------------------------------
// Velocity with Coulomb's shift, and what is projected.
static Twist semismooth_shifted(const Semismooth *n, const ContactProblem *p, const Cone *cone, size_t i,
                                Twist u) {
    double dilation = contact_dilation(p, p->law) / n->root.data[i];
    Vec3 normal = p->contacts.data[i].normal;
    u.linear = vec3_madd(u.linear, cone_excess(cone, normal, u, dilation), normal);
    return u;
}

// F at x, and u; returns the largest |F| of a contact, and in *square the sum of squares.
static double semismooth_evaluate(Semismooth *n, const ContactProblem *p, const double *x, double *square) {
    size_t size = (size_t)n->first.data[p->contacts.count];
    double largest = 0;
    *square = 0;
    memcpy(n->u.data, n->b.data, size * sizeof(double));
    for (size_t j = 0; j < size; j++)
        for (size_t k = 0; k < size && x[j] != 0; k++) n->u.data[k] += n->w.data[j * size + k] * x[j];
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        Twist own = semismooth_get(n, i, x),
              u = semismooth_shifted(n, p, &cone, i, semismooth_get(n, i, n->u.data));
        Twist e =
            twist_madd(own, -1, cone_project(&cone, p->contacts.data[i].normal, twist_madd(own, -1, u)));
        semismooth_put(n, i, e, n->value.data);
        double e2 = twist_dot(e, e);
        *square += e2;
        largest = fmax(largest, sqrt(e2));
    }
    return largest;
}

// Derivative of the projection at z, column by column, from differences: it is piecewise smooth, and Newton's
// method needs no more than some digits.
static void semismooth_projection_derivative(const Cone *cone, Vec3 normal, Twist z, int count,
                                             double d[6][6]) {
    double step = 1e-6 * sqrt(twist_dot(z, z));
    for (int k = 0; k < count; k++) {
        Twist up = z, down = z;
        twist_numbers(&up)[k] += step, twist_numbers(&down)[k] -= step;
        Twist a = cone_project(cone, normal, up), b = cone_project(cone, normal, down);
        for (int r = 0; r < count; r++)
            d[r][k] = step > 0 ? (twist_view(&a)[r] - twist_view(&b)[r]) / (2 * step) : 0;
    }
}

// Gradient of Coulomb's shift with respect to the velocity. Contacts whose discs are slower than `least` count
// as sticking: there the shift is smoothed.
static Twist semismooth_shift_gradient(const Cone *cone, Vec3 normal, Twist u, double least) {
    ConeParts parts = cone_split(cone, normal, u);
    Twist g = {vec3_scale(cone->radius[CONE_TANGENT] / hypot(parts.size[CONE_TANGENT], least), parts.tangent),
               {0, 0, 0}};
    if (cone->turns)
        g.angular =
            vec3_madd(vec3_scale(cone->radius[CONE_ROLL] / hypot(parts.size[CONE_ROLL], least), parts.roll),
                      cone->radius[CONE_SPIN] * parts.spin / hypot(parts.spin, least), normal);
    return g;
}

// D, the derivative of the projection, and D S, S that of the shifted velocity; u as evaluate left it.
static void semismooth_find_slopes(Semismooth *n, const ContactProblem *p, double least) {
    n->active.count = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        int count = semismooth_width(n, i);
        SemismoothSlope *slope = &n->slopes.data[i];
        if (count == 0) continue;
        Vec3 normal = p->contacts.data[i].normal;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        Twist u = semismooth_get(n, i, n->u.data), shift = twist_zero(), along = {normal, {0, 0, 0}};
        semismooth_projection_derivative(
            &cone, normal,
            twist_madd(semismooth_get(n, i, n->x.data), -1, semismooth_shifted(n, p, &cone, i, u)), count,
            slope->own);
        if (cone_excess(&cone, normal, u, contact_dilation(p, p->law) / n->root.data[i]) > 0)
            shift = semismooth_shift_gradient(&cone, normal, u, least);
        slope->open = true;
        for (int r = 0; r < count; r++) {
            double push = 0;
            for (int k = 0; k < count; k++) push += slope->own[r][k] * twist_view(&along)[k];
            for (int k = 0; k < count; k++) {
                slope->velocity[r][k] = slope->own[r][k] + push * twist_view(&shift)[k];
                slope->open = slope->open && slope->own[r][k] == 0;
            }
        }
        for (int k = 0; k < count && !slope->open; k++)
            n->active.data[n->active.count++] = n->first.data[i] + k;
    }
}

// The rows of 1 - D (1 - S W) that belong to a contact, and their right side.
static void semismooth_fill_rows(Semismooth *n, const ContactProblem *p, size_t i, size_t at) {
    size_t size = (size_t)n->first.data[p->contacts.count], active = n->active.count;
    int count = semismooth_width(n, i), first = n->first.data[i];
    const SemismoothSlope *slope = &n->slopes.data[i];
    for (int r = 0; r < count; r++) {
        double *row = n->jacobian.data + (at + (size_t)r) * active, right = -n->value.data[first + r];
        for (size_t j = 0; j < active; j++) {
            const double *w = n->w.data + (size_t)n->active.data[j] * size + first;
            int own = n->active.data[j] - first;
            double sum = own == r;
            if (own >= 0 && own < count) sum -= slope->own[r][own];
            for (int k = 0; k < count; k++) sum += slope->velocity[r][k] * w[k];
            row[j] = sum;
        }
        for (size_t j = 0; j < size; j++) { // contacts that stay open; nearly all have no impulse to lose
            const double *w = n->w.data + j * size + first;
            for (int k = 0; k < count && n->step.data[j] != 0; k++)
                right -= slope->velocity[r][k] * w[k] * n->step.data[j];
        }
        n->right.data[at + (size_t)r] = right;
    }
}

static void semismooth_differentiate(Semismooth *n, const ContactProblem *p, double least) {
    size_t size = (size_t)n->first.data[p->contacts.count], at = 0;
    semismooth_find_slopes(n, p, least);
    memset(n->step.data, 0, size * sizeof(double));
    for (size_t i = 0; i < p->contacts.count; i++)
        for (int k = n->first.data[i]; k < n->first.data[i + 1] && n->slopes.data[i].open; k++)
            n->step.data[k] = -n->value.data[k];
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (semismooth_width(n, i) == 0 || n->slopes.data[i].open) continue;
        semismooth_fill_rows(n, p, i, at);
        at += (size_t)semismooth_width(n, i);
    }
    dense_qr(n->active.count, n->jacobian.data, n->right.data, n->pivots.data, n->scratch.data);
}

// ---- the iteration ---------------------------------------------------------------------------------
// Of the matrix: what is left of a column counts as nothing. The larger, the shorter the step.
static const double semismooth_ranks[] = {1e-11, 1e-7, 1e-4, 1e-2};
enum { semismooth_rank_count = sizeof semismooth_ranks / sizeof *semismooth_ranks };
enum { semismooth_steps = 40, semismooth_halvings = 12 };

static void semismooth_find_step(Semismooth *n, size_t rank) {
    dense_qr_smallest(n->active.count, rank, n->jacobian.data, n->right.data, n->pivots.data, n->rows.data,
                      n->scratch.data, n->part.data);
    for (size_t j = 0; j < n->active.count; j++) n->step.data[n->active.data[j]] = n->part.data[j];
}

// Along the step as far as |F| falls; false: nowhere.
static bool semismooth_descend(Semismooth *n, const ContactProblem *p, int size, double *largest,
                               double *square) {
    double part = 1;
    for (int k = 0; k < semismooth_halvings; k++, part *= 0.5) {
        double reached, now;
        for (int i = 0; i < size; i++) n->tried.data[i] = n->x.data[i] + part * n->step.data[i];
        now = semismooth_evaluate(n, p, n->tried.data, &reached);
        if (!(reached < (1 - 1e-3 * part) * *square)) continue;
        memcpy(n->x.data, n->tried.data, (size_t)size * sizeof(double));
        *largest = now, *square = reached;
        return true;
    }
    return false;
}

MrcStatus semismooth_run(Semismooth *n, const ContactProblem *p, const ContactOptions *options, double scale,
                         ContactImpulse *impulses, ContactReport *report, MrcError *error) {
    if (!semismooth_allocate(n, p)) return error_memory(error, "the contacts");
    int size = n->first.data[p->contacts.count];
    if (size == 0) return MRC_OK;
    semismooth_prepare(n, p, impulses);
    double square, target = 0.3 * options->tolerance * scale,
                   largest = semismooth_evaluate(n, p, n->x.data, &square);
    bool better = true;
    for (int step = 0; step < semismooth_steps && largest > target && better; step++) {
        if (watch_stops("contact iteration", step, semismooth_steps))
            return watch_error(error, "a contact problem of %zu contacts was solved", p->contacts.count);
        size_t last = SIZE_MAX;
        better = false;
        semismooth_differentiate(n, p, largest);
        for (int k = 0; k < semismooth_rank_count && !better; k++) {
            size_t rank = dense_qr_rank(n->active.count, n->jacobian.data, semismooth_ranks[k]);
            if (rank == last) continue;
            last = rank;
            semismooth_find_step(n, rank);
            better = semismooth_descend(n, p, size, &largest, &square);
        }
        if (!better) break;
        report->iterations++;
        history_add(report, report->iterations, largest / scale);
    }
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        impulses[i] = semismooth_true_impulse(
            n, i, cone_project(&cone, p->contacts.data[i].normal, semismooth_get(n, i, n->x.data)));
    }
    return MRC_OK;
}
