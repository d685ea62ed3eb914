// Frames: frames/NAME-000000.vtp for grains, frames/NAME-walls-000000.vtp for their walls,
// frames/mechanism-000000.vtp for the mechanism, and frames.pvd, which lists them with their times. ParaView
// opens frames.pvd as it is.
//
// In the axes of the container, when the model asks for it: frames/NAME-container-000000.vtp and
// frames/NAME-container-walls-000000.vtp, listed in frames-container.pvd. Positions are from the origin of
// the port that carries the bed, velocities are relative to it.
#ifndef OUTPUT_FRAMES_H
#define OUTPUT_FRAMES_H

#include "sim/sim.h"

typedef struct Frames {
    const char *folder;     // of the results
    ARRAY(double) times;    // of the frames written so far [s]
    size_t collected;       // of these, those that frames.pvd lists
    size_t next_collection; // how many there must be before it is written again
} Frames;

void frames_start(Frames *frames, const char *folder);
void frames_clear(Frames *frames);                                 // removes those of an earlier run
MrcStatus frames_write(Frames *frames, Sim *sim, MrcError *error); // the state now
MrcStatus frames_collect(Frames *frames, const Sim *sim,
                         MrcError *error); // frames.pvd with all of them, if it is not
void frames_archive(Frames *frames, Archive *archive);
void frames_end(Frames *frames);

// All parts of the state now in one view; names only when the list says so.
MrcStatus frames_list(const Sim *sim, FrameView view, FrameList *list, MrcError *error);
FrameView frames_last_view(const Sim *sim); // the model asks for all up to this one

// One part as a file of its own; `time` in seconds.
MrcStatus frames_write_part(const char *path, double time, const FramePart *part, MrcError *error);

#endif
