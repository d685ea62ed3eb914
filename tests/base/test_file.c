#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/maraca-test-file-XXXXXX";
static char path[256];

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name) { return access(in_folder(name), F_OK) == 0; }

static void put(const char *name, const char *bytes, size_t count) {
    FILE *stream = fopen(in_folder(name), "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, count, stream), count);
    fclose(stream);
}

static void check_content(const char *name, const char *expected) {
    char *text;
    size_t length;
    assert_int_equal(file_read(in_folder(name), 1000, &text, &length, NULL), MRC_OK);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    free(text);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void test_read_whole_file(void **state) {
    (void)state;
    put("bytes", "ab\0cd\n", 6);
    char *text;
    size_t length;
    assert_int_equal(file_read(in_folder("bytes"), 6, &text, &length, NULL), MRC_OK); // just within the limit
    assert_int_equal(length, 6);
    assert_memory_equal(text, "ab\0cd\n", 7); // with the NUL put behind
    free(text);
    put("empty", "", 0);
    check_content("empty", "");
}

static void check_refused(const char *name, size_t limit, const char *why) {
    char *text = (char *)1;
    size_t length = 1;
    MrcError error = {0};
    assert_int_equal(file_read(in_folder(name), limit, &text, &length, &error), MRC_READ_FAILED);
    assert_null(text);
    assert_int_equal(length, 0);
    assert_int_equal(error.status, MRC_READ_FAILED);
    assert_non_null(strstr(error.text, path)); // names the file
    assert_non_null(strstr(error.text, why));
}

static void test_read_refuses(void **state) {
    (void)state;
    put("seven", "1234567", 7);
    check_refused("seven", 6, "larger than 6 bytes");
    check_refused("missing", 100, "No such file");
    check_refused("", 100, "not an ordinary file"); // the folder itself
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    check_refused("pipe", 100, "not an ordinary file"); // and does not wait for a writer
}

static void test_reader_sees_old_or_new(void **state) {
    (void)state;
    FileWriter writer;
    put("result", "old", 3);
    assert_int_equal(file_open(&writer, in_folder("result"), NULL), MRC_OK);
    fputs("new", writer.stream);
    fflush(writer.stream);
    check_content("result", "old");
    assert_true(exists("result.partial"));
    assert_int_equal(file_commit(&writer, NULL), MRC_OK);
    assert_null(writer.stream);
    check_content("result", "new");
    assert_false(exists("result.partial"));
}

static void test_abandoned_file_leaves_nothing(void **state) {
    (void)state;
    FileWriter writer;
    put("kept", "old", 3);
    assert_int_equal(file_open(&writer, in_folder("kept"), NULL), MRC_OK);
    fputs("half", writer.stream);
    file_abandon(&writer);
    file_abandon(&writer); // twice is fine
    check_content("kept", "old");
    assert_false(exists("kept.partial"));
}

static void test_write_failures(void **state) {
    (void)state;
    FileWriter writer;
    MrcError error = {0};
    assert_int_equal(file_open(&writer, in_folder("no/such/folder"), &error), MRC_WRITE_FAILED);
    assert_null(writer.stream);
    assert_non_null(strstr(error.text, "no/such/folder"));
    file_abandon(&writer); // harmless after a failed open

    char long_path[2000];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(file_open(&writer, long_path, &error), MRC_WRITE_FAILED);
    assert_non_null(strstr(error.text, "too long"));

    // A folder stands where the file should go: the rename fails and the temporary file is cleaned up.
    assert_int_equal(mkdir(in_folder("occupied"), 0700), 0);
    assert_int_equal(file_open(&writer, in_folder("occupied"), &error), MRC_OK);
    fputs("text", writer.stream);
    assert_int_equal(file_commit(&writer, &error), MRC_WRITE_FAILED);
    assert_non_null(strstr(error.text, "occupied"));
    assert_false(exists("occupied.partial"));
}

// The reason is told even when the write that failed is long past.
static void test_write_failure_names_its_reason(void **state) {
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){10000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int size = 5000; size <= 50000; size += 9000) {
        FileWriter writer;
        MrcError error = {0};
        static const char bytes[50000];
        assert_int_equal(file_open(&writer, in_folder("large"), &error), MRC_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        fwrite(bytes, 1, (size_t)size, writer.stream);
        fputs("the end", writer.stream);
        errno = ENOENT; // something unrelated in between
        MrcStatus outcome = file_commit(&writer, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(outcome, size < 10000 ? MRC_OK : MRC_WRITE_FAILED);
        if (outcome != MRC_OK) assert_non_null(strstr(error.text, "File too large"));
        assert_false(exists("large.partial"));
    }
}

static void test_make_folder(void **state) {
    (void)state;
    struct stat status;
    MrcError error = {0};
    assert_int_equal(file_make_folder(in_folder("a/b/c"), &error), MRC_OK);
    assert_int_equal(stat(in_folder("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(file_make_folder(in_folder("a/b/c"), &error), MRC_OK);  // it is there already
    assert_int_equal(file_make_folder(in_folder("a/b/d/"), &error), MRC_OK); // a slash at the end
    assert_true(exists("a/b/d"));
    assert_int_equal(file_make_folder("", &error), MRC_WRITE_FAILED);
    assert_non_null(strstr(error.text, "without a name"));
    put("file", "x", 1);
    assert_int_equal(file_make_folder(in_folder("file"), &error), MRC_WRITE_FAILED);
    assert_non_null(strstr(error.text, "in the way"));
    assert_int_equal(file_make_folder(in_folder("file/below"), &error), MRC_WRITE_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_whole_file),
        cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_reader_sees_old_or_new),
        cmocka_unit_test(test_abandoned_file_leaves_nothing),
        cmocka_unit_test(test_write_failures),
        cmocka_unit_test(test_make_folder),
        cmocka_unit_test(test_write_failure_names_its_reason),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
