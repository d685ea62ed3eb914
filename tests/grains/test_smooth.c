// The smooth method against closed forms: free fall, rebound, sliding to rolling, momentum; and its promises:
// any number of threads, restored = never left.
#include "check.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/threads.h"
#include "grains/engine.h"
#include "grains/law.h"
#include "grains/packing.h"
#include "walls.h"

static const Material materials[] = {
    {.name = "bouncy", .density = 2500, .friction = 0.3, .restitution = 1},
    {.name = "dull", .density = 2500, .friction = 0.3, .restitution = 0.5},
};
static const double step = 1e-6;
static PackingKind packing = PACKING_RANDOM;

typedef struct Bed {
    WallDefinition wall;
    GrainsDefinition definition;
    Grains *grains;
    Motion port;
    Load load;
} Bed;

static void bed_create(Bed *bed, Vec3 size, int64_t count, const char *material, TangentialLaw tangential,
                       Vec3 gravity, Vec3 velocity) {
    *bed = (Bed){.wall = {.name = "wall", .shape = box_wall(vec3_zero(), size)}, .port = motion_at_rest()};
    bed->definition = (GrainsDefinition){
        .name = "bed",
        .walls = &bed->wall,
        .wall_count = 1,
        .particles = {.radius = 0.001, .count = count, .material = material, .velocity = velocity},
        .packing = {.kind = packing, .seed = 3},
        .contact = {.tangential = tangential, .stiffness = 1e4, .max_overlap = 0.3},
    };
    MrcError error = {0};
    GrainsSetting setting = {.materials = materials,
                             .material_count = 2,
                             .gravity = gravity,
                             .step = step,
                             .port = &bed->port,
                             .walls = &bed->port};
    if (grains_create(&bed->definition, &setting, &bed->grains, &error)) fail_msg("%s", error.text);
}

static void bed_advance(Bed *bed, int steps) {
    MrcError error;
    for (int i = 0; i < steps; i++)
        if (grains_advance(bed->grains, &bed->port, &bed->load, &error))
            fail_msg("step %d: %s", i, error.text);
}

static void test_free_fall_is_the_scheme_exactly(void **state) {
    (void)state;
    Bed bed;
    bed_create(&bed, vec3(1, 1, 1), 1, "bouncy", TANGENTIAL_NONE, vec3(0, 0, -10), vec3(0.1, 0, 0));
    double z = grains_view(bed.grains)->z[0], x = grains_view(bed.grains)->x[0];
    int n = 1000;
    bed_advance(&bed, n);
    check_near(grains_view(bed.grains)->z[0], z - 10 * step * step * n * (n + 1) / 2, 1e-14);
    check_near(grains_view(bed.grains)->x[0], x + 0.1 * n * step, 1e-14);
    grains_destroy(bed.grains);
}

static void test_rebound_from_a_wall_has_the_restitution_asked_for(void **state) {
    (void)state;
    const char *names[] = {"bouncy", "dull"};
    for (int k = 0; k < 2; k++) {
        Bed bed;
        bed_create(&bed, vec3(0.01, 0.01, 0.01), 1, names[k], TANGENTIAL_NONE, vec3_zero(), vec3(0, 0, 0.5));
        for (int i = 0; i < 100000 && grains_view(bed.grains)->vz[0] > 0; i++) bed_advance(&bed, 1);
        bed_advance(&bed, 200); // until it is clear of the wall: half a contact lasts 32 us
        const GrainStore *store = grains_view(bed.grains);
        check_near(store->vz[0], -0.5 * materials[k].restitution, 1e-4);
        GrainsMeasure m;
        MrcError error;
        assert_int_equal(grains_measure(bed.grains, &bed.port, &bed.port, &m, &error), MRC_OK);
        double energy = 0.5 * (1 / store->inverse_mass[0]) * 0.25;
        check_near(m.contacts, 0, 0);
        check_near((m.kinetic + m.impact) / energy, 1, 1e-3);
        grains_destroy(bed.grains);
    }
}

static void test_sliding_sphere_ends_rolling_at_five_sevenths(void **state) {
    (void)state;
    Bed bed;
    bed_create(&bed, vec3(1, 1, 0.0021), 1, "dull", TANGENTIAL_DIRECTIONAL, vec3(0, 0, -9.81),
               vec3(0.05, 0, 0));
    bed_advance(&bed, 20000); // 20 ms; sliding takes 2/7 v / (mu g) = 4.9 ms once it lies on the floor
    const GrainStore *store = grains_view(bed.grains);
    check_near(store->vx[0], 0.05 * 5 / 7, 2e-4);
    check_near(store->wy[0] * 0.001, store->vx[0], 1e-4); // no slip
    grains_destroy(bed.grains);
}

