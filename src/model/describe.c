#include "model/describe.h"

#include <math.h>

#include "base/quantity.h"
#include "base/text.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/packing.h"
#include "grains/periodic.h"
#include "math/human.h"
#include "mechanism/part_type.h"
#include "model/footprint.h"
#include "sim/recorder.h"
#include "sim/resolve.h"

enum {
    SHOWN_MAX = 20,      // of each kind described; the rest is counted
    SAMPLE_COUNT = 2000, // of a motion, to find how far it goes
};

// ---- inputs -------------------------------------------------------------------------------------
static void describe_table(Text *text, const InputDefinition *input) {
    const Table *table = input->table;
    static const char *const ways[] = {[TABLE_LINEAR] = "linear", [TABLE_CUBIC] = "cubic"};
    static const char *const outsides[] = {
        [TABLE_HOLD] = "held outside", [TABLE_REPEAT] = "repeated", [TABLE_REFUSE] = "nothing outside"};
    double least = table->last_value, largest = table->last_value;
    for (size_t i = 0; i + 1 < table->count; i++) {
        least = fmin(least, table->pieces[i].value);
        largest = fmax(largest, table->pieces[i].value);
    }
    human_add(text, least, input->dimension);
    text_add_string(text, " to ");
    human_add(text, largest, input->dimension);
    text_add(text, " by column %s of %s (", input->column ? input->column : input->name, input->path);
    human_add_count(text, (double)table->count);
    text_add_string(text, " lines from ");
    human_add(text, table_first_time(table), DIM_TIME);
    text_add_string(text, " to ");
    human_add(text, table_last_time(table), DIM_TIME);
    text_add(text, ", %s, %s)", ways[table->interpolation], outsides[table->outside]);
}

// In the unit that the model gives it, where that is not that of the quantity: kg/s is also N*s/m.
static void describe_input_value(Text *text, const InputDefinition *input) {
    ExpressionError error;
    Units units = {.factor = 1};
    if (input->unit && expression_units(input->unit, &units, &error) && units.factor == 1 &&
        strcmp(input->unit, "1") != 0)
        text_add(text, "%.4g %s", input->fallback, input->unit);
    else human_add(text, input->fallback, input->dimension);
}

static void describe_inputs(Text *text, const SimDefinition *definition) {
    for (int i = 0; i < definition->input_count && i < SHOWN_MAX; i++) {
        const InputDefinition *input = &definition->inputs[i];
        text_add(text, "Input %s: ", input->name);
        if (input->table) describe_table(text, input);
        else describe_input_value(text, input);
        text_add_string(text, ", until it is set.\n");
    }
    if (definition->input_count > SHOWN_MAX)
        text_add(text, "And %d more inputs.\n", definition->input_count - SHOWN_MAX);
}

// ---- mechanism ----------------------------------------------------------------------------------
// Each part describes itself (src/mechanism/part_table.h).
// PartContext.written: the value of mechanism.LIST.NAME.KEY.
static const char *describe_written(const void *file, const char *list, const char *name, const char *key) {
    const YamlNode *mechanism = yaml_get(file, "mechanism");
    const YamlNode *map = mechanism ? yaml_get(mechanism, list) : NULL;
    const YamlNode *part = map ? yaml_get(map, name) : NULL;
    const YamlNode *value = part ? yaml_get(part, key) : NULL;
    return value && value->kind == YAML_SCALAR ? value->text : NULL;
}

static void describe_list(Text *text, const char *before, const char **names, int count) {
    for (int i = 0; i < count; i++) text_add(text, "%s%s", i ? ", " : before, names[i]);
}

static void describe_mechanism(Text *text, const SimDefinition *d, const YamlNode *tree) {
    const MechanismDefinition *m = &d->mechanism;
    PartContext context = {d->materials, d->material_count, describe_written, tree};
    if (!d->has_mechanism) return;
    for (const PartRow *row = part_rows; row->type; row++) {
        int count = part_count(m, row);
        if (!row->type->describe) continue;
        for (int i = 0; i < count && i < SHOWN_MAX; i++)
            row->type->describe(part_at(m, row, i), &context, text);
        if (count > SHOWN_MAX) text_add(text, "And %d more %s.\n", count - SHOWN_MAX, row->type->plural);
    }
    if (m->formulation == FORMULATION_RELATIVE) {
        text_add_string(text, "The mechanism is computed in relative coordinates");
        describe_list(text, ", its loops cut at ", m->cut, m->cut_count);
        describe_list(text, ", independent: ", m->independent, m->independent_count);
        text_add_string(text, ".\n");
    }
    text_add(text, "The mechanism starts %s; rho_inf is %.4g.\n",
             m->start == START_EQUILIBRIUM ? "in its static equilibrium" : "as it is written",
             m->integrator.rho_inf);
}

