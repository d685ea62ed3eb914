// The table of kinds of walls, and the functions of all kinds.
#include "geometry/wall.h"

#include <assert.h>
#include <math.h>

#include "geometry/wall_type.h"

#define WALL_POINTER(name) &wall_type_##name,
static const WallType *const wall_types[] = {WALL_TYPES(WALL_POINTER)};
#define WALL_SCHEMA(name) &wall_type_##name.schema,
const SchemaType *const wall_schema_types[] = {WALL_TYPES(WALL_SCHEMA) NULL};

enum { wall_kind_count = sizeof wall_types / sizeof *wall_types };

static const WallType *wall_type(const Wall *wall) {
    assert((unsigned)wall->kind < wall_kind_count);
    return wall_types[wall->kind];
}

// ---- making walls --------------------------------------------------------------------------------
static const SchemaKey *wall_key(const Wall *wall, const char *key, SchemaKind kind) {
    const SchemaKey *found = schema_find_key(wall_type(wall)->schema.alternative.object, key);
    assert(found && "a wall of this kind has no such member");
    assert(found->kind == kind || (kind == SCHEMA_VECTOR && found->kind == SCHEMA_AXIS));
    return found;
}

Wall wall_of_kind(const char *kind) {
    Wall wall = {0};
    while (wall.kind < wall_kind_count && strcmp(wall_types[wall.kind]->schema.alternative.key, kind) != 0)
        wall.kind++;
    const SchemaObject *object = wall_type(&wall)->schema.alternative.object;
    for (size_t k = 0; k < object->key_count; k++)
        if (object->keys[k].kind == SCHEMA_AXIS) wall_set_vector(&wall, object->keys[k].key, vec3(0, 0, 1));
    return wall;
}

void wall_set_number(Wall *wall, const char *key, double value) {
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_QUANTITY)->offset, &value, sizeof value);
}

void wall_set_vector(Wall *wall, const char *key, Vec3 value) {
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_VECTOR)->offset, &value, sizeof value);
}

void wall_set_text(Wall *wall, const char *key, const char *value) {
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_TEXT)->offset, &value, sizeof value);
}

void wall_set_flag(Wall *wall, const char *key, bool value) {
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_BOOLEAN)->offset, &value, sizeof value);
}

void wall_set_count(Wall *wall, const char *key, int64_t value) {
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_INTEGER)->offset, &value, sizeof value);
}

void wall_set_pair(Wall *wall, const char *key, double first, double second) {
    const double values[2] = {first, second};
    memcpy(wall->definition + wall_key(wall, key, SCHEMA_VECTOR)->offset, values, sizeof values);
}

void wall_set_choices(Wall *wall, const char *key, const char *words) {
    const SchemaKey *found = wall_key(wall, key, SCHEMA_CHOICES);
    int bits = 0;
    for (const SchemaChoice *each = found->choices; each->word; each++)
        if (schema_word_in(words, each->word)) bits |= each->value;
    memcpy(wall->definition + found->offset, &bits, sizeof bits);
}

double wall_number(const Wall *wall, const char *key) {
    double value;
    memcpy(&value, wall->definition + wall_key(wall, key, SCHEMA_QUANTITY)->offset, sizeof value);
    return value;
}

Vec3 wall_vector(const Wall *wall, const char *key) {
    Vec3 value;
    memcpy(&value, wall->definition + wall_key(wall, key, SCHEMA_VECTOR)->offset, sizeof value);
    return value;
}

// ---- description and identity --------------------------------------------------------------------
const char *wall_kind_name(const Wall *wall) { return wall_type(wall)->schema.alternative.key; }

WallHeight wall_height(const Wall *wall) {
    const WallType *type = wall_type(wall);
    return type->height ? type->height((Wall *)wall) : (WallHeight){0};
}

void wall_check(const Wall *wall, const Findings *findings) {
    const WallHeight height = wall_height(wall);
    if (height.height && *height.clearance > 0 && !(*height.height > 0))
        findings_error(findings, height.clearance,
                       "'clearance' is for the wall of a bed that settles: here the height must be given");
    if (wall_type(wall)->check) wall_type(wall)->check(wall, findings);
}

void wall_describe(const Wall *wall, Text *text) { wall_type(wall)->describe(wall, text); }

uint64_t wall_hash_files(const Wall *wall, uint64_t hash) {
    const WallType *type = wall_type(wall);
    return type->hash_files ? type->hash_files(wall, hash) : hash;
}

// All numbers by their keys; of files their contents, not their names.
void wall_write_identity(const Wall *wall, FILE *out) {
    const SchemaObject *object = wall_type(wall)->schema.alternative.object;
    fprintf(out, "%s", wall_kind_name(wall));
    for (size_t k = 0; k < object->key_count; k++) {
        const SchemaKey *key = &object->keys[k];
        const unsigned char *member = wall->definition + key->offset;
        double numbers[3];
        int count = key->kind == SCHEMA_QUANTITY ? 1
                    : key->kind == SCHEMA_VECTOR ? key->length
                    : key->kind == SCHEMA_AXIS   ? 3
                                                 : 0;
        memcpy(numbers, member, (size_t)count * sizeof *numbers);
        fprintf(out, " %s", key->key);
        if (key->kind == SCHEMA_BOOLEAN) fprintf(out, " %d", *(const bool *)member);
        if (key->kind == SCHEMA_INTEGER) fprintf(out, " %lld", (long long)*(const int64_t *)member);
        if (key->kind == SCHEMA_CHOICES) fprintf(out, " %d", *(const int *)member);
        for (int i = 0; i < count; i++) fprintf(out, " %a", numbers[i]);
    }
    fprintf(out, " files %016llx\n", (unsigned long long)wall_hash_files(wall, 0));
}

