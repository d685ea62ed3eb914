// Bulk handling (bulk.h): Maraca settles the bed and starts the machine; stretches spread over what follows are then timed on one
// thread, by Maraca and by LAMMPS from the same state and in turns. The best of the repetitions counts, by CPU time. What
// is compared besides is how far the centre of mass has come at the end of each stretch.
#include "bench/bulk.h"

#include <math.h>

#include "base/archive.h"
#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/peer.h"
#include "grains/change.h"
#include "grains/engine.h"
#include "grains/law.h"
#include "grains/packing.h"

enum { BULK_STRETCHES = 4, BULK_WALLS = 3 };

static const double bulk_begin[BULK_COUNT] = {0.15, 0.3, 0.02};  // of the first stretch [s]
static const double bulk_apart[BULK_COUNT] = {0.1, 0.15, 0.015}; // from one to the next [s]

typedef struct Bulk {
    Bench *bench;
    BulkCase kind;
    Material materials[2];
    WallDefinition walls[BULK_WALLS];
    GrainsDefinition definition;
    ParticlesDefinition ball;
    Grains *grains;
    int64_t step;                                      // number of the next one
    double skin;                                       // of the peer [m]; 0: there is none
    double own[BULK_STRETCHES], other[BULK_STRETCHES]; // best CPU time [s]
    double work;                                       // of all stretches: grains times steps
    double apart; // of the centres of mass at the end of a stretch, the most, over a diameter
} Bulk;

// ---- the machines --------------------------------------------------------------------------------
static Wall bulk_round_wall(const char *kind, Vec3 center, double height, const char *open) {
    Wall wall = wall_of_kind(kind);
    wall_set_vector(&wall, "center", center);
    wall_set_number(&wall, "height", height);
    if (open) wall_set_choices(&wall, "open", open);
    return wall;
}

static void bulk_make_walls(Bulk *b) {
    double s = b->kind.scale;
    GrainsDefinition *d = &b->definition;
    d->walls = b->walls;
    d->wall_count = 1;
    if (b->kind.kind == BULK_SILO) {
        d->wall_count = 3;
        double height = s * BULK_SILO_HEIGHT, hopper = s * BULK_SILO_HOPPER;
        b->walls[0].shape =
            bulk_round_wall("cylinder", vec3(0, 0, hopper + 0.5 * height), height, "start end");
        wall_set_number(&b->walls[0].shape, "radius", s * BULK_SILO_RADIUS);
        b->walls[1].shape = bulk_round_wall("cone", vec3(0, 0, 0.5 * hopper), hopper, "start end");
        wall_set_number(&b->walls[1].shape, "radius_start", s * BULK_SILO_ORIFICE);
        wall_set_number(&b->walls[1].shape, "radius_end", s * BULK_SILO_RADIUS);
        b->walls[2].shape = wall_of_kind("disc"); // the gate
        wall_set_number(&b->walls[2].shape, "radius", s * BULK_SILO_ORIFICE);
    } else if (b->kind.kind == BULK_DRUM) {
        b->walls[0].shape = bulk_round_wall("cylinder", vec3_zero(), s * BULK_DRUM_LENGTH, NULL);
        wall_set_number(&b->walls[0].shape, "radius", s * BULK_DRUM_RADIUS);
        wall_set_vector(&b->walls[0].shape, "axis", vec3(0, 1, 0));
    } else {
        Wall box = wall_of_kind("box");
        wall_set_vector(&box, "size", vec3(s * BULK_BOX_WIDTH, s * BULK_BOX_WIDTH, s * BULK_BOX_HEIGHT));
        wall_set_vector(&box, "center", vec3(0, 0, 0.5 * s * BULK_BOX_HEIGHT));
        b->walls[0].shape = box;
    }
    for (int w = 0; w < d->wall_count; w++) b->walls[w].name = "wall";
}

