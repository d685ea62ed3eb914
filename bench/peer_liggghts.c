// LIGGGHTS (Debian package liggghts): pair gran model hertz tangential history, primitive walls. Its
// primitive walls do not move, and so the run is made in the axes of the box, where gravity is g + d2z/dt2:
// the same motion. With restitution 1 its damping vanishes, and its stiffnesses are 4/3 E' and 8 G' as ours.
#include "bench/peer.h"

#include <string.h>

static bool write_input(const PeerJob *job) {
    Motion box = box_motion(job->size, job->start->step);
    // The half steps of the box's own acceleration cancel: in its velocity half a step ago, and in the kick.
    if (!peer_write_data(job, "data", box.position.z, box.velocity.z)) return false;
    FILE *file = fopen("input", "w");
    if (!file) return false;
    fputs("hard_particles yes\nunits si\natom_style granular\nboundary f f f\nnewton off\n"
          "communicate single vel yes\nread_data data\n",
          file);
    fprintf(file, "neighbor %.9g bin\nneigh_modify delay 0 every 1 check yes\n", job->skin);
    fprintf(file, "fix young all property/global youngsModulus peratomtype %g\n", BOX_YOUNG);
    fprintf(file, "fix poisson all property/global poissonsRatio peratomtype %g\n", BOX_POISSON);
    fputs("fix restitution all property/global coefficientRestitution peratomtypepair 1 1\n", file);
    fprintf(file, "fix friction all property/global coefficientFriction peratomtypepair 1 %g\n",
            BOX_FRICTION);
    fputs("variable law string \"model hertz tangential history\"\n"
          "pair_style gran ${law}\npair_coeff * *\n",
          file);
    fprintf(file, "timestep %.17g\nfix move all nve/sphere\n", job->size->step);
    fprintf(file, "variable g equal %.17g+%.17g*cos(%.17g*(step+%lld))\n", BOX_GRAVITY,
            BOX_AMPLITUDE * BOX_OMEGA * BOX_OMEGA, BOX_OMEGA * job->size->step, (long long)job->start->step);
    fputs("fix fall all gravity v_g vector 0 0 -1\n"
          "fix side all wall/gran ${law} primitive type 1 zcylinder 0.0125 0 0\n"
          "fix floor all wall/gran ${law} primitive type 1 zplane -0.0125\n"
          "fix lid all wall/gran ${law} primitive type 1 zplane 0.0125\n"
          "thermo_style custom step cpu\nthermo_modify lost error norm no\n",
          file);
    fprintf(file, "thermo %lld\nrun %lld\n", (long long)job->steps, (long long)job->steps);
    return fclose(file) == 0;
}

// It gives no CPU time of its loop: the wall time stands for it.
static bool read_output(const PeerJob *job, FILE *output, PeerResult *result) {
    char line[512];
    (void)job;
    while (fgets(line, sizeof line, output))
        if (sscanf(line, "Loop time of %lf", &result->wall) == 1) result->cpu = result->wall;
    return result->wall > 0;
}

const Peer peer_liggghts = {
    .name = "liggghts",
    .program = "liggghts",
    .remark = "same law, step and start, in the axes of the box; wall time of its loop, it gives no CPU time",
    .share = 0.2,
    .write = write_input,
    .arguments = (const char *const[]){"liggghts", "-in", "input", "-log", "none", NULL},
    .read = read_output,
};
