// Eigenvalues of a symmetric matrix by cyclic Jacobi rotations (Golub, Van Loan, Matrix Computations, 8.5):
// each rotation makes one off-diagonal entry zero. Chosen over the closed cubic, which loses half the digits
// when eigenvalues are close, as they are for every sphere and cube.
#include "math/mat3.h"

// a <- J^T a J and axes <- axes J, where J turns in the plane (p, q) so that a[p][q] becomes 0.
static void mat3_rotate(Mat3 *a, Mat3 *axes, int p, int q) {
    if (a->m[p][q] == 0) return;
    double tau = (a->m[q][q] - a->m[p][p]) / (2 * a->m[p][q]);
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau)); // the smaller angle: |t| <= 1
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < 3; k++) {
        double x = a->m[k][p], y = a->m[k][q];
        a->m[k][p] = c * x - s * y;
        a->m[k][q] = s * x + c * y;
        x = axes->m[k][p], y = axes->m[k][q];
        axes->m[k][p] = c * x - s * y;
        axes->m[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = a->m[p][k], y = a->m[q][k];
        a->m[p][k] = c * x - s * y;
        a->m[q][k] = s * x + c * y;
    }
    a->m[p][q] = a->m[q][p] = 0;
}

Vec3 mat3_symmetric_eigen(Mat3 a, Mat3 *axes) {
    a = mat3_scale(0.5, mat3_add(a, mat3_transpose(a)));
    Mat3 v = mat3_identity();
    // Convergence is quadratic: five sweeps do in practice. The bound only stops a matrix that holds a NaN.
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
        double diagonal = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
        if (off <= 1e-18 * diagonal) break;
        mat3_rotate(&a, &v, 0, 1);
        mat3_rotate(&a, &v, 0, 2);
        mat3_rotate(&a, &v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++)
            if (a.m[order[j]][order[j]] < a.m[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
    if (axes) {
        Vec3 first = mat3_column(v, order[0]), second = mat3_column(v, order[1]);
        *axes = mat3_columns(first, second, vec3_cross(first, second)); // right-handed whatever the order
    }
    return vec3(a.m[order[0]][order[0]], a.m[order[1]][order[1]], a.m[order[2]][order[2]]);
}
