// The report of a run on the terminal, printed from its facts (summary.h).
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include "base/fact.h"

// `folder`: of the results; NULL: nothing was written. malloc'ed; NULL: out of memory.
char *report_run(const FactList *facts, const char *folder);

#endif
