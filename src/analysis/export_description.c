// modelDescription.xml of an FMU, for FMI 2.0 and 3.0. The rules are those of the standard: names are structured, inputs
// and parameters have a start value, outputs are calculated, every unit is defined, value references are unique.
#include <string.h>

#include "analysis/export.h"

static void xml_text(Text *out, const char *text) {
    for (const char *c = text; *c; c++) switch (*c) {
        case '&':
            text_add_string(out, "&amp;");
            break;
        case '<':
            text_add_string(out, "&lt;");
            break;
        case '>':
            text_add_string(out, "&gt;");
            break;
        case '"':
            text_add_string(out, "&quot;");
            break;
        case '\n':
        case '\t':
            text_add_string(out, " ");
            break;
        default:
            if ((unsigned char)*c >= 32) text_add_bytes(out, c, 1);
        }
}

static void xml_attribute(Text *out, const char *name, const char *value) {
    text_add(out, " %s=\"", name);
    xml_text(out, value);
    text_add_string(out, "\"");
}

static void xml_number(Text *out, const char *name, double value) {
    char digits[TEXT_NUMBER_SIZE];
    text_number(digits, value);
    text_add(out, " %s=\"%s\"", name, digits);
}

// ---- units ---------------------------------------------------------------------------------------
static bool description_has(const Export *e, size_t before, const char *unit, const char *display) {
    for (size_t k = 0; k < before; k++) {
        const ExportVariable *v = &e->variables.data[k];
        if (!v->unit || strcmp(v->unit, unit) != 0) continue;
        if (!display || (v->display && strcmp(v->display, display) == 0)) return true;
    }
    return false;
}

static void description_unit_definition(const Export *e, const ExportVariable *v, Text *out) {
    const Dimension *d = &v->dimension;
    const int exponents[] = {d->mass, d->length, d->time, d->angle};
    static const char *const names[] = {"kg", "m", "s", "rad"};
    text_add_string(out, "    <Unit");
    xml_attribute(out, "name", v->unit);
    text_add_string(out, ">\n");
    bool whole = true;
    for (int k = 0; k < 4; k++) whole = whole && exponents[k] % DIMENSION_ONE == 0;
    if (whole) text_add_string(out, "      <BaseUnit");
    for (int k = 0; k < 4 && whole; k++)
        if (exponents[k]) text_add(out, " %s=\"%d\"", names[k], exponents[k] / DIMENSION_ONE);
    if (whole) text_add_string(out, "/>\n");
    for (size_t k = 0; k < e->variables.count; k++) {
        const ExportVariable *other = &e->variables.data[k];
        if (!other->display || strcmp(other->unit, v->unit) != 0 ||
            description_has(e, k, v->unit, other->display))
            continue;
        text_add_string(out, "      <DisplayUnit");
        xml_attribute(out, "name", other->display);
        xml_number(out, "factor", other->factor);
        text_add_string(out, "/>\n");
    }
    text_add_string(out, "    </Unit>\n");
}

static void description_units(const Export *e, Text *out) {
    text_add_string(out, "  <UnitDefinitions>\n");
    for (size_t k = 0; k < e->variables.count; k++) {
        const ExportVariable *v = &e->variables.data[k];
        if (v->unit && !description_has(e, k, v->unit, NULL)) description_unit_definition(e, v, out);
    }
    text_add_string(out, "  </UnitDefinitions>\n");
}

// ---- variables -----------------------------------------------------------------------------------
static const char *const causalities[] = {"independent", "parameter", "input", "output"};

static void description_start(const ExportVariable *v, Text *out) {
    if (v->causality != EXPORT_PARAMETER && v->causality != EXPORT_INPUT) return;
    if (v->type == EXPORT_BOOLEAN) text_add(out, " start=\"%s\"", v->start != 0 ? "true" : "false");
    else if (v->type == EXPORT_INTEGER) text_add(out, " start=\"%d\"", (int)v->start);
    else xml_number(out, "start", v->start);
}

static void export_variable_head(const ExportVariable *v, size_t reference, int version, Text *out) {
    const char *variability = v->causality == EXPORT_PARAMETER ? "fixed" : "continuous";
    xml_attribute(out, "name", v->name);
    text_add(out, " valueReference=\"%zu\"", reference);
    if (v->words) xml_attribute(out, "description", v->words);
    xml_attribute(out, "causality", causalities[v->causality]);
    xml_attribute(out, "variability", variability);
    if (v->causality == EXPORT_PARAMETER) xml_attribute(out, "initial", "exact");
    if (v->causality == EXPORT_OUTPUT) xml_attribute(out, "initial", "calculated");
    (void)version;
}

static void description_variable_units(const ExportVariable *v, Text *out) {
    if (v->unit) xml_attribute(out, "unit", v->unit);
    if (v->display) xml_attribute(out, "displayUnit", v->display);
}

