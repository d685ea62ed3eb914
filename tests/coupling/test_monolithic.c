// The monolithic scheme with the joints of the mechanism as bilateral rows of the contact problem, and with
// the same rows eliminated beforehand: from the same state, the same step. Saeki's damper, the reduced beam
// of TIGHT Eq. 35, the two-mass oscillator and the double pendulum, the last two also with grains.
// The state of one model goes into another one and rows are counted, which the public header does not offer.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "model/model.h"
#include "sim/sim.h"

typedef struct Machines {
    MrcModel *models[2];
    Sim *sims[2]; // rows, eliminated
    Archive *archive;
} Machines;

static Sim *create(const char *file, const char *const *settings, const char *joints, MrcModel **model) {
    char path[400], own[60];
    const char *overrides[24];
    int count = 0;
    MrcError error = {0};
    Sim *sim;
    snprintf(path, sizeof path, "%s/%s", MARACA_SOURCE_DIR, file);
    snprintf(own, sizeof own, "coupling.joints=%s", joints);
    overrides[count++] = "coupling.scheme=monolithic";
    overrides[count++] = own;
    for (; *settings; settings++) overrides[count++] = *settings;
    *model = mrc_model_load(path, overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(*model); i++)
        print_error("%s\n", mrc_model_diagnostic(*model, i)->text);
    assert_int_equal(mrc_model_status(*model), MRC_OK);
    if (sim_create(model_definition(*model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    return sim;
}

static Machines begin(const char *file, const char *const *settings) {
    Machines m = {.archive = archive_memory_create()};
    const char *const joints[] = {"rows", "eliminated"};
    for (int k = 0; k < 2; k++) m.sims[k] = create(file, settings, joints[k], &m.models[k]);
    return m;
}

static void end(Machines *m) {
    archive_destroy(m->archive);
    for (int k = 0; k < 2; k++) {
        sim_destroy(m->sims[k]);
        mrc_model_free(m->models[k]);
    }
}

// The second one takes the state of the first.
static void make_alike(Machines *m) {
    MrcError error = {0};
    archive_memory_save(m->archive);
    sim_archive(m->sims[0], m->archive);
    archive_memory_load(m->archive);
    sim_archive(m->sims[1], m->archive);
    if (archive_status(m->archive, &error) != MRC_OK) fail_msg("%s", error.text);
}

typedef struct Largest { // differences, and what they are relative to
    double impulse, impulse_size, velocity, velocity_size, reaction, reaction_size;
} Largest;

static void look(double *difference, double *size, Vec3 a, Vec3 b) {
    *difference = fmax(*difference, vec3_norm(vec3_sub(a, b)));
    *size = fmax(*size, vec3_norm(a));
}

// Impulses on the ports and in the joints, velocities of nodes and containers.
static void compare(const Machines *m, Largest *most) {
    const Coupling *a = &m->sims[0]->coupling, *b = &m->sims[1]->coupling;
    const Mechanism *x = sim_mechanism(m->sims[0]), *y = sim_mechanism(m->sims[1]);
    double arm = 0.01;
    for (int p = 0; p < a->count; p++) {
        look(&most->impulse, &most->impulse_size, a->ports[p].load.force, b->ports[p].load.force);
        look(&most->impulse, &most->impulse_size, vec3_scale(1 / arm, a->ports[p].load.moment),
             vec3_scale(1 / arm, b->ports[p].load.moment));
        look(&most->velocity, &most->velocity_size, a->containers.items[p].motion.velocity,
             b->containers.items[p].motion.velocity);
        look(&most->velocity, &most->velocity_size,
             vec3_scale(arm, a->containers.items[p].motion.angular_velocity),
             vec3_scale(arm, b->containers.items[p].motion.angular_velocity));
    }
    for (int n = 0; n < mechanism_node_count(x); n++) {
        look(&most->velocity, &most->velocity_size, mechanism_node(x, n)->v, mechanism_node(y, n)->v);
        look(&most->velocity, &most->velocity_size, vec3_scale(arm, mechanism_node(x, n)->w),
             vec3_scale(arm, mechanism_node(y, n)->w));
    }
    for (int j = 0; j < m->sims[0]->definition->mechanism.joint_count; j++) {
        Load r = mechanism_reaction(x, j), s = mechanism_reaction(y, j);
        look(&most->reaction, &most->reaction_size, r.force, s.force);
        look(&most->reaction, &most->reaction_size, vec3_scale(1 / arm, r.moment),
             vec3_scale(1 / arm, s.moment));
    }
}

static void run(const char *name, const char *file, const char *const *settings, int steps, size_t rows) {
    Machines m = begin(file, settings);
    Largest most = {0};
    MrcError error = {0};
    double contacts = 0;
    for (int n = 0; n < steps; n++) {
        make_alike(&m);
        for (int k = 0; k < 2; k++)
            if (sim_step(m.sims[k], &error) != MRC_OK) fail_msg("%s, step %d: %s", name, n, error.text);
        const World *with = m.sims[0]->beds->world, *without = m.sims[1]->beds->world;
        assert_int_equal(world_problem(with)->rows.count, rows);
        assert_int_equal(world_problem(without)->rows.count, 0);
        contacts += (double)world_problem(with)->contacts.count;
        assert_int_equal(world_counts(with).loose, 0);
        compare(&m, &most);
    }
    print_message("%s: %zu rows, %.1f contacts; impulses %.1e, velocities %.1e, reactions %.1e\n", name, rows,
                  contacts / steps, most.impulse / most.impulse_size, most.velocity / most.velocity_size,
                  most.reaction_size > 0 ? most.reaction / most.reaction_size : 0);
    assert_true(most.impulse <= 1e-9 * most.impulse_size);
    assert_true(most.velocity <= 1e-9 * most.velocity_size);
    assert_true(most.reaction <= 1e-9 * most.reaction_size);
    assert_true(most.velocity_size > 0);
    if (m.sims[0]->definition->grains_count) assert_true(contacts > 0);
    end(&m);
}

#define TIGHT_SOLVER "grains.damper.contact.solver={tolerance: 1e-10, iterations: 100000}"

static void test_saeki(void **state) {
    (void)state;
    const char *const settings[] = {"grains.damper.particles.count=20",
                                    "grains.damper.wall.box.size=26 20 20 mm",
                                    "grains.damper.packing={random: {seed: 5}}",
                                    "grains.damper.particles.velocity=0.3 -0.5 0.1 m/s",
                                    "simulate.step=0.2 ms",
                                    TIGHT_SOLVER,
                                    NULL};
    run("Saeki's damper", "examples/saeki.yaml", settings, 120, 11);
}

static void test_reduced_beam(void **state) {
    (void)state;
    const char *const settings[] = {"grains.damper.particles.total_mass=0.9 g",
                                    "constants.clearance=3 mm",
                                    "grains.damper.wall.cylinder.radius=4 mm",
                                    "grains.damper.packing={random: {seed: 2}}",
                                    "grains.damper.particles.velocity=0.1 -0.4 0.2 m/s",
                                    "simulate.step=0.2 ms",
                                    TIGHT_SOLVER,
                                    NULL};
    run("reduced beam", "tests/validation/models/cantilever-reduced.yaml", settings, 120, 5);
}

static const char grains_in_box[] =
    "grains={damper: {port: box, method: nonsmooth, wall: {box: {size: 16 14 14 mm}}, packing: {random: "
    "{seed: 3}}, "
    "particles: {radius: 2 mm, count: 14, material: lead, velocity: 0.3 0.2 -0.1 m/s}, "
    "contact: {solver: {tolerance: 1e-10, iterations: 100000}}}}";
static const char lead[] = "materials={lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0}}";

static void test_two_mass(void **state) {
    (void)state;
    const char *const alone[] = {"constants.m2=3 kg", NULL};
    run("two masses", "examples/two-mass.yaml", alone, 200, 6);
    const char *const filled[] = {"constants.m2=0.1 kg", lead, grains_in_box, "constants.m1=0.2 kg", NULL};
    run("two masses with grains", "examples/two-mass.yaml", filled, 200, 6);
    const char *const bare[] = {"ports.box.container={}", lead, grains_in_box, "constants.m1=0.2 kg", NULL};
    run("one mass with grains", "examples/two-mass.yaml", bare, 200, 0);
}

static void test_double_pendulum(void **state) {
    (void)state;
    const char *const alone[] = {NULL};
    run("double pendulum", "examples/double-pendulum.yaml", alone, 400, 10);
    const char *const filled[] = {
        lead,
        "grains={damper: {port: lower, method: nonsmooth, wall: {box: {size: 16 14 14 mm}}, "
        "packing: {random: {seed: 3}}, particles: {radius: 2 mm, count: 14, material: lead, "
        "velocity: 0.3 0.2 -0.1 m/s}, contact: {solver: {tolerance: 1e-10, iterations: 100000}}}}",
        "simulate.step=0.2 ms", NULL};
    run("double pendulum with grains", "examples/double-pendulum.yaml", filled, 200, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saeki),
        cmocka_unit_test(test_reduced_beam),
        cmocka_unit_test(test_two_mass),
        cmocka_unit_test(test_double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
