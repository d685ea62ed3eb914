// Stops: impacts, rest and friction in closed form; the slider-crank in three descriptions.
#include "sim/run.h"

// ---- a weight falls on the floor -------------------------------------------------------------------
static const char *const falling =
    "maraca: 1\n"
    "gravity: 0 0 -10 m/s^2\n"
    "mechanism:\n"
    "  formulation: %s\n"
    "  bodies: {weight: {mass: 2 kg, inertia: 1 1 1 g*m^2, position: 0 0 0.2 m}}\n"
    "  joints: {guide: {prismatic: weight, axis: z}}\n"
    "stops:\n"
    "  floor: {port: weight, points: [0 0 0 m], radius: 20 mm, wall: {plane: {normal: "
    "z, point: 0 0 0 m}}, restitution: %s}\n"
    "coupling: {scheme: %s}\n"
    "simulate: {duration: 2 s, step: 20 us}\n";

static void a_weight_bounces_and_rests(void **state) {
    (void)state;
    static const char *const forms[] = {"absolute", "relative"}, *const schemes[] = {"condensed",
                                                                                     "monolithic"};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text, falling, forms[k / 2], "0.5", schemes[k % 2]);
        Run run = start_text(text);
        double v = sqrt(2 * 10 * 0.18), t = v / 10; // of the first impact
        double top = 0;
        for (int n = 0; n < (int)((t + v / 10) / 20e-6); n += 50) { // up to the second one
            step_often(&run, 50);
            if (now(&run) > t + 0.001) top = fmax(top, value(&run, "weight.z"));
        }
        check_near(top - 0.02, 0.25 * 0.18, 0.25 * 0.18 * 1e-2);
        step_often(&run, 60000);
        check_near(value(&run, "floor.force"), 20, 1e-6);
        check_near(value(&run, "floor.gap"), 0, 1e-9);
        check_near(value(&run, "weight.vz"), 0, 1e-9);
        check_near(value(&run, "energy.impact"), 2 * 10 * 0.18, 2e-2 * 3.6); // all of it
        check_near(value(&run, "energy.error"), 0, 1e-9);
        end(&run);
    }
}

// ---- friction: a block on an incline of 30 degrees ---------------------------------------------------
static void friction_holds_or_slides_as_coulomb_says(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *text =
            "maraca: 1\n"
            "gravity: 5 0 -8.660254037844386 m/s^2\n"
            "mechanism:\n"
            "  formulation: relative\n"
            "  bodies: {block: {mass: 1 kg, inertia: 2 2 2 g*m^2, position: 0 0 0.05 m}}\n"
            "stops:\n"
            "  feet: {port: block, points: [-0.1 -0.1 -0.05 m, 0.1 -0.1 -0.05 m, -0.1 0.1 -0.05 m, 0.1 "
            "0.1 -0.05 m], wall: {plane: {normal: z, point: 0 0 0 m}}, friction: %s}\n"
            "coupling: {scheme: monolithic}\n"
            "simulate: {duration: 1 s, step: 0.1 ms}\n";
        char whole[1200];
        snprintf(whole, sizeof whole, text, k ? "0.3" : "0.6"); // tan(30 deg) = 0.577
        Run run = start_text(whole);
        step_often(&run, 5000);
        double a = 5 - 0.3 * 8.660254037844386;
        check_near(value(&run, "block.x"), k ? 0.5 * a * 0.25 : 0, k ? 2e-3 * 0.3 : 1e-9);
        check_near(value(&run, "block.z"), 0.05, 1e-8);
        check_near(value(&run, "feet.force"), 8.660254037844386, 1e-5);
        check_near(value(&run, "energy.error"), 0, 1e-9);
        end(&run);
    }
}

// ---- slider-crank ------------------------------------------------------------------------------------
// One turn at 20 us: the slider stays in its guide, loops stay closed, and the three descriptions agree.
static void three_descriptions_of_the_slider_crank_agree(void **state) {
    (void)state;
    static const char *const cut_y[] = {"simulate.step=20 us",
                                        "mechanism.independent=[B, slide.y, slide.rz]"};
    Run runs[3] = {start_file("examples/slider-crank.yaml", cut_y, 1),
                   start_file("examples/slider-crank-cut.yaml", cut_y, 1),
                   start_file("examples/slider-crank-cut.yaml", cut_y, 2)};
    double apart = 0, overlap = 0, open = 0;
    for (int n = 0; n < 2090; n += 11) {
        double y[3];
        for (int k = 0; k < 3; k++) {
            step_often(&runs[k], 11);
            y[k] = value(&runs[k], "slider.y");
            overlap = fmax(overlap, -value(&runs[k], "guide.gap"));
            open = fmax(open, fact(&runs[k], "mechanism.violation"));
        }
        apart = fmax(apart, fmax(fabs(y[1] - y[0]), fabs(y[2] - y[0])));
    }
    print_message("apart by %.2e m, overlap %.2e m, loops open by %.2e m\n", apart, overlap, open);
    check_near(apart, 0, 5e-5);
    check_near(overlap, 0, 1e-8);
    check_near(open, 0, 1e-10);
    for (int k = 0; k < 3; k++) {
        check_near(value(&runs[k], "energy.error"), 0, 1e-9);
        check_near(value(&runs[k], "energy.algorithm"), 0, 2e-3 * 7.5);
        end(&runs[k]);
    }
}

// A state that was saved and loaded goes on with the same bits.
static void a_resumed_slider_crank_goes_on_alike(void **state) {
    (void)state;
    Run run = start_file("examples/slider-crank-cut.yaml", NULL, 0);
    MrcState *middle = NULL;
    MrcError error;
    step_often(&run, 400);
    assert_int_equal(mrc_sim_save(run.sim, &middle, &error), MRC_OK);
    double first = 0;
    for (int round = 0; round < 3; round++) {
        step_often(&run, 300);
        double y = value(&run, "slider.y");
        if (round == 0) first = y;
        assert_memory_equal(&first, &y, sizeof y);
        assert_int_equal(mrc_sim_restore(run.sim, middle, &error), MRC_OK);
    }
    mrc_state_free(middle);
    end(&run);
}

static void a_scheme_without_mobility_is_refused(void **state) {
    (void)state;
    char text[1000];
    MrcError error = {0};
    snprintf(text, sizeof text, falling, "relative", "0", "loose");
    Run run = start_text(text);
    assert_int_equal(mrc_sim_step(run.sim, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "stop 'floor' needs the mobility of its port"));
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_bounces_and_rests),
        cmocka_unit_test(friction_holds_or_slides_as_coulomb_says),
        cmocka_unit_test(three_descriptions_of_the_slider_crank_agree),
        cmocka_unit_test(a_resumed_slider_crank_goes_on_alike),
        cmocka_unit_test(a_scheme_without_mobility_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
