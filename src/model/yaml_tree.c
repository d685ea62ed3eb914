// Looking into trees and making new ones from them. Nodes are shared, never changed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/utf8.h"
#include "model/yaml.h"

// ---- looking -------------------------------------------------------------------------------------
const YamlPair *yaml_find(const YamlNode *mapping, const char *key) {
    if (!mapping || mapping->kind != YAML_MAPPING) return NULL;
    size_t low = 0, high = mapping->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const YamlPair *pair = &mapping->pairs[mapping->sorted[middle]];
        int order = strcmp(key, pair->key->text);
        if (order == 0) return pair;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

const YamlNode *yaml_get(const YamlNode *mapping, const char *key) {
    const YamlPair *pair = yaml_find(mapping, key);
    return pair ? pair->value : NULL;
}

bool yaml_is_nothing(const YamlNode *node) {
    return node->kind == YAML_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *yaml_kind_name(const YamlNode *node) {
    if (node->kind == YAML_MAPPING) return "a mapping";
    if (node->kind == YAML_SEQUENCE) return "a list";
    return yaml_is_nothing(node) ? "nothing" : "a value";
}

bool yaml_equal(const YamlNode *a, const YamlNode *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == YAML_SCALAR)
        return yaml_is_nothing(a) ? yaml_is_nothing(b) : !yaml_is_nothing(b) && strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->kind == YAML_SEQUENCE && !yaml_equal(a->items[i], b->items[i])) return false;
        if (a->kind == YAML_MAPPING && (strcmp(a->pairs[i].key->text, b->pairs[i].key->text) != 0 ||
                                        !yaml_equal(a->pairs[i].value, b->pairs[i].value)))
            return false;
    }
    return true;
}

Place yaml_place_inside(const YamlNode *scalar, size_t offset) {
    Place place = scalar->place;
    if (scalar->text_column < 0 || place.line == 0) return place;
    place.column += scalar->text_column + utf8_count(scalar->text, offset);
    return place;
}

// ---- making --------------------------------------------------------------------------------------
const YamlNode *yaml_scalar(Arena *arena, const char *text, Place place) {
    YamlNode *node = arena_alloc(arena, sizeof *node);
    const char *copy = arena_strdup(arena, text);
    if (!node || !copy) return NULL;
    *node = (YamlNode){.kind = YAML_SCALAR, .place = place, .weight = 1, .text = copy, .text_column = -1};
    return node;
}

typedef struct SortEntry {
    const char *key;
    size_t index;
} SortEntry;

static int yaml_compare_entries(const void *left, const void *right) {
    const SortEntry *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static const size_t *yaml_sort_keys(Arena *arena, const YamlPair *pairs, size_t count) {
    size_t *sorted = arena_alloc(arena, (count + 1) * sizeof *sorted);
    SortEntry *entries = malloc((count + 1) * sizeof *entries);
    if (sorted && entries) {
        for (size_t i = 0; i < count; i++) entries[i] = (SortEntry){pairs[i].key->text, i};
        qsort(entries, count, sizeof *entries, yaml_compare_entries);
        for (size_t i = 0; i < count; i++) sorted[i] = entries[i].index;
    }
    bool good = sorted && entries;
    free(entries);
    return good ? sorted : NULL;
}

const YamlNode *yaml_mapping(Arena *arena, const YamlPair *pairs, size_t count, Place place) {
    YamlNode *node = arena_alloc(arena, sizeof *node);
    YamlPair *copy = arena_alloc(arena, (count + 1) * sizeof *copy);
    const size_t *sorted = yaml_sort_keys(arena, pairs, count);
    if (!node || !copy || !sorted) return NULL;
    if (count) memcpy(copy, pairs, count * sizeof *copy);
    *node = (YamlNode){.kind = YAML_MAPPING, .place = place, .count = count, .pairs = copy, .sorted = sorted};
    node->weight = 1;
    for (size_t i = 0; i < count; i++) {
        node->weight += 1 + pairs[i].value->weight;
        if (node->height < pairs[i].value->height + 1) node->height = pairs[i].value->height + 1;
    }
    return node->weight <= 2 * (size_t)YAML_NODES_MAX ? node : NULL;
}

const YamlNode *yaml_sequence(Arena *arena, const YamlNode *const *items, size_t count, Place place) {
    YamlNode *node = arena_alloc(arena, sizeof *node);
    const YamlNode **copy = arena_alloc(arena, (count + 1) * sizeof *copy);
    if (!node || !copy) return NULL;
    if (count) memcpy(copy, items, count * sizeof *copy);
    *node = (YamlNode){.kind = YAML_SEQUENCE, .place = place, .count = count, .items = copy, .weight = 1};
    for (size_t i = 0; i < count; i++) {
        node->weight += items[i]->weight;
        if (node->height < items[i]->height + 1) node->height = items[i]->height + 1;
    }
    return node->weight <= 2 * (size_t)YAML_NODES_MAX ? node : NULL;
}

const YamlNode *yaml_merge(Arena *arena, const YamlNode *base, const YamlNode *top) {
    if (!base || base->kind != YAML_MAPPING || top->kind != YAML_MAPPING) return top;
    ARRAY(YamlPair) pairs = {0};
    bool good = true;
    for (size_t i = 0; good && i < base->count; i++) {
        YamlPair pair = base->pairs[i];
        const YamlPair *over = yaml_find(top, pair.key->text);
        if (over) pair = (YamlPair){over->key, yaml_merge(arena, pair.value, over->value)};
        good = pair.value && array_push(&pairs, pair);
    }
    for (size_t i = 0; good && i < top->count; i++)
        if (!yaml_find(base, top->pairs[i].key->text)) good = array_push(&pairs, top->pairs[i]);
    const YamlNode *merged = good ? yaml_mapping(arena, pairs.data, pairs.count, top->place) : NULL;
    array_free(&pairs);
    return merged;
}

const YamlNode *yaml_without(Arena *arena, const YamlNode *mapping, const char *key) {
    if (!yaml_find(mapping, key)) return mapping;
    YamlPair *pairs = arena_alloc(arena, mapping->count * sizeof *pairs);
    if (!pairs) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->pairs[i].key->text, key) != 0) pairs[count++] = mapping->pairs[i];
    return yaml_mapping(arena, pairs, count, mapping->place);
}

