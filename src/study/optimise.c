// The best values of a model: candidates are proposed by search.c, run as points of a study with the same random beds each,
// and the best of them are run again with beds that the search has not seen.
//
// The lowest of many scattering values is partly low by chance. So the finalists, those with the lowest values of the
// surrogate, are compared by new beds alone, bed by bed: the mean difference from the winner has Student's t, and with
// its tails p_i the winner is the best of the finalists with a probability of at least 1 - sum p_i. A finalist that passes a limit
// with these beds does not win: the best value that is allowed lies at a limit often, where it was kept by chance.
//
// All rounds are one study whose plan grows: what has been run is found by its model. A search that was stopped goes
// through the same rounds again, which takes no runs, and on from there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/quantity.h"
#include "model/model.h"
#include "output/text_table.h"
#include "study/search.h"
#include "study/sweep.h"
#include "study/table.h"

enum {
    OPTIMISE_BATCH = 4, // candidates per round; runs go side by side
    OPTIMISE_FINALISTS = 4,
    OPTIMISE_BEDS = 3 // of a candidate when the model has something random
};

typedef struct OptimiseLimit {
    const char *fact;
    bool at_least;
    StudyValue value;
    double si;
    bool resolved; // `si` is known
} OptimiseLimit;

typedef struct Optimise {
    MrcOptimiseOptions options;
    Arena *arena;
    Variable variables[VARIABLES_MAX];
    OptimiseLimit limits[SEARCH_LIMITS_MAX];
    StudyAxis over[VARIABLES_MAX];
    StudyPlan conditions; // the grid of `over`: one point when there is none
    Search search;
    const char *fact;
    double sign; // -1: the fact shall be large
    int beds, final_beds, final_count;
    int finals[OPTIMISE_FINALISTS]; // numbers of candidates
    const char *end;                // why the search ended
    double gain;                    // that was still to be expected
    bool allowed;                   // the winner keeps the limits with beds that the search has not seen
} Optimise;

// ---- reading -------------------------------------------------------------------------------------
static MrcStatus optimise_read_limit(const char *text, Arena *arena, OptimiseLimit *limit, MrcError *error) {
    const char *sign = strpbrk(text, "<>");
    StudyAxis axis;
    if (!sign || sign == text || sign[1] != '=')
        return error_set(error, MRC_USAGE,
                         "'%s': a limit is FACT<=VALUE or FACT>=VALUE, such as grains.damper.mass_kg<=7 g",
                         text);
    size_t length = (size_t)(sign - text);
    while (length > 0 && text[length - 1] == ' ') length--;
    *limit = (OptimiseLimit){.fact = arena_strndup(arena, text, length), .at_least = *sign == '>'};
    if (!limit->fact) return error_memory(error, "the limits");
    MrcStatus status = study_axis_read(sign + 2, limit->fact, arena, &axis, error);
    if (status == MRC_OK && (axis.count != 1 || isnan(axis.values[0].number)))
        status = error_set(error, MRC_USAGE, "'%s': a limit is one number with its unit", text);
    if (status == MRC_OK) limit->value = axis.values[0];
    return status;
}

static MrcStatus optimise_check_fact(const char *fact, MrcError *error) {
    if (!strchr(fact, '*')) return MRC_OK;
    return error_set(error, MRC_USAGE,
                     "'%s' stands for several facts: name the one that is meant; 'maraca run --json' prints "
                     "all facts of a model",
                     fact);
}

static MrcStatus optimise_read_over(Optimise *o, int i, MrcError *error) {
    MrcStatus status = study_axis_read(o->options.over[i], NULL, o->arena, &o->over[i], error);
    for (int v = 0; v < o->options.vary_count && status == MRC_OK; v++)
        if (strcmp(o->variables[v].path, o->over[i].path) == 0)
            status = error_set(error, MRC_USAGE,
                               "'%s' is in --vary and in --over: either it is chosen, or it is a condition",
                               o->over[i].path);
    return status;
}

