// Contact dynamics of rigid grains after Moreau and Jean (doi:10.1016/S0045-7825(98)00383-1; Eqs. 28-33 of Docquier,
// Lantsoght, Dubois and Bruels 2020, doi:10.1007/s11044-019-09721-0, NSCD):
//
//     q(m)   = q(n) + (1 - theta) h v(n)                    the middle: contacts are looked for there
//     v(n+1) = v(n) + h g + M^-1 H(q(m)) I                  1/2 <= theta <= 1
//     q(n+1) = q(m) + theta h v(n+1)
//
//     gap <= 0:   0 <= I_n  _|_  V_n(n+1) + e V_n(n) >= 0   Newton's law of impact (NSCD Eq. 32, whose last product lacks
//                 |I_t| <= mu I_n, against V_t(n+1)         e V_n(n)); Coulomb's law
//
// From one middle to the next a grain moves by h v(n+1). The step is therefore that of nonsmooth.h, taken from middle to
// middle: its contacts, lists, warm starts, problem and energies serve here unchanged, with grains and walls brought to
// the middle first. A gap that is open there may close until the next middle, V_n + gap/h >= 0 (the inelastic quasi-shock
// of contact dynamics), unless the contact bounces: that one is left alone until it touches. Other differences are given
// where it is done, in nonsmooth_condition.c and nonsmooth_walls.c; docs/theory/nscd.md has it all.
#include "base/text.h"
#include "base/threads.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/nonsmooth.h"

static double nscd_theta(const GrainsDefinition *d) { return d->contact.theta > 0 ? d->contact.theta : 0.5; }
static ContactLaw nscd_law(const GrainsDefinition *d) {
    (void)d;
    return CONTACT_COULOMB;
}

// ---- the model file ------------------------------------------------------------------------------
static void nscd_check_effect(const GrainsModel *model, const Findings *findings) {
    const ContactDefinition *c = &model->grains->contact;
    if (c->law_given && c->law != CONTACT_COULOMB)
        findings_warning(findings, &c->law,
                         "'law' has no effect in '%s': 'method: nscd' always has Coulomb's law",
                         model->grains->name);
}

static void nscd_describe(const GrainsModel *model, const Material *grain, const Material *wall, Text *text) {
    text_add(text,
             "  They are rigid, with steps of Moreau and Jean (theta %.3g): ", nscd_theta(model->grains));
    nonsmooth_describe_laws(model, grain, wall, CONTACT_COULOMB, text);
}

static void nscd_write_identity(const GrainsModel *model, FILE *out) {
    nonsmooth_write_identity(model, out);
    fprintf(out, "theta %a\n", nscd_theta(model->grains));
}

// ---- a bed ---------------------------------------------------------------------------------------
static MrcStatus nscd_create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    MrcStatus status = nonsmooth_create(g, setting, error);
    if (status != MRC_OK) return status;
    g->nonsmooth->theta = nscd_theta(g->definition);
    g->nonsmooth->by_touch = true;
    return array_resize(&g->nonsmooth->middle, (size_t)g->definition->wall_count)
               ? MRC_OK
               : error_memory(error, "the walls");
}

static void nscd_move_grain(Grains *g, size_t i, double time) {
    double *x = g->position + i * QUAD;
    Vec3 v = grain_velocity(g, i);
    x[0] += time * v.x, x[1] += time * v.y, x[2] += time * v.z;
    if (!nonsmooth_all_spheres(g->nonsmooth)) {
        double *line = g->motion + i * GRAIN_LINE;
        Vec3 rim = vec3_scale(line[GRAIN_RADIUS], nonsmooth_turn(g, i, grain_spin(g, i), time));
        line[GRAIN_RIM] = rim.x, line[GRAIN_RIM + 1] = rim.y, line[GRAIN_RIM + 2] = rim.z;
    } else if (g->orientation) grain_turn(g, i, grain_spin(g, i), time);
}

static void nscd_move_grains(Grains *g, double time) {
    size_t count = g->store.count;
    if (threads_chunk_count(count) > RIGID_CHUNKS_ALONE) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++) nscd_move_grain(g, i, time);
    } else
        for (size_t i = 0; i < count; i++) nscd_move_grain(g, i, time);
}

// With the velocity of the step before, as the grains; a port that yields to contacts stays where it is.
static RigidWall nscd_moved_wall(RigidWall wall, double time) {
    if (wall.body < 0) return wall;
    Motion start = wall.motion, middle = motion_carry(start, wall.prescribed, time);
    wall.moved = vec3_sub(middle.position, start.position);
    wall.motion.position = middle.position;
    wall.motion.orientation = middle.orientation;
    wall.axes = quaternion_to_matrix(middle.orientation);
    wall.origin = motion_to_world(&middle, motion_to_local(&start, wall.origin));
    return wall;
}

static MrcStatus nscd_collect(Grains *g, RigidStep *step, ContactProblem *problem, ContactSolution *solution,
                              MrcError *error) {
    Nonsmooth *ns = g->nonsmooth;
    double time = (1 - ns->theta) * step->h;
    if (time > 0) {
        nscd_move_grains(g, time);
        for (int w = 0; w < g->definition->wall_count; w++)
            ns->middle.data[w] = nscd_moved_wall(step->walls[w], time);
        step->walls = ns->middle.data;
    }
    return nonsmooth_collect(g, step, problem, solution, error);
}

// Impulses are those of walls in the middle of the step. Their moments become those about the ports where they were at its
// beginning, as of all methods, or machine and grains would not keep their angular momentum.
static void nscd_apply(Grains *g, const RigidStep *s, const ContactProblem *problem,
                       ContactSolution *solution, Twist *mean, Load *impulses) {
    nonsmooth_apply(g, s, problem, solution, mean, impulses);
    for (int w = 0; w < g->definition->wall_count; w++)
        impulses[w].moment = vec3_add(impulses[w].moment, vec3_cross(s->walls[w].moved, impulses[w].force));
}

static const GrainsRigid nscd_rigid = {.collect = nscd_collect,
                                       .apply = nscd_apply,
                                       .law = nscd_law,
                                       .exact = true,
                                       .automatic = CONTACT_NSGS, // as in Eq. 33
                                       RIGID_IN_COMMON};

static const char *const nscd_unused[] = {RIGID_UNUSED, NULL}; // of `law` see above

const GrainsMethod method_nscd = {
    .choice =
        {.word = "nscd",
         .doc =
             "rigid grains by contact dynamics (Moreau and Jean): theta steps, contacts at the middle of the "
             "step, Newton's law of impact, Coulomb's law"},
    .rigid = &nscd_rigid,
    .unused = nscd_unused,
    .check_effect = nscd_check_effect,
    .describe = nscd_describe,
    .write_identity = nscd_write_identity,
    .create = nscd_create,
    RIGID_METHOD_IN_COMMON};
