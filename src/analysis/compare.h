// One model run in several variants, side by side.
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "base/fact.h"
#include "base/memory.h"
#include "maraca/maraca.h"

// What one variant changes: "name:path=value+path=value", "scheme+path=value", "path=value", "scheme".
typedef struct Variant {
    const char *name;
    const char **overrides; // "path=value"
    int override_count;
    bool by_scheme; // names a coupling scheme by its word alone
    // what came of it
    MrcStatus status;
    char message[1024];
    MrcRunInfo info;
    int column_count;
    const char **names, **units; // of the columns (column_count); the first is the time
    ARRAY(double) values;        // rows of column_count
    double *difference; // per column of the reference: r.m.s. over r.m.s., at its instants; NAN: not known
} Variant;

// Splits the text at commas that are not inside brackets or quotes. MRC_USAGE: something is empty or named
// twice.
MrcStatus compare_read(const char *text, Arena *arena, Variant **variants, int *count, MrcError *error);

// What the others are compared with: the first that got to its end; if none did, the first.
const Variant *compare_reference(const Variant *variants, int count);

// How far the columns of `other` are from those of `first`, in other->difference.
MrcStatus compare_series(const Variant *first, Variant *other, Arena *arena, MrcError *error);

void compare_facts(const char *model, const Variant *variants, int count, FactList *list);
char *compare_report(const FactList *facts); // tables for people

#endif
