#include "cli/waiting.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"

void waiting_begin(void) {
    char path[PATH_MAX];
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = '\0';
    // libgomp follows the second: it polls about as long as it takes to block a thread and to resume it
    // again. Other libraries have the first only.
    setenv("OMP_WAIT_POLICY", "passive", 0);
    setenv("GOMP_SPINCOUNT", "300", 0);
    execv(path, program_words);
}
