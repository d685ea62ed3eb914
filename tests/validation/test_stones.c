// Stones by contact dynamics: a wall of 10 x 10 bricks stands still for 5 s, an arch of voussoirs stands above its
// critical thickness and falls below it, a house of cards stands.
#include <stdio.h>

#include "grains/bricks.h"

#include "grains/nonsmooth.h"
#include "grains/world.h"

static const double g = 9.81;

// ---- a wall --------------------------------------------------------------------------------------
static Vec3 place_of_brick(int i) {
    return vec3(0.2 * (i % 10 + (i / 10 % 2 ? 0.5 : 0)) - 1, 0, 0.05 + 0.1 * (i / 10));
}

static void test_wall_of_bricks(void **state) {
    (void)state;
    Bricks b;
    bricks_default(&b, vec3(0.2, 0.1, 0.1), 100);
    b.bed.definition.method = METHOD_NSCD;
    b.bed.definition.contact.solver.tolerance = 1e-6;
    bed_create(&b.bed);
    for (int i = 0; i < 100; i++) bricks_place(&b, (size_t)i, place_of_brick(i), quaternion_identity());
    bed_advance(&b.bed, 5000);
    double worst = 0, turned = 0;
    for (int i = 0; i < 100; i++) {
        worst = fmax(worst, vec3_norm(vec3_sub(bed_position(&b.bed, (size_t)i), place_of_brick(i))));
        Quaternion q = bed_orientation(&b.bed, (size_t)i);
        turned = fmax(turned, 2 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z));
    }
    WorldCounts counts = world_counts(b.bed.grains->nonsmooth->alone);
    printf("wall: after 5 s bricks have moved by at most %.2g of their height and turned by %.2g rad; %.0f "
           "points, "
           "%.1f sweeps a step, %lld problems above the tolerance\n",
           worst / 0.1, turned, (double)counts.contacts / (double)counts.solves,
           (double)counts.iterations / (double)counts.solves, (long long)counts.loose);
    fflush(stdout);
    assert_true(worst < 1e-6 * 0.1);
    assert_true(turned < 1e-6);
    check_near(b.bed.loads[0].force.z, -100 * b.bed.mass * g, 1e-5 * 100 * b.bed.mass * g);
    bricks_destroy(&b);
}

// ---- an arch -------------------------------------------------------------------------------------
// A half circle of an odd number of equal wedges with radial joints, mean radius 1, on the floor.
typedef struct Arch {
    int stones;
    double half;         // angle of a stone, halved
    double inner, outer; // radii of the corners
    double centre;       // radius of the centres of mass
} Arch;

static Arch arch_of(int stones, double thickness) {
    Arch a = {.stones = stones,
              .half = 0.5 * M_PI / stones,
              .inner = 1 - 0.5 * thickness,
              .outer = 1 + 0.5 * thickness};
    double y1 = a.inner * cos(a.half), y2 = a.outer * cos(a.half);
    a.centre = 2.0 / 3 * (y2 * y2 * y2 - y1 * y1 * y1) / (y2 * y2 - y1 * y1);
    return a;
}

// Limit analysis (Heyman): it stands if a line of thrust lies within all joints. With the thrust H at the crown at the
// height y the line meets the joint at the angle p from the crown, which carries the weight W with the moment S, at
// the radius (H y + S)/(W sin p + H cos p). Room that is left for H y, for the best H; negative: it falls.
static double room_for_thrust(const Arch *a, double thrust) {
    double weight = 0.5, moment = 0.25 * tan(a->half) * a->centre, least = -INFINITY, most = INFINITY;
    for (int k = 0; 2 * k < a->stones; k++) {
        double p = (2 * k + 1) * a->half, across = weight * sin(p) + thrust * cos(p);
        least = fmax(least, a->inner * across - moment);
        most = fmin(most, a->outer * across - moment);
        weight += 1, moment += a->centre * sin(p + a->half);
    }
    return most - least;
}

static double critical_thickness(int stones) {
    double low = 0.02, high = 0.3;
    for (int n = 0; n < 50; n++) {
        double middle = 0.5 * (low + high), from = 0, to = 5 * stones;
        Arch a = arch_of(stones, middle);
        for (int k = 0; k < 200; k++) { // the room is a concave function of the thrust
            double first = from + (to - from) / 3, second = to - (to - from) / 3;
            if (room_for_thrust(&a, first) < room_for_thrust(&a, second)) from = first;
            else to = second;
        }
        if (room_for_thrust(&a, 0.5 * (from + to)) < 0) low = middle;
        else high = middle;
    }
    return high;
}

