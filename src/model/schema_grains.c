// grains: the bed and its walls. Particles and packings are in schema_particles.c, how grains touch in
// schema_contact.c.
#include "grains/method.h"
#include "model/schema_sections.h"

// ---- periodic boundaries -------------------------------------------------------------------------
static const SchemaKey periodic_keys[] = {
    {"along_x", NUMBERS(PeriodicDefinition, x, 2), .dimension = DIM_LENGTH,
     GIVEN(PeriodicDefinition, along_x), .doc = "From where to where along x."},
    {"along_y", NUMBERS(PeriodicDefinition, y, 2), .dimension = DIM_LENGTH,
     GIVEN(PeriodicDefinition, along_y), .doc = "From where to where along y."},
    {"along_z", NUMBERS(PeriodicDefinition, z, 2), .dimension = DIM_LENGTH,
     GIVEN(PeriodicDefinition, along_z), .doc = "From where to where along z."},
};
static const SchemaObject schema_periodic = {
    .name = "periodic",
    .doc =
        "One or two directions of the world in which the bed repeats itself: a grain that leaves the range "
        "on "
        "one side comes in on the other, and grains touch across. Walls do not repeat: planes, or rooms that "
        "are open there and reach beyond both ends by a radius. Regions of inlets, outlets and measures hold "
        "every image of a grain, and count it once. Ranges are measured from the port's origin at the start; "
        "the port must not be turned then.",
    .size = sizeof(PeriodicDefinition),
    SCHEMA_KEYS(periodic_keys),
    .example = "periodic: {along_x: -20 20 mm, along_y: -10 10 mm}\n",
};

// ---- impact energy spectra -----------------------------------------------------------------------
static const SchemaKey spectra_keys[] = {
    {"per_decade", INTEGER(SpectraDefinition, per_decade), .range = FROM_TO(1, 20), .fallback = "5",
     .doc = "Classes of energy from one power of ten to the next."},
};
static const SchemaObject schema_spectra = {
    .name = "spectra",
    .doc = "Impact energy spectra, between grains and on each wall part: how many collisions dissipated how "
           "much, by "
           "classes of equal ratio, to spectra.csv. A collision lasts from the first touch of two bodies "
           "until they "
           "part; its energy is what it dissipated along the line of contact.",
    .size = sizeof(SpectraDefinition),
    SCHEMA_KEYS(spectra_keys),
    .example = "spectra: {per_decade: 10}\n",
};

// ---- the bed -------------------------------------------------------------------------------------
static const SchemaKey grains_keys[] = {
    {"port", NAME(GrainsDefinition, port), .refers = "ports", .nodes = true,
     .fallback_words = "the ground, which never moves",
     .doc = "The port, body or node that carries the walls."},
    {"method", CHOICE_OF_ROWS(GrainsDefinition, method, grains_method_choices, NULL), .fallback = "smooth",
     .doc = "How the grains are moved."},
    {"wall", SINGLE(GrainsDefinition, walls, wall_count, schema_wall),
     .doc = "The one wall around the grains."},
    {"walls", MAP(GrainsDefinition, walls, wall_count, schema_wall),
     .doc = "Several walls, by name: the room is what is inside all of them."},
    {"regions", MAP(GrainsDefinition, regions, region_count, named_region_schema),
     .doc = "Rooms in which the bed is measured, by name, in the axes of its port."},
    {"particles", OBJECT_OR_LIST(GrainsDefinition, particles, more, more_count, schema_particles),
     .required = true,
     .doc = "The grains themselves; a list when there are several kinds, which are mixed at the start."},
    {"packing", OBJECT(GrainsDefinition, packing, schema_packing), .fallback = "cubic",
     .doc = "Where the grains are at the start."},
    {"periodic", OBJECT(GrainsDefinition, periodic, schema_periodic), .fallback_words = "nothing repeats",
     .doc = "Directions in which the bed repeats itself."},
    {"spectra", OBJECT(GrainsDefinition, spectra, schema_spectra), GIVEN(GrainsDefinition, spectra.given),
     .fallback_words = "none are kept",
     .doc = "Count collisions by the energy that they dissipate: `{}`, or with the number of classes."},
    {"contact", OBJECT(GrainsDefinition, contact, schema_contact), GIVEN(GrainsDefinition, contact_given),
     .fallback = "{}",
     .doc = "What happens where grains touch; the smooth method needs at least a stiffness."},
};

const SchemaObject schema_grains = {
    .name = "grains",
    .doc = "A bed of grains in its walls. Grains of different beds do not touch each other, so their rooms "
           "must not overlap.",
    .size = sizeof(GrainsDefinition),
    .name_offset = offsetof(GrainsDefinition, name),
    SCHEMA_KEYS(grains_keys),
    .exactly_one = {"wall walls"},
    .example = "grains:\n"
               "  damper:\n"
               "    port: box\n"
               "    wall: {box: {size: 58 38 38 mm}, material: steel}\n"
               "    particles: {radius: 3 mm, count: 151, material: steel}\n"
               "    packing: cubic\n"
               "    contact: {stiffness: 10 kN/m, tangential: directional}\n",
};
