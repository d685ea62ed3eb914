// With the coordinate m, its rate u = g . v, its gradient g and curvature H (relative.h), an actuator exerts the force F along m:
//
//     r = -F g,     dr/dv = -F_u g g^T,     dr/dq = -F H - g (F_m g^T + F_u v^T H)
//
//     by command c(t)     F = c L(u), c >= 0;   F = c L(-u), c < 0;   c within -1 and 1
//     by target s(t)      F = k (s - m) + d (s' - u), but at most L_f(u) and at least -L_b(-u)
//
// L is the limit over the speed in the direction of the force: straight between its points, constant beyond them; that of the
// target is at least 0. k and d are those of a controller of position; seen from the speed, k is its integral part. All of F u
// is work of the drive.
#include "mechanism/actuator.h"

#include <math.h>

#include "mechanism/element.h"

typedef struct ActuatorForce {
    double value, per_place, per_rate;
} ActuatorForce;

static double actuator_limit(const ActuatorPoint *points, int count, double speed, double *slope) {
    *slope = 0;
    if (speed <= points[0].speed) return points[0].force;
    for (int k = 1; k < count; k++) {
        if (speed > points[k].speed) continue;
        *slope = (points[k].force - points[k - 1].force) / (points[k].speed - points[k - 1].speed);
        return points[k - 1].force + *slope * (speed - points[k - 1].speed);
    }
    return points[count - 1].force;
}

// What is not a number stays so, and is told by the motion.
static double actuator_share(const Expression *command, TimePoint time) {
    double share = expression_value(command, time, NULL);
    return share > 1 ? 1 : share < -1 ? -1 : share;
}

static ActuatorForce actuator_force(const Actuator *a, const ElementInput *in, double place, double rate) {
    double slope;
    if (a->command) {
        double share = actuator_share(a->command, element_time(in));
        double limit = share >= 0 ? actuator_limit(a->forward, a->forward_count, rate, &slope)
                                  : actuator_limit(a->backward, a->backward_count, -rate, &slope);
        return (ActuatorForce){share * limit, 0, fabs(share) * slope};
    }
    Jet target = expression_jet(a->target, element_time(in));
    ActuatorForce f = {a->gain * (target.value + a->offset - place) + a->rate_gain * (target.rate - rate),
                       -a->gain, -a->rate_gain};
    double most = actuator_limit(a->forward, a->forward_count, rate, &slope);
    if (f.value > fmax(most, 0)) return (ActuatorForce){fmax(most, 0), 0, most > 0 ? slope : 0};
    most = actuator_limit(a->backward, a->backward_count, -rate, &slope);
    if (f.value < -fmax(most, 0)) return (ActuatorForce){-fmax(most, 0), 0, most > 0 ? slope : 0};
    return f;
}

static MarkerPair actuator_pair(const Actuator *a, const ElementInput *in) {
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    MarkerPair pair = marker_pair(nodes, a->markers, NULL, false);
    if (a->counts_turns) pair.last_turn = in->state[0];
    return pair;
}

static double actuator_place(const Actuator *a, const MarkerPair *pair, double g[12], double *rate) {
    double place = relative_value(&a->coordinate, pair, g);
    *rate = 0;
    for (int j = 0; j < 12; j++) *rate += g[j] * pair->velocity[j];
    return place;
}

static void actuator_residual(const Element *element, const ElementInput *in, double *r) {
    const Actuator *a = element->data;
    MarkerPair pair = actuator_pair(a, in);
    double g[12], rate, place = actuator_place(a, &pair, g, &rate);
    ActuatorForce f = actuator_force(a, in, place, rate);
    for (int j = 0; j < 12; j++) r[j] = -f.value * g[j];
}

static void actuator_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                              double *J) {
    (void)cm;
    const Actuator *a = element->data;
    MarkerPair pair = actuator_pair(a, in);
    double g[12], rate, place = actuator_place(a, &pair, g, &rate), H[12][12] = {{0}}, along[12];
    ActuatorForce f = actuator_force(a, in, place, rate);
    if (ck != 0) relative_add_curvature(&a->coordinate, &pair, ck, H);
    for (int k = 0; k < 12; k++) {
        along[k] = (ck * f.per_place + cc * f.per_rate) * g[k];
        for (int j = 0; j < 12; j++) along[k] += f.per_rate * pair.velocity[j] * H[j][k];
    }
    for (int j = 0; j < 12; j++)
        for (int k = 0; k < 12; k++) J[12 * j + k] -= f.value * H[j][k] + g[j] * along[k];
}

ActuatorValues actuator_values(const Element *element, const ElementInput *in) {
    const Actuator *a = element->data;
    MarkerPair pair = actuator_pair(a, in);
    double g[12], rate, place = actuator_place(a, &pair, g, &rate);
    double force = actuator_force(a, in, place, rate).value;
    return (ActuatorValues){place, rate, force, force * rate};
}

static void actuator_energy(const Element *element, const ElementInput *in, ElementEnergy *energy) {
    energy->work += actuator_values(element, in).power;
}

static void actuator_begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    (void)h;
    const Actuator *a = element->data;
    if (!a->counts_turns) return;
    MarkerPair pair = actuator_pair(a, in);
    pair.last_turn = state[0];
    state[0] = relative_value(&a->coordinate, &pair, NULL);
}

#define ACTUATOR_KIND(title)                                                                                 \
    {                                                                                                        \
        .name = (title), .massless = true, .residual = actuator_residual, .jacobian = actuator_jacobian,     \
        .energy = actuator_energy, .begin_step = actuator_begin_step                                         \
    }
const ElementKind actuator_motor_kind = ACTUATOR_KIND("motor");
const ElementKind actuator_cylinder_kind = ACTUATOR_KIND("cylinder");
