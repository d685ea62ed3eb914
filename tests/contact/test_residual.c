#include <stdlib.h>

#include "check_math.h"
#include "contact/cone.h"
#include "contact/nsgs.h"
#include "contact/scenes.h"

static Twist random_twist(Random *random) {
    Twist t;
    for (int k = 0; k < 6; k++) twist_numbers(&t)[k] = random_normal(random);
    return t;
}

static Vec3 random_direction(Random *random) {
    return vec3_normalize(vec3(random_normal(random), random_normal(random), random_normal(random)));
}

static bool is_in_cone(const Cone *cone, Vec3 n, Twist p, double slack) {
    ConeParts parts = cone_split(cone, n, p);
    bool in = parts.normal >= -slack;
    for (int k = 0; k < CONE_DISCS; k++) in = in && parts.size[k] <= cone->radius[k] * parts.normal + slack;
    return in;
}

// Brute force: no point of the cone is nearer than the projection. Points of the cone: random ones, and small
// steps away from the projection, cut back into the cone.
static void test_projection_is_nearest(void **state) {
    (void)state;
    Random random = {1};
    for (int trial = 0; trial < 300; trial++) {
        Vec3 n = random_direction(&random);
        bool turns = trial % 2;
        Cone cone = {{scene_between(&random, 0, 2), turns ? scene_between(&random, 0, 1) : 0,
                      turns ? scene_between(&random, 0, 1) : 0},
                     turns};
        Twist z = random_twist(&random);
        if (!turns) z.angular = vec3_zero();
        if (trial % 3 == 0) z.linear = vec3_madd(z.linear, 2, n);
        Twist p = cone_project(&cone, n, z);
        assert_true(is_in_cone(&cone, n, p, 1e-12));
        Twist d = twist_madd(z, -1, p);
        double distance = twist_dot(d, d);
        check_near(twist_dot(d, p), 0, 1e-12); // Moreau: what is cut off is normal to what is left
        for (int k = 0; k < 200; k++) {
            Twist other = random_twist(&random);
            if (k % 2) other = twist_madd(p, 0.01, other);
            if (!turns) other.angular = vec3_zero();
            ConeParts parts = cone_split(&cone, n, other);
            double x = fmax(parts.normal, 0);
            Twist cut = {vec3_scale(x, n), {0, 0, 0}};
            cut.linear = vec3_madd(cut.linear, cone_cut(cone.radius[0] * x, parts.size[0]), parts.tangent);
            cut.angular = vec3_madd(vec3_scale(cone_cut(cone.radius[1] * x, parts.size[1]), parts.roll),
                                    parts.spin * cone_cut(cone.radius[2] * x, parts.size[2]), n);
            Twist e = twist_madd(z, -1, cut);
            assert_true(twist_dot(e, e) >= distance * (1 - 1e-12));
        }
    }
}

// The local solve with weights satisfies its own conditions: p in K, u = q + D p in K*, p . u = 0.
static void test_local_solve(void **state) {
    (void)state;
    Random random = {2};
    for (int trial = 0; trial < 2000; trial++) {
        Vec3 n = random_direction(&random);
        bool turns = trial % 2;
        double dilation =
            (double[]){INFINITY, 0, 0.2, 1}[trial % 4 + (trial > 1000 && trial % 4 < 2 ? 2 : 0)];
        Cone cone = {{scene_between(&random, 0, 2), turns ? scene_between(&random, 0, 1) : 0,
                      turns ? scene_between(&random, 0, 1) : 0},
                     turns};
        ConeWeights w = {
            scene_between(&random, 0.1, 3),
            {scene_between(&random, 0.1, 3), scene_between(&random, 0.1, 3), scene_between(&random, 0.1, 3)}};
        Twist q = random_twist(&random);
        if (!turns) q.angular = vec3_zero();
        Twist p = cone_solve(&cone, &w, n, q, dilation), u = q;
        ConeParts parts = cone_split(&cone, n, p);
        u.linear =
            vec3_add(u.linear, vec3_madd(vec3_scale(w.normal * parts.normal, n), w.disc[0], parts.tangent));
        u.angular =
            vec3_add(u.angular, vec3_madd(vec3_scale(w.disc[1], parts.roll), w.disc[2] * parts.spin, n));
        if (!turns) u.angular = vec3_zero();
        u.linear = vec3_madd(u.linear, cone_excess(&cone, n, u, dilation), n);
        Twist away = {vec3_neg(u.linear), vec3_neg(u.angular)};
        Twist gap = cone_project(&cone, n, away);
        assert_true(is_in_cone(&cone, n, p, 1e-12));
        check_near(twist_dot(gap, gap), 0, 1e-20);
        check_near(twist_dot(p, u), 0, 1e-11);
    }
}

