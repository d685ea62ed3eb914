// Extremes of the signal are found with a parabola by least squares through the samples within a sixth of half a cycle
// around each (through three samples where there are fewer than five): the largest sample alone is biased by noise, the
// more the smaller the amplitude. In noise it is a third. Of a sine, the parabola over the phases -p to p has the top
// 9/4 m0 - 15/4 m2 with the mean values m0 of cos q and m2 of (q/p)^2 cos q, by which amplitudes are divided: 0.9997 and
// 0.9959. With an offset c,
//
//     e_k = c + (-1)^k A exp(-d k/2),      |e_k - (e_(k-1) + e_(k+1))/2| = A exp(-d k/2) (1 + cosh(d/2)),
//
// so that this combination decays like the amplitude, whatever the offset: half a cycle lies between neighbours. The
// decrement d of a window is minus twice the slope of the straight line through ln A over k, its interval that of the slope.
// Specific damping capacity: 1 - exp(-2 d), the part of the energy that a cycle takes.
//
// Noise of the standard deviation s makes extremes of its own where the signal is flat or small. Differences of the tenth
// order leave next to nothing of a vibration with more than six samples a cycle, and sqrt(C(20, 10)) = 430 times the noise:
// their median size is 0.6745 of that (a sine with eight samples a cycle counts as a noise of 2e-4 of it). A swing counts when
// it is longer than 6 s, and amplitudes below 10 s are left out.
//
// Of one vibration all cycles are about as long. Of several at once, extremes come at irregular times, and their decrement
// means nothing: the time between every other extreme is compared with its neighbours, by
// T_k / ((T_(k-1) + T_(k+1))/2) - 1, which a frequency that changes with the amplitude leaves small. Modes that are close to
// each other beat: then amplitudes rise in many cycles.
//
// A drift v of the offset moves extremes in time: where the velocity A w sin is v, so that amplitudes are too large by the
// part (v/(A w))^2/2, more and more as they fall. So the straight line through the middles (e_(k-1) + 2 e_k + e_(k+1))/4 is
// taken off the signal, and extremes are found again. A drift that is large against the whole vibration hides all swings: a
// straight line through the signal is taken off first where this leaves less than half of the signal's range.
#include "study/decay.h"

#include <math.h>
#include <stdlib.h>

#include "study/statistics.h"

#define DECAY_PI 3.14159265358979323846
static const double decay_noise_swing = 6;      // a swing is longer than this times the noise
static const double decay_noise_amplitude = 10; // amplitudes below this times the noise are left out

double decay_damping_ratio(double d) { return d / sqrt(4 * DECAY_PI * DECAY_PI + d * d); }

typedef struct Extreme {
    double time, value;
    double part;    // of the amplitude of a sine that its parabola has
    size_t samples; // that the parabola is through
    double spread;  // sum of the squares of their distances from its middle [s^2]
} Extreme;
typedef ARRAY(Extreme) Extremes;

// The top of the parabola through three samples.
static Extreme decay_top(const double *t, const double *x) {
    double a = t[1] - t[0], b = t[2] - t[1], u = (x[1] - x[0]) / a, v = (x[2] - x[1]) / b;
    double bend = (v - u) / (a + b); // half of the second derivative
    double slope = (u * b + v * a) / (a + b);
    if (bend == 0) return (Extreme){t[1], x[1], 1, 3, a * a + b * b};
    double s = -slope / (2 * bend);
    s = fmin(fmax(s, -a), b);
    return (Extreme){t[1] + s, x[1] + s * (slope + s * bend), 1, 3, a * a + b * b};
}

