// Moments of a union, by slices. A plane z = const cuts spheres into discs and polyhedra into convex polygons. In the slice,
// a line y = const cuts each of them in one interval of x, and the union of intervals is known. Between two neighbouring y at
// which a border begins, ends or crosses another one, the ends of the union lie on the same borders. Each border x(y) adds
//
//     A = int x dy,   Sx = int x^2/2 dy,   Sy = int x y dy,   Sxx = int x^3/3 dy,   Sxy = int x^2 y/2 dy,   Syy = int x y^2 dy
//
// on the right end of an interval, and takes it away on the left end (Green's theorem). The integrals of straight borders are
// exact by two points of Gauss. A border on a circle of radius r about (a, b) is x = a +- r cos t, y = b + r sin t, and its
// integrals over t, a quarter turn at most, are good to rounding by the 15 points of Kronrod's rule. Which border counts is
// never decided by comparing numbers that may be equal: borders that coincide give the same integral, whichever is taken.
//
// Over z the integrand is smooth between the heights of corners, of the tops of spheres and of the circles in which two
// surfaces meet. Of polyhedra it is a polynomial of degree 4 there, for which the rule of Gauss with 7 points is exact. Else
// intervals are halved until Gauss and Kronrod agree (Kronrod 1965; Piessens et al. 1983, doi:10.1007/978-3-642-61786-7).
#include "geometry/union_moments.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { union_halvings = 30, rule_nodes = 8 };
static const double union_tolerance = 1e-13; // of the volume of a cube around all parts

// Kronrod's rule with 15 points on [-1, 1]; every second one is a point of Gauss.
static const double rule_places[rule_nodes] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691258050, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0};
static const double rule_weights[rule_nodes] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double rule_gauss[rule_nodes] = {
    0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
    0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};

// The border of a part in the slice: all of a circle, or one side of a polygon.
typedef struct SliceBorder {
    bool round;
    double x, y, r;        // circle: centre and radius
    double x0, y0, x1, y1; // side: its ends, y0 < y1
} SliceBorder;

typedef struct SlicePart { // its borders in the list
    size_t first, count;
} SlicePart;

typedef struct SliceInterval { // of x, at one y
    double left, right;
    const SliceBorder *on_left, *on_right;
    bool left_is_far, right_is_far; // on a circle: x = a + r cos t, else a - r cos t
} SliceInterval;

typedef struct Slicer {
    const UnionPart *parts;
    int count;
    ARRAY(SliceBorder) borders;
    ARRAY(SlicePart) regions;
    ARRAY(double) levels; // of y
    ARRAY(double) heights;
    ARRAY(SliceInterval) intervals;
    bool failed; // out of memory
} Slicer;

enum { slice_terms = 6, union_terms = 10 };

static int union_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---- one part ------------------------------------------------------------------------------------
UnionMoments union_moments_of_part(const UnionPart *part) {
    double r = part->radius,
           volume = part->hull ? part->hull->volume * r * r * r : 4.0 / 3.0 * M_PI * r * r * r;
    Mat3 own = part->hull ? mat3_scale(r * r, part->hull->second_moment)
                          : mat3_diagonal(r * r / 5, r * r / 5, r * r / 5);
    return (UnionMoments){volume, vec3_scale(volume, part->center),
                          mat3_scale(volume, mat3_add(own, mat3_outer(part->center, part->center)))};
}

// ---- a slice -------------------------------------------------------------------------------------
static Vec3 union_vertex(const UnionPart *part, int v) {
    return vec3_madd(part->center, part->radius, part->hull->vertices[v]);
}

static void slice_add_disc(Slicer *s, const UnionPart *part, double z) {
    double up = z - part->center.z, square = part->radius * part->radius - up * up;
    if (!(square > 0)) return;
    SliceBorder circle = {.round = true, .x = part->center.x, .y = part->center.y, .r = sqrt(square)};
    SlicePart region = {s->borders.count, 1};
    if (!array_push(&s->borders, circle) || !array_push(&s->regions, region)) s->failed = true;
}

