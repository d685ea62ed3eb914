// The schema tables as JSON Schema (draft 2020-12), so that editors complete and check model files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "maraca/maraca.h"
#include "model/schema_sections.h"

// ---- writing JSON --------------------------------------------------------------------------------
// Members of an object have a key, items of an array have none (NULL).
static void schema_json_open(Json *json, const char *key, char bracket) {
    if (key) json_key(json, key);
    if (bracket == '{') json_object_begin(json);
    else json_array_begin(json);
}

static void schema_json_add_string(Json *json, const char *key, const char *value) {
    if (key) json_key(json, key);
    json_string(json, value);
}

// ---- objects and their names ---------------------------------------------------------------------
enum { OBJECTS_MAX = 256 };

typedef struct Objects {
    const SchemaObject *list[OBJECTS_MAX];
    size_t count;
} Objects;

static void schema_json_collect(Objects *objects, const SchemaObject *object) {
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i] == object) return;
    if (objects->count == OBJECTS_MAX) return;
    objects->list[objects->count++] = object;
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        schema_json_collect(objects, each->object);
    for (size_t k = 0; (key = schema_key(object, k)); k++)
        if (key->object) schema_json_collect(objects, key->object);
}

// "#/$defs/wall"; objects of the same name are numbered.
static void schema_json_add_reference(Json *json, const Objects *objects, const SchemaObject *object,
                                      bool definition) {
    char name[96];
    int twin = 1;
    for (size_t i = 0; i < objects->count && objects->list[i] != object; i++)
        if (strcmp(objects->list[i]->name, object->name) == 0) twin++;
    snprintf(name, sizeof name, twin > 1 ? "%s%s_%d" : "%s%s", definition ? "" : "#/$defs/", object->name,
             twin);
    if (definition) schema_json_open(json, name, '{');
    else schema_json_add_string(json, "$ref", name);
}

// ---- one key -------------------------------------------------------------------------------------
static void schema_json_add_description(Json *json, const SchemaKey *key) {
    Text text = {0};
    char buffer[256];
    const char *range = schema_range_words(&key->range, buffer, sizeof buffer);
    text_add_string(&text, key->doc);
    if (range && key->range.low != key->range.high) text_add(&text, " Must be %s.", range);
    text_add(&text, " Expected: %s.", schema_expects(key, buffer, sizeof buffer));
    const SchemaChoice *each;
    for (size_t k = 0; (each = schema_choice(key, k)); k++)
        text_add(&text, " %s: %s.", each->word, each->doc);
    if (key->fallback_words) text_add(&text, " Without it: %s.", key->fallback_words);
    char *whole = text_take(&text);
    schema_json_add_string(json, "description", whole ? whole : key->doc);
    free(whole);
    if (key->fallback && key->fallback[0] != '{') schema_json_add_string(json, "default", key->fallback);
}

static void schema_json_add_range(Json *json, const SchemaRange *range) {
    if (!range->limited) return;
    json_member_number(json, range->low_open ? "exclusiveMinimum" : "minimum", range->low);
    if (isfinite(range->high))
        json_member_number(json, range->high_open ? "exclusiveMaximum" : "maximum", range->high);
}

// A text, or a list of `least` to `length` items (0: any number).
static void schema_json_add_list(Json *json, int least, int length, const char *item) {
    char list[256], limits[64] = "";
    if (length > 0) snprintf(limits, sizeof limits, ", \"minItems\": %d, \"maxItems\": %d", least, length);
    snprintf(list, sizeof list,
             "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": %s}%s}]", item, limits);
    json_member_raw(json, "anyOf", list);
}

