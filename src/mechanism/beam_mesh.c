// Nodes, elements and lumped masses of a beam.
//
// The line of the nodes is straight or an arc of a circle, with t from 0 to 1 along it and R the axes of the
// section, which follow the arc without twist:
//
//     straight   x(t) = from + t (to - from)                       R(t) = R(0)
//     arc        x(t) = centre + exp(t turn) (from - centre)       R(t) = exp(t turn) R(0)
//
// Nodes are equally spaced. Each node carries the mass of the beam between the cuts on its two sides
// (beam.c): the pieces of an element end at xi = -1, -1/sqrt(3), 1/sqrt(3), 1. Slices of a piece, each with
// the inertia of the section, are summed by Gauss's rule.
#include "mechanism/beam_mesh.h"

#include "math/so3.h"

typedef struct BeamLine {
    Vec3 from;   // start [m]
    Vec3 way;    // from the start to the end [m]
    bool curved; // an arc
    Vec3 centre; // of the arc [m]
    Vec3 turn;   // of the whole arc about its centre, rotation vector [rad]
    Mat3 R0;     // axes of the section at the start
} BeamLine;

static Mat3 beam_line_turn(const BeamLine *line, double t) {
    return line->curved ? so3_exp(vec3_scale(t, line->turn)) : mat3_identity();
}
static Vec3 beam_line_position(const BeamLine *line, double t) {
    if (!line->curved) return vec3_madd(line->from, t, line->way);
    return vec3_add(line->centre, mat3_apply(beam_line_turn(line, t), vec3_sub(line->from, line->centre)));
}
static Mat3 beam_line_axes(const BeamLine *line, double t) {
    return mat3_mul(beam_line_turn(line, t), line->R0);
}

// ---- from the definition -------------------------------------------------------------------------
// The circle through three points: with u, v from the first to the others and n = u x v, the centre is
// (|v|^2 n x u + |u|^2 v x n)/(2 n.n) from the first point. The arc runs counterclockwise about n.
static MrcStatus beam_mesh_find_arc(const BeamDefinition *d, BeamLine *line, Vec3 *tangent, MrcError *error) {
    Vec3 u = vec3_sub(d->middle, d->from), v = vec3_sub(d->to, d->from), n = vec3_cross(u, v);
    if (vec3_norm(n) <= 1e-9 * vec3_norm(u) * vec3_norm(v))
        return error_set(
            error, MRC_MODEL,
            "beam '%s': from, through and to lie on one line, so there is no arc through them; leave "
            "through out for a straight beam",
            d->name);
    Vec3 sum =
        vec3_add(vec3_scale(vec3_norm2(v), vec3_cross(n, u)), vec3_scale(vec3_norm2(u), vec3_cross(v, n)));
    Vec3 from_centre = vec3_scale(-0.5 / vec3_norm2(n), sum);
    Vec3 axis = vec3_normalize(n), to_end = vec3_add(from_centre, v);
    double angle = atan2(vec3_dot(axis, vec3_cross(from_centre, to_end)), vec3_dot(from_centre, to_end));
    if (angle <= 0) angle += 2 * M_PI;
    line->centre = vec3_sub(d->from, from_centre);
    line->turn = vec3_scale(angle, axis);
    *tangent = vec3_normalize(vec3_cross(axis, from_centre));
    return MRC_OK;
}

static MrcStatus beam_mesh_find_line(const BeamDefinition *d, BeamLine *line, MrcError *error) {
    *line = (BeamLine){.from = d->from, .way = vec3_sub(d->to, d->from), .curved = d->curved};
    Vec3 x = vec3_normalize(line->way), up = d->up;
    if (!(vec3_norm(line->way) > 0))
        return error_set(error, MRC_MODEL, "beam '%s': from and to are the same point", d->name);
    if (d->curved) {
        MrcStatus status = beam_mesh_find_arc(d, line, &x, error);
        if (status) return status;
    }
    if (vec3_norm2(up) == 0) up = hypot(x.x, x.z) > 1e-3 ? vec3(0, 1, 0) : vec3(1, 0, 0);
    Vec3 y = vec3_normalize(up);
    y = vec3_madd(y, -vec3_dot(x, y), x);
    if (!(vec3_norm(y) > 1e-6))
        return error_set(
            error, MRC_MODEL,
            "beam '%s': up points along the beam; it must point across, where the section's y axis "
            "is to be",
            d->name);
    y = vec3_normalize(y);
    line->R0 = mat3_columns(x, y, vec3_cross(x, y));
    return MRC_OK;
}

