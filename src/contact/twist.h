// Small algebra of twists (problem.h), inside the module.
#ifndef CONTACT_TWIST_H
#define CONTACT_TWIST_H

#include "contact/problem.h"

static inline Twist twist_zero(void) { return (Twist){{0, 0, 0}, {0, 0, 0}}; }
static inline Twist twist_madd(Twist a, double s, Twist b) { // a + s b
    return (Twist){vec3_madd(a.linear, s, b.linear), vec3_madd(a.angular, s, b.angular)};
}
static inline double twist_dot(Twist a, Twist b) {
    return vec3_dot(a.linear, b.linear) + vec3_dot(a.angular, b.angular);
}
static inline double *twist_numbers(Twist *t) { return &t->linear.x; }
static inline const double *twist_view(const Twist *t) { return &t->linear.x; }

// An impulse at the end of an arm, as seen from the body's origin, times `sign`.
static inline Twist twist_of_impulse(double sign, Vec3 arm, Vec3 linear, Vec3 angular) {
    return (Twist){vec3_scale(sign, linear), vec3_scale(sign, vec3_add(angular, vec3_cross(arm, linear)))};
}

// Does the contact resist turning? Its angular part counts only then.
static inline bool contact_turns(const ContactPoint *c) { return c->rolling > 0 || c->spinning > 0; }

static inline bool contact_is_dynamic(const ContactProblem *p, int32_t body) {
    if (body < 0) return false;
    const ContactBody *b = &p->bodies.data[body];
    return b->group >= 0 || b->inverse_mass > 0 || b->inverse_inertia > 0 || b->tensor > 0;
}

// Is it a sphere, or anything else that turns as easily about every axis?
static inline bool contact_is_isotropic(const ContactProblem *p, int32_t body) {
    return p->bodies.data[body].group < 0 && p->bodies.data[body].tensor == 0;
}

// Angular velocity that a moment about its centre gives to a body in no group.
static inline Vec3 contact_turn(const ContactProblem *p, const ContactBody *body, Vec3 moment) {
    if (body->tensor == 0) return vec3_scale(body->inverse_inertia, moment);
    return mat3_apply(p->tensors.data[body->tensor - 1], moment);
}

// The 6x6 block of the inverse mass that couples slots i and j of a group: stride numbers between rows.
static inline const double *contact_group_block(const ContactProblem *p, const ContactGroup *group, int32_t i,
                                                int32_t j, size_t *stride) {
    *stride = 6 * (size_t)group->count;
    return p->group_numbers.data + group->first_number + 6 * ((size_t)i * *stride + (size_t)j);
}

#endif
