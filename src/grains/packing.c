// Number and sizes of the grains, the room for them, and the table of packings.
#include "grains/packing_internal.h"

#include <assert.h>
#include <math.h>

#include "base/random.h"
#include "grains/clearance.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"

// ---- the table -----------------------------------------------------------------------------------
#define PACKING_POINTER(number, name) [number] = &packing_type_##name,
static const PackingType *const packing_types[] = {PACKING_TYPES(PACKING_POINTER)};
#define PACKING_SCHEMA(number, name) &packing_type_##name.schema,
const SchemaType *const packing_schema_types[] = {PACKING_TYPES(PACKING_SCHEMA) NULL};

static const PackingType *packing_type(const PackingDefinition *packing) {
    assert(packing->kind >= 0 && packing->kind < PACKING_KIND_COUNT);
    return packing_types[packing->kind];
}

void packing_check(const GrainsDefinition *d, Vec3 gravity, const Findings *findings) {
    if (d->packing.in_region) region_check(&d->packing.region, "packing of", d->name, findings);
    for (int r = 0; r < d->region_count; r++)
        region_check(&d->regions[r].region, "region", d->regions[r].name, findings);
    if (packing_type(&d->packing)->check) packing_type(&d->packing)->check(d, gravity, findings);
}

void packing_describe(const PackingDefinition *packing, struct Text *text) {
    packing_type(packing)->describe(packing, text);
}

bool packing_is_of_run(const PackingDefinition *packing) { return packing_type(packing)->of_run; }

const char *const *packing_file(const PackingDefinition *packing) {
    return packing_type(packing)->file ? packing_type(packing)->file(packing) : NULL;
}

// ---- how many ------------------------------------------------------------------------------------
// Closed rooms hold each other's grains, rooms with open sides lie beside each other.
double packing_room_volume(const GrainsDefinition *d) {
    double closed = INFINITY, open = 0;
    for (int i = 0; i < d->wall_count; i++) {
        const Wall *wall = &d->walls[i].shape;
        if (!wall_is_prepared(wall)) continue;
        if (wall_is_open(wall)) open += wall_volume(wall);
        else closed = fmin(closed, wall_volume(wall));
    }
    return open > 0 ? fmin(closed, open) : closed;
}

// The volume of all grains according to the definition, as that of spheres with the radii that will be drawn; 0: the
// definition gives their number.
static MrcStatus packing_wanted_volume(const GrainsDefinition *d, double density, double *volume,
                                       MrcError *error) {
    const ParticlesDefinition *p = &d->particles;
    double factor = forms_volume_factor(p);
    *volume = p->total_mass > 0 ? p->total_mass / density / factor : 0;
    if (!(p->filling > 0)) return MRC_OK;
    double room = packing_room_volume(d);
    if (!isfinite(room))
        return error_set(error, MRC_PACKING, "grains '%s': a filling ratio needs a closed wall", d->name);
    *volume = p->filling * room / factor;
    return MRC_OK;
}

MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error) {
    const ParticlesDefinition *p = &definition->particles;
    double volume, wanted = definition->bed ? (double)definition->bed->count : (double)p->count;
    MrcStatus status = packing_wanted_volume(definition, density, &volume, error);
    if (status != MRC_OK) return status;
    if (volume > 0) {
        SizeTable table;
        status = grain_sizes_create(&table, p, error);
        if (status != MRC_OK) return status;
        double each = grain_sizes_are_equal(p) ? sphere_volume(p->radius)
                                               : sphere_volume(1) * grain_sizes_moment(&table, 3);
        wanted = round(volume / each);
        grain_sizes_free(&table);
    }
    if (wanted == 0 && (definition->fed || packing_file(&definition->packing))) { // it begins empty
        *count = 0;
        return MRC_OK;
    }
    if (!(wanted >= 1 && wanted < 2e9))
        return error_set(error, MRC_PACKING, "grains '%s': %.3g grains asked for", definition->name, wanted);
    *count = (size_t)wanted;
    return MRC_OK;
}

// Memory is assigned when it is first written to, so that a bed that is too large would be noticed late, and by the
// operating system.
static const double packing_grain_bytes = 500; // of a grain, with its neighbours: at least

