#include "sim/recorder.h"

static bool recorder_has(const Recorder *r, size_t signal) {
    for (size_t c = 0; c < r->column_count; c++)
        if (r->columns[c] == signal) return true;
    return false;
}

MrcStatus recorder_create(Recorder *r, const SimDefinition *definition, Arena *arena, MrcError *error) {
    const RecordDefinition *asked = &definition->record;
    const Signal *signals = r->signals.signals.data;
    size_t count = r->signals.signals.count;
    r->every = asked->every > 0 ? asked->every : definition->simulate.duration / 1000;
    r->columns = arena_alloc(arena, (count + 1) * sizeof *r->columns);
    if (r->signals.incomplete || !r->columns) return error_memory(error, "the recorder");
    for (int a = 0; a < asked->series_count; a++)
        for (size_t s = 0; s < count; s++)
            if (signal_matches(signals[s].name, asked->series[a]) && !recorder_has(r, s))
                r->columns[r->column_count++] = s;
    if (asked->series_count == 0)
        for (size_t s = 0; s < count; s++)
            if (!signals[s].on_request) r->columns[r->column_count++] = s;
    return MRC_OK;
}

void recorder_free(Recorder *r) { signal_list_free(&r->signals); }
