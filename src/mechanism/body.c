// A rigid body on a node, with any inertia and centre of mass.
//
// m is the mass, c = R c0 the centre of mass from the node's origin, J = R J0 R^T the tensor about the
// node's origin, both in world axes, and g is gravity. The rows of the residual are the equations of Newton
// and Euler about a moving point:
//
//     force:   m (a + alpha x c + w x (w x c) - g)
//     moment:  m c x (a - g) + J alpha + w x J w
//
// Their derivatives, with d(c) = d(theta) x c and d(J) = skew(d theta) J - J skew(d theta):
//
//     by a, alpha:  [m I, -m skew(c);  m skew(c), J]
//     by w:         force  -m [skew(w x c) + skew(w) skew(c)]
//                   moment skew(w) J - skew(J w)
//     by theta:     force  -m [skew(alpha) + skew(w)^2] skew(c)
//                   moment m skew(a - g) skew(c) - skew(J alpha) + J skew(alpha)
//                          + skew(w) [J skew(w) - skew(J w)]
#include "math/human.h"
#include "math/wide3.h"
#include "mechanism/joint_type.h"
#include "mechanism/names.h"
#include "mechanism/part_type.h"

typedef struct BodyData {
    Inertia inertia; // node axes, centre from the node's origin
    Mat3 about_node; // tensor about the node's origin, node axes [kg m^2]
    bool centred;    // the centre of mass is the node's origin
    bool has_tensor; // not a point mass at the node's origin
} BodyData;

static void body_residual(const Element *element, const ElementInput *in, double *r) {
    const BodyData *body = element->data;
    const NodeState *node = in->node[0];
    double m = body->inertia.mass;
    Vec3 pull = vec3_sub(node->a, in->gravity);
    Vec3 force = vec3_scale(m, pull), moment = vec3_zero();
    if (body->has_tensor) { // in node axes, where the tensor is constant
        Vec3 w = mat3_apply_transpose(node->R, node->w), alpha = mat3_apply_transpose(node->R, node->alpha);
        Vec3 spin = mat3_apply(body->about_node, w);
        moment = mat3_apply(node->R, vec3_add(mat3_apply(body->about_node, alpha), vec3_cross(w, spin)));
    }
    if (!body->centred) {
        Vec3 c = mat3_apply(node->R, body->inertia.centre);
        Vec3 turning = vec3_add(vec3_cross(node->alpha, c), vec3_cross(node->w, vec3_cross(node->w, c)));
        force = vec3_madd(force, m, turning);
        moment = vec3_madd(moment, m, vec3_cross(c, pull));
    }
    r[0] = force.x, r[1] = force.y, r[2] = force.z;
    r[3] = moment.x, r[4] = moment.y, r[5] = moment.z;
}

// Adds to the block of J that starts at (row, column).
static void body_add_block(double *J, int size, int row, int column, double factor, Mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) J[(row + i) * size + column + j] += factor * block.m[i][j];
}

static void body_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                          double *J) {
    const BodyData *body = element->data;
    const NodeState *node = in->node[0];
    double m = body->inertia.mass;
    Mat3 tensor = mat3_mul(mat3_mul(node->R, body->about_node), mat3_transpose(node->R));
    Mat3 c = mat3_skew(mat3_apply(node->R, body->inertia.centre));
    Mat3 w = mat3_skew(node->w), alpha = mat3_skew(node->alpha);
    Mat3 spin = mat3_skew(mat3_apply(tensor, node->w)); // skew(J w)
    body_add_block(J, 6, 0, 0, cm * m, mat3_identity());
    body_add_block(J, 6, 0, 3, -cm * m, c);
    body_add_block(J, 6, 3, 0, cm * m, c);
    body_add_block(J, 6, 3, 3, cm, tensor);

    Mat3 gyroscopic = mat3_sub(mat3_mul(w, tensor), spin);
    Vec3 wc = vec3_neg(mat3_apply(c, node->w)); // w x c
    body_add_block(J, 6, 0, 3, -cc * m, mat3_add(mat3_skew(wc), mat3_mul(w, c)));
    body_add_block(J, 6, 3, 3, cc, gyroscopic);

    Mat3 pull = mat3_skew(vec3_sub(node->a, in->gravity));
    Mat3 turn = mat3_scale(m, mat3_mul(pull, c));
    turn = mat3_sub(turn, mat3_skew(mat3_apply(tensor, node->alpha)));
    turn = mat3_add(turn, mat3_mul(tensor, alpha));
    turn = mat3_add(turn, mat3_mul(w, mat3_sub(mat3_mul(tensor, w), spin)));
    body_add_block(J, 6, 0, 3, -ck * m, mat3_mul(mat3_add(alpha, mat3_mul(w, w)), c));
    body_add_block(J, 6, 3, 3, ck, turn);
}

