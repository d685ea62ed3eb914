// A machine with beam, joints, drives, springs and five ports: the whole mobility against difference
// quotients of real steps, entry by entry at its own scale; momentum after impulses; steps that take no
// memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_math.h"
#include "math/two_step.h"
#include "mechanism/mechanism.h"
#include "model/model.h"

enum { PORTS = 5, ROWS = 6 * PORTS };

typedef struct Rig {
    MrcModel *model;
    Mechanism *mechanism;
    int ports[PORTS];
} Rig;

static void must(MrcStatus status, const MrcError *error) {
    if (status != MRC_OK) fail_msg("%s", error->text);
}

static Rig rig_open(const char *text) {
    Rig rig = {.model = mrc_model_parse(text, strlen(text), "test", NULL, 0)};
    for (int i = 0; i < mrc_model_diagnostic_count(rig.model); i++)
        print_error("%s\n", mrc_model_diagnostic(rig.model, i)->text);
    assert_int_equal(mrc_model_status(rig.model), MRC_OK);
    const SimDefinition *d = model_definition(rig.model);
    MechanismSetting setting = {
        .materials = d->materials, .material_count = d->material_count, .gravity = d->gravity};
    MrcError error;
    must(mechanism_create(&d->mechanism, &setting, &rig.mechanism, &error), &error);
    return rig;
}

static void rig_close(Rig *rig) {
    mechanism_destroy(rig->mechanism);
    mrc_model_free(rig->model);
}

static void rig_port(Rig *rig, int port, const char *node, Vec3 offset) {
    MrcError error;
    int index = mechanism_find_node(rig->mechanism, node);
    assert_true(index >= 0);
    must(mechanism_add_port(rig->mechanism, index, offset, quaternion_identity(), &rig->ports[port], &error),
         &error);
}

static void begin_and_advance(Mechanism *m, double h, const Load *loads) {
    MrcError error;
    must(mechanism_begin(m, h, &error), &error);
    must(mechanism_advance(m, loads, &error), &error);
}

// At the points where the ports were at `origins`, which is where loads act.
static void velocities(const Mechanism *m, const Vec3 *origins, double *v) {
    for (int p = 0; p < PORTS; p++) {
        Motion motion = mechanism_motion(m, p);
        motion.velocity = motion_velocity_at(&motion, origins[p]);
        for (int i = 0; i < 6; i++)
            v[6 * p + i] = vec3_component(i < 3 ? motion.velocity : motion.angular_velocity, i % 3);
    }
}

// A hub turned by a motor carries an arm; on the arm's end ride a body off its centre and, by a ball, a flail
// on a spring; a sledge is driven along a rail and drags a cart on a bushing.
static const char machine[] =
    "maraca: 1\n"
    "gravity: 1 -9.81 2 m/s^2\n"
    "materials: {al: {density: 2700 kg/m^3, young: 70 GPa, poisson: 0.33}}\n"
    "mechanism:\n"
    "  integrator: {rho_inf: 0.4, tolerance: 1e-12}\n"
    "  bodies:\n"
    "    hub: {mass: 0.4 kg, inertia: 0.3 0.4 0.5 g*m^2, angular_velocity: 0 0 2 rad/s}\n"
    "    pod: {node: arm.end, mass: 60 g, center: 5 12 -7 mm, inertia: 9 8 7 1 0 -1 kg*mm^2}\n"
    "    flail: {position: 0.42 -0.1 0.05 m, mass: 90 g, inertia: 70 60 50 kg*mm^2, velocity: 0 0.8 0 m/s}\n"
    "    sledge: {position: 0 0 0.3 m, mass: 1 kg, inertia: 1 1 1 g*m^2}\n"
    "    cart: {position: 0.1 0 0.3 m, mass: 0.3 kg, inertia: 0.2 0.3 0.4 g*m^2}\n"
    "  beams:\n"
    "    arm: {from: 30 0 0 mm, to: 400 0 0 mm, elements: 4, section: {tube: {radius: 6 mm, inner_radius: 5 "
    "mm},\n"
    "          center: 2 0 mm}, material: al, damping: 0.2 ms, velocity: 0 60 0 mm/s, angular_velocity: 0 0 "
    "2 rad/s}\n"
    "  joints:\n"
    "    motor: {revolute: hub, axis: z, rate: 2 rad/s + 1 rad/s*sin(8*t/(1 s))}\n"
    "    root: {clamp: [hub, arm.start], at: 30 0 0 mm}\n"
    "    ball: {spherical: [arm.end, flail], at: 0.41 0 0 m}\n"
    "    rail: {prismatic: sledge, axis: 1 1 0, position: 20 mm*sin(9*t/(1 s))}\n"
    "    hinge: {universal: [sledge, cart], at: 0.05 0 0.3 m, axis: x, second_axis: y}\n"
    "  springs: {rope: {between: [flail, hub], stiffness: 4 kN/m, damping: 3 N*s/m}}\n"
    "  bushings: {mat: {between: [sledge, cart], rotational_stiffness: 40 50 60 N*m/rad,\n"
    "             rotational_damping: 0.1 0.1 0.1 N*m*s/rad}}\n"
    "simulate: {duration: 1 s, step: 0.1 ms}\n";

