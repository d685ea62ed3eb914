// The face of an FMU for FMI 3.0, co-simulation. What belongs to other kinds of FMUs, or to clocks, says so.
#include "fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/face.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define FMI3_DECLARATION(result, name, arguments) EXPORT result fmi3##name arguments;
FMI3_FUNCTIONS(FMI3_DECLARATION)
#undef FMI3_DECLARATION

typedef struct Instance {
    FmuInstance *instance;
    Fmi3Environment environment;
    Fmi3LogMessage log;
    bool logging, early_return;
} Instance;

static void fmi3_log(void *user, FmuSeverity severity, const char *text) {
    static const Fmi3Status statuses[] = {FMI3_OK, FMI3_WARNING, FMI3_ERROR};
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusError"};
    const Instance *i = user;
    if (i->log && (i->logging || severity == FMU_FAILS))
        i->log(i->environment, statuses[severity], categories[severity], text);
}

static FmuInstance *fmi3_instance(Fmi3Instance i) { return ((Instance *)i)->instance; }
static Fmi3Status fmi3_status(bool good) { return good ? FMI3_OK : FMI3_ERROR; }
static Fmi3Status fmi3_lacks(Fmi3Instance i, const char *what) {
    fmu_say(fmi3_instance(i), FMU_FAILS, "%s", what);
    return FMI3_ERROR;
}

const char *fmi3GetVersion(void) { return "3.0"; }

Fmi3Instance fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                         bool visible, bool logging, bool event_mode, bool early_return,
                                         const Fmi3Reference intermediate[], size_t intermediate_count,
                                         Fmi3Environment environment, Fmi3LogMessage log,
                                         Fmi3IntermediateUpdate update) {
    Instance *i = calloc(1, sizeof *i);
    (void)name, (void)visible, (void)intermediate, (void)update;
    if (!i) return NULL;
    *i = (Instance){.environment = environment, .log = log, .logging = logging, .early_return = early_return};
    if (event_mode) fmi3_log(i, FMU_FAILS, "there is no event mode");
    else if (intermediate_count > 0) fmi3_log(i, FMU_FAILS, "there are no intermediate variables");
    else if (!resources) fmi3_log(i, FMU_FAILS, "the path of the FMU's resources is needed");
    else i->instance = fmu_create(token, resources, fmi3_log, i);
    if (i->instance) return i;
    free(i);
    return NULL;
}

static Fmi3Instance fmi3_refuse(Fmi3Environment environment, Fmi3LogMessage log) {
    if (log) log(environment, FMI3_ERROR, "logStatusError", "this FMU is for co-simulation");
    return NULL;
}
Fmi3Instance fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                          bool visible, bool logging, Fmi3Environment environment,
                                          Fmi3LogMessage log) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    return fmi3_refuse(environment, log);
}
Fmi3Instance fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                               bool visible, bool logging, Fmi3Environment environment,
                                               Fmi3LogMessage log, Fmi3ClockUpdate clock, Fmi3Preemption lock,
                                               Fmi3Preemption unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock,
        (void)unlock;
    return fmi3_refuse(environment, log);
}

void fmi3FreeInstance(Fmi3Instance instance) {
    Instance *i = instance;
    if (!i) return;
    fmu_free(i->instance);
    free(i);
}

Fmi3Status fmi3SetDebugLogging(Fmi3Instance i, bool on, size_t count, const char *const categories[]) {
    (void)count, (void)categories;
    ((Instance *)i)->logging = on;
    return FMI3_OK;
}

Fmi3Status fmi3EnterInitializationMode(Fmi3Instance i, bool tolerance_defined, double tolerance, double start,
                                       bool stop_defined, double stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    fmu_set_start(fmi3_instance(i), start);
    return FMI3_OK;
}
Fmi3Status fmi3ExitInitializationMode(Fmi3Instance i) {
    return fmi3_status(fmu_initialise(fmi3_instance(i)));
}
Fmi3Status fmi3Terminate(Fmi3Instance i) {
    (void)i;
    return FMI3_OK;
}
Fmi3Status fmi3Reset(Fmi3Instance i) {
    fmu_reset(fmi3_instance(i));
    return FMI3_OK;
}

// ---- values: Float64; one Int32 and one Boolean --------------------------------------------------
Fmi3Status fmi3GetFloat64(Fmi3Instance i, const Fmi3Reference vr[], size_t count, double values[],
                          size_t value_count) {
    bool good = count == value_count;
    for (size_t k = 0; k < count && good; k++) good = fmu_get(fmi3_instance(i), vr[k], &values[k]);
    return fmi3_status(good);
}
Fmi3Status fmi3SetFloat64(Fmi3Instance i, const Fmi3Reference vr[], size_t count, const double values[],
                          size_t value_count) {
    bool good = count == value_count;
    for (size_t k = 0; k < count && good; k++) good = fmu_set(fmi3_instance(i), vr[k], values[k]);
    return fmi3_status(good);
}

