// Bodies as solvers move them: one cache line each, read and written for several contacts at a time.
//
// A line holds v (3), 1/m, w (3), 1/I. Eight lines are transposed into eight vectors, one lane per contact,
// `at` telling where each line begins. A line may be named by several lanes if all of them write the same to
// it.
#ifndef CONTACT_LINES_H
#define CONTACT_LINES_H

#include <stddef.h>

#include "math/simd.h"

enum { BODY_LINE = 8, BODY_INVERSE_MASS = 3, BODY_ANGULAR = 4, BODY_INVERSE_INERTIA = 7 };

#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
// Shuffles run on one port of the processor, inserts from memory and partial stores do not: lines are loaded and
// stored in halves. A half that was stored is loaded as the same half, so that store forwarding works.
static inline __m512d lines_two(const double *low, const double *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(low)), _mm256_load_pd(high), 1);
}
static inline void lines_load(const double *base, const int32_t *at, Wide out[BODY_LINE]) {
    for (int c = 0; c < BODY_LINE; c += 4, base += 4) {
        __m512d r0 = lines_two(base + at[0], base + at[2]), r1 = lines_two(base + at[1], base + at[3]);
        __m512d r2 = lines_two(base + at[4], base + at[6]), r3 = lines_two(base + at[5], base + at[7]);
        __m512d even = _mm512_unpacklo_pd(r0, r1), odd = _mm512_unpackhi_pd(r0, r1);
        __m512d even_high = _mm512_unpacklo_pd(r2, r3), odd_high = _mm512_unpackhi_pd(r2, r3);
        out[c] = _mm512_shuffle_f64x2(even, even_high, 0x88);
        out[c + 1] = _mm512_shuffle_f64x2(odd, odd_high, 0x88);
        out[c + 2] = _mm512_shuffle_f64x2(even, even_high, 0xdd);
        out[c + 3] = _mm512_shuffle_f64x2(odd, odd_high, 0xdd);
    }
}
static inline void lines_part(double *low, double *high, __m512d two) {
    _mm256_store_pd(low, _mm512_castpd512_pd256(two));
    _mm256_store_pd(high, _mm512_extractf64x4_pd(two, 1));
}
static inline void lines_store(double *base, const int32_t *at, const Wide in[BODY_LINE]) {
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second = first + 4;
    for (int c = 0; c < BODY_LINE; c += 4, base += 4) {
        __m512d even = _mm512_unpacklo_pd(in[c], in[c + 1]), odd = _mm512_unpackhi_pd(in[c], in[c + 1]);
        __m512d even_next = _mm512_unpacklo_pd(in[c + 2], in[c + 3]),
                odd_next = _mm512_unpackhi_pd(in[c + 2], in[c + 3]);
        lines_part(base + at[0], base + at[2], _mm512_permutex2var_pd(even, first, even_next));
        lines_part(base + at[1], base + at[3], _mm512_permutex2var_pd(odd, first, odd_next));
        lines_part(base + at[4], base + at[6], _mm512_permutex2var_pd(even, second, even_next));
        lines_part(base + at[5], base + at[7], _mm512_permutex2var_pd(odd, second, odd_next));
    }
}
#else
static inline void lines_load(const double *base, const int32_t *at, Wide out[BODY_LINE]) {
    for (int c = 0; c < BODY_LINE; c++) {
        double lane[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) lane[k] = base[at[k] + c];
        memcpy(&out[c], lane, sizeof lane);
    }
}
static inline void lines_store(double *base, const int32_t *at, const Wide in[BODY_LINE]) {
    for (int c = 0; c < BODY_LINE; c++) {
        double lane[WIDE_LANES];
        memcpy(lane, &in[c], sizeof lane);
        for (int k = 0; k < WIDE_LANES; k++) base[at[k] + c] = lane[k];
    }
}
#endif

#endif
