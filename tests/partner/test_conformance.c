// One suite for every partner: what a partner promises (partner/partner.h), each kind keeps.
//
//     save, advance, restore   the same bits again; a step that is begun again is forgotten
//     energy                   what went through the ports, less losses, is in the partner's own energies
//     mobility                 velocities jump by Y times the impulses
//     signals                  names listed from the definition are those of the partner, and each has a value
//     frames and facts         can be asked for at any time, and change nothing
//     archive                  a state that was saved and loaded goes on with the same bits
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "model/model.h"
#include "partner/guests.h"
#include "sim/partners.h"
#include "sim/sim.h"

// A box on a spring and a guide that sags onto a stop, grains in it, and a plate that is shaken beside it.
static const char *const model_text =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
    "mechanism:\n"
    "  formulation: %s\n"
    "  bodies: {box: {mass: 20 g, inertia: 2 3 4 kg*mm^2}, arm: {mass: 5 g, inertia: 1 1 1 kg*mm^2, "
    "position: 9 0 0 mm}}\n"
    "  joints: {guide: {prismatic: box, axis: z}, hinge: {revolute: [box, arm], axis: y}}\n"
    "  springs: {spring: {between: box, offsets: [[0, 0, 0], [0, 0, 50 mm]], stiffness: 2 kN/m, damping: "
    "1 N*s/m}}\n"
    "ports:\n"
    "  shaker: {position: [0, 0, 1 mm*sin(2*pi*30 Hz*t)], rotation: {axis: x, angle: 0.1*sin(2*pi*20 "
    "Hz*t)}}\n"
    "  %s\n"
    "stops: {end: {port: box, points: [0 0 0 mm, 9 0 0 mm], radius: 1 mm, friction: 0.3, restitution: 0.4, "
    "wall: {plane: {normal: z, point: 0 0 -1.1 mm}}}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: %s\n"
    "    walls: {room: {box: {size: 12 12 12 mm}}, plate: {port: shaker, plane: {normal: z, point: 0 0 -5 "
    "mm}}}\n"
    "    particles: {radius: 1.5 mm, count: 12, material: glass}\n"
    "    packing: {random: {seed: 3}}\n"
    "    method: %s\n"
    "    contact: %s\n"
    "%s"
    "simulate: {duration: 50 ms, step: 0.1 ms}\n";

static const char *const flow_text =
    "inlets: {feed: {bed: bed, port: cup, region: {box: {size: 10 10 4 mm, center: 0 0 4 mm}}, rate: 5 "
    "g/s}}\n"
    "outlets: {drain: {bed: bed, port: box, region: {box: {size: 6 12 7 mm, center: 3 0 -4 mm}}}}\n"
    "meters: {middle: {bed: bed, port: shaker, plane: {point: 0 0 -1 mm, normal: -z}}}\n";

typedef struct Case {
    MrcModel *model;
    Sim *sim;
    Rig rig;
    Plumb plumb;
    MrcPartnerSignal signal;
    MrcPartner partners[2];
    const MrcPartner *list[2];
} Case;

static const char *const plumb_port[] = {"box"};

// 0: rigid grains on the mechanism; 1: smooth ones; 2: rigid grains on a driver of the program; 3 and 4: as 0 and 1 with
// the mechanism in relative coordinates; 5: as 0 by contact dynamics; 6: as 1 with grains that come and leave. A stop and
// a follower of the program are on the mechanism in all of them.
static Case *begin(int kind) {
    Case *c = test_calloc(1, sizeof *c);
    char text[4000];
    MrcError error = {0};
    bool smooth = kind == 1 || kind == 4 || kind == 6, relative = kind == 3 || kind == 4;
    snprintf(text, sizeof text, model_text, relative ? "relative" : "absolute",
             kind == 2 ? "cup: {partner: rig}" : "cup: {node: box}", "cup",
             smooth      ? "smooth"
             : kind == 5 ? "nscd"
                         : "nonsmooth",
             smooth ? "{stiffness: 2 kN/m}" : "{}", kind == 6 ? flow_text : "");
    c->model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(c->model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(c->model, i)->line,
                    mrc_model_diagnostic(c->model, i)->text);
    assert_int_equal(mrc_model_status(c->model), MRC_OK);
    c->rig = (Rig){.m = 0.02, .k = 2000, .c = 0.5, .s = {.z = 1e-3, .z1 = 1e-3}};
    c->plumb = (Plumb){.m = 0.002, .k = 200, .length = 0.03, .s = {.z = -0.031}};
    c->partners[0] = plumb_partner(&c->plumb, plumb_port);
    c->partners[1] = rig_partner(&c->rig, &c->signal);
    c->list[0] = &c->partners[0], c->list[1] = &c->partners[1];
    SimSetting setting = {.partners = c->list, .partner_count = kind == 2 ? 2 : 1};
    if (sim_create(model_definition(c->model), &setting, &c->sim, &error) != MRC_OK)
        fail_msg("%s", error.text);
    return c;
}

