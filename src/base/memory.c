#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/number.h"

// Just before the aligned block is kept where it came from: calloc, or for large blocks pages of their own,
// which take up no memory before they are written to, and which grow without a second copy.
typedef struct Origin {
    char *whole;
    size_t pages; // bytes of pages; 0: calloc
} Origin;

#if defined(__SANITIZE_ADDRESS__)
static const size_t large = SIZE_MAX; // all blocks are watched
#else
static const size_t large = 1 << 20; // [bytes]
#endif
enum { before_block = 64 };

static void *memory_place_block(Origin origin, size_t offset) {
    char *block = origin.whole + offset;
    memcpy(block - sizeof origin, &origin, sizeof origin);
    return block;
}

static Origin memory_origin_of(const void *block) {
    Origin origin;
    memcpy(&origin, (const char *)block - sizeof origin, sizeof origin);
    return origin;
}

void *memory_alloc(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t rounded = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    Origin origin = {0};
    if (rounded >= large) {
        origin.pages = rounded + before_block;
        origin.whole = mmap(NULL, origin.pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return origin.whole == MAP_FAILED ? NULL : memory_place_block(origin, before_block);
    }
    origin.whole = calloc(1, rounded + before_block + MEMORY_ALIGNMENT);
    if (!origin.whole) return NULL;
    size_t past = (size_t)((uintptr_t)origin.whole % MEMORY_ALIGNMENT);
    return memory_place_block(origin, before_block + (past ? MEMORY_ALIGNMENT - past : 0));
}

void memory_free(void *block) {
    if (!block) return;
    Origin origin = memory_origin_of(block);
    if (origin.pages) munmap(origin.whole, origin.pages);
    else free(origin.whole);
}

double memory_physical(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : INFINITY;
}

// A block of which the first `kept` bytes are those of the old one.
static void *memory_grow(void *block, size_t kept, size_t bytes) {
    Origin origin = block ? memory_origin_of(block) : (Origin){0};
    if (origin.pages) {
        size_t pages = bytes + before_block;
        char *whole = mremap(origin.whole, origin.pages, pages, MREMAP_MAYMOVE);
        return whole == MAP_FAILED ? NULL : memory_place_block((Origin){whole, pages}, before_block);
    }
    void *larger = memory_alloc(bytes);
    if (!larger) return NULL;
    if (block) memcpy(larger, block, kept);
    memory_free(block);
    return larger;
}

bool memory_enlarge(void **block, size_t kept, size_t bytes) {
    void *larger = memory_grow(*block, kept, bytes);
    if (!larger) return false;
    *block = larger;
    return true;
}

bool array_grow(void **data, size_t *capacity, size_t item_size, size_t needed) {
    if (needed <= *capacity) return true;
    // Small arrays by a half, large ones (1 MiB) by an eighth: there, room that is not used is memory lost.
    size_t wanted = *capacity + *capacity / (*capacity * item_size < 1 << 20 ? 2 : 8);
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    if (wanted > SIZE_MAX / 2 / item_size) return false;
    void *block = memory_grow(*data, *capacity * item_size, wanted * item_size);
    if (!block) return false;
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
    locale_t before = number_point();
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    number_point_end(before);
    va_end(again);
    va_end(arguments);
    return text;
}
