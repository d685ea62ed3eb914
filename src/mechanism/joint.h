// The element of all joints.
#ifndef MECHANISM_JOINT_H
#define MECHANISM_JOINT_H

#include "mechanism/joint_drive.h"
#include "mechanism/measure.h"

// One constraint: a measure that keeps the value of its drive.
typedef struct JointRow {
    Measure measure;
    JointDrive drive; // translations and distances; angles are driven by `turn`
} JointRow;

typedef struct Joint {
    Marker markers[2];
    int row_count;
    JointRow rows[ELEMENT_MULTIPLIERS];
    bool rotates; // some row measures a rotation vector
    bool turned;  // some angle is driven
    JointDrive turn[3];
    bool driven; // anything is
} Joint;

extern const ElementKind joint_kind;

#endif
