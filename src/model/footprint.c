// How large a run will be: memory, files. Estimates from measured bytes per grain (src/grains/method.h) and number.
#include "model/footprint.h"

#include <math.h>

#include "grains/method.h"
#include "grains/packing.h"
#include "sim/sim.h"

static const double footprint_program = 18e6;   // memory of the program itself
static const double footprint_per_number = 16;  // of series.csv: up to 17 digits, a comma; zeros are shorter
static const double footprint_per_grain = 68;   // of a frame
static const double footprint_per_frame = 2000; // of a frame without grains

static double footprint_rows(const SimDefinition *d, double every) {
    double steps = (double)simulate_steps(&d->simulate);
    return every > 0 ? fmin(floor(d->simulate.duration / every * (1 + 1e-12)), steps) + 1 : 0;
}

static double footprint_columns(const SimDefinition *d) {
    Arena *arena = arena_create();
    SignalList list = {.arena = arena};
    double columns = 1; // the time
    if (!arena) return columns;
    sim_signals(d, NULL, &list);
    for (size_t s = 0; s < list.signals.count; s++) {
        const Signal *signal = &list.signals.data[s];
        bool asked = d->record.series_count == 0 && !signal->on_request;
        for (int a = 0; a < d->record.series_count && !asked; a++)
            asked = signal_matches(signal->name, d->record.series[a]);
        columns += asked;
    }
    signal_list_free(&list);
    arena_destroy(arena);
    return columns;
}

Footprint footprint_of(const SimDefinition *d) {
    Footprint f = {.steps = (double)simulate_steps(&d->simulate), .memory = footprint_program};
    for (int g = 0; g < d->grains_count; g++) {
        const GrainsDefinition *bed = &d->grains[g];
        const GrainsMethod *method = grains_method(bed);
        for (int k = 0; k < grains_kind_count(bed); k++) {
            const GrainsDefinition one = grains_of_kind(bed, k);
            const Material *material =
                material_by_name(d->materials, d->material_count, one.particles.material);
            size_t count;
            if (!material || packing_count(&one, material->density, &count, NULL) != MRC_OK) continue;
            f.grains += (double)count;
            f.memory += (double)count * method->memory_per_grain;
            f.checkpoint += (double)count * method->checkpoint_per_grain;
        }
    }
    f.rows = footprint_rows(d, record_every(d));
    f.columns = footprint_columns(d);
    f.series = f.rows * f.columns * footprint_per_number;
    f.frames = footprint_rows(d, d->frames_every);
    f.frame_files = f.frames * (footprint_per_frame + footprint_per_grain * f.grains);
    return f;
}

void footprint_facts(const Footprint *f, FactList *list) {
    fact_count(list, "grains", llround(f->grains), "grains");
    fact_count(list, "steps", llround(f->steps), "steps");
    fact_number(list, "memory_bytes", f->memory, "B", "memory, about");
    fact_count(list, "series_rows", llround(f->rows), "rows of series.csv");
    fact_count(list, "series_columns", llround(f->columns), "columns of series.csv");
    fact_number(list, "series_bytes", f->series, "B", "size of series.csv, about");
    fact_count(list, "frames", llround(f->frames), "frames");
    fact_number(list, "frames_bytes", f->frame_files, "B", "size of all frames, about");
    fact_number(list, "checkpoint_bytes", f->checkpoint, "B", "size of a checkpoint, about");
}
