// Reading STL files: both kinds, and everything that can be wrong with them.
#include <unistd.h>

#include "geometry/stl.h"
#include "geometry/wall.h"
#include "shapes.h"

static Soup cube(void) {
    Soup soup = {0};
    soup_box(&soup, vec3(1, 2, 3), vec3(2, 4, 6), 2);
    soup_to_floats(&soup);
    return soup;
}

static MrcStatus parse(const Bytes *bytes, StlTriangles *triangles, MrcError *error) {
    return stl_parse(triangles, bytes->data.data, bytes->data.count, "it.stl", error);
}

static void check_equal(const Soup *soup, const StlTriangles *triangles) {
    assert_int_equal(triangles->corners.count, soup->corners.count);
    for (size_t i = 0; i < soup->corners.count; i++)
        check_near(vec3_norm(vec3_sub(soup->corners.data[i], triangles->corners.data[i])), 0,
                   2e-7); // of floats
}

static void check_reads(Bytes *bytes, const Soup *soup) {
    StlTriangles triangles = {0};
    MrcError error = {0};
    MrcStatus status = parse(bytes, &triangles, &error);
    if (status != MRC_OK) print_error("%s\n", error.text);
    assert_int_equal(status, MRC_OK);
    check_equal(soup, &triangles);
    stl_free(&triangles);
    array_free(&bytes->data);
}

static void check_fails(Bytes *bytes, const char *reason) {
    StlTriangles triangles = {0};
    MrcError error = {0};
    assert_int_equal(parse(bytes, &triangles, &error), MRC_READ_FAILED);
    if (!strstr(error.text, reason) || !strstr(error.text, "it.stl"))
        print_error("'%s' should say '%s'\n", error.text, reason);
    assert_non_null(strstr(error.text, reason));
    assert_non_null(strstr(error.text, "it.stl"));
    stl_free(&triangles);
    array_free(&bytes->data);
}

static Bytes text(const char *words) {
    Bytes bytes = {0};
    bytes_add(&bytes, words, strlen(words));
    bytes_end(&bytes);
    return bytes;
}

static void both_kinds_round_trip(void **state) {
    (void)state;
    Soup soup = cube();
    Bytes binary = soup_binary(&soup, "made by a test"), ascii = soup_ascii(&soup);
    Bytes pretender = soup_binary(&soup, "solid made by a test");
    check_reads(&binary, &soup);
    check_reads(&ascii, &soup);
    check_reads(&pretender, &soup);
    array_free(&soup.corners);
}

static void text_may_vary(void **state) {
    (void)state;
    Soup soup = {0};
    soup_triangle(&soup, vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 1.5, 0));
    soup_triangle(&soup, vec3(0, 0, 1), vec3(1, 0, 1), vec3(0, 1, 1));
    Bytes bytes = text(
        "SOLID\r\n FACET NORMAL nan nan nan OUTER LOOP VERTEX 0 0 0\r\n\tvertex 1.0e0 0 0 vertex 0 +1.5 0 "
        "endloop endfacet endsolid\r\n\nsolid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\n"
        "vertex 1 0 1\nvertex 0 1 1\nendloop\nendfacet\nendsolid two");
    check_reads(&bytes, &soup);
    array_free(&soup.corners);
}

static void wrong_files_say_why(void **state) {
    (void)state;
    Soup soup = cube(), none = {0};
    Bytes bytes = soup_binary(&soup, "x");
    bytes.data.count -= 7; // cut off
    bytes.data.data[bytes.data.count] = '\0';
    check_fails(&bytes, "cut off");
    bytes = soup_binary(&soup, "solid x");
    bytes.data.data[--bytes.data.count] = '\0';
    check_fails(&bytes, "cut off");
    bytes = soup_ascii(&soup);
    bytes.data.count = bytes.data.count / 2;
    bytes.data.data[bytes.data.count] = '\0';
    check_fails(&bytes, "line ");
    bytes = soup_binary(&soup, "x");
    float nan = NAN;
    memcpy(bytes.data.data + 84 + 50 * 3 + 12, &nan, 4);
    check_fails(&bytes, "corner of triangle 4 is not a finite number");
    bytes = soup_binary(&none, "x");
    check_fails(&bytes, "no triangles");
    array_free(&soup.corners);
    bytes = text("");
    check_fails(&bytes, "neither");
    bytes = text("solid x\nendsolid x\n");
    check_fails(&bytes, "no triangles");
    bytes = text("solid x\n");
    check_fails(&bytes, "the file ends");
    bytes = text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n");
    check_fails(&bytes, "line 4: a number should come here");
    bytes = text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n");
    check_fails(&bytes, "line 4: a vertex is not a finite number");
    bytes = text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n");
    check_fails(&bytes, "line 5: 'vertex' should come here");
    bytes = text("solid x\nendsolid x\nand more\n");
    check_fails(&bytes, "line 3: 'solid' should come here");
}

// ---- files, through the wall ---------------------------------------------------------------------
static void write_file(const char *path, const Bytes *bytes) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes->data.data, 1, bytes->data.count, stream), bytes->data.count);
    assert_int_equal(fclose(stream), 0);
}

