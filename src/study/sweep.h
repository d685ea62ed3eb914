// One run of a model as a point of a study, with all facts of its summary.
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "study/plan.h"

MrcStatus sweep_run_point(const StudyJob *job, FactList *facts, MrcError *error);
// For studies that measure within a simulation of their own: the same model once more as a run, for its series and its
// report, which the page of the study opens.
MrcStatus sweep_keep_run(const StudyJob *job, MrcError *error);

#endif
