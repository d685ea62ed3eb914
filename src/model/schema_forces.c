// mechanism.forces, springs, torsion_springs and bushings
#include "mechanism/definition.h"
#include "model/schema_sections.h"

#define DIM_TURN_STIFFNESS DIMENSION(2, 1, -2, -1) // N m/rad
#define DIM_TURN_DAMPING DIMENSION(2, 1, -1, -1)   // N m s/rad

static const SchemaKey force_keys[] = {
    {"at", NAME(ForceDefinition, at), .nodes = true, .required = true, .doc = "The node that it acts on."},
    {"offset", VECTOR(ForceDefinition, offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "The point that it acts on, from the node's origin and in its axes."},
    {"force", EXPRESSIONS(ForceDefinition, force), .signals = true, .dimension = DIM_FORCE,
     .fallback_words = "none", .doc = "The force, in world axes."},
    {"moment", EXPRESSIONS(ForceDefinition, moment), .signals = true, .dimension = DIM_MOMENT,
     .fallback_words = "none", .doc = "The moment, in world axes."},
    {"follower", BOOLEAN(ForceDefinition, follower), .fallback = "false",
     .doc = "Force and moment are in the axes of the node and turn with it."},
};

const SchemaObject schema_force = {
    .name = "force",
    .doc = "A force and a moment on a node. They may use the time `t` and signals of nodes: `NODE.x`, `.y`, "
           "`.z`, `.vx`, `.vy`, `.vz`, the rotation vector `.rx`, `.ry`, `.rz` (from how the node is "
           "written, up "
           "to half a turn; torsion springs count turns) and the angular velocity `.wx`, `.wy`, `.wz`.",
    .size = sizeof(ForceDefinition),
    .name_offset = offsetof(ForceDefinition, name),
    SCHEMA_KEYS(force_keys),
    .example = "forces:\n"
               "  shaker: {at: arm.end, force: [0, 0.25 N*sin(2*pi*15.5 Hz*t), 0]}\n"
               "  spring: {at: support, force: [0, -K*(support.y - y0) - C*support.vy, 0]}\n",
};

// ---- springs -------------------------------------------------------------------------------------
#define BETWEEN_ROW(type)                                                                                    \
    {                                                                                                        \
        "between", NAMES(type, nodes[0], 2), .short_length = 1, .nodes = true, .required = true,             \
                                             .doc = "The two nodes; a lone one is tied to the ground."       \
    }

static const SchemaKey spring_keys[] = {
    BETWEEN_ROW(SpringDefinition),
    {"offsets", VECTORS(SpringDefinition, offsets, 2), .dimension = DIM_LENGTH,
     .fallback_words = "at the origins",
     .doc = "The points it is fixed to, each in the axes of its node; for a lone node the second one is a "
            "point of the world."},
    {"stiffness", QUANTITY(SpringDefinition, stiffness), .dimension = DIM_STIFFNESS, .range = NON_NEGATIVE,
     .fallback = "0 N/m", .doc = "Force per change of length."},
    {"damping", QUANTITY(SpringDefinition, damping), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 N*s/m", .doc = "Force per rate of change of length."},
    {"length", QUANTITY(SpringDefinition, length), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .absent = -1, .fallback_words = "as at the start",
     .doc = "Length at which the spring is without force."},
    {"preload", QUANTITY(SpringDefinition, preload), .dimension = DIM_FORCE, .fallback = "0 N",
     .doc = "A constant tension that is added."},
};

const SchemaObject schema_spring = {
    .name = "spring",
    .doc = "A spring and a damper along the line between two points.",
    .size = sizeof(SpringDefinition),
    .name_offset = offsetof(SpringDefinition, name),
    SCHEMA_KEYS(spring_keys),
    .example = "springs:\n"
               "  mount: {between: box, offsets: [0 0 0 m, 0 1 0 m], stiffness: 5 kN/m, damping: 10 N*s/m}\n",
};

static const SchemaKey torsion_keys[] = {
    BETWEEN_ROW(TorsionSpringDefinition),
    {"axis", AXIS(TorsionSpringDefinition, axis), .fallback = "z",
     .doc = "Its axis at the start, in world axes; it rides on the first node."},
    {"stiffness", QUANTITY(TorsionSpringDefinition, stiffness), .dimension = DIM_TURN_STIFFNESS,
     .range = NON_NEGATIVE, .fallback = "0 N*m/rad", .doc = "Moment per angle."},
    {"damping", QUANTITY(TorsionSpringDefinition, damping), .dimension = DIM_TURN_DAMPING,
     .range = NON_NEGATIVE, .fallback = "0 N*m*s/rad", .doc = "Moment per angular velocity."},
    {"angle", QUANTITY(TorsionSpringDefinition, angle), .dimension = DIM_ANGLE, .fallback = "0 rad",
     .doc = "Angle at which the spring is without moment, from the start."},
    {"preload", QUANTITY(TorsionSpringDefinition, preload), .dimension = DIM_MOMENT, .fallback = "0 N*m",
     .doc = "A constant moment that is added."},
};

const SchemaObject schema_torsion_spring = {
    .name = "torsion_spring",
    .doc = "A spring and a damper about an axis; it counts full turns.",
    .size = sizeof(TorsionSpringDefinition),
    .name_offset = offsetof(TorsionSpringDefinition, name),
    SCHEMA_KEYS(torsion_keys),
    .example = "torsion_springs:\n"
               "  hinge: {between: [base, arm], axis: z, stiffness: 40 N*m/deg}\n",
};

static const SchemaKey bushing_keys[] = {
    BETWEEN_ROW(BushingDefinition),
    {"at", VECTOR(BushingDefinition, at), .dimension = DIM_LENGTH, GIVEN(BushingDefinition, has_at),
     .fallback_words = "at the second node, or the lone one",
     .doc = "Where it is at the start, in world axes."},
    {"axis", AXIS(BushingDefinition, axis), .fallback_words = "`z`",
     .doc = "Its z axis at the start, in world axes; it rides on the first node."},
    {"second_axis", AXIS(BushingDefinition, second_axis), .fallback_words = "any",
     .doc = "Its x axis at the start, made square to `axis`."},
    {"stiffness", NUMBERS(BushingDefinition, stiffness, 3), .dimension = DIM_STIFFNESS, .range = NON_NEGATIVE,
     .fallback = "0 0 0 N/m", .doc = "Force per displacement along its x, y and z."},
    {"damping", NUMBERS(BushingDefinition, damping, 3), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 0 0 N*s/m", .doc = "Force per velocity along its x, y and z."},
    {"rotational_stiffness", NUMBERS(BushingDefinition, rotational_stiffness, 3),
     .dimension = DIM_TURN_STIFFNESS, .range = NON_NEGATIVE, .fallback = "0 0 0 N*m/rad",
     .doc = "Moment per angle about its x, y and z."},
    {"rotational_damping", NUMBERS(BushingDefinition, rotational_damping, 3), .dimension = DIM_TURN_DAMPING,
     .range = NON_NEGATIVE, .fallback = "0 0 0 N*m*s/rad",
     .doc = "Moment per angular velocity about its x, y and z."},
    {"preload", NUMBERS(BushingDefinition, preload, 3), .dimension = DIM_FORCE, .fallback = "0 0 0 N",
     .doc = "A constant force that is added."},
    {"moment_preload", NUMBERS(BushingDefinition, moment_preload, 3), .dimension = DIM_MOMENT,
     .fallback = "0 0 0 N*m", .doc = "A constant moment that is added."},
};

const SchemaObject schema_bushing = {
    .name = "bushing",
    .doc = "Springs and dampers along and about three axes at one point.",
    .size = sizeof(BushingDefinition),
    .name_offset = offsetof(BushingDefinition, name),
    SCHEMA_KEYS(bushing_keys),
    .example = "bushings:\n"
               "  mount: {between: [frame, engine], stiffness: 1 1 2 kN/mm, rotational_stiffness: 5 5 0 "
               "kN*m/rad}\n",
};
