// Driven components of a joint: functions of time for their value (position, angle, distance) or for their
// rate (speed, rate). A rate is integrated into the memory of the element, so that the joint keeps a
// position.
#ifndef MECHANISM_JOINT_DRIVE_H
#define MECHANISM_JOINT_DRIVE_H

#include "math/expression.h"
#include "math/mat3.h"

typedef struct JointDrive {
    const Expression *expression; // NULL: zero
    int state; // place of the integral in the memory of the element; -1: the value is given
} JointDrive;

// Value and two derivatives; `state` is the memory of the element.
Jet joint_drive_jet(const JointDrive *drive, TimePoint at, const double *state);
// Advances the integral from t - h to t, the time of `at`.
void joint_drive_advance(const JointDrive *drive, TimePoint at, double h, double *state);

// Driven angles are the components of one rotation vector: its rotation, angular velocity and angular
// acceleration, in the axes before the rotation.
typedef struct JointTurn {
    Mat3 rotation;
    Vec3 w, alpha; // [rad/s, rad/s^2]
} JointTurn;
JointTurn joint_drive_turn(const JointDrive drives[3], TimePoint at, const double *state);

#endif
