// particles and packing: which grains there are, and where they are at the start.
#include "grains/forms.h"
#include "grains/packing.h"
#include "model/schema_sections.h"

// ---- sizes ---------------------------------------------------------------------------------------
static const SchemaKey uniform_keys[] = {
    {"from", QUANTITY(UniformSizes, from), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Smallest radius."},
    {"to", QUANTITY(UniformSizes, to), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Largest radius."},
};
static const SchemaObject uniform = {.name = "uniform",
                                     .doc = "All radii between two bounds are equally frequent.",
                                     .size = sizeof(UniformSizes),
                                     SCHEMA_KEYS(uniform_keys)};

static const SchemaKey normal_keys[] = {
    {"mean", QUANTITY(NormalSizes, mean), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Mean radius, by number, before the tails are cut off."},
    {"deviation", QUANTITY(NormalSizes, deviation), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Standard deviation of the radius, before the tails are cut off."},
    {"from", QUANTITY(NormalSizes, from), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "3 deviations below the mean", .doc = "Smallest radius."},
    {"to", QUANTITY(NormalSizes, to), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "3 deviations above the mean", .doc = "Largest radius."},
};
static const SchemaObject normal = {.name = "normal",
                                    .doc = "Radii follow a bell curve, cut off at both ends.",
                                    .size = sizeof(NormalSizes),
                                    SCHEMA_KEYS(normal_keys)};

static const SchemaKey lognormal_keys[] = {
    {"median", QUANTITY(LognormalSizes, median), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Half of the grains, by number, are smaller, before the tails are cut off."},
    {"deviation", QUANTITY(LognormalSizes, deviation), .range = BETWEEN(0, 5), .required = true,
     .doc = "Standard deviation of the natural logarithm of the radius, a pure number."},
    {"from", QUANTITY(LognormalSizes, from), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "median*exp(-3*deviation)", .doc = "Smallest radius."},
    {"to", QUANTITY(LognormalSizes, to), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "median*exp(3*deviation)", .doc = "Largest radius."},
};
static const SchemaObject lognormal = {
    .name = "lognormal",
    .doc = "The logarithm of the radius follows a bell curve, cut off at both ends.",
    .size = sizeof(LognormalSizes),
    SCHEMA_KEYS(lognormal_keys)};

static const SchemaKey class_keys[] = {
    {"radius", QUANTITY(SizeClass, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = "Radius of the grains of this class."},
    {"diameter", QUANTITY(SizeClass, diameter), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = "The same as a diameter."},
    {"number", QUANTITY(SizeClass, number), .range = POSITIVE,
     .doc = "Share of this class in the number of grains."},
    {"mass", QUANTITY(SizeClass, mass), .range = POSITIVE,
     .doc = "Share of this class in the mass of all grains."},
};
static const SchemaObject size_class = {
    .name = "size_class",
    .doc = "Grains of one size. Shares are all by number or all by mass, and need not add up to 1: 30, 50 "
           "and 20 "
           "are as good as 0.3, 0.5 and 0.2.",
    .size = sizeof(SizeClass),
    SCHEMA_KEYS(class_keys),
    .exactly_one = {"radius diameter", "number mass"},
};

static const SchemaKey sieve_keys[] = {
    {"opening", QUANTITY(SieveOpening, opening), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Width of the sieve's meshes: the diameter of the largest grain that comes through."},
    {"passing", QUANTITY(SieveOpening, passing), .range = FROM_TO(0, 1), .required = true,
     .doc = "Share of the mass that comes through."},
};
static const SchemaObject sieve = {
    .name = "sieve",
    .doc =
        "One point of a sieve curve. Openings and shares increase from point to point, the shares from 0 to "
        "1 (100 %). In between, the curve is straight over the logarithm of the opening.",
    .size = sizeof(SieveOpening),
    SCHEMA_KEYS(sieve_keys),
};

static const SchemaKey sizes_keys[] = {
    {"uniform", OBJECT(SizesDefinition, uniform, uniform), .doc = "Equally frequent radii."},
    {"normal", OBJECT(SizesDefinition, normal, normal), .doc = "A bell curve."},
    {"lognormal", OBJECT(SizesDefinition, lognormal, lognormal), .doc = "A bell curve over the logarithm."},
    {"classes", LIST(SizesDefinition, classes, class_count, size_class),
     .doc = "Some sizes with their shares."},
    {"sieve", LIST(SizesDefinition, sieve, sieve_count, sieve), .doc = "A sieve curve, from fine to coarse."},
    {"seed", INTEGER(SizesDefinition, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives other grains; the same number always the same ones."},
};
static const SchemaObject sizes = {
    .name = "sizes",
    .doc = "Grains of different sizes. Shares are met as closely as the number of grains allows.",
    .size = sizeof(SizesDefinition),
    SCHEMA_KEYS(sizes_keys),
    .exactly_one = {"uniform normal lognormal classes sieve"},
    .example = "sizes: {uniform: {from: 0.8 mm, to: 1.2 mm}}\n"
               "sizes: {lognormal: {median: 1 mm, deviation: 0.2, from: 0.5 mm, to: 2 mm}, seed: 7}\n"
               "sizes: {classes: [{diameter: 2 mm, mass: 30 %}, {diameter: 3 mm, mass: 70 %}]}\n"
               "sizes: {sieve: [{opening: 1 mm, passing: 0}, {opening: 2 mm, passing: 35 %}, {opening: 4 mm, "
               "passing: 100 %}]}\n",
};

// ---- particles -----------------------------------------------------------------------------------
static const SchemaChoice orientation_words[] = {
    {"auto", ORIENTATION_AUTO, "`random` for ballast, else `port`"},
    {"port", ORIENTATION_PORT, "with the axes of the port"},
    {"random", ORIENTATION_RANDOM, "any, all equally likely; the packing's `seed` gives others"},
    {0},
};

static const SchemaKey particles_keys[] = {
    {"name", TEXT(ParticlesDefinition, name), .fallback_words = "that of the material",
     .doc = "Of the kind, where a bed has several: in signals, and for inlets."},
    {"shape", OBJECT(ParticlesDefinition, form, forms_schema), .fallback = "sphere",
     .doc = "The form of the grains."},
    {"orientation", CHOICE(ParticlesDefinition, orientation, orientation_words), .fallback = "auto",
     .doc = "How grains that are not spheres are turned at the start."},
    {"radius", QUANTITY(ParticlesDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = "Radius of each grain."},
    {"sizes", OBJECT(ParticlesDefinition, sizes, sizes), .doc = "Radii that differ."},
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

const SchemaObject schema_particles = {
    .name = "particles",
    .doc = "Which grains: their form, how large, how many, and of what. One key of each group below must be "
           "given, unless the "
           "grains come from a file (packing: file), which says how many there are and may say how large.",
    .size = sizeof(ParticlesDefinition),
    SCHEMA_KEYS(particles_keys),
    .at_most_one = {"radius sizes", "count total_mass filling"},
    .example =
        "particles: {radius: 1 mm, total_mass: 7 g, material: lead}\n"
        "particles: {sizes: {uniform: {from: 0.8 mm, to: 1.2 mm}}, filling: 0.4, material: lead}\n"
        "particles: [{radius: 4 mm, count: 50, material: steel}, {sizes: {uniform: {from: 1 mm, to: 2 mm}}, "
        "total_mass: 1 kg, material: ore}]\n"
        "particles: {shape: ballast, sizes: {sieve: [{opening: 31.5 mm, passing: 0}, {opening: 50 mm, "
        "passing: 60 %}, "
        "{opening: 63 mm, passing: 100 %}]}, count: 300, material: granite}\n",
};

// ---- packing -------------------------------------------------------------------------------------
// The kinds of packing are in src/grains/packing_NAME.c and src/grains/settle.c.
const SchemaObject schema_packing = {
    .name = "packing",
    .doc = "Where the grains are at the start.",
    .size = sizeof(PackingDefinition),
    .types = packing_schema_types,
    .tag_offset = SCHEMA_ENUM_AT(PackingDefinition, kind),
    .example = "packing: fcc\n"
               "packing: {random: {gap: 0.1 mm, seed: 7}}\n"
               "packing: {file: {path: bed.csv}}\n"
               "packing: settle\n",
};
