// Smooth grains. The period of the moving box is run by Maraca; stretches spread evenly over it are then
// timed, by Maraca on one and on several threads and by each peer, all from the same state and interleaved,
// so that other users of the machine disturb all alike. For each stretch the best of the repetitions counts,
// and where threads are compared, for each tenth of it: threads wait for each other, and when another user
// takes one core, both lose. At the two small sizes the stretches are the whole period.
//
// On one thread CPU time is compared (this and the peers' own figure of it), on several threads wall time.
// DAMPER is doi:10.3390/pr10071247.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/peer.h"

enum { STRETCHES = 10, PEERS_MAX = 8, PIECES = 10, THREAD_REPETITIONS = 4 };

typedef struct Plan { // how a size is measured
    double covered;   // part of the period that is timed
    int repetitions;
} Plan;

static const Plan plans[4] = {{1, 3}, {1, 2}, {0.05, 2}, {0.02, 1}};
static const Plan quick_plans[4] = {{1, 1}, {0.1, 1}, {0.005, 1}, {0, 0}};

typedef struct Stretch {
    BoxState state;             // at its start, for peers
    Archive *archive;           // the same for ourselves, with contact memory
    double cpu[PEERS_MAX];      // ours on one thread, over the share of each peer; best [s]
    double peer_cpu[PEERS_MAX]; // best [s]; INFINITY: none
    double pieces[2][PIECES];   // ours on one thread and on several, wall of each piece, best [s]
} Stretch;

typedef struct Measurement { // of one size
    Bench *bench;
    Box box;
    int64_t steps; // of each stretch
    int repetitions;
    Stretch stretches[STRETCHES];
    double skins[PEERS_MAX]; // best [m]; 0: not installed or failing
} Measurement;

static int64_t share_steps(const Measurement *m, int p) {
    int64_t steps = (int64_t)(peers[p]->share * (double)m->steps);
    return steps < 10 ? 10 : steps;
}

static bool fail(const Bench *bench, const MrcError *error) {
    bench_note(bench, "failed: %s", error->text);
    return false;
}

// ---- the period, and the states at the start of each stretch -----------------------------------------------
// Advances on one or several threads, whichever the machine favours just now: when others use its cores,
// threads that wait for each other are slow.
static bool advance_fast(Measurement *m, int64_t steps, MrcError *error) {
    enum { TRIAL = 100 };
    int threads[2] = {1, m->bench->options.threads};
    double took[2];
    for (int k = 0; k < 2 && steps > 4 * TRIAL; k++, steps -= TRIAL) {
        threads_set(threads[k]);
        took[k] = timer_wall();
        if (box_advance(&m->box, TRIAL, error) != MRC_OK) return false;
        took[k] = timer_wall() - took[k];
        if (k == 1) threads_set(took[0] < took[1] ? threads[0] : threads[1]);
    }
    return box_advance(&m->box, steps, error) == MRC_OK;
}

static bool collect_states(Measurement *m, double covered, MrcError *error) {
    double period = 1 / (BOX_FREQUENCY * m->box.size.step);
    m->steps = (int64_t)(period / STRETCHES * covered);
    for (int s = 0; s < STRETCHES; s++) {
        Stretch *stretch = &m->stretches[s];
        int64_t start = (int64_t)(period / STRETCHES * (s + 0.5 * (1 - covered)));
        if (!advance_fast(m, start - m->box.step, error)) return false;
        stretch->archive = archive_memory_create();
        if (!stretch->archive || !box_state_get(&m->box, &stretch->state))
            return error_memory(error, "the states") == MRC_OK;
        archive_memory_save(stretch->archive);
        grains_archive(m->box.grains, stretch->archive);
        if (archive_status(stretch->archive, error) != MRC_OK) return false;
        for (int p = 0; p < PEERS_MAX; p++) stretch->cpu[p] = stretch->peer_cpu[p] = INFINITY;
        for (int k = 0; k < PIECES; k++) stretch->pieces[0][k] = stretch->pieces[1][k] = INFINITY;
    }
    return true;
}

static bool go_back(Measurement *m, Stretch *stretch, MrcError *error) {
    archive_memory_load(stretch->archive);
    grains_archive(m->box.grains, stretch->archive);
    m->box.step = stretch->state.step;
    return archive_status(stretch->archive, error) == MRC_OK;
}

// ---- timing ----------------------------------------------------------------------------------------
static bool time_one_thread(Measurement *m, Stretch *stretch, MrcError *error) {
    threads_set(1);
    if (!go_back(m, stretch, error)) return false;
    double cpu = timer_cpu();
    int64_t done = 0;
    for (int p = peer_count - 1; p >= 0; p--) { // shares grow towards the first peer
        int64_t target = share_steps(m, p);
        if (target > done && box_advance(&m->box, target - done, error) != MRC_OK) return false;
        done = target > done ? target : done;
        stretch->cpu[p] = fmin(stretch->cpu[p], timer_cpu() - cpu);
    }
    return true;
}

