// What is said when a scheme has diverged: by what, why, and what to use instead.
//
// Why is told by the stability of the two-mass oscillator (stability.h) at the mass ratio felt at the port:
// what the grains' side has to move over the mass that the mechanism answers with, along the load. Only the
// ratio decides: the growth is the largest of three slow vibrations.
#include <math.h>
#include <stdio.h>

#include "coupling/coupling.h"
#include "coupling/stability.h"

static StabilityCoupling map_of(const Coupling *c, SchemeKind scheme) {
    static const StabilityScheme kinds[SCHEME_COUNT] = {
        [SCHEME_AUTO] = STABILITY_CONDENSED,        [SCHEME_LOOSE] = STABILITY_LOOSE,
        [SCHEME_TIGHT] = STABILITY_TIGHT,           [SCHEME_EXPLICIT] = STABILITY_EXPLICIT,
        [SCHEME_OVERLAPPED] = STABILITY_LOOSE,      [SCHEME_MULTIRATE] = STABILITY_MULTIRATE,
        [SCHEME_MONOLITHIC] = STABILITY_MONOLITHIC, [SCHEME_CONDENSED] = STABILITY_CONDENSED};
    const CouplingDefinition *d = c->definition;
    StabilityCoupling map = {.scheme = kinds[scheme], .original = d->inputs == INPUTS_ORIGINAL};
    double w[3] = {0};
    if (scheme == SCHEME_EXPLICIT && !map.original) explicit_weights(d, w);
    map.alpha = w[0], map.beta = w[1], map.gamma_ = w[2];
    map.jacobi = scheme == SCHEME_OVERLAPPED || (scheme == SCHEME_EXPLICIT && d->order == ORDER_JACOBI);
    if (scheme == SCHEME_MULTIRATE || scheme == SCHEME_OVERLAPPED)
        map.extrapolation = d->extrapolation != EXTRAPOLATION_AUTO ? (int)d->extrapolation
                            : scheme == SCHEME_MULTIRATE           ? 2
                                                                   : 0;
    return map;
}

static double growth(const StabilityCoupling *map, double ratio, double rho) {
    double most = 0;
    for (double omega_h = 1e-3; omega_h < 0.2; omega_h *= 10)
        most =
            fmax(most, stability_radius(
                           map, &(TwoMassParameters){
                                    .mass_ratio = ratio, .rho_inf = rho, .omega_h = omega_h, .substeps = 1}));
    return most;
}

// The moment is what is too large, not the force.
static bool turns(const Coupling *c, int p) {
    const PartnerMass *m = &c->bound.carried[p];
    return m->mass * vec3_norm2(c->loads[p].moment) > m->polar * vec3_norm2(c->loads[p].force);
}

// Along the load or about its axis, or where it is largest; NAN: the driver cannot tell.
static double mass_ratio(Coupling *c, int p, double h) {
    const PartnerMass *m = &c->bound.carried[p];
    int first = 6 * p + (turns(c, p) ? 3 : 0), size = 6 * c->count;
    Vec3 n = vec3_normalize(turns(c, p) ? c->loads[p].moment : c->loads[p].force);
    MrcError ignored;
    bool told = isfinite(vec3_norm2(n)) && c->driver.begin(c->driver.self, h, &ignored) == MRC_OK &&
                c->driver.advance(c->driver.self, NULL, &ignored) == MRC_OK &&
                c->driver.mobility(c->driver.self, c->Y, &ignored) == MRC_OK;
    if (!told) return NAN;
    double y = 0, largest = 0;
    for (int i = 0; i < 3; i++) {
        largest = fmax(largest, c->Y[(first + i) * size + first + i]);
        for (int j = 0; j < 3; j++)
            y += vec3_component(n, i) * vec3_component(n, j) * c->Y[(first + i) * size + first + j];
    }
    return (turns(c, p) ? m->polar : m->mass) * (vec3_norm2(n) > 0 ? y : largest);
}

