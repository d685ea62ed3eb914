// LAPACK on one thread.
//
// Some libraries that do the sums of LAPACK share out larger matrices among threads of their own, as many as
// there are processors: results then differ in their last digits from machine to machine, and each product
// takes memory. Work that has to repeat bit by bit, or that must not ask for memory, is put between
//
//   int before = blas_alone();   ...   blas_as_before(before);
//
// OpenBLAS is asked; of the others on Debian, the reference library has one thread only.
#ifndef MATH_BLAS_H
#define MATH_BLAS_H

int blas_alone(void); // the number of threads so far; 0: it cannot be asked
void blas_as_before(int threads);

#endif
