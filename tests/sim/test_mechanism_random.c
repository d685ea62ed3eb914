// Chains of bodies put together at random: joints of every kind, some of them driven, springs with preloads,
// bushings. Whatever comes out keeps its energy (rho_inf = 1, second order in the step), and what the first
// joint exerts on it is what its bodies' accelerations need at every instant.
#include <stdio.h>
#include <string.h>

#include "sim/run.h"

enum { MOST = 6 };

// ---- chance ------------------------------------------------------------------------------------------
static uint64_t chance;
static double uniform(double low, double high) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(chance >> 11) * 0x1p-53;
}
static int choose(int count) { return (int)uniform(0, count); }

typedef struct Text {
    char at[6000];
    size_t used;
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    text->used += (size_t)vsnprintf(text->at + text->used, sizeof text->at - text->used, format, list);
    va_end(list);
    assert_true(text->used < sizeof text->at);
}

static Vec3 add_vector(Text *text, const char *before, double size, const char *after) {
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    add(text, "%s%.5f %.5f %.5f%s", before, x, y, z, after);
    return vec3(x, y, z);
}

// ---- a chain -----------------------------------------------------------------------------------------
typedef struct Chain {
    Text text;
    int count;
    double mass[MOST];
    Vec3 gravity;
} Chain;

static void add_joint(Text *text, int i, Vec3 at) {
    static const char *const kinds[] = {"clamp",         "revolute",       "revolute",  "spherical",
                                        "prismatic",     "cylindrical",    "universal", "planar",
                                        "point_on_line", "point_in_plane", "distance",  "general"};
    const char *kind = kinds[choose(sizeof kinds / sizeof *kinds)];
    add(text, "    j%d: {%s: ", i, kind);
    if (i == 0) add(text, "b0");
    else add(text, "[b%d, b%d]", i - 1, i);
    if (strcmp(kind, "distance") != 0) {
        add(text, ", at: %.5f %.5f %.5f m", at.x, at.y, at.z);
        add_vector(text, ", axis: ", 1, "");
        add_vector(text, ", second_axis: ", 1, "");
    }
    if (strcmp(kind, "general") == 0) {
        static const char *const kept[] = {"[x]", "[y, z]", "[z]", "[x, z]", "all"};
        add(text, ", translations: %s, rotations: %s", kept[choose(5)], kept[choose(5)]);
    }
    bool drive = uniform(0, 1) < 0.4;
    if (drive && strcmp(kind, "revolute") == 0) add(text, ", angle: 0.3*sin(9*t/(1 s))");
    if (drive && strcmp(kind, "prismatic") == 0) add(text, ", speed: 0.2 m/s*sin(9*t/(1 s))");
    add(text, "}\n");
}

static void make_chain(Chain *chain, int seed, double step) {
    Text *text = &chain->text;
    Vec3 at[MOST];
    *chain = (Chain){0};
    chance = (uint64_t)seed * 1000003u + 17;
    for (int i = 0; i < 5; i++) uniform(0, 1);
    chain->count = 2 + choose(MOST - 1);
    chain->gravity = add_vector(text, "maraca: 1\ngravity: ", 6, " m/s^2\n");
    add(text, "mechanism:\n  integrator: {rho_inf: 1, tolerance: 1e-8}\n  bodies:\n");
    for (int i = 0; i < chain->count; i++) {
        at[i] = vec3(0.3 * (i + 1) + uniform(-0.1, 0.1), uniform(-0.2, 0.2), uniform(-0.2, 0.2));
        chain->mass[i] = round(1e4 * uniform(0.2, 2)) / 1e4;
        add(text, "    b%d: {position: %.5f %.5f %.5f m, mass: %.4f kg, ", i, at[i].x, at[i].y, at[i].z,
            chain->mass[i]);
        add_vector(text, "rotation: {axis: ", 1, "");
        add(text, ", angle: %.4f rad}, inertia: %.4f %.4f %.4f %.4f 0 %.4f g*m^2}\n", uniform(-3, 3),
            uniform(10, 20), uniform(10, 20), uniform(10, 20), uniform(-2, 2), uniform(-2, 2));
    }
    add(text, "  joints:\n");
    for (int i = 0; i < chain->count; i++)
        add_joint(text, i, vec3_scale(0.5, i ? vec3_add(at[i], at[i - 1]) : at[i]));
    add(text, "  springs:\n");
    for (int i = 1; i < chain->count; i++) {
        add(text, "    s%d: {between: [b%d, b%d], stiffness: %.2f N/m, preload: %.2f N, ", i, i - 1, i,
            uniform(10, 400), uniform(0, 3));
        add_vector(text, "offsets: [", 0.1, " m, ");
        add_vector(text, "", 0.1, " m]}\n");
    }
    add(text,
        "  bushings: {u: {between: [b0, b1], stiffness: %.1f 200 300 N/m, rotational_stiffness: 1 2 3 "
        "N*m/rad}}\n",
        uniform(50, 500));
    add(text, "simulate: {duration: 0.6 s, step: %g s}\n", step);
}

// ---- its motion --------------------------------------------------------------------------------------
typedef struct Found {
    double energy;  // largest change, over what is in play
    double balance; // what the first joint exerts less what is needed, over the largest need
} Found;

static Found follow(const Chain *chain) {
    MrcModel *model = mrc_model_parse(chain->text.at, chain->text.used, "chain", NULL, 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", chain->text.at);
    Run run = start(model);
    double begin = 0, off = 0, play = 0, wrong = 0, largest = 1e-9;
    for (int n = 0;; n++) {
        double moving = value(&run, "energy.kinetic") + value(&run, "energy.elastic");
        double stored = moving + value(&run, "energy.potential") - value(&run, "energy.work");
        if (n == 0) begin = stored;
        off = fmax(off, fabs(stored - begin));
        play = fmax(play, moving);
        Vec3 need = vec3_zero();
        for (int b = 0; b < chain->count; b++) {
            char name[20];
            snprintf(name, sizeof name, "b%d.a", b);
            need = vec3_madd(need, chain->mass[b], vec3_sub(vector(&run, name), chain->gravity));
        }
        wrong = fmax(wrong, vec3_norm(vec3_sub(vector(&run, "j0.f"), need)));
        largest = fmax(largest, vec3_norm(need));
        if (is_done(&run)) break;
        step(&run);
    }
    assert_true(fact(&run, "mechanism.violation") < 1e-9);
    check_near(fact(&run, "mechanism.retries"), 0, 0);
    end(&run);
    return (Found){off / play, wrong / largest};
}

static void any_chain_keeps_its_energy(void **state) {
    (void)state;
    Found worst = {0};
    for (int seed = 0; seed < 12; seed++) {
        Chain chain;
        Found found[2];
        for (int fine = 0; fine < 2; fine++) {
            make_chain(&chain, seed, fine ? 5e-4 : 1e-3);
            found[fine] = follow(&chain);
        }
        bool good = found[1].energy < 1e-4 && found[1].balance < 1e-5 &&
                    (found[1].energy < 0.35 * found[0].energy || found[1].energy < 1e-5);
        if (!good)
            fail_msg("energy off by %g, %g, forces by %g:\n%s", found[0].energy, found[1].energy,
                     found[1].balance, chain.text.at);
        worst.energy = fmax(worst.energy, found[1].energy);
        worst.balance = fmax(worst.balance, found[1].balance);
    }
    print_message("12 chains: energy off by %.1e, forces by %.1e\n", worst.energy, worst.balance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_chain_keeps_its_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
