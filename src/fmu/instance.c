#include "fmu/instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fmu_say(const FmuInstance *f, FmuSeverity severity, const char *format, ...) {
    char text[1400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (f->log) f->log(f->user, severity, text);
}

// ---- the interface -------------------------------------------------------------------------------
static bool fmu_add(FmuInstance *f, FmuVariable variable, double value) {
    size_t n = (size_t)f->count + 1;
    FmuVariable *variables = realloc(f->variables, n * sizeof *variables);
    if (variables) f->variables = variables;
    double *values = variables ? realloc(f->values, n * sizeof *values) : NULL;
    if (values) f->values = values;
    bool *given = values ? realloc(f->given, n * sizeof *given) : NULL;
    if (!given) return false;
    f->given = given;
    variable.handle = -1;
    f->variables[f->count] = variable;
    f->values[f->count] = value;
    f->given[f->count++] = false;
    return true;
}

// A port that is moved: the next one of its partner.
static bool fmu_add_driven(FmuInstance *f, const char *partner) {
    Outside *o = &f->outside;
    int k = 0;
    while (k < o->driver_count && strcmp(o->drivers[k].name, partner) != 0) k++;
    if (k == o->driver_count) {
        if (k == OUTSIDE_PORTS) return false;
        o->driver_count++;
        snprintf(o->drivers[k].name, sizeof o->drivers[k].name, "%s", partner);
    }
    return o->drivers[k].port_count++ < OUTSIDE_PORTS;
}

static bool fmu_add_loaded(FmuInstance *f, const char *port) {
    OutsideFollower *follower = &f->outside.follower;
    char *name = follower->port_count < OUTSIDE_PORTS ? strdup(port) : NULL;
    if (name) follower->ports[follower->port_count++] = name;
    return name;
}

static bool fmu_read_line(FmuInstance *f, char *line) {
    FmuVariable v = {0};
    char first[120] = "", second[120] = "", third[120] = "", word[20] = "", fourth[60] = "";
    int words = sscanf(line, "%19s %119s %119s %119s %59s", word, first, second, third, fourth);
    if (words < 1 || strcmp(word, "maraca-fmu") == 0) return true;
    if (strcmp(word, "driven") == 0) return fmu_add_driven(f, second);
    if (strcmp(word, "loaded") == 0) return fmu_add_loaded(f, first);
    static const char *const kinds[] = {"time",   "parameter", "threads", "ahead",  "input",
                                        "motion", "mobility",  "load",    "signal", "pose"};
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && strcmp(kinds[kind], word) != 0) kind++;
    if (kind == sizeof kinds / sizeof *kinds) return false;
    v.kind = (FmuKind)kind;
    memcpy(v.name, first, sizeof v.name);
    v.group = atoi(first), v.row = atoi(second), v.column = atoi(third);
    if (v.kind == FMU_PARAMETER) memcpy(v.unit, third, sizeof v.unit), v.unit[sizeof v.unit - 1] = '\0';
    bool port = v.kind == FMU_MOTION || v.kind == FMU_LOAD || v.kind == FMU_POSE || v.kind == FMU_MOBILITY;
    if (port && (v.group < 0 || v.group >= OUTSIDE_PORTS * OUTSIDE_PORTS)) return false;
    double value = 0;
    if (v.kind == FMU_PARAMETER || v.kind == FMU_INPUT) value = atof(second);
    if (v.kind == FMU_THREADS || v.kind == FMU_AHEAD) value = atof(first);
    if (v.kind == FMU_MOTION) value = atof(third);
    return fmu_add(f, v, value);
}

static bool fmu_read_interface(FmuInstance *f) {
    char path[4200], line[600];
    snprintf(path, sizeof path, "%s/interface.txt", f->folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        fmu_say(f, FMU_FAILS, "cannot read '%s': the FMU's resources are not there", path);
        return false;
    }
    bool good = fgets(line, sizeof line, file) && sscanf(line, "maraca-fmu 1 %59s", f->token) == 1;
    while (good && fgets(line, sizeof line, file)) good = fmu_read_line(f, line);
    fclose(file);
    if (!good) fmu_say(f, FMU_FAILS, "'%s' is damaged", path);
    return good;
}

