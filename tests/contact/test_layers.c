// Layers of Gauss-Seidel: threads sweep every second one side by side.
#include <stdlib.h>

#include "base/watch.h"
#include "check_math.h"
#include "contact/nsgs.h"
#include "contact/scenes.h"

enum { TOOL_CONTACTS = 3 };

// A machine of one body, in a group, that touches some grains in different parts of the bed.
static void add_tool(ContactProblem *p) {
    int32_t grains = (int32_t)p->bodies.count, tool = contact_problem_add_body(p, 0, 0, (Twist){0});
    double inverse[36] = {0};
    for (int k = 0; k < 6; k++) inverse[7 * k] = 1;
    assert_true(contact_problem_add_group(p, 1, &tool, inverse) >= 0);
    for (int32_t k = 0; k < TOOL_CONTACTS; k++)
        assert_true(contact_problem_add_contact(p, (ContactPoint){.a = tool,
                                                                  .b = k * (grains - 1) / (TOOL_CONTACTS - 1),
                                                                  .normal = {0, 0, -1},
                                                                  .arm_a = {1e-3 * k, 0, 0},
                                                                  .arm_b = {0, 0, 1e-3},
                                                                  .friction = 0.4}) >= 0);
}

// 0, 1: walls at rest; 2: a container; 3: rolling; 4: a machine
static void make_bed(ContactProblem *p, int kind) {
    *p = (ContactProblem){.law = kind == 1 ? CONTACT_COULOMB : CONTACT_RELAXED};
    scene_bed(p, &(SceneBed){.nx = 12,
                             .ny = 7,
                             .nz = 6,
                             .friction = 0.4,
                             .rolling = kind == 3 ? 1e-5 : 0,
                             .jitter = 0.03,
                             .speed = 0.02,
                             .ratio = 3,
                             .step = 1e-4,
                             .container = kind == 2,
                             .container_mass = 0.05,
                             .seed = 21 + (uint64_t)kind});
    if (kind == 4) add_tool(p);
}

// Marks what a contact moves as moved by a layer; false: another layer of the same parity moves it too.
static bool mark(const Nsgs *nsgs, const ContactProblem *p, int32_t contact, int layer, int *owner) {
    NsgsEnds ends = nsgs->ends.data[contact < 0 ? ~contact : contact];
    for (int side = 0; side < 2; side++) {
        int32_t node = side ? ends.b : ends.a;
        if (node < 0) continue;
        assert_false(nsgs_is_shared(nsgs, p, node));
        if (owner[node] >= 0 && owner[node] != layer) return false;
        owner[node] = layer;
    }
    return true;
}

