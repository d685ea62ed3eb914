// The section `mechanism:` of the model file as plain structs. Filled by the model loader, read once when
// the mechanism is created.
//
// A node is named by its own name, by that of a body on it (a body without `node` has a node of its own), as
// `BEAM.start`, `BEAM.end`, `BEAM.0`, `BEAM.1` ..., or as `ground`.
#ifndef MECHANISM_DEFINITION_H
#define MECHANISM_DEFINITION_H

#include <stdint.h>

#include "math/expression.h"
#include "math/mat3.h"
#include "mechanism/joint_table.h"

typedef struct PoseDefinition { // at the start, world axes
    Vec3 position;              // [m]
    Vec3 axis;                  // of a turn by `angle`, unit; zero: not turned
    double angle;               // [rad]
    Vec3 velocity;              // [m/s]
    Vec3 angular_velocity;      // [rad/s]
} PoseDefinition;

typedef struct NodeDefinition {
    const char *name;
    PoseDefinition pose;
} NodeDefinition;

typedef struct BodyDefinition {
    const char *name;
    const char *node;    // that carries it; NULL: a node of its own, of the same name, at `pose`
    PoseDefinition pose; // of its own node
    double mass;         // [kg]
    double inertia[6];   // about the centre of mass, node axes: xx, yy, zz, xy, yz, zx [kg m^2]
    Vec3 center;         // of mass, from the node's origin, node axes [m]
} BodyDefinition;

typedef enum SectionKind { SECTION_RECTANGLE, SECTION_CIRCLE, SECTION_TUBE, SECTION_GIVEN } SectionKind;

// Section axes: x along the beam, y and z across.
typedef struct SectionDefinition {
    SectionKind kind;
    double width, height;                 // rectangle: along z and along y [m]
    double radius, inner_radius;          // circle, tube [m]
    double axial, shear_y, shear_z;       // given: EA, GAy, GAz [N]
    double torsion, bending_y, bending_z; // given: GJ, EIy, EIz [N m^2]
    double mass;                          // given: per length [kg/m]
    double inertia[3];                    // given: of rotation per length about x, y, z [kg m]
    double center[2];                     // of the reference line from the line of the nodes: y, z [m]
} SectionDefinition;

typedef struct BeamDefinition {
    const char *name;
    Vec3 from, to; // [m]
    Vec3 middle;   // a third point: the beam is the arc through the three; with `curved` [m]
    bool curved;
    Vec3 up;          // direction of the section's y axis; zero: the world's y, or x for an upright beam
    int64_t elements; // three-node elements
    SectionDefinition section;
    const char *material; // name; NULL with a given section
    const Expression
        *damping;  // stiffness-proportional: stress = E (strain + damping(t) d strain/dt) [s]; NULL: none
    Vec3 velocity; // at the start: of the first node [m/s]
    Vec3 angular_velocity; // of the whole beam as a rigid body, about its first node [rad/s]
} BeamDefinition;

// A joint keeps the second marker in place relative to the first. The joint's axes (z is `axis`) are fixed
// to the first node.
typedef struct JointDefinition {
    const char *name;
    JointKind kind;       // row of joint_table.h
    const char *nodes[2]; // the second may be NULL: the joint is between `ground` and nodes[0]
    Vec3 at;              // where, at the start, world axes [m]; with `has_at`
    bool has_at;          // otherwise at the origin of the second (or only) node
    Vec3 offsets[2]; // instead of `at`: the points on the two nodes, in node axes [m]; with `has_offsets`.
                     // In the order of the names: with a single name the second is a point of the world
    bool has_offsets;
    Vec3 axis;        // the joint's z axis at the start, world axes, unit; zero: world z
    Vec3 second_axis; // the joint's x axis, made square to `axis`; zero: any
    // Driven components, functions of time; NULL: kept at zero. Only components that the joint keeps, or that
    // its type lets be driven. Several driven angles are the components of one rotation vector.
    const Expression *position[3]; // along the joint's axes [m]
    const Expression *angle[3];    // about the joint's axes [rad]
    const Expression *speed[3];    // [m/s], integrated from 0
    const Expression *rate[3];     // [rad/s], integrated from 0
    // Only for some types
    bool translations[3], rotations[3];  // general: kept along and about the joint's x, y, z
    const Expression *distance;          // distance: function of time [m]; NULL: `length`
    double length;                       // distance: [m]; 0: as at the start
    double parameters[JOINT_PARAMETERS]; // others: meaning and unit in the file of the type
} JointDefinition;

// Expressions may use t and signals of nodes (node_signal_kinds in names.c).
typedef struct ForceDefinition {
    const char *name;
    const char *at;              // node
    Vec3 offset;                 // point of application, node axes [m]
    const Expression *force[3];  // [N]; NULL: 0
    const Expression *moment[3]; // [N m]; NULL: 0
    bool follower;               // components are in node axes
} ForceDefinition;

