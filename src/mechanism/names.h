// Names of nodes, from the definition alone: for checks and for lists of signals.
#ifndef MECHANISM_NAMES_H
#define MECHANISM_NAMES_H

#include "base/memory.h"
#include "mechanism/definition.h"

// The signals of a node, in the order of NodeSignal.component; then accelerations, which forces may not use.
typedef struct NodeSignalKind {
    const char *suffix; // "vy"
    Dimension dimension;
    const char *words; // what it is, with sign and axes
} NodeSignalKind;
enum { NODE_SIGNALS_FOR_FORCES = 12, NODE_SIGNAL_COUNT = 15 };
extern const NodeSignalKind node_signal_kinds[NODE_SIGNAL_COUNT];
int node_signal_find(const char *suffix); // -1: none

// The part of a node's name behind `BEAM.`: 0 for `start`, NAMES_BEAM_END for `end`, or the number itself.
enum { NAMES_BEAM_END = -1, NAMES_BEAM_NONE = -2 }; // none: no beam has such a node
int64_t names_beam_part(const char *part);
// The number of the beam's node that `BEAM.start`, `BEAM.end` or `BEAM.3` names; NAMES_BEAM_NONE: none of
// it.
int64_t names_beam_node(const BeamDefinition *beam, const char *name);

// One name for a node that has several: that of the node which carries the body, `BEAM.0` for `BEAM.start`.
// In `buffer`, or `name` itself.
const char *names_canonical(const MechanismDefinition *definition, const char *name, char *buffer,
                            size_t size);

bool names_same_node(const MechanismDefinition *definition, const char *a, const char *b); // NULL: no node

// Is it a node: `ground`, the name of a node or body, or `BEAM.start`, `BEAM.end`, `BEAM.3`?
bool names_has_node(const MechanismDefinition *definition, const char *name);

typedef struct NodeName {
    const char *name;
    bool inner; // between the ends of a beam, or a second name of an end
} NodeName;

enum { NAMES_NODES_MAX = 50 * 1000 };                            // most nodes that are simulated
int64_t names_node_count(const MechanismDefinition *definition); // bodies with nodes of their own included

// All names of nodes except `ground`: nodes, bodies, then beams (start, end, 0, 1, ...). Returns their
// number; *names is in the arena, NULL when memory is out. Above NAMES_NODES_MAX nodes only the ends of
// beams are listed.
size_t names_list(const MechanismDefinition *definition, Arena *arena, NodeName **names);

#endif
