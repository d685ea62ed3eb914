#include "sim/signals.h"

#include "coupling/port.h"
#include "grains/grains.h"
#include "math/frame.h"
#include "mechanism/names.h"
#include "sim/ledger.h"

int signals_part_count(const GrainsDefinition *grains) {
    return grains->wall_count > 1 ? grains->wall_count : 0;
}

#define SIGNAL(suffix, dimension, member)                                                                    \
    { suffix, dimension, offsetof(Load, member) }
const JointSignal joint_signals[joint_signal_count] = {
    SIGNAL("fx", DIM_FORCE, force.x),   SIGNAL("fy", DIM_FORCE, force.y),
    SIGNAL("fz", DIM_FORCE, force.z),   SIGNAL("mx", DIM_MOMENT, moment.x),
    SIGNAL("my", DIM_MOMENT, moment.y), SIGNAL("mz", DIM_MOMENT, moment.z),
};

static size_t count_signals(const SimDefinition *d, size_t node_count) {
    size_t count =
        (size_t)d->port_count * (size_t)(port_signal_count + load_signal_count) + (size_t)ledger_entry_count;
    count += node_count * NODE_SIGNAL_COUNT + (size_t)d->mechanism.joint_count * joint_signal_count;
    for (int g = 0; g < d->grains_count; g++)
        count += (size_t)grains_signal_count +
                 (size_t)signals_part_count(&d->grains[g]) * (size_t)load_signal_count;
    return count;
}

size_t signals_list(const SimDefinition *d, Arena *arena, SignalName **names) {
    size_t n = 0;
    NodeName *nodes = NULL;
    size_t node_count = names_list(&d->mechanism, arena, &nodes);
    SignalName *list = arena_alloc(arena, count_signals(d, node_count) * sizeof *list);
    *names = nodes ? list : NULL;
    if (!*names) return 0;
    for (int p = 0; p < d->port_count; p++) {
        for (int s = 0; s < port_signal_count; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", d->ports[p].name, port_signals[s].suffix),
                                     port_signals[s].dimension, NULL, false};
        for (int s = 0; s < load_signal_count; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", d->ports[p].name, load_signals[s].suffix),
                                     load_signals[s].dimension, NULL, false};
    }
    for (size_t k = 0; k < node_count; k++)
        for (int s = 0; s < NODE_SIGNAL_COUNT; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", nodes[k].name, node_signal_kinds[s].suffix),
                                     node_signal_kinds[s].dimension, NULL, nodes[k].inner};
    for (int j = 0; j < d->mechanism.joint_count; j++)
        for (int s = 0; s < joint_signal_count; s++)
            list[n++] = (SignalName){
                arena_printf(arena, "%s.%s", d->mechanism.joints[j].name, joint_signals[s].suffix),
                joint_signals[s].dimension, NULL, false};
    for (int g = 0; g < d->grains_count; g++) {
        const GrainsDefinition *bed = &d->grains[g];
        for (int s = 0; s < grains_signal_count; s++)
            list[n++] = (SignalName){arena_printf(arena, "%s.%s", bed->name, grains_signals[s].suffix),
                                     grains_signals[s].dimension, NULL, false};
        for (int w = 0; w < signals_part_count(bed); w++)
            for (int s = 0; s < load_signal_count; s++)
                list[n++] = (SignalName){
                    arena_printf(arena, "%s.%s.%s", bed->name, bed->walls[w].name, load_signals[s].suffix),
                    load_signals[s].dimension, NULL, false};
    }
    for (int e = 0; e < ledger_entry_count; e++)
        list[n++] =
            (SignalName){arena_printf(arena, "energy.%s", ledger_entries[e].name), DIM_ENERGY, "J", false};
    return n;
}

bool signal_matches(const char *name, const char *asked) {
    size_t length = strlen(asked);
    return strncmp(name, asked, length) == 0 && (name[length] == '\0' || name[length] == '.');
}
