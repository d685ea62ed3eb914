#include "model/check.h"
#include "sim/derived.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "grains/grains.h"
#include "grains/periodic.h"
#include "math/inertia.h"
#include "mechanism/names.h"
#include "mechanism/part_type.h"
#include "sim/carried.h"
#include "sim/resolve.h"
#include "sim/sim.h"

// ---- names ---------------------------------------------------------------------------------------
// The mapping at a dotted path, or NULL.
static const YamlNode *check_find_mapping(const YamlNode *root, const char *path, size_t length) {
    const YamlNode *node = root;
    for (size_t start = 0; node && start < length;) {
        char key[64];
        size_t end = start;
        while (end < length && path[end] != '.') end++;
        snprintf(key, sizeof key, "%.*s", (int)(end - start), path + start);
        node = yaml_get(node, key);
        start = end + 1;
    }
    return node && node->kind == YAML_MAPPING ? node : NULL;
}

static void check_reference(Loader *loader, const SimDefinition *definition, const Reference *reference) {
    const SchemaKey *key = reference->key;
    const char *paths = key->refers ? key->refers : "", *name = reference->name;
    ARRAY(const char *) known = {0};
    size_t length;
    bool nodes_too = key->nodes || key->signals;
    bool found = nodes_too && names_has_node(&definition->mechanism, name);
    for (const char *path; (path = schema_next_word(&paths, &length));) {
        const YamlNode *mapping = check_find_mapping(loader->root, path, length);
        found = found || yaml_find(mapping, name);
        for (size_t i = 0; !found && mapping && i < mapping->count; i++)
            if (!array_push(&known, mapping->pairs[i].key->text)) diagnostics_memory(loader->diagnostics);
    }
    NodeName *nodes = NULL;
    size_t node_count = !found && nodes_too ? names_list(&definition->mechanism, loader->arena, &nodes) : 0;
    for (size_t i = 0; i < node_count; i++)
        if (!array_push(&known, nodes[i].name)) diagnostics_memory(loader->diagnostics);
    if (!found) {
        char shown[64], where[128] = "", list[256] = "; nothing is defined there";
        snprintf(shown, sizeof shown, "%s", name);
        const char *nearest = nearest_word(name, strlen(name), known.data, known.count);
        size_t used = 0;
        for (size_t i = 0; i < known.count && i < 8 && used < sizeof list; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "; it has ",
                                     known.data[i]);
        if (nearest) snprintf(list, sizeof list, "; did you mean '%s'?", nearest);
        if (key->refers) snprintf(where, sizeof where, "not in '%s'", key->refers);
        nodes_too = nodes_too && (definition->has_mechanism || !key->refers);
        diagnostics_error(loader->diagnostics, reference->node->place, "'%s' %s '%s', which is %s%s%s%s",
                          key->key, key->signals ? "uses" : "is", shown, where,
                          key->refers && nodes_too ? " and " : "",
                          nodes_too ? "no node of the mechanism" : "", list);
    }
    array_free(&known);
}

// Names are the first part of signals, so no two things may share one.
typedef struct NamedThing {
    const char *const *name; // its place is known by this address
    const char *what;
} NamedThing;

typedef ARRAY(NamedThing) NamedThings;

static void check_add_things(Loader *loader, NamedThings *things, const void *first, int count, size_t size,
                             size_t name_offset, const char *what) {
    for (int i = 0; i < count; i++) {
        const char *const *name = (const void *)((const char *)first + (size_t)i * size + name_offset);
        if (!array_push(things, (NamedThing){name, what})) diagnostics_memory(loader->diagnostics);
    }
}
#define ADD_THINGS(loader, things, type, list, count, what)                                                  \
    check_add_things((loader), (things), (list), (count), sizeof(type), offsetof(type, name), (what))

static int check_compare_things(const void *left, const void *right) {
    const NamedThing *a = left, *b = right;
    int order = strcmp(*a->name, *b->name);
    return order ? order : a->name < b->name ? -1 : a->name > b->name;
}

