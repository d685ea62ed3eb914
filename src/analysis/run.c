// One run: from a model to a result folder. mrc_run reads as the story of a run; each step of it is below.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/extend.h"
#include "analysis/live.h"
#include "analysis/lumped.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/threads.h"
#include "base/timer.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "output/checkpoint.h"
#include "output/frames.h"
#include "output/page.h"
#include "output/replay.h"
#include "output/report.h"
#include "output/result_size.h"
#include "output/series.h"
#include "output/summary.h"
#include "output/verdict.h"
#include "sim/sim.h"

typedef struct Columns { // of series.csv
    const char **names, **units;
    int count;
} Columns;

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
    bool told_unsolved;                                        // that a contact problem was not solved
    bool told_findings[CONTAINERS_MAX][MONITOR_FINDING_COUNT]; // of the monitors at the ports
    int64_t first_step;                                        // of this process
    double start_wall, start_cpu;                              // clocks at the start [s]
    double earlier_wall, earlier_cpu;                          // spent before the checkpoint [s]
    double earlier_setup, setup;                 // of the wall-clock time, before first steps [s]
    double last_checkpoint_wall, last_look_wall; // clocks [s]
    double *row;                                 // of series.csv
    Columns columns;
} Run;

static const char *run_path(const Run *run, const char *name, char *buffer, size_t size) {
    snprintf(buffer, size, "%s/%s", run->options.folder, name);
    return buffer;
}

// ---- messages ------------------------------------------------------------------------------------
static void run_take_message(void *user, bool warning, const char *text) {
    Run *run = user;
    char *copy = warning ? strdup(text) : NULL;
    if (copy && !array_push(&run->warnings, copy)) free(copy);
    if (run->options.message) run->options.message(run->options.user, warning, text);
}

static void run_take_log(void *user, LogLevel level, const char *text) {
    run_take_message(user, level == LOG_WARNING, text);
}

static void run_take_progress(void *user, const MrcProgress *progress) { // of the start, and of long steps
    Run *run = user;
    if (run->options.progress) run->options.progress(run->options.user, progress);
}

