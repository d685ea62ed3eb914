// Initial positions. Each packing proposes sites in its own order; those whose sphere fits into the room of
// all walls are taken until every grain has one.
//
// A packing is one file, src/grains/packing_NAME.c, and one row in PACKING_TYPES.
#ifndef GRAINS_PACKING_H
#define GRAINS_PACKING_H

#include "grains/grains.h"
#include "schema/schema.h"

// One row per packing.
#define PACKING_TYPES(ROW)                                                                                   \
    ROW(PACKING_CUBIC, cubic)                                                                                \
    ROW(PACKING_FCC, fcc)                                                                                    \
    ROW(PACKING_RANDOM, random)                                                                              \
    ROW(PACKING_FILE, file)                                                                                  \
    ROW(PACKING_FROM, from)                                                                                  \
    ROW(PACKING_SETTLE, settle)

#define PACKING_NUMBER(number, name) number,
typedef enum PackingKind { PACKING_TYPES(PACKING_NUMBER) PACKING_KIND_COUNT } PackingKind; // rows
#undef PACKING_NUMBER

// ---- before there are grains ---------------------------------------------------------------------
extern const SchemaType *const packing_schema_types[];

// What the packing's keys do not say alone. `gravity`: of the model [m/s^2].
// A key of packings: where in the room grains are placed.
#define PACKING_REGION                                                                                       \
    {                                                                                                        \
        "region", OBJECT(PackingDefinition, region, region_schema), GIVEN(PackingDefinition, in_region),     \
            .fallback_words = "the whole room",                                                              \
            .doc =                                                                                           \
                "Part of the room in which grains are placed, in the axes of the port; when settling, from " \
                "where they fall, also above a room whose top is open."                                      \
    }

void packing_check(const GrainsDefinition *definition, Vec3 gravity, const Findings *findings);
bool packing_is_of_run(const PackingDefinition *packing); // that file is the folder of another run
void packing_describe(const PackingDefinition *packing, struct Text *text); // "on a cubic lattice"
const char *const *
packing_file(const PackingDefinition *packing); // the member that names a file; NULL: there is none

// How many grains the definition asks for. With sizes that differ, and a mass or a filling instead of a
// count, it is the number to expect: the grains drawn may be a few more or less.
double packing_room_volume(const GrainsDefinition *definition); // INFINITY: no wall has a room
MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error);

// The mass of all grains that is to be expected likewise [kg]; NAN: not known.
double packing_expected_mass(const GrainsDefinition *definition, double density);

// ---- grains --------------------------------------------------------------------------------------
// Creates the store and fills in sizes, masses, materials and positions, and velocities relative to the port
// (in the port's axes). Layers are filled from the bottom, which is where gravity points; without gravity,
// -z.
MrcStatus packing_create(const GrainsDefinition *definition, const GrainsSetting *setting, GrainStore *store,
                         MrcError *error);

// Reads places, radii and velocities from a CSV file with a line of names and units: x[mm],y[mm],z[mm].
MrcStatus bed_read(const char *path, Arena *arena, BedData **bed, MrcError *error);
// The grains of one kind; *out is NULL when there are none.
MrcStatus bed_of_kind(const BedData *bed, int kind, Arena *arena, const BedData **out, MrcError *error);

#endif
