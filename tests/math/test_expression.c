// Expressions: values, dimensions, messages, derivatives, and what happens to garbage.
#include "check.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "math/expression.h"

static const double pi = 3.14159265358979323846;

static const ExpressionConstant constants[] = {
    {"f", 15.5, DIM_FREQUENCY, false, true},
    {"F0", 0.25, DIM_FORCE, false, false},
    {"v0", 2, DIM_VELOCITY, false, false},
    {"count", 3, DIM_NUMBER, true, false},
    {"omega", 7, DIM_ANGULAR_VELOCITY, false, false},
    {"K", 100, DIM_STIFFNESS, false, false},
};
static const ExpressionSignal signals[] = {
    {"support.y", DIM_LENGTH}, {"damper.load.fy", DIM_FORCE}, {"shell.vy", DIM_VELOCITY}};
static const ExpressionScope scope = {
    .constants = constants,
    .constant_count = sizeof constants / sizeof *constants,
    .signals = signals,
    .signal_count = 3,
};

static Arena *arena;

static TimePoint time_point(double t) { return (TimePoint){.time = t}; }

static int set_up(void **state) { return *state = arena = arena_create(), arena ? 0 : 1; }
static int tear_down(void **state) {
    (void)state;
    arena_destroy(arena);
    return 0;
}

static Expression *compile(const char *text) {
    ExpressionError error = {0};
    Expression *expression = expression_compile(arena, text, &scope, &error);
    if (!expression) fail_msg("'%s': %s (at %zu)", text, error.text, error.offset);
    return expression;
}

static void check_value_at(const char *text, double t, double expected) {
    const double measured[] = {0.5, -3, 4};
    double value = expression_value(compile(text), time_point(t), measured);
    if (fabs(value - expected) > 1e-14 * fabs(expected))
        fail_msg("'%s' = %.17g, not %.17g", text, value, expected);
}

static void check_value(const char *text, double expected) { check_value_at(text, 0.25, expected); }

static void check_kind(const char *text, Dimension dimension, bool bare) {
    const Expression *expression = compile(text);
    char found[96], expected[96];
    if (!dimension_equal(expression_dimension(expression), dimension))
        fail_msg("'%s' is %s, not %s", text,
                 dimension_describe(expression_dimension(expression), found, sizeof found),
                 dimension_describe(dimension, expected, sizeof expected));
    if (expression_is_bare(expression) != bare) fail_msg("'%s' is %sbare", text, bare ? "not " : "");
}

static void check_error(const char *text, size_t offset, const char *message) {
    ExpressionError error = {0};
    if (expression_compile(arena, text, &scope, &error)) fail_msg("'%s' compiles", text);
    if (error.offset != offset || !strstr(error.text, message))
        fail_msg("'%s' fails at %zu with '%s', not at %zu with '%s'", text, error.offset, error.text, offset,
                 message);
}

// ---- values --------------------------------------------------------------------------------------

static void test_numbers(void **state) {
    (void)state;
    check_value("1e-3", 1e-3);
    check_value(".5", 0.5);
    check_value("5.", 5);
    check_value("1E+2", 100);
    check_value("0.1", 0.1);
    check_value("  7\t\n", 7);
    check_value("1e-400", 0);
    check_error("1e400", 0, "too large");
    check_error("1e308 km", 0, "too large");
    check_error("nan", 0, "unknown name 'nan'");
    check_error("inf", 0, "unknown name 'inf'");
    check_error("0x10", 1, "unknown unit 'x10'");
    check_error(".", 0, "expected a number");
    check_error("1.2.3", 3, "expected an operator");
    check_error("1 2", 2, "expected an operator");
}

static void test_quantities(void **state) {
    (void)state;
    // Exact: a quantity is the double that its SI value would be read as.
    assert_true(expression_value(compile("58 mm"), time_point(0), NULL) == 0.058);
    assert_true(expression_value(compile("11.84mm"), time_point(0), NULL) == 0.01184);
    assert_true(expression_value(compile("0.25 g"), time_point(0), NULL) == 0.00025);
    assert_true(expression_value(compile("2.66 kg*mm^2"), time_point(0), NULL) == 2.66e-6);
    check_value("40 N*m/deg", 40 * 180 / pi);
    check_value("11344 kg/m^3", 11344);
    check_value("210 GPa", 210e9);
    check_value("-9.81 m/s^2", -9.81);
    check_value("720 rpm", 24 * pi);
    check_value("5 %", 0.05);
    check_value("3 \xC2\xB5m", 3e-6);
    check_value("3 kg*m^2/s", 3);
    check_value("40 N/(mm*s)", 40e3);
    check_value("40 N/(mm*s)^2", 40e6);
    check_value("2 s^-1", 2);
    check_value("4 N / (2 m)", 2);
    check_kind("58 mm", DIM_LENGTH, false);
    check_kind("40 N*m/deg", DIMENSION(2, 1, -2, -1), false);
    check_kind("11344 kg/m^3", DIM_DENSITY, false);
    check_kind("40 N/(m*s)", DIMENSION(0, 1, -3, 0), false);
    check_kind("40 N/(m*s)^2", DIMENSION(-1, 1, -4, 0), false);
    check_kind("15.5 Hz", DIM_FREQUENCY, false);
    check_kind("15.5 rpm", DIM_ANGULAR_VELOCITY, false);
    check_kind("5 %", DIM_NUMBER, false);
}

