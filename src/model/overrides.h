// Changes to a model from the command line: `--set path=value`.
#ifndef MODEL_OVERRIDES_H
#define MODEL_OVERRIDES_H

#include "model/yaml.h"

enum { OVERRIDES_PATH_MAX = 20 }; // keys in the path

// The tree with "path=value" worked in; the tree as it was after an error. Keys that the model file may have
// are added where they are missing; what the path calls by a name of the user's own (a constant, a material,
// a joint) must exist.
const YamlNode *overrides_apply(Arena *arena, Diagnostics *diagnostics, const YamlNode *root,
                                const char *override);

#endif
