// What a backend of archives provides, and what the front end keeps for it.
#ifndef BASE_ARCHIVE_BACKEND_H
#define BASE_ARCHIVE_BACKEND_H

#include "base/archive.h"

enum { ARCHIVE_DEPTH_MAX = 16, ARCHIVE_PATH_MAX = 512 };

// All return false after having called archive_fail. They are not called once the archive has failed.
typedef struct ArchiveBackend {
    // While loading: how many items the entry has, without moving past it.
    bool (*stored_count)(Archive *archive, const char *name, ArchiveType type, size_t *count);
    // Copies the items; fails when loading and the stored type or count is another one.
    bool (*transfer)(Archive *archive, const char *name, ArchiveType type, void *data, size_t count);
    size_t (*stored_bytes)(const Archive *archive); // while loading: of all entries, or more
    void (*destroy)(Archive *archive);              // frees the archive itself too
} ArchiveBackend;

// The first member of each backend's own struct.
struct Archive {
    const ArchiveBackend *backend;
    bool loading;
    bool trusted;                          // saved in this process
    int depth;                             // groups open
    size_t path_length;                    // of `path`
    size_t group_start[ARCHIVE_DEPTH_MAX]; // path_length before each open group
    char path[ARCHIVE_PATH_MAX];           // of the open groups: "/grains/damper", names escaped
    MrcError error;                        // the first one
};

void archive_begin(Archive *archive, bool loading); // no group open, no error

// The whole path of an entry of the open group; false (and failed) when it does not fit. In names, '/', '%'
// and a leading '.' are written as %2F, %25 and %2E, because HDF5 gives them a meaning.
bool archive_entry_path(Archive *archive, const char *name, char path[ARCHIVE_PATH_MAX]);

size_t archive_item_size(ArchiveType type);

#endif
