// What one kind of wall provides: a row of the table of kinds.
#ifndef GEOMETRY_WALL_TYPE_H
#define GEOMETRY_WALL_TYPE_H

#include "geometry/wall_faces.h"
#include "math/human.h"
#include "schema/schema.h"

// One row per kind: src/geometry/wall_NAME.c defines wall_type_NAME.
#define WALL_TYPES(ROW)                                                                                      \
    ROW(plane)                                                                                               \
    ROW(box)                                                                                                 \
    ROW(cylinder)                                                                                            \
    ROW(sphere)                                                                                              \
    ROW(capsule)                                                                                             \
    ROW(cone)                                                                                                \
    ROW(disc)                                                                                                \
    ROW(block)                                                                                               \
    ROW(plate)                                                                                               \
    ROW(rod)                                                                                                 \
    ROW(lifters)                                                                                             \
    ROW(screw)                                                                                               \
    ROW(sweep)                                                                                               \
    ROW(mesh)

typedef struct WallType {
    SchemaType schema;                                         // its word in the model file, and its keys
    void (*check)(const Wall *wall, const Findings *findings); // NULL: its keys say all
    void (*describe)(const Wall *wall, Text *text);            // "a box of 20 x 20 x 30 mm"
    WallHeight (*height)(Wall *wall);                          // NULL: its height is always given
    // The centre by its address: a Vec3 passed by value is copied 16 bytes at a time and waits for its numbers to be
    // stored, which took a quarter of the time of a contact with a wall.
    int (*contacts)(const Wall *wall, const Vec3 *at, double radius, double margin, WallContact *contacts);
    // The same for a vector of spheres (wall_faces.h); false, or NULL: one by one.
    bool (*faces)(const Wall *wall, const WallSpheres *spheres, WallFaces *faces);
    // Thin walls and solids only (wall_visit_pieces, wall_piece_bears); NULL: the inside is a convex room. Solids need
    // no `bears`.
    void (*pieces)(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit, void *user);
    bool (*bears)(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction);
    int contact_limit;                               // most contacts that it can find
    double (*inset)(const Wall *wall, Vec3 point);   // smallest signed distance to the faces, inside positive
    double (*outside)(const Wall *wall, Vec3 point); // NULL: where the inset is negative
    // Rooms that may have open sides; NULL: they have none. `pieces` and `bears` count for open ones only, `inset` and
    // `bounds` are those of the closed room.
    bool (*open)(const Wall *wall);
    double (*distance)(const Wall *wall, Vec3 point); // of an open room: to the nearest of its sides
    bool (*bounds)(const Wall *wall, Vec3 *lower, Vec3 *upper); // NULL: unbounded
    double (*volume)(const Wall *wall);                         // NULL: unbounded
    bool (*surface)(const Wall *wall, Surface *surface);        // appends; false: out of memory
    // Kinds that read a file or are built of their keys only; NULL: nothing to do.
    bool (*is_complete)(const Wall *wall);        // of those that are built: are the keys there?
    const char *const *(*file)(const Wall *wall); // the member with its name; NULL: it is not complete
    MrcStatus (*prepare)(Wall *wall, const char *folder, MrcError *error);
    void (*release)(Wall *wall);
    bool (*is_prepared)(const Wall *wall);
    uint64_t (*hash_files)(const Wall *wall, uint64_t hash);
} WallType;

#define WALL_DECLARE(name) extern const WallType wall_type_##name;
WALL_TYPES(WALL_DECLARE)
#undef WALL_DECLARE

// The struct of a wall, known to the file of its kind.
static inline const void *wall_definition(const Wall *wall) { return wall->definition; }
#define WALL_FITS(type) _Static_assert(sizeof(type) <= WALL_BYTES, "WALL_BYTES is too small for " #type)

// Appends the contact when it is within reach; returns the new number of contacts.
static inline int wall_contact_add(WallContact *contacts, int count, double gap, double margin, Vec3 normal,
                                   int feature) {
    if (!(gap < margin)) return count;
    contacts[count] = (WallContact){.gap = gap, .normal = normal, .feature = feature};
    return count + 1;
}

// The key of rooms whose height may follow from the bed.
#define WALL_CLEARANCE_DOC                                                                                   \
    "Instead of the height: how far the lid is above the highest grain of the settled bed; the middle of "   \
    "the "                                                                                                   \
    "room stays at `center`. For the only wall of a bed with `packing: settle`, which is settled when the "  \
    "model is read."

static inline void wall_describe_clearance(double clearance, Text *text) {
    if (!(clearance > 0)) return;
    text_add_string(text, " (");
    human_add(text, clearance, DIM_LENGTH);
    text_add_string(text, " above the settled bed)");
}

// Pieces of surfaces for frames. Corners are numbered from `first`, the number of points before this wall's own.
bool surface_add_point(Surface *surface, Vec3 point);
bool surface_add_polygon(Surface *surface, const int *corners, int count, int first);
// Polygons of a closed surface of points in rings, from point `first` on: a pole, bands - 1 rings of `slices` points each
// around the axis, the other pole.
bool surface_add_bands(Surface *surface, int bands, int slices, int first);
bool surface_add_sphere(Surface *surface, Vec3 center, double radius, int bands, int slices);

#endif
