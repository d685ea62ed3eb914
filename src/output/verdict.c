#include "output/verdict.h"

static const char *const axes[] = {"x", "y", "z"};

static const char *port_name(const Sim *sim, int coupled) {
    return sim->coupled.coupling.ports[coupled].name;
}

static bool is_known(const Sim *sim) { return sim->coupled.active && sim->coupled.swings[0].steps > 0; }

// Along the axis that the port swings along without grains, when that is known: what is damped is looked at.
static double along(const Swing *swing, int axis) {
    return 0.5 * vec3_component(vec3_sub(swing->high, swing->low), axis);
}

void verdict_write(Json *json, const RunFacts *facts) {
    const Sim *sim = facts->sim;
    double step = sim->clock.step;
    if (!is_known(sim)) return;
    json_key(json, "swings");
    json_object_begin(json);
    for (int p = 0; p < sim->coupled.coupling.count; p++) {
        const Swing *swing = &sim->coupled.swings[p], *lumped = facts->lumped ? &facts->lumped[p] : NULL;
        int axis = swing_axis(lumped ? lumped : swing);
        json_key(json, port_name(sim, p));
        json_object_begin(json);
        json_key(json, "axis"), json_string(json, axes[axis]);
        json_key(json, "seconds"), json_number(json, swing->steps * step);
        json_key(json, "amplitude_m"), json_number(json, along(swing, axis));
        if (lumped) json_key(json, "amplitude_without_grains_m"), json_number(json, along(lumped, axis));
        json_key(json, "power_w"), json_number(json, swing_power(swing, step));
        json_key(json, "dashpot_ns_per_m"), json_number(json, swing_dashpot(swing, step));
        json_object_end(json);
    }
    json_object_end(json);
}

static void report_port(FILE *out, const RunFacts *facts, int p) {
    const Sim *sim = facts->sim;
    double step = sim->clock.step;
    const Swing *swing = &sim->coupled.swings[p], *lumped = facts->lumped ? &facts->lumped[p] : NULL;
    int axis = swing_axis(lumped ? lumped : swing);
    double with = along(swing, axis);
    fprintf(out, "  %-10s swings by %.3g mm along %s in the last %.3g s", port_name(sim, p), 1e3 * with,
            axes[axis], swing->steps * step);
    if (lumped) {
        double without = along(lumped, axis);
        fprintf(out, ",\n             by %.3g mm with the mass of the grains fixed to it", 1e3 * without);
        if (with > 0) fprintf(out, ": %.3g times as much", without / with);
    }
    fprintf(out, "\n             the grains take %.3g mW, as a dashpot of %.3g N*s/m would\n",
            1e3 * swing_power(swing, step), swing_dashpot(swing, step));
}

void verdict_report(FILE *out, const RunFacts *facts) {
    if (!is_known(facts->sim)) return;
    fputc('\n', out);
    for (int p = 0; p < facts->sim->coupled.coupling.count; p++) report_port(out, facts, p);
    if (!facts->lumped) return;
    double factor = summary_real_time_factor(facts);
    fprintf(out, "             computed %.3g times %s than it happens; energy adds up to %.0e\n",
            factor > 1 ? factor : 1 / factor, factor > 1 ? "slower" : "faster",
            summary_relative_error(&facts->sim->ledger));
}
