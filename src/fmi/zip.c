#include "fmi/zip.h"

#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { ZIP_ENTRIES_MAX = 100000, ZIP_NAME_MAX = 500 };
static const double zip_bytes_max = 8e9; // of all entries, unpacked

// ---- writing -------------------------------------------------------------------------------------
struct ZipWriter {
    zipFile zip;
    char path[1024], temporary[1040];
};

MrcStatus zip_create(const char *path, ZipWriter **out, MrcError *error) {
    ZipWriter *z = *out = calloc(1, sizeof *z);
    if (!z) return error_memory(error, "the archive");
    if (strlen(path) >= sizeof z->path)
        return free(z), *out = NULL,
                        error_set(error, MRC_WRITE_FAILED, "the path '%.60s...' is too long", path);
    snprintf(z->path, sizeof z->path, "%s", path);
    snprintf(z->temporary, sizeof z->temporary, "%s.partial", path);
    unlink(z->temporary); // a link may lead anywhere
    z->zip = zipOpen64(z->temporary, APPEND_STATUS_CREATE);
    if (z->zip) return MRC_OK;
    free(z);
    *out = NULL;
    return error_set(error, MRC_WRITE_FAILED, "'%s' cannot be written", path);
}

// All entries have one date, so that the same contents are the same bytes.
MrcStatus zip_add(ZipWriter *z, const char *name, const void *bytes, size_t count, MrcError *error) {
    zip_fileinfo info = {.tmz_date = {.tm_mday = 1, .tm_year = 2000}};
    const char *at = bytes;
    bool good =
        zipOpenNewFileInZip64(z->zip, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 6, 1) == ZIP_OK;
    while (good && count > 0) {
        unsigned part = count > 1u << 30 ? 1u << 30 : (unsigned)count;
        good = zipWriteInFileInZip(z->zip, at, part) == ZIP_OK;
        at += part, count -= part;
    }
    good = good && zipCloseFileInZip(z->zip) == ZIP_OK;
    return good ? MRC_OK
                : error_set(error, MRC_WRITE_FAILED, "'%s' cannot be written: is the disk full?", z->path);
}

MrcStatus zip_add_file(ZipWriter *z, const char *name, const char *path, MrcError *error) {
    char *bytes = NULL;
    size_t count = 0;
    MrcStatus status = file_read(path, (size_t)2e9, &bytes, &count, error);
    if (status == MRC_OK) status = zip_add(z, name, bytes, count, error);
    free(bytes);
    return status;
}

MrcStatus zip_commit(ZipWriter *z, MrcError *error) {
    bool good = zipClose(z->zip, NULL) == ZIP_OK && rename(z->temporary, z->path) == 0;
    MrcStatus status = good ? MRC_OK : error_set(error, MRC_WRITE_FAILED, "'%s' cannot be written", z->path);
    if (!good) unlink(z->temporary);
    free(z);
    return status;
}

void zip_abandon(ZipWriter *z) {
    if (!z) return;
    zipClose(z->zip, NULL);
    unlink(z->temporary);
    free(z);
}

// ---- reading -------------------------------------------------------------------------------------
// What is wrong with the name of an entry; NULL: nothing.
static const char *zip_name_fault(const char *name) {
    if (!name[0]) return "is empty";
    if (name[0] == '/' || (name[0] && name[1] == ':')) return "is absolute";
    if (strchr(name, '\\')) return "has a backslash";
    for (const char *part = name; part; part = strchr(part, '/'), part = part ? part + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return "leads out of its folder";
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 32) return "has control characters";
    return NULL;
}

// For messages: bytes of a stranger may be no text, or steer a terminal.
static const char *zip_shown(const char *name, char shown[81]) {
    size_t length = strnlen(name, 80);
    for (size_t k = 0; k < length; k++)
        shown[k] = (unsigned char)name[k] < 32 || (unsigned char)name[k] > 126 ? '?' : name[k];
    shown[length] = '\0';
    return shown;
}

typedef struct ZipReader {
    unzFile zip;
    const char *path;
    double left; // bytes that may still be unpacked
} ZipReader;

static MrcStatus zip_damaged(const ZipReader *r, MrcError *error) {
    return error_set(error, MRC_READ_FAILED, "'%s' is no whole zip archive", r->path);
}

static MrcStatus zip_open(const char *path, ZipReader *r, unz_global_info64 *info, MrcError *error) {
    *r = (ZipReader){.path = path, .left = zip_bytes_max};
    MrcStatus status = file_check_regular(path, error);
    if (status != MRC_OK) return status;
    r->zip = unzOpen64(path);
    if (!r->zip) return error_set(error, MRC_READ_FAILED, "'%s' cannot be opened as a zip archive", path);
    if (unzGetGlobalInfo64(r->zip, info) != UNZ_OK) return zip_damaged(r, error);
    if (info->number_entry > ZIP_ENTRIES_MAX)
        return error_set(error, MRC_READ_FAILED, "'%s' has %.0f entries; at most %d are read", path,
                         (double)info->number_entry, ZIP_ENTRIES_MAX);
    return MRC_OK;
}

