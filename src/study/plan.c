#include "study/plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "grains/packing.h"
#include "math/expression.h"
#include "model/model.h"
#include "model/yaml.h"

// ---- reading values ------------------------------------------------------------------------------
// A piece without the blanks around it; NULL: memory is out.
static char *plan_piece(Arena *arena, const char *start, const char *end) {
    while (start < end && isspace((unsigned char)*start)) start++;
    while (end > start && isspace((unsigned char)end[-1])) end--;
    return arena_strndup(arena, start, (size_t)(end - start));
}

static char **plan_split(Arena *arena, const char *text, char separator, int *count) {
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == separator;
    char **pieces = arena_alloc(arena, most * sizeof *pieces);
    *count = 0;
    while (pieces) {
        const char *end = text_find_separator(text, separator);
        pieces[*count] = plan_piece(arena, text, end);
        if (!pieces[(*count)++]) return NULL;
        if (!*end) break;
        text = end + 1;
    }
    return pieces;
}

// "8.5 Hz" is a number with a unit; "0 0 1 mm" and "tight" are texts.
static StudyValue plan_value(const char *text) {
    StudyValue value = {text, NAN, ""};
    char *end;
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text)) return value;
    double number = number_read(text, &end);
    if (end == text || !isfinite(number) || text[0] == '\0') return value;
    while (isspace((unsigned char)*end)) end++;
    if (*end && !isalpha((unsigned char)*end) && *end != '%') return value;
    value.number = number;
    value.unit = end;
    return value;
}

static MrcStatus plan_read_list(StudyAxis *axis, char **pieces, int count, Arena *arena, MrcError *error) {
    axis->values = arena_alloc(arena, (size_t)count * sizeof *axis->values);
    if (!axis->values) return error_memory(error, "the values");
    axis->count = count;
    const char *unit = plan_value(pieces[count - 1]).unit;
    for (int i = 0; i < count; i++) {
        if (!*pieces[i]) return error_set(error, MRC_USAGE, "'%s' has an empty value", axis->path);
        StudyValue *value = &axis->values[i];
        *value = plan_value(pieces[i]);
        if (!isnan(value->number) && !*value->unit && *unit) {
            value->text = arena_printf(arena, "%s %s", pieces[i], unit);
            value->unit = unit;
        }
        if (!value->text) return error_memory(error, "the values");
    }
    return MRC_OK;
}

static MrcStatus plan_read_range(StudyAxis *axis, char **pieces, int count, Arena *arena, MrcError *error) {
    bool logarithmic = count == 4 && strncmp(pieces[3], "log", 3) == 0 && strchr(" ", pieces[3][3]);
    bool numbers = count == 3 || logarithmic;
    StudyValue parts[4] = {plan_value(pieces[0]),
                           plan_value(pieces[1]),
                           plan_value(count > 2 ? pieces[2] : ""),
                           {NULL, 0, logarithmic ? pieces[3] + 3 + strspn(pieces[3] + 3, " ") : ""}};
    const char *unit = "";
    for (int i = 0; i < 4; i++) {
        numbers = numbers && !isnan(parts[i].number);
        if (!*parts[i].unit) continue; // e.g. behind the second number, or behind all of it
        if (*unit && strcmp(unit, parts[i].unit) != 0)
            return error_set(error, MRC_USAGE, "'%s': give both ends in the same unit, not in %s and %s",
                             axis->path, unit, parts[i].unit);
        unit = parts[i].unit;
    }
    if (!numbers)
        return error_set(
            error, MRC_USAGE,
            "'%s': a range is first:last:count, such as 8:16:17 Hz, with ':log' behind it for equal "
            "factors; a list is 8,9,10 Hz",
            axis->path);
    double first = parts[0].number, last = parts[1].number, n = parts[2].number;
    if (!(n >= 2 && n <= STUDY_VALUES_MAX) || n != floor(n))
        return error_set(error, MRC_USAGE, "'%s': a range has 2 to %d values, not %g", axis->path,
                         STUDY_VALUES_MAX, n);
    if (logarithmic && !(first > 0 && last > 0))
        return error_set(error, MRC_USAGE, "'%s': a range of equal factors needs positive ends", axis->path);
    axis->count = (int)n;
    axis->values = arena_alloc(arena, (size_t)axis->count * sizeof *axis->values);
    if (!axis->values) return error_memory(error, "the values");
    for (int i = 0; i < axis->count; i++) {
        double part = i / (n - 1),
               number = logarithmic ? first * pow(last / first, part) : first + part * (last - first);
        char digits[40]; // twelve of them: 8.3, not 8.2999999999999989
        number_print(digits, sizeof digits, 12, i == 0 ? first : i + 1 == axis->count ? last : number);
        const char *text = arena_printf(arena, "%s%s%s", digits, *unit ? " " : "", unit);
        if (!text) return error_memory(error, "the values");
        axis->values[i] = (StudyValue){text, number_read(digits, NULL), unit};
    }
    return MRC_OK;
}

