// Contacts of points of one port with walls of another, as a contact problem of ports alone.
//
// In a step of h, with the poses of its beginning, u the velocity of the point against the wall over the step and n the
// normal away from the wall:
//
//     gap >= 0     u.n + gap/h >= 0            it may close, not more
//     gap < 0      u.n + share gap/h >= 0      an overlap is undone by a share of it in each step
//     bouncing     u.n + e u.n(before) >= 0    Newton's law of impact, when it closes within the step (Docquier et al.
//                                              2020, Eqs. 5-6, doi:10.1007/s11044-019-09721-0)
//
// with Coulomb's friction. The ports respond by their mobility Y, so that the contacts of a whole machine, also with
// closed loops, are solved at once: W = H^T Y H is the reduced contact map of that paper. A scheme without mobility
// (loose, explicit) cannot have stops: nothing would yield.
//
// Before is the twist of the port in the last step, with impulses. An overlap comes from what the step does not see: the
// port turns while the wall is taken as flat.
#include "partner/stops.h"

#include <math.h>

#include "contact/solver.h"

static const double stops_undone = 0.2; // share of an overlap, per step

typedef struct StopValues {
    double gap;   // smallest [m]
    double force; // sum of normal forces, mean over the last step [N]
} StopValues;

typedef struct Stops {
    const StopsDefinition *definition;
    int port_count;
    int *ports;       // per stop: that of its points; -1: the ground
    int **wall_ports; // per stop and wall; -1: the ground
    // state
    Twist *past, *saved_past; // of the ports in the last step, with impulses
    struct {
        double known;            // 1: there is a past
        double impact, friction; // dissipated since the start [J]
        double stabilisation;    // likewise, by undoing overlaps
        double work;             // done on it through the ports
    } sums, saved_sums;
    double *force; // per stop [N s], in the last step
    // scratch
    ContactProblem problem;
    ContactSolution solution;
    ContactWorkspace *workspace;
    int32_t *bodies;      // per port
    ARRAY(int) owner;     // per contact: its stop
    ARRAY(double) undone; // per contact: velocity at which an overlap is undone
    StopValues *values;   // as last measured
    double last_h;
} Stops;

// ---- creation --------------------------------------------------------------------------------------
static void stops_destroy(void *self) {
    Stops *s = self;
    contact_problem_free(&s->problem);
    contact_solution_free(&s->solution);
    contact_workspace_destroy(s->workspace);
    array_free(&s->owner);
    array_free(&s->undone);
    s->workspace = NULL;
}

static bool stops_are_given(const void *definition) {
    return ((const StopsDefinition *)definition)->count > 0;
}

static bool stops_section_ports(const void *definition, PartnerNames *names) {
    const StopsDefinition *d = definition;
    bool fine = true;
    for (int k = 0; k < d->count; k++) {
        fine = fine && partner_name(names, d->items[k].port);
        for (int w = 0; w < d->items[k].wall_count; w++)
            fine = fine && partner_name(names, d->items[k].walls[w].port);
    }
    return fine;
}

static MrcStatus stops_create(const void *definition, const PartnerSetting *setting, Arena *arena, void **out,
                              MrcError *error) {
    const StopsDefinition *d = definition;
    size_t n = (size_t)d->count + 1, ports = (size_t)setting->ports.count + 1;
    Stops *s = *out = arena_alloc(arena, sizeof *s);
    if (!s) return error_memory(error, "the stops");
    s->definition = d;
    s->port_count = setting->ports.count;
    s->ports = arena_alloc(arena, n * sizeof *s->ports);
    s->wall_ports = arena_alloc(arena, n * sizeof *s->wall_ports);
    s->past = arena_alloc(arena, ports * sizeof *s->past);
    s->saved_past = arena_alloc(arena, ports * sizeof *s->saved_past);
    s->bodies = arena_alloc(arena, ports * sizeof *s->bodies);
    s->force = arena_alloc(arena, n * sizeof *s->force);
    s->values = arena_alloc(arena, n * sizeof *s->values);
    s->workspace = contact_workspace_create();
    s->problem.law = CONTACT_COULOMB;
    if (!s->ports || !s->wall_ports || !s->past || !s->saved_past || !s->bodies || !s->force || !s->values ||
        !s->workspace)
        return error_memory(error, "the stops");
    for (int k = 0; k < d->count; k++) {
        const StopDefinition *stop = &d->items[k];
        s->ports[k] = partner_find_port(&setting->ports, stop->port);
        s->wall_ports[k] = arena_alloc(arena, (size_t)stop->wall_count * sizeof **s->wall_ports + 1);
        if (!s->wall_ports[k]) return error_memory(error, "the stops");
        for (int w = 0; w < stop->wall_count; w++)
            s->wall_ports[k][w] = partner_find_port(&setting->ports, stop->walls[w].port);
    }
    return MRC_OK;
}

