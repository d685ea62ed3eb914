// `inputs:` - named quantities from outside. They are read before all that may use them: a formula is checked
// for dimensions when it is compiled, and the dimension of an input may stand in its table.
#include <math.h>

#include "model/files.h"

// One input while it is read.
typedef struct InputReader {
    Loader *loader;
    const YamlNode *key, *node; // as written; the node is a mapping, or a value alone
    InputDefinition *input;
} InputReader;

// What was written for a key of the input, or NULL.
static const YamlNode *inputs_written(const InputReader *reader, const char *key) {
    if (reader->node->kind == YAML_MAPPING) return yaml_get(reader->node, key);
    return strcmp(key, schema_input.short_key) == 0 ? reader->node : NULL;
}

// ---- dimensions ----------------------------------------------------------------------------------
// The unit of the input, as far as it is known; false when nothing was given, or something wrong.
static bool inputs_unit(const InputReader *reader, Units *units) {
    const YamlNode *written = inputs_written(reader, "unit");
    ExpressionError error;
    *units = (Units){.factor = 1};
    if (!reader->input->unit || !written) return false;
    if (expression_units(reader->input->unit, units, &error)) return true;
    diagnostics_error(reader->loader->diagnostics, yaml_place_inside(written, error.offset), "'unit': %s",
                      error.text);
    return false;
}

static void inputs_take_units(InputDefinition *input, const Units *units) {
    input->dimension = units->dimension;
    input->hertz = units->hertz;
    input->bare = false;
}

// The default: a quantity of the input's dimension, or a number in its unit.
static void inputs_default(const InputReader *reader, const Units *units) {
    Loader *loader = reader->loader;
    InputDefinition *input = reader->input;
    const YamlNode *written = inputs_written(reader, "default");
    char reason[256];
    double value;
    const Expression *expression =
        written ? loader_constant(loader, schema_find_key(&schema_input, "default"), written, &value) : NULL;
    if (!expression) return;
    if (!units) {
        input->dimension = expression_dimension(expression);
        input->bare = expression_is_bare(expression);
        input->hertz = expression_is_hertz(expression);
    } else if (expression_is_bare(expression)) value = units_to_si(value, units->factor);
    else if (expression_misfit(expression, units->dimension, reason, sizeof reason)) {
        diagnostics_error(loader->diagnostics, written->place, "'default': %s", reason);
        return;
    }
    input->fallback = value;
}

// ---- tables --------------------------------------------------------------------------------------
// The samples in SI, and the dimension that their column gives.
static bool inputs_fit_column(const InputReader *reader, const Units *units, TableSamples *samples,
                              Place place) {
    InputDefinition *input = reader->input;
    char expected[96], found[96];
    if (samples->has_unit && !units) inputs_take_units(input, &samples->units);
    if (samples->has_unit && units && !dimension_accepts(units->dimension, samples->units.dimension)) {
        diagnostics_error(reader->loader->diagnostics, place,
                          "input '%s' is %s, but column '%s' of '%s' is %s", input->name,
                          dimension_describe(units->dimension, expected, sizeof expected),
                          input->column ? input->column : input->name, input->path,
                          dimension_describe(samples->units.dimension, found, sizeof found));
        return false;
    }
    if (!samples->has_unit && units)
        for (size_t i = 0; i < samples->count; i++)
            samples->values[i] = units_to_si(samples->values[i], units->factor);
    return true;
}

static void inputs_table(const InputReader *reader, const Units *units) {
    Loader *loader = reader->loader;
    InputDefinition *input = reader->input;
    Place place = inputs_written(reader, "table")->place;
    const char *path = files_path(loader, place, input->path);
    const char *column = input->column ? input->column : input->name;
    Arena *samples_arena = arena_create(); // as long as the table is made from them
    TableSamples samples;
    MrcError error;
    files_note(loader, place, input->path);
    if (!path || !samples_arena) diagnostics_memory(loader->diagnostics);
    else if (table_read(path, input->time, column, samples_arena, &samples, &error) != MRC_OK)
        diagnostics_error(loader->diagnostics, place, "'table': %s", error.text);
    else if (inputs_fit_column(reader, units, &samples, place) &&
             table_create(loader->arena, samples.times, samples.values, samples.count, input->interpolation,
                          input->outside, &input->table, &error) != MRC_OK)
        diagnostics_error(loader->diagnostics, place, "'table': %s: %s", path, error.text);
    arena_destroy(samples_arena);
}

static void inputs_check_table_keys(const InputReader *reader) {
    static const char *const keys[] = {"time", "column", "interpolation", "outside"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const YamlPair *pair = yaml_find(reader->node, keys[i]);
        if (pair)
            diagnostics_error(reader->loader->diagnostics, pair->key->place,
                              "'%s' is for tables, and input '%s' has none: give 'table'", keys[i],
                              reader->input->name);
    }
}

// ---- one input -----------------------------------------------------------------------------------
static void inputs_read(InputReader *reader) {
    Loader *loader = reader->loader;
    InputDefinition *input = reader->input;
    bool good_name = !loader_name_is_good(input->name) || loader_check_name(loader, reader->key, "an input");
    for (size_t i = 0; i < loader->scope.constant_count && good_name; i++)
        if (strcmp(loader->scope.constants[i].name, input->name) == 0)
            diagnostics_error(loader->diagnostics, reader->key->place,
                              "'%s' cannot name an input: it is the name of a constant already", input->name);
    Units units;
    bool has_units = inputs_unit(reader, &units);
    if (has_units) inputs_take_units(input, &units);
    if (input->path) inputs_table(reader, has_units ? &units : NULL);
    else {
        inputs_default(reader, has_units ? &units : NULL);
        inputs_check_table_keys(reader);
    }
    if (reader->node->kind == YAML_MAPPING && !inputs_written(reader, "unit") && !input->path &&
        !inputs_written(reader, "default"))
        diagnostics_error(loader->diagnostics, reader->key->place,
                          "input '%s' lacks one of 'unit', 'default', 'table'", input->name);
}

void loader_inputs(Loader *loader, const YamlNode *node, void *definition) {
    SimDefinition *d = definition;
    if (node->kind == YAML_MAPPING && node->count > LOADER_INPUTS_MAX) {
        diagnostics_error(loader->diagnostics, node->place, "%zu inputs; at most %d are read", node->count,
                          LOADER_INPUTS_MAX);
        return;
    }
    loader_map(loader, schema_find_key(&schema_root, "inputs"), node, definition);
    if (node->kind != YAML_MAPPING || !d->inputs) return;
    loader->input_used = arena_alloc(loader->arena, (size_t)d->input_count * sizeof *loader->input_used + 1);
    if (!loader->input_used) {
        diagnostics_memory(loader->diagnostics);
        return;
    }
    // An input that is wrong stays known, without a unit, so that its users raise no errors of their own.
    for (int i = 0; i < d->input_count; i++) d->inputs[i].bare = true;
    loader->scope.inputs = d->inputs;
    loader->scope.input_count = (size_t)d->input_count;
    for (int i = 0; i < d->input_count; i++) {
        const YamlPair *pair = &node->pairs[i];
        bool value = pair->value->kind == YAML_SCALAR && !yaml_is_nothing(pair->value);
        if (value || pair->value->kind == YAML_MAPPING)
            inputs_read(&(InputReader){loader, pair->key, pair->value, &d->inputs[i]});
    }
}
