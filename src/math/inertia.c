// Parallel axes (Huygens-Steiner), with d from the centre of mass to the point:
//
//   J_point = J_centre + m (d.d I - d d^T)
//
// Two bodies: the same with the reduced mass m1 m2/(m1 + m2) and d between their centres.
#include "math/inertia.h"

#include <stddef.h>

// d.d I - d d^T: the tensor of a unit mass at d.
static Mat3 inertia_of_unit_mass_at(Vec3 d) {
    Mat3 tensor = mat3_scale(-1, mat3_outer(d, d));
    for (int i = 0; i < 3; i++) tensor.m[i][i] += vec3_norm2(d);
    return tensor;
}

Mat3 inertia_about(Inertia body, Vec3 point) {
    return mat3_add(body.tensor,
                    mat3_scale(body.mass, inertia_of_unit_mass_at(vec3_sub(point, body.centre))));
}

Inertia inertia_from_point(double mass, Vec3 centre, Mat3 tensor_about_point, Vec3 point) {
    Mat3 shift = mat3_scale(mass, inertia_of_unit_mass_at(vec3_sub(point, centre)));
    return (Inertia){mass, centre, mat3_sub(tensor_about_point, shift)};
}

Inertia inertia_translate(Inertia body, Vec3 shift) {
    body.centre = vec3_add(body.centre, shift);
    return body;
}

Inertia inertia_rotate(Inertia body, Mat3 rotation) {
    Mat3 turned = mat3_mul(mat3_mul(rotation, body.tensor), mat3_transpose(rotation));
    // Rounding leaves the two triangles different in the last digit; make them the same again.
    turned = mat3_scale(0.5, mat3_add(turned, mat3_transpose(turned)));
    return (Inertia){body.mass, mat3_apply(rotation, body.centre), turned};
}

Inertia inertia_add(Inertia a, Inertia b) {
    double mass = a.mass + b.mass;
    double share = mass > 0 ? b.mass / mass : 0; // two empty bodies are an empty body
    Vec3 between = vec3_sub(b.centre, a.centre);
    Mat3 tensor =
        mat3_add(mat3_add(a.tensor, b.tensor), mat3_scale(a.mass * share, inertia_of_unit_mass_at(between)));
    return (Inertia){mass, vec3_madd(a.centre, share, between), tensor};
}

Vec3 inertia_principal(Inertia body, Mat3 *axes) { return mat3_symmetric_eigen(body.tensor, axes); }

bool inertia_is_valid(Inertia body) {
    if (!(isfinite(body.mass) && body.mass > 0 && vec3_is_finite(body.centre))) return false;
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        if (!vec3_is_finite(mat3_row(body.tensor, i))) return false;
        for (int j = 0; j < 3; j++) largest = fmax(largest, fabs(body.tensor.m[i][j]));
    }
    // The tolerances forgive rounding: a flat plate lies exactly on the triangle inequality, and a user
    // copies its moments with seven digits at best. A tensor that is singular must not pass by rounding
    // upwards.
    const double triangle_tolerance = 1e-6, symmetry_tolerance = 1e-9, definite_tolerance = 1e-12;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (fabs(body.tensor.m[i][j] - body.tensor.m[j][i]) > symmetry_tolerance * largest) return false;
    Vec3 moments = inertia_principal(body, NULL);
    return moments.x > definite_tolerance * moments.z &&
           moments.x + moments.y >= (1 - triangle_tolerance) * moments.z;
}

// ---- simple solids -------------------------------------------------------------------------------
Inertia inertia_sphere(double mass, double radius) {
    double moment = 0.4 * mass * radius * radius;
    return (Inertia){.mass = mass, .tensor = mat3_diagonal(moment, moment, moment)};
}

Inertia inertia_box(double mass, Vec3 sides) {
    double xx = sides.x * sides.x, yy = sides.y * sides.y, zz = sides.z * sides.z, twelfth = mass / 12;
    return (Inertia){.mass = mass,
                     .tensor = mat3_diagonal(twelfth * (yy + zz), twelfth * (zz + xx), twelfth * (xx + yy))};
}

Inertia inertia_cylinder(double mass, double radius, double height) {
    return inertia_tube(mass, 0, radius, height);
}

Inertia inertia_tube(double mass, double inner_radius, double outer_radius, double height) {
    double radii = inner_radius * inner_radius + outer_radius * outer_radius;
    double across = mass * (3 * radii + height * height) / 12;
    return (Inertia){.mass = mass, .tensor = mat3_diagonal(across, across, 0.5 * mass * radii)};
}
