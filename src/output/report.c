#include "output/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "output/pattern.h"

// ---- layout --------------------------------------------------------------------------------------
// Lines of the report (pattern.h), in the order of the sections below.
static const PatternLine report_head[] = {
    {"simulated", "{time_s:6} in {steps} steps of {options.step_s}"
                  "[?options.step_from=auto: (automatic: {options.step_share:3} of {options.step_limit_s}, "
                  "{options.step_criterion}[?options.step_bed: in {options.step_bed}])]"},
    {"took", "[?settled:{setup_seconds:3} of wall-clock time for settling, then {stepping_seconds:3}|"
             "{wall_seconds:3} of wall-clock time]; {cpu_seconds:3} of CPU time, "
             "{options.threads} thread[?options.threads=1:|s][?options.resumed:, resumed]"
             "[?real_time_factor: ({real_time_factor:3} s per simulated second)]"},
    {0},
};

static const PatternLine report_mechanism[] = {
    {"mechanism",
     "{nodes} node[?nodes=1:|s], {iterations_mean:3} Newton iteration[?iterations_mean=1:|s] per step, "
     "{factorizations} factorizations[?retries:, {retries} steps tried shorter], "
     "joint error {violation:r}"},
    {0},
};

static const PatternLine report_bed[] = {
    {"{.}", "{count} grain[?count=1:|s], {mass_kg}, largest overlap {largest_overlap:%} of the radius"},
    {"", "[?restitution_used:restitution {restitution_used} instead of {restitution_asked}: the least that "
         "dashpots "
         "give]"},
    {"",
     "[?collisions_J:{collisions} collision[?collisions=1:|s] of grains took {collisions_J:3}, half of it by "
     "less than {collision_median_J:2} each: spectra.csv]"},
    {0},
};

static const PatternLine report_method[] = {
    {"", "[?cost.other:'method: {cost.suggested}' may be quicker: about {cost.other_seconds:2} on one core "
         "instead of "
         "{cost.own_seconds:2} ('maraca advise')]"},
    {0},
};

static const PatternLine report_flow[] = {
    {"{.}",
     "[?in_count:{in_count} grain[?in_count=1:|s], {in_mass_kg} came in]"
     "[?owed_mass_kg:[?in_count:; ]{owed_mass_kg} is owed: its region had no room]"
     "[?out_count:{out_count} grain[?out_count=1:|s], {out_mass_kg} left after {residence_s:3} on average, "
     "{flow_kg_per_s:3} at the end]"
     "[?passed_count:{passed_count} grain[?passed_count=1:|s], {passed_mass_kg} passed, {flow_kg_per_s:3} at "
     "the end]"
     "[?inside_count:{inside_count} grain[?inside_count=1:|s], {inside_mass_kg} inside, {flow_kg_per_s:3} at "
     "the end]"},
    {0},
};

static const PatternLine report_coupling[] = {
    {"coupling",
     "{scheme}, {solves_per_step:3} grain solve[?solves_per_step=1:|s] per step"
     "[?most_solves>1: (at most {most_solves})][?unconverged:, {unconverged} steps not converged]; "
     "largest load {largest_load_n}, largest gap {largest_gap_m:r}"},
    {"", "[?energy_passed_j:energy error of the exchange {energy_error_j:3}, "
         "{energy_error_share:e} of the {energy_passed_j} that passed]"},
    {0},
};

static const PatternLine report_exchange_steps[] = {
    {"", "exchange steps [?not_cut:were not cut: {not_cut}|{count}, {done_again} done again; "
         "the shortest is 1/{most_parts} of the longest"
         "[?pauses:; at times cutting did not lower the error: contacts are too short for it]]"},
    {0},
};

static const PatternLine report_contacts[] = {
    {"contacts", "{contacts_mean} on average, {iterations_mean:3} iterations; "
                 "[?above_tolerance:{above_tolerance} of {problems} problems above the tolerance, "
                 "{unsolved} unsolved, worst residual {worst_residual:e}|all problems solved]"},
    {"", "[?rebounds_limited:in {rebounds_limited} of {rebounds} steps with rebounds from the machine, "
         "restitution "
         "was less than asked for: more would have made energy]"},
    {"", "[?locked:in {locked} steps friction locked grains in wedges, and their overlaps stayed]"},
    {0},
};

static const PatternLine report_balance[] = {
    {NULL, "balance closes to {relative_error:e} of the {in_play} in play: {verdict}"
           "[?verdict=fair:; a smaller step would close it better]"
           "[?verdict=poor:; take a smaller step before trusting the result]"},
    {NULL, "[?numerical_share:numerical [?numerical_share>0:dissipation|gain of energy] {numerical_size:e} "
           "of the energy in play: {numerical_verdict}"
           "[?numerical_verdict=fair:; a smaller step or more elements would be better]"
           "[?numerical_verdict=poor:; take a smaller step before trusting the result]]"},
    {0},
};

static const PatternLine report_periods[] = {
    {"periods",
     "{count} of {port} at {frequency_hz}"
     "[?count:[?counted:[?skipped:, of which the last {counted}:]|, all skipped]|: none is complete]"},
    {"", "[?counted:dissipated {dissipated_mean_J} +- {dissipated_deviation_J:2}, "
         "damping ratio {damping_ratio_mean:%} +- {damping_ratio_deviation:%} (mass ratio {mass_ratio:%})]"},
    {0},
};

