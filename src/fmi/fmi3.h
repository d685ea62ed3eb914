// FMI 3.0: types and functions, written from the standard (fmi-standard.org).
#ifndef FMI_FMI3_H
#define FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *Fmi3Instance;
typedef void *Fmi3Environment;
typedef void *Fmi3State;
typedef uint32_t Fmi3Reference;
typedef uint8_t Fmi3Byte;

typedef enum Fmi3Status { FMI3_OK, FMI3_WARNING, FMI3_DISCARD, FMI3_ERROR, FMI3_FATAL } Fmi3Status;
typedef int Fmi3DependencyKind,
    Fmi3IntervalQualifier; // enums of features that FMUs of `maraca export` do not have

typedef void (*Fmi3LogMessage)(Fmi3Environment environment, Fmi3Status status, const char *category,
                               const char *text);
typedef void (*Fmi3IntermediateUpdate)(Fmi3Environment environment, double t, bool set_requested,
                                       bool get_allowed, bool finished, bool can_return_early,
                                       bool *return_requested, double *return_time);
typedef void (*Fmi3ClockUpdate)(Fmi3Environment environment);
typedef void (*Fmi3Preemption)(void);

#define FMI3_GET(X, name, type)                                                                              \
    X(Fmi3Status, Get##name,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, type values[], size_t value_count))    \
    X(Fmi3Status, Set##name,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const type values[],                   \
       size_t value_count))
#define FMI3_PLAIN(X, name) X(Fmi3Status, name, (Fmi3Instance instance))
#define FMI3_NUMBERS(X, name) X(Fmi3Status, name, (Fmi3Instance instance, double values[], size_t count))

