#include "output/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "output/frames.h"

static const double replay_file_bytes = 20e6; // of the whole file, about
enum { replay_frames_least = 10 };

// ---- the interval --------------------------------------------------------------------------------
static double replay_interval(const Sim *sim) {
    double grains = 0;
    for (int g = 0; g < sim->definition->grains_count; g++)
        grains += (double)grains_view(sim->beds->items[g].grains)->count;
    double frames = replay_file_bytes / (16 * grains + 2000);
    frames = fmin(fmax(frames, replay_frames_least), REPLAY_FRAMES_MAX);
    return sim->clock.step * ceil((double)sim->clock.total / frames);
}

// ---- one record ----------------------------------------------------------------------------------
static bool replay_add(Replay *replay, const void *bytes, size_t count) {
    size_t before = replay->record.count;
    if (!array_resize(&replay->record, before + count)) return false;
    if (count > 0) memcpy(replay->record.data + before, bytes, count);
    return true;
}

static bool replay_add_count(Replay *replay, size_t count) {
    uint32_t number = (uint32_t)count;
    return replay_add(replay, &number, sizeof number);
}

static bool replay_add_indices(Replay *replay, const int *indices, size_t count) {
    return replay_add_count(replay, count) && replay_add(replay, indices, count * sizeof *indices);
}

static const FrameValues *replay_values(const FramePart *part, const char *name) {
    for (int k = 0; k < part->value_count; k++)
        if (strcmp(part->values[k].name, name) == 0) return &part->values[k];
    return NULL;
}

static bool replay_add_places(Replay *replay, const FramePart *part) {
    for (size_t i = 0; i < part->count; i++) {
        Vec3 x =
            part->places ? part->places[i] : vec3(part->place[0][i], part->place[1][i], part->place[2][i]);
        float place[3] = {(float)x.x, (float)x.y, (float)x.z};
        if (!replay_add(replay, place, sizeof place)) return false;
    }
    return true;
}

static bool replay_add_speeds(Replay *replay, const FramePart *part) {
    const FrameValues *v = replay_values(part, "velocity");
    for (size_t i = 0; i < part->count; i++) {
        float speed = v ? (float)vec3_norm(vec3(v->values[0][i], v->values[1][i], v->values[2][i])) : 0;
        if (!replay_add(replay, &speed, sizeof speed)) return false;
    }
    return true;
}

static bool replay_add_unchanging(Replay *replay, const FramePart *part) {
    if (part->shape != FRAME_POINTS)
        return replay_add_indices(replay, part->corners, part->corner_count) &&
               replay_add_indices(replay, part->ends, part->end_count) &&
               replay_add_indices(replay, part->marks, part->mark_count);
    const FrameValues *radius = replay_values(part, "radius");
    for (size_t i = 0; i < part->count; i++) {
        float r = radius ? (float)radius->values[0][i] : 0;
        if (!replay_add(replay, &r, sizeof r)) return false;
    }
    return true;
}

// What seldom changes is written only when it is not what the file holds already.
static bool replay_add_part(Replay *replay, const FramePart *part, size_t number) {
    bool fine = replay_add_count(replay, strlen(part->name)) &&
                replay_add(replay, part->name, strlen(part->name)) && replay_add_count(replay, part->shape) &&
                replay_add_count(replay, part->count) && replay_add_places(replay, part) &&
                (part->shape != FRAME_POINTS || replay_add_speeds(replay, part));
    size_t flag = replay->record.count;
    fine = fine && replay_add_count(replay, 1) && replay_add_unchanging(replay, part);
    if (!fine) return false;
    while (replay->unchanging.count <= number)
        if (!array_push(&replay->unchanging, 0)) return false;
    int64_t hash = (int64_t)hash_bytes(HASH_START, replay->record.data + flag, replay->record.count - flag);
    if (replay->unchanging.data[number] == hash) {
        replay->record.count = flag;
        return replay_add_count(replay, 0);
    }
    replay->unchanging.data[number] = hash;
    return true;
}

