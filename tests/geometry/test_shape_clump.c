// Clumps: mass, centre and inertia against closed forms, contacts against those of the parts, names of points.
#include "clumps.h"

#include <math.h>

#include "base/random.h"
#include "check_math.h"
#include "geometry/union_moments.h"
#include "walls.h"

// ---- mass ----------------------------------------------------------------------------------------
static Mat3 inertia_of(double volume, Mat3 second) { // of density 1
    double trace = mat3_trace(second);
    return mat3_scale(volume, mat3_sub(mat3_diagonal(trace, trace, trace), second));
}

static Mat3 inertia_of_clump(const Clump *clump) {
    Shape shape = clumps_shape(clump);
    return shape_inertia(&shape, shape_volume(&shape));
}

static void test_two_separate_spheres(void **state) {
    (void)state;
    const double r = 0.02, q = 0.03, away = 0.08, a = 4.0 / 3.0 * M_PI * r * r * r,
                 b = 4.0 / 3.0 * M_PI * q * q * q;
    const Vec3 along = vec3_normalize(vec3(1, 2, -2)), start = vec3(0.3, -0.2, 5);
    Clump *clump = clumps_make(
        (ClumpPart[]){clumps_sphere(start, r), clumps_sphere(vec3_madd(start, away, along), q)}, 2);
    Shape shape = clumps_shape(clump);
    assert_int_equal(clump->piece_count, 2);
    check_near(shape_volume(&shape), a + b, 1e-15 * (a + b) * 10);
    check_vec3_near(clump->center, vec3_madd(start, b / (a + b) * away, along), 1e-15);
    check_near(clump->radius, fmax(b / (a + b) * away + r, a / (a + b) * away + q), 1e-15);
    double about = 0.4 * (a * r * r + b * q * q), across = about + a * b / (a + b) * away * away;
    Mat3 expected =
        mat3_add(mat3_diagonal(across, across, across), mat3_scale(about - across, mat3_outer(along, along)));
    check_mat3_near(inertia_of_clump(clump), expected, 1e-13 * across);
    clump_destroy(clump);
}

// Each of the two is a sphere cut by the plane half way between them; integrals over its height x above its centre.
static void test_two_overlapping_spheres(void **state) {
    (void)state;
    const double r = 1.3, shares[] = {0.02, 0.4, 0.9, 0.999};
    for (int k = 0; k < 4; k++) {
        double a = shares[k] * r, r2 = r * r;
        Vec3 along = vec3_normalize(vec3(0.3 * k, 1 - k, 0.7));
        if (k == 0) along = vec3(0, 0, 1);
        double volume = 0, square = 0, fourth = 0;
        for (int end = 0; end < 2; end++) {
            double x = end ? r : -a, sign = end ? 1 : -1, x3 = x * x * x, x4 = x3 * x, x5 = x4 * x;
            volume += sign * 2 * M_PI * (r2 * x - x3 / 3);
            square += sign * 2 * M_PI *
                      (r2 * (x3 / 3 + a * x * x + a * a * x) - (x5 / 5 + a * x4 / 2 + a * a * x3 / 3));
            fourth += sign * 2 * M_PI / 4 * (r2 * r2 * x - 2 * r2 * x3 / 3 + x5 / 5);
        }
        const Vec3 middle = vec3(4, -3, 2);
        Clump *clump = clumps_make((ClumpPart[]){clumps_sphere(vec3_madd(middle, -a, along), r),
                                                 clumps_sphere(vec3_madd(middle, a, along), r)},
                                   2);
        Shape shape = clumps_shape(clump);
        assert_int_equal(clump->piece_count, 1);
        check_near(shape_volume(&shape), volume, 1e-11 * volume);
        check_vec3_near(clump->center, middle, 1e-11 * r);
        Mat3 second = mat3_add(mat3_diagonal(fourth, fourth, fourth),
                               mat3_scale(square - fourth, mat3_outer(along, along)));
        check_mat3_near(inertia_of_clump(clump), inertia_of(1, second), 1e-11 * volume * r2);
        clump_destroy(clump);
    }
}

