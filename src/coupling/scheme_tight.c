// Tight: iterated until the load stops changing; the grains go back and repeat their step each time (Zhang et al. 2020,
// section 3.1, Fig. 3, doi:10.1016/j.mechmachtheory.2020.104181).
//
// With x the loads that the mechanism is given and G(x) those that the grains then answer with, the fixed
// point x = G(x) is sought. It begins with the load of the step before, which takes one solution of the
// grains less than to let them follow the predicted motion first.
//
//     none           x <- G(x): contracts by the mass ratio at the port times b0^2; diverges above 1
//     aitken         x <- x + w r, r = G(x) - x, w <- -w r'.(r - r')/|r - r'|^2
//     quasi-newton   x <- G(x) + W a, with a the least-squares solution of V a = -r
//
// where V and W hold the changes of r and of G from iteration to iteration, of this step and of those before
// (interface quasi-Newton with inverse Jacobian from a least-squares model, Degroote et al.,
// doi:10.1016/j.compstruc.2008.11.013).
//
// Rounds end when a load F changes by less than `tolerance` |F|. A step with one round is one of the loose scheme, though,
// and with grains as heavy as their container that one is not stable: a bed at rest went on swinging within the tolerance. So as
// loads come to rest, with changes D of the last steps, the rounds go on until there is less left than
//
//     min(tolerance |F|, max(D/10, tolerance |F|/10000))
//
// A driver that is not solved anew for each load, but goes one iteration of its own towards the solution
// (`repeat: newton`, MBDyn), may still be on its way when the load has stopped changing: grains in flight do not notice. The
// motion must have settled, too. The twists u that the markers are to have may change from round to round by
//
//     tolerance max(|u - v|, |u|/1000),   v: velocity of the marker at the beginning of the step
//
// or by the rounding of poses over the step. u - v is the acceleration, and loads are as exact as that is.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "coupling/coupling.h"
#include "math/blas.h"

enum { COLUMNS = 24 };                                     // changes that are remembered
static const double tight_share = 0.1, tight_least = 1e-4; // see above
static const double tight_excess_most =
    1e6; // times the load that energy admits: rounds never recover from there

typedef struct TightIteration {
    bool rounds;                // the drivers go one iteration of their own in each round
    Twist last[CONTAINERS_MAX]; // of the round before, to the markers
    int size;                   // 6 per port that yields
    int kept;                   // columns of V and W
    double omega;
    double first; // change of the load in the first round, squared
    double *x, *answer, *r, *last_r, *last_answer, *V, *W, *work;
} TightIteration;

// All of it is in coupling->history; x, columns and their number outlive the step.
static size_t tight_history_size(int ports) {
    size_t n = 6 * (size_t)ports;
    return 1 + n * 5 + 2 * n * COLUMNS + (n + 1) * (COLUMNS + 1) + COLUMNS;
}

static bool tight_history_fits(const double *history) { // how many columns there are
    return history[0] >= 0 && history[0] <= COLUMNS && history[0] == floor(history[0]);
}

static TightIteration tight_iteration(Coupling *c) {
    size_t n = 6 * (size_t)c->yielding;
    double *at = c->history + 1;
    TightIteration it = {.size = (int)n, .kept = (int)c->history[0], .omega = 0.5};
    double **parts[] = {&it.x, &it.answer, &it.r, &it.last_r, &it.last_answer};
    for (int k = 0; k < 5; k++, at += n) *parts[k] = at;
    it.V = at, at += n * COLUMNS;
    it.W = at, at += n * COLUMNS;
    it.work = at;
    return it;
}

static void tight_remember(TightIteration *it) {
    size_t n = (size_t)it->size;
    if (it->kept == COLUMNS) {
        memmove(it->V, it->V + n, n * (COLUMNS - 1) * sizeof(double));
        memmove(it->W, it->W + n, n * (COLUMNS - 1) * sizeof(double));
        it->kept--;
    }
    double *v = it->V + n * (size_t)it->kept, *w = it->W + n * (size_t)it->kept, size = 0;
    for (size_t i = 0; i < n; i++) {
        v[i] = it->r[i] - it->last_r[i];
        w[i] = it->answer[i] - it->last_answer[i];
        size += v[i] * v[i];
    }
    if (size > 0) it->kept++;
}

