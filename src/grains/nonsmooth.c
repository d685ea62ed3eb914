// Rigid grains: creation, measuring, saving; the nonsmooth method. How it works: nonsmooth.h.
#include "grains/nonsmooth.h"

#include <math.h>

#include "base/hash.h"
#include "grains/archive_check.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/world.h"

// Contacts act below this gap at least, over the mean radius: two grains may close it within a step after an
// impact with a third one.
static const double nonsmooth_activation_ratio = 0.05;

// ---- creation ------------------------------------------------------------------------------------
static RigidPair nonsmooth_coefficients(const GrainsSetting *setting, const Material *a, const Material *b) {
    LawCoefficients c = law_coefficients(setting, a, b);
    return (RigidPair){c.friction, c.restitution, c.rolling_friction, c.spinning_friction, c.cohesion};
}

// Rows as in law.h.
static bool nonsmooth_make_table(Nonsmooth *ns, const GrainsDefinition *d, const GrainsSetting *setting) {
    int count = setting->material_count;
    ns->pairs = memory_alloc((size_t)(count * (count + d->wall_count)) * sizeof *ns->pairs);
    if (!ns->pairs) return false;
    for (int a = 0; a < count; a++) {
        const Material *grain = &setting->materials[a];
        for (int b = 0; b < count; b++)
            ns->pairs[a * count + b] = nonsmooth_coefficients(setting, grain, &setting->materials[b]);
        for (int w = 0; w < d->wall_count; w++) {
            int other = material_find(setting->materials, count, d->walls[w].material);
            const Material *wall = other >= 0 ? &setting->materials[other] : grain;
            ns->pairs[(count + w) * count + a] = nonsmooth_coefficients(setting, grain, wall);
        }
    }
    return true;
}

MrcStatus nonsmooth_create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    Nonsmooth *ns = g->nonsmooth = memory_alloc(sizeof *ns);
    if (!ns || !nonsmooth_make_table(ns, d, setting) || !array_resize(&ns->loads, (size_t)d->wall_count) ||
        !array_resize(&ns->frames, (size_t)d->wall_count))
        return error_memory(error, "the grains");
    memset(ns->loads.data, 0, ns->loads.count * sizeof *ns->loads.data);
    ns->activation =
        d->contact.activation > 0 ? d->contact.activation : nonsmooth_activation_ratio * g->radius;
    ns->theta = 1;
    ns->bounciest = -1;
    int rows = setting->material_count * (setting->material_count + d->wall_count);
    for (int k = 0; k < rows && !(d->contact.activation > 0); k++)
        ns->bounciest = fmax(ns->bounciest, ns->pairs[k].restitution);
    MrcStatus status = nonsmooth_shapes_create(g, error);
    return status == MRC_OK
               ? neighbours_create(&g->neighbours, g->store.count, g->radius, &g->periodic, error)
               : status;
}

static void nonsmooth_free_contacts(RigidContacts *contacts) {
    array_free(&contacts->slots);
    array_free(&contacts->features);
    array_free(&contacts->walls);
    array_free(&contacts->impulses);
}

void nonsmooth_destroy(Grains *g) {
    Nonsmooth *ns = g->nonsmooth;
    if (!ns) return;
    world_destroy(ns->alone);
    nonsmooth_free_contacts(&ns->last);
    nonsmooth_free_contacts(&ns->now);
    array_free(&ns->recovery);
    array_free(&ns->rebound);
    array_free(&ns->cohesion);
    array_free(&ns->guards);
    array_free(&ns->middle);
    array_free(&ns->hits);
    nonsmooth_shapes_free(ns);
    array_free(&ns->found);
    array_free(&ns->applied);
    array_free(&ns->gains);
    array_free(&ns->owner);
    array_free(&ns->place);
    array_free(&ns->loads);
    array_free(&ns->frames);
    memory_free(ns->pairs);
    memory_free(ns);
}

MrcStatus nonsmooth_resize(Grains *g, size_t before, MrcError *error) {
    (void)g, (void)before, (void)error; // all else grows with the contacts
    return MRC_OK;
}

