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
    c->ports = arena_alloc(arena, n * sizeof *c->ports);
    c->before = arena_alloc(arena, n * sizeof *c->before);
    c->given = arena_alloc(arena, n * sizeof *c->given);
    Twist **twists[] = {&c->twists, &c->bends, &c->free, &c->moved, &c->ended};
    Load **loads[] = {&c->impulses, &c->early, &c->passed, &c->passed_early, &c->loads};
    bool fine = c->ports && c->before && c->given;
    for (int k = 0; k < 5; k++) {
        *twists[k] = arena_alloc(arena, n * sizeof(Twist));
        *loads[k] = arena_alloc(arena, n * sizeof(Load));
        fine = fine && *twists[k] && *loads[k];
    }
    c->Y = arena_alloc(arena, 36 * n * n * sizeof(double));
    c->history = arena_alloc(arena, tight_history_size(count) * sizeof(double));
    c->machine.markers = arena_alloc(arena, n * sizeof *c->machine.markers);
    c->machine.bodies = arena_alloc(arena, n * sizeof *c->machine.bodies);
    c->machine.first_rows = arena_alloc(arena, n * sizeof *c->machine.first_rows);
    fine = fine && c->machine.markers && c->machine.bodies && c->machine.first_rows;
    if (!fine || !c->Y || !c->history) return error_memory(error, "the coupling");
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

// ---- is it still physical? -----------------------------------------------------------------------
static PartnerEnergy energy_now(const Coupling *c) {
    PartnerEnergy d = c->driver.energy(c->driver.self), f = c->follower.energy(c->follower.self);
    PartnerEnergy sum = {d.kinetic + f.kinetic, d.stored + f.stored, d.worked + f.worked, d.flow + f.flow};
    for (int p = 0; p < c->count; p++) {
        sum.kinetic += container_kinetic(&c->containers.items[p]);
        sum.stored += container_potential(&c->containers.items[p], c->gravity);
    }
    return sum;
}

// Both partners together can only lose energy, except for what is put in from outside. A scheme that makes
// several times more than all that ever came in, was there at the start or moved between heights has
// diverged.
static MrcStatus check_energy(Coupling *c, MrcError *error) {
    PartnerEnergy now = energy_now(c), *start = &c->start;
    double stored = now.stored - start->stored;
    double gain = now.kinetic - start->kinetic + stored - (now.worked - start->worked);
    double known = c->known = start->kinetic + now.flow + c->stored_range;
    if (!isfinite(gain) || (gain > 10 * known && gain > 1e-9)) {
        int worst = 0;
        for (int p = 1; p < c->count; p++)
            if (!(vec3_norm(c->loads[p].force) <= vec3_norm(c->loads[worst].force))) worst = p;
        return error_set(
            error, MRC_DIVERGED,
            "the coupling scheme '%s' has diverged at port '%s': mechanism and grains hold %.3g J more than "
            "was ever put in (%.3g J), with a load of %.3g N; use %s (maraca advise tells more)",
            scheme_name(c->scheme), c->ports[worst].name, gain, known, vec3_norm(c->loads[worst].force),
            schemes[c->scheme].instead);
    }
    if (gain <= known) c->stored_range = fmax(c->stored_range, fabs(stored));
    return MRC_OK;
}

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
// Halves or doubles the exchange step by the port energy error of the last one.
static void adapt(Coupling *c, double error, double passed) {
    double allowed = c->definition->energy_tolerance * passed;
    if (error > allowed && c->cuts < c->definition->most_cuts) c->cuts++;
    else if (error < 0.05 * allowed && c->cuts > 0) c->cuts--;
}

MrcStatus coupling_step(Coupling *c, double h, MrcError *error) {
    MrcStatus status = MRC_OK;
    int64_t parts = (int64_t)1 << c->cuts;
    CouplingCounts before = c->counts;
    for (int64_t k = 0; k < parts && status == MRC_OK; k++)
        status = schemes[c->scheme].step(c, h / (double)parts, error);
    if (status != MRC_OK) { // a side that cannot go on may only be the first to show that the scheme diverges
        MrcError cause;
        if (before.steps > 0 && check_energy(c, &cause) == MRC_DIVERGED) *error = cause;
        return error->status;
    }
    if (before.steps == 0) c->start = energy_now(c); // that of contacts is known from the first step on
    if (c->definition->energy_tolerance > 0)
        adapt(c, c->counts.energy_error_size - before.energy_error_size,
              c->counts.energy_passed - before.energy_passed);
    bool due = c->counts.steps / 20 != before.steps / 20 || !isfinite(vec3_norm2(c->loads[0].force));
    return due ? check_energy(c, error) : MRC_OK;
}

void coupling_archive(Coupling *c, Archive *archive) {
    size_t n = (size_t)c->count;
    int64_t counts[] = {c->counts.steps, c->counts.grain_solves, c->counts.most_solves, c->counts.unconverged,
                        c->cuts};
    double sums[] = {c->counts.energy_error, c->counts.energy_error_size, c->counts.energy_passed,
                     c->counts.largest_gap,  c->counts.largest_load,      c->stored_range,
                     c->counts.bend_work};
    archive_int64s(archive, "counts", counts, sizeof counts / sizeof *counts);
    archive_doubles(archive, "sums", sums, sizeof sums / sizeof *sums);
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
    c->cuts = counts[4];
    c->stored_range = sums[5];
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
