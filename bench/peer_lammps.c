// LAMMPS (Debian package lammps, program lmp): pair gran/hertz/history and fix wall/gran with wiggle, on one
// MPI rank. Its law is ours:
//     f_n = K sqrt(R s) s,  f_t = -K_t sqrt(R s) u,  K = 4/3 E' = 4 G/(3 (1 - nu)),  K_t = 8 G' = 4 G/(2 -
//     nu)
// with u cut back when |f_t| > mu f_n. What differs: the arm of the friction force is the full radius there
// and ends at the contact point here, a matter of overlap over radius (1e-4 to 1e-3).
//
// Newer versions have no wall/gran zcylinder. There the can is a region that moves as a variable says, which
// includes its ends; older ones get the walls with wiggle, which are quicker.
#include "bench/peer.h"

#include <stdlib.h>
#include <string.h>

// Does it take the walls of older versions? Asked once, in the current folder.
static bool takes_zcylinder(void) {
    static int known; // 1: yes, -1: no
    if (known) return known > 0;
    FILE *file = fopen("probe", "w");
    if (!file) return true;
    fputs("units si\natom_style sphere\nboundary f f f\nnewton off\ncomm_modify vel yes\n"
          "region room block -1 1 -1 1 -1 1\ncreate_box 1 room\n"
          "fix side all wall/gran hertz/history 1 1 0 0 0.3 1 zcylinder 0.5 wiggle z 0.1 1\n",
          file);
    FILE *output = fclose(file) == 0 ? popen("lmp -in probe -log none 2>&1 </dev/null", "r") : NULL;
    char line[512];
    known = 1;
    while (output && fgets(line, sizeof line, output))
        if (strncmp(line, "ERROR", 5) == 0) known = -1;
    if (output) pclose(output);
    return known > 0;
}

// A region that moves must not exist yet when the step number is set, walls with wiggle must: their time begins
// with the step at which they are made.
static void write_walls(const PeerJob *job, FILE *file) {
    long long step = (long long)job->start->step;
    if (takes_zcylinder()) {
        fprintf(file, "variable wiggle string \"wiggle z %g %g\"\n", BOX_AMPLITUDE, 1 / BOX_FREQUENCY);
        fputs("fix side all wall/gran hertz/history ${law} zcylinder 0.0125 ${wiggle}\n"
              "fix ends all wall/gran hertz/history ${law} zplane -0.0125 0.0125 ${wiggle}\n",
              file);
        fprintf(file, "reset_timestep %lld\n", step);
    } else {
        fprintf(file, "reset_timestep %lld\nvariable none equal 0\n", step);
        fprintf(file, "variable rise equal %g*(1-cos(2*PI*%g*step*dt))\n", BOX_AMPLITUDE, BOX_FREQUENCY);
        fputs("region can cylinder z 0 0 0.0125 -0.0125 0.0125 side in units box move v_none v_none v_rise\n"
              "fix can all wall/gran/region hertz/history ${law} region can\n",
              file);
    }
}

static bool write_input(const PeerJob *job) {
    double shear = BOX_YOUNG / (2 * (1 + BOX_POISSON)), normal = 4 * shear / (3 * (1 - BOX_POISSON));
    double tangential = 4 * shear / (2 - BOX_POISSON);
    if (!peer_write_data(job, "data", 0, 0)) return false;
    FILE *file = fopen("input", "w");
    if (!file) return false;
    fputs("units si\natom_style sphere\nboundary f f f\nnewton off\ncomm_modify vel yes\nread_data data\n",
          file);
    fprintf(file, "neighbor %.9g bin\nneigh_modify delay 0 every 1 check yes\n", job->skin);
    fprintf(file, "variable law string \"%.17g %.17g 0 0 %g 1\"\n", normal, tangential, BOX_FRICTION);
    fputs("pair_style gran/hertz/history ${law}\npair_coeff * *\n", file);
    fprintf(file, "timestep %.17g\nfix move all nve/sphere\nfix fall all gravity %g vector 0 0 -1\n",
            job->size->step, BOX_GRAVITY);
    write_walls(job, file);
    fputs("compute center all com\nthermo_style custom step c_center[1] c_center[2] c_center[3]\n"
          "thermo_modify lost error norm no format float %.15g\n",
          file);
    fprintf(file, "thermo %lld\n", (long long)(job->sampled ? job->sampled : job->steps));
    fprintf(file, "run %lld\n", (long long)job->steps);
    if (job->final)
        fputs("write_dump all custom final id x y z vx vy vz omegax omegay omegaz modify sort id "
              "format float %.17g\n",
              file);
    return fclose(file) == 0;
}

static bool read_final(const PeerJob *job, BoxState *state) {
    FILE *file = fopen("final", "r");
    *state = (BoxState){.count = job->start->count, .step = job->start->step + job->steps};
    state->values = memory_alloc((size_t)state->count * 9 * sizeof(double));
    char line[512];
    bool started = false;
    int64_t i = 0;
    while (file && state->values && i < state->count && fgets(line, sizeof line, file)) {
        if (started) {
            char *at = line;
            (void)strtoll(at, &at, 10);
            for (int c = 0; c < 9; c++) state->values[9 * i + c] = strtod(at, &at);
            i++;
        }
        started = started || strncmp(line, "ITEM: ATOMS", 11) == 0;
    }
    if (file) fclose(file);
    return i == state->count;
}

bool peer_read_lammps(const PeerJob *job, FILE *output, PeerResult *result) {
    char line[512];
    double percent = 0;
    bool table = false;
    while (fgets(line, sizeof line, output)) {
        double step, center[3];
        if (sscanf(line, "Loop time of %lf", &result->wall) == 1) table = false;
        if (sscanf(line, "%lf%% CPU use", &percent) == 1) result->cpu = result->wall * percent / 100;
        if (table && sscanf(line, "%lf %lf %lf %lf", &step, &center[0], &center[1], &center[2]) == 4)
            for (int c = 0; c < 3; c++)
                if (!array_push(&result->centers, center[c])) return false;
        if (strncmp(line + strspn(line, " "), "Step ", 5) == 0) table = true; // newer versions indent it
    }
    if (job->final && !read_final(job, &result->final)) return false;
    return result->cpu > 0;
}

static void find_build(char *text, size_t size) {
    FILE *output = popen("lmp -h 2>&1 </dev/null", "r");
    char line[512];
    while (output && fgets(line, sizeof line, output)) {
        const char *version = strstr(line, "Simulator - ");
        line[strcspn(line, "\n")] = 0;
        if (version) snprintf(text, size, "LAMMPS %s", version + strlen("Simulator - "));
        else if (strncmp(line, "Compiler:", 9) == 0)
            snprintf(text + strlen(text), size - strlen(text), ", %s", line + 9 + strspn(line + 9, " "));
    }
    if (output) pclose(output);
}

const Peer peer_lammps = {
    .name = "lammps",
    .program = "lmp",
    .remark = "same law, motion, step and start",
    .build = find_build,
    .share = 1,
    .write = write_input,
    .arguments = (const char *const[]){"lmp", "-in", "input", "-log", "none", NULL},
    .read = peer_read_lammps,
};
