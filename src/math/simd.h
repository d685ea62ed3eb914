// A thin layer over the processor's vectors, so that one kernel source serves every width.
//
// Wide holds WIDE_LANES doubles (8, 4, 2 or 1), WideF holds WIDEF_LANES floats (16, 8, 4 or 1). The width is
// fixed at compile time: MARACA_SCALAR asks for one lane, otherwise the widest of AVX-512F, AVX2, SSE2.
//
// Every function does the same in every lane as this would do in plain C:
//   min(a, b) = a < b ? a : b, max(a, b) = a > b ? a : b; a comparison with NaN is false; fma rounds once
//   where the processor has it and twice otherwise, so results differ in the last digit between processors,
//   never between thread counts. Aligned loads and stores need the alignment of memory_alloc (64 bytes).
//
// The vector types of gcc and clang add, subtract, multiply, divide, negate and dereference like numbers, so
// only what has no operator is written once per width, one line each: a table, which clang-format would
// spread over twice the length.
#ifndef MATH_SIMD_H
#define MATH_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined(MARACA_SCALAR) && defined(__SSE2__)
#include <immintrin.h>
#endif

// clang-format off
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
// ---- AVX-512: 8 doubles, 16 floats ---------------------------------------------------------------
enum { WIDE_LANES = 8, WIDEF_LANES = 16 };
typedef __m512d Wide;
typedef __m512d_u WideUnaligned;
typedef __mmask8 WideMask;
typedef __m256i WideIndex;
typedef __m512 WideF;
typedef __m512_u WideFUnaligned;
typedef __mmask16 WideFMask;
typedef __m512i WideFIndex;

