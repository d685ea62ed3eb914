#include "coupling/coupling.h"

#include <math.h>
#include <stdio.h>

// ---- the schemes ---------------------------------------------------------------------------------
static const struct {
    const char *name;
    Scheme *step;
    const char *instead; // what to use when it diverges
} schemes[SCHEME_COUNT] = {
    [SCHEME_AUTO] = {"auto", scheme_condensed, ""},
    [SCHEME_LOOSE] = {"loose", scheme_loose, "scheme: condensed, which is stable at any mass ratio"},
    [SCHEME_TIGHT] = {"tight", scheme_tight,
                      "scheme: condensed, or tight with acceleration: quasi-newton and more iterations"},
    [SCHEME_EXPLICIT] = {"explicit", scheme_explicit,
                         "scheme: condensed, or explicit with inputs: index-1 and a smaller rho_inf"},
    [SCHEME_OVERLAPPED] = {"overlapped", scheme_overlapped, "scheme: condensed"},
    [SCHEME_MULTIRATE] = {"multirate", scheme_multirate, "scheme: condensed, or a smaller exchange step"},
    [SCHEME_MONOLITHIC] =
        {"monolithic", scheme_monolithic,
         "scheme: condensed, which takes stiff springs and beams implicitly, or a smaller step"},
    [SCHEME_CONDENSED] = {"condensed", scheme_condensed, "a smaller step or a smaller rho_inf"},
};

const char *scheme_name(SchemeKind scheme) { return schemes[scheme].name; }
const char *scheme_instead(SchemeKind scheme) { return schemes[scheme].instead; }

// ---- creation ------------------------------------------------------------------------------------
MrcStatus coupling_create(Coupling *c, const CouplingDefinition *definition, int count, Arena *arena,
                          MrcError *error) {
    size_t n = (size_t)count;
    if (count > CONTAINERS_MAX)
        return error_set(error, MRC_MODEL,
                         "%d ports between mechanism and grains are too many; at most %d are possible", count,
                         CONTAINERS_MAX);
    *c = (Coupling){.definition = definition,
                    .scheme = definition->scheme == SCHEME_AUTO ? SCHEME_CONDENSED : definition->scheme,
                    .count = count};
    adaption_start(&c->adaption);
    c->ports = arena_alloc(arena, n * sizeof *c->ports);
    c->before = arena_alloc(arena, n * sizeof *c->before);
    c->given = arena_alloc(arena, n * sizeof *c->given);
    Twist **twists[] = {&c->twists, &c->bends, &c->free, &c->moved, &c->ended};
    Load **loads[] = {&c->impulses, &c->early, &c->passed, &c->passed_early, &c->loads, &c->driving};
    bool fine = c->ports && c->before && c->given;
    for (int k = 0; k < 5; k++) fine = (*twists[k] = arena_alloc(arena, n * sizeof(Twist))) && fine;
    for (int k = 0; k < 6; k++) fine = (*loads[k] = arena_alloc(arena, n * sizeof(Load))) && fine;
    c->Y = arena_alloc(arena, 36 * n * n * sizeof(double));
    c->history = arena_alloc(arena, tight_history_size(count) * sizeof(double));
    c->bound.carried = arena_alloc(arena, n * sizeof *c->bound.carried);
    c->machine.markers = arena_alloc(arena, n * sizeof *c->machine.markers);
    c->machine.bodies = arena_alloc(arena, n * sizeof *c->machine.bodies);
    c->machine.first_rows = arena_alloc(arena, n * sizeof *c->machine.first_rows);
    fine = fine && c->machine.markers && c->machine.bodies && c->machine.first_rows;
    if (!fine || !c->Y || !c->history || !c->bound.carried) return error_memory(error, "the coupling");
    return containers_create(&c->containers, count, arena, error);
}

// A container whose contacts alone are told has its mass in the mechanism.
void coupling_place(Coupling *c, int port, const char *name, const ContainerDefinition *container) {
    Motion marker = c->driver.motion(c->driver.self, port);
    ContainerDefinition own = *container;
    if (own.load == LOAD_CONTACTS) own.mass = 0;
    c->ports[port] = (CoupledPort){.name = name, .marker = marker};
    containers_place(&c->containers, port, &own, marker);
}

