// Let a_k be the complex first harmonic of period k. A transient that decays by a factor q per period leaves
//
//     a_k = a + c q^k,    d_k = a_k - a_(k-1),    |a - a_k| = |d_k| |q| / |1 - q| <= |d_k| |q| / (1 - |q|),
//
// so that what is still missing can be judged from two periods, also when damping is weak and every period is nearly like
// the one before. q is taken from the last `hold` differences. When d is small already against tolerance and does not
// shrink any more (rounding, or residues of the integration), it counts by itself. Two-periodic: the same with every
// other period, and neighbours whose difference is large or has not shrunk since half of the periods: the transient of a mode
// at about half the frequency of the drive is alike every other period, too, but its differences vanish with it.
// Stationary: amplitudes of the two halves of the last periods have means that agree within their intervals, cross their
// common mean often and scatter as much at the end as before, and the interval of the whole is narrow.
//
// A transient with another frequency than the drive beats with it, and looks stationary while it decays slowly. But
// other than chaos it can be predicted: a mode of the structure leaves a_k = a + c q^k + c' conj(q)^k, so that
//
//     d_(k+2) = 2 Re(q) d_(k+1) - |q|^2 d_k.
//
// When these two coefficients, by least squares, explain nine tenths of the differences, and |q| lets them fall by a
// tenth or more within the window, it is a transient, which is waited for until |d| / |1 - q|, which is what is missing
// when q is known, is within the tolerance.
//
// Such a transient is an ellipse that winds inwards, and a narrow one near a resonance that leans over. At its far ends every
// period is like the one before, for a while. So nothing is periodic as long as the same two coefficients r and s, of the
// last periods alone, explain these and say that the differences still to come,
//
//     d_(k+1) + d_(k+2) + ... = (r d_k + s (d_k + d_(k-1))) / (1 - r - s),      d_(k+2) = r d_(k+1) + s d_k,
//
// are more than the tolerance.
#include "study/steady.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "study/statistics.h"

SteadyOptions steady_options_default(void) { return (SteadyOptions){0.01, 0.05, 3, 20}; }

static double steady_difference(const SteadyPeriod *a, const SteadyPeriod *b) {
    return hypot(a->cosine - b->cosine, a->sine - b->sine) + fabs(a->rms - b->rms);
}

static double steady_size(const SteadyPeriod *p) { return fmax(hypot(p->cosine, p->sine), p->rms); }

// Are the last periods, each compared with the one `stride` before it, alike but for the tolerance?
static bool steady_repeats(const SteadyPeriod *p, size_t count, size_t stride, const SteadyOptions *o) {
    size_t needed = 2 * o->hold * stride + 1;
    if (count < needed) return false;
    double now = 0, before = 0, size = steady_size(&p[count - 1]);
    for (size_t k = 0; k < o->hold * stride; k++) {
        now = fmax(now, steady_difference(&p[count - 1 - k], &p[count - 1 - k - stride]));
        size_t earlier = count - 1 - k - o->hold * stride;
        if (earlier >= stride) before = fmax(before, steady_difference(&p[earlier], &p[earlier - stride]));
    }
    if (now == 0) return true;
    double shrink = before > 0 ? pow(now / before, 1 / (double)o->hold) : 0; // per `stride` periods
    double missing = shrink < 0.98 ? now / (1 - shrink) : 50 * now;
    return missing <= o->tolerance * size;
}

// By how much neighbours differ, at most, in the periods up to `count`.
static double steady_apart(const SteadyPeriod *p, size_t count, const SteadyOptions *o) {
    double apart = 0;
    for (size_t k = 0; k < 2 * o->hold && k + 1 < count; k++)
        apart = fmax(apart, steady_difference(&p[count - 1 - k], &p[count - 2 - k]));
    return apart;
}

// Of periods that are alike every other time: do neighbours stay different?
static bool steady_alternates(const SteadyPeriod *p, size_t count, const SteadyOptions *o) {
    static const double large = 10, kept = 0.95;
    double now = steady_apart(p, count, o);
    return now > large * o->tolerance * steady_size(&p[count - 1]) ||
           now >= kept * steady_apart(p, count - count / 2, o);
}

// The last periods that are looked at when every one is different: half of them, so that the transient is left behind.
static size_t steady_window(size_t count, const SteadyOptions *o) {
    size_t n = count / 2 > o->stationary ? count / 2 : o->stationary;
    return n < count ? n : count;
}

// d_(k+2) = one d_(k+1) + two d_k
typedef struct SteadySpiral {
    double one, two;
    double left; // part of the squares of the differences that this does not explain
} SteadySpiral;

// The last n periods; false: nothing moves.
static bool steady_fit(const SteadyPeriod *p, size_t count, size_t n, SteadySpiral *spiral) {
    double uu = 0, vv = 0, uv = 0, uy = 0, vy = 0, yy = 0;
    for (const SteadyPeriod *a = p + count - n; a + 3 < p + count; a++) {
        const double v[2] = {a[1].cosine - a[0].cosine, a[1].sine - a[0].sine};
        const double u[2] = {a[2].cosine - a[1].cosine, a[2].sine - a[1].sine};
        const double y[2] = {a[3].cosine - a[2].cosine, a[3].sine - a[2].sine};
        for (int i = 0; i < 2; i++) {
            uu += u[i] * u[i], vv += v[i] * v[i], uv += u[i] * v[i];
            uy += u[i] * y[i], vy += v[i] * y[i], yy += y[i] * y[i];
        }
    }
    double determinant = uu * vv - uv * uv, one = 0, two = 0;
    if (!(yy > 0) || !(uu > 0)) return false;
    if (determinant > 1e-9 * uu * vv)
        one = (uy * vv - vy * uv) / determinant, two = (vy * uu - uy * uv) / determinant;
    else one = uy / uu; // it decays without beating
    *spiral = (SteadySpiral){one, two, (yy - one * uy - two * vy) / yy};
    return true;
}