static int decay_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Standard deviation of the noise; 0 where samples are few or not evenly spaced. False: memory is out.
static bool decay_noise(const double *t, const double *x, size_t count, double *noise) {
    enum { ORDER = 10 };
    static const double weights[ORDER + 1] = {1, -10, 45, -120, 210, -252, 210, -120, 45, -10, 1};
    *noise = 0;
    if (count < 4 * ORDER) return true;
    double spacing = (t[count - 1] - t[0]) / (double)(count - 1);
    for (size_t i = 1; i < count; i++)
        if (fabs(t[i] - t[i - 1] - spacing) > 0.01 * spacing) return true;
    size_t n = count - ORDER;
    double *sizes = malloc(n * sizeof *sizes);
    if (!sizes) return false;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k <= ORDER; k++) sum += weights[k] * (x[i + (size_t)k] - x[i]);
        sizes[i] = fabs(sum);
    }
    qsort(sizes, n, sizeof *sizes, decay_compare);
    *noise = sizes[n / 2] / 0.6745 / sqrt(184756);
    free(sizes);
    return true;
}

static double decay_range(const double *x, size_t count) {
    double low = x[0], high = x[0];
    for (size_t i = 1; i < count; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
    return high - low;
}

// Alternating maxima and minima. A ripple on the way that is small against the swing is no extreme: an extreme counts once
// the signal has come back from it by more than a twentieth of the last swing, of the whole range before the first one, and
// by more than noise does.
static bool decay_extremes(const double *t, const double *x, size_t count, double noise, Extremes *list) {
    size_t at = 0;
    int way = 0; // 1: rising to a maximum
    double last = x[0], swing = decay_range(x, count);
    for (size_t i = 1; i < count; i++) {
        if (way == 0) {
            if (x[i] != x[0]) way = x[i] > x[0] ? 1 : -1, at = i;
            continue;
        }
        if (way * (x[i] - x[at]) >= 0) at = i;
        else if (way * (x[at] - x[i]) > fmax(0.05 * swing, decay_noise_swing * noise)) {
            Extreme top = at > 0 && at + 1 < count ? decay_top(t + at - 1, x + at - 1)
                                                   : (Extreme){t[at], x[at], 1, 1, 0};
            if (list->count > 0 || at > 1) {
                if (!array_push(list, top)) return false;
                swing = fabs(top.value - last);
                last = top.value;
                if (list->count > 1 && swing < decay_noise_amplitude * noise)
                    return true; // the rest is noise
            }
            way = -way;
            at = i;
        }
    }
    return true;
}

// The top of the parabola by least squares through n samples; moments are taken about `middle`, in units of `width`.
static Extreme decay_fit_top(const double *t, const double *x, size_t n, double middle, double width) {
    double m[5] = {0}, y[3] = {0};
    for (size_t i = 0; i < n; i++) {
        double s = (t[i] - middle) / width, power = 1;
        for (int k = 0; k < 5; k++, power *= s) {
            m[k] += power;
            if (k < 3) y[k] += power * (x[i] - x[0]);
        }
    }
    // Cramer's rule for the three normal equations.
    double d0 = m[2] * m[4] - m[3] * m[3], d1 = m[1] * m[4] - m[2] * m[3], d2 = m[1] * m[3] - m[2] * m[2];
    double all = m[0] * d0 - m[1] * d1 + m[2] * d2;
    double a = (y[0] * d0 - m[1] * (y[1] * m[4] - y[2] * m[3]) + m[2] * (y[1] * m[3] - y[2] * m[2])) / all;
    double b = (m[0] * (y[1] * m[4] - y[2] * m[3]) - y[0] * d1 + m[2] * (m[1] * y[2] - m[2] * y[1])) / all;
    double c = (m[0] * (m[2] * y[2] - m[3] * y[1]) - m[1] * (m[1] * y[2] - m[2] * y[1]) + y[0] * d2) / all;
    double s = c != 0 ? fmin(fmax(-b / (2 * c), -1), 1) : 0;
    return (Extreme){middle + s * width, x[0] + a + s * (b + s * c), 1, n, m[2] * width * width};
}

static double decay_part(double p) {
    double m0 = sin(p) / p, m2 = m0 + 2 * (cos(p) - m0) / (p * p);
    return 2.25 * m0 - 3.75 * m2;
}

// Twice the amplitude at an extreme between two others, but for 1 + cosh(d/2).
static double decay_size(const Extreme *e) {
    return fabs(e->value - 0.5 * (e[-1].value + e[1].value)) / e->part;
}

static void decay_refine(const double *t, const double *x, size_t count, double noise, Extremes *list) {
    if (list->count < 3) return;
    double half = (list->data[list->count - 1].time - list->data[0].time) / (double)(list->count - 1);
    double share = noise > 1e-3 * decay_range(x, count) ? 1.0 / 3 : 1.0 / 6;
    size_t first = 0, last = 0;
    for (size_t k = 0; k < list->count; k++) {
        Extreme *e = &list->data[k];
        double width = half * share;
        while (first < count && t[first] < e->time - width) first++;
        while (last < count && t[last] <= e->time + width) last++;
        if (last - first >= 5) {
            *e = decay_fit_top(t + first, x + first, last - first, e->time, width);
            e->part = decay_part(DECAY_PI * share);
        }
    }
}

// Speed of a straight drift of the middles, 0 where it does not matter or is no more than their scatter. Five extremes make
// one middle, so that the decay itself leaves only (1 - cosh(d/2))^2/4 of the amplitude in it.
static double decay_drift(const Extremes *list) {
    double st = 0, sy = 0, stt = 0, sty = 0, syy = 0, largest = 0, least = INFINITY, m = 0;
    size_t n = list->count;
    if (n < 9) return 0;
    const Extreme *e = list->data;
    double start = e[0].time, omega = DECAY_PI * (double)(n - 1) / (e[n - 1].time - start);
    for (size_t k = 2; k + 2 < n; k++) {
        double size = 0.5 * decay_size(&e[k]), t = e[k].time - start, y;
        largest = fmax(largest, size);
        if (size < 0.01 * largest) break;
        least = fmin(least, size);
        y = (e[k - 2].value + 4 * e[k - 1].value + 6 * e[k].value + 4 * e[k + 1].value + e[k + 2].value) /
                16 -
            e[0].value;
        m++, st += t, sy += y, stt += t * t, sty += t * y, syy += y * y;
    }
    double tt = stt - st * st / m, ty = sty - st * sy / m, yy = syy - sy * sy / m;
    if (!(m > 4 && tt > 0)) return 0;
    double speed = ty / tt, error = sqrt(fmax(0, yy - speed * ty) / (m - 2) / tt);
    return fabs(speed) > 3 * error && fabs(speed) > 0.03 * omega * least ? speed : 0;
}

// Speed of the straight line through a signal that is more of a line than of a vibration: no swing stands out of it. 0: it
// is not so.
static double decay_trend(const double *t, const double *x, size_t count, double *level) {
    double time = 0, value = 0, tt = 0, tx = 0;
    for (size_t i = 0; i < count; i++) time += t[i] / (double)count, value += x[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        tt += (t[i] - time) * (t[i] - time);
        tx += (t[i] - time) * (x[i] - value);
    }
    if (!(tt > 0)) return 0;
    double speed = tx / tt;
    for (size_t i = 0; i < count; i++) level[i] = x[i] - speed * (t[i] - t[0]);
    return decay_range(level, count) < 0.5 * decay_range(x, count) ? speed : 0;
}

static bool decay_find_in(const double *t, const double *x, size_t count, double noise, double drift,
                          double *level, Extremes *list) {
    for (size_t i = 0; i < count; i++) level[i] = x[i] - drift * (t[i] - t[0]);
    list->count = 0;
    if (!decay_extremes(t, level, count, noise, list)) return false;
    decay_refine(t, level, count, noise, list);
    return true;
}

static bool decay_find(const double *t, const double *x, size_t count, double noise, Extremes *list) {
    double *level = malloc(count * sizeof *level);
    if (!level) return false;
    double drift = decay_trend(t, x, count, level);
    bool good = decay_find_in(t, x, count, noise, drift, level, list);
    double more = good ? decay_drift(list) : 0;
    if (more != 0) good = decay_find_in(t, x, count, noise, drift + more, level, list);
    free(level);
    return good;
}

// R.m.s. difference of a cycle from its neighbours, as a part of these; 0 of fewer than seven extremes.
static double decay_irregularity(const Extreme *e, size_t n) {
    double squares = 0;
    if (n < 7) return 0;
    for (size_t k = 1; k + 3 < n; k++) {
        double cycle = e[k + 2].time - e[k].time;
        double others = 0.5 * (e[k + 3].time - e[k + 1].time + e[k + 1].time - e[k - 1].time);
        squares += (cycle / others - 1) * (cycle / others - 1) / (double)(n - 4);
    }
    return sqrt(squares);
}

// Part of the cycles in which the amplitude rises by more than a twentieth.
static double decay_rises(const double *logarithms, size_t n) {
    double rises = 0;
    for (size_t k = 2; k < n; k++) rises += logarithms[k] > logarithms[k - 2] + 0.05;
    return n > 2 ? rises / (double)(n - 2) : 0;
}

typedef struct Line { // through ln A over the number of half cycles
    double slope, interval, curvature, curvature_interval;
    double middle; // ln A at the middle
} Line;

// Of a coefficient of a fit with `terms` terms and the squares `rest` left. The combination of three extremes has the
// weights 1/2, 1, 1/2 and so the correlations 2/3 and 1/6 with its neighbours: slow terms see (1/2 + 1 + 1/2)^2 /
// (1/4 + 1 + 1/4) = 8/3 of the variance, each fitted term takes as much out of the rest, and n values have the freedoms of
// n / (1 + 2 (4/9 + 1/36)).
static double decay_interval(size_t n, int terms, double rest, double squares) {
    double left = (double)n - terms * 8.0 / 3, freedoms = (double)n / (1 + 2 * (4.0 / 9 + 1.0 / 36)) - terms;
    if (!(left > 0 && freedoms >= 1)) return NAN;
    return student_quantile(0.975, freedoms) * sqrt(8.0 / 3 * rest / left / squares);
}

static Line decay_line(const double *y, size_t n) {
    Line line = {NAN, NAN, NAN, NAN, NAN};
    double mean = 0, xx = 0, xy = 0, middle = 0.5 * (double)(n - 1);
    if (n < 2) return line;
    for (size_t i = 0; i < n; i++) mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = (double)i - middle;
        xx += x * x;
        xy += x * (y[i] - mean);
    }
    line.slope = xy / xx;
    line.middle = mean;
    if (n < 4) return line;
    double rest = 0, ends = 0, zz = 0, zy = 0, square = xx / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = (double)i - middle, off = y[i] - mean - line.slope * x, z = x * x - square;
        rest += off * off;
        ends += x * x / square * off * off; // as the slope sees them: small amplitudes have the larger noise
        zz += z * z;
        zy += z * off;
    }
    line.curvature = zy / zz;
    line.interval = decay_interval(n, 2, fmax(rest, ends), xx);
    line.curvature_interval = decay_interval(n, 3, fmax(0, rest - zy * zy / zz), zz);
    return line;
}

