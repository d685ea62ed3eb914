// Files of a damper element. The Nastran file has one PBUSHT for each amplitude: stiffness K = -w^2 m and damping
// B = E / (pi w A^2) over frequency, in SI units, for one direction of a CBUSH element to ground.
#include "study/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "model/yaml.h"
#include "study/table.h"

#define ELEMENT_PI 3.14159265358979323846

const char *damper_zone_words(DamperZone zone) {
    static const char *const words[] = {"solid", "bouncing bed", "fluidised"};
    return words[zone];
}

static int element_compare(const void *a, const void *b) {
    const DamperEntry *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
    return x->amplitude < y->amplitude ? -1 : x->amplitude > y->amplitude;
}

// The wider one of the intervals over beds and over cycles.
static double element_interval(const StudyTable *table, int point, const char *measure, const char *within) {
    double beds = study_table_estimate(table, point, 0, measure).interval;
    double cycles = study_table_estimate(table, point, 0, within).mean;
    if (isfinite(beds) && isfinite(cycles)) return fmax(beds, cycles);
    return isfinite(beds) ? beds : isfinite(cycles) ? cycles : 0;
}

static bool element_of_table(const StudyTable *table, DamperElement *element) {
    for (int p = 0; p < table->plan->point_count; p++) {
        Estimate energy = study_table_estimate(table, p, 0, "energy_J");
        if (!isfinite(energy.mean)) continue; // failed, or not there yet
        DamperEntry e = {.frequency = table->plan->points[p].numbers[0],
                         .amplitude = study_table_estimate(table, p, 0, "amplitude_m").mean,
                         .energy = energy.mean,
                         .energy_interval = element_interval(table, p, "energy_J", "energy_interval_J"),
                         .mass = study_table_estimate(table, p, 0, "effective_mass_kg").mean,
                         .mass_interval =
                             element_interval(table, p, "effective_mass_kg", "effective_mass_interval_kg"),
                         .zone = (DamperZone)lround(study_table_estimate(table, p, 0, "zone").mean)};
        element->grains = study_table_estimate(table, p, 0, "mass_kg").mean;
        if (!array_push(&element->entries, e)) return false;
    }
    if (element->entries.count > 0)
        qsort(element->entries.data, element->entries.count, sizeof *element->entries.data, element_compare);
    return true;
}

// ---- writing -------------------------------------------------------------------------------------
static double element_dashpot(const DamperEntry *e, double energy) {
    double w = 2 * ELEMENT_PI * e->frequency;
    return energy / (ELEMENT_PI * w * e->amplitude * e->amplitude);
}

static char *element_json(const DamperElement *element) {
    Json json = {.indent = 2};
    json_object_begin(&json);
    json_member_string(&json, "kind", "damper element");
    json_member_integer(&json, "format", 1);
    json_member_number(&json, "mass_kg", element->grains);
    json_key(&json, "entries");
    json_array_begin(&json);
    for (size_t i = 0; i < element->entries.count; i++) {
        const DamperEntry *e = &element->entries.data[i];
        json_object_begin(&json);
        json_member_number(&json, "frequency_hz", e->frequency);
        json_member_number(&json, "amplitude_m", e->amplitude);
        json_member_number(&json, "energy_J", e->energy);
        json_member_number(&json, "energy_interval_J", e->energy_interval);
        json_member_number(&json, "effective_mass_kg", e->mass);
        json_member_number(&json, "effective_mass_interval_kg", e->mass_interval);
        json_member_number(&json, "dashpot_Ns_per_m", element_dashpot(e, e->energy));
        json_member_string(&json, "zone", damper_zone_words(e->zone));
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    return json_take(&json);
}

static char *element_csv(const DamperElement *element) {
    Text text = {0};
    text_add_string(&text, "frequency[Hz],amplitude[m],energy[J],energy.interval[J],effective_mass[kg],"
                           "effective_mass.interval[kg],dashpot[N*s/m],zone\n");
    for (size_t i = 0; i < element->entries.count; i++) {
        const DamperEntry *e = &element->entries.data[i];
        const double values[] = {e->frequency,
                                 e->amplitude,
                                 e->energy,
                                 e->energy_interval,
                                 e->mass,
                                 e->mass_interval,
                                 element_dashpot(e, e->energy)};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            char digits[TEXT_NUMBER_SIZE];
            text_number(digits, values[k]);
            text_add(&text, "%s,", digits);
        }
        text_add(&text, "%s\n", damper_zone_words(e->zone));
    }
    return text_take(&text);
}

