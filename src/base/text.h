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
void text_add_quoted(Text *text,
                     const char *string); // in double quotes, escaped as JSON and YAML want it; bytes
                                          // that are not UTF-8 become U+FFFD
char *text_take(Text *text);              // the text, to be freed by the caller; NULL when memory ran out
void text_free(Text *text);

// ---- pieces that all writers need ----------------------------------------------------------------
enum { TEXT_NUMBER_SIZE = 32 };

// The decimal that reads back to the same double, with as few of 15, 16 or 17 digits as that takes, and with
// '.' whatever the locale: "0.1", "1e-05", "-0", "nan", "inf". Returns its length.
size_t text_number(char buffer[TEXT_NUMBER_SIZE], double value);

// The next `separator` that is not inside brackets or quotes, or the end of the text.
const char *text_find_separator(const char *text, char separator);

// The length of the UTF-8 character at `text` (1 to 4), or 0 when the bytes there are not one.
size_t text_utf8(const char *text);

#endif
