// What frames show of beds: grains as points, grains with faces as their surfaces, and walls.
#include <string.h>

#include "partner/beds.h"

// Unit quaternions as they are seen from `from`, if orientations are kept.
static bool beds_add_orientation(FramePart *part, const GrainStore *store, const Motion *from, Arena *arena) {
    FrameValues values = {"orientation", 4, .values = {store->qw, store->qx, store->qy, store->qz}};
    if (!store->qw) return true;
    if (from) {
        double *seen[4];
        for (int k = 0; k < 4; k++) {
            values.values[k] = seen[k] = arena_alloc(arena, store->count * sizeof(double) + 1);
            if (!seen[k]) return false;
        }
        for (size_t i = 0; i < store->count; i++) {
            Quaternion q =
                quaternion_mul(quaternion_conjugate(from->orientation),
                               (Quaternion){store->qw[i], store->qx[i], store->qy[i], store->qz[i]});
            seen[0][i] = q.w, seen[1][i] = q.x, seen[2][i] = q.y, seen[3][i] = q.z;
        }
    }
    part->values[part->value_count++] = values;
    return true;
}

// Grains in order of id, so that grain k is the same one in every frame; as they are seen from `from`.
static MrcStatus beds_add_grains(const char *name, const GrainStore *store, const Motion *from,
                                 FrameList *list, MrcError *error) {
    size_t n = store->count;
    int64_t *id = arena_alloc(list->arena, n * sizeof *id + 1);
    double *columns[9];
    const double *own[9] = {store->x,  store->y,  store->z,  store->vx, store->vy,
                            store->vz, store->wx, store->wy, store->wz};
    bool fine = id != NULL;
    for (int c = 0; c < 9; c++)
        fine =
            (columns[c] = from ? arena_alloc(list->arena, n * sizeof(double) + 1) : (double *)own[c]) && fine;
    if (!fine) return error_memory(error, "a frame");
    Quaternion back = from ? quaternion_conjugate(from->orientation) : quaternion_identity();
    for (size_t i = 0; i < n; i++) {
        id[i] = store->id[i];
        if (!from) continue;
        Vec3 x = vec3(store->x[i], store->y[i], store->z[i]),
             v = vec3(store->vx[i], store->vy[i], store->vz[i]),
             w = vec3(store->wx[i], store->wy[i], store->wz[i]);
        Vec3 seen[3] = {motion_to_local(from, x),
                        quaternion_rotate(back, vec3_sub(v, motion_velocity_at(from, x))),
                        quaternion_rotate(back, vec3_sub(w, from->angular_velocity))};
        for (int k = 0; k < 3; k++)
            columns[3 * k][i] = seen[k].x, columns[3 * k + 1][i] = seen[k].y,
                        columns[3 * k + 2][i] = seen[k].z;
    }
    FramePart part = {.name = name,
                      .shape = FRAME_POINTS,
                      .count = n,
                      .place = {columns[0], columns[1], columns[2]},
                      .values = {{"radius", 1, .values = {store->radius}},
                                 {"velocity", 3, .values = {columns[3], columns[4], columns[5]}},
                                 {"angular_velocity", 3, .values = {columns[6], columns[7], columns[8]}},
                                 {"id", 1, .integers = id}},
                      .value_count = 4};
    if (store->kind) {
        int64_t *kinds = arena_alloc(list->arena, n * sizeof *kinds + 1);
        if (!kinds) return error_memory(error, "a frame");
        for (size_t i = 0; i < n; i++) kinds[i] = store->kind[i];
        part.values[part.value_count++] = (FrameValues){"kind", 1, .integers = kinds};
    }
    bool added = beds_add_orientation(&part, store, from, list->arena) && frame_list_add(list, part);
    return added ? MRC_OK : error_memory(error, "a frame");
}

// The surfaces of grains with faces, with the id and the velocity of the grain on each polygon. The part is there in
// all frames or in none.
typedef struct BodyFaces {
    Surface surface;
    ARRAY(int64_t) id;    // of each polygon
    ARRAY(Vec3) velocity; // likewise
    ARRAY(int) ends;      // of each grain: points up to its last one
} BodyFaces;

static MrcStatus beds_add_body(BodyFaces *faces, const GrainStore *s, size_t i, const Motion *from,
                               MrcError *error) {
    Shape shape = store_shape(s, i);
    Vec3 place = {s->x[i], s->y[i], s->z[i]}, velocity = {s->vx[i], s->vy[i], s->vz[i]};
    Quaternion back = quaternion_conjugate(from->orientation),
               turn = {s->qw[i], s->qx[i], s->qy[i], s->qz[i]};
    Pose pose = {motion_to_local(from, place), quaternion_mul(back, turn)};
    velocity = quaternion_rotate(back, vec3_sub(velocity, motion_velocity_at(from, place)));
    MrcStatus status = shape_surface(&shape, &pose, &faces->surface, error);
    while (status == MRC_OK && faces->id.count < faces->surface.ends.count)
        if (!array_push(&faces->id, (int64_t)s->id[i]) || !array_push(&faces->velocity, velocity))
            status = error_memory(error, "a frame");
    if (status == MRC_OK && !array_push(&faces->ends, (int)faces->surface.points.count))
        status = error_memory(error, "a frame");
    return status;
}