static MrcStatus optimise_read(Optimise *o, MrcError *error) {
    const MrcOptimiseOptions *from = &o->options;
    if (!from->minimise == !from->maximise)
        return error_set(error, MRC_USAGE,
                         "what shall be best? Give either --minimise FACT or --maximise FACT; 'maraca run "
                         "--json' prints all facts of a model");
    if (from->limit_count > SEARCH_LIMITS_MAX || from->over_count > VARIABLES_MAX)
        return error_set(error, MRC_USAGE, "at most %d limits and %d --over are possible", SEARCH_LIMITS_MAX,
                         VARIABLES_MAX);
    o->fact = from->minimise ? from->minimise : from->maximise;
    o->sign = from->minimise ? 1 : -1;
    o->search.variables = o->variables;
    o->search.variable_count = from->vary_count, o->search.limit_count = from->limit_count;
    MrcStatus status = optimise_check_fact(o->fact, error);
    if (status == MRC_OK)
        status = variables_read(from->vary, from->vary_count, o->arena, o->variables, error);
    for (int i = 0; i < from->limit_count && status == MRC_OK; i++) {
        status = optimise_read_limit(from->limits[i], o->arena, &o->limits[i], error);
        if (status == MRC_OK) status = optimise_check_fact(o->limits[i].fact, error);
    }
    for (int i = 0; i < from->over_count && status == MRC_OK; i++) status = optimise_read_over(o, i, error);
    return status == MRC_OK ? study_plan_grid(o->over, from->over_count, o->arena, &o->conditions, error)
                            : status;
}

// ---- from the table ------------------------------------------------------------------------------
static double optimise_fact(const StudyTable *table, int point, int bed, const char *name) {
    const StudyResult *result = &table->results[(size_t)point * (size_t)table->beds + (size_t)bed];
    const StudyFact *fact =
        result->arena && result->status == MRC_OK ? study_result_find(result, name) : NULL;
    return fact ? fact->value : NAN;
}

// Of one bed over all conditions, times the sign; NAN: something failed.
static double optimise_value(const Optimise *o, const StudyTable *table, int candidate, int bed) {
    int n = o->conditions.point_count;
    double sum = 0, worst = -INFINITY;
    for (int c = 0; c < n; c++) {
        double value = o->sign * optimise_fact(table, candidate * n + c, bed, o->fact);
        sum += value / n;
        if (!(value <= worst)) worst = value; // NAN stays
    }
    return o->options.worst && isfinite(sum) ? worst : sum;
}

static Estimate optimise_estimate(const Optimise *o, const StudyTable *table, int candidate, int from,
                                  int to) {
    double *values = calloc((size_t)(to - from) + 1, sizeof *values);
    if (!values) return estimate_independent(NULL, 0);
    for (int b = from; b < to; b++) values[b - from] = optimise_value(o, table, candidate, b);
    Estimate e = estimate_independent(values, (size_t)(to - from));
    free(values);
    return e;
}

// By how much a limit is passed in the worst condition, by the mean over beds; NAN: it is not known.
static double optimise_excess(const Optimise *o, const StudyTable *table, int candidate,
                              const OptimiseLimit *limit, int from, int to) {
    int n = o->conditions.point_count;
    double worst = -INFINITY;
    for (int c = 0; c < n; c++) {
        double sum = 0;
        int count = 0;
        for (int b = from; b < to; b++) {
            double value = optimise_fact(table, candidate * n + c, b, limit->fact);
            if (isfinite(value)) sum += value, count++;
        }
        double excess = (limit->at_least ? -1 : 1) * (sum / count - limit->si); // 0/0 without a value
        if (!(excess <= worst)) worst = excess;
        if (isnan(worst)) return NAN;
    }
    return worst;
}

// Are the limits kept with the beds that the search has not seen, or all when there are none?
static bool optimise_keeps_limits(const Optimise *o, const StudyTable *table, int candidate) {
    int from = o->final_beds > o->beds ? o->beds : 0;
    for (int i = 0; i < o->search.limit_count; i++)
        if (!(optimise_excess(o, table, candidate, &o->limits[i], from, o->final_beds) <= 0)) return false;
    return true;
}

