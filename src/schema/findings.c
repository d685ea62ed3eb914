#include "schema/findings.h"

#include <stdarg.h>
#include <stdio.h>

enum { text_size = 1000 }; // longer ones are cut off

#define REPORT(level, object)                                                                                \
    do {                                                                                                     \
        char text[text_size];                                                                                \
        va_list arguments;                                                                                   \
        va_start(arguments, format);                                                                         \
        vsnprintf(text, sizeof text, format, arguments);                                                     \
        va_end(arguments);                                                                                   \
        findings->report(findings->self, (level), address, (object), text);                                  \
    } while (0)

void findings_error(const Findings *findings, const void *address, const char *format, ...) {
    REPORT(FINDING_ERROR, false);
}

void findings_warning(const Findings *findings, const void *address, const char *format, ...) {
    REPORT(FINDING_WARNING, false);
}

void findings_object_error(const Findings *findings, const void *address, const char *format, ...) {
    REPORT(FINDING_ERROR, true);
}

void findings_object_warning(const Findings *findings, const void *address, const char *format, ...) {
    REPORT(FINDING_WARNING, true);
}
