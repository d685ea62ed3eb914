#include "schema/schema.h"

#include <stdio.h>
#include <string.h>

// ---- keys and alternatives -----------------------------------------------------------------------
const SchemaAlternative *schema_alternative(const SchemaObject *object, size_t k) {
    if (object->types) {
        const SchemaType *const *row = object->types;
        while (*row && k > 0) row++, k--;
        return *row ? &(*row)->alternative : NULL;
    }
    const SchemaAlternative *each = object->alternatives;
    while (each && each->key && k > 0) each++, k--;
    return each && each->key ? each : NULL;
}

const SchemaAlternative *schema_find_alternative(const SchemaObject *object, const char *key) {
    const SchemaAlternative *each;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++)
        if (strcmp(each->key, key) == 0) return each;
    return NULL;
}

int schema_alternative_tag(const SchemaObject *object, const SchemaAlternative *alternative) {
    if (!object->types) return alternative->tag;
    int place = 0;
    while (object->types[place] && &object->types[place]->alternative != alternative) place++;
    return place;
}

size_t schema_alternative_offset(const SchemaObject *object, const SchemaAlternative *alternative) {
    return alternative->offset + (object->types ? object->types_offset : 0);
}

// The k-th key, and the alternative that it belongs to.
static const SchemaKey *schema_key_of(const SchemaObject *object, size_t k, const SchemaAlternative **of) {
    *of = NULL;
    if (k < object->key_count) return &object->keys[k];
    k -= object->key_count;
    for (const SchemaType *const *row = object->types; row && *row; row++) {
        *of = &(*row)->alternative;
        if (k < (*row)->key_count) return &(*row)->keys[k];
        k -= (*row)->key_count;
    }
    return NULL;
}

const SchemaKey *schema_key(const SchemaObject *object, size_t k) {
    const SchemaAlternative *of;
    return schema_key_of(object, k, &of);
}

const SchemaKey *schema_find_key(const SchemaObject *object, const char *key) {
    const SchemaKey *each;
    for (size_t k = 0; (each = schema_key(object, k)); k++)
        if (strcmp(each->key, key) == 0) return each;
    return NULL;
}

const SchemaAlternative *schema_key_alternative(const SchemaObject *object, const SchemaKey *key) {
    const SchemaKey *each;
    const SchemaAlternative *of;
    for (size_t k = 0; (each = schema_key_of(object, k, &of)); k++)
        if (each == key) return of;
    return NULL;
}

size_t schema_list_keys(const SchemaObject *object, const char **keys, size_t limit) {
    size_t count = 0;
    const SchemaAlternative *alternative;
    const SchemaKey *key;
    for (size_t k = 0; (alternative = schema_alternative(object, k)) && count < limit; k++)
        keys[count++] = alternative->key;
    for (size_t k = 0; (key = schema_key(object, k)) && count < limit; k++) keys[count++] = key->key;
    return count;
}

// ---- words ---------------------------------------------------------------------------------------
const char *schema_next_word(const char **words, size_t *length) {
    const char *start = *words + strspn(*words, " ");
    *length = strcspn(start, " ");
    *words = start + *length;
    return *length ? start : NULL;
}

bool schema_word_in(const char *words, const char *word) {
    size_t length;
    for (const char *each; (each = schema_next_word(&words, &length));)
        if (strlen(word) == length && memcmp(word, each, length) == 0) return true;
    return false;
}

// ---- ranges --------------------------------------------------------------------------------------
bool schema_in_range(const SchemaRange *range, double value) {
    if (!isfinite(value)) return false;
    if (!range->limited) return true;
    bool high_enough = range->low_open ? value > range->low : value >= range->low;
    bool low_enough = range->high_open ? value < range->high : value <= range->high;
    return high_enough && low_enough;
}

