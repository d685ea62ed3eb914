// Relative coordinates: the derivatives are those of the value, whatever the kind.
#include "mechanism/relative.h"

#include "element_check.h"

static const RelativeCoordinate coordinates[] = {
    {&relative_translation, .axis = 1},     {&relative_crossing, .axis = 2, .other = 1, .factor = -1},
    {&relative_rotation, .axis = 0},        {&relative_rotation, .axis = 2},
    {&relative_distance, .smoothing = 0.3}, {.kind = &relative_turn}};
enum { COORDINATES = sizeof coordinates / sizeof *coordinates };

typedef struct Place { // two nodes with markers
    NodeState nodes[2];
    Marker markers[2];
} Place;

static Place random_place(Random *random) {
    Place place = {.nodes = {site_random_node(random), site_random_node(random)}};
    for (int i = 0; i < 2; i++)
        place.markers[i] = (Marker){check_random_vec3(random), so3_exp(site_bounded(random, 0.3))};
    return place;
}

static MarkerPair pair_at(const Place *place) {
    const NodeState *const nodes[2] = {&place->nodes[0], &place->nodes[1]};
    return marker_pair(nodes, place->markers, NULL, true);
}

// Displacement k of the twelve.
static Place shifted(const Place *place, int k, double by) {
    Place moved = *place;
    NodeState *node = &moved.nodes[k / 6];
    Vec3 step = vec3(by * (k % 3 == 0), by * (k % 3 == 1), by * (k % 3 == 2));
    if (k % 6 < 3) node->x = vec3_add(node->x, step);
    else node->R = mat3_mul(so3_exp(step), node->R);
    return moved;
}

// Gradient and curvature against quotients of five points, which err by about 1e-11 at h = 1e-3.
static void test_derivatives(void **state) {
    (void)state;
    static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    Random random = {2};
    for (int trial = 0; trial < 50; trial++) {
        Place place = random_place(&random);
        MarkerPair pair = pair_at(&place);
        for (int i = 0; i < COORDINATES; i++) {
            double gradient[12], H[12][12] = {{0}};
            relative_value(&coordinates[i], &pair, gradient);
            relative_add_curvature(&coordinates[i], &pair, 1, H);
            for (int k = 0; k < 12; k++) {
                double slope = 0, bend[12] = {0};
                for (int p = 0; p < 4; p++) {
                    Place moved = shifted(&place, k, h * offsets[p]);
                    MarkerPair there = pair_at(&moved);
                    double other[12], weight = weights[p] / (12 * h);
                    slope += weight * relative_value(&coordinates[i], &there, other);
                    for (int j = 0; j < 12; j++) bend[j] += weight * other[j];
                }
                check_near(gradient[k], slope, 1e-8 * (1 + fabs(slope)));
                for (int j = 0; j < 12; j++) check_near(H[j][k], bend[j], 1e-7 * (1 + fabs(bend[j])));
            }
        }
    }
}

// The short way to v . H v gives the same as the long one.
static void test_velocity_terms(void **state) {
    (void)state;
    Random random = {4};
    for (int trial = 0; trial < 200; trial++) {
        Place place = random_place(&random);
        MarkerPair pair = pair_at(&place);
        for (int i = 0; i < COORDINATES; i++) {
            double H[12][12] = {{0}}, expected = 0, size = 1;
            relative_add_curvature(&coordinates[i], &pair, 1, H);
            for (int j = 0; j < 12; j++)
                for (int k = 0; k < 12; k++) {
                    double term = pair.velocity[j] * H[j][k] * pair.velocity[k];
                    expected += term, size += fabs(term);
                }
            check_near(relative_velocity_term(&coordinates[i], &pair, pair.velocity), expected, 1e-13 * size);
        }
    }
}

// Full turns count from the last value.
static void test_full_turns(void **state) {
    (void)state;
    static const RelativeCoordinate turn = {.kind = &relative_turn};
    Place place = {.nodes = {{.R = mat3_identity()}, {.R = mat3_identity()}},
                   .markers = {{.axes = mat3_identity()}, {.axes = mat3_identity()}}};
    for (double angle = -20; angle < 20; angle += 0.37) {
        place.nodes[1].R = so3_exp(vec3(0, 0, angle));
        MarkerPair pair = pair_at(&place);
        pair.last_turn = angle + 3 * sin(5 * angle);
        check_near(relative_value(&turn, &pair, NULL), angle, 1e-13);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_velocity_terms),
                                       cmocka_unit_test(test_full_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
