#include "partner/guest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/unit.h"

// The public structs have the same layout as the internal ones, so that they can be copied byte by byte.
_Static_assert(sizeof(MrcMotion) == sizeof(Motion), "a motion is 19 numbers in the same order");
_Static_assert(sizeof(MrcLoad) == sizeof(Load), "a load is 6 numbers in the same order");

static Motion guest_motion_of(const MrcMotion *m) {
    Motion motion;
    memcpy(&motion, m, sizeof motion);
    return motion;
}

// ---- creation ------------------------------------------------------------------------------------
bool guest_is_driver(const Guest *g) { return g->partner.motion != NULL; }

MrcStatus guest_create(const MrcPartner *partner, Arena *arena, Guest **out, MrcError *error) {
    Guest *g = *out = arena_alloc(arena, sizeof *g);
    if (!g) return error_memory(error, "a partner");
    size_t size = partner->size < sizeof g->partner ? partner->size : sizeof g->partner;
    if (size <= offsetof(MrcPartner, name))
        return error_set(error, MRC_USAGE, "a partner must have its size set to sizeof(MrcPartner)");
    memcpy(&g->partner, partner, size);
    const MrcPartner *p = &g->partner;
    if (!p->name || !*p->name) return error_set(error, MRC_USAGE, "a partner needs a name");
    if (p->motion && p->step)
        return error_set(error, MRC_USAGE, "partner '%s': give 'motion' or 'step', not both", p->name);
    if (!p->motion && !p->step)
        return error_set(error, MRC_USAGE,
                         "partner '%s' has neither 'motion' (a driver) nor 'step' (a follower)", p->name);
    if (p->motion && (!p->begin || (!p->advance && !p->iterate) || !p->commit))
        return error_set(error, MRC_USAGE, "partner '%s': a driver needs begin, motion, advance and commit",
                         p->name);
    if ((p->mobility != NULL) != (p->impulse != NULL))
        return error_set(error, MRC_USAGE, "partner '%s': mobility and impulse belong together", p->name);
    if (p->state_size > 0 && !p->state)
        return error_set(error, MRC_USAGE, "partner '%s' has a state_size but no state", p->name);
    if ((p->save != NULL) != (p->restore != NULL) || (p->pack != NULL) != (p->unpack != NULL))
        return error_set(error, MRC_USAGE, "partner '%s': save and restore, pack and unpack belong together",
                         p->name);
    g->saved = arena_alloc(arena, p->state_size + 1);
    return g->saved ? MRC_OK : error_memory(error, "a partner");
}

static MrcStatus guest_allocate(Guest *g, int count, Arena *arena, MrcError *error) {
    size_t n = (size_t)count + 1;
    g->port_count = count;
    g->present = arena_alloc(arena, n * sizeof *g->present);
    g->pushed = arena_alloc(arena, n * sizeof *g->pushed);
    g->places = arena_alloc(arena, n * sizeof *g->places);
    g->own_ports = arena_alloc(arena, n * sizeof *g->own_ports);
    g->own_impulses = arena_alloc(arena, n * sizeof *g->own_impulses);
    g->own_mobility = arena_alloc(arena, 36 * n * n * sizeof *g->own_mobility);
    bool fine = g->present && g->pushed && g->places && g->own_ports && g->own_impulses && g->own_mobility;
    return fine ? MRC_OK : error_memory(error, "a partner");
}

MrcStatus guest_bind_driver(Guest *g, int count, Arena *arena, MrcError *error) {
    if (count == 0)
        return error_set(error, MRC_MODEL,
                         "no port of the model names the partner '%s': ports: {NAME: {partner: %s}}",
                         g->partner.name, g->partner.name);
    return guest_allocate(g, count, arena, error);
}

MrcStatus guest_bind_follower(Guest *g, const PartnerPorts *ports, Arena *arena, MrcError *error) {
    MrcStatus status = guest_allocate(g, g->partner.port_count, arena, error);
    g->all_ports = ports->count;
    for (int k = 0; k < g->partner.port_count && status == MRC_OK; k++) {
        g->places[k] = partner_find_port(ports, g->partner.ports[k]);
        if (g->places[k] < 0)
            status =
                error_set(error, MRC_MODEL, "partner '%s' needs the port '%s', which the model does not have",
                          g->partner.name, g->partner.ports[k]);
    }
    return status;
}