MrcStatus study_axis_read(const char *text, const char *path, Arena *arena, StudyAxis *axis,
                          MrcError *error) {
    const char *equals = text_find_separator(text, '=');
    *axis = (StudyAxis){0};
    axis->path = *equals ? plan_piece(arena, text, equals) : path ? arena_strdup(arena, path) : NULL;
    if (!*equals && !path)
        return error_set(error, MRC_USAGE, "'%s': expected PATH=VALUES, such as constants.f=8:16:17 Hz",
                         text);
    if (!axis->path) return error_memory(error, "the values");
    if (!*axis->path) return error_set(error, MRC_USAGE, "'%s' names no value of the model before '='", text);
    if (*equals) text = equals + 1;
    int items, parts;
    char **list = plan_split(arena, text, ',', &items), **range = plan_split(arena, text, ':', &parts);
    if (!list || !range) return error_memory(error, "the values");
    if (items == 1 && parts > 1) return plan_read_range(axis, range, parts, arena, error);
    return plan_read_list(axis, list, items, arena, error);
}

MrcStatus study_axis_read_in(const char *text, const char *path, const char *unit, Arena *arena,
                             StudyAxis *axis, MrcError *error) {
    MrcStatus status = study_axis_read(text, path, arena, axis, error);
    for (int i = 0; status == MRC_OK && i < axis->count; i++) {
        StudyValue *value = &axis->values[i];
        if (isnan(value->number) || *value->unit) continue;
        value->text = arena_printf(arena, "%s %s", value->text, unit);
        value->unit = unit;
        if (!value->text) return error_memory(error, "the values");
    }
    return status;
}

const char *study_axis_unit(const StudyAxis *axis) {
    for (int i = 0; i < axis->count; i++)
        if (isnan(axis->values[i].number) || strcmp(axis->values[i].unit, axis->values[0].unit) != 0)
            return NULL;
    return axis->values[0].unit;
}

MrcStatus study_value_to_si(const StudyValue *value, const char *expected, double *si, MrcError *error) {
    Units units, wanted;
    ExpressionError ignored;
    if (isnan(value->number))
        return error_set(error, MRC_USAGE, "'%s' is no number; expected a value in %s", value->text,
                         expected);
    *si = value->number;
    if (!*value->unit) return MRC_OK;
    // In an acceleration, g is that of gravity, as engineers write it; elsewhere it is the gram.
    if (strcmp(value->unit, "g") == 0 && strcmp(expected, "m/s^2") == 0) {
        *si = value->number * 9.80665;
        return MRC_OK;
    }
    if (!expression_units(value->unit, &units, &ignored) || !expression_units(expected, &wanted, &ignored))
        return error_set(error, MRC_USAGE, "'%s': '%s' is no unit", value->text, value->unit);
    if (!dimension_equal(units.dimension, wanted.dimension))
        return error_set(error, MRC_USAGE, "'%s' has the wrong unit; expected a value in %s", value->text,
                         expected);
    *si = units_to_si(value->number, units.factor);
    return MRC_OK;
}

