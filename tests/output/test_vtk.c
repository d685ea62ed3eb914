// VTK files, read back by hand: offsets, sizes, values. Where VTK for Python is installed, by VTK as well.
#include <sys/wait.h>

#include "geometry/wall.h"
#include "output/temporary.h"
#include "output/vtk.h"
#include "walls.h"

enum { count = 5000 }; // more than one chunk

typedef struct Cloud {
    double x[count], y[count], z[count], radius[count], vx[count], vy[count], vz[count];
    Vec3 spin[count];
    int64_t id[count];
} Cloud;

static Cloud cloud; // too large for the stack

static void cloud_fill(void) {
    for (int i = 0; i < count; i++) {
        cloud.x[i] = 100 + i / 3.0;
        cloud.y[i] = -i / 7.0;
        cloud.z[i] = 1e-9 * i;
        cloud.radius[i] = 0.001 * (i + 1);
        cloud.vx[i] = i;
        cloud.vy[i] = -2 * i;
        cloud.vz[i] = 0.5;
        cloud.spin[i] = vec3(0.25, i, (double)i * i);
        cloud.id[i] = (1ll << 53) + 1 + i; // a double could not hold it
    }
}

static void cloud_write(const char *path, size_t items) {
    MrcError error;
    cloud_fill();
    const VtkArray arrays[] = {
        vtk_integers("id", cloud.id),
        vtk_scalars("radius", cloud.radius),
        vtk_vectors("velocity", cloud.vx, cloud.vy, cloud.vz),
        vtk_vec3s("a<b & \"c\"", cloud.spin),
    };
    VtkArray positions = vtk_vectors("position", cloud.x, cloud.y, cloud.z);
    assert_int_equal(vtk_write_points(path, 0.1 + 0.2, items, positions, arrays, 4, &error), MRC_OK);
}

// The block of the array `name` in the appended data, and its size in bytes; checks its type.
static const char *find_block(const char *text, const char *name, const char *type, uint64_t *bytes) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    const char *array = strstr(text, wanted), *data = strstr(text, "<AppendedData encoding=\"raw\">");
    assert_non_null(array);
    assert_non_null(data);
    const char *block = strchr(data, '_') + 1 + strtoull(strstr(array, "offset=\"") + 8, NULL, 10);
    memcpy(bytes, block, sizeof *bytes);
    return block + sizeof *bytes;
}

static void points_read_back(void **state) {
    (void)state;
    const char *path = temporary_path("points.vtp");
    cloud_write(path, count);
    size_t length;
    uint64_t bytes;
    char *text = temporary_read(path, &length);
    assert_non_null(strstr(text, "type=\"PolyData\" version=\"1.0\""));
    assert_non_null(strstr(text, "header_type=\"UInt64\""));
    assert_non_null(strstr(text, ">0.30000000000000004</DataArray>"));
    assert_non_null(strstr(text, "NumberOfPoints=\"5000\" NumberOfVerts=\"5000\""));

    const char *points = find_block(text, "Points", "Float64", &bytes);
    assert_int_equal(bytes, count * 3 * sizeof(double));
    const char *id = find_block(text, "id", "Int64", &bytes);
    assert_int_equal(bytes, count * sizeof(int64_t));
    const char *radius = find_block(text, "radius", "Float32", &bytes);
    assert_int_equal(bytes, count * sizeof(float));
    const char *velocity = find_block(text, "velocity", "Float32", &bytes);
    assert_int_equal(bytes, count * 3 * sizeof(float));
    const char *spin = find_block(text, "a&lt;b &amp; &quot;c&quot;", "Float32", &bytes);
    assert_int_equal(bytes, count * 3 * sizeof(float));
    const char *corners = find_block(text, "connectivity", "Int32", &bytes);
    assert_int_equal(bytes, count * sizeof(int32_t));
    const char *ends = find_block(text, "offsets", "Int32", &bytes);
    assert_int_equal(bytes, count * sizeof(int32_t));
    assert_string_equal(ends + bytes, "\n  </AppendedData>\n</VTKFile>\n"); // the last block ends the data
    assert_int_equal(ends + bytes + strlen(ends + bytes) - text, length);
    for (int i = 0; i < count; i++) {
        double place[3] = {cloud.x[i], cloud.y[i], cloud.z[i]};
        float speed[3] = {(float)cloud.vx[i], (float)cloud.vy[i], (float)cloud.vz[i]};
        float turn[3] = {(float)cloud.spin[i].x, (float)cloud.spin[i].y, (float)cloud.spin[i].z};
        float size = (float)cloud.radius[i];
        int32_t corner = i, end = i + 1;
        assert_memory_equal(points + (size_t)i * sizeof place, place, sizeof place);
        assert_memory_equal(id + (size_t)i * sizeof(int64_t), &cloud.id[i], sizeof(int64_t));
        assert_memory_equal(radius + (size_t)i * sizeof size, &size, sizeof size);
        assert_memory_equal(velocity + (size_t)i * sizeof speed, speed, sizeof speed);
        assert_memory_equal(spin + (size_t)i * sizeof turn, turn, sizeof turn);
        assert_memory_equal(corners + (size_t)i * sizeof corner, &corner, sizeof corner);
        assert_memory_equal(ends + (size_t)i * sizeof end, &end, sizeof end);
    }
    free(text);
}

