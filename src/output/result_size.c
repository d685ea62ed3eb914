#include "output/result_size.h"

#include <math.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "output/frames.h"

typedef struct ResultSize {
    double rows, frames, files; // still to be written
    double row_bytes, frame_bytes;
} ResultSize;

static const double result_size_number = 18; // bytes of a number of series.csv, with its comma
static const double result_size_small =
    1e10; // bytes that are tried, full as the disk may be: it may be tidied up
static const double result_size_head = 1500; // bytes of a frame's file beside its numbers

static double result_size_part(const FramePart *part) {
    double each = sizeof(Vec3); // places are in double precision, other values in single (vtk.h)
    for (int k = 0; k < part->value_count; k++)
        each +=
            part->values[k].integers ? sizeof(int64_t) : sizeof(float) * (size_t)part->values[k].components;
    return result_size_head + each * (double)part->count +
           sizeof(int64_t) * (double)(part->corner_count + part->end_count + part->mark_count);
}

static MrcStatus result_size_frame(const Sim *sim, ResultSize *size, MrcError *error) {
    FrameView last = frames_last_view(sim);
    MrcStatus status = MRC_OK;
    for (FrameView view = FRAME_WORLD; view <= last && status == MRC_OK; view++) {
        Arena *arena = arena_create();
        FrameList list = {.arena = arena};
        status = arena ? frames_list(sim, view, &list, error) : error_memory(error, "a frame");
        for (size_t k = 0; k < list.parts.count && status == MRC_OK; k++)
            size->frame_bytes += result_size_part(&list.parts.data[k]);
        size->files += size->frames * (double)list.parts.count;
        frame_list_free(&list);
        arena_destroy(arena);
    }
    return status;
}

static void result_size_text(double bytes, char *text, size_t length) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int k = 0;
    for (; k < 6 && bytes >= 1000; k++) bytes /= 1000;
    snprintf(text, length, "%.3g %s", bytes, units[k]);
}

MrcStatus result_size_check(const Sim *sim, const char *folder, MrcError *error) {
    double left = sim->clock.step * (double)(sim->clock.total - sim->clock.now);
    double every = fmax(sim->recorder.every, sim->clock.step), frames_every = sim->definition->frames_every;
    ResultSize size = {.rows = left / every,
                       .row_bytes = result_size_number * (double)(sim->recorder.column_count + 1)};
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0) return MRC_OK; // then the first write fails
    if (frames_every > 0) {
        size.frames = 1 + floor(left / fmax(frames_every, sim->clock.step));
        MrcStatus status = result_size_frame(sim, &size, error);
        if (status != MRC_OK) return status;
    }
    double bytes = size.rows * size.row_bytes + size.frames * size.frame_bytes;
    double room = (double)disk.f_bavail * (double)disk.f_frsize;
    char needed[40], there[40], frame[40];
    result_size_text(bytes, needed, sizeof needed);
    result_size_text(room, there, sizeof there);
    result_size_text(size.frame_bytes, frame, sizeof frame);
    if (bytes > room && bytes > result_size_small)
        return error_set(
            error, MRC_FOLDER,
            "the results would take %s (%.3g rows of series.csv, %.3g frames of %s), but only %s are free "
            "in '%s'; make record.every or frames.every longer, or choose another folder with -o",
            needed, size.rows, size.frames, frame, there, folder);
    if (disk.f_files > 0 && size.files > (double)disk.f_favail)
        return error_set(
            error, MRC_FOLDER,
            "the frames would be %.3g files, but the disk of '%s' has room for %.3g; make frames.every "
            "longer, or choose another folder with -o",
            size.files, folder, (double)disk.f_favail);
    return MRC_OK;
}
