// Laws, pairs, walls from files and their defaults arrive; warnings about what has no effect.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grains/law.h"
#include "model/model.h"

static const char head[] = "maraca: 1\n"
                           "materials:\n"
                           "  steel: {density: 7800, young: 200 GPa, friction: 0.3, rolling_friction: 0.01}\n"
                           "  lead: {density: 11344, young: 16 GPa}\n"
                           "pairs:\n"
                           "  a: {between: [lead, steel], friction: 0.4}\n"
                           "  b: {between: [lead, lead], restitution: 0.1, rolling_friction: 0}\n"
                           "ports: {box: {position: [1 mm*sin(2*pi*10 Hz*t), 0, 0]}}\n";

static MrcModel *load(const char *wall, const char *contact) {
    char text[4000];
    snprintf(text, sizeof text,
             "%sgrains:\n  bed:\n    port: box\n    wall: {%s}\n    particles: {radius: 1 mm, count: 5, "
             "material: steel}\n"
             "    contact: {%s}\nsimulate: {duration: 1 s}\n",
             head, wall, contact);
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    return model;
}

static const ContactDefinition *contact_of(const MrcModel *model) {
    return &model_definition(model)->grains[0].contact;
}

// Besides the pairs and materials that a model here does not need.
static int other_diagnostics(const MrcModel *model) {
    int count = 0;
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        count += !strstr(mrc_model_diagnostic(model, i)->text, "is used nowhere");
    return count;
}

static void test_laws(void **state) {
    (void)state;
    MrcModel *model = load("box: {size: 2 2 2 cm}", "normal: hertz, tangential: mindlin, rolling: spring");
    assert_int_equal(contact_of(model)->normal, NORMAL_HERTZ);
    assert_int_equal(contact_of(model)->tangential, TANGENTIAL_MINDLIN);
    assert_int_equal(contact_of(model)->rolling, ROLLING_SPRING);
    assert_int_equal(other_diagnostics(model), 0);
    mrc_model_free(model);
    model = load("box: {size: 2 2 2 cm}", "stiffness: material, tangential: elastic, rolling: constant");
    assert_int_equal(contact_of(model)->source, STIFFNESS_MATERIAL);
    assert_int_equal(contact_of(model)->tangential, TANGENTIAL_ELASTIC);
    assert_int_equal(contact_of(model)->rolling, ROLLING_CONSTANT);
    check_near(contact_of(model)->stiffness, 0, 0);
    check_near(contact_of(model)->tangential_ratio, 2.0 / 7, 1e-15);
    assert_int_equal(model_definition(model)->simulate.source, STEP_AUTO);
    assert_true(model_definition(model)->simulate.step > 1e-8);
    char *words = mrc_model_describe(model);
    assert_non_null(
        strstr(words, "from the materials at impacts of 62.83 mm/s; restitution 1, elastic friction 0.3"));
    assert_non_null(strstr(words, "(automatic: "));
    free(words);
    mrc_model_free(model);
}

static void test_pairs(void **state) {
    (void)state;
    MrcModel *model =
        load("box: {size: 2 2 2 cm}", "stiffness: 1 kN/m, tangential: directional, rolling: spring");
    const SimDefinition *d = model_definition(model);
    assert_int_equal(d->pair_count, 2);
    assert_string_equal(d->pairs[0].first, "lead");
    assert_string_equal(d->pairs[0].second, "steel");
    check_near(d->pairs[0].friction, 0.4, 0);
    assert_true(d->pairs[0].restitution < 0 && d->pairs[0].rolling_friction < 0);
    check_near(d->pairs[1].rolling_friction, 0, 0);
    check_near(d->pairs[1].restitution, 0.1, 0);
    check_near(d->materials[0].rolling_friction, 0.01, 0);
    mrc_model_free(model);
}

static void check_warning(const char *contact, const char *wanted) {
    MrcModel *model = load("box: {size: 2 2 2 cm}", contact);
    bool found = false;
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        found = found || (mrc_model_diagnostic(model, i)->warning &&
                          strstr(mrc_model_diagnostic(model, i)->text, wanted));
    if (!found) fail_msg("no warning '%s'", wanted);
    mrc_model_free(model);
}

