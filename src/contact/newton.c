// Semismooth Newton's method: see newton.h.
#include "contact/newton.h"

#include <lapacke.h>

#include "contact/cone.h"
#include "contact/history.h"
#include "contact/local.h"
#include "math/blas.h"

void newton_free(Newton *n) {
    array_free(&n->first), array_free(&n->root), array_free(&n->length);
    array_free(&n->w), array_free(&n->jacobian);
    array_free(&n->x), array_free(&n->tried), array_free(&n->b), array_free(&n->u);
    array_free(&n->value), array_free(&n->right);
    array_free(&n->loads), array_free(&n->velocity), array_free(&n->unit);
    array_free(&n->pivots), array_free(&n->work);
}

// ---- the problem as numbers ------------------------------------------------------------------------
static bool make_room(Newton *n, const ContactProblem *p) {
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
           array_resize(&n->x, size) && array_resize(&n->tried, size) && array_resize(&n->b, size) &&
           array_resize(&n->u, size) && array_resize(&n->value, size) && array_resize(&n->right, size) &&
           array_resize(&n->loads, bodies) && array_resize(&n->velocity, bodies) &&
           array_resize(&n->unit, contacts) && array_resize(&n->pivots, size);
}

static int width(const Newton *n, size_t i) { return n->first.data[i + 1] - n->first.data[i]; }

static Twist get(const Newton *n, size_t i, const double *x) {
    Twist t = twist_zero();
    memcpy(twist_numbers(&t), x + n->first.data[i], (size_t)width(n, i) * sizeof *x);
    return t;
}

static void put(const Newton *n, size_t i, Twist t, double *x) {
    memcpy(x + n->first.data[i], twist_view(&t), (size_t)width(n, i) * sizeof *x);
}

// Relative velocities of all contacts in units; homogeneous: without bias.
static void at_contacts(const Newton *n, const ContactProblem *p, const Twist *velocity, bool homogeneous,
                        double *out) {
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Twist u = contact_problem_relative(p, i, velocity);
        if (homogeneous) u.linear = vec3_sub(u.linear, p->contacts.data[i].bias);
        double unit = 1 / n->root.data[i];
        put(n, i, (Twist){vec3_scale(unit, u.linear), vec3_scale(unit * n->length.data[i], u.angular)}, out);
    }
}

static ContactImpulse true_impulse(const Newton *n, size_t i, Twist x) {
    double unit = 1 / n->root.data[i];
    return (ContactImpulse){vec3_scale(unit, x.linear), vec3_scale(unit * n->length.data[i], x.angular)};
}

static void prepare(Newton *n, const ContactProblem *p, const ContactImpulse *impulses) {
    size_t size = (size_t)n->first.data[p->contacts.count];
    at_contacts(n, p, p->free_velocity.data, false, n->b.data);
    memset(n->unit.data, 0, p->contacts.count * sizeof *n->unit.data);
    for (size_t i = 0; i < p->contacts.count; i++) {
        double root = n->root.data[i];
        if (root == 0) continue;
        put(n, i,
            (Twist){vec3_scale(root, impulses[i].linear),
                    vec3_scale(root / n->length.data[i], impulses[i].angular)},
            n->x.data);
        for (int k = 0; k < width(n, i); k++) {
            Twist one = twist_zero();
            twist_numbers(&one)[k] = 1;
            n->unit.data[i] = true_impulse(n, i, one);
            contact_problem_loads(p, n->unit.data, NULL, n->loads.data);
            contact_problem_apply_inverse_mass(p, n->loads.data, n->velocity.data);
            at_contacts(n, p, n->velocity.data, true, n->w.data + (size_t)(n->first.data[i] + k) * size);
        }
        n->unit.data[i] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    }
}

// ---- F and its derivative --------------------------------------------------------------------------
// Velocity with Coulomb's shift, and what is projected.
static Twist shifted(const ContactProblem *p, const Cone *cone, size_t i, Twist u) {
    Vec3 normal = p->contacts.data[i].normal;
    if (p->law == CONTACT_COULOMB) u.linear = vec3_madd(u.linear, cone_shift(cone, normal, u), normal);
    return u;
}

// F at x, and u; returns the largest |F| of a contact, and in *square the sum of squares.
static double evaluate(Newton *n, const ContactProblem *p, const double *x, double *square) {
    size_t size = (size_t)n->first.data[p->contacts.count];
    double largest = 0;
    *square = 0;
    memcpy(n->u.data, n->b.data, size * sizeof(double));
    for (size_t j = 0; j < size; j++)
        for (size_t k = 0; k < size && x[j] != 0; k++) n->u.data[k] += n->w.data[j * size + k] * x[j];
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        Twist own = get(n, i, x), u = shifted(p, &cone, i, get(n, i, n->u.data));
        Twist e =
            twist_madd(own, -1, cone_project(&cone, p->contacts.data[i].normal, twist_madd(own, -1, u)));
        put(n, i, e, n->value.data);
        double e2 = twist_dot(e, e);
        *square += e2;
        largest = fmax(largest, sqrt(e2));
    }
    return largest;
}

// Derivative of the projection at z, column by column, from differences: it is piecewise smooth, and Newton's
// method asks for no more than some digits.
static void projection_derivative(const Cone *cone, Vec3 normal, Twist z, int count, double d[6][6]) {
    double step = 1e-6 * sqrt(twist_dot(z, z));
    for (int k = 0; k < count; k++) {
        Twist up = z, down = z;
        twist_numbers(&up)[k] += step, twist_numbers(&down)[k] -= step;
        Twist a = cone_project(cone, normal, up), b = cone_project(cone, normal, down);
        for (int r = 0; r < count; r++)
            d[r][k] = step > 0 ? (twist_view(&a)[r] - twist_view(&b)[r]) / (2 * step) : 0;
    }
}

