// series.csv: one line of names with units, then one line of numbers per sample.
//
//     t[s],shell.y[m]
//     0,0.0012
//     0.001,0.0011999999999999999
//
// Lines end with '\n'; numbers read back to the very same doubles. Lines are collected and written whole, in
// one write(2) per flush. (The kernel may show a large write page by page: a program that reads while the simulation
// runs should pass over a last line that has no end yet.)
#ifndef OUTPUT_SERIES_H
#define OUTPUT_SERIES_H

#include <stdint.h>

#include "base/error.h"

typedef struct Series Series;

// A new file with its first line, in place of any old one. `units` are SI symbols, "1" for a pure number.
MrcStatus series_create(Series **series, const char *path, const char *const *names, const char *const *units,
                        int count, MrcError *error);

// Goes on with a file after a restart: cuts off what was written after the checkpoint. MRC_CHECKPOINT, and
// the file untouched, when it is shorter than `length` or has another first line.
MrcStatus series_resume(Series **series, const char *path, const char *const *names, const char *const *units,
                        int count, uint64_t length, MrcError *error);

// Where the last line begins of a file that is `length` bytes long; `length` when it cannot be read.
uint64_t series_without_last_row(const char *path, uint64_t length);

MrcStatus series_append(Series *series, const double *row, MrcError *error); // keeps the line in memory
MrcStatus series_flush(Series *series, MrcError *error); // to the file; lines that did not fit stay in memory
MrcStatus series_sync(Series *series, MrcError *error);  // flush, then to the disk
uint64_t series_length(const Series *series);            // of the file as of the last flush [bytes]
MrcStatus series_close(Series *series, MrcError *error); // flush and free, also on error; NULL is fine

#endif
