#include <string.h>

#include "cli/command.h"
#include "cli/options.h"

const Command commands[] = {
    {"run", "MODEL [options]", "simulate a model and write its result folder", command_run, command_run_help},
    {"check", "MODEL [options]", "check a model and say in words what would be simulated", command_check,
     command_check_help},
    {"schema", "[options]", "print the format of model files", command_schema, command_schema_help},
    {"version", "[--json]", "print the version", command_version, NULL},
    {"help", "[COMMAND] [--json]", "print this, or the options of a command", command_help, NULL},
};
const int command_count = sizeof commands / sizeof *commands;

static const Command *find_command(const char *name) {
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    fprintf(stderr, "maraca: unknown command '%s'. There are:", name);
    for (int i = 0; i < command_count; i++) fprintf(stderr, " %s", commands[i].name);
    fputs(". See 'maraca help'.\n", stderr);
    return 2;
}

int command_version(int word_count, char **words) {
    bool json = false;
    const Option option = {"--json", NULL, NULL, OPTION_FLAG, &json, ""};
    if (!options_parse("version", word_count, words, &option, 1, NULL, 0)) return 2;
    printf(json ? "{\"version\": \"%s\"}\n" : "maraca %s\n", mrc_version());
    return 0;
}

static void print_overview(void) {
    puts("Maraca simulates machines that move grains, and grains that push back on machines.\n");
    puts("usage: maraca COMMAND ...\n");
    for (int i = 0; i < command_count; i++)
        printf("  %-8s %-20s %s\n", commands[i].name, commands[i].arguments, commands[i].doc);
    puts("\nEvery command takes --json and then prints one JSON document and nothing else on standard "
         "output.");
    puts("Exit status: 0 done; 1 the simulation failed; 2 the input is wrong.");
}

static void print_overview_json(void) {
    puts("{\"commands\": [");
    for (int i = 0; i < command_count; i++) {
        printf("  {\"name\": \"%s\", \"arguments\": \"%s\", \"does\": \"%s\"}%s\n", commands[i].name,
               commands[i].arguments, commands[i].doc, i + 1 < command_count ? "," : "");
    }
    puts("]}");
}

int command_help(int word_count, char **words) {
    bool json = false;
    const char *name = NULL;
    const Option option = {"--json", NULL, NULL, OPTION_FLAG, &json, ""};
    if (!options_parse("help", word_count, words, &option, 1, &name, 1)) return 2;
    const Command *command = name ? find_command(name) : NULL;
    if (name && !command) return unknown_command(name);
    if (json) {
        print_overview_json();
    } else if (command) {
        printf("usage: maraca %s %s\n\n%s\n", command->name, command->arguments, command->doc);
        if (command->help) putchar('\n'), command->help();
    } else {
        print_overview();
    }
    return 0;
}

int main(int word_count, char **words) {
    if (word_count < 2) {
        print_overview();
        return 2;
    }
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const Command *command = find_command(name);
    if (!command) return unknown_command(name);
    for (int i = 2; i < word_count; i++) // `maraca run --help` means `maraca help run`
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return command_help(1, (char *[]){(char *)command->name});
    return command->run(word_count - 2, words + 2);
}
