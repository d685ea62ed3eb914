// Expressions: properties of a compiled one, and whether it has the expected dimension.
//
// Why our own and not muParser or tinyexpr: dimensions are checked when the model is read (`3 s` where a
// length is expected is an error with a place in the text), and motions need exact first and second time
// derivatives, which we get by evaluating jets. Neither can be added to those libraries from outside.
//
// expression_text.c      words, numbers and units
// expression_parse.c     text to program, with dimension analysis
// expression_evaluate.c  the functions and the stack machine, for numbers and for jets
#include "math/expression.h"

#include <stdio.h>

#include "math/expression_internal.h"

Expression *expression_from_value(Arena *arena, double value, Dimension dimension) {
    Expression *expression = arena_alloc(arena, sizeof *expression);
    Instruction *program = arena_alloc(arena, sizeof *program);
    if (!expression || !program) return NULL;
    *program = (Instruction){.opcode = OPCODE_CONSTANT, .value = value};
    *expression = (Expression){.kind = {.dimension = dimension}, .program = program, .program_count = 1};
    return expression;
}

Dimension expression_dimension(const Expression *expression) { return expression->kind.dimension; }
bool expression_is_bare(const Expression *expression) { return expression->kind.bare; }
bool expression_is_hertz(const Expression *expression) { return expression->kind.hertz; }
size_t expression_signal_count(const Expression *expression) { return expression->signal_count; }
size_t expression_signal(const Expression *expression, size_t k) { return expression->signals[k]; }
size_t expression_input_count(const Expression *expression) { return expression->used_input_count; }
const InputDefinition *expression_input(const Expression *expression, size_t k) {
    return &expression->inputs[expression->used_inputs[k]];
}

Expression *expression_renumber(Arena *arena, const Expression *expression, const size_t *places) {
    size_t count = expression->program_count;
    Expression *copy = arena_alloc(arena, sizeof *copy);
    Instruction *program = arena_alloc(arena, count * sizeof *program);
    uint32_t *signals = arena_alloc(arena, expression->signal_count * sizeof *signals + 1);
    if (!copy || !program || !signals) return NULL;
    memcpy(program, expression->program, count * sizeof *program);
    for (size_t k = 0; k < expression->signal_count; k++) signals[k] = (uint32_t)places[k];
    for (size_t i = 0; i < count; i++) {
        if (program[i].opcode != OPCODE_SIGNAL) continue;
        size_t k = 0;
        while (expression->signals[k] != program[i].index) k++;
        program[i].index = signals[k];
    }
    *copy = *expression;
    copy->program = program;
    copy->signals = signals;
    return copy;
}

// The compiler folds all that does not depend on t, signals or inputs, so a constant is a single push.
bool expression_is_constant(const Expression *expression) {
    return expression->program_count == 1 && expression->program[0].opcode == OPCODE_CONSTANT;
}

int expression_find_function(const char *word, size_t length) {
    for (size_t i = 0; i < expression_function_count; i++) {
        const char *name = expression_functions[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0) return (int)i;
    }
    return -1;
}

const char *expression_word_meaning(const char *word) {
    double factor;
    Dimension dimension;
    size_t length = strlen(word);
    if (strcmp(word, "t") == 0) return "the time";
    if (strcmp(word, "pi") == 0) return "the number pi";
    if (expression_find_function(word, length) >= 0) return "a function";
    return unit_find(word, length, &factor, &dimension) ? "a unit" : NULL;
}

const char *expression_misfit(const Expression *expression, Dimension expected, char *buffer, size_t size) {
    return expression_misfit_as(expression, expected, NULL, buffer, size);
}

// The unit in brackets at the end of `words`, or that of the dimension.
static const char *expression_expected_unit(Dimension expected, const char *words, char *unit, size_t size) {
    const char *bracket = words ? strrchr(words, '(') : NULL;
    if (!bracket) return dimension_unit(expected, unit, size);
    snprintf(unit, size, "%.*s", (int)strcspn(bracket + 1, ")"), bracket + 1);
    return unit;
}

const char *expression_misfit_as(const Expression *expression, Dimension expected, const char *words,
                                 char *buffer, size_t size) {
    Kind kind = expression->kind;
    if (kind.bare) return NULL;
    bool fits = dimension_accepts(expected, kind.dimension);
    // 12 Hz is 12 turns a second, not 12 rad/s: the missing angle would hide a factor of 2 pi.
    if (fits && kind.hertz && expected.angle != 0) {
        if (expression_is_constant(expression)) {
            double hertz = expression->program[0].value;
            snprintf(buffer, size,
                     "%g Hz is a frequency; for an angular velocity write 2*pi*%g rad/s or %g rpm", hertz,
                     hertz, 60 * hertz);
        } else snprintf(buffer, size, "this is a frequency in Hz; for an angular velocity multiply by 2*pi");
        return buffer;
    }
    if (fits) return NULL;
    char expected_text[96], given_text[96], unit[64], advice[128] = "";
    Dimension without_angle = kind.dimension, expected_without_angle = expected;
    without_angle.angle = expected_without_angle.angle = 0;
    if (dimension_equal(kind.dimension, DIM_NUMBER))
        snprintf(advice, sizeof advice, ": multiply it by 1 %s",
                 expression_expected_unit(expected, words, unit, sizeof unit));
    else if (dimension_equal(without_angle, expected_without_angle) &&
             kind.dimension.angle == DIMENSION_ONE && expected.angle == 0)
        snprintf(advice, sizeof advice, ": to drop the angle, divide by 1 rad");
    snprintf(buffer, size, "expected %s, got %s%s",
             words ? words : dimension_describe(expected, expected_text, sizeof expected_text),
             dimension_describe(kind.dimension, given_text, sizeof given_text), advice);
    return buffer;
}
