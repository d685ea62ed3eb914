#include "study/variable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"

static const double variable_steps = 1000; // of a range: resolution of the numbers

// ---- reading -------------------------------------------------------------------------------------
// The number at *at, and behind it a unit, up to ':' or the end. False: there is none.
static bool variable_read_end(const char **at, double *number, char unit[64]) {
    char *end;
    size_t length;
    *number = number_read(*at, &end);
    if (end == *at || !isfinite(*number)) return false;
    end += strspn(end, " ");
    length = strcspn(end, ":");
    while (length > 0 && end[length - 1] == ' ') length--;
    if (length > 63) return false;
    memcpy(unit, end, length);
    unit[length] = '\0';
    *at = end + strcspn(end, ":");
    return true;
}

// "a:b", "a:b:log", "a:b:integer", a unit behind b or behind all of it; a may have it, too. False: it is something else, such
// as "a:b:n". `first`: the unit behind a, "" without one.
static bool variable_read_range(const char *text, Variable *v, char first[64], char unit[64]) {
    char second[64], *units[2] = {first, second};
    double *ends[2] = {&v->low, &v->high};
    text += strspn(text, " ");
    for (int i = 0; i < 2; i++) {
        if (!variable_read_end(&text, ends[i], units[i])) return false;
        if (i == 0 && *text++ != ':') return false;
    }
    snprintf(unit, 64, "%s", *second ? second : first);
    v->kind = VARIABLE_REAL;
    if (*text == '\0') return true;
    text += 1 + strspn(text + 1, " ");
    size_t word = strcspn(text, " ");
    if (word == 3 && strncmp(text, "log", 3) == 0) v->logarithmic = true;
    else if (word == 7 && strncmp(text, "integer", 7) == 0) v->kind = VARIABLE_INTEGER;
    else return false;
    text += word + strspn(text + word, " ");
    if (*text) snprintf(unit, 64, "%s", text);
    return true;
}

static bool variable_is_ordered(const StudyAxis *axis) {
    bool ordered = study_axis_unit(axis) != NULL;
    for (int i = 1; i < axis->count && ordered; i++)
        ordered = axis->values[i].number > axis->values[i - 1].number;
    return ordered;
}

MrcStatus variable_read(const char *text, Arena *arena, Variable *v, MrcError *error) {
    const char *equals = strchr(text, '=');
    char first[64] = "", unit[64] = "";
    *v = (Variable){.unit = ""};
    if (equals && equals > text && !strchr(equals, ',') && variable_read_range(equals + 1, v, first, unit)) {
        if (*first && strcmp(first, unit) != 0)
            return error_set(error, MRC_USAGE, "'%s': give both ends in the same unit, not in %s and %s",
                             text, first, unit);
        v->path = arena_strndup(arena, text, (size_t)(equals - text));
        v->unit = arena_strdup(arena, unit);
        if (!v->path || !v->unit) return error_memory(error, "the variables");
        if (!(v->low < v->high))
            return error_set(error, MRC_USAGE, "'%s': a range goes from a smaller to a larger value", text);
        if (v->logarithmic && !(v->low > 0))
            return error_set(error, MRC_USAGE, "'%s': a range of equal factors needs positive ends", text);
        if (v->kind == VARIABLE_INTEGER && (v->low != floor(v->low) || v->high != floor(v->high)))
            return error_set(error, MRC_USAGE, "'%s': both ends must be whole numbers", text);
        return MRC_OK;
    }
    MrcStatus status = study_axis_read(text, NULL, arena, &v->list, error);
    if (status != MRC_OK) return status;
    v->kind = VARIABLE_CHOICE, v->path = v->list.path;
    v->ordered = variable_is_ordered(&v->list);
    v->unit = study_axis_unit(&v->list);
    if (v->list.count < 2)
        return error_set(error, MRC_USAGE,
                         "'%s': one value leaves no choice; give a range such as 4:12 mm, or a list", text);
    if (!v->ordered && v->list.count > 20)
        return error_set(error, MRC_USAGE, "'%s': at most 20 choices that are not in rising order", text);
    return MRC_OK;
}

MrcStatus variables_read(const char *const *texts, int count, Arena *arena, Variable *variables,
                         MrcError *error) {
    int coordinates = 0;
    if (count < 1 || count > VARIABLES_MAX)
        return error_set(error, MRC_USAGE, "%s; give e.g. --vary 'constants.clearance=4:12 mm'",
                         count < 1 ? "what shall vary?" : "at most 12 values can be varied");
    for (int i = 0; i < count; i++) {
        MrcStatus status = variable_read(texts[i], arena, &variables[i], error);
        if (status != MRC_OK) return status;
        for (int k = 0; k < i; k++)
            if (strcmp(variables[k].path, variables[i].path) == 0)
                return error_set(error, MRC_USAGE, "'%s' is varied twice", variables[i].path);
        bool words = variables[i].kind == VARIABLE_CHOICE && !variables[i].ordered;
        coordinates += words ? variables[i].list.count : 1;
    }
    if (coordinates > VARIABLE_COORDINATES_MAX)
        return error_set(error, MRC_USAGE, "there are too many choices: %d, at most %d", coordinates,
                         VARIABLE_COORDINATES_MAX);
    return MRC_OK;
}

// ---- places --------------------------------------------------------------------------------------
double variable_number(const Variable *v, double place) {
    return v->logarithmic ? v->low * pow(v->high / v->low, place) : v->low + place * (v->high - v->low);
}

double variable_place(const Variable *v, double number) {
    return v->logarithmic ? log(number / v->low) / log(v->high / v->low)
                          : (number - v->low) / (v->high - v->low);
}

static int variable_index(const Variable *v, double place) {
    int index = (int)floor(place * v->list.count);
    return index < 0 ? 0 : index >= v->list.count ? v->list.count - 1 : index;
}

double variable_snap(const Variable *v, double place) {
    place = fmin(fmax(place, 0), 1);
    if (v->kind == VARIABLE_CHOICE) return (variable_index(v, place) + 0.5) / v->list.count;
    if (v->kind == VARIABLE_INTEGER) return variable_place(v, round(variable_number(v, place)));
    return round(place * variable_steps) / variable_steps;
}

bool variable_value(const Variable *v, double place, Arena *arena, StudyValue *value) {
    if (v->kind == VARIABLE_CHOICE) {
        *value = v->list.values[variable_index(v, place)];
        return true;
    }
    char digits[40];
    number_print(digits, sizeof digits, v->kind == VARIABLE_INTEGER ? 15 : 6, variable_number(v, place));
    value->text = arena_printf(arena, "%s%s%s", digits, *v->unit ? " " : "", v->unit);
    value->number = number_read(digits, NULL);
    value->unit = v->unit;
    return value->text != NULL;
}

int variable_coordinates(const Variable *v, double place, double *coordinates) {
    if (v->kind != VARIABLE_CHOICE) {
        coordinates[0] = place;
        return 1;
    }
    int index = variable_index(v, place), count = v->list.count;
    if (v->ordered) {
        double first = v->list.values[0].number, last = v->list.values[count - 1].number;
        coordinates[0] = (v->list.values[index].number - first) / (last - first);
        return 1;
    }
    for (int i = 0; i < count; i++) coordinates[i] = i == index ? 0.7071067811865476 : 0;
    return count;
}

StudyColumn *variable_columns(const Variable *variables, int count, Arena *arena) {
    StudyColumn *columns = arena_alloc(arena, (size_t)(count + 1) * sizeof *columns);
    for (int i = 0; columns && i < count; i++)
        columns[i] = (StudyColumn){variables[i].path, variables[i].unit};
    return columns;
}
