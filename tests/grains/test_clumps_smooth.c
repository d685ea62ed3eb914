// Clumps by springs: as spheres and boxes where they are that; rest, friction, impacts, energy, seams, rooms, beds, the same bits.
#include "bodies.h"

#include "base/archive.h"
#include "base/threads.h"
#include "check_math.h"
#include "rooms.h"

static const double g = 9.81;

// ---- the same body in other words ----------------------------------------------------------------
// Thrown into a room, it tumbles, bounces off floor and walls, slides and comes to lie.
static void check_same_motion(BodyBed *one, BodyBed *other, double tolerance) {
    BodyBed *both[] = {one, other};
    for (int k = 0; k < 2; k++) {
        both[k]->bed.walls[0].shape = box_wall(vec3(0, 0, 0.5), vec3(0.8, 0.8, 1));
        both[k]->bed.step = 5e-5;
        bed_set_coefficients(&both[k]->bed, 0.4, 0.3, 0);
        bed_create(&both[k]->bed);
        bed_place_turned(&both[k]->bed, 0, vec3(0, 0, 0.5), vec3(1.3, 0.4, 0.5), vec3(2, -3, 4),
                         vec3(0.4, 0.5, 0.2));
    }
    double lowest = 1, farthest = 0;
    for (int n = 0; n < 1000; n++) {
        for (int k = 0; k < 2; k++) bed_advance(&both[k]->bed, 20);
        check_vec3_near(bed_position(&one->bed, 0), bed_position(&other->bed, 0), tolerance);
        check_vec3_near(bed_velocity(&one->bed, 0), bed_velocity(&other->bed, 0), 100 * tolerance);
        check_vec3_near(bed_spin(&one->bed, 0), bed_spin(&other->bed, 0), 1000 * tolerance);
        lowest = fmin(lowest, bed_position(&one->bed, 0).z),
        farthest = fmax(farthest, bed_position(&one->bed, 0).x);
    }
    GrainsMeasure m = bed_measure(&one->bed), n = bed_measure(&other->bed);
    check_near(m.impact, n.impact, 1e-9 * m.impact);
    check_near(m.friction, n.friction, 1e-6 * m.friction); // forces are kept as floats for it
    assert_true(m.friction > 0.05 * m.impact);
    assert_true(lowest < 0.11 && farthest > 0.25); // it has met the floor and a wall
    bodies_destroy(one), bodies_destroy(other);
}

static void test_a_clump_of_one_sphere_in_a_room(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        BodyBed sphere, clump;
        bodies_default(&sphere, (Shape){.kind = SHAPE_SPHERE, .radius = 0.1}, 1, METHOD_SMOOTH);
        bodies_of_clumps(&clump, (ClumpPart[]){clumps_sphere(vec3(3, 2, 1), 0.1)}, 1, 1, METHOD_SMOOTH);
        if (k) {
            sphere.bed.definition.contact.normal = clump.bed.definition.contact.normal = NORMAL_HERTZ;
            sphere.bed.definition.contact.tangential = clump.bed.definition.contact.tangential =
                TANGENTIAL_MINDLIN;
        }
        check_same_motion(&sphere, &clump, 1e-11);
    }
}

// Two that meet askew in flight. Of spheres the tangential spring is kept as a float.
static void test_a_clump_of_one_sphere_hits_another(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        BodyBed sphere, clump, *both[] = {&sphere, &clump};
        double friction = k & 1 ? 0.4 : 0;
        bodies_default(&sphere, (Shape){.kind = SHAPE_SPHERE, .radius = 0.1}, 2, METHOD_SMOOTH);
        bodies_of_clumps(&clump, (ClumpPart[]){clumps_sphere(vec3_zero(), 0.1)}, 1, 2, METHOD_SMOOTH);
        for (int s = 0; s < 2; s++) {
            both[s]->bed.gravity = vec3_zero();
            both[s]->bed.step = 2e-5;
            if (k & 2) both[s]->bed.definition.contact.normal = NORMAL_HERTZ;
            bed_set_coefficients(&both[s]->bed, 0.6, friction, 0);
            both[s]->bed.definition.contact.tangential = !friction ? TANGENTIAL_NONE
                                                         : k & 2   ? TANGENTIAL_MINDLIN
                                                                   : TANGENTIAL_ELASTIC;
            bed_create(&both[s]->bed);
            bed_place_turned(&both[s]->bed, 0, vec3(0, 0, 10), vec3(1, 0, 0), vec3(0, 5, 3), vec3_zero());
            bed_place_turned(&both[s]->bed, 1, vec3(0.21, 0.06, 10.03), vec3(-1, 0, 0.1), vec3(-8, 0, 1),
                             vec3_zero());
            bed_advance(&both[s]->bed, 4000);
        }
        for (size_t i = 0; i < 2; i++) {
            double close = friction > 0 ? 1e-7 : 1e-12;
            assert_true(bed_velocity(&sphere.bed, i).x * (i ? 1 : -1) > 0);
            check_vec3_near(bed_velocity(&clump.bed, i), bed_velocity(&sphere.bed, i), close);
            check_vec3_near(bed_spin(&clump.bed, i), bed_spin(&sphere.bed, i), 10 * close);
        }
        bodies_destroy(&sphere), bodies_destroy(&clump);
    }
}