static void tight_quasi_newton(TightIteration *it) {
    int n = it->size, columns = it->kept < n ? it->kept : n, rank = 0, first = it->kept - columns;
    lapack_int pivots[COLUMNS] = {0};
    double *A = it->work, *b = it->work + n * columns;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < columns; k++) A[i * columns + k] = it->V[(first + k) * n + i];
        b[i] = -it->r[i];
    }
    bool solved = columns > 0 && BLAS_ALONE(LAPACKE_dgelsy(LAPACK_ROW_MAJOR, n, columns, 1, A, columns, b, 1,
                                                           pivots, 1e-9, &rank)) == 0;
    for (int i = 0; i < n; i++) {
        it->x[i] = it->answer[i];
        for (int k = 0; solved && k < columns; k++) it->x[i] += it->W[(first + k) * n + i] * b[k];
    }
}

static void tight_aitken(TightIteration *it, int64_t k) {
    double top = 0, bottom = 0;
    for (int i = 0; i < it->size && k > 0; i++) {
        double change = it->r[i] - it->last_r[i];
        top += it->last_r[i] * change;
        bottom += change * change;
    }
    if (bottom > 0) it->omega *= -top / bottom;
    for (int i = 0; i < it->size; i++) it->x[i] += it->omega * it->r[i];
}

static void tight_next_load(TightIteration *it, AccelerationKind kind, int64_t k) {
    if (kind == ACCELERATION_NONE) memcpy(it->x, it->answer, (size_t)it->size * sizeof(double));
    else if (kind == ACCELERATION_AITKEN) tight_aitken(it, k);
    else {
        if (k > 0) tight_remember(it);
        tight_quasi_newton(it);
    }
    memcpy(it->last_r, it->r, (size_t)it->size * sizeof(double));
    memcpy(it->last_answer, it->answer, (size_t)it->size * sizeof(double));
}

// What may be left of a change of the load between two rounds. Forces and moments each by their own size, of now or, when they
// are small now, of the steps before.
static double tight_allowed(const Coupling *c, int p, int part, const double *answer) {
    const Load *loads[] = {&c->ports[p].load, &c->ports[p].past[0], &c->ports[p].past[1]};
    Vec3 now = vec3(answer[0], answer[1], answer[2]);
    double size = vec3_norm(now), change = 0, tolerance = c->definition->tolerance;
    for (int k = 0; k < 3; k++) {
        Vec3 before = part ? loads[k]->moment : loads[k]->force;
        size = fmax(size, vec3_norm(before));
        change = fmax(change, vec3_norm(vec3_sub(now, before)));
        now = before;
    }
    return fmin(tolerance * size, fmax(tight_share * change, tight_least * tolerance * size));
}

static bool tight_has_converged(const Coupling *c, const TightIteration *it) {
    for (int p = 0; p < c->yielding; p++)
        for (int part = 0; part < 2; part++) {
            const double *r = it->r + 6 * p + 3 * part;
            double left = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            if (left > tight_allowed(c, p, part, it->answer + 6 * p + 3 * part)) return false;
        }
    return true;
}

static bool tight_is_near(Vec3 now, Vec3 last, Vec3 before, double tolerance, double rounding) {
    double size = fmax(vec3_norm(vec3_sub(now, before)), 1e-3 * vec3_norm(now));
    return vec3_norm(vec3_sub(now, last)) <= fmax(tolerance * size, rounding);
}

// Is the motion of each marker that of the round before? Stores it for the next round.
static bool tight_has_settled(const Coupling *c, TightIteration *it, double h, int64_t k) {
    double ulp = 1e-15, tolerance = c->definition->tolerance;
    bool settled = true;
    for (int p = 0; p < c->yielding && it->rounds; p++) {
        const Twist *now = &c->step.twists[p], *last = &it->last[p];
        const Motion *before = &c->step.before[p];
        settled = settled && k > 0 &&
                  tight_is_near(now->linear, last->linear, before->velocity, tolerance,
                                ulp * vec3_norm(before->position) / h) &&
                  tight_is_near(now->angular, last->angular, before->angular_velocity, tolerance, ulp / h);
        it->last[p] = *now;
    }
    return settled;
}

static MrcStatus tight_drive(Coupling *c, const TightIteration *it, MrcError *error) {
    double left;
    const Load *loads = (const Load *)it->x;
    if (it->rounds) return drivers_iterate(&c->drivers, loads, &left, error);
    return drivers_advance(&c->drivers, loads, error);
}