// ---- the grid ------------------------------------------------------------------------------------
MrcStatus study_plan_grid(const StudyAxis *axes, int count, Arena *arena, StudyPlan *plan, MrcError *error) {
    double points = 1;
    for (int a = 0; a < count; a++) points *= axes[a].count;
    if (points > STUDY_POINTS_MAX)
        return error_set(error, MRC_USAGE, "the grid has %.3g points; %d are possible", points,
                         STUDY_POINTS_MAX);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            if (strcmp(axes[a].path, axes[b].path) == 0)
                return error_set(error, MRC_USAGE, "'%s' is varied twice", axes[a].path);
    size_t columns = (size_t)(count > 0 ? count : 1);
    StudyColumn *named = arena_alloc(arena, columns * sizeof *named);
    plan->point_count = (int)points;
    plan->points = arena_alloc(arena, (size_t)plan->point_count * sizeof *plan->points);
    if (!named || !plan->points) return error_memory(error, "the grid");
    for (int a = 0; a < count; a++) named[a] = (StudyColumn){axes[a].path, study_axis_unit(&axes[a])};
    plan->columns = named;
    plan->column_count = count;
    for (int p = 0; p < plan->point_count; p++) {
        StudyValue *labels = arena_alloc(arena, columns * sizeof *labels);
        const char **overrides = arena_alloc(arena, columns * sizeof *overrides);
        if (!labels || !overrides) return error_memory(error, "the grid");
        for (int a = count - 1, rest = p; a >= 0; rest /= axes[a].count, a--) {
            labels[a] = axes[a].values[rest % axes[a].count];
            overrides[a] = arena_printf(arena, "%s=%s", axes[a].path, labels[a].text);
            if (!overrides[a]) return error_memory(error, "the grid");
        }
        plan->points[p] = (StudyPoint){.overrides = overrides, .override_count = count, .labels = labels};
    }
    return MRC_OK;
}

// ---- beds ----------------------------------------------------------------------------------------
static bool plan_has_sizes(const ParticlesDefinition *particles) {
    return !(particles->radius > 0) && !particles->bed;
}

// Bed k has the seeds of the model plus k: the same ones for every point of the grid.
bool study_bed_overrides(const MrcModel *model, int bed, Arena *arena, const char **overrides, int *count) {
    const SimDefinition *definition = model_definition(model);
    bool random = false;
    *count = 0;
    for (int g = 0; g < definition->grains_count; g++) {
        const GrainsDefinition *grains = &definition->grains[g];
        const SchemaAlternative *kind = &packing_schema_types[grains->packing.kind]->alternative;
        if (kind->object && schema_find_key(kind->object, "seed")) {
            random = true;
            if (bed > 0 && *count < STUDY_BED_OVERRIDES_MAX)
                overrides[(*count)++] = arena_printf(arena, "grains.%s.packing.%s.seed=%lld", grains->name,
                                                     kind->key, (long long)grains->packing.seed + bed);
        }
        if (plan_has_sizes(&grains->particles)) {
            random = true;
            if (bed > 0 && *count < STUDY_BED_OVERRIDES_MAX)
                overrides[(*count)++] =
                    arena_printf(arena, "grains.%s.particles.sizes.seed=%lld", grains->name,
                                 (long long)grains->particles.sizes.seed + bed);
        }
    }
    return random;
}

// ---- names ---------------------------------------------------------------------------------------
const char *study_find_name(const MrcModel *model, const char *name, Arena *arena) {
    static const char *const sections[] = {"constants", "inputs"};
    char *text = mrc_model_text(model);
    Diagnostics diagnostics = {.arena = arena};
    const char *path = NULL;
    const YamlNode *root = text ? yaml_parse(arena, text, strlen(text),
                                             diagnostics_add_file(&diagnostics, "model"), false, &diagnostics)
                                : NULL;
    for (size_t i = 0; root && !path && i < 2; i++) {
        const YamlNode *section = yaml_get(root, sections[i]);
        if (section && section->kind == YAML_MAPPING && yaml_find(section, name))
            path = arena_printf(arena, "%s.%s", sections[i], name);
    }
    diagnostics_free(&diagnostics);
    mrc_text_free(text);
    return path;
}
