// A function of time given by samples, such as a measured acceleration, with exact derivatives. A table never
// changes once it is made: any number of threads may evaluate it.
#ifndef MATH_TABLE_H
#define MATH_TABLE_H

#include "base/error.h"
#include "base/memory.h"
#include "math/jet.h"
#include "math/unit.h"

typedef enum TableInterpolation {
    TABLE_LINEAR, // straight lines: the rate jumps at every sample
    TABLE_CUBIC,  // a cubic spline: rate and second derivative are continuous
} TableInterpolation;

// What holds before the first and after the last sample.
typedef enum TableOutside {
    TABLE_HOLD,   // the first and the last value
    TABLE_REPEAT, // the samples are one period, the last one being the first of the next
    TABLE_REFUSE, // nothing: values there are NaN, which ends a simulation
} TableOutside;

// value + x (rate + x (half_second + x sixth_third)), x being the time since the sample.
typedef struct TablePiece {
    double value, rate, half_second, sixth_third;
} TablePiece;

typedef struct Table {
    size_t count;             // samples, at least 2
    const double *times;      // [s], increasing (count)
    const TablePiece *pieces; // from each sample to the next (count - 1)
    double last_value;        // at the last sample
    double pieces_per_second; // if they were all of the same length
    TableInterpolation interpolation;
    TableOutside outside;
} Table;

// Copies the samples. MRC_READ_FAILED when there are fewer than two, times do not increase, the ends of a
// period differ, or a number is not finite or too large.
MrcStatus table_create(Arena *arena, const double *times, const double *values, size_t count,
                       TableInterpolation interpolation, TableOutside outside, const Table **table,
                       MrcError *error);

// Just to the right of t, except at the last sample, where it is from the left: a run that ends with its
// table has a velocity there.
Jet table_jet(const Table *table, double t);

double table_first_time(const Table *table);
double table_last_time(const Table *table);
// Do the samples reach from `begin` to `end`, but for rounding?
bool table_covers(const Table *table, double begin, double end);

// ---- files (table_file.c) ------------------------------------------------------------------------
typedef struct TableSamples {
    double *times;  // [s] (count)
    double *values; // (count), in SI when the column has a unit, otherwise as written
    size_t count;
    bool found;    // there is a column of values, whatever else may be wrong
    bool has_unit; // of that column
    Units units;   // likewise
} TableSamples;

// Reads two columns of a text file: a line of headings, then one line per sample. `time` and `column` name
// the columns, with their units or without; `time` NULL: the first one. Messages name file, line and column.
MrcStatus table_read(const char *path, const char *time, const char *column, Arena *arena,
                     TableSamples *samples, MrcError *error);
// The same of values over frequency: `times` are frequencies [Hz], and one line is enough.
MrcStatus table_read_over_frequency(const char *path, const char *frequency, const char *column, Arena *arena,
                                    TableSamples *samples, MrcError *error);
// Is it a table over frequency? *column: the first heading with a unit of frequency, or NULL: there is none, or the
// first column has times.
MrcStatus table_find_frequency(const char *path, Arena *arena, const char **column, MrcError *error);
// The same from memory: text[length] is NUL. `name` is for messages.
MrcStatus table_parse(const char *text, size_t length, const char *name, const char *time, const char *column,
                      Arena *arena, TableSamples *samples, MrcError *error);

#endif
