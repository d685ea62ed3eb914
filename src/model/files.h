// Files that a model names: meshes of walls, and beds. They are read while the model is loaded, so that what
// is wrong with them is found by `maraca check` and reported where the file is named.
#ifndef MODEL_FILES_H
#define MODEL_FILES_H

#include "model/loader.h"
#include "sim/definition.h"

// `from_file`: names are relative to the file they stand in (to the model for what the command line says);
// else to the current folder.
void files_read(Loader *loader, SimDefinition *definition, bool from_file);
void files_release(SimDefinition *definition);                       // what is not in the loader's arena
uint64_t files_hash(uint64_t hash, const SimDefinition *definition); // of what was read

#endif
