// The result folder of a run: its lock, what an earlier run left there, checkpoints, and the files that are not tables.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/run.h"
#include "base/file.h"
#include "base/timer.h"
#include "output/checkpoint.h"
#include "output/result_size.h"

const char *run_path(const Run *run, const char *name, char *buffer, size_t size) {
    snprintf(buffer, size, "%s/%s", run->options.folder, name);
    return buffer;
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
    archive_counts(archive, "series_length", &length, 1);
    if (run->sim->periods.definition) archive_counts(archive, "periods_length", &periods_length, 1);
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

// The series goes to disk first: a checkpoint must never count rows that the file lacks. Nor must a state
// that is no longer finite take the place of the last good one.
MrcStatus run_write_checkpoint(Run *run, MrcError *error) {
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
MrcStatus run_write_text(const Run *run, const char *name, const char *text, MrcError *error) {
    char path[1100];
    FileWriter writer;
    if (!text) return error_memory(error, name);
    MrcStatus status = file_open(&writer, run_path(run, name, path, sizeof path), error);
    if (status != MRC_OK) return status;
    fputs(text, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus run_list_columns(Run *run, RunColumns *columns, MrcError *error) {
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

bool run_folder_holds(const Run *run, const char *name) {
    char path[1100];
    return access(run_path(run, name, path, sizeof path), F_OK) == 0;
}

// periods.csv, a new one or that of the run that is resumed.
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
MrcStatus run_keep_problem(const Run *run, MrcError *error) {
    const World *world = run->sim->beds->world;
    int64_t now = run->sim->clock.now, every = run->options.problem_steps;
    char path[1100], name[64];
    if (every <= 0 || now % every != 0 || !run->series) return MRC_OK;
    MrcStatus status = file_make_part(run_path(run, "problems", path, sizeof path), error);
    if (status != MRC_OK) return status;
    snprintf(name, sizeof name, "problems/%08lld.txt", (long long)now);
    return contact_problem_save(world_problem(world), NULL, run_path(run, name, path, sizeof path), error);
}

MrcStatus run_write_unsolved(const Run *run, MrcError *error) {
    const ContactProblem *problem;
    const ContactSolution *solution;
    char path[1100];
    if (!world_worst(run->sim->beds->world, &problem, &solution)) return MRC_OK;
    return contact_problem_save(problem, solution, run_path(run, "unsolved.txt", path, sizeof path), error);
}

// Beds at the end of an earlier run.
static bool run_is_end(const char *name) {
    const char *dot = strrchr(name, '.');
    return strncmp(name, "end-", 4) == 0 && dot && strcmp(dot, ".csv") == 0;
}

// What was recorded before a run went on with other columns.
static bool run_is_earlier_series(const char *name) {
    unsigned number;
    char rest[8] = "";
    return sscanf(name, "series-%u%7s", &number, rest) == 2 && strcmp(rest, ".csv") == 0;
}

// ---- starting anew and going on ------------------------------------------------------------------
// Of model.yaml and series.csv, the model is removed first and written last. So a folder with model.yaml and
// without series.csv is never left by a run: the user keeps models in it (`maraca run model.yaml -o .`).
static MrcStatus run_start_anew(Run *run, const RunColumns *columns, MrcError *error) {
    char path[1100];
    const char *old[] = {"checkpoint.h5", "model.yaml",  "summary.json",       "unsolved.txt", "periods.csv",
                         "replay.bin",    "report.html", "without-grains.csv", "spectra.csv",  "series.csv"};
    if (run_folder_holds(run, "model.yaml") && !run_folder_holds(run, "series.csv"))
        return error_set(error, MRC_FOLDER,
                         "'%s' holds a model.yaml of yours, which the model as run would overwrite; choose "
                         "another folder",
                         run->options.folder);
    if (run_folder_holds(run, "checkpoint.h5"))
        log_note(&run->log,
                 "%s held an earlier run; starting over in it (--resume would go on with an unfinished one)",
                 run->options.folder);
    if (run_folder_holds(run, "series.csv") && run_folder_holds(run, "model.yaml"))
        file_clear_part(run->options.folder, run_is_end),
            file_clear_part(run->options.folder, run_is_earlier_series);
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

void run_add_advice(MrcError *error, const char *advice) {
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s", advice);
}

// The shorter run wrote a row at its end even if no sample was due; the longer run has none there.
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

// Other columns begin a new series.csv; the rows so far go to series-1.csv, or the next number that is free.
static MrcStatus run_begin_other_series(Run *run, const RunColumns *columns, uint64_t length,
                                        MrcError *error) {
    char path[1100], name[40], *old = NULL;
    size_t size = 0;
    int number = 1;
    do snprintf(name, sizeof name, "series-%d.csv", number);
    while (run_folder_holds(run, name) && number++ < 10000);
    MrcStatus status =
        file_read(run_path(run, "series.csv", path, sizeof path), SIZE_MAX / 4, &old, &size, error);
    if (status == MRC_OK && size >= length) {
        old[length] = '\0';
        status = run_write_text(run, name, old, error);
    }
    free(old);
    if (status == MRC_OK)
        status = series_create(&run->series, path, columns->names, columns->units, columns->count, error);
    if (status != MRC_OK) return status;
    run->sample_alarm.next = 0; // the first row is that of now
    log_note(&run->log, "other columns: series.csv begins at t = %.6g s, the rows before that are in %s",
             clock_time(&run->sim->clock), name);
    return MRC_OK;
}

static MrcStatus run_resume_series(Run *run, const RunColumns *columns, uint64_t length, MrcError *error) {
    char path[1100];
    MrcStatus status = series_resume(&run->series, run_path(run, "series.csv", path, sizeof path),
                                     columns->names, columns->units, columns->count, length, error);
    if (!run->extension.recording) return status;
    const Clock *clock = &run->sim->clock;
    alarm_restart(&run->sample_alarm, clock);
    alarm_restart(&run->frame_alarm, clock);
    alarm_restart(&run->checkpoint_alarm, clock);
    return status == MRC_CHECKPOINT ? run_begin_other_series(run, columns, length, error) : status;
}

static MrcStatus run_resume(Run *run, const RunColumns *columns, MrcError *error) {
    char path[1100];
    CheckpointState state = {.run = run};
    MrcStatus status = checkpoint_load(run_path(run, "checkpoint.h5", path, sizeof path),
                                       run->extension.expected, run_archive, &state, error);
    if (status == MRC_OK) status = run_cut_to_extension(run, &state.series_length, error);
    if (status == MRC_OK) status = run_resume_series(run, columns, state.series_length, error);
    if (status == MRC_OK) status = run_open_periods(run, true, state.periods_length, error);
    if (status == MRC_OK && !run->options.without_report)
        status = replay_resume(&run->replay, run->options.folder, run->sim, error);
    if (status == MRC_CHECKPOINT)
        run_add_advice(error, "; without --resume the run starts over, with -o it goes to another folder");
    if (status != MRC_OK) return status;
    run->resumed = true;
    run->live->sampled = false;
    if (run->extension.found || run->extension.recording) status = run_write_checkpoint(run, error);
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

MrcStatus run_claim_folder(Run *run, MrcError *error) {
    const char *folder = run->options.folder;
    if (!folder) return MRC_OK;
    if (*folder == '\0') return error_set(error, MRC_FOLDER, "its name is empty");
    if (strlen(folder) > 700) return error_set(error, MRC_FOLDER, "its name is too long: '%.60s...'", folder);
    if (file_make_folder(folder, error) != MRC_OK) return error->status = MRC_FOLDER;
    return folder_lock(&run->lock, folder, error);
}

MrcStatus run_extend(Run *run, MrcError *error) {
    MrcStatus status = extend_find(run->model, run->options.folder, &run->log, &run->extension, error);
    if (run->extension.model) run->model = run->extension.model;
    run->definition = model_definition(run->model);
    return status;
}

MrcStatus run_open_folder(Run *run, MrcError *error) {
    const RunColumns *columns = &run->columns;
    MrcStatus status = run_list_columns(run, &run->columns, error);
    if (status != MRC_OK || !run->options.folder) return status;
    frames_start(&run->frames, run->options.folder);
    if (run->options.resume && run_folder_holds(run, "checkpoint.h5")) return run_resume(run, columns, error);
    if (run->options.resume)
        log_note(&run->log, "%s holds no checkpoint yet: starting from the beginning", run->options.folder);
    status = result_size_check(run->sim, run->options.folder, error);
    return status == MRC_OK ? run_start_anew(run, columns, error) : status;
}
