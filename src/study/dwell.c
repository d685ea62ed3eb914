#include "study/dwell.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

#define DWELL_PI 3.14159265358979323846
enum { DWELL_SAMPLES = 48 }; // per period, at least

typedef ARRAY(double) DwellSeries;

typedef struct DwellRecord { // all samples at one frequency
    DwellSeries t, x[DWELL_SIGNALS];
    ARRAY(size_t) ends; // samples at the end of each period
    ARRAY(SteadyPeriod) periods;
    DwellSeries control; // r.m.s. of each period
} DwellRecord;

static void dwell_free(DwellRecord *r) {
    array_free(&r->t);
    for (int s = 0; s < DWELL_SIGNALS; s++) array_free(&r->x[s]);
    array_free(&r->ends);
    array_free(&r->periods);
    array_free(&r->control);
}

// Where the drive is in its sine [rad].
static double dwell_angle(const Dweller *d, double t) { return 2 * DWELL_PI * d->frequency * t + d->phase; }

static MrcStatus dwell_set_frequency(Dweller *d, double frequency, MrcError *error) {
    if (d->frequency_input < 0) {
        d->frequency = frequency;
        return MRC_OK;
    }
    double t = mrc_sim_time(d->sim), angle = fmod(dwell_angle(d, t), 2 * DWELL_PI);
    d->phase = d->frequency > 0 ? fmod(angle - 2 * DWELL_PI * frequency * t, 2 * DWELL_PI) : d->phase;
    d->frequency = frequency;
    MrcStatus status = mrc_sim_set_input(d->sim, d->frequency_input, frequency, error);
    return status == MRC_OK ? mrc_sim_set_input(d->sim, d->phase_input, d->phase, error) : status;
}

static MrcStatus dwell_sample(Dweller *d, DwellRecord *r, MrcError *error) {
    // Relative to the sine of the drive: sin(2 pi f t') is it.
    bool good = array_push(&r->t, dwell_angle(d, mrc_sim_time(d->sim)) / (2 * DWELL_PI * d->frequency));
    for (int s = 0; s < DWELL_SIGNALS && good; s++) {
        double value = d->signals[s] >= 0 ? mrc_sim_value(d->sim, d->signals[s]) : 0;
        if (!isfinite(value))
            return error_set(error, MRC_NOT_FINITE, "signal '%s' cannot be measured at t = %.6g s",
                             mrc_sim_signal(d->sim, d->signals[s]).name, mrc_sim_time(d->sim));
        good = array_push(&r->x[s], value);
    }
    return good ? MRC_OK : error_memory(error, "the samples");
}

MrcStatus dwell_step_fits(double step, double frequency, MrcError *error) {
    if (step <= 1 / (8 * frequency)) return MRC_OK;
    return error_set(error, MRC_USAGE,
                     "a step of %.3g s is too long for %g Hz, which needs at most an eighth of a period: "
                     "%.3g s; see simulate.step",
                     step, frequency, 1 / (8 * frequency));
}

static MrcStatus dwell_run_to(Dweller *d, double angle, DwellRecord *r, MrcError *error) {
    double h = mrc_sim_step_size(d->sim), T = 1 / d->frequency;
    int64_t every = (int64_t)(T / (DWELL_SAMPLES * h));
    if (every < 1) every = 1;
    MrcStatus fits = dwell_step_fits(h, d->frequency, error);
    if (fits != MRC_OK) return fits;
    while (dwell_angle(d, mrc_sim_time(d->sim)) < angle) {
        if (d->stop && *d->stop)
            return error_set(error, MRC_INTERRUPTED, "at t = %.6g s", mrc_sim_time(d->sim));
        MrcStatus status = mrc_sim_step(d->sim, error);
        if (status == MRC_OK && r && mrc_sim_step_count(d->sim) % every == 0)
            status = dwell_sample(d, r, error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}

static Harmonic dwell_fit(const Dweller *d, const DwellRecord *r, int signal, size_t first_period,
                          size_t last_period) {
    size_t from = first_period == 0 ? 0 : r->ends.data[first_period - 1], to = r->ends.data[last_period];
    return harmonic_fit(r->t.data + from, r->x[signal].data + from, to - from, 2 * DWELL_PI * d->frequency);
}

// The multiples below half of the rate of the samples; those in between where there are two periods or more.
static void dwell_fit_spectrum(const Dweller *d, const DwellRecord *r, size_t window, DwellResult *result) {
    size_t last = r->periods.count - 1, to = r->ends.data[last], count = 0;
    size_t from = last + 1 > window ? r->ends.data[last - window] : 0;
    double rate = (double)(to - from) / (double)window, multiples[DWELL_MULTIPLES], found[DWELL_MULTIPLES];
    int places[DWELL_MULTIPLES];
    for (int k = 0; k < DWELL_MULTIPLES; k++) {
        bool half = k % 2 == 0;
        result->spectrum[k] = NAN;
        if (dwell_multiple(k) > 0.49 * rate || (half && window < 2)) continue;
        places[count] = k, multiples[count++] = dwell_multiple(k);
    }
    harmonic_fit_several(r->t.data + from, r->x[DWELL_RESPONSE].data + from, to - from,
                         2 * DWELL_PI * d->frequency, multiples, count, found);
    for (size_t i = 0; i < count; i++) result->spectrum[places[i]] = found[i];
}

static MrcStatus dwell_end_period(const Dweller *d, DwellRecord *r, MrcError *error) {
    size_t k = r->periods.count;
    bool good = array_push(&r->ends, r->t.count);
    if (good) {
        Harmonic x = dwell_fit(d, r, DWELL_RESPONSE, k, k), c = x;
        if (d->signals[DWELL_CONTROL] >= 0) c = dwell_fit(d, r, DWELL_CONTROL, k, k);
        good = array_push(&r->periods, (SteadyPeriod){x.cosine, x.sine, x.rms}) &&
               array_push(&r->control, c.rms);
    }
    return good ? MRC_OK : error_memory(error, "the samples");
}

MrcStatus dwell(Dweller *d, double frequency, DwellDecide decide, void *user, DwellResult *result,
                MrcError *error) {
    DwellRecord record = {0};
    MrcStatus status = dwell_set_frequency(d, frequency, error);
    *result = (DwellResult){0};
    // On to the next top of the sine, then whole periods from top to top.
    double angle = status == MRC_OK ? dwell_angle(d, mrc_sim_time(d->sim)) : 0;
    double top = (floor(angle / (2 * DWELL_PI) + 0.75 - 1e-6) + 0.25) * 2 * DWELL_PI;
    if (status == MRC_OK) status = dwell_run_to(d, top, NULL, error);
    while (status == MRC_OK && record.periods.count < d->most) {
        status = dwell_run_to(d, top += 2 * DWELL_PI, &record, error);
        if (status == MRC_OK) status = dwell_end_period(d, &record, error);
        if (status != MRC_OK) break;
        result->steady = steady_judge(record.periods.data, record.periods.count, &d->steady);
        if (result->steady.kind != STEADY_NOT_REACHED) break;
        if (decide && decide(user, record.control.data, record.control.count)) {
            result->cut = true;
            break;
        }
    }
    result->periods = record.periods.count;
    if (status == MRC_OK && result->periods > 0) {
        size_t last = result->periods - 1, window = result->steady.window;
        if (window < 1) window = 1;
        for (int s = 0; s < DWELL_SIGNALS; s++)
            if (d->signals[s] >= 0) result->harmonic[s] = dwell_fit(d, &record, s, last + 1 - window, last);
        dwell_fit_spectrum(d, &record, window, result);
    }
    dwell_free(&record);
    return status;
}
