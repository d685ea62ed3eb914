// Values: from scalars and short lists to numbers, vectors, expressions and words.
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "model/loader.h"

enum { NUMBERS_MAX = 16 }; // in one vector

const char *loader_shown(const YamlNode *scalar, char *buffer, size_t size) {
    size_t length = strlen(scalar->text);
    if (length < size) return strcpy(buffer, scalar->text);
    size_t cut = size - 4;
    while (cut > 0 && ((unsigned char)scalar->text[cut] & 0xc0) == 0x80) cut--; // not inside a character
    memcpy(buffer, scalar->text, cut);
    strcpy(buffer + cut, "...");
    return buffer;
}

void loader_wrong_kind(Loader *loader, const SchemaKey *key, const YamlNode *node) {
    char expected[256], shown[64];
    schema_expects(key, expected, sizeof expected);
    if (node->kind == YAML_SCALAR && !yaml_is_nothing(node))
        diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s'; expected %s", key->key,
                          loader_shown(node, shown, sizeof shown), expected);
    else if (node->kind == YAML_SCALAR)
        diagnostics_error(loader->diagnostics, node->place, "'%s' has no value; expected %s", key->key,
                          expected);
    else
        diagnostics_error(loader->diagnostics, node->place, "'%s' is %s; expected %s", key->key,
                          yaml_kind_name(node), expected);
}

static bool values_is_value(const YamlNode *node) {
    return node->kind == YAML_SCALAR && !yaml_is_nothing(node) && node->text[0];
}

// ---- expressions ---------------------------------------------------------------------------------
size_t loader_next_word(const char **formula) {
    for (const char *c = *formula; *c;) {
        size_t length = 0;
        while (isalnum((unsigned char)c[length]) || c[length] == '_' || c[length] == '.') length++;
        if (length > 0 && !isdigit((unsigned char)*c) && *c != '.') {
            *formula = c;
            return length;
        }
        c += length ? length : 1;
    }
    return 0;
}

void loader_note_constants(Loader *loader, const char *formula) {
    for (size_t length; (length = loader_next_word(&formula)) > 0; formula += length)
        for (size_t i = 0; i < loader->scope.constant_count; i++) {
            const char *name = loader->scope.constants[i].name;
            if (strlen(name) == length && memcmp(name, formula, length) == 0) loader->constant_used[i] = true;
        }
}

// A piece of a scalar's text that is compiled together with a unit that stands elsewhere in the same text.
typedef struct Piece {
    const char *text;     // what is compiled
    size_t start, length; // of the number, in the scalar's text
    size_t unit_start;    // of the unit, in the scalar's text
} Piece;

static size_t values_offset_in_scalar(const Piece *piece, size_t offset) {
    if (piece->length == 0) return offset; // the whole scalar
    if (offset < piece->length) return piece->start + offset;
    return piece->unit_start + (offset - piece->length > 0 ? offset - piece->length - 1 : 0);
}

