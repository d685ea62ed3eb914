// Making of clumps. Parts that overlap, directly or through others, are integrated together (union_moments.h); the moments
// of such groups add up. About the centre of mass c, the second moment is that about the origin less V c c^T.
#include "geometry/clump.h"

#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "geometry/union_moments.h"

static const double clump_overlaps =
    -1e-9; // gap of parts that have volume in common, over the radius of the clump
static const double clump_touches = 1e-6; // gap of parts that touch, likewise

static MrcStatus clump_check(const ClumpPart *parts, int count, const char *name, MrcError *error) {
    int vertices = 0;
    if (count < 1)
        return error_set(error, MRC_MODEL, "%s has no parts: give 'spheres', 'parts', or both", name);
    if (count > CLUMP_PARTS_MAX)
        return error_set(
            error, MRC_MODEL,
            "%s has %d parts, at most %d are possible: each of them costs time in every step. Give fewer "
            "and larger ones",
            name, count, CLUMP_PARTS_MAX);
    for (int p = 0; p < count; p++) {
        const ClumpPart *part = &parts[p];
        if (!(part->shape.radius > 0) || !isfinite(part->shape.radius) || !vec3_is_finite(part->center))
            return error_set(error, MRC_MODEL, "%s: part %d has no size, or a place that is not finite", name,
                             p + 1);
        if (part->shape.kind == SHAPE_POLYHEDRON) vertices += ((const Hull *)part->shape.form)->vertex_count;
    }
    if (vertices <= HULL_POINTS_MAX) return MRC_OK;
    return error_set(error, MRC_MODEL,
                     "%s has %d corners in all its parts, at most %d are possible: give parts with fewer",
                     name, vertices, HULL_POINTS_MAX);
}

// ---- groups --------------------------------------------------------------------------------------
static double clump_gap(const ClumpPart *a, const ClumpPart *b, double most) {
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    const Pose pose_a = {a->center, quaternion_identity()}, pose_b = {b->center, quaternion_identity()};
    int count = shape_pair_contacts(&a->shape, &pose_a, &b->shape, &pose_b, most, contacts);
    double least = INFINITY;
    for (int c = 0; c < count; c++) least = fmin(least, contacts[c].gap);
    return least;
}

// Parts with a gap below `limit` are in one group, numbered from 0. Returns how many groups there are.
static int clump_group(const ClumpPart *parts, int count, double limit, int group[CLUMP_PARTS_MAX]) {
    int groups = 0;
    for (int p = 0; p < count; p++) {
        group[p] = groups++;
        for (int q = 0; q < p; q++) {
            if (group[q] == group[p] || !(clump_gap(&parts[p], &parts[q], fabs(limit)) < limit)) continue;
            int kept = group[q] < group[p] ? group[q] : group[p], gone = group[q] + group[p] - kept;
            for (int r = 0; r <= p; r++) group[r] = group[r] == gone ? kept : group[r] - (group[r] > gone);
            groups--;
        }
    }
    return groups;
}

// ---- mass ----------------------------------------------------------------------------------------
static UnionPart clump_union_part(const ClumpPart *part, Vec3 origin) {
    return (UnionPart){.hull = part->shape.kind == SHAPE_POLYHEDRON ? part->shape.form : NULL,
                       .center = vec3_sub(part->center, origin),
                       .radius = part->shape.radius};
}

// About `origin`, which is near: moments about a far one would lose digits.
static MrcStatus clump_moments(const ClumpPart *parts, int count, Vec3 origin, double size, UnionMoments *sum,
                               MrcError *error) {
    int group[CLUMP_PARTS_MAX], groups = clump_group(parts, count, clump_overlaps * size, group);
    UnionPart together[CLUMP_PARTS_MAX];
    MrcStatus status = MRC_OK;
    *sum = (UnionMoments){0};
    for (int k = 0; k < groups && status == MRC_OK; k++) {
        UnionMoments own = {0};
        int members = 0;
        for (int p = 0; p < count; p++)
            if (group[p] == k) together[members++] = clump_union_part(&parts[p], origin);
        if (members == 1) own = union_moments_of_part(&together[0]);
        else status = union_moments(together, members, &own, error);
        sum->volume += own.volume;
        sum->first = vec3_add(sum->first, own.first);
        sum->second = mat3_add(sum->second, own.second);
    }
    return status;
}

// ---- extent --------------------------------------------------------------------------------------
static double clump_farthest(const ClumpPart *part, Vec3 from) {
    Vec3 way = vec3_sub(part->center, from);
    if (part->shape.kind == SHAPE_SPHERE) return vec3_norm(way) + part->shape.radius;
    const Hull *hull = part->shape.form;
    double most = 0;
    for (int v = 0; v < hull->vertex_count; v++)
        most = fmax(most, vec3_norm(vec3_madd(way, part->shape.radius, hull->vertices[v])));
    return most;
}