#define TYPED(type_name, type, kind)                                                                         \
    Fmi3Status fmi3Get##type_name(Fmi3Instance i, const Fmi3Reference vr[], size_t count, type values[],     \
                                  size_t value_count) {                                                      \
        bool good = count == value_count;                                                                    \
        double value = 0;                                                                                    \
        for (size_t k = 0; k < count && good; k++) {                                                         \
            good = fmu_has_type(fmi3_instance(i), vr[k], kind) && fmu_get(fmi3_instance(i), vr[k], &value);  \
            values[k] = (type)value;                                                                         \
        }                                                                                                    \
        return fmi3_status(good);                                                                            \
    }                                                                                                        \
    Fmi3Status fmi3Set##type_name(Fmi3Instance i, const Fmi3Reference vr[], size_t count,                    \
                                  const type values[], size_t value_count) {                                 \
        bool good = count == value_count;                                                                    \
        for (size_t k = 0; k < count && good; k++)                                                           \
            good = fmu_has_type(fmi3_instance(i), vr[k], kind) &&                                            \
                   fmu_set(fmi3_instance(i), vr[k], (double)values[k]);                                      \
        return fmi3_status(good);                                                                            \
    }
TYPED(Int32, int32_t, FMU_INTEGER)
TYPED(Boolean, bool, FMU_BOOLEAN)

