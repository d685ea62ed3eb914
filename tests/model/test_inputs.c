// Inputs arrive as they are written: units, defaults, tables, overrides; what is said about them; and that the
// table is part of the model's identity.
#include <stdlib.h>
#include <sys/stat.h>

#include "model/model.h"
#include "output/temporary.h"

#define MODEL(inputs, force)                                                                                 \
    "maraca: 1\n" inputs "mechanism:\n"                                                                      \
    "  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}\n"                                                 \
    "  forces: {push: {at: box, force: [" force ", 0, 0]}}\n"                                                \
    "simulate: {duration: 1 s, step: 1 ms}\n"

static const char table[] = "# measured\nt[ms];u[kN];a;y[mm]\n0;1;2;3\n500;2;3;4\n1000;4;1;3\n";

static int begin(void **state) {
    if (temporary_begin(state) != 0) return -1;
    char path[100];
    snprintf(path, sizeof path, "%s/parts", temporary_folder);
    if (mkdir(path, 0777) != 0) return -1;
    temporary_write(temporary_path("table.csv"), table, strlen(table));
    temporary_write(temporary_path("parts/other.csv"), table, strlen(table));
    return 0;
}

static MrcModel *load(const char *text, const char *override) {
    const char *path = temporary_path("model.yaml");
    temporary_write(path, text, strlen(text));
    MrcModel *model = mrc_model_load(path, &override, override ? 1 : 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    return model;
}

static const InputDefinition *input(const MrcModel *model, const char *name) {
    const SimDefinition *d = model_definition(model);
    int index = input_find(d->inputs, d->input_count, name);
    assert_true(index >= 0);
    return &d->inputs[index];
}

// ---- values --------------------------------------------------------------------------------------
static void test_defaults(void **state) {
    (void)state;
    MrcModel *model = load(MODEL("constants: {F0: 2 N}\n"
                                 "inputs:\n"
                                 "  a: {unit: N, default: 3}\n"
                                 "  b: {unit: kN, default: 3}\n"
                                 "  c: {unit: kN, default: 3 N}\n"
                                 "  d: {default: 2*F0}\n"
                                 "  e: 7 mN\n"
                                 "  f: 5\n"
                                 "  k: {unit: N}\n"
                                 "  h_1: {unit: 1, default: 4}\n"
                                 "  i: {unit: 1/s, default: 6}\n"
                                 "  j: 12 Hz\n",
                                 "a + b + c + d + e + f + k + h_1*a + i*j*a*1 s^2"),
                           NULL);
    static const struct {
        const char *name;
        double fallback;
        Dimension dimension;
        bool bare, hertz;
    } expected[] = {
        {"a", 3, DIM_FORCE, false, false},     {"b", 3000, DIM_FORCE, false, false},
        {"c", 3, DIM_FORCE, false, false},     {"d", 4, DIM_FORCE, false, false},
        {"e", 7e-3, DIM_FORCE, false, false},  {"f", 5, DIM_NUMBER, true, false},
        {"k", 0, DIM_FORCE, false, false},     {"h_1", 4, DIM_NUMBER, false, false},
        {"i", 6, DIM_FREQUENCY, false, false}, {"j", 12, DIM_FREQUENCY, false, true},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const InputDefinition *found = input(model, expected[i].name);
        assert_true(found->fallback == expected[i].fallback);
        assert_true(dimension_equal(found->dimension, expected[i].dimension));
        assert_int_equal(found->bare, expected[i].bare);
        assert_int_equal(found->hertz, expected[i].hertz);
        assert_null(found->table);
    }
    mrc_model_free(model);
}

static void test_tables(void **state) {
    (void)state;
    MrcModel *model = load(MODEL("inputs:\n"
                                 "  u: {table: table.csv, interpolation: cubic}\n"
                                 "  v: {table: table.csv, column: a, unit: mN, time: t, outside: repeat}\n"
                                 "  w: {table: parts/other.csv, column: 'u[kN]', time: 't[ms]', unit: N}\n"
                                 "  x: {table: table.csv, column: a}\n",
                                 "u + v + w + x"),
                           "inputs.v.outside=hold");
    const InputDefinition *u = input(model, "u"), *v = input(model, "v"), *w = input(model, "w");
    assert_true(dimension_equal(u->dimension, DIM_FORCE) && u->table->interpolation == TABLE_CUBIC);
    check_near(input_jet(u, 0.5).value, 2000, 1e-9);
    check_near(input_jet(u, 0.25).value, 1375, 1e-9); // of the parabola 1 + t + 2 t^2
    check_near(input_jet(u, 0.25).second, 4000, 1e-8);
    check_near(input_jet(v, 0.25).value, 2.5e-3, 1e-18);
    assert_true(v->table->outside == TABLE_HOLD && v->table->interpolation == TABLE_LINEAR);
    check_near(input_jet(w, 2).value, 4000, 0);
    assert_true(input(model, "x")->bare);
    mrc_model_free(model);
}

// A table is found beside the file that names it, be it an included one.
static void test_included(void **state) {
    (void)state;
    const char part[] = "inputs: {u: {table: other.csv}}\n";
    temporary_write(temporary_path("parts/part.yaml"), part, strlen(part));
    MrcModel *model = load(MODEL("include: parts/part.yaml\n", "u"), NULL);
    check_near(input_jet(input(model, "u"), 0).value, 1000, 0);
    mrc_model_free(model);
    model = load(MODEL("include: parts/part.yaml\n", "u"), "inputs.u.table=table.csv"); // beside the model
    check_near(input_jet(input(model, "u"), 0).value, 1000, 0);
    mrc_model_free(model);
}

// ---- overrides -----------------------------------------------------------------------------------
static void check_override(const char *inputs, const char *override, double expected, bool has_table) {
    char text[1000];
    snprintf(text, sizeof text, MODEL("%s", "u"), inputs);
    MrcModel *model = load(text, override);
    const InputDefinition *u = input(model, "u");
    check_near(input_jet(u, 0).value, expected, 1e-12);
    assert_int_equal(u->table != NULL, has_table);
    assert_true(dimension_equal(u->dimension, DIM_FORCE));
    char *written = mrc_model_text(model); // as run: reads back the same
    MrcModel *again = load(written, NULL);
    assert_true(model_hash(model) == model_hash(again));
    free(written);
    mrc_model_free(again);
    mrc_model_free(model);
}

static void test_overrides(void **state) {
    (void)state;
    static const char *const forms[] = {
        "inputs: {u: 1 N}\n", "inputs: {u: {unit: N, default: 1}}\n",
        "inputs: {u: {table: table.csv, interpolation: cubic, outside: hold}}\n"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        check_override(forms[i], "inputs.u=3 N", 3, false);
        check_override(forms[i], "inputs.u.default=3 N", 3, false);
        check_override(forms[i], "inputs.u={unit: kN, default: 3}", 3000, false);
        check_override(forms[i], "inputs.u.table=parts/other.csv", 1000, true);
    }
    check_override("inputs: {u: {unit: kN, default: 1}}\n", "inputs.u=3", 3000, false);
    check_override("inputs: {u: {unit: kN, table: table.csv}}\n", "inputs.u.default=3", 3000, false);
    check_override("inputs: {u: {unit: N, default: 1}}\n", "inputs.u.unit=kN", 1000, false);
}

// ---- what is said --------------------------------------------------------------------------------
static void check_warnings(const char *text, const char *const *expected, int count) {
    MrcModel *model = load(text, NULL);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *found = mrc_model_diagnostic(model, i);
        assert_true(found->warning);
        if (i >= count || strcmp(found->text, expected[i]) != 0) fail_msg("'%s'", found->text);
    }
    assert_int_equal(mrc_model_diagnostic_count(model), count);
    mrc_model_free(model);
}

