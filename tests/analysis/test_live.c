// The live simulation, through the public headers alone.
#include "maraca/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "partner/guests.h"

static MrcModel *parse(const char *text) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_message("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static MrcSim *create(const MrcModel *model, const MrcPartner *const *partners, int count) {
    MrcSim *sim;
    MrcError error = {0};
    MrcSimOptions options = mrc_sim_options_default();
    options.partners = partners, options.partner_count = count, options.threads = 1;
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    return sim;
}

static void advance(MrcSim *sim, double until) {
    MrcError error = {0};
    if (mrc_sim_advance(sim, until, &error) != MRC_OK) fail_msg("%s", error.text);
}

static double value(MrcSim *sim, const char *name) {
    int handle = mrc_sim_find_signal(sim, name);
    assert_true(handle >= 0);
    return mrc_sim_value(sim, handle);
}

#define BED                                                                                                  \
    "gravity: 0 0 -9.81 m/s^2\n"                                                                             \
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0}}\n"                            \
    "grains:\n"                                                                                              \
    "  bed:\n"                                                                                               \
    "    port: box\n"                                                                                        \
    "    wall: {box: {size: 20 20 14 mm}}\n"                                                                 \
    "    particles: {radius: 1.5 mm, count: 40, material: lead}\n"                                           \
    "    packing: {random: {seed: 1}}\n"                                                                     \
    "    method: nonsmooth\n"                                                                                \
    "    contact: {solver: {tolerance: 1e-9}}\n"                                                             \
    "simulate: {duration: 0.1 s, step: 0.1 ms}\n"

static const char by_partner[] = "maraca: 1\nports: {box: {partner: rig}}\n" BED;
static const char by_mechanism[] =
    "maraca: 1\n"
    "mechanism:\n"
    "  bodies: {mass: {mass: 50 g, inertia: 1 1 1 g*m^2, position: 0 0 4 mm}}\n"
    "  joints: {guide: {prismatic: mass, axis: z}}\n"
    "  forces: {hold: {at: mass, force: [0, 0, 'a*9.81 m/s^2 - k*mass.z - "
    "c*mass.vz']}}\n"
    "constants: {a: 50 g, k: 500 N/m, c: 0.5 N*s/m}\n"
    "ports: {box: {node: mass}}\n" BED;

// The same machine once as a partner of the program and once as a mechanism of the model file.
static void a_partner_is_worth_a_mechanism(void **state) {
    (void)state;
    Rig rig = {.m = 0.05, .k = 500, .c = 0.5, .s = {.z = 4e-3, .z1 = 4e-3}};
    MrcPartnerSignal signal;
    MrcPartner partner = rig_partner(&rig, &signal);
    const MrcPartner *partners[] = {&partner};
    MrcModel *models[2] = {parse(by_partner), parse(by_mechanism)};
    MrcSim *own = create(models[0], partners, 1), *ours = create(models[1], NULL, 0);
    double apart = 0, largest = 0;
    for (int n = 1; n <= 100; n++) {
        advance(own, 1e-3 * n), advance(ours, 1e-3 * n);
        double a = value(own, "box.z"), b = value(ours, "box.z");
        apart = fmax(apart, fabs(a - b)), largest = fmax(largest, fabs(b));
        check_near(value(own, "energy.error"), 0, 1e-9);
    }
    print_message("apart by %.2e of %.2e m\n", apart, largest);
    assert_true(apart < 0.02 * largest); // impacts of two integrators
    mrc_sim_free(own), mrc_sim_free(ours);
    mrc_model_free(models[0]), mrc_model_free(models[1]);
}

