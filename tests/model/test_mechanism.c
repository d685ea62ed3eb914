// A mechanism arrives as it is written: every kind of thing, every form of value.
#include "check.h"

#include <string.h>

#include "mechanism/names.h"
#include "model/model.h"

static const char text[] =
    "maraca: 1\n"
    "gravity: 0 -9.81 0 m/s^2\n"
    "constants: {K: 100 N/m, C: 2 N*s/m, n: 3}\n"
    "materials: {steel: {density: 7845, young: 210 GPa}}\n"
    "mechanism:\n"
    "  integrator: {rho_inf: 0.8, tolerance: 1e-7, iterations: 12}\n"
    "  start: equilibrium\n"
    "  nodes: {hub: {position: 1 2 3 mm, rotation: {axis: z, angle: 30 deg}, velocity: 4 5 6 m/s,\n"
    "          angular_velocity: 7 8 9 rad/s}}\n"
    "  beams:\n"
    "    arm: {from: 0 0 0 mm, to: 250 0 0 mm, through: 100 50 0 mm, up: y, elements: n,\n"
    "          section: {rectangle: 30 2 mm, center: 1 2 mm}, material: steel, damping: 1 ms*exp(-t/2 s)}\n"
    "    pipe: {from: 0 0 0 m, to: 1 0 0 m, section: {tube: {radius: 20 mm, inner_radius: 18 mm}}, material: "
    "steel}\n"
    "  bodies:\n"
    "    crank: {node: hub, mass: 1 kg, inertia: 2 3 4 0.1 0.2 0.3 g*m^2, center: 0 1 0 mm}\n"
    "    rod: {position: 1 0 0 m, mass: 2 kg, inertia: 4 5 6 kg*m^2}\n"
    "  joints:\n"
    "    root: {clamp: [hub, arm.start]}\n"
    "    motor: {revolute: crank, at: 1 2 3 m, axis: y, second_axis: x, rate: 60 rpm}\n"
    "    rail: {general: [hub, rod], translations: [x, z], rotations: all, position: [sin(t/1 s)*1 mm, 0, "
    "0]}\n"
    "    rope: {distance: [rod, arm.3], offsets: [0 0 1 m, 0 2 0 mm], length: 1 m}\n"
    "    lock: {prismatic: pipe.end, position: 0}\n"
    "  forces:\n"
    "    push: {at: arm.end, offset: 1 0 0 mm, force: [0, -K*(rod.y - 1 mm) - C*arm.end.vy, 0],\n"
    "           moment: [0, 0, 1 N*m*rod.rz + 2 N*m*sin(rod.y/1 m)], follower: true}\n"
    "  springs:\n"
    "    free: {between: rod, offsets: [0 0 0 m, 0 1 0 m], stiffness: 5 kN/m, damping: 3, preload: 7 N}\n"
    "    long: {between: [hub, rod], stiffness: 1 N/m, length: 0 m}\n"
    "  torsion_springs: {hinge: {between: [hub, rod], axis: x, stiffness: 1 N*m/deg, angle: 90 deg}}\n"
    "  bushings: {rubber: {between: [hub, rod], at: 1 1 1 m, stiffness: 1 2 3 kN/mm, rotational_damping: 4 5 "
    "6}}\n"
    "simulate: {duration: 1 s, step: 1 ms}\n"
    "record: {series: [rod.x, arm.3, root.mz, pipe.end, energy]}\n";

static int setup(void **state) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    *state = model;
    return mrc_model_status(model) == MRC_OK ? 0 : -1;
}

static int teardown(void **state) {
    mrc_model_free(*state);
    return 0;
}

static void check_vector(Vec3 found, double x, double y, double z) {
    check_near(found.x, x, 1e-12);
    check_near(found.y, y, 1e-12);
    check_near(found.z, z, 1e-12);
}

static const MechanismDefinition *mechanism(void **state) {
    const SimDefinition *d = model_definition(*state);
    assert_true(d->has_mechanism);
    return &d->mechanism;
}

static void test_nodes_and_bodies(void **state) {
    const MechanismDefinition *m = mechanism(state);
    check_near(m->integrator.rho_inf, 0.8, 0);
    check_near(m->integrator.tolerance, 1e-7, 0);
    assert_int_equal(m->integrator.iterations, 12);
    assert_int_equal(m->start, START_EQUILIBRIUM);
    assert_int_equal(m->node_count, 1);
    check_vector(m->nodes[0].pose.position, 1e-3, 2e-3, 3e-3);
    check_vector(m->nodes[0].pose.axis, 0, 0, 1);
    check_near(m->nodes[0].pose.angle, 3.14159265358979323846 / 6, 1e-15);
    check_vector(m->nodes[0].pose.angular_velocity, 7, 8, 9);
    assert_int_equal(m->body_count, 2);
    assert_string_equal(m->bodies[0].node, "hub");
    const double six[] = {2e-3, 3e-3, 4e-3, 1e-4, 2e-4, 3e-4}, three[] = {4, 5, 6, 0, 0, 0};
    for (int k = 0; k < 6; k++) {
        check_near(m->bodies[0].inertia[k], six[k], 1e-15);
        check_near(m->bodies[1].inertia[k], three[k], 0);
    }
    assert_null(m->bodies[1].node);
    check_vector(m->bodies[1].pose.position, 1, 0, 0);
    check_vector(m->bodies[0].center, 0, 1e-3, 0);
}

