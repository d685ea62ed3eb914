// LAPACK on one thread.
//
// OpenBLAS, where it is installed, shares out larger matrices among threads of its own, as many as there are
// processors. Results then differ in their last digits from machine to machine, and each product takes
// memory. Every call of LAPACK is therefore made through BLAS_ALONE, or stands between blas_alone and
// blas_as_before:
//
//   if (BLAS_ALONE(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, A, n)) != 0) ...
//
//   int before = blas_alone();   ...   blas_as_before(before);
//
// The number of threads of OpenBLAS is a setting of the whole process. It is one while any thread is between
// the two calls, and is restored when none is left: simulations side by side do not disturb each other, and
// the program that uses the library keeps its own setting. The OpenMP build of OpenBLAS uses OpenMP's number
// of threads, which is a setting of the calling thread. The other BLAS libraries of Debian have one thread
// only.
#ifndef MATH_BLAS_H
#define MATH_BLAS_H

int blas_alone(void);            // to be given to blas_as_before
void blas_as_before(int before); // on the same thread

#define BLAS_ALONE(call)                                                                                     \
    ({                                                                                                       \
        int blas_before = blas_alone();                                                                      \
        __typeof__(call) blas_value = (call);                                                                \
        blas_as_before(blas_before);                                                                         \
        blas_value;                                                                                          \
    })

#endif
