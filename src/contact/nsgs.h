// Gauss-Seidel by contact blocks, inside the module.
//
// Each sweep visits every contact once and solves it for its own impulse, all others held. Contacts of
// spheres with spheres and with walls that cannot move, which have a diagonal block, are solved WIDE_LANES at
// a time in closed form (nsgs_wide.c); those of rigid bodies with faces (nsgs_rigid.c) and of spheres with rolling friction
// (nsgs_rolling.c) likewise by a few steps of the same closed form for a diagonal block that bounds theirs from above,
// which cannot overshoot; all others in the same way one by one (nsgs_general.c).
//
// Contacts are coloured so that no two of one colour move the same body or group: those are solved in any
// order, or at once, with the same result bit by bit. A group that many grains touch (a container) would need
// as many colours as it has contacts; its contacts come after the coloured ones, in order, on one thread. Where there are
// several layers this holds for every group: its bodies are in other layers than what touches it.
//
// With a barrier after each colour, threads would wait as long as they work: a colour of a bed of 10,000 grains
// takes 15 us. Therefore the bodies of large problems are cut into layers that touch only the next ones
// (nsgs_layers.c). The contacts of a layer with itself and with the next one are swept colour by colour by
// one thread: those of even layers, which have no body in common, before those of the odd ones between
// (base/even_odd.h). There is one barrier per sweep, and each thread finds its contacts and bodies in its own
// cache. The layers depend on the problem alone.
//
// Two thirds of the contacts of a shaken bed are gaps that stay open. Those that have no impulse at the start and
// stay away from closing with the motion at the start sleep (nsgs_sleep.c): they are neither sorted nor swept.
// After some sweeps, and before the solution is accepted, those that have been closed by the impulses of others
// are woken.
//
// Between sweeps impulses are extrapolated as in Nesterov's method (nsgs_momentum.c): on problems of a shaken
// bed that take 400 to 16,000 sweeps without it, 65 to 800 are enough. Where impulses drift along a direction that
// changes no velocity, until one of them leaves its cone, they go there in one leap (nsgs_leap.c; relaxed law only): a
// shaken bed of 147 grains then takes 32 sweeps a step to a residual of 1e-6 instead of 64. Tried and left out: over-relaxation
// (1.1 to 1.5), which may cycle with a shared container; conjugate directions after Silcowitz, which take ten
// times as many sweeps; symmetric sweeps (forwards, then backwards), which take half as many again.
#ifndef CONTACT_NSGS_H
#define CONTACT_NSGS_H

#include "base/even_odd.h"
#include "base/watch.h"
#include "contact/cone.h"
#include "contact/lines.h"
#include "contact/local.h"
#include "contact/problem.h"
#include "contact/residual_parts.h"
#include "contact/solver.h"
#include "math/wide3.h"

enum {
    NSGS_COLOURS = 64,
    NSGS_MANY = 24
};                         // colours; contacts of a group from which on it is a shared one, in one layer
enum { NSGS_LAYERS = 64 }; // most layers
enum { NSGS_STOP = 8192 }; // contacts or batches that are prepared before it is asked whether to go on

typedef enum NsgsKind {
    NSGS_PAIR,
    NSGS_WALL,
    NSGS_RIGID,
    NSGS_RIGID_WALL,
    NSGS_ROLLING,
    NSGS_ROLLING_WALL,
    NSGS_GENERAL,
    NSGS_SHARED,
    NSGS_IGNORED
} NsgsKind;
enum { NSGS_SORTED = NSGS_GENERAL + 1 }; // kinds that have a colour

typedef struct NsgsEnds { // what a contact moves: bodies, or bodies + group; -1: nothing
    int32_t a, b;
} NsgsEnds;

typedef struct NsgsPlace { // of a contact
    int32_t place;         // among those of its set and kind
    uint16_t set;          // layer * NSGS_COLOURS + colour; layers * NSGS_COLOURS: in order
    uint8_t kind;          // NsgsKind
    uint8_t along;         // 1: arm_a is along the normal, 2: arm_b is
    uint8_t asleep;        // is it left out, because it seems to stay open?
} NsgsPlace;

