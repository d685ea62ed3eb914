// Named points of a replay frame, with numbers of each: forces at ports and joints, nodes, axes of containers.
#ifndef OUTPUT_REPLAY_MARKS_H
#define OUTPUT_REPLAY_MARKS_H

#include "sim/sim.h"

enum { REPLAY_NAMED = 3 }; // in the place of a FrameShape

typedef struct ReplayMarks {
    const char *name; // "ports", "joints", "nodes" or "containers"
    int count, width; // points, and numbers of each
    float *places;    // x, y, z of each [m]
    float *values;    // ports, joints: force [N]; nodes: velocity [m/s]; containers: orientation (w, x, y, z)
    char *names;      // one per line
} ReplayMarks;

enum { REPLAY_MARKS = 4 };

// Those of the state that was measured last; parts without points are left out. *count: how many there are.
MrcStatus replay_marks(const Sim *sim, Arena *arena, ReplayMarks marks[REPLAY_MARKS], int *count,
                       MrcError *error);
size_t replay_marks_points(const Sim *sim); // of all of them, about

#endif
