// Compactness of a region: the share of points of a grid in it that are inside a grain. The grid has 48 points along each
// axis of the box around the region. Each grain marks the points near it that it holds, so that grains that overlap do
// not count twice. A point counts as a whole: with cells of size d and n grains of diameter D in the region, the error is
// about (d/D)^2/sqrt(n); a hundred stones of 50 mm in a box of 300 mm give three digits.
#include "grains/compactness.h"

#include <math.h>
#include <string.h>

#include "grains/engine.h"

typedef struct RegionGrid {
    Vec3 lower, cell; // [m]
} RegionGrid;

static Vec3 compactness_point(const RegionGrid *grid, int i, int j, int k) {
    return vec3(grid->lower.x + (i + 0.5) * grid->cell.x, grid->lower.y + (j + 0.5) * grid->cell.y,
                grid->lower.z + (k + 0.5) * grid->cell.z);
}

// Points within `reach` of the place along one axis: from ... to - 1.
static void compactness_range(double place, double reach, double lower, double cell, int *from, int *to) {
    double first = ceil((place - reach - lower) / cell - 0.5),
           last = floor((place + reach - lower) / cell - 0.5);
    *from = (int)fmin(fmax(first, 0), COMPACTNESS_POINTS);
    *to = (int)fmin(fmax(last + 1, 0), COMPACTNESS_POINTS);
}

static void compactness_mark(const RegionGrid *grid, const Shape *shape, const Pose *pose,
                             unsigned char *cells) {
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++)
        compactness_range(vec3_component(pose->position, axis), shape->radius,
                          vec3_component(grid->lower, axis), vec3_component(grid->cell, axis), &from[axis],
                          &to[axis]);
    Mat3 axes = quaternion_to_matrix(pose->orientation);
    for (int k = from[2]; k < to[2]; k++)
        for (int j = from[1]; j < to[1]; j++)
            for (int i = from[0]; i < to[0]; i++) {
                Vec3 point = vec3_sub(compactness_point(grid, i, j, k), pose->position);
                if (shape_holds(shape, mat3_apply_transpose(axes, point)))
                    cells[(k * COMPACTNESS_POINTS + j) * COMPACTNESS_POINTS + i] = 1;
            }
}

static double compactness_share(const RegionGrid *grid, const Wall *room, const unsigned char *cells) {
    int64_t all = 0, solid = 0;
    for (int k = 0; k < COMPACTNESS_POINTS; k++)
        for (int j = 0; j < COMPACTNESS_POINTS; j++)
            for (int i = 0; i < COMPACTNESS_POINTS; i++) {
                if (wall_beyond(room, compactness_point(grid, i, j, k)) > 0) continue;
                all++;
                solid += cells[(k * COMPACTNESS_POINTS + j) * COMPACTNESS_POINTS + i];
            }
    return all > 0 ? (double)solid / (double)all : 0;
}

// A grain, and in a periodic bed all images of it that reach into the region.
static void compactness_add(const RegionGrid *grid, const PlacedRegion *region, const Periodic *periodic,
                            const GrainStore *s, size_t i, unsigned char *cells) {
    Shape shape = store_shape(s, i);
    Quaternion turn = s->qw ? (Quaternion){s->qw[i], s->qx[i], s->qy[i], s->qz[i]} : quaternion_identity();
    Pose pose = {.orientation = quaternion_mul(quaternion_conjugate(region->port.orientation), turn)};
    Vec3 reach = vec3(shape.radius, shape.radius, shape.radius);
    PeriodicImages images = periodic_images(periodic, vec3(s->x[i], s->y[i], s->z[i]),
                                            vec3_sub(region->lower, reach), vec3_add(region->upper, reach));
    for (int64_t n = 0; n < images.count; n++) {
        pose.position = motion_to_local(&region->port, periodic_image(periodic, &images, n));
        compactness_mark(grid, &shape, &pose, cells);
    }
}

RegionMeasure compactness_measure(Grains *g, const Motion *port, const RegionDefinition *region,
                                  unsigned char *cells) {
    const GrainStore *s = grains_view(g);
    RegionMeasure measure = {0};
    RegionGrid grid;
    Vec3 upper;
    if (!wall_bounds(&region->shape, &grid.lower, &upper)) return measure;
    grid.cell = vec3_scale(1.0 / COMPACTNESS_POINTS, vec3_sub(upper, grid.lower));
    memset(cells, 0, COMPACTNESS_CELLS);
    PlacedRegion placed = region_place(region, port);
    for (size_t i = 0; i < s->count; i++) {
        measure.count += region_holds(&placed, &g->periodic, vec3(s->x[i], s->y[i], s->z[i]));
        compactness_add(&grid, &placed, &g->periodic, s, i, cells);
    }
    measure.compactness = compactness_share(&grid, &region->shape, cells);
    return measure;
}
