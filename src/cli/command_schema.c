// maraca schema: the model file's format, for editors (JSON Schema) or for people (Markdown).
#include "cli/command.h"
#include "cli/options.h"

typedef struct SchemaWords {
    bool markdown, json;
} SchemaWords;

#define SCHEMA_OPTIONS(w)                                                                                     \
    {                                                                                                         \
        {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "JSON Schema; this is the default"},                  \
            {"--markdown", NULL, NULL, OPTION_FLAG, &(w)->markdown, "the reference page docs/model-file.md"}, \
    }
enum { schema_option_count = 2 };

static void schema_help(bool json) {
    SchemaWords words = {0};
    const Option options[schema_option_count] = SCHEMA_OPTIONS(&words);
    options_print_help(options, schema_option_count, json);
}

static int schema_main(int word_count, char **words) {
    SchemaWords w = {0};
    const Option options[schema_option_count] = SCHEMA_OPTIONS(&w);
    if (!options_parse("schema", word_count, words, options, schema_option_count, NULL, 0)) return 2;
    char *text = w.markdown && !w.json ? mrc_model_reference() : mrc_model_schema();
    if (!text) return report_error("schema", &(MrcError){MRC_MEMORY, "no memory left"}, w.json);
    fputs(text, stdout);
    mrc_text_free(text);
    return 0;
}

const Command command_schema = {
    .name = "schema",
    .arguments = "[options]",
    .doc = "print the format of model files",
    .run = schema_main,
    .help = schema_help,
};
