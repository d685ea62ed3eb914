// The element of all joints. The equations are in joint.c.
#ifndef MECHANISM_JOINT_H
#define MECHANISM_JOINT_H

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

extern const ElementKind joint_kind;

#endif
