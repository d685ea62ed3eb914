// Sizes are drawn from a table of narrow bins by number, whatever they were given by:
//
//     mass of a class m_k            ->  number n_k ~ m_k / <r^3>_k
//     sieve curve, straight lines    ->  equal masses in slices of equal ln r, then as classes
//     over the logarithm of size
//     truncated normal, lognormal    ->  density integrated over bins (Simpson)
//
// Draw i takes the radius at the share frac(u + i/phi), phi the golden ratio: the additive sequence with the
// smallest discrepancy (Niederreiter 1992, doi:10.1137/1.9781611970081, 3.1), so that every beginning of it
// has each class as often as its share says, to within a grain or two. Independent draws were rejected: with
// a few hundred grains the rare large ones, which hold most of the mass, come half or twice as often as asked
// for. The order is shuffled, so that neighbours in a lattice have nothing to do with each other.
#include "grains/grain_sizes.h"

#include <math.h>

#include "base/random.h"

enum { DENSITY_BINS = 1024, SIEVE_BINS = 64 };

static const double grain_sizes_golden = 0.61803398874989484820;

// ---- the table -----------------------------------------------------------------------------------
// Mean of radius^power in a bin; Simpson is exact up to the third power.
static double grain_sizes_bin_moment(const SizeBin *bin, int power) {
    double low = pow(bin->low, power), middle = pow(0.5 * (bin->low + bin->high), power);
    return (low + 4 * middle + pow(bin->high, power)) / 6;
}

static bool grain_sizes_add_bin(SizeTable *table, double low, double high, double number) {
    return array_push(&table->bins, (SizeBin){low, high, number});
}

static double grain_sizes_normal_density(double x, double mean, double deviation) {
    double z = (x - mean) / deviation;
    return exp(-0.5 * z * z);
}

void grain_sizes_bounds(const SizesDefinition *s, double *from, double *to) {
    *from = *to = 0;
    if (s->uniform.to > 0) *from = s->uniform.from, *to = s->uniform.to;
    if (s->normal.mean > 0) {
        *from = s->normal.from > 0 ? s->normal.from : s->normal.mean - 3 * s->normal.deviation;
        *to = s->normal.to > 0 ? s->normal.to : s->normal.mean + 3 * s->normal.deviation;
    }
    if (s->lognormal.median > 0) {
        double third = exp(3 * s->lognormal.deviation);
        *from = s->lognormal.from > 0 ? s->lognormal.from : s->lognormal.median / third;
        *to = s->lognormal.to > 0 ? s->lognormal.to : s->lognormal.median * third;
    }
}

// A bell over x = radius or x = ln(radius), cut off at the bounds; beyond 8 deviations there is nothing.
static bool grain_sizes_add_bell(SizeTable *table, double mean, double deviation, double from, double to,
                                 bool logarithm) {
    double low = fmax(logarithm ? log(from) : from, mean - 8 * deviation);
    double high = fmin(logarithm ? log(to) : to, mean + 8 * deviation);
    double width = (high - low) / DENSITY_BINS;
    bool good = true;
    for (int i = 0; i < DENSITY_BINS && high >= low; i++) {
        double a = low + i * width, b = i + 1 < DENSITY_BINS ? a + width : high;
        double number = grain_sizes_normal_density(a, mean, deviation) +
                        grain_sizes_normal_density(b, mean, deviation) +
                        4 * grain_sizes_normal_density(0.5 * (a + b), mean, deviation);
        if (logarithm) a = fmax(exp(a), from), b = fmin(exp(b), to); // exp(log(.)) may be a digit beyond
        good = good && grain_sizes_add_bin(table, a, b, number);
    }
    return good;
}

static bool grain_sizes_add_sieve(SizeTable *table, const SieveOpening *sieve, int count) {
    bool good = true;
    for (int k = 1; k < count; k++) {
        double low = 0.5 * sieve[k - 1].opening, high = 0.5 * sieve[k].opening;
        double mass = (sieve[k].passing - sieve[k - 1].passing) / SIEVE_BINS;
        for (int i = 0; i < SIEVE_BINS && mass > 0; i++) {
            SizeBin bin = {low * pow(high / low, (double)i / SIEVE_BINS),
                           low * pow(high / low, (double)(i + 1) / SIEVE_BINS), 0};
            good =
                good && grain_sizes_add_bin(table, bin.low, bin.high, mass / grain_sizes_bin_moment(&bin, 3));
        }
    }
    return good;
}

static bool grain_sizes_add_bins(SizeTable *table, const ParticlesDefinition *p) {
    const SizesDefinition *s = &p->sizes;
    const double *radii = p->bed ? p->bed->columns[BED_RADIUS] : NULL;
    bool good = true;
    double from, to;
    grain_sizes_bounds(s, &from, &to);
    for (size_t i = 0; radii && i < p->bed->count; i++)
        good = good && grain_sizes_add_bin(table, radii[i], radii[i], 1);
    if (radii) return good;
    if (p->radius > 0) return grain_sizes_add_bin(table, p->radius, p->radius, 1);
    if (s->uniform.to > 0) return grain_sizes_add_bin(table, from, to, 1);
    if (s->normal.mean > 0)
        return grain_sizes_add_bell(table, s->normal.mean, s->normal.deviation, from, to, false);
    if (s->lognormal.median > 0)
        return grain_sizes_add_bell(table, log(s->lognormal.median), s->lognormal.deviation, from, to, true);
    for (int k = 0; k < s->class_count; k++) {
        double radius = s->classes[k].radius > 0 ? s->classes[k].radius : 0.5 * s->classes[k].diameter;
        double share = s->classes[k].number + s->classes[k].mass / pow(radius, 3);
        good = good && grain_sizes_add_bin(table, radius, radius, share);
    }
    return good && grain_sizes_add_sieve(table, s->sieve, s->sieve_count);
}

