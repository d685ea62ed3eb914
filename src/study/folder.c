#include "study/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum { FOLDER_PATH_SIZE = 1100, FOLDER_WORD_SIZE = 32 };

// The kind of study that wrote plan.json (runner.c); false: there is none, or it does not say so.
static bool folder_read_kind(const char *folder, char kind[FOLDER_WORD_SIZE]) {
    char path[FOLDER_PATH_SIZE], start[200] = "";
    snprintf(path, sizeof path, "%s/plan.json", folder);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t length = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    start[length] = '\0';
    const char *member = strstr(start, "\"study\": \"");
    return member && sscanf(member + strlen("\"study\": \""), "%31[a-z]", kind) == 1;
}

static bool folder_has(const char *folder, const char *name) {
    char path[FOLDER_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

MrcStatus study_folder_check(const char *folder, const char *kind, MrcError *error) {
    static const char *const others[][2] = {{"summary.json", "run"},
                                            {"checkpoint.h5", "run"},
                                            {"respond.json", "respond"},
                                            {"damping.json", "damping"}};
    char found[FOLDER_WORD_SIZE] = "";
    if (!folder_read_kind(folder, found))
        for (size_t i = 0; i < sizeof others / sizeof *others && !*found; i++)
            if (folder_has(folder, others[i][0])) snprintf(found, sizeof found, "%s", others[i][1]);
    if (!*found || strcmp(found, kind) == 0) return MRC_OK;
    return error_set(error, MRC_FOLDER,
                     "'%s' has results of 'maraca %s', which those of 'maraca %s' would overwrite: give "
                     "another folder with -o, or remove it first",
                     folder, found, kind);
}