static MrcStatus packing_check_memory(const GrainsDefinition *definition, size_t count, MrcError *error) {
    double needed = packing_grain_bytes * (double)count;
    if (needed <= memory_physical()) return MRC_OK;
    return error_set(error, MRC_MEMORY,
                     "grains '%s': %zu grains take %.3g GB or more, this machine has %.3g GB",
                     definition->name, count, 1e-9 * needed, 1e-9 * memory_physical());
}

double packing_expected_mass(const GrainsDefinition *d, double density) {
    const BedData *bed = d->bed;
    const double *radii = bed ? bed->columns[BED_RADIUS] : NULL;
    double volume = 0;
    size_t count = 0;
    SizeTable table;
    if (packing_count(d, density, &count, NULL) != MRC_OK) return NAN;
    if (radii) {
        for (size_t i = 0; i < count; i++) volume += sphere_volume(radii[i]);
    } else if (grain_sizes_are_equal(&d->particles)) {
        volume = (double)count * sphere_volume(d->particles.radius);
    } else {
        if (grain_sizes_create(&table, &d->particles, NULL) != MRC_OK) return NAN;
        volume = (double)count * sphere_volume(1) * grain_sizes_moment(&table, 3);
        grain_sizes_free(&table);
    }
    return density * volume * forms_volume_factor(&d->particles);
}

static MrcStatus packing_list_radii(const GrainsDefinition *d, double density, RadiusList *radii,
                                    MrcError *error) {
    const BedData *bed = d->bed;
    double volume;
    size_t count = 0;
    MrcStatus status = packing_count(d, density, &count, error);
    if (status == MRC_OK) status = packing_check_memory(d, count, error);
    if (status == MRC_OK) status = packing_wanted_volume(d, density, &volume, error);
    if (status != MRC_OK) return status;
    if (!bed || !bed->columns[BED_RADIUS])
        return count == 0 ? MRC_OK
                          : grain_sizes_draw(&d->particles, volume > 0 ? 0 : count, volume, radii, error);
    if (!array_resize(radii, count)) return error_memory(error, "the grains");
    memcpy(radii->data, bed->columns[BED_RADIUS], count * sizeof *radii->data);
    return MRC_OK;
}

// Orientations at the start, in the port's axes: those of the port, or any, all equally likely (Shoemake 1992,
// doi:10.1016/B978-0-08-050755-2.50036-1).
static MrcStatus packing_turn(const GrainsDefinition *d, GrainStore *store, MrcError *error) {
    MrcStatus status = store_add_orientation(store, error);
    Random random = {(uint64_t)d->packing.seed ^ 0x9e3779b97f4a7c15u};
    for (size_t i = 0; status == MRC_OK && i < store->count; i++) {
        Quaternion q = quaternion_identity();
        if (grains_kind(d, store->kind ? store->kind[i] : 0)->turned)
            q = quaternion_normalize((Quaternion){random_normal(&random), random_normal(&random),
                                                  random_normal(&random), random_normal(&random)});
        store->qw[i] = q.w, store->qx[i] = q.x, store->qy[i] = q.y, store->qz[i] = q.z;
    }
    return status;
}

// Which kind each grain is, and how large. Several kinds are mixed: their order is shuffled, unless they are poured in stages.
typedef struct KindList {
    RadiusList radii;
    ARRAY(int32_t) kinds; // empty: there is only one
} KindList;

static MrcStatus packing_list_kinds(const GrainsDefinition *d, const GrainsSetting *setting, KindList *list,
                                    MrcError *error) {
    RadiusList radii = {0};
    MrcStatus status = MRC_OK;
    for (int k = 0; k < grains_kind_count(d) && status == MRC_OK; k++) {
        const GrainsDefinition one = grains_of_kind(d, k);
        int material = material_find(setting->materials, setting->material_count, one.particles.material);
        radii.count = 0;
        status = packing_list_radii(&one, setting->materials[material].density, &radii, error);
        for (size_t i = 0; i < radii.count && status == MRC_OK; i++)
            if (!array_push(&list->radii, radii.data[i]) || !array_push(&list->kinds, k))
                status = error_memory(error, "the grains");
    }
    array_free(&radii);
    Random random = {(uint64_t)d->packing.seed ^ 0xd1b54a32d192ed03u};
    for (size_t i = d->packing.stages > 1 ? 0 : list->radii.count; i > 1; i--) {
        size_t other = (size_t)(random_uniform(&random) * (double)i);
        double radius = list->radii.data[i - 1];
        int32_t kind = list->kinds.data[i - 1];
        list->radii.data[i - 1] = list->radii.data[other], list->kinds.data[i - 1] = list->kinds.data[other];
        list->radii.data[other] = radius, list->kinds.data[other] = kind;
    }
    return status;
}