static void schema_json_add_vectors(Json *json, int length) {
    char items[320];
    snprintf(items, sizeof items,
             "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": [\"string\", "
             "\"number\"]}, \"minItems\": 3, \"maxItems\": 3}]}");
    schema_json_add_string(json, "type", "array");
    json_member_raw(json, "items", items);
    json_member_number(json, "minItems", length);
    json_member_number(json, "maxItems", length);
}

static void schema_json_add_choices(Json *json, const SchemaKey *key) {
    const SchemaChoice *each;
    schema_json_open(json, "enum", '[');
    for (size_t k = 0; (each = schema_choice(key, k)); k++) schema_json_add_string(json, NULL, each->word);
    json_array_end(json);
}

static void schema_json_add_map(Json *json, const Objects *objects, const SchemaObject *object) {
    schema_json_add_string(json, "type", "object");
    json_member_raw(json, "propertyNames", "{\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*$\"}");
    if (object) {
        schema_json_open(json, "additionalProperties", '{');
        schema_json_add_reference(json, objects, object, false);
        json_object_end(json);
    } else json_member_raw(json, "additionalProperties", "{\"type\": [\"string\", \"number\"]}");
}

static void schema_json_add_objects(Json *json, const Objects *objects, const SchemaObject *object) {
    schema_json_add_string(json, "type", "array");
    schema_json_open(json, "items", '{');
    schema_json_add_reference(json, objects, object, false);
    json_object_end(json);
}

static void schema_json_add_object_or_list(Json *json, const Objects *objects, const SchemaObject *object) {
    schema_json_open(json, "anyOf", '[');
    json_object_begin(json);
    schema_json_add_reference(json, objects, object, false);
    json_object_end(json);
    json_object_begin(json);
    schema_json_add_objects(json, objects, object);
    json_object_end(json);
    json_array_end(json);
}

static void schema_json_add_type(Json *json, const Objects *objects, const SchemaKey *key) {
    const char *number = "[\"string\", \"number\"]";
    int least = key->short_length ? key->short_length : key->length;
    switch (key->kind) {
    case SCHEMA_QUANTITY:
    case SCHEMA_EXPRESSION:
        json_member_raw(json, "type", number);
        schema_json_add_range(json, &key->range);
        break;
    case SCHEMA_INTEGER:
        json_member_raw(json, "type", "[\"integer\", \"string\"]");
        schema_json_add_range(json, &key->range);
        break;
    case SCHEMA_BOOLEAN:
        schema_json_add_string(json, "type", "boolean");
        break;
    case SCHEMA_TEXT:
        json_member_raw(json, "type", "[\"string\", \"number\", \"boolean\"]");
        break;
    case SCHEMA_NAME:
        schema_json_add_string(json, "type", "string");
        break;
    case SCHEMA_NAMES:
        schema_json_add_list(json, key->length, key->length, "\"string\"");
        break;
    case SCHEMA_CHOICE:
        schema_json_add_choices(json, key);
        break;
    case SCHEMA_VECTOR:
        schema_json_add_list(json, least, key->length, number);
        break;
    case SCHEMA_VECTORS:
        schema_json_add_vectors(json, key->length);
        break;
    case SCHEMA_AXIS:
    case SCHEMA_EXPRESSIONS:
        schema_json_add_list(json, 3, 3, number);
        break;
    case SCHEMA_AXES:
    case SCHEMA_CHOICES:
    case SCHEMA_TEXTS:
    case SCHEMA_INCLUDE:
        schema_json_add_list(json, 0, 0, "\"string\"");
        break;
    case SCHEMA_OBJECT:
    case SCHEMA_SINGLE:
        if (schema_may_be_list(key)) schema_json_add_object_or_list(json, objects, key->object);
        else schema_json_add_reference(json, objects, key->object, false);
        break;
    case SCHEMA_MAP:
    case SCHEMA_INPUTS:
        schema_json_add_map(json, objects, key->object);
        break;
    case SCHEMA_LIST:
        schema_json_add_objects(json, objects, key->object);
        break;
    case SCHEMA_CONSTANTS:
        schema_json_add_map(json, objects, NULL);
        break;
    }
}

static void schema_json_add_key(Json *json, const Objects *objects, const SchemaKey *key) {
    schema_json_open(json, key->key, '{');
    schema_json_add_description(json, key);
    schema_json_add_type(json, objects, key);
    json_object_end(json);
}

// ---- one object ----------------------------------------------------------------------------------
static void schema_json_add_required(Json *json, const SchemaObject *object) {
    schema_json_open(json, "required", '[');
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].required) schema_json_add_string(json, NULL, object->keys[i].key);
    json_array_end(json);
}

static void schema_json_add_one_required(Json *json, const char *key, size_t length) {
    schema_json_open(json, NULL, '{');
    schema_json_open(json, "required", '[');
    char name[96];
    snprintf(name, sizeof name, "%.*s", (int)length, key);
    json_string(json, name);
    json_array_end(json);
    json_object_end(json);
}

