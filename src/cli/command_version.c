// maraca version: the version, and the instructions that the library computes with.
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"

static const Option version_json = {"--json", NULL, NULL, OPTION_FLAG, NULL, "print one JSON document"};

static void version_help(bool json) { options_print_help(&version_json, 1, json); }

// "baseline avx2" as "baseline, avx2" or, quoted, as "\"baseline\", \"avx2\"".
static void version_print_levels(const char *levels, const char *quote) {
    for (const char *level = levels; *level; level += strspn(level, " ")) {
        size_t length = strcspn(level, " ");
        printf("%s%s%.*s%s", level == levels ? "" : ", ", quote, (int)length, level, quote);
        level += length;
    }
}

static int version_main(int word_count, char **words) {
    bool json = false;
    Option option = version_json;
    option.target = &json;
    if (!options_parse("version", word_count, words, &option, 1, NULL, 0)) return 2;
    if (json) {
        printf("{\"version\": \"%s\", \"simd\": \"%s\", \"simd_levels\": [", mrc_version(), mrc_simd());
        version_print_levels(mrc_simd_levels(), "\"");
        puts("]}");
    } else {
        printf("maraca %s\ninstructions: %s, of ", mrc_version(), mrc_simd());
        version_print_levels(mrc_simd_levels(), "");
        puts("");
    }
    return 0;
}

const Command command_version = {
    .name = "version",
    .arguments = "[--json]",
    .doc = "print the version, and which instructions are used",
    .run = version_main,
    .help = version_help,
};