static void end(Case *c) {
    sim_destroy(c->sim);
    mrc_model_free(c->model);
    test_free(c);
}

static void run_on(Case *c, int steps) {
    MrcError error = {0};
    for (int n = 0; n < steps; n++)
        if (sim_step(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
}

static const int kinds = 7;

// ---- save and restore ----------------------------------------------------------------------------
// One follower, from the same state three times, at ports that yield by Y or, NULL, not at all.
static void follow_three_times(const Case *c, const Partner *partner, const double *Y) {
    const Sim *sim = c->sim;
    const FollowerVerbs *verbs = partner->type->follower;
    size_t n = (size_t)sim->port_count;
    MrcError error = {0};
    Motion *ports = test_calloc(n, sizeof *ports);
    Load *first = test_calloc(2 * n, sizeof *first), *second = test_calloc(2 * n, sizeof *second);
    coupling_motions(&sim->coupling, ports);
    for (size_t p = 0; p < n; p++) ports[p].velocity.z += 0.2, ports[p].angular_velocity.x += 1;
    assert_int_equal(verbs->save(partner->self, &error), MRC_OK);
    for (int again = 0; again < 3; again++) {
        Load *out = again ? second : first;
        for (int step = 0; step < 4; step++)
            if (verbs->advance(partner->self, sim->clock.step, ports, Y, out, out + n, &error) != MRC_OK)
                fail_msg("%s", error.text);
        if (again) assert_memory_equal(first, second, 2 * n * sizeof *first);
        assert_int_equal(verbs->restore(partner->self, &error), MRC_OK);
    }
    test_free(ports), test_free(first), test_free(second);
}

static void followers_repeat_themselves(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        MrcError error = {0};
        Sim *sim = c->sim;
        const Drivers *d = &sim->coupling.drivers;
        double Y[48 * 48];
        run_on(c, 120);
        assert_int_equal(drivers_begin(d, clock_time(&sim->clock), sim->clock.step, &error), MRC_OK);
        assert_int_equal(drivers_advance(d, NULL, &error), MRC_OK);
        assert_int_equal(drivers_mobility(d, 1, Y, &error), MRC_OK);
        for (int k = sim->driver_count; k < sim->partner_count; k++) {
            if (!sim->partners[k].type->follower) continue;
            follow_three_times(c, &sim->partners[k], Y);
            bool needs_mobility = strcmp(sim->partners[k].type->kind, "stops") == 0;
            if (!needs_mobility) follow_three_times(c, &sim->partners[k], NULL);
        }
        end(c);
    }
}

static void drivers_forget_a_step_that_is_begun_again(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        MrcError error = {0};
        const Drivers *d = &c->sim->coupling.drivers;
        run_on(c, 120);
        Load loads[8] = {0}, none[8] = {0};
        double t = clock_time(&c->sim->clock), h = c->sim->clock.step;
        for (int p = 0; p < d->port_count; p++) loads[p].force.z = 3, loads[p].moment.y = 1e-3;
        Motion first[8], second[8];
        assert_int_equal(drivers_begin(d, t, h, &error), MRC_OK);
        assert_int_equal(drivers_advance(d, loads, &error), MRC_OK);
        for (int p = 0; p < d->port_count; p++) first[p] = drivers_motion(d, p);
        assert_int_equal(drivers_begin(d, t, h, &error), MRC_OK);
        assert_int_equal(drivers_advance(d, none, &error), MRC_OK);
        bool moved = false;
        for (int p = 0; p < d->port_count; p++)
            moved = moved || drivers_motion(d, p).velocity.z != first[p].velocity.z;
        assert_true(moved); // loads do something
        assert_int_equal(drivers_begin(d, t, h, &error), MRC_OK);
        assert_int_equal(drivers_advance(d, loads, &error), MRC_OK);
        for (int p = 0; p < d->port_count; p++) second[p] = drivers_motion(d, p);
        assert_memory_equal(first, second, (size_t)d->port_count * sizeof *first);
        end(c);
    }
}

