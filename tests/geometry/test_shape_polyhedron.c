// Contacts of polyhedra: distances against comparing all features, symmetry, rigid motion, names of points, manifolds
// of boxes, spheres and walls.
#include "geometry/pairs.h"
#include "geometry/polyhedron.h"
#include "geometry/wall_pieces.h"

static const double margin = 0.2;

static int pair_contacts(const PairBody *a, const PairBody *b, ShapeContact *contacts) {
    return shape_pair_contacts(&a->shape, &a->pose, &b->shape, &b->pose, margin, contacts);
}

// ---- random pairs --------------------------------------------------------------------------------
static void check_pairs(uint64_t seed, int points, int rounds) {
    PairsStock stock;
    pairs_stock(&stock, seed, points);
    int near = 0;
    for (int round = 0; round < rounds; round++) {
        PairBody a, b;
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        pairs_draw(&stock, &a, &b);
        double expected = pairs_distance(&a, &b);
        int count = pair_contacts(&a, &b, contacts);
        assert_true(count <= 4);
        if (expected >= margin + 1e-9) assert_int_equal(count, 0);
        if (expected >= margin - 1e-9) continue;
        near++;
        check_near(pairs_least_gap(contacts, count), expected, 1e-9);
        for (int c = 0; c < count; c++) {
            check_near(vec3_norm(contacts[c].normal), 1, 1e-12);
            for (int d = 0; d < c; d++) assert_true(contacts[c].feature != contacts[d].feature);
        }
    }
    assert_true(near > rounds / 3);
    pairs_free(&stock);
}

static void test_distances_of_small_bodies(void **state) {
    (void)state;
    check_pairs(1, 9, 20000);
}
static void test_distances_of_stones(void **state) {
    (void)state;
    check_pairs(2, 30, 1500);
}

// The other way round, points are the same, normals opposite, names exchanged.
static void test_symmetry(void **state) {
    (void)state;
    PairsStock stock;
    pairs_stock(&stock, 3, 25);
    int same = 0, rounds = 5000, compared = 0;
    for (int round = 0; round < rounds; round++) {
        PairBody a, b;
        ShapeContact first[SHAPE_CONTACT_MAX], second[SHAPE_CONTACT_MAX];
        pairs_draw(&stock, &a, &b);
        int count = pair_contacts(&a, &b, first), other = pair_contacts(&b, &a, second);
        check_near(pairs_least_gap(first, count), pairs_least_gap(second, other), 1e-9);
        if (count == 0) continue;
        compared++;
        check_vec3_near(vec3_cross(first[0].normal, second[0].normal), vec3_zero(), 2);
        bool all = count == other;
        for (int c = 0; c < count; c++) {
            bool found = false;
            for (int d = 0; d < other; d++)
                found |= shape_feature_exchanged(second[d].feature) == first[c].feature &&
                         vec3_norm(vec3_sub(first[c].point, second[d].point)) < 1e-6 &&
                         vec3_norm(vec3_add(first[c].normal, second[d].normal)) < 1e-6;
            all &= found;
        }
        same += all;
    }
    // Not where two axes are equally good, as in boxes side by side that overlap, nor where four of more points are
    // chosen by the axes of one of the bodies.
    assert_true(same > 0.85 * compared);
    pairs_free(&stock);
}

static void test_rigid_motion(void **state) {
    (void)state;
    PairsStock stock;
    pairs_stock(&stock, 4, 25);
    for (int round = 0; round < 3000; round++) {
        PairBody a, b;
        ShapeContact first[SHAPE_CONTACT_MAX], second[SHAPE_CONTACT_MAX];
        pairs_draw(&stock, &a, &b);
        int count = pair_contacts(&a, &b, first);
        Quaternion turn = quaternion_from_rotation_vector(check_random_vec3(&stock.random));
        Vec3 shift = check_random_vec3(&stock.random);
        PairBody *bodies[2] = {&a, &b};
        for (int k = 0; k < 2; k++) {
            Pose *pose = &bodies[k]->pose;
            pose->position = vec3_add(shift, quaternion_rotate(turn, pose->position));
            pose->orientation = quaternion_mul(turn, pose->orientation);
        }
        int moved = pair_contacts(&a, &b, second);
        check_near(pairs_least_gap(first, count), pairs_least_gap(second, moved), 1e-9);
    }
    pairs_free(&stock);
}

