// Calibration by surrogates (Kennedy and O'Hagan 2001, doi:10.1111/1467-9868.00294, without a term for the model's own error
// that depends on where one is): each feature of the data, such as the amplitude at one time, has a surrogate over the
// variables, made of means over random beds. What was measured is one bed, so that with the residuals r
//
//     chi^2 = r^T C^-1 r,    C = S + V + N + s^2 I,
//
// where S is the covariance of the features of one bed, V that of the errors of the surrogates (calibrator.c), N that of the
// noise of the measurement where it is known, and s what these do not explain, such as the error of the model. s is the
// smallest that makes chi^2 of the best values no larger than the number of features less that of variables.
//
// The interval of a variable is where chi^2, made smallest over the others (profile), is above its smallest value by no
// more than Student's t^2 at 95 %: from the first to the last such place of its whole range, because an interval that ends at
// the first bump of the surrogates may end anywhere in a valley. Its ends are right if the surrogates are. Runs at the end, and
// half as far again beyond it along the profile, show that (calibrate_check): if surrogates that know them put the end
// elsewhere, it has to be checked again.
//
// With a constant C and features that are linear, chi^2 - min = (x - x*)^T P^-1 (x - x*), and the profile of v goes through
//
//     x* +- t P e_v / sqrt(P_vv),
//
// so that from one end of its interval to the other w moves by P_wv / sqrt(P_vv P_ww), the correlation, of its own interval.
// With all others held the interval of v is shorter by sqrt(1 - R_v^2), where R_v is the correlation of v with that linear
// combination of the others which follows it best. Values with R_v > 0.9 that move each other are tied: the data determine
// them only together. R_v is large also where no two values are strongly correlated, as of a sum of three. All of this is
// taken from the profiles themselves, which may be bent and end where a range does: where that of a tied value ends, the
// interval is open, since nothing but this range bounds it. Places weighted by exp(-chi^2/2) were used before: too few of
// them are in a narrow valley.
#include "study/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "study/calibrator.h"
#include "study/statistics.h"

enum { CALIBRATE_SAMPLES = 2000, CALIBRATE_PROFILE = 25 };
static const double CALIBRATE_TIED = 0.9, CALIBRATE_MOVED = 0.3; // R_v, and the part of its interval
// A run checks what is as near as this part of the interval or of the range.
static const double CALIBRATE_NEAR = 0.05, CALIBRATE_CLOSE = 0.01;
static const double CALIBRATE_RESOLUTION = 0.0005; // half a step of places, which are rounded
// Misfit of data without any error, as from the same model, in units of the scatter of features: with less the surrogates
// would have to be right to more digits than the runs.
static const double CALIBRATE_LEAST = 1e-4;

// From the likeliest of many places on, and then from the best of a few others, among which the last one would be missed.
static double calibrate_best(const Calibrator *k, double *place) {
    enum { STARTS = 4 };
    double starts[STARTS][VARIABLES_MAX] = {{0}}, least[STARTS];
    int n = k->c->variables;
    for (int s = 0; s < STARTS; s++) least[s] = INFINITY;
    for (unsigned i = 0; i < CALIBRATE_SAMPLES / 4; i++) { // one start of each quarter of the samples
        double trial[VARIABLES_MAX] = {0};
        unsigned s = i % STARTS;
        for (int v = 0; v < n; v++) trial[v] = surrogate_spread(i, v);
        double value = calibrator_chi_square(k, trial);
        if (value < least[s]) least[s] = value, memcpy(starts[s], trial, sizeof trial);
    }
    double best = INFINITY;
    for (int s = 0; s < STARTS; s++) {
        double value = calibrator_descend(k, starts[s], -1);
        if (value < best) best = value, memcpy(place, starts[s], sizeof starts[s]);
    }
    return best;
}

