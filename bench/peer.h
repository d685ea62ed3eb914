// Peers: other programs that run the moving box, as child processes in a folder of their own. A peer is one
// file peer_NAME.c and one row of the table in peer.c.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>

#include "bench/moving_box.h"

typedef struct PeerJob {
    const BoxCase *size;
    const BoxState *start;
    int64_t steps;
    double skin;                 // of the neighbour lists [m]
    int64_t sampled;             // centre of mass every so many steps; 0: never. LAMMPS only
    bool final;                  // is the state at the end wanted? LAMMPS only
    const struct BulkCase *bulk; // of the subject `bulk` (bulk.h) instead of the moving box; NULL: the box
} PeerJob;

typedef struct PeerResult {
    double wall, cpu;      // of the steps alone [s]
    ARRAY(double) centers; // x, y, z of each sample, the first at the start [m]
    BoxState final;        // velocities are those of the peer's own scheme
    char message[200];     // what went wrong
} PeerResult;

typedef struct Peer {
    const char *name;                       // "lammps"
    const char *program;                    // looked for in PATH
    const char *remark;                     // what differs from our run
    void (*build)(char *text, size_t size); // version and compiler, as it tells them; NULL: it does not
    double share;                      // of each stretch that is run: slower programs run its beginning only
    bool (*write)(const PeerJob *job); // writes the input files into the current folder
    const char *const *arguments;      // of the program, NULL at the end
    bool (*read)(const PeerJob *job, FILE *output, PeerResult *result);
} Peer;

extern const Peer peer_lammps, peer_liggghts, peer_yade;
extern const Peer *const peers[];
extern const int peer_count;

extern const Peer peer_lammps_bulk; // runs the cases of `bulk`

bool peer_read_lammps(const PeerJob *job, FILE *output, PeerResult *result);

bool peer_installed(const Peer *peer);
bool peer_run(const Peer *peer, const PeerJob *job, PeerResult *result); // false: see the message
void peer_result_free(PeerResult *result);

// For peers that read data files in the manner of LAMMPS. `shift` and `rise` are taken off all heights and
// vertical velocities.
bool peer_write_data(const PeerJob *job, const char *path, double shift, double rise);

#endif
