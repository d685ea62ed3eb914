// A damper element (`maraca map`) as an FMU: a table and nothing else, in plain C, so that it runs wherever C does.
//
// The element is that of a harmonic motion: at frequency f and amplitude A it has an effective mass m and a dashpot c,
//
//     F = -m(f, A) a - c(f, A) v,    A^2 = (v/w)^2 + (a/w^2)^2,    w = 2 pi f
//
// F being the force on what carries it, v and a the velocity and acceleration there. Between entries of the table m and c
// are linear in the logarithms of amplitude and frequency; beyond its ends they are as at the ends. There is no state.
//
// resources/element.txt: "maraca-element 1 TOKEN", then lines "f A m c" by frequency and then by amplitude, in SI units.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/face.h"

// The value references; src/analysis/export_element.c knows them, too.
enum {
    ELEMENT_TIME,
    ELEMENT_FREQUENCY,
    ELEMENT_V,
    ELEMENT_A,
    ELEMENT_FORCE,
    ELEMENT_AMPLITUDE,
    ELEMENT_COUNT
};

typedef struct ElementEntry {
    double frequency, amplitude, mass, dashpot; // [Hz], [m], [kg], [N s/m]
} ElementEntry;

struct FmuInstance {
    char token[60];
    FmuLog log;
    void *user;
    ElementEntry *entries;
    size_t count;
    double values[ELEMENT_COUNT];
    double start;
    bool running;
};

struct FmuState {
    double values[ELEMENT_COUNT];
};

void fmu_say(const FmuInstance *e, FmuSeverity severity, const char *format, ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (e->log) e->log(e->user, severity, text);
}

// ---- the table -----------------------------------------------------------------------------------
static bool element_read(FmuInstance *e, const char *folder) {
    char path[4200], line[400];
    size_t length = strlen(folder);
    snprintf(path, sizeof path, "%s%selement.txt", folder, length && folder[length - 1] == '/' ? "" : "/");
    FILE *file = fopen(path, "r");
    if (!file)
        return fmu_say(e, FMU_FAILS, "cannot read '%s': the FMU's resources are not there", path), false;
    bool good = fgets(line, sizeof line, file) && sscanf(line, "maraca-element 1 %59s", e->token) == 1;
    while (good && fgets(line, sizeof line, file)) {
        ElementEntry entry, *entries = realloc(e->entries, (e->count + 1) * sizeof *entries);
        good = entries &&
               sscanf(line, "%lf %lf %lf %lf", &entry.frequency, &entry.amplitude, &entry.mass,
                      &entry.dashpot) == 4 &&
               entry.frequency > 0 && entry.amplitude > 0;
        if (entries) e->entries = entries;
        if (good) e->entries[e->count++] = entry;
    }
    fclose(file);
    if (!good || e->count == 0) fmu_say(e, FMU_FAILS, "'%s' is damaged", path);
    return good && e->count > 0;
}

static ElementEntry element_interpolate(ElementEntry a, ElementEntry b, double part) {
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return (ElementEntry){a.frequency, a.amplitude, a.mass + part * (b.mass - a.mass),
                          a.dashpot + part * (b.dashpot - a.dashpot)};
}

// Within the entries of one frequency.
static ElementEntry element_at_amplitude(const ElementEntry *list, size_t count, double amplitude) {
    size_t i = 0;
    while (i < count && list[i].amplitude < amplitude) i++;
    if (i == 0) return list[0];
    if (i == count) return list[count - 1];
    return element_interpolate(list[i - 1], list[i],
                               log(amplitude / list[i - 1].amplitude) /
                                   log(list[i].amplitude / list[i - 1].amplitude));
}

static ElementEntry element_at(const FmuInstance *e, double frequency, double amplitude) {
    size_t low = 0, low_end = 0, high = 0, high_end = 0;
    for (size_t first = 0, last; first < e->count; first = last) { // the frequencies on both sides
        for (last = first; last < e->count && e->entries[last].frequency == e->entries[first].frequency;)
            last++;
        if (e->entries[first].frequency <= frequency || first == 0) low = first, low_end = last;
        high = first, high_end = last;
        if (e->entries[first].frequency >= frequency) break;
    }
    ElementEntry a = element_at_amplitude(e->entries + low, low_end - low, amplitude);
    if (high == low) return a;
    ElementEntry b = element_at_amplitude(e->entries + high, high_end - high, amplitude);
    double f = e->entries[low].frequency;
    return element_interpolate(a, b, log(frequency / f) / log(e->entries[high].frequency / f));
}

static double element_amplitude(const double *values) {
    double w = 2 * 3.14159265358979323846 * values[ELEMENT_FREQUENCY];
    return hypot(values[ELEMENT_V] / w, values[ELEMENT_A] / (w * w));
}

static double element_force(const FmuInstance *e, const double *values) {
    ElementEntry at = element_at(e, values[ELEMENT_FREQUENCY], element_amplitude(values));
    return -at.mass * values[ELEMENT_A] - at.dashpot * values[ELEMENT_V];
}

// ---- what the faces ask --------------------------------------------------------------------------
FmuInstance *fmu_create(const char *token, const char *folder, FmuLog log, void *user) {
    FmuInstance *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->log = log, e->user = user;
    bool good = element_read(e, folder);
    if (good && (!token || strcmp(token, e->token) != 0)) {
        fmu_say(e, FMU_FAILS, "the token '%s' is that of another FMU: this one has '%s'", token ? token : "",
                e->token);
        good = false;
    }
    if (good) return fmu_reset(e), e;
    fmu_free(e);
    return NULL;
}

