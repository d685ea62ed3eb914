// LAPACK on one thread: what becomes of the number of threads of OpenBLAS, which belongs to the whole process.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/threads.h"
#include "check.h"
#include "math/blas.h"
#include "openblas.h"

static void test_one_thread_then_as_before(void **state) {
    (void)state;
    openblas_threads = 4;
    int before = blas_alone();
    assert_int_equal(openblas_threads, 1);
    blas_as_before(before);
    assert_int_equal(openblas_threads, 4);
    assert_int_equal(BLAS_ALONE(openblas_get_num_threads()), 1);
    assert_int_equal(openblas_threads, 4);
}

static void test_two_at_once(void **state) {
    (void)state;
    openblas_threads = 4;
    int first = blas_alone(), second = blas_alone();
    blas_as_before(first);
    assert_int_equal(openblas_threads, 1); // the other one still needs it
    blas_as_before(second);
    assert_int_equal(openblas_threads, 4);
}

static _Atomic int wrong;

static void *many_times(void *user) {
    (void)user;
    for (int i = 0; i < 20000; i++)
        if (BLAS_ALONE(openblas_get_num_threads()) != 1) wrong++;
    return NULL;
}

static void test_never_more_than_one_thread_inside(void **state) {
    (void)state;
    openblas_threads = 4;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, many_times, NULL), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(openblas_threads, 4);
}

// Which build of OpenBLAS there is, is looked up once: another one needs another process.
static bool in_another_process(int kind, bool (*check)(void)) {
    pid_t child = fork();
    if (child == 0) {
        openblas_kind = kind;
        openblas_sets = 0;
        _exit(check() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

static bool openmp_setting_of_this_thread(void) {
    threads_set(3);
    int before = blas_alone();
    bool alone = threads_wanted() == 1;
    blas_as_before(before);
    return alone && threads_wanted() == 3 && openblas_sets == 0;
}

static bool nothing_to_do(void) {
    threads_set(3);
    int before = blas_alone();
    bool same = threads_wanted() == 3;
    blas_as_before(before);
    return same && threads_wanted() == 3 && openblas_sets == 0;
}

static void test_other_builds(void **state) {
    (void)state;
    assert_true(in_another_process(OPENBLAS_OPENMP, openmp_setting_of_this_thread));
    assert_true(in_another_process(OPENBLAS_SEQUENTIAL, nothing_to_do));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_builds), // first: this process has not looked yet
        cmocka_unit_test(test_one_thread_then_as_before),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_never_more_than_one_thread_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
