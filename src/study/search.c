// Bayesian optimisation: a surrogate (surrogate.c) is made of all values so far, and the next points are those with the
// largest
//
//     expected improvement x probability that all limits are kept x probability that it does not fail.
//
// Scatter enters the surrogate as the variance of each mean, and improvement is counted from the lowest value that the
// surrogate has at a point that was tried, not from the lowest one seen, which is low by chance. Several points are
// proposed at once, so that their runs go side by side: each proposal is taken for true with the value that the
// surrogate expects there (the "kriging believer" of Ginsbourger, Le Riche and Carraro 2010,
// doi:10.1007/978-3-642-10701-6_6). How many does not depend on the machine.
//
// NLopt was considered: its methods without derivatives need one value at a time, so that runs would wait for each
// other, and allow neither scatter nor lists of words; a simplex that shrinks around a value that is low by chance
// stays there.
#include "study/search.h"

#include <math.h>
#include <stdlib.h>

#include "study/surrogate.h"

enum { SEARCH_SPREAD = 1024, SEARCH_NEAR = 256 };

bool search_is_allowed(const Search *s, const SearchPoint *point) {
    bool allowed = !point->failed;
    for (int i = 0; i < s->limit_count; i++) allowed = allowed && point->excess[i] <= 0;
    return allowed;
}

static bool search_is_tried(const Search *s, const double *places) {
    for (size_t i = 0; i < s->points.count; i++) {
        bool same = true;
        for (int v = 0; v < s->variable_count && same; v++)
            same = fabs(s->points.data[i].places[v] - places[v]) < 1e-9;
        if (same) return true;
    }
    return false;
}

static void search_snap(const Search *s, double *places) {
    for (int v = 0; v < s->variable_count; v++) places[v] = variable_snap(&s->variables[v], places[v]);
}

bool search_start(Search *s, int count) {
    for (unsigned k = 0; k < 50 * (unsigned)count && (int)s->points.count < count; k++) {
        SearchPoint point = {0};
        for (int v = 0; v < s->variable_count; v++) point.places[v] = surrogate_spread(k, v);
        search_snap(s, point.places);
        if (!search_is_tried(s, point.places) && !array_push(&s->points, point)) return false;
    }
    return true;
}

// ---- surrogates of everything --------------------------------------------------------------------
typedef struct SearchModel {
    int dimensions;
    double *coordinates, *good; // of all points, and of those that did not fail
    double *values, *variances; // of the latter
    Surrogate value, failure;   // without points: there is none
    Surrogate excess[SEARCH_LIMITS_MAX];
    size_t count; // good points
    double best;  // lowest expected value at a point that is allowed; INFINITY: there is none
} SearchModel;

static int search_coordinates(const Search *s, const double *places, double *coordinates) {
    int count = 0;
    for (int v = 0; v < s->variable_count; v++)
        count += variable_coordinates(&s->variables[v], places[v], coordinates + count);
    return count;
}

static void search_model_free(SearchModel *m) {
    surrogate_free(&m->value);
    surrogate_free(&m->failure);
    for (int i = 0; i < SEARCH_LIMITS_MAX; i++) surrogate_free(&m->excess[i]);
    free(m->coordinates), free(m->good), free(m->values), free(m->variances);
}

static bool search_model_surrogates(const Search *s, SearchModel *m, double *numbers) {
    size_t n = s->points.count, k = 0;
    bool good = true;
    if (m->count >= 2)
        good = surrogate_make(&m->value, m->good, m->values, m->variances, m->count, m->dimensions);
    for (int limit = 0; limit < s->limit_count && good && m->count >= 2; limit++) {
        k = 0;
        for (size_t i = 0; i < n; i++)
            if (!s->points.data[i].failed) numbers[k++] = s->points.data[i].excess[limit];
        good = surrogate_make(&m->excess[limit], m->good, numbers, NULL, m->count, m->dimensions);
    }
    if (good && m->count < n && n >= 2) {
        for (size_t i = 0; i < n; i++) numbers[i] = s->points.data[i].failed;
        good = surrogate_make(&m->failure, m->coordinates, numbers, NULL, n, m->dimensions);
    }
    return good;
}

static bool search_model_make(const Search *s, SearchModel *m) {
    size_t n = s->points.count, width = VARIABLE_COORDINATES_MAX;
    *m = (SearchModel){.best = INFINITY};
    m->coordinates = calloc(n * width + 1, sizeof(double)), m->good = calloc(n * width + 1, sizeof(double));
    m->values = calloc(n + 1, sizeof(double)), m->variances = calloc(n + 1, sizeof(double));
    double *numbers = calloc(n + 1, sizeof *numbers);
    bool good = m->coordinates && m->good && m->values && m->variances && numbers;
    for (size_t i = 0; i < n && good; i++) {
        const SearchPoint *p = &s->points.data[i];
        double *at = m->coordinates + i * (size_t)m->dimensions;
        m->dimensions = search_coordinates(s, p->places, at);
        if (p->failed) continue;
        search_coordinates(s, p->places, m->good + m->count * (size_t)m->dimensions);
        m->values[m->count] = p->value, m->variances[m->count++] = p->variance;
    }
    good = good && search_model_surrogates(s, m, numbers);
    for (size_t i = 0; i < n && good && m->value.count > 0; i++)
        if (search_is_allowed(s, &s->points.data[i]))
            m->best = fmin(m->best, surrogate_at(&m->value, m->coordinates + i * (size_t)m->dimensions).mean);
    free(numbers);
    if (!good) search_model_free(m);
    return good;
}

