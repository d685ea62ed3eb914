// Bodies as solvers move them: one cache line each, read and written for several contacts at a time.
//
// A line holds v (3), 1/m, w (3), 1/I. Eight lines are transposed into eight vectors, one lane per contact.
#ifndef CONTACT_LINES_H
#define CONTACT_LINES_H

#include <stddef.h>

#include "math/simd.h"

enum { LINE = 8, LINE_INVERSE_MASS = 3, LINE_ANGULAR = 4, LINE_INVERSE_INERTIA = 7 };

#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
static inline void lines_transpose(__m512d r[8]) {
    __m512d t[8], s[8];
    for (int k = 0; k < 8; k += 2) {
        t[k] = _mm512_unpacklo_pd(r[k], r[k + 1]);
        t[k + 1] = _mm512_unpackhi_pd(r[k], r[k + 1]);
    }
    for (int k = 0; k < 8; k += 4)
        for (int j = 0; j < 2; j++) {
            s[k + j] = _mm512_shuffle_f64x2(t[k + j], t[k + j + 2], 0x88);
            s[k + j + 2] = _mm512_shuffle_f64x2(t[k + j], t[k + j + 2], 0xdd);
        }
    for (int j = 0; j < 4; j++) {
        r[j] = _mm512_shuffle_f64x2(s[j], s[j + 4], 0x88);
        r[j + 4] = _mm512_shuffle_f64x2(s[j], s[j + 4], 0xdd);
    }
}
static inline void lines_load(const double *base, const int32_t *at, Wide out[LINE]) {
    for (int k = 0; k < 8; k++) out[k] = _mm512_load_pd(base + (size_t)at[k] * LINE);
    lines_transpose(out);
}
static inline void lines_store(double *base, const int32_t *at, int count, Wide in[LINE]) {
    lines_transpose(in);
    if (count == WIDE_LANES) {
        for (int k = 0; k < 8; k++) _mm512_store_pd(base + (size_t)at[k] * LINE, in[k]);
    } else {
        double rows[8][8] __attribute__((aligned(64)));
        for (int k = 0; k < 8; k++) _mm512_store_pd(rows[k], in[k]);
        for (int k = 0; k < count; k++) memcpy(base + (size_t)at[k] * LINE, rows[k], sizeof rows[k]);
    }
}
#else
static inline void lines_load(const double *base, const int32_t *at, Wide out[LINE]) {
    for (int c = 0; c < LINE; c++) {
        double lane[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) lane[k] = base[(size_t)at[k] * LINE + (size_t)c];
        memcpy(&out[c], lane, sizeof lane);
    }
}
static inline void lines_store(double *base, const int32_t *at, int count, Wide in[LINE]) {
    for (int c = 0; c < LINE; c++) {
        double lane[WIDE_LANES];
        memcpy(lane, &in[c], sizeof lane);
        for (int k = 0; k < count; k++) base[(size_t)at[k] * LINE + (size_t)c] = lane[k];
    }
}
#endif

#endif