static void *beds_keep(Arena *arena, const void *data, size_t bytes) {
    void *copy = arena_alloc(arena, bytes + 1);
    if (copy && bytes) memcpy(copy, data, bytes);
    return copy;
}

// A surface as a part of the frame, without values.
static bool beds_surface_part(FramePart *part, const char *name, const Surface *surface, Arena *arena) {
    size_t points = surface->points.count, corners = surface->corners.count, ends = surface->ends.count;
    *part = (FramePart){.name = name,
                        .shape = FRAME_SURFACE,
                        .count = points,
                        .places = beds_keep(arena, surface->points.data, points * sizeof(Vec3)),
                        .corners = beds_keep(arena, surface->corners.data, corners * sizeof(int)),
                        .corner_count = corners,
                        .ends = beds_keep(arena, surface->ends.data, ends * sizeof(int)),
                        .end_count = ends};
    return name && part->places && part->corners && part->ends;
}

static MrcStatus beds_add_bodies(const char *bed, const GrainStore *s, const Motion *from, FrameList *list,
                                 MrcError *error) {
    BodyFaces faces = {0};
    FramePart part;
    MrcStatus status = MRC_OK;
    for (size_t i = 0; i < s->count && status == MRC_OK && !list->names_only; i++)
        status = beds_add_body(&faces, s, i, from, error);
    size_t polygons = faces.surface.ends.count;
    const char *name = arena_printf(list->arena, "%s-bodies", bed);
    int64_t *ids = beds_keep(list->arena, faces.id.data, polygons * sizeof *ids);
    Vec3 *velocities = beds_keep(list->arena, faces.velocity.data, polygons * sizeof *velocities);
    int *ends = beds_keep(list->arena, faces.ends.data, faces.ends.count * sizeof *ends);
    bool whole = beds_surface_part(&part, name, &faces.surface, list->arena) && ids && velocities && ends;
    part.marks = ends, part.mark_count = faces.ends.count;
    part.values[0] = (FrameValues){"id", 1, .integers = ids};
    part.values[1] = (FrameValues){"velocity", 3, .vectors = velocities};
    part.value_count = 2;
    if (status == MRC_OK && !(whole && frame_list_add(list, part))) status = error_memory(error, "a frame");
    surface_free(&faces.surface);
    array_free(&faces.id);
    array_free(&faces.velocity);
    array_free(&faces.ends);
    return status;
}

static MrcStatus beds_add_walls(const char *name, const Bed *bed, const Motion *from, FrameList *list,
                                MrcError *error) {
    Surface surface = {0};
    FramePart part;
    MrcStatus status = MRC_OK;
    for (int w = 0; w < bed->definition->wall_count && status == MRC_OK; w++) {
        size_t first = surface.points.count;
        status = wall_surface(&bed->definition->walls[w].shape, &surface, error);
        for (size_t p = first; p < surface.points.count; p++)
            surface.points.data[p] =
                motion_to_local(from, motion_to_world(&bed->motions[w], surface.points.data[p]));
    }
    bool whole = beds_surface_part(&part, name, &surface, list->arena);
    surface_free(&surface);
    if (status == MRC_OK && !(whole && frame_list_add(list, part))) status = error_memory(error, "a frame");
    return status;
}

MrcStatus beds_frames(void *self, FrameView view, FrameList *list, MrcError *error) {
    static const char *const kinds[FRAME_VIEW_COUNT][2] = {{"", "-walls"},
                                                           {"-container", "-container-walls"}};
    const Beds *b = self;
    MrcStatus status = MRC_OK;
    for (int g = 0; g < b->count && status == MRC_OK; g++) {
        const Bed *bed = &b->items[g];
        Motion from = view == FRAME_WORLD || bed->port < 0 ? motion_at_rest() : bed->frame;
        const char *names[2];
        for (int k = 0; k < 2; k++) {
            names[k] = arena_printf(list->arena, "%s%s", bed->definition->name, kinds[view][k]);
            if (!names[k]) return error_memory(error, "a frame");
            if (list->names_only && !frame_list_add(list, (FramePart){.name = names[k]}))
                return error_memory(error, "a frame");
        }
        bool bodies = grains_shape_count(bed->definition) > 0;
        if (bodies) status = beds_add_bodies(names[0], grains_view(bed->grains), &from, list, error);
        if (list->names_only || status != MRC_OK) continue;
        status = beds_add_grains(names[0], grains_view(bed->grains), view == FRAME_WORLD ? NULL : &from, list,
                                 error);
        if (status == MRC_OK) status = beds_add_walls(names[1], bed, &from, list, error);
    }
    return status;
}
