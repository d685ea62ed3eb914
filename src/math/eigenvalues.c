// Isolated eigenvalues are split off. Then balancing, reduction to Hessenberg form by Householder reflections,
// and QR steps with Wilkinson's shift, in complex arithmetic so that one kind of shift serves real and complex
// pairs. (Golub and Van Loan, Matrix Computations, sections 7.4-7.5.)
#include "math/eigenvalues.h"

#include <float.h>
#include <math.h>

typedef long double Real;
typedef long double complex Complex;
typedef struct Work {
    int n;
    Complex a[EIGENVALUES_MAX][EIGENVALUES_MAX];
} Work;

static Real eigenvalues_size_of(Complex z) { return fabsl(creall(z)) + fabsl(cimagl(z)); }

// Scales rows and columns by powers of two until those of the same index are of one size: exact, and it keeps
// quantities of unlike units from spoiling each other.
static void eigenvalues_balance(int n, Real a[][EIGENVALUES_MAX]) {
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < n; i++) {
            Real row = 0, column = 0;
            for (int j = 0; j < n; j++)
                if (j != i) row += fabsl(a[i][j]), column += fabsl(a[j][i]);
            if (row == 0 || column == 0) continue;
            int exponent;
            frexpl(sqrtl(row / column), &exponent);
            Real factor = ldexpl(1, exponent - 1);
            if (column * factor + row / factor >= 0.95L * (row + column)) continue;
            for (int j = 0; j < n; j++) a[j][i] *= factor;
            for (int j = 0; j < n; j++) a[i][j] /= factor;
            again = true;
        }
    }
}

// a <- Q a Q with Q = I - 2 v v^T / |v|^2 made to clear column k below its subdiagonal.
static void eigenvalues_reflect(int n, Real a[][EIGENVALUES_MAX], int k) {
    Real v[EIGENVALUES_MAX], norm = 0, square = 0;
    for (int i = k + 1; i < n; i++) norm = hypotl(norm, a[i][k]);
    if (norm == 0) return;
    for (int i = k + 1; i < n; i++) v[i] = a[i][k] / norm;
    v[k + 1] += copysignl(1, v[k + 1]);
    for (int i = k + 1; i < n; i++) square += v[i] * v[i];
    for (int j = 0; j < n; j++) {
        Real sum = 0;
        for (int i = k + 1; i < n; i++) sum += v[i] * a[i][j];
        for (int i = k + 1; i < n; i++) a[i][j] -= 2 * sum / square * v[i];
    }
    for (int i = 0; i < n; i++) {
        Real sum = 0;
        for (int j = k + 1; j < n; j++) sum += a[i][j] * v[j];
        for (int j = k + 1; j < n; j++) a[i][j] -= 2 * sum / square * v[j];
    }
}

// The eigenvalue of the last 2 x 2 block of rows up to `last` that is nearer to its last entry.
static Complex eigenvalues_shift(const Work *w, int last) {
    Complex p = w->a[last - 1][last - 1], q = w->a[last - 1][last], r = w->a[last][last - 1],
            s = w->a[last][last];
    Complex half = (p - s) / 2, root = csqrtl(half * half + q * r);
    if (creall(half * conjl(root)) < 0) root = -root;
    Complex denominator = half + root;
    return eigenvalues_size_of(denominator) == 0 ? s : s - q * r / denominator;
}

