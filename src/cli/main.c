#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAIN_SANITIZED 1
#elif defined(__has_feature)
#define MAIN_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#endif

#define COMMAND_ADDRESS(name) &command_##name,
const Command *const commands[] = {COMMANDS(COMMAND_ADDRESS)};
#undef COMMAND_ADDRESS
const int command_count = sizeof commands / sizeof *commands;
char **program_words;

const Command *command_find(const char *name) {
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

int command_unknown(const char *name, bool json) {
    const char *names[sizeof commands / sizeof *commands];
    char all[200] = "";
    for (int i = 0; i < command_count; i++) {
        names[i] = commands[i]->name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", commands[i]->name);
    }
    const char *nearest = mrc_nearest_word(name, names, command_count);
    if (nearest)
        return report_usage(NULL, json, "unknown command '%s': did you mean '%s'? See 'maraca help'", name,
                            nearest);
    return report_usage(NULL, json, "unknown command '%s'; there are %s. See 'maraca help'", name, all);
}

// ---- the program ---------------------------------------------------------------------------------

// A result file must never be opened in the place of a standard stream that was closed (`maraca run ...
// >&-`): the report would end up in it.
static void main_fill_standard_streams(void) {
    int file;
    do file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file > STDERR_FILENO) close(file);
}

static int main_run_command(int word_count, char **words) {
    bool json = wants_json(word_count, words);
    if (word_count < 2 || strcmp(words[1], "--json") == 0) {
        int status = report_usage(NULL, json, "which command?");
        fputc('\n', stderr);
        command_print_overview(stderr);
        return status;
    }
    if (mrc_simd_error()) return report_usage(NULL, json, "%s", mrc_simd_error());
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const Command *command = command_find(name);
    if (!command) return command_unknown(name, json);
    for (int i = 2; i < word_count; i++) // `maraca run --help` means `maraca help run`
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            command_print_help(command, json);
            return 0;
        }
    return command->run(word_count - 2, words + 2);
}

// All output must have been written, unless its reader was closed (`maraca run ... | head -1`).
static int main_finish_output(int status) {
    int failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) != 0) failed = 1;
    if (!failed || errno == EPIPE) return status;
    fprintf(stderr, "maraca: cannot write to standard output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return status ? status : 1;
}

void program_end(int status) { exit(main_finish_output(status)); }

// OpenBLAS waits for its threads when it is unloaded, and these wait for memory for ever when there was too little as they
// began (`ulimit -v 150000`). So the program ends before its libraries do, also where one of them calls exit(), as libgomp
// does without memory. Sanitizers report when they are unloaded.
#if !MAIN_SANITIZED
static void main_end_at_once(int status, void *unused) {
    (void)unused;
    fflush(stdout);
    _exit(status);
}
#endif

int main(int word_count, char **words) {
#if !MAIN_SANITIZED
    on_exit(main_end_at_once, NULL);
#endif
    program_words = words;
    main_fill_standard_streams();
    signal(SIGXFSZ, SIG_IGN); // a limit on the size of files becomes an error of the write
    program_end(main_run_command(word_count, words));
}
