#include "partner/mechanism_figure.h"

#include "math/so3.h"

// ---- sticks --------------------------------------------------------------------------------------
static Vec3 figure_on_node(const Mechanism *mechanism, int node, Vec3 world) {
    if (node < 0) return world;
    const NodeState *state = mechanism_node(mechanism, node);
    return mat3_apply_transpose(state->R, vec3_sub(world, state->x));
}

static void figure_add_stick(MechanismPartner *p, int first, Vec3 first_offset, int second,
                             Vec3 second_offset) {
    p->sticks[p->stick_count++] = (MechanismStick){{first, second}, {first_offset, second_offset}};
}

// From the origin of each of a joint's nodes to the joint; between the ends of springs.
MrcStatus mechanism_figure_sticks(MechanismPartner *p, Arena *arena, MrcError *error) {
    const MechanismDefinition *d = p->definition;
    p->sticks = arena_alloc(arena, (size_t)(2 * d->joint_count + d->spring_count) * sizeof *p->sticks + 1);
    p->joint_places = arena_alloc(arena, (size_t)d->joint_count * sizeof *p->joint_places + 1);
    if (!p->sticks || !p->joint_places) return error_memory(error, "the mechanism");
    for (int j = 0; j < d->joint_count; j++) {
        const JointDefinition *joint = &d->joints[j];
        int nodes[2];
        for (int k = 0; k < 2; k++)
            nodes[k] = joint->nodes[k] ? mechanism_find_node(p->mechanism, joint->nodes[k]) : -1;
        int held = joint->nodes[1] ? nodes[1] : nodes[0];
        Vec3 at = joint->has_at ? joint->at : held < 0 ? vec3_zero() : mechanism_node(p->mechanism, held)->x;
        p->joint_places[j] = (MechanismPlace){held, figure_on_node(p->mechanism, held, at)};
        for (int k = 0; k < 2; k++) {
            if (nodes[k] < 0) continue;
            Vec3 offset = joint->has_offsets ? joint->offsets[k] : figure_on_node(p->mechanism, nodes[k], at);
            if (vec3_norm(offset) > 0) figure_add_stick(p, nodes[k], vec3_zero(), nodes[k], offset);
            if (nodes[k] == held) p->joint_places[j].offset = offset;
        }
    }
    for (int s = 0; s < d->spring_count; s++) {
        const SpringDefinition *spring = &d->springs[s];
        int first = mechanism_find_node(p->mechanism, spring->nodes[0]);
        int second = spring->nodes[1] ? mechanism_find_node(p->mechanism, spring->nodes[1]) : -1;
        figure_add_stick(p, first, spring->offsets[0], second, spring->offsets[1]);
    }
    return MRC_OK;
}

// ---- drawing -------------------------------------------------------------------------------------
// The vectors that go with each point of the figure.
enum { FIGURE_VECTORS = 6 };

// A node where it is drawn, with its vectors.
typedef struct FigureNode {
    Vec3 x;
    Mat3 R;
    Vec3 vectors[FIGURE_VECTORS];
} FigureNode;

typedef struct Figure {
    Vec3 *points;
    Vec3 *vectors[FIGURE_VECTORS];
    int *corners, *ends, *marks;
    int point_count, corner_count, end_count, mark_count;
} Figure;

static const FigureNode ground = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static bool figure_allocate(Figure *f, const MechanismPartner *p, Arena *arena) {
    const MechanismDefinition *d = p->definition;
    size_t nodes = (size_t)mechanism_node_count(p->mechanism), sticks = 2 * p->stick_count;
    size_t points = nodes + (size_t)d->body_count + sticks, corners = sticks;
    for (int b = 0; b < d->beam_count; b++) corners += 2 * (size_t)d->beams[b].elements + 1;
    f->points = arena_alloc(arena, points * sizeof *f->points + 1);
    f->corners = arena_alloc(arena, corners * sizeof *f->corners + 1);
    f->ends = arena_alloc(arena, ((size_t)d->beam_count + p->stick_count) * sizeof *f->ends + 1);
    f->marks = arena_alloc(arena, (size_t)d->body_count * sizeof *f->marks + 1);
    bool fine = f->points && f->corners && f->ends && f->marks;
    for (int k = 0; k < FIGURE_VECTORS; k++)
        fine = (f->vectors[k] = arena_alloc(arena, points * sizeof(Vec3) + 1)) && fine;
    return fine;
}

static int figure_add_point(Figure *f, const FigureNode *node, Vec3 offset) {
    f->points[f->point_count] = vec3_add(node->x, mat3_apply(node->R, offset));
    for (int k = 0; k < FIGURE_VECTORS; k++) f->vectors[k][f->point_count] = node->vectors[k];
    return f->point_count++;
}