static Rig machine_open(void) {
    Rig rig = rig_open(machine);
    rig_port(&rig, 0, "pod", vec3(0.01, 0.02, -0.03));
    rig_port(&rig, 1, "arm.3", vec3(0, 0.01, 0));
    rig_port(&rig, 2, "flail", vec3(0, -0.02, 0.01));
    rig_port(&rig, 3, "sledge", vec3(0.1, 0, 0));
    rig_port(&rig, 4, "cart", vec3(-0.02, 0.03, 0));
    return rig;
}

static void all_ports_answer_as_real_steps_do(void **state) {
    (void)state;
    const double h = 2e-4;
    Rig rig = machine_open();
    Mechanism *m = rig.mechanism;
    MrcError error;
    for (int n = 0; n < 300; n++) {
        begin_and_advance(m, h, NULL);
        must(mechanism_commit(m, &error), &error);
    }
    double Y[ROWS * ROWS], Q[ROWS * ROWS], v[2][ROWS];
    Vec3 origins[PORTS];
    for (int p = 0; p < PORTS; p++) origins[p] = mechanism_motion(m, p).position;
    begin_and_advance(m, h, NULL);
    // The matrix of the jump, M + h (e - 1/2 + share) C + h^2 e share K, is that of a real step, M + c C + c^2 K, for
    // an e with (e - 1/2 + share)^2 = e share, and a real step of c/b0, b0 for a step after one of h (two_step.c).
    TwoStep s = two_step(0.4);
    double share = s.b0 / (1 + s.a2), early = 0.5 * (1 - share + sqrt(share * (2 - 3 * share)));
    double c = h * (early - 0.5 + share), real = c / s.b0;
    for (int k = 0; k < 20; k++) real = c / (0.5 + 0.18 / (2 + 2 * real / h - 0.36));
    must(mechanism_mobility(m, early, Y, &error), &error);
    for (int j = 0; j < ROWS; j++) {
        double size = Y[j * ROWS + j] > 0 ? 1e-4 / (c * Y[j * ROWS + j]) : 1;
        for (int side = 0; side < 2; side++) {
            Load loads[PORTS] = {0};
            vec3_set_component(j % 6 < 3 ? &loads[j / 6].force : &loads[j / 6].moment, j % 3,
                               side ? size : -size);
            begin_and_advance(m, real, loads);
            velocities(m, origins, v[side]);
        }
        for (int i = 0; i < ROWS; i++) Q[i * ROWS + j] = (v[1][i] - v[0][i]) / (2 * size * c);
    }
    // The matrix does not know how rotation vectors bend, a relative h w/2 of rotations: 3e-4 at 3 rad/s.
    double worst = 0, coupling = 0,
           scales[ROWS] = {0}; // of three freedoms the largest: joints may hold the others
    for (int i = 0; i < ROWS; i++) scales[i / 3] = fmax(scales[i / 3], sqrt(fabs(Q[i * ROWS + i])));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double scale = scales[i / 3] * scales[j / 3];
            if (i / 6 == 3 || j / 6 == 3) { // the sledge goes where it is driven
                check_near(Y[i * ROWS + j], 0, 0);
                check_near(Q[i * ROWS + j], 0, 1e-6);
                continue;
            }
            worst = fmax(worst, fabs(Y[i * ROWS + j] - Q[i * ROWS + j]) / scale);
            if (i / 6 != j / 6) coupling = fmax(coupling, fabs(Q[i * ROWS + j]) / scale);
        }
    print_message("mobility of 5 ports: worst entry off by %.1e, coupling up to %.2f\n", worst, coupling);
    assert_true(coupling > 0.25);
    assert_true(worst < 1e-3);
    for (int i = 0; i < ROWS; i++) // the cart hangs on the driven sledge only
        for (int j = 24; j < ROWS; j++)
            if (i < 24) check_near(Y[i * ROWS + j] + Y[j * ROWS + i], 0, 1e-9);
    assert_int_equal(mechanism_counts(m).retries, 0); // however small the tolerance
    rig_close(&rig);
}