static DecayRow decay_row(const double *logarithms, const Extreme *extremes, size_t n) {
    Line line = decay_line(logarithms, n);
    double d = -2 * line.slope, half = (extremes[n - 1].time - extremes[0].time) / (double)(n - 1);
    return (DecayRow){.time = 0.5 * (extremes[0].time + extremes[n - 1].time),
                      .amplitude = exp(line.middle) / (1 + cosh(d / 2)),
                      .decrement = d,
                      .decrement_interval = 2 * line.interval,
                      .damping_ratio = decay_damping_ratio(d),
                      .capacity = -expm1(-2 * d),
                      .frequency = 0.5 / half};
}

static const double decay_irregular =
    0.1; // cycles that differ by more from their neighbours are not of one vibration

static void decay_judge(Decay *decay, const double *logarithms, const Extreme *extremes, size_t n) {
    Line line = decay_line(logarithms, n);
    if (n < 7) decay->doubt = "fewer than three whole cycles";
    else if (!(line.slope < 0)) decay->doubt = "the vibration does not decay";
    else if (decay->whole.damping_ratio > 0.5)
        decay->doubt = "it is damped so strongly that hardly anything vibrates";
    else if (decay_irregularity(extremes, n) > decay_irregular)
        decay->doubt = "cycles are not equally long: several vibrations at once, or hardly any";
    else if (decay_rises(logarithms, n) > decay_irregular)
        decay->doubt = "amplitudes rise now and then: several vibrations at once, or hardly any";
    // A bend that changes the slope by more than a tenth from the middle to the end, and is no accident.
    double change = fabs(line.curvature) * (double)n;
    decay->depends =
        n >= 7 && change > 0.1 * fabs(line.slope) && fabs(line.curvature) > line.curvature_interval;
}

