// A model that is run step by step through the public interface, and its signals by name.
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include <maraca/sim.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "math/vec3.h"

typedef struct Run {
    MrcModel *model;
    MrcSim *sim;
} Run;

static inline Run start(MrcModel *model) {
    Run run = {.model = model};
    MrcSimOptions options = mrc_sim_options_default();
    MrcError error;
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    if (mrc_sim_create(model, &options, &run.sim, &error) != MRC_OK) fail_msg("%s", error.text);
    return run;
}

static inline Run start_text(const char *text) {
    return start(mrc_model_parse(text, strlen(text), "model", NULL, 0));
}

// A file below the folder of the sources: "examples/saeki.yaml".
static inline Run start_file(const char *file, const char *const *overrides, int count) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", MARACA_SOURCE_DIR, file);
    return start(mrc_model_load(path, overrides, count));
}

static inline void step(Run *run) {
    MrcError error;
    if (mrc_sim_step(run->sim, &error) != MRC_OK) fail_msg("%s", error.text);
}

static inline bool is_done(const Run *run) { return mrc_sim_is_done(run->sim); }
static inline double now(const Run *run) { return mrc_sim_time(run->sim); }

static inline double value(const Run *run, const char *name) {
    int signal = mrc_sim_find_signal(run->sim, name);
    if (signal < 0) fail_msg("there is no signal '%s'", name);
    return mrc_sim_value(run->sim, signal);
}

// Three components: "shell.v" is (shell.vx, shell.vy, shell.vz).
static inline Vec3 vector(const Run *run, const char *name) {
    char names[3][100];
    for (int i = 0; i < 3; i++) snprintf(names[i], sizeof names[i], "%s%c", name, "xyz"[i]);
    return vec3(value(run, names[0]), value(run, names[1]), value(run, names[2]));
}

static inline double fact(const Run *run, const char *name) {
    MrcFacts *facts = mrc_sim_facts(run->sim);
    const MrcFact *found = mrc_facts_find(facts, name);
    if (!found) fail_msg("there is no fact '%s'", name);
    double number = found->number;
    mrc_facts_free(facts);
    return number;
}

static inline void step_often(Run *run, int count) {
    for (int n = 0; n < count; n++) step(run);
}

static inline void run_to_end(Run *run) {
    while (!is_done(run)) step(run);
}

static inline void end(Run *run) {
    mrc_sim_free(run->sim);
    mrc_model_free(run->model);
}

#endif
