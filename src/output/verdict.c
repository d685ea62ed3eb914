#include "output/verdict.h"

static const char *const axes[] = {"x", "y", "z"};

static bool verdict_is_known(const Sim *sim) {
    return sim->coupling.yielding > 0 && sim->amplitudes[0].steps > 0;
}

// Along the axis of the largest amplitude without grains, when that is known: what is damped counts.
static int verdict_axis(const RunFacts *run, int p) {
    return amplitude_axis(run->lumped ? &run->lumped[p] : &run->sim->amplitudes[p]);
}

void verdict_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
    double step = sim->clock.step;
    if (!verdict_is_known(sim)) return;
    fact_group_begin(list, "swings");
    for (int p = 0; p < sim->coupling.yielding; p++) {
        const PortAmplitude *amplitude = &sim->amplitudes[p];
        int axis = verdict_axis(run, p);
        fact_group_begin(list, sim->ports[p].name);
        fact_text(list, "axis", axes[axis], "axis");
        fact_number(list, "seconds", amplitude->steps * step, "s", "observed at the end");
        fact_number(list, "amplitude_m", amplitude_along(amplitude, axis), "m",
                    "amplitude (half peak to peak)");
        if (run->lumped)
            fact_number(list, "amplitude_without_grains_m", amplitude_along(&run->lumped[p], axis), "m",
                        "amplitude with the mass of the grains fixed to the port");
        fact_number(list, "power_w", amplitude_power(amplitude, step), "W", "power dissipated by the grains");
        fact_number(list, "dashpot_ns_per_m", amplitude_dashpot(amplitude, step), "N s/m",
                    "equivalent dashpot");
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void verdict_report_port(FILE *out, const RunFacts *facts, int p) {
    const Sim *sim = facts->sim;
    double step = sim->clock.step;
    const PortAmplitude *amplitude = &sim->amplitudes[p], *lumped = facts->lumped ? &facts->lumped[p] : NULL;
    int axis = verdict_axis(facts, p);
    double with = amplitude_along(amplitude, axis);
    fprintf(out, "  %-10s swings by %.3g mm along %s in the last %.3g s", sim->ports[p].name, 1e3 * with,
            axes[axis], amplitude->steps * step);
    if (lumped) {
        double without = amplitude_along(lumped, axis);
        fprintf(out, ",\n             by %.3g mm with the mass of the grains fixed to it", 1e3 * without);
        if (with > 0) fprintf(out, ": %.3g times as much", without / with);
    }
    fprintf(out, "\n             the grains take %.3g mW, as a dashpot of %.3g N*s/m would\n",
            1e3 * amplitude_power(amplitude, step), amplitude_dashpot(amplitude, step));
}

void verdict_report(FILE *out, const RunFacts *facts) {
    if (!verdict_is_known(facts->sim)) return;
    fputc('\n', out);
    for (int p = 0; p < facts->sim->coupling.yielding; p++) verdict_report_port(out, facts, p);
    if (!facts->lumped) return;
    double factor = summary_real_time_factor(facts);
    fprintf(out, "             computed %.3g times %s than it happens; energy adds up to %.0e\n",
            factor > 1 ? factor : 1 / factor, factor > 1 ? "slower" : "faster",
            summary_relative_error(&facts->sim->ledger));
}
