// LAMMPS for the cases of bulk.h: pair gran/hooke/history, its quickest law with friction that remembers, and walls as
// regions. Its law is ours:
//     f_n = k s - m_eff gamma v_n,  f_t = -2/7 k u, cut back at mu f_n,  gamma = 2 |ln e| sqrt(k/m_eff)/sqrt(pi^2 + ln^2 e)
// gamma is that of two equal grains, and at walls that of one; the ball has another one than ours, which no timing shows.
// Of the ball's sake, lists are made by type (`multi`).
#include <math.h>

#include "bench/bulk.h"
#include "bench/peer.h"

static double bulk_gamma(double mass) {
    double l = log(BULK_RESTITUTION);
    return -2 * l * sqrt(BULK_STIFFNESS / mass) / sqrt(M_PI * M_PI + l * l);
}

static bool bulk_write_data(const PeerJob *job) {
    FILE *file = fopen("data", "w");
    if (!file) return false;
    const BoxState *start = job->start;
    const BulkCase *bulk = job->bulk;
    double wide = 0.15 * bulk->scale;
    fprintf(file, "grains\n\n%lld atoms\n2 atom types\n", (long long)start->count);
    fprintf(file, "%g %g xlo xhi\n%g %g ylo yhi\n%g %g zlo zhi\n\nAtoms\n\n", -wide, wide, -wide, wide,
            -40 * wide, 3 * wide);
    for (int64_t i = 0; i < start->count; i++) {
        const double *v = start->values + 9 * i;
        bool ball = bulk->kind == BULK_PENETRATION && i == start->count - 1;
        fprintf(file, "%lld %d %.17g %.17g %.17g %.17g %.17g\n", (long long)i + 1, ball ? 2 : 1,
                ball ? 2 * BULK_BALL : BULK_DIAMETER, ball ? BULK_BALL_DENSITY : BULK_DENSITY, v[0], v[1],
                v[2]);
    }
    fputs("\nVelocities\n\n", file);
    for (int64_t i = 0; i < start->count; i++) {
        const double *v = start->values + 9 * i;
        fprintf(file, "%lld %.17g %.17g %.17g %.17g %.17g %.17g\n", (long long)i + 1, v[3], v[4],
                v[5] - 0.5 * BULK_STEP * BULK_GRAVITY, v[6], v[7], v[8]);
    }
    return fclose(file) == 0;
}

static void bulk_write_walls(const PeerJob *job, FILE *file) {
    const BulkCase *bulk = job->bulk;
    double s = bulk->scale;
    switch (bulk->kind) {
    case BULK_SILO:
        fprintf(file, "region barrel cylinder z 0 0 %.9g %.9g %.9g side in open 1 open 2\n",
                s * BULK_SILO_RADIUS, s * BULK_SILO_HOPPER, s * (BULK_SILO_HOPPER + BULK_SILO_HEIGHT));
        fprintf(file, "region hopper cone z 0 0 %.9g %.9g 0 %.9g side in open 1 open 2\n",
                s * BULK_SILO_ORIFICE, s * BULK_SILO_RADIUS, s * BULK_SILO_HOPPER);
        fputs("fix barrel all wall/gran/region hooke/history ${wall} region barrel\n"
              "fix hopper all wall/gran/region hooke/history ${wall} region hopper\n",
              file);
        break;
    case BULK_DRUM:
        fprintf(file, "variable angle equal %.9g*step*dt\n", bulk->speed);
        fprintf(file, "region drum cylinder y 0 0 %.9g %.9g %.9g side in rotate v_angle 0 0 0 0 1 0\n",
                s * BULK_DRUM_RADIUS, -0.5 * s * BULK_DRUM_LENGTH, 0.5 * s * BULK_DRUM_LENGTH);
        fputs("fix drum all wall/gran/region hooke/history ${wall} region drum\n", file);
        break;
    default:
        fprintf(file, "region box block %.9g %.9g %.9g %.9g 0 %.9g side in\n", -0.5 * s * BULK_BOX_WIDTH,
                0.5 * s * BULK_BOX_WIDTH, -0.5 * s * BULK_BOX_WIDTH, 0.5 * s * BULK_BOX_WIDTH,
                s * BULK_BOX_HEIGHT);
        fputs("fix box all wall/gran/region hooke/history ${wall} region box\n", file);
    }
}

static bool bulk_write_input(const PeerJob *job) {
    double mass = M_PI / 6 * BULK_DIAMETER * BULK_DIAMETER * BULK_DIAMETER * BULK_DENSITY;
    bool ball = job->bulk->kind == BULK_PENETRATION;
    if (!bulk_write_data(job)) return false;
    FILE *file = fopen("input", "w");
    if (!file) return false;
    fputs("units si\natom_style sphere\nboundary f f f\nnewton off\n", file);
    fprintf(file, "neighbor %.9g %s\n", job->skin, ball ? "multi" : "bin");
    fprintf(file, "comm_modify %svel yes\nread_data data\n", ball ? "mode multi " : "");
    fputs("neigh_modify delay 0 every 1 check yes\n", file);
    const double gammas[2] = {bulk_gamma(0.5 * mass), bulk_gamma(mass)};
    const char *const names[2] = {"pairs", "wall"};
    for (int k = 0; k < 2; k++)
        fprintf(file, "variable %s string \"%.9g %.9g %.9g 0 %g 0\"\n", names[k], BULK_STIFFNESS,
                2.0 / 7 * BULK_STIFFNESS, gammas[k], BULK_FRICTION);
    fputs("pair_style gran/hooke/history ${pairs}\npair_coeff * *\n", file);
    fprintf(file, "timestep %.17g\nfix move all nve/sphere\nfix fall all gravity %g vector 0 0 -1\n",
            BULK_STEP, BULK_GRAVITY);
    fprintf(file, "reset_timestep %lld\n", (long long)job->start->step);
    bulk_write_walls(job, file);
    fputs("compute center all com\nthermo_style custom step c_center[1] c_center[2] c_center[3]\n"
          "thermo_modify lost error norm no format float %.15g\n",
          file);
    fprintf(file, "thermo %lld\nrun %lld\n", (long long)job->steps, (long long)job->steps);
    return fclose(file) == 0;
}

const Peer peer_lammps_bulk = {
    .name = "lammps",
    .program = "lmp",
    .remark = "same law, walls, step and start",
    .share = 1,
    .write = bulk_write_input,
    .arguments = (const char *const[]){"lmp", "-in", "input", "-log", "none", NULL},
    .read = peer_read_lammps,
};
