// One run: from a model to a result folder. mrc_run reads as the story of a run; each step of it is below.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/live.h"
#include "analysis/lumped.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/threads.h"
#include "base/timer.h"
#include "maraca/maraca.h"
#include "model/model.h"
#include "output/checkpoint.h"
#include "output/frames.h"
#include "output/series.h"
#include "output/summary.h"
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
    MrcSim *live;
    Sim *sim;        // of `live`
    Series *series;  // NULL: nothing is kept on disk
    Series *periods; // periods.csv; NULL: periods are not looked at
    Frames frames;
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
    double last_checkpoint_wall, last_look_wall;               // clocks [s]
    double *row;                                               // of series.csv
    Columns columns;
} Run;

static const char *path_in(const Run *run, const char *name, char *buffer, size_t size) {
    snprintf(buffer, size, "%s/%s", run->options.folder, name);
    return buffer;
}

// ---- messages ------------------------------------------------------------------------------------
static void on_message(void *user, bool warning, const char *text) {
    Run *run = user;
    char *copy = warning ? strdup(text) : NULL;
    if (copy && !array_push(&run->warnings, copy)) free(copy);
    if (run->options.message) run->options.message(run->options.user, warning, text);
}

static void on_log(void *user, LogLevel level, const char *text) {
    on_message(user, level == LOG_WARNING, text);
}

static void on_progress(void *user, const MrcProgress *progress) { // of settling
    Run *run = user;
    if (run->options.progress) run->options.progress(run->options.user, progress);
}

