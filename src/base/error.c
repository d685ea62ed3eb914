#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name;
    int exit_status;
    const char *message;
} status_table[] = {
#define MRC_STATUS_ROW(code, exit_status, message) {#code, exit_status, message},
    MRC_STATUS_TABLE(MRC_STATUS_ROW)
#undef MRC_STATUS_ROW
};

static const int status_count = sizeof status_table / sizeof *status_table;

static int error_status_is_known(MrcStatus status) { return (int)status >= 0 && (int)status < status_count; }

const char *mrc_status_message(MrcStatus status) {
    return error_status_is_known(status) ? status_table[status].message : "unknown status";
}

const char *mrc_status_name(MrcStatus status) {
    return error_status_is_known(status) ? status_table[status].name : "UNKNOWN";
}

int mrc_status_exit(MrcStatus status) {
    return error_status_is_known(status) ? status_table[status].exit_status : 1;
}

MrcStatus error_set(MrcError *error, MrcStatus status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

MrcStatus error_memory(MrcError *error, const char *what) {
    return error_set(error, MRC_MEMORY, "no memory left for %s", what);
}
