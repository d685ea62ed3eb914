// Threads: OpenMP, used so that results never depend on their number.
//
// The rule: a parallel loop writes only to places that its own index owns, and sums are made over fixed
// chunks (THREADS_CHUNK items each) whose partial sums are then added in chunk order on one thread.
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include <stddef.h>

#ifdef _OPENMP
#include <omp.h>
#endif

int threads_available(void); // cores this process may use

int threads_current(void); // number of the calling thread in its team, from 0
int threads_in_team(void); // how many there are: OpenMP may give fewer than asked for
int threads_wanted(void);  // as set, for the calling thread

// Between two polls of another thread: at first a short pause, after many polls the core is left
// to others, which may be what is waited for.
void threads_pause(int looks);

// The number of threads for parallel regions started from the calling thread, at least 1. Returns what it
// was: a public function leaves the setting of its caller as it found it.
int threads_set(int count);

enum { THREADS_CHUNK = 256 };
// Items of some nanoseconds each, up to which one thread is as quick as several.
enum { THREADS_ALONE = 8 * THREADS_CHUNK };
static inline size_t threads_chunk_count(size_t items) { return (items + THREADS_CHUNK - 1) / THREADS_CHUNK; }

#endif
