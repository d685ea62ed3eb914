#include "bench/peer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const Peer *const peers[] = {&peer_lammps, &peer_liggghts, &peer_yade};
const int peer_count = sizeof peers / sizeof *peers;

bool peer_installed(const Peer *peer) {
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : "/usr/bin"), *rest = copy, candidate[1024];
    bool found = false;
    for (char *folder = strtok_r(copy, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest)) {
        snprintf(candidate, sizeof candidate, "%s/%s", folder, peer->program);
        found = access(candidate, X_OK) == 0;
    }
    free(copy);
    return found;
}

// Grains with their velocity at the start of the step: symplectic Euler keeps the one half a step before, and
// the peers' Verlet scheme gives the same positions when gravity's half kick is added. (Contact forces at the
// start would add their own; there are none in a lattice at rest, and the effect on the time is below what can be
// measured.)
bool peer_write_data(const PeerJob *job, const char *path, double shift, double rise) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    const BoxState *start = job->start;
    double wide = 0.0126, low = -0.0126 - shift, high = 0.0126 + 2 * BOX_AMPLITUDE - shift;
    fprintf(file, "grains\n\n%lld atoms\n1 atom types\n", (long long)start->count);
    fprintf(file, "%g %g xlo xhi\n%g %g ylo yhi\n%g %g zlo zhi\n\nAtoms\n\n", -wide, wide, -wide, wide, low,
            high);
    for (int64_t i = 0; i < start->count; i++) {
        const double *v = start->values + 9 * i;
        fprintf(file, "%lld 1 %.17g %.17g %.17g %.17g %.17g\n", (long long)i + 1, job->size->diameter,
                BOX_DENSITY, v[0], v[1], v[2] - shift);
    }
    fputs("\nVelocities\n\n", file);
    for (int64_t i = 0; i < start->count; i++) {
        const double *v = start->values + 9 * i;
        fprintf(file, "%lld %.17g %.17g %.17g %.17g %.17g %.17g\n", (long long)i + 1, v[3], v[4],
                v[5] - rise - 0.5 * job->size->step * BOX_GRAVITY, v[6], v[7], v[8]);
    }
    return fclose(file) == 0;
}

static void start_child(const Peer *peer, const char *folder) {
    if (chdir(folder) != 0 || !freopen("output", "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        _exit(126);
    if (!freopen("/dev/null", "r", stdin)) _exit(126);
    setenv("OMP_NUM_THREADS", "1", 1);
    alarm(3600); // a peer that hangs must not hang the benchmark
    execvp(peer->program, (char *const *)peer->arguments);
    _exit(127);
}

static void remove_folder(const char *folder) {
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_type != DT_DIR) unlink(path);
    }
    if (all) closedir(all);
    rmdir(folder);
}

static bool run_in_folder(const Peer *peer, const PeerJob *job, const char *folder, PeerResult *result) {
    int here = open(".", O_RDONLY | O_DIRECTORY), status = 0;
    bool written = here >= 0 && chdir(folder) == 0 && peer->write(job);
    if (!written)
        snprintf(result->message, sizeof result->message, "cannot write its input: %s", strerror(errno));
    bool done = false;
    fflush(stdout);
    pid_t child = written ? fork() : -1;
    if (child == 0) start_child(peer, folder);
    if (child > 0 && waitpid(child, &status, 0) == child) {
        FILE *output = fopen("output", "r");
        done = output && WIFEXITED(status) && WEXITSTATUS(status) == 0 && peer->read(job, output, result);
        if (!done) {
            snprintf(result->message, sizeof result->message, "%s ended with status %d", peer->program,
                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
            char line[160];
            if (output) rewind(output);
            while (output && fgets(line, sizeof line, output)) // LAMMPS and its kin say what hurts
                if (strncmp(line, "ERROR", 5) == 0)
                    snprintf(result->message, sizeof result->message, "%.150s", line);
        }
        if (output) fclose(output);
    }
    if (here >= 0) {
        if (fchdir(here) != 0) done = false;
        close(here);
    }
    return done;
}

bool peer_run(const Peer *peer, const PeerJob *job, PeerResult *result) {
    const char *temporary = getenv("TMPDIR");
    char folder[400];
    *result = (PeerResult){0};
    snprintf(folder, sizeof folder, "%s/maraca-bench-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        snprintf(result->message, sizeof result->message, "cannot make '%.100s': %s", folder,
                 strerror(errno));
        return false;
    }
    bool done = run_in_folder(peer, job, folder, result);
    remove_folder(folder);
    return done;
}

void peer_result_free(PeerResult *result) {
    array_free(&result->centers);
    box_state_free(&result->final);
}
