#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maraca/maraca.h"

static void json_new_line(Json *json) {
    if (json->indent > 0) text_add(&json->text, "\n%*s", json->depth * json->indent, "");
}

// ---- the order -----------------------------------------------------------------------------------
// The comma and the new line before the next thing in an object or array.
static void json_separate(Json *json) {
    bool *empty = &json->empty[json->depth - 1];
    if (!*empty) text_add_string(&json->text, json->indent ? "," : ", ");
    *empty = false;
    json_new_line(json);
}

static void json_value_begin(Json *json) {
    assert(!json->done && "a document is one value");
    bool in_object = json->depth > 0 && json->open[json->depth - 1] == '{';
    assert(json->keyed == in_object && "in an object each value has its key");
    (void)in_object;
    if (json->depth > 0 && !json->keyed) json_separate(json);
    json->keyed = false;
}

static void json_value_end(Json *json) { json->done = json->depth == 0; }

static void json_literal(Json *json, const char *text) {
    json_value_begin(json);
    text_add_string(&json->text, text);
    json_value_end(json);
}

static void json_open(Json *json, char bracket) {
    json_value_begin(json);
    assert(json->depth < JSON_DEPTH_MAX);
    text_add_bytes(&json->text, &bracket, 1);
    json->open[json->depth] = bracket;
    json->empty[json->depth++] = true;
}

static void json_close(Json *json, char open, char bracket) {
    assert(json->depth > 0 && json->open[json->depth - 1] == open && "an end matches its begin");
    assert(!json->keyed && "a key has its value");
    (void)open;
    bool empty = json->empty[--json->depth];
    if (!empty) json_new_line(json);
    text_add_bytes(&json->text, &bracket, 1);
    json_value_end(json);
}

void json_object_begin(Json *json) { json_open(json, '{'); }

void json_object_end(Json *json) { json_close(json, '{', '}'); }

void json_array_begin(Json *json) { json_open(json, '['); }

void json_array_end(Json *json) { json_close(json, '[', ']'); }

void json_key(Json *json, const char *name) {
    assert(json->depth > 0 && json->open[json->depth - 1] == '{' && "a key belongs in an object");
    assert(!json->keyed && "a key has its value");
    json_separate(json);
    text_add_quoted(&json->text, name);
    text_add_string(&json->text, ": ");
    json->keyed = true;
}

// ---- values --------------------------------------------------------------------------------------
void json_string(Json *json, const char *text) {
    if (!text) {
        json_null(json);
        return;
    }
    json_value_begin(json);
    text_add_quoted(&json->text, text);
    json_value_end(json);
}

void json_number(Json *json, double value) {
    char buffer[TEXT_NUMBER_SIZE] = "null";
    if (isfinite(value)) text_number(buffer, value);
    json_literal(json, buffer);
}

void json_integer(Json *json, int64_t value) {
    char buffer[TEXT_NUMBER_SIZE];
    snprintf(buffer, sizeof buffer, "%lld", (long long)value);
    json_literal(json, buffer);
}

void json_bool(Json *json, bool value) { json_literal(json, value ? "true" : "false"); }

void json_null(Json *json) { json_literal(json, "null"); }

void json_raw(Json *json, const char *text) { json_literal(json, text); }

void json_member_string(Json *json, const char *key, const char *text) {
    json_key(json, key);
    json_string(json, text);
}

void json_member_number(Json *json, const char *key, double value) {
    json_key(json, key);
    json_number(json, value);
}

void json_member_integer(Json *json, const char *key, int64_t value) {
    json_key(json, key);
    json_integer(json, value);
}

void json_member_bool(Json *json, const char *key, bool value) {
    json_key(json, key);
    json_bool(json, value);
}

void json_member_raw(Json *json, const char *key, const char *text) {
    json_key(json, key);
    json_raw(json, text);
}

void json_numbers(Json *json, const double *values, int count) {
    json_array_begin(json);
    for (int i = 0; i < count; i++) json_number(json, values[i]);
    json_array_end(json);
}

// ---- the end -------------------------------------------------------------------------------------
const char *json_text(Json *json) {
    assert(json->done && "the document is complete");
    if (json->indent && !json->text.failed && json->text.data[json->text.length - 1] != '\n')
        text_add_string(&json->text, "\n");
    return json->text.failed ? NULL : json->text.data;
}

char *json_take(Json *json) {
    const char *text = json_text(json);
    char *copy = text ? strdup(text) : NULL;
    json_free(json);
    return copy;
}

void json_free(Json *json) {
    text_free(&json->text);
    *json = (Json){.indent = json->indent};
}

char *mrc_json_quoted(const char *text) {
    Json json = {0};
    json_string(&json, text);
    return json_take(&json);
}

// ---- facts ---------------------------------------------------------------------------------------
static int json_shared_groups(const Fact *a, const Fact *b) {
    int shared = 0;
    while (a && shared < a->depth && shared < b->depth &&
           strcmp(a->groups[shared].name, b->groups[shared].name) == 0)
        shared++;
    return shared;
}

// The key of a member; items of an array have none.
static void json_fact_key(Json *json, const Fact *fact, int depth, const char *key) {
    if (depth == 0 || !fact->groups[depth - 1].array) json_key(json, key);
}

static void json_fact_begin(Json *json, const Fact *fact, int depth) {
    json_fact_key(json, fact, depth, fact->groups[depth].name);
    if (fact->groups[depth].array) json_array_begin(json);
    else json_object_begin(json);
}

static void json_fact_end(Json *json, const FactGroup *group) {
    if (group->array) json_array_end(json);
    else json_object_end(json);
}

static void json_fact_value(Json *json, const MrcFact *value) {
    switch (value->kind) {
    case MRC_FACT_NUMBER:
        json_number(json, value->number);
        break;
    case MRC_FACT_COUNT:
        json_integer(json, value->count);
        break;
    case MRC_FACT_FLAG:
        json_bool(json, value->flag);
        break;
    case MRC_FACT_TEXT:
        json_string(json, value->text);
        break;
    case MRC_FACT_EMPTY:
        json_raw(json, value->flag ? "[]" : "{}");
        break;
    }
}

void json_facts(Json *json, const FactList *list) {
    const Fact *last = NULL;
    int open = 0;
    for (size_t k = 0; k < list->facts.count; k++) {
        const Fact *fact = &list->facts.data[k];
        int shared = json_shared_groups(last, fact);
        for (; open > shared; open--) json_fact_end(json, &last->groups[open - 1]);
        for (; open < fact->depth; open++) json_fact_begin(json, fact, open);
        json_fact_key(json, fact, fact->depth, fact->key);
        json_fact_value(json, &fact->value);
        last = fact;
    }
    for (; open > 0; open--) json_fact_end(json, &last->groups[open - 1]);
}

char *json_of_facts(const FactList *list) {
    Json json = {.indent = 2};
    if (list->incomplete) return NULL;
    json_object_begin(&json);
    json_facts(&json, list);
    json_object_end(&json);
    return json_take(&json);
}

char *mrc_facts_json(const MrcFacts *facts) {
    FactList none = {0};
    return json_of_facts(facts ? &facts->list : &none);
}
