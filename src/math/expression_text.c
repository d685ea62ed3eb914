// Characters, words, numbers and units of an expression.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "math/expression_internal.h"

enum {
    NUMBER_LIMIT = 128, // characters of one number
    WORD_SHOWN = 40,    // characters of a word in a message
};

// ---- errors --------------------------------------------------------------------------------------

bool parser_fail(Parser *parser, size_t offset, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    parser->error->offset = offset;
    vsnprintf(parser->error->text, sizeof parser->error->text, format, arguments);
    va_end(arguments);
    return false;
}

// Words hold no UTF-8 but a leading mu, so the cut never splits a character.
int word_shown(Word word) { return word.length < WORD_SHOWN ? (int)word.length : WORD_SHOWN; }

bool parser_fail_unknown(Parser *parser, size_t offset, const char *what, Word word, const char *nearest) {
    if (nearest)
        return parser_fail(parser, offset, "unknown %s '%.*s': did you mean '%s'?", what, word_shown(word),
                           word.start, nearest);
    return parser_fail(parser, offset, "unknown %s '%.*s'", what, word_shown(word), word.start);
}

bool parser_fail_unexpected(Parser *parser, const char *expected) {
    unsigned char c = (unsigned char)parser_current(parser);
    if (c == '\0') return parser_fail(parser, parser->position, "%s is missing at the end", expected);
    if (c < ' ' || c == 0x7F) return parser_fail(parser, parser->position, "unexpected control character");
    if (c > 0x7F)
        return parser_fail(parser, parser->position, "unexpected character: only ASCII and µ are understood");
    return parser_fail(parser, parser->position, "expected %s, found '%c'", expected, c);
}

// ---- characters and words ------------------------------------------------------------------------

// isalpha() and its kin depend on the locale.
static bool parser_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool parser_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

char parser_current(const Parser *parser) { return parser->text[parser->position]; }

void parser_skip_blanks(Parser *parser) {
    while (parser_current(parser) && strchr(" \t\r\n", parser_current(parser))) parser->position++;
}

bool parser_take(Parser *parser, char wanted) {
    parser_skip_blanks(parser);
    if (parser_current(parser) != wanted) return false;
    parser->position++;
    return true;
}

Word parser_word(const Parser *parser) {
    const char *start = parser->text + parser->position;
    if (*start == '%') return (Word){start, 1};
    size_t length = 0;
    if (strncmp(start, "\xC2\xB5", 2) == 0 || strncmp(start, "\xCE\xBC", 2) == 0) length = 2;
    if (!parser_is_letter(start[length])) return (Word){start, 0};
    while (parser_is_letter(start[length]) || parser_is_digit(start[length]) || start[length] == '.')
        length++;
    return (Word){start, length};
}

bool word_is(Word word, const char *text) {
    return strlen(text) == word.length && memcmp(text, word.start, word.length) == 0;
}

// ---- numbers -------------------------------------------------------------------------------------

// Words such as inf and hexadecimal are no numbers.
size_t parser_number_length(const Parser *parser) {
    const char *text = parser->text + parser->position;
    size_t length = 0, digits = 0;
    for (; parser_is_digit(text[length]); length++) digits++;
    if (text[length] == '.') length++;
    for (; parser_is_digit(text[length]); length++) digits++;
    if (digits == 0) return 0;
    if (text[length] != 'e' && text[length] != 'E') return length;
    size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
    if (!parser_is_digit(text[length + 1 + sign])) return length; // the e begins a word
    length += 1 + sign;
    while (parser_is_digit(text[length])) length++;
    return length;
}

bool parser_number(Parser *parser, size_t length, double *value) {
    char digits[NUMBER_LIMIT];
    *value = 0;
    size_t start = parser->position;
    if (length >= sizeof digits)
        return parser_fail(parser, start, "a number of more than %d characters", NUMBER_LIMIT - 1);
    memcpy(digits, parser->text + start, length);
    digits[length] = '\0';
    *value = number_read(digits, NULL);
    parser->position += length;
    return isfinite(*value) || parser_fail(parser, start, "the number is too large");
}

// ---- units ---------------------------------------------------------------------------------------

static Found parse_units(Parser *parser, bool groups, Units *units);

bool dimension_within_limits(Dimension dimension) {
    return abs(dimension.length) <= EXPONENT_LIMIT && abs(dimension.mass) <= EXPONENT_LIMIT &&
           abs(dimension.time) <= EXPONENT_LIMIT && abs(dimension.angle) <= EXPONENT_LIMIT;
}

