// Gears, belts and racks: Jacobian and rates against difference quotients; wheels, a rack and a planet in closed form.
#include "element_check.h"
#include "mechanism/joint_type.h"
#include "rig.h"

enum { GEAR, BELT, RACK }; // of GearDefinition.type

static void test_jacobian_and_rates(void **state) {
    (void)state;
    for (int type = GEAR; type <= RACK; type++)
        for (int shared = 0; shared < 2; shared++) {
            Site site = {0};
            site_open(&site, 4, 11);
            JointDefinition joints[2] = {
                {.name = "first", .kind = JOINT_REVOLUTE, .nodes = {"a", "b"}, .axis = {0.6, 0, 0.8}},
                {.name = "second",
                 .kind = type == RACK ? JOINT_PRISMATIC : JOINT_REVOLUTE,
                 .nodes = {shared ? "a" : "c", "d"},
                 .axis = {0, 0.28, 0.96}}};
            GearDefinition gear = {
                .name = "gear", .joints = {"first", "second"}, .type = type, .radii = {0.3, 0.7}};
            if (type == RACK) gear.radii[1] = 0;
            site.definition.joints = joints, site.definition.joint_count = 2;
            site.definition.gears = &gear, site.definition.gear_count = 1;
            site_build(&site, &joint_part);
            site_build(&site, &gear_part);
            Random random = {3};
            for (int k = 0; k < 20; k++) {
                Trial trial = trial_random(&site, 2, &random);
                check_jacobian(&trial, 1e-8);
                check_rates(&trial, 0.01);
            }
            site_close(&site);
        }
}

static GearDefinition gear_of_rig;

static void rig_gear(Rig *rig, int type, double ratio, double first, double second, bool inside) {
    gear_of_rig = (GearDefinition){.name = "gear",
                                   .joints = {"first", "second"},
                                   .type = type,
                                   .ratio = ratio,
                                   .radii = {first, second},
                                   .inside = inside};
    rig->definition.gears = &gear_of_rig;
    rig->definition.gear_count = 1;
}

// Two wheels of inertias J_1, J_2 on the ground; the first is set free with the spin w: without torque both keep their
// speed, and with gravity off the energy is kept. q_1 + i q_2 = 0 over many turns.
static void check_wheels(MechanismFormulation formulation) {
    for (int k = 0; k < 3; k++) {
        Rig rig;
        rig_open(&rig, 1);
        rig.definition.formulation = formulation;
        BodyDefinition *one = rig_body(&rig, "one", vec3_zero(), 1),
                       *two = rig_body(&rig, "two", vec3(1, 0, 0), 2);
        for (int i = 0; i < 6; i++) one->inertia[i] = i < 3 ? 3 : 0, two->inertia[i] = i < 3 ? 8 : 0;
        double ratio = 4, sign = k == 0 ? -1 : 1;
        one->pose.angular_velocity = vec3(0, 0, 40);
        two->pose.angular_velocity = vec3(0, 0, sign * 40 / ratio);
        rig_joint(&rig, "first", JOINT_REVOLUTE, "ground", "one", vec3_zero(), vec3(0, 0, 1));
        rig_joint(&rig, "second", JOINT_REVOLUTE, "ground", "two", vec3(1, 0, 0), vec3(0, 0, 1));
        rig_gear(&rig, k == 2 ? BELT : GEAR, k == 2 ? 0 : ratio, k == 2 ? 0.1 : 0, k == 2 ? 0.4 : 0, k == 1);
        rig_start(&rig);
        double energy = rig_energy(&rig);
        for (int step = 0; step < 1000; step++) rig_step(&rig, 1e-3);
        check_near(rig_node(&rig, "one")->w.z, 40, 1e-8);
        check_near(rig_node(&rig, "two")->w.z, sign * 10, 1e-8);
        check_near(rig_energy(&rig) / energy, 1, 1e-10);
        rig_close(&rig);
    }
}

