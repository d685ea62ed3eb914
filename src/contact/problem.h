// The contact problem of one step, as plain data: bodies, contacts, bilateral rows, free velocity.
//
// Unknown are the impulses of contacts and rows; velocities follow from them:
//
//   v  = v_free + M^-1 (sum over contacts J^T p + sum over rows G^T lambda)
//   u  = J v + bias                  velocity of b relative to a at the contact point, and, where rolling or
//                                    spinning is resisted, the angular velocity of b relative to a
//   K  = {p : |p_t| <= mu p_n, |m_t| <= rolling p_n, |m_n| <= spinning p_n}     cone of friction
//   K* = {u : u_n >= mu |u_t| + rolling |w_t| + spinning |w_n|}                 its dual
//
//   relaxed law     K  contains p, K* contains u, p . u = 0
//                   the cone complementarity problem of Anitescu and Tasora (doi:10.1007/s10589-008-9223-4),
//                   rolling after Tasora and Anitescu (doi:10.1007/s11012-013-9694-y)
//   Coulomb's law   the same with u_n + max(0, D - d) in place of u_n, D = mu |u_t| + rolling |w_t| + spinning |w_n|
//                   (de Saxce and Feng, doi:10.1016/S0895-7177(98)00119-8, d = 0): a contact that slides opens at
//                   min(D, d), so no faster than d
//
// The dilation d, some small speed, makes Coulomb's law solvable. With d = 0 the contacts of a bed at rest that creep
// at next to no speed keep Gauss-Seidel and the fixed point of de Saxce from arriving, because the law is not that of a
// minimum; below D = d it is. In a bed of 250 grains at rest (893 contacts, velocities g h = 1e-3 m/s) Gauss-Seidel
// stays at a residual of 4e-2 with d = 0 or 1e-5 m/s, and with d = 1e-4 m/s or more needs as many sweeps as the relaxed
// law, which is d = infinity.
//
//   rows            G v + bias + compliance lambda = 0
//
// Vectors are in world axes throughout, so that impulses of the last step can be handed in again as they are.
// The bias of a contact is gap/h when positions are to be stabilised, plus e times the normal velocity before
// when it bounces. A body may be given by -1: the world at rest.
//
// Bodies come in four kinds: isotropic (spheres, 1/m and 1/I), rigid with an inverse inertia tensor, immovable
// (both zero: its velocity is data), and members of a group, which have a dense positive semidefinite inverse mass
// together: a container whose port has a mobility Y, several ports coupled by one Y. Any operator that applies an
// inverse mass can be a group: contact_problem_add_operator. Solvers have a faster path for contacts of isotropic
// bodies along the line of their centres.
//
// Use: keep one problem, contact_problem_clear() it each step and add to it again; memory is kept.
#ifndef CONTACT_PROBLEM_H
#define CONTACT_PROBLEM_H

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/frame.h"

typedef enum ContactLaw {
    CONTACT_RELAXED, // cone complementarity
    CONTACT_COULOMB, // without dilation beyond the problem's
} ContactLaw;

typedef struct ContactBody {
    double inverse_mass; // 1/m [1/kg]; 0: immovable, or in a group
    double
        inverse_inertia; // 1/I, about any axis [1/(kg m^2)]; 0: cannot be turned, has a tensor, or is in a group
    int32_t group;       // in groups; -1: in none
    int32_t slot;        // place among the bodies of its group
    int32_t tensor;      // 1 + the place of its inverse inertia in tensors; 0: isotropic
} ContactBody;

typedef struct ContactGroup {
    int32_t count;       // bodies in it
    int32_t first_body;  // its bodies: group_bodies[first_body + slot]
    size_t first_number; // its inverse mass, row-major, (6 count)^2 numbers: group_numbers[first_number...];
                         // rows and columns: v of slot 0, w of slot 0, v of slot 1, ...
} ContactGroup;

// One point of contact. The normal points from a to b: a positive normal impulse pushes b along it.
typedef struct ContactPoint {
    int32_t a, b;      // bodies; -1: the world at rest
    Vec3 normal;       // unit vector from a to b
    Vec3 arm_a, arm_b; // from the origin of the body to the contact point [m]; for spheres along the normal:
                       // radius_a normal, and -radius_b normal
    Vec3 bias;         // added to the relative velocity, world axes [m/s]: (gap/h + bounce) normal, and what
                       // moves tangentially without being a body
    double friction;   // mu
    double rolling;    // |m_t| <= rolling p_n [m]
    double spinning;   // |m_n| <= spinning p_n [m]
} ContactPoint;

// One bilateral row: jacobian_a . twist of a + jacobian_b . twist of b + bias + compliance lambda = 0.
// Joints have compliance 0. A spring taken implicitly has 1/(h^2 k + h c) with bias h k (stretch)/(h^2 k + h
// c).
typedef struct ContactRow {
    int32_t a, b; // -1: the world at rest
    Twist jacobian_a, jacobian_b;
    double bias;       // G/h (position stabilisation) + dG/dt [unit of the row / s]
    double compliance; // >= 0
} ContactRow;

// What is unknown; also the warm start. Impulses act on b, and with the other sign on a.
typedef struct ContactImpulse {
    Vec3 linear;  // [N s], at the contact point
    Vec3 angular; // of rolling and spinning friction [N m s]; zero where the contact has none
} ContactImpulse;

