// UTF-8, as far as the model loader needs it.
#ifndef MODEL_UTF8_H
#define MODEL_UTF8_H

#include <stddef.h>
#include <stdint.h>

// The character at the start of `text` and its length in bytes; 0 when the bytes are not UTF-8 (too long a
// form, a surrogate or beyond U+10FFFF count as not).
static inline size_t utf8_read(const char *text, size_t left, uint32_t *code) {
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if (length == 0 || length > left) return 0;
    uint32_t value = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80) return 0;
        value = value << 6 | (byte & 0x3fu);
    }
    if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000)) return 0;
    if ((value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return 0;
    *code = value;
    return length;
}

// Characters in the first `bytes` bytes.
static inline int utf8_count(const char *text, size_t bytes) {
    int count = 0;
    for (size_t i = 0; i < bytes && text[i]; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

#endif
