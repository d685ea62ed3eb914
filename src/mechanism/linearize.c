#include "mechanism/linearize.h"

#include <math.h>
#include <stdlib.h>

#include "mechanism/internal.h"

enum { STEADY_ITERATIONS = 60 };

// ---- sums of elements ----------------------------------------------------------------------------
typedef struct Triplet {
    int row, column;
    double m, c, k;
} Triplet;

typedef ARRAY(Triplet) Triplets;

// The unknown of local row i of an element; -1: of the ground.
static int linearize_unknown(const Mechanism *m, const Element *element, int i) {
    int nodes = 6 * element->node_count;
    if (i >= nodes) return 6 * m->node_count + element->multiplier + i - nodes;
    return element->node[i / 6] < 0 ? -1 : 6 * element->node[i / 6] + i % 6;
}

// row[0..2] of J times A
static void linearize_row_times(const double *row, Mat3 A, double *result) {
    for (int j = 0; j < 3; j++) result[j] = row[0] * A.m[0][j] + row[1] * A.m[1][j] + row[2] * A.m[2][j];
}

// C' and K' of one element, in axes that rotate with W, from its M, C and K.
static void linearize_rotate_columns(int size, int node_count, Mat3 W, const double *M, double *C,
                                     double *K) {
    Mat3 WW = mat3_mul(W, W);
    for (int i = 0; i < size; i++)
        for (int n = 0; n < node_count; n++) {
            const double *mx = &M[i * size + 6 * n], *mr = mx + 3;
            double *cx = &C[i * size + 6 * n], *cr = cx + 3, *kx = &K[i * size + 6 * n];
            double m_w[3], m_ww[3], mr_w[3], c_w[3];
            linearize_row_times(mx, W, m_w);
            linearize_row_times(mx, WW, m_ww);
            linearize_row_times(mr, W, mr_w);
            linearize_row_times(cx, W, c_w);
            for (int j = 0; j < 3; j++) {
                kx[j] += c_w[j] + m_ww[j];
                cx[j] += 2 * m_w[j];
                cr[j] += mr_w[j];
            }
        }
}

static bool linearize_add_element(const Mechanism *m, const Element *element, Mat3 W, Triplets *triplets) {
    double M[ELEMENT_ROWS * ELEMENT_ROWS] = {0}, C[ELEMENT_ROWS * ELEMENT_ROWS] = {0};
    double K[ELEMENT_ROWS * ELEMENT_ROWS] = {0};
    int nodes = 6 * element->node_count, size = nodes + element->multiplier_count;
    ElementInput in = element_input(m, element, m->now, m->head->t);
    element->kind->jacobian(element, &in, 1, 0, 0, M);
    element->kind->jacobian(element, &in, 0, 1, 0, C);
    element->kind->jacobian(element, &in, 0, 0, 1, K);
    for (int i = 0; i < size; i++) // G and G^T are in each of the three; they are needed once, in K
        for (int j = 0; j < size; j++)
            if (i >= nodes || j >= nodes) M[i * size + j] = C[i * size + j] = 0;
    linearize_rotate_columns(size, element->node_count, W, M, C, K);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            int row = linearize_unknown(m, element, i), column = linearize_unknown(m, element, j),
                at = i * size + j;
            if (row < 0 || column < 0 || (M[at] == 0 && C[at] == 0 && K[at] == 0)) continue;
            if (!array_push(triplets, (Triplet){row, column, M[at], C[at], K[at]})) return false;
        }
    return true;
}

static int linearize_compare_triplets(const void *left, const void *right) {
    const Triplet *a = left, *b = right;
    return a->column != b->column ? a->column - b->column : a->row - b->row;
}

// Adds up the entries of one place, which follow each other in the order of the elements.
static void linearize_compress(Triplets *triplets) {
    size_t kept = 0;
    for (size_t i = 0; i < triplets->count; i++) {
        Triplet *last = kept ? &triplets->data[kept - 1] : NULL, *next = &triplets->data[i];
        if (last && last->row == next->row && last->column == next->column) {
            last->m += next->m, last->c += next->c, last->k += next->k;
        } else triplets->data[kept++] = *next;
    }
    triplets->count = kept;
}

