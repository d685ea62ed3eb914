// What passes through a port: a motion one way, a load the other (world axes, about the port's origin).
#ifndef MATH_FRAME_H
#define MATH_FRAME_H

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
static inline double load_power(const Load *load, const Motion *m) {
    return vec3_dot(load->force, m->velocity) + vec3_dot(load->moment, m->angular_velocity);
}

#endif
