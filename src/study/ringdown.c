// Sample by sample, two decays of grains differ after a few impacts, even if all is the same but the bed. Amplitudes over
// time (decay.c) do not. Times count from the first extreme, so that the instant of letting go need not be known. In the
// logarithm, scatter is of about the same size early and late, and noise grows as the amplitude falls; it ends at a
// twentieth of the largest amplitude, below which noise prevails.
#include "study/ringdown.h"

#include <math.h>

#include "study/decay.h"

static const double ringdown_floor = 0.05,
                    ringdown_least = 0.01; // parts of the largest amplitude of the data

// How many of the points are above the floor, from the first on.
static size_t ringdown_above(const DecayEnvelope *envelope, double floor) {
    size_t n = 0;
    while (n < envelope->count && envelope->data[n].amplitude > floor) n++;
    return n;
}

static double ringdown_frequency(const DecayEnvelope *envelope, size_t n) {
    return n < 2 ? NAN : 0.5 * (double)(n - 1) / (envelope->data[n - 1].time - envelope->data[0].time);
}

const char *ringdown_start(Ringdown *r, const double *t, const double *x, size_t count) {
    DecayEnvelope envelope = {0};
    if (!decay_envelope(t, x, count, &envelope)) return "memory is out";
    double largest = 0;
    for (size_t i = 0; i < envelope.count; i++) largest = fmax(largest, envelope.data[i].amplitude);
    size_t n = ringdown_above(&envelope, ringdown_floor * largest);
    *r = (Ringdown){.floor = ringdown_least * largest, .frequency = ringdown_frequency(&envelope, n)};
    const char *wrong = NULL;
    if (n < 6) wrong = "fewer than three cycles before the amplitude is below a twentieth of the largest one";
    else if (!(envelope.data[n - 1].amplitude < 0.8 * envelope.data[0].amplitude))
        wrong = "the amplitude hardly decays";
    if (!wrong) r->spacing = (envelope.data[n - 1].time - envelope.data[0].time) / (RINGDOWN_LEVELS - 1);
    array_free(&envelope);
    return wrong;
}

static double ringdown_level(const DecayEnvelope *e, double time, double floor) {
    size_t i = 0;
    while (i < e->count && e->data[i].time < time) i++;
    if (i == e->count) return log(fmax(e->data[e->count - 1].amplitude, floor));
    double after = log(fmax(e->data[i].amplitude, floor));
    if (i == 0) return after;
    const DecayPoint *a = &e->data[i - 1], *b = &e->data[i];
    double before = log(fmax(a->amplitude, floor)), part = (time - a->time) / (b->time - a->time);
    return before + part * (after - before);
}

bool ringdown_features(const Ringdown *r, const double *t, const double *x, size_t count,
                       double features[RINGDOWN_FEATURES]) {
    DecayEnvelope envelope = {0};
    if (!decay_envelope(t, x, count, &envelope)) return false;
    for (int k = 0; k < RINGDOWN_FEATURES; k++) features[k] = NAN;
    if (envelope.count >= 2) {
        size_t n = ringdown_above(&envelope, 5 * r->floor);
        for (int k = 0; k < RINGDOWN_LEVELS; k++)
            features[k] = ringdown_level(&envelope, envelope.data[0].time + k * r->spacing, r->floor);
        features[RINGDOWN_LEVELS] = n < 2 ? 0 : 10 * log(ringdown_frequency(&envelope, n) / r->frequency);
    }
    array_free(&envelope);
    return true;
}

// Of ten times the logarithm of the frequency, which the first and the last extreme determine by their times.
static double ringdown_frequency_noise(const DecayEnvelope *e, size_t n) {
    if (n < 2) return 0;
    const DecayPoint *a = &e->data[0], *b = &e->data[n - 1];
    double part = 10 * hypot(a->time_noise, b->time_noise) / (b->time - a->time);
    return part * part;
}

// Of the logarithm of an amplitude, of the extreme next to the level.
bool ringdown_noise(const Ringdown *r, const double *t, const double *x, size_t count,
                    double variances[RINGDOWN_FEATURES]) {
    DecayEnvelope envelope = {0};
    if (!decay_envelope(t, x, count, &envelope)) return false;
    for (int k = 0; k < RINGDOWN_FEATURES; k++) {
        size_t i = 0;
        variances[k] = 0;
        if (k == RINGDOWN_LEVELS || envelope.count == 0) continue;
        double time =
            envelope.data[0].time + (k - 0.01) * r->spacing; // a hair before: the last level is an extreme
        while (i + 1 < envelope.count && envelope.data[i].time < time) i++;
        double part = envelope.data[i].noise / fmax(envelope.data[i].amplitude, r->floor);
        variances[k] = part * part;
    }
    variances[RINGDOWN_LEVELS] = ringdown_frequency_noise(&envelope, ringdown_above(&envelope, 5 * r->floor));
    array_free(&envelope);
    return true;
}
