// Kinds of grains of different shapes in one bed: spheres move as in a bed of spheres, balls on boxes, collisions of balls with
// other bodies, masses, weights, steps, files, the same bits on any number of threads and after a restart.
#include "bodies.h"

#include "base/archive.h"
#include "base/threads.h"
#include "check_math.h"
#include "grains/grain_sizes.h"

static const double g = 9.81, radius = 0.1;
static const Vec3 size = {0.3, 0.24, 0.2}; // of a box [m]
static const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
enum { METHODS = 3, BALLS = 0, BOXES = 1, STONES = 2, TRIPODS = 3, KINDS = 4 };

typedef struct Mixed {
    Bed bed;
    ParticlesDefinition more[KINDS - 1];
    SphereOfClump spheres[3];
} Mixed;

// Balls and boxes, and if they are wanted stones and clumps of three balls, in a room of 20 m whose floor is at z = 0.
static void mixed_default(Mixed *m, int method, const int counts[KINDS], int kinds) {
    MrcError error = {0};
    Bed tripods;
    tripods_default(&tripods, m->spheres, 1, method);
    bodies_release(&(Bed){.definition = tripods.definition});
    m->bed = bed_default();
    GrainsDefinition *d = &m->bed.definition;
    d->particles = (ParticlesDefinition){.name = "balls", .radius = radius, .material = "grain"};
    m->more[BOXES - 1] =
        (ParticlesDefinition){.name = "boxes", .form = {.kind = FORM_BOX, .box = {size}}, .material = "wall"};
    m->more[STONES - 1] = (ParticlesDefinition){
        .name = "stones",
        .form = {.kind = FORM_BALLAST,
                 .ballast = {.vertices = 14, .forms = 5, .seed = 2, .elongation = 1.3, .flatness = 1.2}},
        .radius = 0.08,
        .material = "wall"};
    m->more[TRIPODS - 1] = (ParticlesDefinition){
        .name = "tripods",
        .form = {.kind = FORM_CLUMP, .clump = {.spheres = m->spheres, .sphere_count = 3}},
        .orientation = ORIENTATION_RANDOM,
        .material = "grain"};
    d->more = m->more, d->more_count = kinds - 1;
    for (int k = 0; k < kinds; k++) {
        ParticlesDefinition *p = k == 0 ? &d->particles : &m->more[k - 1];
        p->count = counts[k];
        if (forms_prepare(p, "", "mixed", &error)) fail_msg("%s", error.text);
    }
    if (forms_join(d, &error)) fail_msg("%s", error.text);
    m->bed.walls[0].shape = box_wall(vec3(0, 0, 10), vec3(20, 20, 20));
    m->bed.gravity = vec3(0, 0, -g);
    m->bed.materials[1].density = 900;
    bodies_set_method(&m->bed, method);
}

// The number of the nth grain of a kind.
static size_t grain_of(const Mixed *m, int kind, int nth) {
    const GrainStore *v = grains_view(m->bed.grains);
    size_t i = 0;
    for (; i < v->count; i++)
        if (v->kind[i] == kind && nth-- == 0) break;
    assert_true(i < v->count);
    return i;
}

static void destroy(Mixed *m) { bodies_release(&m->bed); }

