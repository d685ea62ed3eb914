// Contacts of spheres with rolling or spinning friction, WIDE_LANES at a time: see nsgs.h.
//
// With levers as in nsgs_wide.c, u = v_b - v_a + n x (r_a w_a + r_b w_b) and w = w_b - w_a, an impulse p and a moment m cause
//   along the normal   u_n = (1/m_a + 1/m_b) p_n
//   across it          u_t = T p_t + C n x m,   w_t = R m_t - C n x p,   T = 1/m_a + 1/m_b + r_a^2/I_a + r_b^2/I_b
//   about it           w_n = R m_n,             R = 1/I_a + 1/I_b,       C = r_b/I_b - r_a/I_a
// C is zero for equal spheres. Otherwise T + |C| L and R + |C|/L, with any length L, bound the block from above, and as in
// nsgs_general.c
//   p <- argmin over K of  1/2 (x - p)^T D (x - p) + u^T (x - p)
// is done up to four times; each of them has a closed form (wide_cone.h).
#include "contact/nsgs.h"
#include "contact/wide_cone.h"

static const double nsgs_rolling_inner_tolerance = 1e-2; // of the whole change
enum { nsgs_rolling_inner_most = 4 };                    // as in nsgs_general.c

// ---- filling -------------------------------------------------------------------------------------
static void nsgs_rolling_read(const NsgsBatch *c, NsgsTurning *t, const ContactProblem *p,
                              NsgsImpulses impulses) {
    for (int k = 0; k < WIDE_LANES; k++) {
        int32_t name = c->contact[k < c->count ? k : 0], index = name < 0 ? ~name : name;
        double sign = name < 0 ? -1 : 1;
        nsgs_set_lane(&t->rolling, k, p->contacts.data[index].rolling);
        nsgs_set_lane(&t->spinning, k, p->contacts.data[index].spinning);
        for (int i = 0; i < 3; i++) {
            nsgs_set_lane(&t->moment[i], k, sign * (&impulses.now[index].angular.x)[i]);
            nsgs_set_lane(&t->last[i], k, sign * (&impulses.last[index].angular.x)[i]);
        }
    }
}

// Of a batch whose linear part is filled. The lines of immovable bodies and of those of groups have no inverse inertia; `turn`
// and `mean` are what a group adds to the block.
static void nsgs_rolling_fill(NsgsBatch *c, NsgsTurning *t, const Nsgs *nsgs, const ContactProblem *p,
                              bool wall, Wide turn, Wide mean, NsgsImpulses impulses) {
    const Wide zero = wide_set(0), one = wide_set(1), tiny = wide_set(DBL_MIN);
    Wide a[BODY_LINE], b[BODY_LINE];
    nsgs_rolling_read(c, t, p, impulses);
    lines_load(nsgs->lines.data, c->a, a);
    lines_load(nsgs->lines.data, c->b, b);
    for (int i = 0; i < 3; i++) t->spin_bias[i] = wall ? -a[BODY_ANGULAR + i] : zero;
    t->tangent = c->wt;
    t->roll = a[BODY_INVERSE_INERTIA] + b[BODY_INVERSE_INERTIA];
    mean = mean + t->roll;
    t->roll = t->roll + turn;
    t->couple = wide_fma(c->lever_b, b[BODY_INVERSE_INERTIA], -c->lever_a * a[BODY_INVERSE_INERTIA]);
    t->length = wide_select(wide_less(tiny, mean), wide_sqrt(c->w / wide_max(mean, tiny)), one);
    Wide couple = wide_abs(t->couple), unit = one / (t->length * t->length);
    t->exact = wide_mask_bits(wide_less(wide_set(1e-12) * c->wn, couple * t->length)) == 0;
    c->wt = wide_fma(couple, t->length, c->wt);
    Wide least = wide_set(1e-12) * (c->wn + c->wt) * unit; // nothing can turn
    t->wr = wide_max(t->roll + couple / t->length, least);
    t->ws = wide_max(t->roll, least);
    c->inverse_wt = one / c->wt;
    t->inverse_wr = one / t->wr;
    t->inverse_ws = one / t->ws;
    const Wide disc[CONE_DISCS] = {c->wt, t->wr, t->ws},
               radius[CONE_DISCS] = {c->friction, t->rolling, t->spinning};
    wide_cone_slopes(c->wn, disc, radius, t->inverse_slopes);
}

