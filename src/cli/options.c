#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How unlike two words are: wrong, missing and extra letters, up to a few. For "did you mean".
static int unlikeness(const char *a, const char *b) {
    int row[32], length = (int)strlen(b);
    if (length > 30 || strlen(a) > 30) return 99;
    for (int j = 0; j <= length; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < gap ? change : gap;
        }
    }
    return row[length];
}

static void unknown_option(const char *command, const char *word, const Option *options, int count) {
    const char *nearest = NULL;
    int least = 4;
    for (int i = 0; i < count; i++) {
        int distance = unlikeness(word, options[i].name);
        if (distance < least) least = distance, nearest = options[i].name;
    }
    fprintf(stderr, "maraca %s: unknown option '%s'", command, word);
    if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
    fprintf(stderr, " See 'maraca help %s'.\n", command);
}

static bool store(const char *command, const Option *option, const char *value) {
    if (option->kind == OPTION_FLAG) {
        *(bool *)option->target = true;
        return true;
    }
    if (!value) {
        fprintf(stderr, "maraca %s: %s needs a value: %s %s\n", command, option->name, option->name,
                option->argument);
        return false;
    }
    if (option->kind == OPTION_TEXT) *(const char **)option->target = value;
    if (option->kind == OPTION_LIST) {
        OptionList *list = option->target;
        list->items[list->count++] = value; // one place per word of the command line: never too few
    }
    if (option->kind == OPTION_COUNT) {
        char *end;
        long number = strtol(value, &end, 10);
        if (*value == '\0' || *end != '\0' || number < 1 || number > 100000) {
            fprintf(stderr, "maraca %s: %s takes a whole number from 1 up, not '%s'\n", command, option->name,
                    value);
            return false;
        }
        *(int *)option->target = (int)number;
    }
    return true;
}

static const Option *find(const Option *options, int count, const char *word, size_t length) {
    for (int i = 0; i < count; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0)
            return &options[i];
        if (options[i].letter && strlen(options[i].letter) == length &&
            strncmp(options[i].letter, word, length) == 0)
            return &options[i];
    }
    return NULL;
}

bool options_parse(const char *command, int word_count, char **words, const Option *options, int option_count,
                   const char **positional, int limit) {
    int found = 0;
    for (int i = 0; i < word_count; i++) {
        char *word = words[i];
        if (word[0] != '-' || word[1] == '\0') {
            if (found == limit) {
                fprintf(stderr, "maraca %s: unexpected word '%s'. See 'maraca help %s'.\n", command, word,
                        command);
                return false;
            }
            positional[found++] = word;
            continue;
        }
        char *equals =
            word[1] == '-' ? strchr(word, '=') : NULL; // --set=path=value works like --set path=value
        const Option *option =
            find(options, option_count, word, equals ? (size_t)(equals - word) : strlen(word));
        if (!option) {
            unknown_option(command, word, options, option_count);
            return false;
        }
        const char *value = NULL;
        if (option->kind != OPTION_FLAG) value = equals ? equals + 1 : i + 1 < word_count ? words[++i] : NULL;
        if (!store(command, option, value)) return false;
    }
    return true;
}

void options_print_help(const Option *options, int option_count) {
    for (int i = 0; i < option_count; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s%s%s%s%s", options[i].letter ? options[i].letter : "",
                 options[i].letter ? ", " : "", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-24s %s\n", left, options[i].doc);
    }
}
