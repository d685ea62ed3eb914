// Rolling resistance by an elastic-plastic spring and dashpot (Ai, Chen, Rotter and Ooi, Powder Technology
// 206, 2011, doi:10.1016/j.powtec.2010.09.030):
//
//     r <- r + w h;   m = -k_r r,  |m| <= mu_R R f_n;   plus -c_r w while it does not slip
//     k_r = 2.25 k (mu_R R)^2,  c_r = 2 * 0.3 sqrt(I k_r)
//
// w is the relative angular velocity, R the effective radius, I the effective moment of inertia, k the normal
// stiffness at this overlap; LAW_ROLLING_FRICTION is mu_R.
#include "grains/law.h"

static void rolling_spring_forces(ContactBatch *b, const LawTable *table) {
    Wide h = wide_set(b->step), tiny = wide_set(1e-300), one = wide_set(1), zero = wide_set(0);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide wx = wide_load(b->wx + k), wy = wide_load(b->wy + k), wz = wide_load(b->wz + k);
        Wide rx = wide_load(b->rx + k) + h * wx, ry = wide_load(b->ry + k) + h * wy,
             rz = wide_load(b->rz + k) + h * wz;
        Wide arm = law_parameter(table, LAW_ROLLING_FRICTION, b, k) * wide_load(b->radius + k);
        Wide stiffness = wide_set(2.25) * wide_load(b->stiffness + k) * arm * arm;
        Wide mx = stiffness * rx, my = stiffness * ry, mz = stiffness * rz;
        Wide moment2 = mx * mx + my * my + mz * mz, limit = arm * wide_load(b->normal + k);
        WideMask slips = wide_less(limit * limit, moment2);
        Wide scale = wide_select(slips, limit / wide_sqrt(moment2 + tiny), one);
        Wide damping = wide_set(0.6) * wide_sqrt(wide_load(b->inertia + k) * stiffness);
        damping = wide_select(slips, zero,
                              damping / (one + wide_set(0.5) * h * damping / wide_load(b->inertia + k)));
        rx = scale * rx, ry = scale * ry, rz = scale * rz;
        wide_store(b->rx + k, rx);
        wide_store(b->ry + k, ry);
        wide_store(b->rz + k, rz);
        wide_store(b->mx + k, -(scale * mx + damping * wx));
        wide_store(b->my + k, -(scale * my + damping * wy));
        wide_store(b->mz + k, -(scale * mz + damping * wz));
        Wide energy = wide_set(0.5) * stiffness * (rx * rx + ry * ry + rz * rz);
        wide_store(b->rolling_energy + k, energy);
    }
}

const RollingLawType rolling_law_spring = {
    .choice = {.word = "spring", .doc = "a spring that yields at that moment: grains can come to rest"},
    .words = "(with a spring) ",
    .forces = rolling_spring_forces,
};