void nsgs_fill_rolling(NsgsRolling *r, const Nsgs *nsgs, const ContactProblem *p, bool pair,
                       NsgsImpulses impulses) {
    if (pair) nsgs_fill_pair(&r->batch, nsgs, p, impulses);
    else nsgs_fill_wall(&r->batch, nsgs, p, impulses);
    nsgs_rolling_fill(&r->batch, &r->turning, nsgs, p, !pair, wide_set(0), wide_set(0), impulses);
}

void nsgs_fill_shared_turning(NsgsShared *s, const Nsgs *nsgs, const ContactProblem *p,
                              NsgsImpulses impulses) {
    NsgsTurning *t = &nsgs->shared_turnings.data[s->turning];
    for (int k = s->batch.count; k < WIDE_LANES; k++) {
        nsgs_set_lane(&t->roll, k, nsgs_lane(&t->roll, 0));
        nsgs_set_lane(&t->length, k, nsgs_lane(&t->length, 0));
    }
    nsgs_rolling_fill(&s->batch, t, nsgs, p, false, t->roll, t->length, impulses);
}

// ---- sweeping ------------------------------------------------------------------------------------
#define INLINE __attribute__((always_inline)) static inline

typedef struct RollingSolve {
    Wide3 n, last, start, p, u;  // impulses: after the last sweep, pushed, now; velocity
    Wide3 last_m, start_m, m, w; // likewise: moments and angular velocity
} RollingSolve;

INLINE Wide3 nsgs_rolling_three(const Wide *x) { return (Wide3){x[0], x[1], x[2]}; }

INLINE Wide3 nsgs_rolling_push(const Wide *now, const Wide *last, Wide beta) {
    return wide3_fma(beta, wide3_sub(nsgs_rolling_three(now), nsgs_rolling_three(last)),
                     nsgs_rolling_three(now));
}

INLINE Wide nsgs_rolling_dot(Wide normal, Wide across, Wide3 n, Wide3 x, Wide3 y) { // x . D y
    return wide_fma(across, wide3_dot(x, y), (normal - across) * wide3_dot(x, n) * wide3_dot(y, n));
}

// Relative velocities at the contacts, from the lines of their bodies.
INLINE void nsgs_rolling_relative(const NsgsBatch *c, const NsgsTurning *t, const Wide *a, const Wide *b,
                                  bool pair, Wide3 *u, Wide3 *w) {
    Wide3 n = nsgs_rolling_three(c->normal), spin_b = nsgs_rolling_three(b + BODY_ANGULAR);
    Wide3 v = wide3_add(nsgs_rolling_three(b), nsgs_rolling_three(c->bias)),
          turn = wide3_scale(c->lever_b, spin_b);
    *w = wide3_add(spin_b, nsgs_rolling_three(t->spin_bias));
    if (pair) {
        Wide3 spin_a = nsgs_rolling_three(a + BODY_ANGULAR);
        v = wide3_sub(v, nsgs_rolling_three(a));
        turn = wide3_fma(c->lever_a, spin_a, turn);
        *w = wide3_sub(*w, spin_a);
    }
    *u = wide3_cross_add(n, turn, v);
}

