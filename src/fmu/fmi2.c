// The face of an FMU for FMI 2.0, co-simulation.
#include "fmi/fmi2.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/face.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define FMI2_DECLARATION(result, name, arguments) EXPORT result fmi2##name arguments;
FMI2_FUNCTIONS(FMI2_DECLARATION)
#undef FMI2_DECLARATION

typedef struct Component {
    FmuInstance *instance;
    char *name;
    Fmi2Callbacks callbacks;
    bool logging;
} Component;

static void fmi2_log(void *user, FmuSeverity severity, const char *text) {
    static const Fmi2Status statuses[] = {FMI2_OK, FMI2_WARNING, FMI2_ERROR};
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusError"};
    const Component *c = user;
    if (c->callbacks.logger && (c->logging || severity == FMU_FAILS))
        c->callbacks.logger(c->callbacks.environment, c->name, statuses[severity], categories[severity], "%s",
                            text);
}

static FmuInstance *fmi2_instance(Fmi2Component c) { return ((Component *)c)->instance; }
static Fmi2Status fmi2_status(bool good) { return good ? FMI2_OK : FMI2_ERROR; }
static Fmi2Status fmi2_lacks(Fmi2Component c, const char *what) {
    fmu_say(fmi2_instance(c), FMU_FAILS, "%s", what);
    return FMI2_ERROR;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

// A URI as a path: file:///a%20b, file:/a and /a are all understood, and file:///C:/a of Windows.
static void fmi2_path(const char *uri, char *path, size_t size) {
    size_t length = 0;
    if (strncmp(uri, "file:", 5) == 0) {
        uri += 5;
        if (strncmp(uri, "//", 2) == 0) uri += 2;
        if (strncmp(uri, "localhost/", 10) == 0) uri += 9;
        if (uri[0] == '/' && isalpha((unsigned char)uri[1]) && uri[2] == ':') uri++;
    }
    for (; *uri && length + 1 < size; uri++) {
        unsigned byte;
        bool coded = *uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2]);
        if (coded && sscanf(uri + 1, "%2x", &byte) == 1) path[length++] = (char)byte, uri += 2;
        else path[length++] = *uri;
    }
    path[length] = '\0';
}

Fmi2Component fmi2Instantiate(const char *name, Fmi2Type type, const char *guid, const char *resources,
                              const Fmi2Callbacks *callbacks, Fmi2Boolean visible, Fmi2Boolean logging) {
    char path[4096] = "";
    Component *c = calloc(1, sizeof *c);
    (void)visible;
    if (!c) return NULL;
    c->name = strdup(name ? name : "");
    c->logging = logging;
    if (callbacks) c->callbacks = *callbacks;
    if (type != FMI2_CO_SIMULATION) fmi2_log(c, FMU_FAILS, "this FMU is for co-simulation");
    else if (!resources || !c->name) fmi2_log(c, FMU_FAILS, "the place of the FMU's resources is needed");
    else {
        fmi2_path(resources, path, sizeof path);
        c->instance = fmu_create(guid, path, fmi2_log, c);
    }
    if (c->instance) return c;
    free(c->name);
    free(c);
    return NULL;
}

void fmi2FreeInstance(Fmi2Component component) {
    Component *c = component;
    if (!c) return;
    fmu_free(c->instance);
    free(c->name);
    free(c);
}

Fmi2Status fmi2SetDebugLogging(Fmi2Component c, Fmi2Boolean on, size_t count,
                               const char *const categories[]) {
    (void)count, (void)categories;
    ((Component *)c)->logging = on;
    return FMI2_OK;
}

Fmi2Status fmi2SetupExperiment(Fmi2Component c, Fmi2Boolean tolerance_defined, double tolerance, double start,
                               Fmi2Boolean stop_defined, double stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    fmu_set_start(fmi2_instance(c), start);
    return FMI2_OK;
}

