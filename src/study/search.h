// The next point to evaluate when minimising a noisy function of a few variables.
#ifndef STUDY_SEARCH_H
#define STUDY_SEARCH_H

#include "study/variable.h"

enum { SEARCH_LIMITS_MAX = 8 };

typedef struct SearchPoint {
    double places[VARIABLES_MAX];
    double value, variance;           // to be made small, and the variance of its mean (0: no scatter)
    double excess[SEARCH_LIMITS_MAX]; // by which each limit is passed; positive: not allowed
    bool failed;                      // there is no value
} SearchPoint;

typedef struct Search {
    const Variable *variables;
    int variable_count, limit_count;
    ARRAY(SearchPoint) points; // in the order in which they were tried
} Search;

bool search_is_allowed(const Search *search, const SearchPoint *point); // not failed, within all limits

// The first points: `count` of them, spread evenly; fewer when the variables have no more values. False: memory is out.
bool search_start(Search *search, int count);

// Appends up to `count` points at which an improvement is to be expected. *gain: how much of it at the best one, a length
// on the scale of the values; 0: all have been tried. False: memory is out.
bool search_propose(Search *search, int count, double *gain);

// What the surrogate of all points says at places; INFINITY without two values. For `count` of them. `allowed`: whether it
// is expected not to fail there and to keep all limits; NULL: of no interest. False: memory is out.
bool search_predict(const Search *search, const double (*places)[VARIABLES_MAX], size_t count, double *means,
                    double *deviations, bool *allowed);
void search_free(Search *search);

#endif
