#include "output/verdict.h"

#include <math.h>

#include "base/quantity.h"

// ---- energies ------------------------------------------------------------------------------------
static const double verdict_fair = 1e-3, verdict_poor = 1e-2, verdict_dissipation = 10;

static const char *verdict_word(double error) {
    return error < verdict_fair ? "good" : error < verdict_poor ? "fair" : "poor"; // not a number is poor
}

// Energies below that are the rounding of a model at rest: the thermal energy kT of one molecule [J].
static const double verdict_thermal = 4e-21;

static double verdict_share(double energy, const Ledger *ledger) {
    double scale = ledger_scale(ledger);
    return scale > 0 && !(fabs(energy) < verdict_thermal) ? energy / scale : 0;
}

double verdict_relative_error(const Ledger *ledger) { return verdict_share(ledger->largest_error, ledger); }

double verdict_numerical_share(const Ledger *ledger) {
    return verdict_share(ledger->algorithm + ledger->ports + ledger->stabilisation, ledger);
}

static const char *verdict_numerical_word(double share) {
    return verdict_word(share > 0 ? share / verdict_dissipation : -share);
}

void verdict_energy_facts(const Ledger *ledger, FactList *list) {
    double share = verdict_numerical_share(ledger);
    fact_text(list, "verdict", verdict_word(verdict_relative_error(ledger)), "judgement of the balance");
    fact_number(list, "numerical_share", share, "1",
                "numerical dissipation over the energy in play (integration, exchange, removal of overlaps)");
    fact_number(list, "numerical_size", fabs(share), "1", "its size");
    fact_text(list, "numerical_verdict", verdict_numerical_word(share),
              "judgement of the numerical dissipation");
}

static const double verdict_growth = 0.2, // at the end
    verdict_lasting_growth = 0.02, verdict_given_back = 0.05, verdict_rounding = 1e-9;
static const double verdict_nothing = 1e-18; // [J]: what a grain of dust has at 0.1 mm/s

MrcStatus verdict_check_growth(const Ledger *ledger, const char *instead, MrcError *error) {
    double made = ledger_gain(ledger), lasting = ledger_lasting_gain(ledger);
    double scale = ledger_scale(ledger), size = fabs(ledger->initial) + ledger->kinetic + ledger->elastic;
    char text[QUANTITY_SIZE], share[QUANTITY_SIZE];
    double least = fmax(fmax(verdict_nothing, ledger->unseen), verdict_rounding * size);
    double available = ledger_available(ledger);
    // If the balance does not close, the recorded losses may be wrong; the verdict is poor then.
    bool closes = 10 * ledger->largest_error < ledger->given_back;
    if (closes && ledger->given_back > fmax(verdict_given_back * available, least) &&
        made < ledger->given_back)
        return error_set(error, MRC_DIVERGED,
                         "impacts and friction have given back %s of what they had taken, which is %s%s the "
                         "energy that there was: "
                         "the result is worthless; take a smaller step, or a smaller restitution",
                         quantity_text(text, ledger->given_back, "J", 3),
                         available > 0 ? quantity_power(share, ledger->given_back / available) : "",
                         !(available > 0)                  ? "more than"
                         : ledger->given_back >= available ? " times"
                                                           : " of");
    bool grown = made > fmax(verdict_growth * scale, least) ||
                 (made > 0 && lasting > fmax(verdict_lasting_growth * scale, least));
    if (!(scale > 0) || !(grown || isnan(made))) return MRC_OK;
    return error_set(
        error, MRC_DIVERGED,
        "the energy has grown by %s beyond the work put in, which is %s %s the energy in play: the result "
        "is worthless; %s%s",
        quantity_text(text, made, "J", 3), quantity_power(share, made / scale),
        made >= scale ? "times" : "of", instead ? "use " : "take a smaller step", instead ? instead : "");
}

void verdict_warn(const Ledger *ledger, const Log *log) {
    double error = verdict_relative_error(ledger), share = verdict_numerical_share(ledger);
    char text[QUANTITY_SIZE];
    if (!(error < verdict_poor))
        log_warning(
            log,
            "the energy balance closes to %s of the energy in play only, which is poor: take a smaller step "
            "before trusting the result",
            quantity_power(text, error));
    if (strcmp(verdict_numerical_word(share), "poor") != 0) return;
    bool exchange = fabs(ledger->ports) > fabs(ledger->algorithm);
    log_warning(log, "numerical %s by %s is %s %s the energy in play, which is poor: take a smaller step%s",
                share > 0 ? "dissipation" : "gain of energy",
                exchange ? "errors of the exchange at ports" : "the integration",
                quantity_power(text, fabs(share)), fabs(share) >= 1 ? "times" : "of",
                exchange    ? ", or a scheme without such errors (scheme: condensed)"
                : share > 0 ? ", or a larger rho_inf"
                            : ", or more elements where beams bend strongly");
}

// ---- vibration of ports --------------------------------------------------------------------------
static const char *const verdict_axes[] = {"x", "y", "z"};

static const double verdict_still = 1e-9; // [m]: an amplitude below this is rounding