static void no_points_at_all(void **state) {
    (void)state;
    MrcError error;
    uint64_t bytes = 1;
    const char *path = temporary_path("none.vtp");
    cloud_write(path, 0);
    char *text = temporary_read(path, NULL);
    find_block(text, "Points", "Float64", &bytes);
    assert_int_equal(bytes, 0);
    free(text);
    const char *empty = temporary_path("empty.vtp");
    assert_int_equal(vtk_write_points(empty, 0, 0, vtk_vec3s("p", NULL), NULL, 0, &error), MRC_OK);
}

static void surface_reads_back(void **state) {
    (void)state;
    MrcError error;
    Surface surface = {0};
    Wall box = box_wall(vec3(5, 0, 0), vec3(2, 2, 2));
    Wall cylinder = cylinder_wall(vec3_zero(), vec3(0, 1, 0), 1, 3);
    assert_int_equal(wall_surface(&box, &surface, &error), MRC_OK);
    size_t box_polygons = surface.ends.count;
    assert_int_equal(wall_surface(&cylinder, &surface, &error), MRC_OK);
    int64_t wall[100];
    for (size_t i = 0; i < surface.ends.count; i++) wall[i] = i >= box_polygons;
    const char *path = temporary_path("surface.vtp");
    VtkArray array = vtk_integers("wall", wall);
    VtkCells cells = {.corners = surface.corners.data,
                      .corner_count = surface.corners.count,
                      .ends = surface.ends.data,
                      .end_count = surface.ends.count};
    VtkArray places = vtk_vec3s("position", surface.points.data);
    assert_int_equal(vtk_write_surface(path, 2.5, surface.points.count, places, &cells, &array, 1, &error),
                     MRC_OK);

    uint64_t bytes;
    char *text = temporary_read(path, NULL);
    const char *points = find_block(text, "Points", "Float64", &bytes);
    assert_int_equal(bytes, surface.points.count * sizeof(Vec3));
    assert_memory_equal(points, surface.points.data, bytes);
    const char *corners = find_block(text, "connectivity", "Int32", &bytes);
    assert_int_equal(bytes, surface.corners.count * sizeof(int32_t));
    assert_memory_equal(corners, surface.corners.data, bytes);
    const char *ends = find_block(text, "offsets", "Int32", &bytes);
    assert_int_equal(bytes, surface.ends.count * sizeof(int32_t));
    assert_memory_equal(ends, surface.ends.data, bytes);
    const char *walls = find_block(text, "wall", "Int64", &bytes);
    assert_memory_equal(walls, wall, bytes);
    free(text);
    surface_free(&surface);
}

