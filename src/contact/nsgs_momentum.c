// Momentum for Gauss-Seidel: a bed at rest in many layers passes a change of load on by one layer a sweep, so
// that plain sweeps creep. Each sweep therefore starts not from where the last one ended, but from further
// along:
//
//     y = p + beta (p - p_before),   beta = (k - 1)/(k + 2),   k sweeps since the last restart
//
// impulses and velocities alike, as these are linear in those (Nesterov; for blocks, Beck and Tetruashvili,
// doi:10.1137/120887679). The sweep itself needs no feasible start: each contact is solved anew from what all
// others do. When the sweep's change points back against the way that momentum took, momentum is given up and
// begins anew (O'Donoghue and Candes, doi:10.1007/s10208-013-9150-3). So it does when changes grow much, and
// sooner when they have done so before: spheres of one batch at a shared body are solved at once and need not
// go downhill.
#include <math.h>

#include "contact/nsgs.h"

enum { failures_most = 3 }; // then growing changes are no longer put up with

static size_t wides(const Nsgs *n) { return 3 * (n->pairs.count + n->walls.count + n->shared.count); }

bool nsgs_momentum_prepare(Nsgs *n) {
    n->momentum = n->failures = 0;
    return array_resize(&n->ends, wides(n)) && array_resize(&n->general_ends, n->generals.count) &&
           array_resize(&n->line_ends, n->lines.count) && array_resize(&n->starts, wides(n)) &&
           array_resize(&n->general_starts, n->generals.count);
}

static void copy_out(const Nsgs *n, Wide *to, Twist *general) {
    for (size_t i = 0; i < n->pairs.count; i++, to += 3) memcpy(to, n->pairs.data[i].impulse, 3 * sizeof *to);
    for (size_t i = 0; i < n->walls.count; i++, to += 3) memcpy(to, n->walls.data[i].impulse, 3 * sizeof *to);
    for (size_t i = 0; i < n->shared.count; i++, to += 3)
        memcpy(to, n->shared.data[i].batch.impulse, 3 * sizeof *to);
    for (size_t i = 0; i < n->generals.count; i++) general[i] = n->generals.data[i].impulse;
}

void nsgs_momentum_begin(Nsgs *n) { // where the sweep starts from
    copy_out(n, n->starts.data, n->general_starts.data);
}

// Of one batch: the product of the sweep's change and the whole way, weighted as the residual; then further
// along.
static inline Wide agree(const NsgsBatch *c, const Wide *start, const Wide *end) {
    Wide sum = wide_set(0);
    for (int k = 0; k < 3; k++) sum = wide_fma(c->impulse[k] - start[k], c->impulse[k] - end[k], sum);
    return sum * c->wt;
}
static inline void go_on(NsgsBatch *c, Wide *end, Wide beta) {
    for (int k = 0; k < 3; k++) {
        Wide p = c->impulse[k];
        c->impulse[k] = wide_fma(beta, p - end[k], p);
        end[k] = p;
    }
}

static double agreement(const Nsgs *n) {
    const Wide *start = n->starts.data, *end = n->ends.data;
    Wide sum = wide_set(0);
    for (size_t i = 0; i < n->pairs.count; i++, start += 3, end += 3)
        sum += agree(&n->pairs.data[i], start, end);
    for (size_t i = 0; i < n->walls.count; i++, start += 3, end += 3)
        sum += agree(&n->walls.data[i], start, end);
    for (size_t i = 0; i < n->shared.count; i++, start += 3, end += 3)
        sum += n->shared.data[i].active * agree(&n->shared.data[i].batch, start, end);
    double total = wide_sum(sum);
    for (size_t i = 0; i < n->generals.count; i++) {
        const Vec3 p = n->generals.data[i].impulse.linear;
        Vec3 swept = vec3_sub(p, n->general_starts.data[i].linear),
             way = vec3_sub(p, n->general_ends.data[i].linear);
        total += n->generals.data[i].block[0][0] * vec3_dot(swept, way);
    }
    return total;
}

static Vec3 further(Vec3 p, Vec3 end, double beta) { return vec3_madd(p, beta, vec3_sub(p, end)); }

void nsgs_momentum_end(Nsgs *n, double change) {
    double allowed = n->failures < failures_most ? 10 : 1.5;
    bool grows = n->momentum > 0 && change > allowed * n->least_change;
    if (grows) n->failures++;
    bool anew = n->momentum == 0 || grows || agreement(n) < 0;
    n->momentum = anew ? 1 : n->momentum + 1;
    n->least_change = anew ? change : fmin(change, n->least_change);
    double beta = (n->momentum - 1.0) / (n->momentum + 2.0);
    Wide wide_beta = wide_set(beta), *end = n->ends.data;
    for (size_t i = 0; i < n->pairs.count; i++, end += 3) go_on(&n->pairs.data[i], end, wide_beta);
    for (size_t i = 0; i < n->walls.count; i++, end += 3) go_on(&n->walls.data[i], end, wide_beta);
    for (size_t i = 0; i < n->shared.count; i++, end += 3) go_on(&n->shared.data[i].batch, end, wide_beta);
    for (size_t i = 0; i < n->generals.count; i++) {
        Twist *p = &n->generals.data[i].impulse, old = n->general_ends.data[i], now = *p;
        *p = (Twist){further(now.linear, old.linear, beta), further(now.angular, old.angular, beta)};
        n->general_ends.data[i] = now;
    }
    for (size_t i = 0; i < n->lines.count; i++) {
        double now = n->lines.data[i];
        n->lines.data[i] = now + beta * (now - n->line_ends.data[i]);
        n->line_ends.data[i] = now;
    }
}

// Back to where the last sweep ended, which is what a solution is.
void nsgs_momentum_stop(Nsgs *n) {
    const Wide *end = n->ends.data;
    if (n->momentum == 0) return;
    for (size_t i = 0; i < n->pairs.count; i++, end += 3)
        memcpy(n->pairs.data[i].impulse, end, 3 * sizeof *end);
    for (size_t i = 0; i < n->walls.count; i++, end += 3)
        memcpy(n->walls.data[i].impulse, end, 3 * sizeof *end);
    for (size_t i = 0; i < n->shared.count; i++, end += 3)
        memcpy(n->shared.data[i].batch.impulse, end, 3 * sizeof *end);
    for (size_t i = 0; i < n->generals.count; i++) n->generals.data[i].impulse = n->general_ends.data[i];
    memcpy(n->lines.data, n->line_ends.data, n->lines.count * sizeof(double));
    n->momentum = 0;
}
