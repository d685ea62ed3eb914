// Adhesion of small or stiff spheres (Derjaguin, Muller and Toporov 1975, doi:10.1016/0021-9797(75)90018-1): outside of the
// contact area the surfaces attract each other with
//
//     C = 2 pi w R
//
// which is also the force that pulls them apart. w is the work of adhesion [J/m^2], R the effective radius; LAW_COHESION is w.
#include <math.h>

#include "grains/law.h"

static void cohesion_dmt_forces(ContactBatch *b, const LawTable *table) {
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide zero = wide_set(0), pull = wide_set(2 * M_PI) * law_parameter(table, LAW_COHESION, b, k);
        pull = pull * wide_load(b->radius + k);
        pull = wide_select(wide_less(zero, wide_load(b->gap + k)), zero, pull);
        wide_store(b->pull + k, pull);
        wide_store(b->pull_energy + k, zero - pull * wide_load(b->overlap + k));
    }
}

static LawCohesion cohesion_dmt_values(const LawPair *pair, const LawCoefficients *c) {
    (void)pair;
    return (LawCohesion){.first = c->adhesion};
}

const CohesionLawType cohesion_law_dmt = {
    .choice = {.word = "dmt",
               .doc =
                   "2 pi R times the materials' `adhesion` (Derjaguin, Muller, Toporov), while they touch"},
    .words = "after Derjaguin, Muller and Toporov",
    .forces = cohesion_dmt_forces,
    .values = cohesion_dmt_values,
    .by_adhesion = true,
};
