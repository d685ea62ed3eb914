#include "fmi/import.h"

#include <dlfcn.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmi/zip.h"

enum { IMPORT_XML_MAX = 256 * 1024 * 1024 };

struct Import {
    const char *path, *name; // of the FMU, of the instance
    char folder[1024];       // that it is unpacked into
    FmiDescription description;
    void *library;
    union {
        Fmi2 two;
        Fmi3 three;
    } functions;
    Fmi2Callbacks callbacks;
    void *instance;
    void *state;    // as saved last; NULL: none
    char said[400]; // the last error that the FMU told
};

const FmiDescription *import_description(const Import *i) { return &i->description; }

// ---- opening -------------------------------------------------------------------------------------
static int import_remove(const char *path, const struct stat *info, int flag, struct FTW *walk) {
    (void)info, (void)flag, (void)walk;
    return remove(path);
}

static MrcStatus import_unpack_archive(Import *i, MrcError *error) {
    const char *base = getenv("TMPDIR");
    int length = snprintf(i->folder, sizeof i->folder, "%s/maraca-fmu-XXXXXX", base && *base ? base : "/tmp");
    if (length >= (int)sizeof i->folder || !mkdtemp(i->folder)) {
        i->folder[0] = '\0';
        return error_set(error, MRC_WRITE_FAILED, "no folder can be made to unpack '%s' into; set TMPDIR",
                         i->path);
    }
    return zip_unpack(i->path, i->folder, error);
}

// Every function that the standard asks for must be there.
static MrcStatus import_find_functions(Import *i, MrcError *error) {
    static const char *const names2[] = {
#define NAME2(result, name, arguments) "fmi2" #name,
        FMI2_FUNCTIONS(NAME2)
#undef NAME2
    };
    static const char *const names3[] = {
#define NAME3(result, name, arguments) "fmi3" #name,
        FMI3_FUNCTIONS(NAME3)
#undef NAME3
    };
    bool two = i->description.version == 2;
    const char *const *names = two ? names2 : names3;
    size_t count = two ? sizeof names2 / sizeof *names2 : sizeof names3 / sizeof *names3;
    void **slots = (void **)&i->functions;
    for (size_t k = 0; k < count; k++)
        if (!(slots[k] = dlsym(i->library, names[k])))
            return error_set(error, MRC_READ_FAILED, "'%s': its binary has no function %s", i->path,
                             names[k]);
    return MRC_OK;
}
_Static_assert(sizeof(void (*)(void)) == sizeof(void *), "dlsym gives functions as data");

static MrcStatus import_load(Import *i, MrcError *error) {
    char path[1400];
    struct utsname machine;
    uname(&machine);
    bool arm = strcmp(machine.machine, "aarch64") == 0;
    const char *platform = arm ? "aarch64-linux" : i->description.version == 2 ? "linux64" : "x86_64-linux";
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", i->folder, platform, i->description.identifier);
    if (access(path, R_OK) != 0)
        return error_set(error, MRC_READ_FAILED,
                         "'%s' has no binary for this system: binaries/%s/%s.so is missing", i->path,
                         platform, i->description.identifier);
    i->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!i->library) {
        const char *reason = dlerror();
        return error_set(error, MRC_READ_FAILED, "the binary of '%s' cannot be loaded: %.500s", i->path,
                         reason ? reason : "no reason is given");
    }
    return import_find_functions(i, error);
}

MrcStatus import_open(const char *path, const char *instance, Import **out, MrcError *error) {
    Import *i = *out = calloc(1, sizeof *i);
    char *text = NULL;
    size_t length = 0;
    if (!i) return error_memory(error, "an FMU");
    i->path = path, i->name = instance;
    MrcStatus status = zip_read(path, "modelDescription.xml", IMPORT_XML_MAX, &text, &length, error);
    if (status == MRC_OK) status = fmi_description_parse(&i->description, text, length, path, error);
    if (status == MRC_OK) status = import_unpack_archive(i, error);
    if (status == MRC_OK) status = import_load(i, error);
    free(text);
    if (status != MRC_OK) import_close(i), *out = NULL;
    return status;
}

static void import_free_state(Import *i) {
    if (!i->state) return;
    if (i->description.version == 2) i->functions.two.FreeFMUstate(i->instance, &i->state);
    else i->functions.three.FreeFMUState(i->instance, &i->state);
    i->state = NULL;
}

void import_close(Import *i) {
    if (!i) return;
    if (i->instance) {
        import_free_state(i);
        if (i->description.version == 2) i->functions.two.FreeInstance(i->instance);
        else i->functions.three.FreeInstance(i->instance);
    }
    if (i->library) dlclose(i->library);
    if (i->folder[0]) nftw(i->folder, import_remove, 16, FTW_DEPTH | FTW_PHYS);
    fmi_description_free(&i->description);
    free(i);
}