static void test_a_box_of_boxes(void **state) {
    (void)state;
    // Two halves side by side; two that overlap; three of which one is inside.
    const ClumpPart sets[3][3] = {
        {clumps_box(vec3(0.05, 0, 0), vec3(0.1, 0.1, 0.06)),
         clumps_box(vec3(0.15, 0, 0), vec3(0.1, 0.1, 0.06))},
        {clumps_box(vec3(0.06, 0, 0), vec3(0.12, 0.1, 0.06)),
         clumps_box(vec3(0.12, 0, 0), vec3(0.16, 0.1, 0.06))},
        {clumps_box(vec3(0.06, 0, 0), vec3(0.12, 0.1, 0.06)),
         clumps_box(vec3(0.12, 0, 0), vec3(0.16, 0.1, 0.06)),
         clumps_turned_box(vec3(0.1, 0, 0), vec3(0.03, 0.02, 0.04), vec3(0.3, 0.2, 0.1))}};
    for (int k = 0; k < 3; k++) {
        Clump *clump = clumps_make(sets[k], k < 2 ? 2 : 3);
        Shape shape = clumps_shape(clump);
        double volume = 0.2 * 0.1 * 0.06;
        check_near(shape_volume(&shape), volume, 1e-14 * volume);
        check_vec3_near(clump->center, vec3(0.1, 0, 0), 1e-15);
        check_near(clump->radius, 0.5 * sqrt(0.04 + 0.01 + 0.0036), 1e-15);
        check_mat3_near(
            inertia_of_clump(clump),
            mat3_diagonal(volume / 12 * (0.01 + 0.0036), volume / 12 * (0.04 + 0.0036), volume / 12 * 0.05),
            1e-14 * volume * 0.05);
        assert_int_equal(clump->piece_count, 1);
        assert_int_equal(((const Hull *)clump->outer.shape.form)->vertex_count, 8);
        clump_destroy(clump);
    }
}

// Parts that have little in common: a ball on a face, on an edge and on a corner of a box, half, a quarter and an eighth of
// it inside.
static void test_a_ball_on_a_box(void **state) {
    (void)state;
    const double r = 0.3, ball = 4.0 / 3.0 * M_PI * r * r * r, outside[] = {0.5, 0.75, 0.875};
    const Vec3 places[] = {{0.5, 0, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 0.5}};
    for (int k = 0; k < 3; k++)
        for (int turned = 0; turned < 2; turned++) {
            Vec3 turn = turned ? vec3(0.4, -0.3, 0.9) : vec3_zero();
            Vec3 place = quaternion_rotate(quaternion_from_rotation_vector(turn), places[k]);
            Clump *clump = clumps_make(
                (ClumpPart[]){clumps_turned_box(vec3_zero(), vec3(1, 1, 1), turn), clumps_sphere(place, r)},
                2);
            Shape shape = clumps_shape(clump);
            check_near(shape_volume(&shape), 1 + outside[k] * ball, 1e-11);
            // The centre of the part outside: for half a ball 3/8 r along the normal, for the others by symmetry the same
            // integral, taken off the whole.
            double off = (1 - outside[k]) * ball * 3.0 / 8.0 * r;
            Vec3 first = vec3_scale(outside[k] * ball, places[k]);
            if (k == 0) first = vec3(0.5 * 0.5 * ball + off, 0, 0);
            if (k == 1) first = vec3(0.5 * 0.75 * ball + off, 0.5 * 0.75 * ball + off, 0);
            if (k == 2)
                first = vec3(0.5 * 0.875 * ball + off, 0.5 * 0.875 * ball + off, 0.5 * 0.875 * ball + off);
            Vec3 center = vec3_scale(1 / (1 + outside[k] * ball), first);
            check_vec3_near(quaternion_unrotate(quaternion_from_rotation_vector(turn), clump->center), center,
                            1e-11);
            clump_destroy(clump);
        }
}

