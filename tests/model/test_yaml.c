// The YAML tree: places, sharing, merging, setting by path, writing back.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/yaml.h"

typedef struct Fixture {
    Arena *arena;
    Diagnostics diagnostics;
} Fixture;

static int setup(void **state) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    fixture->arena = arena_create();
    fixture->diagnostics.arena = fixture->arena;
    diagnostics_add_file(&fixture->diagnostics, "test");
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    diagnostics_free(&fixture->diagnostics);
    arena_destroy(fixture->arena);
    free(fixture);
    return 0;
}

static const YamlNode *parse(Fixture *fixture, const char *text) {
    return yaml_parse(fixture->arena, text, strlen(text), 0, true, &fixture->diagnostics);
}

static const YamlNode *parse_good(Fixture *fixture, const char *text) {
    const YamlNode *node = parse(fixture, text);
    if (!node && fixture->diagnostics.list.count)
        fail_msg("'%s': %s", text, fixture->diagnostics.list.data[0].shown.text);
    assert_non_null(node);
    return node;
}

static void check_place(const YamlNode *node, int line, int column) {
    assert_non_null(node);
    assert_int_equal(node->place.line, line);
    assert_int_equal(node->place.column, column);
}

static void test_places(void **state) {
    const YamlNode *root =
        parse_good(*state, "a: {b: \"x y\", \xc3\xa9: 5 mm}\nlist: [1, 2]\nempty:\r\nlast: end\n");
    const YamlNode *a = yaml_get(root, "a");
    check_place(a, 1, 4);
    check_place(yaml_get(a, "b"), 1, 9); // the text, not its quote
    check_place(yaml_get(a, "\xc3\xa9"), 1, 18);
    check_place(yaml_get(root, "list")->items[1], 2, 11);
    check_place(yaml_get(root, "empty"), 3, 1); // nothing there: the key's place
    check_place(yaml_get(root, "last"), 4, 7);
    assert_true(yaml_is_nothing(yaml_get(root, "empty")));
    assert_true(yaml_get(a, "b")->quoted);
    assert_null(yaml_get(root, "absent"));
}

static void test_place_inside(void **state) {
    const YamlNode *root = parse_good(*state, "a: 2*\xc2\xb5m + x\nb: 'it''s'\nc: \"q r\"\n");
    Place inside = yaml_place_inside(yaml_get(root, "a"), 8); // the x: 8 bytes, 7 characters in
    assert_int_equal(inside.line, 1);
    assert_int_equal(inside.column, 4 + 7);
    assert_int_equal(yaml_place_inside(yaml_get(root, "b"), 3).column, 5); // not as it stands: its start
    assert_int_equal(yaml_place_inside(yaml_get(root, "c"), 2).column, 7);
    assert_string_equal(yaml_get(root, "b")->text, "it's");
}

static void test_doubled_quotes(void **state) {
    char text[600] = "a: '", wanted[300] = "";
    for (int i = 0; i < 100; i++) strcat(text, "''"), strcat(wanted, "'"); // libfyaml leaks on these
    strcat(text, "'\n");
    assert_string_equal(yaml_get(parse_good(*state, text), "a")->text, wanted);
}

static void test_aliases_are_shared(void **state) {
    const YamlNode *root = parse_good(*state, "a: &n {x: 1}\nb: *n\n");
    assert_ptr_equal(yaml_get(root, "a"), yaml_get(root, "b"));
}

static void test_refused(void **state) {
    static const char *const texts[] = {
        "",
        "a: [1",
        "a: {b",
        "a: b: c",
        "a: \"x",
        "a: @x",
        "&a [*a]",
        "a: *b",
        "a: 1\na: 2",
        "a\n---\nb\n---\n",
        "!!str a",
        "%YAML 1.2\n",
        "? [a]\n: b",
        "a: \x01",
        "a: \xff",
        "a: \xc0\x80",
        "a: \xed\xa0\x80",
        "a: b\rc",
        "a: \xe2\x80\xa8",
        "a: 'b\n''c'",
        "a: \"\\0\"",
    };
    Fixture *fixture = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture->diagnostics.list.count = 0; // or the same finding would be kept once only
        if (parse(fixture, texts[i])) fail_msg("'%s' is accepted", texts[i]);
        assert_int_equal(fixture->diagnostics.list.count, 1); // not a cascade
    }
}

static void test_nul_bytes(void **state) {
    Fixture *fixture = *state;
    assert_null(yaml_parse(fixture->arena, "a: b\0c", 6, 0, true, &fixture->diagnostics));
    assert_int_equal(fixture->diagnostics.list.data[0].shown.column, 5);
}

