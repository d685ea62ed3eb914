// `constants:` - named values that may use each other in any order.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "model/loader.h"

typedef enum Progress { UNTOUCHED, OPEN, DONE } Progress;

typedef struct Resolver {
    Loader *loader;
    const YamlNode *mapping;
    Progress *progress;            // per pair
    ExpressionConstant *constants; // those that are done
    size_t count;
} Resolver;

static void resolve(Resolver *resolver, size_t index);

static bool name_is_good(Resolver *resolver, const YamlNode *key) {
    Diagnostics *diagnostics = resolver->loader->diagnostics;
    char shown[64];
    if (!loader_name_is_good(key->text)) {
        diagnostics_error(diagnostics, key->place,
                          "'%s' cannot name a constant: letters, digits and '_' only, a letter first",
                          loader_shown(key, shown, sizeof shown));
        return false;
    }
    if (expression_word_is_taken(key->text)) {
        diagnostics_error(diagnostics, key->place,
                          "'%s' cannot name a constant: it is a unit, a function or the time", key->text);
        return false;
    }
    return true;
}

// The pair whose key is the word, or the number of pairs.
static size_t find(const YamlNode *mapping, const char *word, size_t length) {
    char name[LOADER_NAME_MAX + 1];
    if (length > LOADER_NAME_MAX) return mapping->count;
    memcpy(name, word, length);
    name[length] = '\0';
    const YamlPair *pair = yaml_find(mapping, name);
    return pair ? (size_t)(pair - mapping->pairs) : mapping->count;
}

// Resolves every constant that the text mentions. False when that leads back to the constant itself.
static bool resolve_mentioned(Resolver *resolver, const YamlPair *pair) {
    for (const char *c = pair->value->text; *c;) {
        size_t length = 0;
        while (isalnum((unsigned char)c[length]) || c[length] == '_' || c[length] == '.') length++;
        if (length > 0 && !isdigit((unsigned char)*c) && *c != '.') {
            size_t index = find(resolver->mapping, c, length);
            if (index < resolver->mapping->count && resolver->progress[index] == OPEN) {
                size_t offset = (size_t)(c - pair->value->text);
                diagnostics_error(resolver->loader->diagnostics, yaml_place_inside(pair->value, offset),
                                  "'%s': constants go round in a circle through '%.*s'", pair->key->text,
                                  (int)length, c);
                return false;
            }
            if (index < resolver->mapping->count) resolve(resolver, index);
        }
        c += length ? length : 1;
    }
    return true;
}

// A constant that is wrong stays known, without a unit, so that its users do not raise errors of their own.
static ExpressionConstant evaluate(Resolver *resolver, const YamlPair *pair) {
    Loader *loader = resolver->loader;
    ExpressionConstant constant = {.name = pair->key->text, .value = 1, .bare = true};
    SchemaKey row = {.key = pair->key->text, .kind = SCHEMA_QUANTITY};
    if (pair->value->kind != YAML_SCALAR || !pair->value->text[0] || yaml_is_nothing(pair->value)) {
        diagnostics_error(loader->diagnostics, pair->value->place,
                          "'%s' is %s; expected a number, with a unit if it has one", row.key,
                          yaml_kind_name(pair->value));
        return constant;
    }
    if (!resolve_mentioned(resolver, pair)) return constant;
    ExpressionError error;
    ExpressionScope scope = {.constants = resolver->constants, .constant_count = resolver->count};
    const Expression *expression = expression_compile(loader->arena, pair->value->text, &scope, &error);
    if (!expression) {
        diagnostics_error(loader->diagnostics, yaml_place_inside(pair->value, error.offset), "'%s': %s",
                          row.key, error.text);
        return constant;
    }
    double value = expression_value(expression, (TimePoint){0}, NULL);
    if (!expression_is_constant(expression))
        diagnostics_error(loader->diagnostics, pair->value->place,
                          "'%s' is a constant; it cannot change with time", row.key);
    else if (!isfinite(value))
        diagnostics_error(loader->diagnostics, pair->value->place, "'%s' is not a finite number", row.key);
    else {
        constant.value = value;
        constant.dimension = expression_dimension(expression);
        constant.bare = expression_is_bare(expression);
        constant.hertz = expression_is_hertz(expression);
    }
    return constant;
}

static void resolve(Resolver *resolver, size_t index) {
    if (resolver->progress[index] != UNTOUCHED) return;
    resolver->progress[index] = OPEN;
    const YamlPair *pair = &resolver->mapping->pairs[index];
    if (name_is_good(resolver, pair->key)) {
        ExpressionConstant constant = evaluate(resolver, pair);
        resolver->constants[resolver->count++] = constant;
    }
    resolver->progress[index] = DONE;
}

void loader_constants(Loader *loader, const YamlNode *node) {
    if (node->kind != YAML_MAPPING) {
        diagnostics_error(loader->diagnostics, node->place,
                          "'constants' is %s; expected a mapping from names to values", yaml_kind_name(node));
        return;
    }
    if (node->count > LOADER_CONSTANTS_MAX) {
        diagnostics_error(loader->diagnostics, node->place, "%zu constants; at most %d are read", node->count,
                          LOADER_CONSTANTS_MAX);
        return;
    }
    Resolver resolver = {.loader = loader, .mapping = node};
    resolver.progress = arena_alloc(loader->arena, (node->count + 1) * sizeof *resolver.progress);
    resolver.constants = arena_alloc(loader->arena, (node->count + 1) * sizeof *resolver.constants);
    if (!resolver.progress || !resolver.constants) {
        diagnostics_memory(loader->diagnostics);
        return;
    }
    for (size_t i = 0; i < node->count; i++) resolve(&resolver, i);
    loader->scope = (ExpressionScope){.constants = resolver.constants, .constant_count = resolver.count};
}