// Heaps of parts: turning all of them turns the moments, though slices are then others.
static void test_moments_turn_with_the_parts(void **state) {
    (void)state;
    Random random = {11};
    for (int round = 0; round < 12; round++) {
        enum { most = 6 };
        Vec3 places[most], sizes[most], turns[most], turn = check_random_vec3(&random);
        Clump *clumps[2];
        for (int p = 0; p < most; p++) {
            places[p] = vec3_scale(0.5, check_random_vec3(&random)), turns[p] = check_random_vec3(&random);
            sizes[p] = vec3(0.4 + random_uniform(&random), 0.4 + random_uniform(&random),
                            0.4 + random_uniform(&random));
        }
        for (int turned = 0; turned < 2; turned++) {
            ClumpPart parts[most];
            Quaternion q = quaternion_from_rotation_vector(turned ? turn : vec3_zero());
            for (int p = 0; p < most; p++) {
                Vec3 place = quaternion_rotate(q, places[p]);
                bool ball = round % 3 == 0 || (round % 3 == 1 && p % 2);
                Vec3 both = quaternion_to_rotation_vector(
                    quaternion_mul(q, quaternion_from_rotation_vector(turns[p])));
                parts[p] =
                    ball ? clumps_sphere(place, 0.6 * sizes[p].x) : clumps_turned_box(place, sizes[p], both);
            }
            clumps[turned] = clumps_make(parts, most);
        }
        Mat3 axes = quaternion_to_matrix(quaternion_from_rotation_vector(turn));
        Mat3 back = mat3_mul(mat3_mul(mat3_transpose(axes), clumps[1]->second_moment), axes);
        check_near(clumps[1]->volume, clumps[0]->volume, 1e-10);
        check_near(clumps[1]->radius, clumps[0]->radius, 1e-10);
        check_vec3_near(mat3_apply_transpose(axes, clumps[1]->center), clumps[0]->center, 1e-10);
        check_mat3_near(back, clumps[0]->second_moment, 1e-10);
        clump_destroy(clumps[0]), clump_destroy(clumps[1]);
    }
}

// ---- contacts ------------------------------------------------------------------------------------
typedef struct Stock {
    Clump *clumps[3];
    Hull *hull;
    Shape shapes[5]; // clumps, a box, a sphere
} Stock;

static Stock stock_make(void) {
    Stock s;
    s.clumps[0] =
        clumps_make((ClumpPart[]){clumps_sphere(vec3(-0.6, 0, 0), 0.5), clumps_sphere(vec3(0.6, 0, 0), 0.4),
                                  clumps_sphere(vec3(0, 0.7, 0), 0.3)},
                    3);
    s.clumps[1] = clumps_make(
        (ClumpPart[]){clumps_box(vec3(0, 0, 0), vec3(2, 0.4, 0.4)),
                      clumps_box(vec3(0.8, 0, 0.7), vec3(0.4, 0.4, 1)),
                      clumps_turned_box(vec3(-0.8, 0.5, 0), vec3(0.4, 0.6, 0.4), vec3(0, 0.3, 0))},
        3);
    s.clumps[2] =
        clumps_make((ClumpPart[]){clumps_box(vec3(0, 0, 0), vec3(1.4, 0.3, 0.3)),
                                  clumps_sphere(vec3(0.7, 0, 0), 0.5), clumps_sphere(vec3(-0.7, 0, 0), 0.4)},
                    3);
    ClumpPart box = clumps_box(vec3_zero(), vec3(1, 0.8, 1.2));
    s.hull = (Hull *)box.shape.form;
    for (int k = 0; k < 3; k++) s.shapes[k] = clumps_shape(s.clumps[k]);
    s.shapes[3] = box.shape;
    s.shapes[4] = (Shape){.kind = SHAPE_SPHERE, .radius = 0.6};
    return s;
}

static void stock_free(Stock *s) {
    for (int k = 0; k < 3; k++) clump_destroy(s->clumps[k]);
    hull_destroy(s->hull);
}