// Momentum and angular momentum about the origin.
static void momenta(Grains *grains, Vec3 *linear, Vec3 *angular) {
    const GrainStore *v = grains_view(grains);
    *linear = *angular = vec3_zero();
    for (size_t i = 0; i < v->count; i++) {
        double mass = 1 / v->inverse_mass[i];
        Vec3 p = vec3_scale(mass, vec3(v->vx[i], v->vy[i], v->vz[i]));
        Vec3 spin = vec3_scale(0.4 * mass * v->radius[i] * v->radius[i], vec3(v->wx[i], v->wy[i], v->wz[i]));
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, vec3_add(spin, vec3_cross(vec3(v->x[i], v->y[i], v->z[i]), p)));
    }
}

static void test_momentum_of_colliding_grains_is_kept(void **state) {
    (void)state;
    const TangentialLaw laws[] = {TANGENTIAL_NONE, TANGENTIAL_DIRECTIONAL, TANGENTIAL_ELASTIC};
    for (int k = 0; k < 3; k++) {
        Bed bed;
        bed_create(&bed, vec3(0.02, 0.02, 0.02), 150, "dull", laws[k], vec3_zero(), vec3_zero());
        // Stir them up; then what the walls take is all that changes the momenta.
        for (size_t i = 0; i < 150; i++) {
            double *line = bed.grains->motion + i * GRAIN_LINE, n = (double)i;
            line[0] = sin(n), line[1] = cos(3 * n), line[2] = sin(7 * n),
            line[GRAIN_RIM] = 1000 * line[GRAIN_RADIUS] * cos(n);
        }
        bed.grains->view_step = -1; // what was seen before does not count
        Vec3 linear, angular, linear_after, angular_after, impulse = {0}, twist = {0};
        momenta(bed.grains, &linear, &angular);
        for (int n = 0; n < 3000; n++) {
            bed_advance(&bed, 1);
            impulse = vec3_madd(impulse, step, bed.load.force);
            twist = vec3_madd(twist, step, bed.load.moment);
        }
        momenta(bed.grains, &linear_after, &angular_after);
        assert_true(vec3_norm(impulse) > 1e-5);
        check_near(vec3_norm(vec3_add(vec3_sub(linear_after, linear), impulse)), 0, 1e-14);
        // In the world's axes a force does not turn a grain during its own drift: x(n+1) x v = x(n) x v.
        check_near(vec3_norm(vec3_add(vec3_sub(angular_after, angular), twist)), 0, 1e-15);
        grains_destroy(bed.grains);
    }
}

// 4000 grains make enough pairs for several threads to share them out.
static uint64_t run_hash(int threads, TangentialLaw law) {
    Bed bed;
    threads_set(threads);
    packing = PACKING_FCC;
    bed_create(&bed, vec3(0.04, 0.04, 0.04), 3500, "dull", law, vec3(0, 0, -9.81), vec3(0.3, 0.2, 1));
    packing = PACKING_RANDOM;
    for (size_t i = 0; i < 3500; i++) bed.grains->motion[i * GRAIN_LINE + i % 3] += 0.02 * sin((double)i);
    bed_advance(&bed, 200);
    assert_int_equal(bed.grains->threads, threads);
    bed_advance(&bed, 200);
    const GrainStore *s = grains_view(bed.grains);
    uint64_t hash = hash_bytes(HASH_START, s->x, s->count * sizeof *s->x);
    hash = hash_bytes(hash, s->wz, s->count * sizeof *s->wz);
    hash = hash_bytes(hash, &bed.load, sizeof bed.load);
    grains_destroy(bed.grains);
    return hash;
}

static void test_threads_do_not_change_a_bit(void **state) {
    (void)state;
    for (TangentialLaw law = TANGENTIAL_NONE; law <= TANGENTIAL_ELASTIC; law++) {
        uint64_t one = run_hash(1, law);
        assert_int_equal(one, run_hash(2, law));
        assert_int_equal(one, run_hash(3, law));
        assert_int_equal(one, run_hash(5, law));
    }
    threads_set(1);
}