typedef struct NsgsBatch { // of spheres; members are lanes
    Wide normal[3];        // from a to b
    Wide lever_a, lever_b; // arm_a = lever_a n, arm_b = -lever_b n [m]
    Wide bias[3];          // velocities of walls included [m/s]
    Wide friction;
    Wide wn, wt;                               // the diagonal block [1/kg]
    Wide inverse_wn, inverse_wt, inverse_slip; // 1/wn, 1/wt, 1/(wn + mu^2 wt)
    Wide w;                                    // mean diagonal of the true block, for the residual [1/kg]
    Wide impulse[3];
    Wide last[3];                         // impulse after the sweep before the last
    int32_t a[WIDE_LANES], b[WIDE_LANES]; // where their lines begin; lanes beyond count repeat lane 0
    int32_t contact[WIDE_LANES];          // in the problem; flipped ones as ~contact
    int32_t count;
} NsgsBatch;

// Sweeps over thousands of contacts wait for memory: what bodies have in common is in their lines, and the true block,
// which Coulomb's law does without, is kept apart.
typedef struct NsgsRigid { // of two rigid bodies, or of b and one that cannot move and is in the bias
    NsgsBatch batch;       // without levers; wn and wt: the diagonal block that bounds the true one
    Wide3 arm_a, arm_b;    // [m]
} NsgsRigid;

typedef struct NsgsBlock { // the true one of a batch of rigid bodies
    Wide3 diagonal, off;   // xx, yy, zz; yz, xz, xy [1/kg]
} NsgsBlock;

typedef struct NsgsTurning {              // rolling and spinning friction of a batch of spheres
    Wide rolling, spinning;               // most moment per normal impulse [m]
    Wide spin_bias[3];                    // added to the relative angular velocity: that of walls [rad/s]
    Wide tangent, roll, couple;           // the true block: [1/kg], [1/(kg m^2)], [1/(kg m)]
    Wide wr, ws, inverse_wr, inverse_ws;  // the diagonal block that bounds it, beside wn and wt
    Wide inverse_slopes[1 << CONE_DISCS]; // of it (wide_cone.h)
    Wide length;                          // unit of moments in the residual [m]
    Wide moment[3], last[3];              // impulses [N m s]: now, after the sweep before the last
    bool exact;                           // nothing couples, as with equal spheres
} NsgsTurning;

typedef struct NsgsRolling {
    NsgsBatch batch;
    NsgsTurning turning;
} NsgsRolling;

typedef struct NsgsSide { // one of the two bodies of a contact, which is in no group
    int32_t line;         // where its line begins; that of zeros: the world
    double inverse_mass;  // [1/kg]; 0: not to be moved
    Vec3 arm;             // [m]
    Mat3 turn;            // angular velocity per impulse at the end of the arm [1/(kg m)]
} NsgsSide;

typedef struct NsgsGeneral {
    int32_t contact;
    bool turns; // 6 rows, else 3
    bool exact; // the block is diagonal
    bool plain; // 3 rows, bodies in no group: sides and normal are set
    Vec3 normal, bias;
    NsgsSide sides[2]; // a, b
    Cone cone;
    ConeWeights weights;   // the diagonal block that bounds the true one
    double block[6][6];    // the true one
    LocalScale local;      // units of the residual
    Twist impulse, last;   // after the last sweep, and after the one before
    double uphill, change; // as in NsgsSums
} NsgsGeneral;

typedef struct NsgsShared { // spheres at one body of a group
    NsgsBatch batch;
    Wide arm[3];     // from that body's origin to the contact point [m]
    Wide active;     // 1, or 0 for lanes beyond the batch's count
    int32_t body;    // that body
    int32_t turning; // their rolling friction in shared_turnings; -1: none
} NsgsShared;

// What a sweep did to some contacts, in the metric of their blocks. It began with impulses y and ended with
// p.
typedef struct NsgsSums {
    Wide uphill;  // (y - p) . (p - p of the last sweep)
    Wide change;  // |p - y|^2
    Wide largest; // the same of single contacts
} NsgsSums;

typedef struct NsgsSet { // of contacts of one layer and colour
    size_t pairs, walls, rigids, rigid_walls, rollings, rolling_walls,
        generals; // first of each kind; they end where the next set's begin
} NsgsSet;

typedef struct NsgsCounts { // by NsgsKind, of a set
    size_t of[NSGS_SORTED];
} NsgsCounts;

