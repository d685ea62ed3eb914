#include "analysis/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/hash.h"
#include "base/threads.h"
#include "base/timer.h"
#include "model/model.h"
#include "output/summary.h"

static void live_log(void *user, LogLevel level, const char *text) {
    const MrcSim *live = user;
    if (live->options.message) live->options.message(live->options.user, level == LOG_WARNING, text);
}

// ---- progress and requests to stop ---------------------------------------------------------------
static void live_notify(MrcSim *live) {
    live->progress.elapsed = timer_wall() - live->start_wall;
    live->last_progress = timer_wall();
    if (live->options.progress) live->options.progress(live->options.user, &live->progress);
}

// While a bed settles.
static void live_settling(void *user, double time, double limit, int64_t steps) {
    MrcSim *live = user;
    live->settled = true;
    live->progress = (MrcProgress){.time = time, .duration = limit, .steps = steps, .phase = "settling"};
    if (timer_wall() - live->last_progress >= 0.2) live_notify(live);
}

// Progress within one long operation.
static void live_report(void *user, const char *work, int64_t done, int64_t most) {
    MrcSim *live = user;
    if (timer_wall() - live->last_progress < 1)
        return; // shown only if nothing else has been reported for a second
    live->progress.work = work;
    live->progress.work_done = done;
    live->progress.work_most = most;
    live_notify(live);
    live->progress.work = NULL;
    live->progress.work_done = live->progress.work_most = 0;
}

typedef struct LiveCaller { // settings of the calling thread, to be put back before returning to it
    int threads;
    Watch *watch;
} LiveCaller;

static LiveCaller live_enter(MrcSim *live) {
    live->watch.stop = live->options.stop;
    live->watch.report = live->options.progress ? live_report : NULL;
    live->watch.user = live;
    return (LiveCaller){threads_set(live->options.threads > 0 ? live->options.threads : threads_available()),
                        watch_set(&live->watch)};
}

static void live_leave(LiveCaller caller) {
    threads_set(caller.threads);
    watch_set(caller.watch);
}

// ---- creation ------------------------------------------------------------------------------------
MrcStatus mrc_sim_create(const MrcModel *model, const MrcSimOptions *options, MrcSim **out, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    *out = NULL;
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    MrcSim *live = calloc(1, sizeof *live);
    if (!live) return error_memory(error, "the simulation");
    *live = (MrcSim){.model = model, .options = mrc_sim_options_default(), .start_wall = timer_wall()};
    live->log = (Log){live_log, live};
    if (options) {
        size_t size = options->size > 0 && options->size < sizeof *options ? options->size : sizeof *options;
        memcpy(&live->options, options, size);
    }
    LiveCaller caller = live_enter(live);
    live->last_progress = live->start_wall;
    live->progress =
        (MrcProgress){.duration = model_definition(model)->simulate.duration, .phase = "starting"};
    GrainsWatch watch = {.log = &live->log, .settling = live_settling, .user = live};
    SimSetting setting = {.watch = &watch,
                          .partners = live->options.partners,
                          .partner_count = live->options.partner_count,
                          .keep_orientation = live->options.keep_orientation};
    MrcStatus status = sim_create(model_definition(model), &setting, &live->sim, error);
    if (status == MRC_OK) status = live_sample(live, error); // the ledger begins with the energy at t = 0
    live_leave(caller);
    if (status != MRC_OK) mrc_sim_free(live);
    else *out = live;
    return status;
}

void mrc_sim_free(MrcSim *live) {
    if (!live) return;
    mrc_state_free(live->before);
    sim_destroy(live->sim);
    free(live);
}

// ---- time ----------------------------------------------------------------------------------------
// A step that takes long is stopped in its middle, and the state before it is put back. That state is saved when the
// last step took long, and before the first one. Short steps are taken to their end.
static const double live_long_step = 0.1; // [s] of wall-clock time
static const double live_patience = 0.5;  // time that a step may take before it is stopped [s]

