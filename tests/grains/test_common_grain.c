// Beds in which most grains are alike (common_grain.c) move as they do when every contact has its own parameters. The two
// materials are the same, so that giving some grains the other one changes the way of computing, and nothing else.
#include "bed.h"

enum { GRAINS = 300, STEPS = 4000 };

typedef enum Share { SHARE_ALL, SHARE_MOST, SHARE_HALF } Share; // of the grains with the first material

// A cloud that falls between walls; with `ball` one of the grains is smaller and heavier.
static void cloud_create(Bed *bed, Share share, bool ball) {
    *bed = bed_default();
    bed->gravity = vec3(0, 0, -9.81);
    bed->step = 0.5e-6; // many steps between prunings, so that pairs change places between them
    bed->definition.particles.count = GRAINS;
    bed->definition.particles.velocity = vec3(1, 2, -3);
    bed->definition.contact.tangential = TANGENTIAL_ELASTIC;
    bed_set_coefficients(bed, 0.6, 0.4, 0);
    bed->walls[0].shape = box_wall(vec3_zero(), vec3(0.016, 0.016, 0.016));
    bed_create(bed);
    Grains *g = bed->grains;
    g->uniform = share == SHARE_ALL && !ball;
    for (size_t i = 0; i < GRAINS; i++)
        g->store.material[i] = share == SHARE_ALL ? 0 : share == SHARE_MOST ? i % 7 == 3 : i % 2;
    if (ball) { // half the radius, five times the mass
        g->store.radius[0] = g->position[QUAD_REACH] = g->motion[GRAIN_RADIUS] = 0.5e-3;
        g->motion[GRAIN_INVERSE_MASS] /= 5;
    }
}

static void check_same_motion(Share share, bool ball) {
    Bed bed, other;
    cloud_create(&bed, share, ball);
    cloud_create(&other, SHARE_HALF, ball);
    bed_advance(&bed, STEPS);
    bed_advance(&other, STEPS);
    assert_true(bed.grains->common.found);
    assert_false(other.grains->common.found);
    assert_true(bed.grains->near.count > GRAINS);
    assert_true(bed_measure(&bed).contacts > GRAINS / 4);
    for (size_t i = 0; i < GRAINS; i++) {
        check_near(vec3_norm(vec3_sub(bed_position(&bed, i), bed_position(&other, i))), 0, 1e-10);
        check_near(vec3_norm(vec3_sub(bed_velocity(&bed, i), bed_velocity(&other, i))), 0, 1e-6);
    }
    bed_destroy(&bed);
    bed_destroy(&other);
}

static void test_all_alike(void **state) {
    (void)state;
    check_same_motion(SHARE_ALL, false);
}

static void test_most_alike(void **state) {
    (void)state;
    check_same_motion(SHARE_MOST, false);
}

static void test_one_is_another(void **state) {
    (void)state;
    check_same_motion(SHARE_ALL, true);
    check_same_motion(SHARE_MOST, true);
}

// A block is odd exactly when one of its grains is, at any time: also after pairs have changed places within a chunk.
static void test_marks_of_blocks(void **state) {
    (void)state;
    Bed bed;
    cloud_create(&bed, SHARE_MOST, true);
    const Grains *g = bed.grains;
    int odd_blocks = 0, common_blocks = 0;
    for (int n = 0; n < STEPS; n += 10) {
        bed_advance(&bed, 10);
        for (size_t block = 0; block < near_blocks(g->near.count); block++) {
            bool odd = false;
            for (size_t s = block * BLOCK; s < (block + 1) * BLOCK; s++) {
                const int32_t two[2] = {g->near.i.data[s], g->near.j.data[s]};
                for (int k = 0; k < 2; k++)
                    odd = odd || g->store.material[two[k]] != 0 || g->store.radius[two[k]] < 1e-3;
            }
            assert_int_equal(g->near.odd.data[block], odd);
            odd_blocks += odd, common_blocks += !odd;
        }
    }
    assert_true(odd_blocks > 100 && common_blocks > 100);
    bed_destroy(&bed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_alike),
        cmocka_unit_test(test_most_alike),
        cmocka_unit_test(test_one_is_another),
        cmocka_unit_test(test_marks_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