// ---- energy --------------------------------------------------------------------------------------
static double guest_stored(const Guest *g) {
    return g->energy.kinetic + g->energy.potential + g->energy.elastic;
}

static void guest_find_energy(Guest *g) {
    if (!g->partner.energy) return;
    g->partner.energy(g->partner.self, &g->energy);
    if (!g->started) g->start = guest_stored(g);
    g->started = true;
}

static PartnerEnergy guest_energy(const void *self) {
    Guest *g = (Guest *)self;
    guest_find_energy(g);
    const MrcEnergy *e = &g->energy;
    return (PartnerEnergy){e->kinetic, e->potential + e->elastic, e->work, fabs(e->work), 0};
}

static MrcStatus guest_measure(void *self, const Motion *ports, MrcError *error) {
    (void)ports, (void)error;
    guest_find_energy(self);
    return MRC_OK;
}

// A partner that gives no energies is left out: what passes through its ports then counts as work from outside.
static void guest_add_energy(const Guest *g, EnergySums *now) {
    const MrcEnergy *e = &g->energy;
    if (!g->partner.energy) return;
    now->work += e->work + g->port_work;
    now->input += fabs(e->work);
    now->kinetic += e->kinetic;
    now->potential += e->potential;
    now->elastic += e->elastic;
    now->dampers += e->dissipated;
    now->algorithm += g->start + e->work + g->port_work - e->dissipated - guest_stored(g);
}

static void guest_driver_ledger(const void *self, EnergySums *now) {
    const Guest *g = self;
    guest_add_energy(g, now);
    now->driver_port_work += g->port_work;
}

static void guest_follower_ledger(const void *self, EnergySums *now) {
    const Guest *g = self;
    guest_add_energy(g, now);
    now->follower_port_work += g->port_work;
}

// ---- signals and state ---------------------------------------------------------------------------
static void guest_signals(const void *definition, void *self, SignalList *list) {
    const Guest *g = self;
    (void)definition;
    for (int k = 0; k < g->partner.signal_count; k++) {
        const MrcPartnerSignal *s = &g->partner.signals[k];
        const char *name = arena_printf(list->arena, "%s.%s", g->partner.name, s->name);
        if (!name) list->incomplete = true;
        else
            signal_list_add_one(list,
                                (Signal){.name = name, .unit = s->unit ? s->unit : "1", .value = s->value});
    }
}

void guest_archive_packed(const MrcPartner *partner, Archive *archive) {
    MrcError error = {.text = ""};
    unsigned char *bytes = NULL;
    size_t count = 0;
    bool loading = archive_is_loading(archive);
    MrcStatus status = loading ? MRC_OK : partner->pack(partner->self, &bytes, &count, &error);
    if (status != MRC_OK) archive_fail(archive, status, "state", "%s", error.text);
    if (!archive_count(archive, "size", &count)) count = 0;
    if (loading && !(bytes = malloc(count + 1))) archive_fail(archive, MRC_MEMORY, "state", "out of memory");
    archive_bytes(archive, "state", bytes, bytes ? count : 0);
    if (loading && archive_status(archive, NULL) == MRC_OK) {
        status = partner->unpack(partner->self, bytes, count, &error);
        if (status != MRC_OK) archive_fail(archive, status, "state", "%s", error.text);
    }
    free(bytes);
}

static void guest_archive(void *self, Archive *archive) {
    Guest *g = self;
    double numbers[] = {g->port_work, g->start, g->started, g->stepped};
    archive_doubles(archive, "numbers", numbers, 4);
    g->port_work = numbers[0], g->start = numbers[1], g->started = numbers[2] != 0,
    g->stepped = numbers[3] != 0;
    archive_doubles(archive, "present", (double *)g->present,
                    (size_t)g->port_count * sizeof(Motion) / sizeof(double));
    if (g->partner.state_size > 0) archive_bytes(archive, "state", g->partner.state, g->partner.state_size);
    else if (g->partner.pack) guest_archive_packed(&g->partner, archive);
}

