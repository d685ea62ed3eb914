// The replay: what the report for the browser shows of the motion. It is recorded in every run with a result folder, at a
// rate that keeps it small, as replay.bin: one record per frame, appended.
//
//     record   u64 bytes of what follows, f64 time [s], u32 number of parts, the parts
//     part     u32 length of the name, the name, u32 shape (FrameShape, or REPLAY_NAMED), u32 number of points, f32 x, y, z
//              of each [m]
//              grains only:        f32 speed of each [m/s], f32 resultant of its contact forces [N]
//              named points only:  u32 width, that many f32 of each (replay_marks.h)
//              u32 1: what seldom changes follows; 0: it is that of the frame before
//                  grains:  f32 radius of each [m], i32 id of each, i32 kind of each
//                  named:   u32 length of the names, the names, one per line
//                  others:  u32 count and i32 corners, u32 count and i32 ends, u32 count and i32 marks (frame_part.h)
//
// The contact force on a grain is m |dv/h - g|, from its velocities in the step that ends with the frame: the mean of the
// step, whatever the method is. It is 0 in the first frame.
//
// Numbers are in the byte order of the machine. A report is written from the file (page.h), so that it can be made again
// from a result folder.
#ifndef OUTPUT_REPLAY_H
#define OUTPUT_REPLAY_H

#include "sim/sim.h"

enum { REPLAY_FRAMES_MAX = 400 };

typedef struct Replay {
    char path[1100];
    int file;                  // opened for append; -1: nothing is recorded
    Alarm alarm;               //
    int64_t length;            // of the file [bytes]
    int64_t frames;            // in it
    ARRAY(int64_t) unchanging; // per part: hash of what seldom changes, as it is in the file
    ARRAY(double) before;      // a step before a frame, bed by bed: number of grains; id, vx, vy, vz of each
    ARRAY(char) record;        // being put together
} Replay;

// A new file. The interval is such that the file has at most REPLAY_FRAMES_MAX frames, and about 20 MB or 100 frames, or, of
// very many grains, 200 MB.
MrcStatus replay_start(Replay *replay, const char *folder, const Sim *sim, MrcError *error);
// Goes on with the file after a restart: cuts off what was written after the checkpoint. If that cannot be done, a new file
// is begun: only frames of the replay are lost.
MrcStatus replay_resume(Replay *replay, const char *folder, const Sim *sim, MrcError *error);
MrcStatus replay_record(Replay *replay, Sim *sim, MrcError *error); // the state now, if a frame is due
void replay_archive(Replay *replay, Archive *archive);
void replay_end(Replay *replay);

#endif
