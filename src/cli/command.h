// The commands of the program: one file command_NAME.c and one row in COMMANDS each.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>
#include <stdnoreturn.h>

#include "maraca/maraca.h"

typedef struct Command {
    const char *name;
    const char *arguments;                    // "MODEL [-o DIR] ..."
    const char *doc;                          // one sentence
    int (*run)(int word_count, char **words); // the words after the command; returns the exit status
    void (*help)(bool json);                  // prints its options, for people or as a JSON array
} Command;

extern char **program_words; // all words of the command line
// Ends the program as exit() does, but without waiting for the threads of libraries.
noreturn void program_end(int status);

// One row per command: src/cli/command_NAME.c defines command_NAME. In the order of `maraca help`.
#define COMMANDS(ROW)                                                                                        \
    ROW(run)                                                                                                 \
    ROW(check)                                                                                               \
    ROW(advise)                                                                                              \
    ROW(compare)                                                                                             \
    ROW(sweep)                                                                                               \
    ROW(response)                                                                                            \
    ROW(map)                                                                                                 \
    ROW(respond)                                                                                             \
    ROW(damping)                                                                                             \
    ROW(optimise)                                                                                            \
    ROW(fit)                                                                                                 \
    ROW(size)                                                                                                \
    ROW(certify)                                                                                             \
    ROW(stability)                                                                                           \
    ROW(modes)                                                                                               \
    ROW(signals)                                                                                             \
    ROW(report)                                                                                              \
    ROW(export)                                                                                              \
    ROW(schema)                                                                                              \
    ROW(version)                                                                                             \
    ROW(help)

#define COMMAND_DECLARATION(name) extern const Command command_##name;
COMMANDS(COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

extern const Command *const commands[]; // all of them
extern const int command_count;
const Command *command_find(const char *name);              // NULL: there is none
int command_unknown(const char *name, bool json);           // reports it; returns the exit status
void command_print_help(const Command *command, bool json); // NULL: of the whole program
void command_print_overview(FILE *stream);

// ---- what commands share (print.c) ---------------------------------------------------------------

// Loads a model and prints its diagnostics (`file:line:column: error: text`) to standard error; with `json`
// also to standard output, as {"status": ..., "diagnostics": [...]}, if it cannot be used. NULL when it
// cannot.
MrcModel *load_model(const char *command, const char *path, const char *const *overrides, int override_count,
                     bool json);

void print_json_text(FILE *stream, const char *text); // quoted and escaped; null for NULL
void print_json_diagnostics(FILE *stream, const MrcModel *model);

// One error that is not about a place in a model file: to standard error, with `json` also to standard output
// as {"status": ..., "message": ...}. `command` may be NULL. Returns the exit status.
int report_error(const char *command, const MrcError *error, bool json);
int report_usage(const char *command, bool json, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void print_error(const char *command, const MrcError *error); // to standard error only

bool wants_json(int word_count, char **words); // before the words are understood: is --json among them?

#endif
