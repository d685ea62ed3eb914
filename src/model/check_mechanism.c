// What must fit together in a mechanism: names, masses, lengths, materials, and what joints keep and drive.
#include <math.h>

#include "math/inertia.h"
#include "mechanism/joint_type.h"
#include "mechanism/names.h"
#include "model/check.h"

// Nothing has been found wrong so far. What could not be read is zero and would seem to be missing.
static bool is_complete(const Loader *loader) { return loader->diagnostics->error_count == 0; }

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static const BodyDefinition *find_body(const MechanismDefinition *m, const char *name) {
    for (int i = 0; i < m->body_count; i++)
        if (same(m->bodies[i].name, name)) return &m->bodies[i];
    return NULL;
}

static bool same_node(const MechanismDefinition *m, const char *a, const char *b) {
    char first[96], second[96];
    return a && b &&
           strcmp(names_canonical(m, a, first, sizeof first), names_canonical(m, b, second, sizeof second)) ==
               0;
}

// ---- bodies --------------------------------------------------------------------------------------
// A solid body's principal moments are positive, and none is larger than the other two together; a rod along
// an axis has two equal ones and a third of zero, a plate the sum of two as its third.
static void check_inertia(Loader *loader, const BodyDefinition *body) {
    Vec3 p = mat3_symmetric_eigen(inertia_matrix(body->inertia), NULL);
    double slack = 1e-6 * fabs(p.z);
    if (p.x < -slack)
        diagnostics_error(loader->diagnostics, loader_place(loader, &body->inertia[0]),
                          "'inertia' of '%s' has a principal moment of %g kg*m^2; none can be negative",
                          body->name, p.x);
    else if (p.z > p.x + p.y + slack)
        diagnostics_warning(loader->diagnostics, loader_place(loader, &body->inertia[0]),
                            "'inertia' of '%s' is that of no body: its principal moments are %.4g, %.4g and "
                            "%.4g kg*m^2, and none can be larger than the other two together",
                            body->name, p.x, p.y, p.z);
}

static bool keeps_turning(const JointDefinition *joint) {
    JointComponents kept = joint_kept(joint);
    return kept.about[0] || kept.about[1] || kept.about[2];
}

// A point mass on a node of its own must be kept from turning by something.
static void check_turning(Loader *loader, const MechanismDefinition *m, const BodyDefinition *body) {
    bool held = false;
    for (int k = 0; k < 6; k++) held = held || body->inertia[k] != 0;
    for (int i = 0; i < m->body_count && !held; i++) // others on it
        held = &m->bodies[i] != body && same(m->bodies[i].node, body->name);
    for (int i = 0; i < m->joint_count && !held; i++) {
        const JointDefinition *joint = &m->joints[i];
        held = keeps_turning(joint) &&
               (same_node(m, joint->nodes[0], body->name) || same_node(m, joint->nodes[1], body->name));
    }
    if (!held)
        diagnostics_error(loader->diagnostics, loader_place(loader, &body->mass),
                          "'%s' has no 'inertia' and no joint that keeps it from turning", body->name);
}

static void check_bodies(Loader *loader, const MechanismDefinition *m) {
    for (int i = 0; i < m->body_count; i++) {
        const BodyDefinition *body = &m->bodies[i];
        const BodyDefinition *carrier = body->node ? find_body(m, body->node) : NULL;
        check_inertia(loader, body);
        if (same(body->node, "ground"))
            diagnostics_error(loader->diagnostics, loader_place(loader, &body->node),
                              "'node' of '%s' is 'ground', which never moves: the body would have no effect",
                              body->name);
        else if (carrier && carrier->node)
            diagnostics_error(loader->diagnostics, loader_place(loader, &body->node),
                              "'node' of '%s' is '%s', a body that is carried itself; name the node '%s'",
                              body->name, body->node, carrier == body ? "that carries it" : carrier->node);
        if (!body->node && is_complete(loader)) check_turning(loader, m, body);
    }
}

// ---- beams ---------------------------------------------------------------------------------------
static void check_beam_material(Loader *loader, const SimDefinition *d, const BeamDefinition *beam) {
    const Material *material = material_by_name(d->materials, d->material_count, beam->material);
    if (beam->section.kind == SECTION_GIVEN) return;
    if (!beam->material)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, beam),
                          "beam '%s' lacks 'material': only a 'given' section needs none", beam->name);
    else if (material && !(material->young > 0))
        diagnostics_error(loader->diagnostics, loader_place(loader, &material->young),
                          "material '%s' lacks 'young', which beam '%s' needs", material->name, beam->name);
}

static void check_beam_shape(Loader *loader, const BeamDefinition *beam) {
    Vec3 along = vec3_sub(beam->to, beam->from), half = vec3_sub(beam->middle, beam->from);
    double length = vec3_norm(along), scale = fmax(vec3_norm(beam->from), vec3_norm(beam->to));
    if (!(length > 1e-12 * scale)) {
        diagnostics_error(loader->diagnostics, loader_place(loader, &beam->to),
                          "beam '%s' has no length: 'from' and 'to' are the same point", beam->name);
        return;
    }
    double bow = vec3_norm(vec3_cross(along, half));
    if (beam->curved && !(bow > 1e-9 * length * fmax(length, vec3_norm(half))))
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &beam->middle),
            "beam '%s': 'through' is on the line from 'from' to 'to', so there is no arc; leave "
            "it out for a straight beam",
            beam->name);
    if (!beam->curved && vec3_norm(beam->up) > 0 && vec3_norm(vec3_cross(beam->up, along)) < 1e-6 * length)
        diagnostics_error(loader->diagnostics, loader_place(loader, &beam->up),
                          "beam '%s': 'up' points along the beam; it must point across it", beam->name);
}

