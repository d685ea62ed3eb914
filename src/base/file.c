#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

MrcStatus file_read(const char *path, size_t limit, char **text, size_t *length, MrcError *error) {
    struct stat status;
    *text = NULL;
    *length = 0;
    // A pipe or a device could block for ever: it is opened without waiting, and then looked at.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(errno));
    FILE *stream = NULL;
    MrcStatus outcome = MRC_OK;
    if (fstat(file, &status) != 0)
        outcome = error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        outcome = error_set(error, MRC_READ_FAILED, "cannot read '%s': it is not an ordinary file", path);
    else if ((size_t)status.st_size > limit)
        outcome =
            error_set(error, MRC_READ_FAILED, "cannot read '%s': it is larger than %zu bytes", path, limit);
    else if (!(stream = fdopen(file, "rb"))) outcome = error_memory(error, path);
    if (!stream) {
        close(file);
        return outcome;
    }
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

MrcStatus file_check_regular(const char *path, MrcError *error) {
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, MRC_READ_FAILED, "cannot read '%s': %s", path, strerror(errno));
    if (S_ISREG(status.st_mode)) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "cannot read '%s': it is not an ordinary file", path);
}

MrcStatus file_open(FileWriter *writer, const char *path, MrcError *error) {
    writer->stream = NULL;
    if (strlen(path) >= sizeof writer->path)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%.60s...': the path is too long", path);
    strcpy(writer->path, path);
    snprintf(writer->temporary, sizeof writer->temporary, "%s.partial", path);
    // Whatever is in the place of the temporary file is removed, not written to: a link may lead anywhere.
    unlink(writer->temporary);
    int file = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    writer->stream = file < 0 ? NULL : fdopen(file, "wb");
    if (!writer->stream && file >= 0) close(file);
    if (!writer->stream)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", writer->temporary,
                         strerror(errno));
    return MRC_OK;
}

// The reason of a write that failed earlier is no longer known. The file is lost anyway: one more block at its
// end asks for the reason again.
static int file_failure_code(FILE *stream) {
    const char block[4096] = {0};
    errno = 0;
    if (write(fileno(stream), block, sizeof block) < 0) return errno;
    return write(fileno(stream), block, sizeof block) < 0 ? errno : 0; // the first may have fitted in part
}

MrcStatus file_commit(FileWriter *writer, MrcError *error) {
    int failed = ferror(writer->stream), code = failed ? file_failure_code(writer->stream) : 0;
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

MrcStatus file_make_part(const char *path, MrcError *error) {
    struct stat status;
    if (mkdir(path, 0777) == 0) return MRC_OK;
    int code = errno;
    if (code != EEXIST || lstat(path, &status) != 0)
        return error_set(error, MRC_WRITE_FAILED, "cannot make folder '%s': %s", path, strerror(code));
    if (S_ISDIR(status.st_mode)) return MRC_OK;
    return error_set(error, MRC_WRITE_FAILED, "cannot write into '%s': %s is in the way", path,
                     S_ISLNK(status.st_mode) ? "a symbolic link" : "a file");
}

MrcStatus file_refuse_link(const char *path, MrcError *error) {
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode)) return MRC_OK;
    return error_set(error, MRC_WRITE_FAILED, "cannot write into '%s': a symbolic link is in the way", path);
}

void file_clear_part(const char *path, bool (*removed)(const char *name)) {
    int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = file < 0 ? NULL : fdopendir(file);
    if (!folder) {
        if (file >= 0) close(file);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (removed(entry->d_name)) unlinkat(file, entry->d_name, 0);
    closedir(folder);
}

MrcStatus file_check_own(int file, const char *path, MrcError *error) {
    struct stat held, named;
    if (fstat(file, &held) != 0)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': %s", path, strerror(errno));
    if (lstat(path, &named) != 0)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': it was removed while the run went on",
                         path);
    if (held.st_dev != named.st_dev || held.st_ino != named.st_ino)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': it was replaced while the run went on",
                         path);
    if (!S_ISREG(held.st_mode) || held.st_nlink > 1)
        return error_set(error, MRC_WRITE_FAILED, "cannot write '%s': it is %s", path,
                         S_ISREG(held.st_mode) ? "another file, too (a hard link)" : "not an ordinary file");
    return MRC_OK;
}
