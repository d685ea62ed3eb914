// mechanism: its nodes, bodies, integrator. Beams are in schema_beams.c, joints in schema_joints.c, forces,
// springs and bushings in schema_forces.c.
#include "mechanism/definition.h"
#include "model/schema_sections.h"

// ---- where something is at the start -------------------------------------------------------------
static const SchemaKey attitude_keys[] = {
    {"axis", AXIS(PoseDefinition, axis), .required = true, .doc = "Axis of the turn, in world axes."},
    {"angle", QUANTITY(PoseDefinition, angle), .dimension = DIM_ANGLE, .required = true,
     .doc = "Angle about the axis."},
};

static const SchemaObject attitude = {
    .name = "attitude",
    .doc = "A turn from the world's axes to the axes of a node at the start.",
    .size = sizeof(PoseDefinition),
    SCHEMA_KEYS(attitude_keys),
    .example = "rotation: {axis: z, angle: 30 deg}\n",
};

#define POSE_ROWS(type)                                                                                      \
    {"position", VECTOR(type, pose.position), .dimension = DIM_LENGTH, .fallback_words = "`0 0 0 m`",        \
     .doc = "Where its origin is at the start."},                                                            \
        {"rotation", OBJECT(type, pose, attitude), .fallback_words = "axes along those of the world",        \
         .doc = "How its axes are turned at the start."},                                                    \
        {"velocity", VECTOR(type, pose.velocity), .dimension = DIM_VELOCITY,                                 \
         .fallback_words = "`0 0 0 m/s`", .doc = "Velocity of its origin at the start."},                    \
    {                                                                                                        \
        "angular_velocity", VECTOR(type, pose.angular_velocity),                                             \
            .dimension = DIM_ANGULAR_VELOCITY, .fallback_words = "`0 0 0 rad/s`",                            \
            .doc = "Angular velocity at the start, in world axes."                                           \
    }

// ---- nodes and bodies ----------------------------------------------------------------------------
static const SchemaKey node_keys[] = {POSE_ROWS(NodeDefinition)};

static const SchemaObject node = {
    .name = "node",
    .doc = "A frame of the mechanism that can move and turn. Bodies bring their own node and beams make "
           "theirs (`BEAM.start`, `BEAM.end`, `BEAM.0`, `BEAM.1` ...); further ones are rarely needed.",
    .size = sizeof(NodeDefinition),
    .name_offset = offsetof(NodeDefinition, name),
    SCHEMA_KEYS(node_keys),
};