// Layers hold all pairs, grains and wall entries, each once, and touch the next layer at most.
static void test_layers_touch_only_the_next(void **state) {
    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        Bed bed;
        packing = PACKING_FCC;
        bed_create(&bed,
                   shape == 0   ? vec3(0.04, 0.04, 0.04)
                   : shape == 1 ? vec3(0.12, 0.03, 0.03)
                                : vec3(0.07, 0.08, 0.014),
                   3000, "dull", TANGENTIAL_ELASTIC, vec3(0, 0, -9.81), vec3(0.3, 0.2, 1));
        packing = PACKING_RANDOM;
        for (int n = 0; n < 5; n++) {
            bed_advance(&bed, 100);
            const Grains *g = bed.grains;
            int32_t layers = layers_count(g);
            const Layer *all = g->layers.data;
            assert_true(layers >= (shape == 1 ? 12 : 6));
            assert_int_equal(all[0].chunk, 0);
            assert_int_equal(all[0].grain, 0);
            assert_int_equal(all[0].entry, 0);
            assert_int_equal(all[layers].chunk, smooth_contacts_chunks(g->near.count));
            assert_int_equal(all[layers].grain, g->store.count);
            assert_int_equal(all[layers].entry, g->entries.count);
            for (int32_t k = 0; k < layers; k++) {
                int32_t beyond = k + 2 <= layers ? all[k + 2].grain : INT32_MAX;
                for (size_t s = (size_t)all[k].chunk * CONTACT_CHUNK;
                     s < (size_t)all[k + 1].chunk * CONTACT_CHUNK && s < g->near.count; s++) {
                    assert_true(g->near.i.data[s] >= all[k].grain && g->near.i.data[s] < beyond);
                    assert_true(g->near.j.data[s] >= all[k].grain && g->near.j.data[s] < beyond);
                }
                for (int32_t e = all[k].entry; e < all[k + 1].entry; e++)
                    assert_true(g->entries.data[e].grain >= all[k].grain &&
                                g->entries.data[e].grain < all[k + 1].grain);
            }
        }
        grains_destroy(bed.grains);
    }
}

// `slack`: by how much of the sum of their radii they may be apart.
static size_t overlapping_pairs(const Grains *g, double slack) {
    size_t found = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        Vec3 a = grain_now(g, i).center;
        for (size_t j = 0; j < i; j++) {
            double reach = (1 + slack) * (g->store.radius[i] + g->store.radius[j]);
            found += vec3_norm2(vec3_sub(a, grain_now(g, j).center)) < reach * reach;
        }
    }
    return found;
}

// Whatever the lists, the prunings and their lengths: the touching pairs of each step are all that overlap, but for
// rounding: those of a lattice just touch. One grain is far quicker than the others.
static void test_no_contact_is_missed(void **state) {
    (void)state;
    Bed bed;
    size_t pairs = 0;
    packing = PACKING_FCC;
    bed_create(&bed, vec3(0.016, 0.016, 0.02), 300, "bouncy", TANGENTIAL_ELASTIC, vec3(0, 0, -9.81),
               vec3(0.3, 0.2, 1));
    packing = PACKING_RANDOM;
    bed.grains->motion[200 * GRAIN_LINE] += 4;
    for (int n = 0; n < 6000; n++) {
        bool tested = n % 20 == 0;
        size_t least = tested ? overlapping_pairs(bed.grains, -1e-10) : 0, touching = 0;
        size_t most = tested ? overlapping_pairs(bed.grains, 1e-10) : 0;
        bed_advance(&bed, 1);
        const NearPairs *near = &bed.grains->near;
        for (size_t s = 0; s < near->count && tested; s++) touching += near_touches(near, s);
        assert_true(least <= touching && touching <= most);
        pairs += least;
    }
    assert_true(pairs > 5000);
    grains_destroy(bed.grains);
}

