// The joints, one row each, in the order of the reference page: its number in definitions, and its
// JointType, which is in the file of that name. A new joint is a file joint_NAME.c and a row here.
#ifndef MECHANISM_JOINT_TABLE_H
#define MECHANISM_JOINT_TABLE_H

// clang-format off
#define JOINT_TABLE(ROW)                            \
    ROW(JOINT_CLAMP, joint_clamp)                   \
    ROW(JOINT_REVOLUTE, joint_revolute)             \
    ROW(JOINT_SPHERICAL, joint_spherical)           \
    ROW(JOINT_PRISMATIC, joint_prismatic)           \
    ROW(JOINT_CYLINDRICAL, joint_cylindrical)       \
    ROW(JOINT_SCREW, joint_screw)                   \
    ROW(JOINT_UNIVERSAL, joint_universal)           \
    ROW(JOINT_PLANAR, joint_planar)                 \
    ROW(JOINT_POINT_ON_LINE, joint_point_on_line)   \
    ROW(JOINT_POINT_IN_PLANE, joint_point_in_plane) \
    ROW(JOINT_DISTANCE, joint_distance)             \
    ROW(JOINT_GENERAL, joint_general)
// clang-format on

#define JOINT_NUMBER(number, type) number,
typedef enum JointKind { JOINT_TABLE(JOINT_NUMBER) JOINT_COUNT } JointKind;
#undef JOINT_NUMBER

enum { JOINT_PARAMETERS = 4 }; // numbers of its own that a type of joint may have

#endif
