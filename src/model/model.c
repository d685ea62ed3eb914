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
static uint64_t model_compute_hash(const MrcModel *model) {
    char *text = yaml_text(model->tree);
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
        files_read(&loader, &model->definition);
        sim_resolve(&model->definition);
        check_model(&loader, &model->definition);
        model->hash = model_compute_hash(model);
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

static void model_copy_time(const YamlNode *tree, const char *key, char out[MODEL_TIME_SIZE]) {
    const YamlNode *simulate = yaml_get(tree, "simulate");
    const YamlNode *value = simulate && simulate->kind == YAML_MAPPING ? yaml_get(simulate, key) : NULL;
    if (value && value->kind == YAML_SCALAR) snprintf(out, MODEL_TIME_SIZE, "%s", value->text);
}

bool model_read_times(const char *path, ModelTimes *times) {
    MrcModel *model = model_create();
    *times = (ModelTimes){0};
    if (!model) return false;
    model->tree = sources_read(model->arena, &model->diagnostics, path, &model->unreadable);
    if (model->tree) {
        model_copy_time(model->tree, "duration", times->duration);
        model_copy_time(model->tree, "planned", times->planned);
    }
    mrc_model_free(model);
    return times->duration[0] != '\0';
}

void mrc_model_free(MrcModel *model) {
    if (!model) return;
    files_release(&model->definition);
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

const SimDefinition *model_definition(const MrcModel *model) { return &model->definition; }

uint64_t model_hash(const MrcModel *model) { return model->hash; }
