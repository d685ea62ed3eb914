// Matrix-free products of contact problems: see problem.h.
#include "base/threads.h"
#include "contact/problem.h"
#include "contact/twist.h"

typedef struct
    Bodies { // those that a thread sums loads of: each goes through all contacts, and the order of sums is kept
    size_t from, to;
} Bodies;

static inline bool products_has(Bodies own, int32_t body) {
    return body >= 0 && (size_t)body - own.from < own.to - own.from;
}

static inline void products_push(Twist *loads, int32_t body, double sign, Vec3 arm, const ContactImpulse *p) {
    loads[body] = twist_madd(loads[body], 1, twist_of_impulse(sign, arm, p->linear, p->angular));
}

static void products_loads_on(const ContactProblem *problem, Bodies own, const ContactImpulse *impulses,
                              const double *lambdas, Twist *loads) {
    for (size_t i = own.from; i < own.to; i++) loads[i] = twist_zero();
    for (size_t i = 0; i < problem->contacts.count; i++) {
        const ContactPoint *c = &problem->contacts.data[i];
        if (vec3_norm2(impulses[i].linear) == 0 && vec3_norm2(impulses[i].angular) == 0) continue;
        if (products_has(own, c->a)) products_push(loads, c->a, -1, c->arm_a, &impulses[i]);
        if (products_has(own, c->b)) products_push(loads, c->b, 1, c->arm_b, &impulses[i]);
    }
    for (size_t i = 0; i < problem->rows.count; i++) {
        const ContactRow *row = &problem->rows.data[i];
        if (products_has(own, row->a)) loads[row->a] = twist_madd(loads[row->a], lambdas[i], row->jacobian_a);
        if (products_has(own, row->b)) loads[row->b] = twist_madd(loads[row->b], lambdas[i], row->jacobian_b);
    }
}

void contact_problem_loads(const ContactProblem *problem, const ContactImpulse *impulses,
                           const double *lambdas, Twist *loads) {
    products_loads_on(problem, (Bodies){0, problem->bodies.count}, impulses, lambdas, loads);
}

Twist contact_problem_load_on(const ContactProblem *problem, const ContactImpulse *impulses, int32_t body) {
    Twist load = twist_zero();
    for (size_t i = 0; i < problem->contacts.count; i++) {
        const ContactPoint *c = &problem->contacts.data[i];
        if (c->a == body)
            load =
                twist_madd(load, 1, twist_of_impulse(-1, c->arm_a, impulses[i].linear, impulses[i].angular));
        if (c->b == body)
            load =
                twist_madd(load, 1, twist_of_impulse(1, c->arm_b, impulses[i].linear, impulses[i].angular));
    }
    return load;
}

static void products_apply_group(const ContactProblem *problem, const ContactGroup *group,
                                 const Twist *impulse, Twist *velocity) {
    const int32_t *bodies = problem->group_bodies.data + group->first_body;
    for (int32_t i = 0; i < group->count; i++) {
        double sum[6] = {0};
        for (int32_t j = 0; j < group->count; j++) {
            size_t stride;
            const double *block = contact_group_block(problem, group, i, j, &stride);
            const double *x = twist_view(&impulse[bodies[j]]);
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) sum[r] += block[(size_t)r * stride + (size_t)c] * x[c];
        }
        memcpy(&velocity[bodies[i]], sum, sizeof sum);
    }
}

// Of a body in no group; zero of others.
static inline Twist products_answer(const ContactProblem *problem, const ContactBody *body, Twist impulse) {
    return (Twist){vec3_scale(body->inverse_mass, impulse.linear),
                   contact_turn(problem, body, impulse.angular)};
}

void contact_problem_apply_inverse_mass(const ContactProblem *problem, const Twist *impulse,
                                        Twist *velocity) {
    for (size_t i = 0; i < problem->bodies.count; i++)
        velocity[i] = products_answer(problem, &problem->bodies.data[i], impulse[i]);
    for (size_t g = 0; g < problem->groups.count; g++)
        products_apply_group(problem, &problem->groups.data[g], impulse, velocity);
}

