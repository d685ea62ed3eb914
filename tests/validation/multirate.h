// What the tests of MULTIRATE's cases share: an example that is stepped, and how well it follows a theory.
#ifndef TESTS_VALIDATION_MULTIRATE_H
#define TESTS_VALIDATION_MULTIRATE_H

#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "sim/sim.h"

#define PI 3.14159265358979323846
#define GRAVITY 9.81

// ---- the coefficient of determination ------------------------------------------------------------------
typedef struct Fit {
    double count, sum, squares, errors;
} Fit;

static inline void fit_add(Fit *fit, double value, double theory) {
    fit->count++;
    fit->sum += theory;
    fit->squares += theory * theory;
    fit->errors += (value - theory) * (value - theory);
}

static inline double fit_r2(const Fit *fit) {
    return 1 - fit->errors / (fit->squares - fit->sum * fit->sum / fit->count);
}

// ---- an example ------------------------------------------------------------------------------------------
typedef struct Case {
    MrcModel *model;
    Sim *sim;
    MrcError error;
    MrcStatus status;
    double t;
} Case;

static inline Case case_start(const char *name, const char *const *sets, int count) {
    char path[300];
    Case c = {0};
    snprintf(path, sizeof path, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
    c.model = mrc_model_load(path, sets, count);
    assert_int_equal(mrc_model_status(c.model), MRC_OK);
    if (sim_create(model_definition(c.model), NULL, &c.sim, &c.error) != MRC_OK) fail_msg("%s", c.error.text);
    return c;
}

static inline void case_end(Case *c) {
    sim_destroy(c->sim);
    mrc_model_free(c->model);
}

// False at the end; c->status tells whether it was a good one.
static inline bool case_try_step(Case *c) {
    if (sim_is_done(c->sim)) return false;
    c->status = sim_step(c->sim, &c->error);
    c->t = clock_time(&c->sim->clock);
    return c->status == MRC_OK;
}

static inline bool case_step(Case *c) {
    bool more = case_try_step(c);
    if (c->status != MRC_OK) fail_msg("%s", c->error.text);
    return more;
}

static inline const NodeState *case_node(const Case *c, const char *name) {
    const Mechanism *mechanism = sim_mechanism(c->sim);
    return mechanism_node(mechanism, mechanism_find_node(mechanism, name));
}

static inline Load case_reaction(const Case *c, const char *joint) {
    const Mechanism *mechanism = sim_mechanism(c->sim);
    return mechanism_reaction(mechanism, mechanism_find_joint(mechanism, joint));
}

// ---- 3.3: box and particles on a spring and a damper, Eq. 24 -----------------------------------------------
// x downwards, from the start; the load of the particles is the mean of each step.
typedef struct BoxFits {
    Fit x, v, f;
    MrcStatus status;
    double t; // how far it came
    char text[200];
} BoxFits;

static inline void box_theory(double t, double *x, double *v, double *load) {
    const double m = 361.8, grains = 261.8, k = 5000, c = 500, force = m * GRAVITY - 100;
    double w0 = sqrt(k / m), z = c / (2 * sqrt(k * m)), w = w0 * sqrt(1 - z * z), fade = exp(-z * w0 * t);
    *x = force / k * (1 - fade * (cos(w * t) + z * w0 / w * sin(w * t)));
    *v = force / k * fade * w0 * w0 / w * sin(w * t);
    *load = grains * (GRAVITY - (force - c * *v - k * *x) / m);
}

static inline BoxFits box_run(const char *const *sets, int count) {
    Case c = case_start("spring-damper-box", sets, count);
    BoxFits fits = {0};
    while (case_try_step(&c)) {
        double x, v, load, unused[2];
        box_theory(c.t - 0.5 * c.sim->clock.step, &unused[0], &unused[1], &load); // in the middle of the step
        box_theory(c.t, &x, &v, &unused[0]);
        const NodeState *box = case_node(&c, "box");
        if (c.t < 0.25) continue; // the bed, compressed by its weight, relaxes when the box is let go
        fit_add(&fits.x, -box->x.y, x);
        fit_add(&fits.v, -box->v.y, v);
        fit_add(&fits.f, -c.sim->coupling.ports[0].load.force.y, load);
    }
    fits.status = c.status;
    fits.t = c.t;
    snprintf(fits.text, sizeof fits.text, "%.190s", c.error.text);
    case_end(&c);
    return fits;
}

#endif
