// The JSON Schema is well-formed, its references lead somewhere, and it knows every key of the tables.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maraca/maraca.h"
#include "model/schema_sections.h"
#include "model/yaml.h"

typedef struct Fixture {
    Arena *arena;
    Diagnostics diagnostics;
    const YamlNode *schema; // JSON is YAML, so our own reader reads it
} Fixture;

static int setup(void **state) {
    static Fixture fixture;
    fixture.arena = arena_create();
    fixture.diagnostics.arena = fixture.arena;
    diagnostics_add_file(&fixture.diagnostics, "schema");
    char *text = mrc_model_schema();
    assert_non_null(text);
    fixture.schema = yaml_parse(fixture.arena, text, strlen(text), 0, true, &fixture.diagnostics);
    free(text);
    *state = &fixture;
    return fixture.schema ? 0 : -1;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    diagnostics_free(&fixture->diagnostics);
    arena_destroy(fixture->arena);
    return 0;
}

static void test_head(void **state) {
    const YamlNode *schema = ((Fixture *)*state)->schema;
    assert_string_equal(yaml_get(schema, "$schema")->text, "https://json-schema.org/draft/2020-12/schema");
    assert_string_equal(yaml_get(schema, "type")->text, "object");
    assert_string_equal(yaml_get(schema, "additionalProperties")->text, "false");
    const YamlNode *properties = yaml_get(schema, "properties");
    for (size_t i = 0; i < schema_root.key_count; i++) {
        const YamlNode *property = yaml_get(properties, schema_root.keys[i].key);
        assert_non_null(property);
        assert_non_null(yaml_get(property, "description"));
    }
}

// Every key is a text in double quotes, every "$ref" leads to a definition.
static void check_node(const YamlNode *schema, const YamlNode *node, int *references) {
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == YAML_SEQUENCE) {
            check_node(schema, node->items[i], references);
            continue;
        }
        const YamlPair *pair = &node->pairs[i];
        assert_true(pair->key->quoted);
        if (strcmp(pair->key->text, "$ref") == 0) {
            assert_memory_equal(pair->value->text, "#/$defs/", 8);
            if (!yaml_get(yaml_get(schema, "$defs"), pair->value->text + 8))
                fail_msg("%s leads nowhere", pair->value->text);
            (*references)++;
        }
        check_node(schema, pair->value, references);
    }
}

static void test_references(void **state) {
    const YamlNode *schema = ((Fixture *)*state)->schema;
    int references = 0;
    check_node(schema, schema, &references);
    assert_true(references > 10);
}

static void test_particles(void **state) {
    const YamlNode *definitions = yaml_get(((Fixture *)*state)->schema, "$defs");
    const YamlNode *particles = yaml_get(definitions, "particles");
    const YamlNode *radius = yaml_get(yaml_get(particles, "properties"), "radius");
    assert_string_equal(yaml_get(radius, "exclusiveMinimum")->text, "0");
    assert_non_null(strstr(yaml_get(radius, "description")->text, "a length (m)"));
    assert_int_equal(yaml_get(particles, "required")->count, 1);
    // One of three keys, or none of them.
    const YamlNode *one_of = yaml_get(yaml_get(particles, "allOf")->items[1], "oneOf");
    assert_int_equal(one_of->count, 4);
    assert_non_null(yaml_get(one_of->items[3], "not"));
    const YamlNode *classes = yaml_get(yaml_get(yaml_get(definitions, "sizes"), "properties"), "classes");
    assert_string_equal(yaml_get(classes, "type")->text, "array");
    assert_string_equal(yaml_get(yaml_get(classes, "items"), "$ref")->text, "#/$defs/size_class");
    const YamlNode *tangential =
        yaml_get(yaml_get(yaml_get(definitions, "contact"), "properties"), "tangential");
    assert_int_equal(yaml_get(tangential, "enum")->count, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_particles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
