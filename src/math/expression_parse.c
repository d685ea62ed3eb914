// From text to program: recursive descent, with dimension analysis and constant folding on the way.
//
//     sum     = product (('+' | '-') product)*
//     product = signed (('*' | '/') signed)*
//     signed  = ('-' | '+') signed | power
//     power   = primary ('^' signed)?                          the exponent is a constant pure number
//     primary = number units? | name | function '(' sum (',' sum)* ')' | '(' sum ')'
//     units   = factor (('*' | '/') factor)*                   only as long as unit symbols follow
//     factor  = (symbol | '(' units ')') ('^' integer)?
//
// The text may be anything at all: recursion, operands and exponents are bounded, see expression_internal.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "math/expression_internal.h"

static bool parse_sum(Parser *parser, Kind *kind);
static bool parse_signed(Parser *parser, Kind *kind);

// ---- names ---------------------------------------------------------------------------------------

static const ExpressionConstant *parser_find_constant(const Parser *parser, Word word) {
    for (size_t i = 0; i < parser->scope->constant_count; i++)
        if (word_is(word, parser->scope->constants[i].name)) return &parser->scope->constants[i];
    return NULL;
}

static const ExpressionSignal *parser_find_signal(const Parser *parser, Word word) {
    for (size_t i = 0; i < parser->scope->signal_count; i++)
        if (word_is(word, parser->scope->signals[i].name)) return &parser->scope->signals[i];
    return NULL;
}

static const InputDefinition *parser_find_input(const Parser *parser, Word word) {
    for (size_t i = 0; i < parser->scope->input_count; i++)
        if (word_is(word, parser->scope->inputs[i].name)) return &parser->scope->inputs[i];
    return NULL;
}

// The known name nearest to a word, of functions or of everything else. NULL if there is none, or no memory.
static const char *parser_nearest_name(const Parser *parser, Word word, bool functions) {
    const ExpressionScope *scope = parser->scope;
    size_t known = scope->constant_count + scope->signal_count + scope->input_count, count = 0;
    size_t room = expression_function_count + known + 2;
    const char **names = malloc(room * sizeof *names);
    if (!names) return NULL;
    if (functions)
        for (size_t i = 0; i < expression_function_count; i++) names[count++] = expression_functions[i].name;
    else {
        names[count++] = "pi";
        names[count++] = "t";
        for (size_t i = 0; i < scope->constant_count; i++) names[count++] = scope->constants[i].name;
        for (size_t i = 0; i < scope->signal_count; i++) names[count++] = scope->signals[i].name;
        for (size_t i = 0; i < scope->input_count; i++) names[count++] = scope->inputs[i].name;
    }
    const char *nearest = nearest_word(word.start, word.length, names, count);
    free(names);
    return nearest;
}

// ---- emitting instructions -----------------------------------------------------------------------

static bool parser_push(Parser *parser, Instruction instruction) {
    if (parser->stack == EXPRESSION_STACK_LIMIT)
        return parser_fail(parser, parser->position, "too complicated: more than %d operands wait at once",
                           EXPRESSION_STACK_LIMIT);
    parser->stack++;
    parser->program[parser->program_count++] = instruction;
    return true;
}

static bool parser_push_constant(Parser *parser, double value) {
    return parser_push(parser, (Instruction){.opcode = OPCODE_CONSTANT, .value = value});
}

// An operation on the topmost operands; done at once when all of them are constants. The last n instructions
// being pushes means that they are the n operands.
static void parser_emit(Parser *parser, Instruction instruction) {
    size_t operands = instruction.operands, first = parser->program_count - operands;
    double values[EXPRESSION_STACK_LIMIT];
    size_t constants = 0;
    while (constants < operands && parser->program[first + constants].opcode == OPCODE_CONSTANT) {
        values[constants] = parser->program[first + constants].value;
        constants++;
    }
    parser->stack -= operands - 1;
    if (constants == operands) {
        parser->program_count = first;
        instruction =
            (Instruction){.opcode = OPCODE_CONSTANT, .value = expression_apply(&instruction, values)};
    }
    parser->program[parser->program_count++] = instruction;
}

// ---- dimension analysis --------------------------------------------------------------------------

static bool parser_is_number(Kind kind) { return dimension_equal(kind.dimension, DIM_NUMBER); }

