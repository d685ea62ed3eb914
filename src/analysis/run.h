// The inside of mrc_run: run.c steps and reports, run_folder.c keeps the result folder.
#ifndef ANALYSIS_RUN_H
#define ANALYSIS_RUN_H

#include "analysis/extend.h"
#include "analysis/live.h"
#include "base/lock.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "output/frames.h"
#include "output/replay.h"
#include "output/series.h"
#include "sim/sim.h"

typedef struct RunColumns { // of series.csv
    const char **names, **units;
    int count;
} RunColumns;

typedef struct Run {
    const MrcModel *model;
    const SimDefinition *definition;
    MrcRunOptions options;
    FolderLock lock; // on the result folder
    Extension extension;
    MrcSim *live;
    Sim *sim;        // of `live`
    Series *series;  // NULL: nothing is kept on disk
    Series *periods; // periods.csv; NULL: periods are not looked at
    Frames frames;
    Replay replay; // for report.html
    Alarm sample_alarm, frame_alarm, checkpoint_alarm;
    Log log;
    ARRAY(char *) warnings;
    int threads;
    bool resumed, finished_before;
    bool warned_unsolved;                                        // that a contact problem was not solved
    bool warned_meeting;                                         // that grains of two beds are in one place
    bool warned_findings[CONTAINERS_MAX][MONITOR_FINDING_COUNT]; // of the monitors at the ports
    int64_t first_step;                                          // of this process
    double start_wall, start_cpu;                                // clocks at the start [s]
    double earlier_wall, earlier_cpu;                            // spent before the checkpoint [s]
    double earlier_setup, setup;                 // of the wall-clock time, before first steps [s]
    double last_checkpoint_wall, last_look_wall; // clocks [s]
    double *row;                                 // of series.csv
    RunColumns columns;
} Run;

// ---- the result folder (run_folder.c) ------------------------------------------------------------
const char *run_path(const Run *run, const char *name, char *buffer, size_t size); // of a file in it
bool run_folder_holds(const Run *run, const char *name);
// Comes first, so that a folder that cannot be used is found before the grains are packed.
MrcStatus run_claim_folder(Run *run, MrcError *error);
MrcStatus run_extend(Run *run, MrcError *error);      // is the run in the folder the beginning of this one?
MrcStatus run_open_folder(Run *run, MrcError *error); // starts anew, or goes on from the checkpoint
MrcStatus run_write_checkpoint(Run *run, MrcError *error);
MrcStatus run_write_text(const Run *run, const char *name, const char *text, MrcError *error);
MrcStatus run_keep_problem(const Run *run, MrcError *error); // of the step just taken, when it is due
MrcStatus run_write_unsolved(const Run *run, MrcError *error);
void run_add_advice(MrcError *error, const char *advice);

#endif
