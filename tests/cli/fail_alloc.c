// Preloaded into the program (LD_PRELOAD): the allocation of number FAIL_AT, from 1, fails. With FAIL_END it is the last one
// that gets more memory than the program ever had: memory is at its end, and only what is given back can be had again.
// Without FAIL_AT, how many there are is written to the file FAIL_COUNT at the end; who asked for the first one that
// failed, to FAIL_TRACE. Counting begins when all libraries are ready. With FAIL_OTHERS threads beside the first one never
// get any: those of OpenBLAS, which then wait for it.
//
// What comes from a reserve cannot fail alone: a block of 64 KiB that was taken and given back at once is still with
// malloc (src/model/yaml.c).
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

enum { reserve_bytes = 65536 };
static int ready, ends, traced;
static long fail_at, done;
static long used, most; // bytes of malloc: now, and the most so far
static void *last;      // block of the last allocation
static long reserve;    // bytes of it that are left

static void trace(void) {
    void *callers[30];
    if (!getenv("FAIL_TRACE") || traced++) return;
    ready = 0;
    int file = open(getenv("FAIL_TRACE"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    backtrace_symbols_fd(callers, backtrace(callers, 30), file);
    close(file);
    ready = 1;
}

static int is_other_thread(void) { return syscall(SYS_gettid) != getpid(); }

static int fails(size_t size) {
    if (getenv("FAIL_OTHERS") && is_other_thread()) {
        errno = ENOMEM;
        return 1;
    }
    if (!ready) return 0;
    reserve -= (long)size;
    long number = __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
    if (ends ? !fail_at || number < fail_at || used + (long)size <= most : number != fail_at || reserve >= 0)
        return 0;
    trace();
    errno = ENOMEM;
    return 1;
}

static void *taken(void *block) {
    long now = __atomic_add_fetch(&used, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
    if (now > most) most = now;
    last = block;
    return block;
}

void free(void *block) {
    if (!block) return;
    size_t size = malloc_usable_size(block);
    __atomic_sub_fetch(&used, (long)size, __ATOMIC_RELAXED);
    if (block == last && size >= reserve_bytes && size < reserve_bytes + 64) reserve = reserve_bytes;
    int error = errno;
    __libc_free(block);
    errno = error;
}

void *malloc(size_t size) { return fails(size) ? NULL : taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) {
    return fails(count * size) ? NULL : taken(__libc_calloc(count, size));
}
void *memalign(size_t alignment, size_t size) {
    return fails(size) ? NULL : taken(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void *realloc(void *block, size_t size) {
    size_t before = block ? malloc_usable_size(block) : 0;
    if (fails(size > before ? size - before : 0)) return NULL;
    void *larger = __libc_realloc(block, size);
    if (larger || size == 0) __atomic_sub_fetch(&used, (long)before, __ATOMIC_RELAXED);
    return larger ? taken(larger) : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    if ((flags & MAP_ANONYMOUS) && fails(length)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    if (at) fail_at = atol(at);
    ends = getenv("FAIL_END") != NULL;
    ready = 1;
}

// The program ends by this function.
__attribute__((noreturn)) void _exit(int status) {
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    ready = 0;
    if (path && !fail_at) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666),
            length = snprintf(text, sizeof text, "%ld\n", done);
        if (file < 0 || write(file, text, (size_t)length) < 0) status = 99;
    }
    syscall(SYS_exit_group, status);
    abort();
}
