// Beds from CSV files: what was written comes back, in the port's axes and on top of its motion; every
// mistake is named with its line.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grains/packing.h"
#include "walls.h"

static char path[] = "/tmp/maraca-bed-XXXXXX";

static int setup(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int teardown(void **state) {
    (void)state;
    return remove(path);
}

static void write_bed(const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void test_columns_units_and_comments(void **state) {
    (void)state;
    Arena *arena = arena_create();
    MrcError error;
    BedData *bed;
    write_bed("\xef\xbb\xbf# written by hand\r\nradius[mm], z[cm] ,x,\"y[um]\",vx[mm/s]\r\n\r\n"
              "1.5, 2,0.25,-1e3,4\r\n# a comment\r\n0.5,-2,1,7,-8");
    if (bed_read(path, arena, &bed, &error)) fail_msg("%s", error.text);
    assert_int_equal(bed->count, 2);
    const struct {
        BedColumn column;
        double values[2];
    } expected[] = {{BED_X, {0.25, 1}},
                    {BED_Y, {-1e-3, 7e-6}},
                    {BED_Z, {0.02, -0.02}},
                    {BED_RADIUS, {1.5e-3, 0.5e-3}},
                    {BED_VX, {4e-3, -8e-3}}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        for (int i = 0; i < 2; i++)
            check_near(bed->columns[expected[k].column][i], expected[k].values[i], 1e-17);
    assert_null(bed->columns[BED_VY]);
    arena_destroy(arena);
}

// Written with all digits, read, placed: the same bits.
static void test_round_trip(void **state) {
    (void)state;
    WallDefinition wall = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.02, 0.03, 0.04))};
    const Material steel = {.name = "steel", .density = 7800};
    const Motion rest = motion_at_rest();
    GrainsSetting setting = {.materials = &steel, .material_count = 1, .port = &rest, .walls = &rest};
    GrainsDefinition d = {.name = "bed",
                          .walls = &wall,
                          .wall_count = 1,
                          .particles = {.count = 200, .material = "steel"},
                          .packing = {.kind = PACKING_RANDOM, .seed = 7}};
    d.particles.sizes = (SizesDefinition){.uniform = {0.0005, 0.001}, .seed = 1};
    MrcError error;
    GrainStore first, second;
    if (packing_create(&d, &setting, &first, &error)) fail_msg("%s", error.text);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "x[m],y[m],z[m],radius[m],vx[m/s],vy[m/s],vz[m/s],wx[rad/s],wy[rad/s],wz[rad/s]\n");
    for (size_t i = 0; i < first.count; i++)
        fprintf(stream, "%.17g,%.17g,%.17g,%.17g,%zu,2,3,4,5,6\n", first.x[i], first.y[i], first.z[i],
                first.radius[i], i);
    fclose(stream);
    Arena *arena = arena_create();
    BedData *bed;
    if (bed_read(path, arena, &bed, &error)) fail_msg("%s", error.text);
    GrainsDefinition again = d;
    again.particles = (ParticlesDefinition){.bed = bed, .material = "steel"};
    again.bed = bed;
    again.packing.kind = PACKING_FILE;
    if (packing_create(&again, &setting, &second, &error)) fail_msg("%s", error.text);
    assert_int_equal(second.count, 200);
    assert_memory_equal(first.x, second.x, 200 * sizeof(double));
    assert_memory_equal(first.y, second.y, 200 * sizeof(double));
    assert_memory_equal(first.z, second.z, 200 * sizeof(double));
    assert_memory_equal(first.radius, second.radius, 200 * sizeof(double));
    assert_memory_equal(first.inverse_mass, second.inverse_mass, 200 * sizeof(double));
    check_near(second.vx[199], 199, 0);
    check_near(second.wz[0], 6, 0);
    store_free(&first);
    store_free(&second);
    arena_destroy(arena);
}

