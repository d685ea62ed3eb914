// mrc_export_fmi: a model as an FMU for co-simulation, FMI 2.0 or 3.0.
//
//     modelDescription.xml
//     binaries/linux64/NAME.so or binaries/x86_64-linux/NAME.so    src/fmu with the library
//     resources/model.yaml, interface.txt, files/...               the model, its variables, what it reads
//
// Variables: the time; constants that are written as a number are parameters; inputs of the model, motions of ports that
// a partner outside moves, and loads on ports that carry nothing in the model are inputs; recorded signals, loads and
// motions of these ports are outputs.
#include "analysis/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/build.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "fmi/zip.h"
#include "math/expression.h"
#include "model/model.h"
#include "sim/sim.h"

enum { EXPORT_PORTS_MAX = 4 }; // src/fmu/outside.h

static void export_add(Export *e, ExportVariable v) {
    if (!v.name || !v.line || !array_push(&e->variables, v)) e->failed = true;
}

// Names are structured: parts that are no identifiers stand in quotes.
static const char *export_name(Export *e, const char *name) {
    Text out = {0};
    for (const char *part = name; part;) {
        size_t length = strcspn(part, ".");
        bool plain = isalpha((unsigned char)part[0]) || part[0] == '_';
        for (size_t i = 0; i < length; i++)
            plain = plain && (isalnum((unsigned char)part[i]) || part[i] == '_');
        if (part != name) text_add_string(&out, ".");
        if (!plain) text_add_string(&out, "'");
        text_add_bytes(&out, part, length);
        if (!plain) text_add_string(&out, "'");
        part = part[length] ? part + length + 1 : NULL;
    }
    char *text = text_take(&out), *kept = text ? arena_strdup(e->arena, text) : NULL;
    free(text);
    return kept;
}

static const char *export_si(Export *e, Dimension dimension) {
    char buffer[40];
    return arena_strdup(e->arena, dimension_unit(dimension, buffer, sizeof buffer));
}

static const char *export_number(Export *e, double value) {
    char digits[TEXT_NUMBER_SIZE];
    text_number(digits, value);
    return arena_strdup(e->arena, digits);
}

static bool export_is_number(Dimension d) { return dimension_equal(d, DIM_NUMBER); }

// ---- parameters ----------------------------------------------------------------------------------
// A constant that is a number and a unit. One that is a formula follows from others.
static void export_constant(Export *e, const char *name, const char *text) {
    char *end;
    double number = number_read(text, &end);
    ExpressionError ignored;
    Units units = {.factor = 1};
    while (isspace((unsigned char)*end)) end++;
    if (end == text || !isfinite(number) || (*end && !expression_units(end, &units, &ignored))) return;
    const char *si = export_si(e, units.dimension),
               *value = export_number(e, units_to_si(number, units.factor));
    bool bare = !*end || export_is_number(units.dimension);
    if (units.hertz) si = "Hz";
    bool other = !bare && si && strcmp(si, end) != 0;
    if (si && value)
        export_add(e, (ExportVariable){.name = name,
                                       .words = "constant of the model",
                                       .causality = EXPORT_PARAMETER,
                                       .unit = bare ? NULL : si,
                                       .display = other ? end : NULL,
                                       .factor = 1 / units.factor,
                                       .dimension = units.dimension,
                                       .start = units_to_si(number, units.factor),
                                       .line = arena_printf(e->arena, "parameter %s %s %s", name, value,
                                                            bare ? "-" : si)});
    else e->failed = true;
}

static void export_parameters(Export *e, const MrcModel *model) {
    const char *text, *name;
    for (size_t k = 0; (name = model_constant(model, k, &text)); k++) export_constant(e, name, text);
    export_add(
        e, (ExportVariable){.name = "maraca.threads",
                            .words = "threads that a step may use; the results are the same on any number",
                            .causality = EXPORT_PARAMETER,
                            .type = EXPORT_INTEGER,
                            .start = 1,
                            .line = "threads 1"});
}

