// What can go wrong: one table of code, exit status and message.
//
// The exit status is what the command line ends with: 0 done, 1 the simulation failed, 2 the input is wrong.
#ifndef MARACA_STATUS_H
#define MARACA_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// X(code, exit status, message)
#define MRC_STATUS_TABLE(X)                                                                                  \
    X(OK, 0, "done")                                                                                         \
    X(INTERRUPTED, 1, "stopped by the user")                                                                 \
    X(MEMORY, 1, "out of memory")                                                                            \
    X(WRITE_FAILED, 1, "cannot write")                                                                       \
    X(NOT_FINITE, 1, "the state is no longer finite")                                                        \
    X(OVERLAP, 1, "grains overlap too deeply")                                                               \
    X(LOST_GRAIN, 1, "a grain left its container")                                                           \
    X(NOT_CONVERGED, 1, "a solver did not converge")                                                         \
    X(DIVERGED, 1, "the simulation diverged")                                                                \
    X(PACKING, 2, "the grains cannot be placed")                                                             \
    X(READ_FAILED, 2, "cannot read")                                                                         \
    X(MODEL, 2, "the model file is wrong")                                                                   \
    X(CHECKPOINT, 2, "the checkpoint cannot be used")                                                        \
    X(FOLDER, 2, "the result folder cannot be used")                                                         \
    X(USAGE, 2, "the command line is wrong")                                                                 \
    X(UNCERTAIN, 1, "a number is not known well enough")                                                     \
    X(PARTNER, 1, "another program that takes part failed")                                                  \
    X(NOT_FOUND, 1, "nothing was found that fits")

typedef enum MrcStatus {
#define MRC_STATUS_ENUM(code, exit_status, message) MRC_##code,
    MRC_STATUS_TABLE(MRC_STATUS_ENUM)
#undef MRC_STATUS_ENUM
} MrcStatus;

// An error travels by value: the code and one sentence of detail. Filled where the error is found, printed
// by the caller of the library.
typedef struct MrcError {
    MrcStatus status;
    char text[1024]; // what happened, where, and what to do about it
} MrcError;

const char *mrc_status_message(MrcStatus status); // the table's message
const char *mrc_status_name(MrcStatus status);    // "OVERLAP", for machine readers
int mrc_status_exit(MrcStatus status);            // 0, 1 or 2

#ifdef __cplusplus
}
#endif
#endif
