// A partner of your own: a box on a spring, written in C, that carries grains of Maraca.
//
//     cc spring_mass.c $(pkg-config --cflags --libs maraca) -o spring_mass && ./spring_mass
//
// The model file leaves the port `box` to the partner `rig`. The rig is a mass on a spring and a damper along z,
//
//     m z'' = -k z - c z' + F,        F: the force of the grains
//
// integrated by the trapezoidal rule, h being the step:
//
//     z1 = z + h (v + v1)/2,   m (v1 - v)/h = -k (z + z1)/2 - c (v + v1)/2 + F
//     =>  (m + h c/2 + h^2 k/4) v1 = (m - h c/2 - h^2 k/4) v - h k z + h F
//
// The grains see the rig through its mobility, 1/S: an impulse P in a step adds P/S to its velocity. A steady load adds
// the same dv in every step and moves the rig by `early` h dv. The rule above then rests at a velocity of
// -(early - 1/2) dv and a force h k z = (S0 + (2 early - 1) (S0 - m)) dv, S0 being the bracket before v1. With
//
//     S = S0 + (2 early - 1) (S0 - m)
//
// the rig carries the weight of the grains exactly, and is stable however heavy they are.
#include <maraca/sim.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] = "maraca: 1\n"
                                 "title: Grains in a box on a spring that is written in C\n"
                                 "gravity: 0 0 -9.81 m/s^2\n"
                                 "materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0}}\n"
                                 "ports: {box: {partner: rig}}\n"
                                 "grains:\n"
                                 "  bed:\n"
                                 "    port: box\n"
                                 "    wall: {box: {size: 20 20 14 mm}}\n"
                                 "    particles: {radius: 1.5 mm, count: 60, material: lead}\n"
                                 "    packing: {random: {seed: 1}}\n"
                                 "    method: nonsmooth\n"
                                 "simulate: {duration: 0.6 s, step: 0.2 ms}\n";

typedef struct Rig {
    double m, k, c; // [kg], [N/m], [N s/m]
    struct {
        double z, v;       // now [m], [m/s]
        double z1, v1;     // at the end of the step
        double h;          // [s]
        double jump_mass;  // S [kg]
        double dissipated; // by the damper [J]
    } state;
} Rig;

static double rig_step_mass(const Rig *r) {
    return r->m + 0.5 * r->state.h * r->c + 0.25 * r->state.h * r->state.h * r->k;
}

static MrcStatus rig_advance(void *self, const MrcLoad *loads, MrcError *error) {
    Rig *r = self;
    double h = r->state.h, force = loads ? loads[0].force[2] : 0;
    (void)error;
    r->state.v1 =
        ((2 * r->m - rig_step_mass(r)) * r->state.v - h * r->k * r->state.z + h * force) / rig_step_mass(r);
    r->state.z1 = r->state.z + 0.5 * h * (r->state.v + r->state.v1);
    return MRC_OK;
}

static MrcStatus rig_begin(void *self, double t, double h, MrcError *error) {
    (void)t;
    ((Rig *)self)->state.h = h;
    return rig_advance(self, NULL, error);
}

static void rig_motion(void *self, int port, MrcMotion *motion) {
    const Rig *r = self;
    (void)port;
    motion->position[2] = r->state.z1;
    motion->velocity[2] = r->state.v1;
}

static MrcStatus rig_mobility(void *self, double early, double *Y, MrcError *error) {
    Rig *r = self;
    (void)error;
    r->state.jump_mass = rig_step_mass(r) + (2 * early - 1) * (rig_step_mass(r) - r->m);
    memset(Y, 0, 36 * sizeof *Y); // it moves along z only
    Y[2 * 6 + 2] = 1 / r->state.jump_mass;
    return MRC_OK;
}

static MrcStatus rig_impulse(void *self, const MrcLoad *impulses, const MrcLoad *early, MrcError *error) {
    Rig *r = self;
    (void)error;
    r->state.v1 += impulses[0].force[2] / r->state.jump_mass;
    r->state.z1 += r->state.h * early[0].force[2] / r->state.jump_mass;
    return MRC_OK;
}

static MrcStatus rig_commit(void *self, MrcError *error) {
    Rig *r = self;
    double v = (r->state.z1 - r->state.z) / r->state.h;
    (void)error;
    r->state.dissipated += r->state.h * r->c * v * v;
    r->state.z = r->state.z1;
    r->state.v = r->state.v1;
    return MRC_OK;
}

static void rig_energy(void *self, MrcEnergy *energy) {
    const Rig *r = self;
    energy->kinetic = 0.5 * r->m * r->state.v * r->state.v;
    energy->elastic = 0.5 * r->k * r->state.z * r->state.z;
    energy->dissipated = r->state.dissipated;
}

static int fail(const char *what, const MrcError *error) {
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 1;
}

int main(void) {
    Rig rig = {.m = 0.05, .k = 500, .c = 0.05, .state = {.z = 4e-3, .z1 = 4e-3}};
    const MrcPartnerSignal signal = {"z", "m", &rig.state.z};
    const MrcPartner partner = {.size = sizeof(MrcPartner),
                                .name = "rig",
                                .self = &rig,
                                .begin = rig_begin,
                                .motion = rig_motion,
                                .advance = rig_advance,
                                .mobility = rig_mobility,
                                .impulse = rig_impulse,
                                .commit = rig_commit,
                                .state = &rig.state,
                                .state_size = sizeof rig.state,
                                .energy = rig_energy,
                                .signals = &signal,
                                .signal_count = 1};
    const MrcPartner *partners[] = {&partner};
    MrcError error;
    MrcSim *sim;
    MrcModel *model = mrc_model_parse(model_text, sizeof model_text - 1, "spring_mass", NULL, 0);
    MrcSimOptions options = mrc_sim_options_default();
    options.partners = partners;
    options.partner_count = 1;
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) return fail("cannot begin", &error);
    int z = mrc_sim_find_signal(sim, "rig.z"), load = mrc_sim_find_signal(sim, "box.load.fz"),
        balance = mrc_sim_find_signal(sim, "energy.error"),
        impact = mrc_sim_find_signal(sim, "energy.impact");
    printf("%8s %12s %12s\n", "t [s]", "z [mm]", "load [N]");
    for (int row = 0; row <= 12; row++) {
        if (mrc_sim_advance(sim, 0.05 * row, &error) != MRC_OK) return fail("stopped", &error);
        printf("%8.3f %12.4f %12.4f\n", mrc_sim_time(sim), 1e3 * mrc_sim_value(sim, z),
               mrc_sim_value(sim, load));
    }
    double mass = 60 * 11344 * 4.0 / 3.0 * 3.14159265358979 * pow(1.5e-3, 3);
    printf("sag of the grains' weight, g m/k: %.4f mm\n", 1e3 * 9.81 * mass / rig.k);
    printf("dissipated by impacts: %.3g mJ, missing from the balance: %.1g mJ\n",
           1e3 * mrc_sim_value(sim, impact), 1e3 * mrc_sim_value(sim, balance));
    mrc_sim_free(sim);
    mrc_model_free(model);
    return 0;
}
