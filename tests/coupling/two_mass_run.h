// The two-mass oscillator (examples/two-mass.yaml) run by the mechanism and the container as they are in
// simulations.
#ifndef TESTS_TWO_MASS_RUN_H
#define TESTS_TWO_MASS_RUN_H

#include <stdio.h>

#include "check.h"
#include "model/model.h"
#include "sim/sim.h"

typedef struct TwoMassRun {
    MrcStatus status;
    double position_error, velocity_error; // L1 of the container's (TIGHT Eq. 34)
    double growth;                         // amplitude in the last tenth over that in the tenth before
    CouplingCounts counts;
    char text[1024];
} TwoMassRun;

// `settings` ends with NULL. The masses are 1 kg and `ratio` kg, the spring 5000 N/m, the start at x = 0, v =
// 0.1 m/s.
static inline TwoMassRun two_mass_run(const char *const *settings, double ratio, double rho, double h,
                                      double T) {
    char path[300], own[5][80];
    const char *overrides[20];
    int count = 0;
    snprintf(path, sizeof path, "%s/examples/two-mass.yaml", MARACA_SOURCE_DIR);
    snprintf(own[0], sizeof own[0], "constants.m2=%.17g kg", ratio);
    snprintf(own[1], sizeof own[1], "mechanism.integrator.rho_inf=%.17g", rho);
    snprintf(own[2], sizeof own[2], "simulate.step=%.17g s", h);
    snprintf(own[3], sizeof own[3], "simulate.duration=%.17g s", T);
    snprintf(own[4], sizeof own[4], "record.every=%.17g s", T);
    for (int k = 0; k < 5; k++) overrides[count++] = own[k];
    for (; *settings; settings++) overrides[count++] = *settings;
    MrcModel *model = mrc_model_load(path, overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    Sim *sim;
    MrcError error = {0};
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    TwoMassRun run = {0};
    double omega = sqrt(5000 / (1 + ratio)), size = 0, speed = 0, late[2] = {0};
    int64_t steps = (int64_t)round(T / h);
    for (int64_t n = 1; n <= steps && run.status == MRC_OK; n++) {
        run.status = sim_step(sim, &error);
        const Motion *m = &sim->coupling.containers.items[0].motion;
        double phase = omega * h * (double)n, x = 0.1 / omega * sin(phase), v = 0.1 * cos(phase);
        run.position_error += fabs(m->position.x - x), size += fabs(x);
        run.velocity_error += fabs(m->velocity.x - v), speed += fabs(v);
        int tenth = (int)(10 * (n - 1) / steps);
        double swing = hypot(m->position.x, m->velocity.x / omega);
        if (tenth >= 8) late[tenth - 8] = fmax(late[tenth - 8], swing);
    }
    run.position_error /= size;
    run.velocity_error /= speed;
    run.growth = late[0] > 0 ? late[1] / late[0] : 0;
    run.counts = sim->coupling.counts;
    memcpy(run.text, error.text, sizeof run.text);
    sim_destroy(sim);
    mrc_model_free(model);
    return run;
}

#endif
