// What is wrong with a model file, each finding with its place. Findings are collected, never thrown: the
// user sees all of them in one go.
#ifndef MODEL_DIAGNOSTICS_H
#define MODEL_DIAGNOSTICS_H

#include "base/memory.h"
#include "maraca/maraca.h"

// Where something was written. Line and column count from 1; line 0 stands for the file as a whole.
typedef struct Place {
    int file; // index into Diagnostics.files
    int line, column;
} Place;

typedef struct Finding {
    MrcDiagnostic shown;
    Place place;
    size_t order; // of discovery
} Finding;

typedef struct Diagnostics {
    Arena *arena; // holds the texts; not owned
    ARRAY(Finding) list;
    ARRAY(const char *) files; // as the user names them
    size_t error_count;        // including those beyond the limit
    bool out_of_memory;
} Diagnostics;

enum { DIAGNOSTICS_LIMIT = 50 }; // errors kept; the rest is counted and summed up in one line

int diagnostics_add_file(Diagnostics *diagnostics, const char *name); // its index

// The same finding twice (a part of the file shared by an alias) is kept once.
void diagnostics_error(Diagnostics *diagnostics, Place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diagnostics_warning(Diagnostics *diagnostics, Place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diagnostics_memory(Diagnostics *diagnostics); // an allocation failed

void diagnostics_finish(Diagnostics *diagnostics); // sorts by place, adds "and more" when over the limit
void diagnostics_free(Diagnostics *diagnostics);

#endif
