// From nodes and joints to a tree with coordinates.
//
// The tree grows from the ground. Of all joints that lead from it to a new node, the one with the most constraints is
// taken, the first of equals: so the joints that are left over, which close loops, have the fewest equations. Joints
// that the user cuts are never taken, nor are those whose constraints are not components of the relative motion
// (distance, screw). A node that no joint holds is free: six coordinates from the ground.
//
// A tree joint gives one coordinate for each component that it leaves free, named after it: `hinge` when there is one,
// `guide.x`, `guide.rz` otherwise, x, y, z along and rx, ry, rz about the joint's axes; of a free node `box.x`.
#include <math.h>
#include <stdio.h>

#include "base/nearest.h"
#include "mechanism/beam.h"
#include "mechanism/tree.h"

// ---- which joints ----------------------------------------------------------------------------------
static bool tree_can_take(const Element *element) {
    const Joint *joint = element->data;
    if (element->kind != &joint_kind || element->node_count != 2) return false;
    for (int i = 0; i < joint->row_count; i++) {
        const RelativeKind *kind = joint->rows[i].coordinate.kind;
        if (kind != &relative_translation && kind != &relative_crossing && kind != &relative_rotation)
            return false;
    }
    return true;
}

static bool tree_is_cut(const MechanismDefinition *d, const char *joint) {
    for (int i = 0; i < d->cut_count; i++)
        if (strcmp(d->cut[i], joint) == 0) return true;
    return false;
}

