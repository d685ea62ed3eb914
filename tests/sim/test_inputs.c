// Inputs in simulations: tables against the formulas they were made from, values set while a simulation runs,
// restarts, and two simulations of one model with different inputs at the same time.
#include <pthread.h>

#include "output/temporary.h"
#include "sim/run.h"

// Force in N and place in mm as cubics of the time, sampled unevenly.
static double cubic(double t) { return 3 - 8 * t + 20 * t * t - 9 * t * t * t; }

static void write_table(const char *name, int lines) {
    char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "t[ms],u[N],y[mm]\n");
    for (int i = 0; i <= lines; i++) {
        double part = (double)i / lines, t = part * (0.7 + 0.3 * part);
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g,%.17g,%.17g\n", 1e3 * t, cubic(t),
                                 cubic(t));
    }
    temporary_write(temporary_path(name), text, used);
}

static Run start_temporary(const char *name, const char *text) {
    const char *path = temporary_path(name);
    temporary_write(path, text, strlen(text));
    return start(mrc_model_load(path, NULL, 0));
}

// Both runs give the same signals at every step, up to `allowed` of the largest value.
static void check_same_run(Run *a, Run *b, const char *const *names, size_t count, double allowed) {
    double largest[8] = {0}, worst[8] = {0};
    while (!is_done(a)) {
        step(a), step(b);
        for (size_t k = 0; k < count; k++) {
            largest[k] = fmax(largest[k], fabs(value(b, names[k])));
            worst[k] = fmax(worst[k], fabs(value(a, names[k]) - value(b, names[k])));
        }
    }
    for (size_t k = 0; k < count; k++) {
        assert_true(largest[k] > 0);
        if (worst[k] > allowed * largest[k]) fail_msg("'%s' differs by %g", names[k], worst[k] / largest[k]);
    }
    end(a), end(b);
}

// ---- tables --------------------------------------------------------------------------------------
#define SPRING_MODEL(inputs, force)                                                                          \
    "maraca: 1\n" inputs "mechanism:\n"                                                                      \
    "  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}\n"                                                 \
    "  springs: {mount: {between: box, offsets: [0 0 0 m, 0 1 0 m], stiffness: 5 kN/m, damping: 10 "         \
    "N*s/m}}\n"                                                                                              \
    "  forces: {push: {at: box, force: [0, " force ", 0]}}\n"                                                \
    "simulate: {duration: 1 s, step: 1 ms}\n"

// A spring driven by a table that holds a cubic moves as with the formula.
static void test_driven_spring(void **state) {
    (void)state;
    write_table("force.csv", 20);
    Run table = start_temporary("table.yaml",
                                SPRING_MODEL("inputs: {u: {table: force.csv, interpolation: cubic}}\n", "u"));
    Run formula =
        start_temporary("formula.yaml", SPRING_MODEL("", "\"3 N - 8 N/s*t + 20 N/s^2*t^2 - 9 N/s^3*t^3\""));
    check_same_run(&table, &formula, (const char *[]){"box.y", "box.vy", "box.ay", "energy.work"}, 4, 1e-12);
}

// A sine, sampled finely.
static void test_sampled_sine(void **state) {
    (void)state;
    enum { LINES = 400 };
    char text[40000];
    size_t used = (size_t)snprintf(text, sizeof text, "t[s] u[N]\n");
    for (int i = 0; i <= LINES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g %.17g\n", i / (double)LINES,
                                 2 * sin(30.0 * i / LINES));
    temporary_write(temporary_path("sine.txt"), text, used);
    Run table = start_temporary("table.yaml",
                                SPRING_MODEL("inputs: {u: {table: sine.txt, interpolation: cubic}}\n", "u"));
    Run formula = start_temporary("formula.yaml", SPRING_MODEL("", "2 N*sin(30 rad/s*t)"));
    // The error of the spline is about (30/400)^4/100 of the sine.
    check_same_run(&table, &formula, (const char *[]){"box.y", "box.vy"}, 2, 3e-6);
}

#define PORT_MODEL(method)                                                                                   \
    "maraca: 1\n"                                                                                            \
    "inputs: {y: {table: motion.csv, interpolation: cubic}}\n"                                               \
    "materials: {steel: {density: 7800 kg/m^3}}\n"                                                           \
    "ports: {can: {position: [0, 2*y, 0], rotation: {axis: z, angle: y/10 mm}}}\n"                           \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: can\n"                                                                                        \
    "    wall: {box: {size: 20 20 20 mm}}\n"                                                                 \
    "    particles: {radius: 1 mm, count: 5, material: steel}\n" method                                      \
    "simulate: {duration: 20 ms, step: 20 us}\n"