static void test_where_units_end(void **state) {
    (void)state;
    check_value("2*pi*12 Hz*t", 2 * pi * 12 * 0.25);
    check_value("9.81 m/s^2*t^2", 9.81 / 16);
    check_kind("9.81 m/s^2*t^2", DIM_LENGTH, false);
    check_value("2 m/s*2*t", 1);
    check_value("2 m*support.y", 1);
    check_value("3 N*max(1, 2)", 6);
    check_value("3 m/(2 s)", 1.5);
    check_error("F0*m", 3, "m is a unit: write 1 m");
    check_error("40 N/(m*t)", 6, "m is a unit: write 1 m");
    check_error("\xC2\xB5m", 0, "is a unit");
    check_error("2 m^2.5", 4, "whole number");
    check_error("2 m^x", 4, "whole number");
    check_error("2 m^2^2", 5, "power of a power");
    check_error("2 m^21", 4, "at most 20");
    check_error("2 m^99999999999999999999", 4, "at most 20");
    check_error("2 m^20*m", 2, "out of range");
    check_error("2 Tm^20*Tm^20", 2, "out of range");
    check_error("3 furlong", 2, "unknown unit 'furlong'");
    check_error("3 Mpa", 2, "did you mean 'MPa'?");
    check_error("3 Nm", 2, "did you mean 'N*m'?");
    check_error("2 pi", 2, "write '*' before 'pi'");
    check_error("2 F0", 2, "write '*' before 'F0'");
    check_error("2 t", 2, "write '*' before 't'");
}

static void test_operators(void **state) {
    (void)state;
    check_value("1 + 2*3", 7);
    check_value("(1 + 2)*3", 9);
    check_value("10 - 4 - 3", 3);
    check_value("64/4/2", 8);
    check_value("2^3^2", 512);
    check_value("-2^2", -4);
    check_value("2^-1", 0.5);
    check_value("4^0.5", 2);
    check_value("8^(1/3)", 2);
    check_value("2*-3", -6);
    check_value("--3", 3);
    check_value("+3", 3);
    check_value("1 - -t", 1.25);
    check_value("t^2", 0.0625);
    check_value("count*2", 6);
    check_value("F0*sin(2*pi*f*t)", 0.25 * sin(2 * pi * 15.5 * 0.25));
    check_value("0.001*sin(2*pi*12*t)", 0.001 * sin(2 * pi * 12 * 0.25));
    check_value("-K*(support.y - 1)", 50);
    check_value("damper.load.fy + shell.vy*1 N*s/m", 1);
}

static void test_functions(void **state) {
    (void)state;
    check_value("sin(1)", sin(1));
    check_value("cos(60 deg)", cos(pi / 3));
    check_value("tan(1)", tan(1));
    check_value("asin(0.5)", asin(0.5));
    check_value("acos(0.5)", acos(0.5));
    check_value("atan(0.5)", atan(0.5));
    check_value("atan2(-1, -2)", atan2(-1, -2));
    check_value("sinh(1) + cosh(1) + tanh(1)", sinh(1) + cosh(1) + tanh(1));
    check_value("exp(1)", exp(1));
    check_value("log(2)", log(2));
    check_value("log10(1000)", 3);
    check_value("sqrt(2)", sqrt(2));
    check_value("abs(-2)", 2);
    check_value("sign(-2) + sign(0) + 4*sign(3)", 3);
    check_value("min(3, 1, 2)", 1);
    check_value("max(3, 1, 2, 9)", 9);
    check_value("step(-1) + 2*step(0) + 4*step(1)", 6);
    check_value("step(1, 2) + 2*step(2, 2)", 2);
    check_value("ramp(-1) + ramp(0.25) + ramp(7)", 1.25);
    check_value("ramp(3 s, 2 s, 4 s)", 0.5);
    check_value("ramp(3, 4, 2)", 0.5);
    check_value("ramp(3, 3, 3) + 2*ramp(2, 3, 3)", 1);
    check_value("smooth(3, 2, 4)", 0.5);
    check_value("smooth(1, 2, 4) + 2*smooth(5, 2, 4)", 2);
    check_value("smooth(0.25)", 10 * pow(0.25, 3) - 15 * pow(0.25, 4) + 6 * pow(0.25, 5));
    check_value("sin (1)", sin(1));
}