// Ports that turn and do not move, as that of a drum, have no amplitude; those that travel have a way.
static const PatternLine report_amplitude[] = {
    {"{.}", "[?amplitude_m>1e-9:[?vibrates:amplitude {amplitude_m:3} (half peak to peak) along {axis}|"
            "moves within {amplitude_m:3} of the middle of its way along {axis}] in the last {seconds:3}|"
            "[?turns:|no displacement in the last {seconds:3}]]"},
    {"", "[?amplitude_without_grains_m>1e-9:with the mass of the grains fixed to it "
         "{amplitude_without_grains_m:3}[?amplitude_ratio:: {amplitude_ratio:3} times as much]]"},
    {"", "[?turns:|[?grains:[?power_w:power dissipated by the grains {power_w:3}"
         "[?dashpot_ns_per_m: (equivalent dashpot {dashpot_ns_per_m:3})]]]]"},
    {"", "[?damping_ratio:free vibration at {frequency_hz:3} with a damping ratio of {damping_ratio:%}]"},
    {0},
};

static const PatternLine report_drive[] = {
    {"{.}", "[?turns:turns at {speed_rpm:4} rpm with a torque of {torque_n_m:3} on the grains: ]"
            "power given to the grains {power_w:3} in the last {seconds:3}"},
    {0},
};

static void report_energy(Text *text, const FactList *facts);

// Sections are left out when there is no such group of facts.
static const struct ReportSection {
    const char *before;       // what stands before it
    const char *group;        // that its lines are about; "": the whole list
    bool each;                // once for each group in that one
    const PatternLine *lines; // NULL: the energies
} report_sections[] = {
    {"", "", false, report_head},
    {"", "mechanism", false, report_mechanism},
    {"", "grains", true, report_bed},
    {"", "methods", true, report_method},
    {"", "flow", true, report_flow},
    {"", "coupling", false, report_coupling},
    {"", "coupling.exchange_steps", false, report_exchange_steps},
    {"", "contact_solver", false, report_contacts},
    {"\n", "energy", false, NULL},
    {"", "energy", false, report_balance},
    {"\n", "periods", false, report_periods},
    {"\n", "amplitudes", true, report_amplitude},
    {"\n", "drives", true, report_drive},
};
enum { REPORT_SECTIONS = sizeof report_sections / sizeof *report_sections };

static void report_section(Text *text, const FactList *facts, const struct ReportSection *section) {
    static const PatternLayout layout = {"  ", 10};
    if (section->group[0] && !fact_has_group(facts, section->group)) return;
    size_t start = text->length, before = strlen(section->before);
    text_add_string(text, section->before);
    if (!section->lines) report_energy(text, facts);
    else if (section->each) pattern_add_each(text, facts, section->group, layout, section->lines);
    else pattern_add_lines(text, facts, section->group, layout, section->lines);
    if (!text->failed && before > 0 && text->length == start + before) // all its lines are empty
        text->data[text->length = start] = '\0';
}

// ---- energies ------------------------------------------------------------------------------------
// Entries of the ledger, all in one unit. Those that cannot be in this model are left out when they are zero.
static const struct {
    const char *key;
    const char *needs; // a group of facts; NULL: printed only when it is not zero
} report_energies[] = {
    {"work", "energy"},      {"carried", "flow"},      {"kinetic", "energy"},      {"potential", "energy"},
    {"elastic", "energy"},   {"impact", "grains"},     {"friction", "grains"},     {"rolling", "grains"},
    {"stabilisation", NULL}, {"dampers", "mechanism"}, {"algorithm", "mechanism"}, {"ports", "coupling"},
    {"error", "energy"},
};
enum { REPORT_ENERGIES = sizeof report_energies / sizeof *report_energies, REPORT_ENERGY_DIGITS = 4 };

static void report_energy(Text *text, const FactList *facts) {
    const MrcFact *in_play = fact_find(facts, "energy.in_play");
    double scale = in_play ? in_play->number : 0;
    QuantityUnit unit = quantity_unit(scale, "J", REPORT_ENERGY_DIGITS);
    const char *heading = "energy";
    for (int k = 0; k < REPORT_ENERGIES; k++) {
        const MrcFact *fact = fact_find_in(facts, "energy", report_energies[k].key);
        const char *needs = report_energies[k].needs;
        char buffer[QUANTITY_SIZE];
        if (!fact || (fact->number == 0 && (!needs || !fact_has_group(facts, needs)))) continue;
        bool rounding = fact->number != 0 && fabs(fact->number) < 1e-12 * scale;
        text_add(text, "  %-7s %-33s %16s\n", heading, fact->words,
                 rounding ? "below rounding" : quantity_in(buffer, fact->number, unit, REPORT_ENERGY_DIGITS));
        heading = "";
    }
}

// ---- the whole -----------------------------------------------------------------------------------
char *report_run(const FactList *facts, const char *folder) {
    Text text = {0};
    pattern_add(&text, facts, "", "[?title:{title}|Simulation]\n\n");
    for (int s = 0; s < REPORT_SECTIONS; s++) report_section(&text, facts, &report_sections[s]);
    if (folder) {
        text_add(&text, "\n  results in %s: ", folder);
        pattern_add(&text, facts, "",
                    "series.csv, [?periods:periods.csv, ][?without_grains:without-grains.csv, "
                    "]summary.json[?replay_frames:, report.html]"
                    "[?frames:, frames.pvd ({frames} frame[?frames=1:|s] for ParaView)]\n");
    }
    return text_take(&text);
}