// The least gap of all pairs of parts.
static double least_gap(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                        double margin) {
    double least = INFINITY;
    if (a->kind == SHAPE_CLUMP) {
        const Clump *clump = a->form;
        for (int p = 0; p < clump->part_count; p++) {
            Shape part = clump->parts[p].shape;
            part.radius *= a->radius;
            Pose pose = *pose_a;
            pose.position =
                vec3_add(pose.position,
                         quaternion_rotate(pose.orientation, vec3_scale(a->radius, clump->parts[p].center)));
            least = fmin(least, least_gap(b, pose_b, &part, &pose, margin));
        }
        return least;
    }
    if (b->kind == SHAPE_CLUMP) return least_gap(b, pose_b, a, pose_a, margin);
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    int count = shape_pair_contacts(a, pose_a, b, pose_b, margin, contacts);
    for (int c = 0; c < count; c++) least = fmin(least, contacts[c].gap);
    return least;
}

static Pose random_pose(Random *random, double spread) {
    return (Pose){vec3_scale(spread, check_random_vec3(random)),
                  quaternion_from_rotation_vector(vec3_scale(2, check_random_vec3(random)))};
}

// Gaps are those of the nearest parts; names differ; the other way round they are exchanged; a known axis changes nothing.
static void test_pairs(void **state) {
    (void)state;
    Stock s = stock_make();
    Random random = {5};
    const double margin = 0.15;
    int near = 0, settled = 0;
    for (int round = 0; round < 20000; round++) {
        Shape a = s.shapes[round % 3], b = s.shapes[round / 3 % 5];
        b.radius *= 0.5 + random_uniform(&random);
        Pose here = random_pose(&random, 0.1), there = random_pose(&random, 1.2);
        ShapeContact first[SHAPE_CONTACT_MAX], second[SHAPE_CONTACT_MAX], again[SHAPE_CONTACT_MAX];
        Vec3 axis = vec3_zero();
        double expected = least_gap(&a, &here, &b, &there, margin), least = INFINITY;
        int count = shape_pair_contacts_again(&a, &here, &b, &there, margin, vec3_zero(), &axis, first);
        int other = shape_pair_contacts(&b, &there, &a, &here, margin, second);
        assert_true(count <= SHAPE_CONTACT_MAX);
        settled += count == 0 && vec3_norm2(axis) > 0;
        assert_int_equal(shape_pair_contacts_again(&a, &here, &b, &there, margin, vec3_zero(), &axis, again),
                         count);
        if (expected < margin - 1e-9) assert_true(count > 0);
        if (count == 0) continue;
        near++;
        for (int c = 0; c < count; c++) {
            least = fmin(least, first[c].gap);
            check_near(vec3_norm(first[c].normal), 1, 1e-12);
            for (int d = 0; d < c; d++) assert_true(first[c].feature != first[d].feature);
        }
        // A point deep inside another part of the clump may have the least gap: it is none of the surface.
        if (expected > 1e-9) check_near(least, expected, 1e-9);
        int same = 0;
        for (int c = 0; c < count; c++)
            for (int d = 0; d < other; d++)
                same += shape_feature_exchanged(second[d].feature) == first[c].feature &&
                        vec3_norm(vec3_add(second[d].normal, first[c].normal)) < 1e-6;
        if (count <= 2 && expected > 1e-6) assert_true(same > 0);
    }
    assert_true(near > 4000 && settled > 1000);
    stock_free(&s);
}