// Does the text end within the call of a function of several arguments, such as `max(0`? Then YAML has taken
// the comma for the end of the value.
static bool values_is_cut_off(const char *text, size_t offset) {
    static const char *const several[] = {"min", "max", "atan2", "step", "ramp", "smooth"};
    size_t length = strlen(text), at = length;
    int open = 0;
    while (at > 0 && open == 0) open = text[--at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    for (size_t k = 0; k < sizeof several / sizeof *several && open > 0; k++) {
        size_t name = strlen(several[k]);
        if (name <= at && strncmp(text + at - name, several[k], name) == 0) return offset == length;
    }
    return false;
}

static int values_parentheses_open(const char *text) {
    int open = 0;
    for (; *text; text++) open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    return open;
}

// Has YAML cut a formula at its commas, as in [0, 0, smooth(t, 0 s, 1 s)]? Then its pieces put together, as
// they should be written; NULL: no.
static const char *values_find_cut_formula(Loader *loader, const YamlNode *list) {
    const char *formula = NULL;
    int open = 0;
    for (size_t i = 0; i < list->count && !(formula && open == 0); i++) {
        if (!values_is_value(list->items[i])) return NULL;
        const char *text = list->items[i]->text;
        int more = values_parentheses_open(text);
        if (!formula && more <= 0) continue;
        open += more;
        formula = formula ? arena_printf(loader->arena, "%s, %s", formula, text) : text;
        if (!formula) return NULL;
    }
    return open == 0 ? formula : NULL;
}

static const Expression *values_compile_piece(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                              const Piece *piece) {
    ExpressionError error;
    loader_note_constants(loader, piece->text);
    ExpressionScope scope =
        key->signals ? loader_signal_scope(loader, key, node, piece->text) : loader->scope;
    const Expression *expression = expression_compile(loader->arena, piece->text, &scope, &error);
    if (!expression && key->signals) { // for the message only: what may a misspelt signal have meant?
        scope = loader_all_signals(loader);
        expression_compile(loader->arena, piece->text, &scope, &error);
    }
    if (!expression) {
        Place place = yaml_place_inside(node, values_offset_in_scalar(piece, error.offset));
        diagnostics_error(loader->diagnostics, place, "'%s': %s%s", key->key, error.text,
                          values_is_cut_off(piece->text, error.offset)
                              ? "; inside braces or brackets a comma ends the value: "
                                "put quotes around a formula with commas"
                              : "");
        return NULL;
    }
    for (size_t k = 0; k < expression_input_count(expression); k++)
        loader->input_used[expression_input(expression, k) - loader->scope.inputs] = true;
    char reason[256];
    if (!key->any_dimension &&
        expression_misfit_as(expression, key->dimension, key->words, reason, sizeof reason)) {
        diagnostics_error(loader->diagnostics, node->place, "'%s': %s", key->key, reason);
        return NULL;
    }
    if (!expression_is_constant(expression) && !array_push(&loader->formulas, expression))
        diagnostics_memory(loader->diagnostics);
    return expression;
}

static const Expression *values_compile(Loader *loader, const SchemaKey *key, const YamlNode *node) {
    if (!values_is_value(node)) {
        loader_wrong_kind(loader, key, node);
        return NULL;
    }
    return values_compile_piece(loader, key, node, &(Piece){.text = node->text});
}

// ---- numbers -------------------------------------------------------------------------------------
static bool values_constant_value(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                  const Expression *expression, double *value) {
    char shown[64], range[96];
    loader_shown(node, shown, sizeof shown);
    if (expression_input_count(expression) > 0) {
        diagnostics_error(loader->diagnostics, node->place,
                          "'%s' is '%s', but it must be constant: it cannot use the input '%s'", key->key,
                          shown, expression_input(expression, 0)->name);
        return false;
    }
    if (!expression_is_constant(expression)) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s', but it cannot change with time",
                          key->key, shown);
        return false;
    }
    double found = expression_value(expression, (TimePoint){0}, NULL);
    if (!isfinite(found)) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s', which is not a finite number",
                          key->key, shown);
        return false;
    }
    if (!schema_in_range(&key->range, found)) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s', but it must be %s", key->key,
                          shown, schema_range_words(&key->range, range, sizeof range));
        return false;
    }
    *value = found;
    return true;
}

const Expression *loader_constant(Loader *loader, const SchemaKey *key, const YamlNode *node, double *value) {
    const Expression *expression = values_compile(loader, key, node);
    return expression && values_constant_value(loader, key, node, expression, value) ? expression : NULL;
}

static bool values_load_quantity(Loader *loader, const SchemaKey *key, const YamlNode *node, double *value) {
    return loader_constant(loader, key, node, value) != NULL;
}

