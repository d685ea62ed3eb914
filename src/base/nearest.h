// "Did you mean ...?": the candidate a misspelt word was probably meant to be.
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

// The candidate with the fewest slips (a letter missing, added, wrong, or two swapped) from the word; wrong
// case is half a slip. The first of equals. NULL when none is close: short words must match better than long
// ones.
const char *nearest_word(const char *word, size_t length, const char *const *candidates, size_t count);

#endif
