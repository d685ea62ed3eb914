#include "base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// Per SI unit from large to small: the largest that does not exceed the value is taken, or else the smallest.
// Units that are not here are shown as they are.
static const struct {
    const char *unit;
    QuantityUnit shown[8];
} quantity_rows[] = {
    {"m", {{"m", 1}, {"mm", 1e-3}, {"um", 1e-6}, {"nm", 1e-9}}},
    {"s", {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}},
    {"kg", {{"kg", 1}, {"g", 1e-3}, {"mg", 1e-6}, {"ug", 1e-9}}},
    {"N", {{"MN", 1e6}, {"kN", 1e3}, {"N", 1}, {"mN", 1e-3}, {"uN", 1e-6}}},
    {"J", {{"MJ", 1e6}, {"kJ", 1e3}, {"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"nJ", 1e-9}, {"pJ", 1e-12}}},
    {"W", {{"MW", 1e6}, {"kW", 1e3}, {"W", 1}, {"mW", 1e-3}, {"uW", 1e-6}, {"nW", 1e-9}}},
    {"N/m", {{"GN/m", 1e9}, {"MN/m", 1e6}, {"kN/m", 1e3}, {"N/m", 1}}},
    {"m/s", {{"m/s", 1}, {"mm/s", 1e-3}, {"um/s", 1e-6}}},
    {"Pa", {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}, {"Pa", 1}}},
    {"Hz", {{"kHz", 1e3}, {"Hz", 1}}},
    {"kg*m^2", {{"kg*m^2", 1}, {"g*m^2", 1e-3}, {"kg*mm^2", 1e-6}, {"g*mm^2", 1e-9}}},
    {"B", {{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}},
    {"rad", {{"deg", 0.017453292519943295769}}},
};
enum { QUANTITY_ROWS = sizeof quantity_rows / sizeof *quantity_rows };

static double quantity_rounded(double value, int digits) {
    char text[QUANTITY_SIZE];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

QuantityUnit quantity_unit(double value, const char *unit, int digits) {
    double size =
        isfinite(value) && value != 0 ? fabs(quantity_rounded(value, digits)) : 1; // zero: the SI unit
    for (int r = 0; r < QUANTITY_ROWS; r++) {
        if (strcmp(quantity_rows[r].unit, unit) != 0) continue;
        const QuantityUnit *shown = quantity_rows[r].shown;
        while (shown[1].symbol && size < (1 - 1e-9) * shown->factor) shown++;
        if (shown > quantity_rows[r].shown && size < 1e-2 * shown->factor) break; // 4.2e-17 J, not 4.2e-05 pJ
        return *shown;
    }
    return (QuantityUnit){strcmp(unit, "1") == 0 ? "" : unit, 1};
}

// e-4 and not e-04, e7 and not e+07.
static void quantity_short_exponent(char buffer[QUANTITY_SIZE]) {
    char *exponent = strchr(buffer, 'e');
    if (!exponent) return;
    int power = atoi(exponent + 1);
    snprintf(exponent + 1, (size_t)(buffer + QUANTITY_SIZE - exponent - 1), "%d", power);
}

const char *quantity_number(char buffer[QUANTITY_SIZE], double value, int digits) {
    if (!isfinite(value)) return strcpy(buffer, "-");
    double rounded = value == 0 ? 0 : quantity_rounded(value, digits); // no minus before a zero
    // Whole numbers of a few digits more are written out: 12340 and not 1.234e+04.
    bool whole = fabs(rounded) >= pow(10, digits) && fabs(rounded) < 1e7;
    if (whole) snprintf(buffer, QUANTITY_SIZE, "%.0f", rounded);
    else number_print(buffer, QUANTITY_SIZE, digits, rounded);
    quantity_short_exponent(buffer);
    return buffer;
}

const char *quantity_in(char buffer[QUANTITY_SIZE], double value, QuantityUnit unit, int digits) {
    quantity_number(buffer, value / unit.factor, digits);
    if (!isfinite(value) || !unit.symbol[0]) return buffer;
    size_t length = strlen(buffer);
    snprintf(buffer + length, QUANTITY_SIZE - length, " %s", unit.symbol);
    return buffer;
}

const char *quantity_text(char buffer[QUANTITY_SIZE], double value, const char *unit, int digits) {
    return quantity_in(buffer, value, quantity_unit(value, unit, digits), digits);
}

const char *quantity_percent(char buffer[QUANTITY_SIZE], double value, int digits) {
    return quantity_in(buffer, value, (QuantityUnit){"%", 0.01}, digits);
}

const char *quantity_power(char buffer[QUANTITY_SIZE], double value) {
    if (!isfinite(value)) return strcpy(buffer, "-");
    bool plain = value == 0 || (fabs(value) >= 0.00995 && fabs(value) < 995);
    locale_t before = number_point();
    snprintf(buffer, QUANTITY_SIZE, plain ? "%.2g" : "%.1e", value == 0 ? 0 : value);
    number_point_end(before);
    quantity_short_exponent(buffer);
    return buffer;
}

const char *quantity_count(char buffer[QUANTITY_SIZE], int64_t count) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count), sign = digits[0] == '-', to = 0;
    for (int i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0 && length - sign > 4) buffer[to++] = ',';
        buffer[to++] = digits[i];
    }
    buffer[to] = '\0';
    return buffer;
}