static void test_function_errors(void **state) {
    (void)state;
    check_error("sin()", 0, "sin takes 1 argument, got 0");
    check_error("sin(1, 2)", 0, "sin takes 1 argument, got 2");
    check_error("1 + atan2(1)", 4, "atan2 takes 2 arguments, got 1");
    check_error("max(1)", 0, "max takes 2 to 63 arguments, got 1");
    check_error("step(1, 2, 3)", 0, "step takes 1 or 2 arguments, got 3");
    check_error("ramp(1, 2)", 0, "ramp takes 1 or 3 arguments, got 2");
    check_error("sine(1)", 0, "unknown function 'sine': did you mean 'sin'?");
    check_error("sqr(1)", 0, "did you mean 'sqrt'?");
    check_error("ln(1)", 0, "did you mean 'log'?");
    check_error("quux(1)", 0, "unknown function 'quux'");
    check_error("2*f1", 2, "unknown name 'f1'");
    check_error("suport.y", 0, "did you mean 'support.y'?");
    check_error("sin + 1", 0, "sin is a function: write sin(...)");
    check_error("F0(3)", 0, "unknown function 'F0'");
}

static void test_syntax_errors(void **state) {
    (void)state;
    check_error("", 0, "missing at the end");
    check_error("   ", 3, "missing at the end");
    check_error("1 +", 3, "missing at the end");
    check_error("(1", 0, "never closed");
    check_error("1)", 1, "expected an operator, found ')'");
    check_error("sin(1", 5, "expected ',' or ')'");
    check_error("sin(1,)", 6, "expected a number or a name, found ')'");
    check_error("1 # 2", 2, "found '#'");
    check_error("t \xC3\x97 2", 2, "only ASCII");
    check_error("1 + \x01", 4, "control character");
    check_error("2^t", 2, "must be a constant");
    check_error("2^(1 m)", 2, "pure number");
    check_error("2^(1/0)", 2, "not finite");
}

// ---- dimensions ----------------------------------------------------------------------------------

static void test_product_rules(void **state) {
    (void)state;
    check_kind("2", DIM_NUMBER, true);
    check_kind("t", DIM_TIME, true);
    check_kind("pi", DIM_NUMBER, true);
    check_kind("count", DIM_NUMBER, true);
    check_kind("2*F0", DIM_FORCE, false);
    check_kind("v0*t", DIM_LENGTH, false);
    check_kind("2*t", DIM_TIME, true);
    check_kind("2/t", DIM_FREQUENCY, true);
    check_kind("f*t", DIM_NUMBER, false);
    check_kind("0.001*sin(2*pi*f*t)", DIM_NUMBER, true);
    check_kind("sin(t)*sin(t)", DIM_NUMBER, false);
    check_kind("F0/v0", DIM_DAMPING, false);
    check_kind("-F0", DIM_FORCE, false);
    check_kind("support.y", DIM_LENGTH, false);
    check_error("(1 m)^20*(1 m)", 8, "beyond 20");
}

static void test_sum_rules(void **state) {
    (void)state;
    check_kind("1 m + 2 mm", DIM_LENGTH, false);
    check_kind("1 + 2 mm", DIM_LENGTH, false);
    check_kind("2 mm - 1", DIM_LENGTH, false);
    check_kind("t + 1 m", DIM_LENGTH, false);
    check_kind("t - 0.5", DIM_TIME, true);
    check_kind("1 + t", DIM_TIME, true);
    check_kind("t + t^2", DIM_NUMBER, true);
    check_kind("1 + 2", DIM_NUMBER, true);
    check_kind("5 deg + sin(t)", DIM_ANGLE, false);
    check_kind("sin(t) + 5 deg", DIM_ANGLE, false);
    check_error("1 m + 2 s", 4, "cannot add a length (m) and a time (s)");
    check_error("t*(F0 - v0)", 6, "difference of a force (N) and a velocity (m/s)");
    check_error("1 m + sin(t)", 4, "cannot add a length (m) and a pure number");
    check_error("1 rad^2 + 1 rad", 8, "cannot add");
}

