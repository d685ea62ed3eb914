// A live simulation: step by step, with its signals, inputs and state at hand.
//
//     MrcSim *sim;
//     MrcSimOptions options = mrc_sim_options_default();
//     if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) ...
//     int tip = mrc_sim_find_signal(sim, "shell.y"), force = mrc_sim_find_input(sim, "u");
//     while (!mrc_sim_is_done(sim)) {
//         mrc_sim_set_input(sim, force, -gain * mrc_sim_value(sim, tip), NULL);
//         if (mrc_sim_step(sim, &error) != MRC_OK) break;
//     }
//     mrc_sim_free(sim);
//
// Several simulations of one model may live at the same time, each on a thread of its own.
#ifndef MARACA_SIM_H
#define MARACA_SIM_H

#include "maraca/maraca.h"
#include "maraca/partner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrcSim MrcSim;

typedef struct MrcSimOptions {
    size_t size;              // of this struct, by mrc_sim_options_default: later versions may have more
    int threads;              // 0: all cores
    const volatile int *stop; // non-zero: whatever takes long ends soon with MRC_INTERRUPTED
    void (*message)(void *user, bool warning, const char *text);
    void (*progress)(void *user,
                     const MrcProgress *progress); // while beds settle, and in steps that take long
    void *user;
    const MrcPartner *const *partners; // of your own; they must outlive the simulation
    int partner_count;
    bool keep_orientation; // of grains, for mrc_sim_grains; a model with frames keeps it anyway
} MrcSimOptions;

static inline MrcSimOptions mrc_sim_options_default(void) {
    MrcSimOptions options = {sizeof(MrcSimOptions), 0, 0, 0, 0, 0, 0, 0, 0};
    return options;
}

// `model` must outlive the simulation. It stands at t = 0, with beds placed and settled.
MrcStatus mrc_sim_create(const MrcModel *model, const MrcSimOptions *options, MrcSim **sim, MrcError *error);
void mrc_sim_free(MrcSim *sim);

// ---- time ----------------------------------------------------------------------------------------
// One step. MRC_INTERRUPTED: `stop` was set within a step that took long, and the simulation is where it was before
// that step; if the step before it was a short one, it must be restored first.
MrcStatus mrc_sim_step(MrcSim *sim, MrcError *error);
MrcStatus mrc_sim_advance(MrcSim *sim, double until, MrcError *error); // steps until this time is reached [s]
double mrc_sim_time(const MrcSim *sim);                                // now [s]
double mrc_sim_step_size(const MrcSim *sim);                           // [s]
int64_t mrc_sim_step_count(const MrcSim *sim);                         // steps done
bool mrc_sim_is_done(const MrcSim *sim); // the duration of the model is reached; further steps are possible

// ---- signals: all that can be recorded -----------------------------------------------------------
int mrc_sim_signal_count(const MrcSim *sim);
MrcSignal mrc_sim_signal(const MrcSim *sim, int handle);
int mrc_sim_find_signal(const MrcSim *sim, const char *name); // a handle, or -1
// The value now. The first one after a step measures everything, the others only read. NAN: it cannot be measured, or
// there is no such signal.
double mrc_sim_value(MrcSim *sim, int handle);

// Results so far, as in summary.json: partners, coupling, energies, periods. NULL: they cannot be measured, or memory is
// out. Freed with mrc_facts_free.
MrcFacts *mrc_sim_facts(MrcSim *sim);

// ---- inputs: quantities of the model's `inputs:` -------------------------------------------------
int mrc_sim_input_count(const MrcSim *sim);
MrcSignal mrc_sim_input(const MrcSim *sim, int handle);
int mrc_sim_find_input(const MrcSim *sim, const char *name); // a handle, or -1
// From now on, in SI units; the default or table of the model file no longer counts. MRC_USAGE: there is no such input,
// or the value is not finite.
MrcStatus mrc_sim_set_input(MrcSim *sim, int handle, double value, MrcError *error);
double mrc_sim_input_value(const MrcSim *sim, int handle); // now, in SI units. NAN: there is no such input

// ---- state ---------------------------------------------------------------------------------------
typedef struct MrcState MrcState; // of the whole simulation, in memory

MrcStatus mrc_sim_save(MrcSim *sim, MrcState **state,
                       MrcError *error); // *state NULL: a new one; else it is reused
MrcStatus mrc_sim_restore(MrcSim *sim, MrcState *state, MrcError *error); // as often as wanted
void mrc_state_free(MrcState *state);

// The same as bytes, for later or for another process: with the same library and the same model. MRC_CHECKPOINT: they are
// damaged, or no such bytes. *state NULL: a new one.
size_t mrc_state_size(const MrcState *state);
MrcStatus mrc_state_pack(const MrcState *state, void *bytes, size_t size, MrcError *error);
MrcStatus mrc_state_unpack(const void *bytes, size_t size, MrcState **state, MrcError *error);

// ---- views ---------------------------------------------------------------------------------------
// Grains of a bed in order of id. The arrays belong to the simulation and are valid until its next step.
typedef struct MrcGrains {
    int64_t count;
    const double *x, *y, *z;    // centres [m]
    const double *vx, *vy, *vz; // velocities [m/s]
    const double *wx, *wy, *wz; // angular velocities [rad/s]
    const double *radius;       // [m]
    const int32_t *id;
    const double *qw, *qx, *qy, *qz; // orientation, a unit quaternion: own axes to world axes; NULL: not kept
} MrcGrains;

int mrc_sim_bed_count(const MrcSim *sim);
const char *mrc_sim_bed_name(const MrcSim *sim, int bed);
MrcStatus mrc_sim_grains(MrcSim *sim, int bed, MrcGrains *grains, MrcError *error);

// Nodes of the mechanism, as the integrator has them. Under steady loads, and after loads whose effect is not complete
// yet, the integrator's velocities have a lag. The signals ("box.vx") are corrected for it: they conserve the momentum
// of machine and grains at every instant, and are zero at rest.
int mrc_sim_node_count(const MrcSim *sim);
const char *mrc_sim_node_name(const MrcSim *sim, int node);
void mrc_sim_node(const MrcSim *sim, int node, MrcMotion *motion);

// Ports: where something touches something else.
int mrc_sim_port_count(const MrcSim *sim);
const char *mrc_sim_port_name(const MrcSim *sim, int port);
void mrc_sim_port(const MrcSim *sim, int port, MrcMotion *motion,
                  MrcLoad *load); // of the last step; either may be NULL

#ifdef __cplusplus
}
#endif
#endif