// All points: each overlapping pair of balls has one, by its own gap; the other way round they are the same with names exchanged;
// names lead back to the parts.
static void test_all_points_of_balls(void **state) {
    (void)state;
    Random random = {6};
    ClumpPart parts[12];
    for (int k = 0; k < 12; k++)
        parts[k] =
            clumps_sphere(vec3_scale(0.5, check_random_vec3(&random)), 0.1 + 0.2 * random_uniform(&random));
    Clump *clump = clumps_make(parts, 12);
    int overlaps = 0;
    for (int round = 0; round < 2000; round++) {
        Shape a = clumps_shape(clump), b = a;
        b.radius *= 0.5 + random_uniform(&random);
        Pose here = random_pose(&random, 0.1), there = random_pose(&random, 0.8);
        ShapeContact first[SHAPE_POINTS_MAX], second[SHAPE_POINTS_MAX];
        Vec3 axis = vec3_zero(), back = vec3_zero();
        int count = shape_pair_points(&a, &here, &b, &there, 0, &axis, first), expected = 0;
        assert_int_equal(shape_pair_points(&b, &there, &a, &here, 0, &back, second), count);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                Vec3 at_a = vec3_scale(a.radius, clump->parts[i].center),
                     at_b = vec3_scale(b.radius, clump->parts[j].center);
                Vec3 way = vec3_sub(vec3_add(here.position, quaternion_rotate(here.orientation, at_a)),
                                    vec3_add(there.position, quaternion_rotate(there.orientation, at_b)));
                double own = a.radius * clump->parts[i].shape.radius,
                       other = b.radius * clump->parts[j].shape.radius, gap = vec3_norm(way) - own - other;
                if (!(gap < 0)) continue;
                expected++;
                bool found = false;
                for (int c = 0; c < count && !found; c++)
                    found = fabs(first[c].gap - gap) < 1e-14 &&
                            shape_part_of_a(&a, first[c].feature).radius == own &&
                            shape_part_of_b(&b, first[c].feature).radius == other;
                assert_true(found);
            }
        assert_int_equal(count, expected < SHAPE_POINTS_MAX ? expected : SHAPE_POINTS_MAX);
        overlaps += count;
        for (int c = 0; c < count; c++) {
            int same = 0;
            for (int d = 0; d < count; d++)
                same += shape_feature_exchanged(second[d].feature) == first[c].feature &&
                        fabs(second[d].gap - first[c].gap) < 1e-14;
            assert_int_equal(same, 1);
        }
    }
    assert_true(overlaps > 2000);
    check_near(shape_finest_radius(&(Shape){SHAPE_CLUMP, 2, clump}), 2 * clump->finest, 1e-15);
    clump_destroy(clump);
}

// ---- springs -------------------------------------------------------------------------------------
// m w^2/k of two balls that a plane pushes: 2 for the sway of equal ones; of light ones beside a heavy middle 2 d^2/J, their
// turning; of one alone 1 + d^2/J. Three in a plane have 3.
static void test_shaking(void **state) {
    (void)state;
    Clump *one = clumps_make((ClumpPart[]){clumps_sphere(vec3(1, 2, 3), 0.3)}, 1);
    check_near(one->shaking, 1, 1e-12);
    Clump *two =
        clumps_make((ClumpPart[]){clumps_sphere(vec3(-1, 0, 0), 0.3), clumps_sphere(vec3(1, 0, 0), 0.3)}, 2);
    check_near(two->shaking, 2, 1e-3); // its turning is nearly as quick: powers converge slowly
    ClumpPart tripod[3];
    for (int k = 0; k < 3; k++) tripod[k] = clumps_sphere(vec3(cos(2.1 * k), sin(2.1 * k), 0.1), 0.9);
    Clump *three = clumps_make(tripod, 3);
    check_near(three->shaking, 3, 0.02);
    Clump *arms =
        clumps_make((ClumpPart[]){clumps_box(vec3_zero(), vec3(0.6, 1, 1)),
                                  clumps_sphere(vec3(-2, 0, 0), 0.3), clumps_sphere(vec3(2, 0, 0), 0.3)},
                    3);
    Shape shape = {SHAPE_CLUMP, 1, arms};
    double d = 2 / arms->radius, moment = shape_inertia(&shape, 1).m[1][1];
    assert_true(d * d > 1.2 * moment);
    check_near(arms->shaking, 2 * d * d / moment, 1e-3 * arms->shaking);
    clump_destroy(one), clump_destroy(two), clump_destroy(three), clump_destroy(arms);
}

