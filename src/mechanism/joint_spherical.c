// Spherical joint, a ball joint: the second node turns about every axis. Three constraints:
//
//     f_x . D = f_y . D = f_z . D = 0
#include "mechanism/joint_type.h"

const JointType joint_spherical = {
    JOINT_SCHEMA("spherical", "A ball joint: turns about every axis."),
    .words = "turns on a ball joint on",
    .kept = {.along = {1, 1, 1}},
};
