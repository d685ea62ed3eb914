// An FMU for co-simulation as a partner: a driver when ports name it, a follower when it names a port, and else a block
// that turns signals into inputs.
//
// A driver gets loads and gives motions. It is stepped from the saved state for every attempt at a step; what impulses
// add to velocities, Y, are its directional derivatives over the step, dv/dF / h, and impulses P are the loads P/h of the
// step taken again. So the scheme `condensed` couples it at any mass ratio. An FMU that cannot restore its state is
// stepped once, with the loads of the schemes that need no more; its motion is then predicted by extrapolation.
//
// A follower gets motions and gives loads, which are means over the step: the impulse is their product with the step. If
// it has variables for a mobility (FMUs of `maraca export`), it gets that of its ports, too.
//
// A block is given the signals at the beginning of each step, its outputs of then are the model's inputs in that step,
// and it is stepped after it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "fmi/import.h"
#include "math/quaternion.h"
#include "partner/link.h"

// ---- the model file ------------------------------------------------------------------------------
typedef struct FmuPair {
    const char *name; // of the FMU's variable
    const char *text; // what it is connected to, or its value
} FmuPair;

typedef struct FmuDefinition {
    const char *file, *path;     // as written, and where it is
    const char *port;            // that carries it; NULL: it is no follower
    const char *as;              // name of the one port in the FMU; NULL: the same
    const char **connect, **set; // "VARIABLE = NAME", "VARIABLE = NUMBER"
    int connect_count, set_count;
} FmuDefinition;
LINK_FITS(FmuDefinition);

static const SchemaKey fmu_keys[] = {
    {"file", TEXT(FmuDefinition, file), .required = true,
     .doc = "The FMU, for co-simulation, FMI 2.0 or 3.0, beside the model file or with its path from there."},
    {"port", TEXT(FmuDefinition, port), .fallback_words = "none",
     .doc = "The port that carries the FMU: the FMU gets its motion and gives a load."},
    {"as", TEXT(FmuDefinition, as), .fallback_words = "the same",
     .doc = "What the one port is called in the FMU."},
    {"connect", TEXTS(FmuDefinition, connect, connect_count),
     .doc = "Pairs `VARIABLE = NAME`. An input of the FMU gets a signal of the model, or a quantity of one "
            "of its ports: "
            "PORT.x, y, z, rx, ry, rz (rotation vector), vx, ..., wx, ..., ax, ..., alphax, ..., or PORT.fx, "
            "fy, fz, mx, "
            "my, mz. An output gives an input of the model, or a quantity of one of its ports. FMUs of "
            "`maraca export` "
            "need none for their ports."},
    {"set", TEXTS(FmuDefinition, set, set_count),
     .doc = "Pairs `VARIABLE = NUMBER`: parameters and start values of the FMU, in its own units."},
};
static const SchemaObject fmu_schema = {
    .name = "fmu",
    .doc =
        "An FMU for co-simulation. It moves the ports that name it, is carried by a port, or turns signals "
        "into inputs.",
    .size = sizeof(FmuDefinition),
    SCHEMA_KEYS(fmu_keys),
    .short_key = "file",
    .example =
        "partners:\n"
        "  damper: {fmu: {file: damper.fmu, port: tip}}\n"
        "  controller: {fmu: {file: pid.fmu, connect: [y = arm.end.y, force = u], set: [gain = 20]}}\n",
};

static const char *const *fmu_file(const void *definition) {
    return &((const FmuDefinition *)definition)->file;
}
static void fmu_set_path(void *definition, const char *path) { ((FmuDefinition *)definition)->path = path; }

// ---- the link ------------------------------------------------------------------------------------
enum { FMU_MOTION = 18, FMU_LOAD = 6, FMU_ROWS = 6 * LINK_PORTS_MAX };
static const char *const fmu_suffixes[] = {"x",      "y",      "z",  "rx", "ry", "rz", "vx", "vy",
                                           "vz",     "wx",     "wy", "wz", "ax", "ay", "az", "alphax",
                                           "alphay", "alphaz", "fx", "fy", "fz", "mx", "my", "mz"};

typedef struct FmuSignal { // of the simulation, or an input
    const FmiVariable *variable;
    const char *name;
    const double *value; // of the signal
    int input;           // index; -1: it is a signal
} FmuSignal;