static void test_power_rules(void **state) {
    (void)state;
    check_kind("(2 m)^2", DIM_AREA, false);
    check_kind("(2 m)^0.5", ((Dimension){6, 0, 0, 0}), false);
    check_kind("((2 m)^(1/3))^3", DIM_LENGTH, false);
    check_kind("sqrt(4 m^2)", DIM_LENGTH, false);
    check_kind("sqrt(t)", ((Dimension){0, 0, 6, 0}), true);
    check_kind("t^2", ((Dimension){0, 0, 24, 0}), true);
    check_kind("t^0.3", DIM_NUMBER, true); // SI numbers are meant
    check_kind("t^100", DIM_NUMBER, true);
    check_kind("2^0.3", DIM_NUMBER, true);
    check_error("(2 m)^0.3", 6, "to the power 0.3");
    check_error("(2 m)^21", 6, "to the power 21");
    check_error("(2 m)^1e300", 6, "to the power 1e+300");
    check_error("sqrt(sqrt(sqrt(2 m)))", 0, "to the power 0.5");
}

static void test_function_rules(void **state) {
    (void)state;
    check_kind("sin(30 deg)", DIM_NUMBER, false);
    check_kind("sin(t)", DIM_NUMBER, false);
    check_kind("sin(f*t)", DIM_NUMBER, false);
    check_kind("cos(omega*t)", DIM_NUMBER, false);
    check_error("sin(1 m)", 4, "sin needs an angle or a pure number, got a length (m)");
    check_kind("exp(-t/0.1)", DIM_NUMBER, false);
    check_kind("exp(-t/(0.1 s))", DIM_NUMBER, false);
    check_error("exp(1 s)", 4, "exp needs a pure number, got a time (s)");
    check_error("2*log(5 deg)", 6, "log needs a pure number, got an angle (rad)");
    check_error("asin(5 deg)", 5, "asin needs a pure number");
    check_kind("abs(-F0)", DIM_FORCE, false);
    check_kind("abs(t)", DIM_TIME, true);
    check_kind("sign(F0)", DIM_NUMBER, false);
    check_kind("min(1 m, 2)", DIM_LENGTH, false);
    check_kind("max(1, t)", DIM_TIME, true);
    check_error("min(1 m, 2 s)", 9, "cannot compare a length (m) and a time (s)");
    check_kind("atan2(1 m, 2 m)", DIM_NUMBER, false);
    check_error("atan2(1 m, 2 s)", 11, "cannot compare");
    check_kind("step(t, 2 s)", DIM_NUMBER, false);
    check_error("step(v0, 2 s)", 9, "cannot compare");
    check_kind("step(support.y)", DIM_NUMBER, false);
    check_kind("smooth(t, 0, 1 s)", DIM_NUMBER, false);
    check_error("ramp(support.y)", 0, "ramp(x, begin, end)");
    check_error("ramp(t, 1 s, 2 m)", 13, "cannot compare");
}

static void check_misfit(const char *text, Dimension expected, const char *message) {
    char buffer[200];
    const char *misfit = expression_misfit(compile(text), expected, buffer, sizeof buffer);
    if (!message && misfit) fail_msg("'%s' does not fit: %s", text, misfit);
    if (!message) return;
    if (!misfit) fail_msg("'%s' fits", text);
    assert_string_equal(misfit, message);
}

static void test_misfit(void **state) {
    (void)state;
    check_misfit("3", DIM_LENGTH, NULL);
    check_misfit("t", DIM_LENGTH, NULL);
    check_misfit("0.001*sin(2*pi*f*t)", DIM_LENGTH, NULL);
    check_misfit("3 mm", DIM_LENGTH, NULL);
    check_misfit("3 s", DIM_LENGTH, "expected a length (m), got a time (s)");
    check_misfit("F0*sin(2*pi*f*t)", DIM_FORCE, NULL);
    check_misfit("sin(t)", DIM_FORCE, "expected a force (N), got a pure number: multiply it by 1 N");
    check_misfit("sin(t)", DIM_ANGLE, NULL);
    check_misfit("5 deg", DIM_NUMBER,
                 "expected a pure number, got an angle (rad): to drop the angle, divide by 1 rad");
    check_misfit("40 N*m", DIMENSION(2, 1, -2, -1), NULL);
    const char *advice = "12 Hz is a frequency; for an angular velocity write 2*pi*12 rad/s or 720 rpm";
    check_misfit("12 Hz", DIM_ANGULAR_VELOCITY, advice);
    check_misfit("(12 Hz)", DIM_ANGULAR_VELOCITY, advice);
    check_misfit("12 Hz", DIM_FREQUENCY, NULL);
    check_misfit("12 Hz", DIM_LENGTH, "expected a length (m), got a frequency (Hz)");
    check_misfit("2*pi*12 Hz", DIM_ANGULAR_VELOCITY, NULL);
    check_misfit("2*pi*12 rad/s", DIM_ANGULAR_VELOCITY, NULL);
    check_misfit("12 s^-1", DIM_ANGULAR_VELOCITY, NULL);
    assert_true(expression_is_hertz(compile("-12 kHz")));
    assert_true(expression_is_hertz(compile("f"))); // a constant given in Hz
    assert_false(expression_is_hertz(compile("12 s^-1")));
    assert_false(expression_is_hertz(compile("12 Hz^2")));
    assert_false(expression_is_hertz(compile("2*12 Hz")));
    assert_false(expression_is_hertz(compile("12 Hz*m")));
}