static void check_names(Loader *loader, const SimDefinition *d) {
    const MechanismDefinition *m = &d->mechanism;
    NamedThings things = {0};
    ADD_THINGS(loader, &things, InputDefinition, d->inputs, d->input_count, "an input");
    ADD_THINGS(loader, &things, PortDefinition, d->ports, d->port_count, "a port");
    ADD_THINGS(loader, &things, GrainsDefinition, d->grains, d->grains_count, "a bed of grains");
    ADD_THINGS(loader, &things, InletDefinition, d->flow.inlets, d->flow.inlet_count, "an inlet");
    ADD_THINGS(loader, &things, OutletDefinition, d->flow.outlets, d->flow.outlet_count, "an outlet");
    ADD_THINGS(loader, &things, MeterDefinition, d->flow.meters, d->flow.meter_count, "a meter");
    ADD_THINGS(loader, &things, StopDefinition, d->stops.items, d->stops.count, "a stop");
    ADD_THINGS(loader, &things, NodeDefinition, m->nodes, m->node_count, "a node");
    ADD_THINGS(loader, &things, BodyDefinition, m->bodies, m->body_count, "a body");
    ADD_THINGS(loader, &things, BeamDefinition, m->beams, m->beam_count, "a beam");
    ADD_THINGS(loader, &things, JointDefinition, m->joints, m->joint_count, "a joint");
    if (things.count > 1) qsort(things.data, things.count, sizeof *things.data, check_compare_things);
    for (size_t i = 0; i < things.count; i++) {
        const NamedThing *thing = &things.data[i], *twin = i > 0 ? thing - 1 : NULL;
        Place place = loader_place(loader, thing->name);
        if (strcmp(*thing->name, "energy") == 0)
            diagnostics_error(loader->diagnostics, place,
                              "'energy' is the name of the energy ledger; choose another");
        if (strcmp(*thing->name, "mechanism") == 0)
            diagnostics_error(loader->diagnostics, place,
                              "'mechanism' is the name of the mechanism as a whole; choose another");
        if (strcmp(*thing->name, "ground") == 0)
            diagnostics_error(loader->diagnostics, place,
                              "'ground' is what never moves; choose another name");
        if (!twin || strcmp(*thing->name, *twin->name) != 0) continue;
        Place first = loader_place(loader, twin->name);
        if (first.line > place.line) { // as people read
            const NamedThing *later = twin;
            twin = thing, thing = later;
            Place other = first;
            first = place, place = other;
        }
        diagnostics_error(loader->diagnostics, place,
                          "'%s' is the name of %s already (line %d); signals are named after these",
                          *thing->name, twin->what, first.line);
    }
    array_free(&things);
}

// ---- times ---------------------------------------------------------------------------------------
static void check_interval(Loader *loader, const char *what, const double *every, double step) {
    if (*every <= 0 || step <= 0 || *every >= step * (1 - 1e-9)) return;
    diagnostics_error(loader->diagnostics, loader_place(loader, every),
                      "'%s' is shorter than the time step: %g s, but the step is %g s", what, *every, step);
}

static void check_times(Loader *loader, const SimDefinition *definition) {
    const SimulateDefinition *simulate = &definition->simulate;
    if (simulate->step > 0 && simulate->duration > 0 && simulate->step > simulate->duration)
        diagnostics_error(loader->diagnostics, loader_place(loader, &simulate->step),
                          "'step' is longer than the whole simulation: %g s, but the duration is %g s",
                          simulate->step, simulate->duration);
    if (simulate->step > 0 && simulate->duration / simulate->step > 1e12)
        diagnostics_error(loader->diagnostics, loader_place(loader, &simulate->step),
                          "'step' divides the duration into %g steps, which no computer finishes",
                          simulate->duration / simulate->step);
    check_interval(loader, "record.every", &definition->record.every, simulate->step);
    check_interval(loader, "frames.every", &definition->frames_every, simulate->step);
    check_interval(loader, "checkpoint.every", &definition->checkpoint_every, simulate->step);
}

static void check_periods(Loader *loader, const SimDefinition *definition) {
    const PeriodsDefinition *periods = &definition->periods;
    const SimulateDefinition *simulate = &definition->simulate;
    if (!periods->port || loader->diagnostics->error_count > 0) return;
    if (!(periods->frequency > 0))
        diagnostics_error(loader->diagnostics, loader_place(loader, &periods->port),
                          "port '%s' has no period in %g s: give 'frequency'", periods->port,
                          simulate->duration);
    else if (!(1 / periods->frequency > 2 * simulate->step))
        diagnostics_error(loader->diagnostics, loader_place(loader, &periods->frequency),
                          "a period of %g s is not longer than two time steps of %g s",
                          1 / periods->frequency, simulate->step);
}

