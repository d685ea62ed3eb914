// The digits of a double, in whole numbers: what printf finds by arithmetic of many words, for numbers of usual size.
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stddef.h>

enum { DIGITS_SIZE = 32 };

// As "%.17g", or "%.16g" or "%.15g" if that reads back to the same number, with '.' whatever the locale. Returns the length;
// 0: the number is none of those that can be done here, which are some 1e-11 to 1e16 in size.
size_t digits_print(char buffer[DIGITS_SIZE], double value);

#endif