static bool time_threads(Measurement *m, Stretch *stretch, bool several, MrcError *error) {
    threads_set(several ? m->bench->options.threads : 1);
    if (!go_back(m, stretch, error)) return false;
    for (int k = 0; k < PIECES; k++) {
        double wall = timer_wall(), *best = &stretch->pieces[several][k];
        if (box_advance(&m->box, m->steps / PIECES, error) != MRC_OK) return false;
        *best = fmin(*best, timer_wall() - wall);
    }
    return true;
}

static void time_peer(Measurement *m, Stretch *stretch, int p) {
    PeerJob job = {
        .size = &m->box.size, .start = &stretch->state, .steps = share_steps(m, p), .skin = m->skins[p]};
    PeerResult result;
    if (peer_run(peers[p], &job, &result)) {
        stretch->peer_cpu[p] = fmin(stretch->peer_cpu[p], result.cpu);
    } else {
        bench_note(m->bench, "%s failed: %s", peers[p]->name, result.message);
        m->skins[p] = 0;
    }
    peer_result_free(&result);
}

// The skin with which a peer is fastest, on the beginnings of a stretch while the bed is driven up, one in
// flight and one after the impact on the lid.
static void tune_peer(Measurement *m, int p) {
    static const double candidates[] = {0.05, 0.1, 0.2, 0.4, 0.8}; // of a diameter
    static const int places[] = {1, 5, 8};
    double least = INFINITY;
    int64_t steps = share_steps(m, p) / 4;
    if (steps > 2000) steps = 2000;
    for (int c = peers[p]->share < 1 ? 1 : 0; c < (peers[p]->share < 1 ? 4 : 5); c++) {
        double cpu = 0, skin = candidates[c] * m->box.size.diameter;
        for (int k = 0; k < 3; k++) {
            PeerResult result;
            PeerJob job = {.size = &m->box.size,
                           .start = &m->stretches[places[k]].state,
                           .steps = steps < 10 ? 10 : steps,
                           .skin = skin};
            if (peer_run(peers[p], &job, &result)) cpu += result.cpu;
            else cpu = INFINITY;
            if (result.message[0] && c == 1)
                bench_note(m->bench, "%s failed: %s", peers[p]->name, result.message);
            peer_result_free(&result);
        }
        if (cpu < least) least = cpu, m->skins[p] = skin;
    }
}

// ---- rows ------------------------------------------------------------------------------------------
static void add_peer_row(Measurement *m, int p) {
    double own = 0, other = 0, particle_steps = 0;
    for (int s = 0; s < STRETCHES; s++) {
        own += m->stretches[s].cpu[p];
        other += m->stretches[s].peer_cpu[p];
        particle_steps += (double)(share_steps(m, p) * m->box.size.count);
    }
    BenchRow row = {.name = "moving-box",
                    .n = m->box.size.count,
                    .threads = 1,
                    .value = particle_steps / own,
                    .unit = "particle-steps/s",
                    .peer_value = isfinite(other) ? particle_steps / other : NAN,
                    .ratio = isfinite(other) ? other / own : NAN};
    snprintf(row.peer, sizeof row.peer, "%s", peers[p]->name);
    bench_add(m->bench, row);
    if (!isfinite(other)) return;
    bench_note(m->bench,
               "  %-8s skin %.2f d, by stretch (ours / theirs, million particle-steps/s):", peers[p]->name,
               m->skins[p] / m->box.size.diameter);
    char line[400] = "          ";
    double scale = 1e-6 * (double)(share_steps(m, p) * m->box.size.count);
    for (int s = 0; s < STRETCHES; s++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %.3g/%.3g",
                 scale / m->stretches[s].cpu[p], scale / m->stretches[s].peer_cpu[p]);
    bench_note(m->bench, "%s", line);
}

static void add_thread_row(Measurement *m) {
    double one = 0, several = 0;
    for (int s = 0; s < STRETCHES; s++)
        for (int k = 0; k < PIECES; k++)
            one += m->stretches[s].pieces[0][k], several += m->stretches[s].pieces[1][k];
    double particle_steps = (double)(STRETCHES * PIECES * (m->steps / PIECES) * m->box.size.count);
    bench_add(m->bench, (BenchRow){.name = "threads",
                                   .n = m->box.size.count,
                                   .threads = m->bench->options.threads,
                                   .value = particle_steps / several,
                                   .unit = "particle-steps/s",
                                   .peer = "maraca, 1 thread",
                                   .peer_value = particle_steps / one,
                                   .ratio = one / several});
}