static MrcStatus tight_grains(Coupling *c, double h, MrcError *error) {
    exchange_follow(c, h);
    exchange_bend_ends(c, h);
    MrcStatus status = c->step.solves > 0 ? followers_restore(&c->followers, error) : MRC_OK;
    return status == MRC_OK ? exchange_grains(c, h, NULL, error) : status;
}

// Plain iteration may diverge within the step: this stops it.
static MrcStatus tight_check_round(Coupling *c, double h, TightIteration *it, int64_t k, MrcError *error) {
    double change = 0;
    int port = 0;
    for (int i = 0; i < it->size; i++) change += it->r[i] * it->r[i];
    if (k == 0) it->first = change;
    c->step.round_growth = it->first > 0 ? sqrt(change / it->first) : 0;
    bool lost = divergence_momentum_excess(c, h, &port) > tight_excess_most;
    return lost ? divergence_report(c, port, h, NULL, error) : MRC_OK;
}

static MrcStatus tight_step(Coupling *c, double h, MrcError *error) {
    TightIteration it = tight_iteration(c);
    size_t bytes = (size_t)it.size * sizeof(double);
    bool converged = false;
    it.rounds = c->definition->repeat == REPEAT_NEWTON || c->drivers.all.iterates;
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = followers_save(&c->followers, error);
    exchange_extrapolate(c, 0);
    memcpy(it.x, c->step.loads, bytes);
    if (c->last_h != h) it.kept = 0; // changes from steps of another length are of no use
    for (int64_t k = 0; k < c->definition->iterations && status == MRC_OK && !converged; k++) {
        status = tight_drive(c, &it, error);
        if (status == MRC_OK) status = tight_grains(c, h, error);
        memcpy(it.answer, c->step.loads, bytes);
        for (int i = 0; i < it.size; i++) it.r[i] = it.answer[i] - it.x[i];
        if (status == MRC_OK) status = tight_check_round(c, h, &it, k, error);
        bool settled = tight_has_settled(c, &it, h, k);
        converged = settled && tight_has_converged(c, &it);
        if (!converged) tight_next_load(&it, c->definition->acceleration, k);
    }
    c->history[0] = it.kept;
    c->counts.unconverged += !converged;
    return status == MRC_OK ? exchange_drive(c, c->step.loads, error) : status;
}

// The load that the grains answer to the motion that `load` makes.
static Real tight_answer(const TwoMass *s, const TwoMassState *z, Real load) {
    TwoMassState tried = *z;
    return two_mass_grains(s, &tried, two_mass_mechanism(s, z, load).x - z->x2);
}

// Eqs. 27-28. The answer is linear in the load, so that the converged one is found at once.
static void tight_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    Real at_zero = tight_answer(s, z, 0), slope = tight_answer(s, z, 1) - at_zero,
         load = at_zero / (1 - slope);
    TwoMassMotion motion = two_mass_mechanism(s, z, load);
    two_mass_grains(s, z, motion.x - z->x2);
    two_mass_accept(z, motion);
    two_mass_keep_load(z, load);
}

// Negative: the error alternates. Beyond -1 the plain iteration does not converge, though the scheme it aims at may
// be stable.
static double tight_contraction(const TwoMassParameters *parameters) {
    TwoMass system = two_mass(parameters);
    TwoMassState rest = {0};
    return (double)tight_answer(&system, &rest, 1);
}

static const char *tight_setting_words(const CouplingDefinition *d) {
    static const char *const words[] = {[ACCELERATION_NONE] = "acceleration: none",
                                        [ACCELERATION_AITKEN] = "acceleration: aitken",
                                        [ACCELERATION_QUASI_NEWTON] = "acceleration: quasi-newton"};
    return words[d->acceleration];
}

const SchemeType scheme_tight = {
    .choice = {"tight", 0, "exchanged repeatedly until the load stops changing"},
    .step = tight_step,
    .needs_restore = true,
    .history_size = tight_history_size,
    .history_fits = tight_history_fits,
    .options = SCHEME_SUBSTEPS,
    .recurrence = tight_recurrence,
    .variants = (const SchemeVariant[]){{"tight", {0}}, {NULL, {0}}},
    .contraction = tight_contraction,
    .setting_words = tight_setting_words,
    .instead = "scheme: condensed, or tight with acceleration: quasi-newton and more iterations",
};
