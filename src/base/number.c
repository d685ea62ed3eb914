// A program that uses the library may have a locale with a decimal comma (setlocale). It is a setting of the process,
// which a library must not change; uselocale changes it for the calling thread only. Opening the locale C takes neither
// time nor memory in glibc.
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

static locale_t number_plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double number_read(const char *text, char **end) {
    locale_t plain = number_plain();
    if (!plain) return strtod(text, end);
    double value = strtod_l(text, end, plain);
    freelocale(plain);
    return value;
}

locale_t number_point(void) {
    locale_t plain = number_plain();
    return plain ? uselocale(plain) : (locale_t)0;
}

void number_point_end(locale_t before) {
    if (before) freelocale(uselocale(before));
}

char *number_print(char *buffer, size_t size, int digits, double value) {
    locale_t before = number_point();
    snprintf(buffer, size, "%.*g", digits, value);
    number_point_end(before);
    return buffer;
}
