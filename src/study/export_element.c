// mrc_export_element: a damper element as an FMU that is a table and nothing else (src/fmu/element.c).
//
//     modelDescription.xml, resources/element.txt
//     binaries/...    maraca-element.so and, where it was built, maraca-element.dll for Windows
//     sources/...     the C source of both
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export.h"
#include "base/error.h"
#include "base/hash.h"
#include "fmi/zip.h"
#include "maraca/study.h"
#include "study/element.h"

static const char *const element_sources[] = {"fmu/element.c", "fmu/fmi2.c", "fmu/fmi3.c",
                                              "fmu/face.h",    "fmi/fmi2.h", "fmi/fmi3.h"};
enum { ELEMENT_C_FILES = 3 };

// In the order of the value references of src/fmu/element.c.
static bool element_variables(Export *e, double frequency) {
    const ExportVariable rows[] = {
        {.name = "time",
         .words = "simulated time",
         .causality = EXPORT_INDEPENDENT,
         .unit = "s",
         .dimension = DIM_TIME},
        {.name = "frequency",
         .words = "of the motion",
         .causality = EXPORT_PARAMETER,
         .unit = "Hz",
         .dimension = DIM_FREQUENCY,
         .start = frequency},
        {.name = "v",
         .words = "velocity where it is attached",
         .causality = EXPORT_INPUT,
         .unit = "m/s",
         .dimension = DIM_VELOCITY},
        {.name = "a",
         .words = "acceleration there",
         .causality = EXPORT_INPUT,
         .unit = "m/s^2",
         .dimension = DIM_ACCELERATION},
        {.name = "force",
         .words = "on what carries it",
         .causality = EXPORT_OUTPUT,
         .unit = "N",
         .dimension = DIM_FORCE,
         .answers = true},
        {.name = "amplitude",
         .words = "of a motion at the frequency with that velocity and acceleration",
         .causality = EXPORT_OUTPUT,
         .unit = "m",
         .dimension = DIM_LENGTH,
         .answers = true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!array_push(&e->variables, rows[k])) return false;
    return true;
}

static char *element_table(const DamperElement *element, const char *token) {
    Text out = {0};
    text_add(&out, "maraca-element 1 %s\n", token);
    for (size_t k = 0; k < element->entries.count; k++) {
        const DamperEntry *entry = &element->entries.data[k];
        DamperValue value = element_value(element, entry->frequency, entry->amplitude);
        const double numbers[] = {entry->frequency, entry->amplitude, value.mass, value.dashpot};
        for (int i = 0; i < 4; i++) {
            char digits[TEXT_NUMBER_SIZE];
            text_number(digits, numbers[i]);
            text_add(&out, "%s%s", digits, i < 3 ? " " : "\n");
        }
    }
    return text_take(&out);
}

static char *element_build_description(const char *identifier) {
    Text out = {0};
    text_add(&out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
             "  <BuildConfiguration modelIdentifier=\"%s\">\n    <SourceFileSet language=\"C11\">\n",
             identifier);
    for (int k = 0; k < ELEMENT_C_FILES; k++)
        text_add(&out, "      <SourceFile name=\"%s\"/>\n", element_sources[k]);
    text_add_string(&out,
                    "      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n"
                    "</fmiBuildDescription>\n");
    return text_take(&out);
}

static MrcStatus element_add_text(ZipWriter *zip, const char *name, char *text, MrcError *error) {
    MrcStatus status = text ? zip_add(zip, name, text, strlen(text), error) : error_memory(error, "the FMU");
    free(text);
    return status;
}

// `binary` is maraca-element.so; what else it needs is beside it.
static MrcStatus element_add_binaries(ZipWriter *zip, const Export *e, const MrcExportOptions *options,
                                      MrcError *error) {
    char name[400], path[4200];
    const char *slash = strrchr(options->binary, '/');
    int folder = slash ? (int)(slash - options->binary) + 1 : 0;
    bool two = options->version == 2;
    snprintf(name, sizeof name, "binaries/%s/%s.so", two ? "linux64" : "x86_64-linux", e->identifier);
    MrcStatus status = zip_add_file(zip, name, options->binary, error);
    snprintf(path, sizeof path, "%.*smaraca-element.dll", folder, options->binary);
    snprintf(name, sizeof name, "binaries/%s/%s.dll", two ? "win64" : "x86_64-windows", e->identifier);
    if (status == MRC_OK && access(path, R_OK) == 0) status = zip_add_file(zip, name, path, error);
    for (size_t k = 0; k < sizeof element_sources / sizeof *element_sources && status == MRC_OK; k++) {
        snprintf(path, sizeof path, "%.*smaraca-element/%s", folder, options->binary, element_sources[k]);
        snprintf(name, sizeof name, "sources/%s", element_sources[k]);
        status = zip_add_file(zip, name, path, error);
    }
    if (status == MRC_OK && !two)
        status = element_add_text(zip, "sources/buildDescription.xml",
                                  element_build_description(e->identifier), error);
    return status;
}

static MrcStatus element_export(Export *e, const DamperElement *element, const MrcExportOptions *options,
                                MrcError *error) {
    ZipWriter *zip;
    MrcStatus status = zip_create(options->path, &zip, error);
    if (status != MRC_OK) return status;
    status = element_add_text(zip, "modelDescription.xml", export_description(e, options->version), error);
    if (status == MRC_OK)
        status = element_add_text(zip, "resources/element.txt", element_table(element, e->token), error);
    if (status == MRC_OK) status = element_add_binaries(zip, e, options, error);
    if (status == MRC_OK) return zip_commit(zip, error);
    zip_abandon(zip);
    return status;
}

MrcStatus mrc_export_element(const char *path, const MrcExportOptions *given, MrcError *error) {
    MrcError own;
    MrcExportOptions options = mrc_export_options_default();
    DamperElement element = {0};
    SimDefinition about = {.title = "Damper element"};
    Export e = {.definition = &about,
                .arena = arena_create(),
                .derivatives = true,
                .sources = element_sources,
                .source_count = ELEMENT_C_FILES};
    if (!error) error = &own;
    memcpy(&options, given, given->size && given->size < sizeof options ? given->size : sizeof options);
    MrcStatus status = e.arena ? export_check_options(&options, error) : error_memory(error, "the FMU");
    if (status == MRC_OK) status = element_read(&element, path, error);
    if (status == MRC_OK) {
        char *text = element_table(&element, "");
        uint64_t hash = text ? hash_bytes(HASH_START, text, strlen(text)) : 0;
        snprintf(e.token, sizeof e.token, "{%016llx}", (unsigned long long)hash);
        e.identifier = export_identifier(&e, options.path);
        if (!text || !e.identifier || !element_variables(&e, element.entries.data[0].frequency))
            status = error_memory(error, "the FMU");
        free(text);
    }
    if (status == MRC_OK) status = element_export(&e, &element, &options, error);
    array_free(&e.variables);
    element_free(&element);
    if (e.arena) arena_destroy(e.arena);
    return status;
}
