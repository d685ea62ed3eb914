#include "study/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "model/yaml.h"

// Facts about the machine, not about the model.
static bool result_is_of_machine(const char *name) {
    static const char *const names[] = {"real_time_factor", "options.threads", "options.resumed", "settled"};
    static const char seconds[] = "_seconds";
    size_t length = strlen(name), tail = sizeof seconds - 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return length >= tail && strcmp(name + length - tail, seconds) == 0;
}

MrcStatus study_result_take(StudyResult *result, MrcStatus status, const FactList *facts,
                            const MrcError *error) {
    *result = (StudyResult){.arena = arena_create(), .status = status};
    size_t most = facts ? facts->facts.count : 0;
    if (result->arena) result->facts = arena_alloc(result->arena, (most + 1) * sizeof *result->facts);
    bool failed = !result->facts;
    if (!failed && status != MRC_OK) {
        result->message = arena_strdup(result->arena, error->text);
        failed = !result->message;
    }
    for (size_t i = 0; i < most && !failed; i++) {
        const MrcFact *fact = &facts->facts.data[i].value;
        if (fact->kind == MRC_FACT_TEXT || fact->kind == MRC_FACT_EMPTY || result_is_of_machine(fact->name))
            continue;
        StudyFact *kept = &result->facts[result->count++];
        *kept = (StudyFact){arena_strdup(result->arena, fact->name), fact->number,
                            arena_strdup(result->arena, fact->unit ? fact->unit : "1")};
        failed = !kept->name || !kept->unit;
    }
    if (!failed) return MRC_OK;
    study_result_free(result);
    return MRC_MEMORY;
}

MrcStatus study_result_write(const StudyResult *result, const char *path, MrcError *error) {
    Json json = {.indent = 0};
    json_object_begin(&json);
    json_member_string(&json, "status", mrc_status_name(result->status));
    json_member_string(&json, "message", result->message);
    json_key(&json, "facts");
    json_object_begin(&json);
    for (int i = 0; i < result->count; i++) {
        json_key(&json, result->facts[i].name);
        json_array_begin(&json);
        json_number(&json, result->facts[i].value);
        json_string(&json, result->facts[i].unit);
        json_array_end(&json);
    }
    json_object_end(&json);
    json_object_end(&json);
    const char *text = json_text(&json);
    FileWriter writer;
    MrcStatus status = text ? file_open(&writer, path, error) : error_memory(error, "the result");
    if (status == MRC_OK) {
        fputs(text, writer.stream);
        fputc('\n', writer.stream);
        status = file_commit(&writer, error);
    }
    json_free(&json);
    return status;
}

static bool result_status(const char *name, MrcStatus *status) {
#define RESULT_STATUS(code, exit_status, message)                                                            \
    if (strcmp(name, #code) == 0) {                                                                          \
        *status = MRC_##code;                                                                                \
        return true;                                                                                         \
    }
    MRC_STATUS_TABLE(RESULT_STATUS)
#undef RESULT_STATUS
    return false;
}

static const char *result_text(const YamlNode *node) {
    return node && node->kind == YAML_SCALAR && !yaml_is_nothing(node) ? node->text : NULL;
}

static bool result_understand(StudyResult *result, const YamlNode *root) {
    if (!root || root->kind != YAML_MAPPING) return false;
    const YamlNode *facts = yaml_get(root, "facts"), *status = yaml_get(root, "status");
    if (!facts || facts->kind != YAML_MAPPING || !result_text(status)) return false;
    if (!result_status(status->text, &result->status)) return false;
    result->message = result_text(yaml_get(root, "message"));
    result->facts = arena_alloc(result->arena, (facts->count + 1) * sizeof *result->facts);
    if (!result->facts) return false;
    for (size_t i = 0; i < facts->count; i++) {
        const YamlNode *pair = facts->pairs[i].value;
        if (pair->kind != YAML_SEQUENCE || pair->count != 2 || !result_text(pair->items[1])) return false;
        const char *number = result_text(pair->items[0]);
        result->facts[result->count++] = (StudyFact){
            facts->pairs[i].key->text, number ? number_read(number, NULL) : NAN, pair->items[1]->text};
    }
    return true;
}

bool study_result_read(StudyResult *result, const char *path) {
    char *text = NULL;
    size_t length;
    MrcError ignored;
    *result = (StudyResult){0};
    if (file_read(path, 16 << 20, &text, &length, &ignored) != MRC_OK) return false;
    result->arena = arena_create();
    Diagnostics diagnostics = {.arena = result->arena};
    bool good = false;
    if (result->arena) {
        int file = diagnostics_add_file(&diagnostics, path);
        good = result_understand(result, yaml_parse(result->arena, text, length, file, false, &diagnostics));
    }
    diagnostics_free(&diagnostics);
    free(text);
    if (!good) study_result_free(result);
    return good;
}

const StudyFact *study_result_find(const StudyResult *result, const char *name) {
    for (int i = 0; i < result->count; i++)
        if (strcmp(result->facts[i].name, name) == 0) return &result->facts[i];
    return NULL;
}

void study_result_free(StudyResult *result) {
    if (result->arena) arena_destroy(result->arena);
    *result = (StudyResult){0};
}
