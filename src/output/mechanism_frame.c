#include "output/mechanism_frame.h"

#include "math/so3.h"

// The vectors that go with each point of the figure.
enum { FRAME_ARRAYS_MAX = 6 };
typedef ARRAY(Vec3) Vectors;

typedef struct Figure {
    VtkLines lines;
    Vectors arrays[FRAME_ARRAYS_MAX];
    bool failed;
} Figure;

// A node where it is drawn, with its vectors.
typedef struct Drawn {
    Vec3 x;
    Mat3 R;
    Vec3 vectors[FRAME_ARRAYS_MAX];
} Drawn;

static int add_point(Figure *figure, const Drawn *node, Vec3 offset) {
    bool good = array_push(&figure->lines.points, vec3_add(node->x, mat3_apply(node->R, offset)));
    for (int k = 0; k < FRAME_ARRAYS_MAX; k++)
        good = good && array_push(&figure->arrays[k], node->vectors[k]);
    figure->failed = figure->failed || !good;
    return (int)figure->lines.points.count - 1;
}

static void add_corner(Figure *figure, int point) {
    if (!array_push(&figure->lines.corners, point)) figure->failed = true;
}
static void end_line(Figure *figure) {
    if (!array_push(&figure->lines.ends, (int)figure->lines.corners.count)) figure->failed = true;
}
static void add_mark(Figure *figure, int point) {
    if (!array_push(&figure->lines.marks, point)) figure->failed = true;
}

static const Drawn ground = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static void draw(Figure *figure, const MechanismPart *part, const Drawn *nodes) {
    const MechanismDefinition *d = part->definition;
    const int *named = part->named + d->node_count; // bodies, then of each beam start, end, 0, 1, ...
    int count = mechanism_node_count(part->mechanism);
    for (int n = 0; n < count; n++) add_point(figure, &nodes[n], vec3_zero()); // point n is node n
    for (int b = 0; b < d->body_count; b++)
        add_mark(figure, add_point(figure, &nodes[*named++], d->bodies[b].center));
    for (int b = 0; b < d->beam_count; b++) {
        named += 2;
        for (int64_t k = 0; k <= 2 * d->beams[b].elements; k++) add_corner(figure, *named++);
        end_line(figure);
    }
    for (size_t s = 0; s < part->stick_count; s++) {
        const Stick *stick = &part->sticks[s];
        for (int k = 0; k < 2; k++) {
            const Drawn *node = stick->nodes[k] < 0 ? &ground : &nodes[stick->nodes[k]];
            add_corner(figure, add_point(figure, node, stick->offsets[k]));
        }
        end_line(figure);
    }
}

static void release(Figure *figure) {
    vtk_lines_free(&figure->lines);
    for (int k = 0; k < FRAME_ARRAYS_MAX; k++) array_free(&figure->arrays[k]);
}

static MrcStatus finish(Figure *figure, const char *path, double time, const char *const *names, int count,
                        MrcError *error) {
    VtkArray arrays[FRAME_ARRAYS_MAX];
    for (int k = 0; k < count; k++) arrays[k] = vtk_vec3s(names[k], figure->arrays[k].data);
    MrcStatus status = figure->failed ? error_memory(error, "a frame")
                                      : vtk_write_lines(path, time, &figure->lines, arrays, count, error);
    release(figure);
    return status;
}

MrcStatus mechanism_frame_write(const char *path, double time, const MechanismPart *part, MrcError *error) {
    static const char *const names[] = {"velocity", "angular_velocity", "acceleration",
                                        "axis_x",   "axis_y",           "axis_z"};
    int count = mechanism_node_count(part->mechanism);
    Drawn *nodes = memory_alloc((size_t)(count + 1) * sizeof *nodes);
    if (!nodes) return error_memory(error, "a frame");
    for (int n = 0; n < count; n++) {
        const NodeState *s = mechanism_node(part->mechanism, n);
        nodes[n] = (Drawn){
            s->x, s->R, {s->v, s->w, s->a, mat3_column(s->R, 0), mat3_column(s->R, 1), mat3_column(s->R, 2)}};
    }
    Figure figure = {0};
    draw(&figure, part, nodes);
    memory_free(nodes);
    return finish(&figure, path, time, names, 6, error);
}

MrcStatus mechanism_frame_write_shape(const char *path, double time, const MechanismPart *part,
                                      const Vec3 *shift, const Vec3 *turn, MrcError *error) {
    static const char *const names[] = {"displacement", "rotation"};
    int count = mechanism_node_count(part->mechanism);
    Drawn *nodes = memory_alloc((size_t)(count + 1) * sizeof *nodes);
    if (!nodes) return error_memory(error, "a frame");
    Figure rest = {0}, figure = {0};
    for (int n = 0; n < count; n++) {
        const NodeState *s = mechanism_node(part->mechanism, n);
        nodes[n] = (Drawn){s->x, s->R, {vec3_zero(), turn[n]}};
    }
    draw(&rest, part, nodes);
    for (int n = 0; n < count; n++) {
        nodes[n].x = vec3_add(nodes[n].x, shift[n]);
        nodes[n].R = mat3_mul(so3_exp(turn[n]), nodes[n].R);
    }
    draw(&figure, part, nodes);
    memory_free(nodes);
    figure.failed = figure.failed || rest.failed;
    for (size_t p = 0; p < figure.lines.points.count && !figure.failed; p++)
        figure.arrays[0].data[p] = vec3_sub(figure.lines.points.data[p], rest.lines.points.data[p]);
    release(&rest);
    return finish(&figure, path, time, names, 2, error);
}
