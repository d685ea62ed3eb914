// The schema tables as JSON Schema (draft 2020-12), so that editors complete and check model files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "maraca/maraca.h"
#include "model/schema_sections.h"

// ---- writing JSON --------------------------------------------------------------------------------
typedef struct Writer {
    Text text;
    int depth;
    bool first;
} Writer;

static void next_line(Writer *json) {
    if (!json->first) text_add_bytes(&json->text, ",", 1);
    if (json->depth > 0) text_add(&json->text, "\n%*s", 2 * json->depth, "");
    json->first = false;
}

static void open_with(Writer *json, const char *key, const char *bracket) {
    next_line(json);
    if (key) {
        text_add_json(&json->text, key);
        text_add_string(&json->text, ": ");
    }
    text_add_string(&json->text, bracket);
    json->depth++;
    json->first = true;
}

static void close_with(Writer *json, const char *bracket) {
    json->depth--;
    if (!json->first) text_add(&json->text, "\n%*s", 2 * json->depth, "");
    text_add_string(&json->text, bracket);
    json->first = false;
}

static void add_string(Writer *json, const char *key, const char *value) {
    next_line(json);
    if (key) {
        text_add_json(&json->text, key);
        text_add_string(&json->text, ": ");
    }
    text_add_json(&json->text, value);
}

// Something that is JSON already.
static void add_raw(Writer *json, const char *key, const char *value) {
    next_line(json);
    text_add_json(&json->text, key);
    text_add(&json->text, ": %s", value);
}

static void add_number(Writer *json, const char *key, double value) {
    char number[32];
    snprintf(number, sizeof number, "%.15g", value);
    add_raw(json, key, number);
}

// ---- objects and their names ---------------------------------------------------------------------
enum { OBJECTS_MAX = 256 };

typedef struct Objects {
    const SchemaObject *list[OBJECTS_MAX];
    size_t count;
} Objects;

static void collect(Objects *objects, const SchemaObject *object) {
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i] == object) return;
    if (objects->count == OBJECTS_MAX) return;
    objects->list[objects->count++] = object;
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++) collect(objects, each->object);
    for (size_t k = 0; (key = schema_key(object, k)); k++)
        if (key->object) collect(objects, key->object);
}

// "#/$defs/wall"; objects of the same name are numbered.
static void add_reference(Writer *json, const Objects *objects, const SchemaObject *object, bool definition) {
    char name[96];
    int twin = 1;
    for (size_t i = 0; i < objects->count && objects->list[i] != object; i++)
        if (strcmp(objects->list[i]->name, object->name) == 0) twin++;
    snprintf(name, sizeof name, twin > 1 ? "%s%s_%d" : "%s%s", definition ? "" : "#/$defs/", object->name,
             twin);
    if (definition) open_with(json, name, "{");
    else add_string(json, "$ref", name);
}

// ---- one key -------------------------------------------------------------------------------------
static void add_description(Writer *json, const SchemaKey *key) {
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
    add_string(json, "description", whole ? whole : key->doc);
    free(whole);
    if (key->fallback && key->fallback[0] != '{') add_string(json, "default", key->fallback);
}

static void add_range(Writer *json, const SchemaRange *range) {
    if (!range->limited) return;
    add_number(json, range->low_open ? "exclusiveMinimum" : "minimum", range->low);
    if (isfinite(range->high))
        add_number(json, range->high_open ? "exclusiveMaximum" : "maximum", range->high);
}

// A text, or a list of `least` to `length` items (0: any number).
static void add_list(Writer *json, int least, int length, const char *item) {
    char list[256], limits[64] = "";
    if (length > 0) snprintf(limits, sizeof limits, ", \"minItems\": %d, \"maxItems\": %d", least, length);
    snprintf(list, sizeof list,
             "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": %s}%s}]", item, limits);
    add_raw(json, "anyOf", list);
}

