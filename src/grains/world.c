// Creation, the step as a table of contents, saving and counting. Nonsmooth beds are in world_rigid.c, smooth
// ones in world_smooth.c.
#include "grains/world.h"

#include <math.h>

#include "grains/world_internal.h"

// ---- creation ------------------------------------------------------------------------------------
static bool world_is_rigid(const Grains *g) { return g->method->rigid; }

int world_first_wall(const World *w, int bed) {
    int first = 0;
    for (int b = 0; b < bed; b++) first += w->beds[b].grains->definition->wall_count;
    return first;
}

// Smooth beds that may be pushed by the same ports have the same sub-step: the smallest of theirs.
static MrcStatus world_plan_substeps(World *w, double step, MrcError *error) {
    double least = INFINITY;
    for (int b = 0; b < w->bed_count; b++)
        if (w->beds[b].grains->method->substeps) least = fmin(least, w->beds[b].grains->step);
    if (!isfinite(least)) return MRC_OK;
    double count = ceil(step / least - 1e-6);
    if (!(count >= 1 && count < 1e6))
        return error_set(error, MRC_MODEL, "a step of %g s holds %g sub-steps of the grains", step, count);
    w->substeps = (int)count;
    for (int b = 0; b < w->bed_count; b++)
        if (w->beds[b].grains->method->substeps) w->beds[b].grains->step = step / count;
    return MRC_OK;
}

static bool world_allocate(World *w) {
    size_t ports = (size_t)w->port_count, walls = (size_t)world_first_wall(w, w->bed_count);
    w->twists = memory_alloc((ports + 1) * sizeof *w->twists);
    w->past_twists = memory_alloc((ports + 1) * sizeof *w->past_twists);
    w->given_twists = memory_alloc((ports + 1) * sizeof *w->given_twists);
    w->last_twists = memory_alloc((ports + 1) * sizeof *w->last_twists);
    w->yielding = memory_alloc((ports + 1) * sizeof *w->yielding);
    w->expected = memory_alloc((ports + 1) * sizeof *w->expected);
    w->whole = memory_alloc((ports + 1) * sizeof *w->whole);
    w->whole_last = memory_alloc((ports + 1) * sizeof *w->whole_last);
    w->whole_lasting = memory_alloc((ports + 1) * sizeof *w->whole_lasting);
    w->during = memory_alloc((ports + 1) * sizeof *w->during);
    w->moved = memory_alloc((ports + 1) * sizeof *w->moved);
    w->works = memory_alloc((ports + 1) * sizeof *w->works);
    w->motions = memory_alloc((ports + 1) * sizeof *w->motions);
    w->port_loads = memory_alloc((ports + 1) * sizeof *w->port_loads);
    w->early = memory_alloc((ports + 1) * sizeof *w->early);
    w->bodies = memory_alloc((ports + 1) * sizeof *w->bodies);
    w->carried = memory_alloc((ports + 1) * sizeof *w->carried);
    w->rigid = memory_alloc(((size_t)w->bed_count + 1) * sizeof *w->rigid);
    w->rigid_past = memory_alloc(((size_t)w->bed_count + 1) * sizeof *w->rigid_past);
    w->suspects = memory_alloc(((size_t)w->bed_count + 1) * sizeof *w->suspects);
    w->workspace = contact_workspace_create();
    w->saved = archive_memory_create();
    return w->twists && w->past_twists && w->given_twists && w->last_twists && w->yielding && w->expected &&
           w->whole && w->whole_last && w->whole_lasting && w->during && w->moved && w->works && w->motions &&
           w->port_loads && w->early && w->bodies && w->carried && w->rigid && w->rigid_past && w->suspects &&
           w->workspace && w->saved && array_resize(&w->walls, walls) && array_resize(&w->loads, walls) &&
           array_resize(&w->mean_loads, walls) && array_resize(&w->wall_motions, walls) &&
           array_resize(&w->wall_mobility, 36 * walls);
}

