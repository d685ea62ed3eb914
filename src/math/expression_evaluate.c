// The functions an expression may call, and the stack machine that evaluates a compiled expression: once for
// numbers, once for jets (forward differentiation to second order; Griewank and Walther, Evaluating
// Derivatives, 2nd ed., 2008, doi:10.1137/1.9780898717761).
//
// A jet is taken just to the right of t: at a kink the branch is the one that holds immediately after t.
#include <math.h>

#include "math/expression_internal.h"

static const double ln_10 = 2.30258509299404568402;

// ---- jet arithmetic ------------------------------------------------------------------------------

// A derivative term whose one factor vanishes is 0 even when the other is infinite: the slope of sqrt(x) at
// x = 0 must not turn t*sqrt(t) into a NaN.
static double jet_term(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Jet jet_subtract(Jet a, Jet b) {
    return (Jet){a.value - b.value, a.rate - b.rate, a.second - b.second};
}

static Jet jet_multiply(Jet a, Jet b) {
    return (Jet){a.value * b.value, jet_term(a.rate, b.value) + jet_term(a.value, b.rate),
                 jet_term(a.second, b.value) + 2 * jet_term(a.rate, b.rate) + jet_term(a.value, b.second)};
}

static Jet jet_divide(Jet a, Jet b) {
    Jet quotient = {.value = a.value / b.value};
    quotient.rate = (a.rate - jet_term(quotient.value, b.rate)) / b.value;
    quotient.second =
        (a.second - 2 * jet_term(quotient.rate, b.rate) - jet_term(quotient.value, b.second)) / b.value;
    return quotient;
}

// f(x(t)) from the value and the two derivatives of f at x.
static Jet jet_chain(double value, double first, double second, Jet x) {
    return (Jet){value, jet_term(first, x.rate),
                 jet_term(jet_term(second, x.rate), x.rate) + jet_term(first, x.second)};
}

// The sign of x immediately after t: -1, 0 (constant zero, as far as a jet can tell) or 1.
static int jet_side(Jet x) {
    double decisive = x.value != 0 ? x.value : x.rate != 0 ? x.rate : x.second;
    return (decisive > 0) - (decisive < 0);
}

// ---- powers --------------------------------------------------------------------------------------

static double expression_integer_power(double x, unsigned exponent) {
    double result = 1;
    for (; exponent > 0; exponent >>= 1, x *= x)
        if (exponent & 1) result *= x;
    return result;
}

static double expression_power(double x, double exponent) {
    enum { FEW = 16 }; // beyond, repeated squaring loses more digits than pow
    if (exponent == 0.5) return sqrt(x);
    if (fabs(exponent) > FEW || exponent != floor(exponent)) return pow(x, exponent);
    return exponent >= 0 ? expression_integer_power(x, (unsigned)exponent)
                         : 1 / expression_integer_power(x, (unsigned)-exponent);
}

// sqrt(x) where x touches zero with zero slope: x = c t^2/2 + ..., so sqrt(x) leaves like sqrt(c/2) t. The
// second derivative would need the third one of x; zero is right for c t^2/2 itself.
static Jet jet_root_at_touch(Jet x) { return (Jet){sqrt(x.value), x.second > 0 ? sqrt(x.second / 2) : 0, 0}; }

static Jet jet_power(Jet x, double exponent) {
    if (exponent == 0.5 && x.value == 0 && x.rate == 0 && x.second >= 0) return jet_root_at_touch(x);
    double second_factor = exponent * (exponent - 1);
    double first = exponent == 0 ? 0 : exponent * expression_power(x.value, exponent - 1);
    double second = second_factor == 0 ? 0 : second_factor * expression_power(x.value, exponent - 2);
    Jet result = jet_chain(expression_power(x.value, exponent), first, second, x);
    // Both terms of the second derivative are infinite where x leaves zero; the one with the higher order
    // wins.
    if (x.value == 0 && isnan(result.second) && x.rate != 0)
        result.second = jet_term(jet_term(second, x.rate), x.rate);
    return result;
}

// ---- functions of one operand --------------------------------------------------------------------

static void sin_slopes(double x, double *first, double *second) { *first = cos(x), *second = -sin(x); }
static void cos_slopes(double x, double *first, double *second) { *first = -sin(x), *second = -cos(x); }
static void tan_slopes(double x, double *first, double *second) {
    double tangent = tan(x);
    *first = 1 + tangent * tangent;
    *second = 2 * tangent * *first;
}
static void asin_slopes(double x, double *first, double *second) {
    double squared = (1 - x) * (1 + x);
    *first = 1 / sqrt(squared);
    *second = x == 0 ? 0 : x * *first / squared;
}
static void acos_slopes(double x, double *first, double *second) {
    asin_slopes(x, first, second);
    *first = -*first, *second = -*second;
}
static void atan_slopes(double x, double *first, double *second) {
    *first = 1 / (1 + x * x);
    *second = *first == 0 ? 0 : -2 * x * *first * *first;
}
static void sinh_slopes(double x, double *first, double *second) { *first = cosh(x), *second = sinh(x); }
static void cosh_slopes(double x, double *first, double *second) { *first = sinh(x), *second = cosh(x); }
static void tanh_slopes(double x, double *first, double *second) {
    double tangent = tanh(x), secant = 1 / cosh(x);
    *first = secant * secant;
    *second = -2 * tangent * *first;
}
static void exp_slopes(double x, double *first, double *second) { *first = *second = exp(x); }
static void log_slopes(double x, double *first, double *second) { *first = 1 / x, *second = -1 / (x * x); }
static void log10_slopes(double x, double *first, double *second) {
    log_slopes(x, first, second);
    *first /= ln_10, *second /= ln_10;
}

static double sign_value(double x) { return (x > 0) - (x < 0); }
static void sign_slopes(double x, double *first, double *second) { (void)x, *first = *second = 0; }

static double root_value(const double *x, size_t count) { return (void)count, sqrt(x[0]); }
static Jet root_jet(const Jet *x, size_t count) { return (void)count, jet_power(x[0], 0.5); }

static double abs_value(const double *x, size_t count) { return (void)count, fabs(x[0]); }
static Jet abs_jet(const Jet *x, size_t count) {
    (void)count;
    int side = jet_side(x[0]);
    return (Jet){fabs(x[0].value), side * x[0].rate, side * x[0].second};
}

// ---- functions of several operands ---------------------------------------------------------------

static double atan2_value(const double *x, size_t count) { return (void)count, atan2(x[0], x[1]); }

// The rates of (x, y) are scaled by the distance r from the origin, so that no square can overflow.
static Jet atan2_jet(const Jet *operands, size_t count) {
    (void)count;
    Jet y = operands[0], x = operands[1], angle = {.value = atan2(y.value, x.value)};
    double r = hypot(x.value, y.value);
    if (r == 0) return angle; // no direction there, so no rate of it either
    double cosine = x.value / r, sine = y.value / r;
    double x_rate = x.rate / r, y_rate = y.rate / r;
    angle.rate = cosine * y_rate - sine * x_rate;
    angle.second =
        cosine * (y.second / r) - sine * (x.second / r) - 2 * angle.rate * (cosine * x_rate + sine * y_rate);
    return angle;
}

static double min_value(const double *x, size_t count) {
    double best = x[0];
    for (size_t i = 1; i < count; i++)
        if (x[i] < best) best = x[i];
    return best;
}

static double max_value(const double *x, size_t count) {
    double best = x[0];
    for (size_t i = 1; i < count; i++)
        if (x[i] > best) best = x[i];
    return best;
}

// The smaller (sign 1) or larger (sign -1) one immediately after t. Where values tie, that of the first
// stands: 0 and -0 tie, and jets and plain values must not differ in which of them they give.
static Jet extreme_jet(const Jet *x, size_t count, int sign) {
    Jet best = x[0];
    for (size_t i = 1; i < count; i++) {
        double value = x[i].value == best.value ? best.value : x[i].value;
        if (sign * jet_side(jet_subtract(x[i], best)) < 0) best = (Jet){value, x[i].rate, x[i].second};
    }
    return best;
}

static Jet min_jet(const Jet *x, size_t count) { return extreme_jet(x, count, 1); }
static Jet max_jet(const Jet *x, size_t count) { return extreme_jet(x, count, -1); }

static double step_value(const double *x, size_t count) { return x[0] < (count > 1 ? x[1] : 0) ? 0 : 1; }
static Jet step_jet(const Jet *x, size_t count) {
    return (Jet){.value = x[0].value < (count > 1 ? x[1].value : 0) ? 0 : 1};
}

// How far x has come from x0 to x1: 0 to 1, not beyond. An interval of no length is a step.
static double ramp_value(const double *x, size_t count) {
    double progress = x[0];
    if (count == 3 && x[1] == x[2]) return x[0] < x[1] ? 0 : 1;
    if (count == 3) progress = (x[0] - x[1]) / (x[2] - x[1]);
    return progress <= 0 ? 0 : progress > 1 ? 1 : progress; // never -0
}

static Jet ramp_jet(const Jet *x, size_t count) {
    Jet progress = x[0], zero = {0}, one = {.value = 1};
    if (count == 3 && x[1].value == x[2].value) return x[0].value < x[1].value ? zero : one;
    if (count == 3) progress = jet_divide(jet_subtract(x[0], x[1]), jet_subtract(x[2], x[1]));
    if (progress.value == 0) progress.value = 0; // not -0
    if (jet_side(progress) < 0) return zero;
    return jet_side(jet_subtract(progress, one)) > 0 ? one : progress;
}

// The quintic whose first and second derivative vanish at both ends.
static double smooth_quintic(double s) { return s * s * s * (10 - s * (15 - 6 * s)); }
static double smooth_value(const double *x, size_t count) { return smooth_quintic(ramp_value(x, count)); }
static Jet smooth_jet(const Jet *x, size_t count) {
    Jet progress = ramp_jet(x, count);
    double s = progress.value;
    return jet_chain(smooth_quintic(s), 30 * s * s * (1 - s) * (1 - s), 60 * s * (1 - s) * (1 - 2 * s),
                     progress);
}

// ---- the table of functions: a new one is a row here ---------------------------------------------

#define ONE "1 argument", 1 << 1
#define TWO "2 arguments", 1 << 2
#define MANY "2 to 63 arguments", ~UINT64_C(3)
#define UNARY(name, rule)                                                                                    \
    { #name, ONE, rule, name, name##_slopes, NULL, NULL }

const ExpressionFunction expression_functions[] = {
    UNARY(sin, RULE_ANGLE),
    UNARY(cos, RULE_ANGLE),
    UNARY(tan, RULE_ANGLE),
    UNARY(asin, RULE_NUMBER),
    UNARY(acos, RULE_NUMBER),
    UNARY(atan, RULE_NUMBER),
    UNARY(sinh, RULE_NUMBER),
    UNARY(cosh, RULE_NUMBER),
    UNARY(tanh, RULE_NUMBER),
    UNARY(exp, RULE_NUMBER),
    UNARY(log, RULE_NUMBER),
    UNARY(log10, RULE_NUMBER),
    {"sign", ONE, RULE_SIGN, sign_value, sign_slopes, NULL, NULL},
    {"sqrt", ONE, RULE_ROOT, NULL, NULL, root_value, root_jet},
    {"abs", ONE, RULE_KEEP, NULL, NULL, abs_value, abs_jet},
    {"atan2", TWO, RULE_AGREE_NUMBER, NULL, NULL, atan2_value, atan2_jet},
    {"min", MANY, RULE_AGREE, NULL, NULL, min_value, min_jet},
    {"max", MANY, RULE_AGREE, NULL, NULL, max_value, max_jet},
    {"step", "1 or 2 arguments", 1 << 1 | 1 << 2, RULE_AGREE_NUMBER, NULL, NULL, step_value, step_jet},
    {"ramp", "1 or 3 arguments", 1 << 1 | 1 << 3, RULE_CLAMP, NULL, NULL, ramp_value, ramp_jet},
    {"smooth", "1 or 3 arguments", 1 << 1 | 1 << 3, RULE_CLAMP, NULL, NULL, smooth_value, smooth_jet},
};
const size_t expression_function_count = sizeof expression_functions / sizeof *expression_functions;

// ---- the machine ---------------------------------------------------------------------------------

// Inlined, so that one jump of the evaluating loop leads to each operation: 16 ns instead of 21 for an
// expression of ten instructions.
__attribute__((always_inline)) static inline double expression_operate(const Instruction *instruction,
                                                                       const double *x) {
    switch ((Opcode)instruction->opcode) {
    case OPCODE_ADD:
        return x[0] + x[1];
    case OPCODE_SUBTRACT:
        return x[0] - x[1];
    case OPCODE_MULTIPLY:
        return x[0] * x[1];
    case OPCODE_DIVIDE:
        return x[0] / x[1];
    case OPCODE_NEGATE:
        return -x[0];
    case OPCODE_POWER:
        return expression_power(x[0], instruction->value);
    case OPCODE_FUNCTION:
        break;
    default:
        return NAN; // the pushes are not operations
    }
    const ExpressionFunction *function = &expression_functions[instruction->index];
    return function->unary ? function->unary(x[0]) : function->value(x, instruction->operands);
}

double expression_apply(const Instruction *instruction, const double *x) {
    return expression_operate(instruction, x);
}

static Jet expression_apply_jet(const Instruction *instruction, const Jet *x) {
    switch ((Opcode)instruction->opcode) {
    case OPCODE_ADD:
        return (Jet){x[0].value + x[1].value, x[0].rate + x[1].rate, x[0].second + x[1].second};
    case OPCODE_SUBTRACT:
        return jet_subtract(x[0], x[1]);
    case OPCODE_MULTIPLY:
        return jet_multiply(x[0], x[1]);
    case OPCODE_DIVIDE:
        return jet_divide(x[0], x[1]);
    case OPCODE_NEGATE:
        return (Jet){-x[0].value, -x[0].rate, -x[0].second};
    case OPCODE_POWER:
        return jet_power(x[0], instruction->value);
    case OPCODE_FUNCTION:
        break;
    default:
        return (Jet){.value = NAN};
    }
    const ExpressionFunction *function = &expression_functions[instruction->index];
    if (!function->unary) return function->jet(x, instruction->operands);
    double first, second;
    function->slopes(x[0].value, &first, &second);
    return jet_chain(function->unary(x[0].value), first, second, x[0]);
}

// An input as it is at the time: what was set, else its table or default.
__attribute__((noinline)) static Jet expression_input_at(const Expression *expression, uint32_t index,
                                                         TimePoint at) {
    if (at.inputs) return inputs_jet(at.inputs, (int)index, at.time);
    return input_jet(&expression->inputs[index], at.time);
}

double expression_value(const Expression *expression, TimePoint at, const double *signals) {
    double stack[EXPRESSION_STACK_LIMIT]; // the compiler has checked that the program stays within
    size_t top = 0;
    for (size_t i = 0; i < expression->program_count; i++) {
        const Instruction *instruction = &expression->program[i];
        double result;
        switch ((Opcode)instruction->opcode) {
        case OPCODE_CONSTANT:
            result = instruction->value;
            break;
        case OPCODE_TIME:
            result = at.time;
            break;
        case OPCODE_SIGNAL:
            result = signals ? signals[instruction->index] : 0;
            break;
        case OPCODE_INPUT:
            result = expression_input_at(expression, instruction->index, at).value;
            break;
        default:
            top -= instruction->operands;
            result = expression_operate(instruction, &stack[top]);
        }
        stack[top++] = result;
    }
    return stack[0];
}

// Differentiates along a direction: `rate` is that of the time (1 or 0), and signal `moving` has the rate 1
// (SIZE_MAX: none). Inputs change with the time.
static Jet expression_run_jet(const Expression *expression, TimePoint at, double rate, const double *signals,
                              size_t moving) {
    Jet stack[EXPRESSION_STACK_LIMIT];
    size_t top = 0;
    for (size_t i = 0; i < expression->program_count; i++) {
        const Instruction *instruction = &expression->program[i];
        Jet result;
        switch ((Opcode)instruction->opcode) {
        case OPCODE_CONSTANT:
            result = (Jet){.value = instruction->value};
            break;
        case OPCODE_TIME:
            result = (Jet){.value = at.time, .rate = rate};
            break;
        case OPCODE_SIGNAL:
            result = (Jet){.value = signals ? signals[instruction->index] : 0,
                           .rate = instruction->index == moving ? 1 : 0};
            break;
        case OPCODE_INPUT:
            result = expression_input_at(expression, instruction->index, at);
            if (rate == 0) result.rate = result.second = 0;
            break;
        default:
            top -= instruction->operands;
            result = expression_apply_jet(instruction, &stack[top]);
        }
        stack[top++] = result;
    }
    return stack[0];
}

Jet expression_jet(const Expression *expression, TimePoint at) {
    return expression_run_jet(expression, at, 1, NULL, SIZE_MAX);
}

double expression_derivative(const Expression *expression, TimePoint at, const double *signals,
                             size_t signal) {
    return expression_run_jet(expression, at, 0, signals, signal).rate;
}