// No two layers of one phase move the same body, no two contacts of one colour of a layer do, every contact
// is swept once, the layers are of nearly equal size, and none is so thin that contacts reach over it: these would be
// solved in order, on one thread. Groups are in order: threads would move their bodies from several layers.
static void test_layers_are_apart(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (size_t layered = 1; layered < 3000; layered = layered * 5) {
            ContactProblem p;
            Nsgs nsgs = {0};
            MrcError error;
            make_bed(&p, kind);
            size_t nodes = p.bodies.count + p.groups.count, found = 0, largest = 0;
            ContactImpulse *impulses = calloc(p.contacts.count, sizeof *impulses);
            int *owner = malloc(nodes * sizeof *owner), *colour = malloc(nodes * sizeof *colour);
            NsgsStart start = {.velocity = p.free_velocity.data, .layered = layered};
            double scale;
            assert_int_equal(nsgs_prepare(&nsgs, &p, impulses, &start, &scale, &error), MRC_OK);
            assert_true(nsgs.layer_count >= 4 && nsgs.layer_count <= NSGS_LAYERS);
            for (int phase = 0; phase < 2; phase++) {
                for (size_t k = 0; k < nodes; k++) owner[k] = -1;
                for (int layer = phase; layer < nsgs.layer_count; layer += 2) {
                    size_t size = 0;
                    for (int c = 0; c < nsgs.colour_count; c++) {
                        const NsgsSet *set = &nsgs.sets.data[layer * NSGS_COLOURS + c];
                        for (size_t k = 0; k < nodes; k++) colour[k] = -1;
                        for (size_t i = set[0].pairs; i < set[1].pairs; i++)
                            for (int lane = 0; lane < nsgs.pairs.data[i].count; lane++, size++) {
                                int32_t name = nsgs.pairs.data[i].contact[lane];
                                const ContactPoint *contact = &p.contacts.data[name < 0 ? ~name : name];
                                assert_true(mark(&nsgs, &p, name, layer, owner));
                                assert_true(colour[contact->a] < 0 && colour[contact->b] < 0);
                                colour[contact->a] = colour[contact->b] = c;
                            }
                        for (size_t i = set[0].walls; i < set[1].walls; i++)
                            for (int lane = 0; lane < nsgs.walls.data[i].count; lane++, size++)
                                assert_true(mark(&nsgs, &p, nsgs.walls.data[i].contact[lane], layer, owner));
                        for (size_t i = set[0].rollings; i < set[1].rollings; i++)
                            for (int lane = 0; lane < nsgs.rollings.data[i].batch.count; lane++, size++) {
                                int32_t name = nsgs.rollings.data[i].batch.contact[lane];
                                const ContactPoint *contact = &p.contacts.data[name];
                                assert_true(mark(&nsgs, &p, name, layer, owner));
                                assert_true(colour[contact->a] < 0 && colour[contact->b] < 0);
                                colour[contact->a] = colour[contact->b] = c;
                            }
                        for (size_t i = set[0].rolling_walls; i < set[1].rolling_walls; i++) {
                            const NsgsBatch *batch = &nsgs.rolling_walls.data[i].batch;
                            for (int lane = 0; lane < batch->count; lane++, size++)
                                assert_true(mark(&nsgs, &p, batch->contact[lane], layer, owner));
                        }
                        for (size_t i = set[0].generals; i < set[1].generals; i++, size++)
                            assert_true(mark(&nsgs, &p, nsgs.generals.data[i].contact, layer, owner));
                    }
                    found += size;
                    if (size > largest) largest = size;
                }
            }
            const NsgsSet *rest = &nsgs.sets.data[nsgs.layer_count * NSGS_COLOURS];
            size_t in_order = rest[1].generals - rest[0].generals;
            for (size_t i = 0; i < nsgs.shared.count; i++)
                in_order += (size_t)nsgs.shared.data[i].batch.count;
            assert_int_equal(found + in_order, p.contacts.count);
            if (kind != 2) assert_int_equal(in_order, kind == 4 ? TOOL_CONTACTS : 0);
            if (nsgs.layer_count <= 8 && kind != 2)
                assert_true((double)largest * nsgs.layer_count <= 1.3 * (double)found);
            free(owner);
            free(colour);
            free(impulses);
            nsgs_free(&nsgs);
            contact_problem_free(&p);
        }
}

static int count_moved(const Nsgs *nsgs,
                       int32_t node) { // how often it is among those that a sweep begins with
    int times = 0;
    for (int layer = 0; layer < nsgs->layer_count; layer++) {
        size_t first = layer > 0 ? nsgs->layer_end[layer - 1] : 0;
        for (size_t k = first; k < first + nsgs->moved_count[layer]; k++)
            times += nsgs->moved.data[k] == nsgs->line_at.data[node];
    }
    return times;
}

