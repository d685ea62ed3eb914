// walk.state: the header, the results so far, the state of the simulation. The state contains the build of the
// library, which the layout of the results depends on, and the model; whatever else distinguishes a walk is in the
// name of its folder.
#include "study/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

typedef struct WalkHeader {
    char magic[16];
    int64_t count, done;
    double frequency, phase, drive;
    uint64_t hash; // of the results
} WalkHeader;
static const char walk_magic[16] = "maraca walk 1";
enum { WALK_PATH_SIZE = 1100 };
static const size_t walk_size_max = (size_t)1 << 34;

static const char *walk_path(char path[WALK_PATH_SIZE], const char *folder) {
    snprintf(path, WALK_PATH_SIZE, "%s/walk.state", folder);
    return path;
}

static MrcStatus walk_pack(const Walk *w, void **bytes, size_t *size, MrcError *error) {
    MrcState *state = NULL;
    MrcStatus status = mrc_sim_save(w->dweller->sim, &state, error);
    *bytes = NULL;
    if (status == MRC_OK) {
        *size = mrc_state_size(state);
        *bytes = malloc(*size);
        status = *bytes ? mrc_state_pack(state, *bytes, *size, error) : error_memory(error, "the state");
    }
    mrc_state_free(state);
    return status;
}

MrcStatus walk_write(const Walk *w, const char *folder, MrcError *error) {
    char path[WALK_PATH_SIZE];
    void *state;
    size_t size, results = (size_t)w->done * sizeof *w->results;
    FileWriter writer;
    WalkHeader header = {.count = w->count,
                         .done = w->done,
                         .frequency = w->dweller->frequency,
                         .phase = w->dweller->phase,
                         .drive = w->control->drive,
                         .hash = hash_bytes(HASH_START, w->results, results)};
    memcpy(header.magic, walk_magic, sizeof header.magic);
    MrcStatus status = walk_pack(w, &state, &size, error);
    if (status == MRC_OK) status = file_make_folder(folder, error);
    if (status == MRC_OK) status = file_open(&writer, walk_path(path, folder), error);
    if (status == MRC_OK) {
        fwrite(&header, sizeof header, 1, writer.stream);
        fwrite(w->results, results, 1, writer.stream);
        fwrite(state, size, 1, writer.stream);
        status = file_commit(&writer, error);
    }
    free(state);
    return status;
}

static MrcStatus walk_unpack(Walk *w, const char *bytes, size_t size, MrcError *error) {
    WalkHeader header;
    MrcState *state = NULL;
    if (size < sizeof header) return error_set(error, MRC_CHECKPOINT, "walk.state is cut off");
    memcpy(&header, bytes, sizeof header);
    size_t results = (size_t)header.done * sizeof *w->results;
    if (memcmp(header.magic, walk_magic, sizeof header.magic) != 0 || header.count != w->count ||
        header.done < 1 || header.done > w->count || results > size - sizeof header ||
        header.hash != hash_bytes(HASH_START, bytes + sizeof header, results))
        return error_set(error, MRC_CHECKPOINT, "walk.state is damaged, or of another walk");
    MrcStatus status =
        mrc_state_unpack(bytes + sizeof header + results, size - sizeof header - results, &state, error);
    if (status == MRC_OK) status = mrc_sim_restore(w->dweller->sim, state, error);
    mrc_state_free(state);
    if (status != MRC_OK) return status;
    memcpy(w->results, bytes + sizeof header, results);
    w->done = (int)header.done;
    w->dweller->frequency = header.frequency, w->dweller->phase = header.phase;
    w->control->drive = header.drive;
    return MRC_OK;
}

MrcStatus walk_read(Walk *w, const char *folder, MrcError *error) {
    char path[WALK_PATH_SIZE], *bytes;
    size_t size;
    if (access(walk_path(path, folder), F_OK) != 0) return MRC_OK;
    MrcStatus status = file_read(path, walk_size_max, &bytes, &size, error);
    if (status != MRC_OK) return status;
    status = walk_unpack(w, bytes, size, error);
    free(bytes);
    return status;
}
