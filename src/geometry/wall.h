// Walls: surfaces that grains touch, in the axes of the port that carries them. Concave sides are inside: grains
// are inside a box, a cylinder, a capsule, a cone or a sphere, and on the side of a plane that its normal points
// to. A mesh is a thin surface that can be touched from both sides.
//
// A kind of wall is one file, src/geometry/wall_NAME.c, and one row in WALL_TYPES of wall_type.h. The file has all
// there is about it: its members and their keys in the model file, checks, words, and geometry.
#ifndef GEOMETRY_WALL_H
#define GEOMETRY_WALL_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "math/vec3.h"
#include "schema/findings.h"

struct Text;
struct SchemaType;

enum { WALL_BYTES = 128 };

typedef struct Wall {
    int kind;                                         // row of WALL_TYPES
    _Alignas(8) unsigned char definition[WALL_BYTES]; // the struct of that kind, in its file
} Wall;

// ---- making walls --------------------------------------------------------------------------------
// Keys by which the model loader fills walls (grains/definition.h has their places in a wall).
extern const struct SchemaType *const wall_schema_types[];

// The same from a program: a wall of a kind ("box") with all members zero and an axis along z, and members by
// their keys. What is not a kind or a key of it is a mistake of the program.
Wall wall_of_kind(const char *kind);
void wall_set_number(Wall *wall, const char *key, double value);
void wall_set_vector(Wall *wall, const char *key, Vec3 value); // an axis must be of length 1
void wall_set_text(Wall *wall, const char *key, const char *value);
void wall_set_flag(Wall *wall, const char *key, bool value);
void wall_set_count(Wall *wall, const char *key, int64_t value);
void wall_set_pair(Wall *wall, const char *key, double first, double second); // two numbers
void wall_set_choices(Wall *wall, const char *key, const char *words);        // separated by blanks
double wall_number(const Wall *wall, const char *key);
Vec3 wall_vector(const Wall *wall, const char *key);
Wall wall_from_mesh(Mesh *mesh); // which it owns

// ---- description and identity --------------------------------------------------------------------
const char *wall_kind_name(const Wall *wall);                // "cylinder"
void wall_check(const Wall *wall, const Findings *findings); // members that do not go together
void wall_describe(const Wall *wall, struct Text *text);     // "a box of 20 x 20 x 30 mm"
void wall_write_identity(const Wall *wall, FILE *out);       // all its properties, as text
uint64_t wall_hash_files(const Wall *wall, uint64_t hash);   // of what was read from files
const char *const *wall_file(const Wall *wall); // the member that names a file to be read; NULL: none

// Of a room whose height may follow from the bed in it (grains/clearance.h).
typedef struct WallHeight {
    double *height;    // the member [m]; NULL: this kind of wall has none
    double *clearance; // free height above the bed [m]; 0: the height is given
    Vec3 axis;         // along which it is measured, unit
} WallHeight;
WallHeight wall_height(const Wall *wall); // for a wall that may be changed, pointers into it

// Reads what the wall needs from files (meshes), relative to `folder`, or builds it of its keys (sweeps); other kinds need
// nothing. To be called once, before any of the functions below.
bool wall_can_prepare(const Wall *wall); // it needs to, and its keys are complete
MrcStatus wall_prepare(Wall *wall, const char *folder, MrcError *error);
void wall_release(Wall *wall); // gives back what wall_prepare took
bool wall_is_prepared(const Wall *wall);

// ---- geometry ------------------------------------------------------------------------------------
// One point at which a sphere is near a wall.
typedef struct WallContact {
    double gap;  // distance from the sphere's surface to the wall, negative when they overlap [m]
    Vec3 normal; // unit, from the wall into the grain
    int feature; // which part of the wall, >= 0: the same from step to step, no two contacts of a sphere with
                 // one wall share it. Small for all kinds but meshes (mesh.h): a key, not an index
} WallContact;

enum { WALL_CONTACT_MAX = 12 };

// Contacts of the sphere (center, radius) with gap < margin, the deepest WALL_CONTACT_MAX of them. Returns
// their number. For grains of any shape: shape.h. This function is for spheres in inner loops.
int wall_contacts_at(const Wall *wall, const Vec3 *center, double radius, double margin,
                     WallContact *contacts);
static inline int wall_contacts_of_sphere(const Wall *wall, Vec3 center, double radius, double margin,
                                          WallContact *contacts) {
    return wall_contacts_at(wall, &center, radius, margin, contacts);
}
// Flat convex pieces of thin walls, and solid prisms, for grains with faces. Rooms are convex and have none: grains with
// faces touch them with their vertices.
enum { WALL_PIECE_CORNERS = 256 };
typedef struct WallPiece {
    int count;                        // corners
    Vec3 corners[WALL_PIECE_CORNERS]; // counter-clockwise seen along `normal` reversed [m]
    Vec3 normal;                      // of one of its sides, unit; of a prism outward
    Vec3 depth; // from this face of a prism to the opposite one [m]; zero: flat, with two sides
    int group;  // pieces of one smooth region have the same number
    int index;  // of the piece
} WallPiece;
typedef void WallPieceVisitor(void *user, const WallPiece *piece);
bool wall_has_pieces(const Wall *wall);
void wall_visit_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit, void *user);
// Can the wall push along this direction at this point of a flat piece, or do pieces beside it come before it?
bool wall_piece_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction);

int wall_contact_limit(const Wall *wall); // the most that this wall can have, at most WALL_CONTACT_MAX

// Is a side of the room missing? Its other sides are thin then and can be touched from both sides, and a grain may
// leave.
bool wall_is_open(const Wall *wall);

// The largest distance by which the point is outside the room (0 when inside): for finding lost grains. Nothing is
// outside a room with an open side.
double wall_outside(const Wall *wall, Vec3 point);
// The same of a room with an open side too, as if it were closed: for placing grains.
double wall_beyond(const Wall *wall, Vec3 point);

// A lower bound on the distance from a point in the room to the wall, for leaving grains that are far from it
// alone: exact for all kinds but meshes, where it is above three quarters of the distance. 0 outside.
double wall_distance_bound(const Wall *wall, Vec3 point);

// The box around the room, for placing grains; false when it is unbounded (plane, mesh with holes).
bool wall_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper);

double wall_volume(const Wall *wall); // of the room; INFINITY when unbounded

// A surface for frames: points and polygons (VTK order: outward or not does not matter).
typedef struct Surface {
    ARRAY(Vec3) points;
    ARRAY(int) corners; // of all polygons, one after the other
    ARRAY(int) ends;    // index after the last corner of each polygon
} Surface;

MrcStatus wall_surface(const Wall *wall, Surface *surface, MrcError *error); // appends
void surface_free(Surface *surface);

#endif