static void description_variable(const ExportVariable *v, size_t reference, int version, Text *out) {
    static const char *const types[2][3] = {{"Real", "Integer", "Boolean"}, {"Float64", "Int32", "Boolean"}};
    const char *type = types[version == 3][v->type];
    text_add(out, "    <%s", version == 3 ? type : "ScalarVariable");
    export_variable_head(v, reference, version, out);
    if (version == 2) text_add(out, ">\n      <%s", type);
    description_variable_units(v, out);
    description_start(v, out);
    text_add_string(out, version == 2 ? "/>\n    </ScalarVariable>\n" : "/>\n");
}

// Outputs that no input of the same instant changes depend on nothing; of others nothing is said: on everything.
static void description_structure(const Export *e, int version, Text *out) {
    text_add_string(out, "  <ModelStructure>\n");
    for (int initial = 0; initial < 2; initial++) {
        if (version == 2) text_add_string(out, initial ? "    <InitialUnknowns>\n" : "    <Outputs>\n");
        for (size_t k = 0; k < e->variables.count; k++) {
            const ExportVariable *v = &e->variables.data[k];
            if (v->causality != EXPORT_OUTPUT) continue;
            if (version == 2) text_add(out, "      <Unknown index=\"%zu\"", k + 1);
            else text_add(out, "    <%s valueReference=\"%zu\"", initial ? "InitialUnknown" : "Output", k);
            text_add_string(out, initial || v->answers ? "/>\n" : " dependencies=\"\"/>\n");
        }
        if (version == 2) text_add_string(out, initial ? "    </InitialUnknowns>\n" : "    </Outputs>\n");
    }
    text_add_string(out, "  </ModelStructure>\n");
}

// ---- the whole -----------------------------------------------------------------------------------
static void description_abilities(const Export *e, int version, double step, Text *out) {
    text_add_string(out, "  <CoSimulation");
    xml_attribute(out, "modelIdentifier", e->identifier);
    text_add_string(out, " canHandleVariableCommunicationStepSize=\"true\"");
    if (version == 2)
        text_add(out,
                 " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                 "providesDirectionalDerivative=\"%s\"",
                 e->derivatives ? "true" : "false");
    else {
        text_add(out,
                 " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                 "providesDirectionalDerivatives=\"%s\"",
                 e->derivatives ? "true" : "false");
        if (step > 0) xml_number(out, "fixedInternalStepSize", step);
        if (step > 0) text_add_string(out, " mightReturnEarlyFromDoStep=\"true\"");
    }
    if (version == 3 || e->source_count == 0) { // FMI 3 lists them in sources/buildDescription.xml
        text_add_string(out, "/>\n");
        return;
    }
    text_add_string(out, ">\n    <SourceFiles>\n");
    for (int k = 0; k < e->source_count; k++) text_add(out, "      <File name=\"%s\"/>\n", e->sources[k]);
    text_add_string(out, "    </SourceFiles>\n  </CoSimulation>\n");
}

static void description_logs(Text *out) {
    text_add_string(out, "  <LogCategories>\n"
                         "    <Category name=\"logStatusWarning\" description=\"warnings\"/>\n"
                         "    <Category name=\"logStatusError\" description=\"errors\"/>\n"
                         "    <Category name=\"logAll\" description=\"all messages\"/>\n"
                         "  </LogCategories>\n");
}

char *export_description(const Export *e, int version) {
    Text out = {0};
    const SimDefinition *d = e->definition;
    text_add_string(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    xml_attribute(&out, "fmiVersion", version == 2 ? "2.0" : "3.0");
    xml_attribute(&out, "modelName", e->identifier);
    xml_attribute(&out, version == 2 ? "guid" : "instantiationToken", e->token);
    if (d->title) xml_attribute(&out, "description", d->title);
    text_add(&out, " generationTool=\"Maraca %s\" variableNamingConvention=\"structured\"", mrc_version());
    if (version == 2) text_add_string(&out, " numberOfEventIndicators=\"0\"");
    text_add_string(&out, ">\n");
    description_abilities(e, version, d->simulate.step, &out);
    description_units(e, &out);
    description_logs(&out);
    text_add_string(&out, "  <DefaultExperiment startTime=\"0\"");
    if (d->simulate.step > 0) xml_number(&out, "stopTime", d->simulate.duration);
    if (d->simulate.step > 0) xml_number(&out, "stepSize", d->simulate.step);
    text_add_string(&out, "/>\n  <ModelVariables>\n");
    for (size_t k = 0; k < e->variables.count; k++)
        description_variable(&e->variables.data[k], k, version, &out);
    text_add_string(&out, "  </ModelVariables>\n");
    description_structure(e, version, &out);
    text_add_string(&out, "</fmiModelDescription>\n");
    return text_take(&out);
}

char *export_interface(const Export *e) {
    Text out = {0};
    text_add(&out, "maraca-fmu 1 %s\n%s", e->token, e->ports ? e->ports : "");
    for (size_t k = 0; k < e->variables.count; k++) text_add(&out, "%s\n", e->variables.data[k].line);
    return text_take(&out);
}
