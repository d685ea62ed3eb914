// Facts: groups and arrays, names with dots, looking for them, errors, memory, and what JSON makes of them.
#include "base/fact.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "check.h"

// A list as a simulation might make it.
static void add_facts(FactList *list) {
    fact_text(list, "title", "A cylinder", "title");
    fact_text(list, "message", NULL, "message");
    fact_group_begin(list, "grains");
    fact_group_begin(list, "damper");
    fact_number(list, "mass_kg", 0.007, "kg", "mass");
    fact_count(list, "count", 147, "grains");
    fact_group_end(list);
    fact_group_begin(list, "arm.end"); // names of nodes have dots
    fact_number_with_error(list, "x", 2.5, 0.125, "m", "position");
    fact_group_begin(list, "deep");
    fact_flag(list, "held", true, "held");
    fact_group_end(list);
    fact_group_end(list);
    fact_group_end(list);
    fact_array_begin(list, "modes");
    for (int k = 0; k < 2; k++) {
        fact_group_begin(list, NULL);
        fact_number(list, "frequency_hz", 10.0 + k, "Hz", "frequency");
        fact_array_begin(list, "shape");
        for (int c = 0; c < 3; c++) fact_number(list, NULL, k + 0.5 * c, "m", "displacement");
        fact_group_end(list);
        fact_group_end(list);
    }
    fact_group_end(list);
    fact_array_begin(list, "warnings");
    fact_group_end(list);
    fact_group_begin(list, "coupling");
    fact_group_end(list);
    fact_number(list, "time_s", NAN, "s", "time");
}

static MrcFacts *make(void) {
    MrcFacts *facts = facts_create();
    assert_non_null(facts);
    add_facts(&facts->list);
    assert_false(facts->list.incomplete);
    return facts;
}

static double number(const MrcFacts *facts, const char *name) {
    const MrcFact *fact = mrc_facts_find(facts, name);
    assert_non_null(fact);
    assert_string_equal(fact->name, name);
    return fact->number;
}

static void facts_are_found_by_their_whole_name(void **state) {
    (void)state;
    MrcFacts *facts = make();
    assert_true(number(facts, "grains.damper.mass_kg") == 0.007);
    assert_true(number(facts, "grains.arm.end.x") == 2.5);
    assert_true(number(facts, "modes.1.frequency_hz") == 11);
    assert_true(number(facts, "modes.0.shape.2") == 1);
    assert_true(mrc_facts_find(facts, "grains.arm.end.deep.held")->flag);
    const char *missing[] = {"grains",     "grains.damper",      "damper.mass_kg",       "mass_kg",
                             "grains.arm", "grains.damper.mass", "modes.2.frequency_hz", ""};
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
        assert_null(mrc_facts_find(facts, missing[k]));
    mrc_facts_free(facts);
}

static void facts_know_what_they_are(void **state) {
    (void)state;
    MrcFacts *facts = make();
    const MrcFact *mass = mrc_facts_find(facts, "grains.damper.mass_kg");
    assert_int_equal(mass->kind, MRC_FACT_NUMBER);
    assert_string_equal(mass->unit, "kg");
    assert_string_equal(mass->words, "mass");
    assert_true(isnan(mass->error));
    assert_true(mrc_facts_find(facts, "grains.arm.end.x")->error == 0.125);
    const MrcFact *count = mrc_facts_find(facts, "grains.damper.count");
    assert_int_equal(count->kind, MRC_FACT_COUNT);
    assert_true(count->count == 147 && count->number == 147);
    assert_null(mrc_facts_find(facts, "message")->text);
    assert_string_equal(mrc_facts_find(facts, "title")->text, "A cylinder");
    assert_int_equal(mrc_facts_find(facts, "warnings")->kind, MRC_FACT_EMPTY);
    assert_int_equal(mrc_facts_count(facts), 17);
    assert_string_equal(mrc_facts_get(facts, 0)->name, "title");
    assert_string_equal(mrc_facts_get(facts, 16)->name, "time_s");
    assert_null(mrc_facts_get(facts, 17));
    assert_null(mrc_facts_get(facts, -1));
    mrc_facts_free(facts);
}

static void groups_can_be_walked(void **state) {
    (void)state;
    MrcFacts *facts = make();
    const char *outer[] = {"grains", "modes"}, *inner[] = {"damper", "arm.end"};
    size_t at = 0;
    for (int k = 0; k < 2; k++) assert_string_equal(fact_next_group(&facts->list, "", &at), outer[k]);
    assert_null(fact_next_group(&facts->list, "", &at));
    at = 0;
    for (int k = 0; k < 2; k++) assert_string_equal(fact_next_group(&facts->list, "grains", &at), inner[k]);
    assert_null(fact_next_group(&facts->list, "grains", &at));
    at = 0;
    assert_string_equal(fact_next_group(&facts->list, "grains.arm.end", &at), "deep");
    assert_null(fact_next_group(&facts->list, "grains.arm.end", &at));
    at = 0;
    assert_null(fact_next_group(&facts->list, "nothing", &at));
    assert_true(fact_has_group(&facts->list, "grains.arm.end"));
    assert_false(fact_has_group(&facts->list, "grains.arm"));
    assert_false(fact_has_group(&facts->list, "title"));
    mrc_facts_free(facts);
}

static void json_has_the_same_members(void **state) {
    (void)state;
    MrcFacts *facts = make();
    Json json = {0};
    json_object_begin(&json);
    json_facts(&json, &facts->list);
    json_object_end(&json);
    assert_string_equal(
        json_text(&json),
        "{\"title\": \"A cylinder\", \"message\": null, \"grains\": {\"damper\": {\"mass_kg\": 0.007, "
        "\"count\": "
        "147}, \"arm.end\": {\"x\": 2.5, \"deep\": {\"held\": true}}}, \"modes\": [{\"frequency_hz\": 10, "
        "\"shape\": [0, 0.5, 1]}, {\"frequency_hz\": 11, \"shape\": [1, 1.5, 2]}], \"warnings\": [], "
        "\"coupling\": "
        "{}, \"time_s\": null}");
    json_free(&json);
    mrc_facts_free(facts);
}

static void no_facts_are_none(void **state) {
    (void)state;
    assert_int_equal(mrc_facts_count(NULL), 0);
    assert_null(mrc_facts_get(NULL, 0));
    assert_null(mrc_facts_find(NULL, "title"));
    mrc_facts_free(NULL);
}

// A list that ran out of memory is told so and takes further calls.
static void memory_failure_sticks(void **state) {
    (void)state;
    MrcFacts *facts = facts_create();
    fact_array_begin(&facts->list, "modes");
    facts->list.incomplete = true; // as if an allocation had failed here
    fact_group_begin(&facts->list, NULL);
    fact_number(&facts->list, "frequency_hz", 10, "Hz", "frequency");
    fact_group_end(&facts->list);
    fact_group_end(&facts->list);
    add_facts(&facts->list);
    assert_int_equal(mrc_facts_count(facts), 0);
    assert_null(json_of_facts(&facts->list));
    mrc_facts_free(facts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_found_by_their_whole_name),
        cmocka_unit_test(facts_know_what_they_are),
        cmocka_unit_test(groups_can_be_walked),
        cmocka_unit_test(json_has_the_same_members),
        cmocka_unit_test(no_facts_are_none),
        cmocka_unit_test(memory_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
