// Beds of rigid grains, by both methods: weight, momenta, energy, walls of all kinds, going back, threads, bad cases.
#include "bed.h"

#include "base/random.h"
#include "base/threads.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "grains/world.h"
#include "rooms.h"
#include "walls.h"

static const double g = 9.81;
static int method = METHOD_NONSMOOTH; // of all beds

// Where contacts are looked for, as a share of the step.
static double middle(void) { return method == METHOD_NSCD ? 0.5 : 0; }

static void rigid_bed(Bed *bed, int64_t count, Wall shape, double tolerance) {
    *bed = bed_default();
    bed->walls[0].shape = shape;
    bed->definition.method = method;
    bed->definition.particles.count = count;
    bed->definition.contact.solver.tolerance = tolerance;
    bed->definition.contact.max_overlap = 0.2;
    bed->gravity = vec3(0, 0, -g);
    bed->step = 2e-4;
    bed_set_coefficients(bed, 0, 0.4, 0);
}

// Momenta about the world's origin, before and after a step.
typedef struct Momenta {
    Vec3 linear, angular, moment; // moment: sum of mass times place [kg m]
    double mass;
} Momenta;

static Momenta momenta(const Bed *bed) {
    Momenta m = {0};
    const GrainStore *v = grains_view(bed->grains);
    bed_momenta(bed, &m.linear, &m.angular);
    for (size_t i = 0; i < v->count; i++) {
        m.mass += 1 / v->inverse_mass[i];
        m.moment = vec3_madd(m.moment, 1 / v->inverse_mass[i], bed_position(bed, i));
    }
    return m;
}

// What the walls feel is gravity's impulse less the grains' gain, in each step; moments alike.
static void check_balance(Bed *bed, int steps) {
    Momenta a = momenta(bed);
    for (int n = 0; n < steps; n++) {
        bed_advance(bed, 1);
        Momenta b = momenta(bed);
        Vec3 force = vec3_zero(), moment = vec3_zero();
        for (int w = 0; w < bed->definition.wall_count; w++) {
            Load l = bed->loads[w];
            force = vec3_add(force, l.force);
            Vec3 origin = vec3_madd(bed->motions[w].position, middle() * bed->step, bed->motions[w].velocity);
            moment = vec3_add(moment, vec3_add(l.moment, vec3_cross(origin, l.force)));
        }
        double h = bed->step, scale = a.mass * g * h;
        Vec3 gain = vec3_sub(b.linear, a.linear), fall = vec3_scale(a.mass * h, bed->gravity);
        Vec3 left = vec3_sub(vec3_sub(fall, gain), vec3_scale(h, force));
        check_near(vec3_norm(left), 0, 1e-12 * scale);
        Vec3 arm = vec3_madd(a.moment, middle() * h, a.linear),
             turn = vec3_scale(h, vec3_cross(arm, bed->gravity));
        Vec3 left_turn = vec3_sub(vec3_sub(turn, vec3_sub(b.angular, a.angular)), vec3_scale(h, moment));
        check_near(vec3_norm(left_turn), 0, 1e-12 * scale * 0.01 + 1e-14 * vec3_norm(a.angular));
        a = b;
        for (int w = 0; w < bed->definition.wall_count; w++) { // ports go on as they were told
            Motion *m = &bed->motions[w];
            m->position = vec3_madd(m->position, h, m->velocity);
            Quaternion q = quaternion_from_rotation_vector(vec3_scale(h, m->angular_velocity));
            m->orientation = quaternion_normalize(quaternion_mul(q, m->orientation));
        }
    }
}

static void test_balance_of_impulses(void **state) {
    (void)state;
    for (int law = CONTACT_RELAXED; law <= CONTACT_COULOMB; law++) {
        Bed bed;
        rigid_bed(&bed, 80, room(CYLINDER, 0.007), 1e-4);
        bed.definition.contact.law = law;
        bed_set_coefficients(&bed, 0.3, 0.5, 0.01);
        bed.motions[0].velocity = vec3(0.1, 0, 0.3);
        bed.motions[0].angular_velocity = vec3(0, 4, 7);
        bed_create(&bed);
        check_balance(&bed, 120);
        bed_destroy(&bed);
    }
}

