// Watching long work: loops that may last ask now and then whether to stop, and say how far they are.
//
// The watch belongs to the calling thread, as the number of threads does (threads.h). A public function sets its own
// and puts back that of its caller. Parallel regions ask before or after, not inside.
#ifndef BASE_WATCH_H
#define BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Watch {
    const volatile int *stop; // non-zero: long work is to stop; NULL: never
    double patience;          // wall-clock time before which nothing is stopped [s]; 0: at once
    // Called at most five times a second; NULL: no reports.
    void (*report)(void *user, const char *work, int64_t done, int64_t most);
    void *user;
    double last; // wall-clock time of the last report [s], by watch_stops
} Watch;

// NULL: none. Returns the watch of before.
Watch *watch_set(Watch *watch);

// Is the work to end? `work` is what is counted: "contact sweep", of which `done` of at most `most` are done.
bool watch_stops(const char *work, int64_t done, int64_t most);
bool watch_stopped(void); // the same without a report: costs next to nothing

// MRC_INTERRUPTED, "while ...".
MrcStatus watch_error(MrcError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