// A word of the row's choices goes to its enum; anything else is a number.
static bool values_load_quantity_or_word(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                         char *base) {
    const char *words[SCHEMA_KEYS_MAX], *nearest = NULL;
    size_t count = 0;
    for (const SchemaChoice *each = key->choices; each && each->word && values_is_value(node); each++) {
        if (count < SCHEMA_KEYS_MAX) words[count++] = each->word;
        if (strcmp(each->word, node->text) != 0) continue;
        memcpy(base + key->word_offset, &each->value, sizeof each->value);
        return true;
    }
    ExpressionError error;
    if (count > 0) nearest = nearest_word(node->text, strlen(node->text), words, count);
    if (nearest && !expression_compile(loader->arena, node->text, &loader->scope, &error)) {
        char expected[256], shown[64];
        diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s'; expected %s; did you mean '%s'?",
                          key->key, loader_shown(node, shown, sizeof shown),
                          schema_expects(key, expected, sizeof expected), nearest);
        return false;
    }
    return values_load_quantity(loader, key, node, (double *)(base + key->offset));
}

static bool values_load_integer(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                int64_t *integer) {
    double value;
    char shown[64];
    if (!values_load_quantity(loader, key, node, &value)) return false;
    double whole = nearbyint(value);
    if (fabs(value - whole) <= 1e-9 * fabs(whole) && fabs(whole) < 9e15) {
        *integer = (int64_t)whole;
        return true;
    }
    diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s', but it must be a whole number",
                      key->key, loader_shown(node, shown, sizeof shown));
    return false;
}

static bool values_load_boolean(Loader *loader, const SchemaKey *key, const YamlNode *node, bool *value) {
    bool yes = values_is_value(node) && strcmp(node->text, "true") == 0;
    if (yes || (values_is_value(node) && strcmp(node->text, "false") == 0)) {
        *value = yes;
        return true;
    }
    loader_wrong_kind(loader, key, node);
    return false;
}

// ---- numbers in a row: `250 0 0 mm` --------------------------------------------------------------
static size_t values_number_length(const char *text) {
    size_t length = strspn(text, "+-") == 1 ? 1 : 0;
    size_t digits = strspn(text + length, "0123456789");
    length += digits;
    if (text[length] == '.') {
        size_t more = strspn(text + length + 1, "0123456789");
        length += 1 + more;
        digits += more;
    }
    if (digits == 0) return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        size_t exponent = strspn(text + length + 1 + sign, "0123456789");
        if (exponent) length += 1 + sign + exponent;
    }
    return length;
}

// Nothing but a unit: no sum may hide in it.
static bool values_looks_like_unit(const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '-' && c > text && (c[-1] == '^' || c[-1] == '(')) continue;
        if (!isalnum((unsigned char)*c) && (unsigned char)*c < 0x80 && !strchr("*/^()% ", *c)) return false;
    }
    return true;
}

// Cuts the text into `wanted` numbers and a unit; false when it is not so made.
static bool values_split_numbers(Loader *loader, const YamlNode *node, int wanted, Piece *pieces) {
    const char *text = node->text;
    size_t at = strspn(text, " \t");
    int count = 0;
    for (size_t length; count < wanted && (length = values_number_length(text + at)) > 0; count++) {
        pieces[count] = (Piece){.start = at, .length = length};
        at += length;
        size_t blanks = strspn(text + at, " \t");
        at += blanks;
        if (blanks == 0) {
            count++;
            break;
        }
    }
    if (count != wanted || !values_looks_like_unit(text + at) || values_number_length(text + at) > 0)
        return false;
    for (int i = 0; i < wanted; i++) {
        pieces[i].unit_start = at;
        pieces[i].text =
            arena_printf(loader->arena, "%.*s %s", (int)pieces[i].length, text + pieces[i].start, text + at);
        if (!pieces[i].text) {
            diagnostics_memory(loader->diagnostics);
            return false;
        }
    }
    return true;
}