static MrcStatus live_save_before(MrcSim *live, MrcError *error) {
    live->saved = false;
    if (!live->options.stop) return MRC_OK;
    if (live->stepped && live->step_seconds < live_long_step) {
        mrc_state_free(live->before);
        live->before = NULL;
        return MRC_OK;
    }
    MrcStatus status = mrc_sim_save(live, &live->before, error);
    live->saved = status == MRC_OK;
    return status;
}

static MrcStatus live_go_back(MrcSim *live, MrcError *error) {
    MrcError ignored, stopped = *error;
    live->broken = !live->saved || mrc_sim_restore(live, live->before, &ignored) != MRC_OK;
    *error = stopped;
    return MRC_INTERRUPTED;
}

static MrcStatus live_refuse(MrcError *error) {
    return error_set(
        error, MRC_USAGE,
        "a step was stopped in its middle, or a state could not be restored: restore one that was "
        "saved");
}

MrcStatus mrc_sim_step(MrcSim *live, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    if (live->broken) return live_refuse(error);
    MrcStatus status = live_save_before(live, error);
    if (status != MRC_OK) return status;
    LiveCaller caller = live_enter(live);
    double start = live->last_progress = timer_wall();
    live->progress = (MrcProgress){.time = mrc_sim_time(live),
                                   .duration = model_definition(live->model)->simulate.duration,
                                   .steps = mrc_sim_step_count(live),
                                   .phase = "running"};
    live->sampled = false;
    live->watch.patience = start + live_patience;
    status = sim_step(live->sim, error);
    live->watch.patience = 0;
    live->step_seconds = timer_wall() - start;
    live->stepped = true;
    live_leave(caller);
    return status == MRC_INTERRUPTED ? live_go_back(live, error) : status;
}

// A millionth of a step of tolerance, as in sim/clock.c.
MrcStatus mrc_sim_advance(MrcSim *live, double until, MrcError *error) {
    MrcStatus status = MRC_OK;
    while (status == MRC_OK && mrc_sim_time(live) < until - 1e-6 * live->sim->clock.step) {
        if (live->options.stop && *live->options.stop) {
            MrcError own;
            return error_set(error ? error : &own, MRC_INTERRUPTED, "at t = %.6g s", mrc_sim_time(live));
        }
        status = mrc_sim_step(live, error);
    }
    return status;
}

double mrc_sim_time(const MrcSim *live) { return clock_time(&live->sim->clock); }
double mrc_sim_step_size(const MrcSim *live) { return live->sim->clock.step; }
int64_t mrc_sim_step_count(const MrcSim *live) { return live->sim->clock.now; }
bool mrc_sim_is_done(const MrcSim *live) { return sim_is_done(live->sim); }

// ---- signals -------------------------------------------------------------------------------------
int mrc_sim_signal_count(const MrcSim *live) { return (int)live->sim->recorder.signals.signals.count; }

MrcSignal mrc_sim_signal(const MrcSim *live, int handle) {
    if (handle < 0 || handle >= mrc_sim_signal_count(live)) return (MrcSignal){0};
    const Signal *signal = &live->sim->recorder.signals.signals.data[handle];
    return (MrcSignal){signal->name, signal->unit, signal->words, signal->on_request};
}

int mrc_sim_find_signal(const MrcSim *live, const char *name) {
    for (int s = 0; s < mrc_sim_signal_count(live); s++)
        if (strcmp(live->sim->recorder.signals.signals.data[s].name, name) == 0) return s;
    return -1;
}

MrcStatus live_sample(MrcSim *live, MrcError *error) {
    if (live->sampled) return MRC_OK;
    if (live->broken) return live_refuse(error);
    LiveCaller caller = live_enter(live);
    MrcStatus status = sim_sample(live->sim, error);
    live_leave(caller);
    live->sampled = status == MRC_OK;
    return status;
}

double mrc_sim_value(MrcSim *live, int handle) {
    MrcError ignored;
    if (handle < 0 || handle >= mrc_sim_signal_count(live) || live_sample(live, &ignored) != MRC_OK)
        return NAN;
    return *live->sim->recorder.signals.signals.data[handle].value;
}

