// Point on line: the second point stays on the line along the axis; the second node turns freely. Two
// constraints:
//
//     f_x . D = f_y . D = 0
#include "mechanism/joint_type.h"

const JointType joint_point_on_line = {
    JOINT_SCHEMA("point_on_line", "The second point stays on the line along the axis; it turns freely."),
    .words = "has a point on a line on",
    .kept = {.along = {1, 1, 0}},
};