// ---- the step ------------------------------------------------------------------------------------
// One bed alone: every wall part is a port of its own with prescribed motion.
MrcStatus nonsmooth_advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    Nonsmooth *ns = g->nonsmooth;
    double h = g->step;
    int parts = g->definition->wall_count;
    if (!ns->alone) {
        MrcStatus status = world_create_alone(g, &ns->alone, error);
        if (status != MRC_OK) return status;
    }
    MrcStatus status = world_advance(ns->alone, h, walls, NULL, loads, NULL, error);
    if (status != MRC_OK) return status;
    for (int w = 0; w < parts; w++) loads[w] = ns->loads.data[w];
    return MRC_OK;
}

// ---- measuring -----------------------------------------------------------------------------------
// The deepest overlap now. Lists hold at least until the next step.
static double nonsmooth_deepest_overlap(const Grains *g, const Motion *walls) {
    const Neighbours *n = &g->neighbours;
    double deepest = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        Shape shape = store_shape(&g->store, i);
        Pose pose = grain_pose(g, i);
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        for (int32_t s = n->start.data[i]; n->builds > 0 && s < n->start.data[i + 1]; s++) {
            size_t j = (size_t)n->index.data[s];
            Shape other = store_shape(&g->store, j);
            Pose there = grain_pose(g, j);
            int count = shape_pair_contacts(&shape, &pose, &other, &there, 0, contacts);
            for (int c = 0; c < count; c++) deepest = fmax(deepest, -contacts[c].gap);
        }
        for (int w = 0; w < g->definition->wall_count; w++) {
            Pose local = {motion_to_local(&walls[w], pose.position),
                          quaternion_mul(quaternion_conjugate(walls[w].orientation), pose.orientation)};
            int count = shape_wall_contacts(&shape, &local, &g->definition->walls[w].shape, 0, contacts);
            for (int c = 0; c < count; c++) deepest = fmax(deepest, -contacts[c].gap);
        }
    }
    return deepest;
}

MrcStatus nonsmooth_measure(Grains *g, const Motion *walls, Load *loads, GrainsMeasure *m, MrcError *error) {
    (void)error;
    Nonsmooth *ns = g->nonsmooth;
    const RigidContacts *last = &ns->last;
    double walls_touching = 0;
    for (size_t k = last->slots.count; k < last->impulses.count; k++) // walls come after pairs
        walls_touching += vec3_norm2(last->impulses.data[k].linear) > 0;
    for (int w = 0; w < g->definition->wall_count; w++) loads[w] = ns->loads.data[w];
    *m = (GrainsMeasure){.overlap = nonsmooth_deepest_overlap(g, walls),
                         .contacts = ns->touching,
                         .wall_contacts = walls_touching,
                         .work = g->work,
                         .input = g->input,
                         .belts = g->belts,
                         .impact = g->impact,
                         .friction = g->friction,
                         .rolling = g->rolling,
                         .stabilisation = g->stabilisation,
                         .algorithm = g->algorithm,
                         .largest_overlap = g->largest_overlap};
    return MRC_OK;
}

// ---- saving --------------------------------------------------------------------------------------
_Static_assert(sizeof(WallKey) == 4 * sizeof(int32_t), "keys are saved as words of 32 bits");

static void nonsmooth_archive_contacts(Nonsmooth *ns, Archive *archive) {
    RigidContacts *last = &ns->last;
    size_t walls = last->walls.count, impulses = last->impulses.count;
    archive_array(archive, "slots", &last->slots);
    if (!nonsmooth_all_spheres(ns)) archive_array(archive, "features", &last->features);
    archive_count(archive, "wall_count", &walls);
    archive_count(archive, "impulse_count", &impulses);
    if (!array_resize(&last->walls, walls) || !array_resize(&last->impulses, impulses)) {
        archive_fail(archive, MRC_MEMORY, "contacts", "no memory left");
        return;
    }
    archive_bits32(archive, "walls", (int32_t *)last->walls.data, 4 * walls);
    archive_doubles(archive, "impulses", (double *)last->impulses.data, 6 * impulses);
}

