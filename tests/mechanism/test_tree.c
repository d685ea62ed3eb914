// The relative form against the absolute one on the same models, and against closed forms.
#include <stdio.h>

#include "base/random.h"
#include "mechanism/tree.h"
#include "rig.h"

// ---- random mechanisms ---------------------------------------------------------------------------
static const char *const names[] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"};
static const char *const joint_names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "loop0", "loop1"};
static const char *const spring_names[] = {"s0", "s1", "s2", "s3"};

static double spread(Random *random) { return 2 * random_uniform(random) - 1; }
static Vec3 anywhere(Random *random, double size) {
    double x = spread(random), y = spread(random), z = spread(random);
    return vec3(size * x, size * y, size * z);
}
static int pick(Random *random, int count) { return (int)(random_uniform(random) * count); }

// Any joint between any two nodes, in either order, with axes, and driven where that is possible.
static void add_random_joint(Rig *rig, Random *random, const char *name, int kind, const char *a,
                             const char *b, bool drives) {
    Vec3 at = anywhere(random, 0.6);
    bool swap = random_uniform(random) < 0.5;
    JointDefinition *joint = rig_joint(rig, name, (JointKind)kind, swap ? b : a, swap ? a : b, at,
                                       vec3_normalize(anywhere(random, 1)));
    joint->second_axis = vec3_normalize(anywhere(random, 1));
    if (kind == JOINT_DISTANCE) {
        joint->has_at = false;
        joint->has_offsets = true;
        joint->offsets[0] = anywhere(random, 0.3), joint->offsets[1] = anywhere(random, 0.3);
    }
    if (kind == JOINT_SCREW) joint->parameters[0] = 0.2;
    if (kind == JOINT_GENERAL) {
        joint->translations[pick(random, 3)] = true;
        joint->rotations[pick(random, 3)] = true;
    }
    if (!drives || random_uniform(random) > 0.25) return;
    if (kind == JOINT_REVOLUTE) joint->angle[2] = rig_expression(rig, "0.3*sin(7 rad/s*t) + 2 rad/s*t");
    if (kind == JOINT_PRISMATIC) joint->speed[2] = rig_expression(rig, "0.4 m/s*cos(5 rad/s*t)");
    if (kind == JOINT_SPHERICAL) return;
    if (kind == JOINT_CYLINDRICAL) joint->position[2] = rig_expression(rig, "0.1 m*sin(9 rad/s*t)");
    if (kind == JOINT_UNIVERSAL) joint->angle[2] = rig_expression(rig, "0.2*sin(6 rad/s*t)");
    if (kind == JOINT_CLAMP) {
        joint->angle[0] = rig_expression(rig, "0.2*sin(6 rad/s*t)");
        joint->angle[1] = rig_expression(rig, "0.3*sin(4 rad/s*t)");
        joint->position[1] = rig_expression(rig, "0.1 m*sin(9 rad/s*t)");
    }
}