static BodyBed two_boxes(int count) {
    BodyBed b;
    bodies_of_clumps(&b,
                     (ClumpPart[]){clumps_box(vec3(-0.05, 0, 0), vec3(0.1, 0.12, 0.1)),
                                   clumps_box(vec3(0.05, 0, 0), vec3(0.1, 0.12, 0.1))},
                     2, count, METHOD_SMOOTH);
    return b;
}

// In a room, where the hull of all parts touches, a box of two boxes is the box.
static void test_a_box_of_two_boxes(void **state) {
    (void)state;
    ClumpPart box = clumps_box(vec3_zero(), vec3(0.2, 0.12, 0.1));
    BodyBed whole, halves = two_boxes(1);
    halves.bed.definition.particles.shapes = &halves.shape; // it was moved
    bodies_default(&whole, box.shape, 1, METHOD_SMOOTH);
    // The share of points nearer than a fifth of the smallest part is the only difference: none of the corners are.
    check_same_motion(&whole, &halves, 1e-9);
    hull_destroy((Hull *)box.shape.form);
}

// ---- rest ----------------------------------------------------------------------------------------
static const double ball = 0.05, half = 0.12; // radius of the two balls, and half of their distance

static void dumbbell(BodyBed *b, int count) {
    bodies_of_clumps(
        b, (ClumpPart[]){clumps_sphere(vec3(-half, 0, 0), ball), clumps_sphere(vec3(half, 0, 0), ball)}, 2,
        count, METHOD_SMOOTH);
}

// Two springs k: m g/(2 k), times 1 + zeta h sqrt(2 k/m), because the dashpot acts in the middle of the kick (law_linear.c).
static void test_a_dumbbell_at_rest(void **state) {
    (void)state;
    BodyBed b;
    dumbbell(&b, 1);
    bed_create(&b.bed);
    double weight = b.bed.mass * g;
    bed_place_turned(&b.bed, 0, vec3(0, 0, ball), vec3_zero(), vec3_zero(), vec3(0, 0, 0.3));
    bed_advance(&b.bed, 30000);
    double zeta = normal_law_linear.damping(0.3),
           depth = weight / 2e6 * (1 + zeta * b.bed.step * sqrt(2e6 / b.bed.mass));
    GrainsMeasure m = bed_measure(&b.bed);
    check_near(b.bed.loads[0].force.z, -weight, 1e-9 * weight);
    check_near(bed_position(&b.bed, 0).z, ball - depth, 1e-9 * depth + 1e-15);
    check_near(m.overlap, depth, 1e-9 * depth + 1e-15);
    check_near(m.elastic, 1e6 * depth * depth, 1e-8 * weight * depth);
    check_near(m.kinetic, 0, 1e-16 * weight);
    bodies_destroy(&b);
}

// Hertz with the radius of the ball, not of the clump: 4/3 E' sqrt(r) s^(3/2) = m g/2 each.
static void test_a_dumbbell_at_rest_by_hertz(void **state) {
    (void)state;
    BodyBed b;
    dumbbell(&b, 1);
    b.bed.definition.contact.normal = NORMAL_HERTZ;
    b.bed.definition.contact.tangential = TANGENTIAL_MINDLIN;
    b.bed.step = 2e-5;
    bed_create(&b.bed);
    double weight = b.bed.mass * g, modulus = 4.0 / 3.0 * 70e6 / (2 * (1 - 0.09));
    double depth = pow(weight / 2 / (modulus * sqrt(ball)), 2.0 / 3.0);
    bed_place_turned(&b.bed, 0, vec3(0, 0, ball - 0.99 * depth), vec3_zero(), vec3_zero(), vec3(0, 0, 0.3));
    bed_advance(&b.bed, 40000);
    check_near(b.bed.loads[0].force.z, -weight, 1e-9 * weight);
    double found = bed_measure(&b.bed).overlap;
    print_message("Hertz: depth %.6g of %.6g\n", found, depth);
    check_near(found, depth, 0.02 * depth); // the dashpot in the middle of the kick makes it a little deeper
    assert_true(found >= depth);
    bodies_destroy(&b);
}