// Along the line between two points: tension = preload + stiffness (length - rest) + damping d(length)/dt.
typedef struct SpringDefinition {
    const char *name;
    const char *nodes[2];            // the second may be NULL: ground
    Vec3 offsets[2];                 // node axes [m]
    double stiffness;                // [N/m]
    double damping;                  // [N s/m]
    double length;                   // at rest [m]; negative: as at the start
    const Expression *driven_length; // likewise as a function of time: an actuator; NULL: constant
    double preload;                  // [N]
} SpringDefinition;

// A point of a limit of force over speed.
typedef struct ActuatorPoint {
    double speed; // [m/s, rad/s]
    double force; // [N, N m]
} ActuatorPoint;

// A moment about an axis fixed to the first node. With a single name the first is the ground.
typedef struct MotorDefinition {
    const char *name;
    const char *nodes[2];
    Vec3 axis; // world axes at the start, unit
    ActuatorPoint *curve;
    int curve_count;
    const Expression *command, *angle; // one of them
    double gain, rate_gain;            // [N m/rad], [N m s/rad]
} MotorDefinition;

typedef struct CylinderDefinition {
    const char *name;
    const char *nodes[2]; // the second may be NULL: ground
    Vec3 offsets[2];      // node axes [m]
    const Expression *length;
    double pressure;        // [Pa]
    double piston, rod;     // diameters [m]
    double flow;            // [m^3/s]; 0: any
    double gain, rate_gain; // [N/m], [N s/m]
} CylinderDefinition;

// About an axis fixed to the first node, with the turn of the second counted over full turns: moment =
// preload + stiffness (turn - angle) + damping d(turn)/dt, against the turn. With a single name the first
// is the ground.
typedef struct TorsionSpringDefinition {
    const char *name;
    const char *nodes[2];
    Vec3 axis;        // world axes at the start, unit
    double stiffness; // [N m/rad]
    double damping;   // [N m s/rad]
    double angle;     // at rest [rad], from the start
    double preload;   // [N m]
} TorsionSpringDefinition;

// Forces and moments = preload + stiffness deflection + damping d(deflection)/dt along and about axes fixed
// to the first node, against the deflection of the second. With a single name the first is the ground.
typedef struct BushingDefinition {
    const char *name;
    const char *nodes[2];
    Vec3 at; // at the start, world axes [m]
    bool has_at;
    Vec3 axis, second_axis;                                // as for joints
    double stiffness[3], damping[3];                       // along x, y, z [N/m, N s/m]
    double rotational_stiffness[3], rotational_damping[3]; // [N m/rad, N m s/rad]
    double preload[3], moment_preload[3];                  // [N, N m]
} BushingDefinition;

// Ties the motions of two joints (gear.c).
typedef struct GearDefinition {
    const char *name;
    const char *joints[2];
    int type;        // gear, belt or rack
    double ratio;    // turns of the first per turn of the second; 0: by radii
    double radii[2]; // [m]; 0: by ratio
    bool inside;     // the second wheel has its teeth inside
} GearDefinition;

typedef enum MechanismStart { START_GIVEN, START_EQUILIBRIUM } MechanismStart;
typedef enum MechanismFormulation { FORMULATION_ABSOLUTE, FORMULATION_RELATIVE } MechanismFormulation;

typedef struct IntegratorDefinition {
    double rho_inf;     // spectral radius at infinity, 0 to 1
    double tolerance;   // of Newton's iteration, relative
    int64_t iterations; // at most
} IntegratorDefinition;

// A signal in the scope that expressions of forces were compiled in. Filled by the loader.
typedef struct NodeSignal {
    const char *node; // name
    int component;    // 0-2: x y z; 3-5: rotation vector from the start; 6-8: vx vy vz; 9-11: wx wy wz
} NodeSignal;

typedef struct MechanismDefinition {
    IntegratorDefinition integrator;
    MechanismStart start;
    MechanismFormulation formulation;
    const char **cut; // relative: joints that close loops
    int cut_count;
    const char **independent; // relative: coordinates (tree_build.c)
    int independent_count;
    NodeDefinition *nodes;
    int node_count;
    BodyDefinition *bodies;
    int body_count;
    BeamDefinition *beams;
    int beam_count;
    JointDefinition *joints;
    int joint_count;
    GearDefinition *gears;
    int gear_count;
    ForceDefinition *forces;
    int force_count;
    SpringDefinition *springs;
    int spring_count;
    TorsionSpringDefinition *torsion_springs;
    int torsion_spring_count;
    MotorDefinition *motors;
    int motor_count;
    CylinderDefinition *cylinders;
    int cylinder_count;
    BushingDefinition *bushings;
    int bushing_count;
    NodeSignal *signals;
    int signal_count;
} MechanismDefinition;

#endif
