// ports
#include "model/schema_sections.h"
#include "partner/port_definition.h"

static const SchemaKey rotation_keys[] = {
    {"axis", AXIS(PortDefinition, axis), .required = true,
     .doc = "Axis of the rotation through the port's origin, in world axes."},
    {"angle", EXPRESSION(PortDefinition, angle), .dimension = DIM_ANGLE, .required = true,
     .doc = "Angle about the axis, as a function of the time t."},
};

static const SchemaObject rotation = {
    .name = "rotation",
    .doc = "A turn about a fixed axis.",
    .size = sizeof(PortDefinition),
    SCHEMA_KEYS(rotation_keys),
    .example = "rotation: {axis: z, angle: 5 deg*sin(2*pi*2 Hz*t)}\n",
};

static const SchemaKey mount_keys[] = {
    {"axis", AXIS(PortDefinition, mount_axis), .required = true,
     .doc = "Axis of the turn, in the node's axes."},
    {"angle", QUANTITY(PortDefinition, mount_angle), .dimension = DIM_ANGLE, .required = true,
     .doc = "Angle about the axis."},
};

static const SchemaObject mount = {
    .name = "mount",
    .doc = "How a port sits on its node.",
    .size = sizeof(PortDefinition),
    SCHEMA_KEYS(mount_keys),
    .example = "mount: {axis: z, angle: 90 deg}\n",
};

static const SchemaKey port_keys[] = {
    {"node", NAME(PortDefinition, node), .nodes = true, .fallback_words = "none: the motion is prescribed",
     .doc = "The node or body of the mechanism that carries the port; `position` and `rotation` then mean "
            "nothing."},
    {"partner", TEXT(PortDefinition, partner), .fallback_words = "none",
     .doc =
         "A partner that moves the port, of the section `partners` or of the program that uses the library "
         "(maraca/partner.h); `position` and `rotation` then mean nothing."},
    {"offset", VECTOR(PortDefinition, offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Of the port's origin from the node's, in the node's axes."},
    {"mount", OBJECT_HERE(mount), .fallback_words = "as the node",
     .doc = "How the port is turned against its node."},
    {"container", OBJECT(PortDefinition, container, schema_container),
     .fallback_words = "all mass is the mechanism's",
     .doc = "A container with a mass of its own on the grains' side."},
    {"position", EXPRESSIONS(PortDefinition, position), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Where the port's origin is, as a function of the time t. Velocity and acceleration follow from "
            "it."},
    {"rotation", OBJECT_HERE(rotation), .fallback = "{axis: z, angle: 0 rad}",
     .doc = "How the port is turned, as a function of the time t."},
};

const SchemaObject schema_port = {
    .name = "port",
    .doc = "A frame with a given motion. It carries walls; the grains push on it.",
    .size = sizeof(PortDefinition),
    .name_offset = offsetof(PortDefinition, name),
    SCHEMA_KEYS(port_keys),
    .at_most_one = {"node partner"},
    .example = "ports:\n"
               "  box:\n"
               "    position: [2 mm*sin(2*pi*15.5 Hz*t), 0, 0]\n",
};
