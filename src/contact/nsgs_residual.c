// The residual of residual.h for the batches of Gauss-Seidel: see nsgs.h.
//
// With one disc the distances have closed forms. For a velocity u with normal part u_n and tangential size s,
//   distance from K*   0 if u_n >= mu s;  |u| if s <= -mu u_n;  else (mu s - u_n)/sqrt(1 + mu^2)
//   distance from K    of an impulse: 0 if s <= mu p_n;  |p| if p_n <= -mu s;  else (s - mu p_n)/sqrt(1 +
//   mu^2)
#include "contact/nsgs.h"
#include "contact/wide_cone.h"

typedef struct WideResidual { // squares
    Wide natural, gap, cone, complementarity;
} WideResidual;

static inline Wide nsgs_residual_norm(Wide square) { return wide_quick_sqrt(wide_max(square, wide_set(0))); }

// Velocities at the contacts of a batch. `body`: the line of a shared body with its arms, or NULL.
static inline Wide3 nsgs_residual_velocity_at(const double *lines, const NsgsBatch *c, bool pair,
                                              const double *body, const Wide *arm) {
    Wide b[BODY_LINE], a[BODY_LINE];
    lines_load(lines, c->b, b);
    Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
    Wide3 turn = {c->lever_b * b[4], c->lever_b * b[5], c->lever_b * b[6]};
    Wide3 u = {b[0] + c->bias[0], b[1] + c->bias[1], b[2] + c->bias[2]};
    if (pair) {
        lines_load(lines, c->a, a);
        turn = wide3_fma(c->lever_a, (Wide3){a[4], a[5], a[6]}, turn);
        u = (Wide3){u.x - a[0], u.y - a[1], u.z - a[2]};
    }
    Wide3 slide = wide3_cross(n, turn);
    u = (Wide3){u.x + slide.x, u.y + slide.y, u.z + slide.z};
    if (body) {
        Wide3 swing = wide3_cross((Wide3){wide_set(body[4]), wide_set(body[5]), wide_set(body[6])},
                                  (Wide3){arm[0], arm[1], arm[2]});
        u = (Wide3){u.x - wide_set(body[0]) - swing.x, u.y - wide_set(body[1]) - swing.y,
                    u.z - wide_set(body[2]) - swing.z};
    }
    return u;
}

static inline void nsgs_residual_of_batch(const NsgsBatch *c, Wide3 u, double dilation, WideResidual *all) {
    const Wide zero = wide_set(0), one = wide_set(1), tiny = wide_set(1e-200);
    Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
    Wide unroot = wide_inverse_sqrt(c->w), root = c->w * unroot, mu = c->friction;
    u = (Wide3){u.x * unroot, u.y * unroot, u.z * unroot};
    Wide3 p = {c->impulse[0] * root, c->impulse[1] * root, c->impulse[2] * root};
    Wide un = wide3_dot(u, n), pn = wide3_dot(p, n);
    Wide3 ut = wide3_fma(-un, n, u), pt = wide3_fma(-pn, n, p);
    Wide ut2 = wide3_dot(ut, ut), pt2 = wide3_dot(pt, pt), steep = wide_inverse_sqrt(wide_fma(mu, mu, one));
    if (dilation < INFINITY) {
        Wide free = wide_set(dilation) * unroot;
        un = un + wide_max(wide_fma(mu, nsgs_residual_norm(ut2), -free), zero);
    }
    // P_K(p - u)
    Wide zn = pn - un;
    Wide3 zt = {pt.x - ut.x, pt.y - ut.y, pt.z - ut.z};
    Wide square = wide_max(wide3_dot(zt, zt), tiny), inverse = wide_inverse_sqrt(square),
         s = square * inverse;
    Wide x = wide_max(wide_fma(mu, s, zn), zero) * steep * steep;
    WideMask inside = wide_less_equal(s, mu * zn);
    Wide kept_n = wide_select(inside, zn, x), kept_t = wide_select(inside, one, mu * x * inverse);
    Wide en = pn - kept_n;
    Wide3 et = wide3_fma(-kept_t, zt, pt);
    Wide p_size = nsgs_residual_norm(wide_fma(pn, pn, pt2));
    Wide natural =
        wide_fma(wide_set(residual_digits), p_size, nsgs_residual_norm(wide_fma(en, en, wide3_dot(et, et))));
    all->natural = wide_max(natural * natural, all->natural);
    Wide gap = nsgs_distance_from_dual(mu, un, ut2);
    all->gap = wide_max(gap * gap, all->gap);
    Wide t = nsgs_residual_norm(pt2), out = wide_max(wide_fma(-mu, pn, t), zero) * steep;
    out = wide_select(wide_less(pn, -mu * t), p_size, out);
    all->cone = wide_max(out * out, all->cone);
    Wide work = wide_fma(pn, un, wide3_dot(pt, ut));
    Wide sizes = p_size + nsgs_residual_norm(wide_fma(un, un, ut2));
    Wide share = work / wide_max(sizes, tiny);
    all->complementarity = wide_max(share * share, all->complementarity);
}