Fmi2Status fmi2EnterInitializationMode(Fmi2Component c) {
    (void)c;
    return FMI2_OK;
}
Fmi2Status fmi2ExitInitializationMode(Fmi2Component c) {
    return fmi2_status(fmu_initialise(fmi2_instance(c)));
}
Fmi2Status fmi2Terminate(Fmi2Component c) {
    (void)c;
    return FMI2_OK;
}
Fmi2Status fmi2Reset(Fmi2Component c) {
    fmu_reset(fmi2_instance(c));
    return FMI2_OK;
}

// ---- values --------------------------------------------------------------------------------------
Fmi2Status fmi2GetReal(Fmi2Component c, const Fmi2Reference vr[], size_t count, double values[]) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++) good = fmu_get(fmi2_instance(c), vr[i], &values[i]);
    return fmi2_status(good);
}
Fmi2Status fmi2SetReal(Fmi2Component c, const Fmi2Reference vr[], size_t count, const double values[]) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++) good = fmu_set(fmi2_instance(c), vr[i], values[i]);
    return fmi2_status(good);
}

static Fmi2Status fmi2_get_int(Fmi2Component c, FmuType kind, const Fmi2Reference vr[], size_t count,
                               int values[]) {
    bool good = true;
    double value = 0;
    for (size_t i = 0; i < count && good; i++) {
        good = fmu_has_type(fmi2_instance(c), vr[i], kind) && fmu_get(fmi2_instance(c), vr[i], &value);
        values[i] = (int)value;
    }
    return fmi2_status(good);
}
static Fmi2Status fmi2_set_int(Fmi2Component c, FmuType kind, const Fmi2Reference vr[], size_t count,
                               const int values[]) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = fmu_has_type(fmi2_instance(c), vr[i], kind) && fmu_set(fmi2_instance(c), vr[i], values[i]);
    return fmi2_status(good);
}

Fmi2Status fmi2GetInteger(Fmi2Component c, const Fmi2Reference vr[], size_t count, int values[]) {
    return fmi2_get_int(c, FMU_INTEGER, vr, count, values);
}
Fmi2Status fmi2SetInteger(Fmi2Component c, const Fmi2Reference vr[], size_t count, const int values[]) {
    return fmi2_set_int(c, FMU_INTEGER, vr, count, values);
}
Fmi2Status fmi2GetBoolean(Fmi2Component c, const Fmi2Reference vr[], size_t count, Fmi2Boolean values[]) {
    return fmi2_get_int(c, FMU_BOOLEAN, vr, count, values);
}
Fmi2Status fmi2SetBoolean(Fmi2Component c, const Fmi2Reference vr[], size_t count,
                          const Fmi2Boolean values[]) {
    return fmi2_set_int(c, FMU_BOOLEAN, vr, count, values);
}
Fmi2Status fmi2GetString(Fmi2Component c, const Fmi2Reference vr[], size_t count, const char *values[]) {
    (void)vr, (void)values;
    return count == 0 ? FMI2_OK : fmi2_lacks(c, "there are no variables of type String");
}
Fmi2Status fmi2SetString(Fmi2Component c, const Fmi2Reference vr[], size_t count,
                         const char *const values[]) {
    (void)vr, (void)values;
    return count == 0 ? FMI2_OK : fmi2_lacks(c, "there are no variables of type String");
}

