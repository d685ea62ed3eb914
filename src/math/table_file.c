// A table from a text file, as measuring programs and spreadsheets write it:
//
//     # shaker, third run
//     t[s],a[m/s^2],remark
//     0,0.12,
//     0.001,0.35,begin
//
// The first line names the columns, with their units in brackets as in series.csv. Columns are separated by
// semicolons, tabs, commas or blanks: whichever of them, in this order, is in the first line. Empty lines and
// lines that begin with '#' are skipped; fields may be in double quotes. Only the two columns that are asked
// for must be numbers.
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "math/expression.h"
#include "math/table.h"

enum {
    TABLE_FILE_BYTES_MAX = 1000000000,
    TABLE_FILE_NUMBER_MAX = 127, // characters of one number
    TABLE_FILE_SHOWN = 40,       // characters of a field in a message
    TABLE_FILE_LISTED = 8,       // columns in a message
};

// A part of a line, blanks and quotes around it removed.
typedef struct TableField {
    const char *start;
    size_t length;
    int column; // of its first byte in the line, from 1
} TableField;

// A heading: `a[m/s^2]` is the name `a` and the unit `m/s^2`.
typedef struct TableHeading {
    const char *name, *unit;
    size_t name_length, unit_length;
    bool has_unit;
    bool broken; // something is wrong with its brackets
} TableHeading;

typedef struct TableReader {
    const char *name;            // of the file
    const char *next;            // line
    int line;                    // of the last one read, from 1
    const char *line_start;      // where it begins,
    const char *line_end;        // and ends
    const char *at;              // the next field; NULL: there is none
    char separator;              // ' ' stands for blanks
    bool over_frequency;         // the first of the two columns has frequencies, not times
    int time_place, value_place; // which columns, from 0
    TableField time, value;      // their headings
    double time_factor, factor;  // to SI
    int column_count;            // that the first line names
    TableSamples *samples;       // what has been read
} TableReader;

// ---- lines and fields ----------------------------------------------------------------------------
// Goes to the next line that holds something; false after the last.
static bool table_file_line(TableReader *reader) {
    while (*reader->next) {
        const char *line = reader->next, *end = line + strcspn(line, "\r\n");
        reader->next = end + (*end == '\r' && end[1] == '\n') + (*end != '\0');
        reader->line++;
        const char *first = line + strspn(line, " \t");
        if (first >= end || *first == '#') continue;
        reader->line_start = line;
        reader->line_end = end;
        reader->at = reader->separator == '\t' ? line : first;
        return true;
    }
    return false;
}

static bool table_file_is_blank(char c) { return c == ' ' || c == '\t'; }

// Where the field that begins at `c` ends. Separators in quotes and in brackets are none.
static const char *table_file_end(const TableReader *reader, const char *c) {
    bool quoted = false, bracketed = false;
    for (; c < reader->line_end; c++) {
        if (*c == '"') quoted = !quoted;
        else if (*c == '[') bracketed = true;
        else if (*c == ']') bracketed = false;
        else if (!quoted && !bracketed &&
                 (*c == reader->separator || (reader->separator == ' ' && *c == '\t')))
            break;
    }
    return c;
}

static TableField table_file_trim(const TableReader *reader, const char *start, const char *end) {
    while (start < end && (table_file_is_blank(*start) || *start == '"')) start++;
    while (end > start && (table_file_is_blank(end[-1]) || end[-1] == '"')) end--;
    return (TableField){start, (size_t)(end - start), (int)(start - reader->line_start) + 1};
}

// The next field of the line; false after the last. Nothing after the last separator is no field.
static bool table_file_field(TableReader *reader, TableField *field) {
    if (!reader->at) return false;
    const char *start = reader->at, *end = table_file_end(reader, start), *after = end;
    while (after < reader->line_end && table_file_is_blank(*after)) after++;
    if (reader->separator == ' ' && after < reader->line_end && *after == '[') { // a [m/s^2]
        end = table_file_end(reader, after);
        for (after = end; after < reader->line_end && table_file_is_blank(*after);) after++;
    }
    *field = table_file_trim(reader, start, end);
    if (reader->separator == ' ') reader->at = after < reader->line_end ? after : NULL;
    else reader->at = end < reader->line_end ? end + 1 : NULL;
    return reader->at || field->length > 0;
}

static int table_file_shown(size_t length) {
    return length < TABLE_FILE_SHOWN ? (int)length : TABLE_FILE_SHOWN;
}

