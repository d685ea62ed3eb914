// Signals of the mechanism's nodes in expressions: `-K*(support.y - y0) - C*arm.end.vy`.
//
// Only those that are used get a place in the scope, so that a beam of a thousand nodes costs nothing. The
// names are looked up in the tree: the definition is not complete while it is being loaded.
#include "mechanism/names.h"
#include "model/loader.h"

static const YamlNode *node_signals_mechanism_part(const Loader *loader, const char *part) {
    const YamlNode *mechanism = loader->root ? yaml_get(loader->root, "mechanism") : NULL;
    const YamlNode *map = mechanism && mechanism->kind == YAML_MAPPING ? yaml_get(mechanism, part) : NULL;
    return map && map->kind == YAML_MAPPING ? map : NULL;
}

static bool node_signals_is_in(const Loader *loader, const char *part, const char *name) {
    const YamlNode *map = node_signals_mechanism_part(loader, part);
    return map && yaml_find(map, name);
}

// Could it be a node? Whether a beam has as many is checked once its elements are known.
static bool node_signals_may_be_node(const Loader *loader, const char *name) {
    char beam[LOADER_NAME_MAX + 1];
    if (node_signals_is_in(loader, "nodes", name) || node_signals_is_in(loader, "bodies", name)) return true;
    size_t length = strcspn(name, ".");
    if (name[length] == '\0' || length > LOADER_NAME_MAX) return false;
    memcpy(beam, name, length);
    beam[length] = '\0';
    return node_signals_is_in(loader, "beams", beam) && names_beam_part(name + length + 1) != NAMES_BEAM_NONE;
}

static void node_signals_add_signal(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                    const char *word, size_t length) {
    char *name = arena_strndup(loader->arena, word, length);
    char *owner = name ? arena_strdup(loader->arena, name) : NULL;
    char *dot = owner ? strrchr(owner, '.') : NULL;
    if (!name || !owner) diagnostics_memory(loader->diagnostics);
    if (!dot) return;
    *dot = '\0';
    int component = node_signal_find(dot + 1);
    if (component < 0 || component >= NODE_SIGNALS_FOR_FORCES || !node_signals_may_be_node(loader, owner))
        return;
    if (!array_push(&loader->references, (Reference){key, node, owner}))
        diagnostics_memory(loader->diagnostics);
    for (size_t i = 0; i < loader->signals.count; i++)
        if (strcmp(loader->signals.data[i].name, name) == 0) return;
    if (!array_push(&loader->signals, (ExpressionSignal){name, node_signal_kinds[component].dimension}) ||
        !array_push(&loader->node_signals, (NodeSignal){owner, component}))
        diagnostics_memory(loader->diagnostics);
}

static ExpressionScope node_signals_scope_with(const Loader *loader, const ExpressionSignal *signals,
                                               size_t count) {
    ExpressionScope scope = loader->scope;
    scope.signals = signals;
    scope.signal_count = count;
    return scope;
}

ExpressionScope loader_signal_scope(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                    const char *text) {
    for (size_t length; (length = loader_next_word(&text)) > 0; text += length)
        node_signals_add_signal(loader, key, node, text, length);
    return node_signals_scope_with(loader, loader->signals.data, loader->signals.count);
}

ExpressionScope loader_all_signals(Loader *loader) {
    static const struct {
        const char *part, *ending;
    } owners[] = {{"nodes", ""}, {"bodies", ""}, {"beams", ".start"}, {"beams", ".end"}};
    ARRAY(ExpressionSignal) all = {0};
    for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
        const YamlNode *map = node_signals_mechanism_part(loader, owners[k].part);
        for (size_t i = 0; map && i < map->count && all.count < 1000; i++)
            for (int s = 0; s < NODE_SIGNALS_FOR_FORCES; s++) {
                const char *name = arena_printf(loader->arena, "%s%s.%s", map->pairs[i].key->text,
                                                owners[k].ending, node_signal_kinds[s].suffix);
                if (name) (void)array_push(&all, (ExpressionSignal){name, node_signal_kinds[s].dimension});
            }
    }
    size_t bytes = all.count * sizeof *all.data;
    ExpressionSignal *kept = arena_alloc(loader->arena, bytes + 1);
    if (kept && bytes) memcpy(kept, all.data, bytes);
    ExpressionScope scope = node_signals_scope_with(loader, kept, kept ? all.count : 0);
    array_free(&all);
    return scope;
}

void loader_finish_signals(Loader *loader, MechanismDefinition *mechanism) {
    size_t bytes = loader->node_signals.count * sizeof *loader->node_signals.data;
    mechanism->signals = arena_alloc(loader->arena, bytes + 1);
    if (!mechanism->signals) {
        diagnostics_memory(loader->diagnostics);
        return;
    }
    if (bytes) memcpy(mechanism->signals, loader->node_signals.data, bytes);
    mechanism->signal_count = (int)loader->node_signals.count;
}
