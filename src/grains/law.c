// The tables of laws, and their parameters for each pair of materials.
//
// Two different materials that have no entry under `pairs:` take the smaller coefficient of the two.
#include "grains/law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "grains/grains.h"

// ---- the tables ----------------------------------------------------------------------------------
#define LAW_NORMAL_ROW(number, name) [number] = &normal_law_##name,
#define LAW_TANGENTIAL_ROW(number, name) [number] = &tangential_law_##name,
#define LAW_ROLLING_ROW(number, name) [number] = &rolling_law_##name,
static const NormalLawType *const law_normals[] = {NORMAL_LAWS(LAW_NORMAL_ROW)};
static const TangentialLawType *const law_tangentials[] = {TANGENTIAL_LAWS(LAW_TANGENTIAL_ROW)};
static const RollingLawType *const law_rollings[] = {ROLLING_LAWS(LAW_ROLLING_ROW)};

#define LAW_COHESION_ROW(number, name) [number] = &cohesion_law_##name,
static const CohesionLawType *const law_cohesions[] = {COHESION_LAWS(LAW_COHESION_ROW)};
#define LAW_COHESION_CHOICE(number, name) &cohesion_law_##name.choice,
const SchemaChoice *const cohesion_law_choices[] = {COHESION_LAWS(LAW_COHESION_CHOICE) NULL};
const CohesionLawType cohesion_law_none = {.choice = {.word = "none", .doc = "whatever the materials say"},
                                           .words = "none"};

#define LAW_NORMAL_CHOICE(number, name) &normal_law_##name.choice,
#define LAW_TANGENTIAL_CHOICE(number, name) &tangential_law_##name.choice,
#define LAW_ROLLING_CHOICE(number, name) &rolling_law_##name.choice,
const SchemaChoice *const normal_law_choices[] = {NORMAL_LAWS(LAW_NORMAL_CHOICE) NULL};
const SchemaChoice *const tangential_law_choices[] = {TANGENTIAL_LAWS(LAW_TANGENTIAL_CHOICE) NULL};
const SchemaChoice *const rolling_law_choices[] = {ROLLING_LAWS(LAW_ROLLING_CHOICE) NULL};

const TangentialLawType tangential_law_none = {.choice = {.word = "none", .doc = "no friction"},
                                               .words = "no friction"};
const RollingLawType rolling_law_none = {.choice = {.word = "none", .doc = "grains roll freely"}};

const NormalLawType *law_normal(int row) {
    assert(row >= 0 && row < NORMAL_LAW_COUNT);
    return law_normals[row];
}

const TangentialLawType *law_tangential(int row) {
    assert(row >= 0 && row < TANGENTIAL_LAW_COUNT);
    return law_tangentials[row];
}

const RollingLawType *law_rolling(int row) {
    assert(row >= 0 && row < ROLLING_LAW_COUNT);
    return law_rollings[row];
}

const CohesionLawType *law_cohesion(int row) {
    assert(row >= 0 && row < COHESION_LAW_COUNT);
    return law_cohesions[row];
}

// ---- laws beside each other ----------------------------------------------------------------------
static bool law_fits(int normal, int tangential) {
    LawNormalKind kind = law_tangential(tangential)->goes_with;
    return kind == LAW_ANY_NORMAL || (kind == LAW_ELASTIC_BODIES) == law_normal(normal)->elastic_bodies;
}

int law_tangential_beside(int normal, int tangential) {
    if (law_fits(normal, tangential)) return tangential;
    for (int row = 0; row < TANGENTIAL_LAW_COUNT; row++)
        if (law_tangential(row)->goes_with != LAW_ANY_NORMAL && law_fits(normal, row)) return row;
    return tangential;
}

int law_tangential_settling(int normal, int tangential) {
    return law_tangential_beside(normal,
                                 law_tangential(tangential)->creeps ? TANGENTIAL_ELASTIC : tangential);
}

