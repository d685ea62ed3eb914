// Reading YAML: bytes are vetted, libfyaml turns them into events, events become the tree.
#include "model/yaml.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <libfyaml.h>

#include "model/utf8.h"

enum { yaml_reserve_bytes = 65536 };

typedef struct Anchor {
    const char *name;
    const YamlNode *node; // NULL while the anchored node is still being read
} Anchor;

typedef struct Reader {
    Arena *arena;
    Diagnostics *diagnostics;
    struct fy_parser *parser;
    struct fy_diag *messages;
    const char *source; // as given to libfyaml
    size_t length;
    int file;
    bool line_is_known;
    size_t node_count;
    ARRAY(Anchor) anchors;
} Reader;

// What we need of a libfyaml event, so that the event can be handed back at once.
typedef struct Event {
    enum fy_event_type type;
    Place place;
    size_t position;    // in the source
    const char *text;   // scalar: its value; alias: the anchor's name
    const char *anchor; // NULL: none
    size_t length;
    bool quoted;
} Event;

// ---- bytes ---------------------------------------------------------------------------------------
static Place yaml_place_at(const Reader *reader, int line, int column) {
    if (!reader->line_is_known) return (Place){.file = reader->file};
    return (Place){.file = reader->file, .line = line, .column = column};
}

// Nothing but blanks and tabs from here to the end of the line, or to a comment?
static bool yaml_rest_is_blank(const char *text, size_t left) {
    size_t i = 0;
    while (i < left && (text[i] == ' ' || text[i] == '\t')) i++;
    return i == left || text[i] == '\n' || text[i] == '\r' || text[i] == '#';
}

// Invisible and, to some readers, line ends: lines and columns would no longer mean what an editor shows.
static bool yaml_is_invisible(uint32_t code) {
    return (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           (code & 0xfffe) == 0xfffe;
}

// What makes these bytes unfit, or NULL. libfyaml 0.7.12 can read past its buffer on broken UTF-8 and on bare
// carriage returns, and loops for ever on some directives (its issues 101, 127, 129), so none of these reach
// it; nothing a model file needs is lost.
static const char *yaml_refuse(const char *text, size_t left, bool indentation, bool line_start,
                               size_t *step) {
    unsigned char byte = (unsigned char)text[0];
    *step = 1;
    if (byte == '\n') return NULL;
    if (byte == '\t')
        return indentation && !yaml_rest_is_blank(text, left)
                   ? "a tab before the first word; indent with blanks"
                   : NULL;
    if (byte == '\r') return left > 1 && text[1] == '\n' ? NULL : "a carriage return without a line feed";
    if (byte == '%' && line_start) return "a YAML directive ('%'); model files have none";
    if (byte < 0x20 || byte == 0x7f) return "a control character; model files are plain text";
    if (byte < 0x80) return NULL;
    uint32_t code;
    size_t length = utf8_read(text, left, &code);
    if (length == 0) return "bytes that are not UTF-8 text";
    *step = length;
    return yaml_is_invisible(code) ? "a control character; model files are plain text" : NULL;
}

// Copies what is fit to `copy`, without byte order mark and carriage returns. Tabs become blanks: libfyaml
// 0.7.12 crashes on some of them (`? a:<tab>:`), and to YAML they are the same. False after an error.
static bool yaml_copy_fit(Reader *reader, const char *text, size_t length, char *copy) {
    size_t used = 0, step = 1;
    int line = 1, column = 1;
    bool indentation = true; // only blanks so far on this line
    size_t start = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = start; i < length; i += step) {
        const char *trouble = yaml_refuse(text + i, length - i, indentation, column == 1, &step);
        if (trouble) {
            diagnostics_error(reader->diagnostics, yaml_place_at(reader, line, column), "found %s", trouble);
            return false;
        }
        if (text[i] == '\r') continue;
        memcpy(copy + used, text[i] == '\t' ? " " : text + i, step);
        used += step;
        column++;
        indentation = indentation && (text[i] == ' ' || text[i] == '\t');
        if (text[i] == '\n') line++, column = 1, indentation = true;
    }
    reader->source = copy;
    reader->length = used;
    return true;
}

