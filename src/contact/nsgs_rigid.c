// Contacts of rigid bodies that are not spheres, WIDE_LANES at a time: see nsgs.h.
//
// The 3x3 block W of such a contact is full. As in nsgs_general.c, D bounds it from above, diagonal along the normal and
// across it, and
//   p <- argmin over K of  1/2 (x - p)^T D (x - p) + u^T (x - p),   u = W p + q
// is done up to four times, with Coulomb's law once. With q = u - D p, s = |q_t| and the dilation d of Coulomb's law it is (cone.h, one disc)
//   sticks = -q_n/w_n,   slips = (mu s - q_n)/(w_n + mu^2 w_t),   root = s <= w_t mu max(sticks, 0) ? sticks : slips
//   p_n = max(0, min(root, (d - q_n)/w_n)),   p_t = -q_t min(1/w_t, mu p_n/s)
#include <float.h>

#include "contact/nsgs.h"
#include "math/wide3.h"

static const double nsgs_rigid_inner_tolerance = 1e-2; // of the whole change
enum { nsgs_rigid_inner_most = 4 };                    // more take fewer sweeps, but not less time
// With Coulomb's law contacts under load push each other in circles: solving each to the end takes more sweeps, not
// fewer. (The 49 problems of nsgs_momentum.c: 136,000 sweeps of four rounds, 119,000 of one round, in half the time.)
enum { nsgs_rigid_coulomb_most = 1 };

// ---- filling -------------------------------------------------------------------------------------
// Of a body that cannot be moved, or is in a group, all are zero; nothing else reads it.
static void nsgs_rigid_fill_body(Nsgs *nsgs, const ContactProblem *p, size_t i) {
    const ContactBody *body = &p->bodies.data[i];
    double *to = nsgs->inertia.data + nsgs->line_at.data[i], k = body->inverse_inertia;
    Mat3 m = {{{k, 0, 0}, {0, k, 0}, {0, 0, k}}};
    if (body->tensor > 0) m = p->tensors.data[body->tensor - 1];
    to[0] = m.m[0][0], to[1] = m.m[1][1], to[2] = m.m[2][2];
    to[3] = m.m[1][2], to[4] = m.m[0][2], to[5] = m.m[0][1];
    to[6] = to[7] = 0;
}

void nsgs_fill_inertia(Nsgs *nsgs, const ContactProblem *p) {
    size_t from, to;
    if (nsgs->inertia.count == 0) return;
    nsgs_share(nsgs, 0, p->bodies.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_rigid_fill_body(nsgs, p, i);
}

// Velocity at the end of the arm per impulse there [1/kg].
static Mat3 nsgs_rigid_side(const ContactProblem *p, int32_t index, Vec3 arm) {
    Mat3 block = {0};
    if (index < 0 || !contact_is_dynamic(p, index)) return block;
    const ContactBody *body = &p->bodies.data[index];
    const Vec3 across[3] = {{0, arm.z, -arm.y}, {-arm.z, 0, arm.x}, {arm.y, -arm.x, 0}}; // arm x unit vectors
    for (int k = 0; k < 3; k++) {
        Vec3 moved = vec3_cross(contact_turn(p, body, across[k]), arm);
        block.m[0][k] = moved.x, block.m[1][k] = moved.y, block.m[2][k] = moved.z;
        block.m[k][k] += body->inverse_mass;
    }
    return block;
}

// D: sums of norms of the parts of W bound it (Gershgorin's theorem for blocks).
static void nsgs_rigid_weigh(NsgsRigid *r, int lane, Mat3 block, const ContactPoint *c) {
    Vec3 n = c->normal, t1 = vec3_perpendicular(n), t2 = vec3_cross(n, t1);
    Vec3 column = mat3_apply(block, n), column1 = mat3_apply(block, t1), column2 = mat3_apply(block, t2);
    double normal = vec3_dot(column, n), couple = vec3_norm(vec3_madd(column, -normal, n));
    double a = vec3_dot(t1, column1), b = vec3_dot(t1, column2), d = vec3_dot(t2, column2);
    double tangent = 0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b) + couple;
    normal += couple;
    double least = 1e-12 * (normal + tangent) + DBL_MIN, mu = c->friction; // nothing can move that way
    if (!(normal > least)) normal = least;
    if (!(tangent > least)) tangent = least;
    nsgs_set_lane(&r->batch.wn, lane, normal);
    nsgs_set_lane(&r->batch.wt, lane, tangent);
    nsgs_set_lane(&r->batch.inverse_wn, lane, 1 / normal);
    nsgs_set_lane(&r->batch.inverse_wt, lane, 1 / tangent);
    nsgs_set_lane(&r->batch.inverse_slip, lane, 1 / (normal + mu * mu * tangent));
    nsgs_set_lane(&r->batch.w, lane, mat3_trace(block) / 3);
    nsgs_set_lane(&r->batch.friction, lane, mu);
}

