// The table of shapes, and the functions of all shapes.
#include "geometry/shape.h"

#include <assert.h>

#define SHAPE_POINTER(number, name) [number] = &shape_type_##name,
static const ShapeType *const shape_types[] = {SHAPE_TYPES(SHAPE_POINTER)};

static const ShapeType *shape_type(const Shape *shape) {
    assert((unsigned)shape->kind < SHAPE_KIND_COUNT);
    return shape_types[shape->kind];
}

bool shape_is_round(const Shape *shape) { return shape_type(shape)->round; }
bool shape_holds(const Shape *shape, Vec3 point) { return shape_type(shape)->holds(shape, point); }
double shape_volume(const Shape *shape) { return shape_type(shape)->volume(shape); }
Mat3 shape_inertia(const Shape *shape, double mass) { return shape_type(shape)->inertia(shape, mass); }

double shape_reach(const Shape *shape, Vec3 direction) {
    return shape_type(shape)->reach ? shape_type(shape)->reach(shape, direction) : shape->radius;
}

MrcStatus shape_surface(const Shape *shape, const Pose *pose, Surface *surface, MrcError *error) {
    const ShapeType *type = shape_type(shape);
    if (!type->surface || type->surface(shape, pose, surface)) return MRC_OK;
    return error_memory(error, "the surface of a grain");
}

int shape_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                        ShapeContact *contacts) {
    return shape_wall_contacts_passing(shape, pose, wall, margin, vec3_zero(), contacts);
}

int shape_wall_contacts_passing(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                                Vec3 way, ShapeContact *contacts) {
    const ShapeSearch search = {margin, SHAPE_FEW_POINTS, way};
    return shape_type(shape)->wall_contacts(shape, pose, wall, &search, contacts);
}

int shape_wall_points(const Shape *shape, const Pose *pose, const Wall *wall, double margin,
                      ShapeContact *contacts) {
    const ShapeSearch search = {margin, SHAPE_ALL_POINTS, vec3_zero()};
    return shape_type(shape)->wall_contacts(shape, pose, wall, &search, contacts);
}

int64_t shape_feature_exchanged(int64_t feature) {
    int64_t kind = feature >> 60, a = feature >> 30 & 0x3fffffff, b = feature & 0x3fffffff;
    if (kind == 0) return feature;
    if (kind == FEATURE_VERTEX_OF_A || kind == FEATURE_VERTEX_OF_B)
        kind = kind == FEATURE_VERTEX_OF_A ? FEATURE_VERTEX_OF_B : FEATURE_VERTEX_OF_A;
    return shape_feature((ShapeFeature)kind, b, a);
}

static Shape shape_part(const Shape *shape, int number) {
    const ShapeType *type = shape_type(shape);
    return type->part ? type->part(shape, number) : *shape;
}
Shape shape_part_of_a(const Shape *a, int64_t feature) {
    return shape_part(a, shape_part_number_of_a(feature));
}
Shape shape_part_of_b(const Shape *b, int64_t feature) {
    return shape_part(b, shape_part_number_of_b(feature));
}

double shape_finest_radius(const Shape *shape) {
    const ShapeType *type = shape_type(shape);
    return type->finest_radius ? type->finest_radius(shape) : shape->radius;
}

// The later row of the table computes the pair; exchanging the two grains turns the normal round.
static int shape_pair_find(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                           const ShapeSearch *search, Vec3 *axis, ShapeContact *contacts) {
    if (a->kind >= b->kind) return shape_type(a)->pair_contacts(a, pose_a, b, pose_b, search, axis, contacts);
    const ShapeSearch other = {search->margin, search->points, vec3_neg(search->way)};
    *axis = vec3_neg(*axis);
    int count = shape_type(b)->pair_contacts(b, pose_b, a, pose_a, &other, axis, contacts);
    *axis = vec3_neg(*axis);
    for (int c = 0; c < count; c++) {
        contacts[c].normal = vec3_neg(contacts[c].normal);
        contacts[c].feature = shape_feature_exchanged(contacts[c].feature);
    }
    return count;
}

int shape_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b, double margin,
                        ShapeContact *contacts) {
    Vec3 axis = vec3_zero();
    return shape_pair_find(a, pose_a, b, pose_b, &(ShapeSearch){margin, SHAPE_FEW_POINTS, vec3_zero()}, &axis,
                           contacts);
}

static bool shape_pair_is_apart(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                                double margin, Vec3 axis) {
    double length = vec3_norm(axis);
    const ShapeType *type_a = shape_type(a), *type_b = shape_type(b);
    if (!(length > 0) || !type_a->reach || !type_b->reach) return false;
    Vec3 into_b = quaternion_unrotate(pose_a->orientation, vec3_neg(axis)),
         into_a = quaternion_unrotate(pose_b->orientation, axis);
    return vec3_dot(axis, vec3_sub(pose_a->position, pose_b->position)) - type_a->reach(a, into_b) -
               type_b->reach(b, into_a) >=
           margin * length;
}

int shape_pair_contacts_again(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                              double margin, Vec3 way, Vec3 *axis, ShapeContact *contacts) {
    if (shape_pair_is_apart(a, pose_a, b, pose_b, margin, *axis)) return 0;
    return shape_pair_find(a, pose_a, b, pose_b, &(ShapeSearch){margin, SHAPE_FEW_POINTS, way}, axis,
                           contacts);
}

int shape_pair_points(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b, double margin,
                      Vec3 *axis, ShapeContact *contacts) {
    if (shape_pair_is_apart(a, pose_a, b, pose_b, margin, *axis)) return 0;
    return shape_pair_find(a, pose_a, b, pose_b, &(ShapeSearch){margin, SHAPE_ALL_POINTS, vec3_zero()}, axis,
                           contacts);
}
