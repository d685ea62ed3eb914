// Names of nodes, from the definition alone.
#include "mechanism/names.h"

#include "check.h"

static BeamDefinition beams[] = {{.name = "arm", .elements = 3}, {.name = "ar", .elements = 1}};
static BodyDefinition bodies[] = {
    {.name = "box"}, {.name = "lid", .node = "box"}, {.name = "tip", .node = "arm.end"}};
static NodeDefinition nodes[] = {{.name = "frame"}};
static const MechanismDefinition definition = {
    .beams = beams, .beam_count = 2, .bodies = bodies, .body_count = 3, .nodes = nodes, .node_count = 1};

static void test_beam_parts(void **state) {
    (void)state;
    assert_int_equal(names_beam_part("start"), 0);
    assert_int_equal(names_beam_part("end"), NAMES_BEAM_END);
    assert_int_equal(names_beam_part("17"), 17);
    const char *const wrong[] = {"", "07", "-1", "1x", "middle", "1234567890"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(names_beam_part(wrong[i]), NAMES_BEAM_NONE);
}

static void test_beam_nodes(void **state) {
    (void)state;
    assert_int_equal(names_beam_node(&beams[0], "arm.start"), 0);
    assert_int_equal(names_beam_node(&beams[0], "arm.end"), 6);
    assert_int_equal(names_beam_node(&beams[0], "arm.6"), 6);
    assert_int_equal(names_beam_node(&beams[0], "arm.7"), NAMES_BEAM_NONE);
    assert_int_equal(names_beam_node(&beams[0], "arm"), NAMES_BEAM_NONE);
    assert_int_equal(names_beam_node(&beams[1], "arm.end"), NAMES_BEAM_NONE);
}

static void test_canonical(void **state) {
    (void)state;
    static const struct {
        const char *name, *canonical;
    } cases[] = {{"arm.start", "arm.0"}, {"arm.end", "arm.6"}, {"ar.end", "ar.2"}, {"arm.3", "arm.3"},
                 {"tip", "arm.6"},       {"lid", "box"},       {"box", "box"},     {"frame", "frame"},
                 {"ground", "ground"},   {"arm.9", "arm.9"}};
    char buffer[96];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(names_canonical(&definition, cases[i].name, buffer, sizeof buffer),
                            cases[i].canonical);
}

static void test_has_node(void **state) {
    (void)state;
    const char *const there[] = {"ground", "frame", "box", "tip", "arm.start", "arm.6", "ar.2"};
    const char *const not_there[] = {"arm", "arm.7", "arm.", "fram", "tip.end", ""};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        assert_true(names_has_node(&definition, there[i]));
    for (size_t i = 0; i < sizeof not_there / sizeof *not_there; i++)
        assert_false(names_has_node(&definition, not_there[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beam_parts), cmocka_unit_test(test_beam_nodes),
                                       cmocka_unit_test(test_canonical), cmocka_unit_test(test_has_node)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
