// Products with an element's matrix (ElementKind.product) against the matrix, each direction in a lane of its own.
#ifndef TESTS_MECHANISM_PRODUCT_CHECK_H
#define TESTS_MECHANISM_PRODUCT_CHECK_H

#include <math.h>

#include "check.h"
#include "mechanism/element.h"

static inline void check_product(const Element *element, const ElementInput *in, double cm, double cc,
                                 double ck) {
    enum { WIDES = 2, DIRECTIONS = WIDES * WIDE_LANES };
    int size = 6 * element->node_count + element->multiplier_count;
    static double J[ELEMENT_ROWS * ELEMENT_ROWS];
    static Wide x[ELEMENT_ROWS * WIDES], r[ELEMENT_ROWS * WIDES];
    const double *direction = (double *)x, *got = (double *)r;
    double largest = 0;
    memset(J, 0, sizeof J);
    element->kind->jacobian(element, in, cm, cc, ck, J);
    for (int k = 0; k < size * size; k++) largest = fmax(largest, fabs(J[k]));
    for (int k = 0; k < size * DIRECTIONS; k++) ((double *)x)[k] = sin(1 + 0.7 * k) / (1 + k % 3);
    element->kind->product(element, in, cm, cc, ck, WIDES, x, r);
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; i < size; i++) {
            double sum = 0;
            for (int j = 0; j < size; j++) sum += J[i * size + j] * direction[j * DIRECTIONS + d];
            if (!(fabs(got[i * DIRECTIONS + d] - sum) <= 1e-13 * size * largest))
                fail_msg("%s: row %d of the product is %.15g, that of the matrix %.15g", element->kind->name,
                         i, got[i * DIRECTIONS + d], sum);
        }
}

#endif