// Fills reader->source, padded with zeros, since libfyaml reads a few bytes ahead. False when the bytes are
// not fit.
static bool yaml_vet(Reader *reader, const char *text, size_t length) {
    if (length > YAML_BYTES_MAX) {
        diagnostics_error(reader->diagnostics, (Place){.file = reader->file},
                          "the file has %zu bytes; more than %d are not read", length, YAML_BYTES_MAX);
        return false;
    }
    char *copy = arena_alloc(reader->arena, length + 16);
    if (!copy) diagnostics_memory(reader->diagnostics);
    return copy && yaml_copy_fit(reader, text, length, copy);
}

// ---- events --------------------------------------------------------------------------------------
static void yaml_drop_message(struct fy_diag *diag, void *user, const char *text, size_t length) {
    (void)diag, (void)user, (void)text, (void)length;
}

static void yaml_report_empty(Reader *reader) {
    diagnostics_error(reader->diagnostics, yaml_place_at(reader, 0, 0), "%s",
                      reader->line_is_known ? "there is nothing in this file; a model starts with 'maraca: 1'"
                                            : "there is no value");
}

// libfyaml's messages in words for a user who does not know its terms.
static const char *yaml_syntax_hint(const char *message) {
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"wrongly indented flow", "; is a '{' or '[' above not closed?"},
        {"missing comma in flow", "; a ',' is missing, or a '}' or ']'"},
        {"without a closing bracket", "; a ']' is missing"},
        {"invalid nested block mapping", "; quote the text if ': ' is part of it"},
        {"multiline plain key", "; is the line below indented too far, or a ':' missing?"},
        {"invalid indentation", "; lines of one mapping start in the same column"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].part)) return hints[i].hint;
    return "";
}

static void yaml_report_syntax(Reader *reader) {
    void *position = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(reader->messages, &position);
    if (!error) { // it fails without a word when memory is out
        diagnostics_memory(reader->diagnostics);
        return;
    }
    // The first is the cause; the others tell how libfyaml unwinds.
    Place place =
        yaml_place_at(reader, error->line > 0 ? error->line : 1, error->column > 0 ? error->column : 1);
    diagnostics_error(reader->diagnostics, place, "this is not YAML: %s%s", error->msg ? error->msg : "",
                      error->msg ? yaml_syntax_hint(error->msg) : "");
}

static const char *yaml_token_text(Reader *reader, struct fy_token *token, size_t *length) {
    *length = 0;
    const char *text = token ? fy_token_get_text(token, length) : "";
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL,
                         *end = token ? fy_token_end_mark(token) : NULL;
    // Without memory libfyaml gives nothing, or an empty text for one that is not.
    bool plain = token && fy_token_scalar_style(token) == FYSS_PLAIN;
    if (!text || (plain && *length == 0 && start && end && end->input_pos > start->input_pos)) {
        diagnostics_memory(reader->diagnostics);
        return NULL;
    }
    const char *copy = arena_strndup(reader->arena, text, *length);
    if (!copy) diagnostics_memory(reader->diagnostics);
    return copy;
}

// The text of a scalar. libfyaml 0.7.12 loses memory when it joins the pieces of a single-quoted text with
// doubled quotes in it ('it''s'), so these are read from the source here.
static const char *yaml_scalar_text(Reader *reader, struct fy_event *event, Place place, size_t *length) {
    struct fy_token *token = event->scalar.value;
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    if (!token || !start || !end || fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED ||
        start->input_pos >= end->input_pos || end->input_pos > reader->length)
        return yaml_token_text(reader, token, length);
    const char *source = reader->source + start->input_pos;
    size_t size = end->input_pos - start->input_pos;
    if (!memmem(source, size, "''", 2)) return yaml_token_text(reader, token, length);
    if (memchr(source, '\n', size)) {
        diagnostics_error(reader->diagnostics, place,
                          "found '' in a text of several lines; write such a text in double quotes");
        return NULL;
    }
    char *copy = arena_strndup(reader->arena, source, size);
    if (!copy) {
        diagnostics_memory(reader->diagnostics);
        return NULL;
    }
    *length = 0;
    for (size_t i = 0; i < size; i++) {
        copy[(*length)++] = source[i];
        if (source[i] == '\'') i++;
    }
    copy[*length] = '\0';
    return copy;
}

