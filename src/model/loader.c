#include "model/loader.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"

// What an object is called in messages, and where it was introduced.
typedef struct Owner {
    const char *name; // its key
    Place place;      // of that key
} Owner;

// A name in quotes; the model as a whole has none.
#define OWNER "%s%s%s"
#define OWNER_WORDS(owner)                                                                                   \
    (owner).name ? "'" : "", (owner).name ? (owner).name : "the model", (owner).name ? "'" : ""

static void loader_load_object(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                               char *base);

// ---- places --------------------------------------------------------------------------------------
static void loader_note_place(Loader *loader, const void *address, bool object, Place place) {
    if (!array_push(&loader->places, (MemberPlace){address, object, place}))
        diagnostics_memory(loader->diagnostics);
}
void loader_remember(Loader *loader, const void *member, Place place) {
    loader_note_place(loader, member, false, place);
}

static int loader_compare_places(const void *left, const void *right) {
    const MemberPlace *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->address, y = (uintptr_t)b->address;
    if (x != y) return x < y ? -1 : 1;
    return (int)a->object - (int)b->object;
}

// Of structs that fill one another from their first member on, the outermost counts: it was written first.
static int loader_compare_objects(const void *left, const void *right) {
    const MemberPlace *a = left, *b = right;
    int order = loader_compare_places(left, right);
    if (order || !a->object) return order;
    if (a->place.line != b->place.line) return a->place.line - b->place.line;
    return a->place.column - b->place.column;
}

