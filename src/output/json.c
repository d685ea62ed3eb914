#include "output/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/text.h"

// ---- the text ------------------------------------------------------------------------------------
static void json_add(Json *json, const char *text, size_t length) {
    if (json->failed || !array_reserve(&json->text, json->text.count + length + 1)) {
        json->failed = true;
        return;
    }
    memcpy(json->text.data + json->text.count, text, length);
    json->text.count += length;
    json->text.data[json->text.count] = '\0'; // always a C string; not counted
}

static void json_add_text(Json *json, const char *text) { json_add(json, text, strlen(text)); }

static void json_new_line(Json *json) {
    if (json->indent == 0) return;
    json_add_text(json, "\n");
    for (int i = 0; i < json->depth * json->indent; i++) json_add_text(json, " ");
}

static void json_add_character(Json *json, const char *character, size_t length) {
    static const char plain[] = "\"\\\b\f\n\r\t", short_form[] = "\"\\bfnrt";
    const char *found = length == 1 ? memchr(plain, *character, sizeof plain - 1) : NULL;
    char escape[8];
    if (found) {
        snprintf(escape, sizeof escape, "\\%c", short_form[found - plain]);
        json_add_text(json, escape);
    } else if (length == 1 && (unsigned char)*character < 0x20) {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*character);
        json_add_text(json, escape);
    } else {
        json_add(json, character, length);
    }
}

static void json_add_quoted(Json *json, const char *text) {
    json_add_text(json, "\"");
    while (*text) {
        size_t length = text_utf8(text);
        if (length) json_add_character(json, text, length);
        else json_add_text(json, "\xef\xbf\xbd"); // U+FFFD, the replacement character
        text += length ? length : 1;
    }
    json_add_text(json, "\"");
}

// ---- the order -----------------------------------------------------------------------------------
// The comma and the new line before the next thing in an object or array.
static void json_separate(Json *json) {
    bool *empty = &json->empty[json->depth - 1];
    if (!*empty) json_add_text(json, json->indent ? "," : ", ");
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
    json_add_text(json, text);
    json_value_end(json);
}

static void json_open(Json *json, char bracket) {
    json_value_begin(json);
    assert(json->depth < JSON_DEPTH_MAX);
    json_add(json, &bracket, 1);
    json->open[json->depth] = bracket;
    json->empty[json->depth++] = true;
}

static void json_close(Json *json, char open, char bracket) {
    assert(json->depth > 0 && json->open[json->depth - 1] == open && "an end matches its begin");
    assert(!json->keyed && "a key has its value");
    (void)open;
    bool empty = json->empty[--json->depth];
    if (!empty) json_new_line(json);
    json_add(json, &bracket, 1);
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
    json_add_quoted(json, name);
    json_add_text(json, ": ");
    json->keyed = true;
}

// ---- values --------------------------------------------------------------------------------------
void json_string(Json *json, const char *text) {
    if (!text) {
        json_null(json);
        return;
    }
    json_value_begin(json);
    json_add_quoted(json, text);
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

// ---- the end -------------------------------------------------------------------------------------
const char *json_text(Json *json) {
    assert(json->done && "the document is complete");
    if (json->indent && !json->failed && json->text.data[json->text.count - 1] != '\n')
        json_add_text(json, "\n");
    return json->failed ? NULL : json->text.data;
}

char *json_take(Json *json) {
    const char *text = json_text(json);
    char *copy = text ? strdup(text) : NULL;
    json_free(json);
    return copy;
}

void json_free(Json *json) {
    array_free(&json->text);
    *json = (Json){.indent = json->indent};
}

// ---- facts ---------------------------------------------------------------------------------------
static int json_shared_groups(const Fact *a, const Fact *b) {
    int shared = 0;
    while (a && shared < a->depth && shared < b->depth && strcmp(a->groups[shared], b->groups[shared]) == 0)
        shared++;
    return shared;
}

void json_facts(Json *json, const FactList *list) {
    const Fact *last = NULL;
    int open = 0;
    for (size_t k = 0; k < list->facts.count; k++) {
        const Fact *fact = &list->facts.data[k];
        int shared = json_shared_groups(last, fact);
        for (; open > shared; open--) json_object_end(json);
        for (; open < fact->depth; open++) json_key(json, fact->groups[open]), json_object_begin(json);
        json_key(json, fact->key);
        if (fact->kind == FACT_NUMBER) json_number(json, fact->number);
        else if (fact->kind == FACT_COUNT) json_integer(json, fact->count);
        else if (fact->kind == FACT_FLAG) json_bool(json, fact->flag);
        else json_string(json, fact->text);
        last = fact;
    }
    for (; open > 0; open--) json_object_end(json);
}