// Moved a little, points keep their names: all but the few that are just beginning or ending.
static void test_names_are_stable(void **state) {
    (void)state;
    PairsStock stock;
    pairs_stock(&stock, 5, 25);
    int lost = 0, all = 0;
    for (int round = 0; round < 5000; round++) {
        PairBody a, b;
        ShapeContact first[SHAPE_CONTACT_MAX], second[SHAPE_CONTACT_MAX];
        pairs_draw(&stock, &a, &b);
        int count = pair_contacts(&a, &b, first);
        b.pose.position = vec3_madd(b.pose.position, 1e-7, check_random_direction(&stock.random));
        b.pose.orientation = quaternion_mul(
            quaternion_from_rotation_vector(vec3_scale(1e-7, check_random_direction(&stock.random))),
            b.pose.orientation);
        int moved = pair_contacts(&a, &b, second);
        for (int c = 0; c < count; c++) {
            bool found = false;
            for (int d = 0; d < moved; d++) found |= first[c].feature == second[d].feature;
            lost += !found;
            all++;
        }
    }
    assert_true(lost < 0.02 * all);
    pairs_free(&stock);
}

// ---- boxes ---------------------------------------------------------------------------------------
static PairBody body_at(const Hull *hull, Vec3 position, Vec3 turn) {
    return (PairBody){{.kind = SHAPE_POLYHEDRON, .radius = hull->radius, .form = hull},
                      {position, quaternion_from_rotation_vector(turn)}};
}

static void test_volume_and_inertia_of_a_box(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.1, 0.2, 0.3);
    Shape shape = {.kind = SHAPE_POLYHEDRON, .radius = 2 * hull->radius, .form = hull};
    check_near(shape_volume(&shape), 0.4 * 0.8 * 1.2 * 1.0, 1e-14);
    check_mat3_near(shape_inertia(&shape, 3),
                    mat3_diagonal(3 * (0.16 + 0.36) / 3, 3 * (0.04 + 0.36) / 3, 3 * (0.04 + 0.16) / 3),
                    1e-13);
    assert_false(shape_is_round(&shape));
    hull_destroy(hull);
}

// Face on face, shifted: the corners of the rectangle that both cover, above and below zero gap.
static void test_face_on_face(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    const double gaps[] = {-1e-3, -1e-9, 0, 1e-9, 1e-3};
    for (int g = 0; g < 5; g++) {
        PairBody low = body_at(hull, vec3_zero(), vec3_zero()),
                 high = body_at(hull, vec3(0.3, -0.2, 1 + gaps[g]), vec3_zero());
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        assert_int_equal(shape_pair_contacts(&high.shape, &high.pose, &low.shape, &low.pose, 0.01, contacts),
                         4);
        int corners = 0;
        for (int c = 0; c < 4; c++) {
            check_near(contacts[c].gap, gaps[g], 1e-15);
            check_vec3_near(contacts[c].normal, vec3(0, 0, 1), 1e-15);
            check_near(contacts[c].point.z, 0.5 + 0.5 * gaps[g], 1e-15);
            bool x = fabs(contacts[c].point.x - 0.5) < 1e-12, x2 = fabs(contacts[c].point.x + 0.2) < 1e-12;
            bool y = fabs(contacts[c].point.y + 0.5) < 1e-12, y2 = fabs(contacts[c].point.y - 0.3) < 1e-12;
            assert_true((x || x2) && (y || y2));
            corners += (x ? 1 : 2) * (y ? 1 : 10);
        }
        assert_int_equal(corners, 1 + 2 + 10 + 20);
    }
    hull_destroy(hull);
}

