// Springs of all kinds: with the measures m of measure.h, gradients g and curvatures H, each part contributes
//
//     f = p + k (m - m0) + c g . v,           r = f g,
//     dr/dv = c g g^T,      dr/dq = f H + g (k g^T + c v^T H),
//     stored: 1/2 k (m - m0)^2 + p (m - m0),      lost: c (g . v)^2.
//
// The stored energy counts from the rest measure, where the preload acts already.
//
// A turn is known up to full turns only. The memory is the angle when the step began; the angle now is the
// one within half a turn of it.
#include "mechanism/compliance.h"

#include <stddef.h>

static MarkerPair pair_of(const Compliance *compliance, const ElementInput *in) {
    const NodeState *const nodes[2] = {in->node[0], in->node[1]};
    return marker_pair(nodes, compliance->markers, NULL, compliance->rotates);
}

static double continued(double angle, double near) {
    const double turn = 6.283185307179586477;
    return angle + turn * round((near - angle) / turn);
}

// m - m0, with its gradient and its rate.
static double deflection(const Compliance *compliance, int i, const MarkerPair *pair, const ElementInput *in,
                         double gradient[12], double *rate) {
    const CompliancePart *part = &compliance->parts[i];
    double value = measure_value(&part->measure, pair, gradient);
    if (compliance->counts_turns) value = continued(value, in->state[0]);
    *rate = 0;
    for (int j = 0; j < 12; j++) *rate += gradient[j] * pair->velocity[j];
    return value - part->rest;
}

static double force(const CompliancePart *part, double deflected, double rate) {
    return part->preload + part->stiffness * deflected + part->damping * rate;
}

static void residual(const Element *element, const ElementInput *in, double *r) {
    const Compliance *compliance = element->data;
    MarkerPair pair = pair_of(compliance, in);
    for (int j = 0; j < 12; j++) r[j] = 0;
    for (int i = 0; i < compliance->count; i++) {
        double gradient[12], rate, deflected = deflection(compliance, i, &pair, in, gradient, &rate);
        double f = force(&compliance->parts[i], deflected, rate);
        for (int j = 0; j < 12; j++) r[j] += f * gradient[j];
    }
}

static void jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                     double *J) {
    (void)cm;
    const Compliance *compliance = element->data;
    MarkerPair pair = pair_of(compliance, in);
    for (int i = 0; i < compliance->count; i++) {
        const CompliancePart *part = &compliance->parts[i];
        double g[12], rate, deflected = deflection(compliance, i, &pair, in, g, &rate);
        double f = force(part, deflected, rate), H[12][12] = {{0}}, along[12];
        if (ck != 0) measure_add_curvature(&part->measure, &pair, ck, H);
        for (int k = 0; k < 12; k++) {
            along[k] = (ck * part->stiffness + cc * part->damping) * g[k];
            for (int j = 0; j < 12; j++) along[k] += part->damping * pair.velocity[j] * H[j][k];
        }
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 12; k++) J[12 * j + k] += f * H[j][k] + g[j] * along[k];
    }
}

static void energy(const Element *element, const ElementInput *in, ElementEnergy *sum) {
    const Compliance *compliance = element->data;
    MarkerPair pair = pair_of(compliance, in);
    for (int i = 0; i < compliance->count; i++) {
        const CompliancePart *part = &compliance->parts[i];
        double gradient[12], rate, deflected = deflection(compliance, i, &pair, in, gradient, &rate);
        sum->elastic += (part->preload + 0.5 * part->stiffness * deflected) * deflected;
        sum->dissipated += part->damping * rate * rate;
    }
}

static void begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    (void)h;
    const Compliance *compliance = element->data;
    if (!compliance->counts_turns) return;
    MarkerPair pair = pair_of(compliance, in);
    state[0] = continued(measure_value(&compliance->parts[0].measure, &pair, NULL), state[0]);
}

#define COMPLIANCE(title)                                                                                    \
    {                                                                                                        \
        .name = title, .massless = true, .residual = residual, .jacobian = jacobian, .energy = energy,       \
        .begin_step = begin_step                                                                             \
    }

const ElementKind spring_kind = COMPLIANCE("spring");
const ElementKind torsion_spring_kind = COMPLIANCE("torsion spring");
const ElementKind bushing_kind = COMPLIANCE("bushing");
