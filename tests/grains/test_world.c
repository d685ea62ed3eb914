// Beds among ports: mobilities, coupled ports, smooth beds, going back.
#include "bed.h"

#include "base/watch.h"
#include "contact/solver.h"
#include "contact/stored.h"
#include "grains/method.h"
#include "grains/world.h"
#include "rooms.h"

static const double h = 2e-4;
static const int port_0[BED_WALLS] = {0, 0, 0, 0, 0, 0, 0, 0};
static const int port_1[BED_WALLS] = {1, 1, 1, 1, 1, 1, 1, 1};

static void rigid_bed(Bed *bed, int64_t count, uint64_t seed, Vec3 gravity) {
    *bed = bed_default();
    bed->walls[0].shape = room(BOX, 0.007);
    bed->definition.method = METHOD_NONSMOOTH;
    bed->definition.particles.count = count;
    bed->definition.particles.velocity = vec3(0.15, -0.1, -0.3);
    bed->definition.packing.seed = (int64_t)seed;
    bed->definition.contact.solver.tolerance = 1e-10;
    bed->gravity = gravity;
    bed->step = h;
    bed_set_coefficients(bed, 0, 0.4, 0);
    bed_create(bed);
}

static World *world_of(const WorldBed *beds, int bed_count, int port_count, Vec3 gravity) {
    World *world;
    MrcError error = {0};
    if (world_create(beds, bed_count, port_count, h, gravity, &world, &error)) fail_msg("%s", error.text);
    return world;
}

static void advance(World *world, const Motion *ports, const double *mobility, Load *impulses, Twist *after) {
    MrcError error = {0};
    if (world_advance(world, h, ports, mobility, impulses, after, &error)) fail_msg("%s", error.text);
}

static void move(Motion *port, Twist twist) {
    port->position = vec3_madd(port->position, h, twist.linear);
    Quaternion q = quaternion_from_rotation_vector(vec3_scale(h, twist.angular));
    port->orientation = quaternion_normalize(quaternion_mul(q, port->orientation));
    port->velocity = twist.linear;
    port->angular_velocity = twist.angular;
}

static void set_mobility(double *mobility, int size, int row, int column, double mass, double inertia) {
    for (int k = 0; k < 6; k++)
        mobility[(6 * row + k) * size + 6 * column + k] = k < 3 ? 1 / mass : 1 / inertia;
}

// ---- free containers -----------------------------------------------------------------------------
// A box with mass and (isotropic) inertia floats with its grains: momenta of both together stay.
static void test_free_container_keeps_momenta(void **state) {
    (void)state;
    Bed bed;
    rigid_bed(&bed, 60, 5, vec3_zero());
    WorldBed beds[1] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, vec3_zero());
    double mass = 7 * bed.mass, inertia = mass * 1e-5, mobility[36] = {0};
    set_mobility(mobility, 6, 0, 0, mass, inertia);
    Motion port = motion_at_rest();
    Vec3 p0, l0;
    bed_momenta(&bed, &p0, &l0);
    double start = bed_measure(&bed).kinetic, last = start;
    for (int n = 0; n < 400; n++) {
        Load impulse;
        Twist after;
        advance(world, &port, mobility, &impulse, &after);
        check_near(vec3_norm(vec3_sub(after.linear, vec3_madd(port.velocity, 1 / mass, impulse.force))), 0,
                   1e-14);
        move(&port, after);
        Vec3 p, l;
        bed_momenta(&bed, &p, &l);
        p = vec3_madd(p, mass, after.linear);
        l = vec3_madd(vec3_madd(l, inertia, after.angular), mass, vec3_cross(port.position, after.linear));
        check_near(vec3_norm(vec3_sub(p, p0)), 0, 1e-13 * vec3_norm(p0));
        check_near(vec3_norm(vec3_sub(l, l0)), 0, 1e-12 * vec3_norm(p0) * 0.01);
        // Contacts only take energy.
        double energy = bed_measure(&bed).kinetic + 0.5 * mass * vec3_norm2(after.linear) +
                        0.5 * inertia * vec3_norm2(after.angular);
        assert_true(energy < last * (1 + 1e-6));
        last = energy;
    }
    assert_true(last < 0.95 * start && vec3_norm(port.velocity) > 0.1);
    world_destroy(world);
    bed_destroy(&bed);
}

