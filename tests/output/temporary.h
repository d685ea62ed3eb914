// A folder for the files of one test program, removed at its end.
#ifndef TESTS_OUTPUT_TEMPORARY_H
#define TESTS_OUTPUT_TEMPORARY_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"

static char temporary_folder[64];
static char temporary_path_buffer[4][256];

static inline int temporary_begin(void **state) {
    (void)state;
    strcpy(temporary_folder, "/tmp/maraca-test-XXXXXX");
    return mkdtemp(temporary_folder) ? 0 : -1;
}

static inline int temporary_remove(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline int temporary_end(void **state) {
    (void)state;
    return nftw(temporary_folder, temporary_remove, 8, FTW_DEPTH | FTW_PHYS);
}

// Valid until the fourth next call.
static inline const char *temporary_path(const char *name) {
    static int next;
    char *path = temporary_path_buffer[next++ % 4];
    snprintf(path, sizeof temporary_path_buffer[0], "%s/%s", temporary_folder, name);
    return path;
}

// The caller frees it.
static inline char *temporary_read(const char *path, size_t *length) {
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(file_read(path, SIZE_MAX / 2, &text, &size, NULL), MRC_OK);
    if (length) *length = size;
    return text;
}

static inline void temporary_write(const char *path, const void *data, size_t length) {
    remove(path); // some file systems sync a file that is emptied and written again, which takes its time
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static inline void temporary_check_text(const char *path, const char *expected) {
    char *text = temporary_read(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

#endif
