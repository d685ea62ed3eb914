#include "model/overrides.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "model/schema_sections.h"
#include "model/sources.h"

typedef struct Override {
    Arena *arena;
    Diagnostics *diagnostics;
    Place place;                              // for messages: no line, the whole of it
    const char *keys[OVERRIDES_PATH_MAX + 1]; // the path, with room for one more
    size_t count;                             // of keys
    const YamlNode *value;
} Override;

// ---- reading -------------------------------------------------------------------------------------
// Cuts "a.b.c" into its keys; false when one is no name, or there are none or too many.
static bool overrides_split(Override *override, const char *path, size_t length) {
    for (size_t start = 0; start <= length;) {
        size_t end = start;
        while (end < length && (isalnum((unsigned char)path[end]) || path[end] == '_')) end++;
        if (end < length && path[end] != '.') return false;
        if (end == start || override->count == OVERRIDES_PATH_MAX) return false;
        const char *key = arena_strndup(override->arena, path + start, end - start);
        if (!key) return false;
        override->keys[override->count++] = key;
        start = end + 1;
    }
    return override->count > 0;
}

static bool overrides_read(Override *override, const char *written) {
    const char *equals = strchr(written, '=');
    size_t length = equals ? (size_t)(equals - written) : 0;
    while (length > 0 && written[length - 1] == ' ') length--;
    if (!equals || !overrides_split(override, written, length)) {
        diagnostics_error(override->diagnostics, override->place,
                          "an override is path=value, such as simulate.step=1 us");
        return false;
    }
    if (strcmp(override->keys[0], "include") == 0) {
        diagnostics_error(override->diagnostics, override->place, "'include' can only stand in a file");
        return false;
    }
    const char *text = equals + 1;
    if (text[strspn(text, " ")] == '\0') {
        diagnostics_error(override->diagnostics, override->place, "there is no value after '='");
        return false;
    }
    override->value =
        yaml_parse(override->arena, text, strlen(text), override->place.file, false, override->diagnostics);
    return override->value != NULL;
}

// ---- names of the user's own ---------------------------------------------------------------------
// "there is no 'heigt' in 'constants'; did you mean 'height'?"
static void overrides_report_name(const Override *override, const YamlNode *map, const char *path,
                                  const char *name) {
    enum { LISTED = 8 };
    ARRAY(const char *) known = {0};
    const char *list = "; nothing is defined there";
    for (size_t i = 0; map && i < map->count; i++) {
        const char *each = map->pairs[i].key->text;
        if (!array_push(&known, each)) diagnostics_memory(override->diagnostics);
        const char *more = i >= LISTED ? list
                           : i == 0    ? arena_printf(override->arena, "; it has %s", each)
                                       : arena_printf(override->arena, "%s, %s", list, each);
        if (more) list = more;
    }
    const char *nearest = nearest_word(name, strlen(name), known.data, known.count);
    if (nearest)
        diagnostics_error(override->diagnostics, override->place,
                          "there is no '%s' in '%s'; did you mean '%s'?", name, path, nearest);
    else
        diagnostics_error(override->diagnostics, override->place, "there is no '%s' in '%s'%s", name, path,
                          list);
    array_free(&known);
}

static const YamlNode *overrides_mapping(const YamlNode *node) {
    return node && node->kind == YAML_MAPPING ? node : NULL;
}

static bool overrides_takes_names(const SchemaKey *key) {
    return key->kind == SCHEMA_MAP || key->kind == SCHEMA_CONSTANTS || key->kind == SCHEMA_INPUTS;
}

// Does every name of the path exist? What is no key of the model file at all is found by the loader.
static bool overrides_check_names(const Override *override, const YamlNode *root) {
    const SchemaObject *object = &schema_root;
    const YamlNode *node = root;
    const char *path = "";
    for (size_t i = 0; i < override->count && object; i++) {
        const char *word = override->keys[i];
        const SchemaAlternative *alternative = schema_find_alternative(object, word);
        const SchemaKey *key = schema_find_key(object, word);
        node = yaml_get(overrides_mapping(node), word);
        path = arena_printf(override->arena, "%s%s%s", path, i ? "." : "", word);
        if (!path || (!key && !alternative)) return true;
        object = alternative ? alternative->object : key->object;
        if (alternative || i + 1 == override->count) continue;
        if (overrides_takes_names(key)) {
            const char *name = override->keys[++i];
            const YamlPair *pair = yaml_find(overrides_mapping(node), name);
            if (!pair) {
                overrides_report_name(override, overrides_mapping(node), path, name);
                return false;
            }
            node = pair->value;
        } else if (key->kind == SCHEMA_LIST ||
                   (schema_may_be_list(key) && node && node->kind == YAML_SEQUENCE)) {
            size_t item = strtoul(override->keys[++i], NULL, 10);
            node = node && node->kind == YAML_SEQUENCE && item < node->count ? node->items[item] : NULL;
        }
    }
    return true;
}

