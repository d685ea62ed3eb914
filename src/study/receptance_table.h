// A receptance that is known at some frequencies, in between.
#ifndef STUDY_RECEPTANCE_TABLE_H
#define STUDY_RECEPTANCE_TABLE_H

#include <complex.h>
#include <stddef.h>

typedef struct ReceptanceTable {
    const double *frequencies;      // [Hz]; rising
    const double *real, *imaginary; // [m/N]
    size_t count;                   // at least 2
} ReceptanceTable;

// At a frequency within the table, by every `stride`-th line and the last one. A result by every second line that is far
// from that by all of them says that the lines are too far apart.
double complex receptance_table_at(const ReceptanceTable *table, size_t stride, double frequency);

#endif