// The dimension of two operands that are added or compared; false if they do not agree.
static bool parser_agree(Kind a, Kind b, Kind *kind) {
    Kind result = {.bare = a.bare && b.bare, .hertz = a.hertz && b.hertz};
    if (a.bare && b.bare) {
        // t - 0.5 is a time; t + t^2 is a sum of plain SI numbers.
        bool same = dimension_equal(a.dimension, b.dimension);
        result.dimension = same || parser_is_number(b) ? a.dimension
                           : parser_is_number(a)       ? b.dimension
                                                       : DIM_NUMBER;
    } else if (a.bare || dimension_accepts(b.dimension, a.dimension)) result.dimension = b.dimension;
    else if (b.bare || dimension_accepts(a.dimension, b.dimension)) result.dimension = a.dimension;
    else return false;
    *kind = result;
    return true;
}

static bool parser_check_agree(Parser *parser, size_t offset, const char *cannot, Kind a, Kind b,
                               Kind *kind) {
    if (parser_agree(a, b, kind)) return true;
    char first[96], second[96];
    dimension_describe(a.dimension, first, sizeof first);
    dimension_describe(b.dimension, second, sizeof second);
    return parser_fail(parser, offset, "%s %s and %s", cannot, first, second);
}

static bool parser_check_limits(Parser *parser, size_t offset, Dimension dimension) {
    if (dimension_within_limits(dimension)) return true;
    return parser_fail(parser, offset, "the dimension has a power beyond %d", POWER_LIMIT);
}

static bool parser_check_product(Parser *parser, size_t offset, bool divide, Kind a, Kind b, Kind *kind) {
    *kind = (Kind){
        .dimension =
            divide ? dimension_div(a.dimension, b.dimension) : dimension_mul(a.dimension, b.dimension),
        .bare = (a.bare && b.bare) || (a.bare && parser_is_number(b)) || (b.bare && parser_is_number(a)),
    };
    return parser_check_limits(parser, offset, kind->dimension);
}

// One exponent times `factor`, if that is a whole number of twelfths within the limits.
static bool parser_scale_exponent(int16_t *exponent, double factor) {
    double scaled = *exponent * factor, whole = round(scaled);
    if (!(fabs(whole) <= EXPONENT_LIMIT) || fabs(scaled - whole) > 1e-9) return false;
    *exponent = (int16_t)whole;
    return true;
}

static bool parser_check_power(Parser *parser, size_t offset, double exponent, Kind *kind) {
    char text[96];
    Dimension dimension = kind->dimension;
    kind->hertz = false;
    if (parser_scale_exponent(&dimension.length, exponent) &&
        parser_scale_exponent(&dimension.mass, exponent) &&
        parser_scale_exponent(&dimension.time, exponent) &&
        parser_scale_exponent(&dimension.angle, exponent)) {
        kind->dimension = dimension;
        return true;
    }
    if (kind->bare) { // plain SI numbers: any exponent is allowed, as in t^0.3
        kind->dimension = DIM_NUMBER;
        return true;
    }
    return parser_fail(parser, offset, "%s to the power %g is no dimension this program can handle",
                       dimension_describe(kind->dimension, text, sizeof text), exponent);
}

static bool parser_check_number(Parser *parser, size_t offset, const char *function, bool angle_too,
                                Kind kind) {
    Dimension expected = angle_too ? DIM_ANGLE : DIM_NUMBER;
    if (kind.bare || dimension_accepts(expected, kind.dimension)) return true;
    char text[96];
    return parser_fail(parser, offset, "%s needs %s, got %s", function,
                       angle_too ? "an angle or a pure number" : "a pure number",
                       dimension_describe(kind.dimension, text, sizeof text));
}

// ---- numbers and names ---------------------------------------------------------------------------

// What follows a number is neither blank nor operator nor unit.
static bool parser_fail_after_number(Parser *parser, Word word) {
    if (word_is(word, "t") || word_is(word, "pi") || parser_find_constant(parser, word) ||
        parser_find_signal(parser, word) || parser_find_input(parser, word) ||
        expression_find_function(word.start, word.length) >= 0)
        return parser_fail(parser, parser->position, "a product needs its sign: write '*' before '%.*s'",
                           word_shown(word), word.start);
    return parser_fail_unknown(parser, parser->position, "unit", word, unit_nearest(word.start, word.length));
}