// The same numbers for both forms: the seed decides.
static void random_mechanism(Rig *rig, uint64_t seed, int loops, bool relative) {
    Random random = {seed};
    rig_open(rig, 0.8);
    rig->definition.formulation = relative ? FORMULATION_RELATIVE : FORMULATION_ABSOLUTE;
    rig->setting.gravity = anywhere(&random, 10);
    int bodies = 2 + pick(&random, 6);
    for (int i = 0; i < bodies; i++) {
        BodyDefinition *body = rig_body(rig, names[i], anywhere(&random, 0.5), 0.5 + random_uniform(&random));
        body->center = anywhere(&random, 0.1);
        body->pose.axis = vec3_normalize(anywhere(&random, 1));
        body->pose.angle = 3 * spread(&random);
        body->pose.velocity = anywhere(&random, 1);
        body->pose.angular_velocity = anywhere(&random, 3);
        int parent = pick(&random, i + 1) - 1;
        int kind = pick(&random, JOINT_COUNT + 1); // the last: no joint
        if (kind < JOINT_COUNT)
            add_random_joint(rig, &random, joint_names[i], kind, parent < 0 ? "ground" : names[parent],
                             names[i], true);
    }
    static const int closing[] = {JOINT_DISTANCE, JOINT_POINT_IN_PLANE, JOINT_SPHERICAL, JOINT_POINT_ON_LINE};
    for (int l = 0; l < loops; l++)
        add_random_joint(rig, &random, joint_names[8 + l], closing[pick(&random, l ? 2 : 4)], names[l],
                         names[bodies - 1 - (bodies > 2 + l ? 0 : l)], false);
    for (int s = 0; s < 3; s++) {
        SpringDefinition *spring = &rig->springs[rig->definition.spring_count++];
        *spring = (SpringDefinition){.name = spring_names[s],
                                     .nodes = {names[pick(&random, bodies)], NULL},
                                     .offsets = {anywhere(&random, 0.2), anywhere(&random, 2)},
                                     .stiffness = 200 * random_uniform(&random),
                                     .damping = 3 * random_uniform(&random),
                                     .length = 0.1};
    }
}

static bool try_start(Rig *rig) {
    return mechanism_create(&rig->definition, &rig->setting, &rig->mechanism, &rig->error) == MRC_OK;
}

static double largest_acceleration(const Mechanism *m) {
    double largest = 1;
    for (int n = 0; n < m->node_count; n++)
        largest = fmax(largest, fmax(vec3_norm(m->now.nodes[n].a), vec3_norm(m->now.nodes[n].alpha)));
    return largest;
}

// False: the mechanism starts next to a singular position, where rounding decides.
static bool compare_starts(const Mechanism *a, const Mechanism *b, uint64_t seed, double *worst) {
    double scale = largest_acceleration(a), force = 1, wrong = 0;
    for (int i = 0; i < a->multiplier_count; i++) force = fmax(force, fabs(a->now.lambda[i]));
    if (scale > 1e4 || force > 1e4) return false;
    for (int n = 0; n < a->node_count; n++) {
        const NodeState *x = &a->now.nodes[n], *y = &b->now.nodes[n];
        wrong = fmax(wrong, vec3_norm(vec3_sub(x->a, y->a)) / scale);
        wrong = fmax(wrong, vec3_norm(vec3_sub(x->alpha, y->alpha)) / scale);
        wrong = fmax(wrong, vec3_norm(vec3_sub(x->x, y->x)));
        wrong = fmax(wrong, vec3_norm(vec3_sub(x->v, y->v)) / scale);
    }
    for (int i = 0; i < a->multiplier_count; i++)
        wrong = fmax(wrong, fabs(a->now.lambda[i] - b->now.lambda[i]) / force);
    if (!(wrong <= 1e-10)) fail_msg("seed %d: the two forms differ by %g", (int)seed, wrong);
    *worst = fmax(*worst, wrong);
    return true;
}

static int compare_random(int loops, int seeds) {
    int compared = 0;
    double worst = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        Rig absolute, relative;
        random_mechanism(&absolute, (uint64_t)seed, loops, false);
        random_mechanism(&relative, (uint64_t)seed, loops, true);
        if (try_start(&absolute)) { // loops that cannot be closed, or are closed twice, are not the subject
            if (!try_start(&relative)) fail_msg("seed %d: %s", seed, relative.error.text);
            compared += compare_starts(absolute.mechanism, relative.mechanism, (uint64_t)seed, &worst);
        }
        rig_close(&absolute);
        rig_close(&relative);
    }
    print_message("%d random mechanisms with %d loops differ by %.1e\n", compared, loops, worst);
    return compared;
}

static void accelerations_of_random_trees_are_those_of_the_absolute_form(void **state) {
    (void)state;
    assert_true(compare_random(0, 200) > 150);
}

static void accelerations_of_random_loops_are_those_of_the_absolute_form(void **state) {
    (void)state;
    assert_true(compare_random(1, 200) > 100);
    assert_true(compare_random(2, 200) > 60);
}

