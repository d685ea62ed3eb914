#include "study/table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/quantity.h"
#include "output/text_table.h"

static const StudyResult *table_result(const StudyTable *table, int point, int bed) {
    return &table->results[(size_t)point * (size_t)table->beds + (size_t)bed];
}

// One that failed has the lines that were done before.
static bool table_has_facts(const StudyResult *result) {
    return result->arena && (result->status == MRC_OK || result->count > 0);
}

static const StudyResult *table_first_good(const StudyTable *table) {
    const StudyResult *partial = NULL;
    for (int p = 0; p < table->plan->point_count; p++)
        for (int b = 0; b < table->beds; b++) {
            const StudyResult *result = table_result(table, p, b);
            if (result->arena && result->status == MRC_OK) return result;
            if (table_has_facts(result) && !partial) partial = result;
        }
    return partial;
}

int study_table_rows(const StudyTable *table) {
    return table->plan->row_count > 0 ? table->plan->row_count : 1;
}

// The fact of a line of the table; NULL: there is none.
static const StudyFact *table_fact(const StudyTable *table, const StudyResult *result, int row,
                                   const char *measure) {
    char name[256];
    if (table->plan->row_count == 0) return study_result_find(result, measure);
    snprintf(name, sizeof name, "%d.%s", row, measure);
    return study_result_find(result, name);
}

// ---- measures ------------------------------------------------------------------------------------
// The name of a measure without the number of its line; NULL: that of another line than the first one that is there.
static const char *table_measure_name(const StudyTable *table, const StudyResult *result, const char *name) {
    if (table->plan->row_count == 0) return name;
    size_t number = strcspn(result->facts[0].name, ".") + 1;
    return strncmp(name, result->facts[0].name, number) == 0 ? name + number : NULL;
}

static MrcStatus table_unknown(const StudyTable *table, const StudyResult *result, const char *name,
                               MrcError *error) {
    const char **names = malloc((size_t)(result->count + 1) * sizeof *names);
    size_t count = 0;
    if (!names) return error_memory(error, "the names");
    for (int i = 0; i < result->count; i++) {
        names[count] = table_measure_name(table, result, result->facts[i].name);
        count += names[count] != NULL;
    }
    const char *nearest = nearest_word(name, strlen(name), names, count);
    if (nearest)
        error_set(error, MRC_USAGE, "no run has a fact '%s' that is a number; did you mean '%s'?", name,
                  nearest);
    else
        error_set(error, MRC_USAGE,
                  "no run has a fact '%s' that is a number; 'maraca run --json' prints all facts of a model",
                  name);
    free(names);
    return MRC_USAGE;
}

static bool table_matches(const char *pattern, const char *name) { return fnmatch(pattern, name, 0) == 0; }

// False: there is no fact of this pattern.
static bool table_add_measures(StudyTable *table, const StudyResult *result, const char *pattern,
                               Arena *arena) {
    bool found = false;
    for (int i = 0; i < result->count; i++) {
        const StudyFact *fact = &result->facts[i];
        const char *name = table_measure_name(table, result, fact->name);
        bool there = !name || !table_matches(pattern, name);
        found = found || !there;
        for (int m = 0; m < table->measure_count && !there; m++)
            there = strcmp(table->measures[m].name, name) == 0;
        if (there) continue;
        StudyMeasure measure = {arena_strdup(arena, name), arena_strdup(arena, fact->unit)};
        if (measure.name && measure.unit) table->measures[table->measure_count++] = measure;
    }
    return found;
}

MrcStatus study_table_choose(StudyTable *table, Arena *arena, MrcError *error) {
    const StudyResult *first = table_first_good(table);
    if (!first || table->measures) return MRC_OK;
    const MrcStudyOptions *o = table->options;
    table->measures = arena_alloc(arena, (size_t)(first->count + 1) * sizeof *table->measures);
    if (!table->measures) return error_memory(error, "the measures");
    for (int m = 0; m < o->measure_count; m++)
        if (!table_add_measures(table, first, o->measures[m], arena))
            return table_unknown(table, first, o->measures[m], error);
    for (const char *const *pattern = table->plan->measures; o->measure_count == 0 && *pattern; pattern++)
        table_add_measures(table, first, *pattern, arena);
    return table->plan->check ? table->plan->check(table->plan, table, error) : MRC_OK;
}

// ---- statistics ----------------------------------------------------------------------------------
static Estimate table_estimate(const StudyTable *table, int point, int row, int beds, const char *measure) {
    double *values = malloc((size_t)(beds + 1) * sizeof *values);
    size_t count = 0;
    if (!values) return estimate_independent(NULL, 0);
    for (int b = 0; b < beds; b++) {
        const StudyResult *result = table_result(table, point, b);
        const StudyFact *fact = table_has_facts(result) ? table_fact(table, result, row, measure) : NULL;
        if (fact && isfinite(fact->value)) values[count++] = fact->value;
    }
    Estimate e = estimate_independent(values, count);
    free(values);
    return e;
}

