// What fmi2.c and fmi3.c, the two faces of an FMU, ask of what is behind them: a model (instance.c) or a damper element
// (element.c).
#ifndef FMU_FACE_H
#define FMU_FACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FmuInstance FmuInstance;
typedef struct FmuState FmuState;
typedef enum FmuType { FMU_REAL, FMU_INTEGER, FMU_BOOLEAN } FmuType;
typedef enum FmuSeverity { FMU_SAYS, FMU_WARNS, FMU_FAILS } FmuSeverity;
typedef void (*FmuLog)(void *user, FmuSeverity severity, const char *text);

// `folder`: the FMU's resources. NULL: the log says why.
FmuInstance *fmu_create(const char *token, const char *folder, FmuLog log, void *user);
void fmu_free(FmuInstance *instance);
void fmu_say(const FmuInstance *instance, FmuSeverity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// False, here and below: the log says why.
void fmu_set_start(FmuInstance *instance, double start); // time of the environment at the beginning [s]
bool fmu_initialise(FmuInstance *instance); // with the values set so far; parameters are fixed from then on
void fmu_reset(FmuInstance *instance);      // as after its creation

bool fmu_get(FmuInstance *instance, uint32_t reference, double *value);
bool fmu_set(FmuInstance *instance, uint32_t reference, double value);
bool fmu_has_type(const FmuInstance *instance, uint32_t reference, FmuType type);

// Whole steps from t on, at most to t + h; fmu_last says how far it got.
bool fmu_step(FmuInstance *instance, double t, double h);
bool fmu_step_fits(FmuInstance *instance,
                   double h); // is h a whole number of steps? True, too, if it cannot step at all
double fmu_step_size(const FmuInstance *instance); // [s]
double fmu_last(const FmuInstance *instance);      // time of the environment [s]

bool fmu_derivative(FmuInstance *instance, const uint32_t *unknowns, size_t unknown_count,
                    const uint32_t *knowns, size_t known_count, const double *seed, double *sensitivity);

bool fmu_save(FmuInstance *instance, FmuState **state); // *state NULL: a new one
bool fmu_restore(FmuInstance *instance, FmuState *state);
void fmu_state_free(FmuState *state);
size_t fmu_state_size(const FmuState *state);
bool fmu_state_pack(FmuInstance *instance, const FmuState *state, void *bytes, size_t size);
bool fmu_state_unpack(FmuInstance *instance, const void *bytes, size_t size, FmuState **state);

#endif
