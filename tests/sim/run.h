// A model that is run step by step, and its signals by name.
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include <string.h>

#include "check.h"
#include "model/model.h"
#include "sim/sim.h"

typedef struct Run {
    MrcModel *model;
    Sim *sim;
} Run;

static inline Run start(MrcModel *model) {
    Run run = {.model = model};
    MrcError error;
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    if (sim_create(model_definition(model), NULL, &run.sim, &error) != MRC_OK) fail_msg("%s", error.text);
    return run;
}

static inline void step(Run *run) {
    MrcError error;
    if (sim_step(run->sim, &error) != MRC_OK) fail_msg("%s", error.text);
}

static inline void sample(Run *run) {
    MrcError error;
    if (sim_sample(run->sim, &error) != MRC_OK) fail_msg("%s", error.text);
}

static inline double value(const Run *run, const char *name) { // as sampled last
    const SignalList *list = &run->sim->recorder.signals;
    for (size_t s = 0; s < list->signals.count; s++)
        if (strcmp(list->signals.data[s].name, name) == 0) return *list->signals.data[s].value;
    fail_msg("there is no signal '%s'", name);
    return 0;
}

static inline void end(Run *run) {
    sim_destroy(run->sim);
    mrc_model_free(run->model);
}

#endif