// What of the scheme's settings its stability depends on.
static const char *setting_words(const Coupling *c) {
    static const char *const inputs[] = {[INPUTS_INDEX_1] = "inputs: index-1",
                                         [INPUTS_INDEX_2] = "inputs: index-2",
                                         [INPUTS_INDEX_3] = "inputs: index-3",
                                         [INPUTS_ORIGINAL] = "inputs: original",
                                         [INPUTS_OWN] = "own inputs"};
    static const char *const crossed[] = {[INPUTS_INDEX_1] = "inputs: index-1, order: jacobi",
                                          [INPUTS_INDEX_2] = "inputs: index-2, order: jacobi",
                                          [INPUTS_INDEX_3] = "inputs: index-3, order: jacobi",
                                          [INPUTS_ORIGINAL] = "inputs: original, order: jacobi",
                                          [INPUTS_OWN] = "own inputs, order: jacobi"};
    static const char *const accelerations[] = {[ACCELERATION_NONE] = "acceleration: none",
                                                [ACCELERATION_AITKEN] = "acceleration: aitken",
                                                [ACCELERATION_QUASI_NEWTON] = "acceleration: quasi-newton"};
    const CouplingDefinition *d = c->definition;
    if (c->scheme == SCHEME_TIGHT) return accelerations[d->acceleration];
    if (c->scheme != SCHEME_EXPLICIT) return NULL;
    return (d->order == ORDER_JACOBI ? crossed : inputs)[d->inputs];
}

static void add(char *text, size_t size, const char *format, double a, double b) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b);
}

// Why, by the map; and a rho_inf at which the scheme would do.
static void add_reasons(const Coupling *c, bool held, double ratio, char *text, size_t size) {
    StabilityCoupling own = map_of(c, c->scheme);
    double rho = c->driver.rho_inf, stable = 1 + STABILITY_TOLERANCE;
    TwoMassParameters slow = {.mass_ratio = ratio, .rho_inf = rho, .omega_h = 1e-3, .substeps = 1};
    if (held)
        add(text, size, "; grains that are held by something else, too, are as heavy as can be there", 0, 0);
    if (!(ratio > 0) || held) return;
    if (c->scheme == SCHEME_TIGHT) {
        double factor = fabs(stability_contraction(&slow));
        if (factor > 1)
            add(text, size, "; at the mass ratio of %.3g felt there its plain rounds multiply errors by %.3g",
                ratio, factor);
        return;
    }
    double now = growth(&own, ratio, rho);
    if (!(now > stable)) return;
    add(text, size, "; at the mass ratio of %.3g felt there its errors grow by %.3g per step", ratio, now);
    for (int k = 20; k >= 0; k--)
        if (0.05 * k < rho && growth(&own, ratio, 0.05 * k) <= stable) {
            add(text, size, " (not with rho_inf = %.2g)", 0.05 * k, 0);
            return;
        }
}

MrcStatus bound_diverged(Coupling *c, int p, double h, const char *failed, MrcError *error) {
    const char *words = setting_words(c);
    int ignored = 0;
    double tried = c->round_growth > 0 ? bound_momentum_excess(c, h, &ignored) : 0;
    double excess = fmax(bound_excess(c, h, &ignored), tried);
    char load[200], why[300] = "";
    if (excess > 1) {
        bool moment = turns(c, p);
        snprintf(load, sizeof load, "a %s of %.3g %s", moment ? "moment" : "load",
                 vec3_norm(moment ? c->loads[p].moment : c->loads[p].force), moment ? "N m" : "N");
        add(load, sizeof load, " is %.3g times what the energy in play (%.3g J) can do", excess,
            c->bound.energy);
    } else if (failed) snprintf(load, sizeof load, "%.190s", failed);
    else
        snprintf(load, sizeof load,
                 "after loads of up to %.3g N, mechanism and grains hold %.3g J more than was ever put in "
                 "(%.3g J)",
                 c->counts.largest_load, c->gain, c->known);
    add_reasons(c, c->bound.carried[p].held, mass_ratio(c, p, h), why, sizeof why);
    return error_set(
        error, MRC_DIVERGED,
        "the coupling scheme '%s' has diverged at port '%s'%s%s%s: %s%s; use %s (maraca advise tells more)",
        scheme_name(c->scheme), c->ports[p].name, words ? " (" : "", words ? words : "", words ? ")" : "",
        load, why, scheme_instead(c->scheme));
}