// Warnings of the model file belong in the summary; whoever loaded the model has shown them already.
static void take_model_warnings(Run *run) {
    for (int i = 0; i < mrc_model_diagnostic_count(run->model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(run->model, i);
        char *text = NULL;
        if (!d->warning || asprintf(&text, "%s:%d:%d: %s", d->file, d->line, d->column, d->text) < 0)
            continue;
        if (!array_push(&run->warnings, text)) free(text);
    }
}

static void report_progress(const Run *run) {
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

static void describe_state(Archive *archive, void *user) {
    CheckpointState *state = user;
    Run *run = state->run;
    int64_t length = (int64_t)state->series_length, periods_length = (int64_t)state->periods_length;
    double spent[2] = {run->earlier_wall + timer_wall() - run->start_wall,
                       run->earlier_cpu + timer_cpu() - run->start_cpu};
    archive_group_begin(archive, "run");
    archive_int64s(archive, "series_length", &length, 1);
    if (run->sim->periods.definition) archive_int64s(archive, "periods_length", &periods_length, 1);
    frames_archive(&run->frames, archive);
    archive_doubles(archive, "seconds", spent, 2);
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
}

// The series goes to disk first: a checkpoint must never know of rows that the file lacks. Nor must a state
// that is no longer finite take the place of the last good one.
static MrcStatus write_checkpoint(Run *run, MrcError *error) {
    char path[1100];
    if (!run->series) return MRC_OK;
    MrcStatus status = sim_check_finite(run->sim, error);
    if (status == MRC_OK) status = series_sync(run->series, error);
    if (status == MRC_OK && run->periods) status = series_sync(run->periods, error);
    if (status != MRC_OK) return status;
    CheckpointState state = {run, series_length(run->series), run->periods ? series_length(run->periods) : 0};
    run->last_checkpoint_wall = timer_wall();
    return checkpoint_save(path_in(run, "checkpoint.h5", path, sizeof path), model_hash(run->model),
                           describe_state, &state, error);
}

// ---- the folder ----------------------------------------------------------------------------------
static MrcStatus write_text(const Run *run, const char *name, const char *text, MrcError *error) {
    char path[1100];
    FileWriter writer;
    if (!text) return error_memory(error, name);
    MrcStatus status = file_open(&writer, path_in(run, name, path, sizeof path), error);
    if (status != MRC_OK) return status;
    fputs(text, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus list_columns(Run *run, Columns *columns, MrcError *error) {
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

static bool holds(const Run *run, const char *name) {
    char path[1100];
    return access(path_in(run, name, path, sizeof path), F_OK) == 0;
}

// periods.csv, a new one or the one of the run that is taken up again.
static MrcStatus open_periods(Run *run, bool resume, uint64_t length, MrcError *error) {
    const char *names[period_column_count], *units[period_column_count];
    char path[1100];
    if (!run->sim->periods.definition) return MRC_OK;
    for (int c = 0; c < period_column_count; c++)
        names[c] = period_columns[c].name, units[c] = period_columns[c].unit;
    path_in(run, "periods.csv", path, sizeof path);
    if (resume) return series_resume(&run->periods, path, names, units, period_column_count, length, error);
    return series_create(&run->periods, path, names, units, period_column_count, error);
}

// ---- contact problems ------------------------------------------------------------------------------
static void clear_problems(const Run *run) {
    char path[1400];
    DIR *folder = opendir(path_in(run, "problems", path, sizeof path));
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".txt") != 0) continue;
        snprintf(path, sizeof path, "%s/problems/%s", run->options.folder, entry->d_name);
        remove(path);
    }
    closedir(folder);
}

// That of the step just taken, when it is one of those to be kept.
static MrcStatus keep_problem(const Run *run, MrcError *error) {
    const World *world = run->sim->beds->world;
    int64_t now = run->sim->clock.now, every = run->options.problem_steps;
    char path[1100], name[64];
    if (every <= 0 || now % every != 0 || !run->series) return MRC_OK;
    MrcStatus status = file_make_folder(path_in(run, "problems", path, sizeof path), error);
    if (status != MRC_OK) return status;
    snprintf(name, sizeof name, "problems/%08lld.txt", (long long)now);
    return contact_problem_save(world_problem(world), NULL, path_in(run, name, path, sizeof path), error);
}

// Of model.yaml and series.csv, the model goes first and comes last: a folder that holds a model only is one
// that a person keeps models in (`maraca run model.yaml -o .`).
static MrcStatus start_anew(Run *run, const Columns *columns, MrcError *error) {
    char path[1100];
    const char *old[] = {"checkpoint.h5", "model.yaml",  "summary.json",
                         "unsolved.txt",  "periods.csv", "series.csv"};
    if (holds(run, "model.yaml") && !holds(run, "series.csv"))
        return error_set(error, MRC_FOLDER,
                         "'%s' holds a model.yaml of yours, which the model as run would overwrite; choose "
                         "another folder",
                         run->options.folder);
    if (holds(run, "checkpoint.h5"))
        log_note(&run->log,
                 "%s held an earlier run; starting over in it (--resume would go on with an unfinished one)",
                 run->options.folder);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) remove(path_in(run, old[i], path, sizeof path));
    frames_clear(&run->frames);
    clear_problems(run);
    MrcStatus status = series_create(&run->series, path_in(run, "series.csv", path, sizeof path),
                                     columns->names, columns->units, columns->count, error);
    if (status == MRC_OK) status = open_periods(run, false, 0, error);
    if (status != MRC_OK) return status;
    char *text = mrc_model_text(run->model);
    status = write_text(run, "model.yaml", text, error);
    mrc_text_free(text);
    return status;
}

static void add_advice(MrcError *error, const char *advice) {
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s", advice);
}

static MrcStatus resume(Run *run, const Columns *columns, MrcError *error) {
    char path[1100];
    CheckpointState state = {.run = run};
    MrcStatus status = checkpoint_load(path_in(run, "checkpoint.h5", path, sizeof path),
                                       model_hash(run->model), describe_state, &state, error);
    if (status == MRC_OK)
        status = series_resume(&run->series, path_in(run, "series.csv", path, sizeof path), columns->names,
                               columns->units, columns->count, state.series_length, error);
    if (status == MRC_OK) status = open_periods(run, true, state.periods_length, error);
    if (status == MRC_CHECKPOINT)
        add_advice(error, "; without --resume the run starts over, with -o it goes to another folder");
    if (status != MRC_OK) return status;
    run->resumed = true;
    run->live->sampled = false;
    run->finished_before = sim_is_done(run->sim);
    if (run->finished_before) {
        log_note(&run->log, "%s holds the finished run: there is nothing left to do", run->options.folder);
        return MRC_OK;
    }
    // From here on a summary of an earlier stop would be out of date.
    remove(path_in(run, "summary.json", path, sizeof path));
    log_note(&run->log, "resuming at t = %.6g s (step %lld of %lld)", clock_time(&run->sim->clock),
             (long long)run->sim->clock.now, (long long)run->sim->clock.total);
    return MRC_OK;
}

// Comes first, so that a folder that cannot be used is found before the grains are packed.
static MrcStatus claim_folder(Run *run, MrcError *error) {
    const char *folder = run->options.folder;
    if (!folder) return MRC_OK;
    if (*folder == '\0') return error_set(error, MRC_FOLDER, "its name is empty");
    if (strlen(folder) > 700) return error_set(error, MRC_FOLDER, "its name is too long: '%.60s...'", folder);
    if (file_make_folder(folder, error) != MRC_OK) return error->status = MRC_FOLDER;
    return folder_lock(&run->lock, folder, error);
}

static MrcStatus create(Run *run, MrcError *error) {
    MrcSimOptions options = mrc_sim_options_default();
    options.threads = run->threads;
    options.stop = run->options.stop;
    options.message = on_message;
    options.progress = on_progress;
    options.user = run;
    options.partners = run->options.partners;
    options.partner_count = run->options.partner_count;
    MrcStatus status = mrc_sim_create(run->model, &options, &run->live, error);
    run->sim = run->live ? run->live->sim : NULL;
    return status;
}

static MrcStatus open_folder(Run *run, MrcError *error) {
    const Columns *columns = &run->columns;
    MrcStatus status = list_columns(run, &run->columns, error);
    if (status != MRC_OK || !run->options.folder) return status;
    frames_start(&run->frames, run->options.folder);
    if (run->options.resume && holds(run, "checkpoint.h5")) return resume(run, columns, error);
    if (run->options.resume)
        log_note(&run->log, "%s holds no checkpoint yet: starting from the beginning", run->options.folder);
    return start_anew(run, columns, error);
}

// ---- the loop ------------------------------------------------------------------------------------
static MrcStatus record(Run *run, MrcError *error) {
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

static MrcStatus look_at_periods(Run *run, MrcError *error) {
    bool ended;
    PeriodRow row;
    double values[period_column_count];
    MrcStatus status = sim_look_at_periods(run->sim, &ended, &row, error);
    if (status != MRC_OK || !ended || !run->periods) return status;
    for (int c = 0; c < period_column_count; c++)
        values[c] = *(const double *)((const char *)&row + period_columns[c].offset);
    return series_append(run->periods, values, error);
}

static MrcStatus write_what_is_due(Run *run, MrcError *error) {
    const Clock *clock = &run->sim->clock;
    MrcStatus status = MRC_OK;
    if (run->finished_before) return live_sample(run->live, error); // for the report; the files have it
    // The state at the end is always measured, so that the ledger is about the whole run.
    if (alarm_rings(&run->sample_alarm, clock) || sim_is_done(run->sim)) status = record(run, error);
    if (status == MRC_OK) status = look_at_periods(run, error);
    if (status == MRC_OK && alarm_rings(&run->frame_alarm, clock) && run->series)
        status = frames_write(&run->frames, run->sim, error);
    return status;
}

// A few times a second of wall clock: progress, and rows to disk; now and then a checkpoint.
static MrcStatus look_up(Run *run, MrcError *error) {
    double now = timer_wall();
    MrcStatus status = MRC_OK;
    // The last state is kept by `finish`, once its samples are in the files: a checkpoint from before them
    // would look like that of a finished run.
    if (sim_is_done(run->sim)) return MRC_OK;
    bool due = alarm_rings(&run->checkpoint_alarm, &run->sim->clock);
    if (due || now - run->last_checkpoint_wall > run->options.checkpoint_seconds)
        status = write_checkpoint(run, error);
    if (status != MRC_OK || now - run->last_look_wall < 0.2) return status;
    run->last_look_wall = now;
    report_progress(run);
    if (run->periods) status = series_flush(run->periods, error);
    return run->series && status == MRC_OK ? series_flush(run->series, error) : status;
}

static MrcStatus stop_here(Run *run, MrcError *error) {
    MrcStatus status = write_checkpoint(run, error);
    if (status != MRC_OK) return status;
    return error_set(error, MRC_INTERRUPTED, "at t = %.6g s, step %lld of %lld%s%s%s",
                     clock_time(&run->sim->clock), (long long)run->sim->clock.now,
                     (long long)run->sim->clock.total, run->series ? "; a checkpoint is in " : "",
                     run->series ? run->options.folder : "", run->series ? ", --resume goes on from it" : "");
}

// Once; the report says how many there were, and the worst one is kept.
static void tell_unsolved(Run *run) {
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
static void tell_findings(Run *run) {
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

static MrcStatus simulate(Run *run, MrcError *error) {
    for (;;) {
        MrcStatus status = write_what_is_due(run, error);
        if (status != MRC_OK || sim_is_done(run->sim)) return status;
        status = mrc_sim_step(run->live, error);
        tell_unsolved(run);
        tell_findings(run);
        if (status == MRC_OK) status = keep_problem(run, error);
        if (status == MRC_OK) status = look_up(run, error);
        if (status != MRC_OK) return status;
        if (run->options.stop && *run->options.stop && !sim_is_done(run->sim)) return stop_here(run, error);
    }
}

// A failure says when it happened, and what to do when the model is not to blame.
static void explain(const Run *run, MrcError *error) {
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    snprintf(error->text, sizeof error->text, "at t = %.6g s (step %lld): %.900s",
             clock_time(&run->sim->clock), (long long)run->sim->clock.now, text);
    if (error->status == MRC_WRITE_FAILED && run->series && holds(run, "checkpoint.h5"))
        add_advice(error, "; once it can be written, --resume goes on from the last checkpoint");
}

// ---- the end -------------------------------------------------------------------------------------
static MrcStatus write_unsolved(const Run *run, MrcError *error) {
    const ContactProblem *problem;
    const ContactSolution *solution;
    char path[1100];
    if (!world_worst(run->sim->beds->world, &problem, &solution)) return MRC_OK;
    return contact_problem_save(problem, solution, path_in(run, "unsolved.txt", path, sizeof path), error);
}

// The comparison is an extra: a run whose grains cannot be lumped is none the worse for it.
static bool look_without_grains(Run *run, PortAmplitude *lumped) {
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

static MrcStatus finish(Run *run, MrcStatus outcome, MrcRunInfo *info, MrcError *error) {
    double wall = run->finished_before ? 0 : timer_wall() - run->start_wall;
    double cpu = run->finished_before ? 0 : timer_cpu() - run->start_cpu;
    RunFacts facts = {.sim = run->sim,
                      .status = outcome,
                      .message = outcome == MRC_OK ? NULL : error->text,
                      .model_hash = model_hash(run->model),
                      .threads = run->threads,
                      .resumed = run->resumed,
                      .steps_here = run->sim->clock.now - run->first_step,
                      .wall_seconds = run->earlier_wall + wall,
                      .cpu_seconds = run->earlier_cpu + cpu,
                      .frames = (int64_t)run->frames.times.count,
                      .folder = run->series ? run->options.folder : NULL,
                      .warnings = (const char *const *)run->warnings.data,
                      .warning_count = run->warnings.count};
    PortAmplitude lumped[CONTAINERS_MAX];
    if (outcome == MRC_OK && look_without_grains(run, lumped)) facts.lumped = lumped;
    *info = (MrcRunInfo){.steps = facts.steps_here,
                         .time = clock_time(&run->sim->clock),
                         .wall_seconds = facts.wall_seconds,
                         .cpu_seconds = facts.cpu_seconds,
                         .real_time_factor = summary_real_time_factor(&facts),
                         .resumed = run->resumed,
                         .coupled = run->sim->coupling.yielding > 0,
                         .grain_solves = run->sim->coupling.counts.grain_solves,
                         .port_energy_error = run->sim->coupling.counts.energy_error,
                         .port_energy_passed = run->sim->coupling.counts.energy_passed,
                         .summary = summary_json(&facts),
                         .report = summary_report(&facts)};
    if (!info->summary || !info->report) return error_memory(error, "the summary");
    if (!run->series) return outcome;
    // A finished run stays as it is, unless it was killed just before its summary.
    if (run->finished_before && holds(run, "summary.json")) return outcome;
    MrcError late;
    MrcStatus status = outcome == MRC_OK ? write_checkpoint(run, &late) : series_flush(run->series, &late);
    if (status == MRC_OK && run->periods) status = series_flush(run->periods, &late);
    if (status == MRC_OK) status = write_unsolved(run, &late);
    if (status == MRC_OK) status = write_text(run, "summary.json", info->summary, &late);
    if (status == MRC_OK || outcome != MRC_OK) return outcome;
    *error = late;
    return status;
}

static void release(Run *run) {
    MrcError ignored;
    series_close(run->series, &ignored);
    series_close(run->periods, &ignored);
    frames_end(&run->frames);
    mrc_sim_free(run->live);
    folder_unlock(&run->lock);
    for (size_t i = 0; i < run->warnings.count; i++) free(run->warnings.data[i]);
    array_free(&run->warnings);
}

MrcStatus mrc_run(const MrcModel *model, const MrcRunOptions *options, MrcRunInfo *info, MrcError *error) {
    MrcRunInfo own_info = {0};
    MrcError own_error;
    if (!error) error = &own_error;
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    if (info) *info = own_info;
    const SimDefinition *definition = model_definition(model);
    Run run = {.model = model,
               .definition = definition,
               .options = mrc_run_options_default(),
               .lock.file = -1,
               .start_wall = timer_wall(),
               .start_cpu = timer_cpu()};
    size_t size = options->size > 0 && options->size < sizeof *options ? options->size : sizeof *options;
    memcpy(&run.options, options, size);
    run.threads = options->threads > 0 ? options->threads : threads_available();
    run.log = (Log){on_log, &run};
    run.last_checkpoint_wall = run.last_look_wall = run.start_wall;
    take_model_warnings(&run);
    if (run.threads > threads_available())
        log_warning(&run.log, "%d threads on %d cores will be slower than %d", run.threads,
                    threads_available(), threads_available());
    MrcStatus status = claim_folder(&run, error);
    if (status == MRC_OK) status = create(&run, error);
    if (status == MRC_OK) {
        run.sample_alarm.every = run.sim->recorder.every;
        run.frame_alarm.every = definition->frames_every;
        run.checkpoint_alarm = (Alarm){definition->checkpoint_every, 1};
        status = open_folder(&run, error);
    }
    if (status == MRC_OK) {
        run.first_step = run.sim->clock.now;
        status = simulate(&run, error);
        if (status != MRC_OK && status != MRC_INTERRUPTED) explain(&run, error);
        status = finish(&run, status, info ? info : &own_info, error);
    }
    mrc_text_free(own_info.summary);
    mrc_text_free(own_info.report);
    release(&run);
    return status;
}
