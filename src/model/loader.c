#include "model/loader.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"

// What an object is called in messages, and where it was introduced.
typedef struct Owner {
    const char *name;
    Place place; // of the key that introduced it
} Owner;

static void load_object(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                        char *base);

// ---- places ----------------------------------------------------------------------------------------------
static void remember(Loader *loader, const void *address, bool object, Place place) {
    if (!array_push(&loader->places, (MemberPlace){address, object, place}))
        diagnostics_memory(loader->diagnostics);
}

static int compare_places(const void *left, const void *right) {
    const MemberPlace *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->address, y = (uintptr_t)b->address;
    if (x != y) return x < y ? -1 : 1;
    return (int)a->object - (int)b->object;
}

static Place find_place(Loader *loader, const void *address, bool object) {
    if (!loader->places_sorted && loader->places.count > 1)
        qsort(loader->places.data, loader->places.count, sizeof *loader->places.data, compare_places);
    loader->places_sorted = true;
    MemberPlace wanted = {.address = address, .object = object};
    const MemberPlace *found = loader->places.count
                                   ? bsearch(&wanted, loader->places.data, loader->places.count,
                                             sizeof *loader->places.data, compare_places)
                                   : NULL;
    return found ? found->place : (Place){.file = 0};
}

Place loader_place(Loader *loader, const void *member) { return find_place(loader, member, false); }
Place loader_object_place(Loader *loader, const void *object) { return find_place(loader, object, true); }

// ---- defaults --------------------------------------------------------------------------------------------
// Defaults are YAML text and pass through the same code as what the user writes.
static const YamlNode *default_node(Loader *loader, const SchemaKey *key) {
    for (size_t i = 0; i < loader->defaults.count; i++)
        if (loader->defaults.data[i].key == key) return loader->defaults.data[i].node;
    const YamlNode *node =
        yaml_parse(loader->arena, key->fallback, strlen(key->fallback), 0, false, loader->diagnostics);
    if (node && !array_push(&loader->defaults, (Default){key, node})) diagnostics_memory(loader->diagnostics);
    return node;
}

// ---- keys ------------------------------------------------------------------------------------------------
static void report_unknown(Loader *loader, const SchemaObject *object, const YamlNode *key, Owner owner) {
    const char *keys[SCHEMA_KEYS_MAX];
    size_t count = schema_list_keys(object, keys, SCHEMA_KEYS_MAX);
    char shown[64], known[512] = "";
    loader_shown(key, shown, sizeof shown);
    const char *nearest = nearest_word(key->text, strlen(key->text), keys, count);
    if (nearest) {
        diagnostics_error(loader->diagnostics, key->place, "unknown key '%s' in '%s'; did you mean '%s'?",
                          shown, owner.name, nearest);
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", keys[i]);
    diagnostics_error(loader->diagnostics, key->place, "unknown key '%s' in '%s', which takes: %s", shown,
                      owner.name, known);
}

static void report_missing(Loader *loader, const SchemaKey *key, Owner owner) {
    char expected[256];
    diagnostics_error(loader->diagnostics, owner.place, "'%s' lacks '%s': expected %s", owner.name, key->key,
                      schema_expects(key, expected, sizeof expected));
}

bool loader_name_is_good(const char *name) {
    if (strlen(name) > LOADER_NAME_MAX || !(isalpha((unsigned char)name[0]) || name[0] == '_')) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c >= 0x80 || !(isalnum((unsigned char)*c) || *c == '_')) return false;
    return true;
}

// ---- objects in arrays -----------------------------------------------------------------------------------
static char *allocate_entries(Loader *loader, const SchemaKey *key, size_t count, char *base) {
    char *entries = arena_alloc(loader->arena, (count + 1) * key->object->size);
    if (!entries) {
        diagnostics_memory(loader->diagnostics);
        return NULL;
    }
    memcpy(base + key->offset, &entries, sizeof entries);
    *(int *)(base + key->count_offset) = (int)count;
    return entries;
}

