// grains: the bed, its particles, and how they are placed at the start. How they touch is in
// schema_contact.c.
#include "grains/definition.h"
#include "model/schema.h"

// ---- particles -----------------------------------------------------------------------------------
static const SchemaKey particles_keys[] = {
    {"radius", QUANTITY(ParticlesDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Radius of each grain."},
    {"count", INTEGER(ParticlesDefinition, count), .range = FROM_TO(1, 1e9), .doc = "How many grains."},
    {"total_mass", QUANTITY(ParticlesDefinition, total_mass), .dimension = DIM_MASS, .range = POSITIVE,
     .doc = "Mass of all grains together; as many whole grains as come nearest to it."},
    {"filling", QUANTITY(ParticlesDefinition, filling), .range = BETWEEN(0, 1),
     .doc = "Volume of all grains over the volume of the room."},
    {"material", NAME(ParticlesDefinition, material), .refers = "materials", .required = true,
     .doc = "What the grains are made of."},
    {"velocity", VECTOR(ParticlesDefinition, velocity), .dimension = DIM_VELOCITY, .fallback = "0 0 0 m/s",
     .doc = "Velocity at the start, on top of that of the port."},
};

static const SchemaObject particles = {
    .name = "particles",
    .doc = "Equal spheres.",
    .size = sizeof(ParticlesDefinition),
    SCHEMA_KEYS(particles_keys),
    .exactly_one = {"count total_mass filling"},
    .example = "particles: {radius: 1 mm, total_mass: 7 g, material: lead}\n",
};

// ---- packing -------------------------------------------------------------------------------------
static const SchemaKey lattice_keys[] = {
    {"gap", QUANTITY(PackingDefinition, gap), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Free distance between neighbours, and to the walls."},
};
static const SchemaKey random_keys[] = {
    {"gap", QUANTITY(PackingDefinition, gap), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Smallest free distance between neighbours, and to the walls."},
    {"seed", INTEGER(PackingDefinition, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives another arrangement; the same number always the same one."},
};
static const SchemaObject lattice = {.name = "lattice",
                                     .doc = "Grains on a regular lattice.",
                                     .size = sizeof(PackingDefinition),
                                     SCHEMA_KEYS(lattice_keys)};
static const SchemaObject scattered = {.name = "random",
                                       .doc = "Grains thrown in at random, without overlap.",
                                       .size = sizeof(PackingDefinition),
                                       SCHEMA_KEYS(random_keys)};
static const SchemaAlternative packings[] = {
    {"cubic", PACKING_CUBIC, 0, &lattice, "A simple cubic lattice, filled from the bottom."},
    {"fcc", PACKING_FCC, 0, &lattice, "A face-centred cubic lattice, the densest there is."},
    {"random", PACKING_RANDOM, 0, &scattered, "Anywhere in the room."},
    {NULL, 0, 0, NULL, NULL},
};
static const SchemaObject packing = {
    .name = "packing",
    .doc = "Where the grains are at the start.",
    .size = sizeof(PackingDefinition),
    .alternatives = packings,
    .tag_offset = SCHEMA_ENUM_AT(PackingDefinition, kind),
    .example = "packing: fcc\n"
               "packing: {random: {gap: 0.1 mm, seed: 7}}\n",
};

// ---- the bed -------------------------------------------------------------------------------------
static const SchemaChoice methods[] = {
    {"smooth", METHOD_SMOOTH, "penalty method: grains overlap a little and springs push them apart"},
    {NULL, 0, NULL},
};
static const SchemaKey keys[] = {
    {"port", NAME(GrainsDefinition, port), .refers = "ports",
     .fallback_words = "the ground, which never moves", .doc = "The port that carries the walls."},
    {"method", CHOICE(GrainsDefinition, method, methods), .fallback = "smooth",
     .doc = "How the grains are moved."},
    {"wall", SINGLE(GrainsDefinition, walls, wall_count, schema_wall),
     .doc = "The one wall around the grains."},
    {"walls", MAP(GrainsDefinition, walls, wall_count, schema_wall),
     .doc = "Several walls, by name: the room is what is inside all of them."},
    {"particles", OBJECT(GrainsDefinition, particles, particles), .required = true,
     .doc = "The grains themselves."},
    {"packing", OBJECT(GrainsDefinition, packing, packing), .fallback = "cubic",
     .doc = "Where the grains are at the start."},
    {"contact", OBJECT(GrainsDefinition, contact, schema_contact), .required = true,
     .doc = "What happens where grains touch."},
};

const SchemaObject schema_grains = {
    .name = "grains",
    .doc = "A bed of grains in its walls.",
    .size = sizeof(GrainsDefinition),
    .name_offset = offsetof(GrainsDefinition, name),
    SCHEMA_KEYS(keys),
    .exactly_one = {"wall walls"},
    .example = "grains:\n"
               "  damper:\n"
               "    port: box\n"
               "    wall: {box: {size: 58 38 38 mm}, material: steel}\n"
               "    particles: {radius: 3 mm, count: 151, material: steel}\n"
               "    packing: cubic\n"
               "    contact: {stiffness: 10 kN/m, tangential: directional}\n",
};
