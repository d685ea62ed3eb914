// Files: whole reads with a size limit, and writes that a reader never sees half done.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

// Reads a regular file of at most `limit` bytes. *text is malloc'ed and NUL-terminated.
MrcStatus file_read(const char *path, size_t limit, char **text, size_t *length, MrcError *error);

// Writing: open a temporary file beside `path`, write, then rename it into place.
typedef struct FileWriter {
    FILE *stream;
    char path[1024], temporary[1040];
} FileWriter;

MrcStatus file_open(FileWriter *writer, const char *path, MrcError *error);
MrcStatus file_commit(FileWriter *writer, MrcError *error); // flush, sync, close, rename
void file_abandon(FileWriter *writer);                      // close and remove the temporary file

MrcStatus file_make_folder(const char *path, MrcError *error); // with its parents; fine if it exists

#endif
