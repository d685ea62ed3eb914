// Adhesion of soft elastic spheres (Johnson, Kendall and Roberts 1971, doi:10.1098/rspa.1971.0141). With the work of adhesion
// w, 1/E = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b, the effective radius R and the radius a of the contact area
//
//     s = a^2/R - sqrt(2 pi w a/E)
//     F = 4 E a^3/(3 R) - sqrt(8 pi w E a^3)
//
// With a = a0 x^2, a0^3 = 2 pi w R^2/E, the radius at s = 0:
//
//     s = a0^2/R (x^4 - x)                                             for x >= 4^(-1/3)
//     F = 4 pi w R (2/3 x^6 - x^3)                                     at least -3/2 pi w R: the pull-off force
//     U = 4 pi w a0^2 (4/15 x^10 - 2/3 x^7 + x^4/4 + 3/20)             the integral of F from s = 0
//
// The contact begins at s = 0 and breaks at x = 4^(-1/3), s = -3/4 4^(-1/3) a0^2/R, where a neck cannot be longer. What is
// stored there, 2.083 w a0^2, is lost. The law of Hertz (law_hertz.c) has its part of F already; this file has the
// difference. LAW_COHESION is w, LAW_COHESION_SECOND is E.
#include <math.h>

#include "grains/law.h"

static const double jkr_last = 0.62996052494743658238; // 4^(-1/3)
enum { jkr_rounds = 14 };

// The larger root of x^4 - x = d, from above: Newton's method then never passes it.
static inline Wide cohesion_jkr_root(Wide d) {
    Wide zero = wide_set(0), start = d + wide_set(2) + wide_set(0.1) * wide_max(d, zero);
    Wide x = wide_sqrt(wide_sqrt(wide_max(start, wide_set(1)))), last = wide_set(jkr_last);
    for (int round = 0; round < jkr_rounds; round++) {
        Wide cube = x * x * x, slope = wide_max(wide_set(4) * cube - wide_set(1), wide_set(1e-9));
        x = wide_max(x - (cube * x - x - d) / slope, last);
    }
    return x;
}

static void cohesion_jkr_forces(ContactBatch *b, const LawTable *table) {
    Wide zero = wide_set(0), pi = wide_set(M_PI), tiny = wide_set(1e-300);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide work = wide_max(law_parameter(table, LAW_COHESION, b, k), tiny),
             modulus = law_parameter(table, LAW_COHESION_SECOND, b, k), radius = wide_load(b->radius + k);
        Wide overlap = wide_load(b->overlap + k), gap = wide_load(b->gap + k);
        double cube[WIDE_LANES], root[WIDE_LANES];
        Wide volume = wide_set(2) * pi * work * radius * radius / modulus;
        memcpy(cube, &volume, sizeof volume);
        for (int l = 0; l < WIDE_LANES; l++) root[l] = cbrt(cube[l]);
        Wide a0 = wide_load_unaligned(root), unit = a0 * a0 / radius;
        Wide x = cohesion_jkr_root((overlap - gap) / unit), x3 = x * x * x, x4 = x3 * x, x7 = x4 * x3;
        Wide force = wide_set(4) * pi * work * radius * (wide_set(2.0 / 3) * x3 * x3 - x3);
        Wide energy = wide_set(4.0 / 15) * x7 * x3 - wide_set(2.0 / 3) * x7 + wide_set(0.25) * x4;
        energy = wide_set(4) * pi * work * a0 * a0 * (energy + wide_set(0.15));
        Wide hertz = wide_set(4.0 / 3) * modulus * wide_sqrt(radius * overlap) * overlap;
        WideMask none = wide_less(law_parameter(table, LAW_COHESION, b, k), tiny);
        wide_store(b->pull + k, wide_select(none, zero, hertz - force));
        wide_store(b->pull_energy + k, wide_select(none, zero, energy - wide_set(0.4) * hertz * overlap));
    }
}

static LawCohesion cohesion_jkr_values(const LawPair *pair, const LawCoefficients *c) {
    return (LawCohesion){.first = c->adhesion, .second = material_effective_young(pair->grain, pair->other)};
}

static double cohesion_jkr_range(LawCohesion value, double radius) {
    double a0 = cbrt(2 * M_PI * value.first * radius * radius / value.second);
    return 0.75 * jkr_last * a0 * a0 / radius;
}

const CohesionLawType cohesion_law_jkr = {
    .choice = {.word = "jkr",
               .doc =
                   "elastic spheres with the materials' `adhesion` (Johnson, Kendall, Roberts): the pull-off "
                   "force is 3/2 pi w R; needs `normal: hertz`"},
    .words = "after Johnson, Kendall and Roberts",
    .forces = cohesion_jkr_forces,
    .values = cohesion_jkr_values,
    .range = cohesion_jkr_range,
    .by_adhesion = true,
    .needs_hertz = true,
};