static const SchemaKey body_keys[] = {
    {"node", NAME(BodyDefinition, node), .nodes = true, .fallback_words = "a node of its own, of its name",
     .doc = "The node that carries it, such as the end of a beam; several bodies may ride on one."},
    {"mass", QUANTITY(BodyDefinition, mass), .dimension = DIM_MASS, .range = POSITIVE, .required = true,
     .doc = "Its mass."},
    {"inertia", NUMBERS(BodyDefinition, inertia, 6), .short_length = 3, .dimension = DIM_INERTIA,
     .fallback_words = "none: a point",
     .doc =
         "Moments of inertia about the centre of mass in the axes of the node: xx yy zz, or xx yy zz xy yz "
         "zx, the last three as elements of the matrix."},
    {"center", VECTOR(BodyDefinition, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Centre of mass, from the node's origin and in its axes."},
    POSE_ROWS(BodyDefinition),
};

static const SchemaObject body = {
    .name = "body",
    .doc = "A rigid body: mass and inertia, on a node of its own or carried by another one.",
    .size = sizeof(BodyDefinition),
    .name_offset = offsetof(BodyDefinition, name),
    SCHEMA_KEYS(body_keys),
    .at_most_one = {"node position", "node rotation", "node velocity", "node angular_velocity"},
    .example = "bodies:\n"
               "  bob: {position: 0 -1 0 m, mass: 2 kg, inertia: 5 5 5 g*m^2}\n"
               "  shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}\n",
};

// ---- the integrator ------------------------------------------------------------------------------
static const SchemaKey integrator_keys[] = {
    {"rho_inf", QUANTITY(IntegratorDefinition, rho_inf), .range = FROM_TO(0, 1), .fallback = "0.6",
     .doc = "What a step leaves of vibrations far too fast for it: 1 keeps them, 0 removes them at once."},
    {"tolerance", QUANTITY(IntegratorDefinition, tolerance), .range = BETWEEN(0, 1), .fallback = "1e-6",
     .doc = "How exactly Newton's iteration solves a step, relative."},
    {"iterations", INTEGER(IntegratorDefinition, iterations), .range = FROM_TO(1, 1000), .fallback = "20",
     .doc = "Newton iterations after which a step is taken back and tried shorter."},
};

static const SchemaObject integrator = {
    .name = "integrator",
    .doc = "How the mechanism is carried from one step to the next: a two-step method of second order whose "
           "dissipation is chosen.",
    .size = sizeof(IntegratorDefinition),
    SCHEMA_KEYS(integrator_keys),
    .example = "integrator: {rho_inf: 0.6}\n",
};

// ---- the whole -----------------------------------------------------------------------------------
static const SchemaChoice starts[] = {
    {"given", START_GIVEN, "as it is written, once joints are closed with the smallest change"},
    {"equilibrium", START_EQUILIBRIUM,
     "where all forces at t = 0 balance while nothing moves; velocities are then as written"},
    {NULL, 0, NULL},
};

static const SchemaKey keys[] = {
    {"integrator", OBJECT(MechanismDefinition, integrator, integrator), .fallback = "{}",
     .doc = "How time goes on."},
    {"start", CHOICE(MechanismDefinition, start, starts), .fallback = "given", .doc = "How the run begins."},
    {"nodes", MAP(MechanismDefinition, nodes, node_count, node), .doc = "Frames that can move, by name."},
    {"bodies", MAP(MechanismDefinition, bodies, body_count, body), .doc = "Rigid bodies, by name."},
    {"beams", MAP(MechanismDefinition, beams, beam_count, schema_beam), .doc = "Flexible beams, by name."},
    {"joints", MAP(MechanismDefinition, joints, joint_count, schema_joint),
     .doc = "What holds nodes together or to the ground, by name."},
    {"springs", MAP(MechanismDefinition, springs, spring_count, schema_spring),
     .doc = "Springs and dampers between two points, by name."},
    {"torsion_springs",
     MAP(MechanismDefinition, torsion_springs, torsion_spring_count, schema_torsion_spring),
     .doc = "Springs and dampers about an axis, by name."},
    {"bushings", MAP(MechanismDefinition, bushings, bushing_count, schema_bushing),
     .doc = "Springs and dampers along and about three axes, by name."},
    {"forces", MAP(MechanismDefinition, forces, force_count, schema_force),
     .doc = "Forces and moments on nodes, by name."},
};

const SchemaObject schema_mechanism = {
    .name = "mechanism",
    .doc = "Rigid bodies and flexible beams, joints, springs and forces. A node is named by its own name, by "
           "that of a body on it, or as a node of a beam (`arm.start`, `arm.end`, `arm.3`); `ground` never "
           "moves.",
    .size = sizeof(MechanismDefinition),
    SCHEMA_KEYS(keys),
    .example = "mechanism:\n"
               "  integrator: {rho_inf: 0.6}\n"
               "  beams:\n"
               "    arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 10, section: {rectangle: 30 2 mm}, "
               "material: steel}\n"
               "  bodies:\n"
               "    shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}\n"
               "  joints:\n"
               "    root: {clamp: arm.start}\n"
               "  forces:\n"
               "    shaker: {at: arm.end, force: [0, 0.25 N*sin(2*pi*15.5 Hz*t), 0]}\n",
};