// ---- motions -------------------------------------------------------------------------------------
static void check_motion(Loader *loader, const char *what, const Expression *expression, double t,
                         Place place) {
    if (!expression) return;
    Jet jet = expression_jet(expression, (TimePoint){t, NULL});
    const char *wrong = !isfinite(jet.value)    ? ""
                        : !isfinite(jet.rate)   ? "the velocity of "
                        : !isfinite(jet.second) ? "the acceleration of "
                                                : NULL;
    if (wrong)
        diagnostics_error(loader->diagnostics, place, "%s'%s' is not finite at t = %g s", wrong, what, t);
}

static void check_container(Loader *loader, const PortDefinition *port);

// The equilibrium at the start is that of the mechanism, with the containers that are bodies of it in this scheme.
static void check_resting_container(Loader *loader, const SimDefinition *d, const PortDefinition *port) {
    bool rests = d->has_mechanism && d->mechanism.start == START_EQUILIBRIUM && vec3_norm2(d->gravity) > 0;
    if (!rests || !carried_has_container(port) || carried_by_mechanism(d, port)) return;
    diagnostics_warning(
        loader->diagnostics, loader_object_place(loader, &port->container),
        "'start: equilibrium' is found without the weight of the container of port '%s' "
        "(%.4g kg), which is on the grains' side here: the run begins with a jolt; give the mass to a "
        "body of the mechanism at that node instead",
        port->name, port->container.mass);
}

static void check_ports(Loader *loader, const SimDefinition *definition) {
    for (int i = 0; i < definition->port_count; i++) {
        const PortDefinition *port = &definition->ports[i];
        double ends[2] = {0, definition->simulate.duration};
        for (int k = 0; k < 2; k++) {
            for (int axis = 0; axis < 3; axis++)
                check_motion(loader, "position", port->position[axis], ends[k],
                             loader_place(loader, &port->position[axis]));
            check_motion(loader, "angle", port->angle, ends[k], loader_place(loader, &port->angle));
        }
        check_container(loader, port);
        check_resting_container(loader, definition, port);
    }
}

// ---- containers ------------------------------------------------------------------------------------
static void check_container(Loader *loader, const PortDefinition *port) {
    const ContainerDefinition *c = &port->container;
    Mat3 inertia = inertia_matrix(c->inertia);
    bool moves = c->slide_count > 0 || c->turn_count > 0, held = false;
    for (int k = 0; k < 3; k++) held = held || c->stiffness[k] > 0 || c->damping[k] > 0;
    Place place = loader_object_place(loader, c);
    if (c->mass > 0 && !(mat3_symmetric_eigen(inertia, NULL).x > 0))
        diagnostics_error(loader->diagnostics, place,
                          "a container with mass needs 'inertia', with moments above zero about every axis");
    if (!(c->mass > 0) && (moves || held))
        diagnostics_error(loader->diagnostics, place,
                          "a container without 'mass' cannot slide, turn or be held by springs of its own");
    if (c->load == LOAD_CONTACTS && (moves || held))
        diagnostics_error(
            loader->diagnostics, place,
            "'load: contacts' leaves a container's mass to the mechanism: it cannot slide, turn or be held "
            "by springs of its own");
    if (!port_is_prescribed(port) || !(c->mass > 0)) return;
    if (moves || held)
        diagnostics_error(loader->diagnostics, place,
                          "the motion of port '%s' is prescribed: its container cannot slide, turn or be "
                          "held by springs of "
                          "its own; give the port a 'node'",
                          port->name);
}

// ---- contacts -----------------------------------------------------------------------------------
// What the method and the laws of a bed ask for, and pairs of materials.
static void check_contact(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = sim_grains_setting(d);
    Findings findings = loader_findings(loader);
    grains_check(&(GrainsModel){grains, &setting, d->simulate.source == STEP_AUTO}, &findings);
}

// Warnings about coefficients and laws that have no effect; only for a model without errors.
static void check_effect(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = sim_grains_setting(d);
    Findings findings = loader_findings(loader);
    grains_check_effect(&(GrainsModel){grains, &setting, d->simulate.source == STEP_AUTO}, &findings);
}

static bool check_same_pair(const MaterialPair *a, const MaterialPair *b) {
    return (strcmp(a->first, b->first) == 0 && strcmp(a->second, b->second) == 0) ||
           (strcmp(a->first, b->second) == 0 && strcmp(a->second, b->first) == 0);
}