// ---- checks --------------------------------------------------------------------------------------
void law_check_young(const GrainsModel *model, const char *why, const Findings *findings) {
    const GrainsDefinition *d = model->grains;
    for (int w = -grains_kind_count(d); w < d->wall_count; w++) { // the kinds of grains, then the walls
        const char *name = w < 0 ? grains_kind(d, -1 - w)->material : d->walls[w].material;
        if (!name) name = d->particles.material;
        const Material *material =
            material_by_name(model->setting->materials, model->setting->material_count, name);
        if (!material || material->young > 0) continue;
        findings_error(findings, &material->name, "'%s' lacks 'young': %s of grains '%s' needs it",
                       material->name, why, d->name);
    }
}

// Classic Runge-Kutta.
double law_collide(double (*force)(double overlap, double approach, double damping), double damping) {
    double x = 0, v = 1, h = 2e-4;
    if (damping <= 0) return 1;
    for (int step = 0; step < 10000000; step++) {
        double k1x = v, k1v = -force(x, v, damping);
        double k2x = v + 0.5 * h * k1v, k2v = -force(x + 0.5 * h * k1x, k2x, damping);
        double k3x = v + 0.5 * h * k2v, k3v = -force(x + 0.5 * h * k2x, k3x, damping);
        double k4x = v + h * k3v, k4v = -force(x + h * k3x, k4x, damping);
        x += h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
        v += h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
        if (force(x, v, damping) <= 0) break;
    }
    return -v;
}