// Each face that the plane cuts gives one side.
static void slice_add_polygon(Slicer *s, const UnionPart *part, double z) {
    const Hull *hull = part->hull;
    SlicePart region = {s->borders.count, 0};
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        double x[2], y[2];
        int ends = 0;
        for (int k = 0; k < face->count && ends < 2; k++) {
            Vec3 a = union_vertex(part, hull->corners[face->first + k]),
                 b = union_vertex(part, hull->corners[face->first + (k + 1) % face->count]);
            if ((a.z < z) == (b.z < z)) continue;
            double t = (z - a.z) / (b.z - a.z);
            x[ends] = a.x + t * (b.x - a.x), y[ends] = a.y + t * (b.y - a.y);
            ends++;
        }
        if (ends < 2 || y[0] == y[1]) continue;
        int low = y[0] < y[1] ? 0 : 1;
        SliceBorder side = {.x0 = x[low], .y0 = y[low], .x1 = x[1 - low], .y1 = y[1 - low]};
        if (!array_push(&s->borders, side)) s->failed = true;
    }
    region.count = s->borders.count - region.first;
    if (region.count > 0 && !array_push(&s->regions, region)) s->failed = true;
}

static void slice_add_level(Slicer *s, double y) {
    if (!array_push(&s->levels, y)) s->failed = true;
}

static void slice_cross_circles(Slicer *s, const SliceBorder *a, const SliceBorder *b) {
    double dx = b->x - a->x, dy = b->y - a->y, d2 = dx * dx + dy * dy;
    if (!(d2 > 0)) return;
    double along = 0.5 * (1 + (a->r - b->r) * (a->r + b->r) / d2), rest = a->r * a->r / d2 - along * along;
    if (!(rest > 0)) return;
    double height = sqrt(rest);
    slice_add_level(s, a->y + along * dy + height * dx);
    slice_add_level(s, a->y + along * dy - height * dx);
}

static void slice_cross_circle_and_side(Slicer *s, const SliceBorder *circle, const SliceBorder *side) {
    double ux = side->x1 - side->x0, uy = side->y1 - side->y0, wx = side->x0 - circle->x,
           wy = side->y0 - circle->y;
    double a = ux * ux + uy * uy, b = ux * wx + uy * wy, c = wx * wx + wy * wy - circle->r * circle->r;
    double rest = b * b - a * c;
    if (!(rest > 0) || !(a > 0)) return;
    for (int k = -1; k < 2; k += 2) {
        double t = (-b + k * sqrt(rest)) / a;
        if (t > 0 && t < 1) slice_add_level(s, side->y0 + t * uy);
    }
}

static void slice_cross_sides(Slicer *s, const SliceBorder *a, const SliceBorder *b) {
    double ux = a->x1 - a->x0, uy = a->y1 - a->y0, vx = b->x1 - b->x0, vy = b->y1 - b->y0;
    double cross = ux * vy - uy * vx, wx = b->x0 - a->x0, wy = b->y0 - a->y0;
    if (cross == 0) return;
    double t = (wx * vy - wy * vx) / cross;
    if (t > 0 && t < 1) slice_add_level(s, a->y0 + t * uy);
}

static void slice_find_levels(Slicer *s) {
    s->levels.count = 0;
    for (size_t k = 0; k < s->borders.count; k++) {
        const SliceBorder *b = &s->borders.data[k];
        slice_add_level(s, b->round ? b->y - b->r : b->y0);
        slice_add_level(s, b->round ? b->y + b->r : b->y1);
        if (b->round) slice_add_level(s, b->y); // quarters of circles
    }
    for (size_t p = 0; p < s->regions.count; p++)
        for (size_t q = 0; q < p; q++)
            for (size_t i = 0; i < s->regions.data[p].count; i++)
                for (size_t j = 0; j < s->regions.data[q].count; j++) {
                    const SliceBorder *a = &s->borders.data[s->regions.data[p].first + i],
                                      *b = &s->borders.data[s->regions.data[q].first + j];
                    if (a->round && b->round) slice_cross_circles(s, a, b);
                    else if (a->round) slice_cross_circle_and_side(s, a, b);
                    else if (b->round) slice_cross_circle_and_side(s, b, a);
                    else slice_cross_sides(s, a, b);
                }
    if (s->levels.count > 0) qsort(s->levels.data, s->levels.count, sizeof *s->levels.data, union_compare);
}

