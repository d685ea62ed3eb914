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

// The new impulse of the contacts for relative velocity u; returns the change, raises *change to its size.
static inline Wide3 solve(NsgsBatch *c, Wide3 n, Wide3 u, bool coulomb, Wide *change) {
    const Wide zero = wide_set(0), tiny = wide_set(DBL_MIN);
    Wide3 p = {c->impulse[0], c->impulse[1], c->impulse[2]};
    Wide un = dot(u, n), pn = dot(p, n);
    Wide qn = wide_fma(-c->wn, pn, un);
    Wide3 qt = fma3(wide_fma(c->wt, pn, -un), n, fma3(-c->wt, p, u));
    Wide s = wide_sqrt(wide_max(dot(qt, qt), tiny));
    Wide stick_n = -qn * c->inverse_wn;
    WideMask slips = wide_less(c->friction * stick_n, s * c->inverse_wt);
    Wide slip_n = stick_n;
    if (!coulomb) slip_n = wide_fma(c->friction, s, -qn) * c->inverse_slip;
    Wide new_n = wide_max(wide_select(slips, slip_n, stick_n), zero);
    Wide factor = wide_select(slips, c->friction * new_n / s, c->inverse_wt);
    Wide3 new = fma3(-factor, qt, (Wide3){new_n * n.x, new_n * n.y, new_n * n.z});
    Wide3 d = {new.x - p.x, new.y - p.y, new.z - p.z};
    c->impulse[0] = new.x, c->impulse[1] = new.y, c->impulse[2] = new.z;
    *change = wide_max(c->wt * dot(d, d), *change);
    return d;
}

static double largest(Wide x) {
    double lane[WIDE_LANES], max = 0;
    memcpy(lane, &x, sizeof lane);
    for (int k = 0; k < WIDE_LANES; k++) max = lane[k] > max || lane[k] != lane[k] ? lane[k] : max;
    return max;
}

static inline double sweep_pairs(double *lines, NsgsBatch *batches, size_t first, size_t end, bool coulomb) {
    Wide change = wide_set(0);
    for (size_t i = first; i < end; i++) {
        NsgsBatch *c = &batches[i];
        Wide a[LINE], b[LINE];
        lines_load(lines, c->a, a);
        lines_load(lines, c->b, b);
        Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
        Wide3 turn = {wide_fma(c->lever_a, a[4], c->lever_b * b[4]),
                      wide_fma(c->lever_a, a[5], c->lever_b * b[5]),
                      wide_fma(c->lever_a, a[6], c->lever_b * b[6])};
        Wide3 slide = cross(n, turn);
        Wide3 u = {b[0] - a[0] + slide.x + c->bias[0], b[1] - a[1] + slide.y + c->bias[1],
                   b[2] - a[2] + slide.z + c->bias[2]};
        Wide3 d = solve(c, n, u, coulomb, &change);
        Wide3 moment = cross(n, d);
        Wide ma = -a[LINE_INVERSE_MASS], mb = b[LINE_INVERSE_MASS];
        Wide ia = -c->lever_a * a[LINE_INVERSE_INERTIA], ib = -c->lever_b * b[LINE_INVERSE_INERTIA];
        a[0] = wide_fma(ma, d.x, a[0]), a[1] = wide_fma(ma, d.y, a[1]), a[2] = wide_fma(ma, d.z, a[2]);
        b[0] = wide_fma(mb, d.x, b[0]), b[1] = wide_fma(mb, d.y, b[1]), b[2] = wide_fma(mb, d.z, b[2]);
        a[4] = wide_fma(ia, moment.x, a[4]), a[5] = wide_fma(ia, moment.y, a[5]);
        a[6] = wide_fma(ia, moment.z, a[6]);
        b[4] = wide_fma(ib, moment.x, b[4]), b[5] = wide_fma(ib, moment.y, b[5]);
        b[6] = wide_fma(ib, moment.z, b[6]);
        lines_store(lines, c->a, c->count, a);
        lines_store(lines, c->b, c->count, b);
    }
    return largest(change);
}

