// Contact problems in files: tests/contact/problems. README.md there says where each of them is from.
#ifndef TESTS_CONTACT_STORED_H
#define TESTS_CONTACT_STORED_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/problem.h"

enum { STORED_MOST = 200 };

typedef struct Stored {
    int count;
    char *names[STORED_MOST]; // sorted, so that results come in the same order everywhere
} Stored;

static inline int stored_compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// `folder` of tests/contact/problems: "dumped" those of simulations, "made" the others.
static inline Stored stored_list(const char *folder) {
    Stored list = {0};
    char path[500];
    snprintf(path, sizeof path, "%s/tests/contact/problems/%s", MARACA_SOURCE_DIR, folder);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".txt") != 0 || list.count == STORED_MOST) continue;
        char name[300];
        snprintf(name, sizeof name, "%s/%.*s", folder, (int)(dot - entry->d_name), entry->d_name);
        list.names[list.count++] = strdup(name);
    }
    closedir(directory);
    qsort(list.names, (size_t)list.count, sizeof *list.names, stored_compare);
    return list;
}

static inline void stored_load(ContactProblem *problem, const char *name) {
    MrcError error = {0};
    char path[700];
    snprintf(path, sizeof path, "%s/tests/contact/problems/%s.txt", MARACA_SOURCE_DIR, name);
    if (contact_problem_load(problem, NULL, path, &error) != MRC_OK) fail_msg("%s", error.text);
}

static inline void stored_free(Stored *list) {
    for (int i = 0; i < list->count; i++) free(list->names[i]);
}

#endif
