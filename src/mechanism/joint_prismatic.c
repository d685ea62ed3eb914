// Prismatic joint, a slider: the second node moves along the axis and does not turn. Five constraints:
//
//     f_x . D = f_y . D = 0,      psi_x = psi_y = psi_z = 0
//
// With a driven position along z also f_z . D = d(t).
#include "mechanism/joint_type.h"

const JointType joint_prismatic = {
    JOINT_SCHEMA("prismatic", "A slider: moves along the axis, does not turn."),
    .words = "slides on a guide on",
    .kept = {.along = {1, 1, 0}, .about = {1, 1, 1}},
    .slides = true,
};