static uint64_t nonsmooth_lists_hash(const Grains *g) {
    const Neighbours *n = &g->neighbours;
    size_t bytes = g->store.count * sizeof(double);
    return hash_bytes(hash_bytes(hash_bytes(HASH_START, n->x, bytes), n->y, bytes), n->z, bytes);
}

void nonsmooth_archive(Grains *g, Archive *archive) {
    Nonsmooth *ns = g->nonsmooth;
    Neighbours *n = &g->neighbours;
    uint64_t lists = archive_is_loading(archive) ? nonsmooth_lists_hash(g) : 0;
    double *arrays[] = {n->x, n->y, n->z}, numbers[] = {n->skin, ns->touching, g->step};
    const char *names[] = {"reference_x", "reference_y", "reference_z"};
    int64_t builds = n->builds, counts[] = {n->builds, g->steps};
    for (int k = 0; k < 3; k++) archive_doubles(archive, names[k], arrays[k], g->store.count);
    archive_doubles(archive, "numbers", numbers, sizeof numbers / sizeof *numbers);
    archive_counts(archive, "counts", counts, sizeof counts / sizeof *counts);
    archive_doubles(archive, "loads", (double *)ns->loads.data, 6 * ns->loads.count);
    nonsmooth_archive_contacts(ns, archive);
    if (!archive_is_loading(archive) || archive_status(archive, NULL) != MRC_OK) return;
    n->skin = numbers[0], ns->touching = numbers[1], g->step = numbers[2];
    n->builds = counts[0], g->steps = counts[1];
    archive_check_lists(g, archive);
    if (archive_status(archive, NULL) != MRC_OK) return;
    MrcError error;
    // When a state is restored within the same lists, as coupling does in every step, they are still valid.
    bool same = n->builds == builds && nonsmooth_lists_hash(g) == lists;
    if (n->builds > 0 && !same && g->store.count > 0 && neighbours_rebuild(n, &g->store, &error) != MRC_OK)
        archive_fail(archive, error.status, "pairs", "%s", error.text);
    archive_check_rigid(g, archive);
}

void nonsmooth_count(const Grains *g, GrainsCounts *counts) {
    counts->stepped = 1;
    counts->near = g->nonsmooth->last.impulses.count;
}

double nonsmooth_critical_step(const Grains *g) {
    (void)g;
    return INFINITY; // no step gains energy
}

// ---- the contact problem -------------------------------------------------------------------------
double nonsmooth_activation(const Grains *g) { return g->nonsmooth->activation; }

const double *nonsmooth_rebounds(const Grains *g, size_t *count) {
    *count = g->nonsmooth->rebound.count;
    return g->nonsmooth->rebound.data;
}

const double *nonsmooth_recoveries(const Grains *g, size_t *count) {
    *count = g->nonsmooth->recovery.count;
    return g->nonsmooth->recovery.data;
}

double nonsmooth_theta(const Grains *g) { return g->nonsmooth->theta; }
static ContactLaw nonsmooth_law(const GrainsDefinition *d) { return d->contact.law; }

static const GrainsRigid nonsmooth_rigid = {
    .collect = nonsmooth_collect, .apply = nonsmooth_apply, .law = nonsmooth_law, RIGID_IN_COMMON};

// ---- settling ------------------------------------------------------------------------------------
double nonsmooth_settling_step(const Grains *g, double moment) {
    return (nonsmooth_all_spheres(g->nonsmooth) ? 5e-3 : 0.02) * moment;
}

MrcStatus nonsmooth_is_open(Grains *g, const Motion *walls, bool *open, MrcError *error) {
    (void)g;
    (void)walls;
    (void)error;
    *open = true;
    return MRC_OK;
}

static const char *const nonsmooth_unused[] = {RIGID_UNUSED, "theta", NULL};

const GrainsMethod method_nonsmooth = {
    .choice = {.word = "nonsmooth",
               .doc =
                   "rigid grains: contacts are solved for in each step, which may be a hundred times longer"},
    .rigid = &nonsmooth_rigid,
    .unused = nonsmooth_unused,
    .describe = nonsmooth_describe,
    .write_identity = nonsmooth_write_identity,
    .create = nonsmooth_create,
    RIGID_METHOD_IN_COMMON};
