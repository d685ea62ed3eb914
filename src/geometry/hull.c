// Convex hulls by Qhull (Barber, Dobkin and Huhdanpaa 1996, doi:10.1145/235815.235821), then merged faces, and mass
// properties as sums over tetrahedra between the origin and the triangles (a, b, c) of the surface (Tonon 2004,
// doi:10.3844/jmssp.2005.8.11):
//
//     volume            sum det / 6,                 det = a . (b x c)
//     first moment      sum det / 24 s,              s = a + b + c
//     second moment     sum det / 120 (a a^T + b b^T + c c^T + s s^T)
#include "geometry/hull.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

#include "base/hash.h"
#include "base/memory.h"
#include "math/simd.h"

static const double hull_flat = 1e-6; // of the size: thinner is flat, and faces nearer to one plane are one

// A face in the making: a polygon of Qhull's hull.
typedef struct HullPolygon {
    int first, count; // of its corners in `corners`
    int group;        // polygons in one plane, as a tree of parents
    Vec3 normal;
} HullPolygon;

typedef ARRAY(Vec3) HullPoints;

typedef struct HullDraft {
    const char *name;
    MrcError *error;
    HullPoints points; // different ones
    ARRAY(HullPolygon) polygons;
    ARRAY(int) corners; // points
    ARRAY(int) twins;   // of each corner: the corner at which the same edge begins the other way round
    double size;        // largest distance of two points, about [m]
} HullDraft;

static MrcStatus hull_memory(const HullDraft *draft) { return error_memory(draft->error, draft->name); }

// ---- points --------------------------------------------------------------------------------------
static double hull_extent(const Vec3 *points, size_t count) {
    double size = 0;
    for (size_t i = 0; i < count; i++) size = fmax(size, vec3_norm(vec3_sub(points[i], points[0])));
    return size;
}

static MrcStatus hull_take_points(HullDraft *draft, const Vec3 *points, size_t count) {
    if (count > HULL_POINTS_MAX)
        return error_set(draft->error, MRC_MODEL,
                         "%s has more than %d points: each of them costs time in every step. Give fewer; a "
                         "stone needs about 25",
                         draft->name, HULL_POINTS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!vec3_is_finite(points[i]))
            return error_set(draft->error, MRC_MODEL, "%s: point %zu is not finite", draft->name, i + 1);
    draft->size = count ? hull_extent(points, count) : 0;
    double same = 0.1 * hull_flat * draft->size;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < draft->points.count && !known; k++)
            known = vec3_norm(vec3_sub(draft->points.data[k], points[i])) <= same;
        if (!known && !array_push(&draft->points, points[i])) return hull_memory(draft);
    }
    if (draft->points.count >= 4) return MRC_OK;
    return error_set(draft->error, MRC_MODEL,
                     "%s has %zu different points: a body with a volume needs four or more", draft->name,
                     draft->points.count);
}

// The widest tetrahedron, grown point by point: the last height is that of the whole over its widest plane, about.
static MrcStatus hull_check_flat(const HullDraft *draft) {
    const Vec3 *p = draft->points.data;
    size_t count = draft->points.count, far = 0;
    for (size_t i = 0; i < count; i++)
        if (vec3_norm(vec3_sub(p[i], p[0])) > vec3_norm(vec3_sub(p[far], p[0]))) far = i;
    Vec3 along = vec3_normalize(vec3_sub(p[far], p[0])), across = vec3_zero();
    for (size_t i = 0; i < count; i++) {
        Vec3 d = vec3_cross(along, vec3_sub(p[i], p[0]));
        if (vec3_norm(d) > vec3_norm(across)) across = d;
    }
    Vec3 normal = vec3_normalize(across);
    double height = 0;
    for (size_t i = 0; i < count; i++) height = fmax(height, fabs(vec3_dot(normal, vec3_sub(p[i], p[0]))));
    if (vec3_norm(across) > hull_flat * draft->size && height > hull_flat * draft->size) return MRC_OK;
    return error_set(draft->error, MRC_MODEL,
                     "%s is flat: all points lie in one plane, to %.2g m. A body needs points on both sides",
                     draft->name, height);
}