static void optimise_take_point(Optimise *o, const StudyTable *table, int candidate) {
    SearchPoint *p = &o->search.points.data[candidate];
    Estimate e = optimise_estimate(o, table, candidate, 0, o->beds);
    p->failed = !isfinite(e.mean);
    p->value = p->failed ? 0 : e.mean;
    p->variance = o->beds > 1 && !p->failed ? e.deviation * e.deviation / o->beds : 0;
    for (int i = 0; i < o->search.limit_count && !p->failed; i++) {
        double excess = optimise_excess(o, table, candidate, &o->limits[i], 0, table->beds);
        p->failed = !isfinite(excess);
        p->excess[i] = p->failed ? 0 : excess;
    }
}

static MrcStatus optimise_resolve_limits(const StudyPlan *plan, const StudyTable *table, MrcError *error) {
    Optimise *o = (Optimise *)plan->self;
    for (int i = 0; i < o->search.limit_count; i++) {
        OptimiseLimit *limit = &o->limits[i];
        for (int m = 0; m < table->measure_count && !limit->resolved; m++)
            if (strcmp(table->measures[m].name, limit->fact) == 0) {
                MrcStatus status =
                    study_value_to_si(&limit->value, table->measures[m].unit, &limit->si, error);
                if (status != MRC_OK) return status;
                limit->resolved = true;
            }
    }
    return MRC_OK;
}

// The candidate of a rank among the finalists. The winner is first, the one with the lowest mean over beds that the search has
// not seen, of those that keep the limits with them when there are any; the others are in their order.
static int optimise_ranked(const Optimise *o, const StudyTable *table, int rank) {
    double best = INFINITY;
    bool keeps = false; // the best one so far
    int winner = 0, from = o->final_beds > o->beds ? o->beds : 0;
    for (int k = 0; k < o->final_count; k++) {
        double mean = optimise_estimate(o, table, o->finals[k], from, o->final_beds).mean;
        bool this_keeps = isfinite(mean) && optimise_keeps_limits(o, table, o->finals[k]);
        if (this_keeps > keeps || (this_keeps == keeps && mean < best))
            best = mean, winner = k, keeps = this_keeps;
    }
    return o->finals[rank == 0 ? winner : rank <= winner ? rank - 1 : rank];
}

// Under the first of its conditions.
static int optimise_winner(const StudyPlan *plan, const StudyTable *table) {
    const Optimise *o = plan->self;
    return o->final_count > 0 ? optimise_ranked(o, table, 0) * o->conditions.point_count : -1;
}

static MrcStatus optimise_finish(const StudyPlan *plan, const StudyTable *table, const char *folder,
                                 MrcError *error) {
    Optimise *o = (Optimise *)plan->self;
    (void)folder;
    MrcStatus status = optimise_resolve_limits(plan, table, error);
    for (int c = 0; c < (int)o->search.points.count && status == MRC_OK; c++)
        optimise_take_point(o, table, c);
    int winner = o->final_count > 0 ? optimise_ranked(o, table, 0) : 0;
    o->allowed = o->final_count == 0 ||
                 !isfinite(optimise_estimate(o, table, winner, 0, o->final_beds).mean) ||
                 optimise_keeps_limits(o, table, winner);
    return status;
}

// ---- how sure the winner is ----------------------------------------------------------------------
typedef struct OptimiseFinal {
    int candidate;
    Estimate value;      // over new beds; of all beds when there are none
    Estimate difference; // from the winner, bed by bed
    double doubt;        // probability that it is better than the winner
    bool allowed;        // it keeps the limits with these beds
} OptimiseFinal;

static OptimiseFinal optimise_final(const Optimise *o, const StudyTable *table, int rank) {
    int from = o->final_beds > o->beds ? o->beds : 0, to = o->final_beds, count = to - from;
    int candidate = optimise_ranked(o, table, rank), winner = optimise_ranked(o, table, 0);
    OptimiseFinal final = {.candidate = candidate,
                           .value = optimise_estimate(o, table, candidate, from, to),
                           .doubt = 0,
                           .allowed = optimise_keeps_limits(o, table, candidate)};
    double *differences = calloc((size_t)count + 1, sizeof *differences);
    if (!differences) return final;
    for (int b = from; b < to; b++)
        differences[b - from] = optimise_value(o, table, candidate, b) - optimise_value(o, table, winner, b);
    final.difference = estimate_independent(differences, (size_t)count);
    free(differences);
    // One that fails or passes a limit is not better than the winner.
    if (rank > 0 && count > 1 && isfinite(final.difference.mean) && final.allowed) {
        double error = final.difference.deviation / sqrt(count);
        final.doubt = error > 0                   ? student_above(final.difference.mean / error, count - 1)
                      : final.difference.mean > 0 ? 0
                                                  : 0.5;
    }
    final.value.mean *= o->sign, final.difference.mean *= o->sign;
    return final;
}

