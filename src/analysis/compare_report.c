// A comparison as facts, and the tables that are printed from them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare.h"
#include "base/quantity.h"
#include "base/text.h"
#include "output/text_table.h"

// ---- facts ---------------------------------------------------------------------------------------
// Of a run; NAN: it has no such fact.
static double compare_number(const Variant *v, const char *name) {
    const MrcFact *fact = mrc_facts_find(v->info.facts, name);
    return fact ? fact->number : NAN;
}

static void compare_count(const Variant *v, const char *from, const char *key, const char *words,
                          FactList *list) {
    double number = compare_number(v, from);
    if (isfinite(number)) fact_count(list, key, (int64_t)number, words);
    else fact_number(list, key, NAN, "1", words);
}

static void compare_variant_facts(const Variant *first, const Variant *v, FactList *list) {
    bool ran = v->info.facts != NULL;
    fact_text(list, "name", v->name, "variant");
    fact_array_begin(list, "settings");
    for (int i = 0; i < v->override_count; i++) fact_text(list, NULL, v->overrides[i], "setting");
    fact_group_end(list);
    fact_text(list, "status", mrc_status_name(v->status), "outcome");
    fact_text(list, "outcome", mrc_status_message(v->status), "outcome");
    fact_text(list, "message", v->status == MRC_OK ? NULL : v->message, "message");
    fact_number(list, "time_s", ran ? v->info.time : NAN, "s", "simulated time");
    fact_count(list, "steps", v->info.steps, "steps");
    fact_number(list, "wall_seconds", ran ? v->info.wall_seconds : NAN, "s", "wall-clock time");
    fact_number(list, "cpu_seconds", ran ? v->info.cpu_seconds : NAN, "s", "CPU time");
    compare_count(v, "coupling.grain_solves", "grain_solves", "grain solves", list);
    fact_number(list, "solves_per_step", compare_number(v, "coupling.solves_per_step"), "1",
                "grain solves per step");
    fact_number(list, "port_energy_error_j", compare_number(v, "coupling.energy_error_j"), "J",
                "port energy error");
    fact_number(list, "port_energy_passed_j", compare_number(v, "coupling.energy_passed_j"), "J",
                "energy that passed");
    fact_number(list, "port_energy_error_share", compare_number(v, "coupling.energy_error_share"), "1",
                "port energy error over the energy that passed");
    fact_group_begin(list, "difference");
    for (int c = 1; c < first->column_count; c++)
        fact_number(list, first->names[c], v->difference[c], "1", "r.m.s. of the difference over r.m.s.");
    fact_group_end(list);
}

// Root of the mean square of a column.
static double compare_rms(const Variant *v, int column) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = (size_t)column; i < v->values.count; i += (size_t)v->column_count, count++)
        sum += v->values.data[i] * v->values.data[i];
    return count > 0 ? sqrt(sum / (double)count) : NAN;
}

void compare_facts(const char *model, const Variant *variants, int count, FactList *list) {
    const Variant *first = compare_reference(variants, count);
    fact_text(list, "status", mrc_status_name(variants[0].status), "outcome of the first variant");
    fact_text(list, "model", model, "model");
    fact_text(list, "reference", first->name, "variant that the others are compared with");
    fact_array_begin(list, "variants");
    for (int i = 0; i < count; i++) {
        fact_group_begin(list, NULL);
        compare_variant_facts(first, &variants[i], list);
        fact_group_end(list);
    }
    fact_group_end(list);
    fact_group_begin(list, "series");
    for (int c = 1; c < first->column_count; c++)
        fact_number(list, first->names[c], compare_rms(first, c), first->units[c], "r.m.s. in the reference");
    fact_group_end(list);
}

// ---- tables --------------------------------------------------------------------------------------
// A fact of a variant.
static const MrcFact *compare_find(const FactList *facts, const char *variant, const char *key) {
    char group[32];
    snprintf(group, sizeof group, "variants.%.16s", variant);
    return fact_find_in(facts, group, key);
}

static const char *compare_text(const FactList *facts, const char *variant, const char *key) {
    const MrcFact *fact = compare_find(facts, variant, key);
    return fact && fact->text ? fact->text : "";
}

static bool compare_is_done(const FactList *facts, const char *variant) {
    return strcmp(compare_text(facts, variant, "status"), "OK") == 0;
}

