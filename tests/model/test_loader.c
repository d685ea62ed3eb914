// Values arrive: units, constants, defaults, variants, includes, overrides.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grains/law.h"
#include "grains/packing.h"
#include "model/model.h"

#define PI 3.14159265358979323846

static const char base[] =
    "maraca: 1\n"
    "title: A test\n"
    "gravity: 0 -9.81 0 m/s^2\n"
    "constants: {w: 2*pi*f, f: 15.5 Hz, A: 2 mm}\n"
    "materials:\n"
    "  steel: {density: 7.8 g/cm^3, young: 210 GPa}\n"
    "  lead: {density: 11344, friction: 52 %, restitution: 0}\n"
    "ports:\n"
    "  box: {position: [A*sin(w*t), 1e3 cm, 0], rotation: {axis: 0 3 4, angle: 90 deg}}\n"
    "  still: {}\n"
    "grains:\n"
    "  one:\n"
    "    port: box\n"
    "    wall: {cylinder: {radius: 1 cm, height: 30 mm, axis: -y}, material: steel}\n"
    "    particles: {radius: 1 mm, total_mass: 7 g, material: lead, velocity: 1 2 3 mm/s}\n"
    "    packing: fcc\n"
    "    contact: {stiffness: 5 kN/m, tangential: directional}\n"
    "  two:\n"
    "    walls:\n"
    "      floor: {plane: {normal: z}, port: still}\n"
    "      ball: {sphere: {radius: 5 cm, center: [1 mm, 0, A]}}\n"
    "    particles: {radius: 2 mm, filling: 0.2, material: steel}\n"
    "    packing: {random: {gap: 50 um, seed: 7}}\n"
    "    contact: {stiffness: 1000, wall_stiffness: 2 kN/m, max_overlap: 5 %}\n"
    "simulate: {duration: 2 s, step: 10 us}\n"
    "record: {series: energy}\n"
    "frames: {every: 10 ms}\n";

static MrcModel *load(const char *text, const char *const *overrides, int override_count) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", overrides, override_count);
    assert_non_null(model);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(model, i);
        print_error("%s:%d:%d: %s\n", d->file, d->line, d->column, d->text);
    }
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static void check_vector(Vec3 found, double x, double y, double z) {
    check_near(found.x, x, 1e-15);
    check_near(found.y, y, 1e-15);
    check_near(found.z, z, 1e-15);
}

static void test_values(void **state) {
    (void)state;
    MrcModel *model = load(base, NULL, 0);
    const SimDefinition *d = model_definition(model);
    assert_int_equal(d->format, 1);
    assert_string_equal(d->title, "A test");
    check_vector(d->gravity, 0, -9.81, 0);
    assert_int_equal(d->material_count, 2);
    assert_string_equal(d->materials[0].name, "steel");
    check_near(d->materials[0].density, 7800, 1e-9);
    check_near(d->materials[0].young, 210e9, 0);
    check_near(d->materials[1].friction, 0.52, 1e-15);
    check_near(d->materials[1].restitution, 0, 0);
    check_near(d->simulate.step, 1e-5, 1e-20);
    check_near(d->frames_every, 0.01, 1e-17);
    assert_int_equal(d->record.series_count, 1);
    assert_string_equal(d->record.series[0], "energy");
    mrc_model_free(model);
}

static void test_defaults(void **state) {
    (void)state;
    MrcModel *model = load(base, NULL, 0);
    const SimDefinition *d = model_definition(model);
    check_near(d->materials[0].poisson, 0.3, 0);
    check_near(d->materials[0].friction, 0, 0);
    check_near(d->materials[0].restitution, 1, 0);
    check_near(d->grains[0].contact.max_overlap, 0.2, 0);
    check_near(d->grains[0].contact.wall_stiffness, 0, 0);
    check_near(d->record.every, 0, 0);
    check_near(d->checkpoint_every, 0, 0);
    assert_null(d->grains[1].port);
    const PortDefinition *still = &d->ports[1];
    for (int i = 0; i < 3; i++)
        check_near(expression_value(still->position[i], (TimePoint){.time = 1}, NULL), 0, 0);
    check_vector(still->axis, 0, 0, 1);
    check_near(expression_value(still->angle, (TimePoint){.time = 1}, NULL), 0, 0);
    mrc_model_free(model);
}