// NAN: the winner itself failed with beds that the search has not seen.
static double optimise_sureness(const Optimise *o, const StudyTable *table) {
    double sure = 1;
    if (!isfinite(optimise_final(o, table, 0).value.mean)) return NAN;
    for (int k = 1; k < o->final_count; k++) sure -= optimise_final(o, table, k).doubt;
    return fmax(sure, 1.0 / o->final_count);
}

// Which end of its range the winner's value is; NULL: none, or it is one of a list.
static const char *optimise_range_end(const Optimise *o, int candidate, int variable) {
    double place = o->search.points.data[candidate].places[variable];
    if (o->variables[variable].kind == VARIABLE_CHOICE) return NULL;
    return place <= 1e-9 ? "lower" : place >= 1 - 1e-9 ? "upper" : NULL;
}

static bool optimise_is_final(const Optimise *o, int candidate) {
    for (int k = 0; k < o->final_count; k++)
        if (o->finals[k] == candidate) return true;
    return false;
}

// Did a candidate fail, with beds that the search has not seen, too, or pass a limit?
static bool optimise_is_bad(const Optimise *o, const StudyTable *table, int candidate) {
    return !search_is_allowed(&o->search, &o->search.points.data[candidate]) ||
           (optimise_is_final(o, candidate) &&
            (!isfinite(optimise_estimate(o, table, candidate, 0, o->final_beds).mean) ||
             !optimise_keeps_limits(o, table, candidate)));
}

// Was such a candidate tried between these places of a variable, which is but for it like the winner?
static bool optimise_has_bad(const Optimise *o, const StudyTable *table, int winner, int variable,
                             double to) {
    const double *from = o->search.points.data[winner].places;
    for (int i = 0; i < (int)o->search.points.count; i++) {
        const double *at = o->search.points.data[i].places;
        bool between = at[variable] >= fmin(from[variable], to) - 1e-9 &&
                       at[variable] <= fmax(from[variable], to) + 1e-9 && i != winner;
        for (int v = 0; v < o->search.variable_count; v++)
            between = between && (v == variable || fabs(at[v] - from[v]) < 1e-9);
        if (between && optimise_is_bad(o, table, i)) return true;
    }
    return false;
}

// How far a variable can be moved from the winner, one way, until it is worse for sure or passes a limit, as far as the
// surrogates can tell.
static bool optimise_flat(const Optimise *o, const StudyTable *table, int candidate, int variable,
                          double ends[2]) {
    enum { STEPS = 100 };
    double places[STEPS + 2][VARIABLES_MAX], means[STEPS + 2], deviations[STEPS + 2];
    bool allowed[STEPS + 2];
    const Variable *v = &o->variables[variable];
    const double *winner = o->search.points.data[candidate].places;
    for (int i = 0; i <= STEPS + 1; i++) {
        memcpy(places[i], winner, sizeof places[i]);
        if (i <= STEPS) places[i][variable] = variable_snap(v, (double)i / STEPS);
    }
    if (!search_predict(&o->search, (const double(*)[VARIABLES_MAX])places, STEPS + 2, means, deviations,
                        allowed))
        return false;
    int at = (int)round(winner[variable] * STEPS);
    for (int side = 0; side < 2; side++) {
        int step = side ? 1 : -1, i = at;
        while (i + step >= 0 && i + step <= STEPS && allowed[i + step] &&
               !optimise_has_bad(o, table, candidate, variable, places[i + step][variable]) &&
               means[i + step] - means[STEPS + 1] <= 2 * hypot(deviations[i + step], deviations[STEPS + 1]))
            i += step;
        ends[side] = variable_number(v, i == at ? winner[variable] : places[i][variable]);
    }
    return true;
}

