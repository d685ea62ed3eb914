// What all methods of moving grains share: creation, saving.
#include "grains/grains.h"

#include <math.h>

#include <stdlib.h>

#include "base/threads.h"
#include "grains/archive_check.h"
#include "grains/engine.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/method.h"
#include "grains/packing.h"

// ---- creation ------------------------------------------------------------------------------------
// Grains are placed in the port's axes and start moving with it.
static bool grains_start_with_port(Grains *g, const Motion *port) {
    GrainStore *s = &g->store;
    const GrainsDefinition *d = g->definition;
    double radii = 0;
    double **moved[] = {&s->x,  &s->y,  &s->z,  &s->vx, &s->vy,
                        &s->vz, &s->wx, &s->wy, &s->wz, &s->inverse_mass};
    g->position = memory_alloc((s->count + 16) * QUAD * sizeof(double));
    g->motion = memory_alloc((s->count + WIDE_LANES) * GRAIN_LINE * sizeof(double));
    if (!g->position || !g->motion) return false;
    g->uniform = true;
    g->least_radius = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        Vec3 world = motion_to_world(port, vec3(s->x[i], s->y[i], s->z[i]));
        // From a file, relative to the port and in its axes.
        Vec3 own = quaternion_rotate(port->orientation, vec3(s->vx[i], s->vy[i], s->vz[i]));
        Vec3 spin = quaternion_rotate(port->orientation, vec3(s->wx[i], s->wy[i], s->wz[i]));
        Vec3 extra = d->settling ? vec3_zero() : grains_kind(d, s->kind ? s->kind[i] : 0)->velocity;
        Vec3 v = vec3_add(vec3_add(motion_velocity_at(port, world), extra), own);
        Vec3 w = vec3_add(port->angular_velocity, spin);
        double r = s->radius[i];
        const double line[GRAIN_LINE] = {v.x, v.y, v.z, r * w.x, r * w.y, r * w.z, r, s->inverse_mass[i]};
        memcpy(g->motion + i * GRAIN_LINE, line, sizeof line);
        const double quad[QUAD] = {world.x, world.y, world.z, s->radius[i]};
        memcpy(g->position + i * QUAD, quad, sizeof quad);
        s->id[i] = (int32_t)i;
        g->mass += 1 / s->inverse_mass[i];
        radii += s->radius[i];
        g->least_radius = fmin(g->least_radius, s->radius[i]);
        g->uniform = g->uniform && s->radius[i] == s->radius[0] && s->inverse_mass[i] == s->inverse_mass[0] &&
                     s->material[i] == s->material[0];
    }
    g->next_id = (int64_t)s->count;
    if (!array_resize(&g->ids, s->count)) return false;
    for (size_t i = 0; i < s->count; i++) g->ids.data[i] = (int32_t)i;
    g->radius = s->count == 0 ? 0 : g->uniform ? s->radius[0] : radii / (double)s->count;
    for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) { // methods keep them in quads and lines
        memory_free(*moved[k]);
        *moved[k] = NULL;
    }
    return true;
}

// In a bed whose grains come and leave, statements about all grains hold for those that may come, too.
static MrcStatus grains_add_history(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    MrcStatus status = g->store.kind ? store_add_kinds(&g->view, error) : MRC_OK;
    if (!setting->keep_history || status != MRC_OK) return status;
    status = store_add_history(&g->store, error);
    if (status == MRC_OK) status = store_add_history(&g->view, error);
    g->uniform = d->more_count == 0 && grain_sizes_are_equal(&d->particles) && grains_shape_count(d) == 0;
    g->radius = 0;
    g->least_radius = INFINITY;
    for (int k = 0; k < grains_kind_count(d); k++) {
        g->radius += grain_sizes_mean_radius(grains_kind(d, k)) / grains_kind_count(d);
        g->least_radius = fmin(g->least_radius, grain_sizes_least_radius(grains_kind(d, k)));
    }
    return status;
}

// Grains have the axes of the port when they are placed, or orientations of their own in these axes, which the store
// gives away.
static MrcStatus grains_add_orientation(Grains *g, const GrainsSetting *setting, MrcError *error) {
    bool round = grains_shape_count(g->definition) == 0;
    if (round && !setting->keep_orientation) return MRC_OK;
    GrainStore *s = &g->store;
    g->orientation = memory_alloc((s->count + 1) * QUAD * sizeof(double));
    if (!g->orientation) return error_memory(error, "the orientations of grains");
    for (size_t i = 0; i < s->count; i++) {
        Quaternion q = setting->port->orientation;
        if (s->qw)
            q = quaternion_normalize(quaternion_mul(q, (Quaternion){s->qw[i], s->qx[i], s->qy[i], s->qz[i]}));
        const double quad[QUAD] = {q.w, q.x, q.y, q.z};
        memcpy(g->orientation + i * QUAD, quad, sizeof quad);
    }
    store_drop_orientation(s);
    return store_add_orientation(&g->view, error);
}

