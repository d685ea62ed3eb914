// Checks that need more than one key: names that must exist, values that must fit together.
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/loader.h"
#include "sim/definition.h"

// Safe on a definition with errors in it: what was wrong already is zero and is passed over.
void check_model(Loader *loader, const SimDefinition *definition);

#endif
