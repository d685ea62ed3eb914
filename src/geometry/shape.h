// Shapes of grains. A shape is one file, src/geometry/shape_NAME.c, and one row in SHAPE_TYPES.
//
// A shape is a form, which many grains may share, and the radius of the smallest sphere around its centre of mass
// that holds it: all lengths of the form are multiples of this radius.
//
// The inner loops of the methods have a path of their own for spheres (wall_contacts_of_sphere, and pairs by vectors
// of radii). All other code uses the functions below.
#ifndef GEOMETRY_SHAPE_H
#define GEOMETRY_SHAPE_H

#include "geometry/wall.h"
#include "math/mat3.h"
#include "math/quaternion.h"

// One row per shape: its file defines shape_type_NAME.
#define SHAPE_TYPES(ROW)                                                                                     \
    ROW(SHAPE_SPHERE, sphere)                                                                                \
    ROW(SHAPE_POLYHEDRON, polyhedron)                                                                        \
    ROW(SHAPE_CLUMP, clump)

#define SHAPE_NUMBER(number, name) number,
typedef enum ShapeKind { SHAPE_TYPES(SHAPE_NUMBER) SHAPE_KIND_COUNT } ShapeKind; // rows
#undef SHAPE_NUMBER

typedef struct Shape {
    ShapeKind kind;
    double radius;    // of the smallest sphere around the centre of mass that holds it [m]
    const void *form; // for radius 1, a struct of the file of its kind; NULL: the kind has one form only
} Shape;

typedef struct Pose {
    Vec3 position;          // of the centre of mass [m]
    Quaternion orientation; // its own axes to those of the position
} Pose;

// One point at which a grain is near a wall or another grain.
typedef struct ShapeContact {
    double gap;      // between the surfaces, negative when they overlap [m]
    Vec3 normal;     // unit vector into the grain: from the wall, or from the second grain of a pair
    Vec3 point;      // half way between the two surfaces [m]
    int64_t feature; // names the point: the same from step to step, different for all points of a pair
} ShapeContact;

// The most that one grain has with one wall, or with another grain; where all points are asked for, of clumps.
enum { SHAPE_CONTACT_MAX = 24, SHAPE_POINTS_MAX = 256 };

// How shapes with faces or parts name points: what touches, with its number on each of the two, below 2^30. Round shapes
// have the name 0, or that of the wall, unless they are parts.
typedef enum ShapeFeature {
    FEATURE_VERTEX_OF_A = 1,
    FEATURE_VERTEX_OF_B = 2,
    FEATURE_EDGES = 3,
    FEATURE_ROUND = 4 // a sphere that is a part of one of the two
} ShapeFeature;
static inline int64_t shape_feature(ShapeFeature kind, int64_t a, int64_t b) {
    return (int64_t)kind << 60 | a << 30 | b;
}
static inline bool
shape_feature_is_name(int64_t feature) { // of any point; from a file it may be another number
    return feature >= 0 && feature >> 60 <= FEATURE_ROUND;
}
int64_t shape_feature_exchanged(int64_t feature); // the name of the same point when a and b are exchanged

// Points of clumps are named by their parts, too: the upper 10 of the 30 bits of a and of b are the number of the part that
// has the point. It is 0 of grains without parts.
enum { SHAPE_PARTS_END = 1024 }; // these numbers are smaller
static inline int64_t shape_feature_of_parts(int64_t feature, int part_a, int part_b) {
    return feature | (int64_t)part_a << 50 | (int64_t)part_b << 20;
}
static inline int shape_part_number_of_a(int64_t feature) {
    return (int)(feature >> 50 & (SHAPE_PARTS_END - 1));
}
static inline int shape_part_number_of_b(int64_t feature) {
    return (int)(feature >> 20 & (SHAPE_PARTS_END - 1));
}

// The part that has the point of this name: a sphere or a polyhedron. A grain that is no clump is its own only part.
Shape shape_part_of_a(const Shape *a, int64_t feature);
Shape shape_part_of_b(const Shape *b, int64_t feature);
double shape_finest_radius(const Shape *shape); // of its smallest part [m]