// ---- contacts --------------------------------------------------------------------------------------
static Motion stops_motion(const Motion *ports, int port) {
    return port < 0 ? motion_at_rest() : ports[port];
}

// Velocity of the port's point at `x`, with the twist `twist` instead of its own.
static Vec3 stops_velocity(const Motion *motion, const Twist *twist, Vec3 x) {
    if (!twist) return motion_velocity_at(motion, x);
    return vec3_add(twist->linear, vec3_cross(twist->angular, vec3_sub(x, motion->position)));
}

typedef struct StopPair { // a point and a wall
    Motion point, wall;   // of their ports
    const Twist *point_past, *wall_past;
    int32_t a, b; // bodies of the wall and of the point
    Vec3 center;  // of the point's ball
} StopPair;

static bool stops_add_contact(Stops *s, int k, double h, const StopPair *pair, const WallContact *found) {
    const StopDefinition *stop = &s->definition->items[k];
    Vec3 n = quaternion_rotate(pair->wall.orientation, found->normal),
         x = vec3_madd(pair->center, -stop->radius, n);
    double closing =
        vec3_dot(n, vec3_sub(motion_velocity_at(&pair->point, x), motion_velocity_at(&pair->wall, x)));
    double before = vec3_dot(n, vec3_sub(stops_velocity(&pair->point, pair->point_past, x),
                                         stops_velocity(&pair->wall, pair->wall_past, x)));
    double gap = found->gap, bias = gap >= 0 ? gap / h : stops_undone * gap / h;
    bool bounces = stop->restitution > 0 && before < 0 && gap + h * closing < 0;
    if (bounces) bias = fmin(bias, stop->restitution * before);
    ContactPoint contact = {.a = pair->a,
                            .b = pair->b,
                            .normal = n,
                            .arm_a = vec3_sub(x, pair->wall.position),
                            .arm_b = vec3_sub(x, pair->point.position),
                            .bias = vec3_scale(bias, n),
                            .friction = stop->friction};
    double undone = !bounces && gap < 0 ? -bias : 0;
    return contact_problem_add_contact(&s->problem, contact) >= 0 && array_push(&s->owner, k) &&
           array_push(&s->undone, undone);
}

static bool stops_find(Stops *s, int k, double h, const Motion *ports) {
    const StopDefinition *stop = &s->definition->items[k];
    int port = s->ports[k];
    bool known = s->sums.known > 0;
    StopPair pair = {.point = stops_motion(ports, port),
                     .b = port < 0 ? -1 : s->bodies[port],
                     .point_past = known && port >= 0 ? &s->past[port] : NULL};
    for (int w = 0; w < stop->wall_count; w++) {
        int other = s->wall_ports[k][w];
        pair.wall = stops_motion(ports, other);
        pair.a = other < 0 ? -1 : s->bodies[other];
        pair.wall_past = known && other >= 0 ? &s->past[other] : NULL;
        for (int i = 0; i < stop->point_count; i++) {
            WallContact found[WALL_CONTACT_MAX];
            pair.center = motion_to_world(&pair.point, stop->points[i].at);
            Vec3 speed = vec3_sub(motion_velocity_at(&pair.point, pair.center),
                                  motion_velocity_at(&pair.wall, pair.center));
            double margin = 2 * h * vec3_norm(speed) + 1e-9;
            int count = wall_contacts_of_sphere(
                &stop->walls[w].shape, motion_to_local(&pair.wall, pair.center), stop->radius, margin, found);
            for (int c = 0; c < count; c++)
                if (!stops_add_contact(s, k, h, &pair, &found[c])) return false;
        }
    }
    return true;
}

