#include "coupling/coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- creation ------------------------------------------------------------------------------------
static bool coupling_allocate(Coupling *c, Arena *arena) {
    size_t n = (size_t)c->count + 1;
    ExchangeStep *s = &c->step;
    Twist **twists[] = {&s->twists, &s->bends, &s->free, &s->moved, &s->ended, &s->worked};
    Load **loads[] = {&s->impulses, &s->early, &s->passed, &s->passed_early, &s->loads, &s->driving};
    c->ports = arena_alloc(arena, n * sizeof *c->ports);
    s->before = arena_alloc(arena, n * sizeof *s->before);
    s->given = arena_alloc(arena, n * sizeof *s->given);
    bool fine = c->ports && s->before && s->given;
    for (size_t k = 0; k < sizeof twists / sizeof *twists; k++)
        fine = (*twists[k] = arena_alloc(arena, n * sizeof(Twist))) && fine;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        fine = (*loads[k] = arena_alloc(arena, n * sizeof(Load))) && fine;
    s->Y = arena_alloc(arena, 36 * n * n * sizeof(double));
    s->whole = arena_alloc(arena, 36 * n * n * sizeof(double));
    s->lasting = arena_alloc(arena, 36 * n * n * sizeof(double));
    s->yielding = arena_alloc(arena, 36 * n * n * sizeof(double));
    s->works = arena_alloc(arena, n * sizeof *s->works);
    s->scratch = arena_alloc(arena, (semidefinite_scratch(6 * c->count) + 1) * sizeof(double));
    c->history_size = c->scheme->history_size ? c->scheme->history_size(c->yielding) : 0;
    c->history = arena_alloc(arena, (c->history_size + 1) * sizeof(double));
    c->divergence.carried = arena_alloc(arena, n * sizeof *c->divergence.carried);
    c->joined.markers = arena_alloc(arena, n * sizeof *c->joined.markers);
    c->joined.bodies = arena_alloc(arena, n * sizeof *c->joined.bodies);
    c->joined.first_rows = arena_alloc(arena, n * sizeof *c->joined.first_rows);
    return fine && s->Y && s->whole && s->lasting && s->yielding && s->works && s->scratch && c->history &&
           c->divergence.carried && c->joined.markers && c->joined.bodies && c->joined.first_rows;
}

// Says what the scheme needs and a partner cannot do; NULL: the scheme can be used.
static const char *coupling_lacks(const Coupling *c, const SchemeType *scheme) {
    if (scheme->needs_mobility && !c->drivers.all.mobility)
        return "needs the mobility of every port, which one of the partners cannot give";
    if (scheme->needs_euler && !c->drivers.all.euler)
        return "needs semi-implicit Euler steps, which one of the partners cannot take";
    if (scheme->needs_restore && (!c->followers.all.restore || c->drivers.all.once))
        return "repeats steps, which one of the partners cannot";
    if (!scheme->needs_restore && c->drivers.all.iterates)
        return "does not iterate, which is all that one of the partners can";
    if (scheme->one_problem && !scheme->needs_euler && c->drivers.all.once)
        return "solves each step without loads first, which one of the partners cannot";
    return NULL;
}

// A partner that cannot do what the scheme needs is an error of the model.
static MrcStatus coupling_check_abilities(const Coupling *c, MrcError *error) {
    const char *lacks = coupling_lacks(c, c->scheme);
    if (lacks) {
        char others[300] = "";
        for (const SchemeType *const *type = scheme_types; *type; type++) {
            size_t used = strlen(others);
            if (!coupling_lacks(c, *type))
                snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", (*type)->choice.word);
        }
        return error_set(error, MRC_MODEL, "the scheme '%s' %s; possible here: scheme: %s",
                         c->scheme->choice.word, lacks, others);
    }
    if (c->definition->joints == JOINTS_ROWS && c->scheme->needs_euler && !joined_problem_is_used(c))
        return error_set(
            error, MRC_MODEL,
            "'joints: rows' needs beds of rigid grains only, and joints that connect two bodies each");
    return MRC_OK;
}

// A container of which only the contacts are given has its mass in the mechanism.
static void coupling_place(Coupling *c, int port, const CouplingPort *definition) {
    Motion marker = drivers_motion(&c->drivers, port);
    ContainerDefinition own = {0};
    if (definition->container) own = *definition->container;
    double mass = own.mass;
    if (own.load == LOAD_CONTACTS || definition->carried) own.mass = 0;
    c->ports[port] = (CoupledPort){.name = definition->name, .marker = marker};
    containers_place(&c->containers, port, &own, marker);
    if (definition->carried) c->containers.items[port].carried = mass;
}

