// Effective masses and stiffnesses at each port, the stability of each scheme there, then the suggestions.
//
// The suggestions, after the guideline of Lommen et al., section 4.3 (doi:10.1108/EC-07-2017-0246):
//
//     scheme     condensed: stable at every mass ratio, one solve of the grains per step
//     step       a thousandth of the duration, a fiftieth of the period of the lowest mode;
//                rigid grains: not above their own suggested step;
//                smooth grains: not above half the shortest contact, so that each contact spans two exchanges or more
//     interval   smooth grains: as many of their suggested steps as fit
//     rho_inf    0.6 where there are beams, whose fastest vibrations no step resolves, or heavy grains on something that
//                is stiff for the step; 0.8 else
#include "analysis/advise_coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/advise.h"
#include "analysis/modes.h"
#include "math/two_step.h"
#include "model/model.h"
#include "sim/carried.h"
#include "sim/sim.h"

// ---- the mechanism without its grains ------------------------------------------------------------
static bool advise_is_port(const SimDefinition *d, const char *name) {
    for (int p = 0; p < d->port_count; p++)
        if (strcmp(d->ports[p].name, name) == 0) return true;
    return false;
}

static void advise_add_port(SimDefinition *d, const char *name) { // a node that grains name as their port
    if (name && !advise_is_port(d, name))
        d->ports[d->port_count++] = (PortDefinition){.name = name, .node = name};
}

static bool advise_without_grains(const SimDefinition *all, Arena *arena, SimDefinition *d) {
    size_t most = (size_t)all->port_count + 1;
    for (int g = 0; g < all->grains_count; g++) most += 1 + (size_t)all->grains[g].wall_count;
    *d = *all;
    d->stops.count = 0;
    d->ports = arena_alloc(arena, most * sizeof *d->ports);
    if (!d->ports) return false;
    for (int p = 0; p < all->port_count; p++) d->ports[p] = all->ports[p];
    for (int g = 0; g < all->grains_count; g++) {
        advise_add_port(d, all->grains[g].port);
        for (int w = 0; w < all->grains[g].wall_count; w++) advise_add_port(d, all->grains[g].walls[w].port);
    }
    d->grains_count = 0;
    d->flow = (FlowDefinition){0};
    d->periods = (PeriodsDefinition){0};
    d->record = (RecordDefinition){0};
    return true;
}

MrcStatus advise_machine(const SimDefinition *all, Arena *arena, Sim **machine, MrcError *error) {
    SimDefinition *d = arena_alloc(arena, sizeof *d);
    *machine = NULL;
    if (!all->has_mechanism) return MRC_OK;
    if (!d || !advise_without_grains(all, arena, d)) return error_memory(error, "the advice");
    return sim_create(d, NULL, machine, error);
}

// Does the bed push on the port?
static bool advise_bed_touches(const GrainsDefinition *bed, const char *port) {
    for (int w = 0; w < bed->wall_count; w++) {
        const char *name = grains_wall_port(bed, w);
        if (name && strcmp(name, port) == 0) return true;
    }
    return false;
}

// ---- effective mass and stiffness of a port ------------------------------------------------------
// The part of a port's block of Y that belongs to forces (first = 0) or moments (first = 3), in the axes of the port.
static Mat3 advise_block(const double *Y, int ports, int p, int first, Quaternion orientation) {
    Mat3 R = quaternion_to_matrix(orientation), block;
    int size = 6 * ports;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) block.m[i][j] = Y[(6 * p + first + i) * size + 6 * p + first + j];
    return mat3_mul(mat3_transpose(R), mat3_mul(block, R));
}

static double advise_along(Mat3 Y, Vec3 direction) { return vec3_dot(direction, mat3_apply(Y, direction)); }