// An edge that lies on a face has two points; one that crosses an edge, or a corner on a face, one.
static void test_edges_and_corners(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    PairBody low = body_at(hull, vec3_zero(), vec3_zero());
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    PairBody edge = body_at(hull, vec3(0, 0, 0.5 + sqrt(0.5) + 1e-4), vec3(M_PI / 4, 0, 0));
    assert_int_equal(shape_pair_contacts(&edge.shape, &edge.pose, &low.shape, &low.pose, 0.01, contacts), 2);
    for (int c = 0; c < 2; c++) {
        check_near(contacts[c].gap, 1e-4, 1e-14);
        check_near(fabs(contacts[c].point.x), 0.5, 1e-14);
        check_near(contacts[c].point.y, 0, 1e-14);
    }
    PairBody across = body_at(hull, vec3(0, 0, 2 * sqrt(0.5) - 1e-4), vec3(M_PI / 4, 0, 0));
    PairBody ridge = body_at(hull, vec3_zero(), vec3(0, M_PI / 4, 0));
    assert_int_equal(
        shape_pair_contacts(&across.shape, &across.pose, &ridge.shape, &ridge.pose, 0.01, contacts), 1);
    check_near(contacts[0].gap, -1e-4, 1e-14);
    check_vec3_near(contacts[0].normal, vec3(0, 0, 1), 1e-14);
    check_vec3_near(contacts[0].point, vec3(0, 0, sqrt(0.5) - 5e-5), 1e-14);
    // Two corners face each other along a diagonal: the direction between them.
    Vec3 way = vec3_scale(1e-3, vec3(2.0 / 3, 2.0 / 3, 1.0 / 3));
    PairBody corner = body_at(hull, vec3_add(vec3(1, 1, 1), way), vec3_zero());
    assert_int_equal(shape_pair_contacts(&corner.shape, &corner.pose, &low.shape, &low.pose, 0.01, contacts),
                     1);
    check_near(contacts[0].gap, 1e-3, 1e-14);
    check_vec3_near(contacts[0].normal, vec3(2.0 / 3, 2.0 / 3, 1.0 / 3), 1e-12);
    hull_destroy(hull);
}

// Two ridges along x, 1 mm into each other and 0.3 mm beside each other, parallel or nearly so. Their edges have no common
// perpendicular to speak of; the way out is across the faces beside them, and the points go all along the ridges.
static void test_parallel_edges(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    const double depth = 1e-3, beside = 3e-4, expected = (beside - depth) / sqrt(2);
    for (int k = -17; k < 17; k++) {
        double angle = k < -16 ? 0 : (k % 2 ? -1 : 1) * pow(10, -17 + 0.75 * (k < 0 ? -k : k));
        PairBody low = body_at(hull, vec3_zero(), vec3(M_PI / 4, 0, 0)),
                 high = body_at(hull, vec3(0, beside, 2 * sqrt(0.5) - depth), vec3_zero());
        high.pose.orientation = quaternion_mul(quaternion_from_rotation_vector(vec3(0, 0, angle)),
                                               quaternion_from_rotation_vector(vec3(M_PI / 4, 0, 0)));
        for (int all = 0; all < 2; all++) {
            ShapeContact contacts[SHAPE_CONTACT_MAX];
            Vec3 axis = vec3_zero();
            int count =
                all ? shape_pair_points(&high.shape, &high.pose, &low.shape, &low.pose, 0, &axis, contacts)
                    : shape_pair_contacts(&high.shape, &high.pose, &low.shape, &low.pose, 0, contacts);
            double first = INFINITY, last = -INFINITY;
            assert_true(count >= 2);
            check_near(pairs_least_gap(contacts, count), expected, fabs(angle) + 1e-12);
            for (int c = 0; c < count; c++) {
                check_vec3_near(contacts[c].normal, vec3(0, sqrt(0.5), sqrt(0.5)), 2 * fabs(angle) + 1e-12);
                check_vec3_near(vec3(0, contacts[c].point.y, contacts[c].point.z), vec3(0, 0, sqrt(0.5)),
                                3e-3 + fabs(angle));
                first = fmin(first, contacts[c].point.x), last = fmax(last, contacts[c].point.x);
            }
            assert_true(first >= -0.5 - 1e-4 && last <= 0.5 + 1e-4 && last - first > 0.99);
        }
    }
    hull_destroy(hull);
}

