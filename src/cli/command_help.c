// maraca help: the commands, or the options of one.
#include "cli/command.h"
#include "cli/options.h"

static const Option help_json = {"--json", NULL, NULL, OPTION_FLAG, NULL, "print one JSON document"};

static void help_help(bool json) { options_print_help(&help_json, 1, json); }

void command_print_overview(FILE *stream) {
    fputs("Maraca simulates machines that move grains, and grains that push back on machines.\n\n"
          "usage: maraca COMMAND ...\n\n",
          stream);
    for (int i = 0; i < command_count; i++)
        fprintf(stream, "  %-9s %-20s %s\n", commands[i]->name, commands[i]->arguments, commands[i]->doc);
    fputs(
        "\n'maraca help COMMAND' lists the options of a command.\n"
        "Every command takes --json and then prints one JSON document and nothing else on standard output.\n"
        "Exit status: 0 done; 1 the simulation failed; 2 the input is wrong.\n",
        stream);
}

static void help_print_json(const Command *const *first, int count) {
    fputs("{\"commands\": [", stdout);
    for (int i = 0; i < count; i++) {
        printf("%s\n  {\"name\": \"%s\", \"arguments\": \"%s\", \"does\": \"%s\", \"options\": ",
               i ? "," : "", first[i]->name, first[i]->arguments, first[i]->doc);
        first[i]->help(true);
        fputs("}", stdout);
    }
    puts("\n]}");
}

void command_print_help(const Command *command, bool json) {
    if (json) help_print_json(command ? &command : commands, command ? 1 : command_count);
    else if (command) {
        printf("usage: maraca %s %s\n\n%s\n\n", command->name, command->arguments, command->doc);
        command->help(false);
    } else command_print_overview(stdout);
}

static int help_main(int word_count, char **words) {
    bool json = false;
    const char *name = NULL;
    Option option = help_json;
    option.target = &json;
    if (!options_parse("help", word_count, words, &option, 1, &name, 1)) return 2;
    const Command *command = name ? command_find(name) : NULL;
    if (name && !command) return command_unknown(name, json);
    command_print_help(command, json);
    return 0;
}

const Command command_help = {
    .name = "help",
    .arguments = "[COMMAND] [--json]",
    .doc = "print this, or the options of a command",
    .run = help_main,
    .help = help_help,
};