// One QR step on rows and columns first..last: a - shift = Q R by Givens rotations, a <- R Q + shift.
static void eigenvalues_qr_step(Work *w, int first, int last, Complex shift) {
    Complex sine[EIGENVALUES_MAX];
    Real cosine[EIGENVALUES_MAX];
    for (int i = first; i <= last; i++) w->a[i][i] -= shift;
    for (int k = first; k < last; k++) {
        Complex x = w->a[k][k], y = w->a[k + 1][k];
        Real ax = cabsl(x), norm = hypotl(ax, cabsl(y));
        cosine[k] = norm == 0 ? 1 : ax / norm;
        sine[k] = norm == 0 ? 0 : ax == 0 ? 1 : x / ax * conjl(y) / norm;
        for (int j = k; j <= last; j++) {
            Complex u = w->a[k][j], v = w->a[k + 1][j];
            w->a[k][j] = cosine[k] * u + sine[k] * v;
            w->a[k + 1][j] = cosine[k] * v - conjl(sine[k]) * u;
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= k + 1; i++) {
            Complex u = w->a[i][k], v = w->a[i][k + 1];
            w->a[i][k] = cosine[k] * u + conjl(sine[k]) * v;
            w->a[i][k + 1] = cosine[k] * v - sine[k] * u;
        }
    for (int i = first; i <= last; i++) w->a[i][i] += shift;
}

// The first row of the block that ends at `last`: the subdiagonal entry before it is negligible and is
// cleared.
static int eigenvalues_block_start(Work *w, int last, Real scale) {
    int first = last;
    while (first > 0) {
        Real beside =
            eigenvalues_size_of(w->a[first][first]) + eigenvalues_size_of(w->a[first - 1][first - 1]);
        if (eigenvalues_size_of(w->a[first][first - 1]) <= LDBL_EPSILON * (beside > 0 ? beside : scale))
            break;
        first--;
    }
    if (first > 0) w->a[first][first - 1] = 0;
    return first;
}

static bool eigenvalues_iterate(Work *w, Complex *values) {
    Real scale = 0;
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < w->n; j++) scale = fmaxl(scale, eigenvalues_size_of(w->a[i][j]));
    for (int last = w->n - 1, round = 0; last >= 0;) {
        int first = eigenvalues_block_start(w, last, scale);
        if (first == last) {
            values[last] = w->a[last][last];
            last--, round = 0;
            continue;
        }
        if (++round > 200) return false;
        Complex shift = eigenvalues_shift(w, last);
        if (round % 12 == 0)
            shift = w->a[last][last] + eigenvalues_size_of(w->a[last][last - 1]); // out of a cycle
        eigenvalues_qr_step(w, first, last, shift);
    }
    return true;
}

static bool eigenvalues_is_isolated(int n, Real a[][EIGENVALUES_MAX], int i) {
    bool row = true, column = true;
    for (int j = 0; j < n; j++) {
        row = row && (j == i || a[i][j] == 0);
        column = column && (j == i || a[j][i] == 0);
    }
    return row || column;
}

static void eigenvalues_remove_index(int n, Real a[][EIGENVALUES_MAX], int index) {
    for (int i = 0; i < n; i++)
        for (int j = index; j < n - 1; j++) a[i][j] = a[i][j + 1];
    for (int i = index; i < n - 1; i++)
        for (int j = 0; j < n - 1; j++) a[i][j] = a[i + 1][j];
}

// The diagonal entry of a row or column that is otherwise zero is an eigenvalue. Quantities on which nothing
// depends would otherwise give clusters of small eigenvalues. Returns the size of the remaining matrix; the
// eigenvalues found are at the end of `values`.
static int eigenvalues_split_off(int n, Real a[][EIGENVALUES_MAX], Complex *values) {
    for (int i = 0; i < n;) {
        if (eigenvalues_is_isolated(n, a, i)) {
            values[n - 1] = a[i][i];
            eigenvalues_remove_index(n--, a, i);
            i = 0;
        } else {
            i++;
        }
    }
    return n;
}

bool eigenvalues(int n, const long double *matrix, long double complex *values) {
    Real a[EIGENVALUES_MAX][EIGENVALUES_MAX];
    Work w;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = matrix[i * n + j];
            if (!isfinite(a[i][j])) return false;
        }
    n = w.n = eigenvalues_split_off(n, a, values);
    eigenvalues_balance(n, a);
    for (int k = 0; k < n - 2; k++) eigenvalues_reflect(n, a, k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) w.a[i][j] = i > j + 1 ? 0 : a[i][j];
    return eigenvalues_iterate(&w, values);
}

long double spectral_radius(int n, const long double *matrix) {
    Complex values[EIGENVALUES_MAX];
    Real radius = 0;
    if (!eigenvalues(n, matrix, values)) return NAN;
    for (int i = 0; i < n; i++) radius = fmaxl(radius, cabsl(values[i]));
    return radius;
}
