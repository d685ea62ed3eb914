// How threads wait for each other.
//
// At the end of a parallel loop, a thread of OpenMP polls until the others are done: in
// libgomp up to 300,000 times, some milliseconds, before it blocks. When another process holds one of the
// cores, it waits for a thread that is not running and takes the time away from it: a run on two threads can
// take ten times as long as on one. How often it polls can be set in the environment only, which libgomp
// reads before main begins; so the program starts itself once more.
#ifndef CLI_WAITING_H
#define CLI_WAITING_H

// Before anything is done: starts the program anew, with threads that soon block, unless OMP_WAIT_POLICY or
// GOMP_SPINCOUNT is set. Returns when that was done already, or cannot be done.
void waiting_begin(void);

#endif