// ---- inputs --------------------------------------------------------------------------------------
static void export_inputs(Export *e) {
    for (int i = 0; i < e->definition->input_count; i++) {
        const InputDefinition *input = &e->definition->inputs[i];
        double value = input_jet(input, 0).value;
        const char *digits = export_number(e, value);
        bool bare = input->bare || export_is_number(input->dimension);
        export_add(e, (ExportVariable){
                          .name = input->name,
                          .words = "input of the model",
                          .causality = EXPORT_INPUT,
                          .unit = bare           ? NULL
                                  : input->hertz ? "Hz"
                                                 : export_si(e, input->dimension),
                          .dimension = input->dimension,
                          .start = value,
                          .line = arena_printf(e->arena, "input %s %s", input->name, digits ? digits : "")});
    }
}

typedef struct ExportComponent {
    const char *suffix;
    Dimension dimension;
    const char *words;
} ExportComponent;

static const ExportComponent motion_parts[] = {
    {"x", DIM_LENGTH, "position of the port"},
    {"r", DIM_ANGLE, "rotation vector of the port: axis times angle"},
    {"v", DIM_VELOCITY, "velocity of the port"},
    {"w", DIM_ANGULAR_VELOCITY, "angular velocity of the port"},
    {"a", DIM_ACCELERATION, "acceleration of the port"},
    {"alpha", DIM_ANGULAR_ACCELERATION, "angular acceleration of the port"},
};

// "x", "y", "z" of a position, "vx", ... of the others; axes are those of the world.
static const char *export_component(Export *e, const char *prefix, int part, int axis) {
    const char *suffix = part == 0 ? "" : motion_parts[part].suffix;
    return arena_printf(e->arena, "%s.%s%c", prefix, suffix, "xyz"[axis]);
}

static void export_motion_inputs(Export *e, const char *port, int number) {
    const char *prefix = arena_printf(e->arena, "%s.in", port);
    for (int k = 0; k < 18 && prefix; k++) {
        const ExportComponent *part = &motion_parts[k / 3];
        export_add(e, (ExportVariable){.name = export_component(e, prefix, k / 3, k % 3),
                                       .words = part->words,
                                       .causality = EXPORT_INPUT,
                                       .unit = export_si(e, part->dimension),
                                       .dimension = part->dimension,
                                       .line = arena_printf(e->arena, "motion %d %d 0", number, k)});
    }
}

static void export_mobility_inputs(Export *e, const char *partner, int number, int ports) {
    for (int i = 0; i < 6 * ports; i++)
        for (int j = 0; j < 6 * ports; j++) {
            Dimension velocity = i % 6 < 3 ? DIM_VELOCITY : DIM_ANGULAR_VELOCITY;
            Dimension load = j % 6 < 3 ? DIM_FORCE : DIM_MOMENT;
            Dimension d = dimension_div(velocity, dimension_mul(load, DIM_TIME));
            export_add(
                e, (ExportVariable){
                       .name = arena_printf(e->arena, "%s.mobility[%d,%d]", partner, i + 1, j + 1),
                       .words = "what an impulse on the ports adds to their velocities; 0: they do not yield",
                       .causality = EXPORT_INPUT,
                       .unit = export_si(e, d),
                       .dimension = d,
                       .line = arena_printf(e->arena, "mobility %d %d %d", number, i, j)});
        }
}

static void export_load_inputs(Export *e, const char *port, int number) {
    for (int k = 0; k < 6; k++) {
        Dimension d = k < 3 ? DIM_FORCE : DIM_MOMENT;
        export_add(e, (ExportVariable){
                          .name = arena_printf(e->arena, "%s.in.%c%c", port, k < 3 ? 'f' : 'm', "xyz"[k % 3]),
                          .words = k < 3 ? "force on the port" : "moment on the port, about its origin",
                          .causality = EXPORT_INPUT,
                          .unit = export_si(e, d),
                          .dimension = d,
                          .line = arena_printf(e->arena, "load %d %d", number, k)});
    }
}