// ---- Qhull ---------------------------------------------------------------------------------------
static bool hull_take_facet(HullDraft *draft, qhT *qh, facetT *facet) {
    HullPolygon polygon = {.first = (int)draft->corners.count, .group = (int)draft->polygons.count};
    setT *vertices = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    bool good = vertices != NULL;
    FOREACHvertex_(vertices) {
        good = good && array_push(&draft->corners, qh_pointid(qh, vertex->point));
        polygon.count++;
    }
    qh_settempfree(qh, &vertices);
    polygon.normal = vec3(facet->normal[0], facet->normal[1], facet->normal[2]);
    return good && array_push(&draft->polygons, polygon);
}

static MrcStatus hull_run_qhull(HullDraft *draft) {
    qhT context, *qh = &context;
    char *words = NULL, command[] = "qhull Pp";
    size_t length = 0;
    FILE *log = open_memstream(&words, &length);
    if (!log) return hull_memory(draft);
    qh_zero(qh, log);
    int failed =
        qh_new_qhull(qh, 3, (int)draft->points.count, (coordT *)draft->points.data, 0, command, NULL, log);
    bool good = true;
    facetT *facet;
    if (!failed) FORALLfacets good = good && hull_take_facet(draft, qh, facet);
    qh_freeqhull(qh, !qh_ALL);
    int current, total;
    qh_memfreeshort(qh, &current, &total);
    fclose(log);
    free(words);
    if (failed == qh_ERRmem) return hull_memory(draft);
    if (failed)
        return error_set(draft->error, MRC_MODEL,
                         "%s: no convex hull could be made of these points (Qhull's error %d); points that "
                         "nearly coincide or a body that is nearly flat may be the cause",
                         draft->name, failed);
    return good ? MRC_OK : hull_memory(draft);
}

// ---- faces ---------------------------------------------------------------------------------------
static Vec3 hull_corner_point(const HullDraft *draft, int corner) {
    return draft->points.data[draft->corners.data[corner]];
}
static int hull_next_corner(const HullPolygon *polygon, int corner) {
    return corner + 1 < polygon->first + polygon->count ? corner + 1 : polygon->first;
}

// Outward and counter-clockwise, whatever order the corners came in; normals from the corners (Newell).
static void hull_orient(HullDraft *draft) {
    Vec3 middle = vec3_zero();
    for (size_t i = 0; i < draft->points.count; i++) middle = vec3_add(middle, draft->points.data[i]);
    middle = vec3_scale(1 / (double)draft->points.count, middle);
    for (size_t f = 0; f < draft->polygons.count; f++) {
        HullPolygon *polygon = &draft->polygons.data[f];
        Vec3 start = hull_corner_point(draft, polygon->first), area = vec3_zero();
        int *corners = draft->corners.data + polygon->first;
        for (int k = 1; k + 1 < polygon->count; k++)
            area = vec3_add(area, vec3_cross(vec3_sub(draft->points.data[corners[k]], start),
                                             vec3_sub(draft->points.data[corners[k + 1]], start)));
        if (vec3_dot(area, vec3_sub(start, middle)) < 0) {
            area = vec3_neg(area);
            for (int a = 0, b = polygon->count - 1; a < b; a++, b--) {
                int swap = corners[a];
                corners[a] = corners[b], corners[b] = swap;
            }
        }
        // Qhull's own normal where the corners give none: a sliver.
        if (vec3_norm(area) > 1e-12 * draft->size * draft->size) polygon->normal = vec3_normalize(area);
    }
}

static MrcStatus hull_broken(const HullDraft *draft) {
    return error_set(draft->error, MRC_MODEL,
                     "%s: the faces of the convex hull do not close; points may nearly coincide: leave out "
                     "those that are close to others",
                     draft->name);
}

static MrcStatus hull_find_twins(HullDraft *draft) {
    if (!array_resize(&draft->twins, draft->corners.count)) return hull_memory(draft);
    for (size_t f = 0; f < draft->polygons.count; f++) {
        const HullPolygon *polygon = &draft->polygons.data[f];
        for (int c = polygon->first; c < polygon->first + polygon->count; c++) {
            int from = draft->corners.data[c], to = draft->corners.data[hull_next_corner(polygon, c)];
            draft->twins.data[c] = -1;
            for (size_t g = 0; g < draft->polygons.count; g++) {
                const HullPolygon *other = &draft->polygons.data[g];
                for (int d = other->first; d < other->first + other->count; d++)
                    if (draft->corners.data[d] == to &&
                        draft->corners.data[hull_next_corner(other, d)] == from)
                        draft->twins.data[c] = d;
            }
            if (draft->twins.data[c] < 0) return hull_broken(draft);
        }
    }
    return MRC_OK;
}

