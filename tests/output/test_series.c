// series.csv: exact numbers, whole lines, resuming.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/random.h"
#include "output/series.h"
#include "output/temporary.h"

static const char *const names[] = {"t", "shell.y", "energy"};
static const char *const units[] = {"s", "m", "J"};
#define HEADING "t[s],shell.y[m],energy[J]\n"

static Series *create(const char *path) {
    MrcError error;
    Series *series;
    assert_int_equal(series_create(&series, path, names, units, 3, &error), MRC_OK);
    return series;
}

static void append(Series *series, double a, double b, double c) {
    MrcError error;
    assert_int_equal(series_append(series, (const double[]){a, b, c}, &error), MRC_OK);
}

static void writes_heading_and_rows(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("rows.csv");
    Series *series = create(path);
    temporary_check_text(path, HEADING); // there at once
    assert_int_equal(series_length(series), strlen(HEADING));
    append(series, 0, 0.5, -1e-9);
    append(series, 0.1, NAN, INFINITY);
    temporary_check_text(path, HEADING); // nothing before the flush
    assert_int_equal(series_flush(series, &error), MRC_OK);
    temporary_check_text(path, HEADING "0,0.5,-1e-09\n0.1,nan,inf\n");
    assert_int_equal(series_length(series), strlen(HEADING "0,0.5,-1e-09\n0.1,nan,inf\n"));
    append(series, 0.2, 1, 2);
    assert_int_equal(series_sync(series, &error), MRC_OK);
    append(series, 0.3, 1, 2);
    assert_int_equal(series_close(series, &error), MRC_OK);
    temporary_check_text(path, HEADING "0,0.5,-1e-09\n0.1,nan,inf\n0.2,1,2\n0.3,1,2\n");
    assert_int_equal(series_close(NULL, &error), MRC_OK);
}

static void numbers_read_back_exactly(void **state) {
    (void)state;
    enum { rows = 20000 }; // more than the buffer holds
    MrcError error;
    Random random = {1};
    const char *path = temporary_path("exact.csv");
    Series *series = create(path);
    for (int i = 0; i < rows; i++) {
        double a = random_normal(&random), b = random_normal(&random), c = random_normal(&random);
        append(series, a, b * 1e-12, c * 1e20);
    }
    assert_int_equal(series_close(series, &error), MRC_OK);
    char *text = temporary_read(path, NULL), *at = text + strlen(HEADING);
    random = (Random){1};
    for (int i = 0; i < rows; i++) {
        double a = random_normal(&random), b = random_normal(&random), c = random_normal(&random);
        assert_true(strtod(at, &at) == a && *at++ == ',');
        assert_true(strtod(at, &at) == b * 1e-12 && *at++ == ',');
        assert_true(strtod(at, &at) == c * 1e20 && *at++ == '\n');
    }
    assert_int_equal(*at, '\0');
    free(text);
}

static void odd_names_are_quoted(void **state) {
    (void)state;
    MrcError error;
    Series *series;
    const char *odd[] = {"t", "a,b", "say \"hi\""}, *path = temporary_path("odd.csv");
    assert_int_equal(series_create(&series, path, odd, units, 3, &error), MRC_OK);
    assert_int_equal(series_close(series, &error), MRC_OK);
    temporary_check_text(path, "t[s],\"a,b[m]\",\"say \"\"hi\"\"[J]\"\n");
}

static void resumes_after_the_checkpoint(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("resume.csv");
    Series *series = create(path);
    append(series, 0, 1, 2);
    assert_int_equal(series_flush(series, &error), MRC_OK);
    uint64_t length = series_length(series);
    append(series, 1, 1, 2); // after the checkpoint: to be cut off
    assert_int_equal(series_close(series, &error), MRC_OK);
    FILE *stream = fopen(path, "ab"); // and half a line, as of a killed process
    fputs("2,1", stream);
    fclose(stream);
    assert_int_equal(series_resume(&series, path, names, units, 3, length, &error), MRC_OK);
    assert_int_equal(series_length(series), length);
    temporary_check_text(path, HEADING "0,1,2\n");
    append(series, 1, 5, 6);
    assert_int_equal(series_close(series, &error), MRC_OK);
    temporary_check_text(path, HEADING "0,1,2\n1,5,6\n");
}