static void check_pairs(Loader *loader, const SimDefinition *d) {
    for (int i = 0; i < d->pair_count; i++) {
        const MaterialPair *pair = &d->pairs[i];
        if (!pair->first || !pair->second) continue;
        if (pair->friction < 0 && pair->restitution < 0 && pair->rolling_friction < 0 &&
            pair->spinning_friction < 0 && pair->cohesion < 0 && pair->adhesion < 0)
            diagnostics_error(loader->diagnostics, loader_place(loader, &pair->name),
                              "'%s' gives no coefficient: expected 'friction', 'restitution', "
                              "'rolling_friction', 'spinning_friction', 'cohesion' or 'adhesion'",
                              pair->name);
        for (int k = 0; k < i; k++) {
            if (!d->pairs[k].first || !d->pairs[k].second || !check_same_pair(pair, &d->pairs[k])) continue;
            diagnostics_error(
                loader->diagnostics, loader_place(loader, &pair->name),
                "'%s' is between '%s' and '%s' like '%s' (line %d); their coefficients are given once",
                pair->name, pair->first, pair->second, d->pairs[k].name,
                loader_place(loader, &d->pairs[k].name).line);
        }
    }
}

// ---- mechanism ----------------------------------------------------------------------------------
// The whole, and each part by its own check (src/mechanism/part_table.h).
static void check_part(const PartRow *row, const void *part, const PartCheck *check) {
    const PartType *type = row->type;
    if (type->ends) {
        const char *const *ends = (const char *const *)((const char *)part + type->ends);
        if (ends[0] && names_same_node(check->mechanism, ends[0], ends[1] ? ends[1] : "ground"))
            findings_error(check->findings, ends, "%s '%s' is between '%s' and itself", type->noun,
                           part_name(row, part), ends[0]);
    }
    if (type->check) type->check(part, check);
}

// What belongs to the relative form only, and what it cannot have.
static void check_formulation(const MechanismDefinition *m, const Findings *findings) {
    bool relative = m->formulation == FORMULATION_RELATIVE;
    if (relative && m->beam_count > 0)
        findings_error(
            findings, &m->formulation,
            "'formulation: relative' is for rigid bodies; the beam '%s' needs 'formulation: absolute'",
            m->beams[0].name);
    if (!relative && m->cut_count > 0)
        findings_error(findings, &m->cut,
                       "'cut' is for 'formulation: relative'; the absolute form has no tree");
    if (!relative && m->independent_count > 0)
        findings_error(
            findings, &m->independent,
            "'independent' is for 'formulation: relative'; the absolute form has no such coordinates");
    for (int i = 0; i < m->cut_count && relative; i++) {
        const char *names[64];
        size_t count = 0;
        bool found = false;
        for (int j = 0; j < m->joint_count; j++) {
            found = found || strcmp(m->joints[j].name, m->cut[i]) == 0;
            if (count < 64) names[count++] = m->joints[j].name;
        }
        const char *near = nearest_word(m->cut[i], strlen(m->cut[i]), names, count);
        if (!found)
            findings_error(findings, &m->cut, "'cut' names '%s', which is no joint of the mechanism%s%s%s",
                           m->cut[i], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

static void check_mechanism(Loader *loader, const SimDefinition *d) {
    const MechanismDefinition *m = &d->mechanism;
    if (!d->has_mechanism) return;
    if (m->body_count == 0 && m->beam_count == 0)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, m),
                          "the mechanism has neither 'bodies' nor 'beams': nothing in it can move");
    if (!(d->simulate.step > 0) && d->simulate.source == STEP_AUTO && d->grains_count == 0)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, &d->simulate),
                          "'simulate' lacks 'step': the step of a mechanism is not found automatically; a "
                          "twentieth of the shortest period that matters is a good start");
    if (names_node_count(m) > NAMES_NODES_MAX)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, m),
                          "the mechanism has %lld nodes; at most %d are simulated: take fewer 'elements'",
                          (long long)names_node_count(m), NAMES_NODES_MAX);
    Findings findings = loader_findings(loader);
    check_formulation(m, &findings);
    PartCheck check = {m, d->materials, d->material_count, d->simulate.duration, true, &findings};
    for (const PartRow *row = part_rows; row->type; row++)
        for (int i = 0; i < part_count(m, row); i++) {
            check.complete = loader->diagnostics->error_count == 0;
            check_part(row, part_at(m, row, i), &check);
        }
}

