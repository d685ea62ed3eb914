// FNV-1a, 64 bit: identity of models, cached beds and golden results. Not for secrets.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 14695981039346656037ull
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count); // chain calls, start with HASH_START

#endif