// X(result, name behind "fmi3", arguments): all 75.
#define FMI3_FUNCTIONS(X)                                                                                    \
    X(const char *, GetVersion, (void))                                                                      \
    X(Fmi3Status, SetDebugLogging,                                                                           \
      (Fmi3Instance instance, bool on, size_t count, const char *const categories[]))                        \
    X(Fmi3Instance, InstantiateModelExchange,                                                                \
      (const char *name, const char *token, const char *resources, bool visible, bool logging,               \
       Fmi3Environment environment, Fmi3LogMessage log))                                                     \
    X(Fmi3Instance, InstantiateCoSimulation,                                                                 \
      (const char *name, const char *token, const char *resources, bool visible, bool logging,               \
       bool event_mode, bool early_return, const Fmi3Reference intermediate[], size_t intermediate_count,    \
       Fmi3Environment environment, Fmi3LogMessage log, Fmi3IntermediateUpdate update))                      \
    X(Fmi3Instance, InstantiateScheduledExecution,                                                           \
      (const char *name, const char *token, const char *resources, bool visible, bool logging,               \
       Fmi3Environment environment, Fmi3LogMessage log, Fmi3ClockUpdate clock, Fmi3Preemption lock,          \
       Fmi3Preemption unlock))                                                                               \
    X(void, FreeInstance, (Fmi3Instance instance))                                                           \
    X(Fmi3Status, EnterInitializationMode,                                                                   \
      (Fmi3Instance instance, bool tolerance_defined, double tolerance, double start, bool stop_defined,     \
       double stop))                                                                                         \
    FMI3_PLAIN(X, ExitInitializationMode)                                                                    \
    FMI3_PLAIN(X, EnterEventMode)                                                                            \
    FMI3_PLAIN(X, Terminate)                                                                                 \
    FMI3_PLAIN(X, Reset)                                                                                     \
    FMI3_GET(X, Float32, float)                                                                              \
    FMI3_GET(X, Float64, double)                                                                             \
    FMI3_GET(X, Int8, int8_t)                                                                                \
    FMI3_GET(X, UInt8, uint8_t)                                                                              \
    FMI3_GET(X, Int16, int16_t)                                                                              \
    FMI3_GET(X, UInt16, uint16_t)                                                                            \
    FMI3_GET(X, Int32, int32_t)                                                                              \
    FMI3_GET(X, UInt32, uint32_t)                                                                            \
    FMI3_GET(X, Int64, int64_t)                                                                              \
    FMI3_GET(X, UInt64, uint64_t)                                                                            \
    FMI3_GET(X, Boolean, bool)                                                                               \
    X(Fmi3Status, GetString,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const char *values[],                  \
       size_t value_count))                                                                                  \
    X(Fmi3Status, SetString,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const char *const values[],            \
       size_t value_count))                                                                                  \
    X(Fmi3Status, GetBinary,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, size_t sizes[],                        \
       const Fmi3Byte *values[], size_t value_count))                                                        \
    X(Fmi3Status, SetBinary,                                                                                 \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const size_t sizes[],                  \
       const Fmi3Byte *const values[], size_t value_count))                                                  \
    X(Fmi3Status, GetClock, (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, bool values[]))  \
    X(Fmi3Status, SetClock,                                                                                  \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const bool values[]))                  \
    X(Fmi3Status, GetNumberOfVariableDependencies,                                                           \
      (Fmi3Instance instance, Fmi3Reference vr, size_t * count))                                             \
    X(Fmi3Status, GetVariableDependencies,                                                                   \
      (Fmi3Instance instance, Fmi3Reference dependent, size_t element[], Fmi3Reference independents[],       \
       size_t independent_element[], Fmi3DependencyKind kinds[], size_t count))                              \
    X(Fmi3Status, GetFMUState, (Fmi3Instance instance, Fmi3State * state))                                   \
    X(Fmi3Status, SetFMUState, (Fmi3Instance instance, Fmi3State state))                                     \
    X(Fmi3Status, FreeFMUState, (Fmi3Instance instance, Fmi3State * state))                                  \
    X(Fmi3Status, SerializedFMUStateSize, (Fmi3Instance instance, Fmi3State state, size_t * size))           \
    X(Fmi3Status, SerializeFMUState,                                                                         \
      (Fmi3Instance instance, Fmi3State state, Fmi3Byte bytes[], size_t size))                               \
    X(Fmi3Status, DeserializeFMUState,                                                                       \
      (Fmi3Instance instance, const Fmi3Byte bytes[], size_t size, Fmi3State *state))                        \
    X(Fmi3Status, GetDirectionalDerivative,                                                                  \
      (Fmi3Instance instance, const Fmi3Reference unknowns[], size_t unknown_count,                          \
       const Fmi3Reference knowns[], size_t known_count, const double seed[], size_t seed_count,             \
       double sensitivity[], size_t sensitivity_count))                                                      \
    X(Fmi3Status, GetAdjointDerivative,                                                                      \
      (Fmi3Instance instance, const Fmi3Reference unknowns[], size_t unknown_count,                          \
       const Fmi3Reference knowns[], size_t known_count, const double seed[], size_t seed_count,             \
       double sensitivity[], size_t sensitivity_count))                                                      \
    FMI3_PLAIN(X, EnterConfigurationMode)                                                                    \
    FMI3_PLAIN(X, ExitConfigurationMode)                                                                     \
    X(Fmi3Status, GetIntervalDecimal,                                                                        \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, double intervals[],                    \
       Fmi3IntervalQualifier qualifiers[]))                                                                  \
    X(Fmi3Status, GetIntervalFraction,                                                                       \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, uint64_t counters[],                   \
       uint64_t resolutions[], Fmi3IntervalQualifier qualifiers[]))                                          \
    X(Fmi3Status, GetShiftDecimal,                                                                           \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, double shifts[]))                      \
    X(Fmi3Status, GetShiftFraction,                                                                          \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, uint64_t counters[],                   \
       uint64_t resolutions[]))                                                                              \
    X(Fmi3Status, SetIntervalDecimal,                                                                        \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const double intervals[]))             \
    X(Fmi3Status, SetIntervalFraction,                                                                       \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const uint64_t counters[],             \
       const uint64_t resolutions[]))                                                                        \
    X(Fmi3Status, SetShiftDecimal,                                                                           \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const double shifts[]))                \
    X(Fmi3Status, SetShiftFraction,                                                                          \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const uint64_t counters[],             \
       const uint64_t resolutions[]))                                                                        \
    FMI3_PLAIN(X, EvaluateDiscreteStates)                                                                    \
    X(Fmi3Status, UpdateDiscreteStates,                                                                      \
      (Fmi3Instance instance, bool *needed, bool *terminate, bool *nominals_changed, bool *values_changed,   \
       bool *next_defined, double *next))                                                                    \
    FMI3_PLAIN(X, EnterContinuousTimeMode)                                                                   \
    X(Fmi3Status, CompletedIntegratorStep,                                                                   \
      (Fmi3Instance instance, bool no_going_back, bool *event_mode, bool *terminate))                        \
    X(Fmi3Status, SetTime, (Fmi3Instance instance, double t))                                                \
    X(Fmi3Status, SetContinuousStates, (Fmi3Instance instance, const double values[], size_t count))         \
    FMI3_NUMBERS(X, GetContinuousStateDerivatives)                                                           \
    FMI3_NUMBERS(X, GetEventIndicators)                                                                      \
    FMI3_NUMBERS(X, GetContinuousStates)                                                                     \
    FMI3_NUMBERS(X, GetNominalsOfContinuousStates)                                                           \
    X(Fmi3Status, GetNumberOfEventIndicators, (Fmi3Instance instance, size_t * count))                       \
    X(Fmi3Status, GetNumberOfContinuousStates, (Fmi3Instance instance, size_t * count))                      \
    FMI3_PLAIN(X, EnterStepMode)                                                                             \
    X(Fmi3Status, GetOutputDerivatives,                                                                      \
      (Fmi3Instance instance, const Fmi3Reference vr[], size_t count, const int32_t orders[],                \
       double values[], size_t value_count))                                                                 \
    X(Fmi3Status, DoStep,                                                                                    \
      (Fmi3Instance instance, double t, double h, bool no_going_back, bool *event_needed, bool *terminate,   \
       bool *early, double *last_time))                                                                      \
    X(Fmi3Status, ActivateModelPartition, (Fmi3Instance instance, Fmi3Reference clock, double t))

typedef struct Fmi3 {
#define FMI3_MEMBER(result, name, arguments) result(*name) arguments;
    FMI3_FUNCTIONS(FMI3_MEMBER)
#undef FMI3_MEMBER
} Fmi3;

#endif
