// Sleeping: contacts that are expected to stay open are skipped until they close (nsgs.h).
//
// Which contacts sleep and which wake up is computed WIDE_LANES contacts at a time, directly from the problem. A
// sleeping contact has no impulse, and as long as its velocity is in the dual cone its residual is zero, whatever
// its block is.
#include <float.h>

#include "contact/nsgs.h"
#include "contact/twist.h"
#include "contact/wide_cone.h"

static inline Wide nsgs_sleep_norm(Wide square) { return wide_quick_sqrt(wide_max(square, wide_set(0))); }

typedef struct SleepContacts { // of the contacts; lanes beyond count repeat the last one
    int count;
    int32_t a[WIDE_LANES], b[WIDE_LANES]; // where the lines of their bodies begin
    Wide3 normal, arm_a, arm_b, bias;
    Wide friction, rolling, spinning;
} SleepContacts;

static inline SleepContacts nsgs_sleep_read(const Nsgs *nsgs, const ContactProblem *p, const int32_t *names,
                                            int count) {
    SleepContacts s = {.count = count};
    int32_t at[WIDE_LANES];
    const double *contacts = (const double *)p->contacts.data;
    const int32_t *line_at = nsgs->line_at.data, world = line_at[nsgs->line_at.count - 1];
    Wide first[BODY_LINE], second[BODY_LINE];
    for (int k = 0; k < WIDE_LANES; k++) {
        int32_t name = names[k < count ? k : count - 1];
        const ContactPoint *c = &p->contacts.data[name];
        at[k] = 2 * BODY_LINE * name;
        s.a[k] = c->a < 0 ? world : line_at[c->a];
        s.b[k] = c->b < 0 ? world : line_at[c->b];
    }
    lines_load(contacts, at, first);
    lines_load(contacts + BODY_LINE, at, second);
    s.normal = (Wide3){first[1], first[2], first[3]};
    s.arm_a = (Wide3){first[4], first[5], first[6]};
    s.arm_b = (Wide3){first[7], second[0], second[1]};
    s.bias = (Wide3){second[2], second[3], second[4]};
    s.friction = second[5], s.rolling = second[6], s.spinning = second[7];
    return s;
}

typedef struct SleepVelocity {
    Wide normal, across2; // of the velocity; the square of its tangential part
    Wide shift;           // how fast it opens if it slides: D up to the dilation (problem.h)
    Wide3 linear, spin;   // the velocity, and the angular one
} SleepVelocity;

typedef struct SleepBlock { // mean diagonals of the contacts' blocks
    Wide linear, angular;   // [1/kg], [1/(kg m^2)]
} SleepBlock;

static inline SleepVelocity nsgs_sleep_velocity(const SleepContacts *s, const double *lines, double dilation,
                                                SleepBlock *block) {
    Wide a[BODY_LINE], b[BODY_LINE];
    lines_load(lines, s->a, a);
    lines_load(lines, s->b, b);
    Wide3 spin_a = {a[4], a[5], a[6]}, spin_b = {b[4], b[5], b[6]};
    Wide3 at_b =
        wide3_cross_add(spin_b, s->arm_b, (Wide3){b[0] + s->bias.x, b[1] + s->bias.y, b[2] + s->bias.z});
    Wide3 u = wide3_sub(at_b, wide3_cross_add(spin_a, s->arm_a, (Wide3){a[0], a[1], a[2]}));
    SleepVelocity velocity = {.normal = wide3_dot(u, s->normal),
                              .shift = wide_set(0),
                              .linear = u,
                              .spin = wide3_sub(spin_b, spin_a)};
    Wide3 across = wide3_fma(-velocity.normal, s->normal, u);
    velocity.across2 = wide3_dot(across, across);
    if (block) {
        Wide turn = wide_fma(a[BODY_INVERSE_INERTIA], wide3_dot(s->arm_a, s->arm_a),
                             b[BODY_INVERSE_INERTIA] * wide3_dot(s->arm_b, s->arm_b));
        block->linear = wide_fma(turn, wide_set(2.0 / 3), a[BODY_INVERSE_MASS] + b[BODY_INVERSE_MASS]);
        block->angular = a[BODY_INVERSE_INERTIA] + b[BODY_INVERSE_INERTIA];
    }
    if (dilation == 0) return velocity;
    velocity.shift = s->friction * nsgs_sleep_norm(velocity.across2);
    WideMask turns = wide_less(wide_set(0), s->rolling + s->spinning);
    if (wide_mask_bits(turns)) {
        Wide3 spin = velocity.spin;
        Wide along = wide3_dot(spin, s->normal), rest = wide_fma(-along, along, wide3_dot(spin, spin));
        velocity.shift = wide_fma(s->rolling, nsgs_sleep_norm(rest),
                                  wide_fma(s->spinning, wide_abs(along), velocity.shift));
    }
    if (dilation < INFINITY) velocity.shift = -wide_max(-velocity.shift, wide_set(-dilation));
    return velocity;
}

