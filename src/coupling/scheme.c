#include "coupling/scheme.h"

#include <string.h>

#define SCHEME_POINTER(name) &scheme_##name,
const SchemeType *const scheme_types[] = {SCHEME_TYPES(SCHEME_POINTER) NULL};

int scheme_find(const char *name) {
    for (int k = 0; scheme_types[k]; k++)
        if (strcmp(scheme_types[k]->choice.word, name) == 0) return k;
    return -1;
}

const SchemeType *scheme_of(const CouplingDefinition *definition) { return scheme_types[definition->scheme]; }

SchemeSettings scheme_settings(const SchemeType *scheme, const CouplingDefinition *definition) {
    return scheme->settings ? scheme->settings(definition) : (SchemeSettings){0};
}

Real recurrence_extrapolated(const SchemeSettings *settings, const TwoMassState *z) {
    static const Real weights[3][3] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};
    const Real *w = weights[settings->extrapolation];
    return w[0] * z->load[0] + w[1] * z->load[1] + w[2] * z->load[2];
}

void recurrence_mechanism(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z, Real load) {
    two_mass_accept(z,
                    two_mass_mechanism(s, z, settings->jacobi ? recurrence_extrapolated(settings, z) : load));
    two_mass_keep_load(z, load);
}