static void test_depth_through_aliases(void **state) {
    // Each line is only two deep, but the last one is a hundred deep.
    char text[8192] = "a0: &a0 [x]\n";
    for (int i = 1; i < 100; i++) sprintf(text + strlen(text), "a%d: &a%d [*a%d]\n", i, i, i - 1);
    assert_null(parse(*state, text));
}

static void test_large_mapping(void **state) {
    size_t count = 20000;
    char *text = malloc(count * 16 + 1), *at = text;
    for (size_t i = 0; i < count; i++) at += sprintf(at, "k%zu: %zu\n", i, i);
    const YamlNode *root = parse_good(*state, text);
    assert_int_equal(root->count, count);
    assert_string_equal(yaml_get(root, "k12345")->text, "12345");
    free(text);
}

static void test_merge(void **state) {
    Fixture *fixture = *state;
    const YamlNode *base = parse_good(fixture, "{a: 1, b: {c: 2, d: 3}, e: [1, 2]}");
    const YamlNode *top = parse_good(fixture, "{b: {c: 9, f: 4}, e: [7], g: 8}");
    const YamlNode *expected = parse_good(fixture, "{a: 1, b: {c: 9, d: 3, f: 4}, e: [7], g: 8}");
    assert_true(yaml_equal(yaml_merge(fixture->arena, base, top), expected));
    assert_true(
        yaml_equal(yaml_without(fixture->arena, top, "g"), parse_good(fixture, "{b: {c: 9, f: 4}, e: [7]}")));
}

static void check_set(Fixture *fixture, const char *before, const char *const *path, size_t length,
                      const char *after) {
    const char *trouble;
    const YamlNode *root = parse_good(fixture, before), *value = parse_good(fixture, "new");
    const YamlNode *result = yaml_set(fixture->arena, root, path, length, value, (Place){0}, &trouble);
    if (after) assert_true(yaml_equal(result, parse_good(fixture, after)));
    else {
        assert_null(result);
        assert_non_null(trouble);
    }
}

static void test_set(void **state) {
    check_set(*state, "{a: 1, b: 2}", (const char *[]){"a"}, 1, "{a: new, b: 2}");
    check_set(*state, "{a: 1}", (const char *[]){"b", "c", "d"}, 3, "{a: 1, b: {c: {d: new}}}");
    check_set(*state, "{a: [1, 2]}", (const char *[]){"a", "1"}, 2, "{a: [1, new]}");
    check_set(*state, "{a: [1, 2]}", (const char *[]){"a", "2"}, 2, "{a: [1, 2, new]}");
    check_set(*state, "{a: }", (const char *[]){"a", "b"}, 2, "{a: {b: new}}");
    check_set(*state, "{a: [1, 2]}", (const char *[]){"a", "3"}, 2, NULL);
    check_set(*state, "{a: [1, 2]}", (const char *[]){"a", "x"}, 2, NULL);
    check_set(*state, "{a: 1}", (const char *[]){"a", "b"}, 2, NULL);
}

static void test_written_text_reads_back(void **state) {
    static const char *const texts[] = {
        "{a: 1, b: [x, {c: d}, [], {}], e: }",
        "a: 'null'\nb: null\nc: ~\nd: ''\ne: '~'\n",
        "a: '# no comment'\nb: 'x: y'\nc: 'x #y'\nd: '- x'\ne: '[1'\nf: '*x'\ng: '&x'\nh: '!x'\n",
        "a: \"tab\\tline\\nquote\\\" backslash\\\\ \\u00e9\"\n",
        "a: |\n  two\n  lines\nb: >\n  folded\n  text\n",
        "'a: b': 1\n'- c': 2\n'': 3\n'? d': 4\n\"\xc3\xa9\": 5\n",
        "a: -x\nb: +3\nc: -.5\nd: .5\ne: 'trailing '\nf: ' leading'\ng: ...\nh: '---'\n",
        "- - - a\n  - b\n- {}\n- x: y\n  z:\n",
        "a: long\n  plain - text\n",
        "plain",
        "[]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const YamlNode *root = parse_good(*state, texts[i]);
        char *written = yaml_text(root);
        const YamlNode *again = parse_good(*state, written);
        char *twice = yaml_text(again);
        if (!yaml_equal(root, again)) fail_msg("'%s' became '%s'", texts[i], written);
        assert_string_equal(written, twice);
        free(written);
        free(twice);
    }
}

int main(void) {
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_places),
        WITH_FIXTURE(test_place_inside),
        WITH_FIXTURE(test_doubled_quotes),
        WITH_FIXTURE(test_aliases_are_shared),
        WITH_FIXTURE(test_refused),
        WITH_FIXTURE(test_nul_bytes),
        WITH_FIXTURE(test_depth_through_aliases),
        WITH_FIXTURE(test_large_mapping),
        WITH_FIXTURE(test_merge),
        WITH_FIXTURE(test_set),
        WITH_FIXTURE(test_written_text_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