// One of the keys of a group, or none if that is allowed.
static void schema_json_add_group(Json *json, const char *group, bool needed) {
    size_t length;
    const char *words = group;
    schema_json_open(json, NULL, '{');
    schema_json_open(json, "oneOf", '[');
    for (const char *word; (word = schema_next_word(&words, &length));)
        schema_json_add_one_required(json, word, length);
    if (!needed) {
        schema_json_open(json, NULL, '{');
        schema_json_open(json, "not", '{');
        schema_json_open(json, "anyOf", '[');
        for (const char *word; (word = schema_next_word(&group, &length));)
            schema_json_add_one_required(json, word, length);
        json_array_end(json);
        json_object_end(json);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

// An alternative, with the keys that it needs beside it.
static void schema_json_add_alternative(Json *json, const SchemaObject *object,
                                        const SchemaAlternative *alternative) {
    const SchemaKey *key;
    schema_json_open(json, NULL, '{');
    schema_json_open(json, "required", '[');
    schema_json_add_string(json, NULL, alternative->key);
    for (size_t k = object->key_count; (key = schema_key(object, k)); k++)
        if (key->required && schema_key_alternative(object, key) == alternative)
            schema_json_add_string(json, NULL, key->key);
    json_array_end(json);
    json_object_end(json);
}

// Exactly one, or at most one, key of each group, and exactly one of the alternatives.
static void schema_json_add_groups(Json *json, const SchemaObject *object) {
    if (!object->exactly_one[0] && !object->at_most_one[0] && !schema_alternative(object, 0)) return;
    schema_json_open(json, "allOf", '[');
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->exactly_one[i]; i++)
        schema_json_add_group(json, object->exactly_one[i], true);
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->at_most_one[i]; i++)
        schema_json_add_group(json, object->at_most_one[i], false);
    if (schema_alternative(object, 0)) {
        const SchemaAlternative *each;
        schema_json_open(json, NULL, '{');
        schema_json_open(json, "oneOf", '[');
        for (size_t k = 0; (each = schema_alternative(object, k)); k++)
            schema_json_add_alternative(json, object, each);
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void schema_json_add_mapping(Json *json, const Objects *objects, const SchemaObject *object) {
    schema_json_add_string(json, "type", "object");
    json_member_raw(json, "additionalProperties", "false");
    schema_json_open(json, "properties", '{');
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++) {
        schema_json_open(json, each->key, '{');
        schema_json_add_string(json, "description", each->doc);
        schema_json_add_reference(json, objects, each->object, false);
        json_object_end(json);
    }
    for (size_t k = 0; (key = schema_key(object, k)); k++) schema_json_add_key(json, objects, key);
    json_object_end(json);
    if (object == &schema_root) {
        // What an included file brings need not be here.
        json_member_raw(json, "if", "{\"required\": [\"include\"]}");
        schema_json_open(json, "else", '{');
        schema_json_add_required(json, object);
        json_object_end(json);
    } else schema_json_add_required(json, object);
    schema_json_add_groups(json, object);
}

static bool schema_json_needs_nothing(const SchemaObject *object) {
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].required) return false;
    return !object->bare && !schema_alternative(object, 0) && !object->exactly_one[0];
}

// A bare word may stand for an alternative that needs no keys.
static void schema_json_add_words(Json *json, const SchemaObject *object) {
    const SchemaAlternative *each;
    schema_json_open(json, NULL, '{');
    schema_json_open(json, "enum", '[');
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        if (schema_json_needs_nothing(each->object)) schema_json_add_string(json, NULL, each->key);
    json_array_end(json);
    json_object_end(json);
}

// What may stand alone for a mapping with one key.
static void schema_json_add_short_form(Json *json, const Objects *objects, const SchemaObject *object) {
    schema_json_open(json, NULL, '{');
    schema_json_add_type(json, objects, schema_find_key(object, object->short_key));
    json_object_end(json);
}

static void schema_json_add_object(Json *json, const Objects *objects, const SchemaObject *object) {
    bool words = false;
    const SchemaAlternative *each;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        words = words || schema_json_needs_nothing(each->object);
    schema_json_add_string(json, "description", object->doc);
    if (object->bare) {
        schema_json_add_type(json, objects, &object->keys[0]);
        return;
    }
    if (!words && !object->short_key) {
        schema_json_add_mapping(json, objects, object);
        return;
    }
    schema_json_open(json, "anyOf", '[');
    if (words) schema_json_add_words(json, object);
    if (object->short_key) schema_json_add_short_form(json, objects, object);
    schema_json_open(json, NULL, '{');
    schema_json_add_mapping(json, objects, object);
    json_object_end(json);
    json_array_end(json);
}

char *mrc_model_schema(void) {
    Objects objects = {.count = 0};
    Json json = {.indent = 2};
    schema_json_collect(&objects, &schema_root);
    schema_json_open(&json, NULL, '{');
    schema_json_add_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    schema_json_add_string(&json, "title", "Maraca model file");
    schema_json_add_object(&json, &objects, &schema_root);
    schema_json_open(&json, "$defs", '{');
    for (size_t i = 1; i < objects.count; i++) {
        schema_json_add_reference(&json, &objects, objects.list[i], true);
        schema_json_add_object(&json, &objects, objects.list[i]);
        json_object_end(&json);
    }
    json_object_end(&json);
    json_object_end(&json);
    return json_take(&json);
}
