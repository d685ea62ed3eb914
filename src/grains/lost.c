// Lost grains: outside a closed wall or, where walls leave the room open, at places from which they cannot return. With
// gravity that is below all walls and all regions of inlets, outlets and meters; without it, beyond the box around
// these by its diagonal. A plane that faces upward catches everything. A grain that falls towards the plane of an
// outlet, which has no end, will leave there: it is not lost.
#include <math.h>

#include "grains/engine.h"

static double lost_outside(const Grains *g, size_t i, const Motion *walls, int w) {
    return wall_outside(&g->definition->walls[w].shape, motion_to_local(&walls[w], grain_center_now(g, i)));
}

static MrcStatus lost_by_wall(const Grains *g, const Motion *walls, int w, MrcError *error) {
    size_t lost = g->store.count;
    if (wall_is_open(&g->definition->walls[w].shape)) return MRC_OK; // nothing is outside
#pragma omp parallel for schedule(static) reduction(min : lost) if (g->store.count > 2000)
    for (size_t i = 0; i < g->store.count; i++)
        if (lost_outside(g, i, walls, w) > 0 && i < lost) lost = i;
    if (lost == g->store.count) return MRC_OK;
    return error_set(error, MRC_LOST_GRAIN, "grains '%s': the centre of grain %d is %.3g mm outside %s",
                     g->definition->name, g->store.id[lost], 1e3 * lost_outside(g, lost, walls, w),
                     g->definition->walls[w].name);
}

// ---- open rooms ----------------------------------------------------------------------------------
void lost_include(Vec3 point, Vec3 *lower, Vec3 *upper) {
    *lower = vec3(fmin(lower->x, point.x), fmin(lower->y, point.y), fmin(lower->z, point.z));
    *upper = vec3(fmax(upper->x, point.x), fmax(upper->y, point.y), fmax(upper->z, point.z));
}

