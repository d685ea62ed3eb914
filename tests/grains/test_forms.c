// Forms of grains: boxes, bodies with given corners, stones, clumps; how large and how heavy they are.
#include "bricks.h"

#include "grains/forms.h"
#include "grains/grain_sizes.h"

static ParticlesDefinition ballast(int64_t vertices, int64_t forms) {
    return (ParticlesDefinition){
        .form = {.kind = FORM_BALLAST,
                 .ballast = {
                     .vertices = vertices, .forms = forms, .seed = 5, .elongation = 1.5, .flatness = 1.25}}};
}

static void prepare(ParticlesDefinition *p) {
    MrcError error = {0};
    if (forms_prepare(p, "", "stones", &error) != MRC_OK) fail_msg("%s", error.text);
}

// A box has the lengths it is given with.
static void test_a_box(void **state) {
    (void)state;
    ParticlesDefinition p = {.form = {.kind = FORM_BOX, .box = {vec3(0.2, 0.1, 0.065)}}};
    prepare(&p);
    assert_int_equal(p.shape_count, 1);
    check_near(p.radius, 0.5 * sqrt(0.04 + 0.01 + 0.065 * 0.065), 1e-15);
    Shape shape = p.shapes[0];
    shape.radius = p.radius;
    check_near(shape_volume(&shape), 0.2 * 0.1 * 0.065, 1e-15);
    check_near(forms_volume_factor(&p) * sphere_volume(p.radius), 0.2 * 0.1 * 0.065, 1e-15);
    assert_false(p.turned);
    forms_release(&p);
}

// Stones: as many corners as asked for, different from each other, as long and as flat as asked for, on average.
static void test_stones(void **state) {
    (void)state;
    ParticlesDefinition p = ballast(25, 200), same = ballast(25, 200);
    prepare(&p), prepare(&same);
    assert_int_equal(p.shape_count, 200);
    assert_true(p.turned);
    double elongation = 0, flatness = 0;
    for (int k = 0; k < 200; k++) {
        const Hull *hull = p.shapes[k].form, *again = same.shapes[k].form;
        assert_int_equal(hull->vertex_count, 25);
        assert_memory_equal(hull->vertices, again->vertices, 25 * sizeof(Vec3));
        Vec3 squares = mat3_symmetric_eigen(hull->second_moment, NULL); // of an ellipsoid a^2/5
        elongation += sqrt(squares.z / squares.y) / 200;
        flatness += sqrt(squares.y / squares.x) / 200;
    }
    check_near(elongation, 1.5, 0.06);
    check_near(flatness, 1.25, 0.06);
    forms_release(&p), forms_release(&same);
}

// A sieve curve is that of the middle width: what comes through a sieve has its middle width below the opening.
static void test_sieved_stones(void **state) {
    (void)state;
    SieveOpening sieve[] = {{0.03, 0}, {0.05, 1}};
    Bed bed = bed_default();
    ParticlesDefinition *p = &bed.definition.particles;
    *p = ballast(20, 7);
    p->sizes = (SizesDefinition){.sieve = sieve, .sieve_count = 2, .seed = 1};
    p->total_mass = 50, p->material = "grain";
    prepare(p);
    wall_set_vector(&bed.walls[0].shape, "size", vec3(1, 1, 10));
    bed.definition.method = METHOD_NONSMOOTH;
    bed.step = 1e-4;
    bed_create(&bed);
    const GrainStore *s = grains_view(bed.grains);
    double mass = 0, least = 1, most = 0;
    for (size_t i = 0; i < s->count; i++) {
        double half = s->radius[i] / p->stretch[s->shape[i]]; // of the width
        mass += 1 / s->inverse_mass[i];
        least = fmin(least, 2 * half), most = fmax(most, 2 * half);
    }
    check_near(mass, 50, 1);
    assert_true(least >= 0.03 && least < 0.032 && most <= 0.05 && most > 0.047);
    bed_destroy(&bed);
    forms_release(p);
}

// A clump has the lengths it is given with; sieved, its middle width counts: that of a dumbbell is the diameter of its balls.
static void test_a_clump(void **state) {
    (void)state;
    SphereOfClump spheres[] = {{vec3(-0.03, 0, 0), 0.01}, {vec3(0.03, 0, 0), 0.01}};
    PartOfClump parts[] = {{.kind = FORM_BOX, .box = {vec3(0.06, 0.005, 0.005)}, .turn = vec3(0.5, 0, 0)}};
    ParticlesDefinition p = {.form = {.kind = FORM_CLUMP, .clump = {spheres, 2, parts, 1}}};
    prepare(&p);
    assert_int_equal(p.shape_count, 1);
    check_near(p.radius, 0.04, 1e-15);
    Shape shape = p.shapes[0];
    shape.radius = p.radius;
    double balls = 2 * sphere_volume(0.01), bar = 0.06 * 0.005 * 0.005;
    assert_true(shape_volume(&shape) > balls && shape_volume(&shape) < balls + bar);
    check_near(forms_volume_factor(&p) * sphere_volume(p.radius), shape_volume(&shape), 1e-15);
    uint64_t hash = forms_hash(&(GrainsDefinition){.particles = p}, 1);
    forms_release(&p);
    SieveOpening sieve[] = {{0.02, 0}, {0.04, 1}};
    p.radius = 0;
    p.sizes = (SizesDefinition){.sieve = sieve, .sieve_count = 2, .seed = 1};
    prepare(&p);
    check_near(p.radius, 0, 0);
    check_near(p.stretch[0], 4, 1e-9); // radius over half of the middle width
    assert_true(forms_hash(&(GrainsDefinition){.particles = p}, 1) == hash);
    forms_release(&p);
    spheres[1].radius = 0.011;
    prepare(&p);
    assert_true(forms_hash(&(GrainsDefinition){.particles = p}, 1) != hash);
    forms_release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_box),
        cmocka_unit_test(test_stones),
        cmocka_unit_test(test_sieved_stones),
        cmocka_unit_test(test_a_clump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
