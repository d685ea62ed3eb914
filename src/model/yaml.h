// YAML as a small tree that never changes, each node with its place in the file.
//
// libfyaml parses; the rest of the loader works on this tree. Arbitrary bytes may come in: size, depth and
// number of nodes are limited, and bytes that are not text are refused before libfyaml parses them.
#ifndef MODEL_YAML_H
#define MODEL_YAML_H

#include "base/memory.h"
#include "model/diagnostics.h"

typedef enum YamlKind { YAML_SCALAR, YAML_MAPPING, YAML_SEQUENCE } YamlKind;

enum {
    YAML_BYTES_MAX = 16 * 1024 * 1024,
    YAML_DEPTH_MAX = 60,
    YAML_NODES_MAX = 200 * 1000, // counted with repetition, so that aliases of aliases end soon
    YAML_ANCHORS_MAX = 1000,
    YAML_KEY_MAX = 200, // bytes
};

typedef struct YamlNode YamlNode;

typedef struct YamlPair {
    const YamlNode *key; // a scalar
    const YamlNode *value;
} YamlPair;

struct YamlNode {
    YamlKind kind;
    Place place;
    int height;    // levels below: 0 for a scalar
    size_t weight; // nodes of this tree, shared ones counted each time
    size_t count;  // pairs of a mapping, items of a sequence

    const char *text; // scalar: NUL-terminated
    bool quoted;      // scalar: written in quotes or as a block, so surely a text
    int text_column;  // scalar: columns from `place` to the first character of `text`; -1: no such relation

    const YamlPair *pairs;        // mapping, in the file's order
    const size_t *sorted;         // mapping: indices of `pairs` in the order of their keys
    const YamlNode *const *items; // sequence
};

// The root of the one document in `text`; NULL after an error (then it is in `diagnostics`). With
// `line_is_known` false all places have line 0: the text does not come from a file.
const YamlNode *yaml_parse(Arena *arena, const char *text, size_t length, int file, bool line_is_known,
                           Diagnostics *diagnostics);

const YamlNode *yaml_get(const YamlNode *mapping, const char *key); // the value; NULL when absent
const YamlPair *yaml_find(const YamlNode *mapping, const char *key);

bool yaml_is_nothing(const YamlNode *node); // `key:` with nothing after it, `null` or `~`
bool yaml_equal(const YamlNode *a, const YamlNode *b);
const char *yaml_kind_name(const YamlNode *node); // "a mapping", "a list", "a value", "nothing"

// Where the byte `offset` of a scalar's text was written; the scalar's own place when that is not known.
Place yaml_place_inside(const YamlNode *scalar, size_t offset);

// ---- trees made from trees (yaml_tree.c); NULL when memory is out or the result would be too large ---
const YamlNode *yaml_scalar(Arena *arena, const char *text, Place place);
const YamlNode *yaml_mapping(Arena *arena, const YamlPair *pairs, size_t count, Place place);
const YamlNode *yaml_sequence(Arena *arena, const YamlNode *const *items, size_t count, Place place);
// Mappings are merged key by key, `top` winning over `base`; anything else is replaced.
const YamlNode *yaml_merge(Arena *arena, const YamlNode *base, const YamlNode *top);
const YamlNode *yaml_without(Arena *arena, const YamlNode *mapping, const char *key);

// The tree with the value at a path of keys and list positions set. On failure NULL and *trouble says why
// (NULL: memory).
const YamlNode *yaml_set(Arena *arena, const YamlNode *root, const char *const *path, size_t path_length,
                         const YamlNode *value, Place place, const char **trouble);

// The tree as YAML text that reads back equal; malloc'ed, NULL when memory is out.
char *yaml_text(const YamlNode *root);

#endif