// ---- spheres among others ------------------------------------------------------------------------
// A ball is thrown into the corner of a room, bounces, slides and rolls; a box is far away. Nothing else than rounding tells it
// from a ball alone; if the box lies on the floor, rigid contacts of both are one problem, which is solved to its tolerance.
// (Contact dynamics decides by the sign of a gap, which may be rounding, whether it bounces.)
static void check_ball_as_alone(int method, bool lies) {
    Mixed m;
    BodyBed alone;
    mixed_default(&m, method, (int[KINDS]){1, 1}, 2);
    m.more[BOXES - 1].radius = radius; // gaps below 1e-8 of the mean radius are zero in contact dynamics
    bodies_default(&alone, (Shape){.kind = SHAPE_SPHERE, .radius = radius}, 1, method);
    Bed *both[] = {&m.bed, &alone.bed};
    double step = method == METHOD_SMOOTH ? 1e-4 : 1e-3, lowest = 1, farthest = 0, turning = 0;
    for (int k = 0; k < 2; k++) {
        both[k]->walls[0].shape = box_wall(vec3(-2, 0, 10), vec3(5, 3, 20)); // to x = 0.5
        both[k]->definition.contact.solver.tolerance = 1e-13;
        both[k]->step = step;
        bed_set_coefficients(both[k], method == METHOD_NSCD ? 0 : 0.4, 0.3, 0);
        bed_create(both[k]);
    }
    size_t ball = grain_of(&m, BALLS, 0), box = grain_of(&m, BOXES, 0);
    const Vec3 turn = {0.4, 0.5, 0.2};
    bed_place_turned(&m.bed, ball, vec3(0, 0, 0.5), vec3(1.3, 0.4, 0.5), vec3(2, -3, 14), turn);
    bed_place_turned(&alone.bed, 0, vec3(0, 0, 0.5), vec3(1.3, 0.4, 0.5), vec3(2, -3, 14), turn);
    double height = lies ? size.z * radius / vec3_norm(size) : 15;
    bed_place_turned(&m.bed, box, vec3(-4, 0, height), vec3_zero(), vec3_zero(), vec3_zero());
    // The first kick of a spring depends on when it begins (law_linear.c), and rounding grows from impact to impact.
    const double close = lies || method == METHOD_SMOOTH ? 1e-8 : 1e-11;
    for (int n = 0; n < (int)(1.2 / step); n++) {
        for (int k = 0; k < 2; k++) bed_advance(both[k], 1);
        Vec3 place = bed_position(&m.bed, ball), spin = bed_spin(&m.bed, ball);
        check_vec3_near(place, bed_position(&alone.bed, 0), close);
        check_vec3_near(bed_velocity(&m.bed, ball), bed_velocity(&alone.bed, 0), 100 * close);
        check_vec3_near(spin, bed_spin(&alone.bed, 0), 1000 * close);
        lowest = fmin(lowest, place.z), farthest = fmax(farthest, place.x);
        turning = fmax(turning, fabs(spin.y));
    }
    Quaternion a = bed_orientation(&m.bed, ball), b = bed_orientation(&alone.bed, 0);
    // of smooth grains alone to the second order in the step (smooth.c)
    check_near(fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z), 1, 1e-6);
    assert_true(lowest < 0.101 && farthest > 0.399 && turning > 3.5); // it has met the floor and a wall
    destroy(&m);
    bodies_destroy(&alone);
}

static void test_a_ball_moves_as_alone(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (int lies = 0; lies < 2; lies++) check_ball_as_alone(methods[k], lies);
}

