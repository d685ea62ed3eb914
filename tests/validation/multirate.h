// What the tests of MULTIRATE's cases share: an example that is stepped, and how well it follows a theory.
// MULTIRATE is doi:10.1108/EC-07-2017-0246.
#ifndef TESTS_VALIDATION_MULTIRATE_H
#define TESTS_VALIDATION_MULTIRATE_H

#include "sim/run.h"

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
static inline Run start_example(const char *name, const char *const *sets, int count) {
    char file[100];
    snprintf(file, sizeof file, "examples/%s.yaml", name);
    return start_file(file, sets, count);
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
    Run run = start_example("spring-damper-box", sets, count);
    MrcError error = {0};
    BoxFits fits = {0};
    while (!is_done(&run) && (fits.status = mrc_sim_step(run.sim, &error)) == MRC_OK) {
        double t = now(&run), x, v, load, unused[2];
        box_theory(t - 0.5 * mrc_sim_step_size(run.sim), &unused[0], &unused[1], &load); // mid-step
        box_theory(t, &x, &v, &unused[0]);
        if (t < 0.25) continue; // the bed, compressed by its weight, relaxes when the box is let go
        MrcLoad grains;
        mrc_sim_port(run.sim, 0, NULL, &grains);
        fit_add(&fits.x, -value(&run, "box.y"), x);
        fit_add(&fits.v, -value(&run, "box.vy"), v);
        fit_add(&fits.f, -grains.force[1], load);
    }
    fits.t = now(&run);
    snprintf(fits.text, sizeof fits.text, "%.190s", error.text);
    end(&run);
    return fits;
}

#endif