// ---- ports ---------------------------------------------------------------------------------------
// Does something of the model touch it? Inlets, outlets and meters do not: a port that carries nothing else can be loaded.
static bool export_carries(const SimDefinition *d, const char *port) {
    for (int g = 0; g < d->grains_count; g++) {
        if (d->grains[g].port && strcmp(d->grains[g].port, port) == 0) return true;
        for (int w = 0; w < d->grains[g].wall_count; w++)
            if (d->grains[g].walls[w].port && strcmp(d->grains[g].walls[w].port, port) == 0) return true;
    }
    for (int k = 0; k < d->stops.count; k++) {
        if (d->stops.items[k].port && strcmp(d->stops.items[k].port, port) == 0) return true;
        for (int w = 0; w < d->stops.items[k].wall_count; w++)
            if (d->stops.items[k].walls[w].port && strcmp(d->stops.items[k].walls[w].port, port) == 0)
                return true;
    }
    return false;
}

// Is it moved from outside, and not by a partner of the model file, which goes into the FMU with the model?
static bool export_is_driven(const SimDefinition *d, const PortDefinition *port) {
    for (int k = 0; port->partner && k < d->link_count; k++)
        if (strcmp(d->links[k].name, port->partner) == 0) return false;
    return port->partner;
}

typedef struct ExportPorts {
    const char *partners[EXPORT_PORTS_MAX]; // that move ports
    int counts[EXPORT_PORTS_MAX];           // how many each
    int partner_count;
    const char *loaded[EXPORT_PORTS_MAX];
    int loaded_count;
} ExportPorts;

static MrcStatus export_many(MrcError *error) {
    return error_set(error, MRC_MODEL,
                     "an FMU may have at most %d ports that are moved and %d that are loaded from outside",
                     EXPORT_PORTS_MAX, EXPORT_PORTS_MAX);
}

static MrcStatus export_driven(Export *e, const PortDefinition *port, ExportPorts *p, Text *lines,
                               MrcError *error) {
    int k = 0;
    while (k < p->partner_count && strcmp(p->partners[k], port->partner) != 0) k++;
    if (k == EXPORT_PORTS_MAX) return export_many(error);
    if (k == p->partner_count) p->partners[p->partner_count++] = port->partner;
    if (p->counts[k] == EXPORT_PORTS_MAX) return export_many(error);
    export_motion_inputs(e, port->name, k * EXPORT_PORTS_MAX + p->counts[k]++);
    text_add(lines, "driven %s %s\n", port->name, port->partner);
    return MRC_OK;
}

static MrcStatus export_ports(Export *e, ExportPorts *p, MrcError *error) {
    const SimDefinition *d = e->definition;
    Text lines = {0};
    MrcStatus status = MRC_OK;
    bool condensed = scheme_of(&d->coupling)->needs_mobility;
    for (int k = 0; k < d->port_count && status == MRC_OK; k++) {
        const PortDefinition *port = &d->ports[k];
        if (export_is_driven(d, port)) status = export_driven(e, port, p, &lines, error);
        if (!port->node || export_carries(d, port->name)) continue;
        if (p->loaded_count == EXPORT_PORTS_MAX) status = export_many(error);
        else {
            export_load_inputs(e, port->name, p->loaded_count);
            text_add(&lines, "loaded %s\n", port->name);
            p->loaded[p->loaded_count++] = port->name;
        }
    }
    for (int k = 0; k < p->partner_count && condensed; k++)
        export_mobility_inputs(e, p->partners[k], k, p->counts[k]);
    e->derivatives = condensed && p->loaded_count > 0;
    char *text = text_take(&lines);
    e->ports = text ? arena_strdup(e->arena, text) : NULL;
    free(text);
    if (p->partner_count > 0)
        export_add(e, (ExportVariable){
                          .name = "maraca.ahead",
                          .words = "motions are given for the end of the coming step, not for its beginning",
                          .causality = EXPORT_PARAMETER,
                          .type = EXPORT_BOOLEAN,
                          .line = "ahead 0"});
    return status;
}

// ---- outputs -------------------------------------------------------------------------------------
static bool export_is_of_port(const char *signal, const char *port) {
    size_t length = strlen(port);
    return strncmp(signal, port, length) == 0 && signal[length] == '.';
}

