#include "output/frames.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "output/vtk.h"

static const char *const collections[FRAME_VIEW_COUNT] = {"frames.pvd", "frames-container.pvd"};

void frames_start(Frames *frames, const char *folder) { *frames = (Frames){.folder = folder}; }

void frames_end(Frames *frames) { array_free(&frames->times); }

void frames_archive(Frames *frames, Archive *archive) { archive_array(archive, "frames", &frames->times); }

static bool frames_ends_with(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static bool frames_is_frame(const char *name) {
    return frames_ends_with(name, ".vtp") || frames_ends_with(name, ".vtp.partial");
}

// A file that cannot be removed is not worth stopping for: it will be overwritten, or nothing refers to it.
void frames_clear(Frames *frames) {
    char path[1400];
    for (size_t c = 0; c < sizeof collections / sizeof *collections; c++) {
        snprintf(path, sizeof path, "%s/%s", frames->folder, collections[c]);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/frames", frames->folder);
    file_clear_part(path, frames_is_frame);
}

MrcStatus frames_list(const Sim *sim, FrameView view, FrameList *list, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int i = 0; i < sim->partner_count && status == MRC_OK; i++) { // grains, then the mechanism
        const Partner *partner = &sim->partners[(sim->driver_count + i) % sim->partner_count];
        if (partner->type->frames) status = partner->type->frames(partner->self, view, list, error);
    }
    return status;
}

MrcStatus frames_write_part(const char *path, double time, const FramePart *part, MrcError *error) {
    VtkArray arrays[FRAME_VALUES_MAX];
    for (int k = 0; k < part->value_count; k++) {
        const FrameValues *v = &part->values[k];
        arrays[k] = v->integers          ? vtk_integers(v->name, v->integers)
                    : v->vectors         ? vtk_vec3s(v->name, v->vectors)
                    : v->components == 4 ? vtk_quaternions(v->name, v->values)
                    : v->components == 3 ? vtk_vectors(v->name, v->values[0], v->values[1], v->values[2])
                                         : vtk_scalars(v->name, v->values[0]);
    }
    VtkArray places = part->places ? vtk_vec3s("position", part->places)
                                   : vtk_vectors("position", part->place[0], part->place[1], part->place[2]);
    VtkCells cells = {.corners = part->corners,
                      .corner_count = part->corner_count,
                      .ends = part->ends,
                      .end_count = part->end_count,
                      .marks = part->marks,
                      .mark_count = part->mark_count};
    switch (part->shape) {
    case FRAME_POINTS:
        return vtk_write_points(path, time, part->count, places, arrays, part->value_count, error);
    case FRAME_LINES:
        return vtk_write_lines(path, time, part->count, places, &cells, arrays, part->value_count, error);
    default:
        return vtk_write_surface(path, time, part->count, places, &cells, arrays, part->value_count, error);
    }
}

static const char *frames_file_of(Arena *arena, const char *part, size_t number) {
    return arena_printf(arena, "frames/%.220s-%06zu.vtp", part, number); // relative to the result folder
}

static MrcStatus frames_write_view(const Frames *frames, const Sim *sim, FrameView view, MrcError *error) {
    Arena *arena = arena_create();
    FrameList list = {.arena = arena};
    char path[1400];
    MrcStatus status = arena ? frames_list(sim, view, &list, error) : error_memory(error, "a frame");
    for (size_t k = 0; k < list.parts.count && status == MRC_OK; k++) {
        const char *file = frames_file_of(arena, list.parts.data[k].name, frames->times.count);
        snprintf(path, sizeof path, "%s/%s", frames->folder, file ? file : "");
        status = file ? frames_write_part(path, clock_time(&sim->clock), &list.parts.data[k], error)
                      : error_memory(error, "a frame");
    }
    frame_list_free(&list);
    arena_destroy(arena);
    return status;
}

static MrcStatus frames_write_collection(const Frames *frames, const Sim *sim, FrameView view,
                                         MrcError *error) {
    Arena *arena = arena_create();
    FrameList list = {.arena = arena, .names_only = true};
    char path[1400];
    size_t count = 0;
    MrcStatus status = arena ? frames_list(sim, view, &list, error) : error_memory(error, collections[view]);
    size_t parts = list.parts.count;
    VtkEntry *entries =
        status == MRC_OK ? arena_alloc(arena, parts * frames->times.count * sizeof *entries + 1) : NULL;
    if (status == MRC_OK && !entries) status = error_memory(error, collections[view]);
    for (size_t f = 0; f < frames->times.count && status == MRC_OK; f++)
        for (size_t k = 0; k < parts && status == MRC_OK; k++) {
            const char *name = list.parts.data[k].name, *file = frames_file_of(arena, name, f);
            if (!file) status = error_memory(error, collections[view]);
            else entries[count++] = (VtkEntry){frames->times.data[f], (int)k, name, file};
        }
    snprintf(path, sizeof path, "%s/%s", frames->folder, collections[view]);
    if (status == MRC_OK) status = vtk_write_collection(path, entries, count, error);
    frame_list_free(&list);
    arena_destroy(arena);
    return status;
}

FrameView frames_last_view(const Sim *sim) {
    return sim->definition->frames_axes == FRAMES_BOTH ? FRAME_CONTAINER : FRAME_WORLD;
}

// The collection is written as a whole, so that a reader never gets half of it. Written with each frame, it would take
// longer the more there are; so each one waits for a sixteenth more of them.
MrcStatus frames_collect(Frames *frames, const Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    if (frames->times.count == frames->collected) return MRC_OK;
    for (FrameView view = FRAME_WORLD; view <= frames_last_view(sim) && status == MRC_OK; view++)
        status = frames_write_collection(frames, sim, view, error);
    frames->collected = frames->times.count;
    frames->next_collection = frames->collected + 1 + frames->collected / 16;
    return status;
}

MrcStatus frames_write(Frames *frames, Sim *sim, MrcError *error) {
    char path[1400];
    FrameView last = frames_last_view(sim);
    snprintf(path, sizeof path, "%s/frames", frames->folder);
    MrcStatus status = file_make_part(path, error);
    if (status == MRC_OK) status = sim_measure(sim, error);
    for (FrameView view = FRAME_WORLD; view <= last && status == MRC_OK; view++)
        status = frames_write_view(frames, sim, view, error);
    if (status != MRC_OK) return status;
    if (!array_push(&frames->times, clock_time(&sim->clock))) return error_memory(error, "the frames");
    return frames->times.count >= frames->next_collection ? frames_collect(frames, sim, error) : MRC_OK;
}
