#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "output/page_data.h"
#include "partner/frame_part.h"

// One part of one frame, pointing into the file.
typedef struct ReplayPart {
    const char *name;
    uint32_t name_length, shape, count;
    const char *places, *speeds; // float each; no alignment
    bool renewed;                // what seldom changes is given again:
    const char *radii;           // of grains
    const char *indices[3];      // of others: corners, ends, marks
    uint32_t index_counts[3];
} ReplayPart;

typedef struct ReplayReader {
    const char *at, *end;
    bool failed;
} ReplayReader;

static const char *replay_take(ReplayReader *reader, size_t count) {
    if (reader->failed || (size_t)(reader->end - reader->at) < count) {
        reader->failed = true;
        return NULL;
    }
    const char *taken = reader->at;
    reader->at += count;
    return taken;
}

static uint32_t replay_take_count(ReplayReader *reader) {
    const char *bytes = replay_take(reader, 4);
    uint32_t number = 0;
    if (bytes) memcpy(&number, bytes, 4);
    return number;
}

static ReplayPart replay_take_part(ReplayReader *reader) {
    ReplayPart part = {0};
    part.name_length = replay_take_count(reader);
    part.name = replay_take(reader, part.name_length);
    part.shape = replay_take_count(reader);
    part.count = replay_take_count(reader);
    part.places = replay_take(reader, (size_t)part.count * 12);
    if (part.shape == FRAME_POINTS) part.speeds = replay_take(reader, (size_t)part.count * 4);
    part.renewed = replay_take_count(reader) != 0;
    if (!part.renewed) return part;
    if (part.shape == FRAME_POINTS) part.radii = replay_take(reader, (size_t)part.count * 4);
    else
        for (int k = 0; k < 3; k++) {
            part.index_counts[k] = replay_take_count(reader);
            part.indices[k] = replay_take(reader, (size_t)part.index_counts[k] * 4);
        }
    return part;
}

// ---- packing -------------------------------------------------------------------------------------
typedef ARRAY(char) PackedBytes;

static bool packed_add(PackedBytes *packed, const void *bytes, size_t count) {
    size_t before = packed->count;
    if (!array_resize(packed, before + count)) return false;
    if (count > 0) memcpy(packed->data + before, bytes, count);
    return true;
}

static float replay_float(const char *floats, size_t index) {
    float value;
    memcpy(&value, floats + 4 * index, 4);
    return value;
}

// 16 bits between the smallest and the largest, which are returned. Component `offset` of every `stride` floats; first the
// low bytes, then the high ones, which compresses better.
static bool packed_add_scaled(PackedBytes *packed, const char *floats, size_t count, size_t offset,
                              size_t stride, double range[2]) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double value = replay_float(floats, i * stride + offset);
        low = fmin(low, value), high = fmax(high, value);
    }
    if (!(low <= high)) low = high = 0;
    range[0] = low, range[1] = high;
    size_t before = packed->count;
    if (!array_resize(packed, before + 2 * count)) return false;
    double scale = high > low ? 65535 / (high - low) : 0;
    for (size_t i = 0; i < count; i++) {
        unsigned level = (unsigned)lrint((replay_float(floats, i * stride + offset) - low) * scale);
        packed->data[before + i] = (char)(level & 255);
        packed->data[before + count + i] = (char)(level >> 8);
    }
    return true;
}

static bool replay_pack_part(Json *json, PackedBytes *packed, const ReplayPart *part) {
    char name[256];
    size_t length = part->name_length < sizeof name - 1 ? part->name_length : sizeof name - 1;
    memcpy(name, part->name, length);
    name[length] = 0;
    json_object_begin(json);
    json_member_string(json, "name", name);
    json_member_integer(json, "shape", part->shape);
    json_member_integer(json, "count", part->count);
    bool fine = true;
    json_key(json, "box");
    json_array_begin(json);
    for (size_t k = 0; k < 3 && fine; k++) {
        double range[2] = {0, 0};
        fine = packed_add_scaled(packed, part->places, part->count, k, 3, range);
        json_number(json, range[0]);
        json_number(json, range[1]);
    }
    json_array_end(json);
    if (part->shape == FRAME_POINTS && fine) {
        double range[2] = {0, 0};
        fine = packed_add_scaled(packed, part->speeds, part->count, 0, 1, range);
        json_key(json, "speed");
        json_numbers(json, range, 2);
    }
    json_member_bool(json, "renewed", part->renewed);
    if (part->renewed && part->shape == FRAME_POINTS)
        fine = fine && packed_add(packed, part->radii, 4 * (size_t)part->count);
    if (part->renewed && part->shape != FRAME_POINTS) {
        json_key(json, "indices");
        json_array_begin(json);
        for (int k = 0; k < 3; k++) {
            json_integer(json, part->index_counts[k]);
            fine = fine && packed_add(packed, part->indices[k], 4 * (size_t)part->index_counts[k]);
        }
        json_array_end(json);
    }
    json_object_end(json);
    return fine;
}

