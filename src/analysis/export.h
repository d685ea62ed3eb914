// What an FMU made of a model shows: its variables, in the order of their value references.
#ifndef ANALYSIS_EXPORT_H
#define ANALYSIS_EXPORT_H

#include "base/memory.h"
#include "base/text.h"
#include "maraca/maraca.h"
#include "math/unit.h"
#include "sim/definition.h"

typedef enum ExportCausality {
    EXPORT_INDEPENDENT,
    EXPORT_PARAMETER,
    EXPORT_INPUT,
    EXPORT_OUTPUT
} ExportCausality;
typedef enum ExportType { EXPORT_REAL, EXPORT_INTEGER, EXPORT_BOOLEAN } ExportType;

typedef struct ExportVariable {
    const char *name, *words;
    ExportCausality causality;
    ExportType type;
    const char *unit;    // NULL: none
    const char *display; // unit for people; NULL: none
    double factor;       // of the display unit: value in it = factor * value
    Dimension dimension;
    double start;     // of parameters and inputs
    bool answers;     // an output that loads of the same step change: it has derivatives
    const char *line; // of interface.txt (src/fmu/instance.h)
} ExportVariable;

typedef struct Export {
    const MrcModel *model;
    Arena *arena;
    const SimDefinition *definition;
    const char *identifier; // of the model, a name in C
    const char *ports;      // lines of interface.txt about ports; NULL: none
    char token[40];
    ARRAY(ExportVariable) variables;
    bool derivatives;           // some outputs have them
    bool failed;                // memory ran out
    const char *const *sources; // C files in the folder sources; NULL: none
    int source_count;
} Export;

MrcStatus export_check_options(const MrcExportOptions *options, MrcError *error);
const char *export_identifier(Export *export,
                              const char *path); // a name in C, from that of the file; NULL: memory is out
char *export_description(const Export *export, int version); // modelDescription.xml; NULL: memory is out
char *export_interface(const Export *export);                // interface.txt; likewise

#endif