static bool parse_quantity(Parser *parser, size_t number, Kind *kind) {
    double value;
    size_t start = parser->position;
    if (!parser_number(parser, number, &value)) return false;
    *kind = (Kind){.bare = true};
    size_t after = parser->position;
    parser_skip_blanks(parser);
    Word word = parser_word(parser);
    if (word.length > 0) {
        Units units;
        Found found = parser_units(parser, &units);
        if (found == FOUND_ERROR) return false;
        if (found == FOUND_NONE) return parser_fail_after_number(parser, word);
        value = units_to_si(value, units.factor);
        if (!isfinite(value)) return parser_fail(parser, start, "the number is too large");
        *kind = (Kind){.dimension = units.dimension, .hertz = units.hertz};
    } else parser->position = after;
    return parser_push_constant(parser, value);
}

// Adds an index to a list that holds each one once.
static void parser_note_use(uint32_t *list, size_t *count, uint32_t index) {
    size_t k = 0;
    while (k < *count && list[k] != index) k++;
    if (k == *count) list[(*count)++] = index;
}

static bool parser_push_signal(Parser *parser, uint32_t index) {
    parser_note_use(parser->signals, &parser->signal_count, index);
    return parser_push(parser, (Instruction){.opcode = OPCODE_SIGNAL, .index = index});
}

static bool parser_push_input(Parser *parser, uint32_t index) {
    parser_note_use(parser->inputs, &parser->input_count, index);
    return parser_push(parser, (Instruction){.opcode = OPCODE_INPUT, .index = index});
}

static bool parse_name(Parser *parser, Word word, Kind *kind) {
    size_t start = parser->position;
    parser->position += word.length;
    const ExpressionConstant *constant = parser_find_constant(parser, word);
    const ExpressionSignal *signal = parser_find_signal(parser, word);
    const InputDefinition *input = parser_find_input(parser, word);
    if (word_is(word, "t")) {
        *kind = (Kind){.dimension = DIM_TIME, .bare = true};
        return parser_push(parser, (Instruction){.opcode = OPCODE_TIME});
    }
    if (word_is(word, "pi")) {
        *kind = (Kind){.bare = true};
        return parser_push_constant(parser, 3.14159265358979323846);
    }
    if (constant) {
        *kind = (Kind){constant->dimension, constant->bare, constant->hertz};
        return parser_push_constant(parser, constant->value);
    }
    if (signal) {
        *kind = (Kind){.dimension = signal->dimension};
        return parser_push_signal(parser, (uint32_t)(signal - parser->scope->signals));
    }
    if (input) {
        *kind = (Kind){input->dimension, input->bare, input->hertz};
        return parser_push_input(parser, (uint32_t)(input - parser->scope->inputs));
    }
    double factor;
    Dimension dimension;
    if (unit_find(word.start, word.length, &factor, &dimension))
        return parser_fail(parser, start, "%.*s is a unit: write 1 %.*s", word_shown(word), word.start,
                           word_shown(word), word.start);
    if (expression_find_function(word.start, word.length) >= 0)
        return parser_fail(parser, start, "%.*s is a function: write %.*s(...)", word_shown(word), word.start,
                           word_shown(word), word.start);
    return parser_fail_unknown(parser, start, "name", word, parser_nearest_name(parser, word, false));
}

// Folds the dimension of one more argument into `kind`, which holds that of those before.
static bool parser_check_argument(Parser *parser, size_t offset, const ExpressionFunction *function,
                                  size_t count, Kind argument, Kind *kind) {
    switch (function->rule) {
    case RULE_ANGLE:
    case RULE_NUMBER:
        return parser_check_number(parser, offset, function->name, function->rule == RULE_ANGLE, argument);
    case RULE_AGREE:
    case RULE_AGREE_NUMBER:
    case RULE_CLAMP:
        if (count > 0) return parser_check_agree(parser, offset, "cannot compare", *kind, argument, kind);
        *kind = argument;
        return true;
    default:
        *kind = argument;
        return true;
    }
}

