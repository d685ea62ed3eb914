#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"

static int command_version(int word_count, char **words);
static void command_version_help(bool json);
static int command_help(int word_count, char **words);
static void command_help_help(bool json);

const Command commands[] = {
    {"run", "MODEL [options]", "simulate a model and write its result folder", command_run, command_run_help},
    {"check", "MODEL [options]", "check a model and say in words what would be simulated", command_check,
     command_check_help},
    {"advise", "MODEL [options]",
     "critical time steps, how soft contacts may be, which coupling schemes are stable", command_advise,
     command_advise_help},
    {"compare", "MODEL --schemes A,B",
     "run a model by several coupling schemes or with several values, side by side", command_compare,
     command_compare_help},
    {"stability", "[options]", "map where a coupling scheme is stable, for the two-mass oscillator",
     command_stability, command_stability_help},
    {"modes", "MODEL [options]", "natural frequencies, damping ratios and mode shapes of a mechanism",
     command_modes, command_modes_help},
    {"schema", "[options]", "print the format of model files", command_schema, command_schema_help},
    {"version", "[--json]", "print the version", command_version, command_version_help},
    {"help", "[COMMAND] [--json]", "print this, or the options of a command", command_help,
     command_help_help},
};
const int command_count = sizeof commands / sizeof *commands;

static const Command *find_command(const char *name) {
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name, bool json) {
    const char *names[sizeof commands / sizeof *commands];
    char all[200] = "";
    for (int i = 0; i < command_count; i++) {
        names[i] = commands[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", commands[i].name);
    }
    const char *nearest = mrc_nearest_word(name, names, command_count);
    if (nearest)
        return report_usage(NULL, json, "unknown command '%s': did you mean '%s'? See 'maraca help'", name,
                            nearest);
    return report_usage(NULL, json, "unknown command '%s'; there are %s. See 'maraca help'", name, all);
}

// ---- maraca version ------------------------------------------------------------------------------
static const Option json_alone = {"--json", NULL, NULL, OPTION_FLAG, NULL, "print one JSON document"};

static void command_version_help(bool json) { options_print_help(&json_alone, 1, json); }

static int command_version(int word_count, char **words) {
    bool json = false;
    Option option = json_alone;
    option.target = &json;
    if (!options_parse("version", word_count, words, &option, 1, NULL, 0)) return 2;
    printf(json ? "{\"version\": \"%s\"}\n" : "maraca %s\n", mrc_version());
    return 0;
}

// ---- maraca help ---------------------------------------------------------------------------------
static void command_help_help(bool json) { options_print_help(&json_alone, 1, json); }

static void print_overview(FILE *stream) {
    fputs("Maraca simulates machines that move grains, and grains that push back on machines.\n\n"
          "usage: maraca COMMAND ...\n\n",
          stream);
    for (int i = 0; i < command_count; i++)
        fprintf(stream, "  %-9s %-20s %s\n", commands[i].name, commands[i].arguments, commands[i].doc);
    fputs(
        "\n'maraca help COMMAND' lists the options of a command.\n"
        "Every command takes --json and then prints one JSON document and nothing else on standard output.\n"
        "Exit status: 0 done; 1 the simulation failed; 2 the input is wrong.\n",
        stream);
}

static void print_command_json(const Command *command) {
    printf("  {\"name\": \"%s\", \"arguments\": \"%s\", \"does\": \"%s\", \"options\": ", command->name,
           command->arguments, command->doc);
    command->help(true);
    fputs("}", stdout);
}

static void print_commands_json(const Command *first, int count) {
    fputs("{\"commands\": [", stdout);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        print_command_json(&first[i]);
    }
    puts("\n]}");
}

static void help_on(const Command *command, bool json) {
    if (json) {
        print_commands_json(command ? command : commands, command ? 1 : command_count);
    } else if (command) {
        printf("usage: maraca %s %s\n\n%s\n\n", command->name, command->arguments, command->doc);
        command->help(false);
    } else {
        print_overview(stdout);
    }
}

static int command_help(int word_count, char **words) {
    bool json = false;
    const char *name = NULL;
    Option option = json_alone;
    option.target = &json;
    if (!options_parse("help", word_count, words, &option, 1, &name, 1)) return 2;
    const Command *command = name ? find_command(name) : NULL;
    if (name && !command) return unknown_command(name, json);
    help_on(command, json);
    return 0;
}

// ---- the program ---------------------------------------------------------------------------------

// A result file must never be opened in the place of a standard stream that was closed (`maraca run ...
// >&-`): the report would end up in it.
static void fill_standard_streams(void) {
    int file;
    do file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file > STDERR_FILENO) close(file);
}

static int run_command(int word_count, char **words) {
    bool json = wants_json(word_count, words);
    if (word_count < 2 || strcmp(words[1], "--json") == 0) {
        int status = report_usage(NULL, json, "which command?");
        fputc('\n', stderr);
        print_overview(stderr);
        return status;
    }
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const Command *command = find_command(name);
    if (!command) return unknown_command(name, json);
    for (int i = 2; i < word_count; i++) // `maraca run --help` means `maraca help run`
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            help_on(command, json);
            return 0;
        }
    return command->run(word_count - 2, words + 2);
}

// What was printed must have arrived, unless its reader chose to leave (`maraca run ... | head -1`).
static int finish_output(int status) {
    int failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) != 0) failed = 1;
    if (!failed || errno == EPIPE) return status;
    fprintf(stderr, "maraca: cannot write to standard output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return status ? status : 1;
}

int main(int word_count, char **words) {
    fill_standard_streams();
    signal(SIGXFSZ, SIG_IGN); // a limit on the size of files becomes an error of the write
    return finish_output(run_command(word_count, words));
}
