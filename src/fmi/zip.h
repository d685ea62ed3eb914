// FMUs as files: a zip archive is written, or unpacked into a folder and nowhere else.
#ifndef FMI_ZIP_H
#define FMI_ZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct ZipWriter ZipWriter;

// Beside `path` first; renamed into its place by zip_commit.
MrcStatus zip_create(const char *path, ZipWriter **zip, MrcError *error);
MrcStatus zip_add(ZipWriter *zip, const char *name, const void *bytes, size_t count, MrcError *error);
MrcStatus zip_add_file(ZipWriter *zip, const char *name, const char *path, MrcError *error);
MrcStatus zip_commit(ZipWriter *zip, MrcError *error);
void zip_abandon(ZipWriter *zip); // nothing is left

// Every entry goes below `folder`, which must be there and empty. An archive that names anything outside of it (absolute
// paths, "..", backslashes), or that grows beyond measure, is refused.
MrcStatus zip_unpack(const char *path, const char *folder, MrcError *error);

// One entry of an archive in memory, malloc'ed and NUL-terminated, of at most `limit` bytes.
MrcStatus zip_read(const char *path, const char *name, size_t limit, char **text, size_t *length,
                   MrcError *error);

#endif