// ---- a strip of it -------------------------------------------------------------------------------
static void border_add_point(double x, double y, double weight, double sums[slice_terms]) {
    sums[0] += weight * x;
    sums[1] += weight * x * x / 2;
    sums[2] += weight * x * y;
    sums[3] += weight * x * x * x / 3;
    sums[4] += weight * x * x * y / 2;
    sums[5] += weight * x * y * y;
}

static void border_add(const SliceBorder *b, bool far, double y0, double y1, double sign,
                       double sums[slice_terms]) {
    if (!b->round) {
        double middle = 0.5 * (y0 + y1), half = 0.5 * (y1 - y0), slope = (b->x1 - b->x0) / (b->y1 - b->y0);
        for (int k = -1; k < 2; k += 2) {
            double y = middle + k * half * 0.57735026918962576451;
            border_add_point(b->x0 + slope * (y - b->y0), y, sign * half, sums);
        }
        return;
    }
    double t0 = asin(fmax(-1, fmin(1, (y0 - b->y) / b->r))), t1 = asin(fmax(-1, fmin(1, (y1 - b->y) / b->r)));
    double middle = 0.5 * (t0 + t1), half = 0.5 * (t1 - t0), side = far ? 1 : -1;
    for (int n = 0; n < 2 * rule_nodes - 1; n++) {
        int node = n < rule_nodes ? n : 2 * rule_nodes - 2 - n;
        double t = middle + (n < rule_nodes ? -half : half) * rule_places[node];
        double c = cos(t), weight = sign * half * rule_weights[node] * b->r * c;
        border_add_point(b->x + side * b->r * c, b->y + b->r * sin(t), weight, sums);
    }
}

// The interval of a part at the height y of the slice; false: it has none.
static bool slice_interval(const Slicer *s, const SlicePart *region, double y, SliceInterval *found) {
    *found = (SliceInterval){.left = INFINITY, .right = -INFINITY};
    for (size_t k = 0; k < region->count; k++) {
        const SliceBorder *b = &s->borders.data[region->first + k];
        if (b->round) {
            double square = b->r * b->r - (y - b->y) * (y - b->y);
            if (!(square > 0)) return false;
            *found = (SliceInterval){b->x - sqrt(square), b->x + sqrt(square), b, b, false, true};
            return true;
        }
        if (!(y > b->y0 && y < b->y1)) continue;
        double x = b->x0 + (y - b->y0) / (b->y1 - b->y0) * (b->x1 - b->x0);
        if (x < found->left) found->left = x, found->on_left = b;
        if (x > found->right) found->right = x, found->on_right = b;
    }
    return found->right > found->left;
}

static int slice_compare(const void *a, const void *b) {
    const SliceInterval *x = a, *y = b;
    return (x->left > y->left) - (x->left < y->left);
}

static void slice_add_strip(Slicer *s, double y0, double y1, double sums[slice_terms]) {
    double middle = 0.5 * (y0 + y1);
    s->intervals.count = 0;
    for (size_t p = 0; p < s->regions.count; p++) {
        SliceInterval found;
        if (slice_interval(s, &s->regions.data[p], middle, &found) && !array_push(&s->intervals, found))
            s->failed = true;
    }
    size_t count = s->intervals.count;
    SliceInterval *list = s->intervals.data;
    if (count > 1) qsort(list, count, sizeof *list, slice_compare);
    for (size_t k = 0; k < count;) {
        const SliceInterval *first = &list[k], *last = first;
        for (k++; k < count && list[k].left <= last->right; k++)
            if (list[k].right > last->right) last = &list[k];
        border_add(first->on_left, first->left_is_far, y0, y1, -1, sums);
        border_add(last->on_right, last->right_is_far, y0, y1, 1, sums);
    }
}

