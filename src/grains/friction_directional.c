// Directional friction without memory (Eq. 2 of doi:10.3390/pr10071247):
//
//     f_t = -mu f_n v_t / |v_t|,   at most  m_t |v_t| / h
//
// The bound is the force that brings the sliding to rest within one step. m_t is the effective mass of the
// contact point of two spheres for a tangential impulse, 2/7 of that along the normal. Without it the discrete
// law would reverse the sliding at every step and add energy. LAW_FRICTION is mu.
#include "grains/law.h"

static void friction_directional_forces(ContactBatch *b, const LawTable *table) {
    Wide to_rest = wide_set(2.0 / 7.0 / b->step), tiny = wide_set(1e-300), zero = wide_set(0);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide x = wide_load(b->tx + k), y = wide_load(b->ty + k), z = wide_load(b->tz + k);
        Wide speed = wide_sqrt(x * x + y * y + z * z + tiny);
        Wide slide = law_parameter(table, LAW_FRICTION, b, k) * wide_load(b->normal + k) / speed;
        Wide factor = -wide_min(slide, to_rest * wide_load(b->mass + k));
        wide_store(b->fx + k, factor * x);
        wide_store(b->fy + k, factor * y);
        wide_store(b->fz + k, factor * z);
        wide_store(b->tangential_energy + k, zero);
    }
}

const TangentialLawType tangential_law_directional = {
    .choice = {.word = "directional", .doc = "friction against the direction of sliding, without memory"},
    .words = "directional friction",
    .forces = friction_directional_forces,
    .creeps = true,
};
