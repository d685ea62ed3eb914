// `maraca stability`: options to a coupling scheme and a system, then one spectral radius per point of the
// map.
#include "analysis/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"

enum { range_limit = 1001, substeps_limit = 1000 };

typedef struct InputWord {
    const char *name;
    bool original;
    double alpha, beta, gamma_; // Zhang et al. 2022, Eqs. 46a-46c, doi:10.1007/s11044-022-09829-w
} InputWord;

static const InputWord stability_inputs[] = {
    {"original", true, 0, 0, 0},
    {"index-1", false, 2, 2, 1},
    {"index-2", false, 1, 1, 0},
    {"index-3", false, 1, 0, 0},
};

MrcStabilityOptions mrc_stability_options_default(void) {
    return (MrcStabilityOptions){.scheme = scheme_types[0]->choice.word,
                                 .alpha = NAN,
                                 .beta = NAN,
                                 .gamma = NAN,
                                 .mass_ratio = 1,
                                 .substeps = 1,
                                 .rho = {0, 1, 41},
                                 .omega_h = {0.1, 10, 100}};
}

// ---- words ---------------------------------------------------------------------------------------
// The index of the word among `count` names that stand `stride` bytes apart; -1 after an error.
static int stability_find_word(const char *option, const char *word, const void *table, int count,
                               size_t stride, MrcError *error) {
    enum { most = 16 };
    const char *names[most];
    char all[200] = "";
    for (int i = 0; i < count; i++) {
        names[i] = *(const char *const *)((const char *)table + (size_t)i * stride);
        if (strcmp(names[i], word) == 0) return i;
        strncat(all, i ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, names[i], sizeof all - strlen(all) - 1);
    }
    const char *nearest = nearest_word(word, strlen(word), names, (size_t)count);
    error_set(error, MRC_USAGE, "%s is '%s'; expected one of %s%s%s%s", option, word, all,
              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return -1;
}

// ---- schemes -------------------------------------------------------------------------------------
enum { SCHEME_WORDS_MAX = 32 };

// A scheme, or one in Jacobi order, under its word.
typedef struct SchemeWord {
    const char *name;
    const SchemeType *type;
    bool jacobi; // by its word alone
} SchemeWord;

static int stability_list_schemes(SchemeWord *words) {
    int count = 0;
    for (const SchemeType *const *type = scheme_types; *type && count < SCHEME_WORDS_MAX - 1; type++) {
        words[count++] = (SchemeWord){(*type)->choice.word, *type, false};
        if ((*type)->alias) words[count++] = (SchemeWord){(*type)->alias, *type, true};
    }
    return count;
}

static bool stability_takes(const SchemeWord *word, unsigned option) {
    return (word->type->options & option) && !(word->jacobi && option == SCHEME_ORDER);
}

// "explicit and jacobi": those that take the option; all when it is 0.
static const char *stability_scheme_words(unsigned option, const char *last, char *text, size_t size) {
    SchemeWord words[SCHEME_WORDS_MAX];
    int count = stability_list_schemes(words), chosen = 0, number = 0;
    for (int k = 0; k < count; k++) chosen += option == 0 || stability_takes(&words[k], option);
    text[0] = '\0';
    for (int k = 0; k < count; k++) {
        if (option != 0 && !stability_takes(&words[k], option)) continue;
        size_t used = strlen(text);
        number++;
        snprintf(text + used, size - used, "%s%s",
                 number == 1        ? ""
                 : number == chosen ? last
                                    : ", ",
                 words[k].name);
    }
    return text;
}

const char *mrc_stability_schemes(void) {
    static _Thread_local char text[300];
    return stability_scheme_words(0, " or ", text, sizeof text);
}

// The options belong to some schemes only.
static MrcStatus stability_refuse(const char *options, unsigned option, const SchemeWord *scheme,
                                  MrcError *error) {
    char words[300];
    return error_set(error, MRC_USAGE, "%s the schemes %s, not to %s", options,
                     stability_scheme_words(option, " and ", words, sizeof words), scheme->name);
}

static MrcStatus stability_own_weights(const MrcStabilityOptions *o, MrcStabilityMap *map, MrcError *error) {
    double alpha = isnan(o->alpha) ? 0 : o->alpha, beta = isnan(o->beta) ? 0 : o->beta,
           gamma_ = isnan(o->gamma) ? 0 : o->gamma;
    if (!(alpha >= 0 && beta >= 0 && gamma_ >= 0 && alpha + beta + gamma_ > 0 &&
          isfinite(alpha + beta + gamma_)))
        return error_set(error, MRC_USAGE,
                         "alpha, beta and gamma are %g, %g and %g; they must not be negative, nor all zero",
                         alpha, beta, gamma_);
    map->inputs = "own";
    map->settings.alpha = alpha;
    map->settings.beta = beta;
    map->settings.gamma_ = gamma_;
    return MRC_OK;
}

static MrcStatus stability_read_inputs(const MrcStabilityOptions *o, const SchemeWord *scheme,
                                       MrcStabilityMap *map, MrcError *error) {
    bool own = !isnan(o->alpha) || !isnan(o->beta) || !isnan(o->gamma);
    if ((own || o->inputs) && !stability_takes(scheme, SCHEME_INPUTS))
        return stability_refuse("--inputs, --alpha, --beta and --gamma belong to", SCHEME_INPUTS, scheme,
                                error);
    if (own && o->inputs)
        return error_set(error, MRC_USAGE,
                         "--inputs %s has its own alpha, beta and gamma: give one or the other", o->inputs);
    if (!stability_takes(scheme, SCHEME_INPUTS)) return MRC_OK;
    if (own) return stability_own_weights(o, map, error);
    int found = stability_find_word("--inputs", o->inputs ? o->inputs : "index-1", stability_inputs,
                                    sizeof stability_inputs / sizeof *stability_inputs,
                                    sizeof *stability_inputs, error);
    if (found < 0) return MRC_USAGE;
    map->inputs = stability_inputs[found].name;
    map->settings.original = stability_inputs[found].original;
    map->settings.alpha = stability_inputs[found].alpha;
    map->settings.beta = stability_inputs[found].beta;
    map->settings.gamma_ = stability_inputs[found].gamma_;
    return MRC_OK;
}

static MrcStatus stability_read_order(const MrcStabilityOptions *o, const SchemeWord *scheme,
                                      MrcStabilityMap *map, MrcError *error) {
    static const char *const orders[] = {"gauss-seidel", "jacobi"};
    map->settings.jacobi = scheme->jacobi || scheme->type->variants[0].settings.jacobi;
    if (o->order && !stability_takes(scheme, SCHEME_ORDER))
        return stability_refuse("--order belongs to", SCHEME_ORDER, scheme, error);
    if (!stability_takes(scheme, SCHEME_ORDER)) return MRC_OK;
    int found =
        stability_find_word("--order", o->order ? o->order : orders[0], orders, 2, sizeof *orders, error);
    if (found < 0) return MRC_USAGE;
    map->order = orders[found];
    map->settings.jacobi = found == 1;
    return MRC_OK;
}

static MrcStatus stability_read_extrapolation(const MrcStabilityOptions *o, const SchemeWord *scheme,
                                              MrcStabilityMap *map, MrcError *error) {
    static const char *const kinds[] = {"none", "linear", "quadratic"};
    map->settings.extrapolation = scheme->type->variants[0].settings.extrapolation;
    if (o->extrapolation && !stability_takes(scheme, SCHEME_EXTRAPOLATION))
        return stability_refuse("--extrapolation belongs to", SCHEME_EXTRAPOLATION, scheme, error);
    if (!stability_takes(scheme, SCHEME_EXTRAPOLATION)) return MRC_OK;
    if (o->extrapolation) {
        int found = stability_find_word("--extrapolation", o->extrapolation, kinds, 3, sizeof *kinds, error);
        if (found < 0) return MRC_USAGE;
        map->settings.extrapolation = found;
    }
    map->extrapolation = kinds[map->settings.extrapolation];
    return MRC_OK;
}

static MrcStatus stability_read_scheme(const MrcStabilityOptions *o, MrcStabilityMap *map, MrcError *error) {
    SchemeWord words[SCHEME_WORDS_MAX];
    int found = stability_find_word("--scheme", o->scheme, words, stability_list_schemes(words),
                                    sizeof *words, error);
    if (found < 0) return MRC_USAGE;
    const SchemeWord *scheme = &words[found];
    map->scheme = scheme->name;
    map->type = scheme->type;
    if (o->substeps < 1 || o->substeps > substeps_limit)
        return error_set(error, MRC_USAGE, "--substeps is %d; expected 1 to %d", o->substeps, substeps_limit);
    if (o->substeps > 1 && !stability_takes(scheme, SCHEME_SUBSTEPS))
        return error_set(error, MRC_USAGE,
                         "the scheme %s takes one step of both partners at a time: --substeps cannot be %d",
                         scheme->name, o->substeps);
    map->parameters.substeps = o->substeps;
    if (o->contact != 0 && !stability_takes(scheme, SCHEME_CONTACT))
        return stability_refuse("--contact belongs to", SCHEME_CONTACT, scheme, error);
    if (o->contact != 0 && o->substeps < 2)
        return error_set(error, MRC_USAGE,
                         "a --contact acts within the steps of smooth grains: give --substeps, too");
    if (o->contact_damping != 0 && o->contact == 0)
        return error_set(error, MRC_USAGE, "--contact-damping is that of a --contact, which is not given");
    MrcStatus status = stability_read_inputs(o, scheme, map, error);
    if (status == MRC_OK) status = stability_read_order(o, scheme, map, error);
    return status == MRC_OK ? stability_read_extrapolation(o, scheme, map, error) : status;
}

// ---- numbers -------------------------------------------------------------------------------------
static MrcStatus stability_read_ratio(const char *option, double value, double *target, MrcError *error) {
    if (!(value >= 0 && value <= 1e9))
        return error_set(error, MRC_USAGE, "%s is %g; expected a number from 0 to 1e9", option, value);
    *target = value;
    return MRC_OK;
}

static MrcStatus stability_read_parameters(const MrcStabilityOptions *o, MrcStabilityMap *map,
                                           MrcError *error) {
    TwoMassParameters *p = &map->parameters;
    MrcStatus status = stability_read_ratio("--mass-ratio", o->mass_ratio, &p->mass_ratio, error);
    if (status == MRC_OK)
        status = stability_read_ratio("--frequency-ratio", o->frequency_ratio, &p->frequency_ratio, error);
    if (status == MRC_OK)
        status = stability_read_ratio("--damping-ratio", o->damping_ratio, &p->damping_ratio, error);
    if (status == MRC_OK) status = stability_read_ratio("--xi1", o->xi1, &p->xi1, error);
    if (status == MRC_OK) status = stability_read_ratio("--contact", o->contact, &p->contact_omega_h, error);
    if (status == MRC_OK)
        status = stability_read_ratio("--contact-damping", o->contact_damping, &p->contact_damping, error);
    return status;
}

static MrcStatus stability_check_range(const char *option, MrcRange r, double least, double most,
                                       MrcError *error) {
    if (!isfinite(r.first) || !isfinite(r.last) || r.first < least || r.last > most || r.last < r.first)
        return error_set(error, MRC_USAGE, "%s goes from %g to %g; expected rising values from %g to %g",
                         option, r.first, r.last, least, most);
    if (r.count < 1 || r.count > range_limit)
        return error_set(error, MRC_USAGE, "%s has %d values; expected 1 to %d", option, r.count,
                         range_limit);
    if ((r.count == 1) != (r.first == r.last))
        return error_set(error, MRC_USAGE, "%s has %d value%s from %g to %g", option, r.count,
                         r.count == 1 ? "" : "s", r.first, r.last);
    return MRC_OK;
}

static double *stability_spaced(MrcRange r, bool logarithmic) {
    double *values = memory_alloc(sizeof(double) * (size_t)r.count);
    for (int i = 0; values && i < r.count; i++) {
        double t = r.count > 1 ? i / (double)(r.count - 1) : 0;
        values[i] = logarithmic ? r.first * pow(r.last / r.first, t) : r.first + (r.last - r.first) * t;
    }
    if (values) values[r.count - 1] = r.last;
    return values;
}

static MrcStatus stability_read_ranges(const MrcStabilityOptions *o, MrcStabilityMap *map, MrcError *error) {
    MrcStatus status = stability_check_range("--rho", o->rho, 0, 1, error);
    if (status == MRC_OK) status = stability_check_range("--omega-h", o->omega_h, 0, 1e6, error);
    if (status != MRC_OK) return status;
    if (o->logarithmic && o->omega_h.first <= 0)
        return error_set(error, MRC_USAGE, "--log needs an --omega-h that begins above 0");
    map->logarithmic = o->logarithmic;
    map->rows = o->rho.count;
    map->columns = o->omega_h.count;
    size_t points = (size_t)map->rows * (size_t)map->columns;
    map->rho = stability_spaced(o->rho, false);
    map->omega_h = stability_spaced(o->omega_h, o->logarithmic);
    map->radius = memory_alloc(sizeof(double) * points);
    if (map->type->contraction) map->contraction = memory_alloc(sizeof(double) * points);
    if (!map->rho || !map->omega_h || !map->radius || (map->type->contraction && !map->contraction))
        return error_memory(error, "the map");
    return MRC_OK;
}

// ---- the map -------------------------------------------------------------------------------------
static void stability_fill_map(MrcStabilityMap *map) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < map->rows; i++)
        for (int j = 0; j < map->columns; j++) {
            TwoMassParameters p = map->parameters;
            p.rho_inf = map->rho[i];
            p.omega_h = map->omega_h[j];
            map->radius[i * map->columns + j] = stability_radius(map->type, &map->settings, &p);
            if (map->contraction) map->contraction[i * map->columns + j] = map->type->contraction(&p);
        }
}