// ---- steps ---------------------------------------------------------------------------------------
// Runs both forms; returns the largest distance of a node in the end, and the largest loop error of the relative form.
static double run_both(uint64_t seed, int loops, double h, int steps, double *violation) {
    Rig absolute, relative;
    double apart = -1;
    random_mechanism(&absolute, seed, loops, false);
    random_mechanism(&relative, seed, loops, true);
    if (try_start(&absolute) && try_start(&relative)) {
        bool good = true;
        for (int n = 0; n < steps && good; n++) {
            Mechanism *m = absolute.mechanism;
            good = mechanism_begin(m, h, NULL) == MRC_OK && mechanism_advance(m, NULL, NULL) == MRC_OK &&
                   mechanism_commit(m, NULL) == MRC_OK;
            if (good) rig_step(&relative, h);
            *violation = fmax(*violation, mechanism_counts(relative.mechanism).violation);
        }
        for (int n = 0; n < absolute.mechanism->node_count && good; n++)
            apart = fmax(apart, vec3_norm(vec3_sub(absolute.mechanism->now.nodes[n].x,
                                                   relative.mechanism->now.nodes[n].x)));
    }
    rig_close(&absolute);
    rig_close(&relative);
    return apart;
}

static void steps_agree_with_the_absolute_form_to_second_order(void **state) {
    (void)state;
    int compared = 0;
    double violation = 0, largest = 0;
    for (int seed = 1; seed <= 40; seed++) {
        double coarse = run_both((uint64_t)seed, seed % 3, 2.5e-4, 200, &violation);
        double fine = run_both((uint64_t)seed, seed % 3, 1.25e-4, 400, &violation);
        if (coarse < 0 || fine < 0) continue;
        if (fine > 0.35 * coarse + 1e-8)
            fail_msg("seed %d: apart by %g, and %g at half the step", seed, coarse, fine);
        largest = fmax(largest, fine);
        compared++;
    }
    print_message("%d mechanisms apart by %.2e m at most, loops open by %.2e m\n", compared, largest,
                  violation);
    assert_true(compared > 25);
    check_near(violation, 0, 1e-10);
}

// ---- mobility --------------------------------------------------------------------------------------
enum { NUMBERS = 18 };

static void add_ports(Rig *rig) {
    int port;
    int last = mechanism_node_count(rig->mechanism) - 1;
    mechanism_add_port(rig->mechanism, last, vec3(0.1, 0.05, -0.2), quaternion_identity(), &port,
                       &rig->error);
    mechanism_add_port(rig->mechanism, 0, vec3(0, 0.1, 0.1), quaternion_identity(), &port, &rig->error);
    mechanism_add_port(rig->mechanism, -1, vec3(1, 0, 0), quaternion_identity(), &port, &rig->error);
}

static void find_mobility(Rig *rig, bool euler, double h, const Load *loads, double *Y) {
    Mechanism *m = rig->mechanism;
    MrcStatus status = euler ? mechanism_euler(m, h, &rig->error) : mechanism_begin(m, h, &rig->error);
    if (status == MRC_OK && !euler) status = mechanism_advance(m, loads, &rig->error);
    if (status == MRC_OK && Y) status = mechanism_mobility(m, euler ? MOBILITY_OF_MASSES : 1, Y, &rig->error);
    if (status != MRC_OK) fail_msg("%s", rig->error.text);
}