const char *schema_range_words(const SchemaRange *range, char *buffer, size_t size) {
    if (!range->limited) return NULL;
    if (range->low == range->high) snprintf(buffer, size, "%.10g", range->low);
    else if (isfinite(range->high) && !range->low_open && !range->high_open)
        snprintf(buffer, size, "from %.10g to %.10g", range->low, range->high);
    else if (isfinite(range->high))
        snprintf(buffer, size, "%s %g and %s %g", range->low_open ? "greater than" : "at least", range->low,
                 range->high_open ? "less than" : "at most", range->high);
    else snprintf(buffer, size, "%s %g", range->low_open ? "greater than" : "at least", range->low);
    return buffer;
}

// ---- what a key takes ----------------------------------------------------------------------------
const SchemaChoice *schema_choice(const SchemaKey *key, size_t k) {
    size_t listed = 0;
    while (key->choices && key->choices[listed].word) listed++;
    if (k < listed) return &key->choices[k];
    const SchemaChoice *const *row = key->choice_rows;
    for (k -= listed; row && *row && k > 0; k--) row++;
    return row ? *row : NULL;
}

int schema_choice_value(const SchemaKey *key, size_t k) {
    size_t listed = 0;
    while (key->choices && key->choices[listed].word) listed++;
    return k < listed ? key->choices[k].value : (int)(k - listed);
}

static void expects_choice(const SchemaKey *key, char *buffer, size_t size) {
    size_t used = (size_t)snprintf(buffer, size, "%s",
                                   key->kind == SCHEMA_CHOICES ? "one or a list of "
                                   : schema_choice(key, 1)     ? "one of "
                                                               : "");
    const SchemaChoice *each;
    for (size_t k = 0; (each = schema_choice(key, k)) && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k == 0 ? "" : ", ", each->word);
}

// What it can be, or what it must have.
static void expects_object(const SchemaObject *object, char *buffer, size_t size) {
    const SchemaAlternative *each, *first = schema_alternative(object, 0);
    size_t used = (size_t)snprintf(buffer, size, "%s%s", object->short_key ? "a value or " : "",
                                   first ? "one of " : "a mapping");
    for (size_t k = 0; (each = schema_alternative(object, k)) && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k == 0 ? "" : ", ", each->key);
    const char *before = " with ";
    for (size_t i = 0; !first && i < object->key_count && used < size; i++) {
        if (!object->keys[i].required) continue;
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", before, object->keys[i].key);
        before = ", ";
    }
}

static void expects_numbers(const SchemaKey *key, int length, char *buffer, size_t size) {
    static const char *const numbers[] = {"", "1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 5", "1 2 3 4 5 6"};
    char unit[64], blank_unit[66];
    dimension_unit(key->dimension, unit, sizeof unit);
    bool pure = strcmp(unit, "1") == 0;
    snprintf(blank_unit, sizeof blank_unit, "%s%s", pure ? "" : " ", pure ? "" : unit);
    snprintf(buffer, size, "%d numbers%s, such as '%s%s', or a list such as '[1%s, %s]'", length,
             pure ? "" : " and a unit", length <= 6 ? numbers[length] : "1 2 ...", blank_unit, blank_unit,
             length == 2   ? "0"
             : length == 3 ? "0, 0"
                           : "0, ...");
}

// "a name from 'ports'", "a node of the mechanism, or a list of 2".
static void expects_names(const SchemaKey *key, char *buffer, size_t size) {
    char one[160] = "";
    if (key->refers)
        snprintf(one, sizeof one, "name%s from '%s'", key->length > 1 && !key->nodes ? "s" : "", key->refers);
    if (key->nodes)
        snprintf(one + strlen(one), sizeof one - strlen(one), "%snode of the mechanism",
                 key->refers ? " or a " : "");
    if (key->kind == SCHEMA_NAME) snprintf(buffer, size, "a %s", one);
    else if (key->short_length == 1) snprintf(buffer, size, "a %s, or a list of %d", one, key->length);
    else if (!key->nodes) snprintf(buffer, size, "a list of %d %s", key->length, one);
    else snprintf(buffer, size, "a list of %d, each a %s", key->length, one);
}