static bool measure(Measurement *m, double covered, MrcError *error) {
    double start = timer_wall();
    if (!collect_states(m, covered, error)) return false;
    bench_note(m->bench, "N = %lld: period run once in %.1f s; %d stretches of %lld steps, best of %d",
               (long long)m->box.size.count, timer_wall() - start, STRETCHES, (long long)m->steps,
               m->repetitions);
    for (int p = 0; p < peer_count; p++)
        if (peer_installed(peers[p])) tune_peer(m, p);
    for (int r = 0; r < m->repetitions; r++)
        for (int s = 0; s < STRETCHES; s++) {
            if (!time_one_thread(m, &m->stretches[s], error)) return false;
            for (int p = 0; p < peer_count; p++) // slow peers once
                if (m->skins[p] > 0 && (r == 0 || peers[p]->share == 1)) time_peer(m, &m->stretches[s], p);
        }
    for (int r = 0; r < THREAD_REPETITIONS && m->bench->options.threads > 1; r++)
        for (int s = 0; s < STRETCHES; s++)
            for (int several = 0; several < 2; several++)
                if (!time_threads(m, &m->stretches[s], several, error)) return false;
    for (int p = 0; p < peer_count; p++) add_peer_row(m, p);
    if (m->bench->options.threads > 1) add_thread_row(m);
    return true;
}

static bool bench_size(Bench *bench, int k) {
    Plan plan = bench->options.quick ? quick_plans[k] : plans[k];
    MrcError error;
    Measurement *m = memory_alloc(sizeof *m);
    if (!m) return false;
    m->bench = bench, m->repetitions = plan.repetitions;
    bool done = box_create(&m->box, &box_cases[k], &error) == MRC_OK && measure(m, plan.covered, &error);
    if (!done) fail(bench, &error);
    box_destroy(&m->box);
    for (int s = 0; s < STRETCHES; s++) {
        archive_destroy(m->stretches[s].archive);
        box_state_free(&m->stretches[s].state);
    }
    memory_free(m);
    return done;
}

// ---- do both programs compute the same? --------------------------------------------------------------
typedef struct Meeting {
    const char *name;
    double values[18]; // two grains: position, velocity, spin of each
} Meeting;

static const Meeting meetings[] = {
    {"two grains meet head on, then hit the floor",
     {0, 0, -0.0100, 0, 0, -0.5, 0, 0, 0, 0, 0, -0.0065, 0, 0, -1.2, 0, 0, 0}},
    {"two grains meet off centre, spinning, then hit the floor",
     {0, 0, -0.0100, 0, 0, -0.5, 0, 0, 0, 0.0015, 0.0010, -0.0070, -0.1, 0.05, -1.2, 40, 90, -60}},
};

static void compare_meeting(Bench *bench, const Meeting *meeting) {
    double values[18];
    memcpy(values, meeting->values, sizeof values);
    BoxState start = {.count = 2, .values = values}, end = {0};
    BoxCase size = {.count = 2, .diameter = 3e-3, .step = 1.2e-6};
    PeerJob job = {.size = &size, .start = &start, .steps = 3000, .skin = 0.5e-3, .final = true};
    PeerResult result = {0};
    MrcError error;
    Box box;
    bool done = box_create(&box, &size, &error) == MRC_OK;
    if (done) box_state_set(&box, &start);
    done = done && box_advance(&box, job.steps, &error) == MRC_OK && box_state_get(&box, &end) &&
           peer_run(&peer_lammps, &job, &result);
    double apart = 0, moved = 0;
    for (int k = 0; done && k < 18; k++)
        if (k % 9 < 3) {
            apart = fmax(apart, fabs(end.values[k] - result.final.values[k]));
            moved = fmax(moved, fabs(end.values[k] - values[k]));
        }
    if (done) bench_note(bench, "%s: paths of %.2g m, %.1e m apart from LAMMPS", meeting->name, moved, apart);
    else bench_note(bench, "%s: no comparison with LAMMPS: %s", meeting->name, result.message);
    peer_result_free(&result);
    box_state_free(&end);
    box_destroy(&box);
}

// ---- memory ----------------------------------------------------------------------------------------
static double peak_memory(void) { // of this process [bytes]
    char line[200];
    double kilobytes = NAN;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    if (status) fclose(status);
    return 1024 * kilobytes;
}

