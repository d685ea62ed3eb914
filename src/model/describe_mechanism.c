// The mechanism in words.
#include <math.h>

#include "math/human.h"
#include "mechanism/joint_type.h"
#include "model/describe.h"

enum { SHOWN_MAX = 20 }; // of each kind; the rest is counted
#define PI 3.14159265358979323846

static void add_more(Text *text, int count, const char *what) {
    if (count > SHOWN_MAX) text_add(text, "And %d more %s.\n", count - SHOWN_MAX, what);
}

// What the user wrote at mechanism.PART.NAME.KEY; NULL when it is no plain value.
static const char *written(const YamlNode *tree, const char *part, const char *name, const char *key) {
    const YamlNode *mechanism = yaml_get(tree, "mechanism");
    const YamlNode *map = mechanism ? yaml_get(mechanism, part) : NULL;
    const YamlNode *thing = map ? yaml_get(map, name) : NULL;
    const YamlNode *value = thing ? yaml_get(thing, key) : NULL;
    return value && value->kind == YAML_SCALAR ? value->text : NULL;
}

// ---- beams ---------------------------------------------------------------------------------------
// Length of the straight line, or of the arc through the three points.
static double beam_length(const BeamDefinition *beam) {
    Vec3 a = vec3_sub(beam->middle, beam->from), b = vec3_sub(beam->to, beam->from);
    if (!beam->curved) return vec3_norm(b);
    Vec3 normal = vec3_cross(a, b);
    // The circle's centre, from `from`, and the angle that the middle sees between the ends.
    Vec3 center =
        vec3_scale(1 / (2 * vec3_norm2(normal)), vec3_add(vec3_scale(vec3_norm2(a), vec3_cross(b, normal)),
                                                          vec3_scale(vec3_norm2(b), vec3_cross(normal, a))));
    Vec3 to_start = vec3_sub(beam->from, beam->middle), to_end = vec3_sub(beam->to, beam->middle);
    double seen = atan2(vec3_norm(vec3_cross(to_start, to_end)), vec3_dot(to_start, to_end));
    return vec3_norm(center) * 2 * (PI - seen);
}

static double section_area(const SectionDefinition *section) {
    switch (section->kind) {
    case SECTION_RECTANGLE:
        return section->width * section->height;
    case SECTION_CIRCLE:
        return PI * section->radius * section->radius;
    case SECTION_TUBE:
        return PI * (section->radius + section->inner_radius) * (section->radius - section->inner_radius);
    default:
        return 0;
    }
}

static double beam_mass(const SimDefinition *d, const BeamDefinition *beam) {
    if (beam->section.kind == SECTION_GIVEN) return beam->section.mass * beam_length(beam);
    const Material *material = material_by_name(d->materials, d->material_count, beam->material);
    return material ? material->density * section_area(&beam->section) * beam_length(beam) : 0;
}

static void describe_section(Text *text, const SectionDefinition *section) {
    switch (section->kind) {
    case SECTION_RECTANGLE:
        text_add_string(text, "a rectangle, ");
        human_add(text, section->width, DIM_LENGTH);
        text_add_string(text, " wide and ");
        human_add(text, section->height, DIM_LENGTH);
        text_add_string(text, " high");
        break;
    case SECTION_CIRCLE:
        text_add_string(text, "a circle of radius ");
        human_add(text, section->radius, DIM_LENGTH);
        break;
    case SECTION_TUBE:
        text_add_string(text, "a tube of radius ");
        human_add(text, section->inner_radius, DIM_LENGTH);
        text_add_string(text, " to ");
        human_add(text, section->radius, DIM_LENGTH);
        break;
    case SECTION_GIVEN:
        text_add_string(text, "a section of given stiffness");
        break;
    }
}

static void describe_beam(Text *text, const SimDefinition *d, const BeamDefinition *beam) {
    text_add(text, "Beam %s: %s, ", beam->name, beam->curved ? "an arc" : "straight");
    human_add(text, beam_length(beam), DIM_LENGTH);
    text_add_string(text, " long, ");
    describe_section(text, &beam->section);
    if (beam->material) text_add(text, " of %s", beam->material);
    text_add_string(text, " (");
    human_add(text, beam_mass(d, beam), DIM_MASS);
    text_add(text, "); %lld element%s, nodes %s.0 to %s.%lld", (long long)beam->elements,
             beam->elements == 1 ? "" : "s", beam->name, beam->name, (long long)(2 * beam->elements));
    text_add(text, "%s.\n", beam->damping ? "; with material damping" : "");
}

// ---- bodies, joints, springs, forces -------------------------------------------------------------
static void describe_body(Text *text, const BodyDefinition *body) {
    text_add(text, "Body %s: ", body->name);
    human_add(text, body->mass, DIM_MASS);
    if (body->node) text_add(text, ", carried by %s", body->node);
    else {
        text_add_string(text, ", at ");
        human_add_vector(text, body->pose.position, DIM_LENGTH);
    }
    text_add_string(text, ".\n");
}