static MrcStatus zip_make_parents(char *path, size_t base, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (char *slash = strchr(path + base, '/'); slash && status == MRC_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = file_make_part(path, error);
        *slash = '/';
    }
    return status;
}

// A stream that ends too early is no error to minizip, and its checksum is not looked at then.
static MrcStatus zip_unpack_bytes(ZipReader *r, ZPOS64_T size, FILE *out, MrcError *error) {
    static _Thread_local char buffer[1 << 16];
    MrcStatus status = MRC_OK;
    double start = r->left;
    int count;
    while (status == MRC_OK && (count = unzReadCurrentFile(r->zip, buffer, sizeof buffer)) != 0) {
        if (count < 0) status = zip_damaged(r, error);
        else if ((r->left -= count) < 0)
            status = error_set(error, MRC_READ_FAILED, "'%s' unpacks to more than %.0f GB", r->path,
                               zip_bytes_max / 1e9);
        else if (fwrite(buffer, 1, (size_t)count, out) != (size_t)count)
            status =
                error_set(error, MRC_WRITE_FAILED, "'%s' cannot be unpacked: is the disk full?", r->path);
    }
    return status == MRC_OK && start - r->left != (double)size ? zip_damaged(r, error) : status;
}

static MrcStatus zip_unpack_entry(ZipReader *r, const char *folder, MrcError *error) {
    unz_file_info64 info;
    char name[ZIP_NAME_MAX + 1] = "", path[4096], shown[81];
    if (unzGetCurrentFileInfo64(r->zip, &info, name, ZIP_NAME_MAX, NULL, 0, NULL, 0) != UNZ_OK)
        return zip_damaged(r, error);
    if (info.size_filename > ZIP_NAME_MAX)
        return error_set(error, MRC_READ_FAILED, "'%s': the name of an entry is too long", r->path);
    const char *fault = zip_name_fault(name);
    if (fault)
        return error_set(error, MRC_READ_FAILED, "'%s': the name '%s' of an entry %s", r->path,
                         zip_shown(name, shown), fault);
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length >= (int)sizeof path)
        return error_set(error, MRC_READ_FAILED, "'%s': a path is too long", r->path);
    MrcStatus status = zip_make_parents(path, strlen(folder) + 1, error);
    if (status != MRC_OK || path[length - 1] == '/') return status;
    FILE *out = fopen(path, "wbx"); // an entry that is there twice is no FMU
    if (!out)
        return error_set(error, MRC_READ_FAILED, "'%s': the entry '%s' cannot be unpacked", r->path,
                         zip_shown(name, shown));
    status = unzOpenCurrentFile(r->zip) == UNZ_OK ? zip_unpack_bytes(r, info.uncompressed_size, out, error)
                                                  : zip_damaged(r, error);
    if (unzCloseCurrentFile(r->zip) == UNZ_CRCERROR && status == MRC_OK) status = zip_damaged(r, error);
    if (fclose(out) != 0 && status == MRC_OK)
        status = error_set(error, MRC_WRITE_FAILED, "'%s' cannot be unpacked: is the disk full?", r->path);
    return status;
}

MrcStatus zip_unpack(const char *path, const char *folder, MrcError *error) {
    ZipReader r;
    unz_global_info64 info;
    MrcStatus status = zip_open(path, &r, &info, error);
    int next = status == MRC_OK ? unzGoToFirstFile(r.zip) : UNZ_OK;
    for (ZPOS64_T k = 0; status == MRC_OK && k < info.number_entry; k++) {
        if (next != UNZ_OK) status = zip_damaged(&r, error);
        else status = zip_unpack_entry(&r, folder, error);
        next = unzGoToNextFile(r.zip);
    }
    if (r.zip) unzClose(r.zip);
    return status;
}

MrcStatus zip_read(const char *path, const char *name, size_t limit, char **text, size_t *length,
                   MrcError *error) {
    ZipReader r;
    unz_global_info64 global;
    unz_file_info64 info;
    MrcStatus status = zip_open(path, &r, &global, error);
    *text = NULL;
    if (status == MRC_OK && (unzLocateFile(r.zip, name, 1) != UNZ_OK ||
                             unzGetCurrentFileInfo64(r.zip, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK))
        status = error_set(error, MRC_READ_FAILED, "'%s' has no '%s'", path, name);
    if (status == MRC_OK && info.uncompressed_size > limit)
        status = error_set(error, MRC_READ_FAILED, "'%s': '%s' is larger than %zu bytes", path, name, limit);
    *length = status == MRC_OK ? (size_t)info.uncompressed_size : 0;
    if (status == MRC_OK && !(*text = malloc(*length + 1))) status = error_memory(error, "an FMU");
    if (status == MRC_OK && (unzOpenCurrentFile(r.zip) != UNZ_OK ||
                             unzReadCurrentFile(r.zip, *text, (unsigned)*length) != (int)*length ||
                             unzCloseCurrentFile(r.zip) != UNZ_OK))
        status = zip_damaged(&r, error);
    if (status == MRC_OK) (*text)[*length] = '\0';
    else free(*text), *text = NULL;
    if (r.zip) unzClose(r.zip);
    return status;
}