// ---- spheres -------------------------------------------------------------------------------------
static void test_spheres(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    PairBody box = body_at(hull, vec3(1, 2, 3), vec3(0.4, -0.3, 0.9));
    const Shape ball = {.kind = SHAPE_SPHERE, .radius = 0.1};
    const struct {
        Vec3 place; // of the ball, from the box
        double gap;
        Vec3 normal; // out of the box
    } cases[] = {
        {{0.2, 0.1, 0.62}, 0.02, {0, 0, 1}},
        {{0.2, 0.1, 0.45}, -0.15, {0, 0, 1}},
        {{0.53, 0.1, 0.54}, -0.05, {0.6, 0, 0.8}},
        {{0.52, -0.54, 0.54}, 0.06 - 0.1, {1.0 / 3, -2.0 / 3, 2.0 / 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ShapeContact contact, other;
        Pose pose = {vec3_add(box.pose.position, quaternion_rotate(box.pose.orientation, cases[i].place)),
                     quaternion_identity()};
        assert_int_equal(shape_pair_contacts(&box.shape, &box.pose, &ball, &pose, 0.05, &contact), 1);
        assert_int_equal(shape_pair_contacts(&ball, &pose, &box.shape, &box.pose, 0.05, &other), 1);
        Vec3 out = quaternion_rotate(box.pose.orientation, cases[i].normal);
        check_near(contact.gap, cases[i].gap, 1e-14);
        check_vec3_near(contact.normal, vec3_neg(out), 1e-13);
        check_vec3_near(other.normal, out, 1e-13);
        check_vec3_near(contact.point, vec3_madd(pose.position, -(0.1 + 0.5 * cases[i].gap), out), 1e-13);
    }
    hull_destroy(hull);
}

// ---- walls ---------------------------------------------------------------------------------------
static int count_wall_contacts(const PairBody *body, const Wall *wall, double *least) {
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    int count = shape_wall_contacts(&body->shape, &body->pose, wall, 0.01, contacts);
    *least = pairs_least_gap(contacts, count);
    for (int c = 0; c < count; c++)
        for (int d = 0; d < c; d++) assert_true(contacts[c].feature != contacts[d].feature);
    return count;
}

static void test_rooms(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    double least;
    Wall plane = wall_of_kind("plane");
    wall_set_vector(&plane, "normal", vec3(0, 0, 1));
    PairBody flat = body_at(hull, vec3(3, 2, 0.4999), vec3(0, 0, 0.3));
    assert_int_equal(count_wall_contacts(&flat, &plane, &least), 4);
    check_near(least, -1e-4, 1e-14);
    PairBody tip = body_at(hull, vec3(3, 2, sqrt(0.75) + 1e-3), vec3_zero());
    tip.pose.orientation = quaternion_mul(
        quaternion_from_rotation_vector(vec3_scale(atan(sqrt(2)), vec3(-sqrt(0.5), sqrt(0.5), 0))),
        quaternion_identity());
    assert_int_equal(count_wall_contacts(&tip, &plane, &least), 1);
    check_near(least, 1e-3, 1e-13);
    // In the corner of a box, and wedged between two of its faces.
    Wall box = wall_of_kind("box");
    wall_set_vector(&box, "size", vec3(4, 4, 4));
    PairBody corner = body_at(hull, vec3(1.5, 1.5, -1.5), vec3_zero());
    assert_int_equal(count_wall_contacts(&corner, &box, &least), 12);
    wall_set_vector(&box, "size", vec3(1, 4, 4));
    PairBody wedged = body_at(hull, vec3_zero(), vec3_zero());
    assert_int_equal(count_wall_contacts(&wedged, &box, &least), 8);
    check_near(least, 0, 1e-14);
    // On the inside of a tube and of a ball: the corners of a face; in a tight tube on all sides.
    Wall tube = wall_of_kind("cylinder");
    wall_set_number(&tube, "radius", 2);
    wall_set_number(&tube, "height", 10);
    PairBody lying = body_at(hull, vec3(0, -(sqrt(4 - 0.25) - 0.5), 0), vec3_zero());
    assert_int_equal(count_wall_contacts(&lying, &tube, &least), 4);
    check_near(least, 0, 1e-14);
    wall_set_number(&tube, "radius", sqrt(0.5));
    assert_int_equal(count_wall_contacts(&wedged, &tube, &least), 8);
    check_near(least, 0, 1e-14);
    Wall ball = wall_of_kind("sphere");
    wall_set_number(&ball, "radius", 2);
    PairBody resting = body_at(hull, vec3(0, 0, -(sqrt(4 - 0.5) - 0.5)), vec3_zero());
    assert_int_equal(count_wall_contacts(&resting, &ball, &least), 4);
    check_near(least, 0, 1e-14);
    hull_destroy(hull);
}

// A floor of triangles, cut in many ways: the same contacts as on a plane, also across its edges.
static void test_floor_of_triangles(void **state) {
    (void)state;
    enum { cells = 8 };
    static Vec3 corners[6 * cells * cells];
    Random random = {9};
    int count = 0;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) {
            Vec3 a = vec3(0.37 * i, 0.41 * j, 0), b = vec3(0.37 * (i + 1), 0.41 * j, 0),
                 c = vec3(0.37 * (i + 1), 0.41 * (j + 1), 0), d = vec3(0.37 * i, 0.41 * (j + 1), 0);
            const Vec3 two[6] = {a, b, c, a, c, d};
            for (int k = 0; k < 6; k++) corners[count++] = two[k];
        }
    MrcError error;
    Mesh *mesh;
    assert_int_equal(mesh_create(&mesh, corners, (size_t)count / 3, "floor", &error), MRC_OK);
    Wall floor_wall = wall_from_mesh(mesh), plane = wall_of_kind("plane");
    wall_set_vector(&plane, "normal", vec3(0, 0, 1));
    Hull *hull = pairs_box(0.5, 0.4, 0.3);
    for (int round = 0; round < 300; round++) {
        Vec3 place = vec3(1 + random_uniform(&random), 1 + random_uniform(&random), 0);
        place.z = 0.3 + 2e-3 * (random_uniform(&random) - 0.5);
        Vec3 turn = vec3_scale(round % 3 == 0 ? 0 : 1e-3, check_random_direction(&random));
        turn.z = 3 * random_uniform(&random);
        PairBody body = body_at(hull, place, turn);
        ShapeContact found[SHAPE_CONTACT_MAX], expected[SHAPE_CONTACT_MAX];
        int n = shape_wall_contacts(&body.shape, &body.pose, &floor_wall, 0.01, found);
        int m = shape_wall_contacts(&body.shape, &body.pose, &plane, 0.01, expected);
        check_near(pairs_least_gap(found, n), pairs_least_gap(expected, m), 1e-12);
        assert_int_equal(n, 4);
        for (int c = 0; c < n; c++) check_vec3_near(found[c].normal, vec3(0, 0, 1), 2e-6);
    }
    hull_destroy(hull);
    wall_release(&floor_wall);
}

// A flat floor cut finely, and poses of all kinds that reach through it: each is held, and by as much as it reaches through.
static void test_floor_of_small_triangles(void **state) {
    (void)state;
    enum { cells = 24 };
    static Vec3 corners[6 * cells * cells];
    Random random = {5};
    double cell = 4.0 / cells;
    int count = 0;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) {
            Vec3 a = vec3(cell * i, cell * j, 0), b = vec3(cell * (i + 1), cell * j, 0),
                 c = vec3(cell * (i + 1), cell * (j + 1), 0), d = vec3(cell * i, cell * (j + 1), 0);
            const Vec3 two[6] = {a, b, c, a, c, d};
            for (int k = 0; k < 6; k++) corners[count++] = two[k];
        }
    MrcError error;
    Mesh *mesh;
    assert_int_equal(mesh_create(&mesh, corners, (size_t)count / 3, "floor", &error), MRC_OK);
    Wall floor_wall = wall_from_mesh(mesh);
    const Vec3 points[4] = {vec3(0, 0, 0), vec3(45, 0, 0), vec3(10, 45, 0), vec3(10, 10, 35)};
    Hull *hulls[2] = {pairs_hull(points, 4), pairs_stone(&random, 16)};
    for (int round = 0; round < 4000; round++) {
        PairBody body = {.shape = {SHAPE_POLYHEDRON, 1.0, hulls[round % 2]}};
        Vec3 vertices[HULL_POINTS_MAX];
        double lowest = INFINITY, depth = 0.03 * random_uniform(&random);
        body.pose.orientation = pairs_turn(&random);
        body.pose.position =
            vec3(1.2 + 1.6 * random_uniform(&random), 1.2 + 1.6 * random_uniform(&random), 0);
        pairs_vertices(&body, vertices);
        for (int v = 0; v < hulls[round % 2]->vertex_count; v++) lowest = fmin(lowest, vertices[v].z);
        body.pose.position.z = -lowest - depth;
        ShapeContact found[SHAPE_CONTACT_MAX];
        int n = shape_wall_contacts(&body.shape, &body.pose, &floor_wall, 0.01, found);
        check_near(pairs_least_gap(found, n), -depth, 0.1 * depth + 1e-9);
        for (int c = 0; c < n; c++) assert_true(found[c].normal.z > 0.9);
    }
    for (int k = 0; k < 2; k++) hull_destroy(hulls[k]);
    wall_release(&floor_wall);
}