// ---- the report ----------------------------------------------------------------------------------
static const char *optimise_unit(const StudyTable *table, const char *fact) {
    for (int m = 0; m < table->measure_count; m++)
        if (strcmp(table->measures[m].name, fact) == 0) return table->measures[m].unit;
    return "1";
}

static void optimise_facts(const StudyPlan *plan, const StudyTable *table, FactList *list) {
    const Optimise *o = plan->self;
    const char *unit = optimise_unit(table, o->fact);
    if (o->final_count == 0) return;
    OptimiseFinal winner = optimise_final(o, table, 0);
    int n = o->conditions.point_count;
    fact_group_begin(list, "optimum");
    fact_text(list, "fact", o->fact, "fact");
    fact_text(list, "goal", o->sign > 0 ? "smallest" : "largest", "goal");
    fact_group_begin(list, "values");
    for (int v = 0; v < o->search.variable_count; v++) {
        const StudyValue *label = &plan->points[winner.candidate * n].labels[v];
        if (o->variables[v].unit)
            fact_number(list, o->variables[v].path, label->number, o->variables[v].unit, "");
        else fact_text(list, o->variables[v].path, label->text, "");
    }
    fact_group_end(list);
    fact_group_begin(list, "at_end");
    for (int v = 0; v < o->search.variable_count; v++) {
        const char *end = optimise_range_end(o, winner.candidate, v);
        if (end) fact_text(list, o->variables[v].path, end, "end of its range at which it is");
    }
    fact_group_end(list);
    fact_number_with_error(list, "value", winner.value.mean, winner.value.interval, unit, "its value");
    fact_number(list, "interval", winner.value.interval, unit, "half of the 95 % interval");
    if (o->search.limit_count > 0)
        fact_flag(list, "allowed", winner.allowed,
                  "it keeps all limits with beds that the search has not seen");
    fact_number(list, "sureness", optimise_sureness(o, table), "1",
                "probability that no other finalist is better, at least");
    fact_number(list, "expected_gain", o->gain, unit, "that a further candidate may be expected to bring");
    fact_count(list, "candidates", (int64_t)o->search.points.count, "tried");
    fact_text(list, "end", o->end, "why the search ended");
    fact_group_end(list);
}

static void optimise_note_finals(const Optimise *o, const StudyPlan *plan, const StudyTable *table,
                                 Text *text) {
    const char *unit = optimise_unit(table, o->fact);
    bool limited = o->search.limit_count > 0;
    TextTable rows = {.align = limited ? "lrrrl" : "lrrr"};
    int n = o->conditions.point_count;
    text_table_cell(&rows, "finalist"), text_table_cell(&rows, o->fact);
    text_table_cell(&rows, "beside the winner"), text_table_cell(&rows, "better with");
    if (limited) text_table_cell(&rows, "limits");
    for (int k = 0; k < o->final_count; k++) {
        OptimiseFinal final = optimise_final(o, table, k);
        char number[QUANTITY_SIZE], half[QUANTITY_SIZE], cell[400] = "";
        for (int v = 0, used = 0; v < o->search.variable_count && used < 300; v++)
            used += snprintf(cell + used, sizeof cell - (size_t)used, "%s%.60s", v ? ", " : "",
                             plan->points[final.candidate * n].labels[v].text);
        text_table_cell(&rows, cell);
        quantity_text(number, final.value.mean, unit, 4);
        if (isfinite(final.value.interval))
            snprintf(cell, sizeof cell, "%s +- %s", number,
                     quantity_percent(half, final.value.interval / fabs(final.value.mean), 2));
        else snprintf(cell, sizeof cell, "%s", number);
        text_table_cell(&rows, cell);
        quantity_text(number, final.difference.mean, unit, 3);
        if (k > 0 && isfinite(final.difference.interval))
            snprintf(cell, sizeof cell, "%s +- %s", number,
                     quantity_text(half, final.difference.interval, unit, 2));
        else snprintf(cell, sizeof cell, "%s", k > 0 ? number : "");
        text_table_cell(&rows, cell);
        text_table_cell(&rows, k > 0 && isfinite(final.difference.interval)
                                   ? quantity_percent(number, final.doubt, 2)
                                   : "");
        if (limited) text_table_cell(&rows, final.allowed ? "kept" : "passed");
    }
    text_table_add(text, "  ", &rows);
    text_table_free(&rows);
}