// ---- ports ---------------------------------------------------------------------------------------
// How far a motion goes and how hard it shakes.
typedef struct Extent {
    double low, high, fastest, hardest;
} Extent;

static Extent describe_extent(const Expression *expression, double duration) {
    Extent extent = {.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i <= 2 * SAMPLE_COUNT;
         i++) { // the second half at instants that no period follows: shaking.c
        double at = i <= SAMPLE_COUNT ? i : fmod(i * 0.61803398874989484820, 1) * SAMPLE_COUNT;
        Jet jet = expression_jet(expression, (TimePoint){duration * at / SAMPLE_COUNT, NULL});
        extent.low = fmin(extent.low, jet.value);
        extent.high = fmax(extent.high, jet.value);
        extent.fastest = fmax(extent.fastest, fabs(jet.rate));
        extent.hardest = fmax(extent.hardest, fabs(jet.second));
    }
    return extent;
}

static void describe_motion(Text *text, const char *name, const char *how, const char *written,
                            const Expression *expression, Dimension dimension, double duration) {
    Extent extent = describe_extent(expression, duration);
    text_add(text, "Port %s %s", name, how);
    if (written) text_add(text, " as %s", written);
    text_add_string(text, ": from ");
    human_add(text, extent.low, dimension);
    text_add_string(text, " to ");
    human_add(text, extent.high, dimension);
    text_add_string(text, ", at most ");
    human_add(text, extent.fastest, dimension_div(dimension, DIM_TIME));
    text_add_string(text, " and ");
    human_add(text, extent.hardest, dimension_div(dimension_div(dimension, DIM_TIME), DIM_TIME));
    text_add_string(text, ".\n");
}

static void describe_port(Text *text, const PortDefinition *port, const YamlNode *tree, double duration) {
    const YamlNode *written = yaml_get(yaml_get(tree, "ports"), port->name);
    const YamlNode *position = yaml_get(written, "position"), *rotation = yaml_get(written, "rotation");
    bool moves = false;
    for (int axis = 0; axis < 3; axis++) {
        if (expression_is_constant(port->position[axis])) continue;
        const char *const ways[] = {"moves along x", "moves along y", "moves along z"};
        bool list = position && position->kind == YAML_SEQUENCE && position->items[axis]->kind == YAML_SCALAR;
        describe_motion(text, port->name, ways[axis], list ? position->items[axis]->text : NULL,
                        port->position[axis], DIM_LENGTH, duration);
        moves = true;
    }
    if (!expression_is_constant(port->angle)) {
        const YamlNode *angle = yaml_get(rotation, "angle");
        describe_motion(text, port->name, "turns", angle && angle->kind == YAML_SCALAR ? angle->text : NULL,
                        port->angle, DIM_ANGLE, duration);
        moves = true;
    }
    if (port->node) {
        text_add(text, "Port %s rides on %s of the mechanism", port->name, port->node);
        if (port->container.mass > 0) {
            text_add_string(text, ", with a container of ");
            human_add(text, port->container.mass, DIM_MASS);
            text_add_string(text, " on the grains' side");
        }
        text_add_string(text, ".\n");
    } else if (port->partner)
        text_add(text, "Port %s is moved by the partner %s.\n", port->name, port->partner);
    else if (!moves) text_add(text, "Port %s does not move.\n", port->name);
}

// ---- grains --------------------------------------------------------------------------------------
static void describe_contact(Text *text, const SimDefinition *d, const GrainsDefinition *grains) {
    GrainsSetting setting = sim_grains_setting(d);
    grains_describe_contacts(&(GrainsModel){.grains = grains, .setting = &setting}, text);
}

static void describe_wall(Text *text, const WallDefinition *wall) {
    wall_describe(&wall->shape, text);
    if (wall->material) text_add(text, " of %s", wall->material);
    if (wall->port) text_add(text, " on port %s", wall->port);
}