// That of masses at the same state is the same; that of a short step differs by the steps of the two forms.
static void mobility_is_that_of_the_absolute_form(void **state) {
    (void)state;
    int compared = 0;
    for (int seed = 1; seed <= 60; seed++) {
        Rig rigs[2];
        double Y[4][NUMBERS * NUMBERS], largest = 0;
        for (int k = 0; k < 2; k++) random_mechanism(&rigs[k], (uint64_t)seed, seed % 3, k);
        if (try_start(&rigs[0]) && try_start(&rigs[1])) {
            for (int k = 0; k < 4; k++) {
                if (k < 2) add_ports(&rigs[k]);
                find_mobility(&rigs[k % 2], k < 2, 1e-6, NULL, Y[k]);
            }
            for (int i = 0; i < NUMBERS * NUMBERS; i++) largest = fmax(largest, fabs(Y[0][i]));
            for (int i = 0; i < NUMBERS * NUMBERS; i++) {
                check_near(Y[1][i], Y[0][i], 1e-8 * largest);
                check_near(Y[3][i], Y[2][i], 1e-4 * largest);
            }
            compared++;
        }
        rig_close(&rigs[0]), rig_close(&rigs[1]);
    }
    assert_true(compared > 40);
}

// A load at the end of a step changes velocities there by c times the matrix of Newton's iteration, which is Y of
// rho_inf = 1 up to terms of order h w.
static void mobility_is_the_difference_quotient_of_a_step(void **state) {
    (void)state;
    int compared = 0;
    for (int seed = 1; seed <= 12; seed++) {
        Rig rig;
        double h = 1e-4, c = 0.5 * h, Y[NUMBERS * NUMBERS], largest = 0;
        random_mechanism(&rig, (uint64_t)seed, seed % 3, true);
        rig.definition.integrator =
            (IntegratorDefinition){.rho_inf = 1, .tolerance = 1e-12, .iterations = 30};
        if (try_start(&rig)) {
            add_ports(&rig);
            find_mobility(&rig, false, h, NULL, Y);
            for (int i = 0; i < NUMBERS * NUMBERS; i++) largest = fmax(largest, fabs(Y[i]));
            for (int j = 0; j < NUMBERS; j++) {
                Motion motions[2][3];
                for (int side = 0; side < 2; side++) {
                    Load loads[3] = {0};
                    (&loads[j / 6].force.x)[j % 6] = side ? 1 : -1;
                    find_mobility(&rig, false, h, loads, NULL);
                    for (int p = 0; p < 3; p++) motions[side][p] = mechanism_motion(rig.mechanism, p);
                }
                for (int i = 0; i < NUMBERS; i++) {
                    const Motion *to = &motions[1][i / 6], *from = &motions[0][i / 6];
                    Vec3 change = i % 6 < 3 ? vec3_sub(to->velocity, from->velocity)
                                            : vec3_sub(to->angular_velocity, from->angular_velocity);
                    check_near(Y[i * NUMBERS + j], vec3_component(change, i % 3) / (2 * c), 5e-3 * largest);
                }
            }
            compared++;
        }
        rig_close(&rig);
    }
    assert_true(compared > 7);
}

// ---- loops -----------------------------------------------------------------------------------------
static void run_four_bar(const char *independent, double *energy, double *violation, bool *switched) {
    Rig rig;
    const char *names_wanted[] = {independent};
    rig_four_bar(&rig);
    mechanism_destroy(rig.mechanism);
    rig.definition.formulation = FORMULATION_RELATIVE;
    if (independent) rig.definition.independent = names_wanted, rig.definition.independent_count = 1;
    rig_start(&rig);
    FourBarRun run = rig_run_four_bar(&rig, 1e-4, 4);
    *energy = run.energy, *violation = run.violation, *switched = rig.mechanism->tree->switched;
    rig_close(&rig);
}

// The rocker's angle has a turning point twice per turn, where it cannot be independent.
static void independent_coordinates_are_chosen_again_where_they_must_be(void **state) {
    (void)state;
    const char *const given[] = {NULL, "A", "D"};
    for (int k = 0; k < 3; k++) {
        double energy, violation;
        bool switched;
        run_four_bar(given[k], &energy, &violation, &switched);
        print_message("independent %s: energy %.1e, loop %.1e%s\n", given[k] ? given[k] : "by choice", energy,
                      violation, switched ? ", others at times" : "");
        assert_true(switched == (k == 2));
        check_near(energy, 0, 2e-4);
        check_near(violation, 0, 1e-10);
    }
}

