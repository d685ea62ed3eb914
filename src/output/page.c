#include "output/page.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/page_data.h"

// The page without data, deflated: by scripts/generate-page.
extern const unsigned char page_template[];
extern const size_t page_template_size, page_template_length; // deflated, and as it is

static const double table_share = 0.3, replay_share = 0.6; // of the budget

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

MrcStatus page_add_packed(Json *json, const void *bytes, size_t count, MrcError *error) {
    uLongf size = compressBound(count);
    unsigned char *deflated = malloc(size + 1);
    char *text = NULL;
    bool fine = deflated && compress2(deflated, &size, bytes, count, 6) == Z_OK;
    if (fine) fine = (text = malloc((size + 2) / 3 * 4 + 1)) != NULL;
    if (fine) {
        page_base64(deflated, size, text);
        json_member_string(json, "data", text);
    }
    free(deflated);
    free(text);
    return fine ? MRC_OK : error_memory(error, "the report");
}

// ---- elements ------------------------------------------------------------------------------------
// JSON inside a page: no '<' may end the element or begin a comment.
static void page_put_element(FILE *out, const char *id, const char *json) {
    fprintf(out, "<script type=\"application/json\" id=\"data-%s\">", id);
    for (const char *c = json; *c; c++) {
        if (*c == '<') fputs("\\u003c", out);
        else fputc(*c, out);
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

static MrcStatus page_json(Json *json, const char *path, double budget, MrcError *error) {
    (void)budget;
    char *text;
    size_t length;
    MrcStatus status = file_read(path, (size_t)1 << 28, &text, &length, error);
    if (status != MRC_OK) return status;
    json_raw(json, text);
    free(text);
    return MRC_OK;
}

// A file that is missing has no element, and the page says so; one that cannot be read is an error.
static MrcStatus page_put_file(FILE *out, const char *folder, const char *name, const char *id, PageData *add,
                               double budget, MrcError *error) {
    char path[1400];
    Json json = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, F_OK) != 0) return MRC_OK;
    MrcStatus status = add(&json, path, budget, error);
    const char *text = status == MRC_OK ? json_text(&json) : NULL;
    if (status == MRC_OK && !text) status = error_memory(error, "the report");
    if (text) page_put_element(out, id, text);
    json_free(&json);
    return status;
}

static MrcStatus page_put_template(FILE *out, MrcError *error) {
    uLongf length = page_template_length;
    unsigned char *text = malloc(length + 1);
    bool fine = text && uncompress(text, &length, page_template, page_template_size) == Z_OK;
    if (fine) fwrite(text, 1, length, out);
    free(text);
    return fine ? MRC_OK : error_memory(error, "the report");
}

// A text as JSON; `plain`: it is to become a string.
static MrcStatus page_put_text(FILE *out, const char *id, const char *text, bool plain, MrcError *error) {
    Json json = {0};
    if (!text) return MRC_OK;
    if (plain) json_string(&json, text);
    else json_raw(&json, text);
    const char *written = json_text(&json);
    if (written) page_put_element(out, id, written);
    json_free(&json);
    return written ? MRC_OK : error_memory(error, "the report");
}

static MrcStatus page_put_files(FILE *out, const char *folder, bool summary, double budget, MrcError *error) {
    const struct {
        const char *name, *id;
        PageData *add;
        double share; // of the budget
    } files[] = {{"summary.json", "summary", page_json, 0},
                 {"model.yaml", "model", page_text, 0},
                 {"series.csv", "series", page_add_table, table_share},
                 {"periods.csv", "periods", page_add_table, 1 - table_share - replay_share},
                 {"replay.bin", "replay", page_add_replay, replay_share}};
    MrcStatus status = MRC_OK;
    for (size_t f = summary ? 0 : 1; f < sizeof files / sizeof *files && status == MRC_OK; f++)
        status = page_put_file(out, folder, files[f].name, files[f].id, files[f].add, files[f].share * budget,
                               error);
    return status;
}

MrcStatus page_write(const char *folder, const char *path, const char *summary, const char *report,
                     double budget, MrcError *error) {
    FileWriter writer;
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    status = page_put_template(writer.stream, error);
    if (status == MRC_OK) status = page_put_text(writer.stream, "summary", summary, false, error);
    if (status == MRC_OK) status = page_put_text(writer.stream, "report", report, true, error);
    if (status == MRC_OK) status = page_put_files(writer.stream, folder, !summary, budget, error);
    if (status == MRC_OK) {
        fputs("<script>page.start();</script>\n</body>\n</html>\n", writer.stream);
        return file_commit(&writer, error);
    }
    file_abandon(&writer);
    return status;
}
