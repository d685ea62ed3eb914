// mrc_modes: from a model to its modes, as a table, as JSON and as pictures.
#include "analysis/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "maraca/maraca.h"
#include "mechanism/names.h"
#include "model/model.h"
#include "output/frames.h"
#include "output/vtk.h"

#define PI 3.14159265358979323846
enum { PHASES = 24 }; // pictures of one period

typedef struct Job {
    const SimDefinition *definition;
    const MrcModesOptions *options;
    Arena *arena;
    Log log;
    MechanismPartner *part;
    NodeName *names; // in the order of part.named
    MechanismLinear linear;
    ModeList list;
    double length; // of the mechanism [m]
} Job;

static void on_log(void *user, LogLevel level, const char *text) {
    Job *job = user;
    if (job->options->message) job->options->message(job->options->user, level == LOG_WARNING, text);
}

// ---- what is told of a mode ----------------------------------------------------------------------
// Shares of the directions x, y, z and of the turns about them in the kinetic energy, by the diagonal of M.
static void find_shares(const Job *job, const Mode *mode, double shares[6]) {
    const MechanismLinear *l = &job->linear;
    double sum = 0;
    for (int k = 0; k < 6; k++) shares[k] = 0;
    for (int j = 0; j < l->freedoms; j++)
        for (int i = l->starts[j]; i < l->starts[j + 1]; i++)
            if (l->rows[i] == j) shares[j % 6] += l->M[i] * creal(mode->shape[j] * conj(mode->shape[j]));
    for (int k = 0; k < 6; k++) sum += shares[k];
    for (int k = 0; k < 6 && sum > 0; k++) shares[k] /= sum;
}

// The freedom that moves most.
static int find_largest(const Job *job, const Mode *mode) {
    int at = 0;
    double largest = -1;
    for (int i = 0; i < job->linear.freedoms; i++) {
        double size = cabs(mode->shape[i]) * (i % 6 < 3 ? 1 : job->length);
        if (size > largest * (1 + 1e-9)) largest = size, at = i;
    }
    return at;
}

// The name that people use: that of a body, or of the end of a beam.
static const char *node_name(const Job *job, int node) {
    for (size_t k = 0; k < job->part->named_count; k++)
        if (job->part->named[k] == node) return job->names[k].name;
    return mechanism_node_name(job->part->mechanism, node);
}

static const char *const components[] = {"x", "y", "z", "rx", "ry", "rz"};
static const char *const kinds[] = {"vibration", "rigid", "real"};

static MrcMode public_mode(const Mode *mode) {
    double size = cabs(mode->lambda), real = creal(mode->lambda), imaginary = cimag(mode->lambda);
    return (MrcMode){.kind = (MrcModeKind)mode->kind,
                     .frequency_hz = size / (2 * PI),
                     .damped_frequency_hz = imaginary / (2 * PI),
                     .damping_ratio = size > 0 ? -real / size : 0,
                     .real = real,
                     .imaginary = imaginary};
}

// ---- for people ----------------------------------------------------------------------------------
static void tell_state(FILE *out, const Job *job) {
    const MechanismLinear *l = &job->linear;
    const MechanismAssembly *assembly = mechanism_assembly(job->part->mechanism);
    double rate = vec3_norm(l->rotation);
    if (l->kind == STEADY_ROTATION)
        fprintf(out,
                "  about a steady rotation of %.4g rad/s around %.3g %.3g %.3g, in axes that rotate along; "
                "nodes are displaced by up to %.3g mm\n",
                rate, l->rotation.x / rate, l->rotation.y / rate, l->rotation.z / rate, 1e3 * l->moved);
    else if (l->kind == STEADY_NOT) fputs("  about the start, frozen in time\n", out);
    else if (job->definition->mechanism.start == START_EQUILIBRIUM)
        fprintf(out, "  about the static equilibrium, which is up to %.3g mm away from the start\n",
                1e3 * assembly->equilibrium_moved);
    else fputs("  about the start\n", out);
}