// A weight m on a rack turns a pinion of radius r and inertia J: (m + J/r^2) a = m g.
static void check_rack(MechanismFormulation formulation) {
    Rig rig;
    rig_open(&rig, 0.9);
    rig.definition.formulation = formulation;
    rig.setting.gravity = vec3(0, 0, -9.81);
    BodyDefinition *pinion = rig_body(&rig, "pinion", vec3_zero(), 1);
    for (int i = 0; i < 6; i++) pinion->inertia[i] = i < 3 ? 0.02 : 0;
    rig_body(&rig, "weight", vec3(0.1, 0, 0), 3);
    rig_joint(&rig, "first", JOINT_REVOLUTE, "ground", "pinion", vec3_zero(), vec3(0, 1, 0));
    rig_joint(&rig, "second", JOINT_PRISMATIC, "ground", "weight", vec3(0.1, 0, 0), vec3(0, 0, 1));
    rig_gear(&rig, RACK, 0, 0.1, 0, false);
    rig_start(&rig);
    for (int step = 0; step < 1000; step++) rig_step(&rig, 1e-3);
    double a = 3 * 9.81 / (3 + 0.02 / 0.01);
    check_near(rig_node(&rig, "weight")->v.z, -a, 1e-8);
    check_near(rig_node(&rig, "pinion")->w.y, -a / 0.1, 1e-7);
    check_near(rig_node(&rig, "weight")->x.z, -0.5 * a, 1e-8);
    rig_close(&rig);
}

// A planet on an arm that turns with w rolls around a sun that stands still: about the arm it turns against the sun, so that
// its own spin is w (1 + r_sun / r_planet).
static void check_planet(MechanismFormulation formulation) {
    Rig rig;
    rig_open(&rig, 1);
    rig.definition.formulation = formulation;
    BodyDefinition *arm = rig_body(&rig, "arm", vec3_zero(), 1),
                   *planet = rig_body(&rig, "planet", vec3(0.5, 0, 0), 2);
    for (int i = 0; i < 6; i++) arm->inertia[i] = planet->inertia[i] = i < 3 ? 0.1 : 0;
    arm->pose.angular_velocity = vec3(0, 0, 5);
    planet->pose.velocity = vec3(0, 2.5, 0);
    planet->pose.angular_velocity = vec3(0, 0, 5 * (1 + 0.3 / 0.2));
    // Seen from the arm the sun turns with -w: the joint from the arm to the ground.
    rig_joint(&rig, "first", JOINT_REVOLUTE, "arm", "ground", vec3_zero(), vec3(0, 0, 1));
    rig_joint(&rig, "second", JOINT_REVOLUTE, "arm", "planet", vec3(0.5, 0, 0), vec3(0, 0, 1));
    rig_gear(&rig, GEAR, 0, 0.3, 0.2, false);
    rig_start(&rig);
    double energy = rig_energy(&rig);
    for (int step = 0; step < 2000; step++) rig_step(&rig, 1e-3);
    check_near(rig_node(&rig, "arm")->w.z, 5, 1e-5);
    check_near(rig_node(&rig, "planet")->w.z, 12.5, 1e-4);
    check_near(rig_energy(&rig) / energy, 1, 1e-5);
    rig_close(&rig);
}

static void test_wheels(void **state) {
    (void)state;
    check_wheels(FORMULATION_ABSOLUTE);
    check_wheels(FORMULATION_RELATIVE);
}

static void test_rack(void **state) {
    (void)state;
    check_rack(FORMULATION_ABSOLUTE);
    check_rack(FORMULATION_RELATIVE);
}

static void test_planet(void **state) {
    (void)state;
    check_planet(FORMULATION_ABSOLUTE);
    check_planet(FORMULATION_RELATIVE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_and_rates),
        cmocka_unit_test(test_wheels),
        cmocka_unit_test(test_rack),
        cmocka_unit_test(test_planet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
