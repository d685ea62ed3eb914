// What other modules may ask of a loaded model.
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "maraca/maraca.h"
#include "sim/definition.h"

const SimDefinition *model_definition(const MrcModel *model); // complete when mrc_model_status is MRC_OK
uint64_t model_hash(const MrcModel *model);                   // of mrc_model_text: the model's identity

#endif
