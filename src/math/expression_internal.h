// The compiled form of an expression and its parser: private to the expression_*.c files.
#ifndef MATH_EXPRESSION_INTERNAL_H
#define MATH_EXPRESSION_INTERNAL_H

#include "math/expression.h"

enum {
    EXPRESSION_TEXT_LIMIT = 4096, // bytes
    EXPRESSION_DEPTH_LIMIT =
        100,                     // nested parentheses, calls, signs and powers: bounds the parser's recursion
    EXPRESSION_STACK_LIMIT = 64, // operands waiting at once: the evaluation stack is on the C stack
};

typedef enum Opcode {
    OPCODE_CONSTANT, // push value
    OPCODE_TIME,     // push t
    OPCODE_SIGNAL,   // push signals[index]
    OPCODE_INPUT,    // push input `index` of the scope
    OPCODE_ADD,
    OPCODE_SUBTRACT,
    OPCODE_MULTIPLY,
    OPCODE_DIVIDE,
    OPCODE_NEGATE,
    OPCODE_POWER,    // top^value
    OPCODE_FUNCTION, // expression_functions[index] of the top `operands`
} Opcode;

typedef struct Instruction {
    uint16_t opcode;
    uint16_t operands; // how many it takes off the stack; all but the first four opcodes push one result
    uint32_t index;
    double value;
} Instruction;

// The result of dimension analysis for a sub-expression.
typedef struct Kind {
    Dimension dimension;
    bool bare;
    bool hertz;
} Kind;

struct Expression {
    Kind kind;
    const Instruction *program;
    size_t program_count;
    const uint32_t *signals; // places in the scope's list, each once, in order of first use
    size_t signal_count;
    const InputDefinition *inputs; // the scope's list
    const uint32_t *used_inputs;   // places in it, each once, in order of first use
    size_t used_input_count;
};

typedef enum FunctionRule {
    RULE_ANGLE,        // an angle or a number -> number
    RULE_NUMBER,       // a number -> number
    RULE_KEEP,         // anything -> the same
    RULE_SIGN,         // anything -> number
    RULE_ROOT,         // anything -> its square root
    RULE_AGREE,        // operands that could be added -> the same
    RULE_AGREE_NUMBER, // operands that could be added -> number
    RULE_CLAMP,        // like RULE_AGREE_NUMBER, but a single operand is a number
} FunctionRule;

// Functions of one operand give their two derivatives; the others work on jets themselves.
typedef struct ExpressionFunction {
    const char *name;
    const char *takes; // "1 argument", for messages
    uint64_t counts;   // bit n: n operands are allowed
    FunctionRule rule;
    double (*unary)(double x);
    void (*slopes)(double x, double *first, double *second);
    double (*value)(const double *x, size_t count); // these two when `unary` is NULL
    Jet (*jet)(const Jet *x, size_t count);
} ExpressionFunction;

extern const ExpressionFunction expression_functions[];
extern const size_t expression_function_count;

// The result of one operation (not of the four pushes) on its operands.
double expression_apply(const Instruction *instruction, const double *operands);

// The place of a function in the table, or -1.
int expression_find_function(const char *word, size_t length);

// ---- the parser: expression_text.c reads words and quantities, expression_parse.c the grammar ------

enum {
    POWER_LIMIT = 20,                             // of a dimension
    EXPONENT_LIMIT = POWER_LIMIT * DIMENSION_ONE, // the same in twelfths
};

typedef struct Parser {
    const char *text;
    size_t length, position;
    const ExpressionScope *scope;
    ExpressionError *error;
    Instruction *program; // room for one instruction per byte of text, and each takes at least one
    size_t program_count;
    uint32_t *signals, *inputs; // the same room
    size_t signal_count, input_count;
    size_t depth, stack; // nesting now, and operands on the stack now
} Parser;

typedef struct Word {
    const char *start;
    size_t length;
} Word;

typedef enum Found { FOUND_NONE, FOUND, FOUND_ERROR } Found;

// Sets the error; false, so that one can write `return parser_fail(...)`.
bool parser_fail(Parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parser_fail_unknown(Parser *parser, size_t offset, const char *what, Word word, const char *nearest);
// Something stands where `expected` should.
bool parser_fail_unexpected(Parser *parser, const char *expected);

char parser_current(const Parser *parser); // NUL at the end
void parser_skip_blanks(Parser *parser);
bool parser_take(Parser *parser, char wanted); // steps over the character if it comes next, after blanks

// The word at the position, of length 0 if there is none: a name, dotted or not, or a unit, so '%' and a
// leading micro sign count.
Word parser_word(const Parser *parser);
bool word_is(Word word, const char *text);
int word_shown(Word word); // how much of it to show in a message

size_t parser_number_length(const Parser *parser); // of the number at the position, 0 if there is none
bool parser_number(Parser *parser, size_t length, double *value);
// The longest product of units from here on; FOUND_NONE leaves the position alone.
Found parser_units(Parser *parser, Units *units);

bool dimension_within_limits(Dimension dimension);

#endif