// The directions in which the port is looked at: its axes, unless the mobility couples them, as that of a slanting guide
// does; then those in which the mobility is diagonal, each at the place of the axis that it is next to. What is neglected
// otherwise changes an effective mass by a hundredth at most.
static void advise_find_directions(Mat3 Y, PortAdvice *port) {
    static const double coupled = 1e-2;
    double largest = fmax(Y.m[0][0], fmax(Y.m[1][1], Y.m[2][2])),
           off = fmax(fabs(Y.m[0][1]), fmax(fabs(Y.m[0][2]), fabs(Y.m[1][2])));
    Mat3 axes = mat3_identity();
    bool slanting = off > coupled * largest;
    if (slanting) mat3_symmetric_eigen(Y, &axes);
    bool taken[3] = {false, false, false};
    for (int j = 0; j < 3; j++) {
        Vec3 own = mat3_column(axes, slanting ? 2 - j : j); // the most mobile first
        int next = -1;
        for (int k = 0; k < 3; k++)
            if (!taken[k] &&
                (next < 0 || fabs(vec3_component(own, k)) > (1 + 1e-9) * fabs(vec3_component(own, next))))
                next = k;
        taken[next] = true;
        if (vec3_component(own, next) < 0) own = vec3_scale(-1, own);
        port->direction[next] = own;
        double rounded[3];
        for (int k = 0; k < 3; k++) rounded[k] = round(1000 * vec3_component(own, k)) / 1000 + 0.0; // no "-0"
        if (slanting)
            snprintf(port->along[next], sizeof port->along[next], "%.3g %.3g %.3g", rounded[0], rounded[1],
                     rounded[2]);
        else snprintf(port->along[next], sizeof port->along[next], "%c", 'x' + next);
    }
}

// Effective masses and inertias; port->axis.
static void advise_find_masses(const double *Y, int ports, int p, Quaternion orientation, PortAdvice *port) {
    Mat3 linear = advise_block(Y, ports, p, 0, orientation),
         turning = advise_block(Y, ports, p, 3, orientation);
    advise_find_directions(linear, port);
    double y[3], largest = 0, largest_turn = 0;
    for (int k = 0; k < 3; k++) {
        y[k] = advise_along(linear, port->direction[k]);
        largest = fmax(largest, y[k]);
        largest_turn = fmax(largest_turn, turning.m[k][k]);
    }
    for (int k = 0; k < 3; k++) {
        port->effective_mass[k] = y[k] > 1e-4 * largest ? 1 / y[k] : INFINITY;
        port->effective_inertia[k] = turning.m[k][k] > 1e-4 * largest_turn ? 1 / turning.m[k][k] : INFINITY;
        if (port->effective_mass[k] < (1 - 1e-6) * port->effective_mass[port->axis]) port->axis = k;
    }
}

static double advise_largest_radius(const SchemeType *scheme, const SchemeSettings *settings,
                                    TwoMassParameters p) {
    double largest = 0, highest = fmax(p.omega_h, 1e-3);
    for (int i = 0; i < 13; i++) { // from the effective one down to a thousandth of it
        p.omega_h = highest * pow(10, -i / 4.0);
        double radius = stability_radius(scheme, settings, &p);
        if (!(radius <= largest)) largest = radius;
    }
    return largest;
}

// In a scheme that passes forces, the container yields within the step to a share of the impulse P only: b0^2 if the
// scheme iterates, otherwise 0. The grain rebounds from this motion, (1 + e) u = P (1/m + (1 + e) share/M). In the end
// the container receives all of P: u(after) = P (1/m + 1/M) - u.
static double advise_impact_gain(const SchemeType *scheme, const PortAdvice *port, double rho) {
    if (scheme->one_problem || !(port->grain_ratio > 0)) return NAN;
    double b0 = two_step(rho).b0, share = scheme->contraction ? b0 * b0 : 0, e = 1 + port->restitution;
    double after = e * (1 + port->grain_ratio) / (1 + e * share * port->grain_ratio) - 1;
    return after * after;
}

static void advise_judge_scheme(const SchemeType *scheme, const SchemeVariant *variant, TwoMassParameters p,
                                double highest, double h, SchemeAdvice *advice) {
    const SchemeSettings *settings = &variant->settings;
    *advice = (SchemeAdvice){.name = variant->name,
                             .scheme = scheme,
                             .radius = advise_largest_radius(scheme, settings, p),
                             .rho_most = NAN,
                             .impact_gain = NAN,
                             .energy_swing = NAN};
    for (int k = 20; k >= 0 && isnan(advice->rho_most); k--) {
        TwoMassParameters other = p;
        other.rho_inf = 0.05 * k;
        if (advise_largest_radius(scheme, settings, other) <= 1 + STABILITY_TOLERANCE)
            advice->rho_most = 0.05 * k;
    }
    // Semi-implicit Euler takes the fastest vibration of the mechanism explicitly, too.
    if (!scheme->needs_euler || !(highest * h > p.omega_h)) return;
    TwoMassParameters alone = {.rho_inf = p.rho_inf, .omega_h = highest * h, .substeps = 1};
    advice->radius = fmax(advice->radius, stability_radius(scheme, settings, &alone));
    if (advice->radius > 1 + STABILITY_TOLERANCE) advice->rho_most = NAN;
}

