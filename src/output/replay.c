#include "output/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "output/frames.h"
#include "output/replay_marks.h"

static const double replay_file_bytes = 20e6, replay_file_most = 210e6; // of the whole file, about
enum { replay_frames_fair = 100, replay_frames_least = 10 };

// ---- the interval --------------------------------------------------------------------------------
// Points on the surface of a grain: mean over the forms of its kind; none of spheres.
static double replay_points_of_body(const ParticlesDefinition *particles) {
    Surface surface = {0};
    MrcError error;
    const Pose pose = {.orientation = quaternion_identity()};
    for (int k = 0; k < particles->shape_count; k++)
        if (shape_surface(&particles->shapes[k], &pose, &surface, &error) != MRC_OK) break;
    double points = particles->shape_count > 0 ? (double)surface.points.count / particles->shape_count : 0;
    surface_free(&surface);
    return points;
}

static double replay_bytes_of_bed(const GrainStore *s, const GrainsDefinition *grains) {
    double bytes = 0;
    for (int k = 0; k < grains_kind_count(grains); k++) {
        size_t count = s->kind ? 0 : s->count;
        for (size_t i = 0; s->kind && i < s->count; i++) count += s->kind[i] == k;
        bytes += (double)count * (20 + 12 * replay_points_of_body(grains_kind(grains, k)));
    }
    return bytes;
}

