// The residual of contact problems: see residual.h.
#include "contact/residual.h"

#include <float.h>

#include "contact/cone.h"
#include "contact/residual_parts.h"

static const double residual_rounding = 1e-6; // of the fastest velocity

static inline double residual_twist_size(Twist t) { return sqrt(twist_dot(t, t)); }

// Velocity in the common units: u/sqrt(w), turning through the length; Coulomb's law shifts the normal part.
static Twist residual_in_units(const ContactPoint *c, const Cone *cone, LocalScale local, double dilation,
                               Twist u) {
    double root = 1 / sqrt(local.w);
    u.linear = vec3_scale(root, u.linear);
    u.angular = cone->turns ? vec3_scale(local.length * root, u.angular) : vec3_zero();
    u.linear = vec3_madd(u.linear, cone_excess(cone, c->normal, u, dilation * root), c->normal);
    return u;
}

static double residual_distance_from_dual(const ContactPoint *c, const Cone *cone, Twist u) { // |P_K(-u)|
    Twist away = {vec3_neg(u.linear), vec3_neg(u.angular)};
    return residual_twist_size(cone_project(cone, c->normal, away));
}

ResidualParts residual_of_contact(const ContactPoint *c, LocalScale local, double dilation, Twist u,
                                  const ContactImpulse *impulse) {
    Cone cone = cone_of(c, local.length);
    double root = sqrt(local.w);
    u = residual_in_units(c, &cone, local, dilation, u);
    Twist p = {vec3_scale(root, impulse->linear), vec3_scale(root / local.length, impulse->angular)};
    ResidualParts parts;
    parts.natural =
        residual_twist_size(twist_madd(p, -1, cone_project(&cone, c->normal, twist_madd(p, -1, u)))) +
        residual_digits * residual_twist_size(p);
    parts.gap = residual_distance_from_dual(c, &cone, u);
    parts.cone = residual_twist_size(twist_madd(p, -1, cone_project(&cone, c->normal, p)));
    double sizes = residual_twist_size(p) + residual_twist_size(u);
    parts.complementarity = sizes > 0 ? fabs(twist_dot(p, u)) / sizes : 0;
    return parts;
}

double residual_without_impulse(const ContactPoint *c, LocalScale local, double dilation, Twist u,
                                double floor) {
    Cone cone = cone_of(c, local.length);
    return residual_max(
        residual_distance_from_dual(c, &cone, residual_in_units(c, &cone, local, dilation, u)),
        floor / sqrt(local.w));
}

double residual_floor(const ContactProblem *problem, double floor) {
    double fastest = 0;
    for (size_t i = 0; i < problem->bodies.count; i++)
        fastest = residual_max(fastest, vec3_norm2(problem->free_velocity.data[i].linear));
    return residual_max(floor, residual_rounding * sqrt(fastest));
}

double contact_residual_scale(const ContactProblem *problem, ContactLaw law, double floor) {
    double scale = 0;
    floor = residual_floor(problem, floor);
    for (size_t i = 0; i < problem->contacts.count; i++) {
        const ContactPoint *c = &problem->contacts.data[i];
        LocalScale local = local_scale(problem, c);
        if (!(local.w > 0)) continue;
        Twist u = contact_problem_relative(problem, i, problem->free_velocity.data);
        scale =
            residual_max(scale, residual_without_impulse(c, local, contact_dilation(problem, law), u, floor));
    }
    for (size_t i = 0; i < problem->rows.count; i++) {
        double w = local_row_scale(problem, &problem->rows.data[i]);
        double value = fabs(contact_problem_row(problem, i, problem->free_velocity.data));
        if (w > 0) scale = residual_max(scale, value / sqrt(w));
    }
    return scale;
}

ContactResidual residual_relative(ResidualParts parts, double bilateral, double scale) {
    ContactResidual r = {residual_max(bilateral, parts.natural),
                         parts.gap,
                         parts.cone,
                         parts.complementarity,
                         bilateral,
                         scale};
    if (r.relative == 0) return r; // also when nothing is violated without impulses: the scale is zero
    double factor = scale > 0 ? 1 / scale : DBL_MAX;
    r.relative *= factor;
    r.gap *= factor;
    r.cone *= factor;
    r.complementarity *= factor;
    r.bilateral *= factor;
    return r;
}

ContactResidual contact_residual_on_scale(const ContactProblem *problem, ContactLaw law,
                                          const ContactImpulse *impulses, const double *lambdas, double scale,
                                          Twist *scratch) {
    Twist *velocity = scratch, *loads = scratch + problem->bodies.count;
    contact_problem_velocity(problem, impulses, lambdas, loads, velocity);
    ResidualParts parts = {0, 0, 0, 0};
    double bilateral = 0;
    for (size_t i = 0; i < problem->contacts.count; i++) {
        const ContactPoint *c = &problem->contacts.data[i];
        LocalScale local = local_scale(problem, c);
        if (!(local.w > 0)) continue;
        Twist u = contact_problem_relative(problem, i, velocity);
        residual_take(&parts, residual_of_contact(c, local, contact_dilation(problem, law), u, &impulses[i]));
    }
    for (size_t i = 0; i < problem->rows.count; i++) {
        const ContactRow *row = &problem->rows.data[i];
        double w = local_row_scale(problem, row);
        if (!(w > 0)) continue;
        double value = contact_problem_row(problem, i, velocity) + row->compliance * lambdas[i];
        bilateral = residual_max(fabs(value) / sqrt(w), bilateral);
    }
    return residual_relative(parts, bilateral, scale);
}

ContactResidual contact_residual(const ContactProblem *problem, ContactLaw law,
                                 const ContactImpulse *impulses, const double *lambdas, double floor,
                                 Twist *scratch) {
    double scale = contact_residual_scale(problem, law, floor);
    return contact_residual_on_scale(problem, law, impulses, lambdas, scale, scratch);
}