static void optimise_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const Optimise *o = plan->self;
    char number[QUANTITY_SIZE];
    if (o->final_count == 0) return;
    OptimiseFinal winner = optimise_final(o, table, 0);
    int n = o->conditions.point_count;
    text_add(text, "\n  best of %zu candidates: ", o->search.points.count);
    for (int v = 0; v < o->search.variable_count; v++)
        text_add(text, "%s%s = %s", v ? ", " : "", o->variables[v].path,
                 plan->points[winner.candidate * n].labels[v].text);
    text_add(text, "\n  ended because %s; a further candidate may be expected to bring %s\n\n", o->end,
             quantity_text(number, o->gain, optimise_unit(table, o->fact), 2));
    optimise_note_finals(o, plan, table, text);
    if (!isfinite(winner.value.mean))
        text_add_string(text,
                        "\n  not to be trusted: each of these fails with beds that the search has not seen; "
                        "see what failed\n");
    else if (!winner.allowed)
        text_add_string(
            text, "\n  not to be trusted: each of these passes a limit with beds that the search has not "
                  "seen\n");
    else if (o->final_beds > o->beds)
        text_add(text,
                 "\n  the winner is the best of these with a probability of at least %s, by %d beds that the "
                 "search has not seen\n",
                 quantity_percent(number, fmin(optimise_sureness(o, table), 0.999), 3),
                 o->final_beds - o->beds);
    for (int v = 0; v < o->search.variable_count; v++) {
        double ends[2];
        const char *end = optimise_range_end(o, winner.candidate, v);
        if (end)
            text_add(text, "  %s is at the %s end of its range: what is beyond may be better\n",
                     o->variables[v].path, end);
        if (o->variables[v].kind == VARIABLE_CHOICE || !optimise_flat(o, table, winner.candidate, v, ends))
            continue;
        text_add(text, "  within the accuracy of the search, %s from %.4g to %.4g%s%s is as good\n",
                 o->variables[v].path, ends[0], ends[1], *o->variables[v].unit ? " " : "",
                 o->variables[v].unit);
    }
}

// ---- rounds --------------------------------------------------------------------------------------
static bool optimise_plan_candidate(Optimise *o, StudyPlan *plan, int candidate) {
    int variables = o->search.variable_count, columns = plan->column_count, n = o->conditions.point_count;
    for (int c = 0; c < n; c++) {
        const StudyPoint *condition = &o->conditions.points[c];
        StudyValue *labels = arena_alloc(o->arena, (size_t)columns * sizeof *labels);
        const char **overrides = arena_alloc(o->arena, (size_t)columns * sizeof *overrides);
        if (!labels || !overrides) return false;
        for (int v = 0; v < columns; v++) {
            if (v >= variables) {
                labels[v] = condition->labels[v - variables];
                overrides[v] = condition->overrides[v - variables];
                continue;
            }
            if (!variable_value(&o->variables[v], o->search.points.data[candidate].places[v], o->arena,
                                &labels[v]))
                return false;
            overrides[v] = arena_printf(o->arena, "%s=%s", o->variables[v].path, labels[v].text);
            if (!overrides[v]) return false;
        }
        plan->points[candidate * n + c] = (StudyPoint){overrides, columns, labels, NULL,
                                                       optimise_is_final(o, candidate) ? o->final_beds : 0};
    }
    return true;
}