// The components of a vector as expressions, from either form, with their nodes.
static bool values_load_components(Loader *loader, const SchemaKey *key, const YamlNode *node, int wanted,
                                   const Expression **components, const YamlNode **nodes) {
    Piece pieces[NUMBERS_MAX];
    char expected[256];
    bool row = values_is_value(node) && values_split_numbers(loader, node, wanted, pieces);
    bool list = node->kind == YAML_SEQUENCE && node->count == (size_t)wanted;
    if (node->kind == YAML_SEQUENCE && !list) {
        const char *formula = values_find_cut_formula(loader, node);
        schema_expects(key, expected, sizeof expected);
        if (formula)
            diagnostics_error(loader->diagnostics, node->place,
                              "'%s' is a list of %zu; expected %s; inside brackets a comma ends the value: "
                              "put quotes around a formula with commas, \"%.80s\"",
                              key->key, node->count, expected, formula);
        else
            diagnostics_error(loader->diagnostics, node->place, "'%s' is a list of %zu; expected %s",
                              key->key, node->count, expected);
        return false;
    }
    if (!row && !list) {
        loader_wrong_kind(loader, key, node);
        return false;
    }
    bool good = true;
    for (int i = 0; i < wanted; i++) {
        nodes[i] = list ? node->items[i] : node;
        components[i] = list ? values_compile(loader, key, nodes[i])
                             : values_compile_piece(loader, key, node, &pieces[i]);
        good = good && components[i];
        if (row && !good) break; // the unit they share is wrong for all of them
    }
    return good;
}

static bool values_load_vector(Loader *loader, const SchemaKey *key, const YamlNode *node, int length,
                               double *values) {
    const Expression *components[NUMBERS_MAX];
    const YamlNode *nodes[NUMBERS_MAX];
    if (!values_load_components(loader, key, node, length, components, nodes)) return false;
    bool good = true;
    for (int i = 0; i < length; i++)
        good = values_constant_value(loader, key, nodes[i], components[i], &values[i]) && good;
    return good;
}

// How many numbers the user gave, of the two counts that the key takes.
static int values_vector_length(Loader *loader, const SchemaKey *key, const YamlNode *node) {
    Piece pieces[NUMBERS_MAX];
    bool few = node->kind == YAML_SEQUENCE
                   ? node->count == (size_t)key->short_length
                   : values_is_value(node) && values_split_numbers(loader, node, key->short_length, pieces);
    return key->short_length && few ? key->short_length : key->length;
}

static bool values_load_vectors(Loader *loader, const SchemaKey *key, const YamlNode *node, Vec3 *vectors) {
    char expected[256];
    if (node->kind != YAML_SEQUENCE || node->count != (size_t)key->length) {
        if (node->kind == YAML_SEQUENCE)
            diagnostics_error(loader->diagnostics, node->place, "'%s' is a list of %zu; expected %s",
                              key->key, node->count, schema_expects(key, expected, sizeof expected));
        else loader_wrong_kind(loader, key, node);
        return false;
    }
    bool good = true;
    SchemaKey row = *key;
    row.kind = SCHEMA_VECTOR;
    row.length = 3;
    for (int i = 0; i < key->length; i++) {
        double values[3];
        if (values_load_vector(loader, &row, node->items[i], 3, values))
            vectors[i] = vec3(values[0], values[1], values[2]);
        else good = false;
    }
    return good;
}

static bool values_load_axes(Loader *loader, const SchemaKey *key, const YamlNode *node, bool *axes) {
    size_t count = node->kind == YAML_SEQUENCE ? node->count : 1;
    bool chosen[3] = {false, false, false};
    if (values_is_value(node) && strcmp(node->text, "all") == 0) {
        axes[0] = axes[1] = axes[2] = true;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const YamlNode *item = node->kind == YAML_SEQUENCE ? node->items[i] : node;
        int axis = values_is_value(item) && item->text[1] == '\0' ? item->text[0] - 'x' : -1;
        if (axis < 0 || axis > 2) {
            loader_wrong_kind(loader, key, item);
            return false;
        }
        chosen[axis] = true;
    }
    memcpy(axes, chosen, sizeof chosen);
    return true;
}

