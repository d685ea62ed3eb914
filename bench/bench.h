// maraca-bench: one program, one subject per file, each printing ratios against peers measured in the same
// run.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct BenchOptions {
    bool quick, json;
    int threads;       // of the runs on several threads, --threads
    const char *sizes; // --sizes: only these, comma between; NULL: all
} BenchOptions;

// One line of the table: a figure, and the same figure of a peer.
typedef struct BenchRow {
    char name[32]; // of the case
    int64_t n;     // grains, or elements
    int threads;
    double value;
    const char *unit;
    char peer[32];     // "" : there is none
    double peer_value; // NAN: not installed, or failed
    double ratio;      // how many times better than the peer; NAN: not known
} BenchRow;

typedef struct Bench {
    BenchOptions options;
    ARRAY(BenchRow) rows;
} Bench;

void bench_add(Bench *bench, BenchRow row);

// What is being done and compared, for people: on standard output, or on standard error beside --json.
void bench_note(const Bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool bench_wants(const Bench *bench, int64_t size); // is it among --sizes?

// The subjects. Each adds rows; false: our own run failed.
bool bench_dem(Bench *bench);
bool bench_nonsmooth(Bench *bench);
bool bench_mechanism(Bench *bench);
bool bench_coupled(Bench *bench);
bool bench_stones(Bench *bench);
bool bench_tamping(Bench *bench);
bool bench_exchange(Bench *bench);
bool bench_bulk(Bench *bench);

#endif