// The smallest misfit with which the best values fit. It is made smaller step by step, so that valleys become narrow only
// once the place is in them.
static double calibrate_find_misfit(Calibrator *k, double *place) {
    double wanted = fmax(1, k->c->features - k->c->variables), size = 0, low, high;
    for (int f = 0; f < k->c->features; f++) // data may be far from all that the model gives
        size = fmax(size, fmax(k->surrogates[f].scale, fabs(k->c->data[f] - k->surrogates[f].mean)));
    high = k->misfit = fmax(10 * size, 1e-12);
    calibrate_best(k, place);
    for (low = high / 2; low > CALIBRATE_LEAST * size; high = low, low /= 2) {
        k->misfit = low;
        if (calibrator_descend(k, place, -1) > wanted) break;
    }
    while (high > 1.02 * low && low > CALIBRATE_LEAST * size) {
        k->misfit = sqrt(low * high);
        if (calibrator_descend(k, place, -1) > wanted) low = k->misfit;
        else high = k->misfit;
    }
    k->misfit = high;
    return calibrator_descend(k, place, -1);
}

// ---- intervals -----------------------------------------------------------------------------------
typedef struct CalibrateWalk {
    const Calibrator *k;
    double limit; // of chi^2
    int variable, sign;
    bool alone; // the other variables stay; otherwise they follow
} CalibrateWalk;

// Goes a step from one place to the next, and returns chi^2 there.
static double calibrate_step(const CalibrateWalk *w, double step, const double *from, double *to) {
    memcpy(to, from, (size_t)w->k->c->variables * sizeof *to);
    to[w->variable] = fmin(fmax(from[w->variable] + w->sign * step, 0), 1);
    return w->alone ? calibrator_chi_square(w->k, to) : calibrator_descend(w->k, to, w->variable);
}

static bool calibrate_at_end(const CalibrateWalk *w, const double *place) {
    return w->sign < 0 ? place[w->variable] <= 0 : place[w->variable] >= 1;
}

// Moves `place` outwards to where chi^2 is at its limit for the last time before the range ends. Further out it may be small
// again, as surrogates have bumps in valleys: the whole range is looked at.
static void calibrate_walk(const CalibrateWalk *w, double *place) {
    double step = 1.0 / CALIBRATE_PROFILE, from[VARIABLES_MAX], to[VARIABLES_MAX];
    size_t size = (size_t)w->k->c->variables * sizeof *place;
    memcpy(from, place, size);
    while (!calibrate_at_end(w, from)) {
        if (calibrate_step(w, step, from, to) <= w->limit) memcpy(place, to, size);
        memcpy(from, to, size);
    }
    double last = calibrator_chi_square(w->k, place);
    while (!calibrate_at_end(w, place)) {
        double value = calibrate_step(w, step, place, to);
        if (value <= w->limit) {
            memcpy(place, to, size), last = value;
            continue;
        }
        if (step < 0.0005) { // between the two
            double part = fmin(fmax((w->limit - last) / fmax(value - last, 1e-12), 0), 1);
            for (int v = 0; v < w->k->c->variables; v++) place[v] += part * (to[v] - place[v]);
            return;
        }
        step /= 4;
    }
}

// Of the best value: on both sides as the others follow, and *alone, the width while they stay.
static void calibrate_interval(const Calibrator *k, const double *best, int variable, double limit,
                               CalibrateInterval *interval, double *alone) {
    size_t size = (size_t)k->c->variables * sizeof *best;
    *alone = 0;
    interval->best = best[variable];
    for (int side = 0; side < 2; side++) {
        CalibrateWalk walk = {k, limit, variable, side ? 1 : -1, false};
        double *end = interval->ends[side], held[VARIABLES_MAX];
        memcpy(end, best, size), memcpy(held, best, size);
        calibrate_walk(&walk, end);
        walk.alone = true;
        calibrate_walk(&walk, held);
        *alone += fabs(held[variable] - best[variable]);
    }
    interval->lower = fmax(fmin(interval->ends[0][variable], best[variable] - CALIBRATE_RESOLUTION), 0);
    interval->upper = fmin(fmax(interval->ends[1][variable], best[variable] + CALIBRATE_RESOLUTION), 1);
}

// ---- what is tied together -----------------------------------------------------------------------
// How far w moves from one end of the interval of v to the other, of its own interval.
static double calibrate_shift(const Calibration *c, int v, int w) {
    const CalibrateInterval *of = &c->intervals[v], *other = &c->intervals[w];
    return (of->ends[1][w] - of->ends[0][w]) / fmax(other->upper - other->lower, 1e-9);
}

