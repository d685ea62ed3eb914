// Pictures: frames/NAME-000000.vtp for grains, frames/NAME-walls-000000.vtp for their walls,
// frames/mechanism-000000.vtp for the mechanism, and frames.pvd, which lists them with their times. ParaView
// opens frames.pvd as it is.
#ifndef OUTPUT_FRAMES_H
#define OUTPUT_FRAMES_H

#include "sim/sim.h"

typedef struct Frames {
    const char *folder;  // of the results
    ARRAY(double) times; // of the frames written so far [s]
} Frames;

void frames_start(Frames *frames, const char *folder);
void frames_clear(Frames *frames);                                       // removes those of an earlier run
MrcStatus frames_write(Frames *frames, const Sim *sim, MrcError *error); // the state now
void frames_archive(Frames *frames, Archive *archive);
void frames_end(Frames *frames);

#endif