MrcStatus world_create(const WorldBed *beds, int bed_count, int port_count, double step, Vec3 gravity,
                       World **out, MrcError *error) {
    World *w = memory_alloc(sizeof *w);
    *out = NULL;
    if (!w) return error_memory(error, "the beds");
    *w = (World){.beds = beds, .bed_count = bed_count, .port_count = port_count, .step = step};
    w->gravity = gravity;
    for (int b = 0; b < bed_count; b++) w->rigid_beds += world_is_rigid(beds[b].grains);
    MrcStatus status =
        world_allocate(w) ? world_plan_substeps(w, step, error) : error_memory(error, "the beds");
    for (int p = 0; p < port_count && status == MRC_OK; p++) w->motions[p] = motion_at_rest();
    if (status != MRC_OK) world_destroy(w);
    else *out = w;
    return status;
}

void world_place_ports(World *w, const Motion *ports) {
    memcpy(w->motions, ports, (size_t)w->port_count * sizeof *w->motions);
}

MrcStatus world_create_alone(Grains *grains, World **out, MrcError *error) {
    int count = grains->definition->wall_count;
    WorldBed bed = {.grains = grains};
    MrcStatus status = world_create(&bed, 1, count, grains->step, grains->gravity, out, error);
    if (status != MRC_OK) return status;
    World *w = *out;
    w->own_ports = memory_alloc((size_t)count * sizeof *w->own_ports);
    if (!w->own_ports) {
        world_destroy(w);
        *out = NULL;
        return error_memory(error, "the walls");
    }
    for (int p = 0; p < count; p++) w->own_ports[p] = p;
    w->own_bed = (WorldBed){grains, w->own_ports};
    w->beds = &w->own_bed;
    return MRC_OK;
}

void world_destroy(World *w) {
    if (!w) return;
    memory_free(w->own_ports);
    memory_free(w->twists);
    memory_free(w->past_twists);
    memory_free(w->given_twists);
    memory_free(w->last_twists);
    memory_free(w->yielding);
    memory_free(w->expected);
    memory_free(w->whole);
    memory_free(w->whole_last);
    memory_free(w->whole_lasting);
    memory_free(w->during);
    memory_free(w->moved);
    memory_free(w->works);
    memory_free(w->motions);
    memory_free(w->port_loads);
    memory_free(w->early);
    memory_free(w->bodies);
    memory_free(w->carried);
    memory_free(w->rigid);
    memory_free(w->rigid_past);
    memory_free(w->suspects);
    contact_workspace_destroy(w->workspace);
    archive_destroy(w->saved);
    array_free(&w->walls);
    array_free(&w->loads);
    array_free(&w->mean_loads);
    array_free(&w->wall_motions);
    array_free(&w->wall_mobility);
    array_free(&w->mean);
    array_free(&w->source);
    contact_problem_free(&w->bounce);
    contact_solution_free(&w->bounced);
    contact_problem_free(&w->problem);
    contact_solution_free(&w->solution);
    contact_solution_free(&w->unlocked);
    contact_solution_free(&w->held);
    array_free(&w->openings);
    contact_problem_free(&w->worst);
    contact_solution_free(&w->worst_solution);
    memory_free(w);
}

// ---- the step ------------------------------------------------------------------------------------
void world_push(const World *w, const double *mobility, const Load *impulses, Twist *twists) {
    size_t size = 6 * (size_t)w->port_count;
    for (int p = 0; p < w->port_count; p++) {
        double gain[6] = {0};
        for (int q = 0; q < w->port_count; q++) {
            const Load *l = &impulses[q];
            const double push[6] = {l->force.x,  l->force.y,  l->force.z,
                                    l->moment.x, l->moment.y, l->moment.z};
            for (size_t r = 0; r < 6; r++)
                for (size_t c = 0; c < 6; c++)
                    gain[r] += mobility[(6 * (size_t)p + r) * size + 6 * (size_t)q + c] * push[c];
        }
        twists[p].linear = vec3_add(twists[p].linear, vec3(gain[0], gain[1], gain[2]));
        twists[p].angular = vec3_add(twists[p].angular, vec3(gain[3], gain[4], gain[5]));
    }
}

