// What a type of part of the mechanism is (a body, a beam, a spring, ...): from the keys of the model file
// to the elements that it is built of. Each PartType is in the file of its part; part_table.h lists them.
#ifndef MECHANISM_PART_TYPE_H
#define MECHANISM_PART_TYPE_H

#include "base/text.h"
#include "mechanism/builder.h"
#include "mechanism/part_table.h"
#include "schema/findings.h"
#include "schema/schema.h"

// Parts are built in this order: what comes first can be named by what comes later. It is also the order in
// which forces on a node are summed, so a change of it changes the last digits of results.
typedef enum PartOrder {
    PART_ORDER_NODES,
    PART_ORDER_BEAMS,
    PART_ORDER_BODIES,
    PART_ORDER_JOINTS,
    PART_ORDER_GEARS,
    PART_ORDER_FORCES,
    PART_ORDER_SPRINGS,
    PART_ORDERS,
} PartOrder;

// What a description may refer to beside the definition.
typedef struct PartContext {
    const Material *materials;
    int material_count;
    // The text that the user wrote as value of a key of NAME; NULL: it was not one plain value.
    const char *(*written)(const void *file, const char *list, const char *name, const char *key);
    const void *file;
} PartContext;

// What a check may refer to beside the definition, and where it reports.
typedef struct PartCheck {
    const MechanismDefinition *mechanism;
    const Material *materials;
    int material_count;
    double duration; // of the simulation [s]
    bool complete;   // no error so far; otherwise members that could not be read are zero
    const Findings *findings;
} PartCheck;

typedef struct PartType {
    SchemaObject schema; // keys of the model file
    const char *noun;    // of messages: "torsion spring"
    const char *plural;  // "torsion springs"
    PartOrder order;
    size_t ends; // offset of `const char *nodes[2]` in the definition, two ends that must differ; 0: none

    // Adds nodes and elements.
    MrcStatus (*build)(Builder *builder, const void *definition, MrcError *error);
    // Reports what the keys cannot say alone. That `ends` differ is checked for all types. NULL: nothing.
    void (*check)(const void *definition, const PartCheck *check);
    // Adds a sentence for `maraca check`. NULL: the part is not described.
    void (*describe)(const void *definition, const PartContext *context, Text *text);
} PartType;

#define PART_DECLARATION(type, definition, list, count, doc) extern const PartType type;
PART_TABLE(PART_DECLARATION)
#undef PART_DECLARATION

// A row of the table, to walk over the definitions of all parts.
typedef struct PartRow {
    const PartType *type;
    const char *key; // in the model file
    size_t size;     // of a definition
    size_t list_offset, count_offset;
} PartRow;

extern const PartRow part_rows[]; // ended by a row without type

int part_count(const MechanismDefinition *definition, const PartRow *row);
const void *part_at(const MechanismDefinition *definition, const PartRow *row, int i);
const char *part_name(const PartRow *row, const void *definition); // as the user gave it

// ---- keys that several parts have --------------------------------------------------------------------
#define PART_BETWEEN_KEY(type)                                                                               \
    {                                                                                                        \
        "between", NAMES(type, nodes[0], 2), .short_length = 1, .nodes = true, .required = true,             \
                                             .doc = "The two nodes; a lone one is tied to the ground."       \
    }

extern const SchemaObject node_attitude_schema;
#define PART_POSE_KEYS(type)                                                                                 \
    {"position", VECTOR(type, pose.position), .dimension = DIM_LENGTH, .fallback_words = "`0 0 0 m`",        \
     .doc = "Where its origin is at the start."},                                                            \
        {"rotation", OBJECT(type, pose, node_attitude_schema),                                               \
         .fallback_words = "axes along those of the world", .doc = "How its axes are turned at the start."}, \
        {"velocity", VECTOR(type, pose.velocity), .dimension = DIM_VELOCITY,                                 \
         .fallback_words = "`0 0 0 m/s`", .doc = "Velocity of its origin at the start."},                    \
    {                                                                                                        \
        "angular_velocity", VECTOR(type, pose.angular_velocity),                                             \
            .dimension = DIM_ANGULAR_VELOCITY, .fallback_words = "`0 0 0 rad/s`",                            \
            .doc = "Angular velocity at the start, in world axes."                                           \
    }

#define DIM_TURN_STIFFNESS DIMENSION(2, 1, -2, -1) // N m/rad
#define DIM_TURN_DAMPING DIMENSION(2, 1, -1, -1)   // N m s/rad

// "Spring mount: between box and the ground", the beginning of a description.
void part_describe_ends(Text *text, const char *title, const char *name, const char *const nodes[2]);

#endif