static void loader_sort_places(Loader *loader) {
    MemberPlace *list = loader->places.data;
    size_t kept = 0;
    if (loader->places.count > 1) qsort(list, loader->places.count, sizeof *list, loader_compare_objects);
    for (size_t i = 0; i < loader->places.count; i++)
        if (kept == 0 || !list[i].object || loader_compare_places(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    loader->places.count = kept;
    loader->places_sorted = true;
}

static Place loader_look_up_place(Loader *loader, const void *address, bool object) {
    if (!loader->places_sorted) loader_sort_places(loader);
    MemberPlace wanted = {.address = address, .object = object};
    const MemberPlace *found = loader->places.count
                                   ? bsearch(&wanted, loader->places.data, loader->places.count,
                                             sizeof *loader->places.data, loader_compare_places)
                                   : NULL;
    return found ? found->place : (Place){.file = 0};
}

Place loader_place(Loader *loader, const void *member) { return loader_look_up_place(loader, member, false); }
Place loader_object_place(Loader *loader, const void *object) {
    return loader_look_up_place(loader, object, true);
}

static void loader_report_finding(void *self, FindingLevel level, const void *address, bool object,
                                  const char *text) {
    Loader *loader = self;
    Place place = loader_look_up_place(loader, address, object);
    if (level == FINDING_ERROR) diagnostics_error(loader->diagnostics, place, "%s", text);
    else diagnostics_warning(loader->diagnostics, place, "%s", text);
}

Findings loader_findings(Loader *loader) {
    return (Findings){.self = loader, .report = loader_report_finding};
}

// ---- defaults ------------------------------------------------------------------------------------
// Defaults are YAML text and pass through the same code as what the user writes.
static const YamlNode *loader_default_node(Loader *loader, const SchemaKey *key) {
    for (size_t i = 0; i < loader->defaults.count; i++)
        if (loader->defaults.data[i].key == key) return loader->defaults.data[i].node;
    const YamlNode *node =
        yaml_parse(loader->arena, key->fallback, strlen(key->fallback), 0, false, loader->diagnostics);
    if (node && !array_push(&loader->defaults, (Default){key, node})) diagnostics_memory(loader->diagnostics);
    return node;
}

// ---- keys ----------------------------------------------------------------------------------------
// The known key that an unknown one was probably meant to be, or NULL.
static const char *loader_meant_key(const SchemaObject *object, const char *key) {
    const char *keys[SCHEMA_KEYS_MAX];
    return nearest_word(key, strlen(key), keys, schema_list_keys(object, keys, SCHEMA_KEYS_MAX));
}

// Is `wanted` there under a misspelt key? That has been reported; it is not missing as well.
static bool loader_is_misspelt(const SchemaObject *object, const YamlNode *node, const char *wanted) {
    for (size_t i = 0; i < node->count && i < SCHEMA_KEYS_MAX; i++) {
        const char *key = node->pairs[i].key->text;
        if (schema_find_key(object, key) || schema_find_alternative(object, key)) continue;
        const char *meant = loader_meant_key(object, key);
        if (meant && strcmp(meant, wanted) == 0) return true;
    }
    return false;
}

static void loader_report_unknown(Loader *loader, const SchemaObject *object, const YamlNode *key,
                                  Owner owner) {
    char shown[64], known[512] = "";
    loader_shown(key, shown, sizeof shown);
    const char *meant = loader_meant_key(object, key->text);
    if (meant) {
        diagnostics_error(loader->diagnostics, key->place,
                          "unknown key '%s' in " OWNER "; did you mean '%s'?", shown, OWNER_WORDS(owner),
                          meant);
        return;
    }
    const char *keys[SCHEMA_KEYS_MAX];
    size_t used = 0, count = schema_list_keys(object, keys, SCHEMA_KEYS_MAX);
    for (size_t i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", keys[i]);
    diagnostics_error(loader->diagnostics, key->place, "unknown key '%s' in " OWNER ", which takes: %s",
                      shown, OWNER_WORDS(owner), known);
}

static void loader_report_missing(Loader *loader, const SchemaKey *key, Owner owner) {
    char expected[256];
    diagnostics_error(loader->diagnostics, owner.place, OWNER " lacks '%s': expected %s", OWNER_WORDS(owner),
                      key->key, schema_expects(key, expected, sizeof expected));
}

bool loader_name_is_good(const char *name) {
    if (strlen(name) > LOADER_NAME_MAX || !(isalpha((unsigned char)name[0]) || name[0] == '_')) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c >= 0x80 || !(isalnum((unsigned char)*c) || *c == '_')) return false;
    return true;
}

// ---- objects in arrays ---------------------------------------------------------------------------
static char *loader_allocate_entries(Loader *loader, const SchemaKey *key, size_t count, char *base) {
    char *entries = arena_alloc(loader->arena, (count + 1) * key->object->size);
    if (!entries) {
        diagnostics_memory(loader->diagnostics);
        return NULL;
    }
    memcpy(base + key->offset, &entries, sizeof entries);
    *(int *)(base + key->count_offset) = (int)count;
    return entries;
}

static void loader_load_entry(Loader *loader, const SchemaObject *object, const char *name, Place place,
                              const YamlNode *node, char *entry) {
    memcpy(entry + object->name_offset, &name, sizeof name);
    loader_note_place(loader, entry + object->name_offset, false, place);
    loader_load_object(loader, object, node, (Owner){name, place}, entry);
}

void loader_map(Loader *loader, const SchemaKey *key, const YamlNode *node, char *base) {
    if (node->kind != YAML_MAPPING) {
        loader_wrong_kind(loader, key, node);
        return;
    }
    if (node->count > LOADER_ENTRIES_MAX) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' has %zu entries; at most %d are read",
                          key->key, node->count, LOADER_ENTRIES_MAX);
        return;
    }
    char *entries = loader_allocate_entries(loader, key, node->count, base);
    for (size_t i = 0; entries && i < node->count; i++) {
        const YamlNode *name = node->pairs[i].key;
        char shown[64];
        if (!loader_name_is_good(name->text))
            diagnostics_error(
                loader->diagnostics, name->place,
                "'%s' cannot be a name: letters, digits and '_' only, a letter first, at most %d",
                loader_shown(name, shown, sizeof shown), LOADER_NAME_MAX);
        loader_load_entry(loader, key->object, name->text, name->place, node->pairs[i].value,
                          entries + i * key->object->size);
    }
}

