// The message when a scheme has diverged: by what, why, and what to use instead.
//
// The reason comes from the stability of the two-mass oscillator (stability.h) at the mass ratio of the port: mass
// on the grains' side over the effective mass of the mechanism, along the load. Only the ratio decides: the growth
// is the largest of three slow vibrations.
#include <math.h>
#include <stdio.h>

#include "coupling/coupling.h"
#include "coupling/stability.h"

static double message_growth(const Coupling *c, double ratio, double rho) {
    double most = 0;
    for (double omega_h = 1e-3; omega_h < 0.2; omega_h *= 10)
        most = fmax(most, stability_radius(
                              c->scheme, &c->settings,
                              &(TwoMassParameters){
                                  .mass_ratio = ratio, .rho_inf = rho, .omega_h = omega_h, .substeps = 1}));
    return most;
}

// The moment is what is too large, not the force.
static bool message_is_moment(const Coupling *c, int p) {
    const PartnerMass *m = &c->divergence.carried[p];
    return m->mass * vec3_norm2(c->step.loads[p].moment) > m->polar * vec3_norm2(c->step.loads[p].force);
}

// Mass on the grains' side over the effective mass of the mechanism, along the load or about its axis, or else the
// largest ratio of all directions; NAN: the driver has no mobility.
static double message_mass_ratio(Coupling *c, int p, double h) {
    const PartnerMass *m = &c->divergence.carried[p];
    int first = 6 * p + (message_is_moment(c, p) ? 3 : 0), size = 6 * c->count;
    Vec3 n = vec3_normalize(message_is_moment(c, p) ? c->step.loads[p].moment : c->step.loads[p].force);
    MrcError ignored;
    bool known = c->drivers.all.mobility && isfinite(vec3_norm2(n)) &&
                 drivers_begin(&c->drivers, c->step.t, h, &ignored) == MRC_OK &&
                 drivers_advance(&c->drivers, NULL, &ignored) == MRC_OK &&
                 drivers_mobility(&c->drivers, coupling_early(c, h), c->step.Y, &ignored) == MRC_OK;
    if (!known) return NAN;
    double y = 0, largest = 0;
    for (int i = 0; i < 3; i++) {
        largest = fmax(largest, c->step.Y[(first + i) * size + first + i]);
        for (int j = 0; j < 3; j++)
            y += vec3_component(n, i) * vec3_component(n, j) * c->step.Y[(first + i) * size + first + j];
    }
    return (message_is_moment(c, p) ? m->polar : m->mass) * (vec3_norm2(n) > 0 ? y : largest);
}

static void message_add(char *text, size_t size, const char *format, double a, double b) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b);
}

// Why the scheme diverges, by the stability of the two-mass oscillator, and a rho_inf at which it would be stable.
static void message_add_reasons(const Coupling *c, bool held, double ratio, char *text, size_t size) {
    double rho = c->drivers.all.rho_inf, stable = 1 + STABILITY_TOLERANCE;
    TwoMassParameters slow = {.mass_ratio = ratio, .rho_inf = rho, .omega_h = 1e-3, .substeps = 1};
    if (held)
        message_add(text, size, "; grains that other walls hold, too, act like an unbounded mass there", 0,
                    0);
    if (!(ratio > 0) || held) return;
    if (c->scheme->contraction) {
        double factor = fabs(c->scheme->contraction(&slow));
        if (factor > 1)
            message_add(text, size,
                        "; at the mass ratio of %.3g there plain iteration multiplies errors by %.3g", ratio,
                        factor);
        return;
    }
    double now = message_growth(c, ratio, rho);
    if (!(now > stable)) return;
    message_add(text, size, "; at the mass ratio of %.3g there its errors grow by %.3g per step", ratio, now);
    for (int k = 20; k >= 0; k--)
        if (0.05 * k < rho && message_growth(c, ratio, 0.05 * k) <= stable) {
            message_add(text, size, " (not with rho_inf = %.2g)", 0.05 * k, 0);
            return;
        }
}

MrcStatus divergence_report(Coupling *c, int p, double h, const char *failed, MrcError *error) {
    const char *words = c->scheme->setting_words ? c->scheme->setting_words(c->definition) : NULL;
    int ignored = 0;
    double tried = c->step.round_growth > 0 ? divergence_momentum_excess(c, h, &ignored) : 0;
    double excess = fmax(divergence_excess(c, h, &ignored), tried);
    char load[200], why[300] = "";
    if (excess > 1) {
        bool moment = message_is_moment(c, p);
        snprintf(load, sizeof load, "a %s of %.3g %s", moment ? "moment" : "load",
                 vec3_norm(moment ? c->step.loads[p].moment : c->step.loads[p].force), moment ? "N m" : "N");
        message_add(load, sizeof load, " is %.3g times the largest that the energy in play (%.3g J) allows",
                    excess, c->divergence.energy);
    } else if (failed) snprintf(load, sizeof load, "%.190s", failed);
    else
        snprintf(load, sizeof load,
                 "after loads of up to %.3g N, mechanism and grains hold %.3g J more than was ever put in "
                 "(%.3g J)",
                 c->counts.largest_load, c->energy.gain, c->energy.known);
    message_add_reasons(c, c->divergence.carried[p].held, message_mass_ratio(c, p, h), why, sizeof why);
    return error_set(
        error, MRC_DIVERGED,
        "the coupling scheme '%s' has diverged at port '%s'%s%s%s: %s%s; use %s (see 'maraca advise')",
        c->scheme->choice.word, c->ports[p].name, words ? " (" : "", words ? words : "", words ? ")" : "",
        load, why, c->scheme->instead);
}
