// Grains of one bed do not touch those of another. Two beds in one room would pass through each other, so rooms that
// overlap at the start are an error.
#include <math.h>
#include <string.h>

#include "model/check.h"
#include "partner/prescribed.h"

enum { ROOMS_POINTS = 24 }; // looked at along each axis of the box that two rooms share

typedef struct RoomsPair {
    const SimDefinition *definition;
    const char
        *shared; // the one port that carries all walls of both beds, wherever it is; NULL: there is none
} RoomsPair;

static bool rooms_same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool rooms_on_one_port(const GrainsDefinition *a, const GrainsDefinition *b, const char *port) {
    for (int w = 0; w < a->wall_count; w++)
        if (!rooms_same_name(grains_wall_port(a, w), port)) return false;
    for (int w = 0; w < b->wall_count; w++)
        if (!rooms_same_name(grains_wall_port(b, w), port)) return false;
    return true;
}

// Where a wall is at the start; false: on a mechanism, which is not put together yet, or on a port that another program moves.
static bool rooms_motion(const RoomsPair *pair, const char *port, Motion *motion) {
    const SimDefinition *d = pair->definition;
    *motion = motion_at_rest();
    if (!port || pair->shared) return true;
    for (int p = 0; p < d->port_count; p++)
        if (strcmp(d->ports[p].name, port) == 0 && port_is_prescribed(&d->ports[p])) {
            *motion = port_motion(&d->ports[p], (TimePoint){0, NULL});
            return true;
        }
    return false;
}

// The box around the room, in world axes; false: it has none, or is not known yet.
static bool rooms_box(const RoomsPair *pair, const GrainsDefinition *bed, Vec3 *lower, Vec3 *upper) {
    bool closed = false;
    *lower = vec3(-INFINITY, -INFINITY, -INFINITY);
    *upper = vec3(INFINITY, INFINITY, INFINITY);
    for (int w = 0; w < bed->wall_count; w++) {
        Motion motion;
        Vec3 low, high, least = vec3(INFINITY, INFINITY, INFINITY), most = vec3_scale(-1, least);
        const Wall *wall = &bed->walls[w].shape;
        if (!wall_is_prepared(wall) || !rooms_motion(pair, grains_wall_port(bed, w), &motion)) return false;
        if (isinf(wall_volume(wall)) || !wall_bounds(wall, &low, &high)) continue;
        closed = true;
        for (int corner = 0; corner < 8; corner++) {
            Vec3 local =
                vec3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z);
            Vec3 at = motion_to_world(&motion, local);
            least = vec3(fmin(least.x, at.x), fmin(least.y, at.y), fmin(least.z, at.z));
            most = vec3(fmax(most.x, at.x), fmax(most.y, at.y), fmax(most.z, at.z));
        }
        *lower = vec3(fmax(lower->x, least.x), fmax(lower->y, least.y), fmax(lower->z, least.z));
        *upper = vec3(fmin(upper->x, most.x), fmin(upper->y, most.y), fmin(upper->z, most.z));
    }
    return closed;
}

static bool rooms_contain(const RoomsPair *pair, const GrainsDefinition *bed, Vec3 point) {
    for (int w = 0; w < bed->wall_count; w++) {
        Motion motion;
        rooms_motion(pair, grains_wall_port(bed, w), &motion);
        if (wall_beyond(&bed->walls[w].shape, motion_to_local(&motion, point)) > 0) return false;
    }
    return true;
}

// Is a point of a grid in both rooms?
static bool rooms_overlap(const RoomsPair *pair, const GrainsDefinition *a, const GrainsDefinition *b) {
    Vec3 lower, upper, other_lower, other_upper;
    if (!rooms_box(pair, a, &lower, &upper) || !rooms_box(pair, b, &other_lower, &other_upper)) return false;
    lower = vec3(fmax(lower.x, other_lower.x), fmax(lower.y, other_lower.y), fmax(lower.z, other_lower.z));
    upper = vec3(fmin(upper.x, other_upper.x), fmin(upper.y, other_upper.y), fmin(upper.z, other_upper.z));
    Vec3 size = vec3_sub(upper, lower);
    double least = 1e-9 * vec3_norm(vec3_sub(other_upper, other_lower)); // rooms side by side share a face
    if (!(size.x > least && size.y > least && size.z > least)) return false;
    for (int i = 0; i < ROOMS_POINTS * ROOMS_POINTS * ROOMS_POINTS; i++) {
        Vec3 share = vec3((i % ROOMS_POINTS + 0.5) / ROOMS_POINTS,
                          (i / ROOMS_POINTS % ROOMS_POINTS + 0.5) / ROOMS_POINTS,
                          (i / (ROOMS_POINTS * ROOMS_POINTS) + 0.5) / ROOMS_POINTS);
        Vec3 point = vec3_add(lower, vec3(share.x * size.x, share.y * size.y, share.z * size.z));
        if (rooms_contain(pair, a, point) && rooms_contain(pair, b, point)) return true;
    }
    return false;
}

void check_rooms(Loader *loader, const SimDefinition *d) {
    for (int j = 1; j < d->grains_count; j++)
        for (int i = 0; i < j; i++) {
            const GrainsDefinition *a = &d->grains[i], *b = &d->grains[j];
            if (a->wall_count == 0 || b->wall_count == 0) continue;
            const char *port = grains_wall_port(a, 0);
            RoomsPair pair = {d, rooms_on_one_port(a, b, port) ? port : NULL};
            if (rooms_overlap(&pair, a, b))
                diagnostics_error(
                    loader->diagnostics, loader_place(loader, &b->name),
                    "'%s' and '%s' are in the same room: grains of different beds do not touch each "
                    "other; put all grains into one bed, 'particles: [{...}, {...}]', or move one of the "
                    "rooms",
                    a->name, b->name);
        }
}
