// Which grains there are, what room they have, and who places them in it.
#include "grains/packing_internal.h"

#include <math.h>

#include "grains/sizes.h"

// ---- how many ------------------------------------------------------------------------------------
// The volume of all grains that the definition asks for; 0 when it asks for a number.
static MrcStatus wanted_volume(const GrainsDefinition *d, double density, double *volume, MrcError *error) {
    const ParticlesDefinition *p = &d->particles;
    *volume = p->total_mass > 0 ? p->total_mass / density : 0;
    if (!(p->filling > 0)) return MRC_OK;
    double room = INFINITY;
    for (int i = 0; i < d->wall_count; i++) room = fmin(room, wall_volume(&d->walls[i].shape));
    if (!isfinite(room))
        return error_set(error, MRC_PACKING, "grains '%s': a filling ratio needs a closed wall", d->name);
    *volume = p->filling * room;
    return MRC_OK;
}

MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error) {
    const ParticlesDefinition *p = &definition->particles;
    double volume, wanted = p->bed ? (double)p->bed->count : (double)p->count;
    MrcStatus status = wanted_volume(definition, density, &volume, error);
    if (status != MRC_OK) return status;
    if (volume > 0) {
        SizeTable table;
        status = sizes_create(&table, p, error);
        if (status != MRC_OK) return status;
        double each =
            sizes_are_equal(p) ? sphere_volume(p->radius) : sphere_volume(1) * sizes_moment(&table, 3);
        wanted = round(volume / each);
        sizes_free(&table);
    }
    if (!(wanted >= 1 && wanted < 2e9))
        return error_set(error, MRC_PACKING, "grains '%s': %.3g grains asked for", definition->name, wanted);
    *count = (size_t)wanted;
    return MRC_OK;
}

static MrcStatus list_radii(const GrainsDefinition *d, double density, RadiusList *radii, MrcError *error) {
    const BedData *bed = d->particles.bed;
    double volume;
    size_t count;
    MrcStatus status = packing_count(d, density, &count, error);
    if (status == MRC_OK) status = wanted_volume(d, density, &volume, error);
    if (status != MRC_OK) return status;
    if (!bed || !bed->columns[BED_RADIUS])
        return sizes_draw(&d->particles, volume > 0 ? 0 : count, volume, radii, error);
    if (!array_resize(radii, count)) return error_memory(error, "the grains");
    memcpy(radii->data, bed->columns[BED_RADIUS], count * sizeof *radii->data);
    return MRC_OK;
}

static MrcStatus create_store(const GrainsDefinition *d, const GrainsSetting *setting, GrainStore *store,
                              MrcError *error) {
    int material = material_find(setting->materials, setting->material_count, d->particles.material);
    double density = setting->materials[material].density;
    RadiusList radii = {0};
    MrcStatus status = list_radii(d, density, &radii, error);
    if (status == MRC_OK) status = store_create(store, radii.count, error);
    for (size_t i = 0; status == MRC_OK && i < radii.count; i++) {
        store->radius[i] = radii.data[i];
        store->inverse_mass[i] = 1 / (density * sphere_volume(radii.data[i]));
        store->material[i] = material;
        store->id[i] = (int32_t)i;
    }
    array_free(&radii);
    return status;
}

// ---- the room ------------------------------------------------------------------------------------
bool room_fits(const Room *room, Vec3 center, double radius) {
    const GrainsDefinition *d = room->definition;
    WallContact contacts[WALL_CONTACT_MAX];
    for (int w = 0; w < d->wall_count; w++) {
        const Wall *shape = &d->walls[w].shape;
        Vec3 local = motion_to_local(&room->walls[w], center);
        // A hair of tolerance: lattice sites made to rest on the floor must not be lost to rounding.
        int n = wall_contacts(shape, local, radius, room->gap + radius, contacts);
        for (int c = 0; c < n; c++)
            if (contacts[c].gap < room->gap - 1e-9 * radius) return false;
        if (wall_outside(shape, local) > 0) return false;
    }
    return true;
}

// A frame as seen from another one; exactly at rest there when it is the same.
static Motion seen_from(const Motion *port, const Motion *wall) {
    Motion seen = motion_at_rest();
    if (memcmp(&port->position, &wall->position, sizeof port->position) == 0 &&
        memcmp(&port->orientation, &wall->orientation, sizeof port->orientation) == 0)
        return seen;
    seen.position = motion_to_local(port, wall->position);
    seen.orientation =
        quaternion_normalize(quaternion_mul(quaternion_conjugate(port->orientation), wall->orientation));
    return seen;
}

