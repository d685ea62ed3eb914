#include "analysis/extend.h"

#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "output/checkpoint.h"
#include "sim/resolve.h"

// The same model with other times; NULL: it is not that of the checkpoint, or memory ran out.
static MrcStatus extend_try(const MrcModel *model, const char *duration, const char *planned, uint64_t hash,
                            MrcModel **found, MrcError *error) {
    MrcModel *other = model_with_times(model, duration, planned);
    MrcStatus status = mrc_model_status(other);
    bool same = status == MRC_OK && model_hash(other) == hash;
    *found = same ? other : NULL;
    if (!same) mrc_model_free(other);
    return status == MRC_MEMORY ? error_memory(error, "the model") : MRC_OK;
}

// `old`: the model as it was run. Automatic values that would change are frozen.
static MrcStatus extend_freeze(const MrcModel *model, const MrcModel *old, const char *planned,
                               const Log *log, Extension *extension, MrcError *error) {
    char differences[200];
    sim_differences(model_definition(old), model_definition(model), differences, sizeof differences);
    if (!differences[0]) return MRC_OK;
    extension->model = model_with_times(model, NULL, planned);
    if (!extension->model) return error_memory(error, "the model");
    if (mrc_model_status(extension->model) != MRC_OK)
        return error_set(error, MRC_MODEL, "with 'simulate.planned: %s' it has errors", planned);
    log_note(log,
             "%s: chosen by the program for a duration of %s and kept (simulate.planned in the model.yaml of "
             "the folder)",
             differences, planned);
    return MRC_OK;
}

// `recorded`: the model at hand as far as the motion goes, and in what it records like the one of the checkpoint, or
// the model itself. Fills in the extension where it is that model with the times it had.
static MrcStatus extend_match(const MrcModel *model, const MrcModel *recorded, const ModelTimes *times,
                              uint64_t hash, const Log *log, Extension *extension, MrcError *error) {
    const char *own = times->planned[0] ? times->planned : NULL, *planned = own ? own : times->duration;
    MrcModel *old = NULL;
    bool same = model_hash(recorded) == hash;
    // It was extended before: only `planned` is not in the model at hand.
    MrcStatus status = same ? MRC_OK : extend_try(recorded, NULL, planned, hash, &old, error);
    if (status != MRC_OK) return status;
    if (same || old) {
        extension->expected = hash;
        extension->recording = recorded != model;
        if (old && !extension->recording) extension->model = old;
        else if (old) extension->model = model_with_times(model, NULL, planned), mrc_model_free(old);
        return old && !extension->model ? error_memory(error, "the model") : MRC_OK;
    }
    status = extend_try(recorded, times->duration, own, hash, &old, error);
    if (status != MRC_OK || !old) return status; // another model: the checkpoint is refused
    extension->found = true;
    extension->recording = recorded != model;
    extension->expected = hash;
    extension->old_total = simulate_steps(&model_definition(old)->simulate);
    if (extension->recording) { // what it would record as it was
        mrc_model_free(old);
        old = model_with_times(model, times->duration, own);
        if (!old) return error_memory(error, "the model");
    }
    if (mrc_model_status(old) == MRC_OK) status = extend_freeze(model, old, planned, log, extension, error);
    mrc_model_free(old);
    return status;
}

MrcStatus extend_find(const MrcModel *model, const char *folder, const Log *log, Extension *extension,
                      MrcError *error) {
    char path[1100];
    ModelTimes times;
    *extension = (Extension){.expected = model_hash(model)};
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    uint64_t hash;
    MrcStatus status = checkpoint_model(path, &hash, error);
    if (status == MRC_MEMORY) return status;
    if (status != MRC_OK || hash == extension->expected)
        return MRC_OK; // what cannot be read is refused later
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    status = model_read_times(path, &times);
    if (status == MRC_MEMORY) return error_memory(error, "the model");
    if (status != MRC_OK) return MRC_OK;
    status = extend_match(model, model, &times, hash, log, extension, error);
    if (status != MRC_OK || extension->expected == hash) return status;
    MrcModel *recorded = model_with_recording(model, path);
    if (!recorded) return error_memory(error, "the model");
    if (mrc_model_status(recorded) == MRC_OK)
        status = extend_match(model, recorded, &times, hash, log, extension, error);
    mrc_model_free(recorded);
    return status;
}

void extend_free(Extension *extension) { mrc_model_free(extension->model); }