// ---- headings ------------------------------------------------------------------------------------
static TableHeading table_file_heading(const char *start, size_t length) {
    const char *bracket = memchr(start, '[', length);
    const char *close = bracket ? memchr(bracket, ']', length - (size_t)(bracket - start)) : NULL;
    TableHeading heading = {.name = start, .name_length = bracket ? (size_t)(bracket - start) : length};
    while (heading.name_length > 0 && table_file_is_blank(start[heading.name_length - 1]))
        heading.name_length--;
    heading.broken = bracket && close != start + length - 1;
    heading.has_unit = bracket && !heading.broken;
    if (!heading.has_unit) return heading;
    heading.unit = bracket + 1;
    heading.unit_length = (size_t)(close - bracket) - 1;
    return heading;
}

static bool table_file_same(const char *a, size_t a_length, const char *b, size_t b_length) {
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

// Is the heading the one that is asked for, with its unit or without?
static bool table_file_is_asked(TableField field, const char *asked) {
    TableHeading found = table_file_heading(field.start, field.length);
    TableHeading wanted = table_file_heading(asked, strlen(asked));
    if (!table_file_same(found.name, found.name_length, wanted.name, wanted.name_length)) return false;
    if (!wanted.has_unit) return !wanted.broken;
    return found.has_unit && table_file_same(found.unit, found.unit_length, wanted.unit, wanted.unit_length);
}

// "there is no column 'b'; did you mean 'a[m]'?"
static MrcStatus table_file_no_column(TableReader *reader, const char *asked, Arena *arena, MrcError *error) {
    ARRAY(const char *) headings = {0};
    const char *list = "";
    reader->at = reader->line_start + strspn(reader->line_start, " \t");
    for (TableField field; table_file_field(reader, &field);) {
        const char *heading = arena_strndup(arena, field.start, (size_t)table_file_shown(field.length));
        if (!heading || !array_push(&headings, heading)) break;
        const char *more = headings.count > TABLE_FILE_LISTED ? list
                           : headings.count == 1 ? arena_printf(arena, "; the columns are %s", heading)
                                                 : arena_printf(arena, "%s, %s", list, heading);
        if (more) list = more;
    }
    const char *nearest = nearest_word(asked, strlen(asked), headings.data, headings.count);
    // The path may name any file: nothing is quoted from one that has no headings with units.
    if (nearest || !strchr(list, '[')) list = "";
    MrcStatus status =
        error_set(error, MRC_READ_FAILED, "%s:%d: there is no column '%.*s'%s%s%s%s", reader->name,
                  reader->line, table_file_shown(strlen(asked)), asked, list,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    array_free(&headings);
    return status;
}

static MrcStatus table_file_units(const TableReader *reader, TableField field, bool *has_unit, Units *units,
                                  MrcError *error) {
    TableHeading heading = table_file_heading(field.start, field.length);
    *units = (Units){.factor = 1};
    *has_unit = heading.has_unit;
    if (heading.broken)
        return error_set(error, MRC_READ_FAILED, "%s:%d:%d: this heading should have the form a[m/s^2]",
                         reader->name, reader->line, field.column);
    if (!heading.has_unit) return MRC_OK;
    char text[TABLE_FILE_NUMBER_MAX + 1];
    ExpressionError wrong = {.text = "it is too long"};
    bool fits = heading.unit_length < sizeof text;
    if (fits) {
        memcpy(text, heading.unit, heading.unit_length);
        text[heading.unit_length] = '\0';
    }
    if (fits && expression_units(text, units, &wrong)) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "%s:%d:%d: the unit of column '%.*s': %s", reader->name,
                     reader->line, field.column, table_file_shown(field.length), field.start, wrong.text);
}

static char table_file_separator(const TableReader *reader) {
    TableReader probe = *reader;
    for (const char *each = ";\t,"; *each; each++) {
        probe.separator = *each;
        if (table_file_end(&probe, reader->at) < reader->line_end) return *each;
    }
    return ' ';
}

// Finds a column; -1 when it is not there, -2 when it is there twice.
static int table_file_find(TableReader *reader, const char *asked, TableField *heading) {
    int place = -1, count = 0;
    reader->at = reader->line_start + strspn(reader->line_start, " \t");
    for (TableField field; table_file_field(reader, &field); count++) {
        if (asked ? !table_file_is_asked(field, asked) : count > 0) continue;
        place = place == -1 ? count : -2;
        *heading = field;
    }
    reader->column_count = count;
    return place;
}

static MrcStatus table_file_choose(TableReader *reader, const char *asked, Arena *arena, int *place,
                                   TableField *heading, MrcError *error) {
    *place = table_file_find(reader, asked, heading);
    if (*place == -1) return table_file_no_column(reader, asked ? asked : "", arena, error);
    if (*place == -2)
        return error_set(error, MRC_READ_FAILED, "%s:%d:%d: column '%.*s' is there twice", reader->name,
                         reader->line, heading->column, table_file_shown(heading->length), heading->start);
    return MRC_OK;
}

static MrcStatus table_file_headings(TableReader *reader, const char *time, const char *column, Arena *arena,
                                     MrcError *error) {
    if (!table_file_line(reader))
        return error_set(error, MRC_READ_FAILED, "%s: the file is empty", reader->name);
    reader->separator = table_file_separator(reader);
    MrcStatus status = table_file_choose(reader, time, arena, &reader->time_place, &reader->time, error);
    if (status == MRC_OK)
        status = table_file_choose(reader, column, arena, &reader->value_place, &reader->value, error);
    reader->samples->found = status == MRC_OK;
    bool has_unit;
    Units units;
    if (status == MRC_OK) status = table_file_units(reader, reader->time, &has_unit, &units, error);
    if (status != MRC_OK) return status;
    if (has_unit && !dimension_equal(units.dimension, reader->over_frequency ? DIM_FREQUENCY : DIM_TIME)) {
        char text[96];
        return error_set(error, MRC_READ_FAILED, "%s:%d:%d: the %s are in column '%.*s', which is %s",
                         reader->name, reader->line, reader->time.column,
                         reader->over_frequency ? "frequencies" : "times",
                         table_file_shown(reader->time.length), reader->time.start,
                         dimension_describe(units.dimension, text, sizeof text));
    }
    reader->time_factor = units.factor;
    TableSamples *samples = reader->samples;
    status = table_file_units(reader, reader->value, &samples->has_unit, &samples->units, error);
    reader->factor = samples->units.factor;
    return status;
}

// ---- numbers -------------------------------------------------------------------------------------
static MrcStatus table_file_number(const TableReader *reader, TableField heading, TableField field,
                                   double factor, double *value, MrcError *error) {
    char digits[TABLE_FILE_NUMBER_MAX + 1];
    bool good = field.length > 0 && field.length < sizeof digits;
    if (good) {
        memcpy(digits, field.start, field.length);
        digits[field.length] = '\0';
        char *end = digits;
        good = strspn(digits, "0123456789+-.eE") == field.length;
        *value = good ? units_to_si(number_read(digits, &end), factor) : NAN;
        good = good && *end == '\0' && isfinite(*value);
    }
    if (good) return MRC_OK;
    bool comma = field.length > 0 && memchr(field.start, ',', field.length);
    return error_set(error, MRC_READ_FAILED, "%s:%d:%d: '%.*s' is '%.*s'; expected a finite number%s",
                     reader->name, reader->line, field.column, table_file_shown(heading.length),
                     heading.start, table_file_shown(field.length), field.start,
                     comma ? ", with a point before its decimals" : "");
}

static MrcStatus table_file_sample(TableReader *reader, MrcError *error) {
    TableSamples *samples = reader->samples;
    size_t k = samples->count;
    int place = 0;
    MrcStatus status = MRC_OK;
    TableField time = {0};
    for (TableField field; status == MRC_OK && table_file_field(reader, &field); place++) {
        if (place == reader->time_place) {
            time = field;
            status = table_file_number(reader, reader->time, field, reader->time_factor, &samples->times[k],
                                       error);
        }
        if (place == reader->value_place && status == MRC_OK)
            status =
                table_file_number(reader, reader->value, field, reader->factor, &samples->values[k], error);
    }
    if (status != MRC_OK) return status;
    if (place <= reader->time_place || place <= reader->value_place || place > reader->column_count)
        return error_set(error, MRC_READ_FAILED, "%s:%d: %s than the %d columns of the headings",
                         reader->name, reader->line, place > reader->column_count ? "more" : "fewer",
                         reader->column_count);
    if (k > 0 && !(samples->times[k] > samples->times[k - 1]))
        return error_set(error, MRC_READ_FAILED,
                         "%s:%d:%d: the %s %.*s does not come after that of the line before", reader->name,
                         reader->line, time.column, reader->over_frequency ? "frequency" : "time",
                         table_file_shown(time.length), time.start);
    samples->count++;
    return MRC_OK;
}

static MrcStatus table_file_samples(TableReader *reader, Arena *arena, MrcError *error) {
    TableSamples *samples = reader->samples;
    size_t most = 1; // lines that are left
    for (const char *c = reader->next; *c; c++) most += *c == '\n' || *c == '\r';
    samples->times = arena_alloc(arena, most * sizeof *samples->times);
    samples->values = arena_alloc(arena, most * sizeof *samples->values);
    if (!samples->times || !samples->values) return error_memory(error, "the table");
    while (table_file_line(reader)) {
        MrcStatus status = table_file_sample(reader, error);
        if (status != MRC_OK) return status;
    }
    if (samples->count >= (reader->over_frequency ? 1 : 2)) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "%s: there are fewer than %s below the headings", reader->name,
                     reader->over_frequency ? "one line" : "two lines");
}