typedef struct FmuLink {
    const char *name;
    const FmuDefinition *definition;
    Import *import;
    bool restores;
    bool driver, follower;
    const char *ports[LINK_PORTS_MAX];
    int port_count;
    const FmiVariable *motion[LINK_PORTS_MAX][FMU_MOTION], *load[LINK_PORTS_MAX][FMU_LOAD];
    const FmiVariable **mobility; // of a follower: 6n x 6n; NULL: it has none
    bool ahead;                   // a follower that takes the motion at the end of the step
    FmuSignal *signals;
    int signal_count;
    // of the step
    double t, h, saved_t;
    bool stepped; // the FMU stands at its end
    MrcMotion present[LINK_PORTS_MAX], now[LINK_PORTS_MAX];
    MrcLoad loads[LINK_PORTS_MAX];
} FmuLink;

// ---- values in SI units --------------------------------------------------------------------------
static bool fmu_is_si(const FmiVariable *v) { return v->factor == 1 && v->offset == 0; }

static MrcStatus fmu_set(FmuLink *f, const FmiVariable *v, double value, MrcError *error) {
    return import_set(f->import, v, fmu_is_si(v) ? value : (value - v->offset) / v->factor, error);
}

static MrcStatus fmu_get(FmuLink *f, const FmiVariable *v, double *value, MrcError *error) {
    MrcStatus status = import_get(f->import, v, value, error);
    if (!fmu_is_si(v)) *value = v->factor * *value + v->offset;
    return status;
}

// The unit of a variable that is the quantity number k of a port. Angles have none here.
static MrcStatus fmu_check_unit(const FmuLink *f, const FmiVariable *v, const char *port, int k,
                                MrcError *error) {
    static const int powers[][3] = {{0, 1, 0},  {0, 0, 0},  {0, 1, -1}, {0, 0, -1}, {0, 1, -2},
                                    {0, 0, -2}, {1, 1, -2}, {1, 2, -2}}; // of kg, m, s: three quantities each
    if (!v || !v->measured || memcmp(v->powers, powers[k / 3], sizeof powers[0]) == 0) return MRC_OK;
    return error_set(error, MRC_MODEL, "FMU '%s': '%s' is in '%s', which is no unit of '%s.%s'", f->name,
                     v->name, v->unit, port, fmu_suffixes[k]);
}

