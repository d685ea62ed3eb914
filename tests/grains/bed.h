// Beds for tests: any walls, laws and motions, with grains put where the test wants them.
#ifndef TESTS_GRAINS_BED_H
#define TESTS_GRAINS_BED_H

#include "check_math.h"

#include <string.h>

#include "base/hash.h"
#include "grains/engine.h"
#include "grains/packing.h"
#include "grains/time_steps.h"
#include "walls.h"

enum { BED_WALLS = 8, BED_MATERIALS = 2 };

// Filled in by bed_default, changed by the test, brought to life by bed_create.
typedef struct Bed {
    Material materials[BED_MATERIALS]; // the first is that of the grains, the second that of the walls
    WallDefinition walls[BED_WALLS];
    GrainsDefinition definition;
    Vec3 gravity; // [m/s^2]
    double step;  // [s]; 0: the suggested one
    bool keep_orientation;
    Motion motions[BED_WALLS]; // of the walls
    Load loads[BED_WALLS];     // of the last step
    Grains *grains;
    double mass; // of a grain [kg]
    double time; // [s]
} Bed;

// One grain of 1 mm in a box of 20 mm, linear contacts of 10 kN/m, no friction, e = 1.
static inline Bed bed_default(void) {
    Bed bed = {
        .walls = {{.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.02, 0.02, 0.02))}},
        .materials = {{.name = "grain", .density = 2500, .young = 70e6, .poisson = 0.3, .restitution = 1},
                      {.name = "wall", .density = 2500, .young = 70e6, .poisson = 0.3, .restitution = 1}},
        .definition = {
            .name = "bed",
            .wall_count = 1,
            .particles = {.radius = 0.001, .count = 1, .material = "grain"},
            .packing = {.kind = PACKING_RANDOM, .seed = 3},
            .contact = {
                .stiffness = 1e4, .impact_speed = 1, .tangential_ratio = 2.0 / 7.0, .max_overlap = 0.5}}};
    for (int w = 0; w < BED_WALLS; w++) bed.motions[w] = motion_at_rest();
    return bed;
}

static inline void bed_set_coefficients(Bed *bed, double restitution, double friction, double rolling) {
    for (int m = 0; m < BED_MATERIALS; m++) {
        bed->materials[m].restitution = restitution;
        bed->materials[m].friction = friction;
        bed->materials[m].rolling_friction = rolling;
    }
}

static inline void bed_create(Bed *bed) {
    MrcError error = {0};
    bed->definition.walls = bed->walls;
    for (int w = 0; w < bed->definition.wall_count; w++) {
        bed->walls[w].material = "wall";
        if (!bed->walls[w].name) bed->walls[w].name = "wall";
    }
    GrainsSetting setting = {.materials = bed->materials,
                             .material_count = BED_MATERIALS,
                             .gravity = bed->gravity,
                             .step = bed->step,
                             .keep_orientation = bed->keep_orientation,
                             .port = &bed->motions[0],
                             .walls = bed->motions};
    GrainsSteps steps;
    if (bed->step == 0) {
        assert_true(time_steps_of_bed(&bed->definition, &setting, &steps));
        bed->step = setting.step = steps.suggested;
    }
    if (grains_create(&bed->definition, &setting, &bed->grains, &error)) fail_msg("%s", error.text);
    bed->mass = 1 / grain_inverse_mass(bed->grains, 0);
}

// Before the first step only: from then on the engine has its own order of grains.
static inline void bed_place(Bed *bed, size_t i, Vec3 position, Vec3 velocity, Vec3 spin) {
    assert_int_equal(bed->grains->steps, 0);
    const double quad[3] = {position.x, position.y, position.z};
    double r = bed->grains->store.radius[i];
    const double line[6] = {velocity.x, velocity.y, velocity.z, r * spin.x, r * spin.y, r * spin.z};
    memcpy(bed->grains->position + i * QUAD, quad, sizeof quad);
    memcpy(bed->grains->motion + i * GRAIN_LINE, line, sizeof line);
    bed->grains->view_step = -1; // what was seen before does not count
}

static inline void bed_place_turned(Bed *bed, size_t i, Vec3 position, Vec3 velocity, Vec3 spin, Vec3 turn) {
    bed_place(bed, i, position, velocity, spin);
    Quaternion q = quaternion_from_rotation_vector(turn);
    const double quad[QUAD] = {q.w, q.x, q.y, q.z};
    memcpy(bed->grains->orientation + i * QUAD, quad, sizeof quad);
}

static inline void bed_advance(Bed *bed, int64_t steps) {
    MrcError error = {0};
    for (int64_t n = 0; n < steps; n++) {
        if (grains_advance(bed->grains, bed->motions, bed->loads, &error))
            fail_msg("step %ld: %s", (long)n, error.text);
        bed->time += bed->step;
    }
}