// ---- mobility ------------------------------------------------------------------------------------
static void velocities_jump_by_mobility_times_impulse(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        MrcError error = {0};
        const Drivers *d = &c->sim->coupling.drivers;
        int n = c->sim->coupling.yielding, size = 6 * d->port_count;
        run_on(c, 150);
        double t = clock_time(&c->sim->clock), h = c->sim->clock.step, Y[48 * 48];
        for (int column = 0; column < 6 * n; column++) {
            Load impulses[8] = {0};
            Motion before[8];
            (&impulses[column / 6].force.x)[column % 6] = 1e-6;
            assert_int_equal(drivers_begin(d, t, h, &error), MRC_OK);
            assert_int_equal(drivers_advance(d, NULL, &error), MRC_OK);
            assert_int_equal(drivers_mobility(d, 1, Y, &error), MRC_OK);
            for (int p = 0; p < d->port_count; p++) before[p] = drivers_motion(d, p);
            assert_int_equal(drivers_impulse(d, impulses, impulses, NULL, &error), MRC_OK);
            double largest = 0;
            for (int i = 0; i < size; i++) largest = fmax(largest, fabs(Y[i * size + column]));
            for (int p = 0; p < d->port_count; p++) {
                Motion after = drivers_motion(d, p);
                Vec3 dv = vec3_sub(after.velocity, before[p].velocity),
                     dw = vec3_sub(after.angular_velocity, before[p].angular_velocity);
                for (int i = 0; i < 3; i++) {
                    check_near(vec3_component(dv, i), 1e-6 * Y[(6 * p + i) * size + column],
                               2e-4 * 1e-6 * largest);
                    check_near(vec3_component(dw, i), 1e-6 * Y[(6 * p + 3 + i) * size + column],
                               2e-4 * 1e-6 * largest);
                }
            }
            for (int i = 6 * n; i < size; i++) // what is prescribed does not yield
                for (int j = 0; j < size; j++) assert_true(Y[i * size + j] == 0 && Y[j * size + i] == 0);
        }
        end(c);
    }
}

// ---- all of them ---------------------------------------------------------------------------------
#define TYPE(name, member) &partner_##name,
static const PartnerType *const types[] = {&partner_mechanism, &partner_prescribed, &partner_guest_driver,
                                           &partner_guest_follower, SIM_PARTNERS(TYPE)};
enum { type_count = sizeof types / sizeof *types };