// Over the edge of a box of triangles: no point is deeper than the bodies overlap, or pushes into the box.
static void test_edge_of_a_box_of_triangles(void **state) {
    (void)state;
    const Vec3 half = {4, 4.4, 2};
    Vec3 corners[36];
    int count = 0;
    for (int f = 0; f < 6; f++) {
        static const int order[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; k++) corners[count++] = wall_box_corner(half, wall_box_faces[f][order[k]]);
    }
    MrcError error;
    Mesh *mesh;
    assert_int_equal(mesh_create(&mesh, corners, 12, "slab", &error), MRC_OK);
    Wall skin = wall_from_mesh(mesh), block = wall_of_kind("block");
    wall_set_vector(&block, "size", vec3_scale(2, half));
    Hull *hull = pairs_box(0.8, 0.5, 0.3);
    Random random = {7};
    for (int round = 0; round < 2000; round++) {
        Vec3 turn = vec3_scale(0.1 * random_uniform(&random), check_random_direction(&random));
        turn.z = 3 * random_uniform(&random);
        PairBody body =
            body_at(hull, vec3(3.6 + 0.7 * random_uniform(&random), random_uniform(&random), 0), turn);
        double low = 2, high = 4, expected, least;
        for (int k = 0; k < 40; k++) { // to where it touches the block
            body.pose.position.z = 0.5 * (low + high);
            count_wall_contacts(&body, &block, &expected);
            if (expected > 0) high = body.pose.position.z;
            else low = body.pose.position.z;
        }
        body.pose.position.z = high - 0.01 * random_uniform(&random);
        assert_true(count_wall_contacts(&body, &block, &expected) > 0);
        assert_true(count_wall_contacts(&body, &skin, &least) > 0);
        check_near(least, expected, 0.5 * fabs(expected) + 1e-4);
    }
    hull_destroy(hull);
    wall_release(&skin);
}