// ---- a driver ------------------------------------------------------------------------------------
static Motion guest_motion(const void *self, int port) {
    const Guest *g = self;
    MrcMotion motion = {.orientation = {1, 0, 0, 0}};
    g->partner.motion(g->partner.self, port, &motion);
    return guest_motion_of(&motion);
}

static MrcStatus guest_begin(void *self, double t, double h, MrcError *error) {
    Guest *g = self;
    for (int p = 0; p < g->port_count; p++) {
        if (!g->stepped) g->present[p] = guest_motion(g, p);
        g->pushed[p] = (Load){{0, 0, 0}, {0, 0, 0}};
    }
    if (!g->started) guest_find_energy(g);
    g->stepped = true;
    g->h = h;
    return g->partner.begin(g->partner.self, t, h, error);
}

static MrcStatus guest_advance(void *self, const Load *loads, MrcError *error) {
    Guest *g = self;
    for (int p = 0; p < g->port_count; p++)
        g->pushed[p] = loads ? load_scale(g->h, loads[p]) : (Load){{0, 0, 0}, {0, 0, 0}};
    double left;
    return g->partner.advance ? g->partner.advance(g->partner.self, (const MrcLoad *)loads, error)
                              : g->partner.iterate(g->partner.self, (const MrcLoad *)loads, &left, error);
}

static MrcStatus guest_iterate(void *self, const Load *loads, double *left, MrcError *error) {
    Guest *g = self;
    *left = 0;
    if (!g->partner.iterate) return guest_advance(self, loads, error);
    for (int p = 0; p < g->port_count; p++) g->pushed[p] = load_scale(g->h, loads[p]);
    return g->partner.iterate(g->partner.self, (const MrcLoad *)loads, left, error);
}

static MrcStatus guest_mobility(void *self, double early, double *Y, MrcError *error) {
    return ((Guest *)self)->partner.mobility(((Guest *)self)->partner.self, early, Y, error);
}

static MrcStatus guest_impulse(void *self, const Load *impulses, const Load *early, const double *works,
                               MrcError *error) {
    Guest *g = self;
    for (int p = 0; p < g->port_count; p++)
        if (works) g->port_work += works[p];
        else g->pushed[p] = load_add(g->pushed[p], impulses[p]);
    return g->partner.impulse(g->partner.self, (const MrcLoad *)impulses, (const MrcLoad *)early, error);
}

// The work of the loads is taken along the displacement of the ports.
static MrcStatus guest_commit(void *self, MrcError *error) {
    Guest *g = self;
    MrcStatus status = g->partner.commit(g->partner.self, error);
    for (int p = 0; p < g->port_count && status == MRC_OK; p++) {
        Motion after = guest_motion(g, p);
        Twist way = motion_twist_to(&g->present[p], &after, g->h);
        g->present[p] = after;
        g->port_work += vec3_dot(g->pushed[p].force, way.linear) + vec3_dot(g->pushed[p].moment, way.angular);
    }
    return status;
}

static PartnerAbilities guest_driver_abilities(const void *self) {
    const Guest *g = self;
    return (PartnerAbilities){.yields = true,
                              .mobility = g->partner.mobility != NULL,
                              .once = g->partner.once,
                              .iterates = !g->partner.advance,
                              .rho_inf = NAN,
                              .energy = g->partner.energy != NULL};
}

static const DriverVerbs guest_driver_verbs = {
    .begin = guest_begin,
    .motion = guest_motion,
    .advance = guest_advance,
    .iterate = guest_iterate,
    .mobility = guest_mobility,
    .impulse = guest_impulse,
    .commit = guest_commit,
};

const PartnerType partner_guest_driver = {
    .kind = "partner of the program",
    .driver = &guest_driver_verbs,
    .abilities = guest_driver_abilities,
    .energy = guest_energy,
    .signals = guest_signals,
    .measure = guest_measure,
    .ledger = guest_driver_ledger,
    .archive = guest_archive,
};