// If the motion of all ports is prescribed, beds are independent: each has a problem of its own.
static MrcStatus world_advance_rigid_beds(World *w, double h, const Motion *ports, const double *mobility,
                                          Load *impulses, MrcError *error) {
    if (mobility || w->machine)
        return world_advance_rigid(w, h, 0, w->bed_count, ports, mobility, impulses, error);
    MrcStatus status = MRC_OK;
    for (int b = 0; b < w->bed_count && status == MRC_OK; b++)
        if (world_is_rigid(w->beds[b].grains))
            status = world_advance_rigid(w, h, b, b + 1, ports, mobility, impulses, error);
    return status;
}

static Vec3 world_lasting(Vec3 now, Vec3 before) {
    double both = vec3_dot(now, before), larger = fmax(vec3_norm2(now), vec3_norm2(before));
    return vec3_scale(both > 0 ? both / larger : 0, now);
}

// Rigid beds beside smooth ones: their impulses belong to the whole step and have a mobility of their own. They meet the
// ports as these have moved on average. The smooth beds have seen the ports with what lasts of such impulses.
static MrcStatus world_advance_whole(World *w, double h, const Motion *ports, Load *impulses,
                                     MrcError *error) {
    for (int p = 0; p < w->port_count; p++) {
        w->whole[p] = impulses[p];
        w->twists[p].linear = vec3_sub(w->moved[p].linear, w->whole_lasting[p].linear);
        w->twists[p].angular = vec3_sub(w->moved[p].angular, w->whole_lasting[p].angular);
        w->moved[p] = w->twists[p];
    }
    MrcStatus status = world_advance_rigid_beds(w, h, ports, w->answer.whole, impulses, error);
    for (int p = 0; p < w->port_count; p++) {
        const Twist *now = &w->twists[p], *past = w->past_known > 0 ? &w->past_twists[p] : now;
        Load *whole = &w->whole[p];
        *whole = load_sub(impulses[p], *whole);
        Twist more = {vec3_sub(now->linear, w->moved[p].linear), vec3_sub(now->angular, w->moved[p].angular)};
        w->whole_lasting[p] = (Twist){world_lasting(more.linear, w->whole_last[p].linear),
                                      world_lasting(more.angular, w->whole_last[p].angular)};
        w->whole_last[p] = more;
        w->moved[p] = *now;
        w->works[p] += 0.5 * (vec3_dot(whole->force, vec3_add(now->linear, past->linear)) +
                              vec3_dot(whole->moment, vec3_add(now->angular, past->angular)));
    }
    return status;
}

static bool world_mixed(const World *w, const double *mobility) { return mobility && w->answer.whole; }

MrcStatus world_advance(World *w, double h, const Motion *ports, const double *mobility, Load *impulses,
                        Twist *after, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < w->port_count; p++) {
        impulses[p] = w->early[p] = (Load){0};
        w->twists[p] = (Twist){ports[p].velocity, ports[p].angular_velocity};
    }
    if (w->substeps > 0) status = world_advance_smooth(w, h, ports, mobility, impulses, error);
    for (int p = 0; p < w->port_count; p++) w->early[p] = load_sub(w->early[p], impulses[p]);
    if (status == MRC_OK && (w->rigid_beds > 0 || w->machine))
        status = world_mixed(w, mobility) ? world_advance_whole(w, h, ports, impulses, error)
                                          : world_advance_rigid_beds(w, h, ports, mobility, impulses, error);
    for (int p = 0; p < w->port_count; p++) w->early[p] = load_add(w->early[p], impulses[p]);
    memcpy(w->past_twists, w->twists, (size_t)w->port_count * sizeof *w->twists);
    for (int p = 0; p < w->port_count; p++)
        w->given_twists[p] = (Twist){ports[p].velocity, ports[p].angular_velocity};
    w->past_known = 1;
    for (int p = 0; after && p < w->port_count; p++) after[p] = w->twists[p];
    return status;
}

MrcStatus world_advance_machine(World *w, double h, const Motion *ports, const ContactMachine *machine,
                                Load *impulses, Twist *after, MrcError *error) {
    if (w->substeps > 0 || machine->port_count > w->port_count)
        return error_set(error, MRC_USAGE, "world: a machine needs nonsmooth beds and ports");
    w->machine = machine;
    MrcStatus status = world_advance(w, h, ports, NULL, impulses, after, error);
    w->machine = NULL;
    return status;
}

