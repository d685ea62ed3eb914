// Porosity is that of the middle of the bed, between the heights z1 and z2 below which a tenth and nine tenths of its mass
// lie, so that neither the floor nor the surface counts:
//
//     1 - sum_i V_i(z1, z2) / V(z1, z2)
//
// V_i is the part of a sphere between two planes, V the part of the room, by points of a grid in the box around the grains.
// Grains that are not spheres count as spheres of the same volume.
#include "grains/filling.h"

#include <math.h>
#include <stdlib.h>

#include "grains/engine.h"

enum { FILLING_POINTS = 32 }; // along each axis
enum { FILLING_LEAST = 20 };  // grains

static Vec3 filling_up(const Grains *g) {
    return vec3_norm(g->gravity) > 0 ? vec3_normalize(vec3_neg(g->gravity)) : vec3(0, 0, 1);
}

static double filling_volume(const GrainStore *s, size_t i) {
    const Shape shape = store_shape(s, i);
    return shape_volume(&shape);
}

BedFilling filling_of_bed(Grains *g) {
    const GrainStore *s = grains_view(g);
    Vec3 up = filling_up(g);
    double top = -INFINITY, bottom = INFINITY, volume = 0, room = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        double height = vec3_dot(up, vec3(s->x[i], s->y[i], s->z[i]));
        top = fmax(top, height + store_reach(s, i, up));
        bottom = fmin(bottom, height - store_reach(s, i, vec3_neg(up)));
        volume += filling_volume(s, i);
    }
    for (int w = 0; w < g->definition->wall_count; w++)
        room = fmin(room, wall_volume(&g->definition->walls[w].shape));
    if (s->count == 0) return (BedFilling){0};
    return (BedFilling){top, bottom, top - bottom, isfinite(room) && room > 0 ? volume / room : 0};
}

// Of a sphere of this radius, below a plane at the height h above its centre.
static double filling_cap(double radius, double h) {
    double x = fmin(fmax(h / radius, -1), 1);
    return M_PI * radius * radius * radius * (2.0 / 3 + x - x * x * x / 3);
}

static int filling_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Does the room hold this point of the world?
static bool filling_in_room(const Grains *g, const Motion *walls, Vec3 point) {
    bool open = false, inside = false; // of several rooms with open sides, one must contain it
    for (int w = 0; w < g->definition->wall_count; w++) {
        const Wall *wall = &g->definition->walls[w].shape;
        Vec3 local = motion_to_local(&walls[w], point);
        if (wall_outside(wall, local) > 0) return false;
        open = open || wall_is_open(wall);
        inside = inside || (wall_is_open(wall) && !(wall_beyond(wall, local) > 0));
    }
    return inside || !open;
}

static double filling_room(const Grains *g, const Motion *walls, Vec3 up, Vec3 lower, Vec3 upper, double from,
                           double to) {
    int inside = 0;
    Vec3 size = vec3_sub(upper, lower);
    const int n = FILLING_POINTS;
    for (int i = 0; i < n * n * n; i++) {
        Vec3 point = {lower.x + size.x * (i % n + 0.5) / n, lower.y + size.y * (i / n % n + 0.5) / n,
                      lower.z + size.z * (i / n / n + 0.5) / n};
        double height = vec3_dot(up, point);
        inside += height >= from && height < to && filling_in_room(g, walls, point);
    }
    return size.x * size.y * size.z * inside / (n * n * n);
}

double filling_porosity(Grains *g, const Motion *walls) {
    const GrainStore *s = grains_view(g);
    Vec3 up = filling_up(g), lower = {INFINITY, INFINITY, INFINITY}, upper = vec3_neg(lower);
    double *heights = memory_alloc((s->count + 1) * sizeof *heights), solid = 0;
    if (!heights || s->count < FILLING_LEAST) {
        memory_free(heights);
        return NAN;
    }
    for (size_t i = 0; i < s->count; i++) {
        Vec3 center = {s->x[i], s->y[i], s->z[i]}, r = {s->radius[i], s->radius[i], s->radius[i]};
        heights[i] = vec3_dot(up, center);
        lost_include(vec3_sub(center, r), &lower, &upper);
        lost_include(vec3_add(center, r), &lower, &upper);
    }
    for (int k = 0; k < 3 && g->periodic.any; k++) {
        if (!g->periodic.along[k]) continue;
        vec3_set_component(&lower, k, g->periodic.lower[k]);
        vec3_set_component(&upper, k, g->periodic.lower[k] + g->periodic.length[k]);
    }
    qsort(heights, s->count, sizeof *heights, filling_compare);
    double from = heights[s->count / 10], to = heights[s->count - 1 - s->count / 10];
    memory_free(heights);
    // A box that is as thin as what is looked at, where gravity is along an axis of the world: the points are denser.
    for (int k = 0; k < 3; k++)
        if (fabs(vec3_component(up, k)) > 1 - 1e-9) {
            double sign = vec3_component(up, k);
            vec3_set_component(&lower, k, fmin(sign * from, sign * to));
            vec3_set_component(&upper, k, fmax(sign * from, sign * to));
        }
    for (size_t i = 0; i < s->count; i++) {
        double height = vec3_dot(up, vec3(s->x[i], s->y[i], s->z[i])),
               radius = cbrt(0.75 / M_PI * filling_volume(s, i));
        solid += filling_cap(radius, to - height) - filling_cap(radius, from - height);
    }
    double room = filling_room(g, walls, up, lower, upper, from, to);
    return room > 0 && to > from ? 1 - solid / room : NAN;
}