MrcStatus coupling_create(Coupling *c, const CouplingDefinition *definition, const Drivers *drivers,
                          const Followers *followers, const CouplingPort *ports, Vec3 gravity, Arena *arena,
                          MrcError *error) {
    if (drivers->port_count > CONTAINERS_MAX)
        return error_set(error, MRC_MODEL, "%d ports are too many; at most %d are possible",
                         drivers->port_count, CONTAINERS_MAX);
    *c = (Coupling){.definition = definition,
                    .drivers = *drivers,
                    .followers = *followers,
                    .gravity = gravity,
                    .count = drivers->port_count};
    while (c->yielding < c->count && drivers_port_yields(drivers, c->yielding)) c->yielding++;
    // If the motion of all ports is prescribed, there is nothing to iterate or to extrapolate: one exchange is exact.
    c->scheme = c->yielding > 0 ? scheme_of(definition) : scheme_types[0];
    c->settings = scheme_settings(c->scheme, definition);
    step_control_start(&c->control);
    if (!coupling_allocate(c, arena)) return error_memory(error, "the coupling");
    MrcStatus status = containers_create(&c->containers, c->count, arena, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) coupling_place(c, p, &ports[p]);
    c->containers_start = containers_energy(&c->containers, gravity);
    // A container with mass is a body of its own, which Newton's law of impact is right for.
    for (int k = 0; k < c->followers.count; k++)
        if (c->followers.items[k].type->follower->set_later)
            c->followers.items[k].type->follower->set_later(c->followers.items[k].self,
                                                            c->scheme->rebounds && c->yielding > 0 &&
                                                                !c->containers.any_mass);
    return coupling_check_abilities(c, error);
}

double coupling_early(const Coupling *c, double h) {
    if (c->scheme->needs_euler) return 0;
    double count = c->followers.all.small_steps;
    if (c->longest > h) count = round(count * h / c->longest);
    return count > 1 ? 0.5 * (1 + 1 / count) : 1;
}

// ---- the step ------------------------------------------------------------------------------------
MrcStatus coupling_exchange(Coupling *c, double t, double h, MrcError *error) {
    c->step.t = t;
    MrcStatus status = c->scheme->step(c, h, error);
    if (status != MRC_OK) return divergence_explain(c, h, error);
    if (step_control_refuses(c, h)) return MRC_OK;
    divergence_find_answer(c, h);
    status = exchange_commit(c, h, error);
    return status == MRC_OK ? divergence_watch(c, h, error) : status;
}

MrcStatus coupling_step(Coupling *c, double t, double h, MrcError *error) {
    if (c->counts.steps == 0) divergence_start(c);
    bool controlled = c->definition->energy_tolerance > 0 && c->yielding > 0;
    return controlled ? step_control_step(c, t, h, error) : coupling_exchange(c, t, h, error);
}

// ---- signals, energies, facts --------------------------------------------------------------------
int coupling_find_port(const Coupling *c, const char *name) {
    for (int p = 0; name && p < c->count; p++)
        if (strcmp(c->ports[p].name, name) == 0) return p;
    return -1;
}

void coupling_motions(const Coupling *c, Motion *ports) {
    for (int p = 0; p < c->count; p++) ports[p] = c->containers.items[p].motion;
}

Load coupling_contact_load(const Coupling *c, int port) {
    return c->last_h > 0 ? load_scale(1 / c->last_h, c->step.impulses[port]) : (Load){{0, 0, 0}, {0, 0, 0}};
}

#define ROW(suffix, dimension, member, words)                                                                \
    { suffix, dimension, offsetof(Motion, member), words, NULL }
static const SignalRow motion_rows[] = {
    ROW("x", DIM_LENGTH, position.x, "position of its origin, along x of the world"),
    ROW("y", DIM_LENGTH, position.y, "position of its origin, along y of the world"),
    ROW("z", DIM_LENGTH, position.z, "position of its origin, along z of the world"),
    ROW("vx", DIM_VELOCITY, velocity.x, "velocity of its origin, along x of the world"),
    ROW("vy", DIM_VELOCITY, velocity.y, "velocity of its origin, along y of the world"),
    ROW("vz", DIM_VELOCITY, velocity.z, "velocity of its origin, along z of the world"),
    ROW("ax", DIM_ACCELERATION, acceleration.x, "acceleration of its origin, along x of the world"),
    ROW("ay", DIM_ACCELERATION, acceleration.y, "acceleration of its origin, along y of the world"),
    ROW("az", DIM_ACCELERATION, acceleration.z, "acceleration of its origin, along z of the world"),
    ROW("wx", DIM_ANGULAR_VELOCITY, angular_velocity.x, "angular velocity, about x of the world"),
    ROW("wy", DIM_ANGULAR_VELOCITY, angular_velocity.y, "angular velocity, about y of the world"),
    ROW("wz", DIM_ANGULAR_VELOCITY, angular_velocity.z, "angular velocity, about z of the world"),
};

void coupling_port_signals(const char *name, const Coupling *c, SignalList *list) {
    int p = c ? coupling_find_port(c, name) : -1;
    signal_list_add(list, name, motion_rows, sizeof motion_rows / sizeof *motion_rows,
                    p < 0 ? NULL : &c->containers.items[p].motion);
    signal_list_add(list, name, load_signal_rows, load_signal_row_count,
                    p < 0 ? NULL : &c->ports[p].reaction);
}

