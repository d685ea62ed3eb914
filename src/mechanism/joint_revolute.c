// Revolute joint, a hinge: the second node turns about the axis. Five constraints:
//
//     f_x . D = f_y . D = f_z . D = 0,      -f_y . g_z = f_x . g_z = 0
//
// The last two keep the z axes parallel; to first order they are the turns about x and y. With a driven
// angle about z the rotation is kept as a whole, psi = 0, counted from axes that the drive turns (joint.c).
#include "mechanism/joint_type.h"

const JointType joint_revolute = {
    JOINT_SCHEMA("revolute", "A hinge: turns about the axis."),
    .words = "turns on a hinge on",
    .kept = {.along = {1, 1, 1}, .about = {1, 1, 0}},
    .turns = true,
};
