// Grains of Maraca in a bucket on the arm of somebody else's multibody program.
//
//     cc multibody.c $(pkg-config --cflags --libs maraca) -lm -o multibody && ./multibody
//
// First comes that program, which knows nothing of Maraca: a plane chain of rods with springs and dampers in its joints,
// in the angles theta_i of the rods against the horizontal. With b_ki = l_i for i < k and l_i/2 for i = k,
//
//     sum_j M_ij theta_j'' + sum_j c_ij sin(theta_i - theta_j) theta_j'^2 = Q_i
//     c_ij = sum_k m_k b_ki b_kj + I_i delta_ij,   M_ij = c_ij cos(theta_i - theta_j)
//
// Q holds gravity, springs, dampers, and J^T F of a force F at the tip. It is integrated by semi-implicit Euler. Then come
// the six functions that make it a partner (maraca/partner.h): the mobility of the tip is Y = J M^-1 J^T, so the bucket may
// be far lighter than the grains in it.
#include <maraca/sim.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the multibody program -----------------------------------------------------------------------
enum { RODS = 3 };
typedef struct Chain {
    double length, mass, stiffness, damping, gravity; // of each rod and joint
    double angle[RODS], speed[RODS];
} Chain;

static double chain_arm(const Chain *c, int rod, int i) { // b_ki
    return i < rod ? c->length : i == rod ? 0.5 * c->length : 0;
}

static double chain_inertia(const Chain *c, int i, int j) { // c_ij
    double sum = i == j ? c->mass * c->length * c->length / 12 : 0;
    for (int k = 0; k < RODS; k++) sum += c->mass * chain_arm(c, k, i) * chain_arm(c, k, j);
    return sum;
}

