// Every function of simd.h against a plain loop, bit for bit: nothing here may round differently from C.
#include "math/simd.h"

#include <stdlib.h>

#include "base/random.h"
#include "check.h"

enum { lanes = WIDE_LANES, floats = WIDEF_LANES, most = 16, trials = 2000 };

#if !defined(MARACA_SCALAR) && defined(__AVX512F__)
enum { expected_lanes = 8, expected_floats = 16, fused = 1 };
#elif !defined(MARACA_SCALAR) && defined(__AVX2__) && defined(__FMA__)
enum { expected_lanes = 4, expected_floats = 8, fused = 1 };
#elif !defined(MARACA_SCALAR) && defined(__AVX2__)
enum { expected_lanes = 4, expected_floats = 8, fused = 0 };
#elif !defined(MARACA_SCALAR) && defined(__SSE2__)
enum { expected_lanes = 2, expected_floats = 4, fused = 0 };
#elif defined(__FMA__)
enum { expected_lanes = 1, expected_floats = 1, fused = 1 };
#else
enum { expected_lanes = 1, expected_floats = 1, fused = 0 };
#endif

// ---- operands: numbers of all sizes with the special ones among them -----------------------------
static double random_number(Random *random) {
    static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1e300, 5e-324};
    if (random_uniform(random) < 0.2)
        return special[random_bits(random) % (sizeof special / sizeof *special)];
    // Few different small integers, so that equal pairs come up often in comparisons.
    if (random_uniform(random) < 0.3) return (double)(random_bits(random) % 5) - 2;
    return random_normal(random) * exp(3 * random_normal(random));
}

static void fill(Random *random, double *numbers) {
    for (int i = 0; i < lanes; i++) numbers[i] = random_number(random);
}

static void fill_floats(Random *random, float *numbers) {
    for (int i = 0; i < floats; i++) numbers[i] = (float)random_number(random);
}

// ---- comparisons: the same bits, any NaN being as good as another --------------------------------
static void check_same(double value, double expected, const char *what, int lane) {
    if (isnan(value) && isnan(expected)) return;
    if (memcmp(&value, &expected, sizeof value) == 0) return;
    print_error("%s, lane %d: %.17g, expected %.17g\n", what, lane, value, expected);
    fail();
}