static int hull_polygon_of(const HullDraft *draft, int corner) {
    size_t low = 0, high = draft->polygons.count - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (draft->polygons.data[middle].first <= corner) low = middle;
        else high = middle - 1;
    }
    return (int)low;
}

static int hull_group(HullDraft *draft, int polygon) {
    while (draft->polygons.data[polygon].group != polygon) polygon = draft->polygons.data[polygon].group;
    return polygon;
}

// Are all corners of polygon g in the plane of f?
static bool hull_is_coplanar(const HullDraft *draft, int f, int g) {
    const HullPolygon *plane = &draft->polygons.data[f], *polygon = &draft->polygons.data[g];
    Vec3 start = hull_corner_point(draft, plane->first);
    for (int c = polygon->first; c < polygon->first + polygon->count; c++)
        if (fabs(vec3_dot(plane->normal, vec3_sub(hull_corner_point(draft, c), start))) >
            hull_flat * draft->size)
            return false;
    return true;
}

static void hull_merge(HullDraft *draft) {
    for (int c = 0; c < (int)draft->corners.count; c++) {
        int f = hull_polygon_of(draft, c), g = hull_polygon_of(draft, draft->twins.data[c]);
        if (f >= g || !(hull_is_coplanar(draft, f, g) || hull_is_coplanar(draft, g, f))) continue;
        int a = hull_group(draft, f), b = hull_group(draft, g);
        if (a < b) draft->polygons.data[b].group = a;
        else draft->polygons.data[a].group = b;
    }
}

// ---- tables --------------------------------------------------------------------------------------
// Is the edge that begins at this corner between two faces, not inside one?
static bool hull_is_border(HullDraft *draft, int corner) {
    return hull_group(draft, hull_polygon_of(draft, corner)) !=
           hull_group(draft, hull_polygon_of(draft, draft->twins.data[corner]));
}

// The border's next corner of the same face: across the edges inside it.
static int hull_next_border(HullDraft *draft, int corner) {
    for (size_t tries = 0; tries < draft->corners.count; tries++) {
        corner = hull_next_corner(&draft->polygons.data[hull_polygon_of(draft, corner)], corner);
        if (hull_is_border(draft, corner)) return corner;
        corner = draft->twins.data[corner];
    }
    return -1;
}

static bool hull_allocate(Hull *hull, size_t points, size_t corners) {
    hull->vertices = memory_alloc(points * sizeof *hull->vertices);
    hull->edges = memory_alloc(corners * sizeof *hull->edges);
    hull->faces = memory_alloc(corners * sizeof *hull->faces);
    hull->corners = memory_alloc(corners * sizeof *hull->corners);
    hull->corner_edges = memory_alloc(corners * sizeof *hull->corner_edges);
    hull->vertex_faces = memory_alloc(corners * sizeof *hull->vertex_faces);
    hull->vertex_start = memory_alloc((points + 2) * sizeof *hull->vertex_start);
    return hull->vertices && hull->edges && hull->faces && hull->corners && hull->corner_edges &&
           hull->vertex_faces && hull->vertex_start;
}

// Walks round the border of one face. A point where only two faces meet lies inside an edge and is no corner.
static bool hull_make_face(HullDraft *draft, Hull *hull, int start, const int *faces_at, int *vertex_of,
                           unsigned char *done) {
    HullFace face = {.first = hull->corner_count};
    int corner = start;
    do {
        int point = draft->corners.data[corner];
        done[corner] = 1;
        if (faces_at[point] >= 3) {
            if (vertex_of[point] < 0) {
                vertex_of[point] = hull->vertex_count;
                hull->vertices[hull->vertex_count++] = draft->points.data[point];
            }
            hull->corners[hull->corner_count++] = vertex_of[point];
            face.count++;
        }
        corner = hull_next_border(draft, corner);
    } while (corner >= 0 && corner != start && !done[corner]);
    hull->faces[hull->face_count++] = face;
    return corner == start && face.count >= 3;
}

