#include "coupling/port.h"

Motion port_motion(const PortDefinition *port, double t) {
    Motion motion = motion_at_rest();
    for (int k = 0; k < 3; k++) {
        if (!port->position[k]) continue;
        Jet jet = expression_jet(port->position[k], t);
        vec3_set_component(&motion.position, k, jet.value);
        vec3_set_component(&motion.velocity, k, jet.rate);
        vec3_set_component(&motion.acceleration, k, jet.second);
    }
    if (port->angle) { // about an axis that stays: angular velocity and acceleration lie along it
        Jet jet = expression_jet(port->angle, t);
        motion.orientation = quaternion_from_rotation_vector(vec3_scale(jet.value, port->axis));
        motion.angular_velocity = vec3_scale(jet.rate, port->axis);
        motion.angular_acceleration = vec3_scale(jet.second, port->axis);
    }
    return motion;
}

#define SIGNAL(suffix, dimension, member)                                                                    \
    { suffix, dimension, offsetof(Motion, member) }
const PortSignal port_signals[] = {
    SIGNAL("x", DIM_LENGTH, position.x),
    SIGNAL("y", DIM_LENGTH, position.y),
    SIGNAL("z", DIM_LENGTH, position.z),
    SIGNAL("vx", DIM_VELOCITY, velocity.x),
    SIGNAL("vy", DIM_VELOCITY, velocity.y),
    SIGNAL("vz", DIM_VELOCITY, velocity.z),
    SIGNAL("ax", DIM_ACCELERATION, acceleration.x),
    SIGNAL("ay", DIM_ACCELERATION, acceleration.y),
    SIGNAL("az", DIM_ACCELERATION, acceleration.z),
    SIGNAL("wx", DIM_ANGULAR_VELOCITY, angular_velocity.x),
    SIGNAL("wy", DIM_ANGULAR_VELOCITY, angular_velocity.y),
    SIGNAL("wz", DIM_ANGULAR_VELOCITY, angular_velocity.z),
};
const int port_signal_count = sizeof port_signals / sizeof *port_signals;