static void chain_solve(const Chain *c, const double *q, double *x) { // M x = q, by Cholesky
    double L[RODS][RODS] = {0};
    for (int i = 0; i < RODS; i++)
        for (int j = 0; j <= i; j++) {
            double sum = chain_inertia(c, i, j) * cos(c->angle[i] - c->angle[j]);
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    for (int i = 0; i < RODS; i++) {
        x[i] = q[i];
        for (int k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
    for (int i = RODS - 1; i >= 0; i--) {
        for (int k = i + 1; k < RODS; k++) x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
}

static double chain_bend(const double *x, int i) { return x[i] - (i > 0 ? x[i - 1] : 0); }

// J^T: what a force (x, y) and a moment at the tip are to rod i.
static double chain_tip(const Chain *c, int i, const double load[3]) {
    return c->length * (cos(c->angle[i]) * load[1] - sin(c->angle[i]) * load[0]) +
           (i == RODS - 1 ? load[2] : 0);
}

static void chain_accelerations(const Chain *c, const double load[3], double *alpha) {
    double q[RODS];
    for (int i = 0; i < RODS; i++) {
        q[i] = chain_tip(c, i, load);
        for (int k = i; k < i + 2 && k < RODS; k++) // the joints at both its ends
            q[i] -= (k == i ? 1 : -1) *
                    (c->stiffness * chain_bend(c->angle, k) + c->damping * chain_bend(c->speed, k));
        for (int k = 0; k < RODS; k++) {
            q[i] -= chain_inertia(c, i, k) * sin(c->angle[i] - c->angle[k]) * c->speed[k] * c->speed[k];
            q[i] -= c->mass * c->gravity * chain_arm(c, k, i) * cos(c->angle[i]);
        }
    }
    chain_solve(c, q, alpha);
}

// ---- the same as a partner -----------------------------------------------------------------------
typedef struct Rig {
    struct {
        Chain now, next;
        double h, alpha[RODS], dissipated;
    } state;
} Rig;

static MrcStatus rig_advance(void *self, const MrcLoad *loads, MrcError *error) {
    Rig *r = self;
    double load[3] = {0};
    (void)error;
    if (loads) load[0] = loads->force[0], load[1] = loads->force[1], load[2] = loads->moment[2];
    r->state.next = r->state.now;
    chain_accelerations(&r->state.now, load, r->state.alpha);
    for (int i = 0; i < RODS; i++) {
        r->state.next.speed[i] += r->state.h * r->state.alpha[i];
        r->state.next.angle[i] += r->state.h * r->state.next.speed[i];
    }
    return MRC_OK;
}

static MrcStatus rig_begin(void *self, double t, double h, MrcError *error) {
    (void)t;
    ((Rig *)self)->state.h = h;
    return rig_advance(self, NULL, error);
}

static void rig_motion(void *self, int port, MrcMotion *m) {
    const Rig *r = self;
    const Chain *c = &r->state.next;
    (void)port;
    for (int i = 0; i < RODS; i++) {
        double x = c->length * cos(c->angle[i]), y = c->length * sin(c->angle[i]), w = c->speed[i],
               a = r->state.alpha[i];
        m->position[0] += x, m->position[1] += y;
        m->velocity[0] -= w * y, m->velocity[1] += w * x;
        m->acceleration[0] -= a * y + w * w * x, m->acceleration[1] += a * x - w * w * y;
    }
    m->orientation[0] = cos(0.5 * c->angle[RODS - 1]), m->orientation[3] = sin(0.5 * c->angle[RODS - 1]);
    m->angular_velocity[2] = c->speed[RODS - 1];
    m->angular_acceleration[2] = r->state.alpha[RODS - 1];
}

// What an impulse on the tip adds to the rods' speeds.
static void rig_jumps(const Rig *r, const MrcLoad *impulse, double *jumps) {
    double load[3] = {impulse->force[0], impulse->force[1], impulse->moment[2]}, q[RODS];
    for (int i = 0; i < RODS; i++) q[i] = chain_tip(&r->state.now, i, load);
    chain_solve(&r->state.now, q, jumps);
}

static MrcStatus rig_mobility(void *self, double early, double *Y, MrcError *error) {
    const Rig *r = self;
    static const int places[] = {0, 1, 5}; // x, y and the rotation about z
    (void)early, (void)error;
    memset(Y, 0, 36 * sizeof *Y);
    for (int j = 0; j < 3; j++) {
        MrcLoad unit = {0};
        double jumps[RODS];
        ((double *)&unit)[places[j]] = 1;
        rig_jumps(r, &unit, jumps);
        for (int k = 0; k < 3; k++) {
            double row[3] = {k == 0, k == 1, k == 2};
            for (int i = 0; i < RODS; i++)
                Y[6 * places[k] + places[j]] += chain_tip(&r->state.now, i, row) * jumps[i];
        }
    }
    return MRC_OK;
}

static MrcStatus rig_impulse(void *self, const MrcLoad *impulses, const MrcLoad *early, MrcError *error) {
    Rig *r = self;
    double jumps[RODS], ways[RODS];
    (void)error;
    rig_jumps(r, impulses, jumps), rig_jumps(r, early, ways);
    for (int i = 0; i < RODS; i++)
        r->state.next.speed[i] += jumps[i], r->state.next.angle[i] += r->state.h * ways[i];
    return MRC_OK;
}

static MrcStatus rig_commit(void *self, MrcError *error) {
    Rig *r = self;
    (void)error;
    for (int i = 0; i < RODS; i++)
        r->state.dissipated += r->state.h * r->state.now.damping * pow(chain_bend(r->state.next.speed, i), 2);
    r->state.now = r->state.next;
    return MRC_OK;
}

static void rig_energy(void *self, MrcEnergy *energy) {
    const Rig *r = self;
    const Chain *c = &r->state.now;
    *energy = (MrcEnergy){.dissipated = r->state.dissipated};
    for (int i = 0; i < RODS; i++) {
        energy->elastic += 0.5 * c->stiffness * pow(chain_bend(c->angle, i), 2);
        for (int k = 0; k < RODS; k++) {
            energy->kinetic +=
                0.5 * chain_inertia(c, i, k) * cos(c->angle[i] - c->angle[k]) * c->speed[i] * c->speed[k];
            energy->potential += c->mass * c->gravity * chain_arm(c, k, i) * sin(c->angle[i]);
        }
    }
}

static const char model_text[] = "maraca: 1\n"
                                 "gravity: 0 -9.81 0 m/s^2\n"
                                 "materials: {stone: {density: 2600 kg/m^3, friction: 0.4, restitution: 0}}\n"
                                 "ports: {bucket: {partner: arm}}\n"
                                 "grains:\n"
                                 "  load:\n"
                                 "    port: bucket\n"
                                 "    wall: {box: {size: 60 60 60 mm}}\n"
                                 "    particles: {radius: 5 mm, count: 80, material: stone}\n"
                                 "    packing: settle\n"
                                 "    method: nonsmooth\n"
                                 "simulate: {duration: 2 s, step: 0.5 ms}\n";

int main(void) {
    Rig rig = {
        .state = {.now = {.length = 0.2, .mass = 0.05, .stiffness = 30, .damping = 0.05, .gravity = 9.81}}};
    double weight = 80 * 2600 * 4.0 / 3.0 * 3.14159265358979 * pow(5e-3, 3) * 9.81, mean = 0;
    const MrcLoad less = {
        .force = {0, -0.9 * weight, 0}}; // it sags under that, and swings when it carries the whole
    rig.state.h = 5e-4;
    for (int n = 0; n < 40000; n++) rig_advance(&rig, &less, NULL), rig.state.now = rig.state.next;
    const MrcPartner arm = {.size = sizeof arm,
                            .name = "arm",
                            .self = &rig,
                            .begin = rig_begin,
                            .motion = rig_motion,
                            .advance = rig_advance,
                            .mobility = rig_mobility,
                            .impulse = rig_impulse,
                            .commit = rig_commit,
                            .state = &rig.state,
                            .state_size = sizeof rig.state,
                            .energy = rig_energy};
    const MrcPartner *partners[] = {&arm};
    MrcSimOptions options = mrc_sim_options_default();
    MrcModel *model = mrc_model_parse(model_text, sizeof model_text - 1, "multibody", NULL, 0);
    MrcSim *sim;
    MrcError error;
    options.partners = partners, options.partner_count = 1;
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    int y = mrc_sim_find_signal(sim, "bucket.y"), load = mrc_sim_find_signal(sim, "bucket.load.fy");
    printf("%8s %12s %12s\n", "t [s]", "tip y [mm]", "load [N]");
    for (int n = 1; n <= 4000; n++) {
        if (mrc_sim_step(sim, &error) != MRC_OK) return fprintf(stderr, "%s\n", error.text), 1;
        if (n > 3000) mean += mrc_sim_value(sim, load) / 1000;
        if (n % 400 == 0)
            printf("%8.3f %12.4f %12.4f\n", mrc_sim_time(sim), 1e3 * mrc_sim_value(sim, y),
                   mrc_sim_value(sim, load));
    }
    printf("mean load in the last half second: %.4f N, weight of the grains: %.4f N, of the arm: %.4f N\n",
           mean, weight, RODS * rig.state.now.mass * 9.81);
    mrc_sim_free(sim);
    mrc_model_free(model);
    return fabs(mean + weight) < 0.02 * weight ? 0 : 1;
}
