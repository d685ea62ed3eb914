// Two simulations on two threads of one process give the same bytes as alone, also when they share one model.
#include <pthread.h>
#include <stdlib.h>

#include "maraca/maraca.h"
#include "output/temporary.h"

static const char model_format[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.8}}\n"
    "ports: {shaker: {position: [0, 0, 1 mm*sin(2*pi*%d Hz*t)]}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: shaker\n"
    "    wall: {cylinder: {radius: 15 mm, height: 40 mm, axis: z}}\n"
    "    particles: {radius: 1.5 mm, count: %d, material: steel}\n"
    "    packing: fcc\n"
    "    contact: {stiffness: 1e5 N/m}\n"
    "simulate: {duration: %d us, step: 2 us}\n"
    "record: {every: 10 us}\n"
    "frames: {every: %d us}\n"
    "checkpoint: {every: 23 us}\n";

static MrcModel *make_model(int frequency, int count, int duration) {
    char text[sizeof model_format + 40];
    int length = snprintf(text, sizeof text, model_format, frequency, count, duration, duration / 4);
    MrcModel *model = mrc_model_parse(text, (uint64_t)length, "model", NULL, 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    return model;
}

typedef struct Job {
    const MrcModel *model;
    int threads; // two teams of two on two cores spend their time waiting for each other: only a few such
                 // steps
    char folder[100];
    MrcStatus status;
    MrcError error;
} Job;

static Job make_job(const MrcModel *model, int threads, const char *name) {
    Job job = {.model = model, .threads = threads};
    snprintf(job.folder, sizeof job.folder, "%s", temporary_path(name));
    return job;
}

static void *run_job(void *user) {
    Job *job = user;
    MrcRunOptions options = mrc_run_options_default();
    options.folder = job->folder;
    options.threads = job->threads;
    job->status = mrc_run(job->model, &options, NULL, &job->error);
    return NULL;
}

static void run_both(Job *a, Job *b) {
    pthread_t threads[2];
    assert_int_equal(pthread_create(&threads[0], NULL, run_job, a), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, run_job, b), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (a->status != MRC_OK) fail_msg("%s", a->error.text);
    if (b->status != MRC_OK) fail_msg("%s", b->error.text);
}

static void check_same_file(const Job *a, const Job *b, const char *name) {
    char path[200];
    size_t length_a, length_b;
    snprintf(path, sizeof path, "%s/%s", a->folder, name);
    char *text_a = temporary_read(path, &length_a);
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    char *text_b = temporary_read(path, &length_b);
    assert_int_equal(length_a, length_b);
    assert_memory_equal(text_a, text_b, length_a);
    free(text_a);
    free(text_b);
}

static void check_same(const Job *a, const Job *b) {
    check_same_file(a, b, "series.csv");
    check_same_file(a, b, "model.yaml");
    check_same_file(a, b, "frames.pvd");
    check_same_file(a, b, "frames/bed-000003.vtp");
    check_same_file(a, b, "frames/bed-walls-000003.vtp");
}

static void test_two_models(void **state) {
    (void)state;
    MrcModel *small = make_model(100, 300, 500), *large = make_model(60, 900, 500);
    Job alone_small = make_job(small, 1, "alone-small"), alone_large = make_job(large, 1, "alone-large");
    Job small_job = make_job(small, 1, "small"), large_job = make_job(large, 1, "large");
    run_job(&alone_small);
    run_job(&alone_large);
    run_both(&small_job, &large_job);
    check_same(&alone_small, &small_job);
    check_same(&alone_large, &large_job);
    mrc_model_free(small);
    mrc_model_free(large);
}

static void test_one_model_for_both(void **state) {
    (void)state;
    MrcModel *model = make_model(100, 600, 100);
    Job alone = make_job(model, 2, "alone"), first = make_job(model, 2, "first"),
        second = make_job(model, 2, "second");
    run_job(&alone);
    run_both(&first, &second);
    check_same(&alone, &first);
    check_same(&alone, &second);
    mrc_model_free(model);
}

static void test_one_folder_for_both_is_refused(void **state) {
    (void)state;
    MrcModel *model = make_model(100, 600, 100);
    Job alone = make_job(model, 2, "not-shared"), first = make_job(model, 2, "shared"), second = first;
    run_job(&alone);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_job, &first), 0);
    run_job(&second);
    pthread_join(thread, NULL);
    // One of them wins; if the other came when that was done already, both do.
    assert_true(first.status == MRC_OK || second.status == MRC_OK);
    assert_true(first.status == MRC_OK || first.status == MRC_FOLDER);
    assert_true(second.status == MRC_OK || second.status == MRC_FOLDER);
    check_same(&alone, &first);
    mrc_model_free(model);
}

static void test_nothing_on_disk(void **state) {
    (void)state;
    MrcModel *model = make_model(100, 50, 500);
    MrcRunOptions options = mrc_run_options_default();
    MrcRunInfo info;
    MrcError error;
    assert_int_equal(mrc_run(model, &options, &info, &error), MRC_OK);
    assert_int_equal(info.steps, 250);
    check_near(info.time, 0.5e-3, 1e-15);
    assert_false(info.resumed);
    assert_non_null(strstr(info.summary, "\"status\": \"OK\""));
    assert_null(strstr(info.report, "results in"));
    assert_string_equal(mrc_facts_find(info.facts, "status")->text, "OK");
    assert_int_equal(mrc_facts_find(info.facts, "steps")->count, 250);
    assert_true(mrc_facts_find(info.facts, "energy.in_play")->number > 0);
    mrc_run_info_free(&info);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_models),
        cmocka_unit_test(test_one_model_for_both),
        cmocka_unit_test(test_one_folder_for_both_is_refused),
        cmocka_unit_test(test_nothing_on_disk),
    };
    return cmocka_run_group_tests(tests, temporary_begin, temporary_end);
}