// ---- grains --------------------------------------------------------------------------------------
// A belt that was tilted while its velocity was not: of flat walls, only what is along the surface moves grains.
static void check_surface_velocity(const WallDefinition *wall, const Findings *findings) {
    static const char *const flat[][2] = {{"plane", "normal"}, {"plate", "axis"}, {"disc", "axis"}};
    double speed = vec3_norm(wall->surface_velocity);
    if (!(speed > 0) || !wall_is_prepared(&wall->shape)) return;
    for (size_t k = 0; k < sizeof flat / sizeof *flat; k++) {
        if (strcmp(wall_kind_name(&wall->shape), flat[k][0]) != 0) continue;
        double across = fabs(vec3_dot(wall->surface_velocity, wall_vector(&wall->shape, flat[k][1])));
        if (across > 1e-3 * speed)
            findings_warning(
                findings, &wall->surface_velocity,
                "'surface_velocity' of '%s' has %.3g m/s across the surface, which move nothing: "
                "along it the belt has %.4g m/s of %.4g",
                wall->name, across, sqrt(fmax(speed * speed - across * across, 0)), speed);
    }
}

static void check_grains(Loader *loader, const SimDefinition *definition) {
    if (!yaml_find(loader->root, "grains") && !yaml_find(loader->root, "mechanism") &&
        !yaml_find(loader->root, "partners"))
        diagnostics_error(loader->diagnostics, loader->root->place,
                          "there is nothing to simulate: the model has neither 'grains' nor a 'mechanism'");
    for (int i = 0; i < definition->grains_count; i++) {
        const GrainsDefinition *grains = &definition->grains[i];
        Findings findings = loader_findings(loader);
        check_contact(loader, definition, grains);
        for (int w = 0; w < grains->wall_count; w++) {
            wall_check(&grains->walls[w].shape, &findings);
            check_surface_velocity(&grains->walls[w], &findings);
        }
        check_particles(loader, definition, grains);
        periodic_check(grains, &findings);
    }
}

// ---- stops ---------------------------------------------------------------------------------------
static void check_stops(Loader *loader, const SimDefinition *d) {
    Findings findings = loader_findings(loader);
    for (int i = 0; i < d->stops.count; i++) {
        const StopDefinition *stop = &d->stops.items[i];
        if (stop->point_count == 0)
            findings_object_error(&findings, stop, "stop '%s' has no 'points'", stop->name);
        for (int w = 0; w < stop->wall_count; w++) {
            wall_check(&stop->walls[w].shape, &findings);
            if (stop->walls[w].port && stop->port && strcmp(stop->walls[w].port, stop->port) == 0)
                findings_error(&findings, &stop->walls[w].port,
                               "stop '%s': wall '%s' is on the port of the points, '%s', so they never meet",
                               stop->name, stop->walls[w].name, stop->port);
        }
    }
}

// ---- signals -------------------------------------------------------------------------------------
// The nearest signal to a misspelt one, or the nearest group.
static const char *check_nearest_signal(const char *asked, const Signal *names, size_t count) {
    const char **candidates = malloc((count + 1) * sizeof *candidates);
    if (!candidates) return NULL;
    for (size_t i = 0; i < count; i++) candidates[i] = names[i].name;
    const char *nearest = nearest_word(asked, strlen(asked), candidates, count);
    free(candidates);
    return nearest;
}

// "; signals begin with box, damper, energy"
static const char *check_first_parts(Arena *arena, const Signal *names, size_t count) {
    const char *text = "";
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < 8; i++) {
        size_t length = strcspn(names[i].name, ".");
        if (i > 0 && strncmp(names[i - 1].name, names[i].name, length + 1) == 0) continue;
        const char *more = arena_printf(arena, "%s%s%.*s", text, shown++ ? ", " : "; signals begin with ",
                                        (int)length, names[i].name);
        if (more) text = more;
    }
    return text;
}

static int check_compare_signals(const void *left, const void *right) {
    const Signal *a = left, *b = right;
    return strcmp(a->name, b->name);
}