// Runs all candidates that there are.
static MrcStatus optimise_round(Optimise *o, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                                MrcError *error) {
    int candidates = (int)o->search.points.count, n = o->conditions.point_count;
    int variables = o->search.variable_count;
    StudyColumn *columns = variable_columns(o->variables, variables + o->options.over_count, o->arena);
    plan->column_count = variables + o->options.over_count;
    plan->point_count = candidates * n;
    plan->points = arena_alloc(o->arena, (size_t)plan->point_count * sizeof *plan->points);
    bool good = columns && plan->points;
    for (int i = 0; i < o->options.over_count && good; i++) columns[variables + i] = o->conditions.columns[i];
    plan->columns = columns;
    for (int c = 0; c < candidates && good; c++) good = optimise_plan_candidate(o, plan, c);
    if (!good) return error_memory(error, "the candidates");
    mrc_study_free(study);
    return study_run(plan, options, study, error);
}

static int optimise_compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] < y[1] ? -1 : x[1] > y[1];
}

// The candidates with the lowest values of the surrogate.
static MrcStatus optimise_find_finals(Optimise *o, MrcError *error) {
    size_t count = o->search.points.count, allowed = 0;
    double(*ranks)[2] = calloc(count + 1, sizeof *ranks);
    double(*places)[VARIABLES_MAX] = calloc(count + 1, sizeof *places);
    double *means = calloc(count + 1, sizeof *means), *deviations = calloc(count + 1, sizeof *deviations);
    bool good = ranks && places && means && deviations;
    for (size_t i = 0; i < count && good; i++)
        memcpy(places[i], o->search.points.data[i].places, sizeof *places);
    good = good &&
           search_predict(&o->search, (const double(*)[VARIABLES_MAX])places, count, means, deviations, NULL);
    for (size_t i = 0; i < count && good; i++)
        if (search_is_allowed(&o->search, &o->search.points.data[i])) {
            bool scatters = o->beds > 1 || o->final_beds > o->beds;
            ranks[allowed][0] = scatters ? means[i] : o->search.points.data[i].value;
            ranks[allowed++][1] = (double)i;
        }
    if (good) qsort(ranks, allowed, sizeof *ranks, optimise_compare);
    for (size_t k = 0; k < allowed && k < OPTIMISE_FINALISTS && good; k++)
        o->finals[o->final_count++] = (int)ranks[k][1];
    free(ranks), free(places), free(means), free(deviations);
    return good ? MRC_OK : error_memory(error, "the finalists");
}

// More candidates, until nothing is to be gained or the budget is spent.
static MrcStatus optimise_search(Optimise *o, StudyPlan *plan, const MrcStudyOptions *options,
                                 MrcStudy *study, MrcError *error) {
    int budget = o->options.candidates > 0 ? o->options.candidates : 10 + 6 * o->search.variable_count;
    int start = 4 + 2 * o->search.variable_count;
    if (!search_start(&o->search, start < budget ? start : budget))
        return error_memory(error, "the candidates");
    for (;;) {
        MrcStatus status = optimise_round(o, plan, options, study, error);
        if (status != MRC_OK) return status;
        size_t before = o->search.points.count;
        int left = budget - (int)before, batch = left < OPTIMISE_BATCH ? left : OPTIMISE_BATCH;
        double best = INFINITY;
        for (size_t i = 0; i < before; i++)
            if (search_is_allowed(&o->search, &o->search.points.data[i]))
                best = fmin(best, fabs(o->search.points.data[i].value));
        if (!search_propose(&o->search, batch > 0 ? batch : 1, &o->gain))
            return error_memory(error, "the candidates");
        o->end = o->gain <= 0 && isfinite(best)                     ? "all values have been tried"
                 : o->search.points.count == before                 ? "all values have been tried"
                 : isfinite(best) && o->gain < o->options.to * best ? "hardly anything is to be gained"
                 : left <= 0 ? "the candidates that were allowed are spent"
                             : NULL;
        if (!o->end) continue;
        o->search.points.count = before; // proposals that are not run
        return MRC_OK;
    }
}

static MrcStatus optimise_tell_none(const Optimise *o, MrcError *error) {
    size_t count = o->search.points.count, failed = 0;
    for (size_t i = 0; i < count; i++) failed += o->search.points.data[i].failed;
    if (o->search.limit_count == 0 || failed == count)
        return error_set(error, MRC_NOT_FOUND,
                         "each of %zu candidates failed or has no '%s'%s; study.json has what was tried",
                         count, o->fact, o->search.limit_count == 0 ? "; no limit was given" : "");
    return error_set(
        error, MRC_NOT_FOUND,
        "none of %zu candidates keeps all limits, and %zu of them failed; study.csv has what was tried",
        count, failed);
}

