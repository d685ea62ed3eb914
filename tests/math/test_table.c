// Tables: splines against closed forms and difference quotients, what holds outside, and files of all kinds.
#include "check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "math/table.h"

enum { MANY = 401 };

static Arena *arena;

static int set_up(void **state) { return *state = arena = arena_create(), arena ? 0 : 1; }
static int tear_down(void **state) {
    (void)state;
    arena_destroy(arena);
    return 0;
}

static const Table *make(const double *times, const double *values, size_t count,
                         TableInterpolation interpolation, TableOutside outside) {
    const Table *table;
    MrcError error = {.text = ""};
    if (table_create(arena, times, values, count, interpolation, outside, &table, &error) != MRC_OK)
        fail_msg("%s", error.text);
    return table;
}

// Times that increase by steps between 0.1 and 1.
static void draw_times(Random *random, double *times, size_t count) {
    times[0] = -1;
    for (size_t i = 1; i < count; i++) times[i] = times[i - 1] + 0.1 + 0.9 * random_uniform(random);
}

static double cubic(double t) { return 0.3 - 2 * t + 0.7 * t * t - 0.05 * t * t * t; }
static double cubic_rate(double t) { return -2 + 1.4 * t - 0.15 * t * t; }
static double cubic_second(double t) { return 1.4 - 0.3 * t; }

// ---- splines -------------------------------------------------------------------------------------
// Every polynomial of degree three is met exactly, wherever the samples are.
static void test_cubic_polynomial(void **state) {
    (void)state;
    Random random = {.state = 1};
    for (size_t count = 4; count <= 40; count += 3) {
        double times[MANY], values[MANY];
        draw_times(&random, times, count);
        for (size_t i = 0; i < count; i++) values[i] = cubic(times[i]);
        const Table *table = make(times, values, count, TABLE_CUBIC, TABLE_HOLD);
        double last = times[count - 1], scale = 1 + 2 * last + 0.7 * last * last + 0.05 * last * last * last;
        for (int k = 0; k <= 500; k++) {
            double t = times[0] + (times[count - 1] - times[0]) * k / 500;
            Jet jet = table_jet(table, t);
            check_near(jet.value, cubic(t), 1e-14 * scale);
            check_near(jet.rate, cubic_rate(t), 1e-12 * scale);
            check_near(jet.second, cubic_second(t), 1e-10 * scale);
        }
    }
}

// Two samples are a line, three a parabola.
static void test_few_samples(void **state) {
    (void)state;
    double times[] = {1, 2, 4}, line[] = {3, 5}, parabola[] = {1, 4, 16};
    const Table *table = make(times, line, 2, TABLE_CUBIC, TABLE_HOLD);
    Jet jet = table_jet(table, 1.25);
    check_near(jet.value, 3.5, 1e-15);
    check_near(jet.rate, 2, 1e-15);
    check_near(jet.second, 0, 1e-15);
    table = make(times, parabola, 3, TABLE_CUBIC, TABLE_HOLD);
    jet = table_jet(table, 3.5);
    check_near(jet.value, 12.25, 1e-14);
    check_near(jet.rate, 7, 1e-14);
    check_near(jet.second, 2, 1e-14);
}

// The error of a sine falls with the fourth power of the spacing, that of its second derivative with the
// square, up to the ends.
static double sine_error(size_t count, bool second) {
    double times[MANY], values[MANY], worst = 0;
    for (size_t i = 0; i < count; i++) {
        times[i] = 2 * (double)i / (double)(count - 1);
        values[i] = sin(3 * times[i]);
    }
    const Table *table = make(times, values, count, TABLE_CUBIC, TABLE_HOLD);
    for (int k = 0; k <= 2000; k++) {
        double t = 2 * k / 2000.0;
        Jet jet = table_jet(table, t);
        double wrong = second ? jet.second + 9 * sin(3 * t) : jet.value - sin(3 * t);
        worst = fmax(worst, fabs(wrong));
    }
    return worst;
}

static void test_order(void **state) {
    (void)state;
    check_near(sine_error(201, false) / sine_error(401, false), 16, 1);
    check_near(sine_error(201, true) / sine_error(401, true), 4, 0.3);
}

