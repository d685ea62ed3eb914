// Periodic boundaries: what leaves on one side of the bed comes in on the other, and grains touch across. Each pair has one
// distance, to the nearest image:
//
//     d - L round(d/L)
//
// with L > 2 (2 r + skin), so that no other image is in reach. Grains are put back into the range when lists are made; in
// between they may be beyond it by a fraction of a radius. Where gravity acts along a periodic direction, a grain that
// is put back by the vector s has the potential energy -m g s more: the ledger records it as carried in.
#ifndef GRAINS_PERIODIC_H
#define GRAINS_PERIODIC_H

#include <math.h>

#include "grains/definition.h"
#include "math/frame.h"
#include "math/simd.h"
#include "schema/findings.h"

typedef struct Periodic {
    bool any, along[3];
    double lower[3], length[3]; // world axes [m]
} Periodic;

struct Grains;

Periodic periodic_of_bed(const GrainsDefinition *definition, const Motion *port);
// Puts all grains back into the range and records the energy.
void periodic_put_back(struct Grains *grains);

void periodic_check(const GrainsDefinition *definition, const Findings *findings);

static inline double periodic_nearest_along(const Periodic *p, int k, double d) {
    return p->along[k] ? d - p->length[k] * round(d / p->length[k]) : d;
}

// The difference of two places, to the nearest image.
static inline Vec3 periodic_nearest(const Periodic *p, Vec3 d) {
    if (!p->any) return d;
    return vec3(periodic_nearest_along(p, 0, d.x), periodic_nearest_along(p, 1, d.y),
                periodic_nearest_along(p, 2, d.z));
}

static inline Vec3 periodic_place(const Periodic *p, Vec3 at) {
    double x[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; k++)
        if (p->along[k]) x[k] -= p->length[k] * floor((x[k] - p->lower[k]) / p->length[k]);
    return vec3(x[0], x[1], x[2]);
}

// The images of a place in a box with sides along the axes of the world, the place itself being one of them.
typedef struct PeriodicImages {
    Vec3 first;    // the one with the smallest coordinates [m]
    int64_t count; // of all
    int64_t many[3];
} PeriodicImages;
PeriodicImages periodic_images(const Periodic *p, Vec3 at, Vec3 lower, Vec3 upper);

static inline Vec3 periodic_image(const Periodic *p, const PeriodicImages *images, int64_t n) {
    int64_t x = n % images->many[0], y = n / images->many[0] % images->many[1],
            z = n / images->many[0] / images->many[1];
    return vec3_add(images->first,
                    vec3((double)x * p->length[0], (double)y * p->length[1], (double)z * p->length[2]));
}

// The nearest image for vectors; both places are in the range or beyond it by less than half its length.
static inline void periodic_nearest_wide(const Periodic *p, Wide d[3]) {
    for (int k = 0; k < 3; k++) {
        if (!p->along[k]) continue;
        Wide half = wide_set(0.5 * p->length[k]), zero = wide_set(0), length = wide_set(p->length[k]);
        d[k] = d[k] - wide_select(wide_less(half, d[k]), length, zero) +
               wide_select(wide_less(d[k], zero - half), length, zero);
    }
}

#endif
