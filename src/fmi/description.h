// modelDescription.xml of an FMU, as far as an importer needs it. Whatever the bytes: a description or a message.
#ifndef FMI_DESCRIPTION_H
#define FMI_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

typedef enum FmiCausality { FMI_LOCAL, FMI_INPUT, FMI_OUTPUT, FMI_PARAMETER, FMI_INDEPENDENT } FmiCausality;
typedef enum FmiType { FMI_REAL, FMI_INTEGER, FMI_BOOLEAN, FMI_OTHER } FmiType;

typedef struct FmiVariable {
    const char *name;
    uint32_t reference;
    FmiCausality causality;
    FmiType type;
    const char *unit;      // NULL: none
    double factor, offset; // value in SI units = factor*value + offset; 1 and 0 where the unit is not defined
    bool measured;         // its unit is defined
    int powers[3];         // of that: of kg, m, s
    bool has_start;
    double start; // of a number
} FmiVariable;

// A unit, or a type that has one.
typedef struct FmiUnit {
    const char *name, *unit; // unit: of a type
    double factor, offset;
    bool measured;
    int powers[3];
} FmiUnit;

typedef struct FmiDescription {
    Arena *arena;      // for the texts
    int version;       // of FMI: 2 or 3
    const char *name;  // of the model
    const char *token; // guid or instantiationToken
    const char *identifier;
    bool co_simulation;
    bool restores, serializes, derivatives; // states, and directional derivatives
    bool needs_tool, only_once;
    double step; // preferred [s]; 0: none
    ARRAY(FmiVariable) variables;
    ARRAY(FmiUnit) units, types;
} FmiDescription;

// `name` stands for the FMU in messages.
MrcStatus fmi_description_parse(FmiDescription *description, const char *text, size_t length,
                                const char *name, MrcError *error);
void fmi_description_free(FmiDescription *description);
const FmiVariable *fmi_description_find(const FmiDescription *description, const char *name); // NULL: none

#endif
