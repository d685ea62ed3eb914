#include "base/fact.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- building ------------------------------------------------------------------------------------
void fact_list_start(FactList *list, Arena *arena) { *list = (FactList){.arena = arena}; }

void fact_list_free(FactList *list) { array_free(&list->facts); }

static const FactGroup *fact_path(const FactList *list) {
    return list->depth > 0 ? list->open[list->depth - 1].path : NULL;
}

// The key as it is kept; items of an array are numbered.
static const char *fact_key(FactList *list, const char *key) {
    if (list->incomplete) return "";
    int *members = list->depth > 0 ? &list->open[list->depth - 1].members : &list->members;
    assert((!key) == (list->depth > 0 && fact_path(list)[list->depth - 1].array) &&
           "items of arrays have numbers, other facts have keys");
    const char *copy = key ? arena_strdup(list->arena, key) : arena_printf(list->arena, "%d", *members);
    ++*members;
    if (!copy) list->incomplete = true;
    return copy ? copy : "";
}

static void fact_open(FactList *list, const char *name, bool array) {
    assert(list->depth < FACT_DEPTH_MAX);
    const char *key = fact_key(list, name);
    size_t around = (size_t)list->depth * sizeof(FactGroup);
    FactGroup *path = list->incomplete ? NULL : arena_alloc(list->arena, around + sizeof *path);
    if (path && around > 0) memcpy(path, fact_path(list), around);
    if (path) path[list->depth] = (FactGroup){key, array};
    else list->incomplete = true;
    list->open[list->depth++] = (FactOpen){.path = path};
}

void fact_group_begin(FactList *list, const char *name) { fact_open(list, name, false); }

void fact_array_begin(FactList *list, const char *name) { fact_open(list, name, true); }

// "grains.damper.mass_kg"
static const char *fact_whole_name(Arena *arena, const FactGroup *groups, int depth, const char *key) {
    size_t length = strlen(key) + 1;
    for (int g = 0; g < depth; g++) length += strlen(groups[g].name) + 1;
    char *name = arena_alloc(arena, length), *end = name;
    for (int g = 0; name && g < depth; g++) {
        end = stpcpy(end, groups[g].name);
        *end++ = '.';
    }
    if (name) strcpy(end, key);
    return name;
}

static void fact_add(FactList *list, MrcFact value, const char *key) {
    if (list->incomplete) return;
    Fact fact = {.value = value, .groups = fact_path(list), .depth = list->depth, .key = key};
    fact.value.name = fact_whole_name(list->arena, fact.groups, fact.depth, key);
    fact.value.unit = arena_strdup(list->arena, value.unit);
    fact.value.words = arena_strdup(list->arena, value.words);
    if (!fact.value.name || !fact.value.unit || !fact.value.words || !array_push(&list->facts, fact))
        list->incomplete = true;
}

void fact_group_end(FactList *list) {
    assert(list->depth > 0);
    const FactOpen *open = &list->open[--list->depth];
    if (open->members > 0 || list->incomplete) return;
    fact_add(list, (MrcFact){.kind = MRC_FACT_EMPTY, .number = NAN, .error = NAN, .unit = "", .words = ""},
             open->path[list->depth].name);
    // Whether it is written as {} or [] is a matter of the group itself.
    if (!list->incomplete) list->facts.data[list->facts.count - 1].value.flag = open->path[list->depth].array;
}

void fact_number_with_error(FactList *list, const char *key, double value, double error, const char *unit,
                            const char *words) {
    fact_add(
        list,
        (MrcFact){.kind = MRC_FACT_NUMBER, .number = value, .error = error, .unit = unit, .words = words},
        fact_key(list, key));
}

void fact_number(FactList *list, const char *key, double value, const char *unit, const char *words) {
    fact_number_with_error(list, key, value, NAN, unit, words);
}

void fact_count(FactList *list, const char *key, int64_t value, const char *words) {
    fact_add(list,
             (MrcFact){.kind = MRC_FACT_COUNT,
                       .count = value,
                       .number = (double)value,
                       .error = NAN,
                       .unit = "1",
                       .words = words},
             fact_key(list, key));
}