Estimate study_table_estimate(const StudyTable *table, int point, int row, const char *measure) {
    return table_estimate(table, point, row, table->beds, measure);
}

bool study_table_is_narrow(const StudyTable *table, int point, int beds) {
    for (int m = 0; m < table->measure_count; m++)
        for (int row = 0; row < study_table_rows(table); row++) {
            Estimate e = table_estimate(table, point, row, beds, table->measures[m].name);
            if (!(e.interval <= table->options->until * fabs(e.mean))) return false;
        }
    return table->measure_count > 0;
}

typedef struct TableCounts {
    int done, failed; // runs
} TableCounts;

static TableCounts table_count(const StudyTable *table, int point) {
    TableCounts counts = {0};
    for (int b = 0; b < table->beds; b++) {
        const StudyResult *result = table_result(table, point, b);
        counts.done += result->arena != NULL;
        counts.failed += result->arena && result->status != MRC_OK;
    }
    return counts;
}

// Those of a line: a run that failed later has it.
static TableCounts table_count_row(const StudyTable *table, int point, int row) {
    TableCounts counts = table_count(table, point);
    for (int b = 0; b < table->beds && table->measure_count > 0; b++) {
        const StudyResult *result = table_result(table, point, b);
        bool failed = result->arena && result->status != MRC_OK;
        counts.failed -= failed && table_fact(table, result, row, table->measures[0].name);
    }
    return counts;
}

static TableCounts table_count_all(const StudyTable *table) {
    TableCounts all = {0};
    for (int p = 0; p < table->plan->point_count; p++) {
        TableCounts counts = table_count(table, p);
        all.done += counts.done;
        all.failed += counts.failed;
    }
    return all;
}

// Why no more beds were run.
static const char *table_end(const StudyTable *table, int point) {
    TableCounts counts = table_count(table, point);
    if (!(table->options->until > 0) || counts.done == 0) return NULL;
    if (study_table_is_narrow(table, point, table->beds)) return "narrow enough";
    return counts.done >= table->beds ? "budget spent" : "not finished";
}

