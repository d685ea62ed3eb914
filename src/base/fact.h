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
//
// A list that ran out of memory stays incomplete and says so.
#ifndef BASE_FACT_H
#define BASE_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef enum FactKind { FACT_NUMBER, FACT_COUNT, FACT_FLAG, FACT_TEXT } FactKind;

enum { FACT_DEPTH_MAX = 8 };

typedef struct Fact {
    const char *const *groups; // names of its groups, from the outside: "grains", "damper"
    int depth;                 // how many
    const char *key;           // in its group: "mass_kg"
    FactKind kind;
    double number;     // FACT_NUMBER, in SI units; not finite: it does not apply, or is not known
    double error;      // half the width of its confidence interval; NAN: unknown
    int64_t count;     // FACT_COUNT
    bool flag;         // FACT_FLAG
    const char *text;  // FACT_TEXT; NULL: none
    const char *unit;  // of a number: "kg", "1"
    const char *words; // for people: "mass"
} Fact;

typedef struct FactList {
    Arena *arena;
    ARRAY(Fact) facts;
    const char *groups[FACT_DEPTH_MAX]; // open now
    int depth;                          // how many
    bool incomplete;                    // memory ran out
} FactList;

void fact_list_start(FactList *list, Arena *arena); // names and texts are copied to the arena
void fact_list_free(FactList *list);

void fact_group_begin(FactList *list, const char *name); // groups nest
void fact_group_end(FactList *list);

void fact_number(FactList *list, const char *key, double value, const char *unit, const char *words);
void fact_number_with_error(FactList *list, const char *key, double value, double error, const char *unit,
                            const char *words);
void fact_count(FactList *list, const char *key, int64_t value, const char *words);
void fact_flag(FactList *list, const char *key, bool value, const char *words);
void fact_text(FactList *list, const char *key, const char *value, const char *words);

// By its whole name, "grains.damper.mass_kg"; NULL: there is none.
const Fact *fact_find(const FactList *list, const char *name);

#endif
