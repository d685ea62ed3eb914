#include "coupling/bound.h"

#include <math.h>

#include "coupling/coupling.h"

static const double fade = 0.98, score_most = 8;
enum { look_every = 20 };

// ---- energies ------------------------------------------------------------------------------------
static PartnerEnergy energy_now(const Coupling *c) {
    PartnerEnergy d = c->driver.energy(c->driver.self), f = c->follower.energy(c->follower.self);
    PartnerEnergy sum = {d.kinetic + f.kinetic, d.stored + f.stored, d.worked + f.worked, d.flow + f.flow};
    for (int p = 0; p < c->count; p++) {
        sum.kinetic += container_kinetic(&c->containers.items[p]);
        sum.stored += container_potential(&c->containers.items[p], c->gravity);
    }
    return sum;
}

static void look_at_masses(Coupling *c) {
    for (int p = 0; p < c->count; p++) {
        PartnerMass *m = &c->bound.carried[p];
        const Container *item = &c->containers.items[p];
        Vec3 origin = c->ports[p].marker.position;
        *m = (PartnerMass){0};
        if (c->follower.carried) c->follower.carried(c->follower.self, p, origin, m);
        m->mass += item->definition.mass;
        m->polar += container_polar(item, origin);
    }
}

// Both sides together can only lose energy, except for what is put in from outside. A scheme that makes
// several times more than all that ever came in, was there at the start or moved between heights has
// diverged, whatever its loads.
static bool look_at_energy(Coupling *c) {
    PartnerEnergy now = energy_now(c), *start = &c->start;
    double stored = now.stored - start->stored, worked = now.worked - start->worked;
    double gain = c->gain = now.kinetic - start->kinetic + stored - worked;
    double known = c->known = start->kinetic + now.flow + c->stored_range;
    c->bound.energy = fmax(c->bound.energy, start->kinetic - stored + worked);
    if (!isfinite(gain) || (gain > 10 * fmax(known, c->bound.energy) && gain > 1e-9)) return false;
    if (gain <= known) c->stored_range = fmax(c->stored_range, fabs(stored));
    return true;
}

void bound_start(Coupling *c) {
    c->start = energy_now(c);
    c->bound.energy = c->start.kinetic;
    look_at_masses(c);
}

// ---- loads ---------------------------------------------------------------------------------------
// Load over bound; 0 without a load.
static double share(double load, double most) {
    if (load == 0) return 0;
    double excess = load / most;
    return excess <= INFINITY ? excess : INFINITY; // also what is not a number
}

static double excess_at(const Coupling *c, int p, double h) {
    const ContainerDefinition *d = &c->containers.items[p].definition;
    const PartnerMass *m = &c->bound.carried[p];
    double E = c->bound.energy, k = fmax(d->stiffness[0], fmax(d->stiffness[1], d->stiffness[2]));
    double damping = fmax(d->damping[0], fmax(d->damping[1], d->damping[2]));
    double f = 2 * m->mass * vec3_norm(c->gravity) + sqrt(2 * k * E);
    if (damping > 0) f += damping * sqrt(2 * E / m->mass);
    double arm = m->mass > 0 ? sqrt(m->polar / m->mass) : 0;
    return fmax(share(vec3_norm(c->loads[p].force) * h, 2 * sqrt(2 * m->mass * E) + h * f),
                share(vec3_norm(c->loads[p].moment) * h, 2 * sqrt(2 * m->polar * E) + h * f * arm));
}

double bound_momentum_excess(const Coupling *c, double h, int *port) {
    double worst = 0;
    for (int p = 0; p < c->count; p++) {
        double excess = excess_at(c, p, h);
        if (!(excess > worst)) continue;
        worst = excess;
        *port = p;
    }
    return worst;
}

double bound_excess(const Coupling *c, double h, int *port) {
    double worst = 0;
    for (int p = 0; p < c->count; p++) {
        double excess = excess_at(c, p, h);
        if (c->bound.carried[p].held)
            excess = fmin(excess, sqrt(share(c->bound.answer, 8 * c->bound.energy)));
        if (!(excess > worst)) continue;
        worst = excess;
        *port = p;
    }
    return worst;
}

void bound_ask_driver(Coupling *c, double h) {
    bool asked = false, one_problem = c->scheme == SCHEME_CONDENSED || c->scheme == SCHEME_MONOLITHIC;
    int size = 6 * c->count;
    const double *L = &c->passed[0].force.x;
    MrcError ignored;
    c->bound.answer = 0;
    for (int p = 0; p < c->count && !one_problem; p++)
        asked = asked || (c->bound.carried[p].held && excess_at(c, p, h) > 1);
    if (!asked || c->driver.mobility(c->driver.self, c->Y, &ignored) != MRC_OK) return;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) c->bound.answer += L[i] * c->Y[i * size + j] * L[j];
}

MrcStatus bound_explain(Coupling *c, double h, MrcError *error) {
    int port = 0;
    if (error->status == MRC_DIVERGED) return error->status;
    bool over = c->bound.score > 0 || c->round_growth > 10;
    if (!over && c->counts.steps > 0) over = !look_at_energy(c) || c->gain > fmax(c->known, c->bound.energy);
    if (!over) return error->status;
    bound_momentum_excess(c, h, &port);
    MrcError failed = *error;
    return bound_diverged(c, port, h, failed.text, error);
}

MrcStatus bound_watch(Coupling *c, double h, MrcError *error) {
    int port = 0;
    bool fine = true;
    double excess = bound_excess(c, h, &port);
    if (c->counts.steps == 1 && c->follower.small_steps) { // what contacts store is known from now on
        c->start = energy_now(c);
        if (excess <= INFINITY) return MRC_OK;
    }
    if (excess > 1 || c->counts.steps % look_every == 0) {
        fine = look_at_energy(c);
        look_at_masses(c);
        excess = bound_excess(c, h, &port);
    }
    c->bound.score = fade * c->bound.score + (excess > 1 ? 1 + log2(excess) : 0);
    return fine && c->bound.score < score_most ? MRC_OK : bound_diverged(c, port, h, NULL, error);
}