static inline double sweep_walls(double *lines, NsgsBatch *batches, size_t first, size_t end, bool coulomb) {
    Wide change = wide_set(0);
    for (size_t i = first; i < end; i++) {
        NsgsBatch *c = &batches[i];
        Wide b[LINE];
        lines_load(lines, c->b, b);
        Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
        Wide3 slide = cross(n, (Wide3){c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]});
        Wide3 u = {b[0] + slide.x + c->bias[0], b[1] + slide.y + c->bias[1], b[2] + slide.z + c->bias[2]};
        Wide3 d = solve(c, n, u, coulomb, &change);
        Wide3 moment = cross(n, d);
        Wide mb = b[LINE_INVERSE_MASS], ib = -c->lever_b * b[LINE_INVERSE_INERTIA];
        b[0] = wide_fma(mb, d.x, b[0]), b[1] = wide_fma(mb, d.y, b[1]), b[2] = wide_fma(mb, d.z, b[2]);
        b[4] = wide_fma(ib, moment.x, b[4]), b[5] = wide_fma(ib, moment.y, b[5]);
        b[6] = wide_fma(ib, moment.z, b[6]);
        lines_store(lines, c->b, c->count, b);
    }
    return largest(change);
}

static inline double sweep_shared(double *lines, const ContactProblem *problem, NsgsShared *shared,
                                  size_t count, bool coulomb) {
    Wide change = wide_set(0);
    for (size_t i = 0; i < count; i++) {
        NsgsShared *s = &shared[i];
        NsgsBatch *c = &s->batch;
        const double *body = lines + (size_t)s->body * LINE;
        Wide b[LINE];
        lines_load(lines, c->b, b);
        Wide3 n = {c->normal[0], c->normal[1], c->normal[2]}, arm = {s->arm[0], s->arm[1], s->arm[2]};
        Wide3 slide = cross(n, (Wide3){c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]});
        Wide3 turn = cross((Wide3){wide_set(body[4]), wide_set(body[5]), wide_set(body[6])}, arm);
        Wide3 u = {b[0] - wide_set(body[0]) + slide.x - turn.x + c->bias[0],
                   b[1] - wide_set(body[1]) + slide.y - turn.y + c->bias[1],
                   b[2] - wide_set(body[2]) + slide.z - turn.z + c->bias[2]};
        Wide3 d = solve(c, n, u, coulomb, &change);
        Wide3 moment = cross(n, d);
        Wide mb = b[LINE_INVERSE_MASS], ib = -c->lever_b * b[LINE_INVERSE_INERTIA];
        b[0] = wide_fma(mb, d.x, b[0]), b[1] = wide_fma(mb, d.y, b[1]), b[2] = wide_fma(mb, d.z, b[2]);
        b[4] = wide_fma(ib, moment.x, b[4]), b[5] = wide_fma(ib, moment.y, b[5]);
        b[6] = wide_fma(ib, moment.z, b[6]);
        lines_store(lines, c->b, c->count, b);
        Wide3 push = {-s->active * d.x, -s->active * d.y, -s->active * d.z}, swing = cross(arm, push);
        nsgs_move(lines, problem, s->body,
                  (Twist){{wide_sum(push.x), wide_sum(push.y), wide_sum(push.z)},
                          {wide_sum(swing.x), wide_sum(swing.y), wide_sum(swing.z)}});
    }
    return largest(change);
}

double nsgs_sweep_shared(double *lines, const ContactProblem *problem, NsgsShared *shared, size_t count,
                         bool coulomb) {
    return coulomb ? sweep_shared(lines, problem, shared, count, true)
                   : sweep_shared(lines, problem, shared, count, false);
}

double nsgs_sweep_pairs(double *lines, NsgsBatch *batches, size_t first, size_t end, bool coulomb) {
    return coulomb ? sweep_pairs(lines, batches, first, end, true)
                   : sweep_pairs(lines, batches, first, end, false);
}

double nsgs_sweep_walls(double *lines, NsgsBatch *batches, size_t first, size_t end, bool coulomb) {
    return coulomb ? sweep_walls(lines, batches, first, end, true)
                   : sweep_walls(lines, batches, first, end, false);
}