static void test_beams(void **state) {
    const MechanismDefinition *m = mechanism(state);
    const BeamDefinition *arm = &m->beams[0], *pipe = &m->beams[1];
    assert_true(arm->curved && !pipe->curved);
    check_vector(arm->middle, 0.1, 0.05, 0);
    check_vector(arm->up, 0, 1, 0);
    assert_int_equal(arm->elements, 3);
    assert_int_equal(pipe->elements, 10);
    assert_int_equal(arm->section.kind, SECTION_RECTANGLE);
    check_near(arm->section.width, 0.03, 1e-15);
    check_near(arm->section.height, 0.002, 1e-15);
    check_near(arm->section.center[1], 0.002, 1e-15);
    check_near(expression_value(arm->damping, (TimePoint){.time = 2}, NULL), 1e-3 * exp(-1), 1e-15);
    assert_int_equal(pipe->section.kind, SECTION_TUBE);
    check_near(pipe->section.inner_radius, 0.018, 1e-15);
    assert_null(pipe->damping);
    check_vector(pipe->up, 0, 0, 0);
}

static void test_joints(void **state) {
    const MechanismDefinition *m = mechanism(state);
    const JointDefinition *root = &m->joints[0], *motor = &m->joints[1], *rail = &m->joints[2],
                          *rope = &m->joints[3], *lock = &m->joints[4];
    assert_int_equal(root->kind, JOINT_CLAMP);
    assert_string_equal(root->nodes[0], "hub");
    assert_string_equal(root->nodes[1], "arm.start");
    assert_true(!root->has_at && !root->has_offsets);
    assert_int_equal(motor->kind, JOINT_REVOLUTE);
    assert_string_equal(motor->nodes[0], "crank");
    assert_null(motor->nodes[1]);
    assert_true(motor->has_at);
    check_vector(motor->at, 1, 2, 3);
    check_vector(motor->axis, 0, 1, 0);
    check_vector(motor->second_axis, 1, 0, 0);
    assert_true(!motor->rate[0] && !motor->rate[1] && motor->rate[2]); // a lone one is about the axis
    check_near(expression_value(motor->rate[2], (TimePoint){.time = 0}, NULL), 2 * 3.14159265358979323846,
               1e-12);
    assert_int_equal(rail->kind, JOINT_GENERAL);
    assert_true(rail->translations[0] && !rail->translations[1] && rail->translations[2]);
    assert_true(rail->rotations[0] && rail->rotations[1] && rail->rotations[2]);
    assert_true(rail->position[0] && !rail->position[1] && !rail->position[2]); // zero in a list: not driven
    assert_true(rope->has_offsets);
    check_vector(rope->offsets[0], 0, 0, 1);
    check_vector(rope->offsets[1], 0, 0.002, 0);
    check_near(expression_value(rope->distance, (TimePoint){.time = 5}, NULL), 1, 0);
    assert_true(lock->position[2] != NULL); // a lone zero is a drive
}

static void test_forces(void **state) {
    const MechanismDefinition *m = mechanism(state);
    const ForceDefinition *push = &m->forces[0];
    assert_true(push->follower);
    assert_int_equal(m->signal_count, 3); // each once
    assert_string_equal(m->signals[0].node, "rod");
    assert_int_equal(m->signals[0].component, node_signal_find("y"));
    assert_string_equal(m->signals[1].node, "arm.end");
    assert_int_equal(m->signals[1].component, node_signal_find("vy"));
    assert_int_equal(m->signals[2].component, node_signal_find("rz"));
    const double signals[] = {0.5, 0.25, 3};
    check_near(expression_value(push->force[1], (TimePoint){.time = 0}, signals),
               -100 * (0.5 - 1e-3) - 2 * 0.25, 1e-12);
    check_near(expression_value(push->moment[2], (TimePoint){.time = 0}, signals), 3 + 2 * sin(0.5), 1e-12);
    check_near(m->springs[0].length, -1, 0); // as at the start
    check_near(m->springs[1].length, 0, 0);
    check_near(m->springs[0].preload, 7, 0);
    check_vector(m->springs[0].offsets[1], 0, 1, 0);
    check_near(m->torsion_springs[0].stiffness, 180 / 3.14159265358979323846, 1e-10);
    check_near(m->bushings[0].stiffness[2], 3e6, 1e-6);
    check_near(m->bushings[0].rotational_damping[1], 5, 0);
    assert_true(m->bushings[0].has_at);
}

static void test_names(void **state) {
    const MechanismDefinition *m = mechanism(state);
    const char *const there[] = {"ground",  "hub",   "crank", "rod",    "arm.start",
                                 "arm.end", "arm.0", "arm.6", "pipe.20"};
    const char *const not_there[] = {"arm",  "arm.7", "arm.", "arm.03",  "arm.-1",
                                     "root", "push",  "",     "pipe.21", "hub.start"};
    for (size_t k = 0; k < sizeof there / sizeof *there; k++) assert_true(names_has_node(m, there[k]));
    for (size_t k = 0; k < sizeof not_there / sizeof *not_there; k++)
        assert_false(names_has_node(m, not_there[k]));
    Arena *arena = arena_create();
    NodeName *names;
    size_t count = names_list(m, arena, &names);
    assert_int_equal(count, 1 + 2 + (2 + 7) + (2 + 21));
    for (size_t k = 0; k < count; k++) assert_true(names_has_node(m, names[k].name));
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_and_bodies), cmocka_unit_test(test_beams), cmocka_unit_test(test_joints),
        cmocka_unit_test(test_forces),           cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