// The same contacts, the container being a rigid body that the test puts into the problem itself.
static void test_condensed_is_monolithic(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    rigid_bed(&bed, 60, 8, vec3(0, 0, -9.81));
    WorldBed beds[1] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, bed.gravity);
    double mass = 20 * bed.mass, mobility[36] = {0};
    Mat3 inertia = mat3_scale(mass * 1e-5, (Mat3){{{1, 0.2, 0}, {0.2, 1.5, -0.1}, {0, -0.1, 2}}});
    Mat3 inverse = mat3_inverse(inertia);
    for (int a = 0; a < 3; a++) {
        mobility[7 * a] = 1 / mass;
        for (int b = 0; b < 3; b++) mobility[6 * (3 + a) + 3 + b] = inverse.m[a][b];
    }
    Motion port = motion_at_rest();
    ContactWorkspace *workspace = contact_workspace_create();
    ContactProblem whole = {0};
    ContactSolution solution = {0};
    int compared = 0;
    for (int n = 0; n < 150; n++) {
        Load impulse;
        Twist after;
        advance(world, &port, mobility, &impulse, &after);
        const ContactProblem *condensed = world_problem(world);
        if (n % 10 == 9 && vec3_norm(impulse.force) > 0) {
            contact_problem_clear(&whole);
            int32_t box = contact_problem_add_rigid(&whole, 1 / mass, inverse,
                                                    (Twist){port.velocity, port.angular_velocity});
            for (size_t i = 1; i < condensed->bodies.count; i++)
                contact_problem_add_body(&whole, condensed->bodies.data[i].inverse_mass,
                                         condensed->bodies.data[i].inverse_inertia,
                                         condensed->free_velocity.data[i]);
            for (size_t k = 0; k < condensed->contacts.count; k++)
                contact_problem_add_contact(&whole, condensed->contacts.data[k]);
            ContactOptions options = contact_options_default();
            ContactReport report;
            options.tolerance = 1e-10;
            options.velocity_scale = 9.81 * h;
            contact_solution_clear(&solution);
            assert_int_equal(contact_solve(&whole, &options, workspace, &solution, &report, &error), MRC_OK);
            assert_true(report.converged && world_report(world)->converged);
            Twist other = solution.velocity.data[box];
            check_near(vec3_norm(vec3_sub(other.linear, after.linear)), 0, 1e-7 * 9.81 * h);
            check_near(vec3_norm(vec3_sub(other.angular, after.angular)), 0, 1e-7 * 9.81 * h / 1e-3);
            Vec3 pushed = vec3_scale(mass, vec3_sub(other.linear, port.velocity));
            check_near(vec3_norm(vec3_sub(pushed, impulse.force)), 0, 1e-7 * mass * 9.81 * h);
            compared++;
        }
        move(&port, after);
    }
    assert_true(compared > 5);
    contact_problem_free(&whole);
    contact_solution_free(&solution);
    contact_workspace_destroy(workspace);
    world_destroy(world);
    bed_destroy(&bed);
}