// Drivers and followers have each recorded the energy that passed through their ports as work from outside. The sum of
// both is no work but the energy lost in the exchange, and is moved to the entry `ports`, less what dampers of containers have
// taken. Where all motions are prescribed, the followers' part is the work of these motions, and nothing is lost.
void coupling_ledger(const Coupling *c, EnergySums *now) {
    double kinetic = containers_kinetic(&c->containers),
           elastic = containers_potential(&c->containers, vec3_zero());
    double stored = containers_energy(&c->containers, c->gravity) - c->containers_start + c->counts.damped;
    now->kinetic += kinetic;
    now->dampers += c->counts.damped;
    now->elastic += elastic;
    now->potential += containers_potential(&c->containers, c->gravity) - elastic;
    if (c->yielding == 0) {
        now->work += stored;
        return;
    }
    double bend = c->counts.bend_work; // drivers have mean velocities only
    double passed = now->driver_port_work + bend + now->follower_port_work - c->counts.prescribed_work;
    now->work += bend - passed;
    now->algorithm += bend;
    now->ports += -passed - stored;
}

void coupling_facts(const Coupling *c, FactList *list) {
    const CouplingCounts *n = &c->counts;
    if (c->yielding == 0) return;
    fact_group_begin(list, "coupling");
    fact_text(list, "scheme", c->scheme->choice.word, "scheme");
    fact_count(list, "steps", n->steps, "exchange steps");
    fact_count(list, "grain_solves", n->grain_solves, "solutions of the grains");
    fact_number(list, "solves_per_step", n->steps > 0 ? (double)n->grain_solves / (double)n->steps : 0, "1",
                "solutions of the grains per step");
    fact_count(list, "most_solves", n->most_solves, "at most in one step");
    fact_count(list, "unconverged", n->unconverged, "steps not converged");
    fact_number(list, "energy_error_j", n->energy_error, "J", "energy error of the exchange");
    fact_number(list, "energy_error_size_j", n->energy_error_size, "J",
                "the same, every step counted positive");
    fact_number(list, "energy_passed_j", n->energy_passed, "J", "energy that passed");
    fact_number(list, "energy_error_share",
                n->energy_passed > 0 ? fabs(n->energy_error) / n->energy_passed : NAN, "1",
                "energy error over the energy that passed");
    fact_number(list, "largest_gap_m", n->largest_gap, "m", "largest gap between container and port");
    fact_number(list, "largest_load_n", n->largest_load, "N", "largest load");
    step_control_facts(c, list);
    fact_group_end(list);
}

void coupling_archive(Coupling *c, Archive *archive) {
    CouplingCounts *n = &c->counts;
    int64_t *counts[] = {&n->steps, &n->grain_solves, &n->most_solves, &n->unconverged};
    double *sums[] = {
        &n->energy_error, &n->energy_error_size, &n->energy_passed,    &n->bend_work, &n->largest_gap,
        &n->largest_load, &n->prescribed_work,   &n->prescribed_flow,  &c->last_h,    &c->energy.stored_range,
        &c->energy.known, &c->energy.gain,       &c->containers_start, &n->damped};
    archive_scattered_counts(archive, "counts", counts, sizeof counts / sizeof *counts);
    archive_scattered_doubles(archive, "sums", sums, sizeof sums / sizeof *sums);
    archive_doubles(archive, "start", &c->energy.start.kinetic, sizeof c->energy.start / sizeof(double));
    archive_doubles(archive, "history", c->history, c->history_size);
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK && c->scheme->history_fits &&
        !c->scheme->history_fits(c->history))
        archive_fail(archive, MRC_CHECKPOINT, "history", "the scheme cannot have left what is stored");
    step_control_archive(c, archive);
    divergence_archive(c, archive);
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        double *marker = &port->marker.position.x, *container = &c->containers.items[p].motion.position.x;
        char name[32];
        snprintf(name, sizeof name, "port%d", p);
        archive_group_begin(archive, name);
        archive_doubles(archive, "marker", marker, sizeof(Motion) / sizeof(double));
        archive_doubles(archive, "container", container, sizeof(Motion) / sizeof(double));
        archive_doubles(archive, "load", &port->load.force.x, 6);
        archive_doubles(archive, "reaction", &port->reaction.force.x, 6);
        archive_doubles(archive, "past", &port->past[0].force.x, 12);
        archive_doubles(archive, "worked", &port->worked.linear.x, 6);
        archive_doubles(archive, "home", &c->containers.items[p].home.x, 3);
        archive_doubles(archive, "jumps", &c->containers.items[p].last_jump.linear.x, 12);
        monitor_archive(&port->monitor, archive);
        archive_group_end(archive, name);
    }
}
