// Packings: the right number, nothing overlaps, all inside, and the beds of DAMPER Table 3.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, DAMPER doi:10.3390/pr10071247.
#include "check.h"

#include <string.h>

#include "grains/grain_sizes.h"
#include "grains/packing.h"
#include "walls.h"

static WallDefinition cylinder = {.name = "wall"}, box = {.name = "wall"};

static int make_walls(void **state) {
    (void)state;
    cylinder.shape = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.0125, 0.025);
    box.shape = box_wall(vec3_zero(), vec3(0.02, 0.03, 0.04));
    return 0;
}

static GrainsDefinition bed(WallDefinition *wall, PackingKind kind, double radius, int64_t count) {
    return (GrainsDefinition){.name = "bed",
                              .walls = wall,
                              .wall_count = 1,
                              .particles = {.radius = radius, .count = count, .material = "steel"},
                              .packing = {.kind = kind, .seed = 7}};
}

static MrcStatus create(const GrainsDefinition *d, Vec3 up, GrainStore *store) {
    MrcError error;
    const Material steel = {.name = "steel", .density = 7800};
    const Motion rest = motion_at_rest();
    GrainsSetting setting = {
        .materials = &steel, .material_count = 1, .gravity = vec3_neg(up), .port = &rest, .walls = &rest};
    return packing_create(d, &setting, store, &error);
}

// Places and checks a bed; returns the status.
static MrcStatus place(const GrainsDefinition *d, Vec3 up, GrainStore *store) {
    size_t count;
    MrcStatus status = create(d, up, store);
    if (status != MRC_OK) return status;
    assert_int_equal(packing_count(d, 7800, &count, NULL), MRC_OK);
    if (d->particles.radius > 0 || d->particles.count > 0) assert_int_equal(store->count, count);
    double gap = d->packing.gap;
    for (size_t i = 0; i < store->count; i++) {
        Vec3 a = {store->x[i], store->y[i], store->z[i]};
        double radius = store->radius[i], tolerance = 2e-9 * radius;
        WallContact contacts[WALL_CONTACT_MAX];
        int touching = wall_contacts_of_sphere(&d->walls[0].shape, a, radius, 1, contacts);
        for (int c = 0; c < touching; c++) assert_true(contacts[c].gap > gap - tolerance);
        assert_true(wall_outside(&d->walls[0].shape, a) == 0);
        assert_int_equal(store->id[i], i);
        check_near(store->inverse_mass[i] * 7800 * sphere_volume(radius), 1, 1e-14);
        for (size_t j = 0; j < i; j++)
            assert_true(vec3_norm(vec3_sub(a, vec3(store->x[j], store->y[j], store->z[j]))) >
                        radius + store->radius[j] + gap - tolerance);
    }
    return MRC_OK;
}

static void test_fcc_bed_of_table_2_is_three_whole_layers(void **state) {
    (void)state;
    GrainStore store;
    GrainsDefinition d = bed(&cylinder, PACKING_FCC, 0.0015, 151);
    assert_int_equal(place(&d, vec3(0, 0, 1), &store), MRC_OK);
    int layers[4] = {0};
    double spacing = 0.003 * sqrt(2.0 / 3.0), floor_height = -0.0125 + 0.0015;
    for (size_t i = 0; i < store.count; i++) {
        double layer = (store.z[i] - floor_height) / spacing;
        check_near(layer, round(layer), 1e-9);
        layers[(int)round(layer)]++;
    }
    assert_int_equal(layers[0], 55);
    assert_int_equal(layers[1], 48);
    assert_int_equal(layers[2], 48);
    store_free(&store);
}

static void test_every_packing_fits_every_way_up(void **state) {
    (void)state;
    const Vec3 ups[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {-0.3, 0.2, -1}};
    for (size_t u = 0; u < sizeof ups / sizeof *ups; u++)
        for (int kind = PACKING_CUBIC; kind <= PACKING_RANDOM; kind++) {
            GrainStore store;
            GrainsDefinition d = bed(u % 2 ? &cylinder : &box, kind, 0.001, 300);
            d.packing.gap = u == 3 ? 0.0002 : 0;
            assert_int_equal(place(&d, ups[u], &store), MRC_OK);
            store_free(&store);
        }
}

