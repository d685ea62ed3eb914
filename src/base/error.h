// Setting errors. The table of codes is public: maraca/status.h.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "maraca/status.h"

// Fills *error (which may be NULL) and returns status, so that one can write `return error_set(...)`.
MrcStatus error_set(MrcError *error, MrcStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a failed allocation of `what`.
MrcStatus error_memory(MrcError *error, const char *what);

#endif