static void load_entry(Loader *loader, const SchemaObject *object, const char *name, Place place,
                       const YamlNode *node, char *entry) {
    memcpy(entry + object->name_offset, &name, sizeof name);
    remember(loader, entry + object->name_offset, false, place);
    load_object(loader, object, node, (Owner){name, place}, entry);
}

static void load_map(Loader *loader, const SchemaKey *key, const YamlNode *node, char *base) {
    if (node->kind != YAML_MAPPING) {
        loader_wrong_kind(loader, key, node);
        return;
    }
    if (node->count > LOADER_ENTRIES_MAX) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' has %zu entries; at most %d are read",
                          key->key, node->count, LOADER_ENTRIES_MAX);
        return;
    }
    char *entries = allocate_entries(loader, key, node->count, base);
    for (size_t i = 0; entries && i < node->count; i++) {
        const YamlNode *name = node->pairs[i].key;
        char shown[64];
        if (!loader_name_is_good(name->text))
            diagnostics_error(
                loader->diagnostics, name->place,
                "'%s' cannot be a name: letters, digits and '_' only, a letter first, at most %d",
                loader_shown(name, shown, sizeof shown), LOADER_NAME_MAX);
        load_entry(loader, key->object, name->text, name->place, node->pairs[i].value,
                   entries + i * key->object->size);
    }
}

static void load_key(Loader *loader, const SchemaKey *key, const YamlNode *node, Place at, char *base) {
    char *member = base + key->offset, *entries;
    switch (key->kind) {
    case SCHEMA_INCLUDE:
    case SCHEMA_CONSTANTS:
        return;
    case SCHEMA_OBJECT:
        load_object(loader, key->object, node, (Owner){key->key, at}, member);
        return;
    case SCHEMA_MAP:
        load_map(loader, key, node, base);
        return;
    case SCHEMA_SINGLE:
        entries = allocate_entries(loader, key, 1, base);
        if (entries) load_entry(loader, key->object, key->key, at, node, entries);
        return;
    default:
        remember(loader, member, false, node->place.line ? node->place : at);
        loader_value(loader, key, node, member);
    }
}

// ---- objects ---------------------------------------------------------------------------------------------
static void load_alternative(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                             char *base) {
    const YamlPair *chosen = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const YamlPair *pair = &node->pairs[i];
        if (!schema_find_alternative(object, pair->key->text)) continue;
        if (chosen)
            diagnostics_error(loader->diagnostics, pair->key->place,
                              "'%s' is already '%s'; it cannot be '%s' too", owner.name, chosen->key->text,
                              pair->key->text);
        else chosen = pair;
    }
    if (!chosen) {
        char known[512] = "";
        size_t used = 0;
        for (const SchemaAlternative *each = object->alternatives; each->key && used < sizeof known; each++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     each == object->alternatives ? "" : ", ", each->key);
        diagnostics_error(loader->diagnostics, owner.place, "'%s' does not say what it is: one of %s",
                          owner.name, known);
        return;
    }
    const SchemaAlternative *alternative = schema_find_alternative(object, chosen->key->text);
    memcpy(base + object->tag_offset, &alternative->tag, sizeof alternative->tag);
    remember(loader, base + object->tag_offset, false, chosen->key->place);
    load_object(loader, alternative->object, chosen->value, (Owner){chosen->key->text, chosen->key->place},
                base + alternative->offset);
}

static void check_groups(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner) {
    for (int i = 0; i < 4 && object->exactly_one[i]; i++) {
        const char *group = object->exactly_one[i];
        const YamlNode *first = NULL;
        char wanted[256] = "";
        for (size_t k = 0; k < node->count; k++) {
            const YamlNode *key = node->pairs[k].key;
            if (!schema_word_in(group, key->text)) continue;
            if (first)
                diagnostics_error(loader->diagnostics, key->place,
                                  "'%s' has '%s' already; '%s' cannot be given as well", owner.name,
                                  first->text, key->text);
            else first = key;
        }
        if (first) continue;
        size_t used = 0, length;
        for (const char *word; (word = schema_next_word(&group, &length)) && used < sizeof wanted;)
            used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s'%.*s'", used ? ", " : "",
                                     (int)length, word);
        diagnostics_error(loader->diagnostics, owner.place, "'%s' lacks one of %s", owner.name, wanted);
    }
}