static void nsgs_rigid_put(Wide3 *wide, int lane, Vec3 x) {
    nsgs_set_lane(&wide->x, lane, x.x), nsgs_set_lane(&wide->y, lane, x.y),
        nsgs_set_lane(&wide->z, lane, x.z);
}

// Contacts with a negative number (~contact) have a and b exchanged.
static ContactPoint nsgs_rigid_contact(const ContactProblem *p, int32_t name) {
    if (name >= 0) return p->contacts.data[name];
    ContactPoint c = p->contacts.data[~name], turned = c;
    turned.a = c.b, turned.b = c.a, turned.arm_a = c.arm_b, turned.arm_b = c.arm_a;
    turned.normal = vec3_neg(c.normal), turned.bias = vec3_neg(c.bias);
    return turned;
}

// whole: NULL, or where the true block is wanted.
static void nsgs_rigid_fill_lane(NsgsRigid *r, NsgsBlock *whole, int lane, const Nsgs *nsgs,
                                 const ContactProblem *p, bool pair, NsgsImpulses impulses) {
    NsgsBatch *batch = &r->batch;
    int32_t name = batch->contact[lane < batch->count ? lane : 0], index = name < 0 ? ~name : name;
    double sign = name < 0 ? -1 : 1;
    ContactPoint c = nsgs_rigid_contact(p, name);
    batch->a[lane] = nsgs->line_at.data[c.a < 0 ? nsgs->line_at.count - 1 : (size_t)c.a];
    batch->b[lane] = nsgs->line_at.data[c.b];
    if (!pair) { // its velocity is data
        const double *a = nsgs->lines.data + batch->a[lane];
        Vec3 there = vec3_add(vec3(a[0], a[1], a[2]), vec3_cross(vec3(a[4], a[5], a[6]), c.arm_a));
        c.bias = vec3_sub(c.bias, there);
    }
    for (int i = 0; i < 3; i++) {
        nsgs_set_lane(&batch->normal[i], lane, vec3_component(c.normal, i));
        nsgs_set_lane(&batch->bias[i], lane, vec3_component(c.bias, i));
        nsgs_set_lane(&batch->impulse[i], lane, sign * vec3_component(impulses.now[index].linear, i));
        nsgs_set_lane(&batch->last[i], lane, sign * vec3_component(impulses.last[index].linear, i));
    }
    nsgs_rigid_put(&r->arm_a, lane, c.arm_a), nsgs_rigid_put(&r->arm_b, lane, c.arm_b);
    Mat3 block = mat3_add(nsgs_rigid_side(p, pair ? c.a : -1, c.arm_a), nsgs_rigid_side(p, c.b, c.arm_b));
    nsgs_rigid_weigh(r, lane, block, &c);
    if (!whole) return;
    nsgs_rigid_put(&whole->diagonal, lane, vec3(block.m[0][0], block.m[1][1], block.m[2][2]));
    nsgs_rigid_put(&whole->off, lane, vec3(block.m[1][2], block.m[0][2], block.m[0][1]));
}

void nsgs_fill_rigids(Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    for (int pair = 0; pair < 2; pair++) {
        NsgsRigid *batches = pair ? nsgs->rigids.data : nsgs->rigid_walls.data;
        NsgsBlock *blocks = pair ? nsgs->blocks.data : nsgs->wall_blocks.data;
        bool whole = (pair ? nsgs->blocks.count : nsgs->wall_blocks.count) > 0;
        size_t from, to;
        nsgs_share(nsgs, 0, pair ? nsgs->rigids.count : nsgs->rigid_walls.count, &from, &to);
        for (size_t i = from; i < to && !nsgs_stops(i); i++)
            for (int lane = 0; lane < WIDE_LANES; lane++)
                nsgs_rigid_fill_lane(&batches[i], whole ? &blocks[i] : NULL, lane, nsgs, p, pair, impulses);
    }
}

// ---- sweeping ------------------------------------------------------------------------------------
#define INLINE __attribute__((always_inline)) static inline