// A sphere of mass m that falls on the ground with v: the residual of a known wrong impulse by hand.
static void test_by_hand(void **state) {
    (void)state;
    double m = 3, v = 0.7, w = 1 / m; // cannot turn: the block is 1/m
    ContactProblem p = {0};
    contact_problem_add_body(&p, 1 / m, 0, scene_velocity(0, 0, -v));
    contact_problem_add_contact(&p, (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}, .friction = 0.5});
    Twist scratch[2];
    ContactImpulse exact = {{0, 0, m * v}, {0, 0, 0}}, half = {{0, 0, 0.5 * m * v}, {0, 0, 0}},
                   pulls = {{0, 0, -m * v}, {0, 0, 0}}, none = {{0, 0, 0}, {0, 0, 0}};
    ContactResidual r = contact_residual(&p, CONTACT_RELAXED, &exact, NULL, 0, scratch);
    check_near(r.scale, v / sqrt(w), 1e-14);
    check_near(r.relative, 0, 1e-14);
    r = contact_residual(&p, CONTACT_RELAXED, &none, NULL, 0, scratch);
    check_near(r.relative, 1, 1e-14);
    check_near(r.gap, 1, 1e-14);
    check_near(r.cone, 0, 0);
    r = contact_residual(&p, CONTACT_RELAXED, &half, NULL, 0, scratch); // half the velocity is left
    check_near(r.relative, 0.5, 1e-14);
    check_near(r.gap, 0.5, 1e-14);
    check_near(r.complementarity, 0.25 / 1, 1e-14); // (1/2)(1/2)/(1/2 + 1/2)
    r = contact_residual(&p, CONTACT_RELAXED, &pulls, NULL, 0, scratch);
    check_near(r.cone, 1, 1e-14);
    check_near(r.gap, 2, 1e-14);
    check_near(scratch[0].linear.z, -2 * v, 1e-14); // velocities come with it
    // A tangential impulse that exceeds the cone, mu = 1/2: its distance is (|t| - mu n)/sqrt(1 + mu^2).
    ContactImpulse slanted = {{m * v, 0, m * v}, {0, 0, 0}};
    r = contact_residual(&p, CONTACT_RELAXED, &slanted, NULL, 0, scratch);
    check_near(r.cone, 0.5 / sqrt(1.25), 1e-14);
    contact_problem_free(&p);
}

static void test_rows_and_floor(void **state) {
    (void)state;
    ContactProblem p = {0};
    contact_problem_add_body(&p, 0.5, 0.25, scene_velocity(0, 0, 2));
    contact_problem_add_row(
        &p,
        (ContactRow){.a = -1, .b = 0, .jacobian_b = {{0, 0, 3}, {0, 0, 0}}, .bias = 1, .compliance = 0.5});
    Twist scratch[2];
    double lambda = 0, w = 9 * 0.5 + 0.5;
    ContactResidual r = contact_residual(&p, CONTACT_RELAXED, NULL, &lambda, 0, scratch);
    check_near(r.relative, 1, 1e-14);
    check_near(r.scale, 7 / sqrt(w), 1e-14);
    lambda = -7 / w; // J v + bias + C lambda = 3 (2 + 3 lambda/2) + 1 + lambda/2 = 0
    r = contact_residual(&p, CONTACT_RELAXED, NULL, &lambda, 0, scratch);
    check_near(r.bilateral, 0, 1e-15);
    // Nothing is violated: a floor of velocity gives the scale.
    p.rows.count = 0;
    contact_problem_add_contact(&p, (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}});
    ContactImpulse none = {{0, 0, 0}, {0, 0, 0}};
    r = contact_residual(&p, CONTACT_RELAXED, &none, NULL, 0.1, scratch);
    check_near(r.relative, 0, 0);
    check_near(r.scale, 0.1 / sqrt(0.5), 1e-14);
    contact_problem_free(&p);
}

