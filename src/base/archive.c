#include "base/archive.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/archive_backend.h"

size_t archive_item_size(ArchiveType type) {
    static const size_t sizes[ARCHIVE_TYPE_COUNT] = {
        [ARCHIVE_DOUBLE] = sizeof(double),
        [ARCHIVE_INT64] = sizeof(int64_t),
        [ARCHIVE_INT32] = sizeof(int32_t),
        [ARCHIVE_BYTE] = 1,
    };
    assert((unsigned)type < ARCHIVE_TYPE_COUNT);
    return sizes[type];
}

void archive_begin(Archive *archive, bool loading) {
    archive->loading = loading;
    archive->trusted = false;
    archive->depth = 0;
    archive->path_length = 0;
    archive->path[0] = '\0';
    archive->error.status = MRC_OK;
    archive->error.text[0] = '\0';
}

bool archive_is_loading(const Archive *archive) { return archive->loading; }
bool archive_is_foreign(const Archive *archive) { return archive->loading && !archive->trusted; }

// ---- paths ---------------------------------------------------------------------------------------
// Appends '/' and the escaped name; 0 when it does not fit.
static size_t archive_path_append(char path[ARCHIVE_PATH_MAX], size_t length, const char *name) {
    if (length + 4 > ARCHIVE_PATH_MAX) return 0;
    path[length++] = '/';
    if (!*name) path[length++] = '%'; // an empty name; no other is escaped to this
    for (const char *c = name; *c; c++) {
        if (length + 4 > ARCHIVE_PATH_MAX) return 0;
        bool escape = *c == '/' || *c == '%' || (*c == '.' && c == name);
        if (escape) length += (size_t)sprintf(path + length, "%%%02X", (unsigned)*c);
        else path[length++] = *c;
    }
    path[length] = '\0';
    return length;
}

bool archive_entry_path(Archive *archive, const char *name, char path[ARCHIVE_PATH_MAX]) {
    memcpy(path, archive->path, archive->path_length + 1);
    if (archive_path_append(path, archive->path_length, name)) return true;
    archive_fail(archive, MRC_CHECKPOINT, name, "its name is too long");
    return false;
}

MrcStatus archive_group_begin(Archive *archive, const char *name) {
    assert(archive->depth < ARCHIVE_DEPTH_MAX);
    archive->group_start[archive->depth++] = archive->path_length;
    size_t length = archive_path_append(archive->path, archive->path_length, name);
    archive->path[length ? length : archive->path_length] = '\0';
    if (length) archive->path_length = length;
    else archive_fail(archive, MRC_CHECKPOINT, name, "the name of the group is too long");
    return archive->error.status;
}

MrcStatus archive_group_end(Archive *archive, const char *name) {
    assert(archive->depth > 0);
    (void)name;
    archive->path_length = archive->group_start[--archive->depth];
    archive->path[archive->path_length] = '\0';
    return archive->error.status;
}

// ---- errors --------------------------------------------------------------------------------------
void archive_fail(Archive *archive, MrcStatus status, const char *name, const char *format, ...) {
    assert(status != MRC_OK);
    if (archive->error.status != MRC_OK) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *path = archive->path_length ? archive->path + 1 : "";
    error_set(&archive->error, status, "entry '%.300s%s%.100s': %s", path, *path ? "/" : "", name, text);
}

MrcStatus archive_status(const Archive *archive, MrcError *error) {
    if (error && archive->error.status != MRC_OK) *error = archive->error;
    return archive->error.status;
}

// ---- entries -------------------------------------------------------------------------------------
static bool archive_transfer(Archive *archive, const char *name, ArchiveType type, void *data, size_t count) {
    return archive->error.status == MRC_OK && archive->backend->transfer(archive, name, type, data, count);
}

static bool archive_has_foreign_numbers(const Archive *archive) {
    return archive_is_foreign(archive) && archive->error.status == MRC_OK;
}

