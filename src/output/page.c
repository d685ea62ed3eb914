#include "output/page.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/page_data.h"

// The page without data, deflated: by scripts/generate-page.
extern const unsigned char page_template[];
extern const size_t page_template_size, page_template_length; // deflated, and as it is

// ---- packed numbers ------------------------------------------------------------------------------
static void page_base64(const unsigned char *bytes, size_t count, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3, text += 4) {
        unsigned group = (unsigned)bytes[i] << 16;
        if (i + 1 < count) group |= (unsigned)bytes[i + 1] << 8;
        if (i + 2 < count) group |= bytes[i + 2];
        for (int k = 0; k < 4; k++) text[k] = digits[group >> (18 - 6 * k) & 63];
        if (i + 1 >= count) text[2] = '=';
        if (i + 2 >= count) text[3] = '=';
    }
    *text = 0;
}

// Z_BEST_SPEED: zlib's usual level makes the page of a short run 4 % smaller, and the whole run 1.5 % longer.
MrcStatus page_add_packed(Json *json, const char *key, const void *bytes, size_t count, MrcError *error) {
    uLongf size = compressBound(count);
    unsigned char *deflated = malloc(size + 1);
    char *text = NULL;
    bool fine = deflated && compress2(deflated, &size, bytes, count, Z_BEST_SPEED) == Z_OK;
    if (fine) fine = (text = malloc((size + 2) / 3 * 4 + 1)) != NULL;
    if (fine) {
        page_base64(deflated, size, text);
        json_member_string(json, key, text);
    }
    free(deflated);
    free(text);
    return fine ? MRC_OK : error_memory(error, "the report");
}

// ---- elements ------------------------------------------------------------------------------------
// JSON inside a page: no '<' may end the element or begin a comment.
static void page_put_element(FILE *out, const char *id, const char *json) {
    fprintf(out, "<script type=\"application/json\" id=\"data-%s\">", id);
    for (size_t plain; *json; json += plain) {
        plain = strcspn(json, "<");
        fwrite(json, 1, plain, out);
        if (json[plain] != '<') continue;
        fputs("\\u003c", out);
        plain++;
    }
    fputs("</script>\n", out);
}

typedef MrcStatus PageData(Json *json, const char *path, double budget, MrcError *error);

static MrcStatus page_text(Json *json, const char *path, double budget, MrcError *error) {
    (void)budget;
    char *text;
    size_t length;
    MrcStatus status = file_read(path, (size_t)1 << 28, &text, &length, error);
    if (status != MRC_OK) return status;
    json_string(json, text);
    free(text);
    return MRC_OK;
}

// Whole, or not at all: {"left_out": bytes}.
static MrcStatus page_json(Json *json, const char *path, double budget, MrcError *error) {
    char *text;
    size_t length;
    MrcStatus status = file_read(path, (size_t)1 << 30, &text, &length, error);
    if (status != MRC_OK) return status;
    if ((double)length <= budget) json_raw(json, text);
    else {
        json_object_begin(json);
        json_member_integer(json, "left_out", (int64_t)length);
        json_object_end(json);
    }
    free(text);
    return MRC_OK;
}

static MrcStatus page_put_template(FILE *out, MrcError *error) {
    uLongf length = page_template_length;
    unsigned char *text = malloc(length + 1);
    bool fine = text && uncompress(text, &length, page_template, page_template_size) == Z_OK;
    if (fine) fwrite(text, 1, length, out);
    free(text);
    return fine ? MRC_OK : error_memory(error, "the report");
}

static MrcStatus page_put_item(FILE *out, const PageItem *item, MrcError *error) {
    Json json = {0};
    if (!item->text) return MRC_OK;
    if (item->plain) json_string(&json, item->text);
    else json_raw(&json, item->text);
    const char *written = json_text(&json);
    if (written) page_put_element(out, item->id, written);
    json_free(&json);
    return written ? MRC_OK : error_memory(error, "the report");
}

// ---- files of a result folder --------------------------------------------------------------------
// The folders in it whose runs have a report of their own: the page links to them.
static MrcStatus page_kept_runs(Json *json, const char *path, double budget, MrcError *error) {
    (void)budget, (void)error;
    DIR *points = opendir(path);
    json_array_begin(json);
    for (const struct dirent *entry; points && (entry = readdir(points));) {
        char report[1700];
        snprintf(report, sizeof report, "%s/%.255s/run/report.html", path, entry->d_name);
        if (entry->d_name[0] != '.' && access(report, F_OK) == 0) json_string(json, entry->d_name);
    }
    json_array_end(json);
    if (points) closedir(points);
    return MRC_OK;
}

