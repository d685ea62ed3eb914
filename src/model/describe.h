// A checked model in words.
#ifndef MODEL_DESCRIBE_H
#define MODEL_DESCRIBE_H

#include "base/text.h"
#include "model/yaml.h"
#include "sim/definition.h"

// malloc'ed; NULL when memory is out. The tree is there for what the user wrote: expressions are shown as
// they stand in the file.
char *describe_model(const SimDefinition *definition, const YamlNode *tree);

// ---- its parts that have files of their own ------------------------------------------------------
void describe_contact(Text *text, const SimDefinition *definition, const GrainsDefinition *grains);
void describe_inputs(Text *text, const SimDefinition *definition);
void describe_mechanism(Text *text, const SimDefinition *definition, const YamlNode *tree);
void describe_step(Text *text, const SimDefinition *definition); // why the automatic step is what it is

#endif
