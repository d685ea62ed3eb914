// Signals: the named quantities of a simulation that can be recorded.
//
// Each kind of thing has one table of what can be measured on it (ports in coupling/port.c, nodes in
// mechanism/names.c, joints here, grains in grains/measure.c, the energy ledger in ledger.c); a signal's name
// is the thing's name, a dot, and the table's suffix.
#ifndef SIM_SIGNALS_H
#define SIM_SIGNALS_H

#include "sim/definition.h"

typedef struct SignalName {
    const char *name; // "damper.load.fx"
    Dimension dimension;
    const char *unit; // where the dimension has several: J is not N*m to people; NULL: the dimension's
    bool on_request;  // recorded only when its name or group is asked for
} SignalName;

// All signals of a model, in a fixed order. Returns their number; *names is in the arena.
size_t signals_list(const SimDefinition *definition, Arena *arena, SignalName **names);

// How many wall parts of a bed have signals of their own, `damper.left.load.fx`: all when there is more than
// one. The moment is about the origin of the part's own port.
int signals_part_count(const GrainsDefinition *grains);

// What can be measured of a joint: where it is in the Load that the joint exerts on its second node.
typedef struct JointSignal {
    const char *suffix;
    Dimension dimension;
    size_t offset;
} JointSignal;
enum { joint_signal_count = 6 };
extern const JointSignal joint_signals[joint_signal_count];

// Does `name` answer to `asked`: the name itself, or a group it belongs to (a dotted beginning of it)?
bool signal_matches(const char *name, const char *asked);

#endif