static bool values_load_axis(Loader *loader, const SchemaKey *key, const YamlNode *node, Vec3 *axis) {
    static const char *const words[] = {"x", "y", "z", "-x", "-y", "-z", "+x", "+y", "+z"};
    for (int i = 0; i < 9 && values_is_value(node); i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *axis = vec3(0, 0, 0);
        vec3_set_component(axis, i % 3, i >= 3 && i < 6 ? -1 : 1);
        return true;
    }
    double values[3];
    if (!values_load_vector(loader, key, node, 3, values)) return false;
    double largest = fmax(fabs(values[0]), fmax(fabs(values[1]), fabs(values[2])));
    if (largest == 0) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' is zero, which is no direction", key->key);
        return false;
    }
    // Divided first, so that the norm neither overflows nor vanishes.
    *axis = vec3_normalize(vec3(values[0] / largest, values[1] / largest, values[2] / largest));
    return true;
}

// ---- words ---------------------------------------------------------------------------------------
static bool values_load_text(Loader *loader, const SchemaKey *key, const YamlNode *node, const char **text) {
    if (!values_is_value(node)) {
        loader_wrong_kind(loader, key, node);
        return false;
    }
    *text = node->text;
    return true;
}

static bool values_load_name(Loader *loader, const SchemaKey *key, const YamlNode *node, const char **name) {
    if (!values_load_text(loader, key, node, name)) return false;
    if (!array_push(&loader->references, (Reference){key, node, *name}))
        diagnostics_memory(loader->diagnostics);
    return true;
}

static bool values_load_names(Loader *loader, const SchemaKey *key, const YamlNode *node,
                              const char **names) {
    char expected[256];
    if (key->short_length == 1 && values_is_value(node)) return values_load_name(loader, key, node, names);
    if (node->kind != YAML_SEQUENCE) {
        loader_wrong_kind(loader, key, node);
        return false;
    }
    if (node->count != (size_t)key->length) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' is a list of %zu; expected %s", key->key,
                          node->count, schema_expects(key, expected, sizeof expected));
        return false;
    }
    bool good = true;
    for (int i = 0; i < key->length; i++) {
        good = values_load_name(loader, key, node->items[i], &names[i]) && good;
        if (i > 0) loader_remember(loader, &names[i], node->items[i]->place);
    }
    return good;
}

static bool values_load_choice(Loader *loader, const SchemaKey *key, const YamlNode *node, int *value) {
    if (!values_is_value(node)) {
        loader_wrong_kind(loader, key, node);
        return false;
    }
    const char *words[SCHEMA_KEYS_MAX];
    size_t count = 0;
    const SchemaChoice *each;
    for (size_t k = 0; (each = schema_choice(key, k)); k++) {
        if (count < SCHEMA_KEYS_MAX) words[count++] = each->word;
        if (strcmp(each->word, node->text) != 0) continue;
        *value = schema_choice_value(key, k);
        return true;
    }
    const char *nearest = nearest_word(node->text, strlen(node->text), words, count);
    if (!nearest) {
        loader_wrong_kind(loader, key, node);
        return false;
    }
    char expected[256], shown[64];
    diagnostics_error(loader->diagnostics, node->place, "'%s' is '%s'; expected %s; did you mean '%s'?",
                      key->key, loader_shown(node, shown, sizeof shown),
                      schema_expects(key, expected, sizeof expected), nearest);
    return false;
}

static bool values_load_choices(Loader *loader, const SchemaKey *key, const YamlNode *node, int *bits) {
    int chosen = 0, one = 0;
    if (node->kind != YAML_SEQUENCE) return values_load_choice(loader, key, node, bits);
    for (size_t i = 0; i < node->count; i++) {
        if (!values_load_choice(loader, key, node->items[i], &one)) return false;
        chosen |= one;
    }
    *bits = chosen;
    return true;
}

