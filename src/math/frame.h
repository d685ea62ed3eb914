// What passes through a port: a motion one way, a load the other (world axes, about the port's origin).
#ifndef MATH_FRAME_H
#define MATH_FRAME_H

#include <stdbool.h>

#include "math/quaternion.h"

typedef struct Motion {
    Vec3 position;             // of the origin [m]
    Quaternion orientation;    // body axes to world axes
    Vec3 velocity;             // of the origin [m/s]
    Vec3 angular_velocity;     // [rad/s]
    Vec3 acceleration;         // of the origin [m/s^2]
    Vec3 angular_acceleration; // [rad/s^2]
} Motion;

typedef struct Load {
    Vec3 force;  // [N]
    Vec3 moment; // about the origin [N m]
} Load;

typedef struct Twist { // how a body moves: about its origin, world axes
    Vec3 linear;       // velocity of the origin [m/s]
    Vec3 angular;      // angular velocity [rad/s]
} Twist;

static inline Motion motion_at_rest(void) { return (Motion){.orientation = {1, 0, 0, 0}}; }
static inline Vec3 motion_to_world(const Motion *m, Vec3 local) {
    return vec3_add(m->position, quaternion_rotate(m->orientation, local));
}
static inline Vec3 motion_to_local(const Motion *m, Vec3 world) {
    return quaternion_unrotate(m->orientation, vec3_sub(world, m->position));
}
static inline Vec3 motion_velocity_at(const Motion *m, Vec3 world) { // of the body's point now at `world`
    return vec3_add(m->velocity, vec3_cross(m->angular_velocity, vec3_sub(world, m->position)));
}
// The constant twist that takes one pose to the other in the time h, and the pose that a twist leads to.
static inline bool motion_has_axes_of(const Motion *a, const Motion *b) {
    return a->orientation.w == b->orientation.w && a->orientation.x == b->orientation.x &&
           a->orientation.y == b->orientation.y && a->orientation.z == b->orientation.z;
}
static inline Twist motion_twist_to(const Motion *from, const Motion *to, double h) {
    Vec3 way = vec3_sub(to->position, from->position);
    if (motion_has_axes_of(from, to))
        return (Twist){vec3_scale(1 / h, way), {0, 0, 0}}; // the common case: no rotation
    Quaternion turn = quaternion_mul(to->orientation, quaternion_conjugate(from->orientation));
    return (Twist){vec3_scale(1 / h, way), vec3_scale(1 / h, quaternion_to_rotation_vector(turn))};
}
static inline Motion motion_carry(Motion m, Twist twist, double h) {
    m.position = vec3_madd(m.position, h, twist.linear);
    if (twist.angular.x != 0 || twist.angular.y != 0 || twist.angular.z != 0) {
        Quaternion turn = quaternion_from_rotation_vector(vec3_scale(h, twist.angular));
        m.orientation = quaternion_normalize(quaternion_mul(turn, m.orientation));
    }
    m.velocity = twist.linear;
    m.angular_velocity = twist.angular;
    return m;
}
static inline Load load_add(Load a, Load b) {
    return (Load){vec3_add(a.force, b.force), vec3_add(a.moment, b.moment)};
}
static inline Load load_sub(Load a, Load b) {
    return (Load){vec3_sub(a.force, b.force), vec3_sub(a.moment, b.moment)};
}
static inline Load load_scale(double factor, Load a) {
    return (Load){vec3_scale(factor, a.force), vec3_scale(factor, a.moment)};
}
static inline double load_power(const Load *load, const Motion *m) {
    return vec3_dot(load->force, m->velocity) + vec3_dot(load->moment, m->angular_velocity);
}

#endif
