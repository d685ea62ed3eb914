// Repeatable random numbers (SplitMix64; Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195):
// the same seed gives the same sequence on every machine.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

uint64_t random_bits(Random *random);
double random_uniform(Random *random); // [0, 1)
double random_normal(Random *random);  // mean 0, variance 1

#endif
