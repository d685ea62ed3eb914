#include "base/build.h"

#include <build_hash.h> // written by cmake/identity.cmake

// "native" means another processor on another machine.
#if defined(__AVX512F__)
#define BUILD_PROCESSOR "-avx512f"
#elif defined(__FMA__)
#define BUILD_PROCESSOR "-fma"
#else
#define BUILD_PROCESSOR ""
#endif

const char *build_identity(void) { return MARACA_BUILD_HASH "-" MARACA_SIMD_NAME BUILD_PROCESSOR; }
