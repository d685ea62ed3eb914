// How well a program's work is shared out among threads, by CPU times: on a busy machine wall-clock times of several threads
// say little. Loaded before a program (LD_PRELOAD), this stands between it and OpenMP of GCC, and says at the end, for each
// number of threads that was wanted:
//
//     alone      CPU time of the first thread outside of parallel regions, and its share of all
//     at best    all / (alone + (all - alone) / threads): speed-up if regions were shared out evenly
//     as it was  all / (alone + sum over regions of the busiest thread's time); regions whose parts are claimed by whoever
//                comes first look worse than they are where threads wait for a core
//
// It counts what threads do while they wait inside of a region, so that OMP_WAIT_POLICY=passive is needed.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { SHARES_THREADS = 64 };

typedef void Region(void *data);
typedef void Parallel(Region *region, void *data, unsigned threads, unsigned flags);

typedef struct Shares {  // with one number of threads
    double alone;        // [s]
    double all, busiest; // in regions: of all threads; of the busiest of each, summed [s]
    long regions;
} Shares;

static struct {
    Parallel *parallel;           // that of OpenMP
    double last;                  // CPU time of the first thread when it was last looked at; 0: not yet [s]
    Region *region;               // that is being done
    double times[SHARES_THREADS]; // of its threads [s]
    Shares shares[SHARES_THREADS];
} shares;

static double shares_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void shares_do(void *data) {
    double start = shares_now();
    int thread = omp_get_thread_num();
    shares.region(data);
    if (thread < SHARES_THREADS) shares.times[thread] = shares_now() - start;
}

static Shares *shares_of(int threads) { return &shares.shares[threads < SHARES_THREADS ? threads : 0]; }

// What GCC calls for each parallel region. Regions inside of others, and those of other threads, are left alone.
void GOMP_parallel(Region *region, void *data, unsigned threads, unsigned flags);
void GOMP_parallel(Region *region, void *data, unsigned threads, unsigned flags) {
    if (!shares.parallel) *(void **)&shares.parallel = dlsym(RTLD_NEXT, "GOMP_parallel");
    if (omp_in_parallel() || shares.region) {
        shares.parallel(region, data, threads, flags);
        return;
    }
    Shares *now = shares_of(omp_get_max_threads());
    double start = shares_now(), busiest = 0;
    if (shares.last > 0) now->alone += start - shares.last;
    for (int k = 0; k < SHARES_THREADS; k++) shares.times[k] = 0;
    shares.region = region;
    shares.parallel(shares_do, data, threads, flags);
    shares.region = NULL;
    for (int k = 0; k < SHARES_THREADS; k++) {
        now->all += shares.times[k];
        if (shares.times[k] > busiest) busiest = shares.times[k];
    }
    now->busiest += busiest;
    now->regions++;
    shares.last = shares_now();
}

__attribute__((destructor)) static void shares_report(void) {
    for (int threads = 1; threads < SHARES_THREADS; threads++) {
        const Shares *s = &shares.shares[threads];
        double all = s->alone + s->all;
        if (s->regions == 0) continue;
        fprintf(stderr,
                "%d threads: %.3f s of CPU time, alone %.3f s (%.1f %%), %ld regions; speed-up at best %.2f, "
                "as it was %.2f\n",
                threads, all, s->alone, 100 * s->alone / all, s->regions, all / (s->alone + s->all / threads),
                all / (s->alone + s->busiest));
    }
}
