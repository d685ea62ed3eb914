// The inputs in words.
#include <math.h>

#include "math/human.h"
#include "model/describe.h"

enum { SHOWN_MAX = 20 }; // the rest is counted

static void describe_table(Text *text, const InputDefinition *input) {
    const Table *table = input->table;
    static const char *const ways[] = {[TABLE_LINEAR] = "linear", [TABLE_CUBIC] = "cubic"};
    static const char *const outsides[] = {
        [TABLE_HOLD] = "held outside", [TABLE_REPEAT] = "repeated", [TABLE_REFUSE] = "nothing outside"};
    double least = table->last_value, largest = table->last_value;
    for (size_t i = 0; i + 1 < table->count; i++) {
        least = fmin(least, table->pieces[i].value);
        largest = fmax(largest, table->pieces[i].value);
    }
    human_add(text, least, input->dimension);
    text_add_string(text, " to ");
    human_add(text, largest, input->dimension);
    text_add(text, " by column %s of %s (", input->column ? input->column : input->name, input->path);
    human_add_count(text, (double)table->count);
    text_add_string(text, " lines from ");
    human_add(text, table_first_time(table), DIM_TIME);
    text_add_string(text, " to ");
    human_add(text, table_last_time(table), DIM_TIME);
    text_add(text, ", %s, %s)", ways[table->interpolation], outsides[table->outside]);
}

void describe_inputs(Text *text, const SimDefinition *definition) {
    for (int i = 0; i < definition->input_count && i < SHOWN_MAX; i++) {
        const InputDefinition *input = &definition->inputs[i];
        text_add(text, "Input %s: ", input->name);
        if (input->table) describe_table(text, input);
        else human_add(text, input->fallback, input->dimension);
        text_add_string(text, ", until it is set.\n");
    }
    if (definition->input_count > SHOWN_MAX)
        text_add(text, "And %d more inputs.\n", definition->input_count - SHOWN_MAX);
}