// Of a file that says which kind each grain is: radii are drawn kind by kind, unless it has them too.
static MrcStatus packing_list_file(const GrainsDefinition *d, const GrainsSetting *setting, KindList *list,
                                   MrcError *error) {
    const BedData *bed = d->bed;
    RadiusList radii = {0};
    MrcStatus status = packing_check_memory(d, bed->count, error);
    if (status != MRC_OK) return status;
    if (!array_resize(&list->radii, bed->count) || !array_resize(&list->kinds, bed->count))
        return error_memory(error, "the grains");
    memcpy(list->kinds.data, bed->kinds, bed->count * sizeof *list->kinds.data);
    if (bed->columns[BED_RADIUS])
        memcpy(list->radii.data, bed->columns[BED_RADIUS], bed->count * sizeof *list->radii.data);
    for (int k = 0; k < grains_kind_count(d) && !bed->columns[BED_RADIUS] && status == MRC_OK; k++) {
        const GrainsDefinition one = grains_of_kind(d, k);
        int material = material_find(setting->materials, setting->material_count, one.particles.material);
        size_t next = radii.count = 0;
        status = packing_list_radii(&one, setting->materials[material].density, &radii, error);
        for (size_t i = 0; i < bed->count && status == MRC_OK; i++)
            if (bed->kinds[i] == k) list->radii.data[i] = radii.data[next++];
    }
    array_free(&radii);
    return status;
}

static MrcStatus packing_list_grains(const GrainsDefinition *d, const GrainsSetting *setting, KindList *list,
                                     MrcError *error) {
    if (d->more_count > 0 && d->bed && d->bed->kinds) return packing_list_file(d, setting, list, error);
    if (d->more_count > 0) return packing_list_kinds(d, setting, list, error);
    int material = material_find(setting->materials, setting->material_count, d->particles.material);
    return packing_list_radii(d, setting->materials[material].density, &list->radii, error);
}

// `turn`: of each kind, how many of its grains there are before this one: they take turns with its forms.
static void packing_set_grain(const GrainsDefinition *d, const GrainsSetting *setting, const KindList *list,
                              size_t *turn, GrainStore *store, size_t i) {
    int kind = list->kinds.count > 0 ? list->kinds.data[i] : 0;
    const ParticlesDefinition *p = grains_kind(d, kind);
    int material = material_find(setting->materials, setting->material_count, p->material);
    const BedData *bed = d->bed;
    bool given = bed && bed->columns[BED_RADIUS]; // as they are, not by a sieve
    store->radius[i] = list->radii.data[i];
    int32_t form = 0;
    if (p->shape_count > 0)
        form = bed && bed->forms ? bed->forms[i] : (int32_t)(turn[kind]++ % (size_t)p->shape_count);
    store->shape[i] = p->first_shape + form;
    if (p->stretch && !given) store->radius[i] *= p->stretch[form];
    Shape shape = store_shape(store, i);
    store->inverse_mass[i] = 1 / (setting->materials[material].density * shape_volume(&shape));
    store->material[i] = material;
    store->id[i] = (int32_t)i;
    if (store->kind) store->kind[i] = kind;
}

static MrcStatus packing_create_store(const GrainsDefinition *d, const GrainsSetting *setting,
                                      GrainStore *store, MrcError *error) {
    KindList list = {0};
    ARRAY(size_t) turn = {0};
    MrcStatus status = packing_list_grains(d, setting, &list, error);
    if (status == MRC_OK) status = store_create(store, list.radii.count, error);
    if (status == MRC_OK && d->more_count > 0) status = store_add_kinds(store, error);
    for (int k = 0; status == MRC_OK && k < grains_kind_count(d); k++)
        if (!array_push(&turn, 0)) status = error_memory(error, "the kinds of grains");
    bool shapes = grains_shape_count(d) > 0;
    if (shapes) store->shapes = grains_shapes(d);
    for (size_t i = 0; status == MRC_OK && i < list.radii.count; i++)
        packing_set_grain(d, setting, &list, turn.data, store, i);
    if (status == MRC_OK && shapes) status = packing_turn(d, store, error);
    array_free(&turn);
    array_free(&list.radii);
    array_free(&list.kinds);
    return status;
}

