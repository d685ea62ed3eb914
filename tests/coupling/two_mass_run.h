// The two-mass oscillator (examples/two-mass.yaml) run by the mechanism and the container as they are in
// simulations.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
#ifndef TESTS_TWO_MASS_RUN_H
#define TESTS_TWO_MASS_RUN_H

#include <stdio.h>

#include "check.h"
#include "sim/run.h"

typedef struct TwoMassRun {
    MrcStatus status;
    double position_error, velocity_error; // L1 of the container's (TIGHT Eq. 34)
    double growth;                         // amplitude in the last tenth over that in the tenth before
    int64_t steps, grain_solves;
    char text[1024];
} TwoMassRun;

// `settings` ends with NULL. The masses are 1 kg and `ratio` kg, the spring 5000 N/m, the dashpot xi times the critical one
// of the first mass alone, the start at x = 0, v = 0.1 m/s.
static inline TwoMassRun two_mass_run_damped(const char *const *settings, double ratio, double xi, double rho,
                                             double h, double T) {
    char path[300], own[6][80];
    const char *overrides[20];
    int count = 0;
    snprintf(path, sizeof path, "%s/examples/two-mass.yaml", MARACA_SOURCE_DIR);
    snprintf(own[0], sizeof own[0], "constants.m2=%.17g kg", ratio);
    snprintf(own[1], sizeof own[1], "mechanism.integrator.rho_inf=%.17g", rho);
    snprintf(own[2], sizeof own[2], "simulate.step=%.17g s", h);
    snprintf(own[3], sizeof own[3], "simulate.duration=%.17g s", T);
    snprintf(own[4], sizeof own[4], "record.every=%.17g s", T);
    double dashpot = 2 * xi * sqrt(5000), decay = dashpot / (2 * (1 + ratio)); // [N s/m], [1/s]
    snprintf(own[5], sizeof own[5], "mechanism.bushings.spring.damping=[%.17g N*s/m, 0, 0]", dashpot);
    for (int k = 0; k < 6; k++) overrides[count++] = own[k];
    for (; *settings; settings++) overrides[count++] = *settings;
    Run whole = start(mrc_model_load(path, overrides, count));
    MrcError error = {0};
    TwoMassRun run = {0};
    double omega = sqrt(5000 / (1 + ratio) - decay * decay), size = 0, speed = 0, late[2] = {0};
    int64_t steps = (int64_t)round(T / h);
    for (int64_t n = 1; n <= steps && run.status == MRC_OK; n++) {
        MrcMotion m;
        run.status = mrc_sim_step(whole.sim, &error);
        mrc_sim_port(whole.sim, 0, &m, NULL);
        double t = h * (double)n, left = 0.1 * exp(-decay * t), x = left / omega * sin(omega * t),
               v = left * cos(omega * t) - decay * x;
        run.position_error += fabs(m.position[0] - x), size += fabs(x);
        run.velocity_error += fabs(m.velocity[0] - v), speed += fabs(v);
        int tenth = (int)(10 * (n - 1) / steps);
        double swing = hypot(m.position[0], m.velocity[0] / omega);
        if (tenth >= 8) late[tenth - 8] = fmax(late[tenth - 8], swing);
    }
    run.position_error /= size;
    run.velocity_error /= speed;
    run.growth = late[0] > 0 ? late[1] / late[0] : 0;
    if (run.status == MRC_OK) {
        run.steps = (int64_t)fact(&whole, "coupling.steps");
        run.grain_solves = (int64_t)fact(&whole, "coupling.grain_solves");
    }
    memcpy(run.text, error.text, sizeof run.text);
    end(&whole);
    return run;
}

static inline TwoMassRun two_mass_run(const char *const *settings, double ratio, double rho, double h,
                                      double T) {
    return two_mass_run_damped(settings, ratio, 0, rho, h, T);
}

#endif
