// What other modules may ask of a loaded model.
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "maraca/maraca.h"
#include "sim/definition.h"

const SimDefinition *model_definition(const MrcModel *model); // complete when mrc_model_status is MRC_OK

// The same model with other values of simulate.duration and simulate.planned, as texts; NULL: as they are. It shares its
// text with `model`, which must outlive it. NULL: memory is out.
MrcModel *model_with_times(const MrcModel *model, const char *duration, const char *planned);
// The same with `record`, `frames`, `checkpoint` and `title` of the model in a file, in the order of its keys: a run of it has
// the same motion. NULL: out of memory; its status may be an error.
MrcModel *model_with_recording(const MrcModel *model, const char *path);

// Those texts in a model file that was written by a run; empty where they are not given. MRC_MODEL: there is
// no duration in it.
enum { MODEL_TIME_SIZE = 400 };
typedef struct ModelTimes {
    char duration[MODEL_TIME_SIZE], planned[MODEL_TIME_SIZE];
} ModelTimes;
MrcStatus model_read_times(const char *path, ModelTimes *times);

uint64_t model_hash(const MrcModel *model); // of mrc_model_text: the model's identity

// The files that it names: the path of the k-th, NULL behind the last; and its text with other names for them. The text
// is malloc'ed; NULL: memory is out.
const char *model_file(const MrcModel *model, size_t index);
char *model_text_with_files(const MrcModel *model, const char *(*name)(void *user, size_t index), void *user);

// Its formulas that depend on time, inputs or signals: the k-th in the order of the file, NULL behind the last.
const Expression *model_formula(const MrcModel *model, size_t index);

// Its constants as they are written: the name of the k-th, NULL behind the last.
const char *model_constant(const MrcModel *model, size_t index, const char **text);

#endif
