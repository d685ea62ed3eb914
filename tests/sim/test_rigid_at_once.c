// Two coupled simulations with rigid grains on two threads of one process give the same numbers, bit by bit, as each of
// them alone, LAPACK included; and the program finds its own settings of OpenMP and OpenBLAS again.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "maraca/maraca.h"
#include "openblas.h"

static const char model_text[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0.1}}\n"
    "mechanism:\n"
    "  bodies: {shell: {mass: 50 g, inertia: 5 5 5 kg*mm^2}}\n"
    "  joints: {guide: {prismatic: shell, axis: z}}\n"
    "  springs: {support: {between: [shell, ground], offsets: [0 0 0 mm, 0 0 100 mm], length: 100 mm,\n"
    "                      stiffness: 2 kN/m, damping: 1 N*s/m}}\n"
    "ports: {can: {node: shell, container: {mass: 10 g, inertia: 1 1 1 0 0 0 kg*mm^2}}}\n"
    "grains:\n"
    "  damper:\n"
    "    port: can\n"
    "    wall: {cylinder: {radius: 6 mm, height: 9 mm, axis: z}}\n"
    "    particles: {radius: 1 mm, count: 14, material: lead}\n"
    "    packing: fcc\n"
    "    method: nonsmooth\n"
    "    contact: {solver: {method: interior, tolerance: 1e-11}}\n"
    "coupling: {scheme: condensed}\n"
    "simulate: {duration: 2 ms, step: 0.1 ms}\n"
    "record: {every: 0.1 ms}\n";

typedef struct Job {
    const MrcModel *model;
    int threads; // OpenMP's of the calling thread, before and after
    MrcStatus status;
    MrcError error;
    uint64_t rows;
    double *values; // of all rows
    size_t count, room;
} Job;

static void keep_row(void *user, const MrcRow *row) {
    Job *job = user;
    if (job->count + (size_t)row->count > job->room) {
        job->room = 2 * job->room + (size_t)row->count;
        job->values = realloc(job->values, job->room * sizeof(double));
    }
    memcpy(job->values + job->count, row->values, (size_t)row->count * sizeof(double));
    job->count += (size_t)row->count;
    job->rows++;
}

static void *run_job(void *user) {
    Job *job = user;
    omp_set_num_threads(job->threads);
    MrcRunOptions options = mrc_run_options_default();
    options.threads = 2;
    options.row = keep_row;
    options.user = job;
    job->status = mrc_run(job->model, &options, NULL, &job->error);
    job->threads = omp_get_max_threads();
    return NULL;
}

static MrcModel *make_model(const char *scheme) {
    char override[60];
    snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
    const char *overrides[] = {override};
    MrcModel *model = mrc_model_parse(model_text, sizeof model_text - 1, "model", overrides, 1);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    return model;
}

static void check_same(const Job *a, const Job *b) {
    if (b->status != MRC_OK) fail_msg("%s", b->error.text);
    assert_int_equal(a->rows, 21);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->values, b->values, a->count * sizeof(double));
}

static void test_same_bits(void **state) {
    (void)state;
    const char *schemes[] = {"condensed", "tight"};
    MrcModel *models[2];
    Job alone[2], together[4];
    for (int i = 0; i < 2; i++) {
        models[i] = make_model(schemes[i]);
        alone[i] = (Job){.model = models[i], .threads = 1};
        openblas_sets = 0;
        run_job(&alone[i]);
        if (alone[i].status != MRC_OK) fail_msg("%s", alone[i].error.text);
        assert_true(openblas_sets > 10); // LAPACK was used, by the container
        assert_int_equal(openblas_threads, 4);
    }
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        together[i] = (Job){.model = models[i % 2], .threads = 3 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, &together[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        check_same(&alone[i % 2], &together[i]);
        assert_int_equal(together[i].threads, 3 + i);
        free(together[i].values);
    }
    assert_int_equal(openblas_threads, 4);
    for (int i = 0; i < 2; i++) {
        free(alone[i].values);
        mrc_model_free(models[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
