// Beds of stones by springs: they come to rest, the ledger closes; the same bits on any number of threads, and restored.
#include "bodies.h"

#include "base/archive.h"
#include "base/threads.h"
#include "check_math.h"

static void stones_default(Bed *bed, int64_t count, Vec3 room) {
    MrcError error = {0};
    *bed = bed_default();
    ParticlesDefinition *p = &bed->definition.particles;
    *p = (ParticlesDefinition){
        .form = {.kind = FORM_BALLAST,
                 .ballast = {.vertices = 14, .forms = 5, .seed = 2, .elongation = 1.3, .flatness = 1.2}},
        .radius = 0.05,
        .count = count,
        .material = "grain"};
    if (forms_prepare(p, "", "stones", &error)) fail_msg("%s", error.text);
    bed->definition.packing = (PackingDefinition){.kind = PACKING_CUBIC, .limit = 10, .seed = 1};
    bed->definition.method = METHOD_SMOOTH;
    bed->definition.contact.stiffness = 2e5;
    bed->definition.contact.tangential = TANGENTIAL_ELASTIC;
    wall_set_vector(&bed->walls[0].shape, "size", room);
    bed->gravity = vec3(0, 0, -9.81);
    bed_set_coefficients(bed, 0.3, 0.5, 0);
}

// A heap of 48 stones falls from a lattice, comes to rest, and the ledger has where the energy went.
static void test_a_heap_comes_to_rest(void **state) {
    (void)state;
    Bed bed;
    stones_default(&bed, 48, vec3(0.5, 0.5, 0.8));
    bed.definition.contact.stiffness = 5e4;
    bed.step = 8e-5;
    bed_create(&bed);
    GrainsMeasure start = bed_measure(&bed);
    bed_advance(&bed, (int64_t)(1.6 / bed.step));
    GrainsMeasure m = bed_measure(&bed);
    double lost = m.impact + m.friction, weight = 9.81 * grains_mass(bed.grains);
    assert_true(lost > 0.05 * weight); // N m: they fell by more than 5 cm on average
    check_near(bed_ledger(&m), bed_ledger(&start), 2e-3 * lost);
    check_near(m.kinetic, 0, 1e-5 * lost);
    check_near(bed.loads[0].force.z, -weight, 1e-3 * weight);
    assert_true(m.coordination > 2);
    bodies_release(&bed);
}

// Settled before the run: at rest from the start, and it stays, but for tangential springs that have to be loaded again.
static void test_settled_stones_stay(void **state) {
    (void)state;
    Bed bed;
    stones_default(&bed, 12, vec3(0.25, 0.25, 0.8));
    bed.definition.contact.stiffness = 1e6;
    bed.definition.packing.kind = PACKING_SETTLE;
    bed_create(&bed);
    Vec3 start[12];
    for (size_t i = 0; i < 12; i++) start[i] = bed_position(&bed, i);
    bed_advance(&bed, (int64_t)(0.1 / bed.step));
    for (size_t i = 0; i < 12; i++)
        check_near(vec3_norm(vec3_sub(bed_position(&bed, i), start[i])), 0, 0.01 * 0.05);
    double weight = 9.81 * grains_mass(bed.grains);
    check_near(bed.loads[0].force.z, -weight, 5e-3 * weight);
    bodies_release(&bed);
}

// ---- the same bits -------------------------------------------------------------------------------
static uint64_t run_on_threads(int threads) {
    Bed bed;
    threads_set(threads);
    stones_default(&bed, 500, vec3(0.45, 0.45, 5));
    bed.definition.packing.kind = PACKING_RANDOM;
    bed.definition.particles.velocity = vec3(2, 1, -1);
    bed.step = 2e-4;
    bed_create(&bed);
    bed_advance(&bed, 800);
    assert_int_equal(bed.grains->threads, threads);
    assert_true(bed_measure(&bed).contacts > 50);
    uint64_t hash = bed_hash(&bed);
    bodies_release(&bed);
    return hash;
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    uint64_t one = run_on_threads(1);
    assert_int_equal(one, run_on_threads(2));
    threads_set(1);
}

static void test_restored_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    Bed bed, other;
    stones_default(&bed, 30, vec3(0.35, 0.35, 0.5));
    bed.step = 6e-5;
    bed_create(&bed);
    stones_default(&other, 30, vec3(0.35, 0.35, 0.5));
    other.step = 6e-5;
    bed_create(&other);
    bed_check_restored(&bed, &other, 1500);
    assert_true(bed_measure(&bed).contacts > 20);
    bodies_release(&bed);
    bodies_release(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_heap_comes_to_rest),
        cmocka_unit_test(test_settled_stones_stay),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_restored_state_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