// A ball in a drum that turns, far along its axis from a box: what a wall that turns does to the ball depends on the motion
// of its centre alone, not on its spin.
static void test_a_ball_in_a_drum(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Mixed m;
        BodyBed alone;
        mixed_default(&m, methods[k], (int[KINDS]){1, 1}, 2);
        m.more[BOXES - 1].radius = radius;
        bodies_default(&alone, (Shape){.kind = SHAPE_SPHERE, .radius = radius}, 1, methods[k]);
        Bed *both[] = {&m.bed, &alone.bed};
        double step = methods[k] == METHOD_SMOOTH ? 1e-4 : 1e-3, rate = 3;
        for (int b = 0; b < 2; b++) {
            both[b]->walls[0].shape = cylinder_wall(vec3_zero(), vec3(0, 1, 0), 0.5, 4);
            both[b]->definition.contact.solver.tolerance = 1e-13;
            both[b]->step = step;
            bed_set_coefficients(both[b], 0, 0.5, 0);
            bed_create(both[b]);
        }
        size_t ball = grain_of(&m, BALLS, 0), box = grain_of(&m, BOXES, 0);
        bed_place(&m.bed, ball, vec3(0.2, 1.5, -0.34), vec3_zero(), vec3(0, 5, 0));
        bed_place(&alone.bed, 0, vec3(0.2, 1.5, -0.34), vec3_zero(), vec3(0, 5, 0));
        bed_place_turned(&m.bed, box, vec3(0, -1.5, -0.3), vec3_zero(), vec3_zero(), vec3_zero());
        double fastest = 0;
        for (int n = 0; n < (int)(1 / step); n++)
            for (int b = 0; b < 2; b++) {
                both[b]->motions[0].orientation =
                    quaternion_from_rotation_vector(vec3(0, rate * (n + 1) * step, 0));
                both[b]->motions[0].angular_velocity = vec3(0, rate, 0);
                bed_advance(both[b], 1);
                fastest = fmax(fastest, vec3_norm(bed_velocity(both[b], b ? 0 : ball)));
            }
        double close = 1e-7; // rigid contacts of both are one problem
        check_vec3_near(bed_position(&m.bed, ball), bed_position(&alone.bed, 0), close);
        check_vec3_near(bed_spin(&m.bed, ball), bed_spin(&alone.bed, 0), 1000 * close);
        assert_true(fastest > 0.3);
        destroy(&m);
        bodies_destroy(&alone);
    }
}

// ---- balls and boxes -----------------------------------------------------------------------------
static double volume_of_box(void) { return size.x * size.y * size.z; }

// The depth at rest under a force; the dashpot acts in the middle of the kick (law_linear.c).
static double depth_under(const Bed *bed, double force, double mass) {
    return force / 1e6 * (1 + normal_law_linear.damping(0.3) * bed->step * sqrt(1e6 / mass));
}

// The ball lies on the middle of the box, the box on the floor: four corners together are as stiff as the ball.
static void test_a_ball_on_a_box(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Mixed m;
        mixed_default(&m, methods[k], (int[KINDS]){1, 1}, 2);
        bed_create(&m.bed);
        size_t ball = grain_of(&m, BALLS, 0), box = grain_of(&m, BOXES, 0);
        bed_place_turned(&m.bed, box, vec3(0, 0, 0.5 * size.z), vec3_zero(), vec3_zero(), vec3_zero());
        bed_place(&m.bed, ball, vec3(0, 0, size.z + radius), vec3_zero(), vec3_zero());
        bed_advance(&m.bed, (int64_t)(0.5 / m.bed.step));
        double upper = 2500 * sphere_volume(radius), lower = 900 * volume_of_box(), both = upper + lower;
        bool smooth = methods[k] == METHOD_SMOOTH;
        check_near(m.bed.loads[0].force.z, -both * g, 1e-7 * both * g);
        double sunk = smooth ? depth_under(&m.bed, both * g, lower) : 0,
               more = smooth ? depth_under(&m.bed, upper * g, upper * lower / both) : 0;
        check_near(bed_position(&m.bed, box).z, 0.5 * size.z - sunk, smooth ? 1e-10 : 1e-7);
        check_near(bed_position(&m.bed, ball).z, size.z + radius - sunk - more, smooth ? 1e-10 : 1e-7);
        check_vec3_near(bed_spin(&m.bed, ball), vec3_zero(), 1e-9);
        assert_true(bed_measure(&m.bed).contacts > 1);
        destroy(&m);
    }
}