// A prescribed motion has exact derivatives: those of the polynomial.
static void test_prescribed_motion(void **state) {
    (void)state;
    static const char *const models[] = {PORT_MODEL("    contact: {stiffness: 1 kN/m}\n"),
                                         PORT_MODEL("    method: nonsmooth\n")};
    write_table("motion.csv", 10);
    for (int k = 0; k < 2; k++) {
        Run run = start_temporary("table.yaml", models[k]);
        assert_int_equal(mrc_model_diagnostic_count(run.model), 0);
        for (int i = 0; i < 1000; i++) {
            step(&run);
            if (i % 40) continue;
            double t = now(&run), rate = -8 + 40 * t - 27 * t * t, second = 40 - 54 * t;
            check_near(value(&run, "can.y"), 2e-3 * cubic(t), 1e-15);
            check_near(value(&run, "can.vy"), 2e-3 * rate, 1e-13);
            check_near(value(&run, "can.ay"), 2e-3 * second, 1e-11);
            check_near(value(&run, "can.wz"), 0.1 * rate, 1e-11);
        }
        end(&run);
    }
}

#define DRIVE_MODEL(inputs, drive)                                                                           \
    "maraca: 1\n" inputs "mechanism:\n"                                                                      \
    "  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}\n"                                                 \
    "  joints: {guide: {prismatic: box, axis: z, " drive "}}\n"                                              \
    "simulate: {duration: 1 s, step: 1 ms}\n"

// Joints that a table drives: by position, and by speed, which is integrated.
static void test_driven_joint(void **state) {
    (void)state;
    write_table("drive.csv", 30);
    Run table = start_temporary(
        "table.yaml", DRIVE_MODEL("inputs: {y: {table: drive.csv, interpolation: cubic}}\n", "position: y"));
    Run formula = start_temporary(
        "formula.yaml", DRIVE_MODEL("", "position: \"3 mm - 8 mm/s*t + 20 mm/s^2*t^2 - 9 mm/s^3*t^3\""));
    check_same_run(&table, &formula, (const char *[]){"box.z", "box.vz", "box.az", "guide.fz"}, 4, 1e-9);
    table = start_temporary(
        "table.yaml", DRIVE_MODEL("inputs: {y: {table: drive.csv, interpolation: cubic}}\n", "speed: y/1 s"));
    formula = start_temporary(
        "formula.yaml", DRIVE_MODEL("", "speed: \"3 mm/s - 8 mm/s^2*t + 20 mm/s^3*t^2 - 9 mm/s^4*t^3\""));
    check_same_run(&table, &formula, (const char *[]){"box.z", "box.vz", "box.az"}, 3, 1e-9);
}

// A table that ends makes a run stop that goes on behind it.
static void test_refused_outside(void **state) {
    (void)state;
    write_table("short.csv", 20);
    Run run =
        start_temporary("table.yaml", SPRING_MODEL("inputs: {u: {table: short.csv, outside: error}}\n", "u"));
    MrcError error;
    MrcStatus status = MRC_OK;
    for (int i = 0; i < 1000; i++) step(&run);
    for (int i = 0; i < 5 && status == MRC_OK; i++) status = mrc_sim_step(run.sim, &error);
    assert_int_not_equal(status, MRC_OK);
    end(&run);
}

// ---- values that are set -------------------------------------------------------------------------
static const char free_body[] = "maraca: 1\n"
                                "inputs:\n"
                                "  u: {unit: N, default: 0}\n"
                                "  drag: 0 N*s/m\n"
                                "mechanism:\n"
                                "  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}\n"
                                "  forces: {push: {at: box, force: [u - drag*box.vx, 0, 0]}}\n"
                                "simulate: {duration: 1 s, step: 1 ms}\n";

static void set(Run *run, const char *name, double number) {
    MrcError error;
    assert_int_equal(mrc_sim_set_input(run->sim, mrc_sim_find_input(run->sim, name), number, &error), MRC_OK);
    check_near(mrc_sim_input_value(run->sim, mrc_sim_find_input(run->sim, name)), number, 0);
}

static void steps(Run *run, int count) {
    for (int i = 0; i < count; i++) step(run);
}

// A force that is switched on after 100 steps, and off after 300: u t/m. The switch lies between two steps of
// a two-step formula, which spreads it over one of them.
static void test_switched_force(void **state) {
    (void)state;
    Run run = start(mrc_model_parse(free_body, strlen(free_body), "test", NULL, 0));
    steps(&run, 100);
    check_near(value(&run, "box.vx"), 0, 0);
    set(&run, "u", 6);
    steps(&run, 200);
    check_near(value(&run, "box.ax"), 3, 1e-12);
    check_near(value(&run, "box.vx"), 0.6, 3e-3);
    set(&run, "u", 0);
    steps(&run, 100);
    check_near(value(&run, "box.vx"), 0.6, 1e-9); // switching on and off cancel
    set(&run, "drag", 4);                         // m dv/dt = -d v
    double before = value(&run, "box.vx");
    steps(&run, 500);
    check_near(value(&run, "box.vx"), before * exp(-1), 2e-3 * before);
    end(&run);
}

