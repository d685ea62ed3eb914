// Planar joint: the second node moves in the plane square to the axis and turns about the axis. Three
// constraints:
//
//     f_z . D = 0,      -f_y . g_z = f_x . g_z = 0
#include "mechanism/joint_type.h"

const JointType joint_planar = {
    JOINT_SCHEMA("planar", "Moves in the plane square to the axis and turns about the axis."),
    .words = "slides on a plane on",
    .kept = {.along = {0, 0, 1}, .about = {1, 1, 0}},
};
