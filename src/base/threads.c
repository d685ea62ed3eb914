#include "base/threads.h"

#include <sched.h>

int threads_available(void) {
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

int threads_set(int count) {
    int before = threads_wanted();
#ifdef _OPENMP
    omp_set_num_threads(count < 1 ? 1 : count);
#else
    (void)count;
#endif
    return before;
}

int threads_wanted(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

int threads_current(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

int threads_in_team(void) {
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

void threads_pause(int looks) {
    if (looks >= 1000) {
        sched_yield();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}
