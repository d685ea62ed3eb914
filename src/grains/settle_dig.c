// Beds that are dug out after settling: grains above a depth are taken away, then those in the place of walls that were
// not there while the bed settled (a sleeper, tools), and what is left comes to rest around these walls. A bed that is
// poured around a sleeper instead would leave a hollow under it.
#include <math.h>

#include "grains/settle.h"

bool settle_digs(const PackingDefinition *packing) {
    return packing->depth > 0 || packing->without_count > 0;
}

bool settle_is_left_out(const PackingDefinition *packing, const WallDefinition *wall) {
    for (int k = 0; k < packing->without_count; k++)
        if (strcmp(packing->without[k], wall->name) == 0) return true;
    return false;
}

void settle_check_dig(const GrainsDefinition *d, const Findings *findings) {
    const PackingDefinition *p = &d->packing;
    for (int k = 0; k < p->without_count; k++) {
        bool known = false;
        for (int w = 0; w < d->wall_count; w++) known = known || strcmp(p->without[k], d->walls[w].name) == 0;
        if (!known)
            findings_error(findings, &p->without,
                           "'%s' has no wall '%s' to be left out while the grains settle", d->name,
                           p->without[k]);
    }
    int left = 0;
    for (int w = 0; w < d->wall_count; w++) left += !settle_is_left_out(p, &d->walls[w]);
    if (left == 0)
        findings_error(findings, &p->without, "no wall of '%s' is left for the grains to settle in", d->name);
}

// ---- before --------------------------------------------------------------------------------------
MrcStatus settle_leave_out(const Room *room, GrainsDefinition *definition, Room *reduced, MrcError *error) {
    const GrainsDefinition *d = room->definition;
    size_t count = (size_t)d->wall_count;
    *definition = *d;
    *reduced = *room;
    reduced->definition = definition;
    definition->wall_count = 0;
    definition->walls = memory_alloc(count * sizeof *definition->walls);
    reduced->walls = memory_alloc(count * sizeof *reduced->walls);
    if (!definition->walls || !reduced->walls) return error_memory(error, "the walls");
    for (size_t w = 0; w < count; w++) {
        if (settle_is_left_out(&d->packing, &d->walls[w])) continue;
        reduced->walls[definition->wall_count] = room->walls[w];
        definition->walls[definition->wall_count++] = d->walls[w];
    }
    return MRC_OK;
}

// ---- afterwards ----------------------------------------------------------------------------------
static double settle_height(const Room *room, Vec3 place) { // above the bottom
    return vec3_dot(room->up, vec3_sub(place, room->center)) + room->extent_up;
}

static bool settle_is_dug_out(const Room *room, const GrainStore *store, size_t i) {
    const GrainsDefinition *d = room->definition;
    Vec3 place = vec3(store->x[i], store->y[i], store->z[i]);
    double height = settle_height(room, place);
    if (d->packing.depth > 0 && height > d->packing.depth) return true;
    Shape shape = store_shape(store, i);
    Quaternion turn = store->qw ? (Quaternion){store->qw[i], store->qx[i], store->qy[i], store->qz[i]}
                                : quaternion_identity();
    for (int w = 0; w < d->wall_count; w++) {
        if (!settle_is_left_out(&d->packing, &d->walls[w])) continue;
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        const Motion *frame = &room->walls[w];
        Pose pose = {motion_to_local(frame, place),
                     quaternion_mul(quaternion_conjugate(frame->orientation), turn)};
        if (wall_outside(&d->walls[w].shape, pose.position) > 0 ||
            shape_wall_contacts(&shape, &pose, &d->walls[w].shape, 0, contacts) > 0)
            return true;
    }
    return false;
}

MrcStatus settle_dig(const Room *room, GrainStore *store, MrcError *error) {
    int32_t *kept = memory_alloc(store->count * sizeof *kept);
    size_t count = 0;
    if (!kept) return error_memory(error, "the settling bed");
    for (size_t i = 0; i < store->count; i++)
        if (!settle_is_dug_out(room, store, i)) kept[count++] = (int32_t)i;
    if (count > 0) store_keep(store, kept, count);
    memory_free(kept);
    if (count > 0) return MRC_OK;
    return error_set(error, MRC_PACKING,
                     "grains '%s': none is left below the 'depth' and outside the walls 'without'",
                     room->definition->name);
}

void settle_note_depth(const Room *room, const GrainStore *store, const Log *log) {
    double depth = room->definition->packing.depth, top = -INFINITY, largest = 0;
    for (size_t i = 0; i < store->count; i++) {
        Vec3 place = vec3(store->x[i], store->y[i], store->z[i]);
        top = fmax(top, settle_height(room, place) + store->radius[i]);
        largest = fmax(largest, store->radius[i]);
    }
    if (depth > 0 && log && store->count > 0 && top + largest < depth)
        log_note(log,
                 "grains '%s': the settled bed is at most %.3g m high and does not reach its 'depth' of %.3g "
                 "m: it has "
                 "not been made level; give more grains",
                 room->definition->name, top, depth);
}
