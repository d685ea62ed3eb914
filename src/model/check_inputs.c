// Constants and inputs: those that nothing uses, and tables that do not suit what they are used for.
#include <math.h>

#include "model/check.h"

// ---- without effect ------------------------------------------------------------------------------
// Constants of included files may be meant for other models.
static void check_unused_constants(Loader *loader) {
    const YamlNode *constants = yaml_get(loader->root, "constants");
    for (size_t i = 0; i < loader->scope.constant_count; i++) {
        const YamlPair *pair = yaml_find(constants, loader->scope.constants[i].name);
        if (loader->constant_used[i] || !pair || pair->key->place.file != 0) continue;
        diagnostics_warning(loader->diagnostics, pair->key->place, "constant '%s' is used nowhere",
                            pair->key->text);
    }
}

static void check_unused_inputs(Loader *loader, const SimDefinition *d) {
    for (int i = 0; i < d->input_count; i++)
        if (!loader->input_used[i])
            diagnostics_warning(loader->diagnostics, loader_place(loader, &d->inputs[i].name),
                                "input '%s' is used nowhere", d->inputs[i].name);
}

// ---- tables --------------------------------------------------------------------------------------
// The end of the last step.
static double check_end_time(const SimDefinition *d) {
    double steps = ceil(d->simulate.duration / d->simulate.step - 1e-6);
    return isfinite(steps) ? steps * d->simulate.step : d->simulate.duration;
}

static void check_coverage(Loader *loader, const SimDefinition *d) {
    double end = check_end_time(d);
    for (int i = 0; i < d->input_count; i++) {
        const InputDefinition *input = &d->inputs[i];
        if (!input->table || input->outside != TABLE_REFUSE || table_covers(input->table, 0, end)) continue;
        diagnostics_error(loader->diagnostics, loader_place(loader, &input->path),
                          "the table of input '%s' lasts from %g s to %g s, but the simulation from 0 s to "
                          "%g s; extend it, or say what holds outside ('outside: hold' or 'repeat')",
                          input->name, table_first_time(input->table), table_last_time(input->table), end);
    }
}

// Does the table begin or end within the simulation while it still changes? Then its rate jumps there.
static void check_table_ends(Loader *loader, const SimDefinition *d, const InputDefinition *input,
                             const char *what, Place place) {
    const Table *table = input->table;
    double ends[2] = {table_first_time(table), table_last_time(table)};
    for (int k = 0; k < 2 && input->outside == TABLE_HOLD; k++) {
        double rate = table_jet(table, ends[k]).rate, span = ends[1] - ends[0];
        bool within = k == 0 ? ends[0] > 1e-9 * span : ends[1] < check_end_time(d) - 1e-9 * span;
        if (!within || rate == 0) continue;
        diagnostics_warning(loader->diagnostics, place,
                            "'%s' uses the table of input '%s', which %s at t = %g s with a rate that is not "
                            "zero: the velocity jumps there",
                            what, input->name, k == 0 ? "begins" : "ends", ends[k]);
    }
}

// A prescribed position needs a velocity and an acceleration.
static void check_position(Loader *loader, const SimDefinition *d, const Expression *expression,
                           const char *what, Place place) {
    for (size_t k = 0; expression && k < expression_input_count(expression); k++) {
        const InputDefinition *input = expression_input(expression, k);
        if (!input->table) continue;
        if (input->interpolation == TABLE_LINEAR)
            diagnostics_warning(loader->diagnostics, place,
                                "'%s' uses the table of input '%s', which is interpolated linearly: the "
                                "velocity jumps at each of its lines; 'interpolation: cubic' is smooth",
                                what, input->name);
        else check_table_ends(loader, d, input, what, place);
    }
}

static void check_positions(Loader *loader, const SimDefinition *d) {
    for (int i = 0; i < d->port_count; i++) {
        const PortDefinition *port = &d->ports[i];
        for (int axis = 0; axis < 3; axis++)
            check_position(loader, d, port->position[axis], "position",
                           loader_place(loader, &port->position[axis]));
        check_position(loader, d, port->angle, "angle", loader_place(loader, &port->angle));
    }
    for (int i = 0; i < d->mechanism.joint_count; i++) {
        const JointDefinition *joint = &d->mechanism.joints[i];
        for (int axis = 0; axis < 3; axis++) {
            check_position(loader, d, joint->position[axis], "position",
                           loader_place(loader, &joint->position[axis]));
            check_position(loader, d, joint->angle[axis], "angle", loader_place(loader, &joint->angle[axis]));
        }
        check_position(loader, d, joint->distance, "length", loader_place(loader, &joint->distance));
    }
}

void check_inputs(Loader *loader, const SimDefinition *d) {
    if (loader->diagnostics->error_count > 0) return;
    check_coverage(loader, d);
    check_positions(loader, d);
    check_unused_inputs(loader, d);
    check_unused_constants(loader);
}
