#include "base/fact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void fact_list_start(FactList *list, Arena *arena) { *list = (FactList){.arena = arena}; }

void fact_list_free(FactList *list) { array_free(&list->facts); }

void fact_group_begin(FactList *list, const char *name) {
    assert(list->depth < FACT_DEPTH_MAX);
    const char *copy = arena_strdup(list->arena, name);
    list->incomplete = list->incomplete || !copy;
    list->groups[list->depth++] = copy ? copy : "";
}

void fact_group_end(FactList *list) {
    assert(list->depth > 0);
    list->depth--;
}

static void fact_add(FactList *list, Fact fact, const char *key, const char *words) {
    size_t bytes = (size_t)list->depth * sizeof *list->groups;
    const char **groups = arena_alloc(list->arena, bytes + 1);
    if (groups && bytes > 0) memcpy(groups, list->groups, bytes);
    fact.groups = groups;
    fact.depth = list->depth;
    fact.key = arena_strdup(list->arena, key);
    fact.words = words;
    if (!groups || !fact.key || !array_push(&list->facts, fact)) list->incomplete = true;
}

void fact_number_with_error(FactList *list, const char *key, double value, double error, const char *unit,
                            const char *words) {
    fact_add(list, (Fact){.kind = FACT_NUMBER, .number = value, .error = error, .unit = unit}, key, words);
}

void fact_number(FactList *list, const char *key, double value, const char *unit, const char *words) {
    fact_number_with_error(list, key, value, NAN, unit, words);
}

void fact_count(FactList *list, const char *key, int64_t value, const char *words) {
    fact_add(list, (Fact){.kind = FACT_COUNT, .count = value, .error = NAN}, key, words);
}

void fact_flag(FactList *list, const char *key, bool value, const char *words) {
    fact_add(list, (Fact){.kind = FACT_FLAG, .flag = value, .error = NAN}, key, words);
}

void fact_text(FactList *list, const char *key, const char *value, const char *words) {
    const char *copy = value ? arena_strdup(list->arena, value) : NULL;
    if (value && !copy) list->incomplete = true;
    fact_add(list, (Fact){.kind = FACT_TEXT, .text = copy, .error = NAN}, key, words);
}

// What is left of `name` once the fact's groups are taken off it; NULL: they are others.
static const char *fact_skip_groups(const Fact *fact, const char *name) {
    for (int g = 0; g < fact->depth; g++) {
        size_t length = strlen(fact->groups[g]);
        if (strncmp(name, fact->groups[g], length) != 0 || name[length] != '.') return NULL;
        name += length + 1;
    }
    return name;
}

const Fact *fact_find(const FactList *list, const char *name) {
    for (size_t k = 0; k < list->facts.count; k++) {
        const char *rest = fact_skip_groups(&list->facts.data[k], name);
        if (rest && strcmp(rest, list->facts.data[k].key) == 0) return &list->facts.data[k];
    }
    return NULL;
}
