// Mindlin's friction: friction_memory.h, with a stiffness that follows the radius a of the contact area (Mindlin 1949;
// as in Di Renzo and Di Maio 2004, doi:10.1016/j.ces.2003.09.037)
//
//     k_T = LAW_TANGENTIAL a,   LAW_TANGENTIAL = 8 G' [Pa],   1/G' = (2 - nu1)/G1 + (2 - nu2)/G2
#include "grains/friction_memory.h"

static void friction_mindlin_forces(ContactBatch *b, const LawTable *table) {
    friction_with_memory(b, table, true);
}

static double friction_mindlin_stiffness(const LawPair *pair, double normal) {
    const Material *a = pair->grain, *b = pair->other;
    double ga = a->young / (2 * (1 + a->poisson)), gb = b->young / (2 * (1 + b->poisson));
    (void)normal;
    return 8 * (1 / ((2 - a->poisson) / ga + (2 - b->poisson) / gb));
}

const TangentialLawType tangential_law_mindlin = {
    .choice = {.word = "mindlin",
               .doc = "the same with the stiffness of the contact area after Mindlin; for Hertz contacts"},
    .words = "Mindlin's friction",
    .forces = friction_mindlin_forces,
    .goes_with = LAW_ELASTIC_BODIES,
    .spring = true,
    .stiffness = friction_mindlin_stiffness,
};
