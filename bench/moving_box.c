#include "bench/moving_box.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "grains/engine.h"
#include "grains/law.h"
#include "grains/packing.h"

const BoxCase box_cases[4] = {
    {.count = 151, .diameter = 3.0e-3, .step = 1.2e-6},
    {.count = 1569, .diameter = 1.5e-3, .step = 0.7e-6},
    {.count = 12383, .diameter = 0.75e-3, .step = 0.3e-6},
    {.count = 41203, .diameter = 0.5e-3, .step = 0.2e-6},
};

Motion box_motion(const BoxCase *size, int64_t step) {
    Motion motion = motion_at_rest();
    double angle = BOX_OMEGA * (double)step * size->step;
    motion.position.z = BOX_AMPLITUDE * (1 - cos(angle));
    motion.velocity.z = BOX_AMPLITUDE * BOX_OMEGA * sin(angle);
    motion.acceleration.z = BOX_AMPLITUDE * BOX_OMEGA * BOX_OMEGA * cos(angle);
    return motion;
}

MrcStatus box_create(Box *box, const BoxCase *size, MrcError *error) {
    *box = (Box){.size = *size};
    if (!(size->radius > 0)) box->size.radius = 0.0125, box->size.height = 0.025;
    box->steel = (Material){.name = "steel",
                            .density = BOX_DENSITY,
                            .young = BOX_YOUNG,
                            .poisson = BOX_POISSON,
                            .friction = BOX_FRICTION,
                            .restitution = 1};
    box->wall = (WallDefinition){.name = "wall", .shape = wall_of_kind("cylinder")};
    wall_set_number(&box->wall.shape, "radius", box->size.radius);
    wall_set_number(&box->wall.shape, "height", box->size.height);
    box->definition = (GrainsDefinition){
        .name = "bed",
        .walls = &box->wall,
        .wall_count = 1,
        .particles = {.radius = size->diameter / 2, .count = size->count, .material = "steel"},
        .packing = {.kind = PACKING_FCC},
        .contact = {.normal = NORMAL_HERTZ, .tangential = TANGENTIAL_MINDLIN, .max_overlap = 0.5},
    };
    Motion start = box_motion(size, 0);
    GrainsSetting setting = {.materials = &box->steel,
                             .material_count = 1,
                             .gravity = {0, 0, -BOX_GRAVITY},
                             .step = size->step,
                             .port = &start,
                             .walls = &start};
    return grains_create(&box->definition, &setting, &box->grains, error);
}

void box_destroy(Box *box) {
    grains_destroy(box->grains);
    box->grains = NULL;
}

MrcStatus box_advance(Box *box, int64_t steps, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int64_t s = 0; s < steps && status == MRC_OK; s++) {
        Motion motion = box_motion(&box->size, box->step++);
        Load load;
        status = grains_advance(box->grains, &motion, &load, error);
    }
    return status;
}

bool box_state_get(Box *box, BoxState *state) {
    const GrainStore *view = grains_view(box->grains);
    *state = (BoxState){.count = (int64_t)view->count, .step = box->step};
    state->values = memory_alloc(view->count * 9 * sizeof(double));
    if (!state->values) return false;
    const double *from[9] = {view->x,  view->y,  view->z,  view->vx, view->vy,
                             view->vz, view->wx, view->wy, view->wz};
    for (size_t i = 0; i < view->count; i++)
        for (int c = 0; c < 9; c++) state->values[9 * i + (size_t)c] = from[c][i];
    return true;
}

// These two reach into the engine.
void box_stir(Box *box, double speed) {
    Grains *g = box->grains;
    Random random = {1};
    for (size_t i = 0; i < g->store.count; i++)
        for (size_t c = 0; c < 3; c++)
            g->motion[i * GRAIN_LINE + GRAIN_VELOCITY + c] = speed * (2 * random_uniform(&random) - 1);
    g->view_step = -1;
}

void box_state_set(Box *box, const BoxState *state) {
    Grains *g = box->grains;
    for (size_t i = 0; i < g->store.count; i++) {
        const double *values = state->values + 9 * (size_t)g->store.id[i];
        memcpy(g->position + i * QUAD, values, 3 * sizeof(double));
        memcpy(g->motion + i * GRAIN_LINE + GRAIN_VELOCITY, values + 3, 3 * sizeof(double));
        for (int c = 0; c < 3; c++)
            g->motion[i * GRAIN_LINE + GRAIN_RIM + (size_t)c] = g->store.radius[i] * values[6 + c];
    }
    g->view_step = -1;
    box->step = state->step;
}

void box_state_free(BoxState *state) {
    memory_free(state->values);
    state->values = NULL;
}