static MrcStatus fmu_no_variable(const FmuLink *f, const char *name, MrcError *error) {
    const FmiDescription *d = import_description(f->import);
    size_t count = d->variables.count < 5000 ? d->variables.count : 5000;
    const char **names = malloc((count + 1) * sizeof *names);
    for (size_t k = 0; names && k < count; k++) names[k] = d->variables.data[k].name;
    const char *nearest = names ? nearest_word(name, strlen(name), names, count) : NULL;
    MrcStatus status =
        error_set(error, MRC_MODEL, "FMU '%s' has no variable '%s'%s%s%s", f->name, name,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    free(names);
    return status;
}

// The place of PORT.suffix among the quantities of the link's ports: *port and 0 ... 23; -1: it is none.
static int fmu_quantity(const FmuLink *f, const char *name, int *port) {
    for (int p = 0; p < f->port_count; p++) {
        size_t length = strlen(f->ports[p]);
        if (strncmp(name, f->ports[p], length) != 0 || name[length] != '.') continue;
        for (int k = 0; k < FMU_MOTION + FMU_LOAD; k++)
            if (strcmp(name + length + 1, fmu_suffixes[k]) == 0) return *port = p, k;
    }
    return -1;
}

// By the names that `maraca export` gives: inputs PORT.in.x, outputs PORT.x, loads as outputs PORT.load.fx.
static void fmu_find_port(FmuLink *f, int p) {
    const FmiDescription *d = import_description(f->import);
    const char *port = f->definition->as ? f->definition->as : f->ports[p];
    char name[300];
    for (int k = 0; k < FMU_MOTION + FMU_LOAD; k++) {
        bool load = k >= FMU_MOTION, in = load == f->driver;
        snprintf(name, sizeof name, "%s.%s%s", port, in ? "in." : load ? "load." : "", fmu_suffixes[k]);
        const FmiVariable *v = fmi_description_find(d, name);
        if (!v || v->causality != (in ? FMI_INPUT : FMI_OUTPUT)) continue;
        if (load) f->load[p][k - FMU_MOTION] = v;
        else f->motion[p][k] = v;
    }
}

// At the last '=', for names of variables may hold any characters.
static MrcStatus fmu_split(const FmuLink *f, const char *text, Arena *arena, FmuPair *pair, MrcError *error) {
    const char *equals = strrchr(text, '=');
    size_t left = equals ? (size_t)(equals - text) : 0, right = equals ? 1 + strspn(equals + 1, " ") : 0;
    while (left > 0 && text[left - 1] == ' ') left--;
    if (left == 0 || !equals[right])
        return error_set(error, MRC_MODEL, "partner '%s': expected 'VARIABLE = ...' instead of '%s'", f->name,
                         text);
    *pair = (FmuPair){arena_strndup(arena, text, left), equals + right};
    return pair->name ? MRC_OK : error_memory(error, "an FMU");
}

static MrcStatus fmu_connect_pair(FmuLink *f, const char *text, Arena *arena, MrcError *error) {
    FmuPair own, *pair = &own;
    MrcStatus status = fmu_split(f, text, arena, pair, error);
    if (status != MRC_OK) return status;
    const FmiVariable *v = fmi_description_find(import_description(f->import), pair->name);
    int port = 0, k = fmu_quantity(f, pair->text, &port);
    if (!v) return fmu_no_variable(f, pair->name, error);
    if (v->causality != FMI_INPUT && v->causality != FMI_OUTPUT)
        return error_set(error, MRC_MODEL, "FMU '%s': '%s' is neither an input nor an output", f->name,
                         pair->name);
    bool in = v->causality == FMI_INPUT, load = k >= FMU_MOTION;
    if (k >= 0 && in == (load == f->driver)) {
        if (load) f->load[port][k - FMU_MOTION] = v;
        else f->motion[port][k] = v;
        return MRC_OK;
    }
    f->signals[f->signal_count++] = (FmuSignal){.variable = v, .name = pair->text, .input = -1};
    return MRC_OK;
}

static MrcStatus fmu_find_mobility(FmuLink *f, Arena *arena, MrcError *error) {
    const FmiDescription *d = import_description(f->import);
    int size = 6 * f->port_count;
    const char *partner = NULL;
    for (size_t k = 0; k < d->variables.count && !partner; k++) {
        const char *end = strstr(d->variables.data[k].name, ".mobility[1,1]");
        if (end && !end[14])
            partner = arena_printf(arena, "%.*s", (int)(end - d->variables.data[k].name),
                                   d->variables.data[k].name);
    }
    if (!partner) return MRC_OK;
    const FmiVariable **found = arena_alloc(arena, (size_t)(size * size) * sizeof *found);
    if (!found) return error_memory(error, "an FMU");
    for (int i = 0; i < size * size; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s.mobility[%d,%d]", partner, i / size + 1, i % size + 1);
        if (!(found[i] = fmi_description_find(d, name))) return MRC_OK;
    }
    f->mobility = found;
    return MRC_OK;
}

// ---- motions -------------------------------------------------------------------------------------
static MrcStatus fmu_read_port(FmuLink *f, int p, MrcError *error) {
    double n[FMU_MOTION] = {0};
    MrcStatus status = MRC_OK;
    for (int k = 0; k < FMU_MOTION && status == MRC_OK; k++)
        if (f->motion[p][k]) status = fmu_get(f, f->motion[p][k], &n[k], error);
    Quaternion q = quaternion_from_rotation_vector(vec3(n[3], n[4], n[5]));
    MrcMotion *m = &f->now[p];
    memcpy(m->position, n, 3 * sizeof *n);
    memcpy(m->orientation, &q, sizeof m->orientation);
    memcpy(m->velocity, n + 6, 3 * sizeof *n);
    memcpy(m->angular_velocity, n + 9, 3 * sizeof *n);
    memcpy(m->acceleration, n + 12, 3 * sizeof *n);
    memcpy(m->angular_acceleration, n + 15, 3 * sizeof *n);
    return status;
}

static MrcStatus fmu_read_ports(FmuLink *f, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < f->port_count && status == MRC_OK; p++) status = fmu_read_port(f, p, error);
    return status;
}

