// One run of a model as a point of a study, with all facts of its summary.
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include "study/plan.h"

MrcStatus sweep_run_point(const StudyJob *job, FactList *facts, MrcError *error);

#endif
