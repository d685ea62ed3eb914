#include "grains/clearance.h"

#include <math.h>
#include <string.h>

#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/packing.h"

static const double clearance_dense = 0.55; // share of a settled bed that grains take: for a first guess
static const double clearance_loose = 0.15; // of the tall room: a loose lattice fits with ease
static const double clearance_tilt = 0.5;   // least cosine between gravity and the axis of the room

const double *clearance_of_bed(const GrainsDefinition *d) {
    for (int w = 0; w < d->wall_count; w++) {
        const WallHeight found = wall_height(&d->walls[w].shape);
        if (found.height && *found.clearance > 0) return found.clearance;
    }
    return NULL;
}

// ---- before the checks ---------------------------------------------------------------------------
static MrcStatus clearance_refuse(const GrainsDefinition *d, const WallHeight *room, MrcError *error) {
    const char *reason = NULL;
    bool amount = d->particles.count > 0 || d->particles.total_mass > 0;
    for (int k = 0; k < d->more_count; k++)
        amount = amount && (d->more[k].count > 0 || d->more[k].total_mass > 0);
    if (d->packing.kind != PACKING_SETTLE) reason = "it is measured from a bed with 'packing: settle'";
    else if (d->wall_count > 1) reason = "the room must be the only wall of its bed";
    else if (*room->height > 0) reason = "'size' has two lengths then: the third one follows";
    else if (wall_is_open(&d->walls[0].shape)) reason = "a room with open sides has no lid";
    else if (d->packing.in_region) reason = "the bed must settle in the whole room, without a 'region'";
    else if (!amount) reason = "the number of grains must be given, by 'count' or 'total_mass'";
    return reason ? error_set(error, MRC_MODEL, "'clearance' of '%s': %s", d->name, reason) : MRC_OK;
}

// Towards which the grains fall, along the axis of the room.
static MrcStatus clearance_set_direction(GrainsDefinition *d, Vec3 axis, Vec3 up, MrcError *error) {
    Vec3 *direction = &d->packing.direction;
    if (vec3_norm(*direction) > 0) up = vec3_neg(vec3_normalize(*direction));
    double along = vec3_dot(up, axis);
    if (fabs(along) < clearance_tilt)
        return error_set(error, MRC_MODEL,
                         "'clearance' of '%s': gravity does not act along the height of the room; give "
                         "'packing: {settle: {direction: ...}}', in the axes of the port",
                         d->name);
    *direction = vec3_add(vec3_zero(), vec3_scale(along > 0 ? -1 : 1, axis)); // avoids -0 in the message
    return MRC_OK;
}

// The volume of all grains over the cross-section of the room [m]; 0: the definition has an error that the checks
// report.
static double clearance_solid_height(const GrainsDefinition *d, const Material *materials, int count,
                                     const WallHeight *room) {
    double volume = 0;
    for (int k = 0; k < grains_kind_count(d); k++) {
        const GrainsDefinition kind = grains_of_kind(d, k);
        const Material *material =
            kind.particles.material ? material_by_name(materials, count, kind.particles.material) : NULL;
        if (!material || !(material->density > 0)) return 0;
        volume += packing_expected_mass(&kind, material->density) / material->density;
    }
    *room->height = 1; // [m]
    double section = wall_volume(&d->walls[0].shape);
    return isfinite(volume) && section > 0 ? volume / section : 0;
}

static double clearance_largest_diameter(const GrainsDefinition *d) {
    double most = 0;
    for (int k = 0; k < grains_kind_count(d); k++) {
        const ParticlesDefinition *p = grains_kind(d, k);
        double least, largest;
        SizeTable table;
        if (grain_sizes_create(&table, p, NULL) != MRC_OK) continue;
        grain_sizes_range(&table, &least, &largest);
        grain_sizes_free(&table);
        most = fmax(most, 2 * largest * forms_largest_stretch(p));
    }
    return most;
}

MrcStatus clearance_prepare(GrainsDefinition *d, const Material *materials, int material_count, Vec3 up,
                            MrcError *error) {
    const double *clearance = clearance_of_bed(d);
    if (!clearance) return MRC_OK;
    const WallHeight room = wall_height(&d->walls[0].shape);
    MrcStatus status = clearance_refuse(d, &room, error);
    if (status == MRC_OK) status = clearance_set_direction(d, room.axis, up, error);
    if (status != MRC_OK) return status;
    double solid = clearance_solid_height(d, materials, material_count, &room),
           diameter = clearance_largest_diameter(d);
    if (!(solid > 0)) return MRC_OK;
    *room.height = fmax(solid / clearance_dense, diameter) + *room.clearance;
    d->tall = solid / clearance_loose + 4 * diameter;
    return MRC_OK;
}

// ---- the bed -------------------------------------------------------------------------------------
typedef struct TallRoom {
    GrainsDefinition definition;
    WallDefinition wall;
} TallRoom;

// Without the clearance, so that all clearances find the same bed in the cache.
static void clearance_make_tall(const GrainsDefinition *d, TallRoom *tall) {
    tall->definition = *d;
    tall->wall = d->walls[0];
    tall->definition.walls = &tall->wall;
    tall->definition.tall = 0;
    const WallHeight room = wall_height(&tall->wall.shape);
    *room.height = d->tall;
    *room.clearance = 0;
}

static double clearance_top(const GrainStore *store, Vec3 up) {
    double top = -INFINITY;
    for (size_t i = 0; i < store->count; i++) {
        double height = vec3_dot(up, vec3(store->x[i], store->y[i], store->z[i]));
        top = fmax(top, height + store_reach(store, i, up));
    }
    return top;
}

MrcStatus clearance_find(GrainsDefinition *d, const GrainsSetting *setting, MrcError *error) {
    if (!(d->tall > 0)) return MRC_OK;
    const Motion still = motion_at_rest();
    GrainsSetting own = *setting;
    if (!own.port) own.port = &still;
    own.walls = own.port;
    TallRoom tall;
    clearance_make_tall(d, &tall);
    GrainStore store = {0};
    MrcStatus status = packing_create(&tall.definition, &own, &store, error);
    if (status == MRC_OK) {
        const WallHeight room = wall_height(&d->walls[0].shape);
        Vec3 up = vec3_neg(d->packing.direction), center = wall_vector(&d->walls[0].shape, "center");
        double bottom = vec3_dot(up, center) - 0.5 * d->tall;
        *room.height = clearance_top(&store, up) - bottom + *room.clearance;
    }
    store_free(&store);
    return status;
}

MrcStatus clearance_create(const GrainsDefinition *d, const GrainsSetting *setting, GrainStore *store,
                           MrcError *error) {
    TallRoom tall;
    clearance_make_tall(d, &tall);
    MrcStatus status = packing_create(&tall.definition, setting, store, error);
    if (status != MRC_OK) return status;
    const WallHeight room = wall_height(&d->walls[0].shape);
    Vec3 rise = vec3_scale(-0.5 * (d->tall - *room.height), d->packing.direction);
    for (size_t i = 0; i < store->count; i++)
        store->x[i] += rise.x, store->y[i] += rise.y, store->z[i] += rise.z;
    return MRC_OK;
}
