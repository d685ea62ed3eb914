// Numbers as text with a decimal point, whatever the locale of the calling program is.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <locale.h>
#include <stddef.h>

// As strtod in the locale C. `end` may be NULL.
double number_read(const char *text, char **end);

// As snprintf with "%.*g" in the locale C; returns the buffer.
char *number_print(char *buffer, size_t size, int digits, double value);

// All numbers that this thread prints in between have a point: number_point_end takes what number_point returned.
locale_t number_point(void);
void number_point_end(locale_t before);

#endif