static char *write_report(const Job *job) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "%s\n\n", job->definition->title ? job->definition->title : "Modes");
    tell_state(out, job);
    fprintf(out, "  %d freedoms, %d kept by joints; %s\n\n", job->linear.freedoms, job->linear.multipliers,
            job->list.dense ? "all modes were computed" : "the lowest modes were computed");
    fputs("  mode   frequency [Hz]   damping ratio   moves\n", out);
    for (size_t k = 0; k < job->list.modes.count; k++) {
        const Mode *mode = &job->list.modes.data[k];
        MrcMode m = public_mode(mode);
        double shares[6];
        int most = 0, largest = find_largest(job, mode);
        find_shares(job, mode, shares);
        for (int c = 1; c < 6; c++)
            if (shares[c] > shares[most]) most = c;
        fprintf(out, "  %4zu   ", k + 1);
        if (m.kind == MRC_MODE_RIGID) fprintf(out, "%14s   %13s   ", "0", "rigid");
        else if (m.kind == MRC_MODE_REAL)
            fprintf(out, "%14s   %13s   ", m.real < 0 ? "creeps back" : "unstable", "-");
        else
            fprintf(out, "%14.6g   %13.6f   ", m.frequency_hz,
                    fabs(m.damping_ratio) < 5e-7 ? 0 : m.damping_ratio);
        fprintf(out, "%s %.0f %%, most at %s", components[most], 100 * shares[most],
                node_name(job, largest / 6));
        if (m.kind == MRC_MODE_REAL) fprintf(out, ", exp(%.4g t/s)", m.real);
        fputc('\n', out);
    }
    if (job->list.modes.count == 0) fputs("  nothing can move\n", out);
    if (job->options->folder)
        fprintf(out, "\n  in %s: modes.json, mode-1.pvd ... (shapes for ParaView)\n", job->options->folder);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

// ---- for machines --------------------------------------------------------------------------------
static void member(Json *json, const char *key, double value) {
    json_key(json, key), json_number(json, value);
}

static void write_vector(Json *json, const char *key, Vec3 v) {
    json_key(json, key);
    json_array_begin(json);
    json_number(json, v.x), json_number(json, v.y), json_number(json, v.z);
    json_array_end(json);
}

// Six complex numbers per named node as two lists.
static void write_shape(Json *json, const Job *job, const Mode *mode) {
    json_key(json, "shape");
    json_object_begin(json);
    for (size_t k = 0; k < job->part->named_count; k++) {
        if (job->names[k].inner) continue;
        const double _Complex *s = &mode->shape[6 * job->part->named[k]];
        json_key(json, job->names[k].name);
        json_object_begin(json);
        for (int part = 0; part < 2; part++) {
            json_key(json, part ? "imaginary" : "real");
            json_array_begin(json);
            for (int c = 0; c < 6; c++) json_number(json, part ? cimag(s[c]) : creal(s[c]));
            json_array_end(json);
        }
        json_object_end(json);
    }
    json_object_end(json);
}

static void write_mode(Json *json, const Job *job, const Mode *mode) {
    MrcMode m = public_mode(mode);
    double shares[6];
    int largest = find_largest(job, mode);
    find_shares(job, mode, shares);
    json_object_begin(json);
    json_key(json, "kind"), json_string(json, kinds[m.kind]);
    member(json, "frequency_hz", m.frequency_hz);
    member(json, "damped_frequency_hz", m.damped_frequency_hz);
    member(json, "damping_ratio", m.damping_ratio);
    member(json, "real_per_s", m.real);
    member(json, "imaginary_per_s", m.imaginary);
    json_key(json, "energy");
    json_object_begin(json);
    for (int c = 0; c < 6; c++) member(json, components[c], shares[c]);
    json_object_end(json);
    json_key(json, "largest_at"), json_string(json, node_name(job, largest / 6));
    json_key(json, "largest_along"), json_string(json, components[largest % 6]);
    write_shape(json, job, mode);
    json_object_end(json);
}

