// OpenBLAS as the library sees it: the number of its threads, which belongs to the whole process. A test that includes
// this file is linked with its symbols exported, so that src/math/blas.c finds these functions.
#ifndef TESTS_OPENBLAS_H
#define TESTS_OPENBLAS_H

#include <stdatomic.h>

enum { OPENBLAS_SEQUENTIAL, OPENBLAS_THREADS, OPENBLAS_OPENMP };

static int openblas_kind = OPENBLAS_THREADS;
static _Atomic int openblas_threads = 4;
static _Atomic int openblas_sets; // calls of openblas_set_num_threads

int openblas_get_parallel(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int count);

int openblas_get_parallel(void) { return openblas_kind; }

int openblas_get_num_threads(void) { return openblas_threads; }

void openblas_set_num_threads(int count) {
    openblas_threads = count;
    openblas_sets++;
}

#endif
