#include "coupling/drivers.h"

#include <math.h>
#include <string.h>

// An ability that all drivers need is common if each has it; one that only drivers that yield need, if each of these
// has it.
static PartnerAbilities drivers_common_abilities(const Drivers *d) {
    PartnerAbilities all = {.mobility = true, .euler = true, .energy = true, .rho_inf = NAN};
    bool joined = true;
    for (int k = 0; k < d->count; k++) {
        const PartnerAbilities *own = &d->abilities[k];
        bool has_ports = d->first[k + 1] > d->first[k];
        all.yields = all.yields || (own->yields && has_ports);
        all.mobility = all.mobility && (own->mobility || !own->yields || !has_ports);
        all.euler = all.euler && own->euler;
        all.once = all.once || own->once;
        all.iterates = all.iterates || own->iterates;
        all.energy = all.energy && own->energy;
        joined = joined && (own->bodies > 0 || !has_ports);
        if (own->yields) all.bodies += own->bodies;
        if (own->yields && isnan(all.rho_inf)) all.rho_inf = own->rho_inf;
    }
    if (!joined) all.bodies = 0;
    return all;
}

MrcStatus drivers_create(Drivers *d, const Partner *items, const int *port_counts, int count, Arena *arena,
                         MrcError *error) {
    *d = (Drivers){.items = items, .count = count};
    int most = 0;
    for (int k = 0; k < count; k++) {
        d->port_count += port_counts[k];
        if (port_counts[k] > most) most = port_counts[k];
    }
    d->first = arena_alloc(arena, ((size_t)count + 1) * sizeof *d->first);
    d->driver_of = arena_alloc(arena, ((size_t)d->port_count + 1) * sizeof *d->driver_of);
    d->abilities = arena_alloc(arena, ((size_t)count + 1) * sizeof *d->abilities);
    d->block = arena_alloc(arena, (72 * (size_t)most * (size_t)most + 1) * sizeof *d->block);
    if (!d->first || !d->driver_of || !d->abilities || !d->block) return error_memory(error, "the coupling");
    for (int k = 0; k < count; k++) {
        d->first[k + 1] = d->first[k] + port_counts[k];
        d->abilities[k] = items[k].type->abilities(items[k].self);
        for (int p = d->first[k]; p < d->first[k + 1]; p++) d->driver_of[p] = k;
    }
    d->all = drivers_common_abilities(d);
    return MRC_OK;
}

bool drivers_port_yields(const Drivers *d, int port) { return d->abilities[d->driver_of[port]].yields; }

Motion drivers_motion(const Drivers *d, int port) {
    int k = d->driver_of[port];
    return d->items[k].type->driver->motion(d->items[k].self, port - d->first[k]);
}

MrcStatus drivers_begin(const Drivers *d, double t, double h, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        status = d->items[k].type->driver->begin(d->items[k].self, t, h, error);
    return status;
}

MrcStatus drivers_advance(const Drivers *d, const Load *loads, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        status = d->items[k].type->driver->advance(
            d->items[k].self, d->abilities[k].yields && loads ? loads + d->first[k] : NULL, error);
    return status;
}

MrcStatus drivers_iterate(const Drivers *d, const Load *loads, double *left, MrcError *error) {
    MrcStatus status = MRC_OK;
    *left = 0;
    for (int k = 0; k < d->count && status == MRC_OK; k++) {
        double own = 0;
        status = d->items[k].type->driver->iterate(d->items[k].self, loads + d->first[k], &own, error);
        *left = fmax(*left, own);
    }
    return status;
}

MrcStatus drivers_mobility(const Drivers *d, double early, double *Y, MrcError *error) {
    size_t size = 6 * (size_t)d->port_count;
    MrcStatus status = MRC_OK;
    memset(Y, 0, size * size * sizeof *Y);
    for (int k = 0; k < d->count && status == MRC_OK; k++) {
        size_t first = 6 * (size_t)d->first[k], own = 6 * (size_t)d->first[k + 1] - first;
        if (!d->abilities[k].yields || own == 0) continue;
        status =
            d->items[k].type->driver->mobility(d->items[k].self, early, own == size ? Y : d->block, error);
        for (size_t i = 0; i < own && own < size; i++)
            memcpy(Y + (first + i) * size + first, d->block + i * own, own * sizeof *Y);
    }
    return status;
}

