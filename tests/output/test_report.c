// The report of a run, printed from facts alone: what is told, what is left out, and in which words.
#include "output/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef struct Example {
    bool mechanism, coupling, grains, periods, amplitude, settled;
    double violation, share, passed;
    const char *verdict, *numerical;
} Example;

static void add_run(const Example *e, FactList *list) {
    fact_text(list, "title", "A test", "title");
    fact_group_begin(list, "options");
    fact_count(list, "threads", 1, "threads");
    fact_number(list, "step_s", 1e-4, "s", "step");
    fact_text(list, "step_from", "given", "step chosen by");
    fact_flag(list, "resumed", false, "resumed");
    fact_group_end(list);
    fact_number(list, "time_s", 2, "s", "simulated time");
    fact_count(list, "steps", 20000, "steps");
    fact_number(list, "wall_seconds", 15.05, "s", "wall-clock time");
    fact_number(list, "setup_seconds", 12.3, "s", "wall-clock time before the first step");
    fact_number(list, "stepping_seconds", 2.75, "s", "wall-clock time of the steps");
    fact_flag(list, "settled", e->settled, "settled");
    fact_number(list, "cpu_seconds", 2.86, "s", "CPU time");
    fact_number(list, "real_time_factor", 1.375, "1", "factor");
    fact_count(list, "frames", 1, "frames");
}

static void add_partners(const Example *e, FactList *list) {
    if (e->mechanism) {
        fact_group_begin(list, "mechanism");
        fact_count(list, "nodes", 21, "nodes");
        fact_number(list, "iterations_mean", 2.55, "1", "Newton iterations per step");
        fact_count(list, "factorizations", 102, "factorizations");
        fact_number(list, "violation", e->violation, "m", "joint error");
        fact_group_end(list);
    }
    if (e->grains) {
        fact_group_begin(list, "grains");
        fact_group_begin(list, "damper");
        fact_count(list, "count", 147, "grains");
        fact_number(list, "mass_kg", 0.006985, "kg", "mass");
        fact_number(list, "largest_overlap", 3.6e-5, "1", "overlap");
        fact_group_end(list);
        fact_group_end(list);
    }
    if (!e->coupling) return;
    fact_group_begin(list, "coupling");
    fact_text(list, "scheme", "tight", "scheme");
    fact_number(list, "solves_per_step", 2.5, "1", "solves");
    fact_count(list, "most_solves", 4, "most");
    fact_count(list, "unconverged", 3, "unconverged");
    fact_number(list, "energy_error_j", 1.1e-11, "J", "error");
    fact_number(list, "energy_passed_j", e->passed, "J", "passed");
    fact_number(list, "energy_error_share", 2.4e-10, "1", "share");
    fact_number(list, "largest_gap_m", 8.7e-19, "m", "gap");
    fact_number(list, "largest_load_n", 2980, "N", "load");
    fact_group_end(list);
}

static void add_results(const Example *e, FactList *list) {
    fact_group_begin(list, "energy");
    fact_number(list, "work", 0.0491, "J", "work done by the drives");
    fact_number(list, "impact", 0, "J", "dissipated by impacts");
    fact_number(list, "dampers", 0, "J", "dissipated by dampers");
    fact_number(list, "algorithm", -1.0267e-4, "J", "numerical dissipation");
    fact_number(list, "error", -4.2e-17, "J", "missing from the balance");
    fact_number(list, "in_play", 0.1018, "J", "energy in play");
    fact_number(list, "relative_error", 2.4e-15, "1", "relative error");
    fact_text(list, "verdict", e->verdict, "verdict");
    fact_number(list, "numerical_share", e->share, "1", "share");
    fact_number(list, "numerical_size", fabs(e->share), "1", "size");
    fact_text(list, "numerical_verdict", e->numerical, "verdict");
    fact_group_end(list);
    if (e->amplitude) {
        fact_group_begin(list, "amplitudes");
        fact_group_begin(list, "shell");
        fact_text(list, "axis", "y", "axis");
        fact_number(list, "seconds", 0.5, "s", "seconds");
        fact_number(list, "amplitude_m", 0.00309, "m", "amplitude");
        fact_flag(list, "vibrates", true, "goes to and fro");
        fact_number(list, "power_w", 2.84, "W", "power");
        fact_number(list, "dashpot_ns_per_m", 0.449, "N s/m", "dashpot");
        fact_group_end(list);
        fact_group_begin(list, "drum");
        fact_text(list, "axis", "x", "axis");
        fact_number(list, "seconds", 0.5, "s", "seconds");
        fact_number(list, "amplitude_m", 1e-18, "m", "amplitude");
        fact_number(list, "power_w", 0.0195, "W", "power");
        fact_number(list, "dashpot_ns_per_m", 0, "N s/m", "dashpot");
        fact_group_end(list);
        fact_group_end(list);
    }
}

