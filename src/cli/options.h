// Command-line options: one table per command serves parsing, error messages and help.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_COUNT,
    OPTION_STEPS,
    OPTION_NUMBER,
    OPTION_POSITIVE, // a number
    OPTION_TIME      // in seconds, or with a unit: "500 ms"
} OptionKind;

typedef struct OptionList {
    const char **items;
    int count;
} OptionList;

typedef struct Option {
    const char *name;     // "--threads"
    const char *letter;   // "-o" or NULL
    const char *argument; // "N", or NULL for a flag
    OptionKind kind;
    void *target;    // bool *, const char **, OptionList *, int *, int64_t * or double *
    const char *doc; // one sentence
} Option;

// Reads the words after the command. Positional words go to `positional` (at most `limit`). Reports what is
// wrong (as JSON when --json is among the words) and returns false.
// After the word "--" there are no options: `maraca run -- -odd.yaml`.
bool options_parse(const char *command, int word_count, char **words, const Option *options, int option_count,
                   const char **positional, int limit);

// For people, or as a JSON array.
void options_print_help(const Option *options, int option_count, bool json);

#endif
