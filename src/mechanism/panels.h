// Solving with the triangles that KLU has found, by dense panels.
//
// The six freedoms of a node have the same neighbours, so that columns of L and U come in groups with nearly
// the same rows. A group is stored as one dense panel whose columns are used together, with one list of rows:
// several times faster than column by column.
#ifndef MECHANISM_PANELS_H
#define MECHANISM_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <suitesparse/klu.h>

typedef struct Panel {
    int first, width; // columns
    int row_count;    // of other rows
    int height;       // own and other rows, rounded up to whole blocks
    size_t rows;      // where the others begin in Panels.rows
    size_t values;    // where the panel begins in Panels.values and Panels.product
} Panel;

typedef struct Panels {
    int size;
    Panel *lower, *upper; // in the order of use
    int lower_count, upper_count;
    int *rows;
    double *values;   // columns of `height` numbers, own rows first
    double *product;  // what is used, see panels.c: block after block of rows
    double *scale;    // of rows: 1/R, in the order of pivots
    double *x, *sums; // scratch
    // KLU's columns, and the place of each of their numbers in `values`
    int *lower_starts, *lower_rows, *upper_starts, *upper_rows;
    double *lower_numbers, *upper_numbers;
    size_t *lower_places, *upper_places;
} Panels;

// For the factors of `numeric`, in which only numbers may change from then on. False: no memory, or factors
// in several blocks; klu_solve has to do.
bool panels_create(Panels *panels, klu_numeric *numeric, klu_symbolic *symbolic, klu_common *common);
void panels_destroy(Panels *panels);
bool panels_fill(Panels *panels, klu_numeric *numeric, klu_symbolic *symbolic, klu_common *common); // numbers
void panels_solve(const Panels *panels, const klu_numeric *numeric, const klu_symbolic *symbolic, double *b);

#endif