static MrcStatus clump_make_outer(Clump *clump, const char *name, MrcError *error) {
    Vec3 points[HULL_POINTS_MAX];
    size_t count = 0;
    for (int p = 0; p < clump->part_count; p++) {
        const ClumpPart *part = &clump->parts[p];
        const Hull *hull = part->shape.form;
        for (int v = 0; part->shape.kind == SHAPE_POLYHEDRON && v < hull->vertex_count; v++)
            points[count++] = vec3_madd(part->center, part->shape.radius, hull->vertices[v]);
    }
    Hull *outer = NULL;
    MrcStatus status = hull_around(&outer, points, count, name, error);
    if (status == MRC_OK) clump->outer = (ClumpPart){{SHAPE_POLYHEDRON, outer->radius, outer}, outer->center};
    return status;
}

// ---- all -----------------------------------------------------------------------------------------
// The centre of mass to the origin, the radius to 1.
static MrcStatus clump_fill(Clump *clump, const char *name, MrcError *error) {
    ClumpPart *parts = clump->parts;
    Vec3 origin = parts[0].center;
    double size = 0;
    int group[CLUMP_PARTS_MAX];
    for (int p = 0; p < clump->part_count; p++) {
        size = fmax(size, clump_farthest(&parts[p], origin));
        clump->polyhedron_count += parts[p].shape.kind == SHAPE_POLYHEDRON;
    }
    UnionMoments sum;
    MrcStatus status = clump_moments(parts, clump->part_count, origin, size, &sum, error);
    if (status != MRC_OK) return status;
    clump->piece_count = clump_group(parts, clump->part_count, clump_touches * size, group);
    Vec3 middle = vec3_scale(1 / sum.volume, sum.first);
    clump->center = vec3_add(origin, middle);
    for (int p = 0; p < clump->part_count; p++)
        clump->radius = fmax(clump->radius, clump_farthest(&parts[p], clump->center));
    double r = clump->radius;
    clump->finest = 1;
    for (int p = 0; p < clump->part_count; p++) {
        parts[p].center = vec3_scale(1 / r, vec3_sub(parts[p].center, clump->center));
        parts[p].shape.radius /= r;
        clump->finest = fmin(clump->finest, parts[p].shape.radius);
        clump->coarsest = fmax(clump->coarsest, parts[p].shape.radius);
    }
    clump->volume = sum.volume / (r * r * r);
    clump->second_moment =
        mat3_scale(1 / (r * r), mat3_sub(mat3_scale(1 / sum.volume, sum.second), mat3_outer(middle, middle)));
    clump->shaking = clump_shaking(clump);
    return clump->polyhedron_count > 1 ? clump_make_outer(clump, name, error) : MRC_OK;
}

MrcStatus clump_create(Clump **clump, const ClumpPart *parts, int count, const char *name, MrcError *error) {
    Clump *made = memory_alloc(sizeof *made);
    if (made) made->parts = memory_alloc(((size_t)count + 1) * sizeof *made->parts);
    if (!made || !made->parts) {
        for (int p = 0; p < count; p++) hull_destroy((Hull *)parts[p].shape.form);
        memory_free(made);
        return error_memory(error, name);
    }
    for (int p = 0; p < count; p++) made->parts[p] = parts[p];
    made->part_count = count;
    MrcStatus status = clump_check(parts, count, name, error);
    if (status == MRC_OK) status = clump_fill(made, name, error);
    if (status != MRC_OK) clump_destroy(made);
    *clump = status == MRC_OK ? made : NULL;
    return status;
}

void clump_destroy(Clump *clump) {
    if (!clump) return;
    for (int p = 0; p < clump->part_count; p++) hull_destroy((Hull *)clump->parts[p].shape.form);
    hull_destroy((Hull *)clump->outer.shape.form);
    memory_free(clump->parts);
    memory_free(clump);
}

uint64_t clump_hash(const Clump *clump, uint64_t hash) {
    hash = hash_bytes(hash, &clump->radius, sizeof clump->radius);
    for (int p = 0; p < clump->part_count; p++) {
        const ClumpPart *part = &clump->parts[p];
        hash = hash_bytes(hash, &part->center, sizeof part->center);
        hash = hash_bytes(hash, &part->shape.radius, sizeof part->shape.radius);
        if (part->shape.form) hash = hull_hash(part->shape.form, hash);
    }
    return hash;
}
