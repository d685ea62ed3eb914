// Components of a joint that follow a function of time: given themselves (position, angle, distance), or by
// their rate (speed), which is then integrated into the element's own memory so that the joint keeps a
// position.
#ifndef MECHANISM_JOINT_DRIVE_H
#define MECHANISM_JOINT_DRIVE_H

#include "math/expression.h"
#include "math/mat3.h"

typedef struct JointDrive {
    const Expression *expression; // NULL: stays at zero
    int state; // place of the integral in the element's memory; -1: the value itself is given
} JointDrive;

// Value and two derivatives; `state` is the element's memory.
Jet joint_drive_jet(const JointDrive *drive, TimePoint at, const double *state);
// Brings the integral from t - h to t, which is the time of `at`.
void joint_drive_advance(const JointDrive *drive, TimePoint at, double h, double *state);

// Three driven angles are the components of one rotation vector: its rotation, and angular velocity and
// acceleration, all in the axes that it turns from.
typedef struct JointTurn {
    Mat3 rotation;
    Vec3 w, alpha; // [rad/s, rad/s^2]
} JointTurn;
JointTurn joint_drive_turn(const JointDrive drives[3], TimePoint at, const double *state);

#endif