static void check_beams(Loader *loader, const SimDefinition *d) {
    const MechanismDefinition *m = &d->mechanism;
    for (int i = 0; i < m->beam_count; i++) {
        const BeamDefinition *beam = &m->beams[i];
        const SectionDefinition *section = &beam->section;
        if (is_complete(loader)) check_beam_shape(loader, beam);
        check_beam_material(loader, d, beam);
        if (section->kind == SECTION_TUBE && section->radius > 0 && section->inner_radius >= section->radius)
            diagnostics_error(loader->diagnostics, loader_place(loader, &section->inner_radius),
                              "beam '%s': 'inner_radius' is not smaller than 'radius'", beam->name);
        for (int end = 0; end < 2 && beam->damping; end++) {
            double t = end ? d->simulate.duration : 0,
                   damping = expression_value(beam->damping, (TimePoint){t, NULL}, NULL);
            if (damping >= 0 && isfinite(damping)) continue;
            diagnostics_error(loader->diagnostics, loader_place(loader, &beam->damping),
                              "'damping' of beam '%s' is %g s at t = %g s; it cannot be negative", beam->name,
                              damping, t);
            break;
        }
    }
}

// ---- joints --------------------------------------------------------------------------------------
static void check_drive(Loader *loader, const JointDefinition *joint, const char *key,
                        const Expression *const *drive, const bool *kept, const char *way, double duration) {
    for (int k = 0; k < 3; k++) {
        if (!drive[k]) continue;
        Place place = loader_place(loader, &drive[k]);
        if (!kept[k])
            diagnostics_error(loader->diagnostics, place,
                              "'%s' of joint '%s' drives it %s its %c axis, where it is free; only what a "
                              "joint keeps can be driven",
                              key, joint->name, way, 'x' + k);
        for (int end = 0; end < 2; end++) {
            Jet jet = expression_jet(drive[k], (TimePoint){end ? duration : 0, NULL});
            if (isfinite(jet.value) && isfinite(jet.rate) && isfinite(jet.second)) continue;
            diagnostics_error(loader->diagnostics, place,
                              "'%s' of joint '%s' or its velocity or acceleration is not finite at t = %g s",
                              key, joint->name, end ? duration : 0.0);
            break;
        }
    }
}

static void check_joint(Loader *loader, const SimDefinition *d, const JointDefinition *joint) {
    double parallel =
        vec3_norm(vec3_cross(vec3_norm(joint->axis) > 0 ? joint->axis : vec3(0, 0, 1), joint->second_axis));
    if (vec3_norm(joint->second_axis) > 0 && parallel < 1e-6)
        diagnostics_error(loader->diagnostics, loader_place(loader, &joint->second_axis),
                          "'second_axis' of joint '%s' points along its axis; it must point across it",
                          joint->name);
    JointComponents drivable = joint_drivable(joint);
    double duration = d->simulate.duration;
    check_drive(loader, joint, "position", joint->position, drivable.along, "along", duration);
    check_drive(loader, joint, "speed", joint->speed, drivable.along, "along", duration);
    check_drive(loader, joint, "angle", joint->angle, drivable.about, "about", duration);
    check_drive(loader, joint, "rate", joint->rate, drivable.about, "about", duration);
}

// ---- parts of every type -----------------------------------------------------------------------------
static void check_part(Loader *loader, const MechanismDefinition *m, const PartRow *row, const void *part) {
    const PartType *type = row->type;
    const char *name = part_name(row, part), *wrong = NULL;
    const void *member = NULL;
    if (type->ends) {
        const char *const *ends = (const char *const *)((const char *)part + type->ends);
        if (ends[0] && same_node(m, ends[0], ends[1] ? ends[1] : "ground"))
            diagnostics_error(loader->diagnostics, loader_place(loader, ends),
                              "%s '%s' is between '%s' and itself", type->noun, name, ends[0]);
    }
    if (type->wrong && is_complete(loader)) wrong = type->wrong(part, &member);
    if (wrong)
        diagnostics_error(loader->diagnostics,
                          member ? loader_place(loader, member) : loader_object_place(loader, part),
                          "%s '%s' %s", type->noun, name, wrong);
}

// ---- the whole -----------------------------------------------------------------------------------
void check_mechanism(Loader *loader, const SimDefinition *d) {
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
    check_bodies(loader, m);
    check_beams(loader, d);
    for (int i = 0; i < m->joint_count; i++) check_joint(loader, d, &m->joints[i]);
    for (const PartRow *row = part_rows; row->type; row++)
        for (int i = 0; i < part_count(m, row); i++) check_part(loader, m, row, part_at(m, row, i));
}