static Quaternion fmu_turned(const double orientation[4], const double w[3], double h) {
    Quaternion q;
    memcpy(&q, orientation, sizeof q);
    return quaternion_normalize(
        quaternion_mul(quaternion_from_rotation_vector(vec3(h * w[0], h * w[1], h * w[2])), q));
}

// ---- a driver ------------------------------------------------------------------------------------
static MrcStatus fmu_begin(void *self, double t, double h, MrcError *error) {
    FmuLink *f = self;
    MrcStatus status = MRC_OK;
    if (f->stepped && !f->restores)
        return error_set(error, MRC_MODEL, "FMU '%s' cannot go back to the beginning of a step", f->name);
    if (f->stepped) status = import_restore(f->import, error);
    f->stepped = false;
    f->t = t, f->h = h;
    if (status == MRC_OK && f->restores) status = import_save(f->import, error);
    for (int p = 0; p < f->port_count; p++) {
        const MrcMotion *m = &f->present[p];
        MrcMotion *out = &f->now[p];
        *out = *m;
        double turn[3];
        for (int k = 0; k < 3; k++) {
            out->position[k] += h * (m->velocity[k] + 0.5 * h * m->acceleration[k]);
            out->velocity[k] += h * m->acceleration[k];
            turn[k] = m->angular_velocity[k] + 0.5 * h * m->angular_acceleration[k];
            out->angular_velocity[k] += h * m->angular_acceleration[k];
        }
        Quaternion q = fmu_turned(m->orientation, turn, h);
        memcpy(out->orientation, &q, sizeof out->orientation);
    }
    return status;
}

static void fmu_motion(void *self, int port, MrcMotion *motion) { *motion = ((FmuLink *)self)->now[port]; }

static MrcStatus fmu_take_step(FmuLink *f, MrcError *error) {
    MrcStatus status = MRC_OK;
    if (f->stepped && !f->restores)
        return error_set(error, MRC_MODEL, "FMU '%s' cannot go back to the beginning of a step", f->name);
    if (f->stepped) status = import_restore(f->import, error);
    f->stepped = true;
    for (int p = 0; p < f->port_count; p++)
        for (int k = 0; k < FMU_LOAD && status == MRC_OK; k++)
            if (f->load[p][k]) status = fmu_set(f, f->load[p][k], ((double *)&f->loads[p])[k], error);
    if (status == MRC_OK) status = import_step(f->import, f->t, f->h, error);
    return status == MRC_OK ? fmu_read_ports(f, error) : status;
}

static MrcStatus fmu_advance(void *self, const MrcLoad *loads, MrcError *error) {
    FmuLink *f = self;
    for (int p = 0; p < f->port_count; p++) f->loads[p] = loads ? loads[p] : (MrcLoad){0};
    return fmu_take_step(f, error);
}

static MrcStatus fmu_mobility(void *self, double early, double *Y, MrcError *error) {
    FmuLink *f = self;
    int size = 6 * f->port_count;
    uint32_t unknowns[FMU_ROWS];
    double column[FMU_ROWS];
    MrcStatus status = MRC_OK;
    (void)early; // its impulses are loads over the step
    for (int i = 0; i < size; i++) unknowns[i] = f->motion[i / 6][6 + i % 6]->reference;
    for (int j = 0; j < size && status == MRC_OK; j++) {
        status = import_derivative(f->import, unknowns, (size_t)size, f->load[j / 6][j % 6]->reference,
                                   column, error);
        for (int i = 0; i < size && status == MRC_OK; i++) {
            double units = f->motion[i / 6][6 + i % 6]->factor / f->load[j / 6][j % 6]->factor;
            Y[i * size + j] = column[i] * units / f->h;
            if (!isfinite(Y[i * size + j]))
                status = error_set(error, MRC_NOT_FINITE, "FMU '%s': a derivative is %g", f->name, column[i]);
        }
    }
    return status;
}

static MrcStatus fmu_impulse(void *self, const MrcLoad *impulses, const MrcLoad *early, MrcError *error) {
    FmuLink *f = self;
    (void)early;
    for (int p = 0; p < f->port_count; p++)
        for (int k = 0; k < FMU_LOAD; k++)
            ((double *)&f->loads[p])[k] += ((const double *)&impulses[p])[k] / f->h;
    return fmu_take_step(f, error);
}