static void loader_load_list(Loader *loader, const SchemaKey *key, const YamlNode *node, Place at,
                             char *base) {
    loader_note_place(loader, base + key->offset, false, node->place.line ? node->place : at);
    if (node->kind != YAML_SEQUENCE) {
        loader_wrong_kind(loader, key, node);
        return;
    }
    if (node->count > LOADER_LIST_MAX) {
        diagnostics_error(loader->diagnostics, node->place,
                          "'%s' has %zu items; at most %d are read: give fewer", key->key, node->count,
                          LOADER_LIST_MAX);
        return;
    }
    char *entries = loader_allocate_entries(loader, key, node->count, base);
    for (size_t i = 0; entries && i < node->count; i++) {
        const char *name =
            arena_printf(loader->arena, "%s.%zu", key->key, i); // as in the path of an override
        Place place = node->items[i]->place;
        loader_load_object(loader, key->object, node->items[i], (Owner){name, place.line ? place : at},
                           entries + i * key->object->size);
    }
}

// The first of a list fills the struct, the others an array.
static void loader_load_several(Loader *loader, const SchemaKey *key, const YamlNode *node, Place at,
                                char *base) {
    if (node->count == 0 || node->count > LOADER_LIST_MAX) {
        diagnostics_error(loader->diagnostics, node->place.line ? node->place : at,
                          "'%s' has %zu items; it must have from 1 to %d", key->key, node->count,
                          LOADER_LIST_MAX);
        return;
    }
    SchemaKey others = *key;
    others.offset = key->more_offset;
    char *entries = loader_allocate_entries(loader, &others, node->count - 1, base);
    for (size_t i = 0; entries && i < node->count; i++) {
        const char *name = arena_printf(loader->arena, "%s.%zu", key->key, i);
        Place place = node->items[i]->place;
        loader_load_object(loader, key->object, node->items[i], (Owner){name, place.line ? place : at},
                           i == 0 ? base + key->offset : entries + (i - 1) * key->object->size);
    }
}

static void loader_load_key(Loader *loader, const SchemaKey *key, const YamlNode *node, Place at,
                            char *base) {
    char *member = base + key->offset, *entries;
    switch (key->kind) {
    case SCHEMA_INCLUDE:
    case SCHEMA_CONSTANTS:
    case SCHEMA_INPUTS:
        return;
    case SCHEMA_OBJECT:
        if (schema_may_be_list(key) && node->kind == YAML_SEQUENCE)
            loader_load_several(loader, key, node, at, base);
        else loader_load_object(loader, key->object, node, (Owner){key->key, at}, member);
        return;
    case SCHEMA_MAP:
        loader_map(loader, key, node, base);
        return;
    case SCHEMA_LIST:
        loader_load_list(loader, key, node, at, base);
        return;
    case SCHEMA_SINGLE:
        entries = loader_allocate_entries(loader, key, 1, base);
        if (entries) loader_load_entry(loader, key->object, key->key, at, node, entries);
        return;
    default:
        if (key->kind != SCHEMA_EXPRESSIONS)
            loader_note_place(loader, member, false, node->place.line ? node->place : at);
        if (!key->any_dimension) loader_value(loader, key, node, member);
    }
}

// ---- objects -------------------------------------------------------------------------------------
// The first alternative that is given; NULL: none.
static const SchemaAlternative *loader_given_alternative(const SchemaObject *object, const YamlNode *node) {
    const SchemaAlternative *given = NULL;
    for (size_t i = 0; i < node->count && !given; i++)
        given = schema_find_alternative(object, node->pairs[i].key->text);
    return given;
}

// The one alternative that is given. NULL when there is none, or more than one, which is then reported.
static const YamlPair *loader_choose_alternative(Loader *loader, const SchemaObject *object,
                                                 const YamlNode *node, Owner owner) {
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
    if (chosen) return chosen;
    const SchemaAlternative *each;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        if (loader_is_misspelt(object, node, each->key)) return NULL;
    char expected[256];
    SchemaKey row = {.kind = SCHEMA_OBJECT, .object = object};
    diagnostics_error(loader->diagnostics, owner.place, "'%s' does not say what it is: expected %s",
                      owner.name, schema_expects(&row, expected, sizeof expected));
    return NULL;
}

