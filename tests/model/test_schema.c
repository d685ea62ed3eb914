// The schema tables keep their own rules: every row is documented, its default is good, its kind complete;
// and what is made from them (JSON Schema, reference page) has every key in it.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "maraca/maraca.h"
#include "model/loader.h"
#include "sim/definition.h"

enum { OBJECTS_MAX = 256 };

static const SchemaObject *objects[OBJECTS_MAX];
static size_t object_count;

static void collect(const SchemaObject *object) {
    for (size_t i = 0; i < object_count; i++)
        if (objects[i] == object) return;
    assert_true(object_count < OBJECTS_MAX);
    objects[object_count++] = object;
    const SchemaAlternative *each;
    const SchemaKey *key;
    for (size_t k = 0; (each = schema_alternative(object, k)); k++) collect(each->object);
    for (size_t k = 0; (key = schema_key(object, k)); k++)
        if (key->object) collect(key->object);
}

static int setup(void **state) {
    (void)state;
    collect(&schema_root);
    return 0;
}

static bool is_sentence(const char *text) {
    return text && text[0] >= 'A' && text[0] <= 'Z' && text[strlen(text) - 1] == '.';
}

// YAML 1.1 readers take these for true and false.
static bool is_truth_word(const char *word) {
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i], word) == 0) return true;
    return false;
}

static void test_objects(void **state) {
    (void)state;
    assert_true(object_count > 10);
    for (size_t i = 0; i < object_count; i++) {
        const SchemaObject *object = objects[i];
        if (!is_sentence(object->doc)) fail_msg("'%s' has no description", object->name);
        assert_true(object->size > 0);
        const char *keys[SCHEMA_KEYS_MAX];
        size_t count = schema_list_keys(object, keys, SCHEMA_KEYS_MAX);
        assert_true(count < SCHEMA_KEYS_MAX);
        for (size_t a = 0; a < count; a++) {
            if (is_truth_word(keys[a])) fail_msg("'%s' is a truth value to YAML 1.1 readers", keys[a]);
            for (size_t b = 0; b < a; b++)
                if (strcmp(keys[a], keys[b]) == 0) fail_msg("'%s' is in '%s' twice", keys[a], object->name);
        }
        for (int g = 0; g < SCHEMA_GROUPS_MAX && object->exactly_one[g]; g++) {
            const char *group = object->exactly_one[g];
            size_t length;
            for (const char *word; (word = schema_next_word(&group, &length));) {
                char key[64] = "";
                memcpy(key, word, length);
                if (!schema_find_key(object, key)) fail_msg("'%s' has no key '%s'", object->name, key);
            }
        }
    }
}

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < object_count; i++) {
        const SchemaKey *key;
        for (size_t k = 0; (key = schema_key(objects[i], k)); k++) {
            if (!is_sentence(key->doc)) fail_msg("'%s' is not documented", key->key);
            if (key->required && (key->fallback || key->fallback_words))
                fail_msg("'%s' is required, yet has a default", key->key);
            bool has_object = key->kind == SCHEMA_OBJECT || key->kind == SCHEMA_SINGLE ||
                              key->kind == SCHEMA_MAP || key->kind == SCHEMA_LIST ||
                              key->kind == SCHEMA_INPUTS;
            assert_int_equal(has_object, key->object != NULL);
            if (key->kind == SCHEMA_CHOICE) assert_non_null(schema_choice(key, 0));
            if (key->choices)
                assert_true(key->kind == SCHEMA_CHOICE || key->kind == SCHEMA_CHOICES ||
                            key->kind == SCHEMA_QUANTITY);
            assert_int_equal(key->kind == SCHEMA_NAME || key->kind == SCHEMA_NAMES,
                             key->refers != NULL || key->nodes);
            assert_true(!objects[i]->bare || objects[i]->key_count == 1);
            const char *short_key = objects[i]->short_key;
            assert_true(!short_key || schema_find_key(objects[i], short_key));
            const SchemaChoice *each;
            for (size_t c = 0; (each = schema_choice(key, c)); c++) {
                assert_false(is_truth_word(each->word));
                assert_non_null(each->doc);
            }
            char buffer[256];
            if (!has_object) assert_true(key->offset < objects[i]->size || key->kind >= SCHEMA_INCLUDE);
            assert_true(strlen(schema_expects(key, buffer, sizeof buffer)) > 0);
        }
    }
}

