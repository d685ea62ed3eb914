// The public face of models: load, check, describe, write back.
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "mechanism/mechanism.h"
#include "model/check.h"
#include "model/describe.h"
#include "model/files.h"
#include "model/footprint.h"
#include "model/loader.h"
#include "model/overrides.h"
#include "model/sources.h"
#include "sim/resolve.h"

struct MrcModel {
    Arena *arena; // holds everything the definition and the tree point to
    SimDefinition definition;
    Diagnostics diagnostics;
    const YamlNode *tree; // includes and overrides worked in; NULL: there is none
    bool unreadable;
    bool from_file;
    uint64_t hash;
    ARRAY(NamedFile) files; // that it names
    ARRAY(const Expression *) formulas;
};

static MrcModel *model_create(void) {
    MrcModel *model = calloc(1, sizeof *model);
    if (!model) return NULL;
    model->arena = arena_create();
    model->diagnostics.arena = model->arena;
    if (model->arena) return model;
    free(model);
    return NULL;
}

// The file's text and what is in the files it names.
static uint64_t model_compute_hash(MrcModel *model) {
    char *text = yaml_text(model->tree);
    if (!text) diagnostics_memory(&model->diagnostics);
    uint64_t hash = text ? hash_bytes(HASH_START, text, strlen(text)) : 0;
    free(text);
    return files_hash(hash, &model->definition);
}

static void model_finish(MrcModel *model, const char *const *overrides, int override_count, bool from_file) {
    Loader loader = {.arena = model->arena, .diagnostics = &model->diagnostics, .from_file = from_file};
    model->from_file = from_file;
    for (int i = 0; model->tree && i < override_count; i++)
        model->tree = overrides_apply(model->arena, &model->diagnostics, model->tree, overrides[i]);
    if (model->tree) {
        loader_load(&loader, model->tree, &model->definition);
        loader_finish_signals(&loader, &model->definition.mechanism);
        model->definition.record.scope = loader.scope;
        files_read(&loader, &model->definition);
        clearance_prepare_rooms(&loader, &model->definition);
        sim_resolve(&model->definition);
        check_model(&loader, &model->definition);
        if (model->diagnostics.error_count == 0) clearance_find_rooms(&loader, &model->definition);
        model->hash = model_compute_hash(model);
        memcpy(&model->files, &loader.files, sizeof model->files);
        memset(&loader.files, 0, sizeof loader.files);
        memcpy(&model->formulas, &loader.formulas, sizeof model->formulas);
        memset(&loader.formulas, 0, sizeof loader.formulas);
    }
    loader_free(&loader);
    diagnostics_finish(&model->diagnostics);
}

MrcModel *mrc_model_load(const char *path, const char *const *overrides, int override_count) {
    MrcModel *model = model_create();
    if (!model) return NULL;
    model->tree = sources_read(model->arena, &model->diagnostics, path, &model->unreadable);
    model_finish(model, overrides, override_count, true);
    return model;
}

MrcModel *mrc_model_parse(const char *text, uint64_t length, const char *name, const char *const *overrides,
                          int override_count) {
    MrcModel *model = model_create();
    if (!model) return NULL;
    model->tree = sources_parse(model->arena, &model->diagnostics, text, length, name);
    model_finish(model, overrides, override_count, false);
    return model;
}

// ---- other durations -----------------------------------------------------------------------------
MrcModel *model_with_times(const MrcModel *other, const char *duration, const char *planned) {
    MrcModel *model = model_create();
    char texts[2][MODEL_TIME_SIZE + 40];
    const char *overrides[2];
    int count = 0;
    if (!model) return NULL;
    for (size_t i = 0; i < other->diagnostics.files.count; i++)
        diagnostics_add_file(&model->diagnostics, other->diagnostics.files.data[i]);
    model->tree = other->tree;
    if (duration) snprintf(texts[0], sizeof texts[0], "simulate.duration=%s", duration);
    if (duration) overrides[count++] = texts[0];
    if (planned) snprintf(texts[1], sizeof texts[1], "simulate.planned=%s", planned);
    if (planned) overrides[count++] = texts[1];
    model_finish(model, overrides, count, other->from_file);
    return model;
}