// Two lines over five points, two of which are marked.
static void lines_read_back(void **state) {
    (void)state;
    MrcError error;
    const int corners[] = {0, 1, 2, 4, 3}, ends[] = {3, 5}, marks[] = {4, 1};
    Vec3 place[5], shift[5];
    for (int i = 0; i < 5; i++) place[i] = vec3(i, 2 * i, -i), shift[i] = vec3(0.5 * i, 1, 0);
    VtkCells lines = {corners, 5, ends, 2, marks, 2};
    VtkArray array = vtk_vec3s("displacement", shift);
    const char *path = temporary_path("lines.vtp");
    assert_int_equal(vtk_write_lines(path, 1.5, 5, vtk_vec3s("position", place), &lines, &array, 1, &error),
                     MRC_OK);
    uint64_t bytes;
    char *text = temporary_read(path, NULL);
    assert_non_null(strstr(text, "NumberOfPoints=\"5\" NumberOfVerts=\"2\" NumberOfLines=\"2\""));
    const char *points = find_block(text, "Points", "Float64", &bytes);
    assert_int_equal(bytes, 5 * sizeof(Vec3));
    assert_memory_equal(points, place, bytes);
    const char *marked = find_block(text, "connectivity", "Int32", &bytes); // the first: of the vertices
    assert_int_equal(bytes, sizeof marks);
    assert_memory_equal(marked, marks, bytes);
    assert_non_null(strstr(text, "<Lines>"));
    free(text);
}

static void collection_lists_files(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("frames.pvd");
    const VtkEntry entries[] = {{0, 0, "grains", "frames/a.vtp"},
                                {0.1, 1, NULL, "frames/<odd> & \"quoted\".vtp"}};
    assert_int_equal(vtk_write_collection(path, entries, 1, &error), MRC_OK);
    assert_int_equal(vtk_write_collection(path, entries, 2, &error), MRC_OK);
    char *text = temporary_read(path, NULL);
    assert_non_null(strstr(text, "<DataSet timestep=\"0\" group=\"\" part=\"0\" name=\"grains\" "
                                 "file=\"frames/a.vtp\"/>\n"));
    assert_non_null(strstr(text, "<DataSet timestep=\"0.1\" group=\"\" part=\"1\" name=\"\" "
                                 "file=\"frames/&lt;odd&gt; &amp; &quot;quoted&quot;.vtp\"/>\n"));
    free(text);
}

static void failures_are_reported(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("nowhere/a.vtp");
    VtkArray none = vtk_vec3s("p", NULL);
    VtkCells cells = {0};
    assert_int_equal(vtk_write_points(path, 0, 0, none, NULL, 0, &error), MRC_WRITE_FAILED);
    assert_int_equal(vtk_write_surface(path, 0, 0, none, &cells, NULL, 0, &error), MRC_WRITE_FAILED);
    assert_int_equal(vtk_write_collection(path, NULL, 0, &error), MRC_WRITE_FAILED);
    assert_int_equal(vtk_write_points(path, 0, (size_t)1 << 31, none, NULL, 0, &error), MRC_WRITE_FAILED);
}

// After the others: it reads the files that they wrote.
static void vtk_itself_reads_them(void **state) {
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/output/check_vtk.py' '%s'",
             MARACA_SOURCE_DIR, temporary_folder);
    unsetenv("LD_PRELOAD"); // a sanitizer's library is not for Python
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip_without("python3-vtk9", "files for ParaView are not read with VTK's own reader");
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_read_back),       cmocka_unit_test(no_points_at_all),
        cmocka_unit_test(surface_reads_back),     cmocka_unit_test(lines_read_back),
        cmocka_unit_test(collection_lists_files), cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(vtk_itself_reads_them),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
