// A text that grows. After a failed allocation it stays as it is and text_take returns NULL.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    char *data; // malloc'ed, NUL-terminated once something was added
    size_t length, capacity;
    bool failed;
} Text;

void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(Text *text, const char *bytes, size_t count);
void text_add_string(Text *text, const char *string);
void text_add_json(Text *text, const char *string); // quoted and escaped as JSON (and YAML) want it
char *text_take(Text *text); // the text, to be freed by the caller; NULL when memory ran out

#endif
