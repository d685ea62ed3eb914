// Momentum between sweeps: see nsgs.h.
//
// The result of a sweep is pushed on along the way from the last sweep's result, with the growing steps of
// Nesterov's method, and from a standstill again when the push points uphill, as in apgd.h:
//
//   p_(k+1) = GS(y_k),   y_(k+1) = p_(k+1) + beta_k (p_(k+1) - p_k)
//   from a standstill if (y_k - p_(k+1)) . (p_(k+1) - p_k) > 0
//
// in the metric of the contacts' own blocks. Impulses are pushed when the next sweep comes to them;
// velocities depend linearly on impulses and are pushed before it. Impulses may leave their cones for the
// moment; the sweep brings them back.
#include <float.h>

#include "contact/nsgs.h"

// |p - y|^2 may grow by `bold` from sweep to sweep before the push starts anew; that is what makes long ways
// short. But a sweep is no gradient step, and the push may keep it from settling. So if for a number of
// sweeps none has made less of a change than all before, nothing may grow for as many sweeps; then again,
// with twice the patience.
static const double bold = 1.5, careful = 1;
enum { first_patience = 100 };

// Nesterov's sequence begins with theta = 1; a sweep does more than a gradient step, and from further on it
// takes a tenth fewer of them.
static const double first_theta = 0.5;

void nsgs_push_anew(Nsgs *nsgs) { nsgs->theta = first_theta, nsgs->beta = 0; }

void nsgs_momentum_begin(Nsgs *nsgs) {
    memcpy(nsgs->last_lines.data, nsgs->lines.data, nsgs->lines.count * sizeof *nsgs->lines.data);
    nsgs_push_anew(nsgs);
    nsgs->last_change = nsgs->least_change = DBL_MAX;
    nsgs->growth = bold;
    nsgs->sweeps_since = 0;
    nsgs->patience = first_patience;
}

void nsgs_swap_lines(Nsgs *nsgs) {
    __typeof__(nsgs->lines) lines = nsgs->lines;
    nsgs->lines = nsgs->last_lines;
    nsgs->last_lines = lines;
}

// Lines and last lines have changed places: those that the last sweep has left are the last ones now, and
// those before them are overwritten. Bodies that nothing touches have nothing to be pushed by, which is
// quicker than asking.
void nsgs_push_lines(Nsgs *nsgs, int layer) {
    const Wide beta = wide_set(nsgs->beta);
    for (size_t i = layer > 0 ? nsgs->layer_end[layer - 1] : 0; i < nsgs->layer_end[layer]; i++) {
        Wide *now = (Wide *)(nsgs->lines.data + i * LINE), *last = (Wide *)(nsgs->last_lines.data + i * LINE);
        for (int k = 0; k < LINE / WIDE_LANES; k++) now[k] = wide_fma(beta, last[k] - now[k], last[k]);
    }
}

static void watch(Nsgs *nsgs, double change) {
    nsgs->sweeps_since++;
    if (nsgs->growth == careful) {
        if (nsgs->sweeps_since < nsgs->patience) return;
        nsgs->growth = bold;
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
        nsgs->patience *= 2;
    } else if (change < nsgs->least_change) {
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
    } else if (nsgs->sweeps_since > nsgs->patience) {
        nsgs->growth = careful;
        nsgs->sweeps_since = 0;
    }
}

void nsgs_choose_push(Nsgs *nsgs, double uphill, double change) {
    double theta = nsgs->theta, next = 0.5 * (-theta * theta + theta * sqrt(theta * theta + 4));
    nsgs->beta = theta * (1 - theta) / (theta * theta + next);
    nsgs->theta = next;
    if (!(uphill <= 0) || !(change <= nsgs->growth * nsgs->last_change)) nsgs_push_anew(nsgs);
    nsgs->last_change = change;
    watch(nsgs, change);
}

void nsgs_momentum_anew(Nsgs *nsgs, const ContactProblem *problem, const Twist *velocity) {
    for (size_t i = 0; i < problem->bodies.count; i++)
        for (size_t k = 0; k < 6; k++) {
            size_t at = (size_t)nsgs->line_at.data[i] + (k < 3 ? k : LINE_ANGULAR + k - 3);
            double v = twist_view(&velocity[i])[k];
            nsgs->last_lines.data[at] += v - nsgs->lines.data[at];
            nsgs->lines.data[at] = v;
        }
}
