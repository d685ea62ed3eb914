// Files: whole reads with a size limit, and writes of which a reader never gets half.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

// Reads a regular file of at most `limit` bytes. *text is malloc'ed and NUL-terminated.
MrcStatus file_read(const char *path, size_t limit, char **text, size_t *length, MrcError *error);
// Is it a regular file? For those who open it themselves: a pipe would be waited for.
MrcStatus file_check_regular(const char *path, MrcError *error);

// Writing: open a temporary file beside `path`, write, then rename it into place.
typedef struct FileWriter {
    FILE *stream;
    char path[1024], temporary[1040];
} FileWriter;

MrcStatus file_open(FileWriter *writer, const char *path, MrcError *error);
MrcStatus file_commit(FileWriter *writer, MrcError *error); // flush, sync, close, rename
void file_abandon(FileWriter *writer);                      // close and remove the temporary file

MrcStatus file_make_folder(const char *path, MrcError *error); // with its parents; fine if it exists

// ---- parts of a result folder: links in it are never followed ------------------------------------
// A folder in one that is there; fine if it exists, but not if it is a link.
MrcStatus file_make_part(const char *path, MrcError *error);
MrcStatus file_refuse_link(const char *path, MrcError *error); // fine if there is nothing
// Removes the files of such a folder that `removed` picks by their name. Nothing behind a link.
void file_clear_part(const char *path, bool (*removed)(const char *name));
// Is `file`, opened some time ago, still what `path` names, and nothing else?
MrcStatus file_check_own(int file, const char *path, MrcError *error);

#endif