// Semi-implicit Euler keeps M v^2/2 + k q^2/2 - h k q v/2 of each vibration, and in relative coordinates, with places and
// velocities of the same instant, (1 - (omega h/2)^2) M v^2/2 + k q^2/2 (docs/theory/stability.md).
static double advise_energy_swing(double phase, bool relative) {
    double most = relative ? 0.25 * phase * phase : 0.5 * phase;
    return most < 1 ? 1 / (1 - most) : NAN;
}

static void advise_judge_schemes(PortAdvice *port, double rho, double h, double highest, bool relative) {
    TwoMassParameters p = {
        .mass_ratio = port->ratio, .rho_inf = rho, .omega_h = 2 * M_PI * port->frequency * h, .substeps = 1};
    for (const SchemeType *const *scheme = scheme_types; *scheme; scheme++) {
        if ((*scheme)->contraction) port->contraction = fabs((*scheme)->contraction(&p));
        for (const SchemeVariant *variant = (*scheme)->variants; variant->name; variant++)
            if (port->scheme_count < SCHEME_ADVICE_MAX) {
                p.substeps = (*scheme)->options & SCHEME_SUBSTEPS ? port->small_steps : 1;
                SchemeAdvice *advice = &port->schemes[port->scheme_count++];
                advise_judge_scheme(*scheme, variant, p, highest, h, advice);
                advice->impact_gain = advise_impact_gain(*scheme, port, rho);
                if ((*scheme)->needs_euler && advice->radius <= 1 + STABILITY_TOLERANCE)
                    advice->energy_swing = advise_energy_swing(highest * h, relative);
            }
    }
}

// Contacts of smooth grains and rebounds of rigid ones are stable for rho_inf up to this value, and for grains lighter
// than the effective mass of the port.
static const double advise_stiff_rho = 0.6;

bool advise_stiff_is_possible(const SimDefinition *d) {
    bool possible = false;
    for (int g = 0; g < d->grains_count; g++) {
        int own = material_find(d->materials, d->material_count, d->grains[g].particles.material);
        bool bounces = own >= 0 && d->materials[own].restitution > 0;
        possible = possible || bounces || grains_takes_substeps(&d->grains[g]);
    }
    return possible && d->has_mechanism && d->mechanism.integrator.rho_inf > advise_stiff_rho;
}

// `alone`: impulses of the grains are velocity jumps along stiff directions, too (docs/theory/condensed.md).
static void advise_find_stiff(double rho, const double phases[3], bool alone, PortAdvice *port) {
    port->stiff_axis = -1;
    bool rebounds = port->grain_ratio > 0 && port->restitution > 0;
    for (int k = 0; k < 3 && (port->small_steps > 1 || rebounds); k++) {
        double own = port->carried ? port->container : 0,
               mass = port->effective_mass[k] + own, // that of the port is without it
            ratio = (port->grains + port->container - own) / mass,
               phase = phases[k] * sqrt(port->effective_mass[k] / mass);
        bool risk = ratio >= 0.5 && phase >= 0.5 && (alone || phase <= 10);
        port->rings = port->rings || risk;
        if (!risk || !(rho > advise_stiff_rho) || (port->stiff_axis >= 0 && ratio <= port->stiff_ratio))
            continue;
        port->stiff_axis = k;
        port->stiff_ratio = ratio;
        port->stiff_phase = phase;
    }
}

bool advise_stiff_words(const PortAdvice *port, char *text, size_t size) {
    if (port->stiff_axis < 0) return false;
    snprintf(text, size,
             "grains%s %.2g times the effective mass along %s, where omega h is %.2g: with a rho_inf above "
             "%g contacts "
             "may make errors grow; use rho_inf: %g or a smaller step",
             port->container > 0 && !port->carried ? " and container" : "", port->stiff_ratio,
             port->along[port->stiff_axis], port->stiff_phase, advise_stiff_rho, advise_stiff_rho);
    return true;
}

static const double advise_swing_least = 1.05; // what is worth saying

