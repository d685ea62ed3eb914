// One at a time in a folder; the lock vanishes with its process.
#include "base/lock.h"

#include <signal.h>
#include <sys/wait.h>

#include "output/temporary.h"

static void test_second_is_turned_away_until_the_first_is_done(void **state) {
    (void)state;
    FolderLock first, second;
    MrcError error = {0};
    assert_int_equal(folder_lock(&first, temporary_folder, &error), MRC_OK);
    assert_int_equal(folder_lock(&second, temporary_folder, &error), MRC_FOLDER);
    char holder[40];
    snprintf(holder, sizeof holder, "(process %ld)", (long)getpid());
    assert_non_null(strstr(error.text, holder));
    assert_int_equal(second.file, -1);
    folder_unlock(&second); // of nothing: nothing happens
    assert_int_equal(folder_lock(&second, temporary_folder, &error), MRC_FOLDER);
    folder_unlock(&first);
    assert_int_not_equal(access(temporary_path("run.lock"), F_OK), 0);
    assert_int_equal(folder_lock(&second, temporary_folder, &error), MRC_OK);
    folder_unlock(&second);
}

static void test_vanishes_with_the_process(void **state) {
    (void)state;
    int ready[2];
    char byte;
    FolderLock lock;
    MrcError error;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        FolderLock held;
        byte = folder_lock(&held, temporary_folder, NULL) == MRC_OK;
        if (write(ready[1], &byte, 1) == 1) pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_int_equal(folder_lock(&lock, temporary_folder, &error), MRC_FOLDER);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(access(temporary_path("run.lock"), F_OK),
                     0); // the file is still there: it does not matter
    assert_int_equal(folder_lock(&lock, temporary_folder, &error), MRC_OK);
    folder_unlock(&lock);
    close(ready[0]);
    close(ready[1]);
}

static void test_folder_that_cannot_be_locked(void **state) {
    (void)state;
    FolderLock lock;
    MrcError error;
    assert_int_equal(folder_lock(&lock, temporary_path("missing"), &error), MRC_FOLDER);
    assert_non_null(strstr(error.text, "No such file"));
    folder_unlock(&lock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_is_turned_away_until_the_first_is_done),
        cmocka_unit_test(test_vanishes_with_the_process),
        cmocka_unit_test(test_folder_that_cannot_be_locked),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
