// The tree of boxes: built from the top by the surface area heuristic over 16 bins per axis (Wald, On fast
// construction of SAH-based bounding volume hierarchies, 2007, doi:10.1109/RT.2007.4342588), eight children
// per node, flat in one array. And the queries that only need boxes and distances.
#include "base/memory.h"
#include "geometry/mesh_internal.h"

enum { bins = 16, depth_of_heuristic = 24 };

typedef struct TreeBox {
    float lower[3], upper[3];
} TreeBox;

typedef struct TreeItem {
    TreeBox box;
    int triangle;
} TreeItem;

typedef struct TreeBuilder {
    TreeItem *items;
    ARRAY(MeshNode) nodes;
} TreeBuilder;

typedef struct TreeRange {
    size_t begin, end;
    TreeBox box;
} TreeRange;

static TreeBox mesh_tree_box_empty(void) {
    return (TreeBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void mesh_tree_box_add(TreeBox *box, const TreeBox *other) {
    for (int k = 0; k < 3; k++) {
        if (other->lower[k] < box->lower[k]) box->lower[k] = other->lower[k];
        if (other->upper[k] > box->upper[k]) box->upper[k] = other->upper[k];
    }
}

static float mesh_tree_box_half_area(const TreeBox *box) {
    float x = box->upper[0] - box->lower[0], y = box->upper[1] - box->lower[1],
          z = box->upper[2] - box->lower[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

static TreeBox mesh_tree_box_of_triangle(const Mesh *mesh, const MeshTriangle *triangle) {
    TreeBox box = mesh_tree_box_empty();
    for (int corner = 0; corner < 3; corner++) {
        Vec3 p = vec3_sub(mesh->vertices[triangle->vertex[corner]], mesh->origin);
        for (int k = 0; k < 3; k++) {
            float x = (float)vec3_component(p, k);
            float below = nextafterf(x, -INFINITY), above = nextafterf(x, INFINITY);
            if (below < box.lower[k]) box.lower[k] = below;
            if (above > box.upper[k]) box.upper[k] = above;
        }
    }
    return box;
}

static TreeBox mesh_tree_box_of_items(const TreeItem *items, size_t begin, size_t end) {
    TreeBox box = mesh_tree_box_empty();
    for (size_t i = begin; i < end; i++) mesh_tree_box_add(&box, &items[i].box);
    return box;
}

static float mesh_tree_middle(const TreeItem *item, int axis) { // twice the middle
    return item->box.lower[axis] + item->box.upper[axis];
}

// ---- splitting -----------------------------------------------------------------------------------
typedef struct TreeSplit {
    int axis;
    float start, scale; // bin = (middle - start) scale
    int bin;            // items below it go to the left; 0: no split found
    float cost;
} TreeSplit;

static int mesh_tree_bin_of(const TreeSplit *split, const TreeItem *item) {
    int bin = (int)((mesh_tree_middle(item, split->axis) - split->start) * split->scale);
    return bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
}

static void mesh_tree_find_split_on_axis(const TreeBuilder *builder, const TreeRange *range, int axis,
                                         TreeSplit *best) {
    float lowest = INFINITY, highest = -INFINITY;
    for (size_t i = range->begin; i < range->end; i++) {
        float at = mesh_tree_middle(&builder->items[i], axis);
        if (at < lowest) lowest = at;
        if (at > highest) highest = at;
    }
    TreeSplit split = {.axis = axis, .start = lowest, .scale = bins / (highest - lowest)};
    if (!(highest > lowest) || !isfinite(split.scale)) return;
    TreeBox box[bins];
    size_t count[bins] = {0};
    for (int b = 0; b < bins; b++) box[b] = mesh_tree_box_empty();
    for (size_t i = range->begin; i < range->end; i++) {
        int b = mesh_tree_bin_of(&split, &builder->items[i]);
        count[b]++;
        mesh_tree_box_add(&box[b], &builder->items[i].box);
    }
    float right_cost[bins];
    TreeBox sum = mesh_tree_box_empty();
    size_t items = 0;
    for (int b = bins - 1; b > 0; b--) {
        mesh_tree_box_add(&sum, &box[b]);
        items += count[b];
        right_cost[b] = mesh_tree_box_half_area(&sum) * (float)items;
    }
    sum = mesh_tree_box_empty();
    items = 0;
    for (int b = 1; b < bins; b++) {
        mesh_tree_box_add(&sum, &box[b - 1]);
        items += count[b - 1];
        split.cost = mesh_tree_box_half_area(&sum) * (float)items + right_cost[b];
        split.bin = b;
        if (items > 0 && items < range->end - range->begin && split.cost < best->cost) *best = split;
    }
}

// Where the right part begins. Halves the range blindly when all middles coincide, and deep down, so that the
// depth of the tree, and with it the stack of a walk, stays bounded.
static size_t mesh_tree_split_range(TreeBuilder *builder, const TreeRange *range, int depth) {
    TreeSplit best = {.cost = INFINITY};
    if (depth < depth_of_heuristic)
        for (int axis = 0; axis < 3; axis++) mesh_tree_find_split_on_axis(builder, range, axis, &best);
    if (best.bin == 0) return range->begin + (range->end - range->begin) / 2;
    size_t left = range->begin;
    for (size_t i = range->begin; i < range->end; i++) {
        if (mesh_tree_bin_of(&best, &builder->items[i]) >= best.bin) continue;
        TreeItem moved = builder->items[i];
        builder->items[i] = builder->items[left];
        builder->items[left++] = moved;
    }
    return left;
}

// Cuts the largest part again and again until there are MESH_WIDTH parts or all are leaves.
static int mesh_tree_split_in_parts(TreeBuilder *builder, const TreeRange *range, TreeRange *parts,
                                    int depth) {
    int count = 1;
    parts[0] = *range;
    while (count < MESH_WIDTH) {
        int largest = -1;
        for (int i = 0; i < count; i++)
            if (parts[i].end - parts[i].begin > MESH_LEAF &&
                (largest < 0 ||
                 mesh_tree_box_half_area(&parts[i].box) > mesh_tree_box_half_area(&parts[largest].box)))
                largest = i;
        if (largest < 0) break;
        TreeRange *part = &parts[largest];
        size_t cut = mesh_tree_split_range(builder, part, depth);
        parts[count] = (TreeRange){cut, part->end, mesh_tree_box_of_items(builder->items, cut, part->end)};
        *part = (TreeRange){part->begin, cut, mesh_tree_box_of_items(builder->items, part->begin, cut)};
        count++;
    }
    return count;
}

// Returns the index of the node, or -1 when memory has run out.
static int mesh_tree_build_node(TreeBuilder *builder, const TreeRange *range, int depth) {
    TreeRange parts[MESH_WIDTH];
    int count = mesh_tree_split_in_parts(builder, range, parts, depth), index = (int)builder->nodes.count;
    if (!array_push(&builder->nodes, (MeshNode){0})) return -1;
    MeshNode node = {0};
    for (int i = 0; i < MESH_WIDTH; i++) {
        TreeBox box = i < count ? parts[i].box : mesh_tree_box_empty();
        for (int k = 0; k < 3; k++) {
            node.lower[k][i] = box.lower[k];
            node.upper[k][i] = box.upper[k];
        }
        if (i >= count) continue;
        size_t items = parts[i].end - parts[i].begin;
        if (items <= MESH_LEAF) {
            node.first[i] = (int32_t)parts[i].begin;
            node.count[i] = (int32_t)items;
        } else {
            node.first[i] = mesh_tree_build_node(builder, &parts[i], depth + 1);
            if (node.first[i] < 0) return -1;
        }
    }
    builder->nodes.data[index] = node;
    return index;
}

bool mesh_tree_build(Mesh *mesh) {
    size_t count = mesh->info.triangle_count;
    TreeBuilder builder = {.items = memory_alloc(count * sizeof(TreeItem))};
    MeshTriangle *ordered = memory_alloc(count * sizeof *ordered);
    bool made = builder.items && ordered;
    for (size_t i = 0; made && i < count; i++)
        builder.items[i] = (TreeItem){mesh_tree_box_of_triangle(mesh, &mesh->triangles[i]), (int)i};
    if (made) {
        TreeRange all = {0, count, mesh_tree_box_of_items(builder.items, 0, count)};
        made = mesh_tree_build_node(&builder, &all, 0) == 0;
    }
    if (made) {
        for (size_t i = 0; i < count; i++) ordered[i] = mesh->triangles[builder.items[i].triangle];
        memcpy(mesh->triangles, ordered, count * sizeof *ordered);
        mesh->nodes = builder.nodes.data;
        mesh->node_count = builder.nodes.count;
    } else array_free(&builder.nodes);
    memory_free(builder.items);
    memory_free(ordered);
    return made;
}

// ---- distance ------------------------------------------------------------------------------------
typedef struct TreeNearest {
    float distance2;
    int32_t first, count;
} TreeNearest;

// Pushes the children that are nearer than the limit, the nearest on top; notes the nearest left out.
static int mesh_tree_push_children(const MeshNode *node, const float *distance2, float limit2,
                                   TreeNearest *stack, int depth, float *left_out2) {
    int bottom = depth;
    for (int i = 0; i < MESH_WIDTH; i++) {
        if (!(distance2[i] < limit2)) {
            if (distance2[i] < *left_out2) *left_out2 = distance2[i];
            continue;
        }
        int at = depth++;
        for (; at > bottom && stack[at - 1].distance2 < distance2[i]; at--) stack[at] = stack[at - 1];
        stack[at] = (TreeNearest){distance2[i], node->first[i], node->count[i]};
    }
    return depth;
}

static double mesh_tree_nearest_in_leaf2(const Mesh *mesh, Vec3 point, int first, int count, double best2) {
    for (int t = first; t < first + count; t++) {
        MeshClosest closest = mesh_closest(mesh, &mesh->triangles[t], point);
        best2 = fmin(best2, vec3_norm2(vec3_sub(point, closest.point)));
    }
    return best2;
}

double mesh_distance(const Mesh *mesh, Vec3 point, double looseness) {
    Vec3 local = vec3_sub(point, mesh->origin);
    float x = (float)local.x, y = (float)local.y, z = (float)local.z, left_out2 = INFINITY;
    float share2 = (float)((1 - looseness) * (1 - looseness));
    double best2 = INFINITY, slack = mesh_float_slack(mesh, local);
    // Boxes are left out from this distance on: too early never, as the slack is on the safe side.
    float limit2 = INFINITY;
    TreeNearest stack[MESH_STACK];
    stack[0] = (TreeNearest){0, 0, 0}; // the root
    for (int depth = 1; depth > 0;) {
        TreeNearest near = stack[--depth];
        if (!(near.distance2 < limit2)) {
            if (near.distance2 < left_out2) left_out2 = near.distance2;
            continue;
        }
        if (near.count == 0) {
            float distance2[MESH_WIDTH];
            mesh_node_distances(&mesh->nodes[near.first], x, y, z, distance2);
            depth = mesh_tree_push_children(&mesh->nodes[near.first], distance2, limit2, stack, depth,
                                            &left_out2);
            continue;
        }
        double found2 = mesh_tree_nearest_in_leaf2(mesh, point, near.first, near.count, best2);
        if (found2 < best2) {
            best2 = found2;
            double limit = sqrt(best2) + slack;
            limit2 = (float)(limit * limit) * share2;
        }
    }
    double best = sqrt(best2);
    return looseness > 0 ? fmin(best, fmax(0, sqrt(left_out2) - slack)) : best;
}

// ---- inside or outside ---------------------------------------------------------------------------
// Crossings of the ray; *doubtful when it passes too near to an edge, or along a triangle, to be sure.
static int mesh_tree_count_crossings(const Mesh *mesh, Vec3 point, Vec3 ray, int first, int count,
                                     bool *doubtful) {
    int crossings = 0;
    for (int t = first; t < first + count; t++) {
        const MeshTriangle *triangle = &mesh->triangles[t];
        Vec3 a = mesh->vertices[triangle->vertex[0]];
        Vec3 ab = vec3_sub(mesh->vertices[triangle->vertex[1]], a);
        Vec3 ac = vec3_sub(mesh->vertices[triangle->vertex[2]], a);
        Vec3 across = vec3_cross(ray, ac), from = vec3_sub(point, a);
        double determinant = vec3_dot(ab, across);
        if (fabs(determinant) < 1e-9 * sqrt(vec3_norm2(ab) * vec3_norm2(ac))) {
            *doubtful = true;
            continue;
        }
        Vec3 turned = vec3_cross(from, ab);
        double u = vec3_dot(from, across) / determinant, v = vec3_dot(ray, turned) / determinant;
        double least = fmin(fmin(u, v), 1 - u - v), along = vec3_dot(ac, turned) / determinant;
        if (along < 0 || least < -1e-9) continue;
        if (least < 1e-9) *doubtful = true;
        crossings++;
    }
    return crossings;
}

typedef struct TreeRay {
    float from[3], inverse[3]; // start, seen from mesh->origin; inverse of the direction
    float slack;               // the boxes are widened by it, so that rounding never loses a crossing
} TreeRay;

static void mesh_tree_ray_meets_boxes(const MeshNode *node, const TreeRay *ray, bool *meets) {
    float enter[MESH_WIDTH] = {0}, leave[MESH_WIDTH];
    for (int i = 0; i < MESH_WIDTH; i++) leave[i] = INFINITY;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < MESH_WIDTH; i++) {
            float t0 = (node->lower[k][i] - ray->slack - ray->from[k]) * ray->inverse[k];
            float t1 = (node->upper[k][i] + ray->slack - ray->from[k]) * ray->inverse[k];
            float first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
            enter[i] = first > enter[i] ? first : enter[i];
            leave[i] = last < leave[i] ? last : leave[i];
        }
    for (int i = 0; i < MESH_WIDTH; i++) // an unused box is inverted in all directions
        meets[i] = enter[i] <= leave[i] && node->lower[0][i] <= node->upper[0][i];
}

static bool mesh_tree_ray_is_odd(const Mesh *mesh, Vec3 point, Vec3 direction, bool *doubtful) {
    Vec3 local = vec3_sub(point, mesh->origin);
    TreeRay ray = {{(float)local.x, (float)local.y, (float)local.z},
                   {(float)(1 / direction.x), (float)(1 / direction.y), (float)(1 / direction.z)},
                   (float)(4 * mesh_float_slack(mesh, local))};
    int stack[MESH_STACK], crossings = 0;
    stack[0] = 0; // the root
    for (int depth = 1; depth > 0;) {
        const MeshNode *node = &mesh->nodes[stack[--depth]];
        bool meets[MESH_WIDTH];
        mesh_tree_ray_meets_boxes(node, &ray, meets);
        for (int i = 0; i < MESH_WIDTH; i++) {
            if (!meets[i]) continue;
            if (node->count[i] == 0) stack[depth++] = node->first[i];
            else
                crossings += mesh_tree_count_crossings(mesh, point, direction, node->first[i], node->count[i],
                                                       doubtful);
        }
    }
    return crossings % 2 == 1;
}

// Directions without any pattern; the first that passes clear of all edges decides, else the majority.
bool mesh_contains(const Mesh *mesh, Vec3 point) {
    static const Vec3 rays[] = {{0.5773, 0.6461, 0.4991},   {-0.7192, 0.2831, 0.6344},
                                {0.1877, -0.9017, 0.3895},  {-0.3347, -0.4413, -0.8326},
                                {0.8711, -0.2239, -0.4371}, {-0.1013, 0.5237, -0.8459},
                                {0.3319, 0.3671, 0.8690}};
    enum { ray_count = sizeof rays / sizeof *rays };
    Vec3 lower = mesh->info.lower, upper = mesh->info.upper;
    if (point.x < lower.x || point.y < lower.y || point.z < lower.z) return false;
    if (point.x > upper.x || point.y > upper.y || point.z > upper.z) return false;
    int odd = 0;
    for (int i = 0; i < ray_count; i++) {
        bool doubtful = false, inside = mesh_tree_ray_is_odd(mesh, point, rays[i], &doubtful);
        if (!doubtful) return inside;
        odd += inside;
    }
    return 2 * odd > ray_count;
}