// A plate of 14 x 14 balls, more points than the batch of the laws holds: 196 springs, all of them, and the central impact has
// the prescribed restitution. Its step follows from all springs together.
static void test_a_plate_of_balls(void **state) {
    (void)state;
    enum { side = 14, all = side * side };
    ClumpPart parts[all];
    for (int k = 0; k < all; k++) parts[k] = clumps_sphere(vec3(0.1 * (k % side), 0.1 * (k / side), 0), 0.05);
    for (int k = 0; k < 2; k++) {
        BodyBed b;
        bodies_of_clumps(&b, parts, all, 1, METHOD_SMOOTH);
        check_near(b.clump->shaking, all, 0.02 * all); // it is about as quick to turn: all k / m
        if (k) b.bed.gravity = vec3_zero();
        bed_create(&b.bed);
        double weight = b.bed.mass * g;
        bed_place_turned(&b.bed, 0, vec3(0, 0, 0.05 + (k ? 0.3 * b.bed.step : 0)), vec3(0, 0, k ? -1 : 0),
                         vec3_zero(), vec3_zero());
        bed_advance(&b.bed, k ? 400 : 5000);
        if (k) check_near(bed_velocity(&b.bed, 0).z, 0.3, 2e-3);
        else {
            check_near(b.bed.loads[0].force.z, -weight, 1e-9 * weight);
            double zeta = normal_law_linear.damping(0.3), spring = all * 1e6,
                   depth = weight / spring * (1 + zeta * b.bed.step * sqrt(spring / b.bed.mass));
            check_near(bed_measure(&b.bed).overlap, depth, 1e-6 * depth);
        }
        bodies_destroy(&b);
    }
}

// ---- friction ------------------------------------------------------------------------------------
// With its axis along the slope it sticks below the angle of friction, and slides with g (sin - mu cos) above it without
// turning. With its axis across the slope it rolls about that axis alone, by g sin / (1 + I / (m r^2)), I = 2/5 m r^2, r less the
// overlap.
static void test_on_an_incline(void **state) {
    (void)state;
    const double angles[] = {0.2, 0.29, 0.293, 0.5}, friction = 0.3; // atan(0.3) = 0.29146
    for (int k = 0; k < 2 * 4; k++) {
        double angle = angles[k / 2];
        bool across = k & 1;
        BodyBed b;
        dumbbell(&b, 1);
        b.bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
        bed_set_coefficients(&b.bed, 0.3, friction, 0);
        bed_create(&b.bed);
        double depth = b.bed.mass * g * cos(angle) / 2e6;
        bed_place_turned(&b.bed, 0, vec3(-5, 0, ball - depth), vec3_zero(), vec3_zero(),
                         vec3(0, 0, across ? M_PI / 2 : 0));
        int64_t steps = (int64_t)(0.5 / b.bed.step);
        bed_advance(&b.bed, 2 * steps);
        Vec3 start = bed_velocity(&b.bed, 0), where = bed_position(&b.bed, 0);
        bed_advance(&b.bed, steps);
        double gained = (bed_velocity(&b.bed, 0).x - start.x) / ((double)steps * b.bed.step);
        double slide = fmax(0, g * (sin(angle) - friction * cos(angle))), roll = g * sin(angle) / 1.4;
        check_near(gained, across ? roll : slide, across ? 1e-4 * g : 1e-6 * g);
        if (!across && slide == 0) check_vec3_near(bed_position(&b.bed, 0), where, 1e-9);
        Vec3 axis = quaternion_rotate(bed_orientation(&b.bed, 0), vec3(1, 0, 0));
        check_vec3_near(axis, across ? vec3(0, 1, 0) : vec3(1, 0, 0), 1e-4);
        bodies_destroy(&b);
    }
}