// On a disc, over its rim, over its hole, and beside it; from both sides.
static void test_disc(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.1, 0.1, 0.1);
    double least;
    Wall disc = wall_of_kind("disc");
    wall_set_number(&disc, "radius", 1);
    for (int side = -1; side <= 1; side += 2) {
        PairBody on = body_at(hull, vec3(0.3, 0.1, side * 0.0999), vec3(0, 0, 0.4));
        assert_int_equal(count_wall_contacts(&on, &disc, &least), 4);
        check_near(least, -1e-4, 1e-14);
    }
    PairBody beside = body_at(hull, vec3(1.105, 0, 0.02), vec3_zero());
    assert_true(count_wall_contacts(&beside, &disc, &least) >= 1);
    check_near(least, 0.005, 1e-4);
    wall_set_number(&disc, "hole", 0.5);
    PairBody in_hole = body_at(hull, vec3_zero(), vec3_zero());
    assert_int_equal(count_wall_contacts(&in_hole, &disc, &least), 0);
    PairBody over = body_at(hull, vec3(0.5, 0, 0.101), vec3_zero());
    assert_true(count_wall_contacts(&over, &disc, &least) >= 3);
    check_near(least, 1e-3, 1e-12);
    hull_destroy(hull);
}

// Bodies that move within the step: one that passes over the other has the axis of the faces that slide on each other, one that
// runs into it, or into a step higher than what bodies at rest overlap, that of its side.
static void test_passing(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.5, 0.5, 0.5);
    PairBody low = body_at(hull, vec3_zero(), vec3_zero());
    const struct {
        double height, along; // of the upper body; component of the normal along z
    } cases[] = {{1e-2, 1}, {1e-5, 1}, {0, 1}, {-1e-6, 1}, {-0.01, 0}, {-0.4, 0}};
    for (int c = 0; c < 6; c++) {
        PairBody high = body_at(hull, vec3(-1.003, 0.1, 1 + cases[c].height), vec3_zero());
        ShapeContact contacts[SHAPE_CONTACT_MAX];
        Vec3 axis = vec3_zero(), way = vec3(0.05, 0, 0);
        int count = shape_pair_contacts_again(&high.shape, &high.pose, &low.shape, &low.pose, 0.06, way,
                                              &axis, contacts);
        assert_true(count > 0);
        for (int k = 0; k < count; k++) check_near(contacts[k].normal.z, cases[c].along, 1e-9);
        if (cases[c].along > 0) check_near(contacts[0].gap, cases[c].height, 1e-12);
        else check_near(contacts[0].gap, 0.003, 1e-12);
        axis = vec3_zero(); // the other way round
        count = shape_pair_contacts_again(&low.shape, &low.pose, &high.shape, &high.pose, 0.06, vec3_neg(way),
                                          &axis, contacts);
        assert_true(count > 0);
        check_near(contacts[0].normal.z, -cases[c].along, 1e-9);
    }
    hull_destroy(hull);
}

