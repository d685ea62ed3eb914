// A checked model in words.
#ifndef MODEL_DESCRIBE_H
#define MODEL_DESCRIBE_H

#include "base/text.h"
#include "model/yaml.h"
#include "sim/definition.h"

// malloc'ed; NULL when memory is out. The tree is there for what the user wrote: expressions are shown as
// they stand in the file.
char *describe_model(const SimDefinition *definition, const YamlNode *tree);

#endif
