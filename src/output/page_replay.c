#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "output/page_data.h"
#include "output/replay_marks.h"
#include "partner/frame_part.h"

static const double replay_many = 2e6; // grains in all frames, from which fewer bits are kept of each

// One part of one frame, pointing into the file. Numbers have no alignment.
typedef struct ReplayPart {
    const char *name;
    uint32_t name_length, shape, count, width;
    const char *places;          // float each
    const char *speeds, *forces; // of grains: float each
    const char *values;          // of named points: `width` floats each
    bool renewed;                // what seldom changes is given again:
    const char *radii, *ids, *kinds;
    const char *names; // of named points
    uint32_t names_length;
    const char *indices[3]; // of others: corners, ends, marks
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

static void replay_take_unchanging(ReplayReader *reader, ReplayPart *part) {
    size_t four = (size_t)part->count * 4;
    if (part->shape == FRAME_POINTS) {
        part->radii = replay_take(reader, four);
        part->ids = replay_take(reader, four);
        part->kinds = replay_take(reader, four);
    } else if (part->shape == REPLAY_NAMED) {
        part->names_length = replay_take_count(reader);
        part->names = replay_take(reader, part->names_length);
    } else
        for (int k = 0; k < 3; k++) {
            part->index_counts[k] = replay_take_count(reader);
            part->indices[k] = replay_take(reader, (size_t)part->index_counts[k] * 4);
        }
}

static ReplayPart replay_take_part(ReplayReader *reader) {
    ReplayPart part = {0};
    part.name_length = replay_take_count(reader);
    part.name = replay_take(reader, part.name_length);
    part.shape = replay_take_count(reader);
    part.count = replay_take_count(reader);
    part.places = replay_take(reader, (size_t)part.count * 12);
    if (part.shape == FRAME_POINTS) {
        part.speeds = replay_take(reader, (size_t)part.count * 4);
        part.forces = replay_take(reader, (size_t)part.count * 4);
    }
    if (part.shape == REPLAY_NAMED) {
        part.width = replay_take_count(reader);
        if (part.width > 16) reader->failed = true;
        part.values = replay_take(reader, (size_t)part.count * part.width * 4);
    }
    part.renewed = replay_take_count(reader) != 0;
    if (part.renewed) replay_take_unchanging(reader, &part);
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

// Whole numbers between the ends of a range, 0 to `levels`. `last`: those of the frame before, from which the difference is
// written, or NULL; they become those of this frame. A difference d is written as 2 d, or as -2 d - 1 when it is negative, so
// that small ones have no high byte. First the low bytes, then the high ones, which compresses better; no
// high ones when there are 255 levels at most.
typedef struct PackedRange {
    double low, high;
    unsigned levels; // 32767 at most where differences are written
} PackedRange;

static bool packed_add_scaled(PackedBytes *packed, const char *floats, size_t count, size_t offset,
                              size_t stride, const PackedRange *range, uint16_t *last, bool difference) {
    size_t before = packed->count, bytes = range->levels > 255 ? 2 : 1;
    if (!array_resize(packed, before + bytes * count)) return false;
    double scale = range->high > range->low ? range->levels / (range->high - range->low) : 0;
    for (size_t i = 0; i < count; i++) {
        double value = (replay_float(floats, i * stride + offset) - range->low) * scale;
        unsigned level = value > 0 ? (unsigned)lrint(fmin(value, range->levels)) : 0;
        unsigned written = level;
        if (difference) written = level >= last[i] ? 2 * (level - last[i]) : 2 * (last[i] - level) - 1;
        if (last) last[i] = (uint16_t)level;
        packed->data[before + i] = (char)(written & 255);
        if (bytes == 2) packed->data[before + count + i] = (char)(written >> 8);
    }
    return true;
}

static void range_widen(PackedRange *range, const char *floats, size_t count, size_t offset, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        double value = replay_float(floats, i * stride + offset);
        range->low = fmin(range->low, value), range->high = fmax(range->high, value);
    }
}

static PackedRange range_empty(unsigned levels) { return (PackedRange){INFINITY, -INFINITY, levels}; }

static void json_range(Json *json, const PackedRange *range) {
    bool empty = !(range->low <= range->high);
    json_number(json, empty ? 0 : range->low);
    json_number(json, empty ? 0 : range->high);
}

// Of grains: x, y, z, speed, force. Ranges are those of all frames, so that differences between frames are small numbers.
enum { REPLAY_FIELDS = 5, replay_parts_max = 256 };

typedef struct ReplayPacking {
    ReplayPart last[replay_parts_max]; // that gave what seldom changes
    bool written[replay_parts_max];    // that is in the page
    PackedRange ranges[replay_parts_max][REPLAY_FIELDS];
    uint16_t *levels[replay_parts_max]; // of the last frame in the page, field by field
    size_t level_counts[replay_parts_max];
    PackedBytes packed;
} ReplayPacking;

static const char *replay_field(const ReplayPart *part, int field, size_t *stride, size_t *offset) {
    *stride = field < 3 ? 3 : 1, *offset = field < 3 ? (size_t)field : 0;
    return field < 3 ? part->places : field == 3 ? part->speeds : part->forces;
}

static bool replay_pack_grains(Json *json, ReplayPacking *packing, const ReplayPart *part, uint32_t number) {
    bool difference = !part->renewed && packing->level_counts[number] == part->count;
    if (packing->level_counts[number] != part->count) {
        free(packing->levels[number]);
        packing->levels[number] = malloc((size_t)part->count * REPLAY_FIELDS * sizeof(uint16_t) + 1);
        packing->level_counts[number] = packing->levels[number] ? part->count : 0;
        if (!packing->levels[number]) return false;
    }
    json_member_bool(json, "difference", difference);
    json_key(json, "box");
    json_array_begin(json);
    bool fine = true;
    for (int f = 0; f < REPLAY_FIELDS && fine; f++) {
        size_t stride, offset;
        const char *floats = replay_field(part, f, &stride, &offset);
        PackedRange own = range_empty(1);
        if (f < 3) range_widen(&own, floats, part->count, offset, stride);
        if (f < 3) json_range(json, &own);
        fine = packed_add_scaled(&packing->packed, floats, part->count, offset, stride,
                                 &packing->ranges[number][f],
                                 packing->levels[number] + (size_t)f * part->count, difference);
    }
    json_array_end(json);
    if (!part->renewed) return fine;
    size_t four = 4 * (size_t)part->count;
    return fine && packed_add(&packing->packed, part->radii, four) &&
           packed_add(&packing->packed, part->ids, four) && packed_add(&packing->packed, part->kinds, four);
}

static void json_text_of(Json *json, const char *key, const char *bytes, size_t length) {
    char *text = malloc(length + 1);
    if (text) memcpy(text, bytes, length), text[length] = 0;
    json_member_string(json, key, text ? text : "");
    free(text);
}

// Components by themselves, 16 bits between the ends of each in this frame.
static bool replay_pack_components(Json *json, const char *key, PackedBytes *packed, const char *floats,
                                   size_t count, size_t width) {
    bool fine = true;
    json_key(json, key);
    json_array_begin(json);
    for (size_t k = 0; k < width && fine; k++) {
        PackedRange range = range_empty(65535);
        range_widen(&range, floats, count, k, width);
        json_range(json, &range);
        fine = packed_add_scaled(packed, floats, count, k, width, &range, NULL, false);
    }
    json_array_end(json);
    return fine;
}

static bool replay_pack_named(Json *json, PackedBytes *packed, const ReplayPart *part) {
    json_member_integer(json, "width", part->width);
    if (part->renewed) json_text_of(json, "names", part->names, part->names_length);
    return replay_pack_components(json, "box", packed, part->places, part->count, 3) &&
           replay_pack_components(json, "span", packed, part->values, part->count, part->width);
}

// Lines and polygons.
static bool replay_pack_shape(Json *json, PackedBytes *packed, const ReplayPart *part) {
    bool fine = replay_pack_components(json, "box", packed, part->places, part->count, 3);
    if (!part->renewed) return fine;
    json_key(json, "indices");
    json_array_begin(json);
    for (int k = 0; k < 3; k++) {
        json_integer(json, part->index_counts[k]);
        fine = fine && packed_add(packed, part->indices[k], 4 * (size_t)part->index_counts[k]);
    }
    json_array_end(json);
    return fine;
}

static bool replay_pack_part(Json *json, ReplayPacking *packing, const ReplayPart *part, uint32_t number) {
    json_object_begin(json);
    json_text_of(json, "name", part->name, part->name_length);
    json_member_integer(json, "shape", part->shape);
    json_member_integer(json, "count", part->count);
    json_member_bool(json, "renewed", part->renewed);
    bool fine = part->shape == FRAME_POINTS   ? replay_pack_grains(json, packing, part, number)
                : part->shape == REPLAY_NAMED ? replay_pack_named(json, &packing->packed, part)
                                              : replay_pack_shape(json, &packing->packed, part);
    json_object_end(json);
    return fine;
}

// What seldom changes may stand in a frame that is left out: the last one given is carried along.
static bool replay_carry(ReplayPart *part, ReplayPart *last, bool written) {
    if (part->renewed) *last = *part;
    if (part->renewed || written || !last->name) return part->renewed || last->name;
    ReplayPart carried = *last;
    carried.places = part->places, carried.speeds = part->speeds, carried.forces = part->forces;
    carried.values = part->values;
    bool fits = carried.count == part->count || part->shape == FRAME_LINES || part->shape == FRAME_SURFACE;
    carried.count = part->count, carried.renewed = true;
    *part = carried;
    return fits;
}

static bool replay_take_frame(ReplayReader *reader, double *time, uint32_t *parts) {
    replay_take(reader, 8); // length
    const char *clock = replay_take(reader, 8);
    *parts = replay_take_count(reader);
    if (clock) memcpy(time, clock, 8);
    reader->failed = reader->failed || *parts > replay_parts_max;
    return !reader->failed;
}

// The ranges of all grains, and how many grains there are in all frames.
static double replay_find_ranges(ReplayPacking *packing, ReplayReader reader, size_t frames) {
    double grains = 0, time;
    uint32_t parts;
    for (int k = 0; k < replay_parts_max; k++)
        for (int f = 0; f < REPLAY_FIELDS; f++) packing->ranges[k][f] = range_empty(32767);
    for (size_t i = 0; i < frames && replay_take_frame(&reader, &time, &parts); i++)
        for (uint32_t k = 0; k < parts && !reader.failed; k++) {
            ReplayPart part = replay_take_part(&reader);
            if (reader.failed || part.shape != FRAME_POINTS) continue;
            grains += part.count;
            for (int f = 0; f < REPLAY_FIELDS; f++) {
                size_t stride, offset;
                const char *floats = replay_field(&part, f, &stride, &offset);
                range_widen(&packing->ranges[k][f], floats, part.count, offset, stride);
            }
        }
    return grains;
}

static void json_ranges(Json *json, const ReplayPacking *packing) {
    int used = 0;
    for (int k = 0; k < replay_parts_max; k++)
        if (packing->ranges[k][0].low <= packing->ranges[k][0].high) used = k + 1;
    json_key(json, "ranges");
    json_array_begin(json);
    for (int k = 0; k < used; k++) {
        json_array_begin(json);
        for (int f = 0; f < REPLAY_FIELDS; f++) {
            json_range(json, &packing->ranges[k][f]);
            json_integer(json, packing->ranges[k][f].levels);
        }
        json_array_end(json);
    }
    json_array_end(json);
}

static bool replay_pack_frame(Json *json, ReplayPacking *packing, ReplayReader *reader, bool kept) {
    double time = 0;
    uint32_t parts;
    if (!replay_take_frame(reader, &time, &parts)) return false;
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
        if (!replay_pack_part(json, packing, &part, k)) return false;
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

static void replay_free(ReplayPacking *packing) {
    for (int k = 0; k < replay_parts_max; k++) free(packing->levels[k]);
    array_free(&packing->packed);
    free(packing);
}

// Every `every`-th frame, and the last one.
static MrcStatus replay_pack(Json *json, const char *bytes, size_t length, size_t every, const char *path,
                             MrcError *error) {
    size_t frames = replay_count(bytes, length);
    ReplayPacking *packing = calloc(1, sizeof *packing);
    if (!packing) return error_memory(error, "the report");
    ReplayReader reader = {bytes, bytes + length, false};
    bool fine = true, many = replay_find_ranges(packing, reader, frames) > replay_many;
    for (int k = 0; k < replay_parts_max && many; k++)
        for (int f = 0; f < REPLAY_FIELDS; f++) packing->ranges[k][f].levels = f < 3 ? 4095 : 127;
    json_object_begin(json);
    json_member_integer(json, "frames_of_file", (int64_t)frames);
    json_ranges(json, packing);
    Json index = {0}; // what the bytes mean
    json_array_begin(&index);
    for (size_t f = 0; f < frames && fine; f++)
        fine = replay_pack_frame(&index, packing, &reader, f % every == 0 || f + 1 == frames);
    MrcStatus status = MRC_OK;
    if (reader.failed) status = error_set(error, MRC_READ_FAILED, "'%s' is damaged", path);
    else if (!fine) status = error_memory(error, "the report");
    if (fine) {
        json_array_end(&index);
        const char *text = json_text(&index);
        status = text ? page_add_packed(json, "index", text, strlen(text), error)
                      : error_memory(error, "the report");
        if (status == MRC_OK)
            status = page_add_packed(json, "data", packing->packed.data, packing->packed.count, error);
        json_object_end(json);
    }
    json_free(&index);
    replay_free(packing);
    return status;
}

// How well it compresses is known afterwards only: frames are left out until it fits.
MrcStatus page_add_replay(Json *json, const char *path, double budget, MrcError *error) {
    char *bytes = NULL;
    size_t length, every = 1;
    MrcStatus status = file_read(path, (size_t)1 << 32, &bytes, &length, error);
    for (bool fits = false; status == MRC_OK && !fits;) {
        Json whole = {0};
        status = replay_pack(&whole, bytes, length, every, path, error);
        const char *text = status == MRC_OK ? json_text(&whole) : NULL;
        if (status == MRC_OK && !text) status = error_memory(error, "the report");
        double share = text ? (double)strlen(text) / budget : 0;
        fits = share <= 1 || every > replay_count(bytes, length);
        if (text && fits) json_raw(json, text);
        every = (size_t)fmax((double)every + 1, ceil(share * (double)every));
        json_free(&whole);
    }
    free(bytes);
    return status;
}
