// Which of its levels the library uses.
//
// The library is compiled once per level of instructions, always whole (docs/architecture.md, "One library for
// every processor"). A public function such as mrc_run only calls the one of the level in use, mrc_run__avx2 or
// another: these functions and the table are written by scripts/generate-dispatch from the public headers.
//
// The level is chosen at the first call and never changes: what one level has made (a model, a simulation) is
// never seen by another. At the first call and not in a constructor, because constructors of other parts of a
// program that is linked statically may come first, and not by ifunc, whose resolvers cannot read the
// environment.
#ifndef DISPATCH_DISPATCH_H
#define DISPATCH_DISPATCH_H

#include <stdatomic.h>

typedef struct DispatchTable DispatchTable; // one pointer per public function

typedef struct DispatchLevel {
    const char *name; // "baseline", "avx2", "avx512"
    const DispatchTable *functions;
} DispatchLevel;

extern const DispatchLevel dispatch_levels[]; // the lowest first, which every processor has
extern const int dispatch_level_count;

extern _Atomic(const DispatchLevel *) dispatch_level; // NULL before the first call
const DispatchLevel *dispatch_choose(void);           // sets dispatch_level

static inline const DispatchTable *dispatch(void) {
    const DispatchLevel *level = atomic_load_explicit(&dispatch_level, memory_order_acquire);
    return (level ? level : dispatch_choose())->functions;
}

#endif