bool shape_holds(const Shape *shape, Vec3 point); // is the point, in its own axes, inside it?
bool shape_is_round(const Shape *shape);          // turning it changes nothing: its inertia is isotropic
double shape_volume(const Shape *shape);          // [m^3]
double shape_reach(const Shape *shape,
                   Vec3 direction); // from its centre along a unit vector of its own axes [m]
Mat3 shape_inertia(const Shape *shape, double mass); // about the centre of mass, own axes [kg m^2]

// Its surface as polygons, for frames: appends, in the axes of the pose. Round shapes have none and are shown as points.
MrcStatus shape_surface(const Shape *shape, const Pose *pose, Surface *surface, MrcError *error);

// Contacts with gap < margin; both return their number. The pose is given, and contacts are returned, in the axes of
// the wall; those of two grains in any axes that both poses have in common. Of many points with about the same normal a
// few well chosen ones are returned, which hold as well as all of them.
int shape_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                        ShapeContact *contacts);
// The same of one that moves by `way` against the wall in the step: it may pass an edge that it would run into.
int shape_wall_contacts_passing(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                                Vec3 way, ShapeContact *contacts);
int shape_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b, double margin,
                        ShapeContact *contacts);
// The same for a pair that is tested in every step. `axis`, from b to a, of any length, is one along which they were
// apart; zero: none is known. If they still are, by the margin, there is no contact: this settles most pairs. A new
// axis is stored where one is found. The contacts do not depend on it. `way`: by how much a moves against b in the step; they
// may pass each other.
int shape_pair_contacts_again(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                              double margin, Vec3 way, Vec3 *axis, ShapeContact *contacts);

// The same with all points, the deepest SHAPE_CONTACT_MAX of them, of clumps SHAPE_POINTS_MAX, for laws that weigh points
// themselves: as the bodies move, a point goes only where its gap reaches the margin, or where it meets another one. (Clumps
// with faces have exceptions: shape_clump.c.)
int shape_wall_points(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                      ShapeContact *contacts);
int shape_pair_points(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b, double margin,
                      Vec3 *axis, ShapeContact *contacts);

// ---- one row -------------------------------------------------------------------------------------
typedef enum ShapePoints { SHAPE_FEW_POINTS, SHAPE_ALL_POINTS } ShapePoints;

typedef struct ShapeSearch { // which contacts are wanted
    double margin;           // those with a smaller gap [m]
    ShapePoints points;
    Vec3 way; // how far the grain moves against the wall, or a against b, in the step; zero: not known [m]
} ShapeSearch;

typedef struct ShapeType {
    const char *name;
    bool round;
    double (*volume)(const Shape *shape);
    Mat3 (*inertia)(const Shape *shape, double mass);
    bool (*holds)(const Shape *shape, Vec3 point);
    int (*wall_contacts)(const Shape *shape, const Pose *pose, const Wall *wall, const ShapeSearch *search,
                         ShapeContact *contacts);
    bool (*surface)(const Shape *shape, const Pose *pose,
                    Surface *surface); // NULL: none; false: out of memory
    // How far it reaches from its centre along the direction, in its own axes: the most of direction . x. NULL: pairs
    // have no axes.
    double (*reach)(const Shape *shape, Vec3 direction);
    // Its parts by their number in the names of points; NULL: it is its own only part.
    Shape (*part)(const Shape *shape, int number);
    double (*finest_radius)(const Shape *shape); // NULL: its radius
    // `b` is of this kind, or of one that comes before it in the table. `axis` is written where they are found apart.
    int (*pair_contacts)(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                         const ShapeSearch *search, Vec3 *axis, ShapeContact *contacts);
} ShapeType;

#define SHAPE_DECLARE(number, name) extern const ShapeType shape_type_##name;
SHAPE_TYPES(SHAPE_DECLARE)
#undef SHAPE_DECLARE

#endif
