#include "dispatch/dispatch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maraca/maraca.h"

_Atomic(const DispatchLevel *) dispatch_level;

static pthread_once_t dispatch_once = PTHREAD_ONCE_INIT;
static char dispatch_error[300]; // why MARACA_SIMD was not followed; empty: it was, or is not set

// Has this processor the instructions, and does the operating system keep their registers?
static bool dispatch_supported(const char *level) {
#ifdef __x86_64__
    __builtin_cpu_init();
    if (strcmp(level, "avx2") == 0) return __builtin_cpu_supports("x86-64-v3");
    if (strcmp(level, "avx512") == 0) return __builtin_cpu_supports("x86-64-v4");
#endif
    return strcmp(level, "baseline") == 0;
}

static const DispatchLevel *dispatch_best(void) {
    for (int i = dispatch_level_count - 1; i > 0; i--)
        if (dispatch_supported(dispatch_levels[i].name)) return &dispatch_levels[i];
    return &dispatch_levels[0];
}

static const DispatchLevel *dispatch_forced(const char *name) {
    for (int i = 0; i < dispatch_level_count; i++) {
        if (strcmp(name, dispatch_levels[i].name) != 0) continue;
        if (dispatch_supported(name)) return &dispatch_levels[i];
        snprintf(dispatch_error, sizeof dispatch_error,
                 "MARACA_SIMD asks for '%s', which this processor does not have", name);
        return NULL;
    }
    snprintf(dispatch_error, sizeof dispatch_error, "MARACA_SIMD is '%.40s'; this library has %s", name,
             mrc_simd_levels());
    return NULL;
}

static void dispatch_choose_once(void) {
    const char *name = getenv("MARACA_SIMD");
    const DispatchLevel *level = name && *name ? dispatch_forced(name) : NULL;
    atomic_store_explicit(&dispatch_level, level ? level : dispatch_best(), memory_order_release);
}

const DispatchLevel *dispatch_choose(void) {
    pthread_once(&dispatch_once, dispatch_choose_once);
    return atomic_load_explicit(&dispatch_level, memory_order_acquire);
}

const char *mrc_simd(void) { return dispatch_choose()->name; }

const char *mrc_simd_error(void) {
    dispatch_choose();
    return *dispatch_error ? dispatch_error : NULL;
}