static MrcStatus grains_create_parts(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    MrcStatus status = packing_create(d, setting, &g->store, error);
    if (status == MRC_OK) status = store_create(&g->view, g->store.count, error);
    if (status != MRC_OK) return status;
    g->view.shapes = g->store.shapes;
    if (!grains_start_with_port(g, setting->port) || !array_resize(&g->measured, (size_t)d->wall_count))
        return error_memory(error, "the grains");
    status = grains_add_orientation(g, setting, error);
    if (status == MRC_OK) status = grains_add_history(g, setting, error);
    g->capacity = g->store.count;
    return status == MRC_OK ? g->method->create(g, setting, error) : status;
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
    g->periodic = periodic_of_bed(definition, setting->port);
    g->flow_lower = vec3(INFINITY, INFINITY, INFINITY), g->flow_upper = vec3_neg(g->flow_lower);
    MrcStatus status = MRC_OK;
    if (g->periodic.any && fabs(setting->port->orientation.w) < 1 - 1e-12)
        status = error_set(error, MRC_MODEL,
                           "grains '%s': the port of a periodic bed must not be turned at the start",
                           definition->name);
    if (status == MRC_OK) status = wear_create(g, setting, error);
    if (status == MRC_OK) status = spectra_create(g, error);
    if (status == MRC_OK) status = grains_create_parts(g, setting, error);
    if (status == MRC_OK) status = lost_create(g, error);
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
    memory_free(g->orientation);
    neighbours_free(&g->neighbours);
    array_free(&g->measured);
    array_free(&g->worn);
    array_free(&g->wear_rates);
    spectra_free(g);
    array_free(&g->ids);
    array_free(&g->places);
    array_free(&g->extents);
    archive_destroy(g->unmeasured);
    memory_free(g);
}

void grains_set_mobility(Grains *g, const double (*mobility)[6][6]) { g->mobility = mobility; }

// ---- the step ------------------------------------------------------------------------------------
MrcStatus grains_advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    return g->method->advance(g, walls, loads, error);
}

MrcStatus grains_resize(Grains *g, size_t count, MrcError *error) {
    size_t before = g->store.count;
    MrcStatus status = store_reserve(&g->store, count, error);
    if (status == MRC_OK) status = store_reserve(&g->view, count, error);
    if (status != MRC_OK) return status;
    size_t capacity = g->store.capacity;
    if (capacity > g->capacity) {
        struct {
            double **data;
            size_t size, slack;
        } blocks[] = {
            {&g->position, QUAD, 16}, {&g->motion, GRAIN_LINE, WIDE_LANES}, {&g->orientation, QUAD, 1}};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            if (*blocks[k].data &&
                !memory_enlarge((void **)blocks[k].data, before * blocks[k].size * sizeof(double),
                                (capacity + blocks[k].slack) * blocks[k].size * sizeof(double)))
                return error_memory(error, "the grains");
        g->capacity = capacity;
    }
    g->store.count = g->view.count = count;
    status = neighbours_resize(&g->neighbours, count, capacity, error);
    return status == MRC_OK ? g->method->resize(g, before, error) : status;
}

// Number by number: it needs no second set of them.
static void grains_sort_blocks(Grains *g, double *blocks, size_t size) {
    const int32_t *order = g->neighbours.order.data;
    double *scratch = g->neighbours.scratch;
    for (size_t c = 0; c < size; c++) {
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
        for (size_t k = 0; k < g->store.count; k++) scratch[k] = blocks[(size_t)order[k] * size + c];
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
        for (size_t k = 0; k < g->store.count; k++) blocks[k * size + c] = scratch[k];
    }
}

void grains_sort(Grains *g) {
    grains_sort_blocks(g, g->position, QUAD);
    grains_sort_blocks(g, g->motion, GRAIN_LINE);
    if (g->orientation) grains_sort_blocks(g, g->orientation, QUAD);
}

static double grains_largest_radius(const Grains *g) {
    double least, largest, most = 0;
    for (int k = 0; k < grains_kind_count(g->definition); k++) {
        const ParticlesDefinition *p = grains_kind(g->definition, k);
        SizeTable table;
        if (grain_sizes_create(&table, p, NULL) != MRC_OK) return INFINITY;
        grain_sizes_range(&table, &least, &largest);
        grain_sizes_free(&table);
        most = fmax(most, largest * forms_largest_stretch(p));
    }
    return most;
}