// Derivatives are those of the value itself, and the spline is smooth across its samples.
static void check_derivatives(const Table *table, double begin, double end) {
    const double h = 1e-5;
    for (int k = 1; k < 400; k++) {
        double t = begin + (end - begin) * (k + 0.3) / 400.6;
        Jet jet = table_jet(table, t), left = table_jet(table, t - h), right = table_jet(table, t + h);
        double scale = 1 + fabs(jet.value) + fabs(jet.rate) + fabs(jet.second);
        check_near(jet.rate, (right.value - left.value) / (2 * h), 1e-6 * scale);
        check_near(jet.second, (right.rate - left.rate) / (2 * h), 1e-3 * scale);
    }
    for (size_t i = 1; i + 1 < table->count; i++) {
        double t = table->times[i], before = nextafter(t, -INFINITY);
        Jet right = table_jet(table, t), left = table_jet(table, before);
        double scale = 1 + fabs(left.value) + fabs(left.rate) + fabs(left.second);
        check_near(left.value, right.value, 1e-12 * scale);
        check_near(left.rate, right.rate, 1e-12 * scale);
        check_near(left.second, right.second, 1e-11 * scale);
    }
}

static void test_derivatives(void **state) {
    (void)state;
    Random random = {.state = 2};
    for (int round = 0; round < 20; round++) {
        double times[MANY], values[MANY];
        size_t count = 4 + (size_t)round;
        draw_times(&random, times, count);
        for (size_t i = 0; i < count; i++) values[i] = random_normal(&random);
        check_derivatives(make(times, values, count, TABLE_CUBIC, TABLE_HOLD), times[0], times[count - 1]);
        values[count - 1] = values[0];
        const Table *periodic = make(times, values, count, TABLE_CUBIC, TABLE_REPEAT);
        double period = times[count - 1] - times[0];
        check_derivatives(periodic, times[0] - period, times[0] + 2 * period);
    }
}

// A repeated table goes on as if there were no end: two periods sampled as one give the same function.
static void test_repeat(void **state) {
    (void)state;
    double times[] = {0, 0.3, 0.5, 0.8, 1, 1.3, 1.5, 1.8, 2}, values[] = {1, -1, 2, 0, 1, -1, 2, 0, 1};
    for (size_t few = 2; few <= 4; few++) { // pieces of one period
        double one_times[5], one_values[5], two_times[9], two_values[9];
        for (size_t i = 0; i <= 2 * few; i++) {
            size_t place = i % few + (i / few) * 4;
            two_times[i] = times[place];
            two_values[i] = values[place];
            if (i <= few) one_times[i] = two_times[i], one_values[i] = two_values[i];
        }
        const Table *one = make(one_times, one_values, few + 1, TABLE_CUBIC, TABLE_REPEAT);
        const Table *two = make(two_times, two_values, 2 * few + 1, TABLE_CUBIC, TABLE_REPEAT);
        for (double t = -3.7; t < 5; t += 0.0173) {
            Jet a = table_jet(one, t), b = table_jet(two, t);
            check_near(a.value, b.value, 1e-12);
            check_near(a.rate, b.rate, 1e-11);
            check_near(a.second, b.second, 1e-9);
        }
    }
    check_near(table_jet(make(times, values, 5, TABLE_LINEAR, TABLE_REPEAT), -0.85).value, 0, 1e-14);
    const Table *flat = make(times, (double[]){4, 4}, 2, TABLE_CUBIC, TABLE_REPEAT);
    check_near(table_jet(flat, 17.1).value, 4, 0);
}

// ---- lines and ends ------------------------------------------------------------------------------
static void test_linear(void **state) {
    (void)state;
    double times[] = {0, 1, 3}, values[] = {2, 4, 1};
    const Table *table = make(times, values, 3, TABLE_LINEAR, TABLE_HOLD);
    Jet jet = table_jet(table, 0.5);
    check_near(jet.value, 3, 1e-15);
    check_near(jet.rate, 2, 1e-15);
    check_near(jet.second, 0, 0);
    jet = table_jet(table, 1); // to the right
    check_near(jet.value, 4, 0);
    check_near(jet.rate, -1.5, 1e-15);
    jet = table_jet(table, 3); // at the end to the left
    check_near(jet.value, 1, 1e-15);
    check_near(jet.rate, -1.5, 1e-15);
}

