#include "partner/signal.h"

#include <stddef.h>
#include <string.h>

#include "math/frame.h"

void signal_list_add_one(SignalList *list, Signal signal) {
    char buffer[40];
    signal.name = arena_strdup(list->arena, signal.name);
    signal.unit = arena_strdup(
        list->arena, signal.unit ? signal.unit : dimension_unit(signal.dimension, buffer, sizeof buffer));
    if (!signal.name || !signal.unit || !array_push(&list->signals, signal)) list->incomplete = true;
}

void signal_list_add(SignalList *list, const char *thing, const SignalRow *rows, int count,
                     const void *values) {
    for (int r = 0; r < count; r++) {
        const double *value =
            values ? (const double *)(const void *)((const char *)values + rows[r].offset) : NULL;
        const char *name = arena_printf(list->arena, "%s.%s", thing, rows[r].suffix);
        if (!name) list->incomplete = true;
        else
            signal_list_add_one(list, (Signal){.name = name, .dimension = rows[r].dimension, .value = value});
    }
}

void signal_list_free(SignalList *list) { array_free(&list->signals); }

#define ROW(suffix, dimension, member)                                                                       \
    { suffix, dimension, offsetof(Load, member) }
const SignalRow load_signal_rows[] = {
    ROW("load.fx", DIM_FORCE, force.x),   ROW("load.fy", DIM_FORCE, force.y),
    ROW("load.fz", DIM_FORCE, force.z),   ROW("load.mx", DIM_MOMENT, moment.x),
    ROW("load.my", DIM_MOMENT, moment.y), ROW("load.mz", DIM_MOMENT, moment.z),
};
const int load_signal_row_count = sizeof load_signal_rows / sizeof *load_signal_rows;

bool signal_matches(const char *name, const char *asked) {
    size_t length = strlen(asked);
    return strncmp(name, asked, length) == 0 && (name[length] == '\0' || name[length] == '.');
}
