// Momentum between sweeps: see nsgs.h.
//
// After a sweep, impulses are extrapolated along their change since the last sweep, with the growing factors of
// Nesterov's method. The sequence restarts when the extrapolation points uphill, as in apgd.h:
//
//   p_(k+1) = GS(y_k),   y_(k+1) = p_(k+1) + beta_k (p_(k+1) - p_k)
//   restart if (y_k - p_(k+1)) . (p_(k+1) - p_k) > 0
//
// in the metric of the contacts' own blocks. Impulses are extrapolated when the next sweep visits them;
// velocities depend linearly on impulses and are extrapolated before it. Impulses may leave their cones in
// between; the sweep projects them back.
#include <float.h>

#include "contact/nsgs.h"

// |p - y|^2 may grow for some sweeps, up to this factor times the least so far: this makes momentum effective far from
// the solution. But a sweep is not a gradient step, and momentum may keep it from converging. If the least change has
// not been undercut for `patience` sweeps, the sequence restarts whenever the change grows, for as many sweeps; then
// growth is allowed again, and the patience doubled. (Growth by at most 1.5 from sweep to sweep with a patience of 100
// took twice as many sweeps where a lid presses grains, and a quarter more in a shaken bed at a residual of 1e-6.
// Without any bound the impulses of grains in a wedge grew beyond all numbers.)
static const double nsgs_momentum_growth = 1e4;
// With Coulomb's law impulses do not minimise a function, and momentum fails more often: with a patience of 1000, five
// problems of stones squeezed by a machine (4300 contacts, residual 1e-3) took 11,700 sweeps, with 100 they took 3,060,
// with 10 to 40 some 3,300.
enum { nsgs_momentum_first_patience = 1000, nsgs_momentum_coulomb_patience = 100 };

// Likewise the push is bounded. 49 problems of stones that a machine squeezes (4000 contacts, residual 1e-3, at most 5000
// sweeps): without a bound 119,000 sweeps and 15 not solved; 0.8: 136,000 and 15; 0.9: 112,000 and 10; 0.95: 102,000 and 11.
static const double nsgs_momentum_coulomb_push = 0.95;

// Nesterov's sequence begins with theta = 1. A sweep does more than a gradient step: starting at a smaller theta
// takes a tenth fewer sweeps.
static const double nsgs_momentum_first_theta = 0.5;

void nsgs_push_anew(Nsgs *nsgs) { nsgs->theta = nsgs_momentum_first_theta, nsgs->beta = 0; }

// Lines as they are now.
static void nsgs_momentum_keep_lines(Nsgs *nsgs) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->lines.count, &from, &to);
    memcpy(nsgs->last_lines.data + from, nsgs->lines.data + from, (to - from) * sizeof *nsgs->lines.data);
}

void nsgs_momentum_begin(Nsgs *nsgs) {
    if (nsgs->parallel) {
#pragma omp parallel
        nsgs_momentum_keep_lines(nsgs);
    } else nsgs_momentum_keep_lines(nsgs);
    nsgs_push_anew(nsgs);
    nsgs->last_change = nsgs->least_change = DBL_MAX;
    nsgs->may_grow = true;
    nsgs->leaps = false;
    nsgs->alike = 0;
    nsgs->sweeps_since = 0;
    nsgs->patience =
        nsgs->dilation < INFINITY ? nsgs_momentum_coulomb_patience : nsgs_momentum_first_patience;
}

void nsgs_swap_lines(Nsgs *nsgs) {
    __typeof__(nsgs->lines) lines = nsgs->lines;
    nsgs->lines = nsgs->last_lines;
    nsgs->last_lines = lines;
}

