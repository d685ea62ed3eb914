// Which signals a model has, and which of them become columns of series.csv, in which order.
#include "sim/recorder.h"

#include "check.h"
#include "sim/sim.h"

typedef struct Fixture {
    Arena *arena;
    PortDefinition ports[2];
    GrainsDefinition grains[2];
    SimDefinition definition;
    Recorder recorder;
} Fixture;

enum { on_request = 3 }; // top, height and filling of each bed; forces between grains are those of rigid ones

// Two ports and two beds of grains; "bed" and "bedrock" begin alike.
static int set_up(void **state) {
    static Fixture f;
    f = (Fixture){.arena = arena_create(),
                  .ports = {{.name = "shaker"}, {.name = "lid"}},
                  .grains = {{.name = "bed"}, {.name = "bedrock"}}};
    f.definition = (SimDefinition){.ports = f.ports,
                                   .port_count = 2,
                                   .grains = f.grains,
                                   .grains_count = 2,
                                   .simulate = {.duration = 2, .step = 1e-3}};
    *state = &f;
    return f.arena ? 0 : -1;
}

static int tear_down(void **state) {
    recorder_free(&((Fixture *)*state)->recorder);
    arena_destroy(((Fixture *)*state)->arena);
    return 0;
}

static void record(Fixture *f, const char **series, int count) {
    f->definition.record.series = series;
    f->definition.record.series_count = count;
    recorder_free(&f->recorder);
    f->recorder = (Recorder){.signals.arena = f->arena};
    sim_signals(&f->definition, NULL, &f->recorder.signals);
    assert_int_equal(recorder_create(&f->recorder, &f->definition, f->arena, NULL), MRC_OK);
}

static const char *column(const Fixture *f, size_t c) {
    assert_true(c < f->recorder.column_count);
    return f->recorder.signals.signals.data[f->recorder.columns[c]].name;
}

static void test_signals_come_in_a_fixed_order(void **state) {
    Fixture *f = *state;
    record(f, NULL, 0);
    size_t ports = 12 + (size_t)load_signal_row_count, grains = (size_t)grains_signal_count + on_request;
    const Signal *signals = f->recorder.signals.signals.data;
    assert_int_equal(f->recorder.signals.signals.count, 2 * ports + 2 * grains + (size_t)ledger_entry_count);
    assert_string_equal(signals[0].name, "shaker.x");
    assert_string_equal(signals[ports].name, "lid.x");
    assert_string_equal(signals[2 * ports].name, "bed.load.fx");
    assert_true(dimension_equal(signals[2 * ports].dimension, DIM_FORCE));
    assert_string_equal(signals[2 * ports + grains].name, "bedrock.load.fx");
    assert_string_equal(signals[2 * ports + 2 * grains].name, "energy.work");
    assert_string_equal(signals[2 * ports + 2 * grains].unit, "J");
    for (size_t a = 0; a < f->recorder.signals.signals.count; a++)
        for (size_t b = 0; b < a; b++) assert_string_not_equal(signals[a].name, signals[b].name);
}

static void test_asking_for_none_gives_all_but_those_on_request(void **state) {
    Fixture *f = *state;
    record(f, NULL, 0);
    assert_int_equal(f->recorder.column_count, f->recorder.signals.signals.count - 2 * on_request);
    for (size_t c = 0, s = 0; c < f->recorder.column_count; c++, s++) {
        while (f->recorder.signals.signals.data[s].on_request) s++;
        assert_int_equal(f->recorder.columns[c], s);
    }
}

static void test_columns_are_in_the_order_asked(void **state) {
    Fixture *f = *state;
    record(f, (const char *[]){"energy.error", "lid.y", "bed.contacts", "shaker.x"}, 4);
    assert_int_equal(f->recorder.column_count, 4);
    assert_string_equal(column(f, 0), "energy.error");
    assert_string_equal(column(f, 1), "lid.y");
    assert_string_equal(column(f, 2), "bed.contacts");
    assert_string_equal(column(f, 3), "shaker.x");
}

static void test_a_group_is_all_its_members_in_their_order(void **state) {
    Fixture *f = *state;
    record(f, (const char *[]){"bed.center", "energy"}, 2);
    assert_int_equal(f->recorder.column_count, 3 + (size_t)ledger_entry_count);
    assert_string_equal(column(f, 0), "bed.center.x");
    assert_string_equal(column(f, 1), "bed.center.y");
    assert_string_equal(column(f, 2), "bed.center.z");
    assert_string_equal(column(f, 3), "energy.work");
    record(f, (const char *[]){"bed"}, 1); // and none of bedrock's
    assert_int_equal(f->recorder.column_count, (size_t)grains_signal_count + on_request);
    for (size_t c = 0; c < f->recorder.column_count; c++)
        assert_int_equal(strncmp(column(f, c), "bed.", 4), 0);
}

static void test_each_signal_once_where_it_was_asked_first(void **state) {
    Fixture *f = *state;
    record(f, (const char *[]){"bed.load.fz", "bed.load", "bed.load.fz", "bed.load"}, 4);
    assert_int_equal(f->recorder.column_count, 6);
    assert_string_equal(column(f, 0), "bed.load.fz");
    assert_string_equal(column(f, 1), "bed.load.fx");
    assert_string_equal(column(f, 2), "bed.load.fy");
    assert_string_equal(column(f, 3), "bed.load.mx");
}

static void test_matching_is_by_whole_parts_of_the_name(void **state) {
    (void)state;
    assert_true(signal_matches("bed.load.fx", "bed.load.fx"));
    assert_true(signal_matches("bed.load.fx", "bed.load"));
    assert_true(signal_matches("bed.load.fx", "bed"));
    assert_false(signal_matches("bed.load.fx", "bed.l"));
    assert_false(signal_matches("bed.load.fx", "bed."));
    assert_false(signal_matches("bed.load.fx", "bed.load.fx.y"));
    assert_false(signal_matches("bed.load.fx", "be"));
    assert_false(signal_matches("bed.load.fx", ""));
}

static void test_interval(void **state) {
    Fixture *f = *state;
    record(f, NULL, 0);
    check_near(f->recorder.every, 2e-3, 1e-18); // a thousandth of the duration
    f->definition.record.every = 0.25;
    record(f, NULL, 0);
    check_near(f->recorder.every, 0.25, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_signals_come_in_a_fixed_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_asking_for_none_gives_all_but_those_on_request, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_columns_are_in_the_order_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_group_is_all_its_members_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_signal_once_where_it_was_asked_first, set_up, tear_down),
        cmocka_unit_test(test_matching_is_by_whole_parts_of_the_name),
        cmocka_unit_test_setup_teardown(test_interval, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