// What seldom changes may stand in a frame that is left out: the last one given is carried along.
static bool replay_carry(ReplayPart *part, ReplayPart *last, bool written) {
    if (part->renewed) *last = *part;
    if (part->renewed || written || !last->name) return part->renewed || last->name;
    part->renewed = true;
    part->radii = last->radii;
    memcpy(part->indices, last->indices, sizeof part->indices);
    memcpy(part->index_counts, last->index_counts, sizeof part->index_counts);
    return last->count == part->count || part->shape != FRAME_POINTS;
}

enum { replay_parts_max = 256 };

typedef struct ReplayPacking {
    ReplayPart last[replay_parts_max]; // that gave what seldom changes
    bool written[replay_parts_max];    // that is in the page
    PackedBytes packed;
} ReplayPacking;

static bool replay_pack_frame(Json *json, ReplayPacking *packing, ReplayReader *reader, bool kept) {
    const char *clock = replay_take(reader, 8);
    uint32_t parts = replay_take_count(reader);
    double time = 0;
    if (clock) memcpy(&time, clock, 8);
    reader->failed = reader->failed || parts > replay_parts_max;
    if (reader->failed) return false;
    if (kept) {
        json_object_begin(json);
        json_member_number(json, "time", time);
        json_key(json, "parts");
        json_array_begin(json);
    }
    for (uint32_t k = 0; k < parts; k++) {
        ReplayPart part = replay_take_part(reader);
        if (reader->failed) return false;
        if (part.renewed) packing->written[k] = false;
        reader->failed = !replay_carry(&part, &packing->last[k], packing->written[k]);
        if (reader->failed) return false;
        if (!kept) continue;
        packing->written[k] = true;
        if (!replay_pack_part(json, &packing->packed, &part)) return false;
    }
    if (kept) {
        json_array_end(json);
        json_object_end(json);
    }
    return true;
}

// How many frames there are, whole ones.
static size_t replay_count(const char *bytes, size_t length) {
    size_t frames = 0;
    uint64_t size;
    for (size_t at = 0; length - at >= sizeof size; frames++) {
        memcpy(&size, bytes + at, sizeof size);
        if (size > length - at - sizeof size) break;
        at += sizeof size + size;
    }
    return frames;
}

static MrcStatus replay_pack(Json *json, const char *bytes, size_t length, double budget, const char *path,
                             MrcError *error) {
    size_t frames = replay_count(bytes, length);
    // Half of the bytes remain with 16 bits, three quarters of these after deflating; base64 makes four of three.
    size_t every = (size_t)fmax(1, ceil(0.5 * (double)length / budget));
    ReplayPacking *packing = calloc(1, sizeof *packing);
    if (!packing) return error_memory(error, "the report");
    ReplayReader reader = {bytes, bytes + length, false};
    bool fine = true;
    json_object_begin(json);
    json_member_integer(json, "frames_of_file", (int64_t)frames);
    json_key(json, "frames");
    json_array_begin(json);
    for (size_t f = 0; f < frames && fine; f++) {
        replay_take(&reader, 8);
        fine = replay_pack_frame(json, packing, &reader, f % every == 0 || f + 1 == frames);
    }
    MrcStatus status = MRC_OK;
    if (reader.failed) status = error_set(error, MRC_READ_FAILED, "'%s' is damaged", path);
    else if (!fine) status = error_memory(error, "the report");
    if (fine) {
        json_array_end(json);
        status = page_add_packed(json, packing->packed.data, packing->packed.count, error);
        json_object_end(json);
    }
    array_free(&packing->packed);
    free(packing);
    return status;
}

MrcStatus page_add_replay(Json *json, const char *path, double budget, MrcError *error) {
    char *bytes = NULL;
    size_t length;
    MrcStatus status = file_read(path, (size_t)1 << 32, &bytes, &length, error);
    if (status == MRC_OK) status = replay_pack(json, bytes, length, budget, path, error);
    free(bytes);
    return status;
}
