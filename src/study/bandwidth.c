// Half-power points without the usual approximation for small damping. With x = f^2, the receptance of an oscillator is
//
//     1/|H|^2 ~ (x - X)^2 + 4 zeta^2 X x,      X = f_n^2,
//
// a parabola in x. Its peak is at X (1 - 2 zeta^2), and half the power at x = X (1 - 2 zeta^2 -+ 2 zeta sqrt(1 - zeta^2)).
// With zeta = sin(p), (x2 - x1)/(x2 + x1) = tan(2 p), exactly. Mobility and accelerance become receptances by division
// by x and x^2 of their squares. A transmissibility does not; of it,
//
//     |T|^2 = (1 + 4 zeta^2 r)/((1 - r)^2 + 4 zeta^2 r),   r = x/X,
//
// the ratio x2/x1 of the two points is a rising function of zeta, which is inverted by bisection. Peak and half-power
// points are found by parabolas in (x, 1/|H|^2) through the nearest three samples, which is exact for an oscillator.
//
// Signs that it does not apply: no peak inside, no half-power point on one side, other peaks in between, few samples,
// asymmetry in x (stiffness or damping depend on the amplitude, or another mode is near), or other damping at 3/4 of the
// power than at half of it.
#include "study/bandwidth.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct Parabola {
    double at, a, b, c; // a + b (x - at) + c (x - at)^2
} Parabola;

static Parabola bandwidth_parabola(const double *x, const double *y) {
    double u = (y[1] - y[0]) / (x[1] - x[0]), v = (y[2] - y[1]) / (x[2] - x[1]), c = (v - u) / (x[2] - x[0]);
    return (Parabola){x[1], y[1], u + c * (x[1] - x[0]), c};
}

// Where the curve crosses the level between the samples i and i + 1, by the parabola through them and the next one
// towards the peak.
static double bandwidth_crossing(const double *x, const double *y, size_t i, size_t third, double level) {
    double low = x[i], high = x[i + 1];
    Parabola p = bandwidth_parabola(x + third, y + third);
    bool rises = y[i + 1] > y[i];
    for (int k = 0; k < 100; k++) {
        double middle = 0.5 * (low + high), s = middle - p.at;
        if ((p.a + s * (p.b + s * p.c) > level) == rises) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

typedef struct Points { // of 1/|H|^2 = level, on both sides of the smallest value
    double lower, upper;
    bool found, clean; // clean: nothing above the level in between
} Points;

static Points bandwidth_points(const double *x, const double *y, size_t count, size_t peak, double level) {
    Points p = {NAN, NAN, false, true};
    size_t low = peak, high = peak;
    while (low > 0 && y[low] < level) low--;
    while (high + 1 < count && y[high] < level) high++;
    if (low == high || y[low] < level || y[high] < level) return p;
    p.found = true;
    p.lower = bandwidth_crossing(x, y, low, low + 2 < count ? low : low - 1, level);
    p.upper = bandwidth_crossing(x, y, high - 1, high >= 2 ? high - 2 : 0, level);
    for (size_t i = low; i < high; i++) // falling to the peak, rising behind it
        if (i < peak ? y[i + 1] > y[i] : y[i + 1] < y[i]) p.clean = false;
    return p;
}

static double bandwidth_of_receptance(Points p, double part) { // half the power: part 2
    // x = X (1 - 2 z^2 -+ 2 z sqrt((1 - z^2) (part - 1)))
    double q = (p.upper - p.lower) / (p.upper + p.lower) / sqrt(part - 1);
    return sin(0.5 * atan(q));
}

static double bandwidth_transmissibility_ratio(double z, double part, double *peak) {
    double k = 4 * z * z;
    *peak = (sqrt(1 + 2 * k) - 1) / k;
    double T = (1 + k * *peak) / ((1 - *peak) * (1 - *peak) + k * *peak), L = T / part;
    if (L <= 1) return INFINITY;
    double b = 2 * L - k * L + k, root = sqrt(fmax(0, b * b - 4 * L * (L - 1)));
    return (b + root) / (b - root);
}

static double bandwidth_of_transmissibility(Points p, double part, double *peak) {
    double low = 1e-7, high = 1, ratio = p.upper / p.lower;
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);
        if (bandwidth_transmissibility_ratio(middle, part, peak) < ratio) low = middle;
        else high = middle;
    }
    bandwidth_transmissibility_ratio(low, part, peak);
    return low;
}