static char *report(Example e, const char *folder) {
    MrcFacts *facts = facts_create();
    add_run(&e, &facts->list);
    add_partners(&e, &facts->list);
    add_results(&e, &facts->list);
    char *text = report_run(&facts->list, folder);
    mrc_facts_free(facts);
    assert_non_null(text);
    return text;
}

static void a_report_has(Example e, const char *const *has, const char *const *lacks) {
    char *text = report(e, "a.run");
    for (; *has; has++)
        if (!strstr(text, *has)) fail_msg("'%s' is not in\n%s", *has, text);
    for (; *lacks; lacks++)
        if (strstr(text, *lacks)) fail_msg("'%s' is in\n%s", *lacks, text);
    free(text);
}

static const Example everything = {.mechanism = true,
                                   .coupling = true,
                                   .grains = true,
                                   .amplitude = true,
                                   .violation = 3.3e-122,
                                   .share = -1.0e-3,
                                   .passed = 0.04572,
                                   .verdict = "good",
                                   .numerical = "fair"};

static void numbers_are_told_in_words_of_the_field(void **state) {
    (void)state;
    const char *has[] = {
        "A test\n\n  simulated  2 s in 20,000 steps of 100 us\n",
        "  took       15.1 s of wall-clock time; 2.86 s of CPU time, 1 thread (1.38 s per simulated "
        "second)\n",
        "  mechanism  21 nodes, 2.55 Newton iterations per step, 102 factorizations, joint error below "
        "rounding\n",
        "  damper     147 grains, 6.985 g, largest overlap 0.0036 % of the radius\n",
        "  coupling   tight, 2.5 grain solves per step (at most 4), 3 steps not converged; largest load 2.98 "
        "kN, "
        "largest gap below rounding\n",
        "             energy error of the exchange 11 pJ, 2.4e-10 of the 45.72 mJ that passed\n",
        "  energy  work done by the drives                    49.1 mJ\n",
        "          dissipated by impacts                         0 mJ\n",
        "          dissipated by dampers                         0 mJ\n",
        "          numerical dissipation                   -0.1027 mJ\n",
        "          missing from the balance            below rounding\n",
        "  balance closes to 2.4e-15 of the 101.8 mJ in play: good\n",
        "  numerical gain of energy 1.0e-3 of the energy in play: fair; a smaller step or more elements "
        "would",
        "  shell      amplitude 3.09 mm (half peak to peak) along y in the last 500 ms\n"
        "             power dissipated by the grains 2.84 W (equivalent dashpot 0.449 N s/m)\n",
        "  drum       no displacement in the last 500 ms\n"
        "             power dissipated by the grains 19.5 mW\n",
        "\n  results in a.run: series.csv, summary.json, frames.pvd (1 frame for ParaView)\n",
        NULL};
    const char *lacks[] = {"N*m", "swings", "e-122", "periods", NULL};
    a_report_has(everything, has, lacks);
}

static void what_is_not_there_is_not_told(void **state) {
    (void)state;
    Example e = {.grains = true, .share = 0, .verdict = "poor", .numerical = "good", .settled = true};
    const char *has[] = {"12.3 s of wall-clock time for settling, then 2.75 s; 2.86 s of CPU time",
                         "in play: poor; take a smaller step before trusting the result\n",
                         "dissipated by impacts", NULL};
    const char *lacks[] = {"mechanism",
                           "coupling",
                           "dissipated by dampers",
                           "numerical gain",
                           "numerical dissipation 0",
                           "amplitude",
                           "power",
                           "contacts",
                           NULL};
    a_report_has(e, has, lacks);
}

static void dissipation_and_gain_are_told_apart(void **state) {
    (void)state;
    Example e = everything;
    e.share = 2.6e-4, e.numerical = "good", e.verdict = "fair", e.passed = 0, e.violation = 2.5e-10;
    const char *has[] = {"numerical dissipation 2.6e-4 of the energy in play: good\n",
                         "in play: fair; a smaller step would close it better\n", "joint error 0.25 nm\n",
                         NULL};
    const char *lacks[] = {"that passed", NULL};
    a_report_has(e, has, lacks);
    char *text = report(e, NULL);
    assert_null(strstr(text, "results in"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_told_in_words_of_the_field),
        cmocka_unit_test(what_is_not_there_is_not_told),
        cmocka_unit_test(dissipation_and_gain_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