// Two signals of one name: a kind of grains, a region or a wall part that is called as another one of these, or as what a bed
// has by itself, such as 'holdup'.
static void check_signal_names(Loader *loader, const SimDefinition *definition) {
    SignalList list = {.arena = loader->arena};
    sim_signals(definition, NULL, &list);
    Signal *all = list.signals.data;
    size_t count = list.signals.count;
    if (count > 1) qsort(all, count, sizeof *all, check_compare_signals);
    for (int g = 0; g < definition->grains_count; g++) {
        const char *bed = definition->grains[g].name;
        size_t length = strlen(bed);
        for (size_t k = 1; k < count; k++) {
            if (strcmp(all[k].name, all[k - 1].name) != 0 || strncmp(all[k].name, bed, length) != 0 ||
                all[k].name[length] != '.')
                continue;
            const char *part = all[k].name + length + 1;
            diagnostics_error(loader->diagnostics, loader_place(loader, &definition->grains[g].name),
                              "'%s' has two signals '%s': two of its kinds of grains, regions and walls are "
                              "called '%.*s', or one as what every bed has; choose another name",
                              bed, all[k].name, (int)strcspn(part, "."), part);
            break;
        }
    }
    signal_list_free(&list);
}

static void check_series(Loader *loader, const SimDefinition *definition) {
    const RecordDefinition *record = &definition->record;
    if (record->series_count == 0) return;
    SignalList list = {.arena = loader->arena};
    sim_signals(definition, NULL, &list);
    const Signal *names = list.signals.data;
    size_t count = list.signals.count;
    for (int i = 0; i < record->series_count; i++) {
        const char *asked = record->series[i];
        bool known = false;
        for (size_t k = 0; k < count && !known; k++) known = signal_matches(names[k].name, asked);
        if (known) continue;
        Place place = loader_place(loader, &record->series[i]);
        const char *nearest = check_nearest_signal(asked, names, count);
        if (nearest)
            diagnostics_error(loader->diagnostics, place, "there is no signal '%.60s'; did you mean '%s'?",
                              asked, nearest);
        else
            diagnostics_error(loader->diagnostics, place, "there is no signal '%.60s'%s", asked,
                              check_first_parts(loader->arena, names, count));
    }
    signal_list_free(&list);
}

// Formulas of signals: each may use all signals, and derived ones before it.
static void check_derived(Loader *loader, const SimDefinition *definition) {
    const RecordDefinition *record = &definition->record;
    for (int k = 0; k < record->derived_count; k++) {
        const DerivedDefinition *derived = &record->derived[k];
        SimDefinition before = *definition;
        SignalList list = {.arena = loader->arena};
        ExpressionError error;
        if (!derived->formula) continue;
        const char *meaning = expression_word_meaning(derived->name);
        if (meaning)
            diagnostics_error(loader->diagnostics, loader_place(loader, &derived->name),
                              "'%s' cannot name a signal: in formulas it is %s; choose another name",
                              derived->name, meaning);
        loader_note_constants(loader, derived->formula);
        before.record.derived_count = k;
        sim_signals(&before, NULL, &list);
        for (size_t s = 0; s < list.signals.count; s++)
            if (strcmp(list.signals.data[s].name, derived->name) == 0)
                diagnostics_error(loader->diagnostics, loader_place(loader, &derived->formula),
                                  "there is a signal '%s' already; choose another name", derived->name);
        if (!derived_compile(record, k, &list, loader->arena, &error))
            diagnostics_error(loader->diagnostics, loader_place(loader, &derived->formula),
                              "'%s': %s; 'maraca signals' lists the signals", derived->name, error.text);
        signal_list_free(&list);
    }
}

void check_model(Loader *loader, const SimDefinition *definition) {
    if (loader->root->kind != YAML_MAPPING) return;
    for (size_t i = 0; i < loader->references.count; i++)
        check_reference(loader, definition, &loader->references.data[i]);
    check_names(loader, definition);
    check_pairs(loader, definition);
    check_times(loader, definition);
    check_periods(loader, definition);
    check_ports(loader, definition);
    check_mechanism(loader, definition);
    check_grains(loader, definition);
    check_stops(loader, definition);
    check_flow(loader, definition);
    // Misspelt names elsewhere would be reported a second time as unknown signals.
    if (loader->diagnostics->error_count == 0) check_signal_names(loader, definition);
    if (loader->diagnostics->error_count == 0) check_derived(loader, definition);
    if (loader->diagnostics->error_count == 0) check_series(loader, definition);
    if (loader->diagnostics->error_count == 0) check_rooms(loader, definition);
    check_inputs(loader, definition);
    if (loader->diagnostics->error_count == 0) check_unused(loader, definition);
    for (int i = 0; i < definition->grains_count && loader->diagnostics->error_count == 0; i++)
        check_effect(loader, definition, &definition->grains[i]);
}
