// Linear spring-dashpot (DAMPER 2.1.1):
//
//     f = max(0, k s + c ds/dt),    c = 2 zeta sqrt(k m)
//
// s is the overlap, m the effective mass; LAW_STIFFNESS is k [N/m], LAW_DAMPING is zeta. The force never
// pulls: a contact ends when f reaches zero, which is before the overlap does. Restitution as a function of
// the damping ratio is then (Schwager and Poeschel, Granular Matter 9, 2007, doi:10.1007/s10035-007-0065-z),
// with w = sqrt(|1 - zeta^2|):
//
//     zeta < 1/sqrt(2):      e = exp(-zeta/w (pi - atan(2 zeta w/(1 - 2 zeta^2))))
//     1/sqrt(2) .. 1:        e = exp(-zeta/w atan(2 zeta w/(2 zeta^2 - 1)))
//     zeta > 1:              e = exp(-zeta/w ln((zeta + w)/(zeta - w)))
//
// The first two cases are one: the angle between the axes (2 zeta^2 - 1) and 2 zeta w, by atan2. The usual
// formula zeta = -ln e/sqrt(pi^2 + ln^2 e) belongs to a contact that ends at s = 0 and so pulls at its end.
//
// In symplectic Euler the stored velocity belongs to the middle between two positions, half a step before the
// force. The speed of approach in the middle of the kick, as far as this contact changes it, is a - h f/(2
// m); solved for f it gives the factor 1/(1 + c h/(2 m)). It makes damping second order in the step (0.26 %
// error of the rebound speed at e = 0.5 and 100 steps per contact without it, below 0.04 % with it) and
// stable for any c. How long before the force a contact began is anything between nothing and a whole step;
// law_onset has the dashpot act for just that long.
//
// Without damping, symplectic Euler keeps y^2 + q s (s + y) from step to step, with q = h^2 k/m and y = h a
// the way of the next step; but a contact that began since the last kick, at s < y, enters with q s (y - s)
// less than its y^2, and one that ends takes as much too much with it. The two differ by chance, 0.1 q of the
// energy per impact: 0.3 % at 20 steps per contact, and so the energy of a gas wanders. Here the first kick
// is the one that enters with y^2, and the last one leaves with all there is, the same backwards:
//
//     first (s < y):        y' = -q s/2 + sqrt(y^2 - q s^2 (1 - q/4))
//     last (s < q s - y):   y' = -sqrt(y^2 + q s (s - y))
//
// Both go over into the common kick, y' = y - q s, at their borders.
#include "grains/law.h"

// The force of a contact without damping.
static inline Wide elastic_force(Wide overlap, Wide approach, Wide step, Wide mass, Wide stiffness) {
    Wide zero = wide_set(0), way = approach * step, q = step * step * stiffness / mass, push = q * overlap;
    WideMask first = wide_less(overlap, way);
    WideMask last = wide_mask_and(wide_less(overlap, push - way), wide_less(way, zero));
    Wide force = stiffness * overlap;
    if (!wide_mask_any(wide_mask_or(first, last))) return force;
    Wide inside = way * way - push * overlap * (wide_set(1) - wide_set(0.25) * q);
    Wide in = wide_sqrt(wide_max(inside, zero)) - wide_set(0.5) * push;
    Wide out = -wide_sqrt(wide_max(way * way + push * (overlap - way), zero));
    Wide after = wide_select(first, in, out), scale = mass / (step * step);
    return wide_select(wide_mask_or(first, last), (way - after) * scale, force);
}

void law_linear(ContactBatch *b, const LawTable *table) {
    Wide h = wide_set(b->step), half_step = wide_set(0.5 * b->step), zero = wide_set(0), one = wide_set(1);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide stiffness = law_parameter(table, LAW_STIFFNESS, b, k), overlap = wide_load(b->overlap + k);
        Wide spring = stiffness * overlap, energy = wide_set(0.5) * spring * overlap, force = spring,
             booked = spring;
        if (table->damped) {
            Wide mass = wide_load(b->mass + k);
            Wide damping =
                (one + one) * law_parameter(table, LAW_DAMPING, b, k) * wide_sqrt(stiffness * mass);
            damping = damping * law_onset(overlap, wide_load(b->approach + k), h);
            force = (spring + damping * wide_load(b->approach + k)) / (one + half_step * damping / mass);
            force = wide_max(force, zero);
            booked = law_booked_spring(overlap, wide_load(b->approach + k), h, mass, spring, energy, force);
        } else {
            force = elastic_force(overlap, wide_load(b->approach + k), h, wide_load(b->mass + k), stiffness);
            booked = force;
        }
        wide_store(b->spring + k, booked);
        wide_store(b->normal + k, force);
        wide_store(b->stiffness + k, stiffness);
        wide_store(b->energy + k, energy);
    }
}

double linear_restitution(double zeta) {
    if (zeta <= 0) return 1;
    double distance = 1 - zeta * zeta;
    if (fabs(distance) < 1e-9) return exp(-2); // limit of both sides
    double w = sqrt(fabs(distance));
    if (distance > 0) return exp(-zeta / w * atan2(2 * zeta * w, 2 * zeta * zeta - 1));
    return exp(-zeta / w * log((zeta + w) / (zeta - w)));
}

double linear_damping_ratio(double restitution) {
    if (restitution >= 1) return 0;
    double low = 0, high = 1;
    while (linear_restitution(high) > restitution && high < 1e6) high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (linear_restitution(middle) > restitution) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}
