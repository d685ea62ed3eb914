#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/threads.h"

typedef struct Subject {
    const char *name;
    bool (*run)(Bench *bench);
    const char *doc;
} Subject;

static const Subject subjects[] = {
    {"dem", bench_dem, "smooth grains in a moving box, against LAMMPS, LIGGGHTS and YADE"},
    {"nonsmooth", bench_nonsmooth, "rigid grains: the damper of 147 grains, and beds that settle"},
    {"mechanism", bench_mechanism, "steps of a cantilever of 10 to 2000 elements, against linear growth"},
    {"coupled", bench_coupled, "the papers' dampers on their machines by three coupling schemes"},
    {"stones", bench_stones, "convex polyhedra: pairs, manifolds, and beds on one thread and several"},
    {"tamping", bench_tamping,
     "ballast tamping of 5000 stones: projected time of its 2 s, against the published one"},
    {"bulk", bench_bulk, "a silo, a drum and a ball that falls into a bed, against LAMMPS"},
    {"exchange", bench_exchange, "an exchange with another program over a socket"},
};
enum { SUBJECT_COUNT = sizeof subjects / sizeof *subjects };

void bench_add(Bench *bench, BenchRow row) {
    if (!array_push(&bench->rows, row)) fputs("maraca-bench: no memory left for a row\n", stderr);
}

void bench_note(const Bench *bench, const char *format, ...) {
    FILE *stream = bench->options.json ? stderr : stdout;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fputc('\n', stream);
    fflush(stream);
}

bool bench_wants(const Bench *bench, int64_t size) {
    if (!bench->options.sizes) return true;
    for (const char *at = bench->options.sizes; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (atoll(at) == size) return true;
    }
    return false;
}

// ---- printing ------------------------------------------------------------------------------------
static void print_table(const Bench *bench) {
    printf("\n%-20s %8s %7s %12s %-18s %-18s %12s %8s\n", "case", "n", "threads", "value", "unit", "peer",
           "peer's value", "ratio");
    for (size_t i = 0; i < bench->rows.count; i++) {
        const BenchRow *row = &bench->rows.data[i];
        printf("%-20s %8lld %7d %12.4g %-18s %-18s ", row->name, (long long)row->n, row->threads, row->value,
               row->unit, row->peer[0] ? row->peer : "-");
        if (isfinite(row->peer_value)) printf("%12.4g ", row->peer_value);
        else printf("%12s ", "-");
        if (isfinite(row->ratio)) printf("%8.2f\n", row->ratio);
        else printf("%8s\n", "-");
    }
}

static bool print_json(const Bench *bench) {
    Json json = {.indent = 2};
    json_array_begin(&json);
    for (size_t i = 0; i < bench->rows.count; i++) {
        const BenchRow *row = &bench->rows.data[i];
        json_object_begin(&json);
        json_key(&json, "case"), json_string(&json, row->name);
        json_key(&json, "n"), json_integer(&json, row->n);
        json_key(&json, "threads"), json_integer(&json, row->threads);
        json_key(&json, "value"), json_number(&json, row->value);
        json_key(&json, "unit"), json_string(&json, row->unit);
        json_key(&json, "peer"), json_string(&json, row->peer[0] ? row->peer : NULL);
        json_key(&json, "peer_value"), json_number(&json, row->peer_value);
        json_key(&json, "ratio"), json_number(&json, row->ratio);
        json_object_end(&json);
    }
    json_array_end(&json);
    const char *text = json_text(&json);
    if (text) fputs(text, stdout);
    json_free(&json);
    return text != NULL;
}

static void note_machine(const Bench *bench) {
    char line[256], model[200] = "unknown processor", date[32] = "";
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %199[^\n]", model) == 1) break;
    if (info) fclose(info);
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    bench_note(bench, "%s, %d cores, %s", model, threads_available(), date);
}

// ---- the command line ----------------------------------------------------------------------------
static int usage(void) {
    fputs("usage: maraca-bench SUBJECT [--quick] [--json] [--threads N] [--sizes N,N,...]\n\n", stderr);
    for (int s = 0; s < SUBJECT_COUNT; s++)
        fprintf(stderr, "  %-10s %s\n", subjects[s].name, subjects[s].doc);
    return 2;
}

int main(int word_count, char **words) {
    Bench bench = {.options.threads = threads_available() < 2 ? threads_available() : 2};
    const Subject *subject = NULL;
    for (int s = 0; word_count > 1 && s < SUBJECT_COUNT; s++)
        if (strcmp(words[1], subjects[s].name) == 0) subject = &subjects[s];
    if (!subject) return usage();
    for (int w = 2; w < word_count; w++) {
        bool more = w + 1 < word_count;
        if (strcmp(words[w], "--quick") == 0) bench.options.quick = true;
        else if (strcmp(words[w], "--json") == 0) bench.options.json = true;
        else if (strcmp(words[w], "--threads") == 0 && more) bench.options.threads = atoi(words[++w]);
        else if (strcmp(words[w], "--sizes") == 0 && more) bench.options.sizes = words[++w];
        else return usage();
    }
    if (bench.options.threads < 1) return usage();
    note_machine(&bench);
    bool done = subject->run(&bench);
    if (done && bench.rows.count == 0) {
        fprintf(stderr, "maraca-bench: '%s'%s has no case of the sizes %s\n", subject->name,
                bench.options.quick ? " with --quick" : "", bench.options.sizes ? bench.options.sizes : "");
        array_free(&bench.rows);
        return 2;
    }
    if (bench.options.json) done = print_json(&bench) && done;
    else print_table(&bench);
    array_free(&bench.rows);
    return done ? 0 : 1;
}