static void walls_from_files(void **state) {
    (void)state;
    char folder[] = "/tmp/maraca-test-stl-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cube.stl", folder);
    Soup soup = cube();
    Bytes bytes = soup_binary(&soup, "x");
    write_file(path, &bytes);
    MrcError error = {0};
    Wall wall = wall_of_kind("mesh");
    wall_set_text(&wall, "file", "cube.stl");
    wall_set_number(&wall, "scale", 0.001);
    wall_set_vector(&wall, "offset", vec3(0.5, 0, 0));
    assert_string_equal(*wall_file(&wall), "cube.stl");
    assert_int_equal(wall_prepare(&wall, folder, &error), MRC_OK);
    Vec3 lower, upper;
    assert_true(wall_bounds(&wall, &lower, &upper));
    check_near(vec3_norm(vec3_sub(lower, vec3(0.5, 0, 0))), 0, 1e-12);
    check_near(vec3_norm(vec3_sub(upper, vec3(0.502, 0.004, 0.006))), 0, 1e-12);
    check_near(wall_volume(&wall), 48e-9, 1e-18);
    check_near(wall_outside(&wall, vec3(0.501, 0.002, 0.003)), 0, 0);
    check_near(wall_outside(&wall, vec3(0.504, 0.002, 0.003)), 0.002, 1e-12);
    check_near(wall_outside(&wall, vec3(0.501, 0.002, 0.0061)), 0.0001, 1e-12);
    Surface surface = {0};
    assert_int_equal(wall_surface(&wall, &surface, &error), MRC_OK);
    assert_int_equal(surface.points.count, 26);
    assert_int_equal(surface.ends.count, 48);
    surface_free(&surface);
    Wall solid = wall; // a body to stay out of
    wall_set_flag(&solid, "solid", true);
    assert_false(wall_bounds(&solid, &lower, &upper));
    assert_true(isinf(wall_volume(&solid)));
    check_near(wall_outside(&solid, vec3(0.501, 0.002, 0.0059)), 0.0001, 1e-12);
    check_near(wall_outside(&solid, vec3(0.504, 0.002, 0.003)), 0, 0);
    wall_release(&wall);
    assert_false(wall_is_prepared(&wall));
    wall_set_text(&wall, "file", path); // absolute
    assert_int_equal(wall_prepare(&wall, "/nowhere", &error), MRC_OK);
    wall_release(&wall);
    wall_set_number(&wall, "scale", 1e20);
    assert_int_equal(wall_prepare(&wall, folder, &error), MRC_READ_FAILED);
    assert_non_null(strstr(error.text, "scale"));
    wall_set_text(&wall, "file", "missing.stl");
    wall_set_number(&wall, "scale", 1);
    assert_int_equal(wall_prepare(&wall, folder, &error), MRC_READ_FAILED);
    assert_non_null(strstr(error.text, "missing.stl"));
    wall_release(&wall);
    Wall box = wall_of_kind("box");
    assert_int_equal(wall_prepare(&box, folder, &error), MRC_OK);
    wall_release(&box);
    remove(path);
    rmdir(folder);
    array_free(&soup.corners);
    array_free(&bytes.data);
}

// ---- garbage -------------------------------------------------------------------------------------
static void use(const Bytes *bytes) { // reads, builds, asks; must not crash whatever comes out
    StlTriangles triangles = {0};
    MrcError error;
    Mesh *mesh = NULL;
    if (parse(bytes, &triangles, &error) == MRC_OK) {
        MrcStatus status =
            mesh_create(&mesh, triangles.corners.data, triangles.corners.count / 3, "garbage", &error);
        if (status == MRC_OK) {
            MeshContact contacts[4];
            Vec3 p = mesh_vertices(mesh)[0];
            int count = mesh_contacts(mesh, p, 0.5, 0.1, contacts, 4);
            assert_in_range(count, 0, 4);
            assert_true(mesh_distance(mesh, p, 0) < 1e-6 * 1e9);
            mesh_contains(mesh, vec3_scale(0.5, p));
        }
    }
    mesh_destroy(mesh);
    stl_free(&triangles);
}

static void garbage_does_not_crash(void **state) {
    (void)state;
    Random random = {4711};
    Soup soup = cube();
    Bytes valid[3] = {soup_binary(&soup, "x"), soup_binary(&soup, "solid"), soup_ascii(&soup)};
    for (int round = 0; round < 6000; round++) {
        Bytes bytes = {0};
        const Bytes *origin = &valid[round % 3];
        if (round % 4 == 0) {
            size_t length = random_bits(&random) % 300;
            if (round % 8 == 0) bytes_add(&bytes, "solid ", 6);
            for (size_t i = 0; i < length; i++) {
                char byte = (char)random_bits(&random);
                bytes_add(&bytes, &byte, 1);
            }
        } else {
            bytes_add(&bytes, origin->data.data, origin->data.count);
            int changes = 1 + (int)(random_bits(&random) % 20);
            for (int i = 0; i < changes; i++)
                bytes.data.data[random_bits(&random) % bytes.data.count] = (char)random_bits(&random);
            if (round % 5 == 0) bytes.data.count = random_bits(&random) % bytes.data.count;
        }
        bytes_end(&bytes);
        use(&bytes);
        array_free(&bytes.data);
    }
    for (int i = 0; i < 3; i++) array_free(&valid[i].data);
    array_free(&soup.corners);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_round_trip),  cmocka_unit_test(text_may_vary),
        cmocka_unit_test(wrong_files_say_why),    cmocka_unit_test(walls_from_files),
        cmocka_unit_test(garbage_does_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