static MrcStatus tree_check_cuts(const Mechanism *m, MrcError *error) {
    const MechanismDefinition *d = m->definition;
    for (int i = 0; i < d->cut_count; i++) {
        bool found = false;
        for (int c = 0; c < m->constraint_count; c++)
            found = found || (m->constraints[c]->kind == &joint_kind &&
                              strcmp(m->constraints[c]->name, d->cut[i]) == 0);
        if (!found)
            return error_set(error, MRC_MODEL, "'cut' names '%s', which is no joint of the mechanism",
                             d->cut[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(d->cut[i], d->cut[k]) == 0)
                return error_set(error, MRC_MODEL, "'cut' names the joint '%s' twice", d->cut[i]);
    }
    return MRC_OK;
}

// The node that a joint would add to the tree; -1: none. `reached` has the ground at its end.
static int tree_new_node(const Mechanism *m, const Element *element, const bool *reached) {
    int a = element->node[0], b = element->node[1];
    bool has_a = a < 0 || reached[a], has_b = b < 0 || reached[b];
    if (has_a == has_b) return -1;
    (void)m;
    return has_a ? b : a;
}

static const Joint tree_free_joint = {
    .markers = {{.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}, {.axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}},
    .turn_memory = -1};

static void tree_grow(const Mechanism *m, Tree *tree, bool *reached, bool *taken) {
    for (int placed = 0; placed < m->node_count; placed++) {
        const Element *best = NULL;
        int node = -1;
        for (int c = 0; c < m->constraint_count; c++) {
            const Element *element = m->constraints[c];
            if (!tree_can_take(element) || tree_is_cut(m->definition, element->name)) continue;
            int candidate = tree_new_node(m, element, reached);
            if (candidate < 0 || (best && best->multiplier_count >= element->multiplier_count)) continue;
            best = element;
            node = candidate;
        }
        for (int n = 0; n < m->node_count && node < 0; n++)
            if (!reached[n]) node = n;
        TreeJoint *joint = &tree->joints[node];
        *joint = (TreeJoint){.parent = -1, .element = best, .joint = &tree_free_joint, .chart = -1};
        if (best) {
            joint->joint = best->data;
            joint->reversed = best->node[0] == node;
            joint->parent = best->node[joint->reversed ? 1 : 0];
            taken[best - m->elements] = true;
        }
        reached[node] = true;
        tree->order[placed] = node;
    }
}

// The free node that carries it; -1: the ground.
static int tree_root(const Tree *tree, int node) {
    while (node >= 0 && tree->joints[node].element) node = tree->joints[node].parent;
    return node;
}

static MrcStatus tree_collect_loops(const Mechanism *m, Tree *tree, const bool *taken, MrcError *error) {
    for (int c = 0; c < m->constraint_count; c++) {
        Element *element = m->constraints[c];
        if (taken[element - m->elements]) continue;
        bool cut = element->kind == &joint_kind && tree_is_cut(m->definition, element->name);
        int a = cut ? tree_root(tree, element->node[0]) : -1,
            b = cut ? tree_root(tree, element->node[1]) : -1;
        if (a != b) {
            int loose = b >= 0 ? b : a;
            return error_set(
                error, MRC_MODEL,
                "'cut' names the joint '%s', which closes no loop: without it nothing holds '%s'. Cut "
                "another joint of a loop, or give '%s' a joint that leaves free what it shall have as "
                "coordinates, such as `planar: %s`",
                element->name, m->node_names[loose], m->node_names[loose], m->node_names[loose]);
        }
        tree->loops[tree->loop_count++] = element;
        tree->loop_rows += element->multiplier_count;
    }
    return MRC_OK;
}

// ---- which coordinates -------------------------------------------------------------------------------
static void tree_read_rows(TreeJoint *joint) {
    int rotations = 0, crossings = 0;
    bool kept[3] = {false, false, false};
    for (int i = 0; i < joint->joint->row_count; i++) {
        const JointRow *row = &joint->joint->rows[i];
        const RelativeCoordinate *coordinate = &row->coordinate;
        if (coordinate->kind == &relative_translation) {
            kept[coordinate->axis] = true;
            if (row->drive.expression) joint->drive[coordinate->axis] = &row->drive;
        } else if (coordinate->kind == &relative_rotation) rotations++;
        else {
            crossings++;
            joint->turn_axis[0] = crossings == 2 ? coordinate->other : coordinate->axis;
            joint->turn_axis[1] = coordinate->other;
        }
    }
    for (int k = 0; k < 3; k++) joint->slide[k] = kept[k] ? -1 : 0;
    joint->turns = rotations ? 0 : 3 - crossings;
}

static const char *tree_name(const Mechanism *m, const TreeJoint *joint, int node, const char *component) {
    const char *name = joint->element ? joint->element->name : m->node_names[node];
    return joint->count == 1 ? name : arena_printf(m->arena, "%s.%s", name, component);
}

static int tree_turn_letter(const TreeJoint *joint, int i) {
    return joint->turns == 3 ? i : joint->turn_axis[i];
}

static MrcStatus tree_number(Mechanism *m, Tree *tree, MrcError *error) {
    static const char *const along[] = {"x", "y", "z"}, *const about[] = {"rx", "ry", "rz"};
    for (int i = 0; i < m->node_count; i++) {
        TreeJoint *joint = &tree->joints[tree->order[i]];
        tree_read_rows(joint);
        joint->first = tree->count;
        for (int k = 0; k < 3; k++)
            if (joint->slide[k] >= 0) joint->slide[k] = tree->count++;
        tree->count += joint->turns;
        joint->count = tree->count - joint->first;
        if (joint->turns == 3) joint->chart = tree->chart_count++;
    }
    tree->coordinates = arena_alloc(m->arena, sizeof(TreeCoordinate) * ((size_t)tree->count + 1));
    if (!tree->coordinates) return error_memory(error, "the mechanism");
    for (int n = 0; n < m->node_count; n++) {
        const TreeJoint *joint = &tree->joints[n];
        int first = joint->first + joint->count - joint->turns;
        for (int k = 0; k < 3; k++)
            if (joint->slide[k] >= 0)
                tree->coordinates[joint->slide[k]] =
                    (TreeCoordinate){tree_name(m, joint, n, along[k]), n, false};
        for (int i = 0; i < joint->turns; i++)
            tree->coordinates[first + i] =
                (TreeCoordinate){tree_name(m, joint, n, about[tree_turn_letter(joint, i)]), n, true};
    }
    for (int k = 0; k < tree->count; k++)
        if (!tree->coordinates[k].name) return error_memory(error, "the mechanism");
    tree->independent = tree->count - tree->loop_rows;
    return MRC_OK;
}

int tree_find(const Tree *tree, const char *name) {
    for (int k = 0; k < tree->count; k++)
        if (strcmp(tree->coordinates[k].name, name) == 0) return k;
    return -1;
}

static void tree_list(const Tree *tree, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < tree->count; k++) {
        const char *name = tree->coordinates[k].name;
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

static MrcStatus tree_read_wanted(Mechanism *m, Tree *tree, MrcError *error) {
    const MechanismDefinition *d = m->definition;
    char list[512];
    tree_list(tree, list, sizeof list);
    if (tree->independent < 0)
        return error_set(
            error, MRC_MODEL,
            "the joints keep more than can move: %d coordinates (%s) have %d loop equations. Hinges with "
            "parallel axes in a loop fix some directions twice: let one joint of each such loop fix "
            "less, such as spherical, point_on_line or general",
            tree->count, list, tree->loop_rows);
    for (int i = 0; i < d->independent_count; i++) {
        int k = tree_find(tree, d->independent[i]);
        if (k < 0)
            return error_set(
                error, MRC_MODEL,
                "'independent' names '%s', which is no coordinate of the tree; its coordinates are %s",
                d->independent[i], tree->count ? list : "none");
        if (tree->wanted[k])
            return error_set(error, MRC_MODEL, "'independent' names the coordinate '%s' twice",
                             d->independent[i]);
        tree->wanted[k] = true;
        tree->wanted_count++;
    }
    if (tree->wanted_count > tree->independent)
        return error_set(
            error, MRC_MODEL,
            "'independent' names %d coordinates, but the mechanism has %d degree%s of freedom: %d "
            "coordinates (%s) less %d loop equation%s",
            tree->wanted_count, tree->independent, tree->independent == 1 ? "" : "s", tree->count, list,
            tree->loop_rows, tree->loop_rows == 1 ? "" : "s");
    return MRC_OK;
}

// ---- memory ------------------------------------------------------------------------------------------
static bool tree_allocate(const Mechanism *m, Tree *tree) {
    size_t n = (size_t)tree->count, rows = (size_t)tree->loop_rows, f = (size_t)tree->independent,
           nodes = (size_t)m->node_count, widest = n > ELEMENT_ROWS ? n : ELEMENT_ROWS;
    struct {
        void **place;
        size_t size;
    } const list[] = {
        {(void **)&tree->motion, nodes * sizeof(TreeMotion)},
        {(void **)&tree->axes, n * sizeof(Twist)},
        {(void **)&tree->loads, 6 * nodes * sizeof(double)},
        {(void **)&tree->sums, 6 * nodes * sizeof(double)},
        {(void **)&tree->composite, 36 * nodes * sizeof(double)},
        {(void **)&tree->mass, n * n * sizeof(double)},
        {(void **)&tree->J, rows * n * sizeof(double)},
        {(void **)&tree->J_v, rows * rows * sizeof(double)},
        {(void **)&tree->J_pivots, rows * sizeof(int)},
        {(void **)&tree->Z, n * f * sizeof(double)},
        {(void **)&tree->P, 6 * nodes * f * sizeof(double)},
        {(void **)&tree->S, f * f * sizeof(double)},
        {(void **)&tree->S_pivots, f * sizeof(int)},
        {(void **)&tree->projected, widest * f * sizeof(double)},
        {(void **)&tree->phi, rows * sizeof(double)},
        {(void **)&tree->x, n * sizeof(double)},
        {(void **)&tree->y, n * sizeof(double)},
        {(void **)&tree->trial, rows * n * sizeof(double)},
        {(void **)&tree->chosen, (n + rows) * sizeof(int)},
        {(void **)&tree->velocity, 6 * nodes * sizeof(double)},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!(*list[k].place = arena_alloc(m->arena, list[k].size + 8))) return false;
    return true;
}

// ---- creation ----------------------------------------------------------------------------------------
static MrcStatus tree_build(Mechanism *m, Tree *tree, bool *reached, bool *taken, MrcError *error) {
    MrcStatus status = tree_check_cuts(m, error);
    if (status != MRC_OK) return status;
    tree_grow(m, tree, reached, taken);
    status = tree_collect_loops(m, tree, taken, error);
    if (status == MRC_OK) status = tree_number(m, tree, error);
    if (status != MRC_OK) return status;
    tree->wanted = arena_alloc(m->arena, (size_t)tree->count + 1);
    if (!tree->wanted) return error_memory(error, "the mechanism");
    status = tree_read_wanted(m, tree, error);
    if (status == MRC_OK && !tree_allocate(m, tree)) status = error_memory(error, "the mechanism");
    return status;
}

MrcStatus tree_create(Mechanism *m, MrcError *error) {
    for (int e = 0; e < m->element_count; e++)
        if (m->elements[e].kind == &beam_kind)
            return error_set(
                error, MRC_MODEL,
                "'formulation: relative' is for rigid bodies; beam '%s' needs 'formulation: absolute'",
                m->elements[e].name);
    size_t nodes = (size_t)m->node_count, joints = (size_t)m->constraint_count;
    Tree *tree = m->tree = arena_alloc(m->arena, sizeof *tree);
    bool *flags = memory_alloc(nodes + (size_t)m->element_count + 1);
    if (!tree || !flags) return memory_free(flags), error_memory(error, "the mechanism");
    tree->joints = arena_alloc(m->arena, nodes * sizeof *tree->joints);
    tree->order = arena_alloc(m->arena, nodes * sizeof *tree->order);
    tree->loops = arena_alloc(m->arena, (joints + 1) * sizeof *tree->loops);
    MrcStatus status = tree->joints && tree->order && tree->loops
                           ? tree_build(m, tree, flags, flags + nodes, error)
                           : error_memory(error, "the mechanism");
    memory_free(flags);
    return status;
}

void tree_destroy(Mechanism *m) {
    if (!m->tree) return;
    array_free(&m->tree->inverse);
    array_free(&m->tree->bodies);
    array_free(&m->tree->members);
}

// ---- the start ---------------------------------------------------------------------------------------
// Cholesky's factors exist when every independent coordinate has inertia of its own.
static MrcStatus tree_check_mass(Mechanism *m, MrcError *error) {
    Tree *tree = m->tree;
    int f = tree->independent;
    double *S = tree->S, *scale = tree->x;
    tree_reduced_mass(m, m->now, 0);
    for (int k = 0; k < f; k++) scale[k] = S[k * f + k];
    for (int k = 0; k < f; k++) {
        for (int j = 0; j < k; j++) S[k * f + k] -= S[k * f + j] * S[k * f + j];
        if (!(S[k * f + k] > 1e-12 * scale[k]))
            return error_set(
                error, MRC_MODEL,
                "nothing with mass resists the coordinate '%s': in the relative form every degree of "
                "freedom needs inertia. Give the body that it turns an 'inertia', or take "
                "'formulation: absolute'",
                tree->coordinates[tree->partition[k]].name);
        double root = S[k * f + k] = sqrt(S[k * f + k]);
        for (int i = k + 1; i < f; i++) {
            for (int j = 0; j < k; j++) S[i * f + k] -= S[i * f + j] * S[k * f + j];
            S[i * f + k] /= root;
        }
    }
    return MRC_OK;
}

// Rates of the coordinates from the velocities of nodes, less what drives contribute.
static void tree_measure_rates(Mechanism *m) {
    Tree *tree = m->tree;
    double *velocity = tree->velocity;
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        const double v[6] = {node->v.x, node->v.y, node->v.z, node->w.x, node->w.y, node->w.z};
        memcpy(velocity + 6 * n, v, sizeof v);
    }
    memset(m->now.u, 0, sizeof(double) * (size_t)tree->count);
    tree_move(m, m->now);
    for (int n = 0; n < m->node_count; n++) {
        const NodeState *node = &m->now.nodes[n];
        const double v[6] = {node->v.x, node->v.y, node->v.z, node->w.x, node->w.y, node->w.z};
        for (int k = 0; k < 6; k++) velocity[6 * n + k] -= v[k];
    }
    tree_rates_of_nodes(m, m->now, velocity, m->now.u);
}

MrcStatus tree_start(Mechanism *m, MrcError *error) {
    tree_measure(m, 0);
    MrcStatus status = tree_choose(m, 0, error);
    if (status != MRC_OK) return status;
    if (!tree_close(m, m->now, 0))
        return error_set(error, MRC_MODEL, "the loops of the mechanism cannot be closed at the start");
    tree_measure_rates(m);
    tree_close_rates(m, m->now, 0);
    status = tree_check_mass(m, error);
    if (status != MRC_OK) return status;
    if (!tree_solve_accelerations(m, m->now, 0, NULL))
        return error_set(error, MRC_MODEL, "the accelerations at the start cannot be found");
    return MRC_OK;
}