// ---- momentum -------------------------------------------------------------------------------------
typedef struct Momentum {
    Vec3 linear, angular;
} Momentum;

static Momentum momentum(const Rig *rig) {
    const MechanismDefinition *d = &model_definition(rig->model)->mechanism;
    Momentum sum = {0};
    for (int b = 0; b < d->body_count; b++) {
        const BodyDefinition *body = &d->bodies[b];
        const NodeState *node =
            mechanism_node(rig->mechanism, mechanism_find_node(rig->mechanism, body->name));
        const double *J = body->inertia;
        Mat3 tensor = {{{J[0], J[3], J[5]}, {J[3], J[1], J[4]}, {J[5], J[4], J[2]}}};
        Vec3 arm = mat3_apply(node->R, body->center);
        Vec3 p = vec3_scale(body->mass, vec3_add(node->v, vec3_cross(node->w, arm)));
        Vec3 spin = mat3_apply(node->R, mat3_apply(tensor, mat3_apply_transpose(node->R, node->w)));
        sum.linear = vec3_add(sum.linear, p);
        sum.angular = vec3_add(sum.angular, vec3_add(spin, vec3_cross(vec3_add(node->x, arm), p)));
    }
    return sum;
}

static const char chain[] =
    "maraca: 1\n"
    "mechanism:\n"
    "  integrator: {rho_inf: %s, tolerance: 1e-10}\n"
    "  bodies:\n"
    "    a: {mass: 0.7 kg, center: 20 0 -10 mm, inertia: 3 4 5 0.4 -0.3 0.2 g*m^2, velocity: 1 2 -1 m/s,\n"
    "        angular_velocity: 3 -2 5 rad/s}\n"
    "    b: {position: 0.3 0 0 m, mass: 0.2 kg, inertia: 1 1 1.5 g*m^2}\n"
    "    c: {position: 0.3 0.4 0.1 m, mass: 1.1 kg, inertia: 6 7 8 g*m^2, velocity: 0 1 0 m/s}\n"
    "    more: {node: c, mass: 0.3 kg, center: 0 50 0 mm, inertia: 0.1 0.1 0.1 g*m^2}\n"
    "  joints:\n"
    "    ab: {revolute: [a, b], at: 0.2 0 0 m, axis: 1 2 2}\n"
    "    bc: {distance: [b, c]}\n"
    "    ca: {point_in_plane: [c, a], axis: x, at: 0 0.2 0 m}\n"
    "simulate: {duration: 1 s, step: 0.1 ms}\n";

