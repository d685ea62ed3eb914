// Fuzz target of beds in CSV files: whatever the bytes, there are grains with finite numbers, or a message.
//
//     fuzz_bed -max_total_time=60 CORPUS tests/fuzz/beds
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grains/packing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_bed: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    int file = memfd_create("bed", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    Arena *arena = arena_create();
    BedData *bed = NULL;
    MrcError error = {.text = ""};
    require(arena != NULL, "memory");
    MrcStatus status = bed_read(path, arena, &bed, &error);
    require(status == MRC_OK || error.text[0], "a file is refused without a reason");
    for (int c = 0; status == MRC_OK && c < BED_COLUMN_COUNT; c++)
        for (size_t i = 0; bed->columns[c] && i < bed->count; i++)
            require(isfinite(bed->columns[c][i]), "a number that is none");
    arena_destroy(arena);
    close(file);
    return 0;
}