void fact_flag(FactList *list, const char *key, bool value, const char *words) {
    fact_add(
        list,
        (MrcFact){
            .kind = MRC_FACT_FLAG, .flag = value, .number = value, .error = NAN, .unit = "1", .words = words},
        fact_key(list, key));
}

void fact_text(FactList *list, const char *key, const char *value, const char *words) {
    const char *copy = value ? arena_strdup(list->arena, value) : NULL;
    if (value && !copy) list->incomplete = true;
    fact_add(
        list,
        (MrcFact){
            .kind = MRC_FACT_TEXT, .text = copy, .number = NAN, .error = NAN, .unit = "", .words = words},
        fact_key(list, key));
}

// ---- looking -------------------------------------------------------------------------------------
const MrcFact *fact_find(const FactList *list, const char *name) { return fact_find_in(list, "", name); }

const MrcFact *fact_find_in(const FactList *list, const char *group, const char *name) {
    size_t length = strlen(group);
    for (size_t k = 0; k < list->facts.count; k++) {
        const MrcFact *fact = &list->facts.data[k].value;
        const char *rest = fact->name;
        if (length > 0 && (strncmp(rest, group, length) != 0 || rest[length] != '.')) continue;
        if (length > 0) rest += length + 1;
        if (strcmp(rest, name) == 0) return fact;
    }
    return NULL;
}

// How many of the fact's groups, counted from the outside, there are up to the end of `name`, which begins at the
// group `from`; 0: it is not in that group, or `name` is empty.
static int fact_depth_in(const Fact *fact, int from, const char *name) {
    for (int g = from; g < fact->depth; g++) {
        size_t length = strlen(fact->groups[g].name);
        if (strncmp(name, fact->groups[g].name, length) != 0) return 0;
        name += length;
        if (*name == '\0') return g + 1;
        if (*name++ != '.') return 0;
    }
    return 0;
}

bool fact_has_group_in(const FactList *list, const char *group, const char *name) {
    for (size_t k = 0; k < list->facts.count; k++) {
        int from = fact_depth_in(&list->facts.data[k], 0, group);
        if (*group && from == 0) continue;
        if (fact_depth_in(&list->facts.data[k], from, name) > 0) return true;
    }
    return false;
}

bool fact_has_group(const FactList *list, const char *name) { return fact_has_group_in(list, "", name); }

// The member of `parent` that the fact is in; NULL: it is not in one.
static const FactGroup *fact_member(const Fact *fact, const char *parent) {
    int depth = fact_depth_in(fact, 0, parent);
    if ((*parent && depth == 0) || fact->depth <= depth) return NULL;
    return &fact->groups[depth];
}

const char *fact_next_group(const FactList *list, const char *parent, size_t *at) {
    const FactGroup *found = NULL;
    for (; *at < list->facts.count; ++*at) {
        const FactGroup *group = fact_member(&list->facts.data[*at], parent);
        if (found && (!group || strcmp(group->name, found->name) != 0)) break;
        if (group) found = group;
    }
    return found ? found->name : NULL;
}

// ---- the public list -----------------------------------------------------------------------------
MrcFacts *facts_create(void) {
    MrcFacts *facts = calloc(1, sizeof *facts);
    Arena *arena = facts ? arena_create() : NULL;
    if (!arena) {
        free(facts);
        return NULL;
    }
    facts->arena = arena;
    fact_list_start(&facts->list, arena);
    return facts;
}

int mrc_facts_count(const MrcFacts *facts) { return facts ? (int)facts->list.facts.count : 0; }

const MrcFact *mrc_facts_get(const MrcFacts *facts, int index) {
    if (index < 0 || index >= mrc_facts_count(facts)) return NULL;
    return &facts->list.facts.data[index].value;
}

const MrcFact *mrc_facts_find(const MrcFacts *facts, const char *name) {
    return facts ? fact_find(&facts->list, name) : NULL;
}

void mrc_facts_free(MrcFacts *facts) {
    if (!facts) return;
    fact_list_free(&facts->list);
    arena_destroy(facts->arena);
    free(facts);
}