FmuInstance *fmu_create(const char *token, const char *folder, FmuLog log, void *user) {
    FmuInstance *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->log = log, f->user = user;
    size_t length = (size_t)snprintf(f->folder, sizeof f->folder, "%s", folder);
    while (length > 1 && length < sizeof f->folder && f->folder[length - 1] == '/')
        f->folder[--length] = '\0';
    bool good = fmu_read_interface(f);
    if (good && (!token || strcmp(token, f->token) != 0)) {
        fmu_say(f, FMU_FAILS, "the token '%s' is that of another FMU: this one has '%s'", token ? token : "",
                f->token);
        good = false;
    }
    if (good) {
        fmu_reset(f);
        return f;
    }
    fmu_free(f);
    return NULL;
}

static void fmu_forget(FmuInstance *f) {
    mrc_sim_free(f->sim);
    mrc_model_free(f->model);
    f->sim = NULL;
    f->model = NULL;
}

void fmu_free(FmuInstance *f) {
    if (!f) return;
    fmu_forget(f);
    for (int p = 0; p < f->outside.follower.port_count; p++) free((char *)f->outside.follower.ports[p]);
    free(f->variables);
    free(f->values);
    free(f->given);
    free(f);
}

// ---- the simulation ------------------------------------------------------------------------------
static void fmu_message(void *user, bool warning, const char *text) {
    fmu_say(user, warning ? FMU_WARNS : FMU_SAYS, "%s", text);
}

// The port of that number, of those that are moved: whose, and which one of its.
static double *fmu_given(FmuInstance *f, int port) {
    return f->outside.drivers[port / OUTSIDE_PORTS].state.given[port % OUTSIDE_PORTS];
}

static void fmu_hand_over(FmuInstance *f, int k) {
    const FmuVariable *v = &f->variables[k];
    Outside *o = &f->outside;
    double value = f->values[k];
    MrcError error;
    if (v->kind == FMU_MOTION) fmu_given(f, v->group)[v->row] = value;
    if (v->kind == FMU_LOAD) o->follower.state.load[v->group][v->row] = value;
    if (v->kind == FMU_MOBILITY) {
        OutsideDriver *d = &o->drivers[v->group];
        d->state.mobility[v->row * 6 * d->port_count + v->column] = value;
    }
    for (int d = 0; v->kind == FMU_AHEAD && d < o->driver_count; d++) o->drivers[d].state.ahead = value;
    if (v->kind == FMU_INPUT && f->sim && f->given[k] &&
        mrc_sim_set_input(f->sim, v->handle, value, &error) != MRC_OK)
        fmu_say(f, FMU_FAILS, "%s", error.text);
}

static bool fmu_load_model(FmuInstance *f) {
    char path[4200], (*texts)[240] = calloc((size_t)f->count + 1, sizeof *texts);
    const char **overrides = calloc((size_t)f->count + 1, sizeof *overrides);
    int count = 0;
    if (!texts || !overrides) return free(texts), free(overrides), false;
    for (int k = 0; k < f->count; k++) {
        const FmuVariable *v = &f->variables[k];
        if (v->kind != FMU_PARAMETER || !f->given[k]) continue;
        snprintf(texts[count], sizeof *texts, "constants.%s=%.17g%s%s", v->name, f->values[k],
                 v->unit[0] == '-' ? "" : " ", v->unit[0] == '-' ? "" : v->unit);
        overrides[count] = texts[count], count++;
    }
    snprintf(path, sizeof path, "%s/model.yaml", f->folder);
    f->model = mrc_model_load(path, overrides, count);
    for (int i = 0; f->model && i < mrc_model_diagnostic_count(f->model); i++) {
        const MrcDiagnostic *found = mrc_model_diagnostic(f->model, i);
        fmu_say(f, found->warning ? FMU_WARNS : FMU_FAILS, "%s:%d: %s", found->file, found->line,
                found->text);
    }
    free(texts);
    free(overrides);
    return f->model && mrc_model_status(f->model) == MRC_OK;
}

static bool fmu_find_handles(FmuInstance *f) {
    for (int k = 0; k < f->count; k++) {
        FmuVariable *v = &f->variables[k];
        if (v->kind == FMU_INPUT) v->handle = mrc_sim_find_input(f->sim, v->name);
        if (v->kind == FMU_SIGNAL) v->handle = mrc_sim_find_signal(f->sim, v->name);
        for (int p = 0; v->kind == FMU_POSE && p < mrc_sim_port_count(f->sim); p++)
            if (strcmp(mrc_sim_port_name(f->sim, p), f->outside.follower.ports[v->group]) == 0) v->handle = p;
        if ((v->kind == FMU_INPUT || v->kind == FMU_SIGNAL || v->kind == FMU_POSE) && v->handle < 0) {
            fmu_say(f, FMU_FAILS, "the model has no '%s'", v->name);
            return false;
        }
    }
    return true;
}

