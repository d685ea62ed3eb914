// Cylindrical joint: the second node moves along the axis and turns about it. Four constraints:
//
//     f_x . D = f_y . D = 0,      -f_y . g_z = f_x . g_z = 0
//
// With a driven position along z also f_z . D = d(t); with a driven angle about z the rotation is kept as a
// whole, psi = 0, counted from axes that the drive turns (joint.c).
#include "mechanism/joint_type.h"

const JointType joint_cylindrical = {
    JOINT_SCHEMA("cylindrical", "Moves along the axis and turns about it."),
    .words = "slides and turns on a cylinder on",
    .kept = {.along = {1, 1, 0}, .about = {1, 1, 0}},
    .slides = true,
    .turns = true,
};
