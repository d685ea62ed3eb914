#include "output/frames.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "output/mechanism_frame.h"
#include "output/vtk.h"

void frames_start(Frames *frames, const char *folder) { *frames = (Frames){.folder = folder}; }

void frames_end(Frames *frames) { array_free(&frames->times); }

void frames_archive(Frames *frames, Archive *archive) { archive_array(archive, "frames", &frames->times); }

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

// A file that cannot be removed is not worth stopping for: it will be overwritten, or nothing refers to it.
void frames_clear(Frames *frames) {
    char path[1400];
    snprintf(path, sizeof path, "%s/frames.pvd", frames->folder);
    remove(path);
    snprintf(path, sizeof path, "%s/frames", frames->folder);
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!ends_with(entry->d_name, ".vtp") && !ends_with(entry->d_name, ".vtp.partial")) continue;
        snprintf(path, sizeof path, "%s/frames/%s", frames->folder, entry->d_name);
        remove(path);
    }
    closedir(folder);
}

// "frames/damper-000012.vtp", relative to the result folder.
static void frame_file(char *buffer, size_t size, const char *thing, const char *kind, size_t number) {
    snprintf(buffer, size, "frames/%.200s%s-%06zu.vtp", thing, kind, number);
}

// Grains are written in order of id, so that grain k is the same one in every frame.
static MrcStatus write_grains(const char *path, double time, const GrainStore *store, MrcError *error) {
    int64_t *id = memory_alloc(store->count * sizeof *id);
    if (!id) return error_memory(error, "a frame");
    for (size_t i = 0; i < store->count; i++) id[i] = store->id[i];
    const VtkArray arrays[] = {
        vtk_scalars("radius", store->radius),
        vtk_vectors("velocity", store->vx, store->vy, store->vz),
        vtk_vectors("angular_velocity", store->wx, store->wy, store->wz),
        vtk_integers("id", id),
    };
    MrcStatus status =
        vtk_write_points(path, time, store->count, vtk_vectors("position", store->x, store->y, store->z),
                         arrays, sizeof arrays / sizeof *arrays, error);
    memory_free(id);
    return status;
}

static MrcStatus write_walls(const char *path, double time, const SimGrains *bed, MrcError *error) {
    Surface surface = {0};
    MrcStatus status = MRC_OK;
    for (int w = 0; w < bed->definition->wall_count && status == MRC_OK; w++) {
        size_t first = surface.points.count;
        status = wall_surface(&bed->definition->walls[w].shape, &surface, error);
        for (size_t p = first; p < surface.points.count; p++)
            surface.points.data[p] = motion_to_world(&bed->motions[w], surface.points.data[p]);
    }
    if (status == MRC_OK) status = vtk_write_surface(path, time, &surface, NULL, 0, error);
    surface_free(&surface);
    return status;
}

// All files of one instant: two per bed of grains, one for the mechanism.
static size_t part_count(const Sim *sim) {
    return 2 * (size_t)sim->definition->grains_count + (sim->mechanism.mechanism ? 1 : 0);
}

static void part_name(const Sim *sim, size_t part, const char **thing, const char **kind) {
    bool grains = part < 2 * (size_t)sim->definition->grains_count;
    *thing = grains ? sim->definition->grains[part / 2].name : "mechanism";
    *kind = grains && part % 2 ? "-walls" : "";
}

static MrcStatus write_part(const char *path, double time, const Sim *sim, size_t part, MrcError *error) {
    if (part >= 2 * (size_t)sim->definition->grains_count)
        return mechanism_frame_write(path, time, &sim->mechanism, error);
    const SimGrains *bed = &sim->grains[part / 2];
    if (part % 2) return write_walls(path, time, bed, error);
    return write_grains(path, time, grains_view(bed->grains), error);
}

static MrcStatus write_collection(const Frames *frames, const Sim *sim, MrcError *error) {
    char path[1400], file[300];
    const char *thing, *kind;
    Arena *arena = arena_create();
    size_t parts = part_count(sim), count = 0;
    VtkEntry *entries = arena ? arena_alloc(arena, parts * frames->times.count * sizeof *entries) : NULL;
    if (!entries) {
        arena_destroy(arena);
        return error_memory(error, "frames.pvd");
    }
    for (size_t f = 0; f < frames->times.count; f++)
        for (size_t k = 0; k < parts; k++) {
            part_name(sim, k, &thing, &kind);
            frame_file(file, sizeof file, thing, kind, f);
            entries[count++] =
                (VtkEntry){frames->times.data[f], (int)k, arena_printf(arena, "%s%s", thing, kind),
                           arena_strdup(arena, file)};
        }
    snprintf(path, sizeof path, "%s/frames.pvd", frames->folder);
    MrcStatus status = vtk_write_collection(path, entries, count, error);
    arena_destroy(arena);
    return status;
}

MrcStatus frames_write(Frames *frames, const Sim *sim, MrcError *error) {
    char path[1400], file[300];
    const char *thing, *kind;
    double time = clock_time(&sim->clock);
    snprintf(path, sizeof path, "%s/frames", frames->folder);
    MrcStatus status = file_make_folder(path, error);
    for (size_t k = 0; k < part_count(sim) && status == MRC_OK; k++) {
        part_name(sim, k, &thing, &kind);
        frame_file(file, sizeof file, thing, kind, frames->times.count);
        snprintf(path, sizeof path, "%s/%s", frames->folder, file);
        status = write_part(path, time, sim, k, error);
    }
    if (status != MRC_OK) return status;
    if (!array_push(&frames->times, time)) return error_memory(error, "the frames");
    return write_collection(frames, sim, error);
}