// A dense bed in which every grain has its own velocity, for so long that neighbour lists are made anew; and
// what a recorder would ask for at its end.
static double memory_of_bed(int64_t count, int threads) {
    BoxCase size = {.count = count, .diameter = 0.5e-3, .step = 0.2e-6, .radius = 0.04, .height = 0.04};
    MrcError error;
    GrainsMeasure measure;
    Box box;
    threads_set(threads);
    if (box_create(&box, &size, &error) != MRC_OK) return NAN;
    box_stir(&box, 1.0);
    bool done = box_advance(&box, 100, &error) == MRC_OK;
    Motion motion = box_motion(&size, box.step);
    done = done && grains_measure(box.grains, &motion, &motion, &measure, &error) == MRC_OK;
    double peak = peak_memory();
    return done ? peak / (double)count : NAN;
}

// In a child of its own, since memory once taken shows for ever.
static void bench_memory(Bench *bench) {
    int64_t count = 1000000;
    int ends[2];
    double value = NAN;
    if (!bench_wants(bench, count) || pipe(ends) != 0) return;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        double bytes = memory_of_bed(count, bench->options.threads);
        _exit(write(ends[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], &value, sizeof value) != sizeof value) value = NAN;
    if (child > 0) waitpid(child, NULL, 0);
    close(ends[0]);
    bench_add(bench, (BenchRow){.name = "memory",
                                .n = count,
                                .threads = bench->options.threads,
                                .value = value,
                                .unit = "bytes/grain",
                                .peer_value = NAN,
                                .ratio = NAN});
}

// The largest bed of DAMPER's Table 3. A whole period has 1.25 million steps, so two of its states are measured: a lattice
// pushed upwards, in which all grains touch, and grains that meet at random. Wall seconds, after a start in which lists and contacts come up.
static bool bench_large(Bench *bench, const char *name, double speed) {
    const BoxCase size = {.count = 1543449, .diameter = 0.15e-3, .step = 0.08e-6};
    const int64_t before = 400, steps = 200;
    if (!bench_wants(bench, size.count)) return true;
    MrcError error;
    GrainsMeasure measure;
    Box box;
    threads_set(bench->options.threads);
    bool done = box_create(&box, &size, &error) == MRC_OK;
    if (done && speed > 0) box_stir(&box, speed);
    done = done && box_advance(&box, before, &error) == MRC_OK;
    double start = timer_wall();
    done = done && box_advance(&box, steps, &error) == MRC_OK;
    double seconds = timer_wall() - start, mark = 1.1e8;
    Motion motion = box_motion(&size, box.step);
    done = done && grains_measure(box.grains, &motion, &motion, &measure, &error) == MRC_OK;
    box_destroy(&box);
    if (!done) return bench_note(bench, "N = %lld: %s", (long long)size.count, error.text), false;
    bench_note(bench, "N = %lld, %s: %lld steps after %lld, %.2f contacts a grain", (long long)size.count,
               name, (long long)steps, (long long)before, measure.coordination);
    double value = (double)(size.count * steps) / seconds;
    BenchRow row = {.n = size.count,
                    .threads = bench->options.threads,
                    .value = value,
                    .unit = "particle-steps/s",
                    .peer = "mark: GPU of DAMPER",
                    .peer_value = mark,
                    .ratio = value / mark};
    snprintf(row.name, sizeof row.name, "%s", name);
    bench_add(bench, row);
    return true;
}

bool bench_dem(Bench *bench) {
    bool done = true;
    bench_note(
        bench,
        "Moving box (DAMPER Tables 2-3), z = A (1 - cos wt). One thread: CPU seconds of the steps alone, "
        "ours "
        "and the peer's.\nSeveral threads: wall seconds. Peers run on one core with the skin that suits them "
        "best.");
    for (int p = 0; p < peer_count; p++) {
        char build[200] = "";
        if (peer_installed(peers[p]) && peers[p]->build) peers[p]->build(build, sizeof build);
        bench_note(bench, "  %-8s %s%s%s", peers[p]->name,
                   peer_installed(peers[p]) ? peers[p]->remark : "is not installed", build[0] ? "; " : "",
                   build);
    }
    bench_memory(bench); // first: a forked child must not follow a parallel region
    for (size_t k = 0; peer_installed(&peer_lammps) && k < sizeof meetings / sizeof *meetings; k++)
        compare_meeting(bench, &meetings[k]);
    for (int k = 0; k < 4; k++) {
        Plan plan = bench->options.quick ? quick_plans[k] : plans[k];
        if (plan.covered > 0 && bench_wants(bench, box_cases[k].count)) done = bench_size(bench, k) && done;
    }
    if (!bench->options.quick)
        done = bench_large(bench, "touching", 0) && bench_large(bench, "meeting", 0.3) && done;
    return done;
}
