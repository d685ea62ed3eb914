// Reactions on a shaft that its bearing holds and drives altogether, over more than a turn. No motion depends
// on them, so nothing else sees whether they are right.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "model/model.h"
#include "sim/sim.h"

static const double speed = 7, mass = 2, gravity = 9.81; // rad/s, kg, m/s^2
static const Vec3 center = {0.03, -0.02, 0.05};          // m
static const double Jyz = 4e-3, Jzx = -2.5e-3;           // kg m^2

static const char text[] = "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
                           "mechanism:\n"
                           "  bodies: {shaft: {mass: 2 kg, inertia: 0.02 0.03 0.025 0.001 0.004 -0.0025 "
                           "kg*m^2, center: 30 -20 50 mm,\n"
                           "                   angular_velocity: 0 0 7 rad/s}}\n"
                           "  joints: {bearing: {revolute: shaft, axis: z, rate: 7 rad/s}}\n"
                           "simulate: {duration: 4 s, step: 1 ms}\n";

static const char with_beam[] =
    "maraca: 1\ngravity: 0 -9.81 0 m/s^2\n"
    "materials: {steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.33}}\n"
    "mechanism:\n"
    "  beams: {arm: {from: 0 0 0 m, to: 250 0 0 mm, elements: 3, section: {rectangle: 30 2 mm}, material: "
    "steel,\n"
    "                angular_velocity: 0 8 0 rad/s}}\n"
    "  bodies: {shaft: {mass: 2 kg, inertia: 1 1 1 g*m^2, angular_velocity: 0 8 0 rad/s}}\n"
    "  joints: {bearing: {revolute: shaft, axis: y, rate: 8 rad/s}, root: {clamp: [shaft, arm.start]}}\n"
    "simulate: {duration: 1 s, step: 0.2 ms}\n";

typedef struct Shaft {
    MrcModel *model;
    Sim *sim;
} Shaft;

static Shaft start(const char *words) {
    MrcError error;
    Shaft machine = {.model = mrc_model_parse(words, strlen(words), "model", NULL, 0)};
    assert_int_equal(mrc_model_status(machine.model), MRC_OK);
    if (sim_create(model_definition(machine.model), NULL, &machine.sim, &error) != MRC_OK)
        fail_msg("%s", error.text);
    return machine;
}

static void end(Shaft *machine) {
    sim_destroy(machine->sim);
    mrc_model_free(machine->model);
}

static void step(Shaft *machine) {
    MrcError error;
    if (sim_step(machine->sim, &error) != MRC_OK) fail_msg("%s", error.text);
}

static Load reaction(const Shaft *machine, const char *joint) {
    const Mechanism *mechanism = sim_mechanism(machine->sim);
    return mechanism_reaction(mechanism, mechanism_find_joint(mechanism, joint));
}

static void check_close(Vec3 a, Vec3 b, double allowed) {
    check_near(a.x, b.x, allowed);
    check_near(a.y, b.y, allowed);
    check_near(a.z, b.z, allowed);
}

//     force  = m (g e_z - w^2 r),      moment = w x J w + r x force
// r: from the axis to the centre of mass, J: moments of inertia about the centre of mass, both turning with
// the shaft.
static void a_shaft_out_of_balance(void **state) {
    (void)state;
    Shaft machine = start(text);
    while (!sim_is_done(machine.sim)) {
        step(&machine);
        double angle = speed * clock_time(&machine.sim->clock), c = cos(angle), s = sin(angle);
        Vec3 r = vec3(c * center.x - s * center.y, s * center.x + c * center.y, center.z);
        Vec3 force = vec3(-mass * speed * speed * r.x, -mass * speed * speed * r.y, mass * gravity);
        Vec3 own = vec3(-speed * speed * Jyz, speed * speed * Jzx, 0); // in the axes of the shaft
        Vec3 moment = vec3_add(vec3(c * own.x - s * own.y, s * own.x + c * own.y, 0), vec3_cross(r, force));
        Load load = reaction(&machine, "bearing");
        check_close(load.force, force, 2e-4 * vec3_norm(force));
        check_close(load.moment, moment, 2e-4 * vec3_norm(moment));
    }
    end(&machine);
}

// The shaft passes on what the root of the beam needs, and its own weight.
static void a_shaft_with_a_beam(void **state) {
    (void)state;
    Shaft machine = start(with_beam);
    double largest = 0;
    while (!sim_is_done(machine.sim)) {
        step(&machine);
        Load bearing = reaction(&machine, "bearing"), root = reaction(&machine, "root");
        check_close(bearing.force, vec3_add(root.force, vec3(0, mass * gravity, 0)), 1e-3);
        check_close(bearing.moment, root.moment, 1e-6);
        largest = fmax(largest, vec3_norm(root.moment));
    }
    assert_true(largest > 0.1); // 0.117 kg at 0.125 m: 0.144 N m and swinging
    end(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_shaft_out_of_balance),
                                       cmocka_unit_test(a_shaft_with_a_beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
