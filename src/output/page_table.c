#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/number.h"
#include "output/page_data.h"

typedef struct PageTable {
    char *text;             // of the file; headings point into it
    ARRAY(char *) headings; // "shell.y[m]"
    ARRAY(double) values;   // row by row
    size_t rows;
    size_t stretch; // rows of the file that became two of the table; 1: it is whole
} PageTable;

static void page_table_free(PageTable *table) {
    free(table->text);
    array_free(&table->headings);
    array_free(&table->values);
}

// Splits the first line at its commas; headings in quotes may hold commas and doubled quotes. Returns what follows it.
static char *page_table_headings(PageTable *table) {
    char *at = table->text;
    for (;;) {
        char *begin = at, *end;
        if (*at == '"') {
            for (begin = end = ++at; *at && !(at[0] == '"' && at[1] != '"'); at += at[0] == '"' ? 2 : 1)
                *end++ = *at;
            if (*at) at++;
        } else {
            while (*at && *at != ',' && *at != '\n') at++;
            end = at;
        }
        char stop = *at;
        *end = 0;
        if (!array_push(&table->headings, begin)) return NULL;
        if (stop == 0) return at;
        at++;
        if (stop != ',') return at;
    }
}

// A last line without its end belongs to a run that is still writing, and is left out.
static MrcStatus page_table_read(PageTable *table, const char *path, MrcError *error) {
    size_t length;
    MrcStatus status = file_read(path, (size_t)1 << 32, &table->text, &length, error);
    if (status != MRC_OK) return status;
    char *at = page_table_headings(table);
    if (!at) return error_memory(error, path);
    size_t columns = table->headings.count;
    while (*at && strchr(at, '\n')) {
        for (size_t c = 0; c < columns; c++) {
            char *end = at;
            double value =
                *at == ',' || *at == '\n' ? NAN : number_read(at, &end); // an empty cell: not known
            if ((end == at && !isnan(value)) || *end != (c + 1 < columns ? ',' : '\n'))
                return error_set(error, MRC_READ_FAILED, "'%s' is no table: row %zu, column %zu", path,
                                 table->rows + 1, c + 1);
            if (!array_push(&table->values, value)) return error_memory(error, path);
            at = end + 1;
        }
        table->rows++;
    }
    return MRC_OK;
}

// Of each stretch of rows two remain: the smallest value of each column, then the largest; a line through them covers what
// the whole one covers. Times are those of the first row and of the one in the middle.
static void page_table_thin(PageTable *table, size_t stretch) {
    size_t columns = table->headings.count, kept = 0;
    double *values = table->values.data;
    for (size_t first = 0; first < table->rows; first += stretch) {
        size_t end = first + stretch < table->rows ? first + stretch : table->rows;
        double *low = values + kept * columns, *high = low + columns;
        double middle = values[(first + end) / 2 * columns], start = values[first * columns];
        for (size_t c = 1; c < columns; c++) {
            double least = INFINITY, most = -INFINITY;
            for (size_t r = first; r < end; r++) {
                least = fmin(least, values[r * columns + c]);
                most = fmax(most, values[r * columns + c]);
            }
            low[c] = least, high[c] = most;
        }
        low[0] = start, high[0] = middle;
        kept += 2;
    }
    table->rows = kept;
    table->stretch = stretch;
}

// Column by column, as doubles or as floats.
static MrcStatus page_table_pack(Json *json, const PageTable *table, bool floats, MrcError *error) {
    size_t columns = table->headings.count, count = columns * table->rows;
    double *numbers = malloc(count * sizeof *numbers + 1);
    if (!numbers) return error_memory(error, "the report");
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < table->rows; r++)
            numbers[c * table->rows + r] = table->values.data[r * columns + c];
    if (floats)
        for (size_t k = 0; k < count; k++) {
            float number = (float)numbers[k]; // in place: a float is written where doubles have been read
            memcpy((char *)numbers + k * sizeof number, &number, sizeof number);
        }
    MrcStatus status =
        page_add_packed(json, "data", numbers, count * (floats ? sizeof(float) : sizeof(double)), error);
    free(numbers);
    return status;
}

static void page_table_names(Json *json, const PageTable *table) {
    char *unit[2] = {NULL, NULL};
    for (int part = 0; part < 2; part++) {
        json_key(json, part == 0 ? "names" : "units");
        json_array_begin(json);
        for (size_t c = 0; c < table->headings.count; c++) {
            char *heading = table->headings.data[c];
            unit[0] = strrchr(heading, '[');
            unit[1] = unit[0] ? strchr(unit[0], ']') : NULL;
            char saved = unit[1] ? (part == 0 ? *unit[0] : *unit[1]) : 0;
            if (unit[1]) *unit[part] = 0;
            json_string(json, part == 0 ? heading : unit[1] ? unit[0] + 1 : "");
            if (unit[1]) *unit[part] = saved;
        }
        json_array_end(json);
    }
}

MrcStatus page_add_table(Json *json, const char *path, double budget, MrcError *error) {
    PageTable table = {.stretch = 1};
    MrcStatus status = page_table_read(&table, path, error);
    if (status == MRC_OK) {
        double room = 0.75 * budget,
               row = (double)table.headings.count * sizeof(double); // base64 makes four of three
        bool floats = (double)table.rows * row > room;
        if (floats) row /= 2;
        size_t all = table.rows;
        if ((double)all * row > room) page_table_thin(&table, (size_t)ceil(2 * (double)all * row / room));
        json_object_begin(json);
        page_table_names(json, &table);
        json_member_integer(json, "rows", (int64_t)table.rows);
        json_member_integer(json, "rows_of_file", (int64_t)all);
        json_member_integer(json, "stretch", (int64_t)table.stretch);
        json_member_string(json, "type", floats ? "float32" : "float64");
        status = page_table_pack(json, &table, floats, error);
        json_object_end(json);
    }
    page_table_free(&table);
    return status;
}
