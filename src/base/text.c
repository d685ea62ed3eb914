#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/number.h"

static bool text_make_room(Text *text, size_t more) {
    if (text->failed) return false;
    if (text->length + more + 1 <= text->capacity) return true;
    size_t capacity = 2 * text->capacity + more + 256;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_add_bytes(Text *text, const char *bytes, size_t count) {
    if (!text_make_room(text, count)) return;
    if (count) memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_add_string(Text *text, const char *string) { text_add_bytes(text, string, strlen(string)); }

void text_add(Text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    locale_t before = number_point();
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && text_make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    number_point_end(before);
    va_end(again);
    va_end(arguments);
}

static void text_add_escaped(Text *text, const char *character, size_t length) {
    static const char plain[] = "\"\\\b\f\n\r\t", short_form[] = "\"\\bfnrt";
    const char *found = length == 1 ? memchr(plain, *character, sizeof plain - 1) : NULL;
    if (found) text_add(text, "\\%c", short_form[found - plain]);
    else if (length == 1 && ((unsigned char)*character < 0x20 || *character == 0x7f))
        text_add(text, "\\u%04x", (unsigned)*character);
    else text_add_bytes(text, character, length);
}

void text_add_quoted(Text *text, const char *string) {
    text_add_bytes(text, "\"", 1);
    while (*string) {
        size_t length = text_utf8(string);
        if (length) text_add_escaped(text, string, length);
        else text_add_string(text, "\xef\xbf\xbd"); // U+FFFD, the replacement character
        string += length ? length : 1;
    }
    text_add_bytes(text, "\"", 1);
}

char *text_take(Text *text) {
    if (!text->failed) text_add_bytes(text, "", 0);
    if (!text->failed) return text->data;
    free(text->data);
    return NULL;
}

void text_free(Text *text) {
    free(text->data);
    *text = (Text){0};
}

// ---- pieces --------------------------------------------------------------------------------------
// snprintf and strtod use the decimal point of the caller's locale (base/number.h).
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
    size_t length = digits_print(buffer, value);
    if (length > 0) return length;
    // The fewest of 15, 16 and 17 digits that are this number; of most numbers 15 are not.
    snprintf(text, sizeof text, "%.16g", value);
    if (strtod(text, NULL) != value) {
        snprintf(text, sizeof text, "%.17g", value);
        return text_point(buffer, text);
    }
    char fewer[sizeof text];
    snprintf(fewer, sizeof fewer, "%.15g", value);
    return text_point(buffer, strtod(fewer, NULL) == value ? fewer : text);
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

const char *text_find_separator(const char *text, char separator) {
    int depth = 0;
    char quote = 0;
    for (; *text; text++) {
        if (quote) quote = *text == quote ? 0 : quote;
        else if (*text == '"' || *text == '\'') quote = *text;
        else if (*text == '[' || *text == '{' || *text == '(') depth++;
        else if (*text == ']' || *text == '}' || *text == ')') depth--;
        else if (*text == separator && depth <= 0) break;
    }
    return text;
}
