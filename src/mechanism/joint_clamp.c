// Clamp: no relative motion. Six constraints:
//
//     f_x . D = f_y . D = f_z . D = 0,      psi_x = psi_y = psi_z = 0
#include "mechanism/joint_type.h"

const JointType joint_clamp = {
    JOINT_SCHEMA("clamp", "Nothing moves."),
    .words = "is clamped to",
    .kept = {.along = {1, 1, 1}, .about = {1, 1, 1}},
};