// Velocities are extrapolated once of each body that a contact moves which is awake, and of no other.
static void test_bodies_that_are_moved(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        ContactProblem p;
        Nsgs nsgs = {0};
        MrcError error;
        double scale;
        make_bed(&p, kind);
        size_t bodies = p.bodies.count, awake = 0, asleep = 0;
        ContactImpulse *impulses = calloc(p.contacts.count, sizeof *impulses);
        bool *wanted = calloc(bodies, sizeof *wanted);
        for (size_t i = 0; i < p.contacts.count; i++) // one end of the bed flies apart
            if (p.contacts.data[i].b % 12 < 4)
                p.contacts.data[i].bias = vec3_scale(10, p.contacts.data[i].normal);
        NsgsStart start = {.velocity = p.free_velocity.data, .margin = 1e-3, .layered = 100};
        assert_int_equal(nsgs_prepare(&nsgs, &p, impulses, &start, &scale, &error), MRC_OK);
        for (size_t k = 0; k < nsgs.awake.count; k++) {
            NsgsEnds ends = nsgs.ends.data[nsgs.awake.data[k]];
            if (ends.a >= 0 && ends.a < (int32_t)bodies) wanted[ends.a] = true;
            if (ends.b >= 0 && ends.b < (int32_t)bodies) wanted[ends.b] = true;
        }
        for (size_t k = 0; k < p.group_bodies.count; k++) wanted[p.group_bodies.data[k]] = true;
        for (size_t i = 0; i < bodies; i++) {
            assert_int_equal(count_moved(&nsgs, (int32_t)i), wanted[i]);
            awake += wanted[i], asleep += !wanted[i];
        }
        assert_true(awake > bodies / 4 && asleep > bodies / 8);
        free(wanted);
        free(impulses);
        nsgs_free(&nsgs);
        contact_problem_free(&p);
    }
}

// However many layers: the same answer.
static void test_layers_change_no_answer(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        ContactProblem p;
        make_bed(&p, kind);
        const size_t layered[] = {SIZE_MAX, 1, 100, p.contacts.count};
        double first[6] = {0};
        for (int k = 0; k < 4; k++) {
            ContactOptions options = contact_options_default();
            ContactSolution solution = {0};
            ContactReport report;
            MrcError error;
            ContactWorkspace *workspace = contact_workspace_create();
            options.method = CONTACT_NSGS;
            options.tolerance = 1e-9;
            options.sweeps = 100000;
            options.parallel_contacts = layered[k];
            assert_int_equal(contact_solve(&p, &options, workspace, &solution, &report, &error), MRC_OK);
            assert_true(report.converged);
            double sums[6] = {0}, size = 0; // resultants of the impulses, and their sizes
            for (size_t i = 0; i < p.contacts.count; i++) {
                Vec3 impulse = solution.impulses.data[i].linear;
                Vec3 moment = vec3_cross(p.contacts.data[i].arm_b, impulse);
                sums[0] += impulse.x, sums[1] += impulse.y, sums[2] += impulse.z;
                sums[3] += moment.x, sums[4] += moment.y, sums[5] += moment.z;
                size += vec3_norm(impulse);
            }
            for (int c = 0; c < 6; c++)
                if (k == 0) first[c] = sums[c];
                else check_near(sums[c], first[c], 1e-6 * size);
            contact_solution_free(&solution);
            contact_workspace_destroy(workspace);
        }
        contact_problem_free(&p);
    }
}

// Preparing millions of contacts takes seconds, in which a run may be told to end.
static void test_preparing_ends_when_told(void **state) {
    (void)state;
    volatile int stop = 1;
    Watch own = {.stop = &stop}, *before = watch_set(&own);
    for (int parallel = 0; parallel < 2; parallel++) {
        ContactProblem p;
        Nsgs nsgs = {0};
        MrcError error = {0};
        double scale;
        make_bed(&p, 0);
        ContactImpulse *impulses = calloc(p.contacts.count, sizeof *impulses);
        NsgsStart start = {.velocity = p.free_velocity.data, .layered = 100, .parallel = parallel};
        stop = 1;
        assert_int_equal(nsgs_prepare(&nsgs, &p, impulses, &start, &scale, &error), MRC_INTERRUPTED);
        stop = 0;
        assert_int_equal(nsgs_prepare(&nsgs, &p, impulses, &start, &scale, &error), MRC_OK);
        stop = 1;
        assert_int_equal(nsgs_sort(&nsgs, &p, 0, &error), MRC_INTERRUPTED);
        free(impulses);
        nsgs_free(&nsgs);
        contact_problem_free(&p);
    }
    watch_set(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_are_apart),
        cmocka_unit_test(test_bodies_that_are_moved),
        cmocka_unit_test(test_layers_change_no_answer),
        cmocka_unit_test(test_preparing_ends_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
