// Layers of bodies, which threads sweep side by side: see nsgs.h.
//
// Bodies are numbered by a breadth-first search over contacts, started from a peripheral body (as in the ordering of
// Cuthill and McKee), so that the two bodies of a contact are never far apart in this order. The order is cut into
// layers with about equal numbers of contacts, but none so thin that a contact would reach over it: contacts join bodies
// of one layer or of two successive ones. (Of 12,900 contacts of 6,600 stones in 56 layers of equal numbers 5,570 reached
// further. Solved in order, on one thread, they took 46 % of the time of settling.)
#include "base/threads.h"
#include "contact/nsgs.h"

// Lists of neighbours: those of node k are neighbours[first[k]] to neighbours[first[k + 1] - 1].
static MrcStatus nsgs_layers_list_neighbours(Nsgs *nsgs, const ContactProblem *p, size_t nodes,
                                             MrcError *error) {
    if (!array_resize(&nsgs->first, nodes + 2) || !array_resize(&nsgs->neighbours, 2 * p->contacts.count))
        return error_memory(error, "the contacts");
    int32_t *first = nsgs->first.data;
    memset(first, 0, (nodes + 2) * sizeof *first);
    for (size_t i = 0; i < p->contacts.count; i++) {
        NsgsEnds ends = nsgs->ends.data[i];
        if (nsgs_joins(nsgs, p, ends)) first[ends.a + 2]++, first[ends.b + 2]++;
    }
    for (size_t k = 2; k < nodes + 2; k++) first[k] += first[k - 1];
    for (size_t i = 0; i < p->contacts.count; i++) {
        NsgsEnds ends = nsgs->ends.data[i];
        if (!nsgs_joins(nsgs, p, ends)) continue;
        nsgs->neighbours.data[first[ends.a + 1]++] = ends.b;
        nsgs->neighbours.data[first[ends.b + 1]++] = ends.a;
    }
    return MRC_OK;
}

// Appends what can be reached from `start` to the order; `mark` is given to each, in place of any other.
static size_t nsgs_layers_visit(Nsgs *nsgs, int32_t start, size_t count, int32_t mark) {
    int32_t *order = nsgs->order.data, *marks = nsgs->layer_of.data;
    order[count] = start;
    marks[start] = mark;
    for (size_t next = count++; next < count; next++)
        for (int32_t k = nsgs->first.data[order[next]]; k < nsgs->first.data[order[next] + 1]; k++) {
            int32_t other = nsgs->neighbours.data[k];
            if (marks[other] == mark) continue;
            marks[other] = mark;
            order[count++] = other;
        }
    return count;
}

// Layer by layer, with as much to do in each. Most contacts without an impulse at the start stay
// open and sleep.
enum { nsgs_layers_weight = 4 }; // of a contact with an impulse; 1 of others

static int64_t nsgs_layers_weigh(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                                 size_t nodes) {
    int32_t *weight = nsgs->first.data; // no longer needed
    int64_t all = 0;
    memset(weight, 0, nodes * sizeof *weight);
    for (size_t i = 0; i < p->contacts.count; i++) {
        int32_t weighs = vec3_norm2(impulses[i].linear) > 0 ? nsgs_layers_weight : 1;
        NsgsEnds ends = nsgs->ends.data[i];
        if (ends.a >= 0) weight[ends.a] += weighs, all += weighs;
        if (ends.b >= 0) weight[ends.b] += weighs, all += weighs;
    }
    return all;
}

// reach[k]: the last place in the order that a contact joins to place k, if that is the first of the two.
static void nsgs_layers_find_reach(Nsgs *nsgs, const ContactProblem *p, size_t nodes) {
    int32_t *reach = nsgs->reach.data;
    for (size_t k = 0; k < nodes; k++) reach[k] = (int32_t)k;
    for (size_t i = 0; i < p->contacts.count; i++) {
        NsgsEnds ends = nsgs->ends.data[i];
        if (!nsgs_joins(nsgs, p, ends)) continue;
        int32_t at_a = nsgs->line_at.data[ends.a] / BODY_LINE, at_b = nsgs->line_at.data[ends.b] / BODY_LINE;
        int32_t first = at_a < at_b ? at_a : at_b, last = at_a < at_b ? at_b : at_a;
        if (last > reach[first]) reach[first] = last;
    }
}