bool advise_swing_words(const PortAdvice *port, const SchemeType *scheme, char *text, size_t size) {
    double most = 0;
    for (int s = 0; s < port->scheme_count; s++)
        if (port->schemes[s].scheme == scheme) most = fmax(most, port->schemes[s].energy_swing);
    if (!(most > advise_swing_least)) return false;
    snprintf(text, size,
             "where the machine is stiff for the step, the sum of its energies swings by up to %.3g times in "
             "this scheme, without growing; the error of the balance swings with it, and so does the damping "
             "found from it; use scheme: condensed or a smaller step",
             most);
    return true;
}

static void advise_add_rigid(const SimDefinition *d, const BedAdvice *bed, PortAdvice *port) {
    int own = material_find(d->materials, d->material_count, bed->grains->particles.material);
    port->grain_ratio = fmax(port->grain_ratio, bed->mass); // over the effective mass later
    if (own >= 0) port->restitution = fmax(port->restitution, d->materials[own].restitution);
}

// What is on the grains' side of the port.
static void advise_find_grains(const Advice *beds, double h, PortAdvice *port) {
    const SimDefinition *all = beds->definition;
    port->small_steps = 1;
    for (int g = 0; g < all->grains_count; g++)
        if (advise_bed_touches(&all->grains[g], port->name)) {
            const BedAdvice *bed = &beds->beds[g];
            bool small = grains_takes_substeps(&all->grains[g]) && bed->step > 0;
            port->grains += bed->total_mass;
            if (!grains_takes_substeps(&all->grains[g])) advise_add_rigid(all, bed, port);
            if (small) port->small_steps = (int)fmax(port->small_steps, fmin(round(h / bed->step), 1000));
        }
    for (int k = 0; k < all->port_count; k++)
        port->carried = port->carried || (strcmp(all->ports[k].name, port->name) == 0 &&
                                          carried_by_mechanism(all, &all->ports[k]));
}

// `mass`, `springs`: the mobilities by M and by M + square K.
static void advise_judge_port(const Advice *beds, const Sim *sim, int p, double highest, const double *mass,
                              const double *springs, double square, PortAdvice *port) {
    const Coupling *coupling = &sim->coupling;
    const SimDefinition *all = beds->definition;
    double rho = all->mechanism.integrator.rho_inf, h = sim->clock.step;
    Quaternion orientation = coupling->ports[p].marker.orientation;
    port->name = coupling->ports[p].name;
    port->container = coupling->containers.items[p].definition.mass;
    advise_find_masses(mass, coupling->yielding, p, orientation, port);
    advise_find_grains(beds, h, port);
    double m1 = port->effective_mass[port->axis];
    port->grain_ratio /= m1;
    port->ratio = fmin((port->grains + port->container) / m1, 1e9);
    double phases[3];
    Mat3 with_springs = advise_block(springs, coupling->yielding, p, 0, orientation);
    for (int k = 0; k < 3; k++) {
        double m = port->effective_mass[k], y = advise_along(with_springs, port->direction[k]),
               more = isfinite(m) ? 1 / (y * m) - 1 : 0; // square k/m
        phases[k] = more > 1e-9 ? h * sqrt(more / square) : 0;
    }
    port->frequency = phases[port->axis] / (2 * M_PI * h);
    bool relative = all->mechanism.formulation == FORMULATION_RELATIVE,
         alone = (port->container > 0 && !port->carried) || relative;
    advise_find_stiff(rho, phases, alone, port);
    bool known = (coupling->scheme->options & SCHEME_CONTACT) && !alone;
    for (int g = 0; g < all->grains_count && known; g++)
        if (advise_bed_touches(&all->grains[g], port->name))
            advise_find_swing(all, &beds->beds[g], h, phases, port);
    advise_judge_schemes(port, rho, h, highest, relative);
}

