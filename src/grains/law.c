// Choosing laws and working out their parameters for each pair of materials.
//
// Two different materials that have no entry under `pairs:` take the smaller friction, restitution and
// rolling friction of the two.
#include "grains/law.h"

#include <string.h>

#include "base/memory.h"
#include "grains/grains.h"
#include "grains/sizing.h"

// The tables: one row per law, in the order of the enums in definition.h.
static const LawFunction normal_laws[] = {[NORMAL_LINEAR] = law_linear, [NORMAL_HERTZ] = law_hertz};
static const LawFunction tangential_laws[] = {[TANGENTIAL_NONE] = NULL,
                                              [TANGENTIAL_DIRECTIONAL] = friction_directional,
                                              [TANGENTIAL_ELASTIC] = friction_elastic,
                                              [TANGENTIAL_MINDLIN] = friction_mindlin};
static const LawFunction rolling_laws[] = {
    [ROLLING_NONE] = NULL, [ROLLING_CONSTANT] = rolling_constant, [ROLLING_SPRING] = rolling_spring};

double material_effective_young(const Material *a, const Material *b) {
    return 1 / ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
}

static double effective_shear(const Material *a, const Material *b) {
    double ga = a->young / (2 * (1 + a->poisson)), gb = b->young / (2 * (1 + b->poisson));
    return 1 / ((2 - a->poisson) / ga + (2 - b->poisson) / gb);
}

int material_find(const Material *materials, int count, const char *name) {
    for (int i = 0; name && i < count; i++)
        if (strcmp(materials[i].name, name) == 0) return i;
    return -1;
}

static const MaterialPair *find_pair(const GrainsSetting *setting, const Material *a, const Material *b) {
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
static double coefficient(double own, double a, double b) { return own >= 0 ? own : fmin(a, b); }

LawCoefficients law_coefficients(const GrainsSetting *setting, const Material *a, const Material *b) {
    const MaterialPair none = {
        .friction = -1, .restitution = -1, .rolling_friction = -1, .spinning_friction = -1};
    const MaterialPair *pair = find_pair(setting, a, b);
    if (!pair) pair = &none;
    return (LawCoefficients){
        .friction = coefficient(pair->friction, a->friction, b->friction),
        .restitution = coefficient(pair->restitution, a->restitution, b->restitution),
        .rolling_friction = coefficient(pair->rolling_friction, a->rolling_friction, b->rolling_friction),
        .spinning_friction =
            coefficient(pair->spinning_friction, a->spinning_friction, b->spinning_friction)};
}

// Finding the damping of a restitution takes some milliseconds (law_hertz.c): rows that ask for the same
// share it.
static double damping_for(const LawTable *table, int row, bool hertz) {
    const double *restitution = table->values[LAW_RESTITUTION];
    for (int r = 0; r < row; r++)
        if (restitution[r] == restitution[row]) return table->values[LAW_DAMPING][r];
    return hertz ? hertz_damping(restitution[row]) : linear_damping_ratio(restitution[row]);
}

static void set_row(LawTable *table, int row, const GrainsDefinition *d, const GrainsSetting *setting,
                    const Material *a, const Material *b, bool wall) {
    const ContactDefinition *contact = &d->contact;
    LawCoefficients pair = law_coefficients(setting, a, b);
    double friction = pair.friction, rolling = pair.rolling_friction;
    // Restitution below 0.01 would take damping that no step resolves; nothing is left of the rebound anyway.
    double restitution = fmax(pair.restitution, 0.01);
    bool hertz = contact->normal == NORMAL_HERTZ;
    double stiffness = hertz ? 4.0 / 3.0 * material_effective_young(a, b) : sizing_stiffness(d, a, b, wall);
    double log_e = log(restitution);
    table->values[LAW_STIFFNESS][row] = stiffness;
    table->values[LAW_RESTITUTION][row] = restitution;
    table->values[LAW_DAMPING][row] = damping_for(table, row, hertz);
    table->values[LAW_FRICTION][row] = friction;
    table->values[LAW_TANGENTIAL][row] = contact->tangential == TANGENTIAL_MINDLIN
                                             ? 8 * effective_shear(a, b)
                                             : contact->tangential_ratio * stiffness;
    table->values[LAW_TANGENTIAL_DAMPING][row] = -log_e / sqrt(log_e * log_e + 9.869604401089358);
    table->values[LAW_ROLLING_FRICTION][row] = rolling;
    table->damped = table->damped || restitution < 1;
    table->rubbing = table->rubbing || friction > 0;
}

static MrcStatus check_materials(const GrainsDefinition *d, const GrainsSetting *setting, MrcError *error) {
    if (d->contact.normal != NORMAL_HERTZ) return MRC_OK;
    for (int m = 0; m < setting->material_count; m++) {
        bool used = strcmp(setting->materials[m].name, d->particles.material) == 0;
        for (int w = 0; w < d->wall_count; w++)
            used = used ||
                   (d->walls[w].material && strcmp(setting->materials[m].name, d->walls[w].material) == 0);
        if (used && !(setting->materials[m].young > 0))
            return error_set(error, MRC_MODEL, "grains '%s': material '%s' needs 'young' for the Hertz law",
                             d->name, setting->materials[m].name);
    }
    return MRC_OK;
}

MrcStatus laws_create(ContactLaws *laws, const GrainsDefinition *d, const GrainsSetting *setting,
                      MrcError *error) {
    int materials = setting->material_count,
        own = material_find(setting->materials, materials, d->particles.material);
    *laws = (ContactLaws){.normal = normal_laws[d->contact.normal],
                          .tangential = tangential_laws[d->contact.tangential],
                          .rolling = rolling_laws[d->contact.rolling]};
    MrcStatus status = check_materials(d, setting, error);
    if (status != MRC_OK) return status;
    laws->table.count = materials * (materials + d->wall_count);
    for (int p = 0; p < LAW_PARAMETER_COUNT; p++) {
        laws->table.values[p] = memory_alloc((size_t)laws->table.count * sizeof(double));
        if (!laws->table.values[p]) return error_memory(error, "the contact laws");
    }
    for (int a = 0; a < materials; a++) {
        const Material *grain = &setting->materials[a];
        for (int b = 0; b < materials; b++)
            set_row(&laws->table, a * materials + b, d, setting, grain, &setting->materials[b], false);
        for (int w = 0; w < d->wall_count; w++) {
            int other = material_find(setting->materials, materials, d->walls[w].material);
            const Material *wall = &setting->materials[other >= 0 ? other : own];
            set_row(&laws->table, (materials + w) * materials + a, d, setting, grain, wall, true);
        }
    }
    if (!laws->table.rubbing) laws->tangential = NULL;
    bool springs = d->contact.tangential == TANGENTIAL_ELASTIC || d->contact.tangential == TANGENTIAL_MINDLIN;
    laws->along_spring = laws->tangential && springs && !laws->table.damped;
    return MRC_OK;
}

void laws_free(ContactLaws *laws) {
    for (int p = 0; p < LAW_PARAMETER_COUNT; p++) memory_free(laws->table.values[p]);
}
