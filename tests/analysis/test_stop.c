// The wish to stop is heard in whatever takes long, and the state stays one that can be gone on from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"

static const char head[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials:\n"
    "  glass: {density: 2500 kg/m^3, young: 70 GPa, poisson: 0.2, friction: 0.4, restitution: 0}\n"
    "simulate: {duration: 1 ms, step: 0.2 ms}\n";

static MrcModel *parse(const char *rest) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", head, rest);
    MrcModel *model = mrc_model_parse(text, strlen(text), "test.yaml", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        if (!mrc_model_diagnostic(model, i)->warning)
            print_message("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

#define BED(packing, rest)                                                                                   \
    "ports: {box: {position: [0, 0, 0]}}\n"                                                                  \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: box\n"                                                                                        \
    "    wall: {box: {size: [20 mm, 20 mm, 20 mm]}}\n"                                                       \
    "    particles: {radius: 1 mm, count: 500, material: glass}\n"                                           \
    "    packing: " packing "\n"                                                                             \
    "    method: nonsmooth\n" rest

// ---- before the first step -----------------------------------------------------------------------
static const struct {
    const char *model, *message;
} starts[] = {
    {BED("random", ""), "while the grains of 'bed' were placed"},
    {BED("cubic", ""), "while the grains of 'bed' were placed"},
    {BED("fcc", ""), "while the grains of 'bed' were placed"},
    {BED("{settle: {cache: false}}", ""), "while the grains of 'bed' were placed"},
    {"mechanism:\n"
     "  start: equilibrium\n"
     "  beams:\n"
     "    arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 10, section: {rectangle: 30 2 mm}, material: "
     "glass}\n"
     "  joints:\n"
     "    root: {clamp: arm.start}\n",
     "while the static equilibrium was sought"},
};

static void test_starts_are_stopped(void **state) {
    (void)state;
    static const volatile int stop = 1;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        MrcModel *model = parse(starts[k].model);
        MrcSimOptions options = mrc_sim_options_default();
        MrcSim *sim;
        MrcError error;
        options.stop = &stop;
        assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_INTERRUPTED);
        assert_string_equal(error.text, starts[k].message);
        mrc_model_free(model);
    }
}

// ---- within a step -------------------------------------------------------------------------------
// No solver comes below a residual of 1e-30: the step would last for days.
#define ENDLESS(method)                                                                                      \
    BED("fcc", "    contact: {solver: {method: " method ", tolerance: 1e-30, iterations: 1000000000}}\n")

static volatile int stop_soon;

static void stop_when_told(void *user, const MrcProgress *progress) {
    int *reports = user;
    ++*reports;
    assert_non_null(progress->work);
    assert_true(progress->work_most > 0 && progress->work_done <= progress->work_most);
    assert_string_equal(progress->phase, "running");
    stop_soon = 1;
}

static void check_endless(const char *text) {
    MrcModel *model = parse(text);
    MrcSimOptions options = mrc_sim_options_default();
    MrcSim *sim;
    MrcError error;
    MrcGrains before, after;
    int reports = 0;
    stop_soon = 0;
    options.stop = &stop_soon;
    options.progress = stop_when_told;
    options.user = &reports;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_OK);
    assert_int_equal(mrc_sim_grains(sim, 0, &before, &error), MRC_OK);
    size_t bytes = (size_t)before.count * sizeof(double);
    double *z = malloc(bytes);
    assert_non_null(z);
    memcpy(z, before.z, bytes);
    assert_int_equal(mrc_sim_step(sim, &error), MRC_INTERRUPTED);
    assert_true(reports >= 1);
    // As if the step had not been begun.
    assert_int_equal(mrc_sim_step_count(sim), 0);
    assert_int_equal(mrc_sim_grains(sim, 0, &after, &error), MRC_OK);
    assert_memory_equal(after.z, z, bytes);
    free(z);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void test_nsgs_is_stopped(void **state) {
    (void)state;
    check_endless(ENDLESS("nsgs"));
}

static void test_apgd_is_stopped(void **state) {
    (void)state;
    check_endless(ENDLESS("apgd"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_are_stopped),
        cmocka_unit_test(test_nsgs_is_stopped),
        cmocka_unit_test(test_apgd_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