// ---- impacts -------------------------------------------------------------------------------------
// The impulse P = (1 + e) m_c v, 1/m_c = 1/m + (c x n) . I^-1 (c x n), at a ball whose middle is c from the centre of mass. Central with
// one ball or both, and eccentric: at the angle a from the vertical, c x n = half sin(a) about an axis with the moment I.
static void test_restitution(void **state) {
    (void)state;
    static const double restitutions[] = {1, 0.8, 0.5, 0.3}, angles[] = {0, 0.4, 1.0, 1.35, M_PI / 2};
    for (int k = 0; k < 4 * 5 * 2; k++) {
        double e = restitutions[k % 4], a = angles[k / 4 % 5];
        bool hertz = k >= 20;
        BodyBed b;
        dumbbell(&b, 1);
        b.bed.gravity = vec3_zero();
        if (hertz) {
            b.bed.definition.contact.normal = NORMAL_HERTZ,
            b.bed.definition.contact.tangential = TANGENTIAL_NONE;
            for (int m = 0; m < BED_MATERIALS; m++) b.bed.materials[m].young = 70e9;
        } else b.bed.definition.contact.stiffness = 1e8; // short, so that it does not turn meanwhile
        bed_set_coefficients(&b.bed, e, 0, 0);
        bed_create(&b.bed);
        double inertia = b.bed.mass * (0.4 * ball * ball + half * half), arm = half * sin(a);
        bool both = a > 1.5;
        double mass = both ? b.bed.mass : 1 / (1 / b.bed.mass + arm * arm / inertia);
        double impulse = (1 + e) * mass, turn = M_PI / 2 - a; // the first ball down by `turn` about y
        bed_place_turned(&b.bed, 0, vec3(0, 0, ball + half * cos(a) + 0.37 * b.bed.step), vec3(0, 0, -1),
                         vec3_zero(), vec3(0, -turn, 0));
        bed_advance(&b.bed, 600);
        check_near(bed_velocity(&b.bed, 0).z, -1 + impulse / b.bed.mass, 4e-3);
        check_vec3_near(bed_spin(&b.bed, 0), vec3(0, both ? 0 : impulse * arm / inertia, 0), 4e-3 / half);
        GrainsMeasure m = bed_measure(&b.bed);
        assert_int_equal((int)m.contacts, 0);
        check_near(m.kinetic + m.impact, 0.5 * b.bed.mass, 2e-3 * 0.5 * b.bed.mass);
        bodies_destroy(&b);
    }
}

// Two clumps of three different balls that meet askew in flight. Returns the error of the energy.
static double collide(double restitution, double friction, double step, double *lost) {
    BodyBed b;
    bodies_of_clumps(&b,
                     (ClumpPart[]){clumps_sphere(vec3(-half, 0, 0), ball),
                                   clumps_sphere(vec3(half, 0, 0), 0.8 * ball),
                                   clumps_sphere(vec3(0, 0.5 * half, 0), 1.1 * ball)},
                     3, 2, METHOD_SMOOTH);
    b.bed.gravity = vec3_zero();
    b.bed.step = step;
    b.bed.definition.contact.stiffness = 1e5;
    bed_set_coefficients(&b.bed, restitution, friction, 0);
    bed_create(&b.bed);
    bed_place_turned(&b.bed, 0, vec3(0, 0, 10), vec3(1, 0.1, 0), vec3(3, -4, 5), vec3(0.4, 0.5, 0.2));
    bed_place_turned(&b.bed, 1, vec3(0.33, 0.03, 10.02), vec3(-1, 0, 0.2), vec3(-6, 2, 1),
                     vec3(-0.3, 0.9, 1.2));
    double error = bed_collide(&b.bed, lost);
    bodies_destroy(&b);
    return error;
}

static void test_two_clumps_keep_their_momenta(void **state) {
    (void)state;
    double lost, coarse = collide(1, 0, 5e-5, &lost), fine = collide(1, 0, 1.25e-5, &lost);
    print_message("energy of a collision without losses: off by %.2g, with a quarter of the step %.2g\n",
                  coarse, fine);
    check_near(lost, 0, 0);
    check_near(coarse, 0, 2e-4);
    check_near(fine, 0, 0.3 * fabs(coarse) + 1e-7);
    check_near(collide(0.5, 0.5, 2e-5, &lost), 0, 1e-3);
    assert_true(lost > 0.05);
}

// Eight dumbbells tumble in a small box, without losses, and collide by the hundred: the potential of the springs keeps their
// energy, the better the finer the step.
static double drift(double step, double *most) {
    BodyBed b;
    dumbbell(&b, 8);
    b.bed.gravity = vec3_zero();
    b.bed.definition.contact.stiffness = 1e5;
    b.bed.step = step;
    bed_set_coefficients(&b.bed, 1, 0, 0);
    bed_create(&b.bed);
    b.bed.walls[0].shape = box_wall(vec3_zero(), vec3(0.8, 0.8, 0.8)); // too small for placing them at random
    for (size_t i = 0; i < 8; i++) {
        double a = 1.3 * (double)i;
        Vec3 corner = vec3(i & 1 ? 0.2 : -0.2, i & 2 ? 0.2 : -0.2, i & 4 ? 0.2 : -0.2);
        bed_place_turned(&b.bed, i, corner, vec3(cos(a), sin(2 * a), sin(a)), vec3(3 * sin(a), 4, -a),
                         vec3(0, 0, M_PI / 4 * (i & 1 ? 1 : -1)));
    }
    double start = bed_measure(&b.bed).kinetic, touching = 0;
    *most = 0;
    for (int k = 0; k < 200; k++) {
        bed_advance(&b.bed, (int64_t)(1e-2 / step + 0.5));
        GrainsMeasure m = bed_measure(&b.bed);
        touching += m.contacts;
        *most = fmax(*most, fabs((m.kinetic + m.elastic) / start - 1));
    }
    bodies_destroy(&b);
    return touching;
}

