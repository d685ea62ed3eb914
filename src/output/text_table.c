#include "output/text_table.h"

#include <string.h>

void text_table_cell(TextTable *table, const char *text) {
    table->failed = table->failed || !array_push(&table->starts, table->text.length);
    text_add_bytes(&table->text, text, strlen(text) + 1);
}

static int text_table_columns(const TextTable *table) {
    return table->columns > 0 ? table->columns : (int)strlen(table->align);
}

// Characters, not bytes.
static int text_table_width(const char *text) {
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int text_table_column_width(const TextTable *table, int column) {
    int widest = 0, columns = text_table_columns(table);
    for (size_t k = (size_t)column; k < table->starts.count; k += (size_t)columns) {
        int width = text_table_width(table->text.data + table->starts.data[k]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static char text_table_alignment(const TextTable *table, int column) {
    int letters = (int)strlen(table->align);
    return table->align[column < letters ? column : letters - 1];
}

void text_table_add(Text *text, const char *indent, const TextTable *table) {
    int columns = text_table_columns(table);
    if (table->failed || table->text.failed) {
        text->failed = true;
        return;
    }
    for (size_t k = 0; k < table->starts.count; k++) {
        int column = (int)(k % (size_t)columns);
        const char *cell = table->text.data + table->starts.data[k];
        bool last = column == columns - 1 || k == table->starts.count - 1;
        int room = text_table_column_width(table, column) - text_table_width(cell);
        text_add_string(text, column == 0 ? indent : "  ");
        if (text_table_alignment(table, column) == 'r') text_add(text, "%*s%s", room, "", cell);
        else if (last) text_add_string(text, cell); // no spaces at the end of a line
        else text_add(text, "%s%*s", cell, room, "");
        if (last) text_add_string(text, "\n");
    }
}

void text_table_free(TextTable *table) {
    text_free(&table->text);
    array_free(&table->starts);
}