// The dimension of the whole call, from that of its arguments.
static bool parser_check_call(Parser *parser, size_t offset, const ExpressionFunction *function, size_t count,
                              Kind *kind) {
    if (count >= 64 || !(function->counts >> count & 1))
        return parser_fail(parser, offset, "%s takes %s, got %zu", function->name, function->takes, count);
    if (function->rule == RULE_ROOT) return parser_check_power(parser, offset, 0.5, kind);
    if (function->rule == RULE_KEEP || function->rule == RULE_AGREE) return true;
    if (function->rule == RULE_CLAMP && count == 1 && !kind->bare && !parser_is_number(*kind)) {
        char text[96];
        return parser_fail(parser, offset, "%s of %s: say where it begins and ends, %s(x, begin, end)",
                           function->name, dimension_describe(kind->dimension, text, sizeof text),
                           function->name);
    }
    *kind = (Kind){0};
    return true;
}

static bool parse_call(Parser *parser, Word word, Kind *kind) {
    size_t start = parser->position, count = 0;
    int index = expression_find_function(word.start, word.length);
    if (index < 0) {
        const char *nearest = word_is(word, "ln") ? "log" : parser_nearest_name(parser, word, true);
        return parser_fail_unknown(parser, start, "function", word, nearest);
    }
    const ExpressionFunction *function = &expression_functions[index];
    parser->position += word.length;
    parser_take(parser, '(');
    *kind = (Kind){0};
    if (!parser_take(parser, ')')) {
        do {
            Kind argument;
            parser_skip_blanks(parser);
            size_t offset = parser->position;
            if (!parse_sum(parser, &argument)) return false;
            if (!parser_check_argument(parser, offset, function, count, argument, kind)) return false;
            count++;
        } while (parser_take(parser, ','));
        if (!parser_take(parser, ')'))
            return parser_fail(parser, parser->position, "expected ',' or ')' in the call of %s",
                               function->name);
    }
    if (!parser_check_call(parser, start, function, count, kind)) return false;
    parser_emit(
        parser,
        (Instruction){.opcode = OPCODE_FUNCTION, .operands = (uint16_t)count, .index = (uint32_t)index});
    return true;
}

// ---- the grammar ---------------------------------------------------------------------------------

static bool parse_primary(Parser *parser, Kind *kind) {
    parser_skip_blanks(parser);
    size_t number = parser_number_length(parser);
    if (number > 0) return parse_quantity(parser, number, kind);
    Word word = parser_word(parser);
    if (word.length > 0) {
        size_t after = parser->position + word.length;
        while (parser->text[after] == ' ' || parser->text[after] == '\t') after++;
        return parser->text[after] == '(' ? parse_call(parser, word, kind) : parse_name(parser, word, kind);
    }
    size_t start = parser->position;
    if (!parser_take(parser, '(')) return parser_fail_unexpected(parser, "a number or a name");
    if (!parse_sum(parser, kind)) return false;
    if (parser_take(parser, ')')) return true;
    if (parser_current(parser) == '\0') return parser_fail(parser, start, "this '(' is never closed");
    return parser_fail_unexpected(parser, "an operator or ')'");
}

static bool parse_power(Parser *parser, Kind *kind) {
    if (!parse_primary(parser, kind)) return false;
    if (!parser_take(parser, '^')) return true;
    parser_skip_blanks(parser);
    size_t start = parser->position, before = parser->program_count;
    Kind exponent;
    if (!parse_signed(parser, &exponent)) return false;
    const Instruction *last = &parser->program[parser->program_count - 1];
    if (parser->program_count != before + 1 || last->opcode != OPCODE_CONSTANT)
        return parser_fail(parser, start, "the exponent must be a constant");
    if (!parser_is_number(exponent)) return parser_fail(parser, start, "the exponent must be a pure number");
    double value = last->value;
    if (!isfinite(value)) return parser_fail(parser, start, "the exponent is not finite");
    if (!parser_check_power(parser, start, value, kind)) return false;
    parser->program_count--;
    parser->stack--;
    parser_emit(parser, (Instruction){.opcode = OPCODE_POWER, .operands = 1, .value = value});
    return true;
}

