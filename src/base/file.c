#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

MrcStatus file_read(const char *path, size_t limit, char **text, size_t *length, MrcError *error) {
    struct stat status;
    *text = NULL;
    *length = 0;
    if (stat(path, &status) != 0)
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(errno));
    // A pipe or a device could block for ever.
    if (!S_ISREG(status.st_mode))
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': it is not an ordinary file", path);
    if ((size_t)status.st_size > limit)
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': it is larger than %zu bytes", path,
                         limit);
    FILE *stream = fopen(path, "rb");
    if (!stream) return error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(errno));
    size_t size = (size_t)status.st_size;
    *text = malloc(size + 1);
    if (!*text) {
        fclose(stream);
        return error_memory(error, path);
    }
    *length = fread(*text, 1, size, stream);
    (*text)[*length] = '\0';
    int failed = ferror(stream), code = errno;
    fclose(stream);
    if (failed) {
        free(*text);
        *text = NULL;
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(code));
    }
    return MRC_OK;
}

MrcStatus file_open(FileWriter *writer, const char *path, MrcError *error) {
    writer->stream = NULL;
    if (strlen(path) >= sizeof writer->path)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%.60s...': the path is too long", path);
    strcpy(writer->path, path);
    snprintf(writer->temporary, sizeof writer->temporary, "%s.partial", path);
    writer->stream = fopen(writer->temporary, "wb");
    if (!writer->stream)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", writer->temporary,
                         strerror(errno));
    return MRC_OK;
}

// A write that failed some time ago took its reason with it. The file is lost anyway: one more block at its
// end asks for the reason again.
static int failure_code(FILE *stream) {
    const char block[4096] = {0};
    errno = 0;
    if (write(fileno(stream), block, sizeof block) < 0) return errno;
    return write(fileno(stream), block, sizeof block) < 0 ? errno : 0; // the first may have fitted in part
}

MrcStatus file_commit(FileWriter *writer, MrcError *error) {
    int failed = ferror(writer->stream), code = failed ? failure_code(writer->stream) : 0;
    if (!failed && (fflush(writer->stream) != 0 || fsync(fileno(writer->stream)) != 0))
        failed = 1, code = errno;
    if (fclose(writer->stream) != 0) code = failed ? code : errno, failed = 1;
    writer->stream = NULL;
    if (!failed && rename(writer->temporary, writer->path) == 0) return MRC_OK;
    if (!failed) code = errno;
    remove(writer->temporary);
    return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", writer->path,
                     code ? strerror(code) : "a write failed; is the disk full?");
}

void file_abandon(FileWriter *writer) {
    if (!writer->stream) return;
    fclose(writer->stream);
    writer->stream = NULL;
    remove(writer->temporary);
}

MrcStatus file_make_folder(const char *path, MrcError *error) {
    char partial[1024];
    size_t length = strlen(path);
    if (length == 0) return error_set(error, MRC_WRITE_FAILED, "cannot make a folder without a name");
    if (length >= sizeof partial)
        return error_set(error, MRC_WRITE_FAILED, "cannot make folder '%.60s...': the path is too long",
                         path);
    strcpy(partial, path);
    for (size_t i = 1; i <= length; i++) {
        if (partial[i] != '/' && partial[i] != '\0') continue;
        char kept = partial[i];
        partial[i] = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return error_set(error, MRC_WRITE_FAILED, "cannot make folder '%s': %s", partial,
                             strerror(errno));
        partial[i] = kept;
    }
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, MRC_WRITE_FAILED, "cannot make folder '%s': %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return error_set(error, MRC_WRITE_FAILED,
                         "cannot make folder '%s': a file of that name is in the way", path);
    return MRC_OK;
}
