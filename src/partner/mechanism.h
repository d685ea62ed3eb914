// The mechanism as a partner: a driver whose ports ride on nodes.
#ifndef PARTNER_MECHANISM_H
#define PARTNER_MECHANISM_H

#include "base/log.h"
#include "mechanism/actuator.h"
#include "mechanism/mechanism.h"
#include "partner/partner.h"

// A line in frames between two points that ride on nodes (-1: the ground).
typedef struct MechanismStick {
    int nodes[2];
    Vec3 offsets[2]; // node axes [m]
} MechanismStick;

// A point that rides on a node (-1: the ground).
typedef struct MechanismPlace {
    int node;
    Vec3 offset; // node axes [m]
} MechanismPlace;

// What is recorded of a node, in the order of node_signal_kinds (mechanism/names.h).
typedef struct NodeValues {
    Vec3 position;     // [m]
    Vec3 rotation;     // rotation vector from the axes as written [rad]
    Vec3 velocity;     // [m/s]
    Vec3 spin;         // angular velocity [rad/s]
    Vec3 acceleration; // [m/s^2]
} NodeValues;

typedef struct MechanismPartner {
    Mechanism *mechanism;
    const MechanismDefinition *definition;
    int *named; // node of each name, in the order of names_list
    size_t named_count;
    int *joints; // index of each joint of the definition
    Mat3 *start; // orientations of all nodes as they are written
    MechanismStick *sticks;
    size_t stick_count;
    MechanismPlace *joint_places;         // of each joint of the definition, on its second node
    NodeValues *values;                   // per name, as last measured
    Load *reactions;                      // per joint, likewise
    struct JointValues *joint_values;     // per joint, likewise
    struct SpringValues *springs;         // per spring, likewise
    struct SpringValues *torsion_springs; // likewise
    struct ForceValues *forces;           // likewise
    ActuatorValues *motors, *cylinders;   // likewise
} MechanismPartner;

MrcStatus mechanism_partner_create(const MechanismDefinition *definition, const MechanismSetting *setting,
                                   Arena *arena, MechanismPartner **partner, MrcError *error);

extern const PartnerType partner_mechanism;

// A vibration of the mechanism as one frame: nodes moved by `shift` and turned by `turn`.
MrcStatus mechanism_partner_shape(const MechanismPartner *partner, const Vec3 *shift, const Vec3 *turn,
                                  FrameList *list, MrcError *error);

#endif
