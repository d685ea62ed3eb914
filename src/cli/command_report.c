// maraca report: the page for the browser from a result folder.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct ReportWords {
    const char *folder, *output;
    double budget;
    bool json;
} ReportWords;

#define REPORT_OPTIONS(w)                                                                                    \
    {                                                                                                        \
        {                                                                                                    \
            "--output",  "-o",         "FILE",                                                               \
            OPTION_TEXT, &(w)->output, "where to write it; report.html in the folder"},                      \
            {"--budget", NULL, "MB", OPTION_NUMBER, &(w)->budget, "how much data the page may hold; 20"},    \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { report_option_count = 3 };

static void report_help(bool json) {
    ReportWords words = {0};
    const Option options[report_option_count] = REPORT_OPTIONS(&words);
    options_print_help(options, report_option_count, json);
}

static int report_print(const ReportWords *w) {
    MrcReportOptions options = mrc_report_options_default();
    MrcError error;
    char path[1100];
    options.path = w->output;
    options.budget = w->budget * 1e6;
    if (mrc_report(w->folder, &options, &error) != MRC_OK) return report_error("report", &error, w->json);
    if (w->output) snprintf(path, sizeof path, "%s", w->output);
    else snprintf(path, sizeof path, "%s/report.html", w->folder);
    char *quoted = mrc_json_quoted(path);
    if (w->json && quoted) printf("{\"report\": %s}\n", quoted);
    else printf("%s\n", path);
    mrc_text_free(quoted);
    return 0;
}

static int report_main(int word_count, char **words) {
    ReportWords w = {.budget = 20};
    const Option options[report_option_count] = REPORT_OPTIONS(&w);
    if (!options_parse("report", word_count, words, options, report_option_count, &w.folder, 1)) return 2;
    if (!w.folder) return report_usage("report", w.json, "which result folder? See 'maraca help report'");
    return report_print(&w);
}

const Command command_report = {
    .name = "report",
    .arguments = "FOLDER [options]",
    .doc = "write the page of a result folder for the browser",
    .run = report_main,
    .help = report_help,
};
