// A wall given by a triangle mesh: mesh.h has the rules of contact.
//
// A closed mesh is the wall of the room inside it (or, when `solid`, the skin of a body that grains stay out
// of); a centre on the wrong side of it is lost. A mesh with holes has no inside: nothing can be lost there.
#include <assert.h>
#include <stdio.h>

#include "base/hash.h"
#include "geometry/mesh_pieces.h"
#include "geometry/wall_mesh.h"

WALL_FITS(WallMesh);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_mesh_keys[] = {
    {"file", TEXT(WallMesh, file), .required = true,
     .doc = "STL file, binary or ASCII, beside the model file or with its path from there."},
    {"scale", QUANTITY(WallMesh, scale), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "What a length of 1 in the file is: `1 mm` for a drawing in millimetres."},
    {"offset", VECTOR(WallMesh, offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "By how much the mesh is moved, after scaling."},
    {"solid", BOOLEAN(WallMesh, solid), .fallback = "false",
     .doc = "A closed mesh is a body that grains stay out of, not a room that they are in."},
};
static const SchemaObject wall_mesh_schema = {
    .name = "mesh",
    .doc = "A surface of triangles that can be touched from both sides.",
    .size = sizeof(WallMesh),
    SCHEMA_KEYS(wall_mesh_keys),
    .example = "wall: {mesh: {file: hopper.stl, scale: 1 mm}, material: steel}\n"};

// ---- geometry ------------------------------------------------------------------------------------
static MrcStatus wall_mesh_prepare(Wall *wall, const char *folder, MrcError *error) {
    char path[4096];
    WallMesh *mesh = (WallMesh *)wall->definition;
    const char *file = mesh->file;
    bool absolute = file[0] == '/' || !folder || !folder[0];
    int length = snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", file);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, MRC_READ_FAILED, "cannot read '%.60s...': the path is too long", path);
    return mesh_read(&mesh->mesh, path, mesh->scale, mesh->offset, error);
}

void wall_mesh_release(Wall *wall) {
    WallMesh *mesh = (WallMesh *)wall->definition;
    mesh_destroy(mesh->mesh);
    mesh->mesh = NULL;
}

static const Mesh *wall_mesh_prepared(const Wall *wall) {
    const WallMesh *mesh = wall_definition(wall);
    assert(mesh->mesh && "wall_prepare comes first");
    return mesh->mesh;
}

bool wall_mesh_is_prepared(const Wall *wall) {
    const WallMesh *mesh = wall_definition(wall);
    return mesh->mesh;
}

static const char *const *wall_mesh_file(const Wall *wall) {
    const WallMesh *mesh = wall_definition(wall);
    return mesh->file && mesh->scale > 0 ? &mesh->file : NULL;
}

uint64_t wall_mesh_hash_files(const Wall *wall, uint64_t hash) {
    const WallMesh *mesh = wall_definition(wall);
    if (!mesh->mesh) return hash;
    return hash_bytes(hash, mesh_vertices(mesh->mesh), mesh_info(mesh->mesh)->vertex_count * sizeof(Vec3));
}

Wall wall_from_mesh(Mesh *mesh) {
    Wall wall = wall_of_kind("mesh");
    wall_set_number(&wall, "scale", 1);
    ((WallMesh *)wall.definition)->mesh = mesh;
    return wall;
}

static void wall_mesh_describe(const Wall *wall, Text *text) {
    const WallMesh *mesh = wall_definition(wall);
    const MeshInfo *info = mesh_info(wall_mesh_prepared(wall));
    text_add_string(text, "a mesh of ");
    human_add_count(text, (double)info->triangle_count);
    text_add(text, " triangles (%s, %s)", mesh->file,
             mesh->solid    ? "a body"
             : info->closed ? "a closed room"
                            : "open");
}

static bool wall_mesh_is_solid(const Wall *wall) { return ((const WallMesh *)wall->definition)->solid; }

static bool wall_mesh_is_room(const Wall *wall) {
    return mesh_info(wall_mesh_prepared(wall))->closed && !wall_mesh_is_solid(wall);
}

int wall_mesh_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                       WallContact *contacts) {
    const Vec3 center = *at;
    MeshContact found[WALL_CONTACT_MAX];
    int count = mesh_contacts(wall_mesh_prepared(wall), center, radius, margin, found, WALL_CONTACT_MAX);
    for (int i = 0; i < count; i++)
        contacts[i] = (WallContact){found[i].gap, found[i].normal, found[i].feature};
    return count;
}

void wall_mesh_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit, void *user) {
    mesh_visit_triangles(wall_mesh_prepared(wall), center, reach, visit, user);
}

bool wall_mesh_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    return mesh_triangle_bears(wall_mesh_prepared(wall), piece->index, point, direction);
}

double wall_mesh_inset(const Wall *wall, Vec3 point) {
    return mesh_distance(wall_mesh_prepared(wall), point, 0.25);
}

double wall_mesh_outside(const Wall *wall, Vec3 point) {
    const Mesh *mesh = wall_mesh_prepared(wall);
    if (!mesh_info(mesh)->closed || mesh_contains(mesh, point) != wall_mesh_is_solid(wall)) return 0;
    return mesh_distance(mesh, point, 0);
}

bool wall_mesh_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    if (!wall_mesh_is_room(wall)) return false;
    *lower = mesh_info(wall_mesh_prepared(wall))->lower;
    *upper = mesh_info(wall_mesh_prepared(wall))->upper;
    return true;
}

double wall_mesh_volume(const Wall *wall) {
    return wall_mesh_is_room(wall) ? mesh_info(wall_mesh_prepared(wall))->volume : INFINITY;
}

bool wall_mesh_surface(const Wall *wall, Surface *surface) {
    const Mesh *mesh = wall_mesh_prepared(wall);
    const Vec3 *vertices = mesh_vertices(mesh);
    int first = (int)surface->points.count;
    for (size_t i = 0; i < mesh_info(mesh)->vertex_count; i++)
        if (!surface_add_point(surface, vertices[i])) return false;
    for (size_t i = 0; i < mesh_info(mesh)->triangle_count; i++)
        if (!surface_add_polygon(surface, mesh_triangle(mesh, i), 3, first)) return false;
    return true;
}

const WallType wall_type_mesh = {
    .schema.alternative = {.key = "mesh",
                           .object = &wall_mesh_schema,
                           .doc = "A surface of triangles, from a file."},
    .describe = wall_mesh_describe,
    WALL_MESH_GEOMETRY,
    .file = wall_mesh_file,
    .prepare = wall_mesh_prepare,
};
