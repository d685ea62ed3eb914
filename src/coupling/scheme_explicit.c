// Explicit: one exchange per step, with the motion modified so that errors of position, velocity and acceleration between
// container and marker die out (Zhang et al. 2022, section 2.3, doi:10.1007/s11044-022-09829-w). With x(0), v(0), a(0)
// the marker's prediction:
//
//     original   u = v(0) + (x_n - x2_n)/h                                                                (Eq. 20)
//     modified   u = [alpha (x(0) - x2_n)/h + beta v(0) + gamma (v2_n + h a(0))]/(alpha + beta + gamma)   (Eq. 26)
//
// alpha, beta, gamma being multiples of 1/h^2, 1/h and 1: 2, 2, 1 for index 1; 1, 1, 0 for index 2; 1, 0, 0 for index
// 3. Gauss-Seidel order: the mechanism is advanced with the load that this gives. Jacobi order: with the load of the
// step before.
#include <math.h>

#include "coupling/coupling.h"

void explicit_weights(const CouplingDefinition *d, double w[3]) {
    static const double table[][3] = {
        [INPUTS_INDEX_1] = {2, 2, 1}, [INPUTS_INDEX_2] = {1, 1, 0}, [INPUTS_INDEX_3] = {1, 0, 0}};
    const double own[3] = {d->alpha, d->beta, d->gamma};
    for (int k = 0; k < 3; k++) w[k] = d->inputs == INPUTS_OWN ? own[k] : table[d->inputs][k];
}

static Vec3 explicit_blend(Vec3 way, Vec3 velocity, Vec3 before, Vec3 acceleration, double h,
                           const double w[3]) {
    Vec3 sum = vec3_scale(w[0], way);
    sum = vec3_madd(sum, w[1], velocity);
    sum = vec3_madd(sum, w[2], vec3_madd(before, h, acceleration));
    return vec3_scale(1 / (w[0] + w[1] + w[2]), sum);
}

static void explicit_set_inputs(Coupling *c, double h) {
    double w[3] = {0};
    bool original = c->definition->inputs == INPUTS_ORIGINAL;
    if (!original) explicit_weights(c->definition, w);
    for (int p = 0; p < c->count; p++) {
        const Motion *container = &c->containers.items[p].motion;
        const Motion *before = &c->step.before[p];
        Motion marker = drivers_motion(&c->drivers, p);
        Motion ahead = container_target(&c->containers.items[p], before, &marker);
        Motion behind = container_target(&c->containers.items[p], before, before);
        if (original) {
            Twist back = motion_twist_to(container, &behind, fmax(h, c->longest));
            c->step.twists[p] = (Twist){vec3_add(ahead.velocity, back.linear),
                                        vec3_add(ahead.angular_velocity, back.angular)};
            continue;
        }
        Twist way = exchange_twist_to(c, p, h, &ahead);
        c->step.twists[p].linear =
            explicit_blend(way.linear, ahead.velocity, container->velocity, behind.acceleration, h, w);
        c->step.twists[p].angular =
            explicit_blend(way.angular, ahead.angular_velocity, container->angular_velocity,
                           behind.angular_acceleration, h, w);
    }
}

static MrcStatus explicit_step(Coupling *c, double h, MrcError *error) {
    bool jacobi = c->settings.jacobi;
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    explicit_set_inputs(c, h);
    if (jacobi) {
        exchange_extrapolate(c, 0);
        status = exchange_drive(c, c->step.loads, error);
    }
    if (status == MRC_OK) status = exchange_grains(c, h, NULL, error);
    return status == MRC_OK && !jacobi ? exchange_drive(c, c->step.loads, error) : status;
}

// Eqs. 37-43:
//     original  link = v1* + x1(n) - x2(n)
//     modified  alpha (x2 - x1*) + beta (v2 - v1*) + gamma (a2 - a1*) = 0 at t(n+1), a2 = v2(n+1) - v2(n)
// where * is the prediction.
static void explicit_recurrence(const SchemeSettings *c, const TwoMass *s, TwoMassState *z) {
    TwoMassMotion predicted = two_mass_predict(s, z);
    Real link =
        c->original
            ? predicted.v + z->x1 - z->x2
            : (c->alpha * (predicted.x - z->x2) + c->beta * predicted.v + c->gamma_ * (z->v2 + predicted.a)) /
                  (c->alpha + c->beta + c->gamma_);
    recurrence_mechanism(c, s, z, two_mass_grains(s, z, link));
}

static SchemeSettings explicit_settings(const CouplingDefinition *d) {
    SchemeSettings settings = {.jacobi = d->order == ORDER_JACOBI, .original = d->inputs == INPUTS_ORIGINAL};
    double w[3] = {0};
    if (!settings.original) explicit_weights(d, w);
    settings.alpha = w[0], settings.beta = w[1], settings.gamma_ = w[2];
    return settings;
}

static const char *explicit_setting_words(const CouplingDefinition *d) {
    static const char *const words[][2] = {
        [INPUTS_INDEX_1] = {"inputs: index-1", "inputs: index-1, order: jacobi"},
        [INPUTS_INDEX_2] = {"inputs: index-2", "inputs: index-2, order: jacobi"},
        [INPUTS_INDEX_3] = {"inputs: index-3", "inputs: index-3, order: jacobi"},
        [INPUTS_ORIGINAL] = {"inputs: original", "inputs: original, order: jacobi"},
        [INPUTS_OWN] = {"own inputs", "own inputs, order: jacobi"}};
    return words[d->inputs][d->order == ORDER_JACOBI];
}

const SchemeType scheme_explicit = {
    .choice = {"explicit", 0, "one exchange per step, with a motion modified so that errors die out"},
    .step = explicit_step,
    .options = SCHEME_INPUTS | SCHEME_ORDER | SCHEME_SUBSTEPS,
    .settings = explicit_settings,
    .recurrence = explicit_recurrence,
    .alias = "jacobi",
    .variants = (const SchemeVariant[]){{"explicit", {.alpha = 2, .beta = 2, .gamma_ = 1}},
                                        {"explicit, original inputs", {.original = true}},
                                        {NULL, {0}}},
    .setting_words = explicit_setting_words,
    .instead = "scheme: condensed, or explicit with inputs: index-1 and a smaller rho_inf",
};
