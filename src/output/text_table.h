// Tables of texts, columns as wide as their contents.
//
//     TextTable table = {.align = "lrr"};
//     text_table_cell(&table, "variant"), text_table_cell(&table, "steps"), text_table_cell(&table, "time");
//     text_table_add(&text, "  ", &table);
//     text_table_free(&table);
#ifndef OUTPUT_TEXT_TABLE_H
#define OUTPUT_TEXT_TABLE_H

#include "base/memory.h"
#include "base/text.h"

typedef struct TextTable {
    const char *align; // one letter per column: l or r; the last one again for further columns
    int columns;       // 0: as many as `align` has letters

    // The table's own.
    Text text;            // of all cells, each ended by NUL
    ARRAY(size_t) starts; // of each cell in it
    bool failed;          // memory ran out
} TextTable;

void text_table_cell(TextTable *table, const char *text); // the next one, row by row
void text_table_add(Text *text, const char *indent,
                    const TextTable *table); // all rows; between columns stand two spaces
void text_table_free(TextTable *table);

#endif
