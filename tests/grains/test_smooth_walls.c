// One grain thrown around in each kind of wall, and the loads that grains put on walls that move and turn.
#include "grains/bed.h"

#include "grains/law.h"
#include "grains/rooms.h"

static double energy(const Bed *bed) {
    GrainsMeasure m = bed_measure((Bed *)bed);
    return m.kinetic + m.elastic + m.potential;
}

// e = 1, no friction. The normal of every contact meets the axis (or, in the sphere, the centre), so angular
// momentum about it is kept to rounding: symplectic Euler adds nothing. Energy: every rebound at 100 steps is
// off by some 1e-5 one way or the other, of which a hundred bounces make 1e-4.
static void test_thrown_grain_keeps_energy_and_angular_momentum(void **state) {
    (void)state;
    for (Room kind = BOX; kind < ROOM_COUNT; kind++)
        for (int throw = 0; throw < 3; throw ++) {
            Bed bed = bed_default();
            bed.walls[0].shape = room(kind, 0.003);
            bed_create(&bed);
            bed.step = bed.grains->step /= 5;
            Random random = {10 * (uint64_t)kind + (uint64_t) throw +1};
            bed_place(&bed, 0, vec3(0.0003, -0.0002, 0.0004), random_direction(&random), vec3_zero());
            double start = energy(&bed);
            Vec3 linear, angular, angular_after;
            bed_momenta(&bed, &linear, &angular);
            int bounces = 0;
            for (int n = 0; n < 400; n++) {
                Vec3 before = bed_velocity(&bed, 0);
                bed_advance(&bed, 1000);
                bounces += vec3_norm(vec3_sub(before, bed_velocity(&bed, 0))) > 0.01;
            }
            bed_momenta(&bed, &linear, &angular_after);
            assert_true(bounces > 20);
            check_near(energy(&bed) / start, 1, 1e-3);
            double about_axis = fabs(angular_after.z - angular.z), scale = bed.mass * 0.003;
            if (kind >= CYLINDER && kind <= SPHERE) check_near(about_axis / scale, 0, 1e-11);
            if (kind == SPHERE) check_near(vec3_norm(vec3_sub(angular_after, angular)) / scale, 0, 1e-11);
            bed_destroy(&bed);
            wall_release(&bed.walls[0].shape);
        }
}

// The wall shakes and turns about an axis that is not its own.
static void move_wall(Bed *bed, Motion *motion) {
    double t = bed->time, shake = 2 * M_PI * 60, turn = 2 * M_PI * 25;
    Vec3 axis = vec3_normalize(vec3(1, 2, 0.5));
    double angle = 0.4 * sin(turn * t), rate = 0.4 * turn * cos(turn * t),
           acceleration = -turn * turn * angle;
    *motion =
        (Motion){.position = vec3(0.02 + 0.0008 * sin(shake * t), -0.01, 0.0005 * sin(2 * shake * t)),
                 .velocity = vec3(0.0008 * shake * cos(shake * t), 0, 0.001 * shake * cos(2 * shake * t)),
                 .acceleration = vec3(-0.0008 * shake * shake * sin(shake * t), 0,
                                      -0.002 * shake * shake * sin(2 * shake * t)),
                 .orientation = {cos(angle / 2), axis.x * sin(angle / 2), axis.y * sin(angle / 2),
                                 axis.z * sin(angle / 2)},
                 .angular_velocity = vec3_scale(rate, axis),
                 .angular_acceleration = vec3_scale(acceleration, axis)};
}

// What the walls take is what the grains lose, momentum and angular momentum (about the world's origin, with
// the moment of the load about the port's), less what gravity adds. An identity of the scheme, in every step:
// x(n+1) x v(n+1) = x(n) x v(n+1), so only rounding is left.
static void test_loads_are_the_change_of_momentum(void **state) {
    (void)state;
    for (Room kind = BOX; kind < ROOM_COUNT; kind++)
        for (RollingLaw rolling = ROLLING_NONE; rolling <= ROLLING_SPRING; rolling++) {
            Bed bed = bed_default();
            bed.walls[0].shape = room(kind, 0.006);
            bed.definition.particles.count = 40;
            bed.definition.contact.tangential = rolling ? TANGENTIAL_ELASTIC : TANGENTIAL_DIRECTIONAL;
            bed.definition.contact.rolling = rolling;
            bed.gravity = vec3(1, 2, -9.81);
            bed_set_coefficients(&bed, 0.7, 0.4, 0.1);
            move_wall(&bed, &bed.motions[0]);
            bed_create(&bed);
            Vec3 linear, angular, linear_after, angular_after, impulse = {0}, twist = {0};
            bed_momenta(&bed, &linear, &angular);
            double scale = 0, all = grains_mass(bed.grains);
            for (int n = 0; n < 4000; n++) {
                Vec3 center = bed_measure(&bed).center, arm = bed.motions[0].position;
                bed_advance(&bed, 1);
                Vec3 fall = vec3_scale(bed.step * all, bed.gravity);
                impulse = vec3_add(vec3_madd(impulse, -bed.step, bed.loads[0].force), fall);
                Vec3 moment = vec3_add(bed.loads[0].moment, vec3_cross(arm, bed.loads[0].force));
                twist = vec3_add(vec3_madd(twist, -bed.step, moment), vec3_cross(center, fall));
                scale += bed.step * vec3_norm(bed.loads[0].force);
                move_wall(&bed, &bed.motions[0]);
            }
            bed_momenta(&bed, &linear_after, &angular_after);
            assert_true(scale > 0.1 * all); // they were hit
            check_near(vec3_norm(vec3_sub(vec3_sub(linear_after, linear), impulse)) / scale, 0, 1e-12);
            check_near(vec3_norm(vec3_sub(vec3_sub(angular_after, angular), twist)) / (0.02 * scale), 0,
                       1e-12);
            bed_destroy(&bed);
            wall_release(&bed.walls[0].shape);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thrown_grain_keeps_energy_and_angular_momentum),
        cmocka_unit_test(test_loads_are_the_change_of_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