// From step 0 on the gate is gone and the drum turns.
static void bulk_motions(const Bulk *b, Motion motions[BULK_WALLS]) {
    for (int w = 0; w < BULK_WALLS; w++) motions[w] = motion_at_rest();
    if (b->kind.kind == BULK_SILO) motions[2].position.z = -100;
    if (b->kind.kind != BULK_DRUM) return;
    double angle = b->kind.speed * BULK_STEP * (double)b->step;
    motions[0].orientation = quaternion_from_rotation_vector(vec3(0, angle, 0));
    motions[0].angular_velocity = vec3(0, b->kind.speed, 0);
}

static MrcStatus bulk_advance(Bulk *b, int64_t steps, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int64_t n = 0; n < steps && status == MRC_OK; n++) {
        Motion motions[BULK_WALLS];
        Load loads[BULK_WALLS];
        bulk_motions(b, motions);
        b->step++;
        status = grains_advance(b->grains, motions, loads, error);
    }
    return status;
}

// ---- the bed -------------------------------------------------------------------------------------
// The settled bed with a ball just above it, which falls at 3 m/s.
static MrcStatus bulk_add_ball(Bulk *b, const GrainsSetting *setting, MrcError *error) {
    const GrainStore *view = grains_view(b->grains);
    size_t count = view->count + 1;
    BedData bed = {.count = count};
    double *numbers = memory_alloc(5 * count * sizeof *numbers), top = 0;
    int32_t *kinds = memory_alloc(count * sizeof *kinds);
    if (!numbers || !kinds) return error_memory(error, "the bed");
    static const BedColumn columns[] = {BED_X, BED_Y, BED_Z, BED_RADIUS, BED_VZ};
    for (int c = 0; c < 5; c++) bed.columns[columns[c]] = numbers + (size_t)c * count;
    for (size_t i = 0; i < view->count; i++) {
        const double values[5] = {view->x[i], view->y[i], view->z[i], view->radius[i], 0};
        for (int c = 0; c < 5; c++) numbers[(size_t)c * count + i] = values[c];
        top = fmax(top, view->z[i]);
    }
    const double ball[5] = {0, 0, top + 0.6 * BULK_DIAMETER + BULK_BALL, BULK_BALL, -3};
    for (int c = 0; c < 5; c++) numbers[(size_t)c * count + count - 1] = ball[c];
    for (size_t i = 0; i < count; i++) kinds[i] = i == count - 1;
    bed.kinds = kinds;
    grains_destroy(b->grains);
    b->grains = NULL;
    b->definition.packing = (PackingDefinition){.kind = PACKING_FILE};
    b->definition.bed = b->definition.particles.bed = &bed;
    b->definition.particles.count = 0;
    b->ball = (ParticlesDefinition){.radius = BULK_BALL, .material = "steel", .bed = &bed};
    b->definition.more = &b->ball, b->definition.more_count = 1;
    MrcStatus status = grains_create(&b->definition, setting, &b->grains, error);
    memory_free(numbers);
    memory_free(kinds);
    return status;
}

static MrcStatus bulk_create(Bulk *b, int64_t count, MrcError *error) {
    for (int m = 0; m < 2; m++)
        b->materials[m] = (Material){.name = m ? "steel" : "glass",
                                     .density = m ? BULK_BALL_DENSITY : BULK_DENSITY,
                                     .friction = BULK_FRICTION,
                                     .restitution = BULK_RESTITUTION};
    b->definition = (GrainsDefinition){
        .name = "bed",
        .particles = {.radius = BULK_DIAMETER / 2, .count = count, .material = "glass"},
        .packing = {.kind = PACKING_SETTLE, .seed = 1, .limit = 20, .cache = true},
        .contact = {.stiffness = BULK_STIFFNESS,
                    .wall_stiffness = BULK_STIFFNESS,
                    .tangential = TANGENTIAL_ELASTIC,
                    .tangential_ratio = 2.0 / 7,
                    .max_overlap = 0.5},
    };
    bulk_make_walls(b);
    Motion still[BULK_WALLS] = {motion_at_rest(), motion_at_rest(), motion_at_rest()};
    GrainsSetting setting = {.materials = b->materials,
                             .material_count = 2,
                             .gravity = {0, 0, -BULK_GRAVITY},
                             .step = BULK_STEP,
                             .keep_history = b->kind.kind == BULK_SILO,
                             .port = &still[0],
                             .walls = still};
    MrcStatus status = grains_create(&b->definition, &setting, &b->grains, error);
    if (status == MRC_OK && b->kind.kind == BULK_PENETRATION) status = bulk_add_ball(b, &setting, error);
    return status;
}