// Against the middle of a face, without friction: with the masses of both and the restitution of their pair.
static void test_a_ball_hits_a_face(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Mixed m;
        bool smooth = methods[k] == METHOD_SMOOTH;
        mixed_default(&m, methods[k], (int[KINDS]){1, 1}, 2);
        m.bed.gravity = vec3_zero();
        bed_set_coefficients(&m.bed, 0.6, 0, 0);
        if (smooth) m.bed.step = 2e-6;
        bed_create(&m.bed);
        size_t ball = grain_of(&m, BALLS, 0), box = grain_of(&m, BOXES, 0);
        Vec3 turn = {0.3, -0.5, 0.8},
             out = quaternion_rotate(quaternion_from_rotation_vector(turn), vec3(0, 0, 1));
        bed_place_turned(&m.bed, box, vec3(0, 0, 10), vec3_zero(), vec3_zero(), turn);
        bed_place(&m.bed, ball, vec3_madd(vec3(0, 0, 10), 0.5 * size.z + radius + 0.01, out),
                  vec3_scale(-2, out), vec3(1, 2, 3));
        bed_advance(&m.bed, (int64_t)(0.02 / m.bed.step));
        double a = 2500 * sphere_volume(radius), b = 900 * volume_of_box();
        double after = -2 * a * 1.6 / (a + b); // of the box; by the springs' law to 0.1 %
        double close = smooth ? 2e-3 : 1e-8;
        check_vec3_near(bed_velocity(&m.bed, box), vec3_scale(after, out), close);
        check_vec3_near(bed_velocity(&m.bed, ball), vec3_scale(after + 1.2, out), close);
        check_vec3_near(bed_spin(&m.bed, ball), vec3(1, 2, 3), 1e-9);
        check_vec3_near(bed_spin(&m.bed, box), vec3_zero(), 1e-8);
        destroy(&m);
    }
}

// Askew, with friction, onto a box and a clump that tumble: momenta are kept, energy is not made.
static void test_collisions_keep_momenta(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (int kind = BOXES; kind < KINDS; kind++) {
            Mixed m;
            bool smooth = methods[k] == METHOD_SMOOTH;
            mixed_default(&m, methods[k], (int[KINDS]){1, 1, 1, 1}, KINDS);
            m.bed.gravity = vec3_zero();
            m.bed.definition.contact.law = CONTACT_COULOMB;
            bed_set_coefficients(&m.bed, 0.5, 0.4, 0);
            if (smooth) m.bed.step = 1e-5;
            bed_create(&m.bed);
            size_t ball = grain_of(&m, BALLS, 0), other = grain_of(&m, kind, 0);
            for (int away = BOXES; away < KINDS; away++) // those that are not meant
                bed_place(&m.bed, grain_of(&m, away, 0), vec3(4, 2 * away, 8), vec3_zero(), vec3_zero());
            bed_place_turned(&m.bed, other, vec3(0, 0, 10), vec3(0.2, 0, 0.3), vec3(1, 3, -2),
                             vec3(0.3, 0.7, 1));
            bed_place(&m.bed, ball, vec3(-0.5, 0.04, 10.03), vec3(4, 0, 0.2), vec3(20, -10, 5));
            Vec3 linear, angular, linear_after, angular_after, before = bed_velocity(&m.bed, other);
            bed_momenta(&m.bed, &linear, &angular);
            GrainsMeasure start = bed_measure(&m.bed);
            for (int part = 0; part < 10; part++) {
                bed_advance(&m.bed, (int64_t)(0.02 / m.bed.step));
                bed_momenta(&m.bed, &linear_after, &angular_after);
                check_vec3_near(linear_after, linear, 1e-12 * vec3_norm(linear));
                check_vec3_near(angular_after, angular, 1e-11 * vec3_norm(angular));
            }
            GrainsMeasure end = bed_measure(&m.bed);
            assert_true(vec3_norm(vec3_sub(bed_velocity(&m.bed, other), before)) > 0.5); // they have met
            assert_true(end.kinetic < 0.99 * start.kinetic);
            double lost = start.kinetic - end.kinetic;
            check_near(end.impact + end.friction, lost, (smooth ? 2e-3 : 1e-9) * lost);
            destroy(&m);
        }
}

// ---- beds ----------------------------------------------------------------------------------------
static const double small_ball = 0.06, small_box = 0.12; // radii, about as heavy as the others

