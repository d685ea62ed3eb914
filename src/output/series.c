#include "output/series.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { series_buffer_bytes = 1 << 20 }; // lines beyond this are flushed by themselves

struct Series {
    char *path;
    int file;            // opened for append; -1: not open
    int count;           // columns
    uint64_t length;     // of the file: always whole lines [bytes]
    ARRAY(char) lines;   // whole lines not yet in the file
    ARRAY(char) heading; // the first line
};

// ---- the first line ------------------------------------------------------------------------------
static bool series_heading_add(Series *series, const char *text, bool quoted) {
    for (; *text; text++) {
        if (quoted && *text == '"' && !array_push(&series->heading, '"')) return false;
        if (!array_push(&series->heading, *text)) return false;
    }
    return true;
}

// RFC 4180: a name with a comma, a quote or a line end is put in quotes.
static bool series_heading_build(Series *series, const char *const *names, const char *const *units) {
    for (int i = 0; i < series->count; i++) {
        bool quoted = strpbrk(names[i], ",\"\r\n") || strpbrk(units[i], ",\"\r\n");
        const char *quote = quoted ? "\"" : "";
        bool done = series_heading_add(series, i > 0 ? "," : "", false) &&
                    series_heading_add(series, quote, false) &&
                    series_heading_add(series, names[i], quoted) && series_heading_add(series, "[", false) &&
                    series_heading_add(series, units[i], quoted) && series_heading_add(series, "]", false) &&
                    series_heading_add(series, quote, false);
        if (!done) return false;
    }
    return array_push(&series->heading, '\n');
}

// ---- opening -------------------------------------------------------------------------------------
static void series_free(Series *series) {
    if (series->file >= 0) close(series->file);
    array_free(&series->lines);
    array_free(&series->heading);
    free(series->path);
    free(series);
}

static Series *series_new(const char *path, const char *const *names, const char *const *units, int count) {
    Series *series = calloc(1, sizeof *series);
    if (!series) return NULL;
    series->file = -1;
    series->count = count;
    series->path = strdup(path);
    if (series->path && series_heading_build(series, names, units)) return series;
    series_free(series);
    return NULL;
}

static MrcStatus series_open(Series *series, MrcError *error) {
    series->file = open(series->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (series->file >= 0) return file_check_own(series->file, series->path, error);
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", series->path, strerror(errno));
}

static MrcStatus series_write_heading(Series *series, MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, series->path, error);
    if (status != MRC_OK) return status;
    fwrite(series->heading.data, 1, series->heading.count, writer.stream);
    series->length = series->heading.count;
    return file_commit(&writer, error);
}

MrcStatus series_create(Series **result, const char *path, const char *const *names, const char *const *units,
                        int count, MrcError *error) {
    *result = NULL;
    Series *series = series_new(path, names, units, count);
    if (!series) return error_memory(error, path);
    MrcStatus status = series_write_heading(series, error);
    if (status == MRC_OK) status = series_open(series, error);
    if (status == MRC_OK) *result = series;
    else series_free(series);
    return status;
}

// Reads `count` bytes at `offset` and compares them.
static bool series_holds(int file, uint64_t offset, const char *expected, size_t count) {
    char buffer[4096];
    for (size_t done = 0; done < count;) {
        size_t part = count - done < sizeof buffer ? count - done : sizeof buffer;
        ssize_t got = pread(file, buffer, part, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || memcmp(buffer, expected + done, (size_t)got) != 0) return false;
        done += (size_t)got;
    }
    return true;
}

static MrcStatus series_check(const Series *series, int file, uint64_t length, MrcError *error) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return error_set(error, MRC_CHECKPOINT, "cannot go on with '%s': %s", series->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, MRC_CHECKPOINT, "cannot go on with '%s': it is not an ordinary file",
                         series->path);
    if ((uint64_t)status.st_size < length)
        return error_set(error, MRC_CHECKPOINT,
                         "cannot go on with '%s': it has %llu bytes, the checkpoint was made with %llu",
                         series->path, (unsigned long long)status.st_size, (unsigned long long)length);
    if (length < series->heading.count || !series_holds(file, 0, series->heading.data, series->heading.count))
        return error_set(error, MRC_CHECKPOINT,
                         "cannot go on with '%s': its columns are not those of this model", series->path);
    if (!series_holds(file, length - 1, "\n", 1))
        return error_set(error, MRC_CHECKPOINT, "cannot go on with '%s': it was changed since the checkpoint",
                         series->path);
    return MRC_OK;
}