// ---- the whole -----------------------------------------------------------------------------------
static MrcStatus table_file_parse(const char *text, size_t length, const char *name, bool over_frequency,
                                  const char *time, const char *column, Arena *arena, TableSamples *samples,
                                  MrcError *error) {
    *samples = (TableSamples){0};
    if (strlen(text) != length)
        return error_set(error, MRC_READ_FAILED, "%s: there is a NUL in it: this is not a text file", name);
    TableReader reader = {.name = name, .next = text, .samples = samples, .over_frequency = over_frequency};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) reader.next += 3; // a byte order mark, as spreadsheets write
    MrcStatus status = table_file_headings(&reader, time, column, arena, error);
    if (status == MRC_OK) status = table_file_samples(&reader, arena, error);
    return status;
}

MrcStatus table_parse(const char *text, size_t length, const char *name, const char *time, const char *column,
                      Arena *arena, TableSamples *samples, MrcError *error) {
    return table_file_parse(text, length, name, false, time, column, arena, samples, error);
}

static MrcStatus table_file_read(const char *path, bool over_frequency, const char *time, const char *column,
                                 Arena *arena, TableSamples *samples, MrcError *error) {
    char *text;
    size_t length;
    *samples = (TableSamples){0};
    MrcStatus status = file_read(path, TABLE_FILE_BYTES_MAX, &text, &length, error);
    if (status != MRC_OK) return status;
    status = table_file_parse(text, length, path, over_frequency, time, column, arena, samples, error);
    free(text);
    return status;
}

