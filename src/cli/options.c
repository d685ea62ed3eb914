#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

// The words being read, for the error messages.
typedef struct Reading {
    const char *command;
    bool json;
    const Option *options;
    int option_count;
} Reading;

static void options_unknown_option(const Reading *reading, const char *word) {
    enum { OPTIONS_MAX = 64 };
    const char *names[OPTIONS_MAX], *equals = strchr(word, '=');
    char *name = strndup(word, equals ? (size_t)(equals - word) : strlen(word));
    int count = reading->option_count < OPTIONS_MAX ? reading->option_count : OPTIONS_MAX;
    for (int i = 0; i < count; i++) names[i] = reading->options[i].name;
    const char *nearest = name ? mrc_nearest_word(name, names, count) : NULL;
    report_usage(reading->command, reading->json, "unknown option '%s'%s%s%s See 'maraca help %s'", word,
                 nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : ".",
                 reading->command);
    free(name);
}

static bool options_store_count(const Reading *reading, const Option *option, const char *value) {
    enum { limit = 1024 }; // more is a typing error, and would exhaust the machine
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < 1 || number > limit) {
        report_usage(reading->command, reading->json, "%s takes a whole number from 1 to %d, not '%s'",
                     option->name, limit, value);
        return false;
    }
    *(int *)option->target = (int)number;
    return true;
}

static bool options_store_steps(const Reading *reading, const Option *option, const char *value) {
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < 1) {
        report_usage(reading->command, reading->json, "%s takes a whole number from 1 on, not '%s'",
                     option->name, value);
        return false;
    }
    *(int64_t *)option->target = number;
    return true;
}

static bool options_store_number(const Reading *reading, const Option *option, const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number)) {
        report_usage(reading->command, reading->json, "%s takes a number, not '%s'", option->name, value);
        return false;
    }
    *(double *)option->target = number;
    return true;
}

static bool options_store_positive(const Reading *reading, const Option *option, const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number) || !(number > 0)) {
        report_usage(reading->command, reading->json, "%s takes a positive number, not '%s'", option->name,
                     value);
        return false;
    }
    *(double *)option->target = number;
    return true;
}

static bool options_store_time(const Reading *reading, const Option *option, const char *value) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}};
    char *end;
    double number = strtod(value, &end);
    const char *unit = end + strspn(end, " ");
    for (size_t i = 0; end != value && isfinite(number) && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *(double *)option->target = number * units[i].seconds;
            return true;
        }
    report_usage(reading->command, reading->json, "%s takes a time, such as 0.5 or '500 ms', not '%s'",
                 option->name, value);
    return false;
}

static bool options_store(const Reading *reading, const Option *option, const char *value) {
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)option->target = true;
        return true;
    case OPTION_TEXT:
        *(const char **)option->target = value;
        return true;
    case OPTION_LIST: {
        OptionList *list = option->target;
        list->items[list->count++] = value; // one place per word of the command line: never too few
        return true;
    }
    case OPTION_STEPS:
        return options_store_steps(reading, option, value);
    case OPTION_NUMBER:
        return options_store_number(reading, option, value);
    case OPTION_POSITIVE:
        return options_store_positive(reading, option, value);
    case OPTION_TIME:
        return options_store_time(reading, option, value);
    default:
        return options_store_count(reading, option, value);
    }
}

static const Option *options_find(const Reading *reading, const char *word, size_t length) {
    for (int i = 0; i < reading->option_count; i++) {
        const Option *option = &reading->options[i];
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0) return option;
        if (option->letter && strlen(option->letter) == length && strncmp(option->letter, word, length) == 0)
            return option;
    }
    return NULL;
}

// One option and its value: the rest of the word after '=' (--set=path=value), or the next word. Returns the
// number of words used, 0 after a report.
static int options_read_option(const Reading *reading, char **words, int left) {
    char *word = words[0], *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    const Option *option = options_find(reading, word, equals ? (size_t)(equals - word) : strlen(word));
    if (!option) {
        options_unknown_option(reading, word);
        return 0;
    }
    if (option->kind == OPTION_FLAG && equals) {
        report_usage(reading->command, reading->json, "%s takes no value, but '%s' was given", option->name,
                     equals + 1);
        return 0;
    }
    if (option->kind == OPTION_FLAG || equals)
        return options_store(reading, option, equals ? equals + 1 : NULL) ? 1 : 0;
    // In `-o --quiet` the value of -o is missing: it is not a folder of that name.
    if (left < 2 || options_find(reading, words[1], strlen(words[1]))) {
        report_usage(reading->command, reading->json, "%s needs a value: %s %s", word, word,
                     option->argument);
        return 0;
    }
    return options_store(reading, option, words[1]) ? 2 : 0;
}

bool options_parse(const char *command, int word_count, char **words, const Option *options, int option_count,
                   const char **positional, int limit) {
    Reading reading = {command, wants_json(word_count, words), options, option_count};
    int found = 0;
    for (int k = 0; k < option_count; k++)
        if (options[k].kind == OPTION_LIST && !((const OptionList *)options[k].target)->items)
            program_end(
                report_error(command, &(MrcError){MRC_MEMORY, "no memory left for the words"}, reading.json));
    bool ended = false; // by "--": what follows are no options
    for (int i = 0; i < word_count;) {
        if (!ended && strcmp(words[i], "--") == 0) {
            ended = true;
            i++;
        } else if (!ended && words[i][0] == '-' && words[i][1] != '\0') {
            int used = options_read_option(&reading, words + i, word_count - i);
            if (used == 0) return false;
            i += used;
        } else if (found == limit) {
            report_usage(command, reading.json, "unexpected word '%s'. See 'maraca help %s'", words[i],
                         command);
            return false;
        } else {
            positional[found++] = words[i++];
        }
    }
    return true;
}

static void options_print_help_json(const Option *options, int option_count) {
    fputs("[", stdout);
    for (int i = 0; i < option_count; i++) {
        printf("%s\n    {\"name\": \"%s\", \"letter\": ", i ? "," : "", options[i].name);
        print_json_text(stdout, options[i].letter);
        fputs(", \"argument\": ", stdout);
        print_json_text(stdout, options[i].argument);
        fputs(", \"does\": ", stdout);
        print_json_text(stdout, options[i].doc);
        fputs("}", stdout);
    }
    fputs("]", stdout);
}

void options_print_help(const Option *options, int option_count, bool json) {
    if (json) {
        options_print_help_json(options, option_count);
        return;
    }
    for (int i = 0; i < option_count; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s%s%s%s%s", options[i].letter ? options[i].letter : "",
                 options[i].letter ? ", " : "", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-24s %s\n", left, options[i].doc);
    }
}
