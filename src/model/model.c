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
    uint64_t hash;
};

static MrcModel *create(void) {
    MrcModel *model = calloc(1, sizeof *model);
    if (!model) return NULL;
    model->arena = arena_create();
    model->diagnostics.arena = model->arena;
    if (model->arena) return model;
    free(model);
    return NULL;
}

// The file's text and what is in the files it names.
static uint64_t hash_model(const MrcModel *model) {
    char *text = yaml_text(model->tree);
    uint64_t hash = text ? hash_bytes(HASH_START, text, strlen(text)) : 0;
    free(text);
    return files_hash(hash, &model->definition);
}

static void finish(MrcModel *model, const char *const *overrides, int override_count, bool from_file) {
    Loader loader = {.arena = model->arena, .diagnostics = &model->diagnostics, .from_file = from_file};
    for (int i = 0; model->tree && i < override_count; i++)
        model->tree = overrides_apply(model->arena, &model->diagnostics, model->tree, overrides[i]);
    if (model->tree) {
        loader_load(&loader, model->tree, &model->definition);
        loader_finish_signals(&loader, &model->definition.mechanism);
        files_read(&loader, &model->definition);
        sim_resolve(&model->definition);
        check_model(&loader, &model->definition);
        model->hash = hash_model(model);
    }
    loader_free(&loader);
    diagnostics_finish(&model->diagnostics);
}

MrcModel *mrc_model_load(const char *path, const char *const *overrides, int override_count) {
    MrcModel *model = create();
    if (!model) return NULL;
    model->tree = sources_read(model->arena, &model->diagnostics, path, &model->unreadable);
    finish(model, overrides, override_count, true);
    return model;
}

MrcModel *mrc_model_parse(const char *text, uint64_t length, const char *name, const char *const *overrides,
                          int override_count) {
    MrcModel *model = create();
    if (!model) return NULL;
    model->tree = sources_parse(model->arena, &model->diagnostics, text, length, name);
    finish(model, overrides, override_count, false);
    return model;
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

char *mrc_model_text(const MrcModel *model) { return model->tree ? yaml_text(model->tree) : strdup(""); }

const SimDefinition *model_definition(const MrcModel *model) { return &model->definition; }

uint64_t model_hash(const MrcModel *model) { return model->hash; }