typedef struct Nsgs {
    // BODY_LINE per node in the order of layers, and one of zeros for the world: now, and after the last sweep.
    ARRAY(double) lines, last_lines;
    ARRAY(double) inertia; // as lines, of bodies in rigid batches: xx, yy, zz, yz, xz, xy of 1/I [1/(kg m^2)]
    ARRAY(int32_t) line_at;          // where the line of each node begins
    ARRAY(uint64_t) used, wall_used; // per body or group: colours taken, by walls; 0: none moves it
    ARRAY(int32_t) degree;           // contacts per group
    ARRAY(NsgsEnds) ends;            // per contact
    ARRAY(NsgsPlace) places;         // per contact
    ARRAY(int32_t) sleepers, awake;  // contacts that are left out, and all others
    ARRAY(ContactImpulse) last;   // impulses after the sweep before the last, while contacts are sorted anew
    ARRAY(NsgsBatch) pairs;       // sphere and sphere
    ARRAY(NsgsBatch) walls;       // b is a sphere, a cannot move and is in the bias
    ARRAY(NsgsRigid) rigids;      // rigid bodies, not both spheres
    ARRAY(NsgsRigid) rigid_walls; // likewise; b is a body, a cannot move and is in the bias
    ARRAY(NsgsBlock) blocks, wall_blocks; // of rigids and rigid_walls; none with Coulomb's law
    ARRAY(NsgsRolling) rollings;          // as pairs, with rolling friction
    ARRAY(NsgsRolling) rolling_walls;     // as walls, likewise
    ARRAY(NsgsGeneral) generals;          // all others
    ARRAY(NsgsShared) shared;             // spheres at shared groups
    ARRAY(NsgsTurning) shared_turnings;   // of those with rolling friction
    ARRAY(NsgsSums) sums;                 // of the last sweep: per layer, of those in order
    ARRAY(ContactImpulse) best;           // impulses with the least residual so far,
    ContactResidual best_residual;        // and what that is
    double dilation;                      // of the problem's law (problem.h) [m/s]
    double theta, beta;                   // of Nesterov's sequence (nsgs_momentum.c)
    bool may_grow;                        // changes from sweep to sweep, without a restart
    int alike;                        // sweeps in a row that changed impulses by as much as the one before
    bool leaps;                       // the next sweep begins with a leap (nsgs_leap.c)
    double last_change, least_change; // of the last sweep, of all so far
    int sweeps_since,
        patience;        // sweeps since the smallest change, or since growth was forbidden; how many to wait
    ARRAY(NsgsSet) sets; // layer by layer, colour by colour; those in order; the end
    ARRAY(NsgsCounts) counts; // of sets
    int colour_count;
    bool parallel; // a team of threads works on it; else the calling thread alone
    // Layers of nodes, which are bodies and, after them, groups:
    int layer_count;
    int32_t many;                   // contacts of a group from which on it is a shared one
    EvenOdd even_odd;               // of layers, when a team sweeps
    size_t layer_end[NSGS_LAYERS];  // in the order
    ARRAY(int32_t) order, layer_of; // nodes in the order of their layers; the layer of each
    ARRAY(int32_t) moved; // from where a layer begins in the order: lines of those of its nodes that
    size_t moved_count[NSGS_LAYERS];  // contacts move which are awake; so many of each layer
    ARRAY(int32_t) first, neighbours; // of each node (nsgs_layers.c)
    ARRAY(int32_t) reach;             // of each place in the order (likewise)
} Nsgs;

static inline void nsgs_set_lane(Wide *w, int lane, double x) { ((double *)w)[lane] = x; }
static inline double *nsgs_line(const Nsgs *nsgs, int32_t body) {
    return nsgs->lines.data + nsgs->line_at.data[body];
}
static inline double nsgs_lane(const Wide *w, int lane) { return ((const double *)w)[lane]; }

// A thread's share of [first, end): contiguous, of equal size. Outside of parallel regions: all of it.
// Regions are entered only when there is work for several threads: an `if` clause that is false still costs
// half a microsecond.
void nsgs_share(const Nsgs *nsgs, size_t first, size_t end, size_t *from, size_t *to);
// Is the work to end, while millions of contacts or batches are prepared? The caller asks again, and says so. Other threads
// of a team have no watch and finish their share.
static inline bool nsgs_stops(size_t i) { return i % NSGS_STOP == NSGS_STOP - 1 && watch_stopped(); }
static inline MrcStatus nsgs_stopped(const ContactProblem *p, MrcError *error) {
    return watch_error(error, "a contact problem of %zu contacts was solved", p->contacts.count);
}