static MrcStatus fmu_commit(void *self, MrcError *error) {
    FmuLink *f = self;
    (void)error;
    memcpy(f->present, f->now, sizeof f->present);
    f->stepped = false;
    return MRC_OK;
}

// ---- a follower ----------------------------------------------------------------------------------
static MrcStatus fmu_write_port(FmuLink *f, int p, const MrcMotion *m, double h, MrcError *error) {
    double n[FMU_MOTION], way = f->ahead ? h : 0;
    Quaternion q = fmu_turned(m->orientation, m->angular_velocity, way);
    Vec3 r = quaternion_to_rotation_vector(q);
    MrcStatus status = MRC_OK;
    for (int k = 0; k < 3; k++) {
        n[k] = m->position[k] + way * m->velocity[k];
        n[3 + k] = vec3_component(r, k);
        n[6 + k] = m->velocity[k], n[9 + k] = m->angular_velocity[k];
        n[12 + k] = m->acceleration[k], n[15 + k] = m->angular_acceleration[k];
    }
    for (int k = 0; k < FMU_MOTION && status == MRC_OK; k++)
        if (f->motion[p][k]) status = fmu_set(f, f->motion[p][k], n[k], error);
    return status;
}

static MrcStatus fmu_step(void *self, double h, const MrcMotion *ports, const double *Y, MrcLoad *impulses,
                          MrcError *error) {
    FmuLink *f = self;
    int size = 6 * f->port_count;
    MrcStatus status = MRC_OK;
    for (int p = 0; p < f->port_count && status == MRC_OK; p++)
        status = fmu_write_port(f, p, &ports[p], h, error);
    for (int i = 0; i < size * size && f->mobility && status == MRC_OK; i++)
        status = import_set(f->import, f->mobility[i], Y ? Y[i] : 0, error);
    if (status == MRC_OK) status = import_step(f->import, f->t, h, error);
    f->t += h;
    for (int p = 0; p < f->port_count; p++)
        for (int k = 0; k < FMU_LOAD && status == MRC_OK; k++) {
            double load = 0;
            if (f->load[p][k]) status = fmu_get(f, f->load[p][k], &load, error);
            ((double *)&impulses[p])[k] = h * load;
        }
    return status;
}

static MrcStatus fmu_save(void *self, MrcError *error) {
    FmuLink *f = self;
    f->saved_t = f->t;
    return import_save(f->import, error);
}
static MrcStatus fmu_restore(void *self, MrcError *error) {
    FmuLink *f = self;
    f->t = f->saved_t;
    return import_restore(f->import, error);
}

// ---- states for checkpoints ----------------------------------------------------------------------
static MrcStatus fmu_pack(void *self, unsigned char **bytes, size_t *count, MrcError *error) {
    FmuLink *f = self;
    unsigned char *own = NULL;
    size_t size = 0, head = sizeof f->t + sizeof f->present;
    MrcStatus status = import_pack(f->import, &own, &size, error);
    if (status != MRC_OK) return status;
    *bytes = malloc(head + size);
    *count = head + size;
    if (*bytes) {
        memcpy(*bytes, &f->t, sizeof f->t);
        memcpy(*bytes + sizeof f->t, f->present, sizeof f->present);
        memcpy(*bytes + head, own, size);
    }
    free(own);
    return *bytes ? MRC_OK : error_memory(error, "the state of an FMU");
}

static MrcStatus fmu_unpack(void *self, const unsigned char *bytes, size_t count, MrcError *error) {
    FmuLink *f = self;
    size_t head = sizeof f->t + sizeof f->present;
    if (count < head) return error_set(error, MRC_CHECKPOINT, "the state of FMU '%s' is damaged", f->name);
    memcpy(&f->t, bytes, sizeof f->t);
    memcpy(f->present, bytes + sizeof f->t, sizeof f->present);
    memcpy(f->now, f->present, sizeof f->now);
    f->stepped = false;
    return import_unpack(f->import, bytes + head, count - head, error);
}

