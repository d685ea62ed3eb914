#include "coupling/followers.h"

#include <math.h>
#include <string.h>

MrcStatus followers_create(Followers *f, const Partner *items, int count, int port_count, Arena *arena,
                           MrcError *error) {
    size_t n = (size_t)port_count + 1;
    *f = (Followers){.items = items, .count = count, .port_count = port_count};
    f->ports = arena_alloc(arena, n * sizeof *f->ports);
    f->impulses = arena_alloc(arena, n * sizeof *f->impulses);
    f->early = arena_alloc(arena, n * sizeof *f->early);
    if (!f->ports || !f->impulses || !f->early) return error_memory(error, "the coupling");
    f->all = (PartnerAbilities){.restore = true, .rows = count == 1, .energy = true};
    for (int k = 0; k < count; k++) {
        PartnerAbilities own = items[k].type->abilities(items[k].self);
        f->all.restore = f->all.restore && own.restore;
        f->all.rows = f->all.rows && own.rows;
        f->all.energy = f->all.energy && own.energy;
        f->all.divides = count == 1 && own.divides;
        f->all.mixed = count == 1 && own.mixed;
        if (own.small_steps > f->all.small_steps) f->all.small_steps = own.small_steps;
    }
    return MRC_OK;
}

MrcStatus followers_save(const Followers *f, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < f->count && status == MRC_OK; k++)
        status = f->items[k].type->follower->save(f->items[k].self, error);
    return status;
}

MrcStatus followers_restore(const Followers *f, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < f->count && status == MRC_OK; k++)
        status = f->items[k].type->follower->restore(f->items[k].self, error);
    return status;
}

// velocities += Y impulses
static void followers_push(const Followers *f, const double *Y, const Load *impulses, Motion *ports) {
    int size = 6 * f->port_count;
    for (int i = 0; i < size && Y; i++) {
        double gain = 0, *v = i % 6 < 3 ? &ports[i / 6].velocity.x + i % 6
                                        : &ports[i / 6].angular_velocity.x + i % 6 - 3;
        for (int j = 0; j < size; j++) gain += Y[i * size + j] * (&impulses[j / 6].force.x)[j % 6];
        *v += gain;
    }
}

MrcStatus followers_advance(const Followers *f, double h, const Motion *ports, const double *Y,
                            Load *impulses, Load *early, MrcError *error) {
    size_t n = (size_t)f->port_count;
    for (size_t p = 0; p < n && f->count == 0; p++) impulses[p] = early[p] = (Load){{0, 0, 0}, {0, 0, 0}};
    if (f->count == 0) return MRC_OK;
    MrcStatus status =
        f->items[0].type->follower->advance(f->items[0].self, h, ports, Y, impulses, early, error);
    if (f->count > 1 && n > 0) {
        memcpy(f->ports, ports, n * sizeof *ports);
        memcpy(f->impulses, impulses, n * sizeof *impulses);
    }
    for (int k = 1; k < f->count && status == MRC_OK; k++) {
        followers_push(f, Y, f->impulses, f->ports);
        status = f->items[k].type->follower->advance(f->items[k].self, h, f->ports, Y, f->impulses, f->early,
                                                     error);
        for (size_t p = 0; p < n; p++) {
            impulses[p] = load_add(impulses[p], f->impulses[p]);
            early[p] = load_add(early[p], f->early[p]);
        }
    }
    return status;
}

MrcStatus followers_advance_machine(const Followers *f, double h, const Motion *ports,
                                    const ContactMachine *machine, Load *impulses, MrcError *error) {
    return f->items[0].type->follower->advance_machine(f->items[0].self, h, ports, machine, impulses, error);
}

// A port that two followers touch is held: each of them may press against the other through it.
PartnerMass followers_carried(const Followers *f, int port, Vec3 origin) {
    PartnerMass mass = {0};
    int touching = 0;
    for (int k = 0; k < f->count; k++) {
        double before = mass.mass;
        if (!f->items[k].type->follower->carried) continue;
        f->items[k].type->follower->carried(f->items[k].self, port, origin, &mass);
        touching += mass.mass > before;
    }
    mass.held = mass.held || touching > 1;
    return mass;
}

PartnerLosses followers_losses(const Followers *f, int port) {
    PartnerLosses sum = {0};
    for (int k = 0; k < f->count; k++)
        if (f->items[k].type->follower->losses)
            f->items[k].type->follower->losses(f->items[k].self, port, &sum);
    return sum;
}
