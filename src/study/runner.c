// Runs the points of a study side by side, and keeps what they give.
//
//     FOLDER/plan.json                 the points and beds, as planned by the last process that worked here
//     FOLDER/study.csv, study.json     the table, rewritten as results come
//     FOLDER/report.html               the same for the browser, rewritten less often
//     FOLDER/points/KEY/result.json    the result of one run; KEY is the hash of its model and of the kind of study
//     FOLDER/points/KEY/run.lock       a process is at it; vanishes with the process
//     FOLDER/points/KEY/run            the run itself, while it lasts (with `keep`, afterwards too; of a map, its report)
//
// Runs are threads of one process, one thread each: simulations side by side give the same bits as alone
// (tests/sim/test_two_at_once.c), they share tables of constants and settled beds, and one process has one progress. Two
// processes, on one machine or on several that see the same folder, share a study by the locks alone. A result depends on
// its model only, and the table on the results only, so that it is the same however they came about.
//
// With `until`, bed k of a point is run when the beds before it have results and their interval is still too wide: which
// runs there are does not depend on which process is quickest either.
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/threads.h"
#include "base/timer.h"
#include "model/model.h"
#include "output/page.h"
#include "study/folder.h"
#include "study/picture.h"
#include "study/table.h"

typedef enum TaskState {
    TASK_OPEN,
    TASK_MINE,      // a thread of this process runs it
    TASK_ELSEWHERE, // another process was running it at the last look
    TASK_DONE
} TaskState;

typedef struct Runner {
    const StudyPlan *plan;
    MrcStudyOptions options;
    Arena *arena;
    StudyTable table;
    StudyResult *results;  // point by point, `beds` of each
    TaskState *states;     // likewise
    _Atomic double *parts; // likewise: of a running task, the part that is done
    char *
        narrow; // likewise: is the interval of the beds before this one narrow? 'y', 'n', or 0: not judged yet
    int beds, first_beds; // per point: at most, and in any case
    pthread_mutex_t mutex;
    bool ended;      // no thread is to take another task
    MrcError error;  // of the study, not of a run
    int running;     // tasks of this process
    int active;      // threads that have not ended
    int finished;    // runs of this process, for the time left
    bool changed;    // there are results that the table on disk does not have
    double start;    // wall clock [s]
    double page_due; // wall clock at which report.html is written again [s]
} Runner;

static size_t runner_task(const Runner *r, int point, int bed) {
    return (size_t)point * (size_t)r->beds + (size_t)bed;
}

static bool runner_stops(const Runner *r) { return r->ended || (r->options.stop && *r->options.stop); }

// Ends the study for a reason that is not that of a run. The first one counts.
static void runner_end(Runner *r, const MrcError *error) {
    pthread_mutex_lock(&r->mutex);
    if (r->error.status == MRC_OK) r->error = *error;
    r->ended = true;
    pthread_mutex_unlock(&r->mutex);
}

// ---- one run -------------------------------------------------------------------------------------
static MrcModel *runner_load(const Runner *r, const StudyPoint *point, int bed, MrcError *error) {
    Arena *arena = arena_create();
    const MrcStudyOptions *o = &r->options;
    const char *seeds[STUDY_BED_OVERRIDES_MAX];
    MrcModel *model = NULL;
    int count = o->override_count + point->override_count, seed_count = 0;
    const char **all =
        arena ? arena_alloc(arena, (size_t)(count + STUDY_BED_OVERRIDES_MAX) * sizeof *all) : NULL;
    for (int i = 0; all && i < count; i++)
        all[i] = i < o->override_count ? o->overrides[i] : point->overrides[i - o->override_count];
    if (all) model = mrc_model_load(r->plan->model_path, all, count);
    if (model && mrc_model_status(model) == MRC_OK && bed > 0) {
        study_bed_overrides(model, bed, arena, seeds, &seed_count);
        for (int i = 0; i < seed_count; i++) all[count + i] = seeds[i];
        mrc_model_free(model);
        model = mrc_model_load(r->plan->model_path, all, count + seed_count);
    }
    arena_destroy(arena);
    if (!model) error_memory(error, "the model");
    return model;
}