MrcFacts *mrc_sim_facts(MrcSim *live) {
    MrcError ignored;
    MrcFacts *facts = live_sample(live, &ignored) == MRC_OK ? facts_create() : NULL;
    if (facts) summary_sim_facts(live->sim, &facts->list);
    if (!facts || !facts->list.incomplete) return facts;
    mrc_facts_free(facts);
    return NULL;
}

// ---- inputs --------------------------------------------------------------------------------------
int mrc_sim_input_count(const MrcSim *live) { return live->sim->inputs.count; }

MrcSignal mrc_sim_input(const MrcSim *live, int handle) {
    if (handle < 0 || handle >= live->sim->inputs.count) return (MrcSignal){0};
    const InputDefinition *input = &live->sim->inputs.definitions[handle];
    return (MrcSignal){.name = input->name, .unit = input->unit ? input->unit : ""};
}

int mrc_sim_find_input(const MrcSim *live, const char *name) {
    return input_find(live->sim->inputs.definitions, live->sim->inputs.count, name);
}

MrcStatus mrc_sim_set_input(MrcSim *live, int handle, double value, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    if (handle < 0 || handle >= live->sim->inputs.count)
        return error_set(error, MRC_USAGE, "there is no input %d", handle);
    if (!inputs_set(&live->sim->inputs, handle, value))
        return error_set(error, MRC_USAGE, "input '%s' cannot be %g",
                         live->sim->inputs.definitions[handle].name, value);
    return MRC_OK;
}

double mrc_sim_input_value(const MrcSim *live, int handle) {
    const Inputs *inputs = &live->sim->inputs;
    if (handle < 0 || handle >= inputs->count) return NAN;
    return inputs_jet(inputs, handle, mrc_sim_time(live)).value;
}

// ---- state ---------------------------------------------------------------------------------------
struct MrcState {
    Archive *archive;
    uint64_t model; // that it belongs to
};

MrcStatus mrc_sim_save(MrcSim *live, MrcState **out, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    MrcState *state = *out ? *out : calloc(1, sizeof *state);
    if (state && !state->archive) state->archive = archive_memory_create();
    if (!state || !state->archive) {
        if (!*out) free(state);
        return error_memory(error, "the state");
    }
    *out = state;
    state->model = model_hash(live->model);
    archive_memory_save(state->archive);
    sim_archive(live->sim, state->archive);
    return archive_status(state->archive, error);
}

MrcStatus mrc_sim_restore(MrcSim *live, MrcState *state, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    if (state->model != model_hash(live->model))
        return error_set(error, MRC_USAGE, "the state belongs to a simulation of another model");
    LiveCaller caller = live_enter(live);
    archive_memory_load(state->archive);
    sim_archive(live->sim, state->archive);
    live_leave(caller);
    live->sampled = false;
    MrcStatus status = archive_status(state->archive, error);
    live->broken = status != MRC_OK; // partly overwritten
    return status;
}

void mrc_state_free(MrcState *state) {
    if (!state) return;
    archive_destroy(state->archive);
    free(state);
}

// A header and the bytes of the archive behind it. The hash finds damage; whether the bytes fit the model is found when
// they are restored.
typedef struct StateHeader {
    char magic[16];
    uint64_t model, build, size, hash;
} StateHeader;
static const char state_magic[16] = "maraca state 1";

static uint64_t state_build(void) {
    const char *identity = build_identity();
    return hash_bytes(HASH_START, identity, strlen(identity));
}

size_t mrc_state_size(const MrcState *state) {
    return sizeof(StateHeader) + archive_memory_size(state->archive);
}

MrcStatus mrc_state_pack(const MrcState *state, void *bytes, size_t size, MrcError *error) {
    MrcError own;
    size_t stored = archive_memory_size(state->archive);
    StateHeader header = {.model = state->model, .build = state_build(), .size = stored};
    if (size < mrc_state_size(state))
        return error_set(error ? error : &own, MRC_USAGE, "a state of %zu bytes does not fit into %zu",
                         mrc_state_size(state), size);
    memcpy(header.magic, state_magic, sizeof header.magic);
    header.hash = hash_bytes(HASH_START, archive_memory_bytes(state->archive), stored);
    memcpy(bytes, &header, sizeof header);
    memcpy((char *)bytes + sizeof header, archive_memory_bytes(state->archive), stored);
    return MRC_OK;
}

