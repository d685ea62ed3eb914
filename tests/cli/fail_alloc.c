// Preloaded into the program (LD_PRELOAD): the allocation of number FAIL_AT, from 1, fails. Without FAIL_AT, how many
// there are is written to the file FAIL_COUNT at the end; who asked for the one that failed, to FAIL_TRACE. Counting begins when all libraries are ready.
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
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

static int ready;
static long fail_at, done;

static int fails(void) {
    if (!ready) return 0;
    if (__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED) != fail_at) return 0;
    if (getenv("FAIL_TRACE")) {
        void *callers[30];
        ready = 0;
        int file = open(getenv("FAIL_TRACE"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        backtrace_symbols_fd(callers, backtrace(callers, 30), file);
        close(file);
        ready = 1;
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails() ? NULL : __libc_realloc(block, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (fails()) return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    if ((flags & MAP_ANONYMOUS) && fails()) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    if (at) fail_at = atol(at);
    ready = 1;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    ready = 0;
    if (!path || fail_at) return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666),
        length = snprintf(text, sizeof text, "%ld\n", done);
    if (file >= 0 && write(file, text, (size_t)length) < 0) _exit(99);
    if (file >= 0) close(file);
}