// Gauss-Seidel's own evaluation, several contacts at a time, is the same function.
static void test_batches_agree(void **state) {
    (void)state;
    for (int kind = 0; kind < 16; kind++) {
        ContactProblem p = {0};
        bool rolls = kind % 4 == 3 || kind >= 8;
        scene_bed(&p, &(SceneBed){.nx = 4,
                                  .ny = 4,
                                  .nz = 3,
                                  .friction = 0.5,
                                  .rolling = rolls ? 1e-5 : 0,
                                  .spinning = rolls ? 1e-5 : 0,
                                  .jitter = 0.03,
                                  .speed = 0.05,
                                  .ratio = 5,
                                  .step = 1e-4,
                                  .container = kind % 4 == 1 || kind % 4 == 2,
                                  .container_mass = kind % 4 == 1 ? 0.1 : 1e-3,
                                  .seed = (uint64_t)kind});
        ContactLaw law = kind % 8 < 4 ? CONTACT_RELAXED : CONTACT_COULOMB;
        p.dilation = kind % 8 > 4 ? 0.01 : 0;
        size_t contacts = p.contacts.count;
        ContactImpulse *impulses = calloc(contacts, sizeof *impulses);
        Twist *scratch = calloc(2 * p.bodies.count, sizeof *scratch);
        Nsgs nsgs = {0};
        MrcError error;
        Random random = {17};
        for (size_t i = 0; i < contacts; i++) {
            impulses[i].linear = vec3(1e-6 * random_normal(&random), 1e-6 * random_normal(&random),
                                      1e-6 * random_normal(&random));
            if (rolls)
                impulses[i].angular = vec3(1e-9 * random_normal(&random), 1e-9 * random_normal(&random),
                                           1e-9 * random_normal(&random));
        }
        ContactResidual expected = contact_residual(&p, law, impulses, NULL, 0, scratch);
        NsgsStart start = {
            .velocity = scratch, .floor = residual_floor(&p, 0), .layered = kind % 2 ? 1 : SIZE_MAX};
        double scale;
        p.law = law;
        assert_int_equal(nsgs_prepare(&nsgs, &p, impulses, &start, &scale, &error), MRC_OK);
        ContactResidual found = nsgs_residual(&nsgs, &p, law, scale, false);
        check_near(found.scale, expected.scale, 1e-12 * expected.scale);
        check_near(found.relative, expected.relative, 1e-11 * expected.relative);
        check_near(found.gap, expected.gap, 1e-11 * expected.gap);
        check_near(found.cone, expected.cone, 1e-11 * expected.cone);
        check_near(found.complementarity, expected.complementarity, 1e-11 * expected.complementarity);
        assert_true(kind % 4 != 1 || nsgs.shared.count > 0); // a heavy container in batches
        assert_true(kind % 4 != 2 || nsgs.generals.count > 0);
        assert_true(!rolls || nsgs.rollings.count > 0);
        assert_true(kind % 4 != 3 || nsgs.rolling_walls.count > 0);
        assert_true(!(rolls && kind % 4 == 1) || nsgs.shared_turnings.count > 0);
        nsgs_free(&nsgs);
        free(impulses);
        free(scratch);
        contact_problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_is_nearest),
        cmocka_unit_test(test_local_solve),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_rows_and_floor),
        cmocka_unit_test(test_batches_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
