// Reactions on a shaft that its bearing holds and drives altogether, over more than a turn. No motion depends
// on them, so nothing else sees whether they are right.
#include "check_math.h"
#include "sim/run.h"

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

//     force  = m (g e_z - w^2 r),      moment = w x J w + r x force
// r: from the axis to the centre of mass, J: moments of inertia about the centre of mass, both turning with
// the shaft.
static void a_shaft_out_of_balance(void **state) {
    (void)state;
    Run machine = start_text(text);
    while (!is_done(&machine)) {
        step(&machine);
        double angle = speed * now(&machine), c = cos(angle), s = sin(angle);
        Vec3 r = vec3(c * center.x - s * center.y, s * center.x + c * center.y, center.z);
        Vec3 force = vec3(-mass * speed * speed * r.x, -mass * speed * speed * r.y, mass * gravity);
        Vec3 own = vec3(-speed * speed * Jyz, speed * speed * Jzx, 0); // in the axes of the shaft
        Vec3 moment = vec3_add(vec3(c * own.x - s * own.y, s * own.x + c * own.y, 0), vec3_cross(r, force));
        check_vec3_near(vector(&machine, "bearing.f"), force, 2e-4 * vec3_norm(force));
        check_vec3_near(vector(&machine, "bearing.m"), moment, 2e-4 * vec3_norm(moment));
    }
    end(&machine);
}

// The shaft passes on what the root of the beam needs, and its own weight.
static void a_shaft_with_a_beam(void **state) {
    (void)state;
    Run machine = start_text(with_beam);
    double largest = 0;
    while (!is_done(&machine)) {
        step(&machine);
        Vec3 moment = vector(&machine, "root.m");
        check_vec3_near(vector(&machine, "bearing.f"),
                        vec3_add(vector(&machine, "root.f"), vec3(0, mass * gravity, 0)), 1e-3);
        check_vec3_near(vector(&machine, "bearing.m"), moment, 1e-6);
        largest = fmax(largest, vec3_norm(moment));
    }
    assert_true(largest > 0.1); // 0.117 kg at 0.125 m: 0.144 N m and swinging
    end(&machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_shaft_out_of_balance),
                                       cmocka_unit_test(a_shaft_with_a_beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
