// Solving by dense panels against the equations themselves: chains of nodes with six freedoms, arrows, single
// columns, other numbers in the same pattern, matrices that come apart.
#include "check.h"
#include "mechanism/panels.h"

enum { most = 200 };

typedef struct Sparse {
    int size, starts[most + 1], rows[most * most];
    double values[most * most], dense[most][most]; // dense[column][row]
} Sparse;

static uint64_t state = 88172645463325252u;
static double random_number(void) { // in [-1, 1]
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return 2 * ((double)(state >> 11) / 9007199254740992.0) - 1;
}

typedef bool Pattern(int i, int j);
static bool chain(int i, int j) { return abs(i / 6 - j / 6) <= 1; }
static bool long_chain(int i, int j) {
    return abs(i / 6 - j / 6) <= 2 && !(i / 6 % 2 && j / 6 % 2 && i / 6 != j / 6);
}
static bool arrow(int i, int j) { return i == j || i >= 90 || j >= 90; }
static bool line(int i, int j) { return abs(i - j) <= 1; }
static bool parts(int i, int j) { return i / 10 == j / 10; }

// Same pattern, other numbers; rows of very different size.
static void fill(Sparse *a, Pattern *pattern, int size) {
    int count = 0;
    a->size = size;
    for (int j = 0; j < size; j++) {
        a->starts[j] = count;
        for (int i = 0; i < size; i++) {
            a->dense[j][i] = 0;
            if (!pattern(i, j)) continue;
            double scale = i % 6 < 3 ? 1 : 1e5;
            a->dense[j][i] = a->values[count] = scale * (random_number() + (i == j ? 20 : 0));
            a->rows[count++] = i;
        }
    }
    a->starts[size] = count;
}

// |A x - b| over |A| |x|, the largest row.
static double miss(const Sparse *a, const double *x, const double *b) {
    double worst = 0;
    for (int i = 0; i < a->size; i++) {
        double sum = -b[i], size = fabs(b[i]);
        for (int j = 0; j < a->size; j++) {
            sum += a->dense[j][i] * x[j];
            size += fabs(a->dense[j][i] * x[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

static void check(Pattern *pattern, int size) {
    static Sparse a;
    klu_common common;
    klu_defaults(&common);
    fill(&a, pattern, size);
    klu_symbolic *symbolic = klu_analyze(size, a.starts, a.rows, &common);
    klu_numeric *numeric = klu_factor(a.starts, a.rows, a.values, symbolic, &common);
    Panels panels;
    assert_true(panels_create(&panels, numeric, symbolic, &common));
    for (int round = 0; round < 3; round++) {
        double x[most], b[most];
        for (int i = 0; i < size; i++) x[i] = b[i] = random_number();
        panels_solve(&panels, numeric, symbolic, x);
        assert_true(miss(&a, x, b) < 1e-13);
        fill(&a, pattern, size);
        assert_true(klu_refactor(a.starts, a.rows, a.values, symbolic, numeric, &common));
        assert_true(panels_fill(&panels, numeric, symbolic, &common));
    }
    panels_destroy(&panels);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
}

static void panels_solve_the_equations(void **unused) {
    (void)unused;
    check(chain, 120);
    check(long_chain, 150);
    check(arrow, 97);
    check(line, 200);
    check(line, 2);
}

static void matrices_that_come_apart_are_refused(void **unused) {
    (void)unused;
    static Sparse a;
    klu_common common;
    klu_defaults(&common);
    fill(&a, parts, 60);
    klu_symbolic *symbolic = klu_analyze(60, a.starts, a.rows, &common);
    klu_numeric *numeric = klu_factor(a.starts, a.rows, a.values, symbolic, &common);
    Panels panels;
    assert_int_equal(symbolic->nblocks, 6);
    assert_false(panels_create(&panels, numeric, symbolic, &common));
    panels_destroy(&panels);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(panels_solve_the_equations),
                                       cmocka_unit_test(matrices_that_come_apart_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