// Cards in fields of 16 columns: in those of 8, and so in free fields, Nastran keeps four digits of a number. Two lines
// make one line of eight fields, so there are an even number of them; pairs leave no field empty between them, which
// would be read as zeros. A table has two pairs at least: a frequency that is alone has the same value next to it.
static void element_bdf_table(Text *text, int id, const DamperElement *element, const size_t *rows,
                              size_t count, bool damping) {
    size_t pairs = count > 1 ? count : 2, lines = 2 + pairs / 2 + 1;
    text_add(text, "TABLED1*%16d\n*", id);
    for (size_t k = 0; k < pairs; k++) {
        const DamperEntry *e = &element->entries.data[rows[k < count ? k : 0]];
        double w = 2 * ELEMENT_PI * e->frequency;
        if (k % 2 == 0) text_add_string(text, "\n*       ");
        text_add(text, "%16.9E%16.9E", k < count ? e->frequency : 1.001 * e->frequency,
                 damping ? element_dashpot(e, e->energy) : -w * w * e->mass);
    }
    text_add(text, "%s%16s\n%s", pairs % 2 == 0 ? "\n*       " : "", "ENDT", lines % 2 == 1 ? "*\n" : "");
}

// The k-th amplitude of each frequency makes one property: grids by acceleration have other amplitudes per frequency.
static char *element_bdf(const DamperElement *element) {
    Text text = {0};
    size_t n = element->entries.count, *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) return NULL;
    text_add_string(
        &text, "$ Damper element: PBUSHT tables of stiffness [N/m] and damping [N s/m] over frequency [Hz],\n"
               "$ one property for each amplitude; direction 1 of a CBUSH to ground\n");
    for (size_t level = 0; level < n; level++) {
        size_t count = 0;
        for (size_t i = 0, within = 0; i < n; i++) {
            within = i > 0 && element->entries.data[i].frequency == element->entries.data[i - 1].frequency
                         ? within + 1
                         : 0;
            if (within == level) rows[count++] = i;
        }
        if (count == 0) break;
        const DamperEntry *first = &element->entries.data[rows[0]];
        const DamperEntry *last = &element->entries.data[rows[count - 1]];
        int id = 10 * (int)(level + 1);
        text_add(&text, "$ amplitude number %zu: %.6g m at %.6g Hz to %.6g m at %.6g Hz\n", level + 1,
                 first->amplitude, first->frequency, last->amplitude, last->frequency);
        text_add(&text, "PBUSH   %8d%8s%8s\n%24s%8s\n", id, "K", "1.0", "B", "1.0");
        text_add(&text, "PBUSHT  %8d%8s%8d\n%24s%8d\n", id, "K", id + 1, "B", id + 2);
        element_bdf_table(&text, id + 1, element, rows, count, false);
        element_bdf_table(&text, id + 2, element, rows, count, true);
    }
    free(rows);
    return text_take(&text);
}

static MrcStatus element_write_text(const char *folder, const char *name, char *text, MrcError *error) {
    FileWriter writer;
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    MrcStatus status = text ? file_open(&writer, path, error) : error_memory(error, "the damper element");
    if (status == MRC_OK) {
        fputs(text, writer.stream);
        status = file_commit(&writer, error);
    }
    free(text);
    return status;
}

MrcStatus element_write(const StudyPlan *plan, const StudyTable *table, const char *folder, MrcError *error) {
    DamperElement element = {0};
    (void)plan;
    if (!element_of_table(table, &element)) return error_memory(error, "the damper element");
    MrcStatus status = element_write_text(folder, "element.json", element_json(&element), error);
    if (status == MRC_OK) status = element_write_text(folder, "element.csv", element_csv(&element), error);
    if (status == MRC_OK) status = element_write_text(folder, "element.bdf", element_bdf(&element), error);
    element_free(&element);
    return status;
}

// ---- reading -------------------------------------------------------------------------------------
static bool element_number(const YamlNode *node, const char *key, double *value) {
    const YamlNode *found = yaml_get(node, key);
    char *end;
    if (!found || found->kind != YAML_SCALAR) return false;
    *value = number_read(found->text, &end);
    return end != found->text && *end == '\0' && isfinite(*value);
}

static bool element_entry(const YamlNode *node, DamperEntry *e) {
    *e = (DamperEntry){0};
    if (node->kind != YAML_MAPPING) return false;
    return element_number(node, "frequency_hz", &e->frequency) &&
           element_number(node, "amplitude_m", &e->amplitude) &&
           element_number(node, "energy_J", &e->energy) &&
           element_number(node, "energy_interval_J", &e->energy_interval) &&
           element_number(node, "effective_mass_kg", &e->mass) &&
           element_number(node, "effective_mass_interval_kg", &e->mass_interval) && e->frequency > 0 &&
           e->amplitude > 0 && e->energy_interval >= 0 && e->mass_interval >= 0;
}

