// FMI 2.0 for co-simulation: types and functions, written from the standard (fmi-standard.org).
#ifndef FMI_FMI2_H
#define FMI_FMI2_H

#include <stddef.h>

typedef void *Fmi2Component;
typedef void *Fmi2Environment;
typedef void *Fmi2State;
typedef unsigned int Fmi2Reference;
typedef int Fmi2Boolean; // 0 or 1
typedef char Fmi2Byte;

typedef enum Fmi2Status {
    FMI2_OK,
    FMI2_WARNING,
    FMI2_DISCARD,
    FMI2_ERROR,
    FMI2_FATAL,
    FMI2_PENDING
} Fmi2Status;
typedef enum Fmi2Type { FMI2_MODEL_EXCHANGE, FMI2_CO_SIMULATION } Fmi2Type;
typedef enum Fmi2StatusKind {
    FMI2_DO_STEP_STATUS,
    FMI2_PENDING_STATUS,
    FMI2_LAST_SUCCESSFUL_TIME,
    FMI2_TERMINATED
} Fmi2StatusKind;

typedef void (*Fmi2Logger)(Fmi2Environment environment, const char *instance, Fmi2Status status,
                           const char *category, const char *message, ...);
typedef struct Fmi2Callbacks {
    Fmi2Logger logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
    void (*step_finished)(Fmi2Environment environment, Fmi2Status status);
    Fmi2Environment environment;
} Fmi2Callbacks;

// X(result, name behind "fmi2", arguments): all 34 that an FMU for co-simulation must have.
#define FMI2_FUNCTIONS(X)                                                                                    \
    X(const char *, GetTypesPlatform, (void))                                                                \
    X(const char *, GetVersion, (void))                                                                      \
    X(Fmi2Status, SetDebugLogging,                                                                           \
      (Fmi2Component component, Fmi2Boolean on, size_t count, const char *const categories[]))               \
    X(Fmi2Component, Instantiate,                                                                            \
      (const char *name, Fmi2Type type, const char *guid, const char *resources,                             \
       const Fmi2Callbacks *callbacks, Fmi2Boolean visible, Fmi2Boolean logging))                            \
    X(void, FreeInstance, (Fmi2Component component))                                                         \
    X(Fmi2Status, SetupExperiment,                                                                           \
      (Fmi2Component component, Fmi2Boolean tolerance_defined, double tolerance, double start,               \
       Fmi2Boolean stop_defined, double stop))                                                               \
    X(Fmi2Status, EnterInitializationMode, (Fmi2Component component))                                        \
    X(Fmi2Status, ExitInitializationMode, (Fmi2Component component))                                         \
    X(Fmi2Status, Terminate, (Fmi2Component component))                                                      \
    X(Fmi2Status, Reset, (Fmi2Component component))                                                          \
    X(Fmi2Status, GetReal,                                                                                   \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, double values[]))                    \
    X(Fmi2Status, GetInteger,                                                                                \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, int values[]))                       \
    X(Fmi2Status, GetBoolean,                                                                                \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, Fmi2Boolean values[]))               \
    X(Fmi2Status, GetString,                                                                                 \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const char *values[]))               \
    X(Fmi2Status, SetReal,                                                                                   \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const double values[]))              \
    X(Fmi2Status, SetInteger,                                                                                \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const int values[]))                 \
    X(Fmi2Status, SetBoolean,                                                                                \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const Fmi2Boolean values[]))         \
    X(Fmi2Status, SetString,                                                                                 \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const char *const values[]))         \
    X(Fmi2Status, GetFMUstate, (Fmi2Component component, Fmi2State * state))                                 \
    X(Fmi2Status, SetFMUstate, (Fmi2Component component, Fmi2State state))                                   \
    X(Fmi2Status, FreeFMUstate, (Fmi2Component component, Fmi2State * state))                                \
    X(Fmi2Status, SerializedFMUstateSize, (Fmi2Component component, Fmi2State state, size_t * size))         \
    X(Fmi2Status, SerializeFMUstate,                                                                         \
      (Fmi2Component component, Fmi2State state, Fmi2Byte bytes[], size_t size))                             \
    X(Fmi2Status, DeSerializeFMUstate,                                                                       \
      (Fmi2Component component, const Fmi2Byte bytes[], size_t size, Fmi2State *state))                      \
    X(Fmi2Status, GetDirectionalDerivative,                                                                  \
      (Fmi2Component component, const Fmi2Reference unknowns[], size_t unknown_count,                        \
       const Fmi2Reference knowns[], size_t known_count, const double seed[], double sensitivity[]))         \
    X(Fmi2Status, SetRealInputDerivatives,                                                                   \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const int order[],                   \
       const double values[]))                                                                               \
    X(Fmi2Status, GetRealOutputDerivatives,                                                                  \
      (Fmi2Component component, const Fmi2Reference vr[], size_t count, const int order[], double values[])) \
    X(Fmi2Status, DoStep, (Fmi2Component component, double t, double h, Fmi2Boolean no_going_back))          \
    X(Fmi2Status, CancelStep, (Fmi2Component component))                                                     \
    X(Fmi2Status, GetStatus, (Fmi2Component component, Fmi2StatusKind kind, Fmi2Status * value))             \
    X(Fmi2Status, GetRealStatus, (Fmi2Component component, Fmi2StatusKind kind, double *value))              \
    X(Fmi2Status, GetIntegerStatus, (Fmi2Component component, Fmi2StatusKind kind, int *value))              \
    X(Fmi2Status, GetBooleanStatus, (Fmi2Component component, Fmi2StatusKind kind, Fmi2Boolean * value))     \
    X(Fmi2Status, GetStringStatus, (Fmi2Component component, Fmi2StatusKind kind, const char **value))

typedef struct Fmi2 {
#define FMI2_MEMBER(result, name, arguments) result(*name) arguments;
    FMI2_FUNCTIONS(FMI2_MEMBER)
#undef FMI2_MEMBER
} Fmi2;

#endif