// The simulation stands at its beginning, with the values set so far.
static bool fmu_start(FmuInstance *f) {
    MrcError error = {0};
    MrcSimOptions options = mrc_sim_options_default();
    bool mobility = false;
    if (f->sim) return true;
    if (f->broken || !fmu_load_model(f)) return false;
    for (int k = 0; k < f->count; k++) {
        mobility = mobility || f->variables[k].kind == FMU_MOBILITY;
        if (f->variables[k].kind == FMU_THREADS) options.threads = (int)f->values[k];
        fmu_hand_over(f, k);
    }
    outside_bind(&f->outside, mobility);
    outside_place(&f->outside);
    options.message = fmu_message;
    options.user = f;
    options.partners = f->outside.list;
    options.partner_count = f->outside.count;
    bool good = mrc_sim_create(f->model, &options, &f->sim, &error) == MRC_OK;
    if (!good) fmu_say(f, FMU_FAILS, "%s: %s", mrc_status_message(error.status), error.text);
    good = good && fmu_find_handles(f);
    for (int k = 0; good && k < f->count; k++) fmu_hand_over(f, k); // inputs, now that there are handles
    if (!good) fmu_forget(f);
    f->broken = !good;
    return good;
}

void fmu_set_start(FmuInstance *f, double start) { f->start = f->last = start; }

bool fmu_initialise(FmuInstance *f) {
    f->running = true;
    return fmu_start(f);
}

void fmu_reset(FmuInstance *f) {
    fmu_forget(f);
    f->running = f->broken = false;
    f->start = f->last = 0;
    for (int k = 0; k < f->outside.driver_count; k++)
        memset(&f->outside.drivers[k].state, 0, sizeof f->outside.drivers[k].state);
    memset(&f->outside.follower.state, 0, sizeof f->outside.follower.state);
    memset(f->given, 0, (size_t)f->count * sizeof *f->given);
}

// ---- values --------------------------------------------------------------------------------------
static bool fmu_knows(const FmuInstance *f, uint32_t reference) {
    if (reference < (uint32_t)f->count) return true;
    fmu_say(f, FMU_FAILS, "there is no variable with the value reference %u", reference);
    return false;
}

bool fmu_has_type(const FmuInstance *f, uint32_t reference, FmuType type) {
    if (!fmu_knows(f, reference)) return false;
    FmuKind kind = f->variables[reference].kind;
    FmuType own = kind == FMU_THREADS ? FMU_INTEGER : kind == FMU_AHEAD ? FMU_BOOLEAN : FMU_REAL;
    if (own != type)
        fmu_say(f, FMU_FAILS, "the variable with the value reference %u is of another type", reference);
    return own == type;
}

static double fmu_pose(FmuInstance *f, const FmuVariable *v) {
    MrcMotion motion;
    double vector[3];
    mrc_sim_port(f->sim, v->handle, &motion, NULL);
    outside_rotation_vector(motion.orientation, vector);
    return v->row < 3 ? vector[v->row] : motion.angular_acceleration[v->row - 3];
}

bool fmu_get(FmuInstance *f, uint32_t reference, double *value) {
    if (!fmu_knows(f, reference)) return false;
    const FmuVariable *v = &f->variables[reference];
    *value = f->values[reference];
    if (v->kind == FMU_TIME) *value = f->sim ? f->start + mrc_sim_time(f->sim) : f->start;
    if (v->kind == FMU_INPUT && f->sim && !f->given[reference])
        *value = mrc_sim_input_value(f->sim, v->handle);
    if (v->kind != FMU_SIGNAL && v->kind != FMU_POSE) return true;
    if (!fmu_start(f)) return false;
    *value = v->kind == FMU_SIGNAL ? mrc_sim_value(f->sim, v->handle) : fmu_pose(f, v);
    if (isfinite(*value)) return true;
    fmu_say(f, FMU_FAILS, "'%s' is not a finite number", v->name);
    return false;
}

bool fmu_set(FmuInstance *f, uint32_t reference, double value) {
    if (!fmu_knows(f, reference)) return false;
    const FmuVariable *v = &f->variables[reference];
    bool fixed = v->kind == FMU_PARAMETER || v->kind == FMU_THREADS;
    if (v->kind == FMU_TIME || v->kind == FMU_SIGNAL || v->kind == FMU_POSE || (fixed && f->running)) {
        fmu_say(f, FMU_FAILS, "the variable '%s' cannot be set%s", v->name,
                fixed ? " once the FMU is initialised" : "");
        return false;
    }
    if (!isfinite(value)) {
        fmu_say(f, FMU_FAILS, "a variable was set to %g", value);
        return false;
    }
    bool changed = value != f->values[reference];
    f->values[reference] = value;
    f->given[reference] = true;
    if (fixed && changed) fmu_forget(f); // it begins anew with another value
    else fmu_hand_over(f, (int)reference);
    if (!f->running && changed && v->kind == FMU_MOTION) fmu_forget(f);
    return true;
}