// What is wrong with a model, as one sentence.
static MrcStatus runner_model_error(const MrcModel *model, MrcError *error) {
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(model, i);
        char place[48] = "";
        if (d->warning) continue;
        if (d->line > 0) snprintf(place, sizeof place, ":%d:%d", d->line, d->column);
        return error_set(error, mrc_model_status(model), "%s%s: %s", d->file, place, d->text);
    }
    return error_set(error, mrc_model_status(model), "the model has errors");
}

static uint64_t runner_key(const StudyPlan *plan, const MrcModel *model) {
    uint64_t parts[2] = {plan->identity, model_hash(model)};
    uint64_t hash = hash_bytes(HASH_START, plan->kind, strlen(plan->kind));
    hash = hash_bytes(hash, MARACA_VERSION, sizeof MARACA_VERSION);
    return hash_bytes(hash, parts, sizeof parts);
}

static int runner_remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static int runner_remove_but_report(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status, (void)kind;
    if (at->level == 0 || (at->level == 1 && strcmp(path + at->base, "report.html") == 0)) return 0;
    return remove(path);
}

// Reports that are kept without being asked for: of first beds, while all of them together take at most 100 MB.
enum { RUNNER_REPORTS = 64, RUNNER_REPORTS_MB = 100, RUNNER_PAGE_KB = 1200 }; // the page itself, without data
static bool runner_keeps_report(const Runner *r, int bed) {
    return r->plan->reports && bed == 0 && r->plan->point_count <= RUNNER_REPORTS;
}

static void runner_keep_report(const Runner *r, const char *folder) {
    char path[1200];
    double share = 1e3 * RUNNER_REPORTS_MB / r->plan->point_count; // [kB]
    struct stat found;
    MrcError ignored;
    snprintf(path, sizeof path, "%s/report.html", folder);
    if (stat(path, &found) == 0 && (double)found.st_size > 1e3 * share)
        page_write(path, folder, NULL, 0, 1e3 * (share - RUNNER_PAGE_KB), &ignored);
    nftw(folder, runner_remove_but_report, 16, FTW_DEPTH | FTW_PHYS);
}

// Of the user, the disk or the machine, not of the run.
static bool runner_ends_all(MrcStatus status) {
    return status == MRC_INTERRUPTED || status == MRC_MEMORY || status == MRC_WRITE_FAILED ||
           status == MRC_FOLDER;
}

