#include "cli/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/slurm.h"

void study_words_allocate(StudyWords *w, int word_count) {
    w->overrides.items = calloc((size_t)word_count + 1, sizeof(char *));
    w->measures.items = calloc((size_t)word_count + 1, sizeof(char *));
}

void study_words_free(StudyWords *w) {
    free(w->overrides.items);
    free(w->measures.items);
}

// ---- progress ------------------------------------------------------------------------------------
typedef struct StudyProgress {
    bool quiet, terminal, shown;
    double last_line; // wall clock of the last plain line [s]
} StudyProgress;

static void study_clear(StudyProgress *progress) {
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}

static void study_show(void *user, const MrcStudyProgress *now) {
    StudyProgress *progress = user;
    char left[80] = "", failed[40] = "", part[40] = "", text[240];
    if (progress->quiet) return;
    if (isfinite(now->left)) {
        char duration[40];
        progress_duration_text(now->left, duration, sizeof duration);
        snprintf(left, sizeof left, ", %s left", duration);
    }
    if (now->failed > 0) snprintf(failed, sizeof failed, ", %d failed", now->failed);
    if (now->running_done > 0)
        snprintf(part, sizeof part, " (%.0f %% done)", 100 * now->running_done / now->running);
    snprintf(text, sizeof text, "%d of %d runs%s, %d running%s%s", now->done, now->planned, failed,
             now->running, part, left);
    if (progress->terminal) {
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        progress->shown = true;
    } else if (now->elapsed - progress->last_line >= 5 ||
               now->elapsed < progress->last_line) { // rounds begin anew
        fprintf(stderr, "%s\n", text);
        progress->last_line = now->elapsed;
    }
}

static void study_message(void *user, bool warning, const char *text) {
    StudyProgress *progress = user;
    if (progress->quiet && !warning) return;
    study_clear(progress);
    fprintf(stderr, "%s%s\n", warning ? "warning: " : "", text);
}

// ---- words ---------------------------------------------------------------------------------------
// "--measure a,b": each item of the list may hold several names. The texts are cut in place, in copies.
static char *study_split_measures(const StudyWords *w, const char ***names, int *count) {
    size_t length = 1, most = 1;
    *count = 0;
    for (int i = 0; i < w->measures.count; i++) length += strlen(w->measures.items[i]) + 1;
    char *all = calloc(length, 1);
    for (int i = 0; all && i < w->measures.count; i++) strcat(strcat(all, w->measures.items[i]), ",");
    for (const char *c = all; c && *c; c++) most += *c == ',';
    *names = all ? calloc(most, sizeof **names) : NULL;
    if (!*names) return all;
    char *rest = NULL;
    for (char *name = strtok_r(all, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        (*names)[(*count)++] = name;
    return all;
}

static bool study_read_percent(const char *text, double *part) {
    char *end;
    *part = strtod(text, &end);
    if (end == text) return false;
    while (*end == ' ') end++;
    if (*end == '%') *part /= 100, end++;
    return *end == '\0' && *part > 0 && *part < 1;
}

static bool study_read_slot(const char *text, int *slot, int *slots) {
    char rest;
    return sscanf(text, "%d/%d%c", slot, slots, &rest) == 2 && *slot >= 1 && *slot <= *slots;
}

static char *study_folder(const char *model, const char *command) {
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *folder = malloc((size_t)length + strlen(command) + 2);
    if (folder) sprintf(folder, "%.*s.%s", length, name, command);
    return folder;
}

// ---- the whole -----------------------------------------------------------------------------------
static int study_do(const char *command, const StudyWords *w, MrcStudyOptions *options,
                    StudyFunction function, const void *self) {
    const char *kind = getenv("TERM");
    StudyProgress progress = {.quiet = w->quiet || w->json,
                              .terminal = isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0)};
    MrcStudy study;
    MrcError error = {0};
    options->stop = &signals_stop;
    options->progress = study_show;
    options->message = study_message;
    options->user = &progress;
    signals_catch(progress.terminal && !w->quiet);
    MrcStatus status = function(self, w->model, options, &study, &error);
    study_clear(&progress);
    if (study.report) fputs(w->json ? study.json : study.report, stdout);
    if (status != MRC_OK && study.report) print_error(command, &error);
    else if (status != MRC_OK) report_error(command, &error, w->json);
    mrc_study_free(&study);
    return mrc_status_exit(status);
}

int study_main(const char *command, const StudyWords *w, StudyFunction function, const void *self) {
    MrcStudyOptions options = mrc_study_options_default();
    if (!w->model) return report_usage(command, w->json, "which MODEL? See 'maraca help %s'", command);
    if (w->until && !study_read_percent(w->until, &options.until))
        return report_usage(command, w->json, "--until is a percentage, such as 5%%, not '%s'", w->until);
    if (w->budget > 0 && !w->until)
        return report_usage(
            command, w->json,
            "--budget bounds the beds of --until P%%, which is missing; --beds %d runs so many", w->budget);
    if (w->slot && !study_read_slot(w->slot, &options.slot, &options.slots))
        return report_usage(command, w->json, "--slot is I/N with I from 1 to N, such as 2/4, not '%s'",
                            w->slot);
    if (w->leave && w->rounds)
        return report_usage(command, w->json, "what is run next depends on results: there is no --leave");
    signals_end_at_once(command, w->json);
    const char **measures = NULL;
    char *texts = study_split_measures(w, &measures, &options.measure_count);
    char *folder = w->folder ? strdup(w->folder) : study_folder(w->model, command);
    int status = mrc_status_exit(MRC_MEMORY);
    // The model as it is, so that its errors are printed with all their places.
    MrcModel *model = load_model(command, w->model, w->overrides.items, w->overrides.count, w->json);
    if (!model) status = 2;
    if (model && folder && measures) {
        mrc_model_free(model);
        options.folder = folder;
        options.overrides = w->overrides.items;
        options.override_count = w->overrides.count;
        options.measures = measures;
        options.threads = w->threads;
        options.beds = w->beds;
        options.budget = w->budget;
        options.keep = w->keep;
        options.retry = w->retry;
        options.leave = w->leave;
        status =
            w->slurm > 0 ? slurm_write(command, w, folder) : study_do(command, w, &options, function, self);
    }
    free(folder);
    free(texts);
    free(measures);
    return status;
}