// Points that carry are kept, whatever is a little further out and a little apart.
static void test_reduction_keeps_what_carries(void **state) {
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        ShapeContact contacts[12];
        int count = 0, carrying = 0;
        for (int k = 0; k < 3; k++) {
            double angle = 0.1 * turn + 2 * M_PI / 3 * k;
            contacts[count++] = (ShapeContact){.gap = 1e-9 * k,
                                               .normal = {0, 0, 1},
                                               .point = {cos(angle), sin(angle), 0},
                                               .feature = 100 + k};
        }
        for (int k = 0; k < 8; k++) {
            double angle = 0.3 + 2 * M_PI / 8 * k;
            contacts[count++] = (ShapeContact){.gap = 1e-3,
                                               .normal = {0, 0, 1},
                                               .point = {1.1 * cos(angle), 1.1 * sin(angle), 0},
                                               .feature = k};
        }
        count = polyhedron_reduce(contacts, count, vec3(1, 0, 0));
        assert_true(count <= POLYHEDRON_CONTACTS);
        for (int k = 0; k < count; k++) carrying += contacts[k].feature >= 100;
        assert_int_equal(carrying, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_of_small_bodies),
        cmocka_unit_test(test_distances_of_stones),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_names_are_stable),
        cmocka_unit_test(test_volume_and_inertia_of_a_box),
        cmocka_unit_test(test_face_on_face),
        cmocka_unit_test(test_edges_and_corners),
        cmocka_unit_test(test_parallel_edges),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_floor_of_triangles),
        cmocka_unit_test(test_floor_of_small_triangles),
        cmocka_unit_test(test_edge_of_a_box_of_triangles),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_passing),
        cmocka_unit_test(test_reduction_keeps_what_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
