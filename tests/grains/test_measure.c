// Measures of a bed that are known by counting: the coordination number of grains in contact.
#include "grains/bed.h"
#include "grains/method.h"

static const double radius = 0.001, overlap = 1e-6;

// `count` grains in a row along x that touch each other; the floor is at z = 0, the first one also touches the end wall.
static void place_row(Bed *bed, int method, int count, bool on_floor) {
    *bed = bed_default();
    bed->walls[0].shape = box_wall(vec3(0.01, 0.01, 0.01), vec3(0.02, 0.02, 0.02));
    bed->definition.method = method;
    bed->definition.particles.count = count;
    bed->gravity = vec3(0, 0, -9.81);
    bed->definition.contact.max_overlap = 0.5;
    bed_create(bed);
    for (int i = 0; i < count; i++) {
        double x = radius - overlap + i * (2 * radius - overlap), z = on_floor ? radius - overlap : 0.01;
        bed_place(bed, (size_t)i, vec3(x, 0.01, z), vec3_zero(), vec3_zero());
    }
}

// n grains have n - 1 contacts among them, each of two grains, one with the end wall and n with the floor.
static void coordination_is_counted(void **state) {
    (void)state;
    for (int method = 0; method < GRAIN_METHOD_COUNT; method++)
        for (int n = 1; n <= 5; n += 2)
            for (int floor = 0; floor < 2; floor++) {
                Bed bed;
                place_row(&bed, method, n, floor);
                if (grains_method(&bed.definition)->rigid)
                    bed_advance(&bed, 1); // impulses are those of a step
                GrainsMeasure m = bed_measure(&bed);
                int walls = 1 + (floor ? n : 0);
                print_message("method %d, %d grains, %s: %g contacts, %g per grain\n", method, n,
                              floor ? "on the floor" : "in the air", m.contacts, m.coordination);
                check_near(m.contacts, n - 1 + walls, 0);
                check_near(m.wall_contacts, walls, 0);
                check_near(m.coordination, (2.0 * (n - 1) + walls) / n, 1e-15);
                bed_destroy(&bed);
            }
}

// Nothing touches: none, and no division by it.
static void apart(void **state) {
    (void)state;
    for (int method = 0; method < GRAIN_METHOD_COUNT; method++) {
        Bed bed = bed_default();
        bed.definition.method = method;
        bed.definition.particles.count = 2;
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.003, 0, 0), vec3_zero(), vec3_zero());
        bed_place(&bed, 1, vec3(0.003, 0, 0), vec3_zero(), vec3_zero());
        check_near(bed_measure(&bed).coordination, 0, 0);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coordination_is_counted), cmocka_unit_test(apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