static void yaml_read_marks(Reader *reader, struct fy_event *from, Event *event) {
    const struct fy_mark *mark = fy_event_start_mark(from);
    event->place =
        mark ? yaml_place_at(reader, mark->line + 1, mark->column + 1) : yaml_place_at(reader, 0, 0);
    event->position = mark ? mark->input_pos : SIZE_MAX;
}

// The next event; false at the end and after an error (which is then reported).
static bool yaml_next_event(Reader *reader, Event *event) {
    *event = (Event){.type = FYET_NONE};
    struct fy_event *from = fy_parser_parse(reader->parser);
    if (!from) {
        yaml_report_syntax(reader);
        return false;
    }
    event->type = from->type;
    yaml_read_marks(reader, from, event);
    bool good = true;
    if (from->type == FYET_SCALAR) {
        event->text = yaml_scalar_text(reader, from, event->place, &event->length);
        event->quoted = from->scalar.value && fy_token_scalar_style(from->scalar.value) != FYSS_PLAIN;
        good = event->text != NULL;
    } else if (from->type == FYET_ALIAS) {
        event->text = yaml_token_text(reader, from->alias.anchor, &event->length);
        if (event->place.column > 1) event->place.column--; // the mark is behind the '*'
        good = event->text != NULL;
    }
    bool node =
        from->type == FYET_SCALAR || from->type == FYET_MAPPING_START || from->type == FYET_SEQUENCE_START;
    if (node && fy_event_get_anchor_token(from)) {
        size_t length;
        event->anchor = yaml_token_text(reader, fy_event_get_anchor_token(from), &length);
        good = good && event->anchor;
    }
    if (node && fy_event_get_tag_token(from)) {
        const struct fy_mark *mark = fy_token_start_mark(fy_event_get_tag_token(from));
        Place place = mark ? yaml_place_at(reader, mark->line + 1, mark->column + 1) : event->place;
        diagnostics_error(
            reader->diagnostics, place,
            "found a YAML tag ('!...'); model files have none, quote the value if it is a text");
        good = false;
    }
    fy_parser_event_free(reader->parser, from);
    return good;
}

// ---- nodes ---------------------------------------------------------------------------------------
static const YamlNode *yaml_read_node(Reader *reader, const Event *event, int depth);

// Escapes in double quotes can bring in what the file itself may not have.
static bool yaml_is_readable(const char *text, size_t length) {
    uint32_t code;
    for (size_t i = 0, step; i < length; i += step) {
        step = utf8_read(text + i, length - i, &code);
        if (step == 0 || yaml_is_invisible(code) || (code < 0x20 && code != '\n' && code != '\t'))
            return false;
    }
    return true;
}

static const YamlNode *yaml_read_scalar(Reader *reader, const Event *event) {
    YamlNode *node = arena_alloc(reader->arena, sizeof *node);
    if (!node) return NULL;
    if (!yaml_is_readable(event->text, event->length)) {
        diagnostics_error(reader->diagnostics, event->place,
                          "found a text with an escaped control character in it");
        return NULL;
    }
    *node = (YamlNode){.kind = YAML_SCALAR,
                       .place = event->place,
                       .weight = 1,
                       .text = event->text,
                       .quoted = event->quoted,
                       .text_column = -1};
    // A value that stands in the file as it is lets errors point into it.
    for (int quote = 0; quote < 2 && node->text_column < 0; quote++) {
        size_t start = event->position + (size_t)quote;
        if (event->position < reader->length && start + event->length <= reader->length &&
            memcmp(reader->source + start, event->text, event->length) == 0)
            node->text_column = quote;
    }
    return node;
}

static const YamlNode *yaml_read_alias(Reader *reader, const Event *event, int depth) {
    for (size_t i = reader->anchors.count; i-- > 0;) {
        const Anchor *anchor = &reader->anchors.data[i];
        if (strcmp(anchor->name, event->text) != 0) continue;
        if (!anchor->node)
            diagnostics_error(reader->diagnostics, event->place, "'*%s' stands inside '&%s' itself",
                              event->text, event->text);
        else if (depth + anchor->node->height > YAML_DEPTH_MAX)
            diagnostics_error(reader->diagnostics, event->place, "nested more than %d deep", YAML_DEPTH_MAX);
        else return anchor->node;
        return NULL;
    }
    diagnostics_error(reader->diagnostics, event->place,
                      "'*%s' refers to nothing: there is no '&%s' before it", event->text, event->text);
    return NULL;
}