// What may differ between a run and the one that goes on from its checkpoint: what is written, not what is computed.
static bool model_is_recording(const char *key) {
    static const char *const keys[] = {"record", "frames", "checkpoint", "title"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(keys[k], key) == 0) return true;
    return false;
}

// The tree with the recording of another one, whose keys give the order.
static const YamlNode *model_exchange_recording(Arena *arena, const YamlNode *tree, const YamlNode *from) {
    YamlPair *pairs = arena_alloc(arena, (tree->count + from->count + 1) * sizeof *pairs);
    size_t count = 0;
    if (!pairs) return NULL;
    for (size_t i = 0; i < from->count; i++) {
        const YamlPair *pair = &from->pairs[i];
        const YamlNode *own = yaml_get(tree, pair->key->text);
        if (model_is_recording(pair->key->text)) pairs[count++] = *pair;
        else if (own) pairs[count++] = (YamlPair){pair->key, own};
    }
    for (size_t i = 0; i < tree->count; i++) {
        const YamlPair *pair = &tree->pairs[i];
        if (!model_is_recording(pair->key->text) && !yaml_get(from, pair->key->text)) pairs[count++] = *pair;
    }
    return yaml_mapping(arena, pairs, count, tree->place);
}

MrcModel *model_with_recording(const MrcModel *other, const char *path) {
    MrcModel *model = model_create();
    if (!model) return NULL;
    const YamlNode *from = sources_read(model->arena, &model->diagnostics, path, &model->unreadable);
    bool usable = from && from->kind == YAML_MAPPING && other->tree && other->tree->kind == YAML_MAPPING;
    if (usable) model->tree = model_exchange_recording(model->arena, other->tree, from);
    // Places in the tree are those of the files of `other`.
    model->diagnostics.files.count = 0;
    for (size_t i = 0; i < other->diagnostics.files.count; i++)
        diagnostics_add_file(&model->diagnostics, other->diagnostics.files.data[i]);
    model_finish(model, NULL, 0, other->from_file);
    return model;
}

static void model_copy_time(const YamlNode *tree, const char *key, char out[MODEL_TIME_SIZE]) {
    const YamlNode *simulate = yaml_get(tree, "simulate");
    const YamlNode *value = simulate && simulate->kind == YAML_MAPPING ? yaml_get(simulate, key) : NULL;
    if (value && value->kind == YAML_SCALAR) snprintf(out, MODEL_TIME_SIZE, "%s", value->text);
}

MrcStatus model_read_times(const char *path, ModelTimes *times) {
    MrcModel *model = model_create();
    *times = (ModelTimes){0};
    if (!model) return MRC_MEMORY;
    model->tree = sources_read(model->arena, &model->diagnostics, path, &model->unreadable);
    if (model->tree) {
        model_copy_time(model->tree, "duration", times->duration);
        model_copy_time(model->tree, "planned", times->planned);
    }
    bool out_of_memory = model->diagnostics.out_of_memory;
    mrc_model_free(model);
    if (out_of_memory) return MRC_MEMORY;
    return times->duration[0] ? MRC_OK : MRC_MODEL;
}

void mrc_model_free(MrcModel *model) {
    if (!model) return;
    files_release(&model->definition);
    array_free(&model->files);
    array_free(&model->formulas);
    diagnostics_free(&model->diagnostics);
    arena_destroy(model->arena);
    free(model);
}

MrcStatus mrc_model_status(const MrcModel *model) {
    if (!model || model->diagnostics.out_of_memory) return MRC_MEMORY;
    if (model->unreadable) return MRC_READ_FAILED;
    return model->diagnostics.error_count || !model->tree ? MRC_MODEL : MRC_OK;
}

int mrc_model_diagnostic_count(const MrcModel *model) { return (int)model->diagnostics.list.count; }

const MrcDiagnostic *mrc_model_diagnostic(const MrcModel *model, int index) {
    if (index < 0 || index >= mrc_model_diagnostic_count(model)) return NULL;
    return &model->diagnostics.list.data[index].shown;
}