// ---- the start -----------------------------------------------------------------------------------
// What a body of a group adds to the mean diagonal of a contact's block: a third of the trace of P Y P^T with P = [1,
// -arm x] (local.c), which with the blocks Yvv, C = Yvw and Yww of Y is
//
//     tr(Yvv) + 2 arm . (C12 - C21, C20 - C02, C01 - C10) + arm . (tr(Yww) - Yww) arm
typedef struct SleepGroup {
    int32_t body; // -1: none yet
    double constant, angular;
    Vec3 linear;
    Mat3 square;
} SleepGroup;

static SleepGroup nsgs_sleep_group(const ContactProblem *p, int32_t index) {
    const ContactBody *body = &p->bodies.data[index];
    size_t n;
    const double *y = contact_group_block(p, &p->groups.data[body->group], body->slot, body->slot, &n);
    const double *C = y + 3, *W = y + 3 * n + 3;
    SleepGroup g = {.body = index, .constant = y[0] + y[n + 1] + y[2 * n + 2]};
    g.linear = vec3(2 * (C[n + 2] - C[2 * n + 1]), 2 * (C[2 * n] - C[2]), 2 * (C[1] - C[n]));
    double trace = W[0] + W[n + 1] + W[2 * n + 2];
    g.angular = trace / 3;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) g.square.m[i][j] = (i == j ? trace : 0) - W[i * n + j];
    return g;
}

static double nsgs_sleep_group_share(const SleepGroup *g, Vec3 arm) {
    return (g->constant + vec3_dot(arm, vec3_add(g->linear, mat3_apply(g->square, arm)))) / 3;
}

// What a body with an inertia tensor adds beyond its mass.
static double nsgs_sleep_tensor_share(const Mat3 *inverse, Vec3 arm) {
    return (mat3_trace(*inverse) * vec3_norm2(arm) - vec3_dot(arm, mat3_apply(*inverse, arm))) / 3;
}

// For which of them does the wide form of the scale hold? And what do bodies of groups, and those with tensors, add to
// their mean diagonals?
static inline unsigned nsgs_sleep_are_simple(const ContactProblem *p, const SleepContacts *s,
                                             const ContactPoint *contacts, SleepGroup *known,
                                             SleepBlock *more) {
    unsigned simple = ~0u;
    *more = (SleepBlock){wide_set(0), wide_set(0)};
    if (p->groups.count + p->tensors.count == 0) return simple;
    for (int k = 0; k < s->count; k++) {
        const int32_t body[2] = {contacts[k].a, contacts[k].b};
        const Vec3 arm[2] = {contacts[k].arm_a, contacts[k].arm_b};
        double add = 0, turn = 0;
        int groups = 0;
        for (int side = 0; side < 2; side++) {
            if (body[side] < 0 || contact_is_isotropic(p, body[side])) continue;
            const ContactBody *c = &p->bodies.data[body[side]];
            if (c->tensor > 0) {
                add += nsgs_sleep_tensor_share(&p->tensors.data[c->tensor - 1], arm[side]);
                turn += mat3_trace(p->tensors.data[c->tensor - 1]) / 3;
            }
            if (c->group < 0) continue;
            if (known->body != body[side]) *known = nsgs_sleep_group(p, body[side]);
            add += nsgs_sleep_group_share(known, arm[side]);
            turn += known->angular;
            groups++;
        }
        if (groups == 2) simple &= ~(1u << k); // they may be coupled
        nsgs_set_lane(&more->linear, k, add);
        nsgs_set_lane(&more->angular, k, turn);
    }
    for (int k = s->count; k < WIDE_LANES; k++) {
        nsgs_set_lane(&more->linear, k, nsgs_lane(&more->linear, s->count - 1));
        nsgs_set_lane(&more->angular, k, nsgs_lane(&more->angular, s->count - 1));
    }
    return simple;
}