// Integrals over the slice, and over all z: volume, first moments, second moments.
static void slice_moments(Slicer *s, double z, double terms[union_terms]) {
    double sums[slice_terms] = {0};
    s->borders.count = s->regions.count = 0;
    for (int p = 0; p < s->count; p++) {
        if (s->parts[p].hull) slice_add_polygon(s, &s->parts[p], z);
        else slice_add_disc(s, &s->parts[p], z);
    }
    slice_find_levels(s);
    for (size_t k = 1; k < s->levels.count; k++)
        if (s->levels.data[k] > s->levels.data[k - 1])
            slice_add_strip(s, s->levels.data[k - 1], s->levels.data[k], sums);
    double a = sums[0], sx = sums[1], sy = sums[2];
    const double all[union_terms] = {a, sx, sy, z * a, sums[3], sums[5], z * z * a, sums[4], z * sx, z * sy};
    memcpy(terms, all, sizeof all);
}

// ---- heights -------------------------------------------------------------------------------------
static void union_add_height(Slicer *s, double z) {
    if (isfinite(z) && !array_push(&s->heights, z)) s->failed = true;
}

// The lowest and the highest point of a circle.
static void union_add_circle(Slicer *s, Vec3 center, double square, Vec3 normal) {
    if (!(square > 0)) return;
    double reach = sqrt(square * fmax(0, 1 - normal.z * normal.z));
    union_add_height(s, center.z - reach);
    union_add_height(s, center.z + reach);
}

static void union_meet_spheres(Slicer *s, const UnionPart *a, const UnionPart *b) {
    Vec3 way = vec3_sub(b->center, a->center);
    double d = vec3_norm(way);
    if (!(d > 0) || !(d < a->radius + b->radius)) return;
    Vec3 normal = vec3_scale(1 / d, way);
    double along = 0.5 * (d + (a->radius - b->radius) * (a->radius + b->radius) / d);
    union_add_circle(s, vec3_madd(a->center, along, normal), a->radius * a->radius - along * along, normal);
}

static void union_meet_sphere_and_hull(Slicer *s, const UnionPart *sphere, const UnionPart *body) {
    const Hull *hull = body->hull;
    for (int f = 0; f < hull->face_count; f++) {
        Vec3 n = hull->faces[f].normal;
        double away =
            vec3_dot(n, vec3_sub(sphere->center, body->center)) - body->radius * hull->faces[f].offset;
        union_add_circle(s, vec3_madd(sphere->center, -away, n),
                         sphere->radius * sphere->radius - away * away, n);
    }
    for (int e = 0; e < hull->edge_count; e++) {
        Vec3 p = union_vertex(body, hull->edges[e].vertex[0]),
             u = vec3_sub(union_vertex(body, hull->edges[e].vertex[1]), p), w = vec3_sub(p, sphere->center);
        double a = vec3_norm2(u), b = vec3_dot(u, w), c = vec3_norm2(w) - sphere->radius * sphere->radius;
        if (!(b * b - a * c > 0)) continue;
        for (int k = -1; k < 2; k += 2) {
            double t = (-b + k * sqrt(b * b - a * c)) / a;
            if (t > 0 && t < 1) union_add_height(s, p.z + t * u.z);
        }
    }
}

// Where edges of a pass through faces of b.
static void union_meet_hulls(Slicer *s, const UnionPart *a, const UnionPart *b) {
    for (int e = 0; e < a->hull->edge_count; e++) {
        Vec3 p = union_vertex(a, a->hull->edges[e].vertex[0]),
             u = vec3_sub(union_vertex(a, a->hull->edges[e].vertex[1]), p);
        double from = 0, to = 1; // the part of the edge inside b
        for (int f = 0; f < b->hull->face_count; f++) {
            const HullFace *face = &b->hull->faces[f];
            double height = vec3_dot(face->normal, vec3_sub(p, b->center)) - b->radius * face->offset,
                   slope = vec3_dot(face->normal, u);
            if (slope < 0) from = fmax(from, -height / slope);
            else if (slope > 0) to = fmin(to, -height / slope);
            else if (height > 0) to = -1;
        }
        if (!(to > from)) continue;
        union_add_height(s, p.z + from * u.z);
        union_add_height(s, p.z + to * u.z);
    }
}

