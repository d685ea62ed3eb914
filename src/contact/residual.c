// The residual of contact problems: see residual.h.
#include "contact/residual.h"

#include <float.h>

#include "contact/cone.h"
#include "contact/local.h"

static inline double max(double a, double b) { return a > b || a != a ? a : b; } // NaN wins
static inline double twist_size(Twist t) { return sqrt(twist_dot(t, t)); }

typedef struct Parts {
    double natural, gap, cone, complementarity;
} Parts;

// Velocity and impulse in the common units: sqrt(w) p and u/sqrt(w), moments through the length.
static Parts judge(const ContactProblem *problem, size_t i, ContactLaw law, const Twist *velocity,
                   const ContactImpulse *impulse, LocalScale scale) {
    const ContactPoint *c = &problem->contacts.data[i];
    Cone cone = cone_of(c, scale.length);
    double root = sqrt(scale.w);
    Twist u = contact_problem_relative(problem, i, velocity);
    u.linear = vec3_scale(1 / root, u.linear);
    u.angular = cone.turns ? vec3_scale(scale.length / root, u.angular) : vec3_zero();
    Twist p = {vec3_scale(root, impulse->linear), vec3_scale(root / scale.length, impulse->angular)};
    if (law == CONTACT_COULOMB) u.linear = vec3_madd(u.linear, cone_shift(&cone, c->normal, u), c->normal);
    Twist away = {vec3_neg(u.linear), vec3_neg(u.angular)};
    Parts parts;
    parts.natural = twist_size(twist_madd(p, -1, cone_project(&cone, c->normal, twist_madd(p, -1, u))));
    parts.gap = twist_size(cone_project(&cone, c->normal, away));
    parts.cone = twist_size(twist_madd(p, -1, cone_project(&cone, c->normal, p)));
    double sizes = twist_size(p) + twist_size(u);
    parts.complementarity = sizes > 0 ? fabs(twist_dot(p, u)) / sizes : 0;
    if (!cone.turns) parts.cone = max(parts.cone, vec3_norm(p.angular));
    return parts;
}

// Nothing below a millionth of the velocities that meet at a contact counts: a residual of 1e-8 would ask for
// more digits than doubles have.
static const double rounding = 1e-6;
static double speed_at(const ContactProblem *problem, const ContactPoint *c) {
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? c->b : c->a;
        if (body < 0) continue;
        Twist v = problem->free_velocity.data[body];
        Vec3 at = vec3_add(v.linear, vec3_cross(v.angular, side ? c->arm_b : c->arm_a));
        speed = max(speed, vec3_norm(at));
    }
    return speed;
}

double contact_residual_scale(const ContactProblem *problem, ContactLaw law, double floor) {
    double scale = 0;
    for (size_t i = 0; i < problem->contacts.count; i++) {
        const ContactPoint *c = &problem->contacts.data[i];
        LocalScale local = local_scale(problem, c);
        if (!(local.w > 0)) continue;
        Cone cone = cone_of(c, local.length);
        Twist u = contact_problem_relative(problem, i, problem->free_velocity.data);
        u.angular = cone.turns ? vec3_scale(local.length, u.angular) : vec3_zero();
        if (law == CONTACT_COULOMB)
            u.linear = vec3_madd(u.linear, cone_shift(&cone, c->normal, u), c->normal);
        Twist away = {vec3_neg(u.linear), vec3_neg(u.angular)};
        double violation = max(twist_size(cone_project(&cone, c->normal, away)), floor);
        violation = max(violation, rounding * speed_at(problem, c));
        scale = max(scale, violation / sqrt(local.w));
    }
    for (size_t i = 0; i < problem->rows.count; i++) {
        double w = local_row_scale(problem, &problem->rows.data[i]);
        if (w > 0)
            scale = max(scale, fabs(contact_problem_row(problem, i, problem->free_velocity.data)) / sqrt(w));
    }
    return scale;
}

ContactResidual contact_residual_on_scale(const ContactProblem *problem, ContactLaw law,
                                          const ContactImpulse *impulses, const double *lambdas, double scale,
                                          Twist *scratch) {
    Twist *velocity = scratch, *loads = scratch + problem->bodies.count;
    contact_problem_velocity(problem, impulses, lambdas, loads, velocity);
    ContactResidual r = {.scale = scale};
    for (size_t i = 0; i < problem->contacts.count; i++) {
        LocalScale local = local_scale(problem, &problem->contacts.data[i]);
        if (!(local.w > 0)) continue;
        Parts parts = judge(problem, i, law, velocity, &impulses[i], local);
        r.relative = max(parts.natural, r.relative);
        r.gap = max(parts.gap, r.gap);
        r.cone = max(parts.cone, r.cone);
        r.complementarity = max(parts.complementarity, r.complementarity);
    }
    for (size_t i = 0; i < problem->rows.count; i++) {
        const ContactRow *row = &problem->rows.data[i];
        double w = local_row_scale(problem, row);
        if (!(w > 0)) continue;
        double value = contact_problem_row(problem, i, velocity) + row->compliance * lambdas[i];
        r.bilateral = max(fabs(value) / sqrt(w), r.bilateral);
    }
    r.relative = max(r.bilateral, r.relative);
    if (r.relative == 0) return r; // also when nothing is violated without impulses: the scale is zero
    double factor = scale > 0 ? 1 / scale : DBL_MAX;
    r.relative *= factor;
    r.gap *= factor;
    r.cone *= factor;
    r.complementarity *= factor;
    r.bilateral *= factor;
    return r;
}

ContactResidual contact_residual(const ContactProblem *problem, ContactLaw law,
                                 const ContactImpulse *impulses, const double *lambdas, double floor,
                                 Twist *scratch) {
    double scale = contact_residual_scale(problem, law, floor);
    return contact_residual_on_scale(problem, law, impulses, lambdas, scale, scratch);
}
