// A sweep: one run per point of a grid over values of the model; all facts of each run are kept.
#include "study/sweep.h"

#include <string.h>

#include "base/error.h"

// What the table has when nothing is asked for.
static const char *const sweep_measures[] = {"amplitudes.*.amplitude_m",
                                             "periods.dissipated_mean_J",
                                             "periods.damping_ratio_mean",
                                             "energy.work",
                                             "energy.impact",
                                             "energy.friction",
                                             "energy.relative_error",
                                             NULL};

static void sweep_tell(void *user, const MrcProgress *now) {
    if (strcmp(now->phase, "running") == 0 && now->duration > 0)
        study_job_tell(user, now->time / now->duration);
}

MrcStatus sweep_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    MrcRunOptions options = mrc_run_options_default();
    MrcRunInfo info;
    options.folder = job->folder;
    options.threads = 1;
    options.resume = true; // a run that was stopped goes on
    options.stop = job->stop;
    options.without_report = !job->keep;
    options.progress = sweep_tell;
    options.user = (void *)job;
    MrcStatus status = mrc_run(job->model, &options, &info, error);
    if (status == MRC_OK)
        for (int i = 0; i < mrc_facts_count(info.facts); i++) {
            const MrcFact *fact = mrc_facts_get(info.facts, i);
            if (fact->kind == MRC_FACT_TEXT || fact->kind == MRC_FACT_EMPTY) continue;
            fact_number(facts, fact->name, fact->number, fact->unit, fact->words);
        }
    mrc_run_info_free(&info);
    return status;
}

MrcStatus sweep_keep_run(const StudyJob *job, MrcError *error) {
    MrcFacts *facts = facts_create();
    if (!facts) return error_memory(error, "the results");
    MrcStatus status = sweep_run_point(job, &facts->list, error);
    mrc_facts_free(facts);
    return status;
}

MrcStatus mrc_sweep(const char *model_path, const char *const *vary, int vary_count,
                    const MrcStudyOptions *options, MrcStudy *study, MrcError *error) {
    enum { AXES_MAX = 32 };
    StudyAxis axes[AXES_MAX];
    StudyPlan plan = {
        .kind = "sweep", .model_path = model_path, .measures = sweep_measures, .run = sweep_run_point};
    MrcError own;
    if (!error) error = &own;
    *study = (MrcStudy){0};
    if (vary_count > AXES_MAX)
        return error_set(error, MRC_USAGE, "at most %d values can be varied", AXES_MAX);
    Arena *arena = arena_create();
    MrcStatus status = arena ? MRC_OK : error_memory(error, "the plan");
    for (int i = 0; i < vary_count && status == MRC_OK; i++)
        status = study_axis_read(vary[i], NULL, arena, &axes[i], error);
    if (status == MRC_OK) status = study_plan_grid(axes, vary_count, arena, &plan, error);
    if (status == MRC_OK) status = study_run(&plan, options, study, error);
    if (arena) arena_destroy(arena);
    return status;
}
