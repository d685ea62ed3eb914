// Point in plane: the second point stays in the plane square to the axis; the second node turns freely. One
// constraint:
//
//     f_z . D = 0
#include "mechanism/joint_type.h"

const JointType joint_point_in_plane = {
    JOINT_SCHEMA("point_in_plane",
                 "The second point stays in the plane square to the axis; it turns freely."),
    .words = "has a point in a plane on",
    .kept = {.along = {0, 0, 1}},
};
