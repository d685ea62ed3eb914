// The surrogate against what it is made of, and the search on functions whose least value is known, with and without scatter.
#include "study/search.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "study/surrogate.h"

static Arena *arena;

// ---- the surrogate -------------------------------------------------------------------------------
static void test_surrogate(void **state) {
    (void)state;
    double points[12], values[12];
    for (int i = 0; i < 12; i++) points[i] = i / 11.0, values[i] = 3 + sin(5 * points[i]);
    Surrogate s;
    assert_true(surrogate_make(&s, points, values, NULL, 12, 1));
    for (double x = 0; x <= 1; x += 0.01) {
        SurrogateValue v = surrogate_at(&s, &x);
        check_near(v.mean, 3 + sin(5 * x), 0.02);
        assert_true(fabs(v.mean - 3 - sin(5 * x)) < 4 * v.deviation + 1e-3);
    }
    double far = 3;
    assert_true(surrogate_at(&s, &far).deviation > 20 * surrogate_at(&s, &points[5]).deviation);
    surrogate_free(&s);
}

static double noise(unsigned *seed) { // normal, by the sum of twelve
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        sum += (*seed >> 8) / 16777216.0;
    }
    return sum;
}

static void test_scatter(void **state) {
    (void)state;
    double points[40], values[40], variances[40];
    unsigned seed = 5;
    for (int i = 0; i < 40; i++) {
        points[i] = i / 39.0, values[i] = points[i] * points[i] + 0.1 * noise(&seed);
        variances[i] = 0.01;
    }
    Surrogate s;
    assert_true(surrogate_make(&s, points, values, variances, 40, 1));
    double squares = 0;
    int covered = 0, count = 0;
    for (double x = 0; x <= 1; x += 0.02, count++) {
        SurrogateValue v = surrogate_at(&s, &x);
        squares += (v.mean - x * x) * (v.mean - x * x);
        covered += fabs(v.mean - x * x) < 2 * v.deviation;
    }
    assert_true(sqrt(squares / count) < 0.06); // values scatter by 0.1
    assert_true(covered > 0.8 * count);
    surrogate_free(&s);
}

// The error at a point that is left out is that of the surrogate of the others: here without the last one, whose factor is
// the leading part of that of all.
static void test_left_out(void **state) {
    (void)state;
    enum { N = 20, LESS = N - 1 };
    double points[N], values[N], variances[N], errors[N], factor[LESS * LESS], weights[LESS];
    unsigned seed = 5;
    for (int i = 0; i < N; i++) {
        points[i] = 7 * i % N / 20.0, values[i] = points[i] * points[i] + 0.05 * noise(&seed);
        variances[i] = 0.0025;
    }
    Surrogate s;
    assert_true(surrogate_make(&s, points, values, variances, N, 1));
    assert_true(surrogate_left_out(&s, errors));
    check_near(surrogate_mean(&s, &points[3]), surrogate_at(&s, &points[3]).mean, 1e-12);
    for (int i = 0; i < LESS; i++) {
        weights[i] = (values[i] - s.mean) / s.scale;
        for (int j = 0; j <= i; j++) factor[i * LESS + j] = s.factor[i * N + j];
        for (int j = 0; j < i; j++) weights[i] -= factor[i * LESS + j] * weights[j];
        weights[i] /= factor[i * LESS + i];
    }
    for (int i = LESS; i-- > 0;) {
        for (int j = i + 1; j < LESS; j++) weights[i] -= factor[j * LESS + i] * weights[j];
        weights[i] /= factor[i * LESS + i];
    }
    Surrogate less = s;
    less.count = LESS, less.factor = factor, less.weights = weights;
    SurrogateValue v = surrogate_at(&less, &points[LESS]);
    double own = variances[LESS] + (exp(s.logs[2]) + 1e-10) * s.scale * s.scale;
    double error = (values[LESS] - v.mean) / sqrt(v.deviation * v.deviation + own);
    check_near(errors[LESS], error, 1e-8 * fabs(error) + 1e-12);
    surrogate_free(&s);
}