static void test_cubic_fills_a_box_of_whole_diameters(void **state) {
    (void)state;
    // 4 x 4 x 4 mm with 1 mm grains: 3 x 3 sites around the centre line, 4 layers.
    WallDefinition cube = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.0031, 0.0031, 0.0041))};
    GrainStore store;
    GrainsDefinition d = bed(&cube, PACKING_CUBIC, 0.0005, 36);
    assert_int_equal(place(&d, vec3(0, 0, 1), &store), MRC_OK);
    store_free(&store);
    d.particles.count = 37;
    assert_int_equal(place(&d, vec3(0, 0, 1), &store), MRC_PACKING);
    store_free(&store);
}

// A room of any width is searched only as far as the grains need, and the middle of it is filled the same way.
static void test_lattices_begin_in_the_middle_of_wide_rooms(void **state) {
    (void)state;
    for (int kind = PACKING_CUBIC; kind <= PACKING_FCC; kind++) {
        GrainStore store, wide_store;
        WallDefinition hall = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.1, 0.1, 0.004))};
        GrainsDefinition d = bed(&hall, kind, 0.001, 40);
        assert_int_equal(place(&d, vec3(0, 0, 1), &store), MRC_OK);
        wall_set_vector(&hall.shape, "size", vec3(1e12, 1e12, 0.004));
        assert_int_equal(place(&d, vec3(0, 0, 1), &wide_store), MRC_OK);
        assert_memory_equal(store.x, wide_store.x, 40 * sizeof(double));
        assert_memory_equal(store.y, wide_store.y, 40 * sizeof(double));
        assert_memory_equal(store.z, wide_store.z, 40 * sizeof(double));
        store_free(&store);
        store_free(&wide_store);
    }
}

// Nothing fits in the middle: the search ends with a message, not after hours.
static void test_lattices_give_up_in_rooms_that_are_too_wide(void **state) {
    (void)state;
    WallDefinition walls[] = {{.name = "hall", .shape = box_wall(vec3_zero(), vec3(1e12, 1e12, 0.004))},
                              {.name = "side", .shape = plane_wall(vec3(1e11, 0, 0), vec3(1, 0, 0))}};
    const Material steel = {.name = "steel", .density = 7800};
    const Motion rest[2] = {motion_at_rest(), motion_at_rest()};
    GrainsSetting setting = {
        .materials = &steel, .material_count = 1, .gravity = {0, 0, -9.81}, .port = rest, .walls = rest};
    GrainsDefinition d = bed(walls, PACKING_CUBIC, 0.001, 5);
    GrainStore store;
    MrcError error;
    d.wall_count = 2;
    assert_int_equal(packing_create(&d, &setting, &store, &error), MRC_PACKING);
    assert_non_null(strstr(error.text, "too wide for a lattice"));
    store_free(&store);
}

static void test_count_follows_from_mass_or_filling(void **state) {
    (void)state;
    size_t count;
    MrcError error;
    GrainsDefinition d = bed(&cylinder, PACKING_FCC, 0.001, 0);
    d.particles.total_mass = 0.007; // TIGHT 5.2: 7 g of lead spheres of radius 1 mm are 147
    assert_int_equal(packing_count(&d, 11344, &count, &error), MRC_OK);
    assert_int_equal(count, 147);
    d.particles.total_mass = 0;
    d.particles.filling = 0.3;
    assert_int_equal(packing_count(&d, 11344, &count, &error), MRC_OK);
    check_near((double)count * 4.0 / 3 * 1e-9, 0.3 * 0.0125 * 0.0125 * 0.025, 2e-9);
}