static void products_velocity_of(const ContactProblem *problem, Bodies own, const ContactImpulse *impulses,
                                 const double *lambdas, Twist *loads, Twist *velocity) {
    products_loads_on(problem, own, impulses, lambdas, loads);
    for (size_t i = own.from; i < own.to; i++)
        velocity[i] = twist_madd(problem->free_velocity.data[i], 1,
                                 products_answer(problem, &problem->bodies.data[i], loads[i]));
}

void contact_problem_velocity(const ContactProblem *problem, const ContactImpulse *impulses,
                              const double *lambdas, Twist *scratch, Twist *velocity) {
    size_t count = problem->bodies.count;
    if (count > THREADS_ALONE) {
#pragma omp parallel
        {
            size_t team = (size_t)threads_in_team(), me = (size_t)threads_current();
            products_velocity_of(problem, (Bodies){count * me / team, count * (me + 1) / team}, impulses,
                                 lambdas, scratch, velocity);
        }
    } else products_velocity_of(problem, (Bodies){0, count}, impulses, lambdas, scratch, velocity);
    for (size_t g = 0; g < problem->groups.count; g++) {
        const ContactGroup *group = &problem->groups.data[g];
        const int32_t *bodies = problem->group_bodies.data + group->first_body;
        products_apply_group(problem, group, scratch, velocity);
        for (int32_t k = 0; k < group->count; k++)
            velocity[bodies[k]] = twist_madd(problem->free_velocity.data[bodies[k]], 1, velocity[bodies[k]]);
    }
}

static void products_push_body(ContactProblem *problem, int32_t index, Twist load) {
    if (index < 0) return;
    const ContactBody *body = &problem->bodies.data[index];
    Twist *free = problem->free_velocity.data;
    if (body->group < 0) {
        Twist gain = {vec3_scale(body->inverse_mass, load.linear), contact_turn(problem, body, load.angular)};
        free[index] = twist_madd(free[index], 1, gain);
        return;
    }
    const ContactGroup *group = &problem->groups.data[body->group];
    for (int32_t i = 0; i < group->count; i++) {
        size_t stride;
        const double *block = contact_group_block(problem, group, i, body->slot, &stride);
        double *v = (double *)&free[problem->group_bodies.data[group->first_body + i]];
        for (size_t r = 0; r < 6; r++)
            for (size_t c = 0; c < 6; c++) v[r] += block[r * stride + c] * twist_view(&load)[c];
    }
}

void contact_problem_push(ContactProblem *problem, const ContactPoint *contact, Vec3 impulse) {
    products_push_body(problem, contact->a, twist_of_impulse(-1, contact->arm_a, impulse, vec3_zero()));
    products_push_body(problem, contact->b, twist_of_impulse(1, contact->arm_b, impulse, vec3_zero()));
}

Twist contact_problem_relative(const ContactProblem *problem, size_t contact, const Twist *velocity) {
    const ContactPoint *c = &problem->contacts.data[contact];
    Twist u = {c->bias, {0, 0, 0}};
    if (c->b >= 0) {
        Twist v = velocity[c->b];
        u.linear = vec3_add(u.linear, vec3_add(v.linear, vec3_cross(v.angular, c->arm_b)));
        u.angular = vec3_add(u.angular, v.angular);
    }
    if (c->a >= 0) {
        Twist v = velocity[c->a];
        u.linear = vec3_sub(u.linear, vec3_add(v.linear, vec3_cross(v.angular, c->arm_a)));
        u.angular = vec3_sub(u.angular, v.angular);
    }
    return u;
}

double contact_problem_row(const ContactProblem *problem, size_t row, const Twist *velocity) {
    const ContactRow *r = &problem->rows.data[row];
    double value = r->bias;
    if (r->a >= 0) value += twist_dot(r->jacobian_a, velocity[r->a]);
    if (r->b >= 0) value += twist_dot(r->jacobian_b, velocity[r->b]);
    return value;
}