static char *write_json(const Job *job) {
    static const char *const states[] = {"start", "steady rotation", "frozen"};
    Json json = {.indent = 2};
    bool equilibrium =
        job->linear.kind == STEADY_REST && job->definition->mechanism.start == START_EQUILIBRIUM;
    json_object_begin(&json);
    json_key(&json, "title"), json_string(&json, job->definition->title);
    json_key(&json, "state"), json_string(&json, equilibrium ? "equilibrium" : states[job->linear.kind]);
    write_vector(&json, "rotation_rad_per_s", job->linear.rotation);
    json_key(&json, "freedoms"), json_integer(&json, job->linear.freedoms);
    json_key(&json, "kept_by_joints"), json_integer(&json, job->linear.multipliers);
    json_key(&json, "modes");
    json_array_begin(&json);
    for (size_t k = 0; k < job->list.modes.count; k++) write_mode(&json, job, &job->list.modes.data[k]);
    json_array_end(&json);
    json_object_end(&json);
    return json_take(&json);
}

// ---- pictures ------------------------------------------------------------------------------------
static MrcStatus draw_shape(const Job *job, const char *path, double time, const Vec3 *shift,
                            const Vec3 *turn, MrcError *error) {
    Arena *arena = arena_create();
    FrameList list = {.arena = arena};
    MrcStatus status = arena ? mechanism_partner_shape(job->part, shift, turn, &list, error)
                             : error_memory(error, "the shape of a mode");
    if (status == MRC_OK) status = frames_write_part(path, time, &list.parts.data[0], error);
    frame_list_free(&list);
    arena_destroy(arena);
    return status;
}

// One period of a vibration, its largest displacement a tenth of the mechanism's size.
static MrcStatus draw_mode(const Job *job, size_t number, MrcError *error) {
    const Mode *mode = &job->list.modes.data[number];
    size_t nodes = (size_t)mechanism_node_count(job->part->mechanism);
    Vec3 *shift = memory_alloc((nodes + 1) * sizeof *shift), *turn = memory_alloc((nodes + 1) * sizeof *turn);
    VtkEntry entries[PHASES];
    char path[1100];
    MrcStatus status = shift && turn ? MRC_OK : error_memory(error, "a mode's picture");
    for (int p = 0; p < PHASES && status == MRC_OK; p++) {
        double _Complex phase = 0.1 * job->length * cexp(2 * PI * p / PHASES * _Complex_I);
        for (size_t n = 0; n < nodes; n++) {
            const double _Complex *s = &mode->shape[6 * n];
            shift[n] = vec3(creal(phase * s[0]), creal(phase * s[1]), creal(phase * s[2]));
            turn[n] = vec3(creal(phase * s[3]), creal(phase * s[4]), creal(phase * s[5]));
        }
        const char *file = arena_printf(job->arena, "modes/mode-%zu-%02d.vtp", number + 1, p);
        if (!file) status = error_memory(error, "a mode's picture");
        if (!file) break;
        entries[p] = (VtkEntry){.time = (double)p / PHASES, .file = file};
        snprintf(path, sizeof path, "%s/%s", job->options->folder, file);
        status = draw_shape(job, path, entries[p].time, shift, turn, error);
    }
    snprintf(path, sizeof path, "%s/mode-%zu.pvd", job->options->folder, number + 1);
    if (status == MRC_OK) status = vtk_write_collection(path, entries, PHASES, error);
    memory_free(shift);
    memory_free(turn);
    return status;
}

static MrcStatus write_folder(const Job *job, const char *json, MrcError *error) {
    char path[1100];
    const char *folder = job->options->folder;
    FolderLock lock = {.file = -1};
    FileWriter writer;
    if (*folder == '\0' || strlen(folder) > 700)
        return error_set(error, MRC_FOLDER, "its name is %s", *folder ? "too long" : "empty");
    if (file_make_folder(folder, error) != MRC_OK) return error->status = MRC_FOLDER;
    MrcStatus status = folder_lock(&lock, folder, error);
    snprintf(path, sizeof path, "%s/modes", folder);
    if (status == MRC_OK) status = file_make_folder(path, error);
    for (size_t k = 0; k < job->list.modes.count && status == MRC_OK; k++) status = draw_mode(job, k, error);
    snprintf(path, sizeof path, "%s/modes.json", folder);
    if (status == MRC_OK) status = file_open(&writer, path, error);
    if (status == MRC_OK) {
        fputs(json, writer.stream);
        status = file_commit(&writer, error);
    }
    folder_unlock(&lock);
    return status;
}