// Gradient of Coulomb's shift with respect to the velocity. Velocities of discs below `least` are those of
// contacts that stick, as far as one can tell: there it is taken for smooth.
static Twist shift_gradient(const Cone *cone, Vec3 normal, Twist u, double least) {
    ConeParts parts = cone_split(cone, normal, u);
    Twist g = {vec3_scale(cone->radius[CONE_TANGENT] / hypot(parts.size[CONE_TANGENT], least), parts.tangent),
               {0, 0, 0}};
    if (cone->turns)
        g.angular =
            vec3_madd(vec3_scale(cone->radius[CONE_ROLL] / hypot(parts.size[CONE_ROLL], least), parts.roll),
                      cone->radius[CONE_SPIN] * parts.spin / hypot(parts.spin, least), normal);
    return g;
}

// 1 - D (1 - S W), D the derivative of the projection, S that of the shifted velocity; u as evaluate left it.
static void differentiate(Newton *n, const ContactProblem *p, double least) {
    size_t size = (size_t)n->first.data[p->contacts.count];
    for (size_t i = 0; i < p->contacts.count; i++) {
        int count = width(n, i), first = n->first.data[i];
        if (count == 0) continue;
        Vec3 normal = p->contacts.data[i].normal;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        Twist u = get(n, i, n->u.data), slope = twist_zero(), along = {normal, {0, 0, 0}};
        double d[6][6], ds[6][6];
        projection_derivative(&cone, normal, twist_madd(get(n, i, n->x.data), -1, shifted(p, &cone, i, u)),
                              count, d);
        if (p->law == CONTACT_COULOMB) slope = shift_gradient(&cone, normal, u, least);
        for (int r = 0; r < count; r++) {
            double push = 0;
            for (int k = 0; k < count; k++) push += d[r][k] * twist_view(&along)[k];
            for (int k = 0; k < count; k++) ds[r][k] = d[r][k] + push * twist_view(&slope)[k];
        }
        for (size_t j = 0; j < size; j++) {
            const double *w = n->w.data + j * size + first;
            double *to = n->jacobian.data + j * size + first;
            int own = (int)j - first;
            for (int r = 0; r < count; r++) {
                double sum = own == r;
                if (own >= 0 && own < count) sum -= d[r][own];
                for (int k = 0; k < count; k++) sum += ds[r][k] * w[k];
                to[r] = sum;
            }
        }
    }
}

// ---- the iteration ---------------------------------------------------------------------------------
// Of the matrix: what is left of a column counts as nothing. The larger, the shorter the step.
static const double rank_tolerances[] = {1e-11, 1e-7, 1e-4, 1e-2};
enum { newton_steps = 40, halvings = 12 };

// The step into `right`; false: no memory, or LAPACK gave up. LAPACK works in memory that is kept.
static bool find_step(Newton *n, int size, double tolerance) {
    int one = 1, rank, info, room = -1;
    double wanted;
    memset(n->pivots.data, 0, (size_t)size * sizeof(int));
    for (int i = 0; i < size; i++) n->right.data[i] = -n->value.data[i];
    LAPACK_dgelsy(&size, &size, &one, n->jacobian.data, &size, n->right.data, &size, n->pivots.data,
                  &tolerance, &rank, &wanted, &room, &info);
    if (info != 0 || !array_resize(&n->work, (size_t)wanted)) return false;
    room = (int)wanted;
    LAPACK_dgelsy(&size, &size, &one, n->jacobian.data, &size, n->right.data, &size, n->pivots.data,
                  &tolerance, &rank, n->work.data, &room, &info);
    return info == 0;
}

// Along the step as far as |F| falls; false: nowhere.
static bool descend(Newton *n, const ContactProblem *p, int size, double *largest, double *square) {
    double part = 1;
    for (int k = 0; k < halvings; k++, part *= 0.5) {
        double reached, now;
        for (int i = 0; i < size; i++) n->tried.data[i] = n->x.data[i] + part * n->right.data[i];
        now = evaluate(n, p, n->tried.data, &reached);
        if (!(reached < (1 - 1e-3 * part) * *square)) continue;
        memcpy(n->x.data, n->tried.data, (size_t)size * sizeof(double));
        *largest = now, *square = reached;
        return true;
    }
    return false;
}

MrcStatus newton_run(Newton *n, const ContactProblem *p, const ContactOptions *options, double scale,
                     ContactImpulse *impulses, ContactReport *report, MrcError *error) {
    if (!make_room(n, p)) return error_memory(error, "the contacts");
    int size = n->first.data[p->contacts.count];
    if (size == 0) return MRC_OK;
    prepare(n, p, impulses);
    double square, target = 0.3 * options->tolerance * scale, largest = evaluate(n, p, n->x.data, &square);
    bool better = true;
    for (int step = 0; step < newton_steps && largest > target && better; step++) {
        better = false;
        for (size_t k = 0; k < sizeof rank_tolerances / sizeof *rank_tolerances && !better; k++) {
            if (k > 0) largest = evaluate(n, p, n->x.data, &square); // u and F are those of the last try
            differentiate(n, p, largest);
            int threads = blas_alone();
            bool found = find_step(n, size, rank_tolerances[k]);
            blas_as_before(threads);
            if (!found) break;
            better = descend(n, p, size, &largest, &square);
        }
        if (!better) break;
        report->iterations++;
        history_add(report, report->iterations, largest / scale);
    }
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (n->root.data[i] == 0) continue;
        Cone cone = cone_of(&p->contacts.data[i], n->length.data[i]);
        impulses[i] =
            true_impulse(n, i, cone_project(&cone, p->contacts.data[i].normal, get(n, i, n->x.data)));
    }
    return MRC_OK;
}
