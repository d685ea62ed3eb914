// Contacts of spheres, WIDE_LANES at a time: see nsgs.h.
//
// With q the velocity that the contact would have without its own impulse, and s = |q_t|:
//   sticks   p_n = -q_n/w_n, p_t = -q_t/w_t                            if |p_t| <= mu p_n
//   slips    p_n = max(0, (mu s - q_n)/(w_n + mu^2 w_t)), p_t = -mu p_n q_t/s    relaxed law
//            p_n = max(0, -q_n/w_n),                      p_t = -mu p_n q_t/s    Coulomb's law
// (cone.h with one disc). Velocities at the contact, arms along the normal: u = v_b - v_a + n x (ra w_a + rb
// w_b).
#include <float.h>

#include "contact/nsgs.h"

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

static inline Wide3 cross(Wide3 a, Wide3 b) {
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline Wide dot(Wide3 a, Wide3 b) { return wide_fma(a.x, b.x, wide_fma(a.y, b.y, a.z * b.z)); }
static inline Wide3 fma3(Wide s, Wide3 a, Wide3 b) { // s a + b
    return (Wide3){wide_fma(s, a.x, b.x), wide_fma(s, a.y, b.y), wide_fma(s, a.z, b.z)};
}

static inline Wide3 sub3(Wide3 a, Wide3 b) { return (Wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Wide3 cross_add(Wide3 a, Wide3 b, Wide3 c) { // a x b + c
    return (Wide3){wide_fma(a.y, b.z, wide_fma(-a.z, b.y, c.x)), wide_fma(a.z, b.x, wide_fma(-a.x, b.z, c.y)),
                   wide_fma(a.x, b.y, wide_fma(-a.y, b.x, c.z))};
}

// The new impulse of the contacts for the relative velocity v + n x turn; returns its change d. Most of the
// time of a sweep the processor waits for the root and what follows from it: as much as possible is made
// beside it.
static inline Wide3 solve(NsgsBatch *c, Wide3 v, Wide3 turn, bool coulomb, Wide beta, NsgsSums *sums) {
    const Wide zero = wide_set(0), tiny = wide_set(1e-200); // far from numbers that take the processor long
    Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
    Wide3 last = {c->impulse[0], c->impulse[1], c->impulse[2]};
    Wide3 p = fma3(beta, sub3(last, (Wide3){c->last[0], c->last[1], c->last[2]}), last);
    Wide un = dot(v, n), pn = dot(p, n), back = wide_fma(c->wn, pn, -un); // -q_n
    Wide3 qt = cross_add(n, turn, fma3(wide_fma(c->wt, pn, -un), n, fma3(-c->wt, p, v)));
    Wide square = wide_max(dot(qt, qt), tiny), inverse = wide_inverse_sqrt(square); // s^2, 1/s
    Wide stick_n = back * c->inverse_wn, limit = wide_max(c->friction * stick_n * c->wt, zero);
    WideMask slips = wide_less(limit * limit, square);
    Wide slip_n = stick_n;
    if (!coulomb) slip_n = wide_fma(c->friction * c->inverse_slip * square, inverse, back * c->inverse_slip);
    Wide new_n = wide_max(wide_select(slips, slip_n, stick_n), zero);
    Wide factor = -wide_select(slips, c->friction * inverse * new_n, c->inverse_wt);
    Wide3 new = fma3(factor, qt, (Wide3){new_n * n.x, new_n * n.y, new_n * n.z}), d = sub3(new, p);
    Wide change = c->wt * dot(d, d);
    sums->largest = wide_max(change, sums->largest);
    sums->change = sums->change + change;
    sums->uphill = wide_fma(c->wt, dot(d, sub3(last, new)), sums->uphill);
    c->impulse[0] = new.x, c->impulse[1] = new.y, c->impulse[2] = new.z;
    c->last[0] = last.x, c->last[1] = last.y, c->last[2] = last.z;
    return d;
}

// What the impulse d, with n x d = moment, does to the lines of bodies that it pushes.
static inline void move(Wide line[LINE], Wide sign, Wide lever, Wide3 d, Wide3 moment) {
    Wide mass = sign * line[LINE_INVERSE_MASS], inertia = -lever * line[LINE_INVERSE_INERTIA];
    line[0] = wide_fma(mass, d.x, line[0]);
    line[1] = wide_fma(mass, d.y, line[1]);
    line[2] = wide_fma(mass, d.z, line[2]);
    line[4] = wide_fma(inertia, moment.x, line[4]);
    line[5] = wide_fma(inertia, moment.y, line[5]);
    line[6] = wide_fma(inertia, moment.z, line[6]);
}

// ---- pairs and walls -----------------------------------------------------------------------------
// Compiled once for each kind and law.
__attribute__((always_inline)) static inline void sweep_spheres(double *lines, NsgsBatch *batches,
                                                                size_t first, size_t end, bool pair,
                                                                bool coulomb, Wide beta, NsgsSums *all) {
    NsgsSums sums = *all;
    for (size_t i = first; i < end; i++) {
        NsgsBatch *c = &batches[i];
        Wide a[LINE], b[LINE];
        lines_load(lines, c->b, b);
        Wide3 v = {b[0] + c->bias[0], b[1] + c->bias[1], b[2] + c->bias[2]};
        Wide3 turn = {c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]};
        if (pair) {
            lines_load(lines, c->a, a);
            v = sub3(v, (Wide3){a[0], a[1], a[2]});
            turn = fma3(c->lever_a, (Wide3){a[4], a[5], a[6]}, turn);
        }
        Wide3 d = solve(c, v, turn, coulomb, beta, &sums);
        Wide3 moment = cross((Wide3){c->normal[0], c->normal[1], c->normal[2]}, d);
        move(b, wide_set(1), c->lever_b, d, moment);
        lines_store(lines, c->b, b);
        if (!pair) continue;
        move(a, wide_set(-1), c->lever_a, d, moment);
        lines_store(lines, c->a, a);
    }
    *all = sums;
}

void nsgs_sweep_pairs(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta);
    if (coulomb) sweep_spheres(nsgs->lines.data, nsgs->pairs.data, first, end, true, true, beta, sums);
    else sweep_spheres(nsgs->lines.data, nsgs->pairs.data, first, end, true, false, beta, sums);
}

void nsgs_sweep_walls(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta);
    if (coulomb) sweep_spheres(nsgs->lines.data, nsgs->walls.data, first, end, false, true, beta, sums);
    else sweep_spheres(nsgs->lines.data, nsgs->walls.data, first, end, false, false, beta, sums);
}