MrcStatus drivers_curve(const Drivers *d, const Motion *before, Twist *changes, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++) {
        const DriverVerbs *verbs = d->items[k].type->driver;
        if (verbs->curve && d->abilities[k].yields)
            status = verbs->curve(d->items[k].self, changes + d->first[k], error);
        else
            for (int p = d->first[k]; p < d->first[k + 1]; p++) {
                Motion after = verbs->motion(d->items[k].self, p - d->first[k]);
                changes[p] = (Twist){vec3_sub(after.velocity, before[p].velocity),
                                     vec3_sub(after.angular_velocity, before[p].angular_velocity)};
            }
    }
    return status;
}

// The one driver that yields.
bool drivers_divide(const Drivers *d, double *lasting, double *yielding, double *settling) {
    size_t size = 6 * (size_t)d->port_count;
    int only = -1, count = 0;
    for (int k = 0; k < d->count; k++)
        if (d->abilities[k].yields && d->first[k + 1] > d->first[k]) only = k, count++;
    if (count != 1 || !d->items[only].type->driver->divide) return false;
    size_t first = 6 * (size_t)d->first[only], own = 6 * (size_t)d->first[only + 1] - first;
    if (own == size)
        return d->items[only].type->driver->divide(d->items[only].self, lasting, yielding, settling);
    double *block = d->block, *second = d->block + own * own;
    if (!d->items[only].type->driver->divide(d->items[only].self, block, second, settling)) return false;
    memset(lasting, 0, size * size * sizeof *lasting);
    memset(yielding, 0, size * size * sizeof *yielding);
    for (size_t i = 0; i < own; i++) {
        memcpy(lasting + (first + i) * size + first, block + i * own, own * sizeof *block);
        memcpy(yielding + (first + i) * size + first, second + i * own, own * sizeof *block);
    }
    return true;
}

MrcStatus drivers_impulse(const Drivers *d, const Load *impulses, const Load *early, const double *works,
                          MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        if (d->abilities[k].yields)
            status = d->items[k].type->driver->impulse(d->items[k].self, impulses + d->first[k],
                                                       early + d->first[k],
                                                       works ? works + d->first[k] : NULL, error);
    return status;
}

double drivers_jump_energy(const Drivers *d, const Load *impulses, const Twist *moved) {
    double sum = 0;
    for (int k = 0; k < d->count; k++) {
        const DriverVerbs *verbs = d->items[k].type->driver;
        double own = 0;
        bool known = d->abilities[k].yields && verbs->jump_energy &&
                     verbs->jump_energy(d->items[k].self, impulses + d->first[k], &own);
        for (int p = d->first[k]; p < d->first[k + 1] && !known; p++)
            own +=
                vec3_dot(impulses[p].force, moved[p].linear) + vec3_dot(impulses[p].moment, moved[p].angular);
        sum += own;
    }
    return sum;
}

bool drivers_stopped(const Drivers *d, Twist *lost) {
    bool any = false;
    memset(lost, 0, sizeof *lost * (size_t)d->port_count);
    for (int k = 0; k < d->count; k++) {
        const DriverVerbs *verbs = d->items[k].type->driver;
        any |=
            d->abilities[k].yields && verbs->stopped && verbs->stopped(d->items[k].self, lost + d->first[k]);
    }
    return any;
}

MrcStatus drivers_commit(const Drivers *d, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        status = d->items[k].type->driver->commit(d->items[k].self, error);
    return status;
}

MrcStatus drivers_euler(const Drivers *d, double t, double h, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        status = d->items[k].type->driver->euler(d->items[k].self, t, h, error);
    return status;
}

Twist drivers_euler_twist(const Drivers *d, int port) {
    int k = d->driver_of[port];
    return d->items[k].type->driver->euler_twist(d->items[k].self, port - d->first[k]);
}

MrcStatus drivers_join(const Drivers *d, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->count && status == MRC_OK; k++)
        if (d->items[k].type->driver->join)
            status = d->items[k].type->driver->join(d->items[k].self, problem, ports + d->first[k], error);
    return status;
}

void drivers_take(const Drivers *d, const ContactSolution *solution, const Load *impulses,
                  const double *works) {
    for (int k = 0; k < d->count; k++)
        if (d->items[k].type->driver->take)
            d->items[k].type->driver->take(d->items[k].self, solution, impulses + d->first[k],
                                           works + d->first[k]);
}

PartnerEnergy partners_energy(const Partner *items, int count) {
    PartnerEnergy sum = {0};
    for (int k = 0; k < count; k++) {
        if (!items[k].type->energy) continue;
        PartnerEnergy own = items[k].type->energy(items[k].self);
        sum.kinetic += own.kinetic;
        sum.stored += own.stored;
        sum.worked += own.worked;
        sum.flow += own.flow;
        sum.unseen += own.unseen;
    }
    return sum;
}