// The minimiser over K for the block D.
INLINE void nsgs_rolling_cone(const NsgsBatch *c, const NsgsTurning *t, const RollingSolve *x, Wide dilation,
                              Wide3 *p, Wide3 *m) {
    Wide pn = wide3_dot(x->p, x->n), mn = wide3_dot(x->m, x->n);
    Wide3 q = wide3_fma((c->wt - c->wn) * pn, x->n, wide3_fma(-c->wt, x->p, x->u)),
          o = wide3_fma((t->wr - t->ws) * mn, x->n, wide3_fma(-t->wr, x->m, x->w));
    WideParts z = wide_cone_split(x->n, q, o);
    const Wide pull[CONE_DISCS] = {c->friction * z.size[CONE_TANGENT], t->rolling * z.size[CONE_ROLL],
                                   t->spinning * z.size[CONE_SPIN]};
    Wide root = wide_cone_root(-z.normal, pull, t->inverse_slopes);
    Wide normal = wide_max(wide_min(root, (dilation - z.normal) * c->inverse_wn), wide_set(0));
    Wide slide = wide_min(c->inverse_wt, c->friction * normal * z.inverse[CONE_TANGENT]),
         roll = wide_min(t->inverse_wr, t->rolling * normal * z.inverse[CONE_ROLL]),
         spin = wide_min(t->inverse_ws, t->spinning * normal * z.inverse[CONE_SPIN]);
    *p = wide3_fma(-slide, z.tangent, wide3_scale(normal, x->n));
    *m = wide3_fma(-roll, z.roll, wide3_scale(-spin * z.spin, x->n));
}

// One step of the inner iteration; returns whether it was small in all lanes.
INLINE bool nsgs_rolling_inner(const NsgsBatch *c, const NsgsTurning *t, RollingSolve *x, Wide dilation,
                               bool final) {
    Wide3 p, m;
    nsgs_rolling_cone(c, t, x, dilation, &p, &m);
    Wide3 d = wide3_sub(p, x->p), dm = wide3_sub(m, x->m);
    x->p = p, x->m = m;
    if (final || t->exact) return true;
    const Wide tolerance = wide_set(nsgs_rolling_inner_tolerance * nsgs_rolling_inner_tolerance);
    Wide3 whole = wide3_sub(p, x->start), whole_m = wide3_sub(m, x->start_m);
    x->u = wide3_fma((c->wn - t->tangent) * wide3_dot(d, x->n), x->n, wide3_fma(t->tangent, d, x->u));
    x->u = wide3_fma(t->couple, wide3_cross(x->n, dm), x->u);
    x->w = wide3_fma(-t->couple, wide3_cross(x->n, d), wide3_fma(t->roll, dm, x->w));
    Wide step = nsgs_rolling_dot(c->wn, c->wt, x->n, d, d) + nsgs_rolling_dot(t->ws, t->wr, x->n, dm, dm),
         all = nsgs_rolling_dot(c->wn, c->wt, x->n, whole, whole) +
               nsgs_rolling_dot(t->ws, t->wr, x->n, whole_m, whole_m);
    return wide_mask_bits(wide_mask_not(wide_less_equal(step, tolerance * all))) == 0;
}

INLINE RollingSolve nsgs_rolling_begin(const NsgsBatch *c, const NsgsTurning *t, Wide beta) {
    RollingSolve x = {.n = nsgs_rolling_three(c->normal),
                      .last = nsgs_rolling_three(c->impulse),
                      .last_m = nsgs_rolling_three(t->moment)};
    x.start = x.p = nsgs_rolling_push(c->impulse, c->last, beta);
    x.start_m = x.m = nsgs_rolling_push(t->moment, t->last, beta);
    return x;
}