static void states_are_restored(void **state) {
    (void)state;
    MrcModel *model = parse(by_mechanism);
    MrcSim *sim = create(model, NULL, 0);
    MrcState *kept = NULL;
    MrcError error = {0};
    advance(sim, 0.03);
    assert_int_equal(mrc_sim_save(sim, &kept, &error), MRC_OK);
    double first[300], again;
    int count = mrc_sim_signal_count(sim);
    assert_true(count < 300);
    for (int round = 0; round < 3; round++) {
        advance(sim, 0.06);
        for (int s = 0; s < count; s++) {
            again = mrc_sim_value(sim, s);
            if (round == 0) first[s] = again;
            assert_memory_equal(&first[s], &again, sizeof again);
        }
        if (round == 1) assert_int_equal(mrc_sim_step(sim, &error), MRC_OK); // from anywhere
        assert_int_equal(mrc_sim_restore(sim, kept, &error), MRC_OK);
        check_near(mrc_sim_time(sim), 0.03, 1e-12);
    }
    MrcModel *other = parse("maraca: 1\nmechanism: {bodies: {a: {mass: 1 kg, inertia: 1 1 1 kg*m^2}}}\n"
                            "simulate: {duration: 1 s, step: 1 ms}\n");
    MrcSim *stranger = create(other, NULL, 0);
    assert_int_equal(mrc_sim_restore(stranger, kept, &error), MRC_USAGE);
    mrc_state_free(kept);
    mrc_sim_free(sim), mrc_sim_free(stranger);
    mrc_model_free(model), mrc_model_free(other);
}

static void orientations_on_request(void **state) {
    (void)state;
    MrcModel *model = parse(by_mechanism);
    MrcSimOptions options = mrc_sim_options_default();
    MrcSim *sim;
    MrcError error = {0};
    MrcGrains grains;
    options.keep_orientation = true;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_OK);
    advance(sim, 0.04);
    assert_int_equal(mrc_sim_grains(sim, 0, &grains, &error), MRC_OK);
    double most = 0;
    for (int64_t i = 0; i < grains.count; i++) {
        const double q[4] = {grains.qw[i], grains.qx[i], grains.qy[i], grains.qz[i]};
        check_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
        most = fmax(most, 1 - fabs(q[0]));
    }
    assert_true(most > 1e-6); // grains have turned
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void views_show_the_state(void **state) {
    (void)state;
    MrcModel *model = parse(by_mechanism);
    MrcSim *sim = create(model, NULL, 0);
    MrcError error = {0};
    MrcGrains grains;
    MrcMotion node, port;
    MrcLoad load;
    advance(sim, 0.04);
    assert_int_equal(mrc_sim_bed_count(sim), 1);
    assert_string_equal(mrc_sim_bed_name(sim, 0), "bed");
    assert_int_equal(mrc_sim_grains(sim, 0, &grains, &error), MRC_OK);
    assert_int_equal(grains.count, 40);
    double sum = 0;
    for (int64_t i = 0; i < grains.count; i++) {
        assert_int_equal(grains.id[i], i);
        check_near(grains.radius[i], 1.5e-3, 0);
        sum += grains.z[i] / 40;
    }
    check_near(sum, value(sim, "bed.center.z"), 1e-15);
    assert_int_equal(mrc_sim_node_count(sim), 1);
    assert_string_equal(mrc_sim_node_name(sim, 0), "mass");
    mrc_sim_node(sim, 0, &node);
    check_near(node.position[2], value(sim, "mass.z"), 0);
    assert_int_equal(mrc_sim_port_count(sim), 1);
    mrc_sim_port(sim, 0, &port, &load);
    check_near(port.position[2], value(sim, "box.z"), 0);
    check_near(load.force[2], value(sim, "box.load.fz"), 0);
    assert_null(grains.qw); // not asked for
    assert_int_equal(mrc_sim_grains(sim, 1, &grains, &error), MRC_USAGE);
    assert_int_equal(mrc_sim_find_signal(sim, "nobody"), -1);
    assert_true(isnan(mrc_sim_value(sim, -1)));
    assert_string_equal(mrc_sim_signal(sim, mrc_sim_find_signal(sim, "energy.work")).unit, "J");
    mrc_sim_free(sim);
    mrc_model_free(model);
}

// What is missing or wrong is said, with the name of the partner or port.
// Results of a simulation that is still under way are those of a run that ends here.
static void facts_so_far(void **state) {
    (void)state;
    static const char *const names[] = {"grains.bed.mass_kg",       "coupling.steps",
                                        "coupling.energy_passed_j", "energy.kinetic",
                                        "energy.relative_error",    "energy.impact"};
    MrcModel *model = parse(by_mechanism),
             *short_model = mrc_model_parse(by_mechanism, strlen(by_mechanism), "test",
                                            (const char *[]){"simulate.duration=20 ms"}, 1);
    MrcSim *sim = create(model, NULL, 0);
    MrcRunOptions options = mrc_run_options_default();
    MrcRunInfo info;
    MrcError error;
    options.threads = 1;
    advance(sim, 0.02);
    assert_int_equal(mrc_run(short_model, &options, &info, &error), MRC_OK);
    MrcFacts *facts = mrc_sim_facts(sim);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const MrcFact *live = mrc_facts_find(facts, names[k]), *run = mrc_facts_find(info.facts, names[k]);
        assert_true(live && run && isfinite(live->number));
        print_message("%s = %g %s\n", names[k], live->number, live->unit);
        // The largest error is that of the samples, of which a run takes more.
        if (strcmp(names[k], "energy.relative_error") != 0) assert_true(live->number == run->number);
    }
    mrc_facts_free(facts);
    mrc_run_info_free(&info);
    mrc_sim_free(sim);
    mrc_model_free(model);
    mrc_model_free(short_model);
}

