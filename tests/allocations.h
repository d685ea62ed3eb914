// Counting what a program asks of the heap, and refusing it. For one source file of a test: it replaces malloc.
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool counting;
static atomic_int allocations;
static atomic_int refused = -1; // the allocation that fails, counted from 0; -1: none

// The sanitizer has a malloc of its own: with it memory is checked, not counted.
#ifndef __SANITIZE_ADDRESS__
static bool count_allocation(void) { // false: it must fail
    return !atomic_load(&counting) || atomic_fetch_add(&allocations, 1) != atomic_load(&refused);
}
// In place of those of the C library, for this program and the libraries that it uses.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) { return count_allocation() ? __libc_malloc(size) : NULL; }
void *calloc(size_t count, size_t size) { return count_allocation() ? __libc_calloc(count, size) : NULL; }
void *realloc(void *block, size_t size) { return count_allocation() ? __libc_realloc(block, size) : NULL; }
void *aligned_alloc(size_t alignment, size_t size) {
    return count_allocation() ? __libc_memalign(alignment, size) : NULL;
}
#endif

static inline void allocations_count(void) { // from now on
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
}
static inline void allocations_refuse(int number) { // from now on, this one fails
    atomic_store(&refused, number);
    allocations_count();
}
static inline int allocations_counted(void) { // until now, and no more of them
    atomic_store(&counting, false);
    atomic_store(&refused, -1);
    return atomic_load(&allocations);
}

#endif