INLINE Wide3 nsgs_rigid_velocity_at(const double *lines, const NsgsRigid *r, bool pair) {
    Wide a[BODY_LINE], b[BODY_LINE];
    const Wide *bias = r->batch.bias;
    lines_load(lines, r->batch.b, b);
    Wide3 u = wide3_cross_add((Wide3){b[4], b[5], b[6]}, r->arm_b,
                              (Wide3){b[0] + bias[0], b[1] + bias[1], b[2] + bias[2]});
    if (!pair) return u;
    lines_load(lines, r->batch.a, a);
    return wide3_sub(u, wide3_cross_add((Wide3){a[4], a[5], a[6]}, r->arm_a, (Wide3){a[0], a[1], a[2]}));
}

Wide3 nsgs_rigid_velocity(const double *lines, const NsgsRigid *r, bool pair) {
    return nsgs_rigid_velocity_at(lines, r, pair);
}

INLINE Wide nsgs_rigid_square(const NsgsBatch *c, Wide3 n, Wide3 d) { // d . D d
    Wide along = wide3_dot(d, n);
    return wide_fma(c->wt, wide3_dot(d, d), (c->wn - c->wt) * along * along);
}

INLINE Wide3 nsgs_rigid_cone(const NsgsBatch *c, Wide3 n, Wide3 u, Wide3 p, Wide dilation) {
    const Wide zero = wide_set(0), tiny = wide_set(1e-200); // avoids denormal numbers, which are slow
    Wide pn = wide3_dot(p, n), un = wide3_dot(u, n), back = wide_fma(c->wn, pn, -un); // -q_n
    Wide3 qt = wide3_fma(wide_fma(c->wt, pn, -un), n, wide3_fma(-c->wt, p, u));
    Wide square = wide_max(wide3_dot(qt, qt), tiny), inverse = wide_inverse_sqrt(square);
    Wide sticks = back * c->inverse_wn, limit = c->friction * c->wt * wide_max(sticks, zero);
    Wide slips = wide_fma(c->friction * square, inverse, back) * c->inverse_slip;
    Wide root = wide_select(wide_less_equal(square, limit * limit), sticks, slips);
    Wide x = wide_max(wide_min(root, wide_fma(dilation, c->inverse_wn, sticks)), zero);
    Wide cut = wide_min(c->inverse_wt, c->friction * x * inverse);
    return wide3_fma(-cut, qt, wide3_scale(x, n));
}

// An impulse d, or -d, at the end of the arm.
INLINE void nsgs_rigid_move(double *lines, const double *inertia, const int32_t *at, Wide sign, Wide3 arm,
                            Wide3 d) {
    Wide line[BODY_LINE], turn[BODY_LINE]; // (kept from nsgs_rigid_velocity_at, lines take as long)
    lines_load(lines, at, line);
    lines_load(inertia, at, turn);
    Wide mass = sign * line[BODY_INVERSE_MASS];
    Wide3 moment = wide3_scale(sign, wide3_cross(arm, d));
    line[0] = wide_fma(mass, d.x, line[0]);
    line[1] = wide_fma(mass, d.y, line[1]);
    line[2] = wide_fma(mass, d.z, line[2]);
    line[4] = wide_fma(turn[0], moment.x, wide_fma(turn[5], moment.y, wide_fma(turn[4], moment.z, line[4])));
    line[5] = wide_fma(turn[5], moment.x, wide_fma(turn[1], moment.y, wide_fma(turn[3], moment.z, line[5])));
    line[6] = wide_fma(turn[4], moment.x, wide_fma(turn[3], moment.y, wide_fma(turn[2], moment.z, line[6])));
    lines_store(lines, at, line);
}

typedef struct RigidSolve {
    Wide3 n, last, start, p, u;
} RigidSolve;

// One step of the inner iteration; returns whether it was small in all lanes.
INLINE bool nsgs_rigid_inner(const NsgsBatch *c, const NsgsBlock *w, RigidSolve *x, Wide dilation,
                             bool final) {
    Wide3 next = nsgs_rigid_cone(c, x->n, x->u, x->p, dilation);
    Wide3 step = wide3_sub(next, x->p), whole = wide3_sub(next, x->start);
    x->p = next;
    if (final) return true;
    const Wide tolerance = wide_set(nsgs_rigid_inner_tolerance * nsgs_rigid_inner_tolerance);
    x->u.x = wide_fma(w->diagonal.x, step.x, wide_fma(w->off.z, step.y, wide_fma(w->off.y, step.z, x->u.x)));
    x->u.y = wide_fma(w->off.z, step.x, wide_fma(w->diagonal.y, step.y, wide_fma(w->off.x, step.z, x->u.y)));
    x->u.z = wide_fma(w->off.y, step.x, wide_fma(w->off.x, step.y, wide_fma(w->diagonal.z, step.z, x->u.z)));
    WideMask small =
        wide_less_equal(nsgs_rigid_square(c, x->n, step), tolerance * nsgs_rigid_square(c, x->n, whole));
    return wide_mask_bits(wide_mask_not(small)) == 0;
}