// A joint whose speed is set is where the speeds have brought it.
static void test_set_speed(void **state) {
    (void)state;
    const char text[] = DRIVE_MODEL("inputs: {v: {unit: m/s, default: 0.1}}\n", "speed: v");
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    steps(&run, 100);
    check_near(value(&run, "box.z"), 0.01, 1e-12);
    set(&run, "v", -0.3);
    steps(&run, 200);
    check_near(value(&run, "box.z"), 0.01 - 0.06, 1e-12);
    check_near(value(&run, "box.vz"), -0.3, 1e-12);
    end(&run);
}

static void test_restart(void **state) {
    (void)state;
    Run whole = start(mrc_model_parse(free_body, strlen(free_body), "test", NULL, 0));
    Run part = start(mrc_model_parse(free_body, strlen(free_body), "test", NULL, 0));
    steps(&whole, 50);
    set(&whole, "u", 1.7);
    set(&whole, "drag", 0.3);
    steps(&whole, 50);
    MrcState *kept = NULL;
    MrcError error;
    assert_int_equal(mrc_sim_save(whole.sim, &kept, &error), MRC_OK);
    assert_int_equal(mrc_sim_restore(part.sim, kept, &error), MRC_OK);
    mrc_state_free(kept);
    steps(&whole, 100);
    steps(&part, 100);
    assert_true(value(&whole, "box.vx") == value(&part, "box.vx"));
    assert_true(value(&whole, "box.x") == value(&part, "box.x"));
    assert_true(value(&part, "box.vx") > 0);
    end(&whole), end(&part);
}

// ---- two at once ---------------------------------------------------------------------------------
static const char shaken[] = "maraca: 1\n"
                             "gravity: 0 0 -9.81 m/s^2\n"
                             "inputs: {rise: {unit: mm/s, default: 1}}\n"
                             "materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.5}}\n"
                             "ports: {can: {position: [0, 0, 1 mm*sin(2*pi*50 Hz*t) + rise*t]}}\n"
                             "grains:\n"
                             "  bed:\n"
                             "    port: can\n"
                             "    wall: {box: {size: 20 20 20 mm}}\n"
                             "    particles: {radius: 1 mm, count: 300, material: steel}\n"
                             "    contact: {stiffness: 10 kN/m}\n"
                             "simulate: {duration: 2 ms, step: 2 us}\n";

typedef struct Job {
    const MrcModel *model;
    double rise;
    MrcSim *sim;
} Job;

static void *run_job(void *user) {
    Job *job = user;
    MrcError error;
    MrcSimOptions options = mrc_sim_options_default();
    options.threads = 1;
    if (mrc_sim_create(job->model, &options, &job->sim, &error) != MRC_OK) return NULL;
    (void)mrc_sim_set_input(job->sim, 0, job->rise, &error);
    while (!mrc_sim_is_done(job->sim))
        if (mrc_sim_step(job->sim, &error) != MRC_OK) break;
    return NULL;
}

static void test_two_at_once(void **state) {
    (void)state;
    MrcModel *model = mrc_model_parse(shaken, strlen(shaken), "test", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    Job alone[2], both[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        alone[i] = both[i] = (Job){.model = model, .rise = 0.05 * (i + 1)};
        run_job(&alone[i]);
    }
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_job, &both[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(alone[i].sim && both[i].sim && mrc_sim_is_done(both[i].sim));
        for (int k = 0; k < mrc_sim_signal_count(alone[i].sim); k++)
            assert_true(mrc_sim_value(alone[i].sim, k) == mrc_sim_value(both[i].sim, k));
        Run run = {.sim = both[i].sim};
        double t = now(&run);
        check_near(value(&run, "can.z"), 1e-3 * sin(2 * M_PI * 50 * t) + 0.05 * (i + 1) * t, 1e-15);
        mrc_sim_free(alone[i].sim);
        mrc_sim_free(both[i].sim);
    }
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driven_spring),     cmocka_unit_test(test_sampled_sine),
        cmocka_unit_test(test_prescribed_motion), cmocka_unit_test(test_driven_joint),
        cmocka_unit_test(test_refused_outside),   cmocka_unit_test(test_switched_force),
        cmocka_unit_test(test_set_speed),         cmocka_unit_test(test_restart),
        cmocka_unit_test(test_two_at_once),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
