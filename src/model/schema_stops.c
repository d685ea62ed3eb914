// stops
#include "model/schema_sections.h"
#include "partner/stops.h"

static const SchemaKey point_keys[] = {
    {"at", VECTOR(StopPoint, at), .dimension = DIM_LENGTH, .required = true, .doc = "Where it is."},
};

static const SchemaObject point = {
    .name = "point",
    .doc = "A point, in the axes of the port.",
    .size = sizeof(StopPoint),
    .bare = true,
    SCHEMA_KEYS(point_keys),
};

static const SchemaKey stop_keys[] = {
    {"port", NAME(StopDefinition, port), .refers = "ports", .nodes = true, .required = true,
     .doc = "The port, body or node that carries the points."},
    {"points", LIST(StopDefinition, points, point_count, point), .required = true,
     .doc = "The points, in the axes of the port: the corners of a slider, the feet of a machine."},
    {"radius", QUANTITY(StopDefinition, radius), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Of a ball about each point."},
    {"wall", SINGLE(StopDefinition, walls, wall_count, schema_wall),
     .doc =
         "The one wall that they touch; on the ground unless it names a port. Its material has no effect."},
    {"walls", MAP(StopDefinition, walls, wall_count, schema_wall), .doc = "Several walls, by name."},
    {"friction", QUANTITY(StopDefinition, friction), .range = NON_NEGATIVE, .fallback = "0",
     .doc = "Coefficient of friction."},
    {"restitution", QUANTITY(StopDefinition, restitution), .range = FROM_TO(0, 1), .fallback = "0",
     .doc = "Speed after over speed before an impact."},
};

const SchemaObject schema_stop = {
    .name = "stop",
    .doc = "Points of the mechanism that touch walls of other ports or of the ground: clearances, end stops, "
           "feet. "
           "Rigid contacts, solved with the schemes `condensed` and `monolithic`.",
    .size = sizeof(StopDefinition),
    .name_offset = offsetof(StopDefinition, name),
    SCHEMA_KEYS(stop_keys),
    .exactly_one = {"wall walls"},
    .example =
        "stops:\n"
        "  guide:\n"
        "    port: slider\n"
        "    points: [-50 25 0 mm, 50 25 0 mm, -50 -25 0 mm, 50 -25 0 mm]\n"
        "    walls: {top: {plane: {point: 0 26 0 mm, normal: -y}}, bottom: {plane: {point: 0 -26 0 mm, "
        "normal: y}}}\n"
        "    restitution: 0.4\n",
};
