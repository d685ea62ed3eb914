// Solutions with the triangular factors of KLU, by dense panels.
//
// The six degrees of freedom of a node have the same neighbours, so that groups of columns of L and U have
// nearly the same rows. A group is stored as one dense panel with one list of rows. This is several times
// faster than column by column.
#ifndef MECHANISM_PANELS_H
#define MECHANISM_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <suitesparse/klu.h>

typedef struct Panel {
    int first, width; // columns
    int row_count;    // number of other rows
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
    double *product;  // [T^-1; V T^-1] of panels.c, one block of rows after the other
    double *scale;    // of rows: 1/R, in the order of pivots
    double *x, *sums; // scratch
    // The columns of KLU, and the place of each of their numbers in `values`
    int *lower_starts, *lower_rows, *upper_starts, *upper_rows;
    double *lower_numbers, *upper_numbers;
    size_t *lower_places, *upper_places;
} Panels;

// For the factors of `numeric`, of which only the values may change afterwards. False: no memory, or
// factors in several blocks; klu_solve is used then.
bool panels_create(Panels *panels, klu_numeric *numeric, klu_symbolic *symbolic, klu_common *common);
void panels_destroy(Panels *panels);
bool panels_fill(Panels *panels, klu_numeric *numeric, klu_symbolic *symbolic,
                 klu_common *common); // new values
void panels_solve(const Panels *panels, const klu_numeric *numeric, const klu_symbolic *symbolic, double *b);

#endif