double law_find_damping(double (*restitution)(double damping), double wanted, double most, int halvings) {
    if (wanted >= 1) return 0;
    double low = 0, high = 1;
    while (restitution(high) > wanted && high < most) high *= 2;
    for (int i = 0; i < halvings; i++) {
        double middle = 0.5 * (low + high);
        if (restitution(middle) > wanted) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

void law_check_elastic_bodies(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    const NormalLawType *law = law_normal(c->normal);
    char why[80];
    if (c->stiffness > 0 || c->source != STIFFNESS_GIVEN)
        findings_error(findings, &c->stiffness,
                       "'stiffness' belongs to 'normal: linear'; %s contacts are as stiff as their materials",
                       law->contacts);
    if (c->wall_stiffness > 0)
        findings_error(
            findings, &c->wall_stiffness,
            "'wall_stiffness' belongs to 'normal: linear'; %s contacts are as stiff as their materials",
            law->contacts);
    snprintf(why, sizeof why, "'normal: %s'", law->choice.word);
    law_check_young(model, why, findings);
    if (c->impact_speed == 0 && model->automatic_step)
        findings_error(
            findings, &c->impact_speed,
            "the step of %s contacts depends on the speed of impact, but nothing moves in '%s': give "
            "'impact_speed', or 'simulate.step'",
            law->contacts, model->grains->name);
}

void laws_check(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    const NormalLawType *law = law_normal(c->normal);
    int normal = 0;
    while (normal < NORMAL_LAW_COUNT - 1 && !law_fits(normal, c->tangential)) normal++;
    if (!law_fits(c->normal, c->tangential))
        findings_error(findings, &c->tangential,
                       "'tangential' is '%s', which needs 'normal: %s'; for %s contacts it is '%s'",
                       law_tangential(c->tangential)->choice.word, law_normal(normal)->choice.word,
                       law->contacts,
                       law_tangential(law_tangential_beside(c->normal, c->tangential))->choice.word);
    law->check(model, findings);
    const CohesionLawType *cohesion = law_cohesion(c->cohesion);
    if (cohesion->needs_hertz && c->normal != NORMAL_HERTZ)
        findings_error(findings, &c->cohesion, "'cohesion' is '%s', which needs 'normal: hertz'",
                       cohesion->choice.word);
    if (cohesion->by_liquid && !c->liquid_given)
        findings_error(findings, &c->cohesion, "'cohesion' is '%s', which needs 'liquid'",
                       cohesion->choice.word);
    if (c->liquid_given && !cohesion->by_liquid)
        findings_object_warning(findings, &c->liquid,
                                "'liquid' has no effect in '%s': 'cohesion' is '%s', not 'capillary'",
                                model->grains->name, cohesion->choice.word);
}

// ---- coefficients of pairs of materials ----------------------------------------------------------
static const MaterialPair *law_find_pair(const GrainsSetting *setting, const Material *a, const Material *b) {
    for (int p = 0; p < setting->pair_count; p++) {
        const MaterialPair *pair = &setting->pairs[p];
        if (!pair->first || !pair->second) continue; // of a model with errors, which is being checked
        if ((strcmp(pair->first, a->name) == 0 && strcmp(pair->second, b->name) == 0) ||
            (strcmp(pair->first, b->name) == 0 && strcmp(pair->second, a->name) == 0))
            return pair;
    }
    return NULL;
}

// A pair's own value when it is given, else the smaller of the two materials'.
static double law_coefficient(double own, double a, double b) { return own >= 0 ? own : fmin(a, b); }

LawCoefficients law_coefficients(const GrainsSetting *setting, const Material *a, const Material *b) {
    const MaterialPair none = {.friction = -1,
                               .restitution = -1,
                               .rolling_friction = -1,
                               .spinning_friction = -1,
                               .cohesion = -1,
                               .adhesion = -1};
    const MaterialPair *pair = law_find_pair(setting, a, b);
    if (!pair) pair = &none;
    return (LawCoefficients){
        .friction = law_coefficient(pair->friction, a->friction, b->friction),
        .restitution = law_coefficient(pair->restitution, a->restitution, b->restitution),
        .rolling_friction = law_coefficient(pair->rolling_friction, a->rolling_friction, b->rolling_friction),
        .spinning_friction =
            law_coefficient(pair->spinning_friction, a->spinning_friction, b->spinning_friction),
        .cohesion = law_coefficient(pair->cohesion, a->cohesion, b->cohesion),
        .adhesion = law_coefficient(pair->adhesion, a->adhesion, b->adhesion)};
}

void law_describe_coefficient(Text *text, double between, double at_wall) {
    text_add(text, "%.4g", between);
    if (at_wall != between) text_add(text, " (%.4g at walls)", at_wall);
}

// ---- parameters ----------------------------------------------------------------------------------
// The materials that a row of the table is about.
static LawPair law_pair_of_row(const GrainsDefinition *d, const GrainsSetting *setting, int row) {
    const Material *all = setting->materials;
    int count = setting->material_count, wall = row / count - count;
    if (wall < 0) return (LawPair){d, &all[row / count], &all[row % count], false};
    const Material *other = material_by_name(all, count, d->walls[wall].material);
    if (!other) other = &all[row % count];
    return (LawPair){d, &all[row % count], other, true};
}

// Finding the damping of a restitution may take some milliseconds (law_hertz.c): rows with the same
// restitution share it.
static double law_damping_of_row(const LawTable *table, int row, const NormalLawType *law) {
    const double *restitution = table->values[LAW_RESTITUTION];
    for (int r = 0; r < row; r++)
        if (restitution[r] == restitution[row]) return table->values[LAW_DAMPING][r];
    return law->damping(restitution[row]);
}

static void law_set_row(LawTable *table, int row, const GrainsSetting *setting, const LawPair *pair) {
    const ContactDefinition *contact = &pair->grains->contact;
    const NormalLawType *normal = law_normal(contact->normal);
    const TangentialLawType *tangential = law_tangential(contact->tangential);
    LawCoefficients of_pair = law_coefficients(setting, pair->grain, pair->other);
    double restitution = fmax(of_pair.restitution, law_least_restitution);
    double stiffness = normal->stiffness(pair), log_e = log(restitution);
    table->values[LAW_STIFFNESS][row] = stiffness;
    table->values[LAW_RESTITUTION][row] = restitution;
    table->values[LAW_DAMPING][row] = law_damping_of_row(table, row, normal);
    table->values[LAW_FRICTION][row] = of_pair.friction;
    table->values[LAW_TANGENTIAL][row] = tangential->stiffness ? tangential->stiffness(pair, stiffness) : 0;
    table->values[LAW_TANGENTIAL_DAMPING][row] = -log_e / sqrt(log_e * log_e + 9.869604401089358);
    table->values[LAW_ROLLING_FRICTION][row] = of_pair.rolling_friction;
    const CohesionLawType *cohesion = law_cohesion(contact->cohesion);
    LawCohesion held = cohesion->values ? cohesion->values(pair, &of_pair) : (LawCohesion){0};
    table->values[LAW_COHESION][row] = held.first;
    table->values[LAW_COHESION_SECOND][row] = held.second;
    table->values[LAW_COHESION_ANGLE][row] = held.angle;
    table->coheres = table->coheres || held.first > 0;
    // What a cohesive contact takes from the motion is recorded as the work of its damping.
    table->damped = table->damped || restitution < 1 || held.first > 0;
    table->rubbing = table->rubbing || of_pair.friction > 0;
}

static void law_fill_table(LawTable *table, const GrainsDefinition *d, const GrainsSetting *setting) {
    const NormalLawType *normal = law_normal(d->contact.normal);
    for (int row = 0; row < table->count; row++) {
        LawPair pair = law_pair_of_row(d, setting, row);
        law_set_row(table, row, setting, &pair);
    }
    for (int row = 0; row < table->count && normal->damping_unit; row++) {
        LawPair pair = law_pair_of_row(d, setting, row);
        table->values[LAW_DAMPING][row] *= normal->damping_unit(&pair, table->values[LAW_STIFFNESS][row]);
    }
}

static MrcStatus law_check_materials(const GrainsDefinition *d, const GrainsSetting *setting,
                                     MrcError *error) {
    const NormalLawType *law = law_normal(d->contact.normal);
    for (int m = 0; m < setting->material_count && law->elastic_bodies; m++) {
        bool used = false;
        for (int k = 0; k < grains_kind_count(d); k++)
            used = used || strcmp(setting->materials[m].name, grains_kind(d, k)->material) == 0;
        for (int w = 0; w < d->wall_count; w++)
            used = used ||
                   (d->walls[w].material && strcmp(setting->materials[m].name, d->walls[w].material) == 0);
        if (used && !(setting->materials[m].young > 0))
            return error_set(error, MRC_MODEL, "grains '%s': material '%s' needs 'young' for %s contacts",
                             d->name, setting->materials[m].name, law->contacts);
    }
    return MRC_OK;
}

MrcStatus laws_create(ContactLaws *laws, const GrainsDefinition *d, const GrainsSetting *setting,
                      MrcError *error) {
    const TangentialLawType *tangential = law_tangential(d->contact.tangential);
    int materials = setting->material_count;
    *laws = (ContactLaws){.normal = law_normal(d->contact.normal)->forces,
                          .tangential = tangential->forces,
                          .rolling = law_rolling(d->contact.rolling)->forces,
                          .elastic_bodies = law_normal(d->contact.normal)->elastic_bodies};
    MrcStatus status = law_check_materials(d, setting, error);
    if (status != MRC_OK) return status;
    laws->table.count = materials * (materials + d->wall_count);
    for (int p = 0; p < LAW_PARAMETER_COUNT; p++) {
        laws->table.values[p] = memory_alloc((size_t)laws->table.count * sizeof(double));
        if (!laws->table.values[p]) return error_memory(error, "the contact laws");
    }
    law_fill_table(&laws->table, d, setting);
    if (!laws->table.rubbing) laws->tangential = NULL;
    if (laws->table.coheres) laws->cohesion = law_cohesion(d->contact.cohesion);
    laws->along_spring = laws->tangential && tangential->spring && !laws->table.damped;
    return MRC_OK;
}

void laws_free(ContactLaws *laws) {
    for (int p = 0; p < LAW_PARAMETER_COUNT; p++) memory_free(laws->table.values[p]);
}

double laws_range(const ContactLaws *laws, int row, double radius) {
    double *const *values = laws->table.values;
    LawCohesion held = {values[LAW_COHESION][row], values[LAW_COHESION_SECOND][row],
                        values[LAW_COHESION_ANGLE][row]};
    return laws->cohesion && laws->cohesion->range && held.first > 0 ? laws->cohesion->range(held, radius)
                                                                     : 0;
}

double laws_longest_range(const ContactLaws *laws, double radius) {
    double longest = 0;
    for (int row = 0; row < laws->table.count; row++) longest = fmax(longest, laws_range(laws, row, radius));
    return longest;
}