static void test_restored_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    Bed bed;
    bed_create(&bed, vec3(0.03, 0.03, 0.03), 500, "dull", TANGENTIAL_DIRECTIONAL, vec3(0, 0, -9.81),
               vec3(0.3, 0.2, 1));
    Archive *archive = archive_memory_create();
    bed_advance(&bed, 777);
    archive_memory_save(archive);
    grains_archive(bed.grains, archive);
    bed_advance(&bed, 1500);
    const GrainStore *s = grains_view(bed.grains);
    double *x = malloc(s->count * sizeof *x);
    memcpy(x, s->x, s->count * sizeof *x);
    archive_memory_load(archive);
    grains_archive(bed.grains, archive);
    assert_int_equal(archive_status(archive, NULL), MRC_OK);
    assert_memory_not_equal(x, grains_view(bed.grains)->x, s->count * sizeof *x);
    bed_advance(&bed, 1500);
    assert_memory_equal(x, grains_view(bed.grains)->x, s->count * sizeof *x);
    free(x);
    archive_destroy(archive);
    grains_destroy(bed.grains);
}

// A run that is resumed begins with memory of its own: what longer lists left behind the end of the present one
// must not be seen.
static void test_another_bed_goes_on_with_the_same_energies(void **state) {
    (void)state;
    for (int start = 1000; start < 20000; start += 1700) {
        Bed bed, other;
        Vec3 size = vec3(0.006, 0.006, 0.006), gravity = vec3(0, 0, -9.81), velocity = vec3(0.3, 0.2, 1);
        bed_create(&bed, size, 9, "dull", TANGENTIAL_ELASTIC, gravity, velocity);
        bed_create(&other, size, 9, "dull", TANGENTIAL_ELASTIC, gravity, velocity);
        Archive *archive = archive_memory_create();
        bed_advance(&bed, start);
        for (size_t k = bed.grains->near.rows.count; k < bed.grains->near.rows.capacity; k++)
            bed.grains->near.rows.data[k] = 1;
        archive_memory_save(archive);
        grains_archive(bed.grains, archive);
        archive_memory_load(archive);
        grains_archive(other.grains, archive);
        assert_int_equal(archive_status(archive, NULL), MRC_OK);
        for (int n = 0; n < 100; n++) {
            GrainsMeasure m, expected;
            MrcError error;
            bed_advance(&bed, 20);
            bed_advance(&other, 20);
            assert_int_equal(grains_measure(bed.grains, &bed.port, &bed.port, &expected, &error), MRC_OK);
            assert_int_equal(grains_measure(other.grains, &other.port, &other.port, &m, &error), MRC_OK);
            assert_memory_equal(&m, &expected, sizeof m);
        }
        archive_destroy(archive);
        grains_destroy(bed.grains);
        grains_destroy(other.grains);
    }
}

static void test_too_deep_an_overlap_stops_with_the_grain_named(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    bed_create(&bed, vec3(0.01, 0.01, 0.01), 1, "bouncy", TANGENTIAL_NONE, vec3_zero(), vec3(0, 0, 50));
    MrcStatus status = MRC_OK;
    for (int i = 0; i < 10000 && status == MRC_OK; i++)
        status = grains_advance(bed.grains, &bed.port, &bed.load, &error);
    assert_int_equal(status, MRC_OVERLAP);
    assert_non_null(strstr(error.text, "grain 0 overlaps wall"));
    grains_destroy(bed.grains);
}

static void test_not_a_number_stops_the_run(void **state) {
    (void)state;
    Bed bed;
    MrcError error = {0};
    bed_create(&bed, vec3(0.01, 0.01, 0.01), 5, "bouncy", TANGENTIAL_NONE, vec3_zero(), vec3(0, 0, 1));
    bed.grains->motion[3 * GRAIN_LINE + 1] = NAN;
    MrcStatus status = MRC_OK;
    for (int i = 0; i < 3 && status == MRC_OK; i++)
        status = grains_advance(bed.grains, &bed.port, &bed.load, &error);
    assert_int_equal(status, MRC_NOT_FINITE);
    assert_non_null(strstr(error.text, "grain 3"));
    grains_destroy(bed.grains);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_the_scheme_exactly),
        cmocka_unit_test(test_rebound_from_a_wall_has_the_restitution_asked_for),
        cmocka_unit_test(test_sliding_sphere_ends_rolling_at_five_sevenths),
        cmocka_unit_test(test_momentum_of_colliding_grains_is_kept),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_layers_touch_only_the_next),
        cmocka_unit_test(test_no_contact_is_missed),
        cmocka_unit_test(test_restored_state_goes_on_with_the_same_bits),
        cmocka_unit_test(test_another_bed_goes_on_with_the_same_energies),
        cmocka_unit_test(test_too_deep_an_overlap_stops_with_the_grain_named),
        cmocka_unit_test(test_not_a_number_stops_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