// ---- inputs --------------------------------------------------------------------------------------
// The input without what contradicts the key that is set: a default replaces a table, and a table a default.
// A value alone is the default.
static const YamlNode *overrides_clear_input(const Override *override, const YamlNode *input) {
    static const char *const of_tables[] = {"table", "time", "column", "interpolation", "outside"};
    const char *key = override->keys[2];
    if (input->kind == YAML_SCALAR && !yaml_is_nothing(input)) {
        YamlPair pair = {yaml_scalar(override->arena, "default", override->place), input};
        input = pair.key ? yaml_mapping(override->arena, &pair, 1, override->place) : NULL;
    }
    if (!overrides_mapping(input)) return input;
    if (strcmp(key, "table") == 0) return yaml_without(override->arena, input, "default");
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables && strcmp(key, "default") == 0; i++)
        input = input ? yaml_without(override->arena, input, of_tables[i]) : NULL;
    return input;
}

// `inputs.u=3 N` sets the default and keeps the unit. The tree with the input made ready; NULL: memory.
static const YamlNode *overrides_prepare_input(Override *override, const YamlNode *root) {
    const YamlNode *input = yaml_get(yaml_get(root, "inputs"), override->keys[1]);
    const char *trouble;
    if (override->count == 2 && override->value->kind == YAML_SCALAR && overrides_mapping(input))
        override->keys[override->count++] = "default";
    if (override->count != 3) return root;
    const YamlNode *cleared = overrides_clear_input(override, input);
    if (!cleared) return NULL;
    return yaml_set(override->arena, root, override->keys, 2, cleared, override->place, &trouble);
}

// ---- words that stand for a mapping --------------------------------------------------------------
// `packing: settle` is `packing: {settle: {}}` in short. A path that goes on behind such a word, packing.settle.seed,
// needs the long form. The tree with it; the same tree when the path meets no such word; NULL: memory.
static const YamlNode *overrides_open_word(const Override *override, const YamlNode *root) {
    const YamlNode *node = root;
    const char *trouble;
    size_t at = 0;
    while (at < override->count && overrides_mapping(node)) node = yaml_get(node, override->keys[at++]);
    if (!node || node->kind != YAML_SCALAR || at + 1 >= override->count) return root;
    if (strcmp(node->text, override->keys[at]) != 0) return root;
    YamlPair pair = {yaml_scalar(override->arena, node->text, override->place),
                     yaml_mapping(override->arena, NULL, 0, override->place)};
    const YamlNode *opened =
        pair.key && pair.value ? yaml_mapping(override->arena, &pair, 1, override->place) : NULL;
    if (!opened) return NULL;
    return yaml_set(override->arena, root, override->keys, at, opened, override->place, &trouble);
}

// ---- the whole -----------------------------------------------------------------------------------
const YamlNode *overrides_apply(Arena *arena, Diagnostics *diagnostics, const YamlNode *root,
                                const char *written) {
    const char *name = arena_printf(arena, "--set %.200s", written), *trouble = NULL;
    Override override = {.arena = arena, .diagnostics = diagnostics};
    override.place.file = name ? diagnostics_add_file(diagnostics, name) : 0;
    if (!overrides_read(&override, written) || !overrides_check_names(&override, root)) return root;
    const YamlNode *ready = overrides_open_word(&override, root);
    if (ready && strcmp(override.keys[0], "inputs") == 0 && override.count >= 2)
        ready = overrides_prepare_input(&override, ready);
    const YamlNode *changed = ready ? yaml_set(arena, ready, override.keys, override.count, override.value,
                                               override.place, &trouble)
                                    : NULL;
    if (!changed && trouble) diagnostics_error(diagnostics, override.place, "%s", trouble);
    else if (!changed && root->weight + override.value->weight < YAML_NODES_MAX)
        diagnostics_memory(diagnostics);
    else if (!changed) sources_too_large(diagnostics, override.place);
    return changed ? changed : root;
}