static void loader_load_alternative(Loader *loader, const SchemaObject *object, const YamlNode *node,
                                    Owner owner, char *base) {
    const YamlPair *chosen = loader_choose_alternative(loader, object, node, owner);
    if (!chosen) return;
    const SchemaAlternative *alternative = schema_find_alternative(object, chosen->key->text);
    int tag = schema_alternative_tag(object, alternative);
    memcpy(base + object->tag_offset, &tag, sizeof tag);
    loader_note_place(loader, base + object->tag_offset, false, chosen->key->place);
    loader_load_object(loader, alternative->object, chosen->value,
                       (Owner){chosen->key->text, chosen->key->place},
                       base + schema_alternative_offset(object, alternative));
}

// At most one key of a group may be there, and one must be if it is needed.
static void loader_check_group(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                               const char *group, bool needed) {
    const YamlNode *first = NULL;
    for (size_t i = 0; i < node->count; i++) {
        const YamlNode *key = node->pairs[i].key;
        if (!schema_word_in(group, key->text)) continue;
        if (first)
            diagnostics_error(loader->diagnostics, key->place,
                              OWNER " has '%s' already; '%s' cannot be given as well", OWNER_WORDS(owner),
                              first->text, key->text);
        else first = key;
    }
    if (first || !needed) return;
    char wanted[256] = "", single[64];
    size_t used = 0, length;
    for (const char *word; (word = schema_next_word(&group, &length)) && used < sizeof wanted;) {
        snprintf(single, sizeof single, "%.*s", (int)length, word);
        if (loader_is_misspelt(object, node, single)) return;
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s'%s'", used ? ", " : "", single);
    }
    diagnostics_error(loader->diagnostics, owner.place, OWNER " lacks one of %s", OWNER_WORDS(owner), wanted);
}

// `fcc` for `{fcc: {}}`; NULL when the word is no alternative, which is then reported.
static const YamlNode *loader_expand_word(Loader *loader, const SchemaObject *object, const YamlNode *word,
                                          Owner owner) {
    const SchemaAlternative *alternative = schema_find_alternative(object, word->text);
    if (alternative) {
        const YamlNode *empty = yaml_mapping(loader->arena, NULL, 0, word->place);
        YamlPair pair = {word, empty};
        const YamlNode *node = empty ? yaml_mapping(loader->arena, &pair, 1, word->place) : NULL;
        if (!node) diagnostics_memory(loader->diagnostics);
        return node;
    }
    char expected[256], shown[64];
    SchemaKey row = {.kind = SCHEMA_OBJECT, .object = object};
    const char *meant = loader_meant_key(object, word->text);
    if (meant && !schema_find_alternative(object, meant)) meant = NULL;
    diagnostics_error(loader->diagnostics, word->place, "'%s' is '%s'; expected %s%s%s%s", owner.name,
                      loader_shown(word, shown, sizeof shown),
                      schema_expects(&row, expected, sizeof expected), meant ? "; did you mean '" : "",
                      meant ? meant : "", meant ? "'?" : "");
    return NULL;
}

// `clamp: arm.start`: the value of the object's only key, which goes by the name of the object itself.
static void loader_load_bare(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                             char *base) {
    SchemaKey *row = arena_alloc(loader->arena, sizeof *row);
    if (!row) {
        diagnostics_memory(loader->diagnostics);
        return;
    }
    *row = object->keys[0];
    row->key = owner.name;
    loader_load_key(loader, row, node, owner.place, base);
}

// `3 N` for `{default: 3 N}`; NULL when memory ran out.
static const YamlNode *loader_expand_short_form(Loader *loader, const SchemaObject *object,
                                                const YamlNode *value) {
    YamlPair pair = {yaml_scalar(loader->arena, object->short_key, value->place), value};
    const YamlNode *node = pair.key ? yaml_mapping(loader->arena, &pair, 1, value->place) : NULL;
    if (!node) diagnostics_memory(loader->diagnostics);
    return node;
}

