// Where a model's text comes from: the file and the files it includes.
#ifndef MODEL_SOURCES_H
#define MODEL_SOURCES_H

#include "model/yaml.h"

enum {
    SOURCES_DEPTH_MAX = 8,   // of files that include files
    SOURCES_COUNT_MAX = 100, // included files in all
};

// The tree of a file with its includes merged in; NULL after an error. *unreadable: the file itself could not
// be read.
const YamlNode *sources_read(Arena *arena, Diagnostics *diagnostics, const char *path, bool *unreadable);

// The same for a text in memory; includes are relative to the current folder.
const YamlNode *sources_parse(Arena *arena, Diagnostics *diagnostics, const char *text, size_t length,
                              const char *name);

// Reports that a tree would be too large, or that memory ran out; NULL.
const YamlNode *sources_too_large(Diagnostics *diagnostics, Place place);

#endif