// ---- saving --------------------------------------------------------------------------------------
static void grains_skip_orientation(Archive *archive, size_t count) {
    double *left = memory_alloc((count + 1) * QUAD * sizeof *left);
    if (left) archive_doubles(archive, "orientation", left, count * QUAD);
    else archive_fail(archive, MRC_MEMORY, "orientation", "memory ran out");
    memory_free(left);
}

static void grains_start_orientation(Grains *g) {
    static const double unturned[QUAD] = {1, 0, 0, 0};
    for (size_t i = 0; i < g->store.count; i++) memcpy(g->orientation + i * QUAD, unturned, sizeof unturned);
}

// Orientations of spheres are only shown, in frames, and a run may be resumed with frames or without them: then turns
// are counted from there on, or left out.
static void grains_archive_orientation(Grains *g, Archive *archive) {
    bool round = g->definition->particles.shape_count == 0;
    size_t own = g->orientation ? g->store.count : 0, count = own;
    archive_count(archive, "orientation_count", &count);
    if (count == own && own) archive_doubles(archive, "orientation", g->orientation, own * QUAD);
    else if (count == own) return;
    else if (round && count == 0) grains_start_orientation(g);
    else if (round && own == 0 && count == g->store.count) grains_skip_orientation(archive, count);
    else
        archive_fail(archive, MRC_CHECKPOINT, "orientation",
                     own ? "the state was saved without orientations of grains"
                         : "the state was saved with orientations of grains");
}

// Which grains there are: they may be others than now.
static void grains_archive_ids(Grains *g, Archive *archive) {
    MrcError error;
    archive_counts(archive, "next_id", &g->next_id, 1);
    archive_array(archive, "ids", &g->ids);
    if (!archive_is_loading(archive) || archive_status(archive, NULL) != MRC_OK) return;
    if (g->ids.count == g->store.count) return;
    if (!g->store.born) // grains neither come nor leave
        archive_fail(archive, MRC_CHECKPOINT, "ids", "the bed has %zu grains, the state %zu", g->store.count,
                     g->ids.count);
    else if (grains_resize(g, g->ids.count, &error) != MRC_OK)
        archive_fail(archive, error.status, "ids", "%s", error.text);
}

static void grains_archive_all(Grains *g, Archive *archive) {
    double *sums[] = {&g->work,          &g->input,     &g->impact,  &g->friction,       &g->rolling,
                      &g->stabilisation, &g->algorithm, &g->carried, &g->lifted,         &g->arrived,
                      &g->bonded,        &g->belts,     &g->mass,    &g->largest_overlap};
    enum { sum_count = sizeof sums / sizeof *sums };
    double numbers[sum_count];
    wear_archive(g, archive);
    spectra_archive(g, archive);
    for (int k = 0; k < sum_count; k++) numbers[k] = *sums[k];
    archive_doubles(archive, "sums", numbers, sum_count);
    for (int k = 0; k < sum_count; k++) *sums[k] = numbers[k];
    double radius = g->store.born ? grains_largest_radius(g) : 0; // sizes are those of the model
    for (size_t i = 0; archive_is_foreign(archive) && i < g->store.count; i++)
        radius = fmax(radius, g->store.radius[i]); // before it is overwritten
    grains_archive_ids(g, archive);
    if (archive_status(archive, NULL) != MRC_OK) return;
    store_archive(&g->store, archive);
    archive_doubles(archive, "position", g->position, g->store.count * QUAD);
    archive_doubles(archive, "motion", g->motion, g->store.count * GRAIN_LINE);
    grains_archive_orientation(g, archive);
    g->view_step = -1;
    archive_check_grains(g, radius, archive);
    g->method->archive(g, archive);
}

// After a state that was refused, lists and places may belong to different states: the lists are marked as invalid for
// any later state.
void grains_archive(Grains *g, Archive *archive) {
    grains_archive_all(g, archive);
    if (archive_is_loading(archive) && archive_status(archive, NULL) != MRC_OK) g->neighbours.builds = -1;
}

// ---- the rest ------------------------------------------------------------------------------------
size_t grains_count(const Grains *g) { return g->store.count; }
double grains_mass(const Grains *g) { return g->mass; }
double grains_given(const Grains *g, double *flow) {
    *flow = g->arrived + fabs(g->belts);
    return g->carried + g->belts;
}
double grains_load_early(const Grains *g) {
    return g->method->rigid ? g->method->rigid->theta(g) - 0.5 : 0.5;
}

double grains_lift_energy(const Grains *g) { return g->mass * vec3_norm(g->gravity) * g->radius; }
double grains_critical_step(const Grains *g) { return g->method->critical_step(g); }

GrainsCounts grains_counts(const Grains *g) {
    GrainsCounts counts = {.steps = g->steps,
                           .lists = g->neighbours.builds,
                           .pairs = g->neighbours.index.count,
                           .skin = g->neighbours.skin};
    g->method->count(g, &counts);
    return counts;
}