// ---- time ----------------------------------------------------------------------------------------
static double fmu_steps(const FmuInstance *f, double h) { return h / mrc_sim_step_size(f->sim); }

bool fmu_step_fits(FmuInstance *f, double h) {
    if (f->broken || !fmu_start(f)) return true;
    double steps = fmu_steps(f, h);
    return fabs(steps - round(steps)) < 1e-6 * fmax(steps, 1);
}

double fmu_step_size(const FmuInstance *f) { return f->sim ? mrc_sim_step_size(f->sim) : 0; }
double fmu_last(const FmuInstance *f) { return f->last; }

bool fmu_step(FmuInstance *f, double t, double h) {
    MrcError error = {0};
    if (f->broken) fmu_say(f, FMU_FAILS, "the last step failed: restore a state, or reset");
    if (f->broken || !fmu_start(f)) return false;
    double now = f->start + mrc_sim_time(f->sim), step = mrc_sim_step_size(f->sim);
    if (!(fabs(t - now) <= 1e-3 * step)) {
        fmu_say(f, FMU_FAILS, "a step from t = %.9g s is asked for, but the FMU stands at %.9g s", t, now);
        return false;
    }
    int64_t count = (int64_t)floor(fmu_steps(f, h) * (1 + 1e-9) + 1e-6);
    outside_begin(&f->outside, mrc_sim_time(f->sim), (double)count * step);
    MrcStatus status = MRC_OK;
    for (int64_t k = 0; k < count && status == MRC_OK; k++) status = mrc_sim_step(f->sim, &error);
    f->last = f->start + mrc_sim_time(f->sim);
    f->broken = status != MRC_OK;
    if (f->broken) fmu_say(f, FMU_FAILS, "%s: %s", mrc_status_message(status), error.text);
    return !f->broken;
}

// ---- derivatives ---------------------------------------------------------------------------------
// Which velocity (0 ... 5) or pose (6 ... 11) of which loaded port an output is; -1: none.
static int fmu_port_row(const FmuInstance *f, const FmuVariable *v, int *port) {
    static const char *const suffixes[] = {"vx", "vy", "vz", "wx", "wy", "wz", "x", "y", "z"};
    if (v->kind == FMU_POSE) return *port = v->group, v->row < 3 ? 9 + v->row : -1;
    const char *dot = strrchr(v->name, '.');
    if (v->kind != FMU_SIGNAL || !dot) return -1;
    for (int p = 0; p < f->outside.follower.port_count; p++) {
        const char *name = f->outside.follower.ports[p];
        if (strlen(name) != (size_t)(dot - v->name) || strncmp(name, v->name, strlen(name)) != 0) continue;
        for (int k = 0; k < 9; k++)
            if (strcmp(dot + 1, suffixes[k]) == 0) return *port = p, k;
    }
    return -1;
}

bool fmu_derivative(FmuInstance *f, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns,
                    size_t known_count, const double *seed, double *sensitivity) {
    const OutsideFollower *o = &f->outside.follower;
    int size = 6 * o->port_count;
    if (!f->sim || o->state.known == 0) {
        fmu_say(
            f, FMU_FAILS,
            "derivatives are those of the last step, by the loads on ports: there was none, or the scheme "
            "of the model is not 'condensed'");
        return false;
    }
    for (size_t i = 0; i < unknown_count; i++) {
        int port = 0,
            row = fmu_knows(f, unknowns[i]) ? fmu_port_row(f, &f->variables[unknowns[i]], &port) : -1;
        if (row < 0) fmu_say(f, FMU_FAILS, "derivatives are those of poses and velocities of loaded ports");
        if (row < 0) return false;
        const double *matrix = row < 6 ? o->state.velocity : o->state.pose;
        sensitivity[i] = 0;
        for (size_t j = 0; j < known_count; j++) {
            if (!fmu_knows(f, knowns[j]) || f->variables[knowns[j]].kind != FMU_LOAD)
                return fmu_say(f, FMU_FAILS, "derivatives are those by loads on ports"), false;
            const FmuVariable *v = &f->variables[knowns[j]];
            sensitivity[i] += matrix[(6 * port + row % 6) * size + 6 * v->group + v->row] * seed[j];
        }
    }
    return true;
}