static void test_unused(void **state) {
    (void)state;
    const char part[] = "constants: {library_1: 3, library_2: 4 m}\n";
    temporary_write(temporary_path("constants.yaml"), part, strlen(part));
    check_warnings(MODEL("include: constants.yaml\n"
                         "constants: {a: 2 N, b: 3*a, c: 2*b, d: 4, e: 1 N}\n"
                         "inputs: {u: e, v: 3 N, w: {unit: N}}\n",
                         "c + v"),
                   (const char *[]){"constant 'd' is used nowhere", "input 'u' is used nowhere",
                                    "input 'w' is used nowhere"},
                   3);
}

static void test_prescribed_by_table(void **state) {
    (void)state;
    const char model[] = "maraca: 1\n"
                         "inputs:\n"
                         "  y: {table: table.csv}\n"
                         "  z: {table: table.csv, column: y, interpolation: cubic}\n"
                         "  p: {table: table.csv, column: y, interpolation: cubic, outside: repeat}\n"
                         "mechanism:\n"
                         "  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}\n"
                         "  joints: {guide: {cylindrical: box, axis: z, position: y, rate: z/1 mm*1 rad/s}}\n"
                         "ports: {lid: {position: [z, p, 0], rotation: {axis: z, angle: y/1 m}}}\n"
                         "simulate: {duration: 2 s, step: 1 ms}\n";
    check_warnings(
        model,
        (const char *[]){
            "'position' uses the table of input 'y', which is interpolated linearly: the velocity "
            "jumps at each of its lines; 'interpolation: cubic' is smooth",
            "'position' uses the table of input 'z', which ends at t = 1 s with a rate that is not "
            "zero: the velocity jumps there",
            "'angle' uses the table of input 'y', which is interpolated linearly: the velocity "
            "jumps at each of its lines; 'interpolation: cubic' is smooth"},
        3);
}

static void test_description(void **state) {
    (void)state;
    MrcModel *model = load(MODEL("inputs:\n"
                                 "  u: {table: table.csv, interpolation: cubic}\n"
                                 "  v: {unit: N, default: 2}\n"
                                 "  gain: 4\n",
                                 "u + gain*v"),
                           NULL);
    char *words = mrc_model_describe(model);
    static const char *const expected[] = {
        ("Input u: 1 kN to 4 kN by column u of table.csv (3 lines from 0 s to 1 s, cubic, held outside), "
         "until it is set.\n"),
        "Input v: 2 N, until it is set.\n",
        "Input gain: 4, until it is set.\n",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(words, expected[i])) fail_msg("'%s' is not in:\n%s", expected[i], words);
    free(words);
    mrc_model_free(model);
}

// Another table is another model, also when its text in the model file is the same.
static void test_identity(void **state) {
    (void)state;
    const char text[] = MODEL("inputs: {u: {table: changing.csv}}\n", "u");
    uint64_t hashes[3];
    static const char *const tables[] = {"t,u[N]\n0,1\n1,2\n", "t,u[N]\n0,1\n1,3\n",
                                         "t, u[N]\n0, 1.0\n1, 2\n"};
    for (int i = 0; i < 3; i++) {
        temporary_write(temporary_path("changing.csv"), tables[i], strlen(tables[i]));
        MrcModel *model = load(text, NULL);
        hashes[i] = model_hash(model);
        mrc_model_free(model);
    }
    assert_true(hashes[0] != hashes[1] && hashes[0] == hashes[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_tables),
        cmocka_unit_test(test_included),    cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_unused),      cmocka_unit_test(test_prescribed_by_table),
        cmocka_unit_test(test_description), cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, begin, temporary_end);
}