static MrcStatus hull_make_faces(HullDraft *draft, Hull *hull) {
    size_t corners = draft->corners.count, points = draft->points.count;
    int *faces_at = memory_alloc(points * sizeof *faces_at);   // borders that leave each point
    int *vertex_of = memory_alloc(points * sizeof *vertex_of); // its number; -1: none yet
    unsigned char *done = memory_alloc(corners);
    bool good = faces_at && vertex_of && done && hull_allocate(hull, points, corners), whole = good;
    for (size_t i = 0; good && i < points; i++) vertex_of[i] = -1;
    for (size_t c = 0; good && c < corners; c++)
        faces_at[draft->corners.data[c]] += hull_is_border(draft, (int)c);
    for (size_t c = 0; whole && c < corners; c++)
        if (!done[c] && hull_is_border(draft, (int)c))
            whole = hull_make_face(draft, hull, (int)c, faces_at, vertex_of, done);
    memory_free(faces_at);
    memory_free(vertex_of);
    memory_free(done);
    return !good ? hull_memory(draft) : whole ? MRC_OK : hull_broken(draft);
}

// Edges from the corners of faces, faces around vertices; Euler's formula checks that none is missing.
static MrcStatus hull_make_edges(const HullDraft *draft, Hull *hull) {
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        for (int k = 0; k < face->count; k++) {
            int c = face->first + k, from = hull->corners[c],
                to = hull->corners[face->first + (k + 1) % face->count], e = 0;
            while (e < hull->edge_count &&
                   !(hull->edges[e].vertex[0] == to && hull->edges[e].vertex[1] == from))
                e++;
            if (e == hull->edge_count)
                hull->edges[hull->edge_count++] = (HullEdge){.vertex = {from, to}, .face = {f, -1}};
            else if (hull->edges[e].face[1] < 0) hull->edges[e].face[1] = f;
            else return hull_broken(draft);
            hull->corner_edges[c] = e;
            hull->vertex_start[from + 2]++;
        }
    }
    for (int e = 0; e < hull->edge_count; e++)
        if (hull->edges[e].face[1] < 0) return hull_broken(draft);
    if (hull->vertex_count - hull->edge_count + hull->face_count != 2) return hull_broken(draft);
    for (int v = 0; v < hull->vertex_count; v++) hull->vertex_start[v + 2] += hull->vertex_start[v + 1];
    for (int f = 0; f < hull->face_count; f++)
        for (int k = 0; k < hull->faces[f].count; k++)
            hull->vertex_faces[hull->vertex_start[hull->corners[hull->faces[f].first + k] + 1]++] = f;
    return MRC_OK;
}

// ---- mass properties -----------------------------------------------------------------------------
typedef struct HullMoments {
    double volume;
    Vec3 first;
    Mat3 second;
} HullMoments;

static void hull_add_triangle(HullMoments *sum, Vec3 a, Vec3 b, Vec3 c) {
    double det = vec3_dot(a, vec3_cross(b, c));
    Vec3 s = vec3_add(a, vec3_add(b, c));
    Mat3 squares =
        mat3_add(mat3_add(mat3_outer(a, a), mat3_outer(b, b)), mat3_add(mat3_outer(c, c), mat3_outer(s, s)));
    sum->volume += det / 6;
    sum->first = vec3_madd(sum->first, det / 24, s);
    sum->second = mat3_add(sum->second, mat3_scale(det / 120, squares));
}

static HullMoments hull_moments(const Hull *hull) {
    HullMoments sum = {0};
    for (int f = 0; f < hull->face_count; f++) {
        const int *corners = hull->corners + hull->faces[f].first;
        for (int k = 1; k + 1 < hull->faces[f].count; k++)
            hull_add_triangle(&sum, hull->vertices[corners[0]], hull->vertices[corners[k]],
                              hull->vertices[corners[k + 1]]);
    }
    return sum;
}

