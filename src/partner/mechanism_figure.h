// The mechanism as a stick figure in frames: beams as lines through their nodes, a line from each node to its
// joints, springs as lines; bodies are marked as points. With every node come its axes and velocities.
#ifndef PARTNER_MECHANISM_FIGURE_H
#define PARTNER_MECHANISM_FIGURE_H

#include "partner/mechanism.h"

MrcStatus mechanism_figure_sticks(MechanismPartner *partner, Arena *arena, MrcError *error); // finds them
MrcStatus mechanism_figure_frames(void *self, FrameView view, FrameList *list, MrcError *error);

#endif