// Pose and velocities of a port that is loaded from outside: loads of the same step change them.
static bool export_answers(const ExportPorts *p, const char *signal) {
    for (int k = 0; k < p->loaded_count; k++) {
        if (!export_is_of_port(signal, p->loaded[k])) continue;
        const char *suffix = signal + strlen(p->loaded[k]) + 1;
        if (strchr("xyzvw", suffix[0]) && strlen(suffix) <= 2) return true;
    }
    return false;
}

static bool export_is_wanted(const Export *e, const ExportPorts *p, const Signal *signal) {
    const RecordDefinition *record = &e->definition->record;
    for (int k = 0; k < p->loaded_count; k++)
        if (export_is_of_port(signal->name, p->loaded[k])) return true;
    for (int k = 0; k < e->definition->port_count; k++)
        if (export_is_driven(e->definition, &e->definition->ports[k]) &&
            export_is_of_port(signal->name, e->definition->ports[k].name) && strstr(signal->name, ".load."))
            return true;
    if (record->series_count == 0) return !signal->on_request;
    for (int k = 0; k < record->series_count; k++)
        if (signal_matches(signal->name, record->series[k])) return true;
    return false;
}

static void export_outputs(Export *e, const ExportPorts *p) {
    SignalList list = {.arena = e->arena};
    sim_signals(e->definition, NULL, &list);
    e->failed = e->failed || list.incomplete;
    for (size_t k = 0; k < list.signals.count; k++) {
        const Signal *s = &list.signals.data[k];
        if (!export_is_wanted(e, p, s)) continue;
        export_add(e, (ExportVariable){.name = export_name(e, s->name),
                                       .words = s->words,
                                       .causality = EXPORT_OUTPUT,
                                       .unit = strcmp(s->unit, "1") == 0 ? NULL : s->unit,
                                       .dimension = s->dimension,
                                       .answers = e->derivatives && export_answers(p, s->name),
                                       .line = arena_printf(e->arena, "signal %s", s->name)});
    }
    signal_list_free(&list);
    for (int k = 0; k < p->loaded_count; k++)
        for (int i = 0; i < 6; i++) {
            int part = i < 3 ? 1 : 5;
            export_add(e, (ExportVariable){.name = export_component(e, p->loaded[k], part, i % 3),
                                           .words = motion_parts[part].words,
                                           .causality = EXPORT_OUTPUT,
                                           .unit = export_si(e, motion_parts[part].dimension),
                                           .dimension = motion_parts[part].dimension,
                                           .answers = e->derivatives && i < 3,
                                           .line = arena_printf(e->arena, "pose %d %d", k, i)});
        }
}

static MrcStatus export_variables(Export *e, const MrcModel *model, MrcError *error) {
    ExportPorts ports = {0};
    export_add(e, (ExportVariable){.name = "time",
                                   .words = "simulated time",
                                   .causality = EXPORT_INDEPENDENT,
                                   .unit = "s",
                                   .dimension = DIM_TIME,
                                   .line = "time"});
    export_parameters(e, model);
    export_inputs(e);
    MrcStatus status = export_ports(e, &ports, error);
    export_outputs(e, &ports);
    if (status == MRC_OK && e->failed) status = error_memory(error, "the FMU");
    for (size_t i = 0; i < e->variables.count && status == MRC_OK; i++)
        for (size_t j = 0; j < i && status == MRC_OK; j++)
            if (strcmp(e->variables.data[i].name, e->variables.data[j].name) == 0)
                status = error_set(
                    error, MRC_MODEL,
                    "two variables of the FMU would be called '%s': rename one of what they are named after",
                    e->variables.data[i].name);
    return status;
}

// ---- the archive ---------------------------------------------------------------------------------
static const char *export_file_name(void *user, size_t index) {
    Export *e = user;
    const char *path = model_file(e->model, index), *slash = strrchr(path, '/');
    return arena_printf(e->arena, "files/%zu-%s", index, slash ? slash + 1 : path);
}