static void test_motion(void **state) {
    (void)state;
    MrcModel *model = load(base, NULL, 0);
    const PortDefinition *box = &model_definition(model)->ports[0];
    double w = 2 * PI * 15.5;
    Jet jet = expression_jet(box->position[0], (TimePoint){.time = 0.3});
    check_near(jet.value, 0.002 * sin(w * 0.3), 1e-15);
    check_near(jet.rate, 0.002 * w * cos(w * 0.3), 1e-12);
    check_near(expression_value(box->position[1], (TimePoint){.time = 0}, NULL), 10, 1e-15);
    check_vector(box->axis, 0, 0.6, 0.8);
    check_near(expression_value(box->angle, (TimePoint){.time = 0}, NULL), PI / 2, 1e-15);
    mrc_model_free(model);
}

static void test_grains(void **state) {
    (void)state;
    MrcModel *model = load(base, NULL, 0);
    const GrainsDefinition *one = &model_definition(model)->grains[0], *two = one + 1;
    assert_string_equal(one->port, "box");
    assert_int_equal(one->wall_count, 1);
    assert_string_equal(one->walls[0].name, "wall");
    assert_string_equal(one->walls[0].material, "steel");
    assert_string_equal(wall_kind_name(&one->walls[0].shape), "cylinder");
    check_vector(wall_vector(&one->walls[0].shape, "axis"), 0, -1, 0);
    check_near(wall_number(&one->walls[0].shape, "height"), 0.03, 1e-17);
    check_near(one->particles.total_mass, 0.007, 1e-18);
    check_vector(one->particles.velocity, 1e-3, 2e-3, 3e-3);
    assert_int_equal(one->packing.kind, PACKING_FCC);
    assert_int_equal(one->contact.tangential, TANGENTIAL_DIRECTIONAL);
    check_near(one->contact.stiffness, 5000, 0);
    assert_int_equal(two->wall_count, 2);
    assert_string_equal(two->walls[0].name, "floor");
    assert_string_equal(two->walls[0].port, "still");
    check_vector(wall_vector(&two->walls[0].shape, "normal"), 0, 0, 1);
    check_vector(wall_vector(&two->walls[1].shape, "center"), 1e-3, 0, 2e-3);
    assert_int_equal(two->packing.kind, PACKING_RANDOM);
    check_near(two->packing.gap, 50e-6, 1e-20);
    assert_int_equal(two->packing.seed, 7);
    check_near(two->contact.max_overlap, 0.05, 1e-17);
    check_near(two->contact.wall_stiffness, 2000, 0);
    mrc_model_free(model);
}

