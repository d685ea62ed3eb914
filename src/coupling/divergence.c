#include "coupling/divergence.h"

#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "coupling/coupling.h"

static const double fade = 0.98, score_most = 8;
enum { DIVERGENCE_INTERVAL = 20 }; // steps between two checks of the energy

// ---- energies ------------------------------------------------------------------------------------
static PartnerEnergy divergence_energy_now(const Coupling *c) {
    PartnerEnergy d = partners_energy(c->drivers.items, c->drivers.count),
                  f = partners_energy(c->followers.items, c->followers.count);
    f.worked += c->counts.prescribed_work;
    f.flow += c->counts.prescribed_flow;
    PartnerEnergy sum = {d.kinetic + f.kinetic, d.stored + f.stored, d.worked + f.worked, d.flow + f.flow,
                         d.unseen + f.unseen};
    for (int p = 0; p < c->count; p++) {
        sum.kinetic += container_kinetic(&c->containers.items[p]);
        sum.stored += container_potential(&c->containers.items[p], c->gravity);
    }
    return sum;
}

static void divergence_find_masses(Coupling *c) {
    for (int p = 0; p < c->yielding; p++) {
        PartnerMass *m = &c->divergence.carried[p];
        const Container *item = &c->containers.items[p];
        Vec3 origin = c->ports[p].marker.position;
        *m = followers_carried(&c->followers, p, origin);
        m->mass += item->definition.mass;
        m->polar += container_polar(item, origin);
    }
}

// Both sides together can only lose energy, except for what is put in from outside. A scheme that has created several
// times the energy known (work put in, energy of the start, change of potential energy) has diverged, whatever its
// loads. Less than what the ledger cannot see is none: a bed at rest whose overlaps are undone in the first step jumps by a
// little, and nothing but that is known then.
static bool divergence_check_energy(Coupling *c) {
    PartnerEnergy now = divergence_energy_now(c), *start = &c->energy.start;
    double stored = now.stored - start->stored, worked = now.worked - start->worked;
    double gain = c->energy.gain = now.kinetic - start->kinetic + stored - worked;
    double known = c->energy.known = start->kinetic + now.flow + c->energy.stored_range;
    c->divergence.energy = fmax(fmax(c->divergence.energy, now.unseen), start->kinetic - stored + worked);
    if (!isfinite(gain) || (gain > 10 * fmax(known, c->divergence.energy) && gain > 1e-9)) return false;
    if (gain <= known) c->energy.stored_range = fmax(c->energy.stored_range, fabs(stored));
    return true;
}

void divergence_start(Coupling *c) {
    if (c->yielding == 0) return;
    c->energy.start = divergence_energy_now(c);
    c->divergence.energy = fmax(c->energy.start.kinetic, c->energy.start.unseen);
    divergence_find_masses(c);
}

// ---- loads ---------------------------------------------------------------------------------------
// Load over bound; 0 without a load.
static double divergence_share(double load, double most) {
    if (load == 0) return 0;
    double excess = load / most;
    return excess <= INFINITY ? excess : INFINITY; // also what is not a number
}

static double divergence_excess_at(const Coupling *c, int p, double h) {
    const ContainerDefinition *d = &c->containers.items[p].definition;
    const PartnerMass *m = &c->divergence.carried[p];
    if (!isfinite(m->mass)) return 0; // of a partner without a known mass every load is possible
    double E = c->divergence.energy, k = fmax(d->stiffness[0], fmax(d->stiffness[1], d->stiffness[2]));
    double damping = fmax(d->damping[0], fmax(d->damping[1], d->damping[2]));
    double f = 2 * m->mass * vec3_norm(c->gravity) + sqrt(2 * k * E);
    if (damping > 0) f += damping * sqrt(2 * E / m->mass);
    double arm = m->mass > 0 ? sqrt(m->polar / m->mass) : 0;
    return fmax(
        divergence_share(vec3_norm(c->step.loads[p].force) * h, 2 * sqrt(2 * m->mass * E) + h * f),
        divergence_share(vec3_norm(c->step.loads[p].moment) * h, 2 * sqrt(2 * m->polar * E) + h * f * arm));
}

double divergence_momentum_excess(const Coupling *c, double h, int *port) {
    double worst = 0;
    for (int p = 0; p < c->yielding; p++) {
        double excess = divergence_excess_at(c, p, h);
        if (!(excess > worst)) continue;
        worst = excess;
        *port = p;
    }
    return worst;
}

double divergence_excess(const Coupling *c, double h, int *port) {
    double worst = 0;
    for (int p = 0; p < c->yielding; p++) {
        double excess = divergence_excess_at(c, p, h);
        if (c->divergence.carried[p].held)
            excess = fmin(excess, sqrt(divergence_share(c->divergence.answer, 8 * c->divergence.energy)));
        if (!(excess > worst)) continue;
        worst = excess;
        *port = p;
    }
    return worst;
}