// ---- facts: study.json ---------------------------------------------------------------------------
static void table_run_facts(const StudyTable *table, int point, FactList *list) {
    char key[20];
    fact_array_begin(list, "runs");
    for (int b = 0; b < table->beds; b++) {
        const StudyResult *result = table_result(table, point, b);
        if (!result->arena) continue;
        fact_group_begin(list, NULL);
        fact_count(list, "bed", b, "bed");
        fact_text(list, "status", mrc_status_name(result->status), "outcome");
        if (result->message) fact_text(list, "message", result->message, "message");
        snprintf(key, sizeof key, "%016llx", (unsigned long long)result->key);
        if (result->key) fact_text(list, "key", key, "its folder in points/");
        fact_group_begin(list, "values");
        for (int m = 0; m < table->measure_count && table_has_facts(result); m++) {
            const StudyMeasure *measure = &table->measures[m];
            if (table->plan->row_count > 0) fact_array_begin(list, measure->name);
            for (int row = 0; row < study_table_rows(table); row++) {
                const StudyFact *fact = table_fact(table, result, row, measure->name);
                fact_number(list, table->plan->row_count > 0 ? NULL : measure->name, fact ? fact->value : NAN,
                            measure->unit, "");
            }
            if (table->plan->row_count > 0) fact_group_end(list);
        }
        fact_group_end(list);
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void table_setting(const StudyColumn *column, const StudyValue *label, FactList *list) {
    if (column->unit) fact_number(list, column->name, label->number, column->unit, "varied");
    else fact_text(list, column->name, label->text, "varied");
}

static void table_measure_facts(const StudyTable *table, int point, int row, FactList *list) {
    fact_group_begin(list, "measures");
    for (int m = 0; m < table->measure_count; m++) {
        const StudyMeasure *measure = &table->measures[m];
        Estimate e = study_table_estimate(table, point, row, measure->name);
        fact_group_begin(list, measure->name);
        fact_number_with_error(list, "mean", e.mean, e.interval, measure->unit, "mean");
        fact_number(list, "deviation", e.deviation, measure->unit, "standard deviation");
        fact_number(list, "interval", e.interval, measure->unit, "half of the 95 % interval");
        fact_text(list, "unit", measure->unit, "unit");
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void table_point_facts(const StudyTable *table, int point, FactList *list) {
    const StudyPlan *plan = table->plan;
    TableCounts counts = table_count(table, point);
    fact_group_begin(list, "settings");
    for (int c = 0; c < plan->column_count; c++)
        table_setting(&plan->columns[c], &plan->points[point].labels[c], list);
    fact_group_end(list);
    fact_count(list, "done", counts.done, "runs");
    fact_count(list, "failed", counts.failed, "of them failed");
    if (table_end(table, point)) fact_text(list, "end", table_end(table, point), "why no more beds were run");
    if (plan->row_count == 0) table_measure_facts(table, point, 0, list);
    else {
        fact_array_begin(list, "rows");
        for (int row = 0; row < plan->row_count; row++) {
            fact_group_begin(list, NULL);
            table_setting(&plan->row_column, &plan->rows[row], list);
            table_measure_facts(table, point, row, list);
            fact_group_end(list);
        }
        fact_group_end(list);
    }
    table_run_facts(table, point, list);
}

// What is varied, with units.
static void table_column_facts(const StudyTable *table, FactList *list) {
    const StudyPlan *plan = table->plan;
    fact_array_begin(list, "columns");
    for (int c = 0; c < plan->column_count + (plan->row_count > 0); c++) {
        const StudyColumn *column = c < plan->column_count ? &plan->columns[c] : &plan->row_column;
        fact_group_begin(list, NULL);
        fact_text(list, "name", column->name, "varied");
        fact_text(list, "unit", column->unit, "unit"); // null: its values are texts
        fact_group_end(list);
    }
    fact_group_end(list);
}

MrcFacts *study_table_facts(const StudyTable *table, int planned) {
    MrcFacts *facts = facts_create();
    if (!facts) return NULL;
    FactList *list = &facts->list;
    TableCounts counts = table_count_all(table);
    fact_text(list, "study", table->plan->kind, "study");
    fact_text(list, "model", table->plan->model_path, "model");
    fact_text(list, "version", MARACA_VERSION, "version");
    fact_count(list, "planned", planned, "runs planned");
    fact_count(list, "done", counts.done, "runs done");
    fact_count(list, "failed", counts.failed, "runs failed");
    if (table->options->until > 0)
        fact_number(list, "until", table->options->until, "1", "wanted interval over mean");
    table_column_facts(table, list);
    fact_array_begin(list, "points");
    for (int p = 0; p < table->plan->point_count; p++) {
        fact_group_begin(list, NULL);
        table_point_facts(table, p, list);
        fact_group_end(list);
    }
    fact_group_end(list);
    if (table->plan->facts && table->measures) table->plan->facts(table->plan, table, list);
    if (!list->incomplete) return facts;
    mrc_facts_free(facts);
    return NULL;
}

// ---- study.csv -----------------------------------------------------------------------------------
static void table_csv_text(Text *text, const char *value) {
    if (!strpbrk(value, ",\"\n")) {
        text_add_string(text, value);
        return;
    }
    text_add_string(text, "\"");
    for (const char *c = value; *c; c++) {
        if (*c == '"') text_add_string(text, "\"");
        text_add_bytes(text, c, 1);
    }
    text_add_string(text, "\"");
}

static void table_csv_number(Text *text, double value) {
    char digits[TEXT_NUMBER_SIZE];
    text_add_string(text, ",");
    if (!isfinite(value)) return; // an empty cell
    text_number(digits, value);
    text_add_string(text, digits);
}

static void table_csv_heading(Text *text, const StudyColumn *column) {
    table_csv_text(text, column->name);
    if (column->unit) text_add(text, "[%s]", *column->unit ? column->unit : "1");
    text_add_string(text, ",");
}

static void table_csv_label(Text *text, const StudyColumn *column, const StudyValue *label) {
    char digits[TEXT_NUMBER_SIZE];
    if (column->unit) text_number(digits, label->number);
    table_csv_text(text, column->unit ? digits : label->text);
    text_add_string(text, ",");
}

static void table_csv_row(const StudyTable *table, int point, int row, Text *text) {
    const StudyPlan *plan = table->plan;
    TableCounts counts = table_count_row(table, point, row);
    for (int c = 0; c < plan->column_count; c++)
        table_csv_label(text, &plan->columns[c], &plan->points[point].labels[c]);
    if (plan->row_count > 0) table_csv_label(text, &plan->row_column, &plan->rows[row]);
    text_add(text, "%d,%d", counts.done, counts.failed);
    for (int m = 0; m < table->measure_count; m++) {
        Estimate e = study_table_estimate(table, point, row, table->measures[m].name);
        table_csv_number(text, e.mean);
        if (table->beds > 1) table_csv_number(text, e.deviation), table_csv_number(text, e.interval);
    }
    text_add_string(text, "\n");
}

char *study_table_csv(const StudyTable *table) {
    const StudyPlan *plan = table->plan;
    Text text = {0};
    for (int c = 0; c < plan->column_count; c++) table_csv_heading(&text, &plan->columns[c]);
    if (plan->row_count > 0) table_csv_heading(&text, &plan->row_column);
    text_add_string(&text, "done,failed");
    for (int m = 0; m < table->measure_count; m++) {
        const StudyMeasure *measure = &table->measures[m];
        text_add(&text, ",%s[%s]", measure->name, measure->unit);
        if (table->beds > 1)
            text_add(&text, ",%s.deviation[%s],%s.interval[%s]", measure->name, measure->unit, measure->name,
                     measure->unit);
    }
    text_add_string(&text, "\n");
    for (int p = 0; p < plan->point_count; p++)
        for (int row = 0; row < study_table_rows(table); row++) table_csv_row(table, p, row, &text);
    return text_take(&text);
}

// ---- the report ----------------------------------------------------------------------------------
enum { TABLE_MEASURES_SHOWN = 6 };

static void table_report_row(const StudyTable *table, int point, int row, int shown, TextTable *rows) {
    char cell[2 * QUANTITY_SIZE + 8], number[QUANTITY_SIZE];
    for (int c = 0; c < table->plan->column_count; c++)
        text_table_cell(rows, table->plan->points[point].labels[c].text);
    if (table->plan->row_count > 0) text_table_cell(rows, table->plan->rows[row].text);
    TableCounts counts = table_count_row(table, point, row);
    if (counts.failed > 0) snprintf(cell, sizeof cell, "%d, %d failed", counts.done, counts.failed);
    else snprintf(cell, sizeof cell, "%d", counts.done);
    text_table_cell(rows, cell);
    for (int m = 0; m < shown; m++) {
        Estimate e = study_table_estimate(table, point, row, table->measures[m].name);
        quantity_text(number, e.mean, table->measures[m].unit, 4);
        if (isfinite(e.interval) && e.mean != 0) {
            char part[QUANTITY_SIZE];
            snprintf(cell, sizeof cell, "%s +- %s", number,
                     quantity_percent(part, e.interval / fabs(e.mean), 2));
            text_table_cell(rows, cell);
        } else text_table_cell(rows, number);
    }
    if (table->options->until > 0)
        text_table_cell(rows, table_end(table, point) ? table_end(table, point) : "");
}

static void table_report_failures(const StudyTable *table, Text *text) {
    enum { MOST = 8 };
    int told = 0, all = table_count_all(table).failed;
    for (int p = 0; p < table->plan->point_count && told < MOST; p++)
        for (int b = 0; b < table->beds && told < MOST; b++) {
            const StudyResult *result = table_result(table, p, b);
            if (!result->arena || result->status == MRC_OK) continue;
            text_add_string(text, told++ == 0 ? "\n  failed:\n    " : "    ");
            for (int c = 0; c < table->plan->column_count; c++)
                text_add(text, "%s = %s, ", table->plan->columns[c].name,
                         table->plan->points[p].labels[c].text);
            text_add(text, "bed %d: %s\n", b,
                     result->message ? result->message : mrc_status_message(result->status));
        }
    if (all > told) text_add(text, "    and %d more: study.json has all of them\n", all - told);
}

char *study_table_report(const StudyTable *table, int planned, const char *folder) {
    const StudyPlan *plan = table->plan;
    Text text = {0};
    int shown = table->measure_count < TABLE_MEASURES_SHOWN ? table->measure_count : TABLE_MEASURES_SHOWN;
    char align[256] = "";
    for (int c = 0; c < plan->column_count && c < 100; c++) strcat(align, "l");
    if (plan->row_count > 0) strcat(align, "l");
    strcat(align, "r");
    for (int m = 0; m < shown; m++) strcat(align, "r");
    if (table->options->until > 0) strcat(align, "l");
    TextTable rows = {.align = align};
    for (int c = 0; c < plan->column_count; c++) text_table_cell(&rows, plan->columns[c].name);
    if (plan->row_count > 0) text_table_cell(&rows, plan->row_column.name);
    text_table_cell(&rows, "runs");
    for (int m = 0; m < shown; m++) text_table_cell(&rows, table->measures[m].name);
    if (table->options->until > 0) text_table_cell(&rows, "end");
    for (int p = 0; p < plan->point_count; p++)
        for (int row = 0; row < study_table_rows(table); row++) table_report_row(table, p, row, shown, &rows);
    text_table_add(&text, "  ", &rows);
    text_table_free(&rows);
    table_report_failures(table, &text);
    if (plan->notes && table->measures) plan->notes(plan, table, &text);
    TableCounts counts = table_count_all(table);
    if (shown < table->measure_count)
        text_add(&text, "\n  %d more measures are in study.csv\n", table->measure_count - shown);
    text_add(&text, "\n  %d of %d runs done", counts.done, planned);
    if (counts.failed > 0) text_add(&text, ", %d of them failed", counts.failed);
    text_add(&text, "; results in %s: study.csv, study.json, report.html\n", folder);
    return text_take(&text);
}
