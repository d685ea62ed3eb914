// Patterns: values in their forms, choices, groups, and what is missing.
#include "output/pattern.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static MrcFacts *make(void) {
    MrcFacts *facts = facts_create();
    FactList *list = &facts->list;
    fact_text(list, "scheme", "condensed", "scheme");
    fact_text(list, "message", NULL, "message");
    fact_count(list, "steps", 20000, "steps");
    fact_count(list, "retries", 0, "retries");
    fact_number(list, "amplitude_m", 0.00309, "m", "amplitude");
    fact_number(list, "share", 2.64e-4, "1", "share");
    fact_number(list, "gap_m", 8.7e-19, "m", "gap");
    fact_number(list, "unknown_s", NAN, "s", "unknown");
    fact_flag(list, "resumed", true, "resumed");
    fact_group_begin(list, "grains");
    fact_group_begin(list, "arm.end");
    fact_number(list, "mass_kg", 0.007, "kg", "mass");
    fact_count(list, "steps", 3, "steps");
    fact_group_end(list);
    fact_group_end(list);
    fact_array_begin(list, "warnings");
    fact_group_end(list);
    return facts;
}

static void gives(const char *group, const char *pattern, const char *expected) {
    MrcFacts *facts = make();
    Text text = {0};
    pattern_add(&text, &facts->list, group, pattern);
    char *made = text_take(&text);
    assert_string_equal(made, expected);
    free(made);
    mrc_facts_free(facts);
}

static void values_have_forms(void **state) {
    (void)state;
    gives("", "{scheme}, {steps} steps", "condensed, 20,000 steps");
    gives("", "{amplitude_m} {amplitude_m:1} {share:e} {share:%}", "3.09 mm 3 mm 2.6e-4 0.0264 %");
    gives("", "{gap_m:r}, {amplitude_m:r}", "below rounding, 3.09 mm");
    gives("", "{resumed}", "yes");
    gives("", "{nothing} {message} {unknown_s} {warnings}", "- - - -");
}

static void choices_ask_for_facts(void **state) {
    (void)state;
    gives(
        "",
        "[?steps:A|B][?retries:A|B][?message:A|B][?resumed:A|B][?unknown_s:A|B][?nothing:A|B][?warnings:A|B]",
        "ABBABBB");
    gives("", "[?scheme=condensed:A|B][?scheme=tight:A|B][?nothing=:A|B][?retries=0:A|B]", "ABBA");
    gives("", "[?amplitude_m>1e-9:A|B][?gap_m>1e-9:A|B][?unknown_s>0:A|B][?gap_m<1:A|B]", "ABBA");
    gives("", "[?retries:never]", "");
    gives("", "a[?steps: {steps}[?retries:, {retries}|, none]]z", "a 20,000, nonez");
    gives("", "[?retries:{steps}[?steps:x]|y]",
          "y"); // what is not wanted is passed over, with all that is in it
}

static void groups_come_first(void **state) {
    (void)state;
    gives("grains.arm.end", "{mass_kg} {steps} {scheme}", "7 g 3 condensed");
    gives("", "[?grains:A|B][?grains.arm.end:A|B][?mechanism:A|B]", "AAB");
    gives("grains", "[?arm.end:A|B]", "A");
}

static void lines_have_labels(void **state) {
    (void)state;
    static const PatternLine lines[] = {{"{.}", "{mass_kg}"},
                                        {"", "[?nothing:left out]"},
                                        {"a long label", "[?steps:{steps} steps]"},
                                        {NULL, "{mass_kg:w}: {{step: {steps}}"},
                                        {0}};
    MrcFacts *facts = make();
    Text text = {0};
    pattern_add_each(&text, &facts->list, "grains", (PatternLayout){"  ", 9}, lines);
    pattern_add_lines(&text, &facts->list, "", (PatternLayout){"", 4}, lines + 2);
    pattern_add_each(&text, &facts->list, "mechanism", (PatternLayout){"", 4}, lines);
    char *made = text_take(&text);
    assert_string_equal(made, "  arm.end   7 g\n  a long label 3 steps\n  mass: {step: 3}\n"
                              "a long label 20,000 steps\n-: {step: 20,000}\n");
    free(made);
    mrc_facts_free(facts);
}

static void other_brackets_are_text(void **state) {
    (void)state;
    gives("", "frequency [Hz] a|b ]", "frequency [Hz] a|b ]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_forms),       cmocka_unit_test(choices_ask_for_facts),
        cmocka_unit_test(groups_come_first),       cmocka_unit_test(lines_have_labels),
        cmocka_unit_test(other_brackets_are_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