// ---- the step --------------------------------------------------------------------------------------
static bool stops_build(Stops *s, double h, const Motion *ports, const double *Y) {
    contact_problem_clear(&s->problem);
    contact_solution_clear(&s->solution);
    s->owner.count = s->undone.count = 0;
    for (int p = 0; p < s->port_count; p++) {
        Twist free = {ports[p].velocity, ports[p].angular_velocity};
        if ((s->bodies[p] = contact_problem_add_body(&s->problem, 0, 0, free)) < 0) return false;
    }
    if (contact_problem_add_group(&s->problem, s->port_count, s->bodies, Y) < 0) return false;
    for (int k = 0; k < s->definition->count; k++)
        if (!stops_find(s, k, h, ports)) return false;
    return true;
}

static double stops_largest_speed(const Motion *ports, int count) {
    double largest = 0;
    for (int p = 0; p < count; p++) largest = fmax(largest, vec3_norm(ports[p].velocity));
    return largest;
}

// Energies by the mean of the relative velocities before and after.
static void stops_record(Stops *s, const Motion *ports) {
    const ContactProblem *problem = &s->problem;
    memset(s->force, 0, sizeof *s->force * (size_t)s->definition->count);
    for (size_t c = 0; c < problem->contacts.count; c++) {
        const ContactPoint *contact = &problem->contacts.data[c];
        Vec3 p = s->solution.impulses.data[c].linear, mean = vec3_zero();
        for (int q = 0; q < s->port_count; q++) {
            double sign = s->bodies[q] == contact->b ? 0.5 : s->bodies[q] == contact->a ? -0.5 : 0;
            if (sign == 0) continue;
            Vec3 arm = sign > 0 ? contact->arm_b : contact->arm_a;
            const Twist *after = &s->solution.velocity.data[s->bodies[q]];
            Twist free = {ports[q].velocity, ports[q].angular_velocity},
                  before = s->sums.known > 0 ? s->past[q] : free;
            mean = vec3_madd(mean, sign, vec3_add(before.linear, vec3_cross(before.angular, arm)));
            mean = vec3_madd(mean, sign, vec3_add(after->linear, vec3_cross(after->angular, arm)));
        }
        double normal = vec3_dot(p, contact->normal), along = vec3_dot(mean, contact->normal);
        double undoing = 0.5 * normal * s->undone.data[c];
        s->sums.impact -= normal * along - undoing;
        s->sums.stabilisation -= undoing;
        s->sums.friction -= vec3_dot(p, mean) - normal * along;
        s->sums.work -= vec3_dot(p, mean);
        s->force[s->owner.data[c]] += normal;
    }
}

static MrcStatus stops_advance(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                               Load *early, MrcError *error) {
    Stops *s = self;
    ContactOptions options = contact_options_default();
    ContactReport report;
    if (!Y)
        return error_set(error, MRC_MODEL,
                         "stop '%s' needs the mobility of its port: use 'coupling: {scheme: condensed}' or "
                         "'monolithic', and a port on a mechanism",
                         s->definition->items[0].name);
    if (!stops_build(s, h, ports, Y)) return error_memory(error, "the stops");
    options.tolerance = 1e-9;
    options.velocity_scale = 1e-6 * stops_largest_speed(ports, s->port_count) + 1e-12;
    MrcStatus status = contact_solution_fit(&s->solution, &s->problem, error);
    if (status == MRC_OK)
        status = contact_solve(&s->problem, &options, s->workspace, &s->solution, &report, error);
    if (status != MRC_OK) return status;
    if (!report.converged && !(report.residual.relative < 1e-3))
        return error_set(
            error, MRC_NOT_CONVERGED,
            "the contacts of the stops cannot be solved (relative residual %.2g): do they block the "
            "mechanism from two sides?",
            report.residual.relative);
    stops_record(s, ports);
    for (int p = 0; p < s->port_count; p++) {
        Twist load = contact_problem_load_on(&s->problem, s->solution.impulses.data, s->bodies[p]);
        impulses[p] = early[p] = (Load){load.linear, load.angular};
        s->past[p] = s->solution.velocity.data[s->bodies[p]];
    }
    s->sums.known = 1;
    s->last_h = h;
    return MRC_OK;
}

static MrcStatus stops_save(void *self, MrcError *error) {
    Stops *s = self;
    (void)error;
    memcpy(s->saved_past, s->past, sizeof *s->past * (size_t)s->port_count);
    memcpy(&s->saved_sums, &s->sums, sizeof s->sums);
    return MRC_OK;
}