const char *const *wall_file(const Wall *wall) {
    return wall_type(wall)->file ? wall_type(wall)->file(wall) : NULL;
}

bool wall_can_prepare(const Wall *wall) {
    const WallType *type = wall_type(wall);
    return type->prepare && (type->file ? type->file(wall) != NULL : type->is_complete(wall));
}

MrcStatus wall_prepare(Wall *wall, const char *folder, MrcError *error) {
    const WallType *type = wall_type(wall);
    return type->prepare ? type->prepare(wall, folder, error) : MRC_OK;
}

void wall_release(Wall *wall) {
    if (wall_type(wall)->release) wall_type(wall)->release(wall);
}

bool wall_is_prepared(const Wall *wall) {
    return !wall_type(wall)->is_prepared || wall_type(wall)->is_prepared(wall);
}

// ---- geometry ------------------------------------------------------------------------------------
bool wall_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces) {
    const WallType *type = wall_type(wall);
    return type->faces && type->faces(wall, spheres, faces);
}

int wall_contacts_at(const Wall *wall, const Vec3 *center, double radius, double margin,
                     WallContact *contacts) {
    return wall_type(wall)->contacts(wall, center, radius, margin, contacts);
}

bool wall_is_open(const Wall *wall) { return wall_type(wall)->open && wall_type(wall)->open(wall); }

bool wall_has_pieces(const Wall *wall) {
    return wall_type(wall)->pieces && (!wall_type(wall)->open || wall_is_open(wall));
}

void wall_visit_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit, void *user) {
    wall_type(wall)->pieces(wall, center, reach, visit, user);
}

bool wall_piece_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    return wall_type(wall)->bears(wall, piece, point, direction);
}

int wall_contact_limit(const Wall *wall) { return wall_type(wall)->contact_limit; }

double wall_beyond(const Wall *wall, Vec3 point) {
    const WallType *type = wall_type(wall);
    return type->outside ? type->outside(wall, point) : fmax(0, -type->inset(wall, point));
}

double wall_outside(const Wall *wall, Vec3 point) {
    return wall_is_open(wall) ? 0 : wall_beyond(wall, point);
}

double wall_distance_bound(const Wall *wall, Vec3 point) {
    const WallType *type = wall_type(wall);
    return wall_is_open(wall) ? type->distance(wall, point) : fmax(0, type->inset(wall, point));
}

bool wall_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    return wall_type(wall)->bounds && wall_type(wall)->bounds(wall, lower, upper);
}

double wall_volume(const Wall *wall) {
    return wall_type(wall)->volume ? wall_type(wall)->volume(wall) : INFINITY;
}

MrcStatus wall_surface(const Wall *wall, Surface *surface, MrcError *error) {
    if (wall_type(wall)->surface(wall, surface)) return MRC_OK;
    return error_memory(error, "the surface of a wall");
}

// ---- surfaces ------------------------------------------------------------------------------------
bool surface_add_point(Surface *surface, Vec3 point) { return array_push(&surface->points, point); }

bool surface_add_polygon(Surface *surface, const int *corners, int count, int first) {
    for (int i = 0; i < count; i++)
        if (!array_push(&surface->corners, first + corners[i])) return false;
    return array_push(&surface->ends, (int)surface->corners.count);
}

bool surface_add_bands(Surface *surface, int bands, int slices, int first) {
    for (int band = 0; band < bands; band++)
        for (int slice = 0; slice < slices; slice++) {
            int next = (slice + 1) % slices, below = 1 + (band - 1) * slices, above = below + slices;
            int corners[4] = {below + slice, below + next, above + next, above + slice}, count = 4;
            if (band == 0) {
                corners[0] = 0;
                corners[1] = above + next;
                corners[2] = above + slice;
                count = 3;
            } else if (band == bands - 1) {
                corners[2] = below + slices; // the other pole
                count = 3;
            }
            if (!surface_add_polygon(surface, corners, count, first)) return false;
        }
    return true;
}

// Rings of points between the poles; the first point is the lower pole, the last one the upper.
bool surface_add_sphere(Surface *surface, Vec3 center, double radius, int bands, int slices) {
    int first = (int)surface->points.count;
    if (!surface_add_point(surface, vec3_sub(center, vec3(0, 0, radius)))) return false;
    for (int band = 1; band < bands; band++) {
        double latitude = M_PI * band / bands - M_PI / 2;
        for (int slice = 0; slice < slices; slice++) {
            double longitude = 2 * M_PI * slice / slices;
            Vec3 direction = {cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)};
            if (!surface_add_point(surface, vec3_madd(center, radius, direction))) return false;
        }
    }
    return surface_add_point(surface, vec3_add(center, vec3(0, 0, radius))) &&
           surface_add_bands(surface, bands, slices, first);
}

void surface_free(Surface *surface) {
    array_free(&surface->points);
    array_free(&surface->corners);
    array_free(&surface->ends);
}
