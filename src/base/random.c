#include "base/random.h"

#include <math.h>

uint64_t random_bits(Random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

double random_uniform(Random *random) { return (double)(random_bits(random) >> 11) * 0x1p-53; }

// Box-Muller; one of the pair is dropped so that the state stays one number.
double random_normal(Random *random) {
    double u = 1.0 - random_uniform(random); // (0, 1]
    double v = random_uniform(random);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
