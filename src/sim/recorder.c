#include "sim/recorder.h"

static bool chosen(const Recorder *r, size_t signal) {
    for (size_t c = 0; c < r->column_count; c++)
        if (r->columns[c] == signal) return true;
    return false;
}

MrcStatus recorder_create(Recorder *r, const SimDefinition *definition, Arena *arena, MrcError *error) {
    const RecordDefinition *asked = &definition->record;
    *r = (Recorder){.every = asked->every > 0 ? asked->every : definition->simulate.duration / 1000};
    r->signal_count = signals_list(definition, arena, &r->signals);
    r->columns = arena_alloc(arena, (r->signal_count + 1) * sizeof *r->columns);
    if (!r->signals || !r->columns) return error_memory(error, "the recorder");
    for (int a = 0; a < asked->series_count; a++)
        for (size_t s = 0; s < r->signal_count; s++)
            if (signal_matches(r->signals[s].name, asked->series[a]) && !chosen(r, s))
                r->columns[r->column_count++] = s;
    if (asked->series_count == 0)
        for (size_t s = 0; s < r->signal_count; s++)
            if (!r->signals[s].on_request) r->columns[r->column_count++] = s;
    return MRC_OK;
}