static void loader_load_object(Loader *loader, const SchemaObject *object, const YamlNode *node, Owner owner,
                               char *base) {
    loader_note_place(loader, base, true, owner.place);
    if (object->bare) {
        loader_load_bare(loader, object, node, owner, base);
        return;
    }
    if (schema_alternative(object, 0) && node->kind == YAML_SCALAR && !yaml_is_nothing(node)) {
        node = loader_expand_word(loader, object, node, owner);
        if (!node) return;
    }
    if (object->short_key && node->kind == YAML_SCALAR && !yaml_is_nothing(node)) {
        node = loader_expand_short_form(loader, object, node);
        if (!node) return;
    }
    if (node->kind != YAML_MAPPING) {
        SchemaKey row = {.key = owner.name, .kind = SCHEMA_OBJECT, .object = object};
        loader_wrong_kind(loader, &row, node);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const YamlNode *key = node->pairs[i].key;
        if (loader->diagnostics->error_count > 10 * DIAGNOSTICS_LIMIT) break; // enough is enough
        if (!schema_find_key(object, key->text) && !schema_find_alternative(object, key->text))
            loader_report_unknown(loader, object, key, owner);
    }
    const SchemaAlternative *given = loader_given_alternative(object, node);
    const SchemaKey *key;
    for (size_t k = 0; (key = schema_key(object, k)); k++) {
        const YamlPair *pair = yaml_find(node, key->key);
        const SchemaAlternative *of = schema_key_alternative(object, key);
        if (of && of != given) { // without any the object is wrong already
            if (pair && given)
                diagnostics_error(loader->diagnostics, pair->key->place,
                                  "'%s' goes with '%s', but '%s' is '%s'", key->key, of->key, owner.name,
                                  given->key);
            continue;
        }
        const YamlNode *value = pair ? pair->value : key->fallback ? loader_default_node(loader, key) : NULL;
        if (pair && key->given_offset) *(bool *)(base + key->given_offset) = true;
        if (value) loader_load_key(loader, key, value, pair ? pair->key->place : owner.place, base);
        else if (key->required && !loader_is_misspelt(object, node, key->key))
            loader_report_missing(loader, key, owner);
        else if (key->kind != SCHEMA_OBJECT)
            loader_note_place(loader, base + key->offset, false, owner.place);
        if (!value && key->kind == SCHEMA_QUANTITY)
            memcpy(base + key->offset, &key->absent, sizeof key->absent);
    }
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->exactly_one[i]; i++)
        loader_check_group(loader, object, node, owner, object->exactly_one[i], true);
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->at_most_one[i]; i++)
        loader_check_group(loader, object, node, owner, object->at_most_one[i], false);
    if (schema_alternative(object, 0)) loader_load_alternative(loader, object, node, owner, base);
}

// ---- the whole file ------------------------------------------------------------------------------
void loader_load(Loader *loader, const YamlNode *root, void *definition) {
    loader->root = root;
    if (root->kind != YAML_MAPPING) {
        diagnostics_error(loader->diagnostics, root->place,
                          "a model file is a mapping that starts with 'maraca: 1', but this is %s",
                          yaml_kind_name(root));
        return;
    }
    const YamlNode *constants = yaml_get(root, "constants");
    const YamlNode *inputs = yaml_get(root, "inputs");
    if (constants) loader_constants(loader, constants);
    if (inputs) loader_inputs(loader, inputs, definition);
    loader_load_object(loader, &schema_root, root, (Owner){NULL, root->place}, definition);
}

void loader_free(Loader *loader) {
    array_free(&loader->places);
    array_free(&loader->references);
    array_free(&loader->defaults);
    array_free(&loader->files);
    array_free(&loader->formulas);
    array_free(&loader->signals);
    array_free(&loader->node_signals);
}
