// Forms of grains. Ballast: the corners of a stone are points on an ellipsoid, each the one of several random candidates
// that is furthest from those before it, so that faces are of similar size and all points are corners of the hull. The
// axes of the ellipsoid are a : b : c with a/b the elongation and b/c the flatness, each varied from form to form. Clumps are
// made in src/geometry/clump.c.
#include "grains/forms.h"

#include <math.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "geometry/clump.h"
#include "geometry/stl.h"
#include "grains/grain_sizes.h"

enum { forms_candidates = 10 };
static const double forms_variation = 0.15; // of elongation and flatness, up and down

// ---- the model file ------------------------------------------------------------------------------
static const SchemaObject forms_sphere_schema = {
    .name = "sphere", .doc = "Spheres.", .size = sizeof(FormsDefinition)};

static const SchemaKey forms_box_keys[] = {
    {"size", VECTOR(BoxForm, size), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Its three lengths."},
};
static const SchemaObject forms_box_schema = {
    .name = "grain_box",
    .doc = "A box: a brick, a block.",
    .size = sizeof(BoxForm),
    SCHEMA_KEYS(forms_box_keys),
    .short_key = "size",
};

static const SchemaKey forms_vertex_keys[] = {
    {"point", VECTOR(FormVertex, point), .dimension = DIM_LENGTH, .required = true, .doc = "A corner."},
};
static const SchemaObject forms_vertex_schema = {.name = "vertex",
                                                 .doc = "A corner of a body, with its unit: `10 0 5 mm`.",
                                                 .size = sizeof(FormVertex),
                                                 SCHEMA_KEYS(forms_vertex_keys),
                                                 .bare = true};

static const SchemaKey forms_polyhedron_keys[] = {
    {"vertices", LIST(PolyhedronForm, vertices, vertex_count, forms_vertex_schema),
     .doc = "The corners, in any order and any axes."},
    {"file", TEXT(PolyhedronForm, file),
     .doc = "STL file of a closed convex surface, beside the model file or with its path from there."},
    {"scale", QUANTITY(PolyhedronForm, scale), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = "What a length of 1 in the file is: `1 mm` for a drawing in millimetres."},
};
static const SchemaObject forms_polyhedron_schema = {
    .name = "polyhedron",
    .doc = "A convex body, given by its corners or by a file. Its centre of mass and its inertia follow.",
    .size = sizeof(PolyhedronForm),
    SCHEMA_KEYS(forms_polyhedron_keys),
    .exactly_one = {"vertices file"},
};

static const SchemaKey forms_ballast_keys[] = {
    {"vertices", INTEGER(BallastForm, vertices), .range = FROM_TO(4, 200), .fallback = "25",
     .doc = "Corners of each stone."},
    {"elongation", QUANTITY(BallastForm, elongation), .range = FROM_TO(1, 5), .fallback = "1.3",
     .doc = "Longest over middle width, on average."},
    {"flatness", QUANTITY(BallastForm, flatness), .range = FROM_TO(1, 5), .fallback = "1.2",
     .doc = "Middle over smallest width, on average."},
    {"forms", INTEGER(BallastForm, forms), .range = FROM_TO(1, 200), .fallback = "24",
     .doc = "How many different stones there are; grains of all sizes take turns with them."},
    {"seed", INTEGER(BallastForm, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives other stones; the same number always the same ones."},
};
static const SchemaObject forms_ballast_schema = {
    .name = "ballast",
    .doc = "Random convex stones.",
    .size = sizeof(BallastForm),
    SCHEMA_KEYS(forms_ballast_keys),
};

static const SchemaKey forms_clump_sphere_keys[] = {
    {"center", VECTOR(SphereOfClump, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Its middle, in the axes of the clump."},
    {"radius", QUANTITY(SphereOfClump, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Its radius."},
};
static const SchemaObject forms_clump_sphere_schema = {.name = "clump_sphere",
                                                       .doc = "A sphere that is a part of a clump.",
                                                       .size = sizeof(SphereOfClump),
                                                       SCHEMA_KEYS(forms_clump_sphere_keys)};

static const SchemaKey forms_clump_part_keys[] = {
    {"center", VECTOR(PartOfClump, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc =
         "The middle of the box, or where the origin of the polyhedron's axes is, in the axes of the clump."},
    {"turn", VECTOR(PartOfClump, turn), .dimension = DIM_ANGLE, .fallback = "0 0 0 rad",
     .doc =
         "How it is turned about this point: along the axis of the turn, by the angle that is its length."},
};
static const SchemaAlternative forms_clump_part_alternatives[] = {
    {"box", FORM_BOX, offsetof(PartOfClump, box), &forms_box_schema, "A box."},
    {"polyhedron", FORM_POLYHEDRON, offsetof(PartOfClump, polyhedron), &forms_polyhedron_schema,
     "A convex body."},
    {0},
};
static const SchemaObject forms_clump_part_schema = {
    .name = "clump_part",
    .doc = "A convex body that is a part of a clump.",
    .size = sizeof(PartOfClump),
    SCHEMA_KEYS(forms_clump_part_keys),
    .alternatives = forms_clump_part_alternatives,
    .tag_offset = SCHEMA_ENUM_AT(PartOfClump, kind),
};

static const SchemaKey forms_clump_keys[] = {
    {"spheres", LIST(ClumpForm, spheres, sphere_count, forms_clump_sphere_schema),
     .doc = "Parts that are spheres."},
    {"parts", LIST(ClumpForm, parts, part_count, forms_clump_part_schema), .doc = "Parts with faces."},
};
static const SchemaObject forms_clump_schema = {
    .name = "clump",
    .doc = "Several convex parts on one rigid body, which need not be convex: spheres, boxes, polyhedra, at "
           "most 200. The "
           "body is "
           "their union: where parts overlap, there is mass once, and its centre and its inertia are those "
           "of the union. Any "
           "axes will do. Parts that touch no other one are allowed: they are held at their distance.",
    .size = sizeof(ClumpForm),
    SCHEMA_KEYS(forms_clump_keys),
};

static const SchemaAlternative forms_alternatives[] = {
    {"sphere", FORM_SPHERE, 0, &forms_sphere_schema, "Spheres."},
    {"box", FORM_BOX, offsetof(FormsDefinition, box), &forms_box_schema, "Boxes: bricks, blocks."},
    {"polyhedron", FORM_POLYHEDRON, offsetof(FormsDefinition, polyhedron), &forms_polyhedron_schema,
     "A convex body with given corners."},
    {"ballast", FORM_BALLAST, offsetof(FormsDefinition, ballast), &forms_ballast_schema,
     "Random convex stones."},
    {"clump", FORM_CLUMP, offsetof(FormsDefinition, clump), &forms_clump_schema,
     "Several spheres or convex bodies as one."},
    {0},
};
const SchemaObject forms_schema = {
    .name = "shape",
    .doc = "The form of the grains. Those that are not spheres have linear contacts in the smooth method, "
           "clumps of spheres also those of Hertz. "
           "Their `radius` is that of the "
           "smallest sphere around the centre of mass; a sieve curve is that of their middle width. Boxes, "
           "polyhedra and clumps "
           "have the lengths they are given with, unless `radius` or `sizes` is given too.",
    .size = sizeof(FormsDefinition),
    .alternatives = forms_alternatives,
    .tag_offset = SCHEMA_ENUM_AT(FormsDefinition, kind),
    .example =
        "shape: {box: 200 100 65 mm}\n"
        "shape: {polyhedron: {vertices: [0 0 0 mm, 20 0 0 mm, 0 20 0 mm, 0 0 20 mm]}}\n"
        "shape: {polyhedron: {file: stone.stl, scale: 1 mm}}\n"
        "shape: {ballast: {vertices: 25, elongation: 1.4, flatness: 1.2}}\n"
        "shape: {clump: {spheres: [{center: -3 0 0 mm, radius: 4 mm}, {center: 3 0 0 mm, radius: 4 mm}]}}\n"
        "shape: {clump: {parts: [{box: 60 20 20 mm}, {box: 20 20 60 mm, center: 20 0 20 mm}]}}\n",
};

// ---- making --------------------------------------------------------------------------------------
// Where a part of a clump is; other bodies are where they are given.
typedef struct FormPlace {
    Vec3 center;
    Mat3 axes;
} FormPlace;
static const FormPlace forms_here = {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

static Vec3 forms_put(const FormPlace *place, Vec3 point) {
    return vec3_add(place->center, mat3_apply(place->axes, point));
}

static MrcStatus forms_make_box(const BoxForm *box, const FormPlace *place, Hull **hull, const char *name,
                                MrcError *error) {
    Vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] =
            forms_put(place, vec3((i & 1 ? 0.5 : -0.5) * box->size.x, (i & 2 ? 0.5 : -0.5) * box->size.y,
                                  (i & 4 ? 0.5 : -0.5) * box->size.z));
    return hull_create(hull, points, 8, name, error);
}

static MrcStatus forms_read_file(const PolyhedronForm *form, const FormPlace *place, const char *folder,
                                 Hull **hull, MrcError *error) {
    char path[4096];
    bool absolute = form->file[0] == '/' || !folder || !folder[0];
    int length =
        snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", form->file);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, MRC_READ_FAILED, "cannot read '%.60s...': the path is too long", path);
    if (!(form->scale > 0))
        return error_set(error, MRC_MODEL, "'scale' is missing: what a length of 1 in '%s' is, as `1 mm`",
                         form->file);
    StlTriangles triangles = {0};
    MrcStatus status = stl_read(&triangles, path, error);
    for (size_t i = 0; i < triangles.corners.count; i++)
        triangles.corners.data[i] = forms_put(place, vec3_scale(form->scale, triangles.corners.data[i]));
    if (status == MRC_OK)
        status = hull_from_triangles(hull, triangles.corners.data, triangles.corners.count / 3, path, error);
    stl_free(&triangles);
    return status;
}

static MrcStatus forms_make_polyhedron(const PolyhedronForm *form, const FormPlace *place, const char *folder,
                                       Hull **hull, const char *name, MrcError *error) {
    if (form->file) return forms_read_file(form, place, folder, hull, error);
    Vec3 *points = memory_alloc(((size_t)form->vertex_count + 1) * sizeof *points);
    if (!points) return error_memory(error, name);
    for (int i = 0; i < form->vertex_count; i++) points[i] = forms_put(place, form->vertices[i].point);
    MrcStatus status = hull_create(hull, points, (size_t)form->vertex_count, name, error);
    memory_free(points);
    return status;
}

static double forms_vary(Random *random, double mean) {
    return fmax(1, mean * (1 + forms_variation * (2 * random_uniform(random) - 1)));
}

static MrcStatus forms_make_stone(const BallastForm *form, Random *random, Hull **hull, MrcError *error) {
    Vec3 points[200];
    double elongation = forms_vary(random, form->elongation), flatness = forms_vary(random, form->flatness);
    int count = (int)form->vertices;
    for (int i = 0; i < count; i++) {
        double widest = -1;
        for (int c = 0; c < forms_candidates; c++) {
            Vec3 p = vec3(random_normal(random), random_normal(random), random_normal(random));
            p = vec3_normalize(p);
            double nearest = 4;
            for (int k = 0; k < i; k++) nearest = fmin(nearest, vec3_norm2(vec3_sub(p, points[k])));
            if (nearest > widest) widest = nearest, points[i] = p;
        }
    }
    for (int i = 0; i < count; i++)
        points[i] = vec3(elongation * points[i].x, points[i].y, points[i].z / flatness);
    return hull_create(hull, points, (size_t)count, "a stone of 'ballast'", error);
}

// A part of a clump with faces.
static MrcStatus forms_make_part(const PartOfClump *form, int number, const char *folder, ClumpPart *part,
                                 const char *name, MrcError *error) {
    FormPlace place = {form->center, quaternion_to_matrix(quaternion_from_rotation_vector(form->turn))};
    char words[200];
    Hull *hull = NULL;
    snprintf(words, sizeof words, "part %d of %s", number, name);
    MrcStatus status = form->kind == FORM_BOX
                           ? forms_make_box(&form->box, &place, &hull, words, error)
                           : forms_make_polyhedron(&form->polyhedron, &place, folder, &hull, words, error);
    if (status == MRC_OK) *part = (ClumpPart){{SHAPE_POLYHEDRON, hull->radius, hull}, hull->center};
    return status;
}

static MrcStatus forms_make_clump(const ClumpForm *form, const char *folder, Clump **clump, const char *name,
                                  MrcError *error) {
    int count = 0;
    MrcStatus status = MRC_OK;
    ClumpPart *parts =
        memory_alloc(((size_t)form->sphere_count + (size_t)form->part_count + 1) * sizeof *parts);
    if (!parts) return error_memory(error, name);
    for (int k = 0; k < form->sphere_count; k++)
        parts[count++] = (ClumpPart){{SHAPE_SPHERE, form->spheres[k].radius, NULL}, form->spheres[k].center};
    bool few = form->part_count <= CLUMP_PARTS_MAX; // clump_create complains of more
    for (int k = 0; k < form->part_count && status == MRC_OK; k++, count++)
        if (few) status = forms_make_part(&form->parts[k], k + 1, folder, &parts[count], name, error);
    if (status == MRC_OK) status = clump_create(clump, parts, count, name, error);
    else
        for (int k = 0; k < count - 1; k++) hull_destroy((Hull *)parts[k].shape.form);
    memory_free(parts);
    return status;
}

// Half of the middle one of the three extents along the principal axes, radius 1.
static double forms_half_width(const Shape *shape) {
    Mat3 axes, second = shape->kind == SHAPE_CLUMP ? ((const Clump *)shape->form)->second_moment
                                                   : ((const Hull *)shape->form)->second_moment;
    double extents[3];
    mat3_symmetric_eigen(second, &axes);
    for (int a = 0; a < 3; a++) {
        Vec3 along = mat3_column(axes, a);
        extents[a] = 0.5 * (shape_reach(shape, along) + shape_reach(shape, vec3_neg(along)));
    }
    double most = fmax(extents[0], fmax(extents[1], extents[2])),
           least = fmin(extents[0], fmin(extents[1], extents[2]));
    return extents[0] + extents[1] + extents[2] - most - least;
}

// Keys that are missing or wrong have been reported.
static bool forms_box_is_complete(const BoxForm *box) {
    return box->size.x > 0 && box->size.y > 0 && box->size.z > 0;
}
static bool forms_polyhedron_is_complete(const PolyhedronForm *p) { return p->file || p->vertices; }

static bool forms_clump_is_complete(const ClumpForm *clump) {
    if (clump->sphere_count + clump->part_count == 0) return false;
    for (int k = 0; k < clump->sphere_count; k++)
        if (!(clump->spheres[k].radius > 0)) return false;
    for (int k = 0; k < clump->part_count; k++) {
        const PartOfClump *part = &clump->parts[k];
        if (!(part->kind == FORM_BOX          ? forms_box_is_complete(&part->box)
              : part->kind == FORM_POLYHEDRON ? forms_polyhedron_is_complete(&part->polyhedron)
                                              : false))
            return false;
    }
    return true;
}

static bool forms_are_complete(const FormsDefinition *d) {
    const BallastForm *b = &d->ballast;
    switch (d->kind) {
    case FORM_BOX:
        return forms_box_is_complete(&d->box);
    case FORM_POLYHEDRON:
        return forms_polyhedron_is_complete(&d->polyhedron);
    case FORM_CLUMP:
        return forms_clump_is_complete(&d->clump);
    case FORM_BALLAST:
        return b->vertices >= 4 && b->forms >= 1 && b->elongation >= 1 && b->flatness >= 1;
    case FORM_SPHERE:
        break;
    }
    return true;
}

// The shape of radius 1; *radius is that of the body as it is given [m].
static MrcStatus forms_make(const FormsDefinition *d, Random *random, const char *folder, const char *name,
                            Shape *shape, double *radius, MrcError *error) {
    Hull *hull = NULL;
    Clump *clump = NULL;
    if (d->kind == FORM_CLUMP) {
        MrcStatus status = forms_make_clump(&d->clump, folder, &clump, name, error);
        if (status != MRC_OK) return status;
        *shape = (Shape){.kind = SHAPE_CLUMP, .radius = 1, .form = clump};
        *radius = clump->radius;
        return MRC_OK;
    }
    MrcStatus status = d->kind == FORM_BOX ? forms_make_box(&d->box, &forms_here, &hull, name, error)
                       : d->kind == FORM_POLYHEDRON
                           ? forms_make_polyhedron(&d->polyhedron, &forms_here, folder, &hull, name, error)
                           : forms_make_stone(&d->ballast, random, &hull, error);
    if (status != MRC_OK) return status;
    *shape = (Shape){.kind = SHAPE_POLYHEDRON, .radius = 1, .form = hull};
    *radius = hull->radius;
    return MRC_OK;
}

MrcStatus forms_prepare(ParticlesDefinition *p, const char *folder, const char *name, MrcError *error) {
    const FormsDefinition *d = &p->form;
    if (d->kind == FORM_SPHERE || !forms_are_complete(d)) return MRC_OK;
    int count = d->kind == FORM_BALLAST ? (int)d->ballast.forms : 1;
    Shape *shapes = memory_alloc((size_t)count * sizeof *shapes);
    p->stretch = memory_alloc((size_t)count * sizeof *p->stretch);
    p->shapes = shapes;
    char words[160];
    snprintf(words, sizeof words, "the body of grains '%.100s'", name);
    if (!shapes || !p->stretch) return error_memory(error, words);
    Random random = {(uint64_t)d->ballast.seed};
    bool sieved = p->sizes.sieve_count > 0;
    double radius = 0;
    for (int k = 0; k < count; k++) {
        MrcStatus status = forms_make(d, &random, folder, words, &shapes[k], &radius, error);
        if (status != MRC_OK) return status;
        p->stretch[k] = sieved ? 1 / forms_half_width(&shapes[k]) : 1;
        p->shape_count = k + 1;
    }
    p->turned = d->kind == FORM_BALLAST || p->orientation == ORIENTATION_RANDOM;
    if (p->orientation == ORIENTATION_PORT) p->turned = false;
    bool given = p->radius > 0 || grain_sizes_are_given(&p->sizes) || (p->bed && p->bed->columns[BED_RADIUS]);
    if (d->kind != FORM_BALLAST && !given) p->radius = radius;
    return MRC_OK;
}

// ---- all kinds of a bed --------------------------------------------------------------------------
MrcStatus forms_join(GrainsDefinition *d, MrcError *error) {
    static const Shape sphere = {.kind = SHAPE_SPHERE, .radius = 1};
    int rows = 0;
    bool spheres = true;
    for (int k = 0; k < grains_kind_count(d); k++) {
        int own = grains_kind(d, k)->shape_count;
        spheres = spheres && own == 0;
        rows += own > 0 ? own : 1;
    }
    if (d->more_count == 0 || spheres) return MRC_OK;
    Shape *table = memory_alloc((size_t)rows * sizeof *table);
    if (!table) return error_memory(error, "the shapes of grains");
    for (int k = 0, first = 0; k < grains_kind_count(d); k++) {
        ParticlesDefinition *p = k == 0 ? &d->particles : &d->more[k - 1];
        if (p->shape_count == 0) table[first] = sphere, p->shape_count = 1;
        else memcpy(table + first, p->shapes, (size_t)p->shape_count * sizeof *table);
        memory_free((Shape *)p->shapes);
        p->shapes = table + first;
        p->first_shape = first;
        first += p->shape_count;
    }
    return MRC_OK;
}

// Whose shapes are the first in a table, or in none, owns the memory.
void forms_release(ParticlesDefinition *p) {
    for (int k = 0; k < p->shape_count; k++) {
        if (p->shapes[k].kind == SHAPE_CLUMP) clump_destroy((Clump *)p->shapes[k].form);
        if (p->shapes[k].kind == SHAPE_POLYHEDRON) hull_destroy((Hull *)p->shapes[k].form);
    }
    if (p->first_shape == 0) memory_free((Shape *)p->shapes);
    memory_free(p->stretch);
    p->shapes = NULL, p->stretch = NULL, p->shape_count = p->first_shape = 0;
}

uint64_t forms_hash(const GrainsDefinition *d, uint64_t hash) {
    for (int k = 0; k < grains_kind_count(d); k++) {
        const ParticlesDefinition *p = grains_kind(d, k);
        if (d->more_count > 0 && p->shape_count > 0)
            hash = hash_bytes(hash, &p->shape_count, sizeof p->shape_count);
        for (int s = 0; s < p->shape_count; s++) {
            const Shape *shape = &p->shapes[s];
            if (shape->kind == SHAPE_CLUMP) hash = clump_hash(shape->form, hash);
            if (shape->kind == SHAPE_POLYHEDRON) hash = hull_hash(shape->form, hash);
        }
    }
    return hash;
}

// ---- queries -------------------------------------------------------------------------------------
bool forms_are_spheres(const ParticlesDefinition *p) {
    return p->shape_count == 0 || p->shapes[0].kind == SHAPE_SPHERE;
}

double forms_volume_factor(const ParticlesDefinition *p) {
    if (forms_are_spheres(p)) return 1;
    double sum = 0;
    for (int k = 0; k < p->shape_count; k++) {
        double stretch = p->stretch ? p->stretch[k] : 1;
        Shape shape = p->shapes[k];
        shape.radius = 1;
        sum += shape_volume(&shape) * stretch * stretch * stretch / sphere_volume(1);
    }
    return sum / p->shape_count;
}

double forms_least_volume_factor(const ParticlesDefinition *p) {
    double least = forms_are_spheres(p) ? 1 : INFINITY;
    for (int k = 0; k < p->shape_count; k++) {
        Shape shape = p->shapes[k];
        shape.radius = p->stretch ? p->stretch[k] : 1;
        least = fmin(least, shape_volume(&shape) / sphere_volume(1));
    }
    return least;
}

// The most of n.n + (v x n) . J^-1 (v x n) for a corner v of the hull and a unit vector n, for mass 1.
static double forms_hull_mobility(const Hull *hull, Vec3 center, double scale, Mat3 inverse) {
    double most = 1;
    for (int v = 0; v < hull->vertex_count; v++) {
        Mat3 arm = mat3_skew(vec3_madd(center, scale, hull->vertices[v])), axes;
        Mat3 turning = mat3_mul(mat3_mul(mat3_transpose(arm), inverse), arm);
        Vec3 values = mat3_symmetric_eigen(turning, &axes);
        most = fmax(most, 1 + fmax(values.x, fmax(values.y, values.z)));
    }
    return most;
}

// Of the form of radius 1: its corners, 0 without any.
static double forms_corner_mobility(Shape shape) {
    shape.radius = 1;
    Mat3 inverse = mat3_inverse(shape_inertia(&shape, 1));
    if (shape.kind == SHAPE_POLYHEDRON) return forms_hull_mobility(shape.form, vec3_zero(), 1, inverse);
    const Clump *clump = shape.form;
    double most = 0;
    for (int p = 0; p < clump->part_count; p++) {
        const ClumpPart *part = &clump->parts[p];
        if (part->shape.kind != SHAPE_POLYHEDRON) continue;
        double own = forms_hull_mobility(part->shape.form, part->center, part->shape.radius, inverse);
        most = fmax(most, own);
    }
    return most;
}

// `corner`: share of the stiffness that one corner has. Each part with faces may lie flat, with all of the stiffness.
static double forms_shaking_by(const ParticlesDefinition *p, double corner) {
    double most = 1;
    for (int k = 0; k < p->shape_count; k++) {
        if (p->shapes[k].kind == SHAPE_SPHERE) continue;
        most = fmax(most, corner * forms_corner_mobility(p->shapes[k]));
        if (p->shapes[k].kind != SHAPE_CLUMP) continue;
        const Clump *clump = p->shapes[k].form;
        most = fmax(most, fmax(clump->shaking, clump->polyhedron_count));
    }
    return most;
}
double forms_shaking(const ParticlesDefinition *p) { return forms_shaking_by(p, 1); }
double forms_impact_shaking(const ParticlesDefinition *p) { return forms_shaking_by(p, 0.25); }

double forms_finest_part(const ParticlesDefinition *p) {
    double finest = 1;
    for (int k = 0; k < p->shape_count; k++)
        if (p->shapes[k].kind == SHAPE_CLUMP)
            finest = fmin(finest, ((const Clump *)p->shapes[k].form)->finest);
    return finest;
}

double forms_coarsest_part(const ParticlesDefinition *p) {
    const Shape *first = p->shapes;
    return p->shape_count > 0 && first->kind == SHAPE_CLUMP ? ((const Clump *)first->form)->coarsest : 1;
}

bool forms_are_round(const ParticlesDefinition *p) {
    return p->form.kind == FORM_SPHERE || (p->form.kind == FORM_CLUMP && p->form.clump.part_count == 0);
}

double forms_largest_stretch(const ParticlesDefinition *p) {
    double largest = 1;
    for (int k = 0; k < p->shape_count && p->stretch; k++) largest = fmax(largest, p->stretch[k]);
    return largest;
}

void forms_describe(const ParticlesDefinition *p, bool several, Text *text) {
    const Hull *hull = p->form.kind == FORM_POLYHEDRON && p->shape_count > 0 ? p->shapes[0].form : NULL;
    const ClumpForm *clump = &p->form.clump;
    int parts = clump->part_count + clump->sphere_count;
    switch (p->form.kind) {
    case FORM_BOX:
        text_add(text, "box%s", several ? "es" : "");
        return;
    case FORM_POLYHEDRON:
        text_add(text, "convex bod%s of %d vertices", several ? "ies" : "y", hull ? hull->vertex_count : 0);
        return;
    case FORM_BALLAST:
        text_add(text, "stone%s of %d vertices in %d forms", several ? "s" : "",
                 (int)p->form.ballast.vertices, (int)p->form.ballast.forms);
        return;
    case FORM_CLUMP:
        text_add(text, "clump%s of %d %s%s", several ? "s" : "", parts,
                 clump->part_count == 0     ? "sphere"
                 : clump->sphere_count == 0 ? "convex part"
                                            : "part",
                 parts == 1 ? "" : "s");
        return;
    case FORM_SPHERE:
        text_add(text, "sphere%s", several ? "s" : "");
        return;
    }
}