static double replay_interval(const Sim *sim) {
    double bytes = 28 * (double)replay_marks_points(sim) + 2000;
    for (int g = 0; g < sim->definition->grains_count; g++)
        bytes += replay_bytes_of_bed(grains_view(sim->beds->items[g].grains), &sim->definition->grains[g]);
    double frames = fmax(replay_file_bytes / bytes, fmin(replay_frames_fair, replay_file_most / bytes));
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

// ---- contact forces ------------------------------------------------------------------------------
static bool replay_keep_velocities(Replay *replay, const Sim *sim) {
    replay->before.count = 0;
    for (int b = 0; b < sim->beds->count; b++) {
        const GrainStore *s = grains_view(sim->beds->items[b].grains);
        if (!array_push(&replay->before, (double)s->count)) return false;
        for (size_t i = 0; i < s->count; i++)
            if (!array_push(&replay->before, (double)s->id[i]) || !array_push(&replay->before, s->vx[i]) ||
                !array_push(&replay->before, s->vy[i]) || !array_push(&replay->before, s->vz[i]))
                return false;
    }
    return true;
}

// Those of one bed that were kept: *count of them, in the order of ids.
static const double *replay_kept_velocities(const Replay *replay, int bed, size_t *count) {
    size_t at = 0;
    *count = 0;
    for (int b = 0; at < replay->before.count; b++) {
        double number = replay->before.data[at];
        if (!(number >= 0 && 4 * number <= (double)(replay->before.count - at - 1))) return NULL;
        size_t grains = (size_t)number;
        if (b == bed) {
            *count = grains;
            return replay->before.data + at + 1;
        }
        at += 1 + 4 * grains;
    }
    return NULL;
}

// Grains that came in this step have none.
static bool replay_add_forces(Replay *replay, const Sim *sim, int bed) {
    const GrainStore *s = grains_view(sim->beds->items[bed].grains);
    size_t count, k = 0;
    const double *kept = replay_kept_velocities(replay, bed, &count);
    for (size_t i = 0; i < s->count; i++) {
        float force = 0;
        while (k < count && kept[4 * k] < (double)s->id[i]) k++;
        if (k < count && kept[4 * k] == (double)s->id[i]) {
            Vec3 gain =
                vec3(s->vx[i] - kept[4 * k + 1], s->vy[i] - kept[4 * k + 2], s->vz[i] - kept[4 * k + 3]);
            gain = vec3_madd(gain, -sim->clock.step, sim->beds->gravity);
            force = (float)(vec3_norm(gain) / sim->clock.step / s->inverse_mass[i]);
        }
        if (!replay_add(replay, &force, sizeof force)) return false;
    }
    return true;
}

// ---- parts ---------------------------------------------------------------------------------------
static bool replay_add_integers(Replay *replay, const FramePart *part, const char *name) {
    const FrameValues *values = replay_values(part, name);
    for (size_t i = 0; i < part->count; i++) {
        int32_t number = values ? (int32_t)values->integers[i] : 0;
        if (!replay_add(replay, &number, sizeof number)) return false;
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
    return replay_add_integers(replay, part, "id") && replay_add_integers(replay, part, "kind");
}

// What seldom changes, from `flag` on, stays only when it is not what the file holds already.
static bool replay_drop_unchanged(Replay *replay, size_t flag, size_t number) {
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

static bool replay_add_head(Replay *replay, const char *name, uint32_t shape, size_t count) {
    return replay_add_count(replay, strlen(name)) && replay_add(replay, name, strlen(name)) &&
           replay_add_count(replay, shape) && replay_add_count(replay, count);
}

// `bed`: of grains, their number among the beds.
static bool replay_add_part(Replay *replay, const Sim *sim, const FramePart *part, int bed, size_t number) {
    bool fine =
        replay_add_head(replay, part->name, part->shape, part->count) && replay_add_places(replay, part);
    if (part->shape == FRAME_POINTS)
        fine = fine && replay_add_speeds(replay, part) && replay_add_forces(replay, sim, bed);
    size_t flag = replay->record.count;
    fine = fine && replay_add_count(replay, 1) && replay_add_unchanging(replay, part);
    return fine && replay_drop_unchanged(replay, flag, number);
}

static bool replay_add_marks(Replay *replay, const ReplayMarks *marks, size_t number) {
    size_t points = (size_t)marks->count, width = (size_t)marks->width, length = strlen(marks->names);
    bool fine = replay_add_head(replay, marks->name, REPLAY_NAMED, points) &&
                replay_add(replay, marks->places, 3 * points * sizeof(float)) &&
                replay_add_count(replay, width) &&
                replay_add(replay, marks->values, width * points * sizeof(float));
    size_t flag = replay->record.count;
    fine = fine && replay_add_count(replay, 1) && replay_add_count(replay, length) &&
           replay_add(replay, marks->names, length);
    return fine && replay_drop_unchanged(replay, flag, number);
}

static MrcStatus replay_fill(Replay *replay, const Sim *sim, MrcError *error) {
    Arena *arena = arena_create();
    FrameList list = {.arena = arena};
    ReplayMarks marks[REPLAY_MARKS];
    int mark_count = 0, bed = -1;
    double time = clock_time(&sim->clock);
    uint64_t bytes = 0;
    replay->record.count = 0;
    MrcStatus status =
        arena ? frames_list(sim, FRAME_WORLD, &list, error) : error_memory(error, "the replay");
    if (status == MRC_OK) status = replay_marks(sim, arena, marks, &mark_count, error);
    if (status == MRC_OK) {
        bool fine = replay_add(replay, &bytes, sizeof bytes) && replay_add(replay, &time, sizeof time) &&
                    replay_add_count(replay, list.parts.count + (size_t)mark_count);
        for (size_t k = 0; k < list.parts.count && fine; k++) {
            bed += list.parts.data[k].shape == FRAME_POINTS;
            fine = replay_add_part(replay, sim, &list.parts.data[k], bed, k);
        }
        for (size_t k = 0; k < (size_t)mark_count && fine; k++)
            fine = replay_add_marks(replay, &marks[k], list.parts.count + k);
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
    array_free(&replay->before);
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
    Clock next = sim->clock;
    next.now++;
    bool due = alarm_rings(&replay->alarm, &sim->clock) || last;
    MrcStatus status = due ? sim_measure(sim, error) : MRC_OK;
    if (due && status == MRC_OK) status = replay_fill(replay, sim, error);
    if (due) replay->before.count = 0;
    bool soon = alarm_is_due(&replay->alarm, &next) || next.now >= next.total;
    if (status == MRC_OK && soon && !replay_keep_velocities(replay, sim))
        status = error_memory(error, "the replay");
    if (!due) return status;
    return status == MRC_OK ? replay_append(replay, error) : status;
}

void replay_archive(Replay *replay, Archive *archive) {
    archive_group_begin(archive, "replay");
    archive_counts(archive, "length", &replay->length, 1);
    archive_counts(archive, "frames", &replay->frames, 1);
    archive_doubles(archive, "every", &replay->alarm.every, 1);
    alarm_archive(&replay->alarm, "alarm", archive);
    archive_array(archive, "unchanging", &replay->unchanging);
    archive_array(archive, "before", &replay->before);
    archive_group_end(archive, "replay");
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK &&
        !(replay->alarm.every >= 0 && isfinite(replay->alarm.every)))
        archive_fail(archive, MRC_CHECKPOINT, "every", "an interval cannot be %g s", replay->alarm.every);
}

void replay_end(Replay *replay) {
    if (replay->file >= 0) close(replay->file);
    array_free(&replay->unchanging);
    array_free(&replay->before);
    array_free(&replay->record);
    replay->file = -1;
}