static bool values_load_texts(Loader *loader, const SchemaKey *key, const YamlNode *node, const char ***texts,
                              int *count) {
    size_t length = node->kind == YAML_SEQUENCE ? node->count : 1;
    if (length > LOADER_LIST_MAX) {
        diagnostics_error(loader->diagnostics, node->place, "'%s' has %zu entries; at most %d are read",
                          key->key, length, LOADER_LIST_MAX);
        return false;
    }
    const char **list = arena_alloc(loader->arena, (length + 1) * sizeof *list);
    if (!list) {
        diagnostics_memory(loader->diagnostics);
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < length; i++) {
        const YamlNode *item = node->kind == YAML_SEQUENCE ? node->items[i] : node;
        good = values_load_text(loader, key, item, &list[i]) && good;
        loader_remember(loader, &list[i], item->place); // each entry by the address of its pointer
    }
    if (!good) return false;
    *texts = list;
    *count = (int)length;
    return true;
}

// Three expressions, or a lone one for the last of them. Of three, those that are zero count as not given:
// what is not driven stays as it is.
static bool values_load_expressions(Loader *loader, const SchemaKey *key, const YamlNode *node,
                                    const Expression **member) {
    const Expression *expressions[3];
    const YamlNode *nodes[3];
    Piece pieces[3];
    if (key->lone && values_is_value(node) && !values_split_numbers(loader, node, 3, pieces)) {
        const Expression *alone = values_compile(loader, key, node);
        if (alone) member[2] = alone;
        loader_remember(loader, &member[2], node->place);
        return alone != NULL;
    }
    if (!values_load_components(loader, key, node, 3, expressions, nodes)) return false;
    for (int i = 0; i < 3; i++) {
        loader_remember(loader, &member[i], nodes[i]->place);
        bool nothing = key->lone && expression_is_constant(expressions[i]) &&
                       expression_value(expressions[i], (TimePoint){0}, NULL) == 0;
        member[i] = nothing ? NULL : expressions[i];
    }
    return true;
}

// ---- all kinds -----------------------------------------------------------------------------------
bool loader_value(Loader *loader, const SchemaKey *key, const YamlNode *node, void *member) {
    char *base = (char *)member - key->offset;
    double values[NUMBERS_MAX];
    const Expression *expression;
    int length;
    switch (key->kind) {
    case SCHEMA_QUANTITY:
        return values_load_quantity_or_word(loader, key, node, base);
    case SCHEMA_INTEGER:
        return values_load_integer(loader, key, node, member);
    case SCHEMA_BOOLEAN:
        return values_load_boolean(loader, key, node, member);
    case SCHEMA_TEXT:
        return values_load_text(loader, key, node, member);
    case SCHEMA_NAME:
        return values_load_name(loader, key, node, member);
    case SCHEMA_NAMES:
        return values_load_names(loader, key, node, member);
    case SCHEMA_CHOICE:
        return values_load_choice(loader, key, node, member);
    case SCHEMA_CHOICES:
        return values_load_choices(loader, key, node, member);
    case SCHEMA_AXIS:
        return values_load_axis(loader, key, node, member);
    case SCHEMA_VECTOR:
        length = values_vector_length(loader, key, node);
        if (length > NUMBERS_MAX || !values_load_vector(loader, key, node, length, values)) return false;
        memcpy(member, values, (size_t)length * sizeof *values);
        return true;
    case SCHEMA_VECTORS:
        return values_load_vectors(loader, key, node, member);
    case SCHEMA_AXES:
        return values_load_axes(loader, key, node, member);
    case SCHEMA_EXPRESSION:
        expression = values_compile(loader, key, node);
        if (expression) memcpy(member, &expression, sizeof expression);
        return expression != NULL;
    case SCHEMA_EXPRESSIONS:
        return values_load_expressions(loader, key, node, member);
    case SCHEMA_TEXTS:
        return values_load_texts(loader, key, node, member, (int *)(base + key->count_offset));
    default:
        return false;
    }
}
