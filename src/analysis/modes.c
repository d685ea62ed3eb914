// mrc_modes: from a model to its modes, as facts, as a table and as frames.
#include "analysis/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/quantity.h"
#include "maraca/maraca.h"
#include "mechanism/names.h"
#include "model/model.h"
#include "output/frames.h"
#include "output/page.h"
#include "output/pattern.h"
#include "output/text_table.h"
#include "output/vtk.h"
#include "sim/carried.h"

#define PI 3.14159265358979323846
enum { PHASES = 24 }; // frames of one period

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

static void modes_pass_message(void *user, LogLevel level, const char *text) {
    Job *job = user;
    if (job->options->message) job->options->message(job->options->user, level == LOG_WARNING, text);
}

// ---- the facts of a mode -------------------------------------------------------------------------
// Shares of the directions x, y, z and of the turns about them in the kinetic energy, by the diagonal of M.
static void modes_find_shares(const Job *job, const Mode *mode, double shares[6]) {
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
static int modes_find_largest(const Job *job, const Mode *mode) {
    int at = 0;
    double largest = -1;
    for (int i = 0; i < job->linear.freedoms; i++) {
        double size = cabs(mode->shape[i]) * (i % 6 < 3 ? 1 : job->length);
        if (size > largest * (1 + 1e-9)) largest = size, at = i;
    }
    return at;
}

// The name that people use: that of a body, or of the end of a beam.
static const char *modes_node_name(const Job *job, int node) {
    for (size_t k = 0; k < job->part->named_count; k++)
        if (job->part->named[k] == node) return job->names[k].name;
    return mechanism_node_name(job->part->mechanism, node);
}

static const char *const components[] = {"x", "y", "z", "rx", "ry", "rz"};
static const char *const kinds[] = {"vibration", "rigid", "real"};

static MrcMode modes_public_mode(const Mode *mode) {
    double size = cabs(mode->lambda), real = creal(mode->lambda), imaginary = cimag(mode->lambda);
    return (MrcMode){.kind = (MrcModeKind)mode->kind,
                     .frequency_hz = size / (2 * PI),
                     .damped_frequency_hz = imaginary / (2 * PI),
                     .damping_ratio = size > 0 ? -real / size : 0,
                     .real = real,
                     .imaginary = imaginary};
}

// ---- facts ---------------------------------------------------------------------------------------
static void modes_state_facts(const Job *job, FactList *list) {
    static const char *const states[] = {"start", "steady rotation", "frozen"};
    const MechanismLinear *l = &job->linear;
    const double rotation[] = {l->rotation.x, l->rotation.y, l->rotation.z};
    double rate = vec3_norm(l->rotation);
    bool equilibrium = l->kind == STEADY_REST && job->definition->mechanism.start == START_EQUILIBRIUM;
    fact_text(list, "title", job->definition->title, "title");
    fact_text(list, "state", equilibrium ? "equilibrium" : states[l->kind], "modes are about this state");
    fact_array_begin(list, "rotation_rad_per_s");
    for (int k = 0; k < 3; k++) fact_number(list, NULL, rotation[k], "rad/s", "angular velocity of the axes");
    fact_group_end(list);
    fact_array_begin(list, "rotation_axis");
    for (int k = 0; k < 3; k++)
        fact_number(list, NULL, rate > 0 ? rotation[k] / rate : 0, "1", "direction of the rotation");
    fact_group_end(list);
    fact_number(list, "rotation_rate_rad_per_s", rate, "rad/s", "its size");
    fact_number(list, "displacement_m",
                equilibrium ? mechanism_assembly(job->part->mechanism)->equilibrium_moved : l->moved, "m",
                "largest displacement from the start");
    fact_count(list, "freedoms", l->freedoms, "degrees of freedom");
    fact_count(list, "kept_by_joints", l->multipliers, "degrees of freedom kept by joints");
    fact_flag(list, "complete", job->list.dense, "all modes were computed");
}

// Six complex numbers per named node as two lists.
static void modes_shape_facts(const Job *job, const Mode *mode, FactList *list) {
    fact_group_begin(list, "shape");
    for (size_t k = 0; k < job->part->named_count; k++) {
        if (job->names[k].inner) continue;
        const double _Complex *s = &mode->shape[6 * job->part->named[k]];
        fact_group_begin(list, job->names[k].name);
        for (int part = 0; part < 2; part++) {
            fact_array_begin(list, part ? "imaginary" : "real");
            for (int c = 0; c < 6; c++)
                fact_number(list, NULL, part ? cimag(s[c]) : creal(s[c]), c < 3 ? "m" : "rad", components[c]);
            fact_group_end(list);
        }
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void modes_mode_facts(const Job *job, const Mode *mode, FactList *list) {
    MrcMode m = modes_public_mode(mode);
    double shares[6];
    int largest = modes_find_largest(job, mode), most = 0;
    modes_find_shares(job, mode, shares);
    for (int c = 1; c < 6; c++)
        if (shares[c] > shares[most]) most = c;
    fact_group_begin(list, NULL);
    fact_text(list, "kind", kinds[m.kind], "kind");
    fact_number(list, "frequency_hz", m.frequency_hz, "Hz", "natural frequency");
    fact_number(list, "damped_frequency_hz", m.damped_frequency_hz, "Hz", "damped frequency");
    fact_number(list, "damping_ratio", m.damping_ratio, "1", "damping ratio");
    fact_number(list, "real_per_s", m.real, "1/s", "real part of the eigenvalue");
    fact_number(list, "imaginary_per_s", m.imaginary, "1/s", "imaginary part of the eigenvalue");
    fact_group_begin(list, "energy");
    for (int c = 0; c < 6; c++)
        fact_number(list, components[c], shares[c], "1", "share of the kinetic energy");
    fact_group_end(list);
    fact_text(list, "most_along", components[most], "component with the largest share of the kinetic energy");
    fact_number(list, "most_share", shares[most], "1", "its share");
    fact_text(list, "largest_at", modes_node_name(job, largest / 6), "node that moves most");
    fact_text(list, "largest_along", components[largest % 6], "component that moves most");
    modes_shape_facts(job, mode, list);
    fact_group_end(list);
}

static MrcFacts *modes_facts(const Job *job) {
    MrcFacts *facts = facts_create();
    if (!facts) return NULL;
    modes_state_facts(job, &facts->list);
    fact_array_begin(&facts->list, "modes");
    for (size_t k = 0; k < job->list.modes.count; k++)
        modes_mode_facts(job, &job->list.modes.data[k], &facts->list);
    fact_group_end(&facts->list);
    return facts;
}

// ---- for people ----------------------------------------------------------------------------------
static void modes_add_state(Text *text, const FactList *facts) {
    pattern_add(
        text, facts, "",
        "[?title:{title}|Modes]\n\n  about "
        "[?state=steady rotation:a steady rotation of {rotation_rate_rad_per_s} around {rotation_axis.0:3} "
        "{rotation_axis.1:3} {rotation_axis.2:3}, in axes that rotate along; nodes are displaced by up to "
        "{displacement_m:3}]"
        "[?state=equilibrium:the static equilibrium, which is up to {displacement_m:3} away from the start]"
        "[?state=frozen:the start, frozen in time][?state=start:the start]\n"
        "  {freedoms} degrees of freedom, {kept_by_joints} kept by joints; "
        "[?complete:all|the lowest] modes were computed\n\n");
}

static void modes_add_cell(TextTable *table, const FactList *facts, const char *group, const char *pattern) {
    Text cell = {0};
    pattern_add(&cell, facts, group, pattern);
    if (cell.failed) table->failed = true;
    else text_table_cell(table, cell.data);
    text_free(&cell);
}

static char *modes_report(const FactList *facts, const char *folder) {
    static const char *const titles[] = {"mode", "frequency [Hz]", "damping ratio", "moves"};
    TextTable table = {.align = "rrrl"};
    Text text = {0};
    size_t at = 0;
    int count = 0;
    modes_add_state(&text, facts);
    for (int k = 0; k < 4; k++) text_table_cell(&table, titles[k]);
    for (const char *mode; (mode = fact_next_group(facts, "modes", &at));) {
        char group[48], buffer[QUANTITY_SIZE];
        snprintf(group, sizeof group, "modes.%.24s", mode);
        const MrcFact *frequency = fact_find_in(facts, group, "frequency_hz");
        text_table_cell(&table, quantity_count(buffer, ++count));
        if (strcmp(fact_find_in(facts, group, "kind")->text, "vibration") == 0) {
            text_table_cell(&table, quantity_number(buffer, frequency->number, 6));
            modes_add_cell(&table, facts, group,
                           "[?damping_ratio>5e-7:{damping_ratio}|[?damping_ratio<-5e-7:"
                           "{damping_ratio}|0]]");
        } else {
            modes_add_cell(&table, facts, group, "[?kind=rigid:0|[?real_per_s>0:unstable|creeps back]]");
            modes_add_cell(&table, facts, group, "[?kind=rigid:rigid|-]");
        }
        modes_add_cell(&table, facts, group,
                       "{most_along} {most_share:%}, most at {largest_at}[?kind=real:, exp({real_per_s} t)]");
    }
    text_table_add(&text, "  ", &table);
    text_table_free(&table);
    if (count == 0) text_add_string(&text, "  nothing can move\n");
    if (folder)
        text_add(&text, "\n  in %s: report.html, modes.json, mode-1.pvd ... (shapes for ParaView)\n", folder);
    return text_take(&text);
}

// ---- frames --------------------------------------------------------------------------------------
static MrcStatus modes_draw_shape(const Job *job, const char *path, double time, const Vec3 *shift,
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
static MrcStatus modes_draw_mode(const Job *job, size_t number, MrcError *error) {
    const Mode *mode = &job->list.modes.data[number];
    size_t nodes = (size_t)mechanism_node_count(job->part->mechanism);
    Vec3 *shift = memory_alloc((nodes + 1) * sizeof *shift), *turn = memory_alloc((nodes + 1) * sizeof *turn);
    VtkEntry entries[PHASES];
    char path[1100];
    MrcStatus status = shift && turn ? MRC_OK : error_memory(error, "a mode's frames");
    for (int p = 0; p < PHASES && status == MRC_OK; p++) {
        double _Complex phase = 0.1 * job->length * cexp(2 * PI * p / PHASES * _Complex_I);
        for (size_t n = 0; n < nodes; n++) {
            const double _Complex *s = &mode->shape[6 * n];
            shift[n] = vec3(creal(phase * s[0]), creal(phase * s[1]), creal(phase * s[2]));
            turn[n] = vec3(creal(phase * s[3]), creal(phase * s[4]), creal(phase * s[5]));
        }
        const char *file = arena_printf(job->arena, "modes/mode-%zu-%02d.vtp", number + 1, p);
        if (!file) status = error_memory(error, "a mode's frames");
        if (!file) break;
        entries[p] = (VtkEntry){.time = (double)p / PHASES, .file = file};
        snprintf(path, sizeof path, "%s/%s", job->options->folder, file);
        status = modes_draw_shape(job, path, entries[p].time, shift, turn, error);
    }
    snprintf(path, sizeof path, "%s/mode-%zu.pvd", job->options->folder, number + 1);
    if (status == MRC_OK) status = vtk_write_collection(path, entries, PHASES, error);
    memory_free(shift);
    memory_free(turn);
    return status;
}

// ---- shapes for the page -------------------------------------------------------------------------
static void modes_add_points(Json *json, const char *key, const Vec3 *points, size_t count) {
    json_key(json, key);
    json_array_begin(json);
    for (size_t i = 0; i < count; i++) {
        const double place[3] = {points[i].x, points[i].y, points[i].z};
        json_numbers(json, place, 3);
    }
    json_array_end(json);
}

static void modes_add_indices(Json *json, const char *key, const int *indices, size_t count) {
    json_key(json, key);
    json_array_begin(json);
    for (size_t i = 0; i < count; i++) json_integer(json, indices[i]);
    json_array_end(json);
}

// The figure of the mechanism displaced by the real or the imaginary part of a shape; `number` -1: at rest. The displacement
// is made small, so that rotations are linear, and is scaled back: a tenth of the mechanism's size at most.
static MrcStatus modes_add_figure(const Job *job, Json *json, int number, bool imaginary, MrcError *error) {
    const double small = 1e-4;
    size_t nodes = (size_t)mechanism_node_count(job->part->mechanism);
    Arena *arena = arena_create();
    FrameList list = {.arena = arena};
    Vec3 *shift = arena ? arena_alloc(arena, (nodes + 1) * sizeof *shift) : NULL;
    Vec3 *turn = shift ? arena_alloc(arena, (nodes + 1) * sizeof *turn) : NULL;
    if (!turn) {
        if (arena) arena_destroy(arena);
        return error_memory(error, "the shape of a mode");
    }
    for (size_t n = 0; n < nodes; n++) {
        double part[6] = {0};
        for (size_t k = 0; k < 6 && number >= 0; k++) {
            double _Complex s = small * 0.1 * job->length * job->list.modes.data[number].shape[6 * n + k];
            part[k] = imaginary ? cimag(s) : creal(s);
        }
        shift[n] = vec3(part[0], part[1], part[2]);
        turn[n] = vec3(part[3], part[4], part[5]);
    }
    MrcStatus status = mechanism_partner_shape(job->part, shift, turn, &list, error);
    if (status == MRC_OK) {
        const FramePart *part = &list.parts.data[0];
        Vec3 *moved = arena_alloc(arena, (part->count + 1) * sizeof *moved);
        for (size_t i = 0; moved && i < part->count; i++)
            moved[i] = vec3_scale(1 / small, part->values[0].vectors[i]);
        if (number < 0) {
            modes_add_points(json, "points", part->places, part->count);
            modes_add_indices(json, "corners", part->corners, part->corner_count);
            modes_add_indices(json, "ends", part->ends, part->end_count);
            modes_add_indices(json, "marks", part->marks, part->mark_count);
        } else if (moved) modes_add_points(json, imaginary ? "imaginary" : "real", moved, part->count);
        if (!moved) status = error_memory(error, "the shape of a mode");
    }
    frame_list_free(&list);
    arena_destroy(arena);
    return status;
}

// shapes.json: {"points", "corners", "ends", "marks", "modes": [{"real", "imaginary"}]}
static MrcStatus modes_write_shapes(const Job *job, const char *path, MrcError *error) {
    Json json = {0};
    json_object_begin(&json);
    MrcStatus status = modes_add_figure(job, &json, -1, false, error);
    json_key(&json, "modes");
    json_array_begin(&json);
    for (size_t k = 0; k < job->list.modes.count && status == MRC_OK; k++) {
        json_object_begin(&json);
        status = modes_add_figure(job, &json, (int)k, false, error);
        if (status == MRC_OK) status = modes_add_figure(job, &json, (int)k, true, error);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    FileWriter writer;
    const char *text = status == MRC_OK ? json_text(&json) : NULL;
    if (status == MRC_OK) status = text ? file_open(&writer, path, error) : error_memory(error, "the shapes");
    if (status == MRC_OK) {
        fputs(text, writer.stream);
        status = file_commit(&writer, error);
    }
    json_free(&json);
    return status;
}

// ---- the folder ----------------------------------------------------------------------------------
static MrcStatus modes_write_folder(const Job *job, const char *json, const char *report, MrcError *error) {
    char path[1100];
    const char *folder = job->options->folder;
    const PageItem items[] = {{"report", report, true}};
    FolderLock lock = {.file = -1};
    FileWriter writer;
    if (*folder == '\0' || strlen(folder) > 700)
        return error_set(error, MRC_FOLDER, "its name is %s", *folder ? "too long" : "empty");
    if (file_make_folder(folder, error) != MRC_OK) return error->status = MRC_FOLDER;
    MrcStatus status = folder_lock(&lock, folder, error);
    snprintf(path, sizeof path, "%s/modes", folder);
    if (status == MRC_OK) status = file_make_part(path, error);
    for (size_t k = 0; k < job->list.modes.count && status == MRC_OK; k++)
        status = modes_draw_mode(job, k, error);
    snprintf(path, sizeof path, "%s/modes.json", folder);
    if (status == MRC_OK) status = file_open(&writer, path, error);
    if (status == MRC_OK) {
        fputs(json, writer.stream);
        status = file_commit(&writer, error);
    }
    snprintf(path, sizeof path, "%s/shapes.json", folder);
    if (status == MRC_OK) status = modes_write_shapes(job, path, error);
    if (status == MRC_OK) status = page_write_report(folder, items, 1, error);
    folder_unlock(&lock);
    return status;
}

// ---- the whole -----------------------------------------------------------------------------------
// The diagonal of the box around all nodes and joints; 1 m for a single point.
static double modes_mechanism_size(const MechanismPartner *part) {
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

static void modes_warn_of_start(Job *job) {
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

// Containers that are fixed to the mechanism vibrate with it; others have motions of their own, which are not part of
// its modes.
static void modes_warn_of_containers(Job *job) {
    const SimDefinition *d = job->definition;
    for (int p = 0; p < d->port_count; p++)
        if (carried_has_container(&d->ports[p]) && !carried_is_fixed(&d->ports[p]))
            log_warning(&job->log,
                        "port '%s': its container of %.4g kg moves on its own and is left out of the modes; "
                        "make it a body of the mechanism to have it in them",
                        d->ports[p].name, d->ports[p].container.mass);
}

static MrcStatus modes_find_modes(Job *job, MrcModes *modes, MrcError *error) {
    int count = job->options->count > 0 ? job->options->count : 10;
    MechanismSetting setting = {.materials = job->definition->materials,
                                .material_count = job->definition->material_count,
                                .gravity = job->definition->gravity,
                                .log = &job->log};
    const MechanismDefinition *whole = carried_with_all(job->definition, job->arena);
    MrcStatus status = whole ? mechanism_partner_create(whole, &setting, job->arena, &job->part, error)
                             : error_memory(error, "the modes");
    if (status == MRC_OK &&
        names_list(job->part->definition, job->arena, &job->names) != job->part->named_count)
        status = error_memory(error, "the modes");
    if (status == MRC_OK) status = mechanism_linearize(job->part->mechanism, &job->linear, error);
    if (status != MRC_OK) return status;
    modes_warn_of_start(job);
    modes_warn_of_containers(job);
    job->length = modes_mechanism_size(job->part);
    status = modes_find(&job->linear, count, job->length, &job->list, error);
    if (status != MRC_OK) return status;
    modes->count = (int)job->list.modes.count;
    modes->modes = calloc(job->list.modes.count + 1, sizeof *modes->modes);
    modes->facts = modes_facts(job);
    if (modes->facts) modes->json = json_of_facts(&modes->facts->list);
    if (modes->json) modes->report = modes_report(&modes->facts->list, job->options->folder);
    if (!modes->modes || !modes->report) return error_memory(error, "the modes");
    for (int k = 0; k < modes->count; k++) modes->modes[k] = modes_public_mode(&job->list.modes.data[k]);
    return job->options->folder ? modes_write_folder(job, modes->json, modes->report, error) : MRC_OK;
}

MrcStatus mrc_modes(const MrcModel *model, const MrcModesOptions *options, MrcModes *modes, MrcError *error) {
    MrcError own;
    if (!error) error = &own;
    *modes = (MrcModes){0};
    if (mrc_model_status(model) != MRC_OK)
        return error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    Job job = {.definition = model_definition(model), .options = options, .arena = arena_create()};
    job.log = (Log){modes_pass_message, &job};
    if (!job.arena) return error_memory(error, "the modes");
    MrcStatus status =
        job.definition->has_mechanism
            ? modes_find_modes(&job, modes, error)
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
    mrc_facts_free(modes->facts);
    mrc_text_free(modes->report);
    mrc_text_free(modes->json);
    *modes = (MrcModes){0};
}
