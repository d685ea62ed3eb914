// Files that a model names: meshes of walls, beds, and tables of inputs. They are read while the model is
// loaded, so that what is wrong with them is found by `maraca check` and reported where the file is named.
#ifndef MODEL_FILES_H
#define MODEL_FILES_H

#include "model/loader.h"
#include "sim/definition.h"

// Meshes and beds; tables are read with the inputs (inputs.c), whose dimensions they may give.
void files_read(Loader *loader, SimDefinition *definition);
// The path of a file that is named at `place`: relative to the file there (to the model for what the command
// line says); for a model that is no file, to the current folder. NULL: memory ran out.
const char *files_path(Loader *loader, Place place, const char *name);
void files_note(Loader *loader, Place place, const char *name);      // that such a file was read
void files_release(SimDefinition *definition);                       // what is not in the loader's arena
uint64_t files_hash(uint64_t hash, const SimDefinition *definition); // of what was read

#endif
