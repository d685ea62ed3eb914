// What a type of wall, law, packing or method finds wrong with its own part of the model file.
//
// A type checks what its keys cannot say alone, in its own file. Where a member was written is known by the loader
// only (src/model/loader.h), so that a finding names the member, or the object, that it is about.
#ifndef SCHEMA_FINDINGS_H
#define SCHEMA_FINDINGS_H

#include <stdbool.h>

typedef enum FindingLevel { FINDING_ERROR, FINDING_WARNING } FindingLevel;

typedef struct Findings {
    void *self;
    // `object`: the address is that of a whole struct, not of a member that begins at the same place.
    void (*report)(void *self, FindingLevel level, const void *address, bool object, const char *text);
} Findings;

// About the value of a member; where the mapping was written that lacks it, when it was not given.
void findings_error(const Findings *findings, const void *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void findings_warning(const Findings *findings, const void *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// About a struct as a whole: where its mapping was written.
void findings_object_error(const Findings *findings, const void *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void findings_object_warning(const Findings *findings, const void *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
