// A constant attraction while two bodies touch: LAW_COHESION is the force C [N], as rigid grains have it.
//
//     f = -C,   U = -C s,   s >= 0
#include "grains/law.h"

static void cohesion_constant_forces(ContactBatch *b, const LawTable *table) {
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide pull = law_parameter(table, LAW_COHESION, b, k), zero = wide_set(0);
        pull = wide_select(wide_less(zero, wide_load(b->gap + k)), zero, pull);
        wide_store(b->pull + k, pull);
        wide_store(b->pull_energy + k, zero - pull * wide_load(b->overlap + k));
    }
}

static LawCohesion cohesion_constant_values(const LawPair *pair, const LawCoefficients *c) {
    (void)pair;
    return (LawCohesion){.first = c->cohesion};
}

const CohesionLawType cohesion_law_constant = {
    .choice = {.word = "constant",
               .doc = "the materials' `cohesion`, a force, while they touch: as of rigid grains"},
    .words = "a constant force",
    .forces = cohesion_constant_forces,
    .values = cohesion_constant_values,
};