// Keeps the new impulses; d and dm: their changes.
INLINE void nsgs_rolling_end(NsgsBatch *c, NsgsTurning *t, const RollingSolve *x, NsgsSums *sums, Wide3 *d,
                             Wide3 *dm) {
    *d = wide3_sub(x->p, x->start), *dm = wide3_sub(x->m, x->start_m);
    Wide3 back = wide3_sub(x->last, x->p), back_m = wide3_sub(x->last_m, x->m);
    Wide change =
        nsgs_rolling_dot(c->wn, c->wt, x->n, *d, *d) + nsgs_rolling_dot(t->ws, t->wr, x->n, *dm, *dm);
    sums->largest = wide_max(change, sums->largest);
    sums->change = sums->change + change;
    sums->uphill = sums->uphill + nsgs_rolling_dot(c->wn, c->wt, x->n, *d, back) +
                   nsgs_rolling_dot(t->ws, t->wr, x->n, *dm, back_m);
    c->impulse[0] = x->p.x, c->impulse[1] = x->p.y, c->impulse[2] = x->p.z;
    c->last[0] = x->last.x, c->last[1] = x->last.y, c->last[2] = x->last.z;
    t->moment[0] = x->m.x, t->moment[1] = x->m.y, t->moment[2] = x->m.z;
    t->last[0] = x->last_m.x, t->last[1] = x->last_m.y, t->last[2] = x->last_m.z;
}

// By the impulse `sign` d and the angular one `turn`.
INLINE void nsgs_rolling_move(Wide line[BODY_LINE], Wide sign, Wide3 d, Wide3 turn) {
    Wide mass = sign * line[BODY_INVERSE_MASS], inertia = line[BODY_INVERSE_INERTIA];
    line[0] = wide_fma(mass, d.x, line[0]);
    line[1] = wide_fma(mass, d.y, line[1]);
    line[2] = wide_fma(mass, d.z, line[2]);
    line[4] = wide_fma(inertia, turn.x, line[4]);
    line[5] = wide_fma(inertia, turn.y, line[5]);
    line[6] = wide_fma(inertia, turn.z, line[6]);
}

// Batches of one colour, which have no body in common, side by side: what one waits for hides behind the other.
INLINE void nsgs_rolling_sweep_batches(double *lines, NsgsRolling *r, int count, bool pair, Wide beta,
                                       Wide dilation, NsgsSums *sums) {
    RollingSolve x[2];
    Wide a[2][BODY_LINE], b[2][BODY_LINE];
    for (int k = 0; k < count; k++) {
        NsgsBatch *c = &r[k].batch;
        lines_load(lines, c->b, b[k]);
        if (pair) lines_load(lines, c->a, a[k]);
        x[k] = nsgs_rolling_begin(c, &r[k].turning, beta);
        nsgs_rolling_relative(c, &r[k].turning, a[k], b[k], pair, &x[k].u, &x[k].w);
    }
    for (int round = 1; round <= nsgs_rolling_inner_most; round++) {
        bool done = true;
        for (int k = 0; k < count; k++)
            done = nsgs_rolling_inner(&r[k].batch, &r[k].turning, &x[k], dilation,
                                      round == nsgs_rolling_inner_most) &&
                   done;
        if (done) break;
    }
    for (int k = 0; k < count; k++) {
        NsgsBatch *c = &r[k].batch;
        Wide3 d, dm;
        nsgs_rolling_end(c, &r[k].turning, &x[k], sums, &d, &dm);
        Wide3 across = wide3_cross(x[k].n, d);
        nsgs_rolling_move(b[k], wide_set(1), d, wide3_fma(-c->lever_b, across, dm));
        lines_store(lines, c->b, b[k]);
        if (!pair) continue;
        nsgs_rolling_move(a[k], wide_set(-1), d, wide3_sub(wide3_scale(-c->lever_a, across), dm));
        lines_store(lines, c->a, a[k]);
    }
}

INLINE void nsgs_rolling_sweep(Nsgs *nsgs, NsgsRolling *batches, size_t first, size_t end, bool pair,
                               NsgsSums *all) {
    const Wide beta = wide_set(nsgs->beta), dilation = wide_set(nsgs->dilation);
    double *lines = nsgs->lines.data;
    NsgsSums sums = *all;
    size_t i = first;
    for (; i + 1 < end; i += 2)
        nsgs_rolling_sweep_batches(lines, &batches[i], 2, pair, beta, dilation, &sums);
    if (i < end) nsgs_rolling_sweep_batches(lines, &batches[i], 1, pair, beta, dilation, &sums);
    *all = sums;
}