void nsgs_free(Nsgs *nsgs);

typedef struct NsgsStart {
    const Twist *velocity; // per body, with the warm start
    double margin;         // contacts that stay so far from closing at these velocities sleep; 0: none [m/s]
    double floor;          // least velocity that counts in the scale of the residual (residual_floor) [m/s]
    size_t layered;        // from so many contacts on they are cut into layers, into four first and more if
                           // there are more of them, and a team may sweep them
    bool parallel;
} NsgsStart;

// Sorts the contacts into colours and batches, with the warm start `impulses`. Those of ignored contacts must
// be zero. *scale becomes that of the residual (residual.h), for problems without rows.
MrcStatus nsgs_prepare(Nsgs *nsgs, const ContactProblem *problem, const ContactImpulse *impulses,
                       const NsgsStart *start, double *scale, MrcError *error);

// Wakes sleepers that have closed; *woken: how many. Then `impulses` are overwritten by those of now.
MrcStatus nsgs_wake(Nsgs *nsgs, const ContactProblem *problem, ContactImpulse *impulses, size_t *woken,
                    MrcError *error);

// The residual of impulses and velocities as they are now, which is what contact_residual() computes if no
// sleeper had to be woken, WIDE_LANES contacts at a time. For problems without rows.
ContactResidual nsgs_residual(const Nsgs *nsgs, const ContactProblem *problem, ContactLaw law, double scale,
                              bool parallel);

// One sweep. Returns the largest change of an impulse, in the units of the residual: sqrt(w) |dp|.
double nsgs_sweep(Nsgs *nsgs, const ContactProblem *problem, bool coulomb);

// Momentum: once before the first sweep; then, in nsgs_sweep, before and after each sweep.
void nsgs_momentum_begin(Nsgs *nsgs);
void nsgs_push_anew(Nsgs *nsgs);             // from a standstill
void nsgs_swap_lines(Nsgs *nsgs);            // before the push
void nsgs_push_lines(Nsgs *nsgs, int layer); // of the bodies of a layer
void nsgs_choose_push(Nsgs *nsgs, const ContactProblem *problem, double uphill, double change);
// How many times the way of the last sweep impulses can go on before one of them leaves its cone (nsgs_leap.c).
double nsgs_leap(const Nsgs *nsgs, const ContactProblem *problem);
// Velocities without the rounding that sweeps have gathered; the way from the last sweep's stays what it is.
void nsgs_momentum_anew(Nsgs *nsgs, const ContactProblem *problem, const Twist *velocity);

void nsgs_impulses(const Nsgs *nsgs, ContactImpulse *impulses, bool parallel); // as they are now

// Is it a group that many contacts move?
static inline bool nsgs_is_shared(const Nsgs *nsgs, const ContactProblem *problem, int32_t node) {
    return node >= (int32_t)problem->bodies.count &&
           nsgs->degree.data[(size_t)node - problem->bodies.count] >= nsgs->many;
}
// Do both ends of it move something, and no group that is shared?
static inline bool nsgs_joins(const Nsgs *nsgs, const ContactProblem *problem, NsgsEnds ends) {
    return ends.a >= 0 && ends.b >= 0 && !nsgs_is_shared(nsgs, problem, ends.a) &&
           !nsgs_is_shared(nsgs, problem, ends.b);
}
void nsgs_find_ends(Nsgs *nsgs, const ContactProblem *problem);
void nsgs_find_degrees(Nsgs *nsgs, const ContactProblem *problem); // contacts of groups
MrcStatus nsgs_make_layers(Nsgs *nsgs, const ContactProblem *problem, const ContactImpulse *impulses,
                           size_t layered, MrcError *error);

// Names of contacts into batches (nsgs_sort.c), then their numbers (nsgs_fill.c).
// `from`: those that are awake before it have their places.
MrcStatus nsgs_sort(Nsgs *nsgs, const ContactProblem *problem, size_t from, MrcError *error);
typedef struct NsgsImpulses { // per contact: now, and after the sweep before the last
    const ContactImpulse *now, *last;
} NsgsImpulses;
void nsgs_put_share(Nsgs *nsgs, const ContactProblem *problem); // names of contacts into their lanes
void nsgs_list_moved(Nsgs *nsgs);                               // nodes of its share of the layers
void nsgs_fill_pair(NsgsBatch *batch, const Nsgs *nsgs, const ContactProblem *problem, NsgsImpulses impulses);
void nsgs_fill_wall(NsgsBatch *batch, const Nsgs *nsgs, const ContactProblem *problem, NsgsImpulses impulses);
void nsgs_fill_rolling(NsgsRolling *batch, const Nsgs *nsgs, const ContactProblem *problem, bool pair,
                       NsgsImpulses impulses);