static void add_vectors(Writer *json, int length) {
    char items[320];
    snprintf(items, sizeof items,
             "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": [\"string\", "
             "\"number\"]}, \"minItems\": 3, \"maxItems\": 3}]}");
    add_string(json, "type", "array");
    add_raw(json, "items", items);
    add_number(json, "minItems", length);
    add_number(json, "maxItems", length);
}

static void add_choices(Writer *json, const SchemaKey *key) {
    const SchemaChoice *each;
    open_with(json, "enum", "[");
    for (size_t k = 0; (each = schema_choice(key, k)); k++) add_string(json, NULL, each->word);
    close_with(json, "]");
}

static void add_map(Writer *json, const Objects *objects, const SchemaObject *object) {
    add_string(json, "type", "object");
    add_raw(json, "propertyNames", "{\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*$\"}");
    if (object) {
        open_with(json, "additionalProperties", "{");
        add_reference(json, objects, object, false);
        close_with(json, "}");
    } else add_raw(json, "additionalProperties", "{\"type\": [\"string\", \"number\"]}");
}

static void add_objects(Writer *json, const Objects *objects, const SchemaObject *object) {
    add_string(json, "type", "array");
    open_with(json, "items", "{");
    add_reference(json, objects, object, false);
    close_with(json, "}");
}

static void add_type(Writer *json, const Objects *objects, const SchemaKey *key) {
    const char *number = "[\"string\", \"number\"]";
    int least = key->short_length ? key->short_length : key->length;
    switch (key->kind) {
    case SCHEMA_QUANTITY:
    case SCHEMA_EXPRESSION:
        add_raw(json, "type", number);
        add_range(json, &key->range);
        break;
    case SCHEMA_INTEGER:
        add_raw(json, "type", "[\"integer\", \"string\"]");
        add_range(json, &key->range);
        break;
    case SCHEMA_BOOLEAN:
        add_string(json, "type", "boolean");
        break;
    case SCHEMA_TEXT:
        add_raw(json, "type", "[\"string\", \"number\", \"boolean\"]");
        break;
    case SCHEMA_NAME:
        add_string(json, "type", "string");
        break;
    case SCHEMA_NAMES:
        add_list(json, key->length, key->length, "\"string\"");
        break;
    case SCHEMA_CHOICE:
        add_choices(json, key);
        break;
    case SCHEMA_VECTOR:
        add_list(json, least, key->length, number);
        break;
    case SCHEMA_VECTORS:
        add_vectors(json, key->length);
        break;
    case SCHEMA_AXIS:
    case SCHEMA_EXPRESSIONS:
        add_list(json, 3, 3, number);
        break;
    case SCHEMA_AXES:
    case SCHEMA_TEXTS:
    case SCHEMA_INCLUDE:
        add_list(json, 0, 0, "\"string\"");
        break;
    case SCHEMA_OBJECT:
    case SCHEMA_SINGLE:
        add_reference(json, objects, key->object, false);
        break;
    case SCHEMA_MAP:
        add_map(json, objects, key->object);
        break;
    case SCHEMA_LIST:
        add_objects(json, objects, key->object);
        break;
    case SCHEMA_CONSTANTS:
        add_map(json, objects, NULL);
        break;
    }
}

static void add_key(Writer *json, const Objects *objects, const SchemaKey *key) {
    open_with(json, key->key, "{");
    add_description(json, key);
    add_type(json, objects, key);
    close_with(json, "}");
}

// ---- one object ----------------------------------------------------------------------------------
static void add_required(Writer *json, const SchemaObject *object) {
    open_with(json, "required", "[");
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].required) add_string(json, NULL, object->keys[i].key);
    close_with(json, "]");
}

static void add_one_required(Writer *json, const char *key, size_t length) {
    open_with(json, NULL, "{");
    open_with(json, "required", "[");
    next_line(json);
    text_add(&json->text, "\"%.*s\"", (int)length, key);
    close_with(json, "]");
    close_with(json, "}");
}

// One of the keys of a group, or none if that is allowed.
static void add_group(Writer *json, const char *group, bool needed) {
    size_t length;
    const char *words = group;
    open_with(json, NULL, "{");
    open_with(json, "oneOf", "[");
    for (const char *word; (word = schema_next_word(&words, &length));) add_one_required(json, word, length);
    if (!needed) {
        open_with(json, NULL, "{");
        open_with(json, "not", "{");
        open_with(json, "anyOf", "[");
        for (const char *word; (word = schema_next_word(&group, &length));)
            add_one_required(json, word, length);
        close_with(json, "]");
        close_with(json, "}");
        close_with(json, "}");
    }
    close_with(json, "]");
    close_with(json, "}");
}