// The centre of mass to the origin, the radius to 1.
static void hull_normalize(Hull *hull) {
    Vec3 near = hull->vertices[0]; // moments far from the origin would lose digits
    for (int v = 0; v < hull->vertex_count; v++) hull->vertices[v] = vec3_sub(hull->vertices[v], near);
    HullMoments sum = hull_moments(hull);
    Vec3 middle = vec3_scale(1 / sum.volume, sum.first);
    for (int v = 0; v < hull->vertex_count; v++) {
        hull->vertices[v] = vec3_sub(hull->vertices[v], middle);
        hull->radius = fmax(hull->radius, vec3_norm(hull->vertices[v]));
    }
    hull->center = vec3_add(near, middle);
    for (int v = 0; v < hull->vertex_count; v++)
        hull->vertices[v] = vec3_scale(1 / hull->radius, hull->vertices[v]);
    sum = hull_moments(hull);
    hull->volume = sum.volume;
    hull->second_moment = mat3_scale(1 / sum.volume, sum.second);
}

// Planes that all vertices are behind, though the corners of a face may be a little off one plane.
static void hull_make_planes(Hull *hull) {
    hull->inner_radius = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        HullFace *face = &hull->faces[f];
        const int *corners = hull->corners + face->first;
        Vec3 area = vec3_zero();
        for (int k = 1; k + 1 < face->count; k++)
            area = vec3_add(area,
                            vec3_cross(vec3_sub(hull->vertices[corners[k]], hull->vertices[corners[0]]),
                                       vec3_sub(hull->vertices[corners[k + 1]], hull->vertices[corners[0]])));
        face->normal = vec3_normalize(area);
        face->offset = -INFINITY;
        for (int v = 0; v < hull->vertex_count; v++)
            face->offset = fmax(face->offset, vec3_dot(face->normal, hull->vertices[v]));
        hull->inner_radius = fmin(hull->inner_radius, face->offset);
    }
}

// ---- all -----------------------------------------------------------------------------------------
// How far the point is inside all faces [of the radius].
static double hull_depth(const Hull *hull, Vec3 point) {
    Vec3 p = vec3_scale(1 / hull->radius, vec3_sub(point, hull->center));
    double depth = INFINITY;
    for (int f = 0; f < hull->face_count; f++)
        depth = fmin(depth, hull->faces[f].offset - vec3_dot(hull->faces[f].normal, p));
    return depth;
}

// Each column in whole vectors, the last vertex repeated.
static size_t hull_column(const Hull *hull) {
    return ((size_t)hull->vertex_count + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES;
}

static bool hull_make_columns(Hull *hull) {
    size_t length = hull_column(hull), count = (size_t)hull->vertex_count;
    hull->columns = memory_alloc(3 * length * sizeof *hull->columns);
    if (!hull->columns) return false;
    for (size_t i = 0; i < length; i++) {
        Vec3 v = hull->vertices[i < count ? i : count - 1];
        hull->columns[i] = v.x, hull->columns[length + i] = v.y, hull->columns[2 * length + i] = v.z;
    }
    return true;
}

double hull_reach(const Hull *hull, Vec3 d) {
    size_t length = hull_column(hull);
    const double *x = hull->columns, *y = x + length, *z = y + length;
    Wide dx = wide_set(d.x), dy = wide_set(d.y), dz = wide_set(d.z), most = wide_set(-INFINITY);
    for (size_t i = 0; i < length; i += WIDE_LANES)
        most = wide_max(wide_fma(dx, wide_load(x + i), wide_fma(dy, wide_load(y + i), dz * wide_load(z + i))),
                        most);
    return wide_largest(most);
}

static MrcStatus hull_check_convex(const Hull *hull, const Vec3 *points, size_t count, const char *name,
                                   MrcError *error) {
    for (size_t i = 0; i < count; i++) {
        double depth = hull_depth(hull, points[i]);
        if (depth <= 1e-5) continue;
        return error_set(
            error, MRC_MODEL,
            "%s is not convex: point %zu, (%g, %g, %g) m, is %.3g m inside the hull of the others. "
            "Leave it out, or make the body of several convex parts",
            name, i + 1, points[i].x, points[i].y, points[i].z, depth * hull->radius);
    }
    return MRC_OK;
}

MrcStatus hull_create(Hull **hull, const Vec3 *points, size_t count, const char *name, MrcError *error) {
    MrcStatus status = hull_around(hull, points, count, name, error);
    if (status == MRC_OK) status = hull_check_convex(*hull, points, count, name, error);
    if (status == MRC_OK) return MRC_OK;
    hull_destroy(*hull);
    *hull = NULL;
    return status;
}

MrcStatus hull_around(Hull **hull, const Vec3 *points, size_t count, const char *name, MrcError *error) {
    HullDraft draft = {.name = name, .error = error};
    Hull *made = NULL;
    MrcStatus status = hull_take_points(&draft, points, count);
    if (status == MRC_OK) status = hull_check_flat(&draft);
    if (status == MRC_OK) status = hull_run_qhull(&draft);
    if (status == MRC_OK) hull_orient(&draft);
    if (status == MRC_OK) status = hull_find_twins(&draft);
    if (status == MRC_OK) {
        hull_merge(&draft);
        made = memory_alloc(sizeof *made);
        status = made ? hull_make_faces(&draft, made) : hull_memory(&draft);
    }
    if (status == MRC_OK) status = hull_make_edges(&draft, made);
    if (status == MRC_OK) {
        hull_normalize(made);
        hull_make_planes(made);
        if (!hull_make_columns(made)) status = hull_memory(&draft);
    }
    array_free(&draft.points);
    array_free(&draft.polygons);
    array_free(&draft.corners);
    array_free(&draft.twins);
    if (status != MRC_OK) hull_destroy(made);
    *hull = status == MRC_OK ? made : NULL;
    return status;
}

// The corners of triangles, each place once.
static bool hull_list_places(const Vec3 *corners, size_t count, HullPoints *places) {
    double same = 0.1 * hull_flat * hull_extent(corners, count);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = places->count; k > 0 && !known; k--)
            known = vec3_norm(vec3_sub(places->data[k - 1], corners[i])) <= same;
        if (!known && !array_push(places, corners[i])) return false;
        if (places->count > HULL_POINTS_MAX) return true;
    }
    return true;
}