static double total(const GrainsMeasure *m) {
    return m->kinetic + m->potential + m->elastic + m->impact + m->friction + m->rolling + m->stabilisation +
           m->algorithm - m->work;
}

// All kinds of walls, turning and shaking: the ledger closes, nobody leaves, overlaps stay small.
static void test_all_walls(void **state) {
    (void)state;
    for (int kind = 0; kind < ROOM_COUNT; kind++) {
        Bed bed;
        rigid_bed(&bed, 40, room(kind, 0.007), 1e-4);
        bed_set_coefficients(&bed, 0.2, 0.4, 0.01);
        bed_create(&bed);
        GrainsMeasure m = bed_measure(&bed);
        double start = total(&m), low = m.potential, high = m.potential;
        for (int n = 0; n < 800; n++) {
            double t = n * bed.step, omega = 2 * M_PI * 20;
            Motion *port = &bed.motions[0];
            Vec3 next =
                vec3(0, 0.001 * sin(0.7 * omega * (t + bed.step)), 0.0015 * sin(omega * (t + bed.step)));
            port->velocity = vec3_scale(1 / bed.step, vec3_sub(next, port->position));
            port->angular_velocity = vec3(6, 0, 3);
            bed_advance(&bed, 1);
            port->position = next;
            Quaternion q = quaternion_from_rotation_vector(vec3_scale(bed.step, port->angular_velocity));
            port->orientation = quaternion_normalize(quaternion_mul(q, port->orientation));
            if (n % 100 == 0) {
                m = bed_measure(&bed);
                low = fmin(low, m.potential), high = fmax(high, m.potential);
            }
        }
        m = bed_measure(&bed);
        // What bounces by touch goes into its wall by up to a step's way before.
        double play = m.input + high - low, allowed = method == METHOD_NSCD ? 0.2 : 0.02;
        if (fabs(total(&m) - start) > 1e-12 * play || m.largest_overlap > allowed)
            fail_msg("%s: ledger off by %g of %g, largest overlap %g", room_names[kind], total(&m) - start,
                     play, m.largest_overlap);
        assert_true(m.impact > 0.1 * play && m.friction > 0.01 * play);
        assert_true(fabs(m.stabilisation) < 0.02 * play);
        bed_destroy(&bed);
        if (is_wall(&bed.walls[0].shape, "mesh")) wall_release(&bed.walls[0].shape);
    }
}

// A settled bed stays where it is and carries its weight.
static void test_bed_at_rest(void **state) {
    (void)state;
    Bed bed;
    rigid_bed(&bed, 100, room(CYLINDER, 0.008), 1e-7);
    bed.definition.packing = (PackingDefinition){.kind = PACKING_SETTLE, .seed = 7, .shakes = 0, .limit = 20};
    bed.definition.contact.solver.method = CONTACT_NSGS;
    bed_set_coefficients(&bed, 0, 0.5, 0);
    bed_create(&bed);
    double weight = 100 * bed.mass * g;
    // What was left of overlaps goes, and a last grain may roll to its place. Nothing stops a grain that spins in its place.
    GrainsMeasure before;
    double last = INFINITY;
    int calm = 0;
    for (int n = 0; n < 80 && calm < 3; n++) {
        bed_advance(&bed, 200);
        before = bed_measure(&bed);
        bool spins = fabs(before.kinetic - last) < 1e-6 * last;
        calm = spins || before.kinetic < 1e-9 * bed.mass * g * 1e-3 ? calm + 1 : 0;
        last = before.kinetic;
    }
    assert_int_equal(calm, 3);
    Vec3 places[100];
    for (size_t i = 0; i < 100; i++) places[i] = bed_position(&bed, i);
    bed_advance(&bed, 500);
    GrainsMeasure after = bed_measure(&bed);
    check_near(bed.loads[0].force.z, -weight, 1e-6 * weight);
    check_near(hypot(bed.loads[0].force.x, bed.loads[0].force.y), 0, 1e-6 * weight);
    // Without rolling friction nothing stops a loose grain that rolls: it may go as far as its kinetic energy lets it. All
    // others stay within 1e-5 of the radius.
    double rolling = sqrt(2 * fmax(before.kinetic, after.kinetic) / bed.mass) * 500 * bed.step, most = 0;
    check_near(after.center.z, before.center.z, 1e-6 * 1e-3 + rolling / 100);
    for (size_t i = 0; i < 100; i++) most = fmax(most, vec3_norm(vec3_sub(bed_position(&bed, i), places[i])));
    check_near(most, 0, 1e-5 * 1e-3 + rolling);
    bed_destroy(&bed);
}