static void describe_sizes(Text *text, const ParticlesDefinition *particles, const SizeTable *table) {
    const SizesDefinition *s = &particles->sizes;
    double least, largest;
    grain_sizes_range(table, &least, &largest);
    if (grain_sizes_are_equal(particles) || least == largest) {
        text_add_string(text, "of radius ");
        human_add(text, largest, DIM_LENGTH);
        return;
    }
    text_add_string(text, "with radii from ");
    human_add(text, least, DIM_LENGTH);
    text_add_string(text, " to ");
    human_add(text, largest, DIM_LENGTH);
    text_add_string(text, ", ");
    if (particles->bed) text_add_string(text, "as the file says, ");
    else if (s->uniform.to > 0) text_add_string(text, "all equally frequent, ");
    else if (s->normal.mean > 0) text_add_string(text, "normally distributed, ");
    else if (s->lognormal.median > 0) text_add_string(text, "lognormally distributed, ");
    else if (s->classes) text_add(text, "in %d classes, ", s->class_count);
    else if (s->sieve) text_add(text, "by a sieve curve of %d points, ", s->sieve_count);
    text_add_string(text, "on average ");
    human_add(text, grain_sizes_moment(table, 1), DIM_LENGTH);
    text_add_string(text, ",");
}

static void describe_kind(Text *text, const SimDefinition *definition, const GrainsDefinition *grains) {
    const ParticlesDefinition *particles = &grains->particles;
    const Material *material =
        material_by_name(definition->materials, definition->material_count, particles->material);
    SizeTable table;
    size_t count = 0;
    if (!material || packing_count(grains, material->density, &count, NULL) != MRC_OK) return;
    if (grain_sizes_create(&table, particles, NULL) != MRC_OK) return;
    bool about = !grain_sizes_are_equal(particles) && particles->count == 0 && !particles->bed;
    double mass = (double)count * sphere_volume(1) * grain_sizes_moment(&table, 3) * material->density *
                  forms_volume_factor(particles);
    text_add_string(text, about && count > 0 ? "about " : "");
    if (count > 0) human_add_count(text, (double)count);
    else text_add_string(text, "none at the start, later");
    text_add_string(text, " ");
    forms_describe(particles, count != 1, text);
    text_add_string(text, " ");
    describe_sizes(text, particles, &table);
    text_add(text, " of %s", particles->material);
    if (count > 0) {
        text_add_string(text, " (");
        human_add(text, mass, DIM_MASS);
        text_add_string(text, " in all)");
    }
    grain_sizes_free(&table);
}

static void describe_particles(Text *text, const SimDefinition *definition, const GrainsDefinition *grains) {
    int kinds = grains_kind_count(grains);
    text_add(text, "Grains %s: ", grains->name);
    for (int k = 0; k < kinds && k < SHOWN_MAX; k++) {
        const GrainsDefinition one = grains_of_kind(grains, k);
        if (k > 0) text_add_string(text, k + 1 == kinds ? " and " : ", ");
        describe_kind(text, definition, &one);
    }
    if (kinds > SHOWN_MAX) text_add(text, " and %d more kinds", kinds - SHOWN_MAX);
    text_add_string(text, " in ");
}

static void describe_periodic(Text *text, const GrainsDefinition *grains) {
    const Motion rest = motion_at_rest();
    const Periodic periodic = periodic_of_bed(grains, &rest);
    int shown = 0;
    for (int k = 0; k < 3; k++) {
        if (!periodic.along[k]) continue;
        text_add(text, "%s%c (", shown++ == 0 ? ", periodic along " : " and ", 'x' + k);
        human_add(text, periodic.length[k], DIM_LENGTH);
        text_add_string(text, ")");
    }
}

static bool describe_has_wall_on_ground(const GrainsDefinition *grains) {
    for (int i = 0; i < grains->wall_count; i++)
        if (!grains->walls[i].port) return true;
    return grains->wall_count == 0;
}

