// A tree as YAML text in block style, one value per line.
#include <ctype.h>

#include "base/text.h"
#include "model/yaml.h"

// May the text stand without quotes? Stricter than YAML: what is not plainly safe is quoted.
static bool yaml_is_safe(const char *text) {
    if (!text[0]) return false;
    bool sign = text[0] == '-' || text[0] == '+';
    const char *first = sign ? text + 1 : text;
    if (!isalnum((unsigned char)*first) && !strchr("_./(", *first)) return false;
    if (*first == '\0' || (text[0] == '.' && text[1] == '.') || strcmp(text, "null") == 0) return false;
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e) return false;
        if (*c == ':' && (c[1] == ' ' || c[1] == '\0')) return false;
        if (*c == '#' && c > text && c[-1] == ' ') return false;
        if (*c == ' ' && c[1] == '\0') return false;
    }
    return true;
}

static void emit_scalar(Text *out, const YamlNode *node) {
    if (yaml_is_nothing(node)) text_add_string(out, "null");
    else if (!node->quoted && yaml_is_safe(node->text)) text_add_string(out, node->text);
    else text_add_quoted(out, node->text);
}

static void emit_indent(Text *out, int indent) {
    for (int i = 0; i < indent; i++) text_add_bytes(out, "  ", 2);
}

static void emit(Text *out, const YamlNode *node, int indent);

// What follows `key:` or `-`.
static void emit_value(Text *out, const YamlNode *node, int indent) {
    bool nested = node->kind != YAML_SCALAR && node->count > 0;
    text_add_string(out, nested ? "\n" : " ");
    emit(out, node, indent);
    if (!nested) text_add_string(out, "\n");
}

static void emit(Text *out, const YamlNode *node, int indent) {
    if (node->kind == YAML_SCALAR) emit_scalar(out, node);
    else if (node->count == 0) text_add_string(out, node->kind == YAML_MAPPING ? "{}" : "[]");
    for (size_t i = 0; i < node->count; i++) {
        emit_indent(out, indent);
        if (node->kind == YAML_MAPPING) {
            const YamlNode *key = node->pairs[i].key;
            if (yaml_is_safe(key->text)) text_add_string(out, key->text);
            else text_add_quoted(out, key->text);
            text_add_string(out, ":");
            emit_value(out, node->pairs[i].value, indent + 1);
        } else {
            text_add_string(out, "-");
            emit_value(out, node->items[i], indent + 1);
        }
    }
}

char *yaml_text(const YamlNode *root) {
    Text out = {0};
    emit(&out, root, 0);
    if (root->kind == YAML_SCALAR || root->count == 0) text_add_string(&out, "\n");
    return text_take(&out);
}