static void test_warnings(void **state) {
    (void)state;
    check_warning("stiffness: 1e4",
                  "the friction of the materials has no effect in 'bed': 'tangential' is 'none'");
    check_warning("stiffness: 1e4", "the rolling friction of the materials has no effect");
    check_warning("stiffness: 1e4, sizing: {beta: 2}", "'sizing' changes nothing");
}

static void test_round_walls(void **state) {
    (void)state;
    MrcModel *model = load("capsule: {radius: 1 cm, length: 3 cm, axis: x}", "normal: hertz");
    const Wall *wall = &model_definition(model)->grains[0].walls[0].shape;
    assert_string_equal(wall_kind_name(wall), "capsule");
    check_near(wall_number(wall, "length"), 0.03, 1e-15);
    mrc_model_free(model);
    model =
        load("cone: {radius_start: 1 cm, radius_end: 0, height: 3 cm, center: 1 0 0 mm}", "normal: hertz");
    wall = &model_definition(model)->grains[0].walls[0].shape;
    assert_string_equal(wall_kind_name(wall), "cone");
    check_near(wall_number(wall, "radius_start"), 0.01, 1e-15);
    check_near(wall_vector(wall, "center").x, 0.001, 1e-15);
    mrc_model_free(model);
}

// The unit cube, as ASCII STL.
static void write_cube(const char *path, double side) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("solid cube\n", file);
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            for (int half = 0; half < 2; half++) {
                static const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
                fputs("facet normal 0 0 0\nouter loop\n", file);
                for (int k = 0; k < 3; k++) {
                    double p[3];
                    int at = end ? k : 2 - k;
                    p[axis] = side * end;
                    p[(axis + 1) % 3] = side * corners[half][at][0];
                    p[(axis + 2) % 3] = side * corners[half][at][1];
                    fprintf(file, "vertex %g %g %g\n", p[0], p[1], p[2]);
                }
                fputs("endloop\nendfacet\n", file);
            }
    fputs("endsolid cube\n", file);
    fclose(file);
}

// A mesh is looked for beside the file that names it, and belongs to the identity of the model.
static void test_mesh(void **state) {
    (void)state;
    char folder[] = "/tmp/maraca-mesh-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/parts", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/parts/cube.stl", folder);
    write_cube(path, 20);
    snprintf(path, sizeof path, "%s/parts/bed.yaml", folder);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "%sgrains:\n  bed:\n    port: box\n    wall: {mesh: {file: cube.stl, scale: 1 mm, offset: -10 "
            "-10 -10 mm}}\n"
            "    particles: {radius: 1 mm, filling: 0.1, material: steel}\n    contact: {normal: hertz, "
            "tangential: mindlin}\n",
            head);
    fclose(file);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    file = fopen(path, "w");
    fputs("include: parts/bed.yaml\nsimulate: {duration: 1 ms, step: 1 us}\n", file);
    fclose(file);
    MrcModel *model = mrc_model_load(path, NULL, 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    const Wall *wall = &model_definition(model)->grains[0].walls[0].shape;
    check_near(wall_volume(wall), 8e-6, 1e-12);
    Vec3 lower, upper;
    assert_true(wall_bounds(wall, &lower, &upper));
    check_near(lower.x, -0.01, 1e-9);
    char *words = mrc_model_describe(model);
    assert_non_null(strstr(words, "a mesh of 12 triangles (cube.stl, a closed room)"));
    free(words);
    MrcError error;
    MrcRunOptions options = mrc_run_options_default();
    if (mrc_run(model, &options, NULL, &error) != MRC_OK) fail_msg("%s", error.text);
    uint64_t hash = model_hash(model);
    mrc_model_free(model);
    char mesh[200];
    snprintf(mesh, sizeof mesh, "%s/parts/cube.stl", folder);
    write_cube(mesh, 21);
    model = mrc_model_load(path, NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    assert_true(model_hash(model) != hash);
    mrc_model_free(model);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),        cmocka_unit_test(test_pairs), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_round_walls), cmocka_unit_test(test_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