static void test_energy_of_many_collisions(void **state) {
    (void)state;
    double coarse, fine, touching = drift(8e-5, &coarse);
    drift(2e-5, &fine);
    print_message(
        "energy after %g samples in contact: off by %.2g at most, with a quarter of the step %.2g\n",
        touching, coarse, fine);
    assert_true(touching > 50);
    check_near(coarse, 0, 1e-2);
    check_near(fine, 0, 0.25 * coarse);
}

// ---- parts with faces ----------------------------------------------------------------------------
// Force [N] and moment over 0.1 m on a box of two boxes that is pressed by 0.1 mm into another one that lies flush below, or into a
// block: from the motion that one step gives it.
typedef struct Push {
    Vec3 force, moment;
} Push;

static Push pressed(double x, double y, double tilt, bool block) {
    BodyBed b = two_boxes(block ? 1 : 2);
    b.bed.definition.particles.shapes = &b.shape; // it was moved
    b.bed.gravity = vec3_zero();
    b.bed.step = 1e-6;
    bed_set_coefficients(&b.bed, 1, 0, 0);
    if (block) {
        b.bed.walls[1].shape = wall_of_kind("block");
        wall_set_vector(&b.bed.walls[1].shape, "size", vec3(1, 1, 1));
        wall_set_vector(&b.bed.walls[1].shape, "center", vec3(0, 0, 4.55));
        b.bed.definition.wall_count = 2;
    }
    bed_create(&b.bed);
    size_t upper = block ? 0 : 1;
    if (!block) bed_place_turned(&b.bed, 0, vec3(0, 0, 5), vec3_zero(), vec3_zero(), vec3_zero());
    Vec3 turn = vec3(tilt, 0.5 * tilt, 0.3);
    Mat3 r = quaternion_to_matrix(quaternion_from_rotation_vector(turn));
    double low = 0.1 * fabs(r.m[2][0]) + 0.06 * fabs(r.m[2][1]) + 0.05 * fabs(r.m[2][2]);
    Vec3 where = vec3(block ? 0.38 + x : x, block ? 0.44 + y : y, 5.05 + low - 1e-4);
    bed_place_turned(&b.bed, upper, where, vec3_zero(), vec3_zero(), turn);
    double mass = b.bed.mass;
    Mat3 inertia = grain_inertia(b.bed.grains, upper, mass);
    bed_advance(&b.bed, 1);
    if (!block && bed_position(&b.bed, 1).z < bed_position(&b.bed, 0).z)
        upper = 0; // they are kept in another order
    Push push = {vec3_scale(mass / 1e-6, bed_velocity(&b.bed, upper)),
                 mat3_apply(inertia, vec3_scale(10 / 1e-6, bed_spin(&b.bed, upper)))};
    bodies_destroy(&b);
    return push;
}

static double push_change(const Push *a, const Push *b) {
    return vec3_norm(vec3_sub(a->force, b->force)) + vec3_norm(vec3_sub(a->moment, b->moment));
}

// The largest change within one move, where it is halved 12 times: what does not fall with the move is a jump.
static void find_jump(double tilt, bool block, double *whole, double *sideways, double *jump) {
    enum { samples = 1000 };
    double move = 0.26 / samples, steepest = 0, left = 0;
    Push last = pressed(-0.13, 0.03, tilt, block);
    *whole = *sideways = 0;
    for (int n = 1; n <= samples; n++) {
        Push now = pressed(-0.13 + move * n, 0.03, tilt, block);
        *whole = fmax(*whole, now.force.z);
        *sideways = fmax(*sideways, hypot(now.force.x, now.force.y));
        if (push_change(&now, &last) > steepest)
            steepest = push_change(&now, &last), left = -0.13 + move * (n - 1);
        last = now;
    }
    double right = left + move;
    for (int k = 0; k < 12; k++) {
        double middle = 0.5 * (left + right);
        Push a = pressed(left, 0.03, tilt, block), c = pressed(middle, 0.03, tilt, block),
             d = pressed(right, 0.03, tilt, block);
        if (push_change(&a, &c) > push_change(&c, &d)) right = middle;
        else left = middle;
    }
    Push a = pressed(left, 0.03, tilt, block), c = pressed(right, 0.03, tilt, block);
    *jump = push_change(&a, &c);
}

static void test_forces_at_seams(void **state) {
    (void)state;
    const double tilts[] = {0, 1e-3, 0.02};
    for (int k = 0; k < 6; k++) {
        double whole, sideways, jump;
        find_jump(tilts[k / 2], k & 1, &whole, &sideways, &jump);
        print_message("%s, tilt %g: force %.3g N, sideways %.2g of it, largest jump %.2g\n",
                      k & 1 ? "on a block" : "on another", tilts[k / 2], whole, sideways / whole,
                      jump / whole);
        assert_true(whole > 10);
        check_near(sideways, 0, 0.01 * whole); // no seam is run against
        check_near(jump, 0, 0.03 * whole);
    }
}