// The same along directions (x, theta), sums with a common factor put together.
static void body_product(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                         int wides, const Wide *x, Wide *r) {
    const BodyData *body = element->data;
    const NodeState *node = in->node[0];
    double m = body->inertia.mass;
    Mat3 J = mat3_mul(mat3_mul(node->R, body->about_node), mat3_transpose(node->R));
    Vec3 centre = mat3_apply(node->R, body->inertia.centre), momentum = mat3_apply(J, node->w);
    Wide3 c = wide3_set(centre), w = wide3_set(node->w), alpha = wide3_set(node->alpha);
    Wide3 pull = wide3_set(vec3_sub(node->a, in->gravity)), Jw = wide3_set(momentum);
    Wide3 torque = wide3_set(vec3_madd(vec3_scale(cc, momentum), ck, mat3_apply(J, node->alpha)));
    Wide3 wc = wide3_set(vec3_cross(node->w, centre));
    for (int k = 0; k < wides; k++) {
        Wide3 linear = {x[k], x[wides + k], x[2 * wides + k]},
              theta = {x[3 * wides + k], x[4 * wides + k], x[5 * wides + k]};
        Wide3 across = wide3_cross(w, theta);
        Wide3 turning = wide3_scale(wide_set(cm), theta), turned = wide3_scale(wide_set(cc), theta);
        turning = wide3_apply(&J, wide3_fma(wide_set(ck), wide3_cross(alpha, theta), turning));
        turned = wide3_apply(&J, wide3_fma(wide_set(ck), across, turned));
        turned = wide3_sub(turned, wide3_scale(wide_set(ck), wide3_cross(Jw, theta)));
        Wide3 moment = wide3_sub(wide3_cross_add(w, turned, turning), wide3_cross(torque, theta));
        Wide3 force = wide3_scale(wide_set(cm * m), linear);
        if (!body->centred) {
            Wide3 moved = wide3_cross(theta, c); // d(c)
            Wide3 by_w = wide3_sub(wide3_cross(w, moved), wide3_cross(wc, theta));
            Wide3 by_theta = wide3_cross_add(alpha, moved, wide3_cross(w, wide3_cross(w, moved)));
            Wide3 sum = wide3_fma(wide_set(ck), by_theta, wide3_scale(wide_set(cc), by_w));
            force = wide3_fma(wide_set(m), wide3_fma(wide_set(cm), moved, sum), force);
            Wide3 lever = wide3_fma(wide_set(cm), wide3_cross(c, linear),
                                    wide3_scale(wide_set(ck), wide3_cross(moved, pull)));
            moment = wide3_fma(wide_set(m), lever, moment);
        }
        r[k] = force.x, r[wides + k] = force.y, r[2 * wides + k] = force.z;
        r[3 * wides + k] = moment.x, r[4 * wides + k] = moment.y, r[5 * wides + k] = moment.z;
    }
}

static void body_energy(const Element *element, const ElementInput *in, ElementEnergy *energy) {
    const BodyData *body = element->data;
    const NodeState *node = in->node[0];
    Vec3 c = mat3_apply(node->R, body->inertia.centre);
    Vec3 v = vec3_add(node->v, vec3_cross(node->w, c));
    Vec3 w = mat3_apply_transpose(node->R, node->w);
    energy->kinetic +=
        0.5 * body->inertia.mass * vec3_norm2(v) + 0.5 * vec3_dot(w, mat3_apply(body->inertia.tensor, w));
    energy->potential -= body->inertia.mass * vec3_dot(in->gravity, vec3_add(node->x, c));
}

static bool body_powerless(const Element *element) {
    (void)element;
    return true;
}

const ElementKind body_kind = {
    .name = "body",
    .residual = body_residual,
    .jacobian = body_jacobian,
    .product = body_product,
    .energy = body_energy,
    .powerless = body_powerless,
};

static BodyData body_data(Inertia inertia) {
    BodyData body = {.inertia = inertia, .about_node = inertia_about(inertia, vec3_zero())};
    body.centred = vec3_norm2(inertia.centre) == 0;
    for (int i = 0; i < 3; i++) body.has_tensor |= vec3_norm2(mat3_row(body.about_node, i)) > 0;
    return body;
}

// All mass on one node is one body: the motion is the same, and there are fewer elements.
void builder_add_mass(Builder *builder, const char *name, int node, Inertia inertia) {
    for (int e = builder->element_count - 1; e >= 0 && node >= 0; e--) {
        const Element *element = &builder->elements[e];
        if (element->kind != &body_kind || element->node[0] != node) continue;
        BodyData *there = (BodyData *)element->data; // in the arena, not yet in use
        *there = body_data(inertia_add(there->inertia, inertia));
        return;
    }
    BodyData body = body_data(inertia);
    if (node >= 0) builder_add_element(builder, &body_kind, name, &body, sizeof body, 1, &node, 0, 0);
}

static MrcStatus body_build(Builder *builder, const void *part, MrcError *error) {
    const BodyDefinition *body = part;
    int node = body->node ? builder_find_node(builder, body->node)
                          : builder_add_pose(builder, body->name, &body->pose);
    if (node == -2)
        return error_set(error, MRC_MODEL, "body '%s' rides on node '%s', which does not exist", body->name,
                         body->node);
    Inertia inertia = {body->mass, body->center, inertia_matrix(body->inertia)};
    builder_add_mass(builder, body->name, node, inertia);
    return MRC_OK;
}

