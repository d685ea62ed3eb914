// The element of all joints. The equations are in joint.c.
#ifndef MECHANISM_JOINT_H
#define MECHANISM_JOINT_H

#include "math/frame.h"
#include "mechanism/joint_drive.h"
#include "mechanism/relative.h"

// One constraint: a relative coordinate that is kept at the value of its drive.
typedef struct JointRow {
    RelativeCoordinate coordinate;
    JointDrive drive; // of translations and distances; angles are driven by Joint.turn
} JointRow;

typedef struct Joint {
    Marker markers[2];
    int row_count;
    JointRow rows[ELEMENT_MULTIPLIERS];
    bool rotates;       // some row is a component of the rotation vector
    bool turned;        // some angle is driven
    JointDrive turn[3]; // driven angles about x, y, z
    bool driven;        // some component is driven
    int turn_memory;    // place of the counted turn in the element's memory; -1: turns are not counted
} Joint;

// Of the second marker against the first.
typedef struct JointValues {
    double angle, rate;     // about z, full turns counted where the joint can turn so [rad], [rad/s]
    double position, speed; // along z of the first [m], [m/s]
    double power;           // of the reaction: what the drives give [W]
} JointValues;

extern const ElementKind joint_kind;

// `reaction`: on the second node, about its marker.
JointValues joint_values(const Element *element, const ElementInput *in, Load reaction);

#endif