// What has fallen out of the silo leaves the bed.
static MrcStatus bulk_drain(Bulk *b, MrcError *error) {
    Grains *g = b->grains;
    Motion motions[BULK_WALLS];
    uint8_t *leaving = memory_alloc(g->store.count + 1);
    GrainsChange change = {.leaving = leaving, .time = (double)b->step * BULK_STEP};
    if (!leaving) return error_memory(error, "the bed");
    for (size_t i = 0; i < g->store.count; i++) {
        leaving[i] = g->position[i * QUAD + 2] < -0.02;
        change.leaving_count += leaving[i];
    }
    bulk_motions(b, motions);
    MrcStatus status = grains_change(g, &change, &motions[0], motions, error);
    memory_free(leaving);
    return status;
}

// ---- timing --------------------------------------------------------------------------------------
static bool bulk_state(Bulk *b, BoxState *state) {
    const GrainStore *v = grains_view(b->grains);
    *state = (BoxState){.count = (int64_t)v->count, .step = b->step};
    state->values = memory_alloc(v->count * 9 * sizeof(double));
    const double *from[9] = {v->x, v->y, v->z, v->vx, v->vy, v->vz, v->wx, v->wy, v->wz};
    for (size_t i = 0; state->values && i < v->count; i++)
        for (int c = 0; c < 9; c++) state->values[9 * i + (size_t)c] = from[c][i];
    return state->values;
}

static Vec3 bulk_center(Bulk *b) {
    const GrainStore *v = grains_view(b->grains);
    Vec3 sum = vec3_zero();
    double mass = 0;
    for (size_t i = 0; i < v->count; i++) {
        double m = 1 / v->inverse_mass[i];
        sum = vec3_madd(sum, m, vec3(v->x[i], v->y[i], v->z[i]));
        mass += m;
    }
    return vec3_scale(1 / mass, sum);
}

// The skin with which LAMMPS is quickest on the beginning of the first stretch.
static void bulk_tune(Bulk *b, const BoxState *start) {
    static const double candidates[] = {0.05, 0.1, 0.2, 0.4}; // of a diameter
    double least = INFINITY;
    for (size_t c = 0; c < sizeof candidates / sizeof *candidates; c++) {
        PeerJob job = {.bulk = &b->kind, .start = start, .steps = 500, .skin = candidates[c] * BULK_DIAMETER};
        PeerResult result;
        if (peer_run(&peer_lammps_bulk, &job, &result) && result.cpu < least)
            least = result.cpu, b->skin = job.skin;
        else if (result.message[0]) bench_note(b->bench, "lammps failed: %s", result.message);
        peer_result_free(&result);
    }
}

static bool bulk_time_own(Bulk *b, Archive *archive, int64_t first, int64_t steps, int stretch,
                          MrcError *error) {
    archive_memory_load(archive);
    grains_archive(b->grains, archive);
    b->step = first;
    if (archive_status(archive, error) != MRC_OK) return false;
    double cpu = timer_cpu();
    if (bulk_advance(b, steps, error) != MRC_OK) return false;
    b->own[stretch] = fmin(b->own[stretch], timer_cpu() - cpu);
    return true;
}

static void bulk_time_peer(Bulk *b, const BoxState *start, int64_t steps, int stretch, Vec3 center) {
    PeerJob job = {.bulk = &b->kind, .start = start, .steps = steps, .skin = b->skin};
    PeerResult result;
    if (peer_run(&peer_lammps_bulk, &job, &result)) {
        size_t last = result.centers.count;
        b->other[stretch] = fmin(b->other[stretch], result.cpu);
        if (last >= 3)
            b->apart = fmax(b->apart, vec3_norm(vec3_sub(center, vec3(result.centers.data[last - 3],
                                                                      result.centers.data[last - 2],
                                                                      result.centers.data[last - 1]))) /
                                          BULK_DIAMETER);
    } else {
        bench_note(b->bench, "lammps failed: %s", result.message);
        b->skin = 0;
    }
    peer_result_free(&result);
}