// ---- what is known of an expression --------------------------------------------------------------

static void test_queries(void **state) {
    (void)state;
    assert_true(expression_is_constant(compile("F0*sin(2*pi*3)^2 + min(1, 2)*1 N")));
    assert_true(expression_is_constant(compile("1/0"))); // not finite, but that is for the caller to say
    assert_true(isinf(expression_value(compile("1/0"), time_point(0), NULL)));
    assert_false(expression_is_constant(compile("0*t")));
    assert_false(expression_is_constant(compile("support.y")));
    const Expression *expression = compile("support.y*(shell.vy + shell.vy)*support.y");
    assert_int_equal(expression_signal_count(expression), 2);
    assert_int_equal(expression_signal(expression, 0), 0);
    assert_int_equal(expression_signal(expression, 1), 2);
    check_near(expression_value(expression, time_point(0), NULL), 0, 0);
    check_near(expression_jet(compile("t + support.y*2"), time_point(3)).value, 3, 0);
    assert_int_equal(expression_signal_count(compile("t")), 0);
    const Expression *value = expression_from_value(arena, 9.81, DIM_ACCELERATION);
    assert_true(expression_is_constant(value));
    assert_false(expression_is_bare(value));
    check_near(expression_jet(value, time_point(5)).value, 9.81, 0);
    // Neither a scope nor a place for the error is needed.
    assert_non_null(expression_compile(arena, "2*t", NULL, NULL));
    assert_null(expression_compile(arena, "2*x", NULL, NULL));
}

static void test_taken_words(void **state) {
    (void)state;
    assert_string_equal(expression_word_meaning("t"), "the time");
    assert_string_equal(expression_word_meaning("pi"), "the number pi");
    assert_string_equal(expression_word_meaning("sin"), "a function");
    assert_string_equal(expression_word_meaning("mm"), "a unit");
    assert_string_equal(expression_word_meaning("g"), "a unit");
    assert_null(expression_word_meaning("F0"));
    assert_null(expression_word_meaning(""));
}

// ---- derivatives ---------------------------------------------------------------------------------

// The rate against the difference quotient of the value, the second derivative against that of the rate.
static void check_jet(const char *text, double t) {
    const Expression *expression = compile(text);
    const double h = 1e-5;
    Jet at = expression_jet(expression, time_point(t)), left = expression_jet(expression, time_point(t - h)),
        right = expression_jet(expression, time_point(t + h));
    double rate = (right.value - left.value) / (2 * h), second = (right.rate - left.rate) / (2 * h);
    double value = expression_value(expression, time_point(t), NULL);
    double scale = 1 + fabs(at.value) + fabs(at.rate) + fabs(at.second);
    if (fabs(at.value - value) > 1e-15 * scale || fabs(at.rate - rate) > 1e-6 * scale ||
        fabs(at.second - second) > 1e-6 * scale)
        fail_msg("'%s' at %g: %g %g %g, but the differences say %g %g %g", text, t, at.value, at.rate,
                 at.second, value, rate, second);
}

static void test_jets_of_functions(void **state) {
    (void)state;
    static const char *const texts[] = {"3",
                                        "t",
                                        "-t",
                                        "t + t^2",
                                        "1 - t^3",
                                        "(t + 1)*(t^2 - 2)",
                                        "(t - 4)/(t^2 + 1)",
                                        "t^-2",
                                        "t^2.5",
                                        "t^-1.5",
                                        "(t^2 + 1)^20",
                                        "sin(t^2)",
                                        "cos(3*t)",
                                        "tan(t/4)",
                                        "asin(t/5)",
                                        "acos(t/5)",
                                        "atan(t^2)",
                                        "sinh(t)",
                                        "cosh(t)",
                                        "tanh(t)",
                                        "exp(-t^2)",
                                        "log(t)",
                                        "log10(t)",
                                        "sqrt(t)",
                                        "sqrt(1 + t^2)",
                                        "abs(sin(t))",
                                        "abs(-t)",
                                        "sign(t)*t",
                                        "atan2(t, 2 - t)",
                                        "atan2(sin(t), -2)",
                                        "min(t, t^2, 3)",
                                        "max(sin(t), cos(t))",
                                        "step(t)",
                                        "step(t, 1.1)*t",
                                        "ramp(t/3)",
                                        "ramp(t, 0, 3)",
                                        "ramp(t, 5 + t^2, t)",
                                        "ramp(t, 0, 0.1)",
                                        "smooth(t, 0, 3)",
                                        "smooth(t/3)",
                                        "smooth(t^2, t, 5)",
                                        "smooth(t, 3, 0)",
                                        "smooth(t, 0, 0.1)"};
    static const double times[] = {0.3, 0.77, 1.4, 2.2};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) check_jet(texts[i], times[k]);
}

