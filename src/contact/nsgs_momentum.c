// Momentum between sweeps: see nsgs.h.
//
// The result of a sweep is pushed on along the way from the last sweep's result, with the growing steps of
// Nesterov's method, and from a standstill again when the push points uphill, as in apgd.h:
//
//   p_(k+1) = GS(y_k),   y_(k+1) = p_(k+1) + beta_k (p_(k+1) - p_k)
//   from a standstill if (y_k - p_(k+1)) . (p_(k+1) - p_k) > 0
//
// in the metric of the contacts' own blocks. Velocities depend linearly on impulses and are taken along.
// Impulses may leave their cones for the moment; the next sweep brings them back.
#include <float.h>

#include "contact/nsgs.h"

enum { chunk_batches = 64, general_stride = 16 };

// |p - y|^2 may grow by `bold` from sweep to sweep before the push starts anew; that is what makes long ways
// short. But a sweep is no gradient step, and the push may keep it from settling. So if for a number of
// sweeps none has made less of a change than all before, nothing may grow for as many sweeps; then again,
// with twice the patience.
static const double bold = 1.5, careful = 1;
enum { first_patience = 100 };

// The numbers of one batch: impulses now, before the sweep (y), and after the sweep before that (p).
typedef struct Piece {
    Wide *now, *before, *last;
    const Wide *weight;
} Piece;

static size_t batch_count(const Nsgs *nsgs) {
    return nsgs->pairs.count + nsgs->walls.count + nsgs->shared.count;
}

static Piece piece_of(Nsgs *nsgs, size_t i) {
    Wide *stored = (Wide *)nsgs->momentum.data + 6 * i;
    NsgsBatch *batch;
    if (i < nsgs->pairs.count) batch = &nsgs->pairs.data[i];
    else if ((i -= nsgs->pairs.count) < nsgs->walls.count) batch = &nsgs->walls.data[i];
    else batch = &nsgs->shared.data[i - nsgs->walls.count].batch;
    return (Piece){batch->impulse, stored, stored + 3, &batch->wt};
}

// Stored numbers: six Wides a batch, two twists a general contact (in two lines), two lines a body.
static double *general_numbers(Nsgs *nsgs) {
    return nsgs->momentum.data + 6 * WIDE_LANES * batch_count(nsgs);
}
static double *line_numbers(Nsgs *nsgs) {
    return general_numbers(nsgs) + general_stride * nsgs->generals.count;
}

MrcStatus nsgs_momentum_begin(Nsgs *nsgs, MrcError *error) {
    size_t batches = batch_count(nsgs), lines = nsgs->lines.count;
    if (!array_resize(&nsgs->momentum,
                      6 * WIDE_LANES * batches + general_stride * nsgs->generals.count + 2 * lines) ||
        !array_resize(&nsgs->norms, 2 * (batches / chunk_batches + 1)))
        return error_memory(error, "the contacts");
    nsgs->theta = 1;
    nsgs->last_change = nsgs->least_change = DBL_MAX;
    nsgs->growth = bold;
    nsgs->sweeps_since = 0;
    nsgs->patience = first_patience;
    for (size_t i = 0; i < batches; i++) {
        Piece piece = piece_of(nsgs, i);
        for (int k = 0; k < 3; k++) piece.before[k] = piece.last[k] = piece.now[k];
    }
    double *general = general_numbers(nsgs), *line = line_numbers(nsgs);
    for (size_t i = 0; i < nsgs->generals.count; i++, general += general_stride) {
        memcpy(general, &nsgs->generals.data[i].impulse, sizeof(Twist));
        memcpy(general + 6, general, sizeof(Twist));
    }
    memcpy(line, nsgs->lines.data, lines * sizeof *line);
    memcpy(line + lines, line, lines * sizeof *line);
    return MRC_OK;
}

// In the metric of the blocks: (y - p) . (p - p before), and |p - y|^2, the size of what the sweep changed.
typedef struct Sums {
    double uphill, change;
} Sums;

static inline void add_piece(const Piece *p, Wide *uphill, Wide *change) {
    for (int k = 0; k < 3; k++) {
        Wide back = p->before[k] - p->now[k], weighted = *p->weight * back;
        *uphill = wide_fma(weighted, p->now[k] - p->last[k], *uphill);
        *change = wide_fma(weighted, back, *change);
    }
}

