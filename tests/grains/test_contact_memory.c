// What touching pairs remember, across new lists: pair_order.c on lists made by hand.
#include "check.h"

#include <string.h>

#include "grains/engine.h"

enum { GRAINS = 4, PAIRS = 3, LENGTH = 3 };

// Pairs as contact_memory_take_out leaves them, with their memory one row after the other. `scratch` fills the list that
// contact_memory_sort works in: what an earlier, larger call has left there must not matter.
static void sort_pairs(const int32_t (*pairs)[2], const int32_t *now, int32_t scratch, int32_t (*sorted)[2],
                       float *first) {
    Grains g = {.store = {.count = GRAINS}, .near = {.row = {.force = 3, .length = LENGTH}}};
    MrcError error = {0};
    double sort_scratch[GRAINS + 16];
    g.near.row.damping = g.near.row.rolling = LENGTH;
    g.neighbours.scratch = sort_scratch;
    assert_true(array_resize(&g.near.i, PAIRS) && array_resize(&g.near.j, PAIRS) &&
                array_resize(&g.near.rows, PAIRS * LENGTH) && array_resize(&g.pair_order, PAIRS));
    for (size_t k = 0; k < PAIRS; k++) {
        g.near.i.data[k] = pairs[k][0], g.near.j.data[k] = pairs[k][1];
        for (size_t c = 0; c < LENGTH; c++) g.near.rows.data[k * LENGTH + c] = (float)(10 * (k + 1) + c);
        g.pair_order.data[k] = scratch;
    }
    if (contact_memory_sort(&g, PAIRS, now, &error)) fail_msg("%s", error.text);
    for (size_t k = 0; k < PAIRS; k++) {
        sorted[k][0] = g.near.i.data[k], sorted[k][1] = g.near.j.data[k];
        first[k] = g.near.rows.data[k * LENGTH];
    }
    array_free(&g.near.i);
    array_free(&g.near.j);
    array_free(&g.near.rows);
    array_free(&g.pair_order);
}

static void test_sorting_does_not_look_below_the_pairs_of_a_grain(void **state) {
    (void)state;
    // Both pairs of grain 1 come before the pair of grain 0, whose place is still empty when they are sorted.
    const int32_t pairs[PAIRS][2] = {{1, 3}, {1, 2}, {0, 2}}, now[GRAINS] = {0, 1, 2, 3};
    const int32_t expected[PAIRS][2] = {{0, 2}, {1, 2}, {1, 3}};
    for (int32_t scratch = -1; scratch < PAIRS; scratch++) {
        int32_t sorted[PAIRS][2];
        float first[PAIRS];
        sort_pairs(pairs, now, scratch, sorted, first);
        assert_memory_equal(sorted, expected, sizeof expected);
        check_near(first[0], 30, 0);
        check_near(first[1], 20, 0);
        check_near(first[2], 10, 0);
    }
}

static void test_memory_turns_round_when_two_grains_change_places(void **state) {
    (void)state;
    const int32_t pairs[PAIRS][2] = {{0, 1}, {0, 3}, {1, 2}}, now[GRAINS] = {2, 1, 0, 3};
    const int32_t expected[PAIRS][2] = {{0, 1}, {1, 2}, {2, 3}};
    int32_t sorted[PAIRS][2];
    float first[PAIRS];
    sort_pairs(pairs, now, 0, sorted, first);
    assert_memory_equal(sorted, expected, sizeof expected);
    check_near(first[0], -30, 0);
    check_near(first[1], -10, 0);
    check_near(first[2], 20, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorting_does_not_look_below_the_pairs_of_a_grain),
        cmocka_unit_test(test_memory_turns_round_when_two_grains_change_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