// A random smooth expression whose derivatives stay moderate, appended to text.
static void write_random(Random *random, char *text, size_t size, int depth) {
    static const char *const wrappers[] = {
        "sin(", "cos(", "tanh(", "atan(", "exp(-1*", "sqrt(2 + sin(", "smooth(0.5 + 0.4*sin("};
    static const char *const closers[] = {")", ")", ")", ")", "^2)", "))", "))"};
    static const char *const operators[] = {" + ", " - ", "*", "/(3 + sin(t))*"};
    size_t used = strlen(text);
    unsigned choice = (unsigned)(random_bits(random) >> 32) % 10;
    if (depth == 0) {
        snprintf(text + used, size - used, choice < 5 ? "t" : choice < 8 ? "(t + 1.%u)" : "0.%u", choice);
    } else if (choice < 5) {
        unsigned which = (unsigned)(random_bits(random) >> 32) % 7;
        snprintf(text + used, size - used, "%s(", wrappers[which]);
        write_random(random, text, size, depth - 1);
        used = strlen(text);
        snprintf(text + used, size - used, ")%s", closers[which]);
    } else {
        snprintf(text + used, size - used, "sin((");
        write_random(random, text, size, depth - 1);
        used = strlen(text);
        snprintf(text + used, size - used, ")%s(", operators[choice % 4]);
        write_random(random, text, size, depth - 1);
        used = strlen(text);
        snprintf(text + used, size - used, "))");
    }
}

static void test_jets_of_compositions(void **state) {
    (void)state;
    Random random = {42};
    for (int i = 0; i < 300; i++) {
        char text[4096] = "";
        write_random(&random, text, sizeof text, 1 + i % 4);
        check_jet(text, 0.2 + random_uniform(&random));
    }
}

static void check_jet_is(const char *text, double t, double value, double rate, double second) {
    Jet jet = expression_jet(compile(text), time_point(t));
    if (!(jet.value == value && jet.rate == rate && jet.second == second))
        fail_msg("'%s' at %g: %g %g %g, expected %g %g %g", text, t, jet.value, jet.rate, jet.second, value,
                 rate, second);
}

static void test_jets_at_kinks(void **state) {
    (void)state;
    check_jet_is("t^0", 0, 1, 0, 0);
    check_jet_is("t^1", 0, 0, 1, 0);
    check_jet_is("t^2", 0, 0, 0, 2);
    check_jet_is("t^3", 0, 0, 0, 0);
    check_jet_is("t^20", 0, 0, 0, 0);
    check_jet_is("t^2.5", 0, 0, 0, 0);
    check_jet_is("t^1.5", 0, 0, 0, INFINITY);
    check_jet_is("t*sqrt(t)", 0, 0, 0, INFINITY);
    check_jet_is("sqrt(t)", 0, 0, INFINITY, -INFINITY);
    check_jet_is("sqrt(t + t^2)", 0, 0, INFINITY, -INFINITY);
    check_jet_is("sqrt(t^2)", 0, 0, 1, 0);
    check_jet_is("sqrt(0*t)", 0, 0, 0, 0);
    check_jet_is("0*sqrt(t)", 0, 0, 0, 0);
    check_jet_is("(-t)^2", 0, 0, 0, 2);
    check_jet_is("abs(t)", 0, 0, 1, 0);
    check_jet_is("abs(-t)", 0, 0, 1, 0);
    check_jet_is("abs(1 - t^2)", 1, 0, 2, 2);
    check_jet_is("min(t, 2*t)", 0, 0, 1, 0);
    check_jet_is("max(t, 2*t)", 0, 0, 2, 0);
    check_jet_is("step(t)", 0, 1, 0, 0);
    check_jet_is("ramp(t)", 0, 0, 1, 0);
    check_jet_is("ramp(t)", 1, 1, 0, 0);
    check_jet_is("ramp(-t)", 0, 0, 0, 0);
    check_jet_is("ramp(1 - t)", 0, 1, -1, 0);
    check_jet_is("smooth(t)", 0, 0, 0, 0);
    check_jet_is("smooth(t)", 1, 1, 0, 0);
    check_jet_is("ramp(t, 2, 2)", 2, 1, 0, 0);
    check_jet_is("atan2(0*t, t)", 0, 0, 0, 0);
    check_jet_is("tanh(1e3*t)", 1e3, 1, 0, 0);
    check_jet_is("atan(t)^0", 1e200, 1, 0, 0);
}

// ---- robustness ----------------------------------------------------------------------------------