// What is to be gained at these places; 0: they have been tried.
static double search_score(const Search *s, const SearchModel *m, const double *places) {
    double at[VARIABLE_COORDINATES_MAX], score = 1;
    if (search_is_tried(s, places)) return 0;
    search_coordinates(s, places, at);
    // Until something is allowed, the way there is what is looked for.
    if (m->value.count > 0 && isfinite(m->best))
        score = surrogate_improvement(surrogate_at(&m->value, at), m->best);
    for (int i = 0; i < s->limit_count && m->excess[i].count > 0; i++) {
        SurrogateValue e = surrogate_at(&m->excess[i], at);
        double z = e.mean / fmax(e.deviation, 1e-12 * (fabs(e.mean) + 1));
        score *= z < 8 ? normal_below(-z)
                       : 1e-15 * 64 / (z * z); // places that are nearly excluded have an order, too
    }
    if (m->failure.count > 0) score *= fmin(fmax(1 - surrogate_at(&m->failure, at).mean, 0.01), 1);
    return score;
}

// ---- the next one --------------------------------------------------------------------------------
// Small steps along each variable, as long as they help.
static double search_refine(const Search *s, const SearchModel *m, double *places, double score) {
    for (double step = 0.1; step > 0.002; step /= 2)
        for (bool better = true; better;) {
            better = false;
            for (int v = 0; v < s->variable_count; v++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double before = places[v];
                    places[v] = variable_snap(&s->variables[v], before + sign * step);
                    double now = places[v] == before ? 0 : search_score(s, m, places);
                    if (now > score * (1 + 1e-9)) score = now, better = true;
                    else places[v] = before;
                }
        }
    return score;
}

static const SearchPoint *search_best(const Search *s) {
    const SearchPoint *best = NULL;
    for (size_t i = 0; i < s->points.count; i++) {
        const SearchPoint *p = &s->points.data[i];
        if (search_is_allowed(s, p) && (!best || p->value < best->value)) best = p;
    }
    return best;
}

static double search_next(const Search *s, const SearchModel *m, double *places) {
    const SearchPoint *best = search_best(s);
    double score = 0;
    for (unsigned k = 0; k < SEARCH_SPREAD + SEARCH_NEAR; k++) {
        double trial[VARIABLES_MAX] = {0};
        if (k >= SEARCH_SPREAD && !best) break;
        for (int v = 0; v < s->variable_count; v++) {
            double spread = surrogate_spread(k, v);
            trial[v] = k < SEARCH_SPREAD ? spread : best->places[v] + 0.2 * (spread - 0.5);
        }
        search_snap(s, trial);
        double now = search_score(s, m, trial);
        if (now > score) score = now, memcpy(places, trial, sizeof trial);
    }
    return score > 0 ? search_refine(s, m, places, score) : 0;
}

// Takes the point for true, with what is expected of it.
static void search_believe(const Search *s, const SearchModel *m, SearchPoint *point) {
    double at[VARIABLE_COORDINATES_MAX];
    search_coordinates(s, point->places, at);
    if (m->value.count > 0) point->value = surrogate_at(&m->value, at).mean;
    for (int i = 0; i < s->limit_count && m->excess[i].count > 0; i++)
        point->excess[i] = surrogate_at(&m->excess[i], at).mean;
}

bool search_propose(Search *s, int count, double *gain) {
    *gain = 0;
    for (int k = 0; k < count; k++) {
        SearchModel model;
        SearchPoint point = {0};
        if (!search_model_make(s, &model)) return false;
        double score = search_next(s, &model, point.places);
        if (k == 0) *gain = isfinite(model.best) ? score : score > 0 ? INFINITY : 0;
        search_believe(s, &model, &point);
        search_model_free(&model);
        if (!(score > 0)) break;
        if (!array_push(&s->points, point)) return false;
    }
    return true;
}

bool search_predict(const Search *s, const double (*places)[VARIABLES_MAX], size_t count, double *means,
                    double *deviations, bool *allowed) {
    SearchModel model;
    if (!search_model_make(s, &model)) return false;
    for (size_t i = 0; i < count; i++) {
        double at[VARIABLE_COORDINATES_MAX];
        search_coordinates(s, places[i], at);
        SurrogateValue value = {INFINITY, INFINITY};
        if (model.value.count > 0) value = surrogate_at(&model.value, at);
        means[i] = value.mean, deviations[i] = value.deviation;
        if (allowed) allowed[i] = !(model.failure.count > 0 && surrogate_at(&model.failure, at).mean > 0.5);
        for (int k = 0; k < s->limit_count && allowed && model.excess[k].count > 0; k++)
            allowed[i] = allowed[i] && surrogate_at(&model.excess[k], at).mean <= 0;
    }
    search_model_free(&model);
    return true;
}

void search_free(Search *s) { array_free(&s->points); }
