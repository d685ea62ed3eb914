// Log: the library never prints. A caller may hand in a sink; without one, messages are dropped.
#ifndef BASE_LOG_H
#define BASE_LOG_H

typedef enum LogLevel { LOG_NOTE, LOG_WARNING } LogLevel;

typedef struct Log {
    void (*write)(void *user, LogLevel level, const char *text); // NULL: drop
    void *user;
} Log;

void log_write(const Log *log, LogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define log_note(log, ...) log_write((log), LOG_NOTE, __VA_ARGS__)
#define log_warning(log, ...) log_write((log), LOG_WARNING, __VA_ARGS__)

#endif