// A corner that points down and passes the seam, 0.1 mm below the top: k/4 carries it, straight up, also where the shortest
// ways out of both parts lead aside, into the other one. What other points at the seam share with it takes a few per cent.
static void test_a_corner_on_a_seam(void **state) {
    (void)state;
    const double tilt = 0.7, depth = 1e-4;
    Mat3 r = quaternion_to_matrix(quaternion_from_rotation_vector(vec3(tilt, 0.5 * tilt, 0.3)));
    Vec3 corner = mat3_apply(
        r, vec3(r.m[2][0] > 0 ? -0.1 : 0.1, r.m[2][1] > 0 ? -0.06 : 0.06, r.m[2][2] > 0 ? -0.05 : 0.05));
    double least = INFINITY, most = 0, aside = 0, whole = 0.25e6 * depth;
    for (int n = -60; n <= 60; n++) {
        Push push = pressed(-corner.x + 0.1 * n * depth, 0.01 - corner.y, tilt, false);
        least = fmin(least, push.force.z), most = fmax(most, push.force.z);
        aside = fmax(aside, hypot(push.force.x, push.force.y));
    }
    print_message("a corner on a seam: %.3g to %.3g of its force, sideways up to %.2g\n", least / whole,
                  most / whole, aside / whole);
    assert_true(least > 0.9 * whole && most < 1.01 * whole && aside < 1e-6 * whole);
}

// A plank of some boxes slides over another one without friction. Returns the largest change of its velocity, and of its height
// over the overlap.
static double slide_over_seams(int boxes, double *height) {
    ClumpPart parts[4];
    double length = 0.4 / boxes;
    for (int k = 0; k < boxes; k++)
        parts[k] = clumps_box(vec3(length * (k + 0.5) - 0.2, 0, 0), vec3(length, 0.1, 0.04));
    BodyBed b;
    bodies_of_clumps(&b, parts, boxes, 2, METHOD_SMOOTH);
    bed_set_coefficients(&b.bed, 0.3, 0, 0);
    b.bed.step = 4e-5;
    bed_create(&b.bed);
    double depth = b.bed.mass * g / 1e6, off = 0, highest = 0, lowest = 1;
    bed_place_turned(&b.bed, 0, vec3(0, 0, 0.02 - 2 * depth), vec3_zero(), vec3_zero(), vec3_zero());
    bed_place_turned(&b.bed, 1, vec3(0.103, 0.01, 0.06 - 3 * depth), vec3(-0.5, 0.02, 0), vec3_zero(),
                     vec3_zero());
    for (int n = 0; n < 400; n++) {
        bed_advance(&b.bed, 25);
        size_t upper = bed_position(&b.bed, 0).z > bed_position(&b.bed, 1).z ? 0 : 1;
        Vec3 change = vec3_sub(bed_velocity(&b.bed, upper), vec3(-0.5, 0.02, 0));
        off = fmax(off, hypot(change.x, change.y));
        highest = fmax(highest, bed_position(&b.bed, upper).z),
        lowest = fmin(lowest, bed_position(&b.bed, upper).z);
    }
    *height = (highest - lowest) / depth;
    bodies_destroy(&b);
    return off / 0.5;
}

// Seams do not stop it, nor throw it up: planks of one box tilt on their springs as much.
static void test_slides_over_seams(void **state) {
    (void)state;
    double height, whole_height, off = slide_over_seams(4, &height),
                                 whole = slide_over_seams(1, &whole_height);
    print_message("over seams: the speed changes by %.2g of it, the height by %.2g overlaps; without seams "
                  "%.2g, %.2g\n",
                  off, height, whole, whole_height);
    check_near(off, 0, 1.5 * whole);
    check_near(height, 0, whole_height + 0.5);
}

