// A beam of the model file cut into three-node elements.
#ifndef MECHANISM_BEAM_MESH_H
#define MECHANISM_BEAM_MESH_H

#include "base/memory.h"
#include "math/inertia.h"
#include "mechanism/beam.h"

typedef struct BeamMesh {
    int node_count, element_count; // 2 n + 1, n
    NodeState *nodes;              // unloaded, with the beam's initial velocities (node_count)
    Inertia *masses;               // of the piece of beam around each node, node axes (node_count)
    Beam *elements;                // element e lies between nodes 2 e, 2 e + 1 and 2 e + 2 (element_count)
} BeamMesh;

// `material` may be NULL for a given section. The mesh is allocated in `arena`.
MrcStatus beam_mesh_create(const BeamDefinition *definition, const Material *material, Arena *arena,
                           BeamMesh *mesh, MrcError *error);

double beam_mesh_length(const BeamDefinition *definition); // of the line between its ends [m]; 0: it has none

#endif