// Every default is read without complaint by the code that reads what the user writes.
static void test_defaults(void **state) {
    (void)state;
    int count = 0;
    for (size_t i = 0; i < object_count; i++) {
        const SchemaKey *key;
        for (size_t k = 0; (key = schema_key(objects[i], k)); k++) {
            if (!key->fallback) continue;
            Arena *arena = arena_create();
            Diagnostics diagnostics = {.arena = arena};
            Loader loader = {.arena = arena, .diagnostics = &diagnostics};
            diagnostics_add_file(&diagnostics, "default");
            const YamlNode *node =
                yaml_parse(arena, key->fallback, strlen(key->fallback), 0, false, &diagnostics);
            assert_non_null(node);
            void *memory = calloc(1, objects[i]->size + 64);
            if (!key->object && !loader_value(&loader, key, node, (char *)memory + key->offset))
                fail_msg("the default of '%s': %s", key->key, diagnostics.list.data[0].shown.text);
            count++;
            free(memory);
            loader_free(&loader);
            diagnostics_free(&diagnostics);
            arena_destroy(arena);
        }
    }
    assert_true(count > 10);
}

// A quantity of another dimension is refused by every row that has one.
static void test_dimensions_are_checked(void **state) {
    (void)state;
    for (size_t i = 0; i < object_count; i++) {
        const SchemaKey *key;
        for (size_t k = 0; (key = schema_key(objects[i], k)); k++) {
            bool scalar =
                key->kind == SCHEMA_QUANTITY || key->kind == SCHEMA_EXPRESSION || key->kind == SCHEMA_INTEGER;
            bool vector =
                key->kind == SCHEMA_VECTOR || key->kind == SCHEMA_EXPRESSIONS || key->kind == SCHEMA_AXIS;
            if ((!scalar && !vector) || key->any_dimension) continue;
            Arena *arena = arena_create();
            Diagnostics diagnostics = {.arena = arena};
            Loader loader = {.arena = arena, .diagnostics = &diagnostics};
            diagnostics_add_file(&diagnostics, "test");
            const char *text = scalar ? "1 kg*m^5/s^7" : "1 1 1 kg*m^5/s^7";
            const YamlNode *node = yaml_parse(arena, text, strlen(text), 0, true, &diagnostics);
            char memory[256];
            if (loader_value(&loader, key, node, memory)) fail_msg("'%s' takes any dimension", key->key);
            assert_int_equal(diagnostics.error_count, 1);
            loader_free(&loader);
            diagnostics_free(&diagnostics);
            arena_destroy(arena);
        }
    }
}

static void test_range_words(void **state) {
    (void)state;
    char buffer[96];
    SchemaRange positive = POSITIVE, fraction = FROM_TO(0, 1), inside = BETWEEN(-1, 0.5), any = {0};
    assert_string_equal(schema_range_words(&positive, buffer, sizeof buffer), "greater than 0");
    assert_string_equal(schema_range_words(&fraction, buffer, sizeof buffer), "from 0 to 1");
    assert_string_equal(schema_range_words(&inside, buffer, sizeof buffer),
                        "greater than -1 and less than 0.5");
    assert_null(schema_range_words(&any, buffer, sizeof buffer));
    assert_true(schema_in_range(&fraction, 0) && schema_in_range(&fraction, 1));
    assert_false(schema_in_range(&inside, 0.5) || schema_in_range(&positive, 0) ||
                 schema_in_range(&any, NAN));
}

static void test_reference_page(void **state) {
    (void)state;
    char *page = mrc_model_reference();
    assert_non_null(page);
    for (size_t i = 0; i < object_count; i++) {
        char row[96];
        const SchemaKey *key;
        for (size_t k = 0; (key = schema_key(objects[i], k)) && !objects[i]->bare; k++) {
            snprintf(row, sizeof row, "| `%s` |", key->key);
            if (!strstr(page, row)) fail_msg("'%s' is not on the reference page", key->key);
        }
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_dimensions_are_checked),
        cmocka_unit_test(test_range_words), cmocka_unit_test(test_reference_page),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