static void figure_draw(Figure *f, const MechanismPartner *p, const FigureNode *nodes) {
    const MechanismDefinition *d = p->definition;
    const int *named = p->named + d->node_count; // bodies, then of each beam start, end, 0, 1, ...
    int count = mechanism_node_count(p->mechanism);
    for (int n = 0; n < count; n++) figure_add_point(f, &nodes[n], vec3_zero()); // point n is node n
    for (int b = 0; b < d->body_count; b++)
        f->marks[f->mark_count++] = figure_add_point(f, &nodes[*named++], d->bodies[b].center);
    for (int b = 0; b < d->beam_count; b++) {
        named += 2;
        for (int64_t k = 0; k <= 2 * d->beams[b].elements; k++) f->corners[f->corner_count++] = *named++;
        f->ends[f->end_count++] = f->corner_count;
    }
    for (size_t s = 0; s < p->stick_count; s++) {
        const MechanismStick *stick = &p->sticks[s];
        for (int k = 0; k < 2; k++) {
            const FigureNode *node = stick->nodes[k] < 0 ? &ground : &nodes[stick->nodes[k]];
            f->corners[f->corner_count++] = figure_add_point(f, node, stick->offsets[k]);
        }
        f->ends[f->end_count++] = f->corner_count;
    }
}

static MrcStatus figure_add(const Figure *f, const char *const *names, int count, FrameList *list,
                            MrcError *error) {
    FramePart part = {.name = "mechanism",
                      .shape = FRAME_LINES,
                      .count = (size_t)f->point_count,
                      .places = f->points,
                      .corners = f->corners,
                      .corner_count = (size_t)f->corner_count,
                      .ends = f->ends,
                      .end_count = (size_t)f->end_count,
                      .marks = f->marks,
                      .mark_count = (size_t)f->mark_count,
                      .value_count = count};
    for (int k = 0; k < count; k++) part.values[k] = (FrameValues){names[k], 3, .vectors = f->vectors[k]};
    return frame_list_add(list, part) ? MRC_OK : error_memory(error, "a frame");
}

MrcStatus mechanism_figure_frames(void *self, FrameView view, FrameList *list, MrcError *error) {
    static const char *const names[] = {"velocity", "angular_velocity", "acceleration",
                                        "axis_x",   "axis_y",           "axis_z"};
    const MechanismPartner *p = self;
    int count = mechanism_node_count(p->mechanism);
    if (view != FRAME_WORLD) return MRC_OK;
    if (list->names_only)
        return frame_list_add(list, (FramePart){.name = "mechanism"}) ? MRC_OK
                                                                      : error_memory(error, "a frame");
    Figure figure = {0};
    FigureNode *nodes = arena_alloc(list->arena, (size_t)(count + 1) * sizeof *nodes);
    if (!nodes || !figure_allocate(&figure, p, list->arena)) return error_memory(error, "a frame");
    for (int n = 0; n < count; n++) {
        const NodeState *s = mechanism_node(p->mechanism, n);
        nodes[n] = (FigureNode){
            s->x, s->R, {s->v, s->w, s->a, mat3_column(s->R, 0), mat3_column(s->R, 1), mat3_column(s->R, 2)}};
    }
    figure_draw(&figure, p, nodes);
    return figure_add(&figure, names, FIGURE_VECTORS, list, error);
}

MrcStatus mechanism_partner_shape(const MechanismPartner *p, const Vec3 *shift, const Vec3 *turn,
                                  FrameList *list, MrcError *error) {
    static const char *const names[] = {"displacement", "rotation"};
    int count = mechanism_node_count(p->mechanism);
    Figure rest = {0}, figure = {0};
    FigureNode *nodes = arena_alloc(list->arena, (size_t)(count + 1) * sizeof *nodes);
    if (!nodes || !figure_allocate(&rest, p, list->arena) || !figure_allocate(&figure, p, list->arena))
        return error_memory(error, "a frame");
    for (int n = 0; n < count; n++) {
        const NodeState *s = mechanism_node(p->mechanism, n);
        nodes[n] = (FigureNode){s->x, s->R, {vec3_zero(), turn[n]}};
    }
    figure_draw(&rest, p, nodes);
    for (int n = 0; n < count; n++) {
        nodes[n].x = vec3_add(nodes[n].x, shift[n]);
        nodes[n].R = mat3_mul(so3_exp(turn[n]), nodes[n].R);
    }
    figure_draw(&figure, p, nodes);
    for (int k = 0; k < figure.point_count; k++)
        figure.vectors[0][k] = vec3_sub(figure.points[k], rest.points[k]);
    return figure_add(&figure, names, 2, list, error);
}