// Fall of the crown [m].
static double fall_of_arch(int stones, double thickness, double time) {
    Bricks b;
    MrcError error = {0};
    Arch a = arch_of(stones, thickness);
    Vec3 points[8];
    for (int i = 0; i < 8; i++) {
        double r = i & 4 ? a.outer : a.inner;
        points[i] = vec3((i & 1 ? 1 : -1) * r * sin(a.half), i & 2 ? 0.1 : -0.1, r * cos(a.half));
    }
    bricks_default(&b, vec3(0.2, 0.1, 0.1), stones);
    hull_destroy(b.hull);
    if (hull_create(&b.hull, points, 8, "the voussoir", &error)) fail_msg("%s", error.text);
    b.shape = (Shape){.kind = SHAPE_POLYHEDRON, .radius = b.hull->radius, .form = b.hull};
    b.bed.definition.particles.radius = b.hull->radius;
    b.bed.definition.method = METHOD_NSCD;
    b.bed.definition.contact.solver.tolerance = 1e-6;
    bed_set_coefficients(&b.bed, 0, 0.8, 0);
    bed_create(&b.bed);
    for (int i = 0; i < stones; i++) {
        double angle = -0.5 * M_PI + (2 * i + 1) * a.half; // from upright, towards x
        bricks_place(&b, (size_t)i, vec3(a.centre * sin(angle), 0, a.centre * cos(angle)),
                     quaternion_from_rotation_vector(vec3(0, angle, 0)));
    }
    size_t crown = (size_t)stones / 2;
    double top = bed_position(&b.bed, crown).z;
    bed_advance(&b.bed, (int64_t)(time / b.bed.step));
    double fall = top - bed_position(&b.bed, crown).z;
    bricks_destroy(&b);
    return fall;
}

static void test_arch(void **state) {
    (void)state;
    check_near(critical_thickness(1001), 0.1075, 5e-5); // that of many joints (Milankovitch 1907)
    double critical = critical_thickness(13), stands = fall_of_arch(13, 1.01 * critical, 3),
           falls = fall_of_arch(13, 0.99 * critical, 3);
    printf("arch of 13 voussoirs: critical thickness %.4f of the radius; with 1 %% more the crown falls by "
           "%.2g of the radius "
           "in 3 s, with 1 %% less by %.2g\n",
           critical, stands, falls);
    fflush(stdout);
    assert_true(fabs(stands) < 1e-5);
    assert_true(falls > 0.1);
}

// ---- cards ---------------------------------------------------------------------------------------
// Storeys of pairs of leaning cards with flat ones between them.
static void test_house_of_cards(void **state) {
    (void)state;
    enum { storeys = 3, count = 3 * storeys * (storeys + 1) / 2 - storeys };
    double alpha = 20 * M_PI / 180, length = 0.09, thick = 0.003;
    double x = 0.5 * (length * sin(alpha) + thick * cos(alpha)),
           z = 0.5 * (length * cos(alpha) + thick * sin(alpha));
    double pitch = length + 1e-3, storey = 2 * z + thick;
    Bricks b;
    bricks_default(&b, vec3(thick, 0.06, length), count);
    b.bed.definition.method = METHOD_NSCD;
    b.bed.definition.contact.solver.tolerance = 1e-6;
    bed_set_coefficients(&b.bed, 0, 0.6, 0);
    bed_create(&b.bed);
    size_t i = 0;
    for (int s = 0; s < storeys; s++)
        for (int p = 0; p < storeys - s; p++) {
            double middle = pitch * (p + 0.5 * s), foot = s * storey;
            bricks_place(&b, i++, vec3(middle - x, 0, foot + z),
                         quaternion_from_rotation_vector(vec3(0, alpha, 0)));
            bricks_place(&b, i++, vec3(middle + x, 0, foot + z),
                         quaternion_from_rotation_vector(vec3(0, -alpha, 0)));
            if (p > 0) // a flat card on two tops
                bricks_place(&b, i++, vec3(middle - 0.5 * pitch, 0, foot + 2 * z + 0.5 * thick),
                             quaternion_from_rotation_vector(vec3(0, 0.5 * M_PI, 0)));
        }
    assert_int_equal(i, count);
    double height = bed_position(&b.bed, count - 1).z;
    bed_advance(&b.bed, 3000);
    double fall = (height - bed_position(&b.bed, count - 1).z) / height;
    printf("cards: %d cards in %d storeys, the top falls by %.2g of its height in 3 s\n", count, storeys,
           fall);
    assert_true(fabs(fall) < 1e-3);
    bricks_destroy(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall_of_bricks),
        cmocka_unit_test(test_arch),
        cmocka_unit_test(test_house_of_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
