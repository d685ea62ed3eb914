#include "geometry/material.h"

#include "check.h"

static void test_by_name(void **state) {
    (void)state;
    const Material materials[] = {{.name = "steel", .young = 2e11}, {.name = "lead", .young = 1.6e10}};
    assert_ptr_equal(material_by_name(materials, 2, "lead"), &materials[1]);
    assert_null(material_by_name(materials, 1, "lead"));
    assert_null(material_by_name(materials, 2, "lea"));
    assert_null(material_by_name(materials, 2, NULL));
    assert_null(material_by_name(NULL, 0, "steel"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
