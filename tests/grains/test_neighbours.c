// Neighbour lists against all pairs tried one by one, of grains of all sizes.
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "grains/neighbours.h"

enum { GRAINS = 700 };

typedef double Radius(Random *random, size_t i);
static double equal(Random *random, size_t i) { return (void)random, (void)i, 1e-3; }
static double one_ball(Random *random, size_t i) { return (void)random, i == 300 ? 10e-3 : 1e-3; }
static double two_sizes(Random *random, size_t i) { return (void)random, i % 9 == 0 ? 2.5e-3 : 1e-3; }
static double wide(Random *random, size_t i) { return (void)i, 0.5e-3 * pow(12, random_uniform(random)); }

static void check_lists(const Neighbours *n, const GrainStore *store) {
    size_t pairs = 0;
    for (size_t i = 0; i < GRAINS; i++) {
        int32_t from = n->start.data[i], to = n->start.data[i + 1];
        for (size_t j = i + 1; j < GRAINS; j++) {
            double dx = n->x[i] - n->x[j], dy = n->y[i] - n->y[j], dz = n->z[i] - n->z[j];
            double reach = store->radius[i] + store->radius[j] + n->skin;
            if (!(dx * dx + dy * dy + dz * dz < reach * reach)) continue;
            pairs++;
            if (from == to || n->index.data[from++] != (int32_t)j)
                fail_msg("grains %zu and %zu are near, but not listed, or not in order", i, j);
        }
        if (from != to) fail_msg("grain %zu has %d neighbours too many", i, to - from);
    }
    assert_true(pairs > GRAINS);
}

static void test_every_near_pair_is_listed_once(void **state) {
    (void)state;
    static Radius *const sizes[] = {equal, one_ball, two_sizes, wide};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        Random random = {.state = 7 + k};
        Periodic none = {0};
        Neighbours n;
        GrainStore store;
        MrcError error;
        static double position[4 * (GRAINS + 16)];
        assert_int_equal(store_create(&store, GRAINS, &error), MRC_OK);
        assert_int_equal(neighbours_create(&n, GRAINS, 0.4e-3, &none, &error), MRC_OK);
        for (int round = 0; round < 3;
             round++) { // the second and third build work in what the first has left
            for (size_t i = 0; i < GRAINS; i++) {
                store.radius[i] = sizes[k](&random, i);
                for (int c = 0; c < 3; c++)
                    position[4 * i + (size_t)c] = (c == 1 ? 60e-3 : 15e-3) * random_uniform(&random);
            }
            assert_int_equal(neighbours_build(&n, &store, position, &error), MRC_OK);
            check_lists(&n, &store);
            assert_int_equal(neighbours_rebuild(&n, &store, &error), MRC_OK);
            check_lists(&n, &store);
        }
        neighbours_free(&n);
        store_free(&store);
    }
}

// One that has flown away along a line does not make cells all the way.
static void test_a_grain_far_away_takes_no_memory(void **state) {
    (void)state;
    Random random = {.state = 3};
    Periodic none = {0};
    Neighbours n;
    GrainStore store;
    MrcError error;
    static double position[4 * (GRAINS + 16)];
    const double away[] = {1e3, 1e9, 1e200};
    assert_int_equal(store_create(&store, GRAINS, &error), MRC_OK);
    assert_int_equal(neighbours_create(&n, GRAINS, 0.4e-3, &none, &error), MRC_OK);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < GRAINS; i++) {
            store.radius[i] = 1e-3;
            for (int c = 0; c < 3; c++) position[4 * i + (size_t)c] = 20e-3 * random_uniform(&random);
        }
        position[0] = away[k];
        assert_int_equal(neighbours_build(&n, &store, position, &error), MRC_OK);
        check_lists(&n, &store);
        if (n.first.count > (1 << 20) + 64 * GRAINS) fail_msg("%g m: %zu cells", away[k], n.first.count);
    }
    neighbours_free(&n);
    store_free(&store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_near_pair_is_listed_once),
        cmocka_unit_test(test_a_grain_far_away_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