// ---- shared containers ---------------------------------------------------------------------------
static inline void sweep_shared(Nsgs *nsgs, const ContactProblem *problem, NsgsShared *s, bool coulomb,
                                Wide beta, NsgsSums *sums) {
    NsgsBatch *c = &s->batch;
    double *lines = nsgs->lines.data;
    const double *body = nsgs_line(nsgs, s->body);
    Wide b[LINE];
    Wide3 arm = {s->arm[0], s->arm[1], s->arm[2]};
    lines_load(lines, c->b, b);
    Wide3 swing = cross((Wide3){wide_set(body[4]), wide_set(body[5]), wide_set(body[6])}, arm);
    Wide3 v = {b[0] - wide_set(body[0]) - swing.x + c->bias[0],
               b[1] - wide_set(body[1]) - swing.y + c->bias[1],
               b[2] - wide_set(body[2]) - swing.z + c->bias[2]};
    Wide3 turn = {c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]};
    Wide3 d = solve(c, v, turn, coulomb, beta, sums);
    move(b, wide_set(1), c->lever_b, d, cross((Wide3){c->normal[0], c->normal[1], c->normal[2]}, d));
    lines_store(lines, c->b, b);
    Wide3 push = {-s->active * d.x, -s->active * d.y, -s->active * d.z}, swung = cross(arm, push);
    nsgs_move(nsgs, problem, s->body,
              (Twist){{wide_sum(push.x), wide_sum(push.y), wide_sum(push.z)},
                      {wide_sum(swung.x), wide_sum(swung.y), wide_sum(swung.z)}});
}

void nsgs_sweep_shared(Nsgs *nsgs, const ContactProblem *problem, bool coulomb, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta);
    for (size_t i = 0; i < nsgs->shared.count; i++) {
        if (coulomb) sweep_shared(nsgs, problem, &nsgs->shared.data[i], true, beta, sums);
        else sweep_shared(nsgs, problem, &nsgs->shared.data[i], false, beta, sums);
    }
}