static const char *state_fault(const void *bytes, size_t size, StateHeader *header) {
    if (size < sizeof *header) return "these bytes are no state";
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, state_magic, sizeof header->magic) != 0) return "these bytes are no state";
    if (header->build != state_build()) return "the state is that of another build of the library";
    if (header->size > size - sizeof *header ||
        header->hash != hash_bytes(HASH_START, (const char *)bytes + sizeof *header, header->size))
        return "the bytes of the state are damaged";
    return NULL;
}

MrcStatus mrc_state_unpack(const void *bytes, size_t size, MrcState **out, MrcError *error) {
    MrcError own;
    StateHeader header;
    if (!error) error = &own;
    const char *fault = state_fault(bytes, size, &header);
    if (fault) return error_set(error, MRC_CHECKPOINT, "%s", fault);
    MrcState *state = *out ? *out : calloc(1, sizeof *state);
    if (state && !state->archive) state->archive = archive_memory_create();
    if (!state || !state->archive ||
        !archive_memory_fill(state->archive, (const char *)bytes + sizeof header, header.size)) {
        if (!*out) mrc_state_free(state);
        return error_memory(error, "the state");
    }
    state->model = header.model;
    *out = state;
    return MRC_OK;
}

// ---- views ---------------------------------------------------------------------------------------
int mrc_sim_bed_count(const MrcSim *live) { return live->sim->beds->count; }

const char *mrc_sim_bed_name(const MrcSim *live, int bed) {
    return bed < 0 || bed >= live->sim->beds->count ? NULL : live->sim->beds->items[bed].definition->name;
}

MrcStatus mrc_sim_grains(MrcSim *live, int bed, MrcGrains *grains, MrcError *error) {
    MrcError own;
    *grains = (MrcGrains){0};
    if (bed < 0 || bed >= live->sim->beds->count)
        return error_set(error ? error : &own, MRC_USAGE, "there is no bed %d", bed);
    if (live->broken) return live_refuse(error);
    const GrainStore *s = grains_view(live->sim->beds->items[bed].grains);
    *grains = (MrcGrains){(int64_t)s->count, s->x,  s->y,  s->z,  s->vx, s->vy, s->vz, s->wx, s->wy, s->wz,
                          s->radius,         s->id, s->qw, s->qx, s->qy, s->qz};
    return MRC_OK;
}

int mrc_sim_node_count(const MrcSim *live) {
    return live->sim->mechanism ? mechanism_node_count(sim_mechanism(live->sim)) : 0;
}

const char *mrc_sim_node_name(const MrcSim *live, int node) {
    return node < 0 || node >= mrc_sim_node_count(live) ? NULL
                                                        : mechanism_node_name(sim_mechanism(live->sim), node);
}

void mrc_sim_node(const MrcSim *live, int node, MrcMotion *out) {
    Motion motion = motion_at_rest();
    if (node >= 0 && node < mrc_sim_node_count(live)) {
        const NodeState *s = mechanism_node(sim_mechanism(live->sim), node);
        motion = (Motion){.position = s->x,
                          .orientation = quaternion_from_matrix(s->R),
                          .velocity = s->v,
                          .angular_velocity = s->w,
                          .acceleration = s->a};
    }
    memcpy(out, &motion, sizeof *out);
}

int mrc_sim_port_count(const MrcSim *live) { return live->sim->port_count; }

const char *mrc_sim_port_name(const MrcSim *live, int port) {
    return port < 0 || port >= live->sim->port_count ? NULL : live->sim->ports[port].name;
}

void mrc_sim_port(const MrcSim *live, int port, MrcMotion *motion, MrcLoad *load) {
    Motion at = motion_at_rest();
    Load on = {{0, 0, 0}, {0, 0, 0}};
    if (port >= 0 && port < live->sim->port_count) {
        at = live->sim->coupling.containers.items[port].motion;
        on = live->sim->coupling.ports[port].load;
    }
    if (motion) memcpy(motion, &at, sizeof *motion);
    if (load) memcpy(load, &on, sizeof *load);
}
