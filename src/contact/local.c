// Blocks of single contacts: see local.h.
//
// For a body with inverse mass 1/m and inertia 1/I, contact at arm r, the velocity of the point that an
// impulse p and a moment m at the contact cause:
//   linear   p/m + (m + r x p)/I x r,   angular  (m + r x p)/I
// and likewise with the 6x6 block of a group. The trace of the linear part is 3/m + 2 r^2/I.
#include "contact/local.h"

#include "contact/twist.h"

static const double *own_block(const ContactProblem *p, const ContactBody *body, size_t *stride) {
    return contact_group_block(p, &p->groups.data[body->group], body->slot, body->slot, stride);
}

// velocity of the body for an impulse on it, about its origin
static Twist answer(const ContactProblem *p, int32_t index, Twist impulse) {
    const ContactBody *body = &p->bodies.data[index];
    if (body->group < 0)
        return (Twist){vec3_scale(body->inverse_mass, impulse.linear),
                       vec3_scale(body->inverse_inertia, impulse.angular)};
    size_t stride;
    const double *block = own_block(p, body, &stride), *x = twist_view(&impulse);
    Twist velocity;
    double *v = twist_numbers(&velocity);
    for (size_t i = 0; i < 6; i++) {
        v[i] = 0;
        for (size_t j = 0; j < 6; j++) v[i] += block[i * stride + j] * x[j];
    }
    return velocity;
}

// What the body at one end of a unit impulse does to both ends: `other` (or -1) is the body at the other end
// when the two are of one group and thus answer each other.
static Twist answer_from(const ContactProblem *p, int32_t index, int32_t other, Twist impulse) {
    const ContactBody *to = &p->bodies.data[index], *from = &p->bodies.data[other];
    size_t stride;
    const double *block = contact_group_block(p, &p->groups.data[to->group], to->slot, from->slot, &stride);
    const double *x = twist_view(&impulse);
    Twist velocity;
    double *v = twist_numbers(&velocity);
    for (size_t i = 0; i < 6; i++) {
        v[i] = 0;
        for (size_t j = 0; j < 6; j++) v[i] += block[i * stride + j] * x[j];
    }
    return velocity;
}

static bool answer_each_other(const ContactProblem *p, int32_t a, int32_t b) {
    return a >= 0 && b >= 0 && a != b && p->bodies.data[a].group >= 0 &&
           p->bodies.data[a].group == p->bodies.data[b].group;
}

static Twist at_contact(Twist v, Vec3 arm) {
    return (Twist){vec3_add(v.linear, vec3_cross(v.angular, arm)), v.angular};
}

void local_block(const ContactProblem *p, const ContactPoint *c, double block[6][6]) {
    bool coupled = answer_each_other(p, c->a, c->b);
    for (int j = 0; j < 6; j++) {
        Twist unit = twist_zero(), u = twist_zero();
        twist_numbers(&unit)[j] = 1;
        Twist on_a = twist_of_impulse(-1, c->arm_a, unit.linear, unit.angular),
              on_b = twist_of_impulse(1, c->arm_b, unit.linear, unit.angular);
        if (c->a >= 0) u = twist_madd(u, -1, at_contact(answer(p, c->a, on_a), c->arm_a));
        if (c->b >= 0) u = twist_madd(u, 1, at_contact(answer(p, c->b, on_b), c->arm_b));
        if (coupled) {
            u = twist_madd(u, -1, at_contact(answer_from(p, c->a, c->b, on_b), c->arm_a));
            u = twist_madd(u, 1, at_contact(answer_from(p, c->b, c->a, on_a), c->arm_b));
        }
        for (int i = 0; i < 6; i++) block[i][j] = twist_view(&u)[i];
    }
}

LocalScale local_scale(const ContactProblem *p, const ContactPoint *c) {
    double linear = 0, angular = 0;
    bool grouped =
        (c->a >= 0 && p->bodies.data[c->a].group >= 0) || (c->b >= 0 && p->bodies.data[c->b].group >= 0);
    if (grouped) {
        double block[6][6];
        local_block(p, c, block);
        for (int i = 0; i < 3; i++) {
            linear += block[i][i] / 3;
            angular += block[i + 3][i + 3] / 3;
        }
    } else {
        for (int side = 0; side < 2; side++) {
            int32_t index = side ? c->b : c->a;
            if (index < 0) continue;
            const ContactBody *body = &p->bodies.data[index];
            double arm2 = vec3_norm2(side ? c->arm_b : c->arm_a);
            linear += body->inverse_mass + body->inverse_inertia * arm2 * (2.0 / 3);
            angular += body->inverse_inertia;
        }
    }
    bool turns = contact_turns(c) && angular > 0 && linear > 0;
    return (LocalScale){linear, turns ? sqrt(linear / angular) : 1};
}

double local_row_scale(const ContactProblem *p, const ContactRow *row) {
    double w = 0;
    if (row->a >= 0) w += twist_dot(row->jacobian_a, answer(p, row->a, row->jacobian_a));
    if (row->b >= 0) w += twist_dot(row->jacobian_b, answer(p, row->b, row->jacobian_b));
    if (answer_each_other(p, row->a, row->b))
        w += 2 * twist_dot(row->jacobian_a, answer_from(p, row->a, row->b, row->jacobian_b));
    return w > 0 ? w + row->compliance : 0;
}
