#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && text_make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void text_add_json(Text *text, const char *string) {
    text_add_bytes(text, "\"", 1);
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') text_add(text, "\\%c", *c);
        else if (*c == '\n') text_add_string(text, "\\n");
        else if (*c == '\t') text_add_string(text, "\\t");
        else if ((unsigned char)*c < 0x20 || *c == 0x7f) text_add(text, "\\u%04x", (unsigned)*c);
        else text_add_bytes(text, c, 1);
    }
    text_add_bytes(text, "\"", 1);
}

char *text_take(Text *text) {
    if (!text->failed) text_add_bytes(text, "", 0);
    if (!text->failed) return text->data;
    free(text->data);
    return NULL;
}
