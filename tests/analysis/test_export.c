// FMUs made by mrc_export_fmi, loaded by our own importer: the same bits as the simulation that they were made of.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "fmi/fmi3.h"
#include "fmi/import.h"
#include "fmi/zip.h"
#include "maraca/sim.h"

static const char model_text[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "constants: {A: 2 mm, f: 30 Hz, way: 2*A, mu: 0.4}\n"
    "inputs: {u: {unit: N, default: 0}}\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: mu, restitution: 0.3}}\n"
    "mechanism:\n"
    "  bodies: {box: {mass: 20 g, inertia: 2 3 4 kg*mm^2}}\n"
    "  joints: {guide: {prismatic: box, axis: z}}\n"
    "  springs: {spring: {between: box, offsets: [[0, 0, 0], [0, 0, 50 mm]], stiffness: 2 kN/m, damping: 1 "
    "N*s/m}}\n"
    "  forces: {drive: {at: box, force: [0, 0, u + 1 N/mm*A*sin(2*pi*f*t)]}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: box\n"
    "    wall: {box: {size: 12 12 12 mm}}\n"
    "    particles: {radius: 1.5 mm, count: 12, material: glass}\n"
    "    packing: {random: {seed: 3}}\n"
    "    method: nonsmooth\n"
    "simulate: {duration: 50 ms, step: 0.1 ms}\n"
    "record: {series: [box.z, box.vz, bed.load.fz, energy]}\n";

static const char arm_text[] = // of which the port `tip` is loaded from outside
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "mechanism:\n"
    "  bodies: {box: {mass: 20 g, inertia: 2 3 4 kg*mm^2}, arm: {mass: 5 g, inertia: 1 1 1 kg*mm^2, "
    "position: 9 0 0 mm}}\n"
    "  joints: {guide: {prismatic: box, axis: z}, hinge: {revolute: [box, arm], axis: y}}\n"
    "  springs: {spring: {between: box, offsets: [[0, 0, 0], [0, 0, 50 mm]], stiffness: 2 kN/m, damping: 1 "
    "N*s/m}}\n"
    "ports: {tip: {node: arm, offset: 5 0 0 mm}}\n"
    "simulate: {duration: 50 ms, step: 0.1 ms}\n"
    "record: {series: [box.z]}\n";

static char folder[] = "/tmp/maraca-export-XXXXXX";

static MrcModel *load(const char *text, const char *const *overrides, int count) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

// `name` stands for the text: it is exported once.
static const char *export_model(const char *text, int version, const char *name) {
    static char path[200];
    MrcError error = {0};
    snprintf(path, sizeof path, "%s/%s%d.fmu", folder, name, version);
    if (access(path, R_OK) == 0) return path;
    MrcModel *model = load(text, NULL, 0);
    MrcExportOptions options = mrc_export_options_default();
    options.version = version, options.path = path, options.binary = MARACA_FMU;
    if (mrc_export_fmi(model, &options, &error) != MRC_OK) fail_msg("%s", error.text);
    mrc_model_free(model);
    return path;
}

static Import *open_fmu(const char *path) {
    MrcError error = {0};
    Import *fmu;
    if (import_open(path, "it", &fmu, &error) != MRC_OK) fail_msg("%s", error.text);
    if (import_instantiate(fmu, &error) != MRC_OK) fail_msg("%s", error.text);
    return fmu;
}

static void begin(Import *fmu) {
    MrcError error = {0};
    if (import_initialise(fmu, 0, &error) != MRC_OK) fail_msg("%s", error.text);
}

static const FmiVariable *variable(Import *fmu, const char *name) {
    const FmiVariable *v = fmi_description_find(import_description(fmu), name);
    if (!v) fail_msg("there is no variable %s", name);
    return v;
}

static double get(Import *fmu, const char *name) {
    MrcError error = {0};
    double value = 0;
    if (import_get(fmu, variable(fmu, name), &value, &error) != MRC_OK) fail_msg("%s", error.text);
    return value;
}

static void set(Import *fmu, const char *name, double value) {
    MrcError error = {0};
    if (import_set(fmu, variable(fmu, name), value, &error) != MRC_OK) fail_msg("%s", error.text);
}

static void step(Import *fmu, double *t, double h, int count) {
    MrcError error = {0};
    for (int k = 0; k < count; k++) {
        if (import_step(fmu, *t, h, &error) != MRC_OK) fail_msg("%s", error.text);
        *t = get(fmu, "time");
    }
}

// The same, by the library.
static MrcSim *simulate(MrcModel *model, int steps, double u) {
    MrcSim *sim;
    MrcError error = {0};
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    assert_int_equal(mrc_sim_set_input(sim, mrc_sim_find_input(sim, "u"), u, NULL), MRC_OK);
    for (int k = 0; k < steps; k++) assert_int_equal(mrc_sim_step(sim, &error), MRC_OK);
    return sim;
}

static void expect_same(Import *fmu, MrcSim *sim) {
    static const char *const names[] = {"box.z", "box.vz", "bed.load.fz", "energy.kinetic", "energy.error"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        double there = get(fmu, names[k]), here = mrc_sim_value(sim, mrc_sim_find_signal(sim, names[k]));
        assert_memory_equal(&there, &here, sizeof here);
    }
}

static void steps_are_those_of_the_simulation(void **state) {
    (void)state;
    MrcModel *model = load(model_text, NULL, 0);
    for (int version = 2; version <= 3; version++) {
        Import *fmu = open_fmu(export_model(model_text, version, "box"));
        double t = 0;
        set(fmu, "u", 0.25);
        begin(fmu);
        MrcSim *start = simulate(model, 0, 0.25), *end = simulate(model, 200, 0.25);
        expect_same(fmu, start);
        step(fmu, &t, 1e-4, 100);
        step(fmu, &t, 1e-3, 10); // ten steps each
        expect_same(fmu, end);
        assert_true(get(fmu, "energy.kinetic") > 0);
        mrc_sim_free(start), mrc_sim_free(end);
        import_close(fmu);
    }
    mrc_model_free(model);
}

static void parameters_are_constants(void **state) {
    (void)state;
    const char *overrides[] = {"constants.A=3.5 mm", "constants.mu=0.1"};
    MrcModel *model = load(model_text, overrides, 2);
    MrcSim *sim = simulate(model, 150, 0);
    for (int version = 2; version <= 3; version++) {
        Import *fmu = open_fmu(export_model(model_text, version, "box"));
        double t = 0;
        assert_null(fmi_description_find(import_description(fmu), "way")); // it follows from A
        check_near(get(fmu, "A"), 2e-3, 0);
        assert_string_equal(variable(fmu, "f")->unit, "Hz");
        set(fmu, "A", 3.5e-3), set(fmu, "mu", 0.1), set(fmu, "maraca.threads", 2);
        begin(fmu);
        step(fmu, &t, 1e-4, 150);
        expect_same(fmu, sim);
        MrcError error = {0};
        assert_int_not_equal(import_set(fmu, variable(fmu, "A"), 1, &error), MRC_OK);
        assert_non_null(strstr(error.text, "once the FMU is initialised"));
        import_close(fmu);
    }
    mrc_sim_free(sim), mrc_model_free(model);
}

static void states_go_back_and_to_others(void **state) {
    (void)state;
    for (int version = 2; version <= 3; version++) {
        const char *path = export_model(model_text, version, "box");
        Import *fmu = open_fmu(path), *other = open_fmu(path);
        MrcError error = {0};
        unsigned char *bytes;
        size_t count;
        double t = 0, first[3], again;
        begin(fmu), begin(other);
        step(fmu, &t, 1e-4, 60);
        set(fmu, "u", 0.1);
        assert_int_equal(import_save(fmu, &error), MRC_OK);
        assert_int_equal(import_pack(fmu, &bytes, &count, &error), MRC_OK);
        for (int round = 0; round < 3; round++) {
            Import *one = round < 2 ? fmu : other;
            if (round == 1) assert_int_equal(import_restore(fmu, &error), MRC_OK);
            if (round == 2) assert_int_equal(import_unpack(other, bytes, count, &error), MRC_OK);
            double at = get(one, "time");
            check_near(at, 6e-3, 1e-12);
            step(one, &at, 1e-4, 80);
            static const char *const names[] = {"box.z", "bed.load.fz", "u"};
            for (int k = 0; k < 3; k++) {
                again = get(one, names[k]);
                if (round == 0) first[k] = again;
                assert_memory_equal(&again, &first[k], sizeof again);
            }
            set(one, "u", 7); // goes back with the state, too
        }
        bytes[count / 2] ^= 1;
        assert_int_not_equal(import_unpack(other, bytes, count, &error), MRC_OK);
        assert_non_null(strstr(error.text, "damaged"));
        assert_int_not_equal(import_unpack(other, bytes, 40, &error), MRC_OK);
        free(bytes);
        import_close(fmu), import_close(other);
    }
}

static void ten_at_once(void **state) {
    (void)state;
    MrcModel *model = load(model_text, NULL, 0);
    const char *path = export_model(model_text, 3, "box");
    Import *fmus[10];
    double t[10] = {0};
    for (int k = 0; k < 10; k++) {
        fmus[k] = open_fmu(path);
        set(fmus[k], "u", 0.01 * k);
        begin(fmus[k]);
    }
    for (int n = 0; n < 50; n++)
        for (int k = 0; k < 10; k++) step(fmus[k], &t[k], 1e-4, 1);
    for (int k = 0; k < 10; k++) {
        MrcSim *sim = simulate(model, 50, 0.01 * k);
        expect_same(fmus[k], sim);
        mrc_sim_free(sim);
        import_close(fmus[k]);
    }
    mrc_model_free(model);
}

// By loads on a port: the same as difference quotients.
static void derivatives_are_difference_quotients(void **state) {
    (void)state;
    static const char *const loads[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    static const char *const outputs[] = {"tip.vx", "tip.vz", "tip.wy", "tip.x", "tip.z", "tip.ry"};
    for (int version = 2; version <= 3; version++)
        for (int count = 1; count <= 2; count++) { // steps of the model in one of the FMU
            Import *fmu = open_fmu(export_model(arm_text, version, "arm"));
            MrcError error = {0};
            double t = 0, before[6], h = 1e-4 * count;
            uint32_t unknowns[6];
            assert_true(import_description(fmu)->derivatives);
            begin(fmu);
            step(fmu, &t, 1e-4, 60);
            assert_int_equal(import_save(fmu, &error), MRC_OK);
            for (int j = 0; j < 6; j++) {
                char name[20];
                double sensitivity[6], at = t, size = j < 3 ? 1e-3 : 1e-6;
                snprintf(name, sizeof name, "tip.in.%s", loads[j]);
                for (int k = 0; k < 6; k++) unknowns[k] = variable(fmu, outputs[k])->reference;
                assert_int_equal(import_restore(fmu, &error), MRC_OK);
                step(fmu, &at, h, 1);
                for (int k = 0; k < 6; k++) before[k] = get(fmu, outputs[k]);
                if (import_derivative(fmu, unknowns, 6, variable(fmu, name)->reference, sensitivity,
                                      &error) != MRC_OK)
                    fail_msg("%s", error.text);
                assert_int_equal(import_restore(fmu, &error), MRC_OK);
                set(fmu, name, size);
                at = t;
                step(fmu, &at, h, 1);
                // Of several steps, the velocity of the port also has half a step's gain of those before.
                for (int k = count == 1 ? 0 : 3; k < 6; k++) {
                    double quotient = (get(fmu, outputs[k]) - before[k]) / size;
                    double scale = (j < 3 ? 50 : 1e6) * h * (k < 3 ? 1 : h) * (k % 3 == 2 ? 200 : 1);
                    if (!(fabs(quotient - sensitivity[k]) < 1e-3 * scale))
                        fail_msg("d %s / d %s is %g, not %g", outputs[k], loads[j], sensitivity[k], quotient);
                }
            }
            import_close(fmu);
        }
}

// ---- the same digits as `maraca run` -------------------------------------------------------------
// Steps the FMU from row to row of series.csv, and compares all columns.
static int compare_with_series(Import *fmu, const char *path, int stride) {
    static char line[20000], head[20000];
    const FmiVariable *columns[200];
    int count = 0, rows = 0;
    double t = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(head, sizeof head, file));
    char *rest = NULL;
    for (char *name = strtok_r(head, ",\n", &rest); name; name = strtok_r(NULL, ",\n", &rest)) {
        name[strcspn(name, "[")] = '\0';
        columns[count] = variable(fmu, count == 0 ? "time" : name);
        count++;
    }
    for (; fgets(line, sizeof line, file); rows++) {
        char *at = line;
        double to = strtod(at, NULL);
        for (int k = 0; rows > 0 && k < stride; k++) step(fmu, &t, (to - t) / (stride - k), 1);
        for (int k = 0; k < count; k++, at++) {
            double value = strtod(at, &at), there = get(fmu, columns[k]->name);
            if (k == 0 ? fabs(there - value) > 1e-9 * value : there != value)
                fail_msg("%s: %s is %.17g at t = %g s, not %.17g", path, columns[k]->name, there, to, value);
        }
    }
    fclose(file);
    return rows;
}

static void digits_are_those_of_a_run(void **state) {
    (void)state;
    static const struct {
        const char *name, *overrides[5];
        int version, stride; // steps of the FMU from row to row
    } cases[] = {
        {"cantilever-damper", {"simulate.duration=10 ms", "record.every=0.1 ms"}, 2, 1},
        {"cantilever-damper", {"simulate.duration=10 ms", "constants.clearance=4 mm"}, 3, 10},
        {"moving-box", {"simulate.duration=0.24 ms", "record.every=12 us"}, 3, 2},
        {"shear-box", {"simulate.duration=2.8 ms", "record.every=1.4 ms"}, 2, 1}, // meshes
        {"feeder", {"simulate.duration=64 ms", "record.every=6.4 ms"}, 3, 4}, // an inlet, an outlet, meters
        {"saeki", {"simulate.duration=20 ms", "record.every=1 ms"}, 2, 1},    // inputs, a settled bed
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[200], run[200];
        MrcError error = {0};
        int count = 0;
        while (cases[k].overrides[count]) count++;
        snprintf(path, sizeof path, MARACA_SOURCE_DIR "/examples/%s.yaml", cases[k].name);
        MrcModel *model = mrc_model_load(path, cases[k].overrides, count);
        assert_int_equal(mrc_model_status(model), MRC_OK);
        MrcRunOptions options = mrc_run_options_default();
        snprintf(run, sizeof run, "%s/%zu.run", folder, k);
        options.folder = run;
        if (mrc_run(model, &options, NULL, &error) != MRC_OK) fail_msg("%s", error.text);
        MrcExportOptions to = mrc_export_options_default();
        snprintf(path, sizeof path, "%s/%zu.fmu", folder, k);
        to.version = cases[k].version, to.path = path, to.binary = MARACA_FMU;
        if (mrc_export_fmi(model, &to, &error) != MRC_OK) fail_msg("%s", error.text);
        Import *fmu = open_fmu(path);
        begin(fmu);
        strcat(run, "/series.csv");
        assert_true(compare_with_series(fmu, run, cases[k].stride) > 2);
        import_close(fmu);
        mrc_model_free(model);
    }
}

// FMI 3.0: what is left over of a step is told, and not done; messages come through the importer's logger.
static char logged[400];
static void keep_message(Fmi3Environment environment, Fmi3Status status, const char *category,
                         const char *text) {
    (void)environment, (void)status, (void)category;
    snprintf(logged, sizeof logged, "%s", text);
}

static void early_return_and_messages(void **state) {
    (void)state;
    char unpacked[200], resources[240];
    MrcError error = {0};
    Import *fmu = open_fmu(export_model(model_text, 3, "box"));
    snprintf(unpacked, sizeof unpacked, "%s/unpacked", folder);
    snprintf(resources, sizeof resources, "%s/resources/", unpacked);
    assert_int_equal(mkdir(unpacked, 0700), 0);
    assert_int_equal(zip_unpack(export_model(model_text, 3, "box"), unpacked, &error), MRC_OK);
    void *library = dlopen(MARACA_FMU, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    Fmi3 f;
#define GET(result, name, arguments)                                                                         \
    assert_non_null(f.name = (result(*) arguments)dlsym(library, "fmi3" #name));
    FMI3_FUNCTIONS(GET)
#undef GET
    const char *token = import_description(fmu)->token;
    assert_null(f.InstantiateCoSimulation("i", "{other}", resources, false, false, false, true, NULL, 0, NULL,
                                          keep_message, NULL));
    assert_non_null(strstr(logged, "is that of another FMU"));
    for (int allowed = 0; allowed < 2; allowed++) {
        Fmi3Instance i = f.InstantiateCoSimulation("i", token, resources, false, false, false, allowed, NULL,
                                                   0, NULL, keep_message, NULL);
        bool event, end, early;
        double last;
        assert_non_null(i);
        assert_int_equal(f.EnterInitializationMode(i, false, 0, 0, false, 0), FMI3_OK);
        assert_int_equal(f.ExitInitializationMode(i), FMI3_OK);
        assert_int_equal(f.DoStep(i, 0, 3e-4, false, &event, &end, &early, &last), FMI3_OK);
        assert_false(early);
        check_near(last, 3e-4, 1e-15);
        Fmi3Status status = f.DoStep(i, 3e-4, 2.5e-4, false, &event, &end, &early, &last);
        assert_int_equal(status, allowed ? FMI3_OK : FMI3_DISCARD);
        assert_int_equal(early, allowed);
        check_near(last, allowed ? 5e-4 : 3e-4, 1e-15);
        if (!allowed) assert_non_null(strstr(logged, "unless early return is allowed"));
        f.FreeInstance(i);
    }
    dlclose(library);
    import_close(fmu);
}

static void wrong_use_is_told(void **state) {
    (void)state;
    for (int version = 2; version <= 3; version++) {
        Import *fmu = open_fmu(export_model(model_text, version, "box"));
        MrcError error = {0};
        FmiVariable nobody = {.name = "nobody", .reference = 100000};
        double value;
        begin(fmu);
        assert_int_not_equal(import_step(fmu, 0, 1.5e-4, &error), MRC_OK);
        assert_non_null(strstr(error.text, "multiples of 0.0001 s"));
        assert_int_not_equal(import_step(fmu, 1, 1e-4, &error), MRC_OK);
        assert_non_null(strstr(error.text, "the FMU stands at 0 s"));
        assert_int_not_equal(import_get(fmu, &nobody, &value, &error), MRC_OK);
        assert_non_null(strstr(error.text, "no variable with the value reference 100000"));
        assert_int_not_equal(import_set(fmu, variable(fmu, "u"), NAN, &error), MRC_OK);
        assert_int_not_equal(import_set(fmu, variable(fmu, "box.z"), 1, &error), MRC_OK);
        assert_int_equal(import_step(fmu, 0, 1e-4, &error), MRC_OK); // nothing was harmed
        import_close(fmu);
    }
}

// A motion that is given for the end of each step moves the port there, whatever the number of steps between.
static void ports_are_moved_from_outside(void **state) {
    (void)state;
    static const char text[] = "maraca: 1\n"
                               "gravity: 0 0 -9.81 m/s^2\n"
                               "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
                               "ports: {cup: {partner: rig}}\n"
                               "grains:\n"
                               "  bed:\n"
                               "    port: cup\n"
                               "    wall: {box: {size: 12 12 12 mm}}\n"
                               "    particles: {radius: 1.5 mm, count: 12, material: glass}\n"
                               "    packing: {random: {seed: 3}}\n"
                               "    method: nonsmooth\n"
                               "simulate: {duration: 50 ms, step: 0.1 ms}\n";
    for (int version = 2; version <= 3; version++)
        for (int ahead = 0; ahead < 2; ahead++) {
            Import *fmu = open_fmu(export_model(text, version, "cup"));
            double t = 0, h = 5e-4, weight = 0, w = 200, size = 1e-4;
            set(fmu, "maraca.ahead", ahead);
            begin(fmu);
            for (int n = 0; n < 800; n++) {
                double at = n * h + (ahead ? h : 0), angle = w * at;
                set(fmu, "cup.in.z", size * sin(angle));
                set(fmu, "cup.in.vz", size * w * cos(angle));
                set(fmu, "cup.in.az", -size * w * w * sin(angle));
                step(fmu, &t, h, 1);
                check_near(get(fmu, "cup.z"), size * sin(w * (n + 1) * h), ahead ? 1e-12 : 1e-7);
                if (n >= 400) weight += get(fmu, "cup.load.fz") / 400;
            }
            double mass = 12 * 2500 * 4.0 / 3 * 3.14159265358979 * pow(1.5e-3, 3);
            check_near(weight, -9.81 * mass, 0.1 * 9.81 * mass); // grains that are shaken weigh the same
            import_close(fmu);
        }
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_simulation),
        cmocka_unit_test(parameters_are_constants),
        cmocka_unit_test(states_go_back_and_to_others),
        cmocka_unit_test(ten_at_once),
        cmocka_unit_test(derivatives_are_difference_quotients),
        cmocka_unit_test(wrong_use_is_told),
        cmocka_unit_test(ports_are_moved_from_outside),
        cmocka_unit_test(digits_are_those_of_a_run),
        cmocka_unit_test(early_return_and_messages),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