// Shares of threads: first what they need of bodies, then the batches.
void nsgs_fill_inertia(Nsgs *nsgs, const ContactProblem *problem);
void nsgs_fill_rigids(Nsgs *nsgs, const ContactProblem *problem, NsgsImpulses impulses);
// Of a shared batch whose linear part is filled; roll and length are so far what the container adds to the block.
void nsgs_fill_shared_turning(NsgsShared *shared, const Nsgs *nsgs, const ContactProblem *problem,
                              NsgsImpulses impulses);
void nsgs_fill_shared(NsgsShared *shared, const Nsgs *nsgs, const ContactProblem *problem,
                      NsgsImpulses impulses);

// Sleeping contacts (nsgs_sleep.c). lines: with the warm start, last_lines: free velocities. Returns the scale.
double nsgs_survey(Nsgs *nsgs, const ContactProblem *problem, const ContactImpulse *impulses,
                   const NsgsStart *start);
void nsgs_list_sleepers(Nsgs *nsgs);
void nsgs_list_woken(Nsgs *nsgs);                                  // behind those that were awake before
size_t nsgs_find_woken(Nsgs *nsgs, const ContactProblem *problem); // marks them; returns their number
// |P_K(-u)|, u given by its normal part and the square of its tangential one.
static inline Wide nsgs_distance_from_dual(Wide mu, Wide normal, Wide tangent2) {
    const Wide zero = wide_set(0), one = wide_set(1);
    Wide tangent = wide_quick_sqrt(wide_max(tangent2, zero)), past = wide_fma(mu, tangent, -normal);
    Wide near = wide_max(past, zero) * wide_inverse_sqrt(wide_fma(mu, mu, one));
    Wide whole = wide_quick_sqrt(wide_max(wide_fma(normal, normal, tangent2), zero));
    return wide_select(wide_less_equal(tangent, -mu * normal), whole, near);
}

// Of those from first to end, which are pushed by beta first. What they do is added to the sums.
void nsgs_sweep_pairs(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums);
void nsgs_sweep_walls(Nsgs *nsgs, size_t first, size_t end, bool coulomb, NsgsSums *sums);
void nsgs_sweep_rigids(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums);
void nsgs_sweep_rigid_walls(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums);
void nsgs_sweep_rollings(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums);
void nsgs_sweep_rolling_walls(Nsgs *nsgs, size_t first, size_t end, NsgsSums *sums);
void nsgs_rolling_velocity(const double *lines, const NsgsRolling *batch, bool pair, Wide3 *u, Wide3 *w);
void nsgs_shared_rolling_velocity(const Nsgs *nsgs, const NsgsShared *shared, Wide3 *u, Wide3 *w);
void nsgs_sweep_shared_rolling(Nsgs *nsgs, const ContactProblem *problem, NsgsShared *shared, NsgsSums *sums);
Wide3 nsgs_rigid_velocity(const double *lines, const NsgsRigid *batch, bool pair);
void nsgs_sweep_shared(Nsgs *nsgs, const ContactProblem *problem, bool coulomb, NsgsSums *sums); // all
void nsgs_sweep_generals(Nsgs *nsgs, const ContactProblem *problem, size_t first, size_t end);
// Change of the bodies' velocities by an impulse on one of them.
void nsgs_move(Nsgs *nsgs, const ContactProblem *problem, int32_t body, Twist impulse);
// A diagonal block that bounds the block of a contact; moments in units of `length`.
ConeWeights nsgs_general_bound(const double block[6][6], Vec3 normal, double length, bool turns, bool *exact);
Twist nsgs_general_velocity(const Nsgs *nsgs, const ContactProblem *problem, const NsgsGeneral *general);
void nsgs_general_prepare(const Nsgs *nsgs, const ContactProblem *problem, int32_t contact,
                          const ContactImpulse *impulse, NsgsGeneral *general);

#endif