// `^-2` after a unit; 1 when there is no power.
static bool parse_unit_power(Parser *parser, int *power) {
    *power = 1;
    size_t before = parser->position;
    if (!parser_take(parser, '^')) {
        parser->position = before;
        return true;
    }
    parser_skip_blanks(parser);
    size_t start = parser->position;
    bool negative = parser_current(parser) == '-';
    if (negative || parser_current(parser) == '+') parser->position++;
    int digits = 0, magnitude = 0;
    for (; parser_is_digit(parser_current(parser)) && magnitude <= POWER_LIMIT; parser->position++, digits++)
        magnitude = 10 * magnitude + (parser_current(parser) - '0');
    if (digits == 0 || parser_current(parser) == '.')
        return parser_fail(parser, start, "the power of a unit must be a whole number, as in m^2 or s^-1");
    if (magnitude > POWER_LIMIT)
        return parser_fail(parser, start, "the power of a unit is at most %d", POWER_LIMIT);
    *power = negative ? -magnitude : magnitude;
    parser_skip_blanks(parser);
    if (parser_current(parser) == '^') // 3 m^2^2: 3 m^4 or 9 m^4?
        return parser_fail(parser, parser->position, "a power of a power: write parentheses");
    return true;
}

static Units units_power(Units base, int power) {
    Units result = {.factor = 1, .hertz = base.hertz && power == 1};
    for (int i = 0; i < abs(power); i++) {
        result.factor = power > 0 ? result.factor * base.factor : result.factor / base.factor;
        if (!dimension_within_limits(result.dimension)) break; // reported where it is multiplied in
        result.dimension = power > 0 ? dimension_mul(result.dimension, base.dimension)
                                     : dimension_div(result.dimension, base.dimension);
    }
    return result;
}

// One unit symbol or, if `groups` are allowed, a parenthesis of nothing but units. FOUND_NONE leaves the
// position alone. A symbol before '(' is read as a call.
static Found parse_unit_factor(Parser *parser, bool groups, Units *units) {
    size_t before = parser->position;
    parser_skip_blanks(parser);
    Word word = parser_word(parser);
    Units base = {0};
    if (word.length > 0 && unit_find(word.start, word.length, &base.factor, &base.dimension) &&
        (!groups || word.start[word.length] != '(')) {
        parser->position += word.length;
        base.hertz = word.length >= 2 && memcmp(word.start + word.length - 2, "Hz", 2) == 0;
    } else if (groups && parser_take(parser, '(')) {
        Found found = parse_units(parser, false, &base);
        if (found == FOUND_ERROR) return FOUND_ERROR;
        if (found == FOUND_NONE || !parser_take(parser, ')')) {
            parser->position = before;
            return FOUND_NONE;
        }
    } else {
        parser->position = before;
        return FOUND_NONE;
    }
    int power;
    if (!parse_unit_power(parser, &power)) return FOUND_ERROR;
    *units = units_power(base, power);
    return FOUND;
}

// The factors that follow what is in *units already.
static Found parse_more_units(Parser *parser, bool groups, size_t start, Units *units) {
    Found found = FOUND;
    while (found == FOUND) {
        if (!(isfinite(units->factor) && units->factor > 0) || !dimension_within_limits(units->dimension)) {
            parser_fail(parser, start, "the unit is out of range");
            return FOUND_ERROR;
        }
        size_t before = parser->position;
        bool divide = parser_take(parser, '/');
        if (!divide && !parser_take(parser, '*')) {
            parser->position = before;
            return FOUND;
        }
        Units next;
        found = parse_unit_factor(parser, groups, &next);
        if (found == FOUND_NONE) { // the operator belongs to the expression
            parser->position = before;
            return FOUND;
        }
        if (found == FOUND_ERROR) break;
        units->factor = divide ? units->factor / next.factor : units->factor * next.factor;
        units->dimension = divide ? dimension_div(units->dimension, next.dimension)
                                  : dimension_mul(units->dimension, next.dimension);
        units->hertz = false;
    }
    return found;
}

// No groups within groups: units need no recursion.
static Found parse_units(Parser *parser, bool groups, Units *units) {
    size_t start = parser->position;
    Found found = parse_unit_factor(parser, false, units);
    return found == FOUND ? parse_more_units(parser, groups, start, units) : found;
}

Found parser_units(Parser *parser, Units *units) { return parse_units(parser, true, units); }

bool expression_units(const char *text, Units *units, ExpressionError *error) {
    ExpressionError unwanted;
    Parser parser = {.text = text, .error = error ? error : &unwanted};
    parser.length = strnlen(text, EXPRESSION_TEXT_LIMIT + 1);
    *units = (Units){.factor = 1};
    if (parser.length > EXPRESSION_TEXT_LIMIT)
        return parser_fail(&parser, 0, "longer than %d bytes", EXPRESSION_TEXT_LIMIT);
    parser_skip_blanks(&parser);
    bool one = parser_take(&parser, '1'); // 1/s
    Found found = one ? parse_more_units(&parser, true, 0, units) : parser_units(&parser, units);
    if (found == FOUND_ERROR) return false;
    parser_skip_blanks(&parser);
    if (found == FOUND && parser.position == parser.length) return true;
    if (found == FOUND && !parser_take(&parser, '/')) parser_take(&parser, '*'); // what follows is no unit
    parser_skip_blanks(&parser);
    Word word = parser_word(&parser);
    if (word.length > 0)
        return parser_fail_unknown(&parser, parser.position, "unit", word,
                                   unit_nearest(word.start, word.length));
    return parser_fail_unexpected(&parser, "a unit");
}
