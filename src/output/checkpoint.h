// checkpoint.h5: a state on disk, for going on after a stop.
//
// An HDF5 file that any HDF5 tool opens: groups and one-dimensional datasets as the state describes itself
// (base/archive.h), with the attributes format, maraca_version and model_hash. Its first 512 bytes, which
// HDF5 passes over, hold a line of text with the length and a hash of all that follows: a file that was cut
// off or changed anywhere is refused before anything else is read. The same state gives the same bytes.
#ifndef OUTPUT_CHECKPOINT_H
#define OUTPUT_CHECKPOINT_H

#include <stdint.h>

#include "base/archive.h"

typedef void (*CheckpointDescribe)(Archive *archive, void *state); // must not save or load checkpoints itself

// Writes a temporary file beside `path` and renames it into place: the last good checkpoint is never lost.
MrcStatus checkpoint_save(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error);

// The model that it was made from.
MrcStatus checkpoint_model(const char *path, uint64_t *model_hash, MrcError *error);

// MRC_CHECKPOINT when there is no such file, it is damaged, was made from another model, or does not fit the
// state. `describe` is not called unless the file is whole and of this model; when it was called and fails,
// the state is partly overwritten.
MrcStatus checkpoint_load(const char *path, uint64_t model_hash, CheckpointDescribe describe, void *state,
                          MrcError *error);

#endif
