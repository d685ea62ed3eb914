// Pieces of text that all writers need.
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include <stddef.h>

enum { TEXT_NUMBER_SIZE = 32 };

// The decimal that reads back to the same double, with as few of 15, 16 or 17 digits as that takes, and with
// '.' whatever the locale: "0.1", "1e-05", "-0", "nan", "inf". Returns its length.
size_t text_number(char buffer[TEXT_NUMBER_SIZE], double value);

// The length of the UTF-8 character at `text` (1 to 4), or 0 when the bytes there are not one.
size_t text_utf8(const char *text);

#endif