// ---- what the FMU tells --------------------------------------------------------------------------
static void import_log2(Fmi2Environment environment, const char *instance, Fmi2Status status,
                        const char *category, const char *message, ...) {
    Import *i = environment;
    (void)instance, (void)category;
    if (!i || status < FMI2_WARNING || !message) return;
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(i->said, sizeof i->said, message, arguments);
    va_end(arguments);
}

static void import_log3(Fmi3Environment environment, Fmi3Status status, const char *category,
                        const char *text) {
    Import *i = environment;
    (void)category;
    if (i && status >= FMI3_WARNING && text) snprintf(i->said, sizeof i->said, "%s", text);
}

static MrcStatus import_result(Import *i, int status, const char *function, MrcError *error) {
    static const char *const words[] = {"ok", "a warning", "discard", "an error", "a fatal error", "pending"};
    if (status == FMI2_OK || status == FMI2_WARNING) return i->said[0] = '\0', MRC_OK;
    return error_set(error, status == FMI2_DISCARD ? MRC_MODEL : MRC_PARTNER,
                     "FMU '%s': %s ended with %s%s%s", i->name, function,
                     status >= 0 && status <= 5 ? words[status] : "an unknown status", i->said[0] ? ": " : "",
                     i->said);
}
#define CALL(i, name, ...)                                                                                   \
    ((i)->description.version == 2 ? (int)(i)->functions.two.name(__VA_ARGS__)                               \
                                   : (int)(i)->functions.three.name(__VA_ARGS__))

// ---- the instance --------------------------------------------------------------------------------
MrcStatus import_instantiate(Import *i, MrcError *error) {
    char place[1200];
    const FmiDescription *d = &i->description;
    i->callbacks = (Fmi2Callbacks){import_log2, calloc, free, NULL, i};
    if (d->version == 2) {
        snprintf(place, sizeof place, "file://%s/resources", i->folder);
        i->instance =
            i->functions.two.Instantiate(i->name, FMI2_CO_SIMULATION, d->token, place, &i->callbacks, 0, 0);
    } else {
        snprintf(place, sizeof place, "%s/resources/", i->folder);
        i->instance = i->functions.three.InstantiateCoSimulation(i->name, d->token, place, false, false,
                                                                 false, false, NULL, 0, i, import_log3, NULL);
    }
    if (i->instance) return MRC_OK;
    return error_set(error, MRC_READ_FAILED, "FMU '%s' cannot be instantiated%s%s", i->name,
                     i->said[0] ? ": " : "", i->said);
}

MrcStatus import_initialise(Import *i, double start, MrcError *error) {
    MrcStatus status = MRC_OK;
    if (i->description.version == 2) {
        status = import_result(i, i->functions.two.SetupExperiment(i->instance, 0, 0, start, 0, 0),
                               "fmi2SetupExperiment", error);
        if (status == MRC_OK)
            status = import_result(i, i->functions.two.EnterInitializationMode(i->instance),
                                   "fmi2EnterInitializationMode", error);
    } else
        status = import_result(
            i, i->functions.three.EnterInitializationMode(i->instance, false, 0, start, false, 0),
            "fmi3EnterInitializationMode", error);
    if (status != MRC_OK) return status;
    return import_result(i, CALL(i, ExitInitializationMode, i->instance), "ExitInitializationMode", error);
}

// ---- values --------------------------------------------------------------------------------------
MrcStatus import_set(Import *i, const FmiVariable *v, double value, MrcError *error) {
    bool two = i->description.version == 2;
    int number = (int)value, result;
    bool flag = value != 0;
    if (v->type == FMI_REAL)
        result = two ? (int)i->functions.two.SetReal(i->instance, &v->reference, 1, &value)
                     : (int)i->functions.three.SetFloat64(i->instance, &v->reference, 1, &value, 1);
    else if (v->type == FMI_INTEGER)
        result = two ? (int)i->functions.two.SetInteger(i->instance, &v->reference, 1, &number)
                     : (int)i->functions.three.SetInt32(i->instance, &v->reference, 1, &number, 1);
    else if (v->type == FMI_BOOLEAN) {
        number = flag;
        result = two ? (int)i->functions.two.SetBoolean(i->instance, &v->reference, 1, &number)
                     : (int)i->functions.three.SetBoolean(i->instance, &v->reference, 1, &flag, 1);
    } else return error_set(error, MRC_MODEL, "FMU '%s': the variable '%s' is no number", i->name, v->name);
    return import_result(i, result, "setting a variable", error);
}