#define ABSENT(type_name, type)                                                                              \
    Fmi3Status fmi3Get##type_name(Fmi3Instance i, const Fmi3Reference vr[], size_t count, type values[],     \
                                  size_t value_count) {                                                      \
        (void)vr, (void)values, (void)value_count;                                                           \
        return count == 0 ? FMI3_OK : fmi3_lacks(i, "there are no variables of type " #type_name);           \
    }                                                                                                        \
    Fmi3Status fmi3Set##type_name(Fmi3Instance i, const Fmi3Reference vr[], size_t count,                    \
                                  const type values[], size_t value_count) {                                 \
        (void)vr, (void)values, (void)value_count;                                                           \
        return count == 0 ? FMI3_OK : fmi3_lacks(i, "there are no variables of type " #type_name);           \
    }
ABSENT(Float32, float)
ABSENT(Int8, int8_t)
ABSENT(UInt8, uint8_t)
ABSENT(Int16, int16_t)
ABSENT(UInt16, uint16_t)
ABSENT(UInt32, uint32_t)
ABSENT(Int64, int64_t)
ABSENT(UInt64, uint64_t)
typedef const char *Fmi3Text;
ABSENT(String, Fmi3Text)

// ---- what there is none of -----------------------------------------------------------------------
#define LACK(name, what, ...)                                                                                \
    Fmi3Status fmi3##name(Fmi3Instance i, __VA_ARGS__) { return fmi3_lacks(i, what); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
static const char no_clocks[] = "there are no clocks", no_binary[] = "there are no variables of type Binary",
                  no_states[] = "this FMU is for co-simulation", no_events[] = "there is no event mode";
LACK(GetBinary, no_binary, const Fmi3Reference vr[], size_t count, size_t sizes[], const Fmi3Byte *values[],
     size_t value_count)
LACK(SetBinary, no_binary, const Fmi3Reference vr[], size_t count, const size_t sizes[],
     const Fmi3Byte *const values[], size_t value_count)
LACK(GetClock, no_clocks, const Fmi3Reference vr[], size_t count, bool values[])
LACK(SetClock, no_clocks, const Fmi3Reference vr[], size_t count, const bool values[])
LACK(GetNumberOfVariableDependencies, "dependencies are in modelDescription.xml", Fmi3Reference vr,
     size_t *count)
LACK(GetVariableDependencies, "dependencies are in modelDescription.xml", Fmi3Reference dependent,
     size_t element[], Fmi3Reference independents[], size_t independent_element[], Fmi3DependencyKind kinds[],
     size_t count)
LACK(GetIntervalDecimal, no_clocks, const Fmi3Reference vr[], size_t count, double intervals[],
     Fmi3IntervalQualifier qualifiers[])
LACK(GetIntervalFraction, no_clocks, const Fmi3Reference vr[], size_t count, uint64_t counters[],
     uint64_t resolutions[], Fmi3IntervalQualifier qualifiers[])
LACK(GetShiftDecimal, no_clocks, const Fmi3Reference vr[], size_t count, double shifts[])
LACK(GetShiftFraction, no_clocks, const Fmi3Reference vr[], size_t count, uint64_t counters[],
     uint64_t resolutions[])
LACK(SetIntervalDecimal, no_clocks, const Fmi3Reference vr[], size_t count, const double intervals[])
LACK(SetIntervalFraction, no_clocks, const Fmi3Reference vr[], size_t count, const uint64_t counters[],
     const uint64_t resolutions[])
LACK(SetShiftDecimal, no_clocks, const Fmi3Reference vr[], size_t count, const double shifts[])
LACK(SetShiftFraction, no_clocks, const Fmi3Reference vr[], size_t count, const uint64_t counters[],
     const uint64_t resolutions[])
LACK(UpdateDiscreteStates, no_events, bool *needed, bool *terminate, bool *nominals_changed,
     bool *values_changed, bool *next_defined, double *next)
LACK(CompletedIntegratorStep, no_states, bool no_going_back, bool *event_mode, bool *terminate)
LACK(SetTime, no_states, double t)
LACK(SetContinuousStates, no_states, const double values[], size_t count)
LACK(GetContinuousStateDerivatives, no_states, double values[], size_t count)
LACK(GetEventIndicators, no_states, double values[], size_t count)
LACK(GetContinuousStates, no_states, double values[], size_t count)
LACK(GetNominalsOfContinuousStates, no_states, double values[], size_t count)
LACK(GetNumberOfEventIndicators, no_states, size_t *count)
LACK(GetNumberOfContinuousStates, no_states, size_t *count)
LACK(GetAdjointDerivative, "adjoint derivatives are not given", const Fmi3Reference unknowns[],
     size_t unknown_count, const Fmi3Reference knowns[], size_t known_count, const double seed[],
     size_t seed_count, double sensitivity[], size_t sensitivity_count)
LACK(GetOutputDerivatives, "derivatives of outputs by time are not given", const Fmi3Reference vr[],
     size_t count, const int32_t orders[], double values[], size_t value_count)
LACK(ActivateModelPartition, no_clocks, Fmi3Reference clock, double t)
#pragma GCC diagnostic pop
Fmi3Status fmi3EnterEventMode(Fmi3Instance i) { return fmi3_lacks(i, no_events); }
Fmi3Status fmi3EnterStepMode(Fmi3Instance i) { return fmi3_lacks(i, no_events); }
Fmi3Status fmi3EvaluateDiscreteStates(Fmi3Instance i) { return fmi3_lacks(i, no_events); }
Fmi3Status fmi3EnterContinuousTimeMode(Fmi3Instance i) { return fmi3_lacks(i, no_states); }
Fmi3Status fmi3EnterConfigurationMode(Fmi3Instance i) {
    return fmi3_lacks(i, "there are no structural parameters");
}
Fmi3Status fmi3ExitConfigurationMode(Fmi3Instance i) {
    return fmi3_lacks(i, "there are no structural parameters");
}

// ---- states --------------------------------------------------------------------------------------
Fmi3Status fmi3GetFMUState(Fmi3Instance i, Fmi3State *state) {
    return fmi3_status(fmu_save(fmi3_instance(i), (FmuState **)state));
}
Fmi3Status fmi3SetFMUState(Fmi3Instance i, Fmi3State state) {
    return state ? fmi3_status(fmu_restore(fmi3_instance(i), state)) : fmi3_lacks(i, "there is no state");
}
Fmi3Status fmi3FreeFMUState(Fmi3Instance i, Fmi3State *state) {
    (void)i;
    if (!state) return FMI3_OK;
    fmu_state_free(*state);
    *state = NULL;
    return FMI3_OK;
}
Fmi3Status fmi3SerializedFMUStateSize(Fmi3Instance i, Fmi3State state, size_t *size) {
    if (!state) return fmi3_lacks(i, "there is no state");
    *size = fmu_state_size(state);
    return FMI3_OK;
}
Fmi3Status fmi3SerializeFMUState(Fmi3Instance i, Fmi3State state, Fmi3Byte bytes[], size_t size) {
    if (!state) return fmi3_lacks(i, "there is no state");
    return fmi3_status(fmu_state_pack(fmi3_instance(i), state, bytes, size));
}
Fmi3Status fmi3DeserializeFMUState(Fmi3Instance i, const Fmi3Byte bytes[], size_t size, Fmi3State *state) {
    FmuState *made = NULL;
    bool good = fmu_state_unpack(fmi3_instance(i), bytes, size, &made);
    if (good) *state = made;
    return fmi3_status(good);
}

Fmi3Status fmi3GetDirectionalDerivative(Fmi3Instance i, const Fmi3Reference unknowns[], size_t unknown_count,
                                        const Fmi3Reference knowns[], size_t known_count, const double seed[],
                                        size_t seed_count, double sensitivity[], size_t sensitivity_count) {
    if (seed_count != known_count || sensitivity_count != unknown_count)
        return fmi3_lacks(i, "all variables are scalars: one seed and one sensitivity each");
    return fmi3_status(
        fmu_derivative(fmi3_instance(i), unknowns, unknown_count, knowns, known_count, seed, sensitivity));
}

// ---- steps ---------------------------------------------------------------------------------------
// What is no whole number of the model's steps is done as far as whole steps go, if the importer allows to return early.
Fmi3Status fmi3DoStep(Fmi3Instance instance, double t, double h, bool no_going_back, bool *event_needed,
                      bool *terminate, bool *early, double *last_time) {
    Instance *i = instance;
    FmuInstance *f = i->instance;
    (void)no_going_back;
    *event_needed = *terminate = *early = false;
    *last_time = fmu_last(f);
    bool fits = fmu_step_fits(f, h);
    if (!fits && !i->early_return) {
        fmu_say(f, FMU_FAILS,
                "steps must be multiples of %.9g s, the step of the model, unless early return is allowed",
                fmu_step_size(f));
        return FMI3_DISCARD;
    }
    bool good = fmu_step(f, t, h);
    *last_time = fmu_last(f);
    *early = good && !fits;
    return fmi3_status(good);
}