static void test_random_packing_repeats_with_its_seed(void **state) {
    (void)state;
    GrainStore a, b, c;
    GrainsDefinition d = bed(&box, PACKING_RANDOM, 0.001, 200);
    assert_int_equal(place(&d, vec3(0, 0, 1), &a), MRC_OK);
    assert_int_equal(place(&d, vec3(0, 0, 1), &b), MRC_OK);
    d.packing.seed = 8;
    assert_int_equal(place(&d, vec3(0, 0, 1), &c), MRC_OK);
    assert_memory_equal(a.x, b.x, 200 * sizeof(double));
    assert_memory_not_equal(a.x, c.x, 200 * sizeof(double));
    store_free(&a);
    store_free(&b);
    store_free(&c);
}

static void test_grains_of_different_sizes_do_not_overlap(void **state) {
    (void)state;
    for (int kind = PACKING_CUBIC; kind <= PACKING_RANDOM; kind++)
        for (int k = 0; k < 4; k++) {
            GrainStore store;
            GrainsDefinition d = bed(k % 2 ? &cylinder : &box, kind, 0, k < 2 ? 400 : 0);
            d.particles.sizes.uniform = (UniformSizes){0.0003, 0.0012};
            d.particles.sizes.seed = k;
            d.particles.filling = k < 2 ? 0 : 0.08;
            d.packing.gap = k == 1 ? 0.0001 : 0;
            assert_int_equal(place(&d, vec3(0, 0.3, 1), &store), MRC_OK);
            store_free(&store);
        }
}

// Of large and small grains, a random packing holds more than of large ones only.
static void test_random_packing_of_two_sizes_is_dense(void **state) {
    (void)state;
    GrainStore store;
    GrainsDefinition d = bed(&box, PACKING_RANDOM, 0, 0);
    SizeClass classes[] = {{.radius = 0.003, .mass = 0.6}, {.radius = 0.0006, .mass = 0.4}};
    d.particles.sizes = (SizesDefinition){.classes = classes, .class_count = 2, .seed = 1};
    d.particles.filling = 0.36;
    assert_int_equal(place(&d, vec3(0, 0, 1), &store), MRC_OK);
    store_free(&store);
}

// A wall on a port of its own, which stands elsewhere and turned: the room is where the wall is.
static void test_walls_of_other_ports_are_where_those_ports_are(void **state) {
    (void)state;
    const Material steel = {.name = "steel", .density = 7800};
    Motion port = {.position = {1, 2, 3},
                   .orientation = quaternion_from_rotation_vector(vec3(0.3, 0.2, 0.1))};
    Motion wall = {.position = {1.1, 2, 3}, .orientation = quaternion_from_rotation_vector(vec3(0, 0.5, 0))};
    GrainsSetting setting = {
        .materials = &steel, .material_count = 1, .gravity = {0, 0, -9.81}, .port = &port, .walls = &wall};
    for (int kind = PACKING_CUBIC; kind <= PACKING_RANDOM; kind++) {
        GrainStore store;
        MrcError error;
        GrainsDefinition d = bed(&box, kind, 0.001, 200);
        if (packing_create(&d, &setting, &store, &error)) fail_msg("%s", error.text);
        for (size_t i = 0; i < store.count; i++) {
            Vec3 world = motion_to_world(&port, vec3(store.x[i], store.y[i], store.z[i]));
            Vec3 local = motion_to_local(&wall, world);
            assert_true(fabs(local.x) < 0.0091 && fabs(local.y) < 0.0141 && fabs(local.z) < 0.0191);
        }
        store_free(&store);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fcc_bed_of_table_2_is_three_whole_layers),
        cmocka_unit_test(test_every_packing_fits_every_way_up),
        cmocka_unit_test(test_cubic_fills_a_box_of_whole_diameters),
        cmocka_unit_test(test_lattices_begin_in_the_middle_of_wide_rooms),
        cmocka_unit_test(test_lattices_give_up_in_rooms_that_are_too_wide),
        cmocka_unit_test(test_count_follows_from_mass_or_filling),
        cmocka_unit_test(test_random_packing_repeats_with_its_seed),
        cmocka_unit_test(test_grains_of_different_sizes_do_not_overlap),
        cmocka_unit_test(test_random_packing_of_two_sizes_is_dense),
        cmocka_unit_test(test_walls_of_other_ports_are_where_those_ports_are),
    };
    return cmocka_run_group_tests(tests, make_walls, NULL);
}