// One part is that part.
static void test_one_part(void **state) {
    (void)state;
    Random random = {8};
    Clump *clump = clumps_make((ClumpPart[]){clumps_sphere(vec3(1, 2, 3), 0.5)}, 1);
    Shape shape = clumps_shape(clump), sphere = {.kind = SHAPE_SPHERE, .radius = 0.5};
    check_near(shape_volume(&shape), shape_volume(&sphere), 1e-16);
    check_mat3_near(shape_inertia(&shape, 2), shape_inertia(&sphere, 2), 1e-16);
    Wall box = box_wall(vec3_zero(), vec3(4, 4, 4));
    for (int round = 0; round < 500; round++) {
        ShapeContact one[SHAPE_CONTACT_MAX], other[SHAPE_CONTACT_MAX];
        Pose here = random_pose(&random, 0.3), there = random_pose(&random, 1.3);
        int count = shape_wall_contacts(&shape, &there, &box, 0.2, one);
        assert_int_equal(shape_wall_contacts(&sphere, &there, &box, 0.2, other), count);
        for (int c = 0; c < count; c++) check_vec3_near(one[c].point, other[c].point, 1e-15);
        count = shape_pair_contacts(&shape, &here, &sphere, &there, 0.2, one);
        assert_int_equal(shape_pair_contacts(&sphere, &here, &sphere, &there, 0.2, other), count);
        for (int c = 0; c < count; c++) {
            check_near(one[c].gap, other[c].gap, 1e-15);
            check_vec3_near(one[c].normal, other[c].normal, 1e-14);
        }
    }
    clump_destroy(clump);
}

// In a room, two halves of a box have the contacts of the box; over the seam of the two a ball has one contact, straight up.
static void test_seams(void **state) {
    (void)state;
    Random random = {9};
    Clump *clump = clumps_make((ClumpPart[]){clumps_box(vec3(-0.25, 0, 0), vec3(0.5, 0.6, 0.4)),
                                             clumps_box(vec3(0.25, 0, 0), vec3(0.5, 0.6, 0.4))},
                               2);
    ClumpPart whole = clumps_box(vec3_zero(), vec3(1, 0.6, 0.4));
    Shape shape = clumps_shape(clump);
    Wall room = box_wall(vec3_zero(), vec3(2, 2, 2));
    int touching = 0;
    for (int round = 0; round < 2000; round++) {
        ShapeContact one[SHAPE_CONTACT_MAX], other[SHAPE_CONTACT_MAX];
        Pose pose = random_pose(&random, 0.4);
        if (round % 4 == 0) pose.orientation = quaternion_identity();
        int count = shape_wall_contacts(&shape, &pose, &room, 0.1, one);
        int count_of_whole = shape_wall_contacts(&whole.shape, &pose, &room, 0.1, other);
        bool deep = false; // so deep that rounding and names decide which of more than four corners count
        for (int c = 0; c < count; c++) deep |= one[c].gap < -0.1;
        if (!deep) assert_int_equal(count_of_whole, count);
        for (int c = 0; c < count && !deep; c++) {
            touching++;
            bool found = false;
            for (int d = 0; d < count; d++)
                found |= vec3_norm(vec3_sub(one[c].point, other[d].point)) < 1e-12 &&
                         fabs(one[c].gap - other[d].gap) < 1e-12;
            assert_true(found);
        }
    }
    assert_true(touching > 1000);
    const Shape ball = {.kind = SHAPE_SPHERE, .radius = 0.1};
    const Pose under = {vec3_zero(), quaternion_identity()};
    for (int k = -5; k <= 5; k++) {
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        Pose over = {vec3(0.004 * k, 0.01, 0.299 + 0.002 * (k & 1)), quaternion_identity()};
        int count = shape_pair_contacts(&ball, &over, &shape, &under, 0.002, contacts);
        assert_int_equal(count, 1);
        check_vec3_near(contacts[0].normal, vec3(0, 0, 1), 1e-12);
        check_near(contacts[0].gap, over.position.z - 0.3, 1e-12);
    }
    clump_destroy(clump);
    hull_destroy((Hull *)whole.shape.form);
}

