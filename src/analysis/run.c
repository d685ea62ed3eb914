// One run: from a model to results. mrc_run at the end calls, in their order, the functions above it.
#include <stdio.h>
#include <stdlib.h>

#include "analysis/advise.h"
#include "analysis/lumped.h"
#include "analysis/run.h"
#include "base/json.h"
#include "base/threads.h"
#include "base/timer.h"
#include "output/bed_file.h"
#include "output/page.h"
#include "output/report.h"
#include "output/spectra_file.h"
#include "output/summary.h"
#include "output/verdict.h"

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

// Warnings of the model file belong in the summary; the caller has shown them after loading.
static void run_take_model_warnings(Run *run) {
    for (int i = 0; i < mrc_model_diagnostic_count(run->model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(run->model, i);
        char *text = NULL, place[32] = ""; // what was set from outside has no line
        if (d->line > 0) snprintf(place, sizeof place, ":%d:%d", d->line, d->column);
        if (!d->warning || asprintf(&text, "%s%s: %s", d->file, place, d->text) < 0) continue;
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

// ---- the simulation ------------------------------------------------------------------------------
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

// Once, when a row is recorded.
static void run_warn_meeting(Run *run) {
    const Beds *beds = run->sim->beds;
    for (int b = 1; b < beds->count; b++)
        for (int a = 0; a < b; a++) {
            if (run->warned_meeting || !beds_meet(beds, a, b)) continue;
            run->warned_meeting = true;
            log_warning(
                &run->log,
                "at t = %.6g s, grains of '%s' and '%s' are in the same place: grains of different beds "
                "do not touch each other; put all grains into one bed, 'particles: [{...}, {...}]', or "
                "keep the beds apart",
                clock_time(&run->sim->clock), beds->items[a].definition->name,
                beds->items[b].definition->name);
        }
}

static MrcStatus run_record_row(Run *run, MrcError *error) {
    const Recorder *recorder = &run->sim->recorder;
    MrcStatus status = live_sample(run->live, error);
    if (status == MRC_OK) sim_tally(run->sim);
    if (status == MRC_OK) run_warn_meeting(run);
    if (status != MRC_OK || (!run->series && !run->options.row)) return status;
    run->row[0] = clock_time(&run->sim->clock);
    for (size_t c = 0; c < recorder->column_count; c++)
        run->row[c + 1] = *recorder->signals.signals.data[recorder->columns[c]].value;
    MrcRow row = {run->columns.names, run->columns.units, run->row, run->columns.count};
    if (run->options.row) run->options.row(run->options.user, &row);
    return run->series ? series_append(run->series, run->row, error) : MRC_OK;
}

// Once: a run that is extended goes on from a state whose last period is in the file.
static MrcStatus run_record_periods(Run *run, MrcError *error) {
    Periods *periods = &run->sim->periods;
    double values[period_column_count];
    if (!run->periods || run->sim->clock.now == 0 || periods->row_step != run->sim->clock.now) return MRC_OK;
    for (int c = 0; c < period_column_count; c++)
        values[c] = *(const double *)((const char *)&periods->row + period_columns[c].offset);
    periods->row_step = 0;
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

// What `maraca advise` says of stiff directions, in its words: heavy grains there, energies that swing. It holds from the
// start on.
static void run_warn_stiff(Run *run) {
    const Coupling *coupling = &run->sim->coupling;
    const SchemeType *scheme = coupling->scheme;
    const SimDefinition *d = run->definition;
    bool jumps = scheme->needs_mobility && !scheme->needs_euler, stiff = jumps && advise_stiff_is_possible(d),
         swings = false;
    for (int g = 0; g < d->grains_count && jumps; g++)
        swings = swings || advise_contacts_are_undamped(d, &d->grains[g]);
    if (coupling->yielding == 0 || !(stiff || swings || scheme->needs_euler)) return;
    Arena *arena = arena_create();
    Advice advice;
    MrcError ignored;
    if (arena && advise_model(run->model, arena, &advice, &ignored) == MRC_OK)
        for (int p = 0; p < advice.coupling.count; p++) {
            char text[400];
            const PortAdvice *port = &advice.coupling.ports[p];
            if ((stiff && advise_stiff_words(port, text, sizeof text)) ||
                (swings && advise_contact_words(port, text, sizeof text)) ||
                advise_swing_words(port, scheme, text, sizeof text))
                log_warning(&run->log, "port '%s': %s", port->name, text);
        }
    if (arena) arena_destroy(arena);
}

// Once; the report says how many there were, and the worst one is kept.
static void run_warn_unsolved(Run *run) {
    const World *world = run->sim->beds->world;
    if (run->warned_unsolved || world_counts(world).unsolved == 0) return;
    run->warned_unsolved = true;
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
            if (run->warned_findings[p][f] ||
                !monitor_message(&port->monitor, f, port->name, coupling->scheme->instead, text, sizeof text))
                continue;
            run->warned_findings[p][f] = true;
            log_warning(&run->log, "at t = %.6g s, %s", clock_time(&run->sim->clock), text);
        }
}

static MrcStatus run_simulate(Run *run, MrcError *error) {
    for (;;) {
        MrcStatus status = run_write_what_is_due(run, error);
        if (status == MRC_OK && run->options.step && !run->finished_before)
            status = run->options.step(run->options.user, run->live, error);
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
// The comparison is optional: a run whose grains cannot be lumped is complete without it.
static bool run_without_grains(Run *run, PortAmplitude *lumped) {
    MrcError why;
    if (!run->options.without_grains) return false;
    if (run->sim->coupling.yielding == 0 || run->definition->grains_count == 0) {
        log_note(&run->log, "there are no grains on a mechanism in this model, nothing to compare with");
        return false;
    }
    char path[1100];
    run_path(run, "without-grains.csv", path, sizeof path);
    if (lumped_run(run->sim, run->series ? path : NULL, lumped, run->options.stop, &why) == MRC_OK)
        return true;
    log_warning(&run->log, "without grains: %s", why.text);
    return false;
}

// Before the summary: a run that was killed between the two writes both again.
static MrcStatus run_write_page(const Run *run, const MrcRunInfo *info, MrcError *error) {
    const PageItem items[] = {{"summary", info->summary, false}, {"report", info->report, true}};
    return run->options.without_report ? MRC_OK : page_write_report(run->options.folder, items, 2, error);
}

// The grains at the end, if the model asks for them.
static MrcStatus run_write_beds(Run *run, MrcError *error) {
    MrcStatus status = MRC_OK;
    char name[300], path[1100];
    if (!run->definition->record.end) return MRC_OK;
    status = sim_measure(run->sim, error);
    for (int b = 0; b < run->sim->beds->count && status == MRC_OK; b++) {
        snprintf(name, sizeof name, "end-%s.csv", run->sim->beds->items[b].definition->name);
        status = bed_file_write(run_path(run, name, path, sizeof path), &run->sim->beds->items[b], error);
    }
    return status;
}

// The impact energy spectra, if a bed keeps them.
static MrcStatus run_write_spectra(const Run *run, MrcError *error) {
    char path[1100];
    bool any = false;
    for (int b = 0; b < run->definition->grains_count; b++)
        any = any || run->definition->grains[b].spectra.given;
    return any ? spectra_file_write(run_path(run, "spectra.csv", path, sizeof path), run->sim->beds, error)
               : MRC_OK;
}

static MrcStatus run_check_growth(const Run *run, MrcError *error) {
    const Coupling *coupling = &run->sim->coupling;
    char instead[200];
    if (coupling->yielding == 0) return verdict_check_growth(&run->sim->ledger, NULL, error);
    snprintf(instead, sizeof instead,
             "%s ('maraca advise' says how schemes do at the mass ratio of each port)",
             coupling->scheme->instead);
    return verdict_check_growth(&run->sim->ledger, instead, error);
}

static MrcStatus run_finish(Run *run, MrcStatus outcome, MrcRunInfo *info, MrcError *error) {
    double wall = run->finished_before ? 0 : timer_wall() - run->start_wall;
    double cpu = run->finished_before ? 0 : timer_cpu() - run->start_cpu;
    PortAmplitude lumped[CONTAINERS_MAX];
    bool has_lumped = outcome == MRC_OK && run_without_grains(run, lumped);
    if (outcome == MRC_OK) verdict_warn(&run->sim->ledger, &run->log);
    if (outcome == MRC_OK) outcome = run_check_growth(run, error);
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
    if (status == MRC_OK && outcome == MRC_OK) status = run_write_beds(run, &late);
    if (status == MRC_OK) status = run_write_spectra(run, &late);
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
        run_warn_stiff(&run);
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
