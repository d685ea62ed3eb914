// Leaps along directions that change nothing but impulses: see nsgs.h.
//
// A bed has more contacts than balance it. Where some contact still violates its law and the others can carry its load
// without moving, impulses p drift along a direction d in which the energy falls linearly: every sweep makes the same
// change, |p - y| stays constant, and momentum lets the change of a sweep grow by a constant only. The drift ends where
// a contact opens, or begins to slide, often after a thousand sweeps. So when sweeps have become alike, the rest of the
// drift is made in one step: y = p + t d with the largest t for which all impulses stay in their cones,
//
//     p_n + t d_n >= 0,   |p_t + t d_t| <= mu (p_n + t d_n)
//
// The friction of contacts that slide already is not a limit: their impulses move along the surface of the cone. Nor are
// moments of rolling friction, which the next sweep cuts.
#include <float.h>

#include "contact/nsgs.h"
#include "math/wide3.h"

static const double nsgs_leap_slides =
    1e-3; // of (mu p_n)^2: so close to the surface of its cone a contact slides

// Of the impulse p that moves by d, t with a (d, d) t^2 + 2 b t + c = 0 on the surface.
static inline Wide nsgs_leap_lanes(const NsgsBatch *c) {
    const Wide zero = wide_set(0), far = wide_set(DBL_MAX);
    Wide3 n = {c->normal[0], c->normal[1], c->normal[2]}, p = {c->impulse[0], c->impulse[1], c->impulse[2]};
    Wide3 d = wide3_sub(p, (Wide3){c->last[0], c->last[1], c->last[2]});
    Wide pn = wide3_dot(p, n), dn = wide3_dot(d, n), mu2 = c->friction * c->friction;
    Wide3 pt = wide3_fma(-pn, n, p), dt = wide3_fma(-dn, n, d);
    Wide opens = wide_select(wide_less(dn, zero), pn / wide_max(-dn, wide_set(DBL_MIN)), far);
    Wide A = wide_fma(-mu2, dn * dn, wide3_dot(dt, dt)), B = wide_fma(-mu2, pn * dn, wide3_dot(pt, dt)),
         surface = mu2 * pn * pn, C = wide3_dot(pt, pt) - surface;
    Wide disc = wide_fma(B, B, -A * C), root = B + wide_sqrt(wide_max(disc, zero));
    WideMask sticks = wide_mask_and(wide_less(C, -wide_set(nsgs_leap_slides) * surface),
                                    wide_mask_and(wide_less_equal(zero, disc), wide_less(zero, root)));
    Wide slides = wide_select(sticks, -C / wide_max(root, wide_set(DBL_MIN)), far);
    return wide_min(opens, slides);
}

static void nsgs_leap_batch(const NsgsBatch *c, double *most) {
    Wide lanes = nsgs_leap_lanes(c);
    for (int k = 0; k < c->count; k++)
        if (nsgs_lane(&lanes, k) < *most) *most = nsgs_lane(&lanes, k);
}

static double nsgs_leap_general(const ContactProblem *p, const NsgsGeneral *g) {
    Vec3 n = p->contacts.data[g->contact].normal, d = vec3_sub(g->impulse.linear, g->last.linear);
    double along = vec3_dot(d, n);
    return along < 0 ? vec3_dot(g->impulse.linear, n) / -along : DBL_MAX;
}

double nsgs_leap(const Nsgs *nsgs, const ContactProblem *p) {
    double most = DBL_MAX;
    for (size_t k = 0; k < nsgs->pairs.count; k++) nsgs_leap_batch(&nsgs->pairs.data[k], &most);
    for (size_t k = 0; k < nsgs->walls.count; k++) nsgs_leap_batch(&nsgs->walls.data[k], &most);
    for (size_t k = 0; k < nsgs->rigids.count; k++) nsgs_leap_batch(&nsgs->rigids.data[k].batch, &most);
    for (size_t k = 0; k < nsgs->rigid_walls.count; k++)
        nsgs_leap_batch(&nsgs->rigid_walls.data[k].batch, &most);
    for (size_t k = 0; k < nsgs->rollings.count; k++) nsgs_leap_batch(&nsgs->rollings.data[k].batch, &most);
    for (size_t k = 0; k < nsgs->rolling_walls.count; k++)
        nsgs_leap_batch(&nsgs->rolling_walls.data[k].batch, &most);
    for (size_t k = 0; k < nsgs->shared.count; k++) nsgs_leap_batch(&nsgs->shared.data[k].batch, &most);
    for (size_t k = 0; k < nsgs->generals.count; k++) {
        double own = nsgs_leap_general(p, &nsgs->generals.data[k]);
        if (own < most) most = own;
    }
    return most;
}
