// Contacts of spheres, WIDE_LANES at a time: see nsgs.h.
//
// With q the velocity that the contact would have without its own impulse, and s = |q_t|:
//   sticks   p_n = -q_n/w_n, p_t = -q_t/w_t                            if |p_t| <= mu p_n
//   slips    p_n = max(0, (mu s - q_n)/(w_n + mu^2 w_t)), p_t = -mu p_n q_t/s    relaxed law
//            the same with p_n at most (d - q_n)/w_n                             Coulomb's law, dilation d
// (cone.h with one disc). Velocities at the contact, arms along the normal: u = v_b - v_a + n x (ra w_a + rb
// w_b).
#include <float.h>

#include "contact/nsgs.h"
#include "math/wide3.h"

// A local solve is split at its square root, which has a long latency: another batch is begun in between.
typedef struct WideHalfSolve {
    Wide3 n, last, p, qt;
    Wide back, square, inverse; // -q_n; s^2, 1/s
} WideHalfSolve;

// For the relative velocity v + n x turn.
static inline WideHalfSolve nsgs_wide_solve_begin(const NsgsBatch *c, Wide3 v, Wide3 turn, Wide beta) {
    const Wide tiny = wide_set(1e-200); // avoids denormal numbers, which are slow
    WideHalfSolve x = {.n = {c->normal[0], c->normal[1], c->normal[2]},
                       .last = {c->impulse[0], c->impulse[1], c->impulse[2]}};
    x.p = wide3_fma(beta, wide3_sub(x.last, (Wide3){c->last[0], c->last[1], c->last[2]}), x.last);
    Wide un = wide3_dot(v, x.n), pn = wide3_dot(x.p, x.n);
    x.back = wide_fma(c->wn, pn, -un);
    x.qt = wide3_cross_add(x.n, turn, wide3_fma(wide_fma(c->wt, pn, -un), x.n, wide3_fma(-c->wt, x.p, v)));
    x.square = wide_max(wide3_dot(x.qt, x.qt), tiny);
    x.inverse = wide_inverse_sqrt(x.square);
    return x;
}

// The new impulse; returns its change d.
static inline Wide3 nsgs_wide_solve_end(NsgsBatch *c, const WideHalfSolve *x, bool coulomb, Wide dilation,
                                        NsgsSums *sums) {
    const Wide zero = wide_set(0);
    Wide stick_n = x->back * c->inverse_wn, limit = wide_max(c->friction * stick_n * c->wt, zero);
    WideMask slips = wide_less(limit * limit, x->square);
    Wide slip_n = wide_fma(c->friction * c->inverse_slip * x->square, x->inverse, x->back * c->inverse_slip);
    if (coulomb) slip_n = wide_min(slip_n, wide_fma(dilation, c->inverse_wn, stick_n));
    Wide new_n = wide_max(wide_select(slips, slip_n, stick_n), zero);
    Wide factor = -wide_select(slips, c->friction * x->inverse * new_n, c->inverse_wt);
    Wide3 new = wide3_fma(factor, x->qt, (Wide3){new_n * x->n.x, new_n * x->n.y, new_n * x->n.z});
    Wide3 d = wide3_sub(new, x->p);
    Wide change = c->wt * wide3_dot(d, d);
    sums->largest = wide_max(change, sums->largest);
    sums->change = sums->change + change;
    sums->uphill = wide_fma(c->wt, wide3_dot(d, wide3_sub(x->last, new)), sums->uphill);
    c->impulse[0] = new.x, c->impulse[1] = new.y, c->impulse[2] = new.z;
    c->last[0] = x->last.x, c->last[1] = x->last.y, c->last[2] = x->last.z;
    return d;
}

// Changes the lines of the bodies by the impulse d, with n x d = moment.
static inline void nsgs_wide_move_bodies(Wide line[BODY_LINE], Wide sign, Wide lever, Wide3 d, Wide3 moment) {
    Wide mass = sign * line[BODY_INVERSE_MASS], inertia = -lever * line[BODY_INVERSE_INERTIA];
    line[0] = wide_fma(mass, d.x, line[0]);
    line[1] = wide_fma(mass, d.y, line[1]);
    line[2] = wide_fma(mass, d.z, line[2]);
    line[4] = wide_fma(inertia, moment.x, line[4]);
    line[5] = wide_fma(inertia, moment.y, line[5]);
    line[6] = wide_fma(inertia, moment.z, line[6]);
}

// ---- pairs and walls -----------------------------------------------------------------------------
#define INLINE __attribute__((always_inline)) static inline

