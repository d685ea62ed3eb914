// Beds of grains that are no spheres, for tests: of one shape, or of clumps of three balls.
#ifndef TESTS_GRAINS_BODIES_H
#define TESTS_GRAINS_BODIES_H

#include "bed.h"

#include "clumps.h"
#include "grains/forms.h"
#include "grains/method.h"

typedef struct BodyBed {
    Bed bed;
    Shape shape;
    Clump *clump; // NULL: the shape is no clump
} BodyBed;

// How grains that are no spheres touch: rigid ones without restitution, others by springs of 1 MN/m, friction with memory.
static inline void bodies_set_method(Bed *bed, int method) {
    bool smooth = method == METHOD_SMOOTH;
    bed->definition.method = method;
    bed->definition.contact.solver.tolerance = 1e-8;
    bed->definition.contact.law = CONTACT_COULOMB;
    bed->definition.contact.stiffness = 1e6;
    bed->definition.contact.tangential = TANGENTIAL_ELASTIC;
    if (!smooth) bed->step = 1e-3;
    bed_set_coefficients(bed, smooth ? 0.3 : 0, 0.5, 0);
}

// `count` grains of this shape in a room of 20 m whose floor is at z = 0; to be changed, then bed_create.
static inline void bodies_default(BodyBed *b, Shape shape, int count, int method) {
    b->bed = bed_default();
    b->shape = shape, b->clump = NULL;
    b->bed.definition.particles.shapes = &b->shape;
    b->bed.definition.particles.shape_count = shape.kind == SHAPE_SPHERE ? 0 : 1;
    b->bed.definition.particles.radius = shape.radius;
    b->bed.definition.particles.count = count;
    b->bed.walls[0].shape = box_wall(vec3(0, 0, 10), vec3(20, 20, 20));
    b->bed.gravity = vec3(0, 0, -9.81);
    b->bed.keep_orientation = true;
    bodies_set_method(&b->bed, method);
}

static inline void bodies_of_clumps(BodyBed *b, const ClumpPart *parts, int part_count, int count,
                                    int method) {
    Clump *clump = clumps_make(parts, part_count);
    bodies_default(b, clumps_shape(clump), count, method);
    b->clump = clump;
}

static inline void bodies_destroy(BodyBed *b) {
    bed_destroy(&b->bed);
    clump_destroy(b->clump);
}

// ---- three balls that overlap, at the corners of a triangle --------------------------------------
static inline void tripods_default(Bed *bed, SphereOfClump spheres[3], int64_t count, int method) {
    MrcError error = {0};
    const double r = 0.02, away = 0.022;
    for (int k = 0; k < 3; k++)
        spheres[k] = (SphereOfClump){vec3(away * cos(2 * M_PI * k / 3), away * sin(2 * M_PI * k / 3), 0), r};
    *bed = bed_default();
    ParticlesDefinition *p = &bed->definition.particles;
    *p = (ParticlesDefinition){.form = {.kind = FORM_CLUMP, .clump = {.spheres = spheres, .sphere_count = 3}},
                               .orientation = ORIENTATION_RANDOM,
                               .count = count,
                               .material = "grain"};
    if (forms_prepare(p, "", "tripods", &error)) fail_msg("%s", error.text);
    bodies_set_method(bed, method);
    bed->definition.packing = (PackingDefinition){.kind = PACKING_CUBIC, .limit = 10, .seed = 1};
    bed->walls[0].shape = box_wall(vec3_zero(), vec3(0.3, 0.3, 0.9));
    bed->gravity = vec3(0, 0, -9.81);
}

static inline void bodies_release(Bed *bed) { // of forms that were prepared
    bed_destroy(bed);
    for (int k = bed->definition.more_count - 1; k >= 0; k--) forms_release(&bed->definition.more[k]);
    forms_release(&bed->definition.particles);
}

#endif