// ---- signals and inputs --------------------------------------------------------------------------
static MrcStatus fmu_connect(void *self, const LinkValues *values, MrcError *error) {
    FmuLink *f = self;
    for (int k = 0; k < f->signal_count; k++) {
        FmuSignal *s = &f->signals[k];
        bool in = s->variable->causality == FMI_INPUT;
        if (in) s->value = values->find(values->user, s->name);
        else s->input = input_find(values->inputs->definitions, values->inputs->count, s->name);
        if (in ? !s->value : s->input < 0)
            return error_set(error, MRC_MODEL, "FMU '%s': '%s' is connected to '%s', which is no %s", f->name,
                             s->variable->name, s->name,
                             in ? "signal of the model ('maraca signals' lists them)" : "input of the model");
    }
    return MRC_OK;
}

static bool fmu_reads_signals(const void *self) {
    const FmuLink *f = self;
    for (int k = 0; k < f->signal_count; k++)
        if (f->signals[k].value) return true;
    return false;
}

static MrcStatus fmu_before(void *self, double t, double h, Inputs *inputs, MrcError *error) {
    FmuLink *f = self;
    MrcStatus status = MRC_OK;
    (void)t, (void)h;
    for (int k = 0; k < f->signal_count && status == MRC_OK; k++)
        if (f->signals[k].value) status = fmu_set(f, f->signals[k].variable, *f->signals[k].value, error);
    for (int k = 0; k < f->signal_count && status == MRC_OK; k++) {
        double value = 0;
        if (f->signals[k].input < 0) continue;
        status = fmu_get(f, f->signals[k].variable, &value, error);
        if (status == MRC_OK) inputs_set(inputs, f->signals[k].input, value);
    }
    return status;
}

static MrcStatus fmu_after(void *self, double t, double h, MrcError *error) {
    FmuLink *f = self;
    return f->driver || f->follower ? MRC_OK : import_step(f->import, t, h, error);
}

// ---- creation ------------------------------------------------------------------------------------
static MrcStatus fmu_set_value(FmuLink *f, const char *text, Arena *arena, MrcError *error) {
    FmuPair pair;
    MrcStatus status = fmu_split(f, text, arena, &pair, error);
    if (status != MRC_OK) return status;
    const FmiVariable *v = fmi_description_find(import_description(f->import), pair.name);
    char *end;
    double value = number_read(pair.text, &end);
    if (strcmp(pair.text, "true") == 0 || strcmp(pair.text, "false") == 0)
        value = pair.text[0] == 't', end = "";
    if (!v) return fmu_no_variable(f, pair.name, error);
    if (end == pair.text || *end || !isfinite(value))
        return error_set(error, MRC_MODEL,
                         "FMU '%s': the value '%s' of '%s' is no number; it is in the FMU's unit%s%s",
                         f->name, pair.text, v->name, v->unit ? ", " : "", v->unit ? v->unit : "");
    return import_set(f->import, v, value, error);
}

static MrcStatus fmu_set_values(FmuLink *f, Arena *arena, MrcError *error) {
    const FmuDefinition *d = f->definition;
    MrcStatus status = MRC_OK;
    for (int k = 0; k < d->set_count && status == MRC_OK; k++)
        status = fmu_set_value(f, d->set[k], arena, error);
    const FmiVariable *ahead = fmi_description_find(import_description(f->import), "maraca.ahead");
    f->ahead = f->follower && ahead;
    if (status == MRC_OK && f->ahead) status = import_set(f->import, ahead, 1, error);
    return status;
}

// Everything that the mobility needs?
static bool fmu_has_mobility(const FmuLink *f) {
    const FmiDescription *d = import_description(f->import);
    for (int p = 0; p < f->port_count; p++)
        for (int k = 0; k < 6; k++)
            if (!f->load[p][k] || !f->motion[p][6 + k]) return false;
    return d->derivatives && d->restores;
}

static MrcStatus fmu_check_ports(const FmuLink *f, MrcError *error) {
    for (int p = 0; p < f->port_count; p++) {
        int motions = 0, loads = 0;
        for (int k = 0; k < FMU_MOTION; k++) motions += f->motion[p][k] != NULL;
        for (int k = 0; k < FMU_LOAD; k++) loads += f->load[p][k] != NULL;
        if (motions == 0 || loads == 0)
            return error_set(error, MRC_MODEL,
                             "FMU '%s' has no %s '%s': name its variables in 'connect', or the port in 'as'",
                             f->name, motions == 0 ? "motion of port" : "load on port", f->ports[p]);
        for (int k = 0; k < FMU_MOTION + FMU_LOAD; k++) {
            const FmiVariable *v = k < FMU_MOTION ? f->motion[p][k] : f->load[p][k - FMU_MOTION];
            MrcStatus status = fmu_check_unit(f, v, f->ports[p], k, error);
            if (status != MRC_OK) return status;
        }
    }
    return MRC_OK;
}