// Seen from the middle: from a corner, the triangles that meet there would count nothing, whether they are missing or turned.
static HullMoments hull_enclosed(const Vec3 *corners, size_t triangle_count) {
    HullMoments sum = {0};
    Vec3 middle = vec3_zero();
    for (size_t i = 0; i < 3 * triangle_count; i++)
        middle = vec3_madd(middle, 1.0 / (3.0 * (double)triangle_count), corners[i]);
    for (size_t t = 0; t < triangle_count; t++)
        hull_add_triangle(&sum, vec3_sub(corners[3 * t], middle), vec3_sub(corners[3 * t + 1], middle),
                          vec3_sub(corners[3 * t + 2], middle));
    return sum;
}

MrcStatus hull_from_triangles(Hull **hull, const Vec3 *corners, size_t triangle_count, const char *name,
                              MrcError *error) {
    HullPoints places = {0};
    *hull = NULL;
    if (triangle_count > 0 && !hull_list_places(corners, 3 * triangle_count, &places)) {
        array_free(&places);
        return error_memory(error, name);
    }
    HullMoments sum = hull_enclosed(corners, triangle_count);
    MrcStatus status = hull_create(hull, places.data, places.count, name, error);
    array_free(&places);
    if (status != MRC_OK) return status;
    double volume = (*hull)->volume * pow((*hull)->radius, 3), share = sum.volume / volume;
    if (fabs(share - 1) < 1e-4) return MRC_OK;
    status =
        share < -0.5
            ? error_set(error, MRC_MODEL,
                        "%s is inside out: its triangles face inward. Turn them round (\"flip normals\" in "
                        "programs that edit meshes)",
                        name)
            : error_set(error, MRC_MODEL,
                        "%s is not convex, or has holes or triangles that face inward: they enclose "
                        "%.3g m^3, their convex hull %.3g m^3. Close it, turn them round, or make the "
                        "body of several convex parts",
                        name, sum.volume, volume);
    hull_destroy(*hull);
    *hull = NULL;
    return status;
}

void hull_destroy(Hull *hull) {
    if (!hull) return;
    memory_free(hull->vertices);
    memory_free(hull->columns);
    memory_free(hull->edges);
    memory_free(hull->faces);
    memory_free(hull->corners);
    memory_free(hull->corner_edges);
    memory_free(hull->vertex_faces);
    memory_free(hull->vertex_start);
    memory_free(hull);
}

uint64_t hull_hash(const Hull *hull, uint64_t hash) {
    hash = hash_bytes(hash, &hull->radius, sizeof hull->radius);
    return hash_bytes(hash, hull->vertices, (size_t)hull->vertex_count * sizeof *hull->vertices);
}