static inline void bed_destroy(Bed *bed) { grains_destroy(bed->grains); }

// ---- looking -------------------------------------------------------------------------------------
static inline Vec3 bed_position(const Bed *bed, size_t i) {
    const GrainStore *v = grains_view(bed->grains);
    return vec3(v->x[i], v->y[i], v->z[i]);
}

static inline Vec3 bed_velocity(const Bed *bed, size_t i) {
    const GrainStore *v = grains_view(bed->grains);
    return vec3(v->vx[i], v->vy[i], v->vz[i]);
}

static inline Vec3 bed_spin(const Bed *bed, size_t i) {
    const GrainStore *v = grains_view(bed->grains);
    return vec3(v->wx[i], v->wy[i], v->wz[i]);
}

static inline Quaternion bed_orientation(const Bed *bed, size_t i) {
    const GrainStore *v = grains_view(bed->grains);
    return (Quaternion){v->qw[i], v->qx[i], v->qy[i], v->qz[i]};
}

static inline GrainsMeasure bed_measure(Bed *bed) {
    GrainsMeasure m;
    MrcError error = {0};
    if (grains_measure(bed->grains, &bed->motions[0], bed->motions, &m, &error)) fail_msg("%s", error.text);
    return m;
}

// What the ledger of smooth grains holds [J].
static inline double bed_ledger(const GrainsMeasure *m) {
    return m->kinetic + m->potential + m->elastic + m->impact + m->friction;
}

// Of where grains are and how they move, and of what is measured.
static inline uint64_t bed_hash(Bed *bed) {
    const GrainStore *v = grains_view(bed->grains);
    uint64_t hash = HASH_START;
    const double *const columns[] = {v->x, v->z, v->vy, v->wz, v->qw, v->qx};
    for (int c = 0; c < 6; c++)
        if (columns[c]) hash = hash_bytes(hash, columns[c], v->count * sizeof(double));
    GrainsMeasure m = bed_measure(bed);
    hash = hash_bytes(hash, &m, sizeof m);
    return hash_bytes(hash, bed->loads, sizeof *bed->loads);
}

// Momentum and angular momentum about the world's origin, spins included.
static inline void bed_momenta(const Bed *bed, Vec3 *linear, Vec3 *angular) {
    const GrainStore *v = grains_view(bed->grains);
    *linear = *angular = vec3_zero();
    for (size_t i = 0; i < v->count; i++) {
        double mass = 1 / v->inverse_mass[i];
        Vec3 p = vec3_scale(mass, bed_velocity(bed, i));
        Vec3 spin = mat3_apply(store_inertia(v, i), bed_spin(bed, i));
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, vec3_add(spin, vec3_cross(bed_position(bed, i), p)));
    }
}

// Grains in flight that collide and are apart again after 0.2 s: checks that their momenta are kept. Returns the error
// of the energy, over that at the start; *lost: dissipated, likewise.
static inline double bed_collide(Bed *bed, double *lost) {
    Vec3 linear, angular, now_linear, now_angular;
    bed_momenta(bed, &linear, &angular);
    double energy = bed_measure(bed).kinetic, most = 0;
    for (int k = 0; k < 200; k++) {
        bed_advance(bed, (int64_t)(1e-3 / bed->step + 0.5));
        most = fmax(most, bed_measure(bed).contacts);
        bed_momenta(bed, &now_linear, &now_angular);
        check_vec3_near(now_linear, linear, 1e-12 * bed->mass);
        check_vec3_near(now_angular, angular, 1e-11 * bed->mass);
    }
    GrainsMeasure m = bed_measure(bed);
    assert_true(most > 0 && m.contacts == 0); // they have met, and are apart
    *lost = (m.impact + m.friction) / energy;
    return (m.kinetic + m.impact + m.friction) / energy - 1;
}

// Of two beds that are made alike: a state of `bed` that is saved and restored, in the same bed or in the other one,
// gives the same bits after so many steps, four times in a row.
static inline void bed_check_restored(Bed *bed, Bed *other, int64_t steps) {
    Bed *both[] = {bed, other};
    MrcError error = {0};
    Archive *archive = archive_memory_create();
    for (int round = 0; round < 4; round++) {
        archive_memory_save(archive);
        grains_archive(bed->grains, archive);
        assert_int_equal(archive_status(archive, &error), MRC_OK);
        bed_advance(bed, steps);
        uint64_t hash = bed_hash(bed);
        for (int k = 0; k < 2; k++) {
            archive_memory_load(archive);
            grains_archive(both[k]->grains, archive);
            assert_int_equal(archive_status(archive, &error), MRC_OK);
            bed_advance(both[k], steps);
            assert_int_equal(bed_hash(both[k]), hash);
        }
        bed_advance(other, 123); // the next state comes to a bed that is elsewhere
    }
    archive_destroy(archive);
}

#endif