static void test_outside(void **state) {
    (void)state;
    double times[] = {0, 1, 3}, values[] = {2, 4, 1};
    for (int i = TABLE_LINEAR; i <= TABLE_CUBIC; i++) {
        const Table *table = make(times, values, 3, (TableInterpolation)i, TABLE_HOLD);
        Jet before = table_jet(table, -0.1), after = table_jet(table, 3.1);
        check_near(before.value, 2, 0);
        check_near(after.value, 1, 0);
        check_near(fabs(before.rate) + fabs(before.second) + fabs(after.rate) + fabs(after.second), 0, 0);
        // A last step that rounds to just behind the table is within it.
        check_near(table_jet(table, nextafter(3, 4)).rate, table_jet(table, 3).rate, 0);
        table = make(times, values, 3, (TableInterpolation)i, TABLE_REFUSE);
        assert_true(isnan(table_jet(table, -0.1).value) && isnan(table_jet(table, 3.1).rate));
        check_near(table_jet(table, nextafter(3, 4)).value, 1, 1e-14);
        assert_true(table_covers(table, 0, nextafter(3, 4)));
        assert_false(table_covers(table, 0, 3.001) || table_covers(table, -0.001, 3));
        assert_true(isnan(table_jet(table, NAN).value));
    }
}

// Any spacing: the piece is found by its time, not by its number.
static void test_uneven(void **state) {
    (void)state;
    double times[MANY], values[MANY];
    for (int i = 0; i < MANY; i++) times[i] = pow(1.1, i), values[i] = i;
    const Table *table = make(times, values, MANY, TABLE_LINEAR, TABLE_HOLD);
    for (int i = 0; i + 1 < MANY; i++) {
        check_near(table_jet(table, times[i]).value, i, 0);
        check_near(table_jet(table, 0.5 * (times[i] + times[i + 1])).value, i + 0.5, 1e-12);
    }
}

