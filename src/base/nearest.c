#include "base/nearest.h"

#include <string.h>

#include "maraca/maraca.h"

// Longer words are never corrected, which bounds the cost and the buffers.
enum { WORD_LIMIT = 64, SLIP = 2, WRONG_CASE = 1 };

// Case is judged for ASCII only, whatever the locale.
static int nearest_lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : (unsigned char)letter;
}

static int nearest_replace_cost(char a, char b) {
    if (a == b) return 0;
    return nearest_lower(a) == nearest_lower(b) ? WRONG_CASE : SLIP;
}

static int nearest_smaller(int a, int b) { return a < b ? a : b; }

// Damerau-Levenshtein distance (optimal string alignment: a swapped pair is not edited further).
static int nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int rows[3][WORD_LIMIT + 1]; // the rows i-2, i-1 and i of the table, by i mod 3
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = SLIP * (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = SLIP * (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = nearest_smaller(above[j], row[j - 1]) + SLIP;
            row[j] = nearest_smaller(row[j], above[j - 1] + nearest_replace_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = nearest_smaller(row[j], two_above[j - 2] + SLIP);
        }
    }
    return rows[a_length % 3][b_length];
}

// How far a correction may be away: nothing but case for one letter, one slip up to five, two beyond.
static int nearest_tolerance(size_t length) {
    if (length <= 1) return WRONG_CASE;
    return length <= 5 ? SLIP : 2 * SLIP;
}

static int nearest_same_but_for_case(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (nearest_lower(a[i]) != nearest_lower(b[i])) return 0;
    return 1;
}

const char *nearest_word(const char *word, size_t length, const char *const *candidates, size_t count) {
    if (length == 0 || length > WORD_LIMIT) return NULL;
    const char *best = NULL;
    int best_distance = nearest_tolerance(length) + 1;
    for (size_t k = 0; k < count; k++) {
        size_t candidate_length = strnlen(candidates[k], WORD_LIMIT + 1);
        if (candidate_length == 0 || candidate_length > WORD_LIMIT) continue;
        size_t gap = candidate_length > length ? candidate_length - length : length - candidate_length;
        if (SLIP * (int)gap >= best_distance) continue;
        int found = nearest_distance(word, length, candidates[k], candidate_length);
        // RPM for rpm: three wrong letters, yet beyond doubt.
        if (gap == 0 && nearest_same_but_for_case(word, candidates[k], length))
            found = nearest_smaller(found, WRONG_CASE);
        if (found < best_distance) {
            best_distance = found;
            best = candidates[k];
        }
    }
    return best;
}

const char *mrc_nearest_word(const char *word, const char *const *candidates, int count) {
    return nearest_word(word, strlen(word), candidates, (size_t)count);
}