static void test_improvement(void **state) {
    (void)state;
    check_near(surrogate_improvement((SurrogateValue){1, 0}, 3), 2, 0);
    check_near(surrogate_improvement((SurrogateValue){4, 0}, 3), 0, 0);
    check_near(surrogate_improvement((SurrogateValue){3, 1}, 3), 0.3989422804, 1e-9);
    check_near(normal_below(1.959963985), 0.975, 1e-9);
}

// ---- the search ----------------------------------------------------------------------------------
static Variable variable_of(const char *text) {
    Variable v;
    MrcError error = {0};
    if (variable_read(text, arena, &v, &error) != MRC_OK) fail_msg("%s: %s", text, error.text);
    return v;
}

typedef double (*Function)(const Variable *variables, const double *places, double *excess);

// Candidates until `budget` are spent; returns the best allowed one.
static SearchPoint search_all(const Variable *variables, int count, int limits, Function f, double scatter,
                              int budget) {
    Search s = {.variables = variables, .variable_count = count, .limit_count = limits};
    unsigned seed = 11;
    double gain = 1;
    assert_true(search_start(&s, 4 + 2 * count));
    for (size_t done = 0; gain > 0 && done < s.points.count;) {
        for (; done < s.points.count; done++) {
            SearchPoint *p = &s.points.data[done];
            p->value = f(variables, p->places, p->excess) + scatter * noise(&seed);
            p->variance = scatter * scatter;
            p->failed = !isfinite(p->value);
            if (p->failed) p->value = 0;
        }
        if ((int)s.points.count < budget) assert_true(search_propose(&s, 4, &gain));
    }
    double(*places)[VARIABLES_MAX] = calloc(s.points.count, sizeof *places);
    double *means = calloc(s.points.count, sizeof *means),
           *deviations = calloc(s.points.count, sizeof *means);
    for (size_t i = 0; i < s.points.count; i++) memcpy(places[i], s.points.data[i].places, sizeof *places);
    assert_true(
        search_predict(&s, (const double(*)[VARIABLES_MAX])places, s.points.count, means, deviations, NULL));
    int best = -1;
    for (size_t i = 0; i < s.points.count; i++)
        if (search_is_allowed(&s, &s.points.data[i]) && (best < 0 || means[i] < means[best])) best = (int)i;
    assert_true(best >= 0);
    SearchPoint result = s.points.data[best];
    free(places), free(means), free(deviations);
    search_free(&s);
    return result;
}

// Branin's function: 0.397887 at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475).
static double branin(const Variable *v, const double *places, double *excess) {
    (void)excess;
    double x = variable_number(&v[0], places[0]), y = variable_number(&v[1], places[1]);
    double a = y - 5.1 / (4 * M_PI * M_PI) * x * x + 5 / M_PI * x - 6;
    return a * a + 10 * (1 - 1 / (8 * M_PI)) * cos(x) + 10;
}

static void test_branin(void **state) {
    (void)state;
    Variable v[2] = {variable_of("x=-5:10"), variable_of("y=0:15")};
    double none[1];
    SearchPoint best = search_all(v, 2, 0, branin, 0, 44);
    assert_true(branin(v, best.places, none) < 0.397887 + 0.05);
    best = search_all(v, 2, 0, branin, 3, 60); // the function goes from 0.4 to 308
    assert_true(branin(v, best.places, none) < 0.397887 + 3);
}

// Whole numbers and words: the least value is 1 at n = 17 with "b"; with "a" 2 at n = 30. Beyond 40 it fails.
static double mixed(const Variable *v, const double *places, double *excess) {
    StudyValue word;
    (void)excess;
    assert_true(variable_value(&v[1], places[1], arena, &word));
    double n = variable_number(&v[0], places[0]);
    if (n > 40) return NAN;
    check_near(n, round(n), 1e-9);
    return strcmp(word.text, "b") == 0 ? 1 + 0.01 * (n - 17) * (n - 17) : 2 + 0.01 * (n - 30) * (n - 30);
}

