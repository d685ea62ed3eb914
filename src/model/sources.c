#include "model/sources.h"

#include <stdlib.h>

#include "base/file.h"
#include "model/replaced.h"
#include "model/schema_sections.h"

// The files that are being read, each included by the next.
typedef struct Chain {
    const char *path; // absolute, links resolved; NULL: text in memory
    const struct Chain *parent;
    int depth;
} Chain;

typedef struct Sources {
    Arena *arena;
    Diagnostics *diagnostics;
    int count; // of included files
} Sources;

const YamlNode *sources_too_large(Diagnostics *diagnostics, Place place) {
    diagnostics_error(diagnostics, place, "memory is out, or there are more than %d values", YAML_NODES_MAX);
    return NULL;
}

// `top` over `base`; NULL when memory is out or there is too much.
static const YamlNode *sources_merge(Arena *arena, const YamlNode *base, const YamlNode *top) {
    const YamlNode *left = base && top ? replaced_take_out(arena, &schema_root, base, top) : base;
    return top && (left || !base) ? yaml_merge(arena, left, top) : NULL;
}

// ---- includes ------------------------------------------------------------------------------------
static const YamlNode *sources_resolve_includes(Sources *sources, const YamlNode *root, const char *path,
                                                const Chain *chain);

// A path as written in one file, seen from where that file is.
static const char *sources_join(Arena *arena, const char *including, const char *path) {
    const char *slash = strrchr(including, '/');
    if (path[0] == '/' || !slash) return path;
    return arena_printf(arena, "%.*s/%s", (int)(slash - including), including, path);
}

static bool sources_is_part(const YamlNode *root) {
    for (size_t k = 0; k < schema_root.key_count; k++)
        if (yaml_get(root, schema_root.keys[k].key)) return true;
    return yaml_get(root, "include") || root->count == 0;
}

// A model may come from a stranger, and name any file. Of one that is no part of a model no message quotes anything.
static const YamlNode *sources_parse_part(Sources *sources, const char *path, const YamlNode *at,
                                          const char *text, size_t length) {
    Diagnostics own = {.arena = sources->arena};
    int file = diagnostics_add_file(sources->diagnostics, path);
    const YamlNode *root = yaml_parse(sources->arena, text, length, file, true, &own);
    Place first = own.list.count ? own.list.data[0].place : root ? root->place : (Place){.file = file};
    first.file = file;
    if (own.out_of_memory) diagnostics_memory(sources->diagnostics);
    else if (!root || own.error_count > 0) {
        diagnostics_error(sources->diagnostics, first,
                          "included in line %d of the model, but not YAML as a model may be; "
                          "'maraca check' of this file says more",
                          at->place.line);
        root = NULL;
    } else if (root->kind != YAML_MAPPING || !sources_is_part(root)) {
        diagnostics_error(sources->diagnostics, first,
                          "an included file is a mapping like the model itself, but this is %s",
                          root->kind == YAML_MAPPING ? "one of other things" : yaml_kind_name(root));
        root = NULL;
    }
    diagnostics_free(&own);
    return root;
}

static const YamlNode *sources_parse_included(Sources *sources, const char *path, const YamlNode *at,
                                              const Chain *parent) {
    MrcError error;
    char *text = NULL, *real = realpath(path, NULL);
    size_t length;
    const YamlNode *root = NULL;
    for (const Chain *each = parent; each && real; each = each->parent) {
        if (!each->path || strcmp(each->path, real) != 0) continue;
        diagnostics_error(sources->diagnostics, at->place,
                          "'%s' is included by itself, directly or through others", at->text);
        free(real);
        return NULL;
    }
    if (file_read(path, YAML_BYTES_MAX, &text, &length, &error) != MRC_OK) {
        const char *reason = strstr(error.text, "': "); // the file is named as it was written, not as joined
        diagnostics_error(sources->diagnostics, at->place, "cannot include '%s': %s", at->text,
                          reason ? reason + 3 : error.text);
    } else {
        root = sources_parse_part(sources, path, at, text, length);
        Chain chain = {.path = real, .parent = parent, .depth = parent->depth + 1};
        if (root) root = sources_resolve_includes(sources, root, path, &chain);
    }
    free(text);
    free(real);
    return root;
}

