// Choice of the solver, and interpretation of its eigenvalues.
#include <math.h>
#include <stdlib.h>

#include "analysis/modes.h"
#include "base/error.h"

static double modes_mass_of(const MechanismLinear *l, int j) {
    for (int i = l->starts[j]; i < l->starts[j + 1]; i++)
        if (l->rows[i] == j) return l->M[i];
    return 0;
}

double modes_highest(const MechanismLinear *l) {
    double highest = 0;
    for (int j = 0; j < l->freedoms; j++) {
        double mass = modes_mass_of(l, j);
        for (int i = l->starts[j]; i < l->starts[j + 1]; i++) {
            double other = l->rows[i] < l->freedoms ? modes_mass_of(l, l->rows[i]) : 0;
            if (mass > 0 && other > 0) highest = fmax(highest, fabs(l->K[i]) / sqrt(mass * other));
        }
    }
    return sqrt(highest);
}

bool modes_add(ModeList *list, const MechanismLinear *l, double _Complex lambda,
               const double _Complex *shape) {
    if (!isfinite(creal(lambda)) || !isfinite(cimag(lambda))) return true;
    if (cimag(lambda) < 0) return true; // its conjugate stands for both
    Mode mode = {.lambda = lambda, .shape = malloc((size_t)(l->freedoms + 1) * sizeof *mode.shape)};
    if (!mode.shape) return false;
    for (int i = 0; i < l->freedoms; i++) mode.shape[i] = shape[i];
    if (array_push(&list->modes, mode)) return true;
    free(mode.shape);
    return false;
}

// Rounding moves a lambda of zero by no more than this: K is known to 1e-16 of its largest entries, and
// lambda^2 is K over M.
static double modes_zero_limit(const MechanismLinear *l) { return 1e-7 * modes_highest(l); }

static void modes_name_kind(const MechanismLinear *l, Mode *mode) {
    double size = cabs(mode->lambda);
    if (size <= modes_zero_limit(l) || size == 0) mode->kind = MODE_RIGID, mode->lambda = 0;
    else if (fabs(cimag(mode->lambda)) <= 1e-9 * size)
        mode->kind = MODE_REAL, mode->lambda = creal(mode->lambda);
    else mode->kind = MODE_VIBRATION;
}

static void modes_normalize(const MechanismLinear *l, Mode *mode, double length) {
    double largest = 0;
    double _Complex at = 1;
    for (int i = 0; i < l->freedoms; i++) {
        double size = cabs(mode->shape[i]) * (i % 6 < 3 ? 1 : length);
        if (size <= largest * (1 + 1e-9)) continue;
        largest = size;
        at = mode->shape[i] * (i % 6 < 3 ? 1 : length);
    }
    for (int i = 0; i < l->freedoms; i++) mode->shape[i] /= at;
}

static int modes_compare(const void *left, const void *right) {
    const Mode *a = left, *b = right;
    bool first = a->kind == MODE_RIGID, second = b->kind == MODE_RIGID;
    if (first != second) return first ? -1 : 1;
    double x = cabs(a->lambda), y = cabs(b->lambda);
    return x < y ? -1 : x > y;
}

// Rigid motions come twice from the solvers, as displacement and as velocity: lambda = 0 is a double root.
// Half of them are kept; a shape that is a multiple of one already kept is left out.
static void modes_drop_doubles(ModeList *list, const MechanismLinear *l, double length) {
    size_t kept = 0;
    for (size_t k = 0; k < list->modes.count; k++) {
        Mode *mode = &list->modes.data[k];
        // Gram-Schmidt against the rigid shapes before.
        double before = 0, after = 0;
        for (int i = 0; i < l->freedoms; i++) {
            double weight = i % 6 < 3 ? 1 : length;
            before += pow(weight * cabs(mode->shape[i]), 2);
        }
        double _Complex *rest =
            mode->kind == MODE_RIGID ? malloc((size_t)(l->freedoms + 1) * sizeof *rest) : NULL;
        for (int i = 0; rest && i < l->freedoms; i++) rest[i] = mode->shape[i];
        for (int pass = 0; rest && pass < 2; pass++)
            for (size_t q = 0; q < kept; q++) {
                const Mode *other = &list->modes.data[q];
                if (other->kind != MODE_RIGID) continue;
                double _Complex product = 0;
                double norm = 0;
                for (int i = 0; i < l->freedoms; i++) {
                    double weight = i % 6 < 3 ? 1 : length * length;
                    product += weight * conj(other->shape[i]) * rest[i];
                    norm += weight * creal(other->shape[i] * conj(other->shape[i]));
                }
                for (int i = 0; i < l->freedoms; i++) rest[i] -= product / norm * other->shape[i];
            }
        for (int i = 0; rest && i < l->freedoms; i++) {
            double weight = i % 6 < 3 ? 1 : length;
            after += pow(weight * cabs(rest[i]), 2);
        }
        bool twin = rest && after < 1e-4 * before;
        if (rest && !twin)
            for (int i = 0; i < l->freedoms; i++) mode->shape[i] = rest[i];
        free(rest);
        if (twin) free(mode->shape);
        else list->modes.data[kept++] = *mode;
    }
    list->modes.count = kept;
}

MrcStatus modes_find(const MechanismLinear *l, int count, double length, ModeList *list, MrcError *error) {
    // ARPACK is for a small part of all modes.
    *list = (ModeList){.dense = l->freedoms <= MODES_DENSE_MAX || 8 * (int64_t)count > l->freedoms};
    MrcStatus status = list->dense ? modes_dense(l, list, error) : modes_sparse(l, count, list, error);
    if (status != MRC_OK) return status;
    for (size_t k = 0; k < list->modes.count; k++) modes_name_kind(l, &list->modes.data[k]);
    if (list->modes.count > 1)
        qsort(list->modes.data, list->modes.count, sizeof *list->modes.data, modes_compare);
    modes_drop_doubles(list, l, length);
    for (size_t k = 0; k < list->modes.count; k++) modes_normalize(l, &list->modes.data[k], length);
    while (list->modes.count > (size_t)count) free(list->modes.data[--list->modes.count].shape);
    return MRC_OK;
}

void modes_free(ModeList *list) {
    for (size_t k = 0; k < list->modes.count; k++) free(list->modes.data[k].shape);
    array_free(&list->modes);
}