// Every recursion of the grammar comes through here, so this is where its depth is bounded.
static bool parse_signed(Parser *parser, Kind *kind) {
    if (parser->depth == EXPRESSION_DEPTH_LIMIT)
        return parser_fail(parser, parser->position, "nested more than %d deep", EXPRESSION_DEPTH_LIMIT);
    parser->depth++;
    bool good;
    if (parser_take(parser, '-')) {
        good = parse_signed(parser, kind);
        if (good) parser_emit(parser, (Instruction){.opcode = OPCODE_NEGATE, .operands = 1});
    } else if (parser_take(parser, '+')) good = parse_signed(parser, kind);
    else good = parse_power(parser, kind);
    parser->depth--;
    return good;
}

static bool parse_product(Parser *parser, Kind *kind) {
    if (!parse_signed(parser, kind)) return false;
    for (;;) {
        parser_skip_blanks(parser);
        size_t start = parser->position;
        bool divide = parser_take(parser, '/');
        if (!divide && !parser_take(parser, '*')) return true;
        Kind right;
        if (!parse_signed(parser, &right)) return false;
        if (!parser_check_product(parser, start, divide, *kind, right, kind)) return false;
        parser_emit(parser, (Instruction){.opcode = divide ? OPCODE_DIVIDE : OPCODE_MULTIPLY, .operands = 2});
    }
}

static bool parse_sum(Parser *parser, Kind *kind) {
    if (!parse_product(parser, kind)) return false;
    for (;;) {
        parser_skip_blanks(parser);
        size_t start = parser->position;
        bool subtract = parser_take(parser, '-');
        if (!subtract && !parser_take(parser, '+')) return true;
        Kind right;
        if (!parse_product(parser, &right)) return false;
        const char *cannot = subtract ? "cannot take the difference of" : "cannot add";
        if (!parser_check_agree(parser, start, cannot, *kind, right, kind)) return false;
        parser_emit(parser, (Instruction){.opcode = subtract ? OPCODE_SUBTRACT : OPCODE_ADD, .operands = 2});
    }
}

static Expression *parser_finish(Parser *parser, Arena *arena, Kind kind) {
    size_t program_size = parser->program_count * sizeof(Instruction);
    size_t signals_size = parser->signal_count * sizeof(uint32_t);
    size_t inputs_size = parser->input_count * sizeof(uint32_t);
    Expression *expression = arena_alloc(arena, sizeof *expression);
    Instruction *program = arena_alloc(arena, program_size);
    uint32_t *signals = arena_alloc(arena, signals_size + 1);
    uint32_t *inputs = arena_alloc(arena, inputs_size + 1);
    if (!expression || !program || !signals || !inputs) {
        parser_fail(parser, 0, "no memory left");
        return NULL;
    }
    memcpy(program, parser->program, program_size);
    if (signals_size > 0) memcpy(signals, parser->signals, signals_size);
    if (inputs_size > 0) memcpy(inputs, parser->inputs, inputs_size);
    *expression = (Expression){.kind = kind,
                               .program = program,
                               .program_count = parser->program_count,
                               .signals = signals,
                               .signal_count = parser->signal_count,
                               .inputs = parser->scope->inputs,
                               .used_inputs = inputs,
                               .used_input_count = parser->input_count};
    return expression;
}

Expression *expression_compile(Arena *arena, const char *text, const ExpressionScope *scope,
                               ExpressionError *error) {
    static const ExpressionScope nothing = {0};
    ExpressionError unwanted;
    Parser parser = {.text = text, .scope = scope ? scope : &nothing, .error = error ? error : &unwanted};
    parser.length = strnlen(text, EXPRESSION_TEXT_LIMIT + 1);
    if (parser.length > EXPRESSION_TEXT_LIMIT) {
        parser_fail(&parser, 0, "longer than %d bytes", EXPRESSION_TEXT_LIMIT);
        return NULL;
    }
    parser.program = malloc((parser.length + 1) * sizeof *parser.program);
    parser.signals = malloc((parser.length + 1) * sizeof *parser.signals);
    parser.inputs = malloc((parser.length + 1) * sizeof *parser.inputs);
    Expression *expression = NULL;
    Kind kind;
    if (!parser.program || !parser.signals || !parser.inputs) parser_fail(&parser, 0, "no memory left");
    else if (parse_sum(&parser, &kind)) {
        parser_skip_blanks(&parser);
        if (parser.position < parser.length) parser_fail_unexpected(&parser, "an operator");
        else expression = parser_finish(&parser, arena, kind);
    }
    free(parser.program);
    free(parser.signals);
    free(parser.inputs);
    return expression;
}