// p - the projection of z.
static inline Wide nsgs_residual_off(const WideParts *z, const WideKept *kept, const WideParts *p) {
    Wide off = p->normal - kept->normal, spin = wide_fma(-kept->disc[CONE_SPIN], z->spin, p->spin);
    Wide3 tangent = wide3_fma(-kept->disc[CONE_TANGENT], z->tangent, p->tangent),
          roll = wide3_fma(-kept->disc[CONE_ROLL], z->roll, p->roll);
    return wide_fma(off, off, wide_fma(spin, spin, wide3_dot(tangent, tangent) + wide3_dot(roll, roll)));
}

// The same with moments.
static inline void nsgs_residual_of_rolling(const NsgsBatch *c, const NsgsTurning *t, Wide3 u, Wide3 w,
                                            double dilation, WideResidual *all) {
    const Wide zero = wide_set(0), one = wide_set(1), tiny = wide_set(1e-200);
    Wide3 n = {c->normal[0], c->normal[1], c->normal[2]};
    Wide unroot = wide_inverse_sqrt(c->w), root = c->w * unroot, unlength = one / t->length;
    Wide3 impulse = wide3_scale(root, (Wide3){c->impulse[0], c->impulse[1], c->impulse[2]}),
          moment = wide3_scale(root * unlength, (Wide3){t->moment[0], t->moment[1], t->moment[2]}),
          linear = wide3_scale(unroot, u), angular = wide3_scale(unroot * t->length, w);
    const Wide radius[CONE_DISCS] = {c->friction, t->rolling * unlength, t->spinning * unlength},
               unit[CONE_DISCS] = {one, one, one};
    Wide slopes[WIDE_CONE_SETS];
    wide_cone_slopes(one, unit, radius, slopes);
    WideParts v = wide_cone_split(n, linear, angular), p = wide_cone_split(n, impulse, moment);
    if (dilation < INFINITY) {
        Wide excess = wide_set(-dilation) * unroot;
        for (int k = 0; k < CONE_DISCS; k++) excess = wide_fma(radius[k], v.size[k], excess);
        excess = wide_max(excess, zero);
        v.normal = v.normal + excess;
        linear = wide3_fma(excess, n, linear);
    }
    WideParts z = wide_cone_split(n, wide3_sub(impulse, linear), wide3_sub(moment, angular));
    WideKept kept = wide_cone_project(&z, radius, slopes), own = wide_cone_project(&p, radius, slopes);
    Wide p_size = nsgs_residual_norm(wide_cone_square(&p));
    Wide natural =
        wide_fma(wide_set(residual_digits), p_size, nsgs_residual_norm(nsgs_residual_off(&z, &kept, &p)));
    Wide gap = wide_cone_from_dual(&v, radius, slopes);
    Wide work = wide3_dot(impulse, linear) + wide3_dot(moment, angular);
    Wide share = work / wide_max(p_size + nsgs_residual_norm(wide_cone_square(&v)), tiny);
    all->natural = wide_max(natural * natural, all->natural);
    all->gap = wide_max(gap * gap, all->gap);
    all->cone = wide_max(nsgs_residual_off(&p, &own, &p), all->cone);
    all->complementarity = wide_max(share * share, all->complementarity);
}