static void describe_grains(Text *text, const SimDefinition *definition, const GrainsDefinition *grains) {
    describe_particles(text, definition, grains);
    for (int i = 0; i < grains->wall_count && i < SHOWN_MAX; i++) {
        if (i > 0) text_add_string(text, i + 1 == grains->wall_count ? " and " : ", ");
        describe_wall(text, &grains->walls[i]);
    }
    if (grains->wall_count > SHOWN_MAX) text_add(text, " and %d more walls", grains->wall_count - SHOWN_MAX);
    if (grains->port) text_add(text, ", carried by port %s", grains->port);
    else if (describe_has_wall_on_ground(grains)) text_add_string(text, ", fixed to the ground");
    describe_periodic(text, grains);
    if (!grains->fed || grains->particles.count > 0 || grains->particles.total_mass > 0 ||
        grains->particles.filling > 0 || grains->bed) {
        text_add_string(text, "; at the start ");
        packing_describe(&grains->packing, text);
    }
    text_add_string(text, ".\n");
    describe_contact(text, definition, grains);
}

// ---- what comes and leaves -----------------------------------------------------------------------
static void describe_flow(Text *text, const FlowDefinition *flow) {
    for (int k = 0; k < flow->inlet_count && k < SHOWN_MAX; k++) {
        const InletDefinition *inlet = &flow->inlets[k];
        text_add(text, "Inlet %s: grains come into %s in ", inlet->name, inlet->bed);
        wall_describe(&inlet->region.shape, text);
        const Expression *rate = inlet->rate ? inlet->rate : inlet->count;
        char shown[QUANTITY_SIZE];
        if (rate && expression_is_constant(rate)) {
            double value = expression_value(rate, (TimePoint){0, NULL}, NULL);
            if (inlet->rate) text_add(text, ", %s", quantity_text(shown, value, "kg/s", 4));
            else text_add(text, ", %.4g per second", value);
        } else if (rate)
            text_add(text, ", %s that changes with time", inlet->rate ? "a rate" : "a number per second");
        if (inlet->from > 0) text_add(text, ", from %s", quantity_text(shown, inlet->from, "s", 4));
        if (isfinite(inlet->until)) text_add(text, ", until %s", quantity_text(shown, inlet->until, "s", 4));
        if (inlet->total_mass > 0)
            text_add(text, ", %s at most", quantity_text(shown, inlet->total_mass, "kg", 4));
        if (inlet->total_count > 0) text_add(text, ", %lld grains at most", (long long)inlet->total_count);
        text_add_string(text, ".\n");
    }
    for (int k = 0; k < flow->outlet_count && k < SHOWN_MAX; k++) {
        const OutletDefinition *outlet = &flow->outlets[k];
        text_add(text, "Outlet %s: grains of %s leave %s", outlet->name, outlet->bed,
                 outlet->by_plane ? "beyond a plane" : "in ");
        if (!outlet->by_plane) wall_describe(&outlet->region.shape, text);
        text_add_string(text, ".\n");
    }
    for (int k = 0; k < flow->meter_count && k < SHOWN_MAX; k++)
        text_add(text, "Meter %s: counts grains of %s %s.\n", flow->meters[k].name, flow->meters[k].bed,
                 flow->meters[k].by_plane ? "that cross a plane" : "in a box");
}

// ---- the run -------------------------------------------------------------------------------------
// Why the automatic step is what it is.
static void describe_step(Text *text, const SimDefinition *d) {
    GrainsSteps least = {.suggested = INFINITY}, steps;
    for (int g = 0; g < d->grains_count; g++)
        if (sim_steps(d, &d->grains[g], &steps) && steps.suggested < least.suggested) least = steps;
    if (!isfinite(least.suggested)) return;
    text_add(text, " (automatic: %.3g of ", least.factor[least.governing]);
    human_add(text, least.limit[least.governing], DIM_TIME);
    text_add(text, ", %s)",
             least.governing == STEP_BY_CONTACT  ? "the shortest contact"
             : least.governing == STEP_BY_MOTION ? "in which a grain moves by its radius"
                                                 : time_steps_criterion_words(least.governing));
}

static void describe_periods(Text *text, const SimDefinition *definition) {
    const PeriodsDefinition *periods = &definition->periods;
    if (!periods->port) return;
    text_add(text, ".\nMeasures what each period of port %s dissipates, at ", periods->port);
    human_add(text, periods->frequency, DIM_FREQUENCY);
    if (periods->skip > 0) text_add(text, ", without the first %lld", (long long)periods->skip);
}