// The box around a wall's room, in the port's axes; false when it has no end.
static bool bounds_in_port(const Wall *shape, const Motion *frame, Vec3 *lower, Vec3 *upper) {
    Vec3 low, high;
    if (!wall_bounds(shape, &low, &high)) return false;
    *lower = vec3(INFINITY, INFINITY, INFINITY), *upper = vec3_neg(*lower);
    for (int corner = 0; corner < 8; corner++) {
        Vec3 p = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
        p = motion_to_world(frame, p);
        *lower = vec3(fmin(lower->x, p.x), fmin(lower->y, p.y), fmin(lower->z, p.z));
        *upper = vec3(fmax(upper->x, p.x), fmax(upper->y, p.y), fmax(upper->z, p.z));
    }
    return true;
}

static void room_measure(Room *room, Vec3 up) {
    room->up = vec3_norm(up) > 0 ? vec3_normalize(up) : vec3(0, 0, 1);
    room->across1 = vec3_perpendicular(room->up);
    room->across2 = vec3_cross(room->up, room->across1);
    room->center = vec3_scale(0.5, vec3_add(room->lower, room->upper));
    Vec3 half = vec3_scale(0.5, vec3_sub(room->upper, room->lower));
    const Vec3 directions[3] = {room->across1, room->across2, room->up};
    double *extents[3] = {&room->extent1, &room->extent2, &room->extent_up};
    for (int k = 0; k < 3; k++)
        *extents[k] =
            fabs(directions[k].x) * half.x + fabs(directions[k].y) * half.y + fabs(directions[k].z) * half.z;
}

static MrcStatus room_find(const GrainsDefinition *d, const GrainsSetting *setting, const GrainStore *store,
                           Room *room, MrcError *error) {
    *room = (Room){.definition = d,
                   .gap = d->packing.gap,
                   .lower = vec3(-INFINITY, -INFINITY, -INFINITY),
                   .upper = vec3(INFINITY, INFINITY, INFINITY)};
    for (size_t i = 0; i < store->count; i++) room->radius = fmax(room->radius, store->radius[i]);
    room->walls = memory_alloc((size_t)d->wall_count * sizeof *room->walls);
    if (!room->walls) return error_memory(error, "the walls");
    for (int w = 0; w < d->wall_count; w++) {
        Vec3 lower, upper;
        room->walls[w] = seen_from(setting->port, &setting->walls[w]);
        if (!bounds_in_port(&d->walls[w].shape, &room->walls[w], &lower, &upper)) continue;
        for (int k = 0; k < 3; k++) {
            vec3_set_component(&room->lower, k,
                               fmax(vec3_component(room->lower, k), vec3_component(lower, k)));
            vec3_set_component(&room->upper, k,
                               fmin(vec3_component(room->upper, k), vec3_component(upper, k)));
        }
    }
    if (!vec3_is_finite(room->lower) || !vec3_is_finite(room->upper))
        return error_set(error, MRC_PACKING, "grains '%s': the walls do not close a room to place grains in",
                         d->name);
    Vec3 up = quaternion_unrotate(setting->port->orientation, vec3_neg(setting->gravity));
    if (d->packing.kind == PACKING_SETTLE && vec3_norm(d->packing.direction) > 0)
        up = vec3_neg(d->packing.direction);
    room_measure(room, up);
    return MRC_OK;
}

// ---- placing -------------------------------------------------------------------------------------
static MrcStatus place_bed(const GrainsDefinition *d, GrainStore *store, MrcError *error) {
    const BedData *bed = d->particles.bed;
    if (!bed) return error_set(error, MRC_PACKING, "grains '%s': no file was read", d->name);
    double *const arrays[BED_COLUMN_COUNT] = {store->x,  store->y,  store->z,  store->radius, store->vx,
                                              store->vy, store->vz, store->wx, store->wy,     store->wz};
    for (int c = 0; c < BED_COLUMN_COUNT; c++)
        if (bed->columns[c]) memcpy(arrays[c], bed->columns[c], store->count * sizeof(double));
    return MRC_OK;
}

static MrcStatus place(const GrainsDefinition *definition, const GrainsSetting *setting, GrainStore *store,
                       MrcError *error) {
    Room room;
    if (definition->packing.kind == PACKING_FILE) return place_bed(definition, store, error);
    MrcStatus status = room_find(definition, setting, store, &room, error);
    if (status == MRC_OK) switch (definition->packing.kind) {
        case PACKING_CUBIC:
            status = place_lattice(&room, false, store, error);
            break;
        case PACKING_FCC:
            status = place_lattice(&room, true, store, error);
            break;
        case PACKING_RANDOM:
            status = place_random(&room, (uint64_t)definition->packing.seed, 0, store, error);
            break;
        case PACKING_SETTLE:
            status = place_settled(&room, setting, store, error);
            break;
        case PACKING_FILE:
            break;
        }
    memory_free(room.walls);
    return status;
}

MrcStatus packing_create(const GrainsDefinition *definition, const GrainsSetting *setting, GrainStore *store,
                         MrcError *error) {
    MrcStatus status = create_store(definition, setting, store, error);
    return status == MRC_OK ? place(definition, setting, store, error) : status;
}