// Has the count of nodes, repetitions included, passed the limit?
static bool yaml_too_many(Reader *reader, size_t more, Place place) {
    reader->node_count += more;
    if (reader->node_count <= YAML_NODES_MAX) return false;
    diagnostics_error(reader->diagnostics, place, "more than %d values, counting each use of an alias",
                      YAML_NODES_MAX);
    return true;
}

static const YamlNode *yaml_read_sequence(Reader *reader, Place place, int depth) {
    ARRAY(const YamlNode *) items = {0};
    const YamlNode *node = NULL;
    Event event;
    while (yaml_next_event(reader, &event)) {
        if (event.type == FYET_SEQUENCE_END) {
            node = yaml_sequence(reader->arena, items.data, items.count, place);
            if (!node) diagnostics_memory(reader->diagnostics);
            break;
        }
        if (event.place.line == 0) event.place = place;
        const YamlNode *item = yaml_read_node(reader, &event, depth);
        if (!item) break;
        if (!array_push(&items, item)) {
            diagnostics_memory(reader->diagnostics);
            break;
        }
    }
    array_free(&items);
    return node;
}

// A key that stands in a mapping twice, reported with both places.
static bool yaml_has_duplicates(Reader *reader, const YamlNode *mapping) {
    bool found = false;
    for (size_t i = 1; i < mapping->count; i++) {
        const YamlNode *first = mapping->pairs[mapping->sorted[i - 1]].key;
        const YamlNode *second = mapping->pairs[mapping->sorted[i]].key;
        if (strcmp(first->text, second->text) != 0) continue;
        diagnostics_error(reader->diagnostics, second->place,
                          "'%s' is given twice; the first is on line %d, column %d", second->text,
                          first->place.line, first->place.column);
        found = true;
    }
    return found;
}

static const YamlNode *yaml_read_mapping(Reader *reader, Place place, int depth) {
    ARRAY(YamlPair) pairs = {0};
    const YamlNode *node = NULL;
    Event event;
    while (yaml_next_event(reader, &event)) {
        if (event.type == FYET_MAPPING_END) {
            node = yaml_mapping(reader->arena, pairs.data, pairs.count, place);
            if (!node) diagnostics_memory(reader->diagnostics);
            else if (yaml_has_duplicates(reader, node)) node = NULL;
            break;
        }
        YamlPair pair = {.key = yaml_read_node(reader, &event, depth)};
        if (!pair.key) break;
        if (pair.key->kind != YAML_SCALAR || event.type == FYET_ALIAS) {
            diagnostics_error(reader->diagnostics, event.place, "a key must be a word, not %s",
                              event.type == FYET_ALIAS ? "an alias" : yaml_kind_name(pair.key));
            break;
        }
        if (strlen(pair.key->text) > YAML_KEY_MAX) { // YAML itself would not read it back beyond 1024
            diagnostics_error(reader->diagnostics, event.place, "a key of more than %d bytes", YAML_KEY_MAX);
            break;
        }
        if (!yaml_next_event(reader, &event)) break;
        if (event.place.line == 0) event.place = pair.key->place; // nothing after the key
        pair.value = yaml_read_node(reader, &event, depth);
        if (!pair.value) break;
        if (!array_push(&pairs, pair)) {
            diagnostics_memory(reader->diagnostics);
            break;
        }
    }
    array_free(&pairs);
    return node;
}

