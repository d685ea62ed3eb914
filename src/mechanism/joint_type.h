// What a type of joint is, and what the files of the types share.
//
// Notation of the constraints at the top of each joint_NAME.c: D is the gap from the first marker to the
// second, f_x, f_y, f_z are the axes of the first marker and g_x, g_y, g_z those of the second, psi is the
// rotation vector from the first axes to the second (relative.h). The joint's axis is z. Unless a file says
// otherwise, the source is E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, vol. I,
// Allyn and Bacon 1989, ch. 9.
#ifndef MECHANISM_JOINT_TYPE_H
#define MECHANISM_JOINT_TYPE_H

#include "mechanism/joint.h"
#include "mechanism/part_type.h"

// Components of the relative motion along and about the joint's x, y and z.
typedef struct JointComponents {
    bool along[3], about[3];
} JointComponents;

// A joint that is being built.
typedef struct JointBuild {
    Builder *builder;
    const JointDefinition *definition;
    int nodes[2];    // -1: ground
    Joint joint;     // markers, then rows
    int state_count; // numbers of the element's memory so far
} JointBuild;

typedef struct JointType {
    SchemaType schema;    // key and sentence of the model file, keys that only this joint has
    const char *words;    // of `maraca check`: "turns on a hinge on", between the second node and the first
    JointComponents kept; // that it keeps, each at zero or at the value of its drive
    bool slides, turns;   // along z, about z: free, but may be driven
    bool between_origins; // without `at` and `offsets` its markers are at the origins of the nodes

    // Components that it keeps, when the user chooses them; NULL: `kept`.
    JointComponents (*choose)(const JointDefinition *joint);
    // Reports what the keys of this type cannot say alone, for a definition without other errors. NULL: nothing.
    void (*check)(const JointDefinition *joint, const Findings *findings);
    // Adds rows beyond those of the kept components. NULL: there are none.
    MrcStatus (*add_rows)(JointBuild *build, MrcError *error);
} JointType;

#define JOINT_DECLARATION(number, type) extern const JointType type;
JOINT_TABLE(JOINT_DECLARATION)
#undef JOINT_DECLARATION

extern const JointType *const joint_types[JOINT_COUNT + 1]; // by JointKind; ended by NULL

JointComponents joint_kept(const JointDefinition *joint);     // without driven ones that it leaves free
JointComponents joint_drivable(const JointDefinition *joint); // kept, or kept when they are driven

bool joint_is_driven(const JointDefinition *joint); // some component is a function of time

MrcStatus joint_build(Builder *builder, const void *definition, MrcError *error); // of joint_part

// ---- for the files of the types ----------------------------------------------------------------------
// The key and sentence of a joint that is written as one node or a list of two: `revolute: [crank, rod]`.
extern const SchemaObject joint_nodes_schema;
#define JOINT_SCHEMA(key_, doc_)                                                                             \
    .schema = {.alternative = {.key = (key_), .object = &joint_nodes_schema, .doc = (doc_)}}
// The same, with keys of its own beside it.
#define JOINT_SCHEMA_WITH(key_, doc_, rows)                                                                  \
    .schema = {.alternative = {.key = (key_), .object = &joint_nodes_schema, .doc = (doc_)},                 \
               SCHEMA_KEYS(rows)}

void joint_add_row(JointBuild *build, RelativeCoordinate coordinate, JointDrive drive);
// A drive by its value or by its rate, which may both be NULL; the keys are for messages.
MrcStatus joint_make_drive(JointBuild *build, const Expression *value, const Expression *rate,
                           const char *value_key, const char *rate_key, JointDrive *drive, MrcError *error);
// Counts turns about z in the element's memory (MarkerPair.last_turn).
void joint_count_turns(JointBuild *build);

#endif