const char *export_identifier(Export *e, const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(e->arena, slash ? slash + 1 : path), *dot = name ? strrchr(name, '.') : NULL;
    if (dot) *dot = '\0';
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    if (name && (isdigit((unsigned char)name[0]) || !name[0])) name = arena_printf(e->arena, "m_%s", name);
    return name;
}

static MrcStatus export_add_text(ZipWriter *zip, const char *name, char *text, MrcError *error) {
    MrcStatus status = text ? zip_add(zip, name, text, strlen(text), error) : error_memory(error, "the FMU");
    free(text);
    return status;
}

static MrcStatus export_write(Export *e, ZipWriter *zip, const MrcExportOptions *options, MrcError *error) {
    struct utsname machine;
    char name[400];
    uname(&machine);
    bool arm = strcmp(machine.machine, "aarch64") == 0;
    const char *platform = options->version == 2 ? (arm ? "aarch64-linux" : "linux64")
                                                 : (arm ? "aarch64-linux" : "x86_64-linux");
    MrcStatus status =
        export_add_text(zip, "modelDescription.xml", export_description(e, options->version), error);
    if (status == MRC_OK)
        status = export_add_text(zip, "resources/model.yaml",
                                 model_text_with_files(e->model, export_file_name, e), error);
    if (status == MRC_OK)
        status = export_add_text(zip, "resources/interface.txt", export_interface(e), error);
    for (size_t k = 0; status == MRC_OK && model_file(e->model, k); k++) {
        const char *file = export_file_name(e, k);
        snprintf(name, sizeof name, "resources/%s", file ? file : "");
        status =
            file ? zip_add_file(zip, name, model_file(e->model, k), error) : error_memory(error, "the FMU");
    }
    snprintf(name, sizeof name, "binaries/%s/%s.so", platform, e->identifier);
    if (status == MRC_OK) status = zip_add_file(zip, name, options->binary, error);
    return status;
}

static void export_make_token(Export *e) {
    uint64_t hash = model_hash(e->model);
    for (size_t k = 0; k < e->variables.count; k++)
        hash = hash_bytes(hash, e->variables.data[k].line, strlen(e->variables.data[k].line));
    uint64_t build = hash_bytes(hash, build_identity(), strlen(build_identity()));
    snprintf(e->token, sizeof e->token, "{%016llx%016llx}", (unsigned long long)hash,
             (unsigned long long)build);
}

static MrcStatus export_fmi(const MrcModel *model, const MrcExportOptions *options, MrcError *error) {
    Export e = {.model = model, .definition = model_definition(model), .arena = arena_create()};
    ZipWriter *zip = NULL;
    if (!e.arena) return error_memory(error, "the FMU");
    e.identifier = export_identifier(&e, options->path);
    MrcStatus status = e.identifier ? export_variables(&e, model, error) : error_memory(error, "the FMU");
    if (status == MRC_OK) {
        export_make_token(&e);
        status = zip_create(options->path, &zip, error);
    }
    if (status == MRC_OK) {
        status = export_write(&e, zip, options, error);
        if (status == MRC_OK) status = zip_commit(zip, error);
        else zip_abandon(zip);
    }
    array_free(&e.variables);
    arena_destroy(e.arena);
    return status;
}

MrcStatus export_check_options(const MrcExportOptions *options, MrcError *error) {
    if (options->version != 2 && options->version != 3)
        return error_set(error, MRC_USAGE, "FMI is 2 or 3, not %d", options->version);
    if (!options->path || !options->binary)
        return error_set(error, MRC_USAGE, "the path of the FMU and that of its binary are needed");
    return MRC_OK;
}

MrcStatus mrc_export_fmi(const MrcModel *model, const MrcExportOptions *given, MrcError *error) {
    MrcError own;
    MrcExportOptions options = mrc_export_options_default();
    if (!error) error = &own;
    memcpy(&options, given, given->size && given->size < sizeof options ? given->size : sizeof options);
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    MrcStatus status = export_check_options(&options, error);
    return status == MRC_OK ? export_fmi(model, &options, error) : status;
}
