// Walls. A new kind of wall is one table here and one row in `alternatives`.
#include "grains/definition.h"
#include "model/schema.h"

static const SchemaKey plane_keys[] = {
    {"point", VECTOR(WallPlane, point), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "A point of the plane."},
    {"normal", AXIS(WallPlane, normal), .required = true, .doc = "Direction into the room of the grains."},
};
static const SchemaObject plane = {.name = "plane",
                                   .doc = "An endless plane with grains on one side.",
                                   .size = sizeof(WallPlane),
                                   SCHEMA_KEYS(plane_keys)};

static const SchemaKey box_keys[] = {
    {"size", VECTOR(WallBox, size), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner lengths along x, y and z of the port."},
    {"center", VECTOR(WallBox, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the box."},
};
static const SchemaObject box = {
    .name = "box", .doc = "A closed box with grains inside.", .size = sizeof(WallBox), SCHEMA_KEYS(box_keys)};

static const SchemaKey cylinder_keys[] = {
    {"radius", QUANTITY(WallCylinder, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius."},
    {"height", QUANTITY(WallCylinder, height), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner distance between the two flat ends."},
    {"axis", AXIS(WallCylinder, axis), .fallback = "z", .doc = "Direction of the cylinder's axis."},
    {"center", VECTOR(WallCylinder, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
};
static const SchemaObject cylinder = {.name = "cylinder",
                                      .doc = "A closed cylinder with flat ends and grains inside.",
                                      .size = sizeof(WallCylinder),
                                      SCHEMA_KEYS(cylinder_keys)};

static const SchemaKey sphere_keys[] = {
    {"radius", QUANTITY(WallSphere, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius."},
    {"center", VECTOR(WallSphere, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the sphere."},
};
static const SchemaObject sphere = {.name = "sphere",
                                    .doc = "A hollow sphere with grains inside.",
                                    .size = sizeof(WallSphere),
                                    SCHEMA_KEYS(sphere_keys)};

static const SchemaAlternative alternatives[] = {
    {"plane", WALL_PLANE, offsetof(WallDefinition, shape.plane), &plane, "An endless plane."},
    {"box", WALL_BOX, offsetof(WallDefinition, shape.box), &box, "A closed box."},
    {"cylinder", WALL_CYLINDER, offsetof(WallDefinition, shape.cylinder), &cylinder, "A closed cylinder."},
    {"sphere", WALL_SPHERE, offsetof(WallDefinition, shape.sphere), &sphere, "A hollow sphere."},
    {NULL, 0, 0, NULL, NULL},
};

static const SchemaKey keys[] = {
    {"material", NAME(WallDefinition, material), .refers = "materials",
     .fallback_words = "that of the grains", .doc = "What the wall is made of."},
    {"port", NAME(WallDefinition, port), .refers = "ports", .fallback_words = "that of the bed of grains",
     .doc = "The port that carries this wall; its shape is given in the port's axes."},
};

const SchemaObject schema_wall = {
    .name = "wall",
    .doc = "A surface that grains touch: a shape, and what it is made of.",
    .size = sizeof(WallDefinition),
    .name_offset = offsetof(WallDefinition, name),
    SCHEMA_KEYS(keys),
    .alternatives = alternatives,
    .tag_offset = SCHEMA_ENUM_AT(WallDefinition, shape.kind),
    .example = "wall: {cylinder: {radius: 10 mm, height: 11.84 mm, axis: y}, material: steel}\n",
};