// A suite that leaves one out, or a stop that is never touched, would show nothing.
static void every_partner_takes_part(void **state) {
    (void)state;
    bool seen[type_count] = {0};
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        const SignalList *live = &c->sim->recorder.signals;
        double pushed = 0;
        MrcError error = {0};
        for (int n = 0; n < 100; n++) {
            run_on(c, 1);
            if (sim_sample(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
            for (size_t s = 0; s < live->signals.count; s++)
                if (strcmp(live->signals.data[s].name, "end.force") == 0)
                    pushed += *live->signals.data[s].value;
        }
        assert_true(pushed > 0);
        for (int k = 0; k < c->sim->partner_count; k++) {
            int type = 0;
            while (type < type_count && types[type] != c->sim->partners[k].type) type++;
            if (type == type_count) fail_msg("'%s' is not in the list", c->sim->partners[k].type->kind);
            seen[type] = true;
        }
        end(c);
    }
    for (int type = 0; type < type_count; type++)
        if (!seen[type]) fail_msg("no case has the partner '%s'", types[type]->kind);
}

// ---- frames and facts ----------------------------------------------------------------------------
static void ask_for_frames_and_facts(const Case *c) {
    Arena *arena = arena_create();
    FactList facts;
    MrcError error = {0};
    fact_list_start(&facts, arena);
    for (int k = 0; k < c->sim->partner_count; k++) {
        const Partner *partner = &c->sim->partners[k];
        if (partner->type->facts) partner->type->facts(partner->self, &facts);
        assert_int_equal(facts.depth, 0); // groups that were begun have ended
        for (int view = 0; view < FRAME_VIEW_COUNT && partner->type->frames; view++) {
            FrameList frames = {.arena = arena};
            if (partner->type->frames(partner->self, view, &frames, &error) != MRC_OK)
                fail_msg("%s", error.text);
            frame_list_free(&frames);
        }
        if (partner->type->check_finite)
            assert_int_equal(partner->type->check_finite(partner->self, &error), MRC_OK);
    }
    assert_false(facts.incomplete);
    fact_list_free(&facts);
    arena_destroy(arena);
}

// ---- energy --------------------------------------------------------------------------------------
// The ledger of the whole closes with what each partner says of itself.
static void energies_add_up(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        MrcError error = {0};
        if (sim_sample(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
        run_on(c, 500);
        if (sim_sample(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
        const Ledger *l = &c->sim->ledger;
        double scale = ledger_scale(l);
        print_message("kind %d: error %.2e, ports %.2e, numerical %.2e of %.3e J\n", kind, l->error / scale,
                      l->ports / scale, l->algorithm / scale, scale);
        check_near(l->error, 0, 2e-3 * scale);
        check_near(l->ports, 0, 2e-2 * scale);
        check_near(l->algorithm, 0, 5e-2 * scale);
        end(c);
    }
}

// ---- signals -------------------------------------------------------------------------------------
static void signals_listed_are_signals_read(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        MrcError error = {0};
        Arena *arena = arena_create();
        SignalList names = {.arena = arena};
        sim_signals(c->sim->definition, NULL, &names);
        const SignalList *live = &c->sim->recorder.signals;
        size_t own = kind == 2 ? 1 : 0; // of the program's driver: known only when it is there
        assert_int_equal(names.signals.count + own, live->signals.count);
        run_on(c, 10);
        if (sim_sample(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
        size_t k = 0;
        for (size_t s = 0; s < live->signals.count; s++) {
            const Signal *signal = &live->signals.data[s];
            assert_non_null(signal->value);
            assert_true(isfinite(*signal->value));
            if (strcmp(signal->name, "rig.force") == 0) continue;
            assert_null(names.signals.data[k].value);
            assert_string_equal(names.signals.data[k].name, signal->name);
            assert_string_equal(names.signals.data[k++].unit, signal->unit);
        }
        signal_list_free(&names);
        arena_destroy(arena);
        end(c);
    }
}

// ---- archive -------------------------------------------------------------------------------------
// Whole states as bytes: an archive in memory, read back as such.
static void states_go_on_alike(void **state) {
    (void)state;
    for (int kind = 0; kind < kinds; kind++) {
        Case *c = begin(kind);
        Archive *middle = archive_memory_create();
        MrcError error = {0};
        run_on(c, 100);
        archive_memory_save(middle);
        sim_archive(c->sim, middle);
        assert_int_equal(archive_status(middle, &error), MRC_OK);
        double first[400], again;
        for (int round = 0; round < 3; round++) {
            run_on(c, 75);
            if (round == 1) ask_for_frames_and_facts(c);
            run_on(c, 75);
            if (sim_sample(c->sim, &error) != MRC_OK) fail_msg("%s", error.text);
            const SignalList *live = &c->sim->recorder.signals;
            for (size_t s = 0; s < live->signals.count && s < 400; s++) {
                again = *live->signals.data[s].value;
                if (round == 0) first[s] = again;
                else if (strncmp(live->signals.data[s].name, "energy.error", 12) != 0)
                    assert_memory_equal(&first[s], &again, sizeof again);
            }
            archive_memory_load(middle);
            sim_archive(c->sim, middle);
            if (archive_status(middle, &error) != MRC_OK) fail_msg("%s", error.text);
        }
        archive_destroy(middle);
        end(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partner_takes_part),
        cmocka_unit_test(followers_repeat_themselves),
        cmocka_unit_test(drivers_forget_a_step_that_is_begun_again),
        cmocka_unit_test(velocities_jump_by_mobility_times_impulse),
        cmocka_unit_test(energies_add_up),
        cmocka_unit_test(signals_listed_are_signals_read),
        cmocka_unit_test(states_go_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