// Are the arms along the normal, as those of spheres are?
static inline unsigned nsgs_sleep_are_along(Wide3 arm, Wide3 n) {
    Wide3 off = {arm.y * n.z - arm.z * n.y, arm.z * n.x - arm.x * n.z, arm.x * n.y - arm.y * n.x};
    return wide_mask_bits(wide_less_equal(wide3_dot(off, off), wide_set(1e-24) * wide3_dot(arm, arm)));
}

// Of contacts some of which resist turning: as residual_without_impulse() does it.
static Wide nsgs_sleep_turning_violation(const SleepContacts *s, const SleepVelocity *velocity,
                                         SleepBlock block, double dilation) {
    const Wide one = wide_set(1), tiny = wide_set(DBL_MIN);
    WideMask turns = wide_mask_and(wide_less(tiny, block.angular), wide_less(tiny, block.linear));
    Wide length = wide_select(turns, wide_sqrt(block.linear / wide_max(block.angular, tiny)), one),
         unlength = one / length;
    const Wide radius[CONE_DISCS] = {s->friction, s->rolling * unlength, s->spinning * unlength},
               unit[CONE_DISCS] = {one, one, one};
    Wide slopes[WIDE_CONE_SETS];
    wide_cone_slopes(one, unit, radius, slopes);
    WideParts v = wide_cone_split(s->normal, velocity->linear, wide3_scale(length, velocity->spin));
    if (dilation < INFINITY) {
        Wide excess = wide_set(-dilation);
        for (int k = 0; k < CONE_DISCS; k++) excess = wide_fma(radius[k], v.size[k], excess);
        v.normal = v.normal + wide_max(excess, wide_set(0));
    }
    return wide_cone_from_dual(&v, radius, slopes);
}

static inline Wide nsgs_sleep_square_without_impulse(const SleepContacts *s, const double *free,
                                                     double dilation, Wide floor, SleepBlock more) {
    const Wide zero = wide_set(0), tiny = wide_set(DBL_MIN);
    SleepBlock block;
    SleepVelocity velocity = nsgs_sleep_velocity(s, free, 0, &block);
    block.linear = block.linear + more.linear;
    block.angular = block.angular + more.angular;
    Wide w = block.linear;
    if (wide_mask_bits(wide_less(zero, s->rolling + s->spinning))) {
        Wide violation = wide_max(nsgs_sleep_turning_violation(s, &velocity, block, dilation), floor);
        return wide_select(wide_less(tiny, w), violation * violation / wide_max(w, tiny), zero);
    }
    if (dilation < INFINITY)
        velocity.normal =
            velocity.normal +
            wide_max(wide_fma(s->friction, nsgs_sleep_norm(velocity.across2), wide_set(-dilation)), zero);
    Wide violation = wide_max(nsgs_distance_from_dual(s->friction, velocity.normal, velocity.across2), floor);
    return wide_select(wide_less(tiny, w), violation * violation / wide_max(w, tiny), zero);
}