// Batches of one colour, which have no body in common, side by side: what one waits for hides behind the other.
INLINE void nsgs_rigid_sweep_batches(Nsgs *nsgs, NsgsRigid *r, const NsgsBlock *w, int count, bool pair,
                                     int most, NsgsSums *sums) {
    const Wide beta = wide_set(nsgs->beta), dilation = wide_set(nsgs->dilation);
    double *lines = nsgs->lines.data;
    const double *inertia = nsgs->inertia.data;
    RigidSolve x[2];
    for (int k = 0; k < count; k++) {
        const NsgsBatch *c = &r[k].batch;
        x[k].n = (Wide3){c->normal[0], c->normal[1], c->normal[2]};
        x[k].last = (Wide3){c->impulse[0], c->impulse[1], c->impulse[2]};
        x[k].u = nsgs_rigid_velocity_at(lines, &r[k], pair);
        x[k].start = x[k].p =
            wide3_fma(beta, wide3_sub(x[k].last, (Wide3){c->last[0], c->last[1], c->last[2]}), x[k].last);
    }
    for (int round = 1; round <= most; round++) {
        bool done = true;
        for (int k = 0; k < count; k++)
            done = nsgs_rigid_inner(&r[k].batch, w ? &w[k] : NULL, &x[k], dilation, round == most) && done;
        if (done) break;
    }
    for (int k = 0; k < count; k++) {
        NsgsBatch *c = &r[k].batch;
        Wide3 d = wide3_sub(x[k].p, x[k].start), back = wide3_sub(x[k].last, x[k].p);
        Wide change = nsgs_rigid_square(c, x[k].n, d);
        sums->largest = wide_max(change, sums->largest);
        sums->change = sums->change + change;
        sums->uphill =
            sums->uphill + wide_fma(c->wt, wide3_dot(d, back),
                                    (c->wn - c->wt) * wide3_dot(d, x[k].n) * wide3_dot(back, x[k].n));
        c->impulse[0] = x[k].p.x, c->impulse[1] = x[k].p.y, c->impulse[2] = x[k].p.z;
        c->last[0] = x[k].last.x, c->last[1] = x[k].last.y, c->last[2] = x[k].last.z;
        nsgs_rigid_move(lines, inertia, c->b, wide_set(1), r[k].arm_b, d);
        if (pair) nsgs_rigid_move(lines, inertia, c->a, wide_set(-1), r[k].arm_a, d);
    }
}

// Of a law that needs one round, blocks are never read.
INLINE void nsgs_rigid_sweep(Nsgs *nsgs, NsgsRigid *batches, const NsgsBlock *blocks, size_t first,
                             size_t end, bool pair, int most, NsgsSums *all) {
    NsgsSums sums = *all;
    size_t i = first;
    for (; i + 1 < end; i += 2)
        nsgs_rigid_sweep_batches(nsgs, &batches[i], blocks ? &blocks[i] : NULL, 2, pair, most, &sums);
    if (i < end)
        nsgs_rigid_sweep_batches(nsgs, &batches[i], blocks ? &blocks[i] : NULL, 1, pair, most, &sums);
    *all = sums;
}

void nsgs_sweep_rigids(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums) {
    if (nsgs->blocks.count == 0)
        nsgs_rigid_sweep(nsgs, nsgs->rigids.data, NULL, first, end, true, nsgs_rigid_coulomb_most, sums);
    else
        nsgs_rigid_sweep(nsgs, nsgs->rigids.data, nsgs->blocks.data, first, end, true, nsgs_rigid_inner_most,
                         sums);
}

void nsgs_sweep_rigid_walls(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums) {
    if (nsgs->wall_blocks.count == 0)
        nsgs_rigid_sweep(nsgs, nsgs->rigid_walls.data, NULL, first, end, false, nsgs_rigid_coulomb_most,
                         sums);
    else
        nsgs_rigid_sweep(nsgs, nsgs->rigid_walls.data, nsgs->wall_blocks.data, first, end, false,
                         nsgs_rigid_inner_most, sums);
}