static const YamlNode *sources_include_one(Sources *sources, const YamlNode *base, const YamlNode *at,
                                           const char *including, const Chain *chain) {
    Diagnostics *diagnostics = sources->diagnostics;
    if (at->kind != YAML_SCALAR || !at->text[0] || yaml_is_nothing(at)) {
        diagnostics_error(diagnostics, at->place, "'include' is %s; expected a file name",
                          yaml_kind_name(at));
        return NULL;
    }
    if (chain->depth >= SOURCES_DEPTH_MAX || ++sources->count > SOURCES_COUNT_MAX) {
        diagnostics_error(diagnostics, at->place,
                          "files include files more than %d deep, or there are more than %d of them",
                          SOURCES_DEPTH_MAX, SOURCES_COUNT_MAX);
        return NULL;
    }
    const char *path = sources_join(sources->arena, including, at->text);
    if (!path) {
        diagnostics_memory(diagnostics);
        return NULL;
    }
    const YamlNode *part = sources_parse_included(sources, path, at, chain);
    if (!part || !base) return part;
    const YamlNode *merged = sources_merge(sources->arena, base, part);
    return merged ? merged : sources_too_large(diagnostics, at->place);
}

static const YamlNode *sources_resolve_includes(Sources *sources, const YamlNode *root, const char *path,
                                                const Chain *chain) {
    const YamlNode *include = yaml_get(root, "include");
    if (!include) return root;
    bool list = include->kind == YAML_SEQUENCE;
    const YamlNode *base = NULL;
    bool good = true;
    for (size_t i = 0; i < (list ? include->count : 1); i++) {
        const YamlNode *merged =
            sources_include_one(sources, base, list ? include->items[i] : include, path, chain);
        good = good && merged;
        if (merged) base = merged;
    }
    if (!good) return NULL; // errors in what is not there would only mislead
    const YamlNode *own = yaml_without(sources->arena, root, "include");
    const YamlNode *merged = sources_merge(sources->arena, base, own);
    return merged ? merged : sources_too_large(sources->diagnostics, include->place);
}

// ---- whole models --------------------------------------------------------------------------------
static const YamlNode *sources_read_text(Arena *arena, Diagnostics *diagnostics, const char *text,
                                         size_t length, const char *name, const char *real) {
    Sources sources = {.arena = arena, .diagnostics = diagnostics};
    int file = diagnostics_add_file(diagnostics, name);
    const YamlNode *root = yaml_parse(arena, text, length, file, true, diagnostics);
    if (!root || root->kind != YAML_MAPPING) return root;
    return sources_resolve_includes(&sources, root, real ? name : "", &(Chain){.path = real});
}

const YamlNode *sources_parse(Arena *arena, Diagnostics *diagnostics, const char *text, size_t length,
                              const char *name) {
    return sources_read_text(arena, diagnostics, text, length, name, NULL);
}

const YamlNode *sources_read(Arena *arena, Diagnostics *diagnostics, const char *path, bool *unreadable) {
    MrcError error;
    char *text;
    size_t length;
    *unreadable = file_read(path, YAML_BYTES_MAX, &text, &length, &error) != MRC_OK;
    if (*unreadable) {
        diagnostics_error(diagnostics, (Place){.file = diagnostics_add_file(diagnostics, path)}, "%s",
                          error.text);
        return NULL;
    }
    char *real = realpath(path, NULL);
    const YamlNode *root = sources_read_text(arena, diagnostics, text, length, path, real ? real : path);
    free(real);
    free(text);
    return root;
}
