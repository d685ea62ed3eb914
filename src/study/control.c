// What the paper names, and what is done here:
//
//     a large tolerance                     `tolerance`, a part of the target
//     adjust before the response converged  control_decide: three periods in a row beyond twice or half of the target,
//                                           and not on the way back
//     loosened gradient                     control_next: a secant in logarithms when the last two responses differ by
//                                           more than the tolerance, its slope held between 1/3 and 3
//     ratio of target and response          otherwise, and at first
//     cycles of two periods                 found by steady.c; their r.m.s. value is over both
//     best so far                           when no attempt was within the tolerance, the stabilised one nearest to the
//                                           target is taken, and `converged` is false
//
// In addition, drives that were too weak and too strong bound the next one: a nonlinear response may jump between them. And
// after two adjustments in a row before the response converged, the next drive is held until it has: a lightly damped
// structure keeps ringing and beats with the drive, and such an amplitude is of no use. The attempts before are then
// discarded.
#include "study/control.h"

#include <math.h>

enum { CONTROL_ATTEMPTS_MAX = 64, CONTROL_CUTS = 2 };

static double control_clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

double control_next(const double *drives, const double *rms, int count, double target, double tolerance) {
    int last = count - 1;
    double weak = 0, strong = INFINITY, slope = 1;
    if (!(rms[last] > 0)) return 3 * drives[last];
    for (int i = 0; i < count; i++) {
        if (rms[i] < target) weak = fmax(weak, drives[i]);
        else strong = fmin(strong, drives[i]);
    }
    if (count > 1 && rms[last - 1] > 0 && drives[last] != drives[last - 1]) {
        double change = log(rms[last] / rms[last - 1]), step = log(drives[last] / drives[last - 1]);
        if (fabs(change) > tolerance) slope = control_clamp(change / step, 1.0 / 3, 3);
    }
    double next = drives[last] * control_clamp(pow(target / rms[last], 1 / slope), 1.0 / 3, 3);
    if (weak > 0 && strong < INFINITY && weak < strong && !(next > weak && next < strong))
        next = sqrt(weak * strong);
    return next;
}

typedef struct ControlDoubt {
    double target;
} ControlDoubt;

static bool control_decide(void *user, const double *rms, size_t count) {
    const ControlDoubt *doubt = user;
    if (count < 5) return false;
    bool high = true, low = true;
    for (size_t i = count - 3; i < count; i++) {
        high = high && rms[i] > 2 * doubt->target && rms[i] > 0.95 * rms[i - 1];
        low = low && rms[i] < 0.5 * doubt->target && rms[i] < 1.05 * rms[i - 1];
    }
    return high || low;
}

MrcStatus control_dwell(Dweller *d, const ControlOptions *o, ControlState *state, double frequency,
                        ControlResult *result, MrcError *error) {
    double drives[CONTROL_ATTEMPTS_MAX], rms[CONTROL_ATTEMPTS_MAX];
    int most = o->most < CONTROL_ATTEMPTS_MAX ? o->most : CONTROL_ATTEMPTS_MAX;
    int cuts = 0, first = 0; // adjustments in a row; the first attempt that the next drive follows from
    double best = INFINITY;
    ControlDoubt doubt = {o->target};
    *result = (ControlResult){.drive = state->drive};
    for (int i = 0; i < most && !result->converged; i++) {
        DwellResult now;
        drives[i] = state->drive;
        MrcStatus status = mrc_sim_set_input(d->sim, o->input, state->drive, error);
        if (status == MRC_OK)
            status = dwell(d, frequency, cuts < CONTROL_CUTS ? control_decide : NULL, &doubt, &now, error);
        if (status != MRC_OK) return status;
        rms[i] = now.harmonic[DWELL_CONTROL].rms;
        bool stable = now.steady.kind != STEADY_NOT_REACHED && !now.cut;
        double off =
            fabs(log(rms[i] / o->target)) + (stable ? 0 : 100); // what is not stable is the last resort
        result->attempts = i + 1;
        result->converged = stable && fabs(rms[i] / o->target - 1) <= o->tolerance;
        if (off < best || result->converged) {
            best = off;
            result->dwell = now, result->drive = drives[i], result->rms = rms[i];
        }
        if (!now.cut && cuts >= CONTROL_CUTS) first = i;
        cuts = now.cut ? cuts + 1 : 0;
        if (!result->converged)
            state->drive = control_next(drives + first, rms + first, i + 1 - first, o->target, o->tolerance);
    }
    state->drive = result->drive;
    return MRC_OK;
}
