// Inputs in expressions: defaults, tables and values that were set, each with its derivatives; dimensions;
// two simulations at once; saving and loading.
#include "check.h"

#include <string.h>

#include "math/expression.h"

static Arena *arena;
static InputDefinition inputs[5];
enum { FORCE, PLACE, GAIN, BARE, SPEED, INPUT_COUNT };
static const ExpressionConstant constants[] = {{"K", 100, DIM_STIFFNESS, false, false}};
static const ExpressionSignal signals[] = {{"arm.y", DIM_LENGTH}, {"arm.vy", DIM_VELOCITY}};
static ExpressionScope scope;

// place is t^3 from -1 to 3 s.
static int set_up(void **state) {
    *state = arena = arena_create();
    if (!arena) return 1;
    double times[9], values[9];
    for (int i = 0; i < 9; i++) times[i] = -1 + 0.5 * i, values[i] = times[i] * times[i] * times[i];
    inputs[FORCE] = (InputDefinition){.name = "u", .dimension = DIM_FORCE, .fallback = 7};
    inputs[PLACE] = (InputDefinition){.name = "place", .dimension = DIM_LENGTH};
    inputs[GAIN] = (InputDefinition){.name = "gain", .fallback = 0.5};
    inputs[BARE] = (InputDefinition){.name = "bare", .bare = true, .fallback = 2};
    inputs[SPEED] = (InputDefinition){.name = "f", .dimension = DIM_FREQUENCY, .hertz = true, .fallback = 5};
    scope = (ExpressionScope){.constants = constants,
                              .constant_count = 1,
                              .signals = signals,
                              .signal_count = 2,
                              .inputs = inputs,
                              .input_count = INPUT_COUNT};
    return table_create(arena, times, values, 9, TABLE_CUBIC, TABLE_HOLD, &inputs[PLACE].table, NULL);
}

static int tear_down(void **state) {
    (void)state;
    arena_destroy(arena);
    return 0;
}

static Expression *compile(const char *text) {
    ExpressionError error = {0};
    Expression *expression = expression_compile(arena, text, &scope, &error);
    if (!expression) fail_msg("'%s': %s", text, error.text);
    return expression;
}

static TimePoint plain(double t) { return (TimePoint){.time = t}; }

static void test_defaults_and_tables(void **state) {
    (void)state;
    check_near(expression_value(compile("2*u"), plain(1), NULL), 14, 0);
    check_near(expression_value(compile("u + 1 N/s*t"), plain(3), NULL), 10, 0);
    check_near(expression_value(compile("place"), plain(1.25), NULL), 1.953125, 1e-14);
    // (t^3)^2 = t^6
    Jet jet = expression_jet(compile("place^2"), plain(1.3));
    check_near(jet.value, pow(1.3, 6), 1e-13);
    check_near(jet.rate, 6 * pow(1.3, 5), 1e-12);
    check_near(jet.second, 30 * pow(1.3, 4), 1e-10);
    jet = expression_jet(compile("u*sin(place/1 m)"), plain(0.7));
    double x = 0.343, rate = 3 * 0.49, second = 6 * 0.7;
    check_near(jet.value, 7 * sin(x), 1e-13);
    check_near(jet.rate, 7 * cos(x) * rate, 1e-12);
    check_near(jet.second, 7 * (cos(x) * second - sin(x) * rate * rate), 1e-11);
    check_near(expression_jet(compile("place"), plain(4)).rate, 0, 0); // held
}

static void test_set(void **state) {
    (void)state;
    Inputs a, b;
    assert_true(inputs_create(&a, arena, inputs, INPUT_COUNT) &&
                inputs_create(&b, arena, inputs, INPUT_COUNT));
    const Expression *expression = compile("gain*(u + K*place)");
    TimePoint now = {2, &a}, elsewhere = {2, &b};
    check_near(expression_value(expression, now, NULL), 0.5 * 807, 1e-10);
    assert_true(inputs_set(&a, FORCE, 9) && inputs_set(&b, PLACE, 3));
    check_near(expression_value(expression, now, NULL), 0.5 * 809, 1e-10);
    check_near(expression_value(expression, elsewhere, NULL), 0.5 * 307, 1e-10);
    check_near(expression_value(expression, plain(2), NULL), 0.5 * 807, 1e-10);
    // What was set wins over the table, and does not change with time.
    Jet jet = expression_jet(expression, elsewhere);
    check_near(fabs(jet.rate) + fabs(jet.second), 0, 0);
    check_near(expression_jet(expression, now).rate, 0.5 * 100 * 12, 1e-9);
    check_near(inputs_jet(&b, PLACE, 1).value, 3, 0);
    assert_false(inputs_set(&a, GAIN, NAN) || inputs_set(&a, GAIN, INFINITY));
    check_near(inputs_jet(&a, GAIN, 0).value, 0.5, 0);
    assert_int_equal(input_find(inputs, INPUT_COUNT, "gain"), GAIN);
    assert_int_equal(input_find(inputs, INPUT_COUNT, "again"), -1);
}