// An alternative, with the keys that it needs beside it.
static void add_alternative(Writer *json, const SchemaObject *object, const SchemaAlternative *alternative) {
    const SchemaKey *key;
    open_with(json, NULL, "{");
    open_with(json, "required", "[");
    add_string(json, NULL, alternative->key);
    for (size_t k = object->key_count; (key = schema_key(object, k)); k++)
        if (key->required && schema_key_alternative(object, key) == alternative)
            add_string(json, NULL, key->key);
    close_with(json, "]");
    close_with(json, "}");
}

// Exactly one, or at most one, key of each group, and exactly one of the alternatives.
static void add_groups(Writer *json, const SchemaObject *object) {
    if (!object->exactly_one[0] && !object->at_most_one[0] && !schema_alternative(object, 0)) return;
    open_with(json, "allOf", "[");
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->exactly_one[i]; i++)
        add_group(json, object->exactly_one[i], true);
    for (int i = 0; i < SCHEMA_GROUPS_MAX && object->at_most_one[i]; i++)
        add_group(json, object->at_most_one[i], false);
    if (schema_alternative(object, 0)) {
        const SchemaAlternative *each;
        open_with(json, NULL, "{");
        open_with(json, "oneOf", "[");
        for (size_t k = 0; (each = schema_alternative(object, k)); k++) add_alternative(json, object, each);
        close_with(json, "]");
        close_with(json, "}");
    }
    close_with(json, "]");
}

static void add_mapping(Writer *json, const Objects *objects, const SchemaObject *object) {
    add_string(json, "type", "object");
    add_raw(json, "additionalProperties", "false");
    open_with(json, "properties", "{");
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++) {
        open_with(json, each->key, "{");
        add_string(json, "description", each->doc);
        add_reference(json, objects, each->object, false);
        close_with(json, "}");
    }
    for (size_t k = 0; (key = schema_key(object, k)); k++) add_key(json, objects, key);
    close_with(json, "}");
    if (object == &schema_root) {
        // What an included file brings need not be here.
        add_raw(json, "if", "{\"required\": [\"include\"]}");
        open_with(json, "else", "{");
        add_required(json, object);
        close_with(json, "}");
    } else add_required(json, object);
    add_groups(json, object);
}

static bool needs_nothing(const SchemaObject *object) {
    for (size_t i = 0; i < object->key_count; i++)
        if (object->keys[i].required) return false;
    return !object->bare && !schema_alternative(object, 0) && !object->exactly_one[0];
}

// A bare word may stand for an alternative that needs no keys.
static void add_words(Writer *json, const SchemaObject *object) {
    const SchemaAlternative *each;
    open_with(json, NULL, "{");
    open_with(json, "enum", "[");
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        if (needs_nothing(each->object)) add_string(json, NULL, each->key);
    close_with(json, "]");
    close_with(json, "}");
}

static void add_object(Writer *json, const Objects *objects, const SchemaObject *object) {
    bool words = false;
    const SchemaAlternative *each;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        words = words || needs_nothing(each->object);
    add_string(json, "description", object->doc);
    if (object->bare) {
        add_type(json, objects, &object->keys[0]);
        return;
    }
    if (!words) {
        add_mapping(json, objects, object);
        return;
    }
    open_with(json, "anyOf", "[");
    add_words(json, object);
    open_with(json, NULL, "{");
    add_mapping(json, objects, object);
    close_with(json, "}");
    close_with(json, "]");
}

char *mrc_model_schema(void) {
    Objects objects = {.count = 0};
    Writer json = {.first = true};
    collect(&objects, &schema_root);
    open_with(&json, NULL, "{");
    add_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    add_string(&json, "title", "Maraca model file");
    add_object(&json, &objects, &schema_root);
    open_with(&json, "$defs", "{");
    for (size_t i = 1; i < objects.count; i++) {
        add_reference(&json, &objects, objects.list[i], true);
        add_object(&json, &objects, objects.list[i]);
        close_with(&json, "}");
    }
    close_with(&json, "}");
    close_with(&json, "}");
    text_add_string(&json.text, "\n");
    return text_take(&json.text);
}
