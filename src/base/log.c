#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_write(const Log *log, LogLevel level, const char *format, ...) {
    if (!log || !log->write) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->user, level, text);
}