static bool linearize_assemble(Mechanism *m, Vec3 rotation, MechanismLinear *l) {
    Triplets triplets = {0};
    Mat3 W = mat3_skew(rotation);
    bool good = true;
    l->freedoms = 6 * m->node_count;
    l->multipliers = m->multiplier_count;
    int size = l->freedoms + l->multipliers;
    for (int e = 0; e < m->element_count && good; e++)
        good = linearize_add_element(m, &m->elements[e], W, &triplets);
    // The whole diagonal, so that a shift can be added to it.
    for (int i = 0; i < size && good; i++) good = array_push(&triplets, (Triplet){.row = i, .column = i});
    if (good) {
        qsort(triplets.data, triplets.count, sizeof *triplets.data, linearize_compare_triplets);
        linearize_compress(&triplets);
        size_t count = triplets.count;
        l->starts = calloc((size_t)size + 1, sizeof *l->starts);
        l->rows = malloc((count + 1) * sizeof *l->rows);
        l->M = malloc((count + 1) * sizeof *l->M);
        l->C = malloc((count + 1) * sizeof *l->C);
        l->K = malloc((count + 1) * sizeof *l->K);
        good = l->starts && l->rows && l->M && l->C && l->K;
        for (size_t i = 0; i < count && good; i++) {
            const Triplet *t = &triplets.data[i];
            l->starts[t->column + 1]++;
            l->rows[i] = t->row;
            l->M[i] = t->m, l->C[i] = t->c, l->K[i] = t->k;
        }
        for (int j = 0; j < size && good; j++) l->starts[j + 1] += l->starts[j];
    }
    array_free(&triplets);
    return good;
}

void mechanism_linear_free(MechanismLinear *l) {
    free(l->starts), free(l->rows);
    free(l->M), free(l->C), free(l->K);
    l->starts = l->rows = NULL;
    l->M = l->C = l->K = NULL;
}

// ---- which steady state --------------------------------------------------------------------------
// Do all nodes move as one rigid body? Then its angular velocity, and its velocity at the origin of the
// world.
static bool linearize_is_rigid_motion(const Mechanism *m, Vec3 *rotation, Vec3 *drift) {
    double speed = 0, error = 0;
    const NodeState *first = &m->now.nodes[0];
    *rotation = first->w;
    *drift = vec3_sub(first->v, vec3_cross(first->w, first->x));
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        Vec3 rigid = vec3_add(*drift, vec3_cross(*rotation, node->x));
        speed = fmax(speed, fmax(vec3_norm(node->v), m->length * vec3_norm(node->w)));
        error = fmax(error, vec3_norm(vec3_sub(node->v, rigid)));
        error = fmax(error, m->length * vec3_norm(vec3_sub(node->w, *rotation)));
    }
    return error <= 1e-6 * speed;
}

// Velocities and accelerations of the steady rotation at the present positions.
static void linearize_set_motion(Mechanism *m, const MechanismLinear *l, Vec3 along) {
    for (int n = 0; n < m->node_count; n++) {
        NodeState *node = &m->now.nodes[n];
        Vec3 swing = vec3_cross(l->rotation, vec3_sub(node->x, l->center));
        node->v = vec3_add(along, swing);
        node->w = l->rotation;
        node->a = vec3_cross(l->rotation, swing);
        node->alpha = vec3_zero();
    }
}

