// Tables: columns as wide as their contents, left and right.
#include "output/text_table.h"

#include <stdlib.h>

#include "check.h"

static void check_table(TextTable *table, const char *const *cells, const char *expected) {
    Text text = {0};
    for (; *cells; cells++) text_table_cell(table, *cells);
    text_table_add(&text, "  ", table);
    char *made = text_take(&text);
    assert_string_equal(made, expected);
    free(made);
    text_table_free(table);
}

static void columns_are_aligned(void **state) {
    (void)state;
    const char *cells[] = {"variant",           "steps", "state", "tight", "20,000", "done",
                           "a much longer one", "1",     "",      NULL};
    check_table(&(TextTable){.align = "lrl"}, cells,
                "  variant             steps  state\n"
                "  tight              20,000  done\n"
                "  a much longer one       1  \n");
}

static void the_last_letter_is_for_further_columns(void **state) {
    (void)state;
    const char *cells[] = {"series", "a", "bcd", "x", "1.0e-3", "0", NULL};
    check_table(&(TextTable){.align = "lr", .columns = 3}, cells,
                "  series       a  bcd\n  x       1.0e-3    0\n");
}

static void characters_count_and_not_bytes(void **state) {
    (void)state;
    const char *cells[] = {"\xc3\xa4", "1", "bb", "2", NULL};
    check_table(&(TextTable){.align = "lr"}, cells, "  \xc3\xa4   1\n  bb  2\n");
    check_table(&(TextTable){.align = "lr"}, cells + 4, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(the_last_letter_is_for_further_columns),
        cmocka_unit_test(characters_count_and_not_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