const char *schema_dimension_words(const SchemaKey *key, char *buffer, size_t size) {
    if (!key->words) return dimension_describe(key->dimension, buffer, size);
    snprintf(buffer, size, "%s", key->words);
    return buffer;
}

// Kinds whose words are the same for every key; the others are in schema_expects.
static const char *const expects_words[SCHEMA_INPUTS + 1] = {
    // SCHEMA_INPUTS is the last kind
    [SCHEMA_BOOLEAN] = "true or false",
    [SCHEMA_INCLUDE] = "a file name or a list of them",
    [SCHEMA_TEXT] = "a text",
    [SCHEMA_AXES] = "a list of axes such as '[x, z]', or 'all'",
    [SCHEMA_AXIS] = "x, y, z, -x, -y, -z or a direction such as '1 1 0'",
    [SCHEMA_TEXTS] = "a list of names",
    [SCHEMA_MAP] = "a mapping from names to what they stand for",
    [SCHEMA_INPUTS] = "a mapping from names to what they stand for",
    [SCHEMA_CONSTANTS] = "a mapping from names to values",
};

const char *schema_expects(const SchemaKey *key, char *buffer, size_t size) {
    char part[224];
    if (expects_words[key->kind]) {
        snprintf(buffer, size, "%s", expects_words[key->kind]);
        return buffer;
    }
    switch (key->kind) {
    case SCHEMA_QUANTITY:
        if (key->any_dimension) snprintf(buffer, size, "a number, with a unit if it has one");
        else schema_dimension_words(key, buffer, size);
        for (const SchemaChoice *each = key->choices; each && each->word; each++) {
            size_t used = strlen(buffer);
            snprintf(buffer + used, size - used, "%s%s", each[1].word ? ", " : " or ", each->word);
        }
        break;
    case SCHEMA_INTEGER:
        if (key->range.limited && key->range.low == key->range.high)
            return schema_range_words(&key->range, buffer, size);
        snprintf(buffer, size, "a whole number");
        break;
    case SCHEMA_NAME:
    case SCHEMA_NAMES:
        expects_names(key, buffer, size);
        break;
    case SCHEMA_CHOICE:
    case SCHEMA_CHOICES:
        expects_choice(key, buffer, size);
        break;
    case SCHEMA_VECTOR:
        if (key->short_length) {
            expects_numbers(key, key->short_length, part, sizeof part);
            snprintf(buffer, size, "%d or %s", key->length, part);
        } else expects_numbers(key, key->length, buffer, size);
        break;
    case SCHEMA_VECTORS:
        expects_numbers(key, 3, part, sizeof part);
        snprintf(buffer, size, "a list of %d, each %s", key->length, part);
        break;
    case SCHEMA_EXPRESSION:
        snprintf(buffer, size, "an expression that gives %s", schema_dimension_words(key, part, sizeof part));
        break;
    case SCHEMA_EXPRESSIONS:
        dimension_unit(key->dimension, part, sizeof part);
        snprintf(buffer, size, "%s3 expressions%s, such as '[0.1 %s*sin(2*pi*5 Hz*t), 0, 0]', or '1 2 3 %s'",
                 key->lone ? "an expression of time or " : "",
                 key->signals ? " of time and signals" : " of time", part, part);
        break;
    case SCHEMA_OBJECT:
    case SCHEMA_SINGLE:
        expects_object(key->object, part, sizeof part);
        snprintf(buffer, size, "%s%s", part, schema_may_be_list(key) ? ", or a list of such" : "");
        break;
    case SCHEMA_LIST:
        expects_object(key->object, part, sizeof part);
        snprintf(buffer, size, "a list, each item %s", part);
        break;
    default:
        break;
    }
    return buffer;
}