// ---- the steady rotation -------------------------------------------------------------------------
// One Newton step on (q, lambda); *size is the largest displacement. A rotation without a drive is
// determined up to an angle: a small shift of the diagonal (`guard`) selects the smallest change.
static bool linearize_iterate(Mechanism *m, const MechanismLinear *l, double guard, double *size) {
    int count = l->freedoms + l->multipliers;
    klu_common common;
    klu_defaults(&common);
    double *values = malloc(((size_t)l->starts[count] + 1) * sizeof *values), largest = 0;
    if (!values) return false;
    for (int i = 0; i < l->starts[count]; i++) values[i] = l->K[i], largest = fmax(largest, fabs(l->K[i]));
    for (int j = 0; j < l->freedoms && guard > 0; j++)
        for (int i = l->starts[j]; i < l->starts[j + 1]; i++)
            if (l->rows[i] == j) values[i] += guard * largest;
    klu_symbolic *symbolic = klu_analyze(count, l->starts, l->rows, &common);
    klu_numeric *numeric = symbolic ? klu_factor(l->starts, l->rows, values, symbolic, &common) : NULL;
    mech_residual(m, m->now, m->head->t, NULL, m->residual);
    bool good = numeric && klu_solve(symbolic, numeric, count, 1, m->residual, &common);
    *size = 0;
    for (int i = 0; i < count && good; i++) good = isfinite(m->residual[i]);
    for (int n = 0; n < m->node_count && good; n++) {
        double *d = &m->residual[6 * n];
        double step = fmax(vec3_norm(vec3(d[0], d[1], d[2])), m->length * vec3_norm(vec3(d[3], d[4], d[5])));
        *size = fmax(*size, step);
    }
    // Long steps are shortened: rotations are linearised.
    double part = *size > 0.2 * m->length ? 0.2 * m->length / *size : 1;
    for (int i = 0; i < count && good; i++) m->residual[i] *= -part;
    for (int n = 0; n < m->node_count && good; n++) node_displace(&m->now.nodes[n], &m->residual[6 * n]);
    for (int i = 0; i < l->multipliers && good; i++) m->now.lambda[i] += m->residual[l->freedoms + i];
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    free(values);
    return good;
}

static MrcStatus linearize_find_rotation(Mechanism *m, MechanismLinear *l, Vec3 along, MrcError *error) {
    Vec3 *from = memory_alloc((size_t)m->node_count * sizeof *from);
    if (!from) return error_memory(error, "the steady rotation");
    for (int n = 0; n < m->node_count; n++) from[n] = m->now.nodes[n].x;
    bool found = false, guarded = false;
    for (int k = 0; k < STEADY_ITERATIONS && !found; k++) {
        double size;
        linearize_set_motion(m, l, along);
        mechanism_linear_free(l);
        if (!linearize_assemble(m, l->rotation, l)) break;
        if (!linearize_iterate(m, l, guarded ? 1e-10 : 0, &size)) {
            if (guarded) break;
            guarded = true;
            continue;
        }
        found = size < 1e-10 * m->length;
    }
    linearize_set_motion(m, l, along);
    for (int n = 0; n < m->node_count; n++)
        l->moved = fmax(l->moved, vec3_norm(vec3_sub(m->now.nodes[n].x, from[n])));
    memory_free(from);
    if (found) return MRC_OK;
    return error_set(error, MRC_NOT_CONVERGED,
                     "the mechanism rotates at %.4g rad/s, but no steady rotation was found near its start: "
                     "modes need one in which nothing moves when seen from axes that rotate along",
                     vec3_norm(l->rotation));
}

// ---- the whole -----------------------------------------------------------------------------------
MrcStatus mechanism_linearize(Mechanism *m, MechanismLinear *l, MrcError *error) {
    *l = (MechanismLinear){0};
    Vec3 rotation = vec3_zero(), drift = vec3_zero();
    MrcStatus status = MRC_OK;
    bool one = m->node_count > 0 && linearize_is_rigid_motion(m, &rotation, &drift);
    double rate = vec3_norm(rotation);
    Vec3 axis = vec3_normalize(rotation);
    // Gravity across the axis is not steady in axes that rotate with the mechanism.
    bool steady = vec3_norm(vec3_cross(axis, m->gravity)) <= 1e-9 * vec3_norm(m->gravity);
    if (!one || (rate > 0 && !steady)) l->kind = STEADY_NOT;
    else if (rate > 0) {
        l->kind = STEADY_ROTATION;
        l->rotation = rotation;
        l->center = vec3_scale(1 / (rate * rate), vec3_cross(rotation, drift));
        status = linearize_find_rotation(m, l, vec3_scale(vec3_dot(axis, drift), axis), error);
    }
    mechanism_linear_free(l);
    if (status == MRC_OK && !linearize_assemble(m, l->rotation, l))
        status = error_memory(error, "the linear equations");
    if (status != MRC_OK) mechanism_linear_free(l);
    for (int n = 0; n < m->node_count && l->kind != STEADY_ROTATION; n++)
        l->acceleration = fmax(l->acceleration, vec3_norm(m->now.nodes[n].a));
    return status;
}