// Advancing, going back and advancing again gives the same bits, whatever happened in between.
static void test_goes_back(void **state) {
    (void)state;
    enum { count = 60 };
    Bed bed;
    MrcError error = {0};
    rigid_bed(&bed, count, room(BOX, 0.006), 1e-4);
    bed_set_coefficients(&bed, 0.3, 0.5, 0.02);
    bed_create(&bed);
    bed_advance(&bed, 150);
    Archive *archive = archive_memory_create();
    archive_memory_save(archive);
    grains_archive(bed.grains, archive);
    assert_int_equal(archive_status(archive, &error), MRC_OK);
    double first[6 * count], load[3];
    for (int again = 0; again < 3; again++) {
        bed_advance(&bed, 150); // new neighbour lists come and go in it
        GrainsMeasure m = bed_measure(&bed);
        for (size_t i = 0; i < count; i++) {
            Vec3 x = bed_position(&bed, i), v = bed_velocity(&bed, i);
            double now[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
            if (again == 0) memcpy(first + 6 * i, now, sizeof now);
            else assert_memory_equal(first + 6 * i, now, sizeof now);
        }
        double sums[3] = {m.impact, m.friction, m.load.force.z};
        if (again == 0) memcpy(load, sums, sizeof sums);
        else assert_memory_equal(load, sums, sizeof sums);
        bed_advance(&bed, 17 * again);
        archive_memory_load(archive);
        grains_archive(bed.grains, archive);
        assert_int_equal(archive_status(archive, &error), MRC_OK);
    }
    // Another bed of the same make takes the state over.
    Bed other;
    rigid_bed(&other, count, room(BOX, 0.006), 1e-4);
    bed_set_coefficients(&other, 0.3, 0.5, 0.02);
    bed_create(&other);
    bed_advance(&other, 10);
    archive_memory_load(archive);
    grains_archive(other.grains, archive);
    bed_advance(&other, 150);
    for (size_t i = 0; i < count; i++) {
        Vec3 x = bed_position(&other, i);
        double now[3] = {x.x, x.y, x.z};
        assert_memory_equal(first + 6 * i, now, sizeof now);
    }
    archive_destroy(archive);
    bed_destroy(&other);
    bed_destroy(&bed);
}

static void test_threads(void **state) {
    (void)state;
    enum { count = 2400 };
    static double first[3 * count];
    for (int threads = 1; threads <= 3; threads++) {
        Bed bed;
        threads_set(threads);
        rigid_bed(&bed, count, room(BOX, 0.02), 1e-3);
        bed.definition.packing = (PackingDefinition){.kind = PACKING_CUBIC, .gap = 5e-5};
        bed_set_coefficients(&bed, 0, 0.5, 0);
        bed_create(&bed);
        // A lattice falls straight: let it lean.
        bed.motions[0].angular_velocity = vec3(0.5, 0.3, 0);
        for (int n = 0; n < 8; n++) {
            bed_advance(&bed, 1);
            Quaternion q =
                quaternion_from_rotation_vector(vec3_scale(bed.step, bed.motions[0].angular_velocity));
            bed.motions[0].orientation = quaternion_normalize(quaternion_mul(q, bed.motions[0].orientation));
        }
        for (size_t i = 0; i < count; i++) {
            Vec3 x = bed_position(&bed, i);
            double now[3] = {x.x, x.y, x.z};
            if (threads == 1) memcpy(first + 3 * i, now, sizeof now);
            else assert_memory_equal(first + 3 * i, now, sizeof now);
        }
        bed_destroy(&bed);
    }
    threads_set(1);
}

// ---- bad cases -----------------------------------------------------------------------------------
static MrcStatus run_bad(Bed *bed, int64_t steps, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int64_t n = 0; n < steps && status == MRC_OK; n++) {
        status = grains_advance(bed->grains, bed->motions, bed->loads, error);
        for (int w = 0; w < bed->definition.wall_count; w++)
            bed->motions[w].position =
                vec3_madd(bed->motions[w].position, bed->step, bed->motions[w].velocity);
    }
    return status;
}

