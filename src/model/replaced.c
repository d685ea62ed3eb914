#include "model/replaced.h"

#include <string.h>

// The kind that a mapping names; NULL: none.
static const SchemaAlternative *replaced_kind(const SchemaObject *object, const YamlNode *node) {
    const SchemaAlternative *kind = NULL;
    for (size_t i = 0; i < node->count && !kind; i++)
        kind = schema_find_alternative(object, node->pairs[i].key->text);
    return kind;
}

// Does `top` give another key of a group that this one is in?
static bool replaced_by_group(const char *const groups[SCHEMA_GROUPS_MAX], const char *key,
                              const YamlNode *top) {
    for (int g = 0; g < SCHEMA_GROUPS_MAX && groups[g]; g++) {
        if (!schema_word_in(groups[g], key)) continue;
        for (size_t i = 0; i < top->count; i++) {
            const char *other = top->pairs[i].key->text;
            if (strcmp(other, key) != 0 && schema_word_in(groups[g], other)) return true;
        }
    }
    return false;
}

static bool replaced_is_excluded(const SchemaObject *object, const char *key, const YamlNode *top) {
    const SchemaAlternative *now = replaced_kind(object, top), *own = schema_find_alternative(object, key);
    const SchemaKey *row = own ? NULL : schema_find_key(object, key);
    if (row) own = schema_key_alternative(object, row); // a key that only this kind has
    if (now && own && own != now) return true;
    return replaced_by_group(object->exactly_one, key, top) ||
           replaced_by_group(object->at_most_one, key, top);
}

// Entries of a map that both files have.
static const YamlNode *replaced_in_map(Arena *arena, const SchemaObject *object, const YamlNode *base,
                                       const YamlNode *top) {
    if (base->kind != YAML_MAPPING || top->kind != YAML_MAPPING) return base;
    YamlPair *pairs = arena_alloc(arena, (base->count + 1) * sizeof *pairs);
    if (!pairs) return NULL;
    for (size_t i = 0; i < base->count; i++) {
        const YamlNode *over = yaml_get(top, base->pairs[i].key->text);
        pairs[i] = base->pairs[i];
        if (over) pairs[i].value = replaced_take_out(arena, object, pairs[i].value, over);
        if (!pairs[i].value) return NULL;
    }
    return yaml_mapping(arena, pairs, base->count, base->place);
}

static const YamlNode *replaced_in_value(Arena *arena, const SchemaObject *object, const char *key,
                                         const YamlNode *base, const YamlNode *top) {
    const SchemaAlternative *alternative = schema_find_alternative(object, key);
    if (alternative) return replaced_take_out(arena, alternative->object, base, top);
    const SchemaKey *row = schema_find_key(object, key);
    if (!row || !row->object) return base;
    bool map = row->kind == SCHEMA_MAP || row->kind == SCHEMA_INPUTS;
    return map ? replaced_in_map(arena, row->object, base, top)
               : replaced_take_out(arena, row->object, base, top);
}

const YamlNode *replaced_take_out(Arena *arena, const SchemaObject *object, const YamlNode *base,
                                  const YamlNode *top) {
    if (!object || base->kind != YAML_MAPPING || top->kind != YAML_MAPPING) return base;
    YamlPair *pairs = arena_alloc(arena, (base->count + 1) * sizeof *pairs);
    if (!pairs) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < base->count; i++) {
        YamlPair pair = base->pairs[i];
        const char *key = pair.key->text;
        if (replaced_is_excluded(object, key, top)) continue;
        const YamlNode *over = yaml_get(top, key);
        if (over) pair.value = replaced_in_value(arena, object, key, pair.value, over);
        if (!pair.value) return NULL;
        pairs[count++] = pair;
    }
    return yaml_mapping(arena, pairs, count, base->place);
}