// What impulses at several ports bring along is what the whole has more of, whatever joints pass on inside.
static void impulses_bring_their_momentum(void **state) {
    (void)state;
    static const char *const rhos[] = {"0", "0.6", "1"};
    for (int r = 0; r < 3; r++) {
        char text[sizeof chain + 10];
        snprintf(text, sizeof text, chain, rhos[r]);
        Rig rig = rig_open(text);
        Mechanism *m = rig.mechanism;
        MrcError error;
        const double h = 1e-7;
        double Y[ROWS * ROWS];
        static const char *const nodes[PORTS] = {"a", "b", "c", "c", "a"};
        const Vec3 offsets[PORTS] = {{0.1, 0, 0}, {0, 0.02, 0.01}, {0, 0, -0.05}, {0.03, 0.02, 0}, {0, 0, 0}};
        for (int p = 0; p < PORTS; p++) rig_port(&rig, p, nodes[p], offsets[p]);
        for (int n = 0; n < 5; n++) {
            begin_and_advance(m, h, NULL);
            must(mechanism_commit(m, &error), &error);
        }
        Momentum before = momentum(&rig), given = {0};
        Load impulses[PORTS] = {0};
        begin_and_advance(m, h, NULL);
        must(mechanism_mobility(m, 1, Y, &error), &error);
        for (int p = 0; p < PORTS; p++) {
            impulses[p] = (Load){vec3(0.3 - 0.1 * p, 0.2 * p, -0.4), vec3(0.01, -0.02 * p, 0.03)};
            Vec3 at = mechanism_motion(m, p).position;
            given.linear = vec3_add(given.linear, impulses[p].force);
            given.angular =
                vec3_add(given.angular, vec3_add(impulses[p].moment, vec3_cross(at, impulses[p].force)));
        }
        must(mechanism_impulse(m, impulses, NULL, NULL, &error), &error);
        must(mechanism_commit(m, &error), &error);
        for (int n = 0; n < 20; n++) {
            Momentum after = momentum(&rig);
            check_vec3_near(vec3_sub(after.linear, before.linear), given.linear, 1e-5);
            check_vec3_near(vec3_sub(after.angular, before.angular), given.angular, 1e-5);
            begin_and_advance(m, h, NULL);
            must(mechanism_commit(m, &error), &error);
        }
        assert_true(mechanism_counts(m).violation < 1e-9);
        rig_close(&rig);
    }
}

// ---- memory ------------------------------------------------------------------------------------------
// Every way to the heap is counted here. Sanitizers have a heap of their own, which must not be replaced.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OTHER_HEAP
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_HEAP
#endif

static int allocations;

#ifndef OTHER_HEAP
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return allocations++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return allocations++, __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return allocations++, __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) { return allocations++, __libc_memalign(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = aligned_alloc(alignment, size);
    return *block ? 0 : 12;
}
#endif

static void steps_take_no_memory(void **state) {
    (void)state;
#ifdef OTHER_HEAP
    skip();
#endif
    Rig rig = machine_open();
    Mechanism *m = rig.mechanism;
    MrcError error;
    double Y[ROWS * ROWS], stored = 0;
    void *saved = malloc(mechanism_state_size(m));
    assert_true(allocations > 0);
    for (int n = 0; n < 400; n++) {
        if (n == 20) allocations = 0; // warm
        Load loads[PORTS] = {{.force = {0.3, -0.2, 0.1}}}, impulses[PORTS] = {[2] = {.force = {0, 1e-3, 0}}};
        mechanism_save(m, saved);
        begin_and_advance(m, 2e-4, loads);
        must(mechanism_commit(m, &error), &error);
        mechanism_restore(m, saved);
        begin_and_advance(m, 2e-4, loads);
        must(mechanism_mobility(m, n % 2 ? 1 : MOBILITY_OF_MASSES, Y, &error), &error);
        must(mechanism_impulse(m, impulses, NULL, NULL, &error), &error);
        must(mechanism_commit(m, &error), &error);
        stored +=
            mechanism_ledger(m).elastic + mechanism_reaction(m, mechanism_find_joint(m, "root")).force.x;
    }
    int taken = allocations;
    assert_true(isfinite(stored) && mechanism_counts(m).factorizations > 20);
    assert_int_equal(taken, 0);
    free(saved);
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ports_answer_as_real_steps_do),
        cmocka_unit_test(impulses_bring_their_momentum),
        cmocka_unit_test(steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
