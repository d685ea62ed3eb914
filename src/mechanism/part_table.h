// The parts of a mechanism, one row each, in the order of the reference page: PartType, struct of the
// definition, list and counter in MechanismDefinition, sentence of the reference page. The key in the model
// file is the name of the list. A new part is a file with its PartType, a struct and a list in
// definition.h, and a row here.
#ifndef MECHANISM_PART_TABLE_H
#define MECHANISM_PART_TABLE_H

// clang-format off
#define PART_TABLE(ROW)                                                                         \
    ROW(node_part, NodeDefinition, nodes, node_count,                                           \
        "Frames that can move, by name.")                                                       \
    ROW(body_part, BodyDefinition, bodies, body_count,                                          \
        "Rigid bodies, by name.")                                                               \
    ROW(beam_part, BeamDefinition, beams, beam_count,                                           \
        "Flexible beams, by name.")                                                             \
    ROW(joint_part, JointDefinition, joints, joint_count,                                       \
        "What holds nodes together or to the ground, by name.")                                 \
    ROW(gear_part, GearDefinition, gears, gear_count,                                           \
        "Gears, belts and racks between joints, by name.")                                      \
    ROW(spring_part, SpringDefinition, springs, spring_count,                                   \
        "Springs and dampers between two points, by name.")                                     \
    ROW(torsion_spring_part, TorsionSpringDefinition, torsion_springs, torsion_spring_count,    \
        "Springs and dampers about an axis, by name.")                                          \
    ROW(bushing_part, BushingDefinition, bushings, bushing_count,                               \
        "Springs and dampers along and about three axes, by name.")                             \
    ROW(motor_part, MotorDefinition, motors, motor_count,                                       \
        "Motors about an axis, by name.")                                                       \
    ROW(cylinder_part, CylinderDefinition, cylinders, cylinder_count,                           \
        "Hydraulic cylinders between two points, by name.")                                     \
    ROW(force_part, ForceDefinition, forces, force_count,                                       \
        "Forces and moments on nodes, by name.")
// clang-format on

#endif