static MrcStatus stability_check_finite(const MrcStabilityMap *map, MrcError *error) {
    for (int i = 0; i < map->rows * map->columns; i++)
        if (!isfinite(map->radius[i]))
            return error_set(
                error, MRC_NOT_FINITE,
                "the eigenvalues at rho_inf = %g, omega h = %g cannot be found: the numbers are too "
                "large",
                map->rho[i / map->columns], map->omega_h[i % map->columns]);
    return MRC_OK;
}

MrcStatus mrc_stability(const MrcStabilityOptions *options, MrcStabilityMap **result, MrcError *error) {
    MrcStabilityMap *map = calloc(1, sizeof *map);
    *result = NULL;
    if (!map) return error_memory(error, "the map");
    MrcStatus status = stability_read_scheme(options, map, error);
    if (status == MRC_OK) status = stability_read_parameters(options, map, error);
    if (status == MRC_OK) status = stability_read_ranges(options, map, error);
    if (status == MRC_OK) {
        stability_fill_map(map);
        status = stability_check_finite(map, error);
    }
    if (status == MRC_OK) *result = map;
    else mrc_stability_free(map);
    return status;
}

void mrc_stability_free(MrcStabilityMap *map) {
    if (!map) return;
    memory_free(map->rho);
    memory_free(map->omega_h);
    memory_free(map->radius);
    memory_free(map->contraction);
    free(map);
}

double mrc_stability_radius(const MrcStabilityMap *map, int rho_index, int omega_h_index) {
    return map->radius[rho_index * map->columns + omega_h_index];
}

bool stability_is_stable(double radius) { return radius <= 1 + STABILITY_TOLERANCE; }

bool stability_row_is_stable(const MrcStabilityMap *map, int row) {
    for (int j = 0; j < map->columns; j++)
        if (!stability_is_stable(map->radius[row * map->columns + j])) return false;
    return true;
}
