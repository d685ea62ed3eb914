// What every test needs: cmocka with the headers it wants first, and a comparison that prints both numbers.
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <math.h>
#include <stdbool.h>

// Fails, printing both numbers, unless |value - expected| <= tolerance. NaN is never near anything.
#define check_near(value, expected, tolerance)                                                               \
    check_near_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void check_near_at(double value, double expected, double tolerance, const char *text,
                                 const char *file, int line) {
    if (value == expected || fabs(value - expected) <= tolerance) return;
    print_error("%s = %.17g, expected %.17g, off by %.3g, allowed %.3g\n", text, value, expected,
                value - expected, tolerance);
    _fail(file, line);
}

// Ends a test for which an optional package of Debian is needed; scripts/run-tests tells it at the end of all.
#define skip_without(package, text)                                                                          \
    do {                                                                                                     \
        print_message("needs the package %s: %s\n", (package), (text));                                      \
        skip();                                                                                              \
    } while (0)

#endif
