// The commands of the program: one file command_NAME.c each, one row in the table of main.c.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "maraca/maraca.h"

typedef struct Command {
    const char *name;
    const char *arguments;                    // "MODEL [-o DIR] ..."
    const char *doc;                          // one sentence
    int (*run)(int word_count, char **words); // the words after the command; returns the exit status
    void (*help)(bool json);                  // prints its options, for people or as a JSON array
} Command;

int command_run(int word_count, char **words);
void command_run_help(bool json);
int command_check(int word_count, char **words);
void command_check_help(bool json);
int command_advise(int word_count, char **words);
void command_advise_help(bool json);
int command_compare(int word_count, char **words);
void command_compare_help(bool json);
int command_stability(int word_count, char **words);
void command_stability_help(bool json);
int command_modes(int word_count, char **words);
void command_modes_help(bool json);
int command_schema(int word_count, char **words);
void command_schema_help(bool json);

extern const Command commands[];
extern const int command_count;

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