static MrcStatus element_understand(DamperElement *element, const YamlNode *root, const char *path,
                                    MrcError *error) {
    const YamlNode *kind = root && root->kind == YAML_MAPPING ? yaml_get(root, "kind") : NULL;
    const YamlNode *entries = kind ? yaml_get(root, "entries") : NULL;
    if (!kind || kind->kind != YAML_SCALAR || strcmp(kind->text, "damper element") != 0 || !entries ||
        entries->kind != YAML_SEQUENCE || entries->count == 0 ||
        !element_number(root, "mass_kg", &element->grains))
        return error_set(error, MRC_READ_FAILED,
                         "'%s' is no damper element; 'maraca map' writes one, element.json", path);
    double format = 1; // unless it is said
    if (yaml_get(root, "format") && (!element_number(root, "format", &format) || format != 1))
        return error_set(error, MRC_READ_FAILED,
                         "'%s' has another format than this version reads, which is 1", path);
    if (!(element->grains > 0))
        return error_set(error, MRC_READ_FAILED, "'%s': 'mass_kg' must be positive", path);
    for (size_t i = 0; i < entries->count; i++) {
        DamperEntry e;
        if (!element_entry(entries->items[i], &e))
            return error_set(error, MRC_READ_FAILED,
                             "'%s': entry %zu is not complete, or has a value that cannot be", path, i);
        if (!array_push(&element->entries, e)) return error_memory(error, "the damper element");
    }
    qsort(element->entries.data, element->entries.count, sizeof *element->entries.data, element_compare);
    return MRC_OK;
}

MrcStatus element_read(DamperElement *element, const char *path, MrcError *error) {
    char *text = NULL, inside[1100];
    size_t length;
    struct stat kind;
    *element = (DamperElement){0};
    if (stat(path, &kind) == 0 && S_ISDIR(kind.st_mode)) {
        snprintf(inside, sizeof inside, "%s/element.json", path);
        path = inside;
    }
    MrcStatus status = file_read(path, YAML_BYTES_MAX, &text, &length, error);
    Arena *arena = arena_create();
    Diagnostics diagnostics = {.arena = arena};
    if (status == MRC_OK && !arena) status = error_memory(error, "the damper element");
    if (status == MRC_OK) {
        int file = diagnostics_add_file(&diagnostics, path);
        status = element_understand(element, yaml_parse(arena, text, length, file, false, &diagnostics), path,
                                    error);
    }
    diagnostics_free(&diagnostics);
    if (arena) arena_destroy(arena);
    free(text);
    if (status != MRC_OK) element_free(element);
    return status;
}

void element_free(DamperElement *element) { array_free(&element->entries); }

// ---- values --------------------------------------------------------------------------------------
static DamperValue element_at_entry(const DamperEntry *e) {
    return (DamperValue){e->mass, e->mass_interval, element_dashpot(e, e->energy),
                         element_dashpot(e, e->energy_interval), false};
}

static double element_mix(double a, double b, double part) { return a + part * (b - a); }

// What lies between two entries is not known better than to a quarter of their difference, half-way between them.
static DamperValue element_between(DamperValue a, DamperValue b, double part) {
    double unknown = part * (1 - part);
    return (DamperValue){
        element_mix(a.mass, b.mass, part),
        element_mix(a.mass_interval, b.mass_interval, part) + unknown * fabs(b.mass - a.mass),
        element_mix(a.dashpot, b.dashpot, part),
        element_mix(a.dashpot_interval, b.dashpot_interval, part) + unknown * fabs(b.dashpot - a.dashpot),
        a.outside || b.outside};
}

// Within the entries [first, last) of one frequency.
static DamperValue element_at_frequency(const DamperEntry *list, size_t count, double amplitude) {
    size_t i = 0;
    while (i < count && list[i].amplitude < amplitude) i++;
    DamperValue value = element_at_entry(&list[i < count ? i : count - 1]);
    if (i == 0 || i == count) {
        const DamperEntry *end = &list[i == 0 ? 0 : count - 1];
        value.outside = fabs(amplitude / end->amplitude - 1) > 1e-6;
        return value;
    }
    double part = log(amplitude / list[i - 1].amplitude) / log(list[i].amplitude / list[i - 1].amplitude);
    return element_between(element_at_entry(&list[i - 1]), value, part);
}

DamperValue element_value(const DamperElement *element, double frequency, double amplitude) {
    const DamperEntry *list = element->entries.data;
    size_t n = element->entries.count, low = 0, low_end = 0, high = 0, high_end = 0;
    amplitude = fmax(amplitude, 1e-300);
    for (size_t first = 0, last; first < n; first = last) { // the frequencies on both sides
        for (last = first; last < n && list[last].frequency == list[first].frequency;) last++;
        if (list[first].frequency <= frequency || first == 0) low = first, low_end = last;
        high = first, high_end = last;
        if (list[first].frequency >= frequency) break;
    }
    DamperValue a = element_at_frequency(list + low, low_end - low, amplitude);
    if (high == low) {
        a.outside = a.outside || fabs(frequency / list[low].frequency - 1) > 1e-6;
        return a;
    }
    DamperValue b = element_at_frequency(list + high, high_end - high, amplitude);
    double part = log(frequency / list[low].frequency) / log(list[high].frequency / list[low].frequency);
    if (part > 1) part = 1, b.outside = true;
    return element_between(a, b, part);
}
