// Convex hulls: tables, merged faces, mass properties in closed form, messages.
#include "check.h"

#include <string.h>

#include "check_math.h"
#include "geometry/hull.h"
#include "math/quaternion.h"

static Hull *hull_of(const Vec3 *points, size_t count) {
    Hull *hull = NULL;
    MrcError error = {0};
    if (hull_create(&hull, points, count, "the test's body", &error) != MRC_OK) fail_msg("%s", error.text);
    return hull;
}

static void list_box(Vec3 half, Vec3 middle, Vec3 points[8]) {
    for (int i = 0; i < 8; i++)
        points[i] = vec3_add(
            middle, vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
}

// Every face plane, edge and corner fits the others, and all vertices are behind all faces.
static void check_tables(const Hull *hull) {
    assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2);
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        check_near(vec3_norm(face->normal), 1, 1e-14);
        for (int k = 0; k < face->count; k++) {
            int from = hull->corners[face->first + k],
                to = hull->corners[face->first + (k + 1) % face->count];
            const HullEdge *edge = &hull->edges[hull->corner_edges[face->first + k]];
            bool forward = edge->vertex[0] == from && edge->vertex[1] == to && edge->face[0] == f;
            bool back = edge->vertex[1] == from && edge->vertex[0] == to && edge->face[1] == f;
            assert_true(forward || back);
            check_near(vec3_dot(face->normal, hull->vertices[from]), face->offset, 2e-6);
        }
        for (int v = 0; v < hull->vertex_count; v++)
            assert_true(vec3_dot(face->normal, hull->vertices[v]) <= face->offset);
    }
    double largest = 0;
    for (int v = 0; v < hull->vertex_count; v++) {
        largest = fmax(largest, vec3_norm(hull->vertices[v]));
        int around = hull->vertex_start[v + 1] - hull->vertex_start[v];
        assert_true(around >= 3);
        for (int k = hull->vertex_start[v]; k < hull->vertex_start[v + 1]; k++) {
            const HullFace *face = &hull->faces[hull->vertex_faces[k]];
            bool has = false;
            for (int c = 0; c < face->count; c++) has |= hull->corners[face->first + c] == v;
            assert_true(has);
        }
    }
    check_near(largest, 1, 1e-14);
}

// Volume and inertia of a box far from the origin, with extra points in faces and edges, which are no corners.
static void test_a_box(void **state) {
    (void)state;
    Vec3 points[12], half = {0.1, 0.2, 0.3}, middle = {5, -7, 11};
    list_box(half, middle, points);
    points[8] = vec3_add(middle, vec3(0.1, 0.05, 0.02));
    points[9] = vec3_add(middle, vec3(0.1, 0.2, 0.1));
    points[10] = points[3];
    points[11] = vec3_add(middle, vec3(-0.03, 0.01, 0.3));
    Hull *hull = hull_of(points, 12);
    check_tables(hull);
    assert_int_equal(hull->vertex_count, 8);
    assert_int_equal(hull->edge_count, 12);
    assert_int_equal(hull->face_count, 6);
    double r = vec3_norm(half), volume = 8 * 0.1 * 0.2 * 0.3;
    check_near(hull->radius, r, 1e-14);
    check_near(hull->volume * r * r * r, volume, 1e-14);
    check_near(vec3_norm(vec3_sub(hull->center, middle)), 0, 1e-14);
    check_near(hull->inner_radius * r, 0.1, 1e-14);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double expected = i == j ? pow(vec3_component(half, i), 2) / 3 : 0;
            check_near(hull->second_moment.m[i][j] * r * r, expected, 1e-14);
        }
    hull_destroy(hull);
}

// A tetrahedron with a right angle: closed forms about its centre of mass (a/4, b/4, c/4).
static void test_a_tetrahedron(void **state) {
    (void)state;
    const double a = 2, b = 3, c = 5;
    const Vec3 points[4] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
    Hull *hull = hull_of(points, 4);
    check_tables(hull);
    double r = hull->radius;
    check_near(hull->volume * r * r * r, a * b * c / 6, 1e-13);
    check_near(vec3_norm(vec3_sub(hull->center, vec3(a / 4, b / 4, c / 4))), 0, 1e-14);
    check_near(hull->second_moment.m[0][0] * r * r, 3 * a * a / 80, 1e-13);
    check_near(hull->second_moment.m[1][2] * r * r, -b * c / 80, 1e-13);
    hull_destroy(hull);
}