static void bed_of_all(Mixed *m, int method, int scale, Vec3 room) {
    mixed_default(m, method, (int[KINDS]){4 * scale, 3 * scale, 5 * scale, 6 * scale}, KINDS);
    m->bed.definition.particles.radius = small_ball, m->more[BOXES - 1].radius = small_box;
    m->bed.walls[0].shape = box_wall(vec3_zero(), room);
    m->bed.definition.contact.solver.tolerance = 1e-4;
    m->bed.definition.packing = (PackingDefinition){.kind = PACKING_RANDOM, .limit = 10, .seed = 1};
    if (method != METHOD_SMOOTH) m->bed.step = 5e-4;
}

// Masses are those of the shapes, and a settled bed stands on the floor with its weight.
static void test_a_settled_bed(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Mixed m;
        bed_of_all(&m, methods[k], 2, vec3(0.6, 0.6, 2));
        m.bed.definition.packing.kind = PACKING_SETTLE;
        bed_create(&m.bed);
        const GrainStore *v = grains_view(m.bed.grains);
        int turns[5] = {0};
        double scale = pow(2 * small_box / vec3_norm(size), 3);
        for (size_t i = 0; i < v->count; i++) {
            const ParticlesDefinition *p = grains_kind(&m.bed.definition, v->kind[i]);
            int form = v->shape[i] - p->first_shape;
            assert_true(form >= 0 && form < p->shape_count);
            if (v->kind[i] == BALLS)
                check_near(1 / v->inverse_mass[i], 2500 * sphere_volume(small_ball), 1e-12);
            if (v->kind[i] == BOXES) check_near(1 / v->inverse_mass[i], 900 * volume_of_box() * scale, 1e-12);
            if (v->kind[i] == STONES) turns[form]++;
        }
        for (int form = 0; form < 5; form++) assert_int_equal(turns[form], 2); // of 10 stones
        bed_advance(&m.bed, (int64_t)(0.6 / m.bed.step));                      // the last ones roll, and rock
        double weight = g * grains_mass(m.bed.grains);
        GrainsMeasure measure = bed_measure(&m.bed);
        print_message("%s: load off by %.2g, kinetic %.2g of m g r\n",
                      grains_method(&m.bed.definition)->choice.word, m.bed.loads[0].force.z / weight + 1,
                      measure.kinetic / (weight * radius));
        check_near(m.bed.loads[0].force.z, -weight, 0.02 * weight);
        check_near(measure.kinetic, 0, 1e-3 * weight * radius); // a ball may still roll a little
        destroy(&m);
    }
}

static uint64_t run_on_threads(int method, int threads) {
    Mixed m;
    threads_set(threads);
    bed_of_all(&m, method, 30, vec3(1.4, 1.4, 2.5));
    for (int k = 0; k < KINDS; k++) {
        ParticlesDefinition *p = k == 0 ? &m.bed.definition.particles : &m.more[k - 1];
        p->velocity = vec3(2, k, -3);
    }
    bed_create(&m.bed);
    bed_advance(&m.bed, method == METHOD_SMOOTH ? 2500 : 300);
    assert_true(bed_measure(&m.bed).contacts > 20);
    uint64_t hash = bed_hash(&m.bed);
    destroy(&m);
    return hash;
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        uint64_t one = run_on_threads(methods[k], 1);
        assert_int_equal(one, run_on_threads(methods[k], 2));
    }
    threads_set(1);
}

static void test_restored_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        Mixed m[2];
        MrcError error = {0};
        bool smooth = methods[k] == METHOD_SMOOTH;
        for (int b = 0; b < 2; b++) {
            bed_of_all(&m[b], methods[k], 1, vec3(0.6, 0.6, 1));
            m[b].bed.definition.particles.velocity = vec3(1, 2, -3);
            bed_create(&m[b].bed);
        }
        Archive *archive = archive_memory_create();
        int steps = smooth ? 3000 : 300;
        for (int round = 0; round < 3; round++) {
            archive_memory_save(archive);
            grains_archive(m[0].bed.grains, archive);
            assert_int_equal(archive_status(archive, &error), MRC_OK);
            bed_advance(&m[0].bed, steps);
            uint64_t hash = bed_hash(&m[0].bed);
            archive_memory_load(archive);
            grains_archive(m[1].bed.grains, archive);
            assert_int_equal(archive_status(archive, &error), MRC_OK);
            bed_advance(&m[1].bed, steps);
            assert_int_equal(bed_hash(&m[1].bed), hash);
            bed_advance(&m[1].bed, 57);
        }
        assert_true(bed_measure(&m[0].bed).impact > 0); // they have met each other or walls
        archive_destroy(archive);
        destroy(&m[0]), destroy(&m[1]);
    }
}