bool decay_analyse(const double *t, const double *x, size_t count, int cycles, double floor, Decay *decay) {
    Extremes extremes = {0};
    ARRAY(double) logarithms = {0};
    *decay = (Decay){.whole = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    size_t step = 2 * (size_t)(cycles > 0 ? cycles : 1);
    bool good = count < 3 ||
                (decay_noise(t, x, count, &decay->noise) && decay_find(t, x, count, decay->noise, &extremes));
    double largest = 0, least = 2 * decay_noise_amplitude * decay->noise;
    for (size_t k = 1; good && k + 1 < extremes.count; k++) {
        double size = decay_size(&extremes.data[k]);
        largest = fmax(largest, size);
        if (!(size > floor * largest)) break;
        if (!(size > least)) {
            decay->in_noise = true;
            break;
        }
        good = array_push(&logarithms, log(size));
    }
    size_t n = logarithms.count;
    if (good && n >= 3) {
        decay->whole = decay_row(logarithms.data, extremes.data + 1, n);
        for (size_t first = 0; first + step < n && good; first += step)
            good = array_push(&decay->rows,
                              decay_row(logarithms.data + first, extremes.data + 1 + first, step + 1));
    }
    if (good) decay_judge(decay, logarithms.data, extremes.data + 1, n);
    array_free(&extremes);
    array_free(&logarithms);
    return good;
}

// Half of the combination of three extremes above: 1 + cosh(d/2) is 2 but for (d/2)^2/2. The top of a parabola through n
// samples has 9/(4 n) of the variance of the noise, the combination 3/2 of that.
static double decay_amplitude_noise(const Extreme *e, double noise) {
    double top = e->samples > 3 ? 2.25 / (double)e->samples : 1;
    return 0.5 * sqrt(1.5 * top) * noise;
}

// The slope of the parabola at its middle has the variance s^2 / spread, and the bend of the signal is A w^2: the top is off
// in time by the one over the other.
static double decay_time_noise(const Extreme *e, double noise, double omega) {
    double bend = 0.5 * decay_size(e) * omega * omega;
    return noise > 0 && e->spread > 0 ? noise / (sqrt(e->spread) * bend) : 0;
}

bool decay_envelope(const double *t, const double *x, size_t count, DecayEnvelope *envelope) {
    Extremes extremes = {0};
    double noise = 0;
    bool good = count < 3 || (decay_noise(t, x, count, &noise) && decay_find(t, x, count, noise, &extremes));
    size_t n = extremes.count;
    double omega =
        n > 1 ? DECAY_PI * (double)(n - 1) / (extremes.data[n - 1].time - extremes.data[0].time) : 0;
    for (size_t k = 1; good && k + 1 < n; k++) {
        const Extreme *e = &extremes.data[k];
        good =
            array_push(envelope, (DecayPoint){e->time, 0.5 * decay_size(e), decay_amplitude_noise(e, noise),
                                              decay_time_noise(e, noise, omega)});
    }
    array_free(&extremes);
    return good;
}

void decay_free(Decay *decay) { array_free(&decay->rows); }