static MrcStatus series_cut(Series *series, uint64_t length, MrcError *error) {
    int file = open(series->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0)
        return error_set(error, MRC_CHECKPOINT, "cannot go on with '%s': %s", series->path, strerror(errno));
    MrcStatus status = series_check(series, file, length, error);
    close(file);
    if (status == MRC_OK) status = series_open(series, error);
    if (status != MRC_OK) return status;
    series->length = length;
    if (ftruncate(series->file, (off_t)length) == 0) return MRC_OK;
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", series->path, strerror(errno));
}

MrcStatus series_resume(Series **result, const char *path, const char *const *names, const char *const *units,
                        int count, uint64_t length, MrcError *error) {
    *result = NULL;
    Series *series = series_new(path, names, units, count);
    if (!series) return error_memory(error, path);
    MrcStatus status = series_cut(series, length, error);
    if (status == MRC_OK) *result = series;
    else series_free(series);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------
MrcStatus series_append(Series *series, const double *row, MrcError *error) {
    size_t kept = series->lines.count, room = (size_t)series->count * TEXT_NUMBER_SIZE + 1;
    if (!array_reserve(&series->lines, kept + room)) return error_memory(error, series->path);
    char *line = series->lines.data + kept;
    size_t length = 0;
    for (int i = 0; i < series->count; i++) {
        if (i > 0) line[length++] = ',';
        length += text_number(line + length, row[i]);
    }
    line[length++] = '\n';
    series->lines.count = kept + length;
    return series->lines.count > series_buffer_bytes ? series_flush(series, error) : MRC_OK;
}

// Forgets the first `count` bytes of the waiting lines: they are in the file.
static void series_written(Series *series, size_t count) {
    series->length += count;
    series->lines.count -= count;
    memmove(series->lines.data, series->lines.data + count, series->lines.count);
}

MrcStatus series_flush(Series *series, MrcError *error) {
    size_t done = 0;
    int code = 0;
    while (done < series->lines.count && code == 0) {
        ssize_t part = write(series->file, series->lines.data + done, series->lines.count - done);
        if (part > 0) done += (size_t)part; // a short write: the next one gives the reason
        else if (part == 0) code = EIO;
        else if (errno != EINTR) code = errno;
    }
    if (done == series->lines.count) {
        series->length += done;
        series->lines.count = 0;
        return file_check_own(series->file, series->path, error);
    }
    // Keep the whole lines that did fit and take back the piece of a line after them.
    size_t whole = done;
    while (whole > 0 && series->lines.data[whole - 1] != '\n') whole--;
    series_written(series, whole);
    bool cut = done == whole || ftruncate(series->file, (off_t)series->length) == 0;
    if (!cut) series_written(series, done - whole); // then at least a later flush completes the line
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s%s", series->path, strerror(code),
                     cut ? "" : "; its last line is incomplete");
}

MrcStatus series_sync(Series *series, MrcError *error) {
    MrcStatus status = series_flush(series, error);
    if (status != MRC_OK || fsync(series->file) == 0) return status;
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", series->path, strerror(errno));
}

uint64_t series_length(const Series *series) { return series->length; }

MrcStatus series_close(Series *series, MrcError *error) {
    if (!series) return MRC_OK;
    MrcStatus status = series_flush(series, error);
    int file = series->file;
    series->file = -1;
    if (close(file) != 0 && status == MRC_OK)
        status = error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", series->path, strerror(errno));
    series_free(series);
    return status;
}

uint64_t series_without_last_row(const char *path, uint64_t length) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint64_t begin = length;
    char byte = 0;
    if (file < 0) return length;
    for (uint64_t at = length; at > 1 && begin == length; at--) {
        if (pread(file, &byte, 1, (off_t)(at - 2)) != 1) break;
        if (byte == '\n') begin = at - 1;
    }
    close(file);
    return begin;
}
