// Stones that settle before the run: at rest, apart, in the room, whatever is then done with them; kept orientations.
#include "bricks.h"

#include "grains/forms.h"

static void stones_default(Bed *bed, int64_t count, double height) {
    MrcError error = {0};
    *bed = bed_default();
    ParticlesDefinition *p = &bed->definition.particles;
    *p = (ParticlesDefinition){
        .form = {.kind = FORM_BALLAST,
                 .ballast = {.vertices = 14, .forms = 3, .seed = 2, .elongation = 1.3, .flatness = 1.2}},
        .radius = 0.05,
        .count = count,
        .material = "grain"};
    if (forms_prepare(p, "", "stones", &error)) fail_msg("%s", error.text);
    bed->definition.packing = (PackingDefinition){.kind = PACKING_SETTLE, .limit = 10, .seed = 1};
    bed->definition.method = METHOD_NONSMOOTH;
    bed->definition.contact.law = CONTACT_COULOMB;
    bed->definition.contact.solver.method = CONTACT_NSGS;
    bed->definition.contact.solver.tolerance = 1e-4;
    wall_set_vector(&bed->walls[0].shape, "size", vec3(0.25, 0.25, height));
    bed->gravity = vec3(0, 0, -9.81);
    bed->step = 5e-4;
    bed_set_coefficients(bed, 0, 0.6, 0);
}

// Poured from a lattice, or grown where the room is too low for one.
static void check_settles(int64_t count, double height) {
    Bed bed;
    stones_default(&bed, count, height);
    bed_create(&bed);
    Vec3 start[40];
    for (size_t i = 0; i < (size_t)count; i++) start[i] = bed_position(&bed, i);
    GrainsMeasure m = bed_measure(&bed);
    assert_true(m.overlap < 1e-4 * 0.05);
    check_near(m.kinetic, 0, 0);
    bed_advance(&bed, 100);
    for (size_t i = 0; i < (size_t)count; i++) // it stays where it is, but for what settling left to do
        check_near(vec3_norm(vec3_sub(bed_position(&bed, i), start[i])), 0, 0.02 * 0.05);
    double weight = 9.81 * grains_mass(bed.grains);
    check_near(bed.loads[0].force.z, -weight, 0.05 * weight);
    bed_destroy(&bed);
    forms_release(&bed.definition.particles);
}

static void test_poured(void **state) {
    (void)state;
    check_settles(8, 0.6);
}
static void test_grown(void **state) {
    (void)state;
    check_settles(8, 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poured), cmocka_unit_test(test_grown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
