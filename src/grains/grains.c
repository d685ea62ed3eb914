// What all methods of moving grains share: creation, saving.
#include "grains/grains.h"

#include <math.h>

#include "base/threads.h"
#include "grains/engine.h"
#include "grains/method.h"
#include "grains/packing.h"

// ---- creation ------------------------------------------------------------------------------------
// Grains are placed in the port's axes and start moving with it.
static bool start_with_port(Grains *g, const Motion *port) {
    GrainStore *s = &g->store;
    Vec3 extra = g->definition->particles.velocity;
    double radii = 0;
    double **moved[] = {&s->x,  &s->y,  &s->z,  &s->vx, &s->vy,
                        &s->vz, &s->wx, &s->wy, &s->wz, &s->inverse_mass};
    g->position = memory_alloc((s->count + 16) * QUAD * sizeof(double));
    g->motion = memory_alloc((s->count + WIDE_LANES) * LINE * sizeof(double));
    if (!g->position || !g->motion) return false;
    g->uniform = true;
    g->least_radius = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        Vec3 world = motion_to_world(port, vec3(s->x[i], s->y[i], s->z[i]));
        // From a file, relative to the port and in its axes.
        Vec3 own = quaternion_rotate(port->orientation, vec3(s->vx[i], s->vy[i], s->vz[i]));
        Vec3 spin = quaternion_rotate(port->orientation, vec3(s->wx[i], s->wy[i], s->wz[i]));
        Vec3 v = vec3_add(vec3_add(motion_velocity_at(port, world), extra), own);
        Vec3 w = vec3_add(port->angular_velocity, spin);
        double r = s->radius[i];
        const double line[LINE] = {v.x, v.y, v.z, r * w.x, r * w.y, r * w.z, r, s->inverse_mass[i]};
        memcpy(g->motion + i * LINE, line, sizeof line);
        const double quad[QUAD] = {world.x, world.y, world.z, s->radius[i]};
        memcpy(g->position + i * QUAD, quad, sizeof quad);
        s->id[i] = (int32_t)i;
        g->mass += 1 / s->inverse_mass[i];
        radii += s->radius[i];
        g->least_radius = fmin(g->least_radius, s->radius[i]);
        g->uniform = g->uniform && s->radius[i] == s->radius[0] && s->inverse_mass[i] == s->inverse_mass[0] &&
                     s->material[i] == s->material[0];
    }
    g->radius = g->uniform ? s->radius[0] : radii / (double)s->count;
    for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) { // they live in quads and lines from now on
        memory_free(*moved[k]);
        *moved[k] = NULL;
    }
    return true;
}

static MrcStatus create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    MrcStatus status = packing_create(d, setting, &g->store, error);
    if (status == MRC_OK) status = store_create(&g->view, g->store.count, error);
    if (status != MRC_OK) return status;
    if (!start_with_port(g, setting->port) || !array_resize(&g->measured, (size_t)d->wall_count))
        return error_memory(error, "the grains");
    return g->method->create(g, setting, error);
}

MrcStatus grains_create(const GrainsDefinition *definition, const GrainsSetting *setting, Grains **out,
                        MrcError *error) {
    Grains *g = memory_alloc(sizeof *g);
    *out = NULL;
    if (!g) return error_memory(error, "the grains");
    g->definition = definition;
    g->method = grains_method(definition);
    g->gravity = setting->gravity;
    g->step = setting->step;
    g->materials = setting->materials;
    g->material_count = setting->material_count;
    g->view_step = -1;
    MrcStatus status = create(g, setting, error);
    if (status == MRC_OK) status = grains_check_lost(g, setting->walls, error);
    if (status != MRC_OK) grains_destroy(g);
    else *out = g;
    return status;
}

void grains_destroy(Grains *g) {
    if (!g) return;
    g->method->destroy(g);
    store_free(&g->store);
    store_free(&g->view);
    memory_free(g->position);
    memory_free(g->motion);
    neighbours_free(&g->neighbours);
    array_free(&g->measured);
    memory_free(g);
}

void grains_set_mobility(Grains *g, const double (*mobility)[6][6]) { g->mobility = mobility; }

// ---- the step ------------------------------------------------------------------------------------
MrcStatus grains_advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    return g->method->advance(g, walls, loads, error);
}

// Number by number: it needs no second set of them.
static void sort_blocks(Grains *g, double *blocks, size_t size) {
    const int32_t *order = g->neighbours.order.data;
    double *scratch = g->neighbours.scratch;
    for (size_t c = 0; c < size; c++) {
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
        for (size_t k = 0; k < g->store.count; k++) scratch[k] = blocks[(size_t)order[k] * size + c];
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
        for (size_t k = 0; k < g->store.count; k++) blocks[k * size + c] = scratch[k];
    }
}

void grains_follow_sort(Grains *g) {
    sort_blocks(g, g->position, QUAD);
    sort_blocks(g, g->motion, LINE);
}

// ---- saving --------------------------------------------------------------------------------------
void grains_archive(Grains *g, Archive *archive) {
    double *sums[] = {&g->work,    &g->input,         &g->impact,    &g->friction,
                      &g->rolling, &g->stabilisation, &g->algorithm, &g->largest_overlap};
    enum { sum_count = sizeof sums / sizeof *sums };
    double numbers[sum_count];
    for (int k = 0; k < sum_count; k++) numbers[k] = *sums[k];
    archive_doubles(archive, "sums", numbers, sum_count);
    for (int k = 0; k < sum_count; k++) *sums[k] = numbers[k];
    store_archive(&g->store, archive);
    archive_doubles(archive, "position", g->position, g->store.count * QUAD);
    archive_doubles(archive, "motion", g->motion, g->store.count * LINE);
    g->view_step = -1;
    g->method->archive(g, archive);
}

// ---- the rest ------------------------------------------------------------------------------------
size_t grains_count(const Grains *g) { return g->store.count; }
double grains_mass(const Grains *g) { return g->mass; }
int grains_wall_count(const Grains *g) { return g->definition->wall_count; }
double grains_critical_step(const Grains *g) { return g->method->critical_step(g); }

GrainsCounts grains_counts(const Grains *g) {
    GrainsCounts counts = {.steps = g->steps,
                           .lists = g->neighbours.builds,
                           .pairs = g->neighbours.index.count,
                           .skin = g->neighbours.skin};
    g->method->count(g, &counts);
    return counts;
}