static void fmu_fill_partner(FmuLink *f, Link *link) {
    const FmiDescription *d = import_description(f->import);
    bool mobility = f->driver && fmu_has_mobility(f), packs = d->restores && d->serializes;
    link->partner = (MrcPartner){.size = sizeof(MrcPartner), .name = f->name, .self = f};
    if (packs) link->partner.pack = fmu_pack, link->partner.unpack = fmu_unpack;
    if (f->driver) {
        link->partner.begin = fmu_begin, link->partner.motion = fmu_motion,
        link->partner.advance = fmu_advance;
        link->partner.commit = fmu_commit;
        if (mobility) link->partner.mobility = fmu_mobility, link->partner.impulse = fmu_impulse;
        link->partner.once = !f->restores;
    }
    if (f->follower) {
        link->partner.ports = f->ports, link->partner.port_count = f->port_count,
        link->partner.step = fmu_step;
        if (f->restores) link->partner.save = fmu_save, link->partner.restore = fmu_restore;
    }
}

static MrcStatus fmu_create(Link *link, const LinkSetting *setting, Arena *arena, MrcError *error) {
    const FmuDefinition *d = (const void *)link->definition->definition;
    FmuLink *f = link->self = arena_alloc(arena, sizeof *f);
    if (!f) return error_memory(error, "an FMU");
    f->name = link->definition->name, f->definition = d;
    f->driver = setting->port_count > 0, f->follower = d->port && !f->driver;
    memcpy(f->ports, setting->ports, sizeof f->ports);
    f->port_count = setting->port_count;
    if (f->follower) f->ports[0] = d->port, f->port_count = 1;
    f->signals = arena_alloc(arena, ((size_t)d->connect_count + 1) * sizeof *f->signals);
    if (!f->signals) return error_memory(error, "an FMU");
    if (f->driver && d->port)
        return error_set(
            error, MRC_MODEL,
            "partner '%s' moves the port '%s' and is carried by the port '%s': only one of both is possible",
            f->name, f->ports[0], d->port);
    if (!f->driver && !f->follower && d->connect_count == 0)
        return error_set(
            error, MRC_MODEL,
            "partner '%s' takes part in nothing: no port names it (ports: {NAME: {partner: %s}}), and it has "
            "neither 'port' nor 'connect'",
            f->name, f->name);
    MrcStatus status = import_open(d->path ? d->path : d->file, f->name, &f->import, error);
    if (status != MRC_OK) return status;
    f->restores = import_description(f->import)->restores;
    for (int p = 0; p < f->port_count; p++) fmu_find_port(f, p);
    for (int k = 0; k < d->connect_count && status == MRC_OK; k++)
        status = fmu_connect_pair(f, d->connect[k], arena, error);
    if (status == MRC_OK) status = fmu_check_ports(f, error);
    if (status == MRC_OK && f->follower) status = fmu_find_mobility(f, arena, error);
    if (status == MRC_OK) status = import_instantiate(f->import, error);
    if (status == MRC_OK) status = fmu_set_values(f, arena, error);
    if (status == MRC_OK) status = import_initialise(f->import, 0, error);
    if (status == MRC_OK && f->driver) status = fmu_read_ports(f, error);
    memcpy(f->present, f->now, sizeof f->present);
    fmu_fill_partner(f, link);
    return status;
}

static void fmu_destroy(void *self) { import_close(((FmuLink *)self)->import); }

const LinkType link_type_fmu = {
    .schema = {.alternative = {.key = "fmu", .object = &fmu_schema, .doc = "An FMU for co-simulation."}},
    .file = fmu_file,
    .set_path = fmu_set_path,
    .create = fmu_create,
    .destroy = fmu_destroy,
    .connect = fmu_connect,
    .reads_signals = fmu_reads_signals,
    .before = fmu_before,
    .after = fmu_after,
};