static void nsgs_residual_of_rollings(const Nsgs *nsgs, double dilation, WideResidual *all) {
    for (int pair = 0; pair < 2; pair++) {
        const NsgsRolling *batches = pair ? nsgs->rollings.data : nsgs->rolling_walls.data;
        size_t from, to;
        nsgs_share(nsgs, 0, pair ? nsgs->rollings.count : nsgs->rolling_walls.count, &from, &to);
        for (size_t i = from; i < to; i++) {
            Wide3 u, w;
            nsgs_rolling_velocity(nsgs->lines.data, &batches[i], pair, &u, &w);
            nsgs_residual_of_rolling(&batches[i].batch, &batches[i].turning, u, w, dilation, all);
        }
    }
}

static void nsgs_residual_of_shared(const Nsgs *nsgs, const NsgsShared *s, double dilation,
                                    WideResidual *all) {
    Wide3 u, w;
    if (s->turning >= 0) {
        nsgs_shared_rolling_velocity(nsgs, s, &u, &w);
        nsgs_residual_of_rolling(&s->batch, &nsgs->shared_turnings.data[s->turning], u, w, dilation, all);
    } else {
        u = nsgs_residual_velocity_at(nsgs->lines.data, &s->batch, false, nsgs_line(nsgs, s->body), s->arm);
        nsgs_residual_of_batch(&s->batch, u, dilation, all);
    }
}

static double nsgs_residual_largest_root(Wide x) {
    double lane[WIDE_LANES], largest = 0;
    memcpy(lane, &x, sizeof lane);
    for (int k = 0; k < WIDE_LANES; k++) largest = residual_max(lane[k], largest);
    return sqrt(largest);
}

static ResidualParts nsgs_residual_of_share(const Nsgs *nsgs, const ContactProblem *problem, ContactLaw law) {
    const double *lines = nsgs->lines.data;
    const double dilation = contact_dilation(problem, law);
    Wide zero = wide_set(0);
    WideResidual wide = {zero, zero, zero, zero};
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_residual_of_batch(&nsgs->pairs.data[i],
                               nsgs_residual_velocity_at(lines, &nsgs->pairs.data[i], true, NULL, NULL),
                               dilation, &wide);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_residual_of_batch(&nsgs->walls.data[i],
                               nsgs_residual_velocity_at(lines, &nsgs->walls.data[i], false, NULL, NULL),
                               dilation, &wide);
    nsgs_share(nsgs, 0, nsgs->rigids.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_residual_of_batch(&nsgs->rigids.data[i].batch,
                               nsgs_rigid_velocity(lines, &nsgs->rigids.data[i], true), dilation, &wide);
    nsgs_share(nsgs, 0, nsgs->rigid_walls.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_residual_of_batch(&nsgs->rigid_walls.data[i].batch,
                               nsgs_rigid_velocity(lines, &nsgs->rigid_walls.data[i], false), dilation,
                               &wide);
    nsgs_residual_of_rollings(nsgs, dilation, &wide);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_residual_of_shared(nsgs, &nsgs->shared.data[i], dilation, &wide);
    ResidualParts parts = {nsgs_residual_largest_root(wide.natural), nsgs_residual_largest_root(wide.gap),
                           nsgs_residual_largest_root(wide.cone),
                           nsgs_residual_largest_root(wide.complementarity)};
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        ContactImpulse impulse = {g->impulse.linear, g->impulse.angular};
        if (g->local.w > 0)
            residual_take(&parts, residual_of_contact(&problem->contacts.data[g->contact], g->local, dilation,
                                                      nsgs_general_velocity(nsgs, problem, g), &impulse));
    }
    return parts;
}

// Largest values are the same in whatever order threads hand them in.
ContactResidual nsgs_residual(const Nsgs *nsgs, const ContactProblem *problem, ContactLaw law, double scale,
                              bool parallel) {
    if (!parallel) return residual_relative(nsgs_residual_of_share(nsgs, problem, law), 0, scale);
    ResidualParts parts = {0, 0, 0, 0};
#pragma omp parallel
    {
        ResidualParts mine = nsgs_residual_of_share(nsgs, problem, law);
#pragma omp critical(nsgs_residual_parts)
        residual_take(&parts, mine);
    }
    return residual_relative(parts, 0, scale);
}