static inline Wide wide_set(double x) { return _mm512_set1_pd(x); }
static inline Wide wide_gather(const double *base, WideIndex i) { return _mm512_i32gather_pd(i, base, 8); }
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return _mm512_fmadd_pd(a, b, c); }
static inline Wide wide_sqrt(Wide a) { return _mm512_sqrt_pd(a); }
static inline Wide wide_min(Wide a, Wide b) { return _mm512_min_pd(a, b); }
static inline Wide wide_max(Wide a, Wide b) { return _mm512_max_pd(a, b); }
static inline Wide wide_abs(Wide a) { return _mm512_abs_pd(a); }
static inline WideMask wide_less(Wide a, Wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline WideMask wide_less_equal(Wide a, Wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
static inline WideMask wide_mask_and(WideMask a, WideMask b) { return a & b; }
static inline WideMask wide_mask_or(WideMask a, WideMask b) { return a | b; }
static inline WideMask wide_mask_not(WideMask a) { return (WideMask)~a; }
static inline unsigned wide_mask_bits(WideMask a) { return a; }
static inline Wide wide_select(WideMask m, Wide a, Wide b) { return _mm512_mask_blend_pd(m, b, a); }
static inline void wide_store_masked(double *p, WideMask m, Wide a) { _mm512_mask_storeu_pd(p, m, a); }
static inline WideIndex wide_index_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline WideIndex wide_index_from(int32_t start) {
    return _mm256_add_epi32(_mm256_set1_epi32(start), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline WideF widef_set(float x) { return _mm512_set1_ps(x); }
static inline WideF widef_gather(const float *base, WideFIndex i) { return _mm512_i32gather_ps(i, base, 4); }
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return _mm512_fmadd_ps(a, b, c); }
static inline WideF widef_sqrt(WideF a) { return _mm512_sqrt_ps(a); }
static inline WideFMask widef_less(WideF a, WideF b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline WideFMask widef_less_equal(WideF a, WideF b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline WideFMask widef_mask_and(WideFMask a, WideFMask b) { return a & b; }
static inline unsigned widef_mask_bits(WideFMask a) { return a; }
static inline WideFIndex widef_index_load(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline WideFIndex widef_index_from(int32_t start) {
    __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_set1_epi32(start), lanes);
}

#elif !defined(MARACA_SCALAR) && defined(__AVX2__)
// ---- AVX2: 4 doubles, 8 floats -------------------------------------------------------------------
enum { WIDE_LANES = 4, WIDEF_LANES = 8 };
typedef __m256d Wide;
typedef __m256d_u WideUnaligned;
typedef __m256d WideMask; // all bits of a lane, or none
typedef __m128i WideIndex;
typedef __m256 WideF;
typedef __m256_u WideFUnaligned;
typedef __m256 WideFMask;
typedef __m256i WideFIndex;

static inline Wide wide_set(double x) { return _mm256_set1_pd(x); }
static inline Wide wide_gather(const double *base, WideIndex i) { return _mm256_i32gather_pd(base, i, 8); }
#ifdef __FMA__
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return _mm256_fmadd_pd(a, b, c); }
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return _mm256_fmadd_ps(a, b, c); }
#else
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return a * b + c; }
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return a * b + c; }
#endif
static inline Wide wide_sqrt(Wide a) { return _mm256_sqrt_pd(a); }
static inline Wide wide_min(Wide a, Wide b) { return _mm256_min_pd(a, b); }
static inline Wide wide_max(Wide a, Wide b) { return _mm256_max_pd(a, b); }
static inline Wide wide_abs(Wide a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline WideMask wide_less(Wide a, Wide b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline WideMask wide_less_equal(Wide a, Wide b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline WideMask wide_mask_and(WideMask a, WideMask b) { return _mm256_and_pd(a, b); }
static inline WideMask wide_mask_or(WideMask a, WideMask b) { return _mm256_or_pd(a, b); }
static inline WideMask wide_mask_not(WideMask a) {
    return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
}
static inline unsigned wide_mask_bits(WideMask a) { return (unsigned)_mm256_movemask_pd(a); }
static inline Wide wide_select(WideMask m, Wide a, Wide b) { return _mm256_blendv_pd(b, a, m); }
static inline void wide_store_masked(double *p, WideMask m, Wide a) {
    _mm256_maskstore_pd(p, _mm256_castpd_si256(m), a);
}
static inline WideIndex wide_index_load(const int32_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline WideIndex wide_index_from(int32_t start) {
    return _mm_add_epi32(_mm_set1_epi32(start), _mm_setr_epi32(0, 1, 2, 3));
}

static inline WideF widef_set(float x) { return _mm256_set1_ps(x); }
static inline WideF widef_gather(const float *base, WideFIndex i) { return _mm256_i32gather_ps(base, i, 4); }
static inline WideF widef_sqrt(WideF a) { return _mm256_sqrt_ps(a); }
static inline WideFMask widef_less(WideF a, WideF b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline WideFMask widef_less_equal(WideF a, WideF b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static inline WideFMask widef_mask_and(WideFMask a, WideFMask b) { return _mm256_and_ps(a, b); }
static inline unsigned widef_mask_bits(WideFMask a) { return (unsigned)_mm256_movemask_ps(a); }
static inline WideFIndex widef_index_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline WideFIndex widef_index_from(int32_t start) {
    return _mm256_add_epi32(_mm256_set1_epi32(start), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#elif !defined(MARACA_SCALAR) && defined(__SSE2__)
// ---- SSE2: 2 doubles, 4 floats -------------------------------------------------------------------
enum { WIDE_LANES = 2, WIDEF_LANES = 4 };
typedef __m128d Wide;
typedef __m128d_u WideUnaligned;
typedef __m128d WideMask;  // all bits of a lane, or none
typedef __m128i WideIndex; // the lower two of four
typedef __m128 WideF;
typedef __m128_u WideFUnaligned;
typedef __m128 WideFMask;
typedef __m128i WideFIndex;

static inline Wide wide_set(double x) { return _mm_set1_pd(x); }
static inline Wide wide_gather(const double *base, WideIndex i) {
    return _mm_setr_pd(base[_mm_cvtsi128_si32(i)], base[_mm_cvtsi128_si32(_mm_srli_si128(i, 4))]);
}
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return a * b + c; }
static inline Wide wide_sqrt(Wide a) { return _mm_sqrt_pd(a); }
static inline Wide wide_min(Wide a, Wide b) { return _mm_min_pd(a, b); }
static inline Wide wide_max(Wide a, Wide b) { return _mm_max_pd(a, b); }
static inline Wide wide_abs(Wide a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
static inline WideMask wide_less(Wide a, Wide b) { return _mm_cmplt_pd(a, b); }
static inline WideMask wide_less_equal(Wide a, Wide b) { return _mm_cmple_pd(a, b); }
static inline WideMask wide_mask_and(WideMask a, WideMask b) { return _mm_and_pd(a, b); }
static inline WideMask wide_mask_or(WideMask a, WideMask b) { return _mm_or_pd(a, b); }
static inline WideMask wide_mask_not(WideMask a) {
    return _mm_xor_pd(a, _mm_castsi128_pd(_mm_set1_epi32(-1)));
}
static inline unsigned wide_mask_bits(WideMask a) { return (unsigned)_mm_movemask_pd(a); }
static inline Wide wide_select(WideMask m, Wide a, Wide b) {
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
}
static inline void wide_store_masked(double *p, WideMask m, Wide a) {
    unsigned bits = wide_mask_bits(m);
    if (bits & 1) _mm_storel_pd(p, a);
    if (bits & 2) _mm_storeh_pd(p + 1, a);
}
static inline WideIndex wide_index_load(const int32_t *p) { return _mm_loadl_epi64((const __m128i *)p); }
static inline WideIndex wide_index_from(int32_t start) {
    return _mm_add_epi32(_mm_set1_epi32(start), _mm_setr_epi32(0, 1, 2, 3));
}

static inline WideF widef_set(float x) { return _mm_set1_ps(x); }
static inline WideF widef_gather(const float *base, WideFIndex i) {
    int32_t at[4];
    _mm_storeu_si128((__m128i *)at, i);
    return _mm_setr_ps(base[at[0]], base[at[1]], base[at[2]], base[at[3]]);
}
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return a * b + c; }
static inline WideF widef_sqrt(WideF a) { return _mm_sqrt_ps(a); }
static inline WideFMask widef_less(WideF a, WideF b) { return _mm_cmplt_ps(a, b); }
static inline WideFMask widef_less_equal(WideF a, WideF b) { return _mm_cmple_ps(a, b); }
static inline WideFMask widef_mask_and(WideFMask a, WideFMask b) { return _mm_and_ps(a, b); }
static inline unsigned widef_mask_bits(WideFMask a) { return (unsigned)_mm_movemask_ps(a); }
static inline WideFIndex widef_index_load(const int32_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline WideFIndex widef_index_from(int32_t start) { return wide_index_from(start); }

#else
// ---- one lane ------------------------------------------------------------------------------------
enum { WIDE_LANES = 1, WIDEF_LANES = 1 };
typedef double Wide, WideUnaligned;
typedef bool WideMask;
typedef int32_t WideIndex;
typedef float WideF, WideFUnaligned;
typedef bool WideFMask;
typedef int32_t WideFIndex;

static inline Wide wide_set(double x) { return x; }
static inline Wide wide_gather(const double *base, WideIndex i) { return base[i]; }
#ifdef __FMA__
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return fma(a, b, c); }
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return fmaf(a, b, c); }
#else // fma() would be a slow library call
static inline Wide wide_fma(Wide a, Wide b, Wide c) { return a * b + c; }
static inline WideF widef_fma(WideF a, WideF b, WideF c) { return a * b + c; }
#endif
static inline Wide wide_sqrt(Wide a) { return sqrt(a); }
static inline Wide wide_min(Wide a, Wide b) { return a < b ? a : b; }
static inline Wide wide_max(Wide a, Wide b) { return a > b ? a : b; }
static inline Wide wide_abs(Wide a) { return fabs(a); }
static inline WideMask wide_less(Wide a, Wide b) { return a < b; }
static inline WideMask wide_less_equal(Wide a, Wide b) { return a <= b; }
static inline WideMask wide_mask_and(WideMask a, WideMask b) { return a && b; }
static inline WideMask wide_mask_or(WideMask a, WideMask b) { return a || b; }
static inline WideMask wide_mask_not(WideMask a) { return !a; }
static inline unsigned wide_mask_bits(WideMask a) { return a; }
static inline Wide wide_select(WideMask m, Wide a, Wide b) { return m ? a : b; }
static inline void wide_store_masked(double *p, WideMask m, Wide a) {
    if (m) *p = a;
}
static inline WideIndex wide_index_load(const int32_t *p) { return *p; }
static inline WideIndex wide_index_from(int32_t start) { return start; }

static inline WideF widef_set(float x) { return x; }
static inline WideF widef_gather(const float *base, WideFIndex i) { return base[i]; }
static inline WideF widef_sqrt(WideF a) { return sqrtf(a); }
static inline WideFMask widef_less(WideF a, WideF b) { return a < b; }
static inline WideFMask widef_less_equal(WideF a, WideF b) { return a <= b; }
static inline WideFMask widef_mask_and(WideFMask a, WideFMask b) { return a && b; }
static inline unsigned widef_mask_bits(WideFMask a) { return a; }
static inline WideFIndex widef_index_load(const int32_t *p) { return *p; }
static inline WideFIndex widef_index_from(int32_t start) { return start; }
#endif

// ---- the same for every width: doubles -----------------------------------------------------------
static inline Wide wide_load(const double *p) { return *(const Wide *)p; }
static inline Wide wide_load_unaligned(const double *p) { return *(const WideUnaligned *)p; }
static inline void wide_store(double *p, Wide a) { *(Wide *)p = a; }
static inline void wide_store_unaligned(double *p, Wide a) { *(WideUnaligned *)p = a; }
static inline Wide wide_add(Wide a, Wide b) { return a + b; }
static inline Wide wide_sub(Wide a, Wide b) { return a - b; }
static inline Wide wide_mul(Wide a, Wide b) { return a * b; }
static inline Wide wide_div(Wide a, Wide b) { return a / b; }
static inline Wide wide_neg(Wide a) { return -a; }
static inline bool wide_mask_any(WideMask a) { return wide_mask_bits(a) != 0; }

// Lanes are added from the first to the last, one after the other, so that the result does not depend on how a
// compiler shuffles them. It does depend on the width.
static inline double wide_sum(Wide a) {
    double lane[WIDE_LANES], sum;
    memcpy(lane, &a, sizeof lane);
    sum = lane[0];
    for (int i = 1; i < WIDE_LANES; i++) sum += lane[i];
    return sum;
}

static inline double wide_largest(Wide a) {
    double lane[WIDE_LANES], most;
    memcpy(lane, &a, sizeof lane);
    most = lane[0];
    for (int i = 1; i < WIDE_LANES; i++) most = lane[i] > most ? lane[i] : most;
    return most;
}

// The first `count` lanes, none when count <= 0, all when count >= WIDE_LANES: for the tail of a loop.
static inline WideMask wide_mask_first(int count) {
    static const double lane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return wide_less(wide_load_unaligned(lane), wide_set(count));
}

// ---- floats --------------------------------------------------------------------------------------
static inline WideF widef_load(const float *p) { return *(const WideF *)p; }
static inline WideF widef_load_unaligned(const float *p) { return *(const WideFUnaligned *)p; }
static inline void widef_store(float *p, WideF a) { *(WideF *)p = a; }
static inline void widef_store_unaligned(float *p, WideF a) { *(WideFUnaligned *)p = a; }
static inline WideF widef_add(WideF a, WideF b) { return a + b; }
static inline WideF widef_sub(WideF a, WideF b) { return a - b; }
static inline WideF widef_mul(WideF a, WideF b) { return a * b; }
static inline bool widef_mask_any(WideFMask a) { return widef_mask_bits(a) != 0; }
static inline WideFMask widef_mask_first(int count) {
    static const float lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return widef_less(widef_load_unaligned(lane), widef_set((float)count));
}

// clang-format on

// ---- the chosen lanes of an index, written one after the other -----------------------------------
// Returns how many; not a byte beyond them is written.
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
// Compressed in a register and stored under a mask: compressing straight to memory is microcode on AMD Zen 4.
static inline int widef_index_compress(int32_t *out, WideFMask mask, WideFIndex index) {
    int count = __builtin_popcount(mask);
    _mm512_mask_storeu_epi32(out, (__mmask16)((1u << count) - 1), _mm512_maskz_compress_epi32(mask, index));
    return count;
}
static inline int wide_index_compress(int32_t *out, WideMask mask, WideIndex index) {
    return widef_index_compress(out, mask,
                                _mm512_castsi256_si512(index)); // the mask keeps the upper half out
}
#else
static inline int wide_compress_lanes(int32_t *out, unsigned bits, const int32_t *lane) {
    int count = 0;
    for (; bits; bits &= bits - 1) out[count++] = lane[__builtin_ctz(bits)];
    return count;
}
static inline int wide_index_compress(int32_t *out, WideMask mask, WideIndex index) {
    int32_t lane[WIDE_LANES];
    memcpy(lane, &index, sizeof lane);
    return wide_compress_lanes(out, wide_mask_bits(mask), lane);
}
static inline int widef_index_compress(int32_t *out, WideFMask mask, WideFIndex index) {
    int32_t lane[WIDEF_LANES];
    memcpy(lane, &index, sizeof lane);
    return wide_compress_lanes(out, widef_mask_bits(mask), lane);
}
#endif

// The chosen lanes of a vector, likewise.
static inline void wide_compress(double *out, WideMask mask, Wide a) {
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    _mm512_mask_storeu_pd(out, (__mmask8)((1u << __builtin_popcount(mask)) - 1),
                          _mm512_maskz_compress_pd(mask, a));
#else
    double lane[WIDE_LANES];
    memcpy(lane, &a, sizeof lane);
    for (unsigned bits = wide_mask_bits(mask); bits; bits &= bits - 1) *out++ = lane[__builtin_ctz(bits)];
#endif
}

// The lanes whose bits are set.
static inline WideMask wide_mask_from_bits(unsigned bits) {
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    return (WideMask)bits;
#else
    double lane[WIDE_LANES];
    for (int i = 0; i < WIDE_LANES; i++) lane[i] = bits >> i & 1 ? 1 : 0;
    return wide_less(wide_set(0.5), wide_load_unaligned(lane));
#endif
}

// ---- single precision in memory, double in registers ---------------------------------------------------
// As many floats as there are lanes, one after the other.
static inline Wide wide_load_floats(const float *p) {
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif !defined(MARACA_SCALAR) && defined(__AVX2__)
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    double lane[WIDE_LANES];
    for (int i = 0; i < WIDE_LANES; i++) lane[i] = (double)p[i];
    return wide_load_unaligned(lane);
#endif
}
static inline void wide_store_floats(float *p, Wide a) {
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(a));
#elif !defined(MARACA_SCALAR) && defined(__AVX2__)
    _mm_storeu_ps(p, _mm256_cvtpd_ps(a));
#else
    double lane[WIDE_LANES];
    memcpy(lane, &a, sizeof lane);
    for (int i = 0; i < WIDE_LANES; i++) p[i] = (float)lane[i];
#endif
}

// ---- quick roots ---------------------------------------------------------------------------------------
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
// 1/sqrt(a) for normal a > 0, to the last digit or two: an estimate of 14 bits and two steps of Newton.
static inline Wide wide_inverse_sqrt(Wide a) {
    Wide y = _mm512_rsqrt14_pd(a), half = wide_set(-0.5) * a;
    for (int k = 0; k < 2; k++) y = wide_fma(y, wide_fma(half * y, y, wide_set(0.5)), y);
    return y;
}
#else
static inline Wide wide_inverse_sqrt(Wide a) { return wide_set(1) / wide_sqrt(a); }
#endif
// sqrt(a) for a >= 0 by the same means: a few times quicker than the processor's own, wrong in the last digit
// or two.
static inline Wide wide_quick_sqrt(Wide a) { return a * wide_inverse_sqrt(a + wide_set(1e-300)); }

// ---- lines: eight doubles, one cache line; a WideLine is one of them in registers ---------------------
enum { WIDE_ROW = 8 };
typedef struct WideLine {
    Wide part[WIDE_ROW / WIDE_LANES];
} WideLine;
static inline WideLine wide_line_load(const double *p) {
    WideLine line;
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) line.part[k] = wide_load(p + k * WIDE_LANES);
    return line;
}
static inline void wide_line_store(double *p, WideLine line) {
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) wide_store(p + k * WIDE_LANES, line.part[k]);
}
static inline WideLine wide_line_zero(void) {
    WideLine line;
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) line.part[k] = wide_set(0);
    return line;
}
static inline WideLine wide_line_add(WideLine a, WideLine b) {
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) a.part[k] = a.part[k] + b.part[k];
    return a;
}
static inline WideLine wide_line_fma(WideLine a, WideLine b, WideLine c) { // a b + c
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) c.part[k] = wide_fma(a.part[k], b.part[k], c.part[k]);
    return c;
}
static inline WideLine wide_line_choose(bool first, WideLine a, WideLine b) { // without a branch where it can
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    a.part[0] = wide_select((WideMask) - (int)first, a.part[0], b.part[0]);
    return a;
#else
    return first ? a : b;
#endif
}

// Transposes: eight lines, one per lane, to eight numbers of all lanes, or the other way.
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
static inline void wide_transpose(const Wide *in, Wide *out) {
    __m512d a[8], b[8];
    for (int k = 0; k < 4; k++) { // pairs of lines: numbers 0 2 4 6 and 1 3 5 7
        a[2 * k] = _mm512_unpacklo_pd(in[2 * k], in[2 * k + 1]);
        a[2 * k + 1] = _mm512_unpackhi_pd(in[2 * k], in[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++) { // fours of lines
            b[4 * k + c] = _mm512_shuffle_f64x2(a[4 * k + c], a[4 * k + 2 + c], 0x88);
            b[4 * k + 2 + c] = _mm512_shuffle_f64x2(a[4 * k + c], a[4 * k + 2 + c], 0xdd);
        }
    for (int c = 0; c < 2; c++) {
        out[c] = _mm512_shuffle_f64x2(b[c], b[4 + c], 0x88);
        out[4 + c] = _mm512_shuffle_f64x2(b[c], b[4 + c], 0xdd);
        out[2 + c] = _mm512_shuffle_f64x2(b[2 + c], b[6 + c], 0x88);
        out[6 + c] = _mm512_shuffle_f64x2(b[2 + c], b[6 + c], 0xdd);
    }
}
#endif

// Number c of line i plus sign[c] times that of line j, for a pair of lines per lane, into out[c]; the lines
// are `base + 8 i`. Sums first, so that one set of lines is transposed and not two.
static inline void wide_lines_combine(const double *base, const int32_t *i, const int32_t *j,
                                      const double sign[WIDE_ROW], Wide out[WIDE_ROW]) {
    WideLine factor = wide_line_load(sign), line[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++)
        line[k] = wide_line_fma(factor, wide_line_load(base + (size_t)j[k] * WIDE_ROW),
                                wide_line_load(base + (size_t)i[k] * WIDE_ROW));
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    wide_transpose(line->part, out);
#else
    double numbers[WIDE_LANES][WIDE_ROW];
    memcpy(numbers, line, sizeof numbers);
    for (int c = 0; c < WIDE_ROW; c++) {
        double lane[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) lane[k] = numbers[k][c];
        memcpy(&out[c], lane, sizeof lane);
    }
#endif
}

// The other way: number c of the lines is in[c]; out[k] is the line of lane k.
static inline void wide_lines_form(const Wide in[WIDE_ROW], WideLine out[WIDE_LANES]) {
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
    wide_transpose(in, out->part);
#else
    double numbers[WIDE_ROW][WIDE_LANES];
    memcpy(numbers, in, sizeof numbers);
    for (int k = 0; k < WIDE_LANES; k++) {
        _Alignas(64) double line[WIDE_ROW];
        for (int c = 0; c < WIDE_ROW; c++) line[c] = numbers[c][k];
        out[k] = wide_line_load(line);
    }
#endif
}

// ---- quads: four doubles x, y, z, s -----------------------------------------------------------------
// A quad by itself; the vector types of gcc and clang calculate like numbers.
typedef double WideQuad __attribute__((vector_size(32)));
static inline WideQuad wide_quad_load(const double *p) { return *(const WideQuad *)p; }
static inline void wide_quad_store(double *p, WideQuad a) { *(WideQuad *)p = a; }

// For pairs of quads i, j, one pair per lane: out = x_i - x_j, y_i - y_j, z_i - z_j, s_i + s_j.
enum { WIDE_QUAD = 4 };
#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
// Quads of lanes k and k + 4 are the halves of quads[k].
static inline void wide_quads_transpose(const Wide quads[WIDE_QUAD], Wide out[WIDE_QUAD]) {
    __m512d a = _mm512_unpacklo_pd(quads[0], quads[1]), b = _mm512_unpackhi_pd(quads[0], quads[1]);
    __m512d c = _mm512_unpacklo_pd(quads[2], quads[3]), d = _mm512_unpackhi_pd(quads[2], quads[3]);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = _mm512_permutex2var_pd(a, first, c);
    out[1] = _mm512_permutex2var_pd(b, first, d);
    out[2] = _mm512_permutex2var_pd(a, second, c);
    out[3] = _mm512_permutex2var_pd(b, second, d);
}
static inline void wide_quads_compare(const double *base, const int32_t *i, const int32_t *j,
                                      Wide out[WIDE_QUAD]) {
    const __m256d sign = _mm256_setr_pd(-1, -1, -1, 1);
    __m512d z[4];
    for (int k = 0; k < 4; k++) {
        __m256d low = _mm256_fmadd_pd(_mm256_load_pd(base + (size_t)j[k] * 4), sign,
                                      _mm256_load_pd(base + (size_t)i[k] * 4));
        __m256d high = _mm256_fmadd_pd(_mm256_load_pd(base + (size_t)j[k + 4] * 4), sign,
                                       _mm256_load_pd(base + (size_t)i[k + 4] * 4));
        z[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
    }
    wide_quads_transpose(z, out);
}
// Quad i of each lane: out = x, y, z, s.
static inline void wide_quads_load(const double *base, const int32_t *i, Wide out[WIDE_QUAD]) {
    __m512d z[4];
    for (int k = 0; k < 4; k++)
        z[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(base + (size_t)i[k] * 4)),
                                  _mm256_load_pd(base + (size_t)i[k + 4] * 4), 1);
    wide_quads_transpose(z, out);
}
#else
static inline void wide_quads_compare(const double *base, const int32_t *i, const int32_t *j,
                                      Wide out[WIDE_QUAD]) {
    for (int c = 0; c < WIDE_QUAD; c++) {
        double lane[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) {
            double a = base[(size_t)i[k] * WIDE_QUAD + (size_t)c],
                   b = base[(size_t)j[k] * WIDE_QUAD + (size_t)c];
            lane[k] = c < 3 ? a - b : a + b;
        }
        memcpy(&out[c], lane, sizeof lane);
    }
}
static inline void wide_quads_load(const double *base, const int32_t *i, Wide out[WIDE_QUAD]) {
    for (int c = 0; c < WIDE_QUAD; c++) {
        double lane[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) lane[k] = base[(size_t)i[k] * WIDE_QUAD + (size_t)c];
        memcpy(&out[c], lane, sizeof lane);
    }
}
#endif

#endif
