// One million random pairs of convex bodies: the deepest gap of their contacts against the distance by comparing all
// faces, edges and vertices, to 1e-9 of their size of about 1.
#include "geometry/pairs.h"

static void test_a_million_pairs(void **state) {
    (void)state;
    static const struct {
        int points, rounds;
    } parts[] = {{6, 400000}, {9, 500000}, {16, 80000}, {30, 20000}};
    double worst = 0;
    int near = 0, overlapping = 0;
    for (int part = 0; part < 4; part++) {
        PairsStock stock;
        pairs_stock(&stock, (uint64_t)(100 + part), parts[part].points);
        for (int round = 0; round < parts[part].rounds; round++) {
            if (round % 20000 == 0) { // other bodies
                uint64_t seed = random_bits(&stock.random);
                pairs_free(&stock);
                pairs_stock(&stock, seed, parts[part].points);
            }
            PairBody a, b;
            ShapeContact contacts[SHAPE_CONTACT_MAX];
            const double margin = 0.2;
            pairs_draw(&stock, &a, &b);
            double expected = pairs_distance(&a, &b);
            int count = shape_pair_contacts(&a.shape, &a.pose, &b.shape, &b.pose, margin, contacts);
            if (expected >= margin + 1e-9) assert_int_equal(count, 0);
            if (expected >= margin - 1e-9) continue;
            double error = fabs(pairs_least_gap(contacts, count) - expected);
            near++, overlapping += expected < 0;
            worst = fmax(worst, error);
            if (!(error <= 1e-9))
                fail_msg("pair %d of part %d: %.12g, expected %.12g", round, part,
                         pairs_least_gap(contacts, count), expected);
        }
        pairs_free(&stock);
    }
    print_message("%d of 1000000 pairs are near, %d overlap; largest error %.2g\n", near, overlapping, worst);
    assert_true(near > 300000 && overlapping > 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_million_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
