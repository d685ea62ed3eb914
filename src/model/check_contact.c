// Do the laws of contact fit together, and do the materials have what they need?
#include <stdio.h>

#include "grains/grains.h"
#include "grains/law.h"
#include "grains/sizing.h"
#include "model/check.h"

// The materials that meet in a bed: that of the grains, then those of the walls. NULL: missing, which is
// reported elsewhere.
static const Material *material_of(const SimDefinition *d, const GrainsDefinition *grains, int wall) {
    const char *name = wall < 0 ? grains->particles.material : grains->walls[wall].material;
    if (!name) name = grains->particles.material;
    int index = material_find(d->materials, d->material_count, name);
    return index < 0 ? NULL : &d->materials[index];
}

static void check_young(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains,
                        const char *why) {
    for (int w = -1; w < grains->wall_count; w++) {
        const Material *material = material_of(d, grains, w);
        if (!material || material->young > 0) continue;
        diagnostics_error(loader->diagnostics, loader_place(loader, &material->name),
                          "'%s' lacks 'young': %s of grains '%s' needs it", material->name, why,
                          grains->name);
    }
}

static void check_linear(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    if (c->tangential == TANGENTIAL_MINDLIN)
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &c->tangential),
            "'tangential' is 'mindlin', which needs 'normal: hertz'; for linear contacts it is 'elastic'");
    if (c->source == STIFFNESS_MATERIAL) {
        check_young(loader, d, grains, "'stiffness: material'");
        if (c->impact_speed == 0)
            diagnostics_error(
                loader->diagnostics, loader_place(loader, &c->stiffness),
                "'stiffness: material' needs 'impact_speed': no wall of '%s' moves, and there is no "
                "room to fall through",
                grains->name);
    }
    if (c->source == STIFFNESS_SIZED && c->sizing.speed == 0)
        diagnostics_error(loader->diagnostics, loader_place(loader, &c->stiffness),
                          "'stiffness: sized' needs 'sizing.speed': no wall of '%s' moves", grains->name);
}

static void check_hertz(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    if (c->tangential == TANGENTIAL_ELASTIC)
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &c->tangential),
            "'tangential' is 'elastic', which needs 'normal: linear'; for Hertz contacts it is 'mindlin'");
    if (c->stiffness > 0 || c->source != STIFFNESS_GIVEN)
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &c->stiffness),
            "'stiffness' belongs to 'normal: linear'; Hertz contacts are as stiff as their materials");
    if (c->wall_stiffness > 0)
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &c->wall_stiffness),
            "'wall_stiffness' belongs to 'normal: linear'; Hertz contacts are as stiff as their "
            "materials");
    check_young(loader, d, grains, "'normal: hertz'");
    if (c->impact_speed == 0 && d->simulate.source == STEP_AUTO)
        diagnostics_error(
            loader->diagnostics, loader_place(loader, &c->impact_speed),
            "the step of Hertz contacts depends on the speed of impact, but nothing moves in '%s': give "
            "'impact_speed', or 'simulate.step'",
            grains->name);
}

// The linear law must know its stiffness. `contact` may be missing as a whole, or the value be wrong: that
// has been said already.
static void check_stiffness(Loader *loader, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    if (c->normal != NORMAL_LINEAR || c->stiffness > 0 || c->source != STIFFNESS_GIVEN) return;
    const YamlNode *beds = yaml_get(loader->root, "grains"), *bed = yaml_get(beds, grains->name);
    const YamlNode *contact = yaml_get(bed, "contact");
    if (bed && bed->kind == YAML_MAPPING && !contact)
        diagnostics_error(loader->diagnostics, loader_object_place(loader, grains),
                          "'%s' lacks 'contact': the smooth method needs a 'stiffness' (N/m), 'material' or "
                          "'sized', or 'normal: hertz'",
                          grains->name);
    if (!contact || contact->kind != YAML_MAPPING || yaml_find(contact, "stiffness")) return;
    diagnostics_error(loader->diagnostics, loader_object_place(loader, c),
                      "'contact' lacks 'stiffness': a stiffness (N/m), 'material' or 'sized'");
}