typedef struct ContactProblem {
    ContactLaw law;
    double dilation; // Coulomb's law: most speed at which a contact opens because it slides [m/s]
    ARRAY(ContactBody) bodies;
    ARRAY(Twist) free_velocity; // per body: with all forces of the step, without contacts and rows
    ARRAY(Mat3)
    tensors; // inverse inertia of bodies that have one, world axes [1/(kg m^2)]; some may be
             // those of no body
    ARRAY(ContactGroup) groups;
    ARRAY(int32_t) group_bodies;
    ARRAY(double) group_numbers;
    ARRAY(ContactPoint) contacts;
    ARRAY(ContactRow) rows;
} ContactProblem;

// What a solver is given (impulses: the warm start) and what it returns.
typedef struct ContactSolution {
    ARRAY(ContactImpulse) impulses; // per contact
    ARRAY(double) lambdas;          // per row
    ARRAY(Twist) velocity;          // per body, written by the solver
} ContactSolution;

// Most speed at which a contact opens because it slides.
static inline double contact_dilation(const ContactProblem *problem, ContactLaw law) {
    return law == CONTACT_COULOMB ? problem->dilation : INFINITY;
}

// ---- building ------------------------------------------------------------------------------------
// Each add returns the index, or -1 when memory ran out.
void contact_problem_clear(ContactProblem *problem); // empties it, keeps memory, law and dilation
void contact_problem_free(ContactProblem *problem);
int32_t contact_problem_add_body(ContactProblem *problem, double inverse_mass, double inverse_inertia,
                                 Twist free_velocity);
// The bodies must have been added with zero inverse mass and be in no group yet. Only the symmetric part of
// the matrix counts.
int32_t contact_problem_add_group(ContactProblem *problem, int32_t count, const int32_t *bodies,
                                  const double *inverse_mass);
// One body with an inverse inertia tensor (world axes) about its centre of mass, which is its origin. Only the
// symmetric part of the tensor counts; a multiple of the identity gives an isotropic body.
int32_t contact_problem_add_rigid(ContactProblem *problem, double inverse_mass, Mat3 inverse_inertia,
                                  Twist free_velocity);
// Room for `count` such bodies at once, the first of which is returned. Each is then set, in any order and by any thread.
int32_t contact_problem_add_rigids(ContactProblem *problem, size_t count);
void contact_problem_set_rigid(ContactProblem *problem, int32_t body, double inverse_mass,
                               Mat3 inverse_inertia, Twist free_velocity);
// An inverse mass given as a function: one twist per body of the group. It is called 6 count times.
typedef void ContactOperator(void *user, const Twist *impulse, Twist *velocity);
int32_t contact_problem_add_operator(ContactProblem *problem, int32_t count, const int32_t *bodies,
                                     ContactOperator *apply, void *user);
int32_t contact_problem_add_contact(ContactProblem *problem, ContactPoint contact);
int32_t contact_problem_add_row(ContactProblem *problem, ContactRow row);

// Makes the arrays of a solution fit the problem. Impulses beyond the old count are zero.
MrcStatus contact_solution_fit(ContactSolution *solution, const ContactProblem *problem, MrcError *error);
void contact_solution_clear(ContactSolution *solution); // no impulses: a cold start
void contact_solution_free(ContactSolution *solution);

// Are indices in range, numbers finite, normals of unit length, inverse masses not negative?
MrcStatus contact_problem_check(const ContactProblem *problem, MrcError *error);

// ---- products ------------------------------------------------------------------------------------
// Impulse that contacts and rows give to each body.
void contact_problem_loads(const ContactProblem *problem, const ContactImpulse *impulses,
                           const double *lambdas, Twist *loads);
// velocity = M^-1 impulse, for all bodies. The two may not be the same.
void contact_problem_apply_inverse_mass(const ContactProblem *problem, const Twist *impulse, Twist *velocity);
// velocity = free velocity + M^-1 (impulses of contacts and rows). `scratch`: one twist per body.
void contact_problem_velocity(const ContactProblem *problem, const ContactImpulse *impulses,
                              const double *lambdas, Twist *scratch, Twist *velocity);
// Adds to the free velocities what an impulse at a contact does: on b, and with the other sign on a.
void contact_problem_push(ContactProblem *problem, const ContactPoint *contact, Vec3 impulse);
// u = J v + bias of one contact, G v + bias of one row (without the compliance's part).
Twist contact_problem_relative(const ContactProblem *problem, size_t contact, const Twist *velocity);
double contact_problem_row(const ContactProblem *problem, size_t row, const Twist *velocity);
// One body's share of the total impulse: that of its contacts on a container, about its origin.
Twist contact_problem_load_on(const ContactProblem *problem, const ContactImpulse *impulses, int32_t body);

// ---- files ---------------------------------------------------------------------------------------
// Readable text, exact to the last bit. An unsolved problem, with the impulses reached, becomes a test.
// `solution` may be NULL.
MrcStatus contact_problem_save(const ContactProblem *problem, const ContactSolution *solution,
                               const char *path, MrcError *error);
MrcStatus contact_problem_load(ContactProblem *problem, ContactSolution *solution, const char *path,
                               MrcError *error);

#endif