// ---- the whole -----------------------------------------------------------------------------------
// The diagonal of the box around all nodes and joints; 1 m for a single point.
static double mechanism_size(const MechanismPartner *part) {
    Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_neg(low);
    int count = mechanism_node_count(part->mechanism);
    for (int n = 0; n < count + 2 * (int)part->stick_count; n++) {
        int stick = n - count, node = n < count ? n : part->sticks[stick / 2].nodes[stick % 2];
        Vec3 offset = n < count ? vec3_zero() : part->sticks[stick / 2].offsets[stick % 2], x = offset;
        if (node >= 0) {
            const NodeState *state = mechanism_node(part->mechanism, node);
            x = vec3_add(state->x, mat3_apply(state->R, offset));
        }
        low = vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    double size = vec3_norm(vec3_sub(high, low));
    return size > 0 && isfinite(size) ? size : 1;
}

static void tell_doubts(Job *job) {
    if (job->linear.kind == STEADY_NOT)
        log_warning(&job->log,
                    "the mechanism moves at its start, but not in a steady rotation: these are the "
                    "modes of that instant, frozen");
    else if (job->linear.kind == STEADY_REST && job->linear.acceleration > 1e-3)
        log_warning(&job->log,
                    "the start is no equilibrium: nodes accelerate by up to %.3g m/s^2; with 'start: "
                    "equilibrium' modes are about the state at rest",
                    job->linear.acceleration);
}

static MrcStatus find_modes(Job *job, MrcModes *modes, MrcError *error) {
    int count = job->options->count > 0 ? job->options->count : 10;
    MechanismSetting setting = {.materials = job->definition->materials,
                                .material_count = job->definition->material_count,
                                .gravity = job->definition->gravity,
                                .log = &job->log};
    MrcStatus status =
        mechanism_partner_create(&job->definition->mechanism, &setting, job->arena, &job->part, error);
    if (status == MRC_OK &&
        names_list(job->part->definition, job->arena, &job->names) != job->part->named_count)
        status = error_memory(error, "the modes");
    if (status == MRC_OK) status = mechanism_linearize(job->part->mechanism, &job->linear, error);
    if (status != MRC_OK) return status;
    tell_doubts(job);
    job->length = mechanism_size(job->part);
    status = modes_find(&job->linear, count, job->length, &job->list, error);
    if (status != MRC_OK) return status;
    modes->count = (int)job->list.modes.count;
    modes->modes = calloc(job->list.modes.count + 1, sizeof *modes->modes);
    modes->report = write_report(job);
    modes->json = write_json(job);
    if (!modes->modes || !modes->report || !modes->json) return error_memory(error, "the modes");
    for (int k = 0; k < modes->count; k++) modes->modes[k] = public_mode(&job->list.modes.data[k]);
    return job->options->folder ? write_folder(job, modes->json, error) : MRC_OK;
}

MrcStatus mrc_modes(const MrcModel *model, const MrcModesOptions *options, MrcModes *modes, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    *modes = (MrcModes){0};
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    Job job = {.definition = model_definition(model), .options = options, .arena = arena_create()};
    job.log = (Log){on_log, &job};
    if (!job.arena) return error_memory(error, "the modes");
    MrcStatus status =
        job.definition->has_mechanism
            ? find_modes(&job, modes, error)
            : error_set(error, MRC_MODEL, "the model has no 'mechanism', so there are no modes");
    modes_free(&job.list);
    mechanism_linear_free(&job.linear);
    if (job.part) partner_mechanism.destroy(job.part);
    arena_destroy(job.arena);
    if (status != MRC_OK) mrc_modes_free(modes);
    return status;
}

void mrc_modes_free(MrcModes *modes) {
    free(modes->modes);
    mrc_text_free(modes->report);
    mrc_text_free(modes->json);
    *modes = (MrcModes){0};
}
