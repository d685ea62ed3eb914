// Products of the mechanism's matrix with some vectors, element by element: the matrix itself is not formed.
//
// A matrix that is needed for one product only costs more to assemble than to multiply. Elements give derivatives of
// their residual along WIDE_LANES directions at a time (ElementKind.product), beams without their 18 x 18 matrix; what
// has no such function is multiplied by its own small matrix.
#include "mechanism/internal.h"

enum { PRODUCT_WIDES = 2 }; // vectors of WIDE_LANES columns at a time

typedef struct ProductColumns {   // of the caller's matrices, row-major
    int columns, first, count;    // all; those in work
    size_t size;                  // numbers in each matrix
    WideMask mask[PRODUCT_WIDES]; // lanes in work
} ProductColumns;

static inline double product_first(Wide x) {
    double first;
    memcpy(&first, &x, sizeof first);
    return first;
}

// Lanes beyond `count` have any numbers, of other columns or rows.
static inline Wide product_load(const ProductColumns *c, const double *x, size_t row, int wide) {
    size_t at = row * (size_t)c->columns + (size_t)(c->first + wide * WIDE_LANES);
    if (c->count == 1) return wide_set(x[at]);
    if (at + WIDE_LANES <= c->size) return *(const WideUnaligned *)(x + at);
    double all[WIDE_LANES] = {0};
    for (size_t k = 0; k < WIDE_LANES && at + k < c->size; k++) all[k] = x[at + k];
    return *(const WideUnaligned *)all;
}

// One column, and the six of a port, are stored as so many numbers: a load that overlaps a store with a mask waits until
// that has reached the cache, and rows are next to each other.
static inline void product_subtract(const ProductColumns *c, Wide product, size_t row, int wide, double *r) {
    double *to = r + row * (size_t)c->columns + (size_t)(c->first + wide * WIDE_LANES);
    if (c->count == 1) {
        *to -= product_first(product);
        return;
    }
    Wide left = product_load(c, r, row, wide) - product;
    if (c->count == 6 && WIDE_LANES >= 6) memcpy(to, &left, 6 * sizeof(double));
    else wide_store_masked(to, c->mask[wide], left);
}

static void product_by_jacobian(Mechanism *m, const Element *element, const ElementInput *in, double cm,
                                double cc, double ck, int wides, const Wide *x, Wide *r) {
    int size = 6 * element->node_count + element->multiplier_count;
    double *J = m->matrix.local;
    memset(J, 0, sizeof(double) * (size_t)(size * size));
    element->kind->jacobian(element, in, cm, cc, ck, J);
    for (int i = 0; i < size; i++)
        for (int w = 0; w < wides; w++) {
            Wide sum = wide_set(0);
            for (int j = 0; j < size; j++) sum = wide_fma(wide_set(J[i * size + j]), x[j * wides + w], sum);
            r[i * wides + w] = sum;
        }
}

// The first row of a node of the element, or of its multipliers behind the nodes; -1: ground.
static inline int product_row(const Mechanism *m, const Element *element, int node) {
    if (node == element->node_count) return m->matrix.freedoms + element->multiplier;
    return element->node[node] < 0 ? -1 : 6 * element->node[node];
}

static void product_of_element(Mechanism *m, const Element *element, const ElementInput *in, double cm,
                               double cc, double ck, const ProductColumns *c, const double *x, double *r) {
    Wide from[ELEMENT_ROWS * PRODUCT_WIDES], to[ELEMENT_ROWS * PRODUCT_WIDES];
    int wides = (c->count + WIDE_LANES - 1) / WIDE_LANES;
    for (int n = 0; n <= element->node_count; n++) {
        int row = product_row(m, element, n), rows = n < element->node_count ? 6 : element->multiplier_count;
        Wide *at = from + 6 * n * wides;
        for (int i = 0; i < rows; i++)
            for (int w = 0; w < wides; w++)
                *at++ = row < 0 ? wide_set(0) : product_load(c, x, (size_t)(row + i), w);
    }
    if (element->kind->product) element->kind->product(element, in, cm, cc, ck, wides, from, to);
    else product_by_jacobian(m, element, in, cm, cc, ck, wides, from, to);
    for (int n = 0; n <= element->node_count; n++) {
        int row = product_row(m, element, n), rows = n < element->node_count ? 6 : element->multiplier_count;
        const Wide *at = to + 6 * n * wides;
        for (int i = 0; i < rows && row >= 0; i++)
            for (int w = 0; w < wides; w++) product_subtract(c, *at++, (size_t)(row + i), w, r);
    }
}

void mech_subtract_product(Mechanism *m, Instant at, double t, double cm, double cc, double ck,
                           const double *x, double *r, int columns) {
    ElementInput in = elements_input(m, &at, t);
    ProductColumns c = {.columns = columns, .size = (size_t)m->matrix.size * (size_t)columns};
    for (; c.first < columns; c.first += c.count) {
        c.count = columns - c.first;
        if (c.count > PRODUCT_WIDES * WIDE_LANES) c.count = PRODUCT_WIDES * WIDE_LANES;
        for (int w = 0; w < PRODUCT_WIDES; w++) {
            double lanes[WIDE_LANES];
            for (int k = 0; k < WIDE_LANES; k++) lanes[k] = w * WIDE_LANES + k;
            c.mask[w] = wide_less(*(const WideUnaligned *)lanes, wide_set(c.count));
        }
        for (int e = 0; e < m->element_count; e++) {
            const Element *element = &m->elements[e];
            element_input_set(element, &at, &in);
            product_of_element(m, element, &in, cm, cc, ck, &c, x, r);
        }
    }
}