// Sizes and packings of all kinds, by overriding what the model says.
static void test_sizes_and_packings(void **state) {
    (void)state;
    const char *const overrides[] = {
        "grains.one.particles={sizes: {sieve: [{opening: 1 mm, passing: 0}, {opening: 3 mm, passing: 100 "
        "%}], "
        "seed: 4}, total_mass: 7 g, material: lead}",
        "grains.one.packing={settle: {direction: -z, shakes: 2, limit: 3 s, cache: false}}",
        "grains.two.particles.sizes={classes: [{radius: 1 mm, mass: 30 %}, {diameter: 4 mm, mass: 70 %}]}",
        "grains.two.packing=settle",
        "grains.two.particles={sizes: {classes: [{radius: 1 mm, mass: 30 %}, {diameter: 4 mm, mass: 70 %}]}, "
        "count: 50, material: steel}"};
    MrcModel *model = load(base, overrides, 5);
    const GrainsDefinition *one = &model_definition(model)->grains[0], *two = one + 1;
    assert_int_equal(one->particles.sizes.sieve_count, 2);
    check_near(one->particles.sizes.sieve[1].opening, 0.003, 1e-18);
    check_near(one->particles.sizes.sieve[1].passing, 1, 1e-15);
    assert_int_equal(one->particles.sizes.seed, 4);
    assert_int_equal(one->packing.kind, PACKING_SETTLE);
    check_vector(one->packing.direction, 0, 0, -1);
    assert_int_equal(one->packing.shakes, 2);
    check_near(one->packing.limit, 3, 0);
    assert_false(one->packing.cache);
    assert_int_equal(two->particles.sizes.class_count, 2);
    check_near(two->particles.sizes.classes[1].diameter, 0.004, 1e-18);
    check_near(two->particles.sizes.classes[1].mass, 0.7, 1e-15);
    assert_true(two->packing.cache);
    check_near(two->packing.limit, 10, 0);
    char *words = mrc_model_describe(model);
    static const char *const expected[] = {
        "spheres with radii from 500 um to 1.5 mm, by a sieve curve of 2 points, on average",
        "at the start at rest, after falling towards 0 0 -1 and at most 2 gentle shakes.",
        "50 spheres with radii from 1 mm to 2 mm, in 2 classes, on average",
        "at the start at rest, after falling under gravity and at most 5 gentle shakes."};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(words, expected[i])) fail_msg("'%s' is not in:\n%s", expected[i], words);
    free(words);
    mrc_model_free(model);
}

static void test_overrides(void **state) {
    (void)state;
    const char *const overrides[] = {
        "simulate.step=20 us", "constants.A=3 mm",      "record.series=[one.load, energy]",
        "record.series.1=one", "checkpoint={every: 1}", "grains.two.particles.filling=A/1 cm"};
    MrcModel *model = load(base, overrides, 6);
    const SimDefinition *d = model_definition(model);
    check_near(d->simulate.step, 20e-6, 1e-20);
    check_near(expression_jet(d->ports[0].position[0], (TimePoint){.time = 0}).rate, 0.003 * 2 * PI * 15.5,
               1e-12);
    assert_int_equal(d->record.series_count, 2);
    assert_string_equal(d->record.series[0], "one.load");
    assert_string_equal(d->record.series[1], "one");
    check_near(d->checkpoint_every, 1, 0);
    check_near(d->grains[1].particles.filling, 0.3, 1e-15);
    mrc_model_free(model);
}

// `packing: settle` is a word for a mapping, whose keys can be set.
static void test_overrides_behind_a_word(void **state) {
    (void)state;
    const char *const overrides[] = {"grains.one.packing=settle", "grains.one.packing.settle.seed=5",
                                     "grains.one.packing.settle.shakes=2"};
    MrcModel *model = load(base, overrides, 3);
    const SimDefinition *d = model_definition(model);
    assert_int_equal(d->grains[0].packing.kind, PACKING_SETTLE);
    assert_int_equal(d->grains[0].packing.seed, 5);
    assert_int_equal(d->grains[0].packing.shakes, 2);
    mrc_model_free(model);
}

static void check_override_refused(const char *override, const char *text) {
    MrcModel *model = mrc_model_parse(base, strlen(base), "test", &override, 1);
    assert_int_equal(mrc_model_status(model), MRC_MODEL);
    assert_int_equal(mrc_model_diagnostic_count(model), 1);
    const MrcDiagnostic *finding = mrc_model_diagnostic(model, 0);
    assert_string_equal(finding->text, text);
    assert_int_equal(finding->line, 0);
    assert_memory_equal(finding->file, "--set ", 6);
    assert_string_equal(finding->file + 6, override);
    mrc_model_free(model);
}