// Velocities of the file are in the port's axes, and on top of the port's own.
static void test_velocities_turn_with_the_port(void **state) {
    (void)state;
    double x[1] = {0.001}, zero[1] = {0}, radius[1] = {0.001}, v[1] = {0.5}, w[1] = {2};
    BedData bed = {.count = 1, .columns = {x, zero, zero, radius, v, NULL, NULL, w, NULL, NULL}};
    WallDefinition wall = {.name = "wall", .shape = sphere_wall(vec3_zero(), 0.01)};
    const Material steel = {.name = "steel", .density = 7800, .restitution = 1};
    Motion port = {.position = {1, 0, 0},
                   .orientation = quaternion_from_rotation_vector(vec3(0, 0, M_PI / 2)),
                   .velocity = {0, 0, 3},
                   .angular_velocity = {0, 0, 10}};
    GrainsSetting setting = {
        .materials = &steel, .material_count = 1, .step = 1e-6, .port = &port, .walls = &port};
    GrainsDefinition d = {.name = "bed",
                          .walls = &wall,
                          .wall_count = 1,
                          .particles = {.bed = &bed, .material = "steel"},
                          .bed = &bed,
                          .packing = {.kind = PACKING_FILE},
                          .contact = {.stiffness = 1e4, .max_overlap = 0.2}};
    MrcError error;
    Grains *grains;
    if (grains_create(&d, &setting, &grains, &error)) fail_msg("%s", error.text);
    const GrainStore *s = grains_view(grains);
    check_near(s->x[0], 1, 1e-15);
    check_near(s->y[0], 0.001, 1e-15);
    check_near(s->vx[0], -0.01, 1e-14); // angular velocity times lever
    check_near(s->vy[0], 0.5, 1e-14);
    check_near(s->vz[0], 3, 1e-14);
    check_near(s->wy[0], 2, 1e-14);
    check_near(s->wz[0], 10, 1e-14);
    grains_destroy(grains);
}

static void check_refused(const char *text, const char *expected) {
    Arena *arena = arena_create();
    MrcError error;
    BedData *bed;
    write_bed(text);
    assert_int_equal(bed_read(path, arena, &bed, &error), MRC_READ_FAILED);
    assert_memory_equal(error.text, path, strlen(path));
    assert_string_equal(error.text + strlen(path), expected);
    arena_destroy(arena);
}

static void test_mistakes_are_named(void **state) {
    (void)state;
    check_refused("", ": the file is empty");
    check_refused("# nothing\n\n", ": the file is empty");
    check_refused("x,y,z\n", ": there are no grains below the first line");
    check_refused("x,y\n1,2\n", ":1: there is no column 'z'");
    check_refused("x,y,z,radus\n", ":1: unknown column 'radus'; did you mean 'radius'?");
    check_refused("x,y,z,temperature\n",
                  ":1: unknown column; the first line names x, y, z and maybe radius, vx, vy, vz, wx, "
                  "wy, wz, turn_x, turn_y, turn_z, kind, form, each with its unit: x[mm]");
    check_refused("1,2,3\n", ":1: unknown column; the first line names x, y, z and maybe radius, vx, vy, vz, "
                             "wx, wy, wz, turn_x, turn_y, turn_z, kind, form, each with its unit: x[mm]");
    check_refused("x,y,z,x\n", ":1: column 'x' is there twice");
    check_refused("x[mm,y,z\n", ":1: this heading should have the form x[mm]");
    check_refused("x[kg],y,z\n", ":1: the unit of column 'x': expected a length (m), got a mass (kg)");
    check_refused("x,y,z,vx[m/t]\n1,2,3,4\n", ":1: the unit 'm/t' of column 'vx': unknown unit 't'");
    check_refused("x[km],y,z\n1e308,2,3\n", ":2: 'x' is '1e308'; expected a number");
    check_refused("x,y,z\n1,2,3\n\n1,2\n", ":4: fewer than the 3 numbers that the first line names");
    check_refused("x,y,z\n1,2,3,4\n", ":2: more than the 3 numbers that the first line names");
    check_refused("x,y,z\n1,2 mm,3\n", ":2: 'y' is '2 mm'; expected a number");
    check_refused("x,y,z\n1,nan,3\n", ":2: 'y' is 'nan'; expected a number");
    check_refused("x,y,z\n1,,3\n", ":2: 'y' is ''; expected a number");
    check_refused("x,y,z,radius\n1,2,3,0\n", ":2: 'radius' is 0; it must be greater than 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_units_and_comments),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_velocities_turn_with_the_port),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
