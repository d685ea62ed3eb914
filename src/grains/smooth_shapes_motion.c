// Grains that are not spheres in the smooth method: creation and motion. Contacts kick linear and angular momentum where
// the grain is, then it drifts and turns for the step by itself (turning.c):
//
//     v(n+1) = v(n) + h (f/m + g),     w <- w + h I(n)^-1 M,     x(n+1) = x(n) + h v(n+1),     R(n+1), w(n+1): turning.c
//
// Both parts keep what they should: the kicks of a pair keep its momenta exactly, and a grain that turns by itself keeps
// its angular momentum and energy to rounding. The two follow each other as in the leapfrog, velocities half a step before
// places: second order. All of these grains are moved step by step (none is in free flight as in engine.h): their turning
// has no closed form.
#include "grains/smooth_shapes.h"

#include <math.h>

MrcStatus smooth_shapes_create(Grains *g, MrcError *error) {
    const Shape *shapes = grains_shapes(g->definition);
    int count = grains_shape_count(g->definition);
    if (count == 0) return MRC_OK;
    g->shapes = memory_alloc(sizeof *g->shapes);
    if (!g->shapes || !array_resize(&g->shapes->turning, (size_t)count))
        return error_memory(error, "the shapes of grains");
    for (int k = 0; k < count; k++) g->shapes->turning.data[k] = turning_of_shape(&shapes[k]);
    return MRC_OK;
}

static void smooth_shapes_free_records(ShapeRecords *records, size_t count) {
    for (size_t k = 0; k < count; k++) {
        array_free(&records[k].last);
        array_free(&records[k].now);
    }
}

void smooth_shapes_free(Grains *g) {
    SmoothShapes *s = g->shapes;
    if (!s) return;
    smooth_shapes_free_records(s->pairs.data, s->pairs.count);
    smooth_shapes_free_records(s->walls.data, s->walls.count);
    array_free(&s->pairs);
    array_free(&s->walls);
    array_free(&s->kept);
    array_free(&s->axes);
    array_free(&s->turning);
    memory_free(s);
    g->shapes = NULL;
}

Mat3 smooth_shapes_inverse_inertia(const Grains *g, size_t i) {
    return turning_inverse_inertia(&g->shapes->turning.data[g->store.shape[i]], grain_pose(g, i).orientation,
                                   g->store.radius[i], grain_inverse_mass(g, i));
}

// The forces of the contacts, which are zeroed for the next step.
static Vec3 smooth_shapes_kick(Grains *g, size_t i, Vec3 spin) {
    double *line = g->motion + i * GRAIN_LINE, *force = g->forces + i * GRAIN_LINE;
    Vec3 moment = {force[3], force[4], force[5]};
    for (int c = 0; c < 3; c++) line[c] += g->step * line[GRAIN_INVERSE_MASS] * force[c];
    memset(force, 0, GRAIN_LINE * sizeof *force);
    return vec3_madd(spin, g->step, mat3_apply(smooth_shapes_inverse_inertia(g, i), moment));
}

bool smooth_shapes_move(Grains *g, size_t from, size_t to, Vec3 frame) {
    const Vec3 gain = pruning_velocity_gain(g, 1);
    bool strayed = false;
    for (size_t i = from; i < to; i++) {
        double *line = g->motion + i * GRAIN_LINE, *x = g->position + i * QUAD, r = line[GRAIN_RADIUS];
        const double *start = g->pruning.start + i * QUAD;
        Vec3 spin = grain_spin(g, i);
        if (g->touches.data[i]) spin = smooth_shapes_kick(g, i, spin);
        spin = turning_turn(&g->shapes->turning.data[g->store.shape[i]], g->orientation + i * QUAD, spin,
                            g->step);
        line[0] += gain.x, line[1] += gain.y, line[2] += gain.z;
        line[GRAIN_RIM] = r * spin.x, line[GRAIN_RIM + 1] = r * spin.y, line[GRAIN_RIM + 2] = r * spin.z;
        for (int c = 0; c < 3; c++) x[c] += g->step * line[c];
        g->turned.data[i] = (uint16_t)(g->pruning.steps + 1);
        Vec3 way = vec3_sub(vec3(x[0] - start[0], x[1] - start[1], x[2] - start[2]), frame);
        if (g->met.data[i]) strayed |= !(vec3_norm2(way) <= start[QUAD_REACH] * start[QUAD_REACH]);
    }
    return strayed;
}