static void describe_run(Text *text, const SimDefinition *definition) {
    const SimulateDefinition *simulate = &definition->simulate;
    double steps = (double)simulate_steps(simulate);
    double every = fmax(record_every(definition), simulate->step);
    text_add_string(text, "Simulates ");
    human_add(text, simulate->duration, DIM_TIME);
    text_add_string(text, " in ");
    human_add_count(text, steps);
    text_add_string(text, steps == 1 ? " step of " : " steps of ");
    human_add(text, simulate->step, DIM_TIME);
    if (simulate->source == STEP_AUTO) describe_step(text, definition);
    text_add_string(text, ".\nRecords ");
    for (int i = 0; i < definition->record.series_count && i < SHOWN_MAX; i++)
        text_add(text, "%s%s", i ? ", " : "", definition->record.series[i]);
    if (definition->record.series_count > SHOWN_MAX)
        text_add(text, " and %d more", definition->record.series_count - SHOWN_MAX);
    if (definition->record.series_count == 0) text_add_string(text, "every signal");
    text_add_string(text, " every ");
    human_add(text, every, DIM_TIME);
    describe_periods(text, definition);
    text_add(text, ".\nWrites model.yaml, series.csv, %ssummary.json",
             definition->periods.port ? "periods.csv, " : "");
    if (definition->frames_every > 0) {
        text_add_string(text, ", a frame every ");
        human_add(text, definition->frames_every, DIM_TIME);
        text_add_string(text, " (frames.pvd)");
    }
    text_add_string(text, " and checkpoints");
    if (definition->checkpoint_every > 0) {
        text_add_string(text, " every ");
        human_add(text, definition->checkpoint_every, DIM_TIME);
    }
    text_add_string(text, ".\n");
}

static void describe_footprint(Text *text, const SimDefinition *definition) {
    Footprint f = footprint_of(definition);
    char size[4][QUANTITY_SIZE], count[3][QUANTITY_SIZE];
    text_add(text, "Needs about %s of memory; series.csv: %s rows of %s columns, about %s",
             quantity_text(size[0], f.memory, "B", 2), quantity_count(count[0], llround(f.rows)),
             quantity_count(count[1], llround(f.columns)), quantity_text(size[1], f.series, "B", 2));
    if (f.frames > 0)
        text_add(text, "; %s frames, about %s", quantity_count(count[2], llround(f.frames)),
                 quantity_text(size[2], f.frame_files, "B", 2));
    if (f.checkpoint > 0)
        text_add(text, "; a checkpoint, about %s", quantity_text(size[3], f.checkpoint, "B", 2));
    text_add_string(text, ".\n");
}

char *describe_model(const SimDefinition *definition, const YamlNode *tree) {
    Text text = {0};
    if (definition->title) text_add(&text, "%s\n", definition->title);
    describe_inputs(&text, definition);
    describe_mechanism(&text, definition, tree);
    for (int i = 0; i < definition->grains_count && i < SHOWN_MAX; i++)
        describe_grains(&text, definition, &definition->grains[i]);
    if (definition->grains_count > SHOWN_MAX)
        text_add(&text, "And %d more beds of grains.\n", definition->grains_count - SHOWN_MAX);
    describe_flow(&text, &definition->flow);
    for (int i = 0; i < definition->stops.count && i < SHOWN_MAX; i++) {
        const StopDefinition *stop = &definition->stops.items[i];
        text_add(&text, "Stop %s: %d point%s of %s against %d wall%s, friction %.4g, restitution %.4g.\n",
                 stop->name, stop->point_count, stop->point_count == 1 ? "" : "s", stop->port,
                 stop->wall_count, stop->wall_count == 1 ? "" : "s", stop->friction, stop->restitution);
    }
    for (int i = 0; i < definition->port_count && i < SHOWN_MAX; i++)
        describe_port(&text, &definition->ports[i], tree, definition->simulate.duration);
    if (definition->port_count > SHOWN_MAX)
        text_add(&text, "And %d more ports.\n", definition->port_count - SHOWN_MAX);
    if (vec3_norm(definition->gravity) > 0) {
        text_add_string(&text, "Gravity is ");
        human_add_vector(&text, definition->gravity, DIM_ACCELERATION);
        text_add_string(&text, ".\n");
    } else text_add_string(&text, "There is no gravity.\n");
    describe_run(&text, definition);
    describe_footprint(&text, definition);
    return text_take(&text);
}