static void describe_drives(Text *text, const JointDefinition *joint, const YamlNode *tree) {
    const struct {
        const Expression *const *drive;
        const char *key;
    } drives[] = {{joint->position, "position"},
                  {joint->speed, "speed"},
                  {joint->angle, "angle"},
                  {joint->rate, "rate"}};
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        if (!drives[i].drive[0] && !drives[i].drive[1] && !drives[i].drive[2]) continue;
        const char *formula = written(tree, "joints", joint->name, drives[i].key);
        text_add(text, "; its %s is driven", drives[i].key);
        if (formula) text_add(text, ": %s", formula);
    }
    const char *length = written(tree, "joints", joint->name, "length");
    if (joint->distance && length) text_add(text, "; %s apart", length);
}

static void describe_joint(Text *text, const JointDefinition *joint, const YamlNode *tree) {
    const char *held = joint->nodes[1] ? joint->nodes[1] : joint->nodes[0];
    const char *holder = joint->nodes[1] ? joint->nodes[0] : "the ground";
    text_add(text, "Joint %s: %s %s %s", joint->name, held, joint_types[joint->kind]->words, holder);
    describe_drives(text, joint, tree);
    text_add_string(text, ".\n");
}

static void describe_ends(Text *text, const char *what, const char *name, const char *const *nodes) {
    text_add(text, "%s %s: between %s and %s", what, name, nodes[0], nodes[1] ? nodes[1] : "the ground");
}

static void describe_springs(Text *text, const MechanismDefinition *m) {
    for (int i = 0; i < m->spring_count && i < SHOWN_MAX; i++) {
        const SpringDefinition *s = &m->springs[i];
        describe_ends(text, "Spring", s->name, s->nodes);
        text_add_string(text, ", ");
        human_add(text, s->stiffness, DIM_STIFFNESS);
        if (s->damping > 0) {
            text_add_string(text, " and ");
            human_add(text, s->damping, DIM_DAMPING);
        }
        text_add_string(text, ".\n");
    }
    add_more(text, m->spring_count, "springs");
    for (int i = 0; i < m->torsion_spring_count && i < SHOWN_MAX; i++) {
        const TorsionSpringDefinition *s = &m->torsion_springs[i];
        describe_ends(text, "Torsion spring", s->name, s->nodes);
        text_add(text, ", %.4g N*m/rad", s->stiffness);
        if (s->damping > 0) text_add(text, " and %.4g N*m*s/rad", s->damping);
        text_add_string(text, ".\n");
    }
    add_more(text, m->torsion_spring_count, "torsion springs");
    for (int i = 0; i < m->bushing_count && i < SHOWN_MAX; i++) {
        describe_ends(text, "Bushing", m->bushings[i].name, m->bushings[i].nodes);
        text_add_string(text, ".\n");
    }
    add_more(text, m->bushing_count, "bushings");
}

static void describe_force(Text *text, const ForceDefinition *force) {
    bool pushes = false, turns = false, measures = false;
    for (int k = 0; k < 3; k++) {
        pushes = pushes || force->force[k];
        turns = turns || force->moment[k];
        measures = measures || (force->force[k] && expression_signal_count(force->force[k])) ||
                   (force->moment[k] && expression_signal_count(force->moment[k]));
    }
    text_add(text, "Force %s: a %s on %s", force->name,
             pushes && turns ? "force and a moment"
             : pushes        ? "force"
                             : "moment",
             force->at);
    if (force->follower) text_add_string(text, " that turns with it");
    if (measures) text_add_string(text, ", by what is measured");
    text_add_string(text, ".\n");
}

void describe_mechanism(Text *text, const SimDefinition *d, const YamlNode *tree) {
    const MechanismDefinition *m = &d->mechanism;
    if (!d->has_mechanism) return;
    for (int i = 0; i < m->beam_count && i < SHOWN_MAX; i++) describe_beam(text, d, &m->beams[i]);
    add_more(text, m->beam_count, "beams");
    for (int i = 0; i < m->body_count && i < SHOWN_MAX; i++) describe_body(text, &m->bodies[i]);
    add_more(text, m->body_count, "bodies");
    for (int i = 0; i < m->joint_count && i < SHOWN_MAX; i++) describe_joint(text, &m->joints[i], tree);
    add_more(text, m->joint_count, "joints");
    describe_springs(text, m);
    for (int i = 0; i < m->force_count && i < SHOWN_MAX; i++) describe_force(text, &m->forces[i]);
    add_more(text, m->force_count, "forces");
    text_add(text, "The mechanism starts %s; rho_inf is %.4g.\n",
             m->start == START_EQUILIBRIUM ? "in its static equilibrium" : "as it is written",
             m->integrator.rho_inf);
}
