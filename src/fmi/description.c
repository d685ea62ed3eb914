// Read by expat, which bounds what entities may grow to; a document that declares any is refused, for no FMU needs them.
#include "fmi/description.h"
#include "base/number.h"

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTION_VARIABLES_MAX = 1000000, DESCRIPTION_DEPTH_MAX = 60, DESCRIPTION_UNITS_MAX = 10000 };

typedef struct DescriptionReader {
    FmiDescription *description;
    XML_Parser parser;
    int depth;
    bool in_variables, in_units, in_types; // within ModelVariables, UnitDefinitions, TypeDefinitions
    char fault[300];                       // the first thing that is wrong; "": nothing
    bool open;                             // FMI 2: a ScalarVariable whose type has not come yet
    FmiVariable variable;                  // that one
} DescriptionReader;

static void description_fail(DescriptionReader *r, const char *what, const char *which) {
    if (r->fault[0]) return;
    snprintf(r->fault, sizeof r->fault, "line %lu: %s%s%.100s%s",
             (unsigned long)XML_GetCurrentLineNumber(r->parser), what, which ? " '" : "", which ? which : "",
             which ? "'" : "");
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *description_attribute(const char **attributes, const char *name) {
    for (size_t k = 0; attributes[k]; k += 2)
        if (strcmp(attributes[k], name) == 0) return attributes[k + 1];
    return NULL;
}

static const char *description_copy(DescriptionReader *r, const char *text) {
    const char *copy = text ? arena_strdup(r->description->arena, text) : NULL;
    if (text && !copy) description_fail(r, "out of memory", NULL);
    return copy;
}

static bool description_flag(const char **attributes, const char *name) {
    const char *value = description_attribute(attributes, name);
    return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

// ---- the elements --------------------------------------------------------------------------------
static void description_root(DescriptionReader *r, const char **attributes) {
    FmiDescription *d = r->description;
    const char *version = description_attribute(attributes, "fmiVersion");
    if (!version) description_fail(r, "the version of FMI is missing", NULL);
    else if (strcmp(version, "2.0") == 0) d->version = 2;
    else if (strncmp(version, "3.", 2) == 0) d->version = 3;
    else description_fail(r, "only FMI 2.0 and 3.0 can be imported, not", version);
    d->name = description_copy(r, description_attribute(attributes, "modelName"));
    d->token = description_copy(
        r, description_attribute(attributes, d->version == 2 ? "guid" : "instantiationToken"));
    if (!d->token) description_fail(r, "the FMU has no guid or instantiationToken", NULL);
}

// A name in C, and so no path.
static bool description_is_identifier(const char *text) {
    size_t length =
        text ? strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    return length > 0 && length < 200 && !text[length];
}

static void description_co_simulation(DescriptionReader *r, const char **attributes) {
    FmiDescription *d = r->description;
    const char *identifier = description_attribute(attributes, "modelIdentifier");
    d->co_simulation = true;
    if (!description_is_identifier(identifier))
        description_fail(r, "modelIdentifier is no name in C:", identifier ? identifier : "");
    d->identifier = description_copy(r, identifier);
    d->restores =
        description_flag(attributes, d->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
    d->serializes =
        description_flag(attributes, d->version == 2 ? "canSerializeFMUstate" : "canSerializeFMUState");
    d->derivatives = description_flag(attributes, d->version == 2 ? "providesDirectionalDerivative"
                                                                  : "providesDirectionalDerivatives");
    d->needs_tool = description_flag(attributes, "needsExecutionTool");
    d->only_once = description_flag(attributes, "canBeInstantiatedOnlyOncePerProcess");
}

static void description_head(DescriptionReader *r, const char **attributes) {
    static const char *const words[] = {"local", "input", "output", "parameter", "independent"};
    const char *name = description_attribute(attributes, "name");
    const char *reference = description_attribute(attributes, "valueReference");
    const char *causality = description_attribute(attributes, "causality");
    char *end = NULL;
    unsigned long long number = reference ? strtoull(reference, &end, 10) : 0;
    r->variable = (FmiVariable){.name = description_copy(r, name), .type = FMI_OTHER, .factor = 1};
    if (!name) description_fail(r, "a variable has no name", NULL);
    else if (!reference || end == reference || *end || number > UINT32_MAX || reference[0] == '-')
        description_fail(r, "the value reference is no number, of", name);
    r->variable.reference = (uint32_t)number;
    for (size_t k = 0; causality && k < sizeof words / sizeof *words; k++)
        if (strcmp(causality, words[k]) == 0) r->variable.causality = (FmiCausality)k;
}

static FmiType description_type(int version, const char *element) {
    if (strcmp(element, version == 2 ? "Real" : "Float64") == 0) return FMI_REAL;
    if (strcmp(element, version == 2 ? "Integer" : "Int32") == 0) return FMI_INTEGER;
    if (strcmp(element, "Boolean") == 0) return FMI_BOOLEAN;
    return FMI_OTHER;
}

static void description_value(DescriptionReader *r, const char *element, const char **attributes) {
    const char *start = description_attribute(attributes, "start");
    FmiVariable *v = &r->variable;
    v->type = description_type(r->description->version, element);
    v->unit = description_copy(r, description_attribute(attributes, "unit"));
    const char *type = description_attribute(attributes, "declaredType");
    for (size_t k = 0; type && !v->unit && k < r->description->types.count; k++)
        if (strcmp(r->description->types.data[k].name, type) == 0)
            v->unit = r->description->types.data[k].unit;
    v->has_start = start;
    if (!start || v->type == FMI_OTHER) return;
    char *end;
    v->start = number_read(start, &end);
    if (strcmp(start, "true") == 0) v->start = 1;
    else if (strcmp(start, "false") != 0 && (end == start || !isfinite(v->start)))
        description_fail(r, "the start value is no number, of", v->name);
}

// ---- units ---------------------------------------------------------------------------------------
static void description_unit(DescriptionReader *r, const char **attributes, bool type) {
    FmiUnit unit = {.name = description_copy(r, description_attribute(attributes, "name")),
                    .unit = description_copy(r, description_attribute(attributes, "unit")),
                    .factor = 1};
    bool added =
        type
            ? r->description->types.count < DESCRIPTION_UNITS_MAX && array_push(&r->description->types, unit)
            : r->description->units.count < DESCRIPTION_UNITS_MAX && array_push(&r->description->units, unit);
    if (!unit.name) description_fail(r, type ? "a type has no name" : "a unit has no name", NULL);
    else if (!added) description_fail(r, "too many units or types", NULL);
}

static double description_number(DescriptionReader *r, const char **attributes, const char *name,
                                 double otherwise) {
    const char *text = description_attribute(attributes, name);
    char *end = NULL;
    double value = text ? number_read(text, &end) : otherwise;
    if (text && (end == text || *end || !isfinite(value))) description_fail(r, "this is no number:", text);
    return value;
}

// Only units of mechanics are told apart: with a power of ampere, kelvin, mole or candela, no power of kg, m and s fits.
static void description_base_unit(DescriptionReader *r, const char **attributes) {
    static const char *const own[] = {"kg", "m", "s"}, *const others[] = {"A", "K", "mol", "cd"};
    FmiUnit *unit = &r->description->units.data[r->description->units.count - 1];
    unit->factor = description_number(r, attributes, "factor", 1);
    unit->offset = description_number(r, attributes, "offset", 0);
    unit->measured = true;
    if (unit->factor == 0) description_fail(r, "the factor of a unit is zero:", unit->name);
    for (int k = 0; k < 3; k++)
        unit->powers[k] = (int)fmax(-99, fmin(99, description_number(r, attributes, own[k], 0)));
    for (int k = 0; k < 4; k++)
        if (description_number(r, attributes, others[k], 0) != 0) unit->powers[0] = 100;
}

static void description_measure(FmiDescription *d) {
    for (size_t i = 0; i < d->variables.count; i++) {
        FmiVariable *v = &d->variables.data[i];
        for (size_t k = 0; v->unit && k < d->units.count; k++) {
            const FmiUnit *unit = &d->units.data[k];
            if (strcmp(unit->name, v->unit) != 0) continue;
            v->factor = unit->factor, v->offset = unit->offset, v->measured = unit->measured;
            memcpy(v->powers, unit->powers, sizeof v->powers);
            break;
        }
    }
}

static void description_close_variable(DescriptionReader *r) {
    FmiDescription *d = r->description;
    r->open = false;
    if (d->variables.count >= DESCRIPTION_VARIABLES_MAX) description_fail(r, "too many variables", NULL);
    else if (!array_push(&d->variables, r->variable)) description_fail(r, "out of memory", NULL);
}

static void description_experiment(DescriptionReader *r, const char **attributes) {
    const char *step = description_attribute(attributes, "stepSize");
    double value = step ? number_read(step, NULL) : 0;
    if (value > 0 && isfinite(value)) r->description->step = value;
}

// ---- what expat calls ----------------------------------------------------------------------------
static void description_element(void *user, const char *element, const char **attributes) {
    DescriptionReader *r = user;
    int depth = r->depth++;
    if (r->fault[0]) return;
    if (depth > DESCRIPTION_DEPTH_MAX) description_fail(r, "elements are nested too deeply", NULL);
    else if (depth == 0 && strcmp(element, "fmiModelDescription") != 0)
        description_fail(r, "this is no description of an FMU but", element);
    else if (depth == 0) description_root(r, attributes);
    else if (depth == 1) {
        r->in_variables = strcmp(element, "ModelVariables") == 0;
        r->in_units = strcmp(element, "UnitDefinitions") == 0;
        r->in_types = strcmp(element, "TypeDefinitions") == 0;
        if (strcmp(element, "CoSimulation") == 0) description_co_simulation(r, attributes);
        if (strcmp(element, "DefaultExperiment") == 0) description_experiment(r, attributes);
    } else if (depth == 2 && (r->in_units || r->in_types)) description_unit(r, attributes, r->in_types);
    else if (depth == 3 && r->in_units && strcmp(element, "BaseUnit") == 0)
        description_base_unit(r, attributes);
    else if (depth == 3 && r->in_types &&
             r->description->version == 2) // SimpleType: its unit is that of what it is
        r->description->types.data[r->description->types.count - 1].unit =
            description_copy(r, description_attribute(attributes, "unit"));
    else if (depth == 2 && r->in_variables) {
        description_head(r, attributes);
        r->open = true;
        if (r->description->version == 3) description_value(r, element, attributes);
    } else if (depth == 3 && r->open && r->description->version == 2 && strcmp(element, "Annotations") != 0)
        description_value(r, element, attributes);
    else if (depth == 3 && r->open && strcmp(element, "Dimension") == 0)
        r->variable.type = FMI_OTHER; // an array
}

static void description_end(void *user, const char *element) {
    DescriptionReader *r = user;
    (void)element;
    r->depth--;
    if (r->depth == 2 && r->open && !r->fault[0]) description_close_variable(r);
}

static void description_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                               int length, const XML_Char *base, const XML_Char *system,
                               const XML_Char *public_id, const XML_Char *notation) {
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public_id, (void)notation;
    description_fail(user, "it declares an entity, which is refused:", name);
}

// ---- the whole -----------------------------------------------------------------------------------
static int description_compare(const void *a, const void *b) {
    return strcmp(((const FmiVariable *)a)->name, ((const FmiVariable *)b)->name);
}

static void description_check(DescriptionReader *r) {
    FmiDescription *d = r->description;
    if (!d->co_simulation)
        snprintf(r->fault, sizeof r->fault,
                 "it is not for co-simulation; FMUs for model exchange cannot be imported");
    else if (d->needs_tool)
        snprintf(r->fault, sizeof r->fault, "it needs the tool that made it, and is only a link to it");
    if (r->fault[0] || d->variables.count == 0) return;
    qsort(d->variables.data, d->variables.count, sizeof *d->variables.data, description_compare);
    for (size_t k = 1; k < d->variables.count && !r->fault[0]; k++)
        if (strcmp(d->variables.data[k - 1].name, d->variables.data[k].name) == 0)
            snprintf(r->fault, sizeof r->fault, "two variables are called '%.100s'",
                     d->variables.data[k].name);
}

MrcStatus fmi_description_parse(FmiDescription *d, const char *text, size_t length, const char *name,
                                MrcError *error) {
    *d = (FmiDescription){.arena = arena_create()};
    DescriptionReader r = {.description = d, .parser = XML_ParserCreate(NULL)};
    MrcStatus status = MRC_OK;
    if (!d->arena || !r.parser || length > INT32_MAX)
        status = error_memory(error, "the description of an FMU");
    else {
        XML_SetUserData(r.parser, &r);
        XML_SetElementHandler(r.parser, description_element, description_end);
        XML_SetEntityDeclHandler(r.parser, description_entity);
        bool parsed = XML_Parse(r.parser, text, (int)length, 1) == XML_STATUS_OK;
        if (!parsed && !r.fault[0])
            snprintf(r.fault, sizeof r.fault, "line %lu: %s",
                     (unsigned long)XML_GetCurrentLineNumber(r.parser),
                     XML_ErrorString(XML_GetErrorCode(r.parser)));
        if (!r.fault[0]) description_check(&r);
        if (!r.fault[0]) description_measure(d);
        if (r.fault[0])
            status = error_set(error, MRC_READ_FAILED, "'%s', modelDescription.xml: %s", name, r.fault);
    }
    if (r.parser) XML_ParserFree(r.parser);
    if (status != MRC_OK) fmi_description_free(d);
    return status;
}

void fmi_description_free(FmiDescription *d) {
    array_free(&d->variables);
    array_free(&d->units);
    array_free(&d->types);
    if (d->arena) arena_destroy(d->arena);
    *d = (FmiDescription){0};
}

const FmiVariable *fmi_description_find(const FmiDescription *d, const char *name) {
    FmiVariable key = {.name = name};
    if (d->variables.count == 0) return NULL;
    return bsearch(&key, d->variables.data, d->variables.count, sizeof key, description_compare);
}