static bool bulk_measure(Bulk *b, MrcError *error) {
    bool quick = b->bench->options.quick, good = true;
    int64_t steps = quick ? 500 : 2000;
    for (int k = 0; k < BULK_STRETCHES && good; k++) {
        int64_t first = (int64_t)((bulk_begin[b->kind.kind] + k * bulk_apart[b->kind.kind]) / BULK_STEP);
        BoxState state = {0};
        b->own[k] = b->other[k] = INFINITY;
        threads_set(1); // also before a stretch: how a bed is shared out lasts until its lists are made anew
        while (good && b->step < first) { // with an outlet below the silo, as users would have it
            int64_t part = first - b->step < 1000 ? first - b->step : 1000;
            good = bulk_advance(b, part, error) == MRC_OK &&
                   (b->kind.kind != BULK_SILO || bulk_drain(b, error) == MRC_OK);
        }
        b->work += good ? (double)steps * (double)grains_count(b->grains) : 0;
        Archive *archive = good ? archive_memory_create() : NULL;
        if (good && (!archive || !bulk_state(b, &state))) good = error_memory(error, "the states") == MRC_OK;
        if (good) archive_memory_save(archive), grains_archive(b->grains, archive);
        if (good && k == 0 && peer_installed(&peer_lammps_bulk)) bulk_tune(b, &state);
        for (int r = 0; r < (quick ? 1 : 3) && good; r++) {
            good = bulk_time_own(b, archive, first, steps, k, error);
            if (good && b->skin > 0) bulk_time_peer(b, &state, steps, k, bulk_center(b));
        }
        archive_destroy(archive);
        box_state_free(&state);
    }
    return good;
}

static bool bulk_case(Bench *bench, BulkCase kind, int64_t count) {
    Bulk *b = memory_alloc(sizeof *b);
    MrcError error;
    if (!b) return false;
    *b = (Bulk){.bench = bench, .kind = kind};
    bool good = bulk_create(b, count, &error) == MRC_OK && bulk_measure(b, &error);
    if (!good) bench_note(bench, "%s failed: %s", kind.name, error.text);
    double own = 0, other = 0;
    for (int k = 0; k < BULK_STRETCHES; k++) own += b->own[k], other += b->skin > 0 ? b->other[k] : NAN;
    double work = b->work;
    BenchRow row = {.n = count,
                    .threads = 1,
                    .value = work / own,
                    .unit = "particle-steps/s",
                    .peer = "lammps",
                    .peer_value = work / other,
                    .ratio = other / own};
    snprintf(row.name, sizeof row.name, "%s", kind.name);
    if (good) bench_add(bench, row);
    if (good && b->skin > 0)
        bench_note(bench,
                   "%s, N = %lld: LAMMPS with a skin of %.2f d; centres of mass at the ends of stretches "
                   "%.2g d apart",
                   kind.name, (long long)count, b->skin / BULK_DIAMETER, b->apart);
    grains_destroy(b->grains);
    memory_free(b);
    return good;
}

bool bench_bulk(Bench *bench) {
    static const int64_t counts[] = {2500, 10000, 25000};
    bool done = true;
    bench_note(bench, "Cases after doi:10.1016/j.cpc.2023.109066, smaller, linear law; one thread, CPU "
                      "seconds of the steps alone. "
                      "LAMMPS with the skin that suits it best.");
    if (!peer_installed(&peer_lammps_bulk)) bench_note(bench, "  lammps is not installed");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        if (!bench_wants(bench, counts[c]) ||
            (bench->options.quick && !bench->options.sizes && counts[c] != 2500))
            continue;
        double scale = cbrt((double)counts[c] / 10000);
        const BulkCase cases[] = {{BULK_SILO, "silo", scale, 0},
                                  {BULK_DRUM, "drum", scale, 3},
                                  {BULK_PENETRATION, "penetration", scale, 0}};
        for (int k = 0; k < BULK_COUNT; k++) done = bulk_case(bench, cases[k], counts[c]) && done;
    }
    return done;
}
