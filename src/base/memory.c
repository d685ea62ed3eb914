#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// calloc gives large blocks as pages that take up no memory before they are written to; the place it gave is
// kept just before the aligned block.
void *memory_alloc(size_t bytes) {
    if (bytes > SIZE_MAX - 2 * MEMORY_ALIGNMENT) return NULL;
    size_t rounded = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    char *whole = calloc(1, rounded + 2 * MEMORY_ALIGNMENT);
    if (!whole) return NULL;
    char *block =
        (char *)(((uintptr_t)whole + 2 * MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT);
    memcpy(block - sizeof whole, &whole, sizeof whole);
    return block;
}

void memory_free(void *block) {
    if (!block) return;
    char *whole;
    memcpy(&whole, (char *)block - sizeof whole, sizeof whole);
    free(whole);
}

bool array_grow(void **data, size_t *capacity, size_t item_size, size_t needed) {
    if (needed <= *capacity) return true;
    // Small arrays by a half, large ones (1 MiB) by an eighth: there, room that is not used is memory lost.
    size_t wanted = *capacity + *capacity / (*capacity * item_size < 1 << 20 ? 2 : 8);
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    if (wanted > SIZE_MAX / item_size) return false;
    void *block = memory_alloc(wanted * item_size);
    if (!block) return false;
    if (*data) memcpy(block, *data, *capacity * item_size);
    memory_free(*data);
    *data = block;
    *capacity = wanted;
    return true;
}

// ---- arena ---------------------------------------------------------------------------------------
typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, size; // of the bytes that follow the header
} ArenaBlock;

struct Arena {
    ArenaBlock *blocks; // newest first
};

enum { arena_block_bytes = 64 * 1024, arena_header_bytes = (sizeof(ArenaBlock) + 15) / 16 * 16 };

Arena *arena_create(void) { return calloc(1, sizeof(Arena)); }

void arena_destroy(Arena *arena) {
    if (!arena) return;
    for (ArenaBlock *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void *arena_alloc(Arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + 15) / 16 * 16;
    ArenaBlock *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > arena_block_bytes ? bytes : arena_block_bytes;
        block = calloc(1, arena_header_bytes + size);
        if (!block) return NULL;
        block->size = size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    char *piece = (char *)block + arena_header_bytes + block->used;
    block->used += bytes;
    return piece;
}

char *arena_strndup(Arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text) { return arena_strndup(arena, text, strlen(text)); }

char *arena_printf(Arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}
