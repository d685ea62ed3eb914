// Universal joint, Cardan's joint: the two bars of its cross are f_x, fixed to the first node, and g_y,
// fixed to the second. Four constraints:
//
//     f_x . D = f_y . D = f_z . D = 0,      -f_x . g_y = 0
//
// The second node turns about f_x and g_y. A driven angle about z turns the first fork in its node.
#include "mechanism/joint_type.h"

const JointType joint_universal = {
    JOINT_SCHEMA("universal",
                 "Cardan's joint: turns about the joint's x, which rides on the first node, and its y, which "
                 "rides on the second."),
    .words = "turns on Cardan's joint on",
    .kept = {.along = {1, 1, 1}, .about = {0, 0, 1}},
};