static MrcStatus stops_restore(void *self, MrcError *error) {
    Stops *s = self;
    (void)error;
    memcpy(s->past, s->saved_past, sizeof *s->past * (size_t)s->port_count);
    memcpy(&s->sums, &s->saved_sums, sizeof s->sums);
    return MRC_OK;
}

// No mass on this side bounds the loads: it is the mechanism itself that hits a stop.
static void stops_carried(const void *self, int port, Vec3 origin, PartnerMass *mass) {
    const Stops *s = self;
    (void)origin;
    for (int k = 0; k < s->definition->count; k++) {
        bool touches = s->ports[k] == port;
        for (int w = 0; w < s->definition->items[k].wall_count; w++)
            touches = touches || s->wall_ports[k][w] == port;
        if (touches) mass->mass = mass->polar = INFINITY;
    }
}

static const FollowerVerbs stops_verbs = {
    .save = stops_save, .restore = stops_restore, .advance = stops_advance, .carried = stops_carried};

static PartnerAbilities stops_abilities(const void *self) {
    (void)self;
    return (PartnerAbilities){.restore = true, .energy = true};
}

static PartnerEnergy stops_energy(const void *self) {
    (void)self;
    return (PartnerEnergy){0};
}

// ---- signals, energies ---------------------------------------------------------------------------
static const SignalRow stops_rows[] = {
    {"gap", DIM_LENGTH, offsetof(StopValues, gap), "smallest gap of its points and walls; negative: overlap",
     NULL},
    {"force", DIM_FORCE, offsetof(StopValues, force), "sum of its normal forces, mean over the last step",
     NULL},
};

static void stops_signals(const void *definition, void *self, SignalList *list) {
    const StopsDefinition *d = definition;
    const Stops *s = self;
    for (int k = 0; k < d->count; k++)
        signal_list_add(list, d->items[k].name, stops_rows, sizeof stops_rows / sizeof *stops_rows,
                        s ? &s->values[k] : NULL);
}

static double stops_gap(const Stops *s, int k, const Motion *ports) {
    const StopDefinition *stop = &s->definition->items[k];
    Motion carrier = stops_motion(ports, s->ports[k]);
    double gap = INFINITY;
    for (int w = 0; w < stop->wall_count; w++) {
        Motion wall = stops_motion(ports, s->wall_ports[k][w]);
        for (int i = 0; i < stop->point_count; i++) {
            WallContact found[WALL_CONTACT_MAX];
            Vec3 x = motion_to_local(&wall, motion_to_world(&carrier, stop->points[i].at));
            int count = wall_contacts_of_sphere(&stop->walls[w].shape, x, stop->radius, 1e9, found);
            for (int c = 0; c < count; c++) gap = fmin(gap, found[c].gap);
        }
    }
    return gap;
}

static MrcStatus stops_measure(void *self, const Motion *ports, MrcError *error) {
    Stops *s = self;
    (void)error;
    for (int k = 0; k < s->definition->count; k++) {
        double gap = stops_gap(s, k, ports);
        s->values[k] = (StopValues){isfinite(gap) ? gap : 1e9, s->last_h > 0 ? s->force[k] / s->last_h : 0};
    }
    return MRC_OK;
}

static void stops_ledger(const void *self, EnergySums *now) {
    const Stops *s = self;
    now->work += s->sums.work;
    now->impact += s->sums.impact;
    now->friction += s->sums.friction;
    now->stabilisation += s->sums.stabilisation;
    now->follower_port_work += s->sums.work;
}

static void stops_archive(void *self, Archive *archive) {
    Stops *s = self;
    archive_group_begin(archive, "stops");
    archive_doubles(archive, "past", (double *)s->past,
                    (size_t)s->port_count * sizeof(Twist) / sizeof(double));
    archive_doubles(archive, "sums", (double *)&s->sums, sizeof s->sums / sizeof(double));
    archive_doubles(archive, "force", s->force, (size_t)s->definition->count);
    archive_doubles(archive, "last_h", &s->last_h, 1);
    archive_group_end(archive, "stops");
}

static const PartnerSection stops_section = {stops_are_given, stops_section_ports, stops_create};

const PartnerType partner_stops = {
    .kind = "stops",
    .section = &stops_section,
    .follower = &stops_verbs,
    .abilities = stops_abilities,
    .energy = stops_energy,
    .signals = stops_signals,
    .measure = stops_measure,
    .ledger = stops_ledger,
    .archive = stops_archive,
    .destroy = stops_destroy,
};
