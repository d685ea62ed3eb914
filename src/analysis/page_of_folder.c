// The page of an old result folder: mrc_report.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "maraca/maraca.h"
#include "output/page.h"

MrcStatus mrc_report(const char *folder, const MrcReportOptions *options, MrcError *error) {
    MrcReportOptions used = mrc_report_options_default();
    MrcError own;
    char path[1100];
    struct stat found;
    if (!error) error = &own;
    if (options)
        memcpy(&used, options,
               options->size > 0 && options->size < sizeof used ? options->size : sizeof used);
    if (strlen(folder) > 700) return error_set(error, MRC_FOLDER, "its name is too long: '%.60s...'", folder);
    if (stat(folder, &found) != 0 || !S_ISDIR(found.st_mode))
        return error_set(error, MRC_FOLDER, "'%s' is no folder", folder);
    if (!page_folder_has_results(folder))
        return error_set(error, MRC_FOLDER, "'%s' holds no results: there is no series.csv and no study.json",
                         folder);
    if (!(used.budget >= 1e4))
        return error_set(error, MRC_USAGE, "a budget of %g bytes is too small: 10 kB at least", used.budget);
    snprintf(path, sizeof path, "%s/report.html", folder);
    return page_write(used.path ? used.path : path, folder, NULL, 0, used.budget, error);
}