// ---- the room ------------------------------------------------------------------------------------
// Is a place above an open room, from where a grain falls into it? Both in the wall's axes.
static bool room_is_below(const Wall *wall, Vec3 place, Vec3 up) {
    Vec3 low, high;
    if (!wall_bounds(wall, &low, &high)) return false;
    Vec3 half = vec3_scale(0.5, vec3_sub(high, low)), middle = vec3_scale(0.5, vec3_add(high, low));
    double reach = fabs(up.x) * half.x + fabs(up.y) * half.y + fabs(up.z) * half.z;
    double above = vec3_dot(vec3_sub(place, middle), up) - reach;
    return above > 0 && !(wall_beyond(wall, vec3_madd(place, -above - 1e-6 * reach, up)) > 0);
}

bool room_fits(const Room *room, const Shape *shape, Vec3 center) {
    const GrainsDefinition *d = room->definition;
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    bool open = false, inside = false; // grains begin in a room with open sides, if there is one, or above
    for (int k = 0; k < 3 && room->periodic.any; k++) { // grains on both sides of a boundary would overlap
        double x = vec3_component(center, k) - room->periodic.lower[k],
               edge = shape->radius + 0.5 * room->gap;
        if (room->periodic.along[k] && !(x >= edge && x <= room->periodic.length[k] - edge)) return false;
    }
    const Wall *region = &d->packing.region.shape;
    WallContact beside[WALL_CONTACT_MAX];
    if (d->packing.in_region &&
        (wall_beyond(region, center) > 0 ||
         wall_contacts_of_sphere(region, center, shape->radius, -1e-9 * shape->radius, beside) > 0))
        return false;
    for (int w = 0; w < d->wall_count; w++) {
        const Wall *wall = &d->walls[w].shape;
        const Pose pose = {motion_to_local(&room->walls[w], center),
                           quaternion_conjugate(room->walls[w].orientation)};
        // With a tolerance: lattice sites that rest on the floor must not be lost to rounding.
        int n = shape_wall_contacts(shape, &pose, wall, room->gap + shape->radius, contacts);
        for (int c = 0; c < n; c++)
            if (contacts[c].gap < room->gap - 1e-9 * shape->radius) return false;
        if (wall_outside(wall, pose.position) > 0) return false;
        if (!wall_is_open(wall)) continue;
        open = true;
        inside =
            inside || !(wall_beyond(wall, pose.position) > 0) ||
            (d->packing.in_region &&
             room_is_below(wall, pose.position, quaternion_unrotate(room->walls[w].orientation, room->up)));
    }
    return inside || !open;
}