void fmu_free(FmuInstance *e) {
    if (!e) return;
    free(e->entries);
    free(e);
}

void fmu_set_start(FmuInstance *e, double start) { e->start = e->values[ELEMENT_TIME] = start; }
bool fmu_initialise(FmuInstance *e) { return e->running = true; }
void fmu_reset(FmuInstance *e) {
    memset(e->values, 0, sizeof e->values);
    e->values[ELEMENT_FREQUENCY] = e->entries[0].frequency;
    e->running = false;
}

static bool element_knows(const FmuInstance *e, uint32_t reference) {
    if (reference < ELEMENT_COUNT) return true;
    return fmu_say(e, FMU_FAILS, "there is no variable with the value reference %u", (unsigned)reference),
           false;
}

bool fmu_has_type(const FmuInstance *e, uint32_t reference, FmuType type) {
    if (type != FMU_REAL)
        fmu_say(e, FMU_FAILS, "the variable with the value reference %u is of another type",
                (unsigned)reference);
    return type == FMU_REAL && element_knows(e, reference);
}

bool fmu_get(FmuInstance *e, uint32_t reference, double *value) {
    if (!element_knows(e, reference)) return false;
    *value = e->values[reference];
    if (reference == ELEMENT_FORCE) *value = element_force(e, e->values);
    if (reference == ELEMENT_AMPLITUDE) *value = element_amplitude(e->values);
    return true;
}

bool fmu_set(FmuInstance *e, uint32_t reference, double value) {
    bool settable = reference == ELEMENT_FREQUENCY || reference == ELEMENT_V || reference == ELEMENT_A;
    if (!element_knows(e, reference)) return false;
    if (!settable || !isfinite(value) || (reference == ELEMENT_FREQUENCY && !(value > 0)))
        return fmu_say(e, FMU_FAILS, "the variable with the value reference %u cannot be set to %g",
                       (unsigned)reference, value),
               false;
    e->values[reference] = value;
    return true;
}

bool fmu_step_fits(FmuInstance *e, double h) { return (void)e, (void)h, true; }
double fmu_step_size(const FmuInstance *e) { return (void)e, 0; }
double fmu_last(const FmuInstance *e) { return e->values[ELEMENT_TIME]; }
bool fmu_step(FmuInstance *e, double t, double h) {
    e->values[ELEMENT_TIME] = t + h;
    return true;
}

// The force by velocity and acceleration, by central differences of the table's own pieces.
bool fmu_derivative(FmuInstance *e, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns,
                    size_t known_count, const double *seed, double *sensitivity) {
    for (size_t i = 0; i < unknown_count; i++) {
        sensitivity[i] = 0;
        for (size_t j = 0; j < known_count; j++) {
            bool known = unknowns[i] == ELEMENT_FORCE && (knowns[j] == ELEMENT_V || knowns[j] == ELEMENT_A);
            if (!known)
                return fmu_say(e, FMU_FAILS,
                               "derivatives are those of the force by velocity and acceleration"),
                       false;
            double values[ELEMENT_COUNT], w = 2 * 3.14159265358979323846 * e->values[ELEMENT_FREQUENCY],
                                          change;
            change = 1e-6 * (element_amplitude(e->values) + e->entries[0].amplitude) *
                     (knowns[j] == ELEMENT_V ? w : w * w);
            memcpy(values, e->values, sizeof values);
            values[knowns[j]] += change;
            double above = element_force(e, values);
            values[knowns[j]] -= 2 * change;
            sensitivity[i] += seed[j] * (above - element_force(e, values)) / (2 * change);
        }
    }
    return true;
}

bool fmu_save(FmuInstance *e, FmuState **state) {
    if (!*state) *state = calloc(1, sizeof **state);
    if (*state) memcpy((*state)->values, e->values, sizeof e->values);
    return *state;
}
bool fmu_restore(FmuInstance *e, FmuState *state) {
    memcpy(e->values, state->values, sizeof e->values);
    return true;
}
void fmu_state_free(FmuState *state) { free(state); }
size_t fmu_state_size(const FmuState *state) { return sizeof *state; }
bool fmu_state_pack(FmuInstance *e, const FmuState *state, void *bytes, size_t size) {
    if (size < sizeof *state)
        return fmu_say(e, FMU_FAILS, "a state does not fit into %u bytes", (unsigned)size), false;
    memcpy(bytes, state, sizeof *state);
    return true;
}
bool fmu_state_unpack(FmuInstance *e, const void *bytes, size_t size, FmuState **state) {
    FmuState *made = size == sizeof *made ? calloc(1, sizeof *made) : NULL;
    if (!made) return fmu_say(e, FMU_FAILS, "these bytes are no state of this FMU"), false;
    memcpy(made, bytes, sizeof *made);
    bool good = made->values[ELEMENT_FREQUENCY] > 0;
    for (int k = 0; k < ELEMENT_COUNT; k++) good = good && isfinite(made->values[k]);
    if (good) *state = made;
    else free(made), fmu_say(e, FMU_FAILS, "the bytes of the state are damaged");
    return good;
}
