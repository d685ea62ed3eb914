// Facts: typed results. Whatever is printed, written to JSON, compared or optimised is made of them, so that no
// number is formatted twice by hand.
//
//     FactList facts;
//     fact_list_start(&facts, arena);
//     fact_group_begin(&facts, "grains");
//     fact_group_begin(&facts, "damper");
//     fact_number(&facts, "mass_kg", 0.007, "kg", "mass");       // grains.damper.mass_kg
//     fact_group_end(&facts);
//     fact_group_end(&facts);
//     fact_array_begin(&facts, "warnings");
//     fact_text(&facts, NULL, "the step is long", "warning");    // warnings.0
//     fact_group_end(&facts);
//
// A list that ran out of memory stays incomplete and says so.
#ifndef BASE_FACT_H
#define BASE_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "maraca/facts.h"

enum { FACT_DEPTH_MAX = 8 };

typedef struct FactGroup {
    const char *name; // "grains"; of an item of an array its number
    bool array;       // its members have numbers instead of keys
} FactGroup;

typedef struct Fact {
    MrcFact value;           // with its whole name
    const FactGroup *groups; // that it is in, from the outside: "grains", "damper"
    int depth;               // how many
    const char *key;         // in its group: "mass_kg"
} Fact;

// A group that is open.
typedef struct FactOpen {
    const FactGroup *path; // it and those around it
    int members;           // so far
} FactOpen;

typedef struct FactList {
    Arena *arena;
    ARRAY(Fact) facts;
    FactOpen open[FACT_DEPTH_MAX];
    int depth;       // of open groups
    int members;     // of the outermost level so far
    bool incomplete; // memory ran out
} FactList;

void fact_list_start(FactList *list, Arena *arena); // names, texts, units and words are copied to the arena
void fact_list_free(FactList *list);

// Groups nest. A name NULL: an item of the array that is open. A group without members becomes a fact of the kind
// MRC_FACT_EMPTY.
void fact_group_begin(FactList *list, const char *name);
void fact_array_begin(FactList *list, const char *name);
void fact_group_end(FactList *list); // of both

// A key NULL: an item of the array that is open.
void fact_number(FactList *list, const char *key, double value, const char *unit, const char *words);
void fact_number_with_error(FactList *list, const char *key, double value, double error, const char *unit,
                            const char *words);
void fact_count(FactList *list, const char *key, int64_t value, const char *words);
void fact_flag(FactList *list, const char *key, bool value, const char *words);
void fact_text(FactList *list, const char *key, const char *value, const char *words);

// By its whole name, "grains.damper.mass_kg"; NULL: there is none.
const MrcFact *fact_find(const FactList *list, const char *name);
bool fact_has_group(const FactList *list, const char *name); // "grains.damper"
// The same within a group: "grains.damper", "mass_kg".
const MrcFact *fact_find_in(const FactList *list, const char *group, const char *name);
bool fact_has_group_in(const FactList *list, const char *group, const char *name);
// The name of the next group directly in the group `parent` ("" for the outermost), whose facts stand side by side;
// *at is 0 at first. NULL: there is no other.
const char *fact_next_group(const FactList *list, const char *parent, size_t *at);

// A list with memory of its own, as the public interface hands it out. NULL: memory is out.
struct MrcFacts {
    Arena *arena;
    FactList list;
};
MrcFacts *facts_create(void);

#endif