// A frame as seen from another one; exactly at rest there when it is the same.
static Motion packing_room_seen_from(const Motion *port, const Motion *wall) {
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
static bool packing_room_bounds(const Wall *shape, const Motion *frame, Vec3 *lower, Vec3 *upper) {
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

static void packing_room_measure(Room *room, Vec3 up) {
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

static void packing_room_intersect(Room *room, Vec3 lower, Vec3 upper) {
    room->lower =
        vec3(fmax(room->lower.x, lower.x), fmax(room->lower.y, lower.y), fmax(room->lower.z, lower.z));
    room->upper =
        vec3(fmin(room->upper.x, upper.x), fmin(room->upper.y, upper.y), fmin(room->upper.z, upper.z));
}

// The room above the rooms with open sides, as far as the region in which grains are placed reaches up.
static void packing_room_raise(const Room *region, Vec3 up, Vec3 *lower, Vec3 *upper) {
    for (int k = 0; k < 3; k++) {
        double direction = vec3_component(up, k);
        if (direction > 1e-9)
            vec3_set_component(upper, k, fmax(vec3_component(*upper, k), vec3_component(region->upper, k)));
        if (direction < -1e-9)
            vec3_set_component(lower, k, fmin(vec3_component(*lower, k), vec3_component(region->lower, k)));
    }
}

static MrcStatus packing_room_find(const GrainsDefinition *d, const GrainsSetting *setting,
                                   const GrainStore *store, Room *room, MrcError *error) {
    *room = (Room){.definition = d,
                   .gap = d->packing.gap,
                   .lower = vec3(-INFINITY, -INFINITY, -INFINITY),
                   .upper = vec3(INFINITY, INFINITY, INFINITY)};
    Vec3 up = quaternion_unrotate(setting->port->orientation, vec3_neg(setting->gravity));
    Vec3 fall = packing_type(&d->packing)->direction ? packing_type(&d->packing)->direction(&d->packing)
                                                     : vec3_zero();
    if (vec3_norm(fall) > 0) up = vec3_neg(fall);
    for (size_t i = 0; i < store->count; i++) room->radius = fmax(room->radius, store->radius[i]);
    room->walls = memory_alloc((size_t)d->wall_count * sizeof *room->walls);
    if (!room->walls) return error_memory(error, "the walls");
    const Motion own = motion_at_rest();
    Vec3 open_lower = room->upper, open_upper = room->lower;              // around all rooms with open sides
    for (int w = d->packing.in_region ? -1 : 0; w < d->wall_count; w++) { // -1: the region
        Vec3 lower, upper;
        if (w >= 0) room->walls[w] = packing_room_seen_from(setting->port, &setting->walls[w]);
        const Wall *shape = w < 0 ? &d->packing.region.shape : &d->walls[w].shape;
        if (!packing_room_bounds(shape, w < 0 ? &own : &room->walls[w], &lower, &upper)) continue;
        if (w >= 0 && wall_is_open(shape)) {
            open_lower =
                vec3(fmin(open_lower.x, lower.x), fmin(open_lower.y, lower.y), fmin(open_lower.z, lower.z));
            open_upper =
                vec3(fmax(open_upper.x, upper.x), fmax(open_upper.y, upper.y), fmax(open_upper.z, upper.z));
        } else packing_room_intersect(room, lower, upper);
    }
    if (open_upper.x > open_lower.x) {
        if (d->packing.in_region) packing_room_raise(room, up, &open_lower, &open_upper);
        packing_room_intersect(room, open_lower, open_upper);
    }
    const Motion origin = motion_at_rest();
    room->periodic = periodic_of_bed(d, &origin);
    for (int k = 0; k < 3; k++) {
        double low = room->periodic.lower[k], high = low + room->periodic.length[k];
        if (!room->periodic.along[k]) continue;
        vec3_set_component(&room->lower, k, fmax(vec3_component(room->lower, k), low));
        vec3_set_component(&room->upper, k, fmin(vec3_component(room->upper, k), high));
    }
    if (!vec3_is_finite(room->lower) || !vec3_is_finite(room->upper))
        return error_set(
            error, MRC_PACKING,
            "grains '%s': the walls do not close a room to place grains in; say where to place them, "
            "such as 'packing: {settle: {region: {box: {size: 20 20 30 mm}}}}'",
            d->name);
    if (d->packing.in_region &&
        !(room->lower.x < room->upper.x && room->lower.y < room->upper.y && room->lower.z < room->upper.z))
        return error_set(
            error, MRC_PACKING,
            "grains '%s': the region of 'packing' is outside the room; it must be in it, or above "
            "where it is open",
            d->name);
    packing_room_measure(room, up);
    return MRC_OK;
}

// ---- placing -------------------------------------------------------------------------------------
static MrcStatus packing_place(const GrainsDefinition *d, const GrainsSetting *setting, GrainStore *store,
                               MrcError *error) {
    const PackingType *type = packing_type(&d->packing);
    Room room = {.definition = d};
    MrcStatus status = type->given ? MRC_OK : packing_room_find(d, setting, store, &room, error);
    if (status == MRC_OK) status = type->place(&room, setting, store, error);
    memory_free(room.walls);
    return status;
}

MrcStatus packing_create(const GrainsDefinition *definition, const GrainsSetting *setting, GrainStore *store,
                         MrcError *error) {
    if (definition->tall > 0) return clearance_create(definition, setting, store, error);
    MrcStatus status = packing_create_store(definition, setting, store, error);
    return status == MRC_OK && store->count > 0 ? packing_place(definition, setting, store, error) : status;
}
