#include "analysis/extend.h"

#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "output/checkpoint.h"
#include "sim/resolve.h"

// The same model with other times; NULL: it is not that of the checkpoint.
static MrcModel *extend_try(const MrcModel *model, const char *duration, const char *planned, uint64_t hash) {
    MrcModel *other = model_with_times(model, duration, planned);
    if (other && mrc_model_status(other) == MRC_OK && model_hash(other) == hash) return other;
    mrc_model_free(other);
    return NULL;
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

MrcStatus extend_find(const MrcModel *model, const char *folder, const Log *log, Extension *extension,
                      MrcError *error) {
    char path[1100];
    ModelTimes times;
    *extension = (Extension){.expected = model_hash(model)};
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    uint64_t hash;
    if (!checkpoint_model(path, &hash) || hash == extension->expected) return MRC_OK;
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    if (!model_read_times(path, &times)) return MRC_OK;
    const char *own = times.planned[0] ? times.planned : NULL, *planned = own ? own : times.duration;
    // It was extended before: only `planned` is not in the model at hand.
    extension->model = extend_try(model, NULL, planned, hash);
    if (extension->model) {
        extension->expected = hash;
        return MRC_OK;
    }
    MrcModel *old = extend_try(model, times.duration, own, hash);
    if (!old) return MRC_OK; // another model: the checkpoint is refused
    const SimulateDefinition *simulate = &model_definition(old)->simulate;
    extension->found = true;
    extension->expected = hash;
    extension->old_total = simulate_steps(simulate);
    MrcStatus status = extend_freeze(model, old, planned, log, extension, error);
    mrc_model_free(old);
    return status;
}

void extend_free(Extension *extension) { mrc_model_free(extension->model); }
