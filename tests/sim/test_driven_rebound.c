// Walls of a machine whose joints are driven hit a ball at rest: it leaves with e times the speed of approach, against the wall.
// The drive does work in the impact. (It was left out of the energy that a rebound may give back, and nothing was left of the
// rebound: (1 + e) V became V.) The impact takes m (1 - e^2) u^2/2 with the reduced mass m; the drive gives this, and what the
// ball has.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"
#include "math/vec3.h"

static const double restitutions[] = {0.3, 0.9, 1};

typedef struct DrivenCase {
    const char *machine; // bodies, joints and walls of the model file
    const char *method, *formulation;
    double restitution;
} DrivenCase;

typedef struct DrivenImpact {
    Vec3 place, after; // of the ball: where it was at the start [m], and its velocity in the end [m/s]
    double mass;       // of the ball [kg]
    double work, impact, made; // energies in the end [J]: of the drives, lost in impacts, by the integration
} DrivenImpact;

static DrivenImpact first_impact(const DrivenCase *c) {
    char text[1600];
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 0 m/s^2\n"
             "materials: {ball: {density: 2500 kg/m^3, friction: 0, restitution: %g}}\n"
             "%s"
             "    particles: {radius: 3 mm, count: 1, material: ball}\n"
             "    packing: cubic\n"
             "    method: %s\n"
             "simulate: {duration: 0.1 s, step: 0.1 ms}\n",
             c->restitution, c->machine, c->method);
    MrcError error;
    MrcSim *sim;
    MrcGrains grains;
    char setting[64];
    snprintf(setting, sizeof setting, "mechanism.formulation=%s", c->formulation);
    const char *const settings[] = {setting};
    MrcModel *model = mrc_model_parse(text, strlen(text), "driven", settings, 1);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", text);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    assert_int_equal(mrc_sim_grains(sim, 0, &grains, &error), MRC_OK);
    DrivenImpact result = {.mass = 2500 * 4.0 / 3 * M_PI * 27e-9};
    result.place = (Vec3){grains.x[0], grains.y[0], grains.z[0]};
    int after = 0; // steps since the impact
    while (!mrc_sim_is_done(sim) && after < 3) {
        if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        assert_int_equal(mrc_sim_grains(sim, 0, &grains, &error), MRC_OK);
        result.after = (Vec3){grains.vx[0], grains.vy[0], grains.vz[0]};
        after += vec3_norm(result.after) > 1e-3;
    }
    result.work = mrc_sim_value(sim, mrc_sim_find_signal(sim, "energy.work"));
    result.impact = mrc_sim_value(sim, mrc_sim_find_signal(sim, "energy.impact"));
    result.made = mrc_sim_value(sim, mrc_sim_find_signal(sim, "energy.algorithm"));
    mrc_sim_free(sim);
    mrc_model_free(model);
    return result;
}

// Both methods, both formulations.
static void check_each(const char *machine, void (*check)(const DrivenCase *c, const DrivenImpact *found)) {
    static const char *const methods[] = {"nonsmooth", "nscd"}, *const formulations[] = {"absolute",
                                                                                         "relative"};
    for (int m = 0; m < 2; m++)
        for (int f = 0; f < 2; f++)
            for (int e = 0; e < 3; e++) {
                DrivenCase c = {machine, methods[m], formulations[f], restitutions[e]};
                DrivenImpact found = first_impact(&c);
                check(&c, &found);
            }
}

// ---- a slide -----------------------------------------------------------------------------------------
static const double slide_speed = 0.5; // [m/s]

static void check_slide(const DrivenCase *c, const DrivenImpact *found) {
    double e = c->restitution, V = slide_speed, unit = found->mass * V * V;
    check_near(found->after.x, (1 + e) * V, 1e-6);
    check_near(found->work / unit, 1 + e, 1e-6);
    check_near(found->impact / unit, 0.5 * (1 - e * e), 1e-6);
    check_near(found->made / unit, 0, 1e-6);
}

static void a_driven_slide_throws_the_ball(void **state) {
    (void)state;
    check_each("mechanism:\n"
               "  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2, velocity: 0.5 0 0 m/s}}\n"
               "  joints: {guide: {prismatic: box, axis: x, position: 0.5 m/s*t}}\n"
               "grains:\n"
               "  bed:\n"
               "    wall: {box: {size: 30 30 30 mm}, port: box}\n",
               check_slide);
}

// ---- a paddle ----------------------------------------------------------------------------------------
// It turns at w. Without friction the ball leaves at right angles to the paddle, which it touches where the paddle's speed is w
// times what is left of the distance from the axis.
static const double paddle_rate = 10, paddle_half = 2e-3, ball_radius = 3e-3;

static void check_paddle(const DrivenCase *c, const DrivenImpact *found) {
    double distance2 = found->place.x * found->place.x + found->place.y * found->place.y,
           height = paddle_half + ball_radius, u = paddle_rate * sqrt(distance2 - height * height);
    double e = c->restitution, unit = found->mass * u * u;
    check_near(hypot(found->after.x, found->after.y) / u, 1 + e, 1e-3); // the paddle turns on within the step
    check_near(found->work / unit, 1 + e, 3e-3);
    check_near(found->impact / unit, 0.5 * (1 - e * e), 3e-3);
}