static void test_mixed(void **state) {
    (void)state;
    Variable v[2] = {variable_of("n=1:60:integer"), variable_of("w=a,b,c")};
    SearchPoint best = search_all(v, 2, 0, mixed, 0, 40);
    check_near(variable_number(&v[0], best.places[0]), 17, 1.01);
    StudyValue word;
    assert_true(variable_value(&v[1], best.places[1], arena, &word));
    assert_string_equal(word.text, "b");
}

// x + y under x y >= 1: least 2 at (1, 1).
static double limited(const Variable *v, const double *places, double *excess) {
    double x = variable_number(&v[0], places[0]), y = variable_number(&v[1], places[1]);
    excess[0] = 1 - x * y;
    return x + y;
}

static void test_limit(void **state) {
    (void)state;
    Variable v[2] = {variable_of("x=0.1:10:log"), variable_of("y=0.1:10:log")};
    SearchPoint best = search_all(v, 2, 1, limited, 0, 50);
    double excess[1], value = limited(v, best.places, excess);
    assert_true(excess[0] <= 0);
    assert_true(value < 2.1);
}

static void test_catalogue(void **state) { // all values are tried, and then it ends
    (void)state;
    Variable v[1] = {variable_of("r=1,2,5 mm")};
    Search s = {.variables = v, .variable_count = 1};
    double gain;
    assert_true(search_start(&s, 6));
    assert_int_equal(s.points.count, 3);
    for (int i = 0; i < 3; i++) s.points.data[i].value = i;
    assert_true(search_propose(&s, 4, &gain));
    assert_int_equal(s.points.count, 3);
    check_near(gain, 0, 0);
    search_free(&s);
}

// ---- variables -----------------------------------------------------------------------------------
static void refuses(const char *text, const char *why) {
    Variable v;
    MrcError error = {0};
    assert_int_equal(variable_read(text, arena, &v, &error), MRC_USAGE);
    if (!strstr(error.text, why)) fail_msg("'%s' is not in '%s'", why, error.text);
}

static void test_variables(void **state) {
    (void)state;
    StudyValue value;
    Variable v = variable_of("constants.h=4:12 mm");
    assert_true(variable_value(&v, variable_snap(&v, 0.50004), arena, &value));
    assert_string_equal(value.text, "8 mm");
    v = variable_of("h=1 mm:100 mm:log");
    assert_true(variable_value(&v, 0.5, arena, &value));
    assert_string_equal(value.text, "10 mm");
    check_near(variable_place(&v, 10), 0.5, 1e-12);
    v = variable_of("n=50:300:integer");
    assert_true(variable_value(&v, variable_snap(&v, 0.3333), arena, &value));
    assert_string_equal(value.text, "133");
    v = variable_of("r=1,1.5,3 mm");
    assert_true(v.ordered);
    double coordinates[VARIABLE_COORDINATES_MAX];
    assert_int_equal(variable_coordinates(&v, 0.5, coordinates), 1);
    check_near(coordinates[0], 0.25, 1e-12);
    v = variable_of("m=smooth,nonsmooth");
    assert_int_equal(variable_coordinates(&v, 0.9, coordinates), 2);
    v = variable_of("r=4:12:9 mm");
    assert_int_equal(v.list.count, 9);
    refuses("h=5:4", "smaller to a larger");
    refuses("h=0:4:log", "positive ends");
    refuses("h=1 cm:12 mm", "same unit, not in cm and mm");
    refuses("h=1 cm:50:log mm", "same unit");
    refuses("n=0.5:4:integer", "whole numbers");
    refuses("h=5", "no choice");
    refuses("h=5:6:7:8", "first:last:count");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surrogate), cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_left_out),  cmocka_unit_test(test_improvement),
        cmocka_unit_test(test_branin),    cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_catalogue),
        cmocka_unit_test(test_variables),
    };
    arena = arena_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_destroy(arena);
    return failed;
}
