#include <stdlib.h>
#include <string.h>

#include "maraca/maraca.h"

const char *mrc_version(void) { return MARACA_VERSION; }

void mrc_text_free(char *text) { free(text); }

// ---- instructions: a library of several levels has src/dispatch/dispatch.c instead of these ------
const char *mrc_simd(void) { return MARACA_SIMD_NAME; }

const char *mrc_simd_levels(void) { return MARACA_SIMD_NAME; }

const char *mrc_simd_error(void) {
    const char *name = getenv("MARACA_SIMD");
    if (!name || !*name || strcmp(name, MARACA_SIMD_NAME) == 0) return NULL;
    return "MARACA_SIMD asks for other instructions, but this library has " MARACA_SIMD_NAME " only";
}