static void add_chunks(Nsgs *nsgs) {
    size_t batches = batch_count(nsgs), from, to;
    nsgs_share(nsgs, 0, batches / chunk_batches + 1, &from, &to);
    for (size_t chunk = from; chunk < to; chunk++) {
        size_t end = (chunk + 1) * chunk_batches < batches ? (chunk + 1) * chunk_batches : batches;
        Wide uphill = wide_set(0), change = wide_set(0);
        for (size_t i = chunk * chunk_batches; i < end; i++) {
            Piece piece = piece_of(nsgs, i);
            add_piece(&piece, &uphill, &change);
        }
        nsgs->norms.data[2 * chunk] = wide_sum(uphill);
        nsgs->norms.data[2 * chunk + 1] = wide_sum(change);
    }
}

// Over fixed chunks that are added in order.
static Sums add_up(Nsgs *nsgs, bool parallel) {
    size_t chunks = batch_count(nsgs) / chunk_batches + 1;
    if (parallel) {
#pragma omp parallel
        add_chunks(nsgs);
    } else add_chunks(nsgs);
    Sums total = {0, 0};
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        total.uphill += nsgs->norms.data[2 * chunk];
        total.change += nsgs->norms.data[2 * chunk + 1];
    }
    const double *general = general_numbers(nsgs);
    for (size_t i = 0; i < nsgs->generals.count; i++, general += general_stride) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        const double *now = twist_view(&g->impulse);
        for (int k = 0; k < 6; k++) {
            double back = general[k] - now[k];
            double weighted = (k < 3 ? g->weights.normal : g->weights.disc[CONE_ROLL]) * back;
            total.uphill += weighted * (now[k] - general[k + 6]);
            total.change += weighted * back;
        }
    }
    return total;
}

static inline void push(Wide *now, Wide *before, Wide *last, Wide beta, size_t count) {
    for (size_t k = 0; k < count; k++) {
        Wide reached = now[k];
        before[k] = now[k] = wide_fma(beta, reached - last[k], reached);
        last[k] = reached;
    }
}

static inline void push_general(Twist *impulse, double *general, double beta) {
    double *now = twist_numbers(impulse), *before = general, *last = general + 6;
    for (int k = 0; k < 6; k++) {
        double reached = now[k];
        before[k] = now[k] = reached + beta * (reached - last[k]);
        last[k] = reached;
    }
}

static void watch(Nsgs *nsgs, double change) {
    nsgs->sweeps_since++;
    if (nsgs->growth == careful) {
        if (nsgs->sweeps_since < nsgs->patience) return;
        nsgs->growth = bold;
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
        nsgs->patience *= 2;
    } else if (change < nsgs->least_change) {
        nsgs->least_change = change;
        nsgs->sweeps_since = 0;
    } else if (nsgs->sweeps_since > nsgs->patience) {
        nsgs->growth = careful;
        nsgs->sweeps_since = 0;
    }
}

static void push_all(Nsgs *nsgs, double beta) {
    size_t lines = nsgs->lines.count, from, to;
    double *line = line_numbers(nsgs), *general = general_numbers(nsgs);
    Wide wide = wide_set(beta);
    nsgs_share(nsgs, 0, batch_count(nsgs), &from, &to);
    for (size_t i = from; i < to; i++) {
        Piece p = piece_of(nsgs, i);
        push(p.now, p.before, p.last, wide, 3);
    }
    nsgs_share(nsgs, 0, lines / LINE, &from, &to);
    for (size_t i = from * LINE; i < to * LINE; i += WIDE_LANES)
        push((Wide *)(nsgs->lines.data + i), (Wide *)(line + i), (Wide *)(line + lines + i), wide, 1);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++)
        push_general(&nsgs->generals.data[i].impulse, general + i * general_stride, beta);
}

void nsgs_momentum(Nsgs *nsgs, bool parallel) {
    double theta = nsgs->theta, next = 0.5 * (-theta * theta + theta * sqrt(theta * theta + 4));
    double beta = theta * (1 - theta) / (theta * theta + next);
    nsgs->theta = next;
    Sums sums = add_up(nsgs, parallel);
    if (!(sums.uphill <= 0) || !(sums.change <= nsgs->growth * nsgs->last_change)) nsgs->theta = 1, beta = 0;
    nsgs->last_change = sums.change;
    watch(nsgs, sums.change);
    if (parallel) {
#pragma omp parallel
        push_all(nsgs, beta);
    } else push_all(nsgs, beta);
}