double beam_mesh_length(const BeamDefinition *definition) {
    BeamLine line;
    if (beam_mesh_find_line(definition, &line, NULL) != MRC_OK) return 0;
    return line.curved ? vec3_norm(line.turn) * vec3_norm(vec3_sub(line.from, line.centre))
                       : vec3_norm(line.way);
}

// ---- masses --------------------------------------------------------------------------------------
// The piece between t = a and t = b, from the node at `t` and in its axes.
static Inertia beam_mesh_piece(const BeamLine *line, const Section *section, double t, double a, double b) {
    // abscissae and weights of Gauss's rule with four points: exact for straight pieces
    static const double at[4] = {-0.861136311594052575, -0.339981043584856265, 0.339981043584856265,
                                 0.861136311594052575};
    static const double weight[4] = {0.347854845137453857, 0.652145154862546143, 0.652145154862546143,
                                     0.347854845137453857};
    Vec3 node = beam_line_position(line, t), inertia = section->inertia;
    Mat3 node_axes = beam_line_axes(line, t);
    Inertia sum = {0};
    for (int k = 0; k < 4; k++) {
        double s = 0.5 * (a + b) + 0.5 * (b - a) * at[k];
        Mat3 axes = beam_line_axes(line, s), Q = mat3_mul(mat3_transpose(node_axes), axes);
        Vec3 arm = mat3_apply(axes, section->offset), x = beam_line_position(line, s);
        Vec3 along =
            line->curved ? vec3_cross(line->turn, vec3_add(vec3_sub(x, line->centre), arm)) : line->way;
        double length = vec3_norm(along) * 0.5 * (b - a) * weight[k];
        Mat3 tensor = mat3_diagonal(length * inertia.x, length * inertia.y, length * inertia.z);
        Inertia slice = {.mass = length * section->mass,
                         .centre = mat3_apply_transpose(node_axes, vec3_sub(vec3_add(x, arm), node)),
                         .tensor = mat3_mul(Q, mat3_mul(tensor, mat3_transpose(Q)))};
        sum = inertia_add(sum, slice);
    }
    return sum;
}

static void beam_mesh_lump(const BeamLine *line, const Section *section, BeamMesh *mesh) {
    double half = 0.5 / mesh->element_count, cut = half / sqrt(3);
    for (int n = 0; n < mesh->node_count; n++) {
        double t = half * n, near = n & 1 ? cut : half - cut; // distance to the cuts
        Inertia before = {0}, after = {0};
        if (n > 0) before = beam_mesh_piece(line, section, t, t - near, t);
        if (n < mesh->node_count - 1) after = beam_mesh_piece(line, section, t, t, t + near);
        mesh->masses[n] = inertia_add(before, after);
    }
}

// ---- all of it -----------------------------------------------------------------------------------
MrcStatus beam_mesh_create(const BeamDefinition *definition, const Material *material, Arena *arena,
                           BeamMesh *mesh, MrcError *error) {
    BeamLine line;
    Section section;
    if (definition->elements < 1 || definition->elements > 1000000)
        return error_set(error, MRC_MODEL,
                         "beam '%s': it needs one element or more, and no more than a million",
                         definition->name);
    MrcStatus status = beam_mesh_find_line(definition, &line, error);
    if (!status) status = section_create(&definition->section, material, definition->name, &section, error);
    if (status) return status;

    int elements = (int)definition->elements, nodes = 2 * elements + 1;
    *mesh = (BeamMesh){
        .node_count = nodes,
        .element_count = elements,
        .nodes = arena_alloc(arena, (size_t)nodes * sizeof *mesh->nodes),
        .masses = arena_alloc(arena, (size_t)nodes * sizeof *mesh->masses),
        .elements = arena_alloc(arena, (size_t)elements * sizeof *mesh->elements),
    };
    if (!mesh->nodes || !mesh->masses || !mesh->elements) return error_memory(error, "a beam");
    for (int n = 0; n < nodes; n++) {
        double t = n / (nodes - 1.0);
        Vec3 x = beam_line_position(&line, t), w = definition->angular_velocity;
        mesh->nodes[n] =
            (NodeState){.x = x,
                        .R = beam_line_axes(&line, t),
                        .v = vec3_add(definition->velocity, vec3_cross(w, vec3_sub(x, definition->from))),
                        .w = w};
    }
    for (int e = 0; e < elements; e++) {
        const NodeState *node = &mesh->nodes[2 * e];
        Vec3 x[3] = {node[0].x, node[1].x, node[2].x};
        Mat3 R[3] = {node[0].R, node[1].R, node[2].R};
        mesh->elements[e] = beam_create(&section, definition->damping, x, R);
    }
    beam_mesh_lump(&line, &section, mesh);
    return MRC_OK;
}
