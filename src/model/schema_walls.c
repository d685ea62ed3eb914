// Walls. A new kind of wall is one table here and one row in `alternatives`.
#include "grains/definition.h"
#include "model/schema_sections.h"

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

static const SchemaKey capsule_keys[] = {
    {"radius", QUANTITY(WallCapsule, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius of the tube and of its two round ends."},
    {"length", QUANTITY(WallCapsule, length), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true,
     .doc = "Length of the tube without its ends: from centre to centre of the two half spheres."},
    {"axis", AXIS(WallCapsule, axis), .fallback = "z", .doc = "Direction of the capsule's axis."},
    {"center", VECTOR(WallCapsule, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
};
static const SchemaObject capsule = {.name = "capsule",
                                     .doc = "A tube closed by two half spheres, with grains inside.",
                                     .size = sizeof(WallCapsule),
                                     SCHEMA_KEYS(capsule_keys)};

static const SchemaKey cone_keys[] = {
    {"radius_start", QUANTITY(WallCone, radius_start), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true, .doc = "Inner radius where the axis starts; 0 is a point."},
    {"radius_end", QUANTITY(WallCone, radius_end), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true, .doc = "Inner radius where the axis ends; 0 is a point."},
    {"height", QUANTITY(WallCone, height), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner distance between the two ends."},
    {"axis", AXIS(WallCone, axis), .fallback = "z", .doc = "Direction of the axis, from start to end."},
    {"center", VECTOR(WallCone, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
};
static const SchemaObject cone = {.name = "cone",
                                  .doc = "A closed cone, whole or cut off, with flat ends and grains inside.",
                                  .size = sizeof(WallCone),
                                  SCHEMA_KEYS(cone_keys)};

static const SchemaKey mesh_keys[] = {
    {"file", TEXT(WallMesh, file), .required = true,
     .doc = "STL file, binary or ASCII, beside the model file or with its path from there."},
    {"scale", QUANTITY(WallMesh, scale), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "What a length of 1 in the file is: `1 mm` for a drawing in millimetres."},
    {"offset", VECTOR(WallMesh, offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "By how much the mesh is moved, after scaling."},
    {"solid", BOOLEAN(WallMesh, solid), .fallback = "false",
     .doc = "A closed mesh is a body that grains stay out of, not a room that they are in."},
};
static const SchemaObject mesh = {.name = "mesh",
                                  .doc = "A surface of triangles that can be touched from both sides.",
                                  .size = sizeof(WallMesh),
                                  SCHEMA_KEYS(mesh_keys),
                                  .example =
                                      "wall: {mesh: {file: hopper.stl, scale: 1 mm}, material: steel}\n"};

static const SchemaAlternative alternatives[] = {
    {"plane", WALL_PLANE, offsetof(WallDefinition, shape.plane), &plane, "An endless plane."},
    {"box", WALL_BOX, offsetof(WallDefinition, shape.box), &box, "A closed box."},
    {"cylinder", WALL_CYLINDER, offsetof(WallDefinition, shape.cylinder), &cylinder, "A closed cylinder."},
    {"sphere", WALL_SPHERE, offsetof(WallDefinition, shape.sphere), &sphere, "A hollow sphere."},
    {"capsule", WALL_CAPSULE, offsetof(WallDefinition, shape.capsule), &capsule, "A tube with round ends."},
    {"cone", WALL_CONE, offsetof(WallDefinition, shape.cone), &cone, "A closed cone, whole or cut off."},
    {"mesh", WALL_MESH, offsetof(WallDefinition, shape.mesh), &mesh, "A surface of triangles, from a file."},
    {NULL, 0, 0, NULL, NULL},
};

static const SchemaKey keys[] = {
    {"material", NAME(WallDefinition, material), .refers = "materials",
     .fallback_words = "that of the grains", .doc = "What the wall is made of."},
    {"port", NAME(WallDefinition, port), .refers = "ports", .nodes = true,
     .fallback_words = "that of the bed of grains",
     .doc = "The port, body or node that carries this wall; its shape is given in the port's axes."},
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