static void calibrate_correlate(Calibration *c) {
    for (int v = 0; v < c->variables; v++)
        for (int w = 0; w < c->variables; w++) {
            double one = calibrate_shift(c, v, w), other = calibrate_shift(c, w, v);
            double product = v == w ? 1 : fmin(fmax(one * other, 0), 1); // opposite ones: chance
            c->correlation[v][w] = one < 0 ? -sqrt(product) : sqrt(product);
        }
}

static bool calibrate_is_tied(const Calibration *c, const double *alone, int v, int w) {
    const CalibrateInterval *one = &c->intervals[v], *other = &c->intervals[w];
    double part = sqrt(1 - CALIBRATE_TIED * CALIBRATE_TIED);
    return alone[v] < part * (one->upper - one->lower) && alone[w] < part * (other->upper - other->lower) &&
           fmin(fabs(calibrate_shift(c, v, w)), fabs(calibrate_shift(c, w, v))) > CALIBRATE_MOVED;
}

static void calibrate_group(Calibration *c, const double *alone) {
    int count = 0;
    for (int v = 0; v < c->variables; v++) c->groups[v] = 0;
    for (int v = 0; v < c->variables; v++)
        for (int w = 0; w < v; w++) {
            if (!calibrate_is_tied(c, alone, v, w)) continue;
            int one = c->groups[v], other = c->groups[w], joined = one ? one : other ? other : ++count;
            for (int u = 0; u < c->variables; u++)
                if (u == v || u == w || (one && c->groups[u] == one) || (other && c->groups[u] == other))
                    c->groups[u] = joined;
        }
}

// The value whose range ends, up to a part of its interval, where the interval of v does on that side: v itself, or one to
// which it is tied; -1: none.
static int calibrate_stop(const Calibration *c, int v, int side, double part) {
    for (int i = -1; i < c->variables; i++) {
        int w = i < 0 ? v : i;
        double near = fmax(part * (c->intervals[w].upper - c->intervals[w].lower), 2 * CALIBRATE_RESOLUTION);
        if (w != v && (c->groups[v] == 0 || c->groups[w] != c->groups[v])) continue;
        if (fabs(c->intervals[v].ends[side][w] - 0.5) >= 0.5 - near) return w;
    }
    return -1;
}

// Ends at which a range ends are open, also if they are as near to it as the distance in which runs check them.
static void calibrate_open(Calibration *c) {
    for (int v = 0; v < c->variables; v++)
        for (int side = 0; side < 2; side++) {
            int *stop = &c->intervals[v].stops[side];
            *stop = calibrate_stop(c, v, side, 0);
            if (*stop < 0) *stop = calibrate_stop(c, v, side, CALIBRATE_NEAR);
        }
    for (int v = 0; v < c->variables; v++) {
        CalibrateInterval *i = &c->intervals[v];
        i->lower_open = i->stops[0] >= 0, i->upper_open = i->stops[1] >= 0;
        if (i->stops[0] == v) i->lower = 0;
        if (i->stops[1] == v) i->upper = 1;
    }
}

bool calibrate(Calibration *c) {
    Calibrator k;
    double best[VARIABLES_MAX] = {0}, alone[VARIABLES_MAX];
    if (!calibrator_make(&k, c)) return false;
    c->chi_square = calibrate_find_misfit(&k, best);
    c->misfit = k.misfit;
    double t = student_quantile(0.975, fmax(1, c->features - c->variables));
    for (int v = 0; v < c->variables; v++)
        calibrate_interval(&k, best, v, c->chi_square + t * t, &c->intervals[v], &alone[v]);
    for (int f = 0; f < c->features; f++) c->fitted[f] = calibrator_mean(&k, f, best);
    calibrate_correlate(c);
    calibrate_group(c, alone);
    calibrate_open(c);
    calibrator_free(&k);
    return true;
}

