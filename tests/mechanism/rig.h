// A mechanism of a few bodies, put together by hand.
#ifndef TESTS_MECHANISM_RIG_H
#define TESTS_MECHANISM_RIG_H

#include <string.h>

#include "check_math.h"
#include "math/so3.h"
#include "mechanism/mechanism.h"

enum { ITEMS = 12 };
typedef struct Rig {
    MechanismDefinition definition;
    MechanismSetting setting;
    BodyDefinition bodies[ITEMS];
    JointDefinition joints[ITEMS];
    ForceDefinition forces[ITEMS];
    SpringDefinition springs[ITEMS];
    TorsionSpringDefinition torsion_springs[ITEMS];
    Mechanism *mechanism;
    MrcError error;
    Arena *arena;
} Rig;

static inline void rig_open(Rig *rig, double rho_inf) {
    memset(rig, 0, sizeof *rig);
    MechanismDefinition *definition = &rig->definition;
    definition->integrator = (IntegratorDefinition){.rho_inf = rho_inf, .tolerance = 1e-10, .iterations = 20};
    definition->bodies = rig->bodies;
    definition->joints = rig->joints;
    definition->forces = rig->forces;
    definition->springs = rig->springs;
    definition->torsion_springs = rig->torsion_springs;
    rig->arena = arena_create();
    assert_non_null(rig->arena);
}

static inline void rig_close(Rig *rig) {
    mechanism_destroy(rig->mechanism);
    arena_destroy(rig->arena);
}

static inline Expression *rig_expression(Rig *rig, const char *text) {
    ExpressionError error = {0};
    Expression *expression = expression_compile(rig->arena, text, NULL, &error);
    if (!expression) fail_msg("'%s': %s", text, error.text);
    return expression;
}

static inline BodyDefinition *rig_body(Rig *rig, const char *name, Vec3 at, double mass) {
    BodyDefinition *body = &rig->bodies[rig->definition.body_count++];
    *body = (BodyDefinition){.name = name,
                             .pose = {.position = at},
                             .mass = mass,
                             .inertia = {0.02 * mass, 0.03 * mass, 0.04 * mass, 0.001 * mass, 0, 0}};
    return body;
}

static inline JointDefinition *rig_joint(Rig *rig, const char *name, JointKind kind, const char *first,
                                         const char *second, Vec3 at, Vec3 axis) {
    JointDefinition *joint = &rig->joints[rig->definition.joint_count++];
    *joint = (JointDefinition){
        .name = name, .kind = kind, .nodes = {first, second}, .at = at, .has_at = true, .axis = axis};
    return joint;
}

static inline void rig_start(Rig *rig) {
    if (mechanism_create(&rig->definition, &rig->setting, &rig->mechanism, &rig->error) != MRC_OK)
        fail_msg("%s", rig->error.text);
}

static inline void rig_step(Rig *rig, double h) {
    if (mechanism_begin(rig->mechanism, h, &rig->error) != MRC_OK ||
        mechanism_advance(rig->mechanism, NULL, &rig->error) != MRC_OK ||
        mechanism_commit(rig->mechanism, &rig->error) != MRC_OK)
        fail_msg("at %g s: %s", mechanism_time(rig->mechanism), rig->error.text);
}

static inline const NodeState *rig_node(const Rig *rig, const char *name) {
    int node = mechanism_find_node(rig->mechanism, name);
    assert_true(node >= 0);
    return mechanism_node(rig->mechanism, node);
}

static inline double rig_energy(const Rig *rig) {
    ElementEnergy energy = mechanism_energy(rig->mechanism);
    return energy.kinetic + energy.potential + energy.elastic;
}

// ---- a closed loop -------
// A Grashof four-bar whose crank is spun at the start and turns freely, upright in gravity.
static inline void rig_four_bar(Rig *rig) {
    rig_open(rig, 1);
    rig->setting.gravity = vec3(0, -9.81, 0);
    Vec3 z = vec3(0, 0, 1), a = vec3(0, 0, 0), b = vec3(0, 0.1, 0), d = vec3(0.35, 0, 0);
    // coupler 0.4, rocker 0.3: the circles about b and d
    Vec3 along = vec3_normalize(vec3_sub(d, b));
    double base = vec3_norm(vec3_sub(d, b)), x = (base * base + 0.16 - 0.09) / (2 * base);
    Vec3 c = vec3_madd(vec3_madd(b, x, along), sqrt(0.16 - x * x), vec3_cross(z, along));
    BodyDefinition *crank = rig_body(rig, "crank", vec3_scale(0.5, vec3_add(a, b)), 0.6);
    rig_body(rig, "coupler", vec3_scale(0.5, vec3_add(b, c)), 0.3);
    rig_body(rig, "rocker", vec3_scale(0.5, vec3_add(c, d)), 0.4);
    const double speed = 20;
    crank->pose.angular_velocity = vec3(0, 0, speed);
    crank->pose.velocity = vec3(-speed * 0.05, 0, 0);
    rig_joint(rig, "A", JOINT_REVOLUTE, "ground", "crank", a, z);
    rig_joint(rig, "B", JOINT_REVOLUTE, "crank", "coupler", b, z);
    rig_joint(rig, "C", JOINT_POINT_ON_LINE, "coupler", "rocker", c, z);
    rig_joint(rig, "D", JOINT_REVOLUTE, "ground", "rocker", d, z);
    rig_start(rig);
}

typedef struct FourBarRun {
    int64_t steps;
    double energy;    // largest change over the kinetic energy at the start
    double violation; // largest
} FourBarRun;

static inline FourBarRun rig_run_four_bar(Rig *rig, double h, int turns) {
    double start = rig_energy(rig), kinetic = mechanism_energy(rig->mechanism).kinetic;
    FourBarRun run = {0};
    bool above = false;
    for (int turn = 0; turn < turns && run.steps < 1000000; run.steps++) {
        rig_step(rig, h);
        run.energy = fmax(run.energy, fabs(rig_energy(rig) - start) / kinetic);
        run.violation = fmax(run.violation, mechanism_counts(rig->mechanism).violation);
        bool now = rig_node(rig, "crank")->R.m[1][0] > 0;
        if (now && !above) turn++;
        above = now;
    }
    return run;
}

#endif
