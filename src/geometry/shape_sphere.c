// Spheres:
//
//     volume 4/3 pi r^3,   moment of inertia 2/5 m r^2
//
// Two spheres, with d = x_a - x_b:
//
//     gap = |d| - (r_a + r_b),   normal = d/|d|,   point = x_b + (r_b + gap/2) normal
#include "geometry/shape.h"

static double shape_sphere_volume(const Shape *shape) {
    return 4.0 / 3.0 * M_PI * shape->radius * shape->radius * shape->radius;
}

static Mat3 shape_sphere_inertia(const Shape *shape, double mass) {
    double moment = 0.4 * mass * shape->radius * shape->radius;
    return mat3_diagonal(moment, moment, moment);
}

static int shape_sphere_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall,
                                      const ShapeSearch *search, ShapeContact *contacts) {
    WallContact found[WALL_CONTACT_MAX];
    int count = wall_contacts_of_sphere(wall, pose->position, shape->radius, search->margin, found);
    for (int c = 0; c < count; c++)
        contacts[c] = (ShapeContact){
            .gap = found[c].gap,
            .normal = found[c].normal,
            .point = vec3_madd(pose->position, -(shape->radius + 0.5 * found[c].gap), found[c].normal),
            .feature = found[c].feature};
    return count;
}

static int shape_sphere_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                                      const ShapeSearch *search, Vec3 *axis, ShapeContact *contacts) {
    (void)axis; // finding the contact is as quick
    Vec3 offset = vec3_sub(pose_a->position, pose_b->position);
    double distance = vec3_norm(offset), gap = distance - (a->radius + b->radius);
    if (!(gap < search->margin)) return 0;
    Vec3 normal = distance > 0 ? vec3_scale(1 / distance, offset) : vec3(0, 0, 1);
    contacts[0] = (ShapeContact){.gap = gap,
                                 .normal = normal,
                                 .point = vec3_madd(pose_b->position, b->radius + 0.5 * gap, normal),
                                 .feature = 0};
    return 1;
}

static bool shape_sphere_holds(const Shape *shape, Vec3 point) {
    return vec3_norm2(point) <= shape->radius * shape->radius;
}

const ShapeType shape_type_sphere = {
    .name = "sphere",
    .round = true,
    .volume = shape_sphere_volume,
    .inertia = shape_sphere_inertia,
    .holds = shape_sphere_holds,
    .wall_contacts = shape_sphere_wall_contacts,
    .pair_contacts = shape_sphere_pair_contacts,
};