// An angle of two boxes that overlap bounces and rocks on a block, and on its twin, for long, without losses: points come and go
// by the thousand, and the energy stays. With losses, the ledger has all of it.
static void test_energy_of_bouncing_angles(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        BodyBed b;
        bodies_of_clumps(&b,
                         (ClumpPart[]){clumps_box(vec3_zero(), vec3(0.2, 0.05, 0.05)),
                                       clumps_box(vec3(0.075, 0, 0.05), vec3(0.05, 0.05, 0.15))},
                         2, 2, METHOD_SMOOTH);
        b.bed.walls[1].shape = wall_of_kind("block");
        wall_set_vector(&b.bed.walls[1].shape, "size", vec3(4, 4, 1));
        wall_set_vector(&b.bed.walls[1].shape, "center", vec3(0, 0, 4.5));
        b.bed.definition.wall_count = 2;
        bed_set_coefficients(&b.bed, k ? 0.4 : 1, k ? 0.4 : 0, 0);
        bed_create(&b.bed);
        b.bed.grains->step = b.bed.step *= 0.5;
        bed_place_turned(&b.bed, 0, vec3(0, 0, 5.2), vec3_zero(), vec3_zero(), vec3(0.4, 0.5, 0.2));
        bed_place_turned(&b.bed, 1, vec3(0.05, 0.02, 5.45), vec3_zero(), vec3(1, 0, 2), vec3(-0.4, 0.3, 1.2));
        GrainsMeasure m = bed_measure(&b.bed);
        double start = m.kinetic + m.potential - 2 * 5 * g * b.bed.mass; // above the block
        bed_advance(&b.bed, (int64_t)(2 / b.bed.step));
        m = bed_measure(&b.bed);
        double kept = bed_ledger(&m) - 2 * 5 * g * b.bed.mass;
        print_message("angles: energy off by %.2g, kinetic at the end %.2g\n", kept / start - 1,
                      m.kinetic / start);
        check_near(kept, start, 5e-3 * start);
        if (k) assert_true(m.kinetic < 1e-6 * start);
        bodies_destroy(&b);
    }
}

// ---- rooms ---------------------------------------------------------------------------------------
// Clumps of balls and a bar of two boxes, thrown about in a room of each kind of wall: they come to rest on it, and the ledger
// closes.
static void test_rooms(void **state) {
    (void)state;
    for (Room kind = 0; kind < ROOM_COUNT; kind++) {
        BodyBed b;
        MrcError error = {0};
        bodies_of_clumps(&b,
                         (ClumpPart[]){clumps_sphere(vec3(-0.04, -0.02, 0), 0.025),
                                       clumps_sphere(vec3(-0.04, 0.02, 0), 0.03),
                                       clumps_box(vec3(-0.01, 0, 0), vec3(0.06, 0.03, 0.03)),
                                       clumps_box(vec3(0.035, 0, 0), vec3(0.03, 0.03, 0.03))},
                         4, 4, METHOD_SMOOTH);
        b.bed.definition.contact.stiffness = 1e5;
        b.bed.step = 4e-5;
        bed_create(&b.bed);
        b.bed.walls[0].shape = room(kind, 0.2); // too small for placing them at random
        for (size_t i = 0; i < 4; i++) {
            double a = 1.6 * (double)i;
            bed_place_turned(&b.bed, i, vec3(0.08 * cos(a), 0.08 * sin(a), -0.02 + 0.05 * (double)(i % 2)),
                             vec3(0.5 * sin(a), 0.3, 0), vec3(3, a, -2), vec3(a, 0.5, -a));
        }
        GrainsMeasure start = bed_measure(&b.bed);
        bed_advance(&b.bed, (int64_t)(2 / b.bed.step));
        GrainsMeasure m = bed_measure(&b.bed);
        double lost = m.impact + m.friction, weight = g * grains_mass(b.bed.grains);
        if (grains_check_lost(b.bed.grains, b.bed.motions, &error)) fail_msg("%s", error.text);
        print_message("%s: ledger %.2g, kinetic %.2g of what was lost, load %.2g\n", room_names[kind],
                      (bed_ledger(&m) - bed_ledger(&start)) / lost, m.kinetic / lost,
                      b.bed.loads[0].force.z / weight + 1);
        check_near(bed_ledger(&m), bed_ledger(&start), 2e-3 * lost);
        check_near(m.kinetic, 0, 1e-6 * lost);
        check_near(b.bed.loads[0].force.z, -weight, 1e-3 * weight);
        bodies_destroy(&b);
        wall_release(&b.bed.walls[0].shape);
    }
}

// ---- beds ----------------------------------------------------------------------------------------
static void soft_tripods(Bed *bed, SphereOfClump spheres[3], int64_t count) {
    tripods_default(bed, spheres, count, METHOD_SMOOTH);
    bed->definition.contact.stiffness = 5e4;
    bed_set_coefficients(bed, 0.3, 0.6, 0);
}