// ---- setting by path -----------------------------------------------------------------------------
typedef struct Setting {
    Arena *arena;
    const YamlNode *value;
    Place place;
    const char **trouble;
} Setting;

static const YamlNode *yaml_set_at(const Setting *setting, const YamlNode *node, const char *const *path,
                                   size_t length);

static const YamlNode *yaml_set_in_mapping(const Setting *setting, const YamlNode *node,
                                           const char *const *path, size_t length) {
    size_t count = node ? node->count : 0, slot = count;
    YamlPair *pairs = arena_alloc(setting->arena, (count + 1) * sizeof *pairs);
    if (!pairs) return NULL;
    for (size_t i = 0; i < count; i++) {
        pairs[i] = node->pairs[i];
        if (strcmp(pairs[i].key->text, path[0]) == 0) slot = i;
    }
    if (slot == count)
        pairs[count++] = (YamlPair){yaml_scalar(setting->arena, path[0], setting->place), NULL};
    pairs[slot].value = yaml_set_at(setting, pairs[slot].value, path + 1, length - 1);
    if (!pairs[slot].key || !pairs[slot].value) return NULL;
    return yaml_mapping(setting->arena, pairs, count, node ? node->place : setting->place);
}

static const YamlNode *yaml_set_in_sequence(const Setting *setting, const YamlNode *node,
                                            const char *const *path, size_t length) {
    char *end;
    unsigned long slot = strtoul(path[0], &end, 10);
    if (path[0][0] < '0' || path[0][0] > '9' || *end != '\0' || slot > node->count) {
        *setting->trouble = arena_printf(
            setting->arena, "'%s' is not a position in a list of %zu; the first is 0, and %zu adds one",
            path[0], node->count, node->count);
        return NULL;
    }
    const YamlNode **items = arena_alloc(setting->arena, (node->count + 1) * sizeof *items);
    if (!items) return NULL;
    for (size_t i = 0; i < node->count; i++) items[i] = node->items[i];
    items[slot] = yaml_set_at(setting, items[slot], path + 1, length - 1);
    if (!items[slot]) return NULL;
    return yaml_sequence(setting->arena, items, slot == node->count ? slot + 1 : node->count, node->place);
}

static const YamlNode *yaml_set_at(const Setting *setting, const YamlNode *node, const char *const *path,
                                   size_t length) {
    if (length == 0) return setting->value;
    if (node && yaml_is_nothing(node)) node = NULL;
    if (!node || node->kind == YAML_MAPPING) return yaml_set_in_mapping(setting, node, path, length);
    if (node->kind == YAML_SEQUENCE) return yaml_set_in_sequence(setting, node, path, length);
    *setting->trouble =
        arena_printf(setting->arena, "there is no '%s' to set inside the value '%s'", path[0], node->text);
    return NULL;
}

const YamlNode *yaml_set(Arena *arena, const YamlNode *root, const char *const *path, size_t path_length,
                         const YamlNode *value, Place place, const char **trouble) {
    *trouble = NULL;
    Setting setting = {.arena = arena, .value = value, .place = place, .trouble = trouble};
    const YamlNode *result = yaml_set_at(&setting, root, path, path_length);
    if (!result || result->height <= YAML_DEPTH_MAX) return result;
    *trouble = "nested too deep";
    return NULL;
}