// ---- in the model file -------------------------------------------------------------------------------
static const SchemaKey body_keys[] = {
    {"node", NAME(BodyDefinition, node), .nodes = true, .fallback_words = "a node of its own, of its name",
     .doc = "The node that carries it, such as the end of a beam; several bodies may ride on one."},
    {"mass", QUANTITY(BodyDefinition, mass), .dimension = DIM_MASS, .range = POSITIVE, .required = true,
     .doc = "Its mass."},
    {"inertia", NUMBERS(BodyDefinition, inertia, 6), .short_length = 3, .dimension = DIM_INERTIA,
     .fallback_words = "none: a point",
     .doc =
         "Moments of inertia about the centre of mass in the axes of the node: xx yy zz, or xx yy zz xy yz "
         "zx, the last three as elements of the matrix."},
    {"center", VECTOR(BodyDefinition, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Centre of mass, from the node's origin and in its axes."},
    PART_POSE_KEYS(BodyDefinition),
};

// The principal moments of a body are not negative, and none is larger than the sum of the other two. A rod
// along an axis has two equal moments and a third of zero; the third moment of a plate is the sum of the
// others.
static void body_check_inertia(const BodyDefinition *body, const Findings *findings) {
    Vec3 p = mat3_symmetric_eigen(inertia_matrix(body->inertia), NULL);
    double slack = 1e-6 * fabs(p.z);
    if (p.x < -slack)
        findings_error(findings, &body->inertia[0],
                       "'inertia' of '%s' has a principal moment of %g kg*m^2; none can be negative",
                       body->name, p.x);
    else if (p.z > p.x + p.y + slack)
        findings_warning(
            findings, &body->inertia[0],
            "'inertia' of '%s' is that of no body: its principal moments are %.4g, %.4g and %.4g "
            "kg*m^2, and none can be larger than the other two together",
            body->name, p.x, p.y, p.z);
}

// A point mass on a node of its own needs a joint that keeps a rotation.
static void body_check_rotation(const BodyDefinition *body, const PartCheck *check) {
    const MechanismDefinition *m = check->mechanism;
    bool held = false;
    for (int k = 0; k < 6; k++) held = held || body->inertia[k] != 0;
    for (int i = 0; i < m->body_count && !held; i++) { // others on the same node
        const BodyDefinition *other = &m->bodies[i];
        held = other != body && other->node && strcmp(other->node, body->name) == 0;
    }
    for (int i = 0; i < m->joint_count && !held; i++) {
        const JointDefinition *joint = &m->joints[i];
        JointComponents kept = joint_kept(joint);
        held = (kept.about[0] || kept.about[1] || kept.about[2]) &&
               (names_same_node(m, joint->nodes[0], body->name) ||
                names_same_node(m, joint->nodes[1], body->name));
    }
    if (!held)
        findings_error(check->findings, &body->mass,
                       "'%s' has no 'inertia' and no joint that keeps it from turning", body->name);
}

static void body_check(const void *part, const PartCheck *check) {
    const BodyDefinition *body = part, *carrier = NULL;
    const MechanismDefinition *m = check->mechanism;
    for (int i = 0; i < m->body_count && body->node && !carrier; i++)
        if (strcmp(m->bodies[i].name, body->node) == 0) carrier = &m->bodies[i];
    body_check_inertia(body, check->findings);
    if (body->node && strcmp(body->node, "ground") == 0)
        findings_error(check->findings, &body->node,
                       "'node' of '%s' is 'ground', which never moves: the body would have no effect",
                       body->name);
    else if (carrier && carrier->node)
        findings_error(check->findings, &body->node,
                       "'node' of '%s' is '%s', a body that is carried itself; name the node '%s'",
                       body->name, body->node, carrier == body ? "that carries it" : carrier->node);
    if (!body->node && check->complete) body_check_rotation(body, check);
}

static void body_describe(const void *part, const PartContext *context, Text *text) {
    const BodyDefinition *body = part;
    (void)context;
    text_add(text, "Body %s: ", body->name);
    human_add(text, body->mass, DIM_MASS);
    if (body->node) text_add(text, ", carried by %s", body->node);
    else {
        text_add_string(text, ", at ");
        human_add_vector(text, body->pose.position, DIM_LENGTH);
    }
    text_add_string(text, ".\n");
}

const PartType body_part = {
    .schema = {.name = "body",
               .doc = "A rigid body: mass and inertia, on a node of its own or carried by another one.",
               .size = sizeof(BodyDefinition),
               .name_offset = offsetof(BodyDefinition, name),
               SCHEMA_KEYS(body_keys),
               .at_most_one = {"node position", "node rotation", "node velocity", "node angular_velocity"},
               .example = "bodies:\n"
                          "  bob: {position: 0 -1 0 m, mass: 2 kg, inertia: 5 5 5 g*m^2}\n"
                          "  shell: {node: arm.end, mass: 48.5 g, inertia: 2.66 4.85 2.66 kg*mm^2}\n"},
    .noun = "body",
    .plural = "bodies",
    .order = PART_ORDER_BODIES,
    .build = body_build,
    .check = body_check,
    .describe = body_describe,
};
