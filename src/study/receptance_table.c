// Between the lines of a table the dynamic stiffness 1/H is interpolated, which is k - w^2 m + i w c for an oscillator: a
// parabola in the frequency, also where H has a peak that is narrower than the distance of the lines. H itself, by straight
// lines, cuts such a peak off. Where H passes through nearly nothing between two modes, it is 1/H that has a peak, and H is
// the smooth one.
//
// Of both, two parabolas go through the two lines beside the frequency, one with the next line below and one with the next
// line above. They are blended, so that the curve has no kinks, and how far they are apart in the middle, in parts of the value,
// says which of H and 1/H is the smoother one there. Straight lines serve when there is no third line, and when a parabola
// between two lines that take energy would give some.
#include "study/receptance_table.h"

#include <math.h>
#include <stdbool.h>

typedef struct ReceptancePiece {
    double f[4];         // lines beside the frequency: 1 and 2; next ones below and above: 0 and 3
    double complex y[4]; // H or 1/H
    bool below, above;   // there are these
} ReceptancePiece;

static double complex receptance_line(const ReceptancePiece *p, double f) {
    double part = (f - p->f[1]) / (p->f[2] - p->f[1]);
    return (1 - part) * p->y[1] + part * p->y[2];
}

static double complex receptance_parabola(const ReceptancePiece *p, int first, double f) {
    const double *x = p->f + first;
    const double complex *y = p->y + first;
    double complex u = (y[1] - y[0]) / (x[1] - x[0]), v = (y[2] - y[1]) / (x[2] - x[1]);
    return y[0] + (f - x[0]) * (u + (f - x[1]) * (v - u) / (x[2] - x[0]));
}

static double complex receptance_blend(const ReceptancePiece *p, double f) {
    double part = (f - p->f[1]) / (p->f[2] - p->f[1]);
    if (!p->below && !p->above) return receptance_line(p, f);
    if (!p->below || !p->above) return receptance_parabola(p, p->below ? 0 : 1, f);
    return (1 - part) * receptance_parabola(p, 0, f) + part * receptance_parabola(p, 1, f);
}

// How rough it is: 0 for a parabola.
static double receptance_roughness(const ReceptancePiece *p) {
    double middle = 0.5 * (p->f[1] + p->f[2]);
    double complex one = p->below ? receptance_parabola(p, 0, middle) : receptance_line(p, middle);
    double complex other = p->above ? receptance_parabola(p, 1, middle) : receptance_line(p, middle);
    double size = fmax(cabs(p->y[1]), cabs(p->y[2]));
    return size > 0 ? cabs(one - other) / fmax(cabs(one + other) / 2, 1e-9 * size) : 0;
}

double complex receptance_table_at(const ReceptanceTable *t, size_t stride, double f) {
    size_t lines = (t->count - 2 + stride) / stride + 1, i = 0;
    ReceptancePiece h = {.below = false}, stiffness;
    bool nonzero = true;
    while (i + 2 < lines && t->frequencies[(i + 1) * stride] < f) i++;
    h.below = i > 0, h.above = i + 2 < lines;
    for (size_t k = 0; k < 4; k++) {
        if ((k == 0 && !h.below) || (k == 3 && !h.above)) continue;
        size_t line = (i + k - 1) * stride < t->count ? (i + k - 1) * stride : t->count - 1;
        h.f[k] = t->frequencies[line], h.y[k] = t->real[line] + t->imaginary[line] * I;
        nonzero = nonzero && cabs(h.y[k]) > 0;
    }
    stiffness = h;
    for (int k = 0; k < 4; k++) stiffness.y[k] = h.y[k] != 0 ? 1 / h.y[k] : 0;
    bool by_stiffness = nonzero && receptance_roughness(&stiffness) <= receptance_roughness(&h);
    const ReceptancePiece *p = by_stiffness ? &stiffness : &h;
    double complex value = receptance_blend(p, f), result = by_stiffness ? 1 / value : value;
    if (isfinite(cabs(result)) && (cimag(result) <= 0 || cimag(h.y[1]) > 0 || cimag(h.y[2]) > 0))
        return result;
    return by_stiffness ? 1 / receptance_line(p, f) : receptance_line(p, f);
}