static void mistakes_are_named(void **state) {
    (void)state;
    MrcModel *model = parse(by_partner);
    MrcSim *sim;
    MrcError error = {0};
    MrcSimOptions options = mrc_sim_options_default();
    Rig rig = {.m = 0.05, .k = 500};
    MrcPartnerSignal signal;
    MrcPartner partner = rig_partner(&rig, &signal);
    const MrcPartner *partners[] = {&partner};
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "'rig'"));
    options.partners = partners, options.partner_count = 1;
    partner.name = "other";
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "'other'"));
    partner.name = "rig", partner.mobility = NULL;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_USAGE);
    partner.impulse = NULL; // loads only: not for the scheme condensed
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "mobility"));
    partner = rig_partner(&rig, &signal);
    const MrcPartner *twice[] = {&partner, &partner};
    options.partners = twice, options.partner_count = 2;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_USAGE);
    assert_non_null(strstr(error.text, "two partners are called 'rig'"));
    options.partners = partners, options.partner_count = 1;
    partner.size = 0;
    assert_int_equal(mrc_sim_create(model, &options, &sim, &error), MRC_USAGE);
    mrc_model_free(model);
}

// A state is all that a row of the series needs: of a run that is resumed where a row is due, too.
static void a_state_is_measured_the_same_elsewhere(void **state) {
    (void)state;
    static const char *const schemes[] = {"condensed", "monolithic", "explicit", "tight"};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "gravity: 0 0 -9.81 m/s^2\n"
                 "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
                 "mechanism:\n"
                 "  bodies: {cup: {mass: 50 g, inertia: 10 10 10 kg*mm^2}}\n"
                 "  joints: {guide: {prismatic: cup, axis: z}}\n"
                 "  forces: {shaker: {at: cup, force: [0, 0, 0.6 N]}}\n"
                 "grains:\n"
                 "  bed:\n"
                 "    port: cup\n"
                 "    wall: {box: {size: [12 mm, 12 mm, 12 mm]}}\n"
                 "    particles: {radius: 1 mm, count: 40, material: glass}\n"
                 "    packing: fcc\n"
                 "    contact: {normal: linear, stiffness: 5 kN/m, tangential: elastic}\n"
                 "coupling: {scheme: %s}\n"
                 "simulate: {duration: 10 ms, step: 5 us}\n",
                 schemes[k]);
        MrcModel *model = parse(text);
        MrcSim *sim = create(model, NULL, 0), *other = create(model, NULL, 0);
        MrcState *saved = NULL;
        MrcError error = {0};
        for (int row = 1; row <= 8; row++) {
            advance(sim, row * 1e-3);
            assert_int_equal(mrc_sim_save(sim, &saved, &error), MRC_OK);
            assert_int_equal(mrc_sim_restore(other, saved, &error), MRC_OK);
            for (int s = 0; s < mrc_sim_signal_count(sim); s++)
                if (mrc_sim_value(sim, s) != mrc_sim_value(other, s))
                    fail_msg("%s, %s: %.17g and %.17g", schemes[k], mrc_sim_signal(sim, s).name,
                             mrc_sim_value(sim, s), mrc_sim_value(other, s));
        }
        mrc_state_free(saved);
        mrc_sim_free(sim);
        mrc_sim_free(other);
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partner_is_worth_a_mechanism),
        cmocka_unit_test(states_are_restored),
        cmocka_unit_test(a_state_is_measured_the_same_elsewhere),
        cmocka_unit_test(views_show_the_state),
        cmocka_unit_test(orientations_on_request),
        cmocka_unit_test(facts_so_far),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
