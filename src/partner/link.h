// Links: partners of the model file that are other programs, such as FMUs and MBDyn. Each of them is made into an
// MrcPartner (maraca/partner.h), and so a driver or a follower as any other; one that is neither exchanges signals and
// inputs only.
#ifndef PARTNER_LINK_H
#define PARTNER_LINK_H

#include "base/memory.h"
#include "maraca/partner.h"
#include "math/input.h"
#include "schema/findings.h"
#include "schema/schema.h"

// One row per kind: src/partner/link_NAME.c defines link_type_NAME.
#define LINK_TYPES(ROW)                                                                                      \
    ROW(fmu)                                                                                                 \
    ROW(mbdyn)

enum { LINK_BYTES = 192, LINK_PORTS_MAX = 8 };

typedef struct LinkDefinition {
    const char *name;
    int type;                                     // place in the table
    _Alignas(double) char definition[LINK_BYTES]; // the struct of its type
} LinkDefinition;

// What a link is made with.
typedef struct LinkSetting {
    const char *ports[LINK_PORTS_MAX]; // of the simulation, that it moves
    int port_count;
    double step; // of the simulation, the longest [s]
    bool tight;  // the scheme repeats the driver's step until all is converged
} LinkSetting;

// Signals and inputs that a link exchanges: values go where `set` says.
typedef struct LinkValues {
    const double *(*find)(void *user,
                          const char *signal); // where the value of a signal is; NULL: there is none
    void *user;
    Inputs *inputs;
} LinkValues;

typedef struct Link {
    const LinkDefinition *definition;
    void *self;
    MrcPartner partner; // neither motion nor step: it exchanges signals and inputs only
} Link;

typedef struct LinkType {
    SchemaType schema;
    const char *const *(*file)(const void *definition);   // the member that names a file; NULL: there is none
    void (*set_path)(void *definition, const char *path); // where that file is
    // Fills link->self and link->partner, also when it fails half-way.
    MrcStatus (*create)(Link *link, const LinkSetting *setting, Arena *arena, MrcError *error);
    void (*destroy)(void *self);
    // NULL where there is nothing to do. `connect` is called once, when all signals are known, `before` and `after` at
    // each step of the simulation.
    MrcStatus (*connect)(void *self, const LinkValues *values, MrcError *error);
    bool (*reads_signals)(const void *self);
    MrcStatus (*before)(void *self, double t, double h, Inputs *inputs, MrcError *error);
    MrcStatus (*after)(void *self, double t, double h, MrcError *error);
} LinkType;

#define LINK_DECLARE(name) extern const LinkType link_type_##name;
LINK_TYPES(LINK_DECLARE)
#undef LINK_DECLARE
extern const LinkType *const link_types[]; // ends with NULL
static inline const LinkType *link_type(const LinkDefinition *definition) {
    return link_types[definition->type];
}
#define LINK_FITS(type) _Static_assert(sizeof(type) <= LINK_BYTES, "LINK_BYTES is too small for " #type)

#endif
