// Advice on the coupling, told to people and to machines.
#include <math.h>
#include <stdio.h>

#include "analysis/advise.h"
#include "analysis/advise_coupling.h"
#include "math/human.h"

static const char *const axes[] = {"x", "y", "z"};

// ---- for people ----------------------------------------------------------------------------------
static void add_felt(Text *text, const char *what, const double felt[3], Dimension dimension,
                     const char *where) {
    text_add(text, "    %-34s", what);
    for (int k = 0; k < 3; k++) {
        text_add_string(text, k ? ", " : "");
        if (isfinite(felt[k])) human_add(text, felt[k], dimension);
        else text_add_string(text, "held");
    }
    text_add(text, "  %s x, y, z of the port\n", where);
}

static void add_mass(Text *text, const char *what, double mass) {
    text_add(text, "    %-34s", what);
    human_add(text, mass, DIM_MASS);
    text_add_string(text, "\n");
}

static void add_scheme(Text *text, const PortAdvice *port, const SchemeAdvice *scheme, double rho) {
    bool stable = scheme->radius <= 1 + STABILITY_TOLERANCE;
    text_add(text, "      %-32s", scheme->name);
    if (stable) text_add_string(text, "stable");
    else text_add(text, "errors grow by %.3g per step", scheme->radius);
    if (!stable && !isnan(scheme->rho_most) && scheme->rho_most < rho)
        text_add(text, "; stable from rho_inf = %.2g down", scheme->rho_most);
    if (scheme->scheme->contraction && port->contraction >= 1)
        text_add(text, ", but a plain iteration diverges (x %.2g each): acceleration: quasi-newton",
                 port->contraction);
    else if (scheme->scheme->contraction)
        text_add(text, "; a plain iteration leaves %.2g of the error each time", port->contraction);
    text_add_string(text, "\n");
}

static void add_port(Text *text, const PortAdvice *port, const CouplingAdvice *advice) {
    text_add(text, "  port %s\n", port->name);
    add_felt(text, "mass felt", port->felt, DIM_MASS, "along");
    add_felt(text, "inertia felt", port->felt_inertia, DIM_INERTIA, "about");
    if (port->grains > 0) add_mass(text, "grains", port->grains);
    if (port->container > 0) add_mass(text, "container on the grains' side", port->container);
    text_add(text, "    %-34s%.3g  along %s, where the least mass is felt\n", "mass ratio", port->ratio,
             axes[port->axis]);
    if (port->frequency > 0) {
        text_add(text, "    %-34s", "frequency felt there by a step");
        human_add(text, port->frequency, DIM_FREQUENCY);
        text_add_string(text, "\n");
    }
    text_add(text, "    schemes at the model's step and rho_inf = %.3g\n", advice->rho_inf);
    for (int s = 0; s < port->scheme_count; s++) add_scheme(text, port, &port->schemes[s], advice->rho_inf);
}

void advise_coupling_words(Text *text, const CouplingAdvice *advice) {
    if (advice->count == 0) return;
    text_add_string(text, "\nCoupling of mechanism and grains\n");
    for (int p = 0; p < advice->count; p++) add_port(text, &advice->ports[p], advice);
    if (isfinite(advice->first_mode)) {
        text_add(text, "  %-36s", "lowest mode of the mechanism");
        human_add(text, advice->first_mode, DIM_FREQUENCY);
        text_add_string(text, "\n");
    }
    text_add(text, "  suggested\n    coupling: {scheme: %s", advice->scheme);
    if (!isnan(advice->grain_step)) text_add(text, ", interval: %d", advice->interval);
    text_add(text,
             "}\n    mechanism: {integrator: {rho_inf: %.2g}}\n    simulate: {step: ", advice->suggested_rho);
    human_add(text, advice->step, DIM_TIME);
    text_add(text, "}  # %s\n", advice->step_from);
}

// ---- for machines --------------------------------------------------------------------------------
static void number(Json *json, const char *key, double value) {
    json_key(json, key), json_number(json, value);
}

static void numbers(Json *json, const char *key, const double *values, int count) {
    json_key(json, key);
    json_array_begin(json);
    for (int i = 0; i < count; i++) json_number(json, values[i]);
    json_array_end(json);
}

static void write_port(Json *json, const PortAdvice *port) {
    json_object_begin(json);
    numbers(json, "mass_felt_kg", port->felt, 3);
    numbers(json, "inertia_felt_kg_m2", port->felt_inertia, 3);
    number(json, "grains_kg", port->grains);
    number(json, "container_kg", port->container);
    json_key(json, "axis"), json_string(json, axes[port->axis]);
    number(json, "mass_ratio", port->ratio);
    number(json, "frequency_felt_hz", port->frequency);
    number(json, "tight_contraction", port->contraction);
    json_key(json, "schemes");
    json_object_begin(json);
    for (int s = 0; s < port->scheme_count; s++) {
        const SchemeAdvice *scheme = &port->schemes[s];
        json_key(json, scheme->name);
        json_object_begin(json);
        json_key(json, "stable"), json_bool(json, scheme->radius <= 1 + STABILITY_TOLERANCE);
        number(json, "radius", scheme->radius);
        number(json, "largest_stable_rho_inf", scheme->rho_most);
        json_object_end(json);
    }
    json_object_end(json);
    json_object_end(json);
}

void advise_coupling_json(Json *json, const CouplingAdvice *advice) {
    json_key(json, "coupling");
    if (advice->count == 0) {
        json_null(json);
        return;
    }
    json_object_begin(json);
    json_key(json, "ports");
    json_object_begin(json);
    for (int p = 0; p < advice->count; p++) {
        json_key(json, advice->ports[p].name);
        write_port(json, &advice->ports[p]);
    }
    json_object_end(json);
    number(json, "first_mode_hz", advice->first_mode);
    json_key(json, "suggested");
    json_object_begin(json);
    json_key(json, "scheme"), json_string(json, advice->scheme);
    number(json, "step_s", advice->step);
    json_key(json, "step_from"), json_string(json, advice->step_from);
    number(json, "grain_step_s", advice->grain_step);
    json_key(json, "interval"), json_integer(json, advice->interval);
    number(json, "rho_inf", advice->suggested_rho);
    json_object_end(json);
    json_object_end(json);
}