static void union_find_heights(Slicer *s) {
    for (int i = 0; i < s->count; i++) {
        const UnionPart *a = &s->parts[i];
        for (int v = 0; a->hull && v < a->hull->vertex_count; v++) union_add_height(s, union_vertex(a, v).z);
        if (!a->hull)
            union_add_height(s, a->center.z - a->radius), union_add_height(s, a->center.z + a->radius);
        for (int j = 0; j < s->count; j++) {
            const UnionPart *b = &s->parts[j];
            if (i == j) continue;
            if (a->hull && b->hull) union_meet_hulls(s, a, b);
            else if (b->hull) union_meet_sphere_and_hull(s, a, b);
            else if (!a->hull && j < i) union_meet_spheres(s, a, b);
        }
    }
    if (s->heights.count > 0)
        qsort(s->heights.data, s->heights.count, sizeof *s->heights.data, union_compare);
}

// ---- all of it -----------------------------------------------------------------------------------
static void union_integrate(Slicer *s, double z0, double z1, double size, int halvings,
                            double sums[union_terms]) {
    double middle = 0.5 * (z0 + z1), half = 0.5 * (z1 - z0), kronrod[union_terms] = {0},
           gauss[union_terms] = {0};
    for (int n = 0; n < 2 * rule_nodes - 1 && !s->failed; n++) {
        int node = n < rule_nodes ? n : 2 * rule_nodes - 2 - n;
        double terms[union_terms];
        slice_moments(s, middle + (n < rule_nodes ? -half : half) * rule_places[node], terms);
        for (int k = 0; k < union_terms; k++) {
            kronrod[k] += half * rule_weights[node] * terms[k];
            gauss[k] += half * rule_gauss[node] * terms[k];
        }
    }
    double error = 0;
    for (int k = 0; k < union_terms; k++) {
        double unit = k < 1 ? 1 : k < 4 ? size : size * size;
        error = fmax(error, fabs(kronrod[k] - gauss[k]) / unit);
    }
    if (error <= union_tolerance * size * size * size || halvings == 0 || s->failed) {
        for (int k = 0; k < union_terms; k++) sums[k] += kronrod[k];
        return;
    }
    union_integrate(s, z0, middle, size, halvings - 1, sums);
    union_integrate(s, middle, z1, size, halvings - 1, sums);
}

MrcStatus union_moments(const UnionPart *parts, int count, UnionMoments *sum, MrcError *error) {
    Slicer s = {.parts = parts, .count = count};
    double t[union_terms] = {0};
    union_find_heights(&s);
    size_t last = s.heights.count;
    double size = last > 0 ? s.heights.data[last - 1] - s.heights.data[0] : 0;
    for (int p = 0; p < count; p++)
        size = fmax(size, 2 * (parts[p].radius + vec3_norm(vec3_sub(parts[p].center, parts[0].center))));
    for (size_t k = 1; k < last && !s.failed; k++)
        if (s.heights.data[k] - s.heights.data[k - 1] > 1e-15 * size)
            union_integrate(&s, s.heights.data[k - 1], s.heights.data[k], size, union_halvings, t);
    array_free(&s.borders);
    array_free(&s.regions);
    array_free(&s.levels);
    array_free(&s.heights);
    array_free(&s.intervals);
    if (s.failed) return error_memory(error, "the mass of a clump");
    *sum = (UnionMoments){
        t[0], vec3(t[1], t[2], t[3]), {{{t[4], t[7], t[8]}, {t[7], t[5], t[9]}, {t[8], t[9], t[6]}}}};
    return MRC_OK;
}