// ---- further runs --------------------------------------------------------------------------------
static double calibrate_distance(const Calibration *c, const double *place, const double *others,
                                 size_t count) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (int v = 0; v < c->variables; v++) {
            double off = place[v] - others[i * (size_t)c->variables + (size_t)v];
            squares += off * off;
        }
        least = fmin(least, squares);
    }
    return sqrt(least);
}

bool calibrate_propose(const Calibration *c, int count, double *places, int *found) {
    Calibrator k;
    double best[VARIABLES_MAX] = {0};
    *found = 0;
    if (!calibrator_make(&k, c)) return false;
    double least = calibrate_find_misfit(&k, best);
    double *chi = calloc(CALIBRATE_SAMPLES, sizeof *chi);
    for (unsigned i = 0; chi && i < CALIBRATE_SAMPLES; i++) {
        double trial[VARIABLES_MAX];
        for (int v = 0; v < c->variables; v++) trial[v] = surrogate_spread(i, v);
        chi[i] = calibrator_chi_square(&k, trial) - least;
    }
    double limit = 16; // four deviations; more where so few are likely that their neighbours are worth a run
    for (int near = 0; chi && near < 8 * count && limit < 1e6; limit *= 2) {
        near = 0;
        for (int i = 0; i < CALIBRATE_SAMPLES; i++) near += chi[i] <= limit;
        if (near >= 8 * count) break;
    }
    for (; chi && *found < count; (*found)++) {
        double *next = places + *found * c->variables, largest = 0;
        if (*found == 0) {
            memcpy(next, best, (size_t)c->variables * sizeof *next);
            continue;
        }
        for (unsigned i = 0; i < CALIBRATE_SAMPLES; i++) {
            double trial[VARIABLES_MAX];
            if (chi[i] > limit) continue;
            for (int v = 0; v < c->variables; v++) trial[v] = surrogate_spread(i, v);
            double distance = fmin(calibrate_distance(c, trial, c->places, c->count),
                                   calibrate_distance(c, trial, places, (size_t)*found));
            if (distance > largest)
                largest = distance, memcpy(next, trial, (size_t)c->variables * sizeof *next);
        }
        if (!(largest > 0.01)) break;
    }
    calibrator_free(&k);
    free(chi);
    return chi != NULL;
}

// Of two places, in widths of the intervals.
static bool calibrate_is_near(const Calibration *c, const double *one, const double *other) {
    for (int v = 0; v < c->variables; v++) {
        double width = c->intervals[v].upper - c->intervals[v].lower;
        if (fabs(one[v] - other[v]) > fmax(CALIBRATE_NEAR * width, CALIBRATE_CLOSE)) return false;
    }
    return true;
}

static void calibrate_add_check(const Calibration *c, const double *place, double *places, int *found) {
    size_t n = (size_t)c->variables;
    for (size_t i = 0; i < c->count; i++)
        if (calibrate_is_near(c, place, c->places + i * n)) return;
    for (int i = 0; i < *found; i++)
        if (calibrate_is_near(c, place, places + (size_t)i * n)) return;
    memcpy(places + (size_t)*found * n, place, n * sizeof *place);
    ++*found;
}

// From the best place over the end of an interval and half as far again, or to where a range ends: valleys are straight for
// such a step.
static void calibrate_beyond(const Calibration *c, int v, int side, double *place) {
    const double *end = c->intervals[v].ends[side];
    double part = fmax(0.5, 0.02 / fmax(fabs(end[v] - c->intervals[v].best), 1e-6));
    for (int w = 0; w < c->variables; w++) {
        double way = end[w] - c->intervals[w].best;
        if (way != 0) part = fmin(part, (way > 0 ? 1 - end[w] : end[w]) / fabs(way));
    }
    for (int w = 0; w < c->variables; w++) place[w] = end[w] + part * (end[w] - c->intervals[w].best);
}

void calibrate_check(const Calibration *c, double *places, int *found) {
    double place[VARIABLES_MAX];
    *found = 0;
    for (int v = 0; v < c->variables; v++)
        for (int side = 0; side < 2; side++) {
            calibrate_add_check(c, c->intervals[v].ends[side], places, found);
            calibrate_beyond(c, v, side, place);
            calibrate_add_check(c, place, places, found);
        }
}
