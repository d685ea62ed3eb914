// One meshed beam with some of its motions held: equilibrium by Newton's method, frequencies as zeros of the
// determinant. Dense, so that beams can be judged without the rest of the mechanism.
#ifndef TESTS_MECHANISM_CHAIN_H
#define TESTS_MECHANISM_CHAIN_H

#include <stdlib.h>
#include <string.h>

#include "check_math.h"
#include "math/so3.h"
#include "mechanism/beam_mesh.h"

typedef struct ChainMass { // rides on a node
    int node;
    Inertia inertia;
} ChainMass;

typedef struct Chain {
    Arena *arena;
    BeamMesh mesh;
    int size;     // 6 per node
    bool *held;   // (size)
    double *dead; // forces and moments that keep their directions (size) [N, N m]
    ChainMass extra[2];
    int extra_count;
    double *matrix, *vector; // (size^2), (size)
    int *pivot;              // (size)
} Chain;

static inline Chain chain_create(const BeamDefinition *definition, const Material *material) {
    Chain chain = {.arena = arena_create()};
    MrcError error = {0};
    if (beam_mesh_create(definition, material, chain.arena, &chain.mesh, &error) != MRC_OK)
        fail_msg("%s", error.text);
    chain.size = 6 * chain.mesh.node_count;
    size_t n = (size_t)chain.size;
    chain.held = arena_alloc(chain.arena, n * sizeof *chain.held);
    chain.dead = arena_alloc(chain.arena, n * sizeof *chain.dead);
    chain.matrix = arena_alloc(chain.arena, n * n * sizeof *chain.matrix);
    chain.vector = arena_alloc(chain.arena, n * sizeof *chain.vector);
    chain.pivot = arena_alloc(chain.arena, n * sizeof *chain.pivot);
    return chain;
}
static inline void chain_free(Chain *chain) { arena_destroy(chain->arena); }
static inline NodeState *chain_end(Chain *chain) { return &chain->mesh.nodes[chain->mesh.node_count - 1]; }
static inline double *chain_end_load(Chain *chain) { return &chain->dead[chain->size - 6]; }

static inline void chain_hold(Chain *chain, int node, const char *which) { // of "xyzXYZ": shifts, turns
    static const char all[] = "xyzXYZ";
    for (; *which; which++) chain->held[6 * node + (strchr(all, *which) - all)] = true;
}
static inline void chain_hold_all(Chain *chain, const char *which) {
    for (int n = 0; n < chain->mesh.node_count; n++) chain_hold(chain, n, which);
}

static inline void chain_element(Chain *chain, int e, Element *element, ElementInput *in) {
    NodeState *node = &chain->mesh.nodes[2 * e];
    *element =
        (Element){.kind = &beam_kind, .name = "beam", .data = &chain->mesh.elements[e], .node_count = 3};
    *in = (ElementInput){.node = {&node[0], &node[1], &node[2]}};
}

static inline void chain_residual(Chain *chain) {
    for (int i = 0; i < chain->size; i++) chain->vector[i] = -chain->dead[i];
    for (int e = 0; e < chain->mesh.element_count; e++) {
        Element element;
        ElementInput in;
        double r[18];
        chain_element(chain, e, &element, &in);
        beam_kind.residual(&element, &in, r);
        for (int i = 0; i < 18; i++) chain->vector[12 * e + i] += r[i];
    }
}

static inline void chain_add_inertia(Chain *chain, int node, Inertia body, double factor) {
    // M = [m, -m skew(c); m skew(c), J about the node], axes of the world
    const Mat3 *R = &chain->mesh.nodes[node].R;
    Vec3 c = mat3_apply(*R, body.centre);
    Mat3 J = mat3_mul(*R, mat3_mul(inertia_about(body, vec3_zero()), mat3_transpose(*R)));
    Mat3 S = mat3_scale(body.mass, mat3_skew(c));
    double *at = &chain->matrix[6 * node * (chain->size + 1)];
    for (int i = 0; i < 3; i++) {
        at[i * chain->size + i] += factor * body.mass;
        for (int j = 0; j < 3; j++) {
            at[i * chain->size + 3 + j] -= factor * S.m[i][j];
            at[(3 + i) * chain->size + j] += factor * S.m[i][j];
            at[(3 + i) * chain->size + 3 + j] += factor * J.m[i][j];
        }
    }
}