static void archive_check_counts(Archive *archive, const char *name, const int64_t *data, size_t count) {
    if (!archive_has_foreign_numbers(archive)) return;
    for (size_t k = 0; k < count; k++)
        if (data[k] < 0 || data[k] > ARCHIVE_COUNT_MOST) {
            archive_fail(archive, MRC_CHECKPOINT, name, "its item %zu counts something and cannot be %lld", k,
                         (long long)data[k]);
            return;
        }
}

static void archive_check_indices(Archive *archive, const char *name, const int32_t *data, size_t count) {
    if (!archive_has_foreign_numbers(archive)) return;
    for (size_t k = 0; k < count; k++)
        if (data[k] < -ARCHIVE_INDEX_MOST || data[k] > ARCHIVE_INDEX_MOST) {
            archive_fail(archive, MRC_CHECKPOINT, name, "its item %zu cannot be %d", k, data[k]);
            return;
        }
}

void archive_doubles(Archive *archive, const char *name, double *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_DOUBLE, data, count);
}

void archive_counts(Archive *archive, const char *name, int64_t *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_INT64, data, count);
    archive_check_counts(archive, name, data, count);
}

void archive_int32s(Archive *archive, const char *name, int32_t *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_INT32, data, count);
    archive_check_indices(archive, name, data, count);
}

void archive_bits64(Archive *archive, const char *name, int64_t *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_INT64, data, count);
}

void archive_bits32(Archive *archive, const char *name, int32_t *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_INT32, data, count);
}

void archive_bytes(Archive *archive, const char *name, void *data, size_t count) {
    archive_transfer(archive, name, ARCHIVE_BYTE, data, count);
}

void archive_scattered_doubles(Archive *archive, const char *name, double *const *values, size_t count) {
    double numbers[ARCHIVE_SCATTERED_MAX];
    assert(count <= ARCHIVE_SCATTERED_MAX);
    for (size_t k = 0; k < count; k++) numbers[k] = *values[k];
    archive_doubles(archive, name, numbers, count);
    for (size_t k = 0; k < count; k++) *values[k] = numbers[k];
}

void archive_scattered_counts(Archive *archive, const char *name, int64_t *const *values, size_t count) {
    int64_t numbers[ARCHIVE_SCATTERED_MAX];
    assert(count <= ARCHIVE_SCATTERED_MAX);
    for (size_t k = 0; k < count; k++) numbers[k] = *values[k];
    archive_counts(archive, name, numbers, count);
    for (size_t k = 0; k < count; k++) *values[k] = numbers[k];
}

bool archive_count(Archive *archive, const char *name, size_t *count) {
    int64_t value = (int64_t)*count;
    if (!archive_transfer(archive, name, ARCHIVE_INT64, &value, 1)) return false;
    bool foreign = archive_is_foreign(archive);
    if (value < 0 || (foreign && (uint64_t)value > archive->backend->stored_bytes(archive))) {
        archive_fail(archive, MRC_CHECKPOINT, name, "a number of items cannot be %lld", (long long)value);
        return false;
    }
    *count = (size_t)value;
    return true;
}

bool archive_growable(Archive *archive, const char *name, ArchiveType type, void **data, size_t *count,
                      size_t *capacity) {
    if (archive->error.status != MRC_OK) return false;
    size_t items = *count;
    if (archive->loading) {
        if (!archive->backend->stored_count(archive, name, type, &items)) return false;
        if (!array_grow(data, capacity, archive_item_size(type), items)) {
            archive_fail(archive, MRC_MEMORY, name, "out of memory for %zu items", items);
            return false;
        }
    }
    if (!archive_transfer(archive, name, type, *data, items)) return false;
    *count = items;
    if (type == ARCHIVE_INT32) archive_check_indices(archive, name, *data, items);
    return archive->error.status == MRC_OK;
}

void archive_destroy(Archive *archive) {
    if (archive) archive->backend->destroy(archive);
}