MrcStatus table_read(const char *path, const char *time, const char *column, Arena *arena,
                     TableSamples *samples, MrcError *error) {
    return table_file_read(path, false, time, column, arena, samples, error);
}

MrcStatus table_read_over_frequency(const char *path, const char *frequency, const char *column, Arena *arena,
                                    TableSamples *samples, MrcError *error) {
    return table_file_read(path, true, frequency, column, arena, samples, error);
}

static MrcStatus table_file_find_frequency(TableReader *reader, Arena *arena, const char **column,
                                           MrcError *error) {
    if (!table_file_line(reader))
        return error_set(error, MRC_READ_FAILED, "%s: the file is empty", reader->name);
    reader->separator = table_file_separator(reader);
    reader->at = reader->line_start + strspn(reader->line_start, " \t");
    bool first = true;
    for (TableField field; table_file_field(reader, &field); first = false) {
        bool has_unit;
        Units units;
        MrcError own; // a heading that cannot be parsed is an error only if its column is used
        if (table_file_units(reader, field, &has_unit, &units, &own) != MRC_OK || !has_unit) continue;
        if (first && dimension_equal(units.dimension, DIM_TIME)) return MRC_OK;
        if (!dimension_equal(units.dimension, DIM_FREQUENCY)) continue;
        *column = arena_strndup(arena, field.start, field.length);
        return *column ? MRC_OK : error_memory(error, "the table");
    }
    return MRC_OK;
}

MrcStatus table_find_frequency(const char *path, Arena *arena, const char **column, MrcError *error) {
    char *text;
    size_t length;
    *column = NULL;
    MrcStatus status = file_read(path, TABLE_FILE_BYTES_MAX, &text, &length, error);
    if (status != MRC_OK) return status;
    TableReader reader = {.name = path, .next = text};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) reader.next += 3;
    status = table_file_find_frequency(&reader, arena, column, error);
    free(text);
    return status;
}
