// Blocks of single contacts: see local.h.
//
// For a body with inverse mass 1/m and inertia 1/I, contact at arm r, the velocity of the point that an
// impulse p and a moment m at the contact cause:
//   linear   p/m + (m + r x p)/I x r,   angular  (m + r x p)/I
// and likewise with the 6x6 block of a group. The trace of the linear part is 3/m + 2 r^2/I.
#include "contact/local.h"

#include "contact/twist.h"

static const double *local_own_block(const ContactProblem *p, const ContactBody *body, size_t *stride) {
    return contact_group_block(p, &p->groups.data[body->group], body->slot, body->slot, stride);
}

// Velocity of body `index` for an impulse on body `other`, both about their origins. The two are in one group.
static Twist local_response_from(const ContactProblem *p, int32_t index, int32_t other, Twist impulse) {
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

// The same for an impulse on the body itself, in a group or not.
static Twist local_response(const ContactProblem *p, int32_t index, Twist impulse) {
    const ContactBody *body = &p->bodies.data[index];
    if (body->group >= 0) return local_response_from(p, index, index, impulse);
    return (Twist){vec3_scale(body->inverse_mass, impulse.linear), contact_turn(p, body, impulse.angular)};
}

// Are the two different bodies of one group?
static bool local_coupled_response(const ContactProblem *p, int32_t a, int32_t b) {
    return a >= 0 && b >= 0 && a != b && p->bodies.data[a].group >= 0 &&
           p->bodies.data[a].group == p->bodies.data[b].group;
}

static Twist local_at_contact(Twist v, Vec3 arm) {
    return (Twist){vec3_add(v.linear, vec3_cross(v.angular, arm)), v.angular};
}

void local_block(const ContactProblem *p, const ContactPoint *c, double block[6][6]) {
    bool coupled = local_coupled_response(p, c->a, c->b);
    for (int j = 0; j < 6; j++) {
        Twist unit = twist_zero(), u = twist_zero();
        twist_numbers(&unit)[j] = 1;
        Twist on_a = twist_of_impulse(-1, c->arm_a, unit.linear, unit.angular),
              on_b = twist_of_impulse(1, c->arm_b, unit.linear, unit.angular);
        if (c->a >= 0) u = twist_madd(u, -1, local_at_contact(local_response(p, c->a, on_a), c->arm_a));
        if (c->b >= 0) u = twist_madd(u, 1, local_at_contact(local_response(p, c->b, on_b), c->arm_b));
        if (coupled) {
            u = twist_madd(u, -1, local_at_contact(local_response_from(p, c->a, c->b, on_b), c->arm_a));
            u = twist_madd(u, 1, local_at_contact(local_response_from(p, c->b, c->a, on_a), c->arm_b));
        }
        for (int i = 0; i < 6; i++) block[i][j] = twist_view(&u)[i];
    }
}

// P Y P^T with P = [1, -arm x]: the velocity at the end of the arm is P (v, w).
Mat3 local_answer(const ContactProblem *p, int32_t index, Vec3 arm) {
    const ContactBody *body = &p->bodies.data[index];
    double own[36] = {0};
    const double *y = own;
    size_t stride = 6;
    if (body->group >= 0) y = local_own_block(p, body, &stride);
    else
        for (int i = 0; i < 3; i++) {
            own[7 * i] = body->inverse_mass;
            for (int j = 0; j < 3; j++)
                own[6 * (i + 3) + j + 3] = body->tensor ? p->tensors.data[body->tensor - 1].m[i][j]
                                           : i == j     ? body->inverse_inertia
                                                        : 0;
        }
    double half[3][6]; // P Y
    for (size_t j = 0; j < 6; j++) {
        Vec3 v = {y[j], y[stride + j], y[2 * stride + j]},
             w = {y[3 * stride + j], y[4 * stride + j], y[5 * stride + j]};
        Vec3 u = vec3_add(v, vec3_cross(w, arm));
        half[0][j] = u.x, half[1][j] = u.y, half[2][j] = u.z;
    }
    Mat3 block;
    for (int i = 0; i < 3; i++) {
        Vec3 v = {half[i][0], half[i][1], half[i][2]}, w = {half[i][3], half[i][4], half[i][5]};
        Vec3 u = vec3_add(v, vec3_cross(w, arm));
        block.m[i][0] = u.x, block.m[i][1] = u.y, block.m[i][2] = u.z;
    }
    return block;
}

static double local_angular_diagonal(const ContactProblem *p, int32_t index) {
    const ContactBody *body = &p->bodies.data[index];
    if (body->tensor > 0) return mat3_trace(p->tensors.data[body->tensor - 1]) / 3;
    if (body->group < 0) return body->inverse_inertia;
    size_t stride;
    const double *y = local_own_block(p, body, &stride);
    return (y[3 * stride + 3] + y[4 * stride + 4] + y[5 * stride + 5]) / 3;
}

LocalScale local_scale(const ContactProblem *p, const ContactPoint *c) {
    double linear = 0, angular = 0;
    bool turns = contact_turns(c);
    if (local_coupled_response(p, c->a, c->b)) {
        double block[6][6];
        local_block(p, c, block);
        linear = (block[0][0] + block[1][1] + block[2][2]) / 3;
        angular = (block[3][3] + block[4][4] + block[5][5]) / 3;
    } else {
        for (int side = 0; side < 2; side++) {
            int32_t index = side ? c->b : c->a;
            if (index < 0) continue;
            const ContactBody *body = &p->bodies.data[index];
            Vec3 arm = side ? c->arm_b : c->arm_a;
            if (contact_is_isotropic(p, index))
                linear += body->inverse_mass + body->inverse_inertia * vec3_norm2(arm) * (2.0 / 3);
            else linear += mat3_trace(local_answer(p, index, arm)) / 3;
            if (turns) angular += local_angular_diagonal(p, index);
        }
    }
    turns = turns && angular > 0 && linear > 0;
    return (LocalScale){linear, turns ? sqrt(linear / angular) : 1};
}

double local_row_scale(const ContactProblem *p, const ContactRow *row) {
    double w = 0;
    if (row->a >= 0) w += twist_dot(row->jacobian_a, local_response(p, row->a, row->jacobian_a));
    if (row->b >= 0) w += twist_dot(row->jacobian_b, local_response(p, row->b, row->jacobian_b));
    if (local_coupled_response(p, row->a, row->b))
        w += 2 * twist_dot(row->jacobian_a, local_response_from(p, row->a, row->b, row->jacobian_b));
    return w > 0 ? w + row->compliance : 0;
}