// Runs it, and writes the result.
static MrcStatus runner_work(Runner *r, const StudyJob *job, const char *path, StudyResult *result,
                             MrcError *error) {
    Arena *arena = arena_create();
    FactList facts;
    MrcError own = {0};
    if (!arena) return error_memory(error, "the results");
    fact_list_start(&facts, arena);
    MrcStatus status = r->plan->run(job, &facts, &own);
    if (status == MRC_CHECKPOINT) { // left behind by another build of the program: begin anew
        nftw(job->folder, runner_remove_one, 16, FTW_DEPTH | FTW_PHYS);
        fact_list_free(&facts);
        fact_list_start(&facts, arena);
        status = r->plan->run(job, &facts, &own);
    }
    if (status == MRC_OK && facts.incomplete) status = error_memory(&own, "the results");
    bool whole = status == MRC_OK,
         lines = r->plan->row_count > 0; // of one that failed, some lines may be there
    if (runner_ends_all(status)) {
        *error = own;
    } else if (study_result_take(result, status, whole || lines ? &facts : NULL, &own) != MRC_OK) {
        status = error_memory(error, "the results");
    } else {
        status = study_result_write(result, path, error);
        if (status == MRC_OK && job->keep && !r->options.keep) runner_keep_report(r, job->folder);
        else if (status == MRC_OK && !r->options.keep &&
                 (whole || !lines)) // --retry goes on with the next line
            nftw(job->folder, runner_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    fact_list_free(&facts);
    arena_destroy(arena);
    return status;
}

// A result that is there, or a run of its own. *state: what became of the task.
static MrcStatus runner_do(Runner *r, int point, int bed, StudyResult *result, TaskState *state, bool *ran,
                           MrcError *error) {
    char folder[1024], path[1100], run[1100];
    MrcModel *model = runner_load(r, &r->plan->points[point], bed, error);
    if (!model) return MRC_MEMORY;
    MrcError own = {0};
    *state = TASK_DONE;
    if (mrc_model_status(model) != MRC_OK) { // such a point needs no file: it is found out at once
        MrcStatus wrong = runner_model_error(model, &own);
        mrc_model_free(model);
        return study_result_take(result, wrong, NULL, &own) == MRC_OK ? MRC_OK
                                                                      : error_memory(error, "the results");
    }
    uint64_t key = runner_key(r->plan, model);
    snprintf(folder, sizeof folder, "%s/points/%016llx", r->options.folder, (unsigned long long)key);
    snprintf(path, sizeof path, "%s/result.json", folder);
    snprintf(run, sizeof run, "%s/run", folder);
    bool there = study_result_read(result, path);
    if (there && result->status != MRC_OK && r->options.retry) study_result_free(result), there = false;
    FolderLock lock = {.file = -1};
    MrcStatus status = there ? MRC_OK : file_make_part(folder, error);
    if (!there && status == MRC_OK) status = file_refuse_link(run, error);
    if (!there && status == MRC_OK && folder_lock(&lock, folder, &own) != MRC_OK) {
        *state = TASK_ELSEWHERE;
        if (own.status != MRC_FOLDER || access(folder, W_OK) != 0) *error = own, status = own.status;
    } else if (!there && status == MRC_OK) {
        // It may have been finished between the check and the lock.
        if (r->options.retry || !study_result_read(result, path)) {
            StudyJob job = {r->plan,
                            &r->plan->points[point],
                            bed,
                            model,
                            run,
                            r->options.stop,
                            r->options.keep || runner_keeps_report(r, bed),
                            &r->parts[runner_task(r, point, bed)]};
            status = runner_work(r, &job, path, result, error);
            *ran = true;
        }
        folder_unlock(&lock);
    }
    result->key = key;
    mrc_model_free(model);
    return status;
}

// ---- which runs there are ------------------------------------------------------------------------
static bool runner_is_of_slot(const Runner *r, int point) {
    return r->options.slots <= 0 || point % r->options.slots == r->options.slot - 1;
}

// Is this bed needed, by the results so far? Under the mutex.
static bool runner_is_wanted(const Runner *r, int point, int bed) {
    if (bed < r->first_beds || bed < r->plan->points[point].beds) return true;
    for (int b = 0; b < bed; b++)
        if (!r->results[runner_task(r, point, b)].arena) return false;
    if (!(r->options.until > 0) || !r->table.measures) return false;
    char *narrow = &r->narrow[runner_task(r, point, bed)]; // those results do not change any more
    if (!*narrow) *narrow = study_table_is_narrow(&r->table, point, bed) ? 'y' : 'n';
    return *narrow == 'n';
}

typedef struct RunnerCounts {
    int planned, done, failed;
    bool left; // this process has something to do or to wait for
} RunnerCounts;

static RunnerCounts runner_count(const Runner *r) {
    RunnerCounts counts = {0};
    for (int p = 0; p < r->plan->point_count; p++)
        for (int b = 0; b < r->beds && runner_is_wanted(r, p, b); b++) {
            const StudyResult *result = &r->results[runner_task(r, p, b)];
            counts.planned++;
            counts.done += result->arena != NULL;
            counts.failed += result->arena && result->status != MRC_OK;
            counts.left = counts.left || (!result->arena && runner_is_of_slot(r, p));
        }
    return counts;
}

// Bed by bed, so that every point has a first value early. False: there is nothing to take now.
static bool runner_take(Runner *r, bool elsewhere, int *point, int *bed) {
    for (*bed = 0; *bed < r->beds; (*bed)++)
        for (*point = 0; *point < r->plan->point_count; (*point)++) {
            TaskState *state = &r->states[runner_task(r, *point, *bed)];
            if (*state != TASK_OPEN && !(elsewhere && *state == TASK_ELSEWHERE)) continue;
            if (!runner_is_of_slot(r, *point) || !runner_is_wanted(r, *point, *bed)) continue;
            *state = TASK_MINE;
            r->running++;
            return true;
        }
    return false;
}

static void runner_pause(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&time, NULL);
}

static void *runner_thread(void *user) {
    Runner *r = user;
    double looked = 0;
    for (;;) {
        int point, bed;
        bool elsewhere = !r->options.leave && timer_wall() - looked > 0.5;
        pthread_mutex_lock(&r->mutex);
        bool taken = !runner_stops(r) && runner_take(r, elsewhere, &point, &bed);
        bool over = runner_stops(r) || (!taken && (r->options.leave || !runner_count(r).left));
        r->active -= over;
        pthread_mutex_unlock(&r->mutex);
        if (over) return NULL;
        if (!taken) {
            runner_pause(0.02);
            continue;
        }
        StudyResult result = {0};
        TaskState state = TASK_OPEN;
        bool ran = false;
        MrcError error = {0};
        MrcStatus status = runner_do(r, point, bed, &result, &state, &ran, &error);
        if (state == TASK_ELSEWHERE) looked = timer_wall();
        if (status != MRC_OK) runner_end(r, &error), state = TASK_OPEN, study_result_free(&result);
        pthread_mutex_lock(&r->mutex);
        if (state == TASK_DONE)
            r->results[runner_task(r, point, bed)] = result, r->changed = true, r->finished += ran;
        r->states[runner_task(r, point, bed)] = state;
        r->running--;
        MrcError wrong = {0};
        status = study_table_choose(&r->table, r->arena, &wrong);
        r->ended = r->ended || status != MRC_OK;
        pthread_mutex_unlock(&r->mutex);
        if (status != MRC_OK) runner_end(r, &wrong);
    }
}

// ---- files ---------------------------------------------------------------------------------------
// Files that all processes write are written under the lock of the folder. False: another one holds it.
static bool runner_lock(const Runner *r, FolderLock *lock, bool patient) {
    MrcError ignored;
    lock->file = -1;
    for (int tries = 0; tries < (patient ? 1500 : 1);
         tries++) { // half a minute: a table is written in milliseconds
        if (folder_lock(lock, r->options.folder, &ignored) == MRC_OK) return true;
        runner_pause(0.02);
    }
    return false;
}

static MrcStatus runner_write(const Runner *r, const char *name, const char *text, MrcError *error) {
    FileWriter writer;
    char path[1100];
    if (!text) return error_memory(error, "the table");
    snprintf(path, sizeof path, "%s/%s", r->options.folder, name);
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fputs(text, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus runner_write_plan(const Runner *r, MrcError *error) {
    Json json = {.indent = 2};
    json_object_begin(&json);
    json_member_string(&json, "study", r->plan->kind);
    json_member_string(&json, "model", r->plan->model_path);
    json_member_integer(&json, "beds", r->beds);
    json_key(&json, "overrides");
    json_array_begin(&json);
    for (int i = 0; i < r->options.override_count; i++) json_string(&json, r->options.overrides[i]);
    json_array_end(&json);
    json_key(&json, "points");
    json_array_begin(&json);
    for (int p = 0; p < r->plan->point_count; p++) {
        json_array_begin(&json);
        for (int i = 0; i < r->plan->points[p].override_count; i++)
            json_string(&json, r->plan->points[p].overrides[i]);
        json_array_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    FolderLock lock;
    runner_lock(r, &lock, true);
    MrcStatus status = runner_write(r, "plan.json", json_text(&json), error);
    folder_unlock(&lock);
    json_free(&json);
    return status;
}

// Results of others, as far as they are there.
static void runner_read_others(Runner *r) {
    MrcError ignored;
    for (int p = 0; p < r->plan->point_count; p++)
        for (int b = 0; b < r->beds; b++) {
            StudyResult *result = &r->results[runner_task(r, p, b)];
            char path[1100];
            if (result->arena || !runner_is_wanted(r, p, b)) continue;
            MrcModel *model = runner_load(r, &r->plan->points[p], b, &ignored);
            if (model && mrc_model_status(model) == MRC_OK) {
                uint64_t key = runner_key(r->plan, model);
                snprintf(path, sizeof path, "%s/points/%016llx/result.json", r->options.folder,
                         (unsigned long long)key);
                if (study_result_read(result, path)) study_table_choose(&r->table, r->arena, &ignored);
                result->key = key;
            } else if (model) {
                MrcStatus wrong = runner_model_error(model, &ignored);
                study_result_take(result, wrong, NULL, &ignored);
            }
            mrc_model_free(model);
        }
}

// While runs go on, a hundredth of the time at most goes into it.
static MrcStatus runner_write_page(Runner *r, bool last, const char *report, MrcError *error) {
    const PageItem items[] = {{"report", report, true}};
    double start = timer_wall();
    if (!last && start < r->page_due) return MRC_OK;
    MrcStatus status = page_write_report(r->options.folder, items, 1, error);
    r->page_due = timer_wall() + fmax(5, 100 * (timer_wall() - start));
    return status;
}

// The table as it stands. At the end with the results of others read anew: the last one of several processes to write has
// seen them all.
static MrcStatus runner_write_table(Runner *r, bool last, MrcStudy *study, MrcError *error) {
    FolderLock lock;
    if (!runner_lock(r, &lock, last) && !last) return MRC_OK; // another time
    pthread_mutex_lock(&r->mutex);
    if (last) runner_read_others(r);
    RunnerCounts counts = runner_count(r);
    MrcFacts *facts = study_table_facts(&r->table, counts.planned);
    char *json = facts ? json_of_facts(&facts->list) : NULL, *csv = study_table_csv(&r->table);
    char *report = last ? study_table_report(&r->table, counts.planned, r->options.folder) : NULL;
    r->changed = false;
    pthread_mutex_unlock(&r->mutex);
    MrcStatus status = runner_write(r, "study.json", json, error);
    if (status == MRC_OK) status = runner_write(r, "study.csv", csv, error);
    if (status == MRC_OK && last && r->plan->finish && r->table.measures)
        status = r->plan->finish(r->plan, &r->table, r->options.folder, error);
    bool made = true;
    if (status == MRC_OK && last && !r->plan->unfinished)
        status = picture_write(&r->table, r->options.folder, &made, error);
    if (!made && r->options.message) r->options.message(r->options.user, false, picture_missing);
    if (status == MRC_OK) status = runner_write_page(r, last, report, error);
    folder_unlock(&lock);
    free(csv);
    if (last) *study = (MrcStudy){r->plan->point_count, counts.done, counts.failed, facts, report, json};
    else mrc_facts_free(facts), free(json);
    return status;
}

// ---- the whole -----------------------------------------------------------------------------------
static void runner_tell(Runner *r) {
    pthread_mutex_lock(&r->mutex);
    RunnerCounts counts = runner_count(r);
    MrcStudyProgress now = {.done = counts.done,
                            .failed = counts.failed,
                            .planned = counts.planned,
                            .running = r->running,
                            .elapsed = timer_wall() - r->start,
                            .left = NAN};
    for (int i = 0; i < r->plan->point_count * r->beds; i++)
        if (r->states[i] == TASK_MINE) now.running_done += r->parts[i];
    double own = r->finished + now.running_done;
    pthread_mutex_unlock(&r->mutex);
    // Before the first result only once runs are far enough for their pace to be known.
    if (r->finished > 0 || own > 0.05)
        now.left = now.elapsed / own * (counts.planned - counts.done - now.running_done);
    if (r->options.progress) r->options.progress(r->options.user, &now);
}

static MrcStatus runner_supervise(Runner *r, MrcError *error) {
    int count = r->options.threads > 0 ? r->options.threads : threads_available(), started = 0;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (!threads) return error_memory(error, "the threads");
    r->active = count;
    for (; started < count; started++)
        if (pthread_create(&threads[started], NULL, runner_thread, r) != 0) break;
    pthread_mutex_lock(&r->mutex);
    r->active -= count - started;
    pthread_mutex_unlock(&r->mutex);
    MrcStatus status = started > 0 ? MRC_OK : error_memory(error, "a thread");
    double told = 0, written = timer_wall();
    for (bool left = started > 0; left;) {
        runner_pause(0.02);
        pthread_mutex_lock(&r->mutex);
        left = !runner_stops(r) && r->active > 0;
        bool changed = r->changed;
        pthread_mutex_unlock(&r->mutex);
        if (timer_wall() - told > 0.2) runner_tell(r), told = timer_wall();
        if (changed && left && timer_wall() - written > 1) {
            status = runner_write_table(r, false, NULL, error);
            written = timer_wall();
            if (status != MRC_OK) runner_end(r, error), left = false;
        }
    }
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    bool stopped = (r->options.stop && *r->options.stop) || r->error.status == MRC_INTERRUPTED;
    if (status == MRC_OK && r->error.status != MRC_OK && !stopped)
        *error = r->error, status = r->error.status;
    if (status == MRC_OK && stopped)
        status = error_set(error, MRC_INTERRUPTED, "the same study with the same folder goes on from there");
    return status;
}

// A typo in a path is wrong at every point; a value that does not fit is wrong at some, which then fail.
static MrcStatus runner_check_models(const Runner *r, MrcError *error) {
    MrcError first = {0};
    for (int p = 0; p < r->plan->point_count; p++) {
        MrcModel *model = runner_load(r, &r->plan->points[p], 0, error);
        if (!model) return MRC_MEMORY;
        bool good = mrc_model_status(model) == MRC_OK, random = true;
        if (good && r->beds > 1) {
            Arena *arena = arena_create();
            const char *seeds[STUDY_BED_OVERRIDES_MAX];
            int count;
            random = !arena || study_bed_overrides(model, 0, arena, seeds, &count);
            arena_destroy(arena);
        } else if (!good && first.status == MRC_OK) runner_model_error(model, &first);
        mrc_model_free(model);
        if (!random)
            return error_set(
                error, MRC_USAGE,
                "nothing in the model is random, so that all beds would be the same; pack the grains with "
                "'packing: settle' or 'random', or leave out --beds and --until");
        if (good) return MRC_OK;
    }
    *error = first;
    return first.status;
}

static MrcStatus runner_check_options(const MrcStudyOptions *o, MrcError *error) {
    if (!o->folder) return error_set(error, MRC_USAGE, "a study needs a folder");
    if (o->slots < 0 || (o->slots > 0 && (o->slot < 1 || o->slot > o->slots)))
        return error_set(error, MRC_USAGE, "there is no slot %d of %d", o->slot, o->slots);
    if (!(o->until >= 0) || o->until >= 1)
        return error_set(error, MRC_USAGE, "'until' is a part of the mean, such as 5%%, not %g", o->until);
    if (o->until > 0 && o->measure_count == 0)
        return error_set(error, MRC_USAGE,
                         "of which measures shall the interval be narrow? Name them with --measure");
    if (o->beds < 0 || o->budget < 0 || (o->until > 0 && o->budget > 0 && o->budget < 3))
        return error_set(error, MRC_USAGE, "an interval needs at least 3 beds");
    return MRC_OK;
}

static MrcStatus runner_open(Runner *r, MrcError *error) {
    const MrcStudyOptions *o = &r->options;
    char points[1100];
    r->first_beds = o->beds > 0 ? o->beds : 1;
    if (o->until > 0 && r->first_beds < 3) r->first_beds = 3;
    r->beds = o->until > 0 ? (o->budget > 0 ? o->budget : 20) : r->first_beds;
    if (r->beds < r->first_beds) r->beds = r->first_beds;
    for (int p = 0; p < r->plan->point_count; p++)
        if (r->beds < r->plan->points[p].beds) r->beds = r->plan->points[p].beds;
    size_t tasks = (size_t)r->plan->point_count * (size_t)r->beds;
    r->arena = arena_create();
    r->results = calloc(tasks, sizeof *r->results);
    r->states = calloc(tasks, sizeof *r->states);
    r->parts = calloc(tasks, sizeof *r->parts);
    r->narrow = calloc(tasks, 1);
    if (!r->arena || !r->results || !r->states || !r->parts || !r->narrow)
        return error_memory(error, "the runs");
    r->table = (StudyTable){.plan = r->plan, .options = &r->options, .results = r->results, .beds = r->beds};
    MrcStatus status = study_folder_check(o->folder, r->plan->kind, error);
    if (status == MRC_OK) status = runner_check_models(r, error);
    snprintf(points, sizeof points, "%s/points", o->folder);
    if (status == MRC_OK) status = file_make_folder(o->folder, error);
    if (status == MRC_OK) status = file_make_part(points, error);
    return status == MRC_OK ? runner_write_plan(r, error) : status;
}

// All runs that there are failed, and none has a line of the table: so did the study.
static MrcStatus runner_outcome(const Runner *r, const MrcStudy *study, MrcError *error) {
    if (study->done == 0 || study->failed < study->done || r->table.measures) return MRC_OK;
    for (size_t i = 0; i < (size_t)r->plan->point_count * (size_t)r->beds; i++)
        if (r->results[i].arena)
            return error_set(error, r->results[i].status, "all %d runs failed; the first one: %.900s",
                             study->done, r->results[i].message ? r->results[i].message : "");
    return MRC_OK;
}

MrcStatus study_run(const StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study, MrcError *error) {
    Runner r = {.plan = plan,
                .options = mrc_study_options_default(),
                .mutex = PTHREAD_MUTEX_INITIALIZER,
                .start = timer_wall()};
    size_t size = options->size > 0 && options->size < sizeof *options ? options->size : sizeof *options;
    memcpy(&r.options, options, size);
    *study = (MrcStudy){0};
    MrcStatus status = runner_check_options(&r.options, error);
    if (status == MRC_OK) status = runner_open(&r, error);
    if (status == MRC_OK) {
        MrcError late = {0};
        status = runner_supervise(&r, error);
        MrcStatus written = runner_write_table(&r, true, study, &late);
        if (status == MRC_OK && written != MRC_OK) *error = late, status = written;
        if (status == MRC_OK) status = runner_outcome(&r, study, error);
    }
    for (size_t i = 0; r.results && i < (size_t)plan->point_count * (size_t)r.beds; i++)
        study_result_free(&r.results[i]);
    free(r.results);
    free(r.states);
    free(r.parts);
    free(r.narrow);
    if (r.arena) arena_destroy(r.arena);
    pthread_mutex_destroy(&r.mutex);
    return status;
}

void mrc_study_free(MrcStudy *study) {
    mrc_facts_free(study->facts);
    mrc_text_free(study->report);
    mrc_text_free(study->json);
    *study = (MrcStudy){0};
}