// Two ports that move as one body are one port.
static void test_coupled_ports(void **state) {
    (void)state;
    Vec3 gravity = vec3(0, 0, -9.81);
    Bed a[2], b[2];
    for (int k = 0; k < 2; k++) {
        rigid_bed(&a[k], 30, 11, gravity);
        rigid_bed(&b[k], 40, 12, gravity);
    }
    WorldBed one[2] = {{a[0].grains, port_0}, {b[0].grains, port_0}};
    WorldBed two[2] = {{a[1].grains, port_0}, {b[1].grains, port_1}};
    World *single = world_of(one, 2, 1, gravity), *tied = world_of(two, 2, 2, gravity);
    double mass = 10 * a[0].mass, inertia = mass * 1e-5, small[36] = {0}, large[144] = {0};
    set_mobility(small, 6, 0, 0, mass, inertia);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) set_mobility(large, 12, r, c, mass, inertia);
    Motion port = motion_at_rest(), ports[2] = {port, port};
    for (int n = 0; n < 100; n++) {
        Load impulse, impulses[2];
        Twist after, afters[2];
        advance(single, &port, small, &impulse, &after);
        advance(tied, ports, large, impulses, afters);
        check_near(vec3_norm(vec3_sub(afters[0].linear, afters[1].linear)), 0, 1e-12);
        Vec3 sum = vec3_add(impulses[0].force, impulses[1].force);
        check_near(vec3_norm(vec3_sub(sum, impulse.force)), 0, 1e-6 * (vec3_norm(impulse.force) + mass * h));
        move(&port, after);
        move(&ports[0], afters[0]);
        move(&ports[1], afters[1]);
    }
    check_near(vec3_norm(vec3_sub(port.position, ports[1].position)), 0, 1e-9);
    world_destroy(single);
    world_destroy(tied);
    for (int k = 0; k < 2; k++) bed_destroy(&a[k]), bed_destroy(&b[k]);
}

// ---- smooth beds ---------------------------------------------------------------------------------
static void smooth_bed(Bed *bed, double restitution) {
    *bed = bed_default();
    bed->definition.particles.count = 25;
    bed->definition.particles.velocity = vec3(0.2, 0, -0.3);
    bed->walls[0].shape = room(BOX, 0.006);
    bed_set_coefficients(bed, restitution, 0, 0);
    bed->step = h / 50;
    bed_create(bed);
}

// Driven at a constant velocity: the same steps as without the world, to the last bit but that of the way.
static void test_smooth_bed_driven(void **state) {
    (void)state;
    Bed plain, bed;
    smooth_bed(&plain, 0.8);
    smooth_bed(&bed, 0.8);
    WorldBed beds[1] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, vec3_zero());
    Motion port = motion_at_rest();
    port.velocity = vec3(0.05, 0.1, 0);
    plain.motions[0] = port;
    for (int n = 0; n < 60; n++) {
        Load impulse;
        Vec3 sum = vec3_zero();
        for (int k = 0; k < 50; k++) {
            plain.motions[0].position = vec3_scale((n + k / 50.0) * h, port.velocity);
            bed_advance(&plain, 1);
            sum = vec3_madd(sum, h / 50, plain.loads[0].force);
        }
        port.position = vec3_scale(n * h, port.velocity);
        advance(world, &port, NULL, &impulse, NULL);
        check_near(vec3_norm(vec3_sub(impulse.force, sum)), 0, 1e-9 * vec3_norm(sum) + 1e-15);
    }
    for (size_t i = 0; i < 25; i++)
        check_near(vec3_norm(vec3_sub(bed_position(&bed, i), bed_position(&plain, i))), 0, 1e-12);
    world_destroy(world);
    bed_destroy(&bed);
    bed_destroy(&plain);
}

// On a free box: momentum stays; with e = 1 so does the energy, nearly.
static void test_smooth_bed_free(void **state) {
    (void)state;
    Bed bed;
    smooth_bed(&bed, 1);
    WorldBed beds[1] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, vec3_zero());
    double mass = 5 * bed.mass, mobility[36] = {0};
    for (int a = 0; a < 3; a++) mobility[7 * a] = 1 / mass;
    Motion port = motion_at_rest();
    Vec3 p0, p, l;
    bed_momenta(&bed, &p0, &l);
    double start = bed_measure(&bed).kinetic;
    for (int n = 0; n < 200; n++) {
        Load impulse;
        Twist after;
        advance(world, &port, mobility, &impulse, &after);
        port.position = vec3_madd(port.position, 0.5 * h, vec3_add(port.velocity, after.linear));
        port.velocity = after.linear;
        bed_momenta(&bed, &p, &l);
        check_near(vec3_norm(vec3_sub(vec3_madd(p, mass, port.velocity), p0)), 0, 1e-12 * vec3_norm(p0));
    }
    assert_true(vec3_norm(port.velocity) > 0.05);
    bed.motions[0] = port;
    GrainsMeasure m = bed_measure(&bed);
    check_near(m.kinetic + m.elastic + 0.5 * mass * vec3_norm2(port.velocity), start, 0.05 * start);
    world_destroy(world);
    bed_destroy(&bed);
}