static const YamlNode *yaml_read_node(Reader *reader, const Event *event, int depth) {
    if (depth > YAML_DEPTH_MAX) {
        diagnostics_error(reader->diagnostics, event->place, "nested more than %d deep", YAML_DEPTH_MAX);
        return NULL;
    }
    if (event->type == FYET_ALIAS) {
        const YamlNode *shared = yaml_read_alias(reader, event, depth);
        return shared && !yaml_too_many(reader, shared->weight, event->place) ? shared : NULL;
    }
    if (yaml_too_many(reader, 1, event->place)) return NULL;
    size_t slot = reader->anchors.count;
    if (event->anchor) {
        if (slot >= YAML_ANCHORS_MAX) {
            diagnostics_error(reader->diagnostics, event->place, "more than %d anchors ('&%s')",
                              YAML_ANCHORS_MAX, event->anchor);
            return NULL;
        }
        if (!array_push(&reader->anchors, (Anchor){.name = event->anchor})) {
            diagnostics_memory(reader->diagnostics);
            return NULL;
        }
    }
    const YamlNode *node = NULL;
    if (event->type == FYET_SCALAR) node = yaml_read_scalar(reader, event);
    else if (event->type == FYET_SEQUENCE_START) node = yaml_read_sequence(reader, event->place, depth + 1);
    else if (event->type == FYET_MAPPING_START) node = yaml_read_mapping(reader, event->place, depth + 1);
    if (node && event->anchor) reader->anchors.data[slot].node = node;
    return node;
}

// ---- documents -----------------------------------------------------------------------------------
static const YamlNode *yaml_read_document(Reader *reader) {
    Event event;
    const YamlNode *root = NULL;
    while (yaml_next_event(reader, &event)) {
        if (event.type == FYET_STREAM_START || event.type == FYET_DOCUMENT_END) continue;
        if (event.type == FYET_STREAM_END) {
            if (!root) yaml_report_empty(reader);
            return root;
        }
        if (event.type == FYET_DOCUMENT_START) {
            if (!root) continue;
            diagnostics_error(reader->diagnostics, event.place,
                              "a second document starts here ('---'); a model file is one document");
            return NULL;
        }
        root = yaml_read_node(reader, &event, 0);
        if (!root) return NULL;
    }
    return NULL;
}

static bool yaml_open_parser(Reader *reader) {
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.output_fn = yaml_drop_message;
    reader->messages = fy_diag_create(&quiet);
    if (!reader->messages) return false;
    fy_diag_set_collect_errors(reader->messages, true);
    struct fy_parse_cfg options = {.search_path = "",
                                   .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
                                            FYPCF_DEFAULT_VERSION_1_2,
                                   .diag = reader->messages};
    reader->parser = fy_parser_create(&options);
    // fy_parse_input_append of libfyaml 0.7.12 writes to what fy_input_create returns, which is NULL when one of its two
    // small blocks fails. What is given back here is enough for them, and malloc keeps it.
    void *volatile reserve = malloc(yaml_reserve_bytes);
    if (!reserve) return false;
    free(reserve);
    return reader->parser && fy_parser_set_string(reader->parser, reader->source, reader->length) == 0;
}

// A value that cannot be anything but a plain scalar, as most defaults are: no mark of YAML is in it.
static bool yaml_is_plain(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr(" ._+*/^()", text[i])) return false;
    return length > 0 && isalnum((unsigned char)text[0]) && text[length - 1] != ' ';
}

static const YamlNode *yaml_read_plain(Reader *reader) {
    Event event = {.type = FYET_SCALAR, .place = yaml_place_at(reader, 1, 1), .length = reader->length};
    event.text = arena_strndup(reader->arena, reader->source, reader->length);
    const YamlNode *node = event.text ? yaml_read_scalar(reader, &event) : NULL;
    if (!node) diagnostics_memory(reader->diagnostics);
    return node;
}

const YamlNode *yaml_parse(Arena *arena, const char *text, size_t length, int file, bool line_is_known,
                           Diagnostics *diagnostics) {
    Reader reader = {
        .arena = arena, .diagnostics = diagnostics, .file = file, .line_is_known = line_is_known};
    const YamlNode *root = NULL;
    if (!yaml_vet(&reader, text, length)) return NULL;
    if (reader.length == 0) yaml_report_empty(&reader);
    else if (!line_is_known && yaml_is_plain(reader.source, reader.length)) root = yaml_read_plain(&reader);
    else if (!yaml_open_parser(&reader)) diagnostics_memory(diagnostics);
    else root = yaml_read_document(&reader);
    if (reader.parser) fy_parser_destroy(reader.parser);
    if (reader.messages) fy_diag_destroy(reader.messages);
    array_free(&reader.anchors);
    return root;
}