// Are the last n periods a decaying transient? *missing: how far it is from its end.
static bool steady_is_transient(const SteadyPeriod *p, size_t count, size_t n, double *missing) {
    SteadySpiral s;
    if (!steady_fit(p, count, n, &s)) return false;
    double inside = s.one * s.one + 4 * s.two;
    double size = inside < 0 ? sqrt(-s.two) : 0.5 * (fabs(s.one) + sqrt(inside)); // |q|
    double now = 0, way = inside < 0 ? sqrt(1 - s.one - s.two) : 1 - size;        // |1 - q|
    for (size_t k = 1; k <= 3; k++) now = fmax(now, steady_difference(&p[count - k], &p[count - k - 1]));
    *missing = now / way;
    return s.left < 0.1 && pow(size, (double)n) < 0.9;
}

// Do the last periods follow a spiral whose end is further away than the tolerance?
static bool steady_is_far(const SteadyPeriod *p, size_t count, const SteadyOptions *o) {
    SteadySpiral s;
    size_t n = 3 * o->hold + 1 < count ? 3 * o->hold + 1 : count;
    if (n < 2 * o->hold + 1 || !steady_fit(p, count, n, &s) || s.left > 0.05) return false;
    const SteadyPeriod *a = p + count - 3;
    const double d[2] = {a[2].cosine - a[1].cosine, a[2].sine - a[1].sine};
    const double before[2] = {a[1].cosine - a[0].cosine, a[1].sine - a[0].sine};
    double rest = fmax(1 - s.one - s.two, 1e-6); // at 0 and below, it does not end
    double missing =
        hypot(s.one * d[0] + s.two * (d[0] + before[0]), s.one * d[1] + s.two * (d[1] + before[1])) / rest;
    return missing > o->tolerance * steady_size(&p[count - 1]);
}

static bool steady_is_stationary(const SteadyPeriod *p, size_t count, const SteadyOptions *o,
                                 Estimate *whole) {
    size_t n = steady_window(count, o);
    if (2 * count < 3 * o->stationary || n < 8) return false;
    double *values = malloc(n * sizeof *values);
    if (!values) return false;
    for (size_t i = 0; i < n; i++) values[i] = hypot(p[count - n + i].cosine, p[count - n + i].sine);
    *whole = estimate_series(values, n);
    Estimate first = estimate_series(values, n / 2), second = estimate_series(values + n / 2, n - n / 2);
    size_t crossings = 0;
    for (size_t i = 1; i < n; i++) crossings += (values[i] > whole->mean) != (values[i - 1] > whole->mean);
    free(values);
    if (second.deviation < 0.7 * first.deviation) return false; // it still calms down
    return fabs(first.mean - second.mean) <= hypot(first.interval, second.interval) && 8 * crossings >= n &&
           whole->interval <= o->scatter * fabs(whole->mean);
}

static Steady steady_mean(const SteadyPeriod *p, size_t count, size_t window, SteadyWay kind) {
    Steady s = {.kind = kind, .window = window, .interval = 0};
    for (size_t i = count - window; i < count; i++) {
        s.cosine += p[i].cosine / (double)window;
        s.sine += p[i].sine / (double)window;
        s.rms += p[i].rms * p[i].rms / (double)window;
    }
    s.rms = sqrt(s.rms);
    s.amplitude = hypot(s.cosine, s.sine);
    return s;
}

Steady steady_judge(const SteadyPeriod *p, size_t count, const SteadyOptions *o) {
    Estimate whole = {0};
    if (count == 0)
        return (Steady){.kind = STEADY_NOT_REACHED, .amplitude = NAN, .rms = NAN, .interval = NAN};
    bool far = steady_is_far(p, count, o);
    if (!far && steady_repeats(p, count, 1, o)) return steady_mean(p, count, 1, STEADY_PERIODIC);
    if (steady_repeats(p, count, 2, o)) {
        bool alike =
            steady_difference(&p[count - 1], &p[count - 2]) <= o->tolerance * steady_size(&p[count - 1]);
        if (alike && !far) return steady_mean(p, count, 2, STEADY_PERIODIC);
        if (steady_alternates(p, count, o)) return steady_mean(p, count, 2, STEADY_TWO_PERIODIC);
    }
    double missing;
    size_t n = steady_window(count, o);
    bool transient = n >= 8 && steady_is_transient(p, count, n, &missing);
    if (!far && transient && missing <= o->tolerance * steady_size(&p[count - 1]))
        return steady_mean(p, count, 1, STEADY_PERIODIC);
    bool stationary = !transient && steady_is_stationary(p, count, o, &whole);
    Steady s =
        steady_mean(p, count, steady_window(count, o), stationary ? STEADY_STATIONARY : STEADY_NOT_REACHED);
    s.interval = stationary ? whole.interval : NAN;
    return s;
}