static int page_is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

// The series of each variant of a comparison, whose name is that of its folder: [{"name", "table"}].
static MrcStatus page_variants(Json *json, const char *path, double budget, MrcError *error) {
    char folder[1400], series[1700];
    struct dirent **entries = NULL;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    int count = scandir(folder, &entries, page_is_visible, alphasort);
    MrcStatus status = MRC_OK;
    json_array_begin(json);
    for (int i = 0; i < count; i++) {
        snprintf(series, sizeof series, "%s/%.255s/series.csv", folder, entries[i]->d_name);
        if (status == MRC_OK && access(series, F_OK) == 0) {
            json_object_begin(json);
            json_member_string(json, "name", entries[i]->d_name);
            json_key(json, "table");
            status = page_add_table(json, series, budget / count, error);
            json_object_end(json);
        }
        free(entries[i]);
    }
    free(entries);
    json_array_end(json);
    return status;
}

typedef struct PageFile {
    const char *name, *id;
    PageData *add;
    double share; // of the budget
} PageFile;

static const PageFile page_files[] = {
    {"summary.json", "summary", page_json, 1}, // a run
    {"model.yaml", "model", page_text, 0},
    {"series.csv", "series", page_add_table, 0.3},
    {"periods.csv", "periods", page_add_table, 0.1},
    {"replay.bin", "replay", page_add_replay, 0.6},
    {"study.json", "study", page_json, 1}, // a study
    {"plan.json", "plan", page_json, 1},
    {"points", "kept", page_kept_runs, 0},
    {"certificate.json", "certificate", page_json, 1},
    {"respond.json", "respond", page_json, 1}, // a structure with dampers
    {"respond.csv", "respond-curves", page_add_table, 0.3},
    {"damping.json", "damping", page_json, 1}, // a free decay
    {"decay.csv", "decay", page_add_table, 0.3},
    {"spectrum.csv", "spectrum", page_add_table, 0.3},
    {"modes.json", "modes", page_json, 1},
    {"shapes.json", "shapes", page_json, 1},
    {"compare.json", "compare", page_json, 1},
    {"compare.json", "variants", page_variants, 0.8},
};
enum { page_file_count = sizeof page_files / sizeof *page_files };

// A file that is missing has no element, and the page says so; one that cannot be read is an error.
static MrcStatus page_put_file(FILE *out, const char *folder, const PageFile *file, double budget,
                               MrcError *error) {
    char path[1400];
    Json json = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    if (access(path, F_OK) != 0) return MRC_OK;
    MrcStatus status = file->add(&json, path, file->share * budget, error);
    const char *text = status == MRC_OK ? json_text(&json) : NULL;
    if (status == MRC_OK && !text) status = error_memory(error, "the report");
    if (text) page_put_element(out, file->id, text);
    json_free(&json);
    return status;
}

static MrcStatus page_put_files(FILE *out, const char *folder, const PageItem *items, int count,
                                double budget, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int f = 0; f < page_file_count && status == MRC_OK; f++) {
        bool given = false;
        for (int i = 0; i < count; i++)
            given = given || (items[i].text && strcmp(items[i].id, page_files[f].id) == 0);
        if (!given) status = page_put_file(out, folder, &page_files[f], budget, error);
    }
    return status;
}

bool page_folder_has_results(const char *folder) {
    static const char *const signs[] = {"series.csv",   "study.json", "respond.json",
                                        "damping.json", "modes.json", "compare.json"};
    char path[1400];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, signs[i]);
        if (access(path, F_OK) == 0) return true;
    }
    return false;
}

// ---- the page ------------------------------------------------------------------------------------
MrcStatus page_write(const char *path, const char *folder, const PageItem *items, int count, double budget,
                     MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    status = page_put_template(writer.stream, error);
    for (int i = 0; i < count && status == MRC_OK; i++)
        status = page_put_item(writer.stream, &items[i], error);
    if (status == MRC_OK && folder)
        status = page_put_files(writer.stream, folder, items, count, budget, error);
    if (status == MRC_OK) {
        fputs("<script>page.start();</script>\n</body>\n</html>\n", writer.stream);
        return file_commit(&writer, error);
    }
    file_abandon(&writer);
    return status;
}

MrcStatus page_write_report(const char *folder, const PageItem *items, int count, MrcError *error) {
    char path[1400];
    snprintf(path, sizeof path, "%s/report.html", folder);
    return page_write(path, folder, items, count, PAGE_BUDGET_MB * 1e6, error);
}