MrcStatus lost_create(Grains *g, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    if (!array_resize(&g->extents, (size_t)d->wall_count)) return error_memory(error, "the walls");
    MrcStatus status = MRC_OK;
    for (int w = 0; w < d->wall_count && status == MRC_OK; w++) {
        WallExtent *extent = &g->extents.data[w];
        Surface surface = {0};
        Vec3 low, high;
        *extent =
            (WallExtent){.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
        extent->closed = !wall_is_open(&d->walls[w].shape) && wall_bounds(&d->walls[w].shape, &low, &high) &&
                         isfinite(wall_volume(&d->walls[w].shape));
        extent->endless = strcmp(wall_kind_name(&d->walls[w].shape), "plane") == 0;
        if (extent->endless) extent->normal = wall_vector(&d->walls[w].shape, "normal");
        status = wall_surface(&d->walls[w].shape, &surface, error);
        for (size_t k = 0; k < surface.points.count; k++)
            lost_include(surface.points.data[k], &extent->lower, &extent->upper);
        surface_free(&surface);
    }
    return status;
}

// The box around all walls, in world axes; false: nothing can get lost.
static bool lost_box(const Grains *g, const Motion *walls, Vec3 *lower, Vec3 *upper) {
    *lower = g->flow_lower, *upper = g->flow_upper;
    for (int w = 0; w < g->definition->wall_count; w++) {
        const WallExtent *extent = &g->extents.data[w];
        if (extent->closed) return false; // each grain is inside, or was found
        if (extent->endless) {
            Vec3 normal = quaternion_rotate(walls[w].orientation, extent->normal);
            if (!(vec3_norm(g->gravity) > 0) || vec3_dot(normal, g->gravity) < 0) return false;
        }
        for (int corner = 0; corner < 8; corner++) {
            Vec3 local = {corner & 1 ? extent->upper.x : extent->lower.x,
                          corner & 2 ? extent->upper.y : extent->lower.y,
                          corner & 4 ? extent->upper.z : extent->lower.z};
            lost_include(motion_to_world(&walls[w], local), lower, upper);
        }
    }
    return g->definition->wall_count > 0;
}

// Does the free flight of a grain end at the plane of an outlet? Its way along the normal n is n.v t + n.g t^2/2.
static bool lost_will_leave(const Grains *g, GrainMotion now) {
    double little = 1e-9 * vec3_norm(g->gravity);
    for (int k = 0; k < g->flow_way_count; k++) {
        double fall = vec3_dot(g->flow_ways[k], g->gravity);
        if (fall > little || (fall >= -little && vec3_dot(g->flow_ways[k], now.velocity) > 0)) return true;
    }
    return false;
}

typedef struct LostBox { // around all that can hold grains, in world axes
    Vec3 lower, upper;   // [m]
    Vec3 down;           // unit, along gravity; zero without it
    double deepest;      // of its corners along that [m]
} LostBox;

static bool lost_box_make(const Grains *g, const Motion *walls, LostBox *box) {
    double fall = vec3_norm(g->gravity);
    if (!lost_box(g, walls, &box->lower, &box->upper)) return false;
    box->down = fall > 0 ? vec3_scale(1 / fall, g->gravity) : vec3_zero();
    box->deepest = -INFINITY;
    for (int corner = 0; corner < 8; corner++)
        box->deepest =
            fmax(box->deepest, vec3_dot(box->down, vec3(corner & 1 ? box->upper.x : box->lower.x,
                                                        corner & 2 ? box->upper.y : box->lower.y,
                                                        corner & 4 ? box->upper.z : box->lower.z)));
    return true;
}

// By how much grain i is beyond the box along gravity, or without gravity in any direction, and moves on [m].
static double lost_beyond(const Grains *g, size_t i, const LostBox *box) {
    Vec3 center = grain_center_now(g, i);
    if (vec3_norm2(box->down) > 0) {
        double depth = vec3_dot(box->down, center) - box->deepest;
        if (!(depth > 0)) return 0;
        GrainMotion now = grain_now(g, i);
        return vec3_dot(now.velocity, box->down) > 0 && !lost_will_leave(g, now) ? depth : 0;
    }
    Vec3 lower = box->lower, upper = box->upper,
         near = {fmin(fmax(center.x, lower.x), upper.x), fmin(fmax(center.y, lower.y), upper.y),
                 fmin(fmax(center.z, lower.z), upper.z)};
    Vec3 away = vec3_sub(center, near);
    GrainMotion now = grain_now(g, i);
    return vec3_dot(away, now.velocity) > 0 && !lost_will_leave(g, now) ? vec3_norm(away) : 0;
}

static MrcStatus lost_from_open_room(const Grains *g, const Motion *walls, MrcError *error) {
    LostBox box;
    size_t lost = g->store.count;
    if (!lost_box_make(g, walls, &box)) return MRC_OK;
    bool falls = vec3_norm2(box.down) > 0;
    double margin = 10 * g->radius + (falls ? 0 : vec3_norm(vec3_sub(box.upper, box.lower)));
#pragma omp parallel for schedule(static) reduction(min : lost) if (g->store.count > 2000)
    for (size_t i = 0; i < g->store.count; i++)
        if (lost_beyond(g, i, &box) > margin && i < lost) lost = i;
    if (lost == g->store.count) return MRC_OK;
    return error_set(
        error, MRC_LOST_GRAIN,
        "grains '%s': grain %d is %.3g mm %s all walls and no outlet takes it; close the room or add "
        "an outlet",
        g->definition->name, g->store.id[lost], 1e3 * lost_beyond(g, lost, &box),
        falls ? "below" : "outside");
}

MrcStatus grains_check_lost(Grains *g, const Motion *walls, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int w = 0; w < g->definition->wall_count && status == MRC_OK; w++)
        status = lost_by_wall(g, walls, w, error);
    return status == MRC_OK ? lost_from_open_room(g, walls, error) : status;
}