// Lines and last lines have been swapped: the last lines are now those after the last sweep, and the lines are
// overwritten. Those of bodies that no contact moves are the same in both.
void nsgs_push_lines(Nsgs *nsgs, int layer) {
    const Wide beta = wide_set(nsgs->beta);
    const int32_t *at = nsgs->moved.data + (layer > 0 ? nsgs->layer_end[layer - 1] : 0),
                  *end = at + nsgs->moved_count[layer];
    for (; at < end; at++) {
        Wide *now = (Wide *)(nsgs->lines.data + *at), *last = (Wide *)(nsgs->last_lines.data + *at);
        for (int k = 0; k < BODY_LINE / WIDE_LANES; k++) now[k] = wide_fma(beta, last[k] - now[k], last[k]);
    }
}

static void nsgs_momentum_adapt(Nsgs *nsgs, double change) {
    nsgs->sweeps_since++;
    if (!nsgs->may_grow) {
        if (nsgs->sweeps_since < nsgs->patience) return;
        nsgs->may_grow = true;
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
        nsgs->patience *= 2;
    } else if (change < nsgs->least_change) {
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
    } else if (nsgs->sweeps_since > nsgs->patience) {
        nsgs->may_grow = false;
        nsgs->sweeps_since = 0;
    }
}

// Sweeps whose |p - y|^2 differ by less than this part are alike; after so many of them a leap is tried. (With a
// hundredth, leaps come too early: hard problems of a shaken bed take half as many sweeps again. Three to eight sweeps
// do as well.)
static const double nsgs_momentum_alike = 1e-3;
enum { nsgs_momentum_alike_sweeps = 5 };
static const double nsgs_momentum_least_leap = 2;  // times what momentum would do anyway
static const double nsgs_momentum_most_leap = 1e4; // velocities gather so many times the rounding of a sweep

static void nsgs_momentum_try_leap(Nsgs *nsgs, const ContactProblem *p) {
    // With Coulomb's law impulses do not minimise a function, and the end of a leap need not be nearer to the solution.
    if (p->law != CONTACT_RELAXED || nsgs->alike < nsgs_momentum_alike_sweeps) return;
    double leap = nsgs_leap(nsgs, p);
    nsgs->alike = 0;
    nsgs->leaps = leap > nsgs_momentum_least_leap * nsgs->beta && leap < nsgs_momentum_most_leap;
    if (nsgs->leaps) nsgs->beta = leap;
}

void nsgs_choose_push(Nsgs *nsgs, const ContactProblem *p, double uphill, double change) {
    double theta = nsgs->theta, next = 0.5 * (-theta * theta + theta * sqrt(theta * theta + 4));
    nsgs->beta = theta * (1 - theta) / (theta * theta + next);
    nsgs->theta = next;
    if (nsgs->dilation < INFINITY) nsgs->beta = fmin(nsgs->beta, nsgs_momentum_coulomb_push);
    double most = nsgs->may_grow ? nsgs_momentum_growth * nsgs->least_change : nsgs->last_change;
    bool anew = !(uphill <= 0) || !(change <= most) || nsgs->leaps;
    if (anew) nsgs_push_anew(nsgs);
    bool same = fabs(change - nsgs->last_change) <= nsgs_momentum_alike * change;
    nsgs->alike = same && !anew ? nsgs->alike + 1 : 0;
    nsgs->leaps = false;
    nsgs->last_change = change;
    nsgs_momentum_adapt(nsgs, change);
    nsgs_momentum_try_leap(nsgs, p);
}

void nsgs_momentum_anew(Nsgs *nsgs, const ContactProblem *problem, const Twist *velocity) {
    for (size_t i = 0; i < problem->bodies.count; i++) {
        bool moved = (nsgs->used.data[i] | nsgs->wall_used.data[i]) != 0; // else both lines stay the same
        for (size_t k = 0; k < 6; k++) {
            size_t at = (size_t)nsgs->line_at.data[i] + (k < 3 ? k : BODY_ANGULAR + k - 3);
            double v = twist_view(&velocity[i])[k], *last = &nsgs->last_lines.data[at];
            *last = moved ? *last + (v - nsgs->lines.data[at]) : v;
            nsgs->lines.data[at] = v;
        }
    }
}