static void check_refused(const double *times, const double *values, size_t count, TableOutside outside,
                          const char *words) {
    const Table *table;
    MrcError error = {.text = ""};
    assert_int_equal(table_create(arena, times, values, count, TABLE_CUBIC, outside, &table, &error),
                     MRC_READ_FAILED);
    assert_null(table);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void test_refused(void **state) {
    (void)state;
    double good[] = {0, 1, 2, 3}, back[] = {0, 1, 1, 2}, nan[] = {0, NAN, 1, 2},
           huge[] = {0, 1e308, -1e308, 1};
    double close[] = {0, 1e-310, 2e-310, 3e-310};
    check_refused(good, good, 1, TABLE_HOLD, "at least two samples");
    check_refused(back, good, 4, TABLE_HOLD, "the time of sample 3, 1 s, is not after 1 s");
    check_refused(nan, good, 4, TABLE_HOLD, "sample 2 is not a finite number");
    check_refused(good, nan, 4, TABLE_HOLD, "sample 2 is not a finite number");
    check_refused(good, huge, 4, TABLE_HOLD, "too large");
    check_refused(close, good, 4, TABLE_HOLD, "times too close");
    check_refused(good, good, 4, TABLE_REPEAT, "the first value is 0 and the last one 3");
}

// ---- files ---------------------------------------------------------------------------------------
static TableSamples parse(const char *text, const char *time, const char *column) {
    TableSamples samples;
    MrcError error = {.text = ""};
    if (table_parse(text, strlen(text), "file.csv", time, column, arena, &samples, &error) != MRC_OK)
        fail_msg("%s", error.text);
    return samples;
}

// The same two columns in many dresses.
static void test_forms(void **state) {
    (void)state;
    static const char *const forms[] = {
        "t[ms],a[mm/s^2]\n0,1.5\n500,-2e3\n",
        "t[ms], a[mm/s^2]\r\n0, 1.5\r\n500, -2e3",
        "# a comment\n\n t [ms] , a [mm/s^2] \n0,1.5\n  # another\n\n500,-2e3\n",
        "t[ms];a[mm/s^2]\n0;1.5\n500;-2e3\n",
        "t[ms]\ta[mm/s^2]\n0\t1.5\n500\t-2e3\n",
        "t[ms] a[mm/s^2]\n0 1.5\n500 -2e3\n",
        "  t [ms]   a [mm/s^2]  \n   0   1.5  \n 500  -2e3  \n",
        "\xef\xbb\xbft[ms],a[mm/s^2]\r0,1.5\r500,-2e3\r",
        "\"t[ms]\",\"a[mm/s^2]\"\n\"0\",\"1.5\"\n\"500\",\"-2e3\"\n",
        "remark,a[mm/s^2],t[ms],b\n\"x, y\",1.5,0,\n,-2e3,500,7\n",
        "t[ms],a[mm/s^2],\n0,1.5,\n500,-2e3,\n",
        "t[ms],a[mm/s^2],b\n0,1.5\n500,-2e3,\n",
        "a[mm/s^2];x;t[ms]\n+1.5;3,7;0\n-2E+3;4,1;500.0\n",
    };
    static const char *const names[][2] = {{"t", "a"}, {"t[ms]", "a[mm/s^2]"}, {"t [ms]", "a"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            TableSamples samples = parse(forms[i], names[k][0], names[k][1]);
            assert_int_equal(samples.count, 2);
            assert_true(samples.has_unit);
            assert_true(dimension_equal(samples.units.dimension, DIM_ACCELERATION));
            assert_true(samples.times[0] == 0 && samples.times[1] == 0.5);
            assert_true(samples.values[0] == 0.0015 && samples.values[1] == -2);
        }
    TableSamples first = parse("time,b[1/s],c\n1,2,3\n2,3,4\n", NULL, "b");
    assert_true(dimension_equal(first.units.dimension, DIM_FREQUENCY));
    first = parse("time,b,c\n1,2,3\n2,3,4\n", NULL, "c");
    assert_false(first.has_unit);
    assert_true(first.values[1] == 4);
}

// Numbers have a point, whatever the user's locale.
static void test_locale(void **state) {
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) break;
    TableSamples samples = parse("t a\n0.25 1.5\n0.5 2.5\n", "t", "a");
    setlocale(LC_ALL, "C");
    assert_true(samples.times[0] == 0.25 && samples.values[1] == 2.5);
}

static void check_file_refused(const char *text, const char *time, const char *column, const char *words) {
    TableSamples samples;
    MrcError error = {.text = ""};
    MrcStatus status = table_parse(text, strlen(text), "f.csv", time, column, arena, &samples, &error);
    if (status != MRC_READ_FAILED || strcmp(error.text, words) != 0)
        fail_msg("'%s' gives '%s', not '%s'", text, error.text, words);
}

static void test_file_messages(void **state) {
    (void)state;
    check_file_refused("", "t", "a", "f.csv: the file is empty");
    check_file_refused("# only this\n", "t", "a", "f.csv: the file is empty");
    check_file_refused("t[s],a[m]\n0,1\n", "t", "a",
                       "f.csv: there are fewer than two lines below the headings");
    check_file_refused("t[s],acc[m]\n0,1\n1,2\n", "t", "ac[m]",
                       "f.csv:1: there is no column 'ac[m]'; did you mean 'acc[m]'?");
    check_file_refused("t[s],x[m],y[m]\n", "t", "force",
                       "f.csv:1: there is no column 'force'; the columns are t[s], x[m], y[m]");
    check_file_refused("t[s],a[m],a[mm]\n", "t", "a", "f.csv:1:11: column 'a[mm]' is there twice");
    check_file_refused("#\nt[m],a[m]\n", "t", "a",
                       "f.csv:2:1: the times are in column 't[m]', which is a length (m)");
    check_file_refused("t[s],a[mm/s2]\n", "t", "a",
                       "f.csv:1:6: the unit of column 'a[mm/s2]': unknown unit 's2': did you mean 's^2'?");
    check_file_refused("t[s],a[m\n", "t", "a", "f.csv:1:6: this heading should have the form a[m/s^2]");
    check_file_refused("t[s],a[]\n", "t", "a",
                       "f.csv:1:6: the unit of column 'a[]': a unit is missing at the end");
    check_file_refused("t,a\n0,1\n\n1, nan\n", "t", "a", "f.csv:4:4: 'a' is 'nan'; expected a finite number");
    check_file_refused("t,a\n0,1\n1,1e999\n", "t", "a",
                       "f.csv:3:3: 'a' is '1e999'; expected a finite number");
    check_file_refused("t,a\n0,1\n1,0x10\n", "t", "a", "f.csv:3:3: 'a' is '0x10'; expected a finite number");
    check_file_refused("t;a\n0;1,5\n1;2,5\n", "t", "a",
                       "f.csv:2:3: 'a' is '1,5'; expected a finite number, with a point before its decimals");
    check_file_refused("t,a\n0,1\n,2\n", "t", "a", "f.csv:3:1: 't' is ''; expected a finite number");
    check_file_refused("t,a,b\n0,1,2\n1\n", "t", "a", "f.csv:3: fewer than the 3 columns of the headings");
    check_file_refused("t,a\n0,1\n1,2,3\n", "t", "a", "f.csv:3: more than the 2 columns of the headings");
    check_file_refused("t,a\n0,1\n1,2\n1,3\n", "t", "a",
                       "f.csv:4:1: the time 1 does not come after that of the line before");
    MrcError error;
    TableSamples samples;
    assert_int_equal(table_parse("t,a\n0\0,1\n", 9, "f.csv", "t", "a", arena, &samples, &error),
                     MRC_READ_FAILED);
    assert_string_equal(error.text, "f.csv: there is a NUL in it: this is not a text file");
}

// Regular files only: a pipe would wait for ever.
static void test_kinds_of_files(void **state) {
    (void)state;
    char folder[] = "/tmp/maraca-test-XXXXXX", path[64];
    TableSamples samples;
    MrcError error;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(table_read(path, NULL, "a", arena, &samples, &error), MRC_READ_FAILED);
    assert_non_null(strstr(error.text, "not an ordinary file"));
    assert_int_equal(table_read(folder, NULL, "a", arena, &samples, &error), MRC_READ_FAILED);
    assert_int_equal(table_read("/dev/zero", NULL, "a", arena, &samples, &error), MRC_READ_FAILED);
    unlink(path);
    snprintf(path, sizeof path, "%s/missing", folder);
    assert_int_equal(table_read(path, NULL, "a", arena, &samples, &error), MRC_READ_FAILED);
    rmdir(folder);
}

// Any bytes: a table or a message, and nothing else.
static void test_garbage(void **state) {
    (void)state;
    static const char letters[] = "t,a;[]\"#\n\r\t 0123456789.eE+-ms/^";
    Random random = {.state = 3};
    for (int round = 0; round < 20000; round++) {
        char text[80];
        size_t length = (size_t)(random_uniform(&random) * (sizeof text - 1));
        for (size_t i = 0; i < length; i++)
            text[i] = letters[(size_t)(random_uniform(&random) * (sizeof letters - 1))];
        text[length] = '\0';
        Arena *own = arena_create();
        TableSamples samples;
        MrcError error = {.text = ""};
        const Table *table;
        if (table_parse(text, length, "f", NULL, round % 2 ? "a" : "", own, &samples, &error) == MRC_OK) {
            MrcStatus made = table_create(own, samples.times, samples.values, samples.count, TABLE_CUBIC,
                                          TABLE_HOLD, &table, &error);
            assert_true(made != MRC_OK || isfinite(table_jet(table, samples.times[0]).value));
        } else assert_true(error.text[0] != '\0');
        arena_destroy(own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubic_polynomial),
        cmocka_unit_test(test_few_samples),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_file_messages),
        cmocka_unit_test(test_kinds_of_files),
        cmocka_unit_test(test_garbage),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