// K + shift M, rows and columns of held motions replaced by those of the identity.
static inline void chain_matrix(Chain *chain, double shift) {
    int size = chain->size;
    memset(chain->matrix, 0, (size_t)size * (size_t)size * sizeof *chain->matrix);
    for (int e = 0; e < chain->mesh.element_count; e++) {
        Element element;
        ElementInput in;
        double J[18 * 18] = {0};
        chain_element(chain, e, &element, &in);
        beam_kind.jacobian(&element, &in, 0, 0, 1, J);
        for (int i = 0; i < 18; i++)
            for (int j = 0; j < 18; j++) chain->matrix[(12 * e + i) * size + 12 * e + j] += J[18 * i + j];
    }
    if (shift != 0) {
        for (int n = 0; n < chain->mesh.node_count; n++)
            chain_add_inertia(chain, n, chain->mesh.masses[n], shift);
        for (int i = 0; i < chain->extra_count; i++)
            chain_add_inertia(chain, chain->extra[i].node, chain->extra[i].inertia, shift);
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            if (chain->held[i] || chain->held[j]) chain->matrix[i * size + j] = i == j;
}

// LU with row pivots within the band of three nodes. Returns the sign of the determinant.
enum { CHAIN_BAND = 17 };
static inline int chain_factor(Chain *chain) {
    int size = chain->size, sign = 1;
    double *a = chain->matrix;
    for (int k = 0; k < size; k++) {
        int best = k, last = k + CHAIN_BAND < size - 1 ? k + CHAIN_BAND : size - 1;
        int right = k + 2 * CHAIN_BAND < size - 1 ? k + 2 * CHAIN_BAND : size - 1;
        for (int i = k + 1; i <= last; i++)
            if (fabs(a[i * size + k]) > fabs(a[best * size + k])) best = i;
        chain->pivot[k] = best;
        if (best != k) {
            sign = -sign;
            for (int j = k; j <= right; j++) {
                double swap = a[k * size + j];
                a[k * size + j] = a[best * size + j], a[best * size + j] = swap;
            }
        }
        if (a[k * size + k] < 0) sign = -sign;
        for (int i = k + 1; i <= last; i++) {
            double factor = a[i * size + k] /= a[k * size + k];
            if (factor != 0)
                for (int j = k + 1; j <= right; j++) a[i * size + j] -= factor * a[k * size + j];
        }
    }
    return sign;
}
static inline void chain_solve(Chain *chain, double *x) {
    int size = chain->size;
    for (int k = 0; k < size; k++) {
        double swap = x[k];
        x[k] = x[chain->pivot[k]], x[chain->pivot[k]] = swap;
        for (int i = k + 1; i <= k + CHAIN_BAND && i < size; i++) x[i] -= chain->matrix[i * size + k] * x[k];
    }
    for (int k = size - 1; k >= 0; k--) {
        for (int j = k + 1; j <= k + 2 * CHAIN_BAND && j < size; j++)
            x[k] -= chain->matrix[k * size + j] * x[j];
        x[k] /= chain->matrix[k * size + k];
    }
}

// Newton's method until the correction is below `tolerance` (of the beam's length, and radians). Returns the
// number of iterations; fails the test after 60.
static inline int chain_equilibrium(Chain *chain, double tolerance) {
    double length = vec3_norm(vec3_sub(chain->mesh.nodes[1].x, chain->mesh.nodes[0].x));
    for (int iteration = 1; iteration <= 60; iteration++) {
        chain_residual(chain);
        for (int i = 0; i < chain->size; i++)
            if (chain->held[i]) chain->vector[i] = 0;
        chain_matrix(chain, 0);
        chain_factor(chain);
        chain_solve(chain, chain->vector);
        double largest = 0;
        for (int n = 0; n < chain->mesh.node_count; n++) {
            const double *d = &chain->vector[6 * n];
            NodeState *node = &chain->mesh.nodes[n];
            node->x = vec3_sub(node->x, vec3(d[0], d[1], d[2]));
            node->R = mat3_mul(so3_exp(vec3(-d[3], -d[4], -d[5])), node->R);
            for (int i = 0; i < 3; i++) largest = fmax(largest, fmax(fabs(d[i]) / length, fabs(d[3 + i])));
        }
        if (largest <= tolerance) return iteration;
    }
    fail_msg("no equilibrium after 60 iterations");
    return 0;
}

// Frequencies [Hz] of the free motions about the present shape: where the determinant of K - omega^2 M
// changes its sign, looked for in steps of a factor 1 + `step` from `from` on.
static inline void chain_frequencies(Chain *chain, double from, double step, int count, double *frequency) {
    double low = from, tau = 2 * M_PI;
    chain_matrix(chain, -tau * low * tau * low);
    int sign = chain_factor(chain), found = 0;
    while (found < count) {
        double high = low * (1 + step);
        assert_true(high < 1e9);
        chain_matrix(chain, -tau * high * tau * high);
        if (chain_factor(chain) != sign) {
            double a = low, b = high;
            for (int i = 0; i < 34; i++) {
                double middle = 0.5 * (a + b);
                chain_matrix(chain, -tau * middle * tau * middle);
                if (chain_factor(chain) == sign) a = middle;
                else b = middle;
            }
            frequency[found++] = 0.5 * (a + b);
            sign = -sign;
        }
        low = high;
    }
}

#endif
