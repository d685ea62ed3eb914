// Walls: their material and the port that carries them. The kinds are in src/geometry/wall_NAME.c.
#include "grains/definition.h"
#include "model/schema_sections.h"

static const SchemaKey wall_keys[] = {
    {"material", NAME(WallDefinition, material), .refers = "materials",
     .fallback_words = "that of the grains", .doc = "What the wall is made of."},
    {"port", NAME(WallDefinition, port), .refers = "ports", .nodes = true,
     .fallback_words = "that of the bed of grains",
     .doc = "The port, body or node that carries this wall; its shape is given in the port's axes."},
    {"surface_velocity", VECTOR(WallDefinition, surface_velocity), .dimension = DIM_VELOCITY,
     .fallback = "0 0 0 m/s",
     .doc = "Velocity of the surface along itself, in the port's axes: a belt. The wall stays where it is; "
            "what the belt "
            "does is work of the drives."},
};

const SchemaObject schema_wall = {
    .name = "wall",
    .doc = "A surface that grains touch: a shape, and what it is made of.",
    .size = sizeof(WallDefinition),
    .name_offset = offsetof(WallDefinition, name),
    SCHEMA_KEYS(wall_keys),
    .types = wall_schema_types,
    .types_offset = offsetof(WallDefinition, shape.definition),
    .tag_offset = SCHEMA_ENUM_AT(WallDefinition, shape.kind),
    .example = "wall: {cylinder: {radius: 10 mm, height: 11.84 mm, axis: y}, material: steel}\n",
};
