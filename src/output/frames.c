#include "output/frames.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "output/mechanism_frame.h"
#include "output/vtk.h"

static const char *const collections[] = {"frames.pvd", "frames-container.pvd"}; // by View

typedef enum View { VIEW_WORLD, VIEW_CONTAINER } View;

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
    for (size_t c = 0; c < sizeof collections / sizeof *collections; c++) {
        snprintf(path, sizeof path, "%s/%s", frames->folder, collections[c]);
        remove(path);
    }
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

// Everything is written as it is seen from a frame with this motion.
static Motion viewpoint(const Sim *sim, const SimGrains *bed, View view) {
    return view == VIEW_WORLD || bed->port < 0 ? motion_at_rest() : sim->ports[bed->port].motion;
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

static void put(double *x, double *y, double *z, size_t i, Vec3 v) { x[i] = v.x, y[i] = v.y, z[i] = v.z; }

static MrcStatus write_grains_seen(const char *path, double time, const GrainStore *store, const Motion *from,
                                   MrcError *error) {
    size_t n = store->count;
    double *block = memory_alloc((9 * n + 1) * sizeof *block);
    if (!block) return error_memory(error, "a frame");
    GrainStore seen = *store;
    double **columns[] = {&seen.x,  &seen.y,  &seen.z,  &seen.vx, &seen.vy,
                          &seen.vz, &seen.wx, &seen.wy, &seen.wz};
    for (size_t c = 0; c < 9; c++) *columns[c] = block + c * n;
    Quaternion back = quaternion_conjugate(from->orientation);
    for (size_t i = 0; i < n; i++) {
        Vec3 x = vec3(store->x[i], store->y[i], store->z[i]),
             v = vec3(store->vx[i], store->vy[i], store->vz[i]),
             w = vec3(store->wx[i], store->wy[i], store->wz[i]);
        put(seen.x, seen.y, seen.z, i, motion_to_local(from, x));
        put(seen.vx, seen.vy, seen.vz, i, quaternion_rotate(back, vec3_sub(v, motion_velocity_at(from, x))));
        put(seen.wx, seen.wy, seen.wz, i, quaternion_rotate(back, vec3_sub(w, from->angular_velocity)));
    }
    MrcStatus status = write_grains(path, time, &seen, error);
    memory_free(block);
    return status;
}

static MrcStatus write_walls(const char *path, double time, const SimGrains *bed, const Motion *from,
                             MrcError *error) {
    Surface surface = {0};
    MrcStatus status = MRC_OK;
    for (int w = 0; w < bed->definition->wall_count && status == MRC_OK; w++) {
        size_t first = surface.points.count;
        status = wall_surface(&bed->definition->walls[w].shape, &surface, error);
        for (size_t p = first; p < surface.points.count; p++)
            surface.points.data[p] =
                motion_to_local(from, motion_to_world(&bed->motions[w], surface.points.data[p]));
    }
    if (status == MRC_OK) status = vtk_write_surface(path, time, &surface, NULL, 0, error);
    surface_free(&surface);
    return status;
}

// All files of one instant: two per bed of grains, and in world axes one for the mechanism.
static size_t part_count(const Sim *sim, View view) {
    bool mechanism = view == VIEW_WORLD && sim->mechanism.mechanism;
    return 2 * (size_t)sim->definition->grains_count + (mechanism ? 1 : 0);
}

static void part_name(const Sim *sim, View view, size_t part, const char **thing, const char **kind) {
    static const char *const kinds[][2] = {{"", "-walls"}, {"-container", "-container-walls"}};
    bool grains = part < 2 * (size_t)sim->definition->grains_count;
    *thing = grains ? sim->definition->grains[part / 2].name : "mechanism";
    *kind = grains ? kinds[view][part % 2] : "";
}

static MrcStatus write_part(const char *path, double time, const Sim *sim, View view, size_t part,
                            MrcError *error) {
    if (part >= 2 * (size_t)sim->definition->grains_count)
        return mechanism_frame_write(path, time, &sim->mechanism, error);
    const SimGrains *bed = &sim->grains[part / 2];
    Motion from = viewpoint(sim, bed, view);
    if (part % 2) return write_walls(path, time, bed, &from, error);
    const GrainStore *store = grains_view(bed->grains);
    return view == VIEW_WORLD ? write_grains(path, time, store, error)
                              : write_grains_seen(path, time, store, &from, error);
}

static MrcStatus write_collection(const Frames *frames, const Sim *sim, View view, MrcError *error) {
    char path[1400], file[300];
    const char *thing, *kind;
    Arena *arena = arena_create();
    size_t parts = part_count(sim, view), count = 0;
    VtkEntry *entries = arena ? arena_alloc(arena, parts * frames->times.count * sizeof *entries) : NULL;
    if (!entries) {
        arena_destroy(arena);
        return error_memory(error, collections[view]);
    }
    for (size_t f = 0; f < frames->times.count; f++)
        for (size_t k = 0; k < parts; k++) {
            part_name(sim, view, k, &thing, &kind);
            frame_file(file, sizeof file, thing, kind, f);
            entries[count++] =
                (VtkEntry){frames->times.data[f], (int)k, arena_printf(arena, "%s%s", thing, kind),
                           arena_strdup(arena, file)};
        }
    snprintf(path, sizeof path, "%s/%s", frames->folder, collections[view]);
    MrcStatus status = vtk_write_collection(path, entries, count, error);
    arena_destroy(arena);
    return status;
}

MrcStatus frames_write(Frames *frames, const Sim *sim, MrcError *error) {
    char path[1400], file[300];
    const char *thing, *kind;
    double time = clock_time(&sim->clock);
    View last = sim->definition->frames_axes == FRAMES_BOTH ? VIEW_CONTAINER : VIEW_WORLD;
    snprintf(path, sizeof path, "%s/frames", frames->folder);
    MrcStatus status = file_make_folder(path, error);
    for (View view = VIEW_WORLD; view <= last; view++)
        for (size_t k = 0; k < part_count(sim, view) && status == MRC_OK; k++) {
            part_name(sim, view, k, &thing, &kind);
            frame_file(file, sizeof file, thing, kind, frames->times.count);
            snprintf(path, sizeof path, "%s/%s", frames->folder, file);
            status = write_part(path, time, sim, view, k, error);
        }
    if (status != MRC_OK) return status;
    if (!array_push(&frames->times, time)) return error_memory(error, "the frames");
    for (View view = VIEW_WORLD; view <= last && status == MRC_OK; view++)
        status = write_collection(frames, sim, view, error);
    return status;
}