// In the inner corner of an angle of two boxes a cube touches both, however much of the lower one the upright one covers, with
// a gap, in touch, or a little inside: contacts of a corner are not taken for those of a seam.
static void test_inner_corner(void **state) {
    (void)state;
    const double widths[] = {0.1, 0.5, 0.9}, gaps[] = {1e-4, 1e-9, 0, -1e-9, -4e-6};
    for (int k = 0; k < 3 * 5 * 3; k++) {
        double width = widths[k % 3], gap = gaps[k / 3 % 5], side = 0.08;
        Clump *clump =
            clumps_make((ClumpPart[]){clumps_box(vec3(0.5, 0, -0.1), vec3(1, 0.4, 0.2)),
                                      clumps_box(vec3(0.5 * width, 0, 0.3), vec3(width, 0.4, 0.6))},
                        2);
        ClumpPart cube = clumps_box(vec3_zero(), vec3(side, side, side));
        Shape shape = clumps_shape(clump);
        Quaternion turn = quaternion_from_rotation_vector(vec3_scale(k / 15, vec3(0.4, -0.7, 0.3)));
        const Vec3 place = vec3(width + 0.5 * side + gap, 0.02, 0.5 * side + gap);
        const Pose angle = {quaternion_rotate(turn, clump->center), turn},
                   corner = {quaternion_rotate(turn, place), turn};
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        int count = shape_pair_contacts(&cube.shape, &corner, &shape, &angle, 0.01, contacts), floor = 0,
            wall = 0;
        for (int c = 0; c < count; c++) {
            Vec3 normal = quaternion_unrotate(turn, contacts[c].normal);
            floor += normal.z > 1 - 1e-6, wall += normal.x > 1 - 1e-6;
            check_near(contacts[c].gap, gap, 1e-12);
        }
        assert_true(floor >= 3 && wall >= 3 && floor + wall == count);
        clump_destroy(clump);
        hull_destroy((Hull *)cube.shape.form);
    }
}

// All of it is inside the sphere of its radius and its reach, and what holds a point is not farther than that.
static void test_reach_and_holds(void **state) {
    (void)state;
    Stock s = stock_make();
    Random random = {6};
    for (int k = 0; k < 3; k++) {
        const Shape *shape = &s.shapes[k];
        int held = 0, rounds = 200000;
        for (int round = 0; round < rounds; round++) {
            Vec3 p = vec3_scale(shape->radius,
                                vec3(2 * random_uniform(&random) - 1, 2 * random_uniform(&random) - 1,
                                     2 * random_uniform(&random) - 1));
            if (!shape_holds(shape, p)) continue;
            held++;
            Vec3 way = check_random_direction(&random);
            assert_true(vec3_dot(way, p) <= shape_reach(shape, way) + 1e-12);
            assert_true(vec3_norm(p) <= shape->radius + 1e-12);
        }
        double cube = 8 * shape->radius * shape->radius * shape->radius;
        check_near(shape_volume(shape), cube * held / rounds, 0.02 * shape_volume(shape));
    }
    stock_free(&s);
}

static void test_errors(void **state) {
    (void)state;
    static ClumpPart parts[CLUMP_PARTS_MAX + 1];
    Clump *clump;
    MrcError error;
    for (int p = 0; p <= CLUMP_PARTS_MAX; p++) parts[p] = clumps_sphere(vec3(p, 0, 0), 0.6);
    assert_int_equal(clump_create(&clump, parts, 0, "it", &error), MRC_MODEL);
    assert_string_equal(error.text, "it has no parts: give 'spheres', 'parts', or both");
    assert_int_equal(clump_create(&clump, parts, CLUMP_PARTS_MAX + 1, "it", &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "it has 201 parts, at most 200 are possible"));
    parts[1].shape.radius = 0;
    assert_int_equal(clump_create(&clump, parts, 3, "it", &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "part 2 has no size"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_separate_spheres),
        cmocka_unit_test(test_two_overlapping_spheres),
        cmocka_unit_test(test_a_box_of_boxes),
        cmocka_unit_test(test_a_ball_on_a_box),
        cmocka_unit_test(test_moments_turn_with_the_parts),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_all_points_of_balls),
        cmocka_unit_test(test_shaking),
        cmocka_unit_test(test_one_part),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_inner_corner),
        cmocka_unit_test(test_reach_and_holds),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