// A layer ends when it has its share of the contacts, and not before all contacts of the layers before it do.
static void nsgs_layers_cut(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses, size_t nodes,
                            int wanted) {
    int64_t all = nsgs_layers_weigh(nsgs, p, impulses, nodes), so_far = 0, begun = 0;
    int32_t before = -1, own = -1; // last places that the layers before reach, and this one
    int layer = 0;
    for (size_t k = 0; k < nodes; k++) nsgs->line_at.data[nsgs->order.data[k]] = (int32_t)k * BODY_LINE;
    nsgs_layers_find_reach(nsgs, p, nodes);
    for (size_t k = 0; k < nodes; k++) {
        nsgs->layer_of.data[nsgs->order.data[k]] = layer;
        so_far += nsgs->first.data[nsgs->order.data[k]];
        if (nsgs->reach.data[k] > own) own = nsgs->reach.data[k];
        if ((so_far - begun) * wanted < all || (int32_t)k < before || layer + 1 == wanted) continue;
        nsgs->layer_end[layer++] = k + 1;
        begun = so_far, before = own;
    }
    if (layer == 0 || nsgs->layer_end[layer - 1] < nodes) nsgs->layer_end[layer++] = nodes;
    nsgs->layer_count = layer;
}

static int nsgs_layers_count(size_t contacts, size_t layered) {
    if (contacts < layered || contacts < 4) return 1;
    size_t wanted = layered > 0 ? 2 * (2 * contacts / layered) : NSGS_LAYERS;
    return wanted < NSGS_LAYERS ? (int)wanted : NSGS_LAYERS;
}

static void nsgs_layers_put_in_order(Nsgs *nsgs, size_t nodes) {
    memset(nsgs->layer_of.data, 0, nodes * sizeof *nsgs->layer_of.data);
    size_t count = 0;
    for (size_t k = 0; k < nodes; k++) {
        if (nsgs->layer_of.data[k] != 0) continue;
        size_t end = nsgs_layers_visit(nsgs, (int32_t)k, count, 1);
        count = nsgs_layers_visit(nsgs, nsgs->order.data[end - 1], count,
                                  2); // the last one of a first visit is far off
    }
}

MrcStatus nsgs_make_layers(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                           size_t layered, MrcError *error) {
    size_t nodes = p->bodies.count + p->groups.count;
    int wanted = nsgs_layers_count(p->contacts.count, layered);
    if (!array_resize(&nsgs->order, nodes) || !array_resize(&nsgs->layer_of, nodes) ||
        !array_resize(&nsgs->moved, nodes + 1) || !array_resize(&nsgs->reach, nodes) ||
        !array_resize(&nsgs->line_at, nodes + 1) || !array_resize(&nsgs->lines, (nodes + 1) * BODY_LINE))
        return error_memory(error, "the contacts");
    nsgs->line_at.data[nodes] = (int32_t)nodes * BODY_LINE;
    nsgs->layer_count = 1;
    nsgs->many = wanted == 1 ? NSGS_MANY : 1;
    nsgs->layer_end[0] = nodes;
    if (wanted == 1) {
        for (size_t k = 0; k < nodes; k++)
            nsgs->order.data[k] = (int32_t)k, nsgs->line_at.data[k] = (int32_t)k * BODY_LINE;
    } else {
        MrcStatus status = nsgs_layers_list_neighbours(nsgs, p, nodes, error);
        if (status != MRC_OK) return status;
        nsgs_layers_put_in_order(nsgs, nodes);
        nsgs_layers_cut(nsgs, p, impulses, nodes, wanted);
    }
    return even_odd_resize(&nsgs->even_odd, (nsgs->layer_count + 1) / 2,
                           nsgs->parallel ? threads_wanted() : 1)
               ? MRC_OK
               : error_memory(error, "the contacts");
}
