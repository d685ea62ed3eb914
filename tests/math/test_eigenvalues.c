#include "math/eigenvalues.h"

#include <lapacke.h>

#include "base/random.h"
#include "check.h"

enum { size_max = 14 };
typedef long double complex Complex;

// The distance from each value to the nearest of the others, the largest of them.
static double distance(int n, const Complex *a, const Complex *b) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double nearest = INFINITY;
        for (int j = 0; j < n; j++) nearest = fmin(nearest, (double)cabsl(a[i] - b[j]));
        largest = fmax(largest, nearest);
    }
    return largest;
}

static void by_lapack(int n, const long double *matrix, Complex *values) {
    double a[size_max * size_max], real[size_max], imaginary[size_max];
    for (int i = 0; i < n * n; i++) a[i] = (double)matrix[i];
    assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, a, n, real, imaginary, NULL, n, NULL, n),
                     0);
    for (int i = 0; i < n; i++) values[i] = real[i] + imaginary[i] * I;
}

static void agrees_with_lapack(void **state) {
    (void)state;
    Random random = {5};
    for (int round = 0; round < 400; round++) {
        int n = 1 + round % size_max;
        long double matrix[size_max * size_max];
        Complex ours[size_max], theirs[size_max];
        for (int i = 0; i < n * n; i++) matrix[i] = 2 * random_uniform(&random) - 1;
        if (round % 3 == 0) // a scale of its own for each quantity
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) matrix[i * n + j] *= exp2l(3 * (i - j));
        if (round % 4 == 0) // columns that nothing depends on
            for (int i = 0; i < n; i++) matrix[i * n + n / 2] = 0;
        assert_true(eigenvalues(n, matrix, ours));
        by_lapack(n, matrix, theirs);
        assert_true(distance(n, ours, theirs) < 1e-10);
        assert_true(distance(n, theirs, ours) < 1e-10);
    }
}

// The matrix whose characteristic polynomial has the given roots.
static void companion(int n, const long double *roots, long double *matrix) {
    long double c[size_max + 1] = {1};
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k > 0; k--) c[k] -= roots[i] * c[k - 1];
    for (int i = 0; i < n * n; i++) matrix[i] = 0;
    for (int j = 0; j < n; j++) matrix[j] = -c[j + 1];
    for (int i = 1; i < n; i++) matrix[i * n + i - 1] = 1;
}

// Two equal roots with one eigenvector: this is what the extended precision is for.
static void keeps_the_digits_of_double_roots(void **state) {
    (void)state;
    const long double roots[] = {-1, -1, 0.5L, 0.25L, -0.75L, 0};
    long double matrix[36];
    companion(6, roots, matrix);
    check_near((double)spectral_radius(6, matrix), 1, 1e-9);
}

static void repeated_and_special(void **state) {
    (void)state;
    const long double rotation[] = {0, -1, 1, 0}, nilpotent[] = {0, 1, 0, 0, 0, 1, 0, 0, 0},
                      cycle[] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, broken[] = {1, NAN, 0, 1};
    Complex values[4];
    check_near((double)spectral_radius(2, rotation), 1, 1e-18);
    check_near((double)spectral_radius(3, nilpotent), 0, 0);
    assert_true(eigenvalues(4, cycle, values)); // the fourth roots of 1: unshifted steps never end here
    Complex product = 1;
    for (int i = 0; i < 4; i++) {
        check_near((double)cabsl(values[i]), 1, 1e-17);
        product *= values[i];
    }
    check_near((double)creall(product), -1, 1e-17);
    assert_false(eigenvalues(2, broken, values));
    assert_true(isnan((double)spectral_radius(2, broken)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_lapack),
        cmocka_unit_test(keeps_the_digits_of_double_roots),
        cmocka_unit_test(repeated_and_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
