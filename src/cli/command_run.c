// maraca run: simulate a model and write its result folder.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/live_page.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/waiting.h"

typedef struct RunWords {
    const char *model, *folder, *until;
    OptionList overrides;
    int threads;
    int64_t problems;
    bool resume, without_grains, no_report, open, live, quiet, json;
} RunWords;

#define RUN_OPTIONS(w)                                                                                         \
    {                                                                                                          \
        {"--output",  "-o",         "DIR",                                                                     \
         OPTION_TEXT, &(w)->folder, "folder for the results; default: the model's name + .run"},               \
            {"--set",         NULL,                                                                            \
             "PATH=VALUE",    OPTION_LIST,                                                                     \
             &(w)->overrides, "change one value of the model: --set simulate.step='1 us'"},                    \
            {"--threads", NULL, "N", OPTION_COUNT, &(w)->threads, "threads to use; default: all cores"},       \
            {"--resume", NULL, NULL, OPTION_FLAG, &(w)->resume, "continue from the folder's last checkpoint"}, \
            {"--until",   NULL,                                                                                \
             "TIME",      OPTION_TEXT,                                                                         \
             &(w)->until, "end there: --resume --until '5 s' extends a run; as --set simulate.duration=TIME"}, \
            {"--without-grains",                                                                               \
             NULL,                                                                                             \
             NULL,                                                                                             \
             OPTION_FLAG,                                                                                      \
             &(w)->without_grains,                                                                             \
             "compare with the mass of the grains fixed to the mechanism"},                                    \
            {"--problems",                                                                                     \
             NULL,                                                                                             \
             "N",                                                                                              \
             OPTION_STEPS,                                                                                     \
             &(w)->problems,                                                                                   \
             "keep the contact problem of every N-th step, in the folder problems/"},                          \
            {"--open", NULL, NULL, OPTION_FLAG, &(w)->open, "open report.html in the browser at the end"},     \
            {"--live", NULL, NULL, OPTION_FLAG, &(w)->live, "show the run in the browser while it goes on"},   \
            {"--no-report", NULL, NULL, OPTION_FLAG, &(w)->no_report, "write no report.html"},                 \
            {"--quiet",   "-q",        NULL,                                                                   \
             OPTION_FLAG, &(w)->quiet, "no progress, no report: errors and warnings only"},                    \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print summary.json instead of the report"},       \
    }
enum { run_option_count = 12 };

static void run_help(bool json) {
    RunWords words = {0};
    const Option options[run_option_count] = RUN_OPTIONS(&words);
    options_print_help(options, run_option_count, json);
}

// "models/damper.yaml" -> "damper.run", in the current folder.
static char *run_default_folder(const char *model) {
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *folder = malloc((size_t)length + 5);
    if (folder) sprintf(folder, "%.*s.run", length, name);
    return folder;
}

// By the desktop's own program for pages, which is left to itself.
static void run_open_page(const char *address) {
    pid_t child = fork();
    if (child == 0) {
        setsid();
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fprintf(stderr, "maraca run: cannot open %s by xdg-open (package xdg-utils); open it in a browser\n",
                address);
}

static void run_open_report(const char *folder) {
    char path[1100];
    snprintf(path, sizeof path, "%s/report.html", folder);
    run_open_page(path);
}

// ---- what is shown while it runs -----------------------------------------------------------------
typedef struct RunView {
    Progress progress; // on the terminal
    LivePage *live;    // in the browser; NULL: without --live
} RunView;

static void run_show_progress(void *user, const MrcProgress *now) {
    RunView *view = user;
    progress_show(&view->progress, now);
    if (view->live) live_page_progress(view->live, now);
}

static void run_show_message(void *user, bool warning, const char *text) {
    RunView *view = user;
    progress_message(&view->progress, warning, text);
}

// The address is printed even with --quiet: without it the page cannot be opened.
static bool run_start_live(RunView *view, const RunWords *words, const char *folder, MrcError *error) {
    if (!words->live) return true;
    view->live = live_page_start(folder, error);
    if (!view->live) return false;
    fprintf(stderr, "live at %s\n", live_page_address(view->live));
    if (words->open) run_open_page(live_page_address(view->live));
    return true;
}

static int run_model(const RunWords *words, const MrcModel *model, const char *folder) {
    RunView view = {.progress = progress_start(words->quiet)};
    MrcError error = {0};
    if (!run_start_live(&view, words, folder, &error)) return report_error("run", &error, words->json);
    MrcRunOptions options = mrc_run_options_default();
    options.folder = folder;
    options.threads = words->threads;
    options.resume = words->resume;
    options.without_grains = words->without_grains;
    options.problem_steps = words->problems;
    options.without_report = words->no_report;
    options.stop = &signals_stop;
    options.progress = run_show_progress;
    options.message = run_show_message;
    options.user = &view;
    signals_catch(view.progress.terminal && !words->quiet);
    MrcRunInfo info = {0};
    MrcStatus status = mrc_run(model, &options, &info, &error);
    progress_end(&view.progress);
    live_page_end(view.live, status == MRC_OK ? "The run is complete." : error.text);
    if (status == MRC_OK) {
        if (words->json) fputs(info.summary, stdout);
        else if (!words->quiet) fputs(info.report, stdout);
    } else if (words->json && info.summary) {
        fputs(info.summary, stdout);
        print_error("run", &error);
    } else {
        report_error("run", &error, words->json);
    }
    mrc_run_info_free(&info);
    if (status == MRC_OK && words->open && !words->no_report && !words->live) run_open_report(folder);
    return mrc_status_exit(status);
}

static int run_main(int word_count, char **words) {
    RunWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[run_option_count] = RUN_OPTIONS(&w);
    int status = 2;
    bool parsed = options_parse("run", word_count, words, options, run_option_count, &w.model, 1);
    if (parsed && w.live && w.no_report) {
        status = report_usage("run", w.json, "--live shows the report while it grows: not with --no-report");
    } else if (parsed) {
        if (w.threads != 1) waiting_begin();
        char *until = NULL;
        if (w.until && (until = malloc(strlen(w.until) + sizeof "simulate.duration=")))
            w.overrides.items[w.overrides.count++] = strcat(strcpy(until, "simulate.duration="), w.until);
        signals_end_at_once("run", w.json);
        MrcModel *model = load_model("run", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) {
            char *folder = w.folder ? strdup(w.folder) : run_default_folder(w.model);
            if (folder) status = run_model(&w, model, folder);
            else status = report_error("run", &(MrcError){MRC_MEMORY, "no memory left"}, w.json);
            free(folder);
            mrc_model_free(model);
        }
        free(until);
    }
    free(w.overrides.items);
    return status;
}

const Command command_run = {
    .name = "run",
    .arguments = "MODEL [options]",
    .doc = "simulate a model and write its result folder",
    .run = run_main,
    .help = run_help,
};
