// `constants:` - named values that may use each other in any order.
#include <math.h>

#include "model/loader.h"

typedef enum ConstantState { CONSTANT_UNREAD, CONSTANT_OPEN, CONSTANT_KNOWN } ConstantState;

typedef struct Resolver {
    Loader *loader;
    const YamlNode *mapping;
    ConstantState *states;         // per pair
    bool *mentioned;               // per pair: by another constant
    ExpressionConstant *constants; // those that are done
    size_t count;
} Resolver;

static void constants_resolve(Resolver *resolver, size_t index);

bool loader_check_name(Loader *loader, const YamlNode *key, const char *what) {
    char shown[64];
    const char *meaning = expression_word_meaning(key->text);
    if (!loader_name_is_good(key->text))
        diagnostics_error(loader->diagnostics, key->place,
                          "'%s' cannot name %s: letters, digits and '_' only, a letter first",
                          loader_shown(key, shown, sizeof shown), what);
    else if (meaning)
        diagnostics_error(loader->diagnostics, key->place,
                          "'%s' cannot name %s: in formulas it is %s; choose another name", key->text, what,
                          meaning);
    else return true;
    return false;
}

// The pair whose key is the word, or the number of pairs.
static size_t constants_find(const YamlNode *mapping, const char *word, size_t length) {
    char name[LOADER_NAME_MAX + 1];
    if (length > LOADER_NAME_MAX) return mapping->count;
    memcpy(name, word, length);
    name[length] = '\0';
    const YamlPair *pair = yaml_find(mapping, name);
    return pair ? (size_t)(pair - mapping->pairs) : mapping->count;
}

// Resolves every constant that the text mentions. False when that leads back to the constant itself, or when
// it mentions an input.
static bool constants_resolve_mentioned(Resolver *resolver, const YamlPair *pair) {
    Loader *loader = resolver->loader;
    const YamlNode *inputs = loader->root ? yaml_get(loader->root, "inputs") : NULL;
    const char *word = pair->value->text;
    for (size_t length; (length = loader_next_word(&word)) > 0; word += length) {
        Place place = yaml_place_inside(pair->value, (size_t)(word - pair->value->text));
        size_t index = constants_find(resolver->mapping, word, length);
        if (index == resolver->mapping->count) {
            if (!inputs || inputs->kind != YAML_MAPPING ||
                constants_find(inputs, word, length) == inputs->count)
                continue;
            diagnostics_error(loader->diagnostics, place,
                              "'%s' is a constant; it cannot use the input '%.*s', which may change",
                              pair->key->text, (int)length, word);
            return false;
        }
        if (resolver->states[index] == CONSTANT_OPEN) {
            diagnostics_error(loader->diagnostics, place,
                              "'%s': constants go round in a circle through '%.*s'", pair->key->text,
                              (int)length, word);
            return false;
        }
        resolver->mentioned[index] = true;
        constants_resolve(resolver, index);
    }
    return true;
}

// A constant that is wrong stays known, without a unit, so that its users do not raise errors of their own.
static ExpressionConstant constants_evaluate(Resolver *resolver, const YamlPair *pair) {
    Loader *loader = resolver->loader;
    ExpressionConstant constant = {.name = pair->key->text, .value = 1, .bare = true};
    SchemaKey row = {.key = pair->key->text, .kind = SCHEMA_QUANTITY};
    if (pair->value->kind != YAML_SCALAR || !pair->value->text[0] || yaml_is_nothing(pair->value)) {
        diagnostics_error(loader->diagnostics, pair->value->place,
                          "'%s' is %s; expected a number, with a unit if it has one", row.key,
                          yaml_kind_name(pair->value));
        return constant;
    }
    if (!constants_resolve_mentioned(resolver, pair)) return constant;
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

static void constants_resolve(Resolver *resolver, size_t index) {
    if (resolver->states[index] != CONSTANT_UNREAD) return;
    resolver->states[index] = CONSTANT_OPEN;
    const YamlPair *pair = &resolver->mapping->pairs[index];
    if (loader_check_name(resolver->loader, pair->key, "a constant")) {
        ExpressionConstant constant = constants_evaluate(resolver, pair);
        resolver->constants[resolver->count++] = constant;
    }
    resolver->states[index] = CONSTANT_KNOWN;
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
    resolver.states = arena_alloc(loader->arena, (node->count + 1) * sizeof *resolver.states);
    resolver.mentioned = arena_alloc(loader->arena, (node->count + 1) * sizeof *resolver.mentioned);
    resolver.constants = arena_alloc(loader->arena, (node->count + 1) * sizeof *resolver.constants);
    loader->constant_used = arena_alloc(loader->arena, (node->count + 1) * sizeof *loader->constant_used);
    if (!resolver.states || !resolver.mentioned || !resolver.constants || !loader->constant_used) {
        diagnostics_memory(loader->diagnostics);
        return;
    }
    for (size_t i = 0; i < node->count; i++) constants_resolve(&resolver, i);
    loader->scope.constants = resolver.constants;
    loader->scope.constant_count = resolver.count;
    for (size_t i = 0; i < resolver.count; i++)
        loader->constant_used[i] = resolver.mentioned[constants_find(node, resolver.constants[i].name,
                                                                     strlen(resolver.constants[i].name))];
}
