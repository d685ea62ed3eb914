// The ledger closes with every law and every motion of the walls, at the suggested step.
#include "grains/bed.h"
#include "grains/law.h"

#include "partner/ledger.h"

typedef enum Moves { STANDING, SHAKEN, TURNED } Moves;

static void move_wall(Bed *bed, Moves moves) {
    double shake = 2 * M_PI * 50, turn = 2 * M_PI * 15, t = bed->time;
    Motion *m = &bed->motions[0];
    *m = motion_at_rest();
    if (moves == SHAKEN) { // 10 g
        m->position.z = 0.001 * sin(shake * t);
        m->velocity.z = 0.001 * shake * cos(shake * t);
        m->acceleration.z = -0.001 * shake * shake * sin(shake * t);
    } else if (moves == TURNED) {
        double angle = 0.5 * sin(turn * t);
        m->orientation = (Quaternion){cos(angle / 2), 0, sin(angle / 2), 0};
        m->angular_velocity.y = 0.5 * turn * cos(turn * t);
        m->angular_acceleration.y = -turn * turn * angle;
    }
}

static void take_in(Bed *bed, Ledger *ledger) {
    GrainsMeasure m = bed_measure(bed);
    EnergySums now = {.work = m.work,
                      .input = m.input,
                      .kinetic = m.kinetic,
                      .potential = m.potential,
                      .elastic = m.elastic,
                      .impact = m.impact,
                      .friction = m.friction,
                      .rolling = m.rolling};
    ledger_update(ledger, &now);
}

// The largest error of the ledger over 30 ms, over the energy that took part.
static double ledger_error(NormalLaw normal, TangentialLaw tangential, RollingLaw rolling, double restitution,
                           Moves moves) {
    Bed bed = bed_default();
    wall_set_vector(&bed.walls[0].shape, "size", vec3(0.012, 0.012, 0.012));
    bed.definition.particles.count = 80;
    bed.definition.particles.velocity = vec3(0.3, -0.2, 0.1);
    bed.definition.contact.normal = normal;
    bed.definition.contact.tangential = tangential;
    bed.definition.contact.rolling = rolling;
    bed.definition.contact.impact_speed = 0.5;
    bed.gravity = vec3(0, 0, -9.81);
    bed_set_coefficients(&bed, restitution, 0.3, 0.05);
    move_wall(&bed, moves);
    bed_create(&bed);
    Ledger ledger = {0};
    take_in(&bed, &ledger);
    int steps = (int)(0.03 / bed.step);
    for (int n = 1; n <= steps; n++) {
        bed_advance(&bed, 1);
        move_wall(&bed, moves);
        if (n % 500 == 0 || n == steps) take_in(&bed, &ledger);
    }
    double error = ledger.largest_error / ledger_scale(&ledger);
    bed_destroy(&bed);
    return error;
}

// Tolerance: asked for. No law but the one that is meant by `rubs` goes with each normal law.
static void check_beds(NormalLaw normal, TangentialLaw rubs) {
    const TangentialLaw laws[] = {TANGENTIAL_NONE, TANGENTIAL_DIRECTIONAL, rubs};
    double worst = 0;
    bool closes = true;
    for (int t = 0; t < 3; t++)
        for (RollingLaw rolling = ROLLING_NONE; rolling <= ROLLING_SPRING; rolling++)
            for (int e = 0; e < 4; e++)
                for (Moves moves = STANDING; moves <= TURNED; moves++) {
                    const double restitutions[] = {1, 0.95, 0.8, 0.4};
                    if (t == 0 && rolling != ROLLING_NONE) continue; // nothing makes them roll
                    double error = ledger_error(normal, laws[t], rolling, restitutions[e], moves);
                    if (error > 1e-3)
                        print_error("ledger: normal %d tangential %d rolling %d e %g moves %d: %.2e\n",
                                    normal, laws[t], rolling, restitutions[e], moves, error);
                    closes = closes && error <= 1e-3;
                    worst = fmax(worst, error);
                }
    print_message("largest error of the ledger: %.2e\n", worst);
    assert_true(closes);
}

static void test_ledger_closes_with_linear_contacts(void **state) {
    (void)state;
    check_beds(NORMAL_LINEAR, TANGENTIAL_ELASTIC);
}

static void test_ledger_closes_with_hertz_contacts(void **state) {
    (void)state;
    check_beds(NORMAL_HERTZ, TANGENTIAL_MINDLIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger_closes_with_linear_contacts),
        cmocka_unit_test(test_ledger_closes_with_hertz_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
