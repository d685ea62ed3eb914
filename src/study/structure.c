// Of a mechanism, the linearised equations (mechanism/linearize.h) are solved at each frequency,
//
//     [ K + i w C - w^2 M    G^T   ] [ u  ]   [ f ]
//     [ G                    -e    ] [ mu ] = [ 0 ],
//
// with a joint compliance e far below rounding of the displacements, which makes redundant joints solvable. Of modes,
// H = sum 1 / (m_k (w_k^2 - w^2 + 2 i zeta_k w_k w)). Of a table, H is interpolated (receptance_table.h).
#include "study/structure.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/nearest.h"
#include "math/blas.h"
#include "math/table.h"
#include "mechanism/linearize.h"
#include "mechanism/names.h"
#include "model/model.h"
#include "partner/mechanism.h"
#include "study/receptance_table.h"

#define STRUCTURE_PI 3.14159265358979323846
enum { STRUCTURE_SIZE_MAX = 3000 }; // freedoms and multipliers of a dense solution

struct Structure {
    Arena *arena;
    // of a mechanism
    MechanismLinear linear;
    int at, force_at; // freedoms
    // of a file
    size_t count;
    const double *frequencies;    // [Hz]; rising
    const double *first, *second; // real and imaginary part, or damping ratio and modal mass
    bool modes;
};