// A hull cut out of a sphere by many points: all of them are corners, and its volume nears that of the sphere.
static void test_random_stones(void **state) {
    (void)state;
    Random random = {7};
    for (int round = 0; round < 50; round++) {
        Vec3 points[200];
        int count = 4 + 4 * round;
        for (int i = 0; i < count; i++) points[i] = check_random_direction(&random);
        Hull *hull = hull_of(points, (size_t)count);
        check_tables(hull);
        assert_int_equal(hull->vertex_count, count);
        hull_destroy(hull);
    }
}

// Coordinates of a cube turned and rounded to single precision, as in STL files: still six faces.
static void test_rounded_faces_are_merged(void **state) {
    (void)state;
    Vec3 points[8];
    list_box(vec3(1, 1, 1), vec3_zero(), points);
    Mat3 turn = quaternion_to_matrix(quaternion_from_rotation_vector(vec3(0.3, 0.5, -0.7)));
    for (int i = 0; i < 8; i++) {
        Vec3 p = mat3_apply(turn, points[i]);
        points[i] = vec3((float)p.x, (float)p.y, (float)p.z);
    }
    Hull *hull = hull_of(points, 8);
    check_tables(hull);
    assert_int_equal(hull->face_count, 6);
    hull_destroy(hull);
}

static void check_refused(const Vec3 *points, size_t count, const char *words) {
    Hull *hull = NULL;
    MrcError error = {0};
    assert_int_equal(hull_create(&hull, points, count, "'stone'", &error), MRC_MODEL);
    assert_null(hull);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void test_messages(void **state) {
    (void)state;
    static Vec3 many[10000];
    Vec3 points[9];
    list_box(vec3(1, 2, 3), vec3_zero(), points);
    check_refused(points, 3, "needs four or more");
    check_refused(points, 4, "is flat");
    points[8] = vec3(0.2, 0.1, 0.3);
    check_refused(points, 9, "is not convex: point 9");
    points[8].x = NAN;
    check_refused(points, 9, "point 9 is not finite");
    check_refused(many, 10000, "has more than 1000 points: each of them costs time");
    check_refused(many, 900, "1 different points");
}

// The faces of a box as triangles that face outward.
static void list_triangles(const Vec3 box[8], Vec3 corners[36]) {
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++) {
            static const int order[6] = {0, 1, 2, 0, 2, 3};
            corners[6 * f + k] = box[quads[f][order[k]]];
        }
}

static void test_triangles(void **state) {
    (void)state;
    Vec3 box[8], corners[36];
    MrcError error = {0};
    Hull *hull;
    list_box(vec3(1, 2, 3), vec3(10, 0, 0), box);
    list_triangles(box, corners);
    assert_int_equal(hull_from_triangles(&hull, corners, 12, "stone.stl", &error), MRC_OK);
    check_tables(hull);
    assert_int_equal(hull->face_count, 6);
    hull_destroy(hull);
    for (int t = 0; t < 12; t++) {
        Vec3 swap = corners[3 * t];
        corners[3 * t] = corners[3 * t + 1], corners[3 * t + 1] = swap;
    }
    assert_int_equal(hull_from_triangles(&hull, corners, 12, "stone.stl", &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "inside out"));
    list_triangles(box, corners);
    assert_int_equal(hull_from_triangles(&hull, corners, 10, "stone.stl", &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "has holes"));
    for (int t = 0; t < 12; t++) { // each of them turned round, or missing
        list_triangles(box, corners);
        Vec3 swap = corners[3 * t];
        corners[3 * t] = corners[3 * t + 1], corners[3 * t + 1] = swap;
        assert_int_equal(hull_from_triangles(&hull, corners, 12, "stone.stl", &error), MRC_MODEL);
        assert_non_null(strstr(error.text, "face inward"));
        for (int k = 0; k < 3; k++) corners[3 * t + k] = corners[33 + k];
        if (t == 11) list_triangles(box, corners);
        assert_int_equal(hull_from_triangles(&hull, corners, 11, "stone.stl", &error), MRC_MODEL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_box),         cmocka_unit_test(test_a_tetrahedron),
        cmocka_unit_test(test_random_stones), cmocka_unit_test(test_rounded_faces_are_merged),
        cmocka_unit_test(test_messages),      cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
