// LAPACK on one thread: see blas.h. Whether the library is OpenBLAS is known only when the program runs.
#include "math/blas.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static int (*get_threads)(void);
static void (*set_threads)(int);

static void look(void) {
    *(void **)&get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
}

int blas_alone(void) {
    pthread_once(&looked, look);
    if (!get_threads || !set_threads) return 0;
    int before = get_threads();
    if (before > 1) set_threads(1);
    return before;
}

void blas_as_before(int threads) {
    if (threads > 1) set_threads(threads);
}
