// Filling batches, WIDE_LANES contacts at a time: see nsgs.h.
//
// A ContactPoint is two lines of eight numbers, so that contacts are read like bodies: transposed.
#include <float.h>

#include "contact/nsgs.h"
#include "math/wide3.h"

_Static_assert(sizeof(ContactPoint) == 2 * BODY_LINE * sizeof(double) &&
                   offsetof(ContactPoint, normal) == sizeof(double),
               "a contact is two lines: a and b, normal, arm_a, arm_b, bias, friction, rolling, spinning");

static inline Wide3 nsgs_fill_times(Wide s, Wide3 a) { return (Wide3){s * a.x, s * a.y, s * a.z}; }
static inline Wide3 nsgs_fill_choose(WideMask m, Wide3 a, Wide3 b) {
    return (Wide3){wide_select(m, a.x, b.x), wide_select(m, a.y, b.y), wide_select(m, a.z, b.z)};
}

// Contacts of a batch; those with a negative number (~contact) have a and b exchanged.
typedef struct Batch {
    Wide3 normal, arm_a, arm_b, bias;
} Batch;

// Names to lines of contacts and bodies, and the impulses. Lanes beyond the last repeat the first one.
static Wide nsgs_fill_read_lanes(NsgsBatch *c, const Nsgs *nsgs, const ContactProblem *p,
                                 NsgsImpulses impulses, int32_t *line) {
    double sign[WIDE_LANES];
    for (int k = 0; k < WIDE_LANES; k++) {
        int32_t name = c->contact[k < c->count ? k : 0], index = name < 0 ? ~name : name;
        const ContactPoint *point = &p->contacts.data[index];
        int32_t a = name < 0 ? point->b : point->a, b = name < 0 ? point->a : point->b;
        c->a[k] = nsgs->line_at.data[a < 0 ? nsgs->line_at.count - 1 : (size_t)a]; // the world's is the last
        c->b[k] = nsgs->line_at.data[b];
        line[k] = 2 * BODY_LINE * index;
        sign[k] = name < 0 ? -1 : 1;
        for (int i = 0; i < 3; i++) {
            nsgs_set_lane(&c->impulse[i], k, sign[k] * (&impulses.now[index].linear.x)[i]);
            nsgs_set_lane(&c->last[i], k, sign[k] * (&impulses.last[index].linear.x)[i]);
        }
    }
    Wide s;
    memcpy(&s, sign, sizeof s);
    return s;
}

static Batch nsgs_fill_read_batch(NsgsBatch *c, const Nsgs *nsgs, const ContactProblem *p,
                                  NsgsImpulses impulses) {
    int32_t line[WIDE_LANES];
    Wide sign = nsgs_fill_read_lanes(c, nsgs, p, impulses, line), first[BODY_LINE], second[BODY_LINE];
    const double *contacts = (const double *)p->contacts.data;
    lines_load(contacts, line, first);
    lines_load(contacts + BODY_LINE, line, second);
    WideMask turned = wide_less(sign, wide_set(0));
    Wide3 arm_a = {first[4], first[5], first[6]}, arm_b = {first[7], second[0], second[1]};
    Batch batch = {.normal = nsgs_fill_times(sign, (Wide3){first[1], first[2], first[3]}),
                   .arm_a = nsgs_fill_choose(turned, arm_b, arm_a),
                   .arm_b = nsgs_fill_choose(turned, arm_a, arm_b),
                   .bias = nsgs_fill_times(sign, (Wide3){second[2], second[3], second[4]})};
    c->friction = second[5];
    return batch;
}

// The rest, from what a adds to the block: along the normal, across it, on the mean.
static void nsgs_fill_finish(NsgsBatch *c, const double *lines, const Batch *batch, Wide along, Wide across,
                             Wide mean) {
    const Wide one = wide_set(1), tiny = wide_set(DBL_MIN);
    Wide b[BODY_LINE];
    lines_load(lines, c->b, b);
    c->lever_b = -wide3_dot(batch->arm_b, batch->normal);
    Wide turn = b[BODY_INVERSE_INERTIA] * c->lever_b * c->lever_b;
    c->wn = along + b[BODY_INVERSE_MASS];
    c->wt = across + b[BODY_INVERSE_MASS] + turn;
    c->w = mean + b[BODY_INVERSE_MASS] + turn * wide_set(2.0 / 3);
    c->inverse_wn = one / wide_max(c->wn, tiny);
    c->inverse_wt = one / c->wt;
    c->inverse_slip = one / wide_fma(c->friction * c->friction, c->wt, c->wn);
    c->normal[0] = batch->normal.x, c->normal[1] = batch->normal.y, c->normal[2] = batch->normal.z;
    c->bias[0] = batch->bias.x, c->bias[1] = batch->bias.y, c->bias[2] = batch->bias.z;
}

void nsgs_fill_pair(NsgsBatch *c, const Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    Batch batch = nsgs_fill_read_batch(c, nsgs, p, impulses);
    Wide a[BODY_LINE];
    lines_load(nsgs->lines.data, c->a, a);
    c->lever_a = wide3_dot(batch.arm_a, batch.normal);
    Wide along = a[BODY_INVERSE_MASS], turn = a[BODY_INVERSE_INERTIA] * c->lever_a * c->lever_a;
    nsgs_fill_finish(c, nsgs->lines.data, &batch, along, along + turn, along + turn * wide_set(2.0 / 3));
}

void nsgs_fill_wall(NsgsBatch *c, const Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    Batch batch = nsgs_fill_read_batch(c, nsgs, p, impulses);
    Wide a[BODY_LINE], zero = wide_set(0);
    lines_load(nsgs->lines.data, c->a, a); // its velocity is data
    Wide3 r = batch.arm_a;
    batch.bias.x = batch.bias.x - (a[0] + a[5] * r.z - a[6] * r.y);
    batch.bias.y = batch.bias.y - (a[1] + a[6] * r.x - a[4] * r.z);
    batch.bias.z = batch.bias.z - (a[2] + a[4] * r.y - a[5] * r.x);
    c->lever_a = zero;
    nsgs_fill_finish(c, nsgs->lines.data, &batch, zero, zero, zero);
}

// Its block so far is what the container adds.
void nsgs_fill_shared(NsgsShared *s, const Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    NsgsBatch *c = &s->batch;
    for (int k = 0; k < WIDE_LANES; k++) {
        nsgs_set_lane(&s->active, k, k < c->count);
        if (k < c->count) continue;
        nsgs_set_lane(&c->wn, k, nsgs_lane(&c->wn, 0));
        nsgs_set_lane(&c->wt, k, nsgs_lane(&c->wt, 0));
        nsgs_set_lane(&c->w, k, nsgs_lane(&c->w, 0));
    }
    Batch batch = nsgs_fill_read_batch(c, nsgs, p, impulses);
    s->arm[0] = batch.arm_a.x, s->arm[1] = batch.arm_a.y, s->arm[2] = batch.arm_a.z;
    c->lever_a = wide_set(0);
    nsgs_fill_finish(c, nsgs->lines.data, &batch, c->wn, c->wt, c->w);
    if (s->turning >= 0) nsgs_fill_shared_turning(s, nsgs, p, impulses);
}