static MrcStatus advise_judge_ports(Sim *sim, Arena *arena, Advice *whole, MrcError *error) {
    CouplingAdvice *advice = &whole->coupling;
    Coupling *coupling = &sim->coupling;
    Mechanism *m = sim_mechanism(sim);
    size_t count = (size_t)coupling->yielding, size = 36 * count * count;
    double *mass = arena_alloc(arena, size * sizeof *mass),
           *springs = arena_alloc(arena, size * sizeof *springs);
    advice->ports = arena_alloc(arena, count * sizeof *advice->ports);
    if (!mass || !springs || !advice->ports) return error_memory(error, "the advice");
    MechanismLinear linear;
    MrcStatus status = mechanism_linearize(m, &linear, error);
    if (status != MRC_OK) return status;
    double highest = modes_highest(&linear);
    mechanism_linear_free(&linear);
    // Two steps: the first step of a mechanism has another formula, because it has no past.
    for (int i = 0; i < 2 && status == MRC_OK; i++) {
        status = mechanism_begin(m, sim->clock.step, error);
        if (status == MRC_OK) status = mechanism_advance(m, NULL, error);
        if (status == MRC_OK && i == 0) status = mechanism_commit(m, error);
    }
    if (status == MRC_OK) status = mechanism_mobility(m, MOBILITY_OF_MASSES, mass, error);
    // The weight that the matrix of the jump gives to K (mechanism/jump.c). Not that matrix itself: it contains the dampers,
    // which look like springs over a short step.
    TwoStep s = two_step(whole->definition->mechanism.integrator.rho_inf);
    double square = sim->clock.step * sim->clock.step * s.b0 / (1 + s.a2);
    if (status == MRC_OK) status = mechanism_mobility_undamped(m, square, springs, error);
    if (status != MRC_OK) return status;
    advice->count = coupling->yielding;
    for (int p = 0; p < coupling->yielding; p++)
        advise_judge_port(whole, sim, p, highest, mass, springs, square, &advice->ports[p]);
    return MRC_OK;
}

// ---- suggestions ---------------------------------------------------------------------------------
static double advise_lowest_vibration(const MrcModel *model) {
    MrcModesOptions options = {.count = 12};
    MrcModes modes;
    MrcError ignored;
    double lowest = NAN;
    if (mrc_modes(model, &options, &modes, &ignored) != MRC_OK) return NAN;
    for (int i = 0; i < modes.count; i++)
        if (modes.modes[i].kind == MRC_MODE_VIBRATION) lowest = fmin(lowest, modes.modes[i].frequency_hz);
    mrc_modes_free(&modes);
    return lowest;
}

static void advise_take_step(CouplingAdvice *advice, double step, const char *from) {
    if (!(step < advice->step)) return;
    advice->step = step;
    advice->step_from = from;
}

static void advise_suggest(Advice *whole) {
    const SimDefinition *d = whole->definition;
    CouplingAdvice *advice = &whole->coupling;
    advice->scheme = scheme_types[0]->choice.word;
    bool rings = d->mechanism.beam_count > 0;
    for (int p = 0; p < advice->count; p++) rings = rings || advice->ports[p].rings;
    advice->suggested_rho = rings ? advise_stiff_rho : 0.8;
    advice->step = INFINITY;
    advice->grain_step = NAN;
    advice->interval = 1;
    advise_take_step(advice, 1e-3 * d->simulate.duration, "a thousandth of the duration");
    advise_take_step(advice, 1 / (50 * advice->first_mode), "a fiftieth of the period of the lowest mode");
    for (int g = 0; g < d->grains_count; g++) {
        const BedAdvice *bed = &whole->beds[g];
        if (!bed->has_steps) continue;
        bool smooth = grains_takes_substeps(&d->grains[g]);
        if (smooth) advice->grain_step = fmin(bed->steps.suggested, advice->grain_step);
        if (smooth)
            advise_take_step(advice, 0.5 * bed->steps.limit[STEP_BY_CONTACT],
                             "half the shortest contact of grains");
        else advise_take_step(advice, bed->steps.suggested, "the suggested step of the grains");
    }
    if (!isfinite(advice->step)) advice->step = d->simulate.step, advice->step_from = "as in the model";
    if (isnan(advice->grain_step)) return;
    advice->interval = (int)fmax(1, fmin(1e6, floor(advice->step / advice->grain_step)));
    advice->step = advice->interval * advice->grain_step;
}

MrcStatus advise_coupling(const MrcModel *model, Sim *machine, Arena *arena, Advice *whole, MrcError *error) {
    CouplingAdvice *advice = &whole->coupling;
    if (machine->coupling.yielding == 0) return MRC_OK;
    advice->rho_inf = whole->definition->mechanism.integrator.rho_inf;
    advice->first_mode = advise_lowest_vibration(model);
    MrcStatus status = advise_judge_ports(machine, arena, whole, error);
    if (status == MRC_OK) advise_suggest(whole);
    for (int p = 0; p < advice->count && status == MRC_OK; p++) {
        advice->ports[p].name =
            arena_strdup(arena, advice->ports[p].name); // the machine is freed before the advice
        if (!advice->ports[p].name) status = error_memory(error, "the advice");
    }
    return status;
}
