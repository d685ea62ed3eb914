// Liquid bridges between wet grains, in the approximation of a cylinder of liquid (Pitois, Moucheront and Chateau 2000,
// doi:10.1006/jcis.2000.7096): with the surface tension g, the angle t of contact, the volume V of the bridge, the mean radius
// R = 2 r_i r_j/(r_i + r_j) (of a wall: 2 r) and the distance S of the surfaces
//
//     f = -2 pi R g cos(t) (1 - S/sqrt(S^2 + b)),     b = 2 V/(pi R)
//     U = 2 pi R g cos(t) (S - sqrt(S^2 + b) + sqrt(b)),
//
// constant while they touch. A bridge forms when they touch and breaks at S = (1 + t/2) V^(1/3) (Lian, Thornton and Adams
// 1993, doi:10.1006/jcis.1993.1452); what is stored in it then is lost. Viscosity is left out, and so is the volume
// that bridges exchange. LAW_COHESION is g cos(t), LAW_COHESION_SECOND is V.
#include <math.h>

#include "grains/law.h"

static void cohesion_capillary_forces(ContactBatch *b, const LawTable *table) {
    Wide one = wide_set(1);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide radius = wide_set(2) * wide_load(b->radius + k), gap = wide_load(b->gap + k);
        Wide most = wide_set(2 * M_PI) * radius * law_parameter(table, LAW_COHESION, b, k);
        Wide width = wide_set(2 / M_PI) * law_parameter(table, LAW_COHESION_SECOND, b, k) / radius;
        Wide length = wide_sqrt(gap * gap + width);
        wide_store(b->pull + k, most * (one - gap / wide_max(length, wide_set(1e-300))));
        wide_store(b->pull_energy + k,
                   most * (gap - length + wide_sqrt(width)) - most * wide_load(b->overlap + k));
    }
}

static LawCohesion cohesion_capillary_values(const LawPair *pair, const LawCoefficients *c) {
    (void)c;
    const LiquidDefinition *liquid = &pair->grains->contact.liquid;
    return (LawCohesion){liquid->surface_tension * cos(liquid->angle), liquid->volume, liquid->angle};
}

static double cohesion_capillary_range(LawCohesion value, double radius) {
    (void)radius;
    return (1 + 0.5 * value.angle) * cbrt(value.second);
}

const CohesionLawType cohesion_law_capillary = {
    .choice = {.word = "capillary", .doc = "bridges of the `liquid` between wet grains, and to walls"},
    .words = "by liquid bridges",
    .forces = cohesion_capillary_forces,
    .values = cohesion_capillary_values,
    .range = cohesion_capillary_range,
    .by_liquid = true,
};
