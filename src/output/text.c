#include "output/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// snprintf and strtod use the decimal point of the caller's locale, which we may neither change nor forbid.
// Whatever is no part of a number in C is that point.
static size_t text_point(char buffer[TEXT_NUMBER_SIZE], const char *text) {
    size_t length = 0, points = 0;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-e", *c)) buffer[length++] = *c;
        else if (points++ == 0) buffer[length++] = '.'; // it may be several bytes long
    }
    buffer[length] = '\0';
    return length;
}

size_t text_number(char buffer[TEXT_NUMBER_SIZE], double value) {
    char text[TEXT_NUMBER_SIZE + 16]; // room for a long decimal point
    if (!isfinite(value)) {
        strcpy(buffer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return strlen(buffer);
    }
    if (fabs(value) < 1e15 && value == trunc(value) && !(value == 0 && signbit(value))) {
        snprintf(text, sizeof text, "%.0f", value);
        return text_point(buffer, text);
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) break;
    }
    return text_point(buffer, text);
}

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
size_t text_utf8(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) return 1;
    if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
    size_t length = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned lowest = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned highest = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    if (c[1] < lowest || c[1] > highest) return 0;
    for (size_t i = 2; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0; // also stops at the closing NUL
    return length;
}