static void compare_add_runs(Text *text, const FactList *facts) {
    static const char *const titles[] = {"variant",           "grain solves",   "per step", "wall-clock time",
                                         "port energy error", "of what passed", "outcome"};
    TextTable table = {.align = "lrrrrrl"};
    size_t at = 0;
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++) text_table_cell(&table, titles[k]);
    for (const char *v; (v = fact_next_group(facts, "variants", &at));) {
        char buffer[QUANTITY_SIZE];
        const MrcFact *solves = compare_find(facts, v, "grain_solves");
        text_table_cell(&table, compare_text(facts, v, "name"));
        text_table_cell(&table,
                        isfinite(solves->number) ? quantity_count(buffer, (int64_t)solves->number) : "-");
        text_table_cell(&table,
                        quantity_number(buffer, compare_find(facts, v, "solves_per_step")->number, 3));
        text_table_cell(&table,
                        quantity_text(buffer, compare_find(facts, v, "wall_seconds")->number, "s", 3));
        text_table_cell(&table,
                        quantity_text(buffer, compare_find(facts, v, "port_energy_error_j")->number, "J", 3));
        text_table_cell(&table,
                        quantity_power(buffer, compare_find(facts, v, "port_energy_error_share")->number));
        text_table_cell(&table, compare_text(facts, v, "outcome"));
    }
    text_table_add(text, "  ", &table);
    text_table_free(&table);
}

// The difference of a series in a variant.
static double compare_report_difference(const FactList *facts, const char *variant, const char *series) {
    char group[48];
    snprintf(group, sizeof group, "variants.%.16s.difference", variant);
    const MrcFact *fact = fact_find_in(facts, group, series);
    return fact ? fact->number : NAN;
}

// Entries that this model does not have, zero in all runs, are left out.
static bool compare_is_zero(const FactList *facts, const MrcFact *series, const char *name) {
    size_t at = 0;
    if (series->number != 0) return false;
    for (const char *v; (v = fact_next_group(facts, "variants", &at));) {
        double difference = compare_report_difference(facts, v, name);
        if (difference != 0 && !isnan(difference)) return false;
    }
    return true;
}

// The next variant but the reference.
static const char *compare_next_other(const FactList *facts, size_t *at) {
    const char *v = fact_next_group(facts, "variants", at), *reference = fact_find(facts, "reference")->text;
    if (v && strcmp(compare_text(facts, v, "name"), reference) == 0)
        v = fact_next_group(facts, "variants", at);
    return v;
}

static void compare_add_differences(Text *text, const FactList *facts, int count) {
    static const char group[] = "series.";
    char buffer[QUANTITY_SIZE];
    TextTable table = {.align = "lr", .columns = count};
    size_t at = 0;
    text_add(text, "\n  difference to %s, r.m.s. over r.m.s.\n", fact_find(facts, "reference")->text);
    text_table_cell(&table, "series");
    for (const char *v; (v = compare_next_other(facts, &at));)
        text_table_cell(&table, compare_text(facts, v, "name"));
    for (size_t k = 0; k < facts->facts.count; k++) {
        const MrcFact *series = &facts->facts.data[k].value;
        if (strncmp(series->name, group, sizeof group - 1) != 0) continue;
        const char *name = series->name + sizeof group - 1;
        if (compare_is_zero(facts, series, name)) continue;
        text_table_cell(&table, name);
        at = 0;
        for (const char *v; (v = compare_next_other(facts, &at));)
            text_table_cell(&table, quantity_power(buffer, compare_report_difference(facts, v, name)));
    }
    text_table_add(text, "  ", &table);
    text_table_free(&table);
}

char *compare_report(const FactList *facts) {
    Text text = {0};
    int count = 0, done = 0;
    size_t at = 0;
    for (const char *v; (v = fact_next_group(facts, "variants", &at)); count++)
        done += compare_is_done(facts, v);
    compare_add_runs(&text, facts);
    if (count > 1 && done > 0) compare_add_differences(&text, facts, count);
    at = 0;
    for (const char *v; (v = fact_next_group(facts, "variants", &at));)
        if (!compare_is_done(facts, v))
            text_add(&text, "\n  %s: %s\n", compare_text(facts, v, "name"),
                     compare_text(facts, v, "message"));
    return text_take(&text);
}
