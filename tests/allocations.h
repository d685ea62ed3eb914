// Counting what a program asks of the heap. For one source file of a test: it replaces malloc.
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool counting;
static atomic_int allocations;

// The sanitizer has a malloc of its own: with it memory is checked, not counted.
#ifndef __SANITIZE_ADDRESS__
static void count_allocation(void) {
    if (atomic_load(&counting)) atomic_fetch_add(&allocations, 1);
}
// In place of those of the C library, for this program and the libraries that it uses.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) { return count_allocation(), __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return count_allocation(), __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return count_allocation(), __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return count_allocation(), __libc_memalign(alignment, size);
}
#endif

static inline void allocations_count(void) { // from now on
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
}
static inline int allocations_counted(void) { // until now, and no more of them
    atomic_store(&counting, false);
    return atomic_load(&allocations);
}

#endif