static void fill(char *text, size_t size, const char *piece, size_t count) {
    size_t length = strlen(piece), used = strlen(text);
    for (size_t i = 0; i < count && used + length < size; i++, used += length)
        memcpy(text + used, piece, length + 1);
}

// Against the difference quotient in each signal, for values on either side of every branch.
static void test_derivatives_by_signals(void **state) {
    (void)state;
    static const char *const texts[] = {
        "-200 N/m*(support.y - 3 mm) - 4 N*s/m*shell.vy",
        "damper.load.fy*sin(support.y/1 m)^3*t",
        "sqrt(support.y*1 m) + 1 s*shell.vy^3/(1 m^2/s^2)",
        "max(support.y, 1 s*shell.vy)*min(damper.load.fy, 2 N)",
        "abs(damper.load.fy)*sign(shell.vy)*exp(-support.y/1 m)",
        "atan2(support.y, 1 s*shell.vy)*t",
        "smooth(shell.vy, 1 m/s, 6 m/s)*damper.load.fy/support.y",
        "t^2",
    };
    const double values[] = {0.7, -3, 4}, t = 1.3, h = 1e-6;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < 3; k++) {
            const Expression *expression = compile(texts[i]);
            double left[] = {values[0], values[1], values[2]}, right[] = {values[0], values[1], values[2]};
            left[k] -= h, right[k] += h;
            double quotient = (expression_value(expression, time_point(t), right) -
                               expression_value(expression, time_point(t), left)) /
                              (2 * h);
            check_near(expression_derivative(expression, time_point(t), values, k), quotient,
                       1e-7 * (1 + fabs(quotient)));
        }
    // At the kink, for growing values.
    const double still[] = {0, 0, 0};
    check_near(expression_derivative(compile("abs(support.y)"), time_point(0), still, 0), 1, 0);
    check_near(expression_derivative(compile("max(shell.vy, 0)"), time_point(0), NULL, 2), 1, 0);
}

static void test_renumbered_signals(void **state) {
    (void)state;
    const Expression *expression = compile("shell.vy*1 s - 2*support.y + 0*shell.vy*1 s");
    const size_t places[] = {0, 5};
    assert_int_equal(expression_signal_count(expression), 2);
    assert_int_equal(expression_signal(expression, 0), 2);
    const Expression *copy = expression_renumber(arena, expression, places);
    const double values[] = {7, 0, 0, 0, 0, 0.25};
    check_near(expression_value(copy, time_point(0), values), 6.5, 0);
    check_near(expression_derivative(copy, time_point(0), values, 5), -2, 0);
    assert_int_equal(expression_signal(copy, 1), 5);
    assert_int_equal(expression_signal(expression, 0), 2); // the original stays as it was
}

static void test_limits(void **state) {
    (void)state;
    static const char *const nests[] = {"(", "-", "sin(", "2^", "t+(", "min(1,", "t*-", "1 m/("};
    char text[8192];
    ExpressionError error;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        text[0] = '\0';
        fill(text, 4096, nests[i], 4000);
        assert_null(expression_compile(arena, text, &scope, &error));
        assert_true(error.offset <= strlen(text));
    }
    // Just deep enough, and one more.
    text[0] = '\0';
    fill(text, sizeof text, "(", 99), strcat(text, "t"), fill(text, sizeof text, ")", 99);
    check_near(expression_value(compile(text), time_point(3), NULL), 3, 0);
    text[0] = '\0';
    fill(text, sizeof text, "(", 100), strcat(text, "t"), fill(text, sizeof text, ")", 100);
    check_error(text, 100, "nested more than 100 deep");
    // As many operands as the stack takes, and one more.
    strcpy(text, "max(t");
    fill(text, sizeof text, ",t", 62), strcat(text, ")");
    check_near(expression_value(compile(text), time_point(3), NULL), 3, 0);
    strcpy(text, "max(t");
    fill(text, sizeof text, ",t", 64), strcat(text, ")");
    assert_null(expression_compile(arena, text, &scope, &error));
    assert_non_null(strstr(error.text, "more than 64 operands"));
    strcpy(text, "max(t");
    fill(text, sizeof text, ",t", 63), strcat(text, ")");
    assert_null(expression_compile(arena, text, &scope, &error));
    // A long but flat sum is fine up to the limit.
    strcpy(text, "t");
    fill(text, sizeof text, "+t", 2047);
    check_near(expression_value(compile(text), time_point(1), NULL), 2048, 0);
    fill(text, sizeof text, "+t", 1);
    check_error(text, 0, "longer than 4096 bytes");
    memset(text, '1', 200), text[200] = '\0';
    check_error(text, 0, "a number of more than");
    memset(text, 'x', 4000), text[4000] = '\0';
    check_error(text, 0, "unknown name 'xxxx");
}