static void check_refused(const char *path, const char *const *columns, int count, uint64_t length) {
    MrcError error = {0};
    Series *series = (Series *)&error;
    size_t before, after;
    char *text = temporary_read(path, &before);
    assert_int_equal(series_resume(&series, path, columns, units, count, length, &error), MRC_CHECKPOINT);
    assert_non_null(strstr(error.text, path));
    assert_null(series);
    free(text);
    free(temporary_read(path, &after));
    assert_int_equal(before, after); // untouched
}

static void refuses_other_files(void **state) {
    (void)state;
    MrcError error;
    const char *path = temporary_path("refuse.csv"), *missing = temporary_path("missing.csv");
    Series *series = create(path);
    append(series, 0, 1, 2);
    assert_int_equal(series_flush(series, &error), MRC_OK);
    uint64_t length = series_length(series);
    assert_int_equal(series_close(series, &error), MRC_OK);
    const char *const other[] = {"t", "shell.z", "energy"};
    check_refused(path, names, 3, length + 1);          // shorter than the checkpoint says
    check_refused(path, names, 3, length - 1);          // not at the end of a line
    check_refused(path, names, 3, strlen(HEADING) - 1); // not even the first line
    check_refused(path, other, 3, length);              // other columns
    check_refused(path, names, 2, length);              // fewer columns
    assert_int_equal(series_resume(&series, missing, names, units, 3, length, &error), MRC_CHECKPOINT);
    assert_int_equal(series_resume(&series, temporary_folder, names, units, 3, length, &error),
                     MRC_CHECKPOINT);
}

static void no_folder_is_an_error(void **state) {
    (void)state;
    MrcError error;
    Series *series;
    const char *path = temporary_path("nowhere/series.csv");
    assert_int_equal(series_create(&series, path, names, units, 3, &error), MRC_WRITE_FAILED);
    assert_null(series);
}

// A limit on the size of files stands for a full disk: the write is cut short, then refused. In a process of
// its own, for the limit's sake.
static int fill_the_disk(const char *path) {
    MrcError error;
    Series *series;
    signal(SIGXFSZ, SIG_IGN);
    if (series_create(&series, path, names, units, 3, &error) != MRC_OK) return 1;
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    rlim_t wanted = strlen(HEADING) + 2 * strlen("0,0.5,7\n") + 3; // two lines and a piece
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    for (int i = 0; i < 4; i++)
        if (series_append(series, (const double[]){i, 0.5, 7}, &error) != MRC_OK) return 3;
    if (series_flush(series, &error) != MRC_WRITE_FAILED) return 4;
    if (!strstr(error.text, path)) return 5;
    if (series_length(series) != wanted - 3) return 6;
    size_t length;
    char *text;
    if (file_read(path, 1000, &text, &length, &error) != MRC_OK) return 7;
    if (strcmp(text, HEADING "0,0.5,7\n1,0.5,7\n") != 0) return 8;
    free(text);
    if (series_flush(series, &error) != MRC_WRITE_FAILED) return 9; // still full
    limit.rlim_cur = limit.rlim_max;                                // room again: nothing is lost
    setrlimit(RLIMIT_FSIZE, &limit);
    if (series_close(series, &error) != MRC_OK) return 10;
    return 0;
}

static void full_disk_leaves_whole_lines(void **state) {
    (void)state;
    const char *path = temporary_path("full.csv");
    pid_t child = fork();
    if (child == 0) _exit(fill_the_disk(path));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    temporary_check_text(path, HEADING "0,0.5,7\n1,0.5,7\n2,0.5,7\n3,0.5,7\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_heading_and_rows),      cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(odd_names_are_quoted),         cmocka_unit_test(resumes_after_the_checkpoint),
        cmocka_unit_test(refuses_other_files),          cmocka_unit_test(no_folder_is_an_error),
        cmocka_unit_test(full_disk_leaves_whole_lines),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
