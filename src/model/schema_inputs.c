// inputs
#include "math/input.h"
#include "model/schema_sections.h"

static const SchemaChoice interpolations[] = {
    {"linear", TABLE_LINEAR, "straight lines between the samples; the rate jumps at each of them"},
    {"cubic", TABLE_CUBIC, "a cubic spline, for motions: rate and second derivative are continuous"},
    {NULL, 0, NULL},
};
static const SchemaChoice outsides[] = {
    {"hold", TABLE_HOLD, "the first and the last value"},
    {"repeat", TABLE_REPEAT, "the table is one period; its last line is the first one of the next"},
    {"error", TABLE_REFUSE, "nothing: the table must last as long as the simulation"},
    {NULL, 0, NULL},
};
static const SchemaKey input_keys[] = {
    {"unit", TEXT(InputDefinition, unit), .fallback_words = "that of `default` or of the table's column",
     .doc = "Unit of the input, such as `N`, `m/s^2`, or `1` for a pure number. A `default` or a column "
            "without a unit is in it."},
    {"default", QUANTITY(InputDefinition, fallback), .any_dimension = true, .fallback_words = "0",
     .doc = "Its value until one is set."},
    {"table", TEXT(InputDefinition, path), .fallback_words = "none",
     .doc = "A text file with its values over time, relative to the file that names it. The first line names "
            "the columns, with units as in series.csv: `t[s],a[m/s^2]`. Columns are separated by commas, "
            "semicolons, tabs or blanks; lines that begin with `#` are skipped. Times must increase."},
    {"time", TEXT(InputDefinition, time), .fallback_words = "the first column",
     .doc = "Heading of the column with the times, with its unit or without; times without a unit are in "
            "seconds."},
    {"column", TEXT(InputDefinition, column), .fallback_words = "the one of the input's name",
     .doc = "Heading of the column with the values, with its unit or without."},
    {"interpolation", CHOICE(InputDefinition, interpolation, interpolations), .fallback = "linear",
     .doc = "What holds between two lines of the table."},
    {"outside", CHOICE(InputDefinition, outside, outsides), .fallback = "hold",
     .doc = "What holds before the first and after the last line of the table."},
};

const SchemaObject schema_input = {
    .name = "input",
    .doc = "A quantity from outside: a control force, a measured motion. Formulas use it by its name.",
    .size = sizeof(InputDefinition),
    .name_offset = offsetof(InputDefinition, name),
    SCHEMA_KEYS(input_keys),
    .at_most_one = {"default table"},
    .short_key = "default",
    .example = "inputs:\n"
               "  u: {unit: N, default: 0}\n"
               "  gain: 3 N*s/m\n"
               "  a_m: {table: measured.csv, time: \"t[s]\", column: \"a[m/s^2]\", interpolation: cubic}\n",
};