static double nsgs_sleep_survey_share(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                                      const NsgsStart *start) {
    const double dilation = contact_dilation(p, p->law);
    Wide largest = wide_set(0), margin = wide_set(start->margin), least = wide_set(start->floor);
    double scale = 0;
    SleepGroup known = {.body = -1};
    size_t from, to;
    nsgs_share(nsgs, 0, p->contacts.count, &from, &to);
    for (size_t i = from; i < to; i += WIDE_LANES) {
        int32_t names[WIDE_LANES];
        int count = to - i < WIDE_LANES ? (int)(to - i) : WIDE_LANES;
        for (int k = 0; k < count; k++) names[k] = (int32_t)i + k;
        SleepContacts contacts_read = nsgs_sleep_read(nsgs, p, names, count);
        SleepBlock more;
        unsigned simple = nsgs_sleep_are_simple(p, &contacts_read, &p->contacts.data[i], &known, &more);
        unsigned open = 0, along_a = nsgs_sleep_are_along(contacts_read.arm_a, contacts_read.normal),
                 along_b = nsgs_sleep_are_along(contacts_read.arm_b, contacts_read.normal);
        if (start->margin > 0) {
            SleepVelocity velocity = nsgs_sleep_velocity(&contacts_read, nsgs->lines.data, dilation, NULL);
            open = wide_mask_bits(wide_less(margin + velocity.shift, velocity.normal));
        }
        for (int k = 0; k < count; k++) {
            size_t name = i + (size_t)k;
            NsgsPlace *place = &nsgs->places.data[name];
            place->asleep = open >> k & 1 && vec3_norm2(impulses[name].linear) == 0;
            place->along = (uint8_t)((along_a >> k & 1) | (along_b >> k & 1) << 1);
            if (simple >> k & 1) continue;
            const ContactPoint *c = &p->contacts.data[name];
            LocalScale local = local_scale(p, c);
            Twist u = contact_problem_relative(p, name, p->free_velocity.data);
            if (local.w > 0)
                scale = residual_max(scale, residual_without_impulse(c, local, dilation, u, start->floor));
        }
        Wide square =
            nsgs_sleep_square_without_impulse(&contacts_read, nsgs->last_lines.data, dilation, least, more);
        for (int k = 0; k < WIDE_LANES; k++)
            if (!(simple >> (k < count ? k : count - 1) & 1)) nsgs_set_lane(&square, k, 0);
        largest = wide_max(square, largest);
    }
    for (int k = 0; k < WIDE_LANES; k++) scale = residual_max(sqrt(nsgs_lane(&largest, k)), scale);
    return scale;
}

double nsgs_survey(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                   const NsgsStart *start) {
    if (!nsgs->parallel) return nsgs_sleep_survey_share(nsgs, p, impulses, start);
    double scale = 0;
#pragma omp parallel
    {
        double mine = nsgs_sleep_survey_share(nsgs, p, impulses, start);
#pragma omp critical(nsgs_survey)
        scale = residual_max(mine, scale);
    }
    return scale;
}

void nsgs_list_sleepers(Nsgs *nsgs) {
    size_t asleep = 0, awake = 0;
    for (size_t i = 0; i < nsgs->places.count; i++) { // branch-free: which contacts sleep is unpredictable
        nsgs->sleepers.data[asleep] = nsgs->awake.data[awake] = (int32_t)i;
        asleep += nsgs->places.data[i].asleep;
        awake += !nsgs->places.data[i].asleep;
    }
    nsgs->sleepers.count = asleep;
    nsgs->awake.count = awake;
}

// ---- later ---------------------------------------------------------------------------------------
void nsgs_list_woken(Nsgs *nsgs) {
    size_t asleep = 0, awake = nsgs->awake.count, all = nsgs->sleepers.count;
    for (size_t k = 0; k < all; k++) {
        int32_t i = nsgs->sleepers.data[k];
        nsgs->sleepers.data[asleep] = nsgs->awake.data[awake] = i;
        asleep += nsgs->places.data[i].asleep;
        awake += !nsgs->places.data[i].asleep;
    }
    nsgs->sleepers.count = asleep;
    nsgs->awake.count = awake;
}

static size_t nsgs_sleep_wake_share(Nsgs *nsgs, const ContactProblem *p) {
    const double dilation = contact_dilation(p, p->law);
    size_t from, to, woken = 0;
    nsgs_share(nsgs, 0, nsgs->sleepers.count, &from, &to);
    for (size_t i = from; i < to; i += WIDE_LANES) {
        const int32_t *names = nsgs->sleepers.data + i;
        int count = to - i < WIDE_LANES ? (int)(to - i) : WIDE_LANES;
        SleepContacts contacts_read = nsgs_sleep_read(nsgs, p, names, count);
        SleepVelocity velocity = nsgs_sleep_velocity(&contacts_read, nsgs->lines.data, dilation, NULL);
        // A NaN wakes the contact.
        unsigned open = wide_mask_bits(wide_less_equal(velocity.shift, velocity.normal));
        for (int k = 0; k < count; k++) {
            if (open >> k & 1) continue;
            nsgs->places.data[names[k]].asleep = false;
            woken++;
        }
    }
    return woken;
}

size_t nsgs_find_woken(Nsgs *nsgs, const ContactProblem *p) {
    if (!nsgs->parallel) return nsgs_sleep_wake_share(nsgs, p);
    size_t woken = 0;
#pragma omp parallel reduction(+ : woken)
    woken += nsgs_sleep_wake_share(nsgs, p);
    return woken;
}