// Nothing drives the machine: no work has been done on it, and no grains brought energy.
static bool verdict_is_free(const Sim *sim) {
    return fabs(sim->ledger.work) + fabs(sim->ledger.carried) < 1e-12 * ledger_scale(&sim->ledger);
}

// Grains have nothing to give: a gain that is less than what a good balance may miss is an error of the solution, as of overlaps
// that are undone in a bed at rest.
double verdict_power(const Ledger *ledger, const PortAmplitude *amplitude, double step) {
    double power = amplitude_power(amplitude, step), scale = ledger_scale(ledger);
    double energy = power * amplitude->steps * step;
    return fabs(energy) < 1e-12 * scale || (energy < 0 && -energy < verdict_fair * scale) ? 0 : power;
}

static void verdict_port_facts(const RunFacts *run, int p, FactList *list) {
    const PortAmplitude *amplitude = &run->sim->amplitudes[p], *lumped = run->lumped ? &run->lumped[p] : NULL;
    double step = run->sim->clock.step;
    // Along the axis of the largest amplitude without grains, when that is known: what is damped counts.
    int axis = amplitude_axis(lumped ? lumped : amplitude);
    double along = amplitude_along(amplitude, axis);
    fact_text(list, "axis", verdict_axes[axis], "axis");
    fact_number(list, "seconds", amplitude->steps * step, "s", "observed at the end");
    fact_number(list, "amplitude_m", along, "m", "amplitude (half peak to peak)");
    if (lumped) {
        double without = amplitude_along(lumped, axis);
        fact_number(list, "amplitude_without_grains_m", without, "m",
                    "amplitude with the mass of the grains fixed to the port");
        fact_number(list, "amplitude_ratio", along > 0 ? without / along : NAN, "1",
                    "amplitude without over that with grains");
    }
    double power = verdict_power(&run->sim->ledger, amplitude, step);
    fact_number(list, "power_w", power, "W", "power dissipated by the grains");
    bool vibrates = amplitude_vibrates(amplitude), free = verdict_is_free(run->sim);
    bool flows = run->sim->definition->flow.inlet_count + run->sim->definition->flow.outlet_count > 0;
    bool moves = free && vibrates && along > verdict_still, turns = amplitude_turns(amplitude, step);
    double ratio = moves ? amplitude_damping_ratio(amplitude, step) : NAN;
    fact_flag(list, "vibrates", vibrates, "goes to and fro");
    fact_flag(list, "turns", turns, "turns on and on in one direction");
    if (vibrates && !free && !flows && !turns)
        fact_number(list, "dashpot_ns_per_m", power == 0 ? 0 : amplitude_dashpot(amplitude, step), "N s/m",
                    "equivalent dashpot");
    if (!(ratio > 0)) return;
    fact_number(list, "frequency_hz", amplitude_frequency(amplitude, step), "Hz",
                "frequency of the free vibration");
    fact_number(list, "damping_ratio", ratio, "1", "damping ratio of the free vibration");
}

// ---- drives --------------------------------------------------------------------------------------
// Ports that turn, and those whose prescribed motion grains take power from.
static bool verdict_is_drive(const Sim *sim, int p) {
    const PortAmplitude *amplitude = &sim->amplitudes[p];
    if (!(amplitude->steps > 0) || !(followers_losses(&sim->coupling.followers, p).mass > 0)) return false;
    return amplitude_turns(amplitude, sim->clock.step) ||
           (p >= sim->coupling.yielding && amplitude_moves(amplitude));
}

static void verdict_drive_facts(const Sim *sim, int p, FactList *list) {
    const PortAmplitude *amplitude = &sim->amplitudes[p];
    double step = sim->clock.step, speed = amplitude_speed(amplitude);
    bool turns = amplitude_turns(amplitude, step);
    fact_flag(list, "turns", turns, "turns on and on in one direction");
    fact_number(list, "seconds", amplitude->steps * step, "s", "observed at the end");
    if (turns) {
        fact_number(list, "speed_rad_per_s", speed, "rad/s", "mean angular velocity");
        fact_number(list, "speed_rpm", speed * 30 / M_PI, "1", "the same in turns per minute");
        fact_number(list, "torque_n_m", amplitude_torque(amplitude), "N m",
                    "mean moment on the grains, about the axis");
    }
    fact_number(list, "power_w", amplitude_given(amplitude), "W", "mean power given to the grains");
}

void verdict_drives_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
    bool begun = false;
    for (int p = 0; p < sim->port_count; p++) {
        if (!verdict_is_drive(sim, p)) continue;
        if (!begun) fact_group_begin(list, "drives");
        begun = true;
        fact_group_begin(list, sim->ports[p].name);
        verdict_drive_facts(sim, p, list);
        fact_group_end(list);
    }
    if (begun) fact_group_end(list);
}

void verdict_amplitude_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
    if (sim->coupling.yielding == 0 || !(sim->amplitudes[0].steps > 0)) return;
    fact_group_begin(list, "amplitudes");
    for (int p = 0; p < sim->coupling.yielding; p++) {
        fact_group_begin(list, sim->ports[p].name);
        verdict_port_facts(run, p, list);
        fact_group_end(list);
    }
    fact_group_end(list);
}