// With respect to a signal, the rate of a table does not count.
static void test_derivative_by_signal(void **state) {
    (void)state;
    const Expression *expression = compile("-K*(arm.y - place) + gain*u*arm.vy/1 m*1 s");
    double values[] = {0.1, 0.2};
    check_near(expression_derivative(expression, plain(1), values, 0), -100, 1e-13);
    check_near(expression_derivative(expression, plain(1), values, 1), 3.5, 1e-14);
    size_t places[] = {4, 3};
    const Expression *copy = expression_renumber(arena, expression, places);
    double others[] = {0, 0, 0, 0.2, 0.1};
    check_near(expression_value(copy, plain(1), others), expression_value(expression, plain(1), values), 0);
}

static void test_kinds(void **state) {
    (void)state;
    char buffer[256];
    const Expression *expression = compile("u*place + u*place");
    assert_true(dimension_equal(expression_dimension(expression), DIM_MOMENT));
    assert_false(expression_is_constant(expression) || expression_is_bare(expression));
    assert_int_equal(expression_input_count(expression), 2);
    assert_ptr_equal(expression_input(expression, 0), &inputs[FORCE]);
    assert_ptr_equal(expression_input(expression, 1), &inputs[PLACE]);
    assert_int_equal(expression_input_count(compile("K*arm.y")), 0);
    assert_false(expression_is_constant(compile("0*u")));
    assert_true(expression_is_bare(compile("bare + 1")));
    assert_null(expression_misfit(compile("bare"), DIM_FORCE, buffer, sizeof buffer));
    assert_non_null(expression_misfit(compile("u"), DIM_LENGTH, buffer, sizeof buffer));
    assert_string_equal(buffer, "expected a length (m), got a force (N)");
    assert_non_null(expression_misfit(compile("f"), DIM_ANGULAR_VELOCITY, buffer, sizeof buffer));
    assert_non_null(strstr(buffer, "a frequency in Hz"));
    ExpressionError error;
    assert_null(expression_compile(arena, "u + place", &scope, &error));
    assert_string_equal(error.text, "cannot add a force (N) and a length (m)");
    assert_null(expression_compile(arena, "2*plce", &scope, &error));
    assert_string_equal(error.text, "unknown name 'plce': did you mean 'place'?");
    assert_null(expression_compile(arena, "2 u", &scope, &error));
    assert_string_equal(error.text, "a product needs its sign: write '*' before 'u'");
    assert_null(expression_compile(arena, "2^gain", &scope, &error));
    assert_string_equal(error.text, "the exponent must be a constant");
}

static void test_archive(void **state) {
    (void)state;
    Inputs before, after;
    assert_true(inputs_create(&before, arena, inputs, INPUT_COUNT) &&
                inputs_create(&after, arena, inputs, INPUT_COUNT));
    Archive *archive = archive_memory_create();
    inputs_set(&before, GAIN, 0.125);
    inputs_set(&after, FORCE, 3); // forgotten again
    archive_memory_save(archive);
    inputs_archive(&before, archive);
    archive_memory_load(archive);
    inputs_archive(&after, archive);
    assert_int_equal(archive_status(archive, NULL), MRC_OK);
    check_near(inputs_jet(&after, GAIN, 0).value, 0.125, 0);
    check_near(inputs_jet(&after, FORCE, 0).value, 7, 0);
    assert_true(isnan(after.values[PLACE]));
    before.values[GAIN] = INFINITY; // a checkpoint from a stranger
    archive_memory_save(archive);
    inputs_archive(&before, archive);
    assert_int_equal(archive_status(archive, NULL), MRC_CHECKPOINT);
    archive_destroy(archive);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_and_tables),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_derivative_by_signal),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_archive),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