// ---- signs ----------------------------------------------------------------------------------------
const char *coupling_sign(const Coupling *c, int port, SignKind sign, char *buffer, size_t size) {
    const PortSigns *s = &c->ports[port].signs;
    const char *name = c->ports[port].name, *instead = schemes[c->scheme].instead;
    if (!s->seen[sign]) return NULL;
    if (sign == SIGN_VELOCITY)
        snprintf(
            buffer, size,
            "port '%s': its velocity is not the derivative of its position, which is a sign of an exchange "
            "that is too rare; take a smaller step, or %s",
            name, instead);
    else if (sign == SIGN_LOAD)
        snprintf(
            buffer, size,
            "port '%s': the load reverses from step to step: mechanism and grains play ping-pong; use %s",
            name, instead);
    else
        snprintf(buffer, size,
                 "port '%s': the energy error of the exchange grows, to %.2g %% of the %.3g J that passed; "
                 "use %s, or a "
                 "smaller step",
                 name, 100 * fabs(s->error_total) / s->passed_total, s->passed_total, instead);
    return buffer;
}

// ---- the step ------------------------------------------------------------------------------------
MrcStatus coupling_exchange(Coupling *c, double h, MrcError *error) {
    MrcStatus status = schemes[c->scheme].step(c, h, error);
    if (status != MRC_OK) return bound_explain(c, h, error);
    return c->adaption.refused ? MRC_OK : bound_watch(c, h, error);
}

MrcStatus coupling_step(Coupling *c, double h, MrcError *error) {
    if (c->counts.steps == 0) bound_start(c);
    return c->definition->energy_tolerance > 0 ? adaption_step(c, h, error) : coupling_exchange(c, h, error);
}

void coupling_archive(Coupling *c, Archive *archive) {
    size_t n = (size_t)c->count;
    int64_t counts[] = {c->counts.steps, c->counts.grain_solves, c->counts.most_solves,
                        c->counts.unconverged};
    double sums[] = {c->counts.energy_error,  c->counts.energy_error_size,
                     c->counts.energy_passed, c->counts.largest_gap,
                     c->counts.largest_load,  c->stored_range,
                     c->counts.bend_work,     c->bound.energy,
                     c->bound.score};
    archive_int64s(archive, "counts", counts, sizeof counts / sizeof *counts);
    archive_doubles(archive, "sums", sums, sizeof sums / sizeof *sums);
    archive_doubles(archive, "last_h", &c->last_h, 1);
    adaption_archive(&c->adaption, archive);
    archive_doubles(archive, "start", &c->start.kinetic, sizeof c->start / sizeof(double));
    archive_doubles(archive, "history", c->history, tight_history_size(c->count));
    c->counts = (CouplingCounts){.steps = counts[0],
                                 .grain_solves = counts[1],
                                 .most_solves = counts[2],
                                 .unconverged = counts[3],
                                 .energy_error = sums[0],
                                 .energy_error_size = sums[1],
                                 .energy_passed = sums[2],
                                 .largest_gap = sums[3],
                                 .largest_load = sums[4],
                                 .bend_work = sums[6]};
    c->stored_range = sums[5];
    c->bound.energy = sums[7], c->bound.score = sums[8];
    for (size_t p = 0; p < n; p++) {
        CoupledPort *port = &c->ports[p];
        double *marker = &port->marker.position.x, *container = &c->containers.items[p].motion.position.x;
        char name[32];
        snprintf(name, sizeof name, "port%zu", p);
        archive_group_begin(archive, name);
        archive_doubles(archive, "marker", marker, sizeof(Motion) / sizeof(double));
        archive_doubles(archive, "container", container, sizeof(Motion) / sizeof(double));
        archive_doubles(archive, "load", &port->load.force.x, 6);
        archive_doubles(archive, "past", &port->past[0].force.x, 12);
        archive_doubles(archive, "home", &c->containers.items[p].home.x, 3);
        archive_group_end(archive, name);
    }
}
