// Progress of a long run on standard error: a bar with the time left on a terminal, a plain line now and then
// otherwise, nothing with --quiet.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "maraca/maraca.h"

typedef struct Progress {
    bool quiet, terminal;
    bool bar_shown;    // the bar's line must be cleared before anything else is written
    double last_line;  // wall clock of the last plain line [s]
    double first_time; // simulated time and wall clock of the first report: a resumed run starts late [s]
    double first_elapsed;
    bool settling; // the reports are about grains that settle, not about the run itself
    bool started;
} Progress;

Progress progress_start(bool quiet);
void progress_show(void *progress, const MrcProgress *now);            // MrcRunOptions.progress
void progress_message(void *progress, bool warning, const char *text); // MrcRunOptions.message
void progress_end(Progress *progress);
void progress_duration_text(double seconds, char *text, size_t size); // "2 min 05 s"

#endif
