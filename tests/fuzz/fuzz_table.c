// Fuzz target of tables: whatever the bytes, there is a table or a message, and the table's values are finite
// where its samples are.
//
//     fuzz_table -max_total_time=60 CORPUS tests/fuzz/tables
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Our own bug: stops the fuzzer, which keeps the bytes.
static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_table: %s\n", what);
    abort();
}

static void check_table(const TableSamples *samples, Arena *arena) {
    MrcError error = {.text = ""};
    for (int kind = 0; kind < 6; kind++) {
        const Table *table;
        MrcStatus status =
            table_create(arena, samples->times, samples->values, samples->count,
                         kind % 2 ? TABLE_CUBIC : TABLE_LINEAR, (TableOutside)(kind / 2), &table, &error);
        require(status == MRC_OK || error.text[0], "a table is refused without a reason");
        if (status != MRC_OK) continue;
        for (size_t i = 0; i < samples->count && kind / 2 != TABLE_REPEAT; i++) {
            double value = table_jet(table, samples->times[i]).value, expected = samples->values[i];
            double scale = fabs(expected) + fabs(samples->values[i > 0 ? i - 1 : i]);
            require(fabs(value - expected) <= 1e-6 * scale || kind % 2, "a table misses its samples");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const columns[] = {"a", "a[m]", "u", ""};
    char *text = malloc(size + 1);
    require(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    for (int k = 0; k < 4; k++) {
        Arena *arena = arena_create();
        TableSamples samples;
        MrcError error = {.text = ""};
        require(arena != NULL, "memory");
        MrcStatus status =
            table_parse(text, size, "fuzz", k % 2 ? "t" : NULL, columns[k], arena, &samples, &error);
        require(status == MRC_OK || error.text[0], "a file is refused without a reason");
        if (status == MRC_OK) check_table(&samples, arena);
        arena_destroy(arena);
    }
    free(text);
    return 0;
}