// Some batches of one colour, which have no body in common, side by side. Compiled once for each kind, law
// and number of them.
INLINE void nsgs_wide_sweep_batches(double *lines, NsgsBatch *c, int count, bool pair, bool coulomb,
                                    Wide beta, Wide dilation, NsgsSums *sums) {
    WideHalfSolve begun[2];
    Wide a[2][BODY_LINE], b[2][BODY_LINE];
    for (int k = 0; k < count; k++) {
        lines_load(lines, c[k].b, b[k]);
        Wide3 v = {b[k][0] + c[k].bias[0], b[k][1] + c[k].bias[1], b[k][2] + c[k].bias[2]};
        Wide3 turn = {c[k].lever_b * b[k][4], c[k].lever_b * b[k][5], c[k].lever_b * b[k][6]};
        if (pair) {
            lines_load(lines, c[k].a, a[k]);
            v = wide3_sub(v, (Wide3){a[k][0], a[k][1], a[k][2]});
            turn = wide3_fma(c[k].lever_a, (Wide3){a[k][4], a[k][5], a[k][6]}, turn);
        }
        begun[k] = nsgs_wide_solve_begin(&c[k], v, turn, beta);
    }
    for (int k = 0; k < count; k++) {
        Wide3 d = nsgs_wide_solve_end(&c[k], &begun[k], coulomb, dilation, sums);
        Wide3 moment = wide3_cross(begun[k].n, d);
        nsgs_wide_move_bodies(b[k], wide_set(1), c[k].lever_b, d, moment);
        lines_store(lines, c[k].b, b[k]);
        if (!pair) continue;
        nsgs_wide_move_bodies(a[k], wide_set(-1), c[k].lever_a, d, moment);
        lines_store(lines, c[k].a, a[k]);
    }
}

INLINE void nsgs_wide_sweep_spheres(double *lines, NsgsBatch *batches, size_t first, size_t end, bool pair,
                                    bool coulomb, Wide beta, Wide dilation, NsgsSums *all) {
    NsgsSums sums = *all;
    size_t i = first;
    for (; i + 1 < end; i += 2)
        nsgs_wide_sweep_batches(lines, &batches[i], 2, pair, coulomb, beta, dilation, &sums);
    if (i < end) nsgs_wide_sweep_batches(lines, &batches[i], 1, pair, coulomb, beta, dilation, &sums);
    *all = sums;
}

void nsgs_sweep_pairs(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta), dilation = wide_set(nsgs->dilation);
    double *lines = nsgs->lines.data;
    NsgsBatch *batches = nsgs->pairs.data;
    if (coulomb) nsgs_wide_sweep_spheres(lines, batches, first, end, true, true, beta, dilation, sums);
    else nsgs_wide_sweep_spheres(lines, batches, first, end, true, false, beta, dilation, sums);
}

void nsgs_sweep_walls(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta), dilation = wide_set(nsgs->dilation);
    double *lines = nsgs->lines.data;
    NsgsBatch *batches = nsgs->walls.data;
    if (coulomb) nsgs_wide_sweep_spheres(lines, batches, first, end, false, true, beta, dilation, sums);
    else nsgs_wide_sweep_spheres(lines, batches, first, end, false, false, beta, dilation, sums);
}

// ---- shared containers ---------------------------------------------------------------------------
static inline void nsgs_wide_sweep_shared(Nsgs *nsgs, const ContactProblem *problem, NsgsShared *s,
                                          bool coulomb, Wide beta, NsgsSums *sums) {
    NsgsBatch *c = &s->batch;
    double *lines = nsgs->lines.data;
    const double *body = nsgs_line(nsgs, s->body);
    Wide b[BODY_LINE];
    Wide3 arm = {s->arm[0], s->arm[1], s->arm[2]};
    lines_load(lines, c->b, b);
    Wide3 swing = wide3_cross((Wide3){wide_set(body[4]), wide_set(body[5]), wide_set(body[6])}, arm);
    Wide3 v = {b[0] - wide_set(body[0]) - swing.x + c->bias[0],
               b[1] - wide_set(body[1]) - swing.y + c->bias[1],
               b[2] - wide_set(body[2]) - swing.z + c->bias[2]};
    Wide3 turn = {c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]};
    WideHalfSolve begun = nsgs_wide_solve_begin(c, v, turn, beta);
    Wide3 d = nsgs_wide_solve_end(c, &begun, coulomb, wide_set(nsgs->dilation), sums);
    nsgs_wide_move_bodies(b, wide_set(1), c->lever_b, d, wide3_cross(begun.n, d));
    lines_store(lines, c->b, b);
    Wide3 push = {-s->active * d.x, -s->active * d.y, -s->active * d.z}, swung = wide3_cross(arm, push);
    nsgs_move(nsgs, problem, s->body,
              (Twist){{wide_sum(push.x), wide_sum(push.y), wide_sum(push.z)},
                      {wide_sum(swung.x), wide_sum(swung.y), wide_sum(swung.z)}});
}

void nsgs_sweep_shared(Nsgs *nsgs, const ContactProblem *problem, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta);
    for (size_t i = 0; i < nsgs->shared.count; i++) {
        if (nsgs->shared.data[i].turning >= 0)
            nsgs_sweep_shared_rolling(nsgs, problem, &nsgs->shared.data[i], sums);
        else if (coulomb) nsgs_wide_sweep_shared(nsgs, problem, &nsgs->shared.data[i], true, beta, sums);
        else nsgs_wide_sweep_shared(nsgs, problem, &nsgs->shared.data[i], false, beta, sums);
    }
}
