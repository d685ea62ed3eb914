// Memory: cache-line aligned blocks, growable typed arrays, and an arena.
//
// All functions report failure by returning NULL or false; none of them exits.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// ---- aligned blocks: 64 bytes, zeroed, so that SIMD loads never straddle a cache line ------------
#define MEMORY_ALIGNMENT 64
void *memory_alloc(size_t bytes); // NULL on failure; free with memory_free
void memory_free(void *block);
// A larger block in place of *block, with its first `kept` bytes. False: *block is as it was.
bool memory_enlarge(void **block, size_t kept, size_t bytes);
double memory_physical(void); // of the machine [bytes]; infinite when it is not known

// ---- growable arrays -----------------------------------------------------------------------------
//     ARRAY(double) xs = {0};
//     if (!array_push(&xs, 1.5)) return error_memory(error, "the list");
//     array_free(&xs);
#define ARRAY(type)                                                                                          \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t count, capacity;                                                                              \
    }

bool array_grow(void **data, size_t *capacity, size_t item_size, size_t needed); // keeps contents, 64-aligned

#define array_reserve(array, needed)                                                                         \
    array_grow((void **)&(array)->data, &(array)->capacity, sizeof *(array)->data, (needed))
#define array_resize(array, new_count)                                                                       \
    (array_reserve((array), (new_count)) ? ((array)->count = (new_count), true) : false)
#define array_push(array, ...)                                                                               \
    (array_reserve((array), (array)->count + 1) ? ((array)->data[(array)->count++] = (__VA_ARGS__), true)    \
                                                : false)
#define array_free(array)                                                                                    \
    (memory_free((array)->data), (array)->data = NULL, (array)->count = (array)->capacity = 0)

// ---- arena: many small pieces freed at once; addresses never move --------------------------------
typedef struct Arena Arena;
Arena *arena_create(void);
void arena_destroy(Arena *arena);
void *arena_alloc(Arena *arena, size_t bytes); // zeroed, 16-aligned
char *arena_strdup(Arena *arena, const char *text);
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
