// Constant rolling resistance (Eq. 6 of doi:10.3390/pr10071247), a moment against the relative angular velocity w of
// the two bodies:
//
//     m = -mu_R R f_n w/|w|,   at most I |w|/h
//
// The bound is what brings the rolling to rest within one step. R is the effective radius, I the effective
// moment of inertia; LAW_ROLLING_FRICTION is mu_R.
#include "grains/law.h"

static void rolling_constant_forces(ContactBatch *b, const LawTable *table) {
    Wide per_step = wide_set(1 / b->step), tiny = wide_set(1e-300);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide x = wide_load(b->wx + k), y = wide_load(b->wy + k), z = wide_load(b->wz + k);
        Wide speed = wide_sqrt(x * x + y * y + z * z + tiny);
        Wide limit = law_parameter(table, LAW_ROLLING_FRICTION, b, k) * wide_load(b->radius + k);
        Wide factor =
            -wide_min(limit * wide_load(b->normal + k) / speed, wide_load(b->inertia + k) * per_step);
        wide_store(b->mx + k, factor * x);
        wide_store(b->my + k, factor * y);
        wide_store(b->mz + k, factor * z);
        wide_store(b->rolling_energy + k, wide_set(0));
    }
}

const RollingLawType rolling_law_constant = {
    .choice = {.word = "constant", .doc = "a constant moment against the direction of rolling"},
    .words = "",
    .forces = rolling_constant_forces,
};
