// Closed loops over long times.
#include "../mechanism/rig.h"

// Energy of an undamped four-bar over a hundred turns of its crank, at rho_inf = 1.
static void test_four_bar(void **state) {
    (void)state;
    Rig rig;
    rig_four_bar(&rig);
    FourBarRun run = rig_run_four_bar(&rig, 2.5e-4, 100);
    print_message("four-bar: %lld steps, energy off by %.2e, violation %.1e\n", (long long)run.steps,
                  run.energy, run.violation);
    assert_true(run.energy < 1e-4);
    assert_true(run.violation < 1e-12);
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_bar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