// ---- what is refused -------------------------------------------------------------------------------
static void refused(Rig *rig, const char *text) {
    rig->definition.formulation = FORMULATION_RELATIVE;
    assert_int_equal(mechanism_create(&rig->definition, &rig->setting, &rig->mechanism, &rig->error),
                     MRC_MODEL);
    if (!strstr(rig->error.text, text)) fail_msg("'%s' is not in '%s'", text, rig->error.text);
}

static void senseless_trees_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *cut[2], *independent[2], *text;
    } cases[] = {
        {{"C", "X"}, {NULL}, "'X', which is no joint"},
        {{"C", "C"}, {NULL}, "the joint 'C' twice"},
        {{"A", "D"}, {NULL}, "closes no loop: without it nothing holds"},
        {{"C"}, {"crank"}, "its coordinates are A, B, D"},
        {{"C"}, {"A", "A"}, "'A' twice"},
        {{"C"}, {"A", "B"}, "has 1 degree of freedom: 3 coordinates (A, B, D) less 2 loop equations"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Rig rig;
        rig_four_bar(&rig);
        mechanism_destroy(rig.mechanism);
        rig.definition.cut = (const char **)cases[k].cut;
        rig.definition.independent = (const char **)cases[k].independent;
        for (int i = 0; i < 2; i++) {
            rig.definition.cut_count += cases[k].cut[i] != NULL;
            rig.definition.independent_count += cases[k].independent[i] != NULL;
        }
        refused(&rig, cases[k].text);
        rig_close(&rig);
    }
}

// A rod in its guide, the crank square to it: turning the crank does not move the slider, so the slider's place does not
// say where the crank is.
static void coordinates_that_cannot_be_independent_are_refused(void **state) {
    (void)state;
    Rig rig;
    const char *wanted[] = {"guide"};
    rig_open(&rig, 1);
    rig_body(&rig, "crank", vec3(0.05, 0, 0), 1);
    rig_body(&rig, "slider", vec3(0.3, 0, 0), 1);
    rig_joint(&rig, "hinge", JOINT_REVOLUTE, "ground", "crank", vec3(0, 0, 0), vec3(0, 0, 1));
    rig_joint(&rig, "guide", JOINT_PRISMATIC, "ground", "slider", vec3(0.3, 0, 0), vec3(1, 0, 0));
    JointDefinition *rod =
        rig_joint(&rig, "rod", JOINT_DISTANCE, "crank", "slider", vec3_zero(), vec3(0, 0, 1));
    rod->has_at = false, rod->has_offsets = true, rod->offsets[0] = vec3(0.05, 0, 0);
    rig.definition.independent = wanted, rig.definition.independent_count = 1;
    refused(&rig,
            "'guide' cannot be independent beside the others: the loops fix it once they are given. A choice "
            "that works at the start is [hinge]");
    rig_close(&rig);
}

static void coordinates_without_inertia_are_refused(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 1);
    BodyDefinition *body = rig_body(&rig, "pearl", vec3(0, 0, 0), 1);
    memset(body->inertia, 0, sizeof body->inertia);
    rig_joint(&rig, "thread", JOINT_CYLINDRICAL, "ground", "pearl", vec3(0, 0, 0), vec3(1, 0, 0));
    refused(&rig, "resists the coordinate 'thread.rz'");
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_of_random_trees_are_those_of_the_absolute_form),
        cmocka_unit_test(accelerations_of_random_loops_are_those_of_the_absolute_form),
        cmocka_unit_test(steps_agree_with_the_absolute_form_to_second_order),
        cmocka_unit_test(mobility_is_that_of_the_absolute_form),
        cmocka_unit_test(mobility_is_the_difference_quotient_of_a_step),
        cmocka_unit_test(independent_coordinates_are_chosen_again_where_they_must_be),
        cmocka_unit_test(senseless_trees_are_refused),
        cmocka_unit_test(coordinates_that_cannot_be_independent_are_refused),
        cmocka_unit_test(coordinates_without_inertia_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