void nsgs_sweep_rollings(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums) {
    if (first < end) nsgs_rolling_sweep(nsgs, nsgs->rollings.data, first, end, true, sums);
}

void nsgs_sweep_rolling_walls(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums) {
    if (first < end) nsgs_rolling_sweep(nsgs, nsgs->rolling_walls.data, first, end, false, sums);
}

// ---- shared containers ---------------------------------------------------------------------------
INLINE void nsgs_rolling_at_container(const double *body, const NsgsShared *s, const NsgsTurning *t,
                                      const Wide *b, Wide3 *u, Wide3 *w) {
    Wide3 spin = {wide_set(body[4]), wide_set(body[5]), wide_set(body[6])};
    Wide3 swing = wide3_cross_add(spin, nsgs_rolling_three(s->arm),
                                  (Wide3){wide_set(body[0]), wide_set(body[1]), wide_set(body[2])});
    nsgs_rolling_relative(&s->batch, t, NULL, b, false, u, w);
    *u = wide3_sub(*u, swing);
    *w = wide3_sub(*w, spin);
}

// The block of its lanes bounds what the container does for all of them at once (nsgs_sort.c).
void nsgs_sweep_shared_rolling(Nsgs *nsgs, const ContactProblem *problem, NsgsShared *s, NsgsSums *sums) {
    const Wide dilation = wide_set(nsgs->dilation);
    NsgsBatch *c = &s->batch;
    NsgsTurning *t = &nsgs->shared_turnings.data[s->turning];
    Wide b[BODY_LINE];
    lines_load(nsgs->lines.data, c->b, b);
    RollingSolve x = nsgs_rolling_begin(c, t, wide_set(nsgs->beta));
    nsgs_rolling_at_container(nsgs_line(nsgs, s->body), s, t, b, &x.u, &x.w);
    for (int round = 1; round <= nsgs_rolling_inner_most; round++)
        if (nsgs_rolling_inner(c, t, &x, dilation, round == nsgs_rolling_inner_most)) break;
    Wide3 d, dm;
    nsgs_rolling_end(c, t, &x, sums, &d, &dm);
    nsgs_rolling_move(b, wide_set(1), d, wide3_fma(-c->lever_b, wide3_cross(x.n, d), dm));
    lines_store(nsgs->lines.data, c->b, b);
    Wide3 push = wide3_scale(-s->active, d),
          swung = wide3_cross_add(nsgs_rolling_three(s->arm), push, wide3_scale(-s->active, dm));
    nsgs_move(nsgs, problem, s->body,
              (Twist){{wide_sum(push.x), wide_sum(push.y), wide_sum(push.z)},
                      {wide_sum(swung.x), wide_sum(swung.y), wide_sum(swung.z)}});
}

// ---- residual ------------------------------------------------------------------------------------
void nsgs_rolling_velocity(const double *lines, const NsgsRolling *r, bool pair, Wide3 *u, Wide3 *w) {
    Wide a[BODY_LINE], b[BODY_LINE];
    lines_load(lines, r->batch.b, b);
    lines_load(lines, r->batch.a, a);
    nsgs_rolling_relative(&r->batch, &r->turning, a, b, pair, u, w);
}

void nsgs_shared_rolling_velocity(const Nsgs *nsgs, const NsgsShared *s, Wide3 *u, Wide3 *w) {
    Wide b[BODY_LINE];
    lines_load(nsgs->lines.data, s->batch.b, b);
    nsgs_rolling_at_container(nsgs_line(nsgs, s->body), s, &nsgs->shared_turnings.data[s->turning], b, u, w);
}