static void a_driven_paddle_throws_the_ball(void **state) {
    (void)state;
    check_each("mechanism:\n"
               "  bodies: {arm: {mass: 1 kg, inertia: 10 10 10 g*m^2, angular_velocity: 0 0 10 rad/s}}\n"
               "  joints: {axle: {revolute: arm, axis: z, rate: 10 rad/s}}\n"
               "grains:\n"
               "  bed:\n"
               "    walls:\n"
               "      room: {box: {size: 60 60 50 mm, center: 100 35 0 mm}}\n"
               "      paddle: {block: {size: 150 4 60 mm, center: 75 0 0 mm}, port: arm}\n",
               check_paddle);
}

// ---- a box that a drive moves in part ----------------------------------------------------------------
// On a slide that is driven along x it slides freely, at 45 degrees to x. An impulse along x moves it along its own slide:
// its inverse mass is cos^2(45 degrees)/M, and half of the impulse gets to the drive.
static const double carried_mass = 5e-4; // [kg]

static void check_carried(const DrivenCase *c, const DrivenImpact *found) {
    double e = c->restitution, V = slide_speed, reduced = 1 / (1 / found->mass + 0.5 / carried_mass);
    check_near(found->after.x, (1 + e) * V * reduced / found->mass, 1e-6);
    check_near(found->impact / (reduced * V * V), 0.5 * (1 - e * e), 1e-5);
    check_near(found->work / (reduced * V * V), 0.5 * (1 + e), 1e-5);
}

static void a_box_that_is_driven_in_part_throws_the_ball(void **state) {
    (void)state;
    check_each("mechanism:\n"
               "  bodies:\n"
               "    slide: {mass: 0.2 kg, inertia: 1 1 1 g*m^2, velocity: 0.5 0 0 m/s}\n"
               "    box: {mass: 0.5 g, inertia: 1 1 1 g*m^2, velocity: 0.5 0 0 m/s}\n"
               "  joints:\n"
               "    guide: {prismatic: slide, axis: x, position: 0.5 m/s*t}\n"
               "    across: {prismatic: [slide, box], axis: 1 1 0}\n"
               "grains:\n"
               "  bed:\n"
               "    wall: {box: {size: 30 30 30 mm}, port: box}\n",
               check_carried);
}

// ---- the work of the drive by semi-implicit Euler --------------------------------------------------------
// A driven slide swings with one ball in it. What its drive gives is what the ball has and has lost: the box itself takes nothing over whole
// periods, and the integration next to nothing. (It seemed to take 57 mJ in half a second, of a box with 32 mJ.)
static void the_monolithic_scheme_books_the_work_of_drives(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "maraca: 1\ngravity: 0 0 0 m/s^2\n"
                 "materials: {ball: {density: 2500 kg/m^3, friction: 0, restitution: 0.9}}\n"
                 "mechanism:\n"
                 "  formulation: %s\n"
                 "  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2}}\n"
                 "  joints: {guide: {prismatic: box, axis: x, position: 3 mm*sin(2*pi*30 Hz*t)}}\n"
                 "coupling: {scheme: monolithic}\n"
                 "grains:\n"
                 "  bed: {port: box, wall: {box: {size: 20 20 20 mm}}, packing: cubic, method: nonsmooth,\n"
                 "        particles: {radius: 3 mm, count: 1, material: ball}}\n"
                 "simulate: {duration: 0.5 s, step: 0.1 ms}\n",
                 f ? "relative" : "absolute");
        MrcError error;
        MrcSim *sim;
        MrcModel *model = mrc_model_parse(text, strlen(text), "swing", NULL, 0);
        if (mrc_model_status(model) != MRC_OK) fail_msg("%s", text);
        MrcSimOptions options = mrc_sim_options_default();
        if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
        double most = 0, box = 0.5 * 0.2 * pow(3e-3 * 60 * M_PI, 2); // its largest kinetic energy
        int made = mrc_sim_find_signal(sim, "energy.algorithm"),
            impact = mrc_sim_find_signal(sim, "energy.impact");
        while (!mrc_sim_is_done(sim)) {
            if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
            most = fmax(most, fabs(mrc_sim_value(sim, made)) / box);
        }
        print_message("%s: integration %.1e of the box's energy, impacts %.1e\n", f ? "relative" : "absolute",
                      most, mrc_sim_value(sim, impact) / box);
        assert_true(most < 0.01 && mrc_sim_value(sim, impact) > 1e-3 * box);
        mrc_sim_free(sim);
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_driven_slide_throws_the_ball),
                                       cmocka_unit_test(a_driven_paddle_throws_the_ball),
                                       cmocka_unit_test(a_box_that_is_driven_in_part_throws_the_ball),
                                       cmocka_unit_test(the_monolithic_scheme_books_the_work_of_drives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
