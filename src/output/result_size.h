// How large the results of a run will be, found before its first step.
#ifndef OUTPUT_RESULT_SIZE_H
#define OUTPUT_RESULT_SIZE_H

#include "sim/sim.h"

// MRC_FOLDER: series and frames from now to the end need more room than the disk of `folder` has, in bytes or in files.
MrcStatus result_size_check(const Sim *sim, const char *folder, MrcError *error);

#endif
