#include "sim/signals.h"

#include "coupling/port.h"
#include "grains/grains.h"
#include "sim/ledger.h"

int signals_part_count(const GrainsDefinition *grains) {
    return grains->wall_count > 1 ? grains->wall_count : 0;
}

static size_t count_signals(const SimDefinition *d) {
    size_t count = (size_t)d->port_count * (size_t)port_signal_count + (size_t)ledger_entry_count;
    for (int g = 0; g < d->grains_count; g++)
        count += (size_t)grains_signal_count +
                 (size_t)signals_part_count(&d->grains[g]) * (size_t)load_signal_count;
    return count;
}

size_t signals_list(const SimDefinition *d, Arena *arena, SignalName **names) {
    size_t n = 0;
    SignalName *list = arena_alloc(arena, count_signals(d) * sizeof *list);
    *names = list;
    if (!list) return 0;
    for (int p = 0; p < d->port_count; p++)
        for (int s = 0; s < port_signal_count; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", d->ports[p].name, port_signals[s].suffix),
                                     port_signals[s].dimension, NULL};
    for (int g = 0; g < d->grains_count; g++) {
        const GrainsDefinition *bed = &d->grains[g];
        for (int s = 0; s < grains_signal_count; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", bed->name, grains_signals[s].suffix),
                                     grains_signals[s].dimension, NULL};
        for (int w = 0; w < signals_part_count(bed); w++)
            for (int s = 0; s < load_signal_count; s++)
                list[n++] = (SignalName){
                    arena_printf(arena, "%s.%s.%s", bed->name, bed->walls[w].name, load_signals[s].suffix),
                    load_signals[s].dimension, NULL};
    }
    for (int e = 0; e < ledger_entry_count; e++)
        list[n++] = (SignalName){arena_printf(arena, "energy.%s", ledger_entries[e].name), DIM_ENERGY, "J"};
    return n;
}

bool signal_matches(const char *name, const char *asked) {
    size_t length = strlen(asked);
    return strncmp(name, asked, length) == 0 && (name[length] == '\0' || name[length] == '.');
}
