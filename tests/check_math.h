// Comparisons of vectors and matrices, entry by entry, and random ones to try things on.
#ifndef TESTS_CHECK_MATH_H
#define TESTS_CHECK_MATH_H

#include "base/random.h"
#include "check.h"
#include "math/mat3.h"

// The expected value may be a literal in braces, hence the dots: (value, expected, tolerance).
#define check_vec3_near(value, ...) check_vec3_near_at(#value, __FILE__, __LINE__, (value), __VA_ARGS__)
#define check_mat3_near(value, ...) check_mat3_near_at(#value, __FILE__, __LINE__, (value), __VA_ARGS__)

static inline void check_vec3_near_at(const char *text, const char *file, int line, Vec3 value, Vec3 expected,
                                      double tolerance) {
    for (int i = 0; i < 3; i++)
        check_near_at(vec3_component(value, i), vec3_component(expected, i), tolerance, text, file, line);
}

static inline void check_mat3_near_at(const char *text, const char *file, int line, Mat3 value, Mat3 expected,
                                      double tolerance) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_near_at(value.m[i][j], expected.m[i][j], tolerance, text, file, line);
}

static inline Vec3 check_random_vec3(Random *random) { // normally distributed: no direction preferred
    double x = random_normal(random), y = random_normal(random), z = random_normal(random);
    return vec3(x, y, z);
}
static inline Vec3 check_random_direction(Random *random) {
    return vec3_normalize(check_random_vec3(random));
}
static inline Mat3 check_random_mat3(Random *random) {
    Vec3 a = check_random_vec3(random), b = check_random_vec3(random), c = check_random_vec3(random);
    return mat3_columns(a, b, c);
}

#endif