static void test_overrides_refused(void **state) {
    (void)state;
    const char *usage = "an override is path=value, such as simulate.step=1 us";
    check_override_refused("simulate.step", usage);
    check_override_refused("=3", usage);
    check_override_refused("simulate..step=3", usage);
    check_override_refused("simulate.step.=3", usage);
    check_override_refused("simulate step=3", usage);
    check_override_refused("simulate.step=", "there is no value after '='");
    check_override_refused("simulate.step=#", "there is no value");
    check_override_refused("include=a.yaml", "'include' can only stand in a file");
    check_override_refused("simulate.step=1 kg", "'step': expected a time (s), got a mass (kg)");
    check_override_refused("simulate.stp=1 s", "unknown key 'stp' in 'simulate'; did you mean 'step'?");
    check_override_refused("simulate.step.x=1", "there is no 'x' to set inside the value '10 us'");
    check_override_refused("grains.one.packing.settle.seed=1",
                           "there is no 'settle' to set inside the value 'fcc'");
    check_override_refused("grains.one.port=bx",
                           "'port' is 'bx', which is not in 'ports'; did you mean 'box'?");
    check_override_refused("gravity=[1, 2",
                           "this is not YAML: flow sequence without a closing bracket; a ']' is missing");
}

static void write_file(const char *name, const char *text) {
    FILE *stream = fopen(name, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void test_includes(void **state) {
    (void)state;
    char folder[] = "/tmp/maraca-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("parts", 0777), 0);
    write_file("parts/first.yaml", "include: deeper.yaml\n"
                                   "materials: {steel: {density: 1}, lead: {density: 11344}}\n"
                                   "simulate: {duration: 9 s, step: 1 ms}\n");
    write_file("parts/deeper.yaml", "title: from deep down\nmaterials: {glass: {density: 2500}}\n");
    write_file("parts/second.yaml", "materials: {steel: {density: 2, friction: 0.5}}\n");
    write_file("model.yaml", "maraca: 1\n"
                             "include: [parts/first.yaml, parts/second.yaml]\n"
                             "materials: {steel: {density: 3}}\n"
                             "grains:\n"
                             "  bed:\n"
                             "    wall: {sphere: {radius: 1 m}}\n"
                             "    particles: {radius: 1 cm, count: 3, material: steel}\n"
                             "    contact: {stiffness: 1 kN/m}\n"
                             "simulate: {duration: 1 s}\n");
    char path[64];
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    assert_int_equal(chdir("/"), 0); // includes are relative to the file, not to the current folder
    MrcModel *model = mrc_model_load(path, NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    const SimDefinition *d = model_definition(model);
    assert_string_equal(d->title, "from deep down");
    assert_int_equal(d->material_count, 3);
    check_near(d->simulate.duration, 1, 0);
    check_near(d->simulate.step, 1e-3, 1e-18);
    for (int i = 0; i < 3; i++) {
        if (strcmp(d->materials[i].name, "steel") != 0) continue;
        check_near(d->materials[i].density, 3, 0);
        check_near(d->materials[i].friction, 0.5, 0);
    }
    char *text = mrc_model_text(model);
    assert_null(strstr(text, "include"));
    free(text);
    mrc_model_free(model);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

// Of keys that exclude each other, that of the including file stays; all else is merged, as ever.
static void test_including_file_replaces_kinds(void **state) {
    (void)state;
    char folder[] = "/tmp/maraca-test-XXXXXX", path[64], removal[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("deep.yaml", "grains: {bed: {packing: {fcc: {gap: 1 mm}}}}\n");
    write_file("base.yaml",
               "include: deep.yaml\n"
               "materials: {steel: {density: 7800}}\n"
               "mechanism:\n"
               "  bodies: {cart: {mass: 1 kg}, fan: {mass: 1 kg}}\n"
               "  joints: {rail: {screw: cart, axis: x, pitch: 2 mm}, hub: {revolute: fan, axis: y}}\n"
               "grains:\n"
               "  bed:\n"
               "    wall: {sphere: {radius: 1 m}}\n"
               "    particles: {radius: 1 cm, count: 3, material: steel}\n"
               "    packing: {random: {seed: 5}}\n"
               "    contact: {stiffness: 1 kN/m}\n"
               "simulate: {duration: 1 s, step: 1 ms}\n");
    write_file("model.yaml", "maraca: 1\n"
                             "include: base.yaml\n"
                             "mechanism: {joints: {rail: {prismatic: cart}}}\n"
                             "grains:\n"
                             "  bed:\n"
                             "    walls: {side: {box: {size: 1 2 3 m}}}\n"
                             "    particles: {total_mass: 1 kg}\n"
                             "    packing: {fcc: {}}\n");
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    MrcModel *model = mrc_model_load(path, NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    char *text = mrc_model_text(model); // reads back, since nothing that is excluded is left in it
    const char *const gone[] = {"screw", "pitch", "random", "seed", "sphere", "count", "gap"};
    const char *const there[] = {"prismatic", "axis: x", "revolute", "fcc", "total_mass", "1 cm"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (strstr(text, gone[i])) fail_msg("'%s' is left in %s", gone[i], text);
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (!strstr(text, there[i])) fail_msg("'%s' is lost from %s", there[i], text);
    free(text);
    mrc_model_free(model);
    assert_int_equal(chdir("/"), 0);
    snprintf(removal, sizeof removal, "rm -r %s", folder);
    assert_int_equal(system(removal), 0);
}

static void test_file_that_is_not_there(void **state) {
    (void)state;
    MrcModel *model = mrc_model_load("/no/such/model.yaml", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_READ_FAILED);
    assert_int_equal(mrc_model_diagnostic_count(model), 1);
    mrc_model_free(model);
}

static void test_text_reads_back(void **state) {
    (void)state;
    const char *const overrides[] = {"title='quoted: #text'", "constants.A=7 mm"};
    MrcModel *model = load(base, overrides, 2);
    char *text = mrc_model_text(model);
    MrcModel *again = load(text, NULL, 0);
    char *twice = mrc_model_text(again);
    assert_string_equal(text, twice);
    assert_true(model_hash(model) == model_hash(again));
    assert_string_equal(model_definition(again)->title, "quoted: #text");
    MrcModel *other = load(base, NULL, 0);
    assert_true(model_hash(model) != model_hash(other));
    free(text);
    free(twice);
    mrc_model_free(model);
    mrc_model_free(again);
    mrc_model_free(other);
}

static void test_description(void **state) {
    (void)state;
    MrcModel *model = load(base, NULL, 0);
    char *words = mrc_model_describe(model);
    static const char *const expected[] = {
        "147 spheres of radius 1 mm of lead (6.985 g in all) in a cylinder of radius 10 mm",
        "and height 30 mm of steel",
        "moves along x as A*sin(w*t): from -2 mm to 2 mm",
        "200,000 steps of 10 us",
        "carried by port box",
        "Port still does not move",
        "Gravity is 0 -9.81 0 m/s^2",
        "a frame every 10 ms",
        "fixed to the ground",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(words, expected[i])) fail_msg("'%s' is not in:\n%s", expected[i], words);
    free(words);
    mrc_model_free(model);
}

static void test_many_errors_are_cut_short(void **state) {
    (void)state;
    char text[8192] = "maraca: 1\nmaterials:\n";
    for (int i = 0; i < 80; i++) sprintf(text + strlen(text), "  m%d: {density: -1}\n", i);
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    int count = mrc_model_diagnostic_count(model);
    assert_int_equal(count, 51);
    assert_string_equal(mrc_model_diagnostic(model, 50)->text, "and 32 more errors; mend these first");
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_sizes_and_packings),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_overrides_behind_a_word),
        cmocka_unit_test(test_overrides_refused),
        cmocka_unit_test(test_includes),
        cmocka_unit_test(test_including_file_replaces_kinds),
        cmocka_unit_test(test_file_that_is_not_there),
        cmocka_unit_test(test_text_reads_back),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_many_errors_are_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