// L^T Y L of the loads, where it is needed. Schemes that solve both sides together do not need it: Y is part of their
// solution.
void divergence_find_answer(Coupling *c, double h) {
    bool needed = false;
    int size = 6 * c->count;
    const double *L = &c->step.passed[0].force.x;
    MrcError ignored;
    c->divergence.answer = 0;
    for (int p = 0; p < c->yielding && !c->scheme->one_problem; p++)
        needed = needed || (c->divergence.carried[p].held && divergence_excess_at(c, p, h) > 1);
    if (!needed || !c->drivers.all.mobility) return;
    if (drivers_mobility(&c->drivers, coupling_early(c, h), c->step.Y, &ignored) != MRC_OK) return;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) c->divergence.answer += L[i] * c->step.Y[i * size + j] * L[j];
}

MrcStatus divergence_explain(Coupling *c, double h, MrcError *error) {
    int port = 0;
    MrcStatus status = error->status;
    bool numerical = status == MRC_NOT_FINITE || status == MRC_OVERLAP || status == MRC_LOST_GRAIN ||
                     status == MRC_NOT_CONVERGED;
    if (!numerical || c->yielding == 0) return status; // e.g. a partner that closes the connection
    bool over = c->divergence.score > 0 || c->step.round_growth > 10;
    if (!over && c->counts.steps > 0 && c->drivers.all.energy && c->followers.all.energy)
        over = !divergence_check_energy(c) || c->energy.gain > fmax(c->energy.known, c->divergence.energy);
    if (!over) return error->status;
    divergence_momentum_excess(c, h, &port);
    MrcError failed = *error;
    return divergence_report(c, port, h, failed.text, error);
}

// ---- impacts -------------------------------------------------------------------------------------
// Above this rho_inf a machine that is stiff for the step rings after the impacts of rigid grains, and may take more than
// they bring (docs/theory/condensed.md). While a contact pushes, velocities are those of half a step before; they are
// compared in flight, where energies are what they are.
static const double divergence_ringing_rho = 0.6, divergence_flight_gain = 0.02; // of the energy in play

static bool divergence_flies(const Coupling *c) {
    for (int p = 0; p < c->yielding; p++)
        if (vec3_norm2(c->ports[p].load.force) > 0) return false;
    return c->counts.largest_load > 0;
}

static MrcStatus divergence_check_flight(Coupling *c, MrcError *error) {
    if (!c->scheme->rebounds || !(c->drivers.all.rho_inf > divergence_ringing_rho) ||
        c->followers.all.small_steps > 0 || !divergence_flies(c) || !divergence_check_energy(c))
        return MRC_OK;
    char gain[QUANTITY_SIZE], share[QUANTITY_SIZE];
    double known = fmax(c->energy.known, c->divergence.energy);
    if (!(c->energy.gain > divergence_flight_gain * known)) return MRC_OK;
    return error_set(
        error, MRC_DIVERGED,
        "the energy of machine and grains has grown by %s at an impact, beyond the work put in, which "
        "is %s of the energy in play, at t = %.9g s: where the machine is stiff for the step (omega h "
        "above 1) a rho_inf of %g lets it ring; take rho_inf: %g or a smaller step",
        quantity_text(gain, c->energy.gain, "J", 3), quantity_power(share, c->energy.gain / known), c->step.t,
        c->drivers.all.rho_inf, divergence_ringing_rho);
}

// Where the energy of a partner is unknown, only loads that are not finite are found.
static MrcStatus divergence_check_finite(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->yielding; p++)
        if (!isfinite(vec3_norm(c->step.loads[p].force) + vec3_norm(c->step.loads[p].moment)))
            return divergence_report(c, p, h, "the load is infinite or not a number", error);
    return MRC_OK;
}

MrcStatus divergence_watch(Coupling *c, double h, MrcError *error) {
    int port = 0;
    bool fine = true;
    if (c->yielding == 0) return MRC_OK; // nothing answers to loads: nothing can grow
    if (!c->drivers.all.energy || !c->followers.all.energy) return divergence_check_finite(c, h, error);
    double excess = divergence_excess(c, h, &port);
    if (c->counts.steps == 1 && c->followers.all.small_steps) { // what contacts store is known from now on
        c->energy.start = divergence_energy_now(c);
        if (excess <= INFINITY) return MRC_OK;
    }
    if (excess > 1 || c->counts.steps % DIVERGENCE_INTERVAL == 0) {
        fine = divergence_check_energy(c);
        divergence_find_masses(c);
        excess = divergence_excess(c, h, &port);
    }
    c->divergence.score = fade * c->divergence.score + (excess > 1 ? 1 + log2(excess) : 0);
    if (!fine || !(c->divergence.score < score_most)) return divergence_report(c, port, h, NULL, error);
    return divergence_check_flight(c, error);
}

void divergence_archive(Coupling *c, Archive *archive) {
    DivergenceWatch *d = &c->divergence;
    double *numbers[] = {&d->energy, &d->score, &d->answer};
    archive_scattered_doubles(archive, "divergence", numbers, 3);
    for (int p = 0; p < c->count; p++) {
        PartnerMass *m = &d->carried[p];
        double carried[] = {m->mass, m->polar, m->held};
        char name[32];
        snprintf(name, sizeof name, "carried%d", p);
        archive_doubles(archive, name, carried, 3);
        *m = (PartnerMass){carried[0], carried[1], carried[2] != 0};
    }
}