// ---- states --------------------------------------------------------------------------------------
Fmi2Status fmi2GetFMUstate(Fmi2Component c, Fmi2State *state) {
    return fmi2_status(fmu_save(fmi2_instance(c), (FmuState **)state));
}
Fmi2Status fmi2SetFMUstate(Fmi2Component c, Fmi2State state) {
    return state ? fmi2_status(fmu_restore(fmi2_instance(c), state)) : fmi2_lacks(c, "there is no state");
}
Fmi2Status fmi2FreeFMUstate(Fmi2Component c, Fmi2State *state) {
    (void)c;
    if (!state) return FMI2_OK;
    fmu_state_free(*state);
    *state = NULL;
    return FMI2_OK;
}
Fmi2Status fmi2SerializedFMUstateSize(Fmi2Component c, Fmi2State state, size_t *size) {
    if (!state) return fmi2_lacks(c, "there is no state");
    *size = fmu_state_size(state);
    return FMI2_OK;
}
Fmi2Status fmi2SerializeFMUstate(Fmi2Component c, Fmi2State state, Fmi2Byte bytes[], size_t size) {
    if (!state) return fmi2_lacks(c, "there is no state");
    return fmi2_status(fmu_state_pack(fmi2_instance(c), state, bytes, size));
}
Fmi2Status fmi2DeSerializeFMUstate(Fmi2Component c, const Fmi2Byte bytes[], size_t size, Fmi2State *state) {
    FmuState *made = NULL;
    bool good = fmu_state_unpack(fmi2_instance(c), bytes, size, &made);
    if (good) *state = made;
    return fmi2_status(good);
}

Fmi2Status fmi2GetDirectionalDerivative(Fmi2Component c, const Fmi2Reference unknowns[], size_t unknown_count,
                                        const Fmi2Reference knowns[], size_t known_count, const double seed[],
                                        double sensitivity[]) {
    return fmi2_status(
        fmu_derivative(fmi2_instance(c), unknowns, unknown_count, knowns, known_count, seed, sensitivity));
}

// ---- steps ---------------------------------------------------------------------------------------
Fmi2Status fmi2SetRealInputDerivatives(Fmi2Component c, const Fmi2Reference vr[], size_t count,
                                       const int order[], const double values[]) {
    (void)vr, (void)order, (void)values;
    return count == 0 ? FMI2_OK : fmi2_lacks(c, "inputs are not interpolated");
}
Fmi2Status fmi2GetRealOutputDerivatives(Fmi2Component c, const Fmi2Reference vr[], size_t count,
                                        const int order[], double values[]) {
    (void)vr, (void)order, (void)values;
    return count == 0 ? FMI2_OK : fmi2_lacks(c, "derivatives of outputs by time are not given");
}

// A step that is no whole number of the model's steps is refused before anything has moved.
Fmi2Status fmi2DoStep(Fmi2Component c, double t, double h, Fmi2Boolean no_going_back) {
    FmuInstance *f = fmi2_instance(c);
    (void)no_going_back;
    if (fmu_step_fits(f, h)) return fmi2_status(fmu_step(f, t, h));
    fmu_say(f, FMU_FAILS, "steps must be multiples of %.9g s, the step of the model; %.9g s is none",
            fmu_step_size(f), h);
    return FMI2_DISCARD;
}
Fmi2Status fmi2CancelStep(Fmi2Component c) { return fmi2_lacks(c, "steps are not asynchronous"); }
Fmi2Status fmi2GetStatus(Fmi2Component c, Fmi2StatusKind kind, Fmi2Status *value) {
    (void)kind, (void)value;
    return fmi2_lacks(c, "steps are not asynchronous"), FMI2_DISCARD;
}
Fmi2Status fmi2GetRealStatus(Fmi2Component c, Fmi2StatusKind kind, double *value) {
    if (kind != FMI2_LAST_SUCCESSFUL_TIME) return FMI2_DISCARD;
    *value = fmu_last(fmi2_instance(c));
    return FMI2_OK;
}
Fmi2Status fmi2GetIntegerStatus(Fmi2Component c, Fmi2StatusKind kind, int *value) {
    (void)c, (void)kind, (void)value;
    return FMI2_DISCARD;
}
Fmi2Status fmi2GetBooleanStatus(Fmi2Component c, Fmi2StatusKind kind, Fmi2Boolean *value) {
    (void)c;
    if (kind != FMI2_TERMINATED) return FMI2_DISCARD;
    *value = 0;
    return FMI2_OK;
}
Fmi2Status fmi2GetStringStatus(Fmi2Component c, Fmi2StatusKind kind, const char **value) {
    (void)c, (void)kind, (void)value;
    return FMI2_DISCARD;
}