static MrcStatus replay_fill(Replay *replay, const Sim *sim, MrcError *error) {
    Arena *arena = arena_create();
    FrameList list = {.arena = arena};
    double time = clock_time(&sim->clock);
    uint64_t bytes = 0;
    replay->record.count = 0;
    MrcStatus status =
        arena ? frames_list(sim, FRAME_WORLD, &list, error) : error_memory(error, "the replay");
    if (status == MRC_OK) {
        bool fine = replay_add(replay, &bytes, sizeof bytes) && replay_add(replay, &time, sizeof time) &&
                    replay_add_count(replay, list.parts.count);
        for (size_t k = 0; k < list.parts.count && fine; k++)
            fine = replay_add_part(replay, &list.parts.data[k], k);
        if (!fine) status = error_memory(error, "the replay");
    }
    frame_list_free(&list);
    arena_destroy(arena);
    if (status != MRC_OK) return status;
    bytes = replay->record.count - sizeof bytes;
    memcpy(replay->record.data, &bytes, sizeof bytes);
    return MRC_OK;
}

// ---- the file ------------------------------------------------------------------------------------
static MrcStatus replay_failed(const Replay *replay, MrcError *error) {
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", replay->path, strerror(errno));
}

static void replay_set_path(Replay *replay, const char *folder) {
    snprintf(replay->path, sizeof replay->path, "%s/replay.bin", folder);
    replay->file = -1;
}

MrcStatus replay_start(Replay *replay, const char *folder, const Sim *sim, MrcError *error) {
    array_free(&replay->unchanging);
    *replay = (Replay){.alarm.every = replay_interval(sim)};
    replay_set_path(replay, folder);
    remove(replay->path);
    replay->file = open(replay->path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    return replay->file >= 0 ? MRC_OK : replay_failed(replay, error);
}

MrcStatus replay_resume(Replay *replay, const char *folder, const Sim *sim, MrcError *error) {
    MrcError ignored;
    replay_set_path(replay, folder);
    replay->file = open(replay->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (replay->file >= 0 && file_check_own(replay->file, replay->path, &ignored) == MRC_OK &&
        lseek(replay->file, 0, SEEK_END) >= replay->length && ftruncate(replay->file, replay->length) == 0)
        return MRC_OK;
    if (replay->file >= 0) close(replay->file);
    return replay_start(replay, folder, sim, error);
}

// A piece of a record is taken back, so that the file always ends with a whole one.
static MrcStatus replay_append(Replay *replay, MrcError *error) {
    size_t done = 0;
    while (done < replay->record.count) {
        ssize_t part = write(replay->file, replay->record.data + done, replay->record.count - done);
        if (part > 0) done += (size_t)part;
        else if (part == 0 || errno != EINTR) break;
    }
    if (done == replay->record.count) {
        replay->length += (int64_t)done;
        replay->frames++;
        return MRC_OK;
    }
    replay_failed(replay, error);
    if (ftruncate(replay->file, replay->length) != 0) return error->status;
    return error->status;
}

MrcStatus replay_record(Replay *replay, Sim *sim, MrcError *error) {
    if (replay->file < 0) return MRC_OK;
    bool last = sim_is_done(sim);
    if (!alarm_rings(&replay->alarm, &sim->clock) && !last) return MRC_OK;
    MrcStatus status = sim_measure(sim, error);
    if (status == MRC_OK) status = replay_fill(replay, sim, error);
    return status == MRC_OK ? replay_append(replay, error) : status;
}

void replay_archive(Replay *replay, Archive *archive) {
    archive_group_begin(archive, "replay");
    archive_int64s(archive, "length", &replay->length, 1);
    archive_int64s(archive, "frames", &replay->frames, 1);
    archive_doubles(archive, "every", &replay->alarm.every, 1);
    alarm_archive(&replay->alarm, "alarm", archive);
    archive_array(archive, "unchanging", &replay->unchanging);
    archive_group_end(archive, "replay");
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK &&
        !(replay->length >= 0 && replay->alarm.every >= 0 && isfinite(replay->alarm.every)))
        archive_fail(archive, MRC_CHECKPOINT, "replay", "length %lld", (long long)replay->length);
}

void replay_end(Replay *replay) {
    if (replay->file >= 0) close(replay->file);
    array_free(&replay->unchanging);
    array_free(&replay->record);
    replay->file = -1;
}