// Warnings of the model file belong in the summary; whoever loaded the model has shown them already.
static void run_take_model_warnings(Run *run) {
    for (int i = 0; i < mrc_model_diagnostic_count(run->model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(run->model, i);
        char *text = NULL;
        if (!d->warning || asprintf(&text, "%s:%d:%d: %s", d->file, d->line, d->column, d->text) < 0)
            continue;
        if (!array_push(&run->warnings, text)) free(text);
    }
}

static void run_report_progress(const Run *run) {
    if (!run->options.progress) return;
    MrcProgress progress = {.time = clock_time(&run->sim->clock),
                            .duration = run->definition->simulate.duration,
                            .steps = run->sim->clock.now,
                            .elapsed = timer_wall() - run->start_wall,
                            .phase = "running"};
    run->options.progress(run->options.user, &progress);
}

// ---- checkpoints ---------------------------------------------------------------------------------
typedef struct CheckpointState {
    Run *run;
    uint64_t series_length, periods_length; // of the files [bytes]
} CheckpointState;

static void run_archive(Archive *archive, void *user) {
    CheckpointState *state = user;
    Run *run = state->run;
    int64_t length = (int64_t)state->series_length, periods_length = (int64_t)state->periods_length;
    double spent[3] = {run->earlier_wall + timer_wall() - run->start_wall,
                       run->earlier_cpu + timer_cpu() - run->start_cpu, run->earlier_setup + run->setup};
    archive_group_begin(archive, "run");
    archive_int64s(archive, "series_length", &length, 1);
    if (run->sim->periods.definition) archive_int64s(archive, "periods_length", &periods_length, 1);
    frames_archive(&run->frames, archive);
    replay_archive(&run->replay, archive);
    archive_doubles(archive, "seconds", spent, 3);
    alarm_archive(&run->sample_alarm, "sample", archive);
    alarm_archive(&run->frame_alarm, "frame", archive);
    alarm_archive(&run->checkpoint_alarm, "checkpoint", archive);
    archive_group_end(archive, "run");
    archive_group_begin(archive, "sim");
    sim_archive(run->sim, archive);
    archive_group_end(archive, "sim");
    state->series_length = (uint64_t)length;
    state->periods_length = (uint64_t)periods_length;
    if (!archive_is_loading(archive)) return;
    run->earlier_wall = spent[0];
    run->earlier_cpu = spent[1];
    run->earlier_setup = spent[2];
}

// The series goes to disk first: a checkpoint must never know of rows that the file lacks. Nor must a state
// that is no longer finite take the place of the last good one.
static MrcStatus run_write_checkpoint(Run *run, MrcError *error) {
    char path[1100];
    if (!run->series) return MRC_OK;
    MrcStatus status = sim_check_finite(run->sim, error);
    if (status == MRC_OK) status = series_sync(run->series, error);
    if (status == MRC_OK && run->periods) status = series_sync(run->periods, error);
    if (status != MRC_OK) return status;
    CheckpointState state = {run, series_length(run->series), run->periods ? series_length(run->periods) : 0};
    run->last_checkpoint_wall = timer_wall();
    return checkpoint_save(run_path(run, "checkpoint.h5", path, sizeof path), model_hash(run->model),
                           run_archive, &state, error);
}

// ---- the folder ----------------------------------------------------------------------------------
static MrcStatus run_write_text(const Run *run, const char *name, const char *text, MrcError *error) {
    char path[1100];
    FileWriter writer;
    if (!text) return error_memory(error, name);
    MrcStatus status = file_open(&writer, run_path(run, name, path, sizeof path), error);
    if (status != MRC_OK) return status;
    fputs(text, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus run_list_columns(Run *run, Columns *columns, MrcError *error) {
    const Recorder *recorder = &run->sim->recorder;
    const Signal *signals = recorder->signals.signals.data;
    size_t count = recorder->column_count + 1;
    Arena *arena = run->sim->arena;
    columns->count = (int)count;
    columns->names = arena_alloc(arena, count * sizeof *columns->names);
    columns->units = arena_alloc(arena, count * sizeof *columns->units);
    run->row = arena_alloc(arena, count * sizeof *run->row);
    if (!columns->names || !columns->units || !run->row) return error_memory(error, "the series");
    columns->names[0] = "t";
    columns->units[0] = "s";
    for (size_t c = 0; c < recorder->column_count; c++) {
        const Signal *signal = &signals[recorder->columns[c]];
        columns->names[c + 1] = signal->name;
        columns->units[c + 1] = signal->unit;
    }
    return MRC_OK;
}

static bool run_folder_holds(const Run *run, const char *name) {
    char path[1100];
    return access(run_path(run, name, path, sizeof path), F_OK) == 0;
}

// periods.csv, a new one or the one of the run that is taken up again.
static MrcStatus run_open_periods(Run *run, bool resume, uint64_t length, MrcError *error) {
    const char *names[period_column_count], *units[period_column_count];
    char path[1100];
    if (!run->sim->periods.definition) return MRC_OK;
    for (int c = 0; c < period_column_count; c++)
        names[c] = period_columns[c].name, units[c] = period_columns[c].unit;
    run_path(run, "periods.csv", path, sizeof path);
    if (resume) return series_resume(&run->periods, path, names, units, period_column_count, length, error);
    return series_create(&run->periods, path, names, units, period_column_count, error);
}

// ---- contact problems ------------------------------------------------------------------------------
static bool run_is_problem(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".txt") == 0;
}

static void run_clear_problems(const Run *run) {
    char path[1100];
    file_clear_part(run_path(run, "problems", path, sizeof path), run_is_problem);
}

// That of the step just taken, when it is one of those to be kept.
static MrcStatus run_keep_problem(const Run *run, MrcError *error) {
    const World *world = run->sim->beds->world;
    int64_t now = run->sim->clock.now, every = run->options.problem_steps;
    char path[1100], name[64];
    if (every <= 0 || now % every != 0 || !run->series) return MRC_OK;
    MrcStatus status = file_make_part(run_path(run, "problems", path, sizeof path), error);
    if (status != MRC_OK) return status;
    snprintf(name, sizeof name, "problems/%08lld.txt", (long long)now);
    return contact_problem_save(world_problem(world), NULL, run_path(run, name, path, sizeof path), error);
}

// Of model.yaml and series.csv, the model goes first and comes last: a folder that holds a model only is one
// that a person keeps models in (`maraca run model.yaml -o .`).
static MrcStatus run_start_anew(Run *run, const Columns *columns, MrcError *error) {
    char path[1100];
    const char *old[] = {"checkpoint.h5", "model.yaml", "summary.json", "unsolved.txt",
                         "periods.csv",   "replay.bin", "report.html",  "series.csv"};
    if (run_folder_holds(run, "model.yaml") && !run_folder_holds(run, "series.csv"))
        return error_set(error, MRC_FOLDER,
                         "'%s' holds a model.yaml of yours, which the model as run would overwrite; choose "
                         "another folder",
                         run->options.folder);
    if (run_folder_holds(run, "checkpoint.h5"))
        log_note(&run->log,
                 "%s held an earlier run; starting over in it (--resume would go on with an unfinished one)",
                 run->options.folder);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) remove(run_path(run, old[i], path, sizeof path));
    frames_clear(&run->frames);
    run_clear_problems(run);
    MrcStatus status = series_create(&run->series, run_path(run, "series.csv", path, sizeof path),
                                     columns->names, columns->units, columns->count, error);
    if (status == MRC_OK) status = run_open_periods(run, false, 0, error);
    if (status != MRC_OK) return status;
    char *text = mrc_model_text(run->model);
    status = run_write_text(run, "model.yaml", text, error);
    mrc_text_free(text);
    if (status == MRC_OK && !run->options.without_report)
        status = replay_start(&run->replay, run->options.folder, run->sim, error);
    return status;
}

static void run_add_advice(MrcError *error, const char *advice) {
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s", advice);
}

// The end of the shorter run has a row, whether it is time for one or not; the longer run has none there.
static MrcStatus run_cut_to_extension(const Run *run, uint64_t *series_length, MrcError *error) {
    const Clock *clock = &run->sim->clock;
    char path[1100];
    if (!run->extension.found) return MRC_OK;
    if (clock->now > clock->total)
        return error_set(
            error, MRC_CHECKPOINT,
            "the checkpoint is at t = %.6g s, beyond the duration of %.6g s that the model has now",
            clock_time(clock), run->definition->simulate.duration);
    if (clock->now == run->extension.old_total && !alarm_is_due(&run->sample_alarm, clock))
        *series_length =
            series_without_last_row(run_path(run, "series.csv", path, sizeof path), *series_length);
    return MRC_OK;
}

// model.yaml is that of the shorter run until the first checkpoint of the longer one is there: a kill between the two
// leaves a folder that can be resumed.
static MrcStatus run_renew_model(const Run *run, MrcError *error) {
    char path[1100], *old = NULL, *text = mrc_model_text(run->model);
    size_t length = 0;
    MrcError ignored;
    MrcStatus status = MRC_OK;
    if (file_read(run_path(run, "model.yaml", path, sizeof path), SIZE_MAX / 4, &old, &length, &ignored) !=
            MRC_OK ||
        !text || strlen(text) != length || memcmp(old, text, length) != 0)
        status = run_write_text(run, "model.yaml", text, error);
    free(old);
    mrc_text_free(text);
    return status;
}

static MrcStatus run_resume(Run *run, const Columns *columns, MrcError *error) {
    char path[1100];
    CheckpointState state = {.run = run};
    MrcStatus status = checkpoint_load(run_path(run, "checkpoint.h5", path, sizeof path),
                                       run->extension.expected, run_archive, &state, error);
    if (status == MRC_OK) status = run_cut_to_extension(run, &state.series_length, error);
    if (status == MRC_OK)
        status = series_resume(&run->series, run_path(run, "series.csv", path, sizeof path), columns->names,
                               columns->units, columns->count, state.series_length, error);
    if (status == MRC_OK) status = run_open_periods(run, true, state.periods_length, error);
    if (status == MRC_OK && !run->options.without_report)
        status = replay_resume(&run->replay, run->options.folder, run->sim, error);
    if (status == MRC_CHECKPOINT)
        run_add_advice(error, "; without --resume the run starts over, with -o it goes to another folder");
    if (status != MRC_OK) return status;
    run->resumed = true;
    run->live->sampled = false;
    if (run->extension.found) status = run_write_checkpoint(run, error);
    if (status == MRC_OK) status = run_renew_model(run, error);
    if (status != MRC_OK) return status;
    run->finished_before = sim_is_done(run->sim);
    if (run->finished_before) {
        log_note(
            &run->log,
            "%s holds the finished run: there is nothing left to do (a longer simulate.duration extends it)",
            run->options.folder);
        return MRC_OK;
    }
    // From here on a summary of an earlier stop would be out of date.
    remove(run_path(run, "summary.json", path, sizeof path));
    log_note(&run->log, "resuming at t = %.6g s (step %lld of %lld)", clock_time(&run->sim->clock),
             (long long)run->sim->clock.now, (long long)run->sim->clock.total);
    return MRC_OK;
}

// Comes first, so that a folder that cannot be used is found before the grains are packed.
static MrcStatus run_claim_folder(Run *run, MrcError *error) {
    const char *folder = run->options.folder;
    if (!folder) return MRC_OK;
    if (*folder == '\0') return error_set(error, MRC_FOLDER, "its name is empty");
    if (strlen(folder) > 700) return error_set(error, MRC_FOLDER, "its name is too long: '%.60s...'", folder);
    if (file_make_folder(folder, error) != MRC_OK) return error->status = MRC_FOLDER;
    return folder_lock(&run->lock, folder, error);
}

static MrcStatus run_extend(Run *run, MrcError *error) {
    MrcStatus status = extend_find(run->model, run->options.folder, &run->log, &run->extension, error);
    if (run->extension.model) run->model = run->extension.model;
    run->definition = model_definition(run->model);
    return status;
}

static MrcStatus run_create_sim(Run *run, MrcError *error) {
    MrcSimOptions options = mrc_sim_options_default();
    options.threads = run->threads;
    options.stop = run->options.stop;
    options.message = run_take_message;
    options.progress = run_take_progress;
    options.user = run;
    options.partners = run->options.partners;
    options.partner_count = run->options.partner_count;
    MrcStatus status = mrc_sim_create(run->model, &options, &run->live, error);
    run->sim = run->live ? run->live->sim : NULL;
    return status;
}

static MrcStatus run_open_folder(Run *run, MrcError *error) {
    const Columns *columns = &run->columns;
    MrcStatus status = run_list_columns(run, &run->columns, error);
    if (status != MRC_OK || !run->options.folder) return status;
    frames_start(&run->frames, run->options.folder);
    if (run->options.resume && run_folder_holds(run, "checkpoint.h5")) return run_resume(run, columns, error);
    if (run->options.resume)
        log_note(&run->log, "%s holds no checkpoint yet: starting from the beginning", run->options.folder);
    status = result_size_check(run->sim, run->options.folder, error);
    return status == MRC_OK ? run_start_anew(run, columns, error) : status;
}

// ---- the loop ------------------------------------------------------------------------------------
static MrcStatus run_record_row(Run *run, MrcError *error) {
    const Recorder *recorder = &run->sim->recorder;
    MrcStatus status = live_sample(run->live, error);
    if (status != MRC_OK || (!run->series && !run->options.row)) return status;
    run->row[0] = clock_time(&run->sim->clock);
    for (size_t c = 0; c < recorder->column_count; c++)
        run->row[c + 1] = *recorder->signals.signals.data[recorder->columns[c]].value;
    MrcRow row = {run->columns.names, run->columns.units, run->row, run->columns.count};
    if (run->options.row) run->options.row(run->options.user, &row);
    return run->series ? series_append(run->series, run->row, error) : MRC_OK;
}

static MrcStatus run_record_periods(Run *run, MrcError *error) {
    const Periods *periods = &run->sim->periods;
    double values[period_column_count];
    if (!run->periods || run->sim->clock.now == 0 || periods->row_step != run->sim->clock.now) return MRC_OK;
    for (int c = 0; c < period_column_count; c++)
        values[c] = *(const double *)((const char *)&periods->row + period_columns[c].offset);
    return series_append(run->periods, values, error);
}

static MrcStatus run_write_what_is_due(Run *run, MrcError *error) {
    const Clock *clock = &run->sim->clock;
    MrcStatus status = MRC_OK;
    if (run->finished_before) return live_sample(run->live, error); // for the report; the files have it
    // The state at the end is always measured, so that the ledger is about the whole run.
    if (alarm_rings(&run->sample_alarm, clock) || sim_is_done(run->sim)) status = run_record_row(run, error);
    if (status == MRC_OK) status = run_record_periods(run, error);
    if (status == MRC_OK && alarm_rings(&run->frame_alarm, clock) && run->series)
        status = frames_write(&run->frames, run->sim, error);
    if (status == MRC_OK && run->series) status = replay_record(&run->replay, run->sim, error);
    return status;
}

// A few times a second of wall clock: progress, and rows to disk; now and then a checkpoint.
static MrcStatus run_housekeeping(Run *run, MrcError *error) {
    double now = timer_wall();
    MrcStatus status = MRC_OK;
    // The last state is kept by `finish`, once its samples are in the files: a checkpoint from before them
    // would look like that of a finished run.
    if (sim_is_done(run->sim)) return MRC_OK;
    bool due = alarm_rings(&run->checkpoint_alarm, &run->sim->clock);
    if (due || now - run->last_checkpoint_wall > run->options.checkpoint_seconds)
        status = run_write_checkpoint(run, error);
    if (status != MRC_OK || now - run->last_look_wall < 0.2) return status;
    run->last_look_wall = now;
    run_report_progress(run);
    if (run->periods) status = series_flush(run->periods, error);
    return run->series && status == MRC_OK ? series_flush(run->series, error) : status;
}

// A step that took long unexpectedly has no state from before it (live.h).
static MrcStatus run_stop_in_step(const Run *run, MrcError *error) {
    bool checkpoint = run->series && run_folder_holds(run, "checkpoint.h5");
    return error_set(error, MRC_INTERRUPTED, "in the middle of step %lld of %lld, at t = %.6g s%s%s%s",
                     (long long)run->sim->clock.now + 1, (long long)run->sim->clock.total,
                     clock_time(&run->sim->clock), checkpoint ? "; an earlier checkpoint is in " : "",
                     checkpoint ? run->options.folder : "", checkpoint ? ", --resume goes on from it" : "");
}

static MrcStatus run_stop(Run *run, MrcError *error) {
    if (run->live->broken) return run_stop_in_step(run, error);
    MrcStatus status = run_write_checkpoint(run, error);
    if (status != MRC_OK) return status;
    return error_set(error, MRC_INTERRUPTED, "at t = %.6g s, step %lld of %lld%s%s%s",
                     clock_time(&run->sim->clock), (long long)run->sim->clock.now,
                     (long long)run->sim->clock.total, run->series ? "; a checkpoint is in " : "",
                     run->series ? run->options.folder : "", run->series ? ", --resume goes on from it" : "");
}

// Once; the report says how many there were, and the worst one is kept.
static void run_warn_unsolved(Run *run) {
    const World *world = run->sim->beds->world;
    if (run->told_unsolved || world_counts(world).unsolved == 0) return;
    run->told_unsolved = true;
    log_warning(&run->log,
                "at t = %.6g s the contact problem was not solved (residual %.2g): the step is inexact; more "
                "iterations or a smaller step may help%s",
                clock_time(&run->sim->clock), world_counts(world).worst,
                run->series ? "; the worst problem of the run will be in unsolved.txt" : "");
}

// Once each.
static void run_warn_findings(Run *run) {
    const Coupling *coupling = &run->sim->coupling;
    char text[600];
    for (int p = 0; p < coupling->yielding; p++)
        for (int f = 0; f < MONITOR_FINDING_COUNT; f++) {
            const CoupledPort *port = &coupling->ports[p];
            if (run->told_findings[p][f] ||
                !monitor_message(&port->monitor, f, port->name, coupling->scheme->instead, text, sizeof text))
                continue;
            run->told_findings[p][f] = true;
            log_warning(&run->log, "at t = %.6g s, %s", clock_time(&run->sim->clock), text);
        }
}

static MrcStatus run_simulate(Run *run, MrcError *error) {
    for (;;) {
        MrcStatus status = run_write_what_is_due(run, error);
        if (status != MRC_OK || sim_is_done(run->sim)) return status;
        status = mrc_sim_step(run->live, error);
        run_warn_unsolved(run);
        run_warn_findings(run);
        if (status == MRC_OK) status = run_keep_problem(run, error);
        if (status == MRC_OK) status = run_housekeeping(run, error);
        if (status == MRC_INTERRUPTED) return run_stop(run, error);
        if (status != MRC_OK) return status;
        if (run->options.stop && *run->options.stop && !sim_is_done(run->sim)) return run_stop(run, error);
    }
}

// A failure says when it happened, and what to do when the model is not to blame.
static void run_explain_failure(const Run *run, MrcError *error) {
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    snprintf(error->text, sizeof error->text, "at t = %.6g s (step %lld): %.900s",
             clock_time(&run->sim->clock), (long long)run->sim->clock.now, text);
    if (error->status == MRC_WRITE_FAILED && run->series && run_folder_holds(run, "checkpoint.h5"))
        run_add_advice(error, "; once it can be written, --resume goes on from the last checkpoint");
}

// ---- the end -------------------------------------------------------------------------------------
static MrcStatus run_write_unsolved(const Run *run, MrcError *error) {
    const ContactProblem *problem;
    const ContactSolution *solution;
    char path[1100];
    if (!world_worst(run->sim->beds->world, &problem, &solution)) return MRC_OK;
    return contact_problem_save(problem, solution, run_path(run, "unsolved.txt", path, sizeof path), error);
}

// The comparison is optional: a run whose grains cannot be lumped is complete without it.
static bool run_without_grains(Run *run, PortAmplitude *lumped) {
    MrcError why;
    if (!run->options.without_grains) return false;
    if (run->sim->coupling.yielding == 0 || run->definition->grains_count == 0) {
        log_note(&run->log, "there are no grains on a mechanism in this model, nothing to compare with");
        return false;
    }
    if (lumped_run(run->sim, lumped, run->options.stop, &why) == MRC_OK) return true;
    log_warning(&run->log, "without grains: %s", why.text);
    return false;
}

// Before the summary: a run that was killed between the two writes both again.
static MrcStatus run_write_page(const Run *run, const MrcRunInfo *info, MrcError *error) {
    char path[1100];
    if (run->options.without_report) return MRC_OK;
    return page_write(run->options.folder, run_path(run, "report.html", path, sizeof path), info->summary,
                      info->report, PAGE_BUDGET_MB * 1e6, error);
}

static MrcStatus run_finish(Run *run, MrcStatus outcome, MrcRunInfo *info, MrcError *error) {
    double wall = run->finished_before ? 0 : timer_wall() - run->start_wall;
    double cpu = run->finished_before ? 0 : timer_cpu() - run->start_cpu;
    PortAmplitude lumped[CONTAINERS_MAX];
    bool has_lumped = outcome == MRC_OK && run_without_grains(run, lumped);
    if (outcome == MRC_OK) verdict_warn(&run->sim->ledger, &run->log);
    if (outcome == MRC_OK) outcome = verdict_check_growth(&run->sim->ledger, error);
    RunFacts facts = {.sim = run->sim,
                      .status = outcome,
                      .message = outcome == MRC_OK ? NULL : error->text,
                      .model_hash = model_hash(run->model),
                      .threads = run->threads,
                      .resumed = run->resumed,
                      .settled = run->live->settled,
                      .wall_seconds = run->earlier_wall + wall,
                      .setup_seconds = run->earlier_setup + (run->finished_before ? 0 : run->setup),
                      .cpu_seconds = run->earlier_cpu + cpu,
                      .frames = (int64_t)run->frames.times.count,
                      .replay_frames = run->replay.frames,
                      .warnings = (const char *const *)run->warnings.data,
                      .warning_count = run->warnings.count,
                      .lumped = has_lumped ? lumped : NULL};
    *info = (MrcRunInfo){.steps = run->sim->clock.now - run->first_step,
                         .time = clock_time(&run->sim->clock),
                         .wall_seconds = facts.wall_seconds,
                         .cpu_seconds = facts.cpu_seconds,
                         .resumed = run->resumed,
                         .facts = summary_facts(&facts)};
    if (info->facts) info->summary = json_of_facts(&info->facts->list);
    if (info->facts) info->report = report_run(&info->facts->list, run->series ? run->options.folder : NULL);
    if (!info->summary || !info->report) return error_memory(error, "the summary");
    if (!run->series) return outcome;
    // A finished run stays as it is, unless it was killed just before its summary.
    if (run->finished_before && run_folder_holds(run, "summary.json")) return outcome;
    MrcError late;
    MrcStatus status =
        outcome == MRC_OK ? run_write_checkpoint(run, &late) : series_flush(run->series, &late);
    if (status == MRC_OK && run->periods) status = series_flush(run->periods, &late);
    if (status == MRC_OK) status = frames_collect(&run->frames, run->sim, &late);
    if (status == MRC_OK) status = run_write_unsolved(run, &late);
    if (status == MRC_OK) status = run_write_page(run, info, &late);
    if (status == MRC_OK) status = run_write_text(run, "summary.json", info->summary, &late);
    if (status == MRC_OK || outcome != MRC_OK) return outcome;
    *error = late;
    return status;
}

static void run_release(Run *run) {
    MrcError ignored;
    series_close(run->series, &ignored);
    series_close(run->periods, &ignored);
    frames_end(&run->frames);
    replay_end(&run->replay);
    mrc_sim_free(run->live);
    extend_free(&run->extension);
    folder_unlock(&run->lock);
    for (size_t i = 0; i < run->warnings.count; i++) free(run->warnings.data[i]);
    array_free(&run->warnings);
}

MrcStatus mrc_run(const MrcModel *model, const MrcRunOptions *options, MrcRunInfo *info, MrcError *error) {
    MrcRunInfo own_info = {0};
    MrcError own_error;
    if (!error) error = &own_error;
    if (info) *info = own_info;
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    const SimDefinition *definition = model_definition(model);
    Run run = {.model = model,
               .definition = definition,
               .options = mrc_run_options_default(),
               .lock.file = -1,
               .replay.file = -1,
               .start_wall = timer_wall(),
               .start_cpu = timer_cpu()};
    size_t size = options->size > 0 && options->size < sizeof *options ? options->size : sizeof *options;
    memcpy(&run.options, options, size);
    run.threads = options->threads > 0 ? options->threads : threads_available();
    run.log = (Log){run_take_log, &run};
    run.last_checkpoint_wall = run.last_look_wall = run.start_wall;
    int threads_before = threads_set(run.threads);
    run_take_model_warnings(&run);
    if (run.threads > threads_available())
        log_warning(&run.log, "%d threads on %d cores will be slower than %d", run.threads,
                    threads_available(), threads_available());
    MrcStatus status = run_claim_folder(&run, error);
    if (status == MRC_OK && run.options.folder && run.options.resume) status = run_extend(&run, error);
    definition = run.definition;
    if (status == MRC_OK) status = run_create_sim(&run, error);
    if (status == MRC_OK) {
        run.sample_alarm.every = run.sim->recorder.every;
        run.frame_alarm.every = definition->frames_every;
        run.checkpoint_alarm = (Alarm){definition->checkpoint_every, 1};
        status = run_open_folder(&run, error);
    }
    if (status == MRC_OK) {
        run.first_step = run.sim->clock.now;
        run.setup = timer_wall() - run.start_wall;
        status = run_simulate(&run, error);
        if (status != MRC_OK && status != MRC_INTERRUPTED) run_explain_failure(&run, error);
        status = run_finish(&run, status, info ? info : &own_info, error);
    }
    mrc_run_info_free(&own_info);
    run_release(&run);
    threads_set(threads_before);
    return status;
}

void mrc_run_info_free(MrcRunInfo *info) {
    mrc_facts_free(info->facts);
    mrc_text_free(info->summary);
    mrc_text_free(info->report);
    *info = (MrcRunInfo){0};
}