static void world_archive_past(World *w, Archive *archive) {
    archive_doubles(archive, "past_known", &w->past_known, 1);
    archive_doubles(archive, "past_twists", &w->past_twists->linear.x, 6 * (size_t)w->port_count);
    archive_doubles(archive, "given_twists", &w->given_twists->linear.x, 6 * (size_t)w->port_count);
    archive_doubles(archive, "yielding", &w->yielding->linear.x, 6 * (size_t)w->port_count);
    archive_doubles(archive, "whole_last", &w->whole_last->linear.x, 6 * (size_t)w->port_count);
    archive_doubles(archive, "whole_lasting", &w->whole_lasting->linear.x, 6 * (size_t)w->port_count);
}

// ---- saving --------------------------------------------------------------------------------------
// Counts are not restored: they include steps that were repeated.
static void world_archive_beds(World *w) {
    for (int b = 0; b < w->bed_count; b++) grains_archive(w->beds[b].grains, w->saved);
    world_archive_past(w, w->saved);
}

MrcStatus world_save(World *w, MrcError *error) {
    archive_memory_save(w->saved);
    world_archive_beds(w);
    return archive_status(w->saved, error);
}

MrcStatus world_restore(World *w, MrcError *error) {
    archive_memory_load(w->saved);
    world_archive_beds(w);
    return archive_status(w->saved, error);
}

// Contacts with walls are measured with the mobility of the last step.
static void world_archive_mobility(World *w, Archive *archive) {
    double known = 0;
    for (int b = 0; b < w->bed_count; b++) known = w->beds[b].grains->mobility ? 1 : known;
    archive_doubles(archive, "mobility_known", &known, 1);
    archive_doubles(archive, "wall_mobility", w->wall_mobility.data, w->wall_mobility.count);
    for (int b = 0; b < w->bed_count && archive_is_loading(archive); b++) {
        const double *own = w->wall_mobility.data + 36 * (size_t)world_first_wall(w, b);
        bool used = known > 0 && w->beds[b].grains->method->substeps;
        grains_set_mobility(w->beds[b].grains, used ? (const double(*)[6][6])own : NULL);
    }
}

void world_archive(World *w, Archive *archive) {
    WorldCounts *c = &w->counts;
    int64_t counts[] = {c->solves,   c->contacts, c->iterations, c->fallbacks, c->loose,
                        c->unsolved, c->rebounds, c->limited,    c->locked};
    double numbers[] = {c->worst, c->seconds};
    archive_counts(archive, "counts", counts, sizeof counts / sizeof *counts);
    archive_doubles(archive, "numbers", numbers, sizeof numbers / sizeof *numbers);
    *c = (WorldCounts){counts[0], counts[1], counts[2], counts[3],  counts[4], counts[5],
                       counts[6], counts[7], counts[8], numbers[0], numbers[1]};
    archive_counts(archive, "rigid_past", (int64_t *)w->rigid_past, 3 * (size_t)w->bed_count);
    world_archive_past(w, archive);
    archive_doubles(archive, "mean_known", &w->mean_known, 1);
    archive_doubles(archive, "mean_loads", (double *)w->mean_loads.data, 6 * w->mean_loads.count);
    world_archive_mobility(w, archive);
}

// ---- results -------------------------------------------------------------------------------------
const Twist *world_moved(const World *w) { return w->moved; }
const double *world_works(const World *w) { return w->works; }
const Load *world_early(const World *w) { return w->early; }

const Load *world_mean_loads(const World *w, int bed) {
    bool known = w->mean_known > 0 && w->beds[bed].grains->method->substeps;
    return known ? w->mean_loads.data + world_first_wall(w, bed) : NULL;
}

bool world_is_mixed(const World *w) { return w->rigid_beds > 0 && w->substeps > 0; }
const Load *world_whole(const World *w) { return w->whole; }
int world_substeps(const World *w) { return w->substeps; }
WorldCounts world_counts(const World *w) { return w->counts; }
const ContactReport *world_report(const World *w) { return &w->report; }
const ContactProblem *world_problem(const World *w) { return &w->problem; }

bool world_worst(const World *w, const ContactProblem **problem, const ContactSolution **solution) {
    *problem = &w->worst;
    *solution = &w->worst_solution;
    return w->worst.bodies.count > 0;
}
