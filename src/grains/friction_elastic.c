// Elastic friction with memory: friction_memory.h, with a constant stiffness
//
//     k_T = LAW_TANGENTIAL = tangential_ratio k [N/m]
//
// A tangential spring that is stiffer than 2/7 of the normal one swings faster than the contact lasts: its half
// period is shorter by sqrt(7/2 tangential_ratio), because the tangential effective mass is 2/7 of the normal one.
#include <math.h>

#include "grains/friction_memory.h"

static void friction_elastic_forces(ContactBatch *b, const LawTable *table) {
    friction_with_memory(b, table, false);
}

static double friction_elastic_stiffness(const LawPair *pair, double normal) {
    return pair->grains->contact.tangential_ratio * normal;
}

static double friction_elastic_shortening(const ContactDefinition *contact) {
    return sqrt(fmax(1, 3.5 * contact->tangential_ratio));
}

const TangentialLawType tangential_law_elastic = {
    .choice = {.word = "elastic",
               .doc = "a spring that slips at the friction limit: grains can stick; for linear contacts"},
    .words = "elastic friction",
    .forces = friction_elastic_forces,
    .goes_with = LAW_CONSTANT_STIFFNESS,
    .spring = true,
    .stiffness = friction_elastic_stiffness,
    .shortening = friction_elastic_shortening,
};