// ---- states --------------------------------------------------------------------------------------
struct FmuState {
    MrcState *state;
    size_t count;   // of variables
    double *values; // theirs, then 1 or 0 for those that were set, then start and last
};

static FmuState *fmu_state_create(const FmuInstance *f) {
    FmuState *s = calloc(1, sizeof *s);
    if (s) s->count = (size_t)f->count;
    if (s) s->values = calloc(2 * s->count + 2, sizeof *s->values);
    if (s && s->values) return s;
    fmu_state_free(s);
    fmu_say(f, FMU_FAILS, "out of memory for a state");
    return NULL;
}

void fmu_state_free(FmuState *s) {
    if (!s) return;
    mrc_state_free(s->state);
    free(s->values);
    free(s);
}

bool fmu_save(FmuInstance *f, FmuState **out) {
    MrcError error = {0};
    if (!fmu_start(f)) return false;
    FmuState *s = *out ? *out : fmu_state_create(f);
    if (!s) return false;
    for (size_t k = 0; k < s->count; k++) s->values[k] = f->values[k], s->values[s->count + k] = f->given[k];
    s->values[2 * s->count] = f->start;
    s->values[2 * s->count + 1] = f->last;
    bool good = mrc_sim_save(f->sim, &s->state, &error) == MRC_OK;
    if (!good) fmu_say(f, FMU_FAILS, "%s", error.text);
    if (good) *out = s;
    else if (!*out) fmu_state_free(s);
    return good;
}

bool fmu_restore(FmuInstance *f, FmuState *s) {
    MrcError error = {0};
    f->broken = false;
    if (s->count != (size_t)f->count) return fmu_say(f, FMU_FAILS, "the state is that of another FMU"), false;
    for (size_t k = 0; k < s->count; k++) { // other parameters make another model
        if (f->variables[k].kind == FMU_PARAMETER && f->values[k] != s->values[k]) fmu_forget(f);
        f->values[k] = s->values[k], f->given[k] = s->values[s->count + k] != 0;
    }
    if (!fmu_start(f)) return false;
    f->start = s->values[2 * s->count];
    f->last = s->values[2 * s->count + 1];
    bool good = mrc_sim_restore(f->sim, s->state, &error) == MRC_OK;
    if (!good) fmu_say(f, FMU_FAILS, "%s", error.text);
    f->broken = !good;
    return good;
}

size_t fmu_state_size(const FmuState *s) {
    return (2 * s->count + 3) * sizeof(double) + mrc_state_size(s->state);
}

bool fmu_state_pack(FmuInstance *f, const FmuState *s, void *bytes, size_t size) {
    MrcError error = {0};
    double count = (double)s->count;
    size_t own = (2 * s->count + 3) * sizeof(double);
    bool good = size >= fmu_state_size(s);
    if (!good) fmu_say(f, FMU_FAILS, "a state of %zu bytes does not fit into %zu", fmu_state_size(s), size);
    if (!good) return false;
    memcpy(bytes, &count, sizeof count);
    memcpy((char *)bytes + sizeof count, s->values, own - sizeof count);
    good = mrc_state_pack(s->state, (char *)bytes + own, size - own, &error) == MRC_OK;
    if (!good) fmu_say(f, FMU_FAILS, "%s", error.text);
    return good;
}

bool fmu_state_unpack(FmuInstance *f, const void *bytes, size_t size, FmuState **out) {
    MrcError error = {0};
    double count = -1;
    size_t own = (2 * (size_t)f->count + 3) * sizeof(double);
    if (size >= own) memcpy(&count, bytes, sizeof count);
    if (count != f->count) return fmu_say(f, FMU_FAILS, "these bytes are no state of this FMU"), false;
    FmuState *s = fmu_state_create(f);
    if (!s) return false;
    memcpy(s->values, (const char *)bytes + sizeof count, own - sizeof count);
    bool good = true;
    for (size_t k = 0; k < 2 * s->count + 2; k++) good = good && isfinite(s->values[k]);
    if (!good) fmu_say(f, FMU_FAILS, "the bytes of the state are damaged");
    if (good && mrc_state_unpack((const char *)bytes + own, size - own, &s->state, &error) != MRC_OK) {
        fmu_say(f, FMU_FAILS, "%s", error.text);
        good = false;
    }
    if (good) *out = s;
    else fmu_state_free(s);
    return good;
}