// Coefficients and laws that have no effect without each other.
void check_effect(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    const Material *grain = material_of(d, grains, -1);
    GrainsSetting setting = {.pairs = d->pairs, .pair_count = d->pair_count};
    LawCoefficients most = {0};
    if (!grain || grains->method != METHOD_SMOOTH) return;
    for (int w = -1; w < grains->wall_count; w++) {
        const Material *other = material_of(d, grains, w);
        LawCoefficients pair = other ? law_coefficients(&setting, grain, other) : most;
        most.friction = pair.friction > most.friction ? pair.friction : most.friction;
        if (pair.rolling_friction > most.rolling_friction) most.rolling_friction = pair.rolling_friction;
    }
    if (c->tangential == TANGENTIAL_NONE && most.friction > 0)
        diagnostics_warning(loader->diagnostics, loader_object_place(loader, c),
                            "the friction of the materials has no effect in '%s': 'tangential' is 'none'",
                            grains->name);
    if (c->tangential != TANGENTIAL_NONE && most.friction == 0)
        diagnostics_warning(loader->diagnostics, loader_place(loader, &c->tangential),
                            "'tangential' has no effect in '%s': 'friction' of its materials is 0",
                            grains->name);
    if (c->rolling == ROLLING_NONE && most.rolling_friction > 0)
        diagnostics_warning(
            loader->diagnostics, loader_object_place(loader, c),
            "the rolling friction of the materials has no effect in '%s': 'rolling' is 'none'", grains->name);
    if (c->rolling != ROLLING_NONE && most.rolling_friction == 0)
        diagnostics_warning(loader->diagnostics, loader_place(loader, &c->rolling),
                            "'rolling' has no effect in '%s': 'rolling_friction' of its materials is 0",
                            grains->name);
}

// `sizing` is a default that is always there; only what the user wrote has a place of its own.
static void check_sizing(Loader *loader, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    const YamlNode *beds = yaml_get(loader->root, "grains"), *bed = yaml_get(beds, grains->name);
    const YamlNode *contact = yaml_get(bed, "contact");
    const YamlPair *sizing = contact && contact->kind == YAML_MAPPING ? yaml_find(contact, "sizing") : NULL;
    if (sizing && c->source != STIFFNESS_SIZED)
        diagnostics_warning(
            loader->diagnostics, sizing->key->place,
            "'sizing' changes nothing in a run unless 'stiffness' is 'sized'; only 'maraca advise' "
            "looks at it");
}

// Rigid grains: a bed may keep the keys of the other method, so that changing the method is changing a word.
static void check_rigid(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    const ContactDefinition *c = &grains->contact;
    double radius = sizing_least_radius(&grains->particles);
    if (c->activation > 0 && radius > 0 && c->activation > radius)
        diagnostics_error(loader->diagnostics, loader_place(loader, &c->activation),
                          "'activation' is %g m, more than the radius of the smallest grain, %g m: every "
                          "grain would touch all its neighbours",
                          c->activation, radius);
    if (c->impact_speed == 0 && d->simulate.source == STEP_AUTO)
        diagnostics_error(loader->diagnostics, loader_place(loader, &c->impact_speed),
                          "the automatic step depends on how fast grains move, but nothing moves in '%s': "
                          "give 'impact_speed', or 'simulate.step'",
                          grains->name);
}

void check_contact(Loader *loader, const SimDefinition *d, const GrainsDefinition *grains) {
    if (grains->method != METHOD_SMOOTH) {
        check_rigid(loader, d, grains);
        return;
    }
    check_stiffness(loader, grains);
    if (grains->contact.normal == NORMAL_HERTZ) check_hertz(loader, d, grains);
    else check_linear(loader, d, grains);
    check_sizing(loader, grains);
}

static bool same_pair(const MaterialPair *a, const MaterialPair *b) {
    return (strcmp(a->first, b->first) == 0 && strcmp(a->second, b->second) == 0) ||
           (strcmp(a->first, b->second) == 0 && strcmp(a->second, b->first) == 0);
}

void check_pairs(Loader *loader, const SimDefinition *d) {
    for (int i = 0; i < d->pair_count; i++) {
        const MaterialPair *pair = &d->pairs[i];
        if (!pair->first || !pair->second) continue;
        if (pair->friction < 0 && pair->restitution < 0 && pair->rolling_friction < 0 &&
            pair->spinning_friction < 0)
            diagnostics_error(loader->diagnostics, loader_place(loader, &pair->name),
                              "'%s' gives no coefficient: expected 'friction', 'restitution', "
                              "'rolling_friction' or 'spinning_friction'",
                              pair->name);
        for (int k = 0; k < i; k++) {
            if (!d->pairs[k].first || !d->pairs[k].second || !same_pair(pair, &d->pairs[k])) continue;
            diagnostics_error(
                loader->diagnostics, loader_place(loader, &pair->name),
                "'%s' is between '%s' and '%s' like '%s' (line %d); their coefficients are given once",
                pair->name, pair->first, pair->second, d->pairs[k].name,
                loader_place(loader, &d->pairs[k].name).line);
        }
    }
}