MrcStatus import_get(Import *i, const FmiVariable *v, double *value, MrcError *error) {
    bool two = i->description.version == 2;
    int number = 0, result;
    bool flag = false;
    if (v->type == FMI_REAL)
        result = two ? (int)i->functions.two.GetReal(i->instance, &v->reference, 1, value)
                     : (int)i->functions.three.GetFloat64(i->instance, &v->reference, 1, value, 1);
    else if (v->type == FMI_INTEGER) {
        result = two ? (int)i->functions.two.GetInteger(i->instance, &v->reference, 1, &number)
                     : (int)i->functions.three.GetInt32(i->instance, &v->reference, 1, &number, 1);
        *value = number;
    } else if (v->type == FMI_BOOLEAN) {
        result = two ? (int)i->functions.two.GetBoolean(i->instance, &v->reference, 1, &number)
                     : (int)i->functions.three.GetBoolean(i->instance, &v->reference, 1, &flag, 1);
        *value = two ? number : flag;
    } else return error_set(error, MRC_MODEL, "FMU '%s': the variable '%s' is no number", i->name, v->name);
    MrcStatus status = import_result(i, result, "getting a variable", error);
    if (status == MRC_OK && !isfinite(*value))
        status = error_set(error, MRC_NOT_FINITE, "FMU '%s': '%s' is %g", i->name, v->name, *value);
    return status;
}

MrcStatus import_step(Import *i, double t, double h, MrcError *error) {
    if (i->description.version == 2)
        return import_result(i, i->functions.two.DoStep(i->instance, t, h, 0), "fmi2DoStep", error);
    bool event = false, terminate = false, early = false;
    double last = t + h;
    int result = i->functions.three.DoStep(i->instance, t, h, false, &event, &terminate, &early, &last);
    MrcStatus status = import_result(i, result, "fmi3DoStep", error);
    if (status == MRC_OK && (terminate || (early && last < t + h * (1 - 1e-9))))
        status = error_set(error, MRC_PARTNER, "FMU '%s' %s at t = %g s", i->name,
                           terminate ? "ended the simulation" : "returned early from its step", last);
    return status;
}

// ---- states --------------------------------------------------------------------------------------
MrcStatus import_save(Import *i, MrcError *error) {
    int result = i->description.version == 2 ? (int)i->functions.two.GetFMUstate(i->instance, &i->state)
                                             : (int)i->functions.three.GetFMUState(i->instance, &i->state);
    return import_result(i, result, "saving its state", error);
}

MrcStatus import_restore(Import *i, MrcError *error) {
    int result = i->description.version == 2 ? (int)i->functions.two.SetFMUstate(i->instance, i->state)
                                             : (int)i->functions.three.SetFMUState(i->instance, i->state);
    return import_result(i, result, "restoring its state", error);
}

MrcStatus import_pack(Import *i, unsigned char **bytes, size_t *count, MrcError *error) {
    bool two = i->description.version == 2;
    void *state = NULL;
    *bytes = NULL, *count = 0;
    int result = two ? (int)i->functions.two.GetFMUstate(i->instance, &state)
                     : (int)i->functions.three.GetFMUState(i->instance, &state);
    if (result <= FMI2_WARNING)
        result = two ? (int)i->functions.two.SerializedFMUstateSize(i->instance, state, count)
                     : (int)i->functions.three.SerializedFMUStateSize(i->instance, state, count);
    if (result <= FMI2_WARNING) {
        *bytes = malloc(*count + 1);
        if (!*bytes) result = FMI2_ERROR;
        else
            result = two ? (int)i->functions.two.SerializeFMUstate(i->instance, state, (char *)*bytes, *count)
                         : (int)i->functions.three.SerializeFMUState(i->instance, state, *bytes, *count);
    }
    if (state && two) i->functions.two.FreeFMUstate(i->instance, &state);
    if (state && !two) i->functions.three.FreeFMUState(i->instance, &state);
    MrcStatus status = import_result(i, result, "packing its state", error);
    if (status != MRC_OK) free(*bytes), *bytes = NULL;
    return status;
}

MrcStatus import_unpack(Import *i, const unsigned char *bytes, size_t count, MrcError *error) {
    bool two = i->description.version == 2;
    void *state = NULL;
    int result =
        two ? (int)i->functions.two.DeSerializeFMUstate(i->instance, (const char *)bytes, count, &state)
            : (int)i->functions.three.DeserializeFMUState(i->instance, bytes, count, &state);
    if (result <= FMI2_WARNING)
        result = two ? (int)i->functions.two.SetFMUstate(i->instance, state)
                     : (int)i->functions.three.SetFMUState(i->instance, state);
    if (state && two) i->functions.two.FreeFMUstate(i->instance, &state);
    if (state && !two) i->functions.three.FreeFMUState(i->instance, &state);
    return import_result(i, result, "unpacking its state", error);
}

MrcStatus import_derivative(Import *i, const uint32_t *unknowns, size_t count, uint32_t known,
                            double *sensitivity, MrcError *error) {
    const double one = 1;
    int result = i->description.version == 2
                     ? (int)i->functions.two.GetDirectionalDerivative(i->instance, unknowns, count, &known, 1,
                                                                      &one, sensitivity)
                     : (int)i->functions.three.GetDirectionalDerivative(i->instance, unknowns, count, &known,
                                                                        1, &one, 1, sensitivity, count);
    return import_result(i, result, "GetDirectionalDerivative", error);
}