// A heap falls from a lattice, comes to rest, and the ledger has where the energy went.
static void test_a_heap_comes_to_rest(void **state) {
    (void)state;
    Bed bed;
    SphereOfClump spheres[3];
    soft_tripods(&bed, spheres, 60);
    bed_create(&bed);
    GrainsMeasure start = bed_measure(&bed);
    bed_advance(&bed, (int64_t)(1.2 / bed.step));
    GrainsMeasure m = bed_measure(&bed);
    double lost = m.impact + m.friction, weight = g * grains_mass(bed.grains);
    print_message("heap: ledger %.2g, kinetic %.2g of what was lost, coordination %.3g\n",
                  (bed_ledger(&m) - bed_ledger(&start)) / lost, m.kinetic / lost, m.coordination);
    assert_true(lost > 0.02 * weight); // N m: they fell by more than 2 cm on average
    check_near(bed_ledger(&m), bed_ledger(&start), 2e-3 * lost);
    check_near(m.kinetic, 0, 1e-4 * lost);
    check_near(bed.loads[0].force.z, -weight, 1e-2 * weight);
    assert_true(m.coordination > 2);
    bodies_release(&bed);
}

// Settled before the run: at rest from the start, and it stays.
static void test_a_settled_bed_stands(void **state) {
    (void)state;
    enum { count = 60 };
    Bed bed;
    SphereOfClump spheres[3];
    soft_tripods(&bed, spheres, count);
    bed.definition.packing.kind = PACKING_SETTLE;
    bed_create(&bed);
    Vec3 start[count];
    for (size_t i = 0; i < count; i++) start[grains_view(bed.grains)->id[i]] = bed_position(&bed, i);
    double radius = bed.definition.particles.radius, most = 0, ways = 0, top = -1;
    bed_advance(&bed, (int64_t)(0.2 / bed.step));
    for (size_t i = 0; i < count; i++) {
        double way = vec3_norm(vec3_sub(bed_position(&bed, i), start[grains_view(bed.grains)->id[i]]));
        most = fmax(most, way), ways += way * way;
        top = fmax(top, bed_position(&bed, i).z);
    }
    double weight = g * grains_mass(bed.grains),
           speed = sqrt(2 * 1e-5 * g * radius); // of the rule of rest (settle.c)
    print_message("ways of clumps in 0.2 s: %.2g of the radius, the largest %.2g; load off by %.2g\n",
                  sqrt(ways / count) / radius, most / radius, bed.loads[0].force.z / weight + 1);
    check_near(sqrt(ways / count), 0, 0.2 * speed);
    check_near(most, 0, 0.2 * speed * sqrt(count));
    check_near(bed.loads[0].force.z, -weight, 1e-2 * weight);
    assert_true(top < -0.2); // at the bottom
    bodies_release(&bed);
}

static uint64_t run_on_threads(int threads) {
    Bed bed;
    SphereOfClump spheres[3];
    threads_set(threads);
    soft_tripods(&bed, spheres, 1000);
    bed.walls[0].shape = box_wall(vec3_zero(), vec3(0.35, 0.35, 10));
    bed.definition.packing.kind = PACKING_RANDOM;
    bed.definition.particles.velocity = vec3(2, 1, -1);
    bed.step = 1e-4;
    bed_create(&bed);
    bed_advance(&bed, 1500);
    assert_int_equal(bed.grains->threads, threads);
    assert_true(bed_measure(&bed).contacts > 50);
    uint64_t hash = bed_hash(&bed);
    bodies_release(&bed);
    return hash;
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    uint64_t one = run_on_threads(1);
    assert_int_equal(one, run_on_threads(2));
    threads_set(1);
}

// Lists change many times in a round, with grains in another order: memory goes along.
static void test_restored_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    Bed bed, other, *both[] = {&bed, &other};
    SphereOfClump spheres[2][3];
    for (int k = 0; k < 2; k++) {
        soft_tripods(both[k], spheres[k], 30);
        both[k]->walls[0].shape = box_wall(vec3_zero(), vec3(0.28, 0.28, 0.9));
        both[k]->step = 5e-5;
        bed_create(both[k]);
    }
    bed_check_restored(&bed, &other, 1500);
    assert_true(bed_measure(&bed).contacts > 20);
    bodies_release(&bed);
    bodies_release(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clump_of_one_sphere_in_a_room),
        cmocka_unit_test(test_a_clump_of_one_sphere_hits_another),
        cmocka_unit_test(test_a_box_of_two_boxes),
        cmocka_unit_test(test_a_dumbbell_at_rest),
        cmocka_unit_test(test_a_dumbbell_at_rest_by_hertz),
        cmocka_unit_test(test_a_plate_of_balls),
        cmocka_unit_test(test_on_an_incline),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_two_clumps_keep_their_momenta),
        cmocka_unit_test(test_energy_of_many_collisions),
        cmocka_unit_test(test_forces_at_seams),
        cmocka_unit_test(test_a_corner_on_a_seam),
        cmocka_unit_test(test_slides_over_seams),
        cmocka_unit_test(test_energy_of_bouncing_angles),
        cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_a_heap_comes_to_rest),
        cmocka_unit_test(test_a_settled_bed_stands),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_restored_state_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
