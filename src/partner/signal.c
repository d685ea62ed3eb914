#include "partner/signal.h"

#include <stddef.h>
#include <string.h>

#include "math/frame.h"

void signal_list_add_one(SignalList *list, Signal signal) {
    char buffer[40];
    signal.name = arena_strdup(list->arena, signal.name);
    signal.unit = arena_strdup(
        list->arena, signal.unit ? signal.unit : dimension_unit(signal.dimension, buffer, sizeof buffer));
    bool silent = !signal.words;
    if (!silent) signal.words = arena_strdup(list->arena, signal.words);
    if (!signal.name || !signal.unit || (!silent && !signal.words) || !array_push(&list->signals, signal))
        list->incomplete = true;
}

void signal_list_add(SignalList *list, const char *thing, const SignalRow *rows, int count,
                     const void *values) {
    for (int r = 0; r < count; r++) {
        const double *value =
            values ? (const double *)(const void *)((const char *)values + rows[r].offset) : NULL;
        const char *name = arena_printf(list->arena, "%s.%s", thing, rows[r].suffix);
        if (!name) list->incomplete = true;
        else
            signal_list_add_one(list, (Signal){.name = name,
                                               .dimension = rows[r].dimension,
                                               .unit = rows[r].unit,
                                               .value = value,
                                               .words = rows[r].words});
    }
}

void signal_list_add_on_request(SignalList *list, const char *thing, const SignalRow *rows, int count,
                                const void *values) {
    size_t before = list->signals.count;
    signal_list_add(list, thing, rows, count, values);
    for (size_t s = before; s < list->signals.count; s++) list->signals.data[s].on_request = true;
}

void signal_list_free(SignalList *list) { array_free(&list->signals); }

#define ROW(suffix, dimension, member, words)                                                                \
    { suffix, dimension, offsetof(Load, member), words, NULL }
const SignalRow load_signal_rows[] = {
    ROW("load.fx", DIM_FORCE, force.x, "force on it, along x of the world"),
    ROW("load.fy", DIM_FORCE, force.y, "force on it, along y of the world"),
    ROW("load.fz", DIM_FORCE, force.z, "force on it, along z of the world"),
    ROW("load.mx", DIM_MOMENT, moment.x, "moment on it, about the port's origin and x of the world"),
    ROW("load.my", DIM_MOMENT, moment.y, "moment on it, about the port's origin and y of the world"),
    ROW("load.mz", DIM_MOMENT, moment.z, "moment on it, about the port's origin and z of the world"),
};
const int load_signal_row_count = sizeof load_signal_rows / sizeof *load_signal_rows;

bool signal_matches(const char *name, const char *asked) {
    size_t length = strlen(asked);
    return strncmp(name, asked, length) == 0 && (name[length] == '\0' || name[length] == '.');
}