MrcStatus grain_sizes_create(SizeTable *table, const ParticlesDefinition *particles, MrcError *error) {
    *table = (SizeTable){0};
    if (!grain_sizes_add_bins(table, particles)) {
        grain_sizes_free(table);
        return error_memory(error, "the sizes of grains");
    }
    double total = 0, sum = 0;
    for (size_t i = 0; i < table->bins.count; i++) total += table->bins.data[i].share;
    if (!(total > 0 && isfinite(total))) {
        grain_sizes_free(table);
        return error_set(error, MRC_MODEL, "there is no grain of any size between the bounds of 'sizes'");
    }
    for (size_t i = 0; i < table->bins.count; i++) {
        sum += table->bins.data[i].share;
        table->bins.data[i].share = i + 1 < table->bins.count ? sum / total : 1;
    }
    return MRC_OK;
}

void grain_sizes_free(SizeTable *table) { array_free(&table->bins); }

// ---- reading it ----------------------------------------------------------------------------------
double grain_sizes_at(const SizeTable *table, double share) {
    size_t first = 0, last = table->bins.count - 1;
    while (first < last) { // the first bin that reaches beyond the share
        size_t middle = (first + last) / 2;
        if (table->bins.data[middle].share > share) last = middle;
        else first = middle + 1;
    }
    const SizeBin *bin = &table->bins.data[first];
    double before = first ? table->bins.data[first - 1].share : 0, own = bin->share - before;
    double part = own > 0 ? fmin(fmax((share - before) / own, 0), 1) : 0;
    return fmin(bin->low + part * (bin->high - bin->low), bin->high);
}

double grain_sizes_moment(const SizeTable *table, int power) {
    double sum = 0, before = 0;
    for (size_t i = 0; i < table->bins.count; before = table->bins.data[i++].share)
        sum += (table->bins.data[i].share - before) * grain_sizes_bin_moment(&table->bins.data[i], power);
    return sum;
}

void grain_sizes_range(const SizeTable *table, double *least, double *largest) {
    *least = INFINITY, *largest = 0;
    for (size_t i = 0; i < table->bins.count; i++) {
        *least = fmin(*least, table->bins.data[i].low);
        *largest = fmax(*largest, table->bins.data[i].high);
    }
}

bool grain_sizes_are_given(const SizesDefinition *s) {
    return s->uniform.to > 0 || s->normal.mean > 0 || s->lognormal.median > 0 || s->classes || s->sieve;
}

bool grain_sizes_are_equal(const ParticlesDefinition *particles) {
    return particles->radius > 0 && !(particles->bed && particles->bed->columns[BED_RADIUS]);
}

double grain_sizes_mean_radius(const ParticlesDefinition *particles) {
    SizeTable table;
    if (grain_sizes_are_equal(particles)) return particles->radius;
    if (grain_sizes_create(&table, particles, NULL) != MRC_OK) return NAN; // packing reports the error
    double mean = grain_sizes_moment(&table, 1);
    grain_sizes_free(&table);
    return mean;
}

double grain_sizes_least_radius(const ParticlesDefinition *particles) {
    SizeTable table;
    double least, largest;
    if (grain_sizes_are_equal(particles)) return particles->radius;
    if (grain_sizes_create(&table, particles, NULL) != MRC_OK) return NAN;
    grain_sizes_range(&table, &least, &largest);
    grain_sizes_free(&table);
    return least;
}

// ---- drawing -------------------------------------------------------------------------------------
static MrcStatus grain_sizes_draw_equal(double radius, size_t count, double volume, RadiusList *radii,
                                        MrcError *error) {
    if (count == 0) count = (size_t)round(volume / sphere_volume(radius));
    if (!array_resize(radii, count)) return error_memory(error, "the grains");
    for (size_t i = 0; i < count; i++) radii->data[i] = radius;
    return MRC_OK;
}

static void grain_sizes_shuffle(RadiusList *radii, Random *random) {
    for (size_t i = radii->count; i > 1; i--) {
        size_t k = (size_t)(random_uniform(random) * (double)i);
        double kept = radii->data[i - 1];
        radii->data[i - 1] = radii->data[k];
        radii->data[k] = kept;
    }
}

MrcStatus grain_sizes_draw(const ParticlesDefinition *particles, size_t count, double volume,
                           RadiusList *radii, MrcError *error) {
    if (grain_sizes_are_equal(particles))
        return grain_sizes_draw_equal(particles->radius, count, volume, radii, error);
    SizeTable table;
    MrcStatus status = grain_sizes_create(&table, particles, error);
    if (status != MRC_OK) return status;
    Random random = {(uint64_t)particles->sizes.seed};
    double start = random_uniform(&random), sum = 0;
    radii->count = 0;
    for (size_t i = 0; count == 0 || i < count; i++) {
        double share = start + grain_sizes_golden * (double)i,
               radius = grain_sizes_at(&table, share - floor(share));
        sum += sphere_volume(radius);
        // One more only if the total then is nearer to what was asked for.
        if (count == 0 && i > 0 && sum - 0.5 * sphere_volume(radius) > volume) break;
        if (!array_push(radii, radius)) {
            status = error_memory(error, "the grains");
            break;
        }
    }
    if (status == MRC_OK) grain_sizes_shuffle(radii, &random);
    grain_sizes_free(&table);
    return status;
}
