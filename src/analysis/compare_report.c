// A comparison told to people and to machines.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare.h"
#include "base/json.h"
#include "base/text.h"

// ---- for people ----------------------------------------------------------------------------------
static int widest_name(const Variant *variants, int count, int least) {
    for (int i = 0; i < count; i++)
        if ((int)strlen(variants[i].name) > least) least = (int)strlen(variants[i].name);
    return least;
}

static void add_run(Text *text, const Variant *v, int width) {
    text_add(text, "  %-*s", width, v->name);
    if (v->info.coupled) {
        double steps = v->info.steps > 0 ? (double)v->info.steps : 1, passed = v->info.port_energy_passed;
        text_add(text, " %10lld %8.3g", (long long)v->info.grain_solves,
                 (double)v->info.grain_solves / steps);
        text_add(text, " %10.3g", v->info.wall_seconds);
        if (passed > 0)
            text_add(text, " %11.2e J %10.1e", v->info.port_energy_error,
                     fabs(v->info.port_energy_error) / passed);
        else text_add(text, " %13s %10s", "-", "-");
    } else text_add(text, " %10s %8s %10.3g %13s %10s", "-", "-", v->info.wall_seconds, "-", "-");
    if (v->status == MRC_OK) text_add_string(text, "  done\n");
    else text_add(text, "  %s\n", mrc_status_message(v->status));
}

static void add_messages(Text *text, const Variant *variants, int count) {
    for (int i = 0; i < count; i++)
        if (variants[i].status != MRC_OK)
            text_add(text, "\n  %s: %s\n", variants[i].name, variants[i].message);
}

// Not a word about entries that this model does not have: zero in all runs.
static bool is_zero(const Variant *variants, int count, int column) {
    const Variant *first = &variants[0];
    for (size_t i = (size_t)column; i < first->values.count; i += (size_t)first->column_count)
        if (first->values.data[i] != 0) return false;
    for (int i = 1; i < count; i++)
        if (variants[i].status == MRC_OK && variants[i].difference[column] != 0) return false;
    return true;
}

static void add_differences(Text *text, const Variant *variants, int count) {
    const Variant *first = &variants[0];
    int width = 12;
    for (int c = 1; c < first->column_count; c++)
        if ((int)strlen(first->names[c]) > width) width = (int)strlen(first->names[c]);
    text_add(text, "\n  difference to %s, r.m.s. over r.m.s.\n  %-*s", first->name, width, "series");
    for (int i = 1; i < count; i++) text_add(text, " %*s", widest_name(&variants[i], 1, 9), variants[i].name);
    text_add_string(text, "\n");
    for (int c = 1; c < first->column_count; c++) {
        if (is_zero(variants, count, c)) continue;
        text_add(text, "  %-*s", width, first->names[c]);
        for (int i = 1; i < count; i++) {
            double d = variants[i].difference[c];
            int room = widest_name(&variants[i], 1, 9);
            if (d == 0) text_add(text, " %*s", room, "0");
            else if (isfinite(d)) text_add(text, " %*.2e", room, d);
            else text_add(text, " %*s", room, "-");
        }
        text_add_string(text, "\n");
    }
}

char *compare_report(const Variant *variants, int count) {
    Text text = {0};
    int width = widest_name(variants, count, 10);
    text_add(&text, "  %-*s %10s %8s %10s %13s %10s\n", width, "", "grain", "per", "wall", "port energy",
             "of what");
    text_add(&text, "  %-*s %10s %8s %10s %13s %10s\n", width, "variant", "solves", "step", "time [s]",
             "error", "passed");
    for (int i = 0; i < count; i++) add_run(&text, &variants[i], width);
    if (count > 1 && variants[0].status == MRC_OK) add_differences(&text, variants, count);
    add_messages(&text, variants, count);
    return text_take(&text);
}

// ---- for machines --------------------------------------------------------------------------------
static void number(Json *json, const char *key, double value) {
    json_key(json, key), json_number(json, value);
}

static void write_run(Json *json, const Variant *first, const Variant *v) {
    json_object_begin(json);
    json_key(json, "name"), json_string(json, v->name);
    json_key(json, "settings");
    json_array_begin(json);
    for (int i = 0; i < v->override_count; i++) json_string(json, v->overrides[i]);
    json_array_end(json);
    json_key(json, "status"), json_string(json, mrc_status_name(v->status));
    json_key(json, "message");
    if (v->status == MRC_OK) json_null(json);
    else json_string(json, v->message);
    number(json, "time_s", v->info.time);
    json_key(json, "steps"), json_integer(json, v->info.steps);
    number(json, "wall_seconds", v->info.wall_seconds);
    number(json, "cpu_seconds", v->info.cpu_seconds);
    json_key(json, "grain_solves");
    if (v->info.coupled) json_integer(json, v->info.grain_solves);
    else json_null(json);
    number(json, "port_energy_error_j", v->info.coupled ? v->info.port_energy_error : NAN);
    number(json, "port_energy_passed_j", v->info.coupled ? v->info.port_energy_passed : NAN);
    json_key(json, "difference");
    json_object_begin(json);
    for (int c = 1; c < first->column_count; c++) number(json, first->names[c], v->difference[c]);
    json_object_end(json);
    json_object_end(json);
}

char *compare_json(const char *model, const Variant *variants, int count) {
    Json json = {.indent = 2};
    json_object_begin(&json);
    json_key(&json, "status"), json_string(&json, mrc_status_name(variants[0].status));
    json_key(&json, "model"), json_string(&json, model);
    json_key(&json, "reference"), json_string(&json, variants[0].name);
    json_key(&json, "variants");
    json_array_begin(&json);
    for (int i = 0; i < count; i++) write_run(&json, &variants[0], &variants[i]);
    json_array_end(&json);
    json_object_end(&json);
    return json_take(&json);
}
