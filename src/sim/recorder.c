#include "sim/recorder.h"

#include <string.h>

static bool recorder_has(const Recorder *r, size_t signal) {
    for (size_t c = 0; c < r->column_count; c++)
        if (r->columns[c] == signal) return true;
    return false;
}

double record_every(const SimDefinition *d) {
    return d->record.every > 0 ? d->record.every : simulate_planned(&d->simulate) / 1000;
}

MrcStatus recorder_create(Recorder *r, const SimDefinition *definition, Arena *arena, MrcError *error) {
    const RecordDefinition *asked = &definition->record;
    const Signal *signals = r->signals.signals.data;
    size_t count = r->signals.signals.count;
    r->every = record_every(definition);
    r->columns = arena_alloc(arena, (count + 1) * sizeof *r->columns);
    if (r->signals.incomplete || !r->columns) return error_memory(error, "the recorder");
    for (int a = 0; a < asked->series_count; a++) {
        bool found = false;
        for (size_t s = 0; s < count; s++) {
            if (!signal_matches(signals[s].name, asked->series[a])) continue;
            found = true;
            if (!recorder_has(r, s)) r->columns[r->column_count++] = s;
        }
        if (!found)
            return error_set(error, MRC_MODEL, "there is no signal '%.60s' to be recorded", asked->series[a]);
    }
    for (int k = 0; k < asked->derived_count && asked->series_count > 0; k++)
        for (size_t s = 0; s < count; s++)
            if (strcmp(signals[s].name, asked->derived[k].name) == 0 && !recorder_has(r, s))
                r->columns[r->column_count++] = s;
    if (asked->series_count == 0)
        for (size_t s = 0; s < count; s++)
            if (!signals[s].on_request) r->columns[r->column_count++] = s;
    return MRC_OK;
}

void recorder_free(Recorder *r) { signal_list_free(&r->signals); }