MrcStatus mrc_model_assemble(const MrcModel *model, MrcError *error) {
    const SimDefinition *d = &model->definition;
    if (mrc_model_status(model) != MRC_OK) return error_set(error, MRC_MODEL, "the model has errors");
    if (!d->has_mechanism) return MRC_OK;
    Mechanism *mechanism;
    MechanismSetting setting = {
        .materials = d->materials, .material_count = d->material_count, .gravity = d->gravity};
    MrcStatus status = mechanism_create(&d->mechanism, &setting, &mechanism, error);
    mechanism_destroy(mechanism);
    return status;
}

char *mrc_model_describe(const MrcModel *model) {
    if (mrc_model_status(model) != MRC_OK) return strdup("This model has errors and cannot be simulated.\n");
    return describe_model(&model->definition, model->tree);
}

MrcFacts *mrc_model_facts(const MrcModel *model) {
    MrcFacts *facts = facts_create();
    if (!facts || mrc_model_status(model) != MRC_OK) return facts;
    Footprint footprint = footprint_of(&model->definition);
    footprint_facts(&footprint, &facts->list);
    if (!facts->list.incomplete) return facts;
    mrc_facts_free(facts);
    return NULL;
}

char *mrc_model_text(const MrcModel *model) { return model->tree ? yaml_text(model->tree) : strdup(""); }

const Expression *model_formula(const MrcModel *model, size_t index) {
    return index < model->formulas.count ? model->formulas.data[index] : NULL;
}

const char *model_file(const MrcModel *model, size_t index) {
    return index < model->files.count ? model->files.data[index].path : NULL;
}

// The file that a text of the tree names: the one that was named there, or else under that name.
static size_t model_find_file(const MrcModel *model, const YamlNode *node) {
    size_t found = model->files.count;
    for (size_t i = 0; i < model->files.count; i++) {
        const NamedFile *file = &model->files.data[i];
        if (strcmp(file->name, node->text) != 0) continue;
        bool here = file->place.file == node->place.file && file->place.line == node->place.line;
        if (here || found == model->files.count) found = i;
        if (here && file->place.column == node->place.column) return i;
    }
    return found;
}

static const YamlNode *model_rename(const MrcModel *model, Arena *arena, const YamlNode *node,
                                    const char *(*name)(void *user, size_t index), void *user) {
    if (node->kind == YAML_SCALAR) {
        size_t file = model_find_file(model, node);
        return file < model->files.count ? yaml_scalar(arena, name(user, file), node->place) : node;
    }
    YamlPair *pairs = arena_alloc(arena, (node->count + 1) * sizeof *pairs);
    const YamlNode **items = arena_alloc(arena, (node->count + 1) * sizeof *items);
    for (size_t i = 0; pairs && items && i < node->count; i++) {
        bool mapping = node->kind == YAML_MAPPING;
        items[i] = model_rename(model, arena, mapping ? node->pairs[i].value : node->items[i], name, user);
        if (mapping) pairs[i] = (YamlPair){node->pairs[i].key, items[i]};
        if (!items[i]) return NULL;
    }
    if (!pairs || !items) return NULL;
    return node->kind == YAML_MAPPING ? yaml_mapping(arena, pairs, node->count, node->place)
                                      : yaml_sequence(arena, items, node->count, node->place);
}

char *model_text_with_files(const MrcModel *model, const char *(*name)(void *user, size_t index),
                            void *user) {
    Arena *arena = arena_create();
    const YamlNode *tree = arena ? model_rename(model, arena, model->tree, name, user) : NULL;
    char *text = tree ? yaml_text(tree) : NULL;
    if (arena) arena_destroy(arena);
    return text;
}

const char *model_constant(const MrcModel *model, size_t index, const char **text) {
    const YamlNode *constants = model->tree ? yaml_get(model->tree, "constants") : NULL;
    if (!constants || constants->kind != YAML_MAPPING || index >= constants->count) return NULL;
    const YamlPair *pair = &constants->pairs[index];
    *text = pair->value->kind == YAML_SCALAR ? pair->value->text : "";
    return pair->key->text;
}

const SimDefinition *model_definition(const MrcModel *model) { return &model->definition; }

uint64_t model_hash(const MrcModel *model) { return model->hash; }