// `fcc` for `{fcc: {}}`; NULL when the word is no alternative, which is then reported.
static const YamlNode *expand_word(Loader *loader, const SchemaObject *object, const YamlNode *word,
                                   Owner owner) {
    const SchemaAlternative *alternative = schema_find_alternative(object, word->text);
    if (alternative) {
        const YamlNode *empty = yaml_mapping(loader->arena, NULL, 0, word->place);
        YamlPair pair = {word, empty};
        const YamlNode *node = empty ? yaml_mapping(loader->arena, &pair, 1, word->place) : NULL;
        if (!node) diagnostics_memory(loader->diagnostics);
        return node;
    }
    SchemaChoice choices[SCHEMA_KEYS_MAX] = {0};
    const char *words[SCHEMA_KEYS_MAX];
    size_t count = 0;
    for (const SchemaAlternative *each = object->alternatives; each->key && count + 1 < SCHEMA_KEYS_MAX;
         each++) {
        words[count] = each->key;
        choices[count++].word = each->key;
    }
    char expected[256], shown[64];
    SchemaKey row = {.key = owner.name, .kind = SCHEMA_CHOICE, .choices = choices};
    const char *nearest = nearest_word(word->text, strlen(word->text), words, count);
    diagnostics_error(loader->diagnostics, word->place, "'%s' is '%s'; expected %s%s%s%s", owner.name,
                      loader_shown(word, shown, sizeof shown),
                      schema_expects(&row, expected, sizeof expected), nearest ? "; did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

static void load_object(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                        char *base) {
    remember(loader, base, true, owner.place);
    if (object->alternatives && node->kind == YAML_SCALAR && !yaml_is_nothing(node)) {
        node = expand_word(loader, object, node, owner);
        if (!node) return;
    }
    if (node->kind != YAML_MAPPING) {
        SchemaKey row = {.key = owner.name, .kind = SCHEMA_OBJECT};
        loader_wrong_kind(loader, &row, node);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const YamlNode *key = node->pairs[i].key;
        if (!schema_find_key(object, key->text) && !schema_find_alternative(object, key->text))
            report_unknown(loader, object, key, owner);
    }
    for (size_t i = 0; i < object->key_count; i++) {
        const SchemaKey *key = &object->keys[i];
        const YamlPair *pair = yaml_find(node, key->key);
        const YamlNode *value = pair ? pair->value : key->fallback ? default_node(loader, key) : NULL;
        if (value) load_key(loader, key, value, pair ? pair->key->place : owner.place, base);
        else if (key->required) report_missing(loader, key, owner);
        else if (key->kind != SCHEMA_OBJECT) remember(loader, base + key->offset, false, owner.place);
    }
    check_groups(loader, object, node, owner);
    if (object->alternatives) load_alternative(loader, object, node, owner, base);
}

// ---- the whole file --------------------------------------------------------------------------------------
void loader_load(Loader *loader, const YamlNode *root, void *definition) {
    loader->root = root;
    if (root->kind != YAML_MAPPING) {
        diagnostics_error(loader->diagnostics, root->place,
                          "a model file is a mapping that starts with 'maraca: 1', but this is %s",
                          yaml_kind_name(root));
        return;
    }
    const YamlNode *constants = yaml_get(root, "constants");
    if (constants) loader_constants(loader, constants);
    load_object(loader, &schema_root, root, (Owner){"model", root->place}, definition);
}

void loader_free(Loader *loader) {
    array_free(&loader->places);
    array_free(&loader->references);
    array_free(&loader->defaults);
}
