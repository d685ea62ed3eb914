// Let a_k be the complex first harmonic of period k. A transient that decays by a factor q per period leaves
//
//     a_k = a + c q^k,    d_k = a_k - a_(k-1),    |a - a_k| = |d_k| |q| / |1 - q| <= |d_k| |q| / (1 - |q|),
//
// so that what is still missing can be judged from two periods, also when damping is weak and every period is nearly like
// the one before. q is taken from the last `hold` differences. When d is small already against tolerance and does not
// shrink any more (rounding, or residues of the integration), it counts by itself. Two-periodic: the same with every
// other period. Stationary: amplitudes of the two halves of the last periods have means that agree within their
// intervals, cross their common mean often and scatter as much at the end as before, and the interval of the whole is narrow.
#include "study/steady.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "study/statistics.h"

SteadyOptions steady_options_default(void) { return (SteadyOptions){0.01, 0.05, 3, 20}; }

const char *steady_words(SteadyWay kind) {
    static const char *const words[] = {"not reached", "periodic", "two-periodic", "stationary"};
    return words[kind];
}

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

// The last periods that are looked at when every one is different: half of them, so that the transient is left behind.
static size_t steady_window(size_t count, const SteadyOptions *o) {
    size_t n = count / 2 > o->stationary ? count / 2 : o->stationary;
    return n < count ? n : count;
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
    if (steady_repeats(p, count, 1, o)) return steady_mean(p, count, 1, STEADY_PERIODIC);
    if (steady_repeats(p, count, 2, o)) return steady_mean(p, count, 2, STEADY_TWO_PERIODIC);
    bool stationary = steady_is_stationary(p, count, o, &whole);
    Steady s =
        steady_mean(p, count, steady_window(count, o), stationary ? STEADY_STATIONARY : STEADY_NOT_REACHED);
    s.interval = stationary ? whole.interval : NAN;
    return s;
}