// Compares every lane of `wide` with the plain expression in `i`.
#define check_lanes(wide, expression)                                                                        \
    do {                                                                                                     \
        _Alignas(64) double lane_[most];                                                                     \
        wide_store(lane_, (wide));                                                                           \
        for (int i = 0; i < lanes; i++) check_same(lane_[i], (expression), #wide, i);                        \
    } while (0)
#define check_lanes_f(wide, expression)                                                                      \
    do {                                                                                                     \
        _Alignas(64) float lane_[most];                                                                      \
        widef_store(lane_, (wide));                                                                          \
        for (int i = 0; i < floats; i++) check_same(lane_[i], (expression), #wide, i);                       \
    } while (0)
#define check_mask(mask, condition)                                                                          \
    do {                                                                                                     \
        unsigned bits_ = 0;                                                                                  \
        for (int i = 0; i < lanes; i++) bits_ |= (unsigned)((condition) ? 1 : 0) << i;                       \
        assert_int_equal(wide_mask_bits(mask), bits_);                                                       \
        assert_int_equal(wide_mask_any(mask), bits_ != 0);                                                   \
    } while (0)
#define check_mask_f(mask, condition)                                                                        \
    do {                                                                                                     \
        unsigned bits_ = 0;                                                                                  \
        for (int i = 0; i < floats; i++) bits_ |= (unsigned)((condition) ? 1 : 0) << i;                      \
        assert_int_equal(widef_mask_bits(mask), bits_);                                                      \
        assert_int_equal(widef_mask_any(mask), bits_ != 0);                                                  \
    } while (0)

static void test_width(void **state) {
    (void)state;
    assert_int_equal(lanes, expected_lanes);
    assert_int_equal(floats, expected_floats);
}

static void test_load_and_store(void **state) {
    (void)state;
    Random random = {51};
    _Alignas(64) double a[most + 1];
    for (int i = 0; i < most + 1; i++) a[i] = random_normal(&random);
    check_lanes(wide_load(a), a[i]);
    check_lanes(wide_load_unaligned(a + 1), a[i + 1]);
    check_lanes(wide_set(-2.5), -2.5);
    double out[most + 2];
    for (int i = 0; i < most + 2; i++) out[i] = -7;
    wide_store_unaligned(out + 1, wide_load(a));
    for (int i = 0; i < most + 2; i++) // and nothing beside it
        check_same(out[i], i >= 1 && i <= lanes ? a[i - 1] : -7, "store_unaligned", i);
}

static void test_arithmetic(void **state) {
    (void)state;
    Random random = {52};
    _Alignas(64) double a[most], b[most], c[most];
    for (int trial = 0; trial < trials; trial++) {
        fill(&random, a), fill(&random, b), fill(&random, c);
        Wide x = wide_load(a), y = wide_load(b), z = wide_load(c);
        check_lanes(wide_add(x, y), a[i] + b[i]);
        check_lanes(wide_sub(x, y), a[i] - b[i]);
        check_lanes(wide_mul(x, y), a[i] * b[i]);
        check_lanes(wide_div(x, y), a[i] / b[i]);
        check_lanes(wide_fma(x, y, z), fused ? fma(a[i], b[i], c[i]) : a[i] * b[i] + c[i]);
        check_lanes(wide_sqrt(x), sqrt(a[i]));
        check_lanes(wide_min(x, y), a[i] < b[i] ? a[i] : b[i]);
        check_lanes(wide_max(x, y), a[i] > b[i] ? a[i] : b[i]);
        check_lanes(wide_abs(x), fabs(a[i]));
        check_lanes(wide_neg(x), -a[i]);
    }
}

static void test_masks(void **state) {
    (void)state;
    Random random = {53};
    _Alignas(64) double a[most], b[most];
    for (int trial = 0; trial < trials; trial++) {
        fill(&random, a), fill(&random, b);
        Wide x = wide_load(a), y = wide_load(b);
        WideMask less = wide_less(x, y), more = wide_less(y, x), up_to = wide_less_equal(x, y);
        check_mask(less, a[i] < b[i]);
        check_mask(up_to, a[i] <= b[i]);
        check_mask(wide_mask_or(less, more), a[i] < b[i] || b[i] < a[i]);
        check_mask(wide_mask_and(up_to, wide_less_equal(y, x)), a[i] == b[i]);
        check_mask(wide_mask_not(less), !(a[i] < b[i]));
        check_lanes(wide_select(less, x, y), a[i] < b[i] ? a[i] : b[i]);
        check_lanes(wide_select(wide_mask_not(up_to), y, x), !(a[i] <= b[i]) ? b[i] : a[i]);
    }
    for (int count = -1; count <= lanes + 1; count++) check_mask(wide_mask_first(count), i < count);
}

static void test_masked_store(void **state) {
    (void)state;
    Random random = {54};
    _Alignas(64) double a[most], b[most];
    double out[most + 1];
    for (int trial = 0; trial < trials; trial++) {
        fill(&random, a), fill(&random, b);
        for (int i = 0; i < most + 1; i++) out[i] = -7;
        wide_store_masked(out + 1, wide_less(wide_load(a), wide_load(b)), wide_load(a));
        for (int i = 0; i < most; i++)
            check_same(out[i + 1], i < lanes && a[i] < b[i] ? a[i] : -7, "store_masked", i);
        check_same(out[0], -7, "store_masked, before", 0);
    }
}

// The tail of an array ends with its last number: memory behind it is not touched (the sanitizer watches).
static void test_masked_store_at_the_end_of_a_block(void **state) {
    (void)state;
    for (int count = 1; count <= lanes; count++) {
        double *tail = malloc(sizeof *tail * (size_t)count);
        wide_store_masked(tail, wide_mask_first(count), wide_set(3));
        for (int i = 0; i < count; i++) check_same(tail[i], 3, "tail", i);
        free(tail);
    }
}

static void test_sum_is_left_to_right(void **state) {
    (void)state;
    Random random = {55};
    _Alignas(64) double a[most];
    for (int trial = 0; trial < trials; trial++) {
        for (int i = 0; i < lanes; i++) a[i] = random_normal(&random) * exp(10 * random_normal(&random));
        double sum = a[0];
        for (int i = 1; i < lanes; i++) sum += a[i];
        check_same(wide_sum(wide_load(a)), sum, "sum", 0);
    }
}

static void test_gather(void **state) {
    (void)state;
    enum { table_count = 1000 };
    Random random = {56};
    double table[table_count];
    float table_f[table_count];
    int32_t at[most + 1];
    for (int i = 0; i < table_count; i++) table[i] = random_normal(&random), table_f[i] = (float)table[i];
    for (int trial = 0; trial < trials; trial++) {
        for (int i = 0; i < most + 1; i++) at[i] = (int32_t)(random_bits(&random) % table_count);
        check_lanes(wide_gather(table, wide_index_load(at)), table[at[i]]);
        check_lanes(wide_gather(table, wide_index_load(at + 1)), table[at[i + 1]]); // needs no alignment
        check_lanes_f(widef_gather(table_f, widef_index_load(at)), table_f[at[i]]);
        check_lanes_f(widef_gather(table_f, widef_index_load(at + 1)), table_f[at[i + 1]]);
    }
    for (int i = 0; i < most; i++) at[i] = -i; // backwards from the end
    check_lanes(wide_gather(table + table_count - 1, wide_index_load(at)), table[table_count - 1 - i]);
    check_lanes_f(widef_gather(table_f + table_count - 1, widef_index_load(at)),
                  table_f[table_count - 1 - i]);
    check_lanes(wide_gather(table, wide_index_from(17)), table[17 + i]);
    check_lanes_f(widef_gather(table_f, widef_index_from(17)), table_f[17 + i]);
}

static void check_compressed(const int32_t *out, int count, unsigned bits, int lane_count,
                             const int32_t *index) {
    int expected = 0;
    for (int i = 0; i < lane_count; i++)
        if (bits >> i & 1) assert_int_equal(out[expected++], index[i]);
    assert_int_equal(count, expected);
    for (int i = expected; i < most; i++) assert_int_equal(out[i], -1); // nothing written behind
}

// All masks there are.
static void test_index_compress(void **state) {
    (void)state;
    Random random = {57};
    int32_t index[most], out[most];
    _Alignas(64) double chosen[most];
    _Alignas(64) float chosen_f[most];
    for (unsigned bits = 0; bits < 1u << floats; bits++) {
        for (int i = 0; i < most; i++) {
            index[i] = (int32_t)(random_bits(&random) >> 33);
            chosen[i] = chosen_f[i] = (float)(bits >> i & 1);
            out[i] = -1;
        }
        WideFMask mask_f = widef_less(widef_set(0), widef_load(chosen_f));
        int count = widef_index_compress(out, mask_f, widef_index_load(index));
        check_compressed(out, count, bits, floats, index);
        if (bits >= 1u << lanes) continue;
        for (int i = 0; i < most; i++) out[i] = -1;
        WideMask mask = wide_less(wide_set(0), wide_load(chosen));
        count = wide_index_compress(out, mask, wide_index_load(index));
        check_compressed(out, count, bits, lanes, index);
    }
}

static void test_floats(void **state) {
    (void)state;
    Random random = {58};
    _Alignas(64) float a[most], b[most], c[most];
    for (int trial = 0; trial < trials; trial++) {
        fill_floats(&random, a), fill_floats(&random, b), fill_floats(&random, c);
        WideF x = widef_load(a), y = widef_load(b), z = widef_load(c);
        check_lanes_f(x, a[i]);
        check_lanes_f(widef_add(x, y), a[i] + b[i]);
        check_lanes_f(widef_sub(x, y), a[i] - b[i]);
        check_lanes_f(widef_mul(x, y), a[i] * b[i]);
        check_lanes_f(widef_fma(x, y, z), fused ? fmaf(a[i], b[i], c[i]) : a[i] * b[i] + c[i]);
        check_lanes_f(widef_sqrt(x), sqrtf(a[i]));
        check_mask_f(widef_less(x, y), a[i] < b[i]);
        check_mask_f(widef_less_equal(x, y), a[i] <= b[i]);
        check_mask_f(widef_mask_and(widef_less_equal(x, y), widef_less_equal(y, x)), a[i] == b[i]);
    }
    for (int count = -1; count <= floats + 1; count++) check_mask_f(widef_mask_first(count), i < count);
    check_lanes_f(widef_set(1.5f), 1.5f);
}

static void test_float_load_and_store(void **state) {
    (void)state;
    float a[most + 2], out[most + 2];
    for (int i = 0; i < most + 2; i++) a[i] = (float)i, out[i] = -7;
    check_lanes_f(widef_load_unaligned(a + 1), a[i + 1]);
    widef_store_unaligned(out + 1, widef_load_unaligned(a + 1));
    for (int i = 0; i < most + 2; i++) // and nothing beside it
        check_same(out[i], i >= 1 && i <= floats ? a[i] : -7, "store_unaligned", i);
}

// ---- rows, lines and quads -------------------------------------------------------------------------
static void lines_turn_round(void **state) {
    (void)state;
    enum { count = 40 };
    _Alignas(64) double lines[count * WIDE_ROW];
    const _Alignas(64) double sign[WIDE_ROW] = {-1, 1, 0, 2, -3, 0.5, 1, -1};
    for (int k = 0; k < count * WIDE_ROW; k++) lines[k] = k * 1.25;
    int32_t which[WIDE_LANES], other[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) which[k] = (k * 7 + 3) % count, other[k] = (k * 11 + 5) % count;
    Wide line[WIDE_ROW];
    wide_lines_combine(lines, which, other, sign, line);
    for (int c = 0; c < WIDE_ROW; c++) {
        double lane[WIDE_LANES];
        memcpy(lane, &line[c], sizeof lane);
        for (int k = 0; k < WIDE_LANES; k++)
            check_near(lane[k], lines[which[k] * WIDE_ROW + c] + sign[c] * lines[other[k] * WIDE_ROW + c], 0);
    }
    WideLine formed[WIDE_LANES];
    wide_lines_form(line, formed);
    for (int k = 0; k < WIDE_LANES; k++) {
        _Alignas(64) double number[WIDE_ROW];
        wide_line_store(number, formed[k]);
        for (int c = 0; c < WIDE_ROW; c++)
            check_near(number[c], lines[which[k] * WIDE_ROW + c] + sign[c] * lines[other[k] * WIDE_ROW + c],
                       0);
    }
}

static void floats_widen_and_narrow(void **state) {
    (void)state;
    float numbers[WIDE_LANES + 1], out[WIDE_LANES + 1];
    for (int k = 0; k <= WIDE_LANES; k++) numbers[k] = (float)sin(k + 1), out[k] = -7;
    double lane[WIDE_LANES];
    Wide wide = wide_load_floats(numbers + 1);
    memcpy(lane, &wide, sizeof lane);
    for (int k = 0; k < WIDE_LANES; k++) check_near(lane[k], (double)numbers[k + 1], 0);
    wide_store_floats(out, wide * wide_set(1 + 1e-9)); // rounds to what it was
    for (int k = 0; k < WIDE_LANES; k++) check_near((double)out[k], (double)numbers[k + 1], 0);
    check_near((double)out[WIDE_LANES], -7, 0); // and nothing beside it
}

static void line_arithmetic_is_number_by_number(void **state) {
    (void)state;
    _Alignas(64) double a[WIDE_ROW], b[WIDE_ROW], c[WIDE_ROW], out[WIDE_ROW];
    for (int k = 0; k < WIDE_ROW; k++) a[k] = k + 0.5, b[k] = 3 - k, c[k] = 10 * k;
    wide_line_store(out, wide_line_fma(wide_line_load(a), wide_line_load(b), wide_line_load(c)));
    for (int k = 0; k < WIDE_ROW; k++) check_near(out[k], a[k] * b[k] + c[k], 0);
    wide_line_store(out, wide_line_add(wide_line_load(a), wide_line_load(c)));
    for (int k = 0; k < WIDE_ROW; k++) check_near(out[k], a[k] + c[k], 0);
    wide_line_store(out, wide_line_zero());
    for (int k = 0; k < WIDE_ROW; k++) check_near(out[k], 0, 0);
}

static void quads_are_compared(void **state) {
    (void)state;
    enum { count = 30 };
    _Alignas(64) double quads[count * WIDE_QUAD];
    for (int k = 0; k < count * WIDE_QUAD; k++) quads[k] = sin(k) * 8;
    int32_t i[WIDE_LANES], j[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) i[k] = (k * 11 + 1) % count, j[k] = (k * 5 + 2) % count;
    Wide out[WIDE_QUAD];
    wide_quads_compare(quads, i, j, out);
    for (int c = 0; c < WIDE_QUAD; c++) {
        double lane[WIDE_LANES];
        memcpy(lane, &out[c], sizeof lane);
        for (int k = 0; k < WIDE_LANES; k++) {
            double a = quads[i[k] * WIDE_QUAD + c], b = quads[j[k] * WIDE_QUAD + c];
            check_near(lane[k], c < 3 ? a - b : a + b, 0);
        }
    }
}

static void quads_are_loaded(void **state) {
    (void)state;
    enum { count = 30 };
    _Alignas(64) double quads[count * WIDE_QUAD];
    for (int k = 0; k < count * WIDE_QUAD; k++) quads[k] = sin(k) * 8;
    int32_t i[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) i[k] = (k * 11 + 1) % count;
    Wide out[WIDE_QUAD];
    wide_quads_load(quads, i, out);
    for (int c = 0; c < WIDE_QUAD; c++) {
        double lane[WIDE_LANES];
        memcpy(lane, &out[c], sizeof lane);
        for (int k = 0; k < WIDE_LANES; k++) check_near(lane[k], quads[i[k] * WIDE_QUAD + c], 0);
    }
}

// Not a byte beyond the chosen lanes is written.
static void chosen_lanes_are_compressed(void **state) {
    (void)state;
    double numbers[WIDE_LANES], out[WIDE_LANES + 1];
    for (int k = 0; k < WIDE_LANES; k++) numbers[k] = k + 0.5;
    for (unsigned bits = 0; bits < 1u << WIDE_LANES; bits++) {
        int count = 0;
        for (int k = 0; k <= WIDE_LANES; k++) out[k] = -1;
        wide_compress(out, wide_mask_from_bits(bits), wide_load_unaligned(numbers));
        for (int k = 0; k < WIDE_LANES; k++)
            if (bits >> k & 1) check_near(out[count++], numbers[k], 0);
        for (; count <= WIDE_LANES; count++) check_near(out[count], -1, 0);
    }
}

static void quick_roots_are_good_to_the_last_digits(void **state) {
    (void)state;
    for (double x = 1e-40; x < 1e40; x *= 1.37) {
        double inverse[WIDE_LANES], root[WIDE_LANES];
        Wide a = wide_inverse_sqrt(wide_set(x)), b = wide_quick_sqrt(wide_set(x));
        memcpy(inverse, &a, sizeof a);
        memcpy(root, &b, sizeof b);
        check_near(inverse[0] * sqrt(x), 1, 1e-15);
        check_near(root[0] / sqrt(x), 1, 1e-15);
    }
    double zero[WIDE_LANES];
    Wide none = wide_quick_sqrt(wide_set(0));
    memcpy(zero, &none, sizeof none);
    check_near(zero[0], 0, 0);
}

static void masks_come_from_bits(void **state) {
    (void)state;
    double numbers[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) numbers[k] = k + 1;
    for (unsigned bits = 0; bits < 1u << WIDE_LANES; bits++) {
        WideMask mask = wide_mask_from_bits(bits);
        assert_int_equal(wide_mask_bits(mask), bits);
        double expected = 0;
        for (int k = 0; k < WIDE_LANES; k++)
            if (bits >> k & 1) expected = k + 1;
        check_near(wide_largest(wide_select(mask, wide_load_unaligned(numbers), wide_set(0))), expected, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_load_and_store),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_masked_store),
        cmocka_unit_test(test_masked_store_at_the_end_of_a_block),
        cmocka_unit_test(test_sum_is_left_to_right),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_index_compress),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_float_load_and_store),
        cmocka_unit_test(lines_turn_round),
        cmocka_unit_test(floats_widen_and_narrow),
        cmocka_unit_test(line_arithmetic_is_number_by_number),
        cmocka_unit_test(quads_are_compared),
        cmocka_unit_test(quads_are_loaded),
        cmocka_unit_test(chosen_lanes_are_compressed),
        cmocka_unit_test(quick_roots_are_good_to_the_last_digits),
        cmocka_unit_test(masks_come_from_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