static MrcStatus optimise_all(Optimise *o, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                              MrcError *error) {
    plan->unfinished = true;
    MrcStatus status = optimise_search(o, plan, options, study, error);
    plan->unfinished = false;
    if (status == MRC_OK) status = optimise_find_finals(o, error);
    if (status == MRC_OK && o->final_count == 0) return optimise_tell_none(o, error);
    if (status == MRC_OK) status = optimise_round(o, plan, options, study, error);
    if (status == MRC_OK && !o->allowed)
        status = error_set(
            error, MRC_NOT_FOUND,
            "each of %d finalists passes a limit with beds that the search has not seen: more --beds, "
            "or a limit with a margin",
            o->final_count);
    return status;
}

static MrcStatus optimise_look(Optimise *o, const char *model_path, const MrcStudyOptions *options,
                               MrcError *error) {
    const char *seeds[STUDY_BED_OVERRIDES_MAX];
    int count;
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    if (!model) return error_memory(error, "the model");
    bool good = mrc_model_status(model) == MRC_OK;
    bool random = good && study_bed_overrides(model, 0, o->arena, seeds, &count);
    mrc_model_free(model);
    if (!good) return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    o->beds = options->beds > 0 ? options->beds : random ? OPTIMISE_BEDS : 1;
    o->final_beds = !random ? o->beds : 3 * o->beds > 8 ? 3 * o->beds : 8;
    return MRC_OK;
}

// The measures of the table: the fact, those of the limits, and what else was asked for.
static MrcStatus optimise_measures(const Optimise *o, const MrcStudyOptions *from, MrcStudyOptions *to,
                                   MrcError *error) {
    int count = 0;
    const char **names =
        arena_alloc(o->arena, (size_t)(1 + o->search.limit_count + from->measure_count) * sizeof *names);
    if (!names) return error_memory(error, "the measures");
    names[count++] = o->fact;
    for (int i = 0; i < o->search.limit_count; i++) names[count++] = o->limits[i].fact;
    for (int i = 0; i < from->measure_count; i++) names[count++] = from->measures[i];
    *to = mrc_study_options_default();
    memcpy(to, from, from->size > 0 && from->size < sizeof *to ? from->size : sizeof *to);
    to->measures = names, to->measure_count = count, to->beds = o->beds;
    if (to->until > 0 || to->slots > 0)
        return error_set(error, MRC_USAGE,
                         "an optimisation decides itself what is run next: it has no --until and no --slot; "
                         "started several times with one folder, the processes share the runs");
    return MRC_OK;
}

MrcStatus mrc_optimise(const char *model_path, const MrcOptimiseOptions *optimise,
                       const MrcStudyOptions *options, MrcStudy *study, MrcError *error) {
    Optimise o = {.options = mrc_optimise_options_default(), .arena = arena_create()};
    StudyPlan plan = {.kind = "optimise",
                      .model_path = model_path,
                      .run = sweep_run_point,
                      .scattered = true,
                      .self = &o,
                      .notes = optimise_notes,
                      .check = optimise_resolve_limits,
                      .facts = optimise_facts,
                      .winner = optimise_winner,
                      .finish = optimise_finish};
    MrcStudyOptions own_options;
    MrcError own;
    if (!error) error = &own;
    *study = (MrcStudy){0};
    memcpy(&o.options, optimise,
           optimise->size > 0 && optimise->size < sizeof o.options ? optimise->size : sizeof o.options);
    if (!(o.options.to > 0)) o.options.to = 0.01;
    MrcStatus status = o.arena ? optimise_read(&o, error) : error_memory(error, "the optimisation");
    if (status == MRC_OK) status = optimise_look(&o, model_path, options, error);
    if (status == MRC_OK) status = optimise_measures(&o, options, &own_options, error);
    if (status == MRC_OK) status = optimise_all(&o, &plan, &own_options, study, error);
    search_free(&o.search);
    if (o.arena) arena_destroy(o.arena);
    return status;
}
