// LAPACK on one thread: see blas.h. Which BLAS is installed is found out at run time.
#include "math/blas.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/threads.h"

typedef enum BlasKind {
    BLAS_ONE_THREAD, // nothing to be done
    BLAS_OWN_THREADS,
    BLAS_OPENMP,
} BlasKind;

static pthread_once_t blas_once = PTHREAD_ONCE_INIT;
static BlasKind blas_kind;
static int (*blas_get_threads)(void);
static void (*blas_set_threads)(int);

static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static int blas_users;          // threads between blas_alone and blas_as_before
static int blas_threads_before; // OpenBLAS's own number before the first of them

static void blas_look(void) {
    int (*get_kind)(void);
    *(void **)&get_kind = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    *(void **)&blas_get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&blas_set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (get_kind && blas_get_threads && blas_set_threads) // 0, 1, 2 are OpenBLAS's own numbers
        blas_kind = get_kind() == 0 ? BLAS_ONE_THREAD : get_kind() == 2 ? BLAS_OPENMP : BLAS_OWN_THREADS;
}

int blas_alone(void) {
    pthread_once(&blas_once, blas_look);
    if (blas_kind == BLAS_OPENMP) return threads_set(1);
    if (blas_kind == BLAS_OWN_THREADS) {
        pthread_mutex_lock(&blas_lock);
        if (blas_users++ == 0) {
            blas_threads_before = blas_get_threads();
            if (blas_threads_before > 1) blas_set_threads(1);
        }
        pthread_mutex_unlock(&blas_lock);
    }
    return 0;
}

void blas_as_before(int before) {
    if (blas_kind == BLAS_OPENMP) threads_set(before);
    if (blas_kind != BLAS_OWN_THREADS) return;
    pthread_mutex_lock(&blas_lock);
    if (--blas_users == 0 && blas_threads_before > 1) blas_set_threads(blas_threads_before);
    pthread_mutex_unlock(&blas_lock);
}
