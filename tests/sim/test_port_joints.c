// A can with grains on a body that every kind of joint holds, one after the other, all of them with directions that it
// cannot move in: the mobility of the port is singular there. Rigid and smooth grains, many and one, long and short steps.
// The run must go on, and nothing is thrown about: in 10 to 30 ms a body falls by 0.5 to 4.4 mm.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"
#include "mechanism/joint_table.h"

typedef struct Hold {
    const char *name, *joint;
} Hold;

// In the order of joint_table.h.
static const Hold holds[] = {
    {"clamp", "clamp: can"},
    {"revolute", "revolute: can, axis: y"},
    {"spherical", "spherical: can"},
    {"prismatic", "prismatic: can, axis: 1 0 2"},
    {"cylindrical", "cylindrical: can, axis: 1 0 2"},
    {"screw", "screw: can, axis: z, pitch: 20 mm"},
    {"universal", "universal: can"},
    {"planar", "planar: can, axis: y"},
    {"point_on_line", "point_on_line: can, axis: 1 0 2"},
    {"point_in_plane", "point_in_plane: can, axis: 1 0 2"},
    {"distance", "distance: can, offsets: [-200 0 0 mm, 0 0 200 mm]"},
    {"general", "general: can, axis: y, translations: all, rotations: [x]"},
};
_Static_assert(sizeof holds / sizeof *holds == JOINT_COUNT, "every joint above a port");

static void run(const Hold *hold, bool at_port, int count, double step, bool smooth) {
    char text[2500], place[60] = "";
    MrcError error;
    MrcSim *sim;
    if (!at_port && strcmp(hold->name, "distance") != 0) snprintf(place, sizeof place, ", at: -200 0 0 mm");
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
             "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0.2}}\n"
             "mechanism:\n"
             "  bodies: {can: {mass: 0.1 kg, inertia: 2e-5 3e-5 4e-5 kg*m^2}}\n"
             "  joints: {hold: {%s%s}}\n"
             "ports: {shell: {node: can, offset: 10 0 5 mm}}\n"
             "grains:\n"
             "  bed:\n"
             "    port: shell\n"
             "    wall: {box: {size: 40 40 40 mm}}\n"
             "    particles: {radius: 2 mm, count: %d, material: lead}\n"
             "    packing: {random: {seed: 3}}\n"
             "    method: %s\n"
             "%s"
             "coupling: {scheme: condensed}\n"
             "simulate: {duration: 1 s, step: %g s}\n",
             hold->joint, place, count, smooth ? "smooth" : "nonsmooth",
             smooth ? "    contact: {stiffness: 20 kN/m, tangential: elastic}\n" : "", step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "joint", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s: %s", hold->name, error.text);
    if (mrc_sim_advance(sim, smooth || count > 1 ? 10e-3 : 30e-3, &error) != MRC_OK)
        fail_msg("%s, %d grains, h %g: %s", hold->name, count, step, error.text);
    static const char *const signals[] = {"can.x", "can.y", "can.z", "can.wx", "can.wy", "can.wz"};
    for (int k = 0; k < 6; k++) {
        double now = mrc_sim_value(sim, mrc_sim_find_signal(sim, signals[k]));
        assert_true(isfinite(now) && fabs(now) < (k < 3 ? 0.01 : 30));
    }
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void every_joint(bool smooth) {
    for (int j = 0; j < JOINT_COUNT; j++)
        for (int k = 0; k < 8; k++) run(&holds[j], k & 1, k & 2 ? 100 : 1, k & 4 ? 1e-4 : 5e-4, smooth);
}

static void rigid_grains_on_every_joint(void **state) {
    (void)state;
    every_joint(false);
}

static void smooth_grains_on_every_joint(void **state) {
    (void)state;
    every_joint(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_grains_on_every_joint),
        cmocka_unit_test(smooth_grains_on_every_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