// ---- a follower ----------------------------------------------------------------------------------
static MrcStatus guest_save(void *self, MrcError *error) {
    Guest *g = self;
    g->saved_work = g->port_work;
    if (g->partner.save) return g->partner.save(g->partner.self, error);
    if (g->partner.state_size > 0) memcpy(g->saved, g->partner.state, g->partner.state_size);
    return MRC_OK;
}

static MrcStatus guest_restore(void *self, MrcError *error) {
    Guest *g = self;
    g->port_work = g->saved_work;
    if (g->partner.restore) return g->partner.restore(g->partner.self, error);
    if (g->partner.state_size > 0) memcpy(g->partner.state, g->saved, g->partner.state_size);
    return MRC_OK;
}

// Its own ports and its own part of the mobility.
static const double *guest_gather(Guest *g, const Motion *ports, const double *Y) {
    int n = g->port_count;
    for (int k = 0; k < n; k++) memcpy(&g->own_ports[k], &ports[g->places[k]], sizeof *g->own_ports);
    if (!Y) return NULL;
    for (int i = 0; i < 6 * n; i++)
        for (int j = 0; j < 6 * n; j++)
            g->own_mobility[i * 6 * n + j] =
                Y[(6 * g->places[i / 6] + i % 6) * 6 * g->all_ports + 6 * g->places[j / 6] + j % 6];
    return g->own_mobility;
}

// The work of the impulses on the follower: impulse times the mean of the velocities before and after.
static double guest_work(const Guest *g, const double *Y) {
    int n = g->port_count;
    double work = 0;
    for (int i = 0; i < 6 * n; i++) {
        const MrcMotion *m = &g->own_ports[i / 6];
        double v = i % 6 < 3 ? m->velocity[i % 6] : m->angular_velocity[i % 6 - 3];
        for (int j = 0; j < 6 * n && Y; j++)
            v += Y[i * 6 * n + j] * ((const double *)&g->own_impulses[j / 6])[j % 6];
        work -= v * ((const double *)&g->own_impulses[i / 6])[i % 6];
    }
    return work;
}

static MrcStatus guest_step(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                            Load *early, MrcError *error) {
    Guest *g = self;
    if (!g->started) guest_find_energy(g);
    const double *own = guest_gather(g, ports, Y);
    for (int k = 0; k < g->port_count; k++) g->own_impulses[k] = (MrcLoad){0};
    MrcStatus status = g->partner.step(g->partner.self, h, g->own_ports, own, g->own_impulses, error);
    for (int p = 0; p < g->all_ports; p++) impulses[p] = early[p] = (Load){{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < g->port_count; k++) {
        Load load;
        memcpy(&load, &g->own_impulses[k], sizeof load);
        int p = g->places[k];
        impulses[p] = early[p] = load_add(impulses[p], load);
    }
    g->port_work += guest_work(g, own);
    return status;
}

static PartnerAbilities guest_follower_abilities(const void *self) {
    const Guest *g = self;
    return (PartnerAbilities){.restore = g->partner.state_size > 0 || g->partner.restore,
                              .energy = g->partner.energy != NULL};
}

// Its mass is not known.
static void guest_carried(const void *self, int port, Vec3 origin, PartnerMass *mass) {
    const Guest *g = self;
    (void)origin;
    for (int k = 0; k < g->port_count; k++)
        if (g->places[k] == port) mass->mass = mass->polar = INFINITY;
}

static const FollowerVerbs guest_follower_verbs = {
    .save = guest_save, .restore = guest_restore, .advance = guest_step, .carried = guest_carried};

const PartnerType partner_guest_follower = {
    .kind = "partner of the program",
    .follower = &guest_follower_verbs,
    .abilities = guest_follower_abilities,
    .energy = guest_energy,
    .signals = guest_signals,
    .measure = guest_measure,
    .ledger = guest_follower_ledger,
    .archive = guest_archive,
};
