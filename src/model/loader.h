// From the tree to the definition structs, led by the schema tables. All errors are reported, not just the
// first; a value that is wrong leaves its member zero and the walk goes on.
#ifndef MODEL_LOADER_H
#define MODEL_LOADER_H

#include "math/expression.h"
#include "mechanism/definition.h"
#include "model/diagnostics.h"
#include "model/schema_sections.h"
#include "model/yaml.h"
#include "schema/findings.h"

// Where the value of a member was written.
typedef struct MemberPlace {
    const void *address;
    bool object; // a struct may begin at the same address as its first member
    Place place;
} MemberPlace;

// A name that must be defined elsewhere in the file.
typedef struct Reference {
    const SchemaKey *key;
    const YamlNode *node;
    const char *name;
} Reference;

typedef struct Default {
    const SchemaKey *key;
    const YamlNode *node;
} Default;

// A file that the model names.
typedef struct NamedFile {
    const char *name; // as written
    const char *path; // where it was read from
    Place place;      // where it is named
} NamedFile;

typedef struct Loader {
    Arena *arena;
    Diagnostics *diagnostics;
    const YamlNode *root;
    bool from_file;        // the model is a file: names of files are relative to the one they stand in
    ExpressionScope scope; // constants and inputs
    bool *constant_used;   // per constant of the scope: some formula mentions it
    bool *input_used;      // per input of the scope
    // Signals of the mechanism's nodes that expressions have used so far: name, dimension, what it is.
    ARRAY(ExpressionSignal) signals;
    ARRAY(NodeSignal) node_signals;
    ARRAY(MemberPlace) places;
    bool places_sorted;
    ARRAY(Reference) references;
    ARRAY(Default) defaults;            // parsed once each
    ARRAY(NamedFile) files;             // that were read
    ARRAY(const Expression *) formulas; // values that are not constant, in the order of the file
} Loader;

enum {
    LOADER_ENTRIES_MAX = 10000, // of one map: keeps lookups by name quick whatever the file
    LOADER_CONSTANTS_MAX = 1000,
    LOADER_INPUTS_MAX = 1000,
    LOADER_LIST_MAX = 1000,
    LOADER_NAME_MAX = 60, // bytes
};

// Fills *definition (the struct of schema_root) from the tree.
void loader_load(Loader *loader, const YamlNode *root, void *definition);
void loader_free(Loader *loader);

// Where the value of a member was written; when it was not given, the place of the mapping it is missing in.
Place loader_place(Loader *loader, const void *member);
// The same for a struct: where its mapping was written.
Place loader_object_place(Loader *loader, const void *object);
// For types that check their own members: findings go to the diagnostics.
Findings loader_findings(Loader *loader);

// ---- shared by the files of the loader -----------------------------------------------------------
// The values that are not objects (values.c). False after an error; the member is then as it was.
bool loader_value(Loader *loader, const SchemaKey *key, const YamlNode *node, void *member);
// Notes where the value of a member was written.
void loader_remember(Loader *loader, const void *member, Place place);
// The scope with the signals that the text uses in it (node_signals.c). Whether their nodes exist is checked
// later.
ExpressionScope loader_signal_scope(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                    const char *text);
// All signals that an expression could use, to find what a misspelt one was meant to be.
ExpressionScope loader_all_signals(Loader *loader);
// Once all is loaded: the signals in use, as the mechanism takes them.
void loader_finish_signals(Loader *loader, MechanismDefinition *mechanism);
// Reads `constants:` into loader->scope (constants.c).
void loader_constants(Loader *loader, const YamlNode *node);
// Reads `inputs:` into *definition (a SimDefinition) and into loader->scope (inputs.c).
void loader_inputs(Loader *loader, const YamlNode *node, void *definition);
// Names to objects, for a key of the object at `base`.
void loader_map(Loader *loader, const SchemaKey *key, const YamlNode *node, char *base);
// A constant for the key and its value; NULL after an error.
const Expression *loader_constant(Loader *loader, const SchemaKey *key, const YamlNode *node, double *value);
// May a constant or an input (`what`) be called so? If not, it is reported.
bool loader_check_name(Loader *loader, const YamlNode *key, const char *what);
// Notes which constants a formula mentions.
void loader_note_constants(Loader *loader, const char *formula);
// The next word of a formula, which may be a name: its length, 0 at the end; *formula is moved to its start.
size_t loader_next_word(const char **formula);
// "'key' is a list; expected a length (m)".
void loader_wrong_kind(Loader *loader, const SchemaKey *key, const YamlNode *node);
// The beginning of a scalar's text, for messages.
const char *loader_shown(const YamlNode *scalar, char *buffer, size_t size);
bool loader_name_is_good(const char *name);

#endif
