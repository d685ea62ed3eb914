// Bodies that pass each other within a step.
//
// Contacts are found where the bodies are, and hold for the step. Two bodies that are apart along n, by s(n), and come nearer
// by more than that along n are stopped, even if one of them passes over the other: a brick that slides over the joint of
// two flat stones was stopped by the side of the second one, and one that flew past a block by its edge. Let the one move by w
// against the other. Separations along a fixed axis then change by n . w, and the bodies do not meet along n if
//
//     m(n) = min(s(n), s(n) + n . w) >= 0
//
// but for overlaps of bodies that rest on each other. Such an axis is that of the bodies at the end of the step. (So obstacles that
// are lower than these overlaps stop nothing.) Where bodies do meet, the axis of the start is kept: it holds for all of
// their points, and stones that collide at half a radius a step and turn did overlap by the other one. Turning within the
// step is left out.
#include <math.h>

#include "geometry/polyhedron.h"

static const double passing_overlap = 1e-3; // of the smaller body: no more than bodies at rest may have

static void passing_move(const PolyhedronView *view, Vec3 way, PolyhedronView *moved) {
    moved->hull = view->hull, moved->scale = view->scale, moved->axes = view->axes;
    moved->center = vec3_add(view->center, way);
    moved->count = view->count;
    for (int i = 0; i < view->count || i % WIDE_LANES != 0; i++) {
        moved->x[i] = view->x[i] + way.x;
        moved->y[i] = view->y[i] + way.y;
        moved->z[i] = view->z[i] + way.z;
    }
}

void polyhedron_pass(const PolyhedronView *a, const PolyhedronView *b, Vec3 way, PolyhedronAxis *axis) {
    double least = axis->separation + vec3_dot(axis->normal, way);
    if (!(axis->separation > 0 && least < 0)) return;
    PolyhedronView moved; // setting all of it to zero would take longer than the rest
    PolyhedronAxis end;
    passing_move(a, way, &moved);
    if (polyhedron_distance(&moved, b, axis->normal, INFINITY, &end) == POLYHEDRON_OVERLAP)
        polyhedron_overlap(&moved, b, &end);
    double start = end.separation - vec3_dot(end.normal, way);
    double kept = fmin(start, end.separation);
    if (!(kept > least && kept >= -passing_overlap * fmin(a->scale, b->scale))) return;
    end.separation = start;
    end.on_a = vec3_sub(end.on_a, way);
    *axis = end;
}