// ---- going back ----------------------------------------------------------------------------------
static void test_save_and_restore(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    rigid_bed(&bed, 40, 4, vec3(0, 0, -9.81));
    WorldBed beds[1] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, bed.gravity);
    Motion port = motion_at_rest();
    double mobility[36] = {0};
    set_mobility(mobility, 6, 0, 0, 5 * bed.mass, bed.mass * 1e-5);
    for (int n = 0; n < 100; n++) {
        Load first, again;
        Twist after, after_again;
        Motion wrong = port;
        wrong.velocity.z += 0.05;
        assert_int_equal(world_save(world, &error), MRC_OK);
        advance(world, &wrong, mobility, &first, &after);
        assert_int_equal(world_restore(world, &error), MRC_OK);
        advance(world, &port, mobility, &first, &after);
        assert_int_equal(world_restore(world, &error), MRC_OK);
        advance(world, &port, mobility, &again, &after_again);
        assert_memory_equal(&first, &again, sizeof first);
        assert_memory_equal(&after, &after_again, sizeof after);
        move(&port, after);
    }
    world_destroy(world);
    bed_destroy(&bed);
}

// A ball sticks to two walls whose gaps differ by 3e-17 m. On the scale of the velocities alone the sweeps load its friction
// for ever; what counts is no less than the rounding of gaps.
static void test_no_finer_than_rounding(void **state) {
    (void)state;
    ContactProblem problem = {0};
    GrainsDefinition definition = {0};
    MrcError error = {0};
    definition.contact.solver =
        (SolverDefinition){.method = CONTACT_NSGS, .tolerance = 1e-10, .iterations = 20000};
    stored_load(&problem, "edge/two-walls");
    for (int rounded = 0; rounded < 2; rounded++) {
        ContactOptions options =
            world_options(&definition, 0, 1e-4, rounded ? 0.012 : 0); // step and arms of the problem
        ContactSolution solution = {0};
        ContactWorkspace *workspace = contact_workspace_create();
        ContactReport report;
        assert_int_equal(contact_solve(&problem, &options, workspace, &solution, &report, &error), MRC_OK);
        print_message("%d sweeps, residual %.1e\n", report.iterations, report.residual.relative);
        assert_int_equal(report.converged, rounded);
        contact_workspace_destroy(workspace);
        contact_solution_free(&solution);
    }
    contact_problem_free(&problem);
}

// Listing the contacts of millions of grains takes seconds, too: the step ends there, before it is solved.
static void test_listing_ends_when_told(void **state) {
    (void)state;
    Bed bed;
    rigid_bed(&bed, 4, 3, vec3(0, 0, -9.81));
    WorldBed beds[] = {{bed.grains, port_0}};
    World *world = world_of(beds, 1, 1, bed.gravity);
    Motion port = motion_at_rest();
    Load impulse;
    MrcError error = {0};
    volatile int stop = 1;
    Watch own = {.stop = &stop}, *before = watch_set(&own);
    assert_int_equal(world_advance(world, h, &port, NULL, &impulse, NULL, &error), MRC_INTERRUPTED);
    assert_non_null(strstr(error.text, "were listed"));
    assert_int_equal(world_counts(world).solves, 0);
    stop = 0;
    assert_int_equal(world_advance(world, h, &port, NULL, &impulse, NULL, &error), MRC_OK);
    watch_set(before);
    world_destroy(world);
    bed_destroy(&bed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_container_keeps_momenta),
        cmocka_unit_test(test_condensed_is_monolithic),
        cmocka_unit_test(test_coupled_ports),
        cmocka_unit_test(test_smooth_bed_driven),
        cmocka_unit_test(test_smooth_bed_free),
        cmocka_unit_test(test_save_and_restore),
        cmocka_unit_test(test_no_finer_than_rounding),
        cmocka_unit_test(test_listing_ends_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