// Grains that overlap at the start: deep ones are refused, shallow ones are pushed apart without being shot.
static void test_overlapping_start(void **state) {
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        Bed bed;
        MrcError error = {0};
        rigid_bed(&bed, 2, room(BOX, 0.01), 1e-8);
        bed_create(&bed);
        double overlap = deep ? 0.5e-3 : 0.1e-3;
        bed_place(&bed, 0, vec3(0, 0, -0.0115), vec3_zero(), vec3_zero());
        bed_place(&bed, 1, vec3(2e-3 - overlap, 0, -0.0115), vec3_zero(), vec3_zero());
        MrcStatus status = run_bad(&bed, 2000, &error);
        assert_int_equal(status, deep ? MRC_OVERLAP : MRC_OK);
        if (deep) assert_non_null(strstr(error.text, "overlaps grain"));
        else {
            GrainsMeasure m = bed_measure(&bed);
            assert_true(m.overlap < 1e-8);
            assert_true(m.kinetic < 1e-3 * bed.mass * g * 1e-3);
        }
        bed_destroy(&bed);
    }
}

// Walls that close on a grain: there is no solution. It ends with an error, not with a hang.
static void test_squeezed(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    rigid_bed(&bed, 1, box_wall(vec3_zero(), vec3(0.02, 0.02, 0.02)), 1e-6);
    bed.definition.wall_count = 3;
    for (int w = 1; w < 3; w++) {
        double way = w == 1 ? 1 : -1;
        bed.walls[w] =
            (WallDefinition){.name = "jaw", .shape = plane_wall(vec3(-way * 0.0012, 0, 0), vec3(way, 0, 0))};
        bed.motions[w].velocity = vec3(way * 0.01, 0, 0);
    }
    bed_create(&bed);
    bed_place(&bed, 0, vec3_zero(), vec3_zero(), vec3_zero());
    MrcStatus status = run_bad(&bed, 20000, &error);
    assert_true(status == MRC_OVERLAP || status == MRC_NOT_CONVERGED || status == MRC_LOST_GRAIN);
    assert_true(strlen(error.text) > 20);
    bed_destroy(&bed);
}

// Friction of 10 in a wedge: it may or may not be solved, and says so.
static void test_large_friction(void **state) {
    (void)state;
    for (int law = CONTACT_RELAXED; law <= CONTACT_COULOMB; law++) {
        Bed bed;
        MrcError error = {0};
        rigid_bed(&bed, 40, room(CONE, 0.006), 1e-4);
        bed.definition.contact.law = law;
        bed.definition.contact.solver.iterations = 200;
        bed_set_coefficients(&bed, 0, 10, 0.5);
        bed_create(&bed);
        MrcStatus status = run_bad(&bed, 100, &error);
        assert_true(status == MRC_OK || status == MRC_NOT_CONVERGED);
        const GrainStore *v = grains_view(bed.grains);
        for (size_t i = 0; i < v->count; i++) assert_true(isfinite(v->x[i] + v->vx[i] + v->wx[i]));
        bed_destroy(&bed);
    }
}

// A room smaller than a grain is refused when grains are placed.
static void test_small_room(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    rigid_bed(&bed, 1, room(BOX, 0.0005), 1e-6);
    bed.definition.walls = bed.walls;
    GrainsSetting setting = {.materials = bed.materials,
                             .material_count = BED_MATERIALS,
                             .gravity = bed.gravity,
                             .step = 1e-4,
                             .port = bed.motions,
                             .walls = bed.motions};
    assert_int_equal(grains_create(&bed.definition, &setting, &bed.grains, &error), MRC_PACKING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance_of_impulses),
        cmocka_unit_test(test_all_walls),
        cmocka_unit_test(test_bed_at_rest),
        cmocka_unit_test(test_goes_back),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_overlapping_start),
        cmocka_unit_test(test_squeezed),
        cmocka_unit_test(test_large_friction),
        cmocka_unit_test(test_small_room),
    };
    int failed = cmocka_run_group_tests_name("nonsmooth", tests, NULL, NULL);
    method = METHOD_NSCD;
    return failed + cmocka_run_group_tests_name("nscd", tests, NULL, NULL);
}