// ---- before there are grains ---------------------------------------------------------------------
// The step is that of the kind that needs the shortest one, with its corners and parts.
static void test_steps(void **state) {
    (void)state;
    Mixed m;
    double least = INFINITY, critical = INFINITY;
    bed_of_all(&m, METHOD_SMOOTH, 1, vec3(2, 2, 2));
    for (int k = 0; k < KINDS; k++) {
        Bed one = m.bed;
        one.definition = grains_of_kind(&m.bed.definition, k);
        bed_create(&one);
        least = fmin(least, one.step);
        critical = fmin(critical, grains_critical_step(one.grains));
        bed_destroy(&one);
    }
    bed_create(&m.bed);
    check_near(m.bed.step, least, 1e-12 * least);
    check_near(grains_critical_step(m.bed.grains), critical, 1e-12 * critical);
    destroy(&m);
}

// Places, kinds and forms of a file: forms are counted in their kind, radii are those of their kind.
static void test_a_file(void **state) {
    (void)state;
    Mixed m;
    enum { count = 4 };
    static double x[count] = {0, 1, 2, 3}, zero[count];
    static const int32_t kinds[count] = {STONES, BALLS, STONES, BOXES}, forms[count] = {4, 0, 2, 0};
    const BedData file = {.count = count, .kinds = kinds, .forms = forms, .columns = {x, zero, zero}};
    static double places[KINDS][count];
    BedData own[KINDS] = {{1, NULL, (int32_t[]){0}, {places[0], zero, zero}},
                          {1, NULL, (int32_t[]){0}, {places[1], zero, zero}},
                          {2, NULL, (int32_t[]){4, 2}, {places[2], zero, zero}}};
    mixed_default(&m, METHOD_NONSMOOTH, (int[KINDS]){0}, 3);
    m.bed.definition.packing.kind = PACKING_FILE;
    m.bed.definition.bed = &file;
    m.bed.definition.particles.bed = &own[0], m.more[0].bed = &own[1], m.more[1].bed = &own[2];
    m.bed.walls[0].shape = box_wall(vec3_zero(), vec3(20, 20, 20));
    bed_create(&m.bed);
    const GrainStore *v = grains_view(m.bed.grains);
    const double radii[count] = {0.08, radius, 0.08, 0.5 * vec3_norm(size)};
    for (size_t i = 0; i < count; i++) {
        const ParticlesDefinition *p = grains_kind(&m.bed.definition, kinds[i]);
        assert_int_equal(v->kind[i], kinds[i]);
        assert_int_equal(v->shape[i], p->first_shape + forms[i]);
        check_near(v->x[i], x[i], 0);
        check_near(v->radius[i], radii[i], 1e-15);
    }
    assert_int_equal(m.bed.definition.particles.first_shape, 0);
    assert_int_equal(m.more[0].first_shape, 1);
    assert_int_equal(m.more[1].first_shape, 2);
    assert_int_equal(grains_shape_count(&m.bed.definition), 7);
    destroy(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_moves_as_alone),
        cmocka_unit_test(test_a_ball_in_a_drum),
        cmocka_unit_test(test_a_ball_on_a_box),
        cmocka_unit_test(test_a_ball_hits_a_face),
        cmocka_unit_test(test_collisions_keep_momenta),
        cmocka_unit_test(test_a_settled_bed),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_restored_state_goes_on_with_the_same_bits),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