static void bandwidth_judge(Bandwidth *b, const double *x, const double *y, size_t count, size_t peak,
                            double smallest, Points half, ResponseKind kind) {
    size_t inside = 0;
    double ignored, z = b->damping_ratio;
    for (size_t i = 0; i < count; i++) inside += x[i] > half.lower && x[i] < half.upper;
    Points quarter = bandwidth_points(x, y, count, peak, smallest * 4 / 3);
    double other = kind == RESPONSE_TRANSMISSIBILITY
                       ? bandwidth_of_transmissibility(quarter, 4.0 / 3, &ignored)
                       : bandwidth_of_receptance(quarter, 4.0 / 3);
    if (!half.clean) b->doubt = "there are several peaks between the half-power points";
    else if (inside < 5) b->doubt = "fewer than five frequencies between the half-power points";
    else if (fabs(b->asymmetry) > 0.1)
        b->doubt = "the peak is not symmetric: stiffness or damping depend on the amplitude, or another mode "
                   "is near";
    else if (quarter.found && fabs(other - z) > 0.1 * z)
        b->doubt = "the damping depends on the amplitude: it is another one nearer to the peak";
    else if (z > 0.3) b->doubt = "the damping is too strong for a bandwidth";
}

Bandwidth bandwidth_find(const double *frequency, const double *response, size_t count, ResponseKind kind) {
    Bandwidth b = {NAN, NAN, NAN, NAN, NAN, NAN, "fewer than five frequencies"};
    double *x = malloc((count + 1) * 2 * sizeof *x), *y = x + count + 1;
    size_t peak = 0, largest = 0;
    if (!x || count < 5) goto end;
    for (size_t i = 0; i < count; i++) {
        double power = kind == RESPONSE_MOBILITY ? 1 : kind == RESPONSE_ACCELERANCE ? 2 : 0;
        x[i] = frequency[i] * frequency[i];
        y[i] = pow(x[i], power) / (response[i] * response[i]);
        if (y[i] < y[peak]) peak = i;
        if (response[i] > response[largest]) largest = i;
    }
    b.peak_frequency = frequency[largest];
    b.doubt = "the largest response is at an end of the frequencies: there is no peak inside";
    if (peak == 0 || peak + 1 == count) goto end;
    Parabola top = bandwidth_parabola(x + peak - 1, y + peak - 1);
    double s = fmin(fmax(-top.b / (2 * top.c), x[peak - 1] - x[peak]), x[peak + 1] - x[peak]);
    double at = top.at + s, smallest = top.a + s * (top.b + s * top.c);
    if (!(smallest > 0)) smallest = y[peak], at = x[peak];
    b.doubt = "no frequency lies between the half-power points: the steps are too wide for this peak";
    if (y[peak] >= 2 * smallest) goto end;
    Points half = bandwidth_points(x, y, count, peak, 2 * smallest);
    b.doubt = "the response does not fall to half its power on both sides";
    if (!half.found) goto end;
    double r = 1;
    b.damping_ratio = kind == RESPONSE_TRANSMISSIBILITY ? bandwidth_of_transmissibility(half, 2, &r)
                                                        : bandwidth_of_receptance(half, 2);
    if (kind != RESPONSE_TRANSMISSIBILITY) r = 1 - 2 * b.damping_ratio * b.damping_ratio;
    b.natural_frequency = sqrt(at / r);
    if (kind == RESPONSE_RECEPTANCE || kind == RESPONSE_TRANSMISSIBILITY) b.peak_frequency = sqrt(at);
    b.lower = sqrt(half.lower), b.upper = sqrt(half.upper);
    b.asymmetry = (half.upper + half.lower - 2 * at) / (half.upper - half.lower);
    if (kind == RESPONSE_TRANSMISSIBILITY) b.asymmetry = 0; // that of T itself is not zero, and small
    b.doubt = NULL;
    bandwidth_judge(&b, x, y, count, peak, smallest, half, kind);
end:
    free(x);
    return b;
}