static const char *const tokens[] = {
    "t",         "pi",    "1",       "2.5",    "1e3",       "1e300", "0",        " ",    "+",  "-",
    "*",         "/",     "^",       "(",      ")",         ",",     ".",        "m",    "mm", "s^-1",
    "kg",        "Hz",    "rad",     "%",      "\xC2\xB5m", "\xC2",  "\xCE\xBC", "\xFF", "F0", "f",
    "support.y", "sin(",  "sqrt(",   "atan2(", "ramp(",     "min(",  "log(",     "x",    "e",  "_",
    "\x01",      "asin(", "smooth(", "abs(",   "exp(",      "m^20",  "^9",       "^0.5"};

// Whatever comes, an error lies within the text, and what compiles evaluates, with jets, to the same value.
static void check_any(const char *text) {
    ExpressionError error = {0};
    const Expression *expression = expression_compile(arena, text, &scope, &error);
    if (!expression) {
        assert_true(error.offset <= strlen(text));
        assert_true(error.text[0] != '\0' && strlen(error.text) < sizeof error.text);
        return;
    }
    char buffer[200];
    expression_misfit(expression, DIM_LENGTH, buffer, sizeof buffer);
    for (int i = -1; i < 2; i++) {
        double value = expression_value(expression, time_point(i), NULL),
               jet = expression_jet(expression, time_point(i)).value;
        if (!(value == jet || (isnan(value) && isnan(jet)))) fail_msg("'%s': %g and %g", text, value, jet);
    }
}

static void test_garbage(void **state) {
    (void)state;
    Random random = {7};
    char text[600];
    for (int i = 0; i < 200000; i++) {
        size_t length = 0, count = 1 + random_bits(&random) % 24;
        text[0] = '\0';
        if (i % 4 == 0) {
            for (; length < count; length++) text[length] = (char)(1 + random_bits(&random) % 255);
            text[length] = '\0';
        } else
            for (size_t k = 0; k < count; k++)
                strcat(text, tokens[random_bits(&random) % (sizeof tokens / sizeof *tokens)]);
        check_any(text);
    }
}

static void test_locale(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof commas / sizeof *commas && !set; i++) set = setlocale(LC_ALL, commas[i]);
    if (!set) skip_without("locales-all", "formulas are not read with a decimal comma in force");
    check_value("1.5", 1.5);
    check_error("1,5", 1, "expected an operator");
    setlocale(LC_ALL, "C");
}

// ---- units alone ---------------------------------------------------------------------------------
static void check_units(const char *text, double factor, Dimension dimension, bool hertz) {
    Units units;
    ExpressionError error = {0};
    if (!expression_units(text, &units, &error)) fail_msg("'%s': %s", text, error.text);
    check_near(units.factor, factor, 1e-15 * factor);
    assert_true(dimension_equal(units.dimension, dimension));
    assert_int_equal(units.hertz, hertz);
}

static void check_no_units(const char *text, size_t offset, const char *message) {
    Units units;
    ExpressionError error = {0};
    if (expression_units(text, &units, &error)) fail_msg("'%s' is a unit", text);
    if (error.offset != offset || strcmp(error.text, message) != 0)
        fail_msg("'%s' fails at %zu with '%s'", text, error.offset, error.text);
}

static void test_units_alone(void **state) {
    (void)state;
    check_units("m/s^2", 1, DIM_ACCELERATION, false);
    check_units(" mm ", 1e-3, DIM_LENGTH, false);
    check_units("kg/(m*s^2)", 1, DIM_PRESSURE, false);
    check_units("1/s", 1, DIM_FREQUENCY, false);
    check_units("1", 1, DIM_NUMBER, false);
    check_units("%", 0.01, DIM_NUMBER, false);
    check_units("kHz", 1000, DIM_FREQUENCY, true);
    check_no_units("", 0, "a unit is missing at the end");
    check_no_units("Nm", 0, "unknown unit 'Nm': did you mean 'N*m'?");
    check_no_units("N*x", 2, "unknown unit 'x'");
    check_no_units("N*2", 2, "expected a unit, found '2'");
    check_no_units("3 N", 0, "expected a unit, found '3'");
    check_no_units("N + N", 2, "expected a unit, found '+'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_alone),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_where_units_end),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_function_errors),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_product_rules),
        cmocka_unit_test(test_sum_rules),
        cmocka_unit_test(test_power_rules),
        cmocka_unit_test(test_function_rules),
        cmocka_unit_test(test_misfit),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_taken_words),
        cmocka_unit_test(test_jets_of_functions),
        cmocka_unit_test(test_jets_of_compositions),
        cmocka_unit_test(test_jets_at_kinks),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_derivatives_by_signals),
        cmocka_unit_test(test_renumbered_signals),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