// ---- mechanisms ----------------------------------------------------------------------------------
// "arm.end.y": the freedom of that node.
static MrcStatus structure_find_freedom(const MechanismPartner *part, Arena *arena, const char *name,
                                        int *freedom, MrcError *error) {
    NodeName *names;
    const char *dot = strrchr(name, '.');
    int axis = dot && dot[1] >= 'x' && dot[1] <= 'z' && !dot[2] ? dot[1] - 'x' : -1;
    if (axis < 0)
        return error_set(error, MRC_USAGE, "'%s': expected a node and an axis, such as arm.end.y", name);
    size_t count = names_list(part->definition, arena, &names), length = (size_t)(dot - name);
    const char **all = arena_alloc(arena, (count + 1) * sizeof *all);
    if (count != part->named_count || !all) return error_memory(error, "the names");
    for (size_t k = 0; k < count; k++) {
        all[k] = names[k].name;
        if (strlen(all[k]) != length || strncmp(all[k], name, length) != 0) continue;
        *freedom = 6 * part->named[k] + axis;
        return MRC_OK;
    }
    const char *nearest = nearest_word(name, length, all, count);
    return error_set(error, MRC_USAGE, "there is no node '%.*s'%s%s%s", (int)length, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static MrcStatus structure_linearize(Structure *s, const MrcModel *model, const char *at,
                                     const char *force_at, MrcError *error) {
    const SimDefinition *d = model_definition(model);
    MechanismPartner *part = NULL;
    MechanismSetting setting = {
        .materials = d->materials, .material_count = d->material_count, .gravity = d->gravity};
    if (!d->has_mechanism)
        return error_set(error, MRC_MODEL, "the model has no 'mechanism' that could respond");
    if (!at) return error_set(error, MRC_USAGE, "where is the damper? Give e.g. --at arm.end.y");
    MrcStatus status = mechanism_partner_create(&d->mechanism, &setting, s->arena, &part, error);
    if (status == MRC_OK) status = structure_find_freedom(part, s->arena, at, &s->at, error);
    if (status == MRC_OK)
        status = structure_find_freedom(part, s->arena, force_at ? force_at : at, &s->force_at, error);
    if (status == MRC_OK) status = mechanism_linearize(part->mechanism, &s->linear, error);
    if (part) partner_mechanism.destroy(part);
    if (status == MRC_OK && s->linear.kind != STEADY_REST)
        status =
            error_set(error, MRC_MODEL, "the structure moves at its start; a response needs one at rest");
    if (status == MRC_OK && s->linear.freedoms + s->linear.multipliers > STRUCTURE_SIZE_MAX)
        status = error_set(error, MRC_MODEL,
                           "the mechanism has more than %d degrees of freedom; give its modes as a table",
                           STRUCTURE_SIZE_MAX);
    return status;
}

static MrcStatus structure_solve(const Structure *s, double w, Receptance *r, MrcError *error) {
    const MechanismLinear *l = &s->linear;
    int n = l->freedoms + l->multipliers;
    double complex *A = calloc((size_t)n * (size_t)n, sizeof *A), *b = calloc(2 * (size_t)n, sizeof *b);
    lapack_int *pivots = calloc((size_t)n, sizeof *pivots);
    MrcStatus status = A && b && pivots ? MRC_OK : error_memory(error, "the structure");
    double largest = 0, stiffest = 0; // entry of K; of K and w^2 M
    for (int j = 0; j < n && status == MRC_OK; j++)
        for (int i = l->starts[j]; i < l->starts[j + 1]; i++) {
            A[(size_t)j * (size_t)n + (size_t)l->rows[i]] = l->K[i] - w * w * l->M[i] + w * l->C[i] * I;
            largest = fmax(largest, fabs(l->K[i]));
            stiffest = fmax(stiffest, fmax(fabs(l->K[i]), w * w * fabs(l->M[i])));
        }
    if (status == MRC_OK) {
        for (int j = l->freedoms; j < n; j++) A[(size_t)j * (size_t)n + (size_t)j] -= 1e-14 / largest;
        b[s->at] = 1;
        b[n + s->force_at] = 1;
        if (BLAS_ALONE(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 2, A, n, pivots, b, n)) != 0)
            status = error_set(error, MRC_NOT_CONVERGED,
                               "the structure has no damping and resonates at %.6g Hz exactly",
                               w / (2 * STRUCTURE_PI));
        *r = (Receptance){b[s->at], b[n + s->at], b[s->at]};
        // What joints hold has the compliance e only.
        if (status == MRC_OK && cabs(r->own) * stiffest < 1e-11)
            status = error_set(
                error, MRC_USAGE,
                "joints hold the place of the dampers in the direction that --at names: nothing moves there");
    }
    free(A), free(b), free(pivots);
    return status;
}

// ---- files ---------------------------------------------------------------------------------------
// A column without a unit is taken as it is.
static MrcStatus structure_read_column(Structure *s, const char *path, const char *name, Dimension dimension,
                                       TableSamples *samples, MrcError *error) {
    MrcError own;
    char unit[96];
    MrcStatus status = table_read_over_frequency(path, "f", name, s->arena, samples, &own);
    if (status == MRC_OK && samples->has_unit && !dimension_equal(samples->units.dimension, dimension))
        status = error_set(&own, MRC_READ_FAILED, "%s: column '%s' is %s", path, name,
                           dimension_describe(samples->units.dimension, unit, sizeof unit));
    if (status == MRC_OK) return MRC_OK;
    return error_set(error, status,
                     "%.700s. A structure has columns f[Hz], damping[1], mass[kg], or f[Hz], real[m/N], "
                     "imaginary[m/N]",
                     own.text);
}

static MrcStatus structure_read_file(Structure *s, const char *path, MrcError *error) {
    const Dimension number = DIM_NUMBER, receptance = DIMENSION(0, -1, 2, 0); // m/N = s^2/kg
    TableSamples first, second;
    MrcStatus status = structure_read_column(s, path, "mass", DIM_MASS, &second, error);
    s->modes = second.found;
    if (s->modes && status == MRC_OK)
        status = structure_read_column(s, path, "damping", number, &first, error);
    if (!s->modes) status = structure_read_column(s, path, "real", receptance, &first, error);
    if (!s->modes && status == MRC_OK)
        status = structure_read_column(s, path, "imaginary", receptance, &second, error);
    if (status != MRC_OK) return status;
    s->count = first.count;
    s->frequencies = first.times, s->first = first.values, s->second = second.values;
    for (size_t i = 0; i < s->count; i++) {
        bool rises = i == 0 || s->frequencies[i] > s->frequencies[i - 1];
        if (!(s->frequencies[i] > 0) || !rises || (s->modes && !(s->second[i] > 0 && s->first[i] >= 0)))
            return error_set(error, MRC_READ_FAILED,
                             "'%s', line %zu: frequencies must be positive and rise%s", path, i + 2,
                             s->modes ? ", masses be positive and damping ratios not negative" : "");
    }
    // A force at the attachment point puts the power -w Im(H) |F|^2/2 into the structure.
    double imaginary = 0;
    for (size_t i = 0; i < s->count && !s->modes; i++) imaginary += s->second[i];
    if (imaginary > 0)
        return error_set(
            error, MRC_READ_FAILED,
            "'%s': imaginary parts of the receptance are positive, as if the structure gave energy. "
            "With motions Re(x e^(iwt)) they are negative; change their sign",
            path);
    if (s->count == 0 || (!s->modes && s->count < 2))
        return error_set(error, MRC_READ_FAILED, "'%s' has too few lines", path);
    return MRC_OK;
}

static MrcStatus structure_interpolate(const Structure *s, double f, Receptance *r, MrcError *error) {
    ReceptanceTable table = {s->frequencies, s->first, s->second, s->count};
    if (f < s->frequencies[0] * (1 - 1e-9) || f > s->frequencies[s->count - 1] * (1 + 1e-9))
        return error_set(error, MRC_USAGE, "%g Hz is outside of the receptances, which are from %g to %g Hz",
                         f, s->frequencies[0], s->frequencies[s->count - 1]);
    r->own = r->force = receptance_table_at(&table, 1, f);
    r->rough = receptance_table_at(&table, s->count > 2 ? 2 : 1, f);
    return MRC_OK;
}

// ---- the whole -----------------------------------------------------------------------------------
static bool structure_is_table(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

MrcStatus structure_open(const char *path, const char *at, const char *force_at, const char *const *overrides,
                         int override_count, Structure **out, MrcError *error) {
    Structure *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s) s->arena = arena_create();
    MrcStatus status = s && s->arena ? MRC_OK : error_memory(error, "the structure");
    if (status == MRC_OK && structure_is_table(path) && (at || force_at)) {
        status = error_set(error, MRC_USAGE,
                           "'%s' is a table, of one point: --at and --force-at name points of a model", path);
    } else if (status == MRC_OK && structure_is_table(path)) {
        status = structure_read_file(s, path, error);
    } else if (status == MRC_OK) {
        MrcModel *model = mrc_model_load(path, overrides, override_count);
        if (!model) status = error_memory(error, "the model");
        else if (mrc_model_status(model) != MRC_OK)
            status = error_set(error, MRC_MODEL, "'%s' has errors: 'maraca check' lists them", path);
        else status = structure_linearize(s, model, at, force_at, error);
        mrc_model_free(model);
    }
    if (status != MRC_OK) structure_free(s);
    else *out = s;
    return status;
}

void structure_free(Structure *s) {
    if (!s) return;
    mechanism_linear_free(&s->linear);
    if (s->arena) arena_destroy(s->arena);
    free(s);
}

MrcStatus structure_receptance(const Structure *s, double f, Receptance *r, MrcError *error) {
    double w = 2 * STRUCTURE_PI * f;
    double complex h = 0;
    if (s->count == 0) return structure_solve(s, w, r, error);
    if (!s->modes) return structure_interpolate(s, f, r, error);
    for (size_t k = 0; k < s->count; k++) {
        double wk = 2 * STRUCTURE_PI * s->frequencies[k];
        double damping = fmax(s->first[k], 1e-12); // without any, a resonance is finite in this way too
        h += 1 / (s->second[k] * (wk * wk - w * w + 2 * I * damping * wk * w));
    }
    *r = (Receptance){h, h, h};
    return MRC_OK;
}

const double *structure_frequencies(const Structure *s, int *count) {
    *count = s->modes ? 0 : (int)s->count;
    return *count > 0 ? s->frequencies : NULL;
}
