// The mechanism as a stick figure for ParaView: beams as lines through their nodes, a line from each node to
// its joints, springs as lines; bodies are marked as points. With every node come its axes and velocities.
#ifndef OUTPUT_MECHANISM_FRAME_H
#define OUTPUT_MECHANISM_FRAME_H

#include "output/vtk.h"
#include "sim/mechanism_part.h"

MrcStatus mechanism_frame_write(const char *path, double time, const MechanismPart *part, MrcError *error);

// The same figure with every node moved by `shift` and turned by the small `turn` (one each per node), and
// these vectors as the arrays `displacement` and `rotation`: for mode shapes.
MrcStatus mechanism_frame_write_shape(const char *path, double time, const MechanismPart *part,
                                      const Vec3 *shift, const Vec3 *turn, MrcError *error);

#endif
